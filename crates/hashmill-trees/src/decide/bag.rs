//! Which files of a payload the manifests of a bag list.

use crate::base::snapshot::{Row, Snapshot};
use hashmill::Algorithm;
use std::collections::HashMap;

/// What manifests list of the files of a payload.
#[derive(Debug)]
pub(crate) struct Coverage {
    /// For each file of the payload, the row of the manifests that is about it.
    first: Vec<Option<Row>>,
    /// Other rows that are about the same file, in another spelling.
    again: HashMap<Row, Vec<Row>>,
}

impl Coverage {
    /// Returns the coverage of so many files, of which nothing is listed yet.
    pub(crate) fn of(files: usize) -> Self {
        Coverage { first: vec![None; files], again: HashMap::new() }
    }

    /// Notes that a row of the manifests is about this file of the payload. Returns whether another one is, too.
    pub(crate) fn take(&mut self, listed: Row, file: Row) -> bool {
        match &mut self.first[file.index()] {
            Some(_) => {
                self.again.entry(file).or_default().push(listed);
                true
            }
            first => {
                *first = Some(listed);
                false
            }
        }
    }

    /// Returns the rows of the manifests that are about a file of the payload.
    pub(crate) fn rows(&self, file: Row) -> impl Iterator<Item = Row> {
        let again = self.again.get(&file).map(Vec::as_slice).unwrap_or_default();
        self.first[file.index()].into_iter().chain(again.iter().copied())
    }

    /// Returns whether any manifest lists a file of the payload.
    pub(crate) fn has(&self, file: Row) -> bool {
        self.first[file.index()].is_some()
    }

    /// Returns those of the algorithms whose manifests do not list a file.
    pub(crate) fn lacking(&self, file: Row, manifests: &Snapshot, all: &[Algorithm]) -> Vec<Algorithm> {
        let of = |row: Row| manifests.values(row).filter_map(|(function, _)| function?.plain());
        all.iter().copied().filter(|a| !self.rows(file).any(|row| of(row).any(|other| other == *a))).collect()
    }
}
