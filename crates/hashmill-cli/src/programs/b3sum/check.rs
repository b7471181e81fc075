//! Verifies lists, parsing their lines as b3sum does.

use super::reason;
use crate::programs::Voice;
use crate::programs::verify::{ListError, literally, verify};
use crate::terminal::input::Stdin;
use crate::terminal::output::Lines;
use hashmill_files::{CheckEvent, CheckOptions, Verdict};
use hashmill_lists::dialects::b3sum;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

/// Verifies the files in all lists and returns whether all are intact.
pub(super) fn lists(
    lists: &[OsString],
    quiet: bool,
    threads: Option<NonZeroUsize>,
    voice: &Voice,
    out: &mut Lines<'_>,
) -> bool {
    let mut failed = 0u64;
    let mut well = true;
    for list in lists {
        if let Err(why) = verify_list(list, quiet, threads, voice, out, &mut failed) {
            well = false;
            out.flush();
            voice.say_text(&format!("{}: {why}", list.to_string_lossy()));
        }
        if out.flow().is_break() {
            return false;
        }
    }
    out.flush();
    if failed > 0 {
        let s = if failed == 1 { "" } else { "s" };
        voice.say_text(&format!("WARNING: {failed} computed checksum{s} did NOT match"));
    }
    well && failed == 0
}

fn verify_list(
    list: &OsStr,
    quiet: bool,
    threads: Option<NonZeroUsize>,
    voice: &Voice,
    out: &mut Lines<'_>,
    failed: &mut u64,
) -> Result<(), String> {
    let mut reader: Box<dyn BufRead> = if list == "-" {
        Box::new(Stdin::new())
    } else {
        Box::new(BufReader::with_capacity(64 << 10, File::open(list).map_err(|e| e.to_string())?))
    };
    let parse = |line: Option<&[u8]>| (b3sum::line(line), ControlFlow::Continue(()));
    let options = CheckOptions { threads, ..literally("-") };
    let end = verify(&mut *reader, &options, out, parse, |event, out| match event {
        CheckEvent::BadLine { fault, .. } => {
            *failed += 1;
            out.flush();
            voice.say_text(&fault.to_string());
        }
        CheckEvent::File { entry, verdict, .. } => {
            let verdict = match verdict {
                Verdict::Ok if quiet => return,
                Verdict::Ok => "OK".to_string(),
                Verdict::Unreadable(e) => format!("FAILED ({})", reason(&e)),
                _ => "FAILED".into(),
            };
            *failed += u64::from(verdict != "OK");
            out.add(|line| {
                line.extend_from_slice(entry.literal.as_ref().unwrap_or(&entry.name));
                line.extend_from_slice(format!(": {verdict}\n").as_bytes());
            });
        }
        _ => {}
    });
    match end {
        Ok(()) | Err(ListError::Output) => Ok(()),
        Err(ListError::Read(e) | ListError::Work(e)) => Err(e.to_string()),
    }
}
