//! Standard input, standard output, standard error, and what is shown there.

pub(crate) mod color;
pub(crate) mod input;
#[cfg(feature = "copy")]
pub(crate) mod log;
pub(crate) mod output;
pub(crate) mod progress;
pub(crate) mod target;
