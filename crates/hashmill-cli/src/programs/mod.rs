//! Stand-ins for other programs, with their names, options, output, messages and exit status.
//!
//! They run as `hashmill md5sum …`, or when the executable itself is called `md5sum`, for example by a link.
//!
//! Each has its own option parser, since clap has neither their abbreviations nor their messages; the tests compare
//! them with the installed originals. `verify.rs` has what they share for lists.

mod b3sum;
mod coreutils;
mod in_order;
mod verify;
mod xxhsum;

use crate::terminal::output::Lines;
use crate::terminal::progress::Meter;
use hashmill::Algorithm;
use hashmill_files::words;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

/// A program that this one can stand in for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Program {
    pub(crate) name: &'static str,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Coreutils(coreutils::Kind),
    B3sum,
    /// xxhsum, with the default algorithm if `-H` is not given.
    Xxhsum(xxhsum::Variant),
}

const fn coreutils(name: &'static str, kind: coreutils::Kind) -> Program {
    Program { name, kind: Kind::Coreutils(kind) }
}

const fn xxhsum(name: &'static str, variant: xxhsum::Variant) -> Program {
    Program { name, kind: Kind::Xxhsum(variant) }
}

/// All the programs.
pub(crate) const PROGRAMS: [Program; 15] = [
    coreutils("md5sum", coreutils::Kind::Digest("md5", "MD5")),
    coreutils("sha1sum", coreutils::Kind::Digest("sha1", "SHA1")),
    coreutils("sha224sum", coreutils::Kind::Digest("sha224", "SHA224")),
    coreutils("sha256sum", coreutils::Kind::Digest("sha256", "SHA256")),
    coreutils("sha384sum", coreutils::Kind::Digest("sha384", "SHA384")),
    coreutils("sha512sum", coreutils::Kind::Digest("sha512", "SHA512")),
    coreutils("b2sum", coreutils::Kind::B2sum),
    coreutils("cksum", coreutils::Kind::Cksum),
    coreutils("sum", coreutils::Kind::Sum),
    Program { name: "b3sum", kind: Kind::B3sum },
    xxhsum("xxhsum", xxhsum::Variant::Xxh64),
    xxhsum("xxh32sum", xxhsum::Variant::Xxh32),
    xxhsum("xxh64sum", xxhsum::Variant::Xxh64),
    xxhsum("xxh128sum", xxhsum::Variant::Xxh128),
    xxhsum("xxh3sum", xxhsum::Variant::Xxh3),
];

/// Returns the program with this name or path, if there is one.
pub(crate) fn called(path: &OsStr) -> Option<Program> {
    let mut name = Path::new(path).file_name()?.to_str()?.to_string();
    if cfg!(windows) {
        name.make_ascii_lowercase();
    }
    let name = name.strip_suffix(std::env::consts::EXE_SUFFIX).unwrap_or(&name);
    PROGRAMS.into_iter().find(|p| p.name == name)
}

/// Runs the program with these arguments. `called` is its name or the path of a link.
pub(crate) fn run(program: Program, called: OsString, args: impl IntoIterator<Item = OsString>) -> ExitCode {
    match program.kind {
        Kind::Coreutils(kind) => coreutils::run(program.name, kind, called, args),
        Kind::B3sum => b3sum::run(args),
        Kind::Xxhsum(variant) => xxhsum::run(program.name, variant, args),
    }
}

/// Returns the help text of a program.
pub(crate) fn help(program: Program) -> String {
    let name = program.name;
    let status = "\nExit status: 0, or 1 if a file could not be read or is not what a list says, or\n\
        if the options are wrong.\n";
    let (help, more) = match program.kind {
        Kind::Coreutils(kind) => (coreutils::help(name, kind), kind != coreutils::Kind::Sum),
        Kind::B3sum => (b3sum::help().to_string(), true),
        Kind::Xxhsum(variant) => (xxhsum::help(name, variant), true),
    };
    // The only lines of cksum's help that begin with two blanks and a letter are those of the algorithms: scripts read
    // them.
    let examples = if more {
        format!("  $ {name} *.iso > LIST\n  $ {name} -c LIST\n")
    } else {
        format!("  $ {name} file\n  $ {name} -s file\n")
    };
    help + "\nExamples:\n" + &examples + status
}

/// Returns a file's name as it is typed in a shell.
pub(crate) fn quoted(name: &str) -> String {
    String::from_utf8_lossy(&coreutils::quote::name(OsStr::new(name))).into_owned()
}

/// Prints the help text of a program.
fn print_help(program: &str) -> ExitCode {
    let help = called(OsStr::new(program)).map(help).unwrap_or_default();
    crate::terminal::output::print(help.as_bytes())
}

/// The voice of a program's messages, which begin with the name that it was called by.
struct Voice {
    called: OsString,
}

impl Voice {
    /// Writes a line to standard error in a single write.
    fn say(&self, parts: &[&[u8]]) {
        let mut line = self.called.as_encoded_bytes().to_vec();
        line.extend_from_slice(b": ");
        parts.iter().for_each(|p| line.extend_from_slice(p));
        say(line);
    }

    fn say_text(&self, text: &str) {
        self.say(&[text.as_bytes()]);
    }
}

/// Writes a line to standard error in a single write.
fn say(mut line: Vec<u8>) {
    line.push(b'\n');
    // If standard error is closed, there is nobody to tell.
    let _ = io::stderr().write_all(&line);
}

/// Prints what `--version` asks for.
fn version(name: &str) -> ExitCode {
    crate::terminal::output::print(format!("{name} (hashmill) {}\n", env!("CARGO_PKG_VERSION")).as_bytes())
}

/// Calls `work`, which returns whether it succeeded, writes the remaining output, and ends the way such programs do.
fn work(voice: &Voice, work: impl FnOnce(&mut Lines<'_>) -> bool) -> ExitCode {
    // The original programs show no progress.
    let meter = Meter::none();
    let mut out = Lines::new(&meter);
    let well = work(&mut out);
    match out.end() {
        Ok(()) => ExitCode::from(u8::from(!well)),
        Err(e) => {
            if e.kind() == io::ErrorKind::BrokenPipe && !is_pipe_ignored() {
                // Ends like a program that does not handle this signal.
                #[cfg(unix)]
                let _ = signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGPIPE);
            } else {
                voice.say(&[b"write error: ", words(&e).as_bytes()]);
            }
            ExitCode::FAILURE
        }
    }
}

/// Returns whether writing to a pipe that nobody reads is reported as an error, instead of ending the program.
fn is_pipe_ignored() -> bool {
    #[cfg(all(target_os = "linux", target_env = "gnu", not(test)))]
    return crate::terminal::output::PIPE_WAS_IGNORED.load(std::sync::atomic::Ordering::Relaxed);
    #[cfg(not(all(target_os = "linux", target_env = "gnu", not(test))))]
    false
}

/// Calls `work` for every list, even after one has failed, and returns whether all succeeded.
fn all(lists: &[OsString], mut work: impl FnMut(&OsStr) -> bool) -> bool {
    let failed = lists.iter().filter(|list| !work(list)).count();
    failed == 0
}

/// Returns what went wrong with a file, in the system's words.
fn reason(e: &hashmill_files::Error) -> String {
    match e {
        hashmill_files::Error::Io(e) => words(e),
        hashmill_files::Error::IsDirectory => "Is a directory".into(),
        other => other.to_string(),
    }
}

/// Returns a name as this system has it.
fn named(name: &[u8]) -> OsString {
    let lossy = || String::from_utf8_lossy(name).into_owned().into();
    hashmill_lists::os_string(name.to_vec()).unwrap_or_else(lossy)
}

/// Returns the algorithm with this name, which the library must know.
fn known(name: &str) -> Algorithm {
    Algorithm::named(name).unwrap_or_else(|| unreachable!("{name}"))
}
