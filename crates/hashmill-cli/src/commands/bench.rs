//! `hashmill bench`: measurements against other implementations.

use hashmill_bench::{BenchArgs, CountingAllocator};
use std::process::ExitCode;

/// Counts the allocations of `bench io`; at all other times it only adds a relaxed load to the system's allocator.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

pub(crate) fn run(args: BenchArgs) -> ExitCode {
    args.run()
}
