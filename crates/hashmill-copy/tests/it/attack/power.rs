//! Power cuts: ext4 is shut down at some call, without writing anything more, and mounted again.

use super::disk::{Disk, memory};
use super::report::{Attack, Outcome, finish};
use super::trace::{Strike, each, long, may_mount, plain, tool, traced};
use super::tree::{SCENES, Scene, originals, read, sources};
use hashmill_testing::{run, stdout};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

fn shutdown() -> &'static Path {
    static SHUTDOWN: OnceLock<PathBuf> = OnceLock::new();
    tool("shutdown", &SHUTDOWN)
}

/// One try: the scene, the call, whether the program is killed with the disk, and whether the sources are on that disk,
/// too.
struct Try {
    row: usize,
    scene: &'static Scene,
    nth: usize,
    mode: &'static str,
    together: bool,
}

/// Makes the disk. Returns the working folder, the disk's mount point and the disk: it is `dst`, or holds both folders.
fn place(together: bool, dir: &Path) -> (PathBuf, PathBuf, Disk) {
    let disk = Disk::new(&dir.join("image"), 24, &dir.join(if together { "disk" } else { "dst" }));
    let work = if together { dir.join("disk") } else { dir.to_path_buf() };
    (work, dir.join(if together { "disk" } else { "dst" }), disk)
}

fn sync(at: &Path) {
    stdout(&run(at, "sync", &["-f", "."], b""));
}

/// Runs the copy, cuts the power at the given call or after the end, and mounts the disk again.
fn cut(t: &Try, work: &Path, at: &Path, disk: &mut Disk) -> super::trace::Traced {
    let command = format!("{} {}", shutdown().display(), at.display());
    let strike = Strike { command, ..Strike::new(t.mode, t.nth, "mutating") };
    let done = traced(work, &strike, t.scene.args);
    if done.struck.is_none() {
        stdout(&run(at, shutdown().to_str().unwrap(), &[at], b""));
    }
    disk.remount();
    done
}

/// Returns the number of calls that change something.
fn changes(scene: &Scene, unsynced: bool) -> usize {
    let dir = memory();
    let (work, at, _disk) = place(false, dir.path());
    if unsynced {
        sources(&work.join("src"));
        by_others(&work, &at);
    } else {
        scene.set(&work);
    }
    traced(&work, &Strike::new("count", 0, "mutating"), scene.args).counts["set"]
}

#[test]
fn the_power_goes_out() {
    if !may_mount() {
        return;
    }
    let attacks: Vec<Attack> = SCENES
        .iter()
        .enumerate()
        .map(|(i, s)| {
            Attack::new(&format!("60-power-{i}"), &format!("the power goes out (ext4 is shut down): {}", s.name))
        })
        .collect();
    let mut tries = Vec::new();
    for (row, scene) in SCENES.iter().enumerate() {
        let calls = changes(scene, false);
        // The long tier tries 22 moments in each scene, the quick tier two. The last one is after the end.
        let few = if long() { 22 } else { 2 };
        for (k, nth) in moments(calls, few, row).into_iter().enumerate() {
            let mode = if k % 2 == 0 { "runkill" } else { "run" };
            tries.push(Try { row, scene, nth, mode, together: k % 5 == 3 });
        }
    }
    each(&tries, |t| {
        let dir = memory();
        let (work, at, mut disk) = place(t.together, dir.path());
        t.scene.set(&work);
        sync(&at);
        let done = cut(t, &work, &at, &mut disk);
        let mut outcome = Outcome::default();
        t.scene.ended(&done, &mut outcome);
        t.scene.sound(&work.join("src"), &work.join("dst"), &mut outcome);
        t.scene.again(&work, t.scene.args, &mut outcome);
        attacks[t.row].record(&outcome, || {
            let struck = done.struck.as_deref().unwrap_or("the end");
            format!("{}: {} {} ({struck}), on one disk: {}", t.scene.name, t.mode, t.nth, t.together)
        });
    });
    finish(&attacks);
}

/// Returns `few` moments: numbers of calls out of `calls`, and at last one after the end.
fn moments(calls: usize, few: usize, seed: usize) -> Vec<usize> {
    (0..few - 1).map(|i| 1 + (i * calls / (few - 1) + seed * 37) % calls).chain([calls + 1000]).collect()
}

/// Copies the sources as another program would, without syncing.
fn by_others(work: &Path, at: &Path) {
    let from = work.join("src").join(".");
    stdout(&run(Path::new("/"), "cp", &[Path::new("-a"), &from, at], b""));
}

/// If everything is there already, but not on the medium yet, no source may be deleted before it is.
#[test]
fn the_power_goes_out_after_a_copy_by_others() {
    static SCENES: [Scene; 2] = [
        Scene {
            name: "--move --no-catalogue",
            args: &["--move", "--no-catalogue", "src", "dst"],
            before: Default::default,
        },
        Scene { name: "--move", args: &["--move", "src", "dst"], before: Default::default },
    ];
    if !may_mount() {
        return;
    }
    let attacks = [Attack::new(
        "61-power-others",
        "the power goes out after `--move` onto what `cp -a` had copied without syncing",
    )];
    let mut tries = Vec::new();
    for scene in &SCENES {
        let calls = changes(scene, true);
        for (k, nth) in moments(calls, if long() { 10 } else { 3 }, 1).into_iter().enumerate() {
            let mode = if k % 2 == 0 { "runkill" } else { "run" };
            tries.push(Try { row: 0, scene, nth, mode, together: false });
        }
    }
    each(&tries, |t| {
        let dir = memory();
        let (work, at, mut disk) = place(false, dir.path());
        sources(&work.join("src"));
        by_others(&work, &at);
        let done = cut(t, &work, &at, &mut disk);
        let mut outcome = Outcome::default();
        t.scene.ended(&done, &mut outcome);
        // What others wrote may be missing or cut short, as long as its source is still there.
        lost(&work, &at, &mut outcome);
        let again = plain(&work, t.scene.args);
        if !again.status.success() {
            outcome.wrong(format!("when run again: {}", String::from_utf8_lossy(&again.stderr)));
        }
        lost(&work, &at, &mut outcome);
        attacks[0].record(&outcome, || format!("{}: {} {} ({:?})", t.scene.name, t.mode, t.nth, done.struck));
    });
    finish(&attacks);
}

fn lost(work: &Path, at: &Path, outcome: &mut Outcome) {
    let (from, to) = (read(&work.join("src")), read(at));
    for (name, content) in originals() {
        if !from.values().chain(to.values()).any(|c| c == content) {
            outcome.lost(name.display().to_string());
        }
    }
}
