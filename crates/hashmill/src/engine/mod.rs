//! What hashes messages: which kernel runs, one message as it comes, many at once.

pub(crate) mod chosen;
pub(crate) mod dispatch;
pub(crate) mod hasher;
pub(crate) mod many;
pub(crate) mod mill;
pub(crate) mod parts;
pub(crate) mod state;
pub(crate) mod xof;
