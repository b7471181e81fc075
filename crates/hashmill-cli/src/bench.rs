//! `hashmill bench`: comparisons with other implementations, alternated in one run.

use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the command with the arguments after `bench`.
pub(crate) fn run(args: Vec<OsString>) -> ExitCode {
    hashmill_bench::bench_main(args)
}
