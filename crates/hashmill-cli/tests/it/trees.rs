//! `hashmill audit`, `diff`, `dups`, `merge` and `sum --update`: a tree in which everything has happened at once, and
//! the programs that know a part of it.

use hashmill::Algorithm;
use hashmill_testing::{executable, hashmill, hashmill_with, run, stdout, text};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{self, File, FileTimes};
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

/// Returns the name of a planted file.
fn planted(i: usize) -> String {
    format!("T/d{:02}/e{}/f{i:05}", i % 100, i % 7)
}

fn set_time(path: &Path, seconds: u64) {
    let time = SystemTime::UNIX_EPOCH + Duration::new(seconds, 123_456_789);
    File::options().write(true).open(path).unwrap().set_times(FileTimes::new().set_modified(time)).unwrap();
}

/// Makes a tree of `n` files, no two of which have the same content, and lists of it.
fn plant(n: usize) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    for i in 0..n {
        let path = d.join(planted(i));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("content {i}\n").repeat(1 + i % 5)).unwrap();
        set_time(&path, 1_700_000_000 + i as u64);
    }
    for (list, options) in [("times", &["--format", "json"][..]), ("SHA256SUMS", &["-a", "sha256"])] {
        let o = hashmill(d, &[&["sum", "-r", "-o", list, "T"], options].concat());
        assert_eq!(o.status.code(), Some(0), "{}", text(&o.stderr));
    }
    dir
}

/// Lets everything happen to a planted tree. Returns the class of every file for which it is not `same`, and the name
/// that it had, by the name that it has.
fn happen(d: &Path) -> BTreeMap<String, (&'static str, Option<String>)> {
    let p = |i: usize| d.join(planted(i));
    let mut all = BTreeMap::new();
    let mut say = |name: String, class, from: Option<String>| drop(all.insert(name, (class, from)));
    let keeping_time = |i: usize, change: &dyn Fn(&Path)| {
        let before = fs::metadata(p(i)).unwrap().modified().unwrap();
        change(&p(i));
        File::options().write(true).open(p(i)).unwrap().set_times(FileTimes::new().set_modified(before)).unwrap();
    };
    keeping_time(1, &|path| {
        let mut content = fs::read(path).unwrap();
        content[5] ^= 1;
        fs::write(path, content).unwrap();
    });
    say(planted(1), "rotten", None);
    File::options().append(true).open(p(2)).unwrap().write_all(b"edit").unwrap();
    say(planted(2), "changed", None);
    set_time(&p(3), 1);
    say(planted(3), "touched", None);
    fs::rename(p(4), d.join(planted(4) + ".renamed")).unwrap();
    say(planted(4) + ".renamed", "moved", Some(planted(4)));
    // A chain, and a swap.
    for (from, to) in [(7, planted(7) + ".x"), (6, planted(7)), (5, planted(6))] {
        fs::rename(p(from), d.join(&to)).unwrap();
        say(to, "moved", Some(planted(from)));
    }
    for (from, to) in [(p(8), p(9).with_extension("t")), (p(9), p(8)), (p(9).with_extension("t"), p(9))] {
        fs::rename(from, to).unwrap();
    }
    say(planted(8), "moved", Some(planted(9)));
    say(planted(9), "moved", Some(planted(8)));
    fs::copy(p(10), d.join("T/copy")).unwrap();
    say("T/copy".into(), "copied", Some(planted(10)));
    fs::remove_file(p(11)).unwrap();
    say(planted(11), "missing", None);
    fs::create_dir_all(d.join("T/new/folder")).unwrap();
    fs::rename(p(12), d.join("T/new/folder/moved")).unwrap();
    say("T/new/folder/moved".into(), "moved", Some(planted(12)));
    fs::write(d.join("T/new/file"), "new").unwrap();
    say("T/new/file".into(), "new", None);
    fs::remove_file(p(13)).unwrap();
    fs::create_dir(p(13)).unwrap();
    fs::write(p(13).join("inner"), "inner").unwrap();
    say(planted(13), "missing", None);
    say(planted(13) + "/inner", "new", None);
    fs::set_permissions(p(14), fs::Permissions::from_mode(0o000)).unwrap();
    say(planted(14), "unreadable", None);
    let upper = planted(15).replace("/f", "/F");
    fs::rename(p(15), d.join(&upper)).unwrap();
    say(upper, "moved", Some(planted(15)));
    // The same name in another form of Unicode.
    fs::rename(p(16), d.join("T/cafe\u{301}")).unwrap();
    say("T/cafe\u{301}".into(), "moved", Some(planted(16)));
    // Its length changes, and its time does not.
    keeping_time(17, &|path| fs::write(path, "x").unwrap());
    say(planted(17), "differs", None);
    // One takes the place of another.
    fs::rename(p(18), p(19)).unwrap();
    say(planted(19), "moved", Some(planted(18)));
    symlink("nowhere", d.join("T/link")).unwrap();
    say("T/link".into(), "skipped", None);
    assert_eq!(fifo(&d.join("T/fifo")), Some(0));
    say("T/fifo".into(), "skipped", None);
    all
}

fn fifo(path: &Path) -> Option<i32> {
    run(Path::new("/"), "mkfifo", &[path], b"").status.code()
}

/// Runs hashmill as a user for whom permissions count.
fn as_nobody(d: &Path, args: &[&str]) -> std::process::Output {
    if File::open(d.join(planted(14))).is_err() {
        return hashmill(d, args);
    }
    fs::set_permissions(d, fs::Permissions::from_mode(0o755)).unwrap();
    let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups", executable()];
    run(d, "setpriv", &[&nobody, args].concat(), b"")
}

/// Returns the classes that `--json` reports for what is not the same, by name, and the totals.
fn classes(json: &str) -> (BTreeMap<String, (String, Option<String>)>, Value) {
    let mut all = BTreeMap::new();
    let mut totals = Value::Null;
    for line in json.lines() {
        let object: Value = serde_json::from_str(line).unwrap();
        if object.get("totals").is_some() {
            totals = object;
        } else if object["verdict"] != "same" {
            let of = |key: &str| object.get(key).and_then(Value::as_str).map(String::from);
            let class = (of("verdict").unwrap(), of("from"));
            let before = all.insert(of("path").unwrap(), class);
            // Its name was taken by another file.
            assert!(before.is_none() || object["verdict"] == "missing" || before.unwrap().0 == "missing", "{line}");
        }
    }
    (all, totals)
}

/// Everything at once: each file is in the right class, and nothing else is reported.
#[test]
fn ten_thousand_files_to_which_everything_has_happened() {
    let dir = plant(10_000);
    let d = dir.path();
    assert_eq!(stdout(&hashmill(d, &["audit", "times"])), "T: 10000 same; 377.61 KiB read\n");
    let want = happen(d);

    for (list, options) in [("times", &["--json"][..]), ("SHA256SUMS", &["--json"]), ("times", &["--json", "--quick"])]
    {
        let quick = options.contains(&"--quick");
        let o = as_nobody(d, &[&["audit", list], options].concat());
        let (mut got, totals) = classes(&text(&o.stdout));
        // The file whose name another one has taken is missing, too, under the same name.
        assert_eq!(totals["totals"]["missing"], 3, "{list}");
        if got[&planted(19)].0 == "missing" {
            got.insert(planted(19), ("moved".into(), Some(planted(18))));
        }
        let mut want: BTreeMap<_, _> =
            want.iter().map(|(name, (class, from))| (name.clone(), (class.to_string(), from.clone()))).collect();
        if list == "SHA256SUMS" {
            want.remove(&planted(3));
            want.insert(planted(1), ("differs".into(), None));
            want.insert(planted(2), ("differs".into(), None));
        }
        if quick {
            want.remove(&planted(1));
            // Not read, so not known to be unreadable.
            want.remove(&planted(14));
        }
        assert_eq!(got, want, "{list} {options:?}");
        assert_eq!(o.status.code(), Some(1));
        let counted: u64 = want.values().filter(|(class, _)| class != "missing").count() as u64;
        let same = 10_000 + 3 + 2 - counted - 3 - u64::from(false);
        let t = &totals["totals"];
        let sum = |words: &[&str]| words.iter().map(|w| t[*w].as_u64().unwrap()).sum::<u64>();
        assert_eq!(
            t["same"].as_u64().unwrap()
                + sum(&["touched", "moved", "changed", "rotten", "differs", "unreadable", "missing"]),
            10_000
        );
        assert!(t["same"].as_u64().unwrap() <= same);
    }

    // As a user sees it.
    let o = as_nobody(d, &["audit", "times"]);
    let lines = text(&o.stdout);
    for line in [
        "rotten      T/d01/e1/f00001\n",
        "moved       T/d05/e5/f00005 -> T/d06/e6/f00006\n",
        "missing     T/d19/e5/f00019  (another file has its name)\n",
        "unreadable  T/d14/e0/f00014\n",
        "T: 9982 same, 1 touched, 10 moved, 1 copied, 2 new, 1 changed, 1 rotten, 1 differing, 3 missing, 1 unreadable, \
         2 skipped (links, pipes, devices); ",
    ] {
        assert!(lines.contains(line), "{line}{lines}");
    }
    assert_eq!(text(&o.stderr), "hashmill: T/d14/e0/f00014: permission denied\n");
    let bits = as_nobody(d, &["audit", "--exit-bits", "times"]);
    assert_eq!(bits.status.code(), Some(1 | 4 | 16 | 32));
    // A wrong line counts, too.
    let list = fs::read_to_string(d.join("SHA256SUMS")).unwrap() + "xyz  T/y\n0123456789abcdef0123456789abcdeg  T/z\n";
    fs::write(d.join("bad"), list).unwrap();
    let bad = as_nobody(d, &["audit", "--exit-bits", "bad"]);
    assert_eq!(bad.status.code(), Some(1 | 4 | 8 | 16 | 32), "{}", text(&bad.stderr));
}

/// What rclone and hashdeep make of the same tree.
#[test]
fn as_rclone_and_hashdeep_see_it() {
    let dir = plant(300);
    let d = dir.path();
    let inner = d.join("T");
    let list = hashmill(&inner, &["sum", "-r", "--untagged", "."]).stdout;
    fs::write(d.join("plain"), text(&list).replace("  ./", "  ")).unwrap();
    let known = run(&inner, "hashdeep", &["-c", "sha256", "-r", "-l", "."], b"").stdout;
    fs::write(d.join("known"), known).unwrap();
    let ours = hashmill(&inner, &["sum", "-r", "--format", "hashdeep", "-o", "../ours", "."]);
    assert_eq!(ours.status.code(), Some(0), "{}", text(&ours.stderr));
    happen(d);
    fs::set_permissions(d.join(planted(14)), fs::Permissions::from_mode(0o644)).unwrap();
    for name in ["T/link", "T/fifo"] {
        fs::remove_file(d.join(name)).unwrap();
    }

    let sorted = |o: std::process::Output| {
        let mut lines: Vec<String> = text(&o.stdout).lines().map(String::from).collect();
        lines.sort();
        lines
    };
    let theirs = sorted(run(d, "rclone", &["checksum", "sha256", "plain", "T", "--combined", "-"], b""));
    assert!(theirs.len() > 300 && theirs.iter().any(|l| l.starts_with("* ")), "{theirs:?}");
    assert_eq!(sorted(hashmill(d, &["audit", "--combined", "plain", "T"])), theirs);

    for list in ["known", "ours"] {
        let theirs = run(&inner, "hashdeep", &["-r", "-l", "-a", "-v", "-k", &format!("../{list}"), "."], b"").stdout;
        let theirs = text(&theirs);
        let count = |what: &str| -> u64 {
            let line = theirs.lines().find(|l| l.trim_start().starts_with(what)).unwrap_or_else(|| panic!("{theirs}"));
            line.rsplit(' ').next().unwrap().parse().unwrap()
        };
        let o = hashmill(d, &["audit", "--json", list, "T"]);
        let (_, totals) = classes(&text(&o.stdout));
        let t = |word: &str| totals["totals"][word].as_u64().unwrap();
        assert_eq!(t("same"), count("Files matched"), "{theirs}");
        // It does not tell a copy from a move, nor a change from a new file and a missing one.
        assert_eq!(t("moved") + t("copied"), count("Files moved"), "{theirs}");
        assert_eq!(t("new") + t("differs"), count("New files found"), "{theirs}");
        assert_eq!(t("missing") + t("differs"), count("Known files not found"), "{theirs}");
    }
}

/// What names in lists may be relative to, and what leads out.
#[test]
fn folders_and_names() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    fs::create_dir_all(d.join("p/q")).unwrap();
    fs::write(d.join("p/q/a"), "a").unwrap();
    fs::write(d.join("outside"), "x").unwrap();
    let whole = d.join("p/q").display().to_string();
    let sum = |args: &[&str]| hashmill(d, &[&["sum", "-r", "-a", "md5"], args].concat()).stdout;
    for (name, list) in [
        ("relative", sum(&["p/q"])),
        ("dotted", sum(&["./p/q"])),
        ("absolute", sum(&[&whole])),
        ("inner", hashmill(&d.join("p/q"), &["sum", "-r", "-a", "md5", "."]).stdout),
    ] {
        fs::write(d.join(name), list).unwrap();
        let o = hashmill(d, &["audit", name, "p/q"]);
        assert_eq!(o.status.code(), Some(0), "{name}: {} {}", text(&o.stdout), text(&o.stderr));
        let o = hashmill(d, &["audit", name, &whole]);
        let want = if matches!(name, "absolute" | "inner") { Some(0) } else { Some(1) };
        assert_eq!(o.status.code(), want, "{name}: {} {}", text(&o.stdout), text(&o.stderr));
    }
    assert_eq!(stdout(&hashmill(d, &["audit", "relative"])), "p/q: 1 same; 1 B read\n");
    let list = fs::read(d.join("relative")).unwrap();
    assert_eq!(stdout(&hashmill_with(d, &["audit", "-", "p/q"], &list)), "p/q: 1 same; 1 B read\n");

    let a = "0cc175b9c0f1b6a831c399e269772661";
    fs::write(d.join("escapes"), format!("{a}  p/q/a\n{a}  ../etc/passwd\n{a}  p/../outside\n{a}  /etc/hosts\n"))
        .unwrap();
    let o = hashmill(d, &["audit", "escapes"]);
    assert_eq!(text(&o.stdout).lines().filter(|l| l.starts_with("unreadable")).count(), 3, "{}", text(&o.stdout));
    assert_eq!(text(&o.stderr).matches("is outside of the folder that names are relative to").count(), 3);
    symlink(d.join("outside"), d.join("p/q/l")).unwrap();
    symlink("a", d.join("p/q/m")).unwrap();
    fs::write(d.join("links"), format!("{a}  p/q/a\n{a}  p/q/m\n")).unwrap();
    // Links count as files where the list names them.
    let o = hashmill(d, &["audit", "-v", "links"]);
    assert_eq!(
        text(&o.stdout),
        "skipped     p/q/l  (symbolic link)\nsame        p/q/a\nsame        p/q/m\n\
         p/q: 2 same, 1 skipped (links, pipes, devices); 2 B read\n"
    );
    // The list itself is not new, and neither is what else is kept of it.
    fs::write(d.join("p/q/SUMS"), format!("{a}  a\n")).unwrap();
    fs::remove_file(d.join("p/q/l")).unwrap();
    fs::remove_file(d.join("p/q/m")).unwrap();
    assert_eq!(stdout(&hashmill(d, &["audit", "p/q/SUMS", "p/q"])), "p/q: 1 same; 1 B read\n");
    let slip = hashmill(d, &["audit", "p/q", "p"]);
    assert_eq!((slip.status.code(), text(&slip.stderr).lines().count()), (Some(2), 1));
}

/// Lists without algorithms, keys, filters, and what cannot be used.
#[test]
fn what_lists_leave_open() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    fs::create_dir(d.join("t")).unwrap();
    fs::write(d.join("t/a"), "abc").unwrap();
    fs::write(d.join("t/b.tmp"), "b").unwrap();
    let blake3 = hashmill(d, &["sum", "-a", "blake3", "--untagged", "t/a"]).stdout;
    fs::write(d.join("list"), &blake3).unwrap();
    let o = hashmill(d, &["audit", "--exclude", "*.tmp", "list"]);
    assert_eq!((o.status.code(), text(&o.stderr)), (Some(0), "hashmill: list: digests are BLAKE3's\n".into()));
    let o = hashmill(d, &["audit", "--no-guess", "--allow-new", "list"]);
    assert_eq!(o.status.code(), Some(1));
    assert!(text(&o.stderr).contains("digests of 32 bytes do not name their algorithm"), "{}", text(&o.stderr));
    assert_eq!(hashmill(d, &["audit", "--allow-new", "-a", "blake3", "list"]).status.code(), Some(0));
    assert_eq!(hashmill(d, &["audit", "-a", "blake3", "list"]).status.code(), Some(1));
    assert_eq!(hashmill(d, &["audit", "--exit-bits", "-a", "blake3", "list"]).status.code(), Some(32));

    fs::write(d.join("key"), "key").unwrap();
    let keyed = hashmill(d, &["sum", "-a", "hmac-sha256,s3-etag:part=1M", "--key-file", "key", "--json", "t/a"]).stdout;
    fs::write(d.join("keyed"), keyed).unwrap();
    let o = hashmill(d, &["audit", "--allow-new", "keyed"]);
    assert_eq!(o.status.code(), Some(1), "{}", text(&o.stdout));
    assert!(text(&o.stdout).starts_with("not-checked t/a\n"), "{}", text(&o.stdout));
    let o = hashmill(d, &["audit", "--allow-new", "--key-file", "key", "keyed"]);
    assert_eq!(o.status.code(), Some(0), "{} {}", text(&o.stdout), text(&o.stderr));

    // A name twice: with another algorithm, and with another digest.
    let (md5, other) = ("900150983cd24fb0d6963f7d28e17f72", "0cc175b9c0f1b6a831c399e269772661");
    let sha1 = "a9993e364706816aba3e25717850c26c9cd0d89d";
    fs::write(d.join("both"), format!("{md5}  t/a\n{sha1}  t/a\n")).unwrap();
    assert_eq!(hashmill(d, &["audit", "--allow-new", "both"]).status.code(), Some(0));
    fs::write(d.join("twice"), format!("{md5}  t/a\n{other}  t/a\n")).unwrap();
    let o = hashmill(d, &["audit", "--allow-new", "twice"]);
    assert_eq!(o.status.code(), Some(1));
    assert_eq!(text(&o.stderr), "hashmill: twice: 2: names t/a again, with another digest, which is not used\n");
    for (list, what) in [
        ("t/a", "no properly formatted checksum lines found"),
        ("nothing", "no such file"),
        ("empty", "the list is empty"),
    ] {
        fs::write(d.join("empty"), "").unwrap();
        let o = hashmill(d, &["audit", list, "t"]);
        assert!(o.status.code() != Some(0) && text(&o.stderr).contains(what), "{list}: {}", text(&o.stderr));
        assert_eq!(text(&o.stderr).lines().count(), 1);
    }
}

/// Two folders, two lists, and one of each say the same.
#[test]
fn both_sides_in_any_mix() {
    let dir = plant(300);
    let d = dir.path();
    let copied = run(d, "cp", &["-a", "T", "before"], b"");
    assert_eq!(copied.status.code(), Some(0));
    happen(d);
    fs::set_permissions(d.join(planted(14)), fs::Permissions::from_mode(0o644)).unwrap();
    let list = |folder: &str, to: &str| {
        let o = hashmill(&d.join(folder), &["sum", "-r", "--json", "."]);
        fs::write(d.join(to), o.stdout).unwrap();
    };
    // The pipe and the link are not compared.
    fs::remove_file(d.join("T/link")).unwrap();
    list("before", "a");
    list("T", "b");
    let lines = |a: &str, b: &str, options: &[&str]| {
        let o = hashmill(d, &[&["diff", a, b], options].concat());
        let mut lines: Vec<String> = text(&o.stdout).lines().map(String::from).collect();
        let totals = lines.pop().unwrap_or_default();
        lines.sort();
        (lines, totals.split(';').next().unwrap().to_string(), o.status.code())
    };
    let want = lines("before", "T", &[]);
    assert_eq!(want.1, "284 same, 3 changed, 10 moved, 3 only on the first side, 3 only on the second side");
    assert_eq!((want.0.len(), want.2), (19, Some(1)));
    assert!(want.0.contains(&"> d05/e5/f00005 -> d06/e6/f00006".to_string()), "{:?}", want.0);
    for (a, b) in [("a", "b"), ("a", "T"), ("before", "b")] {
        let got = lines(a, b, &[]);
        assert_eq!(got.0, want.0, "{a} {b}");
        assert_eq!(got.2, want.2);
    }
    let contents = lines("before", "T", &["--content-only"]);
    assert_eq!(contents.0.len(), 6 + 5, "{contents:?}");
    for (a, b) in [("a", "b"), ("a", "T"), ("before", "b")] {
        assert_eq!(lines(a, b, &["--content-only"]).0, contents.0, "{a} {b}");
    }
    for (a, b) in [("T", "T"), ("b", "b"), ("T", "b"), ("b", "T")] {
        let (lines, _, status) = lines(a, b, &[]);
        assert_eq!((lines.len(), status), (0, Some(0)), "{a} {b} {lines:?}");
    }
    // A line for each digest, next to each other and apart.
    let tags = |algorithms: &str| hashmill(&d.join("T"), &["sum", "-r", "-a", algorithms, "--tag", "."]).stdout;
    fs::write(d.join("both"), tags("md5,sha256")).unwrap();
    fs::write(d.join("apart"), [tags("md5"), tags("sha256")].concat()).unwrap();
    for list in ["both", "apart"] {
        for (a, b) in [(list, "b"), ("b", list), (list, list), (list, "T")] {
            let got = lines(a, b, &[]);
            assert_eq!((got.0.len(), got.2), (0, Some(0)), "{a} {b} {got:?}");
            assert!(got.1.ends_with(" same"), "{a} {b} {got:?}");
        }
        assert_eq!(lines("before", list, &[]).0, want.0, "{list}");
        let (got, totals, _) = lines("a", list, &[]);
        assert_eq!((got, totals), (want.0.clone(), want.1.clone()), "{list}");
    }
    let right = text(&tags("sha256"));
    let (first, _) = right.split_once('\n').unwrap();
    let (name, _) = first.split_once(" = ").unwrap();
    fs::write(d.join("twice"), format!("{right}{name} = {}\n", "0".repeat(64))).unwrap();
    let o = hashmill(d, &["diff", "b", "twice"]);
    assert_eq!(o.status.code(), Some(2), "{} {}", text(&o.stdout), text(&o.stderr));
    assert!(text(&o.stderr).contains("again, with another digest"), "{}", text(&o.stderr));
    // Lists that have nothing in common.
    fs::write(d.join("md5"), hashmill(d, &["sum", "-a", "md5", "--tag", "b"]).stdout).unwrap();
    let o = hashmill(d, &["diff", "a", "md5"]);
    assert_eq!(o.status.code(), Some(2));
    assert_eq!(text(&o.stderr), "hashmill: the lists have no algorithm in common: sha256 here, md5 there\n");
    assert_eq!(hashmill(d, &["diff", "a", "nothing"]).status.code(), Some(2));
    assert_eq!(hashmill(d, &["diff", "-", "-"]).status.code(), Some(2));
    let stdin = fs::read(d.join("b")).unwrap();
    assert_eq!(hashmill_with(d, &["diff", "-", "T"], &stdin).status.code(), Some(0));
}

/// Duplicates, and what looks like them.
#[test]
fn groups_of_the_same_content() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    for (name, content) in [
        ("t/a/long", vec![b'x'; 100_000]),
        ("t/b/copy", vec![b'x'; 100_000]),
        ("t/short", b"short".to_vec()),
        ("t/short too", b"short".to_vec()),
        ("t/\nnew line", b"short".to_vec()),
        ("t/same length", b"shirt".to_vec()),
        ("t/empty", vec![]),
        ("t/void", vec![]),
        ("u/elsewhere", b"short".to_vec()),
    ] {
        fs::create_dir_all(d.join(name).parent().unwrap()).unwrap();
        fs::write(d.join(name), content).unwrap();
    }
    // They differ in the middle, where neither the first nor the last block is.
    let mut middle = vec![b'x'; 100_000];
    middle[50_000] = b'y';
    fs::write(d.join("t/middle"), middle).unwrap();
    fs::hard_link(d.join("t/a/long"), d.join("t/hard")).unwrap();
    symlink("short", d.join("t/soft")).unwrap();
    let o = hashmill(d, &["dups", "t", "t/a", "./t"]);
    assert_eq!(
        text(&o.stdout),
        "2 × 97.66 KiB\n  t/a/long\n  t/hard  (hard link of t/a/long)\n  t/b/copy\n\
         3 × 5 B\n  t/\\nnew line\n  t/short\n  t/short too\n\
         2 groups, 3 duplicates that take 97.67 KiB, 1 hard link; 8 files, 292.99 KiB, of which 316.99 KiB read\n"
    );
    let o = hashmill(d, &["dups", "-0", "t"]);
    assert_eq!(text(&o.stdout), "t/a/long\0t/b/copy\0\0t/\nnew line\0t/short\0t/short too\0\0");
    let o = hashmill(d, &["dups", "--json", "--max-size", "10", "t", "u"]);
    let objects: Vec<Value> = text(&o.stdout).lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let verdicts: Vec<_> = objects.iter().filter_map(|o| o["verdict"].as_str()).collect();
    assert_eq!(verdicts, ["first", "duplicate", "duplicate", "duplicate"]);
    assert!(objects[..4].iter().all(|o| o["group"] == 1 && o["size"] == 5));
    assert_eq!(objects[4]["totals"]["wasted"], 15);
    // Another program's opinion.
    if hashmill_testing::is_here("fdupes", "fdupes", |_| true) {
        let theirs = text(&run(d, "fdupes", &["-r", "-n", "-q", "t"], b"").stdout);
        assert_eq!(theirs.split("\n\n").filter(|group| !group.trim().is_empty()).count(), 2, "{theirs}");
    }
    assert_eq!(hashmill(d, &["dups", "nothing"]).status.code(), Some(2));
    assert_eq!(
        text(&hashmill(d, &["dups", "u"]).stdout),
        "0 groups, 0 duplicates that take 0 B; 1 file, 5 B, of which 0 B read\n"
    );
}

/// A list is made, brought up to date, and keeps what it should.
#[test]
fn a_list_is_brought_up_to_date() {
    let dir = plant(300);
    let d = dir.path();
    let read = |name: &str| fs::read_to_string(d.join(name)).unwrap();
    let update = |args: &[&str]| {
        let o = hashmill(d, &[&["sum", "--update"], args].concat());
        (text(&o.stdout), text(&o.stderr), o.status.code())
    };
    // A new list is the one that `sum -r` makes.
    assert_eq!(update(&["made", "--json", "T"]).2, Some(0));
    assert_eq!(read("made"), read("times"));
    fs::write(d.join("plain"), format!("# of mine\n{}", read("SHA256SUMS"))).unwrap();
    let (out, _, status) = update(&["plain", "T"]);
    assert_eq!((out.as_str(), status), ("T: 300 same; 10.22 KiB read\n", Some(0)));
    let (out, _, _) = update(&["plain", "T"]);
    assert_eq!(out, "T: 300 same; 0 B read, 300 not read (length and time are as listed)\n");
    let want = happen(d);
    fs::set_permissions(d.join(planted(14)), fs::Permissions::from_mode(0o644)).unwrap();
    let before = read("plain");
    for list in ["made", "plain"] {
        let (out, err, status) = update(&[list, "--verify"]);
        assert_eq!(status, Some(1), "{out} {err}");
        assert!(err.contains(": 2 files keep their old digests"), "{err}");
        assert!(out.contains("rotten      T/d01/e1/f00001\n"), "{out}");
        let after = read(list);
        // What is gone stays, and so does the old digest of what has rotted.
        let line = |text: &str, name: &str| {
            text.lines().find(|l| l.ends_with(name) || l.contains(&format!("\"{name}\""))).map(String::from)
        };
        let old = if list == "plain" { before.clone() } else { read("times") };
        for name in [planted(1), planted(11), planted(13), planted(17)] {
            assert_eq!(line(&after, &name), line(&old, &name), "{name}");
        }
        assert!(line(&after, &planted(4)).is_none() && line(&after, &(planted(4) + ".renamed")).is_some());
        assert_eq!(after.lines().count(), old.lines().count() + 3 - 1, "{out}");
        // Nothing is left to be done but what was kept.
        let (out, _, _) = update(&[list]);
        assert!(out.contains("1 differing, 2 missing, 2 skipped"), "{out}");
        let (_, err, status) = update(&[list, "--verify", "--accept", "--prune"]);
        assert_eq!((err.as_str(), status), ("", Some(0)));
        assert_eq!(hashmill(d, &["audit", list]).status.code(), Some(0));
    }
    assert!(read("plain").starts_with("# of mine\n") && want.len() > 20);
    let fresh = text(&hashmill(d, &["sum", "-r", "-a", "sha256", "T"]).stdout);
    assert_eq!(read("plain"), format!("# of mine\n{fresh}"));
    // Names stay as they were written.
    for list in ["../dots", "../dots.json"] {
        let of = |args: &[&str]| hashmill(&d.join("T"), args);
        let made = of(&["sum", "--update", list, "--format", if list.ends_with("json") { "json" } else { "gnu" }, "."]);
        assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
        let name = list.strip_prefix("../").unwrap();
        let first = read(name);
        assert!(first.contains("./d01/e1/f00001"), "{first}");
        let again = of(&["sum", "--update", list, "."]);
        assert!(text(&again.stdout).contains("; 0 B read"), "{}", text(&again.stdout));
        fs::write(d.join("T/zz"), list).unwrap();
        assert_eq!(of(&["sum", "--update", list, "."]).status.code(), Some(0));
        assert!(read(name).starts_with(&first) && read(name).contains("./zz"), "{}", read(name));
        assert_eq!(of(&["audit", list]).status.code(), Some(0));
        fs::remove_file(d.join("T/zz")).unwrap();
    }
    // Lists that cannot be written as they are.
    for (name, list) in
        [("bad", "0123456789abcdef0123456789abcdeg  x\n"), ("lock", "{\"lockfileVersion\":3,\"packages\":{}}")]
    {
        fs::write(d.join(name), format!("{list}{}", if name == "bad" { fresh.clone() } else { String::new() }))
            .unwrap();
        let before = read(name);
        let (_, err, status) = update(&[name, "T"]);
        assert_eq!((status, read(name)), (Some(1), before), "{err}");
        assert!(!d.join(format!("{name}.unfinished.json")).exists());
    }
    // A medium that is not there is not an archive without files.
    fs::rename(d.join("T"), d.join("away")).unwrap();
    fs::create_dir(d.join("T")).unwrap();
    let (_, err, status) = update(&["plain", "--prune"]);
    assert_eq!(
        (status, err.ends_with("none of its files is there, so they are not dropped\n")),
        (Some(1), true),
        "{err}"
    );
    fs::remove_dir(d.join("T")).unwrap();
    let o = hashmill(d, &["audit", "plain"]);
    assert!(text(&o.stdout).ends_with("missing; 0 B read\n") && !text(&o.stdout).contains("skipped"));
    fs::rename(d.join("away"), d.join("T")).unwrap();
    assert_eq!(update(&["nowhere"]).2, Some(2));
    assert_eq!(update(&["plain", "-a", "md5", "T"]).2, Some(2));
}

/// A run that is killed leaves the old list, and the next one goes on.
#[test]
fn a_killed_update_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    fs::create_dir(d.join("t")).unwrap();
    // They end one after the other, the largest last.
    let size = |i: usize| if i == 39 { 10_000_000 } else { 1000 * (i + 1) };
    for i in 0..40 {
        fs::write(d.join(format!("t/{i:02}")), vec![i as u8; size(i)]).unwrap();
    }
    let mut child = hashmill_measure::bare::command(executable())
        .args(["sum", "--update", "list", "-a", "md2", "-j1", "t"])
        .current_dir(d)
        .spawn()
        .unwrap();
    // Until some files have been read.
    let journal = d.join("list.unfinished.json");
    let lines = || fs::read(&journal).map_or(0, |text| text.iter().filter(|&&b| b == b'\n').count());
    while lines() == 0 {
        assert!(child.try_wait().unwrap().is_none(), "it was over too soon");
        std::thread::sleep(Duration::from_millis(1));
    }
    let pid = child.id().to_string();
    assert_eq!(run(d, "kill", &["-STOP", &pid], b"").status.code(), Some(0));
    assert!(child.try_wait().unwrap().is_none(), "it was over too soon");
    // Another run at the same time would spoil the list.
    let second = hashmill(d, &["sum", "--update", "list", "-a", "md2", "t"]);
    assert_eq!(text(&second.stderr), "hashmill: list: another run is bringing the list up to date\n");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!d.join("list").exists());
    let done = lines();
    // A line that was cut off, and one of a file that has changed since.
    File::options().append(true).open(&journal).unwrap().write_all(b"{\"path\":\"t/39\",\"si").unwrap();
    let o = hashmill(d, &["sum", "--update", "list", "-a", "md2", "--resume", "t"]);
    assert_eq!(o.status.code(), Some(0), "{}", text(&o.stderr));
    let out = text(&o.stdout);
    assert!(out.starts_with("t: 0 same, 40 new; ") && out.contains(&format!(" {done} not read (")), "{out}");
    assert!(done > 0 && !journal.exists());
    assert_eq!(hashmill(d, &["check", "--quiet", "-a", "md2", "list"]).status.code(), Some(0));
}

/// Parts of a tree on several machines, and their lists as one.
#[test]
fn shards_and_merged_lists() {
    let dir = plant(300);
    let d = dir.path();
    let mut names = Vec::new();
    let mut least = usize::MAX;
    for i in 1..=3 {
        let shard = format!("{i}/3");
        let o = hashmill(d, &["sum", "-r", "--shard", &shard, "-o", &format!("part{i}"), "T"]);
        assert_eq!(o.status.code(), Some(0), "{}", text(&o.stderr));
        least = least.min(fs::read_to_string(d.join(format!("part{i}"))).unwrap().lines().count());
        names.push(format!("part{i}"));
    }
    assert!(least > 70, "{least}");
    let o = hashmill(d, &["merge", "part2", "part1", "part3"]);
    assert_eq!(text(&o.stdout), fs::read_to_string(d.join("SHA256SUMS")).unwrap());
    // Several digests of a file come together, and contradictions do not.
    let md5 = hashmill(d, &["sum", "-r", "-a", "md5", "T"]).stdout;
    fs::write(d.join("MD5SUMS"), md5).unwrap();
    let o = hashmill(d, &["merge", "--format", "json", "MD5SUMS", "SHA256SUMS", "-o", "all"]);
    assert_eq!(o.status.code(), Some(0), "{}", text(&o.stderr));
    assert_eq!(text(&hashmill(d, &["check", "--quiet", "all"]).stdout), "");
    assert!(fs::read_to_string(d.join("all")).unwrap().lines().next().unwrap().contains("\"md5\":"));
    fs::write(d.join("wrong"), format!("0cc175b9c0f1b6a831c399e269772661  {}\n", planted(1))).unwrap();
    let o = hashmill(d, &["merge", "MD5SUMS", "wrong"]);
    assert_eq!((o.status.code(), text(&o.stderr).contains("with another digest")), (Some(1), true));
    let o = hashmill(d, &["merge", "MD5SUMS", "SHA256SUMS"]);
    assert_eq!(text(&o.stdout).lines().filter(|l| l.starts_with("SHA256 (T/")).count(), 300);
    assert_eq!(hashmill(d, &["merge", "--format", "sfv", "MD5SUMS", "SHA256SUMS"]).status.code(), Some(2));
    for bad in ["0/3", "4/3", "1", "x/y", "1/0"] {
        assert_eq!(hashmill(d, &["sum", "-r", "--shard", bad, "T"]).status.code(), Some(2), "{bad}");
    }
}

/// An archive that is read a part at a time: what was verified longest ago comes first, and everything has its turn.
#[test]
fn a_part_at_a_time() {
    let dir = plant(40);
    let d = dir.path();
    let state = |name: &str| -> BTreeMap<String, String> {
        let text = fs::read_to_string(d.join(name)).unwrap();
        let lines = text.lines().map(|l| serde_json::from_str::<Value>(l).unwrap());
        lines.map(|o| (o["path"].as_str().unwrap().into(), o["verified"].as_str().unwrap().into())).collect()
    };
    let mut seen = 0;
    for run in 1..=4 {
        let o = hashmill(d, &["audit", "--oldest", "25%", "times"]);
        let (out, left) = (text(&o.stdout), 40 - 10 * run);
        assert_eq!(o.status.code(), Some(0), "{out}");
        let says = if left == 0 {
            "everything has been read"
        } else {
            &format!("; {left} files were never read, for which it takes about ")
        };
        assert!(out.starts_with("T: 40 same; ") && out.contains(says), "{out}");
        assert_eq!(state("times.verified.json").len(), 10 * run, "{out}");
        seen += 10;
    }
    assert_eq!(seen, 40);
    // The two that were verified longest ago are the next.
    let all: String = state("times.verified.json")
        .keys()
        .map(|name| {
            let old = name.ends_with("7") && !name.ends_with("37");
            let year = if old { 2001 } else { 2002 };
            format!("{{\"path\":\"{name}\",\"verified\":\"{year}-01-01T00:00:00Z\"}}\n")
        })
        .collect();
    fs::write(d.join("mine"), all).unwrap();
    let o = hashmill(d, &["audit", "--oldest", "7.5", "--state", "mine", "times"]);
    assert!(text(&o.stdout).contains("; everything has been read since 2002-01-01"), "{}", text(&o.stdout));
    let half = fs::read_to_string(d.join("mine")).unwrap().lines().take(20).collect::<Vec<_>>().join("\n");
    fs::write(d.join("half"), half).unwrap();
    let o = hashmill(d, &["audit", "--oldest", "2.5", "--state", "half", "times"]);
    assert!(text(&o.stdout).contains("; 19 files were never read, for which it takes about "), "{}", text(&o.stdout));
    assert!(text(&o.stdout).contains(": by 2") && text(&o.stdout).contains(" at the pace of the last ones"));
    let now: Vec<String> =
        state("mine").into_iter().filter(|(_, t)| !t.starts_with("200")).map(|(name, _)| name).collect();
    assert_eq!(now, [planted(7), planted(17), planted(27)]);
    // What has changed is read in any case, and rot is found when it is its turn.
    fs::write(d.join(planted(7)), "new").unwrap();
    let mut content = fs::read(d.join(planted(5))).unwrap();
    content[0] ^= 1;
    fs::write(d.join(planted(5)), content).unwrap();
    set_time(&d.join(planted(5)), 1_700_000_005);
    let o = hashmill(d, &["audit", "--oldest", "2.5", "--state", "mine", "times"]);
    assert!(text(&o.stdout).contains("changed     T/d07"), "{}", text(&o.stdout));
    let o = hashmill(d, &["audit", "--budget", "1h", "times"]);
    assert!(
        text(&o.stdout).contains("rotten      T/d05") && text(&o.stdout).contains("everything"),
        "{}",
        text(&o.stdout)
    );
    for bad in [["--oldest", "0"], ["--oldest", "101"], ["--oldest", "x"], ["--budget", "2x"]] {
        assert_eq!(hashmill(d, &["audit", bad[0], bad[1], "times"]).status.code(), Some(2), "{bad:?}");
    }
    assert_eq!(hashmill(d, &["audit", "--quick", "--oldest", "5", "times"]).status.code(), Some(2));
}

/// A list is not brought up to date if something in it would be lost that is not understood.
#[test]
fn what_would_be_lost() {
    const A: &str = "0cc175b9c0f1b6a831c399e269772661";
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    fs::create_dir(d.join("in")).unwrap();
    fs::write(d.join("in/a"), "a").unwrap();
    for (list, why) in [
        (format!("{{\"path\":\"a\",\"digests\":{{\"md5\":\"{A}\",\"foo\":\"{A}\"}}}}\n"), "digests by foo, "),
        (format!("#mtree\n./a type=file md5={A} optional\n"), "files marked optional "),
        (format!("#mtree\n./a type=file md5={A}\n./b type=file nochange\n"), "files marked nochange "),
    ] {
        fs::write(d.join("list"), &list).unwrap();
        let o = hashmill(d, &["sum", "--update", "list", "in"]);
        let said = text(&o.stderr);
        assert!(said.contains("cannot be updated: something in it would be lost (") && said.contains(why), "{said}");
        assert_eq!(o.status.code(), Some(1));
        assert_eq!(fs::read_to_string(d.join("list")).unwrap(), list);
    }
}

/// No name that a stranger has made a link is written or read through.
#[test]
fn links_that_lead_elsewhere() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    fs::create_dir(d.join("t")).unwrap();
    fs::write(d.join("t/1"), "one").unwrap();
    fs::write(d.join("victim"), "precious").unwrap();
    fs::write(d.join("L"), text(&run(&d.join("t"), "sha256sum", &["1"], b"").stdout)).unwrap();
    for (side, args) in
        [("times", &["sum", "--update", "L", "t"][..]), ("verified", &["audit", "--oldest", "50%", "L", "t"])]
    {
        symlink("victim", d.join(format!("L.{side}.json"))).unwrap();
        let o = hashmill(d, args);
        assert!(text(&o.stderr).contains("is a symbolic link"), "{args:?} {}", text(&o.stderr));
        assert_ne!(o.status.code(), Some(0));
        fs::remove_file(d.join(format!("L.{side}.json"))).unwrap();
    }
    assert_eq!(fs::read_to_string(d.join("victim")).unwrap(), "precious");
    // What a listed name leads to outside of the folder is not the listed file.
    fs::rename(d.join("t/1"), d.join("outside")).unwrap();
    symlink("../outside", d.join("t/1")).unwrap();
    let o = hashmill(d, &["audit", "L", "t"]);
    assert!(text(&o.stdout).starts_with("unreadable  1"), "{}", text(&o.stdout));
    assert_eq!(o.status.code(), Some(1));
    // One within the folder is.
    fs::remove_file(d.join("t/1")).unwrap();
    fs::write(d.join("t/2"), "one").unwrap();
    symlink("2", d.join("t/1")).unwrap();
    let o = hashmill(d, &["audit", "--allow-new", "L", "t"]);
    assert_eq!(o.status.code(), Some(0), "{}{}", text(&o.stdout), text(&o.stderr));
    // A file is no duplicate of itself.
    symlink("t", d.join("l")).unwrap();
    let whole = d.join("t");
    for roots in [["t", whole.to_str().unwrap()], ["l", "t"]] {
        let o = hashmill(d, &[&["dups"], &roots[..]].concat());
        assert!(!text(&o.stdout).contains("t/2"), "{}", text(&o.stdout));
    }
}

/// What is outside of the folder is not read to find out algorithms either, and no list chooses a folder elsewhere.
#[test]
fn nothing_outside_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    let x = d.join("x");
    for folder in ["x", "out"] {
        fs::create_dir(d.join(folder)).unwrap();
    }
    fs::write(x.join("one"), "1").unwrap();
    fs::write(d.join("out/secret"), "secret").unwrap();
    symlink("../out", x.join("leak")).unwrap();
    let secret = Algorithm::named("sha3-256").unwrap().digest(b"secret");
    for name in ["leak/secret", "../out/secret", d.join("out/secret").to_str().unwrap()] {
        fs::write(d.join("list"), format!("{secret}  {name}\n{}  one\n", "0".repeat(64))).unwrap();
        for args in [&["audit", "../list", "."][..], &["diff", "../list", "."], &["sum", "--update", "../list", "."]] {
            let o = hashmill(&x, args);
            assert!(!text(&o.stderr).contains("digests are"), "{name} {args:?}: {}", text(&o.stderr));
            assert_ne!(o.status.code(), Some(0), "{name} {args:?}: {}", text(&o.stdout));
        }
        // Without another file, the folder would be the one that the name leads to.
        for args in
            [&["audit", "../list"][..], &["sum", "--update", "../list"], &["audit", "--repair", "../out", "../list"]]
        {
            fs::write(d.join("list"), format!("SHA3-256 ({name}) = {secret}\n")).unwrap();
            let o = hashmill(&x, args);
            let said = text(&o.stderr);
            assert!(!text(&o.stdout).contains("1 same"), "{name} {args:?}: {}", text(&o.stdout));
            assert!(said.contains("not below") || said.contains("is outside of"), "{name} {args:?}: {said}");
            assert_ne!(o.status.code(), Some(0), "{name} {args:?}");
        }
    }
}

/// Absolute names are those of files in the folder that is given, however it is spelled, or in the innermost one.
#[test]
fn absolute_names() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    fs::create_dir_all(d.join("x/sub")).unwrap();
    fs::write(d.join("x/one"), "1").unwrap();
    fs::write(d.join("x/sub/two"), "2").unwrap();
    symlink("x", d.join("link")).unwrap();
    let real = d.join("x").canonicalize().unwrap();
    let list = stdout(&hashmill(d, &["sum", "-r", "-a", "md5", real.to_str().unwrap()]));
    fs::write(d.join("list"), &list).unwrap();
    let same = |from: &str, args: &[&str]| {
        let o = hashmill(&d.join(from), args);
        assert!(text(&o.stdout).contains(": 2 same; "), "{from} {args:?}: {}{}", text(&o.stdout), text(&o.stderr));
        assert_eq!(o.status.code(), Some(0), "{from} {args:?}");
    };
    for (from, args) in [
        ("", &["audit", "list", "x"][..]),
        ("", &["audit", "list", "./x/"]),
        ("", &["audit", "list", "link"]),
        ("", &["audit", "list"]),
        ("x", &["audit", "../list", "."]),
        ("x", &["audit", "../list"]),
        ("x/sub", &["audit", "../../list", ".."]),
    ] {
        same(from, args);
    }
    let o = hashmill(&d.join("x/sub"), &["audit", "../../list"]);
    assert!(text(&o.stderr).contains("which is not below the current folder"), "{}", text(&o.stderr));
    assert_eq!(o.status.code(), Some(1));
    let o = hashmill(d, &["sum", "--update", "list", "x"]);
    assert_eq!((o.status.code(), fs::read_to_string(d.join("list")).unwrap()), (Some(0), list));
    // Shells call the current folder by the link that led there.
    let link = d.canonicalize().unwrap().join("link");
    let lines = format!("{}  {}\n", Algorithm::MD5.digest(b"1"), link.join("one").display());
    fs::write(d.join("list"), &lines).unwrap();
    let shell = |command: &str| {
        let o = Command::new("sh").arg("-c").arg(command).arg(executable()).current_dir(d).output().unwrap();
        (text(&o.stdout), o.status.code())
    };
    let ok = |name: &str| (format!("{name}: OK\n"), Some(0));
    let one = link.join("one").display().to_string();
    assert_eq!(shell("cd link && exec \"$0\" check ../list"), ok(&one));
    assert_eq!(shell("exec \"$0\" check -C link list"), ok(&one));
    let up = format!("{}/sub/../one", real.display());
    fs::write(d.join("list"), format!("{}  {up}\n", Algorithm::MD5.digest(b"1"))).unwrap();
    assert_eq!(shell("cd x && exec \"$0\" check ../list"), ok(&up));
    // A link that is not the current folder does not become it by its name.
    let (said, status) = shell("cd out 2> e || mkdir out && cd out && PWD=$PWD/../x exec \"$0\" check ../list");
    assert_eq!((said.contains("REFUSED"), status), (true, Some(1)), "{said}");
}

/// A list is about the folder that it is in if none of its files is in the current one.
#[test]
fn lists_of_other_folders() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    for file in ["p/1", "p/sub/2", "other/f"] {
        fs::create_dir_all(d.join(file).parent().unwrap()).unwrap();
        fs::write(d.join(file), file).unwrap();
    }
    assert!(hashmill(&d.join("p"), &["sum", "-r", ".", "-o", "SUMS"]).status.success());
    let before = fs::read_to_string(d.join("p/SUMS")).unwrap();
    for (from, list) in [("", "p/SUMS"), ("other", "../p/SUMS"), ("p/sub", "../SUMS")] {
        let o = hashmill(&d.join(from), &["audit", list]);
        assert!(text(&o.stdout).contains(": 2 same; "), "{from}: {}{}", text(&o.stdout), text(&o.stderr));
        assert_eq!(o.status.code(), Some(0));
    }
    fs::write(d.join("p/3"), "three").unwrap();
    let o = hashmill(d, &["sum", "--update", "p/SUMS"]);
    assert_eq!(o.status.code(), Some(0), "{}", text(&o.stderr));
    let after = fs::read_to_string(d.join("p/SUMS")).unwrap();
    let keeps = before.lines().all(|line| after.contains(line));
    assert!(keeps && after.lines().count() == 3 && !after.contains("other"), "{after}");
    // Without any of its files, it is about nothing that is known.
    fs::rename(d.join("p/SUMS"), d.join("other/SUMS")).unwrap();
    let o = hashmill(d, &["sum", "--update", "other/SUMS"]);
    assert!(text(&o.stderr).contains("none of the files that it names is there"), "{}", text(&o.stderr));
    assert_eq!(fs::read_to_string(d.join("other/SUMS")).unwrap(), after);
    let o = hashmill(d, &["sum", "--update", "-", "p"]);
    assert_eq!(o.status.code(), Some(2));
    assert!(!d.join("-").exists());
}

/// A digest that contradicts another is no sign that a file has moved.
#[test]
fn digests_that_contradict_each_other() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    fs::create_dir(d.join("s")).unwrap();
    fs::write(d.join("s/a"), "1").unwrap();
    fs::write(d.join("s/b"), "2").unwrap();
    let list = stdout(&hashmill(d, &["sum", "-r", "-a", "md5,sha256", "s"]));
    let wrong = list.replacen("= c", "= 0", 1);
    assert_ne!(wrong, list);
    fs::write(d.join("L"), &wrong).unwrap();
    for args in [&["audit", "L", "s"][..], &["diff", "L", "s"]] {
        let o = hashmill(d, args);
        let out = text(&o.stdout);
        assert!(!out.contains("->") && out.lines().next().is_some_and(|l| l.ends_with("s/a")), "{args:?} {out}");
        assert_eq!(o.status.code(), Some(1));
    }
    let o = hashmill(d, &["sum", "--update", "L", "s"]);
    assert_eq!(o.status.code(), Some(1));
    assert_eq!(fs::read_to_string(d.join("L")).unwrap(), wrong);
}

/// Lines that are not understood are dropped on demand, and so a list that is damaged can be mended.
#[test]
fn lines_that_are_dropped() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    fs::create_dir(d.join("in")).unwrap();
    ["a", "b"].into_iter().for_each(|f| fs::write(d.join("in").join(f), f).unwrap());
    assert!(hashmill(&d.join("in"), &["sum", "--format", "json", "-o", "../list", "a", "b"]).status.success());
    let list = fs::read_to_string(d.join("list")).unwrap();
    fs::write(d.join("list"), &list[..list.len() - 30]).unwrap();
    let o = hashmill(d, &["sum", "--update", "list", "in"]);
    assert!(text(&o.stderr).contains("would be lost; --prune drops them"), "{}", text(&o.stderr));
    let o = hashmill(d, &["sum", "--update", "list", "--prune", "in"]);
    assert_eq!(o.status.code(), Some(0), "{}", text(&o.stderr));
    assert_eq!(stdout(&hashmill(d, &["audit", "list", "in"])), "in: 2 same; 2 B read\n");
}

/// Of digests that have the same length and name no algorithm, the first of each file is used.
#[test]
fn unnamed_digests_of_the_same_length() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    let files = ["a", "b", "c"];
    files.into_iter().for_each(|f| fs::write(d.join(f), f).unwrap());
    let of = |algorithm: &str| {
        let list = stdout(&hashmill(d, &["sum", "--template", &format!("{{{algorithm}}}"), "a", "b", "c"]));
        list.lines().map(String::from).collect::<Vec<_>>()
    };
    let (md4, md5) = (of("md4"), of("md5"));
    let lines: Vec<String> = (0..3).map(|i| format!("{}  {}  {}\n", files[i], md4[i], md5[i])).collect();
    fs::write(d.join("list"), lines.concat()).unwrap();
    let o = hashmill(d, &["audit", "list"]);
    assert_eq!((text(&o.stdout).as_str(), o.status.code()), (".: 3 same; 3 B read\n", Some(0)));
    assert_eq!(text(&o.stderr).matches("only the first is used").count(), 1, "{}", text(&o.stderr));
}
