//! One long file and algorithms that can be computed in parts: every thread reads and hashes a part of its own, and the
//! values are put together in order.

use crate::base::error::Error;
use crate::base::progress::Progress;
use crate::base::threads::ThreadBudget;
use crate::read::input::read_full_at;
use crate::read::sys::{MAPPED, Mapping};
use hashmill::{Algorithm, Part, Parts};
use std::collections::BTreeMap;
use std::fs::File;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Scope;

/// Bytes of a part: it stays in a second-level cache between reading and hashing.
pub(crate) const PART: usize = 256 << 10;

/// How many parts a thread may be ahead of the one that comes next, so that what waits for its turn is bounded.
const AHEAD: u64 = 512;

/// Parts that a thread takes at once while there are many: those of a mapping.
const RUN: u64 = (MAPPED / PART) as u64;

/// So many runs from the end parts are taken one by one, so that all threads are done at the same time.
const TAIL: u64 = 4;

/// So many parts are worth starting a thread for.
const WORTH: u64 = 4;

/// Digests, and the number of bytes that they are of.
pub(crate) type Divided = (Box<[u8]>, u64);

/// The digests of `file`, which can be read from anywhere and has about `size` bytes, one after the other, and how many
/// bytes it had. Nothing if an algorithm is not divisible.
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
    let work = Work { file, expected, algorithms, budget, progress, state: Mutex::new(state), pushed: Condvar::new() };
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
    /// Parts, as far as is known.
    expected: u64,
    algorithms: &'a [Algorithm],
    budget: &'a ThreadBudget,
    progress: &'a Progress,
    state: Mutex<State>,
    /// Signalled when parts have been pushed or no more will be.
    pushed: Condvar,
}

struct State {
    /// One for each algorithm.
    parts: Vec<Parts>,
    /// How many parts threads have begun.
    taken: u64,
    /// Values of parts that came before their turn.
    early: BTreeMap<u64, Vec<Part>>,
    /// The part that is not a full one, by its number. A file that grows may show more than one; the first counts.
    last: Option<(u64, Vec<u8>)>,
    failed: Option<Error>,
    /// A thread panicked.
    broken: bool,
    /// Threads that are too far ahead.
    waiting: usize,
}

impl State {
    /// How many parts have been pushed.
    fn pushed(&self) -> u64 {
        self.parts.first().map_or(0, Parts::count)
    }

    /// Nothing more is to be read.
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
                // With this thread alone it takes longer, no more.
                permit.spawn(scope, move || self.run(scope));
            }
            let read = if far { self.hash_mapped(i) } else { None }.unwrap_or_else(|| self.read(i, run, &mut buffer));
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
                    // Only a fault of this program makes a part that does not fit.
                    state.failed = Some(Error::Panicked);
                }
                next += 1;
            }
            if state.waiting > 0 {
                self.pushed.notify_all();
            }
        }
    }

    /// Hashes `run` parts from number `i` on as it reads them, but none after an error or the end.
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

    /// Hashes the parts of the mapping that begins with number `i`. Nothing if there is no such mapping, or if it did
    /// not last.
    fn hash_mapped(&self, i: u64) -> Option<Vec<Result<Read, Error>>> {
        let mapping = Mapping::of(self.file, i * PART as u64).filter(|_| !self.progress.is_stopped())?;
        let hash = |(i, bytes)| {
            fetch(bytes);
            Ok(Read::Full(self.hash(i * PART as u64, bytes)))
        };
        let all = (i..).zip(mapping.bytes().chunks_exact(PART)).map(hash).collect();
        mapping.is_whole().then(|| {
            self.progress.read(MAPPED);
            all
        })
    }

    /// The values of the part that begins at byte `at`.
    fn hash(&self, at: u64, bytes: &[u8]) -> Vec<Part> {
        self.algorithms.iter().filter_map(|a| a.part(at, bytes)).collect()
    }
}

/// Brings bytes from memory into the caches, which algorithms that take many places of them in turn would do more
/// slowly.
fn fetch(bytes: &[u8]) {
    std::hint::black_box(bytes.chunks(64).fold(0, |all, line| all ^ line[0]));
}

/// A part that has been read.
enum Read {
    Full(Vec<Part>),
    /// One that ends before it is full, perhaps before it begins.
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
