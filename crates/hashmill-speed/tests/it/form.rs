//! Compares the output of `hashmill speed` with that of the real `openssl speed`: one parser reads both, and every line
//! must be what OpenSSL's format strings produce from the values that were read.

use hashmill_measure::bare;
use hashmill_testing::executable;
use std::io::Read;
use std::process::{Child, Command, Stdio};

struct Output {
    stdout: Vec<String>,
    stderr: Vec<String>,
    status: Option<i32>,
}

/// Returns whether a line is a warning about the machine, which is not part of the compared output.
fn is_warning(line: &str) -> bool {
    line.starts_with("hashmill: speed: warning: ")
}

fn output(child: Child) -> Output {
    let out = child.wait_with_output().unwrap();
    let lines = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).unwrap();
        text.lines().filter(|l| !is_warning(l)).map(str::to_string).collect()
    };
    Output { stdout: lines(out.stdout), stderr: lines(out.stderr), status: out.status.code() }
}

fn spawn(program: &str, args: &str) -> Child {
    let mut command = bare::command(program);
    command.arg("speed").args(args.split_whitespace());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn ours(args: &str) -> Output {
    output(spawn(executable(), args))
}

/// Starts OpenSSL 3.0 or 3.1, whose output ours imitates. Returns `None` if it is missing.
fn openssl(args: &str) -> Option<Child> {
    let version = bare::command("openssl").arg("version").output().ok()?;
    let version = String::from_utf8_lossy(&version.stdout).trim().to_string();
    if !version.starts_with("OpenSSL 3.0.") && !version.starts_with("OpenSSL 3.1.") {
        return None;
    }
    Some(spawn("openssl", args))
}

/// A line of output, without the numbers that differ between runs.
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
    /// `md5 104721.31k …`: the name and the number of columns.
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
    /// `Doing 512 bits private rsa's for 1s: N 512 bits private RSA's in 1.00s`, without the count and the time.
    DoingKey(String),
    /// `+DTP:512:private:rsa:1`
    MachineDoingKey(String),
    /// `+R8:N:253:Ed25519:0.93`, without the count and the time.
    MachineKeyDone(String),
    /// `+F2:0:512:N:N`: what precedes the rates, and their number.
    MachineKey(String, usize),
    /// `                  sign    verify    sign/s verify/s`
    KeyHeader(String),
    /// `rsa 512 bits 0.000028s 0.000002s 35241.0 610935.0`: the key, the decimals of the seconds, the number of
    /// columns.
    Key(String, usize, usize),
    Forked(u32),
    Got(Box<Line>, u32),
}

fn parse(line: &str) -> Line {
    let (parsed, formatted) = read(line).unwrap_or_else(|| panic!("not a line of openssl speed: '{line}'"));
    assert_eq!(formatted, line, "the line has another form");
    parsed
}

/// Parses a line. Returns its meaning, and the line that OpenSSL's format produces from the values read.
fn read(line: &str) -> Option<(Line, String)> {
    if let Some(rest) = line.strip_prefix("Doing ") {
        let (head, tail) = rest.split_once(": ")?;
        if head.contains(" bits ") {
            let (count, after) = tail.split_once(' ')?;
            let (what, time) = after.split_once(" in ")?;
            let (time, blank) = time.split_once('s')?;
            let (count, time): (u64, f64) = (count.parse().ok()?, time.parse().ok()?);
            let again = format!("Doing {head}: {count} {what} in {time:.2}s{blank}");
            return Some((Line::DoingKey(format!("{head}: N {what} in{blank}|")), again));
        }
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
    if let Some(rest) = line.strip_prefix("+DTP:") {
        return Some((Line::MachineDoingKey(rest.into()), line.into()));
    }
    if line.starts_with("+R") && !line.starts_with("+R:") {
        let fields: Vec<&str> = line.split(':').collect();
        let [number, count, key @ .., time] = &fields[..] else { return None };
        let (count, time): (u64, f64) = (count.parse().ok()?, time.parse().ok()?);
        let key = key.join(":");
        return Some((Line::MachineKeyDone(format!("{number}:{key}")), format!("{number}:{count}:{key}:{time:.2}")));
    }
    if line.starts_with("+F") && !line.starts_with("+F:") {
        let fields: Vec<&str> = line.split(':').collect();
        let is_rate = |f: &&&str| f.contains('.');
        let rates: Vec<f64> = fields.iter().filter(is_rate).map(|f| f.parse().ok()).collect::<Option<_>>()?;
        let key = fields[..fields.len() - rates.len()].join(":");
        let again = rates.iter().fold(key.clone(), |s, r| format!("{s}:{r:.6}"));
        return Some((Line::MachineKey(key, rates.len()), again));
    }
    if line.trim_start().starts_with("sign ") {
        return Some((Line::KeyHeader(line.into()), line.into()));
    }
    if line.starts_with("rsa ") || line.contains(" bits ecdsa (") || line.contains(" bits EdDSA (") {
        let at = if line.starts_with("rsa ") { line.find(" bits")? + 5 } else { line.find(')')? + 1 };
        let (key, numbers) = line.split_at(at);
        let digits = numbers.split_once('.')?.1.find('s')?;
        let mut again = key.to_string();
        for n in numbers.split_whitespace() {
            again += &match n.strip_suffix('s') {
                Some(seconds) => format!(" {:8.digits$}s", seconds.parse::<f64>().ok()?),
                None => format!(" {:8.1}", n.parse::<f64>().ok()?),
            };
        }
        return Some((Line::Key(key.into(), digits, numbers.split_whitespace().count()), again));
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

/// Checks that both programs print the same lines in the same order, except that records of children on stderr may be
/// interleaved.
fn compare(args: &str) {
    // Run both at once, because only the format of their lines matters.
    let theirs = openssl(args);
    let mine = ours(args);
    assert_eq!(mine.status, Some(0), "{:?}", mine.stderr);
    let lines = |lines: &[String]| lines.iter().map(|l| parse(l)).collect::<Vec<_>>();
    let (stdout, mut stderr) = (lines(&mine.stdout), lines(&mine.stderr));
    let Some(theirs) = theirs.map(output) else {
        assert!(
            std::env::var_os("HASHMILL_TEST_REQUIRE_PEERS").is_none_or(|v| v != "1"),
            "no OpenSSL 3.0 or 3.1 to compare with"
        );
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
fn order_of_rows() {
    compare("-seconds 1 -bytes 64 -mr -evp SHA2-256 -hmac sha256 rmd160 sha512 md5 aes-128-cbc");
}

#[test]
fn elapsed() {
    compare("-seconds 1 -bytes 1000 -elapsed sha512");
}

#[test]
fn keys() {
    compare("-seconds 1 -bytes 64 rsa512 ecdsap256 ed25519");
}

#[test]
fn keys_machine() {
    compare("-seconds 1 -bytes 64 -mr ed25519 aes-256-cbc ecdsap256 rsa512");
}

#[test]
fn hmac() {
    compare("-seconds 1 -bytes 64 hmac");
}

#[test]
fn aead() {
    compare("-seconds 1 -evp aes-128-gcm -aead");
}

#[test]
fn aead_decrypting() {
    compare("-seconds 1 -bytes 136 -mr -evp chacha20-poly1305 -aead -decrypt");
}

#[test]
fn decrypting() {
    compare("-seconds 1 -bytes 64 -evp aes-128-cbc -decrypt");
}

#[test]
fn multi() {
    compare("-seconds 1 -bytes 64 -multi 2 sha256 md5 rsa512");
}

#[test]
fn multi_machine() {
    compare("-seconds 1 -bytes 64 -multi 2 -mr -evp aes-128-ctr ed25519 ecdsap256");
}

#[test]
fn misalignment() {
    compare("-seconds 1 -bytes 16384 -misalign 3 sha1 aes-192-cbc");
}

/// Replaces each decimal of every number with a decimal point by `#`, the digits before the point by one `#`, and runs
/// of blanks by one blank.
fn masked(line: &str) -> String {
    let one = |word: &str| {
        let number = word.trim_end_matches(['s', 'k']);
        match number.split_once('.') {
            Some((a, b)) if !a.is_empty() && !b.is_empty() && a.parse::<u64>().is_ok() && b.parse::<u64>().is_ok() => {
                format!("#.{}{}", "#".repeat(b.len()), &word[number.len()..])
            }
            _ => word.to_string(),
        }
    };
    let end = if line.ends_with(' ') { " " } else { "" };
    let words: Vec<String> = line.split_whitespace().map(one).collect();
    words.join(" ") + end
}

/// Returns the lines printed for every row in a style: `-testmode` prints the same lines as a long run.
fn said(args: &str) -> (Vec<String>, Vec<String>) {
    let out = ours(&format!("-testmode -seconds 3 -bytes 64 {args}"));
    assert_eq!(out.status, Some(0), "{:?}", out.stderr);
    (out.stdout, out.stderr.iter().map(|l| masked(l)).collect())
}

const ONE_OF_EACH: &str = "sha256 hmac aes-128-cbc rsa512 ecdsap256 ed25519";

#[test]
fn style_of_1_1_1() {
    let (stdout, stderr) = said(&format!("-style 1.1.1 -evp aes-128-gcm {ONE_OF_EACH}"));
    assert_eq!(
        stderr,
        [
            "Doing sha256 for 3s on 64 size blocks: 1 sha256's in #.##s",
            "Doing hmac(md5) for 3s on 64 size blocks: 1 hmac(md5)'s in #.##s",
            "Doing aes-128 cbc for 3s on 64 size blocks: 1 aes-128 cbc's in #.##s",
            "Doing aes-128-gcm for 3s on 64 size blocks: 1 aes-128-gcm's in #.##s",
            "Doing 512 bits private rsa's for 3s: 1 512 bits private RSA's in #.##s",
            "Doing 512 bits public rsa's for 3s: 1 512 bits public RSA's in #.##s",
            "Doing 256 bits sign ecdsa's for 3s: 1 256 bits ECDSA signs in #.##s ",
            "Doing 256 bits verify ecdsa's for 3s: 1 256 bits ECDSA verify in #.##s",
            "Doing 253 bits sign Ed25519's for 3s: 1 253 bits Ed25519 signs in #.##s ",
            "Doing 253 bits verify Ed25519's for 3s: 1 253 bits Ed25519 verify in #.##s",
        ]
    );
    assert!(stdout[0].starts_with(concat!("hashmill ", env!("CARGO_PKG_VERSION"), "  ")), "{}", stdout[0]);
    for (line, start) in stdout[1..4].iter().zip(["built on: ", "options: ", "compiler: "]) {
        assert!(line.starts_with(start), "{line}");
    }
    assert_eq!(
        stdout[4..6],
        ["The 'numbers' are in 1000s of bytes per second processed.", "type             64 bytes"]
    );
    let names: Vec<_> = stdout[6..10].iter().map(|l| l[..13].trim_end()).collect();
    assert_eq!(names, ["hmac(md5)", "aes-128 cbc", "aes-128-gcm", "sha256"]);
    assert_eq!(stdout[10], "                  sign    verify    sign/s verify/s");
    assert_eq!(masked(&stdout[11]), "rsa 512 bits #.######s #.######s #.# #.#");
    assert_eq!(stdout[12], "                              sign    verify    sign/s verify/s");
    assert_eq!(masked(&stdout[13]), "256 bits ecdsa (nistp256) #.####s #.####s #.# #.#");
    assert_eq!(masked(&stdout[15]), "253 bits EdDSA (Ed25519) #.####s #.####s #.# #.#");
    assert_eq!(stdout.len(), 16);
}

#[test]
fn style_of_3_2() {
    let (stdout, stderr) = said(&format!("-style 3.2 {ONE_OF_EACH}"));
    assert_eq!(
        stderr,
        [
            "Doing sha256 ops for 3s on 64 size blocks: 1 sha256 ops in #.##s",
            "Doing hmac(sha256) ops for 3s on 64 size blocks: 1 hmac(sha256) ops in #.##s",
            "Doing aes-128-cbc ops for 3s on 64 size blocks: 1 aes-128-cbc ops in #.##s",
            "Doing 512 bits private rsa sign ops for 3s: 1 512 bits private RSA sign ops in #.##s",
            "Doing 512 bits public rsa verify ops for 3s: 1 512 bits public RSA verify ops in #.##s",
            "Doing 512 bits public rsa encrypt ops for 3s: 1 512 bits public RSA encrypt ops in #.##s",
            "Doing 512 bits private rsa decrypt ops for 3s: 1 512 bits private RSA decrypt ops in #.##s",
            "Doing 256 bits sign ecdsa ops for 3s: 1 256 bits ECDSA sign ops in #.##s",
            "Doing 256 bits verify ecdsa ops for 3s: 1 256 bits ECDSA verify ops in #.##s",
            "Doing 253 bits sign Ed25519 ops for 3s: 1 253 bits Ed25519 sign ops in #.##s ",
            "Doing 253 bits verify Ed25519 ops for 3s: 1 253 bits Ed25519 verify ops in #.##s",
        ]
    );
    assert_eq!(stdout[0], concat!("version: ", env!("CARGO_PKG_VERSION")));
    assert!(stdout[4].starts_with("CPUINFO: "), "{}", stdout[4]);
    assert_eq!(
        stdout[10],
        "                   sign    verify    encrypt   decrypt   sign/s verify/s  encr./s  decr./s"
    );
    assert!(stdout[11].starts_with("rsa   512 bits "), "{}", stdout[11]);
    assert_eq!(masked(&stdout[11]), "rsa 512 bits #.######s #.######s #.######s #.######s #.# #.# #.# #.#");
    assert_eq!(stdout.len(), 16);
}

#[test]
fn records_of_3_2() {
    let (stdout, stderr) = said(&format!("-style 3.2 -mr {ONE_OF_EACH}"));
    let fixed = |line: &String| {
        let fields: Vec<&str> = line.split(':').map(|f| if f.contains('.') { "#" } else { f }).collect();
        fields.join(":")
    };
    assert_eq!(
        stderr.iter().map(fixed).collect::<Vec<_>>(),
        [
            "+DT:sha256:3:64",
            "+R:1:sha256:#",
            "+DT:hmac(sha256):3:64",
            "+R:1:hmac(sha256):#",
            "+DT:aes-128-cbc:3:64",
            "+R:1:aes-128-cbc:#",
            "+DTP:512:private:rsa sign:3",
            "+R1:1:512:#",
            "+DTP:512:public:rsa verify:3",
            "+R2:1:512:#",
            "+DTP:512:public:rsa encrypt:3",
            "+R3:1:512:#",
            "+DTP:512:private:rsa decrypt:3",
            "+R4:1:512:#",
            "+DTP:256:sign:ecdsa:3",
            "+R7:1:256:#",
            "+DTP:256:verify:ecdsa:3",
            "+R8:1:256:#",
            "+DTP:253:sign:Ed25519:3",
            "+R10:1:253:Ed25519:#",
            "+DTP:253:verify:Ed25519:3",
            "+R11:1:253:Ed25519:#",
        ]
    );
    assert_eq!(
        stdout.iter().map(fixed).collect::<Vec<_>>(),
        [
            "+H:64", "+F:6:sha256:#", "+F:9:hmac(sha256):#", "+F:19:aes-128-cbc:#", "+F2:0:512:#:#:#:#",
            "+F4:3:256:#:#", "+F6:0:253:Ed25519:#:#",
        ]
    );
}

#[test]
fn numbers_of_1_1_1() {
    let (stdout, _) = said(&format!("-style 1.1.1 -mr -evp sha1 {ONE_OF_EACH}"));
    let rows: Vec<String> = stdout.iter().map(|l| l.split(':').take(3).collect::<Vec<_>>().join(":")).collect();
    let expected = [
        "+H:64", "+F:4:hmac(md5)", "+F:16:aes-128 cbc", "+F:22:sha1", "+F:23:sha256", "+F2:0:512", "+F4:3:256",
        "+F6:0:253",
    ];
    assert_eq!(rows, expected);
}

#[cfg(unix)]
fn interrupted(args: &str) -> (String, Option<i32>) {
    let mut command = bare::command(executable());
    command.arg("speed").args(args.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(2500));
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    (text, child.wait().unwrap().code())
}

/// Returns whether this is a row of md5 with fewer columns than sizes.
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
    let mut command = bare::command(executable());
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
