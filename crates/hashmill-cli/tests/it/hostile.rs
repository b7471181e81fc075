//! A folder of files with names that are hard to handle.

use hashmill_testing::noise;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::symlink;

/// Returns names that are hard to print.
pub(crate) fn names() -> Vec<Vec<u8>> {
    let mut names: Vec<Vec<u8>> = [
        "a", "with space", "new\nline", "car\rriage", "back\\slash", "*star", " lead", "trail ", "it's", "q\"uote",
        "par)en = x", "tab\tin", "~tilde", "#hash", "colon:in", "ünï", "$var", "-dash", "--tag", "a'b c$", "{", "b{c}",
        "=", "\u{1b}[31m", "%s",
    ]
    .iter()
    .map(|n| n.as_bytes().to_vec())
    .collect();
    names.push(b"not\xffutf8\xc3".to_vec());
    names.push(vec![b'x'; 255]);
    names
}

/// Creates a folder with files of these names, a subfolder, an empty and a long file, and symbolic links.
pub(crate) fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (i, name) in names().into_iter().enumerate() {
        fs::write(dir.path().join(OsString::from_vec(name)), noise(i * 97 % 1500, i as u64)).unwrap();
    }
    fs::create_dir(dir.path().join("folder")).unwrap();
    fs::write(dir.path().join("empty"), "").unwrap();
    fs::write(dir.path().join("big"), noise(3_000_001, 5)).unwrap();
    symlink("a", dir.path().join("link")).unwrap();
    symlink("nowhere", dir.path().join("dangling")).unwrap();
    dir
}
