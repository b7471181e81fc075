//! Comparing what is found, one file after the other, with what was there.
//!
//! What is found with the content that it had is settled at once and not kept. The rest waits for the end, since a name
//! that has another content may have been swapped with another, and what is new may have moved there.

use crate::base::class::Class;
use crate::base::snapshot::{Known, Row, Snapshot};
use crate::decide::content::same_content;
use crate::decide::moves;
use hashmill_files::Facts;
use hashmill_lists::Stated;
use std::collections::HashSet;

/// What is known so far of a file that was there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing.
    Unseen,
    /// It is being looked at.
    Met,
    /// Its class is known.
    Settled(Class),
    /// It is not to be compared.
    LeftOut,
    /// It has another content, or is gone.
    Open,
}

/// A difference, or that there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// What became of the file.
    pub class: Class,
    /// The file as it was: a row of [`Comparison::before`].
    pub before: Option<Row>,
    /// The file as it is: a row of [`Comparison::found`].
    pub now: Option<Row>,
    /// Another content is found under the name that the file had.
    pub taken: bool,
    /// Another content was there under the name that the file has.
    pub named: bool,
}

/// A comparison of a snapshot with what is found now.
#[derive(Debug)]
pub struct Comparison {
    before: Snapshot,
    states: Vec<State>,
    /// What was found and is not settled.
    found: Snapshot,
    /// For each of these, the file that had its name.
    named: Vec<Option<Row>>,
    /// Those of them that are left out.
    dropped: HashSet<Row>,
}

impl Comparison {
    /// Returns a comparison with this snapshot, in which every digest is known to be of some function.
    pub fn new(before: Snapshot) -> Self {
        let states = vec![State::Unseen; before.len()];
        Comparison { before, states, found: Snapshot::new(), named: Vec::new(), dropped: HashSet::new() }
    }

    /// Returns what was there.
    pub fn before(&self) -> &Snapshot {
        &self.before
    }

    /// Returns what has been found and was not settled at once.
    pub fn found(&self) -> &Snapshot {
        &self.found
    }

    /// Returns what was there, to be taken over by those who compare it in another way.
    pub(crate) fn before_mut(&mut self) -> &mut Snapshot {
        &mut self.before
    }

    /// Says what the digests of a file were.
    pub fn set_digests(&mut self, row: Row, stated: &[Stated]) {
        self.before.set_digests(row, stated);
    }

    /// Says what the digests of a file are that was found.
    pub fn set_found_digests(&mut self, row: Row, stated: &[Stated]) {
        self.found.set_digests(row, stated);
    }

    /// Leaves out a file that was found; what had its name does not count as missing.
    pub fn drop_found(&mut self, row: Row) {
        self.dropped.insert(row);
        if let Some(before) = self.named[row.index()] {
            self.leave_out(before);
        }
    }

    /// Returns the files that are not settled.
    pub fn open(&self) -> Vec<Row> {
        let is_open = |row: &Row| matches!(self.states[row.index()], State::Unseen | State::Met | State::Open);
        self.before.rows().filter(is_open).collect()
    }

    /// Notes that a file is being looked at, so that it is not [`Comparison::unseen`].
    pub fn meet(&mut self, row: Row) {
        if self.states[row.index()] == State::Unseen {
            self.states[row.index()] = State::Met;
        }
    }

    /// Settles a file.
    pub fn settle(&mut self, row: Row, class: Class) {
        self.states[row.index()] = State::Settled(class);
    }

    /// Returns the files that were left out.
    pub fn left_out(&self) -> impl Iterator<Item = Row> {
        self.before.rows().filter(|row| self.states[row.index()] == State::LeftOut)
    }

    /// Leaves a file out.
    pub fn leave_out(&mut self, row: Row) {
        self.states[row.index()] = State::LeftOut;
    }

    /// Returns the first file from `at` on that has not been met, and where to go on.
    pub fn unseen(&self, at: usize) -> Option<(Row, usize)> {
        let next = at + self.states.get(at..)?.iter().position(|s| *s == State::Unseen)?;
        Some((Row::new(next), next + 1))
    }

    /// Returns whether a file has the length and the time that it had.
    pub fn is_untouched(&self, row: Row, facts: &Facts) -> bool {
        self.before.size(row) == Some(facts.size) && self.same_time(row, Some(facts.modified)) == Some(true)
    }

    /// Returns whether the time of modification is the one that a file had, if both are known. If the snapshot has only
    /// whole seconds, so do the times compared with it.
    fn same_time(&self, row: Row, now: Option<(i64, u32)>) -> Option<bool> {
        let (before, now) = (self.before.modified(row)?, now?);
        Some(before.0 == now.0 && (before.1 == now.1 || !self.before.has_fine_times()))
    }

    /// Returns whether a file is settled and has other digests than these.
    pub(crate) fn contradicts(&self, name: &[u8], stated: &[Stated]) -> bool {
        let settled = |row: &Row| matches!(self.states[row.index()], State::Settled(_));
        let row = self.before.find(name).filter(settled);
        row.is_some_and(|row| same_content(&self.before.stated(row), stated) == Some(false))
    }

    /// Takes what was found under a normalized name. Returns the class if it is known at once. If a name comes again,
    /// as in lists with a line for each digest, what is said of it is added to what was said before.
    pub fn take(&mut self, name: &[u8], known: &Known<'_>) -> Option<Class> {
        let row = self.before.find(name);
        if row.is_some_and(|row| matches!(self.states[row.index()], State::Settled(_))) {
            return None;
        }
        let earlier = self.found.find(name);
        if earlier.is_some() {
            // What contradicts the first digests does not count.
            let _ = self.found.add(name, known);
        }
        if let Some(row) = row {
            let all = earlier.map(|earlier| self.found.stated(earlier));
            if same_content(&self.before.stated(row), all.as_deref().unwrap_or(known.stated)) == Some(true) {
                let class = match self.same_time(row, known.modified) {
                    Some(false) => Class::Touched,
                    _ => Class::Same,
                };
                self.settle(row, class);
                self.dropped.extend(earlier);
                return Some(class);
            }
            self.states[row.index()] = State::Open;
        }
        if earlier.is_none() && self.found.add(name, known).is_ok() {
            self.named.push(row);
        }
        None
    }

    /// Returns what became of everything that has not been settled, by name in the order of a walk.
    pub fn end(&mut self) -> Vec<Change> {
        let mut gone = self.open();
        let mut new: Vec<Row> = self.found.rows().filter(|row| !self.dropped.contains(row)).collect();
        let rotten = self.rotten_in_place(&new);
        gone.retain(|row| !rotten.contains(row));
        new.retain(|now| self.named[now.index()].is_none_or(|row| !rotten.contains(&row)));
        let is_there = |state: State| matches!(state, State::Settled(Class::Same | Class::Touched));
        let there = |row: Row| is_there(self.states[row.index()]) || rotten.contains(&row);
        let moves::Matched { moved, copied } = moves::find(&self.before, &gone, &self.found, &new, there);
        let mut changes = Vec::with_capacity(gone.len() + self.found.len());
        let mut is_moved = vec![false; self.before.len()];
        let mut is_taken = vec![false; self.found.len()];
        let change = |class, before: Option<Row>, now: Option<Row>| Change {
            class,
            before,
            now,
            taken: before.is_some_and(|row| self.states[row.index()] == State::Open),
            named: now.is_some_and(|row| self.named[row.index()].is_some()),
        };
        for &(before, now) in &moved {
            is_moved[before.index()] = true;
            is_taken[now.index()] = true;
            changes.push(change(Class::Moved, Some(before), Some(now)));
        }
        let mut stands = vec![false; self.before.len()];
        for (now, named) in self.found.rows().zip(&self.named) {
            if is_taken[now.index()] || self.dropped.contains(&now) {
                continue;
            }
            // If the file that had this name has moved away, this is another one.
            let (class, before) = match named.filter(|row| !is_moved[row.index()]) {
                Some(before) => {
                    stands[before.index()] = true;
                    (self.altered(before, now), Some(before))
                }
                None => match copied[now.index()] {
                    Some(from) => (Class::Copied, Some(from)),
                    None => (Class::New, None),
                },
            };
            changes.push(change(class, before, Some(now)));
        }
        for before in gone {
            if !is_moved[before.index()] && !stands[before.index()] {
                changes.push(change(Class::Missing, Some(before), None));
            }
        }
        let key = |c: &Change| match (c.now, c.before) {
            (Some(now), _) => (&self.found, now),
            (None, before) => (&self.before, before.unwrap_or_else(|| unreachable!("a change of nothing"))),
        };
        changes.sort_by(|a, b| {
            let ((in_a, a), (in_b, b)) = (key(a), key(b));
            in_a.compare_names(a, in_b, b)
        });
        changes
    }

    /// Returns the files that have lost their content where they are: their names have the length and the time that
    /// they had, and a content that nothing had. That the content is found elsewhere does not mean that it has moved
    /// there.
    fn rotten_in_place(&self, new: &[Row]) -> HashSet<Row> {
        let named = new.iter().filter_map(|&now| Some((now, self.named[now.index()]?)));
        let mut altered: Vec<(Row, Row)> =
            named.filter(|&(now, before)| self.altered(before, now) == Class::Rotten).collect();
        let listed = moves::contents_in(&self.before, &self.found, altered.iter().map(|&(now, _)| now));
        altered.retain(|(now, _)| !listed.contains(now));
        altered.into_iter().map(|(_, before)| before).collect()
    }

    /// Returns the class of a file that has another content under the same name.
    fn altered(&self, before: Row, now: Row) -> Class {
        let same_size = match (self.before.size(before), self.found.size(now)) {
            (Some(before), Some(now)) => before == now,
            _ => true,
        };
        match (self.same_time(before, self.found.modified(now)), same_size) {
            (Some(false), _) => Class::Changed,
            (Some(true), true) => Class::Rotten,
            (Some(true), false) | (None, _) => Class::Differs,
        }
    }
}
