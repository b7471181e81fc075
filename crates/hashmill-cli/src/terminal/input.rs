//! Standard input.

use crate::terminal::output::{message, shown};
use hashmill_files::{Key, plain};
use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::path::Path;

/// Maximum length of a key in bytes: more than any algorithm takes.
const MAX_KEY: u64 = 1 << 20;

/// Reads the key in a file.
///
/// # Errors
/// Returns one line that says why there is none.
pub(crate) fn key(path: Option<&Path>) -> Result<Option<Key>, String> {
    let Some(path) = path else { return Ok(None) };
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_KEY + 1).read_to_end(&mut bytes));
    let what = match read {
        Err(e) => plain(&e),
        Ok(0) => "is empty, so it has no key".into(),
        Ok(n) if n as u64 > MAX_KEY => "is longer than 1 MiB, so it is no key".into(),
        Ok(_) => return Ok(Some(Key::new(bytes))),
    };
    Err(format!("{}: {what}", shown(path.as_os_str())))
}

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
    inner: BufReader<io::Stdin>,
    ended: bool,
}

impl Stdin {
    pub(crate) fn new() -> Stdin {
        Stdin { inner: BufReader::with_capacity(64 << 10, io::stdin()), ended: false }
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
