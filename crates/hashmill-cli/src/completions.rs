//! `hashmill completions`.

use crate::cli::{self, CompletionsArgs};
use crate::output::print;
use std::process::ExitCode;

pub(crate) fn run(args: &CompletionsArgs) -> ExitCode {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut cli::command(), "hashmill", &mut text);
    print(&text)
}
