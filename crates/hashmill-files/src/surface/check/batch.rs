//! Verification of checksum lists.
//!
//! For lines that do not name their algorithm, candidates are tried (`manifest/candidates.rs`) on the smallest files,
//! at most 16 MiB of them; larger files are hashed with the usual algorithm and those that take next to no time. One
//! algorithm applies to all such lines with digests of the same length. A file that can be read only once is read once,
//! for every algorithm that its lines may mean.

use crate::base::error::Error;
use crate::base::options::{Io, Options};
use crate::base::progress::Progress;
use crate::base::threads::spawn;
use crate::manifest::{Fault, Line, LineReader, Parser, candidates, cheap_candidates, is_usual, named_by};
use crate::read::direct::Direct;
use crate::read::input::{Found, Input, Kind, Look, read};
use crate::surface::sum::{self, Event, Outcome};
use hashmill::{Algorithm, Digest, Hasher};
use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Limits of a batch of lines that are verified together: the number of lines, and the bytes of their names and
/// digests. Large enough to keep many lanes full, small enough to need little memory.
const BATCH_LINES: usize = 8192;
const BATCH_BYTES: usize = 4 << 20;

/// If nothing tells the algorithm of a list, its smallest files, up to this many bytes in all, are hashed with every
/// candidate until one of them decides for the whole list.
const SMALL: u64 = 16 << 20;

/// Files longer than this are worth several threads, if several candidates are tried on them.
const SHARED: usize = 1 << 20;

/// Maximum number of files that did not match whose verdicts wait for a file that confirms the assumed algorithm. When
/// there are more, the list is most likely of another one, and waiting would only delay its report.
const PATIENCE: usize = 8;

/// Number of bytes of a pipe that are read at once.
const CHUNK: usize = 256 << 10;

/// How to verify a list.
#[derive(Debug, Clone, Default)]
pub struct CheckOptions {
    /// The algorithm of lines that do not name one; see [`Parser::new`].
    pub algorithm: Option<Algorithm>,
    /// Number of hashing threads, or `None` for one per available core.
    pub threads: Option<NonZeroUsize>,
    /// How files are read.
    pub io: Io,
    /// Report files that do not exist as [`Verdict::Ignored`].
    pub ignore_missing: bool,
    /// The list itself is read from standard input, so a line for standard input (`-`) is malformed.
    pub from_stdin: bool,
    /// If nothing tells the algorithm of a line, try none: the line is [`Fault::UnknownAlgorithm`].
    pub no_guess: bool,
    /// Accept digests shorter than both 128 bits and their algorithm's usual length.
    pub allow_short: bool,
    /// Read named pipes, sockets and devices, too, which may take forever. Otherwise they are [`Verdict::Skipped`].
    pub allow_special: bool,
    /// Lines end with NUL. Lists with a NUL near the beginning are read this way in any case.
    pub zero: bool,
}

/// The result of verifying a file.
#[derive(Debug)]
pub enum Verdict {
    /// The file has the digest that the list states.
    Ok,
    /// The file has a different digest.
    Mismatch {
        /// The algorithm, if it is only assumed: neither does anything name it, nor has any file matched so far.
        assumed: Option<Algorithm>,
    },
    /// The file could not be read.
    Unreadable(Error),
    /// The file was not read because it is a pipe, a socket or a device, as given here.
    Skipped(&'static str),
    /// The file does not exist, and missing files are ignored.
    Ignored,
}

/// What [`check`] reports. Files and bad lines come in the order of the list.
#[derive(Debug)]
pub enum CheckEvent<'a> {
    /// A file's verdict.
    File {
        /// The file's name in the list.
        name: &'a OsStr,
        /// The verdict.
        verdict: Verdict,
        /// Whether the file was written to while it was being read; see [`Outcome::changed`](crate::Outcome::changed).
        changed: bool,
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
    /// The list has nothing but a digest, which is taken to be that of this file, after which the list is named.
    OnlyDigest(&'a Path),
    /// Lines do not name their algorithm, and it turned out to be this one rather than the usual one for digests of
    /// their length.
    Found(Algorithm),
    /// Lines do not name their algorithm, and none of the candidates, given here, produces any of their digests.
    NotFound(Vec<Algorithm>),
    /// Nothing more can be reported at the moment, which makes it a good time to flush output.
    Idle,
}

/// Counts of lines and files by result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Properly formatted lines.
    pub lines: u64,
    /// Lines that are neither properly formatted nor blank nor comments.
    pub bad_lines: u64,
    /// Those of the bad lines that may have left a file unverified; see [`Fault::hides_a_file`].
    pub not_understood: u64,
    /// Files with the right digest.
    pub matched: u64,
    /// Files with a wrong digest.
    pub mismatched: u64,
    /// Files that could not be read.
    pub unreadable: u64,
    /// Files that were not read because they are pipes, sockets or devices.
    pub skipped: u64,
}

/// A line that has not been reported yet.
#[allow(clippy::large_enum_variant, reason = "nearly all are of the large variant")]
enum Waiting {
    Bad {
        number: u64,
        fault: Fault,
    },
    File {
        name: OsString,
        /// `None` if the line does not name its algorithm, which [`Guess`] then determines.
        algorithm: Option<Algorithm>,
        digest: Digest,
        verdict: Option<Verdict>,
        changed: bool,
    },
}

/// What is known about the lines of a list that do not name their algorithm and whose digests have the same length.
/// They are all taken to be of one algorithm.
struct Guess {
    candidates: Vec<Algorithm>,
    algorithm: Option<Algorithm>,
    /// Whether a file has matched.
    confirmed: bool,
    /// Whether all candidates have been tried on a file, and not only the cheap ones.
    tried_all: bool,
    /// Number of lines whose files did not match.
    mismatched: usize,
    /// Number of lines in the current batch that have no verdict yet.
    open: usize,
}

impl Guess {
    fn new(bytes: usize) -> Self {
        let candidates = candidates(bytes);
        // If the usual algorithm is the only candidate, there is nothing to find out.
        let algorithm = if let [only] = candidates[..] { Some(only).filter(|a| is_usual(*a)) } else { None };
        Guess { candidates, algorithm, confirmed: false, tried_all: false, mismatched: 0, open: 0 }
    }

    /// Returns the algorithms to compute for a file on which not all candidates can be tried.
    fn cheap(&self) -> Vec<Algorithm> {
        self.algorithm.map_or_else(|| cheap_candidates(&self.candidates), |a| vec![a])
    }

    /// Returns the algorithm that a mismatch is to be blamed on, unless a file has confirmed it.
    fn assumed(&self) -> Option<Algorithm> {
        if self.confirmed { None } else { self.algorithm.or_else(|| self.candidates.first().copied()) }
    }
}

/// Guesses by the digest's length in bytes.
struct Guesses {
    of: BTreeMap<usize, Guess>,
    /// Number of bytes on which all candidates may still be tried.
    left: u64,
}

impl Guesses {
    fn get(&mut self, bytes: usize) -> &mut Guess {
        self.of.entry(bytes).or_insert_with(|| Guess::new(bytes))
    }
}

/// Verifies the files of one list, many at once, and passes every verdict to `sink` in the order of the list. A file
/// listed under several algorithms is read once for all of them if its lines are close together.
///
/// Paths are used as they are, so relative ones start from the current directory. Only if the list has nothing but a
/// digest, the file is the one after which the list is named, in the same folder. Digests are compared in full and in
/// constant time. If `sink` breaks, the rest of the list is not verified.
///
/// If nothing names the algorithm of some lines, the smallest files decide: up to 16 MiB in all are hashed with every
/// candidate until one matches. Other files are hashed only with the usual algorithm for digests of that length, and
/// with candidates that cost next to nothing. No file is read twice for this.
///
/// Returns the counts, and an error if the list could not be read to its end or if a thread panicked. In the former
/// case, the lines before the error have been verified.
pub fn check(
    list: impl BufRead,
    list_name: &Path,
    options: &CheckOptions,
    progress: &Progress,
    mut sink: impl FnMut(CheckEvent<'_>) -> ControlFlow<()>,
) -> (Summary, io::Result<()>) {
    let mut summary = Summary::default();
    let mut lines = match LineReader::detect(list, options.zero) {
        Ok(lines) => lines,
        Err(e) => return (summary, Err(e)),
    };
    let mut parser = Parser::new(options.algorithm, list_name).allow_short(options.allow_short).zero(lines.is_zero());
    let mut guesses = Guesses { of: BTreeMap::new(), left: SMALL };
    let mut number = 0;
    // The first line, if it is a digest without a name.
    let mut lone = None;
    let mut used = 0;
    loop {
        let mut batch = Vec::new();
        let mut bytes = 0;
        let mut end = None;
        while end.is_none() && batch.len() < BATCH_LINES && bytes < BATCH_BYTES {
            let parsed = match lines.next_line() {
                Ok(Some(Some(line))) => parser.line(line),
                Ok(Some(None)) => Line::Bad(Fault::Malformed),
                Ok(None) => {
                    end = Some(Ok(()));
                    break;
                }
                Err(e) => {
                    end = Some(Err(e));
                    break;
                }
            };
            number += 1;
            let of_stdin = |name: &OsStr| options.from_stdin && name == "-";
            let mut fault = Fault::Malformed;
            let entry = match parsed {
                Line::Nothing => continue,
                Line::Entry(e) if !of_stdin(&e.name) => Some((e.name, Some(e.algorithm), e.digest)),
                Line::Bare(b) if !of_stdin(&b.name) => {
                    let bytes = b.digest.as_bytes().len();
                    fault = Fault::UnknownAlgorithm { bytes };
                    let none = options.no_guess || guesses.get(bytes).candidates.is_empty();
                    if none { None } else { Some((b.name, None, b.digest)) }
                }
                Line::Entry(_) | Line::Bare(_) => None,
                Line::Lone(l) => {
                    fault = Fault::NoName;
                    lone = Some(l).filter(|_| used == 0);
                    None
                }
                Line::Bad(f) => {
                    fault = f;
                    None
                }
            };
            used += 1;
            batch.push(match entry {
                Some((name, algorithm, digest)) => {
                    // The name is stored twice, and so is the digest once the file's own has been computed.
                    bytes += 2 * (name.len() + digest.as_bytes().len());
                    summary.lines += 1;
                    Waiting::File { name, algorithm, digest, verdict: None, changed: false }
                }
                None => {
                    summary.bad_lines += 1;
                    summary.not_understood += u64::from(fault.hides_a_file());
                    Waiting::Bad { number, fault }
                }
            });
        }
        if let ([Waiting::Bad { number, .. }], Some(l), Some(Ok(()))) = (&batch[..], lone.take(), &end)
            && used == 1
            && !options.from_stdin
            && let Some(path) = named_by(list_name)
        {
            let length = l.digest.as_bytes().len();
            let fault = match (l.algorithm, parser.expected()) {
                (None, Some(algorithm)) => Some(Fault::OtherLength { algorithm, bytes: length }),
                (None, None) if options.no_guess || guesses.get(length).candidates.is_empty() => {
                    Some(Fault::UnknownAlgorithm { bytes: length })
                }
                _ => None,
            };
            batch[0] = if let Some(fault) = fault {
                Waiting::Bad { number: *number, fault }
            } else {
                if sink(CheckEvent::OnlyDigest(&path)).is_break() {
                    return (summary, Ok(()));
                }
                summary = Summary { lines: 1, ..Summary::default() };
                let name = path.into_os_string();
                Waiting::File { name, algorithm: l.algorithm, digest: l.digest, verdict: None, changed: false }
            };
        }
        progress.hold(end.is_none());
        let expected = parser.expected();
        let mut batch = Batch { waiting: batch, reported: 0, expected, summary: &mut summary, guesses: &mut guesses };
        match batch.verify(options, progress, &mut sink) {
            Ok(ControlFlow::Continue(())) => {}
            Ok(ControlFlow::Break(())) => return (summary, Ok(())),
            Err(e) => return (summary, Err(io::Error::other(e))),
        }
        if let Some(end) = end {
            progress.complete();
            for guess in guesses.of.into_values().filter(|g| !g.confirmed && g.mismatched > 0) {
                let tried = if guess.tried_all { guess.candidates } else { guess.cheap() };
                // If there was only one, the verdicts have named it.
                if tried.len() > 1 && sink(CheckEvent::NotFound(tried)).is_break() {
                    break;
                }
            }
            return (summary, end);
        }
    }
}

/// A file and the lines about it.
struct Listed {
    name: OsString,
    /// Indices of the lines in the batch.
    lines: Vec<usize>,
}

struct Batch<'a> {
    waiting: Vec<Waiting>,
    /// Number of these lines that have been reported.
    reported: usize,
    expected: Option<Algorithm>,
    summary: &'a mut Summary,
    guesses: &'a mut Guesses,
}

impl Batch<'_> {
    fn verify(
        &mut self,
        options: &CheckOptions,
        progress: &Progress,
        sink: &mut impl FnMut(CheckEvent<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Error> {
        // Group lines by file, then files by the set of algorithms to compute, both in the order of the list.
        let mut files: Vec<Listed> = Vec::new();
        let mut by_name: HashMap<&OsStr, usize> = HashMap::new();
        for (i, w) in self.waiting.iter().enumerate() {
            if let Waiting::File { name, algorithm, digest, .. } = w {
                let f = *by_name.entry(name).or_insert_with(|| {
                    files.push(Listed { name: name.clone(), lines: Vec::new() });
                    files.len() - 1
                });
                files[f].lines.push(i);
                if algorithm.is_none() {
                    self.guesses.get(digest.as_bytes().len()).open += 1;
                }
            }
        }
        drop(by_name);
        let Some(streams) = self.try_small(&files, options, progress, sink) else {
            return Ok(ControlFlow::Break(()));
        };
        let mut sets: Vec<(Vec<Algorithm>, Vec<usize>)> = Vec::new();
        let mut by_set: HashMap<Vec<Algorithm>, usize> = HashMap::new();
        // `streams` is in the order of the list.
        for (f, file) in files.iter().enumerate().filter(|(f, _)| streams.binary_search(f).is_err()) {
            let set = self.wanted(file);
            if set.is_empty() {
                continue;
            }
            let s = *by_set.entry(set).or_insert_with_key(|set| {
                sets.push((set.clone(), Vec::new()));
                sets.len() - 1
            });
            sets[s].1.push(f);
        }

        if self.report(sink).is_break() {
            return Ok(ControlFlow::Break(()));
        }
        for (algorithms, members) in sets {
            let run = Options { algorithms, threads: options.threads, io: options.io };
            let inputs = members.iter().map(|&f| {
                let input = Input::from_argument(&files[f].name);
                Ok(if options.allow_special { input.into() } else { Found::regular_only(input) })
            });
            let mut next = members.iter();
            let mut flow = ControlFlow::Continue(());
            sum::sum(&run, inputs, progress, |event| {
                match event {
                    Event::Idle => flow = sink(CheckEvent::Idle),
                    Event::Device { path, one_reader } => flow = sink(CheckEvent::Device { path, one_reader }),
                    Event::Outcome(Outcome { result, changed, .. }) => {
                        if let Some(&f) = next.next() {
                            flow = self.judge(&files[f], &run.algorithms, result, changed, options, sink);
                            if flow.is_continue() {
                                flow = self.report(sink);
                            }
                        }
                    }
                }
                flow
            })?;
            if flow.is_break() {
                return Ok(flow);
            }
        }
        for f in streams {
            let (algorithms, result) = self.hash_stream(&files[f], options, progress);
            if self.judge(&files[f], &algorithms, result, false, options, sink).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(self.report(sink))
    }

    /// Tries all candidates on the smallest files of the lines whose algorithm is unknown, until one matches, and gives
    /// verdicts to the lines about these files. Returns the inputs that can be read only once and whose algorithm is
    /// unknown, or `None` if the sink breaks.
    fn try_small(
        &mut self,
        files: &[Listed],
        options: &CheckOptions,
        progress: &Progress,
        sink: &mut impl FnMut(CheckEvent<'_>) -> ControlFlow<()>,
    ) -> Option<Vec<usize>> {
        let mut small: Vec<(u64, usize)> = Vec::new();
        let mut streams = Vec::new();
        for (f, file) in files.iter().enumerate().filter(|(_, file)| self.is_unknown(file)) {
            let input = Input::from_argument(&file.name);
            match input.look() {
                Ok(look) if look.kind == Kind::Regular => small.push((look.len, f)),
                Ok(look) if look.kind == Kind::Stream && (options.allow_special || input == Input::Stdin) => {
                    streams.push(f);
                }
                // Reading it with the others reports why it cannot be verified.
                _ => {}
            }
        }
        small.sort_unstable();
        let threads = Options { algorithms: Vec::new(), threads: options.threads, io: options.io }.threads();
        for (length, f) in small {
            if length > self.guesses.left {
                break;
            }
            let file = &files[f];
            if !self.is_unknown(file) {
                continue;
            }
            let Some((content, changed)) = content(&file.name, self.guesses.left, options.io) else { continue };
            self.guesses.left -= content.len() as u64;
            progress.found(content.len() as u64);
            progress.read(content.len());
            let (algorithms, digests) = self.all_digests(file, &content, threads);
            progress.done();
            if self.judge(file, &algorithms, Ok(digests), changed, options, sink).is_break() {
                return None;
            }
        }
        streams.retain(|&f| self.is_unknown(&files[f]));
        Some(streams)
    }

    /// Returns whether the algorithm of any line about a file is unknown.
    fn is_unknown(&self, file: &Listed) -> bool {
        file.lines.iter().any(|&i| self.waiting[i].is_open() && self.algorithm(i).is_none())
    }

    /// Returns the algorithm of a line, if it is known.
    fn algorithm(&self, i: usize) -> Option<Algorithm> {
        match &self.waiting[i] {
            Waiting::File { algorithm, .. } if algorithm.is_some() => *algorithm,
            line => line.guess(&self.guesses.of).and_then(|g| g.algorithm),
        }
    }

    /// Returns the algorithms to compute for the lines about a file, each once.
    fn wanted(&self, file: &Listed) -> Vec<Algorithm> {
        let mut wanted = Vec::new();
        for &i in file.lines.iter().filter(|&&i| self.waiting[i].is_open()) {
            match (self.algorithm(i), self.waiting[i].guess(&self.guesses.of)) {
                (Some(a), _) => add(&mut wanted, &[a]),
                (None, Some(guess)) => add(&mut wanted, &guess.cheap()),
                (None, None) => {}
            }
        }
        wanted
    }

    /// Returns the digests that the lines about a file ask for, with their algorithms. For lines of an unknown
    /// algorithm, these are all candidates, unless the cheap ones already have a match.
    fn all_digests(&mut self, file: &Listed, content: &[u8], threads: usize) -> (Vec<Algorithm>, Vec<Digest>) {
        let mut algorithms = self.wanted(file);
        let mut digests = digests(&algorithms, content, 1);
        let mut others = Vec::new();
        for &i in &file.lines {
            if self.algorithm(i).is_none()
                && let Waiting::File { digest, .. } = &self.waiting[i]
                && !digests.contains(digest)
            {
                let guess = self.guesses.get(digest.as_bytes().len());
                guess.tried_all = true;
                add(&mut others, &guess.candidates);
            }
        }
        others.retain(|a| !algorithms.contains(a));
        digests.extend(self::digests(&others, content, threads));
        algorithms.extend(others);
        (algorithms, digests)
    }

    /// Hashes an input that can be read only once. If it ends soon, all candidates are tried on it.
    fn hash_stream(
        &mut self,
        file: &Listed,
        options: &CheckOptions,
        progress: &Progress,
    ) -> (Vec<Algorithm>, Result<Vec<Digest>, Error>) {
        progress.open_ended();
        progress.found(0);
        let wanted = self.wanted(file);
        let mut start = Vec::new();
        let result = (|| {
            let open = Input::from_argument(&file.name).open()?;
            let mut chunk = vec![0; CHUNK];
            let mut hashers: Vec<Hasher> = Vec::new();
            loop {
                let n = read(&open, &mut chunk)?;
                progress.read(n);
                if progress.is_stopped() {
                    return Err(Error::Stopped);
                }
                match (n, &mut hashers[..]) {
                    (0, []) => return Ok(None),
                    (0, hashers) => return Ok(Some(hashers.iter().map(|h| h.finalize()).collect())),
                    (n, []) if start.len() as u64 + n as u64 <= SMALL => start.extend_from_slice(&chunk[..n]),
                    (n, []) => {
                        hashers = wanted.iter().map(|&a| Hasher::new(a)).collect();
                        for part in [&start[..], &chunk[..n]] {
                            hashers.iter_mut().for_each(|h| h.update(part));
                        }
                        start = Vec::new();
                    }
                    (n, hashers) => hashers.iter_mut().for_each(|h| h.update(&chunk[..n])),
                }
            }
        })();
        progress.done();
        match result {
            Ok(None) => {
                let threads = Options { algorithms: Vec::new(), threads: options.threads, io: options.io }.threads();
                let (algorithms, digests) = self.all_digests(file, &start, threads);
                (algorithms, Ok(digests))
            }
            Ok(Some(digests)) => (wanted, Ok(digests)),
            Err(e) => (wanted, Err(e)),
        }
    }

    /// Gives verdicts to the lines about a file. The first match with a candidate decides which algorithm all lines are
    /// of that do not name theirs.
    fn judge(
        &mut self,
        file: &Listed,
        algorithms: &[Algorithm],
        result: Result<Vec<Digest>, Error>,
        was_changed: bool,
        options: &CheckOptions,
        sink: &mut impl FnMut(CheckEvent<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for &i in &file.lines {
            let known = self.algorithm(i);
            let Waiting::File { algorithm: named, digest, verdict, changed, .. } = &mut self.waiting[i] else {
                continue;
            };
            if verdict.is_some() {
                continue;
            }
            *changed = was_changed;
            let mut guess = if named.is_none() { Some(self.guesses.get(digest.as_bytes().len())) } else { None };
            let is_candidate = |a: &Algorithm| match (known, &guess) {
                (Some(known), _) => *a == known,
                (None, guess) => guess.as_ref().is_some_and(|g| g.candidates.contains(a)),
            };
            let of = match &result {
                Ok(digests) => algorithms.iter().zip(digests).find(|(a, d)| is_candidate(a) && *d == digest),
                Err(_) => None,
            };
            let new = match (&result, of) {
                (Err(e), _) if options.ignore_missing && e.is_missing() => Verdict::Ignored,
                (Err(Error::Skipped(what)), _) => Verdict::Skipped(what),
                (Err(e), _) => Verdict::Unreadable(e.again()),
                (Ok(_), Some(_)) => Verdict::Ok,
                (Ok(_), None) => Verdict::Mismatch { assumed: None },
            };
            if let Some(guess) = &mut guess {
                guess.open = guess.open.saturating_sub(1);
                guess.mismatched += usize::from(matches!(new, Verdict::Mismatch { .. }));
                guess.confirmed |= of.is_some();
            }
            *verdict = Some(new);
            if let (Some(guess), None, Some((&a, _))) = (guess, known, of) {
                guess.algorithm = Some(a);
                if !is_usual(a) {
                    sink(CheckEvent::Found(a))?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Reports what can be reported without changing the order of the list. A mismatch under an assumed algorithm waits
    /// for a while, since another file may confirm the algorithm.
    fn report(&mut self, sink: &mut impl FnMut(CheckEvent<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
        while let Some(w) = self.waiting.get_mut(self.reported) {
            match w {
                Waiting::Bad { number, fault } => {
                    sink(CheckEvent::BadLine { number: *number, algorithm: self.expected, fault: fault.clone() })?;
                }
                Waiting::File { name, verdict, algorithm, digest, changed } => {
                    if let (Some(Verdict::Mismatch { assumed }), None) = (&mut *verdict, algorithm) {
                        let guess = self.guesses.get(digest.as_bytes().len());
                        *assumed = guess.assumed();
                        if assumed.is_some() && guess.open > 0 && guess.mismatched <= PATIENCE {
                            break;
                        }
                    }
                    let Some(verdict) = verdict.take() else { break };
                    match verdict {
                        Verdict::Ok => self.summary.matched += 1,
                        Verdict::Mismatch { .. } => self.summary.mismatched += 1,
                        Verdict::Unreadable(_) => self.summary.unreadable += 1,
                        Verdict::Skipped(_) => self.summary.skipped += 1,
                        Verdict::Ignored => {}
                    }
                    sink(CheckEvent::File { name, verdict, changed: *changed })?;
                }
            }
            self.reported += 1;
        }
        ControlFlow::Continue(())
    }
}

impl Waiting {
    /// Returns whether the line is about a file and has no verdict yet.
    fn is_open(&self) -> bool {
        matches!(self, Waiting::File { verdict: None, .. })
    }

    /// Returns what is known about the lines that name their algorithm as little as this one does.
    fn guess<'g>(&self, guesses: &'g BTreeMap<usize, Guess>) -> Option<&'g Guess> {
        match self {
            Waiting::File { algorithm: None, digest, .. } => guesses.get(&digest.as_bytes().len()),
            _ => None,
        }
    }
}

/// Adds those algorithms to a set that it lacks.
fn add(set: &mut Vec<Algorithm>, algorithms: &[Algorithm]) {
    for a in algorithms {
        if !set.contains(a) {
            set.push(*a);
        }
    }
}

/// Returns the digests of a message, computed on several threads if it is long.
fn digests(algorithms: &[Algorithm], content: &[u8], threads: usize) -> Vec<Digest> {
    let threads = if content.len() < SHARED { 1 } else { threads.min(algorithms.len()) };
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(a) = algorithms.get(i) else { return };
            let digest = a.digest(content);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((i, digest));
        }
    };
    std::thread::scope(|s| {
        // If no thread can be started, this one does everything.
        let _ = (1..threads).try_for_each(|_| spawn(s, work).map(drop));
        work();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(i, _)| *i);
    done.into_iter().map(|(_, digest)| digest).collect()
}

/// Returns the content of a regular file of at most `most` bytes, and whether the file was written to meanwhile.
/// Returns `None` if it cannot be read, or has become longer or something else.
fn content(name: &OsStr, most: u64, io: Io) -> Option<(Vec<u8>, bool)> {
    let input = Input::from_argument(name);
    let (file, look) = input.open_listed().ok().filter(|(_, look)| look.kind == Kind::Regular)?;
    let mut direct = match io {
        Io::Direct if look.len > 0 => Direct::open(input.name()).ok()?,
        _ => None,
    };
    let mut content = Vec::new();
    // One byte more shows that the file has ended.
    let mut chunk = vec![0; look.len.saturating_add(1).clamp(4096, CHUNK as u64) as usize];
    loop {
        let n = match &mut direct {
            Some(direct) => direct.read(&mut chunk).ok()?,
            None => read(&file, &mut chunk).ok()?,
        };
        content.extend_from_slice(&chunk[..n]);
        if content.len() as u64 > most {
            return None;
        }
        if n == 0 {
            break;
        }
    }
    // What has no length is generated by the kernel as it is read.
    let changed = look.len > 0 && Look::at(&file).is_ok_and(|now| now.stamp != look.stamp);
    Some((content, changed))
}
