//! Where the machine has limits: media that fail, few descriptors, files longer than any memory.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;
#[path = "attack/fuse.rs"]
#[allow(dead_code, reason = "a part of what can be strange about a file system is used here")]
mod fuse;

use common::{hashmill, noise, run, run_as, skip, stdout, text};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Whether the program can be called.
fn is_here(program: &str) -> bool {
    let here = Command::new(program).arg("--version").output().is_ok();
    if !here {
        skip(&format!("no {program}"));
    }
    here
}

/// What a medium that fails in the middle of a file does to one program and to the other.
#[test]
fn a_medium_that_fails() {
    if fs::File::options().read(true).write(true).open("/dev/fuse").is_err() {
        return skip("no /dev/fuse");
    }
    let dir = tempfile::tempdir().unwrap();
    let (behind, at) = (dir.path().join("behind"), dir.path().join("at"));
    fs::create_dir(&behind).unwrap();
    // Long enough for every way to read a file, the bad byte behind the first read and in the first one.
    let files = [("good", 10), ("bad-short", 3 << 20), ("good-too", 100_000), ("bad-long", 48 << 20), ("end", 0)];
    for (i, (name, len)) in files.iter().enumerate() {
        fs::write(behind.join(name), noise(*len, i as u64)).unwrap();
    }
    let names = files.map(|f| f.0);
    for bad_from in [1, 70_000, 2_500_000] {
        let shown = fuse::show(&behind, &at, fuse::Ideas { bad_from, ..Default::default() });
        for program in ["md5sum", "sha256sum", "b2sum", "sum", "b3sum"] {
            // This one would be ended by SIGBUS otherwise.
            let options = if program == "b3sum" { &["--no-mmap"][..] } else { &[] };
            if !is_here(program) {
                continue;
            }
            let args = [options, &names].concat();
            let theirs = run(&at, program, &args, b"");
            let ours = run_as(&at, env!("CARGO_BIN_EXE_hashmill"), program, &args, b"");
            assert_eq!(text(&ours.stderr), text(&theirs.stderr), "{program} {bad_from}: messages");
            assert_eq!(text(&ours.stdout), text(&theirs.stdout), "{program} {bad_from}: output");
            assert_eq!(ours.status.code(), theirs.status.code(), "{program} {bad_from}");
        }
        // cksum prints the checksum of what came before, as if that were all; xxhsum ends.
        for (program, says) in [
            ("cksum", ["bad-short", "bad-long"].map(|n| format!("cksum: {n}: Input/output error\n"))),
            (
                "xxhsum",
                ["bad-short", "bad-long"].map(|n| format!("Error: Could not read '{n}': Input/output error. \n")),
            ),
        ] {
            let o = run_as(&at, env!("CARGO_BIN_EXE_hashmill"), program, &names, b"");
            assert_eq!((text(&o.stderr), o.status.code()), (says.concat(), Some(1)), "{program} {bad_from}");
            let of = |name: &str| text(&o.stdout).lines().any(|l| l.ends_with(name));
            assert_eq!(names.map(of), [true, false, true, false, true], "{program} {bad_from}");
        }
        for list in ["md5", "blake3", "xxh3", "md5,sha1", "crc32"] {
            for io in ["auto", "parallel", "direct"] {
                let o = hashmill(&at, &[&["sum", "--io", io, "-a", list], &names[..]].concat());
                let said = "hashmill: bad-short: input/output error\nhashmill: bad-long: input/output error\n";
                assert_eq!(text(&o.stderr), said, "{list} {io}");
                assert_eq!(o.status.code(), Some(1), "{list} {io}");
                let tagged = |name: &str| format!("({name}) = ");
                let of = |name: &str| text(&o.stdout).lines().any(|l| l.ends_with(name) || l.contains(&tagged(name)));
                assert_eq!(names.map(of), [true, false, true, false, true], "{list} {io}");
            }
        }
        drop(shown);
    }
}

/// Few descriptors make the work slower, no more.
#[test]
fn few_descriptors() {
    let dir = tempfile::tempdir().unwrap();
    for i in 0..1500u64 {
        let folder = dir.path().join(format!("d{}", i % 30));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("f{i}")), noise(if i % 100 == 0 { 300_000 } else { 10 * i as usize }, i))
            .unwrap();
    }
    for list in ["md5", "blake3", "md5,sha1", "md2"] {
        let wanted = stdout(&hashmill(dir.path(), &["sum", "-r", "-a", list, "."]));
        assert_eq!(wanted.lines().count(), 1500 * list.split(',').count());
        fs::write(dir.path().join("../few.list"), &wanted).unwrap();
        for most in [9, 16, 40, 64, 200, 1024] {
            let limited = |command: &str| {
                let script = format!("ulimit -n {most} && exec \"$0\" {command}");
                run(dir.path(), "sh", &["-c", &script, env!("CARGO_BIN_EXE_hashmill")], b"")
            };
            let o = limited(&format!("sum -r -a {list} ."));
            assert_eq!((text(&o.stderr).as_str(), o.status.code()), ("", Some(0)), "{list} {most}");
            assert!(text(&o.stdout) == wanted, "{list} {most}");
            let o = limited("check --quiet ../few.list");
            assert_eq!((text(&o.stderr).as_str(), o.status.code()), ("", Some(0)), "check {list} {most}");
        }
        fs::remove_file(dir.path().join("../few.list")).unwrap();
    }
}

/// Files that are longer than memory and mostly holes, beside the programs that read them as well (long tier).
#[test]
fn sparse_files() {
    let long = std::env::var("HASHMILL_TEST_TIER").is_ok_and(|tier| tier == "long");
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("sparse");
    let len = if long { 100_000_000_123 } else { 1_000_000_123 };
    let file = fs::File::create(&path).unwrap();
    file.set_len(len).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, b"not nothing", len / 2).unwrap();
    drop(file);
    for program in ["xxh128sum", "b3sum", "cksum"] {
        if is_here(program) {
            let both = [env!("CARGO_BIN_EXE_hashmill"), program].map(|called| {
                let o = run_as(dir.path(), called, program, &["sparse"], b"");
                assert!(o.status.success(), "{called} {program}");
                text(&o.stdout)
            });
            assert_eq!(both[0], both[1], "{program}");
        }
    }
    if long {
        assert!(fs::metadata(&path).unwrap().len() > 90_000_000_000 && taken(&path) < 1 << 20);
    }
}

/// Bytes that a file takes on its medium.
fn taken(path: &Path) -> u64 {
    std::os::unix::fs::MetadataExt::blocks(&fs::metadata(path).unwrap()) * 512
}
