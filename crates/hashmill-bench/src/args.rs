//! The command lines of `bench` and `results`, as data. (`speed` has OpenSSL's, in [`crate::speed`].)

use crate::bench;
use crate::results::ResultsCommand;
use clap::{Args, Subcommand, ValueHint};
use hashmill::Algorithm;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::process::ExitCode;

/// Measure: kernels, loops, files, ways to read, beside other implementations
///
/// Whatever is compared alternates in slices of a few milliseconds in one run; the result is the median of the ratios
/// with its 95 % interval. Without a kind it is `lanes`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill bench md5 sha256                 lanes beside the best single stream
  hashmill bench kernels sha256             its kernels, 64 B to 16 KiB
  hashmill bench loops --peer php           the loop survey, beside PHP's hash()
  hashmill bench files ~/Pictures           the photo test
  hashmill bench copy                       photo import, beside cp and rsync
  hashmill bench io debian.iso              ways to read a file, their memory
  hashmill bench kernels md5 --save=before  keep the run for `hashmill results`
")]
pub struct BenchArgs {
    #[command(subcommand)]
    command: BenchCommand,
}

#[derive(Debug, Subcommand)]
enum BenchCommand {
    Lanes(bench::lanes::LanesArgs),
    Loops(bench::loops::LoopsArgs),
    Files(bench::files::FilesArgs),
    Io(bench::io::IoArgs),
    Kernels(bench::kernels::KernelsArgs),
    Sum(bench::sum::SumArgs),
    Copy(bench::copy::CopyArgs),
    Codegen(bench::codegen::CodegenArgs),
}

impl BenchArgs {
    /// The kinds of measurement.
    pub const KINDS: [&str; 8] = ["lanes", "loops", "files", "io", "kernels", "sum", "copy", "codegen"];

    /// Runs it.
    pub fn run(self) -> ExitCode {
        match self.command {
            BenchCommand::Lanes(a) => bench::lanes::run(&a),
            BenchCommand::Loops(a) => bench::loops::run(&a),
            BenchCommand::Files(a) => bench::files::run(&a),
            BenchCommand::Io(a) => bench::io::run(&a),
            BenchCommand::Kernels(a) => bench::kernels::run(&a),
            BenchCommand::Sum(a) => bench::sum::run(&a),
            BenchCommand::Copy(a) => bench::copy::run(&a),
            BenchCommand::Codegen(a) => bench::codegen::run(&a),
        }
    }
}

/// Look at runs that were kept with --save
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill bench kernels sha256 --save=before     keep a run under a name
  hashmill results list                           what was kept
  hashmill results compare before last --fail-if slower:5%
  hashmill results history sha256                 one algorithm in all runs

Files:
  ~/.local/share/hashmill/results.db   the store; or below $XDG_DATA_HOME
")]
pub struct ResultsArgs {
    #[command(subcommand)]
    pub(crate) command: ResultsCommand,

    /// The store; $XDG_DATA_HOME/hashmill/results.db (~/.local/share/hashmill/results.db) if not given
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, global = true)]
    pub(crate) db: Option<PathBuf>,
}

impl ResultsArgs {
    /// Runs it.
    pub fn run(self) -> ExitCode {
        crate::results::run(&self)
    }
}

/// Where results go.
#[derive(Debug, Clone, Default, Args)]
pub struct OutputArgs {
    /// JSON with every sample
    #[arg(long, help_heading = "Output")]
    pub json: bool,

    /// Draw a chart into this file (SVG)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub svg: Option<PathBuf>,

    /// Keep the run, under a name if one is given (--save=NAME); see `hashmill results --help`
    #[arg(long, value_name = "TAG", num_args = 0..=1, require_equals = true, default_missing_value = "",
          help_heading = "Output")]
    pub save: Option<String>,

    /// The store to keep it in; $XDG_DATA_HOME/hashmill/results.db if not given
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub db: Option<PathBuf>,
}

/// Algorithms, one argument each or in lists with commas.
#[derive(Debug, Clone)]
pub struct AlgorithmList(pub Vec<Algorithm>);

/// For clap's `value_parser`.
///
/// # Errors
/// For names that are none, with the nearest.
pub fn algorithms(text: &str) -> Result<AlgorithmList, hashmill::Error> {
    Algorithm::parse_list(text).map(AlgorithmList)
}

/// Lists one after the other, without repetitions.
pub fn flatten(lists: &[AlgorithmList]) -> Vec<Algorithm> {
    let mut all: Vec<Algorithm> = Vec::new();
    for a in lists.iter().flat_map(|l| &l.0) {
        if !all.contains(a) {
            all.push(*a);
        }
    }
    all
}

/// A number of bytes: `5000`, `64k`, `16KiB`, `1M`, `2GB`. k, M and G are 1024, 1024² and 1024³, kB, MB and GB 1000 and
/// so on.
///
/// # Errors
/// With one line that says what is allowed.
pub fn size(text: &str) -> Result<u64, String> {
    let wrong =
        || format!("'{text}' is no size: a whole number, with k, M or G for powers of 1024 (kB, MB, GB: of 1000)");
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let factor: u64 = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "kb" => 1000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        _ => return Err(wrong()),
    };
    let number: u64 = number.parse().map_err(|_| wrong())?;
    number.checked_mul(factor).ok_or_else(wrong)
}

/// For clap's `value_parser`: a whole number in this range.
pub fn whole(range: RangeInclusive<u64>) -> impl Fn(&str) -> Result<u64, String> + Clone {
    move |text| {
        let found = text.parse().ok().filter(|n| range.contains(n));
        found.ok_or_else(|| format!("it is a whole number from {} to {}", range.start(), range.end()))
    }
}

/// A size of a message: 1 byte to 1 GiB.
///
/// # Errors
/// With one line that says what is allowed.
pub fn message_size(text: &str) -> Result<usize, String> {
    let n = size(text)?;
    match usize::try_from(n) {
        Ok(n) if (1..=1 << 30).contains(&n) => Ok(n),
        _ => Err(format!("'{text}' is out of range: messages have 1 byte to 1 GiB")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (text, bytes) in [("5", 5), ("64k", 65536), ("16KiB", 16384), ("1kB", 1000), ("2G", 2 << 30), ("0", 0)] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in ["", "k", "-1", "1.5k", "5x", "99999999999999999999", "18446744073709551615k"] {
            assert!(size(text).is_err(), "{text}");
        }
        assert!(message_size("0").is_err() && message_size("2G").is_err());
    }
}
