//! Full disks: what does not fit is refused before it is written, and the rest is copied.

use crate::support::disk::Disk;
use crate::support::running::{copy, copy_ok, files, json, names, temporaries};
use crate::support::shimmed::{EDQUOT, EOPNOTSUPP, faulty, sound, sources};
use hashmill_testing::{noise, run, stdout, text};
use std::fs;
use std::path::Path;

/// On a full disk, files that fit are copied, and the others follow once there is more room.
#[test]
fn a_full_disk() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("src")).unwrap();
    for i in 0..20u64 {
        fs::write(dir.path().join(format!("src/f{i:02}")), noise(1 << 20, i)).unwrap();
    }
    let Some(_disk) = Disk::new(dir.path(), 16) else { return };
    for verify in ["reread", "hash"] {
        let to = format!("disk/{verify}");
        let o = copy(dir.path(), &["--verify", verify, "src", &to]);
        assert_eq!(o.status.code().unwrap() & !32, 4, "{}", text(&o.stderr));
        let said = text(&o.stderr);
        assert!(said.contains("does not fit: 1.00 MiB needed, ") && said.contains(" free in disk/"), "{said}");
        assert!(text(&o.stdout).contains(" more are needed in disk/"), "{}", text(&o.stdout));
        let (from, there) = (files(&dir.path().join("src")), files(&dir.path().join(&to)));
        assert!(there.len() >= 5 && there.len() < 20, "{}", there.len());
        assert!(there.iter().all(|(name, content)| from.get(name) == Some(content)));
        assert_eq!(temporaries(&dir.path().join(&to)), 0);
        // Make room for all remaining files, but not for all twenty.
        for i in 0..10 {
            let _ = fs::remove_file(dir.path().join(format!("src/f{i:02}")));
        }
        for name in there.keys().filter(|n| n.as_os_str().as_encoded_bytes() < &b"f10"[..]) {
            fs::remove_file(dir.path().join(&to).join(name)).unwrap();
        }
        copy_ok(dir.path(), &["--verify", verify, "src", &to]);
        assert_eq!(files(&dir.path().join("src")), files(&dir.path().join(&to)));
        fs::remove_dir_all(dir.path().join(&to)).unwrap();
        for i in 0..10u64 {
            fs::write(dir.path().join(format!("src/f{i:02}")), noise(1 << 20, i)).unwrap();
        }
    }
}

/// Creates files `src/0`, `src/1` and so on with these lengths in MiB.
fn large(dir: &Path, mebibytes: &[usize]) {
    fs::create_dir_all(dir.join("src")).unwrap();
    for (i, n) in mebibytes.iter().enumerate() {
        fs::write(dir.join(format!("src/{i}")), noise(n << 20, i as u64)).unwrap();
    }
}

/// Files that are copied side by side must not fill the disk together: as many arrive as would one after the other.
/// That must not depend on the file system's ability to allocate space.
#[test]
fn files_that_do_not_fit() {
    for (kind, fault) in [("ext4", ""), ("tmpfs", ""), ("ext4", "alloc"), ("tmpfs", "alloc")] {
        let dir = tempfile::tempdir().unwrap();
        let disk = if kind == "ext4" { Disk::new(dir.path(), 64) } else { Disk::memory(dir.path(), 60) };
        let Some(_disk) = disk else { return };
        let fault = if fault.is_empty() { String::new() } else { format!("alloc,/disk/,0,{EOPNOTSUPP},-1") };
        for (lengths, arrive) in [(&[40, 40, 40, 40][..], 1), (&[70, 10, 10, 10], 3)] {
            large(dir.path(), lengths);
            let planned = copy(dir.path(), &["-n", "src", "disk"]);
            assert_eq!((planned.status.code(), planned.stderr.len()), (Some(4), 0), "{}", text(&planned.stderr));
            let said = text(&planned.stdout);
            assert!(said.contains("4 files would be copied") && said.contains("; does not fit: "), "{said}");
            assert!(said.contains(" MiB more are needed in disk ("), "{said}");
            let planned = json(&copy(dir.path(), &["-n", "--json", "src", "disk"])).pop().unwrap();
            let o = faulty(dir.path(), &fault, "", &["src", "disk"]);
            let said = text(&o.stderr);
            assert_eq!((o.status.code(), said.lines().count()), (Some(4), 4 - arrive), "{kind} {fault}: {said}");
            let refusal = format!("hashmill: src/0: does not fit: {}.00 MiB needed, ", lengths[0]);
            assert!(arrive == 1 || said.starts_with(&refusal), "{kind} {fault}: {said}");
            assert!(said.lines().all(|l| l.contains(": does not fit: ") && l.ends_with(" free in disk")), "{said}");
            let closing = text(&o.stdout);
            assert!(closing.contains(&format!(", {} FAILED; ", 4 - arrive)), "{closing}");
            assert!(closing.contains(" MiB more are needed in disk ("), "{closing}");
            assert_eq!(temporaries(&dir.path().join("disk")), 0);
            let there = names(&dir.path().join("disk")).iter().filter(|n| *n != "lost+found").count();
            assert_eq!(there, arrive, "{kind} {fault}");
            // The plan and the outcome say the same, but for what the records take.
            let after = json(&faulty(dir.path(), &fault, "", &["--json", "src", "disk"])).pop().unwrap();
            let missing = |v: &serde_json::Value| v["totals"]["missing_bytes"].as_u64().unwrap();
            assert!(missing(&planned) > 1 << 20 && missing(&planned).abs_diff(missing(&after)) < 1 << 20, "{after}");
            assert!(after["totals"]["free_bytes"].as_u64().unwrap() > 1 << 20, "{after}");
            // What has arrived needs no room.
            for name in names(&dir.path().join("src")) {
                if !dir.path().join("disk").join(&name).exists() {
                    fs::remove_file(dir.path().join("src").join(name)).unwrap();
                }
            }
            let said = copy_ok(dir.path(), &["src", "disk"]);
            assert!(said.contains(&format!("{arrive} there already")) && !said.contains("needed"), "{said}");
            for name in names(&dir.path().join("src")) {
                fs::remove_file(dir.path().join("disk").join(name)).unwrap();
            }
        }
    }
}

/// A repair needs room for the old and the new file, and gives back that of the old one, which others then may need.
#[test]
fn room_for_repairs() {
    let dir = tempfile::tempdir().unwrap();
    let Some(_disk) = Disk::memory(dir.path(), 64) else { return };
    let args = ["--on-conflict", "repair", "src", "disk"];
    large(dir.path(), &[12, 12, 12, 12]);
    for i in 0..4 {
        fs::write(dir.path().join(format!("disk/{i}")), noise(12 << 20, 99)).unwrap();
    }
    let plan = copy_ok(dir.path(), &["-n", "--on-conflict", "repair", "src", "disk"]);
    assert!(plan.contains("4 of them in place of others") && !plan.contains("needed"), "{plan}");
    let said = copy_ok(dir.path(), &args);
    assert!(said.contains("4 of them in place of others"), "{said}");
    assert_eq!(files(&dir.path().join("src")), files(&dir.path().join("disk")));
    // There is no room for both, so the old one stays.
    for i in 0..4 {
        fs::remove_file(dir.path().join(format!("src/{i}"))).unwrap();
        fs::remove_file(dir.path().join(format!("disk/{i}"))).unwrap();
    }
    large(dir.path(), &[40]);
    fs::write(dir.path().join("disk/0"), noise(40 << 20, 99)).unwrap();
    for dry in [true, false] {
        let o = copy(dir.path(), &[if dry { &["-n"][..] } else { &[] }, &args].concat());
        assert_eq!(o.status.code(), Some(4), "{}", text(&o.stderr));
        assert!(text(&o.stdout).contains(" more are needed in disk "), "{}", text(&o.stdout));
    }
    assert_eq!(fs::read(dir.path().join("disk/0")).unwrap(), noise(40 << 20, 99));
}

/// Holes need no room, other file systems below the destination have their own, and quotas are left to the system.
#[test]
fn room_elsewhere() {
    let dir = tempfile::tempdir().unwrap();
    let Some(_disk) = Disk::memory(dir.path(), 16) else { return };
    fs::create_dir_all(dir.path().join("src")).unwrap();
    let sparse = fs::File::create(dir.path().join("src/sparse")).unwrap();
    sparse.set_len(1 << 30).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&sparse, &noise(1 << 20, 1), 5 << 20).unwrap();
    let copies = |args: &[&str]| copy_ok(dir.path(), &[&["--verify", "hash"], args].concat());
    assert!(!copies(&["-n", "src", "disk"]).contains("needed"));
    assert!(copies(&["src", "disk"]).contains("1 file copied"));
    fs::remove_file(dir.path().join("disk/sparse")).unwrap();
    fs::remove_dir_all(dir.path().join("disk/.hashmill")).unwrap();
    fs::remove_file(dir.path().join("src/sparse")).unwrap();
    // DEST itself has room for the file, but what is mounted below it has none. A plan knows what is free before DEST
    // exists.
    fs::create_dir_all(dir.path().join("src/disk/new")).unwrap();
    fs::write(dir.path().join("src/disk/new/large"), noise(20 << 20, 1)).unwrap();
    fs::write(dir.path().join("src/large"), noise(20 << 20, 2)).unwrap();
    let plan = copy(dir.path(), &["-n", "src", "disk/to/come"]);
    assert!(text(&plan.stdout).contains("24.00 MiB more are needed in disk/to/come (16.00 MiB free)"));
    fs::create_dir(dir.path().join("to")).unwrap();
    let outer = dir.path().join("to");
    fs::create_dir(outer.join("disk")).unwrap();
    stdout(&run(dir.path(), "mount", &["--bind", "disk", "to/disk"], b""));
    let o = copy(dir.path(), &["src", "to"]);
    stdout(&run(dir.path(), "umount", &["to/disk"], b""));
    assert_eq!(o.status.code(), Some(4));
    let refusal = "hashmill: src/disk/new/large: does not fit: 20.00 MiB needed, 16.00 MiB free in to/disk/new\n";
    assert_eq!(text(&o.stderr), refusal);
    assert!(outer.join("large").exists() && text(&o.stdout).contains("1 file copied"));
    // A quota is none of our business.
    let quota = tempfile::tempdir().unwrap();
    sources(quota.path());
    let o = faulty(quota.path(), &format!("alloc,/dst/.hashmill-,0,{EDQUOT},1"), "", &["-j1", "src", "dst"]);
    assert_eq!(o.status.code(), Some(4));
    assert!(text(&o.stderr).contains("quota exceeded") && !text(&o.stdout).contains("needed"), "{}", text(&o.stderr));
    sound(quota.path(), 1);
}
