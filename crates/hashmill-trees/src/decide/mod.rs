//! What the difference between two snapshots means. Nothing here touches a file.

pub(crate) mod bag;
pub(crate) mod comparison;
mod moves;
