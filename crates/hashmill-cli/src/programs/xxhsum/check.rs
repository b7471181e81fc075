//! Verifies lists, parsing their lines as xxhsum does.

use super::{is_escaped, put_in_message, put_name};
use crate::programs::verify::{ListError, literally, verify};
use crate::programs::{named, reason, say};
use crate::terminal::input::Stdin;
use crate::terminal::output::Lines;
use hashmill_files::{CheckEvent, CheckOptions, Verdict, words};
use hashmill_lists::dialects::xxhsum::Reading;
use hashmill_lists::{Fault, Item};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::ops::ControlFlow;
use std::path::Path;

pub(super) struct Check {
    pub(super) reading: Reading<'static>,
    pub(super) quiet: bool,
    pub(super) status: bool,
    pub(super) strict: bool,
    pub(super) warn: bool,
    pub(super) ignore_missing: bool,
}

#[derive(Default)]
struct Counts {
    proper: u64,
    misformatted: u64,
    unreadable: u64,
    mismatched: u64,
    matched: u64,
    /// Whether a line was too long, so that the rest of the list was not read.
    cut: bool,
}

/// Opens a list and returns it with its name for messages. If it cannot be opened, reports why and returns `None`.
pub(super) fn open<'a>(list: &'a OsStr, out: &mut Lines<'_>) -> Option<(Box<dyn BufRead>, &'a [u8])> {
    if list == "-" {
        return Some((Box::new(Stdin::new()), b"stdin"));
    }
    match File::open(list) {
        Ok(file) => Some((Box::new(BufReader::with_capacity(64 << 10, file)), list.as_encoded_bytes())),
        Err(e) => {
            out.flush();
            say([b"Error: Could not open '", list.as_encoded_bytes(), b"': ", words(&e).as_bytes()].concat());
            None
        }
    }
}

/// Verifies the files in one list and returns whether all are intact.
pub(super) fn list(list: &OsStr, check: &Check, out: &mut Lines<'_>) -> bool {
    let Some((mut reader, shown)) = open(list, out) else { return false };
    let mut counts = Counts::default();
    let exists = |name: &[u8]| Path::new(&named(name)).symlink_metadata().is_ok();
    let parse = |line: Option<&[u8]>| {
        let item = line.map_or(Item::Bad(Fault::TooLong), |line| check.reading.line(line, exists));
        let stops = item == Item::Bad(Fault::TooLong);
        (item, if stops { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    };
    let options = CheckOptions { ignore_missing: check.ignore_missing, ..literally("stdin") };
    let end = verify(&mut *reader, &options, out, parse, |event, out| {
        let (number, name, verdict) = match event {
            CheckEvent::File { entry, number, verdict, .. } => (number, named(&entry.name), verdict),
            CheckEvent::BadLine { number, fault: Fault::TooLong, .. } => {
                counts.cut = true;
                out.flush();
                say([shown, format!(":{number}: Error: Line too long.").as_bytes()].concat());
                return;
            }
            CheckEvent::BadLine { number, .. } => {
                counts.misformatted += 1;
                if check.warn {
                    out.flush();
                    say([shown, format!(":{number}: Error: Improperly formatted checksum line.").as_bytes()].concat());
                }
                return;
            }
            _ => return,
        };
        counts.proper += 1;
        let is_well = match verdict {
            Verdict::Ignored => return,
            Verdict::Unreadable(e) => {
                counts.unreadable += 1;
                if !check.status {
                    out.add(|line| {
                        line.extend_from_slice(shown);
                        line.extend_from_slice(format!(":{number}: Could not open or read '").as_bytes());
                        put_in_message(line, &name);
                        line.extend_from_slice(format!("': {}.\n", reason(&e)).as_bytes());
                    });
                }
                return;
            }
            verdict => matches!(verdict, Verdict::Ok),
        };
        *if is_well { &mut counts.matched } else { &mut counts.mismatched } += 1;
        let silent = check.status || is_well && check.quiet;
        if !silent {
            out.add(|line| {
                if is_escaped(&name) {
                    line.push(b'\\');
                }
                put_name(line, &name);
                line.extend_from_slice(if is_well { b": OK\n" } else { b": FAILED\n" });
            });
        }
    });
    let went = match end {
        Ok(()) => true,
        Err(ListError::Output) => return false,
        // A directory counts as an empty list.
        Err(ListError::Read(e)) if e.kind() == io::ErrorKind::IsADirectory => true,
        Err(ListError::Read(e)) => {
            out.flush();
            say([b"Error: Could not read '", shown, b"': ", words(&e).as_bytes()].concat());
            false
        }
        Err(ListError::Work(e)) => {
            out.flush();
            say(format!("Error: {e}").into_bytes());
            false
        }
    };
    went && summarize(&counts, check, shown, out)
}

/// Writes the summary of a list, most of it to standard output like the verdicts. Returns whether the list passes.
fn summarize(c: &Counts, check: &Check, list: &[u8], out: &mut Lines<'_>) -> bool {
    if c.proper == 0 {
        out.flush();
        say([list, b": no properly formatted xxHash checksum lines found"].concat());
    }
    let mut count = |n: u64, one: &str, many: &str| {
        if n > 0 && c.proper > 0 && !check.status {
            out.add(|line| line.extend_from_slice(format!("{n} {}\n", if n == 1 { one } else { many }).as_bytes()));
        }
    };
    count(c.misformatted, "line is improperly formatted", "lines are improperly formatted");
    count(c.unreadable, "listed file could not be read", "listed files could not be read");
    count(c.mismatched, "computed checksum did NOT match", "computed checksums did NOT match");
    let nothing = check.ignore_missing && c.matched == 0;
    if nothing {
        out.add(|line| {
            line.extend_from_slice(list);
            line.extend_from_slice(b": no file was verified\n");
        });
    }
    c.proper > 0
        && !nothing
        && !c.cut
        && c.mismatched == 0
        && c.unreadable == 0
        && !(check.strict && c.misformatted > 0)
}
