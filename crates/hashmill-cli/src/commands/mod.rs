//! The subcommands, one module each.

#[cfg(feature = "measure")]
pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod completions;
#[cfg(feature = "copy")]
pub(crate) mod copy;
pub(crate) mod links;
pub(crate) mod list;
pub(crate) mod man;
#[cfg(feature = "measure")]
pub(crate) mod results;
#[cfg(feature = "measure")]
pub(crate) mod speed;
pub(crate) mod sum;
