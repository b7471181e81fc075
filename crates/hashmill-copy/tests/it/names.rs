//! The names that copies get: conflicts, counters, fields of a layout, the longest names.

use crate::support::running::{copy, copy_ok, files, names, temporaries};
use crate::support::trees::{dated, sources};
use hashmill_testing::{hashmill, noise, run, stdout, text};
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;

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

/// Camera names are parts of paths, so they must be made safe.
#[test]
fn cameras_of_odd_names() {
    let dir = sources();
    let d = dir.path();
    let before = fs::metadata(d.join("s/a")).unwrap().ino();
    fs::write(d.join("s/b.jpg"), dated("2024:05:31 14:25:07")).unwrap();
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
