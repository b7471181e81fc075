//! Verification of lists, line by line as coreutils reads them.

use super::options::{Check, Tag};
use super::print::tag_text;
use super::{Voice, is_escaped, put_name, quote, reason, strerror};
use crate::output::Lines;
use hashmill::{Algorithm, Digest};
use hashmill_files::{Error, Event, Input, Options, Progress, sum};
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};

/// A longer line is none of a list: a name has 4096 bytes at most on the systems that this runs on.
const MAX_LINE: usize = 1 << 20;

/// Lines that are worked on at once, and bytes of their names.
const BATCH_LINES: usize = 8192;
const BATCH_BYTES: usize = 4 << 20;

#[derive(Default)]
struct Counts {
    proper: u64,
    misformatted: u64,
    unreadable: u64,
    mismatched: u64,
    matched: u64,
}

/// What a line came to.
enum Line {
    File {
        name: OsString,
        algorithm: Algorithm,
        digest: Digest,
    },
    /// Not a line of a list; its number, and what it should be one of.
    Bad(u64, String),
}

/// Verifies what one list names. Whether all is well.
pub(super) fn list(list: &OsStr, check: &Check, voice: &Voice, out: &mut Lines<'_>) -> bool {
    let from_stdin = list == "-";
    let name = if from_stdin { OsStr::new("standard input") } else { list };
    let mut reader: Box<dyn BufRead> = if from_stdin {
        Box::new(io::stdin().lock())
    } else {
        match File::open(list) {
            Ok(file) => Box::new(BufReader::with_capacity(64 << 10, file)),
            Err(e) => {
                out.flush();
                voice.of_file(list, &strerror(&e));
                return false;
            }
        }
    };
    let mut parser = Parser { expected: check.sort, given: check.sort.is_some(), reversed: None };
    let mut counts = Counts::default();
    let mut number = 0;
    let mut buffer = Vec::new();
    loop {
        let mut batch = VecDeque::new();
        let (mut bytes, mut end) = (0, None);
        while end.is_none() && batch.len() < BATCH_LINES && bytes < BATCH_BYTES {
            match next_line(&mut *reader, &mut buffer) {
                Ok(false) => end = Some(Ok(())),
                Err(e) => end = Some(Err(e)),
                Ok(true) => {
                    number += 1;
                    let line = trimmed(&buffer);
                    if buffer[0] == b'#' || line.is_empty() {
                        continue;
                    }
                    let parsed = if buffer.len() > MAX_LINE { None } else { parser.line(line) };
                    match parsed.filter(|(name, ..)| !(from_stdin && name == "-")) {
                        Some((name, algorithm, digest)) => {
                            bytes += 2 * name.len();
                            batch.push_back(Line::File { name, algorithm, digest });
                        }
                        None => batch.push_back(Line::Bad(number, parser.kind())),
                    }
                }
            }
        }
        if !verify(batch, name, check, &mut counts, voice, out) || out.flow().is_break() {
            return false;
        }
        match end {
            None => {}
            Some(Ok(())) => break,
            Some(Err(_)) => {
                out.flush();
                voice.of_file(name, "read error");
                return false;
            }
        }
    }
    out.flush();
    summarize(&counts, check, name, voice)
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

/// A line without its end, a carriage return before that, and what comes behind a NUL.
fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Hashes the files of some lines and prints their verdicts. False if it could not go on.
fn verify(
    mut batch: VecDeque<Line>,
    list: &OsStr,
    check: &Check,
    counts: &mut Counts,
    voice: &Voice,
    out: &mut Lines<'_>,
) -> bool {
    while let Some(first) = batch.front() {
        // Lines of one algorithm at a time, and what lies between them.
        let algorithm = match first {
            Line::File { algorithm, .. } => *algorithm,
            Line::Bad(number, kind) => {
                bad(*number, kind, list, check, counts, voice, out);
                batch.pop_front();
                continue;
            }
        };
        let mut run = Vec::new();
        while let Some(line) = batch.front() {
            if matches!(line, Line::File { algorithm: other, .. } if *other != algorithm) {
                break;
            }
            run.extend(batch.pop_front());
        }
        let inputs = run.iter().filter_map(|line| match line {
            Line::File { name, .. } => Some(Ok(Input::from_argument(name))),
            Line::Bad(..) => None,
        });
        let options = Options::new(vec![algorithm]);
        let mut lines = run.iter().peekable();
        let end = sum(&options, inputs, &Progress::default(), |event| {
            let Event::Outcome(outcome) = event else {
                out.flush();
                return out.flow();
            };
            while let Some(Line::Bad(number, kind)) = lines.next_if(|l| matches!(l, Line::Bad(..))) {
                bad(*number, kind, list, check, counts, voice, out);
            }
            if let Some(Line::File { name, digest, .. }) = lines.next() {
                file(name, digest, outcome.result, check, counts, voice, out);
            }
            out.flow()
        });
        for line in lines {
            if let Line::Bad(number, kind) = line {
                bad(*number, kind, list, check, counts, voice, out);
            }
        }
        if let Err(e) = end {
            out.flush();
            voice.say_text(&e.to_string());
            return false;
        }
        if out.flow().is_break() {
            return false;
        }
    }
    true
}

fn bad(number: u64, kind: &str, list: &OsStr, check: &Check, counts: &mut Counts, voice: &Voice, out: &mut Lines<'_>) {
    counts.misformatted += 1;
    if check.warn {
        out.flush();
        let text = format!(": {number}: improperly formatted {kind} checksum line");
        voice.say(&[&quote::name(list), text.as_bytes()]);
    }
}

fn file(
    name: &OsStr,
    expected: &Digest,
    result: Result<Vec<Digest>, Error>,
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
        Ok(digests) if digests[0] == *expected => {
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

/// The closing remarks. Whether all is well.
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

/// Understands the lines of one list.
struct Parser {
    /// The algorithm of the lines; where the tags tell it, that of the last one.
    expected: Option<(Algorithm, Tag)>,
    /// Whether the program or an option told the algorithm.
    given: bool,
    /// Whether there is one blank between digest and name, as BSD has it. The first line decides: a mixture would let names that
    /// begin with a blank change places with others.
    reversed: Option<bool>,
}

/// Tags of algorithms whose digest has the length that goes with the name.
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
    /// What lines should be of, for messages.
    fn kind(&self) -> String {
        self.expected.map_or("CRC".into(), |(a, tag)| match tag {
            Tag::Length(name) => name.into(),
            Tag::Blake2b => "BLAKE2b".into(),
            Tag::Name(_) => tag_text(a, tag),
        })
    }

    fn line(&mut self, line: &[u8]) -> Option<(OsString, Algorithm, Digest)> {
        // As a string of C's.
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
        // Where all digests have one length, such a line is too short.
        if name.is_empty() && tag != Tag::Blake2b {
            return None;
        }
        let algorithm = if tag == Tag::Blake2b && text.len() % 2 == 0 {
            // Its length is that of the digest.
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

    /// The algorithm of a line with a tag, none if it cannot be of that length, and what follows the tag.
    fn tagged<'a>(&mut self, line: &'a [u8]) -> Option<(Option<Algorithm>, &'a [u8])> {
        let ends = |rest: &[u8]| matches!(rest.first(), Some(b' ' | b'('));
        let of = |name: &str| Algorithm::named(name);
        let wanted = self.expected.filter(|_| self.given);
        for (tag, name) in TAGS {
            let Some(rest) = line.strip_prefix(tag.as_bytes()).filter(|r| ends(r)) else { continue };
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
                Some(number) => {
                    let end = number.iter().position(|b| !b.is_ascii_digit()).unwrap_or(number.len());
                    (std::str::from_utf8(&number[..end]).ok()?.parse().unwrap_or(0usize), &number[end..])
                }
                // As b2sum does, whatever stands in front of the blank.
                None if sort == Tag::Blake2b && !rest.starts_with(b"(") => (512, rest.get(1..).unwrap_or_default()),
                None if sort == Tag::Blake2b => (512, rest),
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

/// A digest in hexadecimal digits or base64, of exactly the algorithm's length.
fn digest(a: Algorithm, text: &[u8]) -> Option<Digest> {
    let hex = Digest::from_hex(text).filter(|d| d.as_bytes().len() == a.digest_len());
    hex.or_else(|| hashmill_files::manifest::from_base64(text, a.digest_len()))
}

/// A name with its escapes undone, if it has any. Other escapes than those that lists are written with are wrong.
fn unescaped(name: &[u8], escaped: bool) -> Option<OsString> {
    let name = if escaped { hashmill_files::manifest::unescape(name)? } else { name.to_vec() };
    os_string(name)
}

#[cfg(unix)]
fn os_string(name: Vec<u8>) -> Option<OsString> {
    use std::os::unix::ffi::OsStringExt;
    Some(OsString::from_vec(name))
}

#[cfg(not(unix))]
fn os_string(name: Vec<u8>) -> Option<OsString> {
    String::from_utf8(name).ok().map(OsString::from)
}
