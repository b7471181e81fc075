//! Rows of whole commands: a pair runs both one right after the other, in random order.

use super::file::{Equal, Line, Row, Rows, Suite, Told};
use super::inputs::Inputs;
use super::{Done, programs};
use hashmill_files::plain;
use hashmill_measure::paired::slowed;
use hashmill_measure::random::Random;
use hashmill_measure::run::{Pairing, Series, Session, Unit};
use hashmill_measure::{bare, suite, sys, whole};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(super) fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|m| std::os::unix::fs::MetadataExt::uid(&m) == 0)
}

/// How commands are started.
pub(super) struct Commands<'a> {
    /// The hashmill that is measured.
    pub(super) ours: PathBuf,
    /// Where they run.
    pub(super) folder: &'a Path,
    /// Variables of the environment.
    pub(super) variables: BTreeMap<String, String>,
}

impl Commands<'_> {
    /// Returns where a program is. `hashmill:NAME` is a link to ours.
    pub(super) fn program(&self, name: &str) -> Result<PathBuf, String> {
        match name.strip_prefix("hashmill") {
            Some("") => Ok(self.ours.clone()),
            Some(rest) if rest.starts_with(':') => {
                let links = self.folder.join("links");
                let link = links.join(&rest[1..]);
                let made = fs::create_dir_all(&links).and_then(|()| {
                    if fs::read_link(&link).is_ok_and(|to| to == self.ours) {
                        return Ok(());
                    }
                    let _ = fs::remove_file(&link);
                    std::os::unix::fs::symlink(&self.ours, &link)
                });
                made.map(|()| link.clone()).map_err(|e| format!("{}: {}", link.display(), plain(&e)))
            }
            _ if name.contains('/') => Ok(name.into()),
            _ => bare::original(name).map_err(|e| e.to_string()),
        }
    }

    /// Returns a command that can be started. A line for the shell has the originals first in its PATH, and ours as
    /// `hashmill`.
    pub(super) fn command(&self, line: &Line) -> Result<Command, String> {
        let mut command = match line {
            Line::Arguments(all) => {
                let (program, rest) = all.split_first().ok_or("an empty command")?;
                let mut command = bare::command(self.program(program)?);
                command.args(rest);
                command
            }
            Line::Shell(line) => {
                let mut command = bare::command("sh");
                command.args(["-c", line]);
                command
            }
        };
        // Lists name files below it.
        command.env("HOME", bare::NO_HOME).envs(&self.variables).current_dir(self.folder);
        Ok(command)
    }

    /// Returns a command without placeholders.
    fn filled(&self, line: &Line, inputs: &Inputs) -> Result<Line, String> {
        Ok(match line {
            Line::Arguments(all) => Line::Arguments(inputs.arguments(all)?),
            Line::Shell(line) => {
                let ours = self.ours.to_str().ok_or("the program's name is not UTF-8")?;
                Line::Shell(inputs.line(&line.replace("{hashmill}", &format!("'{ours}'")))?)
            }
        })
    }

    /// Returns what a measured row depends on: the suite, the program and the machine.
    pub(super) fn identity(&self, suite: &Suite) -> String {
        let program = fs::metadata(&self.ours).ok().and_then(|m| Some((m.len(), m.modified().ok()?)));
        format!("{} {program:?} {}", suite.essence(), hashmill_measure::machine::cpu_model())
    }

    /// Measures a row: one part of several, counted from 0. Returns `None` if it was interrupted.
    pub(super) fn row(
        &self,
        table: &Rows,
        row: &Row,
        inputs: &Inputs,
        pairs: usize,
        (part, parts): (usize, usize),
    ) -> Result<Option<Done>, String> {
        let lines = [self.filled(&row.ours, inputs)?, self.filled(&row.theirs, inputs)?];
        let scratch = tempfile::tempdir().map_err(|e| plain(&e))?;
        let emptied = row.emptied.as_ref().map(|name| inputs.emptied(name));
        let (mut figures, mut peak) = ([Vec::new(), Vec::new()], None);
        let once = |side: usize| -> Result<(f64, Option<u64>, Vec<u8>), String> {
            if let Some(folder) = &emptied {
                set_aside(folder).map_err(|e| plain(&e))?;
            }
            if table.cold {
                drop_caches().map_err(|e| plain(&e))?;
            }
            let ran = whole::run(&mut self.command(&lines[side])?, scratch.path(), &row.statuses);
            let ran = ran.map_err(|e| format!("{}: {e}", lines[side].program()))?;
            let output = if (row.equal, row.told) == (Equal::Nothing, Told::Time) {
                Vec::new()
            } else {
                whole::stdout(scratch.path()).map_err(|e| plain(&e))?
            };
            let figure = match row.told {
                Told::Time if side == 0 => slowed(ran.wall).as_secs_f64(),
                Told::Time => ran.wall.as_secs_f64(),
                told => rate(told, &output).ok_or_else(|| format!("{}: it prints no rate", lines[side].program()))?,
            };
            Ok((figure, ran.peak, output))
        };
        if part == 0 && !table.cold && row.told == Told::Time {
            // Warm up.
            for side in [1, 0] {
                once(side)?;
            }
        }
        let mut random = Random(pairs as u64);
        while figures[0].len() < pairs {
            let mut order = [0, 1];
            random.shuffle(&mut order);
            let mut outputs = [Vec::new(), Vec::new()];
            let mut taken = [0.0, 0.0];
            for side in order {
                let ran = once(side);
                if sys::interrupted() {
                    return Ok(None);
                }
                let (figure, memory, output) = ran?;
                (taken[side], outputs[side]) = (figure, output);
                peak = if side == 0 { peak.max(memory) } else { peak };
            }
            if !are_equal(row.equal, &outputs[0], &outputs[1]) {
                return Err(format!("prints something else than {}", row.theirs.program()));
            }
            figures[0].push(taken[0]);
            figures[1].push(taken[1]);
        }
        if let Some(folder) = emptied.filter(|_| part + 1 == parts) {
            remove_aside(&folder).map_err(|e| plain(&e))?;
        }
        let program = row.theirs.program();
        let version = programs::version(&self.program(program)?, program);
        let [ours, theirs] = figures;
        let unit = match row.told {
            Told::Time => Unit::Seconds,
            Told::Rate => Unit::BytesPerSecond,
            Told::Signatures | Told::Verifications => Unit::OperationsPerSecond,
        };
        let faster = |(ours, theirs): (&f64, &f64)| if unit.more_is_better() { ours / theirs } else { theirs / ours };
        let ratios = ours.iter().zip(&theirs).map(faster).collect();
        let bytes = (row.told == Told::Rate).then(|| length(&row.ours)).flatten();
        let series = |s: Series| Series { bytes, ..s.mode(table.name.clone()) };
        let shell = matches!(row.ours, Line::Shell(_));
        let what = row.what.clone();
        Ok(Some(Done {
            table: table.name.clone(),
            what: what.clone(),
            pairs,
            start: 0,
            allocated: Vec::new(),
            each_pair: true,
            columns: Vec::new(),
            column: 0,
            series: vec![
                series(Series::ours(&what, "", unit, ours)),
                series(Series::of(&what, program, version, unit, theirs)),
            ],
            pairings: vec![Pairing::new(0, 1, ratios)],
            // The peak of a shell is not that of the command in it.
            rows: vec![suite::Row {
                what,
                pairings: vec![Some(0)],
                peak: if shell || row.told != Told::Time { 0 } else { peak.unwrap_or(0) },
                ..suite::Row::default()
            }],
        }))
    }
}

/// Returns what programs print last, by the names of the variables that it is for. One that fails is reported.
pub(super) fn variables(suite: &Suite, session: &mut Session) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for (name, program) in &suite.environment {
        let path = suite.beside(program);
        let out = bare::command(&path).stdin(Stdio::null()).stderr(Stdio::inherit()).output();
        let text = out.ok().filter(|o| o.status.success()).and_then(|o| String::from_utf8(o.stdout).ok());
        match text.as_deref().and_then(|t| t.lines().last()) {
            Some(value) => drop(all.insert(name.clone(), value.to_string())),
            None => session.error(format!("{}: it failed: {name} is not set", path.display())),
        }
    }
    all
}

/// Returns the last rate in the records of `openssl speed -mr`: `+F:INDEX:NAME:RATE`, `+F2:INDEX:BITS:RATE:RATE`.
fn rate(told: Told, output: &[u8]) -> Option<f64> {
    let text = String::from_utf8_lossy(output);
    let record = |mark: &str, field: usize| {
        let line = text.lines().rfind(|l| l.starts_with(mark))?;
        line.split(':').nth(field)?.trim().parse().ok()
    };
    match told {
        Told::Time => None,
        Told::Rate => record("+F:", 3),
        Told::Signatures => record("+F2:", 3),
        Told::Verifications => record("+F2:", 4),
    }
}

/// Returns the length of the messages that `speed` is told.
fn length(line: &Line) -> Option<u64> {
    let Line::Arguments(all) = line else { return None };
    let at = all.iter().position(|a| a == "-bytes")?;
    all.get(at + 1)?.parse().ok()
}

fn are_equal(how: Equal, a: &[u8], b: &[u8]) -> bool {
    match how {
        Equal::Nothing => true,
        Equal::Bytes => a == b,
        Equal::Lines => {
            let sorted = |text: &[u8]| {
                let mut lines: Vec<Vec<u8>> = text.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
                lines.sort_unstable();
                lines
            };
            sorted(a) == sorted(b)
        }
    }
}

/// Makes an empty folder where there may be a full one. That is renamed: for a minute after files were deleted, ext4
/// looks for inodes that were not deleted lately, which would be measured.
fn set_aside(folder: &Path) -> io::Result<()> {
    if folder.exists() {
        let aside = (1..).map(|n| aside(folder, n)).find(|path| !path.exists());
        fs::rename(folder, aside.ok_or(io::ErrorKind::Other)?)?;
    }
    fs::create_dir_all(folder)?;
    sync()
}

fn remove_aside(folder: &Path) -> io::Result<()> {
    let all = (1..).map(|n| aside(folder, n)).take_while(|path| path.exists());
    all.chain([folder.to_owned()]).try_for_each(fs::remove_dir_all)
}

fn aside(folder: &Path, n: u32) -> PathBuf {
    let mut name = OsString::from(folder);
    name.push(format!("-{n}"));
    name.into()
}

fn sync() -> io::Result<()> {
    Command::new("sync").status().map(drop)
}

/// Takes all files out of the page cache.
fn drop_caches() -> io::Result<()> {
    sync()?;
    fs::write("/proc/sys/vm/drop_caches", "3")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_of_openssl() {
        let text = b"+H:16\n+F:3:md5:76459392.00\n+F2:0:512:30906.5:453170.0\n";
        assert_eq!(rate(Told::Rate, text), Some(76_459_392.0));
        assert_eq!(rate(Told::Signatures, text), Some(30906.5));
        assert_eq!(rate(Told::Verifications, text), Some(453_170.0));
        assert_eq!(rate(Told::Rate, b"speed: no such algorithm\n"), None);
        let line = |all: &[&str]| Line::Arguments(all.iter().map(|a| (*a).to_string()).collect());
        assert_eq!(length(&line(&["openssl", "speed", "-bytes", "16", "md5"])), Some(16));
        assert_eq!(length(&line(&["openssl", "speed", "rsa512"])), None);
    }
}
