//! What programs call.

pub(crate) mod audit;
pub(crate) mod bag;
pub(crate) mod copies;
pub(crate) mod diff;
pub(crate) mod dups;
pub(crate) mod merge;
pub(crate) mod mhl;
pub(crate) mod update;
