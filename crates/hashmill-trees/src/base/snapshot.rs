//! What is known of the files of a tree, in as little memory as possible: about 100 bytes for a file with one digest of
//! 32 bytes, however deep its folder is.

use crate::base::names::split;
use hashbrown::HashTable;
use hashmill::Digest;
use hashmill_lists::{Function, Stated};
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

/// A file of a [`Snapshot`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Row(u32);

impl Row {
    /// Returns the row at this place among all rows.
    pub(crate) fn new(index: usize) -> Row {
        Row(index as u32)
    }

    /// Returns its place among all rows.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Stands for a length that is not known, and in [`Record::nanoseconds`] for a time that is not.
const NO_SIZE: u64 = u64::MAX;
const NO_TIME: u32 = u32::MAX;

/// What is known of a file.
#[derive(Debug)]
struct Record {
    /// Where its name begins in [`Snapshot::text`], without its folder.
    name: u64,
    size: u64,
    seconds: i64,
    /// Where its digests begin in [`Snapshot::values`].
    values: u64,
    name_len: u32,
    nanoseconds: u32,
    folder: u32,
    /// Which digests it has.
    kind: u32,
}

/// Which digests a file has: for each, what it is of, and the lengths of its value and the alternatives to that.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
struct Kind(Vec<(Option<Function>, Vec<usize>)>);

impl Kind {
    fn of(stated: &[Stated]) -> Kind {
        Kind(stated.iter().map(|s| (s.function, lengths(s).collect())).collect())
    }

    fn is_of(&self, stated: &[Stated]) -> bool {
        let same = |((function, all), s): (&(_, Vec<usize>), &Stated)| {
            *function == s.function && all.iter().copied().eq(lengths(s))
        };
        self.0.len() == stated.len() && self.0.iter().zip(stated).all(same)
    }
}

/// Returns the lengths of a value and of the alternatives to it.
fn lengths(s: &Stated) -> impl Iterator<Item = usize> {
    std::iter::once(&s.digest).chain(&s.or).map(|d| d.as_bytes().len())
}

/// The files of a tree by their names, as far as a list or the file system tells.
#[derive(Debug, Default)]
pub struct Snapshot {
    records: Vec<Record>,
    /// Folders: where the name of each begins in `text`, and its length.
    folders: Vec<(u64, u32)>,
    /// Names without their folders, and names of folders.
    text: Vec<u8>,
    values: Vec<u8>,
    kinds: Vec<Kind>,
    by_kind: HashMap<Kind, u32>,
    by_name: HashTable<u32>,
    by_folder: HashTable<u32>,
    hasher: RandomState,
    /// The folder of the last name, since many names in a row are in the same.
    last: Option<u32>,
    /// Whether a time has a fraction of a second.
    fine: bool,
}

/// What is said of a file.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known<'a> {
    /// Its length in bytes.
    pub size: Option<u64>,
    /// When it was last modified: seconds since 1970 (UTC), and nanoseconds.
    pub modified: Option<(i64, u32)>,
    /// Its digests.
    pub stated: &'a [Stated],
}

/// A name is there already, with another digest of the same function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("named twice, with different digests")]
pub struct Contradiction;

impl Snapshot {
    /// Returns a snapshot without files.
    pub fn new() -> Self {
        Snapshot::default()
    }

    /// Returns the number of files.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Returns whether there are no files.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Returns all files, in the order in which they were added.
    pub fn rows(&self) -> impl Iterator<Item = Row> + use<> {
        (0..self.records.len() as u32).map(Row)
    }

    /// Returns the names of the folders that files are in, each once.
    pub fn folders(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.folders.len() as u32).map(|n| self.folder_name(n))
    }

    /// Returns whether any time has a fraction of a second. If none has, the fractions were left out.
    pub fn has_fine_times(&self) -> bool {
        self.fine
    }

    /// Adds a file with a normalized name. If the name is there, what is said of it is added to it.
    ///
    /// # Errors
    /// Returns [`Contradiction`] if the name is there with another digest of the same function; the first stays.
    ///
    /// # Panics
    /// Panics at four thousand million files.
    pub fn add(&mut self, name: &[u8], known: &Known<'_>) -> Result<Row, Contradiction> {
        let (folder, last) = split(name);
        let folder = self.folder(folder);
        let (kind, values) = self.stored(known.stated);
        let (seconds, nanoseconds) = known.modified.unwrap_or((0, NO_TIME));
        self.fine |= nanoseconds != 0 && nanoseconds != NO_TIME;
        let hash = self.hasher.hash_one((folder, last));
        if let Some(row) = self.named(hash, folder, last) {
            return self.join(row, known).map(|()| row);
        }
        let number = u32::try_from(self.records.len()).unwrap_or_else(|_| panic!("too many files"));
        let at = self.text.len() as u64;
        self.text.extend_from_slice(last);
        self.records.push(Record {
            name: at,
            size: known.size.unwrap_or(NO_SIZE),
            seconds,
            values,
            name_len: last.len() as u32,
            nanoseconds,
            folder,
            kind,
        });
        let Snapshot { by_name, records, text, hasher, .. } = self;
        by_name.insert_unique(hash, number, |&n| {
            let record = &records[n as usize];
            hasher.hash_one((record.folder, name_of(record, text)))
        });
        Ok(Row(number))
    }

    /// Adds what else is said of a file.
    fn join(&mut self, row: Row, known: &Known<'_>) -> Result<(), Contradiction> {
        let mut stated = self.stated(row);
        for new in known.stated {
            match stated.iter().find(|s| s.function == new.function && same_length(s, new)) {
                Some(old) if old.digest == new.digest => {}
                Some(_) => return Err(Contradiction),
                None => stated.push(new.clone()),
            }
        }
        let (kind, values) = self.stored(&stated);
        let record = &mut self.records[row.index()];
        (record.kind, record.values) = (kind, values);
        if let (NO_SIZE, Some(size)) = (record.size, known.size) {
            record.size = size;
        }
        if let (NO_TIME, Some(time)) = (record.nanoseconds, known.modified) {
            (record.seconds, record.nanoseconds) = time;
        }
        Ok(())
    }

    /// Replaces the time of a file.
    pub(crate) fn set_modified(&mut self, row: Row, (seconds, nanoseconds): (i64, u32)) {
        let record = &mut self.records[row.index()];
        (record.seconds, record.nanoseconds) = (seconds, nanoseconds);
    }

    /// Replaces what is known of a file's digests.
    pub fn set_digests(&mut self, row: Row, stated: &[Stated]) {
        let (kind, values) = self.stored(stated);
        let record = &mut self.records[row.index()];
        (record.kind, record.values) = (kind, values);
    }

    /// Stores digests. Returns which they are, and where.
    fn stored(&mut self, stated: &[Stated]) -> (u32, u64) {
        // Nearly always, all files have the same digests.
        let last = self.records.last().map(|r| r.kind).filter(|&n| self.kinds[n as usize].is_of(stated));
        let number = last.unwrap_or_else(|| {
            let kind = Kind::of(stated);
            *self.by_kind.entry(kind.clone()).or_insert_with(|| {
                self.kinds.push(kind);
                self.kinds.len() as u32 - 1
            })
        });
        let at = self.values.len() as u64;
        for s in stated {
            std::iter::once(&s.digest).chain(&s.or).for_each(|d| self.values.extend_from_slice(d.as_bytes()));
        }
        (number, at)
    }

    /// Returns the number of a folder, which is added if it is new.
    fn folder(&mut self, name: &[u8]) -> u32 {
        let Snapshot { folders, text, by_folder, hasher, last, .. } = self;
        let called = |text: &[u8], folders: &[(u64, u32)], n: u32| {
            let (at, len) = folders[n as usize];
            text[at as usize..][..len as usize] == *name
        };
        if let Some(last) = last.filter(|&n| called(text, folders, n)) {
            return last;
        }
        let hash = hasher.hash_one(name);
        let number = match by_folder.find(hash, |&n| called(text, folders, n)) {
            Some(&n) => n,
            None => {
                let number = folders.len() as u32;
                folders.push((text.len() as u64, name.len() as u32));
                text.extend_from_slice(name);
                by_folder.insert_unique(hash, number, |&n| {
                    let (at, len) = folders[n as usize];
                    hasher.hash_one(&text[at as usize..][..len as usize])
                });
                number
            }
        };
        *last = Some(number);
        number
    }

    fn named(&self, hash: u64, folder: u32, last: &[u8]) -> Option<Row> {
        let is = |&n: &u32| {
            let record = &self.records[n as usize];
            record.folder == folder && name_of(record, &self.text) == last
        };
        self.by_name.find(hash, is).map(|&n| Row(n))
    }

    /// Returns the file with this normalized name.
    pub fn find(&self, name: &[u8]) -> Option<Row> {
        let (folder, last) = split(name);
        let hash = self.hasher.hash_one(folder);
        let folder = *self.by_folder.find(hash, |&n| self.folder_name(n) == folder)?;
        self.named(self.hasher.hash_one((folder, last)), folder, last)
    }

    fn folder_name(&self, number: u32) -> &[u8] {
        let (at, len) = self.folders[number as usize];
        &self.text[at as usize..][..len as usize]
    }

    /// Returns a file's folder, and what it is called there.
    pub fn parts(&self, row: Row) -> (&[u8], &[u8]) {
        let record = &self.records[row.index()];
        (self.folder_name(record.folder), name_of(record, &self.text))
    }

    /// Returns a file's name.
    pub fn name(&self, row: Row) -> Vec<u8> {
        let (folder, last) = self.parts(row);
        let between: &[u8] = if folder.is_empty() || folder.ends_with(b"/") { b"" } else { b"/" };
        [folder, between, last].concat()
    }

    /// Returns a file's length in bytes, if it is known.
    pub fn size(&self, row: Row) -> Option<u64> {
        Some(self.records[row.index()].size).filter(|&size| size != NO_SIZE)
    }

    /// Returns when a file was last modified, if it is known.
    pub fn modified(&self, row: Row) -> Option<(i64, u32)> {
        let Record { seconds, nanoseconds, .. } = self.records[row.index()];
        Some((seconds, nanoseconds)).filter(|&(_, n)| n != NO_TIME)
    }

    /// Returns a file's digests: what each is of, and its value.
    pub(crate) fn values(&self, row: Row) -> impl Iterator<Item = (Option<Function>, &[u8])> {
        let record = &self.records[row.index()];
        let mut at = record.values as usize;
        self.kinds[record.kind as usize].0.iter().map(move |(function, lengths)| {
            let value = &self.values[at..][..lengths[0]];
            at += lengths.iter().sum::<usize>();
            (*function, value)
        })
    }

    /// Returns a file's digests.
    pub fn stated(&self, row: Row) -> Vec<Stated> {
        let record = &self.records[row.index()];
        let mut at = record.values as usize;
        let mut next = |length: &usize| {
            at += length;
            Digest::from_bytes(&self.values[at - length..at])
        };
        let kind = &self.kinds[record.kind as usize].0;
        let stated = kind.iter().map(|(function, lengths)| {
            let digest = next(&lengths[0]);
            let stated = Stated { function: *function, ..Stated::new(None, digest) };
            Stated { or: lengths[1..].iter().map(&mut next).collect(), ..stated }
        });
        stated.collect()
    }

    /// Returns whether a file's digests are these, as far as it is known what they are of.
    pub(crate) fn has_digests(&self, row: Row, stated: &[Stated]) -> bool {
        let mut values = self.values(row).peekable();
        values.peek().is_some()
            && values.all(|(function, value)| {
                let same = |s: &Stated| function.is_none_or(|f| s.function == Some(f)) && s.digest.as_bytes() == value;
                stated.iter().any(same)
            })
    }

    /// Returns what the digests of files are of, each once, and the lengths of those that do not tell.
    pub fn functions(&self) -> (Vec<Function>, Vec<usize>) {
        let (mut functions, mut unnamed) = (Vec::new(), Vec::new());
        for (function, lengths) in self.kinds.iter().flat_map(|kind| &kind.0) {
            match function {
                Some(f) if !functions.contains(f) => functions.push(*f),
                None if !unnamed.contains(&lengths[0]) => unnamed.push(lengths[0]),
                _ => {}
            }
        }
        (functions, unnamed)
    }

    /// Says what digests of this length are of that do not tell.
    pub fn call(&mut self, length: usize, function: Function) {
        self.by_kind.clear();
        for (f, lengths) in self.kinds.iter_mut().flat_map(|kind| &mut kind.0) {
            if f.is_none() && lengths[0] == length {
                *f = Some(function);
            }
        }
    }

    /// Sorts rows by their names, as a walk through the tree meets them: what is in a folder comes in the place of the
    /// folder's name.
    pub fn compare_names(&self, a: Row, other: &Snapshot, b: Row) -> std::cmp::Ordering {
        let of = |(folder, last): (&[u8], &[u8])| {
            // What is above the last name sorts as if every name ended with a byte below all others.
            let key = |b: u8| if b == b'/' { 0u16 } else { u16::from(b) + 1 };
            let between = !(folder.is_empty() || folder.ends_with(b"/"));
            folder.iter().copied().map(key).chain(between.then_some(0)).chain(last.iter().copied().map(key)).collect()
        };
        let (a, b) = (self.parts(a), other.parts(b));
        if a.0 == b.0 {
            return a.1.cmp(b.1);
        }
        let (a, b): (Vec<u16>, Vec<u16>) = (of(a), of(b));
        a.cmp(&b)
    }
}

fn name_of<'a>(record: &Record, text: &'a [u8]) -> &'a [u8] {
    &text[record.name as usize..][..record.name_len as usize]
}

fn same_length(a: &Stated, b: &Stated) -> bool {
    a.digest.as_bytes().len() == b.digest.as_bytes().len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill::Algorithm;

    fn md5(content: &[u8]) -> Stated {
        let a = Algorithm::named("md5").unwrap();
        Stated::new(Some(a), a.digest(content))
    }

    #[test]
    fn files_are_found_and_joined() {
        let mut s = Snapshot::new();
        let names = ["a", "b/a", "b/c/a", "/a", "b", "ab/a", ""];
        for (i, name) in names.iter().enumerate() {
            let known = Known { size: Some(i as u64), modified: None, stated: &[md5(name.as_bytes())] };
            assert_eq!(s.add(name.as_bytes(), &known), Ok(Row(i as u32)));
        }
        for (i, name) in names.iter().enumerate() {
            let row = s.find(name.as_bytes()).unwrap();
            assert_eq!((row, s.name(row), s.size(row)), (Row(i as u32), name.as_bytes().to_vec(), Some(i as u64)));
            assert_eq!(s.stated(row), [md5(name.as_bytes())]);
        }
        assert_eq!(s.find(b"c"), None);
        assert_eq!(s.find(b"c/a"), None);
        let a = Algorithm::named("sha1").unwrap();
        let sha1 = Stated::new(Some(a), a.digest(b"a"));
        let more = Known { size: Some(9), modified: Some((1, 5)), stated: &[sha1.clone(), md5(b"a")] };
        assert_eq!((s.add(b"a", &more), s.has_fine_times()), (Ok(Row(0)), true));
        assert_eq!((s.size(Row(0)), s.modified(Row(0)), s.len()), (Some(0), Some((1, 5)), names.len()));
        assert_eq!(s.stated(Row(0)), [md5(b"a"), sha1]);
        assert_eq!(s.add(b"a", &Known { stated: &[md5(b"x")], ..Known::default() }), Err(Contradiction));
    }

    #[test]
    fn alternatives_and_unnamed_digests() {
        let mut s = Snapshot::new();
        let mut several = md5(b"a");
        several.or = vec![md5(b"b").digest, md5(b"c").digest];
        let unnamed = Stated { function: None, ..md5(b"d") };
        let row = s.add(b"a", &Known { stated: &[several.clone(), unnamed], ..Known::default() }).unwrap();
        assert_eq!(s.functions(), (vec![several.function.unwrap()], vec![16]));
        s.call(16, several.function.unwrap());
        assert_eq!(s.stated(row), [several, md5(b"d")]);
    }

    #[test]
    fn the_order_of_a_walk() {
        let mut s = Snapshot::new();
        let names = ["a", "a/b", "a/b/c", "a-b", "a.c", "aa"];
        let mut rows: Vec<Row> = names.iter().rev().map(|n| s.add(n.as_bytes(), &Known::default()).unwrap()).collect();
        rows.sort_by(|a, b| s.compare_names(*a, &s, *b));
        let sorted: Vec<_> = rows.iter().map(|r| String::from_utf8(s.name(*r)).unwrap()).collect();
        assert_eq!(sorted, names);
    }
}
