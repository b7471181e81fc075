//! What can go wrong with one file. The rest of the work goes on.

use std::io;

/// Why there is no digest of a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused.
    #[error("{}", plain(.0))]
    Io(#[from] io::Error),
    /// A directory where a file was expected.
    #[error("is a directory")]
    IsDirectory,
    /// Recursion met something that has no content of its own: it is left out, and that is no failure.
    #[error("skipped ({0})")]
    Skipped(&'static str),
    /// It is the list that is being written, or something else that this program made for itself: it is left out.
    #[error("left out ({0})")]
    Own(&'static str),
    /// The work was told to stop ([`Progress::stop_flag`](crate::Progress::stop_flag)) before all of it had been read.
    #[error("stopped")]
    Stopped,
    /// The thread that was at it, or the last one that could have come to it, has panicked.
    #[error("a worker thread panicked")]
    Panicked,
}

impl Error {
    /// Whether the file does not exist.
    pub fn is_missing(&self) -> bool {
        matches!(self, Error::Io(e) if e.kind() == io::ErrorKind::NotFound)
    }

    /// The same again, for another line about the same file.
    pub(crate) fn again(&self) -> Self {
        match self {
            Error::Io(e) => Error::Io(match e.raw_os_error() {
                Some(code) => io::Error::from_raw_os_error(code),
                None => io::Error::new(e.kind(), e.to_string()),
            }),
            Error::IsDirectory => Error::IsDirectory,
            Error::Skipped(what) => Error::Skipped(what),
            Error::Own(what) => Error::Own(what),
            Error::Stopped => Error::Stopped,
            Error::Panicked => Error::Panicked,
        }
    }

    /// Whether it was left out on purpose.
    pub fn is_skipped(&self) -> bool {
        matches!(self, Error::Skipped(_) | Error::Own(_))
    }

    /// Whether it was left out because this program made it.
    pub fn is_own(&self) -> bool {
        matches!(self, Error::Own(_))
    }
}

/// The operating system's words without its number: "No such file or directory". For what often happens these words
/// also stand where the system has others.
pub fn words(e: &io::Error) -> String {
    #[cfg(not(unix))]
    if let Some(words) = usual(e.kind()) {
        return words.into();
    }
    let mut s = e.to_string();
    if let Some(i) = s.rfind(" (os error ") {
        s.truncate(i);
    }
    // Some systems speak in sentences, and in lines.
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

/// The same in lower case: "no such file or directory".
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

/// A path together with what went wrong there.
#[derive(Debug, thiserror::Error)]
#[error("{}: {error}", .path.display())]
pub struct Problem {
    /// The file or directory.
    pub path: std::path::PathBuf,
    /// What went wrong.
    pub error: Error,
}
