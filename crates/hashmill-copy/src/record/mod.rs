//! What a run leaves in the destination for the next one, and the checksum list.

pub(crate) mod catalogue;
pub(crate) mod journal;
pub(crate) mod manifest;
