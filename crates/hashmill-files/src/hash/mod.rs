//! Hashing what the queue holds: many files in the lanes of a mill, or one file by one thread or several.

pub(crate) mod lanes;
pub(crate) mod one_file;
pub(crate) mod worker;
