//! What content the destination already has, for runs that look for duplicates.

use crate::fs::meta::{Meta, Stamp};
use crate::fs::source::Source;
use hashmill::Digest;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// What identifies content: its length, and the digest of the first algorithm that tells all files apart.
type Content = (u64, Vec<u8>);

/// The destination's files by content.
#[derive(Default)]
pub(crate) struct Duplicates {
    /// The destination's files by length, until a source of that length comes up.
    unread: HashMap<u64, Vec<PathBuf>>,
    /// Files that are being read, by length.
    reading: HashMap<u64, Vec<PathBuf>>,
    /// Path of each content that was read in the destination or copied by this run, as it was then; in a dry run, also
    /// of what would be copied.
    found: HashMap<Content, (PathBuf, Option<Stamp>)>,
    /// Lengths of the files in `found` and `earlier`.
    lengths: HashSet<u64>,
    /// Lengths shared by several files of this batch.
    crowded: HashSet<u64>,
    /// Content that is being copied in this wave.
    being_copied: HashSet<Content>,
    /// In a dry run, files of earlier batches that have not been read, by length.
    earlier: HashMap<u64, (Source, Meta, PathBuf)>,
}

/// Whether the destination has a file's content.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Lookup<'a> {
    No,
    /// It depends on missing digests, or on a copy that may still fail.
    Unknown,
    At(&'a Path, Option<Stamp>),
}

impl Duplicates {
    /// Begins a batch of files with these lengths.
    pub(crate) fn begin_batch(&mut self, lengths: impl Iterator<Item = u64>) {
        self.crowded.clear();
        let mut seen = HashSet::new();
        for length in lengths {
            if !seen.insert(length) {
                self.crowded.insert(length);
            }
        }
    }

    /// Begins another wave of the batch. By now, every copy of the previous wave is durable or has failed.
    pub(crate) fn begin_wave(&mut self) {
        self.being_copied.clear();
    }

    /// Adds a file of the destination that has not been read.
    pub(crate) fn list(&mut self, length: u64, path: PathBuf) {
        self.unread.entry(length).or_default().push(path);
    }

    /// Takes the destination's files of a length that have to be read before [`find`](Self::find) can say no.
    pub(crate) fn take_unread(&mut self, length: u64) -> Vec<PathBuf> {
        let mut all = self.reading.remove(&length).unwrap_or_default();
        all.extend(self.unread.remove(&length).unwrap_or_default());
        all
    }

    /// Notes the files of a length that are being read.
    pub(crate) fn put_reading(&mut self, length: u64, paths: Vec<PathBuf>) {
        if !paths.is_empty() {
            self.reading.insert(length, paths);
        }
    }

    /// Notes that the destination has this content.
    pub(crate) fn add(&mut self, length: u64, digest: &Digest, path: &Path, stamp: Option<Stamp>) {
        self.lengths.insert(length);
        self.found.entry((length, digest.as_bytes().to_vec())).or_insert_with(|| (path.into(), stamp));
    }

    /// Notes that a copy of this content has been started.
    pub(crate) fn add_being_copied(&mut self, length: u64, digest: &Digest) {
        self.being_copied.insert((length, digest.as_bytes().to_vec()));
    }

    /// In a dry run, notes a file that would be copied to `path` and has not been read.
    pub(crate) fn add_planned(&mut self, source: Source, meta: Meta, path: PathBuf) {
        self.lengths.insert(meta.size);
        self.earlier.insert(meta.size, (source, meta, path));
    }

    /// Returns the file of this length that would have been copied earlier and must be read now, if any.
    pub(crate) fn planned(&self, length: u64) -> Option<(&Source, &Meta)> {
        self.earlier.get(&length).map(|(source, meta, _)| (source, meta))
    }

    /// Notes the digest of the planned file of this length, or `None` if it cannot be read.
    pub(crate) fn planned_was_read(&mut self, length: u64, digest: Option<&Digest>) {
        let Some((_, _, path)) = self.earlier.remove(&length) else { return };
        if let Some(digest) = digest {
            self.add(length, digest, &path, None);
        }
    }

    /// Returns whether anything could be the same as a file of this length, so that its digest is needed.
    pub(crate) fn needs_digest(&self, length: u64) -> bool {
        // All empty files are the same, but nobody looks for one under another name.
        length > 0
            && (self.reading.contains_key(&length) || self.crowded.contains(&length) || self.lengths.contains(&length))
    }

    /// Returns whether the destination has the content of a file with this length and digest.
    pub(crate) fn find(&self, length: u64, digest: Option<&Digest>) -> Lookup<'_> {
        if !self.needs_digest(length) {
            return Lookup::No;
        }
        let Some(digest) = digest else { return Lookup::Unknown };
        if self.reading.contains_key(&length) || self.earlier.contains_key(&length) {
            return Lookup::Unknown;
        }
        let content = (length, digest.as_bytes().to_vec());
        match self.found.get(&content) {
            _ if self.being_copied.contains(&content) => Lookup::Unknown,
            Some((path, stamp)) => Lookup::At(path, *stamp),
            None => Lookup::No,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(n: u8) -> Digest {
        Digest::from_bytes(&[n; 32])
    }

    #[test]
    fn only_what_could_be_the_same_is_read() {
        let mut d = Duplicates::default();
        d.list(5, "there".into());
        d.begin_batch([3, 4, 4, 0, 0].into_iter());
        // The only file of its length, two files of one length, and empty files.
        assert_eq!([3, 4, 0].map(|length| d.needs_digest(length)), [false, true, false]);
        assert_eq!([3, 0].map(|length| d.find(length, None)), [Lookup::No, Lookup::No]);
        assert_eq!(d.find(4, None), Lookup::Unknown);
        assert_eq!(d.find(4, Some(&digest(1))), Lookup::No);
        d.begin_batch([4, 5].into_iter());
        assert!(!d.needs_digest(4));
    }

    #[test]
    fn what_is_being_read_decides() {
        let mut d = Duplicates::default();
        d.list(5, "there".into());
        assert_eq!(d.take_unread(5), [PathBuf::from("there")]);
        d.put_reading(5, vec!["there".into()]);
        assert_eq!(d.find(5, Some(&digest(1))), Lookup::Unknown);
        assert_eq!(d.take_unread(5), [PathBuf::from("there")]);
        d.put_reading(5, Vec::new());
        d.add(5, &digest(1), Path::new("there"), None);
        assert_eq!(d.find(5, Some(&digest(1))), Lookup::At(Path::new("there"), None));
        assert_eq!(d.find(5, Some(&digest(2))), Lookup::No);
        assert_eq!(d.find(6, Some(&digest(1))), Lookup::No);
    }

    #[test]
    fn a_copy_that_may_fail_is_waited_for() {
        let mut d = Duplicates::default();
        d.begin_batch([7, 7].into_iter());
        d.add_being_copied(7, &digest(1));
        assert_eq!(d.find(7, Some(&digest(1))), Lookup::Unknown);
        assert_eq!(d.find(7, Some(&digest(2))), Lookup::No);
        d.begin_wave();
        assert_eq!(d.find(7, Some(&digest(1))), Lookup::No);
        d.add(7, &digest(1), Path::new("copied"), None);
        d.add(7, &digest(1), Path::new("copied again"), None);
        assert_eq!(d.find(7, Some(&digest(1))), Lookup::At(Path::new("copied"), None));
    }
}
