//! Lists as other programs read them, each in its own way, for those who stand in for them.

pub mod b3sum;
pub mod coreutils;
pub mod xxhsum;
