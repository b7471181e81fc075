//! Lists the files below a folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Returns the file, or all files below the folder sorted by path, except those below a folder `target`, where builds
/// go.
pub(crate) fn below(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?.path();
        if !entry.ends_with("target") {
            found.extend(below(&entry)?);
        }
    }
    found.sort();
    Ok(found)
}

/// Returns only the Rust files.
pub(crate) fn rust(path: &Path) -> io::Result<Vec<PathBuf>> {
    let is_rust = |file: &PathBuf| file.extension().is_some_and(|e| e == "rs");
    Ok(below(path)?.into_iter().filter(is_rust).collect())
}
