//! Counters that another thread may watch, and the means by which it may end the work.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// How far the work has come. All numbers only grow, the totals too until everything that is to be hashed has been found.
#[derive(Debug, Default)]
pub struct Progress {
    bytes: AtomicU64,
    bytes_total: AtomicU64,
    files: AtomicU64,
    files_total: AtomicU64,
    complete: AtomicBool,
    stopped: Arc<AtomicBool>,
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
        self.complete.load(Relaxed)
    }

    /// A flag that asks for the work to end soon when it is set to true, as a signal handler may do. Copies leave nothing half done
    /// then; digests stop in the middle of a file.
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
        self.bytes.fetch_add(bytes as u64, Relaxed);
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
        self.files.fetch_add(1, Relaxed);
    }

    /// Says that the totals are final. Called by what does the work.
    pub fn complete(&self) {
        self.complete.store(true, Relaxed);
    }
}
