//! `hashmill bench`: measurements beside other implementations.

use hashmill_bench::{BenchArgs, CountingAllocator};
use std::ffi::OsString;
use std::process::ExitCode;

/// Counts what `bench io` allocates; at all other times it is the system's allocator and one relaxed load.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

pub(crate) fn run(args: BenchArgs) -> ExitCode {
    args.run()
}

/// The arguments with the kind of measurement in front: without one it is lanes.
pub(crate) fn with_kind(mut args: Vec<OsString>) -> Vec<OsString> {
    let kind = |a: &OsString| BenchArgs::KINDS.iter().any(|k| a == k) || a == "--help" || a == "-h";
    if !args.first().is_some_and(kind) {
        args.insert(0, "lanes".into());
    }
    args
}
