//! Which name a file gets if something in the destination already has its first choice.

use crate::fs::meta::Stamp;
use crate::model::event::Action;
use crate::model::options::OnConflict;
use hashmill::{Algorithm, Digest};
use hashmill_lists::{Entry, Function};

/// What is at a name, as seen by a file that could get it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Nothing.
    Free,
    /// The same content. The stamp, if any, is that of the destination's file whose digests were compared.
    Same(Option<Stamp>),
    /// Other content.
    Other {
        /// Whether this run put it there or is going to.
        ours: bool,
        /// Its stamp, if it is a regular file.
        file: Option<Stamp>,
    },
    /// It depends on requested digests, a copy that may still fail, or an earlier file that may get the name.
    Unknown,
}

impl Standing {
    /// Another file of this run, with other content.
    pub(crate) const OURS: Standing = Standing::Other { ours: true, file: None };
}

/// Returns what is at a name that another file of this run has claimed.
pub(crate) fn claimed(same_length: bool, same_digests: Option<bool>, being_copied: bool) -> Standing {
    match (same_length, same_digests) {
        (false, _) | (true, Some(false)) => Standing::OURS,
        // Its copy may still fail until it is durable.
        (true, Some(true)) if being_copied => Standing::Unknown,
        (true, Some(true)) => Standing::Same(None),
        (true, None) => Standing::Unknown,
    }
}

/// What is known of a file in the destination that is as long as the one to be copied.
pub(crate) enum There<'a> {
    /// Its digests have been requested.
    Unread,
    Unreadable,
    /// It was modified between the look-up and the read.
    Changed,
    Digests(&'a [Digest]),
}

/// How two files of the same length compare.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Same,
    Different,
    /// Digests are missing.
    Unknown,
    /// The destination's file has to be looked at again.
    LookAgain,
}

/// Compares a file in the destination with the digests of the source, if those are known.
pub(crate) fn compare(there: There<'_>, here: Option<&[Digest]>) -> Comparison {
    match (there, here) {
        (There::Changed, _) => Comparison::LookAgain,
        (There::Digests(a), Some(b)) if a == b => Comparison::Same,
        // A file that cannot be read is not taken for the same.
        (There::Digests(_) | There::Unreadable, Some(_)) | (There::Unreadable, None) => Comparison::Different,
        (There::Unread, _) | (There::Digests(_), None) => Comparison::Unknown,
    }
}

/// Whether a file is damaged that has these digests now, given what a list said of it: its content is another, while
/// its length and its time are the same, so nobody has written to it on purpose.
pub(crate) fn is_damaged<'a>(
    said: &Entry,
    size: u64,
    modified: (i64, u32),
    digests: impl Iterator<Item = (&'a Algorithm, &'a Digest)>,
) -> bool {
    let differs = |(a, digest): (&Algorithm, &Digest)| {
        said.stated.iter().any(|s| s.function.and_then(Function::plain) == Some(*a) && s.digest != *digest)
    };
    said.size == Some(size) && said.mtime == Some(modified) && { digests }.any(differs)
}

/// What files that stay together do, given what is at one set of their names.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// They wait for what is not known yet.
    Wait,
    /// They try their next names.
    NextNames,
    /// They settle for these names, each as [`step`] says.
    Settle,
}

/// Decides about files that stay together, given the standing of the name that each would get.
pub(crate) fn verdict(standings: &[Standing], policy: OnConflict) -> Verdict {
    if standings.contains(&Standing::Unknown) {
        return Verdict::Wait;
    }
    let taken = |s: &Standing| match (s, policy) {
        // Files of the same run never replace each other, whatever the policy.
        (Standing::Other { ours: true, .. }, _) | (Standing::Other { .. }, OnConflict::Rename) => true,
        // Only regular files are replaced.
        (Standing::Other { file, .. }, OnConflict::Repair) => file.is_none(),
        _ => false,
    };
    if standings.iter().any(taken) { Verdict::NextNames } else { Verdict::Settle }
}

/// What is done with one file at the name that it settles for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The destination already has it.
    Keep,
    /// Another file is there, and stays.
    Refuse(Action),
    /// It is copied, replacing the file with this stamp, if any.
    Copy(Option<Stamp>),
}

/// Returns the step for a file whose name has this standing, once the verdict is to settle.
pub(crate) fn step(standing: Standing, policy: OnConflict) -> Step {
    match (standing, policy) {
        (Standing::Same(_), _) => Step::Keep,
        (Standing::Other { file, .. }, OnConflict::Repair) => Step::Copy(file),
        (Standing::Other { .. }, OnConflict::Skip) => Step::Refuse(Action::Conflict),
        (Standing::Other { .. }, _) => Step::Refuse(Action::Failed),
        (Standing::Free | Standing::Unknown, _) => Step::Copy(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use OnConflict::{Fail, Rename, Repair, Skip};

    const STAMP: Stamp = Stamp { size: 1, modified: 2, changed: 3, device: 4, inode: 5 };
    const FOLDER: Standing = Standing::Other { ours: false, file: None };
    const FILE: Standing = Standing::Other { ours: false, file: Some(STAMP) };
    const SAME: Standing = Standing::Same(Some(STAMP));

    #[test]
    fn claims_of_one_run() {
        let table = [
            ((false, None, false), Standing::OURS),
            ((false, Some(true), true), Standing::OURS),
            ((true, None, false), Standing::Unknown),
            ((true, None, true), Standing::Unknown),
            ((true, Some(false), false), Standing::OURS),
            ((true, Some(false), true), Standing::OURS),
            ((true, Some(true), true), Standing::Unknown),
            ((true, Some(true), false), Standing::Same(None)),
        ];
        for ((length, digests, copied), want) in table {
            assert_eq!(claimed(length, digests, copied), want, "{length} {digests:?} {copied}");
        }
    }

    #[test]
    fn files_of_one_length() {
        let digest = |n| vec![Digest::from_bytes(&[n; 32])];
        let (a, b) = (digest(1), digest(2));
        let table = [
            (There::Unread, None, Comparison::Unknown),
            (There::Unread, Some(&a), Comparison::Unknown),
            (There::Unreadable, None, Comparison::Different),
            (There::Unreadable, Some(&a), Comparison::Different),
            (There::Changed, None, Comparison::LookAgain),
            (There::Changed, Some(&a), Comparison::LookAgain),
            (There::Digests(&a), None, Comparison::Unknown),
            (There::Digests(&a), Some(&a), Comparison::Same),
            (There::Digests(&b), Some(&a), Comparison::Different),
        ];
        for (i, (there, here, want)) in table.into_iter().enumerate() {
            assert_eq!(compare(there, here.map(Vec::as_slice)), want, "row {i}");
        }
    }

    #[test]
    fn damage() {
        let a = Algorithm::named("blake3").expect("an algorithm");
        let other = Algorithm::named("md5").expect("an algorithm");
        let said = |content: &[u8]| Entry {
            size: Some(3),
            mtime: Some((1, 2)),
            ..Entry::new(b"a".to_vec(), Some(a), a.digest(content))
        };
        let now = |algorithm: Algorithm| algorithm.digest(b"abc");
        let table = [
            (said(b"abC"), 3, (1, 2), a, true),
            (said(b"abc"), 3, (1, 2), a, false),
            // Somebody has written to it, or may have.
            (said(b"abC"), 3, (1, 3), a, false),
            (said(b"abC"), 4, (1, 2), a, false),
            (Entry { mtime: None, ..said(b"abC") }, 3, (1, 2), a, false),
            // Nothing says what it was by this algorithm.
            (said(b"abC"), 3, (1, 2), other, false),
        ];
        for (i, (said, size, modified, algorithm, want)) in table.into_iter().enumerate() {
            let digest = now(algorithm);
            assert_eq!(is_damaged(&said, size, modified, [(&algorithm, &digest)].into_iter()), want, "row {i}");
        }
    }

    #[test]
    fn verdicts() {
        use Standing::{Free, Unknown};
        const OURS: Standing = Standing::OURS;
        use Verdict::{NextNames, Settle, Wait};
        // The verdicts under the policies rename, skip, fail and repair.
        let table: [(&[Standing], [Verdict; 4]); 10] = [
            (&[Free], [Settle, Settle, Settle, Settle]),
            (&[SAME], [Settle, Settle, Settle, Settle]),
            (&[FILE], [NextNames, Settle, Settle, Settle]),
            (&[FOLDER], [NextNames, Settle, Settle, NextNames]),
            (&[OURS], [NextNames, NextNames, NextNames, NextNames]),
            (&[Unknown], [Wait, Wait, Wait, Wait]),
            // A picture and its sidecar get the same number.
            (&[Free, FILE], [NextNames, Settle, Settle, Settle]),
            (&[SAME, OURS], [NextNames, NextNames, NextNames, NextNames]),
            (&[FILE, Unknown], [Wait, Wait, Wait, Wait]),
            (&[OURS, Unknown], [Wait, Wait, Wait, Wait]),
        ];
        for (standings, want) in table {
            assert_eq!([Rename, Skip, Fail, Repair].map(|p| verdict(standings, p)), want, "{standings:?}");
        }
    }

    #[test]
    fn steps() {
        use Step::{Copy, Keep, Refuse};
        let table = [
            (Standing::Free, [Copy(None), Copy(None), Copy(None)]),
            (SAME, [Keep, Keep, Keep]),
            (FILE, [Refuse(Action::Conflict), Refuse(Action::Failed), Copy(Some(STAMP))]),
            (FOLDER, [Refuse(Action::Conflict), Refuse(Action::Failed), Copy(None)]),
        ];
        for (standing, want) in table {
            assert_eq!([Skip, Fail, Repair].map(|p| step(standing, p)), want, "{standing:?}");
        }
    }
}
