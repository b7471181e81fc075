//! Attacks at calls: killing the program at every call that changes something, letting every call fail with every error
//! that it may return, and short counts.

use super::disk::Ground;
use super::report::{Attack, Outcome, finish};
use super::trace::{Strike, each, long, some, traced};
use super::tree::{SCENES, Scene};
use std::collections::BTreeMap;

const EPERM: i32 = 1;
const EINTR: i32 = 4;
const EIO: i32 = 5;
const EAGAIN: i32 = 11;
const ENXIO: i32 = 6;
const ENOMEM: i32 = 12;
const EACCES: i32 = 13;
const EBUSY: i32 = 16;
const EXDEV: i32 = 18;
const EINVAL: i32 = 22;
const ENFILE: i32 = 23;
const EMFILE: i32 = 24;
const ENOSPC: i32 = 28;
const EROFS: i32 = 30;
const EMLINK: i32 = 31;
const ENOLCK: i32 = 37;
const ENOSYS: i32 = 38;
const ENODATA: i32 = 61;
const EOPNOTSUPP: i32 = 95;
const EDQUOT: i32 = 122;

/// Errors that each kind of call may return according to its manual page (any file system may return EIO).
const ERRORS: [(&str, &[i32]); 30] = [
    ("create", &[EMFILE, EACCES, EIO, ENOSPC, EDQUOT, EINTR, EROFS]),
    ("open", &[EMFILE, ENFILE, EACCES, EIO, EINTR, ENOMEM]),
    ("openat2", &[EMFILE, EACCES, EIO, EAGAIN, ENOSYS, EINTR]),
    ("read", &[EIO, EINTR]),
    ("write", &[EIO, ENOSPC, EDQUOT, EINTR]),
    ("copy", &[EIO, ENOSPC, EXDEV, EINVAL]),
    ("truncate", &[EIO, EINTR]),
    ("allocate", &[EIO, ENOSPC, EOPNOTSUPP, EINTR]),
    ("fsync", &[EIO, ENOSPC, EDQUOT, EINTR]),
    ("rename", &[EIO, EXDEV, ENOSPC, EACCES, EINVAL]),
    ("link", &[EIO, EPERM, EMLINK, ENOSPC]),
    ("unlink", &[EIO, EACCES, EBUSY, EROFS]),
    ("mkdir", &[EIO, EACCES, ENOSPC, EDQUOT, EMLINK]),
    ("symlink", &[EIO, EACCES, ENOSPC, EPERM]),
    ("chmod", &[EIO, EPERM]),
    ("chown", &[EIO, EPERM]),
    ("utime", &[EPERM, EACCES]),
    ("setxattr", &[EOPNOTSUPP, ENOSPC, EDQUOT, EPERM]),
    ("flock", &[EINTR, ENOLCK, EAGAIN]),
    ("fcntl", &[ENOLCK, EACCES]),
    ("getdents", &[EIO]),
    ("stat", &[EIO, EACCES, ENOMEM]),
    ("access", &[EIO, EACCES]),
    ("seek", &[ENXIO, EINVAL]),
    ("close", &[EIO, ENOSPC, EDQUOT, EINTR]),
    ("readlink", &[EIO, EACCES]),
    ("getxattr", &[EOPNOTSUPP, ENODATA, EIO]),
    ("listxattr", &[EOPNOTSUPP, EIO]),
    ("advise", &[EINVAL]),
    ("statfs", &[EIO, ENOSYS, EINTR]),
];

/// Returns how often each call is made if nothing goes wrong.
fn counted(ground: &Ground, scene: &Scene, set: &str) -> BTreeMap<String, usize> {
    let dir = ground.dir();
    scene.set(dir.path());
    let t = traced(dir.path(), &Strike::new("count", 0, set), scene.args);
    assert_eq!(t.status, 0, "{}: {}", scene.name, t.stderr);
    let mut outcome = Outcome::default();
    scene.sound(&dir.path().join("src"), &dir.path().join("dst"), &mut outcome);
    scene.complete(&dir.path().join("src"), &dir.path().join("dst"), &dir.path().join("L"), &mut outcome);
    scene.again(dir.path(), scene.args, &mut outcome);
    assert!(outcome.said.is_empty(), "{} without a fault: {:?}", scene.name, outcome.said);
    t.counts
}

/// One try: its row in the table, the scene, and the strike.
struct Try {
    row: usize,
    scene: &'static Scene,
    strike: Strike,
}

fn all(ground: &Ground, attacks: &[Attack], tries: &[Try]) {
    each(tries, |t| {
        let dir = ground.dir();
        t.scene.set(dir.path());
        let done = traced(dir.path(), &t.strike, t.scene.args);
        let outcome = t.scene.judge(dir.path(), t.scene.args, &done);
        attacks[t.row].record(&outcome, || {
            let Strike { mode, nth, set, errno, .. } = &t.strike;
            let struck = done.struck.as_deref().unwrap_or("nothing");
            format!("{}: {mode} {set} {nth} ({struck}), error {errno}", t.scene.name)
        });
    });
    finish(attacks);
}

#[test]
fn killed_at_every_change() {
    let ground = Ground::new();
    let attacks = [
        Attack::new("10-killed-before", "killed right before a call that changes something"),
        Attack::new("11-killed-after", "killed right after a call that changed something"),
    ];
    let mut tries = Vec::new();
    for (i, scene) in SCENES.iter().enumerate() {
        let calls = counted(&ground, scene, "mutating")["set"];
        assert!(calls > 20, "{}: only {calls} calls change something", scene.name);
        for (row, mode) in ["before", "after"].into_iter().enumerate() {
            let nth = some(calls, 20, 2 * i + row);
            tries.extend(nth.into_iter().map(|n| Try { row, scene, strike: Strike::new(mode, n, "mutating") }));
        }
    }
    all(&ground, &attacks, &tries);
}

#[test]
fn every_call_fails() {
    let ground = Ground::new();
    let attacks: Vec<Attack> = ERRORS
        .iter()
        .enumerate()
        .map(|(i, (group, _))| Attack::new(&format!("20-fails-{i:02}-{group}"), &format!("a call fails: {group}")))
        .collect();
    let mut tries = Vec::new();
    for (i, scene) in SCENES.iter().enumerate() {
        let counts = counted(&ground, scene, "all");
        for (row, (group, errors)) in ERRORS.iter().enumerate() {
            for (k, &errno) in errors.iter().enumerate() {
                // The usual tier strikes at one call for each error, in every second scene, and at another in each.
                if !long() && (i + k + row) % 2 == 1 {
                    continue;
                }
                let last = counts[*group];
                let nth = some(last, 1, i * 31 + k * 17);
                tries.extend(nth.into_iter().map(|n| {
                    let strike = Strike { errno, ..Strike::new("fail", n, group) };
                    Try { row, scene, strike }
                }));
            }
        }
    }
    all(&ground, &attacks, &tries);
}

/// Faults that persist: a disk that stays full, a medium that stays unreadable.
#[test]
fn calls_go_on_failing() {
    let ground = Ground::new();
    let faults = [
        ("write", ENOSPC),
        ("write", EIO),
        ("fsync", EIO),
        ("read", EIO),
        ("rename", EIO),
        ("open", EMFILE),
        ("openat2", ENOSYS),
        ("close", EIO),
        ("unlink", EACCES),
        ("stat", EIO),
        ("create", ENOSPC),
        ("mkdir", ENOSPC),
        ("flock", EINTR),
        ("write", EINTR),
        ("read", EINTR),
        ("create", EINTR),
        ("getdents", EIO),
        ("flock", ENOLCK),
    ];
    let attacks = [Attack::new("30-from", "a kind of call fails from some moment on")];
    let mut tries = Vec::new();
    for (i, scene) in SCENES.iter().enumerate() {
        let counts = counted(&ground, scene, "all");
        for (k, (group, errno)) in faults.into_iter().enumerate() {
            let nth = some(counts[group], 1, i * 13 + k * 5);
            tries.extend(nth.into_iter().map(|n| {
                // No signal interrupts calls for ever, and libraries do not expect it, so EINTR comes in a burst.
                let mode = if errno == EINTR { "burst" } else { "from" };
                Try { row: 0, scene, strike: Strike { errno, ..Strike::new(mode, n, group) } }
            }));
        }
    }
    all(&ground, &attacks, &tries);
}

#[test]
fn short_counts() {
    let ground = Ground::new();
    let attacks = [Attack::new("40-short", "a read or a write does half of what was asked for")];
    let mut tries = Vec::new();
    for (i, scene) in SCENES.iter().enumerate() {
        let nth = some(counted(&ground, scene, "counts")["set"], 20, i);
        tries.extend(nth.into_iter().map(|n| Try { row: 0, scene, strike: Strike::new("short", n, "counts") }));
    }
    all(&ground, &attacks, &tries);
}

#[test]
fn no_thread_can_be_made() {
    let ground = Ground::new();
    let attacks = [
        Attack::new("50-thread", "a thread cannot be made"),
        Attack::new("51-threads", "from some moment on no thread can be made"),
    ];
    let mut tries = Vec::new();
    for (i, scene) in SCENES.iter().enumerate() {
        let threads = counted(&ground, scene, "clone")["clone"];
        for (row, mode) in ["fail", "from"].into_iter().enumerate() {
            tries.extend(some(threads, 3, i).into_iter().map(|n| {
                let strike = Strike { errno: EAGAIN, ..Strike::new(mode, n, "clone") };
                Try { row, scene, strike }
            }));
        }
    }
    all(&ground, &attacks, &tries);
}
