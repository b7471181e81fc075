//! The `hashmill` command.

#![cfg_attr(all(target_os = "linux", target_env = "gnu", not(test)), no_main)]

mod args;
mod commands;
#[cfg(all(target_os = "linux", target_env = "gnu", not(test)))]
mod entry;
mod programs;
mod terminal;

use args::cli::{self, Command};
use args::usage::USAGE;
#[cfg(feature = "copy")]
use commands::copy;
use commands::{audit, bag, check, completions, diff, dups, links, list, man, merge, mhl, sum, update};
#[cfg(feature = "measure")]
use commands::{bench, results, speed};
use std::ffi::OsString;
use std::process::ExitCode;
use terminal::output;

#[cfg(not(all(target_os = "linux", target_env = "gnu", not(test))))]
fn main() -> ExitCode {
    run()
}

fn run() -> ExitCode {
    hashmill_files::allow_mapping(true);
    if let Err(e) = hashmill::check_kernel_preference() {
        output::message(&format!("HASHMILL_KERNEL: {e}"));
        return ExitCode::from(USAGE);
    }
    let mut args = std::env::args_os();
    let called = args.next().unwrap_or_default();
    if let Some(program) = programs::called(&called) {
        return programs::run(program, called, args);
    }
    let mut args = help_as_option(args).into_iter().peekable();
    // `hashmill sum` is a subcommand, not the coreutils program.
    let other = args.peek().and_then(|name| programs::PROGRAMS.into_iter().find(|p| name == p.name && p.name != "sum"));
    if let Some(program) = other {
        return programs::run(program, args.next().unwrap_or_default(), args);
    }
    let command = cli::parse(args);
    #[cfg(feature = "measure")]
    if matches!(command, Command::Speed(_) | Command::Bench(_) | Command::Results(_)) && !output::is_open() {
        return ExitCode::FAILURE;
    }
    match command {
        Command::Sum(a) => match &a.update {
            Some(list) => update::run(list, &a),
            None => sum::run(&a),
        },
        Command::Check(a) => check::run(&a),
        Command::Audit(a) => audit::run(&a),
        Command::Diff(a) => diff::run(&a),
        Command::Dups(a) => dups::run(&a),
        Command::Merge(a) => merge::run(&a),
        Command::Mhl(a) => mhl::run(&a),
        Command::Bag(a) => bag::run(&a),
        #[cfg(feature = "copy")]
        Command::Copy(a) => copy::run(&a),
        Command::List(a) => list::run(&a),
        #[cfg(feature = "measure")]
        Command::Speed(a) => speed::run(a),
        #[cfg(feature = "measure")]
        Command::Bench(a) => bench::run(a),
        #[cfg(feature = "measure")]
        Command::Results(a) => results::run(a),
        Command::Completions(a) => completions::run(&a),
        Command::Candidates(a) => completions::answer(&a),
        Command::Man(a) => man::run(&a),
        Command::Links(a) => links::run(&a),
    }
}

/// Returns the arguments with `help COMMAND…` rewritten as `COMMAND… --help`.
fn help_as_option(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut all: Vec<OsString> = args.collect();
    let words = all.iter().take_while(|a| *a == "help").count();
    if words > 0 {
        all.drain(..words);
        all.push("--help".into());
    }
    all
}
