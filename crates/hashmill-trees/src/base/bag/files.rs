//! The files of a payload by their names, in whatever way Unicode spells them.

use super::names::composed;
use crate::base::snapshot::{Known, Row, Snapshot};
use std::collections::HashMap;

/// The files of a payload.
#[derive(Debug, Default)]
pub(crate) struct Files {
    /// Their names in the bag, and their lengths.
    pub(crate) all: Snapshot,
    /// Those whose names Unicode can spell otherwise, by their composed form.
    composed: HashMap<Vec<u8>, Row>,
}

impl Files {
    pub(crate) fn add(&mut self, name: &[u8], size: u64) {
        // Every name comes once.
        if let Ok(row) = self.all.add(name, &Known { size: Some(size), ..Known::default() })
            && let Some(composed) = composed(name)
        {
            self.composed.insert(composed, row);
        }
    }

    /// Returns the files that may be meant by these names, first those that have one of them exactly.
    pub(crate) fn meant<'a>(&'a self, names: &'a [Vec<u8>]) -> impl Iterator<Item = Row> + 'a {
        let exactly = names.iter().filter_map(|name| self.all.find(name));
        exactly.chain(names.iter().filter_map(|name| self.composed.get(&composed(name)?).copied()))
    }
}
