//! Files under their temporary names, what they take over from their sources, and how they get their final names.

use crate::fs::beneath::{Folder, unlink};
use crate::fs::meta::{Identity, Meta, Moment};
use hashmill_files::plain;
use rustix::fd::AsFd;
use rustix::fs::{AtFlags, FallocateFlags, Mode, OFlags, RenameFlags, Timespec, Timestamps, XattrFlags};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::Path;

/// The attribute that marks a copy for a moment.
pub(crate) const MARK: &str = "user.hashmill.mark";

/// How often a temporary name is tried, if those of before were taken.
const TRIES: u32 = 16;

/// A file under a temporary name. As long as it is open it is locked, so that no other run takes it for one that a
/// killed run left behind; it is deleted when this is dropped, unless it was given its final name.
#[derive(Debug)]
pub(crate) struct Temporary {
    pub(crate) folder: Folder,
    pub(crate) name: OsString,
    pub(crate) file: File,
    pub(crate) identity: Identity,
    placed: bool,
}

impl Temporary {
    /// Makes a new file in `folder` that nobody else can read yet, under the first of `names` that is free.
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
            let mut new =
                Temporary { folder: folder.clone(), name, file: File::from(fd), identity: (0, 0), placed: false };
            // Where there are no locks, nobody clears away what may be another's.
            let locked = lock(&new.file);
            let meta = Meta::of(&new.file)?;
            // Another run may have taken it for a dead run's in the moment before it was locked: another one, then.
            if locked == Lock::Held || meta.links == 0 {
                continue;
            }
            new.identity = meta.identity();
            return Ok(new);
        }
        Err(io::Error::other("no temporary name is free"))
    }

    /// Gives it a final name in `folder`, which nothing may have.
    pub(crate) fn place(&mut self, folder: &Folder, name: &OsStr) -> io::Result<Placed> {
        let done = place(&self.folder, &self.name, folder, name)?;
        self.placed |= done == Placed::Done;
        Ok(done)
    }

    /// Gives it a final name in `folder`, in the place of whatever file has that name.
    pub(crate) fn replace(&mut self, folder: &Folder, name: &OsStr) -> io::Result<()> {
        rustix::fs::renameat(&self.folder, &self.name, folder, name)?;
        self.placed = true;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.placed {
            // If this fails the next run clears it away.
            let _ = unlink(&self.folder, &self.name);
        }
    }
}

/// What became of the wish to lock a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lock {
    Taken,
    /// Another process has it.
    Held,
    /// The file system has no locks.
    Unknown,
}

/// Locks a file, without waiting.
pub(crate) fn lock(file: impl AsFd) -> Lock {
    let operation = rustix::fs::FlockOperation::NonBlockingLockExclusive;
    match uninterrupted(|| Ok(rustix::fs::flock(file.as_fd(), operation)?)) {
        Ok(()) => Lock::Taken,
        Err(e) if e.kind() == io::ErrorKind::WouldBlock => Lock::Held,
        Err(_) => Lock::Unknown,
    }
}

/// Reserves room for a file, so that a full disk is known before it is written. Where the file system cannot, that
/// comes later.
pub(crate) fn reserve(file: &File, size: u64) -> io::Result<()> {
    if size == 0 {
        return Ok(());
    }
    match rustix::fs::fallocate(file, FallocateFlags::empty(), 0, size) {
        Err(e @ (Errno::NOSPC | Errno::DQUOT | Errno::FBIG)) => Err(e.into()),
        _ => Ok(()),
    }
}

/// Begins to write to the medium what has been written to the cache, without waiting for it.
pub(crate) fn begin_writing(file: &File) {
    let _ = rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed);
}

/// What a copy could not take over from its source, by kind: owners, and the names of attributes.
pub(crate) type Lost = BTreeSet<String>;

/// Gives a copy (a file or a folder) the extended attributes, the access control lists, the owner (if we may), the mode
/// and the times of its source, whose metadata are `meta`. Says what could not be kept.
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
    // Rights that come from the owner mean nothing with another one.
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
    set_times(copy, meta.accessed, meta.modified)?;
    Ok(lost)
}

pub(crate) fn set_times(file: impl AsFd, accessed: Moment, modified: Moment) -> io::Result<()> {
    let of = |m: Moment| Timespec { tv_sec: m.seconds, tv_nsec: m.nanoseconds.into() };
    let times = Timestamps { last_access: of(accessed), last_modification: of(modified) };
    Ok(rustix::fs::futimens(file, &times)?)
}

pub(crate) fn unsupported(e: Errno) -> bool {
    [Errno::PERM, Errno::OPNOTSUPP, Errno::NOSYS, Errno::INVAL].contains(&e)
}

/// The names of a file's extended attributes. None at all where the file system has no such thing.
fn attribute_names(file: impl AsFd) -> Result<Vec<Vec<u8>>, Errno> {
    // No more names than this are kept by any file system.
    let mut list = vec![0; 64 << 10];
    let n = match rustix::fs::flistxattr(file, &mut list[..]) {
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => 0,
        other => other?,
    };
    Ok(list[..n].split(|&b| b == 0).filter(|n| !n.is_empty()).map(<[u8]>::to_vec).collect())
}

/// Copies extended attributes, access control lists among them. Those that the destination does not take.
fn attributes(copy: impl AsFd, source: impl AsFd) -> Lost {
    const LISTS: [&[u8]; 2] = [b"system.posix_acl_access", b"system.posix_acl_default"];
    let (copy, source) = (copy.as_fd(), source.as_fd());
    let mut lost = Lost::new();
    let Ok(names) = attribute_names(source) else {
        lost.insert("extended attributes".into());
        return lost;
    };
    // What a new file inherits from its folder's default list is not its source's.
    for inherited in attribute_names(copy).unwrap_or_default() {
        if LISTS.contains(&&inherited[..]) && !names.contains(&inherited) {
            let _ = rustix::fs::fremovexattr(copy, &inherited[..]);
        }
    }
    let mut value = Vec::new();
    for name in names {
        // Labels are the system's own business, for a file in another place; and what marks a copy is no part of it.
        if name.starts_with(b"security.") || name == MARK.as_bytes() {
            continue;
        }
        value.resize(64 << 10, 0);
        let set = rustix::fs::fgetxattr(source, &name[..], &mut value[..])
            .and_then(|n| rustix::fs::fsetxattr(copy, &name[..], &value[..n], XattrFlags::empty()));
        // One that has gone meanwhile is not lost.
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

/// What became of a file that wanted a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Placed {
    Done,
    /// Something has the name already.
    Taken,
}

/// Renames a file to a name that nothing may have.
fn place(from: &Folder, temporary: &OsStr, to: &Folder, name: &OsStr) -> io::Result<Placed> {
    match rustix::fs::renameat_with(from, temporary, to, name, RenameFlags::NOREPLACE) {
        Ok(()) => return Ok(Placed::Done),
        Err(Errno::EXIST) => return Ok(Placed::Taken),
        // The file system does not know how (NFS, FUSE).
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

/// Makes what a folder lists durable.
pub(crate) fn sync_folder(folder: impl AsFd) -> io::Result<()> {
    match sync_file(folder) {
        // Some network file systems have no such call for folders; they do it at once.
        Err(e) if e.raw_os_error().is_some_and(|c| unsupported(Errno::from_raw_os_error(c))) => Ok(()),
        other => other,
    }
}

/// Makes a file durable.
pub(crate) fn sync_file(file: impl AsFd) -> io::Result<()> {
    uninterrupted(|| Ok(rustix::fs::fsync(file.as_fd())?))
}

/// Makes a call again as long as signals interrupt it, but not for ever.
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

/// Opens a file that was named by hand, following links, without waiting if it is a pipe.
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
        // A link that lies under the temporary name is not followed.
        std::os::unix::fs::symlink("b", dir.path().join("t")).expect("a link");
        assert!(Temporary::create(&here, || Ok("t".into())).is_err());
        assert_eq!(fs::read(dir.path().join("b")).expect("a file"), b"old");
    }
}
