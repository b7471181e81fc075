//! `hashmill copy`: trees, photos, conflicts, records.
#![cfg(feature = "copy")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod common;

use common::copying::{copy, copy_ok, files, json, names, temporaries};
use common::photo;
use common::{noise, run, stdout, text};
use hashmill_measure::bare;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File, FileTimes, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Creates a tree with everything that a copy must preserve.
fn tree(at: &Path) {
    fs::create_dir_all(at.join("a/b/empty")).unwrap();
    fs::write(at.join("zero"), "").unwrap();
    for (i, n) in [1usize, 511, 4095, 4096, 4097, 65_536, 65_537, 1_048_576, 3_000_001].into_iter().enumerate() {
        fs::write(at.join(format!("a/f{i}")), noise(n, i as u64)).unwrap();
    }
    fs::write(at.join(OsStr::from_bytes(b"a/b/\xff\xfe not text")), "x").unwrap();
    fs::write(at.join("a/b/two\nlines \\ "), "y").unwrap();
    fs::write(at.join("a/b/.hidden"), "z").unwrap();
    symlink("f1", at.join("a/link")).unwrap();
    symlink("/nowhere", at.join("a/dangling")).unwrap();
    let long_ago = SystemTime::UNIX_EPOCH + Duration::new(1_234_567_890, 123_456_789);
    for (name, mode) in [("a/f0", 0o600), ("a/f1", 0o444), ("a/f2", 0o755)] {
        let f = File::open(at.join(name)).unwrap();
        f.set_times(FileTimes::new().set_modified(long_ago)).unwrap();
        f.set_permissions(Permissions::from_mode(mode)).unwrap();
    }
    let dir = File::open(at.join("a/b")).unwrap();
    dir.set_permissions(Permissions::from_mode(0o750)).unwrap();
    dir.set_times(FileTimes::new().set_modified(long_ago)).unwrap();
}

#[test]
fn a_tree_is_copied_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let (src, dst) = (dir.path().join("src"), dir.path().join("dst"));
    tree(&src);
    let said = copy_ok(dir.path(), &["src", "dst"]);
    assert!(
        said.contains("13 files copied") && said.contains("2 symbolic links") && said.contains("read back"),
        "{said}"
    );
    assert_eq!(files(&src), files(&dst));
    assert_eq!(temporaries(&dst), 0);
    for name in ["a/f0", "a/f1", "a/f2", "a/b"] {
        let (a, b) = (fs::metadata(src.join(name)).unwrap(), fs::metadata(dst.join(name)).unwrap());
        assert_eq!((a.mode(), a.mtime(), a.mtime_nsec()), (b.mode(), b.mtime(), b.mtime_nsec()), "{name}");
    }
    assert_eq!(fs::read_link(dst.join("a/dangling")).unwrap(), Path::new("/nowhere"));
    // If everything is there already, nothing is written, and nothing needs to be read.
    let said = copy_ok(dir.path(), &["src", "dst"]);
    assert!(said.starts_with("0 files copied") && said.contains("15 there already"), "{said}");
    let said = copy_ok(dir.path(), &["--fresh", "src", "dst"]);
    assert!(said.starts_with("0 files copied") && said.contains("15 there already"), "{said}");
    // The same without the catalogue.
    fs::remove_dir_all(dst.join(".hashmill")).unwrap();
    let said = copy_ok(dir.path(), &["--no-catalogue", "src", "dst"]);
    assert!(said.contains("15 there already"), "{said}");
    assert!(!dst.join(".hashmill").exists());
}

#[test]
fn holes_and_attributes_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("src")).unwrap();
    let path = dir.path().join("src/sparse");
    let f = File::create(&path).unwrap();
    use std::os::unix::fs::FileExt;
    f.write_all_at(b"begin", 0).unwrap();
    f.write_all_at(&noise(10_000, 1), 5_000_000).unwrap();
    f.set_len(20_000_000).unwrap();
    f.sync_all().unwrap();
    let flags = rustix::fs::XattrFlags::empty();
    let attributes = rustix::fs::setxattr(&path, "user.test", b"value", flags).is_ok();
    if !attributes {
        common::skip("this file system has no extended attributes");
    }
    copy_ok(dir.path(), &["-a", "md5,sha256", "src", "dst"]);
    assert_eq!(files(&dir.path().join("src")), files(&dir.path().join("dst")));
    let blocks = |p: &str| fs::metadata(dir.path().join(p)).unwrap().blocks();
    assert!(blocks("dst/sparse") <= blocks("src/sparse") + 16, "{} {}", blocks("src/sparse"), blocks("dst/sparse"));
    if attributes {
        let mut value = [0; 16];
        let n = rustix::fs::getxattr(dir.path().join("dst/sparse"), "user.test", &mut value).unwrap();
        assert_eq!(&value[..n], b"value");
    }
}

#[test]
fn conflicts() {
    for policy in ["rename", "skip", "fail", "repair"] {
        let dir = tempfile::tempdir().unwrap();
        let at = |p: &str| dir.path().join(p);
        fs::create_dir_all(at("src")).unwrap();
        fs::create_dir_all(at("dst")).unwrap();
        for (name, here, there) in [("same.jpg", "1", "1"), ("size.jpg", "22", "333"), ("bytes.jpg", "44", "55")] {
            fs::write(at("src").join(name), here).unwrap();
            fs::write(at("dst").join(name), there).unwrap();
        }
        fs::write(at("src/new.jpg"), "new").unwrap();
        // A folder where a file should be is never replaced.
        fs::write(at("src/folder"), "f").unwrap();
        fs::create_dir(at("dst/folder")).unwrap();
        let o = copy(dir.path(), &["--on-conflict", policy, "src", "dst"]);
        let there = |p: &str| fs::read_to_string(at("dst").join(p)).unwrap_or_default();
        let old = (there("same.jpg"), there("size.jpg"), there("bytes.jpg"));
        let (one, new) = ("1".to_string(), "new".to_string());
        assert_eq!(there("new.jpg"), new);
        let numbered = [there("size-1.jpg"), there("bytes-1.jpg"), there("folder-1")];
        match policy {
            "rename" => {
                assert_eq!(o.status.code(), Some(0));
                assert_eq!(old, (one, "333".into(), "55".into()));
                assert_eq!(numbered, ["22", "44", "f"]);
                // A second run must find the copies under their numbers and copy nothing.
                let said = copy_ok(dir.path(), &["src", "dst"]);
                assert!(said.starts_with("0 files copied (0 B), 5 there already"), "{said}");
            }
            "repair" => {
                assert_eq!(o.status.code(), Some(0));
                assert_eq!(old, (one, "22".into(), "44".into()));
                assert_eq!(numbered, ["", "", "f"]);
                assert!(text(&o.stdout).contains("2 of them in place of others"));
            }
            _ => {
                assert_eq!(o.status.code(), Some(if policy == "fail" { 16 } else { 0 }));
                assert_eq!(old, (one, "333".into(), "55".into()));
                assert_eq!(numbered, ["", "", ""]);
                assert!(text(&o.stderr).contains("bytes.jpg exists with other content"));
            }
        }
        assert_eq!(temporaries(&at("dst")), 0);
        // Existing links are left alone, too, and the new ones get numbers.
        fs::create_dir_all(at("links")).unwrap();
        symlink("here", at("links/l")).unwrap();
        symlink("there", at("dst/l")).unwrap();
        let o = copy(dir.path(), &["--on-conflict", policy, "links", "dst"]);
        assert_eq!(o.status.code(), Some(if policy == "fail" { 16 } else { 0 }), "{policy}");
        assert_eq!(fs::read_link(at("dst/l")).unwrap(), Path::new("there"));
        let numbered = fs::read_link(at("dst/l-1")).ok();
        assert_eq!(numbered.is_some(), ["rename", "repair"].contains(&policy), "{policy}");
    }
}

#[test]
fn the_help_says_what_it_does() {
    let dir = tempfile::tempdir().unwrap();
    let help = copy_ok(dir.path(), &["--help"]);
    assert!(help.starts_with("Copy trees and import photos, verified from the medium"), "{help}");
    assert!(help.contains("Usage: hashmill copy [OPTIONS] SRC… DEST") && help.contains("Exit status"), "{help}");
    for option in
        ["--layout", "--by-date", "--on-conflict", "--dedupe", "--verify", "--move", "--manifest", "--progress"]
    {
        assert!(help.contains(option), "{option}");
    }
}

/// Pictures of the same name from several cards must stay together with their sidecars.
#[test]
fn what_belongs_together_stays_together() {
    let dir = tempfile::tempdir().unwrap();
    let at = |p: &str| dir.path().join(p);
    for (card, content) in [("one", "1"), ("two", "2"), ("three", "1")] {
        fs::create_dir_all(at(card)).unwrap();
        for name in ["IMG_1.JPG", "IMG_1.CR2", "IMG_1.xmp", "IMG_1.JPG.xmp"] {
            // The raw file is the same on all cards: the second card's must be copied nevertheless, beside its own
            // picture.
            let content = if name.ends_with("CR2") { "raw" } else { content };
            fs::write(at(card).join(name), format!("{name}{content}")).unwrap();
        }
    }
    copy_ok(dir.path(), &["--photos", "--layout", "{name}", "one", "two", "three", "dst"]);
    let of = |n: &str| names(&at("dst")).into_iter().filter(|name| name.contains(n)).count();
    assert_eq!(names(&at("dst")).len(), 8, "{:?}", names(&at("dst")));
    assert_eq!(of("-1."), 4);
    for name in ["IMG_1-1.JPG", "IMG_1-1.CR2", "IMG_1-1.xmp", "IMG_1-1.JPG.xmp"] {
        assert!(at("dst").join(name).exists(), "{name} of {:?}", names(&at("dst")));
    }
    assert_eq!(fs::read_to_string(at("dst/IMG_1-1.JPG")).unwrap(), "IMG_1.JPG2");
    // Again, in a different order: nothing is new.
    let said = copy_ok(dir.path(), &["--photos", "--layout", "{name}", "two", "three", "one", "dst"]);
    assert!(said.starts_with("0 files copied"), "{said}");
}

/// The same sources must always get the same names, whichever is decided first, and never take each other's.
#[test]
fn names_are_stable() {
    for policy in ["rename", "skip", "fail", "repair"] {
        let dir = tempfile::tempdir().unwrap();
        let at = |p: &str| dir.path().join(p);
        for (card, len) in [("one", 9000), ("two", 5000), ("three", 9000)] {
            fs::create_dir(at(card)).unwrap();
            fs::write(at(card).join("IMG_1.JPG"), noise(len, len as u64 + card.len() as u64)).unwrap();
        }
        let args = ["--photos", "--layout", "{name}", "--on-conflict", policy, "one", "two", "three", "dst"];
        copy_ok(dir.path(), &args);
        let there = files(&at("dst"));
        assert_eq!(there.len(), 3);
        assert_eq!(there[Path::new("IMG_1.JPG")], fs::read(at("one/IMG_1.JPG")).unwrap());
        assert_eq!(there[Path::new("IMG_1-1.JPG")], fs::read(at("two/IMG_1.JPG")).unwrap());
        for more in ["--dedupe", "--fresh", "--no-catalogue", "--memory=1M"] {
            let said = copy_ok(dir.path(), &[&[more], &args[..]].concat());
            assert!(said.starts_with("0 files copied") || said.contains("\n0 files copied"), "{policy} {more}: {said}");
            assert_eq!(files(&at("dst")), there, "{policy} {more}");
        }
    }
}

#[test]
fn bursts_get_counters() {
    let dir = tempfile::tempdir().unwrap();
    let at = |p: &str| dir.path().join(p);
    for i in 0..30 {
        fs::create_dir_all(at(&format!("src/{i}"))).unwrap();
        fs::write(at(&format!("src/{i}/20240531_142507.jpg")), noise(1000, i)).unwrap();
    }
    fs::write(at("src/7/20240531_142507.xmp"), "seven").unwrap();
    let layout = ["--layout", "{date}/{time}_{counter:3}"];
    copy_ok(dir.path(), &[&layout[..], &["src", "dst"]].concat());
    let found = names(&at("dst/2024-05-31"));
    assert_eq!(found.len(), 31, "{found:?}");
    let seven = found.iter().find(|n| n.ends_with(".xmp")).unwrap();
    let picture = at("dst/2024-05-31").join(seven).with_extension("jpg");
    assert_eq!(fs::read(picture).unwrap(), noise(1000, 7));
    assert_eq!(found[0], "142507_001.jpg");
    let said = copy_ok(dir.path(), &[&layout[..], &["src", "dst"]].concat());
    assert!(said.starts_with("0 files copied") && said.contains("31 there already"), "{said}");
}

#[test]
fn duplicates_are_found_anywhere() {
    let dir = tempfile::tempdir().unwrap();
    let at = |p: &str| dir.path().join(p);
    fs::create_dir_all(at("src/again")).unwrap();
    fs::create_dir_all(at("dst/old/deep")).unwrap();
    fs::write(at("dst/old/deep/known.jpg"), noise(5000, 1)).unwrap();
    fs::write(at("src/new name.jpg"), noise(5000, 1)).unwrap();
    fs::write(at("src/other.jpg"), noise(5000, 2)).unwrap();
    fs::write(at("src/again/other too.jpg"), noise(5000, 2)).unwrap();
    fs::write(at("src/empty"), "").unwrap();
    fs::write(at("src/empty too"), "").unwrap();
    let rehearsal = copy_ok(dir.path(), &["-n", "--dedupe", "src", "dst"]);
    assert!(rehearsal.contains("duplicate src/new name.jpg -> dst/old/deep/known.jpg"), "{rehearsal}");
    assert!(
        rehearsal.contains("3 files would be copied") && rehearsal.contains("2 there under other names"),
        "{rehearsal}"
    );
    let events = json(&copy(dir.path(), &["--json", "--dedupe", "src", "dst"]));
    let of = |action: &str| events.iter().filter(|e| e["action"] == action).count();
    assert_eq!((of("copied"), of("duplicate")), (3, 2), "{events:?}");
    // If the catalogue is missing, it is rebuilt.
    fs::remove_file(at("dst/.hashmill/catalogue.sqlite")).unwrap();
    let said = copy_ok(dir.path(), &["--dedupe", "--layout", "elsewhere/{name}", "src", "dst"]);
    assert!(said.contains("3 there under other names") && said.contains("2 files copied (0 B)"), "{said}");
    // A file that has changed since it was catalogued must not count as a duplicate.
    fs::write(at("dst/old/deep/known.jpg"), noise(5000, 3)).unwrap();
    let said = copy_ok(dir.path(), &["--dedupe", "--layout", "third/{name}", "src/new name.jpg", "dst"]);
    assert!(said.starts_with("1 file copied"), "{said}");
}

#[test]
fn a_rehearsal_changes_nothing_and_tells_the_truth() {
    let dir = tempfile::tempdir().unwrap();
    let at = |p: &str| dir.path().join(p);
    for (i, name) in ["IMG_20240531_142507.jpg", "x.jpg", "y.txt"].into_iter().enumerate() {
        fs::create_dir_all(at("src")).unwrap();
        fs::write(at("src").join(name), noise(100, i as u64)).unwrap();
    }
    let arguments = ["--by-date", "--ext", "JPG", "-v", "src", "dst"];
    let plan = copy_ok(dir.path(), &[&["-n"], &arguments[..]].concat());
    assert!(!at("dst").exists());
    assert!(plan.contains("dst/2024/2024-05-31/IMG_20240531_142507.jpg  [file name 2024-05-31 14:25:07]"), "{plan}");
    let said = copy_ok(dir.path(), &arguments);
    let moves = |text: &str| {
        let mut lines: Vec<String> = text.lines().filter(|l| l.contains("->")).map(String::from).collect();
        lines.sort();
        lines
    };
    assert_eq!(moves(&plan), moves(&said));
    assert_eq!(moves(&plan).len(), 2);
    let before = files(&at("dst"));
    let plan = copy_ok(dir.path(), &[&["-n"], &arguments[..]].concat());
    assert!(plan.contains("0 files would be copied") && plan.contains("2 there already"), "{plan}");
    assert_eq!(before, files(&at("dst")));
}

/// Dates from real EXIF data and from films, valid and invalid ones.
#[test]
fn pictures_go_where_their_dates_say() {
    let dir = tempfile::tempdir().unwrap();
    let src = dir.path().join("src");
    fs::create_dir(&src).unwrap();
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let make = |name: &str, bytes: &[u8], tags: &[&str]| {
        fs::write(src.join(name), bytes).unwrap();
        if !tags.is_empty() {
            let args = [&["-config", "", "-q", "-overwrite_original"], tags, &[name]].concat();
            stdout(&run(&src, "exiftool", &args, b""));
        }
        File::open(src.join(name)).unwrap().set_times(FileTimes::new().set_modified(old)).unwrap();
    };
    let jpeg = photo::jpeg();
    make(
        "canon.jpg",
        &jpeg,
        &[
            "-Make=Canon",
            "-Model=Canon EOS R5",
            "-DateTimeOriginal=2021:03:04 05:06:07",
            "-SubSecTimeOriginal=42",
            "-OffsetTimeOriginal=+09:00",
            "-CreateDate=2020:01:01 00:00:01",
        ],
    );
    make("nikon.JPG", &jpeg, &["-Make=NIKON CORPORATION", "-Model=NIKON D850", "-CreateDate=2019:12:31 23:59:59"]);
    make(
        "phone.jpg",
        &jpeg,
        &[
            "-Make=Apple",
            "-Model=iPhone 15/Pro: \"x\"",
            "-DateTimeOriginal=2024:02:29 10:00:00",
            "-OffsetTimeOriginal=-05:00",
        ],
    );
    make("zero.jpg", &jpeg, &["-DateTimeOriginal#=0000:00:00 00:00:00", "-CreateDate=2018:07:06 05:04:03"]);
    make("wrong_20170203_040506.jpg", &jpeg, &["-DateTimeOriginal#=2017:13:45 99:00:00"]);
    make("unset.jpg", &jpeg, &["-DateTimeOriginal=1980:01:01 00:00:00"]);
    make("future.jpg", &jpeg, &["-DateTimeOriginal#=2199:01:01 00:00:00"]);
    make("none.jpg", &jpeg, &[]);
    make("cut.jpg", &jpeg[..20], &[]);
    make("raw.dng", &[photo::tiff("2016:05:04 03:02:01"), vec![0; 4096]].concat(), &[]);
    make("film.mov", &photo::movie("qt  ", 3_692_217_600), &[]);
    make("apple.mov", &photo::movie("qt  ", 3_692_217_600), &["-Keys:CreationDate=2022:08:09 23:30:00+11:00"]);
    make("no date.mp4", &photo::movie("mp42", 0), &[]);
    make("picture.heic", &photo::heic("2015:04:03 02:01:00"), &[]);
    let mut command = bare::command(env!("CARGO_BIN_EXE_hashmill"));
    // 2020-12-31 00:00:00 UTC is still the day before in New York.
    let o = command
        .args(["copy", "--json", "--layout", "{date}_{time}.{subsec}{zone}/{camera}/{name}", "src", "dst"])
        .current_dir(dir.path())
        .env("TZ", "America/New_York")
        .output()
        .unwrap();
    let events = json(&o);
    let mut found = BTreeMap::new();
    for e in events.iter().filter(|e| e["event"] == "file") {
        let name = Path::new(e["source"].as_str().unwrap()).file_name().unwrap().to_str().unwrap().to_string();
        let folder = e["destination"].as_str().unwrap().strip_prefix("dst/").unwrap();
        let folder = folder.strip_suffix(&format!("/{name}")).unwrap().to_string();
        found.insert(name, (folder, e["date_from"].as_str().unwrap().to_string()));
    }
    let mut want = BTreeMap::new();
    let mut expect = |name: &str, folder: &str, from: &str| {
        want.insert(name.to_string(), (folder.to_string(), from.to_string()));
    };
    expect("canon.jpg", "2021-03-04_050607.420+0900/Canon EOS R5", "exif-original");
    expect("nikon.JPG", "2019-12-31_235959.000none/NIKON D850", "exif-create");
    expect("phone.jpg", "2024-02-29_100000.000-0500/iPhone 15_Pro_ _x_", "exif-original");
    expect("zero.jpg", "2018-07-06_050403.000none/unknown", "exif-create");
    expect("wrong_20170203_040506.jpg", "2017-02-03_040506.000none/unknown", "name");
    for name in ["unset.jpg", "future.jpg", "none.jpg", "cut.jpg", "no date.mp4"] {
        expect(name, "2001-09-08_214640.000-0400/unknown", "modified");
    }
    expect("raw.dng", "2016-05-04_030201.000none/unknown", "exif-original");
    expect("film.mov", "2020-12-30_190000.000-0500/unknown", "film");
    expect("apple.mov", "2022-08-09_233000.000+1100/unknown", "film-text");
    expect("picture.heic", "2015-04-03_020100.000none/unknown", "exif-original");
    assert_eq!(found, want);
}

#[test]
fn the_manifest_is_checked_by_anybody() {
    let dir = tempfile::tempdir().unwrap();
    let at = |p: &str| dir.path().join(p);
    tree(&at("src"));
    copy_ok(dir.path(), &["-a", "sha256", "--manifest", "dst/SHA256SUMS", "src", "dst"]);
    let check = |program: &str, args: &[&str]| stdout(&run(&at("dst"), program, args, b"")).lines().count();
    assert_eq!(check("sha256sum", &["-c", "SHA256SUMS"]), 13);
    assert_eq!(check(env!("CARGO_BIN_EXE_hashmill"), &["check", "SHA256SUMS"]), 13);
    copy_ok(dir.path(), &["-a", "md5,sha512", "--manifest", "two.txt", "src", "dst"]);
    assert_eq!(check("sha512sum", &["--status", "-c", "../two.txt"]), 0);
    assert_eq!(check(env!("CARGO_BIN_EXE_hashmill"), &["check", "../two.txt"]), 26);
    copy_ok(dir.path(), &["--manifest", "list.json", "--manifest-form", "json", "src", "dst"]);
    assert_eq!(check(env!("CARGO_BIN_EXE_hashmill"), &["check", "../list.json"]), 13);
    // A second import into the same list: old lines stay, and no file gets a second line.
    fs::create_dir(at("more")).unwrap();
    fs::write(at("more/new"), "new").unwrap();
    fs::write(at("more/zero"), "").unwrap();
    copy_ok(dir.path(), &["-a", "sha256", "--manifest", "dst/SHA256SUMS", "more", "dst"]);
    assert_eq!(check("sha256sum", &["-c", "SHA256SUMS"]), 14);
    // A list must never replace a file, nor a file the list.
    fs::create_dir(at("lists")).unwrap();
    fs::write(at("lists/SUMS"), "the source's own").unwrap();
    copy_ok(dir.path(), &["--manifest", "dst/SUMS", "lists", "dst"]);
    assert_eq!(fs::read_to_string(at("dst/SUMS-1")).unwrap(), "the source's own");
    assert!(fs::read_to_string(at("dst/SUMS")).unwrap().contains("SUMS-1"));
    // If the list cannot be written, that must be reported before anything is copied.
    fs::write(at("more/newer"), "newer").unwrap();
    let o = copy(dir.path(), &["--manifest", "nowhere/list", "more", "dst"]);
    assert_eq!(o.status.code(), Some(32));
    let said = text(&o.stderr);
    assert!(said.contains("nowhere/list: no such file or directory; nothing was copied"), "{said}");
    assert!(said.lines().count() == 1 && !at("dst/newer").exists());
}

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
