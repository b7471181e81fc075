//! What a new generation of an ASC MHL history says of a file, and which files have other names by now.

use crate::base::class::Class;
use crate::base::history::FileRecord;
use crate::base::names::split;
use hashmill::Digest;
use hashmill_lists::mhl::{Action, FileHash, HashFormat};
use std::collections::HashMap;

/// Returns what a file is hashed for in addition to the formats that are wanted: if no generation has any of these, one
/// that a generation has, so that it is known whether the file is as before.
pub(crate) fn needed(record: Option<&FileRecord>, wanted: &[HashFormat]) -> Option<HashFormat> {
    let evidence = record?.evidence();
    let has_wanted = evidence.clone().any(|h| wanted.contains(&h.format));
    evidence.map(|h| h.format).next().filter(|_| !has_wanted)
}

/// Returns whether a file is as the generations say, by all digests of it that `computed` returns. `None` if they say
/// nothing of it.
pub(crate) fn is_same(record: &FileRecord, computed: impl Fn(HashFormat) -> Option<Digest>) -> Option<bool> {
    let compared = record.evidence().filter_map(|h| computed(h.format).map(|digest| digest == h.digest));
    compared.reduce(|a, b| a && b)
}

/// Returns what the next generation says of a file: `original` if it is new, else `verified` or `failed`. A format that
/// no generation has yet is added only if all others are as before, since it would vouch for what has changed.
pub(crate) fn hashes(
    record: Option<&FileRecord>,
    wanted: &[HashFormat],
    computed: impl Fn(HashFormat) -> Option<Digest>,
) -> Vec<FileHash> {
    let mut formats: Vec<HashFormat> = wanted.iter().copied().chain(needed(record, wanted)).collect();
    formats.sort_unstable();
    formats.dedup();
    let known = |format| record.and_then(|r| r.evidence().find(|h| h.format == format));
    let is_new = record.is_none_or(|r| r.evidence().next().is_none());
    let hash = |format, action| computed(format).map(|digest| FileHash { format, digest, action: Some(action) });
    let mut hashes: Vec<FileHash> = Vec::new();
    for &format in &formats {
        match known(format) {
            Some(before) => {
                let action = |digest: &Digest| if *digest == before.digest { Action::Verified } else { Action::Failed };
                hashes.extend(computed(format).map(|d| FileHash { format, action: Some(action(&d)), digest: d }));
            }
            None if is_new => hashes.extend(hash(format, Action::Original)),
            None => {}
        }
    }
    if !is_new && hashes.iter().all(|h| h.action == Some(Action::Verified)) {
        hashes.extend(formats.iter().filter(|f| known(**f).is_none()).filter_map(|f| hash(*f, Action::Verified)));
        hashes.sort_by_key(|h| h.format);
    }
    hashes
}

/// Returns the class of a file whose content is another than the one that was recorded. Times are in whole seconds.
pub(crate) fn altered(record: &FileRecord, size: u64, mtime: Option<(i64, u32)>) -> Class {
    match (record.mtime.zip(mtime), record.size) {
        (Some((before, now)), _) if before.0 != now.0 => Class::Changed,
        (Some(_), Some(before)) if before == size => Class::Rotten,
        _ => Class::Differs,
    }
}

/// A file or folder that is gone, or one that is new.
#[derive(Debug, Clone)]
pub(crate) struct Candidate<'a> {
    /// Its name.
    pub(crate) name: &'a [u8],
    /// Its digests.
    pub(crate) digests: Vec<(HashFormat, Digest)>,
}

/// Returns which of those that are gone have which new name: one with the same content. Those that kept the last part
/// of their name come first.
pub(crate) fn renamed(gone: &[Candidate<'_>], new: &[Candidate<'_>]) -> Vec<(usize, usize)> {
    let mut taken = vec![false; new.len()];
    let mut found = vec![None; gone.len()];
    for by_name in [true, false] {
        let leaf = |name| by_name.then(|| split(name).1);
        // The last comes first.
        /// A digest, and the last part of a name if that counts.
        type Key<'a> = (HashFormat, &'a Digest, Option<&'a [u8]>);
        let mut left: HashMap<Key<'_>, Vec<usize>> = HashMap::new();
        for (n, candidate) in new.iter().enumerate().rev().filter(|(n, _)| !taken[*n]) {
            for (format, digest) in &candidate.digests {
                left.entry((*format, digest, leaf(candidate.name))).or_default().push(n);
            }
        }
        for (g, candidate) in gone.iter().enumerate() {
            for (format, digest) in &candidate.digests {
                if found[g].is_some() {
                    break;
                }
                let same =
                    |n: usize| candidate.digests.iter().all(|(f, digest)| of(&new[n], *f).is_none_or(|d| d == digest));
                let Some(left) = left.get_mut(&(*format, digest, leaf(candidate.name))) else { continue };
                found[g] = std::iter::from_fn(|| left.pop()).find(|n| !taken[*n] && same(*n));
            }
            if let Some(n) = found[g] {
                taken[n] = true;
            }
        }
    }
    found.into_iter().enumerate().filter_map(|(g, n)| Some((g, n?))).collect()
}

fn of<'a>(candidate: &'a Candidate<'_>, format: HashFormat) -> Option<&'a Digest> {
    candidate.digests.iter().find(|(f, _)| *f == format).map(|(_, digest)| digest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use HashFormat::{C4, Md5, Sha1, Xxh64};

    fn record(hashes: &[(HashFormat, u8, Action)]) -> FileRecord {
        let hash = |(format, value, action): &(HashFormat, u8, Action)| FileHash {
            format: *format,
            digest: Digest::from_bytes(&[*value]),
            action: Some(*action),
        };
        FileRecord { hashes: hashes.iter().map(hash).collect(), ..FileRecord::default() }
    }

    /// Returns what is said of a file whose digests are all 1.
    fn said(record: Option<&FileRecord>, wanted: &[HashFormat]) -> String {
        let hashes = hashes(record, wanted, |_| Some(Digest::from_bytes(&[1])));
        let words: Vec<String> =
            hashes.iter().map(|h| format!("{} {:?}", h.format.name(), h.action.unwrap())).collect();
        words.join(", ")
    }

    #[test]
    fn what_a_generation_says_of_a_file() {
        use Action::{Failed, Original, Verified};
        assert_eq!(said(None, &[Xxh64, C4]), "c4 Original, xxh64 Original");
        let good = record(&[(Xxh64, 1, Original)]);
        assert_eq!(said(Some(&good), &[Xxh64]), "xxh64 Verified");
        assert_eq!(said(Some(&good), &[Md5]), "md5 Verified, xxh64 Verified");
        assert_eq!(said(Some(&good), &[Xxh64, C4]), "c4 Verified, xxh64 Verified");
        let bad = record(&[(Xxh64, 2, Original)]);
        assert_eq!(said(Some(&bad), &[Xxh64]), "xxh64 Failed");
        assert_eq!(said(Some(&bad), &[Md5, C4]), "xxh64 Failed", "a new digest would vouch for it");
        let both = record(&[(Md5, 1, Original), (Xxh64, 2, Verified)]);
        assert_eq!(said(Some(&both), &[Md5, Xxh64, Sha1]), "md5 Verified, xxh64 Failed");
        assert_eq!(said(Some(&both), &[Md5]), "md5 Verified");
        assert_eq!(said(Some(&record(&[(Md5, 2, Failed)])), &[Md5]), "md5 Original", "nothing else is known");
        assert_eq!(needed(Some(&both), &[C4]), Some(Md5));
        assert_eq!(needed(Some(&both), &[C4, Xxh64]), None);
        let same = |record: &FileRecord| is_same(record, |format| (format != C4).then(|| Digest::from_bytes(&[1])));
        assert_eq!(same(&good), Some(true));
        assert_eq!(same(&both), Some(false));
        assert_eq!(same(&record(&[(C4, 1, Original)])), None);
    }

    #[test]
    fn classes_of_other_contents() {
        let record = |size, mtime| FileRecord { size, mtime, ..FileRecord::default() };
        for (size, seconds, want) in [
            (Some(5), Some(7), Class::Rotten),
            (Some(5), Some(8), Class::Changed),
            (Some(6), Some(7), Class::Differs),
            (None, Some(7), Class::Differs),
            (Some(5), None, Class::Differs),
        ] {
            let record = record(size, seconds.map(|s| (s, 0)));
            assert_eq!(altered(&record, 5, Some((7, 999))), want, "{size:?} {seconds:?}");
        }
    }

    #[test]
    fn names_by_content() {
        let candidate = |name: &'static str, values: &[(HashFormat, u8)]| Candidate {
            name: name.as_bytes(),
            digests: values.iter().map(|(f, v)| (*f, Digest::from_bytes(&[*v]))).collect(),
        };
        let gone = [
            candidate("a/x", &[(Xxh64, 1)]),
            candidate("a/y", &[(Xxh64, 1)]),
            candidate("a/z", &[(Md5, 3), (Xxh64, 3)]),
            candidate("a/w", &[(C4, 9)]),
        ];
        let new = [
            candidate("b/y", &[(Xxh64, 1), (Md5, 7)]),
            candidate("b/new", &[(Xxh64, 1)]),
            candidate("b/z", &[(Md5, 3), (Xxh64, 4)]),
            candidate("b/z2", &[(Xxh64, 3), (Md5, 3)]),
        ];
        assert_eq!(renamed(&gone, &new), [(0, 1), (1, 0), (2, 3)]);
        assert_eq!(renamed(&gone[..2], &new[..1]), [(1, 0)], "one file is not two");
        assert_eq!(renamed(&gone, &[]), []);
    }
}
