//! `hashmill diff`: what differs between two folders, two lists, or one of each.

use crate::args::trees::DiffArgs;
use crate::args::usage::USAGE;
use crate::commands::changes::{about, text};
use crate::commands::lists::{Opened, open};
use crate::terminal::output::{Lines, end_without, message, shown};
use crate::terminal::progress::{Interrupt, Meter};
use hashmill::Algorithm;
use hashmill_files::{Filter, Progress, plain};
use hashmill_lists::{Closing, Digits, Entry, Function, ReadOptions, Record, RecordError};
use hashmill_trees::{AuditError, DiffEvent, DiffFile, DiffOptions, DiffSummary, Side, Sides, Source, diff};
use indicatif::HumanBytes;
use serde::Serialize;
use serde::ser::SerializeMap;
use std::ffi::OsStr;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

pub(crate) fn run(args: &DiffArgs) -> ExitCode {
    match compare(args) {
        Ok(status) => status,
        Err(text) => {
            message(&text);
            end_without(args.json, USAGE)
        }
    }
}

fn compare(args: &DiffArgs) -> Result<ExitCode, String> {
    let usual = || Algorithm::named("blake3").unwrap_or(Algorithm::SHA256);
    let options = DiffOptions {
        algorithm: args.algorithm.unwrap_or_else(usual),
        function: args.algorithm.map(Function::Hash),
        filter: Filter::new(&args.selection, &[])?,
        content_only: args.content_only,
        threads: args.reading.threads,
        io: args.reading.io,
    };
    if args.a == "-" && args.b == "-" {
        return Err("standard input can be one side only".into());
    }
    let (a, b) = (side(&args.a, args.algorithm)?, side(&args.b, args.algorithm)?);
    let names = [&args.a, &args.b].map(|name| if name == "-" { "standard input".into() } else { shown(name) });
    let progress = Arc::new(Progress::default());
    let meter = Meter::start(args.progress, Interrupt::Ends, &progress);
    let mut out = Lines::new(&meter).safe();
    let say = |out: &mut Lines<'_>, text: &str| {
        out.flush();
        meter.pause(|| message(text));
    };
    let result = diff(a, b, &options, &progress, |event| {
        match event {
            DiffEvent::List(second, event) => {
                if let Some(text) = about(&event) {
                    say(&mut out, &format!("{}: {text}", names[usize::from(second)]));
                }
            }
            DiffEvent::File(file) => {
                put(&file, args, &mut out);
                if let Some(e) = &file.error {
                    say(&mut out, &format!("{}: {e}", shown(&text(file.name))));
                }
            }
            DiffEvent::Idle => out.flush(),
        }
        out.flow()
    });
    let summary = match result {
        Ok(summary) => summary,
        Err(e) => {
            let list = match &e {
                AuditError::List(list, _) | AuditError::Nothing(list) => format!("{}: ", names[*list]),
                _ => String::new(),
            };
            say(&mut out, &format!("{list}{e}"));
            return Ok(ExitCode::from(USAGE));
        }
    };
    let incomplete = summary.of(Sides::Unreadable) > 0 || summary.malformed > 0 || progress.is_stopped();
    let status = if incomplete { USAGE } else { u8::from(!summary.is_same()) };
    out.add(|line| {
        if args.json {
            Closing::new(Totals(&summary), status).put(line);
        } else {
            line.extend_from_slice(totals(&summary).as_bytes());
        }
        line.push(b'\n');
    });
    let written = out.finish();
    drop(meter);
    Ok(ExitCode::from(if written { status } else { USAGE }))
}

/// Opens one side.
fn side(name: &OsStr, algorithm: Option<Algorithm>) -> Result<Side<'static>, String> {
    let path = Path::new(name);
    if name != "-" && path.is_dir() {
        return match std::fs::read_dir(path) {
            Ok(_) => Ok(Side::Folder(path.into())),
            Err(e) => Err(format!("{}: {}", shown(name), plain(&e))),
        };
    }
    let reading = ReadOptions { algorithm, ..ReadOptions::default() };
    match open(name, &reading, true) {
        Ok(Opened { reader, .. }) => {
            Ok(Side::List(Source { path: path.into(), reader: Box::new(reader), times: None }))
        }
        Err(refusal) => Err(format!("{}: {}", shown(name), refusal.what)),
    }
}

fn put(file: &DiffFile<'_>, args: &DiffArgs, out: &mut Lines<'_>) {
    if file.sides == Sides::Same && !args.verbose && !args.json {
        return;
    }
    let name = shown(&text(file.name));
    if args.json {
        let entry = Entry {
            name: file.name.to_vec(),
            size: file.known.size,
            mtime: file.known.modified,
            stated: file.known.stated.to_vec(),
            ..Entry::default()
        };
        let error = file.error.as_ref().map(|e| RecordError { kind: "unreadable", message: e.clone() });
        let mut record = Record { verdict: Some(file.sides.name()), error, ..Record::entry(&entry, Digits::Hex) };
        if let Some(from) = file.from {
            record = record.from(from);
        }
        out.add(|line| {
            record.put(line);
            line.push(b'\n');
        });
        return;
    }
    let line = match (file.sides, file.from) {
        (Sides::Same, _) => format!("= {name}\n"),
        (Sides::Changed, _) => format!("* {name}\n"),
        (Sides::Moved, from) => format!("> {} -> {name}\n", shown(&text(from.unwrap_or_default()))),
        (Sides::OnlyHere, _) => format!("- {name}\n"),
        (Sides::OnlyThere, _) => format!("+ {name}\n"),
        (Sides::Unreadable, _) => format!("! {name}\n"),
    };
    out.add(|text| text.extend_from_slice(line.as_bytes()));
}

/// Returns the closing line.
fn totals(summary: &DiffSummary) -> String {
    let words = ["same", "changed", "moved", "only on the first side", "only on the second side", "not readable"];
    let mut text = String::new();
    for (sides, word) in Sides::ALL.into_iter().zip(words) {
        let n = summary.of(sides);
        if n > 0 || sides == Sides::Same {
            text += &format!("{}{n} {word}", if text.is_empty() { "" } else { ", " });
        }
    }
    if summary.malformed > 0 {
        let s = if summary.malformed == 1 { "" } else { "s" };
        text += &format!(", {} line{s} not understood", summary.malformed);
    }
    text + &format!("; {} read", HumanBytes(summary.bytes))
}

/// Counts of files.
struct Totals<'a>(&'a DiffSummary);

impl Serialize for Totals<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for sides in Sides::ALL {
            map.serialize_entry(&sides.name().replace('-', "_"), &self.0.of(sides))?;
        }
        map.serialize_entry("malformed", &self.0.malformed)?;
        map.serialize_entry("bytes", &self.0.bytes)?;
        map.end()
    }
}
