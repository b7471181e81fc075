//! Where snapshots and histories come from: lists and walks.

pub(crate) mod ahead;
pub(crate) mod bag;
pub(crate) mod base;
pub(crate) mod ends;
pub(crate) mod history;
pub(crate) mod list;
pub(crate) mod verified;
