//! The lists of coreutils' `md5sum` to `sha512sum`, `b2sum` and `cksum`, as these programs read them.

use crate::base::digits::{from_base64, from_hex};
use crate::base::entry::{Entry, Item};
use crate::base::fault::Fault;
use crate::base::names::unescape;
use crate::forms::is_blank;
use hashmill::{Algorithm, Digest};

/// The tag, which precedes the name in a tagged line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tag {
    /// A name.
    Name(&'static str),
    /// `BLAKE2b`, with the length in bits unless it is the longest.
    Blake2b,
    /// A name with the length in bits.
    Length(&'static str),
}

impl Tag {
    /// Returns the tag of an algorithm.
    pub fn text(self, a: Algorithm) -> String {
        match self {
            Tag::Name(name) => name.into(),
            Tag::Blake2b if a.digest_len() == 64 => "BLAKE2b".into(),
            Tag::Blake2b => format!("BLAKE2b-{}", 8 * a.digest_len()),
            Tag::Length(name) => format!("{name}-{}", 8 * a.digest_len()),
        }
    }
}

/// A parser for the lines of one list.
#[derive(Debug, Clone)]
pub struct Parser {
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

impl Parser {
    /// Returns a parser. `given` is the algorithm and tag of the lines, or `None` if the lines' tags tell them; `cksum`
    /// says that the program is cksum, which accepts more after a tag than md5sum does.
    pub fn new(given: Option<(Algorithm, Tag)>, cksum: bool) -> Self {
        Parser { expected: given, given: given.is_some(), cksum, reversed: None }
    }

    /// Returns the meaning of a line: an entry, nothing, or [`Fault::Said`] with the kind of line that was expected.
    /// `None` is a line that is too long.
    pub fn line(&mut self, line: Option<&[u8]>) -> Item {
        let text = line.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        if text.is_some_and(|text| text.first() == Some(&b'#') || text.is_empty()) {
            return Item::Nothing;
        }
        match text.and_then(|text| self.parsed(text)) {
            Some((name, a, digest)) => Item::Entry(Entry::new(name, Some(a), digest)),
            None => Item::Bad(Fault::Said(self.kind().into())),
        }
    }

    /// Returns the expected kind of checksum, for messages.
    pub fn kind(&self) -> String {
        self.expected.map_or("CRC".into(), |(a, tag)| match tag {
            Tag::Length(name) => name.into(),
            Tag::Blake2b => "BLAKE2b".into(),
            Tag::Name(_) => tag.text(a),
        })
    }

    fn parsed(&mut self, line: &[u8]) -> Option<(Vec<u8>, Algorithm, Digest)> {
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
    let hex = from_hex(text).filter(|d| d.as_bytes().len() == a.digest_len());
    hex.or_else(|| from_base64(text, a.digest_len()))
}

/// Undoes the escapes of a name, if it is escaped. Returns `None` for escapes that are not used in lists.
fn unescaped(name: &[u8], escaped: bool) -> Option<Vec<u8>> {
    if escaped { unescape(name) } else { Some(name.to_vec()) }
}
