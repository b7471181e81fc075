//! Verdicts of `hashmill check` on lists that do not name their algorithm, and on lines that it does not understand:
//! never OK without a reason, never FAILED for a file that is unchanged.

use hashmill_testing::{executable, hashmill, hashmill_with, noise, run, stdout, text};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Output;

fn files() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (i, f) in ["a", "b", "c"].into_iter().enumerate() {
        fs::write(dir.path().join(f), noise(5000 * i + 1, i as u64 + 1)).unwrap();
    }
    dir
}

fn sum(d: &Path, args: &[&str]) -> String {
    let mut all = vec!["sum"];
    all.extend(args);
    stdout(&hashmill(d, &all))
}

fn check(d: &Path, list: &str, args: &[&str]) -> Output {
    fs::write(d.join("l"), list).unwrap();
    let mut all = vec!["check"];
    all.extend(args);
    all.push("l");
    hashmill(d, &all)
}

const ALL_OK: &str = "a: OK\nb: OK\nc: OK\n";

/// Untagged lists whose names suggest no algorithm.
#[test]
fn the_algorithm_is_found_by_trying() {
    let dir = files();
    let d = dir.path();
    for (name, shown) in [
        ("md5", ""),
        ("sha1", ""),
        ("sha224", ""),
        ("sha256", ""),
        ("sha384", ""),
        ("sha512", ""),
        ("blake3", "BLAKE3"),
        ("sha3-224", "SHA3-224"),
        ("sha3-256", "SHA3-256"),
        ("sha3-384", "SHA3-384"),
        ("sha3-512", "SHA3-512"),
        ("blake2b", "BLAKE2b"),
        ("blake2b:32", "BLAKE2b-256"),
        ("blake2s", "BLAKE2S-256"),
        ("keccak256", "KECCAK256"),
        ("sm3", "SM3"),
        ("sha512-256", "SHA512-256"),
        ("whirlpool", "WHIRLPOOL"),
        ("skein1024-1024", "SKEIN1024-1024"),
    ] {
        let list = sum(d, &["--untagged", "-a", name, "a", "b", "c"]);
        assert!(list.lines().all(|l| !l.contains('=')), "{list}");
        let o = check(d, &list, &[]);
        assert_eq!((text(&o.stdout).as_str(), o.status.code()), (ALL_OK, Some(0)), "{name}: {}", text(&o.stderr));
        let want = if shown.is_empty() { String::new() } else { format!("hashmill: l: digests are {shown}'s\n") };
        assert_eq!(text(&o.stderr), want, "{name}");
        // `--quiet` and `--status` suppress this remark.
        assert!(check(d, &list, &["--quiet"]).stderr.is_empty());
        assert!(check(d, &list, &["--status"]).stderr.is_empty());
        // If the algorithm is given, there is nothing to guess.
        assert_eq!(stdout(&check(d, &list, &["-a", name])), ALL_OK);
        let o = check(d, &list, &["--no-guess"]);
        assert_eq!((o.status.code(), o.stdout.is_empty()), (Some(1), true), "{name}");
        assert!(text(&o.stderr).starts_with("hashmill: l: 1: cannot tell which algorithm this digest of "), "{name}");
    }
}

/// Lists written by the original programs.
#[test]
fn lists_of_other_programs_under_any_name() {
    let dir = files();
    let d = dir.path();
    for (program, args) in
        [("b3sum", &["a", "b", "c"][..]), ("b2sum", &["a", "b", "c"]), ("b2sum", &["-l", "256", "a", "b", "c"])]
    {
        let list = text(&run(d, program, args, b"").stdout);
        let o = check(d, &list, &[]);
        assert_eq!((text(&o.stdout).as_str(), o.status.code()), (ALL_OK, Some(0)), "{program} {args:?}");
    }
    // xxhsum's digests are accepted, but never silently.
    for (option, name) in [("-H0", "XXH32"), ("-H1", "XXH64"), ("-H2", "XXH128")] {
        let list = text(&run(d, "xxhsum", &[option, "a", "b", "c"], b"").stdout);
        for (options, out) in [(&[][..], ALL_OK), (&["--quiet"], ""), (&["--status"], "")] {
            let o = check(d, &list, options);
            assert_eq!((text(&o.stdout).as_str(), o.status.code()), (out, Some(0)), "{option} {options:?}");
            assert_eq!(text(&o.stderr), format!("hashmill: l: digests are {name}'s\n"), "{option} {options:?}");
        }
    }
}

/// One matching line, anywhere in the list, is enough to find the algorithm, which then applies to all lines.
#[test]
fn one_algorithm_holds_for_the_list() {
    let dir = files();
    let d = dir.path();
    let list = sum(d, &["-a", "blake3", "a", "b", "c"]);
    for changed in [&["a"][..], &["b"], &["c"], &["a", "b"], &["a", "c"], &["b", "c"]] {
        let dir = files();
        let d = dir.path();
        changed.iter().for_each(|f| fs::write(d.join(f), "else").unwrap());
        let o = check(d, &list, &[]);
        let want: String = ["a", "b", "c"]
            .iter()
            .map(|f| format!("{f}: {}\n", if changed.contains(f) { "FAILED" } else { "OK" }))
            .collect();
        assert_eq!((text(&o.stdout), o.status.code()), (want, Some(1)));
        assert!(text(&o.stderr).starts_with("hashmill: l: digests are BLAKE3's\n"), "{}", text(&o.stderr));
    }
    // A line that only another algorithm would match must fail.
    let mixed = list.lines().next().unwrap().to_string() + "\n" + &sum(d, &["-a", "sha256", "b"]);
    let o = check(d, &mixed, &[]);
    assert_eq!(text(&o.stdout), "a: OK\nb: FAILED\n");
    // In lists that people have combined, each length of digest has its own algorithm.
    let both =
        sum(d, &["-a", "md5", "a"]) + &sum(d, &["-a", "blake3", "b"]) + &sum(d, &["-a", "sha3-512", "--untagged", "c"]);
    let o = check(d, &both, &[]);
    assert_eq!((text(&o.stdout).as_str(), o.status.code()), (ALL_OK, Some(0)));
}

/// If no algorithm gives the digest, the verdict is FAILED, and a message names those that were tried.
#[test]
fn what_was_tried_is_said() {
    let dir = files();
    let d = dir.path();
    let list = sum(d, &["-a", "blake3", "a", "b"]);
    fs::write(d.join("a"), "else").unwrap();
    fs::write(d.join("b"), "else").unwrap();
    let o = check(d, &list, &[]);
    assert_eq!(
        (text(&o.stdout).as_str(), o.status.code()),
        ("a: FAILED (assumed sha256; -a decides)\nb: FAILED (assumed sha256; -a decides)\n", Some(1))
    );
    let said = text(&o.stderr);
    let tried =
        said.lines().find(|l| l.starts_with("hashmill: l: tried sha256, blake3, ")).unwrap_or_else(|| panic!("{said}"));
    assert!(tried.ends_with("; -a names another algorithm") && tried.contains("sha3-256"), "{tried}");
    // If the list names its algorithm, no others are tried.
    let list = sum(d, &["-a", "blake3", "--tag", "a"]);
    fs::write(d.join("a"), "again").unwrap();
    assert_eq!(text(&check(d, &list, &[]).stderr), "hashmill: WARNING: 1 computed checksum did NOT match\n");
    // Missing files say nothing about algorithms.
    let o = check(d, &format!("{}  missing\n", "ab".repeat(32)), &[]);
    assert_eq!(text(&o.stdout), "missing: FAILED open or read\n");
    assert!(!text(&o.stderr).contains("tried"), "{}", text(&o.stderr));
}

/// Weak algorithms, except for CRC-32 and those of xxhsum, and unusual parameters must not be tried: with enough of
/// them, an attacker could make a file that matches.
#[test]
fn weak_algorithms_are_not_tried() {
    let dir = files();
    let d = dir.path();
    for name in [
        "crc32c", "adler32", "snefru256", "gost94", "ripemd160", "ripemd256", "haval256-5", "haval128-3", "md4",
        "cubehash1/128-256", "blake3:64", "tiger192-3", "fnv1a64", "skein512-224",
    ] {
        let list = sum(d, &["--untagged", "-a", name, "a"]);
        let o = check(d, &list, &[]);
        assert_eq!(o.status.code(), Some(1), "{name}");
        assert!(!text(&o.stdout).contains("OK"), "{name}: {}", text(&o.stdout));
        assert_eq!(stdout(&check(d, &list, &["-a", name])), "a: OK\n", "{name}");
    }
    let o = check(d, &sum(d, &["--untagged", "-a", "crc32", "a"]), &[]);
    assert_eq!((text(&o.stdout), text(&o.stderr)), ("a: OK\n".into(), "hashmill: l: digests are CRC32's\n".into()));
}

/// Standard input can be read only once, so all candidates must be tried in one read.
#[test]
fn standard_input_is_tried_in_one_go() {
    let dir = files();
    let d = dir.path();
    let content = noise(300_000, 9);
    let bare = |a: &str| text(&hashmill_with(d, &["sum", "--untagged", "-a", a], &content).stdout);
    let all = [bare("md5"), bare("sha3-256"), bare("blake2b"), bare("sha3-256")].concat();
    fs::write(d.join("l"), &all).unwrap();
    let o = hashmill_with(d, &["check", "l"], &content);
    assert_eq!(
        (text(&o.stdout).as_str(), o.status.code()),
        ("-: OK\n-: OK\n-: OK\n-: OK\n", Some(0)),
        "{}",
        text(&o.stderr)
    );
    let o = hashmill_with(d, &["check", "l"], b"else");
    let want = ["md5", "sha256", "sha512", "sha256"].map(|a| format!("-: FAILED (assumed {a}; -a decides)\n")).concat();
    assert_eq!(text(&o.stdout), want);
}

/// Files longer than one read, of which the smallest that matches decides.
#[test]
fn long_files() {
    let dir = files();
    let d = dir.path();
    for (i, f) in ["x", "y"].into_iter().enumerate() {
        fs::write(d.join(f), noise(3 << 20, 77 + i as u64)).unwrap();
    }
    for a in ["sha256", "blake3", "sm3"] {
        let list = sum(d, &["--untagged", "-a", a, "x", "y"]);
        let o = check(d, &list, &[]);
        assert_eq!((text(&o.stdout).as_str(), o.status.code()), ("x: OK\ny: OK\n", Some(0)), "{a}");
        let bad = sum(d, &["--untagged", "-a", a, "y"]).replace("  y", "  x") + &list;
        assert_eq!(text(&check(d, &bad, &[]).stdout), "x: FAILED\nx: OK\ny: OK\n", "{a}");
    }
    // A length that only one algorithm has.
    let o = check(d, &format!("{}  x\n", "ab".repeat(128)), &[]);
    assert_eq!(
        (text(&o.stdout).as_str(), o.status.code()),
        ("x: FAILED (assumed skein1024-1024; -a decides)\n", Some(1))
    );
}

/// More lines than one batch: the algorithm may be found in a later batch, and then applies to all lines after it.
#[test]
fn lists_of_many_lines() {
    let dir = files();
    let d = dir.path();
    let a = sum(d, &["-a", "blake3", "a"]);
    let wrong = format!("{}  b\n", "ab".repeat(32));
    let list = wrong.repeat(9000) + &a.repeat(9000) + &wrong;
    let o = check(d, &list, &[]);
    // The first batch is reported before any file has confirmed the algorithm.
    let want = "b: FAILED (assumed sha256; -a decides)\n".repeat(8192)
        + &"b: FAILED\n".repeat(9000 - 8192)
        + &"a: OK\n".repeat(9000)
        + "b: FAILED\n";
    assert!(text(&o.stdout) == want);
    assert!(text(&o.stderr).contains("digests are BLAKE3's\n") && !text(&o.stderr).contains("tried"));
}

/// A byte order mark, which some editors write, must not hide the first line.
#[test]
fn byte_order_marks() {
    let dir = files();
    let d = dir.path();
    for list in [sum(d, &["a", "b", "c"]), sum(d, &["--tag", "a", "b", "c"]), sum(d, &["--json", "a", "b", "c"])] {
        assert_eq!(stdout(&check(d, &format!("\u{feff}{list}"), &[])), ALL_OK);
        assert_eq!(stdout(&check(d, &format!("\u{feff}{}", list.replace('\n', "\r\n")), &[])), ALL_OK);
        let dir = files();
        fs::write(dir.path().join("a"), "tampered").unwrap();
        let o = check(dir.path(), &format!("\u{feff}{list}"), &[]);
        assert_eq!((text(&o.stdout).as_str(), o.status.code()), ("a: FAILED\nb: OK\nc: OK\n", Some(1)));
        // UTF-16, as Windows writes it.
        let wide: Vec<u8> = [0xfeff].into_iter().chain(list.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        fs::write(d.join("l"), wide).unwrap();
        let o = hashmill(d, &["check", "l"]);
        assert_eq!(stdout(&o), ALL_OK);
    }
}

/// Tags padded with blanks, as RHash writes them.
#[test]
fn padded_tags() {
    let dir = files();
    let d = dir.path();
    for a in ["md5", "sha256", "sha3-256", "tiger192-3", "crc32"] {
        let list = sum(d, &["--tag", "-a", a, "a", "b", "c"]).replacen(" (", "           (", 2);
        assert_eq!(stdout(&check(d, &list, &["--strict"])), ALL_OK);
        fs::write(d.join("a"), "tampered").unwrap();
        assert_eq!(text(&check(d, &list, &[]).stdout), "a: FAILED\nb: OK\nc: OK\n");
        fs::write(d.join("a"), noise(1, 1)).unwrap();
    }
}

/// A line that looks like a checksum line but is not understood must be a failure, since its file is not verified.
#[test]
fn lines_that_are_not_understood_are_failures() {
    let dir = files();
    let d = dir.path();
    let good = sum(d, &["a"]);
    let hex = "0123456789abcdef0123456789abcdef";
    let hiding = [
        "00075     1 b".to_string(),
        "4075 1 b".into(),
        "b 3AE7F1C2".into(),
        format!("75,{hex},{hex}{hex},b"),
        format!("NOSUCH (b) = {hex}"),
        format!("MD5 (b) = {}", &hex[1..]),
        format!("MD5 (b {hex}"),
        hex.to_string(),
        format!("{}  b", &hex[1..]),
        format!("{}x  b", &hex[1..]),
        "XrY7u+Ae7tCTyyK7j1rNww=  b".into(),
        format!("b: {hex}"),
        format!("SHA256          {}       C:\\b", hex.repeat(2).to_uppercase()),
        format!("<xxh64>{hex}</xxh64>"),
        format!("{{\"path\":\"b\",\"algorithm\":\"md5\",\"digest\":\"{}\"}}", &hex[2..]),
        "{\"path\":".into(),
        format!("magnet:?xl=75&dn=b&xt=urn:tree:tiger:{hex}"),
        format!("\\{hex}  b\\x"),
        "abcd12345678  b".into(),
    ];
    for line in hiding {
        for list in [format!("{line}\n{good}"), format!("{good}{line}\r\n"), format!("\u{feff}{line}\n{good}")] {
            let o = check(d, &list, &[]);
            assert_eq!(
                (text(&o.stdout).as_str(), o.status.code()),
                ("a: OK\n", Some(1)),
                "{line}: {}",
                text(&o.stderr)
            );
            let n = 1 + list.lines().position(|l| l.trim_start_matches('\u{feff}') == line).unwrap();
            assert!(text(&o.stderr).starts_with(&format!("hashmill: l: {n}: ")), "{line}: {}", text(&o.stderr));
            assert!(text(&o.stderr).contains("1 checksum line was not understood"), "{line}");
        }
        let o = check(d, &format!("{line}\n{good}"), &["--status"]);
        assert_eq!((o.stderr.is_empty(), o.status.code()), (true, Some(1)), "{line}");
    }
    let text_around = [
        "",
        "   ",
        "# anything 0123456789abcdef0123456789abcdef",
        "; Generated by somebody on 2026-01-01",
        "Hash: SHA256",
        "iQIzBAEBCAAdFiEEXzAwNzQ1NjM4OTEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU=",
        "=AbCd",
        "Everything is fine (really) here",
        "See https://example.org/download",
    ];
    for line in text_around {
        let o = check(d, &format!("{line}\n{good}{line}\n"), &[]);
        assert_eq!((text(&o.stdout).as_str(), o.status.code()), ("a: OK\n", Some(0)), "{line}: {}", text(&o.stderr));
        let strict = check(d, &format!("{line}\n{good}"), &["--strict"]);
        let nothing = line.trim().is_empty() || line.starts_with(['#', ';']);
        assert_eq!(strict.status.success(), nothing, "{line}");
    }
}

/// Short digests must be refused unless allowed: two digits of BLAKE3 match one file in 256.
#[test]
fn short_digests() {
    let dir = files();
    let d = dir.path();
    for a in
        ["shake128:1", "blake3:1", "blake3:15", "shake256:8", "blake2b-8", "blake2s-120", "skein512-8", "cubehash8"]
    {
        for form in ["--tag", "--json"] {
            let list = sum(d, &["-a", a, form, "a"]);
            let o = check(d, &list, &[]);
            assert_eq!((o.stdout.is_empty(), o.status.code()), (true, Some(1)), "{a}");
            assert!(text(&o.stderr).contains("--allow-short compares them"), "{a}: {}", text(&o.stderr));
            assert_eq!(stdout(&check(d, &list, &["--allow-short"])), "a: OK\n", "{a}");
            // Naming the length with `-a` allows it.
            assert_eq!(stdout(&check(d, &list, &["-a", a])), "a: OK\n", "{a}");
        }
    }
    // An algorithm named without a length does not allow short digests.
    let short = sum(d, &["-a", "shake128:1", "--untagged", "a"]);
    fs::write(d.join("x.shake128"), &short).unwrap();
    let o = hashmill(d, &["check", "x.shake128"]);
    assert_eq!((o.stdout.is_empty(), o.status.code()), (true, Some(1)), "{}", text(&o.stdout));
    assert_eq!(hashmill(d, &["check", "-a", "shake128", "x.shake128"]).status.code(), Some(1));
    // Checksums are accepted at their usual length, and digests of 128 bits are long enough.
    for a in [
        "crc32", "xxh32", "xxh64", "adler32", "crc16-arc", "crc8-smbus", "fnv132", "shake128:16", "blake2b-128", "md5",
        "joaat",
    ] {
        assert_eq!(stdout(&check(d, &sum(d, &["-a", a, "--tag", "a"]), &[])), "a: OK\n", "{a}");
    }
}

/// If a list asks for parameters that would keep the machine busy for days, they must be refused.
#[test]
fn slow_parameters_in_a_list() {
    let dir = files();
    let d = dir.path();
    for tag in ["CUBEHASH65535+65535/1+65535-512", "CUBEHASH160+6000/1+160-512", "CUBEHASH65535+16/32+32-512"] {
        let o = check(d, &format!("{tag} (c) = {}\n", "ab".repeat(64)), &[]);
        assert_eq!((o.stdout.is_empty(), o.status.code()), (true, Some(1)), "{tag}");
        assert!(text(&o.stderr).contains("times as long as usual"), "{}", text(&o.stderr));
    }
    for a in ["cubehash8/1-512", "cubehash16/32-256", "cubehash160+16/32+160-512"] {
        assert_eq!(stdout(&check(d, &sum(d, &["-a", a, "--tag", "a"]), &[])), "a: OK\n", "{a}");
    }
    let slow = "cubehash30000+16/32+30000-512";
    let list = sum(d, &["-a", slow, "a"]);
    assert_eq!(check(d, &list, &[]).status.code(), Some(1));
    assert_eq!(stdout(&check(d, &list, &["-a", slow])), "a: OK\n");
}

/// A list of the files in a folder must contain neither itself nor what copies leave there.
#[test]
fn a_list_leaves_itself_out() {
    let dir = files();
    let d = dir.path();
    fs::create_dir_all(d.join("in/deep")).unwrap();
    fs::write(d.join("in/deep/f"), "f").unwrap();
    let shell = |command: &str| run(d, "sh", &["-c", &command.replace("hashmill", executable())], b"");
    let o = shell("hashmill sum -r . > SUMS");
    assert!(o.status.success() && o.stderr.is_empty(), "{}", text(&o.stderr));
    let want = "./a: OK\n./b: OK\n./c: OK\n./in/deep/f: OK\n";
    assert_eq!(stdout(&hashmill(d, &["check", "SUMS"])), want);
    // Again over the old list, which now has a hard link and a symbolic link.
    fs::hard_link(d.join("SUMS"), d.join("in/same")).unwrap();
    std::os::unix::fs::symlink("../SUMS", d.join("in/link")).unwrap();
    let o = shell("hashmill sum -rv . > SUMS");
    let said = text(&o.stderr);
    let (how, left_out) = said.split_once('\n').unwrap();
    assert!(how.contains("files on the device of "), "{how}");
    assert_eq!(
        left_out,
        "hashmill: ./SUMS: left out (the list itself)\nhashmill: ./in/link: left out (the list itself)\n\
         hashmill: ./in/same: left out (the list itself)\n"
    );
    assert_eq!(stdout(&hashmill(d, &["check", "SUMS"])), want);
    // If named as an argument, the list is left out too, and a message says so.
    let o = shell("hashmill sum a SUMS >> SUMS");
    assert_eq!((text(&o.stderr).as_str(), o.status.code()), ("hashmill: SUMS: left out (the list itself)\n", Some(0)));
    fs::remove_file(d.join("in/link")).unwrap();
    // With `-o`, the list is put in place when it is complete.
    let o = hashmill(d, &["sum", "-r", ".", "-o", "SUMS"]);
    assert!(o.status.success() && o.stdout.is_empty() && o.stderr.is_empty(), "{}", text(&o.stderr));
    fs::remove_file(d.join("in/same")).unwrap();
    assert_eq!(stdout(&hashmill(d, &["check", "SUMS"])), want);
    // Copies leave records and unfinished files.
    let o = hashmill(d, &["copy", "in", "copy"]);
    assert!(o.status.success(), "{}", text(&o.stderr));
    fs::write(d.join("copy/.hashmill-0123456789abcdef-7.part"), "x").unwrap();
    assert!(d.join("copy/.hashmill/catalogue.sqlite").exists());
    assert_eq!(sum(d, &["-r", "copy"]).lines().count(), 1);
    let o = hashmill(d, &["sum", "-r", "-v", "copy"]);
    let said = text(&o.stderr);
    assert!(
        said.contains("copy/.hashmill: left out (records of copies)") && said.contains("7.part: left out ("),
        "{said}"
    );
    // A folder of the user's that is named `.hashmill` is hashed, and so are our records if they are named.
    fs::create_dir(d.join("in/.hashmill")).unwrap();
    fs::write(d.join("in/.hashmill/mine"), "x").unwrap();
    assert_eq!(sum(d, &["-r", "in"]).lines().count(), 2);
    assert!(sum(d, &["-r", "copy/.hashmill"]).lines().count() >= 1);
}

#[test]
fn output_files() {
    let dir = files();
    let d = dir.path();
    let want = sum(d, &["a", "b"]);
    // No other files are left behind, and permissions are kept.
    fs::write(d.join("o"), "old").unwrap();
    fs::set_permissions(d.join("o"), std::os::unix::fs::PermissionsExt::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("o", d.join("link")).unwrap();
    for name in ["o", "link", "new"] {
        let before = fs::read_dir(d).unwrap().count();
        assert!(hashmill(d, &["sum", "-o", name, "a", "b"]).status.success());
        assert_eq!(fs::read_to_string(d.join(name)).unwrap(), want);
        assert_eq!(fs::read_dir(d).unwrap().count(), before + usize::from(name == "new"));
    }
    assert!(d.join("link").is_symlink());
    assert_eq!(
        std::os::unix::fs::PermissionsExt::mode(&fs::metadata(d.join("o")).unwrap().permissions()) & 0o777,
        0o640
    );
    // The owner is kept.
    if rustix::process::getuid().is_root() {
        std::os::unix::fs::chown(d.join("o"), Some(1234), Some(4321)).unwrap();
        assert!(hashmill(d, &["sum", "-o", "link", "a"]).status.success());
        let m = fs::metadata(d.join("o")).unwrap();
        assert_eq!((m.uid(), m.gid(), m.mode() & 0o777), (1234, 4321, 0o640));
    }
    // A dangling link is left alone.
    std::os::unix::fs::symlink("nowhere", d.join("dangling")).unwrap();
    let o = hashmill(d, &["sum", "-o", "dangling", "a"]);
    let said = "hashmill: dangling: a symbolic link to something that does not exist\n";
    assert_eq!((text(&o.stderr).as_str(), o.status.code()), (said, Some(1)));
    assert!(d.join("dangling").is_symlink() && !d.join("nowhere").exists());
    // If the list's name suggests another algorithm, its lines must be tagged.
    assert!(hashmill(d, &["sum", "-a", "blake3", "-o", "SHA256SUMS", "a"]).status.success());
    assert!(fs::read_to_string(d.join("SHA256SUMS")).unwrap().starts_with("BLAKE3 (a) = "));
    assert_eq!(stdout(&hashmill(d, &["check", "SHA256SUMS"])), "a: OK\n");
    // A device can be written to, a folder cannot.
    assert!(hashmill(d, &["sum", "-o", "/dev/null", "a"]).status.success());
    let o = hashmill(d, &["sum", "-o", "/dev/full", "a"]);
    assert_eq!(
        (text(&o.stderr).as_str(), o.status.code()),
        ("hashmill: write error: no space left on device\n", Some(1))
    );
    let o = hashmill(d, &["sum", "-o", ".", "a"]);
    assert_eq!((text(&o.stderr).as_str(), o.status.code()), ("hashmill: .: is a directory\n", Some(1)));
    assert_eq!(hashmill(d, &["sum", "-o", "no/such", "a"]).status.code(), Some(1));
    // Without tags, lines of several algorithms could not be told apart.
    let o = hashmill(d, &["sum", "--untagged", "-a", "md5,sha256", "a"]);
    assert_eq!((text(&o.stdout).as_str(), o.status.code()), ("", Some(2)));
    assert!(text(&o.stderr).contains("--untagged takes one algorithm"), "{}", text(&o.stderr));
}

/// The standard library opens `/dev/null` in place of a closed descriptor. Using it must not be reported as success.
#[test]
fn closed_descriptors() {
    let dir = files();
    let d = dir.path();
    let shell = |command: &str| {
        let o = run(d, "sh", &["-c", &command.replace("hashmill", executable())], b"");
        (text(&o.stdout), text(&o.stderr), o.status.code())
    };
    let failed = |stderr: &str| (String::new(), stderr.to_string(), Some(1));
    assert_eq!(shell("hashmill sum <&-"), failed("hashmill: -: bad file descriptor\n"));
    assert_eq!(shell("hashmill sum - <&-"), failed("hashmill: -: bad file descriptor\n"));
    assert_eq!(shell("hashmill check <&-"), failed("hashmill: standard input: is closed\n"));
    assert_eq!(shell("hashmill sum a >&-"), failed("hashmill: write error: bad file descriptor\n"));
    for command in ["hashmill list", "hashmill list --json md5", "hashmill man", "hashmill completions bash"] {
        assert_eq!(shell(&format!("{command} >&-")), failed("hashmill: write error: bad file descriptor\n"));
        let full = shell(&format!("{command} > /dev/full"));
        assert_eq!(full, failed("hashmill: write error: no space left on device\n"), "{command}");
    }
    fs::write(d.join("l"), sum(d, &["a"])).unwrap();
    assert_eq!(shell("hashmill check l >&-"), failed("hashmill: write error: bad file descriptor\n"));
    // A closed descriptor does not matter if it is not used, and `/dev/null` itself may be used.
    assert_eq!(shell("hashmill sum a <&-").2, Some(0));
    assert_eq!(shell("hashmill check --status l >&-").2, Some(0));
    assert_eq!(shell("hashmill sum < /dev/null").2, Some(0));
    assert_eq!(shell("hashmill sum a > /dev/null").2, Some(0));
}

#[test]
fn lists_of_no_algorithm() {
    let dir = files();
    let d = dir.path();
    for list in [",", "", " ", ",,", ", ,"] {
        let commands =
            [&["sum", "-a", list, "a"][..], &["sum", "--tag", "-a", list, "a"], &["copy", "-a", list, "a", "x/"]];
        for command in commands {
            let o = hashmill(d, command);
            assert_eq!(o.status.code(), Some(2), "{command:?}: {}", text(&o.stderr));
            assert!(text(&o.stderr).starts_with("hashmill: unknown algorithm '"), "{}", text(&o.stderr));
        }
    }
    assert!(!d.join("x").exists());
}

/// Thousands of lines with digests of 34 KB each must be checked in little memory.
#[test]
fn long_digests_take_no_memory() {
    let dir = files();
    let d = dir.path();
    fs::write(d.join("l"), sum(d, &["-a", "shake128:34000", "--tag", "a"])).unwrap();
    let program = executable();
    let limited =
        format!("yes \"$(cat l)\" | head -n 8192 | (ulimit -v 150000; {program} check -j 1) | sort | uniq -c");
    let o = run(d, "sh", &["-c", &limited], b"");
    assert_eq!((text(&o.stdout).trim(), text(&o.stderr).as_str()), ("8192 a: OK", ""));
}

/// Digests whose spelling or place leaves a few algorithms, some of which have the same values of short files.
#[test]
fn digests_that_may_be_of_few_algorithms() {
    let dir = files();
    let d = dir.path();
    fs::write(d.join("long"), noise(20_000_000, 9)).unwrap();
    for (args, count) in [
        ("--simple --sha1 --base32 a b c long", 4),
        ("--simple --aich a b c long", 4),
        ("--simple --tth a b c long", 4),
        ("--simple --tiger --base32 a b c", 3),
        ("--simple --sha256 --sha3-256 a b c long", 4),
        ("--simple --md4 --md5 a b c", 3),
        ("--simple --md5 --ed2k a b c long", 4),
        ("--simple --sha1 --btih a b c long", 4),
        ("--simple --gost94 --sha256 --blake2s a b c", 3),
        ("--simple --crc32 --crc32c a b", 2),
    ] {
        let words: Vec<&str> = args.split(' ').collect();
        let list = text(&run(d, "rhash", &words, b"").stdout);
        let o = check(d, &list, &[]);
        assert_eq!(text(&o.stdout).matches(": OK\n").count(), count, "{args}\n{list}{}", text(&o.stderr));
        assert_eq!(o.status.code(), Some(0), "{args}: {}", text(&o.stderr));
        // A digit that is wrong in the last column of the last file.
        let mut wrong = list.into_bytes();
        let at = wrong.iter().rposition(|b| !b.is_ascii_whitespace()).unwrap();
        let at = if words.iter().any(|w| ["--base32", "--aich", "--tth"].contains(w))
            && count < 5
            && !args.contains("--md5")
        {
            // There, the digest comes first.
            wrong[..at].iter().rposition(|&b| b == b'\n').unwrap() + 1
        } else {
            at
        };
        wrong[at] = if wrong[at] == b'a' { b'b' } else { b'a' };
        let o = check(d, &text(&wrong), &[]);
        assert_eq!(text(&o.stdout).matches(": FAILED").count(), 1, "{args}\n{}{}", text(&o.stdout), text(&o.stderr));
        assert_eq!(o.status.code(), Some(1), "{args}");
    }
    for (name, digits) in [("sha1", "--base32"), ("sha256", "--base32"), ("c4", "--base64"), ("sha512", "--base32")] {
        let list = sum(d, &["--untagged", "-a", name, digits, "a", "b", "c"]);
        assert_eq!(stdout(&check(d, &list, &[])), ALL_OK, "{name} {digits}");
    }
}

/// Nothing that is understood half is simply OK, and no file goes unverified with an exit status of 0.
#[test]
fn what_is_understood_half() {
    const A: &str = "0cc175b9c0f1b6a831c399e269772661";
    const B: &str = "92eb5ffee6ae2fec3ad71c777531578f";
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    ["a", "b"].into_iter().for_each(|f| fs::write(d.join(f), f).unwrap());
    let half = "a: OK (but foo not checked)\n";
    for (list, out, status) in [
        (format!("%%%% HASHDEEP-1.0\n%%%% size,md5,foo,filename\n1,{A},00,a\n"), half, 0),
        (format!("path,md5,foo\na,{A},{A}\n"), half, 0),
        (format!("#mtree\n./a type=file md5={A} foo={A}\n"), half, 0),
        (format!("magnet:?dn=a&xt=urn:md5:{A}&xt=urn:foo:{A}\n"), half, 0),
        (
            format!(
                "<dfxml><fileobject><filename>a</filename><hashdigest type='md5'>{A}</hashdigest>\
            <hashdigest type='foo'>{A}</hashdigest></fileobject></dfxml>\n"
            ),
            half,
            0,
        ),
        (format!("[{{\"Path\":\"a\",\"IsDir\":false,\"Hashes\":{{\"md5\":\"{A}\",\"foo\":\"00\"}}}}]\n"), half, 0),
        (format!("{{\"path\":\"a\",\"digests\":{{\"foo\":\"00\",\"md5\":\"{A}\"}}}}\n"), half, 0),
        (format!("Origin: x\nMD5Sum:\n {A} 1 a\nFoo:\n {A}{A} 1 a\n"), "a: OK\n", 0),
        // Without a digest that is known here, or without any.
        (format!("{{\"path\":\"a\",\"digests\":{{\"foo\":\"{A}\"}}}}\n"), "", 1),
        (format!("path,md5\na,{A}\nb,\n"), "a: OK\n", 1),
        (format!("#mtree\n./a type=file md5={A}\n./b type=file size=1\n"), "a: OK\n", 1),
        ("a,1,\nb,1,\n".into(), "", 1),
        (
            format!(
                "{{\"path\":\"a\",\"digests\":{{\"md5\":\"{A}\"}}}}\n{{\"path\":\"b\",\"error\":{{\"kind\":\"io\"}}}}\n"
            ),
            "a: OK\n",
            1,
        ),
        // Files that need not exist, or may change.
        (format!("#mtree\n./a type=file md5={A}\n./x type=file optional md5={B}\n"), "a: OK\n", 0),
        (format!("#mtree\n./a type=file md5={A}\n./b type=file nochange md5={A}\n"), "a: OK\n", 0),
        (format!("#mtree\n./a type=file md5={A}\n./b type=file optional md5={A}\n"), "a: OK\nb: FAILED\n", 1),
        // A mistyped digit.
        (format!("         1  {}x  a\n         1  {B}  b\n", &A[1..]), "b: OK\n", 1),
        (format!("{},a\n{B},b\n", A.replace('f', "z")), "b: OK\n", 1),
        (format!("{}|a\n{B}  b\n", A.replace('f', "z")), "b: OK\n", 1),
        (format!("MD5 (a) : {}\n{B}  b\n", A.replace('f', "z")), "b: OK\n", 1),
        // Cut off within a line.
        (format!("MD5 (a) = {A}\nMD5 (b"), "a: OK\n", 1),
        (format!("{A}  a\n92eb5"), "a: OK\n", 1),
        (format!("{A}  a\n{B}  b"), "a: OK\nb: OK\n", 0),
        (format!("{A}  a\n# the end"), "a: OK\n", 0),
        (format!("-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n{A}  a\n"), "a: OK\n", 1),
    ] {
        let o = check(d, &list, &[]);
        let said = (text(&o.stdout), o.status.code());
        assert_eq!(said, (out.to_string(), Some(status)), "{list}{}", text(&o.stderr));
        if out == half {
            assert_eq!(text(&o.stderr), "hashmill: l: digests by foo, which is not known here, are not verified\n");
            let json = text(&check(d, &list, &["--json"]).stdout);
            assert!(json.contains(r#""verdict":"ok","unverified":["foo"]}"#), "{json}");
        }
        // With --strict, all must be understood.
        let strict = check(d, &list, &["--strict"]);
        let is_half = list.to_lowercase().contains("foo");
        assert_eq!(strict.status.code(), Some(if is_half { 1 } else { status }), "{list}");
    }
}

/// What `--json` says of files can be read as a list again, also if the algorithm had to be found out.
#[test]
fn records_are_lists() {
    let dir = files();
    let d = dir.path();
    let list = sum(d, &["--untagged", "-a", "blake3", "a", "b", "c"]);
    let json = text(&check(d, &list, &["--json"]).stdout);
    assert_eq!(json.matches("\"digests\":{\"blake3\":").count(), 3, "{json}");
    let o = check(d, &json, &[]);
    assert_eq!((text(&o.stdout).as_str(), text(&o.stderr).as_str()), (ALL_OK, ""));
}

/// A list that cannot be read is not one that is not understood.
#[test]
fn bits_for_lists() {
    let dir = files();
    let d = dir.path();
    let bits = |list: &str| hashmill(d, &["check", "--exit-bits", list]).status.code();
    assert_eq!(bits("nothing"), Some(4));
    fs::write(d.join("text"), "no list\n").unwrap();
    assert_eq!(bits("text"), Some(8));
    fs::write(d.join("x.gz"), &b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x03"[..]).unwrap();
    assert_eq!(bits("x.gz"), Some(8));
}
