//! What two runs at the same time, from the same sources to two destinations, have to do with each other.
//!
//! Each run decides for itself what it copies, under which name, and what has failed. Where both copy the same file, it
//! is read once: the run that comes first leaves its side of the transfer here until the other one comes with its own,
//! or is known not to. That is when it waits for something, such as a file that is being copied: by then it has started
//! all that it could. Runs also wait for each other between batches, since files are only read at the same time if they
//! are in the same batch.
//!
//! A run that waits holds nothing that the other could wait for, so waits never form a cycle.

use crate::fs::meta::Identity;
use crate::transfer::copying::{Side, Transfer};
use crate::transfer::shared::Pool;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// One of two runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    First,
    Second,
}

#[derive(Default)]
struct State {
    /// Sides of transfers that wait for those of the other run, and the pool for each.
    held: HashMap<PathBuf, (Arc<Pool>, Side)>,
    /// Whether it waits for something.
    waits: bool,
    /// The folder that it copies to.
    root: Option<Identity>,
    /// Number of batches begun.
    batches: u64,
    ended: bool,
}

#[derive(Default)]
struct Pair {
    first: State,
    second: State,
}

impl State {
    /// Returns whether this run may still copy files of that batch without having waited for something.
    fn may_copy(&self, batch: u64) -> bool {
        !self.waits && !self.ended && self.batches == batch
    }
}

impl Pair {
    /// Returns the state of a run, and of the other one.
    fn of(&mut self, which: Which) -> (&mut State, &mut State) {
        match which {
            Which::First => (&mut self.first, &mut self.second),
            Which::Second => (&mut self.second, &mut self.first),
        }
    }
}

/// The connection of a run to the other one, which no longer waits for this run once this is dropped or has ended.
pub(crate) struct Pairing {
    pair: Arc<(Mutex<Pair>, Condvar)>,
    which: Which,
}

impl Pairing {
    /// Returns the connections of two runs.
    pub(crate) fn new() -> (Pairing, Pairing) {
        let pair: Arc<(Mutex<Pair>, Condvar)> = Arc::default();
        (Pairing { pair: Arc::clone(&pair), which: Which::First }, Pairing { pair, which: Which::Second })
    }

    fn lock(&self) -> MutexGuard<'_, Pair> {
        self.pair.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a folder as the one that this run copies to. Returns false if the other run has taken it.
    pub(crate) fn takes(&self, root: Identity) -> bool {
        let mut pair = self.lock();
        let (own, other) = pair.of(self.which);
        own.root = Some(root).filter(|_| other.root != Some(root));
        own.root.is_some()
    }

    /// Has a file copied, together with the other run if that copies it, too.
    pub(crate) fn copy(&self, pool: Arc<Pool>, side: Side) {
        let mut pair = self.lock();
        let (own, other) = pair.of(self.which);
        let sides = match other.held.remove(side.source()) {
            Some((_, theirs)) => vec![theirs, side],
            // The same source may be named twice.
            None if other.may_copy(own.batches) && !own.held.contains_key(side.source()) => {
                own.held.insert(side.source().into(), (pool, side));
                return;
            }
            None => vec![side],
        };
        drop(pair);
        pool.put(Transfer::new(sides));
    }

    /// Waits for something by calling `wait`. Meanwhile the other run copies by itself.
    pub(crate) fn wait<R>(&self, wait: impl FnOnce() -> R) -> R {
        self.set_waiting(|own| own.waits = true);
        let result = wait();
        self.lock().of(self.which).0.waits = false;
        result
    }

    /// Waits until the other run has completed as many batches as this one, or has ended.
    pub(crate) fn next_batch(&self) {
        self.set_waiting(|own| own.batches += 1);
        let mut pair = self.lock();
        loop {
            let (own, other) = pair.of(self.which);
            if other.ended || other.batches >= own.batches {
                return;
            }
            pair = self.pair.1.wait(pair).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Changes the state to one in which the other run no longer waits for transfers of this one.
    fn set_waiting(&self, change: impl FnOnce(&mut State)) {
        let mut pair = self.lock();
        let (own, other) = pair.of(self.which);
        change(own);
        let alone: Vec<(Arc<Pool>, Side)> = other.held.drain().map(|(_, held)| held).collect();
        drop(pair);
        self.pair.1.notify_all();
        for (pool, side) in alone {
            pool.put(Transfer::new(vec![side]));
        }
    }

    /// Ends this run's part: it will copy nothing more.
    pub(crate) fn end(&self) {
        self.set_waiting(|own| own.ended = true);
        // After a panic, there may be sides of this run left, which report that when they are dropped.
        let left = std::mem::take(&mut self.lock().of(self.which).0.held);
        drop(left);
    }
}

impl Drop for Pairing {
    fn drop(&mut self) {
        self.end();
    }
}
