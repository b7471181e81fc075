//! Lists of files to verify. Their lines are worked on in batches, so that many files are hashed side by side and
//! memory does not grow with the list.

use crate::terminal::output::Lines;
use hashmill::{Algorithm, Digest};
use hashmill_files::{Error, Event, Input, Options, Progress, sum};
use std::collections::VecDeque;
use std::io::{self, BufRead, Read};
use std::num::NonZeroUsize;

/// A longer line is none of a list: a name has 4096 bytes at most on the systems that this runs on.
pub(super) const MAX_LINE: usize = 1 << 20;

/// Lines that are worked on at once, and bytes of them.
const BATCH_LINES: usize = 8192;
const BATCH_BYTES: usize = 4 << 20;

/// What a line of a list came to, in the program's own terms, and the file that it names, if it does.
pub(super) struct Listed<T> {
    pub(super) file: Option<(Input, Algorithm)>,
    pub(super) about: T,
}

/// What to do about a line.
pub(super) enum Step<T> {
    /// Nothing: it is a comment, or blank.
    Skip,
    Take(Listed<T>),
    /// Take it, and read no further.
    Last(Listed<T>),
}

/// Why a list was not worked on to its end.
pub(super) enum Failure {
    /// Reading the list failed.
    Read(io::Error),
    /// What hashes files could not go on.
    Work(Error),
    /// Nobody reads the output any more, or it cannot be written.
    Output,
}

/// Reads a list, whose lines `parse` understands (it is given their numbers, and them without their ends; those longer
/// than [`MAX_LINE`] are cut off a little behind it), and tells `each` of all that it took, in their order, with the
/// digests of the files.
pub(super) fn verify<T>(
    reader: &mut dyn BufRead,
    threads: Option<NonZeroUsize>,
    out: &mut Lines<'_>,
    mut parse: impl FnMut(u64, &[u8]) -> Step<T>,
    mut each: impl FnMut(T, Option<Result<Digest, Error>>, &mut Lines<'_>),
) -> Result<(), Failure> {
    let mut number = 0;
    let mut buffer = Vec::new();
    loop {
        let mut batch = VecDeque::new();
        let (mut bytes, mut end) = (0, None);
        while end.is_none() && batch.len() < BATCH_LINES && bytes < BATCH_BYTES {
            match next_line(reader, &mut buffer) {
                Ok(false) => end = Some(Ok(())),
                Err(e) => end = Some(Err(e)),
                Ok(true) => {
                    number += 1;
                    bytes += buffer.len();
                    match parse(number, buffer.strip_suffix(b"\n").unwrap_or(&buffer)) {
                        Step::Skip => {}
                        Step::Take(listed) => batch.push_back(listed),
                        Step::Last(listed) => {
                            batch.push_back(listed);
                            end = Some(Ok(()));
                        }
                    }
                }
            }
        }
        hash(batch, threads, out, &mut each)?;
        match end {
            None => {}
            Some(end) => return end.map_err(Failure::Read),
        }
    }
}

/// Reads a line with its end, of which no more than a little over [`MAX_LINE`] bytes are kept. False at the end.
fn next_line(reader: &mut dyn BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    Read::take(&mut *reader, MAX_LINE as u64 + 1).read_until(b'\n', line)?;
    if line.len() > MAX_LINE && line.last() != Some(&b'\n') {
        loop {
            let some = reader.fill_buf()?;
            let end = some.iter().position(|&b| b == b'\n');
            let n = end.map_or(some.len(), |at| at + 1);
            let over = end.is_some() || n == 0;
            reader.consume(n);
            if over {
                break;
            }
        }
    }
    Ok(!line.is_empty())
}

/// Hashes the files of some lines and tells of all of them.
fn hash<T>(
    mut batch: VecDeque<Listed<T>>,
    threads: Option<NonZeroUsize>,
    out: &mut Lines<'_>,
    each: &mut impl FnMut(T, Option<Result<Digest, Error>>, &mut Lines<'_>),
) -> Result<(), Failure> {
    while let Some(first) = batch.pop_front() {
        let Some((input, algorithm)) = first.file else {
            each(first.about, None, out);
            continue;
        };
        // Lines of one algorithm at a time, and what lies between them.
        let mut inputs = vec![Ok(input)];
        let mut run = VecDeque::from([(true, first.about)]);
        while batch.front().is_some_and(|l| l.file.as_ref().is_none_or(|(_, a)| *a == algorithm)) {
            let Some(line) = batch.pop_front() else { break };
            run.push_back((line.file.is_some(), line.about));
            inputs.extend(line.file.map(|(input, _)| Ok(input)));
        }
        let options = Options { threads, ..Options::new(vec![algorithm]) };
        let end = sum(&options, inputs, &Progress::default(), |event| {
            let Event::Outcome(outcome) = event else {
                out.flush();
                return out.flow();
            };
            let mut result = Some(outcome.result.map(|mut digests| digests.swap_remove(0)));
            while let Some((is_file, about)) = run.pop_front() {
                each(about, if is_file { result.take() } else { None }, out);
                if is_file {
                    break;
                }
            }
            out.flow()
        });
        if out.flow().is_break() {
            return Err(Failure::Output);
        }
        end.map_err(Failure::Work)?;
        run.into_iter().for_each(|(_, about)| each(about, None, out));
    }
    Ok(())
}
