//! Between C and the library: pointers become slices, panics and errors numbers.

use crate::error::{CallError, Outcome, hm_error, remember};
use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a function does. A panic ends here; what it left half-done is only what the caller owns, who is told.
#[inline(always)]
pub(crate) fn guard(work: impl FnOnce() -> Outcome) -> hm_error {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => hm_error::HM_OK,
        Ok(Err(e)) => failed(&e),
        Err(panic) => panicked(&panic),
    }
}

#[cold]
#[inline(never)]
fn failed(e: &CallError) -> hm_error {
    remember(&e.text);
    e.code
}

#[cold]
#[inline(never)]
fn panicked(panic: &Box<dyn std::any::Any + Send>) -> hm_error {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
    remember(&format!("a fault of this library, please report it: {text}"));
    hm_error::HM_INTERNAL
}

/// [`guard`] for functions that return a value, which is `none` where anything is wrong.
#[inline(always)]
pub(crate) fn guard_value<T>(none: T, work: impl FnOnce() -> Result<T, CallError>) -> T {
    let mut value = none;
    guard(|| {
        value = work()?;
        Ok(())
    });
    value
}

/// The most bytes that a slice may have.
const MOST: usize = isize::MAX as usize;

#[cold]
#[inline(never)]
fn no_bytes(at: *const c_void, len: usize, what: &str) -> CallError {
    CallError::argument(match at.is_null() {
        true => format!("{what} is null, with a length of {len}"),
        false => format!("{what} has a length of {len}, which is more than there can be"),
    })
}

/// What the caller lets be read.
///
/// # Safety
/// `len` bytes at `at`, if it is not null, can be read, and nothing changes them during `'a`.
#[inline(always)]
pub(crate) unsafe fn bytes<'a>(at: *const c_void, len: usize, what: &str) -> Result<&'a [u8], CallError> {
    if len == 0 {
        return Ok(&[]);
    }
    if at.is_null() || len > MOST {
        return Err(no_bytes(at, len, what));
    }
    // SAFETY: not null, not too long; the rest is the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(at.cast(), len) })
}

/// What the caller lets be written.
///
/// # Safety
/// `len` bytes at `at`, if it is not null, can be read and written, and nobody else does either during `'a`.
#[inline(always)]
pub(crate) unsafe fn bytes_mut<'a>(at: *mut c_void, len: usize, what: &str) -> Result<&'a mut [u8], CallError> {
    if len == 0 {
        return Ok(&mut []);
    }
    if at.is_null() || len > MOST {
        return Err(no_bytes(at, len, what));
    }
    // SAFETY: not null, not too long; the rest is the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts_mut(at.cast(), len) })
}

/// Whether two pieces of memory have a byte in common.
#[inline(always)]
pub(crate) fn overlap(a: *const c_void, a_len: usize, b: *const c_void, b_len: usize) -> bool {
    let (a, b) = (a.addr(), b.addr());
    a_len > 0 && b_len > 0 && if a <= b { b - a < a_len } else { a - b < b_len }
}

/// Whether a pointer to what a function makes can be put here, which is asked before anything is made.
pub(crate) fn place<T>(out: *mut *mut T) -> Outcome {
    match out.is_null() || !out.is_aligned() {
        true => Err(CallError::argument("out is no place for a pointer: it is null or not aligned")),
        false => Ok(()),
    }
}

/// A place for what a function makes.
///
/// # Safety
/// A `T` can be written to `at`, if it is not null and is aligned.
pub(crate) unsafe fn give<T>(at: *mut T, value: T, what: &str) -> Outcome {
    if at.is_null() || !at.is_aligned() {
        return Err(CallError::argument(format!("{what} is no place for a result: it is null or not aligned")));
    }
    // SAFETY: not null, aligned, and the caller's to write to.
    unsafe { at.write(value) };
    Ok(())
}

/// A C string; what is not UTF-8 in it is replaced, and will be found unknown.
///
/// # Safety
/// `at`, if it is not null, points to bytes that can be read up to a zero byte.
pub(crate) unsafe fn text(at: *const c_char, what: &str) -> Result<String, CallError> {
    if at.is_null() {
        return Err(CallError::argument(format!("{what} is null")));
    }
    // SAFETY: not null, and ends with a zero byte as the caller promises.
    Ok(unsafe { CStr::from_ptr(at) }.to_string_lossy().into_owned())
}

/// Writes text and a zero byte to `out`, as much as fits, and returns its length, as snprintf does.
///
/// # Safety
/// `size` bytes can be written to `out`, if it is not null.
pub(crate) unsafe fn put(text: &str, out: *mut c_char, size: usize) -> usize {
    if !out.is_null() && size > 0 {
        // What is cut is cut between characters.
        let mut n = text.len().min(size - 1);
        while !text.is_char_boundary(n) {
            n -= 1;
        }
        // SAFETY: `n + 1` bytes are no more than `size`.
        unsafe {
            std::ptr::copy_nonoverlapping(text.as_ptr().cast(), out, n);
            out.add(n).write(0);
        }
    }
    text.len()
}
