//! `hashmill mhl create`, killed or refused at each of its calls that change something: the history is the old or the
//! new one, or has a generation that the chain does not name yet, and the next run puts that right. It is here because
//! the tracer is.

use crate::attack::trace::{Strike, each, traced_command};
use hashmill_testing::{hashmill, run, stdout, text};
use std::fs;
use std::path::Path;

const EIO: i32 = 5;
const ENOSPC: i32 = 28;

/// A folder with a history, in which there is another; or without one.
fn ground(has_history: bool) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    fs::create_dir_all(d.join("t/sub")).unwrap();
    for name in ["t/a", "t/b", "t/sub/c"] {
        fs::write(d.join(name), name).unwrap();
    }
    if has_history {
        stdout(&hashmill(d, &["mhl", "create", "t/sub"]));
        stdout(&hashmill(d, &["mhl", "create", "t"]));
        fs::write(d.join("t/sub/new"), "new").unwrap();
    }
    dir
}

/// Returns the number of generations, and how many of them the chain names.
fn generations(folder: &Path) -> (usize, usize) {
    let names = fs::read_dir(folder.join("ascmhl")).into_iter().flatten().map(|e| e.unwrap().file_name());
    let count = names.filter(|name| name.as_encoded_bytes().ends_with(b".mhl")).count();
    let chain = fs::read_to_string(folder.join("ascmhl/ascmhl_chain.xml")).unwrap_or_default();
    (count, chain.matches("<path>").count())
}

#[test]
fn a_history_is_old_or_new_at_every_call() {
    for has_history in [false, true] {
        let ground = ground(has_history);
        let copy = || {
            let dir = tempfile::tempdir().unwrap();
            let from = format!("{}/.", ground.path().display());
            assert!(run(dir.path(), "cp", &["-a", &from, "."], b"").status.success());
            dir
        };
        let command = ["mhl", "create", "t"];
        let finished = copy();
        let counted = traced_command(finished.path(), &Strike::new("count", 0, "mutating"), &command);
        assert_eq!(counted.status, 0, "{}", counted.stderr);
        let calls = counted.counts["set"];
        assert!((6..90).contains(&calls), "{calls}");
        let mut tries = Vec::new();
        for nth in 1..=calls {
            tries.extend([("before", 0), ("after", 0), ("fail", EIO), ("fail", ENOSPC)].map(|how| (nth, how)));
        }
        let before = usize::from(has_history);
        each(&tries, |&(nth, (mode, errno))| {
            let dir = copy();
            let d = dir.path();
            let strike = Strike { errno, ..Strike::new(mode, nth, "mutating") };
            let struck = traced_command(d, &strike, &command);
            let said =
                format!("{has_history} {mode} {nth} {errno}: {:?} {} {}", struck.struck, struck.status, struck.stderr);
            let (written, linked) = generations(&d.join("t"));
            assert!((before..=before + 1).contains(&linked) && (linked..=linked + 1).contains(&written), "{said}");
            if mode == "fail" {
                assert!([0, 1].contains(&struck.status) && (struck.status == 1 || linked == before + 1), "{said}");
                assert!(struck.status == 0 || struck.stderr.starts_with("hashmill: "), "{said}");
            } else {
                assert!(struck.struck.is_none() || struck.status == 128 + 9, "{said}");
            }
            // What there is of the history is whole.
            if written > 0 {
                let o = hashmill(d, &["mhl", "check", "-n", "--exit-bits", "t"]);
                let bits = o.status.code();
                assert!(bits == Some(0) || bits == Some(32), "{said}: {}{}", text(&o.stdout), text(&o.stderr));
            }
            let next = hashmill(d, &command);
            assert_eq!(next.status.code(), Some(0), "{said}: {}", text(&next.stderr));
            assert_eq!(generations(&d.join("t")), (written + 1, written + 1), "{said}");
            let o = hashmill(d, &["mhl", "check", "t"]);
            assert_eq!((o.status.code(), text(&o.stderr)), (Some(0), String::new()), "{said}: {}", text(&o.stdout));
            for folder in ["t", "t/sub"] {
                let names = fs::read_dir(d.join(folder)).unwrap().map(|e| e.unwrap().file_name());
                let left: Vec<_> = names.filter(|n| n.as_encoded_bytes().starts_with(b".hashmill")).collect();
                assert!(left.is_empty() || folder == "t/sub", "{said}: {left:?}");
            }
        });
    }
}
