//! The command line: its definition, and the messages about wrong usage.

pub(crate) mod bag;
pub(crate) mod cli;
mod habits;
pub(crate) mod mhl;
pub(crate) mod reading;
pub(crate) mod trees;
pub(crate) mod usage;
