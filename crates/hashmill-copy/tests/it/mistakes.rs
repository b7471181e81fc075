//! Arguments that make no sense: one line, and nothing is made.

use crate::support::running::{copy, copy_ok, files, names};
use crate::support::trees::{dated, sources};
use hashmill_testing::{executable, run, text};
use std::fs;

#[test]
fn bad_input_gets_a_line() {
    let dir = tempfile::tempdir().unwrap();
    let at = |p: &str| dir.path().join(p);
    fs::create_dir(at("src")).unwrap();
    fs::write(at("src/file"), "x").unwrap();
    let line = |args: &[&str], code: i32, words: &str| {
        let o = copy(dir.path(), args);
        let said = text(&o.stderr);
        assert_eq!(o.status.code(), Some(code), "{args:?}: {said}");
        assert!(said.contains(words) && said.lines().count() == 1, "{args:?}: {said}");
    };
    line(&["src"], 2, "2 values required");
    line(&["--layout", "{yaer}/{name}", "src", "dst"], 2, "there is no field {yaer}");
    line(&["--layout", "../{name}", "src", "dst"], 2, "below the destination");
    line(&["-a", "sha257", "src", "dst"], 2, "sha257");
    line(&["--memory", "12Q", "src", "dst"], 2, "12Q");
    line(&["src/file", "copy"], 2, "write copy/ to have it made");
    line(&["src", "src"], 4, "src: is the destination");
    line(&["src", "src/file"], 4, "src/file: is not a folder");
    line(&["missing", "dst"], 1, "missing: no such file or directory");
    line(&["src", "missing", "dst"], 1, "missing: no such file or directory");
    assert_eq!(fs::read_to_string(at("dst/file")).unwrap(), "x");
    // Temporary files that a killed run left in a source must not be copied.
    fs::write(at("src/.hashmill-0123456789abcdef-3.part"), "x").unwrap();
    copy_ok(dir.path(), &["src", "dst3"]);
    assert_eq!(names(&at("dst3")), ["file"]);
    fs::remove_file(at("src/.hashmill-0123456789abcdef-3.part")).unwrap();
    // A tree is not copied into itself.
    line(&["src", "src/inner"], 4, "src/inner: lies in src, which cannot be copied into itself");
    assert_eq!(names(&at("src")), ["file"]);
    // A named pipe must not block the copy.
    run(dir.path(), "mkfifo", &["src/pipe"], b"");
    let o = copy(dir.path(), &["src", "dst2"]);
    assert_eq!(o.status.code(), Some(0));
    assert!(text(&o.stderr).contains("src/pipe: skipped (named pipe)"));
}

/// If no source can be read, the destination must not be made.
#[test]
fn mistyped_sources_leave_nothing() {
    let dir = sources();
    let d = dir.path();
    for sources in [&["nosuch"][..], &["nosuch", "nor/this"]] {
        let mut args = sources.to_vec();
        args.push("new");
        let o = copy(d, &args);
        assert_eq!(
            (text(&o.stderr).as_str(), o.status.code()),
            ("hashmill: nosuch: no such file or directory\n", Some(1))
        );
        assert!(!d.join("new").exists());
    }
    // Sources that can be read are copied nevertheless.
    let o = copy(d, &["nosuch", "s", "new"]);
    assert_eq!(o.status.code(), Some(1));
    assert_eq!(files(&d.join("new")), files(&d.join("s")));
}

#[test]
fn a_tree_is_not_copied_into_itself() {
    let dir = sources();
    let d = dir.path();
    let before = files(&d.join("s"));
    std::os::unix::fs::symlink("s/sub", d.join("link")).unwrap();
    for to in ["s/sub", "s/new", "s/new/deep/", "link", "link/x", "./s/../s/sub", "s/sub/../sub/x"] {
        for more in [&[][..], &["-n"], &["--move"]] {
            let o = copy(d, &[more, &["s", to]].concat());
            assert_eq!(o.status.code(), Some(4), "{to}: {}", text(&o.stderr));
            assert!(text(&o.stderr).contains("lies in s, which cannot be copied into itself"), "{}", text(&o.stderr));
            assert_eq!(files(&d.join("s")), before, "{to}");
            assert!(!d.join("s/sub/.hashmill").exists());
        }
    }
    // If the current folder has been deleted, the copy must fail, not hang.
    let program = executable();
    let lost = format!("mkdir gone; cd gone; rmdir ../gone; timeout 10 {program} copy {} new", d.join("s").display());
    assert_eq!(run(d, "sh", &["-c", &lost], b"").status.code(), Some(4));
    // A folder beside the source is not inside it, even if its name begins with the source's.
    copy_ok(d, &["s/sub", "s2"]);
    copy_ok(d, &["s/sub", "s/sub2"]);
    // Photos can be imported from a tree into a folder of that tree, which is then not read as a source.
    fs::write(d.join("s/b.jpg"), dated("2024:05:31 14:25:07")).unwrap();
    copy_ok(d, &["--photos", "--layout", "{year}/{name}", "s", "s/sorted"]);
    assert!(d.join("s/sorted/2024/b.jpg").exists());
    let again = copy_ok(d, &["--photos", "--layout", "{year}/{name}", "s", "s/sorted"]);
    assert!(again.starts_with("0 files copied"), "{again}");
}
