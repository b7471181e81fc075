//! xxhsum, the program by xxHash's author, and its aliases for one algorithm each.

mod bench;
mod check;
mod options;
mod print;

use super::{Voice, all, known, say, work};
use hashmill::Algorithm;
use options::{Stop, Wanted};
use std::ffi::{OsStr, OsString};
use std::io::IsTerminal;
use std::process::ExitCode;

/// The algorithm to compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Variant {
    Xxh32,
    Xxh64,
    Xxh128,
    /// 64-bit XXH3.
    Xxh3,
}

impl Variant {
    const ALL: [Variant; 4] = [Variant::Xxh32, Variant::Xxh64, Variant::Xxh128, Variant::Xxh3];

    fn tag(self) -> &'static str {
        match self {
            Variant::Xxh32 => "XXH32",
            Variant::Xxh64 => "XXH64",
            Variant::Xxh128 => "XXH128",
            Variant::Xxh3 => "XXH3",
        }
    }

    /// Returns the algorithm's name.
    fn name(self) -> &'static str {
        match self {
            Variant::Xxh32 => "xxh32",
            Variant::Xxh64 => "xxh64",
            Variant::Xxh128 => "xxh128",
            Variant::Xxh3 => "xxh3",
        }
    }

    fn algorithm(self) -> Algorithm {
        known(self.name())
    }

    /// Returns its number for `-H`.
    fn number(self) -> usize {
        Variant::ALL.iter().position(|v| *v == self).unwrap_or_default()
    }
}

/// Returns the help text of the program `name`.
pub(super) fn help(name: &str, variant: Variant) -> String {
    options::help(name, variant)
}

/// Runs the program `name`.
pub(super) fn run(name: &'static str, variant: Variant, args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let asked = options::read(name, variant, args).and_then(|asked| {
        // Otherwise, it would wait for someone to type the data.
        let reads = asked.files.is_empty() && !asked.stdin && !matches!(asked.work, Wanted::Bench(_));
        let waits = reads && std::io::stdin().is_terminal();
        if waits { Err(Stop::Wrong("no file is named, and standard input is a terminal".into())) } else { Ok(asked) }
    });
    let asked = match asked {
        Ok(asked) => asked,
        Err(Stop::Help) => return super::print_help(name),
        Err(Stop::Version) => return super::version(name),
        Err(Stop::Wrong(what)) => {
            say(format!("Wrong parameters: {what} (see {name} --help)").into_bytes());
            return ExitCode::FAILURE;
        }
        Err(Stop::TooLarge) => {
            say(b"Error: numeric value too large ".to_vec());
            return ExitCode::FAILURE;
        }
    };
    let files = if asked.files.is_empty() { &[OsString::from("-")][..] } else { &asked.files[..] };
    work(&Voice { called: name.into() }, |out| match &asked.work {
        Wanted::Print(p) => print::files(files, p, out),
        Wanted::PrintListed(p, l) => all(files, |list| print::listed(list, p, l, out)),
        Wanted::Check(c) => all(files, |list| check::list(list, c, out)),
        Wanted::Bench(b) => bench::run(name, &asked.files, b),
    })
}

/// Returns a file's name as lines show it: standard input is `stdin`.
fn shown(name: &OsStr) -> &OsStr {
    if name == "-" { OsStr::new("stdin") } else { name }
}

/// Writes a name, escaped if it needs that.
fn put_name(line: &mut Vec<u8>, name: &OsStr) {
    if is_escaped(name) {
        hashmill_lists::escape(name.as_encoded_bytes(), line);
    } else {
        line.extend_from_slice(name.as_encoded_bytes());
    }
}

/// Writes a name in a message. Only line feeds are a reason to escape it, since they would make another line of it.
fn put_in_message(line: &mut Vec<u8>, name: &OsStr) {
    if name.as_encoded_bytes().contains(&b'\n') {
        put_name(line, name);
    } else {
        line.extend_from_slice(name.as_encoded_bytes());
    }
}

fn is_escaped(name: &OsStr) -> bool {
    name.as_encoded_bytes().iter().any(|b| matches!(b, b'\\' | b'\n' | b'\r'))
}
