//! Runs the program under a tracer that strikes at one of its calls (see tracer.c).

use hashmill_measure::bare;
use hashmill_testing::{CAP_SYS_ADMIN, executable, is_capable, run, skip, stdout};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Returns whether everything is to be tried.
pub(crate) fn long() -> bool {
    std::env::var_os("HASHMILL_TEST_TIER").is_some_and(|t| t == "long")
}

/// Returns whether file systems may be mounted. If they may, failing to mount one is a failure of the test.
pub(crate) fn may_mount() -> bool {
    let admin = is_capable(CAP_SYS_ADMIN);
    if !admin {
        skip("no file system can be mounted here");
    }
    admin
}

/// Returns a C program of this folder, which is compiled once.
pub(crate) fn tool(name: &str, slot: &'static OnceLock<PathBuf>) -> &'static Path {
    slot.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/it/attack/{name}.c"));
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("attack-{name}-{}", std::process::id()));
        let args = ["-O1", "-Wall", "-Wextra", "-Werror", "-o"].map(OsString::from);
        let args: Vec<OsString> = args.into_iter().chain([program.clone().into(), source.into()]).collect();
        stdout(&run(Path::new("."), "cc", &args, b""));
        program
    })
}

/// Where and how to strike.
#[derive(Clone, Debug)]
pub(crate) struct Strike {
    /// `count`, `before`, `after`, `fail`, `from`, `burst`, `short`, `run` or `runkill`.
    pub(crate) mode: &'static str,
    /// The number of the call within the set, from 1.
    pub(crate) nth: usize,
    /// `mutating`, `all`, `counts` or a group of calls.
    pub(crate) set: String,
    /// The error number of a failing call.
    pub(crate) errno: i32,
    /// The command that `run` and `runkill` run.
    pub(crate) command: String,
}

impl Strike {
    pub(crate) fn new(mode: &'static str, nth: usize, set: &str) -> Strike {
        Strike { mode, nth, set: set.into(), errno: 0, command: String::new() }
    }
}

/// What a traced run did.
pub(crate) struct Traced {
    /// The exit status: 124 if it hung, 128 plus the signal if it was killed.
    pub(crate) status: i32,
    pub(crate) stderr: String,
    /// Number of calls in each group; `set` is the number of calls in the set.
    pub(crate) counts: BTreeMap<String, usize>,
    /// The call that was struck: its group and path.
    pub(crate) struck: Option<String>,
    /// Whether the failing call reported that there are no extended attributes.
    pub(crate) bare: bool,
}

/// Time limit of a run in seconds, after which it counts as hung: many times what a run takes on a machine that is busy
/// with other tests.
const PATIENCE: &str = "120";

/// Runs `hashmill copy` in `dir` and strikes at one of its calls.
pub(crate) fn traced(dir: &Path, strike: &Strike, args: &[&str]) -> Traced {
    traced_command(dir, strike, &[&["copy"], args].concat())
}

/// Runs `hashmill` with any arguments in `dir` and strikes at one of its calls.
pub(crate) fn traced_command(dir: &Path, strike: &Strike, args: &[&str]) -> Traced {
    static TRACER: OnceLock<PathBuf> = OnceLock::new();
    let report = tempfile::NamedTempFile::new().unwrap();
    let o = quiet(tool("tracer", &TRACER), dir)
        .arg(dir)
        .arg(PATIENCE)
        .arg(report.path())
        .args([strike.mode, &strike.nth.to_string(), &strike.set, &strike.errno.to_string(), &strike.command])
        .arg(executable())
        .args(args)
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&o.stderr).into_owned();
    let status = o.status.code().unwrap_or(125);
    assert_ne!(status, 125, "the tracer failed: {stderr}");
    let mut counts = BTreeMap::new();
    let mut struck = None;
    for line in fs::read_to_string(report.path()).unwrap().lines() {
        let (group, rest) = line.split_once(' ').unwrap();
        match group {
            "struck" => struck = Some(rest.to_string()),
            _ => drop(counts.insert(group.to_string(), rest.parse().unwrap())),
        }
    }
    // ENODATA and EOPNOTSUPP.
    let bare = [61, 95].contains(&strike.errno);
    Traced { status, stderr, counts, struck, bare }
}

/// Runs `hashmill copy` without faults, but with a time limit. A run that hangs is killed, and `status` returns 124.
pub(crate) fn plain(dir: &Path, args: &[&str]) -> Output {
    let program = executable();
    quiet(Path::new("timeout"), dir).args(["-s", "KILL", PATIENCE, program, "copy"]).args(args).output().unwrap()
}

/// Returns the status as a number: 124 if `timeout` killed the run, 128 plus the signal if anything else did.
pub(crate) fn status(o: &Output) -> i32 {
    match (o.status.code(), o.status.signal()) {
        (Some(137), _) | (None, Some(9)) => 124,
        (Some(code), _) => code,
        (None, signal) => 128 + signal.unwrap_or(0),
    }
}

fn quiet(program: &Path, dir: &Path) -> Command {
    let mut command = bare::command(program);
    command.current_dir(dir).stdin(Stdio::null()).env("RUST_BACKTRACE", "0");
    command
}

/// Calls `work` for every item, on several threads.
pub(crate) fn each<T: Sync>(items: &[T], work: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(2, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    work(item);
                }
            });
        }
    });
}

/// Returns the numbers from 1 to `last`: all of them in the long tier, otherwise at most `few`, spread evenly; `seed`
/// shifts them.
pub(crate) fn some(last: usize, few: usize, seed: usize) -> Vec<usize> {
    if long() || last <= few {
        return (1..=last).collect();
    }
    (0..few).map(|i| 1 + (i * last + seed * 7 % last.max(1)) / few % last).collect()
}
