//! `number size name`: the lines of `cksum` (POSIX), with the checksum and the length in bytes as decimal numbers.
//! `cksum -a crc32b` of coreutils writes CRC-32 in the same way.

use super::{Base, Form, Format, Lines};
use crate::base::entry::{Entry, Item, Stated};
use crate::base::fault::Fault;
use hashmill::{Algorithm, Digest};
use std::sync::Arc;

pub(crate) const FORM: Form = Form {
    name: "posix",
    what: "`number size name`, in decimal digits",
    programs: "cksum, cksum -a crc32b",
    writes: false,
    lines: true,
    algorithms: "cksum, CRC-32, not named",
    several: false,
    sizes: true,
    times: false,
    cannot: "with line breaks",
    base: Base::Current,
    format: &Posix,
};

struct Posix;

impl Format for Posix {
    fn line(&self, line: &[u8], lines: &mut Lines) -> Option<Result<Item, Fault>> {
        // Digits and a blank may also be a digest in hex, and the name what follows.
        if lines.reversed == Some(true) {
            return None;
        }
        let (sum, rest) = number(line)?;
        let (size, name) = number(rest)?;
        let sum = u32::try_from(sum).ok().filter(|_| !name.is_empty())?;
        let among = [Algorithm::CKSUM, Algorithm::CRC32];
        if let Some(given) = lines.given
            && !among.contains(&given)
        {
            return None;
        }
        // Lines of `sum -s` look the same, with a sum of 16 bits and a number of blocks.
        let is_one_of_many = lines.form.is_some_and(|form| form.name == FORM.name);
        if sum <= u32::from(u16::MAX) && lines.given.is_none() && !is_one_of_many {
            return Some(Err(Fault::Malformed));
        }
        let digest = Digest::from_bytes(&sum.to_be_bytes());
        let stated = match lines.given {
            Some(_) => Stated::new(lines.given, digest),
            None => Stated { among: Some(Arc::from(among.map(Into::into))), ..Stated::new(None, digest) },
        };
        Some(Ok(Item::Entry(Entry { name: name.to_vec(), size: Some(size), stated: vec![stated], ..Entry::default() })))
    }
}

/// Returns the decimal number that a text begins with, without zeros before it, and what follows the blank after it.
fn number(text: &[u8]) -> Option<(u64, &[u8])> {
    let end = text.iter().take(21).position(|&b| b == b' ')?;
    let digits = std::str::from_utf8(&text[..end]).ok().filter(|d| d.bytes().all(|b| b.is_ascii_digit()))?;
    let is_plain = !digits.starts_with('0') || digits == "0";
    Some((digits.parse().ok().filter(|_| is_plain)?, &text[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::super::tests::read;
    use super::Fault;

    #[test]
    fn lines_of_cksum() {
        let said = read("2418082923 2 a\n12345678 0 5 b  c\n0 7 x\n", "list");
        assert_eq!(said.lines, ["1 a 2 ?=9021046b", "2 5 b  c 0 ?=00bc614e", "3 x 7 ?=00000000"]);
        assert_eq!(read("2418082923 2 a\n", "x.crc32").lines, ["1 a 2 ?=9021046b"]);
        assert_eq!(read("5 7 x\n", "list").faults, [(1, Fault::Malformed)]);
        // What `sum` writes, a number that is too large, and digests in hex.
        for other in ["32826     1 a\n", "00059 1 a\n"] {
            assert_eq!(read(other, "list").faults, [(1, Fault::Malformed)], "{other}");
        }
        assert_eq!(read("4294967296 1 a\n", "list").lines, ["1 1 a ?=4294967296"]);
        assert_eq!(read("12345678  5 a\n", "list").lines, ["1 5 a ?=12345678"]);
        let reversed = "5d41402abc4b2a76b9719d911017c592 f\n12345678 5 a\n";
        assert_eq!(read(reversed, "list").lines[1], "2 5 a ?=12345678");
    }
}
