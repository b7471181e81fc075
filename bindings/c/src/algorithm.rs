//! Algorithms: names, parameters, what they are.

use crate::error::{CallError, hm_error};
use crate::guard::{bytes, bytes_mut, give, guard, guard_value, put, text};
use hashmill::{Algorithm, Digest, Security};
use std::ffi::{c_char, c_void};

/// The header has its text, since C sees four numbers.
///
/// cbindgen:ignore
#[derive(Clone, Copy)]
#[repr(C)]
pub struct hm_algorithm {
    /// Numbers only: whatever bytes C puts here are some value of it.
    algorithm: Algorithm,
    mark: u64,
}

/// What C sees, and what memory that was never an algorithm does not have by chance.
const MARK: u64 = 0x6861_7368_6d69_6c6c;
const _: () = assert!(size_of::<hm_algorithm>() <= 32 && align_of::<hm_algorithm>() <= align_of::<u64>());

impl hm_algorithm {
    pub(crate) const fn new(algorithm: Algorithm) -> Self {
        hm_algorithm { algorithm, mark: MARK }
    }
}

/// The algorithm at `at`, where it is.
///
/// # Safety
/// `at`, if it is not null, points to an `hm_algorithm` that nothing changes during `'a`.
#[inline(always)]
pub(crate) unsafe fn known<'a>(at: *const hm_algorithm) -> Result<&'a Algorithm, CallError> {
    if at.is_null() || !at.is_aligned() {
        return Err(no_algorithm(at));
    }
    // SAFETY: neither null nor askew, and any bytes are some value of it; that they can be read is the caller's
    // promise.
    match unsafe { &*at } {
        a if a.mark == MARK => Ok(&a.algorithm),
        _ => Err(no_algorithm(at)),
    }
}

/// A copy of the algorithm at `at`.
///
/// # Safety
/// As [`known`].
#[inline(always)]
pub(crate) unsafe fn algorithm(at: *const hm_algorithm) -> Result<Algorithm, CallError> {
    // SAFETY: the caller's promise.
    unsafe { known(at) }.copied()
}

#[cold]
#[inline(never)]
fn no_algorithm(at: *const hm_algorithm) -> CallError {
    CallError::argument(if at.is_null() {
        "the algorithm is null"
    } else if !at.is_aligned() {
        "the algorithm is not aligned"
    } else {
        "the algorithm was never set: hm_algorithm_parse sets one, and HM_SHA256 is one"
    })
}

/// How far an algorithm may be trusted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum hm_security {
    /// No algorithm was given.
    HM_SECURITY_UNKNOWN = 0,
    /// No collision can be found, as far as is known.
    HM_SOUND = 1,
    /// There are doubts, or its digest is short.
    HM_WEAK = 2,
    /// Collisions have been found or can be.
    HM_BROKEN = 3,
    /// A checksum: it tells errors, not attackers.
    HM_NOT_CRYPTOGRAPHIC = 4,
}

/// Sets `out` to the algorithm of this name: any name or alias in any case, with parameters in it ("skein512-224") or
/// after it ("shake128:64" for bytes of output, "xxh64:seed=7"). docs/algorithms.md lists them.
///
/// HM_UNKNOWN_ALGORITHM, HM_IMPOSSIBLE_NAME, HM_AMBIGUOUS_NAME, HM_BAD_PARAMETER; the message names the nearest.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_algorithm_parse(name: *const c_char, out: *mut hm_algorithm) -> hm_error {
    guard(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            let a: Algorithm = text(name, "the name")?.parse()?;
            give(out, hm_algorithm::new(a), "out")
        }
    })
}

/// The number of algorithms, for hm_algorithm_at.
/// Threads: any.
#[unsafe(no_mangle)]
pub extern "C" fn hm_algorithm_count() -> usize {
    guard_value(0, || Ok(Algorithm::all().len()))
}

/// Sets `out` to algorithm `index` with its usual parameters. Their order may be another in another version.
///
/// HM_BAD_ARGUMENT if there are not as many.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_algorithm_at(index: usize, out: *mut hm_algorithm) -> hm_error {
    guard(|| {
        let Some(a) = Algorithm::all().nth(index) else {
            return Err(CallError::argument(format!(
                "there is no algorithm {index}: there are {}",
                Algorithm::all().len()
            )));
        };
        // SAFETY: the header's rules for pointers.
        unsafe { give(out, hm_algorithm::new(a), "out") }
    })
}

/// Sets `out` to the same algorithm with a digest of `bytes` bytes. `out` may be `a`.
///
/// HM_BAD_PARAMETER if it cannot give that length.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_algorithm_with_digest_len(
    a: *const hm_algorithm,
    bytes: usize,
    out: *mut hm_algorithm,
) -> hm_error {
    // SAFETY: the header's rules for pointers.
    guard(|| unsafe { give(out, hm_algorithm::new(algorithm(a)?.with_digest_len(bytes)?), "out") })
}

/// Sets `out` to the same algorithm with this seed. `out` may be `a`.
///
/// HM_BAD_PARAMETER if it takes no seed, or none of this length.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_algorithm_with_seed(a: *const hm_algorithm, seed: u64, out: *mut hm_algorithm) -> hm_error {
    // SAFETY: the header's rules for pointers.
    guard(|| unsafe { give(out, hm_algorithm::new(algorithm(a)?.with_seed(seed)?), "out") })
}

/// Whether both are the same function with the same parameters. What is no algorithm is equal to nothing.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_algorithm_equal(a: *const hm_algorithm, b: *const hm_algorithm) -> bool {
    // SAFETY: the header's rules for pointers.
    guard_value(false, || unsafe { Ok(algorithm(a)? == algorithm(b)?) })
}

/// Something about an algorithm; nothing where it is none.
unsafe fn about<T>(a: *const hm_algorithm, none: T, what: impl FnOnce(Algorithm) -> T) -> T {
    // SAFETY: the header's rules for pointers.
    guard_value(none, || unsafe { Ok(what(algorithm(a)?)) })
}

/// Writes a text about an algorithm.
unsafe fn tell(a: *const hm_algorithm, out: *mut c_char, size: usize, what: impl FnOnce(Algorithm) -> String) -> usize {
    // SAFETY: the header's rules for pointers.
    guard_value(0, || unsafe { Ok(put(&what(algorithm(a)?), out, size)) })
}

/// Writes the canonical name, which parses to an equal algorithm, and a zero byte, as much as fits `size` bytes.
/// Returns its length without the zero byte; 0 if `a` is no algorithm. Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_algorithm_name(a: *const hm_algorithm, out: *mut c_char, size: usize) -> usize {
    // SAFETY: the header's rules for pointers.
    unsafe { tell(a, out, size, |a| a.name().into_owned()) }
}

/// Writes its other name number `index`, as hm_algorithm_name does. Returns 0 if there are not as many.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_algorithm_alias(
    a: *const hm_algorithm,
    index: usize,
    out: *mut c_char,
    size: usize,
) -> usize {
    // SAFETY: the header's rules for pointers.
    unsafe { tell(a, out, size, |a| a.aliases().get(index).copied().unwrap_or_default().to_string()) }
}

/// Writes the family ("SHA-2", "CRC"), as hm_algorithm_name does.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_algorithm_family(a: *const hm_algorithm, out: *mut c_char, size: usize) -> usize {
    // SAFETY: the header's rules for pointers.
    unsafe { tell(a, out, size, |a| a.family().to_string()) }
}

/// Writes the specification, as hm_algorithm_name does.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_algorithm_specification(a: *const hm_algorithm, out: *mut c_char, size: usize) -> usize {
    // SAFETY: the header's rules for pointers.
    unsafe { tell(a, out, size, |a| a.specification().to_string()) }
}

/// Writes why it is as secure as hm_algorithm_security says, as hm_algorithm_name does.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_algorithm_security_reason(a: *const hm_algorithm, out: *mut c_char, size: usize) -> usize {
    // SAFETY: the header's rules for pointers.
    unsafe { tell(a, out, size, |a| a.security_reason().into_owned()) }
}

/// How far it may be trusted with these parameters; HM_SECURITY_UNKNOWN if `a` is no algorithm.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_algorithm_security(a: *const hm_algorithm) -> hm_security {
    // SAFETY: the header's rules for pointers.
    unsafe {
        about(a, hm_security::HM_SECURITY_UNKNOWN, |a| match a.security() {
            Security::Sound => hm_security::HM_SOUND,
            Security::Weak => hm_security::HM_WEAK,
            Security::Broken => hm_security::HM_BROKEN,
            Security::NotCryptographic => hm_security::HM_NOT_CRYPTOGRAPHIC,
        })
    }
}

/// Length of its digest in bytes; 0 if `a` is no algorithm.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_algorithm_digest_len(a: *const hm_algorithm) -> usize {
    // SAFETY: the header's rules for pointers.
    unsafe { about(a, 0, |a| a.digest_len()) }
}

/// The shortest digest that it can give, in bytes.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_algorithm_min_digest_len(a: *const hm_algorithm) -> usize {
    // SAFETY: the header's rules for pointers.
    unsafe { about(a, 0, |a| *a.digest_lengths().start()) }
}

/// The longest digest that it can give, in bytes.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_algorithm_max_digest_len(a: *const hm_algorithm) -> usize {
    // SAFETY: the header's rules for pointers.
    unsafe { about(a, 0, |a| *a.digest_lengths().end()) }
}

/// Length of its blocks in bytes; 1 for checksums that have none.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_algorithm_block_len(a: *const hm_algorithm) -> usize {
    // SAFETY: the header's rules for pointers.
    unsafe { about(a, 0, |a| a.block_len()) }
}

/// The longest key that it takes, in bytes: 0 if none, SIZE_MAX if any.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_algorithm_max_key_len(a: *const hm_algorithm) -> usize {
    // SAFETY: the header's rules for pointers.
    unsafe { about(a, 0, |a| a.max_key_len()) }
}

/// The longest salt that it takes, in bytes.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_algorithm_max_salt_len(a: *const hm_algorithm) -> usize {
    // SAFETY: the header's rules for pointers.
    unsafe { about(a, 0, |a| a.max_salt_len()) }
}

/// The longest personalization that it takes, in bytes.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_algorithm_max_personal_len(a: *const hm_algorithm) -> usize {
    // SAFETY: the header's rules for pointers.
    unsafe { about(a, 0, |a| a.max_personal_len()) }
}

/// Bits of its seed, 0 if it takes none.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_algorithm_seed_bits(a: *const hm_algorithm) -> u32 {
    // SAFETY: the header's rules for pointers.
    unsafe { about(a, 0, |a| a.seed_bits()) }
}

/// The year of publication.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_algorithm_year(a: *const hm_algorithm) -> u32 {
    // SAFETY: the header's rules for pointers.
    unsafe { about(a, 0, |a| a.year().into()) }
}

/// How many bits of work a collision takes, by the best attack that is known; 0 for checksums.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_algorithm_collision_bits(a: *const hm_algorithm) -> u32 {
    // SAFETY: the header's rules for pointers.
    unsafe { about(a, 0, |a| a.collision_bits()) }
}

/// Whether it derives keys from a context string.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_algorithm_takes_context(a: *const hm_algorithm) -> bool {
    // SAFETY: the header's rules for pointers.
    unsafe { about(a, false, |a| a.takes_context()) }
}

/// Whether its messages may be any number of bits: hm_hasher_update_bits.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_algorithm_takes_bits(a: *const hm_algorithm) -> bool {
    // SAFETY: the header's rules for pointers.
    unsafe { about(a, false, |a| a.takes_bits()) }
}

/// Whether it gives any number of bytes: hm_xof.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_algorithm_is_extendable(a: *const hm_algorithm) -> bool {
    // SAFETY: the header's rules for pointers.
    unsafe { about(a, false, |a| a.is_extendable()) }
}

/// Whether its messages can be hashed in parts: hm_parts.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_algorithm_is_divisible(a: *const hm_algorithm) -> bool {
    // SAFETY: the header's rules for pointers.
    unsafe { about(a, false, |a| a.is_divisible()) }
}

/// Whether two files with the same digest are the same file, as far as chance goes.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_algorithm_tells_files_apart(a: *const hm_algorithm) -> bool {
    // SAFETY: the header's rules for pointers.
    unsafe { about(a, false, |a| a.tells_files_apart()) }
}

/// Writes the digest of A‖B to `out`, given those of A and of B and the length of B in bytes: for CRCs, Adler-32 and
/// Fletcher-16. All three have `len` bytes, the digest's length. `out` may be `x` or `y`.
///
/// HM_NOT_RESUMABLE if the algorithm cannot, or `x` or `y` is no digest of it; HM_WRONG_LENGTH.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_combine(
    a: *const hm_algorithm,
    x: *const c_void,
    y: *const c_void,
    len_y: u64,
    out: *mut c_void,
    len: usize,
) -> hm_error {
    guard(|| {
        // SAFETY: the header's rules for pointers. What is read is copied before anything is written.
        unsafe {
            let a = algorithm(a)?;
            if len != a.digest_len() {
                let (name, n) = (a.name(), a.digest_len());
                return Err(CallError::new(
                    hm_error::HM_WRONG_LENGTH,
                    format!("{name}: the digest has {n} bytes, not {len}"),
                ));
            }
            let x = Digest::from_bytes(bytes(x, len, "x")?);
            let y = Digest::from_bytes(bytes(y, len, "y")?);
            let Some(both) = a.combine(&x, &y, len_y) else {
                let text = format!(
                    "{}: these digests cannot be combined; those of CRCs, Adler-32 and Fletcher-16 can",
                    a.name()
                );
                return Err(CallError::new(hm_error::HM_NOT_RESUMABLE, text));
            };
            bytes_mut(out, len, "out")?.copy_from_slice(both.as_bytes());
            Ok(())
        }
    })
}
