//! A queue between threads that blocks when it is full.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

pub(crate) struct Pipe<T> {
    inner: Mutex<(VecDeque<T>, bool)>,
    most: usize,
    changed: Condvar,
}

impl<T> Pipe<T> {
    /// Creates a queue that holds at most `most` values.
    pub(crate) fn new(most: usize) -> Self {
        Pipe { inner: Mutex::new((VecDeque::new(), false)), most, changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, (VecDeque<T>, bool)> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a value in, waiting until there is room.
    pub(crate) fn put(&self, value: T) {
        let mut inner = self.lock();
        while inner.0.len() >= self.most {
            inner = self.changed.wait(inner).unwrap_or_else(PoisonError::into_inner);
        }
        inner.0.push_back(value);
        drop(inner);
        self.changed.notify_all();
    }

    /// Takes a value out, waiting until there is one. Returns `None` once the queue is closed and empty.
    pub(crate) fn take(&self) -> Option<T> {
        let mut inner = self.lock();
        loop {
            if let Some(value) = inner.0.pop_front() {
                drop(inner);
                self.changed.notify_all();
                return Some(value);
            }
            if inner.1 {
                return None;
            }
            inner = self.changed.wait(inner).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Closes the queue: nothing more will come.
    pub(crate) fn close(&self) {
        self.lock().1 = true;
        self.changed.notify_all();
    }
}

/// A counting semaphore.
pub(crate) struct Permits {
    free: Mutex<usize>,
    given: Condvar,
}

impl Permits {
    pub(crate) fn new(free: usize) -> Self {
        Permits { free: Mutex::new(free), given: Condvar::new() }
    }

    /// Takes `count` permits, waiting until they are free.
    pub(crate) fn take(&self, count: usize) {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free < count {
            free = self.given.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
        *free -= count;
    }

    pub(crate) fn give(&self, count: usize) {
        *self.free.lock().unwrap_or_else(PoisonError::into_inner) += count;
        self.given.notify_all();
    }
}
