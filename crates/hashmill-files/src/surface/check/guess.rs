//! What is known about digests that do not name their algorithm.

use hashmill_lists::{Function, Stated, cheap_candidates, is_usual};
use std::sync::Arc;

/// If nothing tells the algorithm of a list, its smallest files, up to this many bytes in all, are hashed with every
/// candidate until one of them decides for the whole list.
pub(super) const SMALL: u64 = 16 << 20;

/// What is known about the digests of a list that do not name their algorithm and have the same candidates. They are
/// all taken to be of one algorithm.
pub(super) struct Guess {
    /// What they may still be of. Once a file has matched, what it has not matched is ruled out.
    pub(super) candidates: Vec<Function>,
    /// Whether a file has matched.
    pub(super) confirmed: bool,
    /// Whether all candidates have been tried on a file, and not only the cheap ones.
    pub(super) tried_all: bool,
    /// Number of digests whose files did not match.
    pub(super) mismatched: usize,
    /// Number of digests in the current batch that have no verdict yet.
    pub(super) open: usize,
    /// What they are most likely to be of, which need not be told: the form of the list says so.
    usual: Option<Function>,
    /// What they have been reported to be of.
    told: Option<Function>,
}

impl Guess {
    fn new(stated: &Stated) -> Self {
        let candidates = stated.candidates();
        let usual = candidates.first().copied().filter(|f| is_usual_function(*f) || stated.among.is_some());
        Guess { candidates, confirmed: false, tried_all: false, mismatched: 0, open: 0, usual, told: None }
    }

    /// Returns whether there is nothing to find out: a file has matched, or the usual algorithm is the only candidate.
    pub(super) fn is_settled(&self) -> bool {
        self.confirmed || matches!(self.candidates[..], [only] if is_usual_function(only))
    }

    /// Returns what to compute for a file on which not all candidates can be tried: all that are left once a file has
    /// matched.
    pub(super) fn cheap(&self) -> Vec<Function> {
        if self.is_settled() { self.candidates.clone() } else { cheap_candidates(&self.candidates) }
    }

    /// Takes note of what a file matches, of all that it was hashed with. Returns what digests are now found to be of,
    /// if that is worth telling.
    pub(super) fn matched(&mut self, right: &[Function]) -> Option<Function> {
        self.candidates.retain(|f| right.contains(f));
        self.confirmed = true;
        let found = self.candidates.first().copied().filter(|f| self.told != Some(*f));
        self.told = found.or(self.told);
        found.filter(|f| self.usual != Some(*f))
    }

    /// Returns what digests are of, if files have shown it; otherwise what a mismatch is to be blamed on.
    pub(super) fn likely(&self) -> Option<Function> {
        self.candidates.first().copied()
    }

    /// Returns what a mismatch is to be blamed on, unless a file has confirmed it.
    pub(super) fn assumed(&self) -> Option<Function> {
        self.likely().filter(|_| !self.confirmed)
    }
}

fn is_usual_function(function: Function) -> bool {
    function.plain().is_some_and(is_usual)
}

/// Which digests have the same candidates: those of the same length in bytes, if nothing else is known about them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Class {
    bytes: usize,
    among: Option<Arc<[Function]>>,
}

impl Class {
    pub(super) fn of(stated: &Stated) -> Self {
        Class { bytes: stated.digest.as_bytes().len(), among: stated.among.clone() }
    }
}

/// Guesses by the class of digests, of which there are few.
pub(super) struct Guesses {
    of: Vec<(Class, Guess)>,
    /// Number of bytes on which all candidates may still be tried.
    pub(super) left: u64,
}

impl Guesses {
    pub(super) fn new() -> Self {
        Guesses { of: Vec::new(), left: SMALL }
    }

    fn find(&self, stated: &Stated) -> Option<usize> {
        let bytes = stated.digest.as_bytes().len();
        self.of.iter().position(|(class, _)| class.bytes == bytes && class.among == stated.among)
    }

    pub(super) fn get(&mut self, stated: &Stated) -> &mut Guess {
        let at = self.find(stated).unwrap_or_else(|| {
            self.of.push((Class::of(stated), Guess::new(stated)));
            self.of.len() - 1
        });
        &mut self.of[at].1
    }

    /// Returns what is known of such digests, if there have been any.
    pub(super) fn known(&self, stated: &Stated) -> Option<&Guess> {
        self.find(stated).map(|at| &self.of[at].1)
    }

    /// Returns, for each class, what was tried without success, if there were several.
    pub(super) fn failed(self) -> impl Iterator<Item = Vec<Function>> {
        let failed = self.of.into_iter().map(|(_, guess)| guess).filter(|g| !g.confirmed && g.mismatched > 0);
        // If there was only one, the verdicts have named it.
        failed.map(|g| if g.tried_all { g.candidates } else { g.cheap() }).filter(|tried| tried.len() > 1)
    }
}
