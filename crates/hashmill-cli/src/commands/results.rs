//! `hashmill results`: stored runs, and what changed between them.

use hashmill_results::ResultsArgs;
use std::process::ExitCode;

pub(crate) fn run(args: ResultsArgs) -> ExitCode {
    args.run()
}
