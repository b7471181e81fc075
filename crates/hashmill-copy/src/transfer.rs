//! A file that is hashed as it is copied to a temporary name.

use crate::catalogue::Stamp;
use crate::engine::{Failure, Plan, Shared, Written};
use crate::place;
use hashmill::Digest;
use hashmill_files::{Error, Task, plain};
use rustix::fs::SeekFrom;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::PathBuf;
use std::sync::Arc;

/// So many bytes after which writing to the medium is begun, so that little is left to wait for at the end.
const BEHIND: u64 = 16 << 20;

pub(crate) struct Transfer {
    shared: Arc<Shared>,
    plan: Arc<Plan>,
    attempt: u32,
    open: Option<Open>,
    failure: Option<Failure>,
}

/// The two files.
struct Open {
    source: File,
    stamp: Stamp,
    copy: File,
    temporary: PathBuf,
    at: u64,
    /// How far writing to the medium has been begun.
    begun: u64,
    /// Where the data go on to, if there are holes.
    data: Option<u64>,
}

impl Transfer {
    pub(crate) fn new(shared: &Arc<Shared>, plan: &Arc<Plan>, attempt: u32) -> Box<Self> {
        Box::new(Transfer { shared: Arc::clone(shared), plan: Arc::clone(plan), attempt, open: None, failure: None })
    }

    fn begin(&mut self) -> Result<Open, Failure> {
        let read = |e: io::Error| Failure::Source(plain(&e));
        let (plan, shared) = (&self.plan, &self.shared);
        let source = place::open_source(&plan.source, plan.follow).map_err(|e| match e.raw_os_error() {
            // What was a file has become a link.
            Some(c) if c == rustix::io::Errno::LOOP.raw_os_error() => Failure::Changed,
            _ => read(e),
        })?;
        let meta = source.metadata().map_err(read)?;
        if !meta.is_file() {
            return Err(Failure::Changed);
        }
        let holes = meta.blocks() * 512 < meta.len();
        if !holes && meta.len() > BEHIND {
            let _ = rustix::fs::fadvise(&source, 0, None, rustix::fs::Advice::Sequential);
        }
        let folder = plan.folder();
        let write = |e: io::Error| Failure::Destination { path: folder.clone(), cause: plain(&e) };
        shared.make_folder(&folder).map_err(|(path, e)| Failure::Destination { path, cause: plain(&e) })?;
        let journal = shared.journal.as_ref().ok_or_else(|| write(io::Error::other("no journal")))?;
        let temporary = journal.temporary(&folder).map_err(write)?;
        let copy = place::create(&temporary).map_err(write)?;
        let open = Open { source, stamp: Stamp::of(&meta), copy, temporary, at: 0, begun: 0, data: holes.then_some(0) };
        if !holes && let Err(e) = place::reserve(&open.copy, meta.len()) {
            let _ = fs::remove_file(&open.temporary);
            return Err(write(e));
        }
        Ok(open)
    }

    fn next(&mut self, buffer: &mut [u8]) -> Result<usize, Failure> {
        let Some(open) = &mut self.open else { return Ok(0) };
        let read = |e: io::Error| Failure::Source(plain(&e));
        // One that grows is not followed: it might grow for ever.
        if open.at > open.stamp.size {
            return Err(Failure::Changed);
        }
        let mut want = buffer.len();
        if let Some(end) = open.data
            && open.at >= end
        {
            // Nothing is read or written where there is nothing.
            let hole = match rustix::fs::seek(&open.source, SeekFrom::Data(open.at)) {
                Ok(data) => data,
                // No more data: the rest is a hole.
                Err(rustix::io::Errno::NXIO) => open.source.metadata().map_err(read)?.len(),
                Err(_) => open.at,
            };
            if hole > open.at {
                let n = usize::try_from(hole - open.at).unwrap_or(want).min(want);
                buffer[..n].fill(0);
                open.at += n as u64;
                open.data = Some(open.at);
                return Ok(n);
            }
            open.data = Some(rustix::fs::seek(&open.source, SeekFrom::Hole(open.at)).unwrap_or(u64::MAX));
        }
        if let Some(end) = open.data {
            want = usize::try_from(end.saturating_sub(open.at)).unwrap_or(want).clamp(1, want);
        }
        let mut n = 0;
        while n < want {
            match open.source.read_at(&mut buffer[n..want], open.at + n as u64) {
                Ok(0) => break,
                Ok(more) => n += more,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(read(e)),
            }
        }
        let write = |e: io::Error| Failure::Destination { path: self.plan.target(), cause: plain(&e) };
        open.copy.write_all_at(&buffer[..n], open.at).map_err(write)?;
        open.at += n as u64;
        if open.at - open.begun >= BEHIND {
            open.begun = open.at;
            place::begin_writing(&open.copy);
        }
        Ok(n)
    }

    /// What there is when all has been read.
    fn end(&self, open: &Open) -> Result<(), Failure> {
        let now = open.source.metadata().map_err(|e| Failure::Source(plain(&e)))?;
        if Stamp::of(&now) != open.stamp || open.at != open.stamp.size {
            return Err(Failure::Changed);
        }
        if open.data.is_some() {
            // The last hole.
            let write = |e: io::Error| Failure::Destination { path: self.plan.target(), cause: plain(&e) };
            open.copy.set_len(open.at).map_err(write)?;
        }
        place::begin_writing(&open.copy);
        Ok(())
    }
}

impl Task for Transfer {
    fn size(&self) -> u64 {
        self.plan.size
    }

    fn open(&mut self) -> Result<(), Error> {
        match self.begin() {
            Ok(open) => {
                self.open = Some(open);
                Ok(())
            }
            Err(e) => Err(self.fail(e)),
        }
    }

    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        match self.next(buffer) {
            Ok(n) => {
                self.shared.progress.read(n);
                Ok(n)
            }
            Err(e) => Err(self.fail(e)),
        }
    }

    fn done(mut self: Box<Self>, result: Result<Vec<Digest>, Error>) {
        let digests = match result {
            Ok(digests) => digests,
            Err(e) => {
                let failure = self.failure.take().unwrap_or_else(|| Failure::Source(e.to_string()));
                return self.give_up(failure);
            }
        };
        let Some(open) = self.open.take() else { return };
        if let Err(e) = self.end(&open) {
            self.open = Some(open);
            return self.give_up(e);
        }
        let Open { source, stamp, copy, temporary, .. } = open;
        let plan = Arc::clone(&self.plan);
        let attempt = self.attempt;
        self.shared.written.put(Written { plan, attempt, source, stamp, copy, temporary, digests });
    }
}

impl Transfer {
    /// The caller learns only that something failed; what it was is said at the end.
    fn fail(&mut self, failure: Failure) -> Error {
        let error = io::Error::other(failure.to_string());
        self.failure = Some(failure);
        error.into()
    }

    fn give_up(&mut self, failure: Failure) {
        if let Some(open) = self.open.take() {
            let _ = fs::remove_file(&open.temporary);
        }
        self.shared.report(&self.plan, self.attempt, Err(failure));
    }
}
