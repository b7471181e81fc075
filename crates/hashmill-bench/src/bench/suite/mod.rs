//! `hashmill bench suite`: what a file says is measured against what it says.
//!
//! A table compares whole commands, loops of engines, or is a kind of `hashmill bench`. Each piece of work is measured
//! wholly before the next, and kept in a journal.

mod commands;
mod file;
mod inputs;
mod journal;
mod kinds;
mod library;
mod loops;
mod starts;

pub use file::{Suite, SuiteError};

use super::programs;
use clap::{Args, ValueHint};
use commands::Commands;
use file::{Line, Row, Rows};
use hashmill_files::plain;
use hashmill_measure::arguments::whole as number;
use hashmill_measure::engine::Known;
use hashmill_measure::run::{Findings, Pairing, Series, Session};
use hashmill_measure::suite::{self, Details, Form};
use hashmill_measure::{paired, sys};
use hashmill_results::output::OutputArgs;
use inputs::{Inputs, named};
use journal::Journal;
use loops::Runners;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

/// Measure what a file says against what it says
///
/// The file names the commands, loops of programs in other languages, or kinds of `hashmill bench`, the files that they
/// work on, and how many times as fast the one should be. The files are made if they are not there yet, and kept. If a
/// run is interrupted, the same command goes on with it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill bench suite bench/suites/trees.toml
  hashmill bench suite bench/suites/trees.toml --only photos,small --reps 5
")]
pub struct SuiteArgs {
    /// The suite (TOML)
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: PathBuf,

    /// Only these of its tables
    #[arg(long, value_name = "TABLE,TABLE…", value_delimiter = ',')]
    only: Vec<String>,

    /// Number of repetitions: pairs of every row, in each start; by default as the suite says
    #[arg(long, value_name = "N", value_parser = number(1..=10_000))]
    reps: Option<u64>,

    /// How often engines and kinds of `bench` are started; by default as often as the suite says, and up to three
    /// times as often for what varies
    #[arg(long, value_name = "N", value_parser = number(1..=1000))]
    starts: Option<u64>,

    /// Where the files are made and kept; by default a folder in that for temporary files
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    to: Option<PathBuf>,

    /// The hashmill to measure; by default this one
    #[arg(long, value_name = "PROGRAM", value_hint = ValueHint::ExecutablePath)]
    hashmill: Option<PathBuf>,

    /// Slow hashmill down by this share of its time, in percent, to see whether that is found
    #[arg(long, value_name = "PERCENT", hide = true, value_parser = number(1..=100))]
    planted: Option<u64>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// How many times as many starts there are at most, for what varies from one to the next.
const MOST: usize = 3;

/// Work that has been done: rows of a table with what was measured for them.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Done {
    table: String,
    /// Which work it was: the row, or the column.
    what: String,
    /// Number of pairs that were asked for.
    pairs: usize,
    /// Which of several starts it was; of what was combined, the last.
    start: usize,
    /// Names of the table's columns, and the first of these that the rows are about.
    columns: Vec<String>,
    column: usize,
    series: Vec<Series>,
    pairings: Vec<Pairing>,
    /// Their pairings are counted from the beginning of this work.
    rows: Vec<suite::Row>,
    /// Bytes that an operation of each series allocates, if that is counted.
    #[serde(default)]
    allocated: Vec<Option<f64>>,
    /// Whether every pair is a start, and so a value of its own.
    each_pair: bool,
}

/// A piece of work.
struct Work<'a> {
    table: &'a Rows,
    what: String,
    pairs: usize,
    starts: usize,
    /// How many there are if they differ.
    most: usize,
    kind: Kind<'a>,
}

enum Kind<'a> {
    Command(&'a Row),
    Loops,
    /// A column of `hashmill bench`.
    Bench(usize),
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
    let mut text = String::new();
    for table in &details.tables {
        if let Some(table) = details.table(&ended.run, &table.name, Form::Full).filter(|t| !t.is_empty()) {
            text += &format!("{}\n", table.show());
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
    if let Some(percent) = args.planted {
        paired::plant(percent as f64 / 100.0);
        session.warn(format!("hashmill was slowed down by {percent} %: --planted"));
    }
    if let Some(unknown) = args.only.iter().find(|name| !suite.tables.iter().any(|t| t.name == **name)) {
        let all: Vec<&str> = suite.tables.iter().map(|t| &*t.name).collect();
        return Err(format!("{}: there is no table {unknown}; it has {}", args.file.display(), all.join(", ")));
    }
    let folder = args.to.clone().unwrap_or_else(|| std::env::temp_dir().join("hashmill-suites"));
    let io = |e: io::Error| format!("{}: {}", folder.display(), plain(&e));
    fs::create_dir_all(&folder).map_err(io)?;
    let folder = fs::canonicalize(&folder).map_err(io)?;
    let _alone = inputs::alone(&folder).map_err(io)?;
    let ours = programs::hashmill(args.hashmill.as_deref()).map_err(|e| e.to_string())?;
    let mut variables = commands::variables(&suite, session);
    variables.extend(args.planted.map(|percent| (paired::PLANT.to_string(), percent.to_string())));
    let commands = Commands { ours, folder: &folder, variables };
    let asked = suite.tables.iter().filter(|t| args.only.is_empty() || args.only.contains(&t.name));
    let (cold, tables): (Vec<&Rows>, Vec<&Rows>) = asked.partition(|t| t.cold && !commands::is_root());
    for table in cold {
        session.note(format!("{}: not measured: only root can empty the page cache", table.title));
    }

    let work = work(args, &suite, &tables, &commands, &mut details.missing);
    details.missing.iter().for_each(|e| session.note(format!("{e}: not measured")));
    let engines: BTreeSet<&str> =
        tables.iter().flat_map(|t| t.ours.iter().chain(&t.theirs)).map(|of| &*of.engine).collect();
    let inputs = inputs(&suite, &work, &engines, &commands, session);
    let name = suite.name();
    let journal = folder.join(format!("{name}{}.jsonl", if args.planted.is_some() { "-planted" } else { "" }));
    let mut journal = Journal::open(&journal, &commands.identity(&suite)).map_err(io)?;

    // All of it once, then all of it again: the starts of a row are minutes apart, and see the machine in other states.
    // What reads from the disk comes last: it empties the page cache, from which the rest reads.
    let most = work.iter().map(|w| w.most).max().unwrap_or(0);
    let rounds = [false, true].into_iter().flat_map(|cold| (0..most).map(move |start| (cold, start)));
    let mut done: Vec<Done> = Vec::new();
    let (mut failures, mut known) = (BTreeSet::new(), Known::new());
    for (cold, start) in rounds {
        if sys::interrupted() {
            break;
        }
        let varies = |table: &Rows, what: Option<&str>| starts::vary(&done, table, what);
        let is_due = |w: &Work| start < w.starts || (start < w.most && varies(w.table, w.what()));
        let now: Vec<&Work> = work.iter().filter(|w| w.table.cold == cold && is_due(w)).collect();
        let loops = now.iter().filter(|w| matches!(w.kind, Kind::Loops));
        let engines = loops.flat_map(|w| w.table.ours.iter().chain(&w.table.theirs)).map(|of| &*of.engine).collect();
        let (runners, failed) = Runners::start(&suite, &engines, &inputs, start > 0);
        let mut report = |e: String| {
            // What fails in every start is said once.
            if !failures.contains(&e) {
                session.error(&e);
                failures.insert(e);
            }
        };
        failed.into_iter().for_each(&mut report);
        for Work { table, what, pairs, starts, kind, .. } in now {
            // The loops of a table are known when its engines run.
            let cases = match kind {
                Kind::Loops => {
                    for text in runners.unknown(table) {
                        report(format!("{}: no loop begins with '{text}'", table.name));
                    }
                    runners.cases(table)
                }
                _ => vec![what.clone()],
            };
            let cases: Vec<String> =
                cases.into_iter().filter(|what| start < *starts || starts::vary(&done, table, Some(what))).collect();
            for what in cases {
                if sys::interrupted() {
                    break;
                }
                let same = |d: &&Done| (&*d.table, &d.what, d.pairs, d.start) == (&*table.name, &what, *pairs, start);
                if let Some(there) = journal.done.iter().find(same) {
                    done.push(there.clone());
                    continue;
                }
                let measured = match kind {
                    Kind::Command(row) => {
                        let now = pairs * (start + 1) / starts - pairs * start / starts;
                        commands.row(table, row, &inputs, now, (start, *starts))
                    }
                    Kind::Loops => runners.row(table, &what, *pairs, &mut known),
                    Kind::Bench(column) => kinds::run(&commands, table, *column, &inputs, *pairs),
                };
                match measured {
                    Ok(Some(one)) => {
                        let one = Done { start, pairs: *pairs, ..one };
                        journal.put(&one).map_err(io)?;
                        done.push(one);
                    }
                    // Interrupted: the next run begins it again.
                    Ok(None) => break,
                    Err(e) => report(format!("{}: {what}: {e}", table.name)),
                }
            }
        }
    }
    for one in starts::combined(done) {
        let one = match tables.iter().find(|t| t.name == one.table) {
            Some(table) => loops::against_the_fastest(table, one),
            None => one,
        };
        merge(one, &tables, findings, details);
    }
    if !sys::interrupted() {
        journal.remove();
    }
    details.suite = name;
    suite.describe(details).map_err(|e| e.to_string())
}

impl Work<'_> {
    /// What it is called among the work of its table, unless it is several.
    fn what(&self) -> Option<&str> {
        Some(&*self.what).filter(|_| !matches!(self.kind, Kind::Loops))
    }
}

/// Returns what is to be done, and adds what is not here to `missing`.
fn work<'a>(
    args: &SuiteArgs,
    suite: &Suite,
    tables: &[&'a Rows],
    commands: &Commands,
    missing: &mut Vec<String>,
) -> Vec<Work<'a>> {
    let pairs = |own: Option<usize>| args.reps.map_or(own.unwrap_or(suite.pairs), |n| n as usize);
    let mut work = Vec::new();
    for table in tables {
        let starts = args.starts.map_or(table.starts.unwrap_or(suite.starts), |n| n as usize);
        for row in &table.rows {
            match commands.program(row.theirs.program()) {
                Ok(_) => {
                    // Every pair is a start; they are as far apart in time as those of loops.
                    let pairs = pairs(row.pairs.or(table.pairs));
                    let starts = pairs.min(starts);
                    let (what, kind) = (row.what.clone(), Kind::Command(row));
                    work.push(Work { table, what, pairs, starts, most: starts, kind });
                }
                Err(e) if missing.contains(&e) => {}
                Err(e) => missing.push(e),
            }
        }
        let pairs = pairs(table.pairs);
        let most = if args.starts.is_none() && starts > 1 { MOST * starts } else { starts };
        if !table.ours.is_empty() {
            work.push(Work { table, what: String::new(), pairs, starts, most, kind: Kind::Loops });
        }
        if !table.bench.is_empty() {
            let column = |i| Work { table, what: kinds::column(table, i), pairs, starts, most, kind: Kind::Bench(i) };
            work.extend((0..table.each.len().max(1)).map(column));
        }
    }
    work
}

/// Makes the files that this work needs. What cannot be made is reported; the rows that need it fail later.
fn inputs(
    suite: &Suite,
    work: &[Work],
    engines: &BTreeSet<&str>,
    commands: &Commands,
    session: &mut Session,
) -> Inputs {
    let mut lines: Vec<Line> = Vec::new();
    let mut emptied: BTreeSet<String> = BTreeSet::new();
    for one in work {
        match &one.kind {
            Kind::Command(row) => {
                lines.extend([row.theirs.clone(), row.ours.clone()]);
                emptied.extend(row.emptied.clone());
            }
            Kind::Bench(_) => lines.push(Line::Arguments(one.table.bench.clone())),
            Kind::Loops => {}
        }
    }
    lines.extend(engines.iter().filter_map(|name| Some(Line::Arguments(suite.engines.get(*name)?.clone()))));
    let is_file = |name: &String| !emptied.contains(name) && !kinds::OWN.contains(&&**name);
    let wanted = lines.iter().flat_map(named).filter(is_file).collect();
    let command = |a: &[String]| commands.command(&Line::Arguments(a.to_vec()));
    let (inputs, failed) = Inputs::make(suite, &wanted, emptied, commands.folder, &command);
    failed.iter().for_each(|e| session.error(e));
    inputs
}

/// Adds what was measured to the findings, and its rows to its table.
fn merge(done: Done, tables: &[&Rows], findings: &mut Findings, details: &mut Details) {
    let (series, pairings) = (findings.series.len(), findings.pairings.len());
    findings.series.extend(done.series);
    let moved = done.pairings.into_iter();
    findings.pairings.extend(moved.map(|p| Pairing { a: p.a + series, b: p.b + series, ..p }));
    let place = match details.tables.iter().position(|t| t.name == done.table) {
        Some(place) => place,
        None => {
            // In the suite's order, whatever the order of the work.
            let at = |name: &str| tables.iter().position(|t| t.name == name);
            let place = details.tables.iter().position(|t| at(&t.name) > at(&done.table));
            let place = place.unwrap_or(details.tables.len());
            let pairs = if done.start > 0 && !done.each_pair { done.pairs } else { 0 };
            details.tables.insert(place, suite::Rows { name: done.table.clone(), pairs, ..suite::Rows::default() });
            place
        }
    };
    let table = &mut details.tables[place];
    for name in done.columns {
        if !table.columns.contains(&name) {
            table.columns.push(name);
        }
    }
    for row in done.rows {
        let there = table.rows.iter().position(|r| r.what == row.what).unwrap_or_else(|| {
            table.rows.push(suite::Row { pairings: Vec::new(), ..row.clone() });
            table.rows.len() - 1
        });
        let cells = &mut table.rows[there].pairings;
        for (i, pairing) in row.pairings.iter().enumerate() {
            let column = done.column + i;
            cells.resize(cells.len().max(column + 1), None);
            cells[column] = pairing.map(|p| p + pairings);
        }
    }
}
