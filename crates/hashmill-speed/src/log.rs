//! What is said on stderr while `speed` measures.

use super::options::Options;
use hashmill_measure::run::Session;
use hashmill_measure::sys;
use std::collections::BTreeSet;
use std::io::{self, Write};

/// Where warnings and errors go: into the session, where there is one. Children of `-multi` have none, and neither has
/// plain `-mr`: whatever reads its records knows no other lines.
pub(super) struct Log {
    pub(super) session: Option<Session>,
    pub(super) failed: bool,
    pub(super) said: BTreeSet<String>,
    /// Warnings that wait for the end of a line.
    pub(super) later: Vec<String>,
}

impl Log {
    pub(super) fn begin(options: &Options) -> Log {
        let plain = options.machine && options.output.svg.is_none() && options.output.save.is_none();
        sys::catch_interrupt();
        let session = (!options.child && (!plain || options.output.json)).then(|| Session::begin("speed"));
        Log { session, failed: false, said: BTreeSet::new(), later: Vec::new() }
    }

    /// Something to know, said only once.
    pub(super) fn once(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.said.contains(&note) {
            eprintln!("hashmill: speed: {note}");
            self.said.insert(note);
        }
    }

    /// Something that makes results doubtful, with its remedy.
    pub(super) fn warn(&mut self, warning: String) {
        if let Some(session) = &mut self.session {
            session.warn(warning);
        }
    }

    /// Something that could not be measured.
    pub(super) fn error(&mut self, error: impl std::fmt::Display) {
        self.failed = true;
        match &mut self.session {
            Some(session) => session.error(error),
            None => eprintln!("hashmill: speed: {error}"),
        }
    }

    /// The same for every size: said once.
    pub(super) fn error_once(&mut self, error: String) {
        self.failed = true;
        if self.said.insert(error.clone()) {
            self.error(error);
        }
    }
}

/// Writes to stderr at once: the children of `-multi` share it.
pub(super) fn tell(text: &str) {
    // Where stderr is closed, the results still count.
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Of a line that said what is being done.
pub(super) fn end_of_line(options: &Options) -> &'static str {
    if options.machine { "" } else { "\n" }
}
