//! `hashmill audit --repair`, killed or refused at each of its calls that change something: a damaged file is as it was
//! or repaired, what was damaged is never lost, and the next run finishes the work.

use crate::archive::rot;
use crate::attack::trace::{Strike, each, some, traced_command};
use crate::attack::tree::temporaries;
use hashmill_testing::{hashmill, run, text};
use std::fs;
use std::path::Path;

const EIO: i32 = 5;
const EPERM: i32 = 1;
const ENOSPC: i32 = 28;

const FILES: [&str; 3] = ["a", "b/c", "b/d"];

/// A folder that was copied, a second copy, and damage.
fn ground() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    fs::create_dir_all(d.join("src/b")).unwrap();
    for name in FILES {
        fs::write(d.join("src").join(name), format!("content of {name}\n").repeat(1000)).unwrap();
    }
    for to in ["dst", "backup"] {
        let o = hashmill(d, &["copy", "src", to]);
        assert!(o.status.success(), "{}", text(&o.stderr));
    }
    for name in ["a", "b/c"] {
        rot(&d.join("dst").join(name));
    }
    dir
}

/// Returns the contents that a file has under its name, and among the damaged ones.
fn states(d: &Path, name: &str) -> (Vec<u8>, Option<Vec<u8>>) {
    (fs::read(d.join("dst").join(name)).unwrap_or_default(), fs::read(d.join("dst/.hashmill/damaged").join(name)).ok())
}

#[test]
fn damaged_or_repaired_at_every_call() {
    let ground = ground();
    let copy = || {
        let dir = tempfile::tempdir().unwrap();
        let from = format!("{}/.", ground.path().display());
        assert!(run(dir.path(), "cp", &["-a", &from, "."], b"").status.success());
        dir
    };
    let command = ["audit", "--repair", "backup", "-j1", "dst"];
    let finished = copy();
    let counted = traced_command(finished.path(), &Strike::new("count", 0, "mutating"), &command);
    assert_eq!(counted.status, 1, "{}", counted.stderr);
    let calls = counted.counts["set"];
    assert!((20..120).contains(&calls), "{calls}");
    let contents: Vec<(Vec<u8>, Vec<u8>)> = FILES
        .iter()
        .map(|name| {
            (
                fs::read(ground.path().join("dst").join(name)).unwrap(),
                fs::read(ground.path().join("src").join(name)).unwrap(),
            )
        })
        .collect();
    let mut tries = Vec::new();
    for nth in some(calls, 25, 0) {
        tries.extend(
            [("before", 0), ("after", 0), ("fail", EIO), ("fail", ENOSPC), ("fail", EPERM)].map(|how| (nth, how)),
        );
    }
    each(&tries, |&(nth, (mode, errno))| {
        let dir = copy();
        let d = dir.path();
        let strike = Strike { errno, ..Strike::new(mode, nth, "mutating") };
        let struck = traced_command(d, &strike, &command);
        let said = format!("{mode} {nth} {errno}: {:?} {} {}", struck.struck, struck.status, struck.stderr);
        assert!([1, 128 + 9].contains(&struck.status), "{said}");
        let check = |said: &str| {
            for (name, (damaged, good)) in FILES.iter().zip(&contents) {
                let (now, aside) = states(d, name);
                let is_linked = aside.as_ref() == Some(damaged);
                let is_there = now == *damaged || now == *good;
                assert!(is_there, "{name}: {said}");
                assert!(now == *damaged || is_linked || damaged == good, "{name} was not kept: {said}");
            }
        };
        check(&said);
        let next = hashmill(d, &command);
        assert!([0, 1].contains(&next.status.code().unwrap()), "{said}: {}", text(&next.stderr));
        check(&said);
        let audit = hashmill(d, &["audit", "dst"]);
        assert_eq!(audit.status.code(), Some(0), "{said}: {}{}", text(&audit.stdout), text(&next.stderr));
        assert_eq!(temporaries(d), [""; 0], "{said}");
    });
}
