//! A small file system of its own, in a file in memory.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A file system at `disk` in a folder, mounted until it is dropped: ext4 in a file (`new`) or tmpfs (`memory`). Both
/// return `None` if it cannot be mounted.
pub(crate) struct Disk {
    dir: PathBuf,
}

impl Disk {
    pub(crate) fn new(dir: &Path, mebibytes: u64) -> Option<Disk> {
        let image = dir.join("image");
        fs::File::create(&image).unwrap().set_len(mebibytes << 20).unwrap();
        let done = |program: &str, args: &[&str]| {
            Command::new(program).args(args).current_dir(dir).output().is_ok_and(|o| o.status.success())
        };
        fs::create_dir(dir.join("disk")).unwrap();
        if !done("mkfs.ext4", &["-q", "-m", "0", "image"]) || !done("mount", &["-o", "loop", "image", "disk"]) {
            hashmill_testing::skip("no file system can be mounted here");
            return None;
        }
        Some(Disk { dir: dir.into() })
    }

    pub(crate) fn memory(dir: &Path, mebibytes: u64) -> Option<Disk> {
        fs::create_dir_all(dir.join("disk")).unwrap();
        let size = format!("size={mebibytes}m");
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", &size, "none", "disk"]).current_dir(dir).status();
        if !mounted.is_ok_and(|s| s.success()) {
            hashmill_testing::skip("no file system can be mounted here");
            return None;
        }
        Some(Disk { dir: dir.into() })
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("disk").current_dir(&self.dir).status();
    }
}
