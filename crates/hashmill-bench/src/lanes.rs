//! `hashmill bench lanes`: many messages on one core, beside the best single stream that others have.

use crate::paired::{self, Comparison, Plan, Side};
use crate::peer::{self, Peer, PeerError};
use crate::{machine, sys};
use hashmill::{Algorithm, digest_many};
use serde::Serialize;
use serde_json::json;
use std::ffi::OsString;
use std::hint::black_box;
use std::io::{self, Write};
use std::process::ExitCode;
use thiserror::Error;

const HELP: &str = "\
Usage: hashmill bench [lanes] [OPTIONS] [ALG...]

Hashes many messages with all lanes of one core, alternating every few milliseconds with one stream of the best peer
(libcrypto, found at run time; for md2 RustCrypto's crate), and shows both rates and the median of the ratios.

Options:
  --messages N   messages at once (256)
  --size BYTES   length of each (16384)
  --pairs N      pairs of slices to measure (200)
  --single       our single stream instead of lanes
  --kernel NAME  our implementation
  --json         JSON
  -h, --help     this text

Without names: md5 sha1 sha256 sha512 sha3-256 md2. HASHMILL_LIBCRYPTO=PATH chooses the libcrypto.
";

const DEFAULT: [&str; 6] = ["md5", "sha1", "sha256", "sha512", "sha3-256", "md2"];

#[derive(Debug)]
struct Options {
    algorithms: Vec<Algorithm>,
    messages: usize,
    size: usize,
    pairs: usize,
    single: bool,
    json: bool,
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
    peer: String,
    #[serde(flatten)]
    result: Comparison,
}

/// Runs `hashmill bench lanes` with these arguments (those after `lanes`).
pub fn main(args: Vec<OsString>) -> ExitCode {
    let options = match parse(args) {
        Ok(Some(o)) => o,
        Ok(None) => {
            // Nothing can be done for a reader that went away.
            let _ = io::stdout().write_all(HELP.as_bytes());
            return ExitCode::SUCCESS;
        }
        Err(e) => {
            eprintln!("hashmill: bench lanes: {e}");
            return ExitCode::from(2);
        }
    };
    sys::catch_interrupt();
    for warning in machine::warnings() {
        eprintln!("hashmill: bench lanes: warning: {warning}");
    }
    let data = noise(options.messages * options.size);
    let messages: Vec<&[u8]> = data.chunks_exact(options.size).collect();
    let mut lines = Vec::new();
    let mut failed = false;
    for &a in &options.algorithms {
        if sys::interrupted() {
            break;
        }
        match measure(a, &messages, &options) {
            Ok(Some(line)) => {
                for warning in &line.result.warnings {
                    eprintln!("hashmill: bench lanes: {}: warning: {warning}", line.algorithm);
                }
                lines.push(line);
            }
            Ok(None) => {}
            Err(e) => {
                eprintln!("hashmill: bench lanes: {e}");
                failed = true;
            }
        }
    }
    let text = if options.json { json(&lines, &options) } else { table(&lines, &options) };
    match io::stdout().write_all(text.as_bytes()) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            eprintln!("hashmill: bench lanes: cannot write: {e}");
            ExitCode::FAILURE
        }
        _ if sys::interrupted() => ExitCode::from(130),
        _ if failed => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    }
}

fn parse(args: Vec<OsString>) -> Result<Option<Options>, Failure> {
    let usage = |text: String| Failure::Usage(text);
    let mut o = Options { algorithms: Vec::new(), messages: 256, size: 16384, pairs: 200, single: false, json: false };
    let mut names = Vec::new();
    let mut kernel = None;
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        let arg = arg.into_string().map_err(|a| usage(format!("argument '{}' is not UTF-8", a.display())))?;
        let Some(option) = arg.strip_prefix('-') else {
            names.push(arg);
            continue;
        };
        let option = option.strip_prefix('-').unwrap_or(option);
        let (option, given) = match option.split_once('=') {
            Some((o, v)) => (o, Some(v.to_string())),
            None => (option, None),
        };
        let takes_value = matches!(option, "messages" | "size" | "pairs" | "kernel");
        let value = match (given, takes_value) {
            (Some(v), true) => v,
            (Some(_), false) => return Err(usage(format!("option '--{option}' takes no value"))),
            (None, false) => String::new(),
            (None, true) => match args.next().map(OsString::into_string) {
                Some(Ok(v)) => v,
                _ => return Err(usage(format!("option '--{option}' needs a value"))),
            },
        };
        let number = |most: usize| {
            let n = value.parse().ok().filter(|n| (1..=most).contains(n));
            n.ok_or_else(|| usage(format!("option '--{option}' needs a whole number from 1 to {most}, not '{value}'")))
        };
        match option {
            "h" | "help" => return Ok(None),
            "messages" => o.messages = number(1 << 20)?,
            "size" => o.size = number(1 << 30)?,
            "pairs" => o.pairs = number(1_000_000)?,
            "single" => o.single = true,
            "json" => o.json = true,
            "kernel" => kernel = Some(value),
            _ => return Err(usage(format!("unknown option '{arg}' (--help lists those there are)"))),
        }
    }
    hashmill::check_kernel_preference()?;
    if names.is_empty() {
        names = DEFAULT.map(String::from).to_vec();
    }
    for name in names {
        for a in Algorithm::parse_list(&name)? {
            o.algorithms.push(match &kernel {
                Some(k) => a.with_kernel(k)?,
                None => a,
            });
        }
    }
    let needed = (o.messages as u64).saturating_mul(o.size as u64);
    if let Some(available) = sys::memory_available()
        && needed > available
    {
        return Err(usage(format!(
            "{needed} bytes of messages do not fit into the {available} bytes of memory available: lower --messages or --size"
        )));
    }
    Ok(Some(o))
}

/// Bytes that nothing can be guessed from, the same every time.
fn noise(len: usize) -> Vec<u8> {
    let mut x = 0x2545_f491_4f6c_dd1du64;
    let mut bytes = Vec::with_capacity(len + 8);
    while bytes.len() < len {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        bytes.extend_from_slice(&x.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes());
    }
    bytes.truncate(len);
    bytes
}

/// The kernel that runs `messages` messages, or one stream.
fn kernel(a: Algorithm, messages: usize, single: bool) -> String {
    let kernels = a.kernels();
    let many = kernels.iter().find(|k| !single && k.from_messages.is_some_and(|n| n <= messages));
    let chosen = many.or_else(|| kernels.iter().find(|k| k.active));
    a.forced_kernel().or(chosen.map(|k| k.name)).unwrap_or_default().to_string()
}

fn measure(a: Algorithm, messages: &[&[u8]], options: &Options) -> Result<Option<Line>, Failure> {
    let mut peer = peer::best(a)?;
    verify(a, messages, &mut *peer, options.single)?;
    let size = options.size as f64;
    // Both sides of a single-stream run walk through the same messages.
    let mut next = 0;
    let mut digest = vec![0; a.digest_len()];
    let mut one = |times: u64| {
        for _ in 0..times {
            next = (next + 1) % messages.len();
            // The length is right: `digest` was made for it.
            let _ = a.digest_into(black_box(messages[next]), &mut digest);
            black_box(&mut digest);
        }
    };
    let mut many = |times: u64| (0..times).for_each(|_| drop(black_box(digest_many(a, black_box(messages)))));
    let mut at = 0;
    let mut out = [0; 64];
    let mut failed = None;
    let mut theirs = |times: u64| {
        for _ in 0..times {
            at = (at + 1) % messages.len();
            if let Err(e) = peer.digest(black_box(messages[at]), &mut out) {
                failed = Some(e);
            }
            black_box(&mut out);
        }
    };
    let ours = if options.single {
        Side { run: &mut one, bytes: size, clock: None }
    } else {
        Side { run: &mut many, bytes: size * messages.len() as f64, clock: None }
    };
    let plan = Plan { pairs: options.pairs, ..Plan::default() };
    let result = paired::compare(ours, Side { run: &mut theirs, bytes: size, clock: None }, &plan);
    if let Some(e) = failed {
        return Err(e.into());
    }
    let kernel = kernel(a, messages.len(), options.single);
    Ok(result.map(|result| Line { algorithm: a.name().into_owned(), kernel, peer: peer.name(), result }))
}

/// Both must give the same digests, or the comparison means nothing.
fn verify(a: Algorithm, messages: &[&[u8]], peer: &mut dyn Peer, single: bool) -> Result<(), Failure> {
    let many = digest_many(a, messages);
    let mut out = [0; 64];
    for (i, message) in messages.iter().enumerate() {
        peer.digest(message, &mut out)?;
        let theirs = &out[..a.digest_len()];
        if many[i] != *theirs || (single && a.digest(message).as_bytes() != theirs) {
            return Err(Failure::Differs { algorithm: a.name().into_owned(), message: i, peer: peer.name() });
        }
    }
    Ok(())
}

fn table(lines: &[Line], options: &Options) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let what = if options.single { "one stream" } else { "lanes" };
    let mut text = format!(
        "{} messages of {} bytes on one core of {}; ours: {what}, peer: one stream; medians of {} pairs\n",
        options.messages,
        options.size,
        machine::cpu_model(),
        options.pairs
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

fn json(lines: &[Line], options: &Options) -> String {
    let value = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "cpu": machine::cpu_model(),
        "cpu_features": machine::cpu_features(),
        "messages": options.messages,
        "size": options.size,
        "single": options.single,
        "interrupted": sys::interrupted(),
        "warnings": machine::warnings(),
        "results": lines,
    });
    format!("{value:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(args: &str) -> String {
        parse(args.split_whitespace().map(OsString::from).collect()).err().map(|e| e.to_string()).unwrap_or_default()
    }

    #[test]
    fn bad_arguments() {
        assert_eq!(message("--pairs 0"), "option '--pairs' needs a whole number from 1 to 1000000, not '0'");
        assert_eq!(message("--size"), "option '--size' needs a value");
        assert_eq!(message("--json=1"), "option '--json' takes no value");
        assert_eq!(message("--nope"), "unknown option '--nope' (--help lists those there are)");
        assert!(message("sha265").starts_with("unknown algorithm 'sha265'"));
        assert!(message("md5 --kernel nope").starts_with("md5: unknown kernel 'nope' (known: "));
        assert!(message("--messages 1048576 --size 1073741824").contains("do not fit"));
        assert_eq!(message("md5,sha1 -size=100 --single"), "");
    }

    #[test]
    fn noise_is_of_the_length_and_repeats() {
        assert_eq!(noise(13).len(), 13);
        assert_eq!(noise(100)[..50], noise(50));
    }
}
