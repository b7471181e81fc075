//! `hashmill bench suite`: whole commands against others, as a file says.
//!
//! A pair runs both commands one right after the other, in random order. Each row is measured wholly before the next.

mod file;
mod inputs;
mod library;

use clap::{Args, ValueHint};
use file::{Equal, Line, Row, Suite};
use hashmill_files::plain;
use hashmill_measure::arguments::whole as number;
use hashmill_measure::bare;
use hashmill_measure::child::{ChildError, Program};
use hashmill_measure::engine::{self, Engine, Loop, Runner};
use hashmill_measure::paired::Plan;
use hashmill_measure::random::Random;
use hashmill_measure::run::{Findings, Pairing, Series, Session, Unit, replace};
use hashmill_measure::suite::{self, Details};
use hashmill_measure::{sys, whole};
use hashmill_results::output::OutputArgs;
use inputs::{Inputs, named};
use library::Library;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Measure whole commands against others, as a file says
///
/// The file names the commands, the files that they work on, and how many times as fast the one should be. The files
/// are made if they are not there yet, and kept. If a run is interrupted, the same command goes on with it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill bench suite bench/suites/trees.toml
  hashmill bench suite bench/suites/trees.toml --only photos,small --pairs 5
")]
pub struct SuiteArgs {
    /// The suite (TOML)
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: PathBuf,

    /// Only these of its tables
    #[arg(long, value_name = "TABLE,TABLE…", value_delimiter = ',')]
    only: Vec<String>,

    /// Number of pairs of every row; by default as the suite says
    #[arg(long, value_name = "N", value_parser = number(1..=10_000))]
    pairs: Option<u64>,

    /// Where the files are made and kept; by default a folder in that for temporary files
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    to: Option<PathBuf>,

    /// The hashmill to measure; by default this one
    #[arg(long, value_name = "PROGRAM", value_hint = ValueHint::ExecutablePath)]
    hashmill: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// What the library in this program is called in suites.
const HERE: &str = "rust";

/// A row that has been measured.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Done {
    table: String,
    what: String,
    /// One, or one for each column, with the ratios of each to the other.
    ours: Vec<(Series, Vec<f64>)>,
    theirs: Series,
    peak: u64,
}

/// Runs the measurement.
pub fn run(args: &SuiteArgs) -> ExitCode {
    let mut session = Session::begin("bench suite");
    let mut findings = Findings::default();
    let mut details = Details::default();
    if let Err(e) = measure(args, &mut session, &mut findings, &mut details) {
        session.error(e);
    }
    findings.details = json!(details);
    let ended = session.end(findings);
    let width = console::Term::stdout().size_checked().map_or(usize::MAX, |(_, columns)| columns.into());
    let mut text = String::new();
    for table in &details.tables {
        if let Some(table) = details.table(&ended.run, &table.name).filter(|t| !t.is_empty()) {
            text += &format!("{}\n", table.text(width));
        }
    }
    if !text.is_empty() {
        text = format!("{}\n\n{text}", ended.run.machine.line());
    }
    args.output.show(ended, &text, None)
}

fn measure(
    args: &SuiteArgs,
    session: &mut Session,
    findings: &mut Findings,
    details: &mut Details,
) -> Result<(), String> {
    let suite = Suite::read(&args.file).map_err(|e| e.to_string())?;
    if let Some(unknown) = args.only.iter().find(|name| !suite.tables.iter().any(|t| t.name == **name)) {
        let all: Vec<&str> = suite.tables.iter().map(|t| &*t.name).collect();
        return Err(format!("{}: there is no table {unknown}; it has {}", args.file.display(), all.join(", ")));
    }
    let name = args.file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let folder = args.to.clone().unwrap_or_else(|| std::env::temp_dir().join("hashmill-suites"));
    let io = |e: io::Error| format!("{}: {}", folder.display(), plain(&e));
    fs::create_dir_all(&folder).map_err(io)?;
    let folder = fs::canonicalize(&folder).map_err(io)?;
    let ours = super::programs::hashmill(args.hashmill.as_deref()).map_err(|e| e.to_string())?;
    let bench = Bench { ours, folder: &folder };
    let tables: Vec<&file::Rows> =
        suite.tables.iter().filter(|t| args.only.is_empty() || args.only.contains(&t.name)).collect();

    // What is here decides which rows there are, and these which files are made.
    let mut missing: Vec<String> = Vec::new();
    let mut rows: Vec<(&file::Rows, &Row)> = Vec::new();
    let mut engines: BTreeMap<&str, &Vec<String>> = BTreeMap::new();
    for table in &tables {
        if table.cold && !is_root() {
            session.note(format!("{}: not measured: only root can empty the page cache", table.title));
            continue;
        }
        let named = table.ours.iter().chain(&table.theirs);
        engines.extend(named.filter_map(|of| Some((&*of.engine, suite.engines.get(&of.engine)?))));
        for row in &table.rows {
            match bench.program(row.theirs.program()) {
                Ok(_) => rows.push((table, row)),
                Err(e) if missing.contains(&e) => {}
                Err(e) => missing.push(e),
            }
        }
    }
    missing.iter().for_each(|e| session.note(format!("{e}: not measured")));
    let emptied: BTreeSet<&String> = rows.iter().filter_map(|(_, row)| row.emptied.as_ref()).collect();
    let lines = rows.iter().flat_map(|(_, row)| [row.theirs.clone(), row.ours.clone()]);
    let lines = lines.chain(engines.values().map(|all| Line::Arguments((*all).clone())));
    let wanted: BTreeSet<String> = lines.flat_map(|l| named(&l)).filter(|name| !emptied.contains(name)).collect();
    let inputs = Inputs::make(&suite, &args.file, &wanted, &folder, &|a| bench.command(&Line::Arguments(a.to_vec())));
    let inputs = inputs.map_err(|e| e.to_string())?;

    let mut running: BTreeMap<&str, Box<dyn Runner>> = BTreeMap::new();
    running.insert(HERE, Box::new(Library::new()));
    for (name, arguments) in engines {
        let started =
            inputs.arguments(arguments).and_then(|all| start(name, &args.file, &all).map_err(|e| e.to_string()));
        match started {
            Ok(engine) => drop(running.insert(name, Box::new(engine))),
            Err(e) => session.error(e),
        }
    }
    let mut work: Vec<Work> = Vec::new();
    for table in &tables {
        let commands = rows.iter().filter(|(of, _)| of.name == table.name);
        work.extend(commands.map(|(_, row)| Work {
            table,
            what: row.what.clone(),
            aim: row.aim,
            why: row.why.clone(),
            pairs: row.pairs,
            kind: Kind::Command(row),
        }));
        let of = |all: &'_ [file::By]| -> Option<Vec<(&dyn Runner, String)>> {
            all.iter().map(|of| Some((&**running.get(&*of.engine)?, of.by.clone()))).collect()
        };
        let (Some(ours), Some(theirs)) = (of(&table.ours), of(&table.theirs)) else { continue };
        let Some((first, by)) = ours.first() else { continue };
        for case in first.loops().iter().filter(|l| l.by == *by).map(|l| &l.case) {
            let of = |(runner, by): &(_, String)| loop_of(*runner, by, case);
            let (ours, theirs): (Option<Vec<_>>, Vec<_>) =
                (ours.iter().map(of).collect(), theirs.iter().filter_map(of).collect());
            if let (Some(ours), false) = (ours, theirs.is_empty()) {
                work.push(Work {
                    table,
                    what: case.clone(),
                    aim: table.aim,
                    why: table.why.clone(),
                    pairs: table.pairs,
                    kind: Kind::Loops(ours, theirs),
                });
            }
        }
    }

    let mut journal = Journal::open(&folder.join(format!("{name}.jsonl")), &bench.identity(&args.file)).map_err(io)?;
    for Work { table, what, aim, why, pairs, kind } in work {
        if sys::interrupted() {
            break;
        }
        let pairs = args.pairs.map_or(pairs.unwrap_or(suite.pairs), |n| n as usize);
        let same = |d: &&Done| d.table == table.name && d.what == what && d.theirs.samples.len() == pairs;
        let done = match journal.done.iter().find(same).cloned() {
            Some(done) => Ok(Some(done)),
            None => {
                let measured = match &kind {
                    Kind::Command(row) => bench.row(table, row, &inputs, pairs),
                    Kind::Loops(ours, theirs) => loops_of(table, ours, theirs, pairs),
                };
                if let Ok(Some(done)) = &measured {
                    journal.put(done).map_err(io)?;
                }
                measured
            }
        };
        let done = match done {
            Ok(Some(done)) => done,
            // Interrupted: the next run begins the row again.
            Ok(None) => break,
            Err(e) => {
                session.error(format!("{}: {what}: {e}", table.name));
                continue;
            }
        };
        let theirs = findings.series.len();
        findings.series.push(done.theirs);
        let mut pairings = Vec::new();
        for (ours, ratios) in done.ours {
            pairings.push(findings.pairings.len());
            findings.pairings.push(Pairing::new(findings.series.len(), theirs, ratios));
            findings.series.push(ours);
        }
        let shown = suite::Row { what, pairings, aim, why, peak: done.peak };
        match details.tables.iter_mut().find(|t| t.name == table.name) {
            Some(there) => there.rows.push(shown),
            None => details.tables.push(suite::Rows {
                name: table.name.clone(),
                title: table.title.clone(),
                other: table.other.clone(),
                columns: if table.ours.len() > 1 {
                    table.ours.iter().map(|of| of.by.clone()).collect()
                } else {
                    Vec::new()
                },
                rows: vec![shown],
            }),
        }
    }
    if !sys::interrupted() {
        journal.remove();
    }
    (details.suite, details.title, details.missing) = (name, suite.title.clone(), missing);
    Ok(())
}

/// A row to be measured.
struct Work<'a> {
    table: &'a file::Rows,
    what: String,
    aim: f64,
    why: Option<String>,
    pairs: Option<usize>,
    kind: Kind<'a>,
}

/// A loop and what runs it.
type Side<'a> = (&'a dyn Runner, &'a Loop);

enum Kind<'a> {
    Command(&'a Row),
    /// Ours and the others, each of an engine.
    Loops(Vec<Side<'a>>, Vec<Side<'a>>),
}

/// Returns the loop that does a case in this way, if there is one.
fn loop_of<'a>(runner: &'a dyn Runner, by: &str, case: &str) -> Option<Side<'a>> {
    runner.loops().iter().find(|l| l.by == by && l.case == case).map(|l| (runner, l))
}

/// Starts an engine of a suite.
fn start(name: &str, suite: &Path, arguments: &[String]) -> Result<Engine, ChildError> {
    let (program, rest) = arguments.split_first().map_or(("", &[][..]), |(p, rest)| (&**p, rest));
    let path = suite.parent().unwrap_or(Path::new(".")).join(program);
    let program = Program { peer: name, path: path.as_os_str(), remedy: "it is named in the suite" };
    Engine::start(&program, program.command().args(rest))
}

/// Measures loops of engines, against the fastest of the others. Returns `None` if that was interrupted.
fn loops_of(table: &file::Rows, ours: &[Side], theirs: &[Side], pairs: usize) -> Result<Option<Done>, String> {
    let plan = Plan { pairs, ..Plan::default() };
    let all = [ours, theirs].concat();
    let rotation = engine::rotate(&all, &plan).map_err(|e| e.to_string())?;
    let Some(rotation) = rotation.filter(|_| !sys::interrupted()) else { return Ok(None) };
    let series = |side: usize| {
        let (runner, of) = all[side];
        let nanoseconds = rotation.rates[side].iter().map(|rate| of.bytes as f64 / rate * 1e9).collect();
        let series = Series::of(&of.case, &of.by, runner.name(), Unit::Nanoseconds, nanoseconds);
        series.mode(table.name.clone()).bytes(of.bytes)
    };
    let speed = |side: &usize| rotation.summary(*side).map_or(0.0, |s| s.median);
    let fastest =
        (ours.len()..all.len()).max_by(|a, b| speed(a).total_cmp(&speed(b))).ok_or("nothing to compare with")?;
    let of = |i: usize| (Series { by: "hashmill".into(), ..series(i) }, rotation.ratios(i, fastest));
    Ok(Some(Done {
        table: table.name.clone(),
        what: all[0].1.case.clone(),
        ours: (0..ours.len()).map(of).collect(),
        theirs: series(fastest),
        peak: 0,
    }))
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|m| std::os::unix::fs::MetadataExt::uid(&m) == 0)
}

/// A suite that is measured.
struct Bench<'a> {
    ours: PathBuf,
    folder: &'a Path,
}

impl Bench<'_> {
    /// Returns where a program is. `hashmill:NAME` is a link to ours.
    fn program(&self, name: &str) -> Result<PathBuf, String> {
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
            _ => bare::original(name).map_err(|e| e.to_string()),
        }
    }

    /// Returns a command that can be started. A line for the shell has the originals first in its PATH, and ours as
    /// `hashmill`.
    fn command(&self, line: &Line) -> Result<Command, String> {
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
        command.env("HOME", bare::NO_HOME).current_dir(self.folder);
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
    fn identity(&self, suite: &Path) -> String {
        let of = |path: &Path| {
            let m = fs::metadata(path).ok()?;
            Some(format!("{} {:?}", m.len(), m.modified().ok()?))
        };
        format!("{:?} {:?} {}", of(suite), of(&self.ours), hashmill_measure::machine::cpu_model())
    }

    /// Measures a row. Returns `None` if it was interrupted.
    fn row(&self, table: &file::Rows, row: &Row, inputs: &Inputs, pairs: usize) -> Result<Option<Done>, String> {
        let lines = [self.filled(&row.ours, inputs)?, self.filled(&row.theirs, inputs)?];
        let scratch = tempfile::tempdir().map_err(|e| plain(&e))?;
        let emptied = row.emptied.as_ref().map(|name| inputs.emptied(name));
        let (mut walls, mut peak) = ([Vec::new(), Vec::new()], 0);
        let once = |side: usize| -> Result<(f64, u64, Vec<u8>), String> {
            if let Some(folder) = &emptied {
                set_aside(folder).map_err(|e| plain(&e))?;
            }
            if table.cold {
                drop_caches().map_err(|e| plain(&e))?;
            }
            let ran = whole::run(&mut self.command(&lines[side])?, scratch.path(), &row.statuses);
            let ran = ran.map_err(|e| format!("{}: {e}", lines[side].program()))?;
            let output = if row.equal == Equal::Nothing {
                Vec::new()
            } else {
                whole::stdout(scratch.path()).map_err(|e| plain(&e))?
            };
            Ok((ran.wall.as_secs_f64(), ran.peak, output))
        };
        if !table.cold {
            // Warm up.
            for side in [1, 0] {
                once(side)?;
            }
        }
        let mut random = Random(pairs as u64);
        while walls[0].len() < pairs {
            let mut order = [0, 1];
            random.shuffle(&mut order);
            let mut outputs = [Vec::new(), Vec::new()];
            let mut taken = [0.0, 0.0];
            for side in order {
                let ran = once(side);
                if sys::interrupted() {
                    return Ok(None);
                }
                let (wall, memory, output) = ran?;
                (taken[side], outputs[side]) = (wall, output);
                peak = if side == 0 { peak.max(memory) } else { peak };
            }
            if !are_equal(row.equal, &outputs[0], &outputs[1]) {
                return Err(format!("prints something else than {}", row.theirs.program()));
            }
            walls[0].push(taken[0]);
            walls[1].push(taken[1]);
        }
        if let Some(folder) = &emptied {
            remove_aside(folder).map_err(|e| plain(&e))?;
        }
        let ratios = walls[0].iter().zip(&walls[1]).map(|(ours, theirs)| theirs / ours).collect();
        let program = row.theirs.program();
        let version = super::programs::version(&self.program(program)?, program);
        let [ours, theirs] = walls;
        let mode = |s: Series| s.mode(table.name.clone());
        let shell = matches!(row.ours, Line::Shell(_));
        Ok(Some(Done {
            table: table.name.clone(),
            what: row.what.clone(),
            ours: vec![(mode(Series::ours(&row.what, "", Unit::Seconds, ours)), ratios)],
            theirs: mode(Series::of(&row.what, program, version, Unit::Seconds, theirs)),
            // The peak of a shell is not that of the command in it.
            peak: if shell { 0 } else { peak },
        }))
    }
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

/// Rows that have been measured, kept until all have.
struct Journal {
    path: PathBuf,
    done: Vec<Done>,
}

impl Journal {
    /// Opens the journal, with the rows of an earlier run if it measured the same.
    fn open(path: &Path, identity: &str) -> io::Result<Journal> {
        let text = fs::read_to_string(path).unwrap_or_default();
        let mut lines = text.lines();
        let first = json!(identity).to_string();
        let done = if lines.next() == Some(&first) {
            lines.map_while(|l| serde_json::from_str(l).ok()).collect()
        } else {
            Vec::new()
        };
        let mut journal = Journal { path: path.to_owned(), done: Vec::new() };
        replace(path, format!("{first}\n").as_bytes())?;
        done.iter().try_for_each(|d| journal.put(d))?;
        journal.done = done;
        Ok(journal)
    }

    fn put(&mut self, done: &Done) -> io::Result<()> {
        let line = serde_json::to_string(done)? + "\n";
        OpenOptions::new().append(true).open(&self.path)?.write_all(line.as_bytes())
    }

    fn remove(self) {
        // It is of no use, and does no harm.
        let _ = fs::remove_file(self.path);
    }
}
