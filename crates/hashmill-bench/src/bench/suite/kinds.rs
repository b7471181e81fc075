//! Tables that are a kind of `hashmill bench`: each comparison that it makes is a row, or a cell of one.

use super::Done;
use super::commands::Commands;
use super::file::{Line, Rows};
use super::inputs::Inputs;
use hashmill_measure::run::{Pairing, Run, Series, Unit};
use hashmill_measure::{quiet, suite, sys};
use std::collections::BTreeSet;
use std::process::Stdio;
use std::time::Duration;

/// Placeholders in arguments that do not name files.
pub(super) const OWN: [&str; 3] = ["pairs", "each", "folder"];

/// How long is waited for a core without neighbors before a kind of `bench` begins.
const PATIENCE: Duration = Duration::from_millis(500);

/// Returns the name of a table's column, or nothing if it has but one.
pub(super) fn column(table: &Rows, at: usize) -> String {
    table.each.get(at).map_or_else(String::new, |each| table.column.replace("{each}", each))
}

/// Runs `hashmill bench` for a column of a table. Returns `None` if that was interrupted.
pub(super) fn run(
    commands: &Commands,
    table: &Rows,
    at: usize,
    inputs: &Inputs,
    pairs: usize,
) -> Result<Option<Done>, String> {
    let each = table.each.get(at).map_or("", |each| each);
    let folder = commands.folder.to_str().ok_or("the folder's name is not UTF-8")?;
    let own = |a: &String| a.replace("{pairs}", &pairs.to_string()).replace("{each}", each).replace("{folder}", folder);
    let arguments: Vec<String> = table.bench.iter().map(own).collect();
    let mut all = vec!["hashmill".to_string(), "bench".into()];
    all.extend(inputs.arguments(&arguments)?);
    all.push("--json".into());
    // It also shows how wide the core is.
    quiet::wait(PATIENCE);
    let mut command = commands.command(&Line::Arguments(all))?;
    command.env(quiet::WIDTH, quiet::best_width().to_string());
    let out = command.stdin(Stdio::null()).stderr(Stdio::piped()).output().map_err(|e| e.to_string())?;
    if sys::interrupted() {
        return Ok(None);
    }
    let run: Run = serde_json::from_slice(&out.stdout).map_err(|_| {
        let said = String::from_utf8_lossy(&out.stderr);
        said.lines().last().unwrap_or("it printed nothing").to_string()
    })?;
    if run.pairings.is_empty() {
        return Err("it compared nothing".into());
    }
    quiet::lose(Duration::try_from_secs_f64(run.weather.neighbors_seconds).unwrap_or_default());
    let (columns, rows) = rows(&run);
    if !columns.is_empty() && !table.each.is_empty() {
        return Err("it has several peers, which would be columns as well".into());
    }
    let mut done = Done {
        table: table.name.clone(),
        what: column(table, at),
        pairs,
        start: 0,
        allocated: Vec::new(),
        each_pair: false,
        columns: if table.each.is_empty() {
            columns
        } else {
            (0..table.each.len()).map(|i| column(table, i)).collect()
        },
        column: at,
        series: Vec::new(),
        pairings: Vec::new(),
        rows,
    };
    // Series that are compared with nothing are left out.
    let used: BTreeSet<usize> = run.pairings.iter().flat_map(|p| [p.a, p.b]).collect();
    let used: Vec<usize> = used.into_iter().collect();
    let new = |old: usize| used.iter().position(|u| *u == old).unwrap_or_default();
    done.series = used.iter().filter_map(|i| run.series.get(*i)).cloned().collect();
    done.pairings = run.pairings.into_iter().map(|p| Pairing { a: new(p.a), b: new(p.b), ..p }).collect();
    Ok(Some(done))
}

/// Returns names of columns, if there are several peers, and the rows of a run.
fn rows(run: &Run) -> (Vec<String>, Vec<suite::Row>) {
    let of = |i: usize| run.series.get(i);
    let mut ours: Vec<usize> = Vec::new();
    for pairing in &run.pairings {
        if !ours.contains(&pairing.a) {
            ours.push(pairing.a);
        }
    }
    let several = run.pairings.len() > ours.len();
    let mut columns: Vec<String> = Vec::new();
    let mut rows = Vec::new();
    for a in &ours {
        let Some(series) = of(*a) else { continue };
        let others = ours.iter().filter_map(|i| of(*i));
        let mut row = suite::Row { what: name(series, others), ..suite::Row::default() };
        for (at, pairing) in run.pairings.iter().enumerate().filter(|(_, p)| p.a == *a) {
            let Some(other) = of(pairing.b) else { continue };
            let label = label(other);
            let column = if several {
                columns.iter().position(|c| *c == label).unwrap_or_else(|| {
                    columns.push(label);
                    columns.len() - 1
                })
            } else {
                0
            };
            row.pairings.resize(row.pairings.len().max(column + 1), None);
            row.pairings[column] = Some(at);
        }
        rows.push(row);
    }
    (columns, rows)
}

/// Returns a name of a series that tells it from the others: what it is, its kernel, its length.
fn name<'a>(series: &Series, others: impl Iterator<Item = &'a Series> + Clone) -> String {
    let mut name = format!("`{}`", series.what);
    if series.what.contains(' ') {
        name.clone_from(&series.what);
    }
    let same = others.clone().filter(|o| o.what == series.what && o.bytes == series.bytes);
    if same.clone().any(|o| o.kernel != series.kernel) {
        name += &format!(" `{}`", series.kernel);
    } else if same.clone().any(|o| o.mode != series.mode) {
        name += &format!(" {}", series.mode);
    }
    if let Some(bytes) = series.bytes
        && others.into_iter().any(|o| o.bytes != series.bytes && series.unit != Unit::Seconds)
    {
        name += &format!(", {bytes} bytes");
    }
    name
}

/// Returns what a column is called that compares with this.
fn label(other: &Series) -> String {
    match other.unit {
        // Programs have names of their own.
        Unit::Seconds if !other.mode.is_empty() => other.mode.clone(),
        _ if other.by == "hashmill" => other.kernel.clone(),
        _ => other.by.clone(),
    }
}
