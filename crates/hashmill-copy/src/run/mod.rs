//! One run, on the thread that called it: it decides, has files copied and read, and records what came of that.

pub(crate) mod batch;
pub(crate) mod digests;
pub(crate) mod drive;
pub(crate) mod duplicates;
pub(crate) mod remove;
pub(crate) mod report;
pub(crate) mod resolve;
pub(crate) mod settle;
pub(crate) mod state;
pub(crate) mod tree;
