//! Counts the results of attacks, writes them down and judges them.

use super::trace::long;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

/// The result of one try.
#[derive(Default)]
pub(crate) struct Outcome {
    /// A content is neither in its source nor in the destination.
    pub(crate) lost: bool,
    /// Something under a final name should not be there, or a run reported success but was not done.
    pub(crate) wrong: bool,
    /// A run did not end, or ended in a panic.
    pub(crate) hung: bool,
    /// A run without faults left temporary files.
    pub(crate) left: bool,
    /// What was observed, for those who investigate it.
    pub(crate) said: Vec<String>,
}

impl Outcome {
    pub(crate) fn lost(&mut self, what: impl Into<String>) {
        self.lost = true;
        self.said.push(format!("lost: {}", what.into()));
    }

    pub(crate) fn wrong(&mut self, what: impl Into<String>) {
        self.wrong = true;
        self.said.push(format!("wrong: {}", what.into()));
    }

    pub(crate) fn hung(&mut self, what: impl Into<String>) {
        self.hung = true;
        self.said.push(format!("hung: {}", what.into()));
    }

    pub(crate) fn left(&mut self, what: impl Into<String>) {
        self.left = true;
        self.said.push(format!("left over: {}", what.into()));
    }
}

#[derive(Default)]
struct Counts {
    tries: usize,
    lost: usize,
    wrong: usize,
    hung: usize,
    left: usize,
    examples: Vec<String>,
}

/// A row of the table.
pub(crate) struct Attack {
    file: String,
    fault: String,
    counts: Mutex<Counts>,
}

impl Attack {
    /// Creates a row. `file` is the name of its file and gives its place in the table; `fault` is its text there.
    pub(crate) fn new(file: &str, fault: &str) -> Attack {
        Attack { file: file.into(), fault: fault.into(), counts: Mutex::default() }
    }

    /// Counts a try. `what` describes the try if it went wrong.
    pub(crate) fn record(&self, outcome: &Outcome, what: impl FnOnce() -> String) {
        let mut counts = self.counts.lock().unwrap();
        counts.tries += 1;
        counts.lost += usize::from(outcome.lost);
        counts.wrong += usize::from(outcome.wrong);
        counts.hung += usize::from(outcome.hung);
        counts.left += usize::from(outcome.left);
        if !outcome.said.is_empty() && counts.examples.len() < 20 {
            counts.examples.push(format!("{}: {}", what(), outcome.said.join("; ")));
        }
    }
}

/// Writes the rows to their files, and panics if one of them is not clean.
pub(crate) fn finish(attacks: &[Attack]) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("attack");
    fs::create_dir_all(&folder).unwrap();
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let mut bad = String::new();
    for attack in attacks {
        let c = attack.counts.lock().unwrap();
        let row = serde_json::json!({
            "fault": attack.fault, "tries": c.tries, "lost": c.lost, "wrong": c.wrong, "hung": c.hung, "left over": c.left,
            "seconds": seconds, "kernel": kernel.trim(), "tier": if long() { "long" } else { "usual" }, "examples": c.examples,
        });
        fs::write(folder.join(format!("{}.json", attack.file)), format!("{row:#}\n")).unwrap();
        if c.lost + c.wrong + c.hung + c.left > 0 {
            let numbers = [("lost", c.lost), ("wrong", c.wrong), ("hung", c.hung), ("left over", c.left)];
            let numbers: Vec<String> = numbers.iter().map(|(name, n)| format!("{n} {name}")).collect();
            let _ = writeln!(bad, "{}: {} tries, {}", attack.fault, c.tries, numbers.join(", "));
            for example in &c.examples {
                let _ = writeln!(bad, "    {example}");
            }
        }
    }
    assert!(bad.is_empty(), "\n{bad}");
}
