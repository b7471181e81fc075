//! Reading lists line by line. The rules are those of coreutils' `cksum --check`, except that the algorithm is
//! determined where `cksum` would have to be told it.

use super::tag::{algorithm_of_tag, tag};
use hashmill::{Algorithm, Digest};
use std::ffi::OsString;
use std::fmt;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

/// Maximum length of a checksum line in bytes: enough for any path and any digest used in practice.
pub const MAX_LINE: usize = 68 << 10;

/// The digest of one file, as stated in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The algorithm, including the digest's length as a parameter where that can vary.
    pub algorithm: Algorithm,
    /// The digest that the file should have.
    pub digest: Digest,
    /// The file's name, byte for byte.
    pub name: OsString,
}

/// The digest of one file whose algorithm is not named anywhere. [`candidates`](super::candidates) returns the
/// algorithms that it may be of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bare {
    /// The digest that the file should have.
    pub digest: Digest,
    /// The file's name, byte for byte.
    pub name: OsString,
}

/// A digest that no file name follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lone {
    /// The algorithm, if it is given or the list's name tells it.
    pub algorithm: Option<Algorithm>,
    /// The digest.
    pub digest: Digest,
}

/// The meaning of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// The line is blank or a comment.
    Nothing,
    /// The digest of a file.
    Entry(Entry),
    /// The digest of a file, of an unknown algorithm.
    Bare(Bare),
    /// A digest without a file name. If it is all that the list has, the list's name may tell which file it is of.
    Lone(Lone),
    /// The line cannot be used.
    Bad(Fault),
}

/// Why a line cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The line is not a checksum line, but text such as that around a signature.
    Text,
    /// The line is for a different algorithm than the one requested.
    OtherAlgorithm,
    /// The line looks like a checksum line, but is damaged or in a form that cannot be checked.
    Malformed,
    /// A digest that no file name follows.
    NoName,
    /// The list's name suggests an algorithm that has no digests of this length.
    OtherLength {
        /// The algorithm.
        algorithm: Algorithm,
        /// The digest's length in bytes.
        bytes: usize,
    },
    /// The line names an algorithm that is not known here.
    NoSuchAlgorithm(String),
    /// The list is encoded in UTF-16, as some editors and shells on Windows write it.
    Utf16,
    /// Nothing tells the digest's algorithm, and there is no candidate of its length to try, or none may be tried.
    UnknownAlgorithm {
        /// The digest's length in bytes.
        bytes: usize,
    },
    /// The digest is shorter than both the algorithm's usual length and 128 bits, so a different file with the same
    /// digest can be made.
    Short(Algorithm),
    /// The algorithm's parameters make it many times slower than usual.
    Slow(Algorithm),
}

impl Fault {
    /// Returns whether a file may have gone unverified because of this line, since it looks like a checksum line but
    /// cannot be used.
    pub fn hides_a_file(&self) -> bool {
        !matches!(self, Fault::Text | Fault::OtherAlgorithm)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Text => f.write_str("no checksum line"),
            Fault::OtherAlgorithm => f.write_str("checksum line of another algorithm"),
            Fault::Malformed => f.write_str("checksum line not understood"),
            Fault::NoName => f.write_str("a digest without the name of its file"),
            Fault::OtherLength { algorithm, bytes } => {
                write!(f, "a digest of {} bits cannot be {}'s; name its algorithm with -a", 8 * bytes, tag(*algorithm))
            }
            Fault::NoSuchAlgorithm(name) => write!(f, "digest of an unknown algorithm, {name}"),
            Fault::Utf16 => f.write_str("the list is UTF-16; convert it: iconv -f UTF-16 -t UTF-8"),
            Fault::UnknownAlgorithm { bytes } => {
                write!(f, "cannot tell which algorithm this digest of {} bits is from; name it with -a", 8 * bytes)
            }
            Fault::Short(a) => {
                write!(f, "{} bits of {} prove nothing; --allow-short compares them", 8 * a.digest_len(), a.base_name())
            }
            Fault::Slow(a) => {
                write!(f, "{a} would take {:.0} times as long as usual; -a {a} allows it", a.relative_cost())
            }
        }
    }
}

/// Maximum relative cost of an algorithm that only the list asks for. Lines with a more expensive one are refused.
const MAX_COST: f64 = 64.0;

/// Minimum length of a reliable digest in bytes, unless the algorithm's usual length is shorter.
const SHORT: usize = 16;

/// A parser for the lines of one list, in order.
#[derive(Debug, Clone)]
pub struct Parser {
    given: Option<Algorithm>,
    hint: Option<Algorithm>,
    allow_short: bool,
    /// Lines end with NUL, and names are not escaped.
    zero: bool,
    /// No line has been read yet.
    fresh: bool,
    /// Whether the list has a single blank between digest and name (BSD's `md5 -r`), which the first untagged line
    /// decides. If both forms could be mixed, a name that begins with a blank could be mistaken for one that does not.
    reversed: Option<bool>,
}

impl Parser {
    /// Returns a parser for the list `name`. Untagged lines are taken to be of the algorithm `given`, and lines tagged
    /// with a different one are [`Fault::OtherAlgorithm`]. If no algorithm is given, the list's name may suggest one
    /// (`SHA256SUMS`, `x.md5`); otherwise untagged lines are [`Line::Bare`].
    pub fn new(given: Option<Algorithm>, name: &Path) -> Self {
        let hint = if given.is_some() { None } else { suggests(name) };
        Parser { given, hint, allow_short: false, zero: false, fresh: true, reversed: None }
    }

    /// Sets whether to accept digests shorter than both 128 bits and their algorithm's usual length.
    #[must_use]
    pub fn allow_short(self, allow_short: bool) -> Self {
        Parser { allow_short, ..self }
    }

    /// Sets whether the list was written with `--zero`, so that its names are not escaped.
    #[must_use]
    pub fn zero(self, zero: bool) -> Self {
        Parser { zero, ..self }
    }

    /// Returns whether lines are taken to end with NUL.
    pub(super) fn is_zero(&self) -> bool {
        self.zero
    }

    /// Returns the algorithm that untagged lines are expected to be of.
    pub fn expected(&self) -> Option<Algorithm> {
        self.given.or(self.hint)
    }

    /// Parses one line, given without its terminator. A byte order mark before the first line is ignored, and so is a
    /// CR at the end of a line unless lines end with NUL.
    pub fn line(&mut self, line: &[u8]) -> Line {
        let mut line = line;
        if std::mem::take(&mut self.fresh) {
            if line.starts_with(b"\xff\xfe") || line.starts_with(b"\xfe\xff") {
                return Line::Bad(Fault::Utf16);
            }
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        if matches!(line.first(), Some(b'#' | b';')) {
            return Line::Nothing;
        }
        if !self.zero {
            line = line.strip_suffix(b"\r").unwrap_or(line);
        }
        if line.iter().all(|&b| is_blank(b)) {
            return Line::Nothing;
        }
        match self.understood(line) {
            Ok(Line::Entry(e)) => self.acceptable(e.algorithm).map_or_else(|| Line::Entry(e), Line::Bad),
            Ok(Line::Lone(l)) => l.algorithm.and_then(|a| self.acceptable(a)).map_or_else(|| Line::Lone(l), Line::Bad),
            Ok(line) => line,
            Err(fault) => Line::Bad(fault),
        }
    }

    fn understood(&mut self, line: &[u8]) -> Result<Line, Fault> {
        let bad = || if looks_like_a_checksum(line) { Fault::Malformed } else { Fault::Text };
        if line.contains(&0) {
            return Err(bad());
        }
        let rest = skip_blanks(line);
        if rest.first() == Some(&b'{') {
            return self.object(rest);
        }
        let (escaped, rest) = match rest.strip_prefix(b"\\") {
            Some(rest) if !self.zero => (true, rest),
            _ => (false, rest),
        };
        let whole_name = |name: &[u8]| {
            let name = if escaped { unescape(name) } else { Some(name.to_vec()) };
            name.and_then(os_string).ok_or_else(bad)
        };
        if let Some((algorithm, rest)) = tagged(rest) {
            if self.given.is_some_and(|g| base(g) != base(algorithm)) {
                return Err(Fault::OtherAlgorithm);
            }
            let (name, digest) = name_and_digest(rest).ok_or_else(bad)?;
            let digest = exactly(algorithm, digest).ok_or_else(bad)?;
            return Ok(Line::Entry(Entry { algorithm, digest, name: whole_name(name)? }));
        }
        let end = rest.iter().position(|&b| is_blank(b)).unwrap_or(rest.len());
        let after = &rest[end..];
        if let Some((tag, name)) = self.mark(after) {
            return self.marked(tag, &rest[..end], whole_name(name)?).ok_or_else(bad)?;
        }
        let (algorithm, digest) = self.untagged(&rest[..end]).ok_or_else(bad)?;
        if after.iter().all(|&b| is_blank(b)) {
            // The lines of a signature are base64, and some are as long as a digest.
            let digits = rest[..end].strip_prefix(b"XXH3_").unwrap_or(&rest[..end]);
            let is_digest = !escaped && digits.iter().all(u8::is_ascii_hexdigit);
            return if is_digest { Ok(Line::Lone(Lone { algorithm, digest })) } else { Err(bad()) };
        }
        let reversed = self.reversed;
        let name = whole_name(self.untagged_name(&rest[end + 1..]).ok_or_else(bad)?)?;
        if algorithm.is_none() && !USUAL_LENGTHS.contains(&digest.as_bytes().len()) {
            // It may not be a digest at all, so it must not decide the form of the lines that are.
            self.reversed = reversed;
        }
        Ok(match algorithm {
            Some(algorithm) => Line::Entry(Entry { algorithm, digest, name }),
            None => Line::Bare(Bare { digest, name }),
        })
    }

    /// Splits what follows the digest on a line of TeraCopy's, ` ?SHA256*name`, into the algorithm and the name.
    fn mark<'l>(&self, after: &'l [u8]) -> Option<(&'l str, &'l [u8])> {
        let rest = after.strip_prefix(b" ?").filter(|_| self.reversed != Some(true))?;
        let star = rest.iter().take(MAX_MARK).position(|&b| b == b'*')?;
        let is_word =
            |word: &[u8]| !word.is_empty() && word.iter().all(|b| b.is_ascii_alphanumeric() || b"-_/".contains(b));
        let tag = std::str::from_utf8(&rest[..star]).ok().filter(|tag| is_word(tag.as_bytes()))?;
        Some((tag, &rest[star + 1..])).filter(|(_, name)| !name.is_empty())
    }

    /// Returns the meaning of a line that names its algorithm in TeraCopy's way, or `None` if the digest is not one of
    /// that algorithm.
    fn marked(&self, tag: &str, digest: &[u8], name: OsString) -> Option<Result<Line, Fault>> {
        let Some(algorithm) = algorithm_of_tag(tag) else { return Some(Err(Fault::NoSuchAlgorithm(tag.into()))) };
        if self.given.is_some_and(|g| base(g) != base(algorithm)) {
            return Some(Err(Fault::OtherAlgorithm));
        }
        Some(Ok(Line::Entry(Entry { algorithm, digest: exactly(algorithm, digest)?, name })))
    }

    /// Returns what is wrong with an algorithm: its digest is too short to prove anything or too expensive to compute.
    /// The algorithm that the user asked for by name is always accepted.
    fn acceptable(&self, a: Algorithm) -> Option<Fault> {
        if self.given == Some(a) {
            return None;
        }
        let usual = Algorithm::all().find(|u| u.base_name() == a.base_name());
        let length = a.digest_len();
        if !self.allow_short && length < SHORT && usual.is_some_and(|u| length < u.digest_len()) {
            return Some(Fault::Short(a));
        }
        (a.relative_cost() > MAX_COST).then_some(Fault::Slow(a))
    }

    /// Parses a line that is a JSON object with `path` (or `path_hex`), `algorithm` and `digest`; other keys are
    /// ignored.
    fn object(&self, line: &[u8]) -> Result<Line, Fault> {
        let parse = || -> Option<Result<Line, Fault>> {
            let object: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(line).ok()?;
            let text = |key| object.get(key).and_then(serde_json::Value::as_str);
            let algorithm = Algorithm::named(text("algorithm")?)?;
            if self.given.is_some_and(|g| base(g) != base(algorithm)) {
                return Some(Err(Fault::OtherAlgorithm));
            }
            let name = match (text("path"), text("path_hex")) {
                (Some(path), None) => path.as_bytes().to_vec(),
                (None, Some(hex)) => bytes_of_hex(hex.as_bytes())?,
                _ => return None,
            };
            if name.is_empty() || name.contains(&0) {
                return None;
            }
            let (algorithm, digest) = fitting(algorithm, text("digest")?.as_bytes())?;
            Some(Ok(Line::Entry(Entry { algorithm, digest, name: os_string(name)? })))
        };
        parse().unwrap_or(Err(Fault::Malformed))
    }

    /// Returns the algorithm and value of an untagged digest. The algorithm is `None` if nothing tells it.
    fn untagged(&self, digest: &[u8]) -> Option<(Option<Algorithm>, Digest)> {
        if let Some(digest) = digest.strip_prefix(b"XXH3_") {
            let a: Algorithm = "xxh3".parse().ok()?;
            return if self.given.is_some_and(|g| g != a) { None } else { exactly(a, digest).map(|d| (Some(a), d)) };
        }
        if let Some(a) = self.given {
            return fitting(a, digest).map(|(a, d)| (Some(a), d));
        }
        if let Some((a, d)) = self.hint.and_then(|a| fitting(a, digest)) {
            return Some((Some(a), d));
        }
        // Hex digits of one length may also be base64 of another; hex is far more common.
        if (MIN_BARE..=MAX_BARE).contains(&digest.len())
            && let Some(d) = Digest::from_hex(digest)
        {
            return Some((None, d));
        }
        USUAL_LENGTHS.iter().find_map(|&len| from_base64(digest, len)).map(|d| (None, d))
    }

    /// Returns the name, given what follows the digest and one blank.
    fn untagged_name<'l>(&mut self, rest: &'l [u8]) -> Option<&'l [u8]> {
        let (&first, more) = rest.split_first()?;
        if more.is_empty() || !matches!(first, b' ' | b'*') {
            if self.reversed == Some(false) || more.is_empty() && is_blank(first) {
                return None;
            }
            self.reversed = Some(true);
            return Some(rest);
        }
        if self.reversed == Some(true) {
            return Some(rest);
        }
        self.reversed = Some(false);
        Some(more)
    }
}

/// Minimum and maximum length of an untagged digest, in hex digits.
const MIN_BARE: usize = 8;
const MAX_BARE: usize = 256;

/// Maximum length of the algorithm's name in TeraCopy's lines.
const MAX_MARK: usize = 32;

/// Lengths in bytes of the digests that programs write in base64.
const USUAL_LENGTHS: [usize; 6] = [16, 20, 28, 32, 48, 64];

/// Returns whether a line that could not be parsed was probably meant as a checksum line in any form that tools write:
/// one of its words is a digest or nearly one, or it has the shape of a tagged line or of a line of `cksum`, SFV or
/// hashdeep.
fn looks_like_a_checksum(line: &[u8]) -> bool {
    let hex = |w: &[u8]| w.iter().all(u8::is_ascii_hexdigit);
    let decimal = |w: &[u8]| !w.is_empty() && w.iter().all(u8::is_ascii_digit);
    let line = skip_blanks(line);
    if line.first() == Some(&b'{') || line.starts_with(b"magnet:?") {
        return true;
    }
    let separator = |&b: &u8| is_blank(b) || b"\r\\,:;=<>\"'()".contains(&b) || b == 0;
    if line.split(separator).any(|w| w.len() >= 32 && hex(w)) {
        return true;
    }
    let words: Vec<&[u8]> = line.split(|&b| is_blank(b)).filter(|w| !w.is_empty()).take(4).collect();
    let Some(&first) = words.first() else { return false };
    let digest = first.strip_prefix(b"\\").unwrap_or(first);
    let digest = digest.strip_prefix(b"XXH3_").unwrap_or(digest);
    if digest.len() >= MIN_BARE && hex(digest) {
        return true;
    }
    let digits = digest.iter().filter(|b| b.is_ascii_hexdigit()).count();
    if digest.len() >= 16 && 8 * digits >= 7 * digest.len() {
        return true;
    }
    let base64 = |b: &u8| b.is_ascii_alphanumeric() || b"+/=".contains(b);
    if words.len() >= 2 && digest.len() >= 16 && digest.ends_with(b"=") && digest.iter().all(base64) {
        return true;
    }
    // `CRC bytes name`, `00123     4 name`
    if words.len() >= 3 && decimal(words[0]) && decimal(words[1]) {
        return true;
    }
    // `size,hex,…,name`
    let mut columns = line.split(|&b| b == b',');
    if columns.next().is_some_and(decimal) && columns.next().is_some_and(|c| c.len() >= MIN_BARE && hex(c)) {
        return true;
    }
    // `name CRC`
    let last = line.rsplit(|&b| is_blank(b)).next().unwrap_or_default();
    if words.len() >= 2 && last.len() == 8 && hex(last) && last.iter().any(u8::is_ascii_digit) {
        return true;
    }
    // `WORD (name) = …`
    let Some(open) = line.iter().take(64).position(|&b| b == b'(') else { return false };
    let tag = trim_end(&line[..open]);
    let word = !tag.is_empty() && !tag.iter().any(|&b| is_blank(b));
    word && name_and_digest(&line[open + 1..]).is_some_and(|(_, digest)| !digest.is_empty())
}

fn is_blank(b: u8) -> bool {
    matches!(b, b' ' | b'\t')
}

fn skip_blanks(s: &[u8]) -> &[u8] {
    &s[s.iter().position(|&b| !is_blank(b)).unwrap_or(s.len())..]
}

fn trim_end(s: &[u8]) -> &[u8] {
    &s[..s.iter().rposition(|&b| !is_blank(b)).map_or(0, |i| i + 1)]
}

/// Splits what follows the opening parenthesis of a tagged line into the name and what follows `=`.
fn name_and_digest(rest: &[u8]) -> Option<(&[u8], &[u8])> {
    let close = rest.iter().rposition(|&b| b == b')')?;
    let digest = skip_blanks(skip_blanks(&rest[close + 1..]).strip_prefix(b"=")?);
    Some((&rest[..close], digest))
}

/// Returns the algorithm's name without its parameters.
fn base(a: Algorithm) -> String {
    let name = a.name();
    name.split(':').next().unwrap_or_default().to_string()
}

/// Returns the algorithm of a tagged line and what follows the opening parenthesis.
pub(super) fn tagged(line: &[u8]) -> Option<(Algorithm, &[u8])> {
    let open = line.iter().take(64).position(|&b| b == b'(')?;
    // RHash pads tags to a fixed width.
    let tag = trim_end(&line[..open]);
    if tag.is_empty() || !tag.iter().all(|b| b.is_ascii_graphic()) {
        return None;
    }
    Some((algorithm_of_tag(std::str::from_utf8(tag).ok()?)?, &line[open + 1..]))
}

/// Parses a digest of exactly `len` bytes in hex.
fn from_hex(digest: &[u8], len: usize) -> Option<Digest> {
    if digest.len() == 2 * len { Digest::from_hex(digest) } else { None }
}

/// Decodes bytes written in hex.
fn bytes_of_hex(text: &[u8]) -> Option<Vec<u8>> {
    let digit = |c: u8| char::from(c).to_digit(16);
    let (pairs, rest) = text.as_chunks::<2>();
    let bytes = pairs.iter().map(|p| Some((digit(p[0])? << 4 | digit(p[1])?) as u8)).collect();
    if rest.is_empty() { bytes } else { None }
}

/// Parses a digest of exactly the algorithm's length, in hex or base64.
fn exactly(a: Algorithm, digest: &[u8]) -> Option<Digest> {
    from_hex(digest, a.digest_len()).or_else(|| from_base64(digest, a.digest_len()))
}

/// Parses a digest of the algorithm, adapting the algorithm's length to it if that can vary and has not been set
/// explicitly.
fn fitting(a: Algorithm, digest: &[u8]) -> Option<(Algorithm, Digest)> {
    if let Some(d) = exactly(a, digest) {
        return Some((a, d));
    }
    if a.name().contains(':') {
        return None;
    }
    let d = Digest::from_hex(digest)?;
    Some((a.with_digest_len(d.as_bytes().len()).ok()?, d))
}

/// Decodes padded base64 of exactly `len` bytes.
pub fn from_base64(text: &[u8], len: usize) -> Option<Digest> {
    if text.len() != len.div_ceil(3) * 4 {
        return None;
    }
    let padding = (3 - len % 3) % 3;
    let (symbols, end) = text.split_at(text.len() - padding);
    if end.iter().any(|&b| b != b'=') {
        return None;
    }
    let (mut bytes, mut bits, mut have) = (Vec::with_capacity(len), 0u32, 0);
    for &c in symbols {
        let value = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        have += 6;
        if have >= 8 {
            have -= 8;
            bytes.push((bits >> have) as u8);
            bits &= (1 << have) - 1;
        }
    }
    // Unused bits must be zero, so that every digest has only one spelling.
    if bits != 0 || bytes.len() != len {
        return None;
    }
    Some(Digest::from_bytes(&bytes))
}

/// Reverses [`escape`](super::escape). Returns `None` if the name has any other escape.
pub fn unescape(name: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(name.len());
    let mut bytes = name.iter();
    while let Some(&b) = bytes.next() {
        out.push(match b {
            b'\\' => match bytes.next()? {
                b'\\' => b'\\',
                b'n' => b'\n',
                b'r' => b'\r',
                _ => return None,
            },
            b => b,
        });
    }
    Some(out)
}

/// Converts bytes to a name. Returns `None` if the system's names must be text and these bytes are not.
#[cfg(unix)]
pub fn os_string(name: Vec<u8>) -> Option<OsString> {
    use std::os::unix::ffi::OsStringExt;
    Some(OsString::from_vec(name))
}

/// Converts bytes to a name. Returns `None` if the system's names must be text and these bytes are not.
#[cfg(not(unix))]
pub fn os_string(name: Vec<u8>) -> Option<OsString> {
    String::from_utf8(name).ok().map(OsString::from)
}

/// Returns the algorithm that a list's name suggests: `SHA256SUMS`, `sha512sum.txt`, `x.md5`, `b2sums`.
pub fn suggests(list: &Path) -> Option<Algorithm> {
    let mut name = list.file_name()?.to_str()?.to_ascii_lowercase();
    loop {
        let last = name.rsplit('.').next().unwrap_or_default();
        let first = name.split(['.', '_']).next().unwrap_or_default();
        if let Some(a) = named_in(last).or_else(|| named_in(first)) {
            return Some(a);
        }
        // `SHA256SUMS.txt`, `x.sha256.asc`
        name.truncate(name.rfind('.')?);
    }
}

/// Returns the algorithm that a part of a list's name names: `sha256`, `sha256sum`, `sha256sums`, `sha-256-sums`.
fn named_in(word: &str) -> Option<Algorithm> {
    let word = word.strip_suffix("sums").or_else(|| word.strip_suffix("sum")).unwrap_or(word);
    Algorithm::named(word.trim_end_matches(['-', '_']))
}

/// Returns the file that a list is about if it has nothing but a digest: its own name without the suffix that says so
/// (`x.iso` for `x.iso.sha256`, `x.iso.sha256sum`, `x.iso.sha256.txt` or `x.iso.checksum`), in the same folder.
pub(crate) fn named_by(list: &Path) -> Option<PathBuf> {
    let mut stem = list.file_name()?;
    loop {
        let path = Path::new(stem);
        let suffix = path.extension()?.to_str()?.to_ascii_lowercase();
        stem = path.file_stem()?;
        if named_in(&suffix).is_some() || matches!(&*suffix, "checksum" | "digest" | "hash" | "sum") {
            return Some(list.with_file_name(stem));
        }
        if suffix != "txt" {
            return None;
        }
    }
}

/// A reader of lines that holds no more than [`MAX_LINE`] bytes of a line in memory.
#[derive(Debug)]
pub struct LineReader<R> {
    inner: R,
    end: u8,
    line: Vec<u8>,
}

impl<R: BufRead> LineReader<R> {
    /// Returns a reader of the lines of `inner`, which end with LF.
    pub fn new(inner: R) -> Self {
        LineReader { inner, end: b'\n', line: Vec::new() }
    }

    /// Returns a reader of the lines of `inner`, which end with NUL if `zero` is set or if there is a NUL near the
    /// beginning. Only lists with such lines have one there, apart from those in UTF-16.
    ///
    /// # Errors
    /// Returns an error if reading fails.
    pub fn detect(inner: R, zero: bool) -> io::Result<Self> {
        let mut lines = LineReader::new(inner);
        let start = loop {
            match lines.inner.fill_buf() {
                Ok(start) => break start,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        };
        let utf16 = start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff");
        if zero || start.contains(&0) && !utf16 {
            lines.end = 0;
        }
        Ok(lines)
    }

    /// Returns whether lines end with NUL.
    pub fn is_zero(&self) -> bool {
        self.end == 0
    }

    /// Returns the next line without its terminator: `Some(None)` if the line is too long, and `None` at the end of the
    /// input.
    ///
    /// # Errors
    /// Returns an error if reading fails.
    pub fn next_line(&mut self) -> io::Result<Option<Option<&[u8]>>> {
        self.line.clear();
        let mut too_long = false;
        let mut any = false;
        loop {
            let chunk = match self.inner.fill_buf() {
                Ok(c) => c,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(e),
            };
            if chunk.is_empty() {
                break;
            }
            any = true;
            let end = chunk.iter().position(|&b| b == self.end);
            let part = &chunk[..end.unwrap_or(chunk.len())];
            if self.line.len() + part.len() > MAX_LINE {
                too_long = true;
            }
            if !too_long {
                self.line.extend_from_slice(part);
            }
            let used = part.len() + usize::from(end.is_some());
            self.inner.consume(used);
            if end.is_some() {
                break;
            }
        }
        Ok(any.then_some(if too_long { None } else { Some(&self.line) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every written entry can be read back, whatever its name.
    #[test]
    fn objects() {
        use super::super::{Form, Style, write_entry};
        use std::os::unix::ffi::OsStringExt;
        let a: Algorithm = "sha1".parse().unwrap();
        let digest = Digest::from_hex(SHA1.as_bytes()).unwrap();
        for name in [&b"a"[..], b" x\\\n\"", "\u{e9}".as_bytes(), b"\xff\n"] {
            let name = OsString::from_vec(name.to_vec());
            let mut line = Vec::new();
            write_entry(&mut line, Style { form: Form::Json, zero: false }, a, &name, &digest);
            let want = Line::Entry(Entry { algorithm: a, digest: digest.clone(), name });
            assert_eq!(parser("x").line(line.strip_suffix(b"\n").unwrap()), want);
        }
        let bad = |line: &str| assert_eq!(parser("x").line(line.as_bytes()), Line::Bad(Fault::Malformed), "{line}");
        bad("{");
        bad(&format!(r#"{{"path":"a","algorithm":"md5","digest":"{SHA1}"}}"#));
        bad(&format!(r#"{{"path":"a","digest":"{SHA1}"}}"#));
        bad(&format!(r#"{{"path":"","algorithm":"sha1","digest":"{SHA1}"}}"#));
        bad(&format!(r#"{{"path":"a\u0000b","algorithm":"sha1","digest":"{SHA1}"}}"#));
        bad(&format!(r#"{{"path_hex":"6","algorithm":"sha1","digest":"{SHA1}"}}"#));
        bad(&format!(r#"{{"path":"a","path_hex":"61","algorithm":"sha1","digest":"{SHA1}"}}"#));
        bad(&format!(r#"{{"path":"a","algorithm":"sha1","digest":"{SHA1}"}} x"#));
    }

    const MD5: &str = "5d41402abc4b2a76b9719d911017c592";
    const SHA1: &str = "aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d";

    fn parser(list: &str) -> Parser {
        Parser::new(None, Path::new(list))
    }

    fn show(line: Line) -> String {
        match line {
            Line::Nothing => "nothing".into(),
            Line::Bad(fault) if fault.hides_a_file() => "bad".into(),
            Line::Bad(_) => "text".into(),
            Line::Lone(_) => "lone".into(),
            Line::Bare(b) => {
                format!("{} {} {:?}", super::super::candidates(b.digest.as_bytes().len())[0], b.digest, b.name)
            }
            Line::Entry(e) => format!("{} {} {:?}", e.algorithm, e.digest, e.name),
        }
    }

    fn one(line: &str) -> String {
        show(parser("list").line(line.as_bytes()))
    }

    #[test]
    fn gnu_lines() {
        let want = format!("md5 {MD5} \"name\"");
        for line in [
            format!("{MD5}  name"),
            format!("{MD5} *name"),
            format!("{MD5}  name\r"),
            format!(" \t{MD5}  name"),
            format!("{}  name", MD5.to_uppercase()),
            format!("{MD5} name"),
            format!("{MD5}\tname"),
            "XUFAKrxLKna5cZ2REBfFkg==  name".to_string(),
        ] {
            assert_eq!(one(&line), want, "{line:?}");
        }
        assert_eq!(one(&format!("{MD5}   x y ")), format!("md5 {MD5} \" x y \""));
        assert_eq!(one(&format!("{SHA1}  -")), format!("sha1 {SHA1} \"-\""));
        assert_eq!(one(&format!("\\{MD5}  a\\n\\\\\\r")), format!("md5 {MD5} \"a\\n\\\\\\r\""));
    }

    #[test]
    fn tagged_lines() {
        let want = format!("md5 {MD5} \"name\"");
        for line in [
            format!("MD5 (name) = {MD5}"),
            format!("MD5(name)= {MD5}"),
            format!("MD5 (name)={MD5}"),
            format!("  md5 (name) =\t{MD5}"),
            "MD5 (name) = XUFAKrxLKna5cZ2REBfFkg==".to_string(),
        ] {
            assert_eq!(one(&line), want, "{line:?}");
        }
        assert_eq!(one(&format!("MD5 (a) = b) = {MD5}")), format!("md5 {MD5} \"a) = b\""));
        assert_eq!(one(&format!("\\MD5 (a\\nb) = {MD5}")), format!("md5 {MD5} \"a\\nb\""));
        assert_eq!(one(&format!("BLAKE2b-128 (a) = {MD5}")), format!("blake2b-128 {MD5} \"a\""));
        assert_eq!(one(&format!("SHA2-256(a)= {MD5}{MD5}")), format!("sha256 {MD5}{MD5} \"a\""));
        assert_eq!(one(&format!("SHA256 (a) = {MD5}")), "bad");
        assert_eq!(one(&format!("BLAKE2b (a) = {MD5}")), "bad");
        assert_eq!(one(&format!("MD5        (name) = {MD5}")), want);
        assert_eq!(one(&format!("MD5 (a) {MD5}")), "bad");
        assert_eq!(one(&format!("MD5 (a = {MD5}")), "bad");
        assert_eq!(one(&format!("MD5 (a) = {MD5} ")), "bad");
    }

    #[test]
    fn nothing_and_nonsense() {
        assert_eq!(one(""), "nothing");
        assert_eq!(one("\r"), "nothing");
        assert_eq!(one("# anything"), "nothing");
        assert_eq!(one("  \t "), "nothing");
        assert_eq!(one("; of SFV"), "nothing");
        for line in ["x", "-----BEGIN PGP SIGNED MESSAGE-----", "Hash: SHA256", "Everything (all) is fine"] {
            assert_eq!(one(line), "text", "{line:?}");
        }
        for line in [MD5, "5d41402abc4b2a76b9719d911017c592 ", "\t5D41402abc4b2a76b9719d911017c592  \r"] {
            assert_eq!(one(line), "lone", "{line:?}");
        }
        for line in [
            "5d41402abc4b2a76b9719d911017c59  odd",
            "5d41402abc4b2a76b9719d911017c59g  name",
            "\\5d41402abc4b2a76b9719d911017c592",
            "5d41402abc4b2a76b9719d911017c592  a\0b",
            "\\5d41402abc4b2a76b9719d911017c592  a\\b",
            "\\5d41402abc4b2a76b9719d911017c592  a\\",
            "XUFAKrxLKna5cZ2REBfFkg=  name",
            "XUFAKrxLKna5cZ2REBfFkh==  name",
        ] {
            assert_eq!(one(line), "bad", "{line:?}");
        }
    }

    #[test]
    fn the_first_line_fixes_the_mode() {
        let mut p = parser("list");
        assert_eq!(show(p.line(format!("{MD5} a").as_bytes())), format!("md5 {MD5} \"a\""));
        assert_eq!(show(p.line(format!("{MD5}  a").as_bytes())), format!("md5 {MD5} \" a\""));
        let mut p = parser("list");
        assert_eq!(show(p.line(format!("{MD5}  a").as_bytes())), format!("md5 {MD5} \"a\""));
        assert_eq!(show(p.line(format!("{MD5} a").as_bytes())), "bad");
    }

    #[test]
    fn the_algorithm_is_found() {
        let name = |list: &str, hex: usize| match parser(list).line(format!("{}  f", "ab".repeat(hex / 2)).as_bytes()) {
            Line::Entry(e) => e.algorithm.name().into_owned(),
            Line::Bare(b) => format!("{} bytes", b.digest.as_bytes().len()),
            other => format!("{other:?}"),
        };
        for n in [8, 16, 32, 40, 56, 64, 96, 128] {
            assert_eq!(name("list", n), format!("{} bytes", n / 2));
        }
        assert_eq!(name("b2sums", 128), "blake2b-512");
        assert_eq!(name("b2sums", 64), "blake2b-256");
        assert_eq!(name("dir/B2SUMS.txt", 128), "blake2b-512");
        assert_eq!(name("x.b3", 64), "blake3");
        assert_eq!(name("x.iso.sha3-256", 64), "sha3-256");
        assert_eq!(name("SHA3-512SUMS", 128), "sha3-512");
        assert_eq!(name("x.crc32c", 8), "crc32c");
        assert_eq!(name("x.xxh128", 32), "xxh128");
        // The algorithm suggested by the name has no digests of this length.
        assert_eq!(name("x.md5", 64), "32 bytes");
        assert_eq!(one("XXH3_ef46db3751d8e999  f"), "xxh3 ef46db3751d8e999 \"f\"");

        let mut given = Parser::new(Some("blake3".parse().unwrap()), Path::new("x.sha256"));
        assert_eq!(show(given.line(format!("{MD5}{MD5}  f").as_bytes())), format!("blake3 {MD5}{MD5} \"f\""));
        let other = given.line(format!("SHA256 (f) = {MD5}{MD5}").as_bytes());
        assert_eq!(other, Line::Bad(Fault::OtherAlgorithm));
        let mut given = Parser::new(Some("md5".parse().unwrap()), Path::new("x"));
        assert_eq!(show(given.line(format!("{SHA1}  f").as_bytes())), "bad");
        let mut given = Parser::new(Some("blake2b".parse().unwrap()), Path::new("x"));
        assert_eq!(show(given.line(format!("{SHA1}  f").as_bytes())), format!("blake2b-160 {SHA1} \"f\""));
    }

    #[test]
    fn marks_of_teracopy() {
        assert_eq!(one(&format!("{SHA1} ?SHA1*dir\\a b")), format!("sha1 {SHA1} \"dir\\\\a b\""));
        assert_eq!(one(&format!("{MD5} ?MD5*a*b\r")), format!("md5 {MD5} \"a*b\""));
        assert_eq!(one(&format!("{MD5} ?SHA1*a")), "bad");
        let unknown = parser("x").line(format!("{MD5} ?BLAKE2sp*a").as_bytes());
        assert_eq!(unknown, Line::Bad(Fault::NoSuchAlgorithm("BLAKE2sp".into())));
        let mut given = Parser::new(Some("md5".parse().unwrap()), Path::new("x"));
        assert_eq!(given.line(format!("{SHA1} ?SHA1*a").as_bytes()), Line::Bad(Fault::OtherAlgorithm));
        // Names with these characters.
        assert_eq!(one(&format!("{MD5}  ?SHA1*a")), format!("md5 {MD5} \"?SHA1*a\""));
        assert_eq!(one(&format!("{MD5} *?SHA1*a")), format!("md5 {MD5} \"?SHA1*a\""));
        assert_eq!(one(&format!("{MD5} ?a b*c")), format!("md5 {MD5} \"?a b*c\""));
        let mut reversed = parser("x");
        reversed.line(format!("{MD5} a").as_bytes());
        assert_eq!(show(reversed.line(format!("{MD5} ?SHA1*a").as_bytes())), format!("md5 {MD5} \"?SHA1*a\""));
    }

    #[test]
    fn names_of_lists_with_one_digest() {
        let named = |list: &str| named_by(Path::new(list)).map(|p| p.to_str().unwrap().to_string());
        for suffix in
            ["sha256", "MD5", "b3", "blake3", "b2", "xxh64", "sha256sum", "sha512sums", "sha3-256", "sha256.txt", "sum"]
        {
            assert_eq!(named(&format!("dl/x.iso.{suffix}")).as_deref(), Some("dl/x.iso"), "{suffix}");
        }
        for list in ["-", "x", "x.iso", "SHA256SUMS", "SHA256SUMS.txt", "x.txt", ".sha256", "x.sha256.asc", ""] {
            assert_eq!(named(list), None, "{list}");
        }
    }

    #[test]
    fn long_lines_take_no_memory() {
        let mut text = vec![b'a'; MAX_LINE];
        text.push(b'\n');
        text.extend(vec![b'b'; 10 * MAX_LINE]);
        text.extend(b"\n\nlast");
        let mut r = LineReader::new(io::BufReader::with_capacity(777, &text[..]));
        assert_eq!(r.next_line().unwrap().unwrap().unwrap().len(), MAX_LINE);
        assert_eq!(r.next_line().unwrap(), Some(None));
        assert!(r.line.capacity() <= 2 * MAX_LINE);
        assert_eq!(r.next_line().unwrap(), Some(Some(&b""[..])));
        assert_eq!(r.next_line().unwrap(), Some(Some(&b"last"[..])));
        assert_eq!(r.next_line().unwrap(), None);
    }
}
