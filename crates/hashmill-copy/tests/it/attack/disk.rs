//! ext4 file systems to be attacked, in files in memory, so that syncing is fast however busy the machine is.

use super::trace::may_mount;
use hashmill_testing::{run, stdout};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Creates a temporary folder, in memory if possible.
pub(crate) fn memory() -> TempDir {
    let place = Path::new("/dev/shm");
    if place.is_dir() { tempfile::tempdir_in(place).unwrap() } else { tempfile::tempdir().unwrap() }
}

/// A file system that is mounted until this is dropped.
pub(crate) struct Mounted(pub(crate) PathBuf);

impl Drop for Mounted {
    fn drop(&mut self) {
        let done = Command::new("umount").arg(&self.0).output();
        if !done.is_ok_and(|o| o.status.success()) {
            let _ = Command::new("umount").arg("-l").arg(&self.0).output();
        }
    }
}

/// Runs `mount` with arguments, which must succeed.
pub(crate) fn mount(args: &[&str], at: &Path) -> Mounted {
    let mut all: Vec<&Path> = args.iter().map(Path::new).collect();
    all.push(at);
    stdout(&run(Path::new("/"), "mount", &all, b""));
    Mounted(at.into())
}

/// An ext4 file system.
pub(crate) struct Disk {
    image: PathBuf,
    mounted: Option<Mounted>,
    at: PathBuf,
}

impl Disk {
    /// Makes a file system of a given size in `image`, and mounts it at the folder `at`, which is created.
    pub(crate) fn new(image: &Path, mebibytes: u64, at: &Path) -> Disk {
        File::create(image).unwrap().set_len(mebibytes << 20).unwrap();
        let args = ["-q", "-m", "0", "-O", "^metadata_csum_seed", "-E", "lazy_itable_init=1,nodiscard"].map(Path::new);
        let args: Vec<&Path> = args.into_iter().chain([image]).collect();
        stdout(&run(Path::new("/"), "mkfs.ext4", &args, b""));
        fs::create_dir(at).unwrap();
        let mut disk = Disk { image: image.into(), mounted: None, at: at.into() };
        disk.mount();
        fs::remove_dir(at.join("lost+found")).unwrap();
        disk
    }

    fn mount(&mut self) {
        self.mounted = Some(mount(&["-o", "loop", self.image.to_str().unwrap()], &self.at));
    }

    /// Unmounts the file system and mounts it again, as after a power cut.
    pub(crate) fn remount(&mut self) {
        stdout(&run(Path::new("/"), "umount", &[&self.at], b""));
        if let Some(mounted) = self.mounted.take() {
            std::mem::forget(mounted);
        }
        self.mount();
    }
}

/// The place for tries: an ext4 file system in memory if it can be mounted, otherwise a folder.
pub(crate) struct Ground {
    at: PathBuf,
    _disk: Option<Disk>,
    _dir: TempDir,
}

impl Ground {
    pub(crate) fn new() -> Ground {
        if !may_mount() {
            let dir = tempfile::tempdir().unwrap();
            return Ground { at: dir.path().into(), _disk: None, _dir: dir };
        }
        let dir = memory();
        let at = dir.path().join("ground");
        let disk = Disk::new(&dir.path().join("image"), 512, &at);
        Ground { at, _disk: Some(disk), _dir: dir }
    }

    /// Creates an empty folder in this place.
    pub(crate) fn dir(&self) -> TempDir {
        tempfile::tempdir_in(&self.at).unwrap()
    }
}
