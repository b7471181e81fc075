//! Counters that another thread may watch, and the means by which it may end the work.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// Work of so many bytes or files is long: longer than it takes to start a thread that watches it.
const LONG_BYTES: u64 = 1 << 20;
const LONG_FILES: u64 = 256;

/// How far the work has come. All numbers only grow, the totals too until everything that is to be hashed has been
/// found.
#[derive(Debug, Default)]
pub struct Progress {
    bytes: AtomicU64,
    bytes_total: AtomicU64,
    files: AtomicU64,
    files_total: AtomicU64,
    complete: AtomicBool,
    /// More is to be found, whatever says that it is complete.
    held: AtomicBool,
    open_ended: AtomicBool,
    stopped: Arc<AtomicBool>,
    when_long: Once,
}

/// What is called once.
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
    /// Bytes read so far.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Relaxed)
    }

    /// Bytes in all files found so far. Pipes and other files without a known length count for nothing here.
    pub fn bytes_total(&self) -> u64 {
        self.bytes_total.load(Relaxed)
    }

    /// Files that are done, failed ones too.
    pub fn files(&self) -> u64 {
        self.files.load(Relaxed)
    }

    /// Files found so far.
    pub fn files_total(&self) -> u64 {
        self.files_total.load(Relaxed)
    }

    /// Whether the totals are final.
    pub fn is_complete(&self) -> bool {
        self.complete.load(Relaxed) && !self.held.load(Relaxed)
    }

    /// Whether something is read whose end nobody knows: a pipe or a device.
    pub fn is_open_ended(&self) -> bool {
        self.open_ended.load(Relaxed)
    }

    /// Has `f` called once when the work turns out to be long: when a MiB has been read or 256 files are done. It is
    /// called by whichever thread counts them, and should return soon.
    pub fn when_long(&self, f: impl FnOnce() + Send + 'static) {
        *self.when_long.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(f));
    }

    /// Says whether there will be more than is found for the moment: a list is worked on in parts, say.
    pub fn hold(&self, more: bool) {
        self.held.store(more, Relaxed);
    }

    /// A flag that asks for the work to end soon when it is set to true, as a signal handler may do. Copies leave
    /// nothing half done then; digests stop in the middle of a file.
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stopped)
    }

    /// Asks for the work to end soon.
    pub fn stop(&self) {
        self.stopped.store(true, Relaxed);
    }

    /// Whether the work is to end.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Relaxed)
    }

    /// Counts bytes that were read. Called by what does the work.
    pub fn read(&self, bytes: usize) {
        let before = self.bytes.fetch_add(bytes as u64, Relaxed);
        if before < LONG_BYTES && before + bytes as u64 >= LONG_BYTES {
            self.when_long.call();
        }
    }

    /// Says that something is read whose end nobody knows. Called by what does the work.
    pub fn open_ended(&self) {
        self.open_ended.store(true, Relaxed);
    }

    /// Counts a file of so many bytes that is to be worked on. Called by what does the work.
    pub fn found(&self, bytes: u64) {
        self.files_total.fetch_add(1, Relaxed);
        self.bytes_total.fetch_add(bytes, Relaxed);
    }

    /// Counts bytes that are to be read beyond those of files that were found.
    pub fn more(&self, bytes: u64) {
        self.bytes_total.fetch_add(bytes, Relaxed);
    }

    /// Counts a file that is done. Called by what does the work.
    pub fn done(&self) {
        if self.files.fetch_add(1, Relaxed) + 1 == LONG_FILES {
            self.when_long.call();
        }
    }

    /// Says that the totals are final. Called by what does the work.
    pub fn complete(&self) {
        self.complete.store(true, Relaxed);
    }
}
