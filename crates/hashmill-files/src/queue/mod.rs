//! The queue of jobs: in which order they are taken, and how results come back in the order of the files.

pub(crate) mod batch;
pub(crate) mod job;
mod life;
pub(crate) mod prefetch;
pub(crate) mod results;
pub(crate) mod schedule;
pub(crate) mod shared;
pub(crate) mod task;
