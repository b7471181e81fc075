//! Whether two names refer to one file where device and inode do not tell: union mounts and file systems in user space
//! may show the same file under another device number.
//!
//! The copy is marked through its own descriptor, then the source is opened again and checked for the mark. The source
//! itself is never modified.

use crate::fs::meta::{Meta, Moment};
use crate::fs::place::{MARK, set_times};
use rustix::fd::AsFd;
use rustix::fs::XattrFlags;
use std::fs::File;
use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

/// File systems that only show files of their own, so that two files are the same if and only if their devices and
/// inodes are. The flag says whether inodes and change times are persistent and nobody can set the latter.
const PLAIN: [(u64, bool); 13] = [
    (0xef53, true),       // ext2, ext3, ext4
    (0x5846_5342, true),  // XFS
    (0x9123_683e, true),  // Btrfs
    (0xf2f5_2010, true),  // F2FS
    (0x2fc1_2fc1, true),  // ZFS
    (0xca45_1a4e, true),  // bcachefs
    (0x0102_1994, true),  // tmpfs
    (0x4d44, false),      // FAT
    (0x2011_bab0, false), // exFAT
    (0x7366_746e, false), // NTFS (ntfs3)
    (0x482b, false),      // HFS+
    (0x9660, false),      // ISO 9660
    (0x1501_3346, false), // UDF
];

/// File systems whose `syncfs` makes files durable as `fsync` does: ext4, XFS, Btrfs and F2FS.
const GROUPS: [u64; 4] = [0xef53, 0x5846_5342, 0x9123_683e, 0xf2f5_2010];

/// How two files are related.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    Different,
    Same,
    /// This cannot be determined here.
    Unknown,
}

/// Returns the magic number of the file system that a file is on.
pub(crate) fn file_system(file: impl AsFd) -> Option<u64> {
    rustix::fs::fstatfs(file).ok().map(|s| s.f_type.cast_unsigned() & 0xffff_ffff)
}

pub(crate) fn is_plain(file: impl AsFd) -> bool {
    file_system(file).is_some_and(|magic| PLAIN.iter().any(|&(m, _)| m == magic))
}

/// Whether the inodes and change times of a file system can be trusted from one run to the next, whatever has been
/// mounted in between.
pub(crate) fn is_steady(file: impl AsFd) -> bool {
    file_system(file).is_some_and(|magic| PLAIN.contains(&(magic, true)))
}

/// Whether one call makes all files durable on the file system of a file, and reports what could not be written, as it
/// does since Linux 5.8.
pub(crate) fn syncs_groups(file: impl AsFd) -> bool {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut numbers = release.split(|c: char| !c.is_ascii_digit());
    let mut number = || numbers.next()?.parse::<u32>().ok();
    (number(), number()) >= (Some(5), Some(8)) && file_system(file).is_some_and(|magic| GROUPS.contains(&magic))
}

/// Magic number of overlayfs. Marking a file there copies it up first, so that the mark does not show in the lower file
/// that it was until then, whose data it may still share (`metacopy`).
const OVERLAY: u64 = 0x794c_7630;

/// Determines whether `copy` and `source` are one file. `new` says that this run created `copy`; `again` opens the
/// source again.
pub(crate) fn relation(
    copy: &File,
    new: bool,
    source: &File,
    again: impl Fn() -> io::Result<File>,
) -> io::Result<Relation> {
    let (there, here) = (Meta::of(copy)?, Meta::of(source)?);
    if there.identity() == here.identity() {
        return Ok(Relation::Same);
    }
    if is_plain(copy) && is_plain(source) {
        return Ok(Relation::Different);
    }
    if !new && file_system(copy) == Some(OVERLAY) {
        return Ok(Relation::Unknown);
    }
    let value = random();
    if rustix::fs::fsetxattr(copy, MARK, &value, XattrFlags::CREATE).is_ok() {
        let mut seen = [0; 16];
        let shown = again().map(|s| matches!(rustix::fs::fgetxattr(&s, MARK, &mut seen[..]), Ok(16)) && seen == value);
        rustix::fs::fremovexattr(copy, MARK)?;
        return Ok(if shown? { Relation::Same } else { Relation::Different });
    }
    // A time that no other file has: a random second in the century before 1970, with random nanoseconds.
    let number = u128::from_le_bytes(value);
    let odd = Moment {
        seconds: -((number % (100 * 365 * 86_400)) as i64) - 1,
        nanoseconds: ((number >> 64) % 1_000_000_000) as u32,
    };
    if set_times(copy, there.accessed, odd).is_err() {
        return Ok(Relation::Unknown);
    }
    // Some file systems keep times to the second or to two seconds, and some keep none before 1970, so compare with
    // what was kept.
    let kept = Meta::of(copy).map(|m| m.modified);
    let shown = again().and_then(|s| Meta::of(&s)).map(|m| m.modified);
    set_times(copy, there.accessed, there.modified)?;
    let (kept, shown) = (kept?, shown?);
    Ok(if kept == there.modified {
        Relation::Unknown
    } else if kept == shown {
        Relation::Same
    } else {
        Relation::Different
    })
}

/// Returns sixteen unpredictable bytes.
fn random() -> [u8; 16] {
    use std::hash::{BuildHasher, RandomState};
    // The standard library seeds `RandomState` with random numbers of the system.
    let of = |n: u8| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos());
        RandomState::new().hash_one((n, now, std::process::id()))
    };
    (u128::from(of(0)) << 64 | u128::from(of(1))).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn two_names_of_one_file() {
        let dir = tempfile::tempdir().expect("a folder");
        let (a, b, c) = (dir.path().join("a"), dir.path().join("b"), dir.path().join("c"));
        fs::write(&a, "x").expect("a file");
        fs::write(&b, "x").expect("a file");
        fs::hard_link(&a, &c).expect("a link");
        let open = |p| File::open(p).expect("a file");
        assert_eq!(relation(&open(&a), false, &open(&c), || File::open(&c)).expect("an answer"), Relation::Same);
        assert_eq!(relation(&open(&a), true, &open(&b), || File::open(&b)).expect("an answer"), Relation::Different);
    }
}
