//! Arguments that clap reads, and one line about those that are wrong. Both programs have it.

use clap::error::ErrorKind;
use std::ffi::OsString;
use std::io::Write;

/// Wrong usage; 1 is for work that could not all be done.
pub(crate) const USAGE: u8 = 2;

/// The arguments of one subcommand, parsed as if there were no others.
pub(crate) fn only<A: clap::Args>(name: &'static str, args: impl Iterator<Item = OsString>) -> A {
    parsed(name, A::augment_args(clap::Command::new(name)), args)
}

/// The arguments of a command that was made for them.
pub(crate) fn parsed<A: clap::Args>(
    name: &'static str,
    command: clap::Command,
    args: impl Iterator<Item = OsString>,
) -> A {
    let matches = command.try_get_matches_from(std::iter::once(OsString::from(name)).chain(args));
    matches.and_then(|m| A::from_arg_matches(&m)).unwrap_or_else(|e| usage(&e, name))
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
