//! Messages on stderr while `speed` measures.

use super::options::Options;
use hashmill_measure::run::Session;
use hashmill_measure::sys;
use std::collections::BTreeSet;
use std::io::{self, Write};

/// Destination of warnings and errors: the session, if there is one. Children of `-multi` have none, and neither does
/// plain `-mr`, because programs that read its records do not expect other lines.
pub(super) struct Log {
    pub(super) session: Option<Session>,
    pub(super) failed: bool,
    pub(super) said: BTreeSet<String>,
    /// Warnings held back until the current line has ended.
    pub(super) later: Vec<String>,
}

impl Log {
    pub(super) fn begin(options: &Options) -> Log {
        let plain = options.machine && options.output.svg.is_none() && options.output.save.is_none();
        sys::catch_interrupt();
        let session = (!options.child && (!plain || options.output.json)).then(|| Session::begin("speed"));
        Log { session, failed: false, said: BTreeSet::new(), later: Vec::new() }
    }

    /// Prints a note, once.
    pub(super) fn once(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.said.contains(&note) {
            hashmill_measure::run::say("speed", &note);
            self.said.insert(note);
        }
    }

    /// Reports something that makes results doubtful, with its remedy.
    pub(super) fn warn(&mut self, warning: String) {
        if let Some(session) = &mut self.session {
            session.warn(warning);
        }
    }

    /// Reports something that could not be measured.
    pub(super) fn error(&mut self, error: impl std::fmt::Display) {
        self.failed = true;
        match &mut self.session {
            Some(session) => session.error(error),
            None => hashmill_measure::run::say("speed", error),
        }
    }

    /// Reports, only once, an error that is the same for every size.
    pub(super) fn error_once(&mut self, error: String) {
        self.failed = true;
        if self.said.insert(error.clone()) {
            self.error(error);
        }
    }
}

/// Writes to stderr in one call, because the children of `-multi` share it.
pub(super) fn tell(text: &str) {
    // Even if stderr is closed, the results still count.
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Returns the end of a line that announced a measurement.
pub(super) fn end_of_line(options: &Options) -> &'static str {
    if options.machine { "" } else { "\n" }
}
