//! Helpers that run hashmill and the programs it is compared with.
#![allow(dead_code, reason = "every test file uses its own part")]

pub(crate) mod copying;
pub(crate) mod faults;
#[cfg(unix)]
pub(crate) mod hostile;
pub(crate) mod photo;

use hashmill_measure::bare;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::Mutex;

/// Runs `hashmill` with arguments in `dir`.
pub(crate) fn hashmill(dir: &Path, args: &[&str]) -> Output {
    run(dir, env!("CARGO_BIN_EXE_hashmill"), args, b"")
}

/// Runs `hashmill` with `stdin` on its standard input.
pub(crate) fn hashmill_with(dir: &Path, args: &[&str], stdin: &[u8]) -> Output {
    run(dir, env!("CARGO_BIN_EXE_hashmill"), args, stdin)
}

/// Runs any program with `stdin` on its standard input. A name without a folder is that of an original program: links
/// to hashmill are passed over.
pub(crate) fn run<S: AsRef<OsStr>>(dir: &Path, program: &str, args: &[S], stdin: &[u8]) -> Output {
    run_as(dir, program, program, args, stdin)
}

/// Runs any program with these variables in its environment.
pub(crate) fn run_with(dir: &Path, program: &str, args: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = bare::command(found(program));
    command.args(args).current_dir(dir).env("LC_ALL", "C").env_remove("HASHMILL_KERNEL").stdin(Stdio::null());
    command.envs(variables.iter().copied()).output().unwrap_or_else(|e| panic!("{program}: {e}"))
}

/// Runs any program under the name `name`.
pub(crate) fn run_as<S: AsRef<OsStr>>(dir: &Path, program: &str, name: &str, args: &[S], stdin: &[u8]) -> Output {
    let mut child = bare::command(found(program))
        .arg0(name)
        .args(args)
        .current_dir(dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|e| panic!("{program}: {e}"));
    let mut pipe = child.stdin.take().unwrap();
    let stdin = stdin.to_vec();
    // Writing fails if the program exits before it has read everything.
    let writer = std::thread::spawn(move || drop(pipe.write_all(&stdin)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// Returns the path of the original program of this name; any other path, and a name that is not found, as it is.
fn found(program: &str) -> PathBuf {
    static FOUND: Mutex<Option<HashMap<String, PathBuf>>> = Mutex::new(None);
    if program.contains('/') {
        return program.into();
    }
    let mut all = FOUND.lock().unwrap();
    let look = || bare::original(program).unwrap_or_else(|_| program.into());
    all.get_or_insert_default().entry(program.into()).or_insert_with(look).clone()
}

/// Returns whether the original program of this name is installed, in a version that `is_wanted` accepts: what it
/// prints on both streams. If not, the test is skipped; `wanted` says what is missing.
pub(crate) fn is_here(program: &str, wanted: &str, is_wanted: impl Fn(&str) -> bool) -> bool {
    let here = match bare::original(program) {
        Ok(path) => {
            let out = bare::command(path).arg0(program).arg("--version").output();
            let said = out.map(|o| text(&o.stdout) + &text(&o.stderr)).unwrap_or_default();
            if is_wanted(&said) { Ok(()) } else { Err(format!("no {wanted}")) }
        }
        Err(e) => Err(format!("no {wanted}: {e}")),
    };
    here.inspect_err(|why| skip(why)).is_ok()
}

/// Returns whether this process has the capability `number`.
pub(crate) fn is_capable(number: u32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let set = status.lines().find_map(|l| u64::from_str_radix(l.strip_prefix("CapEff:")?.trim(), 16).ok());
    set.unwrap_or_default() >> number & 1 == 1
}

pub(crate) const CAP_SYS_ADMIN: u32 = 21;

/// Reports that a test, or a part of it, cannot run here. With CAP_SYS_ADMIN everything that a test needs can be set
/// up, so the test fails; without it, the test is added to the list that `make test` prints at its end.
pub(crate) fn skip(why: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    assert!(!is_capable(CAP_SYS_ADMIN), "{test} cannot run: {why}");
    let list = Path::new(env!("CARGO_TARGET_TMPDIR")).join("skipped");
    let file = std::fs::OpenOptions::new().create(true).append(true).open(list);
    // A single call, so that lines of several tests do not mix.
    file.and_then(|mut f| f.write_all(format!("{test}: {why}\n").as_bytes())).expect("the list of what was skipped");
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns the standard output of a run that must succeed without a message.
pub(crate) fn stdout(o: &Output) -> String {
    assert!(o.status.success() && o.stderr.is_empty(), "{:?}: {}", o.status, text(&o.stderr));
    text(&o.stdout)
}

/// Returns `n` pseudorandom bytes that depend on `seed`.
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
