//! `hex  name`: coreutils' `md5sum` to `sha512sum`, `cksum --untagged` and `b2sum`; `b3sum`, `xxhsum`, `md5deep`,
//! `rhash` and `rclone hashsum`; `md5 -r` of the BSDs, with one blank; any of them in base64.

use super::{Base, Form, Format, Lines, Unfit, Write, doubtful, is_blank, skip_blanks, trim_end};
use crate::base::digits::{Digits, LENGTHS, from_base32, from_base64, from_hex, is_hex, is_nearly_hex};
pub(super) use crate::base::digits::{exactly, fitting};
use crate::base::entry::{Entry, Item, Stated};
use crate::base::fault::Fault;
use crate::base::function::{Composition, Function};
use crate::base::header::Header;
use crate::base::names::{escape, unescape};
use hashmill::{Algorithm, Digest};
use std::sync::Arc;

pub(crate) const FORM: Form = Form {
    name: "gnu",
    what: "`hex  name`",
    programs: "coreutils, b3sum, xxhsum, md5deep, rhash, rclone hashsum, md5 -r",
    writes: true,
    lines: true,
    algorithms: "any, not named",
    several: false,
    sizes: false,
    times: false,
    cannot: "",
    base: Base::Current,
    format: &Gnu,
};

pub(crate) struct Gnu;

impl Format for Gnu {
    fn line(&self, line: &[u8], lines: &mut Lines) -> Option<Result<Item, Fault>> {
        let rest = skip_blanks(line);
        let (escaped, rest) = match rest.strip_prefix(b"\\") {
            Some(rest) if !lines.zero => (true, rest),
            _ => (false, rest),
        };
        let end = memchr::memchr2(b' ', b'\t', rest).unwrap_or(rest.len());
        let stated = match untagged(lines, &rest[..end]) {
            Some((algorithm, digest)) => Stated::new(algorithm, digest),
            None => composed(&rest[..end], lines.given)?,
        };
        if stated.function.is_some_and(|f| f.plain().is_none() && lines.is_other(f)) {
            return Some(Err(Fault::OtherAlgorithm));
        }
        Some(entry(lines, rest, end, escaped, stated).ok_or_else(|| doubtful(line)))
    }

    fn writer(&self, header: &Header) -> Option<Box<dyn Write>> {
        Some(Box::new(Writer { zero: header.zero, binary: header.binary, digits: header.digits }))
    }
}

/// Returns what a line says whose digest ends at `end`.
fn entry(lines: &mut Lines, rest: &[u8], end: usize, escaped: bool, stated: Stated) -> Option<Item> {
    if is_alone(lines, &rest[end..]) {
        // The lines of a signature are base64, and some are as long as a digest.
        let digits = rest[..end].strip_prefix(b"XXH3_").unwrap_or(&rest[..end]);
        let is_composed = stated.function.is_some_and(|f| f.plain().is_none());
        let is_digest = is_hex(digits) || is_base32(digits) || is_composed;
        return (!escaped && is_digest).then_some(Item::Lone(stated));
    }
    let reversed = lines.reversed;
    let name = name(lines, &rest[end + 1..])?;
    let name = if escaped { unescape(name)? } else { name.to_vec() };
    if stated.function.is_none() && !USUAL_LENGTHS.contains(&stated.digest.as_bytes().len()) {
        // It may not be a digest at all, so it must not decide the form of the lines that are.
        lines.reversed = reversed;
    }
    Some(Item::Entry(Entry { name, stated: vec![stated], ..Entry::default() }))
}

/// Returns the value of a digest whose spelling tells something about it: an ETag with the number of parts, C4, and
/// base32, in which programs write Tiger trees and AICH, but also any other digest.
fn composed(word: &[u8], given: Option<Algorithm>) -> Option<Stated> {
    let of = |c: Composition| {
        let function = Function::Composed(c);
        function.digest(word).map(|digest| Stated::of(function, digest))
    };
    match word.len() {
        33.. if word.contains(&b'-') => of(Composition::S3Etag { part: None }),
        90 => of(Composition::C4),
        _ if !is_base32(word) => None,
        // One of the algorithm that is given has been read already.
        39 if given.is_some() => of(Composition::Tth),
        32 if given.is_some() => of(Composition::Aich),
        _ if given.is_some() => None,
        _ => {
            let digest = LENGTHS.iter().find_map(|&len| from_base32(word, len))?;
            let stated = Stated::new(None, digest);
            let among = match word.len() {
                39 => Some([Composition::Tth.into(), Algorithm::TIGER192_3.into()]),
                32 => Some([Algorithm::SHA1.into(), Composition::Aich.into()]),
                _ => None,
            };
            Some(Stated { among: among.map(Arc::from), ..stated })
        }
    }
}

/// Returns whether no name follows a digest. A name can be nothing but blanks, which are told from blanks after a lone
/// digest by the lines before.
pub(super) fn is_alone(lines: &Lines, after: &[u8]) -> bool {
    let may_be_blank = lines.zero || lines.reversed == Some(false);
    trim_end(after).is_empty() && !(may_be_blank && after.starts_with(b"  ") && after.len() > 2)
}

/// Returns the algorithm and value of an untagged digest. The algorithm is `None` if nothing tells it.
pub(super) fn untagged(lines: &Lines, digest: &[u8]) -> Option<(Option<Algorithm>, Digest)> {
    if let Some(digest) = digest.strip_prefix(b"XXH3_") {
        let a: Algorithm = "xxh3".parse().ok()?;
        return if lines.given.is_some_and(|g| g != a) { None } else { exactly(a, digest).map(|d| (Some(a), d)) };
    }
    if let Some(a) = lines.given {
        return fitting(a, digest).map(|(a, d)| (Some(a), d));
    }
    if let Some((a, d)) = lines.hint.and_then(|a| fitting(a, digest)) {
        return Some((Some(a), d));
    }
    // Hex digits of one length may also be base64 of another; hex is far more common.
    if (MIN_BARE..=MAX_BARE).contains(&digest.len())
        && let Some(d) = from_hex(digest)
    {
        return Some((None, d));
    }
    // Those of Tiger have nothing at the end that words do not have.
    let is = |kind: fn(&u8) -> bool| digest.iter().any(kind);
    let tiger = || {
        let is_mixed = is(u8::is_ascii_lowercase) && is(u8::is_ascii_uppercase) && is(u8::is_ascii_digit);
        from_base64(digest, 24).filter(|_| is_mixed)
    };
    USUAL_LENGTHS.iter().find_map(|&len| from_base64(digest, len)).or_else(tiger).map(|d| (None, d))
}

/// Returns the name, given what follows the digest and one blank.
pub(super) fn name<'l>(lines: &mut Lines, rest: &'l [u8]) -> Option<&'l [u8]> {
    let (&first, more) = rest.split_first()?;
    if more.is_empty() || !matches!(first, b' ' | b'*') {
        if lines.reversed == Some(false) || more.is_empty() && is_blank(first) {
            return None;
        }
        lines.reversed = Some(true);
        return Some(rest);
    }
    if lines.reversed == Some(true) {
        return Some(rest);
    }
    lines.reversed = Some(false);
    lines.binary = first == b'*';
    Some(more)
}

/// Minimum and maximum length of an untagged digest, in hex digits.
const MIN_BARE: usize = 8;
const MAX_BARE: usize = 256;

/// Lengths in bytes of the digests that programs write in base64.
const USUAL_LENGTHS: [usize; 6] = [16, 20, 28, 32, 48, 64];

/// Returns whether a line that could not be parsed was probably meant as a checksum line in any form that tools write:
/// one of its words is a digest or nearly one, or it has the shape of a tagged line or of a line of `cksum`, SFV or
/// hashdeep.
pub(super) fn looks_like_a_checksum(line: &[u8]) -> bool {
    let decimal = |w: &[u8]| !w.is_empty() && w.iter().all(u8::is_ascii_digit);
    let line = skip_blanks(line);
    if line.first() == Some(&b'{') || line.starts_with(b"magnet:?") {
        return true;
    }
    let separator = |&b: &u8| is_blank(b) || b"\r\\,:;=<>\"'()|".contains(&b) || b == 0;
    if line.split(separator).any(is_nearly_hex) {
        return true;
    }
    let words: Vec<&[u8]> = line.split(|&b| is_blank(b)).filter(|w| !w.is_empty()).take(4).collect();
    let Some(&first) = words.first() else { return false };
    let digest = first.strip_prefix(b"\\").unwrap_or(first);
    let digest = digest.strip_prefix(b"XXH3_").unwrap_or(digest);
    if digest.len() >= MIN_BARE && is_hex(digest) {
        return true;
    }
    let digits = digest.iter().filter(|b| b.is_ascii_hexdigit()).count();
    if digest.len() >= 16 && 8 * digits >= 7 * digest.len() {
        return true;
    }
    let base64 = |b: &u8| b.is_ascii_alphanumeric() || b"+/=-_".contains(b);
    // RHash with several algorithms, in base32 or base64: `name  digest  digest`
    let end = line.rsplit(|&b| is_blank(b)).next().unwrap_or_default();
    let is_end = end.len() >= 24 && end.ends_with(b"=") && end.iter().all(base64);
    if words.len() >= 2 && (is_base32(digest) || is_base32(end) || is_end) {
        return true;
    }
    if words.len() >= 2 && digest.len() >= 16 && digest.ends_with(b"=") && digest.iter().all(base64) {
        return true;
    }
    // `CRC bytes name`, `00123     4 name`
    if words.len() >= 3 && decimal(words[0]) && decimal(words[1]) {
        return true;
    }
    // `size,hex,…,name`
    let mut columns = line.split(|&b| b == b',');
    if columns.next().is_some_and(decimal) && columns.next().is_some_and(|c| c.len() >= MIN_BARE && is_hex(c)) {
        return true;
    }
    // `name CRC`
    let last = line.rsplit(|&b| is_blank(b)).next().unwrap_or_default();
    if words.len() >= 2 && last.len() == 8 && is_hex(last) && last.iter().any(u8::is_ascii_digit) {
        return true;
    }
    super::bsd::has_the_shape(line) || super::bsd::has_the_end(line)
}

/// Returns whether a line begins with what is a digest in a line of this form.
pub(super) fn starts_with_a_digest(line: &[u8]) -> bool {
    let line = skip_blanks(line);
    let line = line.strip_prefix(b"\\").unwrap_or(line);
    let word = line.split(|&b| is_blank(b)).next().unwrap_or_default();
    let hex = word.strip_prefix(b"XXH3_").unwrap_or(word);
    let is_base64 = USUAL_LENGTHS.iter().any(|&len| from_base64(word, len).is_some());
    (MIN_BARE..=MAX_BARE).contains(&hex.len()) && is_hex(hex) || is_base64 || is_base32(word)
}

/// Returns whether a word is a digest in base32, as RHash writes Tiger trees and AICH; words that people use are not.
fn is_base32(word: &[u8]) -> bool {
    let is = |letter: fn(&u8) -> bool| word.iter().all(|b| letter(b) || (b'2'..=b'7').contains(b));
    let usual = LENGTHS.iter().any(|&len| word.len() == (8 * len).div_ceil(5));
    usual && (is(u8::is_ascii_lowercase) || is(u8::is_ascii_uppercase)) && word.iter().any(u8::is_ascii_digit)
}

struct Writer {
    zero: bool,
    binary: bool,
    digits: Digits,
}

impl Write for Writer {
    fn entry(&mut self, entry: &Entry, out: &mut Vec<u8>) -> Result<(), Unfit> {
        for stated in &entry.stated {
            let start = out.len();
            stated.put(self.digits, out);
            out.extend_from_slice(if self.binary { b" *" } else { b"  " });
            if self.zero {
                out.extend_from_slice(&entry.name);
            } else if escape(&entry.name, out) {
                out.insert(start, b'\\');
            }
            out.push(if self.zero { 0 } else { b'\n' });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::read;

    /// Of a name with a line break that a program has not escaped, the part with the digest must not pass for text.
    #[test]
    fn broken_lines() {
        for line in ["line) = e278e3eba7cf1d25", "b)= 98:87:27:0b:02:a0:74:d1", " ) = 0123ABCD\r"] {
            let said = read(format!("XXH64 (new\n{line}\n"), "list").lines;
            assert_eq!(said, ["1 bad: no checksum line", "2 bad: checksum line not understood"], "{line}");
        }
    }

    /// rclone's `hashsum --base64`
    #[test]
    fn the_other_alphabet_of_base64() {
        let line = "_7Kj_QXzf0FsT-6eZ0HPvD6IwZq6fUGpA1i1QnFw3kA=  a\n";
        let lines = read(line, "list").lines;
        assert!(lines.len() == 1 && lines[0].starts_with("1 a ?=ffb2a3fd"), "{lines:?}");
    }

    /// RHash's digests that are no lines of this form must not pass for text.
    #[test]
    fn lines_of_rhash_and_teracopy() {
        let tth = "2crh7hah5utnc2mjd7civsjyf2257j3es2iwk2a  a.txt";
        let among = |list: &str, name: &str| -> String {
            let stated = &read(list, name).entries[0].stated[0];
            match stated.function {
                Some(function) => function.name(),
                None => stated.candidates().iter().map(|f| f.name()).collect::<Vec<_>>().join(" "),
            }
        };
        assert_eq!(among(tth, "list"), "tth tiger192-3");
        let aich = "z7d3jcctqskxvzcfxqkjctkfrd3aozi4  a.txt";
        assert_eq!(among(aich, "list"), "sha1 aich");
        assert_eq!(among(aich, "x.sha1"), "sha1");
        assert_eq!(among("uxsu2h6xxnu2ekhpbxgsimjwpy  a.txt", "list"), "md5 xxh128");
        let bad = ["1 bad: checksum line not understood"];
        for line in ["a.txt  yhv7poq  uxsu2h6xxnu2ekhpbxgsimjwpy", "a.txt  wev3ug==  peVNH9e7aaIo7w3NJDE2fg=="] {
            assert_eq!(read(line, "list").lines, bad, "{line}");
        }
        let line = "; TeraCopy\r\nA5E54D1FD7BB69A228EF0DCD2431367E *dir\\a b\r\n";
        assert_eq!(read(line, "x.md5").lines, ["2 dir\\\\a b MD5=a5e54d1fd7bb69a228ef0dcd2431367e"]);
        let line = "; TeraCopy\r\nCFC7B4885384957AE445BC14914D4588F607651C *a\r\n";
        assert_eq!(read(line, "x.sha").lines, ["2 a SHA1=cfc7b4885384957ae445bc14914d4588f607651c"]);
        for text in ["hello, responsibilities and so on", "the end", "see https://example.org/?q="] {
            assert_eq!(read(text, "x").lines, ["1 bad: no checksum line"], "{text}");
        }
    }
}
