//! Tests `hashmill bench io` as a whole, and its counting allocator.

use hashmill_bench::{CountingAllocator, Counts};
use hashmill_measure::bare;
use hashmill_testing::executable;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::hint::black_box;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn command(args: &[&str], files: &[&Path]) -> Command {
    let mut command = bare::command(executable());
    command.args(["bench", "io"]).args(args).args(files);
    command
}

fn io(args: &[&str], files: &[&Path]) -> Output {
    command(args, files).stdin(Stdio::null()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Returns the lines on stderr, except warnings and the lines about what could not be measured.
fn lines(out: &Output) -> Vec<String> {
    let others = ["warning:", "not measured:"];
    text(&out.stderr).lines().filter(|l| !others.iter().any(|o| l.contains(o))).map(str::to_string).collect()
}

/// Creates a directory whose files are on a device, if there is one.
fn directory() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn data(dir: &Path, name: &str, len: usize) -> PathBuf {
    let mut x = 1u32;
    let mut next = || {
        x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (x >> 24) as u8
    };
    fs::write(dir.join(name), (0..len).map(|_| next()).collect::<Vec<u8>>()).unwrap();
    dir.join(name)
}

#[test]
fn allocations_are_counted_to_the_byte() {
    assert!(CountingAllocator::installed());
    let counted = |bytes, allocations| Counts { bytes, allocations };
    let (v, counts) = CountingAllocator::counted(|| Vec::<u64>::with_capacity(100));
    assert_eq!((v.capacity(), counts), (100, counted(800, 1)));
    assert_eq!(CountingAllocator::counted(|| black_box(vec![0u8; 4096])).1, counted(4096, 1));
    // A reallocation counts with its new size; freed memory is not subtracted.
    let grow = || {
        let mut v = Vec::<u8>::with_capacity(10);
        v.reserve_exact(30);
        drop(black_box(v));
    };
    assert_eq!(CountingAllocator::counted(grow).1, counted(40, 2));
    assert_eq!(CountingAllocator::counted(|| black_box(1)).1, counted(0, 0));
    // Other threads are not counted; they can count their own allocations at the same time.
    let inner = || CountingAllocator::counted(|| black_box(vec![0u8; 1000])).1;
    std::thread::scope(|s| {
        let other = s.spawn(move || (0..1000).all(|_| inner() == counted(1000, 1)));
        for _ in 0..1000 {
            assert_eq!(inner(), counted(1000, 1));
        }
        assert!(other.join().unwrap());
    });
}

#[test]
fn every_way_is_measured() {
    let dir = directory();
    let size = (1 << 20) + 13;
    let file = data(dir.path(), "photo", size);
    let out = io(&["--reps", "6", "--json"], &[&file]);
    assert_eq!((out.status.code(), lines(&out)), (Some(0), Vec::new()));
    let v: Value = serde_json::from_slice(&out.stdout).unwrap();
    let f = &v["details"]["files"][0];
    assert_eq!((f["size"].as_u64(), f["algorithm"].as_str()), (Some(size as u64), Some("md5")));
    let rows = f["rows"].as_array().unwrap();
    let skipped = f["not_measured"].as_array().unwrap().iter().map(|s| s.as_str().unwrap()).collect::<Vec<_>>();
    let find = |way: &str, state: &str| rows.iter().find(|r| r["way"] == way && r["state"] == state);
    let cold = !skipped.iter().any(|s| s.starts_with("cold"));
    let file_ways = ["whole", "copy 32 KiB", "copy 4 KiB", "buffered 4 KiB", "pread 256 KiB", "mmap", "io_uring"];
    for way in file_ways {
        for state in ["warm", "cold"] {
            let there = !skipped.iter().any(|s| s.starts_with(way)) && (cold || state == "warm");
            assert_eq!(find(way, state).is_some(), there, "{way}, {state}, {skipped:?}");
        }
    }
    assert_eq!(find("O_DIRECT", "direct").is_some(), !skipped.iter().any(|s| s.starts_with("O_DIRECT")), "{skipped:?}");
    for way in ["read all", "streaming 32 KiB", "streaming 4 KiB", "streaming 256 KiB"] {
        assert!(find(way, "pipe").is_some() && find(way, "tcp").is_some(), "{way}");
    }
    for row in rows {
        let r = &row["mb_per_s"];
        let (low, high) = (r["interval"][0].as_f64().unwrap(), r["interval"][1].as_f64().unwrap());
        let median = r["median"].as_f64().unwrap();
        assert!(0.0 < low && low <= median && median <= high, "{row}");
        assert_eq!(r["n"], 6, "{row}");
        assert!(row["peak_rss"].is_null() || row["peak_rss"].as_u64().unwrap() > 100_000, "{row}");
        if row["state"] == "cold" {
            let left = row["pages_left"].as_f64().unwrap();
            assert!(left <= 0.01 || text(&out.stderr).contains("stayed in the page cache"), "{row}");
        }
    }
    // The bytes are the buffers of each way, plus what the hasher needs.
    let bytes = |way: &str, state: &str| find(way, state).unwrap()["bytes_per_op"].as_f64().unwrap() as usize;
    assert_eq!(bytes("whole", "warm"), size);
    for (way, buffer) in [("copy 32 KiB", 32 << 10), ("copy 4 KiB", 4 << 10), ("pread 256 KiB", 256 << 10)] {
        assert!((buffer..buffer + 1024).contains(&bytes(way, "warm")), "{way}: {}", bytes(way, "warm"));
    }
    assert_eq!(bytes("mmap", "warm"), 0);
    let all = find("read all", "pipe").unwrap();
    assert!(bytes("read all", "pipe") >= size && all["bytes_per_op_of_half"].as_u64().unwrap() as usize >= size / 2);
    // Time, bytes, allocations and memory of each are series; pairings are of times.
    let series = v["series"].as_array().unwrap();
    assert!(series.len() >= 3 * rows.len());
    let units: BTreeSet<&str> = series.iter().map(|s| s["unit"].as_str().unwrap()).collect();
    assert_eq!(units, BTreeSet::from(["bytes", "count", "nanoseconds"]));
    for p in v["pairings"].as_array().unwrap() {
        let unit = |side: &str| series[p[side].as_u64().unwrap() as usize]["unit"].as_str().unwrap().to_string();
        assert_eq!((unit("a"), unit("b")), ("nanoseconds".into(), "nanoseconds".into()));
    }
}

#[test]
fn the_table_concludes_and_the_chart_is_drawn() {
    let dir = directory();
    let file = data(dir.path(), "photo", 300_000);
    let svg = dir.path().join("chart.svg");
    let out = io(&["--reps", "3", "-a", "crc32", "--warm-only", "--svg", svg.to_str().unwrap()], &[&file]);
    assert_eq!((out.status.code(), lines(&out)), (Some(0), Vec::new()));
    let table = text(&out.stdout);
    assert!(table.lines().next().unwrap().contains("photo: 300000 bytes into crc32"), "{table}");
    assert!(!table.contains("cold"), "{table}");
    for part in ["warm: ", "pipe: ", "tcp: ", "Only 3 rounds", "of the time of", "read all allocates", "against 32"] {
        assert!(table.contains(part), "{part}\n{table}");
    }
    let whole: Vec<&str> = table.lines().find(|l| l.starts_with("whole")).unwrap().split_whitespace().collect();
    assert_eq!((whole[1], whole[6], whole[7]), ("warm", "300000", "1"), "{table}");
    assert!(fs::read_to_string(svg).unwrap().contains("MB/s"));
}

#[test]
fn go_lines_are_go_lines() {
    let dir = directory();
    let (a, b) = (data(dir.path(), "a b", 5000), data(dir.path(), "c", 1));
    let out = io(&["--go", "--reps", "2"], &[&a, &b]);
    assert_eq!((out.status.code(), lines(&out)), (Some(0), Vec::new()));
    let stdout = text(&out.stdout);
    let (header, benchmarks): (Vec<&str>, Vec<&str>) = stdout.lines().partition(|l| !l.starts_with("Benchmark"));
    let keys: Vec<&str> = header.iter().map(|l| l.split(' ').next().unwrap()).collect();
    assert_eq!(keys, ["goos:", "goarch:", "pkg:", "cpu:"]);
    let mut names = BTreeSet::new();
    for line in &benchmarks {
        let fields: Vec<&str> = line.split('\t').collect();
        assert_eq!(fields.len(), 6, "{line}");
        let (name, procs) = fields[0].rsplit_once('-').unwrap();
        assert!(procs.parse::<u32>().unwrap() > 0 && !name.contains(char::is_whitespace), "{line}");
        assert!(fields[1].parse::<u64>().unwrap() > 0, "{line}");
        for (field, unit) in fields[2..].iter().zip(["ns/op", "MB/s", "B/op", "allocs/op"]) {
            let (value, u) = field.split_once(' ').unwrap();
            assert!(u == unit && value.parse::<f64>().unwrap() >= 0.0, "{line}");
        }
        names.insert(name);
    }
    // Two samples each, for both files.
    assert_eq!(benchmarks.len(), 2 * names.len());
    for way in ["ReadWhole/warm", "ReadCopy32KiB/warm", "ReadMmap/warm", "ReadAll/pipe", "Streaming4KiB/tcp"] {
        let of = names.iter().filter(|n| n.starts_with(&format!("Benchmark{way}/file="))).count();
        assert_eq!(of, 2, "{way}: {names:?}");
    }
}

#[test]
fn what_cannot_be_read_is_told_and_the_rest_goes_on() {
    let dir = directory();
    let good = data(dir.path(), "good", 10_000);
    let empty = data(dir.path(), "empty", 0);
    let missing = dir.path().join("missing");
    let device = Path::new("/dev/zero");
    let out = io(&["--reps", "1", "--warm-only"], &[dir.path(), &missing, &empty, device, &good]);
    let said = lines(&out);
    assert_eq!((out.status.code(), said.len()), (Some(1), 4), "{said:?}");
    for (line, part) in said.iter().zip(["is a directory", "No such file", "is empty", "is not a regular file"]) {
        assert!(line.starts_with("hashmill: bench io: ") && line.contains(part), "{line}");
    }
    assert!(text(&out.stdout).contains("10000 bytes into md5"));
    assert_eq!(io(&["-a", "nonesuch"], &[&good]).status.code(), Some(2));
    assert_eq!(io(&["--go", "--json"], &[&good]).status.code(), Some(2));
    assert_eq!(io(&[], &[]).status.code(), Some(2));
}

#[test]
fn standard_input_is_kept_without_a_name() {
    let dir = directory();
    let mut child = command(&["--reps", "2", "--json"], &[Path::new("-")])
        .env("TMPDIR", dir.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"hello").unwrap();
    let out = child.wait_with_output().unwrap();
    let said = lines(&out);
    assert_eq!((out.status.code(), said.len()), (Some(0), 1), "{said:?}");
    assert!(said[0].contains("its 5 bytes are measured as a file without a name in"), "{said:?}");
    let v: Value = serde_json::from_slice(&out.stdout).unwrap();
    let f = &v["details"]["files"][0];
    assert_eq!(f["digest"], "5d41402abc4b2a76b9719d911017c592");
    assert!(f["rows"].as_array().unwrap().iter().any(|r| r["way"] == "read all" && r["state"] == "pipe"));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

/// Starts a long run of the command on `file`, and returns it with what it has printed on stderr so far.
fn measuring(file: &Path) -> (Child, Vec<u8>) {
    let mut child = command(&["--reps", "1000000", "--warm-only"], &[file])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The note about the duration appears once every way has been measured once.
    let stderr = child.stderr.as_mut().unwrap();
    let mut said = Vec::new();
    let mut byte = [0];
    while !text(&said).contains("rounds take about") {
        assert_eq!(stderr.read(&mut byte).unwrap(), 1, "{}", text(&said));
        said.push(byte[0]);
    }
    (child, said)
}

#[test]
fn a_file_that_shrinks_is_an_error_and_no_crash() {
    let dir = directory();
    let file = data(dir.path(), "shrinks", 4 << 20);
    let other = data(dir.path(), "other", 1000);
    let (mut child, mut said) = measuring(&file);
    std::thread::sleep(Duration::from_millis(50));
    fs::File::options().write(true).open(&file).unwrap().set_len(100).unwrap();
    let status = child.wait().unwrap();
    child.stderr.take().unwrap().read_to_end(&mut said).unwrap();
    let said = text(&said);
    assert_eq!(status.code(), Some(1), "{said}");
    let errors: Vec<&str> = said.lines().filter(|l| l.contains("changed while it was measured")).collect();
    assert_eq!(errors.len(), 1, "{said}");
    assert_eq!(io(&["--reps", "1"], &[&other]).status.code(), Some(0));
}

#[test]
fn an_interrupt_shows_what_there_is() {
    let dir = directory();
    let file = data(dir.path(), "photo", 1 << 20);
    let (mut child, _) = measuring(&file);
    // Leave time for a round.
    std::thread::sleep(Duration::from_secs(1));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let mut table = String::new();
    child.stdout.take().unwrap().read_to_string(&mut table).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(table.lines().any(|l| l.starts_with("whole")), "{table}");
}
