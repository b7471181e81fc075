//! Hashing many files at once in the lanes of a mill.

pub(crate) mod multi;
pub(crate) mod single;
pub(crate) mod window;
