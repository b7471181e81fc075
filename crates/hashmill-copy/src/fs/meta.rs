//! The metadata of files, taken from a descriptor or from a name in an open folder, and not from a path that somebody
//! else could change meanwhile, unless the user named it.

use rustix::fd::AsFd;
use rustix::fs::{AtFlags, FileType, Statx, StatxFlags, StatxTimestamp};
use std::io;
use std::path::Path;

/// A point in time, as the file system stores it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moment {
    pub(crate) seconds: i64,
    pub(crate) nanoseconds: u32,
}

impl Moment {
    fn of(t: &StatxTimestamp) -> Moment {
        Moment { seconds: t.tv_sec, nanoseconds: t.tv_nsec }
    }

    /// Returns the nanoseconds since 1970, saturating at the limits of the type.
    pub(crate) fn total(self) -> i64 {
        self.seconds.saturating_mul(1_000_000_000).saturating_add(self.nanoseconds.into())
    }
}

/// A file's metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Meta {
    /// Length in bytes.
    pub(crate) size: u64,
    /// Bytes that the file system has allocated.
    pub(crate) allocated: u64,
    /// Type and permissions, as in `st_mode`.
    pub(crate) mode: u32,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) links: u32,
    pub(crate) device: u64,
    pub(crate) inode: u64,
    pub(crate) accessed: Moment,
    pub(crate) modified: Moment,
    pub(crate) changed: Moment,
    pub(crate) born: Option<Moment>,
}

impl Meta {
    /// Returns the metadata of an open file.
    pub(crate) fn of(file: impl AsFd) -> io::Result<Meta> {
        Self::ask(file, Path::new(""), AtFlags::EMPTY_PATH)
    }

    /// Returns the metadata of a name in an open folder, without following a symbolic link.
    pub(crate) fn at(folder: impl AsFd, name: &Path) -> io::Result<Meta> {
        Self::ask(folder, name, AtFlags::SYMLINK_NOFOLLOW)
    }

    /// Returns the metadata of a path that the user named, following links.
    pub(crate) fn of_path(path: &Path) -> io::Result<Meta> {
        Self::ask(rustix::fs::CWD, path, AtFlags::empty())
    }

    fn ask(at: impl AsFd, name: &Path, flags: AtFlags) -> io::Result<Meta> {
        let flags = flags | AtFlags::NO_AUTOMOUNT;
        let x: Statx = rustix::fs::statx(at, name, flags, StatxFlags::BASIC_STATS | StatxFlags::BTIME)?;
        let born = StatxFlags::from_bits_retain(x.stx_mask).contains(StatxFlags::BTIME);
        Ok(Meta {
            size: x.stx_size,
            allocated: x.stx_blocks.saturating_mul(512),
            mode: x.stx_mode.into(),
            uid: x.stx_uid,
            gid: x.stx_gid,
            links: x.stx_nlink,
            device: rustix::fs::makedev(x.stx_dev_major, x.stx_dev_minor),
            inode: x.stx_ino,
            accessed: Moment::of(&x.stx_atime),
            modified: Moment::of(&x.stx_mtime),
            changed: Moment::of(&x.stx_ctime),
            born: born.then(|| Moment::of(&x.stx_btime)),
        })
    }

    fn kind(&self) -> FileType {
        FileType::from_raw_mode(self.mode)
    }

    pub(crate) fn is_file(&self) -> bool {
        self.kind() == FileType::RegularFile
    }

    pub(crate) fn is_dir(&self) -> bool {
        self.kind() == FileType::Directory
    }

    pub(crate) fn is_symlink(&self) -> bool {
        self.kind() == FileType::Symlink
    }

    /// Returns what distinguishes it from every other file that exists now.
    pub(crate) fn identity(&self) -> Identity {
        (self.device, self.inode)
    }

    pub(crate) fn stamp(&self) -> Stamp {
        Stamp {
            size: self.size,
            modified: self.modified.total(),
            changed: self.changed.total(),
            inode: self.inode,
            device: self.device,
        }
    }

    /// Whether this may still be the file that `listed` describes, with nothing changed that a copy takes over. The
    /// change time is not compared, since it changes with the number of links too, nor is the inode, since some file
    /// systems give inodes new numbers at every look-up.
    pub(crate) fn is_as_listed(&self, listed: &Meta) -> bool {
        let of = |m: &Meta| (m.size, m.mode, m.uid, m.gid, m.modified);
        of(self) == of(listed)
    }
}

/// Device and inode.
pub(crate) type Identity = (u64, u64);

/// What shows that a file is still the same and has the same content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) size: u64,
    /// In nanoseconds since 1970, like `changed`.
    pub(crate) modified: i64,
    pub(crate) changed: i64,
    pub(crate) inode: u64,
    pub(crate) device: u64,
}

impl Stamp {
    pub(crate) fn identity(&self) -> Identity {
        (self.device, self.inode)
    }

    /// Returns when the file was last modified, in seconds and nanoseconds since 1970.
    pub(crate) fn time(&self) -> (i64, u32) {
        const SECOND: i64 = 1_000_000_000;
        (self.modified.div_euclid(SECOND), self.modified.rem_euclid(SECOND) as u32)
    }

    /// Whether this is the same file as `other`, or may be, where inodes are `fickle`.
    pub(crate) fn is(&self, other: &Stamp, fickle: bool) -> bool {
        let of = |s: &Stamp| (s.size, s.modified, s.changed);
        of(self) == of(other) && (fickle || self.identity() == other.identity())
    }

    /// Whether the file changed so recently that it may change again without getting a new time, since file systems
    /// update their clocks only at intervals.
    pub(crate) fn is_recent(&self, now: i64) -> bool {
        const TICK: i64 = 20_000_000;
        now.saturating_sub(self.changed) < TICK
    }
}
