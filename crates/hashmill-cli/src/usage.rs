//! Arguments that clap reads, and one line about those that are wrong.

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::error::Error;
use std::ffi::OsString;
use std::io::Write;
use std::num::{IntErrorKind, ParseIntError};

/// What `--version` says behind the name.
const VERSION: &str = env!("CARGO_PKG_VERSION");

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
    let command = || A::augment_args(Command::new(name).version(VERSION).propagate_version(true));
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
    // A line is one whatever was typed.
    let mut text = String::new();
    for c in wrong(e).chars() {
        if c.is_control() { text.extend(c.escape_default()) } else { text.push(c) }
    }
    message(&format!("{text} (see {} --help)", called(e).as_deref().unwrap_or(name)));
    std::process::exit(USAGE.into())
}

/// What is wrong, and what would be right.
fn wrong(e: &clap::Error) -> String {
    let one = |kind| match e.get(kind) {
        Some(ContextValue::String(s)) => Some(s.clone()),
        Some(ContextValue::Strings(all)) if !all.is_empty() => Some(all.join(", ")),
        _ => None,
    };
    let first = || e.to_string().lines().next().unwrap_or_default().trim_start_matches("error: ").to_string();
    let argument = one(ContextKind::InvalidArg);
    let invalid = || match (one(ContextKind::InvalidValue), &argument) {
        (Some(value), Some(argument)) if !value.is_empty() => Some(format!("invalid value '{value}' for '{argument}'")),
        (_, Some(argument)) => Some(format!("'{argument}' needs a value")),
        _ => None,
    };
    // About algorithms the library's own words are clearer than with clap's frame around them.
    if let Some(cause) = e.source().and_then(|cause| cause.downcast_ref::<hashmill::Error>()) {
        return cause.to_string();
    }
    let (text, like) = match e.kind() {
        ErrorKind::MissingRequiredArgument => (
            argument.map(|a| if a.contains(", ") { format!("{a} are missing") } else { format!("{a} is missing") }),
            None,
        ),
        ErrorKind::InvalidValue => {
            let allowed = one(ContextKind::ValidValue).map(|all| format!(": it is one of {all}")).unwrap_or_default();
            (invalid().map(|text| text + &allowed), one(ContextKind::SuggestedValue))
        }
        ErrorKind::ValueValidation => {
            let number = e.source().and_then(|cause| cause.downcast_ref::<ParseIntError>()).map(|n| match n.kind() {
                IntErrorKind::Zero | IntErrorKind::NegOverflow => "it is a number from 1 on",
                IntErrorKind::PosOverflow => "the number is too large",
                _ => "it is a whole number",
            });
            (number.and_then(|number| invalid().map(|text| format!("{text}: {number}"))), None)
        }
        ErrorKind::ArgumentConflict => {
            let other = one(ContextKind::PriorArg);
            (
                argument.zip(other).map(|(a, b)| {
                    if a == b { format!("'{a}' is given twice") } else { format!("'{a}' does not go with {b}") }
                }),
                None,
            )
        }
        ErrorKind::UnknownArgument => {
            (argument.map(|a| format!("unexpected argument '{a}' found")), one(ContextKind::SuggestedArg))
        }
        ErrorKind::InvalidSubcommand => {
            let what = one(ContextKind::InvalidSubcommand).map(|name| format!("there is no command '{name}'"));
            (what, one(ContextKind::SuggestedSubcommand))
        }
        _ => (None, None),
    };
    let tip = like.map(|like| format!("; did you mean {like}?")).unwrap_or_default();
    text.unwrap_or_else(first) + &tip
}

/// The command that was called, of those below others too: its usage begins with it.
fn called(e: &clap::Error) -> Option<String> {
    let Some(ContextValue::StyledStr(usage)) = e.get(ContextKind::Usage) else { return None };
    let usage = usage.to_string();
    let words = usage.trim_start_matches("Usage:").split_whitespace();
    let name: Vec<&str> = words.take_while(|w| w.starts_with(|c: char| c.is_ascii_lowercase())).collect();
    (!name.is_empty()).then(|| name.join(" "))
}

/// `hashmill: text` on standard error, in one write.
pub(crate) fn message(text: &str) {
    // Where standard error is closed there is nobody to tell.
    let _ = std::io::stderr().write_all(format!("hashmill: {text}\n").as_bytes());
}
