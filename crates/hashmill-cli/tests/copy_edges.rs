//! Edge cases of `hashmill copy` that users meet: names, folders and lists that belong to them, dry runs,
//! interruptions.
#![cfg(feature = "copy")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod common;

use common::copying::{copy, copy_ok, files, names, temporaries};
use common::photo;
use common::{hashmill, noise, run, stdout, text};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

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
    let o = Command::new(env!("CARGO_BIN_EXE_hashmill"))
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
        let o = Command::new("env")
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
    if run(d, "exiftool", &["-q", "-overwrite_original", "-Model=.hashmill", "s/b.jpg"], b"").status.success() {
        copy_ok(d, &["--photos", "--layout", "{camera}/{name}", "s", "d"]);
        assert!(d.join("d/_hashmill/b.jpg").exists(), "{:?}", files(&d.join("d")));
        let long = format!("-Model={}", "x".repeat(60_000));
        stdout(&run(d, "exiftool", &["-q", "-overwrite_original", &long, "s/b.jpg"], b""));
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
