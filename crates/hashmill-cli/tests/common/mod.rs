//! Running the command, and coreutils beside it.
#![allow(dead_code, reason = "every test file uses its own part")]

pub(crate) mod copying;
pub(crate) mod faults;
#[cfg(unix)]
pub(crate) mod hostile;
pub(crate) mod photo;

use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// `hashmill` with arguments, in `dir`.
pub(crate) fn hashmill(dir: &Path, args: &[&str]) -> Output {
    run(dir, env!("CARGO_BIN_EXE_hashmill"), args, b"")
}

/// `hashmill` with something on its standard input.
pub(crate) fn hashmill_with(dir: &Path, args: &[&str], stdin: &[u8]) -> Output {
    run(dir, env!("CARGO_BIN_EXE_hashmill"), args, stdin)
}

/// Any program; its standard input is what is given.
pub(crate) fn run<S: AsRef<OsStr>>(dir: &Path, program: &str, args: &[S], stdin: &[u8]) -> Output {
    run_as(dir, program, program, args, stdin)
}

/// Any program under a name of its own.
pub(crate) fn run_as<S: AsRef<OsStr>>(dir: &Path, program: &str, name: &str, args: &[S], stdin: &[u8]) -> Output {
    let mut child = Command::new(program)
        .arg0(name)
        .args(args)
        .current_dir(dir)
        .env("LC_ALL", "C")
        .env_remove("HASHMILL_KERNEL")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|e| panic!("{program}: {e}"));
    let mut pipe = child.stdin.take().unwrap();
    let stdin = stdin.to_vec();
    // The program may not read all of it, or any.
    let writer = std::thread::spawn(move || drop(pipe.write_all(&stdin)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// Whether this process has a capability, by its number.
pub(crate) fn is_capable(number: u32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let set = status.lines().find_map(|l| u64::from_str_radix(l.strip_prefix("CapEff:")?.trim(), 16).ok());
    set.unwrap_or_default() >> number & 1 == 1
}

pub(crate) const CAP_SYS_ADMIN: u32 = 21;

/// Says that a test, or a part of it, cannot run here. Who may administer the machine can make everything that a test
/// needs, so that it is a failure there; elsewhere it is counted, and `make test` names it at its end.
pub(crate) fn skip(why: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    assert!(!is_capable(CAP_SYS_ADMIN), "{test} cannot run: {why}");
    let list = Path::new(env!("CARGO_TARGET_TMPDIR")).join("skipped");
    let file = std::fs::OpenOptions::new().create(true).append(true).open(list);
    // One call, so that lines of several tests do not mix.
    file.and_then(|mut f| f.write_all(format!("{test}: {why}\n").as_bytes())).expect("the list of what was skipped");
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Standard output of a run that must succeed without a message.
pub(crate) fn stdout(o: &Output) -> String {
    assert!(o.status.success() && o.stderr.is_empty(), "{:?}: {}", o.status, text(&o.stderr));
    text(&o.stdout)
}

/// `n` bytes that depend on `seed`.
pub(crate) fn noise(n: usize, seed: u64) -> Vec<u8> {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut bytes = Vec::with_capacity(n + 8);
    while bytes.len() < n {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        bytes.extend_from_slice(&x.to_le_bytes());
    }
    bytes.truncate(n);
    bytes
}
