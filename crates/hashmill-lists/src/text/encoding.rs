//! UTF-16, as some editors and shells on Windows write it, and byte order marks.

use crate::text::lines::filled;
use std::io::{self, BufRead, Read};

/// The order of bytes in UTF-16.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wide {
    /// The low byte comes first.
    Little,
    /// The high byte comes first.
    Big,
}

impl Wide {
    /// Returns the order of bytes of a text in UTF-16 that begins like this: its byte order mark tells it or, without
    /// one, the zero bytes of its ASCII characters.
    pub fn of(start: &[u8]) -> Option<Wide> {
        match start {
            [0xff, 0xfe, rest @ ..] if !rest.starts_with(&[0, 0]) => return Some(Wide::Little),
            [0xfe, 0xff, ..] => return Some(Wide::Big),
            _ => {}
        }
        let zeros = |at: usize| start.iter().skip(at).step_by(2).take(256).filter(|&&b| b == 0).count();
        let pairs = (start.len() / 2).min(256);
        if pairs < 8 {
            return None;
        }
        // Half of the characters are ASCII at least, since digests are. The other byte is zero in few characters only,
        // and a list whose lines end with NUL has few of them.
        match (zeros(0), zeros(1)) {
            (even, odd) if odd * 2 >= pairs && even * 10 <= odd => Some(Wide::Little),
            (even, odd) if even * 2 >= pairs && odd * 10 <= even => Some(Wide::Big),
            _ => None,
        }
    }
}

/// Returns whether a text is in UTF-32, by its byte order mark or the zero bytes of its ASCII characters. Nobody writes
/// lists in it.
pub(crate) fn is_utf32(start: &[u8]) -> bool {
    let units = start.as_chunks::<4>().0;
    let all = |which: fn(&[u8; 4]) -> bool| units.len() >= 8 && units.iter().take(32).all(which);
    matches!(units.first(), Some([0xff, 0xfe, 0, 0] | [0, 0, 0xfe, 0xff]))
        || all(|u| matches!(u, [c, 0, 0, 0] if *c != 0))
        || all(|u| matches!(u, [0, 0, 0, c] if *c != 0))
}

/// What stands for half a character.
const UNKNOWN: u32 = char::REPLACEMENT_CHARACTER as u32;

/// A reader that turns UTF-16 into UTF-8. Unpaired surrogates become U+FFFD, as no file name can be known from them.
#[derive(Debug)]
pub struct Narrow<R> {
    inner: R,
    order: Wide,
    /// A byte or a surrogate whose other half has not been read yet.
    half: Option<u8>,
    high: Option<u16>,
    /// Whether a line begins here, where a byte order mark remains when lists are joined. Elsewhere it is part of a
    /// name.
    fresh: bool,
    out: Vec<u8>,
    at: usize,
}

impl<R: BufRead> Narrow<R> {
    /// Returns a reader of what `inner` has in this order of bytes.
    pub fn new(inner: R, order: Wide) -> Self {
        Narrow { inner, order, half: None, high: None, fresh: true, out: Vec::new(), at: 0 }
    }

    fn unit(&mut self, unit: u16) {
        let fresh = std::mem::replace(&mut self.fresh, unit == u16::from(b'\n'));
        let high = self.high.take();
        if let (Some(high), 0xdc00..0xe000) = (high, unit) {
            let c = 0x10000 + ((u32::from(high) & 0x3ff) << 10 | u32::from(unit) & 0x3ff);
            return self.put(c);
        }
        if high.is_some() {
            self.put(UNKNOWN);
        }
        match unit {
            0xd800..0xdc00 => self.high = Some(unit),
            0xdc00..0xe000 => self.put(UNKNOWN),
            0xfeff if fresh => {}
            unit => self.put(u32::from(unit)),
        }
    }

    fn put(&mut self, c: u32) {
        let c = char::from_u32(c).unwrap_or(char::REPLACEMENT_CHARACTER);
        self.out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

impl<R: BufRead> BufRead for Narrow<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.at == self.out.len() {
            self.out.clear();
            self.at = 0;
            let chunk = filled(&mut self.inner)?;
            if chunk.is_empty() {
                if self.half.take().is_some() | self.high.take().is_some() {
                    self.put(UNKNOWN);
                }
                break;
            }
            // So much at most, since it may become longer by half.
            let chunk = chunk[..chunk.len().min(16 << 10)].to_vec();
            self.inner.consume(chunk.len());
            for b in chunk {
                match self.half.take() {
                    None => self.half = Some(b),
                    Some(first) => self.unit(match self.order {
                        Wide::Little => u16::from_le_bytes([first, b]),
                        Wide::Big => u16::from_be_bytes([first, b]),
                    }),
                }
            }
        }
        Ok(&self.out[self.at..])
    }

    fn consume(&mut self, n: usize) {
        self.at = (self.at + n).min(self.out.len());
    }
}

impl<R: BufRead> Read for Narrow<R> {
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

    fn wide(text: &str, order: Wide) -> Vec<u8> {
        let bytes = |u: u16| if order == Wide::Little { u.to_le_bytes() } else { u.to_be_bytes() };
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn every_character_comes_through() {
        let text = "\u{feff}a\u{e9}\u{1f600}\u{feff}\u{4e00}\r\n".repeat(5000);
        for order in [Wide::Little, Wide::Big] {
            let bytes = wide(&text, order);
            assert_eq!(Wide::of(&bytes), Some(order));
            let list = "d41d8cd98f00b204e9800998ecf8427e  \u{4e00}\u{4e8c}\u{4e09}\u{56db}\u{4e94}\r\n".repeat(9);
            assert_eq!(Wide::of(&wide(&list, order)), Some(order));
            for buffer in [1, 2, 3, 1000, 1 << 20] {
                let mut out = String::new();
                let inner = io::BufReader::with_capacity(buffer, &bytes[..]);
                Narrow::new(inner, order).read_to_string(&mut out).unwrap();
                assert_eq!(out, text.replace("\u{feff}a", "a"));
            }
        }
    }

    #[test]
    fn what_is_cut_or_unpaired() {
        let read = |units: &[u16], more: &[u8]| {
            let bytes: Vec<u8> = units.iter().flat_map(|u| u.to_le_bytes()).chain(more.iter().copied()).collect();
            let mut out = String::new();
            Narrow::new(&bytes[..], Wide::Little).read_to_string(&mut out).unwrap();
            out
        };
        assert_eq!(read(&[0x61, 0xd83d, 0x62], b""), "a\u{fffd}b");
        assert_eq!(read(&[0xde00, 0x62], b"x"), "\u{fffd}b\u{fffd}");
        assert_eq!(read(&[0xd83d, 0xd83d, 0xde00], b""), "\u{fffd}\u{1f600}");
        assert_eq!(read(&[0xd83d], b""), "\u{fffd}");
    }

    #[test]
    fn what_is_wide() {
        assert_eq!(Wide::of(b"\xff\xfea\0"), Some(Wide::Little));
        assert_eq!(Wide::of(b"\xfe\xff\0a"), Some(Wide::Big));
        assert_eq!(Wide::of(b"\xff\xfe\0\0a\0\0\0"), None, "UTF-32");
        assert_eq!(Wide::of(&wide("d41d8cd98f00b204", Wide::Little)), Some(Wide::Little));
        assert_eq!(Wide::of(&wide("d41d8cd98f00b204", Wide::Big)), Some(Wide::Big));
        assert_eq!(Wide::of(b"d41d8cd98f00b204e9800998ecf8427e  a\0d41d8cd98f00b204"), None);
        assert_eq!(Wide::of(b""), None);
        let utf32: Vec<u8> = "d41d8cd98f00b204".chars().flat_map(|c| (c as u32).to_le_bytes()).collect();
        assert!(is_utf32(&utf32) && is_utf32(b"\xff\xfe\0\0a\0\0\0") && is_utf32(b"\0\0\xfe\xff\0\0\0a"));
        assert!(!is_utf32(&wide("d41d8cd98f00b204", Wide::Little)) && !is_utf32(b"") && !is_utf32(&[0; 64]));
    }
}
