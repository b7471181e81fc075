//! `hashmill bag`: bags are made, checked and brought up to date.

use crate::args::bag::{BagArgs, BagCommand, CheckBagArgs, CreateBagArgs, How, UpdateBagArgs};
use crate::args::usage::USAGE;
use crate::commands::changes::{Changes, Shape, text};
use crate::terminal::output::{Lines, how_read, message, shown};
use crate::terminal::progress::{Interrupt, Meter};
use crate::terminal::target::{replace_own, standard_output};
use hashmill::Algorithm;
use hashmill_files::{AlgorithmList, Progress, plain};
use hashmill_lists::{Closing, Digits, Entry, Name, Record, RecordError, format_time};
use hashmill_trees::bag::{
    BagClass, BagError, BagEvent, BagFile, BagSummary, CheckBagOptions, CreateBagOptions, Depth, Flaw, FlawKind, Tag,
    UpdateBagEvent, UpdateBagOptions, UpdatedBag, check, create, parse_tags, update,
};
use hashmill_trees::{AuditEvent, AuditSummary, Class};
use indicatif::HumanBytes;
use serde::Serialize;
use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Maximum number of flaws of a bag that are reported one by one.
const MAX_COMPLAINTS: u64 = 20;

pub(crate) fn run(args: &BagArgs) -> ExitCode {
    match &args.command {
        BagCommand::Create(args) => make(args),
        BagCommand::Check(args) => verify(args),
        BagCommand::Update(args) => renew(args),
    }
}

/// Reports flaws, the first of a bag one by one.
struct Complaints<'a> {
    meter: &'a Meter,
    bag: &'a Path,
    how: &'a How,
    told: u64,
}

impl<'a> Complaints<'a> {
    fn about(bag: &'a Path, how: &'a How, meter: &'a Meter) -> Self {
        Complaints { meter, bag, how, told: 0 }
    }

    fn say(&self, text: &str) {
        self.meter.pause(|| message(text));
    }

    fn add(&mut self, flaw: &Flaw, out: &mut Lines<'_>) {
        if self.how.quiet && flaw.kind == FlawKind::Note {
            return;
        }
        self.told += 1;
        if self.told <= MAX_COMPLAINTS {
            let place = if flaw.file.is_empty() { self.bag.to_path_buf() } else { self.bag.join(&flaw.file) };
            let line = flaw.line.map_or(String::new(), |line| format!(" {line}:"));
            out.flush();
            self.say(&format!("{}:{line} {}", shown(place.as_os_str()), shown(OsStr::new(&flaw.what))));
        }
    }

    fn end(&self) {
        if self.told > MAX_COMPLAINTS {
            let more = self.told - MAX_COMPLAINTS;
            self.say(&format!("{}: and {more} more like these", shown(self.bag.as_os_str())));
        }
    }

    /// Reports why something was not done.
    fn failed(&self, e: &BagError) {
        let bag = shown(self.bag.as_os_str());
        self.say(&match e {
            BagError::File(path, what) => {
                // Some paths are those in the bag.
                let path = if path.starts_with(self.bag) { path.clone() } else { self.bag.join(path) };
                format!("{}: {}", shown(path.as_os_str()), shown(OsStr::new(what)))
            }
            e => format!("{bag}: {e}"),
        });
    }
}

/// Appends a flaw as JSON.
fn flaw_as_json(bag: &str, flaw: &Flaw, line: &mut Vec<u8>) {
    let error = Some(RecordError { kind: flaw.kind.name(), message: flaw.what.clone() });
    let name = if flaw.file.is_empty() { Name::None } else { Name::of(flaw.file.as_bytes()) };
    let record =
        Record { list: Some(bag), line: flaw.line, name, verdict: Some(flaw.kind.name()), error, ..Record::default() };
    record.put(line);
    line.push(b'\n');
}

/// Replaces a file in one step.
fn put(path: &Path, parts: &mut dyn Iterator<Item = Vec<u8>>) -> Result<(), String> {
    replace_own(path, parts.map(Ok))
}

fn make(args: &CreateBagArgs) -> ExitCode {
    let tags = match tags(args) {
        Ok(tags) => tags,
        Err(text) => {
            message(&text);
            return ExitCode::from(USAGE);
        }
    };
    let mut algorithms: Vec<Algorithm> = Vec::new();
    for a in args.algorithms.iter().flat_map(|AlgorithmList(all)| all) {
        if !algorithms.contains(a) {
            algorithms.push(*a);
        }
    }
    if algorithms.is_empty() {
        algorithms.push(Algorithm::SHA512);
    }
    let how = &args.how;
    let progress = Arc::new(Progress::default());
    let meter = Meter::start(how.progress, Interrupt::Ends, &progress);
    let mut out = Lines::new(&meter).safe();
    let options = CreateBagOptions {
        algorithms,
        tags,
        outputs: standard_output(),
        threads: how.reading.threads,
        io: how.reading.io,
    };
    let mut status = 0;
    for folder in &args.folders {
        let mut complaints = Complaints::about(folder, how, &meter);
        let result = create(folder, &options, &progress, &mut put, &mut |event| {
            match event {
                BagEvent::Flaw(flaw) => complaints.add(flaw, &mut out),
                BagEvent::Device { path, one_reader } if how.verbose => complaints.say(&how_read(&path, one_reader)),
                BagEvent::Device { .. } | BagEvent::File(_) | BagEvent::Idle => {}
            }
            // Nobody has to read what is said.
            ControlFlow::Continue(())
        });
        complaints.end();
        let name = shown(folder.as_os_str());
        match result {
            Ok(created) => match created.payload {
                Some(amount) if !how.quiet => {
                    let names: Vec<_> = options.algorithms.iter().map(|a| a.name()).collect();
                    let text =
                        format!("{name}: is a bag of {} ({})\n", files(amount.files, amount.bytes), names.join(", "));
                    out.add(|line| line.extend_from_slice(text.as_bytes()));
                }
                Some(_) => {}
                None => {
                    out.flush();
                    complaints.say(&format!("{name}: the interrupted run had read everything; its bag is finished"));
                    let options = CheckBagOptions { depth: Depth::Completeness, ..CheckBagOptions::default() };
                    let args = Checking { depth: options.depth, json: false, colored: false, how };
                    let (bits, _) = one(folder, &args, &options, &progress, &meter, &mut out);
                    status |= u8::from(bits != 0);
                }
            },
            Err(e) => {
                out.flush();
                complaints.failed(&e);
                status = 1;
            }
        }
    }
    let written = out.finish();
    drop(meter);
    ExitCode::from(if written { status } else { 1 })
}

/// Returns what `bag-info.txt` is to say.
fn tags(args: &CreateBagArgs) -> Result<Vec<Tag>, String> {
    let mut tags = Vec::new();
    if let Some(file) = &args.info_file {
        let name = shown(file.as_os_str());
        let text = std::fs::read_to_string(file).map_err(|e| format!("{name}: {}", plain(&e)))?;
        tags = parse_tags(&text).map_err(|line| format!("{name}: {line}: is no line `Label: value`"))?;
    }
    for info in &args.info {
        let more = parse_tags(info).ok().filter(|tags| tags.len() == 1);
        let wrong = || format!("--info {}: is no tag such as 'Contact-Name: Ada'", shown(OsStr::new(info)));
        tags.extend(more.ok_or_else(wrong)?);
    }
    let has = |label: &str| tags.iter().any(|(l, _)| l.eq_ignore_ascii_case(label));
    if has("Payload-Oxum") {
        return Err("Payload-Oxum is computed, and cannot be given".into());
    }
    let add = |label: &str, value: String| {
        if !has(label) { Some((label.to_string(), value)) } else { None }
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs() as i64);
    let date = add("Bagging-Date", format_time((now, 0))[..10].into());
    let agent = add("Bag-Software-Agent", concat!("hashmill ", env!("CARGO_PKG_VERSION")).into());
    tags.extend(date.into_iter().chain(agent));
    Ok(tags)
}

/// How bags are checked, and what is printed.
struct Checking<'a> {
    depth: Depth,
    json: bool,
    colored: bool,
    how: &'a How,
}

/// Counts over all bags.
#[derive(Debug, Default, Serialize)]
struct Totals {
    bags: u64,
    valid: u64,
    ok: u64,
    changed: u64,
    missing: u64,
    new: u64,
    partial: u64,
    unreadable: u64,
    skipped: u64,
    flaws: u64,
    files: u64,
    bytes: u64,
}

impl Totals {
    fn add(&mut self, summary: &BagSummary) {
        self.bags += 1;
        self.valid += u64::from(summary.bits() == 0);
        self.ok += summary.of(BagClass::Ok);
        self.changed += summary.of(BagClass::Changed);
        self.missing += summary.of(BagClass::Missing);
        self.new += summary.of(BagClass::New);
        self.partial += summary.of(BagClass::Partial);
        self.unreadable += summary.of(BagClass::Unreadable);
        self.skipped += summary.of(BagClass::Skipped);
        self.flaws += summary.flaws;
        self.files += summary.payload.files;
        self.bytes += summary.payload.bytes;
    }
}

fn verify(args: &CheckBagArgs) -> ExitCode {
    let how = &args.how;
    let progress = Arc::new(Progress::default());
    let meter = Meter::start(how.progress, Interrupt::Ends, &progress);
    let mut out = Lines::new(&meter).safe();
    let depth = match (args.fast, args.completeness_only) {
        (true, _) => Depth::Oxum,
        (_, true) => Depth::Completeness,
        _ => Depth::Whole,
    };
    let options = CheckBagOptions { depth, threads: how.reading.threads, io: how.reading.io };
    let checking = Checking { depth, json: args.json, colored: args.color.is_on(), how };
    let (mut bits, mut totals) = (0, Totals::default());
    for bag in &args.bags {
        let (more, summary) = one(bag, &checking, &options, &progress, &meter, &mut out);
        bits |= more;
        totals.add(&summary);
        if out.flow().is_break() {
            break;
        }
    }
    if progress.is_stopped() {
        bits |= 4;
    }
    let status = if args.exit_bits { bits } else { u8::from(bits != 0) };
    if args.json {
        out.add(|line| {
            Closing::new(&totals, status).put(line);
            line.push(b'\n');
        });
    }
    let written = out.finish();
    drop(meter);
    ExitCode::from(if written { status } else { status.max(1) })
}

/// Checks one bag. Returns the bits of the exit status, and the counts.
fn one(
    bag: &Path,
    args: &Checking<'_>,
    options: &CheckBagOptions,
    progress: &Progress,
    meter: &Meter,
    out: &mut Lines<'_>,
) -> (u8, BagSummary) {
    let mut complaints = Complaints::about(bag, args.how, meter);
    let name = shown(bag.as_os_str());
    let result = check(bag, options, progress, &mut |event| {
        match event {
            BagEvent::Flaw(flaw) if args.json => out.add(|line| flaw_as_json(&name, flaw, line)),
            BagEvent::Flaw(flaw) => complaints.add(flaw, out),
            BagEvent::File(file) => put_file(&name, &file, args, out),
            BagEvent::Device { path, one_reader } if args.how.verbose => {
                complaints.say(&how_read(&path, one_reader));
            }
            BagEvent::Device { .. } => {}
            BagEvent::Idle => out.flush(),
        }
        out.flow()
    });
    complaints.end();
    match result {
        Ok(summary) => {
            let is_valid = summary.bits() == 0;
            let is_silent = args.json || args.how.quiet && is_valid;
            if !is_silent {
                let text = format!("{name}: {}\n", closing(&summary, args.depth));
                out.add(|line| line.extend_from_slice(text.as_bytes()));
            }
            (summary.bits(), summary)
        }
        Err(e) => {
            out.flush();
            complaints.say(&format!("{name}: {e}"));
            (4, BagSummary::default())
        }
    }
}

/// Returns what is said of a bag in the end.
fn closing(summary: &BagSummary, depth: Depth) -> String {
    let amount = files(summary.payload.files, summary.payload.bytes);
    if summary.bits() == 0 {
        return match depth {
            Depth::Whole => format!("valid: {amount}"),
            Depth::Completeness => format!("complete: {amount}, not read"),
            Depth::Oxum => format!("as long as Payload-Oxum says: {amount}, not read"),
        };
    }
    let mut text = "not valid".to_string();
    let mut between = ": ";
    for class in BagClass::ALL {
        let n = summary.of(class);
        if n > 0 {
            text += &match class {
                BagClass::New => format!("{between}{n} not listed"),
                BagClass::Partial => format!("{between}{n} not in all manifests"),
                BagClass::Unreadable => format!("{between}{n} not readable"),
                class => format!("{between}{n} {}", class.name()),
            };
            between = ", ";
        }
    }
    if summary.flaws > 0 {
        text +=
            &format!("{between}{} flaw{} of the bag itself", summary.flaws, if summary.flaws == 1 { "" } else { "s" });
    }
    text
}

fn files(n: u64, bytes: u64) -> String {
    format!("{n} file{}, {}", if n == 1 { "" } else { "s" }, HumanBytes(bytes))
}

/// Prints what a file is found to be.
fn put_file(bag: &str, file: &BagFile<'_>, args: &Checking<'_>, out: &mut Lines<'_>) {
    if args.json {
        let stated = file.stated.to_vec();
        let entry = Entry { name: file.name.to_vec(), size: file.size, stated, ..Entry::default() };
        let error = file.cause.as_ref().map(|(kind, message)| RecordError { kind, message: message.clone() });
        let record = Record {
            list: Some(bag),
            verdict: Some(file.class.name()),
            wrong: file.wrong.map(|f| f.name()),
            error,
            ..Record::entry(&entry, Digits::Hex)
        };
        return out.add(|line| {
            record.put(line);
            line.push(b'\n');
        });
    }
    let is_ok = file.class == BagClass::Ok;
    if is_ok && !args.how.verbose {
        return;
    }
    let (on, off) = if args.colored && !is_ok { ("\x1b[1;31m", "\x1b[0m") } else { ("", "") };
    let cause = match (&file.cause, file.wrong) {
        (Some((_, cause)), _) => format!("  ({})", shown(OsStr::new(cause))),
        (None, Some(function)) => format!("  ({})", function.name()),
        (None, None) => String::new(),
    };
    let line = format!("{}{cause}\n", shown(&text(file.name)));
    out.add_with(|_| (), format!("{on}{:<12}{off}", file.class.name()).as_bytes());
    out.add(|text| text.extend_from_slice(line.as_bytes()));
}

fn renew(args: &UpdateBagArgs) -> ExitCode {
    let how = &args.how;
    let progress = Arc::new(Progress::default());
    let meter = Meter::start(how.progress, Interrupt::Ends, &progress);
    let mut out = Lines::new(&meter).safe();
    let mut complaints = Complaints::about(&args.bag, how, &meter);
    let options = UpdateBagOptions {
        accept: args.accept,
        prune: args.prune,
        outputs: standard_output(),
        threads: how.reading.threads,
        io: how.reading.io,
    };
    let shape = if args.json { Shape::Json } else { Shape::Text { all: how.verbose } };
    let mut changes = Changes::new(shape, args.color);
    let name = shown(args.bag.as_os_str());
    changes.folder.clone_from(&name);
    let result = update(&args.bag, &options, &progress, &mut put, &mut |event| {
        match event {
            UpdateBagEvent::Flaw(flaw) if args.json => out.add(|line| flaw_as_json(&name, flaw, line)),
            UpdateBagEvent::Flaw(flaw) => complaints.add(flaw, &mut out),
            UpdateBagEvent::Audit(AuditEvent::File(file)) => {
                if let Some(text) = changes.put(&file, &mut out) {
                    out.flush();
                    complaints.say(&text);
                }
            }
            UpdateBagEvent::Audit(AuditEvent::Device { path, one_reader }) if how.verbose => {
                complaints.say(&how_read(&path, one_reader));
            }
            UpdateBagEvent::Audit(AuditEvent::Idle) => out.flush(),
            UpdateBagEvent::Audit(_) => {}
        }
        // A bag is brought up to date even if nobody reads what is said.
        ControlFlow::Continue(())
    });
    complaints.end();
    let status = match result {
        Ok(updated) => {
            let status = u8::from(!updated.is_written);
            changes.outlook = if updated.is_written { "manifests written".into() } else { String::new() };
            if !(how.quiet && updated.is_written) || args.json {
                let _ = changes.close(&updated.summary, status, &mut out);
            }
            if !updated.is_written {
                out.flush();
                complaints.say(&format!("{name}: nothing was written: {}", kept(&updated, args)));
            }
            status
        }
        Err(e) => {
            out.flush();
            complaints.failed(&e);
            if args.json {
                let _ = changes.close(&AuditSummary::default(), 1, &mut out);
            }
            1
        }
    };
    let written = out.finish();
    drop(meter);
    ExitCode::from(if written { status } else { 1 })
}

/// Returns why nothing was written, and what to do about it.
fn kept(updated: &UpdatedBag, args: &UpdateBagArgs) -> String {
    let mut reasons = Vec::new();
    let counted = |n: u64, one: &str, many: &str| if n == 1 { format!("1 {one}") } else { format!("{n} {many}") };
    let of = |class| updated.summary.of(class);
    if of(Class::Differs) > 0 && !args.accept {
        let what = counted(of(Class::Differs), "file has another content", "files have another content");
        reasons.push(format!("{what} (--accept if that is right)"));
    }
    if of(Class::Missing) > 0 && !args.prune {
        let what = counted(of(Class::Missing), "file is gone", "files are gone");
        reasons.push(format!("{what} (--prune if that is right)"));
    }
    if updated.lost > 0 && !args.prune {
        let what = counted(updated.lost, "line is not understood", "lines are not understood");
        reasons.push(format!("{what} (--prune drops them)"));
    }
    if of(Class::Unreadable) > 0 {
        reasons.push(counted(of(Class::Unreadable), "file cannot be read", "files cannot be read"));
    }
    reasons.join(", ")
}
