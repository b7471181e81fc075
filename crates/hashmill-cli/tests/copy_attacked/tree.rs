//! The files that a test starts from, and what is left of them.

use crate::common::copying::files;
use crate::common::{CAP_SYS_ADMIN, is_capable, noise, run, stdout};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Creates a folder with files, each given as its path and content.
pub(super) fn folder(what: &[(&str, &str)]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, content) in what {
        write(dir.path(), name, content);
    }
    dir
}

/// Writes a file, and creates the folders above it.
pub(super) fn write(dir: &Path, name: &str, content: impl AsRef<[u8]>) {
    let path = dir.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// Returns the distinct contents of all files below a folder, without following links.
pub(super) fn contents(at: &Path) -> BTreeSet<Vec<u8>> {
    files(at).into_iter().filter(|(name, _)| at.join(name).symlink_metadata().unwrap().is_file()).map(|f| f.1).collect()
}

pub(super) fn has(at: &Path, content: &str) -> bool {
    at.exists() && contents(at).contains(content.as_bytes())
}

pub(super) fn mode(path: &Path) -> u32 {
    path.symlink_metadata().unwrap().mode() & 0o7777
}

pub(super) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A mount that is removed when this is dropped.
pub(super) struct Mount(PathBuf);

impl Mount {
    /// Mounts at `at`. Without the privilege to mount, prints a line and returns `None`; with it, failing is an error.
    pub(super) fn new(dir: &Path, options: &[&str], at: &str) -> Option<Mount> {
        if !is_capable(CAP_SYS_ADMIN) {
            crate::common::skip("nothing can be mounted here");
            return None;
        }
        fs::create_dir_all(dir.join(at)).unwrap();
        stdout(&run(dir, "mount", &[options, &[at]].concat(), b""));
        Some(Mount(dir.join(at)))
    }

    /// Mounts a new ext4 file system of 32 MiB.
    pub(super) fn ext4(dir: &Path, options: &str, at: &str) -> Option<Mount> {
        let image = format!("{at}.image");
        File::create(dir.join(&image)).unwrap().set_len(32 << 20).unwrap();
        if is_capable(CAP_SYS_ADMIN) {
            stdout(&run(dir, "mkfs.ext4", &["-q", "-m", "0", &image], b""));
        }
        Mount::new(dir, &["-o", options, &image], at)
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

/// Creates files in two folders.
pub(super) fn some_files(dir: &Path, n: u64) -> BTreeMap<PathBuf, Vec<u8>> {
    for i in 0..n {
        let sub = if i % 3 == 0 { "sub/" } else { "" };
        write(dir, &format!("s/{sub}f{i}"), noise(1000 + 37 * i as usize, i));
    }
    files(&dir.join("s"))
}

/// Asserts that every file with a final name is right, and that nothing is lost.
pub(super) fn assert_sound(dir: &Path, before: &BTreeMap<PathBuf, Vec<u8>>, what: &str) {
    let read = |at: &str| if dir.join(at).exists() { files(&dir.join(at)) } else { BTreeMap::new() };
    let (from, to) = (read("s"), read("d"));
    for (name, content) in &to {
        let temporary = name.file_name().unwrap().to_string_lossy().starts_with(".hashmill");
        assert!(temporary || before.get(name) == Some(content), "{what}: {} is wrong", name.display());
    }
    for (name, content) in before {
        assert!(from.get(name).or(to.get(name)) == Some(content), "{what}: {} is lost", name.display());
    }
}
