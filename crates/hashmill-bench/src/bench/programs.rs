//! Programs that are timed whole: how each is started, what was measured, and the tables of that.

use crate::bench::tree;
use hashmill_files::plain;
use hashmill_measure::bare::{self, NotFound};
use hashmill_measure::run::{Findings, Pairing, Series, Session, Unit};
use hashmill_measure::stats::Summary;
use hashmill_measure::table;
use hashmill_measure::whole::{self, WholeError};
use serde::Serialize;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tempfile::TempDir;
use thiserror::Error;

#[derive(Debug, Error)]
pub(super) enum CommandError {
    #[error("{}: {}", .path.display(), plain(cause))]
    File { path: PathBuf, cause: io::Error },
    #[error("no files to hash in what was given")]
    NoFiles,
    #[error("{program}: {cause}")]
    Run { program: String, cause: WholeError },
    #[error("{program}: its digests of {what} are not ours: line {line} is '{found}'")]
    Differs { program: String, what: String, line: usize, found: String },
    #[error("no hashmill to measure: --hashmill PROGRAM names one")]
    NoHashmill,
    #[error("{}: there is no such program: --hashmill names the hashmill to measure", .0.display())]
    NoProgram(PathBuf),
}

/// A program that is timed, or several that run one after the other.
pub(super) struct Timed {
    /// Name in the tables: `hashmill sum`, `hashmill sum -j 1`, `md5sum`.
    pub(super) name: String,
    pub(super) by: &'static str,
    pub(super) version: String,
    /// Their arguments, the program first.
    pub(super) steps: Vec<Vec<OsString>>,
    /// Seconds of each run, NaN for one that failed.
    pub(super) walls: Vec<f64>,
    pub(super) cpu: Vec<f64>,
    pub(super) peak: Option<u64>,
}

impl Timed {
    pub(super) fn new(name: String, by: &'static str, version: String, steps: Vec<Vec<OsString>>) -> Timed {
        Timed { name, by, version, steps, walls: Vec::new(), cpu: Vec::new(), peak: None }
    }

    /// Runs the program once, with further arguments. What the last step prints is in `scratch`.
    pub(super) fn run(&mut self, more: &[PathBuf], scratch: &Path) -> Result<(), CommandError> {
        let (mut wall, mut cpu) = (0.0, 0.0);
        for step in &self.steps {
            let mut command = bare::command(&step[0]);
            command.args(&step[1..]).args(more).env("HOME", bare::NO_HOME);
            let ran = whole::run(&mut command, scratch, &[0]);
            let ran = ran.map_err(|cause| CommandError::Run { program: self.name.clone(), cause })?;
            wall += ran.wall.as_secs_f64();
            cpu += ran.cpu.as_secs_f64();
            self.peak = self.peak.max(ran.peak);
        }
        self.walls.push(wall);
        self.cpu.push(cpu);
        Ok(())
    }

    /// Notes a run that failed.
    pub(super) fn failed(&mut self) {
        self.walls.push(f64::NAN);
        self.cpu.push(f64::NAN);
    }

    /// Forgets what was measured while warming up.
    pub(super) fn forget(&mut self) {
        self.walls.clear();
        self.cpu.clear();
    }
}

/// One comparison: several programs compute the same digests of the same files.
#[derive(Debug, Serialize)]
pub(super) struct Table {
    pub(super) what: String,
    pub(super) rows: Vec<Row>,
}

#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) program: String,
    pub(super) version: String,
    pub(super) seconds: Summary,
    pub(super) cpu_seconds: Summary,
    /// The program's time over ours in the same round; above 1, ours is faster.
    pub(super) times_ours: Option<Summary>,
    pub(super) bytes_per_second: f64,
    pub(super) peak_rss_bytes: Option<u64>,
}

/// Adds what was measured to the findings, and returns the table of it. Only rounds count that every program completed;
/// the first is ours. `bytes` is what each of them worked on.
pub(super) fn record<'a>(
    what: &str,
    series: &str,
    all: impl IntoIterator<Item = &'a Timed>,
    bytes: u64,
    findings: &mut Findings,
) -> Option<Table> {
    let all: Vec<&Timed> = all.into_iter().collect();
    let rounds = all.iter().map(|c| c.walls.len()).min()?;
    let complete: Vec<usize> = (0..rounds).filter(|&r| all.iter().all(|c| c.walls[r].is_finite())).collect();
    let of = |values: &[f64]| complete.iter().map(|&r| values[r]).collect::<Vec<f64>>();
    let ours = of(&all.first()?.walls);
    let first = findings.series.len();
    let mut rows = Vec::new();
    for (i, c) in all.iter().enumerate() {
        let walls = of(&c.walls);
        let seconds = Summary::of(&walls)?;
        let ratios: Vec<f64> = walls.iter().zip(&ours).map(|(t, o)| t / o).collect();
        rows.push(Row {
            program: c.name.clone(),
            version: c.version.clone(),
            seconds,
            cpu_seconds: Summary::of(&of(&c.cpu))?,
            times_ours: if i == 0 { None } else { Summary::of(&ratios) },
            bytes_per_second: bytes as f64 / seconds.median,
            peak_rss_bytes: c.peak,
        });
        let series = Series::of(series, c.by, c.version.clone(), Unit::Seconds, walls);
        findings.series.push(series.mode(c.name.clone()).bytes(bytes));
        if i > 0 {
            findings.pairings.push(Pairing::new(first, first + i, ratios));
        }
    }
    Some(Table { what: what.into(), rows })
}

/// Makes a temporary folder in `dir`. The error names `dir`, not the temporary folder.
pub(super) fn scratch_in(dir: &Path) -> Result<TempDir, CommandError> {
    tempfile::tempdir_in(dir).map_err(|e| {
        let cause = fs::read_dir(dir).err().unwrap_or_else(|| e.kind().into());
        CommandError::File { path: dir.into(), cause }
    })
}

/// Returns the command to measure: the given one, or this program itself.
pub(super) fn hashmill(given: Option<&Path>) -> Result<PathBuf, CommandError> {
    let found = match given {
        Some(path) if path.components().count() > 1 => fs::canonicalize(path).ok(),
        Some(name) => {
            let path = std::env::var_os("PATH").unwrap_or_default();
            std::env::split_paths(&path).map(|dir| dir.join(name)).find(|p| p.is_file())
        }
        None => std::env::current_exe().ok().filter(|p| p.is_file()),
    };
    found.ok_or_else(|| given.map_or(CommandError::NoHashmill, |path| CommandError::NoProgram(path.into())))
}

/// Notes the programs that were not measured, with the reason.
pub(super) fn note_missing(session: &mut Session, missing: &[NotFound]) {
    let absent: Vec<&str> =
        missing.iter().filter_map(|m| if let NotFound::Missing(name) = m { Some(&**name) } else { None }).collect();
    if !absent.is_empty() {
        session.note(format!("not installed: {}", absent.join(", ")));
    }
    for ours in missing.iter().filter(|m| matches!(m, NotFound::Ours(_))) {
        session.note(format!("{ours}: not measured"));
    }
}

/// Returns the first line that a program prints about its version.
pub(super) fn version(program: &Path, name: &str) -> String {
    let option = if name == "openssl" {
        "version"
    } else if name == "hashdeep" {
        "-V"
    } else {
        "--version"
    };
    let out = bare::command(program).arg(option).stdin(Stdio::null()).output();
    let text = out.map(|o| [o.stdout, o.stderr].concat()).unwrap_or_default();
    let line = String::from_utf8_lossy(&text).lines().next().unwrap_or_default().trim().to_string();
    if line.contains(name) || name == "openssl" { line } else { format!("{name} {line}") }
}

/// Collects the files that a path stands for, folder by folder.
pub(super) fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), CommandError> {
    let error = |cause| CommandError::File { path: path.into(), cause };
    for found in tree::files(path) {
        let found = found.map_err(|tree::Unreadable { path, cause }| CommandError::File { path, cause })?;
        files.push(fs::canonicalize(found).map_err(error)?);
    }
    Ok(())
}

/// Reads a file into the page cache and returns its length.
pub(super) fn warm(path: &Path) -> Result<u64, CommandError> {
    let error = |cause| CommandError::File { path: path.into(), cause };
    let mut file = File::open(path).map_err(error)?;
    let mut buffer = vec![0; 1 << 18];
    let mut total = 0;
    loop {
        match file.read(&mut buffer).map_err(error)? {
            0 => return Ok(total),
            n => total += n as u64,
        }
    }
}

pub(super) fn show(table: &Table) -> String {
    let columns = ["program", "wall", "95 % interval", "CPU", "speed", "times ours", "peak memory", "<version"];
    let mut shown = table::Table::new(&table.what, columns);
    for r in &table.rows {
        let s = &r.seconds;
        let ratio = |t: Summary| format!("{:.2} [{:.2}, {:.2}]", t.median, t.interval.0, t.interval.1);
        shown.row([
            r.program.clone(),
            Unit::Seconds.show(s.median),
            format!("[{}, {}]", Unit::Seconds.show(s.interval.0), Unit::Seconds.show(s.interval.1)),
            Unit::Seconds.show(r.cpu_seconds.median),
            Unit::BytesPerSecond.show(r.bytes_per_second),
            r.times_ours.map_or_else(String::new, ratio),
            r.peak_rss_bytes.map_or_else(|| "–".into(), |bytes| Unit::Bytes.show(bytes as f64)),
            r.version.clone(),
        ]);
    }
    format!("\n{}", shown.show())
}
