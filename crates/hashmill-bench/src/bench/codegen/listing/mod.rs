//! `hashmill bench codegen --listing`: the machine code of a kernel's loop as it runs here, with its instructions per
//! byte.
//!
//! One child hashes a message and is single-stepped; another hashes a longer one. What ran more often in the second is
//! the loop, and the difference divided by that of the lengths is its instructions per byte. This needs no compiler,
//! source or symbols.

mod code;
mod trace;

use super::runner;
use code::{Listing, listing};
use hashmill::{Algorithm, Encoding, Engine};
use hashmill_measure::progress::Progress;
use hashmill_measure::run::{Findings, Session, emit};
use hashmill_measure::sys;
use hashmill_results::output::OutputArgs;
use nix::sys::signal::{Signal, raise};
use serde_json::json;
use std::env;
use std::fmt;
use std::hint::black_box;
use std::process::{Command, ExitCode};
use trace::{Counted, TraceError, count};

/// Maximum number of instructions for the second half of a message. Stepping one takes 3 to 20 microseconds.
const STEPS: u64 = 100_000;
/// Maximum number of instructions in total, which may include building tables.
const MOST: u64 = 4_000_000;
/// Length of the longest message. BLAKE3 hashes 16 KiB of one at once.
const LONGEST: u64 = 64 * 1024;
/// Messages up to this length are hashed in batches by kernels with lanes, longer ones on the mill.
const BATCH: u64 = 2048;
/// Maximum number of bytes that one iteration of a loop takes, unless a block is longer. A loop with longer iterations
/// contains another one.
const TURN: u64 = 256;

/// Tells a child process that it is one, and the number of bytes. Not an option, because shells would offer it to
/// users.
const CHILD: &str = "HASHMILL_LISTING_CHILD";

/// What to list.
enum Subject {
    Kernel { algorithm: Algorithm, kernel: &'static str, lanes: u64 },
    Program { words: Vec<String>, name: String },
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Kernel { algorithm, kernel, .. } => write!(f, "{algorithm}/{kernel}"),
            // The words are whatever the user typed.
            Subject::Program { words, name } => {
                write!(f, "{}: {}", words.join(" ").escape_debug(), name.escape_debug())
            }
        }
    }
}

/// Parses an algorithm and a kernel of it that this CPU supports: `crc32/slicing8`, or `crc32` for the active kernel.
fn engine(text: &str) -> Result<(Engine, &'static str, usize), hashmill::Error> {
    // Names with parameters contain slashes, too: cubehash160+16/32.
    let (algorithm, kernel) = match (text.parse::<Algorithm>(), text.rsplit_once('/')) {
        (Ok(a), _) => (a, None),
        (Err(_), Some((a, kernel))) => (a.parse()?, Some(kernel)),
        (Err(e), None) => return Err(e),
    };
    let kernels = algorithm.kernels();
    let named = match kernel {
        Some(kernel) => kernel,
        None => kernels.iter().find(|k| k.active).map_or("portable", |k| k.name),
    };
    let engine = algorithm.with_kernel(named)?;
    let name = engine.forced_kernel().unwrap_or_default();
    let lanes = kernels.iter().find(|k| k.name == name).map_or(1, |k| k.lanes);
    Ok((engine, name, lanes))
}

/// The child's part: hashes `bytes` bytes in every lane, twice, and stops after each time.
fn traced(name: &str, bytes: &str) -> ExitCode {
    let wrong = |e: String| {
        hashmill_measure::run::say("bench codegen", e);
        ExitCode::from(2)
    };
    let (engine, lanes) = match engine(name) {
        Ok((engine, _, lanes)) => (engine, lanes),
        Err(e) => return wrong(e.to_string()),
    };
    let Some(bytes) = bytes.parse().ok().filter(|n| (1..=1 << 24).contains(n)) else {
        return wrong(format!("'{bytes}' is no number of bytes"));
    };
    let data = runner::message(bytes * lanes);
    let messages: Vec<&[u8]> = data.chunks_exact(bytes).collect();
    let mut digests = vec![0; engine.algorithm().digest_len() * lanes];
    for _ in 0..2 {
        let done = match lanes {
            1 => engine.digest_into(black_box(&data), &mut digests),
            _ => engine.digest_slices_into(black_box(&messages), Encoding::Raw, &mut digests),
        };
        black_box(&mut digests);
        if let Err(e) = done {
            return wrong(e.to_string());
        }
        if let Err(e) = raise(Signal::SIGSTOP) {
            return wrong(format!("cannot stop itself: {e}"));
        }
    }
    ExitCode::SUCCESS
}

/// Returns the least common multiple.
fn common_multiple(a: u64, b: u64) -> u64 {
    let (mut x, mut y) = (a, b);
    while y > 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}

/// Returns by what power of two the longer message can grow if its second half now takes this many instructions.
fn factor(steps: u64) -> u64 {
    let mut factor = 1;
    while steps.saturating_mul(2 * factor) <= STEPS && factor < LONGEST {
        factor *= 2;
    }
    factor
}

/// Counts instructions for messages of one length and of twice that length, and returns the length and both counts. The
/// messages are long, because loop iterations take many bytes and long messages may be hashed differently from short
/// ones, but not so long that it takes a minute.
fn pair(
    block: u64,
    lanes: u64,
    mut count: impl FnMut(u64) -> Result<Counted, TraceError>,
) -> Result<(u64, Counted, Counted), TraceError> {
    let steps = |short: &Counted, long: &Counted| long.steps.saturating_sub(short.steps);
    let mut bytes = if lanes > 1 { 4 * block } else { common_multiple(block, 16) };
    let (mut short, mut long) = (count(bytes)?, count(2 * bytes)?);
    if lanes > 1 {
        let mut lengths = (0..=factor(steps(&short, &long)).ilog2()).map(|power| bytes << power);
        let mill = lengths.clone().find(|&n| n > BATCH);
        let longest = mill.or(lengths.rfind(|&n| 2 * n <= BATCH)).unwrap_or(bytes);
        return match longest == bytes {
            true => Ok((bytes, short, long)),
            false => Ok((longest, count(longest)?, count(2 * longest)?)),
        };
    }
    // Short messages take more instructions per byte than long ones, so the possible length is found step by step.
    loop {
        let mut factor = factor(steps(&short, &long));
        while 2 * bytes * factor > LONGEST && factor > 1 {
            factor /= 2;
        }
        match factor {
            1 => return Ok((bytes, short, long)),
            2 => (bytes, short) = (2 * bytes, long),
            n => {
                bytes *= n;
                short = count(bytes)?;
            }
        }
        long = count(2 * bytes)?;
    }
}

impl Subject {
    fn command(&self, bytes: u64) -> Result<Command, TraceError> {
        Ok(match self {
            Subject::Kernel { algorithm, kernel, .. } => {
                let mut command = Command::new(env::current_exe().map_err(TraceError::Start)?);
                command.args(["bench", "codegen", "--listing", &format!("{algorithm}/{kernel}")]);
                command.env(CHILD, bytes.to_string());
                command
            }
            Subject::Program { words, name } => {
                let mut command = Command::new(words.first().map_or("", String::as_str));
                command.args(words.iter().skip(1)).arg(name).arg(bytes.to_string());
                command
            }
        })
    }

    fn count(&self, bytes: u64) -> Result<Counted, TraceError> {
        count(self.command(bytes)?, MOST)
    }

    /// Returns the number of messages and their block length.
    fn shape(&self) -> (u64, u64) {
        match self {
            Subject::Kernel { algorithm, lanes, .. } => (*lanes, algorithm.block_len() as u64),
            Subject::Program { .. } => (1, 1),
        }
    }

    fn listing(&self, progress: &mut Progress) -> Result<Option<Listing>, TraceError> {
        let (lanes, block) = self.shape();
        let (bytes, short, long) = pair(block, lanes, |bytes| {
            progress.note(&format!("{self}, {bytes} bytes"));
            self.count(bytes)
        })?;
        let names = match self {
            Subject::Kernel { algorithm, kernel, .. } => (algorithm.name().into_owned(), Some((*kernel).to_string())),
            Subject::Program { name, .. } => (name.clone(), None),
        };
        // Lanes proceed block by block.
        let turn = if lanes > 1 { block * lanes } else { TURN.max(block) };
        Ok(listing(names, &short, &long, bytes * lanes, turn))
    }
}

/// Interprets a name from the list.
fn subject(name: &str, program: Option<&str>) -> Result<Subject, hashmill::Error> {
    if let Some(program) = program {
        let words = program.split_whitespace().map(String::from).collect();
        return Ok(Subject::Program { words, name: name.into() });
    }
    let (engine, kernel, lanes) = engine(name)?;
    Ok(Subject::Kernel { algorithm: engine.algorithm(), kernel, lanes: lanes as u64 })
}

/// Lists all of them, or does the child's part.
pub(super) fn run(names: &[String], program: Option<&str>, output: &OutputArgs) -> ExitCode {
    if let (Ok(bytes), [name]) = (env::var(CHILD), names) {
        return traced(name, &bytes);
    }
    let mut session = Session::begin_untimed("bench codegen");
    let mut listings = Vec::new();
    let mut progress = Progress::new("bench codegen", names.len()).at_once();
    for name in names {
        if sys::interrupted() {
            break;
        }
        progress.step(name);
        let subject = match subject(name, program) {
            Ok(s) => s,
            Err(e) => {
                session.error(e);
                continue;
            }
        };
        let listing = subject.listing(&mut progress);
        progress.clear();
        match listing {
            Ok(Some(listing)) => {
                // Print each as soon as it is ready, because a kernel takes seconds.
                if !output.json {
                    let head = if listings.is_empty() { head(session.machine().line()) } else { String::new() };
                    if let Err(e) = emit(&format!("{head}\n{}", listing.text())) {
                        session.error(format!("cannot write: {e}"));
                        break;
                    }
                }
                listings.push(listing);
            }
            Ok(None) => session.error(format!("{subject}: a longer message takes it no more instructions")),
            Err(TraceError::Interrupted) => break,
            Err(e @ TraceError::Refused(_)) => {
                // The others would be refused, too.
                session.error(e);
                break;
            }
            Err(e) => session.error(format!("{subject}: {e}")),
        }
    }
    let findings = Findings { details: json!({ "listings": listings }), ..Findings::default() };
    output.show(session.end(findings), "", None)
}

fn head(machine: String) -> String {
    format!("Machine code of loops, as it runs on {machine}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let of = |text: &str| engine(text).map(|(e, kernel, lanes)| (e.algorithm().to_string(), kernel, lanes));
        assert_eq!(of("crc32/slicing8").unwrap(), ("crc32".to_string(), "slicing8", 1));
        let active = Algorithm::named("md5").unwrap().kernels().into_iter().find(|k| k.active).unwrap().name;
        assert_eq!(of("md5").unwrap().1, active);
        assert_eq!(of("cubehash160+16/32+160-512/portable").unwrap().1, "portable");
        assert_eq!(of("cubehash160+16/32+160-512").unwrap().0, "cubehash512");
        assert!(of("nonesuch").unwrap_err().to_string().starts_with("unknown algorithm 'nonesuch'"));
        assert!(of("nonesuch/portable").unwrap_err().to_string().starts_with("unknown algorithm 'nonesuch'"));
        let unknown = of("crc32/portabel").unwrap_err().to_string();
        assert!(unknown.contains("portabel") && unknown.contains("slicing8"), "{unknown}");
    }

    #[test]
    fn lengths() {
        assert_eq!((common_multiple(136, 16), common_multiple(64, 16), common_multiple(1, 16)), (272, 64, 16));
        // A function that takes 10 000 instructions to start and then a fixed number per byte.
        let of = |block, lanes, per_byte: f64| {
            let ran = |bytes: u64| {
                assert!(bytes % block == 0 && bytes <= LONGEST);
                Ok(Counted { steps: 10_000 + (per_byte * (bytes * lanes) as f64) as u64, ..Counted::default() })
            };
            let (bytes, short, long) = pair(block, lanes, ran).unwrap();
            // With wide or slow kernels, a few blocks already take more instructions than the limit.
            assert!(
                long.steps - short.steps <= STEPS || bytes == 4 * block,
                "{block} {lanes} {per_byte}: {}",
                long.steps
            );
            assert!(((long.steps - short.steps) as f64 - per_byte * (bytes * lanes) as f64).abs() <= 1.0);
            bytes
        };
        assert_eq!((of(1, 1, 0.1), of(64, 1, 1.0), of(1, 1, 4.0)), (LONGEST / 2, LONGEST / 2, 16 * 1024));
        assert_eq!((of(136, 1, 50.0), of(1, 1, 3000.0)), (272 * 4, 32));
        // Either both lengths are hashed in a batch, or neither is.
        assert_eq!((of(64, 32, 0.6), of(64, 32, 5.0), of(64, 32, 12.0)), (4096, 512, 256));
        assert_eq!((of(136, 8, 2.0), of(136, 8, 6.0), of(136, 8, 10.0)), (544 * 4, 544, 544));
        assert_eq!(of(16, 256, 9.0), 64);
    }
}
