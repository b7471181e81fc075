//! A queue between threads that blocks when it is full.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

pub(crate) struct Pipe<T> {
    inner: Mutex<Inner<T>>,
    most: usize,
    changed: Condvar,
}

struct Inner<T> {
    values: VecDeque<T>,
    closed: bool,
    /// Whether somebody has a group that was taken.
    grouped: bool,
    /// Number of threads that wait for a change: telling nobody would be a system call, too.
    waiting: usize,
}

/// What is taken at once.
pub(crate) enum Taken<T> {
    One(T),
    /// Values that belong together. No other group is taken until this one is [given back](Pipe::end_group).
    Group(Vec<T>),
}

impl<T> Pipe<T> {
    /// Creates a queue that holds at most `most` values.
    pub(crate) fn new(most: usize) -> Self {
        let inner = Inner { values: VecDeque::new(), closed: false, grouped: false, waiting: 0 };
        Pipe { inner: Mutex::new(inner), most, changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Inner<T>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a value in, waiting until there is room.
    pub(crate) fn put(&self, value: T) {
        let mut inner = self.lock();
        while inner.values.len() >= self.most {
            inner = self.wait(inner);
        }
        inner.values.push_back(value);
        self.tell(inner);
    }

    fn wait<'a>(&self, mut inner: MutexGuard<'a, Inner<T>>) -> MutexGuard<'a, Inner<T>> {
        inner.waiting += 1;
        let mut inner = self.changed.wait(inner).unwrap_or_else(PoisonError::into_inner);
        inner.waiting -= 1;
        inner
    }

    /// Tells those who wait that something has changed.
    fn tell(&self, inner: MutexGuard<'_, Inner<T>>) {
        let waiting = inner.waiting;
        drop(inner);
        if waiting > 0 {
            self.changed.notify_all();
        }
    }

    /// Takes a value out, waiting until there is one. Returns `None` once the queue is closed and empty.
    pub(crate) fn take(&self) -> Option<T> {
        let mut inner = self.lock();
        loop {
            if let Some(value) = inner.values.pop_front() {
                self.tell(inner);
                return Some(value);
            }
            if inner.closed {
                return None;
            }
            inner = self.wait(inner);
        }
    }

    /// Takes all values that go in groups, or one that does not, waiting until there is something. While one group is
    /// being worked on, the next one grows. Returns `None` once the queue is closed and empty.
    pub(crate) fn take_group(&self, goes_in_groups: impl Fn(&T) -> bool) -> Option<Taken<T>> {
        let mut inner = self.lock();
        loop {
            if !inner.grouped && inner.values.front().is_some_and(&goes_in_groups) {
                let (group, rest): (Vec<T>, VecDeque<T>) = {
                    let (mut group, mut rest) = (Vec::new(), VecDeque::new());
                    for value in inner.values.drain(..) {
                        if goes_in_groups(&value) { group.push(value) } else { rest.push_back(value) }
                    }
                    (group, rest)
                };
                inner.values = rest;
                inner.grouped = true;
                self.tell(inner);
                return Some(Taken::Group(group));
            }
            if let Some(at) = inner.values.iter().position(|value| !goes_in_groups(value)) {
                let value = inner.values.remove(at)?;
                self.tell(inner);
                return Some(Taken::One(value));
            }
            if inner.closed && inner.values.is_empty() {
                return None;
            }
            inner = self.wait(inner);
        }
    }

    /// Lets the next group be taken.
    pub(crate) fn end_group(&self) {
        let mut inner = self.lock();
        inner.grouped = false;
        self.tell(inner);
    }

    /// Closes the queue: nothing more will come.
    pub(crate) fn close(&self) {
        let mut inner = self.lock();
        inner.closed = true;
        self.tell(inner);
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

    /// Takes `count` permits if they are free.
    pub(crate) fn try_take(&self, count: usize) -> bool {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let left = free.checked_sub(count);
        *free = left.unwrap_or(*free);
        left.is_some()
    }

    pub(crate) fn give(&self, count: usize) {
        *self.free.lock().unwrap_or_else(PoisonError::into_inner) += count;
        self.given.notify_all();
    }
}
