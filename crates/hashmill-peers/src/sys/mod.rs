//! A libcrypto that is found at run time, AWS-LC, which is C, and an instruction. The crate's only unsafe code.

#![allow(unsafe_code, reason = "a library loaded at run time, and one in C")]

pub(crate) mod awslc;
pub(crate) mod crc32c;
pub(crate) mod libcrypto;

/// Whether this program brought its libc with it, so that a library that is loaded brings a second one. The two give
/// out the same keys for thread-local values, and what one stores under a key the other takes for its own: seen to
/// crash.
#[cfg(target_os = "linux")]
pub(crate) fn linked_statically() -> bool {
    // SAFETY: no memory is involved. The kernel gives the loader's address to programs that have one.
    unsafe { libc::getauxval(libc::AT_BASE) == 0 }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn linked_statically() -> bool {
    false
}
