//! The lists of `xxhsum`, as it reads them.

use crate::base::digits::from_hex;
use crate::base::entry::{Entry, Item};
use crate::base::fault::Fault;
use crate::base::names::unescape;
use hashmill::{Algorithm, Digest};

/// Maximum length of a line in bytes; xxhsum does not read longer ones.
pub const MAX_LINE: usize = crate::forms::xxhsum::MAX_LINE;

/// Length of an untagged digest of XXH3, which begins with `XXH3_`.
const PREFIXED: usize = 21;

/// Tags, in the order in which they are looked for, and their algorithms.
const TAGS: [(&str, &str); 4] = [("XXH32", "xxh32"), ("XXH64", "xxh64"), ("XXH128", "xxh128"), ("XXH3", "xxh3")];

/// How the lines of a list are read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reading<'a> {
    /// Whether digests on untagged lines have their last byte first.
    pub little_endian: bool,
    /// The name of the only algorithm whose lines are accepted; those of the others count as malformed.
    pub only: Option<&'a str>,
}

impl Reading<'_> {
    /// Returns the meaning of a line: an entry, nothing, [`Fault::Malformed`], or [`Fault::TooLong`], after which
    /// xxhsum reads no more. `exists` says whether there is a file of a name: lists with CRLF line ends are accepted,
    /// too.
    pub fn line(&self, line: &[u8], exists: impl Fn(&[u8]) -> bool) -> Item {
        if line.len() > MAX_LINE {
            return Item::Bad(Fault::TooLong);
        }
        if line.starts_with(b"#") {
            return Item::Nothing;
        }
        let understood = || {
            // A name cannot contain NUL, and the part before it would name a different file.
            if line.contains(&0) {
                return None;
            }
            let found = self.parts(line);
            match (line.strip_suffix(b"\r"), &found) {
                (Some(line), Some((name, ..))) if name.ends_with(b"\r") && !exists(name) => self.parts(line),
                (Some(line), None) => self.parts(line),
                _ => found,
            }
        };
        match understood() {
            Some((name, a, digest)) => Item::Entry(Entry::new(name, Some(a), digest)),
            None => Item::Bad(Fault::Malformed),
        }
    }

    fn parts(&self, line: &[u8]) -> Option<(Vec<u8>, Algorithm, Digest)> {
        // A backslash that says that the name is escaped may follow blanks; only one byte of these is left out then.
        let start = line.iter().position(|b| !matches!(b, b' ' | b'\t')).unwrap_or(line.len());
        let escaped = line.get(start) == Some(&b'\\');
        let line = if escaped { &line[1..] } else { line };
        let blank = line.iter().position(|&b| b == b' ')?;
        let (first, rest) = (&line[..blank], &line[blank + 1..]);
        let (variant, digits, name, reversed) = if let Some(rest) = rest.strip_prefix(b"(") {
            let end = rest.iter().rposition(|&b| b == b' ')?;
            let name = rest[..end].strip_suffix(b") =")?;
            let variant = TAGS.into_iter().find(|(tag, _)| first.starts_with(tag.as_bytes())).map(|(_, name)| name);
            let reversed = first.windows(3).any(|w| w == b"_LE");
            (variant.unwrap_or("xxh64"), &rest[end + 1..], name, reversed)
        } else {
            // The second character is a space or a mode mark; it is not checked.
            let (_, name) = rest.split_first()?;
            let variant = match first.len() {
                8 => "xxh32",
                16 => "xxh64",
                PREFIXED => "xxh3",
                _ => "xxh128",
            };
            (variant, first, name, self.little_endian)
        };
        if self.only.is_some_and(|only| only != variant) {
            return None;
        }
        let a = Algorithm::named(variant)?;
        let hex = match digits.len() {
            PREFIXED => digits.strip_prefix(b"XXH3_").filter(|_| variant == "xxh3")?,
            _ => digits,
        };
        let digest = from_hex(hex).filter(|d| d.as_bytes().len() == a.digest_len())?;
        let digest = if reversed {
            let mut bytes = digest.as_bytes().to_vec();
            bytes.reverse();
            Digest::from_bytes(&bytes)
        } else {
            digest
        };
        let name = if escaped { unescape(name)? } else { name.to_vec() };
        Some((name, a, digest))
    }
}
