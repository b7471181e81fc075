//! `--also`: a second destination, for which nothing is read twice, and which may fail alone.

use crate::support::running::{copy, copy_ok, files, json, temporaries};
use crate::support::shimmed::{EIO, ENOSPC, faulty, sources};
use hashmill_testing::{executable, noise, text};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

/// Checks that both destinations have everything but these files, and nothing else.
fn both_are_sound(dir: &Path, missing: [&[&str]; 2]) {
    let from = files(&dir.join("src"));
    for (to, missing) in ["dst", "also"].into_iter().zip(missing) {
        let mut want = from.clone();
        for name in missing {
            want.remove(Path::new(name)).unwrap();
        }
        assert_eq!(files(&dir.join(to)).keys().collect::<Vec<_>>(), want.keys().collect::<Vec<_>>(), "{to}");
        assert!(files(&dir.join(to)) == want, "{to} has other content");
        assert_eq!(temporaries(&dir.join(to)), 0, "{to}");
    }
}

#[test]
fn both_get_everything() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    sources(d);
    let said = copy_ok(d, &["--also", "also", "--manifest", "L", "-a", "sha256", "src", "dst"]);
    assert!(said.starts_with("dst: 13 files copied") && said.contains("\nalso: 13 files copied"), "{said}");
    both_are_sound(d, [&[], &[]]);
    assert_eq!(fs::read_to_string(d.join("L")).unwrap().lines().count(), 13);
    for to in ["dst", "also"] {
        let list = fs::read_to_string(d.join(to).join(".hashmill/list.json")).unwrap();
        assert_eq!(list.lines().filter(|l| l.contains("\"path\"")).count(), 13, "{list}");
    }
    // What both have already is not copied again, and neither is the other's.
    fs::write(d.join("src/new"), "new").unwrap();
    fs::remove_file(d.join("also/victim")).unwrap();
    fs::write(d.join("dst/sub/f3"), noise(512, 7)).unwrap();
    let o = copy(d, &["--json", "--also", "also", "--log", "log", "src", "dst"]);
    assert_eq!(o.status.code(), Some(0), "{}", text(&o.stderr));
    let events = json(&o);
    let totals = &events.last().unwrap()["totals"];
    assert_eq!((&totals["copied"], &totals["renamed"], &totals["same"]), (&2.into(), &1.into(), &12.into()));
    assert_eq!((&totals["also"]["copied"], &totals["also"]["same"]), (&2.into(), &12.into()));
    let copied = |path: &str| events.iter().any(|e| e["path"] == path && e["verdict"] == "copied");
    for path in ["dst/new", "dst/sub/f3-1", "also/new", "also/victim"] {
        assert!(copied(path), "{path} {}", text(&o.stdout));
    }
    let log = fs::read_to_string(d.join("log")).unwrap();
    assert!(log.contains("-> also/new") && log.contains("; also: 2 files copied"), "{log}");
}

/// A source that cannot be read once is missing in both, so it was not read a second time.
#[test]
fn every_file_is_read_once() {
    for name in ["src/victim", "src/sub/f0", "src/sub/f11"] {
        let dir = tempfile::tempdir().unwrap();
        let d = dir.path();
        sources(d);
        let o = faulty(d, &format!("read,{name},0,{EIO},1"), "", &["--also", "also", "src", "dst"]);
        assert_eq!(o.status.code(), Some(1), "{}", text(&o.stderr));
        assert_eq!(text(&o.stderr).matches(&format!("{name}: ")).count(), 2, "{}", text(&o.stderr));
        let below = &name[4..];
        both_are_sound(d, [&[below], &[below]]);
        copy_ok(d, &["--also", "also", "src", "dst"]);
        both_are_sound(d, [&[], &[]]);
    }
}

#[test]
fn either_may_fail_alone() {
    for (bad, missing) in [("also", [&[][..], &["victim"]]), ("dst", [&["victim"][..], &[]])] {
        let dir = tempfile::tempdir().unwrap();
        let d = dir.path();
        sources(d);
        // No other file is as long.
        let args = ["--also", "also", "--verbose", "src", "dst"];
        let o = faulty(d, &format!("write,/{bad}/,250000,{ENOSPC},-1"), "", &args);
        assert_eq!(o.status.code(), Some(4), "{}", text(&o.stderr));
        let said = text(&o.stderr);
        assert!(said.contains(&format!("src/victim: {bad}/victim: ")) && said.lines().count() == 1, "{said}");
        both_are_sound(d, missing);
        // A copy that is written wrong is made again, in that destination only.
        let o = faulty(d, &format!("flip,/{bad}/,250000,0,1"), "", &args);
        assert_eq!(o.status.code(), Some(0), "{}", text(&o.stderr));
        assert!(text(&o.stderr).contains("differs; copying it again"), "{}", text(&o.stderr));
        assert_eq!(text(&o.stdout).matches(", 1 copied twice").count(), 1, "{}", text(&o.stdout));
        both_are_sound(d, [&[], &[]]);
    }
    // A destination that is none.
    for (bad, good) in [("also", "dst"), ("dst", "also")] {
        let dir = tempfile::tempdir().unwrap();
        let d = dir.path();
        sources(d);
        fs::write(d.join(bad), "a file").unwrap();
        let o = copy(d, &["--also", "also", "src", "dst"]);
        assert_eq!(o.status.code(), Some(4), "{}", text(&o.stderr));
        assert_eq!(text(&o.stderr), format!("hashmill: {bad}: is not a folder\n"));
        let said = text(&o.stdout);
        assert!(said.contains(&format!("{bad}: FAILED\n")) && said.lines().count() == 2, "{said}");
        assert!(files(&d.join(good)) == files(&d.join("src")));
        assert_eq!(fs::read_to_string(d.join(bad)).unwrap(), "a file");
        let o = copy(d, &["--json", "--fresh", "--also", "also", "src", "dst"]);
        let events = json(&o);
        let totals = &events.last().unwrap()["totals"];
        let (of_bad, of_good) = if bad == "dst" { (totals, &totals["also"]) } else { (&totals["also"], totals) };
        assert_eq!((&of_bad["copied"], &of_good["same"]), (&0.into(), &13.into()), "{totals}");
        assert_eq!(
            (of_bad["error"].as_str().unwrap(), &of_good["error"].is_null()),
            (&*format!("{bad}: is not a folder"), &true)
        );
    }
    // A list that cannot be written ends the run to one destination only.
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    sources(d);
    let o = copy(d, &["--manifest", "none/L", "--also", "also", "src", "dst"]);
    assert_eq!(o.status.code(), Some(32), "{}", text(&o.stderr));
    assert!(text(&o.stderr).ends_with("; nothing was copied to dst\n"), "{}", text(&o.stderr));
    assert!(files(&d.join("also")) == files(&d.join("src")));
}

/// What neither can do, and what does not fit together, is said once, and nothing is done.
#[test]
fn what_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    sources(d);
    fs::create_dir(d.join("dst")).unwrap();
    symlink("dst", d.join("link")).unwrap();
    for args in [
        &["--also", "link", "src", "dst"][..],
        &["--also", "dst", "src", "link/"],
        &["--also", "link/in", "src", "dst"],
        &["--also", "src/../dst", "src", "dst"],
        &["--also", "no/../new/x", "src", "new"],
        &["--also", "dst", "src", "dst"],
        &["--also", "./dst/", "src", "dst"],
        &["--also", "dst/in", "src", "dst"],
        &["--also", "new", "src", "new/in"],
        &["--also", "also", "--move", "src", "dst"],
    ] {
        let o = copy(d, args);
        assert_eq!(o.status.code(), Some(2), "{args:?} {}", text(&o.stderr));
    }
    // A folder that is mounted in two places.
    fs::create_dir(d.join("bound")).unwrap();
    let mount = |args: &[&str]| Command::new("mount").args(args).current_dir(d).status().is_ok_and(|s| s.success());
    if mount(&["--bind", "dst", "bound"]) {
        let o = copy(d, &["--also", "bound", "src", "dst"]);
        let _ = Command::new("umount").arg("bound").current_dir(d).status();
        assert_eq!(o.status.code(), Some(2), "{}", text(&o.stderr));
    }
    assert!(files(&d.join("dst")).is_empty());
    let o = copy(d, &["--also", "also", "nothing", "dst"]);
    assert_eq!((o.status.code(), text(&o.stderr).lines().count()), (Some(1), 1), "{}", text(&o.stderr));
    let o = copy(d, &["--also", "src/also", "src", "dst"]);
    assert_eq!(o.status.code(), Some(4), "{}", text(&o.stderr));
    assert!(!d.join("also").exists());
    assert!(!d.join("src/also").exists() && !d.join("new").exists());
}

/// Many files, in several batches, with few descriptors: nobody waits for ever.
#[test]
fn many_files_and_few_descriptors() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    for i in 0..1500u64 {
        let folder = d.join(format!("src/{}", i / 100));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(i.to_string()), noise((i % 5 * 3000) as usize, i)).unwrap();
    }
    // Half of them are in one destination, and a third, some of them under other names, in the other.
    fs::create_dir_all(d.join("dst/1")).unwrap();
    fs::create_dir_all(d.join("also/x")).unwrap();
    for i in 0..1500u64 {
        let name = format!("{}/{i}", i / 100);
        if i % 2 == 0 {
            fs::create_dir_all(d.join(format!("dst/{}", i / 100))).unwrap();
            fs::copy(d.join("src").join(&name), d.join("dst").join(&name)).unwrap();
        }
        if i % 3 == 0 {
            fs::copy(d.join("src").join(&name), d.join(format!("also/x/{i}"))).unwrap();
        }
    }
    for descriptors in [64, 256] {
        let command = format!("ulimit -n {descriptors}; exec timeout 300 \"$0\" copy --also also src dst");
        let o = Command::new("sh").args(["-c", &command]).arg(executable()).current_dir(d).output().unwrap();
        assert_eq!(o.status.code(), Some(0), "{}", text(&o.stderr));
        let from = files(&d.join("src"));
        assert!(files(&d.join("dst")) == from);
        fs::rename(d.join("also/x"), d.join("x")).unwrap();
        assert!(files(&d.join("also")) == from);
        fs::remove_dir_all(d.join("also")).unwrap();
        fs::create_dir(d.join("also")).unwrap();
        fs::rename(d.join("x"), d.join("also/x")).unwrap();
    }
    let said = copy_ok(d, &["--dedupe", "--also", "also", "src", "dst"]);
    assert!(said.contains("dst: 0 files copied") && said.contains("under other names"), "{said}");
}
