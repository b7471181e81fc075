//! `hashmill bag create` and `update`, killed or refused at each of their calls that change something: no file is lost,
//! no half bag passes for a whole one, and the next run finishes the work. It is here because the tracer is.

use crate::attack::trace::{Strike, each, traced_command};
use hashmill_testing::{hashmill, run, stdout, text};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const EIO: i32 = 5;
const ENOSPC: i32 = 28;

fn copy(from: &Path) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let from = format!("{}/.", from.display());
    assert!(run(dir.path(), "cp", &["-a", &from, "."], b"").status.success());
    dir
}

/// Returns every way to strike at a command's calls that change something.
fn tries(dir: &Path, command: &[&str]) -> Vec<Strike> {
    let counted = traced_command(dir, &Strike::new("count", 0, "mutating"), command);
    assert_eq!(counted.status, 0, "{}", counted.stderr);
    let calls = counted.counts["set"];
    assert!((6..120).contains(&calls), "{calls}");
    let how = [("before", 0), ("after", 0), ("fail", EIO), ("fail", ENOSPC)];
    (1..=calls)
        .flat_map(|nth| how.map(|(mode, errno)| Strike { errno, ..Strike::new(mode, nth, "mutating") }))
        .collect()
}

/// Returns the content of all files below a folder, without their folders.
fn contents(folder: &Path, all: &mut BTreeMap<Vec<u8>, String>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() {
            contents(&entry.path(), all);
        } else {
            all.insert(fs::read(entry.path()).unwrap(), entry.file_name().into_string().unwrap());
        }
    }
}

#[test]
fn a_folder_becomes_a_bag_or_is_finished() {
    let ground = tempfile::tempdir().unwrap();
    let b = ground.path().join("b");
    fs::create_dir_all(b.join("sub/data")).unwrap();
    fs::create_dir_all(b.join("data")).unwrap();
    fs::create_dir_all(b.join("empty")).unwrap();
    // Names that a bag has, too.
    for name in ["a", "sub/data/c", "data/d", "bagit.txt", "manifest-sha512.txt"] {
        fs::write(b.join(name), format!("content of {name}")).unwrap();
    }
    let mut before = BTreeMap::new();
    contents(&b, &mut before);
    // A folder with both of these is a bag.
    fs::rename(b.join("bagit.txt"), b.join("sub/bagit.txt")).unwrap();
    let command = ["bag", "create", "-a", "md5,sha512", "b"];
    let tries = tries(copy(ground.path()).path(), &command);
    each(&tries, |strike| {
        let dir = copy(ground.path());
        let d = dir.path();
        let struck = traced_command(d, strike, &command);
        let said = format!("{strike:?}: {:?} {} {}", struck.struck, struck.status, struck.stderr);
        let mut now = BTreeMap::new();
        contents(d, &mut now);
        assert!(before.iter().all(|(content, name)| now.get(content) == Some(name)), "{said}");
        let is_bag = |depth: &str| hashmill(d, &["bag", "check", depth, "b"]).status.code() == Some(0);
        if struck.status == 0 {
            assert!(is_bag("--quiet"), "{said}");
            return;
        }
        if strike.mode == "fail" {
            assert!(struck.status == 1 && struck.stderr.starts_with("hashmill: "), "{said}");
        }
        // A kill after the last call leaves a bag.
        if !is_bag("--quiet") {
            let next = hashmill(d, &command);
            assert_eq!(next.status.code(), Some(0), "{said}: {}", text(&next.stderr));
            assert!(is_bag("--quiet"), "{said}");
        }
        let names: Vec<_> = fs::read_dir(d.join("b/data")).unwrap().flatten().map(|e| e.file_name()).collect();
        assert_eq!(names.len(), 5, "{said}: {names:?}");
    });
}

#[test]
fn a_bag_is_told_to_be_half_updated() {
    let ground = tempfile::tempdir().unwrap();
    let b = ground.path().join("b");
    fs::create_dir(&b).unwrap();
    for i in 0..9 {
        fs::write(b.join(format!("{i}")), format!("content {i}")).unwrap();
    }
    stdout(&hashmill(ground.path(), &["bag", "create", "-a", "md5,sha512", "b"]));
    fs::write(b.join("data/new"), "new").unwrap();
    fs::write(b.join("data/5"), "another content").unwrap();
    fs::rename(b.join("data/6"), b.join("data/moved")).unwrap();
    fs::remove_file(b.join("data/7")).unwrap();
    let command = ["bag", "update", "--accept", "--prune", "b"];
    let tries = tries(copy(ground.path()).path(), &command);
    each(&tries, |strike| {
        let dir = copy(ground.path());
        let d = dir.path();
        let struck = traced_command(d, strike, &command);
        let said = format!("{strike:?}: {:?} {} {}", struck.struck, struck.status, struck.stderr);
        let is_bag = || hashmill(d, &["bag", "check", "b"]).status.code() == Some(0);
        assert!(struck.status != 0 || is_bag(), "{said}");
        let next = hashmill(d, &command);
        assert_eq!(next.status.code(), Some(0), "{said}: {}", text(&next.stderr));
        assert!(is_bag(), "{said}");
        let lines = fs::read_to_string(d.join("b/manifest-md5.txt")).unwrap();
        assert_eq!(lines.lines().count(), 9, "{said}");
    });
}
