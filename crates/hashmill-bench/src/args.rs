//! The command line of `bench`, as data.

use crate::bench;
use clap::{Args, Subcommand};
use hashmill::Algorithm;
use hashmill::unstable::nearest;
use hashmill_results::OutputArgs;
use hashmill_results::output::join_save;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

/// Measure: kernels, loops, files, ways to read, against other implementations
///
/// Whatever is compared alternates in slices of a few milliseconds in one run; the result is the median of the ratios
/// with its 95 % interval. Without a kind it is `lanes`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hashmill bench md5 sha256                 lanes against the best single stream
  hashmill bench kernels sha256             its kernels, 64 B to 16 KiB
  hashmill bench loops --peer php           the loop survey, against PHP's hash()
  hashmill bench files ~/Pictures           the photo test
  hashmill bench copy                       photo import, against cp and rsync
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
    Choice(bench::choice::ChoiceArgs),
    Sum(bench::sum::SumArgs),
    Copy(bench::copy::CopyArgs),
    Scaling(bench::scaling::ScalingArgs),
    Codegen(bench::codegen::CodegenArgs),
    Suite(bench::suite::SuiteArgs),
}

impl BenchArgs {
    /// Names of the kinds of measurement.
    pub const KINDS: [&str; 11] =
        ["lanes", "loops", "files", "io", "kernels", "choice", "sum", "copy", "scaling", "codegen", "suite"];

    /// The arguments in the form that clap reads: with the kind of measurement in front, and a name after `--save`
    /// joined to it. Without a kind it is lanes. What is nearly the name of a kind stays, so that the kind that was
    /// meant is told, unless it is an algorithm.
    pub fn complete(mut args: Vec<OsString>) -> Vec<OsString> {
        let nearly = |a: &str| {
            !nearest(a, Self::KINDS.map(|k| (k, ()))).is_empty()
                && !a.starts_with('-')
                && Algorithm::parse_list(a).is_err()
        };
        let asked = ["--help", "-h", "--version", "-V"];
        let kind = |a: &OsString| {
            asked.iter().any(|k| a == k) || a.to_str().is_some_and(|a| Self::KINDS.contains(&a) || nearly(a))
        };
        if !args.first().is_some_and(kind) {
            args.insert(0, "lanes".into());
        }
        // Where files are measured, an existing path is an operand.
        let files = ["files", "io", "sum", "copy", "suite"].iter().any(|kind| args[0] == *kind);
        let is_algorithm = |a: &str| {
            let family = Algorithm::all().any(|known| known.family().eq_ignore_ascii_case(a));
            family || Algorithm::parse_list(a).is_ok()
        };
        join_save(args, |a| if files { Path::new(a).exists() } else { is_algorithm(a) })
    }

    /// Returns the output options of the subcommand.
    fn output(&self) -> &OutputArgs {
        match &self.command {
            BenchCommand::Lanes(a) => &a.output,
            BenchCommand::Loops(a) => &a.output,
            BenchCommand::Files(a) => &a.output,
            BenchCommand::Io(a) => &a.output,
            BenchCommand::Kernels(a) => &a.output,
            BenchCommand::Choice(a) => &a.output,
            BenchCommand::Scaling(a) => &a.output,
            BenchCommand::Sum(a) => &a.output,
            BenchCommand::Copy(a) => &a.output,
            BenchCommand::Codegen(a) => &a.output,
            BenchCommand::Suite(a) => &a.output,
        }
    }

    /// Runs the subcommand.
    pub fn run(self) -> ExitCode {
        // Minutes of measurement must not be lost because a folder does not exist.
        if let Err(e) = self.output().ready() {
            hashmill_measure::run::say("bench", e);
            return ExitCode::FAILURE;
        }
        hashmill_measure::paired::plant_as_told();
        match self.command {
            BenchCommand::Lanes(a) => bench::lanes::run(&a),
            BenchCommand::Loops(a) => bench::loops::run(&a),
            BenchCommand::Files(a) => bench::files::run(&a),
            BenchCommand::Io(a) => bench::io::run(&a),
            BenchCommand::Kernels(a) => bench::kernels::run(&a),
            BenchCommand::Choice(a) => bench::choice::run(&a),
            BenchCommand::Scaling(a) => bench::scaling::run(&a),
            BenchCommand::Sum(a) => bench::sum::run(&a),
            BenchCommand::Copy(a) => bench::copy::run(&a),
            BenchCommand::Codegen(a) => bench::codegen::run(&a),
            BenchCommand::Suite(a) => bench::suite::run(&a),
        }
    }
}
