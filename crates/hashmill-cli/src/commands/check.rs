//! `hashmill check`: verification of lists, with the messages of coreutils.

use crate::args::cli::CheckArgs;
use crate::terminal::output::{Lines, how_read, message, shown};
use crate::terminal::progress::{Interrupt, Meter};
use hashmill_files::manifest::{escape, tag};
use hashmill_files::{CheckEvent, CheckOptions, Progress, Summary, Verdict, check, closed_at_start, plain};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

pub(crate) fn run(args: &CheckArgs) -> ExitCode {
    let stdin = [OsString::from("-")];
    let lists = if args.lists.is_empty() { &stdin[..] } else { &args.lists[..] };
    let progress = Arc::new(Progress::default());
    let meter = Meter::start(args.progress, Interrupt::Ends, &progress);
    let mut out = Lines::new(&meter);
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

/// Verifies one list. Returns whether all is well.
fn one(list: &OsStr, args: &CheckArgs, progress: &Progress, meter: &Meter, out: &mut Lines<'_>) -> bool {
    let say = |text: &str| meter.pause(|| message(text));
    let from_stdin = list == "-";
    let name = if from_stdin { "standard input".to_string() } else { shown(list) };
    let reader: Box<dyn BufRead> = if from_stdin && closed_at_start(0) {
        say(&format!("{name}: is closed"));
        return false;
    } else if from_stdin {
        Box::new(io::stdin().lock())
    } else {
        match File::open(list) {
            Ok(f) => Box::new(BufReader::new(f)),
            Err(e) => {
                say(&format!("{name}: {}", plain(&e)));
                return false;
            }
        }
    };
    let options = CheckOptions {
        algorithm: args.algorithm,
        threads: args.threads,
        io: args.io.into(),
        ignore_missing: args.ignore_missing,
        from_stdin,
        no_guess: args.no_guess,
        allow_short: args.allow_short,
        zero: args.zero,
    };
    let (summary, end) = check(reader, Path::new(list), &options, progress, |event| {
        match event {
            CheckEvent::BadLine { number, fault, .. } if fault.hides_a_file() => {
                if !args.status {
                    say(&format!("{name}: {number}: {fault}"));
                }
            }
            CheckEvent::BadLine { number, algorithm, .. } if args.warn => {
                let kind = algorithm.map_or(String::new(), |a| tag(a) + " ");
                say(&format!("{name}: {number}: improperly formatted {kind}checksum line"));
            }
            CheckEvent::BadLine { .. } => {}
            CheckEvent::Found(a) => {
                if !args.status && !args.quiet {
                    say(&format!("{name}: digests are {}'s", tag(a)));
                }
            }
            CheckEvent::NotFound(tried) => {
                if !args.status {
                    let names: Vec<_> = tried.iter().map(|a| a.name()).collect();
                    say(&format!("{name}: tried {}; -a names another algorithm", names.join(", ")));
                }
            }
            CheckEvent::Device { path, one_reader } => {
                if args.verbose {
                    say(&how_read(&path, one_reader));
                }
            }
            CheckEvent::File { name, verdict, changed } => {
                if let Verdict::Unreadable(e) = &verdict {
                    say(&format!("{}: {e}", shown(name)));
                }
                if changed && matches!(verdict, Verdict::Mismatch) && !args.status {
                    say(&format!("{}: changed while it was read", shown(name)));
                }
                let word = match verdict {
                    Verdict::Ignored => return out.flow(),
                    Verdict::Ok if args.quiet => return out.flow(),
                    Verdict::Ok => "OK",
                    Verdict::Mismatch => "FAILED",
                    Verdict::Unreadable(_) => "FAILED open or read",
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
    if let Err(e) = end {
        say(&format!("{name}: {}", plain(&e)));
        return false;
    }
    summarize(&summary, args, &name, say)
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
        count(s.mismatched, "computed checksum did NOT match", "computed checksums did NOT match");
        if args.ignore_missing && s.matched == 0 {
            say(&format!("{name}: no file was verified"));
        }
    }
    s.matched > 0
        && s.mismatched == 0
        && s.unreadable == 0
        && s.not_understood == 0
        && !(args.strict && s.bad_lines > 0)
}
