//! `SHA256 (name) = hex`, which names the algorithm: the BSDs' `md5` to `sha512`, coreutils' `--tag`, OpenSSL's `dgst`
//! (`SHA2-256(name)= hex`), `b3sum --tag`, `xxhsum --tag`, `rhash --bsd`.

use super::gnu::exactly;
use super::{Base, Form, Format, Lines, Unfit, Write, doubtful, is_blank, skip_blanks, trim_end};
use crate::base::digits::Digits;
use crate::base::entry::{Entry, Item};
use crate::base::fault::Fault;
use crate::base::header::Header;
use crate::base::names::{escape, unescape};

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
        let rest = skip_blanks(line);
        let (escaped, rest) = match rest.strip_prefix(b"\\") {
            Some(rest) if !lines.zero => (true, rest),
            _ => (false, rest),
        };
        let (tag, rest) = tag_of(rest)?;
        let algorithm = lines.tagged(tag)?;
        if lines.is_other(algorithm) {
            return Some(Err(Fault::OtherAlgorithm));
        }
        let entry = || {
            let (name, digest) = name_and_digest(rest)?;
            let digest = exactly(algorithm, digest)?;
            let name = if escaped { unescape(name)? } else { name.to_vec() };
            Some(Item::Entry(Entry::new(name, Some(algorithm), digest)))
        };
        Some(entry().ok_or_else(|| doubtful(line)))
    }

    fn writer(&self, header: &Header) -> Option<Box<dyn Write>> {
        Some(Box::new(Writer { zero: header.zero, digits: header.digits }))
    }
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
            self.digits.put(out, stated.digest.as_bytes());
            if escaped {
                out.insert(start, b'\\');
            }
            out.push(if self.zero { 0 } else { b'\n' });
        }
        Ok(())
    }
}
