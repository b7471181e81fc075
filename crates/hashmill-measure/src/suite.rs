//! The run of a suite: which of its series belong to which row of which table, and how that is shown.
//!
//! A suite is a file that says what is measured against what. Its run is kept; pages are made from the run, so that
//! a figure stands in one place only.

use crate::run::{Pairing, Run, Unit};
use crate::table::Table;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Relative width of an interval from which on a ratio is marked as doubtful.
const DOUBTFUL: f64 = 0.2;

/// What the run of a suite adds to its series, as [`Run::details`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Details {
    /// The suite's name.
    pub suite: String,
    /// What it is about.
    pub title: String,
    /// Its tables in order.
    pub tables: Vec<Rows>,
    /// Programs that are not here, and were not measured for that.
    #[serde(default)]
    pub missing: Vec<String>,
    /// Hashes of the sources that the figures depend on, by path.
    #[serde(default)]
    pub sources: BTreeMap<String, String>,
}

/// A table of the suite.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rows {
    /// Its name.
    pub name: String,
    /// What stands above it.
    pub title: String,
    /// What the other programs are called.
    pub other: String,
    /// Names of the columns, if each row compares several of ours with the same other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// Its rows.
    pub rows: Vec<Row>,
}

/// A row of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// What was measured.
    pub what: String,
    /// Indices into [`Run::pairings`] of ours and the other's: one, or one for each column.
    pub pairings: Vec<usize>,
    /// How many times as fast ours should be.
    pub aim: f64,
    /// Why it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Peak memory of ours in bytes; 0 if it was not measured.
    #[serde(default)]
    pub peak: u64,
}

impl Details {
    /// Reads the details of a run; `None` if it is not of a suite.
    pub fn of(run: &Run) -> Option<Details> {
        serde_json::from_value(run.details.clone()).ok()
    }

    /// Returns a table with the figures of its run.
    pub fn table(&self, run: &Run, name: &str) -> Option<Table> {
        let rows = self.tables.iter().find(|t| t.name == name)?;
        let shown = |pairing: &Pairing| {
            let ratio = pairing.summary?;
            let doubt = if ratio.relative_width() > DOUBTFUL { " ?" } else { "" };
            Some(format!("{:.2} [{:.2}, {:.2}]{doubt}", ratio.median, ratio.interval.0, ratio.interval.1))
        };
        if !rows.columns.is_empty() {
            let cell = |row: usize, column: usize| {
                let pairing = run.pairings.get(*rows.rows[row].pairings.get(column)?)?;
                shown(pairing)
            };
            let mut across: Vec<&str> = rows.columns.iter().map(|c| &**c).collect();
            let mut down: Vec<&str> = rows.rows.iter().map(|r| &*r.what).collect();
            // The longer side goes down the page.
            let turned = across.len() > down.len();
            if turned {
                (across, down) = (down, across);
            }
            let mut table = Table::new(&rows.title, [""].into_iter().chain(across.iter().copied()));
            for (i, name) in down.iter().enumerate() {
                let at = |k: usize| if turned { cell(k, i) } else { cell(i, k) };
                let cells = (0..across.len()).map(|k| at(k).unwrap_or_default());
                table.row([name.to_string()].into_iter().chain(cells));
            }
            return Some(table);
        }
        let columns = ["", &rows.other, "hashmill", "times as fast [95 % interval]", "aim", "peak memory"];
        let mut table = Table::new(&rows.title, columns);
        for row in &rows.rows {
            let pairing = run.pairings.get(*row.pairings.first()?)?;
            let (ours, theirs) = (run.series.get(pairing.a)?, run.series.get(pairing.b)?);
            table.row([
                row.what.clone(),
                theirs.unit.show(theirs.median()),
                ours.unit.show(ours.median()),
                shown(pairing)?,
                row.aim.to_string(),
                if row.peak == 0 { "–".into() } else { Unit::Bytes.show(row.peak as f64) },
            ]);
        }
        Some(table)
    }

    /// Returns a list of the rows that fall short of their aims, with the reasons.
    pub fn missed(&self, run: &Run) -> String {
        let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
        let cells = self.tables.iter().flat_map(|t| t.rows.iter().map(move |row| (t, row)));
        let cells =
            cells.flat_map(|(t, row)| row.pairings.iter().enumerate().map(move |(i, at)| (t.columns.get(i), row, at)));
        for (column, row, at) in cells {
            let Some(ratio) = run.pairings.get(*at).and_then(|p| p.summary) else { continue };
            if ratio.median >= row.aim {
                continue;
            }
            let why = row.why.as_deref().unwrap_or("no reason is known");
            let column = column.map_or_else(String::new, |c| format!(" ({c})"));
            let text = format!("{}{column} {:.2} of {}", row.what, ratio.median, row.aim);
            match reasons.iter_mut().find(|(other, _)| *other == why) {
                Some((_, rows)) => rows.push(text),
                None => reasons.push((why, vec![text])),
            }
        }
        let line = |(why, rows): &(&str, Vec<String>)| {
            let mut letters = why.chars();
            let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
            format!("* {}. {first}{}.\n", rows.join(", "), letters.as_str())
        };
        if reasons.is_empty() { "Nothing.\n".into() } else { reasons.iter().map(line).collect() }
    }

    /// Returns what was measured, where and when.
    pub fn about(&self, run: &Run) -> String {
        let mut versions: Vec<&str> = Vec::new();
        for pairing in &run.pairings {
            let version = run.series.get(pairing.b).map_or("", |s| &s.version);
            if !version.is_empty() && !versions.contains(&version) {
                versions.push(version);
            }
        }
        let day = run.started.split('T').next().unwrap_or_default();
        let pairs = run.pairings.iter().map(|p| p.ratios.len());
        let (least, most) = (pairs.clone().min().unwrap_or(0), pairs.max().unwrap_or(0));
        let pairs = if least == most { least.to_string() } else { format!("{least} to {most}") };
        let mut text = format!("- Measured on {day}: {}, {pairs} pairs.\n", run.machine.line());
        text += &format!("- Against {}.\n", versions.join("; "));
        if !self.missing.is_empty() {
            text += &format!("- Not installed, so not measured: {}.\n", self.missing.join(", "));
        }
        for warning in &run.warnings {
            text += &format!("- Doubtful: {warning}.\n");
        }
        text
    }
}
