//! The checksum programs of the GNU coreutils, under their names: their options, output, messages and exit status.
//!
//! `hashmill md5sum …` is one, and so is the program when it is called md5sum, as by a link.

mod check;
mod getopt;
mod options;
mod print;
mod quote;

use crate::output::Lines;
use crate::progress::Meter;
use options::{Stop, Wanted};
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

/// A program that prints digests of one algorithm, or of any (cksum).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Program {
    pub(crate) name: &'static str,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Digests of this algorithm, which tags call so.
    Digest(&'static str, &'static str),
    /// BLAKE2b of a length.
    B2sum,
    /// Any, by -a.
    Cksum,
    /// The checksums of BSD and System V.
    Sum,
}

/// All of them.
pub(crate) const PROGRAMS: [Program; 9] = [
    Program { name: "md5sum", kind: Kind::Digest("md5", "MD5") },
    Program { name: "sha1sum", kind: Kind::Digest("sha1", "SHA1") },
    Program { name: "sha224sum", kind: Kind::Digest("sha224", "SHA224") },
    Program { name: "sha256sum", kind: Kind::Digest("sha256", "SHA256") },
    Program { name: "sha384sum", kind: Kind::Digest("sha384", "SHA384") },
    Program { name: "sha512sum", kind: Kind::Digest("sha512", "SHA512") },
    Program { name: "b2sum", kind: Kind::B2sum },
    Program { name: "cksum", kind: Kind::Cksum },
    Program { name: "sum", kind: Kind::Sum },
];

/// The program that is called by this name or path.
pub(crate) fn called(path: &OsStr) -> Option<Program> {
    let name = Path::new(path).file_name()?.to_str()?;
    let name = name.strip_suffix(std::env::consts::EXE_SUFFIX).unwrap_or(name);
    PROGRAMS.into_iter().find(|p| p.name == name)
}

/// The help of a program.
pub(crate) fn help(program: Program) -> String {
    let name = program.name;
    let examples = match program.kind {
        Kind::Sum => format!("  {name} file\n  {name} -s file\n"),
        _ => format!("  {name} *.iso > LIST\n  {name} -c LIST\n"),
    };
    options::help(program)
        + "\nExamples:\n"
        + &examples
        + "\nExit status: 0, or 1 if a file could not be read or is not what a list says, or\nif the options are wrong.\n"
}

/// What the programs say, under the name by which one was called.
struct Voice {
    called: OsString,
}

impl Voice {
    /// A line on standard error, in one write.
    fn say(&self, parts: &[&[u8]]) {
        let mut line = self.called.as_encoded_bytes().to_vec();
        line.extend_from_slice(b": ");
        parts.iter().for_each(|p| line.extend_from_slice(p));
        line.push(b'\n');
        // Where standard error is closed there is nobody to tell.
        let _ = io::stderr().write_all(&line);
    }

    fn say_text(&self, text: &str) {
        self.say(&[text.as_bytes()]);
    }

    /// What is wrong with a file.
    fn of_file(&self, name: &OsStr, why: &str) {
        self.say(&[&quote::name(name), b": ", why.as_bytes()]);
    }
}

/// Runs the program as `called` (its name, or the path of a link) with these arguments.
pub(crate) fn run(program: Program, called: OsString, args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let voice = Voice { called };
    let asked = match options::read(program, args) {
        Ok(asked) => asked,
        Err(Stop::Help) => return crate::output::print(help(program).as_bytes()),
        Err(Stop::Version) => {
            let text = format!("{} (hashmill) {}\n", program.name, env!("CARGO_PKG_VERSION"));
            return crate::output::print(text.as_bytes());
        }
        Err(Stop::Wrong(lines, try_help)) => {
            lines.iter().for_each(|l| voice.say_text(l));
            if try_help {
                let called = voice.called.to_string_lossy();
                let _ = io::stderr().write_all(format!("Try '{called} --help' for more information.\n").as_bytes());
            }
            return ExitCode::FAILURE;
        }
    };
    // Those programs show no progress.
    let meter = Meter::none();
    let mut out = Lines::new(&meter);
    let well = match &asked.work {
        Wanted::Check(c) => {
            let mut well = true;
            for list in &asked.files {
                well &= check::list(list, c, &voice, &mut out);
            }
            well
        }
        Wanted::Print(p) => print::files(&asked, p, &voice, &mut out),
    };
    match out.end() {
        Ok(()) => ExitCode::from(u8::from(!well)),
        Err(e) => {
            if e.kind() == io::ErrorKind::BrokenPipe {
                // As a program that does not know of this signal ends.
                #[cfg(unix)]
                let _ = signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGPIPE);
            } else {
                voice.say(&[b"write error: ", strerror(&e).as_bytes()]);
            }
            ExitCode::FAILURE
        }
    }
}

/// The system's words for an error.
fn strerror(e: &io::Error) -> String {
    let text = e.to_string();
    match text.rfind(" (os error ") {
        Some(at) => text[..at].to_string(),
        None => text,
    }
}

/// The same of what went wrong with a file.
fn reason(e: &hashmill_files::Error) -> String {
    match e {
        hashmill_files::Error::Io(e) => strerror(e),
        hashmill_files::Error::IsDirectory => "Is a directory".into(),
        other => other.to_string(),
    }
}

/// Whether a name has characters that lists escape.
fn is_escaped(name: &OsStr) -> bool {
    name.as_encoded_bytes().iter().any(|b| matches!(b, b'\\' | b'\n' | b'\r'))
}

/// A name as it is, or with those characters escaped.
fn put_name(line: &mut Vec<u8>, name: &OsStr, escaped: bool) {
    if escaped {
        hashmill_files::manifest::escape(name, line);
    } else {
        line.extend_from_slice(name.as_encoded_bytes());
    }
}
