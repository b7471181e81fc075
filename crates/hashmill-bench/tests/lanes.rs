//! `hashmill bench lanes` as a whole: a short run gives sane numbers and says which kernel and which peer.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::process::Command;

fn lanes(args: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hashmill-bench"));
    command.args(["bench", "lanes"]).args(args.split_whitespace()).env_remove("HASHMILL_KERNEL");
    let out = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (out.status.code(), text(out.stdout), text(out.stderr))
}

#[test]
fn a_short_run() {
    let (status, stdout, stderr) = lanes("--messages 64 --size 1000 --pairs 10 --json md2");
    assert_eq!(status, Some(0), "{stderr}");
    let v: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    let r = &v["details"]["results"][0];
    assert_eq!(r["algorithm"].as_str(), Some("md2"));
    assert!(r["peer"].as_str().unwrap().starts_with("RustCrypto md2"), "{r}");
    let (low, high) = (r["ratio"]["interval"][0].as_f64().unwrap(), r["ratio"]["interval"][1].as_f64().unwrap());
    let median = r["ratio"]["median"].as_f64().unwrap();
    assert!(0.0 < low && low <= median && median <= high);
    assert!(!r["kernel"].as_str().unwrap().is_empty());
}

#[test]
fn a_forced_kernel_is_named() {
    let (status, stdout, stderr) = lanes("--messages 4 --size 1000 --pairs 6 --single --kernel portable md2");
    assert_eq!(status, Some(0), "{stderr}");
    let row: Vec<&str> = stdout.lines().nth(2).unwrap().split_whitespace().collect();
    assert_eq!((row[0], row[6]), ("md2", "portable"), "{stdout}");
}

#[test]
fn without_a_peer() {
    let (status, stdout, stderr) = lanes("--pairs 6 crc32");
    assert_eq!((status, stdout.as_str(), stderr.lines().filter(|l| !l.contains("warning")).count()), (Some(1), "", 1));
    assert_eq!(lanes("nonesuch").0, Some(2));
}
