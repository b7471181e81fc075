//! Progress of a measurement, for anyone watching.

use console::{Term, measure_text_width, truncate_str};
use std::borrow::Cow;
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
            let columns = usize::from(Term::stderr().size().1).saturating_sub(1);
            erase_and_write(&line(self.name, self.done, self.all, what, columns));
        }
    }

    /// Clears the line to make room for other output.
    pub fn clear(&mut self) {
        if self.shown.is_some() {
            erase_and_write("");
            self.shown = Some(Instant::now());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Writes a line over the last one.
fn erase_and_write(line: &str) {
    // A terminal that has gone away is no reason to stop.
    let _ = std::io::stderr().write_all(format!("\r\x1b[K{line}").as_bytes());
}

/// Returns the line for a terminal of so many columns, since a longer one would wrap and scroll. The steps matter most,
/// then what the current one is doing, then the name.
fn line(name: &str, done: usize, all: usize, what: &str, columns: usize) -> String {
    let space = if what.is_empty() { "" } else { ": " };
    let steps = format!("{done} of {all}");
    let whole = format!("hashmill: {name}: {steps}{space}{what}");
    if measure_text_width(&whole) <= columns {
        return whole;
    }
    match truncate_str(&format!("{steps}{space}{what}"), columns, "…") {
        Cow::Owned(cut) if measure_text_width(&cut) <= steps.len() + space.len() => {
            truncate_str(&steps, columns, "").into_owned()
        }
        fits => fits.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit() {
        for (columns, text) in [
            (38, "hashmill: bench io: 3 of 12: 漢字e\u{301}.iso"),
            (37, "3 of 12: 漢字e\u{301}.iso"),
            (18, "3 of 12: 漢字e\u{301}.iso"),
            (17, "3 of 12: 漢字e\u{301}.i…"),
            (11, "3 of 12: …"),
            (7, "3 of 12"),
            (3, "3 o"),
            (0, ""),
        ] {
            let shown = line("bench io", 3, 12, "漢字e\u{301}.iso", columns);
            assert_eq!(shown, text, "{columns}");
            assert!(measure_text_width(&shown) <= columns);
        }
    }
}
