//! What copies keep for later: the list by which a folder is audited, damage that a copy meets, and repairs.

use crate::support::injected::{copying, faulty, said, within};
use crate::support::running::{copy, copy_ok, json};
use crate::support::trees::{folder, write};
use hashmill_testing::{hashmill, text};
use serde_json::Value;
use std::fs::{self, File, FileTimes};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;

/// Changes one bit of a file without changing its length or its time, as a disk does.
pub(crate) fn rot(path: &Path) {
    let time = fs::metadata(path).unwrap().modified().unwrap();
    let mut content = fs::read(path).unwrap();
    content[0] ^= 1;
    fs::write(path, content).unwrap();
    File::options().write(true).open(path).unwrap().set_times(FileTimes::new().set_modified(time)).unwrap();
}

fn audit(d: &Path, args: &[&str]) -> Output {
    hashmill(d, &[&["audit"], args].concat())
}

/// Returns the lines of the list that copies keep, by name.
fn kept(d: &Path) -> Vec<Value> {
    let list = fs::read_to_string(d.join("dst/.hashmill/list.json")).unwrap_or_default();
    list.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_folder_is_audited_by_the_list_that_copies_keep() {
    let dir = folder(&[("src/a", "content a"), ("src/b/c", "content c"), ("more/d", "content d")]);
    let d = dir.path();
    copy_ok(d, &["src", "dst"]);
    let first = fs::read(d.join("dst/.hashmill/list.json")).unwrap();
    copy_ok(d, &["-a", "md5", "more", "dst"]);
    let names: Vec<String> = kept(d).iter().map(|line| line["path"].as_str().unwrap().to_string()).collect();
    assert_eq!(names, ["a", "b/c", "d"]);
    // What was asked for, and a digest that tells files apart.
    let digests = kept(d)[2]["digests"].clone();
    assert!(digests["md5"].is_string() && digests["blake3"].is_string(), "{digests}");
    assert!(fs::read(d.join("dst/.hashmill/list.json")).unwrap().starts_with(&first));
    // A run that has nothing to say does not write the list again.
    let before = fs::metadata(d.join("dst/.hashmill/list.json")).unwrap().modified().unwrap();
    copy_ok(d, &["src", "dst"]);
    assert_eq!(fs::metadata(d.join("dst/.hashmill/list.json")).unwrap().modified().unwrap(), before);
    for place in ["dst", "dst/.hashmill/list.json"] {
        let o = audit(d, &[place]);
        assert_eq!((o.status.code(), text(&o.stdout)), (Some(0), "dst: 3 same; 27 B read\n".into()), "{}", said(&o));
    }
    // The folder may be called anything, and be anywhere.
    fs::rename(d.join("dst"), d.join("b")).unwrap();
    fs::create_dir(d.join("x")).unwrap();
    let o = hashmill(&d.join("x"), &["audit", "../b"]);
    assert_eq!(text(&o.stdout), "../b: 3 same; 27 B read\n", "{}", said(&o));
    let o = hashmill(&d.join("x"), &["check", "../b/.hashmill/list.json"]);
    assert_eq!(text(&o.stdout), "a: OK\nb/c: OK\nd: OK\n", "{}", said(&o));
    fs::rename(d.join("b"), d.join("dst")).unwrap();
    // Later changes are reported, and taken over on demand.
    rot(&d.join("dst/a"));
    fs::rename(d.join("dst/b/c"), d.join("dst/c")).unwrap();
    write(d, "dst/new", "new");
    let o = audit(d, &["dst"]);
    assert_eq!(
        (o.status.code(), text(&o.stdout)),
        (
            Some(1),
            "rotten      a\nmoved       b/c -> c\nnew         new\n\
             dst: 1 same, 1 moved, 1 new, 1 rotten; 30 B read\n"
                .into()
        )
    );
    let o = hashmill(d, &["sum", "--update", "dst"]);
    assert_eq!(o.status.code(), Some(0), "{}", said(&o));
    assert!(text(&audit(d, &["dst"]).stdout).ends_with("dst: 3 same, 1 rotten; 30 B read\n"));
    // Without records there is none, and nothing to compare with.
    copy_ok(d, &["--no-catalogue", "src", "bare"]);
    let o = audit(d, &["bare"]);
    assert!(!d.join("bare/.hashmill").exists() && o.status.code() == Some(2), "{}", said(&o));
}

#[test]
fn a_copy_next_to_a_damaged_file_says_so() {
    let dir = folder(&[("src/a", "content a"), ("src/b", "content b")]);
    let d = dir.path();
    copy_ok(d, &["src", "dst"]);
    // An edit is no damage.
    write(d, "dst/b", "CONTENT b");
    rot(&d.join("dst/a"));
    for (options, status, there) in [("rename", 8, 2), ("skip", 8, 0), ("fail", 8 | 16, 0), ("repair", 0, 0)] {
        let o = copy(d, &["--on-conflict", options, "--json", "src", "dst"]);
        assert_eq!(o.status.code(), Some(status), "{options}: {}", said(&o));
        let events = json(&o);
        let warned: Vec<&str> =
            events.iter().filter(|e| e["verdict"] == "warning").map(|e| e["path"].as_str().unwrap()).collect();
        assert_eq!(warned, if options == "repair" { &[][..] } else { &["dst/a"] }, "{options}");
        assert_eq!(events.last().unwrap()["totals"]["damaged"], warned.len(), "{options}");
        let copies = ["dst/a-1", "dst/b-1"].iter().filter(|name| fs::remove_file(d.join(name)).is_ok()).count();
        assert_eq!(copies, there, "{options}");
    }
    assert_eq!(fs::read(d.join("dst/a")).unwrap(), b"content a");
    // What cannot be read is not passed over either.
    let o = within(60, &mut faulty("read,/dst/a,0,-1,e5", "", &copying(d, &["--fresh", "src", "dst"])));
    assert_eq!(o.status.code(), Some(8), "{}", said(&o));
    assert!(text(&o.stderr).contains("dst/a: warning: cannot be compared with the source: "), "{}", said(&o));
    assert_eq!(fs::read(d.join("dst/a-1")).unwrap(), b"content a");
}

#[test]
fn damaged_files_are_repaired_from_verified_copies() {
    let files = [("src/a", "content a"), ("src/b/c", "content c"), ("src/d", "content d"), ("src/e", "content e")];
    let dir = folder(&files);
    let d = dir.path();
    fs::set_permissions(d.join("src/a"), fs::Permissions::from_mode(0o640)).unwrap();
    copy_ok(d, &["src", "dst"]);
    // A second copy under other names. That of d is damaged, too; e has been changed on purpose.
    copy_ok(d, &["src", "backup/x"]);
    fs::rename(d.join("backup/x/a"), d.join("backup/another name")).unwrap();
    fs::set_permissions(d.join("backup/another name"), fs::Permissions::from_mode(0o600)).unwrap();
    for name in ["dst/a", "dst/b/c", "dst/d", "backup/x/d"] {
        rot(&d.join(name));
    }
    write(d, "dst/e", "CONTENT e");
    let time = |name: &str| fs::metadata(d.join(name)).unwrap().modified().unwrap();
    let (damaged, before) = (fs::read(d.join("dst/a")).unwrap(), time("dst/a"));
    let o = audit(d, &["--repair", "nowhere", "dst"]);
    assert_eq!(o.status.code(), Some(2), "{}", said(&o));
    let o = audit(d, &["--repair", "backup", "dst"]);
    assert_eq!(o.status.code(), Some(1), "{}", said(&o));
    let mut lines: Vec<String> = text(&o.stdout).lines().map(str::to_string).collect();
    lines[4..6].sort();
    assert_eq!(
        lines,
        [
            "rotten      a",
            "rotten      b/c",
            "rotten      d",
            "changed     e",
            "repaired    a  (from backup/another name; the damaged file was kept as dst/.hashmill/damaged/a)",
            "repaired    b/c  (from backup/x/b/c; the damaged file was kept as dst/.hashmill/damaged/b/c)",
            "dst: 0 same, 1 changed, 3 rotten, 2 repaired; 36 B read",
        ]
    );
    assert_eq!(text(&o.stderr), "hashmill: d: not repaired: there is no copy in backup\n");
    // The metadata are those that the file had.
    assert_eq!((fs::read(d.join("dst/a")).unwrap(), time("dst/a")), (b"content a".to_vec(), before));
    assert_eq!(fs::metadata(d.join("dst/a")).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(fs::read(d.join("dst/.hashmill/damaged/a")).unwrap(), damaged);
    let o = audit(d, &["dst"]);
    assert_eq!(text(&o.stdout), "rotten      d\nchanged     e\ndst: 2 same, 1 changed, 1 rotten; 36 B read\n");
    // Again: another name for what is kept. And as JSON, from what the medium has next to it.
    rot(&d.join("dst/a"));
    fs::copy(d.join("src/d"), d.join("dst/copy of d")).unwrap();
    let o = audit(d, &["--json", "--repair", ".", "dst"]);
    let lines: Vec<Value> = text(&o.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let repaired: Vec<&Value> = lines.iter().filter(|line| line["verdict"] == "repaired").collect();
    assert_eq!(repaired.len(), 2, "{}", said(&o));
    assert!(repaired.iter().any(|line| line["kept"] == "dst/.hashmill/damaged/a-1" && line["path"] == "a"));
    assert_eq!(lines.last().unwrap()["totals"]["repaired"], 2);
    assert!(fs::read(d.join("dst/d")).unwrap() == b"content d" && audit(d, &["dst"]).status.code() == Some(1));
}

/// Without times, nobody knows whether a file was changed on purpose: only if a copy has its length and its time, it
/// was not.
#[test]
fn what_only_differs_is_repaired_if_its_copy_has_the_same_time() {
    let dir = folder(&[("t/a", "content a"), ("t/b", "content b"), ("t/c", "content c")]);
    let d = dir.path();
    let o = hashmill(d, &["sum", "-r", "-a", "sha256", "-o", "SHA256SUMS", "t"]);
    assert!(o.status.success());
    copy_ok(d, &["--no-catalogue", "t", "backup"]);
    rot(&d.join("t/a"));
    write(d, "t/b", "CONTENT b");
    File::options()
        .write(true)
        .open(d.join("t/b"))
        .unwrap()
        .set_times(FileTimes::new().set_modified(std::time::UNIX_EPOCH))
        .unwrap();
    let o = audit(d, &["--repair", "backup", "SHA256SUMS"]);
    assert_eq!(o.status.code(), Some(1));
    assert_eq!(
        text(&o.stdout),
        "differs     t/a\ndiffers     t/b\nrepaired    t/a  (from backup/a; the damaged file was kept as t/.hashmill/damaged/a)\n\
         t: 1 same, 2 differing, 1 repaired; 27 B read\n",
        "{}",
        said(&o)
    );
    assert_eq!(
        text(&o.stderr),
        "hashmill: t/b: not repaired: there is no copy of the same length and time in backup\n"
    );
    assert_eq!(fs::read(d.join("t/b")).unwrap(), b"CONTENT b");
}

/// A part of an archive is audited by the list of the whole, whatever it is called from, and repaired as part of it.
#[test]
fn a_part_of_an_archive() {
    let dir = folder(&[("src/2023/a", "content a"), ("src/2024/b", "content b"), ("src/2024/c/d", "content d")]);
    let d = dir.path();
    copy_ok(d, &["src", "dst"]);
    copy_ok(d, &["src", "backup"]);
    rot(&d.join("dst/2023/a"));
    rot(&d.join("dst/2024/b"));
    write(d, "dst/2024/new", "new");
    let want = "rotten      2024/b\nnew         2024/new\n";
    std::os::unix::fs::symlink(d.join("dst/2024"), d.join("link")).unwrap();
    let whole = d.join("dst/2024");
    for (from, part) in
        [("", "dst/2024"), ("dst", "2024"), ("dst/2024", "."), ("", whole.to_str().unwrap()), ("", "link")]
    {
        let o = hashmill(&d.join(from), &["audit", part]);
        let out = text(&o.stdout);
        assert!(out.starts_with(want) && out.contains(": 1 same, 1 new, 1 rotten; "), "{from} {part}: {}", said(&o));
        assert_eq!(o.status.code(), Some(1));
    }
    let o = hashmill(&d.join("dst"), &["audit", "--repair", "../backup", "2024"]);
    assert!(text(&o.stdout).contains("repaired    2024/b"), "{}", said(&o));
    assert!(d.join("dst/.hashmill/damaged/2024/b").is_file() && !d.join("dst/2024/.hashmill").exists());
    let o = audit(d, &["dst"]);
    assert!(text(&o.stdout).contains("dst: 2 same, 1 new, 1 rotten; "), "{}", said(&o));
    // A folder of which nothing is listed has only new files.
    write(d, "dst/other/x", "x");
    let o = audit(d, &["--allow-new", "dst/other"]);
    assert_eq!(
        (text(&o.stdout).as_str(), o.status.code()),
        ("new         other/x\ndst/other: 0 same, 1 new; 1 B read\n", Some(0))
    );
}
