//! A list as lines of text, whatever it was packed in: decompressed, in UTF-8, and without the armour of a signature.

use crate::text::encoding::{Narrow, Wide};
use crate::text::lines::{LineReader, filled};
use crate::text::unpack::Packing;
use std::io::{self, BufRead, BufReader};

/// What a reader of a compressed list holds at once: enough to recognize any form.
const BUFFER: usize = 64 << 10;

const BEGIN_SIGNED: &[u8] = b"-----BEGIN PGP SIGNED MESSAGE-----";
const BEGIN_SIGNATURE: &[u8] = b"-----BEGIN PGP SIGNATURE-----";
const END_SIGNATURE: &[u8] = b"-----END PGP SIGNATURE-----";

/// A line of the list.
pub(crate) enum Next<'a> {
    Line(&'a [u8]),
    /// The line is longer than [`MAX_LINE`](crate::MAX_LINE).
    TooLong,
    /// A line that lies outside the signed text of a list that has some.
    Outside(&'a [u8]),
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
    lines: LineReader<Box<dyn BufRead + 'a>>,
    number: u64,
    signed: Signed,
}

impl<'a> Source<'a> {
    /// Begins to read a list. `zero` says that its lines end with NUL, which is found out otherwise.
    pub(crate) fn open(list: impl BufRead + 'a, zero: bool) -> io::Result<Self> {
        let mut list: Box<dyn BufRead + 'a> = Box::new(list);
        if let Some(packing) = Packing::of(filled(&mut list)?) {
            list = packing.reader(list)?;
        }
        if let Some(order) = Wide::of(filled(&mut list)?) {
            list = Box::new(BufReader::with_capacity(BUFFER, Narrow::new(list, order)));
        }
        if filled(&mut list)?.starts_with(b"\xef\xbb\xbf") {
            list.consume(3);
        }
        let mut lines = LineReader::detect(list, zero)?;
        let start = lines.ahead()?;
        let armour = |line: &[u8]| line.trim_ascii_end() == BEGIN_SIGNED;
        let signed = start.split(|&b| b == b'\n').any(armour);
        Ok(Source { lines, number: 0, signed: if signed { Signed::Outside } else { Signed::No } })
    }

    /// Returns whether lines end with NUL.
    pub(crate) fn is_zero(&self) -> bool {
        self.lines.is_zero()
    }

    /// Returns whether the list has a signed text, as far as it has been read.
    pub(crate) fn is_signed(&self) -> bool {
        self.signed != Signed::No
    }

    /// Returns the number of the last line, starting from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Returns the beginning of the list, before any line has been read: of a signed one, that of the signed text.
    pub(crate) fn head(&mut self) -> io::Result<&[u8]> {
        let signed = self.is_signed();
        let start = self.lines.ahead()?;
        if !signed {
            return Ok(start);
        }
        let at = memchr::memmem::find(start, BEGIN_SIGNED).unwrap_or(0);
        let text = &start[at..];
        let blank = |end: &[u8]| memchr::memmem::find(text, end).map(|i| i + end.len());
        let from = blank(b"\n\n").into_iter().chain(blank(b"\n\r\n")).min().unwrap_or(text.len());
        Ok(&text[from..])
    }

    /// Returns the next line, without its terminator.
    pub(crate) fn next(&mut self) -> io::Result<Option<Next<'_>>> {
        loop {
            self.number += 1;
            match self.lines.advance()? {
                None => return Ok(None),
                Some(false) => return Ok(Some(Next::TooLong)),
                Some(true) => {}
            }
            let (after, is_armour) = self.signed.after(self.lines.current());
            self.signed = after;
            if !is_armour {
                break;
            }
        }
        let signed = self.signed;
        let line = self.lines.current();
        Ok(Some(match signed {
            Signed::No => Next::Line(line),
            Signed::Inside => Next::Line(line.strip_prefix(b"- ").unwrap_or(line)),
            _ => Next::Outside(line),
        }))
    }

    /// Returns a reader of everything, for forms that do not consist of lines.
    pub(crate) fn whole(self) -> Box<dyn BufRead + 'a> {
        self.lines.into_inner()
    }
}

impl Signed {
    /// Returns what comes after a line, and whether the line is part of the armour.
    fn after(self, line: &[u8]) -> (Signed, bool) {
        let is = |armour: &[u8]| line.first() == Some(&b'-') && line.trim_ascii_end() == armour;
        match self {
            Signed::No | Signed::Outside if is(BEGIN_SIGNED) => (Signed::Headers, true),
            Signed::No | Signed::Outside => (self, false),
            Signed::Headers if line.trim_ascii().is_empty() => (Signed::Inside, true),
            Signed::Headers => (Signed::Headers, true),
            Signed::Inside if is(BEGIN_SIGNATURE) => (Signed::Signature, true),
            Signed::Inside => (Signed::Inside, false),
            Signed::Signature if is(END_SIGNATURE) => (Signed::Outside, true),
            Signed::Signature => (Signed::Signature, true),
        }
    }
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

    #[test]
    fn only_what_is_signed_is_inside() {
        let text = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\none\n- -two\n-----BEGIN PGP SIGNATURE-----\n\niQ==\n-----END PGP SIGNATURE-----\n";
        assert_eq!(lines(text.as_bytes()), ["one 4", "-two 5"]);
        assert_eq!(lines(text.replace('\n', "\r\n").as_bytes()), ["one\\r 4", "-two\\r 5"]);
        assert_eq!(lines(format!("a\n{text}b\n").as_bytes()), ["outside a 1", "one 5", "-two 6", "outside b 11"]);
        assert_eq!(lines(b"one\n\ntwo"), ["one 1", " 2", "two 3"]);
        // Far below other lines, it is seen only when it is reached.
        let far = "x\n".repeat(BUFFER) + text + "y";
        let read = lines(far.as_bytes());
        assert_eq!(
            (&read[0][..], &read[read.len() - 1][..]),
            ("outside x 1", &format!("outside y {}", BUFFER + 10)[..])
        );
        let mut source = Source::open(text.as_bytes(), false).unwrap();
        assert!(source.is_signed() && source.head().unwrap().starts_with(b"one\n"));
    }

    #[test]
    fn packed_lists() {
        let text = "d41d8cd98f00b204e9800998ecf8427e  a\n".repeat(100);
        let wide: Vec<u8> = "\u{feff}".chars().chain(text.chars()).flat_map(|c| (c as u16).to_le_bytes()).collect();
        let with_mark = [b"\xef\xbb\xbf", text.as_bytes()].concat();
        let packed = |content: &[u8]| {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            io::Write::write_all(&mut encoder, content).unwrap();
            encoder.finish().unwrap()
        };
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
