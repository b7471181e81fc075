//! From bytes to lines: compression, encodings, signatures.

pub(crate) mod encoding;
pub(crate) mod lines;
pub(crate) mod source;
pub(crate) mod unpack;
pub(crate) mod xml;
