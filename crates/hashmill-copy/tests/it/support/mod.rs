//! What the tests of several modules share.

pub(crate) mod disk;
pub(crate) mod injected;
pub(crate) mod photo;
pub(crate) mod running;
pub(crate) mod shimmed;
pub(crate) mod trees;
