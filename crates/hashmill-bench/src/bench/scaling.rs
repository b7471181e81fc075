//! `hashmill bench scaling`: how far would `hashmill sum` scale on more cores than this machine has?
//!
//! A model of the queue (hashmill-files, `queue/shared.rs`): one thread puts files in and reports results; workers take
//! batches, open, read and hash. It is fed with what these take here: the caller's and the workers' CPU time for a
//! file, what a file takes under the lock, how long the lock's cache line takes from core to core, and how long a
//! sleeping thread takes to wake up. Directories are listed ahead by two more threads, whose time counts as the
//! workers'. Cores wait for nothing else: not for memory that they share, nor for the file system's locks.

use clap::Args;
use hashmill::Algorithm;
use hashmill_files::{Event, Input, Options, Progress as Counts, Walked, sum, walk};
use hashmill_measure::arguments::whole;
use hashmill_measure::progress::Progress;
use hashmill_measure::random::noise;
use hashmill_measure::run::{Findings, Pairing, Series, Session, Unit};
use hashmill_measure::stats::Summary;
use hashmill_measure::sys;
use hashmill_measure::sys::clock::own_cpu_seconds;
use hashmill_measure::table::Table;
use hashmill_peers::arguments::{AlgorithmList, algorithms, flatten, message_size};
use hashmill_results::output::OutputArgs;
use serde::Serialize;
use serde_json::json;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::fs;
use std::hint::black_box;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::scope;
use std::time::{Duration, Instant};

const SIZES: [usize; 4] = [128, 4 << 10, 64 << 10, 1 << 20];
const CORES: [u64; 6] = [2, 4, 8, 16, 32, 64];

/// Files of a length take up to so many bytes, and there are no more than so many, so that they stay in memory.
const BYTES: usize = 256 << 20;
const FILES: usize = 20_000;

/// Number of files in a folder.
const TOGETHER: usize = 1000;

/// How many times as long a worker's files, wake-ups and the lock's line are assumed to take on two sockets, which
/// cannot be measured on one. Memory of the other socket takes 1.6 times as long, and half of a worker's time is
/// waiting for memory, half of which is the other's.
const REMOTE: (f64, f64, f64) = (1.15, 1.6, 3.0);

/// Model `sum` on more cores than there are
///
/// Measures what listing, reading, hashing, the queue's lock and a wake-up take here, for files of several lengths in
/// memory, and simulates the queue with that on more cores: how many times as many files a second as on one. The
/// simulation of as many cores as were used is shown with what was measured on them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill bench scaling                          128 B to 1 MiB, 2 to 64 cores
  hashmill bench scaling --size 16k --cores 8,24
  hashmill bench scaling --nodes 2                cores on two sockets
")]
pub struct ScalingArgs {
    /// Algorithms, all in one read; md5 by default
    #[arg(value_name = "ALG", value_parser = algorithms)]
    algorithms: Vec<AlgorithmList>,

    /// More algorithms, as an option
    #[arg(short = 'a', long = "algorithm", value_name = "ALG[,ALG…]", value_parser = algorithms)]
    more: Vec<AlgorithmList>,

    /// Lengths of the files; 128,4k,64k,1M by default
    #[arg(long = "size", value_name = "BYTES,…", value_delimiter = ',', value_parser = message_size)]
    sizes: Vec<usize>,

    /// Numbers of cores; 2,4,8,16,32,64 by default
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = whole(1..=4096))]
    cores: Vec<u64>,

    /// Number of sockets that the cores are on: 1 or 2
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(1..=2))]
    nodes: u64,

    /// Where files are made, in a folder of its own that is removed; best in memory
    #[arg(long, value_name = "FOLDER", default_value = "/dev/shm")]
    folder: PathBuf,

    /// Number of repetitions
    #[arg(long = "reps", value_name = "N", default_value_t = 5, value_parser = whole(1..=10_000))]
    pairs: u64,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

impl ScalingArgs {
    fn all(&self) -> Vec<Algorithm> {
        let all = flatten(self.algorithms.iter().chain(&self.more));
        if all.is_empty() { Algorithm::parse_list("md5").unwrap_or_default() } else { all }
    }
}

/// What is measured, in nanoseconds.
#[derive(Debug, Clone, Copy, Serialize)]
struct Costs {
    /// For a file, by the thread that puts in and reports.
    caller: f64,
    /// For a file, by a worker.
    worker: f64,
    /// For a file, under the lock, each time that it is moved.
    moved: f64,
    /// Until the lock's line has come from another core.
    line: f64,
    /// Until a sleeping thread runs again.
    wake: f64,
}

impl Costs {
    /// The same on two sockets.
    fn remote(self) -> Costs {
        let (reading, waking, line) = REMOTE;
        Costs { worker: self.worker * reading, wake: self.wake * waking, line: self.line * line, ..self }
    }
}

/// One number of cores.
#[derive(Debug, Serialize)]
struct Cell {
    cores: u64,
    /// How many times as many files a second as on one core.
    speedup: Summary,
    /// Share of the time in which the lock is held.
    locked: f64,
    /// Share of the time in which the caller is at work.
    caller: f64,
}

/// One length.
#[derive(Debug, Serialize)]
struct Line {
    bytes: usize,
    costs: Costs,
    /// Nanoseconds for a file with as many workers as there are cores: measured, and as simulated.
    measured: f64,
    simulated: f64,
    cells: Vec<Cell>,
}

/// Runs the measurement.
pub fn run(args: &ScalingArgs) -> ExitCode {
    let sizes = if args.sizes.is_empty() { SIZES.to_vec() } else { args.sizes.clone() };
    let cores = if args.cores.is_empty() { CORES.to_vec() } else { args.cores.clone() };
    let mut session = Session::begin("bench scaling");
    let mut findings = Findings::default();
    let mut lines = Vec::new();
    let mut progress = Progress::new("bench scaling", sizes.len());
    for &bytes in &sizes {
        if sys::interrupted() {
            break;
        }
        progress.step(&format!("files of {bytes} B"));
        match measure(bytes, &cores, args, &mut findings) {
            Ok(line) => lines.push(line),
            Err(e) => {
                progress.clear();
                session.error(e);
            }
        }
    }
    progress.clear();
    let text = table(&lines, args, &session.machine().line());
    findings.details = json!({ "results": lines });
    args.output.show(session.end(findings), &text, None)
}

/// Makes files of one length, measures what they take, and simulates them on other numbers of cores.
fn measure(bytes: usize, cores: &[u64], args: &ScalingArgs, findings: &mut Findings) -> Result<Line, String> {
    let name = |e: std::io::Error| format!("{}: {e}", args.folder.display());
    let folder = tempfile::Builder::new().prefix("hashmill-scaling-").tempdir_in(&args.folder).map_err(name)?;
    let files = (BYTES / bytes.max(1)).clamp(1, FILES);
    make(folder.path(), files, bytes).map_err(name)?;
    let here = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let mut of: Vec<(Costs, f64)> = Vec::new();
    for _ in 0..args.pairs {
        let alone = summed(folder.path(), files, args.all(), 1)?;
        let all = summed(folder.path(), files, args.all(), here)?;
        let costs = Costs { caller: alone.0, worker: alone.1, moved: moved(), line: line(), wake: wake() };
        of.push((costs, all.2));
    }
    let median =
        |f: &dyn Fn(&(Costs, f64)) -> f64| Summary::of(&of.iter().map(f).collect::<Vec<_>>()).map_or(0.0, |s| s.median);
    let costs = Costs {
        caller: median(&|c| c.0.caller),
        worker: median(&|c| c.0.worker),
        moved: median(&|c| c.0.moved),
        line: median(&|c| c.0.line),
        wake: median(&|c| c.0.wake),
    };
    let files = files.max(FILES);
    let one: Vec<f64> = of.iter().map(|(costs, _)| simulate(costs, 1, files).each).collect();
    let base = findings.series.len();
    let per_second = |each: &[f64]| each.iter().map(|ns| 1e9 / ns).collect();
    let what = |cores: u64| format!("files of {bytes} B, {cores} {}", if cores == 1 { "core" } else { "cores" });
    findings.series.push(Series::ours(what(1), "", Unit::OperationsPerSecond, per_second(&one)).mode("one core"));
    let mut cells = Vec::new();
    for &n in cores {
        // One core is on one socket, and so are those that were measured.
        let there = |c: &Costs| if args.nodes == 2 && n > 1 { c.remote() } else { *c };
        let all: Vec<Simulated> = of.iter().map(|(costs, _)| simulate(&there(costs), n as usize, files)).collect();
        let each: Vec<f64> = all.iter().map(|s| s.each).collect();
        let ratios: Vec<f64> = one.iter().zip(&each).map(|(one, each)| one / each).collect();
        let Some(speedup) = Summary::of(&ratios) else { continue };
        let share = |f: fn(&Simulated) -> f64| all.iter().map(f).sum::<f64>() / all.len() as f64;
        cells.push(Cell { cores: n, speedup, locked: share(|s| s.locked), caller: share(|s| s.caller) });
        findings.series.push(Series::ours(what(n), "", Unit::OperationsPerSecond, per_second(&each)).mode("simulated"));
        findings.pairings.push(Pairing::new(findings.series.len() - 1, base, ratios));
    }
    let simulated = simulate(&costs, here, files).each;
    Ok(Line { bytes, costs, measured: median(&|c| c.1), simulated, cells })
}

/// Makes files, in folders.
fn make(folder: &Path, files: usize, bytes: usize) -> std::io::Result<()> {
    let data = noise(bytes + files);
    for i in 0..files {
        let within = folder.join(format!("{:04}", i / TOGETHER));
        if i % TOGETHER == 0 {
            fs::create_dir(&within)?;
        }
        fs::write(within.join(format!("{i:06}")), &data[i..i + bytes])?;
    }
    Ok(())
}

/// Hashes all files. Returns the nanoseconds for each: CPU time of the calling thread, and of the others, and as they
/// passed.
fn summed(folder: &Path, files: usize, all: Vec<Algorithm>, threads: usize) -> Result<(f64, f64, f64), String> {
    let options = Options { threads: NonZeroUsize::new(threads), ..Options::new(all) };
    let (cpu, own, start) = (own_cpu_seconds(), sys::thread_time(), Instant::now());
    let mut wrong = 0;
    let mut list = String::new();
    let found = walk([Input::Path(folder.into())], Walked::default());
    let end = sum(&options, found, &Counts::default(), |event| {
        if let Event::Outcome(o) = event {
            // The list that the program would print.
            list.clear();
            match &o.result {
                Ok(digests) => digests.iter().for_each(|d| list.push_str(&d.to_hex())),
                Err(_) => wrong += 1,
            }
            list.push_str(&o.input.name().to_string_lossy());
            black_box(&list);
        }
        ControlFlow::Continue(())
    });
    let wall = start.elapsed();
    let own = sys::thread_time().saturating_sub(own);
    let others = Duration::from_secs_f64((own_cpu_seconds() - cpu).max(0.0)).saturating_sub(own);
    end.map_err(|e| e.to_string())?;
    if wrong > 0 {
        return Err(format!("{wrong} files could not be read"));
    }
    let each = |t: Duration| t.as_secs_f64() * 1e9 / files as f64;
    Ok((each(own), each(others), each(wall)))
}

/// What moving a result into a queue and out of it takes.
fn moved() -> f64 {
    const N: usize = 1 << 14;
    let mut queue: VecDeque<Option<[u64; 16]>> = VecDeque::with_capacity(N);
    let start = Instant::now();
    for _ in 0..8 {
        (0..N as u64).for_each(|i| queue.push_back(black_box(Some([i; 16]))));
        while let Some(one) = queue.pop_front() {
            black_box(one);
        }
    }
    start.elapsed().as_secs_f64() * 1e9 / (8 * 2 * N) as f64
}

/// How long a line of the cache takes from core to core: two threads take turns in adding to a number.
fn line() -> f64 {
    const N: u64 = 20_000;
    let number = AtomicU64::new(0);
    let turns = |mine: u64| {
        for _ in 0..N {
            let mut tries = 0u32;
            while number.load(SeqCst) % 2 != mine {
                tries += 1;
                // The other may need this core.
                if tries.is_multiple_of(10_000) {
                    std::thread::yield_now();
                }
                std::hint::spin_loop();
            }
            number.fetch_add(1, SeqCst);
        }
    };
    let start = Instant::now();
    scope(|s| {
        s.spawn(|| turns(1));
        turns(0);
    });
    start.elapsed().as_secs_f64() * 1e9 / (2 * N) as f64
}

/// How long a thread takes to wake another up: two wake each other in turn.
fn wake() -> f64 {
    const N: u64 = 2_000;
    let (number, changed) = (Mutex::new(0u64), Condvar::new());
    let turns = |mine: u64| {
        for _ in 0..N {
            let number = number.lock().unwrap_or_else(PoisonError::into_inner);
            let not_mine = |n: &mut u64| *n % 2 != mine;
            let mut number = changed.wait_while(number, not_mine).unwrap_or_else(PoisonError::into_inner);
            *number += 1;
            drop(number);
            changed.notify_one();
        }
    };
    let start = Instant::now();
    scope(|s| {
        s.spawn(|| turns(1));
        turns(0);
    });
    start.elapsed().as_secs_f64() * 1e9 / (2 * N) as f64
}

// ---------------------------------------------------------------------------------------------------------------------
// The model
// ---------------------------------------------------------------------------------------------------------------------

/// The queue's numbers (hashmill-files): files in a worker's batch, those that are put in together, those between
/// reports, and those waiting at most; results that wake the caller.
const BATCH: usize = 32;
const HANDED: usize = 64;
const AT_ONCE: usize = 256;
const HIGH_WATER: usize = 4096;
const WAKE: usize = 256;

/// The thread that puts in and reports; workers have other numbers.
const CALLER: usize = usize::MAX;

#[derive(Debug, Clone, Copy)]
struct Simulated {
    /// Nanoseconds for a file.
    each: f64,
    /// Shares of the time in which the lock is held, and in which the caller is at work.
    locked: f64,
    caller: f64,
}

/// The state of a simulation. Times are in nanoseconds from its beginning.
struct Model {
    costs: Costs,
    /// When each core is free.
    cores: BinaryHeap<Reverse<u64>>,
    /// When the lock is free, who held it last, and how long it was held in all.
    lock: (u64, usize, u64),
    /// What happens next: when, to whom, with how many files in hand.
    events: BinaryHeap<Reverse<(u64, usize, usize)>>,
    /// Files that wait, and results.
    unseen: usize,
    done: usize,
    asleep: Vec<usize>,
    /// Whether the caller waits for results, or for room.
    awaiting: bool,
}

impl Model {
    /// Works for so long on the core that is free first. Returns when that is over.
    fn work(&mut self, at: u64, ns: f64) -> u64 {
        let Reverse(free) = self.cores.pop().unwrap_or_default();
        let end = free.max(at) + ns as u64;
        self.cores.push(Reverse(end));
        end
    }

    /// Holds the lock while so many files are moved. Who has to wait for it sleeps. Returns when that is over.
    fn hold(&mut self, at: u64, who: usize, files: usize) -> u64 {
        let (free, last, all) = self.lock;
        let line = if last == who { 0.0 } else { self.costs.line };
        let start = if free > at { free + self.costs.wake as u64 } else { at };
        let ns = (line + self.costs.moved * files as f64) as u64;
        // Others can have the lock until the sleeper runs.
        self.lock = (free.max(at) + ns, who, all + ns);
        start + ns
    }

    fn wake_workers(&mut self, at: u64, most: usize) {
        for _ in 0..most.min(self.asleep.len()) {
            if let Some(worker) = self.asleep.pop() {
                self.events.push(Reverse((at + self.costs.wake as u64, worker, 0)));
            }
        }
    }
}

/// Simulates the queue with as many workers as cores, and the caller.
fn simulate(costs: &Costs, cores: usize, files: usize) -> Simulated {
    let mut m = Model {
        costs: *costs,
        cores: (0..cores).map(|_| Reverse(0)).collect(),
        lock: (0, CALLER, 0),
        events: (0..cores).chain([CALLER]).map(|who| Reverse((0, who, 0))).collect(),
        unseen: 0,
        done: 0,
        asleep: Vec::new(),
        awaiting: false,
    };
    let (mut put, mut reported, mut at_work, mut end) = (0, 0, 0.0, 0);
    // Half of the caller's time goes into putting in, half into reporting.
    let half = costs.caller / 2.0;
    while let Some(Reverse((at, who, hand))) = m.events.pop() {
        end = end.max(at);
        if who != CALLER {
            // Delivers what it has and takes others.
            let take = (m.unseen / (2 * cores)).clamp(1, BATCH).min(m.unseen);
            let at = m.hold(at, who, hand + take);
            m.done += hand;
            m.unseen -= take;
            let enough = m.done >= WAKE || m.done + reported == put;
            if m.awaiting && (hand > 0 && enough || m.unseen < HIGH_WATER / 4 && put < files) {
                m.awaiting = false;
                m.events.push(Reverse((at + costs.wake as u64, CALLER, 0)));
            }
            if take > 0 {
                let at = m.work(at, costs.worker * take as f64);
                m.events.push(Reverse((at, who, take)));
            } else if put < files {
                m.asleep.push(who);
            }
            continue;
        }
        let ready = std::mem::take(&mut m.done);
        let mut at = m.hold(at, CALLER, ready);
        reported += ready;
        at = m.work(at, half * ready as f64);
        let mut room = AT_ONCE.min(HIGH_WATER - m.unseen).min(files - put);
        at_work += half * (ready + room) as f64;
        let idle = ready + room == 0;
        while room > 0 {
            let n = room.min(HANDED);
            at = m.work(at, half * n as f64);
            at = m.hold(at, CALLER, n);
            m.unseen += n;
            put += n;
            room -= n;
            m.wake_workers(at, n);
        }
        if put == files {
            m.wake_workers(at, cores);
        }
        end = end.max(at);
        if reported == files {
            break;
        }
        if idle {
            m.awaiting = true;
        } else {
            m.events.push(Reverse((at, CALLER, 0)));
        }
    }
    let end = end.max(1) as f64;
    Simulated { each: end / files as f64, locked: m.lock.2 as f64 / end, caller: at_work / end }
}

// ---------------------------------------------------------------------------------------------------------------------
// Output
// ---------------------------------------------------------------------------------------------------------------------

/// Returns the results as lines of text.
fn table(lines: &[Line], args: &ScalingArgs, machine: &str) -> String {
    let Some(first) = lines.first() else { return String::new() };
    let c = first.costs;
    let here = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let names: Vec<String> = args.all().iter().map(|a| a.name().into_owned()).collect();
    let mut text = format!(
        "{} of files in memory on {machine}; medians of {}\nunder the lock {:.0} ns a file, its line from core to core \
         {:.0} ns, waking a thread up {:.0} ns; {}\n",
        names.join(", "),
        args.pairs,
        c.moved,
        c.line,
        c.wake,
        if args.nodes == 2 { "simulated on two sockets" } else { "on one socket" },
    );
    let of_cores = lines.iter().flat_map(|l| &l.cells).map(|c| c.cores);
    let mut numbers: Vec<u64> = of_cores.collect();
    numbers.sort_unstable();
    numbers.dedup();
    let mut columns = vec!["bytes".to_string(), "caller".into(), "worker".into()];
    columns.extend([format!("{here} cores, measured"), "simulated".into()]);
    columns.extend(numbers.iter().map(|n| format!("{n} cores")));
    let mut table = Table::new("", columns.iter().map(String::as_str));
    for l in lines {
        let micro = |ns: f64| format!("{:.2} µs", ns / 1e3);
        let mut row = vec![l.bytes.to_string(), micro(l.costs.caller), micro(l.costs.worker)];
        row.extend([micro(l.measured), micro(l.simulated)]);
        for n in &numbers {
            let cell = l.cells.iter().find(|c| c.cores == *n);
            row.push(cell.map_or(String::new(), |c| format!("{:.1}", c.speedup.median)));
        }
        table.row(row);
    }
    text += &table.show();
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: Costs = Costs { caller: 100.0, worker: 10_000.0, moved: 0.0, line: 0.0, wake: 0.0 };

    /// The model has the queue's own numbers.
    #[test]
    fn numbers() {
        let schedule = include_str!("../../../hashmill-files/src/queue/schedule.rs");
        let results = include_str!("../../../hashmill-files/src/queue/results.rs");
        let sum = include_str!("../../../hashmill-files/src/surface/sum.rs");
        for (text, name, value) in [
            (schedule, "BATCH", BATCH),
            (schedule, "HIGH_WATER", HIGH_WATER),
            (results, "WAKE", WAKE),
            (sum, "AT_ONCE", AT_ONCE),
            (sum, "HANDED", HANDED),
        ] {
            assert!(text.contains(&format!("const {name}: usize = {value};")), "{name}");
        }
    }

    /// Workers that wait for nothing do as much as there are of them; the caller lets no more through than it can list.
    #[test]
    fn bounds() {
        let each = |costs: &Costs, cores| simulate(costs, cores, 20_000).each;
        for cores in [1, 2, 8, 32] {
            let most = (FREE.worker + FREE.caller) / cores as f64;
            let got = each(&FREE, cores);
            assert!(got >= 0.99 * most && got < 1.1 * most, "{cores}: {got} of {most}");
        }
        let got = each(&FREE, 1000);
        assert!((100.0..120.0).contains(&got), "{got}");
    }

    /// What is done under the lock is done one after the other.
    #[test]
    fn the_lock() {
        let costs = Costs { moved: 500.0, ..FREE };
        let got = simulate(&costs, 64, 20_000);
        // In and out on either side.
        assert!(got.each >= 4.0 * 500.0 && got.locked > 0.9, "{got:?}");
        assert!(simulate(&FREE, 64, 20_000).locked == 0.0);
    }
}
