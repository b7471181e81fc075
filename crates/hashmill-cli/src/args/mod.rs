//! The command line: its definition, and the messages about wrong usage.

pub(crate) mod cli;
pub(crate) mod usage;
