//! One message at once; digests as text and back.

use crate::algorithm::{algorithm, hm_algorithm, known};
use crate::error::{CallError, Outcome, hm_error};
use crate::guard::{bytes, bytes_mut, guard, guard_value, overlap, text};
use crate::hasher::write_digest;
use hashmill::{Algorithm, Digest};
use std::ffi::{c_char, c_void};

/// Writes the digest of a message of `len` bytes to `out`, which has `out_len` bytes: hm_algorithm_digest_len. `out`
/// may lie in the message.
///
/// HM_WRONG_LENGTH.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_digest(
    a: *const hm_algorithm,
    message: *const c_void,
    len: usize,
    out: *mut c_void,
    out_len: usize,
) -> hm_error {
    guard(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            let a = known(a)?;
            let m = bytes(message, len, "the message")?;
            if overlap(message, len, out, out_len) {
                return overlapping(a, message, len, out, out_len);
            }
            a.digest_into(m, bytes_mut(out, out_len, "out")?).map_err(refused)
        }
    })
}

/// The message is hashed before anything is written over it. It comes as a pointer: a slice could not be written over
/// before this function ends.
///
/// # Safety
/// As [`hm_digest`], whose message and room these are.
#[cold]
#[inline(never)]
unsafe fn overlapping(a: &Algorithm, message: *const c_void, len: usize, out: *mut c_void, out_len: usize) -> Outcome {
    // SAFETY: the caller's promise; nobody looks at the message once there is a digest.
    unsafe {
        let digest = a.digest(bytes(message, len, "the message")?);
        write_digest(&digest, bytes_mut(out, out_len, "out")?, *a)
    }
}

/// Out of the way of what is fast.
#[cold]
#[inline(never)]
fn refused(e: hashmill::Error) -> CallError {
    e.into()
}

/// hm_digest on the kernel of this name, whatever the CPU would prefer: for tests and benchmarks. The digest is the
/// same.
///
/// HM_UNKNOWN_KERNEL, HM_KERNEL_UNAVAILABLE, HM_WRONG_LENGTH.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_digest_on(
    a: *const hm_algorithm,
    kernel: *const c_char,
    message: *const c_void,
    len: usize,
    out: *mut c_void,
    out_len: usize,
) -> hm_error {
    guard(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            let a = algorithm(a)?;
            let digest = a.with_kernel(&text(kernel, "the kernel")?)?.digest(bytes(message, len, "the message")?);
            write_digest(&digest, bytes_mut(out, out_len, "out")?, a)
        }
    })
}

/// Writes `len` bytes as lower-case hexadecimal digits and a zero byte to `out`, which has 2 `len` + 1 bytes.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_to_hex(digest: *const c_void, len: usize, out: *mut c_char) -> hm_error {
    guard(|| {
        // SAFETY: the header's rules for pointers; the text is made before it is written.
        unsafe {
            let Some(room) = len.checked_mul(2).and_then(|n| n.checked_add(1)) else {
                return Err(CallError::argument(format!("{len} bytes are more than there can be")));
            };
            let mut hex = Digest::from_bytes(bytes(digest, len, "the digest")?).to_hex().into_bytes();
            hex.push(0);
            bytes_mut(out.cast(), room, "out")?.copy_from_slice(&hex);
            Ok(())
        }
    })
}

/// Writes the `len` bytes of which `hex`, of 2 `len` digits in either case, is the text.
///
/// HM_WRONG_LENGTH if it has another length, HM_BAD_ARGUMENT if it has anything but hexadecimal digits. Nothing has
/// been written then. Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_from_hex(hex: *const c_char, out: *mut c_void, len: usize) -> hm_error {
    guard(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            let hex = text(hex, "the text")?;
            if len.checked_mul(2) != Some(hex.len()) {
                let text = format!("{} digits are no {len} bytes", hex.len());
                return Err(CallError::new(hm_error::HM_WRONG_LENGTH, text));
            }
            if hex.is_empty() {
                return Ok(());
            }
            let Some(digest) = Digest::from_hex(hex.as_bytes()) else {
                return Err(CallError::argument("a digest has the digits 0 to 9 and a to f only"));
            };
            bytes_mut(out, len, "out")?.copy_from_slice(digest.as_bytes());
            Ok(())
        }
    })
}

/// Whether two digests are the same, in time that depends on their lengths alone. None of no bytes is the same as
/// another. Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_equal(x: *const c_void, len_x: usize, y: *const c_void, len_y: usize) -> bool {
    // SAFETY: the header's rules for pointers.
    guard_value(false, || unsafe {
        let (x, y) = (bytes(x, len_x, "x")?, bytes(y, len_y, "y")?);
        Ok(!x.is_empty() && Digest::from_bytes(x) == Digest::from_bytes(y))
    })
}
