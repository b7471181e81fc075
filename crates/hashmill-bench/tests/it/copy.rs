//! `hashmill bench copy`: a short run against whatever programs are installed.

use hashmill_testing::{hashmill, text};

#[test]
fn a_short_run() {
    let dir = tempfile::tempdir().unwrap();
    let to = dir.path().to_str().unwrap();
    let out =
        hashmill(dir.path(), &["bench", "copy", "--files", "9", "--size", "300k", "--reps", "2", "--to", to, "--json"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let run: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!((run["details"]["files"].as_u64(), run["details"]["bytes"].as_u64()), (Some(9), Some(307_200)));
    let tables = run["details"]["tables"].as_array().unwrap();
    let programs = |t: usize| -> Vec<&str> {
        tables[t]["rows"].as_array().unwrap().iter().map(|r| r["program"].as_str().unwrap()).collect()
    };
    assert_eq!(programs(0)[..3], ["hashmill copy", "hashmill copy --verify hash", "hashmill copy --by-date"]);
    assert!(programs(0).contains(&"cp -a, sync, md5sum of both sides") && programs(0).contains(&"rsync -ac, sync"));
    assert_eq!(programs(1)[..2], ["hashmill copy", "hashmill copy --fresh"]);
    assert!(programs(1).contains(&"rsync -ac"));
    for row in tables.iter().flat_map(|t| t["rows"].as_array().unwrap()) {
        assert!(row["seconds"]["median"].as_f64().unwrap() > 0.0, "{row}");
    }
    // No files may be left behind.
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    // The records of copies to the folder are not counted.
    std::fs::create_dir_all(dir.path().join("photos/.hashmill")).unwrap();
    std::fs::write(dir.path().join("photos/.hashmill/catalogue.sqlite"), "records").unwrap();
    std::fs::write(dir.path().join("photos/1.jpg"), "photo").unwrap();
    let out = hashmill(dir.path(), &["bench", "copy", "photos", "--reps", "1", "--to", to, "--json"]);
    let run: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!((run["details"]["files"].as_u64(), run["details"]["bytes"].as_u64()), (Some(1), Some(5)));
    let out = hashmill(dir.path(), &["bench", "copy", "none"]);
    assert_eq!((out.status.code(), out.stdout.is_empty()), (Some(1), true));
    assert!(text(&out.stderr).contains("none: "), "{}", text(&out.stderr));
}

/// Messages name the path that was given, not a temporary one in it.
#[test]
fn paths_that_are_missing() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("file"), "").unwrap();
    for (args, says) in [
        (&["copy", "--to", "missing/dir"][..], "copy: missing/dir: no such file or directory\n"),
        (&["copy", "--to", "file"], "copy: file: not a directory\n"),
        (&["copy", "--hashmill", "missing"], "copy: missing: there is no such program: --hashmill names"),
        (&["lanes", "md5", "--svg", "missing/x.svg"], ": missing/x.svg: No such file or directory\n"),
        (&["lanes", "md5", "--svg", "missing/"], ": missing/: is a directory\n"),
        (&["lanes", "md5", "--save", "--db", "file/a/x.db"], "/file is not a folder: name another with --db FILE\n"),
    ] {
        let out = hashmill(dir.path(), &[&["bench"], args].concat());
        let said = text(&out.stderr);
        assert!(out.status.code() == Some(1) && said.contains(says) && !said.contains("at path"), "{args:?}: {said}");
    }
}
