//! Tests what `hashmill speed` does beyond OpenSSL, and its errors.

use hashmill_measure::bare;
use hashmill_testing::executable;
use serde_json::Value;
use std::fs;
use std::process::{Child, Command, Output, Stdio};

fn command(args: &str) -> Command {
    let mut command = bare::command(executable());
    command.arg("speed").args(args.split_whitespace()).stdin(Stdio::null());
    command
}

fn speed(args: &str) -> Output {
    command(args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Returns the lines on stderr that are neither warnings nor OpenSSL's.
fn notes(out: &Output) -> Vec<String> {
    let own = |l: &&str| l.starts_with("hashmill: speed: ") && !l.starts_with("hashmill: speed: warning: ");
    text(&out.stderr).lines().filter(own).map(str::to_string).collect()
}

fn json(args: &str) -> Value {
    let out = speed(&format!("{args} -json"));
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    serde_json::from_slice(&out.stdout).unwrap()
}

/// Checks that the samples, their median and its interval are consistent.
fn check_series(series: &Value, samples: usize) {
    assert_eq!(series["samples"].as_array().unwrap().len(), samples, "{series}");
    let summary = &series["summary"];
    let value = |v: &Value| v.as_f64().unwrap();
    let (low, middle, high) =
        (value(&summary["interval"][0]), value(&summary["median"]), value(&summary["interval"][1]));
    assert!(0.0 < low && low <= middle && middle <= high && high.is_finite(), "{series}");
}

/// Reports that a test is skipped for lack of another program. Panics if this machine is required to have it.
fn skipped(what: &str) {
    let required = std::env::var_os("HASHMILL_TEST_REQUIRE_PEERS").is_some_and(|v| v == "1");
    assert!(!required, "{what} is required");
    println!("skipped: {what} is not there");
}

fn has_libcrypto() -> bool {
    let there = hashmill_peers::peer::libcrypto::Libcrypto::load().is_ok();
    if !there {
        skipped("libcrypto");
    }
    there
}

#[test]
fn json_has_every_repetition() {
    let v = json("-seconds 1 -size 5,1k -reps 7 md5 rsa512");
    let series = v["series"].as_array().unwrap();
    let what: Vec<_> = series.iter().map(|s| (s["what"].as_str().unwrap(), s["bytes"].as_u64())).collect();
    assert_eq!(what, [("md5", Some(5)), ("md5", Some(1024)), ("rsa512 sign", None), ("rsa512 verify", None)]);
    series.iter().for_each(|s| check_series(s, 7));
    assert_eq!(
        (series[0]["unit"].as_str(), series[2]["unit"].as_str()),
        (Some("bytes-per-second"), Some("operations-per-second"))
    );
    assert_eq!((series[0]["by"].as_str(), series[2]["by"].as_str()), (Some("hashmill"), Some("aws-lc")));
    let kernel = "md5".parse::<hashmill::Algorithm>().unwrap().kernels().iter().find(|k| k.active).unwrap().name;
    assert_eq!(series[0]["kernel"].as_str(), Some(kernel));
    let details = &v["details"];
    assert_eq!((details["divisor"].as_str(), v["interrupted"].as_bool()), (Some("user"), Some(false)));
    let result = &details["rows"][0]["results"][0];
    let number = |key: &str| result[key].as_f64().unwrap();
    let rate = number("count") * 5.0 / number("seconds");
    assert!((rate / number("rate") - 1.0).abs() < 1e-9, "{result}");
}

#[test]
fn kernel_override() {
    let out = command("-seconds 1 -bytes 64 -json sha256").env("HASHMILL_KERNEL", "portable").output().unwrap();
    let v: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(v["series"][0]["kernel"].as_str(), Some("portable"));
}

#[test]
fn the_table_of_repetitions() {
    let out = speed("-seconds 1 -reps 3 -bytes 64 sha1");
    let (stdout, stderr) = (text(&out.stdout), text(&out.stderr));
    assert!(stderr.contains("3 repetitions are too few for an interval of 95 %: it takes -reps 6 or more"), "{stderr}");
    let (openssls, table) = stdout.split_once("\n\n").unwrap();
    assert!(openssls.lines().last().unwrap().starts_with("sha1          "), "{stdout}");
    let line = table.lines().nth(2).unwrap();
    assert!(line.starts_with("sha1          64  ") && line.contains("/B") && line.contains('['), "{table}");
    let out = speed("-testmode -long -bytes 64 sha1 ed25519");
    let stdout = text(&out.stdout);
    assert!(stdout.contains("\nsha1") && stdout.contains("/op"), "{stdout}");
}

#[test]
fn threads_are_added_up() {
    let v = json("-seconds 1 -reps 6 -threads 2 -bytes 1024 sha256 aes-128-ctr");
    for s in v["series"].as_array().unwrap() {
        check_series(s, 6);
        assert_eq!(s["parameters"]["threads"].as_str(), Some("2"));
    }
    assert_eq!(v["details"]["divisor"].as_str(), Some("elapsed"));
}

#[test]
fn processes_are_added_up() {
    let v = json("-seconds 1 -multi 2 -reps 6 -bytes 64 md5");
    let s = &v["series"][0];
    check_series(s, 6);
    assert_eq!(s["parameters"]["processes"].as_str(), Some("2"));
    let result = &v["details"]["rows"][0]["results"][0];
    // The sum of the rates is close to the total count divided by the longer time.
    let (rate, count, seconds) =
        (result["rate"].as_f64().unwrap(), result["count"].as_f64().unwrap(), result["seconds"].as_f64().unwrap());
    assert!((0.5..2.0).contains(&(rate / (count * 64.0 / seconds))), "{result}");
}

#[test]
fn data_of_all_kinds() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("data");
    fs::write(&file, b"some bytes").unwrap();
    for data in ["zero", "random", file.to_str().unwrap()] {
        let out = speed(&format!("-testmode -data {data} -size 1,100k sha256 aes-128-cbc aes-256-gcm"));
        assert_eq!(out.status.code(), Some(0), "{data}: {}", text(&out.stderr));
    }
    fs::write(&file, b"").unwrap();
    for (data, says) in [(file.to_str().unwrap(), "is empty"), ("/nonexistent/file", "No such file")] {
        let out = speed(&format!("-data {data} md5"));
        let stderr = text(&out.stderr);
        assert_eq!((out.status.code(), stderr.lines().count()), (Some(1), 1), "{stderr}");
        assert!(stderr.starts_with(&format!("hashmill: speed: {data}")) && stderr.contains(says), "{stderr}");
    }
}

#[test]
fn several_contents_take_turns() {
    let v = json("-seconds 1 -data zero,random -bytes 1000 sha256 aes-128-cbc rsa512");
    let contents = |s: &Value| (s["what"].to_string(), s["parameters"]["data"].as_str().map(String::from));
    let series: Vec<_> = v["series"].as_array().unwrap().iter().map(contents).collect();
    for what in ["sha256", "aes-128-cbc"] {
        for data in ["zero", "random"] {
            let wanted = (format!("\"{what}\""), Some(data.to_string()));
            assert_eq!(series.iter().filter(|s| **s == wanted).count(), 1, "{series:?}");
        }
    }
    let pairings = v["pairings"].as_array().unwrap();
    // Keys have no contents.
    assert_eq!(pairings.len(), 2, "{pairings:?}");
    for p in pairings {
        let ratio = p["summary"]["median"].as_f64().unwrap();
        assert!((0.2..5.0).contains(&ratio), "{ratio}");
    }
    let out = text(&speed("-seconds 1 -data zero,random -bytes 1000 md5").stdout);
    assert!(out.contains("random data") && out.contains("took turns"), "{out}");
    let out = speed("-seconds 1 -data zero,random -multi 2 md5");
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out.stderr).contains("-data with several contents"), "{}", text(&out.stderr));
}

#[test]
fn a_chart() {
    let dir = tempfile::tempdir().unwrap();
    let svg = dir.path().join("a.svg");
    for args in ["-bytes 64 md5 sha1", "-size 16,256 md5", "ed25519"] {
        let out = speed(&format!("-seconds 1 -reps 2 -svg {} {args}", svg.display()));
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        assert!(fs::read_to_string(&svg).unwrap().starts_with("<svg"), "{args}");
        fs::remove_file(&svg).unwrap();
    }
}

#[test]
fn testmode_runs_everything_once() {
    let out = speed("-testmode");
    let (stdout, stderr) = (text(&out.stdout), text(&out.stderr));
    assert_eq!(out.status.code(), Some(0), "{stderr}");
    for name in ["md5", "sha3-256", "aes-128-cbc", "chacha20-poly1305", "rsa 4096 bits", " 253 bits EdDSA"] {
        assert!(stdout.lines().any(|l| l.starts_with(name)), "{name}: {stdout}");
    }
    assert!(stderr.contains(": 1 sha256's in "), "{stderr}");
}

/// The numbers must come from the code that `openssl speed` runs.
#[test]
fn libcrypto_in_process() {
    if !has_libcrypto() {
        return;
    }
    let out = speed("-testmode -bytes 64 -provider openssl sha256 hmac(sha256) aes-128-gcm rsa512 ecdsap256 ed25519");
    let stdout = text(&out.stdout);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let head = stdout.lines().next().unwrap();
    assert!(head.starts_with(concat!("version: ", env!("CARGO_PKG_VERSION"), " timing OpenSSL ")), "{head}");
    assert_eq!(stdout.lines().filter(|l| l.ends_with(' ') || l.ends_with('k')).count(), 3, "{stdout}");
    let v = json("-testmode -bytes 64 -provider openssl aes-128-cbc");
    assert_eq!(v["series"][0]["by"].as_str(), Some("openssl"));
}

#[test]
fn rustcryptos_digests() {
    let v = json("-testmode -bytes 64 -provider rustcrypto sha256");
    assert_eq!(v["series"][0]["by"].as_str(), Some("rustcrypto"));
    let out = speed("-testmode -bytes 64 -provider rustcrypto crc32 md5");
    assert_eq!(out.status.code(), Some(1));
    assert_eq!(notes(&out).len(), 1, "{:?}", notes(&out));
    assert!(text(&out.stdout).contains("\nmd5 "), "{}", text(&out.stdout));
}

#[test]
fn peers_take_turns() {
    let out = speed("-seconds 1 -bytes 64 -peer rustcrypto sha256");
    let stdout = text(&out.stdout);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let (_, table) = stdout.split_once("\n\n").unwrap();
    let row: Vec<&str> = table.lines().nth(2).unwrap().split_whitespace().collect();
    // sha256 64 N MB/s N MB/s ratio [low, high] rustcrypto
    assert_eq!((row[0], row[1], row[row.len() - 1]), ("sha256", "64", "rustcrypto"), "{table}");
    let ratio: f64 = row[6].parse().unwrap();
    let low: f64 = row[7].trim_matches(['[', ',']).parse().unwrap();
    let high: f64 = row[8].trim_matches(']').parse().unwrap();
    assert!(0.0 < low && low <= ratio && ratio <= high, "{table}");
    assert!(table.lines().last().unwrap().starts_with("rustcrypto: RustCrypto "), "{table}");
}

#[test]
fn peers_for_ciphers_and_keys() {
    if !has_libcrypto() {
        return;
    }
    let v = json("-seconds 1 -bytes 64 -peer openssl,php,rustcrypto aes-128-cbc ed25519 hmac(sha1)");
    let pairings = v["pairings"].as_array().unwrap();
    // RustCrypto does not have the HMAC.
    let mut found = Vec::new();
    for p in pairings {
        let (a, b) = (&v["series"][p["a"].as_u64().unwrap() as usize], &v["series"][p["b"].as_u64().unwrap() as usize]);
        assert_eq!(a["what"], b["what"]);
        found.push([&a["what"], &a["by"], &b["by"]].map(|s| s.as_str().unwrap().to_string()));
        let n = p["ratios"].as_array().unwrap().len();
        check_series(a, n);
        check_series(b, n);
    }
    let expected = [
        ["hmac(sha1)", "hashmill", "openssl"],
        ["aes-128-cbc", "aws-lc", "openssl"],
        ["aes-128-cbc", "aws-lc", "rustcrypto"],
        ["ed25519 sign", "aws-lc", "openssl"],
        ["ed25519 sign", "aws-lc", "rustcrypto"],
        ["ed25519 verify", "aws-lc", "openssl"],
        ["ed25519 verify", "aws-lc", "rustcrypto"],
    ];
    assert_eq!(found, expected);
}

/// The output names the code that ran: the library and its version, and RustCrypto's crate for keys that AWS-LC does
/// not have.
#[test]
fn whose_ciphers_and_keys_ran() {
    let ran = |args: &str| {
        let out = speed(&format!("-testmode -bytes 64 {args}"));
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        let stdout = text(&out.stdout);
        let head = stdout.lines().next().unwrap().to_string();
        (head, stdout.lines().find(|l| l.starts_with("options: ")).unwrap().to_string())
    };
    let (head, options) = ran("aes-128-cbc rsa2048");
    assert_eq!(head, concat!("version: ", env!("CARGO_PKG_VERSION")));
    assert!(options.contains(" aes-128-cbc(AWS-LC ") && options.contains(" rsa2048(AWS-LC "), "{options}");
    let (head, options) = ran("-provider aws-lc chacha20-poly1305");
    assert!(head.contains(" timing AWS-LC ") && options.contains(" chacha20-poly1305(AWS-LC "), "{head} {options}");
    let (head, options) = ran("-provider rustcrypto aes-128-gcm");
    assert!(head.contains(" timing RustCrypto aes-gcm "), "{head}");
    assert!(options.contains(" aes-128-gcm(RustCrypto aes-gcm "), "{options}");
    let (_, options) = ran("-primes 3 rsa2048 ed25519");
    assert!(options.contains(" rsa2048(RustCrypto rsa ") && options.contains(" ed25519(AWS-LC "), "{options}");
    let out = speed("-testmode -primes 3 -provider aws-lc rsa2048");
    assert_eq!(out.status.code(), Some(1));
    let [note] = &notes(&out)[..] else { panic!("{:?}", notes(&out)) };
    assert!(note.contains(": AWS-LC ") && note.ends_with(" has no rsa2048 key with 3 primes"), "{note}");
    let out = speed("-testmode -provider aws-lc -seconds 1");
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    assert!(!text(&out.stdout).contains("\nsha256"), "{}", text(&out.stdout));
}

#[test]
fn what_peers_lack_is_said_once() {
    let out = speed("-testmode -peer rustcrypto,coreutils xxh64");
    assert_eq!(notes(&out), ["hashmill: speed: xxh64: rustcrypto, coreutils do not have it"]);
    assert_eq!(out.status.code(), Some(0));
    let out = command("-testmode -peer go,rustcrypto md5").env("PATH", "/nonexistent").output().unwrap();
    assert_eq!(notes(&out).len(), 1, "{:?}", notes(&out));
    assert!(notes(&out)[0].starts_with("hashmill: speed: peer go: "), "{:?}", notes(&out));
    assert_eq!(out.status.code(), Some(1));
    assert!(text(&out.stdout).contains("  rustcrypto\n"), "{}", text(&out.stdout));
}

#[test]
fn options_without_effect_say_so() {
    let out = speed("-testmode -engine x -async_jobs 4 -mb -rand a -mlock -provider legacy md5");
    assert_eq!(out.status.code(), Some(0));
    let notes = notes(&out);
    assert_eq!(notes.len(), 6, "{notes:?}");
    assert!(notes.iter().all(|n| n.contains("' has no effect: ")), "{notes:?}");
}

#[test]
fn bad_input_is_one_line_and_2() {
    for args in [
        "sha265", "md5 sha265 sha1", "-seconds 0", "-seconds 99999999", "-seconds x", "-bytes 0", "-bytes 9999999999",
        "-size 5,0 md5", "-size 5,,6 md5", "-multi 0", "-threads 0", "-reps 0", "-nope", "-evp aes-128-cbc -aead",
        "-hmac crc32", "-provider aws-lc md5", "-peer perl md5", "-peer go -multi 2 md5", "-style 4 md5",
        "-primes 1 rsa512",
    ] {
        let out = speed(args);
        let stderr = text(&out.stderr);
        assert_eq!((out.status.code(), stderr.lines().count()), (Some(2), 1), "speed {args}: {stderr}");
        assert!(out.stdout.is_empty() && stderr.starts_with("hashmill: speed: "), "{stderr}");
    }
    let near = text(&speed("aes-128-bcb").stderr);
    assert!(near.contains("did you mean aes-128-cbc"), "{near}");
}

#[test]
fn help_names_every_option() {
    let help = text(&speed("-help").stdout);
    for option in [
        "help", "mr", "multi", "threads", "primes", "style", "evp", "hmac", "decrypt", "aead", "provider", "elapsed",
        "seconds", "bytes", "size", "data", "misalign", "testmode", "reps", "long", "peer", "json", "svg", "save",
        "db", "engine", "async_jobs", "mb", "cmac", "rand", "writerand", "provider-path", "propquery", "mlock",
        "config", "kem-algorithms", "signature-algorithms",
    ] {
        assert!(help.contains(&format!(" -{option}")), "{option}");
    }
    assert!(help.contains("Examples:\n"));
}

/// Returns the child processes, found by their parent's number in /proc.
#[cfg(target_os = "linux")]
fn children(of: &Child) -> Vec<u32> {
    let is_child = |pid: u32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let parent: u32 = stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()?;
        (parent == of.id()).then_some(pid)
    };
    let all = fs::read_dir("/proc").unwrap().filter_map(|e| e.ok()?.file_name().to_str()?.parse().ok());
    all.filter_map(is_child).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn a_child_that_dies_is_named() {
    let mut child =
        command("-seconds 3 -multi 2 -bytes 64 -mr md5").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut found = Vec::new();
    for _ in 0..200 {
        found = children(&child);
        if found.len() == 2 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    found.sort_unstable();
    assert!(Command::new("kill").args(["-KILL", &found[0].to_string()]).status().unwrap().success());
    let _ = child.try_wait();
    let out = child.wait_with_output().unwrap();
    let (stdout, notes) = (text(&out.stdout), notes(&out));
    assert_eq!((out.status.code(), notes.len()), (Some(1), 1), "{notes:?}");
    let line = &notes[0];
    assert!(line.contains(&format!("(process {}) ended with signal: 9", found[0])), "{line}");
    // The sum is the rate of the remaining child.
    let got: Vec<&str> = stdout.lines().filter(|l| l.starts_with("Got: +F:3:md5:")).collect();
    let sum = stdout.lines().last().unwrap();
    assert!(sum.starts_with("+F:3:md5:"), "{stdout}");
    assert_eq!(got.len(), 1, "{stdout}");
    assert!(got[0].starts_with(&format!("Got: {sum} from ")), "{stdout}");
}

#[cfg(unix)]
#[test]
fn interrupt_during_turns_shows_what_there_is() {
    let mut child = command("-seconds 60 -bytes 64 -json -peer rustcrypto md5 sha1")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1500));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let mut text = String::new();
    std::io::Read::read_to_string(child.stdout.as_mut().unwrap(), &mut text).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let v: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((v["interrupted"].as_bool(), v["series"].as_array().unwrap().len()), (Some(true), 2));
    assert!(!v["pairings"][0]["ratios"].as_array().unwrap().is_empty());
}
