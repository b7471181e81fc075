//! What the crate does for its callers.

pub(crate) mod args;
pub(crate) mod copy;
