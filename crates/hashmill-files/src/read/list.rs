//! What is in a directory.

use crate::read::input::Facts;
use std::ffi::OsString;
#[cfg(not(unix))]
use std::fs;
use std::io;
use std::path::Path;

/// An entry of a directory listing.
pub(crate) struct Entry {
    pub(crate) name: OsString,
    pub(crate) what: What,
    /// The inode number, if listings give it.
    pub(crate) inode: Option<u64>,
    pub(crate) facts: Option<Facts>,
}

#[derive(PartialEq, Eq)]
pub(crate) enum What {
    File,
    Folder,
    /// Something else, or a file system that does not tell.
    Unknown,
}

/// The entries of a directory, sorted by name, and the error if there may be more.
pub(crate) type Listing = (Vec<Entry>, Option<io::Error>);

/// Lists a directory; if `follow` is not set, one that a symbolic link leads to is an error. If `examine` is set, files
/// are examined as well.
pub(crate) fn list(path: &Path, follow: bool, examine: bool) -> Listing {
    let mut entries = Vec::new();
    let failed = fill(path, follow, examine, &mut entries);
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    (entries, failed.err())
}

/// Reads a directory without the standard library, whose iterator panics if the directory cannot be closed.
#[cfg(unix)]
fn fill(path: &Path, follow: bool, examine: bool, entries: &mut Vec<Entry>) -> io::Result<()> {
    use rustix::fs::{Dir, FileType, Mode, OFlags, open};
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let flags = if follow { flags } else { flags | OFlags::NOFOLLOW };
    let mut dir = Dir::new(open(path, flags, Mode::empty())?)?;
    while let Some(entry) = dir.read() {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name != b"." && name != b".." {
            let mut kind = entry.file_type();
            let mut facts = None;
            if examine && matches!(kind, FileType::RegularFile | FileType::Unknown) {
                (kind, facts) = facts_at(&dir, entry.file_name()).unwrap_or((kind, None));
            }
            let what = match kind {
                FileType::RegularFile => What::File,
                FileType::Directory => What::Folder,
                _ => What::Unknown,
            };
            entries.push(Entry { name: OsStr::from_bytes(name).to_owned(), what, inode: Some(entry.ino()), facts });
        }
    }
    Ok(())
}

/// Examines an entry of an open directory, without following links.
#[cfg(unix)]
#[allow(clippy::unnecessary_cast, clippy::useless_conversion, reason = "the types differ between systems")]
fn facts_at(dir: &rustix::fs::Dir, name: &std::ffi::CStr) -> Option<(rustix::fs::FileType, Option<Facts>)> {
    use rustix::fs::{AtFlags, FileType, statat};
    let stat = statat(dir.fd().ok()?, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    let kind = FileType::from_raw_mode(stat.st_mode);
    let time = |seconds, nanoseconds: u64| (seconds, u32::try_from(nanoseconds).unwrap_or_default());
    let facts = Facts {
        size: stat.st_size as u64,
        modified: time(stat.st_mtime as i64, stat.st_mtime_nsec as u64),
        changed: time(stat.st_ctime as i64, stat.st_ctime_nsec as u64),
        id: (stat.st_dev as u64, stat.st_ino as u64),
        links: stat.st_nlink as u64,
    };
    Some((kind, Some(facts).filter(|_| kind == FileType::RegularFile)))
}

#[cfg(not(unix))]
fn fill(path: &Path, _: bool, examine: bool, entries: &mut Vec<Entry>) -> io::Result<()> {
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let what = match entry.file_type() {
            Ok(t) if t.is_file() => What::File,
            Ok(t) if t.is_dir() => What::Folder,
            _ => What::Unknown,
        };
        let examined = examine && what == What::File;
        let facts = if examined { entry.metadata().ok().map(|m| Facts::of(&m)) } else { None };
        entries.push(Entry { name: entry.file_name(), what, inode: None, facts });
    }
    Ok(())
}
