//! Digests of many messages in memory on several threads.

use crate::base::threads::{cores, spawn};
use hashmill::{Encoding, Engine, Error, Offset};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The weight of a message is its length and this, since even an empty one is a block with its padding.
const EACH: usize = 64;

/// Less weight than this is not worth a thread.
const WORTH: usize = 256 << 10;

/// More weight than this is worth all threads, whatever the algorithm.
const PLENTY: usize = 4 << 20;

/// In between, a thread is started for this much work: waking an idle core takes up to half of it.
const WORTH_TIME: Duration = Duration::from_millis(1);

/// The weight of the first messages, whose time says how long the others will take.
const FIRST: usize = 64 << 10;

/// As many messages as this fill the lanes of any kernel twice.
const FULL: usize = 128;

/// Writes the digests of many messages, in their order and with nothing between them, to `out`, as
/// [`Engine::digest_slices_into`] does. At most `threads` threads work on them, and never more than there are cores
/// for the process. The calling thread is one of them; the others take no signals, and have ended when the function
/// returns. Little work is not spread: the time of the first messages decides how many threads the rest is worth.
///
/// ```
/// use hashmill::{Algorithm, Encoding, Engine};
/// let sha256: Algorithm = "sha256".parse()?;
/// let messages = vec![[7; 1000]; 10_000];
/// let mut out = vec![0; 32 * messages.len()];
/// hashmill_files::digest_slices(Engine::from(sha256), None, &messages, Encoding::Raw, &mut out)?;
/// assert_eq!(out[..32], *sha256.digest(&[7; 1000]).as_bytes());
/// # Ok::<(), hashmill::Error>(())
/// ```
///
/// # Errors
/// [`Error::WrongTotal`] if `out` is not exactly as long as all digests. Nothing has been written then.
pub fn digest_slices<M: AsRef<[u8]> + Sync>(
    engine: Engine,
    threads: Option<NonZeroUsize>,
    messages: &[M],
    encoding: Encoding,
    out: &mut [u8],
) -> Result<(), Error> {
    spread(engine, threads, Slices(messages), encoding, out)
}

/// Writes the digests of the messages of a column to `out`, as [`Engine::digest_many_into`] does: message i is
/// `bytes[offsets[i]..offsets[i + 1]]`. The threads are those of [`digest_slices`].
///
/// # Errors
/// [`Error::BadOffsets`] if an offset is negative, less than the one before it or beyond the bytes, and
/// [`Error::WrongTotal`] if `out` is not exactly as long as all digests. Nothing has been written then.
pub fn digest_column<O: Offset + Sync>(
    engine: Engine,
    threads: Option<NonZeroUsize>,
    offsets: &[O],
    bytes: &[u8],
    encoding: Encoding,
    out: &mut [u8],
) -> Result<(), Error> {
    spread(engine, threads, Column { offsets, bytes }, encoding, out)
}

/// Messages that can be divided among threads.
trait Messages: Copy + Send + Sync {
    fn count(self) -> usize;

    /// The weight of all messages, or `None` if only the error of [`digest`](Self::digest) can be had from them.
    fn weight(self) -> Option<usize>;

    /// The number of the first messages that have this weight together, or slightly more.
    fn first(self, weight: usize) -> usize;

    fn split_at(self, n: usize) -> (Self, Self);

    fn digest(self, engine: Engine, encoding: Encoding, out: &mut [u8]) -> Result<(), Error>;
}

struct Slices<'a, M>(&'a [M]);

impl<M> Clone for Slices<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for Slices<'_, M> {}

impl<M: AsRef<[u8]> + Sync> Messages for Slices<'_, M> {
    fn count(self) -> usize {
        self.0.len()
    }

    fn weight(self) -> Option<usize> {
        let all = self.0.iter().fold(0usize, |sum, m| sum.saturating_add(m.as_ref().len()));
        Some(all.saturating_add(self.0.len().saturating_mul(EACH)))
    }

    fn first(self, weight: usize) -> usize {
        let (mut n, mut sum) = (0, 0usize);
        while n < self.0.len() && sum < weight {
            sum = sum.saturating_add(EACH).saturating_add(self.0[n].as_ref().len());
            n += 1;
        }
        n
    }

    fn split_at(self, n: usize) -> (Self, Self) {
        let (first, rest) = self.0.split_at(n);
        (Slices(first), Slices(rest))
    }

    fn digest(self, engine: Engine, encoding: Encoding, out: &mut [u8]) -> Result<(), Error> {
        engine.digest_slices_into(self.0, encoding, out)
    }
}

struct Column<'a, O> {
    offsets: &'a [O],
    bytes: &'a [u8],
}

impl<O> Clone for Column<'_, O> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<O> Copy for Column<'_, O> {}

impl<O: Offset + Sync> Column<'_, O> {
    /// The weight of the first `n` messages.
    fn weight_of(self, n: usize) -> usize {
        (self.offsets[n].place() - self.offsets[0].place()).saturating_add(n.saturating_mul(EACH))
    }
}

impl<O: Offset + Sync> Messages for Column<'_, O> {
    fn count(self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    fn weight(self) -> Option<usize> {
        let (Some(first), Some(last)) = (self.offsets.first(), self.offsets.last()) else { return Some(0) };
        let good = O::ascend(self.offsets) && first.wide() >= 0 && last.wide() <= self.bytes.len() as i128;
        good.then(|| self.weight_of(self.count()))
    }

    fn first(self, weight: usize) -> usize {
        // The weight ascends with the number of messages.
        let (mut low, mut high) = (0, self.count());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.weight_of(middle) < weight { low = middle + 1 } else { high = middle }
        }
        low
    }

    fn split_at(self, n: usize) -> (Self, Self) {
        // The offset between two messages is the last of the former ones and the first of the latter.
        let Column { offsets, bytes } = self;
        (Column { offsets: &offsets[..=n], bytes }, Column { offsets: &offsets[n..], bytes })
    }

    fn digest(self, engine: Engine, encoding: Encoding, out: &mut [u8]) -> Result<(), Error> {
        engine.digest_many_into(self.offsets, self.bytes, encoding, out)
    }
}

/// Messages and the room for their digests, until a thread takes them.
type Share<'a, M> = Mutex<Option<(M, &'a mut [u8])>>;

fn spread<M: Messages>(
    engine: Engine,
    threads: Option<NonZeroUsize>,
    mut messages: M,
    encoding: Encoding,
    mut out: &mut [u8],
) -> Result<(), Error> {
    let (most, count) = (threads.map_or(usize::MAX, NonZeroUsize::get).min(cores()), messages.count());
    let each = engine.algorithm().digest_len() << encoding as u32;
    // The weight takes a look at every message, so it is not asked for if one thread does the work anyway.
    let one = most == 1 || count < 2 || count.checked_mul(each) != Some(out.len());
    let weight = if one { None } else { messages.weight() };
    let Some(mut weight) = weight.filter(|w| *w >= 2 * WORTH) else {
        return messages.digest(engine, encoding, out);
    };
    let mut threads = most.min(weight / WORTH);
    if weight < PLENTY {
        let n = messages.first(FIRST);
        let (some, rest) = messages.split_at(n);
        let (digests, room) = out.split_at_mut(n * each);
        let start = Instant::now();
        some.digest(engine, encoding, digests)?;
        let took = start.elapsed().as_secs_f64();
        let left = rest.weight().unwrap_or_default();
        let worth = took * left as f64 / (weight - left) as f64 / WORTH_TIME.as_secs_f64();
        threads = threads.min(worth as usize);
        (messages, out, weight) = (rest, room, left);
    }
    if threads < 2 {
        return messages.digest(engine, encoding, out);
    }
    // A second share evens out what one thread is slower, where that leaves enough messages in each to fill the lanes.
    let count = if messages.count() / threads >= FULL { 2 * threads } else { threads };
    let shares = shares(messages, out, each, weight, count);
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(None));
    let work = || {
        while let Some(share) = shares.get(next.fetch_add(1, Relaxed)) {
            let share = share.lock().unwrap_or_else(PoisonError::into_inner).take();
            let done = share.map(|(messages, room)| messages.digest(engine, encoding, room));
            if let Some(Err(e)) = done {
                *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(e);
            }
        }
    };
    std::thread::scope(|s| {
        // If the system starts no more threads, the running ones do the work.
        let _ = (1..threads).try_for_each(|_| spawn(s, work).map(drop));
        work();
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

/// Divides messages into at most `count` shares of about the same weight; `each` is the length of a digest in `out`.
fn shares<M: Messages>(
    mut messages: M,
    mut out: &mut [u8],
    each: usize,
    weight: usize,
    count: usize,
) -> Vec<Share<'_, M>> {
    let mut shares = Vec::with_capacity(count);
    for i in 1..=count {
        let n = if i == count { messages.count() } else { messages.first(weight / count) };
        if n > 0 {
            let (some, rest) = messages.split_at(n);
            let (room, behind) = out.split_at_mut(n * each);
            (messages, out) = (rest, behind);
            shares.push(Mutex::new(Some((some, room))));
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::{Column, EACH, Messages, Slices, digest_column, digest_slices, shares};
    use crate::base::threads::tests::with_threads;
    use hashmill::{Algorithm, Encoding, Engine, Error, Offset};
    use hashmill_testing::noise;
    use std::num::NonZeroUsize;

    /// Lengths of messages, and the total: enough for one thread, for a look at the first, and for all threads.
    const LENGTHS: [(usize, usize); 6] =
        [(0, 100_000), (1, 50_000), (55, 30_000), (1000, 3_000), (300_000, 3), (700_000, 17)];

    fn engine(name: &str) -> Engine {
        name.parse::<Algorithm>().unwrap().into()
    }

    fn slices(data: &[u8], length: usize, count: usize) -> Vec<&[u8]> {
        (0..count).map(|i| &data[i % 7..][..length - i.min(length) % 3]).collect()
    }

    #[test]
    fn threads_change_no_digest() {
        let data = noise(700_100, 1);
        for name in ["sha256", "md5", "crc32", "blake3", "xxh3", "sha3-256"] {
            for (length, count) in LENGTHS {
                let messages = slices(&data, length, count);
                for encoding in [Encoding::Raw, Encoding::Hex] {
                    let each = engine(name).algorithm().digest_len() << encoding as u32;
                    let (mut one, mut many) = (vec![0; each * count], vec![0; each * count]);
                    engine(name).digest_slices_into(&messages, encoding, &mut one).unwrap();
                    for threads in [None, NonZeroUsize::new(2), NonZeroUsize::new(5)] {
                        digest_slices(engine(name), threads, &messages, encoding, &mut many).unwrap();
                        assert!(one == many, "{name}, {count} messages of {length} bytes, {threads:?} threads");
                        many.fill(0);
                    }
                }
            }
        }
    }

    fn columns<O: Offset + Sync>(offset: impl Fn(usize) -> O) {
        for (length, count) in LENGTHS {
            let length = if length * count > 6_000_000 { 400_000 } else { length };
            let data = noise(3 + length * count, 2);
            let offsets: Vec<O> = (0..=count).map(|i| offset(3 + i * length)).collect();
            let (mut one, mut many) = (vec![0; 20 * count], vec![0; 20 * count]);
            engine("sha1").digest_many_into(&offsets, &data, Encoding::Raw, &mut one).unwrap();
            digest_column(engine("sha1"), NonZeroUsize::new(3), &offsets, &data, Encoding::Raw, &mut many).unwrap();
            assert!(one == many, "{count} messages of {length} bytes");
        }
    }

    #[test]
    fn a_column_with_offsets_of_any_type() {
        columns(|n| n as u32);
        columns(|n| n as u64);
        columns(|n| i32::try_from(n).unwrap());
        columns(|n| n as i64);
    }

    /// An error is that of the whole, and nothing has been written.
    #[test]
    fn errors_come_first() {
        let data = noise(9_000_000, 3);
        let mut offsets: Vec<i64> = (0..=90_000).map(|i| i * 100).collect();
        let mut out = vec![0xee; 4 * 90_000];
        for (at, bad) in [(0, -1), (70_001, 6_999_999), (90_000, 9_000_001), (1, i64::MAX)] {
            let good = std::mem::replace(&mut offsets[at], bad);
            let error = digest_column(engine("crc32"), None, &offsets, &data, Encoding::Raw, &mut out).unwrap_err();
            let whole = engine("crc32").digest_many_into(&offsets, &data, Encoding::Raw, &mut out).unwrap_err();
            assert_eq!(error, whole);
            assert!(matches!(error, Error::BadOffsets { .. }), "{error}");
            offsets[at] = good;
        }
        let wrong = |n| matches!(n, Err(Error::WrongTotal { .. }));
        let short = &mut out[1..];
        assert!(wrong(digest_column(engine("crc32"), None, &offsets, &data, Encoding::Raw, short)));
        assert!(wrong(digest_slices(engine("crc32"), None, &vec![&data[..100]; 90_000], Encoding::Raw, short)));
        assert!(out.iter().all(|b| *b == 0xee));
        assert_eq!(digest_column::<u32>(engine("crc32"), None, &[], &[], Encoding::Raw, &mut []), Ok(()));
        assert_eq!(digest_slices::<&[u8]>(engine("crc32"), None, &[], Encoding::Raw, &mut []), Ok(()));
    }

    /// If the system starts no thread, the caller's does the work.
    #[test]
    fn without_other_threads() {
        let messages = vec![vec![5; 1 << 20]; 9];
        let mut out = [0; 9 * 16];
        with_threads(0, || digest_slices(engine("md5"), NonZeroUsize::new(4), &messages, Encoding::Raw, &mut out))
            .unwrap();
        assert_eq!(out[8 * 16..], *engine("md5").digest(&messages[8]).as_bytes());
    }

    /// No message is left out or hashed twice, and no share is much heavier than the others.
    #[test]
    fn shares_are_even() {
        let data = [0; 5000];
        let messages: Vec<&[u8]> = (0..1000).map(|i| &data[..i * 5]).collect();
        let offsets: Vec<u32> = (0..=1000).map(|i| i * 5).collect();
        check(Slices(&messages), 1);
        check(Column { offsets: &offsets, bytes: &data }, 2);

        fn check<M: Messages>(all: M, each: usize) {
            let mut out = vec![0; 1000 * each];
            let weight = all.weight().unwrap();
            for count in [1, 2, 7, 999] {
                let shares = shares(all, &mut out, each, weight, count);
                let (mut messages, mut room) = (0, 0);
                for share in &shares {
                    let (some, out) = share.lock().unwrap().take().unwrap();
                    assert!(some.weight().unwrap() <= weight / count + 5000 + EACH, "{count}");
                    assert_eq!(out.len(), some.count() * each);
                    (messages, room) = (messages + some.count(), room + out.len());
                }
                assert_eq!((messages, room), (1000, 1000 * each), "{count}");
                assert!(shares.len() <= count);
            }
        }
    }
}
