//! `hashmill copy` under attack: short digests, links, devices, odd destinations, failing calls, few threads and
//! descriptors. Every test states what must be true of files and exit statuses afterwards: no content is lost, nothing
//! is written outside the destination.
#![cfg(feature = "copy")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod common;

use common::copying::{copy_ok, files, names, temporaries};
use common::{CAP_SYS_ADMIN, is_capable, noise, run, stdout, text};
use rustix::fs::{CWD, FileType, Mode, XattrFlags, mknodat};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, File, FileTimes, Permissions};
use std::io::Read;
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt, PermissionsExt, chown, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime};
use tempfile::TempDir;

const ENXIO: i32 = 6;
const EAGAIN: i32 = 11;
const EIO: i32 = 5;

/// Hashes whose names are sound but whose digests are not: eight bits, or a single round.
const SHORT: [&str; 5] = ["blake2b-8", "blake3:1", "shake128:1", "skein512-8", "cubehash1+1/128+1-8"];

/// The program that runs another one with failing system calls, compiled once.
fn inject() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults/inject.c");
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("inject-{}", std::process::id()));
        let args = ["-O1", "-Wall", "-Wextra", "-Werror", "-o"].map(Path::new);
        let args: Vec<&Path> = args.into_iter().chain([program.as_path(), &source]).collect();
        stdout(&run(Path::new("."), "cc", &args, b""));
        program
    })
}

/// Returns `hashmill copy` with these arguments, to run in `dir`.
fn copy(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hashmill"));
    command.arg("copy").args(args).current_dir(dir);
    command
}

/// Returns `program` with faults injected into its system calls (see `inject.c`). `then` is the command of the rules
/// that run one. Logged calls go to the file `log`.
fn faulty(rules: &str, then: &str, program: &Command) -> Command {
    let dir = program.get_current_dir().unwrap();
    let mut command = Command::new(inject());
    command.arg(rules).arg(program.get_program()).args(program.get_args()).current_dir(dir);
    command.env("FAULT_RUN", then).env("FAULT_LOG", dir.join("log"));
    command
}

/// Starts a command in its own process group.
fn start(command: &mut Command) -> Child {
    command
        .env("LC_ALL", "C")
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap()
}

/// Time limit in seconds for commands that only have to end: many times what one takes on a machine that is busy with
/// other tests.
const PATIENCE: u64 = 120;

/// Runs a command that must end within `seconds`.
fn within(seconds: u64, command: &mut Command) -> Output {
    ended(seconds, start(command)).unwrap_or_else(|| panic!("{command:?} does not end within {seconds} s"))
}

/// Like [`within`], for a running command. `None` if it had to be killed.
fn ended(seconds: u64, mut child: Child) -> Option<Output> {
    fn reader(mut from: impl Read + Send + 'static) -> std::thread::JoinHandle<Vec<u8>> {
        std::thread::spawn(move || {
            let mut all = Vec::new();
            from.read_to_end(&mut all).unwrap();
            all
        })
    }
    let (out, err) = (reader(child.stdout.take().unwrap()), reader(child.stderr.take().unwrap()));
    let end = Instant::now() + Duration::from_secs(seconds);
    let status = loop {
        match child.try_wait().unwrap() {
            None if Instant::now() < end => std::thread::sleep(Duration::from_millis(3)),
            status => break status,
        }
    };
    if status.is_none() {
        let group = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process_group(group, rustix::process::Signal::KILL).unwrap();
        child.wait().unwrap();
    }
    let output = (out.join().unwrap(), err.join().unwrap());
    status.map(|status| Output { status, stdout: output.0, stderr: output.1 })
}

/// Runs a copy that must end.
fn attempt(dir: &Path, args: &[&str]) -> Output {
    within(PATIENCE, &mut copy(dir, args))
}

/// Runs a copy that must succeed, and returns its standard output.
fn done(dir: &Path, args: &[&str]) -> String {
    let o = attempt(dir, args);
    assert!(o.status.success(), "{args:?}: {:?}: {}{}", o.status, text(&o.stdout), text(&o.stderr));
    text(&o.stdout)
}

/// Returns both output streams, for messages.
fn said(o: &Output) -> String {
    format!("{:?}: {}{}", o.status.code(), text(&o.stdout), text(&o.stderr))
}

/// Creates a folder with files, each given as its path and content.
fn folder(what: &[(&str, &str)]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, content) in what {
        write(dir.path(), name, content);
    }
    dir
}

/// Writes a file, and creates the folders above it.
fn write(dir: &Path, name: &str, content: impl AsRef<[u8]>) {
    let path = dir.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// Returns the distinct contents of all files below a folder, without following links.
fn contents(at: &Path) -> BTreeSet<Vec<u8>> {
    files(at).into_iter().filter(|(name, _)| at.join(name).symlink_metadata().unwrap().is_file()).map(|f| f.1).collect()
}

fn has(at: &Path, content: &str) -> bool {
    at.exists() && contents(at).contains(content.as_bytes())
}

fn mode(path: &Path) -> u32 {
    path.symlink_metadata().unwrap().mode() & 0o7777
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

const CAP_MKNOD: u32 = 27;

/// A mount that is removed when this is dropped.
struct Mount(PathBuf);

impl Mount {
    /// None, and a line, where we may not mount. Where we may, a mount that fails is a failure.
    fn new(dir: &Path, options: &[&str], at: &str) -> Option<Mount> {
        if !is_capable(CAP_SYS_ADMIN) {
            common::skip("nothing can be mounted here");
            return None;
        }
        fs::create_dir_all(dir.join(at)).unwrap();
        stdout(&run(dir, "mount", &[options, &[at]].concat(), b""));
        Some(Mount(dir.join(at)))
    }

    /// A new ext4 of 32 MiB.
    fn ext4(dir: &Path, options: &str, at: &str) -> Option<Mount> {
        let image = format!("{at}.image");
        File::create(dir.join(&image)).unwrap().set_len(32 << 20).unwrap();
        if is_capable(CAP_SYS_ADMIN) {
            stdout(&run(dir, "mkfs.ext4", &["-q", "-m", "0", &image], b""));
        }
        Mount::new(dir, &["-o", options, &image], at)
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

/// Returns two texts of one length with the same digest if such a pair is among some hundred texts, else any two.
fn colliding(algorithm: &str) -> (String, String) {
    if algorithm == "crc32" {
        return ("plumless".into(), "buckeroo".into());
    }
    let dir = tempfile::tempdir().unwrap();
    let texts: Vec<String> = (0..300).map(|i| format!("{i:04}")).collect();
    for t in &texts {
        fs::write(dir.path().join(t), t).unwrap();
    }
    let args: Vec<&str> =
        ["sum", "--untagged", "-a", algorithm].into_iter().chain(texts.iter().map(String::as_str)).collect();
    let lines = stdout(&run(dir.path(), env!("CARGO_BIN_EXE_hashmill"), &args, b""));
    let mut seen = HashMap::new();
    for line in lines.lines() {
        let (digest, name) = line.split_once("  ").unwrap();
        if let Some(before) = seen.insert(digest, name) {
            return (before.into(), name.into());
        }
    }
    assert!(!SHORT.contains(&algorithm), "300 texts cannot have 300 digests of 8 bits");
    (texts[0].clone(), texts[1].clone())
}

/// Files with the same digest of 8 bits were taken for the same, and with `--move` the only copy was deleted.
#[test]
fn nothing_is_taken_for_the_same_because_of_a_short_digest() {
    for algorithm in SHORT.into_iter().chain(["crc32", "xxh64", "sha224", "crc32,blake2b-8"]) {
        let (one, two) = colliding(algorithm.rsplit(',').next().unwrap());
        let both = |at: &Path| has(at, &one) && has(at, &two);
        for options in
            ["", "--move", "--dedupe", "--dedupe --move", "--verify source --move", "--on-conflict repair --move"]
        {
            let args: Vec<&str> = ["-a", algorithm].into_iter().chain(options.split_whitespace()).collect();
            let args = [&args[..], &["s", "d"]].concat();
            // Under the same name.
            let dir = folder(&[("s/f", &one), ("d/f", &two)]);
            let said = done(dir.path(), &args);
            let replaced = options.contains("repair");
            let right = if replaced { has(&dir.path().join("d"), &one) } else { both(&dir.path().join("d")) };
            assert!(right, "{args:?}: {:?}: {said}", files(&dir.path().join("d")));
            // The same with what the catalogue says about the file that is there.
            let dir = folder(&[("s/f", &two)]);
            done(dir.path(), &["-a", algorithm, "s", "d"]);
            write(dir.path(), "s/f", &one);
            let said = done(dir.path(), &args);
            let right = if replaced { has(&dir.path().join("d"), &one) } else { both(&dir.path().join("d")) };
            assert!(right, "{args:?}, catalogue: {:?}: {said}", files(&dir.path().join("d")));
            // Under another name, there already and in the same run.
            let dir = folder(&[("s/f", &one), ("d/other", &two)]);
            let said = done(dir.path(), &args);
            assert!(both(&dir.path().join("d")), "{args:?}, other name: {said}");
            let dir = folder(&[("s/f", &one), ("s/g", &two)]);
            let said = done(dir.path(), &args);
            assert!(both(&dir.path().join("d")), "{args:?}, two: {said}");
        }
        // Two names that become one.
        let dir = folder(&[("s/a/f", &one), ("s/b/f", &two)]);
        done(dir.path(), &["-a", algorithm, "--move", "--layout", "{name}", "s", "d"]);
        assert!(both(&dir.path().join("d")), "{algorithm}: {:?}", files(&dir.path().join("d")));
    }
}

/// Of 40 different files of 4 bytes, `--dedupe` lost four.
#[test]
fn forty_different_files_are_no_duplicates() {
    for algorithm in SHORT {
        let dir = tempfile::tempdir().unwrap();
        for i in 0..40 {
            write(dir.path(), &format!("s/{i}"), format!("{i:04}"));
        }
        let said = done(dir.path(), &["-a", algorithm, "--dedupe", "s", "d"]);
        assert_eq!(contents(&dir.path().join("d")).len(), 40, "{algorithm}: {said}");
    }
}

/// A copy that was written wrongly passed verification if the short digest happened to be the same.
#[test]
fn a_wrong_copy_does_not_pass_with_the_right_short_digest() {
    // A text whose digest stays the same when one bit of its first byte changes.
    let dir = tempfile::tempdir().unwrap();
    let texts: Vec<String> = (0..256).map(|i| format!("0{i:04}")).collect();
    let flipped = |t: &str| format!("4{}", &t[1..]);
    let all: Vec<String> = texts.iter().cloned().chain(texts.iter().map(|t| flipped(t))).collect();
    for t in &all {
        fs::write(dir.path().join(t), t).unwrap();
    }
    let args: Vec<&str> =
        ["sum", "--untagged", "-a", "blake2b-8"].into_iter().chain(all.iter().map(String::as_str)).collect();
    let lines = stdout(&run(dir.path(), env!("CARGO_BIN_EXE_hashmill"), &args, b""));
    let digests: HashMap<&str, &str> =
        lines.lines().map(|l| l.split_once("  ").unwrap()).map(|(digest, name)| (name, digest)).collect();
    let lucky = texts.iter().find(|t| digests[t.as_str()] == digests[flipped(t).as_str()]).unwrap();

    for options in ["", "--move", "--verify source"] {
        let dir = folder(&[("s/f", lucky)]);
        // Whatever has the right content when something in DEST is synced is changed behind the back of the program.
        let then = format!(
            "for f in $(grep -rlFx {lucky} d); do printf 4 | dd of=$f conv=notrunc 2>/dev/null; touch struck; done"
        );
        let args: Vec<&str> = options.split_whitespace().chain(["-a", "blake2b-8", "s", "d"]).collect();
        let o = within(PATIENCE, &mut faulty("fsync,/d/,0,-1,run", &then, &copy(dir.path(), &args)));
        assert!(dir.path().join("struck").exists(), "{options}: the fault did not strike: {}", said(&o));
        assert!(!has(&dir.path().join("d"), &flipped(lucky)), "{options}: {}", said(&o));
        assert!(!o.status.success() && has(&dir.path().join("s"), lucky), "{options}: {}", said(&o));
    }
}

/// Creates a folder `d` in which a link `a` leads to a folder `v` outside, as a copy of a tree with such a link does.
fn with_a_link() -> TempDir {
    let dir = folder(&[("s2/a/f", "evil"), ("v/f", "precious")]);
    fs::set_permissions(dir.path().join("v"), Permissions::from_mode(0o700)).unwrap();
    fs::set_permissions(dir.path().join("s2/a"), Permissions::from_mode(0o777)).unwrap();
    fs::create_dir(dir.path().join("s1")).unwrap();
    symlink(dir.path().join("v"), dir.path().join("s1/a")).unwrap();
    done(dir.path(), &["s1", "d"]);
    assert!(dir.path().join("d/a").is_symlink());
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_234_567_890);
    File::open(dir.path().join("v")).unwrap().set_times(FileTimes::new().set_modified(long_ago)).unwrap();
    dir
}

/// Asserts that the folder outside is unchanged.
fn assert_untouched(dir: &Path, what: &str) {
    let v = dir.join("v");
    assert_eq!(names(&v), ["f"], "{what}");
    assert_eq!(fs::read(v.join("f")).unwrap(), b"precious", "{what}");
    assert_eq!(mode(&v), 0o700, "{what}");
    assert_eq!(v.metadata().unwrap().mtime(), 1_234_567_890, "{what}");
}

/// A link copied by a first run led a second one out of DEST: `v/f` was overwritten, `v` became 0777.
#[test]
fn a_copied_link_does_not_lead_out_of_the_destination() {
    for options in [
        "",
        "--on-conflict repair",
        "--on-conflict skip",
        "--move",
        "--move --on-conflict repair",
        "--layout {folder}/{name}",
        "--layout {folder}/{name} --on-conflict repair --move",
        "--manifest d/L",
        "--dedupe",
        "--verify none",
        "--no-catalogue",
    ] {
        let dir = with_a_link();
        let args: Vec<&str> = options.split_whitespace().chain(["s2", "d"]).collect();
        let o = attempt(dir.path(), &args);
        assert_untouched(dir.path(), &format!("{options}: {}", said(&o)));
        let (from, to) = (has(&dir.path().join("s2"), "evil"), has(&dir.path().join("d"), "evil"));
        assert!(from || to, "{options}: lost: {}", said(&o));
        assert!(to || o.status.code() != Some(0) || options.contains("skip"), "{options}: not copied: {}", said(&o));
        assert!(o.status.success() || !o.stderr.is_empty());
        assert!(dir.path().join("d/a").is_symlink(), "{options}");
    }
}

/// The same file behind a link out of DEST counted as already there, and its source was deleted.
#[test]
fn what_is_behind_a_link_is_not_there_already() {
    for options in ["", "--dedupe", "--no-catalogue"] {
        let dir = with_a_link();
        write(dir.path(), "s2/a/f", "precious");
        let args: Vec<&str> = options.split_whitespace().chain(["--move", "s2", "d"]).collect();
        let o = attempt(dir.path(), &args);
        assert_untouched(dir.path(), options);
        let (from, to) = (has(&dir.path().join("s2"), "precious"), has(&dir.path().join("d"), "precious"));
        assert!(from || to, "{options}: {}", said(&o));
    }
}

/// Links deeper in DEST, whether relative, to folders within DEST or dangling, do not count as folders either.
#[test]
fn no_link_below_the_destination_is_followed() {
    for (link, target) in [("d/x/a", "../../v"), ("d/x/a", "../b"), ("d/x", "b"), ("d/x/a", "nowhere")] {
        let dir = folder(&[("s/x/a/f", "new"), ("d/b/f", "precious"), ("d/b/a/f", "precious"), ("v/f", "precious")]);
        fs::create_dir_all(dir.path().join(link).parent().unwrap()).unwrap();
        symlink(target, dir.path().join(link)).unwrap();
        let before = (files(&dir.path().join("d/b")), files(&dir.path().join("v")));
        let o = attempt(dir.path(), &["--on-conflict", "repair", "s", "d"]);
        assert_eq!((files(&dir.path().join("d/b")), files(&dir.path().join("v"))), before, "{link} -> {target}");
        assert!(dir.path().join(link).is_symlink(), "{link} -> {target}");
        assert!(has(&dir.path().join("d"), "new") || o.status.code() != Some(0), "{link} -> {target}: {}", said(&o));
    }
}

/// The two kinds of links that a user may want to be followed.
#[test]
fn the_destination_may_be_a_link_and_links_in_it_are_followed_on_demand() {
    let dir = folder(&[("s/a/f", "new")]);
    fs::create_dir(dir.path().join("real")).unwrap();
    symlink("real", dir.path().join("d")).unwrap();
    let before = contents(&dir.path().join("s"));
    done(dir.path(), &["s", "d"]);
    assert_eq!(contents(&dir.path().join("real")), before);
    assert!(done(dir.path(), &["s", "d/"]).contains("1 there already"));

    let dir = with_a_link();
    done(dir.path(), &["--follow-dest", "s2", "d"]);
    assert_eq!(fs::read(dir.path().join("v/f")).unwrap(), b"precious");
    assert_eq!(fs::read(dir.path().join("v/f-1")).unwrap(), b"evil");
}

/// If a folder of the source is replaced by a link during the run, nothing behind the link is copied.
#[test]
fn a_source_folder_swapped_for_a_link_gives_nothing_from_outside() {
    for options in ["", "--move", "--verify source", "--layout {folder}/{name}"] {
        for (at, linked) in [("open,/s/a/f,0,1,run", "s/a"), ("open,/s/x/a/f,0,1,run", "s/x")] {
            let dir = folder(&[("s/a/f", "mine"), ("s/x/a/f", "mine"), ("o/f", "secret"), ("o/a/f", "secret")]);
            let then = format!("mv {linked} {linked}.old; ln -s $PWD/o {linked}");
            let args: Vec<&str> = options.split_whitespace().chain(["s", "d"]).collect();
            let o = within(PATIENCE, &mut faulty(at, &then, &copy(dir.path(), &args)));
            assert!(dir.path().join(linked).is_symlink(), "{at}: the fault did not strike");
            assert!(!has(&dir.path().join("d"), "secret"), "{options} {at}: {}", said(&o));
            assert_eq!(names(&dir.path().join("o")), ["a", "f"], "{options} {at}: {}", said(&o));
            assert!(has(&dir.path().join("s"), "mine") || has(&dir.path().join("d"), "mine"), "{options} {at}");
        }
    }
}

/// A source was deleted by its path, wherever that led by then.
#[test]
fn a_source_is_deleted_only_where_it_was_read() {
    let dir = folder(&[("s/a/f", "mine"), ("o/f", "secret")]);
    let then = "mv s/a s/a.old; ln -s $PWD/o s/a";
    let o = within(PATIENCE, &mut faulty("unlink,s/a/f,0,1,run", then, &copy(dir.path(), &["--move", "s", "d"])));
    assert_eq!(fs::read(dir.path().join("o/f")).unwrap_or_default(), b"secret", "{}", said(&o));
    assert!(has(&dir.path().join("d"), "mine"), "{}", said(&o));
}

/// If a folder of DEST is replaced by a link during the run, nothing is renamed, deleted or given a mode behind the
/// link.
#[test]
fn a_destination_folder_swapped_for_a_link_leads_nowhere() {
    let mut struck = 0;
    for when in ["fsync,/d/a/,0,1,run", "syncdir,/d/a,0,1,run", "rename,/d/a/,0,1,run", "open,/d/a/,1,1,run"] {
        for options in ["", "--on-conflict repair", "--move"] {
            let dir = with_a_link();
            fs::remove_file(dir.path().join("d/a")).unwrap();
            write(dir.path(), "d/a/f", "old");
            let then = "mv d/a d/a.old; ln -s $PWD/v d/a";
            let args: Vec<&str> = options.split_whitespace().chain(["s2", "d"]).collect();
            let o = within(PATIENCE, &mut faulty(when, then, &copy(dir.path(), &args)));
            struck += usize::from(dir.path().join("d/a").is_symlink());
            assert_untouched(dir.path(), &format!("{options} {when}: {}", said(&o)));
            let (from, to) = (has(&dir.path().join("s2"), "evil"), has(&dir.path().join("d"), "evil"));
            assert!(from || to, "{options} {when}: lost: {}", said(&o));
        }
    }
    assert!(struck > 3, "only {struck} faults struck");
}

/// The catalogue and journals followed a link with the name of their folder.
#[test]
fn nothing_is_kept_behind_a_link_called_hashmill() {
    for options in ["", "--no-catalogue", "--move"] {
        let dir = folder(&[("s/f", "content"), ("d/g", "other")]);
        fs::create_dir(dir.path().join("elsewhere")).unwrap();
        symlink(dir.path().join("elsewhere"), dir.path().join("d/.hashmill")).unwrap();
        let before = dir.path().join("elsewhere").metadata().unwrap().mtime_nsec();
        let args: Vec<&str> = options.split_whitespace().chain(["s", "d"]).collect();
        let o = attempt(dir.path(), &args);
        let elsewhere = dir.path().join("elsewhere");
        assert!(names(&elsewhere).is_empty() && elsewhere.metadata().unwrap().mtime_nsec() == before, "{options}");
        assert!(has(&dir.path().join("d"), "content") || o.status.code() != Some(0), "{options}: {}", said(&o));
        assert!(has(&dir.path().join("d"), "content") || has(&dir.path().join("s"), "content"), "{options}");
    }
    // A catalogue that is a link is not written through.
    let dir = folder(&[("s/f", "content"), ("important", "important")]);
    fs::create_dir_all(dir.path().join("d/.hashmill")).unwrap();
    symlink("../../important", dir.path().join("d/.hashmill/catalogue.sqlite")).unwrap();
    attempt(dir.path(), &["s", "d"]);
    assert_eq!(fs::read(dir.path().join("important")).unwrap(), b"important");
    let dir = folder(&[("s/f", "content")]);
    fs::create_dir_all(dir.path().join("d/.hashmill")).unwrap();
    symlink("../../important", dir.path().join("d/.hashmill/catalogue.sqlite")).unwrap();
    attempt(dir.path(), &["s", "d"]);
    assert!(!dir.path().join("important").exists());
}

/// A null device became a regular file. (The test makes its own instead of using the one in /dev.)
#[test]
fn a_device_as_manifest_stays_a_device() {
    if !is_capable(CAP_MKNOD) {
        common::skip("no devices can be made here");
        return;
    }
    let dir = folder(&[("s/f", "content")]);
    let null = dir.path().join("null");
    mknodat(CWD, &null, FileType::CharacterDevice, Mode::from_raw_mode(0o666), rustix::fs::makedev(1, 3)).unwrap();
    let o = attempt(dir.path(), &["--manifest", "null", "s", "d"]);
    assert!(null.symlink_metadata().unwrap().file_type().is_char_device(), "{}", said(&o));
    assert_eq!(names(dir.path()), ["d", "null", "s"]);
    assert!(has(&dir.path().join("d"), "content") || !o.status.success(), "{}", said(&o));
}

/// The temporary name of the list was predictable, and a link of that name was written through.
#[test]
fn links_laid_out_under_temporary_names_are_not_followed() {
    let dir = folder(&[("s/f", "content"), ("important", "important")]);
    let script = "i=$$; while [ $i -lt $(($$ + 200)) ]; do ln -s important .L.$i.part; i=$((i + 1)); done; exec \"$@\"";
    let mut command = Command::new("sh");
    let program = env!("CARGO_BIN_EXE_hashmill");
    command.args(["-c", script, "sh", program, "copy", "--manifest", "L", "s", "d"]).current_dir(dir.path());
    let o = within(PATIENCE, &mut command);
    assert_eq!(text(&fs::read(dir.path().join("important")).unwrap()), "important", "{}", said(&o));
    assert!(o.status.success(), "{}", said(&o));
    let list = dir.path().join("L");
    assert!(!list.is_symlink() && fs::read_to_string(list).unwrap().ends_with("  f\n"));
}

/// A list of mode 0600 became 0644, owned by root whoever had owned it, without its attributes.
#[test]
fn a_list_keeps_its_mode_owner_and_attributes() {
    let dir = folder(&[("s/f", "content"), ("L", "# mine\n")]);
    let list = dir.path().join("L");
    fs::set_permissions(&list, Permissions::from_mode(0o600)).unwrap();
    if is_root() {
        chown(&list, Some(12345), Some(23456)).unwrap();
    }
    let before = list.metadata().unwrap();
    let attributes = rustix::fs::setxattr(&list, "user.test", b"value", XattrFlags::empty()).is_ok();
    done(dir.path(), &["--manifest", "L", "s", "d"]);
    let written = fs::read_to_string(&list).unwrap();
    assert!(written.starts_with("# mine\n") && written.ends_with("  f\n"), "{written}");
    let after = list.metadata().unwrap();
    let of = |m: &fs::Metadata| (m.mode(), m.uid(), m.gid());
    assert_eq!(of(&after), of(&before), "{:o}", after.mode());
    if attributes {
        let mut value = [0; 16];
        let n = rustix::fs::getxattr(&list, "user.test", &mut value).unwrap();
        assert_eq!(&value[..n], b"value");
    } else {
        common::skip("this file system has no extended attributes");
    }
}

/// A list behind a link, and one that is a pipe (as /proc/self/fd/1, to which /dev/stdout leads: a program that
/// replaces links would replace the system's /dev/stdout).
#[test]
fn a_list_behind_a_link_is_written_where_the_link_leads() {
    let dir = folder(&[("s/f", "content"), ("lists/real", "# mine\n")]);
    let link = dir.path().join("L");
    symlink("lists/real", &link).unwrap();
    done(dir.path(), &["--manifest", "L", "s", "d"]);
    assert_eq!(fs::read_link(&link).unwrap(), Path::new("lists/real"));
    let list = fs::read_to_string(dir.path().join("lists/real")).unwrap();
    assert!(list.starts_with("# mine\n") && list.ends_with("  f\n"), "{list}");
    assert_eq!(names(&dir.path().join("lists")), ["real"]);

    fs::remove_file(&link).unwrap();
    symlink("/proc/self/fd/1", &link).unwrap();
    for name in ["/proc/self/fd/1", "L"] {
        let o = within(PATIENCE, &mut copy(dir.path(), &["-a", "sha256", "--manifest", name, "s", "d"]));
        assert!(o.status.success(), "{name}: {}", said(&o));
        let want = "ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73  f\n";
        assert!(text(&o.stdout).contains(want), "{name}: {}", said(&o));
        assert!(link.is_symlink(), "{name}");
    }
}

/// Returns the logged calls that make files durable and those that delete, in order.
fn calls(dir: &Path) -> Vec<(String, PathBuf)> {
    let log = fs::read_to_string(dir.join("log")).unwrap_or_default();
    log.lines().map(|l| l.split_once(' ').unwrap()).map(|(call, path)| (call.into(), path.into())).collect()
}

/// Sources of files that DEST already had were deleted although nothing had made those files durable.
#[test]
fn what_was_there_already_is_synced_before_its_source_goes() {
    const LOG: &str = "fsync,,0,-1,log;syncdir,,0,-1,log;syncfs,,0,-1,log;unlink,,0,-1,log";
    for (options, name) in [
        ("", "d/f"),
        ("--no-catalogue", "d/f"),
        ("--dedupe", "d/sub/other"),
        ("--layout x/{name}", "d/x/f"),
        ("--verify source", "d/f"),
    ] {
        for known in [false, true] {
            let dir = folder(&[("s/f", "content"), (name, "content"), ("empty/.x", "")]);
            if known {
                done(dir.path(), &["empty", "d"]);
                done(dir.path(), &["--dedupe", "s", "d"]);
            }
            let args: Vec<&str> = options.split_whitespace().chain(["--move", "s", "d"]).collect();
            let o = within(PATIENCE, &mut faulty(LOG, "", &copy(dir.path(), &args)));
            assert!(o.status.success() && !dir.path().join("s/f").exists(), "{args:?}: {}", said(&o));
            let (all, file) = (calls(dir.path()), dir.path().canonicalize().unwrap().join(name));
            let gone = all.iter().position(|(call, path)| call == "unlink" && path.ends_with("s/f")).unwrap();
            let synced = |what: &str, path: &Path| {
                all[..gone].iter().any(|(call, p)| call == "syncfs" || (call == what && p == path))
            };
            assert!(synced("fsync", &file), "{args:?}: the file was not synced: {all:?}");
            assert!(synced("syncdir", file.parent().unwrap()), "{args:?}: its folder was not synced: {all:?}");
        }
    }
}

/// The entries of the folders that a run creates, DEST included, are durable before a source is deleted.
#[test]
fn new_folders_are_synced_where_they_are_listed_before_a_source_goes() {
    const LOG: &str = "fsync,,0,-1,log;syncdir,,0,-1,log;syncfs,,0,-1,log;unlink,,0,-1,log";
    let dir = folder(&[("s/a/b/f", "content")]);
    let o = within(PATIENCE, &mut faulty(LOG, "", &copy(dir.path(), &["--move", "s", "new/d"])));
    assert!(o.status.success() && !dir.path().join("s/a/b/f").exists(), "{}", said(&o));
    let (all, root) = (calls(dir.path()), dir.path().canonicalize().unwrap());
    let gone = all.iter().position(|(call, path)| call == "unlink" && path.ends_with("s/a/b/f")).unwrap();
    for name in ["", "new", "new/d", "new/d/a", "new/d/a/b"] {
        let synced = all[..gone]
            .iter()
            .any(|(c, p)| c == "syncfs" || (c == "syncdir" && *p == root.join(name).components().as_path()));
        assert!(synced, "{name:?} was not synced: {all:?}");
    }
}

/// `--dedupe` took a minute for 400 files of 32 bytes.
#[test]
fn dedupe_is_quick_with_many_files_of_one_length() {
    for n in [400u64, 1000] {
        let dir = tempfile::tempdir().unwrap();
        for i in 0..n {
            // Half of them are the same as another one.
            write(dir.path(), &format!("s/f{i}"), noise(32, 7 + i % (n / 2)));
            write(dir.path(), &format!("t/g{i}"), noise(32, 7 + i % n));
        }
        assert_eq!(contents(&dir.path().join("s")).len() as u64, n / 2);
        for (from, there) in [("s", n / 2), ("t", n), ("s", n), ("t", n)] {
            let o = within(10, &mut copy(dir.path(), &["--dedupe", from, "d"]));
            assert!(o.status.success(), "{}", said(&o));
            let (all, once) = (files(&dir.path().join("d")).len(), contents(&dir.path().join("d")).len());
            assert_eq!((all as u64, once as u64), (there, there), "{from}: {}", said(&o));
        }
        assert!(contents(&dir.path().join("d")).is_superset(&contents(&dir.path().join("s"))));
    }
}

/// On a file system that accepts O_DIRECT without effect, the closing line claimed that it was used.
#[test]
fn the_closing_line_says_how_copies_were_read_back() {
    // The words that claim it, and not those that deny it.
    let claims = |said: &str| said.contains("O_DIRECT") && !said.contains("no O_DIRECT");
    let dir = tempfile::tempdir().unwrap();
    for i in 0..5 {
        write(dir.path(), &format!("s/f{i}"), noise(100_000, i));
    }
    if Path::new("/dev/shm").is_dir() {
        let memory = tempfile::tempdir_in("/dev/shm").unwrap();
        let to = memory.path().join("d");
        let said = done(dir.path(), &["s", to.to_str().unwrap()]);
        assert!(!claims(&said) && said.contains("page cache") && !said.contains("the medium"), "tmpfs: {said}");
    } else {
        common::skip("no tmpfs");
    }
    let Some(_plain) = Mount::ext4(dir.path(), "loop", "plain") else { return };
    let said = done(dir.path(), &["s", "plain/d"]);
    assert!(claims(&said), "ext4: {said}");
    let Some(_journal) = Mount::ext4(dir.path(), "loop,data=journal", "journal") else { return };
    let said = done(dir.path(), &["s", "journal/d"]);
    assert!(!claims(&said) && said.contains("cache"), "ext4 with data=journal: {said}");
    let said = done(dir.path(), &["--move", "s", "journal/d"]);
    assert!(!claims(&said), "ext4 with data=journal, there already: {said}");
}

/// Creates files in two folders.
fn some_files(dir: &Path, n: u64) -> BTreeMap<PathBuf, Vec<u8>> {
    for i in 0..n {
        let sub = if i % 3 == 0 { "sub/" } else { "" };
        write(dir, &format!("s/{sub}f{i}"), noise(1000 + 37 * i as usize, i));
    }
    files(&dir.join("s"))
}

/// Asserts that every file with a final name is right, and that nothing is lost.
fn assert_sound(dir: &Path, before: &BTreeMap<PathBuf, Vec<u8>>, what: &str) {
    let read = |at: &str| if dir.join(at).exists() { files(&dir.join(at)) } else { BTreeMap::new() };
    let (from, to) = (read("s"), read("d"));
    for (name, content) in &to {
        let temporary = name.file_name().unwrap().to_string_lossy().starts_with(".hashmill");
        assert!(temporary || before.get(name) == Some(content), "{what}: {} is wrong", name.display());
    }
    for (name, content) in before {
        assert!(from.get(name).or(to.get(name)) == Some(content), "{what}: {} is lost", name.display());
    }
}

/// If a thread could not be created, one thread panicked and the others waited for ever.
#[test]
fn too_few_threads_are_an_error_and_no_hang() {
    for allowed in 0..=12 {
        for options in ["", "--move -j4", "--by-date", "--verify source -a md5,sha256"] {
            let dir = tempfile::tempdir().unwrap();
            let before = some_files(dir.path(), 20);
            let rules = format!("thread,,{allowed},-1,e{EAGAIN}");
            let layout = options.contains("by-date");
            let args: Vec<&str> = options.split_whitespace().chain(["s", "d"]).collect();
            let o = within(PATIENCE, &mut faulty(&rules, "", &copy(dir.path(), &args)));
            let what = format!("{allowed} threads, {options}: {}", said(&o));
            assert!(!text(&o.stderr).contains("panicked at") && o.status.code() != Some(101), "{what}");
            assert!(o.status.success() || text(&o.stderr).contains("hashmill: "), "{what}");
            if !layout {
                assert_sound(dir.path(), &before, &what);
            }
            done(dir.path(), &args);
            let all: BTreeSet<Vec<u8>> = before.values().filter(|c| *c != b"folder").cloned().collect();
            assert_eq!(contents(&dir.path().join("d")), all, "{what}");
            assert_eq!(temporaries(&dir.path().join("d")), 0, "{what}");
        }
    }
}

/// The same for `sum`, with many files and with a long one.
#[test]
fn too_few_threads_for_sums_are_an_error_and_no_hang() {
    let dir = tempfile::tempdir().unwrap();
    for i in 0..24 {
        write(dir.path(), &format!("many/f{i}"), noise(300_000, i));
    }
    write(dir.path(), "long", noise(8 << 20, 1));
    for what in ["many", "long"] {
        let mut sum = Command::new(env!("CARGO_BIN_EXE_hashmill"));
        sum.args(["sum", "-j16", "-a", "md5,sha256", "-r", what]).current_dir(dir.path());
        let right = within(PATIENCE, &mut sum);
        assert!(right.status.success(), "{}", said(&right));
        for allowed in [0, 1, 2, 5, 14, 15] {
            let o = within(PATIENCE, &mut faulty(&format!("thread,,{allowed},-1,e{EAGAIN}"), "", &sum));
            let what = format!("{what}, {allowed} threads: {}", text(&o.stderr));
            assert!(!text(&o.stderr).contains("panicked at") && o.status.code() != Some(101), "{what}");
            assert!(if o.status.success() { o.stdout == right.stdout } else { !o.stderr.is_empty() }, "{what}");
        }
    }
}

/// A folder whose descriptor could not be closed made a thread panic.
#[test]
fn folders_that_cannot_be_closed_or_listed_are_no_panic() {
    for call in ["closedir", "list", "syncdir"] {
        for (at, options) in
            [("/d", ""), ("/s", ""), ("/d", "--move"), ("/s", "--move"), ("/d/.hashmill", ""), ("/sub", "")]
        {
            let dir = tempfile::tempdir().unwrap();
            let before = some_files(dir.path(), 12);
            // There is something to look through.
            write(dir.path(), "d/sub/f0", &before[Path::new("sub/f0")]);
            write(dir.path(), "d/.hashmill/journal-0123456789abcdef", "");
            let args: Vec<&str> = options.split_whitespace().chain(["s", "d"]).collect();
            let rules = format!("{call},{at},0,-1,e{EIO}");
            let o = within(PATIENCE, &mut faulty(&rules, "", &copy(dir.path(), &args)));
            let what = format!("{rules} {options}: {}", said(&o));
            assert!(!text(&o.stderr).contains("panicked at") && o.status.code() != Some(101), "{what}");
            assert_sound(dir.path(), &before, &what);
            if call == "list" && at != "/d/.hashmill" && at != "/d" {
                assert!(!o.status.success() && !o.stderr.is_empty(), "{what}");
            }
            done(dir.path(), &args);
            assert_sound(dir.path(), &before, &what);
            assert_eq!(contents(&dir.path().join("d")).len(), 12, "{what}");
        }
    }
}

/// `DEST/.hashmill` as a dangling link was retried for ever, and a pipe with a journal's name was waited for.
#[test]
fn odd_things_in_place_of_the_catalogue_do_not_hang() {
    type Lay<'a> = &'a dyn Fn(&Path);
    let fifo = |path: PathBuf| mknodat(CWD, &path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    let inside = |d: &Path, name: &str| {
        fs::create_dir_all(d.join(".hashmill")).unwrap();
        fifo(d.join(".hashmill").join(name));
    };
    let odd: [(&str, bool, Lay); 9] = [
        ("a dangling link", false, &|d| symlink("nowhere/at/all", d.join(".hashmill")).unwrap()),
        ("a dangling link in a real folder", false, &|d| symlink("nowhere", d.join(".hashmill")).unwrap()),
        ("a link to itself", false, &|d| symlink(".hashmill", d.join(".hashmill")).unwrap()),
        ("a regular file", false, &|d| fs::write(d.join(".hashmill"), "mine").unwrap()),
        ("a pipe", false, &|d| fifo(d.join(".hashmill"))),
        ("a pipe journal-x", true, &|d| inside(d, "journal-x")),
        ("a pipe named as a journal", true, &|d| inside(d, "journal-0123456789abcdef")),
        ("a pipe as catalogue", true, &|d| inside(d, "catalogue.sqlite")),
        ("a journal that is a folder", true, &|d| {
            fs::create_dir_all(d.join(".hashmill/journal-0123456789abcdef")).unwrap()
        }),
    ];
    for (name, works, lay) in odd {
        for options in ["", "--no-catalogue", "-n"] {
            let dir = folder(&[("s/f", "content"), ("d/g", "other")]);
            lay(&dir.path().join("d"));
            // A temporary file of the run whose journal is a pipe.
            write(dir.path(), "d/.hashmill-0123456789abcdef-7.part", "left");
            let kind = |d: &Path| d.join("d/.hashmill").symlink_metadata().unwrap().file_type();
            let before = kind(dir.path());
            let args: Vec<&str> = options.split_whitespace().chain(["s", "d"]).collect();
            let o = within(10, &mut copy(dir.path(), &args));
            let what = format!("{name}, {options}: {}", said(&o));
            assert!(!text(&o.stderr).contains("panicked at"), "{what}");
            assert!(!works || o.status.code().unwrap() & !32 == 0, "{what}");
            assert!(works || o.status.success() || text(&o.stderr).lines().count() == 1, "{what}");
            assert!(options == "-n" || !o.status.success() || has(&dir.path().join("d"), "content"), "{what}");
            assert!(works || kind(dir.path()) == before, "{what}");
        }
    }
}

/// Mode and owner were those at the time of listing: a 0600 file moved over a listed 0644 one was copied readable for
/// all.
#[test]
fn a_secret_file_that_takes_a_listed_ones_place_stays_secret() {
    for options in ["", "--move", "--verify source", "--verify none", "--by-date"] {
        for what in ["open,/s/f,0,1,run", "open,/d/.hashmill,0,1,run"] {
            let dir = folder(&[("s/f", "public"), ("secret", "secret")]);
            fs::set_permissions(dir.path().join("s/f"), Permissions::from_mode(0o644)).unwrap();
            let secret = dir.path().join("secret");
            fs::set_permissions(&secret, Permissions::from_mode(0o600)).unwrap();
            if is_root() {
                chown(&secret, Some(12345), Some(23456)).unwrap();
            }
            let of = |m: fs::Metadata| (m.mode(), m.uid(), m.mtime(), m.mtime_nsec());
            let want = of(secret.metadata().unwrap());
            let args: Vec<&str> = options.split_whitespace().chain(["s", "d"]).collect();
            let o = within(PATIENCE, &mut faulty(what, "mv secret s/f", &copy(dir.path(), &args)));
            assert!(!secret.exists(), "{what}: the fault did not strike");
            let d = dir.path().join("d");
            assert!(has(&d, "secret") || has(&dir.path().join("s"), "secret"), "{options}: lost: {}", said(&o));
            for (name, content) in files(&d) {
                if content == b"secret" {
                    assert_eq!(of(d.join(name).metadata().unwrap()), want, "{options} {what}: {}", said(&o));
                }
            }
        }
    }
}

/// Sources were deleted before it turned out that the list cannot be written.
#[test]
fn nothing_is_moved_when_the_list_cannot_be_written() {
    let dir = folder(&[("s/f", "content"), ("file", "")]);
    fs::create_dir(dir.path().join("folder")).unwrap();
    symlink("nowhere/L", dir.path().join("dangling")).unwrap();
    for list in ["nodir/L", "folder", "file/L", "dangling", "folder/"] {
        for options in [&["--move"][..], &[]] {
            let o = attempt(dir.path(), &[options, &["--manifest", list, "s", "d"]].concat());
            assert!(!o.status.success() && !o.stderr.is_empty(), "{list}: {}", said(&o));
            assert!(dir.path().join("s/f").exists(), "{list}: {}", said(&o));
        }
    }
}

/// With `--move`, a pipe must not hold the only list of what was moved.
#[test]
fn a_pipe_as_list_is_refused_when_sources_are_deleted() {
    let dir = folder(&[("s/f", "content")]);
    mknodat(CWD, dir.path().join("fifo"), FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    for list in ["fifo", "/proc/self/fd/1"] {
        let o = within(10, &mut copy(dir.path(), &["--move", "--manifest", list, "s", "d"]));
        assert_eq!(o.status.code(), Some(2), "{list}: {}", said(&o));
        assert!(dir.path().join("s/f").exists() && !has(&dir.path().join("d"), "content"), "{list}");
    }
    assert!(dir.path().join("fifo").symlink_metadata().unwrap().file_type().is_fifo());
}

/// Asserts that the list has every file once, and that all files match it.
fn assert_complete(dir: &Path, list: &str, n: usize, what: &str) {
    let lines = fs::read_to_string(dir.join(list)).unwrap_or_default();
    let mut names: Vec<&str> = lines.lines().filter_map(|l| l.split_once("  ").map(|l| l.1)).collect();
    names.sort();
    names.dedup();
    assert_eq!((names.len(), lines.lines().count()), (n, n), "{what}");
    let o = run(&dir.join("d"), "sha256sum", &["-c", "--quiet", &format!("../{list}")], b"");
    assert!(o.status.success(), "{what}: {}", said(&o));
}

/// A run killed before its list was renamed left a list without the files it had moved.
#[test]
fn the_list_of_a_killed_move_is_completed_by_the_same_command() {
    const N: usize = 200;
    let mut random = noise(400, 3).into_iter();
    let mut number =
        move || f64::from(u16::from(random.next().unwrap()) << 8 | u16::from(random.next().unwrap())) / 65536.0;
    let mut whole = Duration::ZERO;
    let mut lucky = 0;
    for round in 0..60 {
        let dir = tempfile::tempdir().unwrap();
        for i in 0..N {
            write(dir.path(), &format!("s/{}/f{i}", i % 5), noise(100 + i, i as u64));
        }
        let more = if round % 4 == 1 { vec!["--no-catalogue"] } else { vec![] };
        let args = [&["--move", "-a", "sha256", "--manifest", "L"], &more[..], &["s", "d"]].concat();
        let continued = round % 5 == 4;
        if continued {
            write(dir.path(), "t/old", "old");
            done(dir.path(), &["-a", "sha256", "--manifest", "L", "t", "d"]);
        }
        if round == 0 {
            let begun = Instant::now();
            done(dir.path(), &args);
            whole = begun.elapsed();
        } else if round % 3 == 1 {
            // When so many sources have gone.
            let gone = (number() * N as f64) as usize;
            within(PATIENCE, &mut faulty(&format!("unlink,/s/,{gone},1,kill"), "", &copy(dir.path(), &args)));
        } else {
            let mut child = copy(dir.path(), &args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            std::thread::sleep(whole.mul_f64(number() * 1.05));
            child.kill().unwrap();
            lucky += usize::from(child.wait().unwrap().success());
        }
        done(dir.path(), &args);
        assert_complete(dir.path(), "L", N + usize::from(continued), &format!("round {round}"));
    }
    // Were it over before it was killed each time, this would show nothing.
    assert!(lucky < 35, "{lucky} of 39 runs were over before they were killed");
}

/// Killed at each of its calls: after the same command again, the list has all files moved, and nothing temporary is
/// left beside the list or in DEST.
#[test]
fn killed_at_every_call_a_run_leaves_a_complete_list_and_nothing_else() {
    let mut struck = 0;
    for call in ["unlink", "rename", "syncdir", "fsync", "link"] {
        for nth in 0..40 {
            let dir = tempfile::tempdir().unwrap();
            for i in 0..6 {
                write(dir.path(), &format!("s/f{i}"), noise(100 + i, i as u64));
            }
            let args = ["--move", "-j1", "-a", "sha256", "--manifest", "L", "s", "d"];
            let o = within(PATIENCE, &mut faulty(&format!("{call},,{nth},1,kill"), "", &copy(dir.path(), &args)));
            let killed = o.status.code() == Some(137);
            let what = format!("{call} {nth}: {}", said(&o));
            assert!(killed || o.status.success(), "{what}");
            if !dir.path().join("s").exists() {
                fs::create_dir(dir.path().join("s")).unwrap();
            }
            done(dir.path(), &args);
            assert_complete(dir.path(), "L", 6, &what);
            let beside: Vec<String> = names(dir.path()).into_iter().filter(|n| n != "s").collect();
            assert_eq!(beside, ["L", "d"], "{what}");
            assert_eq!(names(&dir.path().join("d")), ["f0", "f1", "f2", "f3", "f4", "f5"], "{what}");
            assert_eq!(temporaries(&dir.path().join("d")), 0, "{what}");
            if !killed {
                break;
            }
            struck += 1;
        }
    }
    assert!(struck > 10, "only {struck} calls");
}

/// Of two runs with one list, the one that ended last left only its own lines.
#[test]
fn two_runs_with_one_list_are_both_in_it() {
    for round in 0..4 {
        let dir = tempfile::tempdir().unwrap();
        for (from, i) in [("one", 0), ("two", 1)].into_iter().flat_map(|(f, k)| (0..100).map(move |i| (f, 2 * i + k))) {
            write(dir.path(), &format!("{from}/{from}{i}"), noise(3000, i));
        }
        let more = if round % 2 == 0 { &[][..] } else { &["--move"] };
        let run =
            |from| start(&mut copy(dir.path(), &[more, &["-a", "sha256", "--manifest", "L", from, "d"]].concat()));
        for child in [run("one"), run("two")] {
            let o = ended(30, child).expect("both end");
            assert!(o.status.success(), "{}", said(&o));
        }
        assert_complete(dir.path(), "L", 200, &format!("round {round}"));
        assert_eq!(temporaries(&dir.path().join("d")), 0);
    }
}

/// With `--manifest >(cmd)`, the pipe was read first, for ever.
#[test]
fn a_list_may_be_a_shells_pipe() {
    let dir = folder(&[("s/f", "content"), ("s/sub/g", "other")]);
    let mut bash = Command::new("bash");
    let script = "\"$0\" copy -a sha256 --manifest >(cat > out) s d; status=$?; wait; exit $status";
    bash.args(["-c", script, env!("CARGO_BIN_EXE_hashmill")]).current_dir(dir.path());
    let o = within(10, &mut bash);
    assert!(o.status.success(), "{}", said(&o));
    assert_complete(dir.path(), "out", 2, &said(&o));
    assert_eq!(names(dir.path()), ["d", "out", "s"]);
}

/// A run into a folder below the destination of another run deleted the other's temporary files.
#[test]
fn a_run_into_a_nested_destination_leaves_a_living_ones_files_alone() {
    let program = env!("CARGO_BIN_EXE_hashmill");
    for (to, other) in [("d", "d/x"), ("d/x", "d"), ("d", "m/x"), ("m/x", "d"), ("d", "link/x")] {
        let mut struck = false;
        for when in ["fsync,/x/,0,1,run", "fsync,/x/,1,1,run", "rename,/x/,0,1,run", "rename,/x/,1,1,run"] {
            let dir = folder(&[("b/x/other", "other"), ("b/other", "other")]);
            fs::create_dir_all(dir.path().join("d/x")).unwrap();
            symlink("d", dir.path().join("link")).unwrap();
            let mount = to.starts_with('m') || other.starts_with('m');
            let mounted = if mount { Mount::new(dir.path(), &["--bind", "d"], "m") } else { None };
            if mount && mounted.is_none() {
                // Nothing to strike at.
                struck = true;
                continue;
            }
            for i in 0..4 {
                let below = if to.ends_with('x') { "" } else { "x/" };
                write(dir.path(), &format!("a/{below}f{i}"), noise(5000, i));
            }
            let then = format!("'{program}' copy b {other} >out 2>&1 && touch ran");
            let o = within(PATIENCE, &mut faulty(when, &then, &copy(dir.path(), &["-j1", "a", to])));
            let what = format!("{to} and {other}, {when}: {}", said(&o));
            struck |= dir.path().join("ran").exists();
            assert!(o.status.success() && o.stderr.is_empty(), "{what}");
            assert!(contents(&dir.path().join("d")).is_superset(&contents(&dir.path().join("a"))), "{what}");
            assert_eq!(temporaries(&dir.path().join("d")), 0, "{what}");
        }
        assert!(struck, "{to} and {other}: no fault struck");
    }
}

/// A file system that reports holes wrongly led to zeros under the final name, verified against themselves.
#[test]
fn holes_that_are_none_are_copied_as_what_they_are() {
    for lie in [
        format!("data,/s/sparse,0,-1,e{ENXIO}"),
        format!("data,/s/sparse,0,1,e{ENXIO}"),
        "data,/s/sparse,0,1,v2097152".into(),
    ] {
        for options in ["", "--verify source", "--verify hash", "--move", "-a md5,sha256", "--dedupe"] {
            let dir = folder(&[("s/plain", "content")]);
            let file = File::create(dir.path().join("s/sparse")).unwrap();
            file.write_all_at(&noise(100_000, 1), 0).unwrap();
            file.write_all_at(&noise(100_000, 2), 2 << 20).unwrap();
            file.set_len(5_000_000).unwrap();
            drop(file);
            let before = contents(&dir.path().join("s"));
            let args: Vec<&str> = options.split_whitespace().chain(["s", "d"]).collect();
            let o = within(PATIENCE, &mut faulty(&lie, "", &copy(dir.path(), &args)));
            let what = format!("{lie} {options}: {}", said(&o));
            // Compared without printing five million bytes.
            let there = contents(&dir.path().join("d"));
            assert!(there.is_subset(&before), "{what}: wrong content");
            assert!(
                there == before || (!o.status.success() && contents(&dir.path().join("s")) == before),
                "{what}: lost"
            );
        }
    }
}

/// Returns an access control list in the kernel's format, which gives the user 12345 the permissions `user`.
fn acl(user: u16) -> Vec<u8> {
    let mut list = 2u32.to_le_bytes().to_vec();
    for (tag, rights, id) in [(1u16, 7u16, !0u32), (2, user, 12345), (4, 5, !0), (16, 7, !0), (32, 0, !0)] {
        list.extend(tag.to_le_bytes());
        list.extend(rights.to_le_bytes());
        list.extend(id.to_le_bytes());
    }
    list
}

fn attribute(path: &Path, name: &str) -> Option<Vec<u8>> {
    let mut value = vec![0; 4096];
    let n = rustix::fs::lgetxattr(path, name, &mut value).ok()?;
    value.truncate(n);
    Some(value)
}

/// Folders lost owner, attributes and default access control list.
#[test]
fn folders_keep_owner_mode_attributes_and_default_acl() {
    let dir = folder(&[("s/one/two/f", "content")]);
    let none = XattrFlags::empty();
    for (i, name) in ["one", "one/two", "empty"].into_iter().enumerate() {
        let path = dir.path().join("s").join(name);
        fs::create_dir_all(&path).unwrap();
        if is_root() {
            chown(&path, Some(12345 + i as u32), Some(23456)).unwrap();
        }
        fs::set_permissions(&path, Permissions::from_mode([0o2750, 0o1777, 0o500][i])).unwrap();
        if rustix::fs::setxattr(&path, "user.test", name.as_bytes(), none).is_err()
            || rustix::fs::setxattr(&path, "system.posix_acl_default", &acl(7), none).is_err()
        {
            common::skip("this file system has no extended attributes");
            return;
        }
    }
    // A file that has its list from its folder, and one without any.
    write(dir.path(), "s/one/inherited", "more");
    let f = dir.path().join("s/one/two/f");
    fs::set_permissions(&f, Permissions::from_mode(0o640)).unwrap();
    for (options, to) in [("", "d"), ("--move", "e")] {
        let of = |at: &str, name: &str| {
            let path = dir.path().join(at).join(name);
            let m = path.symlink_metadata().unwrap();
            let names = ["user.test", "system.posix_acl_default", "system.posix_acl_access"];
            // A folder whose files are deleted has another time.
            let time = if options == "--move" && m.is_dir() { 0 } else { m.mtime() };
            (format!("{:o}", m.mode()), m.uid(), m.gid(), time, names.map(|n| attribute(&path, n)))
        };
        let all = ["one", "one/two", "empty", "one/two/f", "one/inherited"];
        let before = all.map(|n| of("s", n));
        let args: Vec<&str> = options.split_whitespace().chain(["s", to]).collect();
        done(dir.path(), &args);
        for (name, before) in all.into_iter().zip(before) {
            assert_eq!(of(to, name), before, "{name} {options}");
        }
    }
}

/// The default access control list of DEST's folder was added to the copies.
#[test]
fn a_default_acl_of_the_destination_gives_copies_nothing() {
    let dir = folder(&[("s/f", "content"), ("s/sub/g", "other"), ("old/.x", "")]);
    for (name, bits) in [("s/f", 0o600), ("s/sub/g", 0o644), ("s/sub", 0o755)] {
        fs::set_permissions(dir.path().join(name), Permissions::from_mode(bits)).unwrap();
    }
    let d = dir.path().join("d");
    fs::create_dir(&d).unwrap();
    if rustix::fs::setxattr(&d, "system.posix_acl_default", &acl(7), XattrFlags::empty()).is_err() {
        common::skip("this file system has no access control lists");
        return;
    }
    done(dir.path(), &["s", "d"]);
    for (name, bits) in [("f", 0o600), ("sub/g", 0o644), ("sub", 0o755)] {
        let path = d.join(name);
        assert_eq!(mode(&path), bits, "{name}: {:o}", mode(&path));
        assert_eq!(attribute(&path, "system.posix_acl_access"), None, "{name}");
    }
}

/// With 1024 descriptors, a third of 3000 files failed.
#[test]
fn few_descriptors_are_enough() {
    let dir = tempfile::tempdir().unwrap();
    for i in 0..3000 {
        let name = format!("{}/f{i}", i % 50);
        write(dir.path(), &format!("s/{name}"), format!("{i:05}"));
        if i < 800 {
            write(dir.path(), &format!("few/{name}"), format!("{i:05}"));
        }
    }
    for (limit, from, n, options) in [
        (1024, "s", 3000, "-a md5 -j8"),
        (128, "few", 800, "-a md5 -j8 --verify source"),
        (64, "few", 800, "-a md5 -j8"),
        (64, "few", 800, "--dedupe -j8 --manifest L"),
    ] {
        let _ = fs::remove_dir_all(dir.path().join("d"));
        // The second time it reads what is there.
        for (more, count) in [("", format!("{n} files copied")), ("--fresh", format!("{n} there already"))] {
            let script = format!("ulimit -n {limit}; exec \"$0\" copy {more} {options} {from} d");
            let mut sh = Command::new("sh");
            sh.args(["-c", &script, env!("CARGO_BIN_EXE_hashmill")]).current_dir(dir.path());
            let o = within(60, &mut sh);
            let last: Vec<String> = text(&o.stderr).lines().rev().take(3).map(String::from).collect();
            let what = format!("{limit} {options} {more}: {:?}: {} {last:?}", o.status.code(), text(&o.stdout));
            assert!(o.status.success() && text(&o.stdout).contains(&count), "{what}");
            assert!(files(&dir.path().join("d")) == files(&dir.path().join(from)), "{what}");
        }
    }
}

/// A damaged page in the catalogue led to status 32 on every run.
#[test]
fn a_damaged_catalogue_is_rebuilt() {
    let dir = tempfile::tempdir().unwrap();
    for i in 0..1500 {
        write(dir.path(), &format!("s/a file with a name of some length {i}"), format!("{i:05}"));
    }
    copy_ok(dir.path(), &["s", "d"]);
    let catalogue = dir.path().join("d/.hashmill/catalogue.sqlite");
    let whole = fs::read(&catalogue).unwrap();
    let pages = whole.len() / 4096;
    assert!(pages > 30, "{pages} pages");
    for (round, page) in [pages / 2, 1, pages / 3, pages - 2, 2].into_iter().enumerate() {
        let mut damaged = whole.clone();
        damaged[page * 4096..(page + 1) * 4096].fill(0xa5);
        fs::write(&catalogue, damaged).unwrap();
        for run in 0..3 {
            // Something that has to be written into it.
            write(dir.path(), &format!("s/new {round} {run}"), format!("{round} {run}"));
            let o = attempt(dir.path(), &["s", "d"]);
            let code = o.status.code().unwrap();
            let what = format!("page {page} of {pages}, run {run}: {}", said(&o));
            assert!(code == 0 || (run == 0 && code == 32), "{what}");
            assert!(text(&o.stdout).contains("1 file copied"), "{what}");
        }
        assert!(files(&dir.path().join("s")) == files(&dir.path().join("d")), "page {page}");
    }
}

/// Returns the positions at which bytes occur.
fn occurrences(of: &[u8], within: &[u8]) -> Vec<usize> {
    (0..=within.len() - of.len()).filter(|&i| within[i..].starts_with(of)).collect()
}

/// A flipped bit in a digest of the catalogue led to a second copy of the same file.
#[test]
fn a_flipped_bit_in_the_catalogue_makes_no_second_copy() {
    let dir = folder(&[("s/f", "content")]);
    let sum = run(dir.path(), env!("CARGO_BIN_EXE_hashmill"), &["sum", "-a", "blake3", "s/f"], b"");
    let line = stdout(&sum);
    let hex = line.split_once(' ').unwrap().0;
    let digest: Vec<u8> = (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect();
    done(dir.path(), &["s", "d"]);
    // What has changed a moment ago is not kept.
    std::thread::sleep(Duration::from_millis(2100));
    done(dir.path(), &["--fresh", "s", "d"]);
    let catalogue = dir.path().join("d/.hashmill/catalogue.sqlite");
    let whole = fs::read(&catalogue).unwrap();
    let at = occurrences(&digest, &whole);
    assert!(!at.is_empty(), "the catalogue has no digest");
    write(dir.path(), "t/g", "content");
    let sets: Vec<Vec<usize>> = at.iter().map(|&a| vec![a]).chain([at.clone()]).collect();
    for set in sets {
        for options in ["", "--dedupe", "--on-conflict fail", "--on-conflict repair", "--move"] {
            let mut flipped = whole.clone();
            set.iter().for_each(|&a| flipped[a + 7] ^= 16);
            fs::write(&catalogue, flipped).unwrap();
            let dedupe = options == "--dedupe";
            let args: Vec<&str> = options.split_whitespace().chain([if dedupe { "t" } else { "s" }, "d"]).collect();
            let o = attempt(dir.path(), &args);
            let what = format!("{set:?} of {at:?} {options}: {}", said(&o));
            assert!(o.status.success(), "{what}");
            assert_eq!(names(&dir.path().join("d")), ["f"], "{what}");
            assert!(text(&o.stdout).contains("0 files copied"), "{what}");
            if options == "--move" {
                write(dir.path(), "s/f", "content");
            }
        }
    }
}
