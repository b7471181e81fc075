//! What has been measured, kept until all has: a run that was interrupted goes on.

use super::Done;
use hashmill_measure::run::replace;
use serde_json::json;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Rows that have been measured, kept until all have.
pub(super) struct Journal {
    path: PathBuf,
    pub(super) done: Vec<Done>,
}

impl Journal {
    /// Opens the journal, with the rows of an earlier run if it measured the same.
    pub(super) fn open(path: &Path, identity: &str) -> io::Result<Journal> {
        let text = fs::read_to_string(path).unwrap_or_default();
        let mut lines = text.lines();
        let first = json!(identity).to_string();
        let done = if lines.next() == Some(&first) {
            lines.map_while(|l| serde_json::from_str(l).ok()).collect()
        } else {
            Vec::new()
        };
        let mut journal = Journal { path: path.to_owned(), done: Vec::new() };
        replace(path, format!("{first}\n").as_bytes())?;
        done.iter().try_for_each(|d| journal.put(d))?;
        journal.done = done;
        Ok(journal)
    }

    pub(super) fn put(&mut self, done: &Done) -> io::Result<()> {
        let line = serde_json::to_string(done)? + "\n";
        OpenOptions::new().append(true).open(&self.path)?.write_all(line.as_bytes())
    }

    pub(super) fn remove(self) {
        // It is of no use, and does no harm.
        let _ = fs::remove_file(self.path);
    }
}
