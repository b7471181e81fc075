//! Reading one file: what it is, which device it is on, and the ways of getting at its bytes.

pub(crate) mod device;
pub(crate) mod direct;
pub(crate) mod input;
pub(crate) mod sys;
