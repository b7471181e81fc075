//! Tests the other implementations: those that are installed agree with ours and report failures.

use clap::ValueEnum;
use hashmill::Algorithm;
use hashmill_measure::child::ChildError;
use hashmill_peers::peer::{self, Peer, PeerError, PeerKind};
use hashmill_testing::alone;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Opens a peer. Returns `None` if it is not available and not required.
fn open(kind: PeerKind) -> Option<Box<dyn Peer>> {
    match peer::open(kind) {
        Ok(peer) => Some(peer),
        Err(e) => {
            assert!(std::env::var_os("HASHMILL_TEST_REQUIRE_PEERS").is_none(), "{e}");
            println!("skipped: {e}");
            None
        }
    }
}

fn messages() -> Vec<Vec<u8>> {
    [0, 1, 5, 63, 64, 65, 1000].map(|len| (0..len).map(|i: u32| (i % 251) as u8 ^ 0x0a).collect()).to_vec()
}

/// Returns the first words of a peer's version.
fn whose(kind: PeerKind) -> &'static str {
    match kind {
        PeerKind::Openssl | PeerKind::Openssl2 | PeerKind::OpensslOnce => "OpenSSL ",
        PeerKind::Rustcrypto => "RustCrypto ",
        PeerKind::Crates => "Rust crates",
        PeerKind::Php => "PHP ",
        PeerKind::Go => "Go ",
        PeerKind::Python => "Python ",
        PeerKind::Coreutils => "coreutils ",
    }
}

/// Checks every algorithm of a peer on messages of several lengths in one job. Returns the number of algorithms.
fn agrees(kind: PeerKind) -> Option<usize> {
    Some(agree(kind, &mut *open(kind)?))
}

fn agree(kind: PeerKind, peer: &mut dyn Peer) -> usize {
    assert!(peer.version().starts_with(whose(kind)), "{}", peer.version());
    let messages = messages();
    let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
    let algorithms = peer.algorithms();
    for a in &algorithms {
        assert!(peer::name_for(kind, *a).is_some(), "{}", a.name());
        let ours: Vec<Vec<u8>> = messages.iter().map(|m| a.digest(m).as_bytes().to_vec()).collect();
        let mut job = peer.job(*a, &messages).unwrap();
        assert_eq!(job.digests().unwrap(), ours, "{kind:?} {}", a.name());
        // Fewer messages than a full pass, then more, each run continuing where the previous one ended.
        for times in [1, 10, 3] {
            if let Some(time) = job.run(times).unwrap() {
                assert!(time < Duration::from_secs(10), "{kind:?} {} {time:?}", a.name());
            }
        }
        assert_eq!(job.digests().unwrap(), ours, "{kind:?} {} after running", a.name());
    }
    let crc: Algorithm = "crc3-gsm".parse().unwrap();
    assert!(matches!(peer.job(crc, &messages).err(), Some(PeerError::NoDigest { .. })));
    assert_eq!(peer.job(algorithms[0], &[]).err(), Some(PeerError::NoMessages));
    algorithms.len()
}

#[test]
fn openssl() {
    if let Some(n) = agrees(PeerKind::Openssl) {
        assert!(n >= 10, "{n}");
    }
}

#[test]
fn openssl_one_call_for_every_message() {
    if let Some(n) = agrees(PeerKind::OpensslOnce) {
        assert_eq!(Some(n), agrees(PeerKind::Openssl));
    }
}

#[test]
fn rustcrypto() {
    assert_eq!(agrees(PeerKind::Rustcrypto), Some(63));
    assert!(version(PeerKind::Rustcrypto, "sha256", b"").starts_with("RustCrypto sha2 "));
}

#[test]
fn crates() {
    assert_eq!(agrees(PeerKind::Crates), Some(62));
    assert!(version(PeerKind::Crates, "blake3", b"").starts_with("blake3 "));
    // Two crates have XXH3; the job uses the one that is faster on the message.
    let version = version(PeerKind::Crates, "xxh3", &[1; 1000]);
    assert!(version.starts_with("twox-hash ") || version.starts_with("xxhash-rust "), "{version}");
}

/// Returns the version of a compiled-in peer for one algorithm, after checking that it ends with a version number.
fn version(kind: PeerKind, name: &str, message: &[u8]) -> String {
    let mut peer = peer::open(kind).unwrap();
    let messages = [message];
    let version = peer.job(name.parse().unwrap(), &messages).unwrap().version();
    let number = version.rsplit(' ').next().unwrap();
    assert!(number.split('.').count() == 3 && number.split('.').all(|n| n.parse::<u32>().is_ok()), "{version}");
    version
}

/// Returns the files of libcrypto in this process, if the system lists them.
fn loaded() -> Vec<PathBuf> {
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let files = maps.lines().filter_map(|l| l.split_once('/').map(|(_, path)| PathBuf::from(format!("/{path}"))));
    let mut files: Vec<PathBuf> =
        files.filter(|f| f.file_name().unwrap().to_str().unwrap().contains("crypto")).collect();
    files.dedup();
    files
}

#[test]
fn two_libcryptos_in_one_process() {
    // Other tests also load libcrypto.
    if !alone("peers::two_libcryptos_in_one_process") {
        return;
    }
    let Some(mut first) = open(PeerKind::Openssl) else { return };
    let dir = tempfile::tempdir().unwrap();
    let named = std::env::var_os("HASHMILL_LIBCRYPTO2").filter(|v| !v.is_empty());
    // If none is named, use a copy of the first, which the loader takes for a different library.
    let path = named.clone().unwrap_or_else(|| {
        let copy = dir.path().join("libcrypto-copy.so");
        fs::copy(loaded().first().expect("the file of libcrypto"), &copy).unwrap();
        copy.into_os_string()
    });
    let mut second = peer::open_program(PeerKind::Openssl2, Some(&path)).unwrap();
    println!("{} and {}", first.version(), second.version());
    assert_eq!(named.is_some(), first.version() != second.version());
    assert_eq!(loaded().len(), 2, "{:?}", loaded());
    for _ in 0..2 {
        assert!(agree(PeerKind::Openssl, &mut *first) >= 10);
        assert!(agree(PeerKind::Openssl2, &mut *second) >= 10);
    }
    // Alternate between the two.
    let (md5, messages) = ("md5".parse().unwrap(), [&b"abc"[..]]);
    let (mut a, mut b) = (first.job(md5, &messages).unwrap(), second.job(md5, &messages).unwrap());
    for _ in 0..10 {
        a.run(3).unwrap();
        b.run(3).unwrap();
        assert_eq!(a.digests().unwrap(), b.digests().unwrap());
    }
}

#[test]
fn a_second_libcrypto_has_to_be_named() {
    let e = peer::open_program(PeerKind::Openssl2, None).err().unwrap();
    assert_eq!(e.to_string(), "HASHMILL_LIBCRYPTO2=PATH names the second libcrypto, and is not set");
    let e = peer::open_program(PeerKind::Openssl2, Some(OsStr::new("/nonexistent/x.so"))).err().unwrap();
    assert!(matches!(e, PeerError::NoLibcrypto(_)) && e.to_string().contains("/nonexistent/x.so"), "{e}");
}

#[test]
fn php() {
    if let Some(n) = agrees(PeerKind::Php) {
        assert!(n >= 50, "{n}");
    }
}

#[test]
fn go() {
    if let Some(n) = agrees(PeerKind::Go) {
        assert!(n >= 17, "{n}");
    }
}

#[test]
fn python() {
    if let Some(n) = agrees(PeerKind::Python) {
        assert!(n >= 15, "{n}");
    }
}

#[test]
fn coreutils() {
    if let Some(n) = agrees(PeerKind::Coreutils) {
        assert!(n >= 7, "{n}");
    }
}

#[test]
fn runs_go_on_where_the_last_ended() {
    let long = vec![7; 4 << 20];
    for kind in [PeerKind::Php, PeerKind::Go, PeerKind::Python] {
        let Some(mut peer) = open(kind) else { continue };
        let messages = [&[][..], &long];
        let mut job = peer.job("md5".parse().unwrap(), &messages).unwrap();
        // One stream of MD5 cannot reach 4 GB/s on any machine, because each step depends on the previous one.
        for (times, at_least) in [(1, 0), (1, 1), (1, 0), (1, 1), (5, 2), (1, 1)] {
            let time = job.run(times).unwrap().unwrap();
            assert!(time >= Duration::from_millis(at_least), "{kind:?} {times} {time:?}");
        }
    }
}

#[test]
fn coreutils_gets_the_files_in_turn() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("log");
    let text = "case $1 in --version) echo 'md5sum (uutils coreutils) 1.2';; *) echo \"$@\" >>'LOG';; esac";
    script(dir.path(), "md5sum", &text.replace("LOG", log.to_str().unwrap()));
    let mut peer = peer::open_program(PeerKind::Coreutils, Some(dir.path().as_os_str())).unwrap();
    assert_eq!(peer.version(), "coreutils 1.2 (uutils)");
    assert!(peer.notes().unwrap().contains("process"));
    let md5: Algorithm = "md5".parse().unwrap();
    assert_eq!(peer.algorithms(), [md5]);
    let messages = [&b"a"[..], b"b", b"c"];
    let mut job = peer.job(md5, &messages).unwrap();
    fs::remove_file(&log).unwrap();
    for times in [2, 5, 1, 40_000] {
        job.run(times).unwrap();
    }
    let log = fs::read_to_string(log).unwrap();
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines[..3], ["0 1", "2 0 1 2 0", "1"]);
    assert!(lines.len() > 4, "40000 files in one process");
    let words: Vec<&str> = lines.iter().flat_map(|l| l.split(' ')).collect();
    assert_eq!(words.len(), 40_008);
    assert!(words.iter().zip(["0", "1", "2"].iter().cycle()).all(|(a, b)| a == b));
}

/// hashmill under coreutils' names is not a peer of itself, nor is PHP with hashmill's extension.
#[test]
fn hashmill_is_no_peer() {
    let dir = tempfile::tempdir().unwrap();
    script(dir.path(), "md5sum", "echo 'md5sum (hashmill) 0.1.0'");
    let e = peer::open_program(PeerKind::Coreutils, Some(dir.path().as_os_str())).err().unwrap();
    let remedy = "install coreutils or set HASHMILL_COREUTILS to the directory of theirs";
    assert_eq!(e.to_string(), format!("md5sum is hashmill, and the original was not found: {remedy}"));
    // A single command that is hashmill is left out.
    let md5sum =
        "case $1 in --version) echo 'md5sum (GNU coreutils) 9.1';; *) echo 00000000000000000000000000000000;; esac";
    script(dir.path(), "md5sum", md5sum);
    script(dir.path(), "sha1sum", "case $1 in --version) echo 'sha1sum (hashmill) 0.1.0';; *) echo 00;; esac");
    let mut peer = peer::open_program(PeerKind::Coreutils, Some(dir.path().as_os_str())).unwrap();
    assert_eq!(peer.algorithms(), ["md5".parse::<Algorithm>().unwrap()]);
    let php = "case $1 in -n) exec php \"$@\";; *) echo 'no php.ini may be read' >&2; exit 1;; esac";
    if open(PeerKind::Php).is_some() {
        let program = script(dir.path(), "php", php);
        assert!(peer::open_program(PeerKind::Php, Some(program.as_os_str())).is_ok());
    }
}

#[test]
fn all_that_are_available() {
    let all = peer::available();
    assert_eq!(all.iter().map(|(kind, _)| *kind).collect::<Vec<_>>(), PeerKind::value_variants());
    for (kind, version) in all {
        match version {
            Ok(version) => {
                assert!(version.starts_with(whose(kind)), "{version}");
                if kind != PeerKind::Go {
                    assert_eq!(peer::open(kind).unwrap().version(), version);
                }
            }
            Err(e) => println!("skipped: {e}"),
        }
    }
}

#[test]
fn missing_programs_are_named() {
    let nowhere = Some(OsStr::new("/nonexistent/x"));
    for (kind, text) in [
        (PeerKind::Php, "/nonexistent/x not found: install PHP's command line (Debian: php-cli) or set HASHMILL_PHP"),
        (PeerKind::Go, "/nonexistent/x not found: install Go (Debian: golang-go) or set HASHMILL_GO"),
        (PeerKind::Python, "/nonexistent/x not found: install Python 3 (Debian: python3) or set HASHMILL_PYTHON"),
        (
            PeerKind::Coreutils,
            "/nonexistent/x/md5sum not found: install coreutils or set HASHMILL_COREUTILS to the directory of theirs",
        ),
    ] {
        let e = peer::open_program(kind, nowhere).err().unwrap();
        assert!(matches!(e, PeerError::Child(ChildError::Missing { .. })), "{e:?}");
        assert_eq!(e.to_string(), text);
    }
}

/// Creates a script that stands in for a program. Another process writes it: if this process held it open for writing,
/// a child that a concurrent test starts at that moment would also hold it open, and it could not be executed.
fn script(dir: &Path, name: &str, text: &str) -> PathBuf {
    let path = dir.join(name);
    let mut writer = Command::new("sh");
    writer.args(["-c", "printf '#!/bin/sh\\n%s\\n' \"$1\" >\"$0\" && chmod +x \"$0\""]).arg(&path).arg(text);
    assert!(writer.status().unwrap().success());
    path
}

#[test]
fn one_that_is_killed_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let pid = dir.path().join("pid");
    if open(PeerKind::Python).is_none() {
        return;
    }
    let program = script(dir.path(), "python", &format!("echo $$ >'{}'; exec python3 \"$@\"", pid.display()));
    let mut python = peer::open_program(PeerKind::Python, Some(program.as_os_str())).unwrap();
    let messages = [&b"abc"[..]];
    let mut job = python.job("md5".parse().unwrap(), &messages).unwrap();
    assert!(job.run(1000).unwrap().is_some());
    let pid = fs::read_to_string(pid).unwrap();
    // The peer is in its own process group, so Ctrl-C in ours does not reach it.
    let group = format!("-{}", pid.trim());
    assert!(Command::new("kill").args(["-9", "--", &group]).status().unwrap().success());
    for e in [job.run(1).err().unwrap(), job.digests().err().unwrap()] {
        let PeerError::Child(ChildError::Died { peer, last }) = e else { panic!("{e}") };
        assert!(peer.starts_with("Python 3") && last == "signal: 9 (SIGKILL)", "{peer}: {last}");
    }
}

#[test]
fn nonsense_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let error = |text: &str, kind| {
        peer::open_program(kind, Some(script(dir.path(), "program", text).as_os_str())).err().unwrap()
    };
    let e = error("echo no such option >&2; exit 64", PeerKind::Php);
    assert_eq!(e, PeerError::Child(ChildError::Died { peer: "PHP".into(), last: "no such option".into() }));
    assert_eq!(
        error("exec yes", PeerKind::Php),
        PeerError::Child(ChildError::Nonsense { peer: "PHP".into(), answer: "y".into() })
    );
    assert!(error("echo BusyBox", PeerKind::Go).to_string().ends_with("/program built nothing"));
    // Correct at first, then wrong.
    let program = script(dir.path(), "php", "echo hashmill-peer 9 md5; read a; echo 1; read a; echo x");
    let mut php = peer::open_program(PeerKind::Php, Some(program.as_os_str())).unwrap();
    let messages = [&b""[..]];
    let mut job = php.job("md5".parse().unwrap(), &messages).unwrap();
    for _ in 0..2 {
        assert_eq!(job.run(1).err().unwrap().to_string(), "PHP 9 answered 'x'");
    }
}

#[test]
fn nothing_stays_behind() {
    // In another process, with its own directory for temporary files.
    let dir = tempfile::tempdir().unwrap();
    let this = std::env::current_exe().unwrap();
    let mut command = Command::new(this);
    command.args(["--exact", "peers::coreutils", "peers::go", "--test-threads=1"]).env("TMPDIR", dir.path());
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("2 passed"), "{said}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}
