//! `hashmill bench sum`: a short run against whatever programs are installed.

use hashmill_measure::bare;
use hashmill_testing::{executable, hashmill, stdout, text};

#[test]
fn a_short_run() {
    let dir = tempfile::tempdir().unwrap();
    let args = [
        "bench", "sum", "-a", "md5,sha256", "--files", "5", "--size", "100k", "--reps", "3", "--start-reps", "2",
        "--json",
    ];
    let out = hashmill(dir.path(), &args);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let run: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!((run["details"]["files"].as_u64(), run["details"]["bytes"].as_u64()), (Some(5), Some(102_400)));
    let tables = run["details"]["tables"].as_array().unwrap();
    // One table for each algorithm, one for md5, sha1 and sha256 together, and two for the program's start.
    assert_eq!(tables.len(), 5);
    for t in tables {
        let rows = t["rows"].as_array().unwrap();
        assert_eq!(rows[0]["program"], "hashmill sum");
        for r in rows {
            let (low, median) =
                (r["seconds"]["interval"][0].as_f64().unwrap(), r["seconds"]["median"].as_f64().unwrap());
            assert!(0.0 < low && low <= median, "{r}");
            assert!(r["peak_rss_bytes"].as_u64().is_none_or(|bytes| bytes > 100_000));
        }
    }
    // coreutils are installed everywhere.
    assert!(tables[0]["rows"].as_array().unwrap().iter().any(|r| r["program"] == "md5sum"));
}

/// The records of copies are left out, as `hashmill sum -r` does.
#[test]
fn records_are_left_out() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join("photos/.hashmill")).unwrap();
    std::fs::write(dir.path().join("photos/.hashmill/catalogue.sqlite"), "records").unwrap();
    std::fs::write(dir.path().join("photos/1.jpg"), "photo").unwrap();
    let out =
        hashmill(dir.path(), &["bench", "sum", "photos", "-a", "md5", "--reps", "1", "--start-reps", "0", "--json"]);
    let run: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!((run["details"]["files"].as_u64(), run["details"]["bytes"].as_u64()), (Some(1), Some(5)));
}

#[test]
fn bad_paths_are_named_and_the_rest_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a"), "x").unwrap();
    let args = ["bench", "sum", "a", "none", "-a", "md5", "--reps", "1", "--start-reps", "0"];
    let out = hashmill(dir.path(), &args);
    assert_eq!(out.status.code(), Some(1));
    let errors: Vec<String> = text(&out.stderr).lines().filter(|l| l.contains("none")).map(String::from).collect();
    assert_eq!(errors, ["hashmill: bench sum: none: no such file or directory"]);
    assert!(text(&out.stdout).contains("md5 of 1 file, 1 bytes"), "{}", text(&out.stdout));
    let out = hashmill(dir.path(), &["bench", "sum", "none"]);
    assert_eq!((out.status.code(), out.stdout.is_empty()), (Some(1), true));
}

/// Links to hashmill under the names of other programs are not measured in their place.
#[test]
fn links_are_not_the_originals() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("links")).unwrap();
    stdout(&hashmill(dir.path(), &["links", "links"]));
    let run = |path: &std::ffi::OsStr| {
        let args = [
            "bench", "sum", "-a", "md5", "--files", "2", "--size", "10k", "--reps", "2", "--start-reps", "0", "--json",
        ];
        let out = bare::command(executable()).args(args).env("PATH", path).output().unwrap();
        assert!(out.status.success(), "{}", text(&out.stderr));
        let run: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
        let rows = run["details"]["tables"][0]["rows"].as_array().unwrap().clone();
        (rows.into_iter().find(|r| r["program"] == "md5sum"), text(&out.stderr))
    };
    let links = dir.path().join("links");
    let all = std::env::var_os("PATH").unwrap();
    let both = std::env::join_paths(std::iter::once(links.clone()).chain(std::env::split_paths(&all))).unwrap();
    let row = run(&both).0.expect("the original of md5sum");
    assert!(!row["version"].as_str().unwrap().contains("hashmill"), "{row}");
    let (row, notes) = run(links.as_os_str());
    assert_eq!(row, None);
    let note = "hashmill: bench sum: md5sum in PATH is hashmill; the original was not found: not measured";
    assert!(notes.lines().any(|l| l == note), "{notes}");
}
