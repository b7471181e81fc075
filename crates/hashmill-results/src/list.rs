//! `hashmill results list`, `show`, `delete`, `check`.

use crate::error::ResultsError;
use crate::find::{Named, load};
use crate::page::{NAMES, clean, draw, json, middle, names, parameters, shell, table, title, versions};
use crate::store::{Filter, Store, StoreError};
use clap::{Args, ValueHint};
use hashmill_measure::arguments::whole;
use hashmill_measure::chart::Chart;
use hashmill_measure::run::{Run, emit};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// List the runs, latest first
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill results list --limit 10
  hashmill results list --tag before
  hashmill results list --machine epyc --json
")]
pub(crate) struct ListArgs {
    /// Only runs with this tag
    #[arg(long)]
    tag: Option<String>,

    /// Only processors whose name contains this
    #[arg(long, value_name = "TEXT")]
    machine: Option<String>,

    /// Maximum number of runs
    #[arg(long, value_name = "N", value_parser = limit)]
    limit: Option<u32>,

    /// As JSON
    #[arg(long)]
    json: bool,
}

/// Parses a number of runs.
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
    #[arg(value_name = "RUN", default_value = "last", value_hint = ValueHint::AnyPath)]
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

pub(crate) fn list(db: Option<&Path>, args: &ListArgs) -> Result<ExitCode, ResultsError> {
    let store = Store::open_existing(db)?;
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

pub(crate) fn show(db: Option<&Path>, args: &ShowArgs) -> Result<ExitCode, ResultsError> {
    let Named { label, run } = load(db, &args.run)?;
    if args.json {
        emit(&json(&run)?)?;
    } else if args.samples {
        emit(&samples(&run))?;
    } else {
        emit(&described(&label, &run))?;
    }
    if let Some(path) = &args.svg {
        draw(path, &chart(&label, &run))?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn delete(db: Option<&Path>, args: &DeleteArgs) -> Result<ExitCode, ResultsError> {
    let mut store = Store::open_existing(db)?;
    // Look up all runs before deleting the first, so that `last` means the same run throughout.
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
                hashmill_measure::run::say("results delete", clean(&e.to_string()));
                status = ExitCode::FAILURE;
            }
        }
    }
    Ok(status)
}

pub(crate) fn check(db: Option<&Path>) -> Result<ExitCode, ResultsError> {
    let store = Store::open_existing(db)?;
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

/// Describes a run as text: where and when it ran, then what it measured.
fn described(label: &str, run: &Run) -> String {
    let w = &run.weather;
    let load = |l: Option<f64>| l.map_or("?".to_string(), |l| format!("{l:.2}"));
    let mut lines = vec![
        format!("{label}, {}, {:.1} s{}", run.started, w.seconds, if run.interrupted { ", interrupted" } else { "" }),
        shell(&run.command),
        format!("on {}", run.machine.line()),
        format!("hashmill {}, {}", run.machine.hashmill, run.machine.compiler),
        format!(
            "load {} before, {} after; core {:.2} GHz before, {:.2} after; {:.1} s stolen, {:.1} s used by others, \
             {:.1} s for neighbors on the same cores",
            load(w.load_before),
            load(w.load_after),
            w.core_hertz_before / 1e9,
            w.core_hertz_after / 1e9,
            w.stolen_seconds,
            w.others_seconds,
            w.neighbors_seconds
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

/// Draws what has been measured, a panel for each unit.
fn chart(label: &str, run: &Run) -> Chart {
    let subtitle = clean(&format!("{label}, {}, {}", run.started, run.machine.line()));
    let mut chart = Chart::new(clean(&shell(&run.command)), subtitle);
    for s in &run.series {
        let bytes = s.bytes.map_or(String::new(), |b| format!(", {b} bytes"));
        let words = [s.by.as_str(), &s.kernel, &s.mode, &parameters(s)];
        let name = words.iter().filter(|w| !w.is_empty()).copied().collect::<Vec<_>>().join(" ");
        chart.series(&clean(&format!("{}{bytes}", s.what)), &clean(&name), s);
    }
    chart
}
