//! `hashmill check`: verification of lists, with the messages of coreutils.

use crate::args::cli::CheckArgs;
use crate::terminal::input::{Stdin, announce};
use crate::terminal::output::{Lines, how_read, message, shown};
use crate::terminal::progress::{Interrupt, Meter};
use hashmill::Security;
use hashmill_files::manifest::{Kind, Parser, escape, recognize, tag};
use hashmill_files::{CheckEvent, CheckOptions, Progress, Summary, Verdict, check, closed_at_start, plain};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal as _, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

pub(crate) fn run(args: &CheckArgs) -> ExitCode {
    let stdin = [OsString::from("-")];
    let lists = if args.lists.is_empty() { &stdin[..] } else { &args.lists[..] };
    let progress = Arc::new(Progress::default());
    let meter = Meter::start(args.progress, Interrupt::Ends, &progress);
    let mut out = Lines::new(&meter).safe();
    let mut well = true;
    for list in lists {
        well &= one(list, args, &progress, &meter, &mut out);
        if out.flow().is_break() {
            break;
        }
    }
    well &= out.finish();
    drop(meter);
    ExitCode::from(u8::from(!well))
}

/// Maximum number of lines of a list that are reported one by one because they cannot be used.
const MAX_COMPLAINTS: u64 = 20;

/// The beginning of a list that is examined before it is read: enough to recognize anything.
const START: usize = 64 << 10;

/// Names of lists of a folder's files.
const USUAL_LISTS: [&str; 9] = [
    "SHA256SUMS", "SHA512SUMS", "SHA1SUMS", "MD5SUMS", "B2SUMS", "B3SUMS", "SHA256SUMS.txt", "sha256sum.txt",
    "CHECKSUMS",
];

/// Suffixes of lists of one file.
const USUAL_SUFFIXES: [&str; 10] =
    ["sha256", "sha512", "sha1", "md5", "b3", "blake3", "b2", "sha256sum", "sha512sum", "sha256.txt"];

/// What a list's events have shown so far.
#[derive(Default)]
struct Seen {
    /// Number of lines that could not be used and would be reported.
    complaints: u64,
    files: u64,
    missing: u64,
    /// The first names of missing files.
    names: Vec<OsString>,
    /// The list has only a digest, and the file it is about is in the list's folder.
    beside_the_list: bool,
}

/// Verifies one list. Returns whether all is well.
fn one(list: &OsStr, args: &CheckArgs, progress: &Progress, meter: &Meter, out: &mut Lines<'_>) -> bool {
    let say = |text: &str| meter.pause(|| message(text));
    let from_stdin = list == "-";
    let path = Path::new(list);
    let name = if from_stdin { "standard input".to_string() } else { shown(list) };
    let mut reader: BufReader<Box<dyn Read>> = if from_stdin && closed_at_start(0) {
        say(&format!("{name}: is closed"));
        return false;
    } else if from_stdin {
        if args.lists.is_empty() && !args.status {
            announce("a checksum list");
        }
        BufReader::with_capacity(START, Box::new(Stdin::lock()))
    } else {
        match File::open(list) {
            Ok(f) if f.metadata().is_ok_and(|m| m.is_dir()) => {
                say(&format!(
                    "{name}: is a directory, not a checksum list; `hashmill sum -r {}` makes one",
                    quoted(list)
                ));
                return false;
            }
            Ok(f) => BufReader::with_capacity(START, Box::new(f)),
            Err(e) => {
                say(&format!("{name}: {}", plain(&e)));
                return false;
            }
        }
    };
    if let Ok(start) = reader.fill_buf() {
        let parser = Parser::new(args.algorithm, path).allow_short(args.allow_short).zero(args.zero);
        let found = recognize(start, &parser);
        if let Some((kind, what)) = found {
            say(&format!("{name}: looks like {what}{}", advice(kind, what, (!from_stdin).then_some(path))));
            return false;
        }
        if start.is_empty() {
            say(&format!("{name}: no properly formatted checksum lines found: the list is empty"));
            return false;
        }
    }
    let options = CheckOptions {
        algorithm: args.algorithm,
        threads: args.threads,
        io: args.io,
        ignore_missing: args.ignore_missing,
        from_stdin,
        no_guess: args.no_guess,
        allow_short: args.allow_short,
        allow_special: args.allow_special,
        zero: args.zero,
    };
    // Where both go to one terminal, causes and verdicts are in order.
    let one_terminal = io::stdout().is_terminal() && io::stderr().is_terminal();
    let mut seen = Seen::default();
    let (summary, end) = check(reader, path, &options, progress, |event| {
        let tell = |out: &mut Lines<'_>, text: &str| {
            if one_terminal {
                out.flush();
            }
            say(text);
        };
        match event {
            CheckEvent::BadLine { number, algorithm, fault } => {
                let text = if fault.hides_a_file() {
                    (!args.status).then(|| format!("{name}: {number}: {fault}"))
                } else {
                    let kind = algorithm.map_or(String::new(), |a| tag(a) + " ");
                    args.warn.then(|| format!("{name}: {number}: improperly formatted {kind}checksum line"))
                };
                if let Some(text) = text {
                    seen.complaints += 1;
                    if seen.complaints <= MAX_COMPLAINTS {
                        tell(out, &text);
                    }
                }
            }
            CheckEvent::OnlyDigest(file) => {
                seen.beside_the_list = true;
                if !args.status && !args.quiet {
                    tell(out, &format!("{name}: has only a digest, taken to be that of {}", shown(file.as_os_str())));
                }
            }
            CheckEvent::Found(a) => {
                // A match with a checksum proves little, so it is never accepted silently.
                if a.security() != Security::Sound || !args.status && !args.quiet {
                    tell(out, &format!("{name}: digests are {}'s", tag(a)));
                }
            }
            CheckEvent::NotFound(tried) => {
                if !args.status {
                    let names: Vec<_> = tried.iter().map(|a| a.name()).collect();
                    tell(out, &format!("{name}: tried {}; -a names another algorithm", names.join(", ")));
                }
            }
            CheckEvent::Device { path, one_reader } => {
                if args.verbose {
                    tell(out, &how_read(&path, one_reader));
                }
            }
            CheckEvent::File { name, verdict, changed } => {
                seen.files += 1;
                let is_missing = match &verdict {
                    Verdict::Unreadable(e) => e.is_missing(),
                    verdict => matches!(verdict, Verdict::Ignored),
                };
                if is_missing {
                    seen.missing += 1;
                    if seen.names.len() < 8 {
                        seen.names.push(name.to_owned());
                    }
                }
                if let Verdict::Unreadable(e) = &verdict {
                    let cause = if is_missing { missing(name, &e.to_string()) } else { e.to_string() };
                    tell(out, &format!("{}: {cause}", shown(name)));
                }
                if let Verdict::Skipped(what) = &verdict
                    && !args.status
                {
                    // Nothing can open a socket as a file.
                    let hint = if what == &"socket" { "" } else { "; --allow-special reads it" };
                    tell(out, &format!("{}: {what}, not read{hint}", shown(name)));
                }
                if changed && matches!(verdict, Verdict::Mismatch { .. }) && !args.status {
                    tell(out, &format!("{}: changed while it was read", shown(name)));
                }
                let word = match verdict {
                    Verdict::Ignored => return out.flow(),
                    Verdict::Ok if args.quiet => return out.flow(),
                    Verdict::Ok => "OK",
                    Verdict::Mismatch { assumed: None } => "FAILED",
                    Verdict::Mismatch { assumed: Some(a) } => &format!("FAILED (assumed {}; -a decides)", a.name()),
                    Verdict::Unreadable(_) => "FAILED open or read",
                    Verdict::Skipped(_) => "SKIPPED",
                };
                if !args.status {
                    out.add(|line| {
                        if name.as_encoded_bytes().contains(&b'\n') {
                            line.push(b'\\');
                            escape(name, line);
                        } else {
                            // Like coreutils, escape other characters only if there is a newline, too.
                            line.extend_from_slice(name.as_encoded_bytes());
                        }
                        line.extend_from_slice(format!(": {word}\n").as_bytes());
                    });
                }
            }
            CheckEvent::Idle => out.flush(),
        }
        out.flow()
    });
    out.flush();
    if out.flow().is_break() {
        return false;
    }
    if seen.complaints > MAX_COMPLAINTS {
        let more = seen.complaints - MAX_COMPLAINTS;
        say(&format!("{name}: and {more} more {} like these", if more == 1 { "line" } else { "lines" }));
    }
    if let Err(e) = end {
        say(&format!("{name}: {}", plain(&e)));
        return false;
    }
    if seen.files > 0
        && seen.missing == seen.files
        && !args.status
        && !seen.beside_the_list
        && let Some(text) = relative_to(&seen.names, (!from_stdin).then_some(path))
    {
        say(&format!("{name}: {text}"));
    }
    summarize(&summary, args, &name, say)
}

/// Returns what follows the description of something that was given as a list by mistake.
fn advice(kind: Kind, what: &str, path: Option<&Path>) -> String {
    match (kind, path) {
        (Kind::Page, _) => ": the download failed".into(),
        (Kind::Encoding, _) => format!(", which is not understood; convert it: iconv -f {what} -t UTF-8"),
        (Kind::Signature, Some(path)) => {
            let signed = path.with_extension("");
            if signed != path && signed.is_file() {
                format!(", not a checksum list; `hashmill check {}` checks what it signs", quoted(signed.as_os_str()))
            } else {
                ", not a checksum list".into()
            }
        }
        (Kind::Content, Some(path)) => match list_of(path) {
            Some(list) => format!(", not a checksum list; `hashmill check {}` verifies it", quoted(list.as_os_str())),
            None => format!(", not a checksum list; `hashmill sum {}` computes its digest", quoted(path.as_os_str())),
        },
        (_, None) => ", not a checksum list".into(),
    }
}

/// Returns a list next to a file that is named after it or that mentions it.
fn list_of(file: &Path) -> Option<PathBuf> {
    let name = file.file_name()?;
    let suffixed = |suffix: &&str| {
        let mut list = name.to_owned();
        list.push(".");
        list.push(suffix);
        file.with_file_name(list)
    };
    let mentions = |list: &PathBuf| {
        let mut text = Vec::new();
        let is_read = list.is_file() && File::open(list).is_ok_and(|f| f.take(1 << 20).read_to_end(&mut text).is_ok());
        let name = name.as_encoded_bytes();
        is_read && text.windows(name.len()).any(|w| w == name)
    };
    USUAL_SUFFIXES
        .iter()
        .map(suffixed)
        .find(|list| list.is_file())
        .or_else(|| USUAL_LISTS.iter().map(|list| file.with_file_name(list)).find(mentions))
}

/// Returns why a file is missing, or the given cause with what may be wrong with the file's name.
fn missing(name: &OsStr, cause: &str) -> String {
    let Some(written) = name.to_str() else { return cause.into() };
    let trimmed = written.trim();
    let exists = |name: &str| !name.is_empty() && Path::new(name).symlink_metadata().is_ok();
    if trimmed != written && exists(trimmed) {
        return format!("{cause}; without the blanks around it, it exists");
    }
    if cfg!(windows) || !written.contains('\\') {
        return cause.into();
    }
    let slashes = trimmed.replace('\\', "/");
    if exists(&slashes) {
        format!("backslashes do not separate folders here; {} exists", shown(OsStr::new(&slashes)))
    } else {
        format!("{cause}; backslashes do not separate folders here")
    }
}

/// Returns what the names in a list are relative to, if all files are missing.
fn relative_to(names: &[OsString], list: Option<&Path>) -> Option<String> {
    let relative: Vec<&Path> = names.iter().map(Path::new).filter(|name| name.is_relative()).collect();
    if relative.is_empty() {
        return None;
    }
    let here = std::env::current_dir().map_or_else(|_| "the current folder".to_string(), |dir| shown(dir.as_os_str()));
    let mut text = format!("no listed file exists; names are relative to {here}");
    let folder = list.and_then(Path::parent).filter(|folder| !folder.as_os_str().is_empty());
    if let (Some(folder), Some(list)) = (folder, list.and_then(Path::file_name)) {
        text += &format!(", and the list is in {}", shown(folder.as_os_str()));
        if relative.iter().any(|name| folder.join(name).exists()) {
            text += &format!(": try `cd {} && hashmill check {}`", quoted(folder.as_os_str()), quoted(list));
        }
    }
    Some(text)
}

/// Returns a name as a shell takes it.
fn quoted(name: &OsStr) -> String {
    let text = name.to_string_lossy();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,:@%=".contains(c);
    if text.chars().any(char::is_control) {
        shown(name)
    } else if !text.is_empty() && text.chars().all(is_plain) {
        text.into_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// Prints the closing messages about a list. Returns whether all is well.
fn summarize(s: &Summary, args: &CheckArgs, name: &str, say: impl Fn(&str)) -> bool {
    if s.lines == 0 {
        say(&format!("{name}: no properly formatted checksum lines found"));
        return false;
    }
    if !args.status {
        let count = |n: u64, one: &str, many: &str| {
            if n > 0 {
                say(&format!("WARNING: {n} {}", if n == 1 { one } else { many }));
            }
        };
        count(s.bad_lines - s.not_understood, "line is improperly formatted", "lines are improperly formatted");
        count(
            s.not_understood,
            "checksum line was not understood: its file was NOT verified",
            "checksum lines were not understood: their files were NOT verified",
        );
        count(s.unreadable, "listed file could not be read", "listed files could not be read");
        count(
            s.skipped,
            "listed file was skipped: it is not a regular file",
            "listed files were skipped: they are not regular files",
        );
        count(s.mismatched, "computed checksum did NOT match", "computed checksums did NOT match");
        if args.ignore_missing && s.matched == 0 {
            say(&format!("{name}: no file was verified"));
        }
    }
    s.matched > 0
        && s.mismatched == 0
        && s.unreadable == 0
        && s.skipped == 0
        && s.not_understood == 0
        && !(args.strict && s.bad_lines > 0)
}
