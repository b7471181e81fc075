//! Compares b3sum with the installed one, which is 1.2.0: the same arguments in the same folder must give the same
//! output, messages and exit status. Ours are those of 1.8; what is otherwise in 1.2.0 is compared with what 1.8 is
//! known to print.

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

/// Returns the messages without the summary of later versions, which ours prints. What is wrong with a line has other
/// words in every version.
fn messages(o: &Output) -> Vec<String> {
    let lines = text(&o.stderr);
    let lines = lines.lines().filter(|l| !l.starts_with("b3sum: WARNING:"));
    lines
        .map(|l| if l.starts_with("b3sum: ") && !l.contains("(os error ") { BAD_LINE.into() } else { l.into() })
        .collect()
}

/// What stands for any message about a line that is not understood, or a key.
const BAD_LINE: &str = "b3sum: …";

/// Returns names without carriage returns, which 1.2.0 does not escape.
fn plain_names() -> impl Iterator<Item = OsString> {
    names().into_iter().filter(|name| !name.contains(&b'\r')).map(OsString::from_vec)
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
    let mut all: Vec<OsString> = plain_names().collect();
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
        &["--keyed", "--raw", "a", "b"],
    ] {
        same(dir, args, &key);
        for wrong in [&key[..31], &b""[..], &noise(33, 1)] {
            same(dir, args, wrong);
        }
    }
}

/// Wrong usage, in the words of 1.8 (clap 4), without its lines on usage.
#[test]
fn what_is_refused() {
    let dir = folder();
    let dir = dir.path();
    let unexpected = |option: &str| {
        format!("unexpected argument '{option}' found\n\n  tip: to pass '{option}' as a value, use '-- {option}'")
    };
    let twice = |option: &str| format!("the argument '{option}' cannot be used multiple times");
    let no_value = |option: &str| format!("a value is required for '{option}' but none was supplied");
    let clash = |one: &str, other: &str| format!("the argument '{one}' cannot be used with '{other}'");
    let bad = |value: &str, option: &str, why: &str| format!("invalid value '{value}' for '{option}': {why}");
    let (digit, none, large) = (
        "invalid digit found in string",
        "cannot parse integer from empty string",
        "number too large to fit in target type",
    );
    let similar = "unexpected argument '--len' found\n\n  tip: a similar argument exists: '--length'";
    let lacks = |what: &str| format!("the following required arguments were not provided:\n  {what}");
    for (args, expected) in [
        (&["--nosuch"][..], unexpected("--nosuch")),
        (&["--nosuch=1"], unexpected("--nosuch")),
        (&["-x"], unexpected("-x")),
        (&["-cx"], unexpected("-x")),
        (&["--len", "3", "a"], similar.into()),
        (&["-l"], no_value("--length <LEN>")),
        (&["--length"], no_value("--length <LEN>")),
        (&["-l", "-1", "a"], unexpected("-1")),
        (&["-l", "--", "a"], no_value("--length <LEN>")),
        (&["-l", "3", "-l", "4", "a"], twice("--length <LEN>")),
        (&["-cc", "a"], twice("--check")),
        (&["--raw", "--raw", "a"], twice("--raw")),
        (&["--num-threads", "1", "--num-threads", "2", "a"], twice("--num-threads <NUM>")),
        (&["--quiet", "a"], lacks("--check")),
        (&["--keyed"], lacks("<FILE>...")),
        (&["--quiet", "--keyed"], lacks("--check\n  <FILE>...")),
        (&["--keyed", "--derive-key", "x", "a"], clash("--keyed", "--derive-key <CONTEXT>")),
        (&["--derive-key", "x", "--keyed", "a"], clash("--derive-key <CONTEXT>", "--keyed")),
        (&["--derive-key"], no_value("--derive-key <CONTEXT>")),
        (&["--derive-key", "--raw", "a"], no_value("--derive-key <CONTEXT>")),
        (&["--derive-key", "-xy", "a"], unexpected("-x")),
        (&["-c", "--keyed", "a"], clash("--check", "--keyed")),
        (&["--tag", "-c", "a"], clash("--tag", "--check")),
        (&["-cl", "3", "a"], clash("--check", "--length <LEN>")),
        (&["-c", "--no-names", "--raw"], "the argument '--check' cannot be used with:\n  --no-names\n  --raw".into()),
        (&["--num-threads", "x", "a"], bad("x", "--num-threads <NUM>", digit)),
        (&["--num-threads=", "a"], bad("", "--num-threads <NUM>", none)),
        (&["--num-threads", "99999999999999999999", "a"], bad("99999999999999999999", "--num-threads <NUM>", large)),
        (&["-l", "x", "a", "big"], bad("x", "--length <LEN>", digit)),
        (&["-l5x", "-c", "a"], bad("5x", "--length <LEN>", digit)),
        (&["--length", "18446744073709551616", "a"], bad("18446744073709551616", "--length <LEN>", large)),
        (&["--seek", "x", "hello"], bad("x", "--seek <SEEK>", digit)),
        (&["--check=1", "a"], "unexpected value '1' for '--check' found; no more were expected".into()),
    ] {
        let out = ours(dir, args, b"");
        let whole = format!("error: {expected}\n\nFor more information, try '--help'.\n");
        assert_eq!((text(&out.stderr), out.status.code(), out.stdout.len()), (whole, Some(2), 0), "{args:?}");
    }
    if is_here() {
        same(dir, &["nosuch", "folder"], b"");
        same(dir, &["--raw", "a", "b"], b"");
    }
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
    all.extend(plain_names());
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
    let check = |list: String| {
        let out = ours(dir, &["-c"], list.as_bytes());
        (text(&out.stdout), text(&out.stderr), out.status.code())
    };
    fs::write(dir.join("a) = b"), "hello").unwrap();
    fs::write(dir.join("c\rd"), "hello").unwrap();
    fs::write(dir.join("e  f"), "hello").unwrap();
    fs::write(dir.join("end\r"), "hello").unwrap();
    for (args, expected) in [
        (&["c\rd", "end\r"][..], format!("\\{HELLO}  c\\rd\n\\{HELLO}  end\\r\n")),
        (&["--tag", "c\rd"], format!("\\BLAKE3 (c\\rd) = {HELLO}\n")),
    ] {
        let out = ours(dir, args, b"");
        assert_eq!(text(&out.stdout), expected);
        assert_eq!(check(expected.clone()).2, Some(0), "{expected}");
    }
    let good = format!(
        "BLAKE3 (hello) = {HELLO}\nBLAKE3 (a) = b) = {HELLO}\n\\{HELLO}  c\\rd\n\\BLAKE3 (c\\rd) = {HELLO}\n\
         BLAKE3 (e  f) = {HELLO}\n"
    );
    let expected = "hello: OK\na) = b: OK\n\\c\\rd: OK\n\\c\\rd: OK\ne  f: OK\n";
    assert_eq!(check(good), (expected.into(), String::new(), Some(0)));
    // A line may end with CR and LF, even if there is a file whose name ends with CR: that would be escaped.
    assert_eq!(check(format!("{HELLO}  hello\r\nBLAKE3 (hello) = {HELLO}\r\n")).0, "hello: OK\nhello: OK\n");
    fs::write(dir.join("hello\r"), "other").unwrap();
    assert_eq!(check(format!("{HELLO}  hello\r\n")).0, "hello: OK\n");

    let (_, errors, status) = check(format!("{}  hello\n", HELLO.replace('e', "f")));
    assert_eq!((errors.as_str(), status), ("b3sum: WARNING: 1 computed checksum did NOT match\n", Some(1)));
    let (out, errors, _) = check(format!("{HELLO}  nosuch\nx\n{HELLO}  hello\n"));
    assert_eq!(out, "nosuch: FAILED (No such file or directory (os error 2))\nhello: OK\n");
    let two = "b3sum: WARNING: 2 computed checksums did NOT match\n";
    assert_eq!(errors, format!("b3sum: Invalid check line format\n{two}"));
    for (line, what) in [
        ("".to_string(), "Empty line"),
        ("\r\r".into(), "Empty line"),
        (format!("{HELLO} hello"), "Invalid check line format"),
        (format!("BLAKE3 (hello)= {HELLO}"), "Invalid check line format"),
        (format!("{HELLO}0  hello"), "Invalid hash length"),
        (format!("{}  hello", HELLO.to_uppercase()), "Invalid hex"),
        (format!("\\{HELLO}  hell\\o"), "Invalid backslash escape"),
        (format!("{HELLO}  "), "empty file path"),
        (format!("{HELLO}  a\0b"), "Null character in path"),
        (format!("{HELLO}  \u{fffd}"), "Unicode replacement character in path"),
    ] {
        let (out, errors, status) = check(format!("{line}\n"));
        let expected = format!("b3sum: {what}\nb3sum: WARNING: 1 computed checksum did NOT match\n");
        assert_eq!((out.as_str(), errors, status), ("", expected, Some(1)), "{line}");
    }
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
