//! `hashmill-bench speed|bench|results`: `hashmill speed`, `bench` and `results` without the rest of the command. Used
//! by the tests.

use clap::Args;
use hashmill_bench::{BenchArgs, CountingAllocator};
use hashmill_results::ResultsArgs;
use std::ffi::OsString;
use std::process::ExitCode;

/// Counts allocations for `bench io`; otherwise, it is the system's allocator.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn parsed<A: Args>(name: &'static str, args: Vec<OsString>) -> A {
    let command = A::augment_args(clap::Command::new(name));
    let matches = command.try_get_matches_from(std::iter::once(OsString::from(name)).chain(args));
    matches.and_then(|m| A::from_arg_matches(&m)).unwrap_or_else(|e| e.exit())
}

fn main() -> ExitCode {
    let mut args: Vec<OsString> = std::env::args_os().skip(1).collect();
    if args.is_empty() {
        args.push(OsString::new());
    }
    let rest = args.split_off(1);
    match args[0].to_str() {
        Some("speed") => hashmill_speed::main(rest),
        Some("bench") => parsed::<BenchArgs>("bench", BenchArgs::complete(rest)).run(),
        Some("results") => parsed::<ResultsArgs>("results", rest).run(),
        _ => {
            eprintln!("usage: hashmill-bench speed|bench|results [OPTIONS]");
            ExitCode::from(2)
        }
    }
}
