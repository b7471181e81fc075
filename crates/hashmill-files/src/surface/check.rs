//! Verification of checksum lists.

use crate::base::error::Error;
use crate::base::options::{Io, Options};
use crate::base::progress::Progress;
use crate::manifest::{Fault, Line, LineReader, Parser, candidates, is_usual};
use crate::read::input::Input;
use crate::surface::sum::{self, Event, Outcome};
use hashmill::{Algorithm, Digest};
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Limits of a batch of lines that are verified together: the number of lines, and the bytes of their names and
/// digests. Large enough to keep many lanes full, small enough to need little memory.
const BATCH_LINES: usize = 8192;
const BATCH_BYTES: usize = 4 << 20;

/// If nothing tells the algorithm, files up to this length are hashed with all candidates at once, and longer ones with
/// the most usual candidate first.
const SMALL: u64 = 1 << 20;

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
    /// Lines end with NUL. Lists with a NUL near the beginning are read this way in any case.
    pub zero: bool,
}

/// The result of verifying a file.
#[derive(Debug)]
pub enum Verdict {
    /// The file has the digest that the list states.
    Ok,
    /// The file has a different digest.
    Mismatch,
    /// The file could not be read.
    Unreadable(Error),
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
        /// `None` as long as the algorithm is unknown.
        algorithm: Option<Algorithm>,
        /// The line does not name its algorithm.
        bare: bool,
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
    matched: u64,
    mismatched: u64,
}

/// Guesses by the digest's length in bytes.
type Guesses = BTreeMap<usize, Guess>;

fn guess(guesses: &mut Guesses, bytes: usize) -> &mut Guess {
    guesses.entry(bytes).or_insert_with(|| {
        let candidates = candidates(bytes);
        // If the usual algorithm is the only candidate, there is nothing to find out.
        let algorithm = if let [only] = candidates[..] { Some(only).filter(|a| is_usual(*a)) } else { None };
        Guess { candidates, algorithm, matched: 0, mismatched: 0 }
    })
}

/// Verifies the files of one list, many at once, and passes every verdict to `sink` in the order of the list. A file
/// listed under several algorithms is read once for all of them if its lines are close together.
///
/// Paths are used as they are, so relative ones start from the current directory. Digests are compared in full and in
/// constant time. If `sink` breaks, the rest of the list is not verified.
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
    let mut guesses = Guesses::new();
    let mut number = 0;
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
                Line::Entry(e) if !of_stdin(&e.name) => Some((e.name, Some(e.algorithm), false, e.digest)),
                Line::Bare(b) if !of_stdin(&b.name) => {
                    let bytes = b.digest.as_bytes().len();
                    let guess = guess(&mut guesses, bytes);
                    fault = Fault::UnknownAlgorithm { bytes };
                    let none = options.no_guess || guess.candidates.is_empty();
                    if none { None } else { Some((b.name, guess.algorithm, true, b.digest)) }
                }
                Line::Entry(_) | Line::Bare(_) => None,
                Line::Bad(f) => {
                    fault = f;
                    None
                }
            };
            batch.push(match entry {
                Some((name, algorithm, bare, digest)) => {
                    // The name is stored twice, and so is the digest once the file's own has been computed.
                    bytes += 2 * (name.len() + digest.as_bytes().len());
                    summary.lines += 1;
                    Waiting::File { name, algorithm, bare, digest, verdict: None, changed: false }
                }
                None => {
                    summary.bad_lines += 1;
                    summary.not_understood += u64::from(fault.hides_a_file());
                    Waiting::Bad { number, fault }
                }
            });
        }
        progress.hold(end.is_none());
        let mut batch = Batch {
            waiting: batch,
            reported: 0,
            expected: parser.expected(),
            summary: &mut summary,
            guesses: &mut guesses,
        };
        match batch.verify(options, progress, &mut sink) {
            Ok(ControlFlow::Continue(())) => {}
            Ok(ControlFlow::Break(())) => return (summary, Ok(())),
            Err(e) => return (summary, Err(io::Error::other(e))),
        }
        if let Some(end) = end {
            for guess in guesses.into_values().filter(|g| g.matched == 0 && g.mismatched > 0) {
                if sink(CheckEvent::NotFound(guess.candidates)).is_break() {
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
            if let Waiting::File { name, .. } = w {
                let f = *by_name.entry(name).or_insert_with(|| {
                    files.push(Listed { name: name.clone(), lines: Vec::new() });
                    files.len() - 1
                });
                files[f].lines.push(i);
            }
        }
        drop(by_name);
        if self.find_algorithms(&files, options, progress, sink)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
        let mut sets: Vec<(Vec<Algorithm>, Vec<usize>)> = Vec::new();
        let mut by_set: HashMap<Vec<Algorithm>, usize> = HashMap::new();
        for (f, file) in files.iter().enumerate() {
            let mut set = Vec::new();
            for a in file.lines.iter().filter_map(|&i| self.waiting[i].open_algorithm()) {
                if !set.contains(&a) {
                    set.push(a);
                }
            }
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
            let inputs = members.iter().map(|&f| Ok(Input::from_argument(&files[f].name)));
            let mut next = members.iter();
            let mut flow = ControlFlow::Continue(());
            sum::sum(&run, inputs, progress, |event| {
                match event {
                    Event::Idle => flow = sink(CheckEvent::Idle),
                    Event::Device { path, one_reader } => flow = sink(CheckEvent::Device { path, one_reader }),
                    Event::Outcome(Outcome { result, changed: was_changed, .. }) => {
                        if let Some(&f) = next.next() {
                            for &i in &files[f].lines {
                                if let Waiting::File { changed, .. } = &mut self.waiting[i] {
                                    *changed = was_changed;
                                }
                            }
                            self.judge(&files[f].lines, &run.algorithms, result, options.ignore_missing);
                            flow = self.report(sink);
                        }
                    }
                }
                flow
            })?;
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Determines the algorithm of lines that do not name it by trying the candidates, and gives verdicts to lines
    /// along the way.
    fn find_algorithms(
        &mut self,
        files: &[Listed],
        options: &CheckOptions,
        progress: &Progress,
        sink: &mut impl FnMut(CheckEvent<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Error> {
        let lengths: Vec<usize> = self.guesses.iter().filter(|(_, g)| g.algorithm.is_none()).map(|(&n, _)| n).collect();
        let mut streams = Streams::new();
        for bytes in lengths {
            let mut probes: Vec<Probe<'_>> = Vec::new();
            for (f, file) in files.iter().enumerate() {
                if file.lines.iter().any(|&i| self.waiting[i].asks(bytes)) {
                    let metadata = Input::from_argument(&file.name).metadata();
                    let length = metadata.ok().map(|m| m.is_file().then_some(m.len()));
                    // If the metadata cannot be read, reading the file reports the error.
                    probes.push(Probe { f, file, length: length.unwrap_or(Some(0)) });
                }
            }
            // Smallest first, since one unmodified file is enough. Inputs that can be read only once come last.
            probes.sort_by_key(|p| (p.length.is_none(), p.length, p.f));
            let mut rest = &probes[..];
            let mut most = 1;
            while !rest.is_empty() && self.algorithm(bytes).is_none() {
                let n = rest.iter().take(most).take_while(|p| p.length.is_some()).count().max(1);
                let (some, others) = rest.split_at(n);
                self.try_some(bytes, some, &mut streams, options, progress)?;
                (rest, most) = (others, 8 * most);
            }
            let Some(a) = self.algorithm(bytes) else { continue };
            for w in &mut self.waiting {
                if w.asks(bytes)
                    && let Waiting::File { algorithm, .. } = w
                {
                    *algorithm = Some(a);
                }
            }
            if !is_usual(a) && sink(CheckEvent::Found(a)).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        // Inputs that can be read only once have been read, so lines about them whose algorithm is known are judged
        // now.
        for (f, computed) in streams {
            let (algorithms, digests) = computed;
            self.judge(&files[f].lines, &algorithms, digests, options.ignore_missing);
        }
        Ok(ControlFlow::Continue(()))
    }

    fn algorithm(&self, bytes: usize) -> Option<Algorithm> {
        self.guesses.get(&bytes).and_then(|g| g.algorithm)
    }

    /// Tries the candidates for digests of `bytes` bytes on some files, or on one input that can be read only once.
    fn try_some(
        &mut self,
        bytes: usize,
        probes: &[Probe<'_>],
        streams: &mut Streams,
        options: &CheckOptions,
        progress: &Progress,
    ) -> Result<(), Error> {
        let candidates = self.guesses.get(&bytes).map(|g| g.candidates.clone()).unwrap_or_default();
        let once = probes.iter().any(|p| p.length.is_none());
        let long = probes.iter().any(|p| p.length.is_some_and(|n| n > SMALL));
        let (first, others) = candidates.split_at(if long { 1 } else { candidates.len() });
        // One stage is empty if there is only one candidate or all are tried at once.
        for stage in [first, others].into_iter().filter(|stage| !stage.is_empty()) {
            let (algorithms, results) = if once {
                let all = self.all_of(probes[0].file, stage);
                let (algorithms, result) = match streams.entry(probes[0].f) {
                    Entry::Occupied(read) => read.into_mut(),
                    Entry::Vacant(unread) => {
                        let result = compute(&all, probes, options, progress)?.pop().unwrap_or(Err(Error::Panicked));
                        unread.insert((all, result))
                    }
                };
                (algorithms.clone(), vec![again(result)])
            } else {
                (stage.to_vec(), compute(stage, probes, options, progress)?)
            };
            let found = self.first_match(bytes, probes, &algorithms, &results);
            if let Some(a) = found
                && let Some(guess) = self.guesses.get_mut(&bytes)
            {
                guess.algorithm = Some(a);
            }
            let settled = Settled { found, last: stage.last() == candidates.last() };
            for (probe, result) in probes.iter().zip(&results) {
                self.settle(bytes, probe, &algorithms, result, settled, options.ignore_missing);
            }
            if found.is_some() {
                break;
            }
        }
        Ok(())
    }

    /// Returns `stage` and every other algorithm that the lines about a file may be of, each once.
    fn all_of(&self, file: &Listed, stage: &[Algorithm]) -> Vec<Algorithm> {
        let mut all: Vec<Algorithm> = Vec::new();
        let of_lines = file.lines.iter().filter_map(|&i| match &self.waiting[i] {
            Waiting::File { algorithm: Some(a), .. } => Some(vec![*a]),
            Waiting::File { digest, .. } => Some(self.guesses.get(&digest.as_bytes().len())?.candidates.clone()),
            Waiting::Bad { .. } => None,
        });
        for a in stage.iter().copied().chain(of_lines.flatten()) {
            if !all.contains(&a) {
                all.push(a);
            }
        }
        all
    }

    /// Returns the candidate that produces the digest of a line; if several do, the one for the earliest line.
    fn first_match(
        &self,
        bytes: usize,
        probes: &[Probe<'_>],
        algorithms: &[Algorithm],
        results: &[Result<Vec<Digest>, Error>],
    ) -> Option<Algorithm> {
        let candidates = &self.guesses.get(&bytes)?.candidates;
        let mut found: Option<(usize, Algorithm)> = None;
        for (probe, result) in probes.iter().zip(results) {
            let Ok(digests) = result else { continue };
            for &i in probe.file.lines.iter().filter(|&&i| self.waiting[i].asks(bytes)) {
                let place = digests.iter().position(|d| self.waiting[i].digest() == Some(d));
                let a = place.and_then(|n| algorithms.get(n)).filter(|a| candidates.contains(a));
                if let Some(&a) = a
                    && found.is_none_or(|(first, _)| i < first)
                {
                    found = Some((i, a));
                }
            }
        }
        found.map(|(_, a)| a)
    }

    /// Gives verdicts to the lines about a file on which candidates have been tried, as far as the verdicts are known.
    fn settle(
        &mut self,
        bytes: usize,
        probe: &Probe<'_>,
        algorithms: &[Algorithm],
        result: &Result<Vec<Digest>, Error>,
        Settled { found, last }: Settled,
        ignore_missing: bool,
    ) {
        for &i in &probe.file.lines {
            if !self.waiting[i].asks(bytes) {
                continue;
            }
            let Waiting::File { digest, verdict, .. } = &mut self.waiting[i] else { continue };
            match result {
                Err(e) if ignore_missing && e.is_missing() => *verdict = Some(Verdict::Ignored),
                Err(e) => *verdict = Some(Verdict::Unreadable(e.again())),
                Ok(digests) => match found {
                    Some(a) => {
                        let computed = algorithms.iter().position(|&b| a == b).and_then(|n| digests.get(n));
                        *verdict = Some(if computed == Some(digest) { Verdict::Ok } else { Verdict::Mismatch });
                    }
                    None if last => *verdict = Some(Verdict::Mismatch),
                    None => {}
                },
            }
        }
    }

    /// Gives a verdict to those lines about a file whose algorithm is known.
    fn judge(
        &mut self,
        lines: &[usize],
        algorithms: &[Algorithm],
        result: Result<Vec<Digest>, Error>,
        ignore_missing: bool,
    ) {
        let mut error = None;
        let digests = result.unwrap_or_else(|e| {
            error = Some(e);
            Vec::new()
        });
        for &i in lines {
            let Waiting::File { algorithm: Some(algorithm), digest, verdict, .. } = &mut self.waiting[i] else {
                continue;
            };
            // Lines on which candidates were tried already have a verdict.
            if verdict.is_some() {
                continue;
            }
            *verdict = Some(match &error {
                Some(e) if ignore_missing && e.is_missing() => Verdict::Ignored,
                Some(e) => Verdict::Unreadable(e.again()),
                None => {
                    let computed = algorithms.iter().position(|a| a == algorithm).and_then(|i| digests.get(i));
                    if computed == Some(digest) { Verdict::Ok } else { Verdict::Mismatch }
                }
            });
        }
    }

    /// Reports what can be reported without changing the order of the list.
    fn report(&mut self, sink: &mut impl FnMut(CheckEvent<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
        while let Some(w) = self.waiting.get_mut(self.reported) {
            match w {
                Waiting::Bad { number, fault } => {
                    sink(CheckEvent::BadLine { number: *number, algorithm: self.expected, fault: fault.clone() })?;
                }
                Waiting::File { name, verdict, bare, digest, changed, .. } => {
                    let Some(verdict) = verdict.take() else { break };
                    if *bare && let Some(guess) = self.guesses.get_mut(&digest.as_bytes().len()) {
                        match verdict {
                            Verdict::Ok => guess.matched += 1,
                            Verdict::Mismatch => guess.mismatched += 1,
                            _ => {}
                        }
                    }
                    match verdict {
                        Verdict::Ok => self.summary.matched += 1,
                        Verdict::Mismatch => self.summary.mismatched += 1,
                        Verdict::Unreadable(_) => self.summary.unreadable += 1,
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

/// A file on which candidates are tried.
struct Probe<'a> {
    /// Its index among the batch's files.
    f: usize,
    file: &'a Listed,
    /// `None` if the file can be read only once.
    length: Option<u64>,
}

/// The result of trying candidates.
#[derive(Clone, Copy)]
struct Settled {
    found: Option<Algorithm>,
    /// No candidates are left to try.
    last: bool,
}

/// Returns the digests of some files, in order.
fn compute(
    algorithms: &[Algorithm],
    probes: &[Probe<'_>],
    options: &CheckOptions,
    progress: &Progress,
) -> Result<Vec<Result<Vec<Digest>, Error>>, Error> {
    let run = Options { algorithms: algorithms.to_vec(), threads: options.threads, io: options.io };
    let inputs = probes.iter().map(|p| Ok(Input::from_argument(&p.file.name)));
    let mut results = Vec::new();
    sum::sum(&run, inputs, progress, |event| {
        if let Event::Outcome(outcome) = event {
            results.push(outcome.result);
        }
        ControlFlow::Continue(())
    })?;
    Ok(results)
}

fn again(result: &Result<Vec<Digest>, Error>) -> Result<Vec<Digest>, Error> {
    match result {
        Ok(digests) => Ok(digests.clone()),
        Err(e) => Err(e.again()),
    }
}

/// Digests of inputs that can be read only once, by their index among the batch's files.
type Streams = HashMap<usize, (Vec<Algorithm>, Result<Vec<Digest>, Error>)>;

impl Waiting {
    /// Returns the algorithm that still has to be computed for this line.
    fn open_algorithm(&self) -> Option<Algorithm> {
        match self {
            Waiting::File { algorithm, verdict: None, .. } => *algorithm,
            _ => None,
        }
    }

    fn digest(&self) -> Option<&Digest> {
        match self {
            Waiting::File { digest, .. } => Some(digest),
            Waiting::Bad { .. } => None,
        }
    }

    /// Returns whether the line has neither an algorithm nor a verdict, and a digest of `bytes` bytes.
    fn asks(&self, bytes: usize) -> bool {
        matches!(self, Waiting::File { algorithm: None, verdict: None, digest, .. } if digest.as_bytes().len() == bytes)
    }
}
