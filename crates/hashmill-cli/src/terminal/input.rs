//! Standard input.

use crate::terminal::output::message;
use std::io::{self, BufRead, IsTerminal, Read, StdinLock};

/// Tells somebody at a terminal that `what` is read from it, so that the program does not seem to hang.
pub(crate) fn announce(what: &str) {
    if io::stdin().is_terminal() {
        let end = if cfg!(windows) { "Ctrl-Z and Enter end it" } else { "Ctrl-D ends it" };
        message(&format!("reading {what} from standard input ({end})"));
    }
}

/// Standard input up to its end. What comes after that is not read: a terminal goes on after Ctrl-D, which would have
/// to be typed again.
pub(crate) struct Stdin {
    inner: StdinLock<'static>,
    ended: bool,
}

impl Stdin {
    pub(crate) fn lock() -> Stdin {
        Stdin { inner: io::stdin().lock(), ended: false }
    }
}

impl Read for Stdin {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.fill_buf()?.read(out)?;
        self.consume(n);
        Ok(n)
    }
}

impl BufRead for Stdin {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.ended {
            return Ok(&[]);
        }
        let bytes = self.inner.fill_buf()?;
        self.ended = bytes.is_empty();
        Ok(bytes)
    }

    fn consume(&mut self, n: usize) {
        self.inner.consume(n);
    }
}
