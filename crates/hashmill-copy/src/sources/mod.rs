//! What there is to copy, and when it was taken.

pub(crate) mod dates;
pub(crate) mod gather;
pub(crate) mod siblings;
pub(crate) mod system;
