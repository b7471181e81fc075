//! Many messages at once, on several threads.

use crate::algorithm::{algorithm, hm_algorithm};
use crate::error::hm_error;
use crate::guard::{bytes_mut, guard};
use crate::many::{Column, Hash, encoding, hm_bytes, messages};
use hashmill::{Encoding, Engine, Error, Offset};
use std::ffi::c_void;
use std::num::NonZeroUsize;

/// hm_digest_many on several threads: `threads` at most, or as many as there are cores for the process if it is 0. The
/// calling thread is one of them; the others take no signals, and are gone when it returns. Little work is not spread:
/// the time of the first messages decides how many threads the others are worth.
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
        unsafe {
            let engine = Engine::from(algorithm(a)?);
            let messages = self::messages(messages, count, out, out_len)?;
            let (encoding, out) = (self::encoding(encoding)?, bytes_mut(out, out_len, "out")?);
            Ok(hashmill_files::digest_slices(engine, NonZeroUsize::new(threads), messages, encoding, out)?)
        }
    })
}

/// hm_digest_column on several threads, as hm_digest_many_threads.
///
/// HM_BAD_OFFSETS, HM_WRONG_TOTAL, HM_BAD_ARGUMENT.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_digest_column_threads(
    a: *const hm_algorithm,
    threads: usize,
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
            let hash = Threads(Engine::from(algorithm(a)?), NonZeroUsize::new(threads));
            Column { offsets, r#type, count, bytes, len, encoding, out, out_len }.each_type(hash)
        }
    })
}

struct Threads(Engine, Option<NonZeroUsize>);

impl Hash for Threads {
    fn hash<O: Offset + Sync>(&self, offsets: &[O], bytes: &[u8], e: Encoding, out: &mut [u8]) -> Result<(), Error> {
        hashmill_files::digest_column(self.0, self.1, offsets, bytes, e, out)
    }
}
