//! Tests `hashmill bench files` as a whole: the exact rounds table, exact byte counts, and all the ways in which a file
//! can turn out to have changed.

use hashmill_measure::bare;
use hashmill_testing::executable;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

struct Ran {
    status: Option<i32>,
    stdout: String,
    /// Lines on stderr, without warnings, which depend on the machine.
    stderr: Vec<String>,
}

fn files(dir: &Path, args: &str) -> Ran {
    let mut command = bare::command(executable());
    command.args(["bench", "files"]).arg(dir).args(args.split_whitespace());
    let out = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let stderr = text(out.stderr);
    let stderr = stderr.lines().filter(|l| !l.contains(": warning: ")).map(str::to_string).collect();
    Ran { status: out.status.code(), stdout: text(out.stdout), stderr }
}

/// Creates files of these lengths, `0.jpg`, `1.jpg` …, with different bytes.
fn fill(dir: &Path, lengths: &[usize]) {
    for (i, len) in lengths.iter().enumerate() {
        let bytes: Vec<u8> = (0..*len).map(|j| (j * 31 + i) as u8).collect();
        fs::write(dir.join(format!("{i}.jpg")), bytes).unwrap();
    }
}

/// Returns the name and the seconds of every row below this heading.
fn table(text: &str, heading: &str) -> Vec<(String, Vec<f64>)> {
    let mut lines = text.lines().skip_while(|l| *l != heading).skip(1);
    let head = lines.next().unwrap_or_else(|| panic!("no '{heading}' in\n{text}"));
    let rounds = head.matches("Round ").count();
    let expected: Vec<String> = (1..=rounds).map(|r| format!("Round {r}")).collect();
    let words: Vec<&str> = head.split_whitespace().collect();
    assert_eq!(words.join(" "), format!("Function {}", expected.join(" ")));
    let row = |l: &str| {
        let mut words = l.split_whitespace();
        let name = words.next().unwrap().to_string();
        let seconds: Vec<f64> = words
            .map(|w| {
                assert_eq!(w.split_once('.').unwrap().1.len(), 6, "{l}");
                w.parse().unwrap()
            })
            .collect();
        assert_eq!(seconds.len(), rounds, "{l}");
        (name, seconds)
    };
    lines.take_while(|l| !l.is_empty()).map(row).collect()
}

#[test]
fn the_rounds_table() {
    let dir = tempfile::tempdir().unwrap();
    // Empty, small, exactly one piece, and several pieces.
    let lengths = [0, 1, 5000, 262_144, 262_145, 700_000];
    fill(dir.path(), &lengths);
    fs::create_dir_all(dir.path().join("below/deep")).unwrap();
    fs::write(dir.path().join("below/deep/x.JPG"), b"x").unwrap();
    let bytes = 2 * (lengths.iter().sum::<usize>() + 1);
    let run = files(dir.path(), "--reps 2");
    assert_eq!((run.status, run.stderr.len()), (Some(0), 0), "{:?}", run.stderr);
    let names = ["MD5", "SHA-512", "Skein-512", "Keccak-512", "JH-512", "Grøstl-512", "BLAKE-512"];
    let heading = format!("Seconds spent hashing 7 files ({bytes} bytes)");
    let lanes = format!("{heading} in lanes, up to 14 at once; the clock runs around the whole mill");
    assert!(run.stdout.starts_with(&format!("{heading}\nFunction")), "{}", run.stdout);
    for heading in [&heading, &lanes] {
        let rows = table(&run.stdout, heading);
        assert_eq!(rows.iter().map(|r| &*r.0).collect::<Vec<_>>(), names);
        assert!(rows.iter().all(|r| r.1.len() == 2 && r.1.iter().all(|s| *s > 0.0)), "{rows:?}");
    }
    assert!(run.stdout.contains("\nSource and copy are the same: 7 of 7 files\n"), "{}", run.stdout);
    for line in ["Wall time: ", "CPU: "] {
        assert!(run.stdout.lines().any(|l| l.starts_with(line)), "{line}\n{}", run.stdout);
    }
    if cfg!(target_os = "linux") {
        for line in ["Peak load: ", "Peak resident memory: "] {
            assert!(run.stdout.lines().any(|l| l.starts_with(line)), "{line}\n{}", run.stdout);
        }
    }
    // The summary's median lies within its interval.
    let rows: Vec<Vec<&str>> = run
        .stdout
        .lines()
        .filter(|l| l.contains(" streams ") || l.contains(" lanes  "))
        .map(|l| l.split_whitespace().collect())
        .filter(|f: &Vec<&str>| f.len() == 9 || f.len() == 8)
        .collect();
    assert_eq!(rows.len(), 14, "{}", run.stdout);
    for row in rows {
        let n = |i: usize| row[i].parse::<f64>().unwrap();
        assert!(0.0 < n(3) && n(3) <= n(2) && n(2) <= n(5) && row[4] == "to" && n(6) > 0.0 && n(7) > 0.0, "{row:?}");
    }
}

#[test]
fn raw_samples_add_up() {
    let dir = tempfile::tempdir().unwrap();
    let out = tempfile::tempdir().unwrap();
    fill(dir.path(), &[10, 20_000, 300_000]);
    let raw = out.path().join("raw.tsv");
    let run = files(dir.path(), &format!("-a md5,sha256 -a blake3 --reps 3 --raw {}", raw.display()));
    assert_eq!(run.status, Some(0), "{:?}", run.stderr);
    let heading = "Seconds spent hashing 3 files (640020 bytes)";
    let rows = table(&run.stdout, heading);
    assert_eq!(rows.iter().map(|r| &*r.0).collect::<Vec<_>>(), ["MD5", "SHA-256", "blake3"]);
    let text = fs::read_to_string(&raw).unwrap();
    let mut sums: BTreeMap<(String, usize), (f64, u64, usize)> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let f: Vec<&str> = line.split('\t').collect();
        assert!(f.len() == 7 && ["source", "copy"].contains(&f[2]) && f[5].is_empty(), "{line}");
        let sum = sums.entry((f[0].to_string(), f[1].parse().unwrap())).or_default();
        *sum = (sum.0 + f[3].parse::<f64>().unwrap() / 1e9, sum.1 + f[4].parse::<u64>().unwrap(), sum.2 + 1);
    }
    assert_eq!(sums.len(), 9);
    for ((name, round), (seconds, bytes, samples)) in sums {
        assert_eq!((bytes, samples), (640_020, 6));
        let row = ["md5", "sha256", "blake3"].iter().position(|n| *n == name).unwrap();
        assert!((rows[row].1[round - 1] - seconds).abs() < 1e-6, "{name} {round}");
    }
    assert_eq!(fs::read_dir(out.path()).unwrap().count(), 1);
}

#[test]
fn json_and_chart() {
    let dir = tempfile::tempdir().unwrap();
    let out = tempfile::tempdir().unwrap();
    fill(dir.path(), &[5000, 5000]);
    let svg = out.path().join("a.svg");
    let run = files(dir.path(), &format!("-a md5,sha1 --reps 6 --json --svg {}", svg.display()));
    assert_eq!(run.status, Some(0), "{:?}", run.stderr);
    let v: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let series = v["series"].as_array().unwrap();
    let modes: Vec<(&str, &str)> =
        series.iter().map(|s| (s["what"].as_str().unwrap(), s["mode"].as_str().unwrap())).collect();
    let stream = "one stream";
    assert_eq!(modes, [("md5", stream), ("sha1", stream), ("md5", "lanes"), ("sha1", "lanes")]);
    for s in series {
        assert_eq!((s["bytes"].as_u64(), s["samples"].as_array().unwrap().len()), (Some(20_000), 6));
        let (low, high) =
            (s["summary"]["interval"][0].as_f64().unwrap(), s["summary"]["interval"][1].as_f64().unwrap());
        let median = s["summary"]["median"].as_f64().unwrap();
        assert!(0.0 < low && low <= median && median <= high);
    }
    assert_eq!((v["details"]["files"].as_u64(), v["details"]["same_in_source_and_copy"].as_u64()), (Some(2), Some(2)));
    let svg = fs::read_to_string(svg).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("MD5") && svg.contains("lanes"), "{svg}");
}

#[test]
fn a_real_copy_is_verified() {
    let (a, b) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fill(a.path(), &[10, 300_000, 5000]);
    fill(b.path(), &[10, 300_000, 5000]);
    let args = format!("-a sha1,md5 --reps 2 --copy {}", b.path().display());
    let run = files(a.path(), &args);
    assert_eq!((run.status, run.stderr.len()), (Some(0), 0), "{:?}", run.stderr);
    assert!(run.stdout.contains("the same: 3 of 3 files"));
    // A flipped bit, and an extra byte.
    let mut bytes = fs::read(b.path().join("1.jpg")).unwrap();
    bytes[299_999] ^= 1;
    fs::write(b.path().join("1.jpg"), &bytes).unwrap();
    fs::write(b.path().join("0.jpg"), [0; 11]).unwrap();
    let run = files(a.path(), &args);
    assert_eq!((run.status, run.stderr.len()), (Some(1), 2), "{:?}", run.stderr);
    let sha1: hashmill::Algorithm = "sha1".parse().unwrap();
    let source = sha1.digest(&fs::read(a.path().join("1.jpg")).unwrap());
    let copy = sha1.digest(&bytes);
    assert_eq!(
        run.stderr[1],
        format!("hashmill: bench files: 1.jpg: sha1: the source's digest is {source}, the copy's {copy}")
    );
    assert!(run.stdout.starts_with("Seconds spent hashing 3 files (610021 bytes)\n"), "{}", run.stdout);
    assert!(run.stdout.contains("the same: 1 of 3 files"), "{}", run.stdout);
    // A copy that does not exist, and one that cannot be read: both are left out, and the other files are measured.
    fs::remove_file(b.path().join("0.jpg")).unwrap();
    fs::remove_file(b.path().join("1.jpg")).unwrap();
    fs::create_dir(b.path().join("1.jpg")).unwrap();
    let run = files(a.path(), &args);
    assert_eq!((run.status, run.stderr.len()), (Some(1), 2), "{:?}", run.stderr);
    for (line, (name, why)) in
        run.stderr.iter().zip([("0.jpg", "no such file or directory"), ("1.jpg", "is a directory")])
    {
        assert_eq!(*line, format!("hashmill: bench files: {}: the copy: {why}", b.path().join(name).display()));
    }
    assert!(run.stdout.starts_with("Seconds spent hashing 1 files (10000 bytes)\n"), "{}", run.stdout);
    assert!(run.stdout.contains("the same: 1 of 3 files\nLeft out of the sums: 2 of 3 files\n"), "{}", run.stdout);
}

/// Ends another thread's loop, even if the test panics.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

#[test]
fn a_file_that_grows_is_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let out = tempfile::tempdir().unwrap();
    fill(dir.path(), &[2_000_000]);
    let log = dir.path().join("log");
    fs::write(&log, b"begin").unwrap();
    let (raw, done) = (out.path().join("raw"), AtomicBool::new(false));
    let run = std::thread::scope(|scope| {
        let _stop = Stop(&done);
        scope.spawn(|| {
            let mut file = fs::OpenOptions::new().append(true).open(&log).unwrap();
            while !done.load(Relaxed) {
                file.write_all(b"more").unwrap();
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        files(dir.path(), &format!("-a md2,md5 --reps 3 --raw {}", raw.display()))
    });
    assert_eq!(run.status, Some(1), "{:?}", run.stderr);
    let told = format!("hashmill: bench files: {}: changed between rounds: it had ", log.display());
    assert!(run.stderr.len() == 1 && run.stderr[0].starts_with(&told), "{:?}", run.stderr);
    assert!(run.stdout.starts_with("Seconds spent hashing 1 files (4000000 bytes)\n"), "{}", run.stdout);
    assert!(run.stdout.contains("\nLeft out of the sums: 1 of 2 files\n"), "{}", run.stdout);
    let marked = |l: &&str| l.ends_with("\tlog");
    let text = fs::read_to_string(raw).unwrap();
    assert!(text.lines().filter(marked).count() == 12 && text.lines().filter(marked).all(|l| l.contains("\tout\t")));
}

#[test]
fn batches_and_extensions() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path(), &[5000, 6000, 7000]);
    fs::write(dir.path().join("a.JPEG"), [1; 100]).unwrap();
    fs::write(dir.path().join("a.txt"), [1; 100]).unwrap();
    fs::write(dir.path().join("jpg"), [1; 100]).unwrap();
    // Each file alone, then some together, then all at once.
    for (batch, at_once) in [("1", 1), ("16200", 3), ("1M", 8)] {
        let run = files(dir.path(), &format!("-a md5,sha3-256 --reps 1 --ext jpg,.jpeg --memory {batch}"));
        assert_eq!((run.status, run.stderr.len()), (Some(0), 0), "{:?}", run.stderr);
        let heading = "Seconds spent hashing 4 files (36200 bytes)";
        assert_eq!(table(&run.stdout, heading).len(), 2);
        let lanes = format!("{heading} in lanes, up to {at_once} at once; the clock runs around the whole mill");
        assert_eq!(table(&run.stdout, &lanes).len(), 2);
    }
}

#[test]
fn nothing_to_hash() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().display();
    let missing = dir.path().join("missing");
    let file = dir.path().join("file");
    let check = |dir: &Path, args: &str, line: String| {
        let run = files(dir, args);
        assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""));
        assert_eq!(run.stderr, [format!("hashmill: bench files: {line}")]);
    };
    check(dir.path(), "", format!("{path}: no files in it"));
    check(&missing, "", format!("{}: no such file or directory", missing.display()));
    fs::write(&file, b"x").unwrap();
    check(&file, "", format!("{}: not a folder", file.display()));
    check(dir.path(), "--ext jpg,.png", format!("{path}: no files with the extension .jpg .png in it"));
    check(
        dir.path(),
        &format!("--copy {}", missing.display()),
        format!("{}: no such file or directory", missing.display()),
    );
    for args in ["--reps 0", "--memory x", "-a nonesuch"] {
        assert_eq!(files(dir.path(), args).status, Some(2), "{args}");
    }
    let run = files(dir.path(), "-a md5 --reps 1 --memory 8000000000G");
    assert_eq!((run.status, run.stderr.len()), (Some(2), 1), "{:?}", run.stderr);
}

#[cfg(target_os = "linux")]
#[test]
fn odd_names() {
    use std::os::unix::ffi::OsStrExt;
    let (dir, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for name in [&b"a\nb"[..], b"\xff\xfe.jpg", b"tab\there", b"-a"] {
        let name = std::ffi::OsStr::from_bytes(name);
        fs::write(dir.path().join(name), [7; 99]).unwrap();
    }
    std::os::unix::fs::symlink("/etc/passwd", dir.path().join("link")).unwrap();
    // The records of copies to here are no photos.
    fs::create_dir(dir.path().join(".hashmill")).unwrap();
    fs::write(dir.path().join(".hashmill/catalogue.sqlite"), [7; 99]).unwrap();
    let raw = copy.path().join("raw");
    let run = files(dir.path(), &format!("-a md5 --reps 1 --raw {}", raw.display()));
    assert_eq!((run.status, run.stderr.len()), (Some(0), 0), "{:?}", run.stderr);
    assert!(run.stdout.starts_with("Seconds spent hashing 4 files (792 bytes)\n"), "{}", run.stdout);
    let raw = fs::read_to_string(raw).unwrap();
    assert!(raw.lines().count() == 9 && raw.lines().all(|l| l.split('\t').count() == 7), "{raw}");
    // One line for each file, whatever its name.
    let run = files(dir.path(), &format!("-a md5 --reps 1 --copy {}", copy.path().display()));
    assert_eq!((run.status, run.stderr.len(), run.stdout.as_str()), (Some(1), 4, ""), "{:?}", run.stderr);
}

#[test]
fn an_interrupt_shows_whole_rounds() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path(), &[100_000, 200_000]);
    let mut command = bare::command(executable());
    command.args(["bench", "files", "-a", "md5,sha1", "--reps", "1000"]).arg(dir.path());
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let child = command.spawn().unwrap();
    std::thread::sleep(Duration::from_millis(700));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let out = child.wait_with_output().unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    assert_eq!(out.status.code(), Some(130), "{text}");
    let rows = table(&text, "Seconds spent hashing 2 files (600000 bytes)");
    assert!(rows.len() == 2 && rows[0].1.len() == rows[1].1.len() && !rows[0].1.is_empty());
}
