//! Specifications transcribed literally: slow, and in another form than the kernels.

pub(crate) mod md;
pub(crate) mod snefru;
pub(crate) mod sums;
pub(crate) mod tiger;
