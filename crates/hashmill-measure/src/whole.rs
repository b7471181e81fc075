//! Whole commands: how long a program takes from its start to its end, and what it printed.

use crate::sys;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use thiserror::Error;

/// One run of a command.
#[derive(Debug)]
pub struct Ran {
    /// Time from start to end.
    pub wall: Duration,
    /// User and system CPU time.
    pub cpu: Duration,
    /// Peak resident set size in bytes, if it was more than that of this process.
    pub peak: Option<u64>,
    /// Exit status.
    pub status: i32,
}

/// Why a command could not be timed.
#[derive(Debug, Error)]
pub enum WholeError {
    /// It cannot be started, or its output cannot be kept.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It ended with another status than it should.
    #[error("ended with {status}: {stderr}")]
    Status {
        /// The status.
        status: String,
        /// The first line of what it printed on stderr.
        stderr: String,
    },
}

/// Runs a command once. What it prints is kept in files in `scratch`: [`stdout`] reads it.
///
/// # Errors
/// If it cannot be started or ends with a status that is not among `statuses`.
pub fn run(command: &mut Command, scratch: &Path, statuses: &[i32]) -> Result<Ran, WholeError> {
    let err = scratch.join("stderr");
    command.stdin(Stdio::null()).stdout(File::create(scratch.join("stdout"))?).stderr(File::create(&err)?);
    // A child begins with the memory of its parent, whose peak counts as its own.
    let own = sys::resident();
    let start = Instant::now();
    let child = command.spawn()?;
    let ended = sys::wait(child)?;
    let wall = start.elapsed();
    match ended.status.code().filter(|code| statuses.contains(code)) {
        Some(status) => {
            let peak = Some(ended.peak_rss).filter(|peak| own.is_some_and(|own| *peak > own + own / 8));
            Ok(Ran { wall, cpu: ended.cpu, peak, status })
        }
        None => {
            let stderr = fs::read(&err).unwrap_or_default();
            let stderr = String::from_utf8_lossy(&stderr).lines().next().unwrap_or("nothing on stderr").to_string();
            Err(WholeError::Status { status: ended.status.to_string(), stderr })
        }
    }
}

/// Returns what the last command printed on stdout that was run with this `scratch`.
///
/// # Errors
/// If it cannot be read.
pub fn stdout(scratch: &Path) -> io::Result<Vec<u8>> {
    fs::read(scratch.join("stdout"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_command_does_is_seen() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut sh = Command::new("sh");
        sh.args(["-c", "echo out; echo err >&2; sleep 0.02; exit 3"]);
        let ran = run(&mut sh, dir.path(), &[0, 3]).expect("it runs");
        assert!(ran.status == 3 && ran.wall >= Duration::from_millis(20), "{ran:?}");
        assert_eq!(stdout(dir.path()).expect("output"), b"out\n");
        let e = run(&mut sh, dir.path(), &[0]).expect_err("another status");
        assert_eq!(e.to_string(), "ended with exit status: 3: err");
        let peak = |script: &str| run(Command::new("sh").args(["-c", script]), dir.path(), &[0]).expect("it runs").peak;
        if cfg!(target_os = "linux") {
            // What this process once had does not count.
            drop(std::hint::black_box(vec![1u8; 200 << 20]));
            assert_eq!(peak(":"), None);
            let large = peak("x=$(head -c 60000000 /dev/zero | tr '\\0' x)").expect("more than this process has");
            assert!((60_000_000..180_000_000).contains(&large), "{large}");
        }
        assert!(matches!(run(&mut Command::new("/none"), dir.path(), &[0]), Err(WholeError::Io(_))));
    }
}
