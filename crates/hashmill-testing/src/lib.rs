//! What the tests of several crates share: running hashmill and the programs it is compared with.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a test that cannot go on must fail")]

pub mod faults;
#[cfg(target_os = "linux")]
pub mod fuse;

use hashmill_measure::bare;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{LazyLock, Mutex};

/// Returns the folder in which cargo built the running test, such as `target/release`.
fn built() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.ancestors().nth(2).expect("target/PROFILE/deps/TEST").into()
}

/// Returns the path of `hashmill`, built with the profile of the running test. Cargo builds the program of a crate only
/// for that crate's own tests; for all others it is brought up to date here, which takes no time after
/// `cargo test --workspace`.
pub fn executable() -> &'static str {
    static PROGRAM: LazyLock<String> = LazyLock::new(|| {
        let built = built();
        if let Some(cargo) = std::env::var_os("CARGO") {
            let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml");
            let mut build = Command::new(cargo);
            build.args(["build", "--quiet", "--workspace", "--bin", "hashmill", "--manifest-path", manifest]);
            if built.file_name() == Some(OsStr::new("release")) {
                build.arg("--release");
            }
            // target/TRIPLE/PROFILE
            let folder = built.parent().and_then(Path::file_name).and_then(OsStr::to_str).unwrap_or_default();
            if folder.matches('-').count() >= 2 {
                build.args(["--target", folder]);
            }
            assert!(build.status().unwrap().success(), "hashmill cannot be built");
        }
        let path = built.join("hashmill");
        assert!(path.is_file(), "{} is not built", path.display());
        path.into_os_string().into_string().unwrap()
    });
    &PROGRAM
}

/// Returns the path of a program in Python that `scripts/setup.sh` has put into the target folder.
pub fn python_program(name: &str) -> String {
    let path = built().ancestors().map(|folder| folder.join("tools/python/bin").join(name)).find(|path| path.is_file());
    let path = path.unwrap_or_else(|| panic!("no {name} in tools/python of the target folder: run scripts/setup.sh"));
    path.into_os_string().into_string().unwrap()
}

/// Runs `hashmill` with `stdin` on its standard input. Returns also the most memory that it held at a time, in KiB.
pub fn hashmill_and_memory(dir: &Path, args: &[&str], stdin: &[u8]) -> (Output, u64) {
    const SCRIPT: &str = "import resource, subprocess, sys\n\
                          code = subprocess.call(sys.argv[1:])\n\
                          most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss\n\
                          sys.stderr.write(f'\\n{most}')\n\
                          sys.exit(code)";
    let mut output = run(dir, "python3", &[&["-c", SCRIPT, executable()], args].concat(), stdin);
    let end = output.stderr.iter().rposition(|&b| b == b'\n').expect("a line with the memory");
    let most = text(&output.stderr[end + 1..]).parse().expect("the memory");
    output.stderr.truncate(end);
    (output, most)
}

/// Returns the folder for files that tests may leave behind: `tmp` in cargo's target folder.
pub fn temporary() -> PathBuf {
    let folder = built().parent().expect("target/PROFILE").join("tmp");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Returns whether this is a process of the test `name` alone: the path of the test in its program. If it is not, such
/// a process is started and must succeed. For tests that measure or change something of their whole process.
pub fn alone(name: &str) -> bool {
    const ALONE: &str = "HASHMILL_TEST_ALONE";
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    let output = command.args(["--exact", name, "--nocapture"]).env(ALONE, "1").output().unwrap();
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
    print!("{said}");
    false
}

/// Runs `hashmill` with arguments in `dir`.
pub fn hashmill(dir: &Path, args: &[&str]) -> Output {
    run(dir, executable(), args, b"")
}

/// Runs `hashmill` with `stdin` on its standard input.
pub fn hashmill_with(dir: &Path, args: &[&str], stdin: &[u8]) -> Output {
    run(dir, executable(), args, stdin)
}

/// Runs any program with `stdin` on its standard input. A name without a folder is that of an original program: links
/// to hashmill are passed over.
pub fn run<S: AsRef<OsStr>>(dir: &Path, program: &str, args: &[S], stdin: &[u8]) -> Output {
    run_as(dir, program, program, args, stdin)
}

/// Runs any program with these variables in its environment.
pub fn run_with(dir: &Path, program: &str, args: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = bare::command(found(program));
    command.args(args).current_dir(dir).env("LC_ALL", "C").env_remove("HASHMILL_KERNEL").stdin(Stdio::null());
    command.envs(variables.iter().copied()).output().unwrap_or_else(|e| panic!("{program}: {e}"))
}

/// Runs any program under the name `name`.
pub fn run_as<S: AsRef<OsStr>>(dir: &Path, program: &str, name: &str, args: &[S], stdin: &[u8]) -> Output {
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
pub fn is_here(program: &str, wanted: &str, is_wanted: impl Fn(&str) -> bool) -> bool {
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
pub fn is_capable(number: u32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let set = status.lines().find_map(|l| u64::from_str_radix(l.strip_prefix("CapEff:")?.trim(), 16).ok());
    set.unwrap_or_default() >> number & 1 == 1
}

/// The capability to mount file systems.
pub const CAP_SYS_ADMIN: u32 = 21;

/// Reports that a test, or a part of it, cannot run here. With CAP_SYS_ADMIN everything that a test needs can be set
/// up, so the test fails; without it, the test is added to the list that `make test` prints at its end.
pub fn skip(why: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    assert!(!is_capable(CAP_SYS_ADMIN), "{test} cannot run: {why}");
    let list = temporary().join("skipped");
    let file = std::fs::OpenOptions::new().create(true).append(true).open(list);
    // A single call, so that lines of several tests do not mix.
    file.and_then(|mut f| f.write_all(format!("{test}: {why}\n").as_bytes())).expect("the list of what was skipped");
}

/// Returns what a program printed, as text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns the standard output of a run that must succeed without a message.
pub fn stdout(o: &Output) -> String {
    assert!(o.status.success() && o.stderr.is_empty(), "{:?}: {}", o.status, text(&o.stderr));
    text(&o.stdout)
}

/// Returns `n` pseudorandom bytes that depend on `seed`.
pub fn noise(n: usize, seed: u64) -> Vec<u8> {
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
