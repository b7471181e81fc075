//! What a run leaves behind when it is killed, and how the next one clears it away.
//!
//! Files are written under temporary names beside their final ones. Each run has a journal in the destination's
//! `.hashmill` folder. It is locked while the run lives, and each temporary name is written to it before the file is
//! created. A journal that is not locked belongs to a run that was killed: its temporary files are deleted, then the
//! journal itself. Since a journal may lose its last lines in a power failure, each folder is also searched, once,
//! before the first file is written there, for temporary files of such runs. Those of any other run are left alone,
//! whatever they are called.
//!
//! Each temporary file is locked too, so that one of a living run is left alone wherever it is found: its folder may be
//! in the destinations of two runs, or be reached by two paths.
//!
//! Final names need no journal: a file that has its final name is complete.

use crate::fs::beneath::{Folder, Root, names, unlink};
use crate::fs::meta::Meta;
use crate::fs::place::{Lock, Temporary, lock};
use hashmill_files::ours::run_of;
use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

pub(crate) use hashmill_files::ours::{FOLDER, is_temporary};

/// Maximum number of bytes read from a journal.
const LONGEST: u64 = 64 << 20;

/// Prefix of the names of journals.
const JOURNAL: &[u8] = b"journal-";

/// Maximum number of attempts to begin a journal, if other runs delete its folder.
const TRIES: u32 = 64;

/// The journal of this run.
#[derive(Debug)]
pub(crate) struct Journal {
    root: Arc<Root>,
    /// The folder that the journal is in.
    folder: Folder,
    name: OsString,
    /// Locked while it is open.
    file: File,
    /// Distinguishes this run's temporary names.
    run: String,
    next: AtomicU64,
    /// Folders that have been searched for files of dead runs.
    clean: Mutex<HashSet<PathBuf>>,
    /// Runs that were killed, going by their journals.
    dead: HashSet<OsString>,
}

impl Journal {
    /// Begins a journal below `root`, and clears away what killed runs left.
    pub(crate) fn begin(root: &Arc<Root>) -> io::Result<Journal> {
        for _ in 0..TRIES {
            match rustix::fs::mkdirat(root.fd(), FOLDER, Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(e) => return Err(e.into()),
            }
            let folder = match open_folder(root) {
                Ok(f) => f,
                // Another run has just ended and deleted it.
                Err(e) if e.kind() == io::ErrorKind::NotFound => continue,
                Err(e) => return Err(e),
            };
            let run = format!("{:016x}", unique());
            let name = OsString::from_vec([JOURNAL, run.as_bytes()].concat());
            let flags =
                OFlags::RDWR | OFlags::APPEND | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let file = match rustix::fs::openat(&folder, &name, flags, Mode::from_raw_mode(0o666)) {
                Ok(f) => File::from(f),
                // Another run has just ended and deleted the folder, or has the same number.
                Err(Errno::NOENT | Errno::EXIST | Errno::INTR) => continue,
                Err(e) => return Err(e.into()),
            };
            // Another run may have taken it for a dead run's before it was locked: then it is gone. On a file system
            // without locks, no run clears away files of another.
            if lock(&file) == Lock::Held || Meta::of(&file)?.links == 0 {
                continue;
            }
            let (next, clean) = (AtomicU64::new(0), Mutex::default());
            let (root, folder) = (Arc::clone(root), Arc::new(folder.into()));
            let mut journal = Journal { root, folder, name, file, run, next, clean, dead: HashSet::new() };
            journal.recover()?;
            // The journal's name must survive a power failure: temporary files without a journal are not known to be
            // ours.
            let _ = crate::fs::place::sync_folder(&journal.folder);
            return Ok(journal);
        }
        Err(io::Error::other(format!("{FOLDER} keeps disappearing after it is created")))
    }

    /// Returns the destination.
    pub(crate) fn root(&self) -> &Root {
        &self.root
    }

    /// Returns the folder in which a run keeps its records.
    pub(crate) fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Returns what distinguishes this run from others.
    pub(crate) fn run(&self) -> &str {
        &self.run
    }

    /// Deletes the temporary files of killed runs, and their journals.
    fn recover(&mut self) -> io::Result<()> {
        let (there, failed) = names(&self.folder);
        if let Some(e) = failed {
            return Err(e);
        }
        for name in there {
            if !is_journal(&name) || name == self.name {
                continue;
            }
            let Some(mut file) = open_dead(&self.folder, &name) else { continue };
            self.dead.insert(OsStr::from_bytes(&name.as_bytes()[JOURNAL.len()..]).into());
            let mut list = Vec::new();
            // A journal longer than any run writes is not ours. Folders are searched anyway.
            Read::by_ref(&mut file).take(LONGEST).read_to_end(&mut list)?;
            let mut well = true;
            // A name without its terminator was cut off, so its file was not created.
            for name in list.split_inclusive(|&b| b == 0).filter_map(|n| n.strip_suffix(&[0])) {
                let below = Path::new(OsStr::from_bytes(name));
                let inside = below.components().all(|c| matches!(c, std::path::Component::Normal(_)));
                if inside
                    && below.file_name().is_some_and(is_temporary)
                    && let Ok((folder, name)) = self.root.split(below)
                {
                    well &= clear(&folder, name);
                }
            }
            if well {
                let _ = unlink(&self.folder, &name);
            }
        }
        Ok(())
    }

    /// Creates a temporary file in a folder below the root, after writing its name to the journal.
    pub(crate) fn temporary(&self, below: &Path, folder: &Folder) -> io::Result<Temporary> {
        self.look_through(below, folder);
        Temporary::create(folder, || {
            let name = OsString::from(format!(".hashmill-{}-{}.part", self.run, self.next.fetch_add(1, Relaxed)));
            let mut line = below.join(&name).into_os_string().into_vec();
            line.push(0);
            // A single call, so that lines of several threads do not mix.
            (&self.file).write_all(&line)?;
            Ok(name)
        })
    }

    /// Deletes the temporary files of dead runs in a folder when it is first used.
    fn look_through(&self, below: &Path, folder: &Folder) {
        // Other threads that want a file there wait until this is done.
        let mut clean = self.clean.lock().unwrap_or_else(PoisonError::into_inner);
        if !clean.insert(below.into()) {
            return;
        }
        for name in names(folder).0 {
            let Some(run) = run_of(&name) else { continue };
            if run == OsStr::new(&self.run) {
                continue;
            }
            if self.is_dead(run) {
                clear(folder, &name);
            }
        }
    }

    /// Whether a run is known to have been killed. No files of other runs are deleted: a file that only looks like ours
    /// may be somebody else's.
    pub(crate) fn is_dead(&self, run: &OsStr) -> bool {
        self.dead.contains(run)
    }

    /// Forgets the names so far, once none of those files is left under its temporary name.
    pub(crate) fn reset(&self) {
        let _ = self.file.set_len(0);
    }

    /// Ends the journal, once no temporary file is left. Deletes its folder too if nothing else is in it.
    pub(crate) fn end(self) {
        let _ = unlink(&self.folder, &self.name);
        let _ = rustix::fs::unlinkat(self.root.fd(), FOLDER, AtFlags::REMOVEDIR);
    }
}

/// Returns whether a name is that of a journal.
pub(crate) fn is_journal(name: &OsStr) -> bool {
    name.as_bytes().starts_with(JOURNAL)
}

/// Opens our folder, which is never reached through a link.
pub(crate) fn open_folder(root: &Root) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match rustix::fs::openat(root.fd(), FOLDER, flags, Mode::empty()) {
        Ok(fd) => Ok(File::from(fd)),
        Err(Errno::LOOP | Errno::NOTDIR) => Err(io::Error::other(format!(
            "{FOLDER} in it is not a folder (a symbolic link is not followed): rename or delete it"
        ))),
        Err(e) => Err(e.into()),
    }
}

/// Opens a regular file in a folder, without following a link or blocking on a pipe.
pub(crate) fn open_plain(folder: &Folder, name: &OsStr) -> io::Result<File> {
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let open = |more| rustix::fs::openat(folder, name, flags | more, Mode::empty());
    // Over NFS, only files that are open for writing can be locked.
    let file = match open(OFlags::RDWR) {
        Err(Errno::ACCESS | Errno::ROFS | Errno::PERM) => open(OFlags::RDONLY),
        other => other,
    };
    let file = File::from(file?);
    if Meta::of(&file)?.is_file() { Ok(file) } else { Err(Errno::INVAL.into()) }
}

/// Opens and locks a file that a run has left. Returns `None` if the run may be alive.
pub(crate) fn open_dead(folder: &Folder, name: &OsStr) -> Option<File> {
    let file = open_plain(folder, name).ok()?;
    (lock(&file) == Lock::Taken).then_some(file)
}

/// Deletes a temporary file, unless its run may be alive. Returns whether it is gone.
fn clear(folder: &Folder, name: &OsStr) -> bool {
    match open_plain(folder, name) {
        Ok(file) => lock(&file) == Lock::Taken && unlink(folder, name).is_ok(),
        Err(e) => e.kind() == io::ErrorKind::NotFound,
    }
}

/// Returns a number that no other run has.
pub(crate) fn unique() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    // The standard library seeds `RandomState` with random numbers of the system.
    RandomState::new().hash_one((std::process::id(), std::time::SystemTime::now()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn list(dir: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(dir)
            .expect("a folder")
            .map(|e| e.expect("an entry").file_name().into_string().expect("text"))
            .collect();
        names.sort();
        names
    }

    fn root(path: &Path) -> Arc<Root> {
        Arc::new(Root::open(path, false).expect("a root"))
    }

    fn temporary(journal: &Journal, below: &str) -> Temporary {
        let folder = journal.root.folder(Path::new(below)).expect("a folder");
        journal.temporary(Path::new(below), &folder).expect("a file")
    }

    /// Files of runs that were killed: never dropped, but reachable, so that leak checkers do not report them.
    static LOST: Mutex<Vec<Temporary>> = Mutex::new(Vec::new());

    #[test]
    fn dead_runs_are_cleared_away_and_living_ones_are_not() {
        let dir = tempfile::tempdir().expect("a folder");
        let at = |p: &str| dir.path().join(p);
        fs::create_dir(at("a")).expect("a folder");
        let root = root(dir.path());
        let living = Journal::begin(&root).expect("a journal");
        let kept = temporary(&living, "a");

        let dead = Journal::begin(&root).expect("a journal");
        let lost = temporary(&dead, "a");
        let lost_name = at("a").join(&lost.name);
        // A file that is not in the journal, as after a power failure, and two that only look like ours.
        let unknown = at(&format!("a/.hashmill-{}-77.part", dead.run()));
        fs::write(&unknown, "x").expect("a file");
        let somebodys = at("a/.hashmill-0123456789abcdef-7.part");
        fs::write(&somebodys, "x").expect("a file");
        let foreign = at("a/.hashmill-0123456789abcdef-x.part");
        fs::write(&foreign, "x").expect("a file");
        // As after a kill: the locks are released, the files stay.
        drop(lost.file.try_clone());
        rustix::fs::flock(&lost.file, rustix::fs::FlockOperation::Unlock).expect("no lock");
        LOST.lock().expect("a list").push(lost);
        drop(dead.file);

        let next = Journal::begin(&root).expect("a journal");
        assert!(!lost_name.exists() && unknown.exists() && at("a").join(&kept.name).exists());
        assert_eq!(list(&dir.path().join(FOLDER)).len(), 2);
        drop(temporary(&next, "a"));
        assert!(!unknown.exists() && at("a").join(&kept.name).exists() && foreign.exists() && somebodys.exists());
        // A run whose destination is inside that of another run does not know its journal, but leaves its files alone.
        let inner = Journal::begin(&Arc::new(Root::open(&at("a"), false).expect("a root"))).expect("a journal");
        drop(temporary(&inner, ""));
        assert!(at("a").join(&kept.name).exists());
        inner.end();
        drop(kept);
        next.end();
        living.end();
        assert!(!dir.path().join(FOLDER).exists());
    }

    #[test]
    fn a_journal_deletes_only_temporary_files_below_its_root() {
        let dir = tempfile::tempdir().expect("a folder");
        let at = |p: &str| dir.path().join(p);
        fs::create_dir_all(at("root").join(FOLDER)).expect("a folder");
        let name = ".hashmill-0123456789abcdef-1.part";
        let outside = at(name);
        let precious = at("root/precious");
        fs::write(&outside, "x").expect("a file");
        fs::write(&precious, "x").expect("a file");
        std::os::unix::fs::symlink("..", at("root/link")).expect("a link");
        let absolute = outside.to_str().expect("text");
        fs::write(at("root").join(FOLDER).join("journal-x"), format!("../{name}\0{absolute}\0link/{name}\0precious\0"))
            .expect("a file");
        Journal::begin(&root(&at("root"))).expect("a journal").end();
        assert!(outside.exists() && precious.exists() && !at("root").join(FOLDER).exists());
    }

    #[test]
    fn what_is_no_folder_or_no_file_makes_nobody_wait() {
        let dir = tempfile::tempdir().expect("a folder");
        std::os::unix::fs::symlink("nowhere", dir.path().join(FOLDER)).expect("a link");
        assert!(Journal::begin(&root(dir.path())).is_err());
        fs::remove_file(dir.path().join(FOLDER)).expect("no link");
        fs::create_dir(dir.path().join(FOLDER)).expect("a folder");
        let fifo = dir.path().join(FOLDER).join("journal-0123456789abcdef");
        rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, Mode::from_raw_mode(0o600), 0)
            .expect("a pipe");
        Journal::begin(&root(dir.path())).expect("a journal").end();
        assert!(fifo.exists());
    }
}
