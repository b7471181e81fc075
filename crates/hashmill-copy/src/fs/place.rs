//! Files under temporary names, what they take over from their sources, and how they get their final names.
//!
//! The order is: temporary name, metadata, `fsync`, reading back, `renameat2(NOREPLACE)` (or `link`), `fsync` of the
//! folder, and after that the catalogue, the list's lines, the deletion of the source.

use crate::fs::beneath::{Folder, unlink};
use crate::fs::meta::{Identity, Meta, Moment};
use crate::fs::room::Claim;
use hashmill_files::plain;
use rustix::fd::AsFd;
use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags, Timespec, Timestamps, XattrFlags};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::Path;

/// The extended attribute that briefly marks a copy, to find out whether it is the same file as its source.
pub(crate) const MARK: &str = "user.hashmill.mark";

/// Maximum number of temporary names tried, if earlier ones are taken.
const TRIES: u32 = 16;

/// A file under a temporary name. It is locked while it is open, so that no other run mistakes it for one that a killed
/// run left behind, and it is deleted on drop unless it was given its final name.
#[derive(Debug)]
pub(crate) struct Temporary {
    pub(crate) folder: Folder,
    pub(crate) name: OsString,
    pub(crate) file: File,
    pub(crate) identity: Identity,
    /// Its claim to space, until it has its final name.
    pub(crate) claim: Option<Claim>,
    placed: bool,
}

impl Temporary {
    /// Creates a file in `folder` that only its owner can read, under the first of `names` that is free.
    pub(crate) fn create(folder: &Folder, mut names: impl FnMut() -> io::Result<OsString>) -> io::Result<Temporary> {
        for _ in 0..TRIES {
            let name = names()?;
            let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let made = uninterrupted(|| Ok(rustix::fs::openat(folder, &name, flags, Mode::from_raw_mode(0o600))?));
            let fd = match made {
                Ok(fd) => fd,
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(e) => return Err(e),
            };
            let (folder, file, identity) = (folder.clone(), File::from(fd), (0, 0));
            let mut new = Temporary { folder, name, file, identity, claim: None, placed: false };
            // A file system without locks is fine: no run clears away a file that it cannot lock.
            let locked = lock(&new.file);
            let meta = Meta::of(&new.file)?;
            // Before it was locked, another run may have mistaken it for a dead run's. Then try another name.
            if locked == Lock::Held || meta.links == 0 {
                continue;
            }
            new.identity = meta.identity();
            return Ok(new);
        }
        Err(io::Error::other("no temporary name is free"))
    }

    /// Gives the file its final name in `folder`, unless something already has that name.
    pub(crate) fn place(&mut self, folder: &Folder, name: &OsStr) -> io::Result<Placed> {
        let done = place(&self.folder, &self.name, folder, name)?;
        self.placed |= done == Placed::Done;
        Ok(done)
    }

    /// Gives the file its final name in `folder`, replacing any file of that name.
    pub(crate) fn replace(&mut self, folder: &Folder, name: &OsStr) -> io::Result<()> {
        rustix::fs::renameat(&self.folder, &self.name, folder, name)?;
        self.placed = true;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.placed {
            // If this fails, the next run clears it away.
            let _ = unlink(&self.folder, &self.name);
        }
    }
}

/// The outcome of trying to lock a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lock {
    Taken,
    /// Another process holds the lock.
    Held,
    /// Locking failed, as on a file system without locks.
    Unknown,
}

/// Tries to lock a file, without waiting.
pub(crate) fn lock(file: impl AsFd) -> Lock {
    let operation = rustix::fs::FlockOperation::NonBlockingLockExclusive;
    match uninterrupted(|| Ok(rustix::fs::flock(file.as_fd(), operation)?)) {
        Ok(()) => Lock::Taken,
        Err(e) if e.kind() == io::ErrorKind::WouldBlock => Lock::Held,
        Err(_) => Lock::Unknown,
    }
}

/// Starts writing cached data to the medium, without waiting for it.
pub(crate) fn begin_writing(file: &File) {
    let _ = rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed);
}

/// What a copy could not take over from its source, in words: owners, modes, access control lists, times, and extended
/// attributes by name.
pub(crate) type Lost = BTreeSet<String>;

/// Gives a copy (a file or a folder) the extended attributes, the access control lists, the owner (if run as root), the
/// mode and the times of its source, whose metadata are `meta`. Returns what could not be kept.
pub(crate) fn dress(copy: impl AsFd, source: impl AsFd, meta: &Meta) -> io::Result<Lost> {
    let copy = copy.as_fd();
    let mut lost = attributes(copy, source);
    let root = rustix::process::geteuid().is_root();
    let now = Meta::of(copy)?;
    let mut kept = (now.uid, now.gid) == (meta.uid, meta.gid);
    if !kept && root {
        let (uid, gid) = (rustix::fs::Uid::from_raw(meta.uid), rustix::fs::Gid::from_raw(meta.gid));
        kept = rustix::fs::fchown(copy, Some(uid), Some(gid)).is_ok();
        if !kept {
            lost.insert("owners".into());
        }
    }
    // The bits above the permissions depend on the owner, and are dropped if it could not be kept.
    let mode = meta.mode & if kept { 0o7777 } else { 0o777 };
    if now.mode & 0o7777 != mode || kept && mode & 0o6000 != 0 {
        match rustix::fs::fchmod(copy, Mode::from_raw_mode(mode)) {
            // FAT has no modes.
            Err(e) if !unsupported(e) => return Err(e.into()),
            Err(_) => {
                lost.insert("modes".into());
            }
            Ok(()) => {}
        }
    }
    let set = set_times(copy, meta.accessed, meta.modified);
    // Some file systems refuse times that they cannot hold; others keep the nearest time that they can.
    if set.as_ref().is_err_and(|e| e.raw_os_error().is_none_or(|c| !refuses_time(Errno::from_raw_os_error(c)))) {
        set?;
    }
    let kept = Meta::of(copy)?.modified;
    if kept != meta.modified {
        let near = kept.seconds.abs_diff(meta.modified.seconds) <= ROUNDING;
        lost.insert(if near { "exact modification times" } else { "modification times" }.into());
    }
    Ok(lost)
}

/// File systems keep times at least to this number of seconds: FAT to two.
const ROUNDING: u64 = 2;

fn refuses_time(e: Errno) -> bool {
    unsupported(e) || [Errno::OVERFLOW, Errno::RANGE].contains(&e)
}

pub(crate) fn set_times(file: impl AsFd, accessed: Moment, modified: Moment) -> io::Result<()> {
    let of = |m: Moment| Timespec { tv_sec: m.seconds, tv_nsec: m.nanoseconds.into() };
    let times = Timestamps { last_access: of(accessed), last_modification: of(modified) };
    Ok(rustix::fs::futimens(file, &times)?)
}

pub(crate) fn unsupported(e: Errno) -> bool {
    [Errno::PERM, Errno::OPNOTSUPP, Errno::NOSYS, Errno::INVAL].contains(&e)
}

/// Returns the names of a file's extended attributes, or none if the file system does not support them.
fn attribute_names(file: impl AsFd) -> Result<Vec<Vec<u8>>, Errno> {
    // No file system has a longer list.
    let mut list = vec![0; 64 << 10];
    let n = match rustix::fs::flistxattr(file, &mut list[..]) {
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => 0,
        other => other?,
    };
    Ok(list[..n].split(|&b| b == 0).filter(|n| !n.is_empty()).map(<[u8]>::to_vec).collect())
}

/// Copies extended attributes, including access control lists. Returns those that could not be copied.
fn attributes(copy: impl AsFd, source: impl AsFd) -> Lost {
    const LISTS: [&[u8]; 2] = [b"system.posix_acl_access", b"system.posix_acl_default"];
    let (copy, source) = (copy.as_fd(), source.as_fd());
    let mut lost = Lost::new();
    let Ok(names) = attribute_names(source) else {
        lost.insert("extended attributes".into());
        return lost;
    };
    // A new file may have inherited access control lists from its folder that its source does not have.
    for inherited in attribute_names(copy).unwrap_or_default() {
        if LISTS.contains(&&inherited[..]) && !names.contains(&inherited) {
            let _ = rustix::fs::fremovexattr(copy, &inherited[..]);
        }
    }
    let mut value = Vec::new();
    for name in names {
        // Security labels depend on where a file is, so they are left to the system. The mark is no part of the copy.
        if name.starts_with(b"security.") || name == MARK.as_bytes() {
            continue;
        }
        value.resize(64 << 10, 0);
        let set = rustix::fs::fgetxattr(source, &name[..], &mut value[..])
            .and_then(|n| rustix::fs::fsetxattr(copy, &name[..], &value[..n], XattrFlags::empty()));
        // An attribute that was removed meanwhile is not lost.
        if set.is_err_and(|e| e != Errno::NODATA) {
            lost.insert(if LISTS.contains(&&name[..]) {
                "access control lists".into()
            } else {
                format!("extended attributes {}", String::from_utf8_lossy(&name))
            });
        }
    }
    lost
}

/// The outcome of giving a file its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Placed {
    Done,
    /// Something already has the name.
    Taken,
}

/// Renames a file without replacing anything.
pub(crate) fn place(from: &Folder, temporary: &OsStr, to: &Folder, name: &OsStr) -> io::Result<Placed> {
    match rustix::fs::renameat_with(from, temporary, to, name, RenameFlags::NOREPLACE) {
        Ok(()) => return Ok(Placed::Done),
        Err(Errno::EXIST) => return Ok(Placed::Taken),
        // The file system does not support this flag (NFS, FUSE).
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {}
        Err(e) => return Err(e.into()),
    }
    match rustix::fs::linkat(from, temporary, to, name, AtFlags::empty()) {
        Ok(()) => {
            unlink(from, temporary)?;
            Ok(Placed::Done)
        }
        Err(Errno::EXIST) => Ok(Placed::Taken),
        Err(e) => Err(io::Error::other(format!(
            "the file system can neither rename without replacing nor link ({})",
            plain(&e.into())
        ))),
    }
}

/// Makes the entries of a folder durable.
pub(crate) fn sync_folder(folder: impl AsFd) -> io::Result<()> {
    match sync_file(folder) {
        // Some network file systems cannot sync folders; their changes are durable at once.
        Err(e) if e.raw_os_error().is_some_and(|c| unsupported(Errno::from_raw_os_error(c))) => Ok(()),
        other => other,
    }
}

/// Makes a file durable.
pub(crate) fn sync_file(file: impl AsFd) -> io::Result<()> {
    uninterrupted(|| Ok(rustix::fs::fsync(file.as_fd())?))
}

/// Makes everything durable on the file system of a file. See [`syncs_groups`](crate::fs::relation::syncs_groups).
pub(crate) fn sync_all(file: impl AsFd) -> io::Result<()> {
    uninterrupted(|| Ok(rustix::fs::syncfs(file.as_fd())?))
}

/// Repeats a call while signals interrupt it, but not forever.
pub(crate) fn uninterrupted<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    const INTERRUPTIONS: u32 = 1000;
    for _ in 0..INTERRUPTIONS {
        match call() {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
    Err(Errno::INTR.into())
}

/// Opens a file that the user named, following links, without blocking if it is a pipe.
pub(crate) fn open_named(path: &Path, more: OFlags) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY | more;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Write;
    use std::sync::Arc;

    fn folder(path: &Path) -> Folder {
        Arc::new(File::open(path).expect("a folder").into())
    }

    #[test]
    fn nothing_is_replaced_and_nothing_is_left() {
        let dir = tempfile::tempdir().expect("a folder");
        let here = folder(dir.path());
        fs::write(dir.path().join("b"), "old").expect("a file");
        let mut t = Temporary::create(&here, || Ok("t".into())).expect("a file");
        t.file.write_all(b"new").expect("bytes");
        assert_eq!(t.place(&here, OsStr::new("b")).expect("an answer"), Placed::Taken);
        assert_eq!(fs::read(dir.path().join("b")).expect("a file"), b"old");
        assert_eq!(t.place(&here, OsStr::new("c")).expect("an answer"), Placed::Done);
        drop(t);
        drop(Temporary::create(&here, || Ok("t".into())).expect("a file"));
        assert_eq!(fs::read(dir.path().join("c")).expect("a file"), b"new");
        assert_eq!(fs::read_dir(dir.path()).expect("a folder").count(), 2);
        // A link under the temporary name is not followed.
        std::os::unix::fs::symlink("b", dir.path().join("t")).expect("a link");
        assert!(Temporary::create(&here, || Ok("t".into())).is_err());
        assert_eq!(fs::read(dir.path().join("b")).expect("a file"), b"old");
    }
}
