//! Lists of files to verify. Lines are processed in batches, so that many files are hashed side by side but memory does
//! not grow with the list.

use crate::terminal::output::Lines;
use hashmill::{Algorithm, Digest};
use hashmill_files::{Error, Event, Input, Options, Progress, sum};
use std::collections::VecDeque;
use std::io::{self, BufRead, Read};
use std::num::NonZeroUsize;

/// Maximum length of a valid line in bytes. Names have at most 4096 bytes on the supported systems.
pub(super) const MAX_LINE: usize = 1 << 20;

/// Number of lines in a batch, and bytes in these lines, after which the batch is full.
const BATCH_LINES: usize = 8192;
const BATCH_BYTES: usize = 4 << 20;

/// A parsed line: the file to hash, if it names one, and the program's own data about the line.
pub(super) struct Listed<T> {
    pub(super) file: Option<(Input, Algorithm)>,
    pub(super) about: T,
}

/// What to do with a line.
pub(super) enum Step<T> {
    /// Skip it: it is a comment or blank.
    Skip,
    Take(Listed<T>),
    /// Take it, and stop reading the list.
    Last(Listed<T>),
}

/// Why a list was not processed to its end.
pub(super) enum ListError {
    /// Reading the list failed.
    Read(io::Error),
    /// Hashing the files could not go on.
    Work(Error),
    /// The output cannot be written, or nobody reads it any more.
    Output,
}

/// Reads a list, parses its lines with `parse`, hashes the files, and calls `each` for every line taken, in order, with
/// the digest if the line names a file. `parse` gets the number of a line and the line without its line feed; a line
/// longer than [`MAX_LINE`] is truncated to one byte more than that.
pub(super) fn verify<T>(
    reader: &mut dyn BufRead,
    threads: Option<NonZeroUsize>,
    out: &mut Lines<'_>,
    mut parse: impl FnMut(u64, &[u8]) -> Step<T>,
    mut each: impl FnMut(T, Option<Result<Digest, Error>>, &mut Lines<'_>),
) -> Result<(), ListError> {
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
            Some(end) => return end.map_err(ListError::Read),
        }
    }
}

/// Reads a line with its line feed, keeping at most `MAX_LINE + 1` bytes. Returns false at the end of the list.
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

/// Hashes the files of a batch and calls `each` for all its lines.
fn hash<T>(
    mut batch: VecDeque<Listed<T>>,
    threads: Option<NonZeroUsize>,
    out: &mut Lines<'_>,
    each: &mut impl FnMut(T, Option<Result<Digest, Error>>, &mut Lines<'_>),
) -> Result<(), ListError> {
    while let Some(first) = batch.pop_front() {
        let Some((input, algorithm)) = first.file else {
            each(first.about, None, out);
            continue;
        };
        // Takes as many lines as possible that have the same algorithm or no file.
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
            return Err(ListError::Output);
        }
        end.map_err(ListError::Work)?;
        run.into_iter().for_each(|(_, about)| each(about, None, out));
    }
    Ok(())
}
