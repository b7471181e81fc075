//! Copies a file to a temporary name, hashing it on the way.

use crate::decide::failure::Failure;
use crate::fs::made_up;
use crate::fs::meta::Meta;
use crate::fs::place::{self, Temporary, uninterrupted};
use crate::fs::room;
use crate::transfer::shared::{Held, Shared, Ticket, Written};
use hashmill::Digest;
use hashmill_files::{Error, Task, plain};
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

/// Number of bytes after which write-back to the medium is started, so that little is left to wait for at the end.
const BEHIND: u64 = 16 << 20;

/// Holes begin and end at multiples of this, as they do in file systems.
const BLOCK: usize = 4096;

pub(crate) struct Transfer {
    shared: Arc<Shared>,
    ticket: Ticket,
    held: Option<Held>,
    open: Option<Open>,
    failure: Option<Failure>,
}

/// The source and the copy, both open.
struct Open {
    source: File,
    /// The source as it was when it was opened.
    meta: Meta,
    copy: Temporary,
    at: u64,
    /// Offset up to which write-back to the medium has been started.
    begun: u64,
    /// Whether the source has holes, so that blocks of zeros are not written.
    holes: bool,
}

impl Transfer {
    pub(crate) fn new(shared: &Arc<Shared>, ticket: Ticket, held: Held) -> Box<Self> {
        Box::new(Transfer { shared: Arc::clone(shared), ticket, held: Some(held), open: None, failure: None })
    }

    fn begin(&mut self) -> Result<Open, Failure> {
        let read = |e: io::Error| Failure::Source(plain(&e));
        let (plan, shared) = (self.ticket.plan(), &self.shared);
        let source = plan.source.open(OFlags::empty()).map_err(|e| match e.raw_os_error() {
            // The file, or a folder above it, has become a symbolic link.
            Some(c) if c == Errno::LOOP.raw_os_error() => Failure::Changed,
            _ => read(e),
        })?;
        let meta = Meta::of(&source).map_err(read)?;
        // All decisions were about the file as it was listed.
        if !meta.is_file() || !(plan.made_up || meta.is_as_listed(&plan.meta)) {
            return Err(Failure::Changed);
        }
        // Everything is read, holes included: what the file system says about holes only decides whether zeros are
        // written.
        let holes = plan.made_up || meta.allocated < meta.size;
        if meta.size > BEHIND {
            let _ = rustix::fs::fadvise(&source, 0, None, rustix::fs::Advice::Sequential);
        }
        let below = plan.folder();
        let shown = shared.root.shown(&below);
        let write = |e: io::Error| Failure::Destination { path: shown.clone(), cause: plain(&e) };
        let claim = shared.claim(&below, plan.space)?;
        let folder = shared.make_folder(&below).map_err(|(path, e)| Failure::Destination { path, cause: plain(&e) })?;
        let journal = shared.journal.as_ref().ok_or_else(|| write(io::Error::other("no journal")))?;
        let mut copy = journal.temporary(&below, &folder).map_err(write)?;
        copy.claim = claim;
        // A file with holes is not allocated as a whole.
        if !holes {
            let allocated = match &mut copy.claim {
                Some(claim) => claim.allocate(&copy.file, meta.size),
                None => room::allocate(&copy.file, meta.size),
            };
            allocated.map_err(|e| plan.destination(&e))?;
        }
        Ok(Open { source, meta, copy, at: 0, begun: 0, holes })
    }

    fn next(&mut self, buffer: &mut [u8]) -> Result<usize, Failure> {
        let Some(open) = &mut self.open else { return Ok(0) };
        if self.shared.progress.is_stopped() {
            return Err(Failure::Source("interrupted".into()));
        }
        // A file that grows is not followed, since it might grow forever.
        if self.ticket.plan().made_up {
            if open.at > made_up::LONGEST {
                return Err(Failure::Source(made_up::too_long()));
            }
        } else if open.at > open.meta.size {
            return Err(Failure::Changed);
        }
        let mut n = 0;
        while n < buffer.len() {
            match uninterrupted(|| open.source.read_at(&mut buffer[n..], open.at + n as u64)) {
                Ok(0) => break,
                Ok(more) => n += more,
                Err(e) => return Err(Failure::Source(plain(&e))),
            }
        }
        let data = &buffer[..n];
        let written = if open.holes {
            write_around_zeros(&open.copy.file, data, open.at)
        } else {
            write(&open.copy.file, data, open.at).map(|()| n)
        };
        let written = written.map_err(|e| self.ticket.plan().destination(&e))?;
        if let Some(claim) = &mut open.copy.claim {
            claim.wrote(written as u64);
        }
        open.at += n as u64;
        if open.at - open.begun >= BEHIND {
            open.begun = open.at;
            place::begin_writing(&open.copy.file);
        }
        Ok(n)
    }

    /// Checks that the source has not changed, and completes the copy.
    fn end(&self, open: &Open) -> Result<(), Failure> {
        let now = Meta::of(&open.source).map_err(|e| Failure::Source(plain(&e)))?;
        let same = now.stamp().is(&open.meta.stamp(), true) && open.at == open.meta.size;
        if !same && !self.ticket.plan().made_up {
            return Err(Failure::Changed);
        }
        if open.holes {
            // A hole at the end of the file.
            open.copy.file.set_len(open.at).map_err(|e| self.ticket.plan().destination(&e))?;
        }
        place::begin_writing(&open.copy.file);
        Ok(())
    }

    /// Keeps the failure for `done`, which reports it. The caller gets only its text.
    fn fail(&mut self, failure: Failure) -> Error {
        let error = io::Error::other(failure.to_string());
        self.failure = Some(failure);
        error.into()
    }
}

fn write(file: &File, data: &[u8], at: u64) -> io::Result<()> {
    let mut done = 0;
    while done < data.len() {
        match uninterrupted(|| file.write_at(&data[done..], at + done as u64))? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            n => done += n,
        }
    }
    Ok(())
}

/// Writes the blocks that are not all zeros; the others become holes. Returns the number of bytes written.
fn write_around_zeros(file: &File, data: &[u8], at: u64) -> io::Result<usize> {
    let mut written = 0;
    let mut run = 0..0;
    while run.end < data.len() {
        let into = ((at + run.end as u64) % BLOCK as u64) as usize;
        let end = data.len().min(run.end + BLOCK - into);
        if data[run.end..end].iter().all(|&b| b == 0) {
            write(file, &data[run.clone()], at + run.start as u64)?;
            written += run.len();
            run = end..end;
        } else {
            run.end = end;
        }
    }
    write(file, &data[run.clone()], at + run.start as u64)?;
    Ok(written + run.len())
}

impl Task for Transfer {
    fn size(&self) -> u64 {
        self.ticket.plan().size
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

    fn done(self: Box<Self>, result: Result<Vec<Digest>, Error>) {
        let mut this = *self;
        let ended = match (result, &this.open) {
            (Ok(digests), Some(open)) => this.end(open).map(|()| digests),
            (Ok(_), None) => Err(Failure::Broken("a file was not opened".into())),
            (Err(e), _) => Err(this.failure.take().unwrap_or_else(|| Failure::of_source(&e))),
        };
        let Transfer { shared, mut ticket, held, open, .. } = this;
        if let Some(open) = open.as_ref().filter(|_| ticket.plan().made_up) {
            ticket.set_length(open.at);
        }
        match (ended, open, held) {
            (Ok(digests), Some(Open { source, meta, copy, .. }), Some(held)) => {
                shared.written.put(Written { ticket, source, meta, copy, digests, held });
            }
            (ended, open, held) => {
                // The unfinished copy is deleted before anybody hears of the failure.
                drop((open, held));
                let broken = || Failure::Broken("a file was not counted".into());
                ticket.report(Err(ended.err().unwrap_or_else(broken)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_become_holes_and_nothing_else_does() {
        use std::os::unix::fs::MetadataExt;
        let dir = tempfile::tempdir().expect("a folder");
        let mut content = vec![0; 50 * BLOCK + 17];
        for i in [0, 3 * BLOCK - 1, 3 * BLOCK, 20 * BLOCK + 5, 50 * BLOCK + 16] {
            content[i] = 7;
        }
        for step in [1000, BLOCK, 3 * BLOCK, 10_007, content.len()] {
            let path = dir.path().join(step.to_string());
            let file = File::create(&path).expect("a file");
            for (i, piece) in content.chunks(step).enumerate() {
                write_around_zeros(&file, piece, (i * step) as u64).expect("written");
            }
            file.set_len(content.len() as u64).expect("a length");
            assert_eq!(std::fs::read(&path).expect("a file"), content, "{step}");
            if step >= BLOCK {
                assert!(file.metadata().expect("metadata").blocks() * 512 < 20 * BLOCK as u64, "{step}");
            }
        }
    }
}
