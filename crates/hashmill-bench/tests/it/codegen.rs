//! Tests `hashmill bench codegen` as a whole, with a stand-in for cargo, because a real build takes a minute. With
//! HASHMILL_TEST_CODEGEN=1, a real build is made, too.

use hashmill_measure::bare;
use hashmill_testing::executable;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Returns the workspace folder, which is the source.
fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn command(target_dir: &Path, args: &str) -> Command {
    let mut command = bare::command(executable());
    command.args(["bench", "codegen", "--target-dir"]).arg(target_dir).args(args.split_whitespace());
    command.current_dir(source());
    command
}

/// Runs the command with the stand-in for cargo. Returns `None` if there is no Python to run it.
fn pretended(target_dir: &Path, args: &str) -> Option<Output> {
    if !bare::command("python3").args(["-I", "--version"]).output().is_ok_and(|o| o.status.success()) {
        assert!(std::env::var_os("HASHMILL_TEST_REQUIRE_PEERS").is_none(), "python3 is missing");
        println!("skipped: no python3");
        return None;
    }
    let cargo = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/cargo.py");
    Some(command(target_dir, args).env("CARGO", cargo).output().unwrap())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Returns the lines on stderr, without warnings about the machine.
fn said(out: &Output) -> Vec<String> {
    let stderr = text(&out.stderr);
    let lines = stderr.lines().filter(|l| !l.contains("warning: "));
    lines.map(|l| l.strip_prefix("hashmill: bench codegen: ").unwrap_or(l).to_string()).collect()
}

fn check(run: &Value, algorithms: &[&str], variants: usize) {
    let cells = run["details"]["results"].as_array().unwrap();
    assert_eq!(cells.len(), algorithms.len() * variants);
    for cell in cells {
        assert!(algorithms.contains(&cell["algorithm"].as_str().unwrap()), "{cell}");
        let of = |s: &Value| {
            (s["interval"][0].as_f64().unwrap(), s["median"].as_f64().unwrap(), s["interval"][1].as_f64().unwrap())
        };
        let (low, median, high) = of(&cell["rate"]);
        assert!(0.0 < low && low <= median && median <= high, "{cell}");
        let set = cell["seconds"].as_f64().unwrap() * median;
        assert!((set - 8.0 * 244.25 * 1048576.0).abs() < 1.0, "{cell}");
        assert_eq!(cell["to_reference"].is_null(), cell["opt"] == "3" && cell["cpu"] == "baseline", "{cell}");
    }
    let series = run["series"].as_array().unwrap();
    assert!(series.iter().all(|s| s["parameters"]["opt"].is_string() && s["parameters"]["cpu"].is_string()));
    assert_eq!(series.len(), cells.len());
    assert_eq!(run["pairings"].as_array().unwrap().len(), algorithms.len() * (variants - 1));
}

#[test]
fn every_build_is_made_and_measured() {
    let dir = tempfile::tempdir().unwrap();
    let args = "md5 sha512 --opt 2,3 --size 1000 --reps 6 --json";
    let Some(out) = pretended(dir.path(), args) else { return };
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let said = said(&out);
    assert_eq!(said[0], "building opt-level 2, baseline (1 of 4)");
    assert_eq!(said[3], "building opt-level 3, native (4 of 4)");
    let log = fs::read_to_string(dir.path().join("log")).unwrap();
    assert_eq!(log, "2 \n3 \n2 -Ctarget-cpu=native\n3 -Ctarget-cpu=native\n");
    let run: Value = serde_json::from_slice(&out.stdout).unwrap();
    check(&run, &["md5", "sha512"], 4);
    assert!(run["details"]["compiler"].as_str().unwrap().starts_with("rustc "));
    let Some(out) = pretended(dir.path(), "sha1 --opt 3 --size 1000 --reps 6") else { return };
    let table = text(&out.stdout);
    assert!(table.lines().any(|l| l.split_whitespace().eq(["algorithm", "-O3", "-O3", "native"])), "{table}");
    assert!(table.contains("How many times as fast as -O3, with 95 % intervals:"), "{table}");
    assert!(table.trim_end().lines().any(|l| l.starts_with("The flags ")), "{table}");
}

#[test]
fn what_a_build_lacks_or_gets_wrong() {
    let dir = tempfile::tempdir().unwrap();
    let Some(out) = pretended(dir.path(), "sha256 md5 --opt 3 --cpu baseline --size 100 --reps 6") else { return };
    assert_eq!(out.status.code(), Some(1));
    assert_eq!(said(&out)[1], "opt-level 3, baseline: unknown algorithm 'sha256'");
    assert!(text(&out.stdout).lines().any(|l| l.starts_with("md5 ")));
    let Some(out) = pretended(dir.path(), "md5 --opt 0 --cpu baseline --size 100 --reps 6") else { return };
    assert_eq!((out.status.code(), out.stdout.len()), (Some(1), 0));
    assert!(said(&out)[1].starts_with("opt-level 0, baseline: its digest of md5 is not ours"), "{:?}", said(&out));
    let Some(out) = pretended(dir.path(), "md5 --opt z,3 --cpu baseline") else { return };
    assert_eq!((out.status.code(), out.stdout.len()), (Some(1), 0));
    let said = said(&out);
    assert_eq!(said[1], "error: opt-level z is out of stock", "{said:?}");
    assert!(said[2].starts_with("opt-level z, baseline: cargo could not build it ("), "{said:?}");
}

#[test]
fn without_source_or_cargo() {
    let dir = tempfile::tempdir().unwrap();
    let out = command(dir.path(), "md5").current_dir(dir.path()).output().unwrap();
    assert_eq!((out.status.code(), out.stdout.len()), (Some(1), 0));
    let line = said(&out);
    assert_eq!(line.len(), 1, "{line:?}");
    assert!(
        line[0].contains("is not hashmill's source") && line[0].ends_with("or name it with --source DIR"),
        "{line:?}"
    );
    let mut named = command(dir.path(), "md5 --source");
    let out = named.arg(dir.path().join("nowhere")).output().unwrap();
    assert_eq!(out.status.code(), Some(1));
    assert!(said(&out)[0].contains("nowhere: No such file"), "{:?}", said(&out));
    let out = command(dir.path(), "md5").env("CARGO", "/nonexistent/cargo").output().unwrap();
    assert_eq!(out.status.code(), Some(1));
    assert!(said(&out)[1].starts_with("cannot run /nonexistent/cargo: "), "{:?}", said(&out));
    for (args, line) in
        [("nonesuch", "unknown algorithm"), ("--opt 4", "it is one of 0, 1, 2, 3, s, z"), ("--cpu ../x", "is no CPU")]
    {
        let out = command(dir.path(), args).output().unwrap();
        assert_eq!((out.status.code(), text(&out.stderr).contains(line)), (Some(2), true), "{args}");
    }
}

#[test]
fn a_real_build() {
    if std::env::var_os("HASHMILL_TEST_CODEGEN").is_none() {
        println!("skipped: a build takes a minute; HASHMILL_TEST_CODEGEN=1 makes it");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let out = command(dir.path(), "md5 --opt 1,3 --cpu baseline --size 1000 --reps 6 --json").output().unwrap();
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    check(&serde_json::from_slice(&out.stdout).unwrap(), &["md5"], 2);
}
