//! The `hashmill` command: one file per subcommand, each no more than arguments in and lines out.

mod check;
mod cli;
mod common;
mod extras;
mod list;
mod output;
mod progress;
mod sum;
mod target;
mod usage;

use clap::{Args, FromArgMatches};
use cli::{Cli, Command};
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::{Command as Process, ExitCode};
use usage::{USAGE, only, parsed, usage};

fn main() -> ExitCode {
    if let Err(e) = hashmill::check_kernel_preference() {
        output::message(&format!("HASHMILL_KERNEL: {e}"));
        return ExitCode::from(USAGE);
    }
    let mut args = std::env::args_os().skip(1);
    match args.next().as_deref().and_then(|a| a.to_str()) {
        Some("speed" | "bench" | "results") => return beside("hashmill-measure"),
        Some("copy") => return beside("hashmill-copy"),
        // To describe every subcommand to clap takes longer than to hash a small file.
        Some("sum") => {
            let args: Vec<OsString> = args.collect();
            let args = cli::SumArgs::quick(&args).unwrap_or_else(|| {
                parsed(
                    "hashmill sum",
                    cli::with_security(cli::SumArgs::augment_args(clap::Command::new("hashmill sum"))),
                    args.into_iter(),
                )
            });
            return sum::run(&args);
        }
        Some("check") => return check::run(&only("hashmill check", args)),
        _ => {}
    }
    let cli = cli::command()
        .try_get_matches()
        .and_then(|m| Cli::from_arg_matches(&m))
        .unwrap_or_else(|e| usage(&e, "hashmill"));
    match cli.command {
        Command::Sum(a) => sum::run(&a),
        Command::Check(a) => check::run(&a),
        Command::List(a) => list::run(&a),
        Command::Completions(a) => extras::completions(&a),
        Command::Man(a) => extras::man(&a),
        Command::Speed(_) | Command::Bench(_) | Command::Results(_) => beside("hashmill-measure"),
        Command::Copy(_) => beside("hashmill-copy"),
    }
}

/// Becomes another program, which lies beside this one. What measures loads libcrypto, and can only be linked dynamically; what copies has a
/// database and readers of metadata in it. What hashes is linked statically and starts sooner.
fn beside(name: &str) -> ExitCode {
    let program = std::env::current_exe().map(|this| this.with_file_name(name));
    let failed = program.map(|program| {
        let cause = Process::new(&program).args(std::env::args_os().skip(1)).exec();
        (program, cause)
    });
    match failed {
        Ok((program, cause)) => {
            output::message(&format!(
                "{}: {cause}: install it beside hashmill, it is built with it",
                program.display()
            ));
        }
        Err(cause) => output::message(&format!("cannot tell where this program lies: {cause}")),
    }
    ExitCode::FAILURE
}
