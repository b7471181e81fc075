//! Development tasks that are no shell one-liners: `cargo run -p xtask -- --help`. A library, too, so that tests can
//! run them on what they were built with.

mod api;
mod attacks;
mod codegen;
mod disassembly;
mod files;
mod floors;
mod header;
mod kernels;
mod mutate;
#[cfg(test)]
mod pages;
mod sources;
mod stale;
mod table;
mod tokens;
#[cfg(test)]
mod width;

use clap::{Parser, Subcommand};
use std::ffi::OsString;

/// Development tasks of hashmill.
#[derive(Parser)]
struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Writes crates/hashmill/api.txt, all that is public in the library, or checks that it is what the code says.
    Api(api::Args),
    /// Writes the table of attacks in docs/copy.md from what the tests found, or checks that it is clean.
    Attacks(attacks::Args),
    /// Checks the machine code of every kernel in a built program: no calls, the expected registers.
    Codegen(codegen::Args),
    /// Prints the floors of each crate, and fails where an import runs up or in a circle.
    Floors(floors::Args),
    /// Writes the C library's header, the list of the names that it exports, and the C++ types; or checks that they are
    /// what the sources say.
    Header(header::Args),
    /// Tests the tests: breaks one thing at a time in a copy of the library and expects a test to fail.
    Mutate(mutate::Args),
    /// Says which measured pages are about other sources than those that are here.
    Stale(stale::Args),
    /// Writes docs/algorithms.md from the registry, or checks that it is what the registry says.
    Table(table::Args),
}

/// Runs the task that a command line names (the program's name first): whether what it checked is as it should be.
///
/// # Errors
/// One line where it could not be done, or the command line is wrong (then clap's text).
pub fn run<I, T>(arguments: I) -> Result<bool, Error>
where
    I: IntoIterator<Item = T>,
    T: Into<OsString> + Clone,
{
    match Args::try_parse_from(arguments).map_err(Error::Usage)?.task {
        Task::Api(args) => api::run(&args),
        Task::Attacks(args) => attacks::run(&args),
        Task::Codegen(args) => codegen::run(&args),
        Task::Floors(args) => floors::run(&args),
        Task::Header(args) => header::run(&args),
        Task::Mutate(args) => mutate::run(&args),
        Task::Stale(args) => stale::run(&args),
        Task::Table(args) => table::run(&args),
    }
    .map_err(Error::Task)
}

/// Why a task was not done.
#[derive(Debug)]
pub enum Error {
    /// The command line is wrong, or asks for help.
    Usage(clap::Error),
    /// The task failed; one line.
    Task(String),
}
