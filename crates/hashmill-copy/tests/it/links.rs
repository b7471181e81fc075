//! Symbolic links in the destination, and folders that are replaced by links during a run.

use crate::support::injected::{PATIENCE, attempt, copying, done, faulty, said, within};
use crate::support::running::{files, names};
use crate::support::trees::{contents, folder, has, mode, write};
use std::fs::{self, File, FileTimes, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

/// Creates a folder `d` in which a link `a` leads to a folder `v` outside, as a copy of a tree with such a link does.
fn with_a_link() -> TempDir {
    let dir = folder(&[("s2/a/f", "evil"), ("v/f", "precious")]);
    fs::set_permissions(dir.path().join("v"), Permissions::from_mode(0o700)).unwrap();
    fs::set_permissions(dir.path().join("s2/a"), Permissions::from_mode(0o777)).unwrap();
    fs::create_dir(dir.path().join("s1")).unwrap();
    symlink(dir.path().join("v"), dir.path().join("s1/a")).unwrap();
    done(dir.path(), &["s1", "d"]);
    assert!(dir.path().join("d/a").is_symlink());
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_234_567_890);
    File::open(dir.path().join("v")).unwrap().set_times(FileTimes::new().set_modified(long_ago)).unwrap();
    dir
}

/// Asserts that the folder outside is unchanged.
fn assert_untouched(dir: &Path, what: &str) {
    let v = dir.join("v");
    assert_eq!(names(&v), ["f"], "{what}");
    assert_eq!(fs::read(v.join("f")).unwrap(), b"precious", "{what}");
    assert_eq!(mode(&v), 0o700, "{what}");
    assert_eq!(v.metadata().unwrap().mtime(), 1_234_567_890, "{what}");
}

/// A link that a first run copied must not lead a second run out of DEST, where it would overwrite `v/f` and change the
/// mode of `v`.
#[test]
fn a_copied_link_does_not_lead_out_of_the_destination() {
    for options in [
        "",
        "--on-conflict repair",
        "--on-conflict skip",
        "--move",
        "--move --on-conflict repair",
        "--layout {folder}/{name}",
        "--layout {folder}/{name} --on-conflict repair --move",
        "--manifest d/L",
        "--dedupe",
        "--verify none",
        "--no-catalogue",
    ] {
        let dir = with_a_link();
        let args: Vec<&str> = options.split_whitespace().chain(["s2", "d"]).collect();
        let o = attempt(dir.path(), &args);
        assert_untouched(dir.path(), &format!("{options}: {}", said(&o)));
        let (from, to) = (has(&dir.path().join("s2"), "evil"), has(&dir.path().join("d"), "evil"));
        assert!(from || to, "{options}: lost: {}", said(&o));
        assert!(to || o.status.code() != Some(0) || options.contains("skip"), "{options}: not copied: {}", said(&o));
        assert!(o.status.success() || !o.stderr.is_empty());
        assert!(dir.path().join("d/a").is_symlink(), "{options}");
    }
}

/// The same file behind a link out of DEST does not count as already there: its source would be deleted.
#[test]
fn what_is_behind_a_link_is_not_there_already() {
    for options in ["", "--dedupe", "--no-catalogue"] {
        let dir = with_a_link();
        write(dir.path(), "s2/a/f", "precious");
        let args: Vec<&str> = options.split_whitespace().chain(["--move", "s2", "d"]).collect();
        let o = attempt(dir.path(), &args);
        assert_untouched(dir.path(), options);
        let (from, to) = (has(&dir.path().join("s2"), "precious"), has(&dir.path().join("d"), "precious"));
        assert!(from || to, "{options}: {}", said(&o));
    }
}

/// Links deeper in DEST, whether relative, to folders within DEST or dangling, do not count as folders either.
#[test]
fn no_link_below_the_destination_is_followed() {
    for (link, target) in [("d/x/a", "../../v"), ("d/x/a", "../b"), ("d/x", "b"), ("d/x/a", "nowhere")] {
        let dir = folder(&[("s/x/a/f", "new"), ("d/b/f", "precious"), ("d/b/a/f", "precious"), ("v/f", "precious")]);
        fs::create_dir_all(dir.path().join(link).parent().unwrap()).unwrap();
        symlink(target, dir.path().join(link)).unwrap();
        let before = (files(&dir.path().join("d/b")), files(&dir.path().join("v")));
        let o = attempt(dir.path(), &["--on-conflict", "repair", "s", "d"]);
        assert_eq!((files(&dir.path().join("d/b")), files(&dir.path().join("v"))), before, "{link} -> {target}");
        assert!(dir.path().join(link).is_symlink(), "{link} -> {target}");
        assert!(has(&dir.path().join("d"), "new") || o.status.code() != Some(0), "{link} -> {target}: {}", said(&o));
    }
}

/// The two kinds of links that a user may want to be followed.
#[test]
fn the_destination_may_be_a_link_and_links_in_it_are_followed_on_demand() {
    let dir = folder(&[("s/a/f", "new")]);
    fs::create_dir(dir.path().join("real")).unwrap();
    symlink("real", dir.path().join("d")).unwrap();
    let before = contents(&dir.path().join("s"));
    done(dir.path(), &["s", "d"]);
    assert_eq!(contents(&dir.path().join("real")), before);
    assert!(done(dir.path(), &["s", "d/"]).contains("1 there already"));

    let dir = with_a_link();
    done(dir.path(), &["--follow-dest", "s2", "d"]);
    assert_eq!(fs::read(dir.path().join("v/f")).unwrap(), b"precious");
    assert_eq!(fs::read(dir.path().join("v/f-1")).unwrap(), b"evil");
}

/// If a folder of the source is replaced by a link during the run, nothing behind the link is copied.
#[test]
fn a_source_folder_swapped_for_a_link_gives_nothing_from_outside() {
    for options in ["", "--move", "--verify source", "--layout {folder}/{name}"] {
        for (at, linked) in [("open,/s/a/f,0,1,run", "s/a"), ("open,/s/x/a/f,0,1,run", "s/x")] {
            let dir = folder(&[("s/a/f", "mine"), ("s/x/a/f", "mine"), ("o/f", "secret"), ("o/a/f", "secret")]);
            let then = format!("mv {linked} {linked}.old; ln -s $PWD/o {linked}");
            let args: Vec<&str> = options.split_whitespace().chain(["s", "d"]).collect();
            let o = within(PATIENCE, &mut faulty(at, &then, &copying(dir.path(), &args)));
            assert!(dir.path().join(linked).is_symlink(), "{at}: the fault did not strike");
            assert!(!has(&dir.path().join("d"), "secret"), "{options} {at}: {}", said(&o));
            assert_eq!(names(&dir.path().join("o")), ["a", "f"], "{options} {at}: {}", said(&o));
            assert!(has(&dir.path().join("s"), "mine") || has(&dir.path().join("d"), "mine"), "{options} {at}");
        }
    }
}

/// A source is deleted in the folder from which it was read, wherever its path leads by then.
#[test]
fn a_source_is_deleted_only_where_it_was_read() {
    let dir = folder(&[("s/a/f", "mine"), ("o/f", "secret")]);
    let then = "mv s/a s/a.old; ln -s $PWD/o s/a";
    let o = within(PATIENCE, &mut faulty("unlink,s/a/f,0,1,run", then, &copying(dir.path(), &["--move", "s", "d"])));
    assert_eq!(fs::read(dir.path().join("o/f")).unwrap_or_default(), b"secret", "{}", said(&o));
    assert!(has(&dir.path().join("d"), "mine"), "{}", said(&o));
}

/// If a folder of DEST is replaced by a link during the run, nothing is renamed, deleted or given a mode behind the
/// link.
#[test]
fn a_destination_folder_swapped_for_a_link_leads_nowhere() {
    let mut struck = 0;
    for when in ["fsync,/d/a/,0,1,run", "syncdir,/d/a,0,1,run", "rename,/d/a/,0,1,run", "open,/d/a/,1,1,run"] {
        for options in ["", "--on-conflict repair", "--move"] {
            let dir = with_a_link();
            fs::remove_file(dir.path().join("d/a")).unwrap();
            write(dir.path(), "d/a/f", "old");
            let then = "mv d/a d/a.old; ln -s $PWD/v d/a";
            let args: Vec<&str> = options.split_whitespace().chain(["s2", "d"]).collect();
            let o = within(PATIENCE, &mut faulty(when, then, &copying(dir.path(), &args)));
            struck += usize::from(dir.path().join("d/a").is_symlink());
            assert_untouched(dir.path(), &format!("{options} {when}: {}", said(&o)));
            let (from, to) = (has(&dir.path().join("s2"), "evil"), has(&dir.path().join("d"), "evil"));
            assert!(from || to, "{options} {when}: lost: {}", said(&o));
        }
    }
    assert!(struck > 3, "only {struck} faults struck");
}

/// The catalogue and journals are not written through a link with the name of their folder.
#[test]
fn nothing_is_kept_behind_a_link_called_hashmill() {
    for options in ["", "--no-catalogue", "--move"] {
        let dir = folder(&[("s/f", "content"), ("d/g", "other")]);
        fs::create_dir(dir.path().join("elsewhere")).unwrap();
        symlink(dir.path().join("elsewhere"), dir.path().join("d/.hashmill")).unwrap();
        let before = dir.path().join("elsewhere").metadata().unwrap().mtime_nsec();
        let args: Vec<&str> = options.split_whitespace().chain(["s", "d"]).collect();
        let o = attempt(dir.path(), &args);
        let elsewhere = dir.path().join("elsewhere");
        assert!(names(&elsewhere).is_empty() && elsewhere.metadata().unwrap().mtime_nsec() == before, "{options}");
        assert!(has(&dir.path().join("d"), "content") || o.status.code() != Some(0), "{options}: {}", said(&o));
        assert!(has(&dir.path().join("d"), "content") || has(&dir.path().join("s"), "content"), "{options}");
    }
    // A catalogue that is a link is not written through.
    let dir = folder(&[("s/f", "content"), ("important", "important")]);
    fs::create_dir_all(dir.path().join("d/.hashmill")).unwrap();
    symlink("../../important", dir.path().join("d/.hashmill/catalogue.sqlite")).unwrap();
    attempt(dir.path(), &["s", "d"]);
    assert_eq!(fs::read(dir.path().join("important")).unwrap(), b"important");
    let dir = folder(&[("s/f", "content")]);
    fs::create_dir_all(dir.path().join("d/.hashmill")).unwrap();
    symlink("../../important", dir.path().join("d/.hashmill/catalogue.sqlite")).unwrap();
    attempt(dir.path(), &["s", "d"]);
    assert!(!dir.path().join("important").exists());
}
