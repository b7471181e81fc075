//! One run, on the caller's thread: decides, has files copied and read, and records the outcome.
//!
//! This thread decides everything in the order of names, so that the same sources give the same names; `decide` has the
//! decisions, this folder gathers the facts for them and carries them out. It works in batches of at most a few
//! thousand files. A copy that depends on no digest starts at once; one that does (a file of the same length has the
//! name, or may be a duplicate) waits for that digest. So every file is read only once, unless it may be there already.

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
