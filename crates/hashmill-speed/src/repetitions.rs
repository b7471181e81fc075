//! Output that `openssl speed` does not have: repetitions with their intervals, cycles, both clocks and peers, as
//! tables, series and charts.

use super::options::Options;
use super::report::Row;
use super::time::Cell;
use super::timing::{Op, Timing};
use super::work::By;
use hashmill_measure::chart::{Axis, Bar, Chart, Point};
use hashmill_measure::machine::Machine;
use hashmill_measure::run::{Findings, Pairing, Series, Unit};
use hashmill_measure::stats::Summary;
use hashmill_measure::table::Table;
use serde_json::{Value, json};

fn unit(op: Op) -> Unit {
    if matches!(op, Op::Block(_)) { Unit::BytesPerSecond } else { Unit::OperationsPerSecond }
}

/// Returns how many threads run at once, in all processes.
fn at_once(options: &Options) -> usize {
    options.multi.unwrap_or(1) * options.threads
}

fn interval(s: &Summary, show: impl Fn(f64) -> String) -> String {
    format!("[{}, {}]", show(s.interval.0), show(s.interval.1))
}

fn cells(rows: &[Row]) -> impl Iterator<Item = (&Row, &Cell)> {
    rows.iter().flat_map(|r| r.cells.iter().map(move |c| (r, c)))
}

/// Formats the medians of the repetitions, with everything that one should know about them.
pub(super) fn table(rows: &[Row], options: &Options, machine: &Machine) -> String {
    let hertz = machine.clocks.core_hertz;
    let lines: Vec<Vec<String>> = cells(rows)
        .filter_map(|(row, cell)| {
            let s = Summary::of(&cell.samples)?;
            let show = |v: f64| unit(cell.op).show(v);
            // Per core, if several run.
            let cycles = hertz * at_once(options) as f64 / s.median;
            let per = if matches!(cell.op, Op::Block(_)) { "/B" } else { "/op" };
            let cycles = if cycles >= 1000.0 { format!("{cycles:.0}{per}") } else { format!("{cycles:.2}{per}") };
            Some(vec![
                row.job.name.clone(),
                cell.op.word(),
                show(s.median),
                if s.n > 1 { interval(&s, show) } else { "-".into() },
                s.n.to_string(),
                cycles,
                format!("{:.2}", cell.user),
                format!("{:.2}", cell.wall),
                if cell.subtracted_ns > 0.0 { format!("{:.2}", cell.subtracted_ns) } else { "-".into() },
                row.by.code().to_string(),
            ])
        })
        .collect();
    if lines.is_empty() {
        return String::new();
    }
    let of = match (options.multi, options.threads) {
        (Some(n), 1) => format!(", sums of {n} processes"),
        (Some(n), t) => format!(", sums of {n} processes of {t} threads"),
        (None, 1) => String::new(),
        (None, t) => format!(", sums of {t} threads"),
    };
    let columns =
        ["algorithm", "bytes", "median", "<95 % interval", "reps", "cycles", "user s", "wall s", "turn ns", "<code"];
    let mut table = Table::new("", columns);
    lines.into_iter().for_each(|line| table.row(line));
    format!(
        "\nMedians of the repetitions{of}; {} data; cycles of the core's {:.2} GHz, measured; \"turn\": the empty \
         loop's turn, taken off what takes less than 50 ns\n{}",
        options.data,
        hertz / 1e9,
        table.show()
    )
}

/// Formats the comparison of ours with the peers.
pub(super) fn peers(rows: &[Row]) -> String {
    let mut lines = Vec::new();
    let mut versions: Vec<String> = Vec::new();
    for row in rows {
        for (cell, versus) in row.cells.iter().zip(&row.versus) {
            for v in versus {
                let (Some(ours), Some(theirs), Some(ratio)) =
                    (Summary::of(&cell.samples), Summary::of(&v.rates), Summary::of(&v.ratios))
                else {
                    continue;
                };
                let show = |s: &Summary| unit(cell.op).show(s.median);
                lines.push(vec![
                    row.job.name.clone(),
                    cell.op.word(),
                    show(&ours),
                    show(&theirs),
                    format!("{:.3}", ratio.median),
                    interval(&ratio, |r| format!("{r:.3}")),
                    v.data.as_ref().map_or_else(|| v.by.by.clone(), |data| format!("{data} data")),
                ]);
                let version = format!("{}: {}", v.by.by, v.by.version);
                if !versions.contains(&version) {
                    versions.push(version);
                }
            }
        }
    }
    if lines.is_empty() {
        return String::new();
    }
    let mut table = Table::new("", ["algorithm", "bytes", "ours", "theirs", "ratio", "<95 % interval", "<peer"]);
    lines.into_iter().for_each(|line| table.row(line));
    format!("\nOurs and the others took turns; above 1 ours is faster\n{}{}\n", table.show(), versions.join("\n"))
}

fn series(
    job: &Timing,
    op: Op,
    (by, data): (&By, &str),
    samples: Vec<f64>,
    subtracted_ns: f64,
    options: &Options,
) -> Series {
    let what = if job.is_key() { format!("{} {}", job.what, op.word()) } else { job.what.clone() };
    let mut s = Series::of(what, &by.by, &by.version, unit(op), samples).mode(job.mode());
    s.kernel.clone_from(&by.kernel);
    s.subtracted_ns = subtracted_ns;
    if let Op::Block(bytes) = op {
        s = s.bytes(bytes as u64).parameter("data", data);
        if options.misalign > 0 {
            s = s.parameter("misalign", options.misalign);
        }
    }
    if let Some(n) = options.multi {
        s = s.parameter("processes", n);
    }
    if options.threads > 1 {
        s = s.parameter("threads", options.threads);
    }
    s
}

/// Returns everything as series and pairings.
pub(super) fn findings(rows: &[Row], options: &Options) -> Findings {
    let mut findings = Findings { details: details(rows, options), ..Findings::default() };
    for row in rows {
        for (i, cell) in row.cells.iter().enumerate().filter(|(_, c)| !c.samples.is_empty()) {
            let ours = findings.series.len();
            let (by, first) = (&row.by, &*options.data);
            findings.series.push(series(
                &row.job,
                cell.op,
                (by, first),
                cell.samples.clone(),
                cell.subtracted_ns,
                options,
            ));
            for v in row.versus.get(i).into_iter().flatten() {
                let data = v.data.as_deref().unwrap_or(first);
                let theirs = series(&row.job, cell.op, (&v.by, data), v.rates.clone(), v.subtracted_ns, options);
                findings.pairings.push(Pairing::new(ours, findings.series.len(), v.ratios.clone()));
                findings.series.push(theirs);
            }
        }
    }
    findings
}

fn details(rows: &[Row], options: &Options) -> Value {
    let rows: Vec<Value> = rows
        .iter()
        .map(|r| {
            let results: Vec<Value> = r
                .cells
                .iter()
                .map(|c| {
                    json!({
                        "operation": if let Op::Block(_) = c.op { "whole".to_string() } else { c.op.word() },
                        "bytes": if let Op::Block(n) = c.op { Some(n) } else { None },
                        "count": c.count,
                        "user_seconds": c.user,
                        "wall_seconds": c.wall,
                        "seconds": c.seconds,
                        "rate": c.rate,
                    })
                })
                .collect();
            json!({ "name": r.job.name, "index": r.job.index, "algorithm": r.job.what, "results": results })
        })
        .collect();
    json!({
        "seconds": options.seconds.0,
        "key_seconds": options.seconds.1,
        "divisor": if options.by_wall() { "elapsed" } else { "user" },
        "style": options.style.word(),
        "processes": options.multi.unwrap_or(1),
        "threads": options.threads,
        "repetitions": options.repetitions,
        "data": options.data,
        "misalign": options.misalign,
        "testmode": options.test,
        "rows": rows,
    })
}

/// Draws rates over sizes if there are several, bars otherwise; keys, whose unit is another one, in a panel below.
pub(super) fn chart(rows: &[Row], options: &Options, machine: &Machine) -> Chart {
    let many = match at_once(options) {
        1 => String::new(),
        n => format!(", {n} at once"),
    };
    let sizes = match options.sizes[..] {
        [n] if rows.iter().any(|r| !r.job.is_key()) => format!(" on messages of {n} bytes"),
        _ => String::new(),
    };
    let mut chart = Chart::new(format!("hashmill speed{sizes}{many}"), machine.line());
    let compared = rows.iter().any(|r| r.by.by != rows[0].by.by || r.versus.iter().any(|v| !v.is_empty()));
    for row in rows {
        for (i, cell) in row.cells.iter().enumerate() {
            let versus = row.versus.get(i).into_iter().flatten();
            let all = std::iter::once((&row.by, &cell.samples)).chain(versus.map(|v| (&v.by, &v.rates)));
            for (by, samples) in all {
                let (Some(s), name, ours) = (Summary::of(samples), &row.job.name, by.by == "hashmill") else {
                    continue;
                };
                let bar = |scale: f64| Bar { name: by.by.clone(), ours, value: s.median / scale, interval: None };
                if row.job.is_key() {
                    chart.bar("/s", &format!("{name} {}", cell.op.word()), bar(1.0).within(s.interval, 1.0));
                } else if options.sizes.len() > 1 {
                    let line = if compared { format!("{name} {}", by.by) } else { name.clone() };
                    let point = Point::at(cell.op.weight(), s.median / 1e9).within(s.interval, 1e9);
                    chart.point("GB/s", SIZES, &line, ours, point);
                } else {
                    chart.bar("GB/s", name, bar(1e9).within(s.interval, 1e9));
                }
            }
        }
    }
    chart
}

/// Message lengths; rates are on a linear scale.
const SIZES: Axis = Axis::Quantity("message bytes", false);

/// Returns what makes the results doubtful, each with its remedy.
pub(super) fn warnings(rows: &[Row], options: &Options, machine: &Machine) -> Vec<String> {
    let mut found = Vec::new();
    if options.test {
        return found;
    }
    let n = options.repetitions;
    if (2..6).contains(&n) && !options.takes_turns() {
        found.push(format!("{n} repetitions are too few for an interval of 95 %: it takes -reps 6 or more"));
    }
    let measured = || cells(rows).filter(|(_, c)| c.count > 0 && !c.samples.is_empty());
    let name = |r: &Row, c: &Cell| format!("{} {}", r.job.name, c.op.word());
    // Share of a repetition that one step of the clock takes.
    let by_step = |c: &Cell| machine.clocks.tick_ns * 1e-9 * c.samples.len() as f64 / c.wall.max(1e-12);
    let coarse = measured().map(|(r, c)| (by_step(c), r, c)).max_by(|a, b| a.0.total_cmp(&b.0));
    if let Some((share, r, c)) = coarse
        && share > 0.001
    {
        let (what, tick) = (name(r, c), machine.clocks.tick_ns);
        found.push(format!(
            "{what}: the clock's step of {tick:.0} ns is {:.1} % of a repetition: more -seconds or fewer -reps",
            100.0 * share
        ));
    }
    // An operation that begins in a repetition also ends in it, beyond its time.
    let few = measured().find(|(_, c)| c.count < 10 * c.samples.len() as u64 && !options.takes_turns());
    if let Some((r, c)) = few {
        found.push(format!("{}: fewer than 10 operations in a repetition: more -seconds or fewer -reps", name(r, c)));
    }
    let apart = |c: &Cell| c.user / (c.wall * at_once(options) as f64).max(1e-12) - 1.0;
    let far: Vec<_> = measured().filter(|(_, c)| apart(c).abs() > 0.05).collect();
    if let Some((r, c)) = far.iter().max_by(|a, b| apart(a.1).abs().total_cmp(&apart(b.1).abs())) {
        let (count, what, percent) = (far.len(), name(r, c), 100.0 * apart(c));
        let plural = if count == 1 { "" } else { "s" };
        found.push(format!(
            "user time differs from wall time by more than 5 % in {count} result{plural} ({what}: {percent:+.0} %): \
             end other programs, or give this one a CPU of its own (taskset -c N)"
        ));
    }
    let wide = |c: &Cell| Summary::of(&c.samples).filter(|s| s.n >= 6).map_or(0.0, |s| s.relative_width());
    let widest = measured().max_by(|a, b| wide(a.1).total_cmp(&wide(b.1)));
    if let Some((r, c)) = widest
        && wide(c) > 0.05
    {
        let (what, width) = (name(r, c), 100.0 * wide(c));
        found.push(format!("{what}: the interval is {width:.0} % wide: more -reps and -seconds"));
    }
    found
}
