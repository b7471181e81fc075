//! The queue of jobs: in which order they are taken, and how results come back in the order of the files.

pub(crate) mod job;
pub(crate) mod prefetch;
pub(crate) mod shared;
pub(crate) mod task;
