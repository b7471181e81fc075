//! The subcommands, one module each.

mod advice;
pub(crate) mod audit;
pub(crate) mod bag;
#[cfg(feature = "measure")]
pub(crate) mod bench;
mod changes;
pub(crate) mod check;
pub(crate) mod completions;
#[cfg(feature = "copy")]
pub(crate) mod copy;
pub(crate) mod diff;
pub(crate) mod dups;
pub(crate) mod links;
pub(crate) mod list;
mod lists;
pub(crate) mod man;
pub(crate) mod merge;
pub(crate) mod mhl;
#[cfg(feature = "copy")]
mod repair;
#[cfg(feature = "measure")]
pub(crate) mod results;
#[cfg(feature = "measure")]
pub(crate) mod speed;
pub(crate) mod sum;
pub(crate) mod update;
