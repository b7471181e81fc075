//! Progress of a measurement, for anyone watching.

use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

/// A progress line on stderr, if that is a terminal, shown once the whole has taken more than a second.
pub struct Progress {
    name: &'static str,
    done: usize,
    all: usize,
    shown: Option<Instant>,
    from: Instant,
    terminal: bool,
    at_once: bool,
}

impl Progress {
    /// Starts with `all` steps to go.
    pub fn new(name: &'static str, all: usize) -> Progress {
        let terminal = std::io::stderr().is_terminal();
        Progress { name, done: 0, all, shown: None, from: Instant::now(), terminal, at_once: false }
    }

    /// Shows each step as soon as it begins, for few steps any of which may take long.
    pub fn at_once(mut self) -> Progress {
        self.at_once = true;
        self
    }

    /// Begins the next step.
    pub fn step(&mut self, what: &str) {
        self.done += 1;
        self.note(what);
    }

    /// Updates what the current step is doing.
    pub fn note(&mut self, what: &str) {
        let due = self.shown.map_or(self.from + Duration::from_secs(1), |s| s + Duration::from_millis(100));
        if self.terminal && (self.at_once || Instant::now() >= due) {
            self.shown = Some(Instant::now());
            let space = if what.is_empty() { "" } else { ": " };
            eprint!("\r\x1b[Khashmill: {}: {} of {}{space}{what}", self.name, self.done, self.all);
            // A terminal that has gone away is no reason to stop.
            let _ = std::io::stderr().flush();
        }
    }

    /// Clears the line to make room for other output.
    pub fn clear(&mut self) {
        if self.shown.is_some() {
            eprint!("\r\x1b[K");
            self.shown = Some(Instant::now());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}
