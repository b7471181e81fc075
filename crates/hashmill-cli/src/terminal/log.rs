//! A log file: what a run did, line by line, with the time.

use crate::terminal::output::shown;
use hashmill_files::plain;
use hashmill_lists::format_time;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// A log that lines are appended to.
pub(crate) struct Log {
    path: PathBuf,
    file: File,
    /// Why something could not be written.
    failed: Option<String>,
}

impl Log {
    /// Opens a log, which need not exist.
    pub(crate) fn open(path: &Path) -> Result<Log, String> {
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = file.map_err(|e| format!("{}: {}", shown(path.as_os_str()), plain(&e)))?;
        Ok(Log { path: path.into(), file, failed: None })
    }

    /// Appends a line in one call, so that lines of several runs do not mix.
    pub(crate) fn put(&mut self, text: &str) {
        if self.failed.is_some() {
            return;
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let time = format_time((now.as_secs() as i64, 0));
        if let Err(e) = self.file.write_all(format!("{time} {}\n", text.trim_end()).as_bytes()) {
            self.failed = Some(format!("{}: cannot be written: {}", shown(self.path.as_os_str()), plain(&e)));
        }
    }

    /// Returns why the log is not complete, if it is not.
    pub(crate) fn end(self) -> Option<String> {
        self.failed
    }
}
