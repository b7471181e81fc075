//! Counters that another thread may watch.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// How far the work has come. All numbers only grow, the totals too until everything that is to be hashed has been found.
#[derive(Debug, Default)]
pub struct Progress {
    bytes: AtomicU64,
    bytes_total: AtomicU64,
    files: AtomicU64,
    files_total: AtomicU64,
    complete: AtomicBool,
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

    pub(crate) fn read(&self, bytes: usize) {
        self.bytes.fetch_add(bytes as u64, Relaxed);
    }

    pub(crate) fn found(&self, bytes: u64) {
        self.files_total.fetch_add(1, Relaxed);
        self.bytes_total.fetch_add(bytes, Relaxed);
    }

    pub(crate) fn done(&self) {
        self.files.fetch_add(1, Relaxed);
    }

    pub(crate) fn complete(&self) {
        self.complete.store(true, Relaxed);
    }
}
