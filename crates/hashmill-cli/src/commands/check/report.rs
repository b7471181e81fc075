//! What is printed about a list that is verified: text for people, JSON for machines.

use crate::args::cli::CheckArgs;
use crate::commands::advice::{missing, relative_to};
use crate::terminal::output::{Lines, how_read, message, shown};
use crate::terminal::progress::Meter;
use hashmill::Security;
use hashmill_files::{CheckEvent, Error, Summary, Verdict, plain};
use hashmill_lists::{Digits, Entry, Fault, Function, Note, Record, RecordError, escape, os_string, tag};
use serde::Serialize;
use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

/// Maximum number of lines of a list that are reported one by one because they cannot be used.
const MAX_COMPLAINTS: u64 = 20;

/// Maximum number of names that are kept to be named once more.
const MAX_FAILED: usize = 1000;

/// Counts over all lists.
#[derive(Debug, Default, Serialize)]
pub(super) struct Totals {
    lists: u64,
    ok: u64,
    changed: u64,
    missing: u64,
    unreadable: u64,
    skipped: u64,
    not_checked: u64,
    malformed: u64,
    /// Names of files that are not OK.
    #[serde(skip)]
    failed: Vec<String>,
    /// Number of lines printed about files.
    #[serde(skip)]
    printed: u64,
    /// Whether anything else is wrong.
    #[serde(skip)]
    wrong: bool,
    /// Whether all files of a list are missing, which is ignored.
    #[serde(skip)]
    unverified: bool,
}

impl Totals {
    /// Returns the exit status: 0 or 1, or bits that say what was wrong.
    pub(super) fn status(&self, bits: bool) -> u8 {
        let of = |count: u64, bit: u8| if count > 0 { bit } else { 0 };
        let all = of(self.changed, 1)
            | of(self.unreadable + self.skipped + self.not_checked, 4)
            | of(self.malformed, 8)
            | of(self.missing, 16);
        match (bits, self.wrong) {
            // Every file is missing and that is ignored, or nothing in the list was understood.
            (true, true) if all == 0 => {
                if self.unverified {
                    16
                } else {
                    8
                }
            }
            (true, _) => all,
            (false, wrong) => u8::from(wrong),
        }
    }

    /// Tells people at a terminal how it ended.
    pub(super) fn close(&self, args: &CheckArgs, meter: &Meter) {
        let silent = args.status || args.quiet || args.json || !io::stderr().is_terminal();
        if silent || self.lists == 0 {
            return;
        }
        let rows = console::Term::stderr().size_checked().map_or(24, |(rows, _)| u64::from(rows));
        if self.printed > rows {
            for name in &self.failed {
                meter.pause(|| message(name));
            }
        }
        let mut text = format!("{} file{} OK", self.ok, if self.ok == 1 { "" } else { "s" });
        for (count, what) in [
            (self.changed, "FAILED"),
            (self.missing, "missing"),
            (self.unreadable, "not readable"),
            (self.skipped, "skipped"),
            (self.not_checked, "not checked"),
            (self.malformed, "not understood"),
        ] {
            if count > 0 {
                text += &format!(", {count} {what}");
            }
        }
        meter.pause(|| message(&text));
    }
}

/// Reports about one list.
pub(super) struct Reporter<'a> {
    args: &'a CheckArgs,
    meter: &'a Meter,
    /// The list's path, unless it is standard input, and its name in messages.
    path: Option<&'a Path>,
    name: String,
    /// The folder that names are relative to, unless it is the current one.
    pub(super) base: Option<PathBuf>,
    /// Both streams go to one terminal, so causes and verdicts are kept in order.
    one_terminal: bool,
    colored: bool,
    /// Number of lines that could not be used and would be reported.
    complaints: u64,
    /// Whether there are digests by algorithms that are not known.
    half: bool,
    files: u64,
    missing: u64,
    /// The first names of missing files.
    names: Vec<OsString>,
    failed: Vec<String>,
    printed: u64,
    /// The list has only a digest, and the file it is about is in the list's folder.
    beside_the_list: bool,
}

impl<'a> Reporter<'a> {
    pub(super) fn new(args: &'a CheckArgs, meter: &'a Meter, path: Option<&'a Path>, name: String) -> Self {
        Reporter {
            args,
            meter,
            path,
            name,
            base: None,
            one_terminal: io::stdout().is_terminal() && io::stderr().is_terminal(),
            colored: args.color.is_on(),
            complaints: 0,
            half: false,
            files: 0,
            missing: 0,
            names: Vec::new(),
            failed: Vec::new(),
            printed: 0,
            beside_the_list: false,
        }
    }

    fn say(&self, text: &str) {
        self.meter.pause(|| message(text));
    }

    fn tell(&self, out: &mut Lines<'_>, text: &str) {
        if self.one_terminal {
            out.flush();
        }
        self.say(text);
    }

    fn put(&self, record: Record<'_>, out: &mut Lines<'_>) {
        let record = Record { list: Some(&self.name), ..record };
        out.add(|line| {
            record.put(line);
            line.push(b'\n');
        });
    }

    /// Reports that something cannot be read as a list.
    pub(super) fn refuse(&self, kind: &'static str, what: &str, out: &mut Lines<'_>, totals: &mut Totals) {
        totals.lists += 1;
        totals.wrong = true;
        let is_unreadable = ["not-found", "permission-denied", "io", "closed"].contains(&kind);
        *if is_unreadable { &mut totals.unreadable } else { &mut totals.malformed } += 1;
        if self.args.json {
            let error = Some(RecordError { kind, message: what.into() });
            let verdict = Some(if is_unreadable { "unreadable" } else { "malformed" });
            self.put(Record { verdict, error, ..Record::default() }, out);
        }
        self.tell(out, &format!("{}: {what}", self.name));
    }

    /// Reports an event.
    pub(super) fn report(&mut self, event: CheckEvent<'_>, out: &mut Lines<'_>) {
        let args = self.args;
        match event {
            CheckEvent::BadLine { number, algorithm, fault } => {
                if args.json {
                    let error = Some(RecordError { kind: fault.kind(), message: fault.to_string() });
                    let verdict = if fault.hides_a_file() { "malformed" } else { "ignored" };
                    if fault != Fault::Text || args.warn {
                        let record = Record { line: Some(number), verdict: Some(verdict), error, ..Record::default() };
                        self.put(record, out);
                    }
                    return;
                }
                let text = if fault.hides_a_file() {
                    (!args.status).then(|| format!("{}: {number}: {fault}", self.name))
                } else {
                    let kind = algorithm.map_or(String::new(), |a| tag(a) + " ");
                    args.warn.then(|| format!("{}: {number}: improperly formatted {kind}checksum line", self.name))
                };
                if let Some(text) = text {
                    self.complaints += 1;
                    if self.complaints <= MAX_COMPLAINTS {
                        self.tell(out, &text);
                    }
                }
            }
            CheckEvent::Note(note) => {
                self.half |= matches!(note, Note::NotKnown(_));
                if !args.status && !args.quiet {
                    self.tell(out, &format!("{}: {note}", self.name));
                }
            }
            CheckEvent::OnlyDigest(file) => {
                self.beside_the_list = true;
                if !args.status && !args.quiet {
                    let file = shown(file.as_os_str());
                    self.tell(out, &format!("{}: has only a digest, taken to be that of {file}", self.name));
                }
            }
            CheckEvent::Found(function) => {
                // A match with a checksum proves little, so it is never accepted silently.
                let is_sound = function.algorithm().security() == Security::Sound;
                if !is_sound || !args.status && !args.quiet {
                    self.tell(out, &format!("{}: digests are {function}'s", self.name));
                }
            }
            CheckEvent::NotFound(tried) => {
                if !args.status {
                    let names: Vec<_> = tried.iter().map(|a| a.name()).collect();
                    self.tell(out, &format!("{}: tried {}; -a names another algorithm", self.name, names.join(", ")));
                }
            }
            CheckEvent::Device { path, one_reader } => {
                if args.verbose {
                    self.tell(out, &how_read(&path, one_reader));
                }
            }
            CheckEvent::File { entry, number, verdict, changed, among } => {
                self.file(entry, number, &verdict, changed, among, out);
            }
            CheckEvent::Idle => out.flush(),
        }
    }

    fn file(
        &mut self,
        entry: &Entry,
        number: u64,
        verdict: &Verdict,
        changed: bool,
        among: Option<Function>,
        out: &mut Lines<'_>,
    ) {
        let args = self.args;
        self.files += 1;
        let file = named(entry);
        let is_missing = match verdict {
            Verdict::Unreadable(e) => e.is_missing(),
            verdict => matches!(verdict, Verdict::Ignored),
        };
        if is_missing {
            self.missing += 1;
            if self.names.len() < 8 {
                self.names.push(file.clone());
            }
        }
        let cause = match verdict {
            Verdict::Unreadable(e) if is_missing => Some(missing(&file, &e.to_string())),
            Verdict::Unreadable(e @ Error::Outside) => Some(format!("{e}; --allow-outside reads it")),
            Verdict::Unreadable(e) => Some(e.to_string()),
            // Nothing can open a socket as a file.
            Verdict::Skipped("socket") => Some("socket, not read".into()),
            Verdict::Skipped(what) => Some(format!("{what}, not read; --allow-special reads it")),
            Verdict::Mismatch { .. } if changed => Some("changed while it was read".into()),
            _ => None,
        };
        if args.json {
            self.record(entry, number, verdict, changed, among, cause, out);
            return;
        }
        if let Some(cause) = cause
            && (!args.status || matches!(verdict, Verdict::Unreadable(_)))
        {
            self.tell(out, &format!("{}: {cause}", shown(&file)));
        }
        let words: Cow<'_, str> = match verdict {
            Verdict::Ignored => return,
            Verdict::Ok if args.quiet => return,
            // What is understood half is not simply OK.
            Verdict::Ok if !entry.unknown.is_empty() => {
                format!("OK (but {} not checked)", entry.unknown.join(", ")).into()
            }
            Verdict::Ok => among.map_or("OK".into(), |f| format!("OK ({})", f.name()).into()),
            Verdict::Mismatch { assumed: Some(a), .. } => format!("FAILED (assumed {}; -a decides)", a.name()).into(),
            Verdict::Mismatch { function, .. } => match function.or(among) {
                Some(f) => format!("FAILED ({})", f.name()).into(),
                None => "FAILED".into(),
            },
            Verdict::OtherSize(is) => format!("FAILED ({is} bytes, not {})", entry.size.unwrap_or_default()).into(),
            Verdict::Unreadable(Error::Outside) => "REFUSED".into(),
            Verdict::Unreadable(_) => "FAILED open or read".into(),
            Verdict::Skipped(_) => "SKIPPED".into(),
            Verdict::NotChecked(e) => format!("NOT CHECKED ({e})").into(),
        };
        let is_ok = matches!(verdict, Verdict::Ok);
        if !is_ok && self.failed.len() < MAX_FAILED {
            self.failed.push(format!("{}: {words}", shown(&file)));
        }
        if args.status {
            return;
        }
        self.printed += 1;
        let (on, off) = match (self.colored, is_ok) {
            (false, _) => ("", ""),
            (true, true) => ("\x1b[32m", "\x1b[0m"),
            (true, false) => ("\x1b[1;31m", "\x1b[0m"),
        };
        let name = |line: &mut Vec<u8>| {
            if entry.name.contains(&b'\n') {
                line.push(b'\\');
                escape(&entry.name, line);
            } else {
                // Like coreutils, escape other characters only if there is a newline, too.
                line.extend_from_slice(&entry.name);
            }
        };
        out.add_with(name, [": ", on, &words, off, "\n"].concat().as_bytes());
    }

    #[allow(clippy::too_many_arguments, reason = "these are the parts of an event")]
    fn record(
        &self,
        entry: &Entry,
        number: u64,
        verdict: &Verdict,
        changed: bool,
        among: Option<Function>,
        cause: Option<String>,
        out: &mut Lines<'_>,
    ) {
        let (said, error) = match verdict {
            Verdict::Ok => ("ok", None),
            Verdict::Mismatch { .. } => ("changed", None),
            Verdict::OtherSize(is) => ("changed", Some(("other-size", format!("the file has {is} bytes")))),
            Verdict::Unreadable(e) if e.is_missing() => ("missing", Some((e.kind(), e.to_string()))),
            Verdict::Unreadable(e) => ("unreadable", Some((e.kind(), e.to_string()))),
            Verdict::Skipped(_) => ("skipped", Some(("skipped", cause.unwrap_or_default()))),
            Verdict::NotChecked(e) => ("not-checked", Some(("no-key", e.to_string()))),
            Verdict::Ignored => ("ignored", None),
        };
        let (wrong, assumed) = match verdict {
            Verdict::Mismatch { function, assumed } => {
                (function.or(among).map(Function::name), assumed.map(Function::name))
            }
            _ => (None, None),
        };
        self.put(
            Record {
                line: Some(number),
                verdict: Some(said),
                wrong,
                assumed,
                unverified: &entry.unknown,
                changed_while_read: changed,
                error: error.map(|(kind, message)| RecordError { kind, message }),
                ..Record::entry(entry, Digits::Hex)
            },
            out,
        );
    }

    /// Reports the end of the list, and adds it to the totals.
    pub(super) fn end(self, summary: &Summary, end: io::Result<()>, out: &mut Lines<'_>, totals: &mut Totals) {
        out.flush();
        let (s, args, name) = (summary, self.args, &self.name);
        totals.lists += 1;
        totals.ok += s.matched;
        totals.changed += s.mismatched;
        totals.missing += s.missing;
        totals.unreadable += s.unreadable;
        totals.skipped += s.skipped;
        totals.not_checked += s.not_checked;
        totals.malformed += s.not_understood;
        totals.printed += self.printed;
        totals.failed.extend(self.failed.iter().take(MAX_FAILED - totals.failed.len().min(MAX_FAILED)).cloned());
        totals.wrong |= !self.is_well(s);
        totals.unverified |= self.args.ignore_missing && s.lines > 0 && s.matched == 0;
        if out.flow().is_break() {
            totals.wrong = true;
            return;
        }
        if self.complaints > MAX_COMPLAINTS {
            let more = self.complaints - MAX_COMPLAINTS;
            self.say(&format!("{name}: and {more} more {} like these", if more == 1 { "line" } else { "lines" }));
        }
        if let Err(e) = end {
            totals.wrong = true;
            // Decompression says that what is in the list is damaged.
            let is_malformed = matches!(e.kind(), io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof);
            *if is_malformed { &mut totals.malformed } else { &mut totals.unreadable } += 1;
            if args.json {
                let error = Some(RecordError { kind: "unreadable-list", message: plain(&e) });
                let verdict = Some(if is_malformed { "malformed" } else { "unreadable" });
                self.put(Record { verdict, error, ..Record::default() }, out);
            }
            self.say(&format!("{name}: {}", plain(&e)));
            return;
        }
        if self.files > 0
            && self.missing == self.files
            && !args.status
            && !self.beside_the_list
            && let Some(text) = relative_to(&self.names, self.base.as_deref(), self.path)
        {
            self.say(&format!("{name}: {text}"));
        }
        self.summarize(s);
    }

    fn is_well(&self, s: &Summary) -> bool {
        s.matched > 0
            && s.mismatched + s.unreadable + s.missing + s.skipped + s.not_checked + s.not_understood == 0
            && !(self.args.strict && (s.bad_lines > 0 || self.half))
    }

    /// Prints the closing messages about a list.
    fn summarize(&self, s: &Summary) {
        if s.lines == 0 {
            self.say(&format!("{}: no properly formatted checksum lines found", self.name));
            return;
        }
        if self.args.status {
            return;
        }
        let count = |n: u64, one: &str, many: &str| {
            if n > 0 {
                self.say(&format!("WARNING: {n} {}", if n == 1 { one } else { many }));
            }
        };
        count(s.bad_lines - s.not_understood, "line is improperly formatted", "lines are improperly formatted");
        count(
            s.not_understood,
            "checksum line was not understood: its file was NOT verified",
            "checksum lines were not understood: their files were NOT verified",
        );
        count(s.unreadable + s.missing, "listed file could not be read", "listed files could not be read");
        count(
            s.skipped,
            "listed file was skipped: it is not a regular file",
            "listed files were skipped: they are not regular files",
        );
        count(s.not_checked, "checksum needs a key: it was NOT checked", "checksums need a key: they were NOT checked");
        count(s.mismatched, "computed checksum did NOT match", "computed checksums did NOT match");
        if self.args.ignore_missing && s.matched == 0 {
            self.say(&format!("{}: no file was verified", self.name));
        }
    }
}

/// Returns the name of an entry, as far as this system can have it.
fn named(entry: &Entry) -> OsString {
    os_string(entry.name.clone()).unwrap_or_else(|| String::from_utf8_lossy(&entry.name).into_owned().into())
}
