//! One file: read from front to back, by one thread or by several that share the algorithms.

use crate::error::Error;
use crate::input::{Input, advise_sequential, read, read_full};
use crate::progress::Progress;
use crate::pull::ADVISE;
use hashmill::{Algorithm, Hasher};
use std::fs::File;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Barrier, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

/// Bytes that are read at once: few enough to stay in the second-level cache while every algorithm takes them in turn.
const CHUNK: usize = 256 << 10;

/// Bytes that threads share at once: enough that they rarely wait for each other.
const SHARED_CHUNK: usize = 1 << 20;

/// The digests of one file, one after the other. With more than one thread, several algorithms run side by side on a long file.
/// A single algorithm gains nothing from a thread that reads ahead: what the copying costs less, the way between two cores' caches
/// costs more.
pub(crate) fn hash(
    input: &Input,
    size: u64,
    algorithms: &[Algorithm],
    threads: usize,
    progress: &Progress,
) -> Result<Box<[u8]>, Error> {
    let file = input.open()?;
    if size > ADVISE {
        advise_sequential(&file);
    }
    let mut hashers: Vec<Hasher> = algorithms.iter().map(|&a| Hasher::new(a)).collect();
    // A file that says it is empty may be a pipe, or one that the kernel makes up as it is read.
    let ahead = if size == 0 { CHUNK as u64 } else { size + 1 };
    if threads > 1 && algorithms.len() > 1 && (size == 0 || size > 4 * SHARED_CHUNK as u64) {
        let mut first = vec![0; SHARED_CHUNK];
        let n = read_full(&file, &mut first)?;
        progress.read(n);
        first.truncate(n);
        if n == SHARED_CHUNK {
            hashers = shared(&file, first, hashers, threads, progress)?;
        } else {
            hashers.iter_mut().for_each(|h| h.update(&first));
        }
    } else {
        let mut buffer = vec![0; ahead.clamp(512, CHUNK as u64) as usize];
        let mut total = 0;
        loop {
            let n = read(&file, &mut buffer)?;
            progress.read(n);
            hashers.iter_mut().for_each(|h| h.update(&buffer[..n]));
            total += n as u64;
            // See `pull::Slot::fill`.
            if n == 0 || n < buffer.len() && total == size {
                break;
            }
        }
    }
    let mut out = Vec::with_capacity(algorithms.iter().map(Algorithm::digest_len).sum());
    hashers.iter().for_each(|h| out.extend_from_slice(h.finalize().as_bytes()));
    Ok(out.into())
}

/// What one round of `shared` is about.
struct Round {
    /// The chunk that is hashed, 0 or 1; the other one is being read.
    current: usize,
    /// The tasks, slowest first: an index into the hashers, or their number for reading.
    order: Vec<usize>,
    /// Nothing is left to be hashed.
    over: bool,
}

/// Rounds in which one chunk is hashed by every algorithm while the next is read. Threads take tasks one after the other, those
/// that took longest so far first.
fn shared(
    file: &File,
    first: Vec<u8>,
    hashers: Vec<Hasher>,
    threads: usize,
    progress: &Progress,
) -> Result<Vec<Hasher>, Error> {
    let n = hashers.len();
    let threads = threads.min(n + 1);
    let chunks = [RwLock::new(first), RwLock::new(Vec::new())];
    let hashers: Vec<Mutex<(Hasher, Duration)>> =
        hashers.into_iter().map(|h| Mutex::new((h, Duration::ZERO))).collect();
    let failed = Mutex::new(None);
    let round = RwLock::new(Round { current: 0, order: (0..=n).rev().collect(), over: false });
    let next = AtomicUsize::new(0);
    let barrier = Barrier::new(threads);

    let read_next = |into: &mut Vec<u8>| {
        into.resize(SHARED_CHUNK, 0);
        let got = read_full(file, into).unwrap_or_else(|e| {
            *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(e);
            0
        });
        into.truncate(got);
        progress.read(got);
    };
    let work = || {
        loop {
            let r = round.read().unwrap_or_else(PoisonError::into_inner);
            if r.over {
                return;
            }
            while let Some(&task) = r.order.get(next.fetch_add(1, Relaxed)) {
                match hashers.get(task) {
                    Some(h) => {
                        let chunk = chunks[r.current].read().unwrap_or_else(PoisonError::into_inner);
                        let mut h = h.lock().unwrap_or_else(PoisonError::into_inner);
                        let start = Instant::now();
                        h.0.update(&*chunk);
                        h.1 += start.elapsed();
                    }
                    None => read_next(&mut chunks[1 - r.current].write().unwrap_or_else(PoisonError::into_inner)),
                }
            }
            drop(r);
            if barrier.wait().is_leader() {
                let mut r = round.write().unwrap_or_else(PoisonError::into_inner);
                r.current = 1 - r.current;
                r.over = chunks[r.current].read().unwrap_or_else(PoisonError::into_inner).is_empty();
                // Reading goes first: it may have to wait for a disk.
                let spent = |i: usize| {
                    hashers.get(i).map_or(Duration::MAX, |h| h.lock().unwrap_or_else(PoisonError::into_inner).1)
                };
                r.order.sort_by_key(|&i| std::cmp::Reverse(spent(i)));
                next.store(0, Relaxed);
            }
            barrier.wait();
        }
    };
    std::thread::scope(|s| {
        for _ in 1..threads {
            s.spawn(work);
        }
        work();
    });
    if let Some(e) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(e);
    }
    Ok(hashers.into_iter().map(|h| h.into_inner().unwrap_or_else(PoisonError::into_inner).0).collect())
}
