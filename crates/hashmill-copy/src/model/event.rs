//! The events that a run reports, and its summary.

use crate::model::taken::{Origin, Taken};
use hashmill::{Algorithm, Digest};
use hashmill_lists::{Digits, Entry, Name, Record, RecordError, Stated};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// It was copied, or would be in a dry run.
    Copied,
    /// The destination already has it under that name.
    Same,
    /// The destination already has its content under another name.
    Duplicate,
    /// A symbolic link was made.
    Linked,
    /// The destination has a different file of that name, which was left alone.
    Conflict,
    /// It is not of a kind that is copied.
    Skipped,
    /// It could not be copied.
    Failed,
}

/// The outcome for one file.
#[derive(Debug, Clone)]
pub struct FileEvent<'a> {
    /// What became of it.
    pub action: Action,
    /// The source file.
    pub source: &'a Path,
    /// Its path in the destination, or the path that it would have.
    pub destination: Option<PathBuf>,
    /// The same path, relative to the destination folder.
    pub below: Option<PathBuf>,
    /// Its length in bytes.
    pub bytes: u64,
    /// When the file in the destination was last modified, in seconds and nanoseconds since 1970, if it has these
    /// digests.
    pub modified: Option<(i64, u32)>,
    /// Its digests by the requested algorithms, as far as they were computed.
    pub digests: Vec<(Algorithm, Digest)>,
    /// Its digest by an algorithm that tells all files apart, if none of the requested ones does.
    pub(crate) sound: Option<Box<(Algorithm, Digest)>>,
    /// When it was taken, if the layout needs that.
    pub taken: Option<&'a Taken>,
    /// Why it was not copied.
    pub cause: Option<String>,
    /// It has a number in its name because the name was taken.
    pub renamed: bool,
    /// It replaced another file.
    pub replaced: bool,
    /// The source has been deleted.
    pub removed: bool,
}

impl<'a> FileEvent<'a> {
    pub(crate) fn new(action: Action, source: &'a Path) -> Self {
        FileEvent {
            action,
            source,
            destination: None,
            below: None,
            bytes: 0,
            modified: None,
            digests: Vec::new(),
            sound: None,
            taken: None,
            cause: None,
            renamed: false,
            replaced: false,
            removed: false,
        }
    }
}

/// An event that a run reports.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The outcome for a file is known.
    File(FileEvent<'a>),
    /// Something went wrong, but no file was lost.
    Warning {
        /// The path concerned.
        path: &'a Path,
        /// What went wrong.
        cause: String,
    },
}

/// What `--json` prints about a file.
#[derive(serde::Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    record: Record<'a>,
    #[serde(flatten)]
    taken: Option<When<'a>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    renamed: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    replaced: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    removed: bool,
}

/// When a picture was taken, and what says so.
#[derive(serde::Serialize)]
struct When<'a> {
    taken: Option<String>,
    zone: Option<String>,
    date_from: Origin,
    #[serde(skip_serializing_if = "str::is_empty")]
    camera: &'a str,
}

impl Action {
    fn word(self) -> &'static str {
        match self {
            Action::Copied => "copied",
            Action::Same => "same",
            Action::Duplicate => "duplicate",
            Action::Linked => "linked",
            Action::Conflict => "conflict",
            Action::Skipped => "skipped",
            Action::Failed => "failed",
        }
    }
}

impl Event<'_> {
    /// Appends the event as `--json` prints it, without the end of the line.
    pub fn put(&self, out: &mut Vec<u8>) {
        let line = match self {
            Event::Warning { path, cause } => {
                let error = Some(RecordError { kind: "warning", message: cause.clone() });
                let record =
                    Record { verdict: Some("warning"), error, ..Record::of(path.as_os_str().as_encoded_bytes()) };
                return record.put(out);
            }
            Event::File(e) => e,
        };
        let name = |path: &Path| path.as_os_str().as_encoded_bytes().to_vec();
        let entry = Entry {
            name: line.destination.as_deref().map_or_else(Vec::new, name),
            size: Some(line.bytes),
            mtime: line.modified,
            stated: line.digests.iter().map(|(a, d)| Stated::new(Some(*a), d.clone())).collect(),
            ..Entry::default()
        };
        let verdict = line.action.word();
        let mut record = Record::entry(&entry, Digits::Hex).from(line.source.as_os_str().as_encoded_bytes());
        if line.destination.is_none() {
            record.name = Name::None;
        }
        record.verdict = Some(verdict);
        record.error = line.cause.as_ref().map(|cause| RecordError { kind: verdict, message: cause.clone() });
        let taken = line.taken.map(|t| When {
            taken: t.local.map(|at| at.format("%Y-%m-%dT%H:%M:%S%.f").to_string()),
            zone: t.offset.map(|o| o.to_string()),
            date_from: t.origin,
            camera: &t.model,
        });
        let FileEvent { renamed, replaced, removed, .. } = *line;
        // Writing to a vector cannot fail.
        let _ = serde_json::to_writer(out, &Line { record, taken, renamed, replaced, removed });
    }
}

/// The kind of problem that a failure counts as in a [`Summary`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Problem {
    /// A source could not be read.
    Unreadable,
    /// A copy could not be written, or a source could not be deleted.
    Unwritable,
    /// A copy or source had different content when it was read again.
    Mismatch,
    /// The destination has a different file of that name.
    Conflict,
    /// A file of the destination is no longer what it was.
    Damaged,
}

/// The outcome of a run. Numbers count files unless stated otherwise.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Summary {
    /// Files copied.
    pub copied: u64,
    /// Bytes copied.
    pub bytes: u64,
    /// Copied files that have a number in their names because the names were taken.
    pub renamed: u64,
    /// Copied files that replaced another file.
    pub replaced: u64,
    /// Files that the destination already had.
    pub same: u64,
    /// Files that the destination already had under another name.
    pub duplicates: u64,
    /// Symbolic links created.
    pub linked: u64,
    /// Files not copied because a different file of that name in the destination was to be left alone.
    pub left: u64,
    /// Files of a kind that is not copied.
    pub skipped: u64,
    /// Thumbnails and system files that an import left out.
    pub left_out: u64,
    /// Files in the destination whose place follows from a date that is not the picture's own, by its origin.
    pub dated_by: BTreeMap<Origin, u64>,
    /// Files not copied because of an error.
    pub failed: u64,
    /// Sources deleted.
    pub removed: u64,
    /// Files copied a second time because the first copy failed verification or the source changed.
    pub repeated: u64,
    /// Sources that could not be read.
    pub unreadable: u64,
    /// Copies that could not be written, and sources that could not be deleted.
    pub unwritable: u64,
    /// Copies or sources that had different content when they were read again.
    pub mismatched: u64,
    /// Failures because the destination has a different file of that name.
    pub conflicts: u64,
    /// Files of the destination that were found to be damaged.
    pub damaged: u64,
    /// Bytes that would have to be free in addition, for the files that did not fit or, in a dry run, would not.
    pub missing_bytes: u64,
    /// Bytes that are free where some are missing.
    pub free_bytes: u64,
    /// Whether the catalogue or the manifest could not be written.
    pub record_failed: bool,
    /// How files in the destination were read back, by file system.
    pub verified: Vec<Verified>,
}

/// Number of files on one file system that were read back, by where their bytes came from.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Verified {
    /// The name of the file system, such as `ext4`.
    pub file_system: String,
    /// From the medium, past the page cache (`O_DIRECT`).
    pub direct: u64,
    /// From the medium, because none of their pages were in the page cache when reading began.
    pub dropped: u64,
    /// From the page cache, as far as can be told.
    pub cached: u64,
}

impl Summary {
    pub(crate) fn count(&mut self, e: &FileEvent<'_>) {
        match e.action {
            Action::Copied => {
                self.copied += 1;
                self.bytes += e.bytes;
            }
            Action::Same => self.same += 1,
            Action::Duplicate => self.duplicates += 1,
            Action::Linked => self.linked += 1,
            Action::Conflict => self.left += 1,
            Action::Skipped => self.skipped += 1,
            Action::Failed => self.failed += 1,
        }
        self.renamed += u64::from(e.renamed);
        self.replaced += u64::from(e.replaced);
        self.removed += u64::from(e.removed);
    }

    pub(crate) fn add(&mut self, problem: Problem) {
        match problem {
            Problem::Unreadable => self.unreadable += 1,
            Problem::Unwritable => self.unwritable += 1,
            Problem::Mismatch => self.mismatched += 1,
            Problem::Conflict => self.conflicts += 1,
            Problem::Damaged => self.damaged += 1,
        }
    }

    /// Returns the exit status: 0 if all went well, otherwise the sum of 1 if a source could not be read, 4 if a copy
    /// could not be written (or, in a dry run, would not fit) or a source not be deleted, 8 if a copy or source had
    /// different content when it was read again or a file of the destination is damaged, 16 if the destination had a
    /// different file of the same name, and 32 if the catalogue or a list could not be written. (2 is reserved for
    /// wrong usage.)
    pub fn status(&self) -> u8 {
        u8::from(self.unreadable > 0)
            | u8::from(self.unwritable > 0 || self.missing_bytes > 0) << 2
            | u8::from(self.mismatched > 0 || self.damaged > 0) << 3
            | u8::from(self.conflicts > 0) << 4
            | u8::from(self.record_failed) << 5
    }
}
