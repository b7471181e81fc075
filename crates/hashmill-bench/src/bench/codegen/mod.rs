//! `hashmill bench codegen`: the effect of compiler flags on portable code, and the machine code of a kernel.

mod build;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod listing;
#[allow(dead_code, reason = "its main function is that of the program that is built from it")]
mod runner;
mod show;

use build::{BuildError, Compiler, Runner, Workshop};
use clap::{Args, ValueHint};
use hashmill::Algorithm;
use hashmill_measure::arguments::whole;
use hashmill_measure::paired::{self, Plan, Rotation, Side};
use hashmill_measure::run::{Findings, Pairing, Series, Session, Unit};
use hashmill_measure::stats::Summary;
use hashmill_measure::sys;
use hashmill_peers::arguments::{AlgorithmList, algorithms, flatten, message_size};
use hashmill_results::output::OutputArgs;
use serde::Serialize;
use serde_json::json;
use std::cell::Cell;
use std::fmt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Duration;

const DEFAULT: [&str; 4] = ["sha1", "md5", "sha512", "cubehash512"];

/// Measure the portable kernels built with other compiler flags
///
/// Builds a small program around the library once for every optimisation level and CPU, and lets all of them take turns
/// every few milliseconds on the same message. Needs hashmill's source and Rust. A build takes about a minute the first
/// time and nothing as long as the source stays as it is.
///
/// With --listing it builds nothing, and prints the machine code of a kernel's loop.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill bench codegen
  hashmill bench codegen sha256 tiger192-3 --opt 2,3 --cpu baseline,native
  hashmill bench codegen --listing crc32/slicing8,md5/avx512x32
  hashmill bench codegen --listing crc --program './checksum --trace'

--program 'A B' runs `A B NAME BYTES` several times, with NAME from --listing
and with different numbers of bytes up to 65536. Each time it hashes that many
bytes in its first thread, by whatever NAME means to it, stops itself with
SIGSTOP, hashes them again, stops itself again, and ends. Between the stops there may be
4000000 instructions.
")]
pub struct CodegenArgs {
    /// Algorithms; sha1 md5 sha512 cubehash512 by default
    #[arg(value_name = "ALG", value_parser = algorithms)]
    algorithms: Vec<AlgorithmList>,

    /// More algorithms, as an option
    #[arg(short = 'a', long = "algorithm", value_name = "ALG[,ALG…]", value_parser = algorithms)]
    more: Vec<AlgorithmList>,

    /// Optimization levels: 0, 1, 2, 3, s (small) or z (smaller)
    #[arg(long, value_name = "LEVEL", value_delimiter = ',', default_value = "1,2,3,s",
          value_parser = ["0", "1", "2", "3", "s", "z"])]
    opt: Vec<String>,

    /// CPUs: baseline (what every CPU of the kind can run), native (this one), or those of `rustc --print target-cpus`
    #[arg(long, value_name = "CPU", value_delimiter = ',', default_value = "baseline,native", value_parser = cpu)]
    cpu: Vec<String>,

    /// hashmill's source; by default the one around the current folder
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    source: Option<PathBuf>,

    /// Where to build; by default target/codegen in the source
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    target_dir: Option<PathBuf>,

    /// Length of the message
    #[arg(long, value_name = "BYTES", default_value = "16384", value_parser = message_size)]
    size: usize,

    /// Number of repetitions
    #[arg(long = "reps", value_name = "N", default_value_t = 100, value_parser = whole(1..=1_000_000))]
    pairs: u64,

    /// Print the machine code of the loop of these kernels, as it runs on this CPU, and its instructions a byte
    ///
    /// Nothing is built: a child of this program hashes two messages of different lengths and is followed instruction
    /// by instruction. What runs more often for the longer one is the loop; without a kernel it is that of the active
    /// one. x86-64 Linux only.
    #[arg(long, value_name = "ALG[/KERNEL],…", value_delimiter = ',', conflicts_with_all = MEASURING,
          help_heading = "Machine code")]
    listing: Vec<String>,

    /// The same of a program of your own, in any language: its name and arguments, split at spaces
    #[arg(long, value_name = "PROGRAM", requires = "listing", help_heading = "Machine code")]
    program: Option<String>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// What --listing has no use for.
const MEASURING: [&str; 11] =
    ["algorithms", "more", "opt", "cpu", "source", "target_dir", "size", "pairs", "svg", "save", "db"];

/// Parses a name that can be part of a flag and of a file name.
fn cpu(text: &str) -> Result<String, String> {
    let fine = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    match !text.is_empty() && text.chars().all(fine) {
        true => Ok(text.into()),
        false => Err(format!("'{text}' is no CPU: baseline, native, or one of `rustc --print target-cpus`")),
    }
}

/// A build variant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Variant {
    opt: String,
    cpu: String,
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "opt-level {}, {}", self.opt, self.cpu)
    }
}

/// Measurements of one algorithm.
struct Measured {
    algorithm: String,
    /// Rates of every variant.
    rotation: Rotation,
}

impl Measured {
    /// Returns the bytes per second of a variant.
    fn rate(&self, variant: usize) -> Option<Summary> {
        self.rotation.summary(variant)
    }

    /// Returns how many times as fast variant `a` is as variant `b`.
    fn ratio(&self, a: usize, b: usize) -> Option<Summary> {
        Summary::of(&self.rotation.ratios(a, b))
    }
}

/// Runs the measurement.
pub fn run(args: &CodegenArgs) -> ExitCode {
    if !args.listing.is_empty() {
        return list(args);
    }
    let (compiler, mut runners) = match prepared(args) {
        Ok(r) => r,
        Err(e) => {
            hashmill_measure::run::say("bench codegen", e);
            return ExitCode::FAILURE;
        }
    };
    let variants = args.variants();
    let mut chosen = flatten(args.algorithms.iter().chain(&args.more));
    if chosen.is_empty() {
        chosen = DEFAULT.iter().filter_map(|n| n.parse().ok()).collect();
    }
    // Building is over. From here on, Ctrl-C ends the measurement, and the machine is watched.
    let mut session = Session::begin("bench codegen");
    let (mut findings, mut results) = (Findings::default(), Vec::new());
    let reference = reference(&variants);
    for a in chosen {
        if sys::interrupted() {
            break;
        }
        match measure(a, &mut runners, args) {
            Ok(Some(rotation)) => {
                let measured = Measured { algorithm: a.name().into_owned(), rotation };
                measured.keep(&variants, reference, args.size, &mut findings);
                results.push(measured);
            }
            Ok(None) => {}
            Err(e) => session.error(e),
        }
    }
    // Their CPU time counts as ours once they have exited.
    drop(runners);
    let machine = session.machine().line();
    let words = show::words(&results, &variants);
    let head = format!(
        "`portable` on one message of {} bytes, on one core of {machine}; {compiler}\n",
        args.size,
        compiler = compiler.version
    );
    let text = show::table(&results, &variants, reference, &head, &words);
    let chart = show::chart(&results, &variants, &machine);
    findings.details = json!({
        "size": args.size, "compiler": compiler.version, "variants": variants, "reference": reference, "words": words,
        "results": show::cells(&results, &variants, reference),
    });
    args.output.show(session.end(findings), &text, Some(&chart))
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn list(args: &CodegenArgs) -> ExitCode {
    listing::run(&args.listing, args.program.as_deref(), &args.output)
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
fn list(_args: &CodegenArgs) -> ExitCode {
    eprintln!("hashmill: bench codegen: --listing needs Linux on x86-64");
    ExitCode::FAILURE
}

impl CodegenArgs {
    fn variants(&self) -> Vec<Variant> {
        let mut variants = Vec::new();
        for cpu in &self.cpu {
            for opt in &self.opt {
                let variant = Variant { opt: opt.clone(), cpu: cpu.clone() };
                if !variants.contains(&variant) {
                    variants.push(variant);
                }
            }
        }
        variants
    }
}

/// Returns the variant that the others are compared with: level 3 for every CPU, as in a release, or the nearest one.
fn reference(variants: &[Variant]) -> usize {
    let rank = |v: &Variant| (v.cpu != "baseline", ["3", "2", "1", "s", "z", "0"].iter().position(|o| *o == v.opt));
    (0..variants.len()).min_by_key(|&i| rank(&variants[i])).unwrap_or(0)
}

/// Builds and starts all variants.
fn prepared(args: &CodegenArgs) -> Result<(Compiler, Vec<Runner>), BuildError> {
    let source = build::source(args.source.as_deref())?;
    let compiler = Compiler::find(&source)?;
    let shop = Workshop::open(source, args.target_dir.as_deref(), compiler.clone())?;
    let variants = args.variants();
    let mut runners = Vec::new();
    for (i, v) in variants.iter().enumerate() {
        eprintln!("hashmill: bench codegen: building {v} ({} of {})", i + 1, variants.len());
        runners.push(Runner::start(Command::new(shop.build(v)?), v)?);
    }
    Ok((compiler, runners))
}

/// Lets all variants take turns, if their digests match ours.
fn measure(a: Algorithm, runners: &mut [Runner], args: &CodegenArgs) -> Result<Option<Rotation>, BuildError> {
    let (name, bytes) = (a.name(), args.size);
    let ours = a.digest(&runner::message(bytes)).to_string();
    for r in runners.iter_mut() {
        r.check(&name, bytes, &ours)?;
    }
    let clock = Cell::new(Duration::ZERO);
    let failed: Cell<Option<BuildError>> = Cell::new(None);
    let side = |r: &mut Runner, times: u64| {
        // After a failure, there is nothing left to wait for.
        let time = r.run(&name, bytes, times).unwrap_or_else(|e| {
            failed.set(Some(e));
            Duration::from_secs(1)
        });
        clock.set(time);
    };
    let mut sides: Vec<Side> =
        runners.iter_mut().map(|r| Side::new(bytes as f64, move |times| side(r, times)).clock(&clock)).collect();
    let plan = Plan { pairs: args.pairs as usize, ..Plan::default() };
    let rotation = paired::rotate(&mut sides, &plan);
    drop(sides);
    match failed.take() {
        Some(e) => Err(e),
        None => Ok(rotation),
    }
}

impl Measured {
    fn keep(&self, variants: &[Variant], reference: usize, bytes: usize, findings: &mut Findings) {
        let first = findings.series.len();
        for (v, rates) in variants.iter().zip(&self.rotation.rates) {
            let series = Series::ours(&self.algorithm, "portable", Unit::BytesPerSecond, rates.clone());
            let series = series.bytes(bytes as u64).mode("one stream");
            findings.series.push(series.parameter("opt", &v.opt).parameter("cpu", &v.cpu));
        }
        for i in (0..variants.len()).filter(|&i| i != reference) {
            let ratios = self.rotation.ratios(i, reference);
            findings.pairings.push(Pairing::new(first + i, first + reference, ratios));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_runner_answers() {
        let mut kept = Vec::new();
        let a: Algorithm = "sha512".parse().unwrap();
        let right = a.digest(&runner::message(1000)).to_string();
        assert_eq!(runner::answer("digest sha512 1000", &mut kept), Ok(right));
        assert_eq!(kept.len(), 1000);
        let time: u64 = runner::answer("run sha512 100 50", &mut kept).unwrap().parse().unwrap();
        assert!(time > 0 && kept.len() == 100);
        for (line, error) in [
            ("", "unknown request ''"),
            ("run md5 5", "unknown request 'run md5 5'"),
            ("digest md5 x", "'x' is no number of bytes"),
            ("run md5 5 -1", "'-1' is no number of times"),
        ] {
            assert_eq!(runner::answer(line, &mut kept), Err(error.to_string()));
        }
        assert!(runner::answer("digest nonesuch 5", &mut kept).unwrap_err().starts_with("unknown algorithm"));
    }

    #[test]
    fn the_runners_message_is_ours() {
        assert_eq!(runner::message(1001), hashmill_measure::random::noise(1001));
    }

    #[test]
    fn what_others_are_compared_with() {
        let all = |list: &[(&str, &str)]| -> Vec<Variant> {
            list.iter().map(|(o, c)| Variant { opt: (*o).into(), cpu: (*c).into() }).collect()
        };
        assert_eq!(reference(&all(&[("1", "baseline"), ("3", "baseline"), ("3", "native")])), 1);
        assert_eq!(reference(&all(&[("3", "native"), ("s", "baseline")])), 1);
        assert_eq!(reference(&all(&[("2", "native"), ("3", "native")])), 1);
    }

    #[test]
    fn cpus_are_names() {
        assert!(["native", "x86-64-v3", "znver4"].iter().all(|c| cpu(c).is_ok()));
        assert!(["", "a b", "../x", "native,"].iter().all(|c| cpu(c).is_err()));
    }
}
