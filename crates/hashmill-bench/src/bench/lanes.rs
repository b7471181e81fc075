//! `hashmill bench lanes`: many messages on one core, beside the best single stream that others have.

use crate::args::{AlgorithmList, OutputArgs, algorithms, flatten, message_size};
use crate::chart::{Bar, Chart, Group, Plot};
use crate::clock::hide;
use crate::paired::{self, Comparison, Plan, Side};
use crate::peer::{Best, PeerError, PeerKind, Peers, stretches};
use crate::random::noise;
use crate::run::{Findings, Pairing, Series, Session, Unit};
use crate::sys;
use clap::Args;
use hashmill::{Algorithm, digest_many};
use serde::Serialize;
use serde_json::json;
use std::hint::black_box;
use std::process::ExitCode;
use thiserror::Error;

const DEFAULT: [&str; 6] = ["md5", "sha1", "sha256", "sha512", "sha3-256", "md2"];

/// Compare lanes on many messages with the best single stream there is
///
/// Hashes many messages with all lanes of one core, alternating every few milliseconds with one stream of the best peer, and
/// shows both rates and the median of the ratios. The best peer is the fastest on these messages in a short trial: of libcrypto,
/// found at run time, RustCrypto's crates and those of others. For what none of them has it is PHP, if there is one.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill bench lanes
  hashmill bench lanes md5 sha256 --messages 4096 --size 64
  hashmill bench lanes --single --kernel portable sha1
  hashmill bench lanes --peer php haval256-5 snefru256

HASHMILL_LIBCRYPTO=PATH chooses the libcrypto, HASHMILL_LIBCRYPTO2=PATH adds another (the peer openssl2).
")]
pub struct LanesArgs {
    /// Algorithms; md5 sha1 sha256 sha512 sha3-256 md2 if none are given
    #[arg(value_name = "ALG", value_parser = algorithms)]
    algorithms: Vec<AlgorithmList>,

    /// Messages at once
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    messages: u64,

    /// Length of each
    #[arg(long, value_name = "BYTES", default_value = "16384", value_parser = message_size)]
    size: usize,

    /// Pairs of slices to measure
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pairs: u64,

    /// Our single stream instead of lanes
    #[arg(long)]
    single: bool,

    /// Our implementation
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,

    /// The peers of which the fastest counts; if none are given all that run in this process, and PHP for what they lack
    #[arg(long = "peer", value_enum, value_name = "PEER,…", value_delimiter = ',')]
    peers: Vec<PeerKind>,

    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Error)]
enum Failure {
    #[error(transparent)]
    Algorithm(#[from] hashmill::Error),
    #[error(transparent)]
    Peer(#[from] PeerError),
    #[error("{0}")]
    Usage(String),
    #[error("{algorithm}: our digest of message {message} is not that of {peer}")]
    Differs { algorithm: String, message: usize, peer: String },
}

/// One line of the table.
#[derive(Debug, Serialize)]
struct Line {
    algorithm: String,
    kernel: String,
    /// Whose the peer is: `openssl`, `crates` …
    by: &'static str,
    peer: String,
    #[serde(flatten)]
    result: Comparison,
}

/// Runs it.
pub fn run(args: &LanesArgs) -> ExitCode {
    let chosen = match chosen(args) {
        Ok(a) => a,
        Err(e) => {
            eprintln!("hashmill: bench lanes: {e}");
            return ExitCode::from(2);
        }
    };
    let mut session = Session::begin("bench lanes");
    let data = noise(args.messages as usize * args.size);
    let messages: Vec<&[u8]> = data.chunks_exact(args.size).collect();
    let mut findings = Findings::default();
    let mut lines = Vec::new();
    let mut peers = match args.peers[..] {
        [] => Peers::in_process().or(PeerKind::Php),
        ref kinds => Peers::open(kinds),
    };
    for a in chosen {
        if sys::interrupted() {
            break;
        }
        let measured = measure(a, &messages, args, &mut peers, &mut findings);
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
    findings.details = json!({ "messages": args.messages, "size": args.size, "single": args.single, "results": lines });
    let text = table(&lines, args, &session.machine().line());
    let chart = chart(&lines, args, &session.machine().line());
    session.end(findings).show(&args.output, &text, Some(&chart))
}

/// The algorithms, with the kernel that the user wants.
fn chosen(args: &LanesArgs) -> Result<Vec<Algorithm>, Failure> {
    hashmill::check_kernel_preference()?;
    let mut all = flatten(&args.algorithms);
    if all.is_empty() {
        all = DEFAULT.iter().map(|n| n.parse()).collect::<Result<_, _>>()?;
    }
    if let Some(kernel) = &args.kernel {
        all = all.into_iter().map(|a| a.with_kernel(kernel)).collect::<Result<_, _>>()?;
    }
    let needed = args.messages.saturating_mul(args.size as u64);
    if let Some(available) = sys::memory_available()
        && needed > available
    {
        return Err(Failure::Usage(format!(
            "{needed} bytes of messages do not fit into the {available} bytes of memory available: lower --messages or --size"
        )));
    }
    Ok(all)
}

/// The kernel that runs `messages` messages, or one stream.
pub(crate) fn kernel(a: Algorithm, messages: usize, single: bool) -> String {
    let kernels = a.kernels();
    let many = kernels.iter().find(|k| !single && k.from_messages.is_some_and(|n| n <= messages));
    let chosen = many.or_else(|| kernels.iter().find(|k| k.active));
    a.forced_kernel().or(chosen.map(|k| k.name)).unwrap_or_default().to_string()
}

fn measure(
    a: Algorithm,
    messages: &[&[u8]],
    args: &LanesArgs,
    peers: &mut Peers,
    findings: &mut Findings,
) -> Result<Option<Line>, Failure> {
    let mut peer = peers.best(a, messages)?;
    verify(a, messages, &mut peer, args.single)?;
    let size = args.size as f64;
    // Both sides of a single-stream run walk through the same messages, in the same loop.
    let mut next = 0;
    let mut digest = vec![0; a.digest_len()];
    let one = |times: u64| {
        for part in stretches(&mut next, messages.len(), times) {
            for message in &messages[part] {
                // The length is right: `digest` was made for it.
                let _ = a.digest_into(hide(message), &mut digest);
                black_box(&mut digest);
            }
        }
    };
    let many = |times: u64| (0..times).for_each(|_| drop(black_box(digest_many(a, black_box(messages)))));
    let ours = if args.single { Side::new(size, one) } else { Side::new(size * messages.len() as f64, many) };
    let plan = Plan { pairs: args.pairs as usize, ..Plan::default() };
    let rotation = paired::rotate(&mut [ours, peer.turn.side(size, plan.slice)], &plan);
    if let Some(e) = peer.turn.failure() {
        return Err(e.into());
    }
    let Some(rotation) = rotation else { return Ok(None) };
    let Some(result) = Comparison::of(&rotation) else { return Ok(None) };
    let kernel = kernel(a, messages.len(), args.single);
    let (name, mode) = (a.name().into_owned(), if args.single { "one stream" } else { "lanes" });
    let ours = Series::ours(&name, &kernel, Unit::BytesPerSecond, rotation.rates[0].clone());
    let by = peer.kind.word();
    let theirs = Series::of(&name, by, &peer.version, Unit::BytesPerSecond, rotation.rates[1].clone());
    let first = findings.series.len();
    findings
        .series
        .push(Series { subtracted_ns: rotation.subtracted_ns[0], ..ours.bytes(args.size as u64).mode(mode) });
    findings
        .series
        .push(Series { subtracted_ns: rotation.subtracted_ns[1], ..theirs.bytes(args.size as u64).mode("one stream") });
    findings.pairings.push(Pairing::new(first, first + 1, rotation.ratios(0, 1)));
    Ok(Some(Line { algorithm: name, kernel, by, peer: peer.version, result }))
}

/// Both must give the same digests, or the comparison means nothing.
fn verify(a: Algorithm, messages: &[&[u8]], peer: &mut Best, single: bool) -> Result<(), Failure> {
    let many = digest_many(a, messages);
    let theirs = peer.turn.digests()?;
    for (i, message) in messages.iter().enumerate() {
        let theirs = theirs.get(i).map_or(&[][..], Vec::as_slice);
        if many[i] != *theirs || (single && a.digest(message).as_bytes() != theirs) {
            return Err(Failure::Differs { algorithm: a.name().into_owned(), message: i, peer: peer.version.clone() });
        }
    }
    Ok(())
}

fn table(lines: &[Line], args: &LanesArgs, machine: &str) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let what = if args.single { "one stream" } else { "lanes" };
    let mut text = format!(
        "{} messages of {} bytes on one core of {machine}; ours: {what}, peer: one stream; medians of {} pairs\n",
        args.messages, args.size, args.pairs
    );
    let width = lines.iter().map(|l| l.algorithm.len()).max().unwrap_or(0).max(9);
    let kernels = lines.iter().map(|l| l.kernel.len()).max().unwrap_or(0).max(6);
    text += &format!(
        "{:width$}  {:>9}  {:>9}  {:>7}  {:<17}  {:kernels$}  peer\n",
        "algorithm", "our GB/s", "peer GB/s", "ratio", "95 % interval", "kernel"
    );
    for l in lines {
        let r = &l.result;
        let interval = format!("[{:.3}, {:.3}]", r.ratio.interval.0, r.ratio.interval.1);
        text += &format!(
            "{:width$}  {:>9.3}  {:>9.3}  {:>7.3}  {interval:<17}  {:kernels$}  {}\n",
            l.algorithm,
            r.a.median / 1e9,
            r.b.median / 1e9,
            r.ratio.median,
            l.kernel,
            l.peer
        );
    }
    text
}

fn chart(lines: &[Line], args: &LanesArgs, machine: &str) -> Chart {
    let what = if args.single { "one stream" } else { "lanes" };
    let gb = |s: &crate::stats::Summary| (s.median / 1e9, Some((s.interval.0 / 1e9, s.interval.1 / 1e9)));
    let bar = |name: &str, s: &crate::stats::Summary| {
        let (value, interval) = gb(s);
        Bar { name: name.into(), value, interval }
    };
    let group = |l: &Line| Group {
        name: l.algorithm.clone(),
        bars: vec![bar(&format!("hashmill, {what}"), &l.result.a), bar(&l.peer, &l.result.b)],
    };
    Chart {
        title: format!("{} messages of {} bytes on one core", args.messages, args.size),
        subtitle: machine.into(),
        unit: "GB/s".into(),
        plot: Plot::Bars(lines.iter().map(group).collect()),
    }
}
