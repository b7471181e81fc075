//! Development tasks that are no shell one-liners: `cargo run -p xtask -- --help`.

mod attacks;
mod codegen;
mod disassembly;
mod kernels;
mod mutate;
mod sources;
mod stale;
mod table;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Development tasks of hashmill.
#[derive(Parser)]
struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Writes the table of attacks in docs/copy.md from what the tests found, or checks that it is clean.
    Attacks(attacks::Args),
    /// Checks the machine code of every kernel in a built program: no calls, the expected registers.
    Codegen(codegen::Args),
    /// Tests the tests: breaks one thing at a time in a copy of the library and expects a test to fail.
    Mutate(mutate::Args),
    /// Says which measured pages are about other sources than those that are here.
    Stale(stale::Args),
    /// Writes docs/algorithms.md from the registry, or checks that it is what the registry says.
    Table(table::Args),
}

fn main() -> ExitCode {
    let outcome = match Args::parse().task {
        Task::Attacks(args) => attacks::run(&args),
        Task::Codegen(args) => codegen::run(&args),
        Task::Mutate(args) => mutate::run(&args),
        Task::Stale(args) => stale::run(&args),
        Task::Table(args) => table::run(&args),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(e) => {
            eprintln!("xtask: {e}");
            ExitCode::FAILURE
        }
    }
}
