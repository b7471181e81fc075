//! `hashmill results history`: one thing over time, in all runs.

use super::compare::{Ratio, percent};
use crate::error::ResultsError;
use crate::page::{clean, json, middle, table, title, write_svg};
use crate::store::{Head, SeriesFilter, Store};
use chrono::DateTime;
use clap::{Args, ValueHint};
use hashmill::Algorithm;
use hashmill::unstable::parse_size as size;
use hashmill_measure::chart::{ChartError, palette};
use hashmill_measure::run::{Series, Unit, emit, rfc3339};
use hashmill_measure::stats::Summary;
use plotters::coord::Shift;
use plotters::prelude::*;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, UNIX_EPOCH};

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
        let picture = Picture::of(&lines);
        write_svg(path, picture.svg(&what))?;
        let more = picture.left_out.len();
        if more > 0 {
            let names: Vec<&str> = picture.left_out.iter().map(String::as_str).collect();
            let path = clean(&path.to_string_lossy());
            eprintln!(
                "hashmill: results history: {path}: {more} of {} series left out ({SELECT}): {}",
                lines.len(),
                names.join("; ")
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

/// A median with its interval, in the chart's coordinates.
struct At {
    x: f64,
    low: f64,
    y: f64,
    high: f64,
}

/// Maximum number of series in a chart: beyond that, marks and colors, of which there are at least four, would repeat.
const MOST: usize = MARKS * 4;

/// Number of different marks at the points.
const MARKS: usize = 3;

/// How to draw other series than the first ones.
const SELECT: &str = "--size, --mode, --kernel, --by and --machine select others";

/// A chart of all series of the same unit.
struct Panel {
    unit: Unit,
    /// Names, whether it is hashmill, and points.
    series: Vec<(String, bool, Vec<At>)>,
}

/// What is drawn, and the names of what is not.
struct Picture {
    panels: Vec<Panel>,
    left_out: Vec<String>,
}

/// Height of a line of text below a chart.
const ROW: u32 = 18;

impl Picture {
    fn of(lines: &[Line]) -> Picture {
        let mut picture = Picture { panels: Vec::new(), left_out: Vec::new() };
        for line in lines {
            let (unit, scale) = (line.unit, line.unit.scale().0);
            let point = |p: &Point| {
                let s = p.summary.filter(|s| s.interval.0.is_finite() && s.interval.1.is_finite())?;
                let (low, high) = (s.interval.0 / scale, s.interval.1 / scale);
                Some(At { x: seconds(&p.started)?, low, y: s.median / scale, high })
            };
            let mut kernels: Vec<&str> = Vec::new();
            for p in line.points.iter().filter(|p| !p.kernel.is_empty()) {
                if kernels.last() != Some(&p.kernel.as_str()) {
                    kernels.push(&p.kernel);
                }
            }
            let kernels = if kernels.is_empty() { String::new() } else { format!(", {}", kernels.join(" → ")) };
            let name = format!("{}{}, {}", line.title, clean(&kernels), clean(&line.machine));
            let points: Vec<At> = line.points.iter().filter_map(point).collect();
            let at = picture.panels.iter().position(|p| p.unit == unit);
            match at.map(|at| &mut picture.panels[at]) {
                _ if points.is_empty() => picture.left_out.push(format!("{name} (no finite values)")),
                Some(panel) if panel.series.len() < MOST => {
                    panel.series.push((name, line.last.by == "hashmill", points))
                }
                Some(_) => picture.left_out.push(name),
                None => picture.panels.push(Panel { unit, series: vec![(name, line.last.by == "hashmill", points)] }),
            }
        }
        picture
    }

    /// Draws a chart for each unit, with the names of its series below it, and what is left out below all.
    fn svg(&self, what: &str) -> Result<String, ChartError> {
        if self.panels.is_empty() {
            return Err(ChartError::Empty);
        }
        let rows = |n: usize| ROW * n as u32;
        let heights: Vec<u32> = self.panels.iter().map(|p| 420 + rows(p.series.len()) + 12).collect();
        let note = if self.left_out.is_empty() { 0 } else { rows(self.left_out.len() + 1) + 12 };
        let mut text = String::new();
        let draw = || -> Result<(), Box<dyn std::error::Error>> {
            let area = SVGBackend::with_string(&mut text, (960, heights.iter().sum::<u32>() + note));
            let mut rest = area.into_drawing_area();
            rest.fill(&WHITE)?;
            for (panel, height) in self.panels.iter().zip(heights) {
                let (above, below) = rest.split_vertically(height);
                panel.draw(&above, what)?;
                rest = below;
            }
            let grey = BLACK.mix(0.65);
            let head = (!self.left_out.is_empty()).then(|| format!("Left out ({SELECT}):"));
            for (i, line) in head.iter().chain(&self.left_out).enumerate() {
                let style = ("sans-serif", 13).into_font().color(&grey);
                rest.draw(&Text::new(line.clone(), (16, rows(i) as i32), style))?;
            }
            rest.present()?;
            Ok(())
        };
        draw().map_err(|e| ChartError::Backend(e.to_string()))?;
        Ok(text)
    }
}

impl Panel {
    /// Draws medians with their intervals over time. The y axis does not start at zero, so that changes are visible.
    fn draw(&self, area: &DrawingArea<SVGBackend<'_>, Shift>, what: &str) -> Result<(), Box<dyn std::error::Error>> {
        let all: Vec<&At> = self.series.iter().flat_map(|s| &s.2).collect();
        let extent = |f: fn(&At) -> (f64, f64)| {
            let ends = all.iter().map(|p| f(p));
            ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), (low, high)| (a.min(low), b.max(high)))
        };
        let ((x0, x1), (y0, y1)) = (extent(|p| (p.x, p.x)), extent(|p| (p.low, p.high)));
        // Add some room, because there may be only a single time or value.
        let (x_room, y_room) = (((x1 - x0) * 0.03).max(60.0), ((y1 - y0) * 0.2).max(0.05 * y1.abs()).max(1e-9));
        let days = x1 - x0 > 3.0 * 86400.0;
        let when = |x: &f64| {
            let text = rfc3339(UNIX_EPOCH + Duration::from_secs_f64(x.clamp(0.0, 1e12)));
            let part = if days { text.get(..10) } else { text.get(5..16) };
            part.unwrap_or_default().replace('T', " ")
        };
        let (above, names) = area.split_vertically(420);
        let mut chart = ChartBuilder::on(&above)
            .caption(clean(what), ("sans-serif", 20))
            .margin(12)
            .x_label_area_size(44)
            .y_label_area_size(76)
            .build_cartesian_2d(x0 - x_room..x1 + x_room, (y0 - y_room).max(0.0)..y1 + y_room)?;
        let mut mesh = chart.configure_mesh();
        mesh.y_desc(self.unit.scale().1).x_labels(8).x_label_formatter(&when).label_style(("sans-serif", 12));
        mesh.light_line_style(BLACK.mix(0.06)).draw()?;
        let alone = self.series.iter().all(|s| s.1);
        let mut drawn = [0, 0];
        for (i, (name, ours, points)) in self.series.iter().enumerate() {
            let colours = palette(*ours, alone);
            let before = drawn[usize::from(*ours)];
            drawn[usize::from(*ours)] += 1;
            let colour = colours[before % colours.len()];
            let style = colour.filled();
            chart.draw_series(LineSeries::new(points.iter().map(|p| (p.x, p.y)), colour.stroke_width(2)))?;
            let bars =
                points.iter().map(|p| PathElement::new(vec![(p.x, p.low), (p.x, p.high)], colour.stroke_width(1)));
            chart.draw_series(bars)?;
            let at = points.iter().map(|p| (p.x, p.y));
            // To the left of the name: the line, and the mark if it is not the usual circle.
            let (y, middle) = (ROW as i32 * i as i32 + 8, 100);
            names.draw(&PathElement::new(vec![(middle - 12, y), (middle + 12, y)], colour.stroke_width(2)))?;
            match before / colours.len() {
                0 => {
                    chart.draw_series(at.map(|p| Circle::new(p, 3, style)))?;
                }
                1 => {
                    chart.draw_series(at.map(|p| TriangleMarker::new(p, 5, style)))?;
                    names.draw(&TriangleMarker::new((middle, y), 5, style))?;
                }
                _ => {
                    chart.draw_series(at.map(|p| Cross::new(p, 4, colour.stroke_width(2))))?;
                    names.draw(&Cross::new((middle, y), 4, colour.stroke_width(2)))?;
                }
            }
            names.draw(&Text::new(name.clone(), (middle + 20, y - 5), ("sans-serif", 13).into_font()))?;
        }
        Ok(())
    }
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
        let picture = Picture::of(&lines);
        assert_eq!(picture.panels.iter().map(|p| p.series.len()).collect::<Vec<_>>(), [MOST, 1]);
        let svg = picture.svg("md5").unwrap();
        for line in &lines {
            assert!(svg.contains(&format!("{}, ", line.title)), "{}: {svg}", line.title);
        }
        assert!(svg.contains("avx2 → avx512, epyc"), "{svg}");
        let left_out = ["md5 hashmill, series 12, ", "md5 hashmill, series 13, ", "md5 hashmill, series 101, "];
        assert_eq!(picture.left_out.len(), 3);
        assert!(picture.left_out.iter().zip(left_out).all(|(name, start)| name.starts_with(start)));
        assert!(svg.contains("Left out (--size, "), "{svg}");
        let all = Picture::of(&lines[..3]);
        assert!(all.left_out.is_empty() && !all.svg("md5").unwrap().contains("Left out"));
        assert_eq!(Picture::of(&lines[lines.len() - 1..]).svg("md5"), Err(ChartError::Empty));
    }

    #[test]
    fn times_are_those_of_rfc3339() {
        for s in [0u64, 951_782_399, 951_782_400, 1_709_251_199, 1_775_219_372, 4_102_444_800] {
            let text = rfc3339(UNIX_EPOCH + Duration::from_secs(s));
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
