//! `hashmill copy` when things go wrong: failing calls, killed processes, full disks, bits that flip on the medium.
#![cfg(feature = "copy")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod common;

use common::copying::{copy, copy_ok, files, json, names, temporaries};
use common::faults::shim;
use common::{noise, run, stdout, text};
use hashmill_measure::bare;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Instant;

const EIO: i32 = 5;
const ENOSPC: i32 = 28;
const EROFS: i32 = 30;
const EOPNOTSUPP: i32 = 95;
const EDQUOT: i32 = 122;

/// Runs `hashmill copy` with faults; `then` is the command that the fault `run` runs.
fn faulty(dir: &Path, faults: &str, then: &str, args: &[&str]) -> Output {
    bare::command(env!("CARGO_BIN_EXE_hashmill"))
        .arg("copy")
        .args(args)
        .current_dir(dir)
        .env("LD_PRELOAD", shim())
        .env("FAULTS", faults)
        .env("FAULT_RUN", then)
        .output()
        .unwrap()
}

/// Creates files of various lengths; `victim` has 300,000 bytes.
fn sources(dir: &Path) {
    fs::create_dir_all(dir.join("src/sub")).unwrap();
    for i in 0..12u64 {
        fs::write(dir.join(format!("src/sub/f{i}")), noise(1 << (i + 6), i)).unwrap();
    }
    fs::write(dir.join("src/victim"), noise(300_000, 99)).unwrap();
}

/// Checks that every file in the destination is as in the source, that `missing` files are missing, and that no
/// temporary files are left.
fn sound(dir: &Path, missing: usize) {
    let (from, to) = (files(&dir.join("src")), files(&dir.join("dst")));
    for (name, content) in &to {
        assert!(from.get(name) == Some(content), "{} is wrong", name.display());
    }
    assert_eq!(to.len() + missing, from.len(), "{:?}", to.keys());
    assert_eq!(temporaries(&dir.join("dst")), 0);
}

/// If a call fails on the victim, all other files must be copied, and when the fault is gone, the same command must
/// copy the victim, too.
#[test]
fn failing_calls() {
    let last = ["", "-a skein512", "-a md5,sha256 -j1", "--verify source"];
    for (i, (fault, status, words)) in [
        (format!("read,/src/victim,100000,{EIO},-1"), 1, "src/victim: "),
        (format!("read,/src/victim,0,{EIO},-1"), 1, "src/victim: "),
        (format!("read,/src/victim,299999,{EIO},-1"), 1, "src/victim: "),
        (format!("write,/dst/.hashmill-,262144,{ENOSPC},-1"), 4, "dst/victim: no space left on device"),
        (format!("write,/dst/.hashmill-,200000,{EIO},-1"), 4, "dst/victim: "),
        (format!("fsync,/dst/.hashmill-,0,{EIO},-1"), 4, "dst/victim: "),
        // The copy cannot be read back.
        (format!("read,/dst/.hashmill-,4096,{EIO},-1"), 4, "dst/victim: cannot be read back"),
        // One bit is written wrong, each time.
        ("flip,/dst/.hashmill-,200001,0,-1".into(), 8, "the copy read back from the medium differs"),
        // The source changes during every read.
        ("grow,/src/victim,200000,0,-1".into(), 1, "changed while it was read"),
    ]
    .into_iter()
    .enumerate()
    {
        let dir = tempfile::tempdir().unwrap();
        sources(dir.path());
        let original = fs::read(dir.path().join("src/victim")).unwrap();
        let more = last[i % last.len()].split_whitespace();
        let args: Vec<&str> = more.chain(["src", "dst"]).collect();
        let o = faulty(dir.path(), &fault, "", &args);
        let said = text(&o.stderr);
        assert_eq!(o.status.code(), Some(status), "{fault}: {said}");
        assert!(said.contains(words), "{fault}: {said}");
        assert!(text(&o.stdout).contains("1 FAILED") && text(&o.stdout).contains("12 files copied"), "{fault}");
        sound(dir.path(), 1);
        fs::write(dir.path().join("src/victim"), original).unwrap();
        let said = copy_ok(dir.path(), &args);
        assert!(said.contains("1 file copied") && said.contains("12 there already"), "{fault}: {said}");
        sound(dir.path(), 0);
    }
}

/// A fault that occurs once must be repaired, and a message must say so. Short reads need no message.
#[test]
fn faults_that_pass() {
    for (fault, words) in [
        ("flip,/dst/.hashmill-,200001,0,1", "the copy read back from the medium differs; copying it again"),
        ("grow,/src/victim,200000,0,1", "changed while it was read; copying it again"),
        ("short,/src/,777,0,-1", ""),
        ("short,/dst/,777,0,-1", ""),
    ] {
        for algorithms in ["blake3", "skein512", "md5,sha512"] {
            let dir = tempfile::tempdir().unwrap();
            sources(dir.path());
            let o = faulty(dir.path(), fault, "", &["-a", algorithms, "src", "dst"]);
            assert_eq!(o.status.code(), Some(0), "{fault}: {}", text(&o.stderr));
            assert!(text(&o.stderr).contains(words) && words.is_empty() == o.stderr.is_empty(), "{}", text(&o.stderr));
            sound(dir.path(), 0);
        }
    }
}

/// With `--move`, a source may be deleted only if everything about its copy went well.
#[test]
fn moving_through_faults() {
    for (fault, left) in [
        (format!("fsync,/dst/.hashmill-,0,{EIO},1"), 1),
        (format!("read,.part,0,{EIO},2"), 2),
        ("flip,/dst/.hashmill-,200001,0,-1".into(), 1),
    ] {
        let dir = tempfile::tempdir().unwrap();
        sources(dir.path());
        let before = files(&dir.path().join("src"));
        let o = faulty(dir.path(), &fault, "", &["--move", "-j1", "src", "dst"]);
        assert_ne!(o.status.code(), Some(0), "{fault}");
        let (from, to) = (files(&dir.path().join("src")), files(&dir.path().join("dst")));
        assert_eq!(from.values().filter(|c| *c != b"folder").count(), left, "{fault}: {}", text(&o.stderr));
        // Every file must be in one of the two places, unchanged.
        for (name, content) in &before {
            assert!(from.get(name).or(to.get(name)) == Some(content), "{fault}: {}", name.display());
        }
    }
    // If the folders of the copies cannot be synced, no source may be deleted.
    let dir = tempfile::tempdir().unwrap();
    sources(dir.path());
    let before = files(&dir.path().join("src"));
    let o = faulty(dir.path(), &format!("syncdir,/dst/sub,0,{EIO},-1"), "", &["--move", "src", "dst"]);
    assert_eq!(o.status.code(), Some(4), "{}", text(&o.stderr));
    assert_eq!(files(&dir.path().join("src")), before, "{}", text(&o.stderr));
    // A repair that fails must leave the old file.
    let dir = tempfile::tempdir().unwrap();
    sources(dir.path());
    fs::create_dir(dir.path().join("dst")).unwrap();
    fs::write(dir.path().join("dst/victim"), "old").unwrap();
    let args = ["--on-conflict", "repair", "src", "dst"];
    for fault in ["flip,/dst/.hashmill-,200001,0,-1".to_string(), format!("rename,dst/victim,0,{EROFS},-1")] {
        let o = faulty(dir.path(), &fault, "", &args);
        assert_ne!(o.status.code(), Some(0));
        assert_eq!(fs::read(dir.path().join("dst/victim")).unwrap(), b"old");
        assert_eq!(temporaries(&dir.path().join("dst")), 0);
    }
    copy_ok(dir.path(), &args);
    sound(dir.path(), 0);
}

/// If the copy is killed, at 200 moments spread over the whole run, no incomplete file may have a final name, and the
/// same command must finish the copy and leave nothing temporary.
#[test]
fn killed_at_any_moment() {
    let dir = tempfile::tempdir().unwrap();
    sources(dir.path());
    let from = files(&dir.path().join("src"));
    let start = Instant::now();
    copy_ok(dir.path(), &["src", "dst"]);
    let whole = start.elapsed();
    let mut lucky = 0;
    let mut random = noise(800, 7).into_iter();
    for round in 0..200 {
        let _ = fs::remove_dir_all(dir.path().join("dst"));
        if round % 3 == 0 {
            fs::create_dir(dir.path().join("dst")).unwrap();
            fs::write(dir.path().join("dst/victim"), "another file of the name").unwrap();
        }
        let policy = ["--on-conflict", "repair", "src", "dst"];
        let mut child = bare::command(env!("CARGO_BIN_EXE_hashmill"))
            .arg("copy")
            .args(policy)
            .current_dir(dir.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let fraction = f64::from(u16::from(random.next().unwrap()) << 8 | u16::from(random.next().unwrap())) / 65536.0;
        std::thread::sleep(whole.mul_f64(fraction));
        child.kill().unwrap();
        lucky += usize::from(child.wait().unwrap().success());
        if dir.path().join("dst").exists() {
            for (name, content) in files(&dir.path().join("dst")) {
                let temporary = name.file_name().unwrap().to_string_lossy().starts_with(".hashmill-");
                let old = content == b"another file of the name";
                assert!(temporary || old || from.get(&name) == Some(&content), "round {round}: {}", name.display());
            }
        }
        copy_ok(dir.path(), &policy);
        sound(dir.path(), 0);
    }
    // If most runs were over before they were killed, this test would show nothing.
    assert!(lucky < 150, "{lucky} of 200 runs were done before they were killed");
}

/// Two imports run at once into one folder: nothing may be lost or overwritten.
#[test]
fn two_at_once() {
    for round in 0..8 {
        let dir = tempfile::tempdir().unwrap();
        for (card, seed) in [("one", 0u64), ("two", 1)] {
            fs::create_dir(dir.path().join(card)).unwrap();
            for i in 0..40u64 {
                // Half of one card's names are on the other card, too, and half of those are the same picture.
                let name = if i < 20 { format!("IMG_{i}.jpg") } else { format!("IMG_{card}_{i}.jpg") };
                let content = if i < 10 { i } else { 1000 * (seed + 1) + i };
                fs::write(dir.path().join(card).join(name), noise(20_000, content + round)).unwrap();
            }
        }
        let start = |card: &str| {
            bare::command(env!("CARGO_BIN_EXE_hashmill"))
                .args(["copy", "--photos", "--layout", "{name}", card, "dst"])
                .current_dir(dir.path())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        };
        let (a, b) = (start("one"), start("two"));
        for o in [a.wait_with_output().unwrap(), b.wait_with_output().unwrap()] {
            assert!(o.status.success() && o.stderr.is_empty(), "{}", text(&o.stderr));
        }
        let there: Vec<Vec<u8>> = files(&dir.path().join("dst")).into_values().collect();
        for card in ["one", "two"] {
            for (name, content) in files(&dir.path().join(card)) {
                assert!(there.contains(&content), "{} is lost", name.display());
            }
        }
        // Ten pictures are on both cards, ten names belong to a different picture on each, and each card has twenty
        // names of its own.
        assert_eq!(there.len(), 70, "{:?}", names(&dir.path().join("dst")));
        assert_eq!(temporaries(&dir.path().join("dst")), 0);
    }
}

/// A file system at `disk` in a folder, mounted until it is dropped: ext4 in a file (`new`) or tmpfs (`memory`). Both
/// return `None` if it cannot be mounted.
struct Disk {
    dir: PathBuf,
}

impl Disk {
    fn new(dir: &Path, mebibytes: u64) -> Option<Disk> {
        let image = dir.join("image");
        fs::File::create(&image).unwrap().set_len(mebibytes << 20).unwrap();
        let done = |program: &str, args: &[&str]| {
            Command::new(program).args(args).current_dir(dir).output().is_ok_and(|o| o.status.success())
        };
        fs::create_dir(dir.join("disk")).unwrap();
        if !done("mkfs.ext4", &["-q", "-m", "0", "image"]) || !done("mount", &["-o", "loop", "image", "disk"]) {
            common::skip("no file system can be mounted here");
            return None;
        }
        Some(Disk { dir: dir.into() })
    }

    fn memory(dir: &Path, mebibytes: u64) -> Option<Disk> {
        fs::create_dir_all(dir.join("disk")).unwrap();
        let size = format!("size={mebibytes}m");
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", &size, "none", "disk"]).current_dir(dir).status();
        if !mounted.is_ok_and(|s| s.success()) {
            common::skip("no file system can be mounted here");
            return None;
        }
        Some(Disk { dir: dir.into() })
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("disk").current_dir(&self.dir).status();
    }
}

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
        for name in there.keys().filter(|n| n.as_os_str().as_encoded_bytes() < b"f10") {
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
            let missing = |v: &serde_json::Value| v["missing_bytes"].as_u64().unwrap();
            assert!(missing(&planned) > 1 << 20 && missing(&planned).abs_diff(missing(&after)) < 1 << 20, "{after}");
            assert!(after["free_bytes"].as_u64().unwrap() > 1 << 20, "{after}");
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

/// If a bit flips on the medium after the copy was written and synced, the page cache does not show it, but the
/// verification must notice it.
#[test]
fn a_bit_flips_on_the_medium() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("src")).unwrap();
    let mark = noise(4096, 4711);
    fs::write(dir.path().join("src/picture"), [noise(100 * 4096, 1), mark.clone(), noise(5000, 2)].concat()).unwrap();
    let Some(_disk) = Disk::new(dir.path(), 32) else { return };
    // Finds the block in the image of the mounted file system, and changes one bit of it.
    let flip = dir.path().join("flip.py");
    let code = "import mmap\nf = open('image', 'r+b')\nm = mmap.mmap(f.fileno(), 0)\n\
        at = m.find(open('mark', 'rb').read())\nassert at > 0\nm[at + 77] ^= 16\nm.flush()\n";
    fs::write(&flip, code).unwrap();
    fs::write(dir.path().join("mark"), &mark).unwrap();
    let command = format!("python3 -I {}", flip.display());
    // A bit that flips once is noticed, and the second copy is right.
    let o = faulty(dir.path(), "run,/disk/.hashmill-,0,0,1", &command, &["src", "disk"]);
    assert_eq!(o.status.code(), Some(0), "{}", text(&o.stderr));
    assert!(
        text(&o.stderr).contains("the copy read back from the medium differs; copying it again"),
        "{}",
        text(&o.stderr)
    );
    assert!(text(&o.stdout).contains("1 copied twice") && text(&o.stdout).contains("O_DIRECT"));
    let there = dir.path().join("disk/picture");
    assert_eq!(fs::read(&there).unwrap(), fs::read(dir.path().join("src/picture")).unwrap());
    // If the copy is not read back from the medium, the same fault goes unnoticed: the page cache still has what was
    // written.
    fs::remove_file(&there).unwrap();
    let o = faulty(dir.path(), "run,/disk/.hashmill-,0,0,1", &command, &["--fresh", "--verify", "hash", "src", "disk"]);
    assert_eq!(o.status.code(), Some(0), "{}", text(&o.stderr));
    stdout(&run(dir.path(), "umount", &["disk"], b""));
    stdout(&run(dir.path(), "mount", &["-o", "loop", "image", "disk"], b""));
    assert_ne!(fs::read(&there).unwrap(), fs::read(dir.path().join("src/picture")).unwrap());
}

/// A card that is removed while it is read, and a destination that is read-only.
#[test]
fn vanished_and_read_only() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("src")).unwrap();
    sources(dir.path());
    let o = faulty(
        dir.path(),
        "run,/dst/.hashmill-,0,0,1",
        "cp -r src gone; rm -r src/*; sleep 0.1",
        &["-j1", "--verify", "source", "src", "dst"],
    );
    assert_eq!(o.status.code(), Some(1), "{}", text(&o.stderr));
    fs::remove_dir_all(dir.path().join("src")).unwrap();
    fs::rename(dir.path().join("gone"), dir.path().join("src")).unwrap();
    let (from, to) = (files(&dir.path().join("src")), files(&dir.path().join("dst")));
    assert!(to.iter().all(|(name, content)| from.get(name) == Some(content)));
    assert_eq!(temporaries(&dir.path().join("dst")), 0);
    copy_ok(dir.path(), &["src", "dst"]);
    sound(dir.path(), 0);

    let inner = tempfile::tempdir().unwrap();
    let Some(_disk) = Disk::new(inner.path(), 16) else { return };
    stdout(&run(inner.path(), "mount", &["-o", "remount,ro", "disk"], b""));
    let disk = inner.path().join("disk/photos");
    let o = copy(dir.path(), &["src", disk.to_str().unwrap()]);
    assert_eq!(o.status.code(), Some(4));
    assert!(text(&o.stderr).contains("read-only file system") && text(&o.stderr).lines().count() == 1);
}
