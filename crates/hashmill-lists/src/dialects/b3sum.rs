//! The lists of `b3sum`, as it reads them.

use crate::base::digits::from_hex;
use crate::base::entry::{Entry, Item};
use crate::base::fault::Fault;
use crate::base::names::unescape;
use hashmill::{Algorithm, Digest};

/// Returns the meaning of a line: an entry, whose literal name is what b3sum shows, or
/// [`Fault::Said`] with what is wrong. `None` is a line that is too long.
///
/// Carriage returns at the end belong to the line end: in a name, b3sum escapes them.
pub fn line(line: Option<&[u8]>) -> Item {
    let understood = || {
        let line = std::str::from_utf8(line.ok_or("Line too long")?).map_err(|_| "Invalid UTF-8")?;
        parts(line.trim_end_matches('\r'))
    };
    match understood() {
        Ok((name, digest, shown)) => {
            let entry = Entry::new(name, Algorithm::named("blake3"), digest);
            Item::Entry(Entry { literal: Some(shown.into_bytes()), ..entry })
        }
        Err(what) => Item::Bad(Fault::Said(what.into())),
    }
}

fn parts(line: &str) -> Result<(Vec<u8>, Digest, String), &'static str> {
    /// Length of a digest in hexadecimal.
    const HEX: usize = 64;
    if line.is_empty() {
        return Err("Empty line");
    }
    let (escaped, line) = line.strip_prefix('\\').map_or((false, line), |rest| (true, rest));
    // A name may contain what stands before or after it, too: what is nearest to the end of the line counts. (b3sum
    // looks for two blanks first, and does not understand its own tagged line about a name with them.)
    let tagged = || line.strip_prefix("BLAKE3 (")?.rsplit_once(") = ").map(|(name, hex)| (hex, name));
    let (hex, shown) = tagged().or_else(|| line.split_once("  ")).ok_or("Invalid check line format")?;
    if hex.len() != HEX {
        return Err("Invalid hash length");
    }
    let is_digit = |b: u8| matches!(b, b'0'..=b'9' | b'a'..=b'f');
    let digest = from_hex(hex.as_bytes()).filter(|_| hex.bytes().all(is_digit)).ok_or("Invalid hex")?;
    let name =
        if escaped { unescape(shown.as_bytes()).ok_or("Invalid backslash escape")? } else { shown.as_bytes().to_vec() };
    if name.is_empty() {
        return Err("empty file path");
    }
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
    let mark = if escaped { "\\" } else { "" };
    Ok((name, digest, format!("{mark}{shown}")))
}
