//! The lists of coreutils' `md5sum` to `sha512sum`, `b2sum` and `cksum`, as these programs read them since 9.11.

use crate::base::digits::from_hex;
use crate::base::entry::{Entry, Item};
use crate::base::fault::Fault;
use crate::base::names::unescape;
use crate::forms::is_blank;
use data_encoding::{BASE64, Encoding};
use hashmill::{Algorithm, Digest};
use std::sync::LazyLock;

/// An algorithm, or several that share a name, as tags and messages call it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tag {
    /// An algorithm whose digests all have the same length.
    Name(&'static str),
    /// SHA-224 to SHA-512. Their tags are `SHA224` to `SHA512`; OpenSSL's, which are read as well, `SHA2-224` and so
    /// on.
    Sha2,
    /// SHA-3, with the length in bits.
    Sha3,
    /// `BLAKE2b`, with the length in bits unless it is the longest.
    Blake2b,
}

impl Tag {
    /// Returns the tag of a digest by this algorithm.
    pub fn text(self, a: Algorithm) -> String {
        let bits = 8 * a.digest_len();
        match self {
            Tag::Name(name) => name.into(),
            Tag::Sha2 => format!("SHA{bits}"),
            Tag::Sha3 => format!("SHA3-{bits}"),
            Tag::Blake2b if bits == 512 => "BLAKE2b".into(),
            Tag::Blake2b => format!("BLAKE2b-{bits}"),
        }
    }

    /// Returns the name for messages, with which a tag begins.
    pub fn name(self) -> &'static str {
        match self {
            Tag::Name(name) => name,
            Tag::Sha2 => "SHA2",
            Tag::Sha3 => "SHA3",
            Tag::Blake2b => "BLAKE2b",
        }
    }

    /// Returns the algorithm whose digests have this length in bytes, if there is one.
    fn of_length(self, len: usize) -> Option<Algorithm> {
        let a = match self {
            Tag::Name(name) => Algorithm::named(TAGS.iter().find(|(tag, _)| *tag == name)?.1)?,
            Tag::Sha2 => Algorithm::named(&format!("sha{}", 8 * len))?,
            Tag::Sha3 => Algorithm::named(&format!("sha3-{}", 8 * len))?,
            Tag::Blake2b => Algorithm::named("blake2b-512")?.with_digest_len(len).ok()?,
        };
        (a.digest_len() == len && (self != Tag::Sha2 || SHA.contains(&len))).then_some(a)
    }

    /// Returns the length of a digest in bytes if the tag does not say it.
    fn usual_length(self) -> Option<usize> {
        match self {
            Tag::Name(name) => Some(Algorithm::named(TAGS.iter().find(|(tag, _)| *tag == name)?.1)?.digest_len()),
            Tag::Sha2 | Tag::Sha3 | Tag::Blake2b => Some(LONGEST),
        }
    }
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

/// Lengths of SHA-2 and SHA-3 in bytes.
const SHA: [usize; 4] = [28, 32, 48, 64];

/// Length of the longest digest in bytes.
const LONGEST: usize = 64;

/// Base64 in which bits that are not used may be set.
static LENIENT: LazyLock<Encoding> = LazyLock::new(|| {
    let mut lenient = BASE64.specification();
    lenient.check_trailing_bits = false;
    lenient.encoding().unwrap_or_else(|e| unreachable!("{e}"))
});

/// A parser for the lines of one list.
#[derive(Debug, Clone)]
pub struct Parser {
    /// What the program or an option says the lines have; if it is `None`, their tags do.
    given: Option<Tag>,
    /// What a line is expected to have: what is given, or what the last tag has said.
    expected: Option<Tag>,
    /// Whether the program is cksum, which reads base64, too.
    cksum: bool,
    /// Whether a single blank separates digest and name, as in BSD's format. The first line decides for the list: if
    /// both formats could be mixed, a name that begins with a blank could be taken for another.
    reversed: Option<bool>,
}

impl Parser {
    /// Returns a parser. `given` is what the lines have, or `None` if their tags tell; `cksum` says that the program is
    /// cksum, which reads more than md5sum does.
    pub fn new(given: Option<Tag>, cksum: bool) -> Self {
        Parser { given, expected: given, cksum, reversed: None }
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
        self.expected.map_or("CRC", Tag::name).into()
    }

    fn parsed(&mut self, line: &[u8]) -> Option<(Vec<u8>, Algorithm, Digest)> {
        // The line ends at a NUL, like a C string.
        let line = &line[..line.iter().position(|&b| b == 0).unwrap_or(line.len())];
        let line = &line[blanks(line)..];
        let (escaped, line) = line.strip_prefix(b"\\").map_or((false, line), |rest| (true, rest));
        let tag = match self.given {
            None => *self.expected.insert(tag_of(line)?),
            // All of them count as SHA-2, whichever came first: coreutils would stay with that.
            Some(Tag::Sha2) => match tag_of(line).filter(|tag| is_sha2(*tag)) {
                Some(tag) => *self.expected.insert(tag),
                None => Tag::Sha2,
            },
            Some(tag) => tag,
        };
        if let Some(rest) = line.strip_prefix(tag.name().as_bytes()) {
            let (len, rest) = self.length(tag, rest)?;
            if let Some(rest) = rest.strip_prefix(b" ").unwrap_or(rest).strip_prefix(b"(") {
                let end = rest.iter().rposition(|&b| b == b')')?;
                let after = &rest[end + 1..];
                let after = after[blanks(after)..].strip_prefix(b"=")?;
                let a = tag.of_length(len)?;
                let digest = self.digest(a, &after[blanks(after)..])?;
                return Some((unescaped(&rest[..end], escaped)?, a, digest));
            }
            // It may still be a digest in base64 that begins like a tag.
        }
        self.given?;
        self.untagged(tag, line, escaped)
    }

    /// Returns the length in bytes of the digest of a tagged line, and what follows the tag.
    fn length<'a>(&self, tag: Tag, rest: &'a [u8]) -> Option<(usize, &'a [u8])> {
        let Some(number) = rest.strip_prefix(b"-").filter(|_| self.cksum || tag == Tag::Blake2b) else {
            return Some((tag.usual_length()?, rest));
        };
        let (bits, rest) = number_at(number)?;
        // cksum would compare only the first bits of an algorithm that has one length.
        let known = !matches!(tag, Tag::Name(_)) && bits % 8 == 0;
        (known && tag.of_length(bits / 8).is_some()).then_some((bits / 8, rest))
    }

    fn untagged(&mut self, tag: Tag, line: &[u8], escaped: bool) -> Option<(Vec<u8>, Algorithm, Digest)> {
        let end = line.iter().position(|&b| is_blank(b))?;
        let (text, name) = (&line[..end], &line[end + 1..]);
        // If all digests have the same length, a line without a name is too short.
        if name.is_empty() && !self.cksum && tag != Tag::Blake2b {
            return None;
        }
        let len = match tag {
            Tag::Name(_) => tag.usual_length()?,
            _ => self.length_of(tag, text)?,
        };
        let a = tag.of_length(len)?;
        let digest = self.digest(a, text)?;
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
        Some((unescaped(name, escaped)?, a, digest))
    }

    /// Returns the length in bytes of a digest, from the number of its digits.
    fn length_of(&self, tag: Tag, text: &[u8]) -> Option<usize> {
        let count = |text: &[u8], is: fn(u8) -> bool| text.iter().take_while(|&&b| is(b)).count();
        let hex = count(text, |b| b.is_ascii_hexdigit());
        let of_hex = (hex % 2 == 0 && tag.of_length(hex / 2).is_some()).then_some(hex / 2);
        let digits = count(text, is_base64);
        if !self.cksum || of_hex.is_some() && (tag != Tag::Blake2b || hex == digits) {
            return of_hex;
        }
        let padding = count(&text[digits..], |b| b == b'=');
        let fits = |len: &usize| {
            len.div_ceil(3) * 4 == digits + padding
                && (tag != Tag::Blake2b || 8 * len % 3 == padding)
                && tag.of_length(*len).is_some()
        };
        (1..=LONGEST).find(fits).or(of_hex)
    }

    /// Parses a digest in hexadecimal or, for cksum, in base64, which must have exactly the algorithm's length.
    fn digest(&self, a: Algorithm, text: &[u8]) -> Option<Digest> {
        let len = a.digest_len();
        let hex = from_hex(text).filter(|d| d.as_bytes().len() == len);
        if hex.is_some() || !self.cksum || text.len() != len.div_ceil(3) * 4 {
            return hex;
        }
        let mut bytes = LENIENT.decode(text).ok().filter(|bytes| bytes.len() == len)?;
        if BASE64.encode(&bytes).as_bytes() != text {
            // Nothing has a digest that is spelled like this, and none of this length.
            bytes.push(0);
        }
        Some(Digest::from_bytes(&bytes))
    }
}

fn blanks(text: &[u8]) -> usize {
    text.iter().position(|&b| !is_blank(b)).unwrap_or(text.len())
}

fn is_base64(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/')
}

fn is_sha2(tag: Tag) -> bool {
    matches!(tag, Tag::Sha2 | Tag::Name("SHA224" | "SHA256" | "SHA384" | "SHA512"))
}

/// Returns the tag with which a line begins. It ends at a blank, at a length or at the name.
fn tag_of(line: &[u8]) -> Option<Tag> {
    let end = line.iter().position(|&b| is_blank(b) || matches!(b, b'-' | b'(')).unwrap_or(line.len());
    let names = TAGS.into_iter().map(|(tag, _)| Tag::Name(tag));
    names.chain([Tag::Sha2, Tag::Sha3, Tag::Blake2b]).find(|tag| tag.name().as_bytes() == &line[..end])
}

/// Parses the number at the start of a text as C's `strtoimax` does with base 0, and returns it with the rest of the
/// text.
fn number_at(text: &[u8]) -> Option<(usize, &[u8])> {
    let (base, digits) = match text {
        [b'0', b'x' | b'X', digits @ ..] if digits.first().is_some_and(u8::is_ascii_hexdigit) => (16, digits),
        [b'0', ..] => (8, text),
        _ => (10, text),
    };
    let end = digits.iter().position(|b| !char::from(*b).is_digit(base)).unwrap_or(digits.len());
    let number = std::str::from_utf8(&digits[..end]).ok().and_then(|d| usize::from_str_radix(d, base).ok());
    Some((number?, &digits[end..]))
}

/// Undoes the escapes of a name, if it is escaped. Returns `None` for escapes that are not used in lists.
fn unescaped(name: &[u8], escaped: bool) -> Option<Vec<u8>> {
    if escaped { unescape(name) } else { Some(name.to_vec()) }
}
