//! `-multi N`: runs N processes at once, each timed by the wall clock, and adds up their rates.

use super::log::{Log, tell};
use super::options::Options;
use super::report::Row;
use super::time::Cell;
use super::work::By;
use hashmill_measure::sys;
use serde::{Deserialize, Serialize};
use std::env;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// What a child reports about one row, on a line of its own, because OpenSSL's records are rounded and do not include
/// repetitions.
#[derive(Debug, Serialize, Deserialize)]
struct Share {
    row: usize,
    by: By,
    cells: Vec<Cell>,
}

const MARK: &str = "+hashmill:";

/// Formats a child's results for its parent, to follow OpenSSL's records.
pub(super) fn shares(rows: &[Row]) -> String {
    let line = |(row, r): (usize, &Row)| {
        let share = Share { row, by: r.by.clone(), cells: r.cells.clone() };
        Some(format!("{MARK}{}\n", serde_json::to_string(&share).ok()?))
    };
    rows.iter().enumerate().filter_map(line).collect()
}

/// Returns a command for this very program, even if its file has been replaced in the meantime.
fn this_program() -> io::Result<Command> {
    let this = Path::new("/proc/self/exe");
    let mut command = if this.exists() { Command::new(this) } else { Command::new(env::current_exe()?) };
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        // A separate process group: Ctrl-C arrives only here and is passed on once.
        command.arg0("hashmill").process_group(0);
    }
    Ok(command)
}

/// Starts the children, reads their output and adds it up. Returns the rows and the number of children in the sums.
pub(super) fn run(options: &Options, count: usize, log: &mut Log) -> io::Result<(Vec<Row>, usize)> {
    let mut children: Vec<Child> = Vec::new();
    let quiet = options.output.json;
    let say = |text: String| {
        let written = if quiet { Ok(()) } else { io::stdout().write_all(text.as_bytes()) };
        // A reader that has gone away is not an error, and the children's work still counts (-save, -svg).
        written.or_else(|e| if e.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(e) })
    };
    for n in 0..count {
        let mut command = this_program()?;
        command.arg("speed").args(&options.for_child).stdin(Stdio::null()).stdout(Stdio::piped());
        match command.spawn() {
            Ok(c) => children.push(c),
            Err(e) => {
                stop(&mut children);
                return Err(io::Error::other(format!("cannot start child {n}: {e}")));
            }
        }
        say(format!("Forked child {n}\n"))?;
    }
    let mut pipes: Vec<_> = children.iter_mut().map(|c| c.stdout.take()).collect();
    let mut rows: Vec<Row> = options.jobs.iter().map(Row::new).collect();
    let (done, end) = mpsc::channel::<()>();
    let texts: io::Result<Vec<String>> = thread::scope(|scope| {
        let watched = &children;
        scope.spawn(move || forward_interrupt(watched, &end));
        // All at once, because a child whose pipe is full would have to wait for the one before it.
        let readers: Vec<_> = pipes
            .iter_mut()
            .map(|pipe| {
                scope.spawn(move || {
                    let mut text = String::new();
                    pipe.take().map_or(Ok(0), |p| BufReader::new(p).read_to_string(&mut text)).map(|_| text)
                })
            })
            .collect();
        let ended = || io::Error::other("a thread ended early");
        let texts = readers.into_iter().map(|r| r.join().unwrap_or_else(|_| Err(ended()))).collect();
        drop(done);
        texts
    });
    let texts = match texts {
        Ok(texts) => texts,
        Err(e) => {
            stop(&mut children);
            return Err(e);
        }
    };
    let mut summed = 0;
    for (n, (child, text)) in children.iter_mut().zip(texts).enumerate() {
        let pid = child.id();
        let status = child.wait()?;
        if !status.success() && !sys::interrupted() {
            log.error(format!("child {n} (process {pid}) ended with {status}"));
        }
        let mut shares: Vec<Share> = Vec::new();
        for line in text.as_bytes().lines() {
            let line = line?;
            match line.strip_prefix(MARK).map(serde_json::from_str) {
                Some(Ok(share)) => shares.push(share),
                Some(Err(e)) => log.error(format!("child {n}: {e}")),
                None => {
                    say(format!("Got: {line} from {n}\n"))?;
                    if !line.starts_with("+F") && !line.starts_with("+H:") {
                        tell(&format!("Unknown type '{line}' from child {n}\n"));
                    }
                }
            }
        }
        // A child that was killed has reported nothing, or not everything, and does not count.
        if shares.len() == rows.len() {
            shares.into_iter().for_each(|share| add(&mut rows, share, summed == 0));
            summed += 1;
        }
    }
    Ok((rows, summed))
}

/// Adds a child's share to the rows. Every sum is over the same number of children.
fn add(rows: &mut [Row], share: Share, first: bool) {
    let Some(row) = rows.get_mut(share.row) else { return };
    if first {
        (row.by, row.cells) = (share.by, share.cells);
        return;
    }
    row.cells.truncate(share.cells.len());
    for (cell, more) in row.cells.iter_mut().zip(share.cells) {
        cell.count += more.count;
        cell.user += more.user;
        cell.wall = cell.wall.max(more.wall);
        cell.seconds = cell.seconds.max(more.seconds);
        cell.rate += more.rate;
        cell.samples.truncate(more.samples.len());
        cell.samples.iter_mut().zip(more.samples).for_each(|(a, b)| *a += b);
        cell.subtracted_ns = cell.subtracted_ns.max(more.subtracted_ns);
    }
}

/// Passes on a SIGINT to this process to its children.
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
        // It may have exited on its own.
        let _ = child.kill();
        let _ = child.wait();
    }
}
