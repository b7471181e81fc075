//! Tests `hashmill bench loops` as a whole: the exact lines of the survey, digests that another program confirms, peers
//! that are missing, wrong or dying, and interrupts.

use hashmill::Algorithm;
use hashmill_measure::bare;
use hashmill_testing::executable;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

fn command(args: &str) -> Command {
    let mut command = bare::command(executable());
    command.args(["bench", "loops"]).args(args.split_whitespace());
    command
}

struct Ran {
    status: Option<i32>,
    stdout: String,
    /// Lines on stderr, without warnings, which depend on the machine.
    stderr: Vec<String>,
}

fn ran(out: Output) -> Ran {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let stderr = text(out.stderr);
    let stderr = stderr.lines().filter(|l| !l.contains(": warning: ")).map(str::to_string).collect();
    Ran { status: out.status.code(), stdout: text(out.stdout), stderr }
}

fn loops(args: &str) -> Ran {
    ran(command(args).output().unwrap())
}

fn json(args: &str) -> Value {
    let run = loops(&format!("{args} --json"));
    assert_eq!(run.status, Some(0), "{:?}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}

/// Returns whether PHP is installed. Panics if the environment requires PHP and it is not.
fn php() -> bool {
    let there = bare::command("php").args(["-n", "-v"]).stdout(Stdio::null()).status().is_ok_and(|s| s.success());
    if !there {
        assert!(std::env::var_os("HASHMILL_TEST_REQUIRE_PEERS").is_none(), "no php");
        println!("skipped: no php");
    }
    there
}

#[test]
fn the_surveys_lines() {
    let run = loops("md5 crc32 haval256-5 sha3-512 --size 5,90 --loops 7 --reps 1 --seed 1");
    assert_eq!((run.status, run.stderr.len()), (Some(0), 0), "{:?}", run.stderr);
    let blocks: Vec<&str> = run.stdout.split("\n\n").collect();
    assert_eq!(blocks.len(), 2);
    for (block, size) in blocks.iter().zip([5, 90]) {
        let lines: Vec<&str> = block.lines().collect();
        assert_eq!(lines[0], format!("7 iterations on {size} bytes message"));
        assert_eq!(lines[1], format!("SplitMix64 with seed 1: {size} bytes"));
        assert_eq!(lines.len(), 6);
        for (line, (name, digits)) in
            lines[2..].iter().zip([("md5", 32), ("crc32", 8), ("haval256-5", 64), ("sha3-512", 128)])
        {
            let fields: Vec<&str> = line.split('\t').collect();
            assert_eq!((fields.len(), fields[0]), (3, &*format!("{name:<15}")), "{line:?}");
            let seconds = fields[1].strip_suffix(" sec ").unwrap();
            assert_eq!(seconds.split_once('.').unwrap().1.len(), 6, "{line:?}");
            assert!(seconds.parse::<f64>().unwrap() >= 0.0);
            assert!(fields[2].len() == digits && fields[2].bytes().all(|b| b.is_ascii_hexdigit()), "{line:?}");
        }
    }
}

#[test]
fn messages_are_drawn_once() {
    let v = json("md5 sha1 blake3 adler32 --size 5,30,1000 --loops 3 --reps 2");
    let details = &v["details"];
    let messages: Vec<Vec<u8>> =
        details["messages"].as_array().unwrap().iter().map(|m| bytes(m.as_str().unwrap())).collect();
    assert_eq!(messages.iter().map(Vec::len).collect::<Vec<_>>(), [5, 30, 1000]);
    let rows = details["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 12);
    for row in rows {
        let a: Algorithm = row["algorithm"].as_str().unwrap().parse().unwrap();
        let message = messages.iter().find(|m| m.len() as u64 == row["bytes"].as_u64().unwrap()).unwrap();
        assert_eq!(row["digest"].as_str().unwrap(), a.digest(message).to_hex());
    }
    let series = v["series"].as_array().unwrap();
    assert_eq!(series.len(), 12);
    for s in series {
        assert_eq!((s["unit"].as_str(), s["samples"].as_array().unwrap().len()), (Some("seconds"), 2));
        let s = &s["summary"];
        let (low, high) = (s["interval"][0].as_f64().unwrap(), s["interval"][1].as_f64().unwrap());
        let median = s["median"].as_f64().unwrap();
        assert!(0.0 < low && low <= median && median <= high, "{s}");
    }
    // The bytes come from the system, so another run has other messages. With a seed, a size has the same message
    // whatever other sizes there are.
    let again = json("md5 --size 30 --loops 1 --reps 1");
    assert_ne!(again["details"]["messages"][0], details["messages"][1]);
    let a = json("md5 --size 30 --loops 1 --reps 1 --seed 7");
    let b = json("md5 sha1 --size 5,30 --loops 2 --reps 1 --seed 7");
    assert_eq!(a["details"]["messages"][0], b["details"]["messages"][1]);
    assert_ne!(a["details"]["messages"][0], again["details"]["messages"][0]);
}

#[test]
fn php_confirms_every_digest() {
    if !php() {
        return;
    }
    let v = json("--size 5,90,1000 --loops 1 --reps 1");
    let details = &v["details"];
    let mut script = String::from("$m = [];");
    for m in details["messages"].as_array().unwrap() {
        let hex = m.as_str().unwrap();
        script += &format!("$m[{}] = hex2bin('{hex}');", hex.len() / 2);
    }
    let mut expected = Vec::new();
    script += "$have = hash_algos();";
    for row in details["rows"].as_array().unwrap() {
        if let Some(name) = row["php_name"].as_str() {
            let size = &row["bytes"];
            script +=
                &format!("echo in_array('{name}', $have) ? hash('{name}', $m[{size}]) : 'none', ' {name}', \"\\n\";");
            expected.push((row["digest"].as_str().unwrap(), name));
        }
    }
    // 60 algorithms in PHP 8.2, in three sizes each.
    assert!(expected.len() > 150, "{}", expected.len());
    let out = bare::command("php").args(["-n", "-r", &script]).output().unwrap();
    let theirs = String::from_utf8(out.stdout).unwrap();
    assert_eq!(theirs.lines().count(), expected.len(), "{theirs}");
    for (line, (digest, name)) in theirs.lines().zip(expected) {
        if line.starts_with("none ") {
            println!("skipped: this php has no {name}");
            continue;
        }
        assert_eq!(line, format!("{digest} {name}"));
    }
}

#[test]
fn tables_and_orders() {
    let names = |format: &str, sort: &str| {
        let run = loops(&format!("sha1 md2 adler32 --size 5,5000 --loops 20 --reps 1 --format {format} --sort {sort}"));
        assert_eq!(run.status, Some(0));
        let column = |l: &str| l.split([' ', ',', '\t']).next().unwrap().to_string();
        let skip = if format == "csv" { 1 } else { 2 };
        run.stdout.lines().skip(skip).map(column).collect::<Vec<_>>()
    };
    assert_eq!(names("table", "name"), ["adler32", "md2", "sha1"]);
    assert_eq!(names("csv", "registry"), ["md2", "sha1", "adler32", "md2", "sha1", "adler32"]);
    // These two are so far apart that no noise can swap them.
    for sort in ["speed", "time"] {
        let found = names("table", sort);
        let at = |name: &str| found.iter().position(|f| f == name).unwrap();
        assert!(at("adler32") < at("md2"), "{found:?}");
    }
    let run = loops("sha1 md2 --size 90,5 --loops 20 --reps 1 --format table");
    let lines: Vec<&str> = run.stdout.lines().collect();
    let head: Vec<&str> = lines[1].split_whitespace().collect();
    assert_eq!(head, ["algorithm", "kernel", "5", "B", "90", "B", "MB/s", "cycles/byte"]);
    for line in &lines[2..] {
        let fields: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(fields.len(), 6, "{line}");
        assert!(fields[2..].iter().all(|f| f.parse::<f64>().unwrap() > 0.0), "{line}");
    }
}

/// Every requested name becomes a row of this name in all output formats.
#[test]
fn names_are_those_that_were_asked_for() {
    let digests = |args: &str| -> Vec<(String, String)> {
        let run = loops(&format!("{args} --size 5 --loops 2 --reps 1 --seed 1"));
        let row = |l: &str| {
            let fields: Vec<&str> = l.split('\t').collect();
            (fields[0].trim().to_string(), fields[2].to_string())
        };
        run.stdout.lines().skip(2).map(row).collect()
    };
    let names = |rows: &[(String, String)]| rows.iter().map(|r| r.0.clone()).collect::<Vec<_>>();
    let ours = digests("crc32b crc32 crc32-php snefru,snefru256,haval256,5 MD5 md5");
    assert_eq!(names(&ours), ["crc32b", "crc32", "crc32-php", "snefru", "snefru256", "haval256,5", "MD5"]);
    assert!(ours[0].1 == ours[1].1 && ours[1].1 != ours[2].1 && ours[3].1 == ours[4].1);
    let theirs = digests("--names php crc32b crc32 CRC32");
    assert_eq!(names(&theirs), ["crc32b", "crc32"]);
    assert!(theirs[0].1 == ours[0].1 && theirs[1].1 == ours[2].1);
    let all = digests("--names php");
    assert_eq!(all.len(), 60);
    assert!(names(&all).contains(&"tiger192,3".into()) && names(&all).contains(&"snefru256".into()));

    let table = loops("--names php crc32 crc32b --size 5 --loops 2 --reps 1 --format table");
    let rows: Vec<_> = table.stdout.lines().skip(2).filter_map(|l| l.split_whitespace().next()).collect();
    assert_eq!(rows, ["crc32", "crc32b"]);
    let csv = loops("--names php crc32 haval256,5 --size 5 --loops 2 --reps 1 --format csv");
    assert!(csv.stdout.lines().nth(1).is_some_and(|l| l.starts_with("crc32,crc32,hashmill,")), "{}", csv.stdout);
    assert!(csv.stdout.lines().nth(2).is_some_and(|l| l.starts_with("\"haval256,5\",")), "{}", csv.stdout);
    if php() {
        let run = loops("--names php crc32 crc32b --size 5 --loops 2 --reps 1 --peer-reps 6 --peer php");
        let table = run.stdout.split("against PHP").nth(1).unwrap();
        let rows: Vec<_> = table.lines().skip(2).take(2).filter_map(|l| l.split_whitespace().next()).collect();
        assert_eq!(rows, ["crc32", "crc32b"]);
    }
}

#[test]
fn beside_php() {
    if !php() {
        return;
    }
    let run = loops("md5 crc32 groestl512 --size 5,1000 --loops 10 --reps 1 --peer-reps 6 --peer php --seed 3");
    assert_eq!(run.status, Some(0), "{:?}", run.stderr);
    assert!(run.stderr.iter().any(|l| l.ends_with("does not have: groestl512")), "{:?}", run.stderr);
    let table = run.stdout.split("10 iterations on 1000 bytes message, against PHP ").nth(1).unwrap();
    let rows: Vec<Vec<&str>> = table.lines().skip(2).take(2).map(|l| l.split_whitespace().collect()).collect();
    assert_eq!((rows[0][0], rows[1][0]), ("md5", "crc32"));
    for row in &rows {
        let n = |i: usize| row[i].trim_matches(['[', ']', ',']).parse::<f64>().unwrap();
        assert!(0.0 < n(4) && n(4) <= n(3) && n(3) <= n(5), "{row:?}");
    }
    let v = json("md5 crc32 --size 5 --loops 10 --reps 1 --peer-reps 6 --peer php");
    for pairing in v["pairings"].as_array().unwrap() {
        let of = |side: &str| &v["series"][pairing[side].as_u64().unwrap() as usize];
        assert_eq!((of("a")["by"].as_str(), of("b")["by"].as_str()), (Some("hashmill"), Some("php")));
        assert_eq!(of("a")["what"], of("b")["what"]);
        assert_eq!(pairing["ratios"].as_array().unwrap().len(), of("b")["samples"].as_array().unwrap().len());
    }
    assert_eq!(v["pairings"].as_array().unwrap().len(), 2);
    // Every field of every line of CSV, with a name that contains a comma.
    let run = loops("haval256-5 --size 5 --loops 10 --reps 1 --peer-reps 6 --peer php --format csv");
    let lines: Vec<String> = run.stdout.lines().map(|l| l.replace("\"haval256,5\"", "quoted")).collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    let fields: Vec<Vec<&str>> = lines.iter().map(|l| l.split(',').collect()).collect();
    assert!(fields.iter().all(|f| f.len() == fields[0].len()), "{lines:?}");
    assert_eq!((fields[1][1], fields[2][2]), ("quoted", "php"));
}

/// Creates a stand-in for php: PHP's answers, passed through a filter.
fn stand_in(dir: &Path, pipe: &str) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = dir.join("php");
    // Not a pipeline, because the shell would keep our end of the pipe open.
    std::fs::write(&path, format!("#!/bin/bash\nexec php \"$@\" > >({pipe})\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn a_missing_peer_is_named() {
    let mut c = command("md5 --size 5 --loops 10 --reps 1 --peer-reps 6 --peer php");
    let run = ran(c.env("HASHMILL_PHP", "/nonexistent/php").output().unwrap());
    assert_eq!((run.status, run.stderr.len()), (Some(1), 1), "{:?}", run.stderr);
    assert!(run.stderr[0].starts_with("hashmill: bench loops: no php to compare with: "), "{:?}", run.stderr);
    assert_eq!(run.stdout.lines().count(), 3);
}

#[test]
fn a_wrong_digest_is_told() {
    if !php() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let wrong = stand_in(dir.path(), "sed -u 's/^[0-9a-f]\\{32\\}$/00112233445566778899aabbccddeeff/'");
    let mut c = command("md5 sha1 --size 30 --loops 10 --reps 1 --peer-reps 6 --peer php");
    let run = ran(c.env("HASHMILL_PHP", wrong).output().unwrap());
    assert_eq!((run.status, run.stderr.len()), (Some(1), 1), "{:?}", run.stderr);
    let digest = run.stdout.lines().nth(2).unwrap().rsplit('\t').next().unwrap();
    let line =
        format!("hashmill: bench loops: md5, 30 bytes: ours is {digest}, that of php 00112233445566778899aabbccddeeff");
    assert_eq!(run.stderr[0], line);
    // Only sha1 was compared.
    let table = run.stdout.split("against PHP").nth(1).unwrap();
    assert!(table.contains("\nsha1 ") && !table.contains("\nmd5 "), "{table}");
}

#[test]
fn a_dying_peer_is_left_out() {
    if !php() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    // Before the first loop, and while the loops are running.
    for answers in [3, 8] {
        let dying = stand_in(dir.path(), &format!("sed -u {answers}q"));
        let mut c = command("md5 sha1 --size 30 --loops 10 --reps 1 --peer-reps 6 --peer php");
        let run = ran(c.env("HASHMILL_PHP", dying).output().unwrap());
        assert_eq!((run.status, run.stderr.len()), (Some(1), 1), "{:?}", run.stderr);
        assert!(run.stderr[0].starts_with("hashmill: bench loops: php: md5: "), "{:?}", run.stderr);
        assert!(run.stderr[0].ends_with(": left out from here on"), "{:?}", run.stderr);
        assert_eq!(run.stdout.lines().count(), 4, "{}", run.stdout);
    }
}

#[test]
fn absurd_values() {
    for args in [
        "--loops 0", "--loops 1000000001", "--size 0", "--size 5,1073741825", "--size x", "--reps 0", "--seed -1",
        "--peer nonesuch", "--format nonesuch", "--sort nonesuch", "nonesuch",
    ] {
        let run = loops(args);
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{args}");
        assert!(!run.stderr.is_empty(), "{args}");
    }
}

#[test]
fn charts() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.svg");
    for (args, marks) in [("md5 sha1 --size 5,90", "<circle"), ("md5 sha1 --size 5", "<rect")] {
        let mut c = command(&format!("{args} --loops 10 --reps 1"));
        assert!(c.arg("--svg").arg(&path).output().unwrap().status.success());
        let svg = std::fs::read_to_string(&path).unwrap();
        assert!(svg.starts_with("<svg") && svg.contains("sha1") && svg.matches(marks).count() >= 3, "{svg}");
    }
}

#[test]
fn an_interrupt_shows_what_there_is() {
    // The first run has rows when it is interrupted; the second is in the middle of its only loop.
    for (args, rows) in [("md5 --size 5 --reps 10000 --loops 100000", 3), ("md5 --size 5 --loops 1000000000", 0)] {
        let child = command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(700));
        let pid = child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        let run = ran(child.wait_with_output().unwrap());
        assert_eq!((run.status, run.stdout.lines().count()), (Some(130), rows), "{}{:?}", run.stdout, run.stderr);
    }
}
