//! The foundations of this crate: errors, options, progress, threads and descriptors.

pub(crate) mod descriptors;
pub(crate) mod error;
pub(crate) mod folders;
pub(crate) mod options;
pub mod ours;
pub(crate) mod progress;
pub(crate) mod recipe;
pub(crate) mod threads;
#[cfg(test)]
pub(crate) mod trap;
