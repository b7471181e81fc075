//! How speed depends on the caches: the same bytes as one stream, and divided into one message per lane.

use super::measure::{many, mode, one_stream};
use super::{KernelsArgs, Rounds, Task, show};
use hashmill::{Engine, KernelInfo};
use hashmill_measure::chart::{Axis, Chart, Point};
use hashmill_measure::paired::{self, Rotation, Side, core_clock};
use hashmill_measure::progress::Progress;
use hashmill_measure::run::{Findings, Pairing, Series, Session, Unit};
use hashmill_measure::stats::Summary;
use hashmill_measure::sys;
use hashmill_measure::table::Table;
use hashmill_peers::arguments::size;
use serde::Serialize;
use serde_json::json;
use std::fs;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Minimum length of a lane's message, so that the result shows the caches rather than the padding.
const SHORTEST: usize = 256;

/// A cache that holds data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Cache {
    level: u64,
    bytes: u64,
}

impl Cache {
    /// Formats a cache: `L1 48 KiB`.
    fn show(&self) -> String {
        match self.bytes >> 20 {
            0 => format!("L{} {} KiB", self.level, self.bytes >> 10),
            mib => format!("L{} {mib} MiB", self.level),
        }
    }
}

/// Returns the caches of the first CPU, smallest first; none if the system does not list them.
fn caches() -> Vec<Cache> {
    let read = |index: usize, what: &str| {
        let text = fs::read_to_string(format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{what}")).ok()?;
        Some(text.trim().to_string())
    };
    let mut found: Vec<Cache> = (0..8)
        .filter_map(|i| {
            let (kind, level, bytes) = (read(i, "type")?, read(i, "level")?, read(i, "size")?);
            let cache = Cache { level: level.parse().ok()?, bytes: size(&bytes).ok()? };
            (kind != "Instruction").then_some(cache)
        })
        .collect();
    found.sort_by_key(|c| c.bytes);
    found
}

/// Returns where this many bytes fit: `L2`, `memory`.
fn fits(caches: &[Cache], bytes: usize) -> String {
    let found = caches.iter().find(|c| bytes as u64 <= c.bytes);
    match found {
        Some(c) => format!("L{}", c.level),
        None if caches.is_empty() => "?".into(),
        None => "memory".into(),
    }
}

/// Formats 65536 as `64k`.
fn short(bytes: usize) -> String {
    match bytes {
        b if b >= 1 << 20 && b % (1 << 20) == 0 => format!("{}M", b >> 20),
        b if b >= 1 << 10 && b % (1 << 10) == 0 => format!("{}k", b >> 10),
        b => b.to_string(),
    }
}

/// Returns the kernel for one message and the widest one for many, or the first one of each kind that the user named.
fn kernels(task: &Task, args: &KernelsArgs) -> (Option<KernelInfo>, Option<KernelInfo>) {
    let named = !args.kernel.is_empty();
    let one = task.kernels.iter().find(|k| k.lanes == 1 && (k.active || named));
    let mut wide = task.kernels.iter().filter(|k| k.lanes > 1 && (k.from_messages.is_some() || named));
    let wide = if named { wide.next() } else { wide.max_by_key(|k| k.lanes) };
    (one.cloned(), wide.cloned())
}

/// A cell of the table.
#[derive(Debug, Serialize)]
struct Cell {
    algorithm: String,
    kernel: String,
    mode: &'static str,
    messages: usize,
    /// Total bytes of all messages.
    working_set: usize,
    fits: String,
    rate: Summary,
    core_cycles: Option<Summary>,
    counter_ticks: Option<Summary>,
    /// Ratio of lanes over one stream.
    to_one_stream: Option<Summary>,
}

/// A kernel and its messages, measured in every round.
struct Way<'a> {
    forced: Engine,
    info: KernelInfo,
    messages: Vec<&'a [u8]>,
    once: Duration,
}

/// Sets up the kernels on the first `bytes` of the data, if they make sense there. A digest that differs from
/// portable's is an error.
fn ways<'a>(task: &Task, args: &KernelsArgs, data: &'a [u8], bytes: usize) -> Result<Vec<Way<'a>>, String> {
    let (one, wide) = kernels(task, args);
    let mut ways = Vec::new();
    for info in [one, wide].into_iter().flatten() {
        let each = bytes / info.lanes;
        if info.lanes > 1 && each < SHORTEST {
            continue;
        }
        let forced = task.algorithm.with_kernel(info.name).map_err(|e| e.to_string())?;
        let messages: Vec<&[u8]> = data[..bytes].chunks_exact(each).take(info.lanes).collect();
        let start = Instant::now();
        let digests = forced.digest_many(&messages);
        let once = start.elapsed();
        let portable = task.algorithm.with_kernel("portable").map_err(|e| e.to_string())?;
        if digests.iter().zip(&messages).any(|(d, m)| *portable.digest(m).as_bytes() != *d) {
            return Err(format!("{}: {}: a digest is not that of portable ({bytes} bytes)", task.algorithm, info.name));
        }
        ways.push(Way { forced, info, messages, once });
    }
    Ok(ways)
}

pub(super) fn run(args: &KernelsArgs, mut session: Session, tasks: &[Task], data: &[u8]) -> ExitCode {
    let (sizes, caches) = (args.sizes(), caches());
    let rows = |t: &Task| {
        let (one, wide) = kernels(t, args);
        usize::from(one.is_some()) + usize::from(wide.is_some()) + 1
    };
    let sides = sizes.len() * tasks.iter().map(rows).sum::<usize>();
    let how = args.how(sides);
    args.announce(&session, tasks.len(), sides, &how);
    let (mut findings, mut cells) = (Findings::default(), Vec::new());
    let (mut rounds, mut core) = (Rounds::default(), Vec::new());
    let mut progress = Progress::new("bench kernels", sizes.len() * tasks.len());
    'all: for task in tasks {
        for &bytes in &sizes {
            if sys::interrupted() {
                break 'all;
            }
            progress.step(&format!("{} {}", task.algorithm, short(bytes)));
            let ways = match ways(task, args, data, bytes) {
                Ok(ways) if ways.is_empty() => continue,
                Ok(ways) => ways,
                Err(e) => {
                    progress.clear();
                    session.error(e);
                    continue;
                }
            };
            let mut sides: Vec<Side> = vec![core_clock()];
            sides.extend(ways.iter().map(|w| match w.info.lanes {
                1 => one_stream(w.forced, w.messages[0]),
                _ => many(w.forced, &w.messages),
            }));
            let each: Vec<Duration> = std::iter::once(Duration::ZERO).chain(ways.iter().map(|w| w.once)).collect();
            let Some(rotation) = paired::rotate(&mut sides, &how.plan(&each)) else { break 'all };
            drop(sides);
            rounds.add(&rotation);
            core.extend(rotation.summary(0).map(|s| s.median));
            let counter = session.machine().clocks.counter_hertz;
            cells.extend(found(task, bytes, &ways, &rotation, counter, &caches, &mut findings));
        }
    }
    progress.clear();
    rounds.warn(&mut session);
    let machine = session.machine().line();
    let clocks = show::clocks(&core, session.machine().clocks.counter_hertz);
    let text = table(&cells, &sizes, &caches, &machine, &clocks);
    let chart = chart(&cells, &caches, &machine);
    findings.details =
        json!({ "sweep": true, "time": how.time, "caches": caches, "core_hertz": core, "results": cells });
    args.output.show(session.end(findings), &text, Some(&chart))
}

/// Returns the cells of one algorithm at one size, and adds the measurements to the findings.
fn found(
    task: &Task,
    bytes: usize,
    ways: &[Way],
    rotation: &Rotation,
    counter: f64,
    caches: &[Cache],
    findings: &mut Findings,
) -> Vec<Cell> {
    let (name, first) = (task.algorithm.name().into_owned(), findings.series.len());
    let one = ways.iter().position(|w| w.info.lanes == 1);
    let mut cells = Vec::new();
    for (i, way) in ways.iter().enumerate() {
        // Side 0 is the core's clock.
        let rates = rotation.rates[i + 1].clone();
        let Some(rate) = rotation.summary(i + 1) else { continue };
        let ticks: Vec<f64> = rates.iter().map(|rate| counter / rate).collect();
        let other = one.filter(|&one| one != i);
        let ratios = other.map(|one| rotation.ratios(i + 1, one + 1));
        cells.push(Cell {
            algorithm: name.clone(),
            kernel: way.info.name.into(),
            mode: mode(way.info.lanes),
            messages: way.messages.len(),
            working_set: bytes,
            fits: fits(caches, bytes),
            rate,
            core_cycles: Summary::of(&rotation.ratios(0, i + 1)),
            counter_ticks: Summary::of(&ticks).filter(|_| counter > 0.0),
            to_one_stream: ratios.as_deref().and_then(Summary::of),
        });
        let series = Series::ours(&name, way.info.name, Unit::BytesPerSecond, rates).mode(mode(way.info.lanes));
        let series = series.bytes(way.messages[0].len() as u64).parameter("working-set", bytes);
        findings.series.push(Series { subtracted_ns: rotation.subtracted_ns[i + 1], ..series });
        if let (Some(one), Some(ratios)) = (other, ratios) {
            findings.pairings.push(Pairing::new(first + i, first + one, ratios));
        }
    }
    cells
}

fn table(cells: &[Cell], sizes: &[usize], caches: &[Cache], machine: &str, clocks: &str) -> String {
    if cells.is_empty() {
        return String::new();
    }
    let widest = cells.iter().max_by(|a, b| a.rate.relative_width().total_cmp(&b.rate.relative_width()));
    let widest = widest.map_or(String::new(), |c| {
        let what = format!("{}, {}, {}", c.algorithm, c.mode, short(c.working_set));
        format!(" 95 % intervals are at most {:.1} % wide ({what}).", 100.0 * c.rate.relative_width())
    });
    let list: Vec<String> = caches.iter().map(Cache::show).collect();
    let mut text = format!(
        "GB/s on one core of {machine}.{widest}\n{clocks}\nThe same bytes again and again; lanes hash one message \
         each that together have these bytes, of at least {SHORTEST} B each.\n"
    );
    if !list.is_empty() {
        text += &format!("Caches: {}.\n", list.join(", "));
    }
    let lengths: Vec<String> = sizes.iter().map(|s| short(*s)).collect();
    let columns = ["algorithm", "<kernel", "<mode"].into_iter();
    let mut lines = Table::new("", columns.chain(lengths.iter().map(|l| &**l)));
    let first = [String::new(), String::new(), "fits into".into()].into_iter();
    lines.row(first.chain(sizes.iter().map(|s| fits(caches, *s))));
    let mut done: Vec<(&str, &str)> = Vec::new();
    for c in cells {
        if done.contains(&(&c.algorithm, &c.kernel)) {
            continue;
        }
        done.push((&c.algorithm, &c.kernel));
        let mut line = vec![c.algorithm.clone(), c.kernel.clone(), c.mode.to_string()];
        for s in sizes {
            let same = |d: &&Cell| d.working_set == *s && d.algorithm == c.algorithm && d.kernel == c.kernel;
            line.push(cells.iter().find(same).map_or("-".into(), |d| format!("{:.3}", d.rate.median / 1e9)));
        }
        lines.row(line);
    }
    text += &lines.show();
    text
}

fn chart(cells: &[Cell], caches: &[Cache], machine: &str) -> Chart {
    let list: Vec<String> = caches.iter().map(Cache::show).collect();
    let mut chart = Chart::new("Speed and the caches", [machine, &list.join(", ")].join("; "));
    let set = Axis::Quantity("bytes that are hashed again and again", true);
    for c in cells {
        let point = Point::at(c.working_set as f64, c.rate.median / 1e9).within(c.rate.interval, 1e9);
        chart.point("GB/s", set, &format!("{} {}", c.algorithm, c.kernel), true, point);
    }
    chart
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_bytes_fit() {
        let caches = [Cache { level: 1, bytes: 48 << 10 }, Cache { level: 2, bytes: 1 << 20 }];
        let all = [1, 48 << 10, 64 << 10, 1 << 20, 2 << 20].map(|b| fits(&caches, b));
        assert_eq!(all, ["L1", "L1", "L2", "L2", "memory"]);
        assert_eq!(fits(&[], 5), "?");
        assert_eq!(caches.map(|c| c.show()), ["L1 48 KiB", "L2 1 MiB"]);
        assert_eq!([1000, 5 << 10, 64 << 20, 1 << 20].map(short), ["1000", "5k", "64M", "1M"]);
    }

    #[test]
    fn caches_here_grow() {
        let caches = caches();
        assert!(caches.windows(2).all(|w| w[0].bytes < w[1].bytes && w[0].level < w[1].level), "{caches:?}");
    }
}
