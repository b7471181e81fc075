//! Compares b3sum with the installed one: the same arguments in the same folder must give the same output, messages and
//! exit status.

use crate::hostile::{folder, names};
use hashmill_testing::{executable, noise, run, run_as, text};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::process::Output;

/// Returns whether the program is installed in the version whose behaviour the tests know.
fn is_here() -> bool {
    hashmill_testing::is_here("b3sum", "b3sum 1.2.0", |said| said == "b3sum 1.2.0\n")
}

fn ours<S: AsRef<OsStr>>(dir: &Path, args: &[S], stdin: &[u8]) -> Output {
    run_as(dir, executable(), "b3sum", args, stdin)
}

/// Returns the messages without clap's usage text and suggestions, and without the summary of later versions, which
/// ours prints.
fn messages(o: &Output) -> Vec<String> {
    let all = text(&o.stderr);
    let all = if all.starts_with("error: ") { all.split("\n\n").next().unwrap_or_default() } else { &all };
    all.lines()
        .filter(|l| !l.starts_with("\tDid you mean") && !l.starts_with("b3sum: WARNING:"))
        .map(String::from)
        .collect()
}

#[track_caller]
fn same<S: AsRef<OsStr>>(dir: &Path, args: &[S], stdin: &[u8]) {
    let (theirs, ours) = (run(dir, "b3sum", args, stdin), ours(dir, args, stdin));
    let shown: Vec<_> = args.iter().map(|a| a.as_ref().to_string_lossy().into_owned()).collect();
    assert_eq!(messages(&ours), messages(&theirs), "{shown:?}: messages");
    assert_eq!(text(&ours.stdout), text(&theirs.stdout), "{shown:?}: output");
    assert_eq!((ours.status.code(), ours.stdout), (theirs.status.code(), theirs.stdout), "{shown:?}");
}

#[test]
fn digests_of_files() {
    if !is_here() {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    let mut all: Vec<OsString> = names().into_iter().map(OsString::from_vec).collect();
    all.extend(
        ["empty", "big", "folder", "nosuch", "no such:file", "no\nl", "no\\", "link", "dangling", "-"]
            .map(OsString::from),
    );
    all.push(OsString::from_vec(b"no\xff".to_vec()));
    for options in [
        &[][..],
        &["--no-names"],
        &["--no-mmap"],
        &["--num-threads", "1"],
        &["--num-threads=0"],
        &["-l", "3"],
        &["-l200"],
        &["--length=0"],
        &["--derive-key", "a context"],
        &["--derive-key", "ü", "-l=70"],
        &["--no-names", "-l", "64", "--num-threads", "3"],
    ] {
        let mut args: Vec<OsString> = options.iter().map(OsString::from).collect();
        args.push("--".into());
        args.extend(all.iter().cloned());
        same(dir, &args, b"on standard input");
    }
    same::<&str>(dir, &[], b"on standard input");
    same(dir, &["-"], b"");
    same(dir, &["a", "-l", "5", "empty", "--no-names"], b"");
    same(dir, &["-l", "+5", "big"], b"");
    for args in [
        &["--raw", "a"][..],
        &["--raw"],
        &["--raw", "-l", "1000", "big"],
        &["--raw", "--no-names", "nosuch"],
        &["--raw", "--derive-key=x", "a"],
    ] {
        same(dir, args, b"on standard input");
    }
    // Output longer than the longest digest that the library computes.
    same(dir, &["--raw", "--length", "3000001", "a"], b"");
    same(dir, &["-l", "1500000", "a", "empty"], b"");
}

#[test]
fn keys() {
    if !is_here() {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    let key = noise(32, 77);
    for args in [
        &["--keyed", "a", "big", "-", "nosuch", "folder", "new\nline"][..],
        &["--keyed", "--raw", "a"],
        &["--keyed", "-l", "100", "a", "empty"],
        &["a", "--keyed", "--no-names"],
        &["--keyed", "-"],
        &["--keyed"],
        &["--keyed", "--raw", "a", "b"],
    ] {
        same(dir, args, &key);
        for wrong in [&key[..31], &b""[..], &noise(33, 1)] {
            same(dir, args, wrong);
        }
    }
}

#[test]
fn what_is_refused() {
    if !is_here() {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    for args in [
        &["--nosuch"][..],
        &["--nosuch=1"],
        &["-x"],
        &["-cx"],
        &["--len", "3", "a"],
        &["-l"],
        &["--length"],
        &["-l", "-1", "a"],
        &["-l", "--", "a"],
        &["-l", "3", "-l", "4", "a"],
        &["-cc", "a"],
        &["--raw", "--raw", "a"],
        &["--no-names", "--no-names", "a"],
        &["--num-threads", "1", "--num-threads", "2", "a"],
        &["--quiet", "a"],
        &["--keyed"],
        &["--keyed", "--derive-key", "x", "a"],
        &["--derive-key"],
        &["--derive-key", "-x", "a"],
        &["-c", "--keyed", "a"],
        &["-c", "--raw", "a"],
        &["-c", "--no-names", "a"],
        &["-c", "-l", "3", "a"],
        &["-cl", "3", "a"],
        &["-c", "--derive-key", "x", "a"],
        &["--raw", "a", "b"],
        &["--num-threads", "x", "a"],
        &["--num-threads=", "a"],
        &["--num-threads", "99999999999999999999", "a"],
        &["nosuch", "folder"],
    ] {
        same(dir, args, b"");
    }
    // An invalid length is reported once, not for every file.
    for args in [&["-l", "x", "a", "big"][..], &["-l5x", "a"], &["--length", "18446744073709551616", "a"]] {
        let out = ours(dir, args, b"");
        assert!(text(&out.stderr).starts_with("Error: Failed to parse length.\n"), "{}", text(&out.stderr));
        assert_eq!((out.status.code(), out.stdout.len()), (run(dir, "b3sum", args, b"").status.code(), 0));
    }
    // A value for an option that takes none must be refused.
    let out = ours(dir, &["--check=1", "a"], b"");
    assert_eq!(messages(&out), ["error: The argument '--check' takes no value"]);
}

/// Both programs must treat every kind of list in the same way.
#[test]
fn lists() {
    if !is_here() {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    let mut all: Vec<OsString> = vec!["--".into()];
    all.extend(names().into_iter().map(OsString::from_vec));
    let whole = run(dir, "b3sum", &all, b"").stdout;
    let a = text(&run(dir, "b3sum", &["a"], b"").stdout);
    let digest = &a[..64];
    let wrong = a.replacen(|c: char| c.is_ascii_digit(), "e", 1);
    for list in [
        whole,
        a.clone().into_bytes(),
        a.trim_end().as_bytes().to_vec(),
        wrong.clone().into_bytes(),
        b"".to_vec(),
        b"\n\n# a comment\n".to_vec(),
        b"rubbish\n".to_vec(),
        format!("{a}{wrong}\nrubbish\n{digest}  nosuch\n{digest} a\n{digest}  folder\n{a}").into_bytes(),
        format!("{}  a\n{digest} *a\n{digest}\ta\n {a}{digest}0  a\n{}  a\n", digest.to_uppercase(), &digest[1..])
            .into_bytes(),
        format!(
            "\\{digest}  a\n\\{digest}  a\\x\n\\{digest}  a\\\n\\{digest}  back\\\\slash\n\\{digest}  new\\nline\n"
        )
        .into_bytes(),
        format!("{digest}  back\\slash\n{digest}  a\0b\n{digest}  \u{fffd}\n{digest}  ü\n{digest}ü  a\nü\n\\\n")
            .into_bytes(),
        format!("{digest}  \n{digest} \n{digest}\n{digest}   a\n{digest}  -\n").into_bytes(),
        format!("{digest}  it's\n{digest}  no such\n").into_bytes(),
        format!("{digest}   lead\n{digest}  trail \n").into_bytes(),
    ] {
        fs::write(dir.join("list"), &list).unwrap();
        for args in [
            &["-c", "list"][..],
            &["--check", "--quiet", "list"],
            &["-c", "list", "list"],
            &["-c", "--num-threads", "2", "list"],
            &["list", "--no-mmap", "-c"],
        ] {
            same(dir, args, b"");
        }
        same(dir, &["-c"], &list);
        same(dir, &["-c", "-"], &list);
    }
}

/// Lists with random changes.
#[test]
fn lists_with_random_faults() {
    if !is_here() {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    let good = run(dir, "b3sum", &["a", "with space", "it's", "empty", "back\\slash", "new\nline"], b"").stdout;
    for seed in 0..150u64 {
        let dice = noise(64, seed + 1000);
        let mut list = good.clone();
        for d in dice.chunks(4).take(1 + seed as usize % 8) {
            let at = usize::from(u16::from_le_bytes([d[0], d[1]])) % list.len();
            const BYTES: &[u8] = b" \t*\\()=-#0afAg\n:'xnB";
            match d[2] % 4 {
                0 => list[at] = BYTES[usize::from(d[3]) % BYTES.len()],
                1 => list.insert(at, BYTES[usize::from(d[3]) % BYTES.len()]),
                2 => drop(list.remove(at)),
                _ => list.truncate(at.max(40)),
            }
        }
        fs::write(dir.join("list"), &list).unwrap();
        same(dir, &["-c", "list"], b"");
    }
}

/// Creates a folder with one file, `hello`, that contains that word.
fn hello() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("hello"), "hello").unwrap();
    dir
}

const HELLO: &str = "ea8f163db38682925e4491c5e58d4bb3506ef8c14eb78a86e908c5624a67200f";

/// Features that later versions have added, checked against their known output.
#[test]
fn later_versions() {
    let dir = hello();
    let dir = dir.path();
    for (args, expected) in [
        (&["hello"][..], format!("{HELLO}  hello\n")),
        (&["--tag", "hello"], format!("BLAKE3 (hello) = {HELLO}\n")),
        (&["--tag", "-l", "4", "hello"], "BLAKE3 (hello) = ea8f163d\n".into()),
        (&["--tag", "--no-names", "hello"], format!("{HELLO}\n")),
        (&["--seek", "2", "-l", "4", "hello"], "163db386  hello\n".into()),
        (&["--seek=30", "--length=6", "--no-names", "hello"], "200fe992405f\n".into()),
        (&["--seek", "64", "-l", "2", "--tag", "hello"], "BLAKE3 (hello) = c688\n".into()),
        (&["--seek", "64", "-l", "0", "hello"], "  hello\n".into()),
    ] {
        let out = ours(dir, args, b"");
        assert_eq!((text(&out.stdout), text(&out.stderr)), (expected, String::new()), "{args:?}");
    }
    // `--seek` leaves out the beginning of the output.
    let whole = ours(dir, &["--raw", "-l", "100000", "hello"], b"").stdout;
    assert_eq!(ours(dir, &["--raw", "--seek", "70000", "-l", "30000", "hello"], b"").stdout, whole[70000..]);
    let seek = ours(dir, &["--seek", "x", "hello"], b"");
    assert!(text(&seek.stderr).starts_with("Error: Failed to parse seek.\n"), "{}", text(&seek.stderr));
    let tag = ours(dir, &["--check", "--tag", "hello"], b"");
    assert_eq!(messages(&tag), ["error: The argument '--tag' cannot be used with '--check'"]);

    let check = |list: String| {
        let out = ours(dir, &["-c"], list.as_bytes());
        (text(&out.stdout), text(&out.stderr), out.status.code())
    };
    fs::write(dir.join("a) = b"), "hello").unwrap();
    fs::write(dir.join("c\rd"), "hello").unwrap();
    fs::write(dir.join("e  f"), "hello").unwrap();
    let good = format!(
        "BLAKE3 (hello) = {HELLO}\nBLAKE3 (a) = b) = {HELLO}\n\\{HELLO}  c\\rd\n\\BLAKE3 (c\\rd) = {HELLO}\n\
         BLAKE3 (e  f) = {HELLO}\n"
    );
    let expected = "hello: OK\na) = b: OK\n\\c\\rd: OK\n\\c\\rd: OK\ne  f: OK\n";
    assert_eq!(check(good), (expected.into(), String::new(), Some(0)));
    // A line may end with CR and LF. If there is a file whose name ends with CR, the line names that file.
    assert_eq!(check(format!("{HELLO}  hello\r\nBLAKE3 (hello) = {HELLO}\r\n")).0, "hello: OK\nhello: OK\n");
    fs::write(dir.join("hello\r"), "other").unwrap();
    assert_eq!(check(format!("{HELLO}  hello\r\n")).0, "hello\r: FAILED\n");

    let (_, errors, status) = check(format!("{}  hello\n", HELLO.replace('e', "f")));
    assert_eq!((errors.as_str(), status), ("b3sum: WARNING: 1 computed checksum did NOT match\n", Some(1)));
    let (out, errors, _) = check(format!("{HELLO}  nosuch\nx\n{HELLO}  hello\n"));
    assert_eq!(out, "nosuch: FAILED (No such file or directory (os error 2))\nhello: OK\n");
    assert_eq!(errors, "b3sum: Short line\nb3sum: WARNING: 2 computed checksums did NOT match\n");
}

/// Deliberate differences, where the installed version stops, or says less than users need.
#[test]
fn what_is_better() {
    let dir = hello();
    let dir = dir.path();
    fs::write(dir.join("list"), [HELLO.as_bytes(), b"  \xff\n", HELLO.as_bytes(), b"  hello\n"].concat()).unwrap();
    let out = ours(dir, &["-c", "nosuch", "list", "."], b"");
    assert_eq!(text(&out.stdout), "hello: OK\n");
    let expected = "b3sum: nosuch: No such file or directory (os error 2)
b3sum: Invalid UTF-8
b3sum: .: Is a directory (os error 21)
b3sum: WARNING: 1 computed checksum did NOT match
";
    assert_eq!((text(&out.stderr).as_str(), out.status.code()), (expected, Some(1)));
    let name = OsStr::from_bytes(b"no\xfft");
    fs::write(dir.join(name), "hello").unwrap();
    assert_eq!(text(&ours(dir, &[name], b"").stdout), format!("{HELLO}  no\u{fffd}t\n"));
}

/// A long file must have the same digest in whatever way it is read.
#[test]
fn one_long_file() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let key = noise(32, 3);
    fs::write(dir.join("long"), noise(20_000_003, 9)).unwrap();
    let digest = |args: &[&str]| text(&ours(dir, args, &key).stdout);
    let one = digest(&["long"]);
    assert_eq!(digest(&["--num-threads", "1", "long"]), one);
    assert_eq!(digest(&["--no-mmap", "long"]), one);
    assert!(digest(&["-l", "64", "long"]).starts_with(&one[..64]));
    assert_eq!(digest(&["--seek", "1", "-l", "31", "long"]), one[2..]);
    if is_here() {
        same(dir, &["long"], b"");
        same(dir, &["--keyed", "long", "long"], &key);
        same(dir, &["--derive-key", "x", "long", "long"], b"");
    }
}

#[test]
fn its_own_words() {
    let dir = hello();
    let help = ours(dir.path(), &["--help"], b"");
    assert!(help.status.success() && text(&help.stdout).starts_with("Usage: b3sum [OPTION]... [FILE]...\n"));
    assert!(text(&help.stdout).lines().all(|l| l.chars().count() <= 80));
    assert!(text(&ours(dir.path(), &["-V"], b"").stdout).starts_with("b3sum (hashmill) "));
    let sub = hashmill_testing::hashmill(dir.path(), &["b3sum", "hello"]);
    assert_eq!(text(&sub.stdout), format!("{HELLO}  hello\n"));
}
