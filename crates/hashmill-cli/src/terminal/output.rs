//! Standard output in whole lines, and messages on standard error.

use crate::terminal::progress::Meter;
use hashmill_files::plain;
use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;
#[cfg(all(target_os = "linux", target_env = "gnu", not(test)))]
use std::sync::atomic::AtomicBool;

/// Whoever started this program wants SIGPIPE ignored.
#[cfg(all(target_os = "linux", target_env = "gnu", not(test)))]
pub(crate) static PIPE_WAS_IGNORED: AtomicBool = AtomicBool::new(false);

/// `hashmill: text` on standard error, in one write.
pub(crate) fn message(text: &str) {
    // Where standard error is closed there is nobody to tell.
    let _ = io::stderr().write_all(format!("hashmill: {text}\n").as_bytes());
}

/// POSIX's smallest `PIPE_BUF` in use: a write of at most so many bytes to a pipe is never split, nor mixed with
/// another program's.
const BATCH: usize = 4096;

/// Where lines go.
pub(crate) trait Sink {
    /// Writes some of the bytes, and says how many.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize>;
    /// Nothing more comes.
    fn end(self: Box<Self>) -> io::Result<()>;
}

/// Standard output.
pub(crate) struct Stdout;

impl Sink for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        write(bytes)
    }

    fn end(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}

/// Output that is only ever written to in whole lines: whatever ends the program, the last line is complete.
pub(crate) struct Lines<'a> {
    meter: &'a Meter,
    to: Box<dyn Sink>,
    pending: Vec<u8>,
    error: Option<io::Error>,
}

impl<'a> Lines<'a> {
    /// Lines on standard output that do not run into the progress bar.
    pub(crate) fn new(meter: &'a Meter) -> Self {
        Lines::to(Box::new(Stdout), meter)
    }

    /// Lines that go elsewhere.
    pub(crate) fn to(to: Box<dyn Sink>, meter: &'a Meter) -> Self {
        Lines { meter, to, pending: Vec::new(), error: None }
    }

    /// Adds whole lines, which `write` appends to what it is given.
    pub(crate) fn add(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        let before = self.pending.len();
        write(&mut self.pending);
        if self.pending.len() > BATCH {
            self.put(before);
            if self.pending.len() > BATCH {
                self.flush();
            }
        }
    }

    /// Writes what there is.
    pub(crate) fn flush(&mut self) {
        self.put(self.pending.len());
    }

    fn put(&mut self, n: usize) {
        if n > 0 && self.error.is_none() {
            let (to, lines) = (&mut *self.to, &self.pending[..n]);
            self.error = self.meter.pause(|| write_all(to, lines)).err();
        }
        self.pending.drain(..n);
    }

    /// Whether it is of any use to go on.
    pub(crate) fn flow(&self) -> ControlFlow<()> {
        if self.error.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Writes what is left. False if anything could not be written; the reader of a pipe that has gone away is not
    /// worth a message.
    pub(crate) fn finish(self) -> bool {
        is_written(self.end())
    }

    /// Writes what is left. The error if anything could not be written.
    pub(crate) fn end(mut self) -> io::Result<()> {
        self.flush();
        match self.error {
            None => self.to.end(),
            Some(e) => Err(e),
        }
    }
}

/// Whether output went well; what hindered it is said, unless a pipe's reader has gone away.
pub(crate) fn is_written(result: io::Result<()>) -> bool {
    match result {
        Ok(()) => true,
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => false,
        Err(e) => {
            message(&format!("write error: {}", plain(&e)));
            false
        }
    }
}

/// Writes a whole text to standard output; what hinders it is said.
pub(crate) fn print(text: &[u8]) -> ExitCode {
    ExitCode::from(u8::from(!is_written(write_all(&mut Stdout, text))))
}

/// Whether anything can be written to standard output; if it was closed, that is said. For what writes only after
/// minutes, and past [`Stdout`].
#[cfg(feature = "measure")]
pub(crate) fn is_open() -> bool {
    is_written(if hashmill_files::closed_at_start(1) { Err(closed()) } else { Ok(()) })
}

#[cfg(unix)]
fn closed() -> io::Error {
    rustix::io::Errno::BADF.into()
}

#[cfg(all(not(unix), feature = "measure"))]
fn closed() -> io::Error {
    io::ErrorKind::NotConnected.into()
}

/// Writes all of it.
fn write_all(to: &mut dyn Sink, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match to.write(bytes) {
            Ok(n) => bytes = &bytes[n..],
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

/// One write call, past the standard library's buffer, which knows nothing of NUL-terminated lines.
#[cfg(unix)]
fn write(bytes: &[u8]) -> io::Result<usize> {
    // The standard library has put `/dev/null` in the place of a closed descriptor.
    if hashmill_files::closed_at_start(1) {
        return Err(closed());
    }
    Ok(rustix::io::write(rustix::stdio::stdout(), bytes)?)
}

/// One write call, past the standard library's buffer as far as that is possible.
#[cfg(not(unix))]
fn write(bytes: &[u8]) -> io::Result<usize> {
    use std::io::Write;
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()?;
    Ok(bytes.len())
}

/// How a device is read, for who wants to know.
pub(crate) fn how_read(example: &Path, one_reader: Option<&str>) -> String {
    let path = shown(example.as_os_str());
    match one_reader {
        Some(why) => format!("{path} and what else lies there is read one file after the other ({why})"),
        None => format!("{path} and what else lies there is read by several readers at once"),
    }
}

/// A name for messages: control characters are escaped, so that one line stays one line and a terminal obeys no file
/// name.
pub(crate) fn shown(name: &OsStr) -> String {
    if name.is_empty() {
        return "''".into();
    }
    let mut s = String::new();
    for c in name.to_string_lossy().chars() {
        if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}') {
            s.extend(c.escape_default());
        } else {
            s.push(c);
        }
    }
    s
}
