//! `hashmill check`, compared with `md5sum -c`, and lists written by other tools.

use hashmill_testing::{hashmill, hashmill_with, noise, run, stdout, text};
use std::fs;
use std::path::Path;

const A: &str = "0cc175b9c0f1b6a831c399e269772661";
const B: &str = "92eb5ffee6ae2fec3ad71c777531578f";
const WRONG: &str = "00000000000000000000000000000000";

fn files() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for f in ["a", "b", "x"] {
        fs::write(dir.path().join(f), &f[..1]).unwrap();
    }
    fs::create_dir(dir.path().join("dir")).unwrap();
    dir
}

/// Removes the differences that are intended: coreutils quotes names where a shell would need that, begins messages
/// with its own name and writes causes with a capital.
fn messages(bytes: &[u8]) -> String {
    let mut s = String::new();
    for line in text(bytes).lines() {
        let line = line.split_once(": ").map_or(line, |(_, rest)| rest);
        // coreutils does not say what names are relative to.
        if line.contains(": no listed file exists; ") {
            continue;
        }
        s += &line
            .replace("No such file", "no such file")
            .replace("Is a dir", "is a dir")
            .replace(": the list is empty", "")
            .replace("; without the blanks around it, it exists", "")
            .replace('\'', "")
            .replace("$\\", "\\");
        s += "\n";
    }
    s
}

fn same(dir: &Path, list: &[u8], hides: bool, options: &[&str]) {
    fs::write(dir.join("list"), list).unwrap();
    let mut ours = vec!["check", "-a", "md5"];
    ours.extend(options);
    ours.push("list");
    let mut theirs = vec!["-c"];
    theirs.extend(options);
    theirs.push("list");
    let (ours, theirs) = (hashmill(dir, &ours), run(dir, "md5sum", &theirs, b""));
    let show = text(list);
    assert_eq!(text(&ours.stdout), text(&theirs.stdout), "{options:?} {show}");
    // If a line may have named a file that is not verified, this program reports it; md5sum does not.
    if hides {
        let causes = [": checksum line not understood\n", ": a digest without the name of its file\n"];
        let said = causes.iter().any(|cause| text(&ours.stderr).contains(cause));
        assert_eq!((said, ours.status.code()), (options.last() != Some(&"--status"), Some(1)), "{options:?} {show}");
        return;
    }
    assert_eq!(messages(&ours.stderr), messages(&theirs.stderr), "{options:?} {show}");
    assert_eq!(ours.status.code(), theirs.status.code(), "{options:?} {show}");
}

/// Options that users of the sum commands type out of habit.
#[test]
fn typed_as_for_the_sum_commands() {
    let dir = files();
    let d = dir.path();
    fs::write(d.join("list"), format!("{A}  a\n")).unwrap();
    for args in [
        &["sum", "-c", "list"][..],
        &["sum", "--check", "list"],
        &["sum", "list", "-c"],
        &["sum", "-a", "md5", "-c", "list"],
        &["sum", "-cw", "list"],
        &["sum", "-bc", "list"],
        &["check", "-c", "list"],
        &["check", "-b", "list"],
        &["check", "-t", "--tag", "list"],
    ] {
        let o = hashmill(d, args);
        assert_eq!((text(&o.stdout).as_str(), o.status.code()), ("a: OK\n", Some(0)), "{args:?} {}", text(&o.stderr));
    }
    assert!(hashmill(d, &["sum", "-c", "--quiet", "list"]).stdout.is_empty());
    let slip = hashmill(d, &["sum", "-rc", "."]);
    assert_eq!((slip.status.code(), text(&slip.stderr).lines().count()), (Some(2), 1));
    // After `--`, `-c` is the name of a file.
    fs::write(d.join("-c"), "x").unwrap();
    assert!(text(&hashmill(d, &["sum", "--", "-c"]).stdout).ends_with("  -c\n"));
}

#[test]
fn messages_and_status_of_coreutils() {
    let dir = files();
    let d = dir.path();
    let sha1 = "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8";
    let understood = [
        String::new(),
        "\n\n# nothing\n".into(),
        format!("{A}  a\n{B}  b\n"),
        format!("{A}  a\n{B} *b"),
        format!("{A}  a\r\n{B}  b\r\n"),
        format!("{A}  a\n{WRONG}  b\n"),
        format!("{WRONG}  a\n{WRONG}  b\n"),
        format!("{A}  missing\n"),
        format!("{A}  missing\n{A}  a\n"),
        format!("{A}  missing\n{A}  missing2\n{WRONG}  a\nnonsense\n"),
        format!("{A}  dir\n{A}  a\n"),
        "nonsense\nmore\n".into(),
        format!("nonsense\n{A}  a\n"),
        format!("nonsense\n\n# c\n{A}  a\nmore\n"),
        format!("{}  a\n", A.to_uppercase()),
        format!("MD5 (a) = {A}\nMD5 (b) = {WRONG}\n"),
        format!("MD5(a)= {A}\n  MD5 (b)={B}\n"),
        format!("SHA1 (a) = {sha1}\nMD5 (a) = {A}\n"),
        format!("{A} xx\n"),
        format!("{A} aa\n{A}  a\n"),
        format!("{A}\ta\n"),
        format!("{A}  a \n"),
        format!(" {A}  a\n\t{B}  b\n"),
        format!("\\{A}  no\\nsuch\n"),
        format!("{A}  a\n{A}  a\n{WRONG}  a\n"),
    ];
    let hiding = [
        format!("nonsense\n\n# c\n{A}  a\nmore\n{A}\n{A} \n{A}  \n"),
        format!("{sha1}  a\n"),
        format!("{sha1}  a\n{A}  a\n"),
        format!("MD5 (a = {A}\n"),
        format!("MD5 (a) = {A} \n"),
        format!("{A}  a\n{A} aa\n"),
        format!("\\{A}  a\\x\n\\{A}  a\n"),
        format!("{}  a\n", &A[..31]),
        format!("{A}0  a\n"),
        format!("{}g  a\n", &A[..31]),
    ];
    let options: [&[&str]; 12] = [
        &[],
        &["--quiet"],
        &["--status"],
        &["-w"],
        &["--strict"],
        &["--ignore-missing"],
        &["--ignore-missing", "--quiet"],
        &["--ignore-missing", "--status"],
        &["--warn", "--quiet"],
        &["--status", "--warn", "--strict"],
        &["--warn", "--status"],
        &["--quiet", "--status", "--quiet"],
    ];
    for (lists, hides) in [(&understood[..], false), (&hiding, true)] {
        for list in lists {
            for o in options {
                same(d, list.as_bytes(), hides, o);
            }
        }
    }
}

#[test]
fn lists_that_cannot_be_read() {
    let dir = files();
    let o = hashmill(dir.path(), &["check", "nowhere"]);
    assert_eq!(
        (text(&o.stderr).as_str(), o.status.code()),
        ("hashmill: nowhere: no such file or directory\n", Some(1))
    );
    let o = hashmill(dir.path(), &["check", "dir"]);
    assert_eq!(
        (text(&o.stderr).as_str(), o.status.code()),
        ("hashmill: dir: is a directory, not a checksum list; `hashmill sum -r dir` makes one\n", Some(1))
    );
    // The other lists are still verified.
    fs::write(dir.path().join("list"), format!("{A}  a\n")).unwrap();
    let o = hashmill(dir.path(), &["check", "nowhere", "list"]);
    assert_eq!((text(&o.stdout).as_str(), o.status.code()), ("a: OK\n", Some(1)));
}

#[test]
fn lists_from_standard_input() {
    let dir = files();
    let list = format!("{A}  a\n{A}  -\n");
    for args in [&["check"][..], &["check", "-"]] {
        let o = hashmill_with(dir.path(), args, list.as_bytes());
        assert_eq!(text(&o.stdout), "a: OK\n");
        let want = "hashmill: standard input: 2: names standard input, from which the list itself is read\n\
                    hashmill: WARNING: 1 checksum line was not understood: its file was NOT verified\n";
        assert_eq!((text(&o.stderr).as_str(), o.status.code()), (want, Some(1)));
    }
    let o = hashmill_with(dir.path(), &["check", "-w"], b"x\n");
    let want = "hashmill: standard input: 1: improperly formatted checksum line\n\
                hashmill: standard input: no properly formatted checksum lines found\n";
    assert_eq!((text(&o.stderr).as_str(), o.status.code()), (want, Some(1)));
    // A list in a file may name standard input.
    fs::write(dir.path().join("list"), format!("{B}  -\n")).unwrap();
    assert_eq!(stdout(&hashmill_with(dir.path(), &["check", "list"], b"b")), "-: OK\n");
}

#[test]
fn every_algorithm_survives_every_form() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    for i in 0..40 {
        fs::write(d.join(format!("f{i:02}")), noise(i * 499, i as u64)).unwrap();
    }
    fs::create_dir(d.join("lists")).unwrap();
    let names: Vec<String> = (0..40).map(|i| format!("f{i:02}")).collect();
    let all = stdout(&hashmill(d, &["list", "--json"]));
    let all: serde_json::Value = serde_json::from_str(&all).unwrap();
    let mut algorithms: Vec<String> =
        all.as_array().unwrap().iter().map(|a| a["name"].as_str().unwrap().to_string()).collect();
    algorithms.extend(["blake2b:20".into(), "shake256:10".into(), "xxh64:seed=99".into(), "blake3:64".into()]);
    for a in &algorithms {
        let forms = [
            &[][..],
            &["--tag"],
            &["--json"],
            &["-b"],
            &["-z"],
            &["--zero", "--json"],
            &["--untagged"],
            &["--untagged", "-b"],
        ];
        for form in forms {
            let mut args = vec!["sum", "-a", a];
            args.extend(form);
            args.extend(names.iter().map(String::as_str));
            let list = stdout(&hashmill(d, &args));
            fs::write(d.join("lists/list"), &list).unwrap();
            let mut args = vec!["check", "--strict"];
            if form.contains(&"--untagged") {
                args.extend(["-a", a]);
            }
            if a.as_str() == "shake256:10" {
                args.push("--allow-short");
            }
            args.push("lists/list");
            let o = hashmill(d, &args);
            let bare = !form.iter().any(|o| ["--tag", "--json", "--untagged"].contains(o));
            let found = match a.as_str() {
                "blake3" if bare => "hashmill: lists/list: digests are BLAKE3's\n",
                "blake2b-512" if bare => "hashmill: lists/list: digests are BLAKE2b's\n",
                _ => "",
            };
            assert_eq!((text(&o.stderr).as_str(), o.status.code()), (found, Some(0)), "{a} {form:?}");
            let out = text(&o.stdout);
            assert_eq!(out.lines().count(), 40);
            assert!(out.lines().zip(&names).all(|(l, n)| l == format!("{n}: OK")), "{a} {form:?}: {out}");
            // Change one digit: in JSON, of the object before the last, which has the totals.
            let end = if list.ends_with("f39\n") || list.ends_with("f39\0") { " *f39\n".len() + 1 } else { 2 };
            let at = if form.contains(&"--json") { list.rfind("\"}}").unwrap() - 1 } else { list.len() - end };
            let mut broken = list.into_bytes();
            broken[at] = if broken[at] == b'0' { b'1' } else { b'0' };
            fs::write(d.join("lists/list"), broken).unwrap();
            let o = hashmill(d, &args);
            assert!(text(&o.stdout).ends_with("\nf38: OK\nf39: FAILED\n"), "{a} {form:?}: {}", text(&o.stdout));
            assert_eq!(text(&o.stderr), format!("{found}hashmill: WARNING: 1 computed checksum did NOT match\n"));
            assert_eq!(o.status.code(), Some(1));
        }
    }
}

/// `check` must accept what `copy --manifest` writes: a list for every algorithm, and one with all of them in each
/// tagged form.
#[cfg(feature = "copy")]
#[test]
fn manifests_of_copies_are_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    fs::create_dir_all(d.join("s/in")).unwrap();
    fs::write(d.join("s/a"), noise(3000, 1)).unwrap();
    fs::write(d.join("s/in/b"), noise(70_000, 2)).unwrap();
    let all: serde_json::Value = serde_json::from_str(&stdout(&hashmill(d, &["list", "--json"]))).unwrap();
    let mut names: Vec<String> =
        all.as_array().unwrap().iter().map(|a| a["name"].as_str().unwrap().to_string()).collect();
    names.extend(["blake2b:20".into(), "xxh64:seed=99".into(), "blake3:64".into()]);
    let checked = |options: &[&str], lines: usize, named: &[&str]| {
        let _ = fs::remove_dir_all(d.join("d"));
        let _ = fs::remove_file(d.join("list"));
        let o = hashmill(d, &[&["copy", "--verify", "hash"], options, &["--manifest", "list", "s", "d"]].concat());
        assert!(o.status.success(), "{options:?}: {}", text(&o.stderr));
        let o = hashmill(&d.join("d"), &[&["check", "--strict"], named, &["../list"]].concat());
        assert_eq!(o.status.code(), Some(0), "{options:?}: {}", text(&o.stderr));
        let out = text(&o.stdout);
        assert!(
            out.lines().count() == lines && out.lines().all(|l| l.starts_with("a: OK") || l.starts_with("in/b: OK")),
            "{out}"
        );
        // Every line about a changed file must fail.
        fs::write(d.join("d/in/b"), noise(70_000, 3)).unwrap();
        let o = hashmill(&d.join("d"), &[&["check", "--strict"], named, &["../list"]].concat());
        assert_eq!(o.status.code(), Some(1), "{options:?}");
        assert_eq!(text(&o.stdout).lines().filter(|l| l.starts_with("in/b: FAILED")).count(), lines / 2, "{options:?}");
    };
    for a in &names {
        checked(&["-a", a], 2, &[]);
    }
    let every = names.join(",");
    checked(&["-a", &every, "--manifest-form", "bsd"], 2 * names.len(), &[]);
    checked(&["-a", &every, "--manifest-form", "json"], 2, &[]);
    for a in ["sha3-256", "crc32", "xxh3"] {
        checked(&["-a", a, "--manifest-form", "gnu"], 2, &["-a", a]);
    }
}

#[test]
fn the_lists_of_other_tools() {
    let dir = files();
    let d = dir.path();
    for tool in ["md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum"] {
        for options in [&["a", "b"][..], &["-b", "a", "b"], &["--tag", "a", "b"]] {
            fs::write(d.join("list"), run(d, tool, options, b"").stdout).unwrap();
            assert_eq!(stdout(&hashmill(d, &["check", "--strict", "list"])), "a: OK\nb: OK\n", "{tool} {options:?}");
        }
    }
    fs::write(d.join("B2SUMS"), run(d, "b2sum", &["a", "b"], b"").stdout).unwrap();
    assert_eq!(stdout(&hashmill(d, &["check", "B2SUMS"])), "a: OK\nb: OK\n");
    fs::write(d.join("list"), run(d, "b2sum", &["--tag", "-l", "128", "a"], b"").stdout).unwrap();
    assert_eq!(stdout(&hashmill(d, &["check", "list"])), "a: OK\n");
    if Path::new("/usr/bin/openssl").exists() {
        for a in ["-md5", "-sha256", "-sha3-512", "-blake2b512", "-sha512-256"] {
            fs::write(d.join("list"), run(d, "openssl", &["dgst", a, "a", "b"], b"").stdout).unwrap();
            assert_eq!(stdout(&hashmill(d, &["check", "--strict", "list"])), "a: OK\nb: OK\n", "openssl {a}");
        }
    }
    if Path::new("/usr/bin/b3sum").exists() {
        fs::write(d.join("x.b3"), run(d, "b3sum", &["a", "b"], b"").stdout).unwrap();
        assert_eq!(stdout(&hashmill(d, &["check", "x.b3"])), "a: OK\nb: OK\n");
    }
    if Path::new("/usr/bin/xxhsum").exists() {
        for (option, hint) in [("-H1", "x.xxh64"), ("-H2", "x.xxh128")] {
            fs::write(d.join(hint), run(d, "xxhsum", &[option, "a", "b"], b"").stdout).unwrap();
            assert_eq!(stdout(&hashmill(d, &["check", hint])), "a: OK\nb: OK\n", "xxhsum {option}");
        }
    }
    // base64, as `cksum --base64` of coreutils 9.2 and later writes it.
    fs::write(d.join("list"), "SHA256 (a) = ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs=\n").unwrap();
    assert_eq!(stdout(&hashmill(d, &["check", "list"])), "a: OK\n");
}

#[test]
fn hostile_lists() {
    let dir = files();
    let d = dir.path();
    // One line of 100 MB among good ones.
    let mut list = format!("{A}  a\n").into_bytes();
    list.extend(std::iter::repeat_n(b'0', 100 << 20));
    list.extend(format!("\n{B}  b\n").bytes());
    let o = hashmill_with(d, &["check", "-w", "-"], &list);
    assert_eq!(text(&o.stdout), "a: OK\nb: OK\n");
    assert_eq!(
        text(&o.stderr),
        "hashmill: standard input: 2: line too long for a checksum line\n\
         hashmill: WARNING: 1 checksum line was not understood: its file was NOT verified\n"
    );
    // More lines than one batch, some of them bad, must give their verdicts in order.
    let mut list = String::new();
    let mut want = String::new();
    for i in 0..30_000 {
        match i % 7 {
            0 => list += "bad\n",
            1 => {
                list += &format!("{WRONG}  a\n");
                want += "a: FAILED (assumed md5; -a decides)\n";
            }
            2 => {
                list += &format!("{A}  missing\n");
                want += "missing: FAILED open or read\n";
            }
            _ => {
                list += &format!("MD5 (b) = {B}\n");
                want += "b: OK\n";
            }
        }
    }
    let o = hashmill_with(d, &["check"], list.as_bytes());
    assert!(text(&o.stdout) == want);
    assert!(text(&o.stderr).ends_with("hashmill: WARNING: 4286 computed checksums did NOT match\n"));
    // Names must not control the terminal.
    let o = hashmill_with(d, &["check"], format!("{A}  \x1b[2J\n").as_bytes());
    assert!(text(&o.stderr).starts_with("hashmill: \\u{1b}[2J: no such file or directory\n"));
}

/// A file far larger than what small files may take is hashed with the usual algorithm only.
#[test]
fn large_files_are_read_once() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    fs::File::create(d.join("x")).unwrap().set_len(17 << 20).unwrap();
    fs::write(d.join("small"), "small").unwrap();
    let large = stdout(&hashmill(d, &["sum", "-a", "blake3", "--untagged", "x"]));
    fs::write(d.join("l"), &large).unwrap();
    let o = hashmill(d, &["check", "l"]);
    assert_eq!((text(&o.stdout).as_str(), o.status.code()), ("x: FAILED (assumed sha256; -a decides)\n", Some(1)));
    // A small file decides for the large one, even if it comes last.
    fs::write(d.join("l"), large + &stdout(&hashmill(d, &["sum", "-a", "blake3", "--untagged", "small"]))).unwrap();
    assert_eq!(text(&hashmill(d, &["check", "l"]).stdout), "x: OK\nsmall: OK\n");
    fs::write(d.join("x"), "else").unwrap();
    assert_eq!(text(&hashmill(d, &["check", "l"]).stdout), "x: FAILED\nsmall: OK\n");
    // xxhsum's are cheap enough for any size.
    fs::File::create(d.join("x")).unwrap().set_len(17 << 20).unwrap();
    fs::write(d.join("l"), stdout(&hashmill(d, &["sum", "-a", "xxh128", "--untagged", "x"]))).unwrap();
    let o = hashmill(d, &["check", "l"]);
    assert_eq!((text(&o.stdout), text(&o.stderr)), ("x: OK\n".into(), "hashmill: l: digests are XXH128's\n".into()));
}

#[test]
fn files_that_are_no_lists() {
    let dir = files();
    let d = dir.path();
    let said = |name: &str, content: &[u8]| {
        fs::write(d.join(name), content).unwrap();
        let o = hashmill(d, &["check", name]);
        assert_eq!((text(&o.stdout).as_str(), o.status.code()), ("", Some(1)));
        text(&o.stderr)
    };
    let about =
        |rest: &str| format!("hashmill: x.zip: looks like a zip archive, not a checksum list; `hashmill {rest}\n");
    assert_eq!(said("x.zip", b"PK\x03\x04\x1b[2J"), about("sum x.zip` computes its digest"));
    fs::write(d.join("SHA256SUMS"), format!("{A}  x.zip\n")).unwrap();
    assert_eq!(said("x.zip", b"PK\x03\x04"), about("check SHA256SUMS` verifies it"));
    fs::write(d.join("x.zip.md5"), format!("{A}\n")).unwrap();
    assert_eq!(said("x.zip", b"PK\x03\x04"), about("check x.zip.md5` verifies it"));
    assert_eq!(said("p", b"<html>no</html>"), "hashmill: p: looks like a web page: the download failed\n");
    // Many bad lines are summed up.
    let messages = said("many", "MD5 (x) = 1\n".repeat(5000).as_bytes());
    assert_eq!(messages.matches("not understood").count(), 20);
    assert!(messages.contains("hashmill: many: and 4980 more lines like these\n"), "{messages}");
}

#[test]
fn only_a_digest() {
    let dir = files();
    let d = dir.path();
    fs::create_dir_all(d.join("in")).unwrap();
    fs::write(d.join("in/f"), "a").unwrap();
    for digest in [format!("{A}\n"), format!(" {}  \r\n", A.to_uppercase())] {
        for list in ["in/f.md5", "in/f.md5sum", "in/f.md5.txt"] {
            fs::write(d.join(list), &digest).unwrap();
            let o = hashmill(d, &["check", list]);
            assert_eq!((text(&o.stdout).as_str(), o.status.code()), ("in/f: OK\n", Some(0)), "{list}");
            let want = format!("hashmill: {list}: has only a digest, taken to be that of in/f\n");
            assert_eq!(text(&o.stderr), want);
        }
        let o = hashmill_with(d, &["check"], digest.as_bytes());
        assert!(o.status.code() == Some(1) && text(&o.stderr).contains("without the name of its file"));
    }
    fs::write(d.join("a.sha256"), A).unwrap();
    let o = hashmill(d, &["check", "a.sha256"]);
    assert!(text(&o.stderr).contains("a digest of 128 bits cannot be SHA256's"), "{}", text(&o.stderr));
}

#[test]
fn names_that_are_not_right() {
    let dir = files();
    let d = dir.path();
    fs::create_dir_all(d.join("in")).unwrap();
    fs::write(d.join("in/f"), "a").unwrap();
    let said = |lines: &str| text(&hashmill_with(d, &["check", "-a", "md5"], lines.as_bytes()).stderr);
    let blank = said(&format!("{A}  a \n"));
    assert!(blank.contains("'a ': no such file or directory; without the blanks around it, it exists\n"), "{blank}");
    let o = hashmill_with(d, &["check"], format!("; TeraCopy\n{A} ?MD5*in\\f\n").as_bytes());
    assert_eq!((text(&o.stdout).as_str(), o.status.code()), ("in\\f: OK\n", Some(0)));
    assert_eq!(text(&o.stderr), "hashmill: standard input: backslashes in names are read as slashes\n");
    fs::write(d.join("in\\f"), "other").unwrap();
    let o = hashmill_with(d, &["check"], format!("{A} ?MD5*in\\f\n").as_bytes());
    assert_eq!(text(&o.stdout), "in\\f: FAILED\n");
    // What names are relative to is said if none exists.
    fs::write(d.join("in/l"), format!("{A}  f\n")).unwrap();
    let o = text(&hashmill(d, &["check", "in/l"]).stderr);
    let end = "and the list is in in: try `cd in && hashmill check l`\n";
    let expected =
        format!("no listed file exists; names are relative to {}, {end}", d.canonicalize().unwrap().display());
    assert!(o.contains(&expected), "{o}");
}

#[test]
fn special_files_are_skipped() {
    let dir = files();
    let d = dir.path();
    fs::write(d.join("l"), format!("{A}  /dev/null\n{A}  a\n")).unwrap();
    let o = hashmill(d, &["check", "-a", "md5", "l"]);
    assert_eq!((text(&o.stdout).as_str(), o.status.code()), ("/dev/null: REFUSED\na: OK\n", Some(1)));
    let o = hashmill(d, &["check", "-a", "md5", "--allow-outside", "l"]);
    assert_eq!((text(&o.stdout).as_str(), o.status.code()), ("/dev/null: SKIPPED\na: OK\n", Some(1)));
    assert!(text(&o.stderr).contains("/dev/null: device, not read; --allow-special reads it\n"));
    let o = hashmill(d, &["check", "-a", "md5", "--allow-outside", "--allow-special", "l"]);
    assert_eq!(text(&o.stdout), "/dev/null: FAILED\na: OK\n");
    // A socket cannot be read, whatever is allowed; a pipe can.
    let _socket = std::os::unix::net::UnixListener::bind(d.join("s")).unwrap();
    run(d, "mkfifo", &["p"], b"");
    fs::write(d.join("l"), format!("{A}  s\n{A}  p\n{A}  a\n")).unwrap();
    let o = hashmill(d, &["check", "-a", "md5", "l"]);
    assert_eq!((text(&o.stdout).as_str(), o.status.code()), ("s: SKIPPED\np: SKIPPED\na: OK\n", Some(1)));
    assert!(text(&o.stderr).contains("s: socket, not read\n"));
    let pipe = d.join("p");
    let writer = std::thread::spawn(move || fs::write(pipe, "a"));
    let o = hashmill(d, &["check", "-a", "md5", "--allow-special", "l"]);
    writer.join().unwrap().unwrap();
    assert_eq!((text(&o.stdout).as_str(), o.status.code()), ("s: FAILED open or read\np: OK\na: OK\n", Some(1)));
}

/// Who reads the verdicts may have seen enough while whoever writes the list is still at it: `hold` lets it go on only
/// once the program has ended.
#[test]
fn a_list_that_is_still_being_written_holds_nobody_up() {
    let dir = files();
    let d = dir.path();
    // More than a pipe holds, so that it is noticed that nobody reads on.
    let name = "a".repeat(200);
    fs::write(d.join(&name), "a").unwrap();
    fs::write(d.join("list"), format!("{A}  {name}\n").repeat(6000)).unwrap();
    let script =
        format!("mkfifo hold; {} check <(cat list; cat hold) | head -n 1; echo >hold", hashmill_testing::executable());
    let out = run(d, "timeout", &["60", "bash", "-c", &script], b"");
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert_eq!(text(&out.stdout), format!("{name}: OK\n"));
}
