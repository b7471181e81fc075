//! Verifies lists, parsing their lines as b3sum does.

use super::reason;
use crate::programs::verify::{ListError, Listed, MAX_LINE, Step, verify};
use crate::programs::{Voice, known};
use crate::terminal::input::Stdin;
use crate::terminal::output::Lines;
use hashmill::Digest;
use hashmill_files::{Input, manifest};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::num::NonZeroUsize;
use std::path::Path;

/// Verifies the files in all lists and returns whether all are intact.
pub(super) fn lists(
    lists: &[OsString],
    quiet: bool,
    threads: Option<NonZeroUsize>,
    voice: &Voice,
    out: &mut Lines<'_>,
) -> bool {
    let mut failed = 0u64;
    let mut well = true;
    for list in lists {
        if let Err(why) = verify_list(list, quiet, threads, voice, out, &mut failed) {
            well = false;
            out.flush();
            voice.say_text(&format!("{}: {why}", list.to_string_lossy()));
        }
        if out.flow().is_break() {
            return false;
        }
    }
    out.flush();
    if failed > 0 {
        let s = if failed == 1 { "" } else { "s" };
        voice.say_text(&format!("WARNING: {failed} computed checksum{s} did NOT match"));
    }
    well && failed == 0
}

/// The meaning of a line.
enum About {
    /// The name as the line spells it, and the digest.
    File(String, Digest),
    /// What is wrong with the line.
    Bad(&'static str),
}

fn verify_list(
    list: &OsStr,
    quiet: bool,
    threads: Option<NonZeroUsize>,
    voice: &Voice,
    out: &mut Lines<'_>,
    failed: &mut u64,
) -> Result<(), String> {
    let mut reader: Box<dyn BufRead> = if list == "-" {
        Box::new(Stdin::lock())
    } else {
        Box::new(BufReader::with_capacity(64 << 10, File::open(list).map_err(|e| e.to_string())?))
    };
    let blake3 = known("blake3");
    let parse = |_, line: &[u8]| {
        Step::Take(match understood(line) {
            Ok((name, shown, digest)) => {
                Listed { file: Some((Input::from_argument(&name), blake3)), about: About::File(shown, digest) }
            }
            Err(what) => Listed { file: None, about: About::Bad(what) },
        })
    };
    let end = verify(&mut *reader, threads, out, parse, |about, result, out| {
        let (shown, expected, result) = match (about, result) {
            (About::File(shown, expected), Some(result)) => (shown, expected, result),
            (About::File(..), None) => return,
            (About::Bad(what), _) => {
                *failed += 1;
                out.flush();
                voice.say_text(what);
                return;
            }
        };
        let verdict = match result {
            Ok(digest) if digest == expected => {
                if quiet {
                    return;
                }
                "OK".to_string()
            }
            Ok(_) => "FAILED".into(),
            Err(e) => format!("FAILED ({})", reason(&e)),
        };
        *failed += u64::from(verdict != "OK");
        out.add(|line| line.extend_from_slice(format!("{shown}: {verdict}\n").as_bytes()));
    });
    match end {
        Ok(()) | Err(ListError::Output) => Ok(()),
        Err(ListError::Read(e)) => Err(e.to_string()),
        Err(ListError::Work(e)) => Err(e.to_string()),
    }
}

/// Parses a line into the file, its name as shown in messages, and the digest.
///
/// # Errors
/// Returns what is wrong with the line.
fn understood(line: &[u8]) -> Result<(OsString, String, Digest), &'static str> {
    if line.len() > MAX_LINE {
        return Err("Line too long");
    }
    let line = std::str::from_utf8(line).map_err(|_| "Invalid UTF-8")?;
    if line.is_empty() || line == "\r" {
        return Err("Empty line");
    }
    // Lists with CRLF line ends are accepted, too.
    match parts(line) {
        Ok((name, ..)) if line.ends_with('\r') && Path::new(&name).symlink_metadata().is_err() => {
            parts(line.trim_end_matches('\r'))
        }
        Err(_) if line.ends_with('\r') => parts(line.trim_end_matches('\r')),
        result => result,
    }
}

fn parts(line: &str) -> Result<(OsString, String, Digest), &'static str> {
    /// Length of a digest in hexadecimal, and with the two spaces after it.
    const HEX: usize = 64;
    const START: usize = HEX + 2;
    let (escape, line) = line.strip_prefix('\\').map_or(("", line), |rest| ("\\", rest));
    let (hex, shown) = if let Some(tagged) = line.strip_prefix("BLAKE3 (") {
        // A name may contain the same characters, so the last ones count.
        tagged.rsplit_once(") = ").map(|(name, hex)| (hex, name)).ok_or("Invalid space")?
    } else {
        if line.len() <= START {
            return Err("Short line");
        }
        let prefix = line.as_bytes()[..START].is_ascii();
        let (hex, name) = line.split_at_checked(START).filter(|_| prefix).ok_or("Non-ASCII prefix")?;
        (hex.strip_suffix("  ").ok_or("Invalid space")?, name)
    };
    let is_digit = |b: u8| matches!(b, b'0'..=b'9' | b'a'..=b'f');
    let digest = Digest::from_hex(hex.as_bytes())
        .filter(|_| hex.len() == HEX && hex.bytes().all(is_digit))
        .ok_or("Invalid hex")?;
    let name = if escape.is_empty() {
        shown.as_bytes().to_vec()
    } else {
        manifest::unescape(shown.as_bytes()).ok_or("Invalid backslash escape")?
    };
    if name.contains(&0) {
        return Err("Null character in path");
    }
    // b3sum prints this character in place of bytes that are not UTF-8, so the real name is unknown.
    if shown.contains(char::REPLACEMENT_CHARACTER) {
        return Err("Unicode replacement character in path");
    }
    if cfg!(windows) && name.contains(&b'\\') {
        return Err("Backslash in path");
    }
    if name.is_empty() {
        return Err("Short line");
    }
    let name = manifest::os_string(name).ok_or("Invalid UTF-8")?;
    Ok((name, format!("{escape}{shown}"), digest))
}
