//! HASHMILL_KERNEL selects kernels, and every one of them gives the same digests.

use hashmill_measure::bare;
use hashmill_testing::executable;
use std::process::Output;

fn hashmill(kernel: &str, args: &[&str]) -> Output {
    let mut c = bare::command(executable());
    c.args(args).env("HASHMILL_KERNEL", kernel).current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors"));
    c.output().expect("the command runs")
}

/// Returns the names of all kernels that this machine can run.
fn runnable() -> Vec<String> {
    let out = hashmill("", &["list", "--json"]);
    let list: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
    let all = list.as_array().expect("a list").iter().flat_map(|a| a["kernels"].as_array().expect("kernels"));
    let usable = all.filter(|k| k["available"] == true).map(|k| k["name"].as_str().expect("a name").to_string());
    let mut names: Vec<String> = usable.collect();
    names.sort();
    names.dedup();
    names
}

#[test]
fn every_forced_kernel_gives_the_same_sums() {
    // Without md2: one lane of its wide kernels is slow on the larger files.
    let args = [
        "sum",
        "-r",
        "-a",
        "md5,sha1,sha224,sha256,sha384,sha512,sha3-256,shake128:99,blake2b,blake3,crc32,crc32c,xxh64,xxh3,xxh128",
        ".",
    ];
    let expect = hashmill("", &args);
    assert!(expect.status.success() && expect.stdout.len() > 1000);
    let names = runnable();
    assert!(names.iter().any(|n| n == "portable"));
    for name in names {
        let out = hashmill(&name, &args);
        assert!(out.status.success(), "{name}");
        assert!(out.stdout == expect.stdout, "{name} gives other sums");
    }
}

#[test]
fn the_preference_shows_in_the_list() {
    let out = hashmill("portable", &["list", "sha256"]);
    assert!(String::from_utf8_lossy(&out.stdout).contains("portable*"), "{out:?}");
    // In a list of preferences, a kernel that an algorithm lacks is passed over.
    let out = hashmill("bytewise,portable", &["list", "crc32", "sha256"]);
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(text.contains("bytewise*") && text.contains("portable*"), "{text}");
}

#[test]
fn a_kernel_known_nowhere_is_an_error() {
    let out = hashmill("avx1024x99", &["sum", "README.md"]);
    assert_eq!(out.status.code(), Some(2));
    let text = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(text.contains("unknown kernel 'avx1024x99'") && text.lines().count() == 1, "{text}");
    assert!(out.stdout.is_empty());
}
