//! Errors that concern a single file. They do not stop the rest of the work.

use std::io;

/// Why a file has no digest.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error reported by the operating system.
    #[error("{}", plain(.0))]
    Io(#[from] io::Error),
    /// A directory where a file was expected.
    #[error("is a directory")]
    IsDirectory,
    /// Something without content of its own, found during recursion. It is left out, which is not a failure.
    #[error("skipped ({0})")]
    Skipped(&'static str),
    /// The list being written, or something else that this program made for itself. It is left out.
    #[error("left out ({0})")]
    Own(&'static str),
    /// The name in a list leads out of the folder that the list is about.
    #[error("is outside of the folder that names are relative to, not read")]
    Outside,
    /// The name in a list cannot be one of a file on this system.
    #[error("is not a name that files can have here")]
    BadName,
    /// Its length is not known before it has been read, or changes meanwhile, and the digest depends on it.
    #[error("has no fixed length, which this digest needs")]
    NoLength,
    /// The work was stopped ([`Progress::stop_flag`](crate::Progress::stop_flag)) before the whole file had been read.
    #[error("stopped")]
    Stopped,
    /// The thread that was hashing the file, or the last one that could have hashed it, panicked.
    #[error("a worker thread panicked")]
    Panicked,
}

impl Error {
    /// Returns a stable word for it, as `--json` has it.
    pub fn kind(&self) -> &'static str {
        match self {
            Error::Io(e) => match e.kind() {
                io::ErrorKind::NotFound => "not-found",
                io::ErrorKind::PermissionDenied => "permission-denied",
                _ => "io",
            },
            Error::IsDirectory => "is-directory",
            Error::Skipped(_) => "skipped",
            Error::Own(_) => "own",
            Error::Outside => "outside",
            Error::BadName => "bad-name",
            Error::NoLength => "no-length",
            Error::Stopped => "stopped",
            Error::Panicked => "panicked",
        }
    }

    /// Returns whether the file does not exist.
    pub fn is_missing(&self) -> bool {
        matches!(self, Error::Io(e) if e.kind() == io::ErrorKind::NotFound)
    }

    /// Returns a copy of the error: [`io::Error`] cannot be cloned.
    pub(crate) fn again(&self) -> Self {
        match self {
            Error::Io(e) => Error::Io(match e.raw_os_error() {
                Some(code) => io::Error::from_raw_os_error(code),
                None => io::Error::new(e.kind(), e.to_string()),
            }),
            Error::IsDirectory => Error::IsDirectory,
            Error::Skipped(what) => Error::Skipped(what),
            Error::Own(what) => Error::Own(what),
            Error::Outside => Error::Outside,
            Error::BadName => Error::BadName,
            Error::NoLength => Error::NoLength,
            Error::Stopped => Error::Stopped,
            Error::Panicked => Error::Panicked,
        }
    }

    /// Returns whether the file was left out on purpose.
    pub fn is_skipped(&self) -> bool {
        matches!(self, Error::Skipped(_) | Error::Own(_))
    }

    /// Returns whether the file was left out because this program made it.
    pub fn is_own(&self) -> bool {
        matches!(self, Error::Own(_))
    }
}

/// Returns the operating system's message without the error number: "No such file or directory". On systems other than
/// Unix, common errors get the Unix wording.
pub fn words(e: &io::Error) -> String {
    #[cfg(not(unix))]
    if let Some(words) = usual(e.kind()) {
        return words.into();
    }
    let mut s = e.to_string();
    if let Some(i) = s.rfind(" (os error ") {
        s.truncate(i);
    }
    // Some systems end the message with a full stop or a line break.
    s.truncate(s.trim_end().trim_end_matches('.').len());
    s
}

#[cfg(not(unix))]
fn usual(kind: io::ErrorKind) -> Option<&'static str> {
    use io::ErrorKind::{
        AlreadyExists, BrokenPipe, IsADirectory, NotADirectory, NotFound, PermissionDenied, StorageFull,
    };
    Some(match kind {
        NotFound => "No such file or directory",
        PermissionDenied => "Permission denied",
        AlreadyExists => "File exists",
        NotADirectory => "Not a directory",
        IsADirectory => "Is a directory",
        StorageFull => "No space left on device",
        BrokenPipe => "Broken pipe",
        _ => return None,
    })
}

/// Returns the same message in lower case: "no such file or directory".
pub fn plain(e: &io::Error) -> String {
    let mut s = words(e);
    let mut chars = s.chars();
    match (chars.next(), chars.next()) {
        // An abbreviation stays as it is.
        (Some(a), Some(b)) if a.is_ascii_uppercase() && !b.is_ascii_uppercase() => {
            s[..1].make_ascii_lowercase();
            s
        }
        _ => s,
    }
}

/// A path and the error that occurred there.
#[derive(Debug, thiserror::Error)]
#[error("{}: {error}", .path.display())]
pub struct Problem {
    /// The file or directory.
    pub path: std::path::PathBuf,
    /// What went wrong.
    pub error: Error,
}
