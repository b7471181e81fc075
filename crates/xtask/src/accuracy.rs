//! How far the figures of suites can be trusted: two runs of the same program must agree, and a slowdown must be found.
//!
//! Every suite is run twice as it is, and once with hashmill slowed down. A row agrees if the intervals of its two
//! ratios overlap. What a comparison of two runs concludes from their pairs, as `hashmill results compare` does, is an
//! alarm: a false one between runs as they are, a right one if the slowdown is found. The same is asked of a simulated
//! machine, whose true ratios are known.

use crate::runs::{RUNS, SUITES, names, slug};
use hashmill_measure::random::Random;
use hashmill_measure::run::Run;
use hashmill_measure::stats::{Blocks, Summary, Unpaired, Verdict};
use hashmill_measure::suite::{Details, WIDE};
use hashmill_measure::table::Table;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The slowdown, in percent.
const PLANTED: u32 = 5;

/// The share by which two runs of one program may differ, as in `hashmill results compare`.
const THRESHOLD: f64 = 0.03;

/// Number of simulated measurements, of starts in each (and if they differ), and of pairs in each start.
const SIMULATED: usize = 1000;
const STARTS: [usize; 2] = [6, 18];
const PAIRS: usize = 20;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The suites, or SUITE/TABLE
    #[arg(required = true)]
    suites: Vec<String>,

    /// The program to measure
    #[arg(long, default_value = "target/release/hashmill")]
    hashmill: PathBuf,

    /// Where files are made and kept
    #[arg(long, default_value = "target/bench/suites")]
    to: PathBuf,
}

/// What was found for a suite, or the simulation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Found {
    name: String,
    rows: usize,
    agree: usize,
    /// Of how many a comparison says that they changed between two runs as they are.
    alarms: usize,
    found: usize,
    /// For the simulation: of how many the interval has the true ratio.
    holds: Option<usize>,
    /// Half of the median interval's width, relative to the ratio.
    width: f64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Record {
    started: String,
    machine: String,
    found: Vec<Found>,
}

/// Measures, and writes what was found for each suite to `bench/runs/MACHINE/accuracy.record`, where that of others
/// stays.
pub(crate) fn run(args: &Args) -> Result<bool, String> {
    let simulated = simulated();
    let mut all = true;
    for name in &args.suites {
        let measured = |planted: bool| measure(args, name, planted);
        let runs = measured(false).and_then(|first| Ok((first, measured(false)?, measured(true)?)));
        match runs {
            Ok((first, second, slowed)) => {
                let found = compared(name, &first, &second, &slowed);
                println!("accuracy: {found:?}");
                keep(&first, &simulated, found)?;
            }
            Err(e) => {
                println!("accuracy: {e}");
                all = false;
            }
        }
    }
    Ok(all)
}

/// Adds what was found to the machine's record.
fn keep(run: &Run, simulated: &Found, found: Found) -> Result<(), String> {
    let path = Path::new(RUNS).join(slug(run)).join("accuracy.record");
    let error = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
    let old = fs::read_to_string(&path).ok().map(|json| serde_json::from_str::<Record>(&json));
    let old = old.transpose().map_err(|e| error(&e))?.map_or_else(Vec::new, |r| r.found);
    let others = old.into_iter().filter(|f| f.name != simulated.name && f.name != found.name);
    let mut all: Vec<Found> = others.chain([found.clone()]).collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all.insert(0, simulated.clone());
    let record = Record { started: run.started.clone(), machine: run.machine.line(), found: all };
    let text = serde_json::to_string_pretty(&record).map_err(|e| error(&e))? + "\n";
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).and_then(|()| fs::write(&path, text)).map_err(|e| error(&e))
}

fn measure(args: &Args, name: &str, planted: bool) -> Result<Run, String> {
    let (suite, table) = name.split_once('/').map_or((name, None), |(suite, table)| (suite, Some(table)));
    let known = names(Path::new(SUITES), "toml")?;
    if !known.iter().any(|k| k == suite) {
        return Err(format!("{suite}: no such suite; there are {}", known.join(", ")));
    }
    let mut command = Command::new(&args.hashmill);
    command.args(["bench", "suite", &format!("{SUITES}/{suite}.toml"), "--json", "--to"]).arg(&args.to);
    command.args(table.map(|t| format!("--only={t}")));
    if planted {
        command.arg(format!("--planted={PLANTED}"));
    }
    let out = command.stderr(Stdio::inherit()).output().map_err(|e| format!("{}: {e}", args.hashmill.display()))?;
    serde_json::from_slice(&out.stdout).map_err(|e| format!("{name}: {e}"))
}

/// The ratios of all pairs of a row.
type Pairs = (Summary, Option<Blocks>);

fn pairs(ratios: &[f64]) -> Option<Pairs> {
    Some((Summary::of(ratios)?, Blocks::of(ratios)))
}

/// Returns the ratios of every row of a run, by table and row. In the table of kernels, rows of `portable` are left
/// out: the other kernels are compared with it, so it is not slowed down.
fn ratios(run: &Run) -> Vec<(String, Pairs)> {
    let details = Details::of(run).unwrap_or_default();
    let rows = details.tables.iter().flat_map(|t| t.rows.iter().map(move |row| (t, row)));
    let ratio = |(t, row): (&_, &hashmill_measure::suite::Row)| {
        let t: &hashmill_measure::suite::Rows = t;
        let pairing = run.pairings.get(row.pairings.iter().find_map(|p| *p)?)?;
        let is_portable = run.series.get(pairing.a).is_some_and(|s| s.kernel == "portable");
        let what = (t.name != "kernels" || !is_portable).then(|| format!("{}/{}", t.name, row.what))?;
        Some((what, pairs(&pairing.ratios)?))
    };
    rows.filter_map(ratio).collect()
}

/// Returns what a comparison says of a row's second run over its first.
fn verdict(second: &Pairs, first: &Pairs) -> Verdict {
    match second.1.as_ref().zip(first.1.as_ref()).map(|(second, first)| Unpaired::of(second, first)) {
        Some(change) => Verdict::of(change.ratio, change.interval, THRESHOLD),
        None => Verdict::TooFew,
    }
}

impl Found {
    fn new(name: &str) -> Found {
        Found { name: name.into(), rows: 0, agree: 0, alarms: 0, found: 0, holds: None, width: 0.0 }
    }

    /// Counts a row: two measurements, and one with the slowdown.
    fn count(&mut self, first: &Pairs, again: &Pairs, slow: &Pairs) {
        self.rows += 1;
        self.agree += usize::from(overlap(first.0, again.0));
        self.alarms += usize::from(matches!(verdict(again, first), Verdict::Faster | Verdict::Slower));
        self.found += usize::from(verdict(slow, first) == Verdict::Slower);
    }
}

fn compared(name: &str, first: &Run, second: &Run, slowed: &Run) -> Found {
    let (second, slowed) = (ratios(second), ratios(slowed));
    let mut found = Found::new(name);
    let mut widths = Vec::new();
    for (row, first) in ratios(first) {
        let of = |all: &[(String, Pairs)]| all.iter().find(|(name, _)| *name == row).map(|(_, r)| r.clone());
        let (Some(again), Some(slow)) = (of(&second), of(&slowed)) else { continue };
        found.count(&first, &again, &slow);
        widths.push(first.0.relative_width() / 2.0);
    }
    found.width = middle(widths);
    found
}

fn overlap(a: Summary, b: Summary) -> bool {
    a.interval.0 <= b.interval.1 && b.interval.0 <= a.interval.1
}

fn middle(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// Asks the same of a machine whose speed is known: its noise is correlated, it is disturbed now and then, and each
/// start of a program has a speed of its own.
fn simulated() -> Found {
    let mut random = Random(1);
    let mut uniform = move || random.unit();
    let mut measured = |slowdown: f64| {
        let mut start = || {
            let own = 0.03 * (uniform() - 0.5);
            let (mut drift, mut disturbed) = (0.0, false);
            let pair = |_| {
                drift = 0.9 * drift + 0.01 * (uniform() - 0.5);
                disturbed = uniform() < if disturbed { 0.8 } else { 0.02 };
                let noise = 0.02 * (uniform() - 0.5) + if disturbed { 0.1 * (uniform() - 0.5) } else { 0.0 };
                (1.0 + own + drift + noise) / (1.0 + slowdown)
            };
            middle((0..PAIRS).map(pair).collect())
        };
        let mut values: Vec<f64> = (0..STARTS[0]).map(|_| start()).collect();
        while values.len() < STARTS[1] && Summary::of(&values).is_some_and(|s| s.relative_width() > WIDE) {
            values.push(start());
        }
        pairs(&values)
    };
    let mut found = Found { holds: Some(0), ..Found::new("simulated") };
    let mut widths = Vec::new();
    for _ in 0..SIMULATED {
        let (Some(a), Some(b), Some(slow)) = (measured(0.0), measured(0.0), measured(f64::from(PLANTED) / 100.0))
        else {
            continue;
        };
        found.count(&a, &b, &slow);
        let (low, high) = a.0.interval;
        found.holds = found.holds.map(|n| n + usize::from(low <= 1.0 && 1.0 <= high));
        widths.push(a.0.relative_width() / 2.0);
    }
    found.width = middle(widths);
    found
}

/// Returns what belongs in a place `accuracy/WHAT` of a page.
pub(crate) fn place(root: &Path, what: &str) -> Result<String, String> {
    if what != "table" {
        return Err(format!("accuracy/{what}: there is only accuracy/table"));
    }
    let mut text = String::new();
    let folder = root.join(RUNS);
    let machines = fs::read_dir(&folder).map(|all| all.filter_map(|e| Some(e.ok()?.path())).collect::<Vec<_>>());
    let mut machines = machines.unwrap_or_default();
    machines.sort();
    for machine in machines {
        let path = machine.join("accuracy.record");
        let Ok(json) = fs::read_to_string(&path) else { continue };
        let record: Record = serde_json::from_str(&json).map_err(|e| format!("{}: {e}", path.display()))?;
        let day = record.started.split('T').next().unwrap_or_default();
        text += &format!("{day}, {}:\n\n", record.machine);
        let planted = format!("{PLANTED} % slower: found");
        let columns = [
            "suite",
            "rows",
            "two runs agree",
            "false alarms",
            &*planted,
            "interval, ±",
            "interval has the true ratio",
        ];
        let mut table = Table::new("", columns);
        let measured = record.found.iter().filter(|f| f.holds.is_none());
        let all = measured.fold(Found::new("all that was measured"), |all, f| Found {
            rows: all.rows + f.rows,
            agree: all.agree + f.agree,
            alarms: all.alarms + f.alarms,
            found: all.found + f.found,
            ..all
        });
        for f in record.found.iter().chain([&all]) {
            let share = |n: usize| format!("{n} ({:.1} %)", 100.0 * n as f64 / f.rows.max(1) as f64);
            table.row([
                f.name.clone(),
                f.rows.to_string(),
                share(f.agree),
                share(f.alarms),
                share(f.found),
                if f.width > 0.0 { format!("{:.2} %", 100.0 * f.width) } else { "–".into() },
                f.holds.map_or_else(|| "–".into(), share),
            ]);
        }
        text += &table.markdown();
    }
    Ok(if text.is_empty() { "Not measured yet.\n".into() } else { text })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At least 19 of 20 agree, a slowdown of 5 % is found in at least 19 of 20, and intervals hold what they say.
    #[test]
    fn a_simulated_machine_is_measured_right() {
        let found = simulated();
        let share = |n: usize| n as f64 / found.rows as f64;
        assert_eq!(found.rows, SIMULATED);
        assert!(share(found.agree) >= 0.95 && share(found.found) >= 0.95, "{found:?}");
        assert!(share(found.alarms) <= 0.05, "{found:?}");
        assert!(share(found.holds.unwrap_or(0)) >= 0.9, "{found:?}");
    }
}
