//! Finds the order of the instructions in a round that is written in assembly.
//!
//! Which order is fast cannot be told from the text: it depends on how a core chooses among the instructions that are
//! ready. So orders are tried. The round is read from its source, and its dependences from the instructions. Functions
//! of many orders are assembled at a time, checked against what the committed order computes, and measured beside it;
//! the neighbours of the best are tried next.

mod graph;
mod kernel;
mod measure;
mod native;
mod search;
mod source;

use graph::Order;
use hashmill_measure::random::Random;
use hashmill_measure::stats::Summary;
use kernel::{Algorithm, Kernel};
use measure::Bench;
use search::Search;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

#[derive(clap::Args)]
#[command(after_help = "Example:
  cargo run --release -p xtask -- search-order keccak --seed 1 --minutes 10

Exit status 0: the best order found is as fast as the committed one: the lower end of the interval
of its speed is at least 0.99. 1: it is slower, or could not be measured.")]
pub(crate) struct Args {
    /// The round to search
    algorithm: Algorithm,
    /// Seed of the random numbers: another seed tries other orders
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Minutes to search, at most 10080
    #[arg(long, default_value = "10", value_parser = minutes)]
    minutes: Duration,
    /// The order to begin with
    #[arg(long, value_enum, default_value = "naive")]
    from: Start,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    /// The repository
    #[arg(long, default_value = ".")]
    root: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Start {
    /// A random order that computes the same
    Naive,
    /// The order of the source
    Committed,
}

fn minutes(text: &str) -> Result<Duration, String> {
    let minutes: f64 = text.parse().map_err(|_| "not a number")?;
    // The longest is a week.
    if (0.0..=10_080.0).contains(&minutes) {
        Ok(Duration::from_secs_f64(60.0 * minutes))
    } else {
        Err("not between 0 and 10080".into())
    }
}

/// The least speed, at the lower end of its interval, of an order that is as good as the committed one.
const AS_GOOD: f64 = 0.99;

/// The part of the time, one in ten up to ten seconds, that is kept for measuring what was found.
const KEPT: (u32, Duration) = (10, Duration::from_secs(10));

/// How thoroughly a search measures what it found.
#[derive(Clone, Copy)]
struct Care {
    /// Number of pairs in the finalists' race, as a multiple of those in others.
    race: usize,
    /// Number of pairs of slices in the last measurement.
    pairs: usize,
}

/// Takes some seconds.
const CARE: Care = Care { race: 8, pairs: 20_000 };

/// What a search found.
struct Found {
    best: Order,
    tried: usize,
    generations: usize,
    took: Duration,
    /// Speed of the order that it began with, of the best, and of the committed order itself, which shows how precise
    /// the measurement is.
    start: Summary,
    speed: Summary,
    same: Summary,
}

/// Searches and prints what was found. Returns whether the best order is as good as the committed one.
pub(crate) fn run(args: &Args) -> Result<bool, String> {
    let wide = native::has_avx512vl();
    let kernel = Kernel::read(&args.root, args.algorithm, wide)?;
    if let Some(why) = native::lacks(args.algorithm, wide) {
        return Err(format!("cannot measure: {why}"));
    }
    let found = search(args, &kernel, CARE)?;
    if args.json {
        println!("{}", json(args, &kernel, &found, wide));
    } else {
        print!("{}", text(args, &kernel, &found, wide));
    }
    let good = found.speed.interval.0 >= AS_GOOD;
    if !good {
        eprintln!("xtask: the best order found is slower than the committed one, or not surely as fast");
    }
    Ok(good)
}

fn search(args: &Args, kernel: &Kernel, care: Care) -> Result<Found, String> {
    let begin = Instant::now();
    let until = args.minutes - (args.minutes / KEPT.0).min(KEPT.1);
    let mut random = Random(args.seed);
    let start = match args.from {
        Start::Naive => kernel.graph.any(&mut random),
        Start::Committed => kernel.graph.committed(),
    };
    let mut bench = Bench::new(kernel)?;
    let mut search = Search::new(&kernel.graph, start.clone(), random);
    let mut progress = Progress::new(args.minutes);
    loop {
        let speed = search.step(&mut bench)?;
        progress.show(begin.elapsed(), search.tried(), speed);
        if begin.elapsed() >= until {
            break;
        }
    }
    progress.clear();
    let finalists = search.finalists();
    let ranked = bench.long_race(&finalists, care.race)?;
    let best = finalists[ranked.first().ok_or("no order was measured")?.0].clone();
    // Measure again, since the winner of a race is also the luckiest.
    let speeds = bench.compare(&[start, best.clone(), kernel.graph.committed()], care.pairs)?;
    let (tried, generations) = (search.tried(), search.generations);
    Ok(Found { best, tried, generations, took: begin.elapsed(), start: speeds[0], speed: speeds[1], same: speeds[2] })
}

/// Shows progress on a terminal.
struct Progress {
    whole: Duration,
    /// When it was last written; `None` if standard error is not a terminal.
    last: Option<Duration>,
}

impl Progress {
    fn new(whole: Duration) -> Progress {
        Progress { whole, last: std::io::stderr().is_terminal().then_some(Duration::ZERO) }
    }

    fn show(&mut self, now: Duration, tried: usize, speed: f64) {
        if self.last.is_some_and(|last| now >= last + Duration::from_secs(1)) {
            let minutes = |d: Duration| d.as_secs_f64() / 60.0;
            let line = format!("{:.1} of {:.1} minutes", minutes(now), minutes(self.whole));
            let _ = write!(std::io::stderr(), "\r{line}, {tried} orders, the last winner's speed {speed:.4} \x1b[K");
            self.last = Some(now);
        }
    }

    fn clear(&self) {
        if self.last.is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

/// Returns the lines of an order as they stand in the macro.
fn lines(kernel: &Kernel, order: &[usize]) -> Vec<String> {
    kernel.graph.lines(order).iter().map(source::Line::source).collect()
}

fn text(args: &Args, kernel: &Kernel, found: &Found, wide: bool) -> String {
    let speed = |s: &Summary| format!("{:.4} [{:.4}, {:.4}]", s.median, s.interval.0, s.interval.1);
    let (file, name) = (args.algorithm.file(), args.algorithm.macro_name());
    let minutes = found.took.as_secs_f64() / 60.0;
    let mut text = vec![
        format!("source:     {file}, macro {name}: {}", kernel::contents(&kernel.graph)),
        format!("CPU:        {}", cpu()),
        format!("measured:   {}", args.algorithm.cost(wide)),
        format!("search:     seed {}, from the {} order", args.seed, start(args.from)),
        format!("tried:      {} orders in {} races, {minutes:.1} minutes", found.tried, found.generations),
        format!("speed:      committed order = 1; medians of {} pairs [95 % interval]", found.speed.n),
        format!("  start:    {}", speed(&found.start)),
        format!("  best:     {}", speed(&found.speed)),
        format!("  itself:   {} (the committed order, twice)", speed(&found.same)),
        "best order:".to_string(),
    ];
    text.extend(lines(kernel, &found.best).iter().map(|line| format!("            {line}")));
    text.join("\n") + "\n"
}

fn start(from: Start) -> &'static str {
    match from {
        Start::Naive => "naive",
        Start::Committed => "committed",
    }
}

fn json(args: &Args, kernel: &Kernel, found: &Found, wide: bool) -> serde_json::Value {
    let speed =
        |s: &Summary| serde_json::json!({"median": s.median, "low": s.interval.0, "high": s.interval.1, "pairs": s.n});
    serde_json::json!({
        "file": args.algorithm.file(),
        "macro": args.algorithm.macro_name(),
        "cpu": cpu(),
        "measured": args.algorithm.cost(wide),
        "seed": args.seed,
        "from": start(args.from),
        "orders": found.tried,
        "races": found.generations,
        "seconds": found.took.as_secs_f64(),
        "start": speed(&found.start),
        "best": speed(&found.speed),
        "itself": speed(&found.same),
        "as_good": found.speed.interval.0 >= AS_GOOD,
        "lines": lines(kernel, &found.best),
    })
}

/// Returns the CPU's name, with its family and model, since hypervisors often shorten the name.
fn cpu() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let value = info.lines().find_map(|l| l.strip_prefix(name)?.trim_start().strip_prefix(": "));
        value.unwrap_or("unknown").trim().to_string()
    };
    format!("{} (family {}, model {})", field("model name"), field("cpu family"), field("model"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_within_a_week() {
        assert_eq!(minutes("0.5"), Ok(Duration::from_secs(30)));
        for wrong in ["-1", "NaN", "inf", "x", "10081"] {
            assert!(minutes(wrong).is_err(), "{wrong}");
        }
    }

    /// A search of zero minutes is one race.
    #[test]
    fn a_short_search() {
        let wide = native::has_avx512vl();
        for algorithm in [Algorithm::Sha512, Algorithm::Sha512Woven, Algorithm::Keccak] {
            if let Some(why) = native::lacks(algorithm, wide) {
                println!("skipped: {algorithm:?}: {why}");
                continue;
            }
            let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
            let args = Args { algorithm, seed: 1, minutes: Duration::ZERO, from: Start::Naive, json: true, root };
            let kernel = Kernel::read(&args.root, algorithm, wide).unwrap();
            let found = search(&args, &kernel, Care { race: 1, pairs: 40 }).unwrap();
            assert!(kernel.graph.allows(&found.best));
            assert_eq!((found.generations, found.tried), (1, 32));
            let json = json(&args, &kernel, &found, wide);
            assert_eq!(json["lines"].as_array().unwrap().len(), kernel.graph.len());
            assert!(json["itself"]["median"].as_f64().unwrap() > 0.0);
            let text = text(&args, &kernel, &found, wide);
            assert!(text.contains("\ntried:      32 orders in 1 races"), "{text}");
            assert!(text.ends_with(&format!("{}\n", lines(&kernel, &found.best).pop().unwrap())), "{text}");
        }
    }
}
