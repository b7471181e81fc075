//! `hashmill bench kernels`: compares every kernel of every algorithm with our portable code and the best peer.

mod measure;
mod show;
mod sweep;

use clap::{Args, ValueEnum};
use hashmill::unstable::parse_families;
use hashmill::{Algorithm, KernelInfo};
use hashmill_measure::arguments::whole;
use hashmill_measure::paired::Rotation;
use hashmill_measure::progress::Progress;
use hashmill_measure::random::noise;
use hashmill_measure::run::{Findings, Session};
use hashmill_measure::sys;
use hashmill_peers::arguments::{AlgorithmList, flatten, message_size};
use hashmill_peers::peer::{Best, PeerError, Peers};
use hashmill_results::output::OutputArgs;
use measure::{Group, How};
use serde_json::json;
use std::process::ExitCode;
use std::time::Duration;

/// Messages per call on lanes, as a multiple of the number of lanes …
const FILLS: usize = 4;
/// … unless they have more bytes than this in total.
const MOST_AT_ONCE: usize = 4 << 20;
/// Default time for all rows, and the minimum and maximum for one, in seconds.
const ALL: f64 = 130.0;
const ROW: (f64, f64) = (0.02, 0.4);
/// Number of slices before the measurement of a row begins, for calibration and for checking digests.
const BEFORE: f64 = 7.0;
const SWEPT: [&str; 8] = ["md5", "sha1", "sha256", "sha512", "sha3-256", "blake3", "crc32", "xxh3"];
const SWEEP: [usize; 8] = [5 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20];

/// Measure every kernel of every algorithm
///
/// All kernels of an algorithm that this CPU can run take turns every few milliseconds: with `portable`, with the best
/// peer that runs in this process (libcrypto, or a Rust crate: the fastest at that length in a short trial), and with a
/// loop that measures the core's clock. Kernels of one lane hash one message again and again, kernels with lanes enough
/// messages to fill them. Every kernel's digests are first compared with those of `portable`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill bench kernels                       all common ones, in three minutes
  hashmill bench kernels sha-2 md5 --sort speed
  hashmill bench kernels sha256 --kernel shani,portable --size 64,4k,1M
  hashmill bench kernels --sweep md5 --svg sweep.svg   the effect of the caches

Environment:
  HASHMILL_KERNEL=NAME       our implementation, for all algorithms that have it
  HASHMILL_LIBCRYPTO=PATH    the libcrypto to compare with
  HASHMILL_LIBCRYPTO2=PATH   another, the peer openssl2
")]
pub struct KernelsArgs {
    /// Algorithms or families; all common ones by default
    #[arg(value_name = "ALG|FAMILY", value_parser = algorithms_or_families)]
    algorithms: Vec<AlgorithmList>,

    /// More algorithms or families, as an option
    #[arg(short = 'a', long = "algorithm", value_name = "ALG[,ALG…]", value_parser = algorithms_or_families)]
    more: Vec<AlgorithmList>,

    /// Lengths of the messages; 64,1k,16k by default
    #[arg(long = "size", value_name = "BYTES,…", value_delimiter = ',', value_parser = message_size)]
    sizes: Vec<usize>,

    /// Only these kernels, where an algorithm has them
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    kernel: Vec<String>,

    /// Show the effect of the caches: from 5 KiB to 64 MiB, the usual kernel for one stream and the widest lanes on the
    /// same bytes
    #[arg(long)]
    sweep: bool,

    /// Number of repetitions; by default as many as fit into the time
    #[arg(long = "reps", value_name = "N", value_parser = whole(1..=1_000_000))]
    pairs: Option<u64>,

    /// How long to measure each row; by default so long that all of them take less than three minutes
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time: Option<f64>,

    /// Order of the table
    #[arg(long, value_enum, default_value = "registry")]
    sort: Sort,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Orders of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Sort {
    /// As `hashmill list` has them
    Registry,
    /// The fastest first, for each length
    Speed,
}

/// Parses families or algorithms. A family stands for its common members (or all of them if none is common); anything
/// else is a list of algorithms.
fn algorithms_or_families(text: &str) -> Result<AlgorithmList, hashmill::Error> {
    let measured = |members: Vec<Algorithm>| {
        let common: Vec<Algorithm> = members.iter().copied().filter(Algorithm::is_common).collect();
        if common.is_empty() { members } else { common }
    };
    parse_families(text, measured).map(AlgorithmList)
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(s) if (0.001..=3600.0).contains(&s) => Ok(s),
        _ => Err(format!("'{text}' is out of range: 0.001 to 3600 seconds")),
    }
}

/// An algorithm and its kernels to be measured.
struct Task {
    algorithm: Algorithm,
    kernels: Vec<KernelInfo>,
}

/// Runs the measurement.
pub fn run(args: &KernelsArgs) -> ExitCode {
    let prepared = tasks(args).and_then(|(tasks, lacking)| Ok((needed_memory(args, &tasks)?, tasks, lacking)));
    let (bytes, tasks, lacking) = match prepared {
        Ok(p) => p,
        Err(e) => {
            hashmill_measure::run::say("bench kernels", e);
            return ExitCode::from(2);
        }
    };
    let mut session = Session::begin("bench kernels");
    for line in lacking {
        session.error(line);
    }
    if tasks.is_empty() {
        return args.output.show(session.end(Findings::default()), "", None);
    }
    let data = noise(bytes);
    if args.sweep { sweep::run(args, session, &tasks, &data) } else { measured(args, session, &tasks, &data) }
}

/// Returns what to measure, and a line for every algorithm that has none of the requested kernels.
fn tasks(args: &KernelsArgs) -> Result<(Vec<Task>, Vec<String>), String> {
    hashmill::check_kernel_preference().map_err(|e| e.to_string())?;
    if let Some(unknown) = args.kernel.iter().find(|n| !known(n)) {
        return Err(format!("unknown kernel '{unknown}': `hashmill list --long ALG` shows those of an algorithm"));
    }
    let mut chosen = flatten(args.algorithms.iter().chain(&args.more));
    if chosen.is_empty() {
        let common = || Algorithm::all().filter(Algorithm::is_common);
        chosen = common().filter(|a| !args.sweep || SWEPT.contains(&a.base_name())).collect();
    }
    let place = |a: &Algorithm| Algorithm::all().position(|b| b.base_name() == a.base_name());
    chosen.sort_by_key(place);
    let (mut tasks, mut lacking) = (Vec::new(), Vec::new());
    for algorithm in chosen {
        let wanted =
            |k: &KernelInfo| args.kernel.is_empty() || args.kernel.iter().any(|n| n.eq_ignore_ascii_case(k.name));
        let mut found: Vec<KernelInfo> = algorithm.kernels().into_iter().filter(wanted).collect();
        found.sort_by_key(|k| args.kernel.iter().position(|n| n.eq_ignore_ascii_case(k.name)));
        let (kernels, missing): (Vec<_>, Vec<_>) = found.into_iter().partition(|k| k.available);
        match missing.first() {
            _ if !kernels.is_empty() => tasks.push(Task { algorithm, kernels }),
            Some(k) => {
                lacking.push(format!("{algorithm}: kernel '{}' needs {}, which this CPU lacks", k.name, k.needs))
            }
            // What was not asked for by name need not have the kernel.
            None if args.algorithms.is_empty() && args.more.is_empty() => {}
            None => {
                let names: Vec<&str> = algorithm.kernels().iter().map(|k| k.name).collect();
                lacking.push(format!("{algorithm}: no such kernel (it has {})", names.join(", ")));
            }
        }
    }
    Ok((tasks, lacking))
}

/// Returns whether some algorithm has a kernel of this name.
fn known(name: &str) -> bool {
    Algorithm::all().any(|a| a.kernels().iter().any(|k| k.name.eq_ignore_ascii_case(name)))
}

impl KernelsArgs {
    fn sizes(&self) -> Vec<usize> {
        match (self.sizes.is_empty(), self.sweep) {
            (false, _) => {
                let mut sizes = self.sizes.clone();
                sizes.sort_unstable();
                sizes.dedup();
                sizes
            }
            (true, false) => vec![64, 1 << 10, 16 << 10],
            (true, true) => SWEEP.to_vec(),
        }
    }

    /// Returns the parameters for this many sides in total.
    fn how(&self, sides: usize) -> How {
        let usual = Duration::from_millis(2);
        let time = self.time.or_else(|| {
            // The number of rounds determines the time.
            let each = ALL / sides.max(1) as f64 - BEFORE * usual.as_secs_f64();
            self.pairs.is_none().then(|| each.clamp(ROW.0, ROW.1))
        });
        match (self.pairs, time) {
            (Some(pairs), Some(time)) => {
                let slice = Duration::from_secs_f64(time / pairs as f64);
                How {
                    slice: slice.clamp(Duration::from_micros(100), Duration::from_millis(50)),
                    rounds: Some(pairs as usize),
                    time,
                }
            }
            (Some(pairs), None) => {
                How { slice: usual, rounds: Some(pairs as usize), time: pairs as f64 * usual.as_secs_f64() }
            }
            (None, time) => How { slice: usual, rounds: None, time: time.unwrap_or(ROW.1) },
        }
    }

    /// Announces the measurements.
    fn announce(&self, session: &Session, algorithms: usize, sides: usize, how: &How) {
        let each = how.time + BEFORE * how.slice.as_secs_f64();
        let plural = if algorithms == 1 { "" } else { "s" };
        session.note(format!(
            "{algorithms} algorithm{plural}, {sides} measurements of {:.0} ms: about {:.0} s",
            1e3 * each,
            (each * sides as f64).ceil()
        ));
    }
}

/// Returns how many messages fill this many lanes.
fn at_once(lanes: usize, bytes: usize) -> usize {
    if lanes == 1 {
        return 1;
    }
    let fills = (MOST_AT_ONCE / (lanes * bytes).max(1)).clamp(1, FILLS);
    fills * lanes
}

/// Returns how many bytes of messages are needed.
fn needed_memory(args: &KernelsArgs, tasks: &[Task]) -> Result<usize, String> {
    let sizes = args.sizes();
    let lanes = tasks.iter().flat_map(|t| &t.kernels).map(|k| k.lanes).max().unwrap_or(1);
    let one = |&bytes: &usize| if args.sweep { bytes } else { bytes.saturating_mul(at_once(lanes, bytes)) };
    // Kernels with fewer lanes are filled several times.
    let needed = sizes.iter().map(one).max().unwrap_or(0).max(if args.sweep { 0 } else { MOST_AT_ONCE });
    match sys::memory_available() {
        Some(available) if needed as u64 > available => Err(format!(
            "{needed} bytes of messages do not fit into the {available} bytes of memory available: lower --size"
        )),
        _ => Ok(needed),
    }
}

/// The rounds of all groups, for one warning instead of hundreds.
#[derive(Default)]
struct Rounds {
    measured: usize,
    /// Those that were disturbed and count nevertheless.
    disturbed: usize,
}

impl Rounds {
    fn add(&mut self, r: &Rotation) {
        self.measured += r.rounds;
        self.disturbed += if r.disturbed_left_out { 0 } else { r.disturbed };
    }

    fn warn(&self, session: &mut Session) {
        let all = Rotation { rounds: self.measured, disturbed: self.disturbed, ..Rotation::default() };
        for warning in all.warnings() {
            session.warn(warning);
        }
    }
}

/// The peers in this process, and the algorithms without a peer, grouped by reason.
struct Rivals {
    peers: Peers,
    missing: Vec<(String, Vec<String>)>,
}

impl Rivals {
    fn open(session: &Session) -> Rivals {
        let mut peers = Peers::in_process();
        for (kind, e) in peers.failures() {
            session.note(format!("no {} to compare with: {e}", kind.word()));
        }
        Rivals { peers, missing: Vec::new() }
    }

    fn best<'a>(&'a mut self, a: Algorithm, messages: &'a [&'a [u8]]) -> Option<Best<'a>> {
        let reason = match self.peers.best(a, messages) {
            Ok(best) => return Some(best),
            Err(PeerError::NoPeer { .. }) => "no peer in this process has".to_string(),
            Err(other) => format!("{other}; so no peer for"),
        };
        let name = a.name().into_owned();
        match self.missing.iter_mut().find(|(r, _)| *r == reason) {
            Some((_, names)) if names.contains(&name) => {}
            Some((_, names)) => names.push(name),
            None => self.missing.push((reason, vec![name])),
        }
        None
    }

    fn tell(&self, session: &Session) {
        for (reason, names) in &self.missing {
            session.note(format!("{reason} {}", names.join(" ")));
        }
    }
}

fn measured(args: &KernelsArgs, mut session: Session, tasks: &[Task], data: &[u8]) -> ExitCode {
    let sizes = args.sizes();
    // Including portable if it was not requested, a peer, and the clock.
    let sides = |t: &Task| t.kernels.len() + usize::from(!t.kernels.iter().any(|k| k.name == "portable")) + 2;
    let sides = sizes.len() * tasks.iter().map(sides).sum::<usize>();
    let how = args.how(sides);
    args.announce(&session, tasks.len(), sides, &how);
    let (mut findings, mut rows) = (Findings::default(), Vec::new());
    let (mut rivals, mut rounds, mut core) = (Rivals::open(&session), Rounds::default(), Vec::new());
    let mut progress = Progress::new("bench kernels", sizes.len() * tasks.len());
    'all: for task in tasks {
        for &bytes in &sizes {
            if sys::interrupted() {
                break 'all;
            }
            progress.step(&format!("{} {bytes} B", task.algorithm));
            let mut group = Group::new(task, bytes, data);
            let one = [&data[..bytes]];
            let mut peer = rivals.best(task.algorithm, &one);
            let problems = group.check(&mut peer);
            let measured = group.measure(&mut peer, &how);
            if !problems.is_empty() || measured.is_err() {
                progress.clear();
            }
            problems.iter().for_each(|p| session.error(p));
            match measured {
                Ok(Some(m)) => {
                    rounds.add(&m.rotation);
                    core.push(m.core_hertz);
                    rows.extend(m.rows(&group, session.machine().clocks.counter_hertz, &mut findings));
                }
                Ok(None) => {}
                Err(e) => session.error(e),
            }
        }
    }
    progress.clear();
    rivals.tell(&session);
    rounds.warn(&mut session);
    if args.sort == Sort::Speed {
        rows.sort_by(|a, b| a.bytes.cmp(&b.bytes).then(b.rate.median.total_cmp(&a.rate.median)));
    }
    let machine = session.machine().line();
    let text = show::table(&rows, &machine, &show::clocks(&core, session.machine().clocks.counter_hertz));
    let chart = show::chart(&rows, &machine);
    findings.details = json!({ "time": how.time, "core_hertz": core, "results": rows });
    args.output.show(session.end(findings), &text, Some(&chart))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        algorithms_or_families(text).unwrap().0.iter().map(|a| a.name().into_owned()).collect()
    }

    #[test]
    fn families_and_algorithms() {
        assert_eq!(names("md5,sha1"), ["md5", "sha1"]);
        assert_eq!(names("sha-2,md5").last().unwrap(), "md5");
        assert!(names("SHA-2").contains(&"sha512-256".to_string()));
        assert!(names("haval").len() == 15 && names("haval256,5").len() == 1);
        assert_eq!(names("haval160,3, sha-1 ,haval256,5,"), ["haval160-3", "sha1", "haval256-5"]);
        // `crc` stands for the common CRCs only, not for the whole catalogue.
        assert!(names("crc").len() < Algorithm::all().filter(|a| a.family() == "CRC").count());
        assert!(
            ["sha-2,nonesuch", "nonesuch,sha-2", "haval256,sha-2", ",", ""]
                .iter()
                .all(|t| algorithms_or_families(t).is_err())
        );
    }

    #[test]
    fn lanes_are_filled() {
        assert_eq!((at_once(1, 16384), at_once(64, 1024), at_once(64, 16384)), (1, 256, 256));
        assert_eq!((at_once(256, 16384), at_once(64, 1 << 20), at_once(2, 1 << 30)), (256, 64, 2));
        assert_eq!(at_once(3, 1 << 20), 3);
    }

    #[test]
    fn a_family_of_plans() {
        let args = |pairs, time| KernelsArgs {
            more: Vec::new(),
            algorithms: Vec::new(),
            sizes: vec![1024, 64, 64],
            kernel: Vec::new(),
            sweep: false,
            pairs,
            time,
            sort: Sort::Registry,
            output: OutputArgs::default(),
        };
        assert_eq!(args(None, None).sizes(), [64, 1024]);
        let how = args(None, None).how(1500);
        assert!((ROW.0..0.1).contains(&how.time) && how.rounds.is_none());
        assert!(1500.0 * (how.time + BEFORE * how.slice.as_secs_f64()) < 180.0);
        assert_eq!(args(None, None).how(10).time, ROW.1);
        let how = args(Some(10), Some(0.01)).how(10);
        assert_eq!((how.rounds, how.slice), (Some(10), Duration::from_millis(1)));
        assert_eq!(args(Some(10), None).how(10).time, 0.02);
    }
}
