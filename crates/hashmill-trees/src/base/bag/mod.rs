//! The rules of bags (BagIt, RFC 8493, and the drafts before it): what stands in their tag files, and what names mean.

pub(crate) mod declaration;
pub(crate) mod encoding;
pub(crate) mod fetch;
pub(crate) mod files;
pub(crate) mod flaw;
pub(crate) mod names;
pub(crate) mod tags;
