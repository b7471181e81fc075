//! `hashmill speed`: OpenSSL's timed run.

use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the command with the arguments after `speed`.
pub(crate) fn run(args: Vec<OsString>) -> ExitCode {
    hashmill_bench::speed::main(args)
}
