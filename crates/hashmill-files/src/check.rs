//! Verification of checksum lists.

use crate::error::Error;
use crate::input::Input;
use crate::manifest::{Line, LineReader, Parser};
use crate::progress::Progress;
use crate::sum::{self, Event, Options, Outcome};
use hashmill::{Algorithm, Digest};
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;

/// So many lines of a list are worked on at once, and names of so many bytes: enough to keep many lanes full, little memory.
const BATCH_LINES: usize = 8192;
const BATCH_BYTES: usize = 4 << 20;

/// How to verify.
#[derive(Debug, Clone, Default)]
pub struct CheckOptions {
    /// The algorithm of lines that do not name one: see [`Parser::new`].
    pub algorithm: Option<Algorithm>,
    /// Threads that hash; none for as many as the machine has cores for us.
    pub threads: Option<NonZeroUsize>,
    /// Files that do not exist are [`Verdict::Ignored`].
    pub ignore_missing: bool,
    /// The list itself comes from standard input, so it cannot have a line for that.
    pub from_stdin: bool,
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
    },
    /// A line is improperly formatted.
    BadLine {
        /// Its number, from 1.
        number: u64,
        /// The algorithm it should be of, if that is known.
        algorithm: Option<Algorithm>,
    },
    /// Nothing else is at hand for the moment: a good time to show what has been written.
    Idle,
}

/// How many there were of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Properly formatted lines.
    pub lines: u64,
    /// Improperly formatted lines.
    pub bad_lines: u64,
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
    Bad { number: u64 },
    File { name: OsString, algorithm: Algorithm, digest: Digest, verdict: Option<Verdict> },
}

/// Verifies the files of one list, many at once, and hands every verdict to `sink` in the order of the list. A file that is
/// listed under several algorithms is read once for all of them where the lines are near each other.
///
/// Paths are used as they are: relative ones start from the current directory. Digests are compared in whole and in constant
/// time. Where `sink` breaks, the rest is left.
///
/// Returns the counts, and an error if the list could not be read to its end, or if a thread has panicked; what came before has been
/// verified then.
pub fn check(
    list: impl BufRead,
    list_name: &Path,
    options: &CheckOptions,
    progress: &Progress,
    mut sink: impl FnMut(CheckEvent<'_>) -> ControlFlow<()>,
) -> (Summary, io::Result<()>) {
    let mut parser = Parser::new(options.algorithm, list_name);
    let mut lines = LineReader::new(list);
    let mut summary = Summary::default();
    let mut number = 0;
    loop {
        let mut batch = Vec::new();
        let mut bytes = 0;
        let mut end = None;
        while end.is_none() && batch.len() < BATCH_LINES && bytes < BATCH_BYTES {
            let parsed = match lines.next_line() {
                Ok(Some(Some(line))) => parser.line(line),
                Ok(Some(None)) => Line::Bad,
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
            match parsed {
                Line::Nothing => {}
                Line::Entry(e) if !(options.from_stdin && e.name == "-") => {
                    bytes += e.name.len();
                    summary.lines += 1;
                    batch.push(Waiting::File { name: e.name, algorithm: e.algorithm, digest: e.digest, verdict: None });
                }
                Line::Entry(_) | Line::Bad => {
                    summary.bad_lines += 1;
                    batch.push(Waiting::Bad { number });
                }
            }
        }
        let mut batch = Batch { waiting: batch, reported: 0, expected: parser.expected(), summary: &mut summary };
        match batch.verify(options, progress, &mut sink) {
            Ok(ControlFlow::Continue(())) => {}
            Ok(ControlFlow::Break(())) => return (summary, Ok(())),
            Err(e) => return (summary, Err(io::Error::other(e))),
        }
        if let Some(end) = end {
            return (summary, end);
        }
    }
}

struct Batch<'a> {
    waiting: Vec<Waiting>,
    /// How many of them have been reported.
    reported: usize,
    expected: Option<Algorithm>,
    summary: &'a mut Summary,
}

impl Batch<'_> {
    fn verify(
        &mut self,
        options: &CheckOptions,
        progress: &Progress,
        sink: &mut impl FnMut(CheckEvent<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Error> {
        // Lines by file, then files by what has to be computed of them; both in the order of the list.
        let mut files: Vec<(OsString, Vec<usize>)> = Vec::new();
        let mut by_name: HashMap<&OsStr, usize> = HashMap::new();
        for (i, w) in self.waiting.iter().enumerate() {
            if let Waiting::File { name, .. } = w {
                let f = *by_name.entry(name).or_insert_with(|| {
                    files.push((name.clone(), Vec::new()));
                    files.len() - 1
                });
                files[f].1.push(i);
            }
        }
        let mut sets: Vec<(Vec<Algorithm>, Vec<usize>)> = Vec::new();
        let mut by_set: HashMap<Vec<Algorithm>, usize> = HashMap::new();
        for (f, (_, lines)) in files.iter().enumerate() {
            let mut set = Vec::new();
            for a in lines.iter().filter_map(|&i| self.waiting[i].algorithm()) {
                if !set.contains(&a) {
                    set.push(a);
                }
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
            let run = Options { algorithms, threads: options.threads };
            let inputs = members.iter().map(|&f| Ok(Input::from_argument(&files[f].0)));
            let mut next = members.iter();
            let mut flow = ControlFlow::Continue(());
            sum::sum(&run, inputs, progress, |event| {
                match event {
                    Event::Idle => flow = sink(CheckEvent::Idle),
                    Event::Outcome(Outcome { result, .. }) => {
                        if let Some(&f) = next.next() {
                            self.judge(&files[f].1, &run.algorithms, result, options.ignore_missing);
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
            let Waiting::File { algorithm, digest, verdict, .. } = &mut self.waiting[i] else { continue };
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
                Waiting::Bad { number } => {
                    sink(CheckEvent::BadLine { number: *number, algorithm: self.expected })?;
                }
                Waiting::File { name, verdict, .. } => {
                    let Some(verdict) = verdict.take() else { break };
                    match verdict {
                        Verdict::Ok => self.summary.matched += 1,
                        Verdict::Mismatch => self.summary.mismatched += 1,
                        Verdict::Unreadable(_) => self.summary.unreadable += 1,
                        Verdict::Ignored => {}
                    }
                    sink(CheckEvent::File { name, verdict })?;
                }
            }
            self.reported += 1;
        }
        ControlFlow::Continue(())
    }
}

impl Waiting {
    fn algorithm(&self) -> Option<Algorithm> {
        match self {
            Waiting::File { algorithm, .. } => Some(*algorithm),
            Waiting::Bad { .. } => None,
        }
    }
}
