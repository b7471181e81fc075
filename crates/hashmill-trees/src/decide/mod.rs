//! What the difference between two snapshots means. Nothing here touches a file.

pub(crate) mod comparison;
pub(crate) mod moves;
