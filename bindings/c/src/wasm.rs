//! Memory for the host of a WebAssembly module, which can only point to what is in here.

use std::alloc::{Layout, alloc, dealloc};
use std::ptr;

/// As much as anything of the library's needs.
const ALIGN: usize = 64;

/// `len` bytes at a multiple of 64; null where there are none.
///
/// cbindgen:ignore
#[unsafe(no_mangle)]
pub extern "C" fn hm_wasm_alloc(len: usize) -> *mut u8 {
    match Layout::from_size_align(len.max(1), ALIGN) {
        // SAFETY: the size is not 0.
        Ok(layout) => unsafe { alloc(layout) },
        Err(_) => ptr::null_mut(),
    }
}

/// Frees what `hm_wasm_alloc` gave for the same `len`.
///
/// cbindgen:ignore
///
/// # Safety
/// `p` is from `hm_wasm_alloc(len)` and not freed yet, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_wasm_free(p: *mut u8, len: usize) {
    if let (false, Ok(layout)) = (p.is_null(), Layout::from_size_align(len.max(1), ALIGN)) {
        // SAFETY: the caller's promise.
        unsafe { dealloc(p, layout) }
    }
}
