//! Compares md5sum … cksum with the installed coreutils: the same arguments in the same folder must give the same
//! output, messages and exit status.
//!
//! Ours are those of 9.11. What an older release does otherwise is compared with that one only ([`is_as_new_as`]), and
//! with what 9.11 is known to print.

use crate::hostile::{folder, names};
use hashmill_measure::bare;
use hashmill_testing::{executable, hashmill, noise, run, run_as, stdout, text};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Output, Stdio};
use std::sync::{LazyLock, Mutex};

const DIGESTS: [&str; 7] = ["md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum"];

/// Returns whether the program is installed and is that of the GNU coreutils.
fn is_here(program: &str) -> bool {
    let gnu = |said: &str| said.lines().next().is_some_and(|l| l.contains("GNU coreutils"));
    hashmill_testing::is_here(program, &format!("{program} of the GNU coreutils"), gnu)
}

/// Returns whether the installed coreutils are of this release or a later one.
fn is_as_new_as(release: (u32, u32)) -> bool {
    static INSTALLED: LazyLock<(u32, u32)> = LazyLock::new(|| {
        let said = text(&run(Path::new("."), "md5sum", &["--version"], b"").stdout);
        let number = said.lines().next().and_then(|line| line.rsplit(' ').next()).unwrap_or_default();
        let mut parts = number.split('.').map(|part| part.parse().unwrap_or(0));
        (parts.next().unwrap_or(0), parts.next().unwrap_or(0))
    });
    is_here("md5sum") && *INSTALLED >= release
}

/// Returns a name as messages show it; all releases quote them alike.
fn quoted(name: &[u8]) -> Vec<u8> {
    static KNOWN: Mutex<BTreeMap<Vec<u8>, Vec<u8>>> = Mutex::new(BTreeMap::new());
    if let Some(known) = KNOWN.lock().unwrap().get(name) {
        return known.clone();
    }
    let empty = tempfile::tempdir().unwrap();
    let said = run(empty.path(), "md5sum", &[OsStr::new("--"), OsStr::from_bytes(name)], b"").stderr;
    // `-` is standard input, which is there.
    let shown = said.strip_prefix(b"md5sum: ").and_then(|s| s.strip_suffix(b": No such file or directory\n"));
    let shown = shown.unwrap_or(name).to_vec();
    KNOWN.lock().unwrap().insert(name.to_vec(), shown.clone());
    shown
}

/// Returns results of `-c` as 9.11 prints them: releases before that do not quote names, and escape only line feeds.
fn results_of_9_11(old: &[u8]) -> Vec<u8> {
    let mut new = Vec::new();
    for line in old.split_inclusive(|&b| b == b'\n') {
        let verdicts = [&b": OK\n"[..], b": FAILED\n", b": FAILED open or read\n"];
        let Some(verdict) = verdicts.into_iter().find(|v| line.ends_with(v)) else {
            new.extend_from_slice(line);
            continue;
        };
        let name = &line[..line.len() - verdict.len()];
        let escaped = name.strip_prefix(b"\\").and_then(hashmill_lists::unescape).filter(|name| name.contains(&b'\n'));
        new.extend_from_slice(&quoted(&escaped.unwrap_or(name.to_vec())));
        new.extend_from_slice(verdict);
    }
    new
}

/// Runs both programs on the same input, ours under the same name. Returns exit status, output and messages of each.
fn both<S: AsRef<OsStr>>(dir: &Path, program: &str, args: &[S], stdin: &[u8]) -> [(Option<i32>, Vec<u8>, String); 2] {
    let mut theirs = run(dir, program, args, stdin);
    let checks = |arg: &S| arg.as_ref() == "--check" || arg.as_ref().as_bytes().starts_with(b"-c");
    if args.iter().any(checks) && !is_as_new_as((9, 11)) {
        theirs.stdout = results_of_9_11(&theirs.stdout);
    }
    let ours = run_as(dir, executable(), program, args, stdin);
    [theirs, ours].map(|o: Output| (o.status.code(), o.stdout, text(&o.stderr)))
}

/// What 9.11 does, which an older release does otherwise: ours must print exactly this.
#[track_caller]
fn as_9_11<S: AsRef<OsStr>>(dir: &Path, program: &str, args: &[S], stdin: &[u8], expected: (&str, &str, i32)) {
    let ours = run_as(dir, executable(), program, args, stdin);
    let shown: Vec<_> = args.iter().map(|a| a.as_ref().to_string_lossy().into_owned()).collect();
    let printed = (text(&ours.stdout), text(&ours.stderr), ours.status.code().unwrap());
    assert_eq!((printed.0.as_str(), printed.1.as_str(), printed.2), expected, "{program} {shown:?}");
    if is_as_new_as((9, 11)) {
        same(dir, program, args, stdin);
    }
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
        // Options may follow files and may be abbreviated.
        same(dir, program, &["a", "-b", "empty", "--ta"], b"");
        same(dir, program, &["--bin", "a", "--zer"], b"");
    }
}

/// Arguments that cksum of 9.1 treats otherwise.
const OTHERWISE_IN_9_1: [&[&str]; 7] = [
    // The letters are not options.
    &["-bx"],
    &["-c", "--tag", "a"],
    &["-c", "-b", "a"],
    &["-c", "-t", "a"],
    &["--tag", "-t", "a"],
    &["-b", "--tag", "a"],
    // A folder has the checksum of nothing.
    &["nosuch", "folder"],
];

#[test]
fn what_cksum_of_9_11_refuses() {
    let dir = folder();
    let dir = dir.path();
    let help = "Try 'cksum --help' for more information.\n";
    let algorithms = "bsd sysv crc crc32b md5 sha1 sha224 sha256 sha384 sha512 sha2 sha3 blake2b sm3";
    let valid: String = algorithms.split(' ').map(|name| format!("  - '{name}'\n")).collect();
    let wrong_name = format!("invalid argument 'x\\ny' for '--algorithm'\nValid arguments are:\n{valid}{help}");
    let with_help = |what: &str| format!("{what}\n{help}");
    let meaningless = |what: &str| with_help(&format!("the {what} meaningless when verifying checksums"));
    let invalid = |length: &str, why: &str| format!("invalid length: '{length}'\ncksum: {why}\n");
    let sha = |name: &str| format!("digest length for '{name}' must be 224, 256, 384, or 512");
    let blake2b = "maximum digest length for 'BLAKE2b' is 512 bits";
    for (args, message) in [
        (&["-a", "x\ny", "a"][..], wrong_name),
        (&["-c", "--tag", "a"], meaningless("--tag option is")),
        (&["-c", "-b", "a"], meaningless("--binary and --text options are")),
        (&["-c", "--text", "a"], meaningless("--binary and --text options are")),
        (&["--tag", "-t", "a"], with_help("--text mode is only supported with --untagged")),
        (&["-t", "a"], with_help("--text mode is only supported with --untagged")),
        (&["-a", "crc32b", "-c", "a"], "--check is not supported with --algorithm={bsd,sysv,crc,crc32b}\n".into()),
        (&["-l", "8", "a"], "--length is only supported with --algorithm blake2b, sha2, or sha3\n".into()),
        (&["-a", "sha2", "a"], "--algorithm=sha2 requires specifying --length 224, 256, 384, or 512\n".into()),
        (&["-a", "sha2", "-l", "0", "a"], invalid("0", &sha("SHA2"))),
        (&["-a", "sha2", "-l", "0", "-c", "a"], invalid("0", &sha("SHA2"))),
        (&["-a", "sha3", "-l", "248", "-c", "a"], invalid("248", &sha("SHA3"))),
        (&["-a", "sha3", "-l", "18446744073709551616", "a"], invalid("18446744073709551616", &sha("SHA3"))),
        (&["-a", "blake2b", "-l", "18446744073709551616", "a"], invalid("18446744073709551616", blake2b)),
        (&["-a", "blake2b", "-l", "513", "a"], invalid("513", blake2b)),
        (&["-a", "blake2b", "-l", "12", "a"], invalid("12", "length is not a multiple of 8")),
        (&["-a", "blake2b", "-l", "8x", "a"], "invalid length: '8x'\n".into()),
        (&["-a", "blake2b", "-l", "-8"], "invalid length: '-8': Value too large for defined data type\n".into()),
        (&["folder"], "folder: Is a directory\n".into()),
    ] {
        as_9_11(dir, "cksum", args, b"", ("", &format!("cksum: {message}"), 1));
    }
    // Of several lengths, the last counts.
    let digest = "2e99758548972a8e8822ad47fa1017ff72f06f3ff6a016851f45c398732bc50c";
    let args = ["--untagged", "-a", "sha2", "-l", "253", "-l", "256"];
    assert_eq!(
        run_as(dir, executable(), "cksum", &args, b"this is a test").stdout,
        format!("{digest}  -\n").as_bytes()
    );
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
            &["-b", "--tag", "a"],
            &["-c", "nosuch"],
            &["-c", "folder"],
            &["nosuch", "folder"],
        ] {
            if program != "cksum" || is_as_new_as((9, 11)) || !OTHERWISE_IN_9_1.contains(&args) {
                same(dir, program, args, b"");
            }
        }
    }
    // Until 9.9, `--tag` undid what stood before it.
    for program in DIGESTS {
        let message =
            format!("{program}: --tag does not support --text mode\nTry '{program} --help' for more information.\n");
        as_9_11(dir, program, &["-t", "--tag", "a"], b"", ("", &message, 1));
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
            &["-l"],
            &["--length"],
        ] {
            same(dir, "b2sum", args, b"");
        }
    }
    let too_long = "b2sum: invalid length: '99999999999999999999999'\n\
        b2sum: maximum digest length for 'BLAKE2b' is 512 bits\n";
    as_9_11(dir, "b2sum", &["-l", "99999999999999999999999", "a"], b"", ("", too_long, 1));
    let negative = "b2sum: invalid length: '-8': Value too large for defined data type\n";
    as_9_11(dir, "b2sum", &["-l", "-8", "a"], b"", ("", negative, 1));
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
        let folder = run_as(dir, executable(), program, &["folder"], b"");
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
            for options in [&[][..], &["--untagged"], &["--tag"], &["-z"], &["--untagged", "-z"]] {
                let mut args = vec!["-a", algorithm];
                args.extend(options);
                args.extend(["a", "new\nline", "empty"]);
                same(dir, "cksum", &args, b"");
            }
            same(dir, "cksum", &["-a", algorithm], b"standard input");
            if algorithm == "blake2b" {
                same(dir, "cksum", &["-a", algorithm, "-l", "256", "a"], b"");
            }
            if !["bsd", "sysv", "crc"].contains(&algorithm) {
                same(dir, "cksum", &["-a", algorithm, "-c", "nosuch"], b"");
                // Releases before 9.4 have no letters for these modes.
                let plain = run(dir, "cksum", &["-a", algorithm, "--untagged", "a"], b"").stdout;
                let marked = text(&plain).replace("  a\n", " *a\n");
                for (options, expected) in [
                    (&["-t", "--untagged"][..], text(&plain)),
                    (&["-b", "--untagged"], marked.clone()),
                    (&["--binary", "--tag", "--untagged"], marked),
                    (&["--tag", "--untagged"], text(&plain)),
                ] {
                    let mut args = vec!["-a", algorithm];
                    args.extend(options);
                    args.push("a");
                    as_9_11(dir, "cksum", &args, b"", (&expected, "", 0));
                }
            }
        }
        same(dir, "cksum", &["-z", "a"], b"");
        for args in [
            &["-a", "blake2b", "-l", "128", "a"][..],
            &["-a", "blake2b", "-l", "520", "a"],
            &["-a", "blake2b", "-l", "9"],
            &["-l", "0", "a"],
        ] {
            same(dir, "cksum", args, b"");
        }
        // A list of several algorithms, with lines that cannot be verified.
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
        ] {
            same(dir, "cksum", args, b"");
        }
    }
}

/// Both programs must treat every kind of list in the same way.
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

/// Lists with random changes.
#[test]
fn lists_with_random_faults() {
    let dir = folder();
    let dir = dir.path();
    for program in ["md5sum", "sha256sum", "b2sum"] {
        // Releases before 9.9 accept other characters behind the tag of BLAKE2b.
        if !is_here(program) || program == "b2sum" && !is_as_new_as((9, 11)) {
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

/// The last of several options decides the mode, and a word that only begins like a tag is not a tag.
#[test]
fn cksum_modes_and_tags() {
    let dir = folder();
    let dir = dir.path();
    if !is_here("cksum") {
        return;
    }
    for args in [
        &["-a", "sha512", "--untagged", "--tag", "--untagged", "a"][..],
        &["-a", "sha512", "--untagged", "--tag", "a"],
        &["-a", "sha512", "--untagged", "a"],
        &["-a", "md5", "--tag", "--untagged", "-z", "a", "empty"],
    ] {
        same(dir, "cksum", args, b"");
    }
    // What may stand between a tag and the name, and how a length may be written. Releases before 9.9 are more lenient.
    let ends = [
        " (", "(", "x (", "  (", "   (", "\t(", "\t (", " \t(", "((", "-(", "- (", "\r(", "\u{b}(", "-512 (", "-512(",
        "-512  (", "-512\t(", "-0512 (", "-01000 (", "-0x200 (", "- 512 (", "-+512 (", "-x (",
    ];
    for (algorithm, tag, program, lengths) in [
        ("blake2b", "BLAKE2b", "b2sum", &["-512 (", "-512(", "-01000 (", "-0x200 ("][..]),
        ("md5", "MD5", "md5sum", &[]),
    ] {
        let tagged = text(&run(dir, "cksum", &["-a", algorithm, "a"], b"").stdout);
        for end in ends {
            fs::write(dir.join("tags"), tagged.replace(&format!("{tag} ("), &format!("{tag}{end}"))).unwrap();
            let is_read = [" (", "("].contains(&end) || lengths.contains(&end);
            for (program, args) in [
                ("cksum", &["-c", "tags"][..]),
                ("cksum", &["-a", algorithm, "-c", "tags"]),
                (program, &["-c", "tags"]),
            ] {
                let ours = run_as(dir, executable(), program, args, b"");
                assert_eq!(text(&ours.stdout) == "a: OK\n", is_read, "{program} {args:?} {end:?}");
                if is_as_new_as((9, 11)) {
                    same(dir, program, args, b"");
                }
            }
        }
    }
}

/// `links` keeps what is there already. Started through a link, hashmill acts as the program of the link's name, in its
/// messages as well.
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
    let errors = "hashmill: bin/b2sum: something else is there; it was left as it is\n\
        hashmill: bin/cksum: something else is there; it was left as it is\n";
    assert_eq!(text(&made.stderr), errors);
    assert!(text(&made.stdout).contains("bin/md5sum -> /"), "{}", text(&made.stdout));
    assert_eq!(text(&made.stdout).lines().count(), 13);
    assert_eq!(fs::read(dir.join("bin/b2sum")).unwrap(), b"mine");
    assert_eq!(fs::read_link(dir.join("bin/cksum")).unwrap(), Path::new("/usr/bin/env"));
    assert_eq!(fs::read_link(dir.join("bin/sha1sum")).unwrap(), Path::new(executable()));
    let again = hashmill(dir, &["links", "bin"]);
    assert_eq!(text(&again.stdout).matches("is there already").count(), 13);
    // The directory is made.
    assert_eq!(stdout(&hashmill(dir, &["links", "new/bin"])).lines().count(), 15);
    assert!(dir.join("new/bin/sha512sum").is_file());
    let below = hashmill(dir, &["links", "a/bin"]);
    let errors = "hashmill: a/bin: the folder cannot be made: not a directory\n";
    assert_eq!((text(&below.stderr).as_str(), below.status.code()), (errors, Some(1)));
    let file = hashmill(dir, &["links", "a"]);
    assert_eq!(text(&file.stderr), "hashmill: a is not a directory: links are created in one\n");

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

/// Scripts read the algorithms from cksum's help: lines that begin with two blanks and a letter.
#[test]
fn algorithms_in_the_help_of_cksum() {
    let help = text(&run_as(Path::new("."), executable(), "cksum", &["--help"], b"").stdout);
    let names: Vec<&str> = help
        .lines()
        .filter_map(|line| line.strip_prefix("  ").filter(|l| l.starts_with(|c: char| c.is_ascii_alphabetic())))
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert_eq!(names.join(" "), "sysv bsd crc crc32b md5 sha1 sha2 sha3 blake2b sm3");
}

/// A full disk is reported. If the reader of its output goes away, SIGPIPE ends the program as it ends others.
#[test]
fn output_that_fails() {
    let dir = folder();
    let dir = dir.path();
    for (args, expected) in [(&["a"][..], "md5sum: write error: No space left on device\n"), (&["--help"], "")] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let mut command = bare::command(executable());
        let out =
            command.arg("md5sum").args(args).current_dir(dir).stdout(full).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(out.status.code(), Some(1));
        assert!(text(&out.stderr).ends_with(expected), "{}", text(&out.stderr));
    }
    let script = format!("'{}' md5sum a empty big a a a; echo $? >&2", executable());
    let out = run(dir, "bash", &["-c", &format!("({script}) | true")], b"");
    let status = text(&out.stderr);
    assert!(status == "141\n" || status == "0\n", "{status}");
    // If SIGPIPE is ignored, the write fails.
    let out = run(dir, "bash", &["-c", &format!("(trap '' PIPE; sleep 0.3; {script}) | true")], b"");
    assert_eq!(text(&out.stderr), "md5sum: write error: Broken pipe\n1\n");
    // Names that are not UTF-8 are printed unchanged.
    let name = OsStr::from_bytes(b"not\xffutf8\xc3");
    let out = run(dir, executable(), &[OsStr::new("md5sum"), name], b"");
    assert!(out.stdout.ends_with(b"  not\xffutf8\xc3\n"));
}

/// Runs a program in a folder with a file `hello` that contains that word. Returns output, messages and exit status.
fn on_hello(program: &str, args: &[&str], stdin: &[u8]) -> (String, String, Option<i32>) {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("hello"), "hello").unwrap();
    let out = run_as(dir.path(), executable(), program, args, stdin);
    (text(&out.stdout), text(&out.stderr), out.status.code())
}

const SHA256: &str = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
const SHA3_256: &str = "3338be694f50c5f338814986cdf0686453a888b84f424d792af4b9202398f392";

/// Features that cksum has gained since the version the other tests compare with, checked against their known output.
#[test]
fn cksum_of_later_versions() {
    for (args, expected) in [
        // 9.2
        (&["-a", "md5", "--base64"][..], "MD5 (hello) = XUFAKrxLKna5cZ2REBfFkg==\n".to_string()),
        (&["-a", "md5", "--base64", "--untagged"], "XUFAKrxLKna5cZ2REBfFkg==  hello\n".into()),
        (&["--base64", "-a", "sha1"], "SHA1 (hello) = qvTGHdzF6KLavt4PO0gs2a6pQ00=\n".into()),
        (&["--raw", "-a", "crc32b"], "6\u{10}\u{a6}\u{86}".into()),
        // 9.6
        (&["-a", "crc32b"], "907060870 5 hello\n".into()),
        // 9.8
        (&["-a", "sha2", "-l", "256"], format!("SHA256 (hello) = {SHA256}\n")),
        (&["-a", "sha2", "-l", "256", "--untagged"], format!("{SHA256}  hello\n")),
        (&["-a", "sha3", "-l", "256"], format!("SHA3-256 (hello) = {SHA3_256}\n")),
        (&["-a", "sha3", "--length=256", "--untagged", "-z"], format!("{SHA3_256}  hello\0")),
        (&["-a", "sha2", "-l", "256", "--untagged", "-b"], format!("{SHA256} *hello\n")),
    ] {
        let mut all = args.to_vec();
        all.push("hello");
        let (out, errors, status) = on_hello("cksum", &all, b"");
        let raw = args.contains(&"--raw");
        assert_eq!((errors.as_str(), status), ("", Some(0)), "{args:?}");
        assert!(raw || out == expected, "{args:?}: {out}");
    }
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("hello"), "hello").unwrap();
    for (algorithm, expected) in [
        ("crc32b", &[0x36, 0x10, 0xa6, 0x86][..]),
        ("md5", b"\x5d\x41\x40\x2a\xbc\x4b\x2a\x76\xb9\x71\x9d\x91\x10\x17\xc5\x92"),
    ] {
        let args = ["--raw", "-a", algorithm, "hello"];
        let out = run_as(dir.path(), executable(), "cksum", &args, b"");
        assert_eq!(out.stdout, expected, "{algorithm}");
    }
    for (args, expected) in [
        (&["--raw", "hello", "hello"][..], "the --raw option is not supported with multiple files"),
        (&["--raw", "--base64", "hello"], "--base64 and --raw are mutually exclusive"),
        (&["-a", "sha3", "hello"], "--algorithm=sha3 requires specifying --length 224, 256, 384, or 512"),
        (&["-a", "sha2", "-l", "100", "hello"], "invalid length: '100'"),
    ] {
        let (out, errors, status) = on_hello("cksum", args, b"");
        assert_eq!((out.as_str(), status), ("", Some(1)), "{args:?}");
        assert_eq!(errors.lines().next(), Some(format!("cksum: {expected}").as_str()), "{args:?}");
    }
}

/// What `--debug` says, and that it may be told to leave instructions alone.
#[test]
fn kernels_of_cksum() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("hello"), "hello").unwrap();
    let with = |hwcaps: &str, algorithm: &str| {
        let mut command = bare::command(executable());
        command.args(["cksum", "--debug", "-a", algorithm, "hello", "nosuch", "."]).current_dir(dir.path());
        let out = command.env("GLIBC_TUNABLES", format!("glibc.cpu.hwcaps={hwcaps}")).output().unwrap();
        let errors = text(&out.stderr);
        let said: Vec<String> = errors.lines().filter(|l| l.contains("support")).map(String::from).collect();
        assert!(errors.ends_with("nosuch: No such file or directory\ncksum: .: Is a directory\n"), "{errors}");
        assert_eq!(out.status.code(), Some(1));
        (text(&out.stdout), said)
    };
    for (algorithm, expected) in [("crc", "3287646509 5 hello\n"), ("crc32b", "907060870 5 hello\n")] {
        let mut last = usize::MAX;
        for hwcaps in ["", "-AVX512F", "-AVX512F,-AVX2,-AVX,-PMULL", "-PCLMULQDQ,-VPCLMULQDQ,-PMULL"] {
            let (out, said) = with(hwcaps, algorithm);
            assert_eq!(out, expected, "{hwcaps}");
            let used =
                said.iter().filter(|l| l.starts_with("cksum: using ") && l.ends_with(" hardware support")).count();
            let missed = said.iter().filter(|l| l.ends_with(" support not detected")).count();
            assert_eq!(used + missed, said.len(), "{said:?}");
            assert!(used <= last.min(1), "{hwcaps}: {said:?}");
            last = used;
        }
        assert_eq!(last, 0, "everything is forbidden");
    }
}

/// Lists that later versions write, including OpenSSL's tags.
#[test]
fn lists_of_later_versions() {
    for line in [
        "MD5 (hello) = XUFAKrxLKna5cZ2REBfFkg==".to_string(),
        format!("SHA256 (hello) = {SHA256}"),
        format!("SHA2-256 (hello) = {SHA256}"),
        format!("SHA2-256(hello)= {SHA256}"),
        format!("SHA3-256 (hello) = {SHA3_256}"),
        "SHA1 (hello) = qvTGHdzF6KLavt4PO0gs2a6pQ00=".into(),
    ] {
        let result = on_hello("cksum", &["-c"], line.as_bytes());
        assert_eq!(result, ("hello: OK\n".into(), String::new(), Some(0)), "{line}");
    }
    // Only cksum reads base64.
    let line = "XUFAKrxLKna5cZ2REBfFkg==  hello\n";
    assert_eq!(on_hello("cksum", &["-a", "md5", "-c"], line.as_bytes()).0, "hello: OK\n");
    assert_eq!(on_hello("md5sum", &["-c"], line.as_bytes()).2, Some(1));
    let untagged = format!("{SHA3_256}  hello\n");
    assert_eq!(on_hello("cksum", &["-a", "sha3", "-l", "256", "-c"], untagged.as_bytes()).0, "hello: OK\n");
    // Lengths are found, in every notation; SHA-2 lists may mix them, with tags or without.
    for (algorithm, lengths) in [
        ("sha2", &["224", "256", "384", "512"][..]),
        ("sha3", &["224", "256", "384", "512"]),
        ("blake2b", &["8", "24", "216", "256", "264", "512"]),
    ] {
        let mut list = String::new();
        for length in lengths {
            for form in [&["--tag"][..], &["--untagged"], &["--base64"], &["--base64", "--untagged", "-b"]] {
                let mut args = vec!["-a", algorithm, "-l", length];
                args.extend(form);
                args.push("hello");
                list += &on_hello("cksum", &args, b"").0;
            }
        }
        let result = on_hello("cksum", &["-a", algorithm, "--strict", "-c"], list.as_bytes());
        assert_eq!(result, ("hello: OK\n".repeat(4 * lengths.len()), String::new(), Some(0)), "{algorithm}");
    }
    // A digest in base64 may begin like a tag. One with unused bits is well formed, but no digest is spelled like it.
    let line = b"SHA1+++++++++++++++++++++++=  hello\n";
    let failed = "cksum: WARNING: 1 computed checksum did NOT match\n".to_string();
    assert_eq!(on_hello("cksum", &["-a", "sha1", "-c"], line), ("hello: FAILED\n".into(), failed, Some(1)));
    // Their lengths do not exist, or are no reason to compare less than the whole digest.
    for line in ["SHA2-128 (hello) = 00", "SHA3-248 (hello) = 00", "MD5-8 (hello) = 5d", "CRC (hello) = 00"] {
        let nothing = "cksum: 'standard input': no properly formatted checksum lines found\n".to_string();
        assert_eq!(on_hello("cksum", &["-c"], line.as_bytes()), (String::new(), nothing, Some(1)), "{line}");
    }
    for line in ["SHA2-1 (hello) = aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d", "MD5 (hello) = XUFAKrxLKna5cZ2REBfFkg="] {
        assert_eq!(on_hello("cksum", &["-c"], line.as_bytes()).2, Some(1), "{line}");
    }
}

/// cksum and sum must print their lines in the order of the arguments, whichever thread finishes first.
#[test]
fn old_sums_of_many_files() {
    let dir = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..300).map(|i| format!("f{i}")).collect();
    for (i, name) in names.iter().enumerate() {
        fs::write(dir.path().join(name), noise((i * 7919) % 20_000, i as u64)).unwrap();
    }
    for program in ["cksum", "sum"] {
        let mut args = names.clone();
        args.insert(120, "nosuch".into());
        if is_here(program) {
            same(dir.path(), program, &args, b"");
        }
        let ours = run_as(dir.path(), executable(), program, &args, b"");
        let printed: Vec<String> = text(&ours.stdout).lines().map(|l| l.rsplit(' ').next().unwrap().into()).collect();
        assert_eq!(printed, names);
    }
}
