//! The crate's interface for its callers.

pub(crate) mod args;
pub(crate) mod copy;
pub(crate) mod repair;
