//! Compares xxhsum and its other names with the installed programs, which are 0.8.1: the same arguments in the same
//! folder must give the same output, messages and exit status. Ours are those of 0.8.3; what is otherwise in 0.8.1 is
//! compared with what 0.8.3 is known to print.

use crate::hostile::{folder, names};
use hashmill_testing::{executable, noise, run, run_as, text};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::process::Output;

const PROGRAMS: [&str; 4] = ["xxhsum", "xxh32sum", "xxh64sum", "xxh128sum"];

/// Returns whether the program is installed in the version whose behaviour the tests know.
fn is_here(program: &str) -> bool {
    let wanted = format!("{program} 0.8.1");
    hashmill_testing::is_here(program, &wanted, |said| said.starts_with(&format!("{wanted} ")))
}

fn ours<S: AsRef<OsStr>>(dir: &Path, program: &str, args: &[S], stdin: &[u8]) -> Output {
    run_as(dir, executable(), program, args, stdin)
}

/// Returns the messages without the blanks that erase xxhsum's progress on terminals, and without its usage text.
fn messages(o: &Output) -> String {
    let text = text(&o.stderr).replace(&format!("\r{:70}\r", ""), "");
    if text.starts_with("Wrong parameters") { "Wrong parameters".into() } else { text }
}

#[track_caller]
fn same<S: AsRef<OsStr>>(dir: &Path, program: &str, args: &[S], stdin: &[u8]) {
    let (theirs, ours) = (run(dir, program, args, stdin), ours(dir, program, args, stdin));
    let shown: Vec<_> = args.iter().map(|a| a.as_ref().to_string_lossy().into_owned()).collect();
    assert_eq!(messages(&ours), messages(&theirs), "{program} {shown:?}: messages");
    let options: Vec<&str> = shown.iter().map(String::as_str).take_while(|a| *a != "--").collect();
    if options.iter().any(|a| a.starts_with("-H3")) && !options.contains(&"-c") {
        let expected = of_0_8_3(&String::from_utf8_lossy(&theirs.stdout), options.contains(&"--tag"));
        assert_eq!(String::from_utf8_lossy(&ours.stdout), expected, "{program} {shown:?}: output");
        assert_eq!(ours.status.code(), theirs.status.code(), "{program} {shown:?}");
        return;
    }
    assert_eq!(text(&ours.stdout), text(&theirs.stdout), "{program} {shown:?}: output");
    assert_eq!((ours.status.code(), ours.stdout), (theirs.status.code(), theirs.stdout), "{program} {shown:?}");
}

/// Returns names that no version escapes: the installed one escapes none.
fn plain_names() -> Vec<OsString> {
    let is_plain = |n: &Vec<u8>| !n.iter().any(|b| b"\n\r\\".contains(b));
    names().into_iter().filter(is_plain).map(OsString::from_vec).collect()
}

/// Returns what 0.8.3 prints instead of this output of 0.8.1: digests of XXH3 are untagged if nobody asks for tags.
fn of_0_8_3(old: &str, tagged: bool) -> String {
    let line = |line: &str| {
        let Some((name, hex)) = line.strip_prefix("XXH3").and_then(|rest| rest.rsplit_once(") = ")) else {
            return format!("{line}\n");
        };
        let name = name.strip_prefix("_LE").unwrap_or(name).strip_prefix(" (").unwrap();
        format!("XXH3_{hex}  {name}\n")
    };
    if tagged { old.into() } else { old.split_terminator('\n').map(line).collect() }
}

const FORMS: [&[&str]; 4] = [&[], &["--tag"], &["--little-endian"], &["--little-endian", "--tag"]];

#[test]
fn checksums_of_files() {
    let dir = folder();
    let dir = dir.path();
    let mut all = plain_names();
    all.extend(["empty", "big", "folder", "nosuch", "no such:file", "link", "dangling"].map(OsString::from));
    for program in PROGRAMS {
        if !is_here(program) {
            continue;
        }
        for form in FORMS {
            for hash in ["", "-H0", "-H1", "-H2", "-H3", "-H32", "-H64", "-H128", "-qH2", "-H3q", "-H0H1"] {
                let mut args: Vec<OsString> = form.iter().map(OsString::from).collect();
                if !hash.is_empty() {
                    args.push(hash.into());
                }
                args.push("--".into());
                args.extend(all.iter().cloned());
                same(dir, program, &args, b"");
            }
            same(dir, program, form, b"on standard input");
        }
        same(dir, program, &["-"], b"on standard input");
        same(dir, program, &["-", "-H0"], b"on standard input");
        same(dir, program, &["--"], b"");
        // Arguments after a file are files.
        same(dir, program, &["a", "-H0", "--tag", "--"], b"");
        for options in ["-w", "--strict", "--status", "--warn", "-q", "--quiet", "-qq", "-i3", "-B10K", "-H", "-H00"] {
            same(dir, program, &[options, "a"], b"");
        }
    }
}

#[test]
fn what_is_refused() {
    let dir = folder();
    let dir = dir.path();
    for program in PROGRAMS {
        if !is_here(program) {
            continue;
        }
        for args in [
            &["--nosuch"][..],
            &["-x"],
            &["-H4", "a"],
            &["-H1K", "a"],
            &["-Hx", "a"],
            &["-H99999999999", "a"],
            &["--tag=1", "a"],
            &["--che", "a"],
            &["-cx", "a"],
            &["-c", "nosuch"],
            &["-c", "folder"],
            &["-c", "nosuch", "a"],
            &["-c", "--status", "nosuch"],
            &["nosuch", "folder"],
        ] {
            same(dir, program, args, b"");
        }
    }
    let wrong = ours(dir, "xxh32sum", &["--nosuch\n"], b"");
    assert_eq!(text(&wrong.stderr), "Wrong parameters: \"--nosuch\\n\" (see xxh32sum --help)\n");
}

/// Both programs must treat every kind of list in the same way.
#[test]
fn lists() {
    let dir = folder();
    let dir = dir.path();
    if !is_here("xxhsum") {
        return;
    }
    let mut whole = Vec::new();
    for form in FORMS {
        for hash in ["-H0", "-H1", "-H2", "-H3"] {
            let mut args: Vec<OsString> = form.iter().map(OsString::from).collect();
            args.extend([hash.into(), "--".into()]);
            args.extend(plain_names());
            whole.extend(run(dir, "xxhsum", &args, b"").stdout);
        }
    }
    let a = text(&run(dir, "xxhsum", &["a"], b"").stdout);
    let digest = &a[..16];
    let wrong = a.replacen(|c: char| c.is_ascii_digit(), "e", 1);
    let xxh3 = text(&run(dir, "xxhsum", &["-H3", "a"], b"").stdout);
    let xxh3 = &xxh3[xxh3.len() - 17..xxh3.len() - 1];
    for list in [
        whole,
        a.clone().into_bytes(),
        a.trim_end().as_bytes().to_vec(),
        wrong.clone().into_bytes(),
        b"".to_vec(),
        b"\n\n\n".to_vec(),
        b"rubbish\n".to_vec(),
        format!("{a}{wrong}\nrubbish\n{digest}  nosuch\n{digest} a\n{a}").into_bytes(),
        format!("{digest}  nosuch\nx\n{digest}  nosuch2\ny\n").into_bytes(),
        format!("{digest} *a\n{digest} xa\n{digest}\ta\n {a}{digest}0  a\n{}  a\n", digest.to_uppercase()).into_bytes(),
        format!("{digest}  \n{digest} \n{digest}\n{digest}  -\n").into_bytes(),
        format!(
            "FOO (a) = {digest}\nXXH32 (a) = {digest}\nXXH64 (a) = {digest}x\nXXH64 (a)= {digest}\n\
            XXH64 (a) = {digest} \n"
        )
        .into_bytes(),
        format!(
            "XXH64(a) = {digest}\nXXH64 (a b) = {digest}\nXXH64 () = {digest}\n\
            XXH64 (par)en = x) = {digest}\n"
        )
        .into_bytes(),
        format!(
            "{digest} (a) = {digest}\n{digest} (a\n{xxh3}  a\nXXH64_LE (a) = {digest}\nXXH3 (a) = {xxh3}\n\
            XXH64 (a) = {xxh3}\n"
        )
        .into_bytes(),
        format!(
            "XXH3_64 (a) = {xxh3}\nXXH (a) = {digest}\nXXH128 (a) = {digest}{digest}\n\
            {digest}{digest}  a\n"
        )
        .into_bytes(),
    ] {
        fs::write(dir.join("list"), &list).unwrap();
        for options in [
            &[][..],
            &["--quiet"],
            &["-q"],
            &["--status"],
            &["-w"],
            &["--strict"],
            &["--strict", "--warn", "--status"],
            &["--little-endian"],
            &["-H3"],
            &["--tag"],
        ] {
            let mut args = vec!["-c"];
            args.extend(options);
            args.push("list");
            same(dir, "xxhsum", &args, b"");
        }
        same(dir, "xxhsum", &["-c"], &list);
        same(dir, "xxhsum", &["-c", "-"], &list);
        same(dir, "xxhsum", &["--check", "list", "nosuch", "list"], b"");
    }
    // xxhsum calls standard input `stdin`, and reads it if a list names `stdin`.
    fs::write(dir.join("list"), format!("{}stdin\n", &a[..18])).unwrap();
    same(dir, "xxhsum", &["-c", "list"], &fs::read(dir.join("a")).unwrap());
    // xxhsum does not read lines longer than 32 KiB.
    for n in [32747usize, 32748, 32749, 40000] {
        fs::write(dir.join("list"), format!("{a}{digest}  {}\n{a}", "x".repeat(n))).unwrap();
        same(dir, "xxhsum", &["-c", "list"], b"");
    }
}

/// Lists with random changes.
#[test]
fn lists_with_random_faults() {
    if !is_here("xxhsum") {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    let mut good = run(dir, "xxhsum", &["a", "with space", "it's", "empty", "{"], b"").stdout;
    good.extend(run(dir, "xxhsum", &["-H3", "--little-endian", "a", "par)en = x"], b"").stdout);
    good.extend(run(dir, "xxhsum", &["-H2", "--tag", "a", "it's"], b"").stdout);
    good.extend(run(dir, "xxhsum", &["-H0", "big"], b"").stdout);
    for seed in 0..150u64 {
        let dice = noise(64, seed + 1000);
        let mut list = good.clone();
        for d in dice.chunks(4).take(1 + seed as usize % 8) {
            let at = usize::from(u16::from_le_bytes([d[0], d[1]])) % list.len();
            const BYTES: &[u8] = b" \t*()=-0afAg\n:'xnBX_L";
            match d[2] % 4 {
                0 => list[at] = BYTES[usize::from(d[3]) % BYTES.len()],
                1 => list.insert(at, BYTES[usize::from(d[3]) % BYTES.len()]),
                2 => drop(list.remove(at)),
                _ => list.truncate(at.max(40)),
            }
        }
        fs::write(dir.join("list"), &list).unwrap();
        same(dir, "xxhsum", &["-c", "-w", "list"], b"");
    }
}

/// Creates a folder with one file, `hello`, that contains that word.
fn hello() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("hello"), "hello").unwrap();
    dir
}

const XXH64: &str = "26c7827d889f6da3";
const XXH3: &str = "9555e8555c62dcfd";

/// Known output, and features that later versions have added.
#[test]
fn later_versions() {
    let dir = hello();
    let dir = dir.path();
    for (program, args, expected) in [
        ("xxhsum", &["hello"][..], "26c7827d889f6da3  hello\n"),
        ("xxh32sum", &["hello"], "fb0077f9  hello\n"),
        ("xxh64sum", &["hello"], "26c7827d889f6da3  hello\n"),
        ("xxh128sum", &["hello"], "b5e9c1ad071b3e7fc779cfaa5e523818  hello\n"),
        ("xxhsum", &["-H3", "--tag", "--little-endian", "hello"], "XXH3_LE (hello) = fddc625c55e85595\n"),
        // 0.8.2 has xxh3sum and --binary; in 0.8.3, XXH3 is untagged.
        ("xxhsum", &["-H3", "hello"], "XXH3_9555e8555c62dcfd  hello\n"),
        ("xxhsum", &["-H3", "--little-endian", "hello"], "XXH3_fddc625c55e85595  hello\n"),
        ("xxh3sum", &["hello"], "XXH3_9555e8555c62dcfd  hello\n"),
        ("xxh3sum", &["--tag", "hello"], "XXH3 (hello) = 9555e8555c62dcfd\n"),
        ("xxh3sum", &["-H1", "hello"], "26c7827d889f6da3  hello\n"),
        ("xxhsum", &["--binary", "hello"], "26c7827d889f6da3  hello\n"),
    ] {
        let out = ours(dir, program, args, b"");
        assert_eq!((text(&out.stdout).as_str(), text(&out.stderr).as_str()), (expected, ""), "{program} {args:?}");
    }
    let check = |args: &[&str], list: String| {
        let mut all = vec!["-c"];
        all.extend(args);
        let out = ours(dir, "xxhsum", &all, list.as_bytes());
        (text(&out.stdout), text(&out.stderr), out.status.code())
    };
    fs::write(dir.join("a\nb"), "hello").unwrap();
    fs::write(dir.join("c\rd"), "hello").unwrap();
    let good = format!(
        "XXH3_{XXH3}  hello\nXXH3 (hello) = {XXH3}\nXXH3_LE (hello) = fddc625c55e85595\n\\{XXH64}  a\\nb\n\\XXH64 \
         (c\\rd) = {XXH64}\n{XXH64}  hello\r\n"
    );
    let expected = "hello: OK\nhello: OK\nhello: OK\n\\a\\nb: OK\n\\c\\rd: OK\nhello: OK\n";
    assert_eq!(check(&[], good), (expected.into(), String::new(), Some(0)));
    let little = format!("XXH3_fddc625c55e85595  hello\nXXH3 (hello) = {XXH3}\n");
    assert_eq!(check(&["--little-endian"], little).0, "hello: OK\nhello: OK\n");
    let missing = format!("{XXH64}  nosuch\n{XXH64}  hello\n");
    assert_eq!(check(&["--ignore-missing"], missing), ("hello: OK\n".into(), String::new(), Some(0)));
    assert_eq!(check(&["--strict"], format!("# a comment\n{XXH64}  hello\n")).2, Some(0));
    // Blanks before the backslash: only a tag survives that one of them is left out.
    let blanks = format!("\t\\XXH64 (a\\nb) = {XXH64}\n\t\\{XXH64}  a\\nb\n");
    let bad = "1 line is improperly formatted\n";
    assert_eq!(check(&[], blanks).0, format!("\\a\\nb: OK\n{bad}"));
    let missing = check(&["--ignore-missing"], format!("{XXH64}  nosuch\n"));
    assert_eq!(missing, ("stdin: no file was verified\n".into(), String::new(), Some(1)));
    let bad = format!("XXH3_{XXH64}0  hello\nXXH3_{}  hello\n\\{XXH64}  a\\x\n{XXH64}  he\0llo\n", &XXH3[1..]);
    assert_eq!(
        check(&[], bad),
        (String::new(), "stdin: no properly formatted xxHash checksum lines found\n".into(), Some(1))
    );
}

/// Since 0.8.2, the programs that are named after an algorithm refuse the lists of others.
#[test]
fn lists_of_one_algorithm() {
    let dir = hello();
    let dir = dir.path();
    let all = [("xxh32sum", "-H0"), ("xxh64sum", "-H1"), ("xxh128sum", "-H2"), ("xxh3sum", "-H3")];
    for form in FORMS {
        for (program, _) in all {
            for (other, hash) in all {
                let mut args = form.to_vec();
                args.extend([hash, "hello"]);
                let list = ours(dir, program, &args, b"").stdout;
                let little = form.contains(&"--little-endian");
                let check = if little { &["-c", "--little-endian"][..] } else { &["-c"] };
                let out = ours(dir, program, check, &list);
                let nothing = "stdin: no properly formatted xxHash checksum lines found\n";
                let expected = if program == other { ("hello: OK\n", "", 0) } else { ("", nothing, 1) };
                let found = (text(&out.stdout), text(&out.stderr), out.status.code());
                assert_eq!((found.0.as_str(), found.1.as_str(), found.2), (expected.0, expected.1, Some(expected.2)));
                assert_eq!(text(&ours(dir, "xxhsum", check, &list).stdout), "hello: OK\n");
            }
        }
    }
}

/// The lines of the benchmark, which are the original's.
#[test]
fn benchmark() {
    let dir = hello();
    let dir = dir.path();
    // A glance at each: none takes longer than hashing some megabytes.
    let bench = |args: &[&str]| {
        let out = ours(dir, "xxhsum", args, b"");
        assert_eq!(out.stdout.len(), 0);
        (text(&out.stderr), out.status.code())
    };
    let is_result = |line: &str, start: &str| {
        let rest = line.strip_prefix(start).and_then(|rest| rest.strip_suffix(" MB/s) "));
        let numbers = rest.map(|rest| rest.split(" it/s (").map(|n| n.trim().parse::<f64>()).collect::<Vec<_>>());
        numbers.is_some_and(|n| n.len() == 2 && n.iter().all(|n| n.as_ref().is_ok_and(|n| *n > 0.0)))
    };
    let (said, status) = bench(&["-b", "-i0"]);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!((lines.len(), status), (6, Some(0)), "{said}");
    assert!(lines[0].starts_with("xxhsum (hashmill) ") && lines[1] == "Sample of 100 KB...        ", "{said}");
    for (line, start) in lines[2..].iter().zip([
        " 1#XXH32                         :     102400 -> ",
        " 3#XXH64                         :     102400 -> ",
        " 5#XXH3_64b                      :     102400 -> ",
        "11#XXH128                        :     102400 -> ",
    ]) {
        assert!(is_result(line, start), "{line:?}");
    }
    let (said, _) = bench(&["-qb6,28", "-i0", "-B10"]);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!((lines.len(), lines[0]), (3, "Sample of 10 bytes...        "), "{said}");
    assert!(is_result(lines[1], " 6#XXH3_64b unaligned            :         10 -> "), "{said}");
    assert!(is_result(lines[2], "28#XXH128_stream w/seed unaligne :         10 -> "), "{said}");
    assert_eq!(bench(&["--bench-all", "-q", "-i0", "-B1K"]).0.lines().count(), 29);
    let (said, _) = bench(&["-qqb1", "-i0"]);
    assert!(said.strip_suffix(", ").is_some_and(|n| n.parse::<u64>().is_ok()), "{said:?}");
    assert_eq!(bench(&["-qqqb1", "-i0"]), (String::new(), Some(0)));
    let (said, status) = bench(&["-b7", "-i0", "-q", "hello", "nosuch"]);
    let lines: Vec<&str> = said.lines().collect();
    assert!(is_result(lines[0], " 7#XXH3_64b w/seed               :          5 -> "), "{said}");
    assert_eq!((lines[1], status), ("Error: Could not open 'nosuch': No such file or directory.", Some(1)));
}

/// `--files-from`.
#[test]
fn files_that_lists_name() {
    let dir = hello();
    let dir = dir.path();
    fs::create_dir(dir.join("folder")).unwrap();
    fs::write(dir.join("a\nb"), "hello").unwrap();
    fs::write(dir.join("names"), "hello\n# no\n\\a\\nb\n").unwrap();
    for option in ["--files-from", "--filelist"] {
        let out = ours(dir, "xxhsum", &[option, "names"], b"");
        assert_eq!(text(&out.stdout), format!("{XXH64}  hello\n\\{XXH64}  a\\nb\n"));
        assert_eq!((out.status.code(), text(&out.stderr).as_str()), (Some(0), ""));
    }
    let out = ours(dir, "xxhsum", &["--files-from", "--warn", "--tag"], b"nosuch\nfolder\n\\x\\y\nhello");
    let expected = format!(
        "stdin:1: Could not open or read 'nosuch': No such file or directory.
stdin:2: Target is a directory 'folder'.
XXH64 (hello) = {XXH64}
1 line is improperly formatted
2 listed files could not be read
"
    );
    assert_eq!(text(&out.stdout), expected);
    let bad = "stdin:3: Error: Improperly formatted line.\n";
    assert_eq!((text(&out.stderr).as_str(), out.status.code()), (bad, Some(1)));
    let out = ours(dir, "xxhsum", &["--files-from", "--ignore-missing"], b"nosuch\nhello\n");
    assert_eq!((text(&out.stdout), out.status.code()), (format!("{XXH64}  hello\n"), Some(0)));
}

/// Deliberate differences, where the installed version breaks lines, stops, or leaves out what was asked for.
#[test]
fn what_is_better() {
    let dir = hello();
    let dir = dir.path();
    fs::create_dir(dir.join("folder")).unwrap();
    fs::write(dir.join("a\nb\\c"), "hello").unwrap();
    let out = ours(dir, "xxhsum", &["a\nb\\c", "-", "hello"], b"hello");
    assert_eq!(text(&out.stdout), format!("\\{XXH64}  a\\nb\\\\c\n{XXH64}  stdin\n{XXH64}  hello\n"));
    let tagged = ours(dir, "xxhsum", &["-", "--tag", "a\nb\\c"], b"hello").stdout;
    assert_eq!(text(&tagged), format!("XXH64 (stdin) = {XXH64}\n\\XXH64 (a\\nb\\\\c) = {XXH64}\n"));
    let check = ours(dir, "xxhsum", &["-c"], &[&out.stdout[..], b"26c7827d889f6da3  folder\n"].concat());
    let expected = "\\a\\nb\\\\c: OK\nstdin: FAILED\nhello: OK
stdin:4: Could not open or read 'folder': Is a directory.
1 listed file could not be read
1 computed checksum did NOT match
";
    assert_eq!((text(&check.stdout).as_str(), check.status.code()), (expected, Some(1)));
    let name = OsStr::from_bytes(b"no\xfft");
    fs::write(dir.join(name), "hello").unwrap();
    assert_eq!(ours(dir, "xxhsum", &[name], b"").stdout, b"26c7827d889f6da3  no\xfft\n");
}

#[test]
fn its_own_words() {
    let dir = hello();
    for program in PROGRAMS {
        let help = ours(dir.path(), program, &["--help"], b"");
        let start = format!("Usage: {program} [OPTION]... [FILE]...\n");
        assert!(help.status.success() && text(&help.stdout).starts_with(&start));
        assert!(text(&help.stdout).lines().all(|l| l.chars().count() <= 80));
        assert!(text(&ours(dir.path(), program, &["-V"], b"").stdout).starts_with(&format!("{program} (hashmill) ")));
    }
    let sub = hashmill_testing::hashmill(dir.path(), &["xxhsum", "hello"]);
    assert_eq!(text(&sub.stdout), format!("{XXH64}  hello\n"));
}
