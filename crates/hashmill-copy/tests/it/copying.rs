//! `hashmill copy`: trees, selections, duplicates, rehearsals.

use crate::support::running::{copy, copy_ok, files, json, summary, temporaries};
use crate::support::trees::{sources, tree};
use hashmill_testing::{noise, text};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

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
    let of = |action: &str| events.iter().filter(|e| e["verdict"] == action).count();
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
