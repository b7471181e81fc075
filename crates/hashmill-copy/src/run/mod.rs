//! One run, on the caller's thread: decides, has files copied and read, and records the outcome.

pub(crate) mod batch;
pub(crate) mod digests;
pub(crate) mod drive;
pub(crate) mod duplicates;
pub(crate) mod remove;
pub(crate) mod report;
pub(crate) mod resolve;
pub(crate) mod settle;
pub(crate) mod shortage;
pub(crate) mod state;
pub(crate) mod tree;
