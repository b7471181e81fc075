//! One run of a measurement, as it is shown, written as JSON, and kept.
//!
//! This is the only form of a result: what `--json` prints, what the store keeps and what `results` reads. A
//! [`Session`] watches the machine (clock, load, steal) from beginning to end and collects warnings.

use crate::machine::{self, Machine, Watch, Weather};
use crate::paired::planted;
use crate::stats::Summary;
use crate::sys;
use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

/// Version of the format of [`Run`].
pub const FORMAT: u32 = 1;

/// Unit of the samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Bytes per second: more is better.
    BytesPerSecond,
    /// Operations per second: more is better.
    OperationsPerSecond,
    /// Seconds for the whole job: less is better.
    Seconds,
    /// Nanoseconds for one operation: less is better.
    Nanoseconds,
    /// Bytes of memory: less is better.
    Bytes,
    /// A number of things, such as allocations: less is better.
    Count,
}

impl Unit {
    /// Returns the divisor and the name of the unit for the values of a chart.
    pub fn scale(self) -> (f64, &'static str) {
        match self {
            Unit::BytesPerSecond => (1e9, "GB/s"),
            Unit::OperationsPerSecond => (1.0, "/s"),
            Unit::Seconds => (1.0, "s"),
            Unit::Nanoseconds => (1.0, "ns"),
            Unit::Bytes => (1e6, "MB"),
            Unit::Count => (1.0, ""),
        }
    }

    /// Returns whether more is better.
    pub fn more_is_better(self) -> bool {
        matches!(self, Unit::BytesPerSecond | Unit::OperationsPerSecond)
    }

    /// Formats a value of this unit for people: `1.23 GB/s`, `45.6 ns`.
    pub fn show(self, value: f64) -> String {
        // 999.9 ms are 1.00 s, and 9.996 s are 10.0 s.
        let scaled = |steps: &[(f64, &str)]| {
            let large = |s: &&(f64, &str)| value.abs() >= 0.9995 * s.0;
            let (scale, unit) = steps.iter().find(large).or(steps.last()).copied().unwrap_or((1.0, ""));
            let v = value / scale;
            let digits = match v.abs() {
                99.95.. => 0,
                9.995.. => 1,
                _ => 2,
            };
            format!("{v:.digits$} {unit}").trim_end().to_string()
        };
        match self {
            Unit::BytesPerSecond => scaled(&[(1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"), (1.0, "B/s")]),
            Unit::OperationsPerSecond => scaled(&[(1e6, "M/s"), (1e3, "k/s"), (1.0, "/s")]),
            Unit::Seconds => scaled(&[(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")]),
            Unit::Nanoseconds => scaled(&[(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")]),
            Unit::Bytes => scaled(&[(1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B")]),
            Unit::Count => scaled(&[(1.0, "")]),
        }
    }
}

/// One thing that was measured, with every sample.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// What ran: `sha256`, `aes-128-cbc`, `rsa2048 sign`, `read`.
    pub what: String,
    /// Name of the implementation: `hashmill`, `aws-lc`, `openssl`, `rustcrypto`, `php`, `go`, `python`, `coreutils` …
    pub by: String,
    /// Version of the implementation: `OpenSSL 3.0.19 27 Jan 2026`.
    pub version: String,
    /// Kernel of ours; empty for other implementations.
    #[serde(default)]
    pub kernel: String,
    /// Way in which it was used, if there are several: `one stream`, `lanes`, `mmap, cold`.
    #[serde(default)]
    pub mode: String,
    /// Bytes of one message or operation.
    #[serde(default)]
    pub bytes: Option<u64>,
    /// Whatever else distinguishes this series from others in the run: `threads`, `data`.
    #[serde(default)]
    pub parameters: BTreeMap<String, String>,
    /// Unit of the samples.
    pub unit: Unit,
    /// Samples in the order in which they were taken.
    pub samples: Vec<f64>,
    /// Summary of the samples; `None` if there are none.
    #[serde(default)]
    pub summary: Option<Summary>,
    /// Nanoseconds of loop overhead subtracted from every operation; 0 if an operation takes 50 ns or more.
    #[serde(default)]
    pub subtracted_ns: f64,
}

impl Series {
    /// Makes a series of our own code, without parameters.
    pub fn ours(what: impl Into<String>, kernel: impl Into<String>, unit: Unit, samples: Vec<f64>) -> Series {
        Series {
            what: what.into(),
            by: "hashmill".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            kernel: kernel.into(),
            mode: String::new(),
            bytes: None,
            parameters: BTreeMap::new(),
            unit,
            summary: Summary::of(&samples),
            samples,
            subtracted_ns: 0.0,
        }
    }

    /// Makes a series of another implementation.
    pub fn of(what: impl Into<String>, by: &str, version: impl Into<String>, unit: Unit, samples: Vec<f64>) -> Series {
        Series { by: by.into(), version: version.into(), ..Series::ours(what, "", unit, samples) }
    }

    /// Sets the bytes of each operation.
    #[must_use]
    pub fn bytes(mut self, bytes: u64) -> Series {
        self.bytes = Some(bytes);
        self
    }

    /// Sets the way in which it was used.
    #[must_use]
    pub fn mode(mut self, mode: impl Into<String>) -> Series {
        self.mode = mode.into();
        self
    }

    /// Adds a parameter.
    #[must_use]
    pub fn parameter(mut self, name: &str, value: impl ToString) -> Series {
        self.parameters.insert(name.into(), value.to_string());
        self
    }

    /// Returns the median, or NaN if there is none.
    pub fn median(&self) -> f64 {
        self.summary.map_or(f64::NAN, |s| s.median)
    }
}

/// Two series whose samples were taken in alternation, and the ratio of every pair. The ratio is the speed of `a` over
/// that of `b`, so that above 1 `a` is faster, whatever the unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pairing {
    /// Index into [`Run::series`].
    pub a: usize,
    /// Index into [`Run::series`].
    pub b: usize,
    /// Ratio of each pair.
    pub ratios: Vec<f64>,
    /// Summary of the ratios.
    pub summary: Option<Summary>,
}

impl Pairing {
    /// Pairs two series by their ratios of speed.
    pub fn new(a: usize, b: usize, ratios: Vec<f64>) -> Pairing {
        Pairing { a, b, summary: Summary::of(&ratios), ratios }
    }
}

/// One run of one command: the machine and what was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Format version: [`FORMAT`].
    pub format: u32,
    /// Name given by the user.
    #[serde(default)]
    pub tag: Option<String>,
    /// Command and arguments, starting with `hashmill`.
    pub command: Vec<String>,
    /// Start time: `2026-04-03T12:29:32Z`.
    pub started: String,
    /// Machine that it ran on.
    pub machine: Machine,
    /// What else happened on the machine.
    pub weather: Weather,
    /// Whether the user ended it early.
    pub interrupted: bool,
    /// What makes the run doubtful, each with its remedy.
    pub warnings: Vec<String>,
    /// Series measured.
    pub series: Vec<Series>,
    /// Comparisons made within the run.
    pub pairings: Vec<Pairing>,
    /// Further output of the command.
    #[serde(default)]
    pub details: Value,
}

/// Measurements of a command, before they become a [`Run`].
#[derive(Debug, Clone, Default)]
pub struct Findings {
    /// Series measured.
    pub series: Vec<Series>,
    /// Comparisons made.
    pub pairings: Vec<Pairing>,
    /// Further output of the command.
    pub details: Value,
}

/// A run in progress: watches the machine and collects warnings and errors.
#[derive(Debug)]
pub struct Session {
    name: &'static str,
    command: Vec<String>,
    started: String,
    machine: Machine,
    watch: Watch,
    warnings: Vec<String>,
    /// Whether it measures time, which a busy machine makes doubtful.
    timed: bool,
    failed: bool,
}

impl Session {
    /// Begins a run of `hashmill NAME` (`bench loops`). From now on, the first SIGINT ends the measurement
    /// (`sys::interrupted`). Whatever makes measurements on this machine doubtful is reported on stderr.
    pub fn begin(name: &'static str) -> Session {
        let mut session = Session { timed: true, ..Session::begin_untimed(name) };
        for warning in machine::warnings() {
            session.warn(warning);
        }
        if planted() > 0.0 {
            session.warn(format!("hashmill is slowed down by {:.0} %, as it was asked to be", 100.0 * planted()));
        }
        session
    }

    /// Begins a run whose counts do not depend on what else the machine does.
    pub fn begin_untimed(name: &'static str) -> Session {
        sys::catch_interrupt();
        let args = std::env::args_os().skip(1).map(|a| a.to_string_lossy().into_owned());
        Session {
            name,
            command: std::iter::once("hashmill".to_string()).chain(args).collect(),
            started: rfc3339(SystemTime::now()),
            machine: Machine::here(),
            watch: Watch::start(),
            warnings: Vec::new(),
            timed: false,
            failed: false,
        }
    }

    /// Returns the machine that it runs on.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Reports something that makes the results doubtful, with its remedy.
    pub fn warn(&mut self, warning: impl Into<String>) {
        let warning = warning.into();
        say(self.name, format_args!("warning: {warning}"));
        self.warnings.push(warning);
    }

    /// Reports something that could not be measured. The rest goes on; the exit status will be 1.
    pub fn error(&mut self, error: impl std::fmt::Display) {
        say(self.name, error);
        self.failed = true;
    }

    /// Prints a note on stderr.
    pub fn note(&self, note: impl std::fmt::Display) {
        say(self.name, note);
    }

    /// Ends the run.
    pub fn end(mut self, findings: Findings) -> Ended {
        let weather = self.watch.weather();
        // Where nothing was measured, nothing is doubtful.
        let timed = self.timed && !findings.series.is_empty();
        let doubts = if timed { weather.warnings(self.machine.cpus) } else { Vec::new() };
        for warning in doubts {
            self.warn(warning);
        }
        if let Some(delay) = weather.delay() {
            self.note(delay);
        }
        let run = Run {
            format: FORMAT,
            tag: None,
            command: self.command,
            started: self.started,
            machine: self.machine,
            weather,
            interrupted: sys::interrupted(),
            warnings: self.warnings,
            series: findings.series,
            pairings: findings.pairings,
            details: findings.details,
        };
        Ended { name: self.name, run, failed: self.failed }
    }
}

/// A run that has ended and can be shown.
#[derive(Debug)]
pub struct Ended {
    name: &'static str,
    /// The run.
    pub run: Run,
    failed: bool,
}

impl Ended {
    /// Reports on stderr that something could not be shown or kept; the exit status will be 1.
    pub fn error(&mut self, text: impl std::fmt::Display) {
        say(self.name, text);
        self.failed = true;
    }

    /// Prints a note on stderr.
    pub fn note(&self, note: impl std::fmt::Display) {
        say(self.name, note);
    }

    /// Returns the exit status: 130 after an interrupt, 1 if something failed, 0 otherwise.
    pub fn status(&self) -> ExitCode {
        match () {
            () if self.run.interrupted => ExitCode::from(130),
            () if self.failed => ExitCode::FAILURE,
            () => ExitCode::SUCCESS,
        }
    }
}

/// Prints a message of a subcommand on stderr, without the numbers that the standard library adds to the system's
/// errors.
pub fn say(command: &str, message: impl std::fmt::Display) {
    let message = message.to_string();
    let mut parts = message.split(" (os error ");
    let mut text = parts.next().unwrap_or_default().to_string();
    for part in parts {
        match part.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(')') {
            Some(rest) => text += rest,
            None => text.extend([" (os error ", part]),
        }
    }
    eprintln!("hashmill: {command}: {text}");
}

/// Writes to stdout. A reader that has gone away is not an error.
pub fn emit(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Writes a file under a temporary name first, so that no half-written file ever has the real name. If the path is a
/// link, its target is replaced; anything but a regular file, such as a pipe or a device, is written to directly.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_by(path, |out| out.write_all(bytes))
}

/// Checks whether [`replace`] could write a file of this name now.
///
/// # Errors
/// If it could not.
pub fn writable(path: &Path) -> io::Result<()> {
    let names_folder = path.as_os_str().as_encoded_bytes().ends_with(b"/");
    if names_folder || fs::metadata(path).is_ok_and(|m| m.is_dir()) {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if fs::metadata(path).is_ok_and(|m| !m.is_file()) {
        return Ok(());
    }
    let new = temporary(path)?;
    File::create(&new)?;
    fs::remove_file(&new)
}

/// Returns a temporary name in the directory of the file, or of a link's target.
fn temporary(path: &Path) -> io::Result<PathBuf> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let name = path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "not a file name"))?;
    let mut new = name.to_os_string();
    new.push(format!(".{}.new", std::process::id()));
    Ok(path.with_file_name(new))
}

/// Like [`replace`], with the contents written by `write`.
pub fn replace_by<E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), E> {
    let there = fs::metadata(path);
    if there.as_ref().is_ok_and(|m| !m.is_file()) {
        return write(&mut fs::OpenOptions::new().write(true).open(path)?);
    }
    let path = if there.is_ok() { fs::canonicalize(path)? } else { path.to_path_buf() };
    let new = temporary(&path)?;
    let written = File::create(&new).map_err(E::from).and_then(|file| {
        let mut out = io::BufWriter::new(file);
        write(&mut out)?;
        out.flush()?;
        Ok(fs::rename(&new, &path)?)
    });
    if written.is_err() {
        // It may not even have been created.
        let _ = fs::remove_file(&new);
    }
    written
}

/// Formats a time as `2026-04-03T12:29:32Z`.
pub fn rfc3339(time: SystemTime) -> String {
    DateTime::<Utc>::from(time).to_rfc3339_opts(SecondsFormat::Secs, true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, UNIX_EPOCH};

    #[test]
    fn dates() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (1_775_219_372, "2026-04-03T12:29:32Z"),
        ] {
            assert_eq!(rfc3339(UNIX_EPOCH + Duration::from_secs(seconds)), text);
        }
    }

    #[test]
    fn units_for_people() {
        assert_eq!(Unit::BytesPerSecond.show(1.234e9), "1.23 GB/s");
        assert_eq!(Unit::Nanoseconds.show(45.67), "45.7 ns");
        assert_eq!(Unit::Seconds.show(0.000_5), "500 µs");
        assert_eq!(Unit::Seconds.show(0.999_6), "1.00 s");
        assert_eq!(Unit::Seconds.show(0.999_4), "999 ms");
        assert_eq!(Unit::Seconds.show(9.996), "10.0 s");
        assert_eq!(Unit::Count.show(14.0), "14.0");
        assert_eq!(Unit::OperationsPerSecond.show(27_398.0), "27.4 k/s");
    }

    #[test]
    fn a_failed_write_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        replace(&path, b"x").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"x");
        fs::create_dir(dir.path().join("d")).unwrap();
        assert!(replace(&dir.path().join("d"), b"x").is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_written_to() {
        use std::os::unix::fs::{FileTypeExt, symlink};
        let dir = tempfile::tempdir().unwrap();
        let null = Path::new("/dev/null");
        replace(null, b"x").unwrap();
        assert!(fs::metadata(null).unwrap().file_type().is_char_device());
        let (file, link) = (dir.path().join("file"), dir.path().join("link"));
        fs::write(&file, b"before").unwrap();
        symlink(&file, &link).unwrap();
        replace(&link, b"after").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"after");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }
}
