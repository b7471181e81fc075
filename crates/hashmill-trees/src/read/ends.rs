//! The first and the last block of files, by which most files of one length differ already.

use hashmill::{Algorithm, Digest, Hasher};
use hashmill_files::{cores, one_reader, spawn};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Length of each block in bytes: what a disk reads at once in any case.
pub(crate) const BLOCK: u64 = 4096;

/// Number of files that a thread takes at a time.
const AT_ONCE: usize = 64;

/// Returns for each file a digest of its first and last block and its length, or why it cannot be read, in the order of
/// `files`, which are at least one block long.
pub(crate) fn of(
    files: &[PathBuf],
    algorithm: Algorithm,
    threads: Option<usize>,
    stopped: &(dyn Fn() -> bool + Sync),
) -> Vec<io::Result<Digest>> {
    let alone = files.first().is_some_and(|path| one_reader(path).is_some());
    // Waiting for a medium takes no core.
    let threads =
        if alone { 1 } else { threads.unwrap_or_else(|| 4 * cores()) }.min(files.len().div_ceil(AT_ONCE)).max(1);
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(files.len())));
    let work = || {
        loop {
            let from = next.fetch_add(AT_ONCE, Relaxed);
            if from >= files.len() || stopped() {
                return;
            }
            let some = &files[from..files.len().min(from + AT_ONCE)];
            let digests: Vec<_> = some.iter().map(|path| one(path, algorithm)).collect();
            done.lock().unwrap_or_else(PoisonError::into_inner).push((from, digests));
        }
    };
    std::thread::scope(|s| {
        // If no thread can be started, this one does everything.
        let _ = (1..threads).try_for_each(|_| spawn(s, work).map(drop));
        work();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(from, _)| *from);
    let mut all: Vec<_> = done.into_iter().flat_map(|(_, digests)| digests).collect();
    all.resize_with(files.len(), || Err(io::ErrorKind::Interrupted.into()));
    all
}

fn one(path: &Path, algorithm: Algorithm) -> io::Result<Digest> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut block = [0; BLOCK as usize];
    let mut hasher = Hasher::new(algorithm);
    for at in [0, length.saturating_sub(BLOCK)] {
        if at > 0 {
            file.seek(SeekFrom::Start(at))?;
        }
        let mut filled = 0;
        while filled < block.len() {
            match file.read(&mut block[filled..])? {
                0 => break,
                n => filled += n,
            }
        }
        hasher.update(&block[..filled]);
    }
    hasher.update(length.to_le_bytes());
    Ok(hasher.finalize())
}
