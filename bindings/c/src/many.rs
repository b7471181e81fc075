//! Many messages at once.

use crate::algorithm::{algorithm, hm_algorithm};
use crate::error::{Failure, hm_error};
use crate::guard::{bytes, bytes_mut, guard, overlap};
use crate::hasher::engine;
use crate::threads;
use hashmill::{Encoding, Engine, Offset};
use std::ffi::{c_char, c_void};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A message: its first byte and its length in bytes. POSIX's struct iovec is laid out the same way.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct hm_bytes {
    /// Its first byte; may be null if there is none.
    pub data: *const c_void,
    /// Its length in bytes.
    pub len: usize,
}

/// The form of digests in a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum hm_encoding {
    /// The bytes: the digest's length for each.
    HM_RAW = 0,
    /// Lower-case hexadecimal digits: twice as many for each, and nothing between digests.
    HM_HEX = 1,
}

/// The type of offsets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum hm_offsets {
    /// int32_t, as Arrow's Binary and Utf8 have them.
    HM_INT32 = 0,
    /// int64_t, as Arrow's LargeBinary and LargeUtf8 have them.
    HM_INT64 = 1,
    /// uint32_t
    HM_UINT32 = 2,
    /// uint64_t
    HM_UINT64 = 3,
}

/// C may hand over any number, so they come as such.
fn encoding(number: u32) -> Result<Encoding, Failure> {
    match number {
        0 => Ok(Encoding::Raw),
        1 => Ok(Encoding::Hex),
        _ => Err(Failure::argument(format!("there is no encoding {number}: HM_RAW and HM_HEX are 0 and 1"))),
    }
}

/// A message that was looked at.
#[repr(transparent)]
struct Message(hm_bytes);

impl AsRef<[u8]> for Message {
    #[inline(always)]
    fn as_ref(&self) -> &[u8] {
        if self.0.len == 0 {
            return &[];
        }
        // SAFETY: `messages` has looked at it; it can be read as the caller promises.
        unsafe { std::slice::from_raw_parts(self.0.data.cast(), self.0.len) }
    }
}

// SAFETY: nobody writes to a message during a call, as the caller promises; threads read it.
unsafe impl Sync for Message {}

/// The caller's messages, none of which is null with a length, or has a byte in common with `out`.
unsafe fn messages<'a>(
    at: *const hm_bytes,
    count: usize,
    out: *const c_void,
    out_len: usize,
) -> Result<&'a [Message], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    if at.is_null() || !at.is_aligned() || count > isize::MAX as usize / size_of::<hm_bytes>() {
        return Err(Failure::argument(format!("there are no {count} messages here: null, not aligned, or too many")));
    }
    // SAFETY: not null, aligned, not too many, and there as the caller promises.
    let all = unsafe { std::slice::from_raw_parts(at, count) };
    // One pass without early exits, which the compiler makes into vector code.
    let bad = |m: &hm_bytes| {
        (m.len != 0) & m.data.is_null() | (m.len > isize::MAX as usize) | overlap(m.data, m.len, out, out_len)
    };
    if all.iter().fold(false, |any, m| any | bad(m)) {
        let i = all.iter().position(bad).unwrap_or_default();
        return Err(Failure::argument(format!(
            "message {i} of {} bytes is null, too long, or overlaps the room for the digests",
            all[i].len
        )));
    }
    // SAFETY: of the same form.
    Ok(unsafe { std::slice::from_raw_parts(at.cast(), count) })
}

/// Writes the digests of `count` messages, in their order and with nothing between them, to `out`, which has `out_len`
/// bytes: `count` times the digest's length, or twice that as text. Messages of any lengths are hashed side by side.
/// Nothing is written if the call fails, and nothing is allocated for each message.
///
/// HM_WRONG_TOTAL if `out_len` is another; HM_BAD_ARGUMENT if a message is null with a length, or overlaps `out`.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_digest_many(
    a: *const hm_algorithm,
    messages: *const hm_bytes,
    count: usize,
    encoding: u32,
    out: *mut c_void,
    out_len: usize,
) -> hm_error {
    // SAFETY: the header's rules for pointers.
    unsafe { hm_digest_many_on(a, std::ptr::null(), messages, count, encoding, out, out_len) }
}

/// hm_digest_many on the kernel of this name; null for what the CPU prefers.
///
/// HM_UNKNOWN_KERNEL, HM_KERNEL_UNAVAILABLE.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_digest_many_on(
    a: *const hm_algorithm,
    kernel: *const c_char,
    messages: *const hm_bytes,
    count: usize,
    encoding: u32,
    out: *mut c_void,
    out_len: usize,
) -> hm_error {
    guard(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            let engine = engine(algorithm(a)?, kernel)?;
            let encoding = self::encoding(encoding)?;
            let messages = self::messages(messages, count, out, out_len)?;
            Ok(engine.digest_slices_into(messages, encoding, bytes_mut(out, out_len, "out")?)?)
        }
    })
}

/// Fewer bytes than this for each thread are not worth one.
const WORTH: usize = 256 << 10;

/// Where the caller leaves it to us, a thread is started for so much work: to wake an idle core takes up to half of it.
const WORTH_TIME: Duration = Duration::from_millis(1);

/// The first messages, as many as fill the lanes and take a time that can be measured, and their bytes.
fn first(messages: &[Message]) -> (usize, usize) {
    let (mut n, mut bytes) = (0, 0usize);
    while n < messages.len() && (bytes < WORTH || n % 64 != 0) {
        bytes = bytes.saturating_add(messages[n].0.len);
        n += 1;
    }
    (n, bytes)
}

/// A thread's messages and the room for their digests, until it is taken.
type Share<'a> = Mutex<Option<(&'a [Message], &'a mut [u8])>>;

/// The messages in shares of about as many bytes each; `each` is the length of a digest in `out`.
fn shares<'a>(
    mut messages: &'a [Message],
    mut out: &'a mut [u8],
    each: usize,
    bytes: usize,
    count: usize,
) -> Vec<Share<'a>> {
    let mut shares = Vec::with_capacity(count);
    for i in 1..=count {
        let (mut n, mut taken) = (0, 0usize);
        while n < messages.len() && (taken <= bytes / count || i == count) {
            taken = taken.saturating_add(messages[n].0.len);
            n += 1;
        }
        let (some, rest) = messages.split_at(n);
        let (room, behind) = out.split_at_mut(n * each);
        (messages, out) = (rest, behind);
        shares.push(Mutex::new(Some((some, room))));
    }
    shares
}

/// hm_digest_many on several threads: `threads` at most, each with 256 KiB at least. With 0 there are as many as cores
/// for the process if the first messages show that the others take a millisecond for each; with 1 it is hm_digest_many.
/// The calling thread is one of them; the others take no signals, and are gone when it returns.
///
/// HM_WRONG_TOTAL, HM_BAD_ARGUMENT.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_digest_many_threads(
    a: *const hm_algorithm,
    threads: usize,
    messages: *const hm_bytes,
    count: usize,
    encoding: u32,
    out: *mut c_void,
    out_len: usize,
) -> hm_error {
    guard(|| {
        // SAFETY: the header's rules for pointers.
        let (a, mut messages, mut room) =
            unsafe { (algorithm(a)?, self::messages(messages, count, out, out_len)?, bytes_mut(out, out_len, "out")?) };
        let (engine, encoding) = (Engine::from(a), self::encoding(encoding)?);
        let each = a.digest_len() * if encoding == Encoding::Hex { 2 } else { 1 };
        let mut bytes = messages.iter().fold(0usize, |sum, m| sum.saturating_add(m.0.len));
        if bytes < 2 * WORTH || threads == 1 || count.checked_mul(each) != Some(out_len) {
            return Ok(engine.digest_slices_into(messages, encoding, room)?);
        }
        let mut threads = threads;
        if threads == 0 {
            let (n, taken) = first(messages);
            let (some, rest) = messages.split_at(n);
            let (digests, behind) = room.split_at_mut(n * each);
            let start = Instant::now();
            engine.digest_slices_into(some, encoding, digests)?;
            let took = start.elapsed();
            (messages, room, bytes) = (rest, behind, bytes - taken);
            let more = took.as_secs_f64() * bytes as f64 / taken as f64 / WORTH_TIME.as_secs_f64();
            threads = threads::cores().min(more as usize);
        }
        let threads = threads.min(bytes / WORTH).min(messages.len());
        if threads < 2 {
            return Ok(engine.digest_slices_into(messages, encoding, room)?);
        }
        let shares = shares(messages, room, each, bytes, (2 * threads).min(bytes / WORTH));
        let (next, failed) = (AtomicUsize::new(0), Mutex::new(None));
        let work = || {
            while let Some(share) = shares.get(next.fetch_add(1, Relaxed)) {
                let share = share.lock().unwrap_or_else(PoisonError::into_inner).take();
                let done = share.map(|(messages, room)| engine.digest_slices_into(messages, encoding, room));
                if let Some(Err(e)) = done {
                    *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(e);
                }
            }
        };
        std::thread::scope(|s| {
            // If the system starts no more threads, the running ones do the work.
            let _ = (1..threads).try_for_each(|_| threads::spawn(s, work).map(drop));
            work();
        });
        let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
        failed.map_or(Ok(()), |e| Err(e.into()))
    })
}

/// hm_digest_many of messages that lie one after the other in `bytes`, of `len` bytes: message i is that from
/// `offsets[i]` up to `offsets[i + 1]`, which is Arrow's layout. `offsets` has `count` + 1 numbers of the type that
/// `type` says; it may be null if `count` is 0.
///
/// HM_BAD_OFFSETS if they descend, are negative or point beyond the bytes; HM_WRONG_TOTAL; HM_BAD_ARGUMENT if `out`
/// overlaps the bytes. Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_digest_column(
    a: *const hm_algorithm,
    offsets: *const c_void,
    r#type: u32,
    count: usize,
    bytes: *const c_void,
    len: usize,
    encoding: u32,
    out: *mut c_void,
    out_len: usize,
) -> hm_error {
    // SAFETY: the header's rules for pointers.
    unsafe { hm_digest_column_on(a, std::ptr::null(), offsets, r#type, count, bytes, len, encoding, out, out_len) }
}

/// hm_digest_column on the kernel of this name; null for what the CPU prefers.
///
/// HM_UNKNOWN_KERNEL, HM_KERNEL_UNAVAILABLE.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_digest_column_on(
    a: *const hm_algorithm,
    kernel: *const c_char,
    offsets: *const c_void,
    r#type: u32,
    count: usize,
    bytes: *const c_void,
    len: usize,
    encoding: u32,
    out: *mut c_void,
    out_len: usize,
) -> hm_error {
    guard(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            let engine = engine(algorithm(a)?, kernel)?;
            let encoding = self::encoding(encoding)?;
            if overlap(bytes, len, out, out_len) {
                return Err(Failure::argument("the room for the digests overlaps the messages"));
            }
            let bytes = self::bytes(bytes, len, "bytes")?;
            let out = bytes_mut(out, out_len, "out")?;
            match r#type {
                0 => column::<i32>(engine, offsets, count, bytes, encoding, out),
                1 => column::<i64>(engine, offsets, count, bytes, encoding, out),
                2 => column::<u32>(engine, offsets, count, bytes, encoding, out),
                3 => column::<u64>(engine, offsets, count, bytes, encoding, out),
                _ => Err(Failure::argument(format!("there are no offsets of type {}: see hm_offsets", r#type))),
            }
        }
    })
}

unsafe fn column<O: Offset>(
    engine: Engine,
    offsets: *const c_void,
    count: usize,
    bytes: &[u8],
    encoding: Encoding,
    out: &mut [u8],
) -> Result<(), Failure> {
    let offsets = offsets.cast::<O>();
    let offsets = match count.checked_add(1).filter(|n| *n <= isize::MAX as usize / size_of::<O>()) {
        _ if count == 0 => &[],
        Some(n) if !offsets.is_null() && offsets.is_aligned() => {
            // SAFETY: not null, aligned, not too many, and there as the caller promises; any bytes are some number.
            unsafe { std::slice::from_raw_parts(offsets, n) }
        }
        _ => {
            let text = format!("there are no offsets of {count} messages here: null, not aligned, or too many");
            return Err(Failure::argument(text));
        }
    };
    Ok(engine.digest_many_into(offsets, bytes, encoding, out)?)
}
