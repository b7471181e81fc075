//! The checksum programs of the GNU coreutils.

mod check;
mod getopt;
mod kernels;
mod options;
mod print;
pub(super) mod quote;

use super::{Voice, all, work};
use options::{Stop, Wanted};
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::process::ExitCode;

/// What a program prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Digests of one algorithm: its name, and its name in tags.
    Digest(&'static str, &'static str),
    /// BLAKE2b of any length.
    B2sum,
    /// The digest or checksum chosen by `-a`.
    Cksum,
    /// The checksums of BSD and System V.
    Sum,
}

impl Voice {
    /// Reports what is wrong with a file.
    fn of_file(&self, name: &OsStr, why: &str) {
        self.say(&[&quote::name(name), b": ", why.as_bytes()]);
    }
}

/// Returns the help text of the program `name`.
pub(super) fn help(name: &str, kind: Kind) -> String {
    options::help(name, kind)
}

/// Runs the program `name`. `called` is the name or path that it was called by.
pub(super) fn run(
    name: &'static str,
    kind: Kind,
    called: OsString,
    args: impl IntoIterator<Item = OsString>,
) -> ExitCode {
    let voice = Voice { called };
    let asked = match options::read(kind, args) {
        Ok(asked) => asked,
        Err(Stop::Help) => return super::print_help(name),
        Err(Stop::Version) => return super::version(name),
        Err(Stop::Wrong(lines, try_help)) => {
            lines.iter().for_each(|l| voice.say_text(l));
            if try_help {
                let called = voice.called.to_string_lossy();
                let _ = io::stderr().write_all(format!("Try '{called} --help' for more information.\n").as_bytes());
            }
            return ExitCode::FAILURE;
        }
    };
    work(&voice, |out| match &asked.work {
        Wanted::Check(c) => all(&asked.files, |list| check::list(list, c, &voice, out)),
        Wanted::Print(p) => print::files(&asked, p, &voice, out),
    })
}

/// Returns whether a name has characters that are escaped in lists.
fn is_escaped(name: &OsStr) -> bool {
    name.as_encoded_bytes().iter().any(|b| matches!(b, b'\\' | b'\n' | b'\r'))
}

/// Writes a name as it is, or with those characters escaped.
fn put_name(line: &mut Vec<u8>, name: &OsStr, escaped: bool) {
    if escaped {
        hashmill_lists::escape(name.as_encoded_bytes(), line);
    } else {
        line.extend_from_slice(name.as_encoded_bytes());
    }
}
