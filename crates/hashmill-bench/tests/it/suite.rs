//! Tests `hashmill bench suite` as a whole: commands, engines, kinds of `bench`, and everything that can be wrong with
//! them. Engines here are scripts that say how long they took, so that all ratios are known.

use hashmill_measure::run::Run;
use hashmill_measure::suite::{Details, Form};
use hashmill_measure::{bare, sys};
use hashmill_testing::executable;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

struct Ran {
    status: Option<i32>,
    stdout: String,
    /// Lines on stderr, without warnings, which depend on the machine.
    stderr: Vec<String>,
}

fn command(dir: &Path, args: &str) -> Command {
    let mut command = bare::command(executable());
    command.args(["bench", "suite", "s.toml", "--to", "files"]).args(args.split_whitespace()).current_dir(dir);
    command
}

fn suite(dir: &Path, text: &str, args: &str) -> Ran {
    fs::write(dir.join("s.toml"), format!("title = \"a suite\"\n{text}")).unwrap();
    let out = command(dir, args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let stderr = text(out.stderr);
    let stderr = stderr.lines().filter(|l| !l.contains(": warning: ")).map(str::to_string).collect();
    Ran { status: out.status.code(), stdout: text(out.stdout), stderr }
}

/// Runs a suite that must succeed without a word. Returns its run.
fn good(dir: &Path, text: &str, args: &str) -> (Run, Details) {
    let ran = suite(dir, text, &format!("{args} --json"));
    assert_eq!((ran.status, ran.stderr), (Some(0), vec![]), "{}", ran.stdout);
    let run: Run = serde_json::from_str(&ran.stdout).unwrap();
    let details = Details::of(&run).unwrap();
    (run, details)
}

/// Returns the rows of a table as Markdown has them.
fn rows(run: &Run, details: &Details, name: &str) -> Vec<String> {
    let table = details.table(run, name, Form::Full).unwrap().markdown();
    table.lines().skip(2).map(String::from).collect()
}

fn script(dir: &Path, name: &str, text: &str) {
    let path = dir.join(name);
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// An engine: `us` takes 1 µs a turn, `us too` 2, `them` 4, `others` 3; it allocates 100 bytes a turn. Two cases, of
/// which `others` have one.
const ENGINE: &str = r#"say() { printf '{"case":"%s","by":"%s","bytes":1000},' "$1" "$2"; }
printf '{"protocol":1,"engine":"sh 1","loops":['
say a us; say a 'us too'; say a them; say a others; say b us; say b 'us too'; say b them
printf '{"case":"c","by":"them","bytes":1}]}\n'
while read -r line; do
    n=${line##*:}; n=${n%?}; each=1
    case $line in *'"us too"'*) each=2 ;; *'"them"'*) each=4 ;; *'"others"'*) each=3 ;; esac
    echo "{\"ns\":$((n * each * 1000)),\"allocated\":$((n * 100))}"
done"#;

#[test]
fn loops_of_engines() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    script(dir, "engine", ENGINE);
    let engine = "[engines]\ne = [\"engine\"]\n";
    let table = |name: &str, ours: &str, theirs: &str, more: &str| {
        format!("[[table]]\nname = \"{name}\"\ntitle = \"T\"\nours = {ours}\ntheirs = {theirs}\n{more}\n")
    };
    let text = [
        engine.to_string(),
        table("one", "\"e:us\"", "\"e:them\"", "aim = 5\nwhy = \"it is a script\""),
        table("best", "\"e:us\"", "[\"e:them\", \"e:others\"]", ""),
        table("columns", "[\"e:us\", \"e:us too\"]", "\"e:them\"", "cases = [\"a\"]"),
    ]
    .concat();
    let (run, details) = good(dir, &text, "--reps 7");
    let row = |case| format!("| {case} | 4.00 µs | 1.00 µs | 4.00 [4.00, 4.00] | 100 B | 100 B | 5 |");
    assert_eq!(rows(&run, &details, "one"), ["a", "b"].map(row));
    assert_eq!(details.missed(&run), "* a (T) 4.00 of 5, b (T) 4.00 of 5. It is a script.\n");
    // Of several others the fastest counts.
    let best: Vec<String> =
        rows(&run, &details, "best").iter().map(|r| r.split(" | ").nth(3).unwrap().into()).collect();
    assert_eq!(best, ["3.00 [3.00, 3.00]", "4.00 [4.00, 4.00]"]);
    assert_eq!(rows(&run, &details, "columns"), ["| us | 4.00 [4.00, 4.00] |", "| us too | 2.00 [2.00, 2.00] |"]);
    assert_eq!(details.figure(&run, "one", "a", "ratio").unwrap(), "4.00");
    assert_eq!(details.figure(&run, "columns", "a", "us too").unwrap(), "2.00");
    assert_eq!(details.figure(&run, "one", "c", "ratio").unwrap_err(), "one has no row c");
    assert!(details.about(&run).contains(", 6 starts with 7 pairs each."), "{}", details.about(&run));
    // What of the cases is there is measured, and the rest is told.
    let more = table("columns", "\"e:us\"", "\"e:them\"", "cases = [\"a\", \"nonesuch\"]");
    let ran = suite(dir, &[engine.into(), more].concat(), "--reps 7 --json");
    assert_eq!(ran.stderr, ["hashmill: bench suite: columns: no loop begins with 'nonesuch'"]);
    let run: Run = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((run.pairings.len(), ran.status), (1, Some(1)));
    // A slowdown that is planted is found, and told.
    let ran = suite(dir, &text, "--reps 7 --json --planted 5 --only one");
    let slow: Run = serde_json::from_str(&ran.stdout).unwrap();
    let ratio = slow.pairings[0].summary.unwrap().median;
    assert!(
        (ratio - 4.0 / 1.05).abs() < 0.01 && slow.warnings.iter().any(|w| w.contains("slowed down by 5 %")),
        "{ratio}"
    );
}

/// What differs between starts is in the interval, and each start gives one value.
#[test]
fn every_start_gives_a_value() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    // The k-th start of us takes 10 + k, and of the others always 40; one of these is the faster one only in a start.
    let count = "echo x >>starts; k=$(wc -l <starts)\n";
    let each = "*'\"them\"'*) each=40 ;; *'\"others\"'*) each=$((k == 2 ? 30 : 60)) ;; *) each=$((10 + k)) ;; esac\n#";
    script(dir, "engine", &format!("{count}{}", ENGINE.replace("*'\"us too\"'*)", each)));
    let text = "starts = 9\npairs = 3\n[engines]\ne = [\"engine\"]\n[[table]]\nname = \"t\"\ntitle = \"T\"\n\
                ours = \"e:us\"\ntheirs = [\"e:them\", \"e:others\"]\n";
    // They differ so much that there are three times as many, unless their number was asked for.
    let (run, details) = good(dir, text, "");
    assert!(details.about(&run).contains(", 27 starts with 3 pairs each."), "{}", details.about(&run));
    fs::remove_file(dir.join("starts")).unwrap();
    let (run, details) = good(dir, text, "--starts 9");
    let ratios: Vec<f64> = run.pairings[0].ratios.iter().map(|r| (r * 100.0).round()).collect();
    let want = (1..=9).map(|k| (100.0 * 40.0 / f64::from(10 + k)).round()).collect::<Vec<_>>();
    assert_eq!(ratios, want, "{:?}", run.pairings[0]);
    // The median, and an interval without the smallest and the largest.
    assert!(rows(&run, &details, "t")[0].contains(" 2.67 [2.22, 3.33] "), "{:?}", rows(&run, &details, "t"));
    assert_eq!(run.series.len(), 4);
    assert!(run.series.iter().all(|s| s.by != "others" && s.samples.len() == 9));
    // One start: every pair is a value.
    let (run, details) = good(dir, text, "--starts 1");
    // More or fewer than three if some were disturbed.
    assert!((2..=6).contains(&run.pairings[0].ratios.len()), "{:?}", run.pairings[0]);
    assert!(!details.about(&run).contains("start"), "{}", details.about(&run));
}

#[test]
fn engines_that_are_none() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    script(dir, "right", ENGINE);
    script(dir, "fails", "echo 'no compiler is here' >&2; exit 1");
    script(dir, "nonsense", "echo hello; sleep 9");
    script(dir, "newer", r#"echo '{"protocol":9,"engine":"x","loops":[]}'; sleep 9"#);
    script(dir, "dies", &ENGINE.replace("while read", "read -r line; echo 'out of memory' >&2; exit 1\nwhile read"));
    for (engine, why) in [
        ("none", "hashmill: bench suite: ./none not found"),
        ("fails", "hashmill: bench suite: e ended: no compiler is here"),
        ("nonsense", "hashmill: bench suite: e answered 'hello'"),
        ("newer", "hashmill: bench suite: e: it speaks version 9 of the protocol, not 1"),
        ("dies", "hashmill: bench suite: one: a: e ended: out of memory"),
    ] {
        let text = format!(
            "[engines]\ne = [\"{engine}\"]\nr = [\"right\"]\n[[table]]\nname = \"one\"\ntitle = \"T\"\nours = \"e:us\"\n\
             theirs = \"e:them\"\n[[table]]\nname = \"two\"\ntitle = \"T\"\nours = \"r:us\"\ntheirs = \"r:them\"\n"
        );
        let ran = suite(dir, &text, "--reps 5 --json");
        // One line each, and the rest goes on.
        assert_eq!(ran.status, Some(1), "{engine}");
        assert!(ran.stderr.iter().any(|l| l.starts_with(why)), "{engine}: {:?}", ran.stderr);
        assert!(ran.stderr.len() <= 2, "{engine}: {:?}", ran.stderr);
        let run: Run = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(rows(&run, &Details::of(&run).unwrap(), "two").len(), 2, "{engine}");
    }
}

#[test]
fn whole_commands() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::create_dir(dir.join("bin")).unwrap();
    let row = |what: &str, theirs: &str, ours: &str, more: &str| {
        format!("[[table.row]]\nwhat = \"{what}\"\ntheirs = {theirs}\nours = {ours}\n{more}\n")
    };
    let text = [
        "[files]\na = { size = \"4K\" }\nmany = { folders = 2, files = 3, size = 5 }\n\
         [commands]\nlist = [\"hashmill\", \"sum\", \"-a\"]\n[[table]]\nname = \"c\"\ntitle = \"T\"\n"
            .to_string(),
        row("equal", r#"["md5sum", "{a}"]"#, r#"["hashmill:md5sum", "{a}"]"#, "equal = \"bytes\""),
        row(
            "lines",
            r#""find {many} -type f -print0 | xargs -0 md5sum""#,
            r#"["@list", "md5", "-r", "{many}"]"#,
            "equal = \"lines\"",
        ),
        row("another", r#"["sha1sum", "{a}"]"#, r#"["hashmill:md5sum", "{a}"]"#, "equal = \"bytes\""),
        row("missing", r#"["nosuchprogram", "{a}"]"#, r#"["hashmill", "sum", "{a}"]"#, ""),
        row("fails", r#"["md5sum", "{a}"]"#, r#"["hashmill", "sum", "{a}/none"]"#, ""),
        row("files", r#"["md5sum", "{b}"]"#, r#"["hashmill", "sum", "{b}"]"#, ""),
    ]
    .concat();
    let ran = suite(dir, &text, "--reps 3 --json");
    assert_eq!(ran.status, Some(1));
    let all = ran.stderr.join("\n");
    for line in [
        "nosuchprogram not found: not measured",
        "c: another: prints something else than sha1sum",
        "c: fails: hashmill: ended with exit status: 1: ",
        "files b: the suite has none of this name",
        "c: files: there are no files b",
    ] {
        assert!(all.contains(line), "{line}\n{all}");
    }
    let run: Run = serde_json::from_str(&ran.stdout).unwrap();
    let details = Details::of(&run).unwrap();
    let names: Vec<&str> = details.tables[0].rows.iter().map(|r| &*r.what).collect();
    assert_eq!(names, ["equal", "lines"]);
    assert_eq!(details.missing.len(), 1);
    let unknown = suite(dir, &text, "--only d");
    assert_eq!((unknown.status, unknown.stderr.len()), (Some(1), 1));
    assert!(unknown.stderr[0].ends_with("there is no table d; it has c"), "{:?}", unknown.stderr);
}

#[test]
fn kinds_of_bench_and_published_figures() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(dir.join("p.json"), r#"{"rows":{"md5":0.5,"sha1":[1.5,0.25]}}"#).unwrap();
    let text = "[[table]]\nname = \"many\"\ntitle = \"T\"\ncycles = true\neach = [\"16\", \"64\"]\ncolumn = \"{each} messages\"\n\
                bench = [\"lanes\", \"md5\", \"--messages\", \"{each}\", \"--size\", \"100\", \"--reps\", \"{pairs}\"]\n\
                [[table]]\nname = \"kernels\"\ntitle = \"T\"\nbench = [\"kernels\", \"crc32\", \"--size\", \"100\", \"--reps\", \"{pairs}\"]\n\
                [table.notes]\n\"`crc32` `slicing8`\" = \"eight tables\"\n\
                [[table]]\nname = \"loops\"\ntitle = \"T\"\ntimes = 5000\n\
                bench = [\"loops\", \"md5\", \"sha1\", \"--size\", \"5,500\", \"--peer\", \"rustcrypto\", \"--peer-reps\", \"{pairs}\", \"--reps\", \"1\", \"--loops\", \"1\"]\n\
                [[table.published]]\ncolumn = \"an i5\"\nfile = \"p.json\"\nat = \"/rows/{name}\"\nsizes = [5, 500]\nunit = \"seconds\"\n";
    let (run, mut details) = good(dir, text, "--reps 5 --starts 2");
    assert!(details.about(&run).contains(", 2 starts with 5 pairs each."), "{}", details.about(&run));
    assert_eq!(details.tables[0].columns, ["16 messages", "64 messages"]);
    assert_eq!(details.tables[0].rows.len(), 1);
    // What is shown beside the figures is in the suite's file.
    let suite = hashmill_bench::bench::suite::Suite::read(&dir.join("s.toml")).unwrap();
    suite.describe(&mut details).unwrap();
    assert!(rows(&run, &details, "kernels").iter().any(|r| r.contains("`slicing8`") && r.ends_with("eight tables |")));
    let loops = rows(&run, &details, "loops");
    let figure = |row: &str| {
        let row = loops.iter().find(|r| r.starts_with(&format!("| {row} |"))).unwrap();
        row.split(" | ").nth(1).unwrap().to_string()
    };
    assert_eq!(figure("`md5`, 5 bytes"), "500 ms");
    assert_eq!(figure("`md5`, 500 bytes"), "500 ms");
    assert_eq!((figure("`sha1`, 5 bytes"), figure("`sha1`, 500 bytes")), ("1.50 s".into(), "250 ms".into()));
    let chart = details.chart(&run, "many").unwrap().svg().unwrap();
    assert!(chart.contains("64 messages") && chart.contains("16 messages"), "{chart}");
}

#[test]
fn an_interrupted_run_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    script(dir, "slow", "echo x >>runs; sleep 0.2");
    let row = |what: &str| {
        format!("[[table.row]]\nwhat = \"{what}\"\ntheirs = [\"{0}\"]\nours = [\"{0}\"]\n", dir.join("slow").display())
    };
    let text = format!("[[table]]\nname = \"t\"\ntitle = \"T\"\n{}{}", row("first"), row("second"));
    fs::write(dir.join("s.toml"), format!("title = \"a suite\"\n{text}")).unwrap();
    let mut child =
        command(dir, "--reps 4 --starts 4 --json").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // Each row takes two runs to warm up and then, in turns with the other row, two for each of four pairs.
    let start = Instant::now();
    let runs = || fs::read_to_string(dir.join("files/runs")).unwrap_or_default().lines().count();
    while runs() < 12 {
        assert!(start.elapsed() < Duration::from_secs(60), "{} runs", runs());
        thread::sleep(Duration::from_millis(5));
    }
    let second = suite(dir, &text, "");
    assert_eq!(second.status, Some(1));
    assert_eq!(second.stderr.len(), 1, "{:?}", second.stderr);
    assert!(second.stderr[0].contains("another process measures here"), "{:?}", second.stderr);
    child.kill().unwrap();
    child.wait().unwrap();
    let before = runs();
    assert!(before < 20, "it was over");
    let (run, details) = good(dir, &text, "--reps 4 --starts 4");
    assert_eq!(details.tables[0].rows.len(), 2);
    assert_eq!(run.pairings.iter().map(|p| p.ratios.len()).collect::<Vec<_>>(), [4, 4]);
    // Only what had not been measured: three pairs of the second row, two of the first.
    assert_eq!(runs() - before, 10);
    // Nothing is left of it: the next run begins anew.
    good(dir, &text, "--reps 4 --starts 4");
    assert_eq!(runs() - before, 30);
}

/// An interrupt ends the measurement at once: nothing is started any more.
#[test]
fn nothing_starts_after_an_interrupt() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    script(dir, "engine", &format!("echo x >>starts\n{}", ENGINE.replace("    n=", "    sleep 0.05; n=")));
    let text = "title = \"a suite\"\n[engines]\ne = [\"engine\"]\n[[table]]\nname = \"t\"\ntitle = \"T\"\n\
                ours = \"e:us\"\ntheirs = \"e:them\"\n";
    fs::write(dir.join("s.toml"), text).unwrap();
    let mut child = command(dir, "--reps 50 --json").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    let starts = || fs::read_to_string(dir.join("starts")).unwrap_or_default().lines().count();
    while starts() == 0 {
        assert!(start.elapsed() < Duration::from_secs(60));
        thread::sleep(Duration::from_millis(5));
    }
    sys::interrupt(&child);
    assert_eq!((child.wait().unwrap().code(), starts()), (Some(130), 1));
}
