//! Hashing the jobs in the queue: many files in the lanes of a mill, or one file on one or several threads.

pub(crate) mod crew;
pub(crate) mod lanes;
pub(crate) mod one_file;
mod pieces;
pub(crate) mod running;
pub(crate) mod worker;
