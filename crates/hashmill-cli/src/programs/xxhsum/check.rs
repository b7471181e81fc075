//! Verifies lists, parsing their lines as xxhsum does.

use super::{Variant, is_escaped, put_name};
use crate::programs::verify::{ListError, Listed, Step, verify};
use crate::programs::{reason, say};
use crate::terminal::input::Stdin;
use crate::terminal::output::Lines;
use hashmill::{Algorithm, Digest};
use hashmill_files::{Input, manifest, words};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

/// Maximum length of a line in bytes; xxhsum does not read longer ones.
const MAX_LINE: usize = (32 << 10) - 2;

pub(super) struct Check {
    /// Whether digests on untagged lines have their last byte first.
    pub(super) little_endian: bool,
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

/// The meaning of a line. The first field is its number.
enum About {
    File(u64, OsString, Digest),
    Bad(u64),
    TooLong(u64),
}

/// Opens a list and returns it with its name for messages. If it cannot be opened, reports why and returns `None`.
pub(super) fn open<'a>(list: &'a OsStr, out: &mut Lines<'_>) -> Option<(Box<dyn BufRead>, &'a [u8])> {
    if list == "-" {
        return Some((Box::new(Stdin::lock()), b"stdin"));
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
    let parse = |number, line: &[u8]| {
        if line.len() > MAX_LINE {
            return Step::Last(Listed { file: None, about: About::TooLong(number) });
        }
        Step::Take(match understood(line, check.little_endian) {
            Some((name, a, digest)) => {
                let input = if name == "stdin" { Input::Stdin } else { Input::Path((&name).into()) };
                Listed { file: Some((input, a)), about: About::File(number, name, digest) }
            }
            None => Listed { file: None, about: About::Bad(number) },
        })
    };
    let end = verify(&mut *reader, None, out, parse, |about, result, out| {
        let (number, name, expected, result) = match (about, result) {
            (About::File(number, name, digest), Some(result)) => (number, name, digest, result),
            (About::File(..), None) => return,
            (About::Bad(number), _) => {
                counts.misformatted += 1;
                if check.warn {
                    out.flush();
                    say([shown, format!(":{number}: Error: Improperly formatted checksum line.").as_bytes()].concat());
                }
                return;
            }
            (About::TooLong(number), _) => {
                counts.cut = true;
                out.flush();
                say([shown, format!(":{number}: Error: Line too long.").as_bytes()].concat());
                return;
            }
        };
        counts.proper += 1;
        let is_well = match result {
            Err(e) if check.ignore_missing && e.is_missing() => return,
            Err(e) => {
                counts.unreadable += 1;
                if !check.status {
                    out.add(|line| {
                        line.extend_from_slice(shown);
                        line.extend_from_slice(format!(":{number}: Could not open or read '").as_bytes());
                        put_name(line, &name);
                        line.extend_from_slice(format!("': {}.\n", reason(&e)).as_bytes());
                    });
                }
                return;
            }
            Ok(digest) => digest == expected,
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
        return false;
    }
    let mut count = |n: u64, one: &str, many: &str| {
        if n > 0 && !check.status {
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
    !nothing && !c.cut && c.mismatched == 0 && c.unreadable == 0 && !(check.strict && c.misformatted > 0)
}

/// Parses a line into the file's name, the algorithm and the checksum. Returns `None` if it is improperly formatted.
fn understood(line: &[u8], little_endian: bool) -> Option<(OsString, Algorithm, Digest)> {
    // A name cannot contain NUL, and the part before it would name a different file.
    if line.contains(&0) {
        return None;
    }
    let found = parts(line, little_endian)?;
    // Lists with CRLF line ends are accepted, too.
    match line.strip_suffix(b"\r") {
        Some(line)
            if found.0.as_encoded_bytes().ends_with(b"\r") && Path::new(&found.0).symlink_metadata().is_err() =>
        {
            parts(line, little_endian)
        }
        _ => Some(found),
    }
}

fn parts(line: &[u8], little_endian: bool) -> Option<(OsString, Algorithm, Digest)> {
    let (escaped, line) = line.strip_prefix(b"\\").map_or((false, line), |rest| (true, rest));
    let blank = line.iter().position(|&b| b == b' ')?;
    let (first, rest) = (&line[..blank], &line[blank + 1..]);
    let (variant, hex, name, reversed) = if let Some(rest) = rest.strip_prefix(b"(") {
        let end = rest.iter().rposition(|&b| b == b' ')?;
        let name = rest[..end].strip_suffix(b") =")?;
        let variant = Variant::ALL.into_iter().find(|v| first.starts_with(v.tag().as_bytes()));
        let reversed = first.windows(3).any(|w| w == b"_LE");
        (variant.unwrap_or(Variant::Xxh64), &rest[end + 1..], name, reversed)
    } else {
        // The second character is a space or a mode mark; it is not checked.
        let (_, name) = rest.split_first()?;
        let (variant, hex) = match (first.strip_prefix(b"XXH3_"), first.len()) {
            (Some(hex), _) => (Variant::Xxh3, hex),
            (None, 8) => (Variant::Xxh32, first),
            (None, 16) => (Variant::Xxh64, first),
            (None, _) => (Variant::Xxh128, first),
        };
        (variant, hex, name, little_endian)
    };
    let a = variant.algorithm();
    let digest = Digest::from_hex(hex).filter(|d| d.as_bytes().len() == a.digest_len())?;
    let digest = if reversed {
        let mut bytes = digest.as_bytes().to_vec();
        bytes.reverse();
        Digest::from_bytes(&bytes)
    } else {
        digest
    };
    let name = if escaped { manifest::unescape(name)? } else { name.to_vec() };
    Some((manifest::os_string(name)?, a, digest))
}
