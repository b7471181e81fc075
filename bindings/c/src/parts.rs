//! Messages that are hashed in parts.

use crate::algorithm::{algorithm, hm_algorithm};
use crate::error::{CallError, hm_error};
use crate::guard::{bytes, bytes_mut, give, guard, place};
use crate::hasher::write_digest;
use hashmill::{Algorithm, Part, Parts};
use std::ffi::c_void;

/// The shortest parts there may be, in bytes.
pub const HM_SHORTEST_PART: usize = 4096;
const _: () = assert!(HM_SHORTEST_PART == Parts::SHORTEST);

/// A part of a message, hashed apart from the rest: hm_part_new. It knows its algorithm and its place.
pub struct hm_part {
    mark: usize,
    part: Part,
}

/// A message that is put together from its parts: hm_parts_new.
pub struct hm_parts {
    mark: usize,
    algorithm: Algorithm,
    len: usize,
    parts: Parts,
}

const PART: usize = 0x686d_5f70;
const PARTS: usize = 0x686d_5f71;

unsafe fn parts<'a>(p: *mut hm_parts) -> Result<&'a mut hm_parts, CallError> {
    // SAFETY: null is none; the rest is the caller's promise.
    match unsafe { p.as_mut() } {
        Some(p) if p.mark == PARTS => Ok(p),
        _ => Err(CallError::argument("there is no hm_parts here")),
    }
}

unsafe fn part<'a>(p: *mut hm_part) -> Result<&'a mut hm_part, CallError> {
    // SAFETY: null is none; the rest is the caller's promise.
    match unsafe { p.as_mut() } {
        Some(p) if p.mark == PART => Ok(p),
        _ => Err(CallError::argument("there is no hm_part here")),
    }
}

fn indivisible(a: Algorithm) -> CallError {
    let text = format!("{}: it cannot be hashed in parts; BLAKE3, XXH3, CRCs and Adler-32 can", a.name());
    CallError::new(hm_error::HM_BAD_PARAMETER, text)
}

/// Sets `out` to the part of a message that begins at its byte `at` and has `len` bytes, for hm_parts_push. Several
/// threads may make parts of one message.
///
/// HM_BAD_PARAMETER if the algorithm cannot be hashed in parts (hm_algorithm_is_divisible).
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_part_new(
    a: *const hm_algorithm,
    at: u64,
    bytes: *const c_void,
    len: usize,
    out: *mut *mut hm_part,
) -> hm_error {
    guard(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            place(out)?;
            let a = algorithm(a)?;
            let part = a.part(at, self::bytes(bytes, len, "the part")?).ok_or_else(|| indivisible(a))?;
            give(out, Box::into_raw(Box::new(hm_part { mark: PART, part })), "out")
        }
    })
}

/// Frees a part. Null is fine.
/// Threads: one at a time for each part.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_part_free(p: *mut hm_part) -> hm_error {
    guard(|| {
        if !p.is_null() {
            // SAFETY: made by hm_part_new, and used by nobody any more.
            unsafe {
                part(p)?.mark = 0;
                drop(Box::from_raw(p));
            }
        }
        Ok(())
    })
}

/// Sets `out` to what puts parts of `len` bytes each together, a power of two and at least HM_SHORTEST_PART; the last
/// may be shorter. hm_parts_free frees it.
///
/// HM_BAD_PARAMETER if the algorithm cannot be hashed in parts, or not in parts of this length.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_parts_new(a: *const hm_algorithm, len: usize, out: *mut *mut hm_parts) -> hm_error {
    guard(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            place(out)?;
            let algorithm = algorithm(a)?;
            if !len.is_power_of_two() || len < HM_SHORTEST_PART {
                let text = format!("parts have a power of two of bytes, at least {HM_SHORTEST_PART}; not {len}");
                return Err(CallError::new(hm_error::HM_BAD_PARAMETER, text));
            }
            let parts = Parts::new(algorithm, len).ok_or_else(|| indivisible(algorithm))?;
            give(out, Box::into_raw(Box::new(hm_parts { mark: PARTS, algorithm, len, parts })), "out")
        }
    })
}

/// Takes the next part, which begins where the last one ended. The part stays the caller's.
///
/// HM_WRONG_PART if it is another one. Nothing has changed then.
/// Threads: one at a time for each message.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_parts_push(p: *mut hm_parts, part: *const hm_part) -> hm_error {
    guard(|| {
        // SAFETY: the header's rules for pointers.
        unsafe { Ok(parts(p)?.parts.push(self::part(part.cast_mut())?.part.clone())?) }
    })
}

/// Writes the digest of all parts and of the `last_len` bytes after them, which are no more than a part, to `out`,
/// which has `len` bytes, the digest's length.
///
/// HM_WRONG_PART if the last bytes are more than a part; HM_WRONG_LENGTH.
/// Threads: one at a time for each message.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_parts_final(
    p: *mut hm_parts,
    last: *const c_void,
    last_len: usize,
    out: *mut c_void,
    len: usize,
) -> hm_error {
    guard(|| {
        // SAFETY: the header's rules for pointers; the digest is made before it is written.
        unsafe {
            let p = parts(p)?;
            let last = bytes(last, last_len, "the last part")?;
            if last.len() > p.len {
                let text = format!("{}: {} bytes are more than a part", p.algorithm.name(), last.len());
                return Err(CallError::new(hm_error::HM_WRONG_PART, text));
            }
            let digest = p.parts.finish(last);
            write_digest(&digest, bytes_mut(out, len, "out")?, p.algorithm)
        }
    })
}

/// Frees it. Null is fine.
/// Threads: one at a time for each message.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_parts_free(p: *mut hm_parts) -> hm_error {
    guard(|| {
        if !p.is_null() {
            // SAFETY: made by hm_parts_new, and used by nobody any more.
            unsafe {
                parts(p)?.mark = 0;
                drop(Box::from_raw(p));
            }
        }
        Ok(())
    })
}
