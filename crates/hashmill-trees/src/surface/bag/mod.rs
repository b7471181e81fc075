//! Bags (BagIt, RFC 8493): making, checking and updating them.

pub(crate) mod check;
pub(crate) mod create;
pub(crate) mod update;
pub(crate) mod write;
