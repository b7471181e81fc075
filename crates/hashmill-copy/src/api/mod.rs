//! What the caller says, and what it is told.

pub(crate) mod event;
pub(crate) mod layout;
pub(crate) mod options;
pub(crate) mod taken;
