//! Files under their temporary names, and how they get their final ones.

use hashmill_files::plain;
use rustix::fs::{AtFlags, CWD, FallocateFlags, Mode, OFlags, RenameFlags, XattrFlags};
use rustix::io::Errno;
use std::fs::{self, File, FileTimes, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Makes a new file that nobody else can read yet.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path)
}

/// Reserves room for a file, so that a full disk is known before it is written. Where the file system cannot, that comes later.
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

/// Gives a copy the extended attributes, the owner (if we may), the mode and the times of its source. Says what could not be kept.
pub(crate) fn dress(copy: &File, source: &File, meta: &Metadata) -> Result<Option<String>, io::Error> {
    let lost = attributes(copy, source);
    let kept = if rustix::process::geteuid().is_root() {
        std::os::unix::fs::fchown(copy, Some(meta.uid()), Some(meta.gid())).is_ok()
    } else {
        copy.metadata().is_ok_and(|m| m.uid() == meta.uid() && m.gid() == meta.gid())
    };
    // Rights that come from the owner mean nothing with another one.
    let mode = meta.mode() & if kept { 0o7777 } else { 0o777 };
    match copy.set_permissions(Permissions::from_mode(mode)) {
        // FAT has no modes.
        Err(e) if !matches!(e.raw_os_error(), Some(c) if unsupported(c)) => return Err(e),
        _ => {}
    }
    set_times(copy, meta)?;
    Ok(lost)
}

pub(crate) fn set_times(file: &File, meta: &Metadata) -> io::Result<()> {
    let mut times = FileTimes::new();
    if let Ok(t) = meta.accessed() {
        times = times.set_accessed(t);
    }
    if let Ok(t) = meta.modified() {
        times = times.set_modified(t);
    }
    file.set_times(times)
}

fn unsupported(code: i32) -> bool {
    [Errno::PERM, Errno::OPNOTSUPP, Errno::NOSYS, Errno::INVAL].iter().any(|e| e.raw_os_error() == code)
}

/// Copies extended attributes. The names of those that the destination does not take.
fn attributes(copy: &File, source: &File) -> Option<String> {
    let mut list = vec![0; 64 << 10];
    let n = rustix::fs::flistxattr(source, &mut list).unwrap_or(0);
    let mut lost = Vec::new();
    let mut value = Vec::new();
    for name in list[..n].split(|&b| b == 0).filter(|n| !n.is_empty()) {
        // Labels are the system's own business, for a file in another place.
        if name.starts_with(b"security.") {
            continue;
        }
        value.resize(64 << 10, 0);
        let set = rustix::fs::fgetxattr(source, name, &mut value)
            .and_then(|n| rustix::fs::fsetxattr(copy, name, &value[..n], XattrFlags::empty()));
        if set.is_err() {
            lost.push(String::from_utf8_lossy(name).into_owned());
        }
    }
    (!lost.is_empty()).then(|| lost.join(", "))
}

/// What became of a file that wanted a name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Placed {
    Done,
    /// Something has the name already.
    Taken,
}

/// Gives a file its final name, which nothing may have.
pub(crate) fn place(temporary: &Path, name: &Path) -> io::Result<Placed> {
    match rustix::fs::renameat_with(CWD, temporary, CWD, name, RenameFlags::NOREPLACE) {
        Ok(()) => return Ok(Placed::Done),
        Err(Errno::EXIST) => return Ok(Placed::Taken),
        // The file system does not know how (NFS, FUSE).
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {}
        Err(e) => return Err(e.into()),
    }
    match rustix::fs::linkat(CWD, temporary, CWD, name, AtFlags::empty()) {
        Ok(()) => {
            fs::remove_file(temporary)?;
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
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    match File::open(path).and_then(|f| f.sync_all()) {
        // Some network file systems have no such call for folders; they do it at once.
        Err(e) if matches!(e.raw_os_error(), Some(c) if unsupported(c)) => Ok(()),
        other => other,
    }
}

/// Opens a file past the page cache.
pub(crate) fn open_direct(path: &Path) -> io::Result<File> {
    let file =
        rustix::fs::open(path, OFlags::RDONLY | OFlags::DIRECT | OFlags::CLOEXEC | OFlags::NOATIME, Mode::empty());
    let file = match file {
        // Only the owner may read without leaving a trace.
        Err(Errno::PERM) => rustix::fs::open(path, OFlags::RDONLY | OFlags::DIRECT | OFlags::CLOEXEC, Mode::empty()),
        other => other,
    };
    Ok(File::from(file?))
}

/// Opens a source without following a link at its end that has come since it was found, and without waiting for a pipe.
pub(crate) fn open_source(path: &Path, follow: bool) -> io::Result<File> {
    let flags =
        OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | if follow { OFlags::empty() } else { OFlags::NOFOLLOW };
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_replaced() {
        let dir = tempfile::tempdir().expect("a folder");
        let (a, b) = (dir.path().join("a"), dir.path().join("b"));
        fs::write(&a, "a").expect("a file");
        assert_eq!(place(&a, &b).expect("a name"), Placed::Done);
        fs::write(&a, "new").expect("a file");
        assert_eq!(place(&a, &b).expect("an answer"), Placed::Taken);
        assert_eq!(fs::read(&b).expect("a file"), b"a");
        assert!(a.exists());
    }
}
