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
mod error;
mod job;
mod log;
mod more;
mod multi;
mod options;
mod report;
mod rows;
mod time;
mod turns;
mod work;

use data::Data;
use log::Log;

use hashmill_measure::run::emit;
use hashmill_measure::sys;
use hashmill_peers::crypto::{CIPHERS, KEYS};
pub use options::{HELP, Offer};
use options::{Options, Request};
use report::{Report, Row};
use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

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
    if let Err(e) = options.output.ready() {
        eprintln!("hashmill: speed: {e}");
        return ExitCode::FAILURE;
    }
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
        None => Ok(rows::measure(&options, &data, &mut log)),
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
    options.output.show(session.end(more::findings(rows, options)), &text, Some(&chart))
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
