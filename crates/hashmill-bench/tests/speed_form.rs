//! The lines of `hashmill speed` beside those of the real `openssl speed`: one parser reads both, and every line must be
//! what a formatter with OpenSSL's formats makes of what was read.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::Read;
use std::process::{Command, Stdio};

struct Output {
    stdout: Vec<String>,
    stderr: Vec<String>,
    status: Option<i32>,
}

fn output(mut command: Command) -> Output {
    let out = command.env_remove("HASHMILL_KERNEL").output().unwrap();
    let lines = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().lines().map(str::to_string).collect();
    Output { stdout: lines(out.stdout), stderr: lines(out.stderr), status: out.status.code() }
}

fn ours(args: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hashmill-bench"));
    command.arg("speed").args(args.split_whitespace());
    output(command)
}

/// OpenSSL 3.0 or 3.1, whose lines ours are; nothing where it is missing.
fn openssl(args: &str) -> Option<Output> {
    let version = Command::new("openssl").arg("version").output().ok()?;
    let version = String::from_utf8_lossy(&version.stdout).trim().to_string();
    if !version.starts_with("OpenSSL 3.0.") && !version.starts_with("OpenSSL 3.1.") {
        return None;
    }
    let mut command = Command::new("openssl");
    command.arg("speed").args(args.split_whitespace());
    Some(output(command))
}

/// What was measured, without the numbers that differ from run to run.
#[derive(Debug, PartialEq, Eq)]
enum Line {
    /// `Doing md5 for 1s on 64 size blocks: N md5's in 1.00s`
    Doing {
        name: String,
        seconds: u32,
        bytes: u32,
    },
    /// `+DT:md5:1:64`
    MachineDoing {
        name: String,
        seconds: u32,
        bytes: u32,
    },
    /// `+R:N:md5:0.990000`
    MachineDone {
        name: String,
    },
    Elapsed,
    /// `version`, `built on` …: the word before the colon.
    Head(String),
    Numbers,
    /// `type             16 bytes …`
    Sizes(Vec<u32>),
    /// `md5             104721.31k …`: how many columns.
    Row {
        name: String,
        columns: usize,
    },
    /// `+H:16:64`
    MachineSizes(Vec<u32>),
    /// `+F:3:md5:104721309.09`
    MachineRow {
        index: u32,
        name: String,
        columns: usize,
    },
    Forked(u32),
    Got(Box<Line>, u32),
}

fn parse(line: &str) -> Line {
    let (parsed, formatted) = read(line).unwrap_or_else(|| panic!("not a line of openssl speed: '{line}'"));
    assert_eq!(formatted, line, "the line has another form");
    parsed
}

/// The line, and what OpenSSL's format makes of the values read from it.
fn read(line: &str) -> Option<(Line, String)> {
    if let Some(rest) = line.strip_prefix("Doing ") {
        let (head, tail) = rest.split_once(": ")?;
        let words: Vec<&str> = head.split(' ').collect();
        let [name, "for", seconds, "on", bytes, "size", "blocks"] = words[..] else {
            return None;
        };
        let (seconds, bytes) = (seconds.strip_suffix('s')?.parse().ok()?, bytes.parse().ok()?);
        let (count, after) = tail.split_once(' ')?;
        let count: u64 = count.parse().ok()?;
        let time: f64 = after.strip_prefix(name)?.strip_prefix("'s in ")?.strip_suffix('s')?.parse().ok()?;
        let again = format!("Doing {name} for {seconds}s on {bytes} size blocks: {count} {name}'s in {time:.2}s");
        return Some((Line::Doing { name: name.into(), seconds, bytes }, again));
    }
    if let Some(rest) = line.strip_prefix("+DT:") {
        let fields: Vec<&str> = rest.split(':').collect();
        let [name, seconds, bytes] = fields[..] else {
            return None;
        };
        let (seconds, bytes) = (seconds.parse().ok()?, bytes.parse().ok()?);
        let again = format!("+DT:{name}:{seconds}:{bytes}");
        return Some((Line::MachineDoing { name: name.into(), seconds, bytes }, again));
    }
    if let Some(rest) = line.strip_prefix("+R:") {
        let fields: Vec<&str> = rest.split(':').collect();
        let [count, name, time] = fields[..] else { return None };
        let (count, time): (u64, f64) = (count.parse().ok()?, time.parse().ok()?);
        return Some((Line::MachineDone { name: name.into() }, format!("+R:{count}:{name}:{time:.6}")));
    }
    if let Some(rest) = line.strip_prefix("+H:") {
        let sizes: Vec<u32> = rest.split(':').map(|s| s.parse().ok()).collect::<Option<_>>()?;
        let again = sizes.iter().fold("+H".to_string(), |s, n| format!("{s}:{n}"));
        return Some((Line::MachineSizes(sizes), again));
    }
    if let Some(rest) = line.strip_prefix("+F:") {
        let mut fields = rest.split(':');
        let (index, name): (u32, &str) = (fields.next()?.parse().ok()?, fields.next()?);
        let rates: Vec<f64> = fields.map(|r| r.parse().ok()).collect::<Option<_>>()?;
        let again = rates.iter().fold(format!("+F:{index}:{name}"), |s, r| format!("{s}:{r:.2}"));
        return Some((Line::MachineRow { index, name: name.into(), columns: rates.len() }, again));
    }
    if let Some(rest) = line.strip_prefix("Forked child ") {
        let n = rest.parse().ok()?;
        return Some((Line::Forked(n), format!("Forked child {n}")));
    }
    if let Some(rest) = line.strip_prefix("Got: ") {
        let (inner, n) = rest.rsplit_once(" from ")?;
        let n = n.parse().ok()?;
        return Some((Line::Got(Box::new(parse(inner)), n), format!("Got: {inner} from {n}")));
    }
    match line {
        "You have chosen to measure elapsed time instead of user CPU time." => {
            return Some((Line::Elapsed, line.into()));
        }
        "The 'numbers' are in 1000s of bytes per second processed." => return Some((Line::Numbers, line.into())),
        _ => {}
    }
    for word in ["version", "built on", "options", "compiler", "CPUINFO"] {
        if line.starts_with(&format!("{word}: ")) {
            return Some((Line::Head(word.into()), line.into()));
        }
    }
    let mut words = line.split_whitespace();
    let name = words.next()?;
    let words: Vec<&str> = words.collect();
    if name == "type" {
        let sizes: Vec<u32> = words.chunks(2).map(|w| w[0].parse().ok()).collect::<Option<_>>()?;
        let again = sizes.iter().fold("type        ".to_string(), |s, n| format!("{s}{n:7} bytes"));
        return Some((Line::Sizes(sizes), again));
    }
    let mut again = format!("{name:<13}");
    for word in &words {
        again += &match word.strip_suffix('k') {
            Some(rate) => format!(" {:11.2}k", rate.parse::<f64>().ok()?),
            None => format!(" {:11.2} ", word.parse::<f64>().ok()?),
        };
    }
    Some((Line::Row { name: name.into(), columns: words.len() }, again))
}

/// Both must say the same things in the same order; children's records on stderr may mix.
fn compare(args: &str) {
    let mine = ours(args);
    assert_eq!(mine.status, Some(0), "{:?}", mine.stderr);
    let lines = |lines: &[String]| lines.iter().map(|l| parse(l)).collect::<Vec<_>>();
    let (stdout, mut stderr) = (lines(&mine.stdout), lines(&mine.stderr));
    let Some(theirs) = openssl(args) else {
        println!("skipped: no OpenSSL 3.0 or 3.1 to compare `openssl speed {args}` with");
        return;
    };
    assert_eq!(theirs.status, Some(0), "{:?}", theirs.stderr);
    let mut expected = lines(&theirs.stderr);
    if args.contains("-multi") {
        stderr.sort_by_key(|l| format!("{l:?}"));
        expected.sort_by_key(|l| format!("{l:?}"));
    }
    assert_eq!(stdout, lines(&theirs.stdout), "stdout of speed {args}");
    assert_eq!(stderr, expected, "stderr of speed {args}");
}

#[test]
fn human() {
    compare("-seconds 1 -bytes 64 md5 sha256");
}

#[test]
fn human_all_sizes() {
    compare("-seconds 1 sha1");
}

#[test]
fn machine() {
    compare("-seconds 1 -bytes 64 -mr sha256 md5 sha1");
}

#[test]
fn elapsed() {
    compare("-seconds 1 -bytes 1000 -elapsed sha512");
}

#[test]
fn evp() {
    compare("-seconds 1 -bytes 64 -evp SHA2-256 md5");
}

#[test]
fn multi() {
    compare("-seconds 1 -bytes 64 -multi 2 sha256 md5");
}

#[test]
fn multi_machine() {
    compare("-seconds 1 -bytes 64 -multi 2 -mr -evp sha3-256");
}

#[test]
fn group_and_misalignment() {
    compare("-seconds 1 -bytes 16384 -misalign 3 sha");
}

#[test]
fn json() {
    let out = ours("-seconds 1 -bytes 64 --json md5");
    let v: serde_json::Value = serde_json::from_str(&out.stdout.join("\n")).unwrap();
    let cell = &v["algorithms"][0]["results"][0];
    assert_eq!((v["algorithms"][0]["name"].as_str(), cell["bytes"].as_u64()), (Some("md5"), Some(64)));
    let (count, seconds) = (cell["count"].as_f64().unwrap(), cell["seconds"].as_f64().unwrap());
    let rate = cell["bytes_per_second"].as_f64().unwrap();
    assert!((count * 64.0 / seconds / rate - 1.0).abs() < 1e-9);
    assert_eq!((v["divisor"].as_str(), v["interrupted"].as_bool()), (Some("user"), Some(false)));
}

#[test]
fn kernel_override() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hashmill-bench"));
    command.args(["speed", "-seconds", "1", "-bytes", "64", "--json", "sha256"]);
    let out = command.env("HASHMILL_KERNEL", "portable").output().unwrap();
    let v: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(v["algorithms"][0]["kernel"].as_str(), Some("portable"));
}

#[test]
fn bad_input_is_one_line_and_2() {
    for args in
        ["sha265", "-seconds 0", "-seconds x", "-bytes 0", "-bytes 9999999999", "-multi 0", "-engine e md5", "-nope"]
    {
        let out = ours(args);
        assert_eq!((out.status, out.stdout.len(), out.stderr.len()), (Some(2), 0, 1), "speed {args}: {:?}", out.stderr);
        assert!(out.stderr[0].starts_with("hashmill: speed: "), "{}", out.stderr[0]);
    }
}

#[cfg(unix)]
fn interrupted(args: &str) -> (String, Option<i32>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hashmill-bench"));
    command.arg("speed").args(args.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(2500));
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    (text, child.wait().unwrap().code())
}

/// A row of md5 with fewer columns than sizes.
#[cfg(unix)]
fn is_partial(line: &Line) -> bool {
    matches!(line, Line::MachineRow { index: 3, name, columns: 1..6 } if name == "md5")
}

#[cfg(unix)]
#[test]
fn interrupt_prints_what_there_is() {
    let (text, status) = interrupted("-seconds 2 -mr md5 sha1");
    let lines: Vec<Line> = text.lines().map(parse).collect();
    assert_eq!(lines[0], Line::MachineSizes(vec![16, 64, 256, 1024, 8192, 16384]));
    assert!(lines.len() == 2 && is_partial(&lines[1]), "{text}");
    assert_eq!(status, Some(130));
}

#[cfg(unix)]
#[test]
fn interrupt_reaches_children() {
    let (text, status) = interrupted("-seconds 2 -mr -multi 2 md5 sha1");
    assert!(text.lines().last().is_some_and(|l| is_partial(&parse(l))), "{text}");
    assert_eq!(status, Some(130));
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hashmill-bench"));
    command
        .args(["speed", "-seconds", "1", "-bytes", "16", "-mr", "md5"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let mut text = String::new();
    child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(text.lines().all(|l| l.starts_with('+')), "{text}");
}
