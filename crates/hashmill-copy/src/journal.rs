//! What a run leaves behind when it is killed, and how the next one clears it away.
//!
//! Files are written under temporary names beside their final ones. Every run has a journal in the destination's `.hashmill` folder,
//! locked as long as the run lives, to which a temporary name is written before the file is made. A journal that nobody
//! locks is that of a run which was killed: its temporary files are deleted, then the journal. As a journal may lose its
//! last lines when the power fails, folders are also looked through, once, before the first file is written there.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// The folder in the destination that is ours.
pub(crate) const FOLDER: &str = ".hashmill";

/// What names of temporary files begin and end with.
const PREFIX: &[u8] = b".hashmill-";
const SUFFIX: &[u8] = b".part";

/// A journal is not longer than this.
const LONGEST: u64 = 64 << 20;

/// What names of journals begin with.
const JOURNAL: &[u8] = b"journal-";

/// The journal of this run.
pub(crate) struct Journal {
    root: PathBuf,
    path: PathBuf,
    /// Its lock is held as long as this is open.
    file: File,
    /// Distinguishes this run's temporary names.
    run: String,
    next: AtomicU64,
    folders: Mutex<Folders>,
}

#[derive(Default)]
struct Folders {
    /// Looked through already.
    clean: HashSet<PathBuf>,
    /// Whether a run is alive, by its name.
    alive: HashMap<OsString, bool>,
}

impl Journal {
    /// Begins a journal below `root`, and clears away what killed runs have left.
    pub(crate) fn begin(root: &Path) -> io::Result<Journal> {
        let folder = root.join(FOLDER);
        loop {
            match fs::create_dir(&folder) {
                Err(e) if e.kind() != io::ErrorKind::AlreadyExists => return Err(e),
                _ => {}
            }
            let run = format!("{:016x}", unique());
            let path = folder.join(OsStr::from_bytes(&[JOURNAL, run.as_bytes()].concat()));
            let file = match OpenOptions::new().create_new(true).append(true).read(true).open(&path) {
                Ok(f) => f,
                // Another run has just ended and taken the folder with it, or has the same number.
                Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::AlreadyExists) => continue,
                Err(e) => return Err(e),
            };
            match file.try_lock() {
                Ok(()) => {}
                // Another run took it for a dead one before it was locked: it is gone then.
                Err(TryLockError::WouldBlock) => continue,
                // A file system without locks: then nobody clears away anything of ours, nor we of theirs.
                Err(TryLockError::Error(_)) => {}
            }
            if !path.try_exists()? {
                continue;
            }
            let journal = Journal {
                root: root.into(),
                path,
                file,
                run,
                next: AtomicU64::new(0),
                folders: Mutex::new(Folders::default()),
            };
            journal.recover(&folder)?;
            return Ok(journal);
        }
    }

    /// Finishes what killed runs have begun.
    fn recover(&self, folder: &Path) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name();
            if !name.as_bytes().starts_with(JOURNAL) || entry.path() == self.path {
                continue;
            }
            let Ok(mut file) = OpenOptions::new().read(true).append(true).open(entry.path()) else { continue };
            if file.try_lock().is_err() {
                continue;
            }
            let mut names = Vec::new();
            // What is longer than any run leaves is none of ours; folders are looked through anyway.
            Read::by_ref(&mut file).take(LONGEST).read_to_end(&mut names)?;
            let mut well = true;
            // A name without its end was cut off: its file had not been made.
            for name in names.split_inclusive(|&b| b == 0).filter_map(|n| n.strip_suffix(&[0])) {
                let below = Path::new(OsStr::from_bytes(name));
                let ours = below.file_name().is_some_and(|n| run_of(n).is_some());
                let inside = below.components().all(|c| matches!(c, std::path::Component::Normal(_)));
                if ours && inside {
                    well &= match fs::remove_file(self.root.join(below)) {
                        Err(e) => e.kind() == io::ErrorKind::NotFound,
                        Ok(()) => true,
                    };
                }
            }
            if well {
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(())
    }

    /// The name for a new temporary file in `folder`, which lies below the root. It stands in the journal now.
    pub(crate) fn temporary(&self, folder: &Path) -> io::Result<PathBuf> {
        self.look_through(folder);
        let name = format!(".hashmill-{}-{}.part", self.run, self.next.fetch_add(1, Relaxed));
        let path = folder.join(name);
        let below = path.strip_prefix(&self.root).unwrap_or(&path);
        let mut line = below.as_os_str().as_bytes().to_vec();
        line.push(0);
        // One call, so that lines of several threads do not mix.
        (&self.file).write_all(&line)?;
        Ok(path)
    }

    /// Deletes temporary files of dead runs in a folder, the first time that it is met.
    fn look_through(&self, folder: &Path) {
        let mut known = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if known.clean.contains(folder) {
            return;
        }
        known.clean.insert(folder.into());
        let Ok(entries) = fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some(run) = run_of(&name) else { continue };
            if run == OsStr::new(&self.run) {
                continue;
            }
            let alive = *known.alive.entry(run.clone()).or_insert_with(|| {
                let journal = [JOURNAL, run.as_bytes()].concat();
                match File::open(self.root.join(FOLDER).join(OsStr::from_bytes(&journal))) {
                    Ok(file) => !matches!(file.try_lock(), Ok(())),
                    Err(e) => e.kind() != io::ErrorKind::NotFound,
                }
            });
            if !alive {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Forgets the names so far, when none of those files is left under its temporary name.
    pub(crate) fn reset(&self) {
        let _ = self.file.set_len(0);
    }

    /// Ends the journal: nothing temporary is left. Takes the folder along if nothing else is in it.
    pub(crate) fn end(self) {
        let _ = fs::remove_file(&self.path);
        let _ = fs::remove_dir(self.root.join(FOLDER));
    }
}

/// The run in the name of a temporary file.
fn run_of(name: &OsStr) -> Option<OsString> {
    let inner = name.as_bytes().strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
    let at = inner.iter().position(|&b| b == b'-')?;
    let (run, number) = (&inner[..at], &inner[at + 1..]);
    let well = run.len() == 16
        && run.iter().all(u8::is_ascii_hexdigit)
        && !number.is_empty()
        && number.iter().all(u8::is_ascii_digit);
    well.then(|| OsString::from_vec(run.to_vec()))
}

/// Whether a name is that of a temporary file of ours.
pub(crate) fn is_temporary(name: &OsStr) -> bool {
    run_of(name).is_some()
}

/// A number that no other run has.
fn unique() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    // The standard library seeds it from the system's random numbers.
    RandomState::new().hash_one((std::process::id(), std::time::SystemTime::now()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(dir)
            .expect("a folder")
            .map(|e| e.expect("an entry").file_name().into_string().expect("text"))
            .collect();
        names.sort();
        names
    }

    #[test]
    fn dead_runs_are_cleared_away_and_living_ones_are_not() {
        let dir = tempfile::tempdir().expect("a folder");
        let root = dir.path();
        fs::create_dir(root.join("a")).expect("a folder");
        let living = Journal::begin(root).expect("a journal");
        let kept = living.temporary(&root.join("a")).expect("a name");
        fs::write(&kept, "x").expect("a file");

        let dead = Journal::begin(root).expect("a journal");
        let lost = dead.temporary(&root.join("a")).expect("a name");
        fs::write(&lost, "x").expect("a file");
        // One that the journal does not know, as after a power failure; and one that only looks like ours.
        let unknown = root.join("a/.hashmill-0123456789abcdef-7.part");
        fs::write(&unknown, "x").expect("a file");
        let foreign = root.join("a/.hashmill-0123456789abcdef-x.part");
        fs::write(&foreign, "x").expect("a file");
        // As if killed: the lock goes, the journal stays.
        drop(dead.file);

        let next = Journal::begin(root).expect("a journal");
        assert!(!lost.exists() && unknown.exists() && kept.exists());
        assert_eq!(names(&root.join(FOLDER)).len(), 2);
        next.temporary(&root.join("a")).expect("a name");
        assert!(!unknown.exists() && kept.exists() && foreign.exists());
        next.end();
        living.end();
        assert!(!root.join(FOLDER).exists());
    }

    #[test]
    fn a_journal_deletes_only_temporary_files_below_its_root() {
        let dir = tempfile::tempdir().expect("a folder");
        let root = dir.path().join("root");
        fs::create_dir_all(root.join(FOLDER)).expect("a folder");
        let name = ".hashmill-0123456789abcdef-1.part";
        let outside = dir.path().join(name);
        let precious = root.join("precious");
        fs::write(&outside, "x").expect("a file");
        fs::write(&precious, "x").expect("a file");
        let absolute = outside.to_str().expect("text");
        fs::write(root.join(FOLDER).join("journal-x"), format!("../{name}\0{absolute}\0precious\0")).expect("a file");
        Journal::begin(&root).expect("a journal").end();
        assert!(outside.exists() && precious.exists() && !root.join(FOLDER).exists());
    }
}
