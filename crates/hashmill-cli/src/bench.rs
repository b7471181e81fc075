//! `hashmill bench`: measurements beside other implementations.

use hashmill::Algorithm;
use hashmill::unstable::nearest;
use hashmill_bench::{BenchArgs, CountingAllocator};
use std::ffi::OsString;
use std::process::ExitCode;

/// Counts what `bench io` allocates; at all other times it is the system's allocator and one relaxed load.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

pub(crate) fn run(args: BenchArgs) -> ExitCode {
    args.run()
}

/// The arguments with the kind of measurement in front: without one it is lanes. What is nearly the name of a kind
/// stays, so that the kind that was meant is told, unless it is an algorithm.
pub(crate) fn with_kind(mut args: Vec<OsString>) -> Vec<OsString> {
    let nearly = |a: &str| {
        !nearest(a, BenchArgs::KINDS.map(|k| (k, ()))).is_empty()
            && !a.starts_with('-')
            && Algorithm::parse_list(a).is_err()
    };
    let asked = ["--help", "-h", "--version", "-V"];
    let kind = |a: &OsString| {
        asked.iter().any(|k| a == k) || a.to_str().is_some_and(|a| BenchArgs::KINDS.contains(&a) || nearly(a))
    };
    if !args.first().is_some_and(kind) {
        args.insert(0, "lanes".into());
    }
    args
}
