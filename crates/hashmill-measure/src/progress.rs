//! How far a measurement is, for who looks on.

use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

/// A line on stderr, if that is a terminal, once the whole takes more than a second.
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
    /// `all` steps, none of which has begun.
    pub fn new(name: &'static str, all: usize) -> Progress {
        let terminal = std::io::stderr().is_terminal();
        Progress { name, done: 0, all, shown: None, from: Instant::now(), terminal, at_once: false }
    }

    /// For few steps, any of which may take long: each is shown when it begins.
    pub fn at_once(mut self) -> Progress {
        self.at_once = true;
        self
    }

    /// The next step begins.
    pub fn step(&mut self, what: &str) {
        self.done += 1;
        self.note(what);
    }

    /// What the step is at.
    pub fn note(&mut self, what: &str) {
        let due = self.shown.map_or(self.from + Duration::from_secs(1), |s| s + Duration::from_millis(100));
        if self.terminal && (self.at_once || Instant::now() >= due) {
            self.shown = Some(Instant::now());
            let space = if what.is_empty() { "" } else { ": " };
            eprint!("\r\x1b[Khashmill: {}: {} of {}{space}{what}", self.name, self.done, self.all);
            // A terminal that went away is no reason to stop.
            let _ = std::io::stderr().flush();
        }
    }

    /// Makes room for other lines.
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
