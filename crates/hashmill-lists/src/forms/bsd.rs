//! `SHA256 (name) = hex`, which names the algorithm: the BSDs' `md5` to `sha512`, coreutils' `--tag`, OpenSSL's `dgst`
//! (`SHA2-256(name)= hex`), `b3sum --tag`, `xxhsum --tag`, `rhash --bsd`.

use super::{Base, Form, Format, Lines, Unfit, Write, doubtful, is_blank, skip_blanks, trim_end};
use crate::base::digits::{Digits, exactly, fitting, is_hex};
use crate::base::entry::{Entry, Item, Stated};
use crate::base::fault::Fault;
use crate::base::function::Function;
use crate::base::header::Header;
use crate::base::names::{escape, unescape};
use hashmill::Digest;

pub(crate) const FORM: Form = Form {
    name: "bsd",
    what: "`SHA256 (name) = hex`",
    programs: "BSD md5 … sha512, coreutils --tag, openssl dgst, b3sum --tag, xxhsum --tag, rhash --bsd",
    writes: true,
    lines: true,
    algorithms: "any",
    several: true,
    sizes: false,
    times: false,
    cannot: "",
    base: Base::Current,
    format: &Bsd,
};

struct Bsd;

impl Format for Bsd {
    fn line(&self, line: &[u8], lines: &mut Lines) -> Option<Result<Item, Fault>> {
        tagged(line, lines)
    }

    fn writer(&self, header: &Header) -> Option<Box<dyn Write>> {
        Some(Box::new(Writer { zero: header.zero, digits: header.digits }))
    }
}

/// Returns the meaning of a line that names its algorithm before the name.
pub(super) fn tagged(line: &[u8], lines: &mut Lines) -> Option<Result<Item, Fault>> {
    let rest = skip_blanks(line);
    let (escaped, rest) = match rest.strip_prefix(b"\\") {
        Some(rest) if !lines.zero => (true, rest),
        _ => (false, rest),
    };
    let (tag, rest) = tag_of(rest)?;
    // xxhsum has `XXH64_LE` for digests whose last byte comes first.
    let reversed = tag.strip_suffix(b"_LE").filter(|tag| tag.starts_with(b"XXH"));
    let Some(function) = lines.tagged(reversed.unwrap_or(tag)) else { return unknown(tag, rest).map(Err) };
    if lines.is_other(function) {
        return Some(Err(Fault::OtherAlgorithm));
    }
    // Without its digest, too, it is a line about a file.
    let fault = if name_and_digest(rest).is_some() { Fault::Malformed } else { doubtful(line) };
    let entry = || {
        let (name, digits) = name_and_digest(rest)?;
        let (function, digest) = valued(function, digits)?;
        let digest = match reversed {
            Some(_) => Digest::from_bytes(&digest.as_bytes().iter().rev().copied().collect::<Vec<u8>>()),
            None => digest,
        };
        let name = if escaped { unescape(name)? } else { name.to_vec() };
        Some(Item::Entry(Entry { name, stated: vec![Stated::of(function, digest)], ..Entry::default() }))
    };
    Some(entry().ok_or(fault))
}

/// Parses a digest. OpenSSL can put colons between its bytes, and has two lengths of SHAKE, which depend on its
/// version.
fn valued(function: Function, digits: &[u8]) -> Option<(Function, Digest)> {
    if digits.get(2) == Some(&b':') {
        let pairs = digits.split(|&b| b == b':');
        let joined: Vec<u8> = pairs.flat_map(|p| if p.len() == 2 { p } else { b"?" }).copied().collect();
        return valued(function, &joined);
    }
    if matches!(&*function.name(), "hmac-shake128" | "hmac-shake256") {
        return fitting(function.algorithm(), digits).map(|(a, digest)| (Function::Hmac(a), digest));
    }
    let Function::Hash(algorithm) = function else { return function.digest(digits).map(|digest| (function, digest)) };
    if matches!(&*algorithm.name(), "shake128" | "shake256") {
        return fitting(algorithm, digits).map(|(a, digest)| (a.into(), digest));
    }
    exactly(algorithm, digits).map(|digest| (function, digest))
}

/// Longest tag in bytes, with the blanks after it.
const MAX_TAG: usize = 64;

/// Splits a line into its tag and what follows the opening parenthesis.
fn tag_of(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let open = memchr::memchr(b'(', &line[..line.len().min(MAX_TAG)])?;
    // RHash pads tags to a fixed width.
    let tag = trim_end(&line[..open]);
    (!tag.is_empty() && tag.iter().all(u8::is_ascii_graphic)).then_some((tag, &line[open + 1..]))
}

/// Returns what is wrong with a line whose tag names no algorithm that is known here, if it is one of this form.
fn unknown(tag: &[u8], rest: &[u8]) -> Option<Fault> {
    let tag = std::str::from_utf8(tag).ok()?;
    let word = |b: u8| b.is_ascii_alphanumeric() || b"-_/:".contains(&b);
    let is_digest = tag.len() >= 8 && is_hex(tag.as_bytes());
    let named = tag.bytes().all(word) && tag.bytes().any(|b| b.is_ascii_alphabetic()) && !is_digest;
    let (_, digest) = name_and_digest(rest)?;
    let digits = digest.len() >= 8 && digest.iter().all(|b| b.is_ascii_alphanumeric() || b"+/=".contains(b));
    (named && digits).then(|| Fault::NoSuchAlgorithm(tag.into()))
}

/// Splits what follows the opening parenthesis into the name and what follows `=`.
fn name_and_digest(rest: &[u8]) -> Option<(&[u8], &[u8])> {
    let close = memchr::memrchr(b')', rest)?;
    let digest = skip_blanks(skip_blanks(&rest[close + 1..]).strip_prefix(b"=")?);
    Some((&rest[..close], digest))
}

/// Returns whether a line has the shape `WORD (name) = …`.
pub(super) fn has_the_shape(line: &[u8]) -> bool {
    let Some(open) = line.iter().take(MAX_TAG).position(|&b| b == b'(') else { return false };
    let tag = trim_end(&line[..open]);
    let word = !tag.is_empty() && !tag.iter().any(|&b| is_blank(b));
    word && name_and_digest(&line[open + 1..]).is_some_and(|(_, digest)| !digest.is_empty())
}

/// Returns whether a line ends as one of this form does, `) = hex`: what is left of one whose name has a line break.
pub(super) fn has_the_end(line: &[u8]) -> bool {
    let digits = |d: &[u8]| d.len() >= 8 && d.iter().all(|&b| b == b':' || b.is_ascii_hexdigit());
    name_and_digest(line).is_some_and(|(_, digest)| digits(trim_end(digest)))
}

struct Writer {
    zero: bool,
    digits: Digits,
}

impl Write for Writer {
    fn entry(&mut self, entry: &Entry, out: &mut Vec<u8>) -> Result<(), Unfit> {
        for stated in &entry.stated {
            let start = out.len();
            if let Some(function) = stated.function {
                out.extend_from_slice(function.to_string().as_bytes());
            }
            out.extend_from_slice(b" (");
            let escaped = if self.zero {
                out.extend_from_slice(&entry.name);
                false
            } else {
                escape(&entry.name, out)
            };
            out.extend_from_slice(b") = ");
            stated.put(self.digits, out);
            if escaped {
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

    /// Written by RHash 1.4.3 with --bsd; the last ones with --base32, and with -b.
    #[test]
    fn tags_of_rhash() {
        let list = "CRC32 (a.txt) = c1ebf7ba\nMD5   (a (b) = c) = a5e54d1fd7bb69a228ef0dcd2431367e\n\
            TTH   (a.txt) = 2crh7hah5utnc2mjd7civsjyf2257j3es2iwk2a\nAICH  (a.txt) = z7d3jcctqskxvzcfxqkjctkfrd3aozi4\n\
            BTIH  (a.txt) = 0e1b1d79d560ecb7426f531f9c9a4cfa0879b837\nRMD160 (a.txt) = 40c77caae4ab36b0ad49c121922883ba538262ef\n\
            HAS-160 (a.txt) = 4641512eac611aa9af4713f5158e3bbc711f328f\nSNEFRU-128 (a.txt) = 07335b77df919e7e4dcf5a3edd9204d8\n\
            MD5   (a.txt) = uxsu2h6xxnu2ekhpbxgsimjwpy\nMD5   (a.txt) = peVNH9e7aaIo7w3NJDE2fg==\n";
        let want = [
            "1 a.txt CRC32=c1ebf7ba",
            "2 a (b) = c MD5=a5e54d1fd7bb69a228ef0dcd2431367e",
            "3 a.txt TTH=2crh7hah5utnc2mjd7civsjyf2257j3es2iwk2a",
            "4 a.txt AICH=z7d3jcctqskxvzcfxqkjctkfrd3aozi4",
            "5 a.txt BTIH=0e1b1d79d560ecb7426f531f9c9a4cfa0879b837",
            "6 a.txt RIPEMD160=40c77caae4ab36b0ad49c121922883ba538262ef",
            "7 bad: digest of an unknown algorithm, HAS-160",
            "8 a.txt SNEFRU128=07335b77df919e7e4dcf5a3edd9204d8",
            "9 a.txt MD5=a5e54d1fd7bb69a228ef0dcd2431367e",
            "10 a.txt MD5=a5e54d1fd7bb69a228ef0dcd2431367e",
        ];
        assert_eq!(read(list, "list").lines, want);
        assert_eq!(
            read("MD5 (a) = \nMD5 (a)\n", "l").lines,
            ["1 bad: checksum line not understood", "2 bad: no checksum line"]
        );
        // What only resembles such a line is not refused for its tag.
        let md5 = "a5e54d1fd7bb69a228ef0dcd2431367e";
        assert_eq!(read(format!("{md5} (a) = 12345678\n"), "list").lines, [format!("1 (a) = 12345678 ?={md5}")]);
        assert_eq!(read(format!("{md5},b(a) = 12345678\n"), "list").lines, [format!("1 b(a) = 12345678 ?={md5}")]);
    }
}
