//! The `hashmill` command: one file per subcommand, each no more than arguments in and lines out.

mod bench;
mod check;
mod cli;
mod extras;
mod list;
mod output;
mod progress;
mod speed;
mod sum;

use clap::FromArgMatches;
use clap::error::ErrorKind;
use cli::{Cli, Command};
use std::ffi::OsString;
use std::process::ExitCode;

/// Wrong usage; 1 is for work that could not all be done.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    if let Err(e) = hashmill::check_kernel_preference() {
        output::message(&format!("HASHMILL_KERNEL: {e}"));
        return ExitCode::from(USAGE);
    }
    let mut args = std::env::args_os().skip(1);
    match args.next().as_deref().and_then(|a| a.to_str()) {
        // These two understand options that clap does not, such as `-evp`.
        Some("speed") => return speed::run(args.collect()),
        Some("bench") => return bench::run(args.collect()),
        // To describe every subcommand to clap takes longer than to hash a small file.
        Some("sum") => {
            let args: Vec<OsString> = args.collect();
            let args = cli::SumArgs::quick(&args).unwrap_or_else(|| only("hashmill sum", args.into_iter()));
            return sum::run(&args);
        }
        Some("check") => return check::run(&only("hashmill check", args)),
        _ => {}
    }
    let cli = cli::command()
        .try_get_matches()
        .and_then(|m| Cli::from_arg_matches(&m))
        .unwrap_or_else(|e| usage(&e, "hashmill"));
    match cli.command {
        Command::Sum(a) => sum::run(&a),
        Command::Check(a) => check::run(&a),
        Command::List(a) => list::run(&a),
        Command::Completions(a) => extras::completions(&a),
        Command::Man(a) => extras::man(&a),
        Command::Speed(a) => speed::run(a.args),
        Command::Bench(a) => bench::run(a.args),
    }
}

/// The arguments of one subcommand, parsed as if there were no others.
fn only<A: clap::Args>(name: &'static str, args: impl Iterator<Item = OsString>) -> A {
    let mut command = A::augment_args(clap::Command::new(name));
    if name == "hashmill sum" {
        command = cli::with_security(command);
    }
    let matches = command.try_get_matches_from(std::iter::once(OsString::from(name)).chain(args));
    matches.and_then(|m| A::from_arg_matches(&m)).unwrap_or_else(|e| usage(&e, name))
}

/// Ends with clap's help or version, or with one line about what is wrong.
fn usage(e: &clap::Error, name: &str) -> ! {
    if !e.use_stderr() || e.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        e.exit();
    }
    // About algorithms the library's own words are clearer than with clap's frame around them.
    let text = match std::error::Error::source(e).and_then(|cause| cause.downcast_ref::<hashmill::Error>()) {
        Some(cause) => cause.to_string(),
        None => e.to_string().lines().next().unwrap_or_default().trim_start_matches("error: ").to_string(),
    };
    output::message(&format!("{text} (see {name} --help)"));
    std::process::exit(USAGE.into())
}
