//! Development tasks that are more than shell one-liners: `cargo run -p xtask -- --help`. Also a library, so that tests
//! can run the tasks on what they were built with.

mod accuracy;
mod api;
mod attacks;
mod bounds;
mod disassembly;
#[cfg(test)]
mod examples;
mod files;
mod floors;
mod header;
mod kernels;
#[cfg(test)]
mod links;
mod machine_code;
mod mutate;
mod published;
mod runs;
mod search_order;
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
    /// Writes crates/hashmill/api.txt, the library's public interface, or checks that it matches the code.
    Api(api::Args),
    /// Writes the table of attacks in docs/copy.md from what the tests found, or checks that it is clean.
    Attacks(attacks::Args),
    /// Checks the machine code of every kernel in a built program: no calls, the expected registers.
    MachineCode(machine_code::Args),
    /// Prints the floors of each crate, and fails on imports that point upward or form a cycle.
    Floors(floors::Args),
    /// Writes the constants of all algorithms in Rust and C, the C header, the list of exported symbols, and the C++
    /// types; or checks that they match the registry and the sources.
    Header(header::Args),
    /// Measures suites again and again, also with a planted slowdown: how far their figures can be trusted.
    Accuracy(accuracy::Args),

    /// Measures the suites of bench/suites on this machine, into bench/runs, and renders the pages.
    Measure(runs::MeasureArgs),
    /// Tests the tests: breaks one thing at a time in a copy of the library and expects a test to fail.
    Mutate(mutate::Args),
    /// Fills the marked places of the pages from the runs in bench/runs, or checks that they are filled so.
    Render(runs::RenderArgs),
    /// Searches the fastest order of the instructions in a round that is written in assembly.
    SearchOrder(search_order::Args),
    /// Says which measured pages are about sources that have changed since.
    Stale(stale::Args),
    /// Writes docs/algorithms.md from the registry and docs/formats.md from the table of forms, or checks that they
    /// match.
    Table(table::Args),
}

/// Runs the task named by a command line (whose first argument is the program's name). Returns whether its checks
/// passed.
///
/// # Errors
/// A one-line message if the task could not be done, or clap's text if the command line is wrong.
pub fn run<I, T>(arguments: I) -> Result<bool, Error>
where
    I: IntoIterator<Item = T>,
    T: Into<OsString> + Clone,
{
    match Args::try_parse_from(arguments).map_err(Error::Usage)?.task {
        Task::Api(args) => api::run(&args),
        Task::Attacks(args) => attacks::run(&args),
        Task::MachineCode(args) => machine_code::run(&args),
        Task::Floors(args) => floors::run(&args),
        Task::Header(args) => header::run(&args),
        Task::Accuracy(args) => accuracy::run(&args),
        Task::Measure(args) => runs::measure(&args),
        Task::Mutate(args) => mutate::run(&args),
        Task::Render(args) => runs::render(&args),
        Task::SearchOrder(args) => search_order::run(&args),
        Task::Stale(args) => stale::run(&args),
        Task::Table(args) => table::run(&args),
    }
    .map_err(Error::Task)
}

/// The reason why a task was not done.
#[derive(Debug)]
pub enum Error {
    /// The command line is wrong, or asks for help.
    Usage(clap::Error),
    /// The task failed; one line.
    Task(String),
}
