//! How files are read and hashed.

use hashmill::Algorithm;
use std::num::NonZeroUsize;

/// Options for hashing files.
#[derive(Debug, Clone)]
pub struct Options {
    /// The algorithms, at least one. Every file is read once for all of them.
    pub algorithms: Vec<Algorithm>,
    /// Number of hashing threads, or `None` for one per available core.
    pub threads: Option<NonZeroUsize>,
    /// How files are read.
    pub io: Io,
}

/// How files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Io {
    /// Several readers at once, but only one for rotating disks and remote files ([`one_reader`](crate::one_reader)).
    #[default]
    Auto,
    /// Several readers at once, wherever the files are stored.
    Parallel,
    /// One file after the other, each from front to back, in the order in which they are named.
    Sequential,
    /// Several readers at once, bypassing the page cache where the file system supports that.
    Direct,
}

impl Options {
    /// Creates options for these algorithms, with one thread per available core.
    pub fn new(algorithms: Vec<Algorithm>) -> Self {
        Options { algorithms, threads: None, io: Io::default() }
    }

    /// Returns the number of hashing threads.
    pub(crate) fn threads(&self) -> usize {
        self.threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
    }
}
