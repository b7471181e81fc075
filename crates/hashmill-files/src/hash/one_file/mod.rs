//! Hashing one file, on one thread or on several, which share its parts or the algorithms, or take turns.
//!
//! * `by_part.rs`: each thread reads and hashes parts of its own; for algorithms that can be divided (BLAKE3, CRCs,
//!   Adler-32).
//! * `by_algorithm.rs`: chunks circulate in a ring, and every algorithm hashes them at its own pace; for several
//!   algorithms, and pipes.
//! * `by_piece.rs`: each thread hashes pieces side by side; for digests that are composed of those of long pieces.
//! * `in_turns.rs`: the state passes from thread to thread, and each reads a chunk while another hashes; for one
//!   algorithm that is fast compared with reading, as measured on the first chunks.
//!
//! Several algorithms on one thread take each chunk together ([`Running::update_all`]).
//!
//! What is in the page cache may be mapped instead of read ([`Mapping`], if the process allows it), for one algorithm
//! or divisible ones. This saves the copy, which took 0.4 of the time of BLAKE3. Where a mapped page turns out to be
//! gone, that part of the file is read instead, which yields the actual error.

mod by_algorithm;
mod by_part;
mod by_piece;
mod in_turns;

use crate::base::error::Error;
use crate::base::progress::Progress;
use crate::base::recipe::Recipe;
use crate::base::threads::ThreadBudget;
use crate::hash::running::Running;
use crate::queue::job::Job;
use crate::queue::shared::Queue;
use crate::read::sys::{MAPPED, Mapping};
use std::io::{Seek, SeekFrom};
use std::time::{Duration, Instant};

/// Number of bytes read at once: small enough for the second-level cache to hold them while each algorithm processes
/// them in turn, and large enough that the cost of taking a task is negligible.
pub(crate) const CHUNK: usize = 256 << 10;

/// Files longer than this are worth starting threads for.
const LONG: u64 = 4 << 20;

/// Number of chunks that show how fast an algorithm is compared with reading.
const TRIAL: u32 = 8;

/// Several threads take turns with one algorithm only if it takes less than this many times as long as reading does.
/// Otherwise reading is a small part of the whole, and costs less than moving the bytes between the caches of two
/// cores.
const SLOW: u32 = 3;

/// Returns the digests of one file, one after the other. If more than one thread is allowed, the threads share the
/// parts of a long file if all algorithms are divisible, and the algorithms otherwise. If the only algorithm is a fast
/// one, they take turns with it.
pub(crate) fn hash(job: &mut Job, budget: Option<&ThreadBudget>, queue: &Queue<'_>) -> Result<Box<[u8]>, Error> {
    let progress = queue.progress;
    job.open(queue.devices.io)?;
    let size = job.size;
    if let Some(budget) = budget
        && let Some(algorithms) = &queue.algorithms
        && size > LONG
        && let Some(file) = job.file()
        && let Some((digests, bytes)) = by_part::hash(file, size, algorithms, budget, progress)?
    {
        job.at = bytes;
        return Ok(digests);
    }
    let mut hashers: Vec<Running> = queue.recipes.iter().map(|recipe| Running::new(recipe, job)).collect();
    if let [Running::Pieces(pieces)] = &hashers[..]
        && let Some(file) = job.file()
        && let Some((value, bytes)) = by_piece::hash(file, size, pieces.plan(), budget, progress)?
    {
        job.at = bytes;
        return Ok(value.into());
    }
    // A file that claims to be empty may be a pipe, or one whose content the kernel generates as it is read.
    if let Some(budget) = budget
        && hashers.len() > 1
        && (size == 0 || size > LONG)
    {
        let mut first = vec![0; CHUNK];
        let n = job.read_full(&mut first, progress)?;
        progress.read(n);
        if n == CHUNK {
            hashers = by_algorithm::hash(job, first, hashers, budget, progress)?;
        } else {
            Running::update_all(&mut hashers, &first[..n]);
        }
    } else {
        let ahead = if size == 0 { CHUNK as u64 } else { size + 1 };
        let mut buffer = vec![0; ahead.clamp(512, CHUNK as u64) as usize];
        let mut trial = Trial::default();
        loop {
            if hash_mapped(job, &mut hashers, progress)? > 0 {
                trial = Trial::default();
            }
            if trial.chunks == TRIAL
                && let Some(budget) = budget
                && size > LONG
                && let Some(file) = job.file()
                && trial.hashing < trial.reading * SLOW
                && let [Running::Hash(hasher)] = &mut hashers[..]
            {
                let (end, bytes) = in_turns::hash(file, job.at, size, hasher.clone(), budget, progress)?;
                *hasher = end;
                job.at += bytes;
                break;
            }
            let start = Instant::now();
            let n = job.read(&mut buffer, progress)?;
            progress.read(n);
            let read = Instant::now();
            Running::update_all(&mut hashers, &buffer[..n]);
            trial.chunks += 1;
            trial.reading += read - start;
            trial.hashing += read.elapsed();
            if job.is_at_end(n, buffer.len()) {
                break;
            }
        }
    }
    let mut out = Vec::with_capacity(queue.recipes.iter().map(Recipe::value_len).sum());
    hashers.into_iter().try_for_each(|h| h.finish(&mut out))?;
    Ok(out.into())
}

/// Hashes as much of a long file as can be mapped from the current position on, and returns the number of bytes.
fn hash_mapped(job: &mut Job, hashers: &mut [Running], progress: &Progress) -> Result<u64, Error> {
    let (size, at) = (job.size, job.at);
    let mut end = at;
    if size <= LONG || !at.is_multiple_of(MAPPED as u64) {
        return Ok(0);
    }
    let Some(mut file) = job.file() else { return Ok(0) };
    while end + MAPPED as u64 <= size
        && let Some(mapping) = Mapping::of(file, end)
    {
        let before = hashers.to_vec();
        for chunk in mapping.bytes().chunks(CHUNK) {
            if progress.is_stopped() {
                return Err(Error::Stopped);
            }
            Running::update_all(hashers, chunk);
        }
        if !mapping.is_whole() {
            // Reading it will show why.
            hashers.clone_from_slice(&before);
            break;
        }
        progress.read(MAPPED);
        end += MAPPED as u64;
    }
    if end > at {
        file.seek(SeekFrom::Start(end))?;
        job.at += end - at;
    }
    Ok(end - at)
}

/// How long the first chunks took.
#[derive(Default)]
struct Trial {
    chunks: u32,
    reading: Duration,
    hashing: Duration,
}
