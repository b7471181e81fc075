//! Threads that are allowed but have nothing to do: a long file that is being hashed may have them.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// How many threads may be started.
pub(crate) struct Spare(AtomicUsize);

impl Spare {
    pub(crate) fn new(threads: usize) -> Self {
        Spare(AtomicUsize::new(threads))
    }

    /// Takes the right to start a thread, which must give it back when it ends.
    pub(crate) fn take(&self) -> bool {
        self.any() && self.0.fetch_update(Relaxed, Relaxed, |n| n.checked_sub(1)).is_ok()
    }

    /// Whether there is one to be had.
    pub(crate) fn any(&self) -> bool {
        self.0.load(Relaxed) > 0
    }

    /// A thread has ended.
    pub(crate) fn give(&self) {
        self.0.fetch_add(1, Relaxed);
    }
}
