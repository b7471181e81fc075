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
use crate::base::threads::spawn;
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
use std::sync::mpsc::sync_channel;
use std::sync::{Mutex, PoisonError};

/// Limits of a part of a list within which lines about the same file are found: the number of its lines, and the bytes
/// of their names and digests. Large enough to keep many lanes full, small enough to need little memory.
const CHUNK_ENTRIES: usize = 4096;
const CHUNK_BYTES: usize = 2 << 20;

/// Number of such parts that are read before they are wanted.
const AHEAD: usize = 1;

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
    /// Reading the list may take any time, as from a pipe. It is not read ahead then: nothing could end a thread that
    /// waits for more of it.
    pub waits: bool,
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
/// The list is read on a thread of its own, unless [`CheckOptions::waits`] or no thread can be started.
///
/// If nothing names the algorithm of some digests, the smallest of the first files decide, and of more files if these
/// do not: up to 16 MiB in all are hashed with every candidate until one matches. Other files are hashed only with the
/// usual algorithm for digests of that length, and with candidates that cost next to nothing. No file is read twice for
/// this.
///
/// Returns the counts, and an error if the list could not be read to its end or if a thread panicked. In the former
/// case, the lines before the error have been verified.
pub fn check(
    list: impl BufRead + Send,
    list_name: &Path,
    options: &CheckOptions,
    progress: &Progress,
    mut sink: impl FnMut(CheckEvent<'_>) -> ControlFlow<()>,
) -> (Summary, io::Result<()>) {
    let list = match List::open(list, list_name, &options.reading()) {
        Ok(list) => list,
        Err(e) => return (Summary::default(), Err(e)),
    };
    let run = Run::new(list_name, list.expected(), options, progress);
    if options.waits {
        return run.here(|to| list.read(to).map(drop), sink);
    }
    let list = Mutex::new(Some(list));
    let take = || list.lock().unwrap_or_else(PoisonError::into_inner).take();
    std::thread::scope(|s| {
        let (to, from) = sync_channel(AHEAD);
        let read = move || {
            if let Some(list) = take() {
                let mut chunk = Chunk::default();
                let send = |chunk| to.send(chunk).map_or(ControlFlow::Break(()), ControlFlow::Continue);
                let end = list.read(|line| chunk.put(line).map_or(ControlFlow::Continue(()), send)).map(drop);
                // Nobody may want it.
                let _ = send(Chunk { end: Some(end), ..chunk });
            }
        };
        if spawn(s, read).is_ok() {
            let mut run = run;
            let end = run.work(|wait| if wait { from.recv().ok() } else { from.try_recv().ok() }, &mut sink);
            run.end(end, &mut sink)
        } else {
            run.here(|to| take().map_or(Ok(()), |list| list.read(to).map(drop)), sink)
        }
    })
}

/// Verifies what a list says that `read` reads, as [`check`] does. `read` passes on every line until told to break, and
/// may return an error after that. `expected` is the algorithm of digests that do not name theirs.
pub fn check_lines(
    read: impl FnOnce(&mut dyn FnMut(Line) -> ControlFlow<()>) -> io::Result<()>,
    list_name: &Path,
    expected: Option<Algorithm>,
    options: &CheckOptions,
    progress: &Progress,
    sink: impl FnMut(CheckEvent<'_>) -> ControlFlow<()>,
) -> (Summary, io::Result<()>) {
    Run::new(list_name, expected, options, progress).here(read, sink)
}

/// A part of a list.
#[derive(Default)]
struct Chunk {
    lines: Vec<Line>,
    /// About how many bytes of names and digests these lines have.
    bytes: usize,
    /// How reading ended, if these are the last.
    end: Option<io::Result<()>>,
}

impl Chunk {
    /// Adds a line. Returns the chunk if it is full, and begins the next.
    fn put(&mut self, line: Line) -> Option<Self> {
        match &line.item {
            Item::Nothing => return None,
            Item::Entry(entry) => {
                // The name is stored twice, and so is a digest once the file's own has been computed.
                let digests = entry.stated.iter().map(|s| s.digest.as_bytes().len() + 64);
                self.bytes += 2 * (entry.name.len() + digests.sum::<usize>());
            }
            _ => {}
        }
        self.lines.push(line);
        (self.lines.len() >= CHUNK_ENTRIES || self.bytes >= CHUNK_BYTES).then(|| std::mem::take(self))
    }
}

/// A list that is being verified.
struct Run<'a> {
    intake: Intake<'a>,
    batch: Batch<'a>,
    /// How reading the list ended, once it has.
    end: Option<io::Result<()>>,
}

impl<'a> Run<'a> {
    fn new(
        list_name: &'a Path,
        expected: Option<Algorithm>,
        options: &'a CheckOptions,
        progress: &'a Progress,
    ) -> Self {
        progress.hold(true);
        let intake = Intake {
            list_name,
            expected,
            composition: suggests_composition(list_name).filter(|_| options.function.is_none()),
            options,
            progress,
            places: Places::new(options),
            used: 0,
            lone: None,
        };
        Run { intake, batch: Batch::new(expected, options, progress), end: None }
    }

    /// Verifies a list that is read on this thread, each part before the next is read.
    fn here(
        mut self,
        read: impl FnOnce(&mut dyn FnMut(Line) -> ControlFlow<()>) -> io::Result<()>,
        mut sink: impl FnMut(CheckEvent<'_>) -> ControlFlow<()>,
    ) -> (Summary, io::Result<()>) {
        let mut chunk = Chunk::default();
        let mut flow = Ok(ControlFlow::Continue(()));
        let end = read(&mut |line| {
            if let Some(full) = chunk.put(line) {
                let mut full = Some(full);
                flow = self.work(|_| full.take(), &mut sink);
            }
            if matches!(flow, Ok(ControlFlow::Continue(()))) {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        if matches!(flow, Ok(ControlFlow::Continue(()))) {
            let mut last = Some(Chunk { end: Some(end), ..chunk });
            flow = self.work(|_| last.take(), &mut sink);
        }
        self.end(flow, &mut sink)
    }

    /// Verifies parts of the list until `next` returns none. Its argument says whether to wait for the next part.
    fn work(
        &mut self,
        mut next: impl FnMut(bool) -> Option<Chunk>,
        sink: &mut impl FnMut(CheckEvent<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Error> {
        let Run { intake, batch, end } = self;
        let mut add = |wait: bool, batch: &mut Batch<'a>, end: &mut Option<io::Result<()>>, intake: &mut Intake<'a>| {
            let Some(chunk) = next(wait) else { return false };
            for line in chunk.lines {
                intake.take(line, batch);
            }
            if chunk.end.is_some() {
                intake.progress.hold(false);
                *end = chunk.end;
            }
            true
        };
        while add(true, batch, end, intake) {
            if matches!(end, Some(Ok(()))) && intake.only_a_digest(batch, sink).is_break() {
                return Ok(ControlFlow::Break(()));
            }
            let flow = batch.verify(&mut |batch| add(false, batch, end, intake), sink)?;
            if flow.is_break() {
                return Ok(flow);
            }
            for note in intake.places.notes() {
                if sink(CheckEvent::Note(note)).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Reports what is known at the end. Returns the counts, and what has gone wrong.
    fn end(
        self,
        flow: Result<ControlFlow<()>, Error>,
        sink: &mut impl FnMut(CheckEvent<'_>) -> ControlFlow<()>,
    ) -> (Summary, io::Result<()>) {
        let Run { intake, batch, end } = self;
        match flow {
            Ok(ControlFlow::Continue(())) => {}
            Ok(ControlFlow::Break(())) => return (batch.summary, Ok(())),
            Err(e) => return (batch.summary, Err(io::Error::other(e))),
        }
        intake.progress.complete();
        for tried in batch.guesses.failed() {
            if sink(CheckEvent::NotFound(tried)).is_break() {
                break;
            }
        }
        (batch.summary, end.unwrap_or(Ok(())))
    }
}

/// What the lines of a list mean for the files here.
struct Intake<'a> {
    list_name: &'a Path,
    expected: Option<Algorithm>,
    /// The composition that the list's name suggests.
    composition: Option<Function>,
    options: &'a CheckOptions,
    progress: &'a Progress,
    places: Places,
    /// Number of lines so far that are not blank.
    used: u64,
    /// The first line, if it is a digest without a name.
    lone: Option<Stated>,
}

impl Intake<'_> {
    /// Puts a line of the list among those that wait.
    fn take(&mut self, Line { number, item }: Line, batch: &mut Batch<'_>) {
        let entry = match item {
            Item::Nothing => return,
            Item::Note(note) => return batch.notes.push(note),
            Item::Entry(entry) => self.usable(entry, &mut batch.guesses),
            Item::Lone(mut stated) => {
                self.tell(&mut stated);
                self.lone = Some(stated).filter(|_| self.used == 0);
                Err(Fault::NoName)
            }
            Item::Bad(fault) => Err(fault),
        };
        self.used += 1;
        let line = match entry {
            Ok(entry) => {
                batch.summary.lines += 1;
                Waiting::file(number, entry, &mut self.places, self.options)
            }
            Err(fault) => {
                batch.summary.bad_lines += 1;
                batch.summary.not_understood += u64::from(fault.hides_a_file());
                Waiting::Bad { number, fault }
            }
        };
        batch.put(line);
    }

    /// Returns the entry if it can be verified.
    fn usable(&self, mut entry: Entry, guesses: &mut Guesses) -> Result<Entry, Fault> {
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
            if self.options.no_guess || guesses.get(stated).candidates.is_empty() {
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
    fn only_a_digest(
        &mut self,
        batch: &mut Batch<'_>,
        sink: &mut impl FnMut(CheckEvent<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some(Waiting::Bad { number, .. }) = batch.only() else { return ControlFlow::Continue(()) };
        let number = *number;
        let Some(stated) = self.lone.take().filter(|_| self.used == 1 && !self.options.from_stdin) else {
            return ControlFlow::Continue(());
        };
        let Some(path) = named_by(self.list_name) else { return ControlFlow::Continue(()) };
        let bytes = stated.digest.as_bytes().len();
        let fault = match (stated.function, self.expected) {
            (None, Some(algorithm)) => Some(Fault::OtherLength { algorithm, bytes }),
            (None, None) if self.options.no_guess || batch.guesses.get(&stated).candidates.is_empty() => {
                Some(Fault::UnknownAlgorithm { bytes })
            }
            _ => None,
        };
        let line = match fault {
            Some(fault) => Waiting::Bad { number, fault },
            None => {
                sink(CheckEvent::OnlyDigest(&path))?;
                batch.summary = Summary { lines: 1, ..Summary::default() };
                Waiting::named_after(number, path, stated)
            }
        };
        if let Some(only) = batch.only() {
            *only = line;
        }
        ControlFlow::Continue(())
    }
}
