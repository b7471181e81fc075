//! The encodings of tag files.

use hashmill_lists::{Narrow, Wide};
use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read};

/// The encoding that a bag declares for its tag files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    Ascii,
    Latin1,
    Windows1252,
    /// With the order of bytes that the name states, if it does.
    Utf16(Option<Wide>),
}

/// What 0x80 to 0x9f stand for in windows-1252. What it leaves undefined is a control character, as in ISO 8859-1.
const WINDOWS_1252: [u16; 32] = [
    0x20ac, 0x81, 0x201a, 0x192, 0x201e, 0x2026, 0x2020, 0x2021, 0x2c6, 0x2030, 0x160, 0x2039, 0x152, 0x8d, 0x17d,
    0x8f, 0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x2dc, 0x2122, 0x161, 0x203a, 0x153, 0x9d,
    0x17e, 0x178,
];

impl Encoding {
    /// Returns the encoding of this name, in any of its usual spellings, or `None` if it is not read here.
    pub(crate) fn named(name: &str) -> Option<Encoding> {
        let plain: String = name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
        Some(match &*plain {
            "utf8" | "u8" => Encoding::Utf8,
            "usascii" | "ascii" | "646" => Encoding::Ascii,
            "iso88591" | "latin1" | "l1" | "88591" | "cp819" => Encoding::Latin1,
            "windows1252" | "cp1252" | "1252" => Encoding::Windows1252,
            "utf16" | "u16" => Encoding::Utf16(None),
            "utf16le" => Encoding::Utf16(Some(Wide::Little)),
            "utf16be" => Encoding::Utf16(Some(Wide::Big)),
            _ => return None,
        })
    }

    /// Returns a reader of a tag file whose lines end with LF, whether they end with CR, LF or both. What it reads is
    /// decoded by [`Encoding::line`]. A byte order mark is left out.
    pub(crate) fn reader<'a>(self, file: impl Read + 'a) -> io::Result<Newlines<Box<dyn BufRead + 'a>>> {
        let mut file = BufReader::with_capacity(64 << 10, file);
        let start = file.fill_buf()?;
        let reader: Box<dyn BufRead> = match self {
            Encoding::Utf16(order) => {
                let order = order.or_else(|| Wide::of(start)).unwrap_or(Wide::Little);
                Box::new(BufReader::new(Narrow::new(file, order)))
            }
            _ => {
                if start.starts_with(b"\xef\xbb\xbf") {
                    file.consume(3);
                }
                Box::new(file)
            }
        };
        Ok(Newlines { inner: reader, after_cr: false, out: Vec::new(), at: 0 })
    }

    /// Returns a line in UTF-8, and whether all of it is text of this encoding. What is not comes as it is.
    pub(crate) fn line(self, line: &[u8]) -> (Cow<'_, [u8]>, bool) {
        let by = |map: fn(u8) -> char| Cow::Owned(line.iter().map(|&b| map(b)).collect::<String>().into_bytes());
        match self {
            Encoding::Utf8 => (Cow::Borrowed(line), std::str::from_utf8(line).is_ok()),
            // What is not text in UTF-16 has become U+FFFD.
            Encoding::Utf16(_) => (Cow::Borrowed(line), !String::from_utf8_lossy(line).contains('\u{fffd}')),
            Encoding::Ascii => (Cow::Borrowed(line), line.is_ascii()),
            _ if line.is_ascii() => (Cow::Borrowed(line), true),
            Encoding::Latin1 => (by(char::from), true),
            Encoding::Windows1252 => {
                let map = |b| match b {
                    0x80..0xa0 => char::from_u32(WINDOWS_1252[usize::from(b) - 0x80].into()).unwrap_or_default(),
                    b => char::from(b),
                };
                (by(map), true)
            }
        }
    }
}

/// A reader that turns CR, and CR with LF, into LF.
pub(crate) struct Newlines<R> {
    inner: R,
    after_cr: bool,
    out: Vec<u8>,
    at: usize,
}

impl<R: BufRead> BufRead for Newlines<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.at == self.out.len() {
            self.out.clear();
            self.at = 0;
            let chunk = self.inner.fill_buf()?;
            if chunk.is_empty() {
                break;
            }
            for &b in chunk {
                if !(b == b'\n' && self.after_cr) {
                    self.out.push(if b == b'\r' { b'\n' } else { b });
                }
                self.after_cr = b == b'\r';
            }
            let n = chunk.len();
            self.inner.consume(n);
        }
        Ok(&self.out[self.at..])
    }

    fn consume(&mut self, n: usize) {
        self.at = (self.at + n).min(self.out.len());
    }
}

impl<R: BufRead> Read for Newlines<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let some = self.fill_buf()?;
        let n = some.len().min(to.len());
        to[..n].copy_from_slice(&some[..n]);
        self.consume(n);
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_with_lf() {
        for size in [1, 2, 3, 100] {
            let inner = BufReader::with_capacity(size, &b"a\r\nb\rc\n\r\r\nd\n\ne"[..]);
            let mut text = String::new();
            Newlines { inner, after_cr: false, out: Vec::new(), at: 0 }.read_to_string(&mut text).unwrap();
            assert_eq!(text, "a\nb\nc\n\n\nd\n\ne", "{size}");
        }
    }

    #[test]
    fn every_encoding() {
        let read = |name: &str, bytes: &[u8]| {
            let encoding = Encoding::named(name).unwrap();
            let mut all = Vec::new();
            encoding.reader(bytes).unwrap().read_to_end(&mut all).unwrap();
            let (line, is_text) = encoding.line(&all);
            (String::from_utf8_lossy(&line).into_owned(), is_text)
        };
        let yes = |text: &str| (text.to_string(), true);
        assert_eq!(read("UTF-8", "\u{feff}a\u{e9}".as_bytes()), yes("a\u{e9}"));
        assert_eq!(read("ISO-8859-1", b"a\xe9\x80"), yes("a\u{e9}\u{80}"));
        assert_eq!(read("cp1252", b"a\xe9\x80\x9f"), yes("a\u{e9}\u{20ac}\u{178}"));
        assert_eq!(read("utf_16", b"\xfe\xff\0a\0\xe9"), yes("a\u{e9}"));
        assert_eq!(read("UTF-16", b"\xff\xfea\0\xe9\0"), yes("a\u{e9}"));
        assert_eq!(read("UTF-16BE", b"\0a\0\xe9"), yes("a\u{e9}"));
        assert!(!read("UTF-8", b"a\xe9").1 && !read("us-ascii", b"a\xe9").1 && !read("utf-16le", b"a").1);
        assert_eq!(Encoding::named("EBCDIC"), None);
    }
}
