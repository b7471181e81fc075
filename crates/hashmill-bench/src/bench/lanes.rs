//! `hashmill bench lanes`: compares many messages on one core with the best single stream of the peers.

mod show;

use clap::Args;
use hashmill::{Algorithm, Encoding, Engine};
use hashmill_measure::arguments::whole;
use hashmill_measure::clock::hide;
use hashmill_measure::paired::{self, Comparison, Plan, Rotation, Side};
use hashmill_measure::random::{Random, noise};
use hashmill_measure::run::{Findings, Pairing, Series, Session, Unit};
use hashmill_measure::sys;
use hashmill_peers::arguments::{AlgorithmList, algorithms, flatten, message_size};
use hashmill_peers::peer::{Best, PeerError, PeerKind, Peers, stretches};
use hashmill_results::output::OutputArgs;
use serde::Serialize;
use serde_json::json;
use std::hint::black_box;
use std::process::ExitCode;
use thiserror::Error;

const DEFAULT: [&str; 6] = ["md5", "sha1", "sha256", "sha512", "sha3-256", "md2"];

/// Compare lanes on many messages with the best single stream
///
/// Hashes many messages with all lanes of one core, alternating every few milliseconds with one stream of the best
/// peer, and shows both rates and the median of the ratios. The best peer is the fastest on these messages in a short
/// trial: of libcrypto, found at run time, RustCrypto's crates and others; PHP is the
/// fallback.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill bench lanes
  hashmill bench lanes md5 sha256 --messages 4096 --size 64
  hashmill bench lanes --messages 1M --size 20 --into --peer openssl-once md5
  hashmill bench lanes --messages 1000 --spread 1-8M md5 sha256
  hashmill bench lanes --single --kernel portable sha1
  hashmill bench lanes --peer php haval256-5 snefru256

Environment:
  HASHMILL_KERNEL=NAME       our implementation, for all algorithms that have it
  HASHMILL_LIBCRYPTO=PATH    the libcrypto to compare with
  HASHMILL_LIBCRYPTO2=PATH   another, the peer openssl2
")]
pub struct LanesArgs {
    /// Algorithms; md5 sha1 sha256 sha512 sha3-256 md2 by default
    #[arg(value_name = "ALG", value_parser = algorithms)]
    algorithms: Vec<AlgorithmList>,

    /// More algorithms, as an option
    #[arg(short = 'a', long = "algorithm", value_name = "ALG[,ALG…]", value_parser = algorithms)]
    more: Vec<AlgorithmList>,

    /// Number of messages hashed at once: 256, 64k, 1M
    #[arg(long, value_name = "N", default_value = "256", value_parser = message_count)]
    messages: u64,

    /// Length of every message
    #[arg(long, value_name = "BYTES", default_value = "16384", value_parser = message_size)]
    size: usize,

    /// Draw the lengths from this range, uniformly on a logarithmic scale; the peer is our own code on as many messages
    /// of the mean length
    #[arg(long, value_name = "MIN-MAX", value_parser = spread,
          conflicts_with_all = ["size", "single", "into", "peers"])]
    spread: Option<Spread>,

    /// Use digest_many_into, from one buffer into one, instead of digest_many
    #[arg(long, conflicts_with = "single")]
    into: bool,

    /// Number of repetitions: pairs of slices to measure
    #[arg(long = "reps", value_name = "N", default_value_t = 200, value_parser = whole(1..=1_000_000))]
    pairs: u64,

    /// Measure our single stream instead of lanes
    #[arg(long)]
    single: bool,

    /// The implementation of ours to measure
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,

    /// Peers, of which the fastest is used; by default all that run in this process, and PHP for what they lack
    #[arg(long = "peer", value_enum, value_name = "PEER,…", value_delimiter = ',')]
    peers: Vec<PeerKind>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Range of message lengths.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Spread {
    min: usize,
    max: usize,
}

/// Parses a range of lengths: `1-8M`.
fn spread(text: &str) -> Result<Spread, String> {
    let (min, max) = text.split_once('-').ok_or_else(|| format!("'{text}' is not like 1-8M: two lengths"))?;
    let (min, max) = (message_size(min)?, message_size(max)?);
    if min > max { Err(format!("'{text}': the first length is the greater one")) } else { Ok(Spread { min, max }) }
}

impl Spread {
    /// Draws this many lengths, the same every time.
    fn lengths(self, count: usize) -> Vec<usize> {
        let mut random = Random(1);
        let (low, high) = ((self.min as f64).ln(), (self.max as f64 + 1.0).ln());
        (0..count).map(|_| ((low + random.unit() * (high - low)).exp() as usize).clamp(self.min, self.max)).collect()
    }
}

/// Parses a number of messages: `256`, `64k`, `1M`.
fn message_count(text: &str) -> Result<u64, String> {
    match message_size(text) {
        Ok(n) if n <= 1 << 24 => Ok(n as u64),
        _ => Err(format!("'{text}' is not a number of messages from 1 to 16M")),
    }
}

#[derive(Debug, Error)]
enum LanesError {
    #[error(transparent)]
    Algorithm(#[from] hashmill::Error),
    #[error(transparent)]
    Peer(#[from] PeerError),
    #[error("{0}")]
    Usage(String),
    #[error("{algorithm}: our digest of message {message} is not that of {peer}")]
    Differs { algorithm: String, message: usize, peer: String },
}

/// A row of the table.
#[derive(Debug, Serialize)]
struct Line {
    algorithm: String,
    kernel: String,
    /// Name of the peer: `openssl`, `crates` …
    by: &'static str,
    peer: String,
    #[serde(flatten)]
    result: Comparison,
}

/// Runs the measurement.
pub fn run(args: &LanesArgs) -> ExitCode {
    let chosen = match chosen(args) {
        Ok(a) => a,
        Err(e) => {
            hashmill_measure::run::say("bench lanes", e);
            return ExitCode::from(2);
        }
    };
    let mut session = Session::begin("bench lanes");
    let lengths = lengths(args);
    let data = noise(lengths.iter().sum());
    let messages = cut(&data, &lengths);
    let mut findings = Findings::default();
    let mut lines = Vec::new();
    let mut peers = match args.peers[..] {
        [] if args.spread.is_some() => Peers::open(&[]),
        [] => Peers::in_process().or(PeerKind::Php),
        ref kinds => Peers::open(kinds),
    };
    for a in chosen {
        if sys::interrupted() {
            break;
        }
        let measured = match args.spread {
            Some(_) => measure_spread(a, &messages, args, &mut findings),
            None => measure(a, &data, &messages, args, &mut peers, &mut findings),
        };
        for (kind, e) in peers.failures() {
            let text = format!("no {} to compare with: {e}", kind.word());
            if args.peers.is_empty() { session.note(text) } else { session.error(text) }
        }
        match measured {
            Ok(Some(line)) => {
                for warning in &line.result.warnings {
                    session.warn(format!("{}: {warning}", line.algorithm));
                }
                lines.push(line);
            }
            Ok(None) => {}
            Err(e) => session.error(e),
        }
    }
    findings.details = json!({
        "messages": args.messages,
        "size": args.spread.is_none().then_some(args.size),
        "spread": args.spread.map(|s| [s.min, s.max]),
        "bytes": data.len(),
        "single": args.single,
        "into": args.into,
        "results": lines,
    });
    let text = show::table(&lines, args, &session.machine().line());
    let chart = show::chart(&lines, args, &session.machine().line());
    args.output.show(session.end(findings), &text, Some(&chart))
}

/// Returns the algorithms, with the kernel that the user wants.
fn chosen(args: &LanesArgs) -> Result<Vec<Engine>, LanesError> {
    hashmill::check_kernel_preference()?;
    let mut all = flatten(args.algorithms.iter().chain(&args.more));
    if all.is_empty() {
        all = DEFAULT.iter().map(|n| n.parse()).collect::<Result<_, _>>()?;
    }
    let needed = match args.spread {
        Some(_) => lengths(args).iter().map(|&n| n as u64).sum(),
        None => args.messages.saturating_mul(args.size as u64),
    };
    if let Some(available) = sys::memory_available()
        && needed > available
    {
        return Err(LanesError::Usage(format!(
            "{needed} bytes of messages do not fit into the {available} bytes of memory available: lower --messages \
             or --size"
        )));
    }
    let engine = |a: Algorithm| match &args.kernel {
        Some(kernel) => a.with_kernel(kernel),
        None => Ok(a.into()),
    };
    Ok(all.into_iter().map(engine).collect::<Result<_, _>>()?)
}

/// Returns the lengths of the messages.
fn lengths(args: &LanesArgs) -> Vec<usize> {
    let count = args.messages as usize;
    args.spread.map_or_else(|| vec![args.size; count], |s| s.lengths(count))
}

/// Cuts the data into consecutive messages of these lengths.
fn cut<'a>(mut data: &'a [u8], lengths: &[usize]) -> Vec<&'a [u8]> {
    let first = |&n: &usize| data.split_off(..n).unwrap_or_default();
    lengths.iter().map(first).collect()
}

/// Returns the name of the kernel that hashes `messages` messages, or one stream.
pub(crate) fn kernel(engine: impl Into<Engine>, messages: usize, single: bool) -> String {
    let engine = engine.into();
    let kernels = engine.algorithm().kernels();
    let many = kernels.iter().find(|k| !single && k.from_messages.is_some_and(|n| n <= messages));
    let chosen = many.or_else(|| kernels.iter().find(|k| k.active));
    engine.forced_kernel().or(chosen.map(|k| k.name)).unwrap_or_default().to_string()
}

fn measure(
    engine: Engine,
    data: &[u8],
    messages: &[&[u8]],
    args: &LanesArgs,
    peers: &mut Peers,
    findings: &mut Findings,
) -> Result<Option<Line>, LanesError> {
    let a = engine.algorithm();
    let mut peer = peers.best(a, messages)?;
    verify(engine, data, messages, &mut peer, args)?;
    let size = args.size as f64;
    // In a single-stream run, both sides go through the same messages in the same loop.
    let mut next = 0;
    let mut digest = vec![0; a.digest_len()];
    let one = |times: u64| {
        for part in stretches(&mut next, messages.len(), times) {
            for message in &messages[part] {
                // This cannot fail, because `digest` has the right length.
                let _ = engine.digest_into(hide(message), &mut digest);
                black_box(&mut digest);
            }
        }
    };
    let many = |times: u64| (0..times).for_each(|_| drop(black_box(engine.digest_many(black_box(messages)))));
    let offsets = offsets(messages);
    let mut digests = vec![0; if args.into { messages.len() * a.digest_len() } else { 0 }];
    let into = |times: u64| {
        for _ in 0..times {
            // This cannot fail, because the offsets lie within `data` and the buffer has room for the digests.
            let _ = engine.digest_many_into(black_box(&offsets), black_box(data), Encoding::Raw, &mut digests);
            black_box(&mut digests);
        }
    };
    let all = size * messages.len() as f64;
    let ours = match (args.single, args.into) {
        (true, _) => Side::new(size, one).ours(),
        (false, true) => Side::new(all, into).ours(),
        (false, false) => Side::new(all, many).ours(),
    };
    let plan = Plan { pairs: args.pairs as usize, ..Plan::default() };
    let rotation = paired::rotate(&mut [ours, peer.turn.side(size, plan.slice)], &plan);
    if let Some(e) = peer.turn.failure() {
        return Err(e.into());
    }
    let whose = (peer.kind.word(), peer.version);
    Ok(rotation.and_then(|r| line(engine, &r, args, whose, if args.single { "one stream" } else { "lanes" }, findings)))
}

/// Compares messages of different lengths with as many messages of one length and the same total of bytes.
fn measure_spread(
    engine: Engine,
    messages: &[&[u8]],
    args: &LanesArgs,
    findings: &mut Findings,
) -> Result<Option<Line>, LanesError> {
    let bytes: usize = messages.iter().map(|m| m.len()).sum();
    let mean = (bytes / messages.len()).max(1);
    let data = noise(mean * messages.len());
    let equal: Vec<&[u8]> = data.chunks_exact(mean).collect();
    for (i, (message, digest)) in messages.iter().zip(&engine.digest_many(messages)).enumerate() {
        if engine.digest(message).as_bytes() != digest {
            let (algorithm, peer) = (engine.algorithm().name().into_owned(), "one stream".into());
            return Err(LanesError::Differs { algorithm, message: i, peer });
        }
    }
    let many = |all| move |times: u64| (0..times).for_each(|_| drop(black_box(engine.digest_many(black_box(all)))));
    let sides = &mut [Side::new(bytes as f64, many(messages)), Side::new(data.len() as f64, many(&equal))];
    let plan = Plan { pairs: args.pairs as usize, ..Plan::default() };
    let whose = ("hashmill", format!("hashmill, all of {mean} bytes"));
    Ok(paired::rotate(sides, &plan).and_then(|r| line(engine, &r, args, whose, "lanes, spread", findings)))
}

/// Returns the row of a measured algorithm, and adds its series to the findings.
fn line(
    engine: Engine,
    rotation: &Rotation,
    args: &LanesArgs,
    (by, version): (&'static str, String),
    mode: &str,
    findings: &mut Findings,
) -> Option<Line> {
    let result = Comparison::of(rotation)?;
    let kernel = kernel(engine, args.messages as usize, args.single);
    let name = engine.algorithm().name().into_owned();
    let ours = Series::ours(&name, &kernel, Unit::BytesPerSecond, rotation.rates[0].clone());
    let theirs = Series::of(&name, by, &version, Unit::BytesPerSecond, rotation.rates[1].clone());
    let first = findings.series.len();
    let sized = |s: Series| if args.spread.is_some() { s } else { s.bytes(args.size as u64) };
    let theirs_mode = if args.spread.is_some() { "lanes" } else { "one stream" };
    findings.series.push(Series { subtracted_ns: rotation.subtracted_ns[0], ..sized(ours).mode(mode) });
    findings.series.push(Series { subtracted_ns: rotation.subtracted_ns[1], ..sized(theirs).mode(theirs_mode) });
    findings.pairings.push(Pairing::new(first, first + 1, rotation.ratios(0, 1)));
    Some(Line { algorithm: name, kernel, by, peer: version, result })
}

/// Returns where each message begins, and the end of the last.
fn offsets(messages: &[&[u8]]) -> Vec<u64> {
    let mut at = 0;
    let ends = messages.iter().map(|m| {
        at += m.len() as u64;
        at
    });
    [0].into_iter().chain(ends).collect()
}

/// Checks that both give the same digests; otherwise the comparison would mean nothing.
fn verify(
    engine: Engine,
    data: &[u8],
    messages: &[&[u8]],
    peer: &mut Best,
    args: &LanesArgs,
) -> Result<(), LanesError> {
    let a = engine.algorithm();
    let len = a.digest_len();
    let ours: Vec<u8> = if args.into {
        let mut out = vec![0; messages.len() * len];
        engine.digest_many_into(&offsets(messages), data, Encoding::Raw, &mut out)?;
        out
    } else {
        engine.digest_many(messages).as_bytes().to_vec()
    };
    let theirs = peer.turn.digests()?;
    for (i, message) in messages.iter().enumerate() {
        let theirs = theirs.get(i).map_or(&[][..], Vec::as_slice);
        if ours[i * len..][..len] != *theirs || (args.single && engine.digest(message).as_bytes() != theirs) {
            return Err(LanesError::Differs {
                algorithm: a.name().into_owned(),
                message: i,
                peer: peer.version.clone(),
            });
        }
    }
    Ok(())
}
