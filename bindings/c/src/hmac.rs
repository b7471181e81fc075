//! HMAC (RFC 2104) over every cryptographic digest.

use crate::algorithm::{algorithm, hm_algorithm};
use crate::error::{CallError, hm_error};
use crate::guard::{bytes, bytes_mut, give, guard, guard_value, place};
use crate::hasher::write_digest;
use hashmill::Hmac;
use std::ffi::c_void;

/// A message authentication code in the making: hm_hmac_new.
pub struct hm_hmac {
    mark: usize,
    hmac: Hmac,
}

const HMAC: usize = 0x686d_5f6d;

unsafe fn hmac<'a>(m: *const hm_hmac) -> Result<&'a Hmac, CallError> {
    // SAFETY: null is none; the rest is the caller's promise.
    match unsafe { m.as_ref() } {
        Some(m) if m.mark == HMAC => Ok(&m.hmac),
        _ => Err(none()),
    }
}

unsafe fn hmac_mut<'a>(m: *mut hm_hmac) -> Result<&'a mut Hmac, CallError> {
    // SAFETY: null is none; the rest is the caller's promise.
    match unsafe { m.as_mut() } {
        Some(m) if m.mark == HMAC => Ok(&mut m.hmac),
        _ => Err(none()),
    }
}

fn none() -> CallError {
    CallError::argument("there is no hm_hmac here")
}

fn new(hmac: Hmac, out: *mut *mut hm_hmac) -> Result<(), CallError> {
    place(out)?;
    // SAFETY: not null and aligned, and the caller's to write to.
    unsafe { give(out, Box::into_raw(Box::new(hm_hmac { mark: HMAC, hmac })), "out") }
}

/// Sets `out` to a new code with this digest and a key of any length. hm_hmac_free frees it.
///
/// HM_BAD_KEY if the algorithm is no cryptographic digest; or if its digest is longer than its block (CubeHash-512) and
/// the key too, for which HMAC is not defined. Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_hmac_new(
    a: *const hm_algorithm,
    key: *const c_void,
    key_len: usize,
    out: *mut *mut hm_hmac,
) -> hm_error {
    // SAFETY: the header's rules for pointers.
    guard(|| unsafe { new(Hmac::new(algorithm(a)?, bytes(key, key_len, "the key")?)?, out) })
}

/// Takes `len` more bytes of the message.
/// Threads: one at a time for each code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_hmac_update(m: *mut hm_hmac, message: *const c_void, len: usize) -> hm_error {
    guard(|| {
        // SAFETY: the header's rules for pointers.
        unsafe { hmac_mut(m)?.update(bytes(message, len, "the message")?) };
        Ok(())
    })
}

/// Writes the code of everything so far to `out`, which has `len` bytes, the digest's length. It may be called again,
/// and more of the message may follow.
///
/// HM_WRONG_LENGTH.
/// Threads: any, while none changes the code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_hmac_final(m: *const hm_hmac, out: *mut c_void, len: usize) -> hm_error {
    guard(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            let m = hmac(m)?;
            write_digest(&m.finalize(), bytes_mut(out, len, "out")?, m.algorithm())
        }
    })
}

/// Whether `code` is the whole code of everything so far, compared in time that does not tell where it differs. No
/// prefix is. Threads: any, while none changes the code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_hmac_verify(m: *const hm_hmac, code: *const c_void, len: usize) -> bool {
    // SAFETY: the header's rules for pointers.
    guard_value(false, || unsafe { Ok(hmac(m)?.verify(bytes(code, len, "the code")?)) })
}

/// Back to the beginning of a message, with the same key.
/// Threads: one at a time for each code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_hmac_reset(m: *mut hm_hmac) -> hm_error {
    guard(|| {
        // SAFETY: the header's rules for pointers.
        unsafe { hmac_mut(m)?.reset() };
        Ok(())
    })
}

/// Sets `out` to a new code that has taken the same message.
/// Threads: any, while none changes the code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_hmac_clone(m: *const hm_hmac, out: *mut *mut hm_hmac) -> hm_error {
    // SAFETY: the header's rules for pointers.
    guard(|| unsafe { new(hmac(m)?.clone(), out) })
}

/// Overwrites and frees a code. Null is fine.
/// Threads: one at a time for each code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_hmac_free(m: *mut hm_hmac) -> hm_error {
    guard(|| {
        if !m.is_null() {
            // SAFETY: made by hm_hmac_new or hm_hmac_clone, and used by nobody any more.
            unsafe {
                hmac_mut(m)?;
                (*m).mark = 0;
                drop(Box::from_raw(m));
            }
        }
        Ok(())
    })
}
