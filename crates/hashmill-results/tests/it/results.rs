//! Tests `--save` and `hashmill results` as a whole: runs are kept, found, exported, imported and compared; any problem
//! with a store is reported in one line.

use hashmill_measure::bare;
use hashmill_measure::run::Run;
use hashmill_results::store::Store;
use hashmill_testing::executable;
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

struct Output {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Output {
    fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap()
    }
}

fn command(dir: &Path, args: &[&str]) -> Command {
    let mut command = bare::command(executable());
    command.args(args).current_dir(dir).env("XDG_DATA_HOME", dir.join("data"));
    command
}

fn output(mut command: Command, input: &[u8]) -> Output {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().unwrap();
    // The command may not read all of it.
    let _ = child.stdin.take().unwrap().write_all(input);
    let out = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Output { status: out.status.code(), stdout: text(out.stdout), stderr: text(out.stderr) }
}

/// Runs `hashmill results ARGS` in this directory, with its own store unless `--db` says otherwise.
fn results(dir: &Path, args: &str) -> Output {
    let args: Vec<&str> = std::iter::once("results").chain(args.split_whitespace()).collect();
    output(command(dir, &args), b"")
}

fn good(dir: &Path, args: &str) -> Output {
    let out = results(dir, args);
    assert_eq!((out.status, out.stderr.as_str()), (Some(0), ""), "{args}\n{}", out.stdout);
    out
}

/// Checks that the command fails with one line that contains this text, and prints nothing else.
fn bad(dir: &Path, args: &str, what: &str) {
    let out = results(dir, args);
    assert_eq!(
        (out.status, out.stdout.as_str(), out.stderr.lines().count()),
        (Some(1), "", 1),
        "{args}\n{}",
        out.stderr
    );
    assert!(out.stderr.starts_with("hashmill: results ") && out.stderr.contains(what), "{args}\n{}", out.stderr);
}

/// Two recorded runs of `bench lanes md5 --reps 200` on a busy machine: in the first, all pairs were disturbed alike;
/// in the second, only the undisturbed pairs are left.
fn recorded() -> [Run; 2] {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/lanes-md5.json");
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Returns the same run a day later, with the speed of ours or the peer changed by a factor.
fn changed(run: &Run, series: usize, factor: f64) -> Run {
    let mut run = run.clone();
    let (date, time) = run.started.split_once('T').unwrap();
    let (month, day) = date.rsplit_once('-').unwrap();
    run.started = format!("{month}-{:02}T{time}", day.parse::<u32>().unwrap() + 1);
    run.series[series].samples.iter_mut().for_each(|s| *s *= factor);
    let ratio = if series == 0 { factor } else { 1.0 / factor };
    run.pairings[0].ratios.iter_mut().for_each(|r| *r *= ratio);
    run
}

/// Splits a run into the first and the second half of its samples.
fn halves(run: &Run) -> [Run; 2] {
    let (mut first, mut second) = (run.clone(), changed(run, 0, 1.0));
    let middle = run.series[0].samples.len() / 2;
    for i in 0..2 {
        first.series[i].samples.truncate(middle);
        second.series[i].samples.drain(..middle);
    }
    first.pairings[0].ratios.truncate(middle);
    second.pairings[0].ratios.drain(..middle);
    [first, second]
}

fn stored(dir: &Path, runs: &[Run]) {
    let mut store = Store::open(Some(&dir.join("data/hashmill/results.db"))).unwrap();
    for run in runs {
        store.save(run).unwrap();
    }
}

#[test]
fn from_save_to_compare_and_back() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    bad(dir, "list", "there is no store yet");
    let mut printed = Vec::new();
    for tag in ["a", "b"] {
        let save = format!("--save={tag}");
        let args = ["bench", "lanes", "md5", "--messages", "64", "--size", "1000", "--reps", "20", "--json", &save];
        let out = output(command(dir, &args), b"");
        assert_eq!(out.status, Some(0), "{}", out.stderr);
        assert!(out.stderr.contains(&format!("saved as run {}", printed.len() + 1)), "{}", out.stderr);
        printed.push(serde_json::from_str::<Run>(&out.stdout).unwrap());
        fs::write(dir.join(format!("{tag}.json")), &out.stdout).unwrap();
    }
    let list = good(dir, "list --json").json();
    let seen: Vec<_> = list.as_array().unwrap().iter().map(|r| (r["id"].as_i64(), r["tag"].as_str())).collect();
    assert_eq!(seen, [(Some(2), Some("b")), (Some(1), Some("a"))]);
    let text = good(dir, "list --tag a").stdout;
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(text.contains("hashmill bench lanes md5 --messages 64"), "{text}");

    // The store keeps what was printed, plus the tag.
    for (run, tag) in printed.iter().zip(["a", "b"]) {
        let shown: Run = serde_json::from_value(good(dir, &format!("show {tag} --json")).json()).unwrap();
        assert_eq!(shown, Run { tag: Some(tag.into()), ..run.clone() });
    }
    let text = good(dir, "show last~1 --svg show.svg").stdout;
    assert!(text.starts_with("run 1 \"a\", ") && text.contains("\nmd5   hashmill"), "{text}");
    assert!(text.contains("ratio of speeds"), "{text}");
    assert!(fs::read_to_string(dir.join("show.svg")).unwrap().contains("hashmill"));
    let samples = good(dir, "show last --samples").stdout;
    let of_series: usize = printed[1].series.iter().map(|s| s.samples.len()).sum();
    assert_eq!(samples.lines().count(), 1 + of_series);
    let last: f64 = samples.lines().last().unwrap().rsplit('\t').next().unwrap().parse().unwrap();
    assert_eq!(Some(&last), printed[1].series[1].samples.last());

    // Export from this store and import into another.
    for how in ["--all", "--lines a b"] {
        let exported = good(dir, &format!("export {how}")).stdout;
        let other = format!("{}.db", &how[2..5]);
        let import = command(dir, &["results", "import", "-", "--db", &other]);
        assert_eq!(output(import, exported.as_bytes()).stdout, "2 imported, 0 were there already\n");
        assert_eq!(good(dir, &format!("export {how} --db {other}")).stdout, exported);
    }
    let out = results(dir, "export a -o out.json");
    assert_eq!((out.status, out.stdout.as_str()), (Some(0), ""), "{}", out.stderr);
    assert_eq!(good(dir, "import out.json a.json b.json").stdout, "0 imported, 3 were there already\n");
    assert_eq!(good(dir, "check").stdout.split(": ").last(), Some("2 runs, all as they were kept\n"));

    // A run compared with itself, from the store or from a file, is the same.
    for args in ["compare a a --fail-if slower,faster", "compare a.json 1", "compare a.json ./a.json --threshold 1"] {
        let v = good(dir, &format!("{args} --json")).json();
        for s in v["series"].as_array().unwrap() {
            assert_eq!((s["ratio"].as_f64(), s["what"].as_str()), (Some(1.0), Some("md5")), "{v:#}");
        }
        assert_eq!((v["series"].as_array().unwrap().len(), v["against_peer"].as_array().unwrap().len()), (2, 1));
    }
    let v = good(dir, "compare a b --json --svg ratio.svg").json();
    for s in v["series"].as_array().unwrap() {
        let (low, high) = (s["interval"][0].as_f64().unwrap(), s["interval"][1].as_f64().unwrap());
        let ratio = s["ratio"].as_f64().unwrap();
        assert!(0.0 < low && low <= ratio && ratio <= high, "{s:#}");
    }
    assert!(fs::read_to_string(dir.join("ratio.svg")).unwrap().contains("against the peer"));
    let text = good(dir, "compare a b").stdout;
    let verdict = text.lines().next().unwrap();
    let counts = verdict.split(", ").map(|part| part.split(' ').next().unwrap().parse::<usize>().unwrap());
    assert_eq!(counts.sum::<usize>(), 2, "{text}");
    assert!(text.contains("\nA: run 1 \"a\", ") && text.contains("\nB: run 2 \"b\", "), "{text}");

    assert_eq!(good(dir, "delete last last~1").stdout, "deleted run 2\ndeleted run 1\n");
    let out = results(dir, "list");
    assert_eq!((out.status, out.stdout.as_str(), out.stderr.lines().count()), (Some(0), "", 1));
    bad(dir, "show", "there is no run 'last'");
    bad(dir, "compare a b", "there is no run 'a'");
}

#[test]
fn five_percent_are_found_and_fail() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let [steady, noisy] = recorded();
    let slow = changed(&steady, 0, 0.95);
    let [first, second] = halves(&noisy);
    let slow_peer = changed(&second, 1, 0.95);
    stored(dir, &[steady, slow, first, second, slow_peer]);
    let verdicts = |args: &str| {
        let v = good(dir, args).json();
        let of = |table: &str| {
            let lines = v[table].as_array().unwrap().clone();
            lines.iter().map(|l| l["verdict"].as_str().unwrap().to_string()).collect::<Vec<_>>()
        };
        (of("series"), of("against_peer"))
    };
    let all = |a: &str, b: &str, c: &str| (vec![a.to_string(), b.to_string()], vec![c.to_string()]);
    assert_eq!(verdicts("compare 1 2 --json"), all("slower", "no-change", "slower"));
    assert_eq!(verdicts("compare 2 1 --json"), all("faster", "no-change", "faster"));
    // Two halves of a run: the peer's samples are close together, but ours are not, and so the ratio is not either.
    assert_eq!(verdicts("compare 3 4 --json"), all("too-noisy", "no-change", "too-noisy"));
    assert_eq!(verdicts("compare 3 5 --json"), all("too-noisy", "slower", "too-noisy"));
    for (args, status) in [
        ("1 1 --fail-if slower:0%,faster:0%,noisy,peer-noisy", 0),
        ("1 2 --fail-if slower:3%", 1),
        ("1 2 --fail-if peer-slower:3%", 1),
        ("1 2 --fail-if slower", 1),
        ("1 2 --fail-if slower:4.9%", 1),
        ("1 2 --fail-if slower:5.1%", 0),
        ("1 2 --fail-if faster:1%", 0),
        ("1 2 --fail-if noisy", 0),
        ("2 1 --fail-if faster:3%,noisy", 1),
        ("3 4 --fail-if slower:3%", 0),
        ("3 4 --fail-if noisy", 1),
        ("3 5 --fail-if slower:3%", 1),
        ("3 5 --fail-if peer-slower:3%", 0),
        ("1 2 --fail-if slow", 2),
        ("1 2 --fail-if slower:x", 2),
        ("1 2 --threshold 300", 2),
        ("1", 2),
    ] {
        let out = results(dir, &format!("compare {args}"));
        assert_eq!(out.status, Some(status), "{args}\n{}\n{}", out.stdout, out.stderr);
        if status == 1 {
            assert_eq!(out.stderr.lines().count(), 1, "{args}\n{}", out.stderr);
        }
    }
    let out = results(dir, "compare 1 2 --fail-if slower:3%");
    assert!(out.stdout.contains("  slower\n"), "{}", out.stdout);
    let line = out.stderr.strip_prefix("hashmill: results compare: slower by more than 3 %: md5 hashmill ");
    assert!(line.is_some(), "{}", out.stderr);
}

#[test]
fn kernels_machines_versions_and_what_is_only_in_one() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let [a, mut b] = recorded();
    b.machine.cpu = "Other \u{1b}[31mCPU".into();
    b.machine.compiler = "rustc 9".into();
    b.series[0].kernel = "neon".into();
    b.series[1].version = "OpenSSL 4.0".into();
    b.interrupted = true;
    let mut several = a.clone();
    several.series.push(hashmill_measure::run::Series { kernel: "slow".into(), ..a.series[0].clone() });
    several.series[2].samples.iter_mut().for_each(|s| *s /= 2.0);
    several.series.push(hashmill_measure::run::Series { what: "sha1".into(), ..a.series[0].clone() });
    stored(dir, &[a.clone(), b, several]);
    let text = good(dir, "compare 1 2").stdout;
    for part in [
        "this compares machines", "\ncompiler: A ", "\nopenssl: A OpenSSL ", "OpenSSL 4.0", "→ neon",
        "B was interrupted",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(!text.contains('\u{1b}'), "{text}");
    let v = good(dir, "compare 2 3 --json").json();
    // With two kernels on one side, only those of the same name are matched.
    assert_eq!(v["series"].as_array().unwrap().len(), 1, "{v:#}");
    let only =
        |side: &str| v[side].as_array().unwrap().iter().map(|o| o.as_str().unwrap().to_string()).collect::<Vec<_>>();
    assert_eq!((only("only_in_a").len(), only("only_in_b").len()), (1, 3), "{v:#}");
    assert!(only("only_in_b").iter().any(|o| o.starts_with("sha1 hashmill ")), "{v:#}");
    let v = good(dir, "compare 2 3 --json --across-kernels").json();
    let first = &v["series"][0];
    assert_eq!(
        (first["a"]["kernel"].as_str(), first["b"]["kernel"].as_str()),
        (Some("neon"), Some(&*a.series[0].kernel))
    );
    let mut sha1 = a.clone();
    sha1.series.iter_mut().for_each(|s| s.what = "sha1".into());
    fs::write(dir.join("sha1.json"), serde_json::to_vec(&sha1).unwrap()).unwrap();
    bad(dir, "compare 1 sha1.json", "have no series of the same thing");
}

#[test]
fn history_over_several_runs() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let [a, _] = recorded();
    let same = changed(&a, 0, 1.0);
    let slow = Run { started: "2099-01-01T00:00:00Z".into(), ..changed(&a, 0, 0.95) };
    let mut elsewhere = changed(&a, 0, 2.0);
    elsewhere.machine.cpu = "Elsewhere".into();
    stored(dir, &[slow, a.clone(), same, elsewhere]);
    let v = good(dir, "history MD5 --json --machine epyc").json();
    assert_eq!(v.as_array().unwrap().len(), 1, "{v:#}");
    let points = v[0]["points"].as_array().unwrap();
    let seen: Vec<_> = points.iter().map(|p| (p["run"].as_i64().unwrap(), p["change"]["verdict"].as_str())).collect();
    assert_eq!(seen, [(2, None), (3, Some("no-change")), (1, Some("slower"))]);
    let text = good(dir, "history md5 --svg h.svg").stdout;
    assert!(
        text.contains("Elsewhere") && text.contains("  slower\n") && text.contains('█') | text.contains('▅'),
        "{text}"
    );
    let svg = fs::read_to_string(dir.join("h.svg")).unwrap();
    assert_eq!((svg.matches("<circle").count(), svg.contains("Elsewhere, 2 CPUs")), (4, true), "{svg}");
    let bytes = a.series[0].bytes.unwrap();
    let peers = good(dir, &format!("history md5 --by openssl --size {bytes} --json")).json();
    assert_eq!(peers[0]["points"].as_array().unwrap().len(), 3);
    for none in ["sha1", "md5 --kernel none", "md5 --mode none", "md5 --size 1", "md5 --by php", "md5 --machine pdp11"]
    {
        bad(dir, &format!("history {none}"), "no run in ");
    }
}

#[test]
fn stores_that_cannot_be_used() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(dir.join("text"), "dear diary\n".repeat(100)).unwrap();
    fs::write(dir.join("byte"), "x").unwrap();
    fs::create_dir(dir.join("dir")).unwrap();
    let made = |name: &str| {
        Store::open(Some(&dir.join(name))).unwrap().save(&recorded()[0]).unwrap();
        rusqlite::Connection::open(dir.join(name)).unwrap()
    };
    made("newer").pragma_update(None, "user_version", 2).unwrap();
    made("foreign").pragma_update(None, "application_id", 1).unwrap();
    made("changed").execute("UPDATE series SET samples = zeroblob(length(samples))", []).unwrap();
    made("cut");
    let bytes = fs::read(dir.join("cut")).unwrap();
    fs::write(dir.join("cut"), &bytes[..4096 + 100]).unwrap();
    for (db, what) in [
        ("text", "not a store of hashmill"),
        ("byte", "not a store of hashmill"),
        ("foreign", "not a store of hashmill"),
        ("dir", "not a file"),
        ("newer", "use a newer hashmill"),
        ("cut", "damaged"),
        ("changed", "damaged (what run 1 measured is not what was kept)"),
        ("none", "there is no store yet"),
        ("text/none", "Not a directory"),
    ] {
        let before = fs::read(dir.join(db)).ok();
        bad(dir, &format!("show --db {db}"), what);
        assert_eq!(fs::read(dir.join(db)).ok(), before, "{db}");
    }
    let check = results(dir, "check --db changed");
    assert_eq!((check.status, check.stdout.as_str()), (Some(1), ""), "{}", check.stderr);

    // A store that cannot keep the run causes an error before anything is measured, and is left as it is.
    for (db, what) in [
        ("text", "not a store"),
        ("/proc/none/x.db", "cannot be opened"),
        ("text/x.db", "cannot be opened"),
        ("newer", "newer"),
    ] {
        let args = [
            "bench", "lanes", "md2", "--messages", "4", "--size", "100", "--reps", "6", "--json", "--save", "--db", db,
        ];
        let before = fs::read(dir.join(db)).ok();
        let out = output(command(dir, &args), b"");
        assert_eq!(out.status, Some(1), "{db} {}", out.stderr);
        assert_eq!(out.stdout, "", "{db}");
        assert!(out.stderr.starts_with("hashmill: bench: ") && out.stderr.contains(what), "{}", out.stderr);
        assert_eq!(out.stderr.lines().count(), 1, "{}", out.stderr);
        assert_eq!(fs::read(dir.join(db)).ok(), before, "{db}");
    }
    // A chart that cannot be written causes an error, too.
    for (svg, what) in [("none/a.svg", "No such file"), ("dir", "directory")] {
        let out = output(command(dir, &["bench", "lanes", "md2", "--size", "100", "--svg", svg]), b"");
        assert_eq!((out.status, out.stdout.as_str()), (Some(1), ""), "{}", out.stderr);
        assert!(out.stderr.contains(what) && out.stderr.lines().count() == 1, "{}", out.stderr);
    }
    let mut homeless = command(dir, &["results", "list"]);
    homeless.env_remove("HOME").env_remove("XDG_DATA_HOME");
    assert!(output(homeless, b"").stderr.contains("neither HOME nor XDG_DATA_HOME is set"));
    // According to the specification, a relative path must be ignored.
    let mut relative = command(dir, &["results", "list"]);
    relative.env("XDG_DATA_HOME", "data").env("HOME", dir.join("home"));
    let line = output(relative, b"").stderr;
    assert!(line.contains("home/.local/share/hashmill/results.db"), "{line}");
}

#[test]
fn a_locked_store() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    stored(dir, &recorded()[..1]);
    let other = rusqlite::Connection::open(dir.join("data/hashmill/results.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE; UPDATE run SET tag = 'x'").unwrap();
    // Reading works while another process writes; writing waits and then fails with an error that names the reason.
    good(dir, "list");
    bad(dir, "delete 1", "another process has locked the store");
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(good(dir, "delete 1").stdout, "deleted run 1\n");
}

#[test]
fn json_that_is_no_run() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let run = serde_json::to_value(&recorded()[0]).unwrap();
    let with = |name: &str, value: Value| {
        let mut run = run.clone();
        run[name] = value;
        run.to_string()
    };
    let deep = "[".repeat(100_000);
    let good_then_bad = format!("[{run},{}]", with("format", json!(2)));
    for (content, what) in [
        ("{", "EOF"),
        ("[1]", "no run"),
        ("nonsense", "no run"),
        (&deep, "no run"),
        (&format!("{run} ]"), "no run"),
        (&format!("[{run}] 1"), "no run"),
        (&with("format", json!(2)), "its format is 2"),
        (&with("started", json!("now")), "not a time"),
        (&with("series", json!([])), "pairing 0"),
        (&with("details", json!({ "a": "\u{1b}[2J" })).replace("\"details\"", "\"details\":1,\"details\""), "no run"),
        (&good_then_bad, "run 2: its format is 2"),
    ] {
        fs::write(dir.join("x.json"), content).unwrap();
        let out = results(dir, "import x.json");
        assert_eq!((out.status, out.stderr.lines().count()), (Some(1), 1), "{what}\n{}", out.stderr);
        assert!(
            out.stderr.starts_with("hashmill: results import: x.json: ") && out.stderr.contains(what),
            "{}",
            out.stderr
        );
        assert_eq!(out.stdout, "0 imported, 0 were there already; 1 of 1 files left out\n");
    }
    // An import stops reading when a run has more values than a store keeps.
    let mut import = command(dir, &["results", "import", "-"]);
    let mut child = import.stdin(Stdio::piped()).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let written = pipe
        .write_all(b"{\"unknown\":[")
        .and_then(|()| (0..4096).try_for_each(|_| pipe.write_all(&b"0,".repeat(1 << 16))));
    assert!(written.is_err());
    drop(pipe);
    let out = child.wait_with_output().unwrap();
    let line = String::from_utf8(out.stderr).unwrap();
    assert!(out.status.code() == Some(1) && line.contains("a run has more than 33554432 values"), "{line}");
    // A sparse file of more than 1 GiB.
    fs::File::create(dir.join("huge.json")).unwrap().set_len((1 << 30) + 1).unwrap();
    for (args, what) in
        [("show huge.json", "more than 1 GiB"), ("show ./nonesuch", "No such file"), ("show ./", "a directory")]
    {
        bad(dir, args, what);
    }
    // The valid runs among several files are kept; white space and an empty file contain no runs.
    fs::write(dir.join("two.json"), format!(" \n{run}\n{}\n", with("started", json!("2026-01-01T00:00:00Z")))).unwrap();
    fs::write(dir.join("none.json"), " \n").unwrap();
    let out = results(dir, "import x.json two.json none.json --tag t");
    assert_eq!(
        (out.status, out.stdout.as_str()),
        (Some(1), "2 imported, 0 were there already; 1 of 3 files left out\n")
    );
    bad(dir, "compare two.json last", "it holds 2 runs, not one");
    assert_eq!(good(dir, "list --tag t --json").json().as_array().unwrap().len(), 2);
}
