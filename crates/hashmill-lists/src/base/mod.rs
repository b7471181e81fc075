//! What all forms use: entries, what can be wrong with a line, digits, names, tags.

pub(crate) mod candidates;
pub(crate) mod digits;
pub(crate) mod entry;
pub(crate) mod fault;
pub(crate) mod function;
pub(crate) mod header;
pub(crate) mod names;
pub(crate) mod record;
pub(crate) mod tag;
pub(crate) mod time;
