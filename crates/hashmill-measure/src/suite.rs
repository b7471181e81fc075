//! The run of a suite: which of its series belong to which row of which table, and how that is shown.
//!
//! A suite is a file that says what is measured against what. Its run is kept; pages are made from the run, so that
//! a figure stands in one place only.

use crate::chart::{Bar, Chart};
use crate::run::{Pairing, Run, Series, Unit};
use crate::stats::Summary;
use crate::table::Table;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Width of a row's interval, relative to its ratio, above which more starts are needed: with six starts that differ as
/// much, a slowdown of 5 % is often missed.
pub const WIDE: f64 = 0.04;

/// Relative width of an interval from which on a ratio is marked as doubtful.
const DOUBTFUL: f64 = 0.2;

/// Length of messages up to which the time for one tells more than bytes per second.
const SHORT: u64 = 100;

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

/// A table of the suite. What is not about figures is taken from the suite's file each time that it is shown.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Rows {
    /// Its name.
    pub name: String,
    /// What stands above it.
    pub title: String,
    /// What the other programs are called.
    pub other: String,
    /// Names of the columns, if each row has several ratios.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// Number of pairs, in one start of the programs, of which each value is the median; 0 if each value is a pair.
    #[serde(default)]
    pub pairs: usize,
    /// Its rows.
    pub rows: Vec<Row>,
    /// Whether cycles a byte are shown.
    #[serde(skip)]
    pub cycles: bool,
    /// Number of operations that times are shown for.
    #[serde(skip)]
    pub times: Option<u32>,
    /// Names of the columns of figures that others published.
    #[serde(skip)]
    pub published: Vec<String>,
    /// Where a picture of it belongs.
    #[serde(skip)]
    pub picture: Option<String>,
}

/// A row of a table.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// What was measured.
    pub what: String,
    /// Indices into [`Run::pairings`] of ours and the other's: one, or one for each column, if that was measured.
    pub pairings: Vec<Option<usize>>,
    /// How many times as fast ours should be; 0 if there is no aim.
    #[serde(default)]
    pub aim: f64,
    /// Why it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Peak memory of ours in bytes; 0 if it was not measured.
    #[serde(default)]
    pub peak: u64,
    /// Bytes that one operation of ours and of the other's allocates, if that was counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allocated: Option<(f64, f64)>,
    /// What it is.
    #[serde(skip)]
    pub note: Option<String>,
    /// What others published, for each of their columns, in nanoseconds for one operation.
    #[serde(skip)]
    pub published: Vec<Option<f64>>,
}

/// How much of a table is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Every column that says something.
    Full,
    /// The times and the ratio.
    Short,
}

/// A row with its figures.
struct Measured<'a> {
    row: &'a Row,
    /// The first pairing's series, ours and the other's.
    ours: &'a Series,
    theirs: &'a Series,
    ratio: Option<Summary>,
}

impl Details {
    /// Reads the details of a run; `None` if it is not of a suite.
    pub fn of(run: &Run) -> Option<Details> {
        serde_json::from_value(run.details.clone()).ok()
    }

    fn rows(&self, name: &str) -> Option<&Rows> {
        self.tables.iter().find(|t| t.name == name)
    }

    /// Returns a table with the figures of its run.
    pub fn table(&self, run: &Run, name: &str, form: Form) -> Option<Table> {
        let rows = self.rows(name)?;
        Some(if rows.columns.is_empty() { rows.list(run, form) } else { rows.matrix(run) })
    }

    /// Returns a table with one column of ratios for each of several machines.
    pub fn beside(all: &[(Run, Details)], name: &str) -> Option<Table> {
        let tables: Vec<(&Run, &Rows)> = all.iter().filter_map(|(run, d)| Some((run, d.rows(name)?))).collect();
        let (_, first) = tables.first()?;
        let machines = tables.iter().map(|(run, _)| format!("{}, {} CPUs", run.machine.cpu, run.machine.cpus));
        let heads: Vec<String> = [String::new()].into_iter().chain(machines).collect();
        let mut table = Table::new(&first.title, heads.iter().map(|h| &**h));
        let mut names: Vec<&str> = Vec::new();
        for row in tables.iter().flat_map(|(_, t)| &t.rows) {
            if !names.contains(&&*row.what) {
                names.push(&row.what);
            }
        }
        for name in names {
            let cell = |(run, rows): &(&Run, &Rows)| {
                let row = rows.rows.iter().find(|r| r.what == name);
                row.and_then(|row| rows.ratio(run, row, 0)).map_or_else(String::new, shown)
            };
            table.row([name.to_string()].into_iter().chain(tables.iter().map(cell)));
        }
        Some(table)
    }

    /// Returns one figure of a row as text: `ratio`, `interval`, `ours`, `theirs`, `kernel`, `cycles`, `allocates`,
    /// `their allocates`, or the ratio in a column of
    /// that name.
    ///
    /// # Errors
    /// Returns what there is not.
    pub fn figure(&self, run: &Run, table: &str, row: &str, field: &str) -> Result<String, String> {
        let rows = self.rows(table).ok_or_else(|| format!("there is no table {table}"))?;
        let of = rows.rows.iter().find(|r| r.what == row).ok_or_else(|| format!("{table} has no row {row}"))?;
        let column = rows.columns.iter().position(|c| c == field);
        let none = || format!("{table}, {row}: no {field} was measured");
        let measured = rows.measured(run, of);
        match field {
            "interval" => rows.ratio(run, of, 0).map(|r| format!("[{:.2}, {:.2}]", r.interval.0, r.interval.1)),
            "ours" => measured.map(|m| rows.time(m.ours)),
            "theirs" => measured.map(|m| rows.time(m.theirs)),
            "kernel" => measured.map(|m| m.ours.kernel.clone()),
            "cycles" => measured.and_then(|m| cycles(run, m.ours)),
            "allocates" => of.allocated.map(|both| Unit::Bytes.show(both.0)),
            "their allocates" => of.allocated.map(|both| Unit::Bytes.show(both.1)),
            "ratio" => rows.ratio(run, of, 0).map(|r| plain(r.median)),
            _ => rows
                .ratio(run, of, column.ok_or_else(|| format!("{table} has no column {field}"))?)
                .map(|r| plain(r.median)),
        }
        .ok_or_else(none)
    }

    /// Returns how the ratios of a table are spread, and which fall short of the aim.
    pub fn spread(&self, run: &Run, name: &str) -> Option<String> {
        let rows = self.rows(name)?;
        let found = rows.rows.iter().filter_map(|row| Some((row, rows.ratio(run, row, 0)?)));
        let found: Vec<(&Row, Summary)> = found.collect();
        let mut medians: Vec<f64> = found.iter().map(|(_, r)| r.median).collect();
        medians.sort_by(f64::total_cmp);
        let at = |share: f64| medians.get((medians.len().saturating_sub(1) as f64 * share) as usize).copied();
        let mut text = format!(
            "{} rows: median {:.3}, 5 % of them below {:.3}, 5 % above {:.3}.\n",
            medians.len(),
            at(0.5)?,
            at(0.05)?,
            at(0.95)?
        );
        let short: Vec<_> = found.iter().filter(|(row, r)| r.interval.1 < row.aim).collect();
        text += &match &short[..] {
            [] => "No interval lies wholly below its aim.\n".to_string(),
            [_] => "One interval lies wholly below its aim:\n\n".to_string(),
            short => format!("{} intervals lie wholly below their aims:\n\n", short.len()),
        };
        for (row, ratio) in short {
            text += &format!("* {}: {}\n", row.what, shown(*ratio));
        }
        Some(text)
    }

    /// Returns a picture of a table: both sides of every row, or the ratios of every column.
    pub fn chart(&self, run: &Run, name: &str) -> Option<Chart> {
        let rows = self.rows(name)?;
        let mut chart = Chart::new(&rows.title, format!("{}, {}", run.machine.line(), day(run)));
        for row in &rows.rows {
            let what = row.what.replace('`', "");
            if let Some(m) = rows.measured(run, row).filter(|_| rows.columns.is_empty()) {
                chart.series(&what, "hashmill", m.ours);
                chart.series(&what, &rows.other, m.theirs);
            }
            for (i, column) in rows.columns.iter().enumerate() {
                if let Some(r) = rows.ratio(run, row, i) {
                    chart.bar("×", &what, Bar::ours(column, r.median).within(r.interval, 1.0));
                }
            }
        }
        Some(chart)
    }

    /// Returns a list of the rows that fall short of their aims, with the reasons.
    pub fn missed(&self, run: &Run) -> String {
        let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
        for table in &self.tables {
            for row in &table.rows {
                for column in 0..row.pairings.len() {
                    let Some(ratio) = table.ratio(run, row, column).filter(|r| r.median < row.aim) else { continue };
                    let why = row.why.as_deref().unwrap_or("no reason is known");
                    // A name that stands in several tables needs theirs.
                    let same = self.tables.iter().filter(|t| t.rows.iter().any(|r| r.what == row.what)).count();
                    let of = (same > 1).then_some(&table.title).into_iter().chain(table.columns.get(column));
                    let of: String = of.map(|name| format!(" ({name})")).collect();
                    let digits = 2 + usize::from(format!("{:.2}", ratio.median) == format!("{:.2}", row.aim));
                    let text = format!("{}{of} {:.digits$} of {}", row.what, ratio.median, row.aim);
                    match reasons.iter_mut().find(|(other, _)| *other == why) {
                        Some((_, rows)) => rows.push(text),
                        None => reasons.push((why, vec![text])),
                    }
                }
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
            let other = run.series.get(pairing.b).filter(|s| s.by != "hashmill");
            let version = other.map_or("", |s| &s.version);
            if !version.is_empty() && !versions.contains(&version) {
                versions.push(version);
            }
        }
        let mut counts: Vec<(usize, usize)> = Vec::new();
        for table in &self.tables {
            let values = table.rows.iter().flat_map(|row| row.pairings.iter().flatten());
            counts.extend(values.filter_map(|p| Some((table.pairs, run.pairings.get(*p)?.ratios.len()))));
        }
        let range = |all: &[usize]| match (all.iter().min(), all.iter().max()) {
            (Some(least), Some(most)) if least < most => format!("{least} to {most}"),
            (least, _) => least.map_or_else(String::new, usize::to_string),
        };
        let (starts, pairs): (Vec<_>, Vec<_>) = counts.into_iter().partition(|(pairs, _)| *pairs > 0);
        let (within, starts): (Vec<usize>, Vec<usize>) = starts.into_iter().unzip();
        let pairs: Vec<usize> = pairs.into_iter().map(|(_, n)| n).collect();
        let mut counts = Vec::new();
        if !starts.is_empty() {
            counts.push(format!("{} starts with {} pairs each", range(&starts), range(&within)));
        }
        if !pairs.is_empty() {
            counts.push(format!("{} pairs", range(&pairs)));
        }
        let counts = counts.join(", or ");
        let mut text = format!("- Measured on {}: {}, {counts}.\n", day(run), run.machine.line());
        if !versions.is_empty() {
            text += &format!("- Against {}.\n", versions.join("; "));
        }
        if !self.missing.is_empty() {
            text += &format!("- Not measured: {}.\n", self.missing.join(", "));
        }
        // Wide intervals are seen in the rows. Of warnings that differ in their numbers alone one is enough.
        let kind = |w: &str| w.split(|c: char| c.is_ascii_digit()).next().unwrap_or_default().to_string();
        let mut kinds: Vec<String> = Vec::new();
        for warning in run.warnings.iter().filter(|w| !w.contains("interval")) {
            if !kinds.contains(&kind(warning)) {
                kinds.push(kind(warning));
                text += &format!("- Doubtful: {warning}.\n");
            }
        }
        let widths = run.pairings.iter().filter_map(|p| p.summary);
        if widths.clone().any(|s| s.relative_width() > DOUBTFUL) {
            text += &format!("- A `?` marks ratios whose interval is wider than {:.0} %.\n", 100.0 * DOUBTFUL);
        }
        text
    }
}

impl Rows {
    fn pairing<'a>(&self, run: &'a Run, row: &Row, column: usize) -> Option<&'a Pairing> {
        run.pairings.get((*row.pairings.get(column)?)?)
    }

    fn ratio(&self, run: &Run, row: &Row, column: usize) -> Option<Summary> {
        self.pairing(run, row, column)?.summary
    }

    fn measured<'a>(&self, run: &'a Run, row: &'a Row) -> Option<Measured<'a>> {
        let at = row.pairings.iter().find_map(|p| *p)?;
        let pairing = run.pairings.get(at)?;
        let (ours, theirs) = (run.series.get(pairing.a)?, run.series.get(pairing.b)?);
        Some(Measured { row, ours, theirs, ratio: pairing.summary })
    }

    /// Returns the median of a series as text: of short messages, the time for one.
    fn time(&self, series: &Series) -> String {
        let one = nanoseconds(series);
        match (self.times, one) {
            (Some(times), Some(one)) => Unit::Seconds.show(one * f64::from(times) / 1e9),
            (None, Some(one)) if series.bytes.is_some_and(|n| n < SHORT) => Unit::Nanoseconds.show(one),
            _ => series.unit.show(series.median()),
        }
    }

    /// Returns one row a line: both sides, and their ratio.
    fn list(&self, run: &Run, form: Form) -> Table {
        let all: Vec<Measured> = self.rows.iter().filter_map(|row| self.measured(run, row)).collect();
        let full = form == Form::Full;
        let any = |test: &dyn Fn(&Measured) -> bool| full && all.iter().any(test);
        let (aims, peaks) = (any(&|m| m.row.aim > 0.0), any(&|m| m.row.peak > 0));
        let (kernels, notes) = (any(&|m| !m.ours.kernel.is_empty()), any(&|m| m.row.note.is_some()));
        let versions = all.first().is_some_and(|first| any(&|m| m.theirs.version != first.theirs.version));
        let has_cycles = full && self.cycles;
        let published = if full { &self.published[..] } else { &[] };
        let times: Vec<String> = published.iter().map(|column| format!("× {column}")).collect();
        let memory = any(&|m| m.row.allocated.is_some());

        let mut heads = vec![""];
        heads.extend(published.iter().map(|c| &**c));
        heads.extend([&*self.other, "hashmill"]);
        heads.extend(times.iter().map(|c| &**c));
        heads.push("times as fast [95 % interval]");
        let other = format!("{} allocates", self.other);
        let more = [(memory, &*other), (memory, "hashmill allocates"), (has_cycles, "cycles/byte"), (aims, "aim")];
        let words = [(peaks, "peak memory"), (kernels, "<kernel"), (versions, "<against"), (notes, "<what it is")];
        let more = more.into_iter().chain(words);
        heads.extend(more.filter(|(there, _)| *there).map(|(_, head)| head));
        let mut table = Table::new(&self.title, heads);
        for m in all {
            let row = m.row;
            let mut cells = vec![row.what.clone()];
            let figure = |i: usize| row.published.get(i).copied().flatten();
            let per = f64::from(self.times.unwrap_or(1));
            let long = |ns: f64| match m.theirs.unit {
                Unit::BytesPerSecond if m.theirs.bytes.is_some_and(|n| n >= SHORT) && self.times.is_none() => {
                    Unit::BytesPerSecond.show(m.theirs.bytes.unwrap_or(0) as f64 / ns * 1e9)
                }
                _ => Unit::Seconds.show(ns * per / 1e9),
            };
            let published = 0..published.len();
            cells.extend(published.clone().map(|i| figure(i).map_or("–".into(), long)));
            cells.extend([self.time(m.theirs), self.time(m.ours)]);
            let ours = nanoseconds(m.ours);
            let over = |i: usize| Some(format!("{:.1}", figure(i)? / ours?));
            cells.extend(published.map(|i| over(i).unwrap_or_else(|| "–".into())));
            cells.push(m.ratio.map_or_else(String::new, shown));
            let aim = if row.aim > 0.0 { row.aim.to_string() } else { String::new() };
            let peak = if row.peak == 0 { "–".into() } else { Unit::Bytes.show(row.peak as f64) };
            let bytes = |side: fn(&(f64, f64)) -> f64| {
                row.allocated.as_ref().map_or_else(String::new, |both| Unit::Bytes.show(side(both)))
            };
            let more = [
                (memory, bytes(|both| both.1)),
                (memory, bytes(|both| both.0)),
                (has_cycles, cycles(run, m.ours).unwrap_or_default()),
                (aims, aim),
                (peaks, peak),
                (kernels, m.ours.kernel.clone()),
                (versions, m.theirs.version.clone()),
                (notes, row.note.clone().unwrap_or_default()),
            ];
            cells.extend(more.into_iter().filter(|(there, _)| *there).map(|(_, cell)| cell));
            table.row(cells);
        }
        table
    }

    /// Returns the ratios in a column for each of ours or of the others.
    fn matrix(&self, run: &Run) -> Table {
        let mut across: Vec<&str> = self.columns.iter().map(|c| &**c).collect();
        let mut down: Vec<&str> = self.rows.iter().map(|r| &*r.what).collect();
        // Several others against one of ours: that has columns of its own.
        let one = |row: &Row| {
            let mut of = (0..row.pairings.len()).filter_map(|i| Some(self.pairing(run, row, i)?.a));
            let first = of.next();
            of.all(|a| Some(a) == first)
        };
        let ours = self.rows.iter().all(one);
        // The longer side goes down the page.
        let turned = !ours && across.len() > down.len();
        if turned {
            (across, down) = (down, across);
        }
        let all: Vec<Option<Measured>> = self.rows.iter().map(|row| self.measured(run, row)).collect();
        let has = |test: &dyn Fn(&Measured) -> bool| ours && all.iter().flatten().any(test);
        let kernels = has(&|m| !m.ours.kernel.is_empty() && !m.row.what.contains(&m.ours.kernel));
        let (has_cycles, notes) = (ours && self.cycles, has(&|m| m.row.note.is_some()));
        let own = [(ours, "hashmill"), (has_cycles, "cycles/byte"), (kernels, "<kernel")];
        let own: Vec<&str> = own.into_iter().filter(|(there, _)| *there).map(|(_, head)| head).collect();
        let heads = [""].into_iter().chain(own).chain(across.iter().copied());
        let mut table = Table::new(&self.title, heads.chain(notes.then_some("<what it is")));
        for (i, name) in down.iter().enumerate() {
            let mut cells = vec![(*name).to_string()];
            if let (true, Some(m)) = (ours, all.get(i).and_then(Option::as_ref)) {
                cells.push(self.time(m.ours));
                cells.extend(has_cycles.then(|| cycles(run, m.ours).unwrap_or_default()));
                cells.extend(kernels.then(|| m.ours.kernel.clone()));
            }
            for k in 0..across.len() {
                let (row, column) = if turned { (k, i) } else { (i, k) };
                cells.push(self.ratio(run, &self.rows[row], column).map_or_else(String::new, shown));
            }
            cells.extend(notes.then(|| self.rows[i].note.clone().unwrap_or_default()));
            table.row(cells);
        }
        table
    }
}

/// Returns the time of one operation.
fn nanoseconds(series: &Series) -> Option<f64> {
    let median = series.median();
    match series.unit {
        Unit::Nanoseconds => Some(median),
        Unit::Seconds => Some(median * 1e9),
        Unit::BytesPerSecond => Some(series.bytes? as f64 / median * 1e9),
        Unit::OperationsPerSecond => Some(1e9 / median),
        Unit::Bytes | Unit::Count => None,
    }
}

/// Returns the cycles a byte that a series took by the core's clock.
fn cycles(run: &Run, series: &Series) -> Option<String> {
    let cycles = nanoseconds(series)? / 1e9 * run.machine.clocks.core_hertz / series.bytes? as f64;
    Some(if cycles < 0.1 { format!("{cycles:.3}") } else { format!("{cycles:.2}") })
}

fn shown(ratio: Summary) -> String {
    let doubt = if ratio.relative_width() > DOUBTFUL { " ?" } else { "" };
    format!("{:.2} [{:.2}, {:.2}]{doubt}", ratio.median, ratio.interval.0, ratio.interval.1)
}

/// Returns a ratio as a sentence has it.
fn plain(ratio: f64) -> String {
    let digits = if ratio >= 100.0 { 0 } else { 1 + usize::from(ratio < 10.0) };
    format!("{ratio:.digits$}")
}

fn day(run: &Run) -> &str {
    run.started.split('T').next().unwrap_or_default()
}
