//! Reading, hashing, writing and reading back, by several threads.

pub(crate) mod aside;
pub(crate) mod copying;
pub(crate) mod engine;
pub(crate) mod pairing;
pub(crate) mod pipe;
pub(crate) mod plan;
pub(crate) mod reading;
pub(crate) mod shared;
