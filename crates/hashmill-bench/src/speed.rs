//! `hashmill speed`: OpenSSL's timed run, for digests, HMACs, ciphers and public keys; and more.
//!
//! Options, lines and records are those of `openssl speed` (3.0's, or with `-style` 1.1.1's and 3.2's), so that
//! whatever reads those reads these. What differs:
//!
//! - Any name or alias of hashmill's is an algorithm. OpenSSL's rows keep OpenSSL's order and `+F` index; others follow
//!   in the order given, with indices from 100 on.
//! - Without names all cryptographic digests, ciphers and keys run, no checksums.
//! - Options are understood after names too, with one dash or two. Those that have no effect here say so.
//! - User time has the clock's resolution (microseconds), not the hundredths of a second of `times(2)`.
//! - The line `options:` tells whose code runs, and the kernel of each digest; `HASHMILL_KERNEL` chooses it.
//! - Bad arguments exit with 2 before anything is measured; SIGINT prints what was measured so far and exits with 130;
//!   what could not be measured is told, the rest goes on, and the exit status is 1.
//!
//! Beyond OpenSSL: repetitions with medians and intervals, any sizes and data, threads, other implementations that take
//! turns with ours, cycles, warnings, JSON, charts, and runs that are kept.

mod data;
mod job;
mod more;
mod multi;
mod options;
mod report;
mod time;
mod turns;
mod work;

use crate::crypto::{CIPHERS, KEYS};
use crate::run::{Session, emit};
use crate::sys;
use data::Data;
pub use options::{HELP, Offer};
use options::{Options, Request};
use report::{Report, Row};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;
use time::Cell;

/// OpenSSL's block sizes for digests and ciphers.
pub const SIZES: [usize; 6] = [16, 64, 256, 1024, 8192, 16384];
/// Those with `-aead`.
pub const AEAD_SIZES: [usize; 6] = [2, 31, 136, 1024, 8192, 16384];

/// Runs `hashmill speed` with these arguments (those after `speed`).
pub fn main(args: Vec<OsString>) -> ExitCode {
    let mut options = match options::parse(args) {
        Ok(Request::Run(options)) => options,
        Ok(Request::Help) => return shown(emit(HELP), ExitCode::SUCCESS),
        Err(e) => {
            eprintln!("hashmill: speed: {e}");
            return ExitCode::from(2);
        }
    };
    let data = match Data::read(&options.data) {
        Ok(data) => data,
        Err(e) => {
            eprintln!("hashmill: speed: {e}");
            return ExitCode::FAILURE;
        }
    };
    let mut log = Log::begin(&options);
    for note in &options.notes {
        log.once(note);
    }
    let rows = match options.multi {
        Some(children) => multi::run(&options, children, &mut log).map(|(rows, summed)| {
            // Of those that died nothing is in the sums.
            options.multi = Some(summed);
            rows
        }),
        None => Ok(run(&options, &data, &mut log)),
    };
    match rows {
        Ok(rows) => finish(&options, &rows, log),
        Err(e) => {
            log.error(e);
            finish(&options, &[], log)
        }
    }
}

/// The options of `speed`, each with what may be its value; nothing for those that take none.
pub fn options() -> Vec<(&'static str, Option<Offer>)> {
    let with = options::WITH_VALUE.iter().map(|(name, offer)| (*name, Some(*offer)));
    with.chain(options::WITHOUT_VALUE.iter().map(|name| (*name, None))).collect()
}

/// What `speed` times besides digests, by name.
pub fn others() -> Vec<&'static str> {
    CIPHERS.iter().map(|c| c.name).chain(KEYS.iter().map(|(name, _)| *name)).chain(job::GROUPS).chain(["sha"]).collect()
}

/// Reads the arguments after `speed`; the error as it is shown.
#[cfg(fuzzing)]
#[doc(hidden)]
pub fn speed_options(args: Vec<OsString>) -> Result<(), String> {
    options::parse(args).map(|_| ()).map_err(|e| e.to_string())
}

/// Where warnings and errors go: into the session, where there is one. Children of `-multi` have none, and neither has
/// plain `-mr`: whatever reads its records knows no other lines.
struct Log {
    session: Option<Session>,
    failed: bool,
    said: BTreeSet<String>,
    /// Warnings that wait for the end of a line.
    later: Vec<String>,
}

impl Log {
    fn begin(options: &Options) -> Log {
        let plain = options.machine && options.output.svg.is_none() && options.output.save.is_none();
        sys::catch_interrupt();
        let session = (!options.child && (!plain || options.output.json)).then(|| Session::begin("speed"));
        Log { session, failed: false, said: BTreeSet::new(), later: Vec::new() }
    }

    /// Something to know, said only once.
    fn once(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.said.contains(&note) {
            eprintln!("hashmill: speed: {note}");
            self.said.insert(note);
        }
    }

    /// Something that makes results doubtful, with its remedy.
    fn warn(&mut self, warning: String) {
        if let Some(session) = &mut self.session {
            session.warn(warning);
        }
    }

    /// Something that could not be measured.
    fn error(&mut self, error: impl std::fmt::Display) {
        self.failed = true;
        match &mut self.session {
            Some(session) => session.error(error),
            None => eprintln!("hashmill: speed: {error}"),
        }
    }

    /// The same for every size: said once.
    fn error_once(&mut self, error: String) {
        self.failed = true;
        if self.said.insert(error.clone()) {
            self.error(error);
        }
    }
}

/// Writes to stderr at once: the children of `-multi` share it.
fn tell(text: &str) {
    // Where stderr is closed, the results still count.
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Of a line that said what is being done.
fn end_of_line(options: &Options) -> &'static str {
    if options.machine { "" } else { "\n" }
}

/// The timed run in this process.
fn run(options: &Options, data: &Data, log: &mut Log) -> Vec<Row> {
    if (options.elapsed || options.threads > 1) && !options.machine {
        tell("You have chosen to measure elapsed time instead of user CPU time.\n");
    }
    let mut peers = turns::Peers::open(options, log);
    let mut rows = Vec::new();
    for job in &options.jobs {
        let mut row = Row::new(job);
        for op in job.ops(&options.sizes, options.style) {
            if sys::interrupted() {
                break;
            }
            let measured = if options.peers.is_empty() {
                tell(&report::before(job, op, options));
                time::measure(job, op, options, data).map(|(by, cell)| (by, cell, Vec::new()))
            } else {
                turns::rotate(job, op, options, data, &mut peers, log)
            };
            match measured {
                Ok((_, cell, _)) if cell.count == 0 && sys::interrupted() => tell(end_of_line(options)),
                Ok((by, cell, versus)) => {
                    tell(&report::after(job, &cell, options));
                    row.by = by;
                    row.cells.push(cell);
                    row.versus.push(versus);
                }
                Err(e) => {
                    if options.peers.is_empty() {
                        tell(end_of_line(options));
                    }
                    log.error_once(e.to_string());
                    // The columns after it stay where they belong.
                    row.cells.push(Cell::none(op));
                    row.versus.push(Vec::new());
                }
            }
            for warning in std::mem::take(&mut log.later) {
                log.warn(warning);
            }
        }
        if row.cells.iter().any(|c| c.count > 0) || options.child {
            rows.push(row);
        }
    }
    rows
}

/// Shows what was measured.
fn finish(options: &Options, rows: &[Row], mut log: Log) -> ExitCode {
    let mut text = Report { options, rows }.to_string();
    let Some(mut session) = log.session.take() else {
        if options.child {
            text += &multi::shares(rows);
        }
        let status = match () {
            () if sys::interrupted() => ExitCode::from(130),
            () if log.failed => ExitCode::FAILURE,
            () => ExitCode::SUCCESS,
        };
        return shown(emit(&text), status);
    };
    for warning in more::warnings(rows, options, session.machine()) {
        session.warn(warning);
    }
    if !options.machine {
        if options.long {
            text += &more::table(rows, options, session.machine());
        }
        text += &more::peers(rows);
    }
    let chart = more::chart(rows, options, session.machine());
    session.end(more::findings(rows, options)).show(&options.output, &text, Some(&chart))
}

fn shown(written: io::Result<()>, status: ExitCode) -> ExitCode {
    match written {
        Err(e) => {
            eprintln!("hashmill: speed: cannot write: {e}");
            ExitCode::FAILURE
        }
        Ok(()) => status,
    }
}
