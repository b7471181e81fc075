//! The lists of `b3sum`, as it reads them.

use crate::base::digits::from_hex;
use crate::base::entry::{Entry, Item};
use crate::base::fault::Fault;
use crate::base::names::unescape;
use hashmill::{Algorithm, Digest};

/// Returns the meaning of a line: an entry, whose literal name is what b3sum shows, or
/// [`Fault::Said`] with what is wrong. `None` is a line that is too long.
/// `exists` says whether there is a file of a name: lists with CRLF line ends are accepted, too.
pub fn line(line: Option<&[u8]>, exists: impl Fn(&[u8]) -> bool) -> Item {
    let understood = || {
        let line = std::str::from_utf8(line.ok_or("Line too long")?).map_err(|_| "Invalid UTF-8")?;
        if line.is_empty() || line == "\r" {
            return Err("Empty line");
        }
        match parts(line) {
            Ok((name, ..)) if line.ends_with('\r') && !exists(&name) => parts(line.trim_end_matches('\r')),
            Err(_) if line.ends_with('\r') => parts(line.trim_end_matches('\r')),
            result => result,
        }
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
    /// Length of a digest in hexadecimal, and with the two spaces after it.
    const HEX: usize = 64;
    const START: usize = HEX + 2;
    let (escaped, line) = line.strip_prefix('\\').map_or((false, line), |rest| (true, rest));
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
    let digest =
        from_hex(hex.as_bytes()).filter(|_| hex.len() == HEX && hex.bytes().all(is_digit)).ok_or("Invalid hex")?;
    let name =
        if escaped { unescape(shown.as_bytes()).ok_or("Invalid backslash escape")? } else { shown.as_bytes().to_vec() };
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
    let mark = if escaped { "\\" } else { "" };
    Ok((name, digest, format!("{mark}{shown}")))
}
