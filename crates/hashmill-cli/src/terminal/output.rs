//! Standard output in whole lines, and messages on standard error.

use crate::terminal::progress::Meter;
use hashmill_files::plain;
use hashmill_lists::Closing;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{self, IsTerminal as _, Write as _};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;
#[cfg(all(target_os = "linux", target_env = "gnu", not(test)))]
use std::sync::atomic::AtomicBool;

/// Whether SIGPIPE was already ignored when this program was started.
#[cfg(all(target_os = "linux", target_env = "gnu", not(test)))]
pub(crate) static PIPE_WAS_IGNORED: AtomicBool = AtomicBool::new(false);

/// Writes `hashmill: text` to standard error, in one write.
pub(crate) fn message(text: &str) {
    // If standard error is closed, there is nobody to tell.
    let _ = io::stderr().write_all(format!("hashmill: {text}\n").as_bytes());
}

/// Linux's `PIPE_BUF`: a write of at most this many bytes to a pipe is never split, nor mixed with another program's.
const BATCH: usize = 4096;

/// A destination for lines.
pub(crate) trait Sink: Send {
    /// Writes some of the bytes, and returns how many.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize>;
    /// Completes the output; nothing more is written.
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

/// Output that is written only in whole lines, so that the last line is complete however the program ends.
pub(crate) struct Lines<'a> {
    meter: &'a Meter,
    to: Box<dyn Sink>,
    pending: Vec<u8>,
    /// Whether control characters are escaped.
    escapes: bool,
    error: Option<io::Error>,
}

impl<'a> Lines<'a> {
    /// Creates an output that writes to standard output, without running into the progress bar.
    pub(crate) fn new(meter: &'a Meter) -> Self {
        Lines::to(Box::new(Stdout), meter)
    }

    /// Creates an output that writes to another sink.
    pub(crate) fn to(to: Box<dyn Sink>, meter: &'a Meter) -> Self {
        Lines { meter, to, pending: Vec::new(), escapes: false, error: None }
    }

    /// Escapes control characters if standard output is a terminal, so that it does not obey a file name.
    pub(crate) fn safe(self) -> Self {
        Lines { escapes: io::stdout().is_terminal(), ..self }
    }

    /// Adds whole lines, which `write` appends to the vector it is given.
    pub(crate) fn add(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        self.add_with(write, b"");
    }

    /// Adds whole lines, which `write` appends to the vector it is given, without the last one's end. That is `end`, in
    /// which nothing is escaped.
    pub(crate) fn add_with(&mut self, write: impl FnOnce(&mut Vec<u8>), end: &[u8]) {
        let before = self.pending.len();
        write(&mut self.pending);
        if self.escapes {
            let lines = self.pending.split_off(before);
            escape_controls(&lines, &mut self.pending);
        }
        self.pending.extend_from_slice(end);
        if self.pending.len() > BATCH {
            self.put(before);
            if self.pending.len() > BATCH {
                self.flush();
            }
        }
    }

    /// Writes the pending lines.
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

    /// Returns `Break` if a write has failed, since there is no point in going on.
    pub(crate) fn flow(&self) -> ControlFlow<()> {
        if self.error.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Writes what is left. Returns whether everything could be written. An error is reported, unless the reader of a
    /// pipe has gone away.
    pub(crate) fn finish(self) -> bool {
        is_written(self.end())
    }

    /// Writes what is left. Returns the error if anything could not be written.
    pub(crate) fn end(mut self) -> io::Result<()> {
        self.flush();
        match self.error {
            None => self.to.end(),
            Some(e) => Err(e),
        }
    }
}

/// Returns whether output went well. An error is reported, unless the reader of a pipe has gone away.
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

/// Writes a whole text to standard output, reporting any error as [`is_written`] does.
pub(crate) fn print(text: &[u8]) -> ExitCode {
    ExitCode::from(u8::from(!is_written(write_all(&mut Stdout, text))))
}

/// Ends a command that has failed before it had anything to say: with `--json`, its output has totals all the same.
pub(crate) fn end_without(json: bool, status: u8) -> ExitCode {
    if json {
        let mut line = Vec::new();
        Closing::new(BTreeMap::<&str, u64>::new(), status).put(&mut line);
        line.push(b'\n');
        print(&line);
    }
    ExitCode::from(status)
}

/// Returns whether standard output is open, and reports it if not. For commands that write only after minutes, and not
/// through [`Stdout`].
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

/// Makes one write call, bypassing the standard library's buffer, which does not know NUL-terminated lines.
#[cfg(unix)]
fn write(bytes: &[u8]) -> io::Result<usize> {
    // A closed descriptor has been replaced by `/dev/null`, so that the write itself would succeed.
    if hashmill_files::closed_at_start(1) {
        return Err(closed());
    }
    Ok(rustix::io::write(rustix::stdio::stdout(), bytes)?)
}

/// Writes all bytes and flushes the standard library's buffer.
#[cfg(not(unix))]
fn write(bytes: &[u8]) -> io::Result<usize> {
    use std::io::Write;
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()?;
    Ok(bytes.len())
}

/// Describes how a device is read, for `--verbose`.
pub(crate) fn how_read(example: &Path, one_reader: Option<&str>) -> String {
    let path = shown(example.as_os_str());
    match one_reader {
        Some(why) => format!("files on the device of {path} are read one after the other ({why})"),
        None => format!("files on the device of {path} are read by several readers at once"),
    }
}

/// Returns whether a character makes a terminal do something, or reorders what surrounds it.
fn is_control(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Appends lines with their control characters escaped, except the ends of lines and tabs.
fn escape_controls(lines: &[u8], to: &mut Vec<u8>) {
    for chunk in lines.utf8_chunks() {
        for c in chunk.valid().chars() {
            if is_control(c) && !matches!(c, '\n' | '\t' | '\0') {
                to.extend(c.escape_default().map(|c| c as u8));
            } else {
                to.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
        // Some terminals take single bytes for the control characters of ISO 8859.
        for &b in chunk.invalid() {
            if (0x80..0xa0).contains(&b) { to.extend(b.escape_ascii()) } else { to.push(b) }
        }
    }
}

/// Returns a name as messages show it, with control characters escaped, so that a message stays one line and a terminal
/// does not obey a file name. A name that begins or ends with a blank is quoted, since it would not be visible.
pub(crate) fn shown(name: &OsStr) -> String {
    if name.is_empty() {
        return "''".into();
    }
    let mut s = String::new();
    for c in name.to_string_lossy().chars() {
        if is_control(c) {
            s.extend(c.escape_default());
        } else {
            s.push(c);
        }
    }
    if s.starts_with(char::is_whitespace) || s.ends_with(char::is_whitespace) {
        return format!("'{s}'");
    }
    s
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_are_escaped() {
        let escaped = |lines: &[u8]| {
            let mut to = Vec::new();
            escape_controls(lines, &mut to);
            to
        };
        assert_eq!(escaped(b"a\x1b[31mb\r\x07: OK\n"), b"a\\u{1b}[31mb\\r\\u{7}: OK\n");
        assert_eq!(escaped("é\u{9b}\u{202e}\t\n".as_bytes()), "é\\u{9b}\\u{202e}\t\n".as_bytes());
        assert_eq!(escaped(b"\xff\x9b1m\n"), b"\xff\\x9b1m\n");
    }

    #[test]
    fn names_in_messages() {
        assert_eq!(shown(OsStr::new("a b")), "a b");
        assert_eq!(shown(OsStr::new("a ")), "'a '");
        assert_eq!(shown(OsStr::new(" a")), "' a'");
        assert_eq!(shown(OsStr::new("a\u{a0}")), "'a\u{a0}'");
        assert_eq!(shown(OsStr::new("a\n")), "a\\n");
        assert_eq!(shown(OsStr::new("")), "''");
    }
}
