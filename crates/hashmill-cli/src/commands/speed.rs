//! `hashmill speed`: timed runs with the options and the output of `openssl speed`.

use crate::args::cli::RawArgs;
use std::process::ExitCode;

pub(crate) fn run(args: RawArgs) -> ExitCode {
    hashmill_speed::main(args.args)
}
