//! A libcrypto that is found at run time, AWS-LC, which is C, and a CPU instruction. The crate's only unsafe code.
//!
//! AWS-LC's symbols have a prefix and the program exports none, and libcrypto is loaded with RTLD_LOCAL, so that the
//! two never call each other.

#![allow(unsafe_code, reason = "a library loaded at run time, and one in C")]

pub(crate) mod awslc;
pub(crate) mod libcrypto;

/// Returns whether this program is linked statically, so that a library that is loaded brings a second libc. The two
/// hand out the same keys for thread-local values, and each takes what the other stores under a key for its own. This
/// has been seen to crash.
#[cfg(target_os = "linux")]
pub(crate) fn linked_statically() -> bool {
    // SAFETY: no memory is involved. The kernel gives the loader's address to programs that have one.
    unsafe { libc::getauxval(libc::AT_BASE) == 0 }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn linked_statically() -> bool {
    false
}
