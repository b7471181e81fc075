//! `hashmill sum --update`, killed or refused at each of its calls that change something: the list is the old or the
//! new one, never a mixture, and the next run finishes the work. It is here because the tracer is.

use crate::attack::trace::{Strike, each, traced_command};
use hashmill_testing::{hashmill, run, stdout, text};
use std::fs;
use std::path::Path;

const EIO: i32 = 5;
const ENOSPC: i32 = 28;

/// A folder, a list of what was in it, and what has happened since.
fn ground(form: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    fs::create_dir(d.join("t")).unwrap();
    for i in 0..20 {
        fs::write(d.join(format!("t/{i:02}")), format!("content {i}")).unwrap();
    }
    stdout(&hashmill(d, &["sum", "--update", "list", "--format", form, "t"]));
    fs::write(d.join("t/new"), "new").unwrap();
    fs::write(d.join("t/05"), "another content").unwrap();
    fs::rename(d.join("t/06"), d.join("t/moved")).unwrap();
    dir
}

fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_default()
}

#[test]
fn a_list_is_old_or_new_at_every_call() {
    for form in ["gnu", "json"] {
        let ground = ground(form);
        let copy = || {
            let dir = tempfile::tempdir().unwrap();
            let from = format!("{}/.", ground.path().display());
            assert!(run(dir.path(), "cp", &["-a", &from, "."], b"").status.success());
            dir
        };
        let command = ["sum", "--update", "list", "--verify", "t"];
        let old = read(&ground.path().join("list"));
        let finished = copy();
        let counted = traced_command(finished.path(), &Strike::new("count", 0, "mutating"), &command);
        let new = read(&finished.path().join("list"));
        assert!(counted.status == 0 && new != old && !new.is_empty(), "{}", counted.stderr);
        let calls = counted.counts["set"];
        assert!((6..60).contains(&calls), "{calls}");
        let mut tries = Vec::new();
        for nth in 1..=calls {
            tries.extend([("before", 0), ("after", 0), ("fail", EIO), ("fail", ENOSPC)].map(|how| (nth, how)));
        }
        each(&tries, |&(nth, (mode, errno))| {
            let dir = copy();
            let d = dir.path();
            let strike = Strike { errno, ..Strike::new(mode, nth, "mutating") };
            let struck = traced_command(d, &strike, &command);
            let said = format!("{form} {mode} {nth} {errno}: {:?} {} {}", struck.struck, struck.status, struck.stderr);
            let list = read(&d.join("list"));
            assert!(list == old || list == new, "{said}");
            if mode == "fail" {
                assert!([0, 1].contains(&struck.status) && (struck.status == 1 || list == new), "{said}");
                assert!(struck.status == 0 || struck.stderr.starts_with("hashmill: "), "{said}");
            } else {
                assert!(struck.struck.is_none() || struck.status == 128 + 9, "{said}");
            }
            let next = hashmill(d, &["sum", "--update", "list", "--resume", "t"]);
            assert_eq!(next.status.code(), Some(0), "{said}: {}", text(&next.stderr));
            assert_eq!(read(&d.join("list")), new, "{said}");
            let audit = hashmill(d, &["audit", "list"]);
            assert_eq!(audit.status.code(), Some(0), "{said}: {}", text(&audit.stdout));
            let again = hashmill(d, &["sum", "--update", "list", "t"]);
            assert!(text(&again.stdout).contains(" 0 B read"), "{said}: {}", text(&again.stdout));
            assert!(!d.join("list.unfinished.json").exists(), "{said}");
        });
    }
}
