//! Subcommands that read no files, help texts, manual pages and wrong usage.

use hashmill_measure::bare;
use hashmill_testing::{executable, hashmill, stdout, text};
use std::fs;
use std::path::Path;

#[test]
fn list_shows_every_algorithm() {
    let dir = tempfile::tempdir().unwrap();
    let table = stdout(&hashmill(dir.path(), &["list", "--all"]));
    let json: serde_json::Value = serde_json::from_str(&stdout(&hashmill(dir.path(), &["list", "--json"]))).unwrap();
    let names: Vec<&str> = json.as_array().unwrap().iter().map(|a| a["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"sha256") && names.contains(&"blake3"));
    for (line, a) in table.lines().skip(1).zip(json.as_array().unwrap()) {
        let mut words = line.split_whitespace();
        assert_eq!(words.next(), a["name"].as_str());
        assert_eq!(words.next().unwrap().parse().ok(), a["bits"].as_u64());
        assert!(a["bits"].as_u64() <= a["digest_bits"].as_u64());
        assert!(line.contains("portable") && line.contains('*'));
    }
    assert_eq!(table.lines().count(), names.len() + 1);
    // By default, only the usual CRCs are listed, and the last line says how many others there are.
    let usual = stdout(&hashmill(dir.path(), &["list"]));
    let last = usual.lines().last().unwrap();
    let hidden: usize = last.split_whitespace().nth(1).unwrap().parse().unwrap();
    assert!(last.ends_with("more CRCs: hashmill list --all") && hidden > 90, "{last}");
    assert_eq!(usual.lines().count() - 2 + hidden, names.len());
    assert!(usual.contains("\ncrc32c ") && !usual.contains("\ncrc5-usb "));
    // A CRC has as many bits as its register.
    for (name, bits, bytes) in [("crc3-gsm", 3, "one byte"), ("crc82-darc", 82, "11 bytes")] {
        assert!(table.lines().any(|l| l.split_whitespace().take(2).eq([name, &bits.to_string()])), "{table}");
        let long = stdout(&hashmill(dir.path(), &["list", "--long", name]));
        assert!(long.contains(&format!("{bits} bits, written as {bytes}")), "{long}");
    }
    let family = stdout(&hashmill(dir.path(), &["list", "haval", "crc5-usb"]));
    assert_eq!(family.lines().count(), 1 + 15 + 1);
    let long = stdout(&hashmill(dir.path(), &["list", "--long", "SHA-256"]));
    assert!(long.starts_with("sha256\n") && long.contains("sha2-256") && long.contains("FIPS 180-4"));
    assert_eq!(hashmill(dir.path(), &["list", "nonsense"]).status.code(), Some(2));
}

/// The help and `list` say how far to trust an algorithm. Hashing itself prints no warnings.
#[test]
fn security_is_told_plainly() {
    let dir = tempfile::tempdir().unwrap();
    let help = stdout(&hashmill(dir.path(), &["sum", "--help"]));
    let (_, rest) = help.split_once("How far to trust").unwrap();
    let (broken, rest) = rest.split_once("\n  weak").unwrap();
    let (weak, rest) = rest.split_once("\n  sound").unwrap();
    let (sound, sums) = rest.split_once("\n  against accidents").unwrap();
    assert!(broken.contains(" md5") && broken.contains(" sha1") && weak.contains(" Tiger"), "{help}");
    assert!(sound.contains(" SHA-2") && sound.contains(" blake3") && sums.contains(" xxHash"), "{help}");
    stdout(&hashmill(dir.path(), &["man", "."]));
    assert!(text(&fs::read(dir.path().join("hashmill-sum.1")).unwrap()).contains("How far to trust"));
    let list = stdout(&hashmill(dir.path(), &["list", "md5", "sha256"]));
    assert!(list.contains("broken") && list.contains("sound"));
    fs::write(dir.path().join("f"), "abc").unwrap();
    assert!(hashmill(dir.path(), &["sum", "-a", "md5", "f"]).stderr.is_empty());
}

/// The security of given parameters is stated, not that of the function's usual ones.
#[test]
fn parameters_decide_about_security() {
    let dir = tempfile::tempdir().unwrap();
    for (name, security) in [
        ("blake2b-8", "broken: 8 bits: two messages with one digest are found in 2^4 tries"),
        (
            "cubehash1/128-8",
            "broken: 8 bits: two messages with one digest are found in 2^4 tries; 1 round a block of 128 bytes: a \
             block sets the whole state, so collisions are made at will",
        ),
        ("blake2b-256", "sound: no attack on the full function"),
    ] {
        let long = stdout(&hashmill(dir.path(), &["list", "--long", name]));
        assert!(
            long.lines().any(|l| l.trim_start().strip_prefix("security").map(str::trim) == Some(security)),
            "{long}"
        );
        let json: serde_json::Value =
            serde_json::from_str(&stdout(&hashmill(dir.path(), &["list", "--json", name]))).unwrap();
        let (word, reason) = security.split_once(": ").unwrap();
        assert_eq!((json[0]["security"].as_str(), json[0]["security_reason"].as_str()), (Some(word), Some(reason)));
    }
}

/// Every subcommand, at every level, must have a help text and a manual page, both with examples.
#[test]
fn help_and_manual_pages_have_examples_everywhere() {
    let dir = tempfile::tempdir().unwrap();
    let top = stdout(&hashmill(dir.path(), &["--help"]));
    assert!(top.contains("Examples:") && top.contains("HASHMILL_KERNEL="), "{top}");
    stdout(&hashmill(dir.path(), &["man", "."]));
    let mut pages: Vec<String> =
        fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    pages.sort();
    let mut subcommands = Vec::new();
    for name in &pages {
        let page = text(&fs::read(dir.path().join(name)).unwrap());
        let name = name.strip_suffix(".1").unwrap();
        let words: Vec<&str> = name.split('-').skip(1).collect();
        // The program `sum` is not the subcommand `hashmill sum`, so its page has another name.
        if words == ["sum", "coreutils"] || words != ["sum"] && program_names().iter().any(|p| words == [p]) {
            continue;
        }
        let help = stdout(&hashmill(dir.path(), &[&words[..], &["--help"]].concat()));
        let usage = format!("Usage: {}", name.replace('-', " "));
        assert!(help.contains("Examples:\n") && help.contains(&usage), "{name}: {help}");
        let title = format!(".TH \"{}\" 1 \"\" \"hashmill ", name.to_uppercase().replace('-', "\\-"));
        for part in [&title[..], ".SH NAME\n", ".SH SYNOPSIS\n", ".SH \"EXAMPLES\"\n.EX\nhashmill "] {
            assert!(page.contains(part), "{name}: no {part:?} in {page}");
        }
        assert_eq!(page.matches(".EX\n").count(), page.matches(".EE\n").count(), "{name}");
        assert_eq!(page.matches("SEE ALSO").count(), 1, "{name}");
        assert_eq!(page.matches("EXIT STATUS").count(), 1, "{name}");
        let hashes = !["completions", "man", "links"].contains(words.first().unwrap_or(&""));
        assert_eq!(page.contains("HASHMILL_KERNEL"), hashes, "{name}");
        for asked in ["--help", "-h"] {
            let help = stdout(&hashmill(dir.path(), &[&words[..], &[asked]].concat()));
            let wide: Vec<&str> = help.lines().filter(|l| l.chars().count() > 80).collect();
            assert!(wide.is_empty() && help.contains("Examples:\n"), "{name} {asked}: {wide:#?}");
        }
        if let [subcommand] = words[..] {
            assert!(top.contains(&format!("  {subcommand} ")), "{name}: {top}");
            subcommands.push(subcommand.to_string());
        }
    }
    for name in ["sum", "check", "list", "completions", "man", "copy", "speed", "bench", "results"] {
        assert!(subcommands.iter().any(|s| s == name), "{name}: {subcommands:?}");
    }
    assert!(stdout(&hashmill(dir.path(), &["--version"])).starts_with("hashmill "));
}

/// Returns the names of the programs that hashmill can act as, which are those of the links it makes.
fn program_names() -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    stdout(&hashmill(dir.path(), &["links", "."]));
    let mut names: Vec<String> =
        fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Each must have a help text and a manual page with the same content, and the page's name must differ from that of the
/// original's page.
#[cfg(unix)]
#[test]
fn programs_of_other_names_have_help_and_pages() {
    let dir = tempfile::tempdir().unwrap();
    let (pages, links) = (dir.path().join("deep/er"), dir.path().join("links"));
    fs::create_dir(&links).unwrap();
    let said = hashmill(dir.path(), &["man", "deep/er"]);
    assert_eq!((text(&said.stdout), text(&said.stderr), said.status.code()), (String::new(), String::new(), Some(0)));
    stdout(&hashmill(dir.path(), &["links", "links"]));
    let names = program_names();
    assert!(names.len() >= 9, "{names:?}");
    for name in names {
        let out = bare::command(links.join(&name)).arg("--help").output().unwrap();
        let help = text(&out.stdout);
        assert!(help.starts_with(&format!("Usage: {name} ")) && help.contains("\nExamples:\n"), "{help}");
        assert!(help.lines().all(|l| l.chars().count() <= 80), "{help}");
        let file = if name == "sum" { "hashmill-sum-coreutils.1".into() } else { format!("hashmill-{name}.1") };
        let page = text(&fs::read(pages.join(&file)).unwrap());
        for part in
            [".SH NAME\nhashmill", ".SH SYNOPSIS\n", ".SH OPTIONS\n.TP\n", "EXIT STATUS", "EXAMPLES", "SEE ALSO"]
        {
            assert!(page.contains(part), "{file}: no {part:?} in {page}");
        }
        assert!(!page.contains("\\fBhashmill sum\\fR"), "{page}");
        // Every option in the help must be on the page.
        for option in help.lines().filter_map(|l| l.trim_start().strip_prefix("--")) {
            let option = option.split([' ', '=']).next().unwrap().replace('-', "\\-");
            assert!(page.contains(&format!("\\-\\-{option}")), "{file}: {option}");
        }
    }
}

/// Scripts put the originals of these programs first in PATH, whatever is installed under their names.
#[cfg(unix)]
#[test]
fn scripts_find_the_originals() {
    let dir = tempfile::tempdir().unwrap();
    let links = dir.path().join("links");
    fs::create_dir(&links).unwrap();
    stdout(&hashmill(dir.path(), &["links", "links"]));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/bare.py");
    let list = fs::read_to_string(&script).unwrap();
    let list = list.split_once("NAMES = [").unwrap().1.split_once(']').unwrap().0;
    let mut names: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
    names.sort_unstable();
    assert_eq!(names, program_names());
    let path = std::env::join_paths(
        std::iter::once(links.clone()).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let shell = r#"export PHPRC=here GOFLAGS=-v HASHMILL_KERNEL=portable
        bare=$("$0") && eval "$bare" || exit 1
        echo "${PHPRC-none} ${GOFLAGS-none} ${HASHMILL_KERNEL-none}"; md5sum --version | head -n 1; xxh3sum --version"#;
    let mut command = bare::command("bash");
    command.args(["--norc", "-c", shell]).arg(&script).env("PATH", path.unwrap());
    command.env("CARGO_TARGET_DIR", dir.path()).env_remove("HASHMILL_TEST_BARE");
    let said = command.output().unwrap();
    let printed = text(&said.stdout);
    assert!(printed.starts_with("none none none\nmd5sum (") && !printed.contains("hashmill"), "{printed}");
    // No distribution has a program of this name.
    assert!(text(&said.stderr).ends_with("xxh3sum in PATH is hashmill; the original was not found\n"), "{said:?}");
}

/// Manual pages must have the date of `SOURCE_DATE_EPOCH`, or none, and mandoc and man must not complain about them.
#[test]
fn pages_are_reproducible_and_without_faults() {
    let dir = tempfile::tempdir().unwrap();
    let out = bare::command(executable())
        .args(["man", "pages"])
        .env("SOURCE_DATE_EPOCH", "1764000000")
        .current_dir(dir.path())
        .output()
        .unwrap();
    assert!(out.status.success());
    let tools =
        [("mandoc", &["-Tlint", "-Wwarning"][..]), ("man", &["--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z"])];
    for entry in fs::read_dir(dir.path().join("pages")).unwrap() {
        let page = entry.unwrap().path();
        assert!(text(&fs::read(&page).unwrap()).contains(" 1 \"2025-11-24\" \"hashmill "), "{}", page.display());
        for (tool, args) in tools {
            let mut command = bare::command(tool);
            command.args(args).arg(&page).envs([("LC_ALL", "C.UTF-8"), ("MANROFFSEQ", ""), ("MANWIDTH", "80")]);
            let Ok(out) = command.output() else {
                hashmill_testing::skip(&format!("no {tool}"));
                continue;
            };
            let said = if tool == "man" { text(&out.stderr) } else { text(&out.stdout) + &text(&out.stderr) };
            assert_eq!(said, "", "{tool}: {}", page.display());
        }
    }
}

#[test]
fn completions_and_manual_pages() {
    let dir = tempfile::tempdir().unwrap();
    for shell in ["elvish", "powershell"] {
        assert!(stdout(&hashmill(dir.path(), &["completions", shell])).contains("ignore-missing"));
    }
    let whole = stdout(&hashmill(dir.path(), &["man"]));
    assert!(whole.contains(".TH \"HASHMILL\" 1 "), "{whole}");
    stdout(&hashmill(dir.path(), &["man", "."]));
    assert_eq!(text(&fs::read(dir.path().join("hashmill.1")).unwrap()), whole);
    let sum = text(&fs::read(dir.path().join("hashmill-sum.1")).unwrap());
    for part in [
        "\\-\\-recursive",
        "\\fBhashmill sum\\fR [OPTIONS] [FILE]",
        ".SH \"EXIT STATUS\"\n0, or 1 if",
        "\nhashmill sum \\-a md5 file  ",
        ".SS \"How far to trust an algorithm",
        ".SH \"SEE ALSO\"\n.BR hashmill (1) ,\n.BR hashmill\\-check (1) ,\n",
        ".SS \"Algorithms\"\n",
    ] {
        assert!(sum.contains(part), "no {part:?} in {sum}");
    }
    fs::write(dir.path().join("file"), "").unwrap();
    let impossible = hashmill(dir.path(), &["man", "file/pages"]);
    assert_eq!(impossible.status.code(), Some(1));
    let said = text(&impossible.stderr);
    assert!(said.starts_with("hashmill: file/pages: the folder cannot be made: "), "{said}");
    let file = hashmill(dir.path(), &["man", "file"]);
    assert_eq!(text(&file.stderr), "hashmill: file is not a directory: pages are created in one\n");
}

#[test]
fn help_and_version_of_each_command() {
    let dir = tempfile::tempdir().unwrap();
    let says = |args: &[&str]| stdout(&hashmill(dir.path(), args));
    for command in ["sum", "check", "list", "completions", "man", "links"] {
        assert_eq!(says(&["help", command]), says(&[command, "--help"]));
        assert_eq!(says(&[command, "--version"]), format!("hashmill {command} {}\n", env!("CARGO_PKG_VERSION")));
    }
    assert_eq!(says(&["help"]), says(&["--help"]));
    assert_eq!(says(&["help", "help"]), says(&["--help"]));
    for program in ["md5sum", "cksum", "b3sum", "xxhsum"] {
        assert_eq!(says(&["help", program]), says(&[program, "--help"]));
    }
    for args in [&["--help"][..], &["sum", "--help"], &["--version"], &["help", "md5sum"]] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let o = bare::command(executable()).args(args).stdout(full).output().unwrap();
        let said = "hashmill: write error: no space left on device\n";
        assert_eq!((text(&o.stderr).as_str(), o.status.code()), (said, Some(1)), "{args:?}");
    }
    let none = hashmill(dir.path(), &["help", "nosuch"]);
    assert_eq!((none.status.code(), none.stdout.len()), (Some(2), 0));
}

#[test]
fn wrong_usage_is_one_line() {
    let dir = tempfile::tempdir().unwrap();
    for (args, says) in [
        (&["sum", "-a", "sha265", "x"][..], "unknown algorithm 'sha265'; did you mean sha256? (see hashmill list)"),
        (&["sum", "-a", "md5:99", "x"], "md5: the digest has 16 bytes, not 99"),
        (
            &["sum", "-a", "skein512-7", "x"],
            "impossible algorithm 'skein512-7': the digest has 8 to 8388608 bits, in whole bytes; did you mean \
             skein512-8?",
        ),
        (
            &["sum", "-a", "md5,haval300,9", "x"],
            "impossible algorithm 'haval300,9': HAVAL has digests of 128, 160, 192, 224, 256 bits and 3, 4, 5 passes; \
             did you mean haval256-5?",
        ),
        (
            &["sum", "-a", "cubehash0/200-9999", "x"],
            "impossible algorithm 'cubehash0/200-9999': CubeHash has 1 to 6553 rounds, 1 to 128 bytes a block",
        ),
        (
            &["sum", "-a", "crc16-ccitt", "x"],
            "'crc16-ccitt' is the name of several algorithms: crc16-kermit, crc16-ibm-3740",
        ),
        (&["sum", "-j", "0", "x"], "invalid value '0'"),
        (&["sum", "--bogus"], "unexpected argument '--bogus'"),
        (&["check", "--foo"], "unexpected argument '--foo'"),
        (&["list", "nonsense"], "unknown algorithm 'nonsense' (see hashmill list)"),
        (&["sum", "-a", "sha2", "x"], "unknown algorithm 'sha2'; did you mean sha256 or sha512? (see hashmill list)"),
        (&["check", "-a", "blake"], "unknown algorithm 'blake'; did you mean blake3, blake2b-512 or blake2s-256?"),
        (&["md5sm"], "there is no command 'md5sm'; did you mean md5sum? (see hashmill --help)"),
        (&["sha256"], "there is no command 'sha256'; did you mean sum -a sha256? (see hashmill --help)"),
        (
            &["completions", "ksh"],
            "invalid value 'ksh' for '<SHELL>': it is one of bash, elvish, fish, powershell, zsh; did you mean zsh? \
             (see hashmill completions --help)",
        ),
        (&["frobnicate"], "there is no command 'frobnicate' (see hashmill --help)"),
        (&["sums"], "there is no command 'sums'; did you mean sum? (see hashmill --help)"),
        (
            &["completions"],
            "<SHELL> is missing: it is one of bash, elvish, fish, powershell, zsh (see hashmill completions --help)",
        ),
        (&["links"], "<DIR> is missing (see hashmill links --help)"),
        (&["results", "history"], "<ALG> is missing (see hashmill results history --help)"),
        (
            &["bench", "suite", "x.toml", "--reps", "0"],
            "invalid value '0' for '--reps <N>': it is a whole number from 1 to 10000 (see hashmill bench suite --help)",
        ),
        (
            &["sum", "--progress", "alway", "x"],
            "invalid value 'alway' for '--progress <WHEN>': it is one of auto, always, never; did you mean always? \
             (see hashmill sum --help)",
        ),
        (
            &["sum", "--progress"],
            "'--progress <WHEN>' needs a value: it is one of auto, always, never (see hashmill sum --help)",
        ),
        (
            &["sum", "--recursiv", "x"],
            "unexpected argument '--recursiv' found; did you mean --recursive? (see hashmill sum --help)",
        ),
        (&["sum", "-j", "0", "x"], "invalid value '0' for '--threads <N>': it is a whole number from 1 on"),
        (&["sum", "-j", "-1", "x"], "invalid value '-1' for '--threads <N>': it is a whole number from 1 on"),
        (&["sum", "--tga", "x"], "unexpected argument '--tga' found; did you mean --tag?"),
        (&["sum", "-1", "x"], "unexpected argument '-1' found"),
        (&["sum", "-j", "two", "x"], "invalid value 'two' for '--threads <N>': it is a whole number"),
        (
            &["sum", "-j", "99999999999999999999", "x"],
            "invalid value '99999999999999999999' for '--threads <N>': it is a whole number from 1 to ",
        ),
        (&["sum", "--tag", "--json", "x"], "'--tag' does not go with --json"),
        (&["sum", "--a\nb"], "unexpected argument '--a\\nb' found"),
    ] {
        let out = hashmill(dir.path(), args);
        let text = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(2), "{args:?}");
        assert!(text.starts_with(&format!("hashmill: {says}")) && text.lines().count() == 1, "{args:?}: {text}");
    }
}

/// What users of other programs type is answered with what it is here, and nothing is suggested that only looks
/// similar.
#[test]
fn habits_of_other_programs() {
    let dir = tempfile::tempdir().unwrap();
    for file in ["a.iso", "my file", "SHA256SUMS", "a.iso.md5"] {
        fs::write(dir.path().join(file), "").unwrap();
    }
    fs::create_dir(dir.path().join("photos")).unwrap();
    for (args, instead) in [
        (&["a.iso"][..], "hashmill sum a.iso"),
        (&["./a.iso", "my file"], "hashmill sum ./a.iso …"),
        (&["my file"], "hashmill sum 'my file'"),
        (&["SHA256SUMS"], "hashmill check SHA256SUMS"),
        (&["a.iso.md5"], "hashmill check a.iso.md5"),
        (&["photos"], "hashmill sum -r photos"),
        (&["-"], "hashmill sum -"),
        (&["none.iso"], ""),
        (&["verify", "x"], "check"),
        (&["hash", "x"], "sum"),
        (&["digest"], "sum"),
        (&["version"], "--version"),
        (&["help", "verify"], "check"),
        (&["verify-copy"], "copy"),
        (&["import"], "copy"),
        (&["benchmarks"], "bench"),
        (&["ls"], "list"),
        (&["md5", "x"], "sum -a md5"),
        (&["sha3-256sum", "x"], "sum -a sha3-256"),
        (&["fdupes", "x"], "dups"),
        (&["update"], "sum --update"),
        (&["mac"], ""),
        (&["chekc"], "check"),
        (&["-r", "photos"], "hashmill sum -r"),
        (&["-c", "SHA256SUMS"], "hashmill check"),
        (&["--md5", "x"], "hashmill sum -a md5"),
        (&["sum", "-R", "photos"], "-r"),
        (&["sum", "--audit", "x"], "hashmill audit LIST DIR"),
        (&["sum", "--quiet", "x"], "hashmill check --quiet"),
        (&["sum", "--algo=sha1", "x"], "-a"),
        (&["sum", "--sha1", "x"], "-a sha1"),
        (&["sum", "-sha1", "x"], "-a sha1"),
        (&["sum", "--bsd", "x"], "--tag"),
        (&["sum", "--expect", "x"], "hashmill check --expect DIGEST FILE"),
        (&["sum", "--printf", "x"], "--template"),
        (&["check", "--compare", "x"], "--expect"),
        (&["sum", "--keyed", "x"], "hashmill b3sum --keyed"),
        (&["sum", "--torrent", "x"], ""),
        (&["sum", "--version-sort", "x"], ""),
        (&["sum", "--verbos", "x"], "--verbose"),
        (&["check", "--audit", "x"], "hashmill audit LIST DIR"),
        (&["check", "--string", "x"], ""),
        (&["check", "-q", "x"], "--quiet"),
        (&["check", "--skip-ok", "x"], "--quiet"),
        (&["check", "--md5", "x"], "-a md5"),
        (&["check", "--recursive", "x"], ""),
        (&["list", "-v"], "--long"),
    ] {
        let out = hashmill(dir.path(), args);
        let said = text(&out.stderr);
        assert_eq!((out.status.code(), said.lines().count()), (Some(2), 1), "{args:?}: {said}");
        let ends = if instead.is_empty() { " (see ".into() } else { format!("; did you mean {instead}? (see ") };
        assert!(said.contains(&ends) && said.contains("did you mean") != instead.is_empty(), "{args:?}: {said}");
    }
    let none = text(&hashmill(dir.path(), &["none.iso"]).stderr);
    assert_eq!(none, "hashmill: there is no command or file 'none.iso' (see hashmill --help)\n");
    for (option, instead) in [("-r", ""), ("--delete", ""), ("--checksum", "--fresh"), ("--skip-existing", "skip")] {
        let said = text(&hashmill(dir.path(), &["copy", option, "a", "b"]).stderr);
        assert!(said.contains("did you mean") != instead.is_empty() && said.contains(instead), "{said}");
    }
}

/// The last line of `--json` has the totals, also if nothing could be done.
#[test]
fn json_that_ends_early() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    for args in [
        &["check", "--json", "nothing"][..],
        &["audit", "--json", "nothing"],
        &["diff", "--json", "nothing", "."],
        &["dups", "--json", "nothing"],
        &["copy", "--json", "nothing", "to"],
        &["mhl", "check", "--json", "nothing"],
        &["bag", "check", "--json", "nothing"],
        &["bag", "update", "--json", "nothing"],
        &["sum", "--json", "nothing"],
        &["sum", "--json", "--update", "nothing"],
    ] {
        let o = hashmill(d, args);
        let last = text(&o.stdout).lines().last().map(str::to_string).unwrap_or_default();
        let last: serde_json::Value = serde_json::from_str(&last).unwrap_or_else(|e| panic!("{args:?}: {e}: {last}"));
        let status = last["status"].as_u64().map(|status| status as i32);
        assert!(last["totals"].is_object() && status == o.status.code() && status != Some(0), "{args:?} {last}");
    }
}
