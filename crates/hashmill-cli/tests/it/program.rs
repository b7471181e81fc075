//! The program as a file: which libraries it needs, that it runs when copied alone, that a library it loads calls its
//! own functions, and what builds without `copy` and `measure` leave out.

use hashmill_measure::bare;
use hashmill_testing::{executable, hashmill, run, stdout, text};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Returns what a tool prints about the program.
fn of_program(tool: &str, options: &[&str]) -> String {
    let out = bare::command(tool).args(options).arg(executable()).output().unwrap();
    assert!(out.status.success(), "{tool}: {}", text(&out.stderr));
    text(&out.stdout)
}

/// libgcc and libm must be linked in or not needed: each would have to be found, mapped and relocated at every start.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn it_needs_the_c_library_and_nothing_else() {
    let headers = of_program("objdump", &["-p"]);
    let needed: Vec<&str> = headers.lines().filter_map(|l| l.trim().strip_prefix("NEEDED")).map(str::trim).collect();
    assert!(needed.contains(&"libc.so.6"), "{needed:?}");
    for library in needed {
        assert!(library == "libc.so.6" || library.starts_with("ld-linux"), "{library} is needed, too");
    }
}

/// A library that is loaded must find nothing in the program that it could take for its own.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn it_exports_nothing() {
    let exported = of_program("nm", &["-D", "--defined-only"]);
    assert_eq!(exported, "", "the program exports symbols");
    assert!(of_program("nm", &["-D"]).contains(" U __libc_start_main"), "nm does not see what the program imports");
}

#[test]
fn it_is_the_only_program_of_its_crate() {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let args = ["metadata", "--no-deps", "--offline", "--format-version", "1", "--manifest-path", manifest];
    let json: serde_json::Value = serde_json::from_str(&stdout(&run(Path::new("."), cargo(), &args, b""))).unwrap();
    let packages = json["packages"].as_array().unwrap();
    let this = packages.iter().find(|p| p["name"] == env!("CARGO_PKG_NAME")).unwrap();
    let programs = this["targets"].as_array().unwrap().iter().filter(|t| t["kind"][0] == "bin");
    assert_eq!(programs.map(|t| t["name"].as_str().unwrap()).collect::<Vec<_>>(), ["hashmill"]);
}

/// Copied alone to an empty folder, without environment variables other than HOME, the program has all its subcommands.
#[test]
fn it_runs_alone() {
    use std::fs;
    let dir = tempfile::tempdir().unwrap();
    let alone = dir.path().join("hashmill");
    // Copied by another process: if a child of another test inherited a descriptor for writing, the copy could not run
    // ("Text file busy").
    assert!(Command::new("cp").arg(executable()).arg(&alone).status().unwrap().success());
    fs::create_dir_all(dir.path().join("home")).unwrap();
    fs::create_dir(dir.path().join("src")).unwrap();
    fs::write(dir.path().join("src/abc"), "abc").unwrap();
    let run = |args: &[&str]| {
        let mut command = bare::command(&alone);
        command.args(args).current_dir(dir.path()).env_clear().env("HOME", dir.path().join("home"));
        let out = command.output().unwrap();
        assert_eq!(out.status.code(), Some(0), "{args:?}: {}", text(&out.stderr));
        text(&out.stdout)
    };
    let list = run(&["sum", "-a", "md5", "src/abc"]);
    assert_eq!(list, "900150983cd24fb0d6963f7d28e17f72  src/abc\n");
    fs::write(dir.path().join("list"), list).unwrap();
    assert_eq!(run(&["check", "-a", "md5", "list"]), "src/abc: OK\n");
    assert!(run(&["list"]).contains("\nsha256 "));
    assert!(run(&["copy", "-n", "src", "dst"]).contains("1 file would be copied (3 B)"));
    assert!(!dir.path().join("dst").exists());
    assert!(run(&["speed", "-testmode", "md5"]).contains("\nmd5 "));
    assert!(run(&["bench", "kernels", "md5", "--size", "64", "--time", "0.01", "--save=x"]).contains("portable"));
    assert!(run(&["results", "list"]).contains("kernels"));
    // `bench sum` and `speed -multi` start the program itself, whatever its name and folder.
    fs::rename(&alone, dir.path().join("other")).unwrap();
    let mut command = Command::new(dir.path().join("other"));
    command.args(["bench", "sum", "src/abc", "-a", "md5", "--reps", "1", "--start-reps", "0", "--together", "md5"]);
    let out = command.current_dir(dir.path()).env_clear().output().unwrap();
    assert!(out.status.success() && text(&out.stdout).contains("hashmill sum"), "{}", text(&out.stderr));
    assert!(run_with(&dir.path().join("other"), &["speed", "-testmode", "-multi", "2", "md5"]).contains("\nmd5 "));
}

fn run_with(program: &Path, args: &[&str]) -> String {
    let out = Command::new(program).args(args).env_clear().output().unwrap();
    assert!(out.status.success(), "{args:?}: {}", text(&out.stderr));
    text(&out.stdout)
}

/// The loader logs where it found every symbol. Those of libcrypto must be found in the libcrypto that was loaded,
/// whether the program or libcrypto itself looks them up, even if the program has symbols of the same names.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn calls_land_in_the_libcrypto_that_was_loaded() {
    use std::fs;
    let Some(system) = libcrypto() else {
        hashmill_testing::skip("no libcrypto");
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let ours = dir.path().canonicalize().unwrap().join("libcrypto-copied.so");
    fs::copy(system, &ours).unwrap();
    let mut command = bare::command(executable());
    command.args([
        "speed", "-testmode", "-provider", "openssl", "md5", "hmac(sha256)", "aes-128-cbc", "rsa512", "ecdsap256",
    ]);
    command.env("HASHMILL_LIBCRYPTO", &ours).env("LD_DEBUG", "bindings").env("LD_DEBUG_OUTPUT", dir.path().join("log"));
    let out = command.output().unwrap();
    assert!(out.status.success(), "{}", text(&out.stderr));

    let mut found = BTreeSet::new();
    for entry in fs::read_dir(dir.path()).unwrap() {
        let path = entry.unwrap().path();
        if !path.file_name().unwrap().to_str().unwrap().starts_with("log.") {
            continue;
        }
        for line in fs::read_to_string(path).unwrap().lines() {
            // `1234: binding file A [0] to B [0]: normal symbol `S' [V]`
            let Some((_, line)) = line.split_once("binding file ") else { continue };
            let (from, rest) = line.split_once(" [0] to ").unwrap();
            let (to, symbol) = rest.split_once(" [0]: ").unwrap();
            let symbol = symbol.split(['`', '\'']).nth(1).unwrap();
            assert!(from == executable() || to != executable(), "{symbol} of {from} is the program's");
            if from == ours.to_str().unwrap() && to == from {
                found.insert(symbol.to_string());
            }
        }
    }
    for symbol in ["OpenSSL_version", "EVP_DigestInit_ex", "EVP_DigestUpdate", "EVP_DigestFinal_ex"] {
        assert!(found.contains(symbol), "{symbol} was not found in the library that was loaded: {found:?}");
    }
}

/// Returns the path of the system's libcrypto.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn libcrypto() -> Option<std::path::PathBuf> {
    let out = Command::new("ldd").arg("/usr/bin/openssl").output().ok()?;
    let line = text(&out.stdout).lines().find(|l| l.contains("libcrypto.so"))?.to_string();
    Some(line.split_whitespace().nth(2)?.into())
}

/// If standard output is closed, a measurement must fail, since nobody can see its results.
#[test]
fn a_closed_output_is_no_success() {
    let dir = tempfile::tempdir().unwrap();
    for args in ["speed md5 -seconds 1", "bench kernels md5 --size 64 --time 0.01", "results list"] {
        let script = format!("exec \"$0\" {args} >&-");
        let out = bare::command("sh").args(["-c", &script, executable()]).current_dir(dir.path()).output().unwrap();
        assert_eq!(out.status.code(), Some(1), "{args}: {}", text(&out.stderr));
        assert!(text(&out.stderr).starts_with("hashmill: "), "{args}: {}", text(&out.stderr));
    }
}

fn cargo() -> &'static str {
    option_env!("CARGO").unwrap_or("cargo")
}

/// Returns the crates that a build with these features compiles into the program.
fn crates(features: &[&str]) -> BTreeSet<String> {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let args = [
        "tree", "--offline", "--edges", "normal,build", "--prefix", "none", "--format", "{p}", "--manifest-path",
        manifest,
    ];
    let args = [&args[..], &["--no-default-features"], features].concat();
    let tree = stdout(&run(Path::new("."), cargo(), &args, b""));
    tree.lines().filter_map(|l| l.split_whitespace().next()).map(String::from).collect()
}

#[test]
fn what_a_lean_build_compiles() {
    let all = crates(&["--features", "copy,measure"]);
    let copy = ["hashmill-copy", "rusqlite", "libsqlite3-sys"];
    let measure = [
        "hashmill-bench", "hashmill-speed", "hashmill-results", "rusqlite", "libsqlite3-sys", "plotters", "rsa", "aes",
    ];
    for name in copy.iter().chain(&measure) {
        assert!(all.contains(*name), "{name} is in no build: this test looks for a crate of another name");
    }
    let lean = crates(&[]);
    assert!(lean.contains("hashmill") && lean.contains("hashmill-files"), "{lean:?}");
    for name in copy.iter().chain(&measure) {
        assert!(!lean.contains(*name), "{name} is compiled without 'copy' and 'measure'");
    }
    let (only_copy, only_measure) = (crates(&["--features", "copy"]), crates(&["--features", "measure"]));
    assert!(only_copy.contains("hashmill-copy") && !only_copy.contains("hashmill-bench") && !only_copy.contains("rsa"));
    assert!(only_measure.contains("hashmill-bench") && !only_measure.contains("hashmill-copy"));
}

/// Options of the same meaning must have the same name in all commands.
#[test]
fn one_word_for_one_thing() {
    let dir = tempfile::tempdir().unwrap();
    let run = |line: &str| {
        let out = hashmill(dir.path(), &line.split_whitespace().collect::<Vec<_>>());
        // Warnings about a busy machine are no failure.
        assert!(out.status.success(), "{line}: {}", text(&out.stderr));
        text(&out.stdout)
    };
    for kind in hashmill_bench::BenchArgs::KINDS {
        let help = run(&format!("bench {kind} --help"));
        for other in ["--pairs", "--rounds", "--starts", "--batch", "--sizes", "--bytes"] {
            // Starts of a suite's programs are not repetitions: in each of them, there are several.
            assert!(!help.contains(other) || (kind, other) == ("suite", "--starts"), "{kind}: {other}");
        }
        assert!(help.contains("--reps <N>"), "{kind}");
        assert_eq!(help.contains("-a, --algorithm <"), !["copy", "suite"].contains(&kind), "{kind}");
    }
    run("bench lanes -a md2 --messages 4 --size 64 --reps 6 --save before --db x.db");
    run("bench lanes --messages 4 --size 64 --reps 6 --db x.db --save md2");
    run("bench kernels --size 64 --reps 6 --time 0.002 --db x.db --save=md2 md2");
    run("speed -testmode -a md2,md4 -save after -db x.db");
    run("speed -testmode -db x.db -save md2");
    let tags: Vec<Option<String>> = {
        let runs: serde_json::Value = serde_json::from_str(&run("results list --db x.db --json")).unwrap();
        runs.as_array().unwrap().iter().map(|r| r["tag"].as_str().map(String::from)).collect()
    };
    let tags: Vec<_> = tags.iter().rev().map(Option::as_deref).collect();
    assert_eq!(tags, [Some("before"), None, Some("md2"), Some("after"), None]);
    assert_eq!(run("list -a sha256,md5"), run("list sha256 md5"));
}

/// A build without them says which feature provides them: scripts/targets/windows.py tries that.
#[test]
fn subcommands_of_optional_features() {
    let dir = tempfile::tempdir().unwrap();
    let help = stdout(&hashmill(dir.path(), &["--help"]));
    let completions = stdout(&hashmill(dir.path(), &["completions", "--index", "1", "--", "hashmill", ""]));
    for name in ["copy", "speed", "bench", "results"] {
        assert!(help.contains(&format!("  {name} ")), "{name}: {help}");
        assert_eq!(help.contains(&format!("hashmill {name} ")), name == "copy", "{name}: {help}");
        assert!(completions.lines().any(|l| l.split('\t').next() == Some(name)), "{name}");
        stdout(&hashmill(dir.path(), &[name, "--help"]));
    }
}
