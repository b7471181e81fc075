//! Devices that files are stored on, and how they are best read: by several readers at once, or by one.
//!
//! On rotating disks and network mounts, one thread per device reads one file after the other, unless `--io` says
//! otherwise. Other media get up to 32 requests at a time (`queue/prefetch.rs`), because a disk is faster when it has
//! many to choose from.

use crate::base::options::Io;
use crate::read::input::Look;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// How files are read, depending on the devices that they are on.
pub(crate) struct Devices {
    pub(crate) io: Io,
    /// A device that several readers may read at once, kept here because most often it is the only one.
    free: AtomicU64,
    /// For each device examined so far, why one reader is best there, or `None` if it is not.
    known: Mutex<HashMap<u64, Option<&'static str>>>,
    /// Findings that have not been reported yet: the path of a file on the device, and why one reader is best, if so.
    news: Mutex<Vec<(PathBuf, Option<&'static str>)>>,
}

impl Devices {
    pub(crate) fn new(io: Io) -> Self {
        Devices { io, free: AtomicU64::new(u64::MAX), known: Mutex::default(), news: Mutex::default() }
    }

    /// Returns the device that a file is on if it is best read by one reader.
    pub(crate) fn gate(&self, look: &Look, path: &Path) -> Option<u64> {
        match self.io {
            Io::Parallel | Io::Direct => None,
            // One gate for all files.
            Io::Sequential => Some(0),
            Io::Auto if self.free.load(Relaxed) == look.device => None,
            Io::Auto => {
                let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
                let why = *known.entry(look.device).or_insert_with(|| {
                    let why = one_reader(path);
                    self.news.lock().unwrap_or_else(PoisonError::into_inner).push((path.into(), why));
                    why
                });
                if why.is_none() {
                    self.free.store(look.device, Relaxed);
                }
                why.map(|_| look.device)
            }
        }
    }

    /// Returns what has been found out since the last call.
    pub(crate) fn news(&self) -> Vec<(PathBuf, Option<&'static str>)> {
        std::mem::take(&mut *self.news.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Returns why one reader is faster than two at once for `path`: it is on a rotating disk or on another machine.
/// Returns `None` if several readers are faster, and if nothing is known.
pub fn one_reader(path: &Path) -> Option<&'static str> {
    #[cfg(target_os = "linux")]
    return linux::one_reader(path);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = path;
        None
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::OsStr;
    use std::fs;
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;

    const REMOTE: [(u32, &str); 6] = [
        (0x6969, "NFS"),
        (0xff53_4d42, "CIFS"),
        (0xfe53_4d42, "SMB"),
        (0x6573_5546, "FUSE"), // cameras, phones, sshfs
        (0x0102_1997, "9P"),
        (0x00c3_6400, "Ceph"),
    ];

    pub(super) fn one_reader(path: &Path) -> Option<&'static str> {
        // The type of `f_type` differs between platforms; all of the numbers fit into 32 bits.
        #[allow(clippy::unnecessary_cast, reason = "it is needed elsewhere")]
        let kind = rustix::fs::statfs(path).map_or(0, |s| s.f_type as u32);
        if let Some((_, name)) = REMOTE.iter().find(|(k, _)| *k == kind) {
            return Some(name);
        }
        let meta = fs::metadata(path).ok()?;
        let (major, minor) = (rustix::fs::major(meta.dev()), rustix::fs::minor(meta.dev()));
        let disk = format!("/sys/dev/block/{major}:{minor}");
        // Virtual disks claim to rotate, whatever they are stored on.
        let real = |name: &OsStr| ["vd", "xvd"].iter().all(|v| !name.as_encoded_bytes().starts_with(v.as_bytes()));
        if !fs::read_link(&disk).is_ok_and(|link| link.file_name().is_some_and(real)) {
            return None;
        }
        // The directory of a partition is inside that of its disk.
        [format!("{disk}/queue/rotational"), format!("{disk}/../queue/rotational")]
            .iter()
            .find_map(|f| fs::read_to_string(f).ok())
            .filter(|text| text.trim() == "1")
            .map(|_| "a disk that turns")
    }
}
