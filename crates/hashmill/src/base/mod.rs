//! Values that everything may name: digests, errors, the bits of a message, what the CPU can run.

pub(crate) mod bits;
pub(crate) mod cpu;
pub(crate) mod digest;
pub(crate) mod error;
pub(crate) mod hex;
pub(crate) mod nearest;
pub(crate) mod params;
pub(crate) mod size;
