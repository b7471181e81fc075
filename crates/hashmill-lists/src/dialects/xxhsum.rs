//! The lists of `xxhsum`, as it reads them.

use crate::base::digits::from_hex;
use crate::base::entry::{Entry, Item};
use crate::base::fault::Fault;
use crate::base::names::unescape;
use hashmill::{Algorithm, Digest};

/// Maximum length of a line in bytes; xxhsum does not read longer ones.
pub const MAX_LINE: usize = (32 << 10) - 2;

/// Tags, in the order in which they are looked for, and their algorithms.
const TAGS: [(&str, &str); 4] = [("XXH32", "xxh32"), ("XXH64", "xxh64"), ("XXH128", "xxh128"), ("XXH3", "xxh3")];

/// Returns the meaning of a line: an entry, [`Fault::Malformed`], or [`Fault::TooLong`], after which xxhsum reads no
/// more. `little_endian` says that digests on untagged lines have their last byte first; `exists`, whether there is a
/// file of a name: lists with CRLF line ends are accepted, too.
pub fn line(line: &[u8], little_endian: bool, exists: impl Fn(&[u8]) -> bool) -> Item {
    if line.len() > MAX_LINE {
        return Item::Bad(Fault::TooLong);
    }
    let understood = || {
        // A name cannot contain NUL, and the part before it would name a different file.
        if line.contains(&0) {
            return None;
        }
        let found = parts(line, little_endian)?;
        match line.strip_suffix(b"\r") {
            Some(line) if found.0.ends_with(b"\r") && !exists(&found.0) => parts(line, little_endian),
            _ => Some(found),
        }
    };
    match understood() {
        Some((name, a, digest)) => Item::Entry(Entry::new(name, Some(a), digest)),
        None => Item::Bad(Fault::Malformed),
    }
}

fn parts(line: &[u8], little_endian: bool) -> Option<(Vec<u8>, Algorithm, Digest)> {
    let (escaped, line) = line.strip_prefix(b"\\").map_or((false, line), |rest| (true, rest));
    let blank = line.iter().position(|&b| b == b' ')?;
    let (first, rest) = (&line[..blank], &line[blank + 1..]);
    let (variant, hex, name, reversed) = if let Some(rest) = rest.strip_prefix(b"(") {
        let end = rest.iter().rposition(|&b| b == b' ')?;
        let name = rest[..end].strip_suffix(b") =")?;
        let variant = TAGS.into_iter().find(|(tag, _)| first.starts_with(tag.as_bytes())).map(|(_, name)| name);
        let reversed = first.windows(3).any(|w| w == b"_LE");
        (variant.unwrap_or("xxh64"), &rest[end + 1..], name, reversed)
    } else {
        // The second character is a space or a mode mark; it is not checked.
        let (_, name) = rest.split_first()?;
        let (variant, hex) = match (first.strip_prefix(b"XXH3_"), first.len()) {
            (Some(hex), _) => ("xxh3", hex),
            (None, 8) => ("xxh32", first),
            (None, 16) => ("xxh64", first),
            (None, _) => ("xxh128", first),
        };
        (variant, hex, name, little_endian)
    };
    let a = Algorithm::named(variant)?;
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
