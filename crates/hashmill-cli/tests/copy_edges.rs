//! Edge cases of `hashmill copy` that users meet: names, folders and lists that belong to them, dry runs,
//! interruptions.
#![cfg(feature = "copy")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod common;

use common::copying::{copy, copy_ok, files, names, temporaries};
use common::photo;
use common::{hashmill, noise, run, stdout, text};
use hashmill_measure::bare;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

fn sources() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("s/sub")).unwrap();
    for (i, f) in ["s/a", "s/b.jpg", "s/sub/c"].into_iter().enumerate() {
        fs::write(dir.path().join(f), noise(3000 * i + 10, i as u64)).unwrap();
    }
    dir
}

/// Returns a picture with the date on which it was taken.
fn jpeg(date: &str) -> Vec<u8> {
    let exif = [b"Exif\0\0", &photo::tiff(date)[..]].concat();
    let plain = photo::jpeg();
    [&plain[..2], &[0xff, 0xe1], &(exif.len() as u16 + 2).to_be_bytes(), &exif, &plain[2..]].concat()
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
    let program = env!("CARGO_BIN_EXE_hashmill");
    let lost = format!("mkdir gone; cd gone; rmdir ../gone; timeout 10 {program} copy {} new", d.join("s").display());
    assert_eq!(run(d, "sh", &["-c", &lost], b"").status.code(), Some(4));
    // A folder beside the source is not inside it, even if its name begins with the source's.
    copy_ok(d, &["s/sub", "s2"]);
    copy_ok(d, &["s/sub", "s/sub2"]);
    // Photos can be imported from a tree into a folder of that tree, which is then not read as a source.
    fs::write(d.join("s/b.jpg"), jpeg("2024:05:31 14:25:07")).unwrap();
    copy_ok(d, &["--photos", "--layout", "{year}/{name}", "s", "s/sorted"]);
    assert!(d.join("s/sorted/2024/b.jpg").exists());
    let again = copy_ok(d, &["--photos", "--layout", "{year}/{name}", "s", "s/sorted"]);
    assert!(again.starts_with("0 files copied"), "{again}");
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
    let o = copy(d, &["-n", "--move", "--json", "s", "d"]);
    let last: serde_json::Value = serde_json::from_str(text(&o.stdout).lines().last().unwrap()).unwrap();
    assert_eq!((last["removed"].as_u64(), last["dry_run"].as_bool()), (Some(3), Some(true)));
    let said = copy_ok(d, &["--move", "s", "d"]);
    assert!(said.contains("3 sources deleted"), "{said}");
}

#[test]
fn extensions_as_people_write_them() {
    for (ext, taken) in
        [("jpg", true), (".jpg", true), ("*.jpg", true), ("JPG", true), ("*.JPG,png", true), ("png", false)]
    {
        let dir = sources();
        copy_ok(dir.path(), &["--ext", ext, "s", "d"]);
        assert_eq!(dir.path().join("d/b.jpg").exists(), taken, "{ext}");
        assert!(!dir.path().join("d/a").exists());
    }
    let dir = sources();
    for ext in ["*", "", "*.j*", "b.jpg", "s/b.jpg", "j?g", "*.", "tar.gz"] {
        let o = copy(dir.path(), &["--ext", ext, "s", "d"]);
        assert_eq!(o.status.code(), Some(2), "{ext}");
        assert!(text(&o.stderr).contains("is not an extension"), "{}", text(&o.stderr));
    }
}

/// A file named `-` must not be taken for standard input.
#[test]
fn a_file_called_dash() {
    let dir = sources();
    let d = dir.path();
    fs::write(d.join("s/-"), "x").unwrap();
    copy_ok(d, &["-a", "sha256", "--manifest", "d.sha256", "s", "d"]);
    let o = hashmill(&d.join("d"), &["check", "../d.sha256"]);
    assert!(o.status.success() && text(&o.stdout).contains("./-: OK"), "{} {}", text(&o.stdout), text(&o.stderr));
    assert!(run(&d.join("d"), "sha256sum", &["-c", "--quiet", "../d.sha256"], b"").status.success());
    // A second run must not add a line for it.
    copy_ok(d, &["-a", "sha256", "--manifest", "d.sha256", "s", "d"]);
    assert_eq!(fs::read_to_string(d.join("d.sha256")).unwrap().lines().count(), 4);
}

/// A folder `.hashmill`, or a file that looks like one of our temporary files, may belong to the user.
#[test]
fn what_only_looks_like_ours() {
    let dir = sources();
    let d = dir.path();
    let part = ".hashmill-0123456789abcdef-0.part";
    // In the destination, such files must be kept.
    fs::create_dir_all(d.join("d/sub")).unwrap();
    for f in [format!("d/{part}"), format!("d/sub/{part}")] {
        fs::write(d.join(f), "precious").unwrap();
    }
    copy_ok(d, &["--manifest", "d/list", "s", "d"]);
    for f in [format!("d/{part}"), format!("d/sub/{part}")] {
        assert_eq!(fs::read(d.join(f)).unwrap(), b"precious");
    }
    // In the source, they must be copied, or a message must say that they are not.
    fs::create_dir_all(d.join("s/sub/.hashmill")).unwrap();
    fs::write(d.join("s/sub/.hashmill/mine"), "mine").unwrap();
    copy_ok(d, &["s", "e"]);
    assert_eq!(fs::read(d.join("e/sub/.hashmill/mine")).unwrap(), b"mine");
    fs::create_dir_all(d.join("s/.hashmill")).unwrap();
    fs::write(d.join("s/.hashmill/mine"), "mine").unwrap();
    let o = copy(d, &["--move", "s", "f"]);
    assert_eq!(o.status.code(), Some(1));
    assert!(
        text(&o.stderr).contains("s/.hashmill: not copied: the destination keeps its own records"),
        "{}",
        text(&o.stderr)
    );
    assert_eq!(fs::read(d.join("s/.hashmill/mine")).unwrap(), b"mine");
    // Records and temporary files of copies to the source are skipped, and a message says so.
    fs::write(d.join(format!("e/{part}")), "x").unwrap();
    let o = copy(d, &["e", "g"]);
    assert!(o.status.success(), "{}", text(&o.stderr));
    let said = text(&o.stderr);
    assert!(said.contains("e/.hashmill: skipped (the records of copies to here)"), "{said}");
    assert!(said.contains(&format!("e/{part}: skipped (")), "{said}");
}

/// A folder that its owner cannot write to must get the same mode in the copy, but files added to it later must be
/// copied.
#[test]
fn folders_without_permission_to_write() {
    let dir = sources();
    let d = dir.path();
    fs::set_permissions(d, PermissionsExt::from_mode(0o777)).unwrap();
    let mode = |f: &str| fs::metadata(d.join(f)).unwrap().permissions().mode() & 0o777;
    let close = || fs::set_permissions(d.join("s/sub"), PermissionsExt::from_mode(0o555)).unwrap();
    let by_somebody = |args: &[&str]| {
        let mut all = vec!["--reuid=65534", "--regid=65534", "--clear-groups", env!("CARGO_BIN_EXE_hashmill"), "copy"];
        all.extend(args);
        let root = rustix::process::geteuid().is_root();
        if root { run(d, "setpriv", &all, b"") } else { copy(d, args) }
    };
    close();
    let o = by_somebody(&["s", "d"]);
    assert!(o.status.success(), "{}", text(&o.stderr));
    assert_eq!(mode("d/sub"), 0o555);
    fs::set_permissions(d.join("s/sub"), PermissionsExt::from_mode(0o755)).unwrap();
    fs::write(d.join("s/sub/later"), "later").unwrap();
    close();
    let o = by_somebody(&["s", "d"]);
    assert!(o.status.success(), "{}", text(&o.stderr));
    assert_eq!((fs::read(d.join("d/sub/later")).unwrap(), mode("d/sub")), (b"later".to_vec(), 0o555));
    for f in ["s/sub", "d/sub"] {
        fs::set_permissions(d.join(f), PermissionsExt::from_mode(0o755)).unwrap();
    }
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

/// On a machine whose clock is not set (it says 1970), the dates of pictures must still be believed.
#[test]
fn a_clock_that_is_not_set() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    let library = preloaded(d, "clock.c");
    fs::create_dir(d.join("s")).unwrap();
    fs::write(d.join("s/x.jpg"), jpeg("2024:05:31 14:25:07")).unwrap();
    let o = bare::command(env!("CARGO_BIN_EXE_hashmill"))
        .args(["copy", "--by-date", "s", "d"])
        .current_dir(d)
        .env("LD_PRELOAD", &library)
        .output()
        .unwrap();
    assert!(o.status.success(), "{}", text(&o.stderr));
    assert!(text(&o.stderr).contains("clock is not set"), "{}", text(&o.stderr));
    assert!(
        d.join("d/2024/2024-05/x.jpg").exists() || d.join("d/2024/2024-05-31/x.jpg").exists(),
        "{:?}",
        files(&d.join("d"))
    );
    let said = text(&copy(d, &["--by-date", "s", "e"]).stderr);
    assert_eq!(said, "");
}

/// Compiles a file of tests/faults to a library that can be loaded before all others.
fn preloaded(d: &Path, name: &str) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults").join(name);
    let library = d.join(name).with_extension("so");
    let args = ["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o"].map(Path::new);
    let args: Vec<&Path> = args.into_iter().chain([&*library, &source, Path::new("-ldl")]).collect();
    stdout(&run(d, "cc", &args, b""));
    library
}

/// On Ctrl-C, the unfinished file is removed, finished files are in the list, and the same command copies the rest.
#[test]
fn interrupted() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    let library = preloaded(d, "signal.c");
    const SIZE: usize = 300_000;
    fs::create_dir(d.join("s")).unwrap();
    for i in 0..40 {
        fs::write(d.join(format!("s/f{i:02}")), noise(SIZE, i)).unwrap();
    }
    for (signal, code, at) in [(2, 130, 1), (2, 130, 2), (15, 143, 9), (1, 129, 25), (2, 130, 40)] {
        // Tests that a shell runs in the background ignore Ctrl-C, and the copy would inherit that.
        let o = bare::command("env")
            .args(["--default-signal", env!("CARGO_BIN_EXE_hashmill"), "copy", "--manifest", "list", "s", "d"])
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
    let program = env!("CARGO_BIN_EXE_hashmill");
    let o = run(d, "sh", &["-c", &format!("trap '' HUP; {program} copy s d & sleep 0.05; kill -HUP $!; wait $!")], b"");
    assert!(o.status.success(), "{}", text(&o.stderr));
    assert_eq!(files(&d.join("d")), files(&d.join("s")));
}

/// If a list is continued, its lines must keep their form, and `check` must be able to read it.
#[test]
fn lists_are_continued_in_their_form() {
    for (options, form) in [
        (&["-a", "sha256"][..], "gnu"),
        (&["-a", "sha256", "--manifest-form", "bsd"], "bsd"),
        (&["-a", "sha256", "--manifest-form", "json"], "json"),
        (&["-a", "md5"], "gnu"),
        (&["-a", "blake3"], "gnu"),
        (&["-a", "sha3-256"], "bsd"),
        (&["-a", "crc32c"], "bsd"),
        (&["-a", "md5,sha1"], "bsd"),
        (&[], "gnu"),
    ] {
        let dir = sources();
        let d = dir.path();
        copy_ok(d, &[options, &["--manifest", "list", "s", "d"]].concat());
        fs::write(d.join("s/new"), "new").unwrap();
        // This time no form is given.
        let bare: Vec<&str> = options.iter().take(2).copied().collect();
        copy_ok(d, &[&bare[..], &["--manifest", "list", "s", "d"]].concat());
        let list = fs::read_to_string(d.join("list")).unwrap();
        for line in list.lines() {
            let is = if line.starts_with('{') {
                "json"
            } else if line.contains(" = ") {
                "bsd"
            } else {
                "gnu"
            };
            assert_eq!(is, form, "{options:?}: {line}");
        }
        let o = hashmill(&d.join("d"), &["check", "--strict", "../list"]);
        assert_eq!(
            (text(&o.stdout).lines().all(|l| l.ends_with(": OK")), o.status.code()),
            (true, Some(0)),
            "{options:?}: {list}"
        );
        assert!(list.lines().count() >= 4);
    }
    // If the list is of another algorithm with digests of the same length, its lines stay, and new ones are tagged.
    for (first, second) in [("sha256", "blake3"), ("blake3", "sha256"), ("sha512", "blake2b")] {
        let dir = sources();
        let d = dir.path();
        let at = d.join("d");
        copy_ok(d, &["s", "d"]);
        let list = stdout(&hashmill(&at, &["sum", "-a", first, "a", "sub/c"]));
        fs::write(d.join("list"), &list).unwrap();
        fs::remove_file(d.join("s/a")).unwrap();
        fs::remove_file(d.join("s/sub/c")).unwrap();
        copy_ok(d, &["-a", second, "--manifest", "list", "s", "d"]);
        let now = fs::read_to_string(d.join("list")).unwrap();
        assert!(list.lines().all(|l| now.contains(l)) && now.lines().count() == 3 && now.contains(" = "), "{now}");
        let o = hashmill(&at, &["check", "../list"]);
        assert_eq!((text(&o.stdout).lines().count(), o.status.code()), (3, Some(0)), "{now} {}", text(&o.stderr));
    }
    // If the list's name suggests another algorithm, the lines must be tagged.
    let dir = sources();
    let d = dir.path();
    copy_ok(d, &["--manifest", "SHA256SUMS", "s", "d"]);
    let o = hashmill(&d.join("d"), &["check", "../SHA256SUMS"]);
    assert!(o.status.success(), "{} {}", fs::read_to_string(d.join("SHA256SUMS")).unwrap(), text(&o.stderr));
    // A list whose names are marked with `*` is continued in that form.
    let dir = sources();
    let d = dir.path();
    copy_ok(d, &["s", "d"]);
    fs::write(d.join("list"), run(&d.join("d"), "md5sum", &["-b", "a"], b"").stdout).unwrap();
    copy_ok(d, &["-a", "md5", "--manifest", "list", "s", "d"]);
    let now = fs::read_to_string(d.join("list")).unwrap();
    assert!(now.lines().count() == 3 && now.lines().all(|l| l.contains(" *")), "{now}");
}

/// Camera names are parts of paths, so they must be made safe.
#[test]
fn cameras_of_odd_names() {
    let dir = sources();
    let d = dir.path();
    let before = fs::metadata(d.join("s/a")).unwrap().ino();
    fs::write(d.join("s/b.jpg"), jpeg("2024:05:31 14:25:07")).unwrap();
    if run(d, "exiftool", &["-config", "", "-q", "-overwrite_original", "-Model=.hashmill", "s/b.jpg"], b"")
        .status
        .success()
    {
        copy_ok(d, &["--photos", "--layout", "{camera}/{name}", "s", "d"]);
        assert!(d.join("d/_hashmill/b.jpg").exists(), "{:?}", files(&d.join("d")));
        let long = format!("-Model={}", "x".repeat(60_000));
        stdout(&run(d, "exiftool", &["-config", "", "-q", "-overwrite_original", &long, "s/b.jpg"], b""));
        copy_ok(d, &["--photos", "--layout", "{camera}/{name}", "s", "e"]);
        let long = names(&d.join("e"));
        assert!(long.len() == 1 && long[0].len() <= 255, "{long:?}");
    }
    assert_eq!(fs::metadata(d.join("s/a")).unwrap().ino(), before);
}

/// If `--manifest` names a photo by mistake, no lines must be appended to it. A list of comments only may be continued.
#[test]
fn a_manifest_that_is_something_else_is_refused() {
    let dir = sources();
    let d = dir.path();
    for there in [&noise(3000, 7)[..], b"\xff\0binary", b"a letter to somebody\n"] {
        fs::write(d.join("photo.jpg"), there).unwrap();
        let o = copy(d, &["--manifest", "photo.jpg", "s", "d"]);
        assert_eq!(o.status.code(), Some(32), "{}", text(&o.stderr));
        assert!(text(&o.stderr).contains("photo.jpg: exists and is not a checksum list"), "{}", text(&o.stderr));
        assert_eq!(fs::read(d.join("photo.jpg")).unwrap(), there);
        assert!(!d.join("d/a").exists() && !d.join("d/s/a").exists());
    }
    for there in [&b""[..], b"\n", b"; made by somebody\n# a comment\n"] {
        fs::write(d.join("list"), there).unwrap();
        copy_ok(d, &["--manifest", "list", "s", "d"]);
        assert!(fs::read(d.join("list")).unwrap().starts_with(there));
    }
}

/// Sets the modification time of a file, in seconds since 1970. Returns false if the file system keeps another one.
fn set_time(path: &Path, seconds: i64) -> bool {
    let time = rustix::fs::Timespec { tv_sec: seconds, tv_nsec: 0 };
    let times = rustix::fs::Timestamps { last_access: time, last_modification: time };
    let set = rustix::fs::utimensat(rustix::fs::CWD, path, &times, rustix::fs::AtFlags::empty());
    set.is_ok() && fs::metadata(path).unwrap().mtime() == seconds
}

/// Returns the last object that a run with `--json` printed.
fn summary(o: &std::process::Output) -> serde_json::Value {
    assert!(o.status.success(), "{}", text(&o.stderr));
    serde_json::from_str(text(&o.stdout).lines().last().unwrap()).unwrap()
}

/// Dates that are not the pictures' own are counted by where they come from, and `--no-date` decides about the rest.
#[test]
fn files_without_a_date_of_their_own() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    fs::create_dir(d.join("s")).unwrap();
    fs::write(d.join("s/own.jpg"), jpeg("2024:05:31 14:25:07")).unwrap();
    for name in ["IMG-20200102-WA0001.jpg", "IMG-20200102-WA0001.xmp", "plain.jpg", "plain.xmp", "film.mp4", "new.jpg"]
    {
        fs::write(d.join("s").join(name), name).unwrap();
    }
    for name in ["plain.jpg", "plain.xmp", "film.mp4"] {
        assert!(set_time(&d.join("s").join(name), 1_600_000_000));
    }
    let plan = copy_ok(d, &["-n", "--by-date", "s", "d"]);
    assert!(plan.ends_with(", dated by name 2, by birth time 1, by modification time 3\n"), "{plan}");
    let last = summary(&copy(d, &["--json", "--by-date", "s", "d"]));
    assert_eq!(last["dated_by"], serde_json::json!({"name": 2, "birth": 1, "modified": 3}));
    let again = copy_ok(d, &["--by-date", "s", "d"]);
    assert!(again.contains("7 there already, dated by name 2, by birth time 1, by modification time 3"), "{again}");
    // A layout without dates has no need of them.
    let said = copy_ok(d, &["--no-date", "skip", "--layout", "{camera}/{name}", "s", "camera"]);
    assert!(said.starts_with("7 files copied") && !said.contains("dated"), "{said}");
    // Sidecars share what becomes of their picture.
    let o = copy(d, &["--no-date", "skip", "--move", "--by-date", "s", "skip"]);
    let said = (text(&o.stdout), text(&o.stderr));
    assert!(o.status.success() && said.0.contains("4 skipped, 3 sources deleted, dated by name 2;"), "{said:?}");
    for name in ["plain.jpg", "plain.xmp", "film.mp4", "new.jpg"] {
        assert!(said.1.contains(&format!("s/{name}: skipped (no date in its metadata or its name;")), "{}", said.1);
    }
    assert_eq!(names(&d.join("s")), ["film.mp4", "new.jpg", "plain.jpg", "plain.xmp"]);
    let plan = copy_ok(d, &["-n", "--no-date", "unknown", "--by-date", "s", "unknown"]);
    assert!(plan.contains("s/plain.xmp -> unknown/unknown/plain.xmp  [no date]"), "{plan}");
    let o = copy(d, &["--json", "--no-date", "unknown", "--layout", "{year}/{camera}/{date}_{time}", "s", "unknown"]);
    assert_eq!(summary(&o)["dated_by"], serde_json::json!({"unknown": 4}));
    let first: serde_json::Value = serde_json::from_str(text(&o.stdout).lines().next().unwrap()).unwrap();
    assert_eq!((&first["date_from"], &first["taken"]), (&serde_json::json!("unknown"), &serde_json::Value::Null));
    assert_eq!(names(&d.join("unknown/unknown/unknown")), ["film.mp4", "new.jpg", "plain.jpg", "plain.xmp"]);
    let said = copy_ok(d, &["--no-date", "unknown", "--by-date", "s", "e"]);
    assert!(said.contains(", without a date 4;"), "{said}");
}

/// Times that no calendar has are no dates, and do not end the run.
#[test]
fn times_outside_the_calendar() {
    let Ok(dir) = tempfile::tempdir_in("/dev/shm") else { return common::skip("there is no /dev/shm") };
    let d = dir.path();
    fs::create_dir(d.join("s")).unwrap();
    let outside = [
        i64::MAX,
        i64::MIN,
        8_210_266_876_799,
        8_210_266_876_800,
        -8_334_601_228_801,
        253_402_300_800,
        -62_135_596_801,
    ];
    let inside = [-1, 0, 253_402_214_400, -62_135_510_400];
    for (i, &time) in outside.iter().chain(&inside).enumerate() {
        let path = d.join(format!("s/f{i:02}.jpg"));
        fs::write(&path, i.to_string()).unwrap();
        if !set_time(&path, time) {
            return common::skip("/dev/shm does not keep such times");
        }
    }
    let o = copy(d, &["--by-date", "--photos", "s", "d"]);
    let said = text(&o.stderr);
    assert!(o.status.success() && !said.contains("panicked"), "{said}");
    assert_eq!(names(&d.join("d/unknown")).len(), outside.len(), "{said}");
    assert_eq!(
        said.matches("modification time is not in the years 1 to 9999, so it has no date").count(),
        outside.len()
    );
    let years = names(&d.join("d"));
    assert!(years.iter().all(|y| y == "unknown" || y.len() == 4 && y.bytes().all(|b| b.is_ascii_digit())), "{years:?}");
    assert!(years.contains(&"0001".into()), "{years:?}");
    let o = copy(d, &["--by-date", "--no-date", "skip", "s", "e"]);
    assert!(o.status.success() && text(&o.stdout).contains(", 11 skipped"), "{}", text(&o.stdout));
    // A copy of the tree keeps them all.
    copy_ok(d, &["s", "tree"]);
    for (i, &time) in outside.iter().chain(&inside).enumerate() {
        assert_eq!(fs::metadata(d.join(format!("tree/f{i:02}.jpg"))).unwrap().mtime(), time);
    }
}

/// A time that the destination cannot hold is reported, as everything else that a copy cannot keep.
#[test]
fn times_that_the_destination_cannot_hold() {
    let Ok(source) = tempfile::tempdir_in("/dev/shm") else { return common::skip("there is no /dev/shm") };
    let dir = tempfile::tempdir().unwrap();
    let there = dir.path().join("there");
    fs::write(&there, "").unwrap();
    let late = 253_402_300_800;
    for name in ["a", "b"] {
        fs::write(source.path().join(name), name).unwrap();
        if !set_time(&source.path().join(name), late) {
            return common::skip("/dev/shm does not keep such times");
        }
    }
    if set_time(&there, late) {
        return common::skip("the file system of temporary files holds such times");
    }
    let o = copy(dir.path(), &[source.path().to_str().unwrap(), "d"]);
    let said = text(&o.stderr);
    assert!(o.status.success(), "{said}");
    assert!(said.contains(": warning: modification times could not be kept (and those of 1 more)"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

/// Imports leave out what systems put next to pictures; copies of whole trees do not.
#[test]
fn thumbnails_and_system_files() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    for (name, content) in [
        ("IMG_1.JPG", &b"picture"[..]),
        ("._IMG_1.JPG", b"\0\x05\x16\x07\0\x02\0\0Mac OS X"),
        ("._real.jpg", b"a picture of an odd name"),
        (".DS_Store", b"Bud1"),
        ("sub/Thumbs.db", b"thumbs"),
        ("sub/@eaDir/IMG_1.JPG/SYNOPHOTO_THUMB_M.jpg", b"thumb"),
        ("sub/@eaDir/IMG_1.JPG/SYNOPHOTO_THUMB_B.jpg", b"thumb b"),
        (".thumbnails/1.jpg", b"thumb 1"),
        (".Trash-1000/files/deleted.jpg", b"deleted"),
    ] {
        let path = d.join("s").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let plan = copy_ok(d, &["-n", "--by-date", "s", "d"]);
    let left_out = |n: u64| {
        format!("2 files would be copied (31 B), {n} left out (thumbnails and system files; --all copies them)")
    };
    assert!(plan.contains(&left_out(7)), "{plan}");
    // Only those are counted that the selection takes otherwise.
    for selection in [&["--photos"][..], &["--ext", "jpg"]] {
        let plan = copy_ok(d, &[&["-n"], selection, &["s", "d"]].concat());
        assert!(plan.contains(&left_out(5)), "{plan}");
        let plan = copy_ok(d, &[&["-n", "--all"], selection, &["s", "d"]].concat());
        assert!(plan.contains("7 files would be copied") && !plan.contains("left out"), "{plan}");
    }
    assert!(copy_ok(d, &["-n", "--all", "--by-date", "s", "d"]).contains("9 files would be copied"));
    let before = files(&d.join("s"));
    copy_ok(d, &["s", "tree"]);
    assert_eq!(files(&d.join("tree")), before);
    // A picture in the trash of the destination is not there already; what is left out is not deleted.
    fs::create_dir_all(d.join("d/#recycle")).unwrap();
    fs::write(d.join("d/#recycle/x.jpg"), "picture").unwrap();
    let last = summary(&copy(d, &["--json", "--move", "--dedupe", "--layout", "{name}", "s", "d"]));
    let of = |key: &str| last[key].as_u64().unwrap();
    assert_eq!((of("copied"), of("duplicates"), of("left_out"), of("removed")), (2, 0, 7, 2), "{last}");
    assert_eq!(names(&d.join("d")), ["#recycle", "._real.jpg", "IMG_1.JPG"]);
    let after = files(&d.join("s"));
    assert!(before.iter().all(|(name, content)| after.get(name) == Some(content)
        || name.ends_with("IMG_1.JPG")
        || name.ends_with("._real.jpg")));
    // A file that the user names is taken, whatever it is called.
    assert!(copy_ok(d, &["--by-date", "s/._IMG_1.JPG", "named/"]).starts_with("1 file copied"));
}

/// Seconds between 1904, where films count from, and 1970.
const FILM_EPOCH: u32 = 2_082_844_800;

/// Apple's names of one shot stay together. Files that have only their names in common do not.
#[test]
fn siblings_by_name_and_by_date() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    let film = |seconds: u32| photo::movie("qt  ", seconds + FILM_EPOCH);
    let (may, june) = (1_556_704_800, 1_686_830_400);
    fs::create_dir_all(d.join("s")).unwrap();
    for (name, content) in [
        ("IMG_1234.HEIC", photo::heic("2019:05:01 10:00:00")),
        ("IMG_E1234.HEIC", [photo::heic("2019:05:01 10:00:00"), vec![0; 9]].concat()),
        ("IMG_1234.AAE", b"adjustments".to_vec()),
        ("IMG_O1234.AAE", b"original".to_vec()),
        // The clock of a film may be off by its time zone.
        ("IMG_1234.MOV", film(may + 14 * 3600)),
        ("IMG_1234_HEVC.MOV", film(may - 3600)),
        ("IMG_0001.JPG", jpeg("2019:05:01 10:00:00")),
        ("IMG_0001.MOV", film(june)),
        ("IMG_0001.xmp", b"of the picture".to_vec()),
        ("IMG_0001.MOV.xmp", b"of the film".to_vec()),
        ("IMG_0001.THM", b"thumbnail of the film".to_vec()),
        ("IMG_0002.JPG", b"no date".to_vec()),
        ("IMG_0002.MOV", film(june)),
    ] {
        fs::write(d.join("s").join(name), content).unwrap();
    }
    let run = |args: &[&str]| {
        let o = bare::command(env!("CARGO_BIN_EXE_hashmill"))
            .arg("copy")
            .args(args)
            .current_dir(d)
            .env("TZ", "UTC")
            .output()
            .unwrap();
        assert!(o.status.success(), "{}", text(&o.stderr));
        text(&o.stdout)
    };
    run(&["--by-date", "--photos", "s", "d"]);
    let may = [
        "IMG_0001.JPG", "IMG_0001.xmp", "IMG_1234.AAE", "IMG_1234.HEIC", "IMG_1234.MOV", "IMG_1234_HEVC.MOV",
        "IMG_E1234.HEIC", "IMG_O1234.AAE",
    ];
    let june = ["IMG_0001.MOV", "IMG_0001.MOV.xmp", "IMG_0001.THM", "IMG_0002.JPG", "IMG_0002.MOV"];
    assert_eq!(names(&d.join("d/2019/2019-05-01")), may);
    assert_eq!(names(&d.join("d/2023/2023-06-15")), june);
    // If one has to be renamed, all are, but not what only has the same name.
    fs::create_dir(d.join("flat")).unwrap();
    fs::write(d.join("flat/IMG_O1234.AAE"), "another").unwrap();
    fs::write(d.join("flat/IMG_0001.THM"), "another").unwrap();
    run(&["--layout", "{name}", "--photos", "--move", "s", "flat"]);
    assert!(names(&d.join("s")).is_empty());
    let flat = names(&d.join("flat"));
    let renamed = |name: &str| {
        let (stem, extension) = name.split_once('.').unwrap();
        flat.contains(&format!("{stem}-1.{extension}"))
    };
    for name in may.iter().chain(&june).filter(|n| **n != "IMG_0001.THM" && **n != "IMG_O1234.AAE") {
        let with_others = name.contains("1234") || name.starts_with("IMG_0001.MOV");
        assert_eq!((renamed(name), flat.contains(&name.to_string())), (with_others, !with_others), "{name} {flat:?}");
    }
    // Names by time would be the same for a picture and its edited version.
    let plan = run(&["-n", "--layout", "{date}_{time}", "--photos", "d/2019", "new"]);
    for name in [
        "IMG_1234.HEIC -> new/2019-05-01_100000.heic",
        "IMG_E1234.HEIC -> new/2019-05-01_100000-1.heic",
        "IMG_1234.AAE -> new/2019-05-01_100000.aae",
        "IMG_O1234.AAE -> new/2019-05-01_100000-1.aae",
    ] {
        assert!(plan.contains(name), "{name}: {plan}");
    }
}

/// Files whose length is known only when they have been read.
#[test]
fn files_of_the_kernel() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    for path in
        ["/proc/version", "/proc/filesystems", "/sys/class/net/lo/mtu", "/sys/kernel/mm/transparent_hugepage/enabled"]
    {
        let Ok(content) = fs::read(path) else { continue };
        let name = Path::new(path).file_name().unwrap();
        for more in [&["-a", "md5,sha256", "--manifest", "list"][..], &["--verify", "source"], &["--by-date"]] {
            let to = d.join("d");
            let plan = copy_ok(d, &[&["-n"], &more[..1], &more[1..], &[path, "d/"]].concat());
            assert!(plan.contains(&format!("1 file would be copied ({} B)", content.len())), "{path}: {plan}");
            let o = copy(d, &[more, &["--json", path, "d/"]].concat());
            assert_eq!(summary(&o)["bytes"].as_u64(), Some(content.len() as u64), "{path}");
            assert_eq!(text(&o.stderr), "", "{path}");
            let there = files(&to);
            let (_, copied) = there.iter().find(|(p, _)| p.file_name() == Some(name)).unwrap();
            assert_eq!(*copied, content, "{path}");
            // It is recognized, and what differs gets another name.
            assert!(copy_ok(d, &[more, &[path, "d/"]].concat()).contains("1 there already"), "{path}");
            let at = to.join(there.iter().find(|(p, _)| p.file_name() == Some(name)).unwrap().0);
            fs::write(&at, vec![b'x'; content.len()]).unwrap();
            let said = copy_ok(d, &[more, &[path, "d/"]].concat());
            assert!(said.contains("1 file copied") && said.contains("1 of them renamed"), "{path}: {said}");
            fs::remove_dir_all(&to).unwrap();
        }
    }
    fs::write(d.join("empty"), "").unwrap();
    assert!(copy_ok(d, &["empty", "/proc/version", "d/"]).starts_with("2 files copied"));
    assert_eq!(fs::read(d.join("d/empty")).unwrap(), b"");
}

/// A name that is as long as a name can be is shortened if it needs a number, and never by less than a character.
#[test]
fn names_of_the_maximum_length() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    fs::create_dir(d.join("s")).unwrap();
    let long = [
        format!("{}.jpg", "x".repeat(251)),
        format!("{}y.jpg", "x".repeat(250)),
        format!("{}.jpg.xmp", "x".repeat(247)),
        format!("{}.md", "ü".repeat(126)),
        "n".repeat(255),
        format!("e.{}", "x".repeat(253)),
    ];
    for name in &long {
        fs::write(d.join("s").join(name), &name[name.len() - 9..]).unwrap();
    }
    copy_ok(d, &["s", "d"]);
    assert_eq!(files(&d.join("d")), files(&d.join("s")));
    for name in &long {
        fs::write(d.join("s").join(name), format!("another {}", &name[name.len() - 9..])).unwrap();
    }
    for _ in 0..2 {
        copy_ok(d, &["s", "d"]);
        let there = files(&d.join("d"));
        assert_eq!(there.len(), 2 * long.len(), "{there:?}");
        assert!(there.keys().all(|name| name.to_str().is_some()));
        for content in files(&d.join("s")).values() {
            assert!(there.values().any(|c| c == content));
        }
    }
    // A layout that makes names longer.
    for layout in ["{date}-{name}", "{stem}-{stem}/{name}", "{stem}_{counter}", "{date}/{name}"] {
        let to = layout.replace('/', "_");
        for _ in 0..2 {
            copy_ok(d, &["--layout", layout, "s", &to]);
            let there = files(&d.join(&to));
            let contents = there.values().filter(|c| *c != b"folder").count();
            assert_eq!(contents, long.len(), "{layout}: {:?}", there.keys());
        }
    }
}
