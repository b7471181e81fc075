//! Reports the results as a table with conclusions, as Go benchmark lines, as series and as a chart.

use super::{COLD, ENOUGH, Measured, Phase, Row};
use crate::bench::io::ways::Way;
use hashmill_measure::chart::{Bar, Chart};
use hashmill_measure::machine::Machine;
use hashmill_measure::run::{Findings, Pairing, Series, Unit};
use hashmill_measure::stats::Summary;
use hashmill_measure::table::Table;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Times that differ by less count as the same.
const SAME: f64 = 0.05;

impl Row {
    fn ns(&self) -> Vec<f64> {
        self.samples.iter().map(super::Sample::ns).collect()
    }

    fn megabytes(&self, size: u64) -> Option<Summary> {
        Summary::of(&self.ns().iter().map(|ns| size as f64 / ns * 1e3).collect::<Vec<_>>())
    }

    fn allocated(&self) -> Vec<f64> {
        self.samples.iter().map(|s| s.per_operation(s.bytes)).collect()
    }

    fn allocations(&self) -> Vec<f64> {
        self.samples.iter().map(|s| s.per_operation(s.allocations)).collect()
    }

    /// Returns the median of the bytes allocated.
    fn bytes(&self) -> f64 {
        Summary::of(&self.allocated()).map_or(f64::NAN, |s| s.median)
    }

    /// Returns how many times as long it took as the other, round by round.
    fn over(&self, other: &Row) -> Option<Summary> {
        Summary::of(&self.ns().iter().zip(other.ns()).map(|(a, b)| a / b).collect::<Vec<_>>())
    }

    fn median(&self) -> f64 {
        Summary::of(&self.ns()).map_or(f64::INFINITY, |s| s.median)
    }
}

impl Phase {
    /// Returns the fastest way that reads.
    fn fastest(&self) -> Option<usize> {
        let reading = (0..self.rows.len()).filter(|i| self.rows[*i].way != Way::HashOnly);
        reading.min_by(|a, b| self.rows[*a].median().total_cmp(&self.rows[*b].median()))
    }
}

/// Adds the series and pairings of the files.
pub(super) fn collect(all: &[Measured], findings: &mut Findings) {
    for (m, phase) in all.iter().flat_map(|m| m.phases.iter().map(move |p| (m, p))) {
        let mut times = Vec::new();
        for row in &phase.rows {
            let series = |unit, samples, of: &str| {
                let s = Series::ours(row.way.name(), &m.kernel, unit, samples)
                    .bytes(m.size)
                    .mode(row.state.name())
                    .parameter("algorithm", &m.algorithm)
                    .parameter("of", of);
                if all.len() > 1 { s.parameter("file", &m.file) } else { s }
            };
            times.push(findings.series.len());
            findings.series.push(series(Unit::Nanoseconds, row.ns(), "time"));
            if m.counted {
                findings.series.push(series(Unit::Bytes, row.allocated(), "allocated"));
                findings.series.push(series(Unit::Count, row.allocations(), "allocations"));
            }
            if let Some(peak) = row.peak {
                findings.series.push(series(Unit::Bytes, vec![peak as f64], "peak RSS"));
            }
        }
        let Some(fastest) = phase.fastest() else { continue };
        let first = times[fastest];
        for (row, second) in phase.rows.iter().zip(times) {
            if first != second {
                let ratios = row.ns().iter().zip(phase.rows[fastest].ns()).map(|(b, a)| b / a).collect();
                findings.pairings.push(Pairing::new(first, second, ratios));
            }
        }
    }
}

/// Returns the rows, and what was found out about the files.
pub(super) fn details(all: &[Measured]) -> Value {
    let row = |m: &Measured, r: &Row| {
        json!({
            "way": r.way.name(),
            "state": r.state.name(),
            "ns_per_op": Summary::of(&r.ns()),
            "mb_per_s": r.megabytes(m.size),
            "operations_per_sample": r.samples.first().map(|s| s.operations),
            "bytes_per_op": m.counted.then(|| r.bytes()),
            "bytes_per_op_of_half": r.half.filter(|_| m.counted),
            "allocs_per_op": Summary::of(&r.allocations()).filter(|_| m.counted).map(|s| s.median),
            "peak_rss": r.peak,
            "pages_left": r.evict.then_some(r.left),
        })
    };
    let file = |m: &Measured| {
        json!({
            "file": m.file,
            "size": m.size,
            "algorithm": m.algorithm,
            "kernel": m.kernel,
            "digest": m.digest,
            "rss_at_rest": m.rest,
            "resident": m.resident,
            "rows": m.phases.iter().flat_map(|p| &p.rows).map(|r| row(m, r)).collect::<Vec<_>>(),
            "not_measured": m.skipped,
            "conclusion": conclusion(m),
        })
    };
    json!({ "files": all.iter().map(file).collect::<Vec<_>>() })
}

/// Formats the tables for people.
pub(super) fn table(all: &[Measured], machine: &str) -> String {
    let mut text = String::new();
    for m in all.iter().filter(|m| m.phases.iter().any(|p| !p.rows.is_empty())) {
        if !text.is_empty() {
            text.push('\n');
        }
        // Writing to a string cannot fail.
        let _ = file(&mut text, m, machine);
    }
    text
}

fn file(text: &mut String, m: &Measured, machine: &str) -> std::fmt::Result {
    writeln!(text, "{}: {} bytes into {} ({}) on {machine}", m.file, m.size, m.algorithm, m.kernel)?;
    if let Some((before, after)) = m.resident {
        let share = |s: f64| format!("{:.1} %", 100.0 * s);
        write!(text, "page cache: {} of the pages before the warm rounds, {} after", share(before), share(after))?;
        let left = m.phases.iter().flat_map(|p| &p.rows).filter(|r| r.evict).map(|r| r.left).reduce(f64::max);
        writeln!(text, "{}", left.map_or(String::new(), |l| format!("; {} at most before cold operations", share(l))))?;
    }
    if let Some(rest) = m.rest {
        writeln!(
            text,
            "peak RSS: of the whole process during one operation; {} at rest",
            Unit::Bytes.show(rest as f64)
        )?;
    }
    let columns = ["way", "<state", "ns/op", "MB/s", "<95 % interval", "B/op", "allocs/op", "peak RSS"];
    let mut table = Table::new("", columns);
    for row in m.phases.iter().flat_map(|p| &p.rows) {
        let Some(rate) = row.megabytes(m.size) else { continue };
        let (bytes, allocations) = match Summary::of(&row.allocations()) {
            Some(n) if m.counted => (format!("{:.0}", row.bytes()), format!("{:.0}", n.median)),
            _ => ("-".into(), "-".into()),
        };
        table.row([
            row.way.name(),
            format!("{}{}", row.state.name(), if row.evict && row.left > COLD { "*" } else { "" }),
            format!("{:.0}", row.median()),
            format!("{:.1}", rate.median),
            format!("[{:.1}, {:.1}]", rate.interval.0, rate.interval.1),
            bytes,
            allocations,
            row.peak.map_or("-".into(), |p| Unit::Bytes.show(p as f64)),
        ]);
    }
    text.push_str(&table.show());
    for line in conclusion(m) {
        writeln!(text, "{line}")?;
    }
    for s in &m.skipped {
        writeln!(text, "not measured: {s}")?;
    }
    Ok(())
}

/// Describes what the figures show.
fn conclusion(m: &Measured) -> Vec<String> {
    m.phases.iter().flat_map(|p| of_phase(m, p)).collect()
}

fn of_phase(m: &Measured, phase: &Phase) -> Vec<String> {
    let Some(fastest) = phase.fastest().map(|i| &phase.rows[i]) else { return Vec::new() };
    let mut lines = Vec::new();
    let (mut alike, mut slower) = (Vec::new(), Vec::new());
    for row in phase.rows.iter().filter(|r| r.way != Way::HashOnly && !std::ptr::eq(*r, fastest)) {
        match row.over(fastest) {
            Some(r) if r.interval.0 > 1.0 => slower.push(format!("{} {:.2}", row.way.name(), r.median)),
            Some(_) => alike.push(row.way.name()),
            None => {}
        }
    }
    let rounds = fastest.samples.len();
    let mut line = format!("{}: {} is the fastest in the median", phase.name, fastest.way.name());
    if !alike.is_empty() {
        line += &format!("; {} cannot be told from it (the intervals of the ratios hold 1)", alike.join(", "));
    }
    if !slower.is_empty() {
        line += &format!("; times as long: {}", slower.join(", "));
    }
    if (rounds as u64) < ENOUGH {
        let plural = if rounds == 1 { "" } else { "s" };
        line += &format!(". Only {rounds} round{plural}: this may be chance, --reps {ENOUGH} or more would tell");
    }
    lines.push(line + ".");
    let find = |way: Way| phase.rows.iter().find(|r| r.way == way);
    if let Some(share) = find(Way::HashOnly).and_then(|h| h.over(fastest)) {
        let name = fastest.way.name();
        let (low, high) = share.interval;
        let shown = format!("{:.0} % [{:.0}, {:.0}]", 100.0 * share.median, 100.0 * low, 100.0 * high);
        lines.push(match high < 1.0 {
            true => format!("{}: the hash alone takes {shown} of the time of {name}; the rest is reading.", phase.name),
            false => format!(
                "{}: the hash alone takes {shown} of the time of {name}: reading costs less than this run can tell.",
                phase.name
            ),
        });
    }
    let pairs = [(Way::Whole, Way::Copy(32 << 10)), (Way::ReadAll, Way::Streaming(32 << 10))];
    for (all, part) in pairs {
        if let (Some(all), Some(part)) = (find(all), find(part)) {
            lines.extend(against(m, phase, all, part));
        }
    }
    lines
}

/// Compares having everything in memory at once with using a buffer.
fn against(m: &Measured, phase: &Phase, all: &Row, part: &Row) -> Vec<String> {
    let Some(ratio) = all.over(part) else { return Vec::new() };
    let (a, b) = (all.way.name(), part.way.name());
    let r = format!("{:.3} [{:.3}, {:.3}]", ratio.median, ratio.interval.0, ratio.interval.1);
    let (low, high) = ratio.interval;
    let enough = ratio.n as u64 >= ENOUGH;
    let same_time = enough && low > 1.0 - SAME && high < 1.0 + SAME;
    let time = match () {
        () if same_time => format!("{a} and {b} take the same time ({r} times)"),
        () if low <= 1.0 && 1.0 <= high => format!("the times of {a} and {b} cannot be told apart ({r} times)"),
        () if !enough && low > 1.0 => format!("{a} took longer than {b} in all {} rounds ({r} times)", ratio.n),
        () if !enough => format!("{a} took less time than {b} in all {} rounds ({r} times)", ratio.n),
        () if low > 1.0 => format!("{a} takes longer than {b} ({r} times)"),
        () => format!("{a} takes less time than {b} ({r} times)"),
    };
    let mut lines = Vec::new();
    if !m.counted {
        lines.push(format!("{}: {time}.", phase.name));
        return lines;
    }
    let show = |v: f64| Unit::Bytes.show(v);
    let (memory_a, memory_b) = (all.bytes(), part.bytes());
    // For a small file, both are small.
    let differs = memory_a > 2.0 * memory_b || memory_b > 2.0 * memory_a;
    let link = if same_time && differs { ", but not the same memory" } else { "; memory for every operation" };
    lines.push(format!("{}: {time}{link}: {} against {}.", phase.name, show(memory_a), show(memory_b)));
    if let (Some(half_a), Some(half_b)) = (all.half, part.half) {
        let grows = |whole: f64, half: u64| match whole / half as f64 {
            g if g >= 1.8 => "grows with the size",
            g if g <= 1.1 => "does not depend on the size",
            _ => "grows, by less than the size",
        };
        lines.push(format!(
            "{}: with half of the bytes {a} allocates {}, {b} {}: the memory of {a} {}, that of {b} {}.",
            phase.name,
            show(half_a as f64),
            show(half_b as f64),
            grows(memory_a, half_a),
            grows(memory_b, half_b)
        ));
    }
    lines
}

/// Formats Go benchmark lines, one per sample.
pub(super) fn go(all: &[Measured], machine: &Machine) -> String {
    if all.iter().all(|m| m.phases.iter().all(|p| p.rows.is_empty())) {
        return String::new();
    }
    let arch = match machine.arch.as_str() {
        "x86_64" => "amd64",
        "x86" => "386",
        "aarch64" => "arm64",
        "loongarch64" => "loong64",
        other => other,
    };
    let os = if std::env::consts::OS == "macos" { "darwin" } else { std::env::consts::OS };
    let mut text = format!("goos: {os}\ngoarch: {arch}\npkg: hashmill\ncpu: {}\n", machine.cpu);
    for m in all {
        // The parts of a benchmark's name, between slashes, must not contain blanks.
        let file: String = m.file.chars().map(|c| if c.is_whitespace() || c == '/' { '_' } else { c }).collect();
        let file = if all.len() > 1 { format!("/file={file}") } else { String::new() };
        for row in m.phases.iter().flat_map(|p| &p.rows) {
            for s in &row.samples {
                let name = format!("Benchmark{}/{}{file}-{}", row.way.go_name(), row.state.name(), machine.cpus);
                text += &format!(
                    "{name}\t{}\t{} ns/op\t{:.2} MB/s",
                    s.operations,
                    ns(s.ns()),
                    m.size as f64 / s.ns() * 1e3
                );
                if m.counted {
                    let (bytes, allocations) = (s.per_operation(s.bytes), s.per_operation(s.allocations));
                    text += &format!("\t{bytes:.0} B/op\t{allocations:.0} allocs/op");
                }
                text.push('\n');
            }
        }
    }
    text
}

/// Formats with as many digits as Go.
fn ns(value: f64) -> String {
    match value {
        v if v >= 999.95 => format!("{v:.0}"),
        v if v >= 99.995 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}

/// Draws bars of MB/s, one group per way with its states.
pub(super) fn chart(all: &[Measured], machine: &str) -> Chart {
    let title = match all {
        [m] => format!("Ways to read {} bytes into {}", m.size, m.algorithm),
        _ => "Ways to read".into(),
    };
    let mut chart = Chart::new(title, machine);
    for m in all {
        for row in m.phases.iter().flat_map(|p| &p.rows) {
            let Some(rate) = row.megabytes(m.size) else { continue };
            let name = if all.len() > 1 { format!("{} {}", m.file, row.way.name()) } else { row.way.name() };
            chart.bar("MB/s", &name, Bar::ours(row.state.name(), rate.median).within(rate.interval, 1.0));
        }
    }
    chart
}
