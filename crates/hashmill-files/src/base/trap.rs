//! Panics that tests ask for by the names and the content of files.

use std::path::Path;

/// Panics if the file's name says so.
pub(crate) fn trip(path: &Path, at: &str) {
    assert_ne!(path.file_name(), Some(format!("panics in {at}").as_ref()), "on purpose");
}

/// What a file begins with that breaks whoever hashes it.
pub(crate) const TRAP: &[u8] = b"who hashes this panics";

/// Panics if a part of a long file says so.
pub(crate) fn trip_on(bytes: &[u8]) {
    assert!(!bytes.starts_with(TRAP), "on purpose");
}
