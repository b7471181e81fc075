//! Progress counters that another thread can watch, and the flag by which it can stop the work.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// From this many bytes or files on, work is long: it takes longer than starting a thread to watch it.
const LONG_BYTES: u64 = 1 << 20;
const LONG_FILES: u64 = 256;

/// How far the work has got. The numbers never decrease; the totals grow until everything to be hashed has been found.
#[derive(Debug, Default)]
pub struct Progress {
    bytes: AtomicU64,
    bytes_total: AtomicU64,
    files: AtomicU64,
    files_total: AtomicU64,
    complete: AtomicBool,
    /// More will be found, even if `complete` is set.
    held: AtomicBool,
    open_ended: AtomicBool,
    stopped: Arc<AtomicBool>,
    when_long: Once,
}

/// A callback that is called at most once.
#[derive(Default)]
struct Once(Mutex<Option<Box<dyn FnOnce() + Send>>>);

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Once")
    }
}

impl Once {
    fn call(&self) {
        let f = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(f) = f {
            f();
        }
    }
}

impl Progress {
    /// Returns the number of bytes read so far.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Relaxed)
    }

    /// Returns the total size of all files found so far. Pipes and other files of unknown length count as 0.
    pub fn bytes_total(&self) -> u64 {
        self.bytes_total.load(Relaxed)
    }

    /// Returns the number of files that are done, including failed ones.
    pub fn files(&self) -> u64 {
        self.files.load(Relaxed)
    }

    /// Returns the number of files found so far.
    pub fn files_total(&self) -> u64 {
        self.files_total.load(Relaxed)
    }

    /// Returns whether the totals are final.
    pub fn is_complete(&self) -> bool {
        self.complete.load(Relaxed) && !self.held.load(Relaxed)
    }

    /// Returns whether there is an input whose length cannot be known in advance: a pipe or a device.
    pub fn is_open_ended(&self) -> bool {
        self.open_ended.load(Relaxed)
    }

    /// Registers `f` to be called once when the work turns out to be long: when 1 MiB has been read or 256 files are
    /// done. It is called by the thread that counts them, so it should return soon.
    pub fn when_long(&self, f: impl FnOnce() + Send + 'static) {
        *self.when_long.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(f));
    }

    /// Sets whether more is still to come, for instance because a list is worked on in parts. Until this is unset, the
    /// totals are not final.
    pub fn hold(&self, more: bool) {
        self.held.store(more, Relaxed);
    }

    /// Returns a flag that asks the work to stop soon when it is set to true, as a signal handler may do. Copies then
    /// leave nothing half done; hashing stops in the middle of a file.
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stopped)
    }

    /// Asks the work to stop soon.
    pub fn stop(&self) {
        self.stopped.store(true, Relaxed);
    }

    /// Returns whether the work has been asked to stop.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Relaxed)
    }

    /// Counts bytes that have been read. Called by the code that does the work.
    pub fn read(&self, bytes: usize) {
        let before = self.bytes.fetch_add(bytes as u64, Relaxed);
        if before < LONG_BYTES && before + bytes as u64 >= LONG_BYTES {
            self.when_long.call();
        }
    }

    /// Notes that there is an input whose length cannot be known in advance. Called by the code that does the work.
    pub fn open_ended(&self) {
        self.open_ended.store(true, Relaxed);
    }

    /// Counts a file of `bytes` bytes that is to be processed. Called by the code that does the work.
    pub fn found(&self, bytes: u64) {
        self.files_total.fetch_add(1, Relaxed);
        self.bytes_total.fetch_add(bytes, Relaxed);
    }

    /// Adds bytes to the total without counting another file.
    pub fn more(&self, bytes: u64) {
        self.bytes_total.fetch_add(bytes, Relaxed);
    }

    /// Counts a file that is done. Called by the code that does the work.
    pub fn done(&self) {
        if self.files.fetch_add(1, Relaxed) + 1 == LONG_FILES {
            self.when_long.call();
        }
    }

    /// Marks the totals as final. Called by the code that does the work.
    pub fn complete(&self) {
        self.complete.store(true, Relaxed);
    }
}
