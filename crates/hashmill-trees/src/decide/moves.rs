//! Which files have moved or were copied, by their digests.

use crate::base::snapshot::{Row, Snapshot};
use crate::decide::content::same_content;
use hashmill_lists::{Function, Stated};
use std::collections::{HashMap, HashSet};

/// Minimum length in bytes of a digest by which a file is recognized under another name. Shorter ones are the same for
/// different files by accident in any large tree.
const RELIABLE: usize = 8;

/// What was matched.
pub(crate) struct Matched {
    /// Files of the old snapshot, and what they are in the new one.
    pub(crate) moved: Vec<(Row, Row)>,
    /// For each file of the new snapshot, the file of the old one that it is a copy of.
    pub(crate) copied: Vec<Option<Row>>,
}

/// The number of a content that several files may have.
type Content = u32;

/// Numbers for contents.
#[derive(Default)]
struct Contents<'a> {
    of: HashMap<(Function, &'a [u8]), Content>,
}

impl<'a> Contents<'a> {
    /// Returns the number of a file's content, by its longest digest, which is numbered if it is new.
    fn number(&mut self, snapshot: &'a Snapshot, row: Row) -> Option<Content> {
        let key = longest(snapshot, row)?;
        let next = self.of.len() as Content;
        Some(*self.of.entry(key).or_insert(next))
    }

    /// Returns the number of a file's content if it has one, by any of its digests.
    fn known(&self, snapshot: &'a Snapshot, row: Row) -> Option<Content> {
        snapshot.values(row).find_map(|(function, value)| self.of.get(&(function?, value)).copied())
    }
}

/// Returns whether a digest tells the content of a file under another name.
pub(crate) fn is_reliable(stated: &Stated) -> bool {
    stated.function.is_some() && stated.digest.as_bytes().len() >= RELIABLE
}

/// Returns a file's longest digest, if it is long enough.
fn longest(snapshot: &Snapshot, row: Row) -> Option<(Function, &[u8])> {
    let reliable = snapshot.values(row).filter_map(|(f, value)| Some((f?, value))).filter(|(_, v)| v.len() >= RELIABLE);
    // The first of several of the same length.
    reliable.reduce(|a, b| if b.1.len() > a.1.len() { b } else { a })
}

/// Returns those of `rows` of one snapshot whose content any file of the other has.
pub(crate) fn contents_in(before: &Snapshot, found: &Snapshot, rows: impl Iterator<Item = Row>) -> HashSet<Row> {
    let mut of: HashMap<(Function, &[u8]), Vec<Row>> = HashMap::new();
    for row in rows {
        for (function, value) in found.values(row).filter(|(_, value)| value.len() >= RELIABLE) {
            if let Some(function) = function {
                of.entry((function, value)).or_default().push(row);
            }
        }
    }
    let there = if of.is_empty() { 0 } else { before.len() };
    let keys = before.rows().take(there).filter_map(|row| longest(before, row));
    keys.filter_map(|key| of.get(&key)).flatten().copied().collect()
}

/// Finds out which of the files that are `gone` are among those that are `new`, which are rows of `found`, and of which
/// of the files that are `there` still others are copies.
///
/// A file that has kept its own name, without its folder, comes first, then the first in the order of names. Empty
/// files are recognized by their own name alone, since they have nothing else.
pub(crate) fn find(
    before: &Snapshot,
    gone: &[Row],
    found: &Snapshot,
    new: &[Row],
    there: impl Fn(Row) -> bool,
) -> Matched {
    let mut contents = Contents::default();
    let mut lost: Vec<(Content, Row)> =
        gone.iter().filter_map(|&row| Some((contents.number(before, row)?, row))).collect();
    let mut here: Vec<(Content, Row)> =
        new.iter().filter_map(|&row| Some((contents.known(found, row)?, row))).collect();
    // By the longest digest they are the same. If another one contradicts that, the list is wrong about the file.
    let is_same = |a: Row, b: Row| {
        let same_size = match (before.size(a), found.size(b)) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        };
        same_size && same_content(&before.stated(a), &found.stated(b)) != Some(false)
    };
    let mut moved = Vec::new();
    let (mut is_moved, mut is_taken) = (vec![false; before.len()], vec![false; found.len()]);
    // First files that are still called the same, then any.
    for by_name in [true, false] {
        let of = |snapshot: &Snapshot, row: Row| if by_name { snapshot.parts(row).1.to_vec() } else { Vec::new() };
        lost.retain(|(_, row)| !is_moved[row.index()] && (by_name || before.size(*row) != Some(0)));
        here.retain(|(_, row)| !is_taken[row.index()] && (by_name || found.size(*row) != Some(0)));
        lost.sort_by(|(a, r), (b, s)| {
            (a, of(before, *r)).cmp(&(b, of(before, *s))).then_with(|| before.compare_names(*r, before, *s))
        });
        here.sort_by(|(a, r), (b, s)| {
            (a, of(found, *r)).cmp(&(b, of(found, *s))).then_with(|| found.compare_names(*r, found, *s))
        });
        let (mut i, mut j) = (0, 0);
        while let (Some(&(a, lost)), Some(&(b, now))) = (lost.get(i), here.get(j)) {
            match (a, of(before, lost)).cmp(&(b, of(found, now))) {
                std::cmp::Ordering::Less => i += 1,
                std::cmp::Ordering::Greater => j += 1,
                std::cmp::Ordering::Equal => {
                    (i, j) = (i + 1, j + 1);
                    if is_same(lost, now) {
                        is_moved[lost.index()] = true;
                        is_taken[now.index()] = true;
                        moved.push((lost, now));
                    }
                }
            }
        }
    }
    // What is left of the new ones may be copies of files that are still there, or of those that have moved.
    let mut contents = Contents::default();
    let mut sources: HashMap<Content, Row> = HashMap::new();
    let mut rest = new.to_vec();
    rest.retain(|row| !is_taken[row.index()] && found.size(*row) != Some(0));
    let numbers: Vec<Option<Content>> = rest
        .iter()
        .map(|&row| {
            let numbers = found.values(row).filter(|(_, value)| value.len() >= RELIABLE);
            let mut first = None;
            for (function, value) in numbers {
                let next = first.unwrap_or(contents.of.len() as Content);
                first = Some(*contents.of.entry((function?, value)).or_insert(next));
            }
            first
        })
        .collect();
    let mut copied = vec![None; found.len()];
    if !contents.of.is_empty() {
        for row in before.rows().filter(|&row| is_moved[row.index()] || there(row)) {
            let number = longest(before, row).and_then(|key| contents.of.get(&key));
            if let Some(&number) = number {
                let best = sources.entry(number).or_insert(row);
                if before.compare_names(row, before, *best).is_lt() {
                    *best = row;
                }
            }
        }
        for (row, number) in rest.iter().zip(numbers) {
            let source = number.and_then(|n| sources.get(&n)).copied();
            copied[row.index()] = source.filter(|source| is_same(*source, *row));
        }
    }
    Matched { moved, copied }
}
