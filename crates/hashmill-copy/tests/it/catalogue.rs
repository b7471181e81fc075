//! Odd or damaged files in the place of the catalogue and the journals.

use crate::support::injected::{PATIENCE, attempt, copying, done, faulty, said, within};
use crate::support::running::{copy_ok, files, names, temporaries};
use crate::support::trees::{Mount, contents, folder, has, write};
use hashmill_testing::{executable, noise, run, stdout, text};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Whatever is in the place of `DEST/.hashmill` or of a journal (a dangling link, a pipe), the run must end.
#[test]
fn odd_things_in_place_of_the_catalogue_do_not_hang() {
    type Lay<'a> = &'a dyn Fn(&Path);
    let fifo = |path: PathBuf| mknodat(CWD, &path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    let inside = |d: &Path, name: &str| {
        fs::create_dir_all(d.join(".hashmill")).unwrap();
        fifo(d.join(".hashmill").join(name));
    };
    let odd: [(&str, bool, Lay); 9] = [
        ("a dangling link", false, &|d| symlink("nowhere/at/all", d.join(".hashmill")).unwrap()),
        ("a dangling link in a real folder", false, &|d| symlink("nowhere", d.join(".hashmill")).unwrap()),
        ("a link to itself", false, &|d| symlink(".hashmill", d.join(".hashmill")).unwrap()),
        ("a regular file", false, &|d| fs::write(d.join(".hashmill"), "mine").unwrap()),
        ("a pipe", false, &|d| fifo(d.join(".hashmill"))),
        ("a pipe journal-x", true, &|d| inside(d, "journal-x")),
        ("a pipe named as a journal", true, &|d| inside(d, "journal-0123456789abcdef")),
        ("a pipe as catalogue", true, &|d| inside(d, "catalogue.sqlite")),
        ("a journal that is a folder", true, &|d| {
            fs::create_dir_all(d.join(".hashmill/journal-0123456789abcdef")).unwrap()
        }),
    ];
    for (name, works, lay) in odd {
        for options in ["", "--no-catalogue", "-n"] {
            let dir = folder(&[("s/f", "content"), ("d/g", "other")]);
            lay(&dir.path().join("d"));
            // A temporary file of the run whose journal is a pipe.
            write(dir.path(), "d/.hashmill-0123456789abcdef-7.part", "left");
            let kind = |d: &Path| d.join("d/.hashmill").symlink_metadata().unwrap().file_type();
            let before = kind(dir.path());
            let args: Vec<&str> = options.split_whitespace().chain(["s", "d"]).collect();
            let o = within(10, &mut copying(dir.path(), &args));
            let what = format!("{name}, {options}: {}", said(&o));
            assert!(!text(&o.stderr).contains("panicked at"), "{what}");
            assert!(!works || o.status.code().unwrap() & !32 == 0, "{what}");
            assert!(works || o.status.success() || text(&o.stderr).lines().count() == 1, "{what}");
            assert!(options == "-n" || !o.status.success() || has(&dir.path().join("d"), "content"), "{what}");
            assert!(works || kind(dir.path()) == before, "{what}");
        }
    }
}

/// A run into a folder below another run's destination must not delete that run's temporary files.
#[test]
fn a_run_into_a_nested_destination_leaves_a_living_ones_files_alone() {
    let program = executable();
    for (to, other) in [("d", "d/x"), ("d/x", "d"), ("d", "m/x"), ("m/x", "d"), ("d", "link/x")] {
        let mut struck = false;
        for when in ["fsync,/x/,0,1,run", "fsync,/x/,1,1,run", "rename,/x/,0,1,run", "rename,/x/,1,1,run"] {
            let dir = folder(&[("b/x/other", "other"), ("b/other", "other")]);
            fs::create_dir_all(dir.path().join("d/x")).unwrap();
            symlink("d", dir.path().join("link")).unwrap();
            let mount = to.starts_with('m') || other.starts_with('m');
            let mounted = if mount { Mount::new(dir.path(), &["--bind", "d"], "m") } else { None };
            if mount && mounted.is_none() {
                // Without the mount, this fault cannot occur.
                struck = true;
                continue;
            }
            for i in 0..4 {
                let below = if to.ends_with('x') { "" } else { "x/" };
                write(dir.path(), &format!("a/{below}f{i}"), noise(5000, i));
            }
            let then = format!("'{program}' copy b {other} >out 2>&1 && touch ran");
            let o = within(PATIENCE, &mut faulty(when, &then, &copying(dir.path(), &["-j1", "a", to])));
            let what = format!("{to} and {other}, {when}: {}", said(&o));
            struck |= dir.path().join("ran").exists();
            assert!(o.status.success() && o.stderr.is_empty(), "{what}");
            assert!(contents(&dir.path().join("d")).is_superset(&contents(&dir.path().join("a"))), "{what}");
            assert_eq!(temporaries(&dir.path().join("d")), 0, "{what}");
        }
        assert!(struck, "{to} and {other}: no fault struck");
    }
}

/// If a page of the catalogue is damaged, the next run rebuilds the catalogue instead of failing every time.
#[test]
fn a_damaged_catalogue_is_rebuilt() {
    let dir = tempfile::tempdir().unwrap();
    for i in 0..1500 {
        write(dir.path(), &format!("s/a file with a name of some length {i}"), format!("{i:05}"));
    }
    copy_ok(dir.path(), &["s", "d"]);
    let catalogue = dir.path().join("d/.hashmill/catalogue.sqlite");
    let whole = fs::read(&catalogue).unwrap();
    let pages = whole.len() / 4096;
    assert!(pages > 30, "{pages} pages");
    for (round, page) in [pages / 2, 1, pages / 3, pages - 2, 2].into_iter().enumerate() {
        let mut damaged = whole.clone();
        damaged[page * 4096..(page + 1) * 4096].fill(0xa5);
        fs::write(&catalogue, damaged).unwrap();
        for run in 0..3 {
            // A new file, so that the run has to write to the catalogue.
            write(dir.path(), &format!("s/new {round} {run}"), format!("{round} {run}"));
            let o = attempt(dir.path(), &["s", "d"]);
            let code = o.status.code().unwrap();
            let what = format!("page {page} of {pages}, run {run}: {}", said(&o));
            assert!(code == 0 || (run == 0 && code == 32), "{what}");
            assert!(text(&o.stdout).contains("1 file copied"), "{what}");
        }
        assert!(files(&dir.path().join("s")) == files(&dir.path().join("d")), "page {page}");
    }
}

/// Returns the positions at which bytes occur.
fn occurrences(of: &[u8], within: &[u8]) -> Vec<usize> {
    (0..=within.len() - of.len()).filter(|&i| within[i..].starts_with(of)).collect()
}

/// If a bit of a digest in the catalogue is flipped, the file must not be copied a second time.
#[test]
fn a_flipped_bit_in_the_catalogue_makes_no_second_copy() {
    let dir = folder(&[("s/f", "content")]);
    let sum = run(dir.path(), executable(), &["sum", "-a", "blake3", "s/f"], b"");
    let line = stdout(&sum);
    let hex = line.split_once(' ').unwrap().0;
    let digest: Vec<u8> = (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect();
    done(dir.path(), &["s", "d"]);
    // The catalogue leaves out files that changed a moment ago.
    std::thread::sleep(Duration::from_millis(2100));
    done(dir.path(), &["--fresh", "s", "d"]);
    let catalogue = dir.path().join("d/.hashmill/catalogue.sqlite");
    let whole = fs::read(&catalogue).unwrap();
    let at = occurrences(&digest, &whole);
    assert!(!at.is_empty(), "the catalogue has no digest");
    write(dir.path(), "t/g", "content");
    let sets: Vec<Vec<usize>> = at.iter().map(|&a| vec![a]).chain([at.clone()]).collect();
    for set in sets {
        for options in ["", "--dedupe", "--on-conflict fail", "--on-conflict repair", "--move"] {
            let mut flipped = whole.clone();
            set.iter().for_each(|&a| flipped[a + 7] ^= 16);
            fs::write(&catalogue, flipped).unwrap();
            let dedupe = options == "--dedupe";
            let args: Vec<&str> = options.split_whitespace().chain([if dedupe { "t" } else { "s" }, "d"]).collect();
            let o = attempt(dir.path(), &args);
            let what = format!("{set:?} of {at:?} {options}: {}", said(&o));
            assert!(o.status.success(), "{what}");
            assert_eq!(names(&dir.path().join("d")), ["f"], "{what}");
            assert!(text(&o.stdout).contains("0 files copied"), "{what}");
            if options == "--move" {
                write(dir.path(), "s/f", "content");
            }
        }
    }
}
