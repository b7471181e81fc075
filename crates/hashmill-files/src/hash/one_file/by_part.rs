//! One long file and algorithms that can be computed in parts: each thread reads and hashes parts of its own, and the
//! values are combined in order.
//!
//! A mapping saves the copy that reading makes, but costs page faults, and which of the two is dearer depends on the
//! file system, the kernel and the machine: on tmpfs a page fault has cost what copying 16 KiB does. So the first runs
//! of parts show it.

use crate::base::error::Error;
use crate::base::progress::Progress;
use crate::base::threads::ThreadBudget;
use crate::read::input::read_full_at;
use crate::read::sys::{MAPPED, Mapping};
use hashmill::{Algorithm, Part, Parts};
use std::collections::BTreeMap;
use std::fs::File;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Scope;
use std::time::Instant;

/// Size of a part, which stays in a second-level cache between reading and hashing.
pub(crate) const PART: usize = 256 << 10;

/// Maximum number of parts that a thread may be ahead of the next one in order, so that the number of values waiting
/// for their turn is bounded.
const AHEAD: u64 = 512;

/// Number of parts that a thread takes at once while there are many left: those of a mapping.
const RUN: u64 = (MAPPED / PART) as u64;

/// Within this many runs of the end, parts are taken one by one, so that all threads finish at the same time.
const TAIL: u64 = 4;

/// How many runs show which way of hashing them is faster: they are mapped and read in turns.
const TRIALS: u64 = 4;

/// Number of remaining parts that is worth starting a thread for.
const WORTH: u64 = 4;

/// Digests, and the number of bytes hashed.
pub(crate) type Divided = (Box<[u8]>, u64);

/// Returns the digests of `file`, one after the other, and the number of bytes hashed. The file has about `size` bytes
/// and can be read from any position. Returns `None` if an algorithm is not divisible.
pub(crate) fn hash(
    file: &File,
    size: u64,
    algorithms: &[Algorithm],
    budget: &ThreadBudget,
    progress: &Progress,
) -> Result<Option<Divided>, Error> {
    let Some(parts) = algorithms.iter().map(|&a| Parts::new(a, PART)).collect::<Option<Vec<Parts>>>() else {
        return Ok(None);
    };
    let state = State { parts, taken: 0, early: BTreeMap::new(), last: None, failed: None, broken: false, waiting: 0 };
    let expected = size / PART as u64;
    let work = Work {
        file,
        expected,
        algorithms,
        budget,
        progress,
        ways: [Way::new(), Way::new()],
        state: Mutex::new(state),
        pushed: Condvar::new(),
    };
    std::thread::scope(|s| work.run(s));
    let state = work.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(e) = state.failed {
        return Err(e);
    }
    let last = state.last.map_or(Vec::new(), |(_, bytes)| bytes);
    let bytes = state.parts.first().map_or(0, Parts::count) * PART as u64 + last.len() as u64;
    let mut out = Vec::new();
    state.parts.iter().for_each(|p| out.extend_from_slice(p.finish(&last).as_bytes()));
    Ok(Some((out.into(), bytes)))
}

struct Work<'a> {
    file: &'a File,
    /// Expected number of full parts.
    expected: u64,
    algorithms: &'a [Algorithm],
    budget: &'a ThreadBudget,
    progress: &'a Progress,
    /// How fast runs were that were mapped, and that were read.
    ways: [Way; 2],
    state: Mutex<State>,
    /// Signalled when parts have been pushed or no more will be.
    pushed: Condvar,
}

/// The shortest time for a run in one of two ways, in nanoseconds.
struct Way(AtomicU64);

impl Way {
    fn new() -> Self {
        Way(AtomicU64::new(u64::MAX))
    }

    fn best(&self) -> u64 {
        self.0.load(Relaxed)
    }

    /// Takes it, if `hash` does, and keeps how long it was.
    fn timed<T>(&self, hash: impl FnOnce() -> Option<T>) -> Option<T> {
        let start = Instant::now();
        let done = hash()?;
        self.0.fetch_min(u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX), Relaxed);
        Some(done)
    }
}

struct State {
    /// One for each algorithm.
    parts: Vec<Parts>,
    /// Number of parts that threads have taken.
    taken: u64,
    /// Values of parts that were done before their turn.
    early: BTreeMap<u64, Vec<Part>>,
    /// The part that is not full, with its number. A growing file may have shown more than one; the first counts.
    last: Option<(u64, Vec<u8>)>,
    failed: Option<Error>,
    /// Whether a thread has panicked.
    broken: bool,
    /// Number of threads that wait because they are too far ahead.
    waiting: usize,
}

impl State {
    /// Returns the number of parts that have been pushed.
    fn pushed(&self) -> u64 {
        self.parts.first().map_or(0, Parts::count)
    }

    /// Returns whether there is nothing more to read.
    fn is_over(&self) -> bool {
        self.failed.is_some() || self.broken || self.last.as_ref().is_some_and(|(i, _)| self.taken >= *i)
    }
}

impl Work<'_> {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run<'s>(&'s self, scope: &'s Scope<'s, '_>) {
        let _broken = Broken(self);
        let mut buffer = vec![0; PART];
        let mut state = self.lock();
        loop {
            while !state.is_over() && state.taken >= state.pushed() + AHEAD {
                state.waiting += 1;
                state = self.pushed.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.waiting -= 1;
            }
            if state.is_over() {
                return;
            }
            let i = state.taken;
            let far = i.is_multiple_of(RUN) && i + TAIL * RUN <= self.expected;
            let run = if far { RUN } else { 1 };
            state.taken += run;
            drop(state);
            if i + WORTH <= self.expected
                && let Some(permit) = self.budget.take()
            {
                // If no thread can be started, the work merely takes longer.
                permit.spawn(scope, move || self.run(scope));
            }
            let read = if far { self.hash_run(i, &mut buffer) } else { self.read(i, run, &mut buffer) };
            state = self.lock();
            for (i, read) in (i..).zip(read) {
                match read {
                    Err(e) => state.failed = Some(e),
                    Ok(Read::Full(values)) => drop(state.early.insert(i, values)),
                    Ok(Read::Last(bytes)) if state.last.as_ref().is_none_or(|(first, _)| i < *first) => {
                        state.last = Some((i, bytes));
                    }
                    Ok(Read::Last(_)) => {}
                }
            }
            let mut next = state.pushed();
            while let Some(values) = state.early.remove(&next) {
                let fits = state.parts.iter_mut().zip(values).all(|(parts, value)| parts.push(value).is_ok());
                if !fits {
                    // Only a bug in this program can produce a part that does not fit.
                    state.failed = Some(Error::Panicked);
                }
                next += 1;
            }
            if state.waiting > 0 {
                self.pushed.notify_all();
            }
        }
    }

    /// Hashes the parts of a mapping from number `i` on, in the way that is faster here, after both were tried.
    fn hash_run(&self, i: u64, buffer: &mut [u8]) -> Vec<Result<Read, Error>> {
        let [mapped, read] = &self.ways;
        let number = i / RUN;
        let maps = if number < TRIALS { number.is_multiple_of(2) } else { mapped.best() <= read.best() };
        let all = if maps { mapped.timed(|| self.hash_mapped(i)) } else { None };
        // Reading hardly ever fails; an error is among what it returns.
        all.or_else(|| read.timed(|| Some(self.read(i, RUN, buffer)))).unwrap_or_default()
    }

    /// Reads and hashes `run` parts from number `i` on, stopping at an error or at the end of the file.
    fn read(&self, i: u64, run: u64, buffer: &mut [u8]) -> Vec<Result<Read, Error>> {
        let mut all = Vec::new();
        for i in i..i + run {
            let at = i * PART as u64;
            let read = match self.progress.is_stopped() {
                true => Err(Error::Stopped),
                false => read_full_at(self.file, buffer, at),
            };
            #[cfg(test)]
            crate::base::trap::trip_on(buffer);
            self.progress.read(*read.as_ref().unwrap_or(&0));
            all.push(read.map(|n| match n {
                PART => Read::Full(self.hash(at, buffer)),
                n => Read::Last(buffer[..n].to_vec()),
            }));
            if !matches!(all.last(), Some(Ok(Read::Full(_)))) {
                break;
            }
        }
        all
    }

    /// Hashes the parts of the mapping that begins with number `i`. Returns `None` if there is no such mapping, or if
    /// pages of it were lost.
    fn hash_mapped(&self, i: u64) -> Option<Vec<Result<Read, Error>>> {
        let mapping = Mapping::of(self.file, i * PART as u64).filter(|_| !self.progress.is_stopped())?;
        let hash = |(i, bytes)| Ok(Read::Full(self.hash(i * PART as u64, bytes)));
        let all = (i..).zip(mapping.bytes().chunks_exact(PART)).map(hash).collect();
        mapping.is_whole().then(|| {
            self.progress.read(MAPPED);
            all
        })
    }

    /// Returns the values of the part that begins at byte `at`, one for each algorithm.
    fn hash(&self, at: u64, bytes: &[u8]) -> Vec<Part> {
        self.algorithms.iter().filter_map(|a| a.part(at, bytes)).collect()
    }
}

/// A part that has been read.
enum Read {
    Full(Vec<Part>),
    /// A part that is not full, and may be empty.
    Last(Vec<u8>),
}

/// Ends the work of all threads if one of them panics.
struct Broken<'a, 'b>(&'a Work<'b>);

impl Drop for Broken<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().broken = true;
            self.0.pushed.notify_all();
        }
    }
}
