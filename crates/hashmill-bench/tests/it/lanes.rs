//! Tests `hashmill bench lanes` as a whole: a short run gives plausible numbers and names the kernel and the peer.

use hashmill_measure::bare;
use hashmill_testing::executable;
use std::process::Command;

fn command(args: &str) -> Command {
    let mut command = bare::command(executable());
    command.args(["bench", "lanes"]).args(args.split_whitespace());
    command
}

fn lanes(args: &str) -> (Option<i32>, String, String) {
    ran(&mut command(args))
}

fn ran(command: &mut Command) -> (Option<i32>, String, String) {
    let out = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (out.status.code(), text(out.stdout), text(out.stderr))
}

#[test]
fn a_short_run() {
    let (status, stdout, stderr) = lanes("--messages 64 --size 1000 --reps 10 --json md2");
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
    let (status, stdout, stderr) = lanes("--messages 4 --size 1000 --reps 6 --single --kernel portable md2");
    assert_eq!(status, Some(0), "{stderr}");
    let row: Vec<&str> = stdout.lines().nth(2).unwrap().split_whitespace().collect();
    assert_eq!((row[0], row[6]), ("md2", "portable"), "{stdout}");
}

#[test]
fn through_one_buffer() {
    let (status, stdout, stderr) = lanes("--messages 1k --size 20 --into --reps 6 --json --peer rustcrypto md5");
    assert_eq!(status, Some(0), "{stderr}");
    let v: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(v["details"]["into"].as_bool(), Some(true));
    assert_eq!((v["details"]["bytes"].as_u64(), v["details"]["messages"].as_u64()), (Some(20_480), Some(1024)));
    assert_eq!(v["details"]["results"][0]["algorithm"].as_str(), Some("md5"));
}

#[test]
fn lengths_that_differ() {
    let (status, stdout, stderr) = lanes("--messages 100 --spread 1-20k --reps 6 --json md5");
    assert_eq!(status, Some(0), "{stderr}");
    let v: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    let d = &v["details"];
    // The mean of lengths with this distribution is (max - min) / ln(max / min).
    let mean = d["bytes"].as_f64().unwrap() / 100.0;
    assert!((1000.0..4000.0).contains(&mean), "{mean}");
    let peer = d["results"][0]["peer"].as_str().unwrap();
    assert_eq!(peer, format!("hashmill, all of {} bytes", mean as u64));
    for (args, what) in [
        ("--spread 5 md5", "two lengths"),
        ("--spread 9-5 md5", "the greater one"),
        ("--spread 1-5 --single md5", "does not go with"),
        ("--messages 0 md5", "from 1 to 16M"),
    ] {
        let (status, _, stderr) = lanes(args);
        assert!(status == Some(2) && stderr.contains(what), "{args}: {stderr}");
    }
}

/// Returns the peers in the results of a run with `--json`: kind and version.
fn peers(out: (Option<i32>, String, String)) -> Vec<(String, String)> {
    assert_eq!(out.0, Some(0), "{}", out.2);
    let v: serde_json::Value = serde_json::from_str(&out.1).unwrap();
    let text = |v: &serde_json::Value| v.as_str().unwrap().to_string();
    let series = v["series"].as_array().unwrap();
    let lines = v["details"]["results"].as_array().unwrap();
    assert_eq!(series.len(), 2 * lines.len());
    lines
        .iter()
        .zip(series.chunks(2))
        .map(|(line, pair)| {
            assert_eq!((&line["by"], &line["peer"]), (&pair[1]["by"], &pair[1]["version"]));
            (text(&line["by"]), text(&line["peer"]))
        })
        .collect()
}

#[test]
fn the_peers_that_are_wanted() {
    let short = "--messages 4 --size 500 --reps 6 --json";
    let found = peers(lanes(&format!("{short} --peer rustcrypto,crates md5 crc32 blake2b-512 --single")));
    assert!(found[0].0 == "rustcrypto" && found[0].1.starts_with("RustCrypto md-5 "), "{found:?}");
    assert!(found[1].0 == "crates" && found[1].1.starts_with("crc"), "{found:?}");
    // Two peers have this algorithm; which of them is faster depends on the machine.
    assert!(["rustcrypto", "crates"].contains(&&*found[2].0), "{found:?}");
    assert_eq!(lanes("--peer nonesuch md5").0, Some(2));
}

#[test]
fn php_where_no_other_has_it() {
    let short = "--messages 4 --size 500 --reps 6 --json";
    if let Err(e) = hashmill_peers::peer::open(hashmill_peers::peer::PeerKind::Php) {
        assert!(std::env::var_os("HASHMILL_TEST_REQUIRE_PEERS").is_none(), "{e}");
        println!("skipped: {e}");
        let (status, _, stderr) = lanes(&format!("{short} haval256-5"));
        assert_eq!(status, Some(1));
        assert!(stderr.contains("no php to compare with: "), "{stderr}");
        return;
    }
    let found = peers(lanes(&format!("{short} haval256-5 md2")));
    assert!(found[0].0 == "php" && found[0].1.starts_with("PHP "), "{found:?}");
    assert_eq!(found[1].0, "rustcrypto");
    assert_eq!(peers(lanes(&format!("{short} --single --peer php md2")))[0].0, "php");
}

#[test]
fn a_second_libcrypto() {
    // The system's own libcrypto serves as the second.
    let mut with = command("--messages 4 --size 500 --reps 6 --json --peer openssl2 md5");
    let out = ran(with.env("HASHMILL_LIBCRYPTO2", "libcrypto.so.3"));
    if out.0 == Some(0) {
        let found = peers(out);
        assert!(found[0].0 == "openssl2" && found[0].1.starts_with("OpenSSL 3."), "{found:?}");
    } else {
        assert!(std::env::var_os("HASHMILL_TEST_REQUIRE_PEERS").is_none(), "{}", out.2);
        println!("skipped: {}", out.2);
    }
    let (status, _, stderr) = lanes("--reps 6 --peer openssl2 md5");
    assert_eq!(status, Some(1));
    assert!(stderr.contains("no openssl2 to compare with: HASHMILL_LIBCRYPTO2=PATH names"), "{stderr}");
}

#[test]
fn without_a_peer() {
    let (status, stdout, stderr) = lanes("--reps 6 crc3-gsm");
    let said: Vec<&str> = stderr.lines().filter(|l| !l.contains("warning") && !l.contains("to compare with")).collect();
    assert_eq!((status, stdout.as_str(), said.len()), (Some(1), "", 1), "{said:?}");
    assert!(said[0].contains("lanes: no peer has crc3-gsm: not "), "{said:?}");
    assert_eq!(lanes("nonesuch").0, Some(2));
}
