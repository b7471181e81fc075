//! The files that a test starts from, and what is left of them.

use crate::support::photo;
use crate::support::running::files;
use hashmill_testing::{CAP_SYS_ADMIN, is_capable, noise, run, stdout};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, File, FileTimes, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

/// Creates a folder with files, each given as its path and content.
pub(crate) fn folder(what: &[(&str, &str)]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, content) in what {
        write(dir.path(), name, content);
    }
    dir
}

/// Writes a file, and creates the folders above it.
pub(crate) fn write(dir: &Path, name: &str, content: impl AsRef<[u8]>) {
    let path = dir.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// Returns the distinct contents of all files below a folder, without following links.
pub(crate) fn contents(at: &Path) -> BTreeSet<Vec<u8>> {
    files(at).into_iter().filter(|(name, _)| at.join(name).symlink_metadata().unwrap().is_file()).map(|f| f.1).collect()
}

pub(crate) fn has(at: &Path, content: &str) -> bool {
    at.exists() && contents(at).contains(content.as_bytes())
}

pub(crate) fn mode(path: &Path) -> u32 {
    path.symlink_metadata().unwrap().mode() & 0o7777
}

pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A mount that is removed when this is dropped.
pub(crate) struct Mount(PathBuf);

impl Mount {
    /// Mounts at `at`. Without the privilege to mount, prints a line and returns `None`; with it, failing is an error.
    pub(crate) fn new(dir: &Path, options: &[&str], at: &str) -> Option<Mount> {
        if !is_capable(CAP_SYS_ADMIN) {
            hashmill_testing::skip("nothing can be mounted here");
            return None;
        }
        fs::create_dir_all(dir.join(at)).unwrap();
        stdout(&run(dir, "mount", &[options, &[at]].concat(), b""));
        Some(Mount(dir.join(at)))
    }

    /// Mounts a new ext4 file system of 32 MiB.
    pub(crate) fn ext4(dir: &Path, options: &str, at: &str) -> Option<Mount> {
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
pub(crate) fn some_files(dir: &Path, n: u64) -> BTreeMap<PathBuf, Vec<u8>> {
    for i in 0..n {
        let sub = if i % 3 == 0 { "sub/" } else { "" };
        write(dir, &format!("s/{sub}f{i}"), noise(1000 + 37 * i as usize, i));
    }
    files(&dir.join("s"))
}

/// Asserts that every file with a final name is right, and that nothing is lost.
pub(crate) fn assert_sound(dir: &Path, before: &BTreeMap<PathBuf, Vec<u8>>, what: &str) {
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

/// Creates a tree with everything that a copy must preserve.
pub(crate) fn tree(at: &Path) {
    fs::create_dir_all(at.join("a/b/empty")).unwrap();
    fs::write(at.join("zero"), "").unwrap();
    for (i, n) in [1usize, 511, 4095, 4096, 4097, 65_536, 65_537, 1_048_576, 3_000_001].into_iter().enumerate() {
        fs::write(at.join(format!("a/f{i}")), noise(n, i as u64)).unwrap();
    }
    fs::write(at.join(OsStr::from_bytes(b"a/b/\xff\xfe not text")), "x").unwrap();
    fs::write(at.join("a/b/two\nlines \\ "), "y").unwrap();
    fs::write(at.join("a/b/.hidden"), "z").unwrap();
    symlink("f1", at.join("a/link")).unwrap();
    symlink("/nowhere", at.join("a/dangling")).unwrap();
    let long_ago = SystemTime::UNIX_EPOCH + Duration::new(1_234_567_890, 123_456_789);
    for (name, mode) in [("a/f0", 0o600), ("a/f1", 0o444), ("a/f2", 0o755)] {
        let f = File::open(at.join(name)).unwrap();
        f.set_times(FileTimes::new().set_modified(long_ago)).unwrap();
        f.set_permissions(Permissions::from_mode(mode)).unwrap();
    }
    let dir = File::open(at.join("a/b")).unwrap();
    dir.set_permissions(Permissions::from_mode(0o750)).unwrap();
    dir.set_times(FileTimes::new().set_modified(long_ago)).unwrap();
}

pub(crate) fn sources() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("s/sub")).unwrap();
    for (i, f) in ["s/a", "s/b.jpg", "s/sub/c"].into_iter().enumerate() {
        fs::write(dir.path().join(f), noise(3000 * i + 10, i as u64)).unwrap();
    }
    dir
}

/// Returns a picture with the date on which it was taken.
pub(crate) fn dated(date: &str) -> Vec<u8> {
    let exif = [b"Exif\0\0", &photo::tiff(date)[..]].concat();
    let plain = photo::jpeg();
    [&plain[..2], &[0xff, 0xe1], &(exif.len() as u16 + 2).to_be_bytes(), &exif, &plain[2..]].concat()
}

/// Compiles a file of this folder to a library that can be loaded before all others.
pub(crate) fn preloaded(d: &Path, name: &str) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/support").join(name);
    let library = d.join(name).with_extension("so");
    let args = ["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o"].map(Path::new);
    let args: Vec<&Path> = args.into_iter().chain([&*library, &source, Path::new("-ldl")]).collect();
    stdout(&run(d, "cc", &args, b""));
    library
}
