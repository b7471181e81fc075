//! The command line: what there is, and what is wrong with what was typed.

pub(crate) mod cli;
pub(crate) mod usage;
