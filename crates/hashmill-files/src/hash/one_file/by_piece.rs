//! One file whose digest is composed of those of its pieces. Each thread hashes several of them side by side in the
//! lanes of a mill. Of long pieces, each lane reads its own; of short ones, a thread reads many at once.

use crate::base::error::Error;
use crate::base::progress::Progress;
use crate::base::threads::ThreadBudget;
use crate::hash::lanes::window::{HEADROOM, MOST_SLOTS, SPARE, window_len};
use crate::hash::pieces::{Plan, SHORT, Tree};
use crate::read::input::read_full_at;
use hashmill::unstable::{Mill, Open, Refill, Source};
use std::collections::BTreeMap;
use std::fs::File;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::Scope;

/// Number of bytes with short pieces that a thread reads at once.
const RUN: u64 = 1 << 20;

/// Returns the value of a file of `size` bytes, and the number of bytes read; or `None` if there is nothing to divide.
pub(crate) fn hash(
    file: &File,
    size: u64,
    plan: &Plan,
    budget: Option<&ThreadBudget>,
    progress: &Progress,
) -> Result<Option<(Vec<u8>, u64)>, Error> {
    let is_short = plan.piece(0) <= SHORT;
    if size <= plan.piece(0) || is_short && size <= RUN {
        return Ok(None);
    }
    let tree = Tree::new(plan);
    let state = State { next: 0, at: 0, ended: 0, early: BTreeMap::new(), tree, failed: None };
    let bytes = AtomicU64::new(0);
    let work = Work { file, size, plan, budget, progress, bytes, state: Mutex::new(state) };
    std::thread::scope(|s| if is_short { work.run_short(s) } else { work.run(s, 1) });
    let bytes = work.bytes.into_inner();
    let state = work.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    match state.failed {
        Some(e) => Err(e),
        None => Ok(Some((state.tree.finish(bytes)?, bytes))),
    }
}

struct Work<'a> {
    file: &'a File,
    size: u64,
    plan: &'a Plan,
    budget: Option<&'a ThreadBudget>,
    progress: &'a Progress,
    /// Number of bytes read.
    bytes: AtomicU64,
    state: Mutex<State>,
}

struct State {
    /// Number and offset of the piece, or of the run of short pieces, to be taken next.
    next: u64,
    at: u64,
    /// Number of those whose digests are in the tree, and digests that came before their turn.
    ended: u64,
    early: BTreeMap<u64, Vec<u8>>,
    tree: Tree,
    failed: Option<Error>,
}

impl Work<'_> {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run<'s>(&'s self, scope: &'s Scope<'s, '_>, threads: u64) {
        let _broken = Broken(self);
        let left = (self.size - self.lock().at).div_ceil(self.plan.piece(0));
        let mut threads = threads;
        if left > 1
            && let Some(permit) = self.budget.and_then(ThreadBudget::take)
            && permit.spawn(scope, move || self.run(scope, threads + 1))
        {
            threads += 1;
        }
        // No thread takes so many pieces that there are none for the others.
        let share = usize::try_from(left.div_ceil(threads)).unwrap_or(usize::MAX);
        let mut mill = Mill::new(self.plan.algorithm, share.clamp(1, MOST_SLOTS));
        let slots = mill.slots();
        let stride = HEADROOM + window_len(slots, 1) + SPARE;
        mill.run(&mut Lanes {
            work: self,
            slots: vec![Slot::default(); slots],
            arena: vec![0; slots * stride],
            stride,
        });
    }
}

impl Work<'_> {
    /// The same for short pieces.
    fn run_short<'s>(&'s self, scope: &'s Scope<'s, '_>) {
        let _broken = Broken(self);
        let mut buffer = vec![0; RUN as usize];
        loop {
            let mut state = self.lock();
            if state.failed.is_some() || state.at >= self.size {
                return;
            }
            let (number, at) = (state.next, state.at);
            let n = RUN.min(self.size - at);
            (state.next, state.at) = (number + 1, at + n);
            drop(state);
            if at + n < self.size
                && let Some(permit) = self.budget.and_then(ThreadBudget::take)
            {
                // If no thread can be started, the work merely takes longer.
                permit.spawn(scope, move || self.run_short(scope));
            }
            let read = match self.progress.is_stopped() {
                true => Err(Error::Stopped),
                false => read_full_at(self.file, &mut buffer[..n as usize], at),
            };
            match read {
                Err(e) => _ = self.lock().failed.get_or_insert(e),
                Ok(n) => {
                    self.count(n);
                    let digests = self.plan.digests(&buffer[..n]);
                    self.deliver(number, digests);
                }
            }
        }
    }

    fn count(&self, n: usize) {
        self.progress.read(n);
        self.bytes.fetch_add(n as u64, Relaxed);
    }

    /// Takes the digests of the pieces with this number, and puts into the tree what it is the turn of.
    fn deliver(&self, number: u64, digests: Vec<u8>) {
        let mut state = self.lock();
        state.early.insert(number, digests);
        let mut next = state.ended;
        while let Some(digests) = state.early.remove(&next) {
            state.tree.push_many(&digests);
            next += 1;
        }
        state.ended = next;
    }
}

/// A piece in a lane.
#[derive(Clone, Default)]
struct Slot {
    number: u64,
    /// What of the file has not been read.
    at: u64,
    end: u64,
    /// The range of the window in this slot's part of the arena.
    from: usize,
    to: usize,
}

struct Lanes<'a, 'b> {
    work: &'a Work<'b>,
    slots: Vec<Slot>,
    /// For each slot: `HEADROOM` bytes, its window and `SPARE` bytes.
    arena: Vec<u8>,
    stride: usize,
}

impl Lanes<'_, '_> {
    /// Reads more of a piece behind the `keep` bytes that have not been used. Returns the number of bytes, which is 0
    /// at its end.
    fn fill(&mut self, slot: usize, keep: usize) -> usize {
        let Slot { at, end, .. } = self.slots[slot];
        let window = &mut self.arena[slot * self.stride..][HEADROOM..self.stride - SPARE];
        let wanted = usize::try_from(end - at).unwrap_or(usize::MAX).min(window.len());
        let read = match self.work.progress.is_stopped() {
            true => Err(Error::Stopped),
            false if wanted == 0 => Ok(0),
            false => read_full_at(self.work.file, &mut window[..wanted], at),
        };
        let n = read.unwrap_or_else(|e| {
            self.work.lock().failed.get_or_insert(e);
            0
        });
        self.work.count(n);
        let s = &mut self.slots[slot];
        s.at += n as u64;
        (s.from, s.to) = (HEADROOM - keep, HEADROOM + n);
        n
    }
}

impl Source for Lanes<'_, '_> {
    fn open(&mut self, slot: usize) -> Open {
        let mut state = self.work.lock();
        if state.failed.is_some() || state.at >= self.work.size {
            return Open::End;
        }
        let (number, at) = (state.next, state.at);
        let end = self.work.size.min(at.saturating_add(self.work.plan.piece(at)));
        (state.next, state.at) = (number + 1, end);
        drop(state);
        self.slots[slot] = Slot { number, at, end, from: HEADROOM, to: HEADROOM };
        self.fill(slot, 0);
        Open::Message(end - at)
    }

    fn window(&self, slot: usize) -> &[u8] {
        let s = &self.slots[slot];
        &self.arena[slot * self.stride + s.from..slot * self.stride + s.to]
    }

    fn refill(&mut self, slot: usize, keep: usize) -> Refill {
        let to = self.slots[slot].to;
        let part = &mut self.arena[slot * self.stride..][..self.stride];
        part.copy_within(to - keep..to, HEADROOM - keep);
        if self.fill(slot, keep) == 0 { Refill::End } else { Refill::More }
    }

    fn done(&mut self, slot: usize, digest: &[u8]) {
        self.work.deliver(self.slots[slot].number, digest.to_vec());
    }
}

/// Ends the work of all threads if one of them panics.
struct Broken<'a, 'b>(&'a Work<'b>);

impl Drop for Broken<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().failed = Some(Error::Panicked);
        }
    }
}
