//! `hashmill bench`: measurements beside other implementations.

use hashmill_bench::{BenchArgs, CountingAllocator};
use std::process::ExitCode;

/// Counts what `bench io` allocates; at all other times it is the system's allocator and one relaxed load.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

pub(crate) fn run(args: BenchArgs) -> ExitCode {
    args.run()
}
