//! `hashmill results`: what was kept, shown and compared.

pub(crate) mod compare;
pub(crate) mod history;
pub(crate) mod transfer;

use crate::args::{ResultsArgs, whole};
use crate::chart::{Bar, Chart, ChartError, Group, Plot};
use crate::run::{Run, Series, Unit, emit, replace};
use crate::stats::Summary;
use crate::store::{Filter, Spec, Store, StoreError};
use crate::text::aligned;
use clap::{Args, Subcommand, ValueHint};
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use thiserror::Error;

#[derive(Debug, Subcommand)]
pub(crate) enum ResultsCommand {
    List(ListArgs),
    Show(ShowArgs),
    Export(transfer::ExportArgs),
    Import(transfer::ImportArgs),
    Compare(compare::CompareArgs),
    History(history::HistoryArgs),
    Delete(DeleteArgs),
    Check(CheckArgs),
}

/// List the runs, latest first
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill results list --limit 10
  hashmill results list --tag before
  hashmill results list --machine epyc --json
")]
pub(crate) struct ListArgs {
    /// With this tag
    #[arg(long)]
    tag: Option<String>,

    /// On processors whose name has this in it
    #[arg(long, value_name = "TEXT")]
    machine: Option<String>,

    /// No more than so many
    #[arg(long, value_name = "N", value_parser = limit)]
    limit: Option<u32>,

    /// As JSON
    #[arg(long)]
    json: bool,
}

/// A number of runs.
fn limit(text: &str) -> Result<u32, String> {
    whole(1..=u32::MAX.into())(text).map(|n| n as u32)
}

/// Show a run
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill results show last
  hashmill results show before --svg before.svg
  hashmill results show 7 --samples | grep sha256

RUN is a number, a tag (its latest run), last, last~1 (the one before), or a
file that --json or export wrote.
")]
pub(crate) struct ShowArgs {
    /// Which
    #[arg(value_name = "RUN", default_value = "last")]
    run: String,

    /// As JSON with every sample, as `bench --json` prints it
    #[arg(long, conflicts_with = "samples")]
    json: bool,

    /// Every sample: one a line, columns with tabs between them
    #[arg(long)]
    samples: bool,

    /// Draw a chart into this file (SVG)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    svg: Option<PathBuf>,
}

/// Remove runs
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill results delete 3 4
  hashmill results delete last
")]
pub(crate) struct DeleteArgs {
    /// Numbers, tags (the latest run of each), last, last~1 …
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<String>,
}

/// Read the whole store and see whether everything in it is as it was kept
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill results check
  hashmill results check --db copy.db
")]
pub(crate) struct CheckArgs {}

/// Why there is nothing to show.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("cannot write: {0}")]
    Write(#[from] io::Error),
    #[error("{}: {what}", path.display())]
    File { path: PathBuf, what: String },
    #[error("{0}")]
    Nothing(String),
}

impl Failure {
    fn file(path: &Path, what: impl Display) -> Failure {
        let path = if path == Path::new("-") { "stdin".into() } else { path.into() };
        Failure::File { path, what: what.to_string() }
    }
}

/// Runs it.
pub(crate) fn run(args: &ResultsArgs) -> ExitCode {
    let (name, result) = match &args.command {
        ResultsCommand::List(a) => ("list", list(args, a)),
        ResultsCommand::Show(a) => ("show", show(args, a)),
        ResultsCommand::Export(a) => ("export", transfer::export(args, a)),
        ResultsCommand::Import(a) => ("import", transfer::import(args, a)),
        ResultsCommand::Compare(a) => ("compare", compare::run(args, a)),
        ResultsCommand::History(a) => ("history", history::run(args, a)),
        ResultsCommand::Delete(a) => ("delete", delete(args, a)),
        ResultsCommand::Check(_) => ("check", check(args)),
    };
    result.unwrap_or_else(|e| {
        eprintln!("hashmill: results {name}: {}", clean(&e.to_string()));
        ExitCode::FAILURE
    })
}

fn list(all: &ResultsArgs, args: &ListArgs) -> Result<ExitCode, Failure> {
    let store = Store::open_existing(all.db.as_deref())?;
    let filter = Filter { tag: args.tag.clone(), machine: args.machine.clone(), limit: args.limit };
    let heads = store.list(&filter)?;
    if args.json {
        emit(&json(&heads)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut rows = vec![["run", "when", "tag", "series", "warnings", "machine", "command"].map(String::from).to_vec()];
    rows.extend(heads.iter().map(|h| {
        let warnings = match (h.warnings, h.interrupted) {
            (n, false) => n.to_string(),
            (n, true) => format!("{n}, interrupted"),
        };
        let machine = format!("{} × {}", h.cpus, h.cpu);
        let tag = h.tag.clone().unwrap_or_default();
        vec![h.id.to_string(), h.started.clone(), tag, h.series.to_string(), warnings, machine, shell(&h.command)]
    }));
    if heads.is_empty() {
        eprintln!("hashmill: results list: no run in {} is like that", store.path().display());
    } else {
        emit(&table(&rows, &[0, 3]))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show(all: &ResultsArgs, args: &ShowArgs) -> Result<ExitCode, Failure> {
    let Named { label, run } = load(all, &args.run)?;
    if args.json {
        emit(&json(&run)?)?;
    } else if args.samples {
        emit(&samples(&run))?;
    } else {
        emit(&described(&label, &run))?;
    }
    if let Some(path) = &args.svg {
        let unit = run.series.first().map_or(Unit::Count, |s| s.unit);
        if run.series.iter().any(|s| s.unit != unit) {
            eprintln!(
                "hashmill: results show: {}: only what has the unit of the first series is drawn",
                path.display()
            );
        }
        draw(path, &chart(&label, &run, unit))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn delete(all: &ResultsArgs, args: &DeleteArgs) -> Result<ExitCode, Failure> {
    let mut store = Store::open_existing(all.db.as_deref())?;
    // All are found before the first is gone: `last` means the same run throughout.
    let found: Vec<Result<i64, StoreError>> = args.runs.iter().map(|r| store.find(r)).collect();
    let mut gone = Vec::new();
    let mut status = ExitCode::SUCCESS;
    for id in found {
        let deleted = match id {
            Ok(id) if gone.contains(&id) => continue,
            Ok(id) => store.delete(id).map(|()| id),
            Err(e) => Err(e),
        };
        match deleted {
            Ok(id) => {
                gone.push(id);
                emit(&format!("deleted run {id}\n"))?;
            }
            Err(e) => {
                eprintln!("hashmill: results delete: {}", clean(&e.to_string()));
                status = ExitCode::FAILURE;
            }
        }
    }
    Ok(status)
}

fn check(all: &ResultsArgs) -> Result<ExitCode, Failure> {
    let store = Store::open_existing(all.db.as_deref())?;
    let (runs, wrong) = store.check()?;
    for line in &wrong {
        eprintln!("hashmill: results check: {}: {}", store.path().display(), clean(line));
    }
    if wrong.is_empty() {
        emit(&format!("{}: {runs} runs, all as they were kept\n", store.path().display()))?;
        return Ok(ExitCode::SUCCESS);
    }
    Ok(ExitCode::FAILURE)
}

/// A run, and what to call it.
struct Named {
    label: String,
    run: Run,
}

/// The run that the user means: in the store, or the only one of a file. What has a slash in it or ends in `.json` is a
/// file, and so is what the store does not know, if there is such a file.
fn load(all: &ResultsArgs, spec: &str) -> Result<Named, Failure> {
    let path = Path::new(spec);
    let from_file = || Ok(Named { label: clean(spec), run: transfer::only(path)? });
    if spec == "-" || spec.contains('/') || spec.ends_with(".json") {
        return from_file();
    }
    let found = Store::open_existing(all.db.as_deref()).and_then(|store| Ok((store.find(spec)?, store)));
    match found {
        Ok((id, store)) => {
            let run = store.load(id)?;
            let tag = run.tag.as_ref().map_or(String::new(), |t| format!(" \"{}\"", clean(t)));
            Ok(Named { label: format!("run {id}{tag}"), run })
        }
        Err(StoreError::NoRun { .. } | StoreError::Missing(_))
            if matches!(Spec::of(spec), Spec::Tag(_)) && path.is_file() =>
        {
            from_file()
        }
        Err(e) => Err(e.into()),
    }
}

/// What is said about the middle of samples that came from elsewhere is made anew.
fn dated(run: &mut Run) {
    for s in &mut run.series {
        s.summary = Summary::of(&s.samples);
    }
    for p in &mut run.pairings {
        p.summary = Summary::of(&p.ratios);
    }
}

/// A run as text: where and when, then what.
fn described(label: &str, run: &Run) -> String {
    let w = &run.weather;
    let load = |l: Option<f64>| l.map_or("?".to_string(), |l| format!("{l:.2}"));
    let mut lines = vec![
        format!("{label}, {}, {:.1} s{}", run.started, w.seconds, if run.interrupted { ", interrupted" } else { "" }),
        shell(&run.command),
        format!("on {}", run.machine.line()),
        format!("hashmill {}, {}", run.machine.hashmill, run.machine.compiler),
        format!(
            "load {} before, {} after; core {:.2} GHz before, {:.2} after; {:.1} s stolen, {:.1} s used by others",
            load(w.load_before),
            load(w.load_after),
            w.core_hertz_before / 1e9,
            w.core_hertz_after / 1e9,
            w.stolen_seconds,
            w.others_seconds
        ),
    ];
    for (by, version) in versions(run) {
        lines.push(format!("{by}: {version}"));
    }
    lines.extend(run.warnings.iter().map(|w| format!("warning: {w}")));
    let mut text: String = lines.iter().map(|l| clean(l) + "\n").collect();
    let mut rows =
        vec![[&NAMES[..], &["samples", "median", "95 % interval"]].concat().iter().map(|s| s.to_string()).collect()];
    rows.extend(run.series.iter().map(|s| {
        let mut row = names(s, &s.kernel);
        row.push(s.samples.len().to_string());
        row.extend(middle(s));
        row
    }));
    text += "\n";
    text += &table(&rows, &[4, 6]);
    if !run.pairings.is_empty() {
        let mut rows = vec![["ratio of speeds", "pairs", "median", "95 % interval"].map(String::from).to_vec()];
        rows.extend(run.pairings.iter().filter_map(|p| {
            let (a, b) = (run.series.get(p.a)?, run.series.get(p.b)?);
            let middle = p.summary.map_or([String::new(), String::new()], |s| {
                [format!("{:.3}", s.median), format!("[{:.3}, {:.3}]", s.interval.0, s.interval.1)]
            });
            let name = format!("{} / {}", title(a, &a.kernel), title(b, &b.kernel));
            Some([vec![name, p.ratios.len().to_string()], middle.to_vec()].concat())
        }));
        text += "\n";
        text += &table(&rows, &[1, 2]);
    }
    text
}

/// The columns that tell one series from another.
const NAMES: [&str; 6] = ["what", "by", "kernel", "mode", "bytes", "parameters"];

fn names(s: &Series, kernel: &str) -> Vec<String> {
    let bytes = s.bytes.map_or(String::new(), |b| b.to_string());
    vec![s.what.clone(), s.by.clone(), kernel.into(), s.mode.clone(), bytes, parameters(s)]
}

fn parameters(s: &Series) -> String {
    s.parameters.iter().map(|(k, v)| format!("{k}={v}")).collect::<Vec<_>>().join(" ")
}

/// The series in one piece of text: `md5 hashmill avx512, lanes, 16384 bytes`.
fn title(s: &Series, kernel: &str) -> String {
    let first =
        [s.what.as_str(), &s.by, kernel].iter().filter(|p| !p.is_empty()).copied().collect::<Vec<_>>().join(" ");
    let bytes = s.bytes.map_or(String::new(), |b| format!("{b} bytes"));
    let parts = [first, s.mode.clone(), bytes, parameters(s)];
    clean(&parts.into_iter().filter(|p| !p.is_empty()).collect::<Vec<_>>().join(", "))
}

/// The median and its interval, for people.
fn middle(s: &Series) -> [String; 2] {
    s.summary.map_or(["-".to_string(), String::new()], |m| {
        let interval = format!("[{}, {}]", s.unit.show(m.interval.0), s.unit.show(m.interval.1));
        [s.unit.show(m.median), interval]
    })
}

/// The versions of others that a run measured, each once, and of whom.
fn versions(run: &Run) -> Vec<(&str, &str)> {
    let mut all: Vec<(&str, &str)> = Vec::new();
    for s in run.series.iter().filter(|s| s.by != "hashmill") {
        if !all.contains(&(&s.by, &s.version)) {
            all.push((&s.by, &s.version));
        }
    }
    all
}

fn samples(run: &Run) -> String {
    let mut text = String::from("series\twhat\tby\tkernel\tmode\tbytes\tparameters\tunit\tsample\tvalue\n");
    for (i, s) in run.series.iter().enumerate() {
        let names = names(s, &s.kernel).iter().map(|n| clean(n)).collect::<Vec<_>>().join("\t");
        let unit = serde_json::to_string(&s.unit).unwrap_or_default();
        let unit = unit.trim_matches('"');
        text.extend(s.samples.iter().enumerate().map(|(j, v)| format!("{i}\t{names}\t{unit}\t{j}\t{v}\n")));
    }
    text
}

/// What is drawn is in these.
fn scale(unit: Unit) -> (f64, &'static str) {
    match unit {
        Unit::BytesPerSecond => (1e9, "GB/s"),
        Unit::OperationsPerSecond => (1e3, "k/s"),
        Unit::Seconds => (1.0, "s"),
        Unit::Nanoseconds => (1.0, "ns"),
        Unit::Bytes => (1e6, "MB"),
        Unit::Count => (1.0, ""),
    }
}

fn chart(label: &str, run: &Run, unit: Unit) -> Chart {
    let (scale, name) = scale(unit);
    let mut groups: Vec<Group> = Vec::new();
    for s in run.series.iter().filter(|s| s.unit == unit) {
        let Some(m) = s.summary else { continue };
        let bytes = s.bytes.map_or(String::new(), |b| format!(", {b} bytes"));
        let group = clean(&format!("{}{bytes}", s.what));
        let words = [s.by.as_str(), &s.kernel, &s.mode, &parameters(s)];
        let bar = Bar {
            name: clean(&words.iter().filter(|w| !w.is_empty()).copied().collect::<Vec<_>>().join(" ")),
            value: m.median / scale,
            interval: Some((m.interval.0 / scale, m.interval.1 / scale)),
        };
        match groups.iter_mut().find(|g| g.name == group) {
            Some(g) => g.bars.push(bar),
            None => groups.push(Group { name: group, bars: vec![bar] }),
        }
    }
    Chart {
        title: clean(&shell(&run.command)),
        subtitle: clean(&format!("{label}, {}, {}", run.started, run.machine.line())),
        unit: name.into(),
        plot: Plot::Bars(groups),
    }
}

fn draw(path: &Path, chart: &Chart) -> Result<(), Failure> {
    write_svg(path, chart.svg())
}

fn write_svg(path: &Path, svg: Result<String, ChartError>) -> Result<(), Failure> {
    let svg = svg.map_err(|e| Failure::file(path, e))?;
    replace(path, svg.as_bytes()).map_err(|e| Failure::file(path, e))
}

fn json(value: &impl serde::Serialize) -> Result<String, Failure> {
    Ok(serde_json::to_string_pretty(value).map_err(io::Error::from)? + "\n")
}

/// A command as a shell would take it.
fn shell(command: &[String]) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%~".contains(c);
    let quoted = |arg: &String| match !arg.is_empty() && arg.chars().all(plain) {
        true => arg.clone(),
        false => format!("'{}'", arg.replace('\'', "'\\''")),
    };
    command.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// Without what would move a terminal's cursor: a store or a file may come from anybody.
fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// Rows of cells as columns; those of `right` end at the same place. Columns in which there is nothing below the head
/// are left out.
fn table(rows: &[Vec<String>], right: &[usize]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cell = |row: &[String], i: usize| row.get(i).map_or(String::new(), |c| clean(c));
    let kept: Vec<usize> = (0..columns).filter(|i| rows.iter().skip(1).any(|r| !cell(r, *i).is_empty())).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(|r| kept.iter().map(|i| cell(r, *i)).collect()).collect();
    aligned(&rows, |c| !right.contains(&kept[c]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_can_be_run_again() {
        let command = ["hashmill", "bench", "files", "a b", "it's", ""].map(String::from);
        assert_eq!(shell(&command), r"hashmill bench files 'a b' 'it'\''s' ''");
    }

    #[test]
    fn tables_align_and_leave_out_what_is_empty() {
        let row = |cells: [&str; 3]| cells.map(String::from).to_vec();
        let rows = [row(["what", "kernel", "n"]), row(["md5", "", "100"]), row(["a\u{1b}[2J", "", "7"])];
        assert_eq!(table(&rows, &[2]), "what     n\nmd5    100\na\u{fffd}[2J    7\n");
    }
}
