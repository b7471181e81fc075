//! Copies a file to a temporary name in each destination, hashing it on the way.

use crate::decide::failure::Failure;
use crate::fs::made_up;
use crate::fs::meta::Meta;
use crate::fs::place::{self, Temporary, uninterrupted};
use crate::fs::room;
use crate::transfer::plan::Plan;
use crate::transfer::shared::{Held, Shared, Ticket, Written};
use hashmill::Digest;
use hashmill_files::{Error, Task, plain};
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

/// Number of bytes after which write-back to the medium is started, so that little is left to wait for at the end.
const BEHIND: u64 = 16 << 20;

/// Holes begin and end at multiples of this, as they do in file systems.
const BLOCK: usize = 4096;

/// Reads a file once, for one destination or for several at the same time, each of which may fail alone.
pub(crate) struct Transfer {
    sides: Vec<Side>,
    open: Option<Open>,
}

/// What one destination has to do with a transfer.
pub(crate) struct Side {
    shared: Arc<Shared>,
    ticket: Ticket,
    held: Held,
    copy: Option<Copy>,
    failure: Option<Failure>,
}

/// The source.
struct Open {
    file: File,
    /// The source as it was when it was opened.
    meta: Meta,
    at: u64,
    /// Whether the source has holes, so that blocks of zeros are not written.
    holes: bool,
}

struct Copy {
    temporary: Temporary,
    /// Offset up to which write-back to the medium has been started.
    begun: u64,
}

impl Open {
    fn new(plan: &Plan) -> Result<Open, Failure> {
        let read = |e: io::Error| Failure::Source(plain(&e));
        let file = plan.source.open(OFlags::empty()).map_err(|e| match e.raw_os_error() {
            // The file, or a folder above it, has become a symbolic link.
            Some(c) if c == Errno::LOOP.raw_os_error() => Failure::Changed,
            _ => read(e),
        })?;
        let meta = Meta::of(&file).map_err(read)?;
        if meta.size > BEHIND {
            let _ = rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::Sequential);
        }
        // Everything is read, holes included: what the file system says about holes only decides whether zeros are
        // written.
        let holes = plan.made_up || meta.allocated < meta.size;
        Ok(Open { file, meta, at: 0, holes })
    }

    /// Fills the buffer as far as the file goes.
    fn fill(&mut self, made_up: bool, buffer: &mut [u8]) -> Result<usize, Failure> {
        // A file that grows is not followed, since it might grow forever.
        if made_up {
            if self.at > made_up::LONGEST {
                return Err(Failure::Source(made_up::too_long()));
            }
        } else if self.at > self.meta.size {
            return Err(Failure::Changed);
        }
        let mut n = 0;
        while n < buffer.len() {
            match uninterrupted(|| self.file.read_at(&mut buffer[n..], self.at + n as u64)) {
                Ok(0) => break,
                Ok(more) => n += more,
                Err(e) => return Err(Failure::Source(plain(&e))),
            }
        }
        self.at += n as u64;
        Ok(n)
    }

    /// Checks that the source has not changed.
    fn end(&self, made_up: bool) -> Result<(), Failure> {
        let now = Meta::of(&self.file).map_err(|e| Failure::Source(plain(&e)))?;
        let same = now.stamp().is(&self.meta.stamp(), true) && self.at == self.meta.size;
        if same || made_up { Ok(()) } else { Err(Failure::Changed) }
    }
}

impl Side {
    pub(crate) fn new(shared: &Arc<Shared>, ticket: Ticket, held: Held) -> Side {
        Side { shared: Arc::clone(shared), ticket, held, copy: None, failure: None }
    }

    /// Returns the source's path.
    pub(crate) fn source(&self) -> &Path {
        &self.ticket.plan().source.path
    }

    fn begin(&self, source: &Open) -> Result<Copy, Failure> {
        let (plan, shared) = (self.ticket.plan(), &self.shared);
        // All decisions were about the file as it was listed.
        if !source.meta.is_file() || !(plan.made_up || source.meta.is_as_listed(&plan.meta)) {
            return Err(Failure::Changed);
        }
        let below = plan.folder();
        let shown = shared.root.shown(&below);
        let write = |e: io::Error| Failure::Destination { path: shown.clone(), cause: plain(&e) };
        let claim = shared.claim(&below, plan.space)?;
        let folder = shared.make_folder(&below).map_err(|(path, e)| Failure::Destination { path, cause: plain(&e) })?;
        let journal = shared.journal.as_ref().ok_or_else(|| write(io::Error::other("no journal")))?;
        let mut temporary = journal.temporary(&below, &folder).map_err(write)?;
        temporary.claim = claim;
        // A file with holes is not allocated as a whole.
        if !source.holes {
            let allocated = match &mut temporary.claim {
                Some(claim) => claim.allocate(&temporary.file, source.meta.size),
                None => room::allocate(&temporary.file, source.meta.size),
            };
            allocated.map_err(|e| plan.destination(&e))?;
        }
        Ok(Copy { temporary, begun: 0 })
    }

    /// Writes what has been read from offset `at` on.
    fn put(&mut self, data: &[u8], at: u64, holes: bool) -> Result<(), Failure> {
        let Some(Copy { temporary, begun }) = &mut self.copy else { return Ok(()) };
        let written = if holes {
            write_around_zeros(&temporary.file, data, at)
        } else {
            write(&temporary.file, data, at).map(|()| data.len())
        };
        let written = written.map_err(|e| self.ticket.plan().destination(&e))?;
        if let Some(claim) = &mut temporary.claim {
            claim.wrote(written as u64);
        }
        let end = at + data.len() as u64;
        if end - *begun >= BEHIND {
            *begun = end;
            place::begin_writing(&temporary.file);
        }
        Ok(())
    }

    /// Completes the copy.
    fn end(&self, source: &Open) -> Result<(), Failure> {
        let Some(Copy { temporary, .. }) = &self.copy else { return Ok(()) };
        if source.holes {
            // A hole at the end of the file.
            temporary.file.set_len(source.at).map_err(|e| self.ticket.plan().destination(&e))?;
        }
        place::begin_writing(&temporary.file);
        Ok(())
    }

    /// Does something unless this side has failed. If that fails, the unfinished copy is deleted.
    fn attempt(&mut self, work: impl FnOnce(&mut Side) -> Result<(), Failure>) {
        if self.failure.is_none()
            && let Err(failure) = work(self)
        {
            self.fail(failure);
        }
    }

    fn fail(&mut self, failure: Failure) {
        self.copy = None;
        self.failure.get_or_insert(failure);
    }

    /// Passes on the copy, or reports why there is none.
    fn done(mut self, source: Option<(File, Meta, u64)>, digests: Vec<Digest>) {
        let made_up = self.ticket.plan().made_up;
        if let Some((_, _, length)) = source.as_ref().filter(|_| made_up) {
            self.ticket.set_length(*length);
        }
        let Side { shared, ticket, held, copy, failure } = self;
        match (failure, source, copy) {
            (None, Some((source, meta, _)), Some(Copy { temporary: copy, .. })) => {
                shared.written.put(Written { ticket, source, meta, copy, digests, held });
            }
            (failure, source, copy) => {
                // The unfinished copy is deleted before anybody hears of the failure.
                drop((source, copy, held));
                let broken = || Failure::Broken("a file was not opened".into());
                ticket.report(Err(failure.unwrap_or_else(broken)));
            }
        }
    }
}

impl Transfer {
    /// Returns the transfer of a file that all sides want, at least one.
    pub(crate) fn new(sides: Vec<Side>) -> Box<Self> {
        Box::new(Transfer { sides, open: None })
    }

    fn plan(&self) -> &Plan {
        self.sides[0].ticket.plan()
    }

    /// Notes a failure that concerns all sides. The caller gets only its text.
    fn fail(&mut self, failure: &Failure) -> Error {
        self.sides.iter_mut().for_each(|side| side.attempt(|_| Err(failure.clone())));
        io::Error::other(failure.to_string()).into()
    }

    /// Returns an error if all sides have failed.
    fn goes_on(&self) -> Result<(), Error> {
        match &self.sides[0].failure {
            Some(failure) if self.sides.iter().all(|side| side.failure.is_some()) => {
                Err(io::Error::other(failure.to_string()).into())
            }
            _ => Ok(()),
        }
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
        self.plan().size
    }

    fn open(&mut self) -> Result<(), Error> {
        let open = match Open::new(self.plan()) {
            Ok(open) => open,
            Err(e) => return Err(self.fail(&e)),
        };
        for side in &mut self.sides {
            side.attempt(|side| {
                side.copy = Some(side.begin(&open)?);
                Ok(())
            });
        }
        self.open = Some(open);
        self.goes_on()
    }

    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        let (made_up, progress) = (self.plan().made_up, Arc::clone(&self.sides[0].shared.progress));
        if progress.is_stopped() {
            return Err(self.fail(&Failure::Source("interrupted".into())));
        }
        let Some(open) = &mut self.open else { return Ok(0) };
        let at = open.at;
        let n = match open.fill(made_up, buffer) {
            Ok(n) => n,
            Err(e) => return Err(self.fail(&e)),
        };
        let holes = open.holes;
        for side in &mut self.sides {
            side.attempt(|side| side.put(&buffer[..n], at, holes));
            progress.read(n);
        }
        self.goes_on().map(|()| n)
    }

    fn done(self: Box<Self>, result: Result<Vec<Digest>, Error>) {
        let mut this = *self;
        let digests = match result {
            Ok(digests) => digests,
            Err(e) => {
                this.fail(&Failure::of_source(&e));
                Vec::new()
            }
        };
        let made_up = this.plan().made_up;
        if let Some(Err(e)) = this.open.as_ref().map(|open| open.end(made_up)) {
            this.fail(&e);
        }
        let Transfer { mut sides, mut open } = this;
        if let Some(open) = &open {
            sides.iter_mut().for_each(|side| side.attempt(|side| side.end(open)));
        }
        // Each side needs the source's metadata later.
        while let Some(mut side) = sides.pop() {
            let source = match &open {
                Some(open) if !sides.is_empty() => match open.file.try_clone() {
                    Ok(file) => Some((file, open.meta, open.at)),
                    Err(e) => {
                        side.fail(Failure::Source(plain(&e)));
                        None
                    }
                },
                _ => open.take().map(|Open { file, meta, at, .. }| (file, meta, at)),
            };
            side.done(source, digests.clone());
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
