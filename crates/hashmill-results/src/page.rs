//! How the subcommands show runs: names, tables, charts.

use crate::error::ResultsError;
use hashmill_measure::chart::{Chart, ChartError};
use hashmill_measure::run::{Run, Series, replace};
use hashmill_measure::table::Table;
use std::io;
use std::path::Path;

/// Columns that distinguish one series from another.
pub(crate) const NAMES: [&str; 6] = ["what", "by", "kernel", "mode", "bytes", "parameters"];

pub(crate) fn names(s: &Series, kernel: &str) -> Vec<String> {
    let bytes = s.bytes.map_or(String::new(), |b| b.to_string());
    vec![s.what.clone(), s.by.clone(), kernel.into(), s.mode.clone(), bytes, parameters(s)]
}

pub(crate) fn parameters(s: &Series) -> String {
    s.parameters.iter().map(|(k, v)| format!("{k}={v}")).collect::<Vec<_>>().join(" ")
}

/// Returns a one-line name of the series: `md5 hashmill avx512, lanes, 16384 bytes`.
pub(crate) fn title(s: &Series, kernel: &str) -> String {
    let first =
        [s.what.as_str(), &s.by, kernel].iter().filter(|p| !p.is_empty()).copied().collect::<Vec<_>>().join(" ");
    let bytes = s.bytes.map_or(String::new(), |b| format!("{b} bytes"));
    let parts = [first, s.mode.clone(), bytes, parameters(s)];
    clean(&parts.into_iter().filter(|p| !p.is_empty()).collect::<Vec<_>>().join(", "))
}

/// Formats the median and its interval for people.
pub(crate) fn middle(s: &Series) -> [String; 2] {
    s.summary.map_or(["-".to_string(), String::new()], |m| {
        let interval = format!("[{}, {}]", s.unit.show(m.interval.0), s.unit.show(m.interval.1));
        [s.unit.show(m.median), interval]
    })
}

/// Returns the other implementations that a run measured and their versions, without duplicates.
pub(crate) fn versions(run: &Run) -> Vec<(&str, &str)> {
    let mut all: Vec<(&str, &str)> = Vec::new();
    for s in run.series.iter().filter(|s| s.by != "hashmill") {
        if !all.contains(&(&s.by, &s.version)) {
            all.push((&s.by, &s.version));
        }
    }
    all
}

pub(crate) fn draw(path: &Path, chart: &Chart) -> Result<(), ResultsError> {
    write_svg(path, chart.svg())
}

pub(crate) fn write_svg(path: &Path, svg: Result<String, ChartError>) -> Result<(), ResultsError> {
    let svg = svg.map_err(|e| ResultsError::file(path, e))?;
    replace(path, svg.as_bytes()).map_err(|e| ResultsError::file(path, e))
}

pub(crate) fn json(value: &impl serde::Serialize) -> Result<String, ResultsError> {
    Ok(serde_json::to_string_pretty(value).map_err(io::Error::from)? + "\n")
}

/// Formats a command for a shell.
pub(crate) fn shell(command: &[String]) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%~".contains(c);
    let quoted = |arg: &String| match !arg.is_empty() && arg.chars().all(plain) {
        true => arg.clone(),
        false => format!("'{}'", arg.replace('\'', "'\\''")),
    };
    command.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// Replaces control characters, which could move a terminal's cursor: a store or a file may come from anyone.
pub(crate) fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// Formats rows of cells as columns; those in `right` are right-aligned. Columns that are empty below the header are
/// left out.
pub(crate) fn table(rows: &[Vec<String>], right: &[usize]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cell = |row: &[String], i: usize| row.get(i).map_or(String::new(), |c| clean(c));
    let kept: Vec<usize> = (0..columns).filter(|i| rows.iter().skip(1).any(|r| !cell(r, *i).is_empty())).collect();
    let Some((head, rows)) = rows.split_first() else { return String::new() };
    let head = kept.iter().map(|i| format!("{}{}", if right.contains(i) { "" } else { "<" }, cell(head, *i)));
    let head: Vec<String> = head.collect();
    let mut table = Table::new("", head.iter().map(|h| &**h));
    rows.iter().for_each(|r| table.row(kept.iter().map(|i| cell(r, *i))));
    table.show()
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
