//! `hex  path` in a file named `manifest-sha256.txt` or `tagmanifest-sha256.txt`: BagIt (RFC 8493), written by bagit.py
//! and the tools of libraries and archives. The algorithm stands in the list's name, and `%0D`, `%0A` and `%25` in a
//! path stand for CR, LF and `%`.

use super::{Base, End, Form, Format, How, Sink, Unfit, Write, is_blank, outside, skip_blanks};
use crate::base::digits::{Digits, from_hex, is_hex};
use crate::base::entry::{Entry, Item};
use crate::base::fault::Fault;
use crate::base::header::Header;
use crate::base::tag::algorithm_of_tag;
use crate::text::source::{Next, Source};
use hashmill::{Algorithm, Digest};
use std::path::Path;

pub(crate) const FORM: Form = Form {
    name: "bagit",
    what: "`hex  path` in `manifest-sha256.txt` (RFC 8493)",
    programs: "bagit.py and other tools for BagIt",
    writes: true,
    lines: false,
    algorithms: "any, which the list's name names",
    several: false,
    sizes: false,
    times: false,
    cannot: "that begin with a blank or an asterisk, or lead out of the folder",
    base: Base::List,
    format: &BagIt,
};

struct BagIt;

impl Format for BagIt {
    fn sniff(&self, head: &[u8], list: &Path) -> bool {
        let Some(algorithm) = of_name(list) else { return false };
        // Lines that begin with a backslash are those of coreutils, whose names are escaped differently.
        let is_one = |line: &[u8]| matches!(entry(line, algorithm), Ok(Item::Entry(_)));
        let is_escaped = |line: &[u8]| line.strip_prefix(b"\\").is_some_and(is_one);
        let lines = || head.split(|&b| matches!(b, b'\n' | b'\r'));
        memchr::memchr(0, head).is_none() && lines().any(is_one) && !lines().any(is_escaped)
    }

    fn read(&self, mut source: Source<'_>, how: &How<'_>, sink: &mut Sink<'_>) -> Result<(), End> {
        let Some(algorithm) = of_name(how.list) else { return super::lines(source, how, sink) };
        // The standard lets lines end with CR, too, which no path can have in it.
        let mut number = 0;
        while let Some(next) = source.next()? {
            let (line, is_inside) = match next {
                Next::TooLong => {
                    number += 1;
                    sink.put(number, Item::Bad(Fault::TooLong))?;
                    continue;
                }
                Next::Line(line) => (line, true),
                Next::Outside(line) => (line, false),
            };
            for line in line.strip_suffix(b"\r").unwrap_or(line).split(|&b| b == b'\r') {
                number += 1;
                let item = if is_inside { entry(line, algorithm).unwrap_or_else(Item::Bad) } else { outside(line) };
                sink.put(number, item)?;
            }
        }
        Ok(())
    }

    fn writer(&self, header: &Header) -> Option<Box<dyn Write>> {
        Some(Box::new(Writer { algorithm: header.functions.first().and_then(|f| f.plain()) }))
    }
}

/// Returns the algorithm that the name of a manifest, or of a tag manifest, names.
pub fn of_name(list: &Path) -> Option<Algorithm> {
    let name = list.file_name()?.to_str()?.to_ascii_lowercase();
    let name = name.strip_prefix("tag").unwrap_or(&name);
    let name = name.strip_prefix("manifest-")?.strip_suffix(".txt")?;
    algorithm_of_tag(name).or_else(|| {
        // The standard has only letters and digits in names: `sha3256`.
        let plain = |a: &Algorithm| a.name().chars().filter(char::is_ascii_alphanumeric).collect::<String>();
        let name: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        let mut found = Algorithm::all().filter(|a| plain(a) == name);
        found.next().filter(|_| found.next().is_none())
    })
}

/// Returns what a line says.
fn entry(line: &[u8], algorithm: Algorithm) -> Result<Item, Fault> {
    let Some((digest, path)) = self::line(line, algorithm)? else { return Ok(Item::Nothing) };
    let name = decode(path);
    let literal = (name != path).then(|| path.to_vec());
    Ok(Item::Entry(Entry { literal, ..Entry::new(name, Some(algorithm), digest) }))
}

/// Returns the digest and the path in a line of a manifest, as it is spelled there but for an asterisk before it, or
/// `None` if the line is blank or a comment.
///
/// # Errors
/// Returns what is wrong with the line.
pub fn line(line: &[u8], algorithm: Algorithm) -> Result<Option<(Digest, &[u8])>, Fault> {
    let line = skip_blanks(line);
    if line.is_empty() || line.first() == Some(&b'#') {
        return Ok(None);
    }
    let (digest, rest) = line.split_at(line.iter().position(|&b| is_blank(b)).unwrap_or(line.len()));
    let path = skip_blanks(rest);
    if path.is_empty() {
        return Err(if is_hex(digest) { Fault::NoName } else { Fault::Malformed });
    }
    let path = path.strip_prefix(b"*").unwrap_or(path);
    if path.is_empty() || path.contains(&0) {
        return Err(Fault::Malformed);
    }
    let digest = from_hex(digest).filter(|d| d.as_bytes().len() == algorithm.digest_len()).ok_or(Fault::Malformed)?;
    Ok(Some((digest, path)))
}

/// Decodes the three characters that are encoded in a path, and leaves every other `%` as it is.
pub fn decode(path: &[u8]) -> Vec<u8> {
    decoded(path, true)
}

/// Decodes only CR and LF, as programs do that leave `%` as it is when they write a path.
pub fn decode_line_ends(path: &[u8]) -> Vec<u8> {
    decoded(path, false)
}

fn decoded(path: &[u8], percent: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(path.len());
    let mut rest = path;
    while let Some((&b, after)) = rest.split_first() {
        let (byte, after) = match rest {
            [b'%', b'0', b'd' | b'D', after @ ..] => (b'\r', after),
            [b'%', b'0', b'a' | b'A', after @ ..] => (b'\n', after),
            [b'%', b'2', b'5', after @ ..] if percent => (b'%', after),
            _ => (b, after),
        };
        out.push(byte);
        rest = after;
    }
    out
}

/// Appends a path with CR and LF encoded, and `%` if that is wanted, too: RFC 8493 does, the drafts before it do not.
pub fn encode(path: &[u8], percent: bool, out: &mut Vec<u8>) {
    for &b in path {
        match b {
            b'\r' => out.extend_from_slice(b"%0D"),
            b'\n' => out.extend_from_slice(b"%0A"),
            b'%' if percent => out.extend_from_slice(b"%25"),
            b => out.push(b),
        }
    }
}

struct Writer {
    algorithm: Option<Algorithm>,
}

impl Write for Writer {
    fn entry(&mut self, entry: &Entry, out: &mut Vec<u8>) -> Result<(), Unfit> {
        let stated = match (&*entry.stated, self.algorithm) {
            ([stated], _) => stated,
            (several, Some(a)) => {
                several.iter().find(|s| s.algorithm() == Some(a)).ok_or(Unfit::Algorithm(a.into()))?
            }
            _ => return Err(Unfit::Name("several digests")),
        };
        if let Some(a) = self.algorithm
            && stated.function.is_some()
            && stated.algorithm() != Some(a)
        {
            return Err(Unfit::Algorithm(stated.function.unwrap_or(a.into())));
        }
        match entry.name.first() {
            None => return Err(Unfit::Name("empty")),
            Some(b' ' | b'\t') => return Err(Unfit::Name("begins with a blank")),
            Some(b'*') => return Err(Unfit::Name("begins with an asterisk")),
            Some(_) => super::within(&entry.name)?,
        }
        Digits::Hex.put(out, stated.digest.as_bytes());
        out.extend_from_slice(b"  ");
        encode(&entry.name, true, out);
        out.push(b'\n');
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Written, attack, entry, header, read, samples, write};
    use super::*;

    /// Written by bagit.py 1.9.
    const MANIFEST: &str = "\
0cc175b9c0f1b6a831c399e269772661  data/ lead trail \n\
2510c39011c5be704182423e3a695e91  data/#hash\n\
b2f5ff47436671b6e533d8dc3614845d  data/a,b)\n\
4a8a08f09d37b73795649038408b5f33  data/back\\slash\n\
e1671797c52e15f763380b45e841ec32  data/c%0Dr\n\
8277e0910d750195b448797616e091ad  data/new%0Aline\n\
363b122c528f54df4a0446b6bab05515  data/ü☃\n";

    const MD5: &str = "5d41402abc4b2a76b9719d911017c592";

    #[test]
    fn what_is_written_by_bagit_py() {
        let names = [
            "1 data/ lead trail  MD5=0cc175b9c0f1b6a831c399e269772661",
            "2 data/#hash MD5=2510c39011c5be704182423e3a695e91",
            "3 data/a,b) MD5=b2f5ff47436671b6e533d8dc3614845d",
            "4 data/back\\\\slash MD5=4a8a08f09d37b73795649038408b5f33",
            "5 data/c\\rr MD5=e1671797c52e15f763380b45e841ec32",
            "6 data/new\\nline MD5=8277e0910d750195b448797616e091ad",
            "7 data/\\xc3\\xbc\\xe2\\x98\\x83 MD5=363b122c528f54df4a0446b6bab05515",
        ];
        for name in ["manifest-md5.txt", "bag/Manifest-MD5.TXT", "tagmanifest-md5.txt"] {
            assert_eq!(read(MANIFEST, name).lines, names);
            assert_eq!(read(MANIFEST.replace('\n', "\r\n"), name).lines, names);
            assert_eq!(read(MANIFEST.replace('\n', "\r"), name).lines, names);
            assert_eq!(read(format!("\u{feff}{MANIFEST}"), name).lines, names);
        }
        let tag = "9fed28e590abcf1d241e56ee060fa578 manifest-sha256.txt\n";
        let want = ["1 manifest-sha256.txt MD5=9fed28e590abcf1d241e56ee060fa578"];
        assert_eq!(read(tag, "tagmanifest-md5.txt").lines, want);
    }

    #[test]
    fn lines() {
        let first = format!("{MD5}  x\n");
        let one = |line: &[u8]| read([first.as_bytes(), line].concat(), "manifest-md5.txt").lines[1..].join("|");
        let with = |rest: &str| one(format!("{MD5}{rest}").as_bytes());
        for rest in [" a", "  a", "\ta", " \t a", " *a", "  *a"] {
            assert_eq!(with(rest), format!("2 a MD5={MD5}"), "{rest:?}");
        }
        assert_eq!(one(format!("{}  a", MD5.to_uppercase()).as_bytes()), format!("2 a MD5={MD5}"));
        assert_eq!(with("  %0d%0D%0a%0A%25%41%%2500%2"), format!("2 \\r\\r\\n\\n%%41%%00%2 MD5={MD5}"));
        assert_eq!(one(&[MD5.as_bytes(), b"  a\xffb"].concat()), format!("2 a\\xffb MD5={MD5}"));
        for rest in ["", " ", " \t"] {
            assert_eq!(with(rest), "2 bad: a digest without the name of its file");
        }
        for line in
            ["0123  a", "x", "5d41402abc4b2a76b9719d911017c59g  a", "MD5 (a) = 5d41402abc4b2a76b9719d911017c592"]
        {
            assert_eq!(one(line.as_bytes()), "2 bad: checksum line not understood", "{line}");
        }
        assert_eq!(with("  *"), "2 bad: checksum line not understood");
        assert_eq!(with(&format!("  {}", "a".repeat(70 << 10))), "2 bad: line too long for a checksum line");
        assert_eq!(one(b"# x\n\n \n"), "");
    }

    #[test]
    fn names_of_manifests() {
        let of = |name: &str| of_name(Path::new(name)).map(|a| a.name().into_owned()).unwrap_or_default();
        assert_eq!(of("manifest-sha512.txt"), "sha512");
        assert_eq!(of("tagmanifest-SHA256.txt"), "sha256");
        assert_eq!(of("manifest-sha3_256.txt"), "sha3-256");
        assert_eq!(of("manifest-sha3256.txt"), "sha3-256");
        assert_eq!(of("manifest-blake2b.txt"), "blake2b-512");
        for name in ["manifest-none.txt", "manifest-sha256", "manifest.txt", "xmanifest-md5.txt", "manifest-.txt"] {
            assert_eq!(of(name), "", "{name}");
        }
    }

    /// A list of another form may have such a name.
    #[test]
    fn what_is_no_manifest() {
        let sniff = |head: &str| BagIt.sniff(head.as_bytes(), Path::new("manifest-md5.txt"));
        assert!(sniff(&format!("{MD5}  a\n")));
        assert!(!BagIt.sniff(format!("{MD5}  a\n").as_bytes(), Path::new("md5.txt")));
        for head in [
            String::new(),
            MD5.into(),
            format!("MD5 (a) = {MD5}\n"),
            format!("{MD5}{MD5}  a\n"),
            format!("{MD5}  a\n\\{MD5}  b\\nc\n"),
            format!("{MD5}  a\0{MD5}  b\0"),
        ] {
            assert!(!sniff(&head), "{head:?}");
        }
    }

    #[test]
    fn there_and_back() {
        let Written { list, held, unfit } = write(&FORM, &header(&["md5"]), &samples(&["md5"]));
        let mut back = read(&list, "manifest-md5.txt").entries;
        back.iter_mut().for_each(|e| e.literal = None);
        assert_eq!(back, held);
        assert_eq!(unfit, [" lead trail ", " lead", "/root/x", "../x", r"\tx", " ", "*a"]);
        for name in [&b" a"[..], b"\ta", b"*a", b"/a", b"../a", b"a/..", b""] {
            let unfit = write(&FORM, &header(&["md5"]), &[entry(name, &["md5"])]).unfit;
            assert_eq!(unfit.len(), 1, "{}", name.escape_ascii());
        }
        assert_eq!(write(&FORM, &header(&["md5"]), &[entry(b"a", &["sha1"])]).unfit, ["a"]);
        let both = entry(b"a", &["sha1", "md5"]);
        let list = write(&FORM, &header(&["md5"]), std::slice::from_ref(&both)).list;
        assert_eq!(read(list, "manifest-md5.txt").lines, [format!("1 a MD5={}", both.stated[1].digest)]);
    }

    #[test]
    fn damage() {
        assert_eq!(attack(MANIFEST, "manifest-md5.txt"), []);
    }
}
