//! `hashmill speed`: OpenSSL's timed run, for every digest and checksum that hashmill has.
//!
//! Options, lines and records are those of `openssl speed` 3.0, so that whatever reads those reads these. What differs:
//!
//! - Any name or alias of hashmill's is an algorithm. OpenSSL's rows keep OpenSSL's order and `+F` index; others follow in
//!   the order given, with indices from 100 on. `sha` means sha1, sha256 and sha512, as it does there.
//! - Without names all cryptographic digests run, no checksums.
//! - Options are understood after names too, with one dash or two.
//! - User time has the clock's resolution (microseconds), not the hundredths of a second of `times(2)`.
//! - The line `options:` tells the kernel of each algorithm; `HASHMILL_KERNEL` chooses it.
//! - Bad arguments exit with 2; SIGINT prints what was measured so far and exits with 130.

mod multi;
mod options;
mod report;

use crate::sys;
use hashmill::Algorithm;
use options::Request;
pub use options::{Options, OptionsError};
use report::Report;
pub use report::{Cell, Row};
use std::ffi::OsString;
use std::hint::black_box;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// OpenSSL's block sizes for digests.
pub const SIZES: [usize; 6] = [16, 64, 256, 1024, 8192, 16384];

/// Runs `hashmill speed` with these arguments (those after `speed`).
pub fn main(args: Vec<OsString>) -> ExitCode {
    let options = match options::parse(args) {
        Ok(Request::Run(options)) => options,
        Ok(Request::Help) => return quiet(io::stdout().write_all(options::HELP.as_bytes()), ExitCode::SUCCESS),
        Err(e) => {
            eprintln!("hashmill: speed: {e}");
            return ExitCode::from(2);
        }
    };
    for note in &options.notes {
        eprintln!("hashmill: speed: {note}");
    }
    sys::catch_interrupt();
    let done = match options.multi {
        Some(children) => multi::run(&options, children),
        None => run(&options),
    };
    match done {
        Ok(rows) => {
            let status = if sys::interrupted() { ExitCode::from(130) } else { ExitCode::SUCCESS };
            let report = Report { options: &options, rows: &rows, interrupted: sys::interrupted() };
            let text = report.to_string();
            quiet(io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush()), status)
        }
        Err(e) => {
            if e.kind() == io::ErrorKind::BrokenPipe {
                return ExitCode::SUCCESS;
            }
            eprintln!("hashmill: speed: {e}");
            ExitCode::FAILURE
        }
    }
}

/// A reader that went away is no error.
fn quiet(written: io::Result<()>, status: ExitCode) -> ExitCode {
    match written {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            eprintln!("hashmill: speed: cannot write: {e}");
            ExitCode::FAILURE
        }
        _ => status,
    }
}

/// The timed run in this process.
fn run(options: &Options) -> io::Result<Vec<Row>> {
    let longest = options.sizes.iter().max().copied().unwrap_or(0);
    let data = vec![0u8; longest + options.misalign];
    let data = &data[options.misalign..];
    if options.elapsed && !options.machine {
        tell("You have chosen to measure elapsed time instead of user CPU time.\n".into());
    }
    let mut rows = Vec::new();
    for job in &options.jobs {
        let name = &job.name;
        let mut row = Row { index: job.index, name: name.clone(), algorithm: job.algorithm, cells: Vec::new() };
        for &size in &options.sizes {
            if sys::interrupted() {
                break;
            }
            let seconds = options.seconds;
            if options.machine {
                tell(format!("+DT:{name}:{seconds}:{size}\n"));
            } else {
                tell(format!("Doing {name} for {seconds}s on {size} size blocks: "));
            }
            let cell = timed(job.algorithm, &data[..size], seconds, options.elapsed);
            if options.machine {
                tell(format!("+R:{}:{name}:{:.6}\n", cell.count, cell.seconds));
            } else {
                tell(format!("{} {name}'s in {:.2}s\n", cell.count, cell.seconds));
            }
            row.cells.push(cell);
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Writes to stderr at once: the children of `-multi` share it.
fn tell(text: String) {
    // Where stderr is closed, the results still count.
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Hashes `message` over and over until the time is up.
fn timed(algorithm: Algorithm, message: &[u8], seconds: u32, elapsed: bool) -> Cell {
    let mut out = vec![0; algorithm.digest_len()];
    sys::set_stopped(false);
    let (done, alarm) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            // Ends early when the sender is dropped.
            let _ = alarm.recv_timeout(Duration::from_secs(seconds.into()));
            sys::set_stopped(true);
        });
        let (user, wall) = (sys::user_time(), Instant::now());
        let count = hash_until_stopped(algorithm, message, &mut out);
        let (wall, user) = (wall.elapsed(), sys::user_time().saturating_sub(user));
        drop(done);
        let seconds = if elapsed { wall } else { user }.as_secs_f64();
        Cell { bytes: message.len(), count, seconds, rate: rate(count, message.len(), seconds) }
    })
}

#[inline(never)]
fn hash_until_stopped(algorithm: Algorithm, message: &[u8], out: &mut [u8]) -> u64 {
    let mut count = 0;
    while !sys::stopped() {
        if algorithm.digest_into(black_box(message), out).is_err() {
            break;
        }
        black_box(&mut *out);
        count += 1;
    }
    count
}

/// Bytes per second; 0 where no time passed that the clock can see.
fn rate(count: u64, bytes: usize, seconds: f64) -> f64 {
    if seconds > 0.0 { count as f64 / seconds * bytes as f64 } else { 0.0 }
}
