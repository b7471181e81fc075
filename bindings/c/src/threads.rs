//! Threads that the library starts: they take no signals, and are gone when the function that started them returns.

use std::io;
use std::num::NonZeroUsize;
use std::sync::OnceLock;
use std::thread::{Builder, Scope, ScopedJoinHandle};

/// Starts a thread.
///
/// # Errors
/// The system's, where it starts none.
pub(crate) fn spawn<'s, T: Send + 's>(
    scope: &'s Scope<'s, '_>,
    run: impl FnOnce() -> T + Send + 's,
) -> io::Result<ScopedJoinHandle<'s, T>> {
    without_signals(|| Builder::new().spawn_scoped(scope, run))
}

/// Runs `spawn` with all signals blocked, which the threads it makes inherit: a program's signals are for the program's
/// own threads.
fn without_signals<T>(spawn: impl FnOnce() -> T) -> T {
    #[cfg(unix)]
    // SAFETY: both sets are made before they are read; the thread's own mask comes back.
    unsafe {
        let (mut all, mut before) = (std::mem::zeroed(), std::mem::zeroed());
        libc::sigfillset(&raw mut all);
        let blocked = libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before) == 0;
        let made = spawn();
        if blocked {
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
        }
        made
    }
    #[cfg(not(unix))]
    spawn()
}

/// As many as the process has cores. It takes some system calls to find out, so that is done once.
pub(crate) fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, NonZeroUsize::get))
}
