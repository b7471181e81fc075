//! `-multi N`: N processes at once, each timed by the wall clock, their rates added up.

use super::{Cell, Options, Row};
use crate::sys;
use std::env;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// This very program, even where its file has been replaced meanwhile.
fn this_program() -> io::Result<Command> {
    let this = Path::new("/proc/self/exe");
    let mut command = if this.exists() { Command::new(this) } else { Command::new(env::current_exe()?) };
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        // Its own group: a Ctrl-C comes here alone, and is passed on once.
        command.arg0("hashmill").process_group(0);
    }
    Ok(command)
}

/// The arguments with which a child does its share.
fn arguments(options: &Options) -> Vec<OsString> {
    let mut args: Vec<OsString> = ["speed", "-mr", "-elapsed", "-seconds"].map(OsString::from).to_vec();
    args.push(options.seconds.to_string().into());
    if let [bytes] = options.sizes[..] {
        args.extend(["-bytes".into(), bytes.to_string().into()]);
    }
    if options.misalign > 0 {
        args.extend(["-misalign".into(), options.misalign.to_string().into()]);
    }
    for job in &options.jobs {
        if job.index == super::options::EVP {
            args.push("-evp".into());
        }
        args.push(job.name.clone().into());
    }
    args
}

pub(super) fn run(options: &Options, count: usize) -> io::Result<Vec<Row>> {
    let mut out = io::stdout();
    let args = arguments(options);
    let mut children: Vec<Child> = Vec::new();
    for n in 0..count {
        let child = this_program()?.args(&args).stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        match child {
            Ok(c) => children.push(c),
            Err(e) => {
                stop(&mut children);
                return Err(io::Error::other(format!("cannot start child {n}: {e}")));
            }
        }
        if !options.json {
            writeln!(out, "Forked child {n}")?;
        }
    }
    out.flush()?;
    let mut pipes: Vec<_> = children.iter_mut().map(|c| c.stdout.take()).collect();
    let mut rows: Vec<Row> = options
        .jobs
        .iter()
        .map(|j| Row { index: j.index, name: j.name.clone(), algorithm: j.algorithm, cells: Vec::new() })
        .collect();
    let (done, end) = mpsc::channel::<()>();
    let result = thread::scope(|scope| {
        let watched = &children;
        scope.spawn(move || forward_interrupt(watched, &end));
        let result = pipes.iter_mut().enumerate().try_for_each(|(n, pipe)| {
            let lines = pipe.take().map(|p| BufReader::new(p).lines());
            let mut seen = vec![0; rows.len()];
            for line in lines.into_iter().flatten() {
                let line = line?;
                if !options.json {
                    writeln!(out, "Got: {line} from {n}")?;
                }
                if let Some((row, rates)) = share(&line, options) {
                    add(&mut rows[row], &rates, options, n == 0);
                    seen[row] = rates.len();
                } else if !line.starts_with("+H:") {
                    eprintln!("Unknown type '{line}' from child {n}");
                }
            }
            // Sums must be of the same number of children.
            rows.iter_mut().zip(seen).for_each(|(row, columns)| row.cells.truncate(columns));
            Ok(())
        });
        drop(done);
        result
    });
    if result.is_err() {
        stop(&mut children);
    }
    for (n, child) in children.iter_mut().enumerate() {
        let status = child.wait()?;
        if !status.success() && !sys::interrupted() && result.is_ok() {
            return Err(io::Error::other(format!("child {n} failed: {status}")));
        }
    }
    result.map(|()| rows)
}

/// A SIGINT to this process is meant for its children too.
fn forward_interrupt(children: &[Child], end: &mpsc::Receiver<()>) {
    while end.recv_timeout(Duration::from_millis(50)) == Err(mpsc::RecvTimeoutError::Timeout) {
        if sys::interrupted() {
            children.iter().for_each(sys::interrupt);
            return;
        }
    }
}

fn stop(children: &mut [Child]) {
    for child in children {
        // It may have ended by itself.
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// The row that a record `+F:index:name:rate…` belongs to, and its rates. The name itself may contain colons.
fn share(line: &str, options: &Options) -> Option<(usize, Vec<f64>)> {
    let row = options.jobs.iter().position(|j| line.starts_with(&format!("+F:{}:{}:", j.index, j.name)))?;
    let job = &options.jobs[row];
    let rates = &line[format!("+F:{}:{}:", job.index, job.name).len()..];
    let rates: Option<Vec<f64>> = rates.split(':').map(|r| r.parse().ok()).collect();
    Some((row, rates?))
}

fn add(row: &mut Row, rates: &[f64], options: &Options, first: bool) {
    if first {
        let cells = options.sizes.iter().zip(rates).map(|(&bytes, &rate)| Cell { bytes, count: 0, seconds: 0.0, rate });
        row.cells = cells.collect();
    } else {
        row.cells.iter_mut().zip(rates).for_each(|(c, rate)| c.rate += rate);
    }
}
