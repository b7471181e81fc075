//! md5sum … cksum beside those of the coreutils that are installed: the same arguments in the same folder, the same output, messages and
//! exit status.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::hostile::{folder, names};
use common::{hashmill, noise, run, run_as, skip, text};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const DIGESTS: [&str; 7] = ["md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum"];

/// Whether the program is here, and of the version whose behaviour the tests know.
fn is_here(program: &str) -> bool {
    let version = Command::new(program).arg("--version").output().map(|o| text(&o.stdout)).unwrap_or_default();
    let here = version.lines().next().is_some_and(|l| l.contains("GNU coreutils"));
    if !here {
        skip(&format!("no {program} of the GNU coreutils"));
    }
    here
}

/// Both programs on the same; what they say, ours under the same name.
fn both<S: AsRef<OsStr>>(dir: &Path, program: &str, args: &[S], stdin: &[u8]) -> [(Option<i32>, Vec<u8>, String); 2] {
    let theirs = run(dir, program, args, stdin);
    let ours = run_as(dir, env!("CARGO_BIN_EXE_hashmill"), program, args, stdin);
    [theirs, ours].map(|o: Output| (o.status.code(), o.stdout, text(&o.stderr)))
}

#[track_caller]
fn same<S: AsRef<OsStr>>(dir: &Path, program: &str, args: &[S], stdin: &[u8]) {
    let [theirs, ours] = both(dir, program, args, stdin);
    let shown: Vec<_> = args.iter().map(|a| a.as_ref().to_string_lossy().into_owned()).collect();
    assert_eq!(ours.2, theirs.2, "{program} {shown:?}: messages");
    assert_eq!(text(&ours.1), text(&theirs.1), "{program} {shown:?}: output");
    assert_eq!((ours.0, ours.1), (theirs.0, theirs.1), "{program} {shown:?}");
}

#[test]
fn digests_of_files() {
    let dir = folder();
    let dir = dir.path();
    let mut all: Vec<OsString> = names().into_iter().map(OsString::from_vec).collect();
    all.extend(["empty", "big", "folder", "nosuch", "no such:file", "link", "dangling", "-"].map(OsString::from));
    for program in DIGESTS {
        if !is_here(program) {
            continue;
        }
        for options in [&[][..], &["-b"], &["-t"], &["-z"], &["--tag"], &["--tag", "-z"], &["-bz"], &["-b", "-t"]] {
            let mut args: Vec<OsString> = options.iter().map(OsString::from).collect();
            args.push("--".into());
            args.extend(all.iter().cloned());
            same(dir, program, &args, b"on standard input");
        }
        same::<&str>(dir, program, &[], b"on standard input");
        same(dir, program, &["-"], b"");
        same(dir, program, &["--tag"], b"abc");
        // Anywhere, abbreviated, clustered.
        same(dir, program, &["a", "-b", "empty", "--ta"], b"");
        same(dir, program, &["--bin", "a", "--zer"], b"");
    }
}

#[test]
fn what_is_refused() {
    let dir = folder();
    let dir = dir.path();
    for program in DIGESTS.into_iter().chain(["cksum", "sum"]) {
        if !is_here(program) {
            continue;
        }
        for args in [
            &["--nosuch"][..],
            &["--nosuch=1"],
            &["-x"],
            &["-bx"],
            &["--st"],
            &["--s"],
            &["--tag=1"],
            &["--quiet", "a"],
            &["--status", "a"],
            &["--warn", "a"],
            &["-w", "a"],
            &["--strict", "a"],
            &["--ignore-missing", "a"],
            &["--quiet", "--status", "a"],
            &["-c", "-z", "a"],
            &["-c", "--tag", "a"],
            &["-c", "-b", "a"],
            &["-c", "-t", "a"],
            &["--tag", "-t", "a"],
            &["-t", "--tag", "a"],
            &["-b", "--tag", "a"],
            &["-c", "nosuch"],
            &["-c", "folder"],
            &["nosuch", "folder"],
        ] {
            // 9.1's prints the checksum of nothing for a folder.
            if program != "cksum" || args != ["nosuch", "folder"] {
                same(dir, program, args, b"");
            }
        }
    }
    if is_here("b2sum") {
        for args in [
            &["-l", "0", "a"][..],
            &["-l", "8", "a"],
            &["-l", "256", "a"],
            &["--tag", "-l", "256", "a"],
            &["--tag", "-l", "512", "a"],
            &["-l256", "a"],
            &["--length=384", "a"],
            &["-l", "7", "a"],
            &["-l", "520", "a"],
            &["-l", "x", "a"],
            &["-l", "", "a"],
            &["-l", "-8", "a"],
            &["-l", "99999999999999999999999", "a"],
            &["-l"],
            &["--length"],
        ] {
            same(dir, "b2sum", args, b"");
        }
    }
}

#[test]
fn old_sums() {
    let dir = folder();
    let dir = dir.path();
    for program in ["cksum", "sum"] {
        if !is_here(program) {
            continue;
        }
        for files in [
            &[][..],
            &["a"],
            &["a", "big", "empty"],
            &["-"],
            &["a", "-"],
            &["nosuch", "a"],
            &["new\nline", "with space"],
        ] {
            same(dir, program, files, b"on standard input");
        }
        let folder = run_as(dir, env!("CARGO_BIN_EXE_hashmill"), program, &["folder"], b"");
        assert_eq!(text(&folder.stderr), format!("{program}: folder: Is a directory\n"));
    }
    if is_here("sum") {
        for options in ["-r", "-s", "--sysv", "-rs", "-sr"] {
            same(dir, "sum", &[options, "a", "big", "empty"], b"");
            same(dir, "sum", &[options], b"standard input");
        }
    }
    if is_here("cksum") {
        for algorithm in ["bsd", "sysv", "crc", "md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b", "sm3"]
        {
            for options in [
                &[][..],
                &["--untagged"],
                &["--tag"],
                &["-z"],
                &["--untagged", "-z"],
                &["-b"],
                &["-t", "--untagged"],
                &["--binary"],
            ] {
                let mut args = vec!["-a", algorithm];
                args.extend(options);
                args.extend(["a", "new\nline", "empty"]);
                same(dir, "cksum", &args, b"");
            }
            same(dir, "cksum", &["-a", algorithm], b"standard input");
            same(dir, "cksum", &["-a", algorithm, "-l", "256", "a"], b"");
            same(dir, "cksum", &["-a", algorithm, "-c", "nosuch"], b"");
        }
        same(dir, "cksum", &["-z", "a"], b"");
        for args in [
            &["-a", "blake2b", "-l", "128", "a"][..],
            &["-a", "blake2b", "-l", "520", "a"],
            &["-a", "blake2b", "-l", "9"],
            &["-l", "0", "a"],
            &["-l", "8", "a"],
        ] {
            same(dir, "cksum", args, b"");
        }
        // Lines of several algorithms, and such as cannot be verified.
        let mut list = Vec::new();
        for algorithm in ["md5", "sha256", "crc", "blake2b", "sm3", "md5"] {
            list.extend(run(dir, "cksum", &["-a", algorithm, "a", "new\nline", "it's"], b"").stdout);
        }
        list.extend(run(dir, "cksum", &["-a", "blake2b", "-l", "64", "a"], b"").stdout);
        list.extend(run(dir, "cksum", &["-a", "sha1", "--untagged", "a"], b"").stdout);
        fs::write(dir.join("list"), &list).unwrap();
        for args in [
            &["-c", "list"][..],
            &["-cw", "list"],
            &["-c", "--strict", "list"],
            &["-a", "md5", "-cw", "list"],
            &["-a", "blake2b", "-cw", "list"],
            &["-a", "sha1", "-cw", "list"],
            &["-c", "--untagged", "list"],
            &["-c", "--tag", "list"],
        ] {
            same(dir, "cksum", args, b"");
        }
    }
}

/// Lists of every kind, and what the programs make of them.
#[test]
fn lists() {
    let dir = folder();
    let dir = dir.path();
    for program in DIGESTS {
        if !is_here(program) {
            continue;
        }
        let mut all: Vec<OsString> = vec!["--".into()];
        all.extend(names().into_iter().map(OsString::from_vec));
        let untagged = run(dir, program, &all, b"").stdout;
        all.insert(0, "--tag".into());
        let tagged = run(dir, program, &all, b"").stdout;
        all[0] = "-b".into();
        let binary = run(dir, program, &all, b"").stdout;
        let a = text(&run(dir, program, &["a"], b"").stdout);
        let (digest, _) = a.split_once(' ').unwrap();
        let tag = text(&run(dir, program, &["--tag", "a"], b"").stdout);
        let openssl = tag.replace(" (", "(").replace(") =", ")=");
        let wrong = a.replacen(|c: char| c.is_ascii_digit(), "e", 1);
        let upper = format!("{}  a\n", digest.to_uppercase());
        let many = format!("{a}{a}{wrong}\nrubbish\n{digest}  nosuch\n{digest} a\n{tag}");
        for list in [
            untagged,
            tagged,
            binary,
            a.clone().into_bytes(),
            a.trim_end().as_bytes().to_vec(),
            openssl.into_bytes(),
            upper.into_bytes(),
            many.into_bytes(),
            wrong.clone().into_bytes(),
            b"".to_vec(),
            b"\n\n# a comment\n".to_vec(),
            b"rubbish\n".to_vec(),
            format!("# c\n\n  {a}\t{a}{digest}\ta\n").into_bytes(),
            format!("{digest} a\n{digest}  a\n").into_bytes(),
            format!("{digest}  a\n{digest} a\n").into_bytes(),
            format!("{digest} *a\n{digest} a\n").into_bytes(),
            format!("{digest}  a\r\n{digest}  empty\r\n").into_bytes(),
            format!("{digest}  \n{digest} \n{digest}\n").into_bytes(),
            format!("\\{digest}  a\n\\{digest}  a\\x\n\\{digest}  back\\\\slash\n\\{digest}  new\\nline\n")
                .into_bytes(),
            format!("{digest}  -\n").into_bytes(),
            format!("{digest}0  a\n{}  a\n", &digest[1..]).into_bytes(),
            format!("{}  a\n", digest.replacen('a', "g", 1)).into_bytes(),
            format!("{digest}  folder\n{digest}  dangling\n{digest}  no such:file\n{digest}  new\\nline\n")
                .into_bytes(),
            format!("{digest}  a\0b\n{digest}\0  a\n").into_bytes(),
            format!("{digest}  nosuch\n{digest}  nosuch2\n").into_bytes(),
            format!("-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n{a}-----BEGIN PGP SIGNATURE-----\n\nabc=\n")
                .into_bytes(),
        ] {
            fs::write(dir.join("list"), &list).unwrap();
            for options in [
                &[][..],
                &["--quiet"],
                &["--status"],
                &["-w"],
                &["--strict"],
                &["--ignore-missing"],
                &["--ignore-missing", "--strict", "-w"],
                &["--quiet", "--status", "-w"],
                &["-w", "--quiet"],
            ] {
                let mut args = vec!["-c"];
                args.extend(options);
                args.push("list");
                same(dir, program, &args, b"");
            }
            same(dir, program, &["-c"], &list);
            same(dir, program, &["-c", "list", "nosuch", "-"], &list);
        }
    }
}

/// Lines that chance has changed.
#[test]
fn lists_with_random_faults() {
    let dir = folder();
    let dir = dir.path();
    for program in ["md5sum", "sha256sum", "b2sum"] {
        if !is_here(program) {
            continue;
        }
        let mut good = run(dir, program, &["a", "with space", "it's", "empty", "back\\slash"], b"").stdout;
        good.extend(run(dir, program, &["--tag", "a", "par)en = x", "new\nline"], b"").stdout);
        for seed in 0..150u64 {
            let dice = noise(64, seed + 1000);
            let mut list = good.clone();
            for d in dice.chunks(4).take(1 + seed as usize % 8) {
                let at = usize::from(u16::from_le_bytes([d[0], d[1]])) % list.len();
                const BYTES: &[u8] = b" \t*\\()=-#0afAg\n\r:'xnB";
                match d[2] % 4 {
                    0 => list[at] = BYTES[usize::from(d[3]) % BYTES.len()],
                    1 => list.insert(at, BYTES[usize::from(d[3]) % BYTES.len()]),
                    2 => drop(list.remove(at)),
                    _ => list.truncate(at.max(40)),
                }
            }
            fs::write(dir.join("list"), &list).unwrap();
            let [theirs, ours] = both(dir, program, &["-c", "-w", "list"], b"");
            let case = String::from_utf8_lossy(&list);
            assert_eq!(ours.2, theirs.2, "{program}, {seed}: messages of {case}");
            assert_eq!((ours.0, text(&ours.1)), (theirs.0, text(&theirs.1)), "{program}, {seed}: {case}");
        }
    }
}

/// Under a link it is the program of the link's name, in its messages, too.
#[test]
fn links_are_made_and_kept() {
    let dir = folder();
    let dir = dir.path();
    fs::create_dir(dir.join("bin")).unwrap();
    fs::write(dir.join("bin/b2sum"), "mine").unwrap();
    symlink("/usr/bin/env", dir.join("bin/cksum")).unwrap();
    symlink("/gone/hashmill", dir.join("bin/sha1sum")).unwrap();
    let made = hashmill(dir, &["links", "bin"]);
    assert_eq!(made.status.code(), Some(1));
    let errors = "hashmill: bin/b2sum: something else is there; it was left as it is\nhashmill: bin/cksum: something else is there; it was left as it is\n";
    assert_eq!(text(&made.stderr), errors);
    assert!(text(&made.stdout).contains("bin/md5sum -> /"), "{}", text(&made.stdout));
    assert_eq!(text(&made.stdout).lines().count(), 13);
    assert_eq!(fs::read(dir.join("bin/b2sum")).unwrap(), b"mine");
    assert_eq!(fs::read_link(dir.join("bin/cksum")).unwrap(), Path::new("/usr/bin/env"));
    assert_eq!(fs::read_link(dir.join("bin/sha1sum")).unwrap(), Path::new(env!("CARGO_BIN_EXE_hashmill")));
    let again = hashmill(dir, &["links", "bin"]);
    assert_eq!(text(&again.stdout).matches("is there already").count(), 13);
    let none = hashmill(dir, &["links", "nosuch"]);
    let errors = "hashmill: there is no directory nosuch: make it (mkdir -p), then run this again\n";
    assert_eq!((text(&none.stderr).as_str(), none.status.code()), (errors, Some(1)));
    let file = hashmill(dir, &["links", "a"]);
    assert_eq!(text(&file.stderr), "hashmill: a is no directory: links go into one\n");

    let link = dir.join("bin/md5sum");
    let out = run(dir, link.to_str().unwrap(), &["nosuch", "a"], b"");
    assert_eq!(text(&out.stderr), format!("{}: nosuch: No such file or directory\n", link.display()));
    assert_eq!(out.status.code(), Some(1));
    if is_here("md5sum") {
        assert_eq!(out.stdout, run(dir, "md5sum", &["a"], b"").stdout);
    }
    let sum = run(dir, dir.join("bin/sum").to_str().unwrap(), &["a"], b"").stdout;
    if is_here("sum") {
        assert_eq!(sum, run(dir, "sum", &["a"], b"").stdout);
    }
    assert!(text(&hashmill(dir, &["sum", "a"]).stdout).len() > 64);
    for program in DIGESTS.into_iter().chain(["cksum"]) {
        let help = hashmill(dir, &[program, "--help"]);
        assert!(
            help.status.success()
                && text(&help.stdout).starts_with(&format!("Usage: {program} [OPTION]... [FILE]...\n"))
        );
        let widest = text(&help.stdout).lines().map(|l| l.chars().count()).max();
        assert!(widest <= Some(80), "{program}: {widest:?}");
        assert!(text(&hashmill(dir, &[program, "--version"]).stdout).starts_with(&format!("{program} (hashmill) ")));
    }
}

/// A full disk is said; a reader that has gone away ends the program as it ends others.
#[test]
fn output_that_fails() {
    let dir = folder();
    let dir = dir.path();
    for (args, expected) in [(&["a"][..], "md5sum: write error: No space left on device\n"), (&["--help"], "")] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_hashmill"));
        let out =
            command.arg("md5sum").args(args).current_dir(dir).stdout(full).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(out.status.code(), Some(1));
        assert!(text(&out.stderr).ends_with(expected), "{}", text(&out.stderr));
    }
    let script = format!("'{}' md5sum a empty big a a a; echo $? >&2", env!("CARGO_BIN_EXE_hashmill"));
    let out = run(dir, "bash", &["-c", &format!("({script}) | true")], b"");
    let status = text(&out.stderr);
    assert!(status == "141\n" || status == "0\n", "{status}");
    // Bytes that are no text go through.
    let name = OsStr::from_bytes(b"not\xffutf8\xc3");
    let out = run(dir, env!("CARGO_BIN_EXE_hashmill"), &[OsStr::new("md5sum"), name], b"");
    assert!(out.stdout.ends_with(b"  not\xffutf8\xc3\n"));
}
