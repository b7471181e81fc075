//! One file: read from front to back, by one thread or by several that share the algorithms.

use crate::error::Error;
use crate::progress::Progress;
use crate::queue::Job;
use crate::spare::Spare;
use crate::{divide, ring};
use hashmill::{Algorithm, Hasher};

/// Bytes that are read at once: few enough to stay in the second-level cache while every algorithm takes them in turn, and enough
/// that taking a task costs nothing beside hashing them.
pub(crate) const CHUNK: usize = 256 << 10;

/// Files longer than this are worth starting threads for.
const LONG: u64 = 4 << 20;

/// The digests of one file, one after the other. Where more than one thread is allowed, they share the parts of a long file, if all
/// algorithms are divisible, or else the algorithms.
/// A single algorithm gains nothing from a thread that reads ahead: what the copying costs less, the way between two cores' caches
/// costs more.
pub(crate) fn hash(
    job: &mut Job,
    algorithms: &[Algorithm],
    spare: Option<&Spare>,
    progress: &Progress,
) -> Result<Box<[u8]>, Error> {
    let size = job.size;
    job.open()?;
    if let Some(spare) = spare
        && size > LONG
        && let Some(file) = job.file()
        && let Some(digests) = divide::hash(file, size, algorithms, spare, progress)?
    {
        return Ok(digests);
    }
    let mut hashers: Vec<Hasher> = algorithms.iter().map(|&a| Hasher::new(a)).collect();
    // A file that says it is empty may be a pipe, or one that the kernel makes up as it is read.
    if let Some(spare) = spare
        && algorithms.len() > 1
        && (size == 0 || size > LONG)
    {
        let mut first = vec![0; CHUNK];
        let n = job.read_full(&mut first, progress)?;
        progress.read(n);
        if n == CHUNK {
            hashers = ring::hash(job, first, hashers, spare, progress)?;
        } else {
            hashers.iter_mut().for_each(|h| h.update(&first[..n]));
        }
    } else {
        let ahead = if size == 0 { CHUNK as u64 } else { size + 1 };
        let mut buffer = vec![0; ahead.clamp(512, CHUNK as u64) as usize];
        let mut total = 0;
        loop {
            let n = job.read(&mut buffer, progress)?;
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
