//! b3sum, the program by BLAKE3's authors.

mod check;
mod options;
mod print;

use super::{Voice, say, work};
use hashmill_files::{Error, allow_mapping};
use options::{Stop, Wanted};
use std::ffi::{OsStr, OsString};
use std::process::ExitCode;

/// The exit status for wrong usage.
const WRONG_USAGE: u8 = 2;

/// Returns the help text.
pub(super) fn help() -> &'static str {
    options::HELP
}

/// Runs the program. Its messages always call it b3sum, whatever name it was started under.
pub(super) fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let asked = match options::read(args) {
        Ok(asked) => asked,
        Err(Stop::Help) => return super::print_help("b3sum"),
        Err(Stop::Version) => return super::version("b3sum"),
        Err(Stop::Wrong(what)) => {
            say(format!("error: {what}\n\nFor more information, try '--help'.").into_bytes());
            return ExitCode::from(WRONG_USAGE);
        }
        Err(Stop::Failed(what)) => {
            say(format!("Error: {what}").into_bytes());
            return ExitCode::FAILURE;
        }
    };
    if !asked.mapping {
        allow_mapping(false);
    }
    let voice = Voice { called: "b3sum".into() };
    work(&voice, |out| match &asked.work {
        Wanted::Check { quiet } => check::lists(&asked.files, *quiet, asked.threads, &voice, out),
        Wanted::Print(p) => print::files(&asked.files, p, asked.threads, &voice, out),
    })
}

/// Returns what went wrong with a file, in b3sum's wording.
fn reason(e: &Error) -> String {
    match e {
        Error::Io(e) => e.to_string(),
        // EISDIR is 21 on every Unix system.
        Error::IsDirectory => "Is a directory (os error 21)".into(),
        other => other.to_string(),
    }
}

/// Returns a name as b3sum prints it: whatever is not UTF-8 is replaced.
fn text(name: &OsStr) -> String {
    let text = name.to_string_lossy();
    if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() }
}
