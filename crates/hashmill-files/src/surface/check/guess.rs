//! What is known about digests that do not name their algorithm.

use hashmill::Algorithm;
use hashmill_lists::{candidates, cheap_candidates, is_usual};
use std::collections::BTreeMap;

/// If nothing tells the algorithm of a list, its smallest files, up to this many bytes in all, are hashed with every
/// candidate until one of them decides for the whole list.
pub(super) const SMALL: u64 = 16 << 20;

/// What is known about the digests of a list that do not name their algorithm and have the same length. They are all
/// taken to be of one algorithm.
pub(super) struct Guess {
    pub(super) candidates: Vec<Algorithm>,
    pub(super) algorithm: Option<Algorithm>,
    /// Whether a file has matched.
    pub(super) confirmed: bool,
    /// Whether all candidates have been tried on a file, and not only the cheap ones.
    pub(super) tried_all: bool,
    /// Number of digests whose files did not match.
    pub(super) mismatched: usize,
    /// Number of digests in the current batch that have no verdict yet.
    pub(super) open: usize,
}

impl Guess {
    fn new(bytes: usize) -> Self {
        let candidates = candidates(bytes);
        // If the usual algorithm is the only candidate, there is nothing to find out.
        let algorithm = if let [only] = candidates[..] { Some(only).filter(|a| is_usual(*a)) } else { None };
        Guess { candidates, algorithm, confirmed: false, tried_all: false, mismatched: 0, open: 0 }
    }

    /// Returns the algorithms to compute for a file on which not all candidates can be tried.
    pub(super) fn cheap(&self) -> Vec<Algorithm> {
        self.algorithm.map_or_else(|| cheap_candidates(&self.candidates), |a| vec![a])
    }

    /// Returns the algorithm that a mismatch is to be blamed on, unless a file has confirmed it.
    pub(super) fn assumed(&self) -> Option<Algorithm> {
        if self.confirmed { None } else { self.algorithm.or_else(|| self.candidates.first().copied()) }
    }
}

/// Guesses by the digest's length in bytes.
pub(super) struct Guesses {
    of: BTreeMap<usize, Guess>,
    /// Number of bytes on which all candidates may still be tried.
    pub(super) left: u64,
}

impl Guesses {
    pub(super) fn new() -> Self {
        Guesses { of: BTreeMap::new(), left: SMALL }
    }

    pub(super) fn get(&mut self, bytes: usize) -> &mut Guess {
        self.of.entry(bytes).or_insert_with(|| Guess::new(bytes))
    }

    /// Returns what is known of digests of this length, if there have been any.
    pub(super) fn known(&self, bytes: usize) -> Option<&Guess> {
        self.of.get(&bytes)
    }

    /// Returns, for each length, the algorithms that were tried without success, if there were several.
    pub(super) fn failed(self) -> impl Iterator<Item = Vec<Algorithm>> {
        let failed = self.of.into_values().filter(|g| !g.confirmed && g.mismatched > 0);
        // If there was only one, the verdicts have named it.
        failed.map(|g| if g.tried_all { g.candidates } else { g.cheap() }).filter(|tried| tried.len() > 1)
    }
}
