//! Decisions: pure functions of what is known, without effects.

pub(crate) mod duplicates;
pub(crate) mod failure;
pub(crate) mod names;
