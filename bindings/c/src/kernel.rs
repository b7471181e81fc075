//! Which kernels there are.

use crate::algorithm::{algorithm, hm_algorithm};
use crate::error::{CallError, hm_error};
use crate::guard::{give, guard, guard_value, put};
use std::ffi::c_char;

/// One implementation of an algorithm: hm_kernel_at.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct hm_kernel {
    /// "portable", an instruction set and its lanes ("avx2x8"), or a dedicated one ("shani"); ends with a zero byte.
    pub name: [c_char; 64],
    /// How many messages it hashes side by side.
    pub lanes: usize,
    /// From how many messages on hm_digest_many uses it on this CPU; 0 if it does not.
    pub from_messages: usize,
    /// Whether this CPU can run it.
    pub available: bool,
    /// Whether one message runs on it here.
    pub active: bool,
}

/// How many kernels the algorithm has on this architecture.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_kernel_count(a: *const hm_algorithm) -> usize {
    // SAFETY: the header's rules for pointers.
    guard_value(0, || unsafe { Ok(algorithm(a)?.kernels().len()) })
}

/// Sets `out` to its kernel number `index`, in the order of preference.
///
/// HM_BAD_ARGUMENT if there are not as many.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_kernel_at(a: *const hm_algorithm, index: usize, out: *mut hm_kernel) -> hm_error {
    guard(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            let a = algorithm(a)?;
            let kernels = a.kernels();
            let Some(k) = kernels.get(index) else {
                let text = format!("{}: there is no kernel {index}: there are {}", a.name(), kernels.len());
                return Err(CallError::argument(text));
            };
            let mut kernel = hm_kernel {
                name: [0; 64],
                lanes: k.lanes,
                from_messages: k.from_messages.unwrap_or(0),
                available: k.available,
                active: k.active,
            };
            put(k.name, kernel.name.as_mut_ptr(), kernel.name.len());
            give(out, kernel, "out")
        }
    })
}

/// Whether the environment's HASHMILL_KERNEL, a list of kernels to prefer, names only existing kernels. It is
/// read once, by the first call that hashes or asks.
///
/// HM_UNKNOWN_KERNEL.
/// Threads: any.
#[unsafe(no_mangle)]
pub extern "C" fn hm_check_kernel_preference() -> hm_error {
    guard(|| Ok(hashmill::check_kernel_preference()?))
}
