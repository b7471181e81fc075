//! What the system reports about a file's pages.

use hashmill_files::{cached_pages, direct_io};
use rustix::fs::{Advice, fadvise};
use std::fs::{self, File, OpenOptions};
use std::path::Path;
use std::process::Command;

/// Returns whether the directory is on tmpfs, whose pages cannot be evicted.
fn in_memory(path: &Path) -> bool {
    const TMPFS: i64 = 0x0102_1994;
    rustix::fs::statfs(path).unwrap().f_type as i64 == TMPFS
}

/// Returns whether this process has `CAP_SYS_ADMIN`, which is needed to mount file systems.
fn may_mount() -> bool {
    const SYS_ADMIN: u32 = 21;
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let set = status.lines().find_map(|l| l.strip_prefix("CapEff:")).unwrap();
    u64::from_str_radix(set.trim(), 16).unwrap() >> SYS_ADMIN & 1 == 1
}

#[test]
fn pages_come_and_go() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = dir.path().join("f");
    fs::write(&path, vec![7; 300_001]).unwrap();
    let file = OpenOptions::new().read(true).write(true).open(&path).unwrap();
    assert_eq!(cached_pages(&file, 0), Some(0));
    let all = cached_pages(&file, 300_001).expect("Linux tells the owner");
    let page = rustix::param::page_size() as u64;
    assert_eq!(all, 300_001u64.div_ceil(page));
    assert_eq!(cached_pages(&file, 1), Some(1));
    file.sync_all().unwrap();
    fadvise(&file, 0, None, Advice::DontNeed).unwrap();
    let rest = cached_pages(&file, 300_001);
    assert_eq!(rest, Some(if in_memory(dir.path()) { all } else { 0 }));
}

#[test]
fn a_journal_of_data_knows_no_direct_reads() {
    if !may_mount() {
        eprintln!("not run: needs the right to mount");
        return;
    }
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let image = dir.path().join("image");
    File::create(&image).unwrap().set_len(64 << 20).unwrap();
    let run = |program: &str, args: &[&str]| {
        let out = Command::new(program).args(args).output().unwrap();
        assert!(out.status.success(), "{program} {args:?}: {}", String::from_utf8_lossy(&out.stderr));
    };
    let (image, at) = (image.to_str().unwrap(), dir.path().join("mounted"));
    fs::create_dir(&at).unwrap();
    run("mkfs.ext4", &["-q", "-F", image]);
    for (options, direct) in [("loop,data=journal", false), ("loop,data=ordered", true)] {
        run("mount", &["-o", options, image, at.to_str().unwrap()]);
        let mounted = Mounted(&at);
        let path = at.join("f");
        fs::write(&path, "some bytes").unwrap();
        let file = File::open(&path).unwrap();
        let found = direct_io(&file);
        let cached = cached_pages(&file, 10);
        drop((file, mounted));
        // Linux before 6.1 does not report this.
        assert!(found.is_none_or(|found| found == direct), "{options}: {found:?}");
        assert_eq!(cached, Some(1));
    }
}

/// Unmounts when dropped, even after a failed assertion.
struct Mounted<'a>(&'a Path);

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let done = Command::new("umount").arg(self.0).status();
        assert!(std::thread::panicking() || done.unwrap().success(), "cannot unmount {}", self.0.display());
    }
}
