//! A file that is read for its digests alone: a source or a destination that may be the same already, or a copy, from
//! the medium.

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

/// What reads past the page cache begin and end at.
const PAGE: usize = 4096;

/// How the bytes were read that a copy was compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Way {
    /// Past the page cache.
    Direct,
    /// After the page cache had dropped the file, so that they had to come from the medium.
    Dropped,
    /// From the page cache, as far as anybody can tell.
    Cache,
}

/// The ways by the device on which they were gone.
#[derive(Debug, Default)]
pub(crate) struct Ways(Mutex<BTreeMap<(u64, Way), u64>>);

impl Ways {
    fn count(&self, device: u64, way: Way) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner).entry((device, way)).or_default() += 1;
    }

    /// How many files were read in each way on each device.
    pub(crate) fn all(&self) -> BTreeMap<(u64, Way), u64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// What was read: its digests, and the file as it was before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) digests: Vec<Digest>,
    pub(crate) stamp: Stamp,
}

pub(crate) type Then = Box<dyn FnOnce(Result<Known, Error>) + Send>;

pub(crate) struct Reading {
    opener: Opener,
    size: u64,
    /// Bytes of the buffer for reading past the page cache; none for reading as usual.
    direct: Option<usize>,
    /// What is read must be on the medium before.
    synced: bool,
    /// Whether the bytes come from the medium; none if nobody asked.
    way: Option<Way>,
    /// Whether that shows only at the end: the page cache must not have grown.
    unsure: bool,
    ways: Arc<Ways>,
    progress: Arc<Progress>,
    then: Option<Then>,
    file: Option<File>,
    stamp: Option<Stamp>,
    at: u64,
    buffer: Vec<u8>,
    /// The bytes of the buffer that have been read and not been asked for.
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

    /// Past the page cache, with a buffer of so many bytes.
    pub(crate) fn past_cache(mut self, buffer: usize, ways: &Arc<Ways>) -> Self {
        self.direct = Some(buffer.max(PAGE));
        self.ways = Arc::clone(ways);
        self
    }

    /// After the file, whoever wrote it, has been made durable.
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
            // Only the owner may read without leaving a trace.
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
            // File systems that cannot say so when the file is opened say it at the first read.
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

    /// Takes an open file, and notes what it is now.
    fn keep(&mut self, file: File) -> io::Result<()> {
        let meta = Meta::of(&file)?;
        if !meta.is_file() {
            return Err(io::Error::other("is no regular file any more"));
        }
        self.stamp = Some(meta.stamp());
        self.file = Some(file);
        Ok(())
    }

    /// Has the page cache drop the file, and finds out where its bytes will come from.
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

    /// Fills the buffer past the page cache.
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

    /// The digests with the file that they are of, if it was the same all the time.
    fn end(&self, digests: Vec<Digest>) -> Result<Known, Error> {
        let (Some(file), Some(stamp)) = (&self.file, self.stamp) else {
            return Err(io::Error::other("was not opened").into());
        };
        // It is one descriptor, so it is one file, even where its inode has another number each time.
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
            // It has grown, so its digest is another one whatever follows; it might grow for ever.
            _ if self.at > self.size && self.ready.is_empty() => 0,
            (Some(file), None) => uninterrupted(|| file.read_at(buffer, self.at))?,
            (Some(_), Some(len)) => {
                // A read that began at an odd place was the last one.
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
        // Only if a thread panicked: whoever waits for the answer must not wait for ever.
        if let Some(then) = self.then.take() {
            self.file = None;
            then(Err(io::Error::other("a thread of this program panicked").into()));
        }
    }
}
