//! Many messages at once.

use crate::algorithm::{algorithm, hm_algorithm};
use crate::error::{CallError, Outcome, hm_error};
use crate::guard::{bytes, bytes_mut, guard, overlap};
use crate::hasher::engine;
use hashmill::{Encoding, Engine, Error, Offset};
use std::ffi::{c_char, c_void};

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
pub(crate) fn encoding(number: u32) -> Result<Encoding, CallError> {
    match number {
        0 => Ok(Encoding::Raw),
        1 => Ok(Encoding::Hex),
        _ => Err(CallError::argument(format!("there is no encoding {number}: HM_RAW and HM_HEX are 0 and 1"))),
    }
}

/// A message that was looked at.
#[repr(transparent)]
pub(crate) struct Message(hm_bytes);

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
pub(crate) unsafe fn messages<'a>(
    at: *const hm_bytes,
    count: usize,
    out: *const c_void,
    out_len: usize,
) -> Result<&'a [Message], CallError> {
    if count == 0 {
        return Ok(&[]);
    }
    if at.is_null() || !at.is_aligned() || count > isize::MAX as usize / size_of::<hm_bytes>() {
        return Err(CallError::argument(format!("there are no {count} messages here: null, not aligned, or too many")));
    }
    // SAFETY: not null, aligned, not too many, and there as the caller promises.
    let all = unsafe { std::slice::from_raw_parts(at, count) };
    // One pass without early exits, which the compiler makes into vector code.
    let bad = |m: &hm_bytes| {
        (m.len != 0) & m.data.is_null() | (m.len > isize::MAX as usize) | overlap(m.data, m.len, out, out_len)
    };
    if all.iter().fold(false, |any, m| any | bad(m)) {
        let i = all.iter().position(bad).unwrap_or_default();
        return Err(CallError::argument(format!(
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
            let column = Column { offsets, r#type, count, bytes, len, encoding, out, out_len };
            column.each_type(OneThread(engine))
        }
    })
}

/// A column as the caller describes it.
pub(crate) struct Column {
    pub(crate) offsets: *const c_void,
    pub(crate) r#type: u32,
    pub(crate) count: usize,
    pub(crate) bytes: *const c_void,
    pub(crate) len: usize,
    pub(crate) encoding: u32,
    pub(crate) out: *mut c_void,
    pub(crate) out_len: usize,
}

/// What hashes a column whose offsets are of one type.
pub(crate) trait Hash {
    fn hash<O: Offset + Sync>(&self, offsets: &[O], bytes: &[u8], e: Encoding, out: &mut [u8]) -> Result<(), Error>;
}

struct OneThread(Engine);

impl Hash for OneThread {
    fn hash<O: Offset + Sync>(&self, offsets: &[O], bytes: &[u8], e: Encoding, out: &mut [u8]) -> Result<(), Error> {
        self.0.digest_many_into(offsets, bytes, e, out)
    }
}

impl Column {
    /// Hashes the column after a look at its pointers.
    ///
    /// # Safety
    /// The header's rules for pointers.
    pub(crate) unsafe fn each_type(self, hash: impl Hash) -> Outcome {
        let encoding = encoding(self.encoding)?;
        if overlap(self.bytes, self.len, self.out, self.out_len) {
            return Err(CallError::argument("the room for the digests overlaps the messages"));
        }
        // SAFETY: the caller's promise.
        unsafe {
            let (bytes, out) = (bytes(self.bytes, self.len, "bytes")?, bytes_mut(self.out, self.out_len, "out")?);
            match self.r#type {
                0 => hash.hash(self.offsets::<i32>()?, bytes, encoding, out)?,
                1 => hash.hash(self.offsets::<i64>()?, bytes, encoding, out)?,
                2 => hash.hash(self.offsets::<u32>()?, bytes, encoding, out)?,
                3 => hash.hash(self.offsets::<u64>()?, bytes, encoding, out)?,
                other => {
                    return Err(CallError::argument(format!("there are no offsets of type {other}: see hm_offsets")));
                }
            }
        }
        Ok(())
    }

    /// # Safety
    /// The header's rules for pointers.
    unsafe fn offsets<'a, O>(&self) -> Result<&'a [O], CallError> {
        let (at, count) = (self.offsets.cast::<O>(), self.count);
        match count.checked_add(1).filter(|n| *n <= isize::MAX as usize / size_of::<O>()) {
            _ if count == 0 => Ok(&[]),
            // SAFETY: not null, aligned, not too many, and there as the caller promises; any bytes are some number.
            Some(n) if !at.is_null() && at.is_aligned() => Ok(unsafe { std::slice::from_raw_parts(at, n) }),
            _ => Err(CallError::argument(format!(
                "there are no offsets of {count} messages here: null, not aligned, or too many"
            ))),
        }
    }
}
