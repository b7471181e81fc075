//! Arguments that clap reads, and one line about those that are wrong.

use clap::Command;
use clap::error::ErrorKind;
use std::ffi::OsString;
use std::io::Write;

/// Wrong usage; 1 is for work that could not all be done.
pub(crate) const USAGE: u8 = 2;

/// The arguments of one subcommand, parsed as if there were no others.
pub(crate) fn only<A: clap::Args>(name: &'static str, args: impl IntoIterator<Item = OsString>) -> A {
    with_help(name, args, |command| command)
}

/// As [`only`]; where help is asked for, `complete` adds to the command what would take too long at every start.
pub(crate) fn with_help<A: clap::Args>(
    name: &'static str,
    args: impl IntoIterator<Item = OsString>,
    complete: fn(Command) -> Command,
) -> A {
    let args: Vec<OsString> = std::iter::once(OsString::from(name)).chain(args).collect();
    let command = || A::augment_args(Command::new(name));
    let matches = match command().try_get_matches_from(&args) {
        Err(e) if e.kind() == ErrorKind::DisplayHelp => complete(command()).try_get_matches_from(&args),
        matches => matches,
    };
    matches.and_then(|m| A::from_arg_matches(&m)).unwrap_or_else(|e| usage(&e, name))
}

/// Ends with one line about a subcommand that was left out of this build.
#[cfg(not(all(feature = "copy", feature = "measure")))]
pub(crate) fn lacking(name: &str, feature: &str) -> ! {
    message(&format!("{name}: not in this build; the feature '{feature}' of the crate hashmill-cli brings it"));
    std::process::exit(USAGE.into())
}

/// Ends with clap's help or version, or with one line about what is wrong.
pub(crate) fn usage(e: &clap::Error, name: &str) -> ! {
    if !e.use_stderr() || e.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        e.exit();
    }
    // About algorithms the library's own words are clearer than with clap's frame around them.
    let text = match std::error::Error::source(e).and_then(|cause| cause.downcast_ref::<hashmill::Error>()) {
        Some(cause) => cause.to_string(),
        None => e.to_string().lines().next().unwrap_or_default().trim_start_matches("error: ").to_string(),
    };
    message(&format!("{text} (see {name} --help)"));
    std::process::exit(USAGE.into())
}

/// `hashmill: text` on standard error, in one write.
pub(crate) fn message(text: &str) {
    // Where standard error is closed there is nobody to tell.
    let _ = std::io::stderr().write_all(format!("hashmill: {text}\n").as_bytes());
}
