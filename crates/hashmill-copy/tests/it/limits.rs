//! Few threads, few file descriptors, many files of one length.

use crate::support::injected::{EAGAIN, EIO, PATIENCE, copying, done, faulty, said, within};
use crate::support::running::{files, temporaries};
use crate::support::trees::{assert_sound, contents, some_files, write};
use hashmill_measure::bare;
use hashmill_testing::{executable, noise, text};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// `--dedupe` must not compare every file with every other one of its length.
#[test]
fn dedupe_is_quick_with_many_files_of_one_length() {
    for n in [400u64, 1000] {
        let dir = tempfile::tempdir().unwrap();
        for i in 0..n {
            // Every content in `s` occurs twice.
            write(dir.path(), &format!("s/f{i}"), noise(32, 7 + i % (n / 2)));
            write(dir.path(), &format!("t/g{i}"), noise(32, 7 + i % n));
        }
        assert_eq!(contents(&dir.path().join("s")).len() as u64, n / 2);
        for (from, there) in [("s", n / 2), ("t", n), ("s", n), ("t", n)] {
            let o = within(10, &mut copying(dir.path(), &["--dedupe", from, "d"]));
            assert!(o.status.success(), "{}", said(&o));
            let (all, once) = (files(&dir.path().join("d")).len(), contents(&dir.path().join("d")).len());
            assert_eq!((all as u64, once as u64), (there, there), "{from}: {}", said(&o));
        }
        assert!(contents(&dir.path().join("d")).is_superset(&contents(&dir.path().join("s"))));
    }
}

/// If a thread cannot be created, the run ends with an error; no other thread waits for it.
#[test]
fn too_few_threads_are_an_error_and_no_hang() {
    for allowed in 0..=12 {
        for options in ["", "--move -j4", "--by-date", "--verify source -a md5,sha256"] {
            let dir = tempfile::tempdir().unwrap();
            let before = some_files(dir.path(), 20);
            let rules = format!("thread,,{allowed},-1,e{EAGAIN}");
            let layout = options.contains("by-date");
            let args: Vec<&str> = options.split_whitespace().chain(["s", "d"]).collect();
            let o = within(PATIENCE, &mut faulty(&rules, "", &copying(dir.path(), &args)));
            let what = format!("{allowed} threads, {options}: {}", said(&o));
            assert!(!text(&o.stderr).contains("panicked at") && o.status.code() != Some(101), "{what}");
            assert!(o.status.success() || text(&o.stderr).contains("hashmill: "), "{what}");
            if !layout {
                assert_sound(dir.path(), &before, &what);
            }
            done(dir.path(), &args);
            let all: BTreeSet<Vec<u8>> = before.values().filter(|c| *c != b"folder").cloned().collect();
            assert_eq!(contents(&dir.path().join("d")), all, "{what}");
            assert_eq!(temporaries(&dir.path().join("d")), 0, "{what}");
        }
    }
}

/// The same for `sum`, with many files and with a long one.
#[test]
fn too_few_threads_for_sums_are_an_error_and_no_hang() {
    let dir = tempfile::tempdir().unwrap();
    for i in 0..24 {
        write(dir.path(), &format!("many/f{i}"), noise(300_000, i));
    }
    write(dir.path(), "long", noise(8 << 20, 1));
    for what in ["many", "long"] {
        let mut sum = bare::command(executable());
        sum.args(["sum", "-j16", "-a", "md5,sha256", "-r", what]).current_dir(dir.path());
        let right = within(PATIENCE, &mut sum);
        assert!(right.status.success(), "{}", said(&right));
        for allowed in [0, 1, 2, 5, 14, 15] {
            let o = within(PATIENCE, &mut faulty(&format!("thread,,{allowed},-1,e{EAGAIN}"), "", &sum));
            let what = format!("{what}, {allowed} threads: {}", text(&o.stderr));
            assert!(!text(&o.stderr).contains("panicked at") && o.status.code() != Some(101), "{what}");
            assert!(if o.status.success() { o.stdout == right.stdout } else { !o.stderr.is_empty() }, "{what}");
        }
    }
}

/// A folder that cannot be closed, listed or synced is an error, not a panic.
#[test]
fn folders_that_cannot_be_closed_or_listed_are_no_panic() {
    for call in ["closedir", "list", "syncdir"] {
        for (at, options) in
            [("/d", ""), ("/s", ""), ("/d", "--move"), ("/s", "--move"), ("/d/.hashmill", ""), ("/sub", "")]
        {
            let dir = tempfile::tempdir().unwrap();
            let before = some_files(dir.path(), 12);
            // DEST has a folder and a journal that the run has to examine.
            write(dir.path(), "d/sub/f0", &before[Path::new("sub/f0")]);
            write(dir.path(), "d/.hashmill/journal-0123456789abcdef", "");
            let args: Vec<&str> = options.split_whitespace().chain(["s", "d"]).collect();
            let rules = format!("{call},{at},0,-1,e{EIO}");
            let o = within(PATIENCE, &mut faulty(&rules, "", &copying(dir.path(), &args)));
            let what = format!("{rules} {options}: {}", said(&o));
            assert!(!text(&o.stderr).contains("panicked at") && o.status.code() != Some(101), "{what}");
            assert_sound(dir.path(), &before, &what);
            if call == "list" && at != "/d/.hashmill" && at != "/d" {
                assert!(!o.status.success() && !o.stderr.is_empty(), "{what}");
            }
            done(dir.path(), &args);
            assert_sound(dir.path(), &before, &what);
            assert_eq!(contents(&dir.path().join("d")).len(), 12, "{what}");
        }
    }
}

/// 1024 file descriptors must suffice for 3000 files.
#[test]
fn few_descriptors_are_enough() {
    let dir = tempfile::tempdir().unwrap();
    for i in 0..3000 {
        let name = format!("{}/f{i}", i % 50);
        write(dir.path(), &format!("s/{name}"), format!("{i:05}"));
        if i < 800 {
            write(dir.path(), &format!("few/{name}"), format!("{i:05}"));
        }
    }
    for (limit, from, n, options) in [
        (1024, "s", 3000, "-a md5 -j8"),
        (128, "few", 800, "-a md5 -j8 --verify source"),
        (64, "few", 800, "-a md5 -j8"),
        (64, "few", 800, "--dedupe -j8 --manifest L"),
    ] {
        let _ = fs::remove_dir_all(dir.path().join("d"));
        // The second run reads the files in DEST.
        for (more, count) in [("", format!("{n} files copied")), ("--fresh", format!("{n} there already"))] {
            let script = format!("ulimit -n {limit}; exec \"$0\" copy {more} {options} {from} d");
            let mut sh = bare::command("sh");
            sh.args(["-c", &script, executable()]).current_dir(dir.path());
            let o = within(60, &mut sh);
            let last: Vec<String> = text(&o.stderr).lines().rev().take(3).map(String::from).collect();
            let what = format!("{limit} {options} {more}: {:?}: {} {last:?}", o.status.code(), text(&o.stdout));
            assert!(o.status.success() && text(&o.stdout).contains(&count), "{what}");
            assert!(files(&dir.path().join("d")) == files(&dir.path().join(from)), "{what}");
        }
    }
}
