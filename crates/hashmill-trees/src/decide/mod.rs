//! What the difference between two snapshots means. Nothing here touches a file.

pub(crate) mod bag;
pub(crate) mod comparison;
pub(crate) mod content;
pub(crate) mod folders;
pub(crate) mod generation;
pub(crate) mod moves;
pub(crate) mod patterns;
