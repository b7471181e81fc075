//! Running `hashmill copy` with a time limit and with faults injected.

use hashmill_measure::bare;
use hashmill_testing::{executable, run, stdout, text};
use std::fs;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

pub(crate) const ENXIO: i32 = 6;
pub(crate) const EAGAIN: i32 = 11;
pub(crate) const EIO: i32 = 5;

/// The program that runs another one with failing system calls, compiled once.
pub(crate) fn inject() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/support/inject.c");
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("inject-{}", std::process::id()));
        let args = ["-O1", "-Wall", "-Wextra", "-Werror", "-o"].map(Path::new);
        let args: Vec<&Path> = args.into_iter().chain([program.as_path(), &source]).collect();
        stdout(&run(Path::new("."), "cc", &args, b""));
        program
    })
}

/// Returns `hashmill copy` with these arguments, to run in `dir`.
pub(crate) fn copying(dir: &Path, args: &[&str]) -> Command {
    let mut command = bare::command(executable());
    command.arg("copy").args(args).current_dir(dir);
    command
}

/// Returns `program` with faults injected into its system calls (see `inject.c`). `then` is the command of the rules
/// that run one. Logged calls go to the file `log`.
pub(crate) fn faulty(rules: &str, then: &str, program: &Command) -> Command {
    let dir = program.get_current_dir().unwrap();
    let mut command = bare::command(inject());
    command.arg(rules).arg(program.get_program()).args(program.get_args()).current_dir(dir);
    command.env("FAULT_RUN", then).env("FAULT_LOG", dir.join("log"));
    command
}

/// Starts a command in its own process group.
pub(crate) fn start(command: &mut Command) -> Child {
    command
        .env("LC_ALL", "C")
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap()
}

/// Time limit in seconds for commands that only have to end: many times what one takes on a machine that is busy with
/// other tests.
pub(crate) const PATIENCE: u64 = 120;

/// Runs a command that must end within `seconds`.
pub(crate) fn within(seconds: u64, command: &mut Command) -> Output {
    ended(seconds, start(command)).unwrap_or_else(|| panic!("{command:?} does not end within {seconds} s"))
}

/// Like [`within`], for a running command. `None` if it had to be killed.
pub(crate) fn ended(seconds: u64, mut child: Child) -> Option<Output> {
    fn reader(mut from: impl Read + Send + 'static) -> std::thread::JoinHandle<Vec<u8>> {
        std::thread::spawn(move || {
            let mut all = Vec::new();
            from.read_to_end(&mut all).unwrap();
            all
        })
    }
    let (out, err) = (reader(child.stdout.take().unwrap()), reader(child.stderr.take().unwrap()));
    let end = Instant::now() + Duration::from_secs(seconds);
    let status = loop {
        match child.try_wait().unwrap() {
            None if Instant::now() < end => std::thread::sleep(Duration::from_millis(3)),
            status => break status,
        }
    };
    if status.is_none() {
        let group = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process_group(group, rustix::process::Signal::KILL).unwrap();
        child.wait().unwrap();
    }
    let output = (out.join().unwrap(), err.join().unwrap());
    status.map(|status| Output { status, stdout: output.0, stderr: output.1 })
}

/// Runs a copy that must end.
pub(crate) fn attempt(dir: &Path, args: &[&str]) -> Output {
    within(PATIENCE, &mut copying(dir, args))
}

/// Runs a copy that must succeed, and returns its standard output.
pub(crate) fn done(dir: &Path, args: &[&str]) -> String {
    let o = attempt(dir, args);
    assert!(o.status.success(), "{args:?}: {:?}: {}{}", o.status, text(&o.stdout), text(&o.stderr));
    text(&o.stdout)
}

/// Returns both output streams, for messages.
pub(crate) fn said(o: &Output) -> String {
    format!("{:?}: {}{}", o.status.code(), text(&o.stdout), text(&o.stderr))
}

/// Returns the logged calls that make files durable and those that delete, in order.
pub(crate) fn calls(dir: &Path) -> Vec<(String, PathBuf)> {
    let log = fs::read_to_string(dir.join("log")).unwrap_or_default();
    log.lines().map(|l| l.split_once(' ').unwrap()).map(|(call, path)| (call.into(), path.into())).collect()
}
