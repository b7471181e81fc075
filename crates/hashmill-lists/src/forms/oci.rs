//! `sha256:hex  name`: digests of images (OCI, Docker) and of Nix, with or without a name; and Subresource Integrity
//! (W3C), `sha256-base64`, of which a line may have several: the strongest algorithm counts, and its digests are
//! alternatives.
//!
//! None of them defines how a name follows, so names are separated and escaped as in the form of coreutils.

use super::gnu;
use super::{Base, Form, Format, Lines, Unfit, Write, doubtful, skip_blanks};
use crate::base::digits::{Digits, from_base64, from_hex, from_nix32, is_hex};
use crate::base::entry::{Entry, Item, Stated};
use crate::base::fault::Fault;
use crate::base::header::Header;
use crate::base::names::{escape, unescape};
use crate::base::tag::algorithm_of_tag;
use hashmill::{Algorithm, Digest};

pub(crate) const FORM: Form = Form {
    name: "oci",
    what: "`sha256:hex  name`; `sha256-base64` is read, too",
    programs: "Docker and other OCI tools, Nix, browsers' Subresource Integrity",
    writes: true,
    lines: true,
    algorithms: "any without parameters",
    several: true,
    sizes: false,
    times: false,
    cannot: "",
    base: Base::Current,
    format: &Oci,
};

struct Oci;

/// Maximum length of an algorithm's name.
const MAX_NAME: usize = 32;

impl Format for Oci {
    fn line(&self, line: &[u8], lines: &mut Lines) -> Option<Result<Item, Fault>> {
        let rest = skip_blanks(line);
        let (escaped, rest) = match rest.strip_prefix(b"\\") {
            Some(rest) if !lines.zero => (true, rest),
            _ => (false, rest),
        };
        let (first, after) = rest.split_at(word(rest));
        let (stated, after) = match colon(first) {
            Some(Ok(stated)) => (stated, after),
            Some(Err(fault)) => return Some(Err(fault)),
            None => match integrity(rest, lines.given)? {
                Ok((stated, used)) => (stated, rest.get(used..)?),
                Err(fault) => return Some(Err(fault)),
            },
        };
        if stated.algorithm().is_some_and(|a| lines.is_other(a)) {
            return Some(Err(Fault::OtherAlgorithm));
        }
        if gnu::is_alone(lines, after) {
            return Some(if escaped { Err(doubtful(line)) } else { Ok(Item::Lone(stated)) });
        }
        let named = || {
            let name = gnu::name(lines, after.get(1..)?)?;
            let name = if escaped { unescape(name)? } else { name.to_vec() };
            Some(Item::Entry(Entry { name, stated: vec![stated], ..Entry::default() }))
        };
        Some(named().ok_or(Fault::Malformed))
    }

    fn writer(&self, header: &Header) -> Option<Box<dyn Write>> {
        Some(Box::new(Writer { zero: header.zero }))
    }
}

/// Returns the length of the first word.
fn word(text: &[u8]) -> usize {
    memchr::memchr2(b' ', b'\t', text).unwrap_or(text.len())
}

/// Parses `sha256:` and the digest in hex, or in the base32 or base64 of Nix. Returns `None` if it is something else.
fn colon(word: &[u8]) -> Option<Result<Stated, Fault>> {
    let at = memchr::memchr(b':', &word[..word.len().min(MAX_NAME)])?;
    let (name, value) = (&word[..at], &word[at + 1..]);
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || b"+._-/".contains(b);
    let name = std::str::from_utf8(name).ok().filter(|n| !n.is_empty() && n.bytes().all(|b| is_name(&b)))?;
    let long = value.len() >= 32 && is_hex(value);
    let Some(a) = algorithm_of_tag(name) else {
        return long.then(|| Err(Fault::NoSuchAlgorithm(name.into())));
    };
    let len = a.digest_len();
    let digest = if value.len() == 2 * len { from_hex(value) } else { None };
    match digest.or_else(|| from_nix32(value, len)).or_else(|| from_base64(value, len)) {
        Some(digest) => Some(Ok(Stated::new(Some(a), digest))),
        None => {
            let is_word = !value.is_empty() && value.iter().all(u8::is_ascii_alphanumeric);
            (long || is_word).then_some(Err(Fault::Malformed))
        }
    }
}

/// Parses one digest of Subresource Integrity, without its options. An algorithm that is not known has none.
fn one(word: &[u8]) -> Option<(&str, Option<(Algorithm, Digest)>)> {
    let word = &word[..memchr::memchr(b'?', word).unwrap_or(word.len())];
    let at = memchr::memchr(b'-', &word[..word.len().min(MAX_NAME)])?;
    let (name, value) = (std::str::from_utf8(&word[..at]).ok()?, &word[at + 1..]);
    let base64 = |b: &u8| b.is_ascii_alphanumeric() || b"+/=".contains(b);
    let plausible = value.len() >= 24 && value.len() % 4 == 0 && value.iter().all(base64);
    let known = ["md5", "sha1", "sha256", "sha384", "sha512", "blake3"].contains(&name);
    if known {
        let a = Algorithm::named(name)?;
        let digest = from_base64(value, a.digest_len());
        return (digest.is_some() || plausible).then_some((name, digest.map(|d| (a, d))));
    }
    let like = name.strip_prefix("sha").is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit()));
    (like && plausible && value.len() >= 40).then_some((name, None))
}

/// Parses the digests of Subresource Integrity at the beginning of a text. Returns what they state, and how many bytes
/// they take; `None` if there are none. The algorithm that is given counts if it is among them, otherwise the
/// strongest.
pub(super) fn integrity(text: &[u8], given: Option<Algorithm>) -> Option<Result<(Stated, usize), Fault>> {
    let mut best: Option<Stated> = None;
    let mut unknown = None;
    let (mut used, mut at) = (0, 0);
    while let Some((name, found)) = one(&text[at..at + word(&text[at..])]) {
        used = at + word(&text[at..]);
        at = text.len() - skip_blanks(&text[used..]).len();
        match found {
            // The digest of a known algorithm is damaged.
            None if Algorithm::named(name).is_some() => return Some(Err(Fault::Malformed)),
            None => unknown = Some(name),
            Some((a, digest)) => {
                let rank = |a: Algorithm| (given == Some(a), a.digest_len());
                match &mut best {
                    Some(b) if b.algorithm() == Some(a) => b.or.push(digest),
                    Some(b) if b.algorithm().is_some_and(|b| rank(b) > rank(a)) => {}
                    _ => best = Some(Stated::new(Some(a), digest)),
                }
            }
        }
    }
    match (best, unknown) {
        (Some(stated), _) => Some(Ok((stated, used))),
        (None, Some(name)) => Some(Err(Fault::NoSuchAlgorithm(name.into()))),
        (None, None) => None,
    }
}

struct Writer {
    zero: bool,
}

impl Write for Writer {
    fn entry(&mut self, entry: &Entry, out: &mut Vec<u8>) -> Result<(), Unfit> {
        for stated in &entry.stated {
            let function = stated.function.ok_or(Unfit::Lacks("the algorithm's name"))?;
            let a = stated.algorithm().ok_or(Unfit::Algorithm(function))?;
            let name = a.name();
            // What follows the first colon is the digest.
            if name.contains(':') || readable(&name).is_none() {
                return Err(Unfit::Algorithm(a.into()));
            }
            let start = out.len();
            out.extend_from_slice(name.as_bytes());
            out.push(b':');
            Digits::Hex.put(out, stated.digest.as_bytes());
            out.extend_from_slice(b"  ");
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

/// Returns the name of an algorithm if it can stand before the colon.
fn readable(name: &str) -> Option<&str> {
    let is_name = |b: u8| b.is_ascii_alphanumeric() || b"+._-/".contains(&b);
    (name.len() < MAX_NAME && name.bytes().all(is_name)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Written, attack, entry, header, read, samples, write};
    use super::*;

    const HEX: &str = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
    const BASE64: &str = "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=";

    /// Returns what a list says last, with `…` in place of the digest.
    fn last(list: impl AsRef<[u8]>) -> String {
        read(list, "list").lines.pop().unwrap().replace(HEX, "…")
    }

    #[test]
    fn lines_of_every_kind() {
        assert_eq!(last(format!("sha256:{HEX}  a b")), "1 a b SHA256=…");
        assert_eq!(last(format!("sha256:{HEX} *a")), "1 a SHA256=…");
        assert_eq!(last(format!("sha256:{HEX} a")), "1 a SHA256=…");
        assert_eq!(last(format!("sha256:{HEX}\ta\r")), "1 a SHA256=…");
        assert_eq!(last(format!("SHA256:{}    x ", HEX.to_uppercase())), "1   x  SHA256=…");
        assert_eq!(last(format!("\\sha256:{HEX}  a\\n\\\\")), r"1 a\n\\ SHA256=…");
        assert_eq!(last(format!("sha256:{HEX}")), "1 lone SHA256=…");
        assert_eq!(last(format!("blake3:{HEX}  sha256:{HEX}")), "1 sha256:… BLAKE3=…");
        assert_eq!(last(format!("sha256-{BASE64}")), "1 lone SHA256=…");
        assert_eq!(last(format!("sha256-{BASE64}?ct=application/x  a.js")), "1 a.js SHA256=…");
        assert_eq!(last(format!("sha256:{BASE64}  nix")), "1 nix SHA256=…");
        // From the manual of Nix, and by its definition.
        assert_eq!(
            last("sha1:vw46m23bizj4n8afrc0fj19wrp7mj3c0  nix"),
            "1 nix SHA1=800d59cfcd3c05e900cb4e214be48f6b886a08df"
        );
    }

    #[test]
    fn integrities() {
        let of = |name: &str, text: &[u8]| {
            let digest = Algorithm::named(name).unwrap().digest(text);
            let mut out = format!("{name}-").into_bytes();
            Digits::Base64.put(&mut out, digest.as_bytes());
            (String::from_utf8(out).unwrap(), digest)
        };
        let ((one, a), (two, b), (other, c)) = (of("sha256", b"a"), of("sha384", b"a"), of("sha384", b"b"));
        assert_eq!(last(format!("{one} {two}  {other}?x")), format!("1 lone SHA384={b}|{c}"));
        assert_eq!(last(format!("{two} {one} {other} a b")), format!("1 a b SHA384={b}|{c}"));
        assert_eq!(last(format!("sha999-{BASE64} {one}")), format!("1 lone SHA256={a}"));
        assert_eq!(last(format!("sha999-{BASE64}")), "1 bad: digest of an unknown algorithm, sha999");
        let given = Algorithm::named("sha256");
        let (stated, used) = integrity(format!("{two} {one} x").as_bytes(), given).unwrap().unwrap();
        assert_eq!((stated.algorithm(), used), (given, two.len() + one.len() + 1));
    }

    #[test]
    fn faulty_lines() {
        let bad = "1 bad: checksum line not understood";
        for line in [
            format!("sha256:{}  a", &HEX[2..]),
            format!("sha256:{}g  a", &HEX[1..]),
            format!("sha256-{}  a", &BASE64[4..]),
            format!("sha512-{BASE64}  a"),
            format!("\\sha256:{HEX}"),
            format!("\\sha256:{HEX}  a\\q"),
        ] {
            assert_eq!(last(&line), bad, "{line}");
        }
        assert_eq!(last(format!("foo:{HEX}  a")), "1 bad: digest of an unknown algorithm, foo");
        for line in ["sha256:", "sha256-", "sha256: no", "a:b", "C:\\x", "sha256-abc  x", ":", "-"] {
            assert_eq!(last(line), "1 bad: no checksum line", "{line}");
        }
    }

    #[test]
    fn there_and_back() {
        for name in ["sha256", "blake3", "sha3-256", "sha512-256", "blake2b-512", "crc32c"] {
            let Written { list, held, unfit } = write(&FORM, &header(&[]), &samples(&[name]));
            assert!(unfit.is_empty());
            assert!(list.starts_with(format!("{name}:").as_bytes()));
            let said = read(&list, "list");
            assert_eq!(said.entries, held);
            assert!(said.faults.is_empty());
        }
        assert_eq!(write(&FORM, &header(&[]), &[entry(b"a", &["xxh64:seed=7"])]).unfit, ["a"]);
    }

    #[test]
    fn damage() {
        assert_eq!(attack(format!("sha256:{HEX}  a b\nsha256-{BASE64}  c\n"), "list"), []);
    }
}
