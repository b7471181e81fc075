//! Limits of the machine: media that fail, few file descriptors, files longer than any memory.

use hashmill_measure::bare;
use hashmill_testing::faults::shim;
use hashmill_testing::fuse;
use hashmill_testing::{executable, hashmill, noise, run, run_as, skip, stdout, text};
use std::fs;
use std::process::Output;

/// Returns whether the program is installed.
fn is_here(program: &str) -> bool {
    hashmill_testing::is_here(program, program, |_| true)
}

/// If a medium fails in the middle of a file, both programs must print the same and end with the same status.
#[test]
fn a_medium_that_fails() {
    if fs::File::options().read(true).write(true).open("/dev/fuse").is_err() {
        return skip("no /dev/fuse");
    }
    let dir = tempfile::tempdir().unwrap();
    let (behind, at) = (dir.path().join("behind"), dir.path().join("at"));
    fs::create_dir(&behind).unwrap();
    // Files long enough for every way to read a file, with the bad byte in the first read or after it.
    let files = [("good", 10), ("bad-short", 3 << 20), ("good-too", 100_000), ("bad-long", 48 << 20), ("end", 0)];
    for (i, (name, len)) in files.iter().enumerate() {
        fs::write(behind.join(name), noise(*len, i as u64)).unwrap();
    }
    let names = files.map(|f| f.0);
    for bad_from in [1, 70_000, 2_500_000] {
        let shown = fuse::show(&behind, &at, fuse::Ideas { bad_from, ..Default::default() });
        for program in ["md5sum", "sha256sum", "b2sum", "sum", "b3sum"] {
            // If it mapped the file, b3sum would be killed by SIGBUS.
            let options = if program == "b3sum" { &["--no-mmap"][..] } else { &[] };
            if !is_here(program) {
                continue;
            }
            let args = [options, &names].concat();
            let theirs = run(&at, program, &args, b"");
            let ours = run_as(&at, executable(), program, &args, b"");
            assert_eq!(text(&ours.stderr), text(&theirs.stderr), "{program} {bad_from}: messages");
            assert_eq!(text(&ours.stdout), text(&theirs.stdout), "{program} {bad_from}: output");
            assert_eq!(ours.status.code(), theirs.status.code(), "{program} {bad_from}");
        }
        // The real cksum prints the checksum of what came before the error, as if that were all; the real xxhsum stops.
        for (program, says) in [
            ("cksum", ["bad-short", "bad-long"].map(|n| format!("cksum: {n}: Input/output error\n"))),
            (
                "xxhsum",
                ["bad-short", "bad-long"].map(|n| format!("Error: Could not read '{n}': Input/output error. \n")),
            ),
        ] {
            let o = run_as(&at, executable(), program, &names, b"");
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

/// If a long file is truncated while a part of it is mapped, the digest must be that of what is left, without the zeros
/// that replace the rest, and the change must be reported.
#[test]
fn a_mapped_file_that_is_cut_short() {
    // Linux can report what is in the page cache since 6.5; on older versions nothing is mapped.
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map_while(|n| n.parse::<u32>().ok());
    if (numbers.next(), numbers.next()) < (Some(6), Some(5)) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let content = noise((72 << 20) + 7, 1);
    for cut in [5_000_000, 20_000_123] {
        fs::write(dir.path().join("rest"), &content[..cut]).unwrap();
        for list in ["md5", "xxh3", "whirlpool", "blake3", "crc32", "blake3,crc32c"] {
            let digests = |o: &Output| -> Vec<String> {
                let output = text(&o.stdout);
                let record = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["digests"].take();
                // The last line has the totals.
                output.lines().map(record).filter(|d| !d.is_null()).map(|d| d.to_string()).collect()
            };
            let expected = digests(&hashmill(dir.path(), &["sum", "--json", "-a", list, "rest"]));
            for threads in ["1", "2", "4"] {
                fs::write(dir.path().join("victim"), &content).unwrap();
                let o = bare::command(executable())
                    .args(["sum", "--json", "-j", threads, "-a", list, "victim"])
                    .current_dir(dir.path())
                    .env("LD_PRELOAD", shim())
                    .env("FAULTS", format!("cut,/victim,{cut},0,1"))
                    .output()
                    .unwrap();
                assert_eq!(text(&o.stderr), "hashmill: victim: changed while it was read\n", "{list} {cut} {threads}");
                assert_eq!((digests(&o), o.status.code()), (expected.clone(), Some(1)), "{list} {cut} {threads}");
            }
        }
    }
}

/// With few file descriptors, the work may be slower, but its results must be the same.
#[test]
fn few_descriptors() {
    let dir = tempfile::tempdir().unwrap();
    let tree = dir.path().join("tree");
    for i in 0..1500u64 {
        let folder = tree.join(format!("d{}", i % 30));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("f{i}")), noise(if i % 100 == 0 { 300_000 } else { 10 * i as usize }, i))
            .unwrap();
    }
    for list in ["md5", "blake3", "md5,sha1", "md2"] {
        let wanted = stdout(&hashmill(&tree, &["sum", "-r", "-a", list, "."]));
        assert_eq!(wanted.lines().count(), 1500 * list.split(',').count());
        fs::write(dir.path().join("list"), &wanted).unwrap();
        for most in [9, 16, 40, 64, 200, 1024] {
            let limited = |command: &str| {
                let script = format!("ulimit -n {most} && exec \"$0\" {command}");
                run(&tree, "sh", &["-c", &script, executable()], b"")
            };
            let o = limited(&format!("sum -r -a {list} ."));
            assert_eq!((text(&o.stderr).as_str(), o.status.code()), ("", Some(0)), "{list} {most}");
            assert!(text(&o.stdout) == wanted, "{list} {most}");
            let o = limited("check --quiet ../list");
            assert_eq!((text(&o.stderr).as_str(), o.status.code()), ("", Some(0)), "check {list} {most}");
        }
    }
}

/// A file that is mostly a hole, compared with the original programs. In the long tier it is longer than any memory.
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
            let both = [executable(), program].map(|called| {
                let o = run_as(dir.path(), called, program, &["sparse"], b"");
                assert!(o.status.success(), "{called} {program}");
                text(&o.stdout)
            });
            assert_eq!(both[0], both[1], "{program}");
        }
    }
}
