//! Single-steps a child process.
//!
//! The child does its work once, stops itself with SIGSTOP, does the work again and stops itself again. Instructions
//! between the two stops are counted by address. During the first round, the loader binds functions, tables are built,
//! and the CPU's features are detected.

use hashmill_measure::sys;
use nix::errno::Errno;
use nix::sys::ptrace;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use thiserror::Error;

/// How long a child may make no visible progress: neither stop itself nor complete an instruction (a system call).
const PATIENCE: Duration = Duration::from_secs(10);
/// Explanation of the two stops for users' programs.
const PROTOCOL: &str = "it must do its work, stop itself by SIGSTOP, do it again and stop again (see --help)";

/// A reason why a child cannot be listed, without its name.
#[derive(Debug, Error)]
pub(super) enum TraceError {
    #[error("cannot be started: {0}")]
    Start(io::Error),
    #[error(
        "this system does not let a program be traced ({0}): in a container allow ptrace (docker run \
         --cap-add=SYS_PTRACE); an emulator cannot do it"
    )]
    Refused(Errno),
    #[error("ended ({how}) before its {which} stop: {PROTOCOL}")]
    Ended { how: String, which: &'static str },
    #[error("does not come to its {which} stop: nothing happened for {} seconds: {PROTOCOL}", PATIENCE.as_secs())]
    Hangs { which: &'static str },
    #[error("more than {0} instructions between its stops: is it slower than that, or does it never end?")]
    TooMany(u64),
    #[error("interrupted")]
    Interrupted,
    #[error("is a program for another kind of CPU")]
    Foreign,
    #[error("cannot be followed: {0}")]
    Trace(Errno),
    #[error("cannot be read: {0}")]
    Memory(io::Error),
}

/// An address that is the same in every run: a file and an offset in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) file: String,
    pub(super) offset: u64,
}

/// How often an instruction ran.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Times {
    pub(super) all: u64,
    /// How often it ran right after itself, because each repetition of an instruction with REP counts as a step.
    pub(super) repeated: u64,
}

/// A part of a program's memory that holds code or data from a file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mapping {
    start: u64,
    end: u64,
    offset: u64,
    file: String,
}

/// Parses a line of /proc/PID/maps: `55d0c8a00000-55d0c8a02000 r-xp 00001000 fd:00 1234 /usr/bin/true`.
fn mapping(line: &str) -> Option<Mapping> {
    let mut rest = line;
    let mut word = || {
        let (word, after) = rest.trim_start().split_once(' ').unwrap_or((rest.trim_start(), ""));
        rest = after;
        word
    };
    let hex = |s: &str| u64::from_str_radix(s, 16).ok();
    let (start, end) = word().split_once('-')?;
    let (_permissions, offset, _device, _inode) = (word(), word(), word(), word());
    Some(Mapping { start: hex(start)?, end: hex(end)?, offset: hex(offset)?, file: rest.trim().into() })
}

/// Origin of a program's memory.
#[derive(Debug, Clone, Default)]
pub(super) struct Memory {
    mappings: Vec<Mapping>,
    /// File of the program itself.
    program: String,
}

impl Memory {
    fn of(pid: Pid) -> Result<Memory, TraceError> {
        let text = fs::read_to_string(format!("/proc/{pid}/maps")).map_err(TraceError::Memory)?;
        let program = fs::read_link(format!("/proc/{pid}/exe")).map_err(TraceError::Memory)?;
        let program = program.to_string_lossy().into_owned();
        Ok(Memory { mappings: text.lines().filter_map(mapping).collect(), program })
    }

    #[cfg(test)]
    pub(super) fn for_tests(program: &str, start: u64, end: u64) -> Memory {
        Memory { mappings: vec![Mapping { start, end, offset: 0, file: program.into() }], program: program.into() }
    }

    /// Returns the program's file.
    pub(super) fn program(&self) -> &str {
        &self.program
    }

    fn find(&self, address: u64) -> Option<&Mapping> {
        self.mappings.iter().find(|m| (m.start..m.end).contains(&address))
    }

    /// Returns whether this address is mapped from a file.
    pub(super) fn is_of_file(&self, address: u64) -> bool {
        self.find(address).is_some_and(|m| m.file.starts_with('/'))
    }

    fn place(&self, address: u64) -> Place {
        match self.find(address) {
            Some(m) => Place { file: m.file.clone(), offset: address - m.start + m.offset },
            None => Place { file: String::new(), offset: address },
        }
    }
}

/// What ran between the two stops.
#[derive(Debug, Clone, Default)]
pub(super) struct Counted {
    pub(super) steps: u64,
    /// Counts, with the address in this run.
    pub(super) times: HashMap<Place, (u64, Times)>,
    pub(super) memory: Memory,
    /// Bytes at each address, as many as an instruction can have.
    pub(super) code: HashMap<u64, Vec<u8>>,
    /// Word size, 64 or 32.
    pub(super) bits: u32,
}

/// Starts the command and counts the instructions between its stops, at most `most`.
pub(super) fn count(command: Command, most: u64) -> Result<Counted, TraceError> {
    let mut child = Tracee::start(command)?;
    child.first_stop()?;
    let (steps, times) = child.second_stop(most)?;
    let memory = Memory::of(child.pid)?;
    let open = File::open(format!("/proc/{}/mem", child.pid)).map_err(TraceError::Memory)?;
    let mut code = HashMap::new();
    for &address in times.keys() {
        let mut bytes = vec![0; 15];
        // There are fewer bytes if the file ends sooner.
        let n = open.read_at(&mut bytes, address).map_err(TraceError::Memory)?;
        bytes.truncate(n);
        code.insert(address, bytes);
    }
    let times = times.into_iter().map(|(address, t)| (memory.place(address), (address, t))).collect();
    Ok(Counted { steps, times, memory, code, bits: child.bits()? })
}

/// Kills the child if it hangs, or if the user does not want to wait any longer. Without this, waiting for the child
/// might never end.
struct Watchdog {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    /// Incremented with every instruction.
    progress: AtomicU64,
    over: AtomicBool,
    timed_out: AtomicBool,
}

impl Watchdog {
    fn start(pid: Pid) -> Watchdog {
        let shared = Arc::new(Shared::default());
        let its = Arc::clone(&shared);
        let watch = move || {
            let (mut seen, mut since) = (0, Instant::now());
            while !its.over.load(SeqCst) {
                let progress = its.progress.load(SeqCst);
                if progress != seen {
                    (seen, since) = (progress, Instant::now());
                }
                let timed_out = since.elapsed() > PATIENCE;
                if timed_out || sys::interrupted() {
                    its.timed_out.store(timed_out, SeqCst);
                    // It may just have exited, which the thread that waits for it will find out.
                    let _ = kill(pid, Signal::SIGKILL);
                    return;
                }
                thread::park_timeout(Duration::from_millis(20));
            }
        };
        Watchdog { shared, thread: Some(thread::spawn(watch)) }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.shared.over.store(true, SeqCst);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // It does not do anything that panics.
            let _ = thread.join();
        }
    }
}

/// A traced child process, killed when dropped.
struct Tracee {
    pid: Pid,
    watchdog: Watchdog,
    ended: bool,
}

impl Tracee {
    fn start(mut command: Command) -> Result<Tracee, TraceError> {
        // In its own process group: Ctrl-C is for us.
        command.stdin(Stdio::null()).stdout(Stdio::null()).process_group(0);
        #[allow(
            clippy::zombie_processes,
            reason = "waited for by its number, which is how a traced child tells of its stops"
        )]
        let child = command.spawn().map_err(TraceError::Start)?;
        let pid = i32::try_from(child.id()).map(Pid::from_raw).map_err(|e| TraceError::Start(io::Error::other(e)))?;
        let mut child = Tracee { pid, watchdog: Watchdog::start(pid), ended: false };
        // Right away, so that it dies with us, whatever ends us.
        let Err(e) = ptrace::seize(pid, ptrace::Options::PTRACE_O_EXITKILL) else { return Ok(child) };
        // A child that was faster and has already exited cannot be traced, either.
        thread::sleep(Duration::from_millis(20));
        Err(match waitpid(pid, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::Exited(_, status)) => child.ended(status, "first"),
            _ => TraceError::Refused(e),
        })
    }

    /// Waits for the next event. The child's end is a failure.
    fn wait(&mut self, which: &'static str) -> Result<WaitStatus, TraceError> {
        loop {
            match waitpid(self.pid, None) {
                Ok(WaitStatus::Exited(_, status)) => return Err(self.ended(status, which)),
                Ok(WaitStatus::Signaled(_, signal, _)) => {
                    self.ended = true;
                    return Err(match () {
                        () if sys::interrupted() => TraceError::Interrupted,
                        () if self.watchdog.shared.timed_out.load(SeqCst) => TraceError::Hangs { which },
                        () => TraceError::Ended { how: signal.to_string(), which },
                    });
                }
                Ok(status) => return Ok(status),
                Err(Errno::EINTR) => {}
                Err(e) => return Err(TraceError::Trace(e)),
            }
        }
    }

    fn ended(&mut self, status: i32, which: &'static str) -> TraceError {
        self.ended = true;
        TraceError::Ended { how: format!("exit status {status}"), which }
    }

    /// Runs the child, at full speed, until it stops itself.
    fn first_stop(&mut self) -> Result<(), TraceError> {
        loop {
            let signal = match self.wait("first")? {
                // The second pattern is how a child reports that had stopped before it was traced.
                WaitStatus::Stopped(_, Signal::SIGSTOP) | WaitStatus::PtraceEvent(_, Signal::SIGSTOP, _) => {
                    return Ok(());
                }
                WaitStatus::Stopped(_, signal) => Some(signal),
                _ => None,
            };
            ptrace::cont(self.pid, signal).map_err(TraceError::Trace)?;
        }
    }

    /// Steps the child until it stops itself again. Returns the number of instructions, and how often the one at each
    /// address ran.
    fn second_stop(&mut self, most: u64) -> Result<(u64, HashMap<u64, Times>), TraceError> {
        let mut times: HashMap<u64, Times> = HashMap::new();
        let (mut last, mut steps, mut signal) = (0, 0, None);
        while steps < most {
            let address = ptrace::getregs(self.pid).map_err(TraceError::Trace)?.rip;
            let here = times.entry(address).or_default();
            here.all += 1;
            here.repeated += u64::from(address == last);
            last = address;
            ptrace::step(self.pid, signal.take()).map_err(TraceError::Trace)?;
            match self.wait("second")? {
                WaitStatus::Stopped(_, Signal::SIGTRAP) => {}
                WaitStatus::Stopped(_, Signal::SIGSTOP) => return Ok((steps, times)),
                WaitStatus::Stopped(_, other) => signal = Some(other),
                _ => {}
            }
            steps += 1;
            self.watchdog.shared.progress.store(steps, SeqCst);
        }
        Err(TraceError::TooMany(most))
    }

    /// Returns whether the code is 64-bit or 32-bit: byte 4 of an ELF file is its class, bytes 18 and 19 are the
    /// architecture.
    fn bits(&self) -> Result<u32, TraceError> {
        let mut head = [0; 20];
        let file = File::open(Path::new("/proc").join(self.pid.to_string()).join("exe")).map_err(TraceError::Memory)?;
        file.read_exact_at(&mut head, 0).map_err(TraceError::Memory)?;
        match (head[4], head[18], head[19]) {
            (2, 62, 0) => Ok(64),
            (1, 3, 0) => Ok(32),
            _ => Err(TraceError::Foreign),
        }
    }
}

impl Drop for Tracee {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        // This kills it whether it is stopped, traced or running.
        let _ = kill(self.pid, Signal::SIGKILL);
        loop {
            match waitpid(self.pid, None) {
                Ok(WaitStatus::Exited(..) | WaitStatus::Signaled(..)) | Err(Errno::ECHILD) => return,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps() {
        let m = mapping("55d0c8a01000-55d0c8a02000 r-xp 00001000 fd:00 1234      /opt/a program").unwrap();
        let memory = Memory { mappings: vec![m.clone()], program: m.file.clone() };
        assert_eq!(memory.place(0x55d0_c8a0_1010), Place { file: "/opt/a program".into(), offset: 0x1010 });
        assert!(memory.is_of_file(0x55d0_c8a0_1fff) && !memory.is_of_file(0x55d0_c8a0_2000));
        let anonymous = mapping("7ffff7fc1000-7ffff7fc3000 r-xp 00000000 00:00 0 ").unwrap();
        assert_eq!((anonymous.file.as_str(), anonymous.start), ("", 0x7fff_f7fc_1000));
        assert_eq!(mapping("nonsense"), None);
    }

    /// Returns a shell that runs a script, which may stop itself.
    fn shell(script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        command
    }

    fn error(command: Command, most: u64) -> String {
        count(command, most).unwrap_err().to_string()
    }

    #[test]
    fn children_that_do_not_do_as_they_should() {
        let missing = error(Command::new("/nonexistent/program"), 1);
        assert!(missing.starts_with("cannot be started: No such file"), "{missing}");
        let refused = |e: &str| e.starts_with("this system does not let a program be traced");
        for (script, right) in [
            ("exit 3", "ended (exit status 3) before its first stop: it must do its work"),
            ("kill -STOP $$; exit 4", "ended (exit status 4) before its second stop"),
            ("kill -STOP $$; kill -ABRT $$", "ended (SIGABRT) before its second stop"),
            ("kill -STOP $$; while :; do :; done", "more than 100000 instructions"),
        ] {
            let e = error(shell(script), 100_000);
            assert!(e.starts_with(right) || refused(&e), "{script}: {e}");
        }
    }

    #[test]
    fn the_same_work_has_the_same_count() {
        let twice = || count(shell("kill -STOP $$; : ; kill -STOP $$"), 1_000_000);
        let (Ok(a), Ok(b)) = (twice(), twice()) else { return };
        assert!(a.steps > 1000, "{}", a.steps);
        assert_eq!(a.times.len(), a.code.len());
        assert_eq!(a.times.values().map(|t| t.1.all).sum::<u64>(), a.steps + 1);
        let near = a.steps.abs_diff(b.steps);
        assert!(near < a.steps / 10, "{} and {}", a.steps, b.steps);
        assert_eq!(a.bits, 64);
    }
}
