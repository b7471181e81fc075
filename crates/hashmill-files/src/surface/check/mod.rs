//! Verification of checksum lists.
//!
//! For digests that do not name their algorithm, candidates are tried (`candidates.rs` of hashmill-lists) on the
//! smallest of the first files, at most 16 MiB of them; larger files are hashed with the usual algorithm and those that
//! take next to no time. One algorithm applies to all such digests of the same length. A file that can be read only
//! once is read once, for every algorithm that its lines may mean.

mod batch;
mod guess;
mod parts;
pub(crate) mod place;

use crate::base::error::Error;
use crate::base::options::Io;
use crate::base::progress::Progress;
use crate::base::recipe::{Key, RecipeError};
use batch::{Batch, Waiting};
use guess::Guesses;
use hashmill::Algorithm;
use hashmill_lists::{
    Composition, Entry, Fault, Function, Item, Line, List, Note, ReadOptions, Stated, named_by, suggests_composition,
};
use place::Places;
use std::io::{self, BufRead};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Limits of a batch of entries that are verified together: their number, and the bytes of their names and digests.
/// Large enough to keep many lanes full, small enough to need little memory.
const BATCH_ENTRIES: usize = 8192;
const BATCH_BYTES: usize = 4 << 20;

/// How to verify a list.
#[derive(Debug, Clone, Default)]
pub struct CheckOptions {
    /// What digests are of that do not tell; see [`ReadOptions::algorithm`].
    pub function: Option<Function>,
    /// The key of digests that need one.
    pub key: Option<Key>,
    /// Number of hashing threads, or `None` for one per available core.
    pub threads: Option<NonZeroUsize>,
    /// How files are read.
    pub io: Io,
    /// The folder that names are relative to, or `None` for the current one.
    pub base: Option<PathBuf>,
    /// Accept names that lead out of that folder: absolute ones, `..`, and symbolic links. Otherwise their files are
    /// [`Error::Outside`].
    pub allow_outside: bool,
    /// Report files that do not exist as [`Verdict::Ignored`].
    pub ignore_missing: bool,
    /// The list itself is read from standard input, so an entry for standard input (`-`) is malformed.
    pub from_stdin: bool,
    /// If nothing tells the algorithm of a digest, try none: it is [`Fault::UnknownAlgorithm`].
    pub no_guess: bool,
    /// Accept digests shorter than both 128 bits and their algorithm's usual length.
    pub allow_short: bool,
    /// Read named pipes, sockets and devices, too, which may take forever. Otherwise they are [`Verdict::Skipped`].
    pub allow_special: bool,
    /// Lines end with NUL. Lists with a NUL near the beginning are read this way in any case.
    pub zero: bool,
    /// The name that stands for standard input, and whether names are taken as they are, for programs that read lists
    /// in their own way. `None` is `-`, with the help that people expect.
    pub as_is: Option<&'static str>,
}

impl CheckOptions {
    /// Returns how to read the list.
    pub fn reading(&self) -> ReadOptions {
        ReadOptions {
            algorithm: self.function.and_then(Function::plain),
            allow_short: self.allow_short,
            zero: self.zero,
        }
    }
}

/// The result of verifying a file.
#[derive(Debug)]
pub enum Verdict {
    /// The file has the digests that the list states.
    Ok,
    /// The file has a different digest.
    Mismatch {
        /// What the wrong digest is of, if it is known.
        function: Option<Function>,
        /// What the digest is taken to be of, if that is only assumed: neither does anything tell it, nor has any file
        /// matched so far.
        assumed: Option<Function>,
    },
    /// The file's digests are right, but not the length that the list states: this is the file's.
    OtherSize(u64),
    /// The file could not be read.
    Unreadable(Error),
    /// The file was not read because it is a pipe, a socket or a device, as given here.
    Skipped(&'static str),
    /// The digest needs a key, which was not given or is not one that it takes.
    NotChecked(RecipeError),
    /// The file does not exist, and missing files are ignored.
    Ignored,
}

/// What [`check`] reports. Files and bad lines come in the order of the list.
#[derive(Debug)]
pub enum CheckEvent<'a> {
    /// A file's verdict.
    File {
        /// What the list says of it.
        entry: &'a Entry,
        /// The number of its line, starting from 1.
        number: u64,
        /// The verdict.
        verdict: Verdict,
        /// Whether the file was written to while it was being read; see [`Outcome::changed`](crate::Outcome::changed).
        changed: bool,
        /// The algorithm, if the list has other entries for this file that are near.
        among: Option<Function>,
    },
    /// A file lies on a device that none of the files before it lies on; see [`Event::Device`](crate::Event::Device).
    Device {
        /// The file.
        path: PathBuf,
        /// Why files on this device are read by one reader at a time, or `None` if several readers are used.
        one_reader: Option<&'static str>,
    },
    /// A line cannot be used.
    BadLine {
        /// The line number, starting from 1.
        number: u64,
        /// The algorithm that untagged lines are expected to be of, if known.
        algorithm: Option<Algorithm>,
        /// What is wrong with the line.
        fault: Fault,
    },
    /// Something about the list.
    Note(Note),
    /// The list has nothing but a digest, which is taken to be that of this file, after which the list is named.
    OnlyDigest(&'a Path),
    /// Digests do not name their algorithm, and it turned out to be this one rather than the usual one for digests of
    /// their length.
    Found(Function),
    /// Digests do not name their algorithm, and none of the candidates, given here, produces any of them.
    NotFound(Vec<Function>),
    /// Nothing more can be reported at the moment, which makes it a good time to flush output.
    Idle,
}

/// Counts of entries and files by result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Entries for files.
    pub lines: u64,
    /// Lines that are neither entries nor blank nor comments.
    pub bad_lines: u64,
    /// Those of the bad lines that may have left a file unverified; see [`Fault::hides_a_file`].
    pub not_understood: u64,
    /// Files with the right digest.
    pub matched: u64,
    /// Files with a wrong digest.
    pub mismatched: u64,
    /// Files that could not be read, except those that do not exist.
    pub unreadable: u64,
    /// Files that do not exist.
    pub missing: u64,
    /// Files that were not read because they are pipes, sockets or devices.
    pub skipped: u64,
    /// Digests that could not be verified without their key.
    pub not_checked: u64,
}

/// Verifies the files of one list, many at once, and passes every verdict to `sink` in the order of the list. A file
/// listed under several algorithms is read once for all of them if its lines are close together.
///
/// Names are relative to [`CheckOptions::base`]. Only if the list has nothing but a digest, the file is the one after
/// which the list is named, in the same folder. Digests are compared in full and in constant time. If `sink` breaks,
/// the rest of the list is not verified.
///
/// If nothing names the algorithm of some digests, the smallest of the first files decide, and of more files if these
/// do not: up to 16 MiB in all are hashed with every candidate until one matches. Other files are hashed only with the
/// usual algorithm for digests of that length, and with candidates that cost next to nothing. No file is read twice for
/// this.
///
/// Returns the counts, and an error if the list could not be read to its end or if a thread panicked. In the former
/// case, the lines before the error have been verified.
pub fn check(
    list: impl BufRead,
    list_name: &Path,
    options: &CheckOptions,
    progress: &Progress,
    sink: impl FnMut(CheckEvent<'_>) -> ControlFlow<()>,
) -> (Summary, io::Result<()>) {
    match List::open(list, list_name, &options.reading()) {
        Ok(list) => {
            let expected = list.expected();
            check_lines(|to| list.read(to).map(drop), list_name, expected, options, progress, sink)
        }
        Err(e) => (Summary::default(), Err(e)),
    }
}

/// Verifies what a list says that `read` reads, as [`check`] does. `read` passes on every line until told to break, and
/// may return an error after that. `expected` is the algorithm of digests that do not name theirs.
pub fn check_lines(
    read: impl FnOnce(&mut dyn FnMut(Line) -> ControlFlow<()>) -> io::Result<()>,
    list_name: &Path,
    expected: Option<Algorithm>,
    options: &CheckOptions,
    progress: &Progress,
    mut sink: impl FnMut(CheckEvent<'_>) -> ControlFlow<()>,
) -> (Summary, io::Result<()>) {
    let mut run = Run {
        list_name,
        expected,
        composition: suggests_composition(list_name).filter(|_| options.function.is_none()),
        options,
        progress,
        places: Places::new(options),
        summary: Summary::default(),
        guesses: Guesses::new(),
        waiting: Vec::new(),
        bytes: 0,
        used: 0,
        lone: None,
    };
    progress.hold(true);
    let mut failed = None;
    let mut broken = false;
    let end = read(&mut |line| {
        let flow = run.take(line, &mut sink).unwrap_or_else(|e| {
            failed = Some(e);
            ControlFlow::Break(())
        });
        broken |= flow.is_break();
        flow
    });
    if let Some(e) = failed {
        return (run.summary, Err(io::Error::other(e)));
    }
    if broken {
        return (run.summary, Ok(()));
    }
    if end.is_ok() && run.only_a_digest(&mut sink).is_break() {
        return (run.summary, Ok(()));
    }
    progress.hold(false);
    match run.verify(&mut sink) {
        Ok(ControlFlow::Continue(())) => {}
        Ok(ControlFlow::Break(())) => return (run.summary, Ok(())),
        Err(e) => return (run.summary, Err(io::Error::other(e))),
    }
    progress.complete();
    for tried in run.guesses.failed() {
        if sink(CheckEvent::NotFound(tried)).is_break() {
            break;
        }
    }
    (run.summary, end)
}

/// A list that is being verified.
struct Run<'a> {
    list_name: &'a Path,
    expected: Option<Algorithm>,
    /// The composition that the list's name suggests.
    composition: Option<Function>,
    options: &'a CheckOptions,
    progress: &'a Progress,
    places: Places,
    summary: Summary,
    guesses: Guesses,
    /// What has been read and not been verified, and about how many bytes of names and digests that is.
    waiting: Vec<Waiting>,
    bytes: usize,
    /// Number of lines so far that are not blank.
    used: u64,
    /// The first line, if it is a digest without a name.
    lone: Option<Stated>,
}

impl Run<'_> {
    /// Takes a line of the list, and verifies what waits once it is enough.
    fn take(
        &mut self,
        Line { number, item }: Line,
        sink: &mut impl FnMut(CheckEvent<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Error> {
        let entry = match item {
            Item::Nothing => return Ok(ControlFlow::Continue(())),
            Item::Note(note) => return Ok(sink(CheckEvent::Note(note))),
            Item::Entry(entry) => self.usable(entry),
            Item::Lone(mut stated) => {
                self.tell(&mut stated);
                self.lone = Some(stated).filter(|_| self.used == 0);
                Err(Fault::NoName)
            }
            Item::Bad(fault) => Err(fault),
        };
        self.used += 1;
        self.waiting.push(match entry {
            Ok(entry) => {
                // The name is stored twice, and so is a digest once the file's own has been computed.
                let digests = entry.stated.iter().map(|s| s.digest.as_bytes().len() + 64);
                self.bytes += 2 * (entry.name.len() + digests.sum::<usize>());
                self.summary.lines += 1;
                Waiting::file(number, entry, &mut self.places, self.options)
            }
            Err(fault) => {
                self.summary.bad_lines += 1;
                self.summary.not_understood += u64::from(fault.hides_a_file());
                Waiting::Bad { number, fault }
            }
        });
        if self.waiting.len() < BATCH_ENTRIES && self.bytes < BATCH_BYTES {
            return Ok(ControlFlow::Continue(()));
        }
        self.verify(sink)
    }

    /// Returns the entry if it can be verified.
    fn usable(&mut self, mut entry: Entry) -> Result<Entry, Fault> {
        if self.options.from_stdin && entry.name == b"-" && self.options.as_is.is_none() {
            return Err(Fault::Said("names standard input, from which the list itself is read".into()));
        }
        if let Some(function) = self.options.function.filter(|f| f.plain().is_none()) {
            entry.stated.iter_mut().for_each(|s| self.tell(s));
            entry.stated.retain(|s| s.function.is_none_or(|f| f == function));
            if entry.stated.is_empty() {
                return Err(Fault::OtherAlgorithm);
            }
        }
        for stated in entry.stated.iter_mut().filter(|s| s.function.is_none()) {
            let len = stated.digest.as_bytes().len();
            stated.function = self.composition.filter(|f| f.algorithm().digest_len() == len);
        }
        for stated in entry.stated.iter().filter(|s| s.function.is_none()) {
            if self.options.no_guess || self.guesses.get(stated).candidates.is_empty() {
                return Err(Fault::UnknownAlgorithm { bytes: stated.digest.as_bytes().len() });
            }
        }
        Ok(entry)
    }

    /// Notes what a digest is of, if that is only given by the options.
    fn tell(&self, stated: &mut Stated) {
        let Some(function) = self.options.function.filter(|f| f.plain().is_none()) else { return };
        let part = |f| matches!(f, Function::Composed(Composition::S3Etag { .. }));
        let fits = match stated.function {
            None => stated.digest.as_bytes().len() == function.algorithm().digest_len(),
            Some(stated) => part(stated) && part(function),
        };
        if fits {
            stated.function = Some(function);
        }
    }

    /// If the list has nothing but a digest, takes it for that of the file that the list is named after.
    fn only_a_digest(&mut self, sink: &mut impl FnMut(CheckEvent<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
        let [Waiting::Bad { number, .. }] = self.waiting[..] else { return ControlFlow::Continue(()) };
        let Some(stated) = self.lone.take().filter(|_| self.used == 1 && !self.options.from_stdin) else {
            return ControlFlow::Continue(());
        };
        let Some(path) = named_by(self.list_name) else { return ControlFlow::Continue(()) };
        let bytes = stated.digest.as_bytes().len();
        let fault = match (stated.function, self.expected) {
            (None, Some(algorithm)) => Some(Fault::OtherLength { algorithm, bytes }),
            (None, None) if self.options.no_guess || self.guesses.get(&stated).candidates.is_empty() => {
                Some(Fault::UnknownAlgorithm { bytes })
            }
            _ => None,
        };
        if let Some(fault) = fault {
            self.waiting[0] = Waiting::Bad { number, fault };
            return ControlFlow::Continue(());
        }
        sink(CheckEvent::OnlyDigest(&path))?;
        self.summary = Summary { lines: 1, ..Summary::default() };
        self.waiting[0] = Waiting::named_after(number, path, stated);
        ControlFlow::Continue(())
    }

    /// Verifies what waits.
    fn verify(&mut self, sink: &mut impl FnMut(CheckEvent<'_>) -> ControlFlow<()>) -> Result<ControlFlow<()>, Error> {
        self.bytes = 0;
        let mut batch = Batch {
            waiting: std::mem::take(&mut self.waiting),
            reported: 0,
            expected: self.expected,
            summary: &mut self.summary,
            guesses: &mut self.guesses,
        };
        let flow = batch.verify(self.options, self.progress, sink);
        // The memory serves for what waits next.
        batch.waiting.clear();
        self.waiting = batch.waiting;
        if matches!(flow, Ok(ControlFlow::Continue(()))) {
            for note in self.places.notes() {
                if sink(CheckEvent::Note(note)).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        flow
    }
}
