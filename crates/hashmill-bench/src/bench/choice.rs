//! `hashmill bench choice`: is the kernel that the library chooses the fastest one here?

use super::lanes::kernel;
use clap::Args;
use hashmill::{Algorithm, Engine};
use hashmill_measure::arguments::whole;
use hashmill_measure::chart::{Bar, Chart};
use hashmill_measure::clock::hide;
use hashmill_measure::paired::{self, Comparison, Plan, Rotation, Side};
use hashmill_measure::progress::Progress;
use hashmill_measure::random::noise;
use hashmill_measure::run::{Findings, Pairing, Series, Session, Unit};
use hashmill_measure::sys;
use hashmill_measure::table::Table;
use hashmill_peers::arguments::{AlgorithmList, algorithms, flatten, message_size};
use hashmill_results::output::OutputArgs;
use serde::Serialize;
use serde_json::json;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Duration;

const SIZES: [usize; 5] = [5, 64, 300, 1 << 10, 16 << 10];
const MESSAGES: [u64; 6] = [1, 2, 4, 16, 64, 256];

/// The choice is wrong if it is slower than another kernel by more than this share.
const SLOWER: f64 = 0.03;

/// Compare the kernel that is chosen with all others
///
/// For every length and number of messages, the algorithm as the library runs it takes turns with each of its kernels
/// that this CPU can run. One message goes through the kernels for one, several through `digest_many`. A choice that is
/// surely more than 3 % slower than another kernel is a line on stderr, and the exit status is 1.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill bench choice                        all common algorithms, in some minutes
  hashmill bench choice blake3 --size 64,1k --messages 1
  hashmill bench choice sha256 md5 --all       also where the choice is right

Environment:
  HASHMILL_KERNEL=NAME       the choice, for all algorithms that have it
")]
pub struct ChoiceArgs {
    /// Algorithms; all common ones by default
    #[arg(value_name = "ALG", value_parser = algorithms)]
    algorithms: Vec<AlgorithmList>,

    /// More algorithms, as an option
    #[arg(short = 'a', long = "algorithm", value_name = "ALG[,ALG…]", value_parser = algorithms)]
    more: Vec<AlgorithmList>,

    /// Lengths of the messages; 5,64,300,1k,16k by default
    #[arg(long = "size", value_name = "BYTES,…", value_delimiter = ',', value_parser = message_size)]
    sizes: Vec<usize>,

    /// Numbers of messages hashed at once; 1,2,4,16,64,256 by default
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = whole(1..=65_536))]
    messages: Vec<u64>,

    /// Number of repetitions: turns of each kernel
    #[arg(long = "reps", value_name = "N", default_value_t = 11, value_parser = whole(1..=1_000_000))]
    pairs: u64,

    /// Show also where no kernel is faster than the choice
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// The choice for some messages, and the fastest of the other kernels.
#[derive(Debug, Serialize)]
struct Line {
    algorithm: String,
    messages: u64,
    bytes: usize,
    chosen: String,
    other: String,
    #[serde(flatten)]
    result: Comparison,
    /// Whether the other kernel is surely faster.
    wrong: bool,
}

impl Line {
    fn what(&self) -> String {
        let plural = if self.messages == 1 { "message" } else { "messages" };
        format!("{}, {} {plural} of {} B", self.algorithm, self.messages, self.bytes)
    }
}

/// Runs the measurement.
pub fn run(args: &ChoiceArgs) -> ExitCode {
    if let Err(e) = hashmill::check_kernel_preference() {
        hashmill_measure::run::say("bench choice", e);
        return ExitCode::from(2);
    }
    let mut chosen = flatten(args.algorithms.iter().chain(&args.more));
    if chosen.is_empty() {
        chosen = Algorithm::all().filter(Algorithm::is_common).collect();
    }
    let sizes = if args.sizes.is_empty() { SIZES.to_vec() } else { args.sizes.clone() };
    let counts = if args.messages.is_empty() { MESSAGES.to_vec() } else { args.messages.clone() };
    let most = |of: Option<u64>| of.unwrap_or(1);
    let needed = most(sizes.iter().max().map(|n| *n as u64)).saturating_mul(most(counts.iter().max().copied()));
    if let Some(available) = sys::memory_available()
        && needed > available
    {
        let text = format!(
            "{needed} bytes of messages do not fit into the {available} bytes of memory available: lower --messages or \
             --size"
        );
        hashmill_measure::run::say("bench choice", text);
        return ExitCode::from(2);
    }
    let mut session = Session::begin("bench choice");
    let data = noise(usize::try_from(needed).unwrap_or(usize::MAX));
    let mut findings = Findings::default();
    let mut lines = Vec::new();
    let mut progress = Progress::new("bench choice", chosen.len() * sizes.len() * counts.len());
    'all: for a in chosen {
        for &bytes in &sizes {
            for &messages in &counts {
                if sys::interrupted() {
                    break 'all;
                }
                progress.step(&format!("{a} {messages} × {bytes} B"));
                let all: Vec<&[u8]> = data.chunks_exact(bytes).take(messages as usize).collect();
                match measure(a, &all, args, &mut findings) {
                    Ok(Some(line)) => lines.push(line),
                    Ok(None) => {}
                    Err(e) => {
                        progress.clear();
                        session.error(e);
                    }
                }
            }
        }
    }
    progress.clear();
    for line in lines.iter().filter(|l| l.wrong) {
        let (r, (low, high)) = (line.result.ratio.median, line.result.ratio.interval);
        session.error(format!(
            "{}: {} was chosen and has {r:.2} [{low:.2}, {high:.2}] of the speed of {}",
            line.what(),
            line.chosen,
            line.other
        ));
    }
    findings.details = json!({ "results": lines });
    let text = table(&lines, args, &session.machine().line());
    let chart = chart(&lines, args, &session.machine().line());
    args.output.show(session.end(findings), &text, Some(&chart))
}

/// The kernels for this many messages that this CPU can run, but for the chosen one.
fn others(a: Algorithm, messages: usize, chosen: &str) -> Vec<Engine> {
    let usable = a.kernels().into_iter().filter(|k| k.available && k.name != chosen && (messages > 1 || k.lanes == 1));
    usable.filter_map(|k| a.with_kernel(k.name).ok()).collect()
}

/// Lets the choice and all other kernels take turns; nothing if there is no other.
fn measure(
    a: Algorithm,
    messages: &[&[u8]],
    args: &ChoiceArgs,
    findings: &mut Findings,
) -> Result<Option<Line>, String> {
    let bytes = messages.first().map_or(0, |m| m.len());
    let chosen = kernel(a, messages.len(), messages.len() == 1);
    let others = others(a, messages.len(), &chosen);
    if others.is_empty() {
        return Ok(None);
    }
    let engines: Vec<Engine> = [Engine::from(a)].into_iter().chain(others).collect();
    let want = engines[0].digest_many(messages);
    for engine in &engines {
        if engine.digest_many(messages).as_bytes() != want.as_bytes() {
            return Err(format!("{a}: {engine:?} gives other digests of {} messages of {bytes} B", messages.len()));
        }
    }
    let all = (bytes * messages.len()) as f64;
    let side = |engine: &Engine| {
        let engine = *engine;
        match messages {
            [one] => {
                let mut digest = vec![0; a.digest_len()];
                Side::new(all, move |times| {
                    for _ in 0..times {
                        // This cannot fail, because `digest` has the right length.
                        let _ = engine.digest_into(hide(one), &mut digest);
                        black_box(&mut digest);
                    }
                })
            }
            _ => Side::new(all, move |times| {
                (0..times).for_each(|_| drop(black_box(engine.digest_many(black_box(messages)))));
            }),
        }
    };
    let mut sides: Vec<Side<'_>> = engines.iter().map(side).collect();
    let plan = Plan { pairs: args.pairs as usize, slice: Duration::from_millis(1), ..Plan::default() };
    let Some(rotation) = paired::rotate(&mut sides, &plan) else { return Ok(None) };
    let rate = |side: &usize| rotation.summary(*side).map_or(0.0, |s| s.median);
    let Some(best) = (1..engines.len()).max_by(|x, y| rate(x).total_cmp(&rate(y))) else { return Ok(None) };
    let pair = Rotation {
        rates: vec![rotation.rates[0].clone(), rotation.rates[best].clone()],
        times: vec![rotation.times[0], rotation.times[best]],
        subtracted_ns: vec![rotation.subtracted_ns[0], rotation.subtracted_ns[best]],
        ..rotation
    };
    let Some(result) = Comparison::of(&pair) else { return Ok(None) };
    let other = engines[best].forced_kernel().unwrap_or_default().to_string();
    let wrong = result.ratio.interval.1 < 1.0 - SLOWER;
    let line =
        Line { algorithm: a.name().into_owned(), messages: messages.len() as u64, bytes, chosen, other, result, wrong };
    let first = findings.series.len();
    for (kernel, mode, rates) in
        [(&line.chosen, "chosen", &pair.rates[0]), (&line.other, "the best other", &pair.rates[1])]
    {
        findings.series.push(Series::ours(line.what(), kernel, Unit::BytesPerSecond, rates.clone()).mode(mode));
    }
    findings.pairings.push(Pairing::new(first, first + 1, pair.ratios(0, 1)));
    Ok(Some(line))
}

/// The rows that are shown.
fn shown<'a>(lines: &'a [Line], args: &ChoiceArgs) -> impl Iterator<Item = &'a Line> {
    let all = args.all;
    lines.iter().filter(move |l| all || l.result.ratio.median < 1.0 - SLOWER)
}

/// Returns the results as lines of text.
fn table(lines: &[Line], args: &ChoiceArgs, machine: &str) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let wrong = lines.iter().filter(|l| l.wrong).count();
    let mut text = format!(
        "{} choices on {machine}: {wrong} surely more than {:.0} % slower than another kernel; medians of {} turns\n",
        lines.len(),
        100.0 * SLOWER,
        args.pairs
    );
    let columns = ["<algorithm", "messages", "bytes", "<chosen", "<best other", "ratio", "<95 % interval"];
    let mut table = Table::new("", columns);
    for l in shown(lines, args) {
        table.row([
            l.algorithm.clone(),
            l.messages.to_string(),
            l.bytes.to_string(),
            l.chosen.clone(),
            l.other.clone(),
            format!("{:.3}", l.result.ratio.median),
            format!("[{:.3}, {:.3}]", l.result.ratio.interval.0, l.result.ratio.interval.1),
        ]);
    }
    if !table.is_empty() {
        text += &table.show();
    }
    text
}

/// Draws the choice over the best other kernel.
fn chart(lines: &[Line], args: &ChoiceArgs, machine: &str) -> Chart {
    let mut chart = Chart::new("The chosen kernel and the best other one", machine);
    for l in shown(lines, args) {
        for (bar, s) in [
            (Bar::ours(format!("chosen: {}", l.chosen), 0.0), &l.result.a),
            (Bar::ours(format!("best other: {}", l.other), 0.0), &l.result.b),
        ] {
            chart.bar("GB/s", &l.what(), Bar { value: s.median / 1e9, ..bar }.within(s.interval, 1e9));
        }
    }
    chart
}
