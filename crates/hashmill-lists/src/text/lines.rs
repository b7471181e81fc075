//! Lines, of which no more than [`MAX_LINE`] bytes are held in memory.

use std::io::{self, BufRead, Read};

/// Maximum length of a line in bytes: enough for any path and any digest used in practice.
pub const MAX_LINE: usize = 68 << 10;

/// What is held of a list at once: enough to recognize any form.
const FULL: usize = 64 << 10;

/// A reader of lines that holds no more than [`MAX_LINE`] bytes of a line in memory.
#[derive(Debug)]
pub struct LineReader<R> {
    inner: R,
    end: u8,
    line: Vec<u8>,
    /// Bytes of `inner` that the last line was returned from, and which are still to be consumed.
    used: usize,
    /// Whether the input ends where the last line does, without what should end it.
    open: bool,
}

impl<R: BufRead> LineReader<R> {
    /// Returns a reader of the lines of `inner`, which end with LF.
    pub fn new(inner: R) -> Self {
        LineReader { inner, end: b'\n', line: Vec::new(), used: 0, open: false }
    }

    /// Returns a reader of the lines of `inner`, which end with NUL if `zero` is set or if there is a NUL near the
    /// beginning. Only lists with such lines have one there, apart from those in UTF-16.
    ///
    /// # Errors
    /// Returns an error if reading fails.
    pub fn detect(inner: R, zero: bool) -> io::Result<Self> {
        let mut lines = LineReader::new(inner);
        if zero || memchr::memchr(0, filled(&mut lines.inner)?).is_some() {
            lines.end = 0;
        }
        Ok(lines)
    }

    /// Lets lines end with LF after all.
    pub(crate) fn end_with_newline(&mut self) {
        self.end = b'\n';
    }

    /// Returns whether lines end with NUL.
    pub fn is_zero(&self) -> bool {
        self.end == 0
    }

    /// Returns what has been read but not been returned as a line.
    pub(crate) fn into_inner(mut self) -> R {
        self.inner.consume(self.used);
        self.inner
    }

    /// Returns whether the input ends where the last line does, without what should end it.
    pub(crate) fn ends_open(&self) -> bool {
        self.open
    }

    /// Returns the beginning of what is left.
    pub(crate) fn ahead(&mut self) -> io::Result<&[u8]> {
        self.inner.consume(std::mem::take(&mut self.used));
        filled(&mut self.inner)
    }

    /// Returns the next line without its terminator: `Some(None)` if the line is too long, and `None` at the end of the
    /// input.
    ///
    /// # Errors
    /// Returns an error if reading fails.
    pub fn next_line(&mut self) -> io::Result<Option<Option<&[u8]>>> {
        Ok(match self.advance()? {
            None => None,
            Some(false) => Some(None),
            Some(true) => Some(Some(self.current())),
        })
    }

    /// Goes on to the next line. Returns whether it is short enough, and `None` at the end of the input.
    pub(crate) fn advance(&mut self) -> io::Result<Option<bool>> {
        self.inner.consume(std::mem::take(&mut self.used));
        self.line.clear();
        // Nearly every line lies in the buffer as a whole, and need not be copied.
        if let Some(end) = memchr::memchr(self.end, filled(&mut self.inner)?)
            && end <= MAX_LINE
        {
            self.used = end + 1;
            return Ok(Some(true));
        }
        let mut too_long = false;
        let mut any = false;
        loop {
            let chunk = filled(&mut self.inner)?;
            if chunk.is_empty() {
                self.open = any;
                break;
            }
            any = true;
            let end = memchr::memchr(self.end, chunk);
            let part = &chunk[..end.unwrap_or(chunk.len())];
            too_long |= self.line.len() + part.len() > MAX_LINE;
            if !too_long {
                self.line.extend_from_slice(part);
            }
            let used = part.len() + usize::from(end.is_some());
            self.inner.consume(used);
            if end.is_some() {
                break;
            }
        }
        Ok(any.then_some(!too_long))
    }

    /// Returns the line that [`LineReader::advance`] has gone to.
    pub(crate) fn current(&mut self) -> &[u8] {
        match self.used {
            0 => &self.line,
            // It is still in the buffer, so nothing is read and nothing can fail.
            used => self.inner.fill_buf().ok().and_then(|chunk| chunk.get(..used - 1)).unwrap_or_default(),
        }
    }
}

/// A reader whose buffer is full until the end of the input comes near, however little the other reader returns at
/// once. What a list is can then be told from its beginning, and nobody can hide that by the sizes of the parts in
/// which it is compressed or sent.
pub(crate) struct Full<R> {
    inner: R,
    buffer: Box<[u8]>,
    at: usize,
    end: usize,
    /// What went wrong after that which the buffer holds.
    error: Option<io::Error>,
}

impl<R: Read> Full<R> {
    pub(crate) fn new(inner: R) -> Self {
        Full { inner, buffer: vec![0; FULL].into_boxed_slice(), at: 0, end: 0, error: None }
    }

    #[cold]
    fn fill(&mut self) -> io::Result<()> {
        if let Some(e) = self.error.take() {
            return Err(e);
        }
        (self.at, self.end) = (0, 0);
        while let Some(free) = self.buffer.get_mut(self.end..).filter(|free| !free.is_empty()) {
            match self.inner.read(free) {
                Ok(0) => break,
                Ok(n) => self.end += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if self.end == 0 => return Err(e),
                Err(e) => {
                    self.error = Some(e);
                    break;
                }
            }
        }
        Ok(())
    }
}

impl<R: Read> BufRead for Full<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at >= self.end {
            self.fill()?;
        }
        Ok(&self.buffer[self.at..self.end])
    }

    fn consume(&mut self, n: usize) {
        self.at = (self.at + n).min(self.end);
    }
}

impl<R: Read> Read for Full<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let some = self.fill_buf()?;
        let n = some.len().min(to.len());
        to[..n].copy_from_slice(&some[..n]);
        self.consume(n);
        Ok(n)
    }
}

/// Returns what the reader's buffer holds, filled if it was empty.
pub(crate) fn filled(inner: &mut impl BufRead) -> io::Result<&[u8]> {
    loop {
        match inner.fill_buf() {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
            // The borrow checker does not see that this ends the loop.
            Ok(_) => break,
        }
    }
    inner.fill_buf()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_take_no_memory() {
        let mut text = vec![b'a'; MAX_LINE];
        text.push(b'\n');
        text.extend(vec![b'b'; 10 * MAX_LINE]);
        text.extend(b"\n\nlast");
        for buffer in [1, 777, 8 << 10, 1 << 20] {
            let mut r = LineReader::new(io::BufReader::with_capacity(buffer, &text[..]));
            assert_eq!(r.next_line().unwrap().unwrap().unwrap().len(), MAX_LINE);
            assert_eq!(r.next_line().unwrap(), Some(None));
            assert!(r.line.capacity() <= 2 * MAX_LINE);
            assert_eq!(r.next_line().unwrap(), Some(Some(&b""[..])));
            assert_eq!(r.next_line().unwrap(), Some(Some(&b"last"[..])));
            assert_eq!(r.next_line().unwrap(), None);
            assert_eq!(r.next_line().unwrap(), None);
        }
    }

    /// A reader that returns one byte at a time, and an error at the end.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            let (first, rest) = self.0.split_first().ok_or_else(|| io::Error::other("gone"))?;
            (to[0], self.0) = (*first, rest);
            Ok(1)
        }
    }

    #[test]
    fn a_full_buffer() {
        let text: Vec<u8> = (0..FULL + 1000).map(|i| i as u8).collect();
        let mut full = Full::new(Slow(&text));
        assert_eq!(full.fill_buf().unwrap(), &text[..FULL]);
        full.consume(FULL - 1);
        assert_eq!(full.fill_buf().unwrap().len(), 1);
        full.consume(1);
        assert_eq!(full.fill_buf().unwrap(), &text[FULL..], "what comes before the error");
        full.consume(1000);
        assert_eq!(full.fill_buf().unwrap_err().to_string(), "gone");
        assert_eq!(full.fill_buf().unwrap_err().to_string(), "gone");
    }

    #[test]
    fn what_is_left() {
        let mut r = LineReader::new(&b"one\ntwo\nthree"[..]);
        assert_eq!(r.next_line().unwrap(), Some(Some(&b"one"[..])));
        assert_eq!(r.ahead().unwrap(), b"two\nthree");
        assert_eq!(r.next_line().unwrap(), Some(Some(&b"two"[..])));
        assert_eq!(r.into_inner(), b"three");
    }
}
