//! `hashmill speed`: the timed runs of `openssl speed`, for digests, HMACs, ciphers and public keys, and more.
//!
//! Options, lines and records are those of `openssl speed` (of 3.0, or with `-style` of 1.1.1 and 3.2), so that
//! programs that read its output can read this one. The differences:
//!
//! - Any name or alias of hashmill is an algorithm. OpenSSL's rows keep their order and `+F` index; others follow in
//!   the order given, with indices from 100 on.
//! - Without names, all cryptographic digests, ciphers and keys run, but no checksums.
//! - Options are accepted after names, too, with one dash or two. Those that have no effect here say so.
//! - User time has the resolution of its clock (microseconds), not the hundredths of a second of `times(2)`.
//! - The line `options:` says whose code runs, and the kernel of each digest; `HASHMILL_KERNEL` selects it.
//! - Bad arguments exit with 2 before anything is measured; SIGINT prints what was measured so far and exits with 130;
//!   what could not be measured is reported, the rest continues, and the exit status is 1.
//!
//! Beyond OpenSSL: repetitions with medians and intervals, any sizes and data, threads, other implementations that take
//! turns with ours, cycles, warnings, JSON, charts, and runs that are kept.

mod data;
mod error;
mod log;
mod multi;
mod options;
mod repetitions;
mod report;
mod rows;
mod time;
mod timing;
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
            hashmill_measure::run::say("speed", e);
            return ExitCode::from(2);
        }
    };
    let contents = std::iter::once(&options.data).chain(&options.more_data);
    let data = contents.map(|name| Ok((name.clone(), Data::read(name)?))).collect::<Result<Vec<_>, data::DataError>>();
    let data = match data {
        Ok(data) => data,
        Err(e) => {
            hashmill_measure::run::say("speed", e);
            return ExitCode::FAILURE;
        }
    };
    if let Err(e) = options.output.ready() {
        hashmill_measure::run::say("speed", e);
        return ExitCode::FAILURE;
    }
    hashmill_measure::paired::plant_as_told();
    let mut log = Log::begin(&options);
    for note in &options.notes {
        log.once(note);
    }
    let rows = match options.multi {
        Some(children) => multi::run(&options, children, &mut log).map(|(rows, summed)| {
            // Children that died are not in the sums.
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

/// Returns the options of `speed`, each with the values to offer; `None` for those that take no value.
pub fn options() -> Vec<(&'static str, Option<Offer>)> {
    let with = options::WITH_VALUE.iter().map(|(name, offer)| (*name, Some(*offer)));
    with.chain(options::WITHOUT_VALUE.iter().map(|name| (*name, None))).collect()
}

/// Returns the names of what `speed` times besides digests.
pub fn others() -> Vec<&'static str> {
    CIPHERS
        .iter()
        .map(|c| c.name)
        .chain(KEYS.iter().map(|(name, _)| *name))
        .chain(timing::GROUPS)
        .chain(["sha"])
        .collect()
}

/// Parses the arguments after `speed`; the error is in its displayed form.
#[cfg(feature = "fuzzing")]
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
    for warning in repetitions::warnings(rows, options, session.machine()) {
        session.warn(warning);
    }
    if !options.machine {
        if options.long {
            text += &repetitions::table(rows, options, session.machine());
        }
        text += &repetitions::peers(rows);
    }
    let chart = repetitions::chart(rows, options, session.machine());
    options.output.show(session.end(repetitions::findings(rows, options)), &text, Some(&chart))
}

fn shown(written: io::Result<()>, status: ExitCode) -> ExitCode {
    match written {
        Err(e) => {
            hashmill_measure::run::say("speed", format_args!("cannot write: {e}"));
            ExitCode::FAILURE
        }
        Ok(()) => status,
    }
}
