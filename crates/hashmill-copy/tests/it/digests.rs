//! Digests so short that different files have the same.

use crate::support::injected::{PATIENCE, copying, done, faulty, said, within};
use crate::support::running::files;
use crate::support::trees::{contents, folder, has, write};
use hashmill_testing::{executable, run, stdout};
use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// Hashes whose names are sound but whose digests are not: eight bits, or a single round.
const SHORT: [&str; 5] = ["blake2b-8", "blake3:1", "shake128:1", "skein512-8", "cubehash1+1/128+1-8"];

/// Returns two texts of one length with the same digest if such a pair is among some hundred texts, else any two.
fn colliding(algorithm: &str) -> (String, String) {
    if algorithm == "crc32" {
        return ("plumless".into(), "buckeroo".into());
    }
    let dir = tempfile::tempdir().unwrap();
    let texts: Vec<String> = (0..300).map(|i| format!("{i:04}")).collect();
    for t in &texts {
        fs::write(dir.path().join(t), t).unwrap();
    }
    let args: Vec<&str> =
        ["sum", "--untagged", "-a", algorithm].into_iter().chain(texts.iter().map(String::as_str)).collect();
    let lines = stdout(&run(dir.path(), executable(), &args, b""));
    let mut seen = HashMap::new();
    for line in lines.lines() {
        let (digest, name) = line.split_once("  ").unwrap();
        if let Some(before) = seen.insert(digest, name) {
            return (before.into(), name.into());
        }
    }
    assert!(!SHORT.contains(&algorithm), "300 texts cannot have 300 digests of 8 bits");
    (texts[0].clone(), texts[1].clone())
}

/// Different files with the same 8-bit digest are not the same file: with `--move`, the only copy would be deleted.
#[test]
fn nothing_is_taken_for_the_same_because_of_a_short_digest() {
    for algorithm in SHORT.into_iter().chain(["crc32", "xxh64", "sha224", "crc32,blake2b-8"]) {
        let (one, two) = colliding(algorithm.rsplit(',').next().unwrap());
        let both = |at: &Path| has(at, &one) && has(at, &two);
        for options in
            ["", "--move", "--dedupe", "--dedupe --move", "--verify source --move", "--on-conflict repair --move"]
        {
            let args: Vec<&str> = ["-a", algorithm].into_iter().chain(options.split_whitespace()).collect();
            let args = [&args[..], &["s", "d"]].concat();
            // The other text is in DEST under the same name.
            let dir = folder(&[("s/f", &one), ("d/f", &two)]);
            let said = done(dir.path(), &args);
            let replaced = options.contains("repair");
            let right = if replaced { has(&dir.path().join("d"), &one) } else { both(&dir.path().join("d")) };
            assert!(right, "{args:?}: {:?}: {said}", files(&dir.path().join("d")));
            // The same, with the digest of the file in DEST taken from the catalogue.
            let dir = folder(&[("s/f", &two)]);
            done(dir.path(), &["-a", algorithm, "s", "d"]);
            write(dir.path(), "s/f", &one);
            let said = done(dir.path(), &args);
            let right = if replaced { has(&dir.path().join("d"), &one) } else { both(&dir.path().join("d")) };
            assert!(right, "{args:?}, catalogue: {:?}: {said}", files(&dir.path().join("d")));
            // The other text has another name: first in DEST already, then in the same run.
            let dir = folder(&[("s/f", &one), ("d/other", &two)]);
            let said = done(dir.path(), &args);
            assert!(both(&dir.path().join("d")), "{args:?}, other name: {said}");
            let dir = folder(&[("s/f", &one), ("s/g", &two)]);
            let said = done(dir.path(), &args);
            assert!(both(&dir.path().join("d")), "{args:?}, two: {said}");
        }
        // The layout gives both texts the same name.
        let dir = folder(&[("s/a/f", &one), ("s/b/f", &two)]);
        done(dir.path(), &["-a", algorithm, "--move", "--layout", "{name}", "s", "d"]);
        assert!(both(&dir.path().join("d")), "{algorithm}: {:?}", files(&dir.path().join("d")));
    }
}

/// With short digests, `--dedupe` must keep all of 40 different files of 4 bytes.
#[test]
fn forty_different_files_are_no_duplicates() {
    for algorithm in SHORT {
        let dir = tempfile::tempdir().unwrap();
        for i in 0..40 {
            write(dir.path(), &format!("s/{i}"), format!("{i:04}"));
        }
        let said = done(dir.path(), &["-a", algorithm, "--dedupe", "s", "d"]);
        assert_eq!(contents(&dir.path().join("d")).len(), 40, "{algorithm}: {said}");
    }
}

/// A damaged copy must fail verification even if its short digest happens to be right.
#[test]
fn a_wrong_copy_does_not_pass_with_the_right_short_digest() {
    // A text whose digest stays the same when one bit of its first byte changes.
    let dir = tempfile::tempdir().unwrap();
    let texts: Vec<String> = (0..256).map(|i| format!("0{i:04}")).collect();
    let flipped = |t: &str| format!("4{}", &t[1..]);
    let all: Vec<String> = texts.iter().cloned().chain(texts.iter().map(|t| flipped(t))).collect();
    for t in &all {
        fs::write(dir.path().join(t), t).unwrap();
    }
    let args: Vec<&str> =
        ["sum", "--untagged", "-a", "blake2b-8"].into_iter().chain(all.iter().map(String::as_str)).collect();
    let lines = stdout(&run(dir.path(), executable(), &args, b""));
    let digests: HashMap<&str, &str> =
        lines.lines().map(|l| l.split_once("  ").unwrap()).map(|(digest, name)| (name, digest)).collect();
    let lucky = texts.iter().find(|t| digests[t.as_str()] == digests[flipped(t).as_str()]).unwrap();

    for options in ["", "--move", "--verify source"] {
        let dir = folder(&[("s/f", lucky)]);
        // When something in DEST is synced, every copy that is still right is changed behind the program's back.
        let then = format!(
            "for f in $(grep -rlFx {lucky} d); do printf 4 | dd of=$f conv=notrunc 2>/dev/null; touch struck; done"
        );
        let args: Vec<&str> = options.split_whitespace().chain(["-a", "blake2b-8", "s", "d"]).collect();
        let o = within(PATIENCE, &mut faulty("fsync,/d/,0,-1,run", &then, &copying(dir.path(), &args)));
        assert!(dir.path().join("struck").exists(), "{options}: the fault did not strike: {}", said(&o));
        assert!(!has(&dir.path().join("d"), &flipped(lucky)), "{options}: {}", said(&o));
        assert!(!o.status.success() && has(&dir.path().join("s"), lucky), "{options}: {}", said(&o));
    }
}
