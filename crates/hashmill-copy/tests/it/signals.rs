//! Ctrl-C, and signals that were ignored before the program started.

use crate::support::running::{copy_ok, files, names, temporaries};
use crate::support::trees::{preloaded, sources};
use hashmill_measure::bare;
use hashmill_testing::{executable, hashmill, noise, run, text};
use std::fs;

/// On Ctrl-C, the unfinished file is removed, finished files are in the list, and the same command copies the rest.
#[test]
fn interrupted() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    let library = preloaded(d, "signal.c");
    // Smaller files are synced together.
    const SIZE: usize = 1_100_000;
    fs::create_dir(d.join("s")).unwrap();
    for i in 0..40 {
        fs::write(d.join(format!("s/f{i:02}")), noise(SIZE, i)).unwrap();
    }
    for (signal, code, at) in [(2, 130, 1), (2, 130, 2), (15, 143, 9), (1, 129, 25), (2, 130, 40)] {
        // Tests that a shell runs in the background ignore Ctrl-C, and the copy would inherit that.
        let o = bare::command("env")
            .args(["--default-signal", executable(), "copy", "--manifest", "list", "s", "d"])
            .current_dir(d)
            .env("LD_PRELOAD", &library)
            .env("HASHMILL_TEST_AT", at.to_string())
            .env("HASHMILL_TEST_SIZE", SIZE.to_string())
            .env("HASHMILL_TEST_SIGNAL", signal.to_string())
            .output()
            .unwrap();
        assert_eq!(o.status.code(), Some(code), "at {at}: {}", text(&o.stderr));
        assert_eq!(text(&o.stderr), "hashmill: interrupted; run the same command again to finish\n");
        assert_eq!(temporaries(&d.join("d")), 0);
        // Files under their final names are complete and in the list. The file that was about to be synced is missing.
        let there = names(&d.join("d"));
        assert!(there.len() < 40, "at {at}");
        let listed = fs::read_to_string(d.join("list")).unwrap();
        assert_eq!(listed.lines().count(), there.len());
        if !there.is_empty() {
            let o = hashmill(&d.join("d"), &["check", "--quiet", "../list"]);
            assert!(o.status.success(), "{}", text(&o.stderr));
        }
        copy_ok(d, &["--manifest", "list", "s", "d"]);
        assert_eq!(files(&d.join("d")), files(&d.join("s")));
        assert_eq!(fs::read_to_string(d.join("list")).unwrap().lines().count(), 40);
        fs::remove_dir_all(d.join("d")).unwrap();
        fs::remove_file(d.join("list")).unwrap();
    }
}

/// Signals that are ignored at the start, as under `nohup`, must stay ignored.
#[test]
fn signals_that_are_ignored_stay_so() {
    let dir = sources();
    let d = dir.path();
    fs::write(d.join("s/big"), noise(64 << 20, 1)).unwrap();
    let program = executable();
    let o = run(d, "sh", &["-c", &format!("trap '' HUP; {program} copy s d & sleep 0.05; kill -HUP $!; wait $!")], b"");
    assert!(o.status.success(), "{}", text(&o.stderr));
    assert_eq!(files(&d.join("d")), files(&d.join("s")));
}
