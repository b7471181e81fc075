//! Parsing with clap, the format of its help, and one-line messages about wrong usage.

use crate::args::habits;
use crate::programs;
use crate::terminal::output::{is_written, message};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, Command};
use hashmill::unstable::{did_you_mean, nearest};
use hashmill_lists::FunctionError;
use std::error::Error;
use std::ffi::OsString;
use std::io::Write;
use std::num::{IntErrorKind, ParseIntError};
use std::path::Path;

/// What `--version` prints after the name.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Exit status for wrong usage; 1 is for work that could not be completed.
pub(crate) const USAGE: u8 = 2;

/// Maximum number of columns of a help text.
pub(crate) const WIDTH: usize = 80;

/// Parses the arguments of one subcommand, as if there were no others.
pub(crate) fn only<A: clap::Args>(name: &'static str, args: impl IntoIterator<Item = OsString>) -> A {
    with_help(name, args, |command| command)
}

/// Like [`only`], but if help is asked for, `complete` first adds to the command what would take too long at every
/// start.
pub(crate) fn with_help<A: clap::Args>(
    name: &'static str,
    args: impl IntoIterator<Item = OsString>,
    complete: fn(Command) -> Command,
) -> A {
    let args: Vec<OsString> = std::iter::once(OsString::from(name)).chain(args).collect();
    let command = || formed(A::augment_args(Command::new(name)));
    let matches = match command().try_get_matches_from(&args) {
        Err(e) if e.kind() == ErrorKind::DisplayHelp => complete(command()).try_get_matches_from(&args),
        matches => matches,
    };
    matches.and_then(|m| A::from_arg_matches(&m)).unwrap_or_else(|e| usage(&e, name, &command(), &args[1..]))
}

/// Gives a command and all its subcommands help of the same width, which ends with the options that every command has.
/// Clap's own versions of these would come first, in a section without a heading.
pub(crate) fn formed(command: Command) -> Command {
    let command = command.version(VERSION).max_term_width(WIDTH).mut_subcommands(formed);
    // Treat a negative number as a value out of range, not as an unknown option.
    let command = command.mut_args(|a| {
        let is_option = a.get_action().takes_values() && !a.is_positional();
        if is_option { a.allow_negative_numbers(true) } else { a }
    });
    if command.is_disable_help_flag_set() {
        return command;
    }
    let option = |name, short, action, help| {
        Arg::new(name).short(short).long(name).action(action).help(help).help_heading("Help")
    };
    command
        .disable_help_flag(true)
        .disable_version_flag(true)
        .arg(option("help", 'h', ArgAction::Help, "Print help; -h prints a summary"))
        .arg(option("version", 'V', ArgAction::Version, "Print the version"))
}

/// Ends the program with one line about a subcommand that was left out of this build.
#[cfg(not(all(feature = "copy", feature = "measure")))]
pub(crate) fn lacking(name: &str, feature: &str) -> ! {
    message(&format!("{name}: not in this build; enable the feature '{feature}' of the crate hashmill-cli"));
    std::process::exit(USAGE.into())
}

/// Ends the program with clap's help or version, or with one line about what is wrong with the arguments.
pub(crate) fn usage(e: &clap::Error, name: &str, command: &Command, args: &[OsString]) -> ! {
    if e.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        e.exit();
    }
    if !e.use_stderr() {
        let printed = e.print().and_then(|()| std::io::stdout().flush());
        std::process::exit(i32::from(!is_written(printed)));
    }
    // Arguments are displayed correctly only once their command has been built.
    let mut command = command.clone();
    command.build();
    // Escape control characters, so that the message stays one line whatever was typed.
    let mut text = String::new();
    for c in wrong(e, &command, args).chars() {
        if c.is_control() { text.extend(c.escape_default()) } else { text.push(c) }
    }
    // The help does not list every algorithm.
    let see = match library_error(e) {
        Some(hashmill::Error::UnknownAlgorithm { .. }) => "hashmill list".into(),
        _ => format!("{} --help", called(name, &command, args)),
    };
    message(&format!("{text} (see {see})"));
    std::process::exit(USAGE.into())
}

/// Returns the library's error about an argument, if that is the cause.
fn library_error(e: &clap::Error) -> Option<&hashmill::Error> {
    let cause = e.source()?;
    match cause.downcast_ref() {
        Some(FunctionError::Algorithm(e)) => Some(e),
        _ => cause.downcast_ref(),
    }
}

/// Describes what is wrong, and what would be right.
fn wrong(e: &clap::Error, command: &Command, args: &[OsString]) -> String {
    let all = |kind| match e.get(kind) {
        Some(ContextValue::String(s)) => vec![s.clone()],
        Some(ContextValue::Strings(all)) => all.clone(),
        _ => Vec::new(),
    };
    let one = |kind| Some(all(kind).join(", ")).filter(|text| !text.is_empty());
    let first = || e.to_string().lines().next().unwrap_or_default().trim_start_matches("error: ").to_string();
    let argument = one(ContextKind::InvalidArg);
    let invalid = || match (one(ContextKind::InvalidValue), &argument) {
        (Some(value), Some(argument)) if !value.is_empty() => Some(format!("invalid value '{value}' for '{argument}'")),
        (_, Some(argument)) => Some(format!("'{argument}' needs a value")),
        _ => None,
    };
    // The library's own messages about algorithms are clearer without clap's frame around them.
    if let Some(cause) = library_error(e) {
        return cause.to_string();
    }
    let (text, like) = match e.kind() {
        ErrorKind::MissingRequiredArgument => {
            let missing = all(ContextKind::InvalidArg);
            let text = match &missing[..] {
                [] => None,
                [one] => Some(format!("{one} is missing{}", one_of(&values(command, one)))),
                all => Some(format!("{} are missing", all.join(", "))),
            };
            (text, Vec::new())
        }
        ErrorKind::InvalidValue => {
            let allowed = all(ContextKind::ValidValue);
            let typed = one(ContextKind::InvalidValue).unwrap_or_default();
            (invalid().map(|text| text + &one_of(&allowed)), closest(&typed, allowed.iter().map(String::as_str)))
        }
        ErrorKind::ValueValidation => {
            let number = e.source().and_then(|cause| cause.downcast_ref::<ParseIntError>()).map(|n| match n.kind() {
                IntErrorKind::PosOverflow => format!("it is a whole number from 1 to {}", usize::MAX),
                _ => "it is a whole number from 1 on".to_string(),
            });
            (number.and_then(|number| invalid().map(|text| format!("{text}: {number}"))), Vec::new())
        }
        ErrorKind::ArgumentConflict => {
            let other = one(ContextKind::PriorArg);
            let text = argument.zip(other).map(|(a, b)| {
                if a == b { format!("'{a}' is given twice") } else { format!("'{a}' does not go with {b}") }
            });
            (text, Vec::new())
        }
        ErrorKind::UnknownArgument => {
            let typed = argument.clone().unwrap_or_default();
            (
                argument.map(|a| format!("unexpected argument '{a}' found")),
                options_like(&typed, at(command, args), args),
            )
        }
        ErrorKind::InvalidSubcommand => {
            let name = one(ContextKind::InvalidSubcommand).unwrap_or_default();
            let at = at(command, args);
            let what = if is_top(at) && looks_like_file(&name) { "command or file" } else { "command" };
            (Some(format!("there is no {what} '{name}'")), commands_like(&name, at, args))
        }
        ErrorKind::MissingSubcommand => {
            let below = at(command, args).get_subcommands().map(|c| c.get_name().to_string()).collect::<Vec<_>>();
            (Some(format!("a command is missing{}", one_of(&below))), Vec::new())
        }
        _ => (None, Vec::new()),
    };
    text.unwrap_or_else(first) + &did_you_mean(&like)
}

/// Returns `: it is one of a, b`, or nothing if any value is allowed.
fn one_of(values: &[String]) -> String {
    if values.is_empty() { String::new() } else { format!(": it is one of {}", values.join(", ")) }
}

/// Returns the values that an argument accepts, or nothing if they are not limited to a few.
fn values(command: &Command, argument: &str) -> Vec<String> {
    let shown = command.get_arguments().find(|a| a.to_string() == argument);
    let values = shown.map(Arg::get_possible_values).unwrap_or_default();
    values.iter().filter(|v| !v.is_hide_set()).map(|v| v.get_name().to_string()).collect()
}

/// Returns whether a command is the program itself, which also answers to the names of other programs and has files
/// only as operands of its subcommands.
fn is_top(command: &Command) -> bool {
    command.get_name() == "hashmill"
}

/// Returns whether a word looks like the name of a file that does not exist.
fn looks_like_file(word: &str) -> bool {
    word.contains(['.', '/']) && habits::file(Path::new(word)).is_none()
}

/// Returns the commands that may have been meant by an unknown one.
fn commands_like(name: &str, at: &Command, args: &[OsString]) -> Vec<String> {
    if is_top(at)
        && let Some(command) = habits::file(Path::new(name))
    {
        let others = if args.len() > 1 { " …" } else { "" };
        return vec![format!("hashmill {command} {}{others}", programs::quoted(name))];
    }
    if let Some(instead) = habits::command(name, at) {
        return vec![instead];
    }
    let below = at.get_subcommands().filter(|c| !c.is_hide_set()).map(|c| c.get_name());
    let all = below.chain(programs::PROGRAMS.iter().map(|p| p.name).filter(|_| is_top(at)));
    closest(name, all.filter(|other| is_near(name, other)))
}

/// Returns the options that may have been meant by an unknown one.
fn options_like(typed: &str, of: &Command, args: &[OsString]) -> Vec<String> {
    if let Some(instead) = habits::option(typed, of, args) {
        return Some(instead).filter(|text| !text.is_empty()).into_iter().collect();
    }
    // Any other letter is as close as the one that was meant.
    let Some(long) = typed.strip_prefix("--") else { return Vec::new() };
    let longs = of.get_arguments().filter(|a| !a.is_hide_set()).filter_map(Arg::get_long);
    closest(long, longs.filter(|other| is_near(long, other))).into_iter().map(|long| format!("--{long}")).collect()
}

/// Returns the names most similar to what was typed, at most three.
fn closest<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    nearest(typed, names.map(|name| (name, name))).into_iter().take(3).map(String::from).collect()
}

/// Returns whether a word may be a mistyped name: the beginning of it, with up to three letters more, or with one
/// mistake. In a long name, a stretch of letters may be wrong; in a name of three letters, one other letter makes
/// another word.
fn is_near(typed: &str, name: &str) -> bool {
    if name.starts_with(typed) {
        return true;
    }
    if let Some(rest) = typed.strip_prefix(name) {
        return rest.len() <= 3;
    }
    let (mut a, mut b) = (typed.as_bytes(), name.as_bytes());
    while let ([x, rest @ ..], [y, others @ ..]) = (a, b)
        && x == y
    {
        (a, b) = (rest, others);
    }
    while let ([rest @ .., x], [others @ .., y]) = (a, b)
        && x == y
    {
        (a, b) = (rest, others);
    }
    match (a, b) {
        ([], [_]) | ([_], []) => true,
        ([x], [y]) => x.eq_ignore_ascii_case(y) || name.len() > 3,
        ([v, w], [x, y]) if (v, w) == (y, x) => true,
        _ => name.len() >= 8 && a.len().max(b.len()) <= name.len() / 2,
    }
}

/// Returns the subcommands that were called, each nested in the one before.
fn nested<'a>(command: &'a Command, args: &[OsString]) -> impl Iterator<Item = &'a Command> {
    args.iter().scan(command, |of, arg| {
        *of = of.find_subcommand(arg)?;
        Some(*of)
    })
}

/// Returns the command that was called: `command` itself or one of its subcommands.
fn at<'a>(command: &'a Command, args: &[OsString]) -> &'a Command {
    nested(command, args).last().unwrap_or(command)
}

/// Returns its full name.
fn called(name: &str, command: &Command, args: &[OsString]) -> String {
    std::iter::once(name).chain(nested(command, args).map(Command::get_name)).collect::<Vec<_>>().join(" ")
}
