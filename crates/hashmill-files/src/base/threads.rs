//! How threads are started; and the budget of threads that are allowed but idle, for use by a long file that is being
//! hashed.

use std::io;
use std::num::NonZeroUsize;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread::{Builder, JoinHandle, Scope, ScopedJoinHandle};

/// Number of threads that may still be started.
pub(crate) struct ThreadBudget {
    threads: AtomicUsize,
    /// Whether the system has refused to start a thread. It is not asked again for every part of a file.
    refused: AtomicBool,
}

impl ThreadBudget {
    pub(crate) fn new(threads: usize) -> Self {
        ThreadBudget { threads: AtomicUsize::new(threads), refused: AtomicBool::new(false) }
    }

    /// Takes a permit to start a thread, or returns `None` if there is none.
    pub(crate) fn take(&self) -> Option<Permit<'_>> {
        let any = self.threads.load(Relaxed) > 0 && !self.refused.load(Relaxed);
        (any && self.threads.fetch_update(Relaxed, Relaxed, |n| n.checked_sub(1)).is_ok()).then(|| Permit(self))
    }

    /// Adds a thread to the budget after one has ended.
    pub(crate) fn give(&self) {
        self.threads.fetch_add(1, Relaxed);
    }
}

/// A permit to start a thread, given back when dropped.
pub(crate) struct Permit<'a>(&'a ThreadBudget);

impl Permit<'_> {
    /// Starts a thread, which gives the permit back when it ends, even by a panic. Returns false if the system cannot
    /// start one.
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

/// Starts a thread that takes none of the signals sent to the process: they are for the program's own threads. Signals
/// that a thread causes by itself, such as SIGBUS, still reach it.
///
/// # Errors
/// If the system cannot start a thread, mostly because there are too many already. `run` is dropped then.
pub fn spawn<'s, T: Send + 's>(
    scope: &'s Scope<'s, '_>,
    run: impl FnOnce() -> T + Send + 's,
) -> io::Result<ScopedJoinHandle<'s, T>> {
    #[cfg(test)]
    tests::allowed()?;
    without_signals(|| Builder::new().spawn_scoped(scope, run))
}

/// The same for a thread that belongs to no scope.
pub(crate) fn spawn_own<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> io::Result<JoinHandle<T>> {
    #[cfg(test)]
    tests::allowed()?;
    without_signals(|| Builder::new().spawn(run))
}

/// Runs `spawn` with signals blocked, which the thread that it starts inherits.
#[cfg(unix)]
fn without_signals<T>(spawn: impl FnOnce() -> T) -> T {
    use nix::sys::signal::{SigSet, SigmaskHow, Signal};
    let mut foreign = SigSet::all();
    for own in [Signal::SIGBUS, Signal::SIGFPE, Signal::SIGILL, Signal::SIGSEGV, Signal::SIGSYS, Signal::SIGTRAP] {
        foreign.remove(own);
    }
    let before = foreign.thread_swap_mask(SigmaskHow::SIG_BLOCK);
    let spawned = spawn();
    if let Ok(before) = before {
        // Can only fail for an unknown `how`.
        let _ = before.thread_set_mask();
    }
    spawned
}

#[cfg(not(unix))]
fn without_signals<T>(spawn: impl FnOnce() -> T) -> T {
    spawn()
}

/// Returns the number of cores that this process may use. It is found out once, since that takes some system calls.
pub fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, NonZeroUsize::get))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{ThreadBudget, io, spawn};
    use std::cell::Cell;
    use std::thread;

    thread_local! {
        /// Number of threads that this thread may start; threads started by it have no such limit.
        static LEFT: Cell<usize> = const { Cell::new(usize::MAX) };
    }

    /// Runs `f` as if the system allowed this thread to start at most `most` others.
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
        // The permit was returned, but after a refusal the budget gives out no more, even if threads can be started
        // again.
        assert!(budget.take().is_none());
        thread::scope(|s| assert!(spawn(s, || ()).is_ok()));
    }
}
