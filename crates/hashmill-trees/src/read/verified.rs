//! When files were last verified, for archives that are read a part at a time.

use crate::base::snapshot::{Known, Snapshot};
use hashmill_lists::{Name, format_time, parse_time};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::io::{self, BufRead};

/// When each file was last verified: read, and found to be as listed.
#[derive(Debug, Default)]
pub struct Verified {
    /// The time of the verification stands in the place of that of the modification.
    files: Snapshot,
}

/// A line of the file in which the times are kept.
#[derive(Deserialize)]
struct Line {
    path: Option<String>,
    path_base64: Option<String>,
    verified: String,
}

#[derive(Serialize)]
struct LineOut<'a> {
    #[serde(flatten)]
    name: Name<'a>,
    verified: String,
}

impl Verified {
    /// Reads times, a JSON object a line: `path` (or `path_base64`), `verified`. Lines that are not understood count as
    /// files that were never verified.
    ///
    /// # Errors
    /// Returns an error if they cannot be read.
    pub fn read(from: impl BufRead) -> io::Result<Self> {
        let mut verified = Verified::default();
        for line in from.split(b'\n') {
            let Ok(Line { path, path_base64, verified: time }) = serde_json::from_slice::<Line>(&line?) else {
                continue;
            };
            let name = match (path, path_base64) {
                (Some(path), _) => Some(path.into_bytes()),
                (None, Some(text)) => Name::decode(&text),
                (None, None) => None,
            };
            if let (Some(name), Some((seconds, _))) = (name, parse_time(&time)) {
                verified.set(&name, seconds);
            }
        }
        Ok(verified)
    }

    /// Returns when a file was last verified, in seconds since 1970, if it ever was.
    pub fn of(&self, name: &[u8]) -> Option<i64> {
        self.files.modified(self.files.find(name)?).map(|(seconds, _)| seconds)
    }

    /// Notes that a file was verified.
    pub fn set(&mut self, name: &[u8], seconds: i64) {
        if let Ok(row) = self.files.add(name, &Known::default()) {
            self.files.set_modified(row, (seconds, 0));
        }
    }

    /// Returns the days on which files were verified, in days since 1970.
    pub fn days(&self) -> BTreeSet<i64> {
        self.files
            .rows()
            .filter_map(|row| self.files.modified(row))
            .map(|(seconds, _)| seconds.div_euclid(86400))
            .collect()
    }

    /// Passes on every line, with its end.
    pub fn lines(&self) -> impl Iterator<Item = Vec<u8>> {
        self.files.rows().map(|row| {
            let name = self.files.name(row);
            let (seconds, _) = self.files.modified(row).unwrap_or_default();
            let line = LineOut { name: Name::of(&name), verified: format_time((seconds, 0)) };
            let mut out = serde_json::to_vec(&line).unwrap_or_default();
            out.push(b'\n');
            out
        })
    }
}
