//! File systems with unusual rules for names, inode numbers, times and locks, and files with two paths.

use super::disk::{Mounted, memory, mount};
use super::report::{Attack, Outcome, finish};
use super::trace::{each, long, may_mount, plain, status};
use super::tree::{SCENES, read, temporaries};
use hashmill_testing::fuse::{Ctime, Ideas, show};
use hashmill_testing::noise;
use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, utimensat};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Output;

fn said(o: &Output) -> String {
    String::from_utf8_lossy(&o.stderr).into_owned()
}

/// Records a run that hangs, panics or fails.
fn well(o: &Output, ideas: &Ideas, outcome: &mut Outcome) {
    match status(o) {
        // If inode numbers change, a catalogue may be impossible.
        32 if ideas.unstable => {}
        124 => outcome.hung(said(o)),
        _ if said(o).contains("panicked at") => outcome.hung(said(o)),
        0 => {}
        n => outcome.wrong(format!("status {n}: {}", said(o))),
    }
}

/// Returns the content of a regular file.
fn text(name: &str) -> Vec<u8> {
    format!("the content of {name}").into_bytes()
}

/// If the destination takes two names for one, both contents must be in it afterwards.
#[test]
fn names_that_are_the_same_there() {
    if !may_mount() {
        return;
    }
    let attacks = [
        Attack::new("70-names-case", "names that differ in case, on a file system that sees no difference"),
        Attack::new("71-names-normal", "names that differ in Unicode normal form or dots at the end, likewise"),
        Attack::new("72-names-unstable", "the same where inode numbers change"),
    ];
    const PAIRS: [(usize, &str, &str, bool); 5] = [
        (0, "a.txt", "A.TXT", false),
        (1, "é.txt", "e\u{301}.txt", false),
        (1, "über", "u\u{308}ber", false),
        (1, "dots", "dots..", false),
        (2, "a.txt", "A.TXT", true),
    ];
    const COMMANDS: [&[&str]; 6] = [
        &["--on-conflict", "repair"],
        &["--on-conflict", "repair", "--memory", "1M"],
        &[],
        &["--move", "--on-conflict", "repair"],
        &["--move"],
        &["--layout", "{name}", "--on-conflict", "repair"],
    ];
    let mut tries = Vec::new();
    for pair in PAIRS {
        for command in COMMANDS {
            for before in [None, Some(pair.1), Some(pair.2)] {
                // The quick tier leaves out destinations that have the second name already.
                if long() || before != Some(pair.2) {
                    tries.push((pair, command, before, 0));
                }
            }
        }
    }
    // With 1 MiB of memory, 256 files are planned together; with 1000 files between the two, they are not in the same
    // plan. More would take minutes, since this file system compares every new name with all others.
    tries.push((PAIRS[0], COMMANDS[1], Some("a.txt"), 1000));
    each(&tries, |((row, one, other, unstable), command, before, between)| {
        let dir = memory();
        let (src, back, dst) = (dir.path().join("src"), dir.path().join("back"), dir.path().join("dst"));
        fs::create_dir_all(&src).unwrap();
        fs::create_dir_all(&back).unwrap();
        let mut outcome = Outcome::default();
        for name in [one, other] {
            fs::write(src.join(name), text(name)).unwrap();
        }
        for i in 0..*between {
            fs::write(src.join(format!("M{i}")), b"").unwrap();
        }
        if let Some(name) = before {
            fs::write(back.join(name), b"what was there").unwrap();
        }
        let ideas = Ideas { caseless: true, normal: true, unstable: *unstable, ..Ideas::default() };
        let shown = show(&back, &dst, ideas);
        let args: Vec<&str> = command.iter().copied().chain(["src", "dst"]).collect();
        for run in 0..2 {
            let o = plain(dir.path(), &args);
            well(&o, &ideas, &mut outcome);
            let there = read(&back);
            for name in [one, other] {
                if !there.values().any(|c| *c == text(name)) {
                    outcome.lost(format!("the content of {name} (run {run}): {}", said(&o)));
                }
            }
            let old = there.values().any(|c| c == b"what was there");
            if before.is_some() && !old && !command.contains(&"repair") {
                outcome.lost("what was there");
            }
            if there.len() > 4 + between {
                outcome.wrong(format!("{:?}", there.keys()));
            }
        }
        drop(shown);
        for name in temporaries(&back) {
            outcome.left(name);
        }
        attacks[*row].record(&outcome, || format!("{one} and {other}, {command:?}, there: {before:?}"));
    });
    finish(&attacks);
}

/// Two ways to reach the same files.
struct Ways {
    name: &'static str,
    src: PathBuf,
    dst: PathBuf,
    // Dropped, and so unmounted, before the folders are deleted.
    _shown: Option<hashmill_testing::fuse::Shown>,
    _mounted: Option<Mounted>,
}

fn ways(kind: usize, dir: &Path) -> Ways {
    let at = |name: &str| {
        fs::create_dir_all(dir.join(name)).unwrap();
        dir.join(name)
    };
    let real = at("real");
    fs::create_dir(real.join("sub")).unwrap();
    for (i, name) in ["one", "two", "sub/three"].into_iter().enumerate() {
        fs::write(real.join(name), noise(5000 * (i + 1), i as u64)).unwrap();
    }
    let through = |name, ideas, turned: bool| {
        let shown = show(&real, &at("shown"), ideas);
        let (src, dst) = if turned { (at("shown"), real.clone()) } else { (real.clone(), at("shown")) };
        Ways { name, src, dst, _shown: Some(shown), _mounted: None }
    };
    let over = |name, upper: bool, turned: bool| {
        let (lower, upper) = if upper { (at("other"), real.clone()) } else { (real.clone(), at("other")) };
        let options =
            format!("lowerdir={},upperdir={},workdir={}", lower.display(), upper.display(), at("work").display());
        let mounted = mount(&["-t", "overlay", "overlay", "-o", &options], &at("merged"));
        let (src, dst) = if turned { (at("merged"), real.clone()) } else { (real.clone(), at("merged")) };
        Ways { name, src, dst, _shown: None, _mounted: Some(mounted) }
    };
    let bare = Ideas { no_xattrs: true, ..Ideas::default() };
    match kind {
        0 => through("a FUSE file system that shows SRC", Ideas::default(), false),
        1 => through("the same without extended attributes", bare, false),
        2 => through("the same where inode numbers change", Ideas { unstable: true, ..bare }, false),
        3 => through("DEST is what FUSE shows as SRC", Ideas::default(), true),
        4 => through("the same without extended attributes", bare, true),
        5 => over("SRC is the upper folder of an overlay", true, false),
        6 => over("SRC is the lower folder of an overlay", false, false),
        7 => over("DEST is the upper folder of an overlay", true, true),
        8 => through(
            "a FUSE file system whose times cannot be believed",
            Ideas { ctime: Ctime::Constant, ..bare },
            false,
        ),
        _ => over("DEST is the lower folder of an overlay", false, true),
    }
}

/// If the file in the destination is the source itself, under another device number, it must stay, and a message must
/// say so.
#[test]
fn the_same_file_under_another_number() {
    if !may_mount() {
        return;
    }
    let attacks = [
        Attack::new("73-same-fuse", "`--move` onto the same files, seen through FUSE"),
        Attack::new("74-same-overlay", "`--move` onto the same files, seen through an overlay"),
    ];
    let commands: [&[&str]; 4] =
        [&["--move"], &["--move", "--no-catalogue"], &["--move", "--dedupe"], &["--move", "--on-conflict", "repair"]];
    let tries: Vec<(usize, &[&str])> = (0..10).flat_map(|kind| commands.map(|command| (kind, command))).collect();
    each(&tries, |&(kind, command)| {
        let dir = memory();
        let ways = ways(kind, dir.path());
        let before = read(&ways.src);
        let times = |name: &Path| fs::metadata(ways.src.join(name)).map(|m| (m.mtime(), m.mtime_nsec())).ok();
        let was: Vec<_> = before.keys().map(|n| times(n)).collect();
        let args = [command, &[ways.src.to_str().unwrap(), ways.dst.to_str().unwrap()]].concat();
        let o = plain(dir.path(), &args);
        let mut outcome = Outcome::default();
        if status(&o) == 124 || said(&o).contains("panicked at") {
            outcome.hung(said(&o));
        }
        let (from, to) = (read(&ways.src), read(&ways.dst));
        for (name, content) in &before {
            if from.get(name) != Some(content) && to.get(name) != Some(content) {
                outcome.lost(name.display().to_string());
            } else if from.get(name) != Some(content) {
                outcome.wrong(format!("the source {} did not stay", name.display()));
            } else if to.get(name) != Some(content) {
                outcome.wrong(format!("{} is gone from the destination", name.display()));
            }
        }
        if o.stderr.is_empty() {
            outcome.wrong("nothing was said");
        }
        if outcome.said.is_empty() && was != before.keys().map(|n| times(n)).collect::<Vec<_>>() {
            outcome.wrong("the sources' times changed");
        }
        for name in temporaries(&ways.dst) {
            outcome.left(name);
        }
        attacks[usize::from(!ways.name.contains("FUSE") && !ways.name.contains("same"))]
            .record(&outcome, || format!("{}, {command:?} ({})", ways.name, said(&o).trim()));
    });
    finish(&attacks);
}

/// On a file system where all times can be set, a change of content that leaves no trace in the times must still be
/// noticed. That the times are not trusted there is reported once.
#[test]
fn times_that_can_be_set() {
    if !may_mount() {
        return;
    }
    let attacks = [
        Attack::new("75-times", "a file in DEST changes and its times are put back, where all times can be set"),
        Attack::new("76-times-src", "the same with a file in SRC"),
    ];
    let mut tries = Vec::new();
    for ctime in [Ctime::Mtime, Ctime::Constant] {
        for source in [false, true] {
            for command in [&[][..], &["--dedupe"], &["--on-conflict", "repair"]] {
                tries.push((ctime, source, command));
            }
        }
    }
    each(&tries, |&(ctime, source, command)| {
        let dir = memory();
        let at = |name: &str| dir.path().join(name);
        let shown = if source { "src" } else { "dst" };
        fs::create_dir_all(at("back")).unwrap();
        for name in ["src", "dst"] {
            fs::create_dir_all(at(name)).unwrap();
        }
        let ideas = Ideas { ctime, ..Ideas::default() };
        let mounted = show(&at("back"), &at(shown), ideas);
        for name in ["f", "g", "h"] {
            fs::write(at("src").join(name), text(name)).unwrap();
        }
        let mut outcome = Outcome::default();
        let args = [command, &["src", "dst"]].concat();
        let first = plain(dir.path(), &args);
        well(&first, &ideas, &mut outcome);
        // Write another content of the same length, and set the times back.
        let file = at(shown).join("f");
        let meta = fs::metadata(&file).unwrap();
        let mut changed = text("f");
        changed[0] ^= 1;
        fs::write(&file, &changed).unwrap();
        let times = Timestamps {
            last_access: Timespec { tv_sec: meta.atime(), tv_nsec: meta.atime_nsec() },
            last_modification: Timespec { tv_sec: meta.mtime(), tv_nsec: meta.mtime_nsec() },
        };
        utimensat(CWD, &file, &times, AtFlags::empty()).unwrap();
        let second = plain(dir.path(), &args);
        if source || command.contains(&"repair") {
            well(&second, &ideas, &mut outcome);
        } else if status(&second) != 8 || !said(&second).contains("dst/f: warning: is damaged: ") {
            outcome.wrong(format!("the damage was not told: status {}: {}", status(&second), said(&second)));
        }
        let there = read(&at("dst"));
        let wanted = if source { changed } else { text("f") };
        if there.get(Path::new("f")) != Some(&wanted) && !command.is_empty() && command[0] == "--on-conflict" {
            outcome.wrong("not repaired");
        }
        if !there.values().any(|c| *c == wanted) {
            outcome.wrong(format!("the change was not noticed: {:?}", there.keys()));
        }
        let lines = said(&second).lines().filter(|l| l.contains("times cannot be trusted")).count();
        if !source && lines != 1 {
            outcome.wrong(format!("said {lines} times that times are not trusted there: {:?}", said(&second)));
        }
        drop(mounted);
        attacks[usize::from(source)]
            .record(&outcome, || format!("{shown}, {command:?}, constant: {}", ctime == Ctime::Constant));
    });
    finish(&attacks);
}

/// A source for which SEEK_DATA reports holes where there is data.
#[test]
fn holes_that_are_none() {
    if !may_mount() {
        return;
    }
    let attacks = [Attack::new("77-holes", "SEEK_DATA says wrongly that no data follows: once, and always")];
    let commands: [&[&str]; 5] =
        [&[], &["--verify", "source"], &["--verify", "hash"], &["--move"], &["-a", "skein512"]];
    let mut tries = Vec::new();
    for no_data in [1, 2, 3, 4, -1] {
        tries.extend(commands.map(|command| (no_data, command)));
    }
    each(&tries, |&(no_data, command)| {
        let dir = memory();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir_all(at("back")).unwrap();
        fs::write(at("back").join("plain"), noise(50_000, 1)).unwrap();
        let sparse = fs::File::create(at("back").join("sparse")).unwrap();
        sparse.set_len(4 << 20).unwrap();
        for place in [64 << 10, 700 << 10, 3 << 20] {
            std::os::unix::fs::FileExt::write_all_at(&sparse, &noise(70_000, place), place).unwrap();
        }
        let before = read(&at("back"));
        let mounted = show(&at("back"), &at("src"), Ideas { no_data, ..Ideas::default() });
        let args: Vec<&str> = command.iter().copied().chain(["src", "dst"]).collect();
        let o = plain(dir.path(), &args);
        drop(mounted);
        let mut outcome = Outcome::default();
        if status(&o) == 124 || said(&o).contains("panicked at") {
            outcome.hung(said(&o));
        }
        let (from, to) = (read(&at("back")), read(&at("dst")));
        for (name, content) in &before {
            match to.get(name) {
                Some(there) if there == content => {}
                None if status(&o) != 0 => {}
                _ => outcome.wrong(format!("{} ({})", name.display(), said(&o).trim())),
            }
            if from.get(name) != Some(content) && to.get(name) != Some(content) {
                outcome.lost(name.display().to_string());
            }
        }
        for name in temporaries(dir.path()) {
            outcome.left(name);
        }
        attacks[0].record(&outcome, || format!("{command:?}, {no_data}"));
    });
    finish(&attacks);
}

/// File systems that lack a feature, or whose calls fail.
#[test]
fn file_systems_that_can_do_less() {
    if !may_mount() {
        return;
    }
    let lacks = [
        ("80-lacks-flock", "DEST knows no flock", Ideas { no_flock: true, ..Ideas::default() }),
        ("81-lacks-noreplace", "DEST knows no RENAME_NOREPLACE", Ideas { no_noreplace: true, ..Ideas::default() }),
        ("82-lacks-direct", "DEST refuses O_DIRECT", Ideas { no_direct: true, ..Ideas::default() }),
        (
            "83-lacks-much",
            "DEST knows none of these, no attributes, no case and no stable inodes",
            Ideas {
                no_flock: true,
                no_noreplace: true,
                no_direct: true,
                no_xattrs: true,
                caseless: true,
                normal: true,
                unstable: true,
                ..Ideas::default()
            },
        ),
        ("84-fsync", "`fsync` fails on a FUSE file system", Ideas { fsync_fails: 3, ..Ideas::default() }),
        ("85-readdir", "a folder of DEST cannot be read to its end", Ideas { readdir_fails: 2, ..Ideas::default() }),
    ];
    let attacks = lacks.map(|(file, fault, _)| Attack::new(file, fault));
    let mut tries = Vec::new();
    for (row, (_, _, ideas)) in lacks.iter().enumerate() {
        for scene in &SCENES {
            let fails = ideas.fsync_fails > 0 || ideas.readdir_fails > 0;
            let last = if !fails || !long() { 1 } else { 12 };
            for nth in 0..last {
                let shift = |n: i64| if n > 0 { n + nth } else { n };
                let (fsync_fails, readdir_fails) = (shift(ideas.fsync_fails), shift(ideas.readdir_fails));
                tries.push((row, scene, Ideas { fsync_fails, readdir_fails, ..*ideas }, fails));
            }
        }
    }
    each(&tries, |(row, scene, ideas, fails)| {
        let dir = memory();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir_all(at("back")).unwrap();
        super::tree::sources(&at("src"));
        scene.set_destination(&at("back"));
        let mounted = show(&at("back"), &at("dst"), *ideas);
        let o = plain(dir.path(), scene.args);
        let mut outcome = Outcome::default();
        if !fails {
            well(&o, ideas, &mut outcome);
        }
        drop(mounted);
        scene.sound(&at("src"), &at("back"), &mut outcome);
        if status(&o) == 0 {
            scene.complete(&at("src"), &at("back"), &at("L"), &mut outcome);
        }
        // Again, without failing calls.
        let mounted = show(&at("back"), &at("dst"), Ideas { fsync_fails: 0, readdir_fails: 0, ..*ideas });
        let again = plain(dir.path(), scene.args);
        well(&again, ideas, &mut outcome);
        drop(mounted);
        scene.sound(&at("src"), &at("back"), &mut outcome);
        scene.complete(&at("src"), &at("back"), &at("L"), &mut outcome);
        for name in temporaries(dir.path()) {
            outcome.left(name);
        }
        attacks[*row].record(&outcome, || format!("{} ({})", scene.name, said(&o).trim()));
    });
    finish(&attacks);
}
