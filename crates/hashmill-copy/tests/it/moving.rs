//! `--move`: sources are deleted when their copies have been verified.

use crate::support::running::{copy, copy_ok, files, names, summary};
use crate::support::trees::sources;
use hashmill_testing::noise;
use std::fs;

#[test]
fn moving_deletes_only_what_is_verified() {
    let dir = tempfile::tempdir().unwrap();
    let at = |p: &str| dir.path().join(p);
    fs::create_dir_all(at("src")).unwrap();
    fs::create_dir_all(at("dst")).unwrap();
    for name in ["new", "same", "other"] {
        fs::write(at("src").join(name), name).unwrap();
    }
    fs::write(at("dst/same"), "same").unwrap();
    fs::write(at("dst/other"), "OTHER").unwrap();
    let said = copy_ok(dir.path(), &["--move", "--on-conflict", "skip", "src", "dst"]);
    assert_eq!(names(&at("src")), ["other"]);
    assert!(said.contains("2 sources deleted") && said.contains("1 left alone"), "{said}");
    assert_eq!(fs::read_to_string(at("dst/new")).unwrap(), "new");
    // A source that is its own copy must not be deleted.
    fs::create_dir(at("dst/in")).unwrap();
    fs::write(at("dst/in/20240531_x.jpg"), "x").unwrap();
    for _ in 0..2 {
        copy_ok(dir.path(), &["--move", "--layout", "in/{name}", "dst/in", "dst"]);
        assert_eq!(fs::read_to_string(at("dst/in/20240531_x.jpg")).unwrap(), "x");
    }
    fs::hard_link(at("dst/in/20240531_x.jpg"), at("dst/linked.jpg")).unwrap();
    copy_ok(dir.path(), &["--move", "--layout", "{stem}.{ext}", "dst/in", "dst"]);
    assert!(!at("dst/in/20240531_x.jpg").exists() && at("dst/20240531_x.jpg").exists());
    for verify in ["none", "hash"] {
        assert_eq!(copy(dir.path(), &["--move", "--verify", verify, "src", "dst"]).status.code(), Some(2));
    }
    // Two sources of the same name and content, moved together: there is one copy, and both sources are deleted only
    // when it exists.
    for folder in ["x/1", "x/2"] {
        fs::create_dir_all(at(folder)).unwrap();
        fs::write(at(folder).join("twin.jpg"), noise(9000, 9)).unwrap();
    }
    fs::write(at("dst/twin.jpg"), noise(9000, 8)).unwrap();
    let said = copy_ok(dir.path(), &["--move", "--layout", "{name}", "x", "dst"]);
    assert!(said.contains("1 file copied") && said.contains("2 sources deleted"), "{said}");
    assert_eq!(fs::read(at("dst/twin-1.jpg")).unwrap(), noise(9000, 9));
    assert!(!at("dst/twin-2.jpg").exists() && names(&at("x/1")).is_empty() && names(&at("x/2")).is_empty());
}

/// `--move -n` says what would be deleted, and deletes nothing.
#[test]
fn a_move_can_be_rehearsed() {
    let dir = sources();
    let d = dir.path();
    copy_ok(d, &["s/a", "d/"]);
    let before = (files(&d.join("s")), files(&d.join("d")));
    let said = copy_ok(d, &["-n", "--move", "s", "d"]);
    assert!(said.contains("2 files would be copied") && said.contains("3 sources would be deleted"), "{said}");
    assert_eq!((files(&d.join("s")), files(&d.join("d"))), before);
    let last = summary(&copy(d, &["-n", "--move", "--json", "s", "d"]));
    assert_eq!((last["removed"].as_u64(), last["dry_run"].as_bool()), (Some(3), Some(true)));
    let said = copy_ok(d, &["--move", "s", "d"]);
    assert!(said.contains("3 sources deleted"), "{said}");
}

/// Every name of a file with several hard links must be moved, and deleted only when its copy exists.
#[test]
fn hard_links_are_moved() {
    let dir = sources();
    let d = dir.path();
    for i in 0..20 {
        fs::hard_link(d.join("s/a"), d.join(format!("s/link{i:02}"))).unwrap();
    }
    fs::hard_link(d.join("s/a"), d.join("s/sub/deep")).unwrap();
    let before = files(&d.join("s"));
    let said = copy_ok(d, &["--move", "s", "d"]);
    assert!(said.contains("24 files copied") && said.contains("24 sources deleted"), "{said}");
    assert_eq!(files(&d.join("d")), before);
}
