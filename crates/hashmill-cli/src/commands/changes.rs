//! What is printed about files that are compared with what they were: text for people, JSON and the symbols of rclone
//! for machines.

use crate::terminal::color::Color;
use crate::terminal::output::{Lines, shown};
use hashmill_files::Error;
use hashmill_lists::{Closing, Digits, Entry, Function, Record, RecordError, os_string};
use hashmill_trees::{AuditSummary, Class, FileChange, Known, ListEvent};
use indicatif::HumanBytes;
use serde::Serialize;
use serde::ser::SerializeMap;
use std::ffi::{OsStr, OsString};
#[cfg(feature = "copy")]
use std::path::Path;

/// How files are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A line for each file that is not the same, or for all.
    Text {
        /// Also files that are the same.
        all: bool,
    },
    Json,
    Combined,
}

/// Prints what became of files.
pub(crate) struct Changes {
    shape: Shape,
    colored: bool,
    /// The folder, for the closing line.
    pub(crate) folder: String,
    /// Everything is new, which needs no lines.
    pub(crate) all_new: bool,
    /// Number of files that were repaired, if that was tried.
    pub(crate) repaired: Option<u64>,
    /// What the closing line ends with.
    pub(crate) outlook: String,
}

impl Changes {
    pub(crate) fn new(shape: Shape, color: Color) -> Self {
        let (folder, outlook) = (String::new(), String::new());
        Changes { shape, colored: color.is_on(), folder, all_new: false, repaired: None, outlook }
    }

    /// Prints what became of a file. Returns what else is to be said on standard error.
    pub(crate) fn put(&self, file: &FileChange<'_>, out: &mut Lines<'_>) -> Option<String> {
        let name = text(file.name);
        let cause = match (file.class, file.error) {
            (Class::Skipped, _) => None,
            (_, Some(e)) => Some(e.to_string()),
            (Class::Unreadable, None) if file.changed_while_read => Some("changed while it was read".into()),
            _ => None,
        };
        match self.shape {
            Shape::Json => out.add(|line| {
                json(file, cause.as_deref(), line);
                line.push(b'\n');
            }),
            Shape::Combined => {
                for (symbol, name) in symbols(file) {
                    out.add(|line| {
                        line.extend([symbol, b' ']);
                        line.extend_from_slice(name);
                        line.push(b'\n');
                    });
                }
            }
            Shape::Text { all } => {
                let is_usual = match file.class {
                    Class::Same | Class::Skipped => true,
                    Class::New => self.all_new,
                    _ => false,
                };
                if all || !is_usual {
                    let arrow = file.from.map_or(String::new(), |from| format!("{} -> ", shown(&text(from))));
                    let after = match (file.taken, file.class, file.error) {
                        (true, Class::Missing, _) => "  (another file has its name)".to_string(),
                        (_, Class::Skipped, Some(Error::Skipped(what))) => format!("  ({what})"),
                        _ => String::new(),
                    };
                    let (on, off) = match file.class {
                        _ if !self.colored => ("", ""),
                        Class::Rotten | Class::Differs | Class::Missing | Class::Unreadable | Class::NotChecked => {
                            ("\x1b[1;31m", "\x1b[0m")
                        }
                        Class::Changed => ("\x1b[33m", "\x1b[0m"),
                        _ => ("", ""),
                    };
                    let line = format!("{arrow}{}{after}\n", shown(&name));
                    out.add_with(|_| (), format!("{on}{:<12}{off}", file.class.name()).as_bytes());
                    out.add(|text| text.extend_from_slice(line.as_bytes()));
                }
            }
        }
        cause.map(|cause| format!("{}: {cause}", shown(&name)))
    }

    /// Prints that a copy has taken the place of a damaged file, and where that is now.
    #[cfg(feature = "copy")]
    pub(crate) fn repaired(&self, name: &[u8], from: &Path, kept: Option<&Path>, out: &mut Lines<'_>) {
        match self.shape {
            Shape::Json => out.add(|line| {
                let kept = kept.map(|kept| kept.as_os_str().as_encoded_bytes());
                let record = Record { verdict: Some("repaired"), ..Record::of(name) };
                let record = record.from(from.as_os_str().as_encoded_bytes()).kept(kept);
                record.put(line);
                line.push(b'\n');
            }),
            Shape::Combined => {}
            Shape::Text { .. } => {
                let kept = kept.map_or(String::new(), |kept| {
                    format!("; the damaged file was kept as {}", shown(kept.as_os_str()))
                });
                let line = format!("{}  (from {}{kept})\n", shown(&text(name)), shown(from.as_os_str()));
                out.add_with(|_| (), format!("{:<12}", "repaired").as_bytes());
                out.add(|text| text.extend_from_slice(line.as_bytes()));
            }
        }
    }

    /// Prints the totals. Returns them if they are to be said on standard error, so that the output has only files.
    pub(crate) fn close(&self, summary: &AuditSummary, status: u8, out: &mut Lines<'_>) -> Option<String> {
        match self.shape {
            Shape::Json => {
                out.add(|line| {
                    Closing::new(Totals(summary, self.repaired), status).put(line);
                    line.push(b'\n');
                });
                None
            }
            Shape::Combined => Some(self.totals(summary)),
            Shape::Text { .. } => {
                let text = self.totals(summary) + "\n";
                out.add(|line| line.extend_from_slice(text.as_bytes()));
                None
            }
        }
    }

    fn totals(&self, summary: &AuditSummary) -> String {
        let mut text = format!("{}: {}", self.folder, counts(summary));
        if let Some(n) = self.repaired {
            text += &format!(", {n} repaired");
        }
        if summary.malformed > 0 {
            let s = if summary.malformed == 1 { "" } else { "s" };
            text += &format!(", {} line{s} not understood", summary.malformed);
        }
        text += &format!("; {} read", HumanBytes(summary.bytes));
        if summary.trusted > 0 {
            text += &format!(", {} not read (length and time are as listed)", summary.trusted);
        }
        if !self.outlook.is_empty() {
            text += &format!("; {}", self.outlook);
        }
        if summary.resumed > 0 {
            text += &format!(", {} not read (the interrupted run had read them)", summary.resumed);
        }
        text
    }
}

/// Returns how many files are the same, and how many are in each other class that has any.
pub(crate) fn counts(summary: &AuditSummary) -> String {
    let mut text = format!("{} same", summary.of(Class::Same));
    for class in Class::ALL.into_iter().skip(1) {
        let n = summary.of(class);
        if n > 0 {
            text += &match class {
                Class::Differs => format!(", {n} differing"),
                Class::NotChecked => format!(", {n} not checked"),
                Class::Skipped => format!(", {n} skipped (links, pipes, devices)"),
                class => format!(", {n} {}", class.name()),
            };
        }
    }
    text
}

/// Counts by class.
struct Totals<'a>(&'a AuditSummary, Option<u64>);

impl Serialize for Totals<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for class in Class::ALL {
            map.serialize_entry(&class.name().replace('-', "_"), &self.0.of(class))?;
        }
        if let Some(repaired) = self.1 {
            map.serialize_entry("repaired", &repaired)?;
        }
        map.serialize_entry("malformed", &self.0.malformed)?;
        map.serialize_entry("trusted", &self.0.trusted)?;
        map.serialize_entry("left", &self.0.left.0)?;
        map.serialize_entry("left_bytes", &self.0.left.1)?;
        map.serialize_entry("bytes", &self.0.bytes)?;
        map.end()
    }
}

/// Returns a name as this system has it, as far as it can.
pub(crate) fn text(name: &[u8]) -> OsString {
    os_string(name.to_vec()).unwrap_or_else(|| String::from_utf8_lossy(name).into_owned().into())
}

/// Appends what became of a file as JSON.
fn json(file: &FileChange<'_>, cause: Option<&str>, line: &mut Vec<u8>) {
    let entry = |known: Option<Known<'_>>| {
        known.map(|k| Entry {
            name: file.name.to_vec(),
            size: k.size,
            mtime: k.modified,
            stated: k.stated.to_vec(),
            ..Entry::default()
        })
    };
    let (before, now) = (entry(file.before), entry(file.now));
    let usual = now.as_ref().or(before.as_ref());
    let nothing = Entry { name: file.name.to_vec(), ..Entry::default() };
    // The digests that the list states, and those that the file has if they are others.
    let differs = matches!(file.class, Class::Changed | Class::Rotten | Class::Differs);
    let stated = before.as_ref().filter(|_| differs);
    let mut record = Record::entry(stated.or(usual).unwrap_or(&nothing), Digits::Hex);
    if let (true, Some(now)) = (differs, &now) {
        record = record.found(now, Digits::Hex);
    }
    record.verdict = Some(file.class.name());
    record.changed_while_read = file.changed_while_read;
    record.error = match (file.error, cause) {
        (Some(e), _) => Some(RecordError { kind: e.kind(), message: e.to_string() }),
        (None, Some(cause)) => Some(RecordError { kind: "changed-while-read", message: cause.into() }),
        _ => None,
    };
    if let Some(from) = file.from {
        record = record.from(from);
    }
    record.put(line);
}

/// Returns the lines of `rclone check --combined` for a file, whose source is the list. They are about names alone: one
/// that another file has now is changed.
fn symbols<'a>(file: &FileChange<'a>) -> Vec<(u8, &'a [u8])> {
    let now = (if file.named { b'*' } else { b'-' }, file.name);
    match file.class {
        Class::Same | Class::Touched => vec![(b'=', file.name)],
        Class::Changed | Class::Rotten | Class::Differs => vec![(b'*', file.name)],
        Class::New | Class::Copied => vec![now],
        Class::Missing if file.taken => vec![],
        Class::Missing => vec![(b'+', file.name)],
        Class::Moved => {
            let from = file.from.filter(|_| !file.taken).map(|from| (b'+', from));
            from.into_iter().chain([now]).collect()
        }
        Class::Unreadable | Class::NotChecked => vec![(b'!', file.name)],
        Class::Skipped => vec![],
    }
}

/// Returns that digests which do not name their algorithm are taken to be of this one.
pub(crate) fn assumed(function: Function) -> String {
    format!("digests do not name their algorithm; {} is assumed, -a decides", function.name())
}

/// Returns what people are told about a list.
pub(crate) fn about(event: &ListEvent) -> Option<String> {
    Some(match event {
        ListEvent::BadLine { number, fault } if fault.hides_a_file() => format!("{number}: {fault}"),
        ListEvent::BadLine { .. } => return None,
        ListEvent::Contradicts { number, name } => {
            let name = String::from_utf8_lossy(name).into_owned();
            format!("{number}: names {} again, with another digest, which is not used", shown(OsStr::new(&name)))
        }
        ListEvent::Note(note) => note.to_string(),
        ListEvent::Found(function) => format!("digests are {function}'s"),
        ListEvent::Assumed(function) => assumed(*function),
        ListEvent::Unknown(bytes) => {
            format!("digests of {bytes} bytes do not name their algorithm, so their files are not checked; -a names it")
        }
    })
}
