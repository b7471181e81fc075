//! Panics that tests trigger by the names and the content of files.

use std::path::Path;

/// Panics if the file's name asks for it.
pub(crate) fn trip(path: &Path, at: &str) {
    assert_ne!(path.file_name(), Some(format!("panics in {at}").as_ref()), "on purpose");
}

/// What a chunk of a file begins with to make the thread that hashes it panic.
pub(crate) const TRAP: &[u8] = b"who hashes this panics";

/// Panics if a chunk of a long file asks for it.
pub(crate) fn trip_on(bytes: &[u8]) {
    assert!(!bytes.starts_with(TRAP), "on purpose");
}
