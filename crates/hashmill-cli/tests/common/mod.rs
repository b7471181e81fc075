//! Running the command, and coreutils beside it.
#![allow(dead_code, reason = "every test file uses its own part")]

pub(crate) mod copying;

use std::ffi::OsStr;
use std::io::Write;
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
    let mut child = Command::new(program)
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
