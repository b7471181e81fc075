//! Reading lists, line by line. The rules are those of coreutils' `cksum --check`, and where it reads only what it has been told
//! the algorithm of, the algorithm is found.

use super::tag::algorithm_of_tag;
use hashmill::{Algorithm, Digest};
use std::ffi::OsString;
use std::io::{self, BufRead};
use std::path::Path;

/// A longer line is no checksum line: enough for any path and any digest that people print.
pub const MAX_LINE: usize = 68 << 10;

/// One file's digest, as a list states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The algorithm, with the digest's length as its parameter where that can vary.
    pub algorithm: Algorithm,
    /// What the file's digest should be.
    pub digest: Digest,
    /// The file's name, to the byte.
    pub name: OsString,
}

/// What a line says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// Nothing: it is blank or a comment.
    Nothing,
    /// The digest of a file.
    Entry(Entry),
    /// It is improperly formatted.
    Bad,
}

/// Understands the lines of one list, in their order.
#[derive(Debug, Clone)]
pub struct Parser {
    given: Option<Algorithm>,
    hint: Option<Algorithm>,
    /// Whether the list has one blank between digest and name (BSD's `md5 -r`); the first line without a tag decides. A mixture
    /// would let names that begin with a blank change places with others.
    reversed: Option<bool>,
}

impl Parser {
    /// A parser for the list `name`. Lines without a tag are of the algorithm `given`, and lines whose tag names another are
    /// improperly formatted. If it is not given, the list's name may help (`SHA256SUMS`, `x.md5`), else the digest's length
    /// decides: CRC-32, XXH64, MD5, SHA-1 or SHA-2.
    pub fn new(given: Option<Algorithm>, name: &Path) -> Self {
        Parser { given, hint: if given.is_some() { None } else { hint(name) }, reversed: None }
    }

    /// The algorithm that lines without a tag are expected to be of.
    pub fn expected(&self) -> Option<Algorithm> {
        self.given.or(self.hint)
    }

    /// Understands one line, given without its LF. A CR at its end is ignored.
    pub fn line(&mut self, line: &[u8]) -> Line {
        if line.first() == Some(&b'#') {
            return Line::Nothing;
        }
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            return Line::Nothing;
        }
        match self.entry(line) {
            Some(e) => Line::Entry(e),
            None => Line::Bad,
        }
    }

    fn entry(&mut self, line: &[u8]) -> Option<Entry> {
        if line.contains(&0) {
            return None;
        }
        let line = skip_blanks(line);
        if line.first() == Some(&b'{') {
            return self.object(line);
        }
        let (escaped, line) = match line.strip_prefix(b"\\") {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        let (algorithm, digest, name) = match tagged(line) {
            Some((a, rest)) => {
                if self.given.is_some_and(|g| base(g) != base(a)) {
                    return None;
                }
                let close = rest.iter().rposition(|&b| b == b')')?;
                let digest = skip_blanks(skip_blanks(&rest[close + 1..]).strip_prefix(b"=")?);
                (a, exactly(a, digest)?, &rest[..close])
            }
            None => {
                let end = line.iter().position(|&b| is_blank(b))?;
                let (a, digest) = self.untagged(&line[..end])?;
                (a, digest, self.untagged_name(&line[end + 1..])?)
            }
        };
        let name = if escaped { unescape(name)? } else { name.to_vec() };
        Some(Entry { algorithm, digest, name: os_string(name)? })
    }

    /// A line that is a JSON object: `path` (or `path_hex`), `algorithm` and `digest`; what else it has is for others.
    fn object(&self, line: &[u8]) -> Option<Entry> {
        let object: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(line).ok()?;
        let text = |key| object.get(key).and_then(serde_json::Value::as_str);
        let algorithm: Algorithm = text("algorithm")?.parse().ok()?;
        if self.given.is_some_and(|g| base(g) != base(algorithm)) {
            return None;
        }
        let name = match (text("path"), text("path_hex")) {
            (Some(path), None) => path.as_bytes().to_vec(),
            (None, Some(hex)) => bytes_of_hex(hex.as_bytes())?,
            _ => return None,
        };
        if name.is_empty() || name.contains(&0) {
            return None;
        }
        let (algorithm, digest) = fitting(algorithm, text("digest")?.as_bytes())?;
        Some(Entry { algorithm, digest, name: os_string(name)? })
    }

    /// The algorithm and value of a digest without a tag.
    fn untagged(&self, digest: &[u8]) -> Option<(Algorithm, Digest)> {
        let (digest, prefixed) = match digest.strip_prefix(b"XXH3_") {
            Some(rest) => (rest, Some("xxh3".parse().ok()?)),
            None => (digest, None),
        };
        if let Some(a) = prefixed {
            return if self.given.is_some_and(|g| g != a) { None } else { exactly(a, digest).map(|d| (a, d)) };
        }
        if let Some(a) = self.given {
            return fitting(a, digest);
        }
        if let Some(found) = self.hint.and_then(|a| fitting(a, digest)) {
            return Some(found);
        }
        const USUAL: [&str; 8] = ["crc32", "xxh64", "md5", "sha1", "sha224", "sha256", "sha384", "sha512"];
        // Hex of one length may also be base64 of another; hex is what people write.
        let usual = || USUAL.iter().filter_map(|name| name.parse::<Algorithm>().ok());
        usual()
            .find_map(|a| from_hex(digest, a.digest_len()).map(|d| (a, d)))
            .or_else(|| usual().find_map(|a| exactly(a, digest).map(|d| (a, d))))
    }

    /// The name, from what comes after the digest and a blank.
    fn untagged_name<'l>(&mut self, rest: &'l [u8]) -> Option<&'l [u8]> {
        let (&first, more) = rest.split_first()?;
        if more.is_empty() || !matches!(first, b' ' | b'*') {
            if self.reversed == Some(false) || more.is_empty() && is_blank(first) {
                return None;
            }
            self.reversed = Some(true);
            return Some(rest);
        }
        if self.reversed == Some(true) {
            return Some(rest);
        }
        self.reversed = Some(false);
        Some(more)
    }
}

fn is_blank(b: u8) -> bool {
    matches!(b, b' ' | b'\t')
}

fn skip_blanks(s: &[u8]) -> &[u8] {
    &s[s.iter().position(|&b| !is_blank(b)).unwrap_or(s.len())..]
}

/// The algorithm's name without parameters.
fn base(a: Algorithm) -> String {
    let name = a.name();
    name.split(':').next().unwrap_or_default().to_string()
}

/// The algorithm of a line with a tag, and what follows the opening parenthesis.
fn tagged(line: &[u8]) -> Option<(Algorithm, &[u8])> {
    let open = line.iter().take(64).position(|&b| b == b'(')?;
    let tag = &line[..open];
    let tag = tag.strip_suffix(b" ").unwrap_or(tag);
    if tag.is_empty() || !tag.iter().all(|b| b.is_ascii_graphic()) {
        return None;
    }
    Some((algorithm_of_tag(std::str::from_utf8(tag).ok()?)?, &line[open + 1..]))
}

/// A digest in hex of exactly `len` bytes.
fn from_hex(digest: &[u8], len: usize) -> Option<Digest> {
    if digest.len() == 2 * len { Digest::from_hex(digest) } else { None }
}

/// Bytes written in hex.
fn bytes_of_hex(text: &[u8]) -> Option<Vec<u8>> {
    let digit = |c: u8| char::from(c).to_digit(16);
    let (pairs, rest) = text.as_chunks::<2>();
    let bytes = pairs.iter().map(|p| Some((digit(p[0])? << 4 | digit(p[1])?) as u8)).collect();
    if rest.is_empty() { bytes } else { None }
}

/// A digest of exactly the algorithm's length, in hex or base64.
fn exactly(a: Algorithm, digest: &[u8]) -> Option<Digest> {
    from_hex(digest, a.digest_len()).or_else(|| from_base64(digest, a.digest_len()))
}

/// A digest of the algorithm, whose length is set to the digest's where it can vary and has not been chosen.
fn fitting(a: Algorithm, digest: &[u8]) -> Option<(Algorithm, Digest)> {
    if let Some(d) = exactly(a, digest) {
        return Some((a, d));
    }
    if a.name().contains(':') {
        return None;
    }
    let d = Digest::from_hex(digest)?;
    Some((a.with_digest_len(d.as_bytes().len()).ok()?, d))
}

/// Base64 of exactly `len` bytes with its padding.
fn from_base64(text: &[u8], len: usize) -> Option<Digest> {
    if text.len() != len.div_ceil(3) * 4 {
        return None;
    }
    let padding = (3 - len % 3) % 3;
    let (symbols, end) = text.split_at(text.len() - padding);
    if end.iter().any(|&b| b != b'=') {
        return None;
    }
    let (mut bytes, mut bits, mut have) = (Vec::with_capacity(len), 0u32, 0);
    for &c in symbols {
        let value = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        have += 6;
        if have >= 8 {
            have -= 8;
            bytes.push((bits >> have) as u8);
            bits &= (1 << have) - 1;
        }
    }
    // Bits that belong to no byte must be zero: one digest, one spelling.
    if bits != 0 || bytes.len() != len {
        return None;
    }
    Some(Digest::from_bytes(&bytes))
}

/// Undoes `escape`. Any other escape is an error.
fn unescape(name: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(name.len());
    let mut bytes = name.iter();
    while let Some(&b) = bytes.next() {
        out.push(match b {
            b'\\' => match bytes.next()? {
                b'\\' => b'\\',
                b'n' => b'\n',
                b'r' => b'\r',
                _ => return None,
            },
            b => b,
        });
    }
    Some(out)
}

#[cfg(unix)]
fn os_string(name: Vec<u8>) -> Option<OsString> {
    use std::os::unix::ffi::OsStringExt;
    Some(OsString::from_vec(name))
}

#[cfg(not(unix))]
fn os_string(name: Vec<u8>) -> Option<OsString> {
    String::from_utf8(name).ok().map(OsString::from)
}

/// The algorithm that a list's name speaks of: `SHA256SUMS`, `sha512sum.txt`, `x.md5`, `b2sums`.
fn hint(list: &Path) -> Option<Algorithm> {
    let mut name = list.file_name()?.to_str()?.to_ascii_lowercase();
    loop {
        let last = name.rsplit('.').next().unwrap_or_default();
        for word in [last, name.split(['.', '_']).next().unwrap_or_default()] {
            let word = word.strip_suffix("sums").or_else(|| word.strip_suffix("sum")).unwrap_or(word);
            let word = word.trim_end_matches(['-', '_']);
            if let Ok(a) = word.parse() {
                return Some(a);
            }
        }
        // `SHA256SUMS.txt`, `x.sha256.asc`
        name.truncate(name.rfind('.')?);
    }
}

/// Lines of any stream, none of them longer in memory than [`MAX_LINE`].
#[derive(Debug)]
pub struct LineReader<R> {
    inner: R,
    line: Vec<u8>,
}

impl<R: BufRead> LineReader<R> {
    /// Reads lines from `inner`.
    pub fn new(inner: R) -> Self {
        LineReader { inner, line: Vec::new() }
    }

    /// The next line without its LF; `Some(None)` stands for one that is too long, nothing for the end.
    ///
    /// # Errors
    /// If reading fails.
    pub fn next_line(&mut self) -> io::Result<Option<Option<&[u8]>>> {
        self.line.clear();
        let mut too_long = false;
        let mut any = false;
        loop {
            let chunk = match self.inner.fill_buf() {
                Ok(c) => c,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(e),
            };
            if chunk.is_empty() {
                break;
            }
            any = true;
            let end = chunk.iter().position(|&b| b == b'\n');
            let part = &chunk[..end.unwrap_or(chunk.len())];
            if self.line.len() + part.len() > MAX_LINE {
                too_long = true;
            }
            if !too_long {
                self.line.extend_from_slice(part);
            }
            let used = part.len() + usize::from(end.is_some());
            self.inner.consume(used);
            if end.is_some() {
                break;
            }
        }
        Ok(any.then_some(if too_long { None } else { Some(&self.line) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is written is read again, whatever the name.
    #[test]
    fn objects() {
        use super::super::{Form, Style, write_entry};
        use std::os::unix::ffi::OsStringExt;
        let a: Algorithm = "sha1".parse().unwrap();
        let digest = Digest::from_hex(SHA1.as_bytes()).unwrap();
        for name in [&b"a"[..], b" x\\\n\"", "\u{e9}".as_bytes(), b"\xff\n"] {
            let name = OsString::from_vec(name.to_vec());
            let mut line = Vec::new();
            write_entry(&mut line, Style { form: Form::Json, zero: false }, a, &name, &digest);
            let want = Line::Entry(Entry { algorithm: a, digest: digest.clone(), name });
            assert_eq!(parser("x").line(line.strip_suffix(b"\n").unwrap()), want);
        }
        let bad = |line: &str| assert_eq!(parser("x").line(line.as_bytes()), Line::Bad, "{line}");
        bad("{");
        bad(&format!(r#"{{"path":"a","algorithm":"md5","digest":"{SHA1}"}}"#));
        bad(&format!(r#"{{"path":"a","digest":"{SHA1}"}}"#));
        bad(&format!(r#"{{"path":"","algorithm":"sha1","digest":"{SHA1}"}}"#));
        bad(&format!(r#"{{"path":"a\u0000b","algorithm":"sha1","digest":"{SHA1}"}}"#));
        bad(&format!(r#"{{"path_hex":"6","algorithm":"sha1","digest":"{SHA1}"}}"#));
        bad(&format!(r#"{{"path":"a","path_hex":"61","algorithm":"sha1","digest":"{SHA1}"}}"#));
        bad(&format!(r#"{{"path":"a","algorithm":"sha1","digest":"{SHA1}"}} x"#));
    }

    const MD5: &str = "5d41402abc4b2a76b9719d911017c592";
    const SHA1: &str = "aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d";

    fn parser(list: &str) -> Parser {
        Parser::new(None, Path::new(list))
    }

    fn show(line: Line) -> String {
        match line {
            Line::Nothing => "nothing".into(),
            Line::Bad => "bad".into(),
            Line::Entry(e) => format!("{} {} {:?}", e.algorithm, e.digest, e.name),
        }
    }

    fn one(line: &str) -> String {
        show(parser("list").line(line.as_bytes()))
    }

    #[test]
    fn gnu_lines() {
        let want = format!("md5 {MD5} \"name\"");
        for line in [
            format!("{MD5}  name"),
            format!("{MD5} *name"),
            format!("{MD5}  name\r"),
            format!(" \t{MD5}  name"),
            format!("{}  name", MD5.to_uppercase()),
            format!("{MD5} name"),
            format!("{MD5}\tname"),
            "XUFAKrxLKna5cZ2REBfFkg==  name".to_string(),
        ] {
            assert_eq!(one(&line), want, "{line:?}");
        }
        assert_eq!(one(&format!("{MD5}   x y ")), format!("md5 {MD5} \" x y \""));
        assert_eq!(one(&format!("{SHA1}  -")), format!("sha1 {SHA1} \"-\""));
        assert_eq!(one(&format!("\\{MD5}  a\\n\\\\\\r")), format!("md5 {MD5} \"a\\n\\\\\\r\""));
    }

    #[test]
    fn tagged_lines() {
        let want = format!("md5 {MD5} \"name\"");
        for line in [
            format!("MD5 (name) = {MD5}"),
            format!("MD5(name)= {MD5}"),
            format!("MD5 (name)={MD5}"),
            format!("  md5 (name) =\t{MD5}"),
            "MD5 (name) = XUFAKrxLKna5cZ2REBfFkg==".to_string(),
        ] {
            assert_eq!(one(&line), want, "{line:?}");
        }
        assert_eq!(one(&format!("MD5 (a) = b) = {MD5}")), format!("md5 {MD5} \"a) = b\""));
        assert_eq!(one(&format!("\\MD5 (a\\nb) = {MD5}")), format!("md5 {MD5} \"a\\nb\""));
        assert_eq!(one(&format!("BLAKE2b-128 (a) = {MD5}")), format!("blake2b-128 {MD5} \"a\""));
        assert_eq!(one(&format!("SHA2-256(a)= {MD5}{MD5}")), format!("sha256 {MD5}{MD5} \"a\""));
        assert_eq!(one(&format!("SHA256 (a) = {MD5}")), "bad");
        assert_eq!(one(&format!("BLAKE2b (a) = {MD5}")), "bad");
        assert_eq!(one(&format!("MD5  (a) = {MD5}")), "bad");
        assert_eq!(one(&format!("MD5 (a) {MD5}")), "bad");
        assert_eq!(one(&format!("MD5 (a = {MD5}")), "bad");
        assert_eq!(one(&format!("MD5 (a) = {MD5} ")), "bad");
    }

    #[test]
    fn nothing_and_nonsense() {
        assert_eq!(one(""), "nothing");
        assert_eq!(one("\r"), "nothing");
        assert_eq!(one("# anything"), "nothing");
        for line in [
            " ",
            "x",
            "-----BEGIN PGP SIGNED MESSAGE-----",
            "Hash: SHA256",
            MD5,
            "5d41402abc4b2a76b9719d911017c59  odd",
            "5d41402abc4b2a76b9719d911017c59g  name",
            "5d41402abc4b2a76b9719d911017c592 ",
            "5d41402abc4b2a76b9719d911017c592  ",
            "5d41402abc4b2a76b9719d911017c592  a\0b",
            "\\5d41402abc4b2a76b9719d911017c592  a\\b",
            "\\5d41402abc4b2a76b9719d911017c592  a\\",
            "XUFAKrxLKna5cZ2REBfFkg=  name",
            "XUFAKrxLKna5cZ2REBfFkh==  name",
        ] {
            assert_eq!(one(line), "bad", "{line:?}");
        }
    }

    #[test]
    fn the_first_line_fixes_the_mode() {
        let mut p = parser("list");
        assert_eq!(show(p.line(format!("{MD5} a").as_bytes())), format!("md5 {MD5} \"a\""));
        assert_eq!(show(p.line(format!("{MD5}  a").as_bytes())), format!("md5 {MD5} \" a\""));
        let mut p = parser("list");
        assert_eq!(show(p.line(format!("{MD5}  a").as_bytes())), format!("md5 {MD5} \"a\""));
        assert_eq!(show(p.line(format!("{MD5} a").as_bytes())), "bad");
    }

    #[test]
    fn the_algorithm_is_found() {
        let name = |list: &str, hex: usize| match parser(list).line(format!("{}  f", "ab".repeat(hex / 2)).as_bytes()) {
            Line::Entry(e) => e.algorithm.name().into_owned(),
            other => format!("{other:?}"),
        };
        let usual = ["crc32", "xxh64", "md5", "sha1", "sha224", "sha256", "sha384", "sha512"];
        for (n, want) in [8, 16, 32, 40, 56, 64, 96, 128].into_iter().zip(usual) {
            assert_eq!(name("list", n), want);
        }
        assert_eq!(name("b2sums", 128), "blake2b-512");
        assert_eq!(name("b2sums", 64), "blake2b-256");
        assert_eq!(name("dir/B2SUMS.txt", 128), "blake2b-512");
        assert_eq!(name("x.b3", 64), "blake3");
        assert_eq!(name("x.iso.sha3-256", 64), "sha3-256");
        assert_eq!(name("SHA3-512SUMS", 128), "sha3-512");
        assert_eq!(name("x.crc32c", 8), "crc32c");
        assert_eq!(name("x.xxh128", 32), "xxh128");
        // The name does not agree with the length.
        assert_eq!(name("x.md5", 64), "sha256");
        assert_eq!(one("XXH3_ef46db3751d8e999  f"), "xxh3 ef46db3751d8e999 \"f\"");

        let mut given = Parser::new(Some("blake3".parse().unwrap()), Path::new("x.sha256"));
        assert_eq!(show(given.line(format!("{MD5}{MD5}  f").as_bytes())), format!("blake3 {MD5}{MD5} \"f\""));
        assert_eq!(show(given.line(format!("SHA256 (f) = {MD5}{MD5}").as_bytes())), "bad");
        let mut given = Parser::new(Some("md5".parse().unwrap()), Path::new("x"));
        assert_eq!(show(given.line(format!("{SHA1}  f").as_bytes())), "bad");
        let mut given = Parser::new(Some("blake2b".parse().unwrap()), Path::new("x"));
        assert_eq!(show(given.line(format!("{SHA1}  f").as_bytes())), format!("blake2b-160 {SHA1} \"f\""));
    }

    #[test]
    fn long_lines_take_no_memory() {
        let mut text = vec![b'a'; MAX_LINE];
        text.push(b'\n');
        text.extend(vec![b'b'; 10 * MAX_LINE]);
        text.extend(b"\n\nlast");
        let mut r = LineReader::new(io::BufReader::with_capacity(777, &text[..]));
        assert_eq!(r.next_line().unwrap().unwrap().unwrap().len(), MAX_LINE);
        assert_eq!(r.next_line().unwrap(), Some(None));
        assert!(r.line.capacity() <= 2 * MAX_LINE);
        assert_eq!(r.next_line().unwrap(), Some(Some(&b""[..])));
        assert_eq!(r.next_line().unwrap(), Some(Some(&b"last"[..])));
        assert_eq!(r.next_line().unwrap(), None);
    }
}
