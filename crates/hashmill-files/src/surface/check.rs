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

/// Lines of a list that are worked on at once, and bytes of their names and digests: enough to keep many lanes full,
/// little memory.
const BATCH_LINES: usize = 8192;
const BATCH_BYTES: usize = 4 << 20;

/// Where nothing tells the algorithm, files up to this length are hashed with all that are possible at once; longer
/// ones first with the most usual.
const SMALL: u64 = 1 << 20;

/// How to verify.
#[derive(Debug, Clone, Default)]
pub struct CheckOptions {
    /// The algorithm of lines that do not name one: see [`Parser::new`].
    pub algorithm: Option<Algorithm>,
    /// Threads that hash; none for as many as the machine has cores for us.
    pub threads: Option<NonZeroUsize>,
    /// How files are read.
    pub io: Io,
    /// Files that do not exist are [`Verdict::Ignored`].
    pub ignore_missing: bool,
    /// The list itself comes from standard input, so it cannot have a line for that.
    pub from_stdin: bool,
    /// Where nothing tells the algorithm of a line, none is tried, and the line is [`Fault::UnknownAlgorithm`].
    pub no_guess: bool,
    /// Digests are accepted that are shorter than 128 bits and than their algorithm's usual ones.
    pub allow_short: bool,
    /// Lines end with NUL. Lists with a NUL near their beginning are read so anyway.
    pub zero: bool,
}

/// The verdict on a file.
#[derive(Debug)]
pub enum Verdict {
    /// It has the digest that the list states.
    Ok,
    /// It has another.
    Mismatch,
    /// It could not be read.
    Unreadable(Error),
    /// It does not exist, and that is to be ignored.
    Ignored,
}

/// What [`check`] has to tell, in the order of the list.
#[derive(Debug)]
pub enum CheckEvent<'a> {
    /// A file's verdict.
    File {
        /// Its name in the list.
        name: &'a OsStr,
        /// The verdict.
        verdict: Verdict,
        /// It was written to while it was read: see [`Outcome::changed`](crate::Outcome::changed).
        changed: bool,
    },
    /// A file lies on a device that none before it lay on: see [`Event::Device`](crate::Event::Device).
    Device {
        /// The file.
        path: PathBuf,
        /// Why one reader at a time reads there; none where several do.
        one_reader: Option<&'static str>,
    },
    /// A line cannot be used.
    BadLine {
        /// Its number, from 1.
        number: u64,
        /// The algorithm it should be of, if that is known.
        algorithm: Option<Algorithm>,
        /// What is wrong with it.
        fault: Fault,
    },
    /// Lines do not say which algorithm they are of, and it is not the one that the length of their digests suggests,
    /// but this one.
    Found(Algorithm),
    /// Lines do not say which algorithm they are of, and none of those tried gives any of their digests.
    NotFound(Vec<Algorithm>),
    /// Nothing else is at hand for the moment: a good time to show what has been written.
    Idle,
}

/// How many there were of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Properly formatted lines.
    pub lines: u64,
    /// Lines that are none of those, but neither blank nor comments.
    pub bad_lines: u64,
    /// Of these, the lines because of which a file may have gone unverified: see [`Fault::hides_a_file`].
    pub not_understood: u64,
    /// Files with the right digest.
    pub matched: u64,
    /// Files with a wrong digest.
    pub mismatched: u64,
    /// Files that could not be read.
    pub unreadable: u64,
}

/// A line that waits for its turn.
#[allow(clippy::large_enum_variant, reason = "nearly all are of the large variant")]
enum Waiting {
    Bad {
        number: u64,
        fault: Fault,
    },
    File {
        name: OsString,
        /// None as long as nothing tells it.
        algorithm: Option<Algorithm>,
        /// The line does not say its algorithm.
        bare: bool,
        digest: Digest,
        verdict: Option<Verdict>,
        changed: bool,
    },
}

/// What is known about the lines of a list that do not say their algorithm and have digests of one length. One
/// algorithm holds for all of them.
struct Guess {
    candidates: Vec<Algorithm>,
    algorithm: Option<Algorithm>,
    matched: u64,
    mismatched: u64,
}

/// By the digest's length in bytes.
type Guesses = BTreeMap<usize, Guess>;

fn guess(guesses: &mut Guesses, bytes: usize) -> &mut Guess {
    guesses.entry(bytes).or_insert_with(|| {
        let candidates = candidates(bytes);
        // Where there is but one there is nothing to find out.
        let algorithm = if let [only] = candidates[..] { Some(only).filter(|a| is_usual(*a)) } else { None };
        Guess { candidates, algorithm, matched: 0, mismatched: 0 }
    })
}

/// Verifies the files of one list, many at once, and hands every verdict to `sink` in the order of the list. A file
/// that is listed under several algorithms is read once for all of them where the lines are near each other.
///
/// Paths are used as they are: relative ones start from the current directory. Digests are compared in whole and in
/// constant time. Where `sink` breaks, the rest is left.
///
/// Returns the counts, and an error if the list could not be read to its end, or if a thread has panicked; what came
/// before has been verified then.
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
                    // The name is held twice, and the digest will be computed.
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

/// A file that several lines may be about.
struct Listed {
    name: OsString,
    /// Their places in the batch.
    lines: Vec<usize>,
}

struct Batch<'a> {
    waiting: Vec<Waiting>,
    /// How many of them have been reported.
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
        // Lines by file, then files by what has to be computed of them; both in the order of the list.
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

    /// Finds out of which algorithm lines are that do not say it, by trying, and gives their verdicts to lines on the
    /// way.
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
                    // What cannot be looked at gives its error when it is read.
                    probes.push(Probe { f, file, length: length.unwrap_or(Some(0)) });
                }
            }
            // The smallest first: one that is as it was is enough. What can be read only once comes last.
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
        // What has been read, and cannot be read again, for lines whose algorithm was known.
        for (f, computed) in streams {
            let (algorithms, digests) = computed;
            self.judge(&files[f].lines, &algorithms, digests, options.ignore_missing);
        }
        Ok(ControlFlow::Continue(()))
    }

    fn algorithm(&self, bytes: usize) -> Option<Algorithm> {
        self.guesses.get(&bytes).and_then(|g| g.algorithm)
    }

    /// Tries all candidates for digests of a length on some files: small ones, or one.
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
        // Where there is but one candidate there are no others.
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

    /// `stage`, and all else that the lines about a file may be of, each once.
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

    /// The candidate that gives a line its digest; of several, the one of the line that comes first.
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

    /// Gives their verdicts to the lines about a file on which algorithms have been tried, as far as it is known by
    /// now.
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

    /// Gives its verdict to every line about a file.
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
            // A line that has been tried has its verdict.
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

    /// Reports what can be reported in the order of the list.
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

/// A file on which algorithms are tried.
struct Probe<'a> {
    /// Its place among the batch's files.
    f: usize,
    file: &'a Listed,
    /// None for what can be read only once.
    length: Option<u64>,
}

/// What trying has come to.
#[derive(Clone, Copy)]
struct Settled {
    found: Option<Algorithm>,
    /// Nothing else is left to be tried.
    last: bool,
}

/// The digests of some files, in their order.
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

/// What has been computed of inputs that can be read only once, by their place among the batch's files.
type Streams = HashMap<usize, (Vec<Algorithm>, Result<Vec<Digest>, Error>)>;

impl Waiting {
    /// The algorithm that is still to be computed for this line.
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

    /// Whether it has neither an algorithm nor a verdict, and a digest of so many bytes.
    fn asks(&self, bytes: usize) -> bool {
        matches!(self, Waiting::File { algorithm: None, verdict: None, digest, .. } if digest.as_bytes().len() == bytes)
    }
}
