//! Threads that are allowed but have nothing to do: a long file that is being hashed may have them.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread::{Builder, Scope};

/// How many threads may be started.
pub(crate) struct ThreadBudget {
    threads: AtomicUsize,
    /// The system would not start one. It is not asked again for every part of a file.
    refused: AtomicBool,
}

impl ThreadBudget {
    pub(crate) fn new(threads: usize) -> Self {
        ThreadBudget { threads: AtomicUsize::new(threads), refused: AtomicBool::new(false) }
    }

    /// Takes the right to start a thread.
    pub(crate) fn take(&self) -> Option<Permit<'_>> {
        let any = self.threads.load(Relaxed) > 0 && !self.refused.load(Relaxed);
        (any && self.threads.fetch_update(Relaxed, Relaxed, |n| n.checked_sub(1)).is_ok()).then(|| Permit(self))
    }

    /// A thread has ended.
    pub(crate) fn give(&self) {
        self.threads.fetch_add(1, Relaxed);
    }
}

/// The right to start a thread, given back when dropped.
pub(crate) struct Permit<'a>(&'a ThreadBudget);

impl Permit<'_> {
    /// Starts a thread, which gives the right back when it ends, even by a panic. False if the system starts none.
    pub(crate) fn spawn<'s>(self, scope: &'s Scope<'s, '_>, run: impl FnOnce() + Send + 's) -> bool
    where
        Self: 's,
    {
        let budget = self.0;
        let spawned = spawn(scope, move || {
            let _lent = self;
            run();
        });
        if spawned.is_err() {
            budget.refused.store(true, Relaxed);
        }
        spawned.is_ok()
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.0.give();
    }
}

/// Starts a thread.
///
/// # Errors
/// The system's, where it starts none: mostly that there are as many as there may be. `run` is dropped then.
pub(crate) fn spawn<'s>(scope: &'s Scope<'s, '_>, run: impl FnOnce() + Send + 's) -> io::Result<()> {
    #[cfg(test)]
    tests::allowed()?;
    Builder::new().spawn_scoped(scope, run).map(drop)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{ThreadBudget, io, spawn};
    use std::cell::Cell;
    use std::thread;

    thread_local! {
        /// How many threads this one may start; one that it starts may start any number.
        static LEFT: Cell<usize> = const { Cell::new(usize::MAX) };
    }

    /// Runs `f` with a system that lets this thread start `most` others.
    pub(crate) fn with_threads<R>(most: usize, f: impl FnOnce() -> R) -> R {
        LEFT.set(most);
        let result = f();
        LEFT.set(usize::MAX);
        result
    }

    pub(super) fn allowed() -> io::Result<()> {
        let left = LEFT.get().checked_sub(1).ok_or(io::Error::from(io::ErrorKind::WouldBlock))?;
        LEFT.set(left);
        Ok(())
    }

    #[test]
    fn a_permit_comes_back() {
        let budget = ThreadBudget::new(1);
        thread::scope(|s| {
            assert!(budget.take().expect("one").spawn(s, || ()));
        });
        let panicked = std::panic::catch_unwind(|| {
            thread::scope(|s| {
                budget.take().expect("one again").spawn(s, || panic!("on purpose"));
            });
        });
        assert!(panicked.is_err());
        let permit = budget.take().expect("even after a panic");
        assert!(budget.take().is_none());
        with_threads(0, || thread::scope(|s| assert!(!permit.spawn(s, || ()))));
        assert_eq!(budget.threads.load(super::Relaxed), 1);
        // It was refused; another file may have it, when threads can be had again.
        assert!(budget.take().is_none());
        thread::scope(|s| assert!(spawn(s, || ()).is_ok()));
    }
}
