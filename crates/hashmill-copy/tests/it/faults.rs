//! Calls that fail, runs that are killed, runs at the same time, media that return something else.

use crate::support::disk::Disk;
use crate::support::running::{copy, copy_ok, files, names, temporaries};
use crate::support::shimmed::{EIO, ENOSPC, EROFS, faulty, sound, sources};
use hashmill_measure::bare;
use hashmill_testing::{executable, noise, run, stdout, text};
use std::fs;
use std::process::Stdio;
use std::time::Instant;

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
        (format!("syncfs,/dst,0,{EIO},-1;fsync,/dst/.hashmill-,0,{EIO},-1"), 4, "dst/victim: "),
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
        (format!("syncfs,/dst,0,{EIO},1;fsync,/dst/.hashmill-,0,{EIO},1"), 1),
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
        let mut child = bare::command(executable())
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
            bare::command(executable())
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
    // Small files may be made durable together, and then none of them is by itself.
    fs::write(dir.path().join("src/large"), noise(2 << 20, 5)).unwrap();
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
