//! `hashmill bench loops`: the loop survey. For many algorithms, it times a loop of many calls on one short message as
//! a whole. The digests are printed next to the times, so that runs of different programs can be checked against each
//! other.

mod report;

use crate::bench::lanes::kernel;
use clap::{Args, ValueEnum};
use hashmill::{Algorithm, Digest, Hasher};
use hashmill_measure::arguments::whole;
use hashmill_measure::clock::hide;
use hashmill_measure::paired::{self, Plan, Side};
use hashmill_measure::progress::Progress;
use hashmill_measure::random::Random;
use hashmill_measure::run::{Findings, Pairing, Series, Session, Unit};
use hashmill_measure::stats::Summary;
use hashmill_measure::sys;
use hashmill_peers::arguments::message_size;
use hashmill_peers::peer::{self, Peer, PeerError, PeerKind, Turn};
use hashmill_results::output::OutputArgs;
use serde_json::json;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

/// Time a loop over short messages, the way the hash surveys do
///
/// Every algorithm hashes the same random message of each size, many times in one loop that is timed as a whole.
/// Small messages show what it costs to begin and to finish, long ones the throughput; the data stay in the CPU's cache
/// on purpose. The loops run in random order, each --reps times; the median counts.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill bench loops
  hashmill bench loops md5 sha1 crc32 --size 5,5000 --format table --sort speed
  hashmill bench loops --peer php           the same messages in PHP's hash()
  hashmill bench loops --peer openssl,openssl2,rustcrypto,crates sha256 xxh3
  hashmill bench loops --seed 1 --format csv > here.csv
  hashmill bench loops --names php --seed 1 a survey in PHP, under its names

Environment:
  HASHMILL_KERNEL=NAME       our implementation, for all algorithms that have it
  HASHMILL_LIBCRYPTO=PATH    the libcrypto to compare with
  HASHMILL_LIBCRYPTO2=PATH   another, the peer openssl2
")]
pub struct LoopsArgs {
    /// Algorithms; all but most of the CRC catalogue if none are given
    #[arg(value_name = "ALG", value_parser = known_names)]
    algorithms: Vec<Names>,

    /// More algorithms, as an option
    #[arg(short = 'a', long = "algorithm", value_name = "ALG[,ALG…]", value_parser = known_names)]
    more: Vec<Names>,

    /// Whose names are given, and printed
    #[arg(long, value_enum, value_name = "WHOSE", default_value_t = Whose::Hashmill)]
    names: Whose,

    /// Calls in one loop
    #[arg(long, value_name = "N", default_value_t = 5000, value_parser = whole(1..=1_000_000_000))]
    loops: u64,

    /// Lengths of the messages
    #[arg(long = "size", value_name = "BYTES,…", default_value = "5,30,90,1000,5000",
          value_delimiter = ',', value_parser = message_size)]
    sizes: Vec<usize>,

    /// Number of repetitions of each loop
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = whole(1..=10_000))]
    reps: u64,

    /// Generate the messages from this seed, the same every time, instead of from the system's random bytes
    #[arg(long, value_name = "N", value_parser = whole(0..=u64::MAX))]
    seed: Option<u64>,

    /// How to print the times
    #[arg(long, value_enum, value_name = "FORM", default_value_t = Format::Survey)]
    format: Format,

    /// Order of the rows; by default as given
    #[arg(long, value_enum, value_name = "ORDER")]
    sort: Option<Sort>,

    /// Peers to compare with, on the same messages
    #[arg(long = "peer", value_enum, value_name = "PEER,…", value_delimiter = ',')]
    peers: Vec<PeerKind>,

    /// Number of repetitions of each comparison with a peer: pairs of slices
    #[arg(long = "peer-reps", value_name = "N", default_value_t = 40,
          value_parser = whole(1..=1_000_000))]
    pairs: u64,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Names as the user wrote them, each of an algorithm.
#[derive(Debug, Clone)]
struct Names(Vec<String>);

/// Parses a comma-separated list of names. PHP's names may contain a comma (`haval256,5`).
fn known_names(text: &str) -> Result<Names, hashmill::Error> {
    Algorithm::parse_list(text)?;
    let mut names: Vec<String> = Vec::new();
    for piece in text.split(',') {
        match names.last_mut() {
            Some(last) if format!("{last},{piece}").parse::<Algorithm>().is_ok() => *last += &format!(",{piece}"),
            _ => names.push(piece.into()),
        }
    }
    Ok(Names(names))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Whose {
    /// hashmill's: crc32 is that of ZIP, crc32-php that of PHP
    Hashmill,
    /// PHP's: crc32 is PHP's own, crc32b that of ZIP; all of its hash_algos() if none are given
    Php,
}

impl Whose {
    /// Returns what to measure: the name and the algorithm of each row.
    fn choose<'a>(self, given: impl Iterator<Item = &'a Names>) -> Result<Vec<(String, Algorithm)>, hashmill::Error> {
        let named = |name: &str| match (self, name.eq_ignore_ascii_case("crc32")) {
            (Whose::Php, true) => "crc32-php".parse(),
            _ => name.parse(),
        };
        let mut names: Vec<String> = given.flat_map(|n| n.0.iter().cloned()).collect();
        if names.is_empty() {
            names = match self {
                Whose::Hashmill => {
                    Algorithm::all().filter(Algorithm::is_common).map(|a| a.name().into_owned()).collect()
                }
                Whose::Php => peer::PHP_NAMES.map(String::from).to_vec(),
            };
        }
        let mut chosen: Vec<(String, Algorithm)> = Vec::new();
        for name in names {
            if !chosen.iter().any(|(n, _)| n.eq_ignore_ascii_case(&name)) {
                let algorithm = named(&name)?;
                chosen.push((name, algorithm));
            }
        }
        Ok(chosen)
    }
}

/// Number of bytes after which an interrupt during a long loop is noticed.
const HEARD: usize = 1 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// the survey's lines: name, seconds, digest
    Survey,
    /// one row for each algorithm
    Table,
    /// one row for each algorithm and size, with commas
    Csv,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Sort {
    /// by name
    Name,
    /// fastest on the smallest message first
    Time,
    /// fastest on the largest message first
    Speed,
    /// as `hashmill list` has them
    Registry,
}

/// One algorithm on one message.
struct Row {
    /// Name in everything that is printed.
    name: String,
    algorithm: Algorithm,
    /// Index into the messages.
    message: usize,
    digest: Digest,
    /// Seconds for each whole loop.
    samples: Vec<f64>,
    rivals: Vec<Versus>,
}

impl Row {
    fn seconds(&self) -> f64 {
        Summary::of(&self.samples).map_or(f64::NAN, |s| s.median)
    }
}

/// A row's comparison with one peer.
struct Versus {
    by: &'static str,
    version: String,
    /// Seconds that a loop takes, ours and theirs, derived from the slices.
    ours: f64,
    theirs: f64,
    /// How many times as fast ours is as theirs.
    ratio: Summary,
}

/// A peer that could be opened.
struct Rival {
    by: &'static str,
    version: String,
    peer: Box<dyn Peer>,
    /// Algorithms that it does not have.
    lacks: Vec<String>,
    /// Whether it has failed and is no longer asked.
    down: bool,
}

/// Results of the survey, for the tables.
struct Survey<'a> {
    args: &'a LoopsArgs,
    messages: Vec<Vec<u8>>,
    source: String,
    rows: Vec<Row>,
    /// Name and version of each peer.
    peers: Vec<(&'static str, String)>,
    machine: String,
    core_hertz: f64,
}

/// Runs the measurement.
pub fn run(args: &LoopsArgs) -> ExitCode {
    let Start { chosen, messages, mut random } = match prepare(args) {
        Ok(p) => p,
        Err(e) => {
            hashmill_measure::run::say("bench loops", e);
            return ExitCode::from(2);
        }
    };
    let mut session = Session::begin("bench loops");
    let mut rivals: Vec<Rival> = Vec::new();
    for kind in &args.peers {
        let by = kind.word();
        if rivals.iter().any(|r| r.by == by) {
            continue;
        }
        match peer::open(*kind) {
            Ok(peer) => {
                if let Some(notes) = peer.notes() {
                    session.note(format!("{by}: {notes}"));
                }
                rivals.push(Rival { by, version: peer.version(), peer, lacks: Vec::new(), down: false });
            }
            Err(e) => session.error(format!("no {by} to compare with: {e}")),
        }
    }
    let mut survey = Survey {
        args,
        source: args.seed.map_or("getrandom".into(), |seed| format!("SplitMix64 with seed {seed}")),
        rows: Vec::with_capacity(chosen.len() * messages.len()),
        peers: rivals.iter().map(|r| (r.by, r.version.clone())).collect(),
        machine: session.machine().line(),
        core_hertz: session.machine().clocks.core_hertz,
        messages,
    };
    expect(&mut survey, &chosen);
    let mut findings = Findings::default();
    time_all(&mut survey, &mut random, &mut session);
    survey.rows.retain(|r| !r.samples.is_empty());
    for row in &survey.rows {
        let bytes = survey.messages[row.message].len() as u64;
        let series =
            Series::ours(row.algorithm.name(), kernel(row.algorithm, 1, true), Unit::Seconds, row.samples.clone());
        findings.series.push(series.bytes(bytes).mode("loop").parameter("loops", args.loops));
    }
    if !rivals.is_empty() {
        compare_all(&mut survey, &mut rivals, &mut findings, &mut session);
    }
    findings.details = survey.details();
    let text = match args.format {
        Format::Survey => survey.lines() + &survey.comparisons(),
        Format::Table => survey.table() + &survey.comparisons(),
        Format::Csv => survey.csv(),
    };
    let chart = survey.chart();
    args.output.show(session.end(findings), &text, Some(&chart))
}

struct Start {
    chosen: Vec<(String, Algorithm)>,
    /// One message per size.
    messages: Vec<Vec<u8>>,
    random: Random,
}

/// Prepares what is needed before anything is measured.
fn prepare(args: &LoopsArgs) -> Result<Start, String> {
    hashmill::check_kernel_preference().map_err(|e| e.to_string())?;
    let chosen = args.names.choose(args.algorithms.iter().chain(&args.more)).map_err(|e| e.to_string())?;
    let mut sizes: Vec<usize> = Vec::new();
    for size in &args.sizes {
        if !sizes.contains(size) {
            sizes.push(*size);
        }
    }
    let needed: u64 = sizes.iter().map(|s| *s as u64).sum();
    if let Some(available) = sys::memory_available()
        && needed > available
    {
        return Err(format!("{needed} bytes of messages do not fit into the {available} bytes of memory available"));
    }
    let no_random = |e: getrandom::Error| format!("the system gives no random bytes ({e}): use --seed");
    let mut messages = Vec::new();
    for size in sizes {
        let mut message = vec![0; size];
        match args.seed {
            // The message depends only on the seed and the size, not on the other sizes.
            Some(seed) => Random(seed ^ (size as u64).rotate_left(32)).fill(&mut message),
            None => getrandom::fill(&mut message).map_err(no_random)?,
        }
        messages.push(message);
    }
    let random = match args.seed {
        Some(seed) => Random(seed),
        None => Random(getrandom::u64().map_err(no_random)?),
    };
    Ok(Start { chosen, messages, random })
}

/// Creates the rows, each with the digest of a stream that is fed in pieces; the loop's own calls must agree with it.
fn expect(survey: &mut Survey, chosen: &[(String, Algorithm)]) {
    let mut progress = Progress::new("bench loops, digests", chosen.len() * survey.messages.len());
    for (name, algorithm) in chosen {
        for (message, bytes) in survey.messages.iter().enumerate() {
            progress.step("");
            let mut hasher = Hasher::new(*algorithm);
            for piece in bytes.chunks(HEARD) {
                if sys::interrupted() {
                    return;
                }
                hasher.update(piece);
            }
            let (samples, rivals) = (Vec::new(), Vec::new());
            let (name, digest) = (name.clone(), hasher.finalize());
            survey.rows.push(Row { name, algorithm: *algorithm, message, digest, samples, rivals });
        }
    }
}

/// Times every row `reps` times, each time all of them in random order.
fn time_all(survey: &mut Survey, random: &mut Random, session: &mut Session) {
    let mut order: Vec<usize> = (0..survey.rows.len()).collect();
    let mut progress = Progress::new("bench loops", order.len() * survey.args.reps as usize);
    let mut wrong = vec![false; order.len()];
    for _ in 0..survey.args.reps {
        random.shuffle(&mut order);
        for &i in &order {
            progress.step("");
            let row = &mut survey.rows[i];
            let message = &survey.messages[row.message];
            let mut digest = vec![0; row.algorithm.digest_len()];
            let Some(seconds) = time(row.algorithm, message, survey.args.loops, &mut digest) else { return };
            if digest != row.digest.as_bytes() {
                if !wrong[i] {
                    let (name, got) = (row.algorithm.name(), Digest::from_bytes(&digest));
                    progress.clear();
                    session.error(format!(
                        "{name}, {} bytes: the loop gives {got}, a stream {}",
                        message.len(),
                        row.digest
                    ));
                }
                wrong[i] = true;
                continue;
            }
            row.samples.push(seconds);
        }
    }
}

/// Makes the calls that are measured.
fn calls(a: Algorithm, message: &[u8], times: u64, digest: &mut [u8]) {
    let message = hide(message);
    for _ in 0..times {
        // This cannot fail, because `digest` has the right length.
        let _ = a.digest_into(message, digest);
        black_box(&mut *digest);
    }
}

/// Returns the seconds of one loop, or `None` if a SIGINT from the user ended it.
fn time(a: Algorithm, message: &[u8], loops: u64, digest: &mut [u8]) -> Option<f64> {
    // One call beforehand brings the code and the tables into the caches.
    calls(a, message, 1, digest);
    let unheard = (HEARD / message.len()).clamp(1, 4096) as u64;
    let mut left = loops;
    let start = Instant::now();
    while left > 0 {
        if sys::interrupted() {
            return None;
        }
        let times = left.min(unheard);
        calls(a, message, times, digest);
        left -= times;
    }
    Some(start.elapsed().as_secs_f64())
}

/// Compares every row with every peer that has the algorithm.
fn compare_all(survey: &mut Survey, rivals: &mut [Rival], findings: &mut Findings, session: &mut Session) {
    let mut progress = Progress::new("bench loops, against peers", survey.rows.len());
    let (mut rounds, mut disturbed, mut wide, mut ratios) = (0, 0, 0, 0);
    for i in 0..survey.rows.len() {
        progress.step("");
        if sys::interrupted() {
            break;
        }
        let mut errors = Vec::new();
        let message = &survey.messages[survey.rows[i].message];
        let (compared, taken) = compare(&survey.rows[i], message, survey.args, rivals, findings, &mut errors);
        ratios += compared.len();
        wide += compared.iter().filter(|b| b.ratio.relative_width() > 0.05).count();
        survey.rows[i].rivals = compared;
        rounds += taken.0;
        disturbed += taken.1;
        if !errors.is_empty() {
            progress.clear();
            errors.into_iter().for_each(|e| session.error(e));
        }
    }
    progress.clear();
    for r in rivals.iter().filter(|r| !r.lacks.is_empty()) {
        session.note(format!("{} ({}) does not have: {}", r.by, r.version, r.lacks.join(" ")));
    }
    if disturbed * 10 > rounds {
        session.warn(format!(
            "{disturbed} of {rounds} rounds lost CPU time to others: end other programs, or give this one a CPU of \
             its own (taskset -c N)"
        ));
    }
    if wide > 0 {
        let more = survey.args.pairs * 4;
        session.warn(format!(
            "{wide} of {ratios} ratios have an interval wider than 5 %: measure more of them (--peer-reps {more})"
        ));
    }
}

/// Compares one row with every peer that has the algorithm. Also returns the number of rounds and how many of them were
/// disturbed.
fn compare(
    row: &Row,
    message: &[u8],
    args: &LoopsArgs,
    rivals: &mut [Rival],
    findings: &mut Findings,
    errors: &mut Vec<String>,
) -> (Vec<Versus>, (usize, usize)) {
    struct Rivalling<'a> {
        by: &'static str,
        down: &'a mut bool,
        turn: Turn<'a>,
    }
    let plan = Plan { pairs: args.pairs as usize, ..Plan::default() };
    let name = row.algorithm.name().into_owned();
    let messages = [message];
    let mut turns = Vec::new();
    for Rival { by, peer, lacks, down, .. } in rivals.iter_mut().filter(|r| !r.down) {
        let ready = peer.job(row.algorithm, &messages).and_then(Turn::new);
        let first = ready.and_then(|mut turn| Ok((turn.digests()?, turn)));
        match first {
            Err(PeerError::NoDigest { .. }) => {
                if !lacks.contains(&name) {
                    lacks.push(name.clone());
                }
            }
            Err(e) => {
                errors.push(format!("{by}: {name}: {e}: left out from here on"));
                *down = true;
            }
            // Both must give the same digest; otherwise the comparison would mean nothing.
            Ok((digests, _)) if digests.first().map(Vec::as_slice) != Some(row.digest.as_bytes()) => {
                let theirs = digests.first().map_or_else(|| "none".into(), |d| Digest::from_bytes(d).to_hex());
                errors.push(format!("{name}, {} bytes: ours is {}, that of {by} {theirs}", message.len(), row.digest));
            }
            Ok((_, turn)) => turns.push(Rivalling { by, down, turn }),
        }
    }
    if turns.is_empty() {
        return (Vec::new(), (0, 0));
    }
    let bytes = message.len() as f64;
    let mut digest = vec![0; row.algorithm.digest_len()];
    let mut sides = vec![Side::new(bytes, |times| calls(row.algorithm, message, times, &mut digest)).ours()];
    sides.extend(turns.iter_mut().map(|t| t.turn.side(bytes, plan.slice)));
    let rotation = paired::rotate(&mut sides, &plan);
    drop(sides);
    let Some(rotation) = rotation else { return (Vec::new(), (0, 0)) };
    let seconds = |side: usize| rotation.summary(side).map(|s| args.loops as f64 * bytes / s.median);
    let series = |s: Series, side: usize| {
        let s = s.bytes(message.len() as u64).mode("loop in slices");
        Series { subtracted_ns: rotation.subtracted_ns[side], ..s }
    };
    let first = findings.series.len();
    let rates = rotation.rates[0].clone();
    let ours = Series::ours(&name, kernel(row.algorithm, 1, true), Unit::BytesPerSecond, rates);
    findings.series.push(series(ours, 0));
    let mut compared = Vec::new();
    for (i, Rivalling { by, down, turn }) in turns.into_iter().enumerate() {
        if let Some(e) = turn.failure() {
            errors.push(format!("{by}: {name}: {e}: left out from here on"));
            *down = true;
            continue;
        }
        let ratios = rotation.ratios(0, i + 1);
        let (Some(ratio), Some(ours), Some(theirs)) = (Summary::of(&ratios), seconds(0), seconds(i + 1)) else {
            continue;
        };
        findings.pairings.push(Pairing::new(first, findings.series.len(), ratios));
        let rates = rotation.rates[i + 1].clone();
        let version = turn.version();
        findings.series.push(series(Series::of(&name, by, &version, Unit::BytesPerSecond, rates), i + 1));
        compared.push(Versus { by, version, ours, theirs, ratio });
    }
    (compared, (rotation.rounds, rotation.disturbed))
}

impl Survey<'_> {
    fn details(&self) -> serde_json::Value {
        let row = |r: &Row| {
            let rivals = r.rivals.iter().map(|b| {
                json!({
                    "peer": b.by, "version": b.version, "our_seconds": b.ours,
                    "peer_seconds": b.theirs, "ratio": b.ratio
                })
            });
            json!({
                "name": r.name,
                "algorithm": r.algorithm.name(),
                "php_name": peer::php_name(r.algorithm),
                "kernel": kernel(r.algorithm, 1, true),
                "bytes": self.messages[r.message].len(),
                "seconds": r.seconds(),
                "digest": r.digest.to_hex(),
                "peers": rivals.collect::<Vec<_>>(),
            })
        };
        // Long messages would take up most of the file; those from a seed can be drawn again.
        let message = |m: &Vec<u8>| (m.len() <= 1 << 16).then(|| Digest::from_bytes(m).to_hex());
        json!({
            "loops": self.args.loops,
            "reps": self.args.reps,
            "source": self.source,
            "seed": self.args.seed,
            "messages": self.messages.iter().map(message).collect::<Vec<_>>(),
            "rows": self.rows.iter().map(row).collect::<Vec<_>>(),
        })
    }
}
