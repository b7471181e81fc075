//! Errors of the store.

use rusqlite::{Connection, ErrorCode};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A reason why the store cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no place for the store.
    #[error("neither HOME nor XDG_DATA_HOME is set, so there is no place for the store: name one with --db FILE")]
    NoHome,
    /// The store does not exist.
    #[error("{}: there is no store yet: keep a run with --save, or name another store with --db FILE", .0.display())]
    Missing(PathBuf),
    /// The store or its directory cannot be created or opened.
    #[error("{}: the store cannot be opened: {error}: name another with --db FILE", path.display())]
    Unreachable {
        /// The store.
        path: PathBuf,
        /// Reason.
        error: String,
    },
    /// The file is something else.
    #[error("{}: this is not a store of hashmill and was left as it is: name another with --db FILE", .0.display())]
    Foreign(PathBuf),
    /// The store was created by a newer program.
    #[error("{}: this store has version {version}, and this hashmill reads version {newest}: use a newer hashmill, or another store with --db FILE", path.display())]
    Newer {
        /// The store.
        path: PathBuf,
        /// Version of the store.
        version: i32,
        /// Newest version that this program reads.
        newest: i32,
    },
    /// The store is damaged.
    #[error("{}: the store is damaged ({what}) and was left as it is: restore a copy, or name another with --db FILE",
            path.display())]
    Damaged {
        /// The store.
        path: PathBuf,
        /// Description of the damage.
        what: String,
    },
    /// Another process is writing to the store.
    #[error("{}: another process has locked the store: try again when it is done", .0.display())]
    Locked(PathBuf),
    /// The store cannot be written to.
    #[error("{}: the store is read-only, and nothing was changed: make it writable, or name another with --db FILE",
            .0.display())]
    ReadOnly(PathBuf),
    /// The disk is full.
    #[error("{}: the disk is full, and nothing was changed: free some space, or name a store elsewhere with --db FILE",
            .0.display())]
    Full(PathBuf),
    /// There is no such run.
    #[error("{}: there is no run '{spec}': `hashmill results list` shows those there are", path.display())]
    NoRun {
        /// The store.
        path: PathBuf,
        /// Name that was looked up.
        spec: String,
    },
    /// The run cannot be kept.
    #[error("the run cannot be kept: {0}")]
    Refused(String),
    /// SQLite reported another error.
    #[error("{}: {error}", path.display())]
    Other {
        /// The store.
        path: PathBuf,
        /// SQLite's message.
        error: String,
    },
}

pub(super) fn unreachable(path: &Path, error: &io::Error) -> StoreError {
    StoreError::Unreachable { path: path.into(), error: error.to_string() }
}

/// Translates SQLite's error for the user. The connection, if given, can tell more about damage.
pub(super) fn said(path: &Path, conn: Option<&Connection>, error: rusqlite::Error) -> StoreError {
    let owned = path.to_path_buf();
    let line = error.to_string().replace('\n', "; ");
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => StoreError::Foreign(owned),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Locked(owned),
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => StoreError::ReadOnly(owned),
        Some(ErrorCode::DiskFull) => StoreError::Full(owned),
        Some(ErrorCode::CannotOpen) => {
            // SQLite does not say why, but the system does.
            let error = fs::File::open(path).err().map_or(line, |e| e.to_string());
            StoreError::Unreachable { path: owned, error }
        }
        Some(ErrorCode::DatabaseCorrupt) => {
            let first = |c: &Connection| c.query_row("PRAGMA quick_check(1)", [], |r| r.get::<_, String>(0));
            let found = conn.and_then(|c| first(c).ok()).filter(|l| l != "ok");
            StoreError::Damaged { path: owned, what: found.map_or(line, |l| l.replace('\n', "; ")) }
        }
        Some(_) => StoreError::Other { path: owned, error: line },
        // A value that does not have the expected type.
        None => StoreError::Damaged { path: owned, what: line },
    }
}
