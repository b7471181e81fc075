//! Snapshots from lists.

use crate::base::names::{below, is_normalized, normalized};
use crate::base::snapshot::{Known, Snapshot};
use crate::read::base::Base;
use hashmill::Digest;
use hashmill_files::ours::folder_of_list;
use hashmill_files::{CheckEvent, CheckOptions, Places, Progress, Verdict, check_lines};
use hashmill_lists::{
    Composition, Entry, Fault, Form, Function, Item, Line, List, Note, ReadOptions, Stated, Style, is_usual,
};
use std::io::{self, BufRead};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A list to be read.
pub struct Source<'a> {
    /// Its path, which may tell the algorithm and the folder.
    pub path: PathBuf,
    /// What is in it.
    pub reader: Box<dyn BufRead + Send + 'a>,
    /// A list with the same digests and the times of the files, for a list of a form that has none.
    pub times: Option<Box<dyn BufRead + Send + 'a>>,
}

impl std::fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Source").field(&self.path).finish()
    }
}

/// Returns the path of the list with the times of files, for a list of a form that has none.
pub fn times_of(list: &Path) -> PathBuf {
    with_suffix(list, ".times.json")
}

/// Returns the path of the file that says when files were last verified.
pub fn verified_of(list: &Path) -> PathBuf {
    with_suffix(list, ".verified.json")
}

/// Returns the path of the list of files that a run has read which brings a list up to date.
pub fn unfinished_of(list: &Path) -> PathBuf {
    with_suffix(list, ".unfinished.json")
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Something to be told about a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListEvent {
    /// A line cannot be used.
    BadLine {
        /// The line number, starting from 1.
        number: u64,
        /// What is wrong with it.
        fault: Fault,
    },
    /// A line says something else than one before it, which gives the same name another digest.
    Contradicts {
        /// The line number, starting from 1.
        number: u64,
        /// The name.
        name: Vec<u8>,
    },
    /// Something about the list.
    Note(Note),
    /// Digests do not name their algorithm, and files have shown that it is this one.
    Found(Function),
    /// Digests do not name their algorithm. This is the usual one of their length, and no file has shown that it is
    /// right.
    Assumed(Function),
    /// Digests of this many bytes do not name their algorithm, and nothing tells what it may be.
    Unknown(usize),
}

impl ListEvent {
    /// Returns whether a file may be left unverified because of it.
    pub fn hides_a_file(&self) -> bool {
        match self {
            ListEvent::BadLine { fault, .. } => fault.hides_a_file(),
            ListEvent::Contradicts { .. } | ListEvent::Unknown(_) => true,
            _ => false,
        }
    }
}

/// Lists that have been read.
#[derive(Debug, Default)]
pub(crate) struct Listed {
    pub(crate) snapshot: Snapshot,
    /// The folder that names are relative to by the form of the first list.
    pub(crate) folder: Option<PathBuf>,
    /// The folder, by its name, that is read about; all of them if it is `None`.
    part: Option<Vec<u8>>,
    /// What the digests of another file are of.
    pub(crate) elsewhere: Vec<Function>,
    /// Whether copies keep the list. Then all its names are relative to one folder, and it is about all of that.
    pub(crate) is_kept: bool,
    /// How the last list looks; `None` if it is compressed, signed, or nothing in it was understood.
    pub(crate) style: Option<Style>,
    /// Whether the first name begins with `./`, as those do that `hashmill sum -r .` writes.
    pub(crate) is_dotted: bool,
    /// If the usual algorithm is to be assumed: which one it is for the lengths that were met.
    usual: Option<Vec<(usize, Option<Function>)>>,
    /// What digests of a length may be of if their list tells more than that, by the length in bytes.
    among: Vec<(usize, Arc<[Function]>)>,
    /// Entries whose names need a look at what is there: they have a backslash, a drive, or another spelling.
    odd: Vec<Entry>,
}

impl Listed {
    /// Returns nothing, to which lists are added whose digests are taken for those of the usual algorithm of their
    /// length if they do not tell.
    pub(crate) fn assuming() -> Self {
        Listed { usual: Some(Vec::new()), ..Listed::default() }
    }

    /// Returns nothing, to which lists are added as far as they are about a folder, by its name, if one is given.
    pub(crate) fn of_part(part: Option<Vec<u8>>) -> Self {
        Listed { part, ..Listed::default() }
    }

    /// Adds the files of a list.
    ///
    /// # Errors
    /// Returns an error if the list cannot be read to its end.
    pub(crate) fn read(
        &mut self,
        source: Source<'_>,
        function: Option<Function>,
        options: &ReadOptions,
        mut tell: impl FnMut(ListEvent),
    ) -> io::Result<()> {
        let list = List::open(source.reader, &source.path, options)?;
        let kept = folder_of_list(&source.path).map(Path::to_path_buf);
        self.is_kept |= kept.is_some();
        let folder = kept.or_else(|| list.form().and_then(|form: &Form| form.base_of(&source.path)));
        self.folder = self.folder.take().or(folder);
        let expected = function.or(list.expected().map(Function::Hash));
        let is_plain = list.is_plain();
        let mut told_length = false;
        let style = list.read(|Line { number, item }| {
            match item {
                Item::Nothing => {}
                Item::Note(note) => tell(ListEvent::Note(note)),
                Item::Lone(_) => tell(ListEvent::BadLine { number, fault: Fault::NoName }),
                Item::Bad(fault) => tell(ListEvent::BadLine { number, fault }),
                Item::Entry(mut entry) => {
                    if drop_same_length(&mut entry) && !told_length {
                        told_length = true;
                        tell(ListEvent::Note(Note::SameLength));
                    }
                    if let Some(event) = self.add(entry, expected, number) {
                        tell(event);
                    }
                }
            }
            ControlFlow::Continue(())
        })?;
        self.style = style.filter(|_| is_plain);
        if let Some(times) = source.times {
            self.add_times(times);
        }
        Ok(())
    }

    /// Adds the lengths and times that a list has for files with the same digests. What is wrong with it does not
    /// matter: then the times are not known.
    fn add_times(&mut self, times: impl BufRead + Send) {
        let Ok(list) = List::open(times, Path::new(""), &ReadOptions::default()) else { return };
        let _ = list.read(|line| {
            if let Item::Entry(entry) = line.item {
                let name = normalized(&entry.name);
                if self.snapshot.find(&name).is_some_and(|row| self.snapshot.has_digests(row, &entry.stated)) {
                    let known = Known { size: entry.size, modified: entry.mtime, stated: &[] };
                    let _ = self.snapshot.add(&name, &known);
                }
            }
            ControlFlow::Continue(())
        });
    }

    fn add(&mut self, mut entry: Entry, expected: Option<Function>, number: u64) -> Option<ListEvent> {
        for stated in &mut entry.stated {
            let part = |f: &Function| matches!(f, Function::Composed(Composition::S3Etag { .. }));
            match (stated.function, expected) {
                (None, Some(f)) if stated.digest.as_bytes().len() == f.algorithm().digest_len() => {
                    stated.function = expected;
                }
                (Some(f), Some(e)) if part(&f) && part(&e) => stated.function = expected,
                (None, _) => stated.function = self.usual(stated),
                _ => {}
            }
        }
        let is_other = |part: &Vec<u8>| below(&normalized(&entry.name), part).is_none();
        if self.part.as_ref().is_some_and(is_other) {
            if self.elsewhere.is_empty() {
                self.elsewhere = entry.stated.iter().filter_map(|s| s.function).collect();
            }
            return None;
        }
        if entry.name.contains(&b'\\') || entry.literal.is_some() || entry.name.get(1) == Some(&b':') {
            self.odd.push(entry);
            return None;
        }
        if self.snapshot.is_empty() {
            self.is_dotted = entry.name.starts_with(b"./");
        }
        let name = if is_normalized(&entry.name) { None } else { Some(normalized(&entry.name)) };
        self.put(name.as_deref().unwrap_or(&entry.name), &entry)
            .err()
            .map(|()| ListEvent::Contradicts { number, name: entry.name.clone() })
    }

    /// Returns what digests were taken to be of that do not tell.
    pub(crate) fn assumed(&self) -> Vec<Function> {
        self.usual.iter().flatten().filter_map(|(_, usual)| *usual).collect()
    }

    /// Returns the usual function of a digest of this length, if it is to be assumed.
    fn usual(&mut self, stated: &Stated) -> Option<Function> {
        let length = stated.digest.as_bytes().len();
        if let Some(among) = stated.among.as_ref().filter(|_| !self.among.iter().any(|(l, _)| *l == length)) {
            self.among.push((length, among.clone()));
        }
        let met = self.usual.as_mut()?;
        if let Some((_, usual)) = met.iter().find(|(l, _)| *l == length) {
            return *usual;
        }
        let usual = stated.candidates().first().copied();
        met.push((length, usual));
        usual
    }

    fn put(&mut self, name: &[u8], entry: &Entry) -> Result<(), ()> {
        let known = Known { size: entry.size, modified: entry.mtime, stated: &entry.stated };
        self.snapshot.add(name, &known).map(drop).map_err(drop)
    }

    /// Returns some names.
    pub(crate) fn sample(&self) -> Vec<Vec<u8>> {
        let some = self.snapshot.rows().take(64).map(|row| self.snapshot.name(row));
        some.chain(self.odd.iter().take(64).map(|e| normalized(&e.name))).collect()
    }

    /// Finds the files of names that programs on other systems wrote.
    pub(crate) fn place_odd(&mut self, base: &Base, mut tell: impl FnMut(ListEvent)) {
        if self.odd.is_empty() {
            return;
        }
        let options = CheckOptions { base: base.folder.clone(), allow_outside: true, ..CheckOptions::default() };
        let mut places = Places::new(&options);
        for entry in std::mem::take(&mut self.odd) {
            let name = match places.of(&entry) {
                Ok(input) => base.name(input.name()),
                Err(_) => normalized(&entry.name),
            };
            if self.put(&name, &entry).is_err() {
                tell(ListEvent::Contradicts { number: 0, name });
            }
        }
        for note in places.notes() {
            tell(ListEvent::Note(note));
        }
    }

    /// Reports digests of which it is not known what they are of.
    pub(crate) fn tell_unknown(&self, mut tell: impl FnMut(ListEvent)) {
        self.snapshot.functions().1.into_iter().for_each(|length| tell(ListEvent::Unknown(length)));
    }

    /// Finds out what digests are of that do not tell, on some of the smallest files.
    pub(crate) fn identify(&mut self, base: &Base, no_guess: bool, mut tell: impl FnMut(ListEvent)) {
        for length in self.snapshot.functions().1 {
            let among = self.among.iter().find(|(l, _)| *l == length).map(|(_, among)| among.clone());
            let unnamed = Stated { among: among.clone(), ..Stated::new(None, Digest::from_bytes(&vec![0; length])) };
            let all = unnamed.candidates();
            let [usual, ..] = all[..] else {
                tell(ListEvent::Unknown(length));
                continue;
            };
            if no_guess {
                tell(ListEvent::Unknown(length));
                continue;
            }
            let is_usual = usual.plain().is_some_and(is_usual);
            let is_only = all.len() == 1 && is_usual;
            // What the list itself says need not be told.
            let is_first_usual = is_usual || among.is_some();
            let found = if is_only { Some(usual) } else { self.try_all(base, length, usual, among) };
            match found {
                Some(f) if f == usual && is_first_usual => {}
                Some(f) => tell(ListEvent::Found(f)),
                None => tell(ListEvent::Assumed(usual)),
            }
            self.snapshot.call(length, found.unwrap_or(usual));
        }
    }

    /// Returns the algorithm whose digest one of the smallest files has. The engine that verifies lists finds it out.
    fn try_all(&self, base: &Base, length: usize, usual: Function, among: Option<Arc<[Function]>>) -> Option<Function> {
        /// Maximum number of files that are looked at, and that are read; and maximum length of what is read.
        const LOOKED_AT: usize = 256;
        const READ: usize = 4;
        const BYTES: u64 = 16 << 20;
        let unnamed = |row| self.snapshot.values(row).any(|(f, value)| f.is_none() && value.len() == length);
        let mut sizes: Vec<(u64, Entry)> = self
            .snapshot
            .rows()
            .filter(|row| unnamed(*row))
            .take(LOOKED_AT)
            .filter_map(|row| {
                let name = self.snapshot.name(row);
                if !base.has(&name) {
                    return None;
                }
                let size = base.path(&name)?.metadata().ok().filter(std::fs::Metadata::is_file)?.len();
                let name = below(&name, &base.top)?.to_vec();
                let mut stated = self.snapshot.stated(row);
                stated.retain(|s| s.function.is_none() && s.digest.as_bytes().len() == length);
                stated.iter_mut().for_each(|s| s.among.clone_from(&among));
                Some((size, Entry { name, stated, ..Entry::default() }))
            })
            .collect();
        sizes.sort_by_key(|(size, _)| *size);
        sizes.truncate(READ);
        let mut left = BYTES;
        sizes.retain(|(size, _)| {
            let fits = *size <= left;
            left = left.saturating_sub(*size);
            fits
        });
        let read = |to: &mut dyn FnMut(Line) -> ControlFlow<()>| {
            for (number, (_, entry)) in (1..).zip(sizes) {
                if to(Line { number, item: Item::Entry(entry) }).is_break() {
                    break;
                }
            }
            Ok(())
        };
        // Names and links that lead out of the folder are not followed here either.
        let root = Some(base.root()).filter(|root| root != Path::new("."));
        let options = CheckOptions { base: root, ..CheckOptions::default() };
        let (mut found, mut ok) = (None, false);
        let (_, _) = check_lines(read, Path::new(""), None, &options, &Progress::default(), |event| {
            match event {
                CheckEvent::Found(f) => found = Some(f),
                CheckEvent::File { verdict: Verdict::Ok, .. } => ok = true,
                _ => {}
            }
            ControlFlow::Continue(())
        });
        found.or(Some(usual).filter(|_| ok))
    }
}

/// Leaves only the first of an entry's digests that have the same length and name no algorithm. Returns whether there
/// were others.
fn drop_same_length(entry: &mut Entry) -> bool {
    let before = entry.stated.len();
    let mut seen: Vec<usize> = Vec::new();
    entry.stated.retain(|s| {
        let length = s.digest.as_bytes().len();
        let is_new = s.function.is_some() || !seen.contains(&length);
        if s.function.is_none() {
            seen.push(length);
        }
        is_new
    });
    entry.stated.len() < before
}
