//! Failures of the `results` subcommands.

use crate::store::StoreError;
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A reason why there is nothing to show.
#[derive(Debug, Error)]
pub(crate) enum ResultsError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("cannot write: {0}")]
    Write(#[from] io::Error),
    #[error("{}: {what}", path.display())]
    File { path: PathBuf, what: String },
    #[error("{0}")]
    Nothing(String),
}

impl ResultsError {
    pub(crate) fn file(path: &Path, what: impl Display) -> ResultsError {
        let path = if path == Path::new("-") { "stdin".into() } else { path.into() };
        ResultsError::File { path, what: what.to_string() }
    }
}
