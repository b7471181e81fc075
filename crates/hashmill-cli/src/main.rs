//! The `hashmill` command: one file per subcommand, each no more than arguments in and lines out.

#![cfg_attr(all(target_os = "linux", target_env = "gnu", not(test)), no_main)]

#[cfg(feature = "measure")]
mod bench;
mod check;
mod cli;
mod completions;
#[cfg(feature = "copy")]
mod copy;
#[cfg(all(target_os = "linux", target_env = "gnu", not(test)))]
mod entry;
mod list;
mod man;
mod output;
mod progress;
#[cfg(feature = "measure")]
mod results;
#[cfg(feature = "measure")]
mod speed;
mod sum;
mod target;
mod usage;

use cli::Command;
use std::process::ExitCode;
use usage::USAGE;

#[cfg(not(all(target_os = "linux", target_env = "gnu", not(test))))]
fn main() -> ExitCode {
    run()
}

fn run() -> ExitCode {
    if let Err(e) = hashmill::check_kernel_preference() {
        output::message(&format!("HASHMILL_KERNEL: {e}"));
        return ExitCode::from(USAGE);
    }
    let command = cli::parse(std::env::args_os().skip(1));
    #[cfg(feature = "measure")]
    if matches!(command, Command::Speed(_) | Command::Bench(_) | Command::Results(_)) && !output::is_open() {
        return ExitCode::FAILURE;
    }
    match command {
        Command::Sum(a) => sum::run(&a),
        Command::Check(a) => check::run(&a),
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
        Command::Man(a) => man::run(&a),
    }
}
