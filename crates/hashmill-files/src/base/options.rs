//! How files are read and hashed.

use hashmill::Algorithm;
use std::num::NonZeroUsize;

/// How to hash.
#[derive(Debug, Clone)]
pub struct Options {
    /// The algorithms, at least one. Every file is read once for all of them.
    pub algorithms: Vec<Algorithm>,
    /// Threads that hash; none for as many as the machine has cores for us.
    pub threads: Option<NonZeroUsize>,
    /// How files are read.
    pub io: Io,
}

/// How files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Io {
    /// By several readers at once, but by one where disks turn or files lie on another machine
    /// ([`one_reader`](crate::one_reader)).
    #[default]
    Auto,
    /// By several readers at once, wherever they lie.
    Parallel,
    /// One file after the other, from front to back, in the order in which they are named.
    Sequential,
    /// By several readers at once, past the page cache where the file system can do that.
    Direct,
}

impl Options {
    /// Of these algorithms, with as many threads as the machine has cores for us.
    pub fn new(algorithms: Vec<Algorithm>) -> Self {
        Options { algorithms, threads: None, io: Io::default() }
    }

    /// The number of threads that hash.
    pub(crate) fn threads(&self) -> usize {
        self.threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
    }
}
