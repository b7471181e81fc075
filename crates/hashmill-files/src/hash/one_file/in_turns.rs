//! One long file and one algorithm that is not much slower than reading, or faster: several threads each read a chunk
//! of their own, and the state of the hash passes from one to the next in the order of the chunks. While one thread
//! hashes, the others read.

use crate::base::error::Error;
use crate::base::progress::Progress;
use crate::base::threads::ThreadBudget;
use crate::read::input::read_full_at;
use hashmill::Hasher;
use std::fs::File;
use std::sync::atomic::{AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Scope;

/// Size of a chunk: large enough that taking turns costs little, and small enough for a second-level cache to hold it
/// between reading and hashing.
const CHUNK: usize = 512 << 10;

/// Maximum number of threads: more would only wait for their turns.
const MOST: usize = 4;

/// How often a thread checks whether it is its turn before it sleeps. Being woken takes longer than hashing a chunk.
const LOOKS: usize = 2000;

/// Hashes `file` from byte `at` to its end; `size` is the approximate length of the whole file. Also returns the number
/// of bytes hashed.
pub(crate) fn hash(
    file: &File,
    at: u64,
    size: u64,
    hasher: Hasher,
    budget: &ThreadBudget,
    progress: &Progress,
) -> Result<(Hasher, u64), Error> {
    let state = State { hasher, bytes: 0, ended: false, failed: None, asleep: 0 };
    let expected = size.saturating_sub(at).div_ceil(CHUNK as u64);
    let relay = Relay {
        file,
        at,
        expected,
        budget,
        progress,
        taken: AtomicU64::new(0),
        turn: AtomicU64::new(0),
        state: Mutex::new(state),
        passed: Condvar::new(),
    };
    std::thread::scope(|s| relay.run(s, 1));
    let state = relay.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    match state.failed {
        Some(e) => Err(e),
        None => Ok((state.hasher, state.bytes)),
    }
}

struct Relay<'a> {
    file: &'a File,
    /// Offset of the first chunk.
    at: u64,
    /// Expected number of chunks.
    expected: u64,
    budget: &'a ThreadBudget,
    progress: &'a Progress,
    /// Number of chunks that threads have begun to read.
    taken: AtomicU64,
    /// The chunk to be hashed next. It changes only under the lock.
    turn: AtomicU64,
    state: Mutex<State>,
    /// Signalled when the turn has passed on and a thread is asleep.
    passed: Condvar,
}

struct State {
    hasher: Hasher,
    bytes: u64,
    /// Whether the end of the file has been hashed or the work has failed.
    ended: bool,
    failed: Option<Error>,
    asleep: usize,
}

impl Relay<'_> {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run<'s>(&'s self, scope: &'s Scope<'s, '_>, threads: usize) {
        let _broken = Broken(self);
        let mut buffer = vec![0; CHUNK];
        let mut helped = threads >= MOST;
        loop {
            let i = self.taken.fetch_add(1, Relaxed);
            if !helped && i + 1 < self.expected {
                helped = true;
                if let Some(permit) = self.budget.take() {
                    // If no thread can be started, the work merely takes longer.
                    permit.spawn(scope, move || self.run(scope, threads + 1));
                }
            }
            let read = match self.progress.is_stopped() {
                true => Err(Error::Stopped),
                false => read_full_at(self.file, &mut buffer, self.at + i * CHUNK as u64),
            };
            let mut state = self.await_turn(i);
            if state.ended {
                return;
            }
            match read {
                Ok(n) => {
                    #[cfg(test)]
                    crate::base::trap::trip_on(&buffer);
                    state.hasher.update(&buffer[..n]);
                    state.bytes += n as u64;
                    self.progress.read(n);
                    state.ended = n < CHUNK;
                }
                Err(e) => {
                    state.failed = Some(e);
                    state.ended = true;
                }
            }
            self.turn.store(i + 1, Release);
            let (ended, wake) = (state.ended, state.asleep > 0);
            drop(state);
            if wake {
                self.passed.notify_all();
            }
            if ended {
                return;
            }
        }
    }

    /// Waits for the turn of chunk `i` or the end of the work, and returns the state.
    fn await_turn(&self, i: u64) -> MutexGuard<'_, State> {
        for _ in 0..LOOKS {
            if self.turn.load(Acquire) == i {
                break;
            }
            std::hint::spin_loop();
        }
        let mut state = self.lock();
        while self.turn.load(Acquire) != i && !state.ended {
            state.asleep += 1;
            state = self.passed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.asleep -= 1;
        }
        state
    }
}

/// Ends the work of all threads if one of them panics.
struct Broken<'a, 'b>(&'a Relay<'b>);

impl Drop for Broken<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let mut state = self.0.lock();
            state.ended = true;
            state.failed = Some(Error::Panicked);
            drop(state);
            self.0.passed.notify_all();
        }
    }
}
