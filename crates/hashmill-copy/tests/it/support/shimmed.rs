//! `hashmill copy` with calls of the C library that fail (see `shim.c` of hashmill-testing).

use crate::support::running::{files, temporaries};
use hashmill_measure::bare;
use hashmill_testing::faults::shim;
use hashmill_testing::{executable, noise};
use std::fs;
use std::path::Path;
use std::process::Output;

pub(crate) const EIO: i32 = 5;
pub(crate) const ENOSPC: i32 = 28;
pub(crate) const EROFS: i32 = 30;
pub(crate) const EOPNOTSUPP: i32 = 95;
pub(crate) const EDQUOT: i32 = 122;

/// Runs `hashmill copy` with faults; `then` is the command that the fault `run` runs.
pub(crate) fn faulty(dir: &Path, faults: &str, then: &str, args: &[&str]) -> Output {
    bare::command(executable())
        .arg("copy")
        .args(args)
        .current_dir(dir)
        .env("LD_PRELOAD", shim())
        .env("FAULTS", faults)
        .env("FAULT_RUN", then)
        .output()
        .unwrap()
}

/// Creates files of various lengths; `victim` has 300,000 bytes.
pub(crate) fn sources(dir: &Path) {
    fs::create_dir_all(dir.join("src/sub")).unwrap();
    for i in 0..12u64 {
        fs::write(dir.join(format!("src/sub/f{i}")), noise(1 << (i + 6), i)).unwrap();
    }
    fs::write(dir.join("src/victim"), noise(300_000, 99)).unwrap();
}

/// Checks that every file in the destination is as in the source, that `missing` files are missing, and that no
/// temporary files are left.
pub(crate) fn sound(dir: &Path, missing: usize) {
    let (from, to) = (files(&dir.join("src")), files(&dir.join("dst")));
    for (name, content) in &to {
        assert!(from.get(name) == Some(content), "{} is wrong", name.display());
    }
    assert_eq!(to.len() + missing, from.len(), "{:?}", to.keys());
    assert_eq!(temporaries(&dir.join("dst")), 0);
}
