//! `hashmill dups`: files with the same content.

use crate::args::trees::DupsArgs;
use crate::args::usage::USAGE;
use crate::terminal::output::{Lines, end_without, message, shown};
use crate::terminal::progress::{Interrupt, Meter};
use hashmill::Algorithm;
use hashmill_files::{Filter, Progress, plain};
use hashmill_lists::{Closing, Digits, Entry, Function, Record, Stated};
use hashmill_trees::{Duplicates, DupsOptions, Group, Holds, Member, dups};
use indicatif::HumanBytes;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

pub(crate) fn run(args: &DupsArgs) -> ExitCode {
    let filter = match Filter::new(&args.selection, &args.ext) {
        Ok(filter) => filter,
        Err(text) => {
            message(&text);
            return end_without(args.json, USAGE);
        }
    };
    let missing = args.paths.iter().find_map(|path| Some((path, Path::new(path).symlink_metadata().err()?)));
    if let Some((path, e)) = missing {
        message(&format!("{}: {}", shown(path), plain(&e)));
        return end_without(args.json, USAGE);
    }
    let options = DupsOptions { algorithm: args.algorithm, filter, threads: args.reading.threads, io: args.reading.io };
    let progress = Arc::new(Progress::default());
    let meter = Meter::start(args.progress, Interrupt::Ends, &progress);
    let roots = args.paths.iter().map(PathBuf::from).collect();
    let found = match dups(roots, &options, &progress) {
        Ok(found) => found,
        Err(e) => {
            meter.pause(|| message(&e.to_string()));
            return end_without(args.json, 1);
        }
    };
    for problem in &found.problems {
        meter.pause(|| message(&format!("{}: {}", shown(problem.path.as_os_str()), problem.error)));
    }
    let status = u8::from(!found.problems.is_empty() || progress.is_stopped());
    let mut out = Lines::new(&meter);
    if !args.null {
        out = out.safe();
    }
    for (number, group) in (1..).zip(&found.groups) {
        match () {
            () if args.json => json(number, group, args.algorithm, &mut out),
            () if args.null => names(group, &mut out),
            () => text(group, &mut out),
        }
    }
    let totals = Totals::of(&found);
    if args.json {
        out.add(|line| {
            Closing::new(&totals, status).put(line);
            line.push(b'\n');
        });
    } else if !args.null {
        out.add(|line| line.extend_from_slice(closing(&totals).as_bytes()));
    }
    let written = out.finish();
    drop(meter);
    ExitCode::from(if written { status } else { 1 })
}

#[derive(Serialize)]
struct Totals {
    groups: u64,
    duplicates: u64,
    hard_links: u64,
    reflinks: u64,
    wasted: u64,
    files: u64,
    bytes: u64,
    read: u64,
    errors: u64,
}

impl Totals {
    fn of(found: &Duplicates) -> Totals {
        let members = || found.groups.iter().flat_map(|group| &group.members);
        let count = |is: fn(&Member) -> bool| members().filter(|m| is(m)).count() as u64;
        let groups = found.groups.len() as u64;
        Totals {
            groups,
            // The first of each group is the original as much as the others.
            duplicates: count(|m| m.holds == Holds::Space) - groups,
            hard_links: count(|m| matches!(m.holds, Holds::HardLink(_))),
            reflinks: count(|m| matches!(m.holds, Holds::Reflink(_))),
            wasted: found.groups.iter().map(Group::waste).sum(),
            files: found.files,
            bytes: found.bytes,
            read: found.read,
            errors: found.problems.len() as u64,
        }
    }
}

fn closing(t: &Totals) -> String {
    let s = |n: u64| if n == 1 { "" } else { "s" };
    let mut text = format!(
        "{} group{}, {} duplicate{} that take{} {}",
        t.groups,
        s(t.groups),
        t.duplicates,
        s(t.duplicates),
        if t.duplicates == 1 { "s" } else { "" },
        HumanBytes(t.wasted)
    );
    for (n, what) in [(t.hard_links, "hard link"), (t.reflinks, "reflink")] {
        if n > 0 {
            text += &format!(", {n} {what}{}", s(n));
        }
    }
    text + &format!("; {} file{}, {}, of which {} read\n", t.files, s(t.files), HumanBytes(t.bytes), HumanBytes(t.read))
}

fn text(group: &Group, out: &mut Lines<'_>) {
    let copies = group.members.iter().filter(|m| m.holds == Holds::Space).count();
    let mut lines = format!("{copies} × {}\n", HumanBytes(group.size));
    for member in &group.members {
        let of = |i: usize| shown(group.members[i].path.as_os_str());
        let note = match member.holds {
            Holds::Space => String::new(),
            Holds::HardLink(i) => format!("  (hard link of {})", of(i)),
            Holds::Reflink(i) => format!("  (reflink of {})", of(i)),
        };
        lines += &format!("  {}{note}\n", shown(member.path.as_os_str()));
    }
    out.add(|text| text.extend_from_slice(lines.as_bytes()));
}

fn names(group: &Group, out: &mut Lines<'_>) {
    out.add(|text| {
        for member in group.members.iter().filter(|m| m.holds == Holds::Space) {
            text.extend_from_slice(member.path.as_os_str().as_encoded_bytes());
            text.push(0);
        }
        text.push(0);
    });
}

fn json(number: u64, group: &Group, algorithm: Algorithm, out: &mut Lines<'_>) {
    for (i, member) in group.members.iter().enumerate() {
        let entry = Entry {
            name: member.path.as_os_str().as_encoded_bytes().to_vec(),
            size: Some(group.size),
            stated: vec![Stated::of(Function::Hash(algorithm), group.digest.clone())],
            ..Entry::default()
        };
        let (verdict, of) = match member.holds {
            Holds::Space if i == 0 => ("first", None),
            Holds::Space => ("duplicate", Some(0)),
            Holds::HardLink(of) => ("hard-link", Some(of)),
            Holds::Reflink(of) => ("reflink", Some(of)),
        };
        let mut record = Record { verdict: Some(verdict), group: Some(number), ..Record::entry(&entry, Digits::Hex) };
        if let Some(of) = of {
            record = record.from(group.members[of].path.as_os_str().as_encoded_bytes());
        }
        out.add(|line| {
            record.put(line);
            line.push(b'\n');
        });
    }
}
