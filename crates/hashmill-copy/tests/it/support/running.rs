//! Helpers that run `hashmill copy` and examine the folders it leaves.

use hashmill_testing::{hashmill, text};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

/// Runs `hashmill copy` with arguments in `dir`.
pub(crate) fn copy(dir: &Path, args: &[&str]) -> Output {
    hashmill(dir, &[&["copy"], args].concat())
}

/// Runs a copy that must succeed, and returns its standard output.
pub(crate) fn copy_ok(dir: &Path, args: &[&str]) -> String {
    let o = copy(dir, args);
    assert!(o.status.success(), "{args:?}: {:?}: {}", o.status, text(&o.stderr));
    text(&o.stdout)
}

/// Returns the events that a run with `--json` printed.
pub(crate) fn json(o: &Output) -> Vec<serde_json::Value> {
    assert!(o.status.code().is_some(), "{}", text(&o.stderr));
    text(&o.stdout).lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

/// Returns everything below a folder except `.hashmill`: the contents of files and the targets of links.
pub(crate) fn files(at: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    fn walk(at: &Path, below: &Path, into: &mut BTreeMap<PathBuf, Vec<u8>>) {
        for entry in fs::read_dir(at).unwrap() {
            let entry = entry.unwrap();
            let below = below.join(entry.file_name());
            let kind = entry.file_type().unwrap();
            if entry.file_name() == ".hashmill" {
            } else if kind.is_dir() {
                into.insert(below.clone(), b"folder".to_vec());
                walk(&entry.path(), &below, into);
            } else if kind.is_symlink() {
                into.insert(below, fs::read_link(entry.path()).unwrap().into_os_string().into_encoded_bytes());
            } else {
                into.insert(below, fs::read(entry.path()).unwrap());
            }
        }
    }
    let mut all = BTreeMap::new();
    walk(at, Path::new(""), &mut all);
    all
}

/// Returns the names in a folder, sorted, without `.hashmill`.
pub(crate) fn names(at: &Path) -> Vec<String> {
    let name = |e: std::io::Result<fs::DirEntry>| e.unwrap().file_name().to_string_lossy().into_owned();
    let mut names: Vec<String> = fs::read_dir(at).unwrap().map(name).filter(|n| n != ".hashmill").collect();
    names.sort();
    names
}

/// Returns the number of temporary files and journals below a folder.
pub(crate) fn temporaries(at: &Path) -> usize {
    let temporary = |name: &str| name.starts_with(".hashmill-") || name.starts_with("journal-");
    let mut count = 0;
    for entry in walkdir(at) {
        count += usize::from(temporary(&entry.file_name().unwrap().to_string_lossy()));
    }
    count
}

fn walkdir(at: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(at).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            all.extend(walkdir(&entry.path()));
        }
        all.push(entry.path());
    }
    all
}

/// Returns the totals that a run with `--json` printed.
pub(crate) fn summary(o: &Output) -> serde_json::Value {
    assert!(o.status.success(), "{}", text(&o.stderr));
    serde_json::from_str::<serde_json::Value>(text(&o.stdout).lines().last().unwrap()).unwrap()["totals"].clone()
}
