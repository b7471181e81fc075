//! Verification for programs that read and report lists in their own words.

use crate::terminal::output::Lines;
use hashmill_files::{CheckEvent, CheckOptions, Progress, check_lines};
use hashmill_lists::{Item, Line, LineReader};
use std::io::{self, BufRead};
use std::ops::ControlFlow;
use std::path::Path;

/// Why a list was not processed to its end.
pub(super) enum ListError {
    /// Reading the list failed.
    Read(io::Error),
    /// Hashing the files could not go on.
    Work(io::Error),
    /// The output cannot be written, or nobody reads it any more.
    Output,
}

/// Returns options that take names as they are, with the one that means standard input.
pub(super) fn literally(stdin: &'static str) -> CheckOptions {
    CheckOptions { as_is: Some(stdin), allow_outside: true, allow_special: true, ..CheckOptions::default() }
}

/// Reads a list, understands its lines with `parse`, hashes the files, and calls `each` for everything that comes of
/// it, in the order of the list. `parse` gets a line without its line feed, or `None` if it is too long, and says
/// whether to read on.
pub(super) fn verify(
    reader: &mut dyn BufRead,
    options: &CheckOptions,
    out: &mut Lines<'_>,
    mut parse: impl FnMut(Option<&[u8]>) -> (Item, ControlFlow<()>),
    mut each: impl FnMut(CheckEvent<'_>, &mut Lines<'_>),
) -> Result<(), ListError> {
    let mut failed = None;
    let read = |to: &mut dyn FnMut(Line) -> ControlFlow<()>| {
        let mut lines = LineReader::new(reader);
        let mut number = 0;
        loop {
            number += 1;
            let (item, flow) = match lines.next_line() {
                Ok(None) => return Ok(()),
                Ok(Some(line)) => parse(line),
                Err(e) => {
                    // What was read before is verified all the same.
                    failed = Some(e);
                    return Ok(());
                }
            };
            if to(Line { number, item }).is_break() || flow.is_break() {
                return Ok(());
            }
        }
    };
    let (_, end) = check_lines(read, Path::new("-"), None, options, &Progress::default(), |event| {
        if matches!(event, CheckEvent::Idle) {
            out.flush();
        } else {
            each(event, out);
        }
        out.flow()
    });
    if out.flow().is_break() {
        return Err(ListError::Output);
    }
    end.map_err(ListError::Work)?;
    failed.map_or(Ok(()), |e| Err(ListError::Read(e)))
}
