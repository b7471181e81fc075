//! Reads files for their digests alone: sources and destination files that may be the same, and copies, from the
//! medium.

use crate::fs::meta::{Meta, Stamp};
use crate::fs::place::{sync_file, uninterrupted};
use crate::fs::source::Opener;
use hashmill::Digest;
use hashmill_files::{Error, Progress, Task, cached_pages, direct_io};
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, PoisonError};

/// Alignment of reads past the page cache.
const PAGE: usize = 4096;

/// How a file was read back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Way {
    /// Past the page cache.
    Direct,
    /// After the page cache had dropped the file, so that its bytes had to come from the medium.
    Dropped,
    /// From the page cache, as far as anybody can tell.
    Cache,
}

/// Number of files read back, by device and way.
#[derive(Debug, Default)]
pub(crate) struct Ways(Mutex<BTreeMap<(u64, Way), u64>>);

impl Ways {
    fn count(&self, device: u64, way: Way) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner).entry((device, way)).or_default() += 1;
    }

    /// Returns how many files were read in each way on each device.
    pub(crate) fn all(&self) -> BTreeMap<(u64, Way), u64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The digests of a file, and its stamp before and after it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) digests: Vec<Digest>,
    pub(crate) stamp: Stamp,
}

pub(crate) type Then = Box<dyn FnOnce(Result<Known, Error>) + Send>;

pub(crate) struct Reading {
    opener: Opener,
    size: u64,
    /// Size of the buffer for reading past the page cache, or `None` to read as usual.
    direct: Option<usize>,
    /// Whether the file is made durable before it is read.
    synced: bool,
    /// How the bytes are read, or `None` if nobody asked.
    way: Option<Way>,
    /// Whether `way` is only known at the end, by whether the page cache has grown.
    unsure: bool,
    ways: Arc<Ways>,
    progress: Arc<Progress>,
    then: Option<Then>,
    file: Option<File>,
    stamp: Option<Stamp>,
    at: u64,
    buffer: Vec<u8>,
    /// Range of the buffer that has been read but not handed out yet.
    ready: std::ops::Range<usize>,
}

impl Reading {
    pub(crate) fn new(opener: Opener, size: u64, progress: &Arc<Progress>, then: Then) -> Self {
        Reading {
            opener,
            size,
            direct: None,
            synced: false,
            way: None,
            unsure: false,
            ways: Arc::default(),
            progress: Arc::clone(progress),
            then: Some(then),
            file: None,
            stamp: None,
            at: 0,
            buffer: Vec::new(),
            ready: 0..0,
        }
    }

    /// Reads past the page cache, with a buffer of `buffer` bytes.
    pub(crate) fn past_cache(mut self, buffer: usize, ways: &Arc<Ways>) -> Self {
        self.direct = Some(buffer.max(PAGE));
        self.ways = Arc::clone(ways);
        self
    }

    /// Makes the file durable before it is read, whoever wrote it.
    pub(crate) fn synced(mut self) -> Self {
        self.synced = true;
        self
    }

    fn begin(&mut self) -> io::Result<()> {
        let Some(len) = self.direct else {
            let file = (self.opener)(OFlags::empty())?;
            return self.keep(file);
        };
        let mut file = match (self.opener)(OFlags::DIRECT | OFlags::NOATIME) {
            // Only the owner of a file may use `O_NOATIME`.
            Err(e) if is(&e, Errno::PERM) => (self.opener)(OFlags::DIRECT),
            other => other,
        };
        let mut past = true;
        if matches!(&file, Err(e) if is(e, Errno::INVAL)) {
            past = false;
            file = (self.opener)(OFlags::empty());
        }
        self.keep(file?)?;
        self.look_at_cache(past);
        if past {
            // Some file systems refuse direct I/O only at the first read, not when the file is opened.
            match self.fill(len) {
                Err(e) if is(&e, Errno::INVAL) => {
                    let file = (self.opener)(OFlags::empty())?;
                    self.keep(file)?;
                    self.look_at_cache(false);
                    past = false;
                }
                other => other?,
            }
        }
        if !past {
            self.direct = None;
            if let Some(file) = &self.file {
                let _ = rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::Sequential);
            }
        }
        Ok(())
    }

    /// Keeps an open file and its current stamp.
    fn keep(&mut self, file: File) -> io::Result<()> {
        let meta = Meta::of(&file)?;
        if !meta.is_file() {
            return Err(io::Error::other("is no longer a regular file"));
        }
        self.stamp = Some(meta.stamp());
        self.file = Some(file);
        Ok(())
    }

    /// Drops the file from the page cache, and finds out where its bytes will come from.
    fn look_at_cache(&mut self, past: bool) {
        let Some(file) = &self.file else { return };
        let _ = rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed);
        let bypass = if past { direct_io(file) } else { Some(false) };
        self.unsure = false;
        self.way = Some(match bypass {
            Some(true) => Way::Direct,
            _ if cached_pages(file, self.size) != Some(0) => Way::Cache,
            Some(false) => Way::Dropped,
            None => {
                self.unsure = true;
                Way::Dropped
            }
        });
    }

    /// Fills the buffer by reading past the page cache.
    fn fill(&mut self, len: usize) -> io::Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        if self.buffer.is_empty() {
            let len = len.min(usize::try_from(self.size).unwrap_or(len).next_multiple_of(PAGE)).max(PAGE) & !(PAGE - 1);
            self.buffer.resize(len + PAGE, 0);
        }
        let from = self.buffer.as_ptr().align_offset(PAGE);
        let len = self.buffer.len() - PAGE;
        let n = uninterrupted(|| file.read_at(&mut self.buffer[from..from + len], self.at))?;
        self.at += n as u64;
        self.ready = from..from + n;
        Ok(())
    }

    /// Returns the digests and the stamp of the file, or an error if it changed while it was read.
    fn end(&self, digests: Vec<Digest>) -> Result<Known, Error> {
        let (Some(file), Some(stamp)) = (&self.file, self.stamp) else {
            return Err(io::Error::other("was not opened").into());
        };
        // One descriptor is one file, even where inode numbers change with every look-up.
        if !Meta::of(file)?.stamp().is(&stamp, true) {
            return Err(io::Error::other("changed while it was read").into());
        }
        if let Some(mut way) = self.way.filter(|_| stamp.size > 0) {
            if self.unsure && cached_pages(file, stamp.size) == Some(0) {
                way = Way::Direct;
            }
            self.ways.count(stamp.device, way);
        }
        Ok(Known { digests, stamp })
    }
}

fn is(e: &io::Error, code: Errno) -> bool {
    e.raw_os_error() == Some(code.raw_os_error())
}

impl Task for Reading {
    fn size(&self) -> u64 {
        self.size
    }

    fn open(&mut self) -> Result<(), Error> {
        if self.synced {
            let file = (self.opener)(OFlags::empty())?;
            sync_file(&file)?;
        }
        Ok(self.begin()?)
    }

    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        if self.progress.is_stopped() {
            return Err(io::Error::other("interrupted").into());
        }
        let n = match (&self.file, self.direct) {
            (None, _) => 0,
            // The file has grown, so its digest differs whatever follows, and it might grow forever.
            _ if self.at > self.size && self.ready.is_empty() => 0,
            (Some(file), None) => uninterrupted(|| file.read_at(buffer, self.at))?,
            (Some(_), Some(len)) => {
                // An offset that is not a multiple of the page size means that the last read met the end of the file.
                if self.ready.is_empty() && self.at.is_multiple_of(PAGE as u64) {
                    self.fill(len)?;
                }
                let n = buffer.len().min(self.ready.len());
                buffer[..n].copy_from_slice(&self.buffer[self.ready.start..][..n]);
                self.ready.start += n;
                n
            }
        };
        if self.direct.is_none() {
            self.at += n as u64;
        }
        self.progress.read(n);
        Ok(n)
    }

    fn done(mut self: Box<Self>, result: Result<Vec<Digest>, Error>) {
        let result = result.and_then(|digests| self.end(digests));
        self.file = None;
        self.buffer = Vec::new();
        if let Some(then) = self.then.take() {
            then(result);
        }
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        // Reached only if a thread panicked: whoever waits for the answer must not wait forever.
        if let Some(then) = self.then.take() {
            self.file = None;
            then(Err(io::Error::other("a thread of this program panicked").into()));
        }
    }
}
