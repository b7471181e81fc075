//! The threads of a run, and what passes between them.
//!
//! ```text
//! one pool per source device         four threads            the pool of the destination's device
//! read, hash, write (copying.rs)  →  metadata, fsync      →  read back from the medium (reading.rs), compare, name
//!        ↑ again, if the comparison fails once
//! ```
//!
//! The pools hash in lanes if the algorithms have them. The number of copies waiting to be read back is bounded, and so
//! are the buffers and the descriptors; the pages being written belong to the kernel.
//!
//! The main thread hears what becomes of every file: a [`Ticket`] travels with it from thread to thread, and reports
//! even when it is dropped because a thread panicked.
//!
//! Waits never form a cycle: a thread never waits for one that is waiting for it. All descriptors that a file will need
//! are reserved at the start ([`Held`](crate::transfer::shared::Held)), so none waits for descriptors midway.

use crate::decide::failure::Failure;
use crate::fs::beneath::not_through_links;
use crate::fs::meta::Meta;
use crate::fs::place::{self, Lost};
use crate::fs::source::{Opener, Source};
use crate::model::options::Verify;
use crate::transfer::copying::{Side, Transfer};
use crate::transfer::pairing::Pairing;
use crate::transfer::pipe::Taken;
use crate::transfer::plan::Plan;
use crate::transfer::reading::{Known, Reading, Then};
use crate::transfer::shared::{Asked, Device, Finished, Held, News, PER_COPY, Shared, Ticket, Written};
use hashmill_files::plain;
use rustix::fs::OFlags;
use std::fs::File;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, PoisonError};
use std::thread::{Builder, Scope};

/// Number of threads that wait for the medium.
const SYNCERS: usize = 4;

/// Copies up to this length in bytes are made durable together. What is longer is on its way to the medium by then.
const SMALL: u64 = 1 << 20;

/// For fewer copies than this, a call for each of them takes less time than one for the whole file system.
const GROUP: usize = 8;

/// The threads of one run.
pub(crate) struct Engine<'s, 'e> {
    pub(crate) shared: Arc<Shared>,
    scope: &'s Scope<'s, 'e>,
    /// The connection to a run that copies the same sources elsewhere.
    pub(crate) pairing: Option<Pairing>,
}

impl<'s, 'e> Engine<'s, 'e> {
    /// Starts the threads that sync copies, except in a dry run. If the system allows only some of them, these do all
    /// the work.
    pub(crate) fn start(scope: &'s Scope<'s, 'e>, shared: Shared, pairing: Option<Pairing>) -> io::Result<Self> {
        let engine = Engine { shared: Arc::new(shared), scope, pairing };
        if engine.shared.options.dry_run {
            return Ok(engine);
        }
        for i in 0..SYNCERS {
            let shared = Arc::clone(&engine.shared);
            let started = Builder::new().spawn_scoped(scope, move || {
                // Another file system may be mounted below the destination.
                let is_small =
                    |w: &Written| shared.groups && w.meta.size <= SMALL && w.copy.identity.0 == shared.device;
                while let Some(taken) = shared.written.take_group(is_small) {
                    // If this panics, the tickets report it.
                    let _ = catch_unwind(AssertUnwindSafe(|| match taken {
                        Taken::One(w) => sync(&shared, scope, w),
                        Taken::Group(group) => sync_group(&shared, scope, group),
                    }));
                }
            });
            match started {
                Err(e) if i == 0 => return Err(e),
                Err(_) => break,
                Ok(_) => {}
            }
        }
        Ok(engine)
    }

    /// Queues a file to be copied.
    pub(crate) fn copy(&self, plan: Plan, attempt: u32) {
        let held = self.hold(PER_COPY);
        let plan = Arc::new(plan);
        let ticket = Ticket::new(&self.shared, &plan, attempt);
        match self.shared.pool(self.scope, Device::Source(plan.meta.device), &plan.source.path) {
            Ok(pool) => {
                let side = Side::new(&self.shared, ticket, held);
                match &self.pairing {
                    Some(pairing) => pairing.copy(pool, side),
                    None => pool.put(Transfer::new(vec![side])),
                }
            }
            Err(e) => ticket.report(Err(no_thread(&e))),
        }
    }

    /// Requests the digests of a source.
    pub(crate) fn read_source(&self, what: Asked, source: &Source, meta: &Meta, size: u64) {
        self.read(what, Device::Source(meta.device), &source.path, source.opener(), size, false);
    }

    /// Requests the digests of a file of the destination. If `medium` is set, the file is made durable first and then
    /// read from the medium.
    pub(crate) fn read_file(&self, path: &Path, size: u64, medium: bool) {
        let (root, below) = (Arc::clone(&self.shared.root), path.to_path_buf());
        let opener: Opener = Box::new(move |flags| root.file(&below, flags).map_err(not_through_links));
        let device = Device::Destination(self.shared.device);
        self.read(Asked::File(path.into()), device, &self.shared.root.shown(path), opener, size, medium);
    }

    fn read(&self, what: Asked, device: Device, path: &Path, opener: Opener, size: u64, medium: bool) {
        let held = self.hold(1);
        let shared = Arc::clone(&self.shared);
        let pool = self.shared.pool(self.scope, device, path);
        let pool = match pool {
            Ok(pool) => pool,
            Err(e) => return self.shared.tell(News::Known { what, result: Err(no_thread(&e)) }),
        };
        let then: Then = Box::new(move |result| {
            drop(held);
            shared.tell(News::Known { what, result: result.map_err(|e| Failure::of_source(&e)) });
        });
        let mut reading = Reading::new(opener, size, &self.shared.progress, then);
        if medium {
            reading = reading.past_cache(self.shared.buffer, &self.shared.ways).synced();
        }
        pool.put(Box::new(reading));
    }

    /// Reserves descriptors for a file, waiting until there are enough.
    fn hold(&self, count: usize) -> Held {
        self.shared.try_hold(count).unwrap_or_else(|| self.wait(|| self.shared.hold(count)))
    }

    /// Waits by calling `wait`, during which another run, if there is one, does not count on this one.
    pub(crate) fn wait<R>(&self, wait: impl FnOnce() -> R) -> R {
        match &self.pairing {
            Some(pairing) => pairing.wait(wait),
            None => wait(),
        }
    }

    /// Closes all queues: no more files will come.
    pub(crate) fn end(&self) {
        self.pairing.iter().for_each(Pairing::end);
        self.shared.written.close();
        self.shared.pools.lock().unwrap_or_else(PoisonError::into_inner).values().for_each(|p| p.close());
    }
}

fn no_thread(e: &io::Error) -> Failure {
    Failure::Broken(format!("no thread can be started: {}", plain(e)))
}

/// Makes a copy durable, then has it read back if the options ask for that.
fn sync<'s, 'e>(shared: &Arc<Shared>, scope: &'s Scope<'s, 'e>, w: Written) {
    let dressed = dress(shared, &w).and_then(|lost| place::sync_file(&w.copy.file).map(|()| lost));
    go_on(shared, scope, w, dressed);
}

/// Does the same for a group of small copies, with one call for all of them.
fn sync_group<'s, 'e>(shared: &Arc<Shared>, scope: &'s Scope<'s, 'e>, group: Vec<Written>) {
    /// Lets the next group be taken, even after a panic.
    struct EndGroup<'a>(&'a Shared);
    impl Drop for EndGroup<'_> {
        fn drop(&mut self) {
            self.0.written.end_group();
        }
    }
    let end = EndGroup(shared);
    let mut dressed: Vec<(Written, io::Result<Lost>)> =
        group.into_iter().map(|w| (dress(shared, &w), w)).map(|(lost, w)| (w, lost)).collect();
    // If it fails, the calls for each file say which of them are concerned.
    if dressed.len() < GROUP || place::sync_all(shared.root.fd()).is_err() {
        for (w, lost) in &mut dressed {
            if let (Ok(_), Err(e)) = (&lost, place::sync_file(&w.copy.file)) {
                *lost = Err(e);
            }
        }
    }
    drop(end);
    for (w, lost) in dressed {
        go_on(shared, scope, w, lost);
    }
}

/// Gives a copy the metadata that it is to have.
fn dress(shared: &Shared, w: &Written) -> io::Result<Lost> {
    let Written { ticket, source, meta, copy, .. } = w;
    match ticket.plan().mends {
        None => place::dress(&copy.file, source, meta),
        // The metadata of a damaged file are as they were.
        Some(_) => {
            let damaged = shared.root.file(&ticket.plan().target(), OFlags::empty())?;
            place::dress(&copy.file, &damaged, &Meta::of(&damaged)?)
        }
    }
}

/// Has a copy read back that is durable, or not if that or its metadata has failed.
fn go_on<'s, 'e>(shared: &Arc<Shared>, scope: &'s Scope<'s, 'e>, w: Written, dressed: io::Result<Lost>) {
    let Written { ticket, source, meta, copy, digests, held } = w;
    let dressed = dressed.and_then(|lost| {
        // The source must not have changed since it was read, or the metadata just copied may not match the content.
        // In `/sys`, asking for the attributes of a file changes its times.
        Ok((lost, ticket.plan().made_up || Meta::of(&source)?.stamp().is(&meta.stamp(), true)))
    });
    drop(source);
    let failure = match &dressed {
        Ok((_, true)) => None,
        Ok((_, false)) => Some(Failure::Changed),
        Err(e) => Some(ticket.plan().destination(e)),
    };
    let lost = dressed.map_or_else(|_| Lost::new(), |(lost, _)| lost);
    if let Some(failure) = failure {
        drop((copy, held));
        return ticket.report(Err(failure));
    }
    let finished = Finished { ticket, copy, stamp: meta.stamp(), digests, lost, held };
    if shared.options.verify < Verify::Reread {
        return shared.finish(finished);
    }
    let plan = Arc::clone(finished.ticket.plan());
    let pools =
        shared.pool(scope, Device::Destination(shared.device), &shared.root.shown(&plan.folder())).and_then(|p| {
            let again = shared.options.verify == Verify::Source;
            let device = Device::Source(plan.meta.device);
            Ok((p, again.then(|| shared.pool(scope, device, &plan.source.path)).transpose()?))
        });
    let (pool, source_pool) = match pools {
        Ok(pools) => pools,
        Err(e) => {
            let Finished { ticket, copy, held, .. } = finished;
            drop((copy, held));
            return ticket.report(Err(no_thread(&e)));
        }
    };
    shared.unverified.take(1);
    let size = plan.size;
    let (folder, name, identity) =
        (Arc::clone(&finished.copy.folder), finished.copy.name.clone(), finished.copy.identity);
    // The name must still refer to the file that was written, which only a stable inode number can tell.
    let fickle = shared.made().fickle;
    let opener: Opener = Box::new(move |flags| {
        let flags = flags | OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(rustix::fs::openat(&folder, &name, flags, rustix::fs::Mode::empty())?);
        if fickle || Meta::of(&file)?.identity() == identity {
            Ok(file)
        } else {
            Err(io::Error::other("is not the file that was written"))
        }
    });
    let inner = Arc::clone(shared);
    let then: Then = Box::new(move |result| {
        inner.unverified.give(1);
        let Some(finished) = judge(finished, result, false) else { return };
        let Some(pool) = source_pool else { return inner.finish(finished) };
        let plan = Arc::clone(finished.ticket.plan());
        let again = Arc::clone(&inner);
        let then: Then = Box::new(move |result| {
            if let Some(finished) = judge(finished, result, true) {
                again.finish(finished);
            }
        });
        let reading = Reading::new(plan.source.opener(), size, &inner.progress, then);
        pool.put(Box::new(reading.past_cache(inner.buffer, &Arc::default())));
    });
    pool.put(Box::new(Reading::new(opener, size, &shared.progress, then).past_cache(shared.buffer, &shared.ways)));
}

/// Compares the digests of what was read again. Returns the copy if they match, or else reports the failure.
fn judge(finished: Finished, result: Result<Known, hashmill_files::Error>, source: bool) -> Option<Finished> {
    let failure = match result {
        Ok(known) if known.digests == finished.digests => return Some(finished),
        Ok(_) => Failure::Mismatch { original: source },
        Err(e) if matches!(e, hashmill_files::Error::Panicked) || source => Failure::of_source(&e),
        Err(e) => finished.ticket.plan().destination(&io::Error::other(format!("cannot be read back: {e}"))),
    };
    let Finished { ticket, copy, held, .. } = finished;
    drop((copy, held));
    ticket.report(Err(failure));
    None
}
