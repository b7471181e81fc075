//! Programs that run as child processes.

use crate::{bare, sys};
use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};
use thiserror::Error;

/// Why a program is of no use.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ChildError {
    /// A program is not installed.
    #[error("{program} not found: {remedy}")]
    Missing {
        /// The program.
        program: String,
        /// Remedy.
        remedy: &'static str,
    },
    /// A program does not start, or files for it cannot be created.
    #[error("{peer}: {reason}")]
    System {
        /// Its name.
        peer: String,
        /// Reason given by the system.
        reason: String,
    },
    /// A program exited prematurely.
    #[error("{peer} ended: {last}")]
    Died {
        /// Its name.
        peer: String,
        /// Last line of its standard error, or its exit status if there is none.
        last: String,
    },
    /// A program gave an answer that makes no sense.
    #[error("{peer} answered '{answer}'")]
    Nonsense {
        /// Its name.
        peer: String,
        /// Beginning of the answer.
        answer: String,
    },
    /// A program did not answer and was killed.
    #[error("{peer} did not answer in {seconds} seconds")]
    Hangs {
        /// Its name.
        peer: String,
        /// Time that it was given.
        seconds: u64,
    },
    /// The user interrupted the run while it was still starting.
    #[error("{0}: interrupted")]
    Interrupted(String),
}

/// A program, with a remedy if it is not installed.
#[derive(Debug, Clone, Copy)]
pub struct Program<'a> {
    /// Its name in messages.
    pub peer: &'a str,
    /// Its file, or its name in PATH.
    pub path: &'a OsStr,
    /// What to do if it is not there.
    pub remedy: &'static str,
}

impl Program<'_> {
    /// Creates a command without the user's configuration, in its own process group: Ctrl-C ends our measurement, and
    /// we end the program.
    pub fn command(&self) -> Command {
        let mut command = bare::command(self.path);
        command.process_group(0).stdin(Stdio::null());
        command
    }

    /// Returns the error that says that it is not installed.
    pub fn missing(&self) -> ChildError {
        ChildError::Missing { program: self.path.to_string_lossy().into_owned(), remedy: self.remedy }
    }

    /// Starts the program.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn spawn(&self, command: &mut Command) -> Result<Child, ChildError> {
        command.spawn().map_err(|e| match e.kind() {
            io::ErrorKind::NotFound => self.missing(),
            _ => self.system(format!("{}: {e}", self.path.to_string_lossy())),
        })
    }

    /// Returns the error of a system call about it.
    pub fn system(&self, reason: impl ToString) -> ChildError {
        ChildError::System { peer: self.peer.into(), reason: reason.to_string() }
    }

    /// Runs the program to completion and returns its output.
    ///
    /// # Errors
    /// If it cannot be started, fails, or takes longer than `limit`.
    pub fn output(&self, command: &mut Command, limit: Duration) -> Result<String, ChildError> {
        let mut child = self.spawn(command.stdout(Stdio::piped()).stderr(Stdio::piped()))?;
        let (out, err) = (read(child.stdout.take()), read(child.stderr.take()));
        let start = Instant::now();
        let status = loop {
            let failed = match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) if sys::interrupted() => ChildError::Interrupted(self.peer.into()),
                Ok(None) if start.elapsed() > limit => hangs(self.peer, limit),
                Ok(None) => {
                    thread::sleep(Duration::from_millis(2));
                    continue;
                }
                Err(e) => self.system(e),
            };
            end(&mut child);
            return Err(failed);
        };
        let text = |from: Receiver<Vec<u8>>| {
            String::from_utf8_lossy(&from.recv_timeout(STRAGGLERS).unwrap_or_default()).into_owned()
        };
        if status.success() { Ok(text(out)) } else { Err(died(self.peer, &text(err), Some(status))) }
    }
}

/// How long to wait for a program's output after it has ended. (A child of its own may hold the pipe open.)
const STRAGGLERS: Duration = Duration::from_millis(500);

/// Reads a pipe to the end.
fn read(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (give, take) = mpsc::channel();
    thread::spawn(move || {
        let mut all = Vec::new();
        if let Some(mut pipe) = pipe {
            // Whatever arrived before an error is still worth showing.
            let _ = pipe.read_to_end(&mut all);
        }
        // The receiver may be gone.
        let _ = give.send(all);
    });
    take
}

fn end(child: &mut Child) -> Option<ExitStatus> {
    // It may have exited on its own.
    let _ = child.kill();
    child.wait().ok()
}

fn hangs(peer: &str, limit: Duration) -> ChildError {
    ChildError::Hangs { peer: peer.into(), seconds: limit.as_secs() }
}

fn died(peer: &str, said: &str, status: Option<ExitStatus>) -> ChildError {
    let last = said.lines().map(str::trim).rfind(|l| !l.is_empty()).map(String::from);
    let how = || status.map_or("unknown reason".into(), |s| s.to_string());
    ChildError::Died { peer: peer.into(), last: last.unwrap_or_else(how) }
}

/// A running program that answers every request with one line.
#[derive(Debug)]
pub struct Server {
    /// Its name in messages.
    pub peer: String,
    child: Child,
    requests: Option<ChildStdin>,
    answers: Receiver<String>,
    errors: Receiver<Vec<u8>>,
    /// Error of a server that has failed; it is not used again.
    failed: Option<ChildError>,
}

impl Server {
    /// Starts a program.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(program: &Program, command: &mut Command) -> Result<Server, ChildError> {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = program.spawn(command)?;
        let requests = child.stdin.take();
        let errors = read(child.stderr.take());
        // Bounded, so that a program that floods us with lines is held up.
        let (give, answers) = mpsc::sync_channel(8);
        if let Some(out) = child.stdout.take() {
            thread::spawn(move || {
                let mut out = BufReader::new(out);
                let mut line = Vec::new();
                while out.read_until(b'\n', &mut line).is_ok() && line.ends_with(b"\n") {
                    let text = String::from_utf8_lossy(&line).trim_end().to_string();
                    if give.send(text).is_err() {
                        break;
                    }
                    line.clear();
                }
            });
        }
        Ok(Server { peer: program.peer.into(), child, requests, answers, errors, failed: None })
    }

    /// Sends a request, in pieces, and waits for the answer. A program that takes longer than `limit` is killed.
    ///
    /// # Errors
    /// If there is no answer, from then on.
    pub fn ask(&mut self, request: &[&[u8]], limit: Duration) -> Result<String, ChildError> {
        if let Some(e) = &self.failed {
            return Err(e.clone());
        }
        let Server { child, requests, answers, .. } = self;
        let answer = thread::scope(|scope| {
            // In a separate thread, because the program may read nothing, and then a write would block forever.
            if let Some(pipe) = requests.as_mut().filter(|_| !request.is_empty()) {
                scope.spawn(move || {
                    // If this fails, the program is dead, and there will be no answer.
                    let _ = request.iter().try_for_each(|piece| pipe.write_all(piece)).and_then(|()| pipe.flush());
                });
            }
            let answer = answers.recv_timeout(limit);
            if answer.is_err() {
                // This also breaks the pipe that the writer may be blocked on.
                end(child);
            }
            answer
        });
        answer.map_err(|e| {
            let error = match e {
                RecvTimeoutError::Timeout => hangs(&self.peer, limit),
                RecvTimeoutError::Disconnected => {
                    let said = self.errors.recv_timeout(STRAGGLERS).unwrap_or_default();
                    died(&self.peer, &String::from_utf8_lossy(&said), self.child.wait().ok())
                }
            };
            self.failed.insert(error).clone()
        })
    }

    /// Returns its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Records that the answer makes no sense: the program is not what we take it for.
    pub fn nonsense(&mut self, answer: &str) -> ChildError {
        let answer = answer.chars().take(80).collect();
        let error = ChildError::Nonsense { peer: self.peer.clone(), answer };
        self.failed.insert(error).clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(path: &str) -> Program<'_> {
        Program { peer: "a shell", path: OsStr::new(path), remedy: "install one" }
    }

    fn server(script: &str) -> Server {
        let sh = shell("sh");
        Server::start(&sh, sh.command().args(["-c", script])).unwrap()
    }

    #[test]
    fn it_answers() {
        let mut s = server("while read a b; do echo $b $a; done");
        let second = Duration::from_secs(10);
        assert_eq!(s.ask(&[b"x ", b"y\n"], second).unwrap(), "y x");
        assert_eq!(s.ask(&[b"1 2\n"], second).unwrap(), "2 1");
    }

    #[test]
    fn one_that_ends_is_an_error_for_good() {
        for (script, last) in
            [("read a; echo the reason >&2; exit 3", "the reason"), ("kill -9 $$", "signal: 9 (SIGKILL)")]
        {
            let mut s = server(script);
            for _ in 0..2 {
                let e = s.ask(&[b"x\n"], Duration::from_secs(10)).unwrap_err();
                assert_eq!(e, ChildError::Died { peer: "a shell".into(), last: last.into() });
            }
        }
    }

    #[test]
    fn one_that_hangs_is_killed_even_while_we_write() {
        let mut s = server("exec sleep 100");
        let much = vec![b'x'; 1 << 20];
        let e = s.ask(&[&much], Duration::from_millis(50)).unwrap_err();
        assert_eq!(e, ChildError::Hangs { peer: "a shell".into(), seconds: 0 });
        assert!(s.child.try_wait().unwrap().is_some());
        let sh = shell("sh");
        let e = sh.output(sh.command().args(["-c", "exec sleep 100"]), Duration::from_millis(50)).unwrap_err();
        assert!(matches!(e, ChildError::Hangs { .. }), "{e}");
    }

    #[test]
    fn output_or_why_not() {
        let (sh, limit) = (shell("sh"), Duration::from_secs(10));
        assert_eq!(sh.output(sh.command().args(["-c", "echo yes"]), limit).unwrap(), "yes\n");
        let e = sh.output(sh.command().args(["-c", "echo a >&2; echo b >&2; exit 1"]), limit).unwrap_err();
        assert_eq!(e.to_string(), "a shell ended: b");
        let none = shell("/nonexistent/sh");
        let e = none.output(&mut none.command(), limit).unwrap_err();
        assert_eq!(e.to_string(), "/nonexistent/sh not found: install one");
    }
}
