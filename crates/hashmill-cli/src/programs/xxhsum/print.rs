//! Prints the checksums of files, line by line.

use super::check::open;
use super::{Variant, is_escaped, put_in_message, put_name, shown};
use crate::programs::{reason, say};
use crate::terminal::output::Lines;
use hashmill::Digest;
use hashmill_files::{Error, Event, Input, Options, Problem, Progress, sum, words};
use hashmill_lists::dialects::xxhsum::MAX_LINE;
use hashmill_lists::{LineReader, os_string, unescape};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::path::PathBuf;

/// The errno of an input/output error on Unix.
const EIO: i32 = 5;

pub(super) struct Print {
    pub(super) variant: Variant,
    pub(super) tagged: bool,
    pub(super) little_endian: bool,
}

/// How problems are reported when the files are named by a list.
pub(super) struct Listed {
    pub(super) status: bool,
    pub(super) warn: bool,
    pub(super) ignore_missing: bool,
}

/// Prints the checksums of files and returns whether all could be read.
pub(super) fn files(files: &[OsString], print: &Print, out: &mut Lines<'_>) -> bool {
    let mut well = true;
    let inputs = files.iter().map(|f| Ok(Input::from_argument(f)));
    let options = Options::new(vec![print.variant.algorithm()]);
    let end = sum(&options, inputs, &Progress::default(), |event| {
        match event {
            Event::Outcome(o) => {
                let name = shown(o.input.name().as_os_str());
                match o.result {
                    Ok(digests) => put(print, name, &digests[0], out),
                    Err(e) => {
                        well = false;
                        out.flush();
                        let name = name.as_encoded_bytes();
                        say(match e {
                            Error::IsDirectory => [b"xxhsum: ", name, b": Is a directory "].concat(),
                            e => {
                                // Opening a file does not fail with this error, so reading did.
                                let failed = matches!(&e, Error::Io(e) if cfg!(unix) && e.raw_os_error() == Some(EIO));
                                let what: &[u8] = if failed { b"read" } else { b"open" };
                                let why = reason(&e);
                                [b"Error: Could not ", what, b" '", name, b"': ", why.as_bytes(), b". "].concat()
                            }
                        });
                    }
                }
            }
            Event::Idle => out.flush(),
            Event::Device { .. } => {}
        }
        out.flow()
    });
    if let Err(e) = end {
        say(format!("Error: {e}").into_bytes());
        return false;
    }
    well
}

fn put(print: &Print, name: &OsStr, digest: &Digest, out: &mut Lines<'_>) {
    let mut hex = String::new();
    let mut bytes = digest.as_bytes().to_vec();
    if print.little_endian {
        bytes.reverse();
    }
    for b in bytes {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{b:02x}");
    }
    let is_xxh3 = print.variant == Variant::Xxh3;
    out.add(|line| {
        if is_escaped(name) {
            line.push(b'\\');
        }
        if print.tagged {
            line.extend_from_slice(print.variant.tag().as_bytes());
            line.extend_from_slice(if print.little_endian { b"_LE (" } else { b" (" });
            put_name(line, name);
            line.extend_from_slice(b") = ");
            line.extend_from_slice(hex.as_bytes());
        } else {
            if is_xxh3 {
                line.extend_from_slice(b"XXH3_");
            }
            line.extend_from_slice(hex.as_bytes());
            line.extend_from_slice(b"  ");
            put_name(line, name);
        }
        line.push(b'\n');
    });
}

/// Prints the checksums of the files that a list names, one per line. Returns whether there were no errors.
pub(super) fn listed(list: &OsStr, print: &Print, wanted: &Listed, out: &mut Lines<'_>) -> bool {
    let Some((mut reader, shown)) = open(list, out) else { return false };
    let (mut proper, mut misformatted, mut unreadable) = (0u64, 0u64, 0u64);
    let a = print.variant.algorithm();
    // The numbers of the lines whose files have been handed out, and what has kept the list from being read on.
    let numbers = RefCell::new(VecDeque::new());
    let failed = RefCell::new(None);
    let mut lines = LineReader::new(&mut *reader);
    let mut number = 0;
    let inputs = std::iter::from_fn(|| {
        loop {
            number += 1;
            let line = match lines.next_line() {
                Ok(line) => line?,
                Err(e) => {
                    *failed.borrow_mut() = Some(e);
                    return None;
                }
            };
            if line.is_some_and(|line| line.first() == Some(&b'#')) {
                continue;
            }
            let name = line.filter(|line| line.len() <= MAX_LINE && !line.contains(&0)).and_then(|line| {
                match line.strip_prefix(b"\\") {
                    Some(escaped) => unescape(escaped),
                    None => Some(line.to_vec()),
                }
            });
            let name = name.and_then(os_string);
            numbers.borrow_mut().push_back((number, name.is_some()));
            // What is no name has the place of a file that cannot be read.
            return Some(
                name.map(|name| Input::Path(name.into()))
                    .ok_or(Problem { path: PathBuf::new(), error: Error::BadName }),
            );
        }
    });
    let end = sum(&Options::new(vec![a]), inputs, &Progress::default(), |event| {
        let Event::Outcome(outcome) = event else {
            out.flush();
            return out.flow();
        };
        let Some((number, is_name)) = numbers.borrow_mut().pop_front() else { return out.flow() };
        if !is_name {
            misformatted += 1;
            if wanted.warn {
                out.flush();
                say([shown, format!(":{number}: Error: Improperly formatted line.").as_bytes()].concat());
            }
            return out.flow();
        }
        proper += 1;
        let name = outcome.input.name().as_os_str();
        match outcome.result {
            Ok(digests) => put(print, name, &digests[0], out),
            Err(e) if wanted.ignore_missing && e.is_missing() => {}
            Err(e) => {
                unreadable += 1;
                if !wanted.status {
                    out.add(|line| {
                        line.extend_from_slice(shown);
                        line.extend_from_slice(format!(":{number}: ").as_bytes());
                        let is_folder = matches!(e, Error::IsDirectory);
                        let what: &[u8] =
                            if is_folder { b"Target is a directory '" } else { b"Could not open or read '" };
                        line.extend_from_slice(what);
                        put_in_message(line, name);
                        let end = if is_folder { "'.\n".into() } else { format!("': {}.\n", reason(&e)) };
                        line.extend_from_slice(end.as_bytes());
                    });
                }
            }
        }
        out.flow()
    });
    out.flush();
    if out.flow().is_break() {
        return false;
    }
    let went = match (end, failed.take()) {
        (Ok(()), None) => true,
        (Err(e), _) => {
            say(format!("Error: {e}").into_bytes());
            false
        }
        (Ok(()), Some(e)) => {
            say([b"Error: Could not read '", shown, b"': ", words(&e).as_bytes()].concat());
            false
        }
    };
    if proper == 0 {
        say([shown, b": no properly formatted filename lines found"].concat());
    }
    let mut count = |n: u64, what: String| {
        if n > 0 {
            out.add(|line| line.extend_from_slice(format!("{n} {what}\n").as_bytes()));
        }
    };
    let are = if misformatted == 1 { "line is" } else { "lines are" };
    count(misformatted, format!("{are} improperly formatted"));
    let files = if unreadable == 1 { "file" } else { "files" };
    count(unreadable, format!("listed {files} could not be read"));
    went && proper > 0 && misformatted == 0 && unreadable == 0
}
