//! Verifies lists, parsing their lines as coreutils does.

use super::options::Check;
use super::quote;
use crate::programs::verify::{ListError, literally, verify};
use crate::programs::{Voice, named, reason};
use crate::terminal::input::Stdin;
use crate::terminal::output::Lines;
use hashmill_files::{CheckEvent, CheckOptions, Verdict, words};
use hashmill_lists::dialects::coreutils::Parser;
use hashmill_lists::{Fault, Item};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::ops::ControlFlow;

#[derive(Default)]
struct Counts {
    proper: u64,
    misformatted: u64,
    unreadable: u64,
    mismatched: u64,
    matched: u64,
}

/// Verifies the files in one list and returns whether all are intact.
pub(super) fn list(list: &OsStr, check: &Check, voice: &Voice, out: &mut Lines<'_>) -> bool {
    let from_stdin = list == "-";
    let name = if from_stdin { OsStr::new("standard input") } else { list };
    let mut reader: Box<dyn BufRead> = if from_stdin {
        Box::new(Stdin::new())
    } else {
        match File::open(list) {
            Ok(file) => Box::new(BufReader::with_capacity(64 << 10, file)),
            Err(e) => {
                out.flush();
                voice.of_file(list, &words(&e));
                return false;
            }
        }
    };
    let mut parser = Parser::new(check.sort, check.cksum);
    let mut counts = Counts::default();
    let options = CheckOptions { ignore_missing: check.ignore_missing, ..literally("-") };
    let parse = |line: Option<&[u8]>| {
        let item = match parser.line(line) {
            Item::Entry(entry) if from_stdin && entry.name == b"-" => Item::Bad(Fault::Said(parser.kind().into())),
            item => item,
        };
        (item, ControlFlow::Continue(()))
    };
    let end = verify(&mut *reader, &options, out, parse, |event, out| match event {
        CheckEvent::File { entry, verdict, .. } => report(&named(&entry.name), verdict, check, &mut counts, voice, out),
        CheckEvent::BadLine { number, fault, .. } => {
            bad(number, &fault.to_string(), name, check, &mut counts, voice, out);
        }
        _ => {}
    });
    out.flush();
    match end {
        Ok(()) => summarize(&counts, check, name, voice),
        Err(ListError::Output) => false,
        Err(ListError::Read(_)) => {
            voice.of_file(name, "read error");
            false
        }
        Err(ListError::Work(e)) => {
            voice.say_text(&e.to_string());
            false
        }
    }
}

fn bad(number: u64, kind: &str, list: &OsStr, check: &Check, counts: &mut Counts, voice: &Voice, out: &mut Lines<'_>) {
    counts.misformatted += 1;
    if check.warn {
        out.flush();
        let text = format!(": {number}: improperly formatted {kind} checksum line");
        voice.say(&[&quote::name(list), text.as_bytes()]);
    }
}

fn report(name: &OsStr, verdict: Verdict, check: &Check, counts: &mut Counts, voice: &Voice, out: &mut Lines<'_>) {
    counts.proper += 1;
    let verdict = match verdict {
        Verdict::Ignored => return,
        Verdict::Unreadable(e) => {
            counts.unreadable += 1;
            out.flush();
            voice.of_file(name, &reason(&e));
            "FAILED open or read"
        }
        Verdict::Ok => {
            counts.matched += 1;
            if check.quiet {
                return;
            }
            "OK"
        }
        _ => {
            counts.mismatched += 1;
            "FAILED"
        }
    };
    if !check.status {
        out.add(|line| {
            line.extend_from_slice(&quote::name(name));
            line.extend_from_slice(format!(": {verdict}\n").as_bytes());
        });
    }
}

/// Reports the summary of a list and returns whether it passes.
fn summarize(c: &Counts, check: &Check, list: &OsStr, voice: &Voice) -> bool {
    if c.proper == 0 {
        voice.of_file(list, "no properly formatted checksum lines found");
        return false;
    }
    if !check.status {
        let count = |n: u64, one: &str, many: &str| {
            if n > 0 {
                voice.say_text(&format!("WARNING: {n} {}", if n == 1 { one } else { many }));
            }
        };
        count(c.misformatted, "line is improperly formatted", "lines are improperly formatted");
        count(c.unreadable, "listed file could not be read", "listed files could not be read");
        count(c.mismatched, "computed checksum did NOT match", "computed checksums did NOT match");
        if check.ignore_missing && c.matched == 0 {
            voice.of_file(list, "no file was verified");
        }
    }
    c.matched > 0 && c.mismatched == 0 && c.unreadable == 0 && !(check.strict && c.misformatted > 0)
}
