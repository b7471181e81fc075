//! What becomes of `--manifest`: devices, pipes, links, killed runs.

use crate::support::injected::{PATIENCE, attempt, copying, done, ended, faulty, said, start, within};
use crate::support::running::{copy, copy_ok, names, temporaries};
use crate::support::trees::{folder, has, is_root, sources, tree, write};
use hashmill_measure::bare;
use hashmill_testing::{executable, hashmill, is_capable, noise, run, stdout, text};
use rustix::fs::{CWD, FileType, Mode, XattrFlags, mknodat};
use std::fs::{self, Permissions};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, chown, symlink};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

const CAP_MKNOD: u32 = 27;

/// A device given as manifest must not be replaced by a regular file. The test creates its own null device to spare
/// the one in /dev.
#[test]
fn a_device_as_manifest_stays_a_device() {
    if !is_capable(CAP_MKNOD) {
        hashmill_testing::skip("no devices can be made here");
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

/// The list's temporary file must not be written through a link of that name: predictable names invite such links.
#[test]
fn links_laid_out_under_temporary_names_are_not_followed() {
    let dir = folder(&[("s/f", "content"), ("important", "important")]);
    let script = "i=$$; while [ $i -lt $(($$ + 200)) ]; do ln -s important .L.$i.part; i=$((i + 1)); done; exec \"$@\"";
    let mut command = bare::command("sh");
    let program = executable();
    command.args(["-c", script, "sh", program, "copy", "--manifest", "L", "s", "d"]).current_dir(dir.path());
    let o = within(PATIENCE, &mut command);
    assert_eq!(text(&fs::read(dir.path().join("important")).unwrap()), "important", "{}", said(&o));
    assert!(o.status.success(), "{}", said(&o));
    let list = dir.path().join("L");
    assert!(!list.is_symlink() && fs::read_to_string(list).unwrap().ends_with("  f\n"));
}

/// A list that is replaced keeps its mode, its owner and its extended attributes.
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
        hashmill_testing::skip("this file system has no extended attributes");
    }
}

/// A list behind a link is written where the link leads; replacing links would replace the system's /dev/stdout.
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
        let o = within(PATIENCE, &mut copying(dir.path(), &["-a", "sha256", "--manifest", name, "s", "d"]));
        assert!(o.status.success(), "{name}: {}", said(&o));
        let want = "ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73  f\n";
        assert!(text(&o.stdout).contains(want), "{name}: {}", said(&o));
        assert!(link.is_symlink(), "{name}");
    }
}

/// If the list cannot be written, no source is deleted.
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
        let o = within(10, &mut copying(dir.path(), &["--move", "--manifest", list, "s", "d"]));
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

/// If a run is killed before it renames its list, the same command must put the moved files on the list, too.
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
            // Killed after `gone` sources have been deleted.
            let gone = (number() * N as f64) as usize;
            within(PATIENCE, &mut faulty(&format!("unlink,/s/,{gone},1,kill"), "", &copying(dir.path(), &args)));
        } else {
            let mut child = copying(dir.path(), &args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            std::thread::sleep(whole.mul_f64(number() * 1.05));
            child.kill().unwrap();
            lucky += usize::from(child.wait().unwrap().success());
        }
        done(dir.path(), &args);
        assert_complete(dir.path(), "L", N + usize::from(continued), &format!("round {round}"));
    }
    // If most runs were over before they were killed, this test would show nothing.
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
            let o = within(PATIENCE, &mut faulty(&format!("{call},,{nth},1,kill"), "", &copying(dir.path(), &args)));
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

/// If two runs write the same list, it has the lines of both.
#[test]
fn two_runs_with_one_list_are_both_in_it() {
    for round in 0..4 {
        let dir = tempfile::tempdir().unwrap();
        for (from, i) in [("one", 0), ("two", 1)].into_iter().flat_map(|(f, k)| (0..100).map(move |i| (f, 2 * i + k))) {
            write(dir.path(), &format!("{from}/{from}{i}"), noise(3000, i));
        }
        let more = if round % 2 == 0 { &[][..] } else { &["--move"] };
        let run =
            |from| start(&mut copying(dir.path(), &[more, &["-a", "sha256", "--manifest", "L", from, "d"]].concat()));
        for child in [run("one"), run("two")] {
            let o = ended(30, child).expect("both end");
            assert!(o.status.success(), "{}", said(&o));
        }
        assert_complete(dir.path(), "L", 200, &format!("round {round}"));
        assert_eq!(temporaries(&dir.path().join("d")), 0);
    }
}

/// A shell's pipe, as in `--manifest >(cmd)`, is only written to; reading it first would never end.
#[test]
fn a_list_may_be_a_shells_pipe() {
    let dir = folder(&[("s/f", "content"), ("s/sub/g", "other")]);
    let mut bash = bare::command("bash");
    let script = "\"$0\" copy -a sha256 --manifest >(cat > out) s d; status=$?; wait; exit $status";
    bash.args(["-c", script, executable()]).current_dir(dir.path());
    let o = within(10, &mut bash);
    assert!(o.status.success(), "{}", said(&o));
    assert_complete(dir.path(), "out", 2, &said(&o));
    assert_eq!(names(dir.path()), ["d", "out", "s"]);
}

#[test]
fn the_manifest_is_checked_by_anybody() {
    let dir = tempfile::tempdir().unwrap();
    let at = |p: &str| dir.path().join(p);
    tree(&at("src"));
    copy_ok(dir.path(), &["-a", "sha256", "--manifest", "dst/SHA256SUMS", "src", "dst"]);
    let check = |program: &str, args: &[&str]| stdout(&run(&at("dst"), program, args, b"")).lines().count();
    assert_eq!(check("sha256sum", &["-c", "SHA256SUMS"]), 13);
    assert_eq!(check(executable(), &["check", "SHA256SUMS"]), 13);
    copy_ok(dir.path(), &["-a", "md5,sha512", "--manifest", "two.txt", "src", "dst"]);
    assert_eq!(check("sha512sum", &["--status", "-c", "../two.txt"]), 0);
    assert_eq!(check(executable(), &["check", "../two.txt"]), 26);
    copy_ok(dir.path(), &["--manifest", "list.json", "--manifest-form", "json", "src", "dst"]);
    assert_eq!(check(executable(), &["check", "../list.json"]), 13);
    // A second import into the same list: old lines stay, and no file gets a second line.
    fs::create_dir(at("more")).unwrap();
    fs::write(at("more/new"), "new").unwrap();
    fs::write(at("more/zero"), "").unwrap();
    copy_ok(dir.path(), &["-a", "sha256", "--manifest", "dst/SHA256SUMS", "more", "dst"]);
    assert_eq!(check("sha256sum", &["-c", "SHA256SUMS"]), 14);
    // A list must never replace a file, nor a file the list.
    fs::create_dir(at("lists")).unwrap();
    fs::write(at("lists/SUMS"), "the source's own").unwrap();
    copy_ok(dir.path(), &["--manifest", "dst/SUMS", "lists", "dst"]);
    assert_eq!(fs::read_to_string(at("dst/SUMS-1")).unwrap(), "the source's own");
    assert!(fs::read_to_string(at("dst/SUMS")).unwrap().contains("SUMS-1"));
    // If the list cannot be written, that must be reported before anything is copied.
    fs::write(at("more/newer"), "newer").unwrap();
    let o = copy(dir.path(), &["--manifest", "nowhere/list", "more", "dst"]);
    assert_eq!(o.status.code(), Some(32));
    let said = text(&o.stderr);
    assert!(said.contains("nowhere/list: no such file or directory; nothing was copied"), "{said}");
    assert!(said.lines().count() == 1 && !at("dst/newer").exists());
}

/// If a list is continued, its lines must keep their form, and `check` must be able to read it.
#[test]
fn lists_are_continued_in_their_form() {
    for (options, form) in [
        (&["-a", "sha256"][..], "gnu"),
        (&["-a", "sha256", "--manifest-form", "bsd"], "bsd"),
        (&["-a", "sha256", "--manifest-form", "json"], "json"),
        (&["-a", "md5"], "gnu"),
        (&["-a", "blake3"], "gnu"),
        (&["-a", "sha3-256"], "bsd"),
        (&["-a", "crc32c"], "bsd"),
        (&["-a", "md5,sha1"], "bsd"),
        (&[], "gnu"),
    ] {
        let dir = sources();
        let d = dir.path();
        copy_ok(d, &[options, &["--manifest", "list", "s", "d"]].concat());
        fs::write(d.join("s/new"), "new").unwrap();
        // This time no form is given.
        let bare: Vec<&str> = options.iter().take(2).copied().collect();
        copy_ok(d, &[&bare[..], &["--manifest", "list", "s", "d"]].concat());
        let list = fs::read_to_string(d.join("list")).unwrap();
        for line in list.lines() {
            let is = if line.starts_with('{') {
                "json"
            } else if line.contains(" = ") {
                "bsd"
            } else {
                "gnu"
            };
            assert_eq!(is, form, "{options:?}: {line}");
        }
        let o = hashmill(&d.join("d"), &["check", "--strict", "../list"]);
        assert_eq!(
            (text(&o.stdout).lines().all(|l| l.contains(": OK")), o.status.code()),
            (true, Some(0)),
            "{options:?}: {list}"
        );
        assert!(list.lines().count() >= 4);
    }
    // If the list is of another algorithm with digests of the same length, its lines stay, and new ones are tagged.
    for (first, second) in [("sha256", "blake3"), ("blake3", "sha256"), ("sha512", "blake2b")] {
        let dir = sources();
        let d = dir.path();
        let at = d.join("d");
        copy_ok(d, &["s", "d"]);
        let list = stdout(&hashmill(&at, &["sum", "-a", first, "a", "sub/c"]));
        fs::write(d.join("list"), &list).unwrap();
        fs::remove_file(d.join("s/a")).unwrap();
        fs::remove_file(d.join("s/sub/c")).unwrap();
        copy_ok(d, &["-a", second, "--manifest", "list", "s", "d"]);
        let now = fs::read_to_string(d.join("list")).unwrap();
        assert!(list.lines().all(|l| now.contains(l)) && now.lines().count() == 3 && now.contains(" = "), "{now}");
        let o = hashmill(&at, &["check", "../list"]);
        assert_eq!((text(&o.stdout).lines().count(), o.status.code()), (3, Some(0)), "{now} {}", text(&o.stderr));
    }
    // If the list's name suggests another algorithm, the lines must be tagged.
    let dir = sources();
    let d = dir.path();
    copy_ok(d, &["--manifest", "SHA256SUMS", "s", "d"]);
    let o = hashmill(&d.join("d"), &["check", "../SHA256SUMS"]);
    assert!(o.status.success(), "{} {}", fs::read_to_string(d.join("SHA256SUMS")).unwrap(), text(&o.stderr));
    // A list whose names are marked with `*` is continued in that form.
    let dir = sources();
    let d = dir.path();
    copy_ok(d, &["s", "d"]);
    fs::write(d.join("list"), run(&d.join("d"), "md5sum", &["-b", "a"], b"").stdout).unwrap();
    copy_ok(d, &["-a", "md5", "--manifest", "list", "s", "d"]);
    let now = fs::read_to_string(d.join("list")).unwrap();
    assert!(now.lines().count() == 3 && now.lines().all(|l| l.contains(" *")), "{now}");
}

/// If `--manifest` names a photo by mistake, no lines must be appended to it. A list of comments only may be continued.
#[test]
fn a_manifest_that_is_something_else_is_refused() {
    let dir = sources();
    let d = dir.path();
    for there in [&noise(3000, 7)[..], b"\xff\0binary", b"a letter to somebody\n"] {
        fs::write(d.join("photo.jpg"), there).unwrap();
        let o = copy(d, &["--manifest", "photo.jpg", "s", "d"]);
        assert_eq!(o.status.code(), Some(32), "{}", text(&o.stderr));
        assert!(text(&o.stderr).contains("photo.jpg: exists and is not a checksum list"), "{}", text(&o.stderr));
        assert_eq!(fs::read(d.join("photo.jpg")).unwrap(), there);
        assert!(!d.join("d/a").exists() && !d.join("d/s/a").exists());
    }
    for there in [&b""[..], b"\n", b"; made by somebody\n# a comment\n"] {
        fs::write(d.join("list"), there).unwrap();
        copy_ok(d, &["--manifest", "list", "s", "d"]);
        assert!(fs::read(d.join("list")).unwrap().starts_with(there));
    }
}
