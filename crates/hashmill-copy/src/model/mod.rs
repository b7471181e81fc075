//! The types that callers use: the options of a run, and what it reports.

pub(crate) mod event;
pub(crate) mod layout;
pub(crate) mod options;
pub(crate) mod taken;
