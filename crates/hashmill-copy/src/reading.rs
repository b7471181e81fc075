//! A file that is read for its digests alone: a source or a destination that may be the same already, or a copy, from the medium.

use crate::place::{open_direct, open_source};
use hashmill::Digest;
use hashmill_files::{Error, Progress, Task};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// What reads past the page cache begin and end at.
const PAGE: usize = 4096;

/// Whether copies were read from the medium itself, or only after the cache had been asked to forget them.
#[derive(Debug, Default)]
pub(crate) struct Ways {
    pub(crate) direct: AtomicBool,
    pub(crate) dropped: AtomicBool,
}

pub(crate) type Then = Box<dyn FnOnce(Result<Vec<Digest>, Error>) + Send>;

pub(crate) struct Reading {
    path: PathBuf,
    size: u64,
    /// Bytes of the buffer for reading past the page cache; none for reading as usual.
    direct: Option<usize>,
    ways: Arc<Ways>,
    progress: Arc<Progress>,
    then: Option<Then>,
    file: Option<File>,
    at: u64,
    buffer: Vec<u8>,
    /// The bytes of the buffer that have been read and not been asked for.
    ready: std::ops::Range<usize>,
}

impl Reading {
    pub(crate) fn new(path: PathBuf, size: u64, progress: &Arc<Progress>, then: Then) -> Self {
        Reading {
            path,
            size,
            direct: None,
            ways: Arc::default(),
            progress: Arc::clone(progress),
            then: Some(then),
            file: None,
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

    /// Opens the file as usual, after the page cache was asked to forget it.
    fn open_dropped(&mut self) -> io::Result<()> {
        let file = open_source(&self.path, true)?;
        rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed)?;
        let _ = rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::Sequential);
        self.file = Some(file);
        self.direct = None;
        self.ways.dropped.store(true, Relaxed);
        Ok(())
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
        let n = loop {
            match file.read_at(&mut self.buffer[from..from + len], self.at) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        self.at += n as u64;
        self.ready = from..from + n;
        Ok(())
    }
}

impl Task for Reading {
    fn size(&self) -> u64 {
        self.size
    }

    fn open(&mut self) -> Result<(), Error> {
        if let Some(len) = self.direct {
            match open_direct(&self.path) {
                Ok(file) => {
                    self.file = Some(file);
                    // File systems that cannot say so here say it at the first read.
                    match self.fill(len) {
                        Ok(()) => self.ways.direct.store(true, Relaxed),
                        Err(e) if e.kind() == io::ErrorKind::InvalidInput => self.open_dropped()?,
                        Err(e) => return Err(e.into()),
                    }
                }
                Err(e) if e.kind() == io::ErrorKind::InvalidInput => self.open_dropped()?,
                Err(e) => return Err(e.into()),
            }
        } else {
            self.file = Some(open_source(&self.path, true)?);
        }
        Ok(())
    }

    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        let n = match (&self.file, self.direct) {
            (None, _) => 0,
            // It has grown, so its digest is another one whatever follows; it might grow for ever.
            _ if self.at > self.size && self.ready.is_empty() => 0,
            (Some(file), None) => loop {
                match file.read_at(buffer, self.at) {
                    Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                    other => break other?,
                }
            },
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
        self.file = None;
        self.buffer = Vec::new();
        if let Some(then) = self.then.take() {
            then(result);
        }
    }
}
