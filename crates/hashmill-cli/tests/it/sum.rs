//! `hashmill sum`, compared with coreutils.

use hashmill_measure::bare;
use hashmill_testing::{executable, hashmill, hashmill_with, noise, run, stdout, text};
use std::ffi::OsString;
use std::fs;
use std::io::Seek;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::process::{Command, Stdio};

/// Creates files of sizes around every threshold in the code, and returns their names.
fn tree(dir: &Path) -> Vec<String> {
    let mut sizes: Vec<usize> = (0..=300).collect();
    for border in [32 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20] {
        sizes.extend([border - 1, border, border + 1]);
    }
    for &n in &sizes {
        fs::write(dir.join(format!("f{n}")), noise(n, n as u64 + 1)).unwrap();
    }
    sizes.iter().map(|n| format!("f{n}")).collect()
}

fn with<'a>(options: &[&'a str], files: &'a [String]) -> Vec<&'a str> {
    options.iter().copied().chain(files.iter().map(String::as_str)).collect()
}

#[test]
fn the_same_bytes_as_coreutils() {
    let dir = tempfile::tempdir().unwrap();
    let files = tree(dir.path());
    let pairs = [
        ("md5", "md5sum"),
        ("sha1", "sha1sum"),
        ("sha224", "sha224sum"),
        ("sha256", "sha256sum"),
        ("sha384", "sha384sum"),
        ("sha512", "sha512sum"),
        ("blake2b", "b2sum"),
    ];
    for (a, tool) in pairs {
        for (ours, theirs) in
            [(&[][..], &[][..]), (&["--tag"], &["--tag"]), (&["-z"], &["-z"]), (&["-b", "-j1"], &["-b"])]
        {
            let mut args = vec!["sum", "-a", a];
            args.extend(ours);
            let want = run(dir.path(), tool, &with(theirs, &files), b"");
            let got = hashmill(dir.path(), &with(&args, &files));
            assert!(got.status.success() && want.status.success());
            assert!(got.stdout == want.stdout, "{a} {ours:?} differs from {tool}");
        }
    }
    let want = run(dir.path(), "b2sum", &with(&["-l", "256", "--tag"], &files), b"");
    let got = hashmill(dir.path(), &with(&["sum", "-a", "blake2b:32", "--tag"], &files));
    assert!(got.stdout == want.stdout);
    let want = run(dir.path(), "cksum", &with(&["-a", "sha512"], &files), b"");
    let got = hashmill(dir.path(), &with(&["sum", "-a", "sha512", "--tag"], &files));
    assert!(got.stdout == want.stdout);
}

#[test]
fn several_algorithms_are_each_alone() {
    let dir = tempfile::tempdir().unwrap();
    let files = tree(dir.path());
    let list = "md5,sha1,sha256,sha512,sha3-256,blake2b,md2,crc32,xxh64,xxh128,blake3,shake128:64";
    for threads in ["-j1", "-j2", "-j5"] {
        let all = stdout(&hashmill(dir.path(), &with(&["sum", threads, "-a", list], &files)));
        let n = list.split(',').count();
        for (i, a) in list.split(',').enumerate() {
            let one = stdout(&hashmill(dir.path(), &with(&["sum", "--tag", "-a", a], &files)));
            assert!(one.lines().eq(all.lines().skip(i).step_by(n)), "{a} {threads}");
        }
    }
    // One long file: threads share its algorithms.
    fs::write(dir.path().join("long"), noise(20 << 20, 7)).unwrap();
    let many = stdout(&hashmill(dir.path(), &["sum", "-j3", "-a", list, "long"]));
    let from_pipe = stdout(&hashmill_with(dir.path(), &["sum", "-j3", "-a", list], &noise(20 << 20, 7)));
    assert_eq!(many, from_pipe.replace("(-)", "(long)"));
    for (a, line) in list.split(',').zip(many.lines()) {
        assert_eq!(stdout(&hashmill(dir.path(), &["sum", "-j1", "--tag", "-a", a, "long"])).trim_end(), line);
    }
}

/// One long file must have the same digests when named, from a pipe and as standard input, on one thread and on
/// several.
#[test]
fn one_long_file_whatever_the_way() {
    let dir = tempfile::tempdir().unwrap();
    let content = noise((6 << 20) + 1234, 11);
    fs::write(dir.path().join("long"), &content).unwrap();
    for list in ["blake3", "crc32", "crc32c,blake3", "md5,sha1,sha256,crc32", "blake3,sha512"] {
        let want: String = list
            .split(',')
            .map(|a| {
                let a: hashmill::Algorithm = a.parse().unwrap();
                format!("{}\n", a.digest(&content))
            })
            .collect();
        let digests =
            |out: String| out.lines().map(|l| format!("{}\n", l.rsplit(' ').next().unwrap())).collect::<String>();
        for threads in ["-j1", "-j2", "-j7"] {
            let args = ["sum", "--tag", threads, "-a", list];
            let named = stdout(&hashmill(dir.path(), &[&args[..], &["long"]].concat()));
            assert_eq!(digests(named), want, "{list} {threads}");
            let piped = stdout(&hashmill_with(dir.path(), &args, &content));
            assert_eq!(digests(piped), want, "{list} {threads}, from a pipe");
            let file = fs::File::open(dir.path().join("long")).unwrap();
            let o = bare::command(executable()).args(args).stdin(file).output().unwrap();
            assert_eq!(digests(stdout(&o)), want, "{list} {threads}, from standard input");
            let o = bare::command(executable())
                .args([&args[..], &["long"]].concat())
                .env("HASHMILL_KERNEL", "portable")
                .current_dir(dir.path())
                .output()
                .unwrap();
            assert_eq!(digests(stdout(&o)), want, "{list} {threads}, portable");
        }
    }
}

#[test]
fn standard_input() {
    let dir = tempfile::tempdir().unwrap();
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  -\n";
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  -\n";
    assert_eq!(stdout(&hashmill(dir.path(), &["sum"])), empty);
    assert_eq!(stdout(&hashmill_with(dir.path(), &["sum"], b"abc")), abc);
    assert_eq!(stdout(&hashmill_with(dir.path(), &["sum", "-"], b"abc")), abc);
    fs::write(dir.path().join("f"), "abc").unwrap();
    let all = stdout(&hashmill_with(dir.path(), &["sum", "f", "-", "f"], b"abc"));
    assert_eq!(all, format!("{}{abc}{}", abc.replace('-', "f"), abc.replace('-', "f")));
    // Standard input is read from its current position.
    let file = fs::File::open(dir.path().join("f")).unwrap();
    std::io::Read::read_exact(&mut &file, &mut [0]).unwrap();
    let o = bare::command(executable()).args(["sum", "-a", "md5"]).stdin(file).output().unwrap();
    assert_eq!(text(&o.stdout), "5360af35bde9ebd8f01f492dc059593c  -\n");
}

#[test]
fn errors_are_one_line_and_the_rest_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a"), "a").unwrap();
    fs::create_dir(dir.path().join("d")).unwrap();
    let o = hashmill(dir.path(), &["sum", "-a", "md5", "no\nsuch", "a", "d"]);
    assert_eq!(o.status.code(), Some(1));
    assert_eq!(text(&o.stdout), "0cc175b9c0f1b6a831c399e269772661  a\n");
    let want = "hashmill: no\\nsuch: no such file or directory\n\
                hashmill: d: is a directory (use -r to hash what is in it)\n";
    assert_eq!(text(&o.stderr), want);

    let o = hashmill(dir.path(), &["sum", "-a", "sha265", "a"]);
    assert_eq!(o.status.code(), Some(2));
    let err = text(&o.stderr);
    assert!(err.contains("unknown algorithm 'sha265'; did you mean sha256?"), "{err}");
    assert_eq!(hashmill(dir.path(), &["sum", "--nonsense"]).status.code(), Some(2));
    assert_eq!(hashmill(dir.path(), &["nonsense"]).status.code(), Some(2));

    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(dir.path().join("a"), fs::Permissions::from_mode(0o000)).unwrap();
    let o = if fs::File::open(dir.path().join("a")).is_err() {
        hashmill(dir.path(), &["sum", "a"])
    } else {
        // Root may read everything.
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups", executable(), "sum", "a"];
        run(dir.path(), "setpriv", &nobody, b"")
    };
    assert_eq!((text(&o.stderr), o.status.code()), ("hashmill: a: permission denied\n".into(), Some(1)));
}

#[test]
fn bad_kernel_preference() {
    let o = bare::command(executable()).arg("list").env("HASHMILL_KERNEL", "nonsense").output().unwrap();
    assert_eq!(o.status.code(), Some(2));
    assert!(text(&o.stderr).starts_with("hashmill: HASHMILL_KERNEL: unknown kernel 'nonsense'"));
}

#[test]
fn recursion_in_order_of_names() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    fs::create_dir_all(d.join("t/b/c")).unwrap();
    fs::create_dir(d.join("t/empty")).unwrap();
    for f in ["t/z", "t/a", "t/b/2", "t/b/10", "t/b/c/x", "t/c"] {
        fs::write(d.join(f), f).unwrap();
    }
    std::os::unix::fs::symlink("..", d.join("t/b/loop")).unwrap();
    std::os::unix::fs::symlink("a", d.join("t/link")).unwrap();
    std::os::unix::fs::symlink("t", d.join("to-t")).unwrap();
    assert!(Command::new("mkfifo").arg(d.join("t/pipe")).status().unwrap().success());
    for root in ["t", "to-t"] {
        let o = hashmill(d, &["sum", "-r", root]);
        let out = text(&o.stdout);
        let names: Vec<&str> = out.lines().map(|l| &l[66 + root.len() + 1..]).collect();
        assert_eq!(names, ["a", "b/10", "b/2", "b/c/x", "c", "link", "z"]);
        let err = text(&o.stderr);
        assert_eq!(
            err,
            format!(
                "hashmill: {root}/b/loop: skipped (symbolic link to a directory)\n\
                 hashmill: {root}/pipe: skipped (named pipe)\n"
            )
        );
        assert_eq!(o.status.code(), Some(0));
    }
    std::os::unix::fs::symlink("nowhere", d.join("t/dangling")).unwrap();
    let o = hashmill(d, &["sum", "-r", "t", "t/a"]);
    assert_eq!(o.status.code(), Some(1));
    assert!(text(&o.stderr).contains("hashmill: t/dangling: no such file or directory\n"));
    assert_eq!(text(&o.stdout).lines().count(), 8);
}

#[test]
fn a_thousand_small_files_in_the_order_of_the_arguments() {
    let dir = tempfile::tempdir().unwrap();
    let mut names = Vec::new();
    for i in 0..1000u64 {
        // Lengths go up and down; most are short, a few are long.
        let n = noise(8, i)[0] as usize * if i % 50 == 0 { 1000 } else { 10 };
        let name = format!("n{}", (i * 7919) % 1000);
        fs::write(dir.path().join(&name), noise(n, i)).unwrap();
        names.push(name);
    }
    for (a, tool) in [("md5", "md5sum"), ("sha256", "sha256sum"), ("sha512", "sha512sum")] {
        let want = run(dir.path(), tool, &names, b"");
        for threads in ["-j1", "-j2", "-j7"] {
            let got = hashmill(dir.path(), &with(&["sum", threads, "-a", a], &names));
            assert!(got.stdout == want.stdout, "{a} {threads}");
        }
    }
    let want = run(dir.path(), "md5sum", &with(&["--tag"], &names), b"");
    let got = stdout(&hashmill(dir.path(), &with(&["sum", "-a", "md5,sha1"], &names)));
    assert!(got.lines().step_by(2).eq(text(&want.stdout).lines()));
}

#[test]
fn more_files_than_are_held_back() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a"), "a").unwrap();
    fs::write(dir.path().join("b"), noise(3 << 20, 1)).unwrap();
    let mut names = vec!["b".to_string()];
    names.extend(std::iter::repeat_n("a".to_string(), 20_000));
    names.push("missing".into());
    names.push("b".into());
    let o = hashmill(dir.path(), &with(&["sum", "-a", "md5"], &names));
    let out = text(&o.stdout);
    assert_eq!(out.lines().count(), 20_002);
    assert!(out.lines().next().unwrap().ends_with("  b") && out.lines().last().unwrap().ends_with("  b"));
    assert!(out.lines().skip(1).take(20_000).all(|l| l == "0cc175b9c0f1b6a831c399e269772661  a"));
}

/// Creates files whose names break careless tools, and returns the names.
fn awkward(dir: &Path) -> Vec<OsString> {
    let names: Vec<OsString> = [
        &b"new\nline"[..],
        b"back\\slash",
        b"car\rriage",
        b"not \xff utf-8 \xc3",
        b"-dash",
        b" leading",
        b"trailing ",
        b"  two",
        b"*star",
        b"a) = b",
        b"MD5 (x) = y",
        b"all\\n\n\r\\\\",
        b"\\begin",
        b"#comment",
        b"tab\there",
        "ünïcödé".as_bytes(),
    ]
    .iter()
    .map(|n| OsString::from_vec(n.to_vec()))
    .collect();
    for (i, n) in names.iter().enumerate() {
        fs::write(dir.join(n), format!("{i}")).unwrap();
    }
    names
}

#[test]
fn awkward_names_survive() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    let names = awkward(d);
    let call = |program: &str, options: &[&str]| {
        let mut args: Vec<OsString> = options.iter().map(OsString::from).collect();
        args.push("--".into());
        args.extend(names.iter().cloned());
        run(d, program, &args, b"")
    };
    let us = executable();
    for options in [&["sum", "-a", "md5"][..], &["sum", "-a", "md5", "--tag"], &["sum", "-a", "md5", "-z"]] {
        let ours = call(us, options);
        let theirs = call("md5sum", &options[3..]);
        assert_eq!(text(&ours.stdout), text(&theirs.stdout));
        assert!(ours.stdout == theirs.stdout && ours.status.success());
        if options.contains(&"-z") {
            continue;
        }
        // Both tools must accept the list.
        fs::write(d.join("list"), &ours.stdout).unwrap();
        let checked = hashmill(d, &["check", "-a", "md5", "list"]);
        let theirs = run(d, "md5sum", &["-c", "list"], b"");
        assert!(checked.status.success() && theirs.status.success(), "{}", text(&checked.stderr));
        assert_eq!(text(&checked.stdout), text(&theirs.stdout));
        assert!(checked.stdout == theirs.stdout && checked.stderr.is_empty());
    }
    let several = call(us, &["sum", "-a", "md5,sha256,blake3"]);
    fs::write(d.join("list"), &several.stdout).unwrap();
    let checked = hashmill(d, &["check", "--quiet", "--strict", "list"]);
    assert!(checked.status.success() && checked.stdout.is_empty() && checked.stderr.is_empty());
    // Messages must escape control characters in names, so that a name cannot control the terminal.
    let o =
        bare::command(us).arg("sum").arg(OsString::from_vec(b"\x1b[2J\n".to_vec())).current_dir(d).output().unwrap();
    assert_eq!(text(&o.stderr), "hashmill: \\u{1b}[2J\\n: no such file or directory\n");
    assert!(!names.is_empty() && names[0].as_bytes().contains(&b'\n'));
}

#[test]
fn pipes_and_devices() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    assert!(Command::new("mkfifo").args([d.join("p"), d.join("q")]).status().unwrap().success());
    fs::write(d.join("f"), "f").unwrap();
    let writers: Vec<_> = ["p", "q"]
        .into_iter()
        .map(|n| {
            let path = d.join(n);
            std::thread::spawn(move || fs::write(path, noise(700_000, 3)).unwrap())
        })
        .collect();
    let o = hashmill(d, &["sum", "-a", "md5", "p", "f", "q", "/dev/null"]);
    writers.into_iter().for_each(|w| w.join().unwrap());
    fs::write(d.join("r"), noise(700_000, 3)).unwrap();
    let want = run(d, "md5sum", &["r", "f", "r", "/dev/null"], b"");
    assert_eq!(stdout(&o), text(&want.stdout).replacen(" r", " p", 1).replacen(" r", " q", 1));
    // A file whose metadata says that it is empty, but which has content.
    let o = hashmill(d, &["sum", "-a", "md5", "/proc/version", "f"]);
    assert_eq!(stdout(&o), text(&run(d, "md5sum", &["/proc/version", "f"], b"").stdout));
    let o = hashmill(d, &["sum", "-a", "md5,sha1", "/proc/version"]);
    assert_eq!(
        stdout(&o).lines().next(),
        text(&run(d, "md5sum", &["--tag", "/proc/version"], b"").stdout).lines().next()
    );
}

#[test]
fn a_file_that_changes_is_hashed_as_it_is_read_and_told() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let (path, flag) = (d.join("moving"), stop.clone());
    fs::write(&path, noise(100_000, 1)).unwrap();
    let writer = std::thread::spawn(move || {
        let file = fs::OpenOptions::new().write(true).open(path).unwrap();
        let mut n = 0;
        while !flag.load(std::sync::atomic::Ordering::Relaxed) {
            n = (n + 77_777) % 1_000_000;
            file.set_len(n).unwrap();
        }
    });
    for i in 0..8 {
        fs::write(d.join(format!("still{i}")), noise(100_000, i)).unwrap();
    }
    for _ in 0..20 {
        for a in ["sha256", "md5,sha1"] {
            let args = ["sum", "-a", a, "still0", "still1", "moving", "still2", "still3", "still4", "still5"];
            let o = hashmill(d, &args);
            assert_eq!(text(&o.stdout).lines().count(), 7 * a.split(',').count());
            // The change is noticed in most runs, but not in every one.
            let said = text(&o.stderr);
            assert!(said.is_empty() || said == "hashmill: moving: changed while it was read\n", "{said}");
            assert_eq!(o.status.code(), Some(i32::from(!said.is_empty())));
        }
    }
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    writer.join().unwrap();
}

/// Standard input may be a file; if it changes while it is read, that must be reported.
#[test]
fn standard_input_that_changes_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    for (list, changes) in [("md5", true), ("md5,sha1", true), ("md2", true), ("md5", false)] {
        // A hole is read fast, so the file must be long to be changed in time.
        fs::File::create(&path).unwrap().set_len(if changes { 600 << 20 } else { 10 << 20 }).unwrap();
        let mut file = fs::File::open(&path).unwrap();
        let child = bare::command(executable())
            .args(["sum", "-a", list])
            .stdin(file.try_clone().unwrap())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        if changes {
            // The child shares this descriptor's file offset, which shows when it has begun to read.
            while file.stream_position().unwrap() == 0 {
                std::thread::yield_now();
            }
            fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(1 << 20).unwrap();
        }
        let o = child.wait_with_output().unwrap();
        let said = if changes { "hashmill: -: changed while it was read\n" } else { "" };
        assert_eq!((text(&o.stderr).as_str(), o.status.code()), (said, Some(i32::from(changes))), "{list}");
    }
}

/// `-o -` writes to standard output, and messages show an empty name in quotes.
#[test]
fn dash_as_output_and_an_empty_name() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    fs::write(d.join("a"), "hello").unwrap();
    let plain = hashmill(d, &["sum", "a"]).stdout;
    assert_eq!(hashmill(d, &["sum", "-o", "-", "a"]).stdout, plain);
    assert!(!d.join("-").exists());
    hashmill(d, &["sum", "-o", "./-", "a"]);
    assert_eq!(fs::read(d.join("-")).unwrap(), plain);
    let o = hashmill(d, &["sum", ""]);
    assert_eq!((text(&o.stderr).as_str(), o.status.code()), ("hashmill: '': no such file or directory\n", Some(1)));
}

/// `-o` may replace an old list, but never a file that is to be hashed.
#[test]
fn what_is_hashed_is_not_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    fs::write(d.join("a"), "hello").unwrap();
    fs::hard_link(d.join("a"), d.join("hard")).unwrap();
    std::os::unix::fs::symlink("a", d.join("soft")).unwrap();
    fs::write(d.join("b"), noise(100_000, 1)).unwrap();
    for args in [&["a", "a"][..], &["a", "a", "b"], &["./a", "hard"], &["soft", "a"], &["hard", "soft"], &["b", "b"]] {
        let o = hashmill(d, &[&["sum", "-o"], args].concat());
        assert_eq!((o.status.code(), o.stdout.len()), (Some(1), 0), "{args:?}");
        assert!(text(&o.stderr).ends_with(
            " is among the files to hash and is not a checksum list, so it is not replaced: nothing was done\n"
        ));
        assert_eq!(fs::read(d.join("a")).unwrap(), b"hello");
        assert_eq!(fs::read(d.join("b")).unwrap(), noise(100_000, 1));
    }
    // The old list may be among the arguments, for instance when the shell expands `*`: it is left out.
    for form in [&[][..], &["--tag"], &["--json"], &["-z"]] {
        let _ = fs::remove_file(d.join("list"));
        let args = [&["sum", "-o", "list"], form, &["a", "b"]].concat();
        assert!(hashmill(d, &args).status.success());
        let before = fs::read(d.join("list")).unwrap();
        let o = hashmill(d, &[&args[..], &["list"]].concat());
        assert_eq!(
            (text(&o.stderr).as_str(), o.status.code()),
            ("hashmill: list: left out (the list itself)\n", Some(0))
        );
        assert_eq!(fs::read(d.join("list")).unwrap(), before, "{form:?}");
    }
}

/// A SIGBUS sent from outside must end the program, although the program handles those that mapped files cause.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_from_outside_ends_it() {
    use std::os::unix::process::ExitStatusExt;
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("f"), noise(200 << 20, 1)).unwrap();
    for list in ["whirlpool", "snefru", "md2"] {
        let mut child = bare::command(executable())
            .args(["sum", "-j", "1", "-a", list, "f"])
            .current_dir(dir.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(150));
        assert!(Command::new("kill").args(["-BUS", &child.id().to_string()]).status().unwrap().success());
        assert_eq!(child.wait().unwrap().signal(), Some(7), "{list}");
    }
}

#[test]
fn a_reader_that_goes_away_is_not_worth_a_word() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("f"), "f").unwrap();
    let mut child = bare::command(executable())
        .arg("sum")
        .args(std::iter::repeat_n("f", 30_000))
        .current_dir(dir.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let o = child.wait_with_output().unwrap();
    assert_eq!((text(&o.stderr).as_str(), o.status.code()), ("", Some(1)));
    if Path::new("/dev/full").exists() {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let o = bare::command(executable())
            .args(["sum", "f"])
            .current_dir(dir.path())
            .stdout(full)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        assert_eq!(text(&o.stderr), "hashmill: write error: no space left on device\n");
        assert_eq!(o.status.code(), Some(1));
    }
}

/// Every write to a pipe must be a batch of whole lines, so that no other program's output can come between them.
#[test]
fn lines_are_written_whole() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("f"), "f").unwrap();
    let script = r#"seq 1 4000 | sed s/.*/f/ | xargs -P 4 -n 500 "$0" sum -a sha512 | sort -u"#;
    let o = run(dir.path(), "sh", &["-c", script, executable()], b"");
    assert_eq!(text(&o.stdout).lines().count(), 1, "{}", text(&o.stdout));
}

#[test]
fn progress_is_shown_where_it_is_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("f"), noise(100_000, 1)).unwrap();
    let o = hashmill(dir.path(), &["sum", "--progress", "always", "f"]);
    assert!(o.status.success() && text(&o.stdout).lines().count() == 1);
    assert!(
        text(&o.stderr).contains("97.66 KiB of 97.66 KiB") && text(&o.stderr).contains("1/1 files"),
        "{}",
        text(&o.stderr)
    );
    assert!(hashmill(dir.path(), &["sum", "f"]).stderr.is_empty());
}

/// Which files are taken, and in which form they are written.
#[test]
fn selection_and_forms() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    for (name, content) in [("t/a.txt", "a"), ("t/b.JPG", "bb"), ("t/.h/c.tmp", "ccc"), ("t/sub/d.jpg", "dddd")] {
        fs::create_dir_all(d.join(name).parent().unwrap()).unwrap();
        fs::write(d.join(name), content).unwrap();
    }
    std::os::unix::fs::symlink("..", d.join("t/sub/up")).unwrap();
    std::os::unix::fs::symlink("sub", d.join("t/link")).unwrap();
    let names = |options: &[&str]| {
        let o = hashmill(d, &[&["sum", "-r", "--template", "{path} {crc32}", "t"], options].concat());
        assert_eq!(o.status.code(), Some(0), "{options:?}: {}", text(&o.stderr));
        let name = |line: &str| line.split(' ').next().unwrap().trim_start_matches("t/").to_string();
        text(&o.stdout).lines().map(name).collect::<Vec<_>>().join(" ")
    };
    for (options, want) in [
        (&[][..], ".h/c.tmp a.txt b.JPG sub/d.jpg"),
        (&["--exclude", "*.tmp"], "a.txt b.JPG sub/d.jpg"),
        (&["--exclude", "/sub"], ".h/c.tmp a.txt b.JPG"),
        (&["--include", "*.jpg"], "sub/d.jpg"),
        (&["--ext", "jpg,.TMP"], ".h/c.tmp b.JPG sub/d.jpg"),
        (&["--skip-hidden", "--min-size", "2"], "b.JPG sub/d.jpg"),
        (&["--max-size", "1"], "a.txt"),
        (&["--older", "1h"], ""),
        (&["--newer", "1h", "--one-file-system"], ".h/c.tmp a.txt b.JPG sub/d.jpg"),
        (&["--follow"], ".h/c.tmp a.txt b.JPG link/d.jpg sub/d.jpg"),
    ] {
        assert_eq!(names(options), want, "{options:?}");
    }
    fs::write(d.join("ignore"), "# comment\n*.jpg\n.h/\n").unwrap();
    assert_eq!(names(&["--exclude-from", "ignore"]), "a.txt b.JPG");
    let looped = hashmill(d, &["sum", "-r", "--follow", "t"]);
    assert!(text(&looped.stderr).contains("t/sub/up: skipped (symbolic link to a directory above it)"));

    let lists = [("--files-from", "t/a.txt\n\nt/b.JPG\n"), ("--files0-from", "t/a.txt\0t/b.JPG\0")];
    for (option, list) in lists {
        let o = hashmill_with(d, &["sum", "-a", "md5", option, "-"], list.as_bytes());
        assert_eq!(text(&o.stdout).lines().count(), 2, "{}", text(&o.stderr));
        fs::write(d.join("names"), list).unwrap();
        assert_eq!(hashmill(d, &["sum", "-a", "md5", option, "names"]).stdout, o.stdout);
    }
    let o = hashmill(d, &["sum", "-C", "t", "-a", "md5", "--relative-to", "t/sub", "a.txt", "-o", "list"]);
    assert_eq!((o.status.code(), d.join("list").exists()), (Some(0), true));
    assert!(fs::read_to_string(d.join("list")).unwrap().ends_with("  ../a.txt\n"));

    // Every form is read back by `check`, from the folder that its names are relative to.
    for form in hashmill_lists::FORMS.iter().filter(|f| f.writes) {
        let list = match form.name {
            "bagit" => "manifest-sha256.txt".to_string(),
            "mhl" => "ascmhl/list.mhl".to_string(),
            name => format!("list.{name}"),
        };
        fs::create_dir_all(d.join("ascmhl")).unwrap();
        let o = hashmill(d, &["sum", "--format", form.name, "-o", &list, "t/a.txt", "t/sub/d.jpg"]);
        assert_eq!(o.status.code(), Some(0), "{form:?}: {}", text(&o.stderr));
        let o = hashmill(d, &["check", &list]);
        assert_eq!(text(&o.stdout), "t/a.txt: OK\nt/sub/d.jpg: OK\n", "{form:?}: {}", text(&o.stderr));
        fs::write(d.join("t/a.txt"), "b").unwrap();
        let o = hashmill(d, &["check", &list]);
        let said = text(&o.stdout);
        assert!(said.starts_with("t/a.txt: FAILED") && said.ends_with("t/sub/d.jpg: OK\n"), "{form:?}: {said}");
        fs::write(d.join("t/a.txt"), "a").unwrap();
    }
    // Names in a bag are relative to it, wherever the list is made and checked.
    let bag = hashmill(d, &["sum", "--format", "bagit", "-o", "t/manifest-sha256.txt", "t/a.txt", "t/sub/d.jpg"]);
    assert_eq!(bag.status.code(), Some(0), "{}", text(&bag.stderr));
    assert_eq!(stdout(&hashmill(d, &["check", "t/manifest-sha256.txt"])), "a.txt: OK\nsub/d.jpg: OK\n");
    let o = hashmill(d, &["sum", "--format", "bagit", "-o", "t/sub/manifest-md5.txt", "-a", "md5", "t/a.txt"]);
    assert_eq!((o.status.code(), text(&o.stderr).contains("leads out of the folder")), (Some(1), true));
    for (args, want) in [
        (&["sum", "--format", "sfv", "-a", "md5", "x"][..], "--format sfv: this form has no name for md5"),
        (&["sum", "--format", "bagit", "-a", "md5,sha1", "x"], "--format bagit takes one algorithm"),
        (&["sum", "--raw", "x", "y"], "--raw takes one file"),
        (&["sum", "--template", "{nothing}", "x"], "is none of"),
        (&["sum", "--exclude", "{a", "x"], "{a"),
        (&["sum", "-l", "129", "-a", "blake2b", "x"], "multiple of 8"),
    ] {
        let o = hashmill(d, args);
        assert_eq!(o.status.code(), Some(2), "{args:?}: {}", text(&o.stderr));
        assert!(
            text(&o.stderr).contains(want) && text(&o.stderr).lines().count() == 1,
            "{args:?}: {}",
            text(&o.stderr)
        );
    }
    assert_eq!(hashmill(d, &["sum", "-a", "crc32", "--raw", "t/a.txt"]).stdout, [0xe8, 0xb7, 0xbe, 0x43]);
}

/// The name of the list decides what nothing else does.
#[test]
fn what_the_name_of_the_list_decides() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    fs::write(d.join("a"), "a").unwrap();
    let made = |args: &[&str], list: &str| {
        let all = [&["sum"], args, &["-o", list, "a"]].concat();
        assert_eq!(stdout(&hashmill(d, &all)), "", "{list}");
        fs::read_to_string(d.join(list)).unwrap()
    };
    assert_eq!(made(&[], "a.md5"), "0cc175b9c0f1b6a831c399e269772661  a\n");
    assert!(made(&[], "SHA512SUMS").starts_with("1f40fc92da241694"));
    assert!(made(&["-a", "blake2b"], "SHA512SUMS").starts_with("BLAKE2b (a) = "));
    assert!(made(&[], "a.sfv").ends_with("\na E8B7BE43\n"));
    assert!(made(&["-a", "crc32"], "a.sfv").ends_with("\na E8B7BE43\n"));
    assert_eq!(made(&["--format", "bagit"], "manifest-md5.txt"), "0cc175b9c0f1b6a831c399e269772661  a\n");
    let o = hashmill(d, &["sum", "--format", "bagit", "-a", "sha256", "-o", "manifest-md5.txt", "a"]);
    let why = "hashmill: manifest-md5.txt: the name of such a list says what its digests are of: md5\n";
    assert_eq!((text(&o.stderr).as_str(), o.status.code()), (why, Some(2)));
}

/// Lists of names as editors on Windows write them, and extensions with a dot in them.
#[test]
fn names_and_extensions() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    for name in ["a", "b", "cr\r", "x.tar.gz", "y.TAR.GZ", "z.gz", ".tar.gz"] {
        fs::write(d.join(name), "").unwrap();
    }
    fs::write(d.join("names"), "\u{feff}a\r\nb\r\ncr\r\n").unwrap();
    let names = |args: &[&str]| -> Vec<String> {
        let mut all = vec!["sum", "-a", "md5", "-z"];
        all.extend(args);
        let out = stdout(&hashmill(d, &all));
        let mut names: Vec<String> = out.split_terminator('\0').map(|l| l[34..].to_string()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&["--files-from", "names"]), ["a", "b", "cr\r"]);
    assert_eq!(names(&["-r", ".", "--ext", "tar.gz"]), ["./x.tar.gz", "./y.TAR.GZ"]);
    assert_eq!(names(&["-r", ".", "--ext", ".GZ"]), ["./.tar.gz", "./x.tar.gz", "./y.TAR.GZ", "./z.gz"]);
    for args in [&["-C", "nothing", "a"][..], &["-r", ".", "--exclude-from", "nothing"]] {
        let o = hashmill(d, &[&["sum"], args].concat());
        let why = "hashmill: nothing: no such file or directory\n";
        assert_eq!((text(&o.stderr).as_str(), o.status.code()), (why, Some(2)), "{args:?}");
    }
}

/// A list keeps its place if nothing can take it, and is never one that would be read as something else.
#[test]
fn lists_that_are_not_written() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    fs::write(d.join("a"), "a").unwrap();
    let list = "0cc175b9c0f1b6a831c399e269772661  a\n";
    fs::write(d.join("x.md5"), list).unwrap();
    let o = hashmill(d, &["sum", "-o", "x.md5", "nothing"]);
    let why =
        "hashmill: nothing: no such file or directory\nhashmill: x.md5: not replaced, since no file could be hashed\n";
    assert_eq!((text(&o.stderr).as_str(), o.status.code()), (why, Some(1)));
    assert_eq!(fs::read_to_string(d.join("x.md5")).unwrap(), list);
    assert_eq!(fs::read_dir(d).unwrap().count(), 2);
    for args in [
        &["--format", "b3sum", "-a", "blake3", "-o", "x.sha256"][..],
        &["--format", "xxhsum", "-a", "xxh128", "-o", "x.md5"],
    ] {
        let o = hashmill(d, &[&["sum"], args, &["a"]].concat());
        let said = text(&o.stderr);
        assert!(said.contains(" are read as something else; choose another name, or another --format\n"), "{said}");
        assert_eq!(o.status.code(), Some(2));
    }
    // Every form that can be written to a list of its own name can be read from it.
    for name in ["x.csv", "x.json", "x.tth", "x.ed2k", "x.aich", "x.b3", "SHA512SUMS"] {
        assert_eq!(stdout(&hashmill(d, &["sum", "-o", name, "a"])), "", "{name}");
        let o = hashmill(d, &["check", name]);
        assert_eq!((text(&o.stdout).as_str(), text(&o.stderr).as_str()), ("a: OK\n", ""), "{name}");
    }
    // Digits of every kind, of short digests, too.
    for digits in ["--base64", "--base32", "--upper"] {
        for name in ["crc32", "xxh32", "adler32", "xxh64", "md5", "sha384"] {
            let o = hashmill(d, &["sum", "-a", name, "--tag", digits, "-o", "list", "a"]);
            assert!(o.status.success(), "{name} {digits}");
            assert_eq!(text(&hashmill(d, &["check", "list"]).stdout), "a: OK\n", "{name} {digits}");
        }
    }
    let o = hashmill(d, &["sum", "-r", ".", "--ext", "jp*"]);
    assert_eq!(text(&o.stderr), "hashmill: 'jp*' is no extension; --include takes patterns\n");
}
