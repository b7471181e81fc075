//! Verifies lists, parsing their lines as coreutils does.

use super::options::{Check, Tag};
use super::print::tag_text;
use super::{is_escaped, put_name, quote};
use crate::programs::verify::{ListError, Listed, MAX_LINE, Step, verify};
use crate::programs::{Voice, reason};
use crate::terminal::input::Stdin;
use crate::terminal::output::Lines;
use hashmill::{Algorithm, Digest};
use hashmill_files::{Error, Input, manifest, words};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{BufRead, BufReader};

#[derive(Default)]
struct Counts {
    proper: u64,
    misformatted: u64,
    unreadable: u64,
    mismatched: u64,
    matched: u64,
}

/// The meaning of a line.
enum About {
    File(OsString, Digest),
    /// An improperly formatted line: its number, and the kind of line that was expected.
    Bad(u64, String),
}

/// Verifies the files in one list and returns whether all are intact.
pub(super) fn list(list: &OsStr, check: &Check, voice: &Voice, out: &mut Lines<'_>) -> bool {
    let from_stdin = list == "-";
    let name = if from_stdin { OsStr::new("standard input") } else { list };
    let mut reader: Box<dyn BufRead> = if from_stdin {
        Box::new(Stdin::lock())
    } else {
        match File::open(list) {
            Ok(file) => Box::new(BufReader::with_capacity(64 << 10, file)),
            Err(e) => {
                out.flush();
                voice.of_file(list, &words(&e));
                return false;
            }
        }
    };
    let mut parser = Parser { expected: check.sort, given: check.sort.is_some(), cksum: check.cksum, reversed: None };
    let mut counts = Counts::default();
    let parse = |number, line: &[u8]| {
        let text = line.strip_suffix(b"\r").unwrap_or(line);
        if line.first() == Some(&b'#') || text.is_empty() {
            return Step::Skip;
        }
        let parsed = if line.len() > MAX_LINE { None } else { parser.line(text) };
        Step::Take(match parsed.filter(|(name, ..)| !(from_stdin && name == "-")) {
            Some((name, algorithm, digest)) => {
                Listed { file: Some((Input::from_argument(&name), algorithm)), about: About::File(name, digest) }
            }
            None => Listed { file: None, about: About::Bad(number, parser.kind()) },
        })
    };
    let end = verify(&mut *reader, None, out, parse, |about, result, out| match (about, result) {
        (About::File(file, digest), Some(result)) => verdict(&file, &digest, result, check, &mut counts, voice, out),
        (About::File(..), None) => {}
        (About::Bad(number, kind), _) => bad(number, &kind, name, check, &mut counts, voice, out),
    });
    out.flush();
    match end {
        Ok(()) => summarize(&counts, check, name, voice),
        Err(ListError::Output) => false,
        Err(ListError::Read(_)) => {
            voice.of_file(name, "read error");
            false
        }
        Err(ListError::Work(e)) => {
            voice.say_text(&e.to_string());
            false
        }
    }
}

fn bad(number: u64, kind: &str, list: &OsStr, check: &Check, counts: &mut Counts, voice: &Voice, out: &mut Lines<'_>) {
    counts.misformatted += 1;
    if check.warn {
        out.flush();
        let text = format!(": {number}: improperly formatted {kind} checksum line");
        voice.say(&[&quote::name(list), text.as_bytes()]);
    }
}

fn verdict(
    name: &OsStr,
    expected: &Digest,
    result: Result<Digest, Error>,
    check: &Check,
    counts: &mut Counts,
    voice: &Voice,
    out: &mut Lines<'_>,
) {
    counts.proper += 1;
    let verdict = match result {
        Err(e) if e.is_missing() && check.ignore_missing => return,
        Err(e) => {
            counts.unreadable += 1;
            out.flush();
            voice.of_file(name, &reason(&e));
            "FAILED open or read"
        }
        Ok(digest) if digest == *expected => {
            counts.matched += 1;
            if check.quiet {
                return;
            }
            "OK"
        }
        Ok(_) => {
            counts.mismatched += 1;
            "FAILED"
        }
    };
    if !check.status {
        out.add(|line| {
            let escaped = name.as_encoded_bytes().contains(&b'\n');
            if escaped {
                line.push(b'\\');
            }
            put_name(line, name, escaped && is_escaped(name));
            line.extend_from_slice(format!(": {verdict}\n").as_bytes());
        });
    }
}

/// Reports the summary of a list and returns whether it passes.
fn summarize(c: &Counts, check: &Check, list: &OsStr, voice: &Voice) -> bool {
    if c.proper == 0 {
        voice.of_file(list, "no properly formatted checksum lines found");
        return false;
    }
    if !check.status {
        let count = |n: u64, one: &str, many: &str| {
            if n > 0 {
                voice.say_text(&format!("WARNING: {n} {}", if n == 1 { one } else { many }));
            }
        };
        count(c.misformatted, "line is improperly formatted", "lines are improperly formatted");
        count(c.unreadable, "listed file could not be read", "listed files could not be read");
        count(c.mismatched, "computed checksum did NOT match", "computed checksums did NOT match");
        if check.ignore_missing && c.matched == 0 {
            voice.of_file(list, "no file was verified");
        }
    }
    c.matched > 0 && c.mismatched == 0 && c.unreadable == 0 && !(check.strict && c.misformatted > 0)
}

/// A parser for the lines of one list.
struct Parser {
    /// The algorithm of the lines or, if the tags tell it, that of the last tagged line.
    expected: Option<(Algorithm, Tag)>,
    /// Whether the program or an option determines the algorithm.
    given: bool,
    /// Whether the program is cksum.
    cksum: bool,
    /// Whether a single blank separates digest and name, as in BSD's format. The first line decides for the list: if
    /// both formats could be mixed, a name that begins with a blank could be taken for another.
    reversed: Option<bool>,
}

/// Tags and names of the algorithms whose digest length follows from the name.
const TAGS: [(&str, &str); 7] = [
    ("MD5", "md5"),
    ("SHA1", "sha1"),
    ("SHA224", "sha224"),
    ("SHA256", "sha256"),
    ("SHA384", "sha384"),
    ("SHA512", "sha512"),
    ("SM3", "sm3"),
];

fn is_blank(b: u8) -> bool {
    b == b' ' || b == b'\t'
}

impl Parser {
    /// Returns the expected kind of checksum, for messages.
    fn kind(&self) -> String {
        self.expected.map_or("CRC".into(), |(a, tag)| match tag {
            Tag::Length(name) => name.into(),
            Tag::Blake2b => "BLAKE2b".into(),
            Tag::Name(_) => tag_text(a, tag),
        })
    }

    fn line(&mut self, line: &[u8]) -> Option<(OsString, Algorithm, Digest)> {
        // The line ends at a NUL, like a C string.
        let line = &line[..line.iter().position(|&b| b == 0).unwrap_or(line.len())];
        let line = &line[line.iter().position(|&b| !is_blank(b)).unwrap_or(line.len())..];
        let (escaped, line) = line.strip_prefix(b"\\").map_or((false, line), |rest| (true, rest));
        if let Some((algorithm, rest)) = self.tagged(line) {
            let rest = rest.strip_prefix(b" ").unwrap_or(rest).strip_prefix(b"(")?;
            let end = rest.iter().rposition(|&b| b == b')')?;
            let skip = |text: &[u8]| text.iter().position(|&b| !is_blank(b)).unwrap_or(text.len());
            let after = &rest[end + 1..];
            let after = after[skip(after)..].strip_prefix(b"=")?;
            let digest = digest(algorithm?, &after[skip(after)..])?;
            return Some((unescaped(&rest[..end], escaped)?, algorithm?, digest));
        }
        let (algorithm, tag) = self.expected.filter(|_| self.given)?;
        let end = line.iter().position(|&b| is_blank(b))?;
        let (text, name) = (&line[..end], &line[end + 1..]);
        // If all digests have the same length, a line without a name is too short.
        if name.is_empty() && tag != Tag::Blake2b {
            return None;
        }
        let algorithm = if tag == Tag::Blake2b && text.len() % 2 == 0 {
            // The length of the digest determines the algorithm's.
            algorithm.with_digest_len(text.len() / 2).ok()?
        } else {
            algorithm
        };
        let digest = digest(algorithm, text)?;
        let marked = name.len() > 1 && matches!(name[0], b' ' | b'*');
        let name = match (marked, self.reversed) {
            (false, Some(false)) => return None,
            (false, _) => {
                self.reversed = Some(true);
                name
            }
            (true, Some(true)) => name,
            (true, _) => {
                self.reversed = Some(false);
                &name[1..]
            }
        };
        Some((unescaped(name, escaped)?, algorithm, digest))
    }

    /// Returns the algorithm of a tagged line (`None` if it cannot have the tag's length) and what follows the tag.
    fn tagged<'a>(&mut self, line: &'a [u8]) -> Option<(Option<Algorithm>, &'a [u8])> {
        let of = |name: &str| Algorithm::named(name);
        let wanted = self.expected.filter(|_| self.given);
        let ends = |rest: &[u8]| matches!(rest.first(), Some(b' ' | b'('));
        // cksum, and b2sum if the tag has no length, skip the byte after the tag; a blank may follow. If the algorithm
        // is known, that can be any byte; otherwise it must be a blank.
        let skips = self.cksum || matches!(wanted, Some((_, Tag::Blake2b)));
        let after = |rest: &'a [u8]| {
            let rest = match rest {
                [b'(' | b'-', ..] => rest,
                [end, behind @ ..] if skips && (wanted.is_some() || is_blank(*end)) => behind,
                _ => rest,
            };
            ends(rest).then_some(rest)
        };
        for (tag, name) in TAGS {
            // OpenSSL 3 writes this form, and coreutils 9.8 accepts it.
            let other = || line.strip_prefix(b"SHA2-")?.strip_prefix(tag.strip_prefix("SHA")?.as_bytes());
            let other = || other().filter(|_| tag != "SHA1");
            let Some(rest) = line.strip_prefix(tag.as_bytes()).or_else(other).and_then(after) else { continue };
            let a = of(name)?;
            return match wanted {
                Some((w, _)) if w != a => None,
                Some(_) => Some((Some(a), rest)),
                None => {
                    self.expected = Some((a, Tag::Name(tag)));
                    Some((Some(a), rest))
                }
            };
        }
        for (tag, sort) in [("BLAKE2b", Tag::Blake2b), ("SHA3", Tag::Length("SHA3"))] {
            let Some(rest) = line.strip_prefix(tag.as_bytes()) else { continue };
            if wanted.is_some_and(|(_, w)| w != sort) {
                return None;
            }
            let (bits, rest) = match rest.strip_prefix(b"-") {
                Some(number) => number_at(number),
                None if sort == Tag::Blake2b => (512, after(rest)?),
                None => return None,
            };
            if !ends(rest) {
                return None;
            }
            let a = if sort == Tag::Blake2b {
                of("blake2b-512")?.with_digest_len(bits / 8).ok().filter(|_| bits % 8 == 0)
            } else {
                of(&format!("sha3-{bits}"))
            };
            if wanted.is_none() {
                self.expected = Some((a.or(of("blake2b-512"))?, sort));
            }
            return Some((a, rest));
        }
        None
    }
}

/// Parses the number at the start of a text as C's `strtoumax` does with base 0, and returns it with the rest of the
/// text. The number is zero if there is none or if it is out of range.
fn number_at(text: &[u8]) -> (usize, &[u8]) {
    let start = text.iter().position(|b| !matches!(b, b' ' | b'\t'..=b'\r')).unwrap_or(text.len());
    let text = &text[start..];
    let text = text.strip_prefix(b"+").unwrap_or(text);
    let (base, digits) = match text {
        [b'0', b'x' | b'X', digits @ ..] if digits.first().is_some_and(u8::is_ascii_hexdigit) => (16, digits),
        [b'0', ..] => (8, text),
        _ => (10, text),
    };
    let end = digits.iter().position(|b| !char::from(*b).is_digit(base)).unwrap_or(digits.len());
    let number = std::str::from_utf8(&digits[..end]).ok().and_then(|d| usize::from_str_radix(d, base).ok());
    (number.unwrap_or(0), &digits[end..])
}

/// Parses a digest in hexadecimal or base64, which must have exactly the algorithm's length.
fn digest(a: Algorithm, text: &[u8]) -> Option<Digest> {
    let hex = Digest::from_hex(text).filter(|d| d.as_bytes().len() == a.digest_len());
    hex.or_else(|| manifest::from_base64(text, a.digest_len()))
}

/// Undoes the escapes of a name, if it is escaped. Returns `None` for escapes that are not used in lists.
fn unescaped(name: &[u8], escaped: bool) -> Option<OsString> {
    let name = if escaped { manifest::unescape(name)? } else { name.to_vec() };
    manifest::os_string(name)
}
