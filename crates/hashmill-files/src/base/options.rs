//! How files are read and hashed.

use crate::base::recipe::Recipe;
use crate::base::threads::cores;
use hashmill::Algorithm;
use std::num::NonZeroUsize;
use std::str::FromStr;

/// Options for hashing files.
#[derive(Debug, Clone)]
pub struct Options {
    /// What is computed of each file, at least one. Every file is read once for all of it.
    pub recipes: Vec<Recipe>,
    /// Number of hashing threads, or `None` for one per available core.
    pub threads: Option<NonZeroUsize>,
    /// How files are read.
    pub io: Io,
}

/// How files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Io {
    /// Several readers at once; one on rotating disks and network mounts
    // See [`one_reader`](crate::one_reader).
    #[default]
    Auto,
    /// Several readers at once, whatever the files are stored on
    Parallel,
    /// One file after the other, in the order given
    Sequential,
    /// Several readers at once, past the page cache
    Direct,
}

/// A list of algorithms as one argument, separated by commas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlgorithmList(pub Vec<Algorithm>);

impl FromStr for AlgorithmList {
    type Err = hashmill::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Algorithm::parse_list(text).map(AlgorithmList)
    }
}

impl Options {
    /// Creates options for these algorithms, with one thread per available core.
    pub fn new(algorithms: Vec<Algorithm>) -> Self {
        Options::of(algorithms.into_iter().map(Recipe::from).collect())
    }

    /// Creates options for these recipes, with one thread per available core.
    pub fn of(recipes: Vec<Recipe>) -> Self {
        Options { recipes, threads: None, io: Io::default() }
    }

    /// Returns the number of hashing threads.
    pub(crate) fn threads(&self) -> usize {
        self.threads.map_or_else(cores, NonZeroUsize::get)
    }
}
