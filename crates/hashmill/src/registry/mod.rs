//! The algorithms there are: their table, their names, and how far each may be trusted.

pub(crate) mod algorithm;
pub(crate) mod names;
mod nearest;
pub(crate) mod security;
pub(crate) mod table;
