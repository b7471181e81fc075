//! What a run tells, and what it comes to.

use crate::api::taken::Taken;
use hashmill::{Algorithm, Digest};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::path::{Path, PathBuf};

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Action {
    /// It has been copied; in a rehearsal, it would be.
    Copied,
    /// The destination has it already, under that name.
    Same,
    /// The destination has its content already, somewhere.
    Duplicate,
    /// A symbolic link was made.
    Linked,
    /// The destination has another file of the name, which was to be left alone.
    Conflict,
    /// It is nothing that is copied.
    Skipped,
    /// It could not be copied.
    Failed,
}

/// What became of one file.
#[derive(Debug, Clone)]
pub struct FileEvent<'a> {
    /// What.
    pub action: Action,
    /// The file.
    pub source: &'a Path,
    /// Where it is now, or would be.
    pub destination: Option<PathBuf>,
    /// The same, relative to the destination folder.
    pub below: Option<PathBuf>,
    /// Its length.
    pub bytes: u64,
    /// Its digests, of the algorithms that were asked for, as far as they were taken.
    pub digests: Vec<(Algorithm, Digest)>,
    /// When it was taken, if the layout wanted to know.
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
            digests: Vec::new(),
            taken: None,
            cause: None,
            renamed: false,
            replaced: false,
            removed: false,
        }
    }
}

/// Something to tell.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A file is settled.
    File(FileEvent<'a>),
    /// Something is not as it should be, but no file is lost.
    Warning {
        /// Where.
        path: &'a Path,
        /// What.
        cause: String,
    },
}

/// A path for JSON: text, or the bytes in hexadecimal under another key if it is none.
fn put_path<M: SerializeMap>(map: &mut M, key: &str, path: &Path) -> Result<(), M::Error> {
    match path.to_str() {
        Some(text) => map.serialize_entry(key, text),
        None => {
            let hex: String = path.as_os_str().as_encoded_bytes().iter().map(|b| format!("{b:02x}")).collect();
            map.serialize_entry(&format!("{key}_hex"), &hex)
        }
    }
}

impl Serialize for Event<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        match self {
            Event::Warning { path, cause } => {
                map.serialize_entry("event", "warning")?;
                put_path(&mut map, "path", path)?;
                map.serialize_entry("cause", cause)?;
            }
            Event::File(e) => {
                map.serialize_entry("event", "file")?;
                map.serialize_entry("action", &e.action)?;
                put_path(&mut map, "source", e.source)?;
                if let Some(destination) = &e.destination {
                    put_path(&mut map, "destination", destination)?;
                }
                map.serialize_entry("bytes", &e.bytes)?;
                if let Some(t) = e.taken {
                    map.serialize_entry("taken", &t.local.format("%Y-%m-%dT%H:%M:%S%.f").to_string())?;
                    map.serialize_entry("zone", &t.offset.map(|o| o.to_string()))?;
                    map.serialize_entry("date_from", &t.origin)?;
                    if !t.model.is_empty() {
                        map.serialize_entry("camera", &t.model)?;
                    }
                }
                if !e.digests.is_empty() {
                    let digests: serde_json::Map<String, serde_json::Value> =
                        e.digests.iter().map(|(a, d)| (a.name().into_owned(), d.to_string().into())).collect();
                    map.serialize_entry("digests", &digests)?;
                }
                for (key, set) in [("renamed", e.renamed), ("replaced", e.replaced), ("removed", e.removed)] {
                    if set {
                        map.serialize_entry(key, &true)?;
                    }
                }
                if let Some(cause) = &e.cause {
                    map.serialize_entry("cause", cause)?;
                }
            }
        }
        map.end()
    }
}

/// What a failure counts as in a [`Summary`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Problem {
    /// A source could not be read.
    Unreadable,
    /// A copy could not be written, or a source not be deleted.
    Unwritable,
    /// A copy or source gave other bytes when it was read again.
    Mismatch,
    /// The destination has another file of the name.
    Conflict,
}

/// What a run comes to: numbers of files, unless it says otherwise.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Summary {
    /// Copied.
    pub copied: u64,
    /// Bytes of those.
    pub bytes: u64,
    /// Of those, how many have a number in their names because the names were taken.
    pub renamed: u64,
    /// Of those, how many replaced another file.
    pub replaced: u64,
    /// There already.
    pub same: u64,
    /// There already under another name.
    pub duplicates: u64,
    /// Symbolic links made.
    pub linked: u64,
    /// Not copied because the destination has another file of the name.
    pub left: u64,
    /// Nothing that is copied.
    pub skipped: u64,
    /// Not copied because something went wrong.
    pub failed: u64,
    /// Sources deleted.
    pub removed: u64,
    /// Copied a second time because the first time failed its verification or the source changed.
    pub repeated: u64,
    /// Sources that could not be read.
    pub unreadable: u64,
    /// Copies that could not be written, and sources that could not be deleted.
    pub unwritable: u64,
    /// Copies or sources that gave other bytes when they were read again.
    pub mismatched: u64,
    /// Failures because the destination has another file of the name.
    pub conflicts: u64,
    /// The catalogue or the manifest could not be written.
    pub record_failed: bool,
    /// How files of the destination were read back, by file system.
    pub verified: Vec<Verified>,
}

/// How many files of one file system were read back, and where their bytes came from.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Verified {
    /// The file system: `ext4`.
    pub file_system: String,
    /// From the medium, past the page cache (`O_DIRECT`).
    pub direct: u64,
    /// From the medium, since the page cache had none of their pages when reading began.
    pub dropped: u64,
    /// From the page cache, as far as anybody can tell.
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
        }
    }

    /// 0 if all went well, else a sum of: 1 a source could not be read, 4 a copy could not be written, 8 a copy or
    /// source gave other bytes when it was read again, 16 a file was there with other content, 32 the catalogue or the
    /// manifest could not be written. (2 is for wrong usage.)
    pub fn status(&self) -> u8 {
        u8::from(self.unreadable > 0)
            | u8::from(self.unwritable > 0) << 2
            | u8::from(self.mismatched > 0) << 3
            | u8::from(self.conflicts > 0) << 4
            | u8::from(self.record_failed) << 5
    }
}
