//! A list as lines of text, whatever it was packed in: decompressed, in UTF-8, and without the armour of a signature.

use crate::text::encoding::{Narrow, Wide, is_utf32};
use crate::text::lines::{Full, LineReader, filled};
use crate::text::unpack::Packing;
use std::io::{self, BufRead};

const BEGIN_SIGNED: &[u8] = b"-----BEGIN PGP SIGNED MESSAGE-----";
const BEGIN_SIGNATURE: &[u8] = b"-----BEGIN PGP SIGNATURE-----";
const END_SIGNATURE: &[u8] = b"-----END PGP SIGNATURE-----";

/// What says that lines that begin with a dash are not escaped.
const NOT_ESCAPED: &[u8] = b"NotDashEscaped:";

/// A line of the list.
pub(crate) enum Next<'a> {
    Line(&'a [u8]),
    /// The line is longer than [`MAX_LINE`](crate::MAX_LINE).
    TooLong,
    /// A line that lies outside the signed text of a list that has some; or the armour in whose place it is found that
    /// lines that have been returned are not signed.
    Outside(&'a [u8]),
}

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Text,
    Armour,
    Outside,
}

/// Where the next line lies with respect to a signed text (RFC 4880, section 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Signed {
    /// There is none, as far as the list has been read.
    No,
    Outside,
    /// Among the lines that name the signature's digest, before the text.
    Headers,
    Inside,
    Signature,
}

/// A list that is being read.
pub(crate) struct Source<'a> {
    lines: LineReader<Box<dyn BufRead + Send + 'a>>,
    number: u64,
    signed: Signed,
    /// Whether a byte order mark comes before the first line.
    marked: bool,
    /// Whether lines of the signed text that begin with a dash are escaped.
    dashes: bool,
    /// Whether the list was neither compressed nor in another encoding.
    plain: bool,
}

impl<'a> Source<'a> {
    /// Begins to read a list. `zero` says that its lines end with NUL, which is found out otherwise.
    pub(crate) fn open(list: impl BufRead + Send + 'a, zero: bool) -> io::Result<Self> {
        let mut list: Box<dyn BufRead + Send + 'a> = Box::new(Full::new(list));
        let mut plain = true;
        if let Some(packing) = Packing::of(filled(&mut list)?) {
            list = packing.reader(list)?;
            plain = false;
        }
        let start = filled(&mut list)?;
        if is_utf32(start) {
            let what = "the list is in UTF-32, which is not read here; convert it to UTF-8";
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        if let Some(order) = Wide::of(start) {
            list = Box::new(Full::new(Narrow::new(list, order)));
            plain = false;
        }
        // Where GnuPG sees a byte order mark, it sees no armour.
        let marked = filled(&mut list)?.starts_with(b"\xef\xbb\xbf");
        if marked {
            list.consume(3);
        }
        let mut lines = LineReader::detect(list, zero)?;
        let start = lines.ahead()?;
        let is_signed = has_armour(if marked { after_first(start) } else { start });
        if is_signed && !zero {
            // Somebody may have put a NUL somewhere so that the armour would not be seen.
            lines.end_with_newline();
        }
        let signed = if is_signed { Signed::Outside } else { Signed::No };
        Ok(Source { lines, number: 0, signed, marked, dashes: true, plain })
    }

    /// Returns whether lines end with NUL.
    pub(crate) fn is_zero(&self) -> bool {
        self.lines.is_zero()
    }

    /// Returns whether the list has a signed text, as far as it has been read.
    pub(crate) fn is_signed(&self) -> bool {
        self.signed != Signed::No
    }

    /// Returns whether the list is neither compressed, nor in another encoding than UTF-8, nor in a signature.
    pub(crate) fn is_plain(&self) -> bool {
        self.plain && !self.is_signed()
    }

    /// Returns whether the list ends where the last line does, without what should end it.
    pub(crate) fn ends_open(&self) -> bool {
        self.lines.ends_open()
    }

    /// Returns the number of the last line, starting from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Returns the beginning of the list, before any line has been read: of a signed one, that of the signed text.
    pub(crate) fn head(&mut self) -> io::Result<&[u8]> {
        let mut signed = self.signed;
        let start = self.lines.ahead()?;
        if signed == Signed::No {
            return Ok(start);
        }
        let mut text = if self.marked { after_first(start) } else { start };
        while !matches!(signed, Signed::No | Signed::Inside) && !text.is_empty() {
            let end = memchr::memchr(b'\n', text).unwrap_or(text.len());
            signed = signed.after(&text[..end]).0;
            text = after_first(text);
        }
        // The signature's own lines would look like some of another form.
        let mut ends = memchr::memmem::find_iter(text, BEGIN_SIGNATURE);
        let end = ends.find(|&at| at == 0 || text[at - 1] == b'\n').unwrap_or(text.len());
        Ok(&text[..end])
    }

    /// Returns the next line, without its terminator.
    pub(crate) fn next(&mut self) -> io::Result<Option<Next<'_>>> {
        let part = loop {
            let end = match self.lines.advance()? {
                None if self.signed.is_open() => {
                    // The signature that should cover the text is missing or cut off.
                    self.signed = Signed::Outside;
                    return Ok(Some(Next::Outside(BEGIN_SIGNATURE)));
                }
                None => {
                    // What is reported of the end is on the line after the last.
                    self.number += 1;
                    return Ok(None);
                }
                end => end,
            };
            self.number += 1;
            if end == Some(false) {
                return Ok(Some(Next::TooLong));
            }
            // Lines that end with NUL can have others in them.
            let is_zero = self.lines.is_zero();
            let line = self.lines.current();
            if is_zero && self.signed == Signed::No && memchr::memchr(b'\n', line).is_some() && has_armour(line) {
                self.signed = Signed::Outside;
                break Part::Outside;
            }
            if self.marked && self.number == 1 {
                break if self.signed == Signed::No { Part::Text } else { Part::Outside };
            }
            // Nearly no line has anything to do with a signature.
            if matches!(self.signed, Signed::No | Signed::Inside) && line.first() != Some(&b'-') {
                break Part::Text;
            }
            self.dashes &= !(self.signed == Signed::Headers && line.starts_with(NOT_ESCAPED));
            let (after, part) = self.signed.after(line);
            if after == Signed::Headers && self.signed != Signed::Headers {
                self.dashes = true;
            }
            self.signed = after;
            if part != Part::Armour {
                break part;
            }
        };
        let unescape = self.dashes && self.signed == Signed::Inside;
        let line = self.lines.current();
        Ok(Some(match part {
            Part::Text if unescape => Next::Line(line.strip_prefix(b"- ").unwrap_or(line)),
            Part::Text => Next::Line(line),
            _ => Next::Outside(line),
        }))
    }

    /// Returns a reader of everything, for forms that do not consist of lines.
    pub(crate) fn whole(self) -> Box<dyn BufRead + Send + 'a> {
        self.lines.into_inner()
    }
}

/// Returns a text without its first line.
fn after_first(text: &[u8]) -> &[u8] {
    let end = memchr::memchr(b'\n', text).map_or(text.len(), |end| end + 1);
    &text[end..]
}

/// Returns a line without the blanks after it, which do not count in armour. No others do: where GnuPG sees no armour,
/// there must be none.
fn trimmed(line: &[u8]) -> &[u8] {
    let end = line.iter().rposition(|b| !matches!(b, b' ' | b'\t' | b'\r' | b'\n'));
    &line[..end.map_or(0, |i| i + 1)]
}

/// Returns whether one of the lines of a text is that with which a signed text begins.
fn has_armour(text: &[u8]) -> bool {
    memchr::memmem::find_iter(text, BEGIN_SIGNED).any(|at| {
        let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |i| at + i);
        (at == 0 || text[at - 1] == b'\n') && trimmed(&text[at..end]) == BEGIN_SIGNED
    })
}

impl Signed {
    /// Returns whether a signature has to follow.
    fn is_open(self) -> bool {
        matches!(self, Signed::Headers | Signed::Inside | Signed::Signature)
    }

    /// Returns what comes after a line, and what the line is.
    fn after(self, line: &[u8]) -> (Signed, Part) {
        let line = trimmed(line);
        let is = |armour: &[u8]| line == armour;
        match self {
            Signed::Outside if is(BEGIN_SIGNED) => (Signed::Headers, Part::Armour),
            // Lines have been passed on that are not signed, or a text that no signature has followed.
            _ if is(BEGIN_SIGNED) => (Signed::Headers, Part::Outside),
            Signed::No => (self, Part::Text),
            Signed::Outside => (self, Part::Outside),
            Signed::Headers if line.is_empty() => (Signed::Inside, Part::Armour),
            Signed::Headers if is_hash(line) || line.starts_with(NOT_ESCAPED) => (self, Part::Armour),
            Signed::Headers => (self, Part::Outside),
            Signed::Inside if is(BEGIN_SIGNATURE) => (Signed::Signature, Part::Armour),
            // In the text, dashes are escaped. This may be armour that GnuPG sees, although there is more in the line.
            Signed::Inside if line.starts_with(b"-----") => (Signed::Outside, Part::Outside),
            Signed::Inside => (self, Part::Text),
            Signed::Signature if is(END_SIGNATURE) => (Signed::Outside, Part::Armour),
            Signed::Signature if is_base64(line) => (self, Part::Armour),
            Signed::Signature if is_header(line, &[b"Version", b"Comment", b"Hash", b"Charset", b"MessageID"]) => {
                (self, Part::Armour)
            }
            Signed::Signature => (self, Part::Outside),
        }
    }
}

/// Returns whether a line is the header that names the digest of the signature, or several, and has nothing else.
fn is_hash(line: &[u8]) -> bool {
    let is_name = |name: &[u8]| name.len() <= 16 && name.iter().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(b));
    line.strip_prefix(b"Hash:").is_some_and(|names| names.split(|&b| b == b',').all(|n| is_name(n.trim_ascii())))
}

/// Returns whether a line is one of these headers of armour.
fn is_header(line: &[u8], keys: &[&[u8]]) -> bool {
    keys.iter().any(|key| line.strip_prefix(*key).is_some_and(|rest| rest.starts_with(b":")))
}

/// Returns whether a line can be one of a signature: digits of base64, perhaps none.
fn is_base64(line: &[u8]) -> bool {
    line.len() <= 76 && line.iter().all(|b| b.is_ascii_alphanumeric() || b"+/=".contains(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(list: &[u8]) -> Vec<String> {
        let mut source = Source::open(list, false).unwrap();
        let mut all = Vec::new();
        while let Some(next) = source.next().unwrap() {
            all.push(match next {
                Next::Line(line) => format!("{}", line.escape_ascii()),
                Next::TooLong => "too long".into(),
                Next::Outside(line) => format!("outside {}", line.escape_ascii()),
            });
            let n = all.len() - 1;
            all[n] += &format!(" {}", source.number());
        }
        all
    }

    const TEXT: &str = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\none\n- -two\n-----BEGIN PGP SIGNATURE-----\nVersion: 1\n\niQ==\n-----END PGP SIGNATURE-----\n";

    #[test]
    fn only_what_is_signed_is_inside() {
        assert_eq!(lines(TEXT.as_bytes()), ["one 4", "-two 5"]);
        assert_eq!(lines(TEXT.replace('\n', " \t\r\n").as_bytes()), ["one \\t\\r 4", "-two \\t\\r 5"]);
        assert_eq!(lines(format!("a\n{TEXT}b\n").as_bytes()), ["outside a 1", "one 5", "-two 6", "outside b 12"]);
        assert_eq!(lines(b"one\n\ntwo"), ["one 1", " 2", "two 3"]);
        let twice = TEXT.repeat(2);
        assert_eq!(lines(twice.as_bytes()), ["one 4", "-two 5", "one 14", "-two 15"]);
        let undashed = TEXT.replace("256\n", "256\nNotDashEscaped: You need GnuPG\n");
        assert_eq!(lines((undashed + TEXT).as_bytes()), ["one 5", "- -two 6", "one 15", "-two 16"]);
        let mut source = Source::open(TEXT.as_bytes(), false).unwrap();
        assert_eq!((source.is_signed(), source.head().unwrap()), (true, &b"one\n- -two\n"[..]));
        let before = format!("x-----BEGIN PGP SIGNED MESSAGE-----\n\nwrong\n{TEXT}");
        let mut source = Source::open(before.as_bytes(), false).unwrap();
        assert!(source.is_signed() && source.head().unwrap().starts_with(b"one\n"));
        assert_eq!(lines(before.as_bytes())[2..], ["outside wrong 3", "one 7", "-two 8"]);
    }

    /// What lies outside is neither an entry nor silently dropped.
    #[test]
    fn what_an_attacker_adds() {
        // Among the headers, within the signature, and after it.
        let list = TEXT.replace("256\n", "256\nHash: SHA1, 0123456789abcdef0  evil\n");
        assert_eq!(lines(list.as_bytes())[0], "outside Hash: SHA1, 0123456789abcdef0  evil 3");
        let list = TEXT.replace("256\n", "256\nevil a\n").replace("iQ==\n", "iQ==\nevil b\n") + "evil c";
        let want = ["outside evil a 3", "one 5", "-two 6", "outside evil b 11", "outside evil c 13"];
        assert_eq!(lines(list.as_bytes()), want);
        // Without a line between the headers and the text.
        let list = TEXT.replace("256\n\none", "256\none");
        let missing = "outside -----BEGIN PGP SIGNATURE-----";
        let want = ["outside one 3", "outside - -two 4", missing];
        assert_eq!(lines(list.as_bytes())[..3], want.map(|l| if l == missing { format!("{l} 5") } else { l.into() }));
        // A text that no signature follows, alone and before one that is signed.
        let (open, _) = TEXT.split_at(TEXT.find("-----BEGIN PGP SIGNATURE").unwrap());
        assert_eq!(lines(open.as_bytes()), ["one 4".into(), "-two 5".into(), format!("{missing} 5")]);
        let begin = "outside -----BEGIN PGP SIGNED MESSAGE----- 6";
        assert_eq!(lines((open.to_string() + TEXT).as_bytes()), ["one 4", "-two 5", begin, "one 9", "-two 10"]);
        // A signature that is cut off.
        let cut = &TEXT[..TEXT.len() - 30];
        assert_eq!(lines(cut.as_bytes()), ["one 4".into(), "-two 5".into(), format!("{missing} 9")]);
        // Armour that GnuPG does not take for such.
        for fake in [
            " -----BEGIN PGP SIGNED MESSAGE-----",
            "-----BEGIN PGP SIGNED MESSAGE-----\x0c",
            "x -----BEGIN PGP SIGNED MESSAGE-----",
            "-----BEGIN PGP SIGNED MESSAGE----- x",
        ] {
            let list = format!("{fake}\nHash: SHA256\n\nevil\n{TEXT}");
            let read = lines(list.as_bytes());
            assert_eq!(read[3..], ["outside evil 4", "one 8", "-two 9"], "{fake:?}");
            assert!(read[0].starts_with("outside ") && lines(format!("{fake}\nx").as_bytes())[1] == "x 2");
        }
        // Armour that GnuPG does see, and before which it sees none.
        let list = TEXT.replace("SIGNATURE-----\n", "SIGNATURE-----\x0c\n")
            + "evil\n"
            + &TEXT[TEXT.find("-----BEGIN PGP SIGNATURE").unwrap()..];
        assert!(lines(list.as_bytes()).contains(&"outside evil 11".to_string()));
        let list = format!("\u{feff}{}evil\n{TEXT}", &TEXT[..49]);
        assert_eq!(lines(list.as_bytes())[3..], ["outside evil 4", "one 8", "-two 9"]);
        // Lines that end with NUL, among which LF ends none.
        let want = ["outside evil\\x00 1", "one 5", "-two 6"];
        assert_eq!(lines(format!("evil\0\n{TEXT}").as_bytes()), want);
        let late = format!("x\0{}evil\0\n{TEXT}", "ab\0".repeat(FAR));
        let read = lines(late.as_bytes());
        assert!(read[read.len() - 1].starts_with("outside \\n-----BEGIN"), "{:?}", &read[read.len() - 3..]);
    }

    /// More than is held at once.
    const FAR: usize = 64 << 10;

    /// Far below other lines, a signed text is seen only when it is reached.
    #[test]
    fn signed_texts_that_begin_late() {
        let read = lines(("x\n".repeat(FAR) + TEXT + "y").as_bytes());
        assert_eq!(read[FAR - 1], format!("x {FAR}"));
        let begin = format!("outside -----BEGIN PGP SIGNED MESSAGE----- {}", FAR + 1);
        let end = [begin, format!("one {}", FAR + 4), format!("-two {}", FAR + 5), format!("outside y {}", FAR + 11)];
        assert_eq!(read[FAR..], end);
        // However it is sent: here, one byte at a time.
        let list = format!("evil\n{TEXT}");
        let mut source = Source::open(io::BufReader::with_capacity(1, list.as_bytes()), false).unwrap();
        assert!(matches!(source.next().unwrap(), Some(Next::Outside(b"evil"))));
        let members = [packed(b"evil\n"), packed(TEXT.as_bytes())].concat();
        assert_eq!(lines(&members)[0], "outside evil 1");
    }

    fn packed(content: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        io::Write::write_all(&mut encoder, content).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn packed_lists() {
        let text = "d41d8cd98f00b204e9800998ecf8427e  a\n".repeat(100);
        let wide: Vec<u8> = "\u{feff}".chars().chain(text.chars()).flat_map(|c| (c as u16).to_le_bytes()).collect();
        let with_mark = [b"\xef\xbb\xbf", text.as_bytes()].concat();
        for list in [text.as_bytes(), &wide, &with_mark, &packed(text.as_bytes()), &packed(&wide)] {
            let read = lines(list);
            assert_eq!((read.len(), &read[99][..]), (100, "d41d8cd98f00b204e9800998ecf8427e  a 100"));
        }
        let gzip = packed(text.as_bytes());
        let mut source = Source::open(&gzip[..gzip.len() - 9], false).unwrap();
        let end = loop {
            match source.next() {
                Ok(Some(_)) => {}
                other => break other.map(|_| ()),
            }
        };
        assert_eq!(end.unwrap_err().to_string(), "the compressed list is cut off");
    }

    /// No memory, and no time, for what only pretends to be a list.
    #[test]
    fn bombs() {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        for _ in 0..100 {
            io::Write::write_all(&mut encoder, &vec![b'a'; 1 << 20]).unwrap();
        }
        let bomb = encoder.finish().unwrap();
        let mut source = Source::open(&bomb[..], false).unwrap();
        let end = source.next().map(|_| ()).unwrap_err();
        assert!(end.to_string().contains("200 times"), "{end}");
    }
}
