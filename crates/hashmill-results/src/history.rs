//! `hashmill results history`: one thing over time, in all runs.

use super::compare::{Ratio, percent};
use crate::error::ResultsError;
use crate::page::{clean, json, middle, table, title, write_svg};
use crate::store::{Head, SeriesFilter, Store};
use chrono::DateTime;
use clap::{Args, ValueHint};
use hashmill::Algorithm;
use hashmill::unstable::parse_size as size;
use hashmill_measure::chart::{Axis, Chart, Point as At};
use hashmill_measure::run::{Series, Unit, emit};
use hashmill_measure::stats::Summary;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// One thing in all runs, oldest first
///
/// Each value is compared with the one before it, as `compare` does. What was measured on different machines, or used
/// in different ways, is kept apart.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill results history sha256
  hashmill results history md5 --mode lanes --size 16k --svg md5.svg
  hashmill results history sha1 --by openssl --machine epyc
")]
pub(crate) struct HistoryArgs {
    /// The algorithm, or whatever else a run measured: 'rsa2048 sign'
    #[arg(value_name = "ALG")]
    what: String,

    /// Only operations of this size
    #[arg(long = "size", value_name = "BYTES", value_parser = size)]
    bytes: Option<u64>,

    /// Only this way of use: lanes, 'one stream' …
    #[arg(long)]
    mode: Option<String>,

    /// Only this kernel
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,

    /// Only this implementation; `all` for every one
    #[arg(long, default_value = "hashmill")]
    by: String,

    /// Only processors whose name contains this
    #[arg(long, value_name = "TEXT")]
    machine: Option<String>,

    /// By how many percent two runs of the same program may differ
    #[arg(long, value_name = "PERCENT", default_value = "3", value_parser = percent)]
    threshold: f64,

    /// As JSON
    #[arg(long)]
    json: bool,

    /// Draw the medians into this file (SVG)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    svg: Option<PathBuf>,
}

/// The history of one thing on one machine.
#[derive(Debug, Serialize)]
struct Line {
    title: String,
    machine: String,
    unit: Unit,
    points: Vec<Point>,
    /// Last series, to compare the next one with. Of the earlier ones, only what is shown is kept.
    #[serde(skip)]
    last: Series,
}

#[derive(Debug, Serialize)]
struct Point {
    run: i64,
    tag: Option<String>,
    started: String,
    version: String,
    kernel: String,
    summary: Option<Summary>,
    /// Comparison with the previous point.
    change: Option<Ratio>,
    #[serde(skip)]
    middle: [String; 2],
}

pub(crate) fn run(db: Option<&Path>, args: &HistoryArgs) -> Result<ExitCode, ResultsError> {
    let store = Store::open_existing(db)?;
    // SHA256 and sha-256 become sha256; what is not an algorithm is taken as it is.
    let what = args.what.parse::<Algorithm>().map_or(args.what.clone(), |a| a.name().into_owned());
    let filter = SeriesFilter {
        what: what.clone(),
        by: Some(args.by.clone()).filter(|by| by != "all"),
        kernel: args.kernel.clone(),
        mode: args.mode.clone(),
        bytes: args.bytes,
        machine: args.machine.clone(),
    };
    let mut lines: Vec<Line> = Vec::new();
    store.each_series(&filter, |head, series| add(&mut lines, head, series, args.threshold))?;
    if lines.is_empty() {
        let path = store.path().display();
        return Err(ResultsError::Nothing(format!(
            "no run in {path} has '{what}' like that: `hashmill results list` shows the runs"
        )));
    }
    if args.json {
        emit(&json(&lines)?)?;
    } else {
        emit(&lines.iter().map(text).collect::<Vec<_>>().join("\n"))?;
    }
    if let Some(path) = &args.svg {
        let chart = chart(&what, &lines);
        write_svg(path, chart.svg())?;
        let more = chart.left_out.len();
        if more > 0 {
            let path = clean(&path.to_string_lossy());
            eprintln!(
                "hashmill: results history: {path}: {more} of {} series not drawn ({SELECT}): {}",
                lines.len(),
                chart.left_out.join("; ")
            );
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn add(lines: &mut Vec<Line>, head: Head, series: Series, threshold: f64) {
    // Kernels come and go, and a change of kernel is just what one wants to see. Several kernels in one run are several
    // lines.
    let title = title(&series, "");
    let machine = format!("{}, {} CPUs", head.cpu, head.cpus);
    let fits = |l: &Line, kernel: bool| {
        l.title == title
            && l.machine == machine
            && l.unit == series.unit
            && l.points.last().is_none_or(|p| p.run != head.id)
            && (!kernel || l.last.kernel == series.kernel)
    };
    let at = lines.iter().position(|l| fits(l, true)).or_else(|| lines.iter().position(|l| fits(l, false)));
    let point = |change| Point {
        run: head.id,
        tag: head.tag.clone(),
        started: head.started.clone(),
        version: series.version.clone(),
        kernel: series.kernel.clone(),
        summary: series.summary,
        change,
        middle: middle(&series),
    };
    match at {
        Some(at) => {
            let change = Ratio::of(&lines[at].last, &series, threshold);
            lines[at].points.push(point(Some(change)));
            lines[at].last = series;
        }
        None => {
            let points = vec![point(None)];
            lines.push(Line { title, machine, unit: series.unit, points, last: series });
        }
    }
}

fn text(line: &Line) -> String {
    let medians: Vec<f64> = line.points.iter().filter_map(|p| Some(p.summary?.median)).collect();
    let mut text = format!("{}, on {}  {}\n", line.title, clean(&line.machine), sparkline(&medians));
    let head =
        ["when", "run", "tag", "version", "kernel", "median", "95 % interval", "change", "95 % interval", "verdict"];
    let mut rows = vec![head.map(String::from).to_vec()];
    rows.extend(line.points.iter().map(|p| {
        let tag = p.tag.clone().unwrap_or_default();
        let mut row = vec![p.started.clone(), p.run.to_string(), tag, p.version.clone(), p.kernel.clone()];
        row.extend(p.middle.clone());
        row.extend(p.change.map_or_else(Vec::new, |c| c.cells(line.unit).to_vec()));
        row
    }));
    text += &table(&rows, &[1, 5, 7]);
    text
}

/// Draws values as a sparkline. Differences of less than a few percent are not visible.
fn sparkline(values: &[f64]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let values: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let middle = (low + high) / 2.0;
    let half = ((high - low) / 2.0).max(0.05 * middle.abs()).max(f64::MIN_POSITIVE);
    // From 0 to 1, inclusive.
    let share = |v: f64| (v - middle) / (2.0 * half) + 0.5;
    values.iter().map(|v| BARS[((share(*v) * 8.0) as usize).min(7)]).collect()
}

/// Returns the Unix time in seconds of `2026-04-03T12:29:32Z`.
fn seconds(time: &str) -> Option<f64> {
    Some(DateTime::parse_from_rfc3339(time).ok()?.timestamp() as f64)
}

/// How many series of a unit are drawn, at most: with more, colors would be hard to tell apart.
const MOST: usize = 12;

/// How to draw other series than the first ones.
const SELECT: &str = "--size, --mode, --kernel, --by and --machine select others";

/// Draws medians with their intervals over time.
fn chart(what: &str, lines: &[Line]) -> Chart {
    let mut chart = Chart::new(clean(what), "medians with their 95 % intervals");
    for (i, line) in lines.iter().enumerate() {
        let (scale, unit) = line.unit.scale();
        let mut kernels: Vec<&str> = Vec::new();
        for p in line.points.iter().filter(|p| !p.kernel.is_empty()) {
            if kernels.last() != Some(&p.kernel.as_str()) {
                kernels.push(&p.kernel);
            }
        }
        let kernels = if kernels.is_empty() { String::new() } else { format!(", {}", kernels.join(" → ")) };
        let name = format!("{}{}, {}", line.title, clean(&kernels), clean(&line.machine));
        if lines[..i].iter().filter(|l| l.unit == line.unit).count() >= MOST {
            chart.left_out.push(name);
            continue;
        }
        let point = |p: &Point| {
            let s = p.summary?;
            Some(At::at(seconds(&p.started)?, s.median / scale).within(s.interval, scale))
        };
        let points: Vec<At> = line.points.iter().filter_map(point).collect();
        if points.is_empty() {
            chart.left_out.push(format!("{name} (no values)"));
        }
        points.into_iter().for_each(|p| chart.point(unit, Axis::Time, &name, line.last.by == "hashmill", p));
    }
    chart
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(i: usize, unit: Unit, samples: &[f64]) -> Line {
        let last = Series::ours("md5", "avx2", unit, samples.to_vec());
        let point = |day: u32, kernel: &str| Point {
            run: day.into(),
            tag: None,
            started: format!("2026-04-0{day}T12:29:32Z"),
            version: String::new(),
            kernel: kernel.into(),
            summary: last.summary,
            change: None,
            middle: [String::new(), String::new()],
        };
        let points = vec![point(1, "avx2"), point(2, "avx2"), point(3, "avx512")];
        Line { title: format!("md5 hashmill, series {i}"), machine: "epyc".into(), unit, points, last }
    }

    /// Every series is in the picture, whatever its unit, or is named among those that are left out.
    #[test]
    fn a_picture_of_every_series() {
        let samples: Vec<f64> = (1..=20).map(|i| 1e9 + f64::from(i) * 1e6).collect();
        let mut lines: Vec<Line> = (0..MOST + 2).map(|i| line(i, Unit::BytesPerSecond, &samples)).collect();
        lines.push(line(100, Unit::Bytes, &samples));
        lines.push(line(101, Unit::Nanoseconds, &[]));
        let chart = chart("md5", &lines);
        let svg = chart.svg().unwrap();
        for line in lines[..MOST].iter().chain([&lines[MOST + 2]]) {
            assert!(svg.contains(&format!("{}, ", line.title)), "{}: {svg}", line.title);
        }
        assert!(svg.contains("avx2 → avx512, epyc"), "{svg}");
        // Three points of each that is drawn, in two panels.
        assert_eq!((svg.matches("<circle").count(), chart.panels.len()), (3 * (MOST + 1), 2), "{svg}");
        let left_out = ["md5 hashmill, series 12, ", "md5 hashmill, series 13, ", "md5 hashmill, series 101, "];
        assert_eq!(chart.left_out.len(), 3);
        assert!(chart.left_out.iter().zip(left_out).all(|(name, start)| name.starts_with(start)));
        assert!(svg.contains("Not drawn: md5 hashmill, series 12, "), "{svg}");
        let all = super::chart("md5", &lines[..3]);
        assert!(all.left_out.is_empty() && !all.svg().unwrap().contains("Not drawn"));
        assert!(super::chart("md5", &lines[lines.len() - 1..]).svg().is_err());
    }

    #[test]
    fn times_are_those_of_rfc3339() {
        for s in [0u64, 951_782_399, 951_782_400, 1_709_251_199, 1_775_219_372, 4_102_444_800] {
            let text = hashmill_measure::run::rfc3339(std::time::UNIX_EPOCH + std::time::Duration::from_secs(s));
            assert_eq!(seconds(&text), Some(s as f64), "{text}");
        }
        assert_eq!(seconds("yesterday"), None);
    }

    #[test]
    fn sparklines() {
        assert_eq!(sparkline(&[1.0, 2.0, 3.0]), "▁▅█");
        assert_eq!(sparkline(&[100.0, 100.0]), "▅▅");
        assert_eq!(sparkline(&[100.0, 101.0]).chars().count(), 2);
        assert_eq!(sparkline(&[]), "");
    }
}
