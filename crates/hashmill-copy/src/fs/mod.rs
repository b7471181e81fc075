//! Files and folders as the kernel sees them: reached without following links, identified, placed.

pub(crate) mod beneath;
pub(crate) mod made_up;
pub(crate) mod meta;
pub(crate) mod place;
pub(crate) mod relation;
pub(crate) mod room;
pub(crate) mod source;
