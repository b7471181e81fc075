//! A file that is open already.

use crate::algorithm::{algorithm, hm_algorithm};
use crate::error::{CallError, hm_error};
use crate::guard::{bytes_mut, guard};
use crate::hasher::{hasher_mut, hm_hasher, write_digest};
use hashmill::Hasher;
use std::ffi::{c_int, c_void};
use std::io;

/// Told how many bytes have been read so far; 0 goes on, anything else ends the call with HM_CANCELLED. It returns: no
/// exception and no longjmp may leave it.
pub type hm_progress = Option<unsafe extern "C" fn(user: *mut c_void, done: u64) -> c_int>;

/// Bytes that are read at a time: few enough for the second-level cache.
const AT_ONCE: usize = 256 * 1024;

/// Reads up to `max` bytes. What a hasher has taken when it fails is what `taken` says.
unsafe fn read(
    h: &mut Hasher,
    fd: c_int,
    max: u64,
    progress: hm_progress,
    user: *mut c_void,
    taken: &mut u64,
) -> Result<(), CallError> {
    let mut buffer = Vec::new();
    if buffer.try_reserve_exact(AT_ONCE).is_err() {
        return Err(CallError::new(hm_error::HM_NO_MEMORY, "no memory to read into"));
    }
    buffer.resize(AT_ONCE, 0u8);
    while *taken < max {
        let room = buffer.len().min(usize::try_from(max - *taken).unwrap_or(usize::MAX));
        // SAFETY: the buffer has `room` bytes, and whatever the descriptor is, the system looks at it.
        let n = unsafe { libc::read(fd, buffer.as_mut_ptr().cast(), room as _) };
        let Ok(n) = usize::try_from(n) else {
            let e = io::Error::last_os_error();
            if e.kind() == io::ErrorKind::Interrupted {
                continue;
            }
            return Err(CallError::new(hm_error::HM_IO, format!("reading descriptor {fd} after {taken} bytes: {e}")));
        };
        if n == 0 {
            break;
        }
        h.update(&buffer[..n]);
        *taken += n as u64;
        if let Some(progress) = progress {
            // SAFETY: the caller's function, with the caller's pointer.
            let answer = unsafe { progress(user, *taken) };
            if answer != 0 {
                let text = format!("the progress callback ended it with {answer} after {taken} bytes");
                return Err(CallError::new(hm_error::HM_CANCELLED, text));
            }
        }
    }
    Ok(())
}

/// Reads a descriptor from where it stands up to its end, or `max` bytes if that is less (UINT64_MAX for all), and
/// gives what it reads to the hasher. `progress`, if it is not null, is called with `user` every 256 KiB. `taken`, if
/// it is not null, is set to the number of bytes that were read; the hasher has taken just these, and the descriptor
/// stands behind them, if the call fails, too.
///
/// HM_IO if reading fails, and the message says why (a descriptor that does not block and has nothing is one such
/// case); HM_CANCELLED; HM_NO_MEMORY. Threads: one at a time for each hasher and descriptor. The callback may use other
/// hashers, not this one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_hasher_update_fd(
    h: *mut hm_hasher,
    fd: c_int,
    max: u64,
    progress: hm_progress,
    user: *mut c_void,
    taken: *mut u64,
) -> hm_error {
    let mut done = 0;
    // SAFETY: the header's rules for pointers.
    let error = guard(|| unsafe { read(hasher_mut(h)?, fd, max, progress, user, &mut done) });
    // SAFETY: null is no place; else it is the caller's to write to.
    if let Some(taken) = unsafe { taken.as_mut() } {
        *taken = done;
    }
    error
}

/// Writes the digest of what a descriptor gives from where it stands up to its end to `out`, which has `out_len` bytes,
/// the digest's length. `progress` is as for hm_hasher_update_fd.
///
/// HM_WRONG_LENGTH, before anything is read; HM_IO, HM_CANCELLED, HM_NO_MEMORY.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_digest_fd(
    a: *const hm_algorithm,
    fd: c_int,
    progress: hm_progress,
    user: *mut c_void,
    out: *mut c_void,
    out_len: usize,
) -> hm_error {
    guard(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            let a = algorithm(a)?;
            if out_len != a.digest_len() {
                let text = format!("{}: the digest has {} bytes, not {out_len}", a.name(), a.digest_len());
                return Err(CallError::new(hm_error::HM_WRONG_LENGTH, text));
            }
            let mut h = Hasher::new(a);
            read(&mut h, fd, u64::MAX, progress, user, &mut 0)?;
            write_digest(&h.finalize(), bytes_mut(out, out_len, "out")?, a)
        }
    })
}
