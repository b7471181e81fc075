//! Which files of a payload the manifests of a bag list.

use crate::base::bag::files::Files;
use crate::base::bag::names::{is_payload, meanings};
use crate::base::snapshot::{Row, Snapshot};
use crate::decide::content::same_content;
use hashmill::Algorithm;
use std::collections::HashMap;

/// What payload manifests list of the files of a payload.
#[derive(Debug)]
pub(crate) struct Coverage {
    /// For each row of the manifests, the file that it is about.
    files: Vec<Option<Row>>,
    /// For each file, the row of the manifests that is about it.
    first: Vec<Option<Row>>,
    /// Other rows about the same files, in other spellings.
    again: HashMap<Row, Vec<Row>>,
}

impl Coverage {
    /// Finds out which files are meant by the names in manifests. `has_bare_percent` says that these do not encode `%`.
    ///
    /// A name is that of a file which has it, as it is most likely meant, before any other name can be. What is left
    /// may be a file in another spelling, or one that is listed already, if it is with the same digests.
    pub(crate) fn of(listed: &Snapshot, has_bare_percent: bool, files: &Files) -> Coverage {
        let mut coverage =
            Coverage { files: vec![None; listed.len()], first: vec![None; files.all.len()], again: HashMap::new() };
        let mut left = Vec::new();
        for row in listed.rows() {
            let name = listed.name(row);
            if !is_payload(&name) {
                continue;
            }
            let all = meanings(&name, has_bare_percent);
            match files.all.find(&all[0]).filter(|file| !coverage.has(*file)) {
                Some(file) => coverage.take(row, file),
                None => left.push((row, all)),
            }
        }
        for (row, all) in left {
            let may_be = |file: &Row| {
                coverage.first[file.index()]
                    .is_none_or(|other| same_content(&listed.stated(row), &listed.stated(other)) != Some(false))
            };
            let free = files.meant(&all).find(|file| !coverage.has(*file));
            if let Some(file) = free.or_else(|| files.meant(&all).find(may_be)) {
                coverage.take(row, file);
            }
        }
        coverage
    }

    fn take(&mut self, listed: Row, file: Row) {
        self.files[listed.index()] = Some(file);
        match &mut self.first[file.index()] {
            Some(_) => self.again.entry(file).or_default().push(listed),
            first => *first = Some(listed),
        }
    }

    /// Returns the file that a row of the manifests is about.
    pub(crate) fn file(&self, listed: Row) -> Option<Row> {
        self.files[listed.index()]
    }

    /// Returns whether any manifest lists a file.
    pub(crate) fn has(&self, file: Row) -> bool {
        self.first[file.index()].is_some()
    }

    /// Returns the files that manifests list in more than one spelling, in order.
    pub(crate) fn repeated(&self) -> Vec<Row> {
        let mut files: Vec<Row> = self.again.keys().copied().collect();
        files.sort();
        files
    }

    /// Returns those of the algorithms whose manifests do not list a file.
    pub(crate) fn lacking(&self, file: Row, listed: &Snapshot, all: &[Algorithm]) -> Vec<Algorithm> {
        let again = self.again.get(&file).map(Vec::as_slice).unwrap_or_default();
        let rows = || self.first[file.index()].into_iter().chain(again.iter().copied());
        let of = |row: Row| listed.values(row).filter_map(|(function, _)| function?.plain());
        all.iter().copied().filter(|a| !rows().any(|row| of(row).any(|other| other == *a))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::snapshot::Known;
    use hashmill_lists::Stated;

    /// Returns which of the files each listed name is about; names come with what their digest is of.
    fn covered(listed: &[(&str, &str)], bare: bool, files: &[&str]) -> Vec<Option<String>> {
        let (mut manifests, mut payload) = (Snapshot::new(), Files::default());
        for (name, content) in listed {
            let stated = [Stated::new(Some(Algorithm::SHA256), Algorithm::SHA256.digest(content.as_bytes()))];
            manifests.add(name.as_bytes(), &Known { stated: &stated, ..Known::default() }).unwrap();
        }
        files.iter().for_each(|name| payload.add(name.as_bytes(), 0));
        let coverage = Coverage::of(&manifests, bare, &payload);
        let name = |row| coverage.file(row).map(|file| String::from_utf8(payload.all.name(file)).unwrap());
        manifests.rows().map(name).collect()
    }

    #[test]
    fn names_and_files() {
        let some = |names: &[&str]| names.iter().map(|n| Some(n.to_string())).collect::<Vec<_>>();
        let names = |listed: &[&str]| -> Vec<_> { listed.iter().map(|n| n.to_string()).collect() };
        let list = |all: &[&str], bare, files: &[&str]| {
            let listed = names(all);
            covered(&listed.iter().map(|n| (n.as_str(), n.as_str())).collect::<Vec<_>>(), bare, files)
        };
        // By RFC 8493, and by programs that do not encode `%`.
        assert_eq!(
            list(&["data/a%2525", "data/a%25"], false, &["data/a%", "data/a%25"]),
            some(&["data/a%25", "data/a%"])
        );
        assert_eq!(list(&["data/a%25", "data/a%"], true, &["data/a%", "data/a%25"]), some(&["data/a%25", "data/a%"]));
        assert_eq!(list(&["data/a%25"], false, &["data/a%25"]), some(&["data/a%25"]));
        assert_eq!(list(&["data/a "], false, &["data/a"]), some(&["data/a"]));
        // A file that is gone is not another one.
        assert_eq!(list(&["data/a ", "data/a"], false, &["data/a"]), [None, Some("data/a".into())]);
        assert_eq!(
            list(&["data/e\u{301}", "data/\u{e9}"], false, &["data/\u{e9}"]),
            [None, Some("data/\u{e9}".into())]
        );
        let twice = [("data/e\u{301}", "x"), ("data/\u{e9}", "x")];
        assert_eq!(covered(&twice, false, &["data/\u{e9}"]), some(&["data/\u{e9}", "data/\u{e9}"]));
        assert_eq!(covered(&twice, false, &["data/\u{e9}", "data/e\u{301}"]), some(&["data/e\u{301}", "data/\u{e9}"]));
        assert_eq!(list(&["bagit.txt"], false, &["bagit.txt"]), [None]);
    }
}
