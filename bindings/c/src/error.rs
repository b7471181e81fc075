//! What went wrong: a number, and a line of text for each thread.

use std::cell::RefCell;
use std::ffi::{CString, c_char};

/// What a function returns: 0, or what went wrong. A number never changes and is never used for another kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum hm_error {
    /// Nothing went wrong.
    HM_OK = 0,
    /// No algorithm has this name.
    HM_UNKNOWN_ALGORITHM = 1,
    /// A name with parameters that no algorithm has.
    HM_IMPOSSIBLE_NAME = 2,
    /// A name that is used for several algorithms.
    HM_AMBIGUOUS_NAME = 3,
    /// A digest length, seed, salt, personalization or context that cannot be.
    HM_BAD_PARAMETER = 4,
    /// No key, or not one of this length.
    HM_BAD_KEY = 5,
    /// The algorithm has no such kernel.
    HM_UNKNOWN_KERNEL = 6,
    /// This CPU cannot run the kernel.
    HM_KERNEL_UNAVAILABLE = 7,
    /// A digest, or the room for one, of another length.
    HM_WRONG_LENGTH = 8,
    /// The room for many digests is not as long as they are.
    HM_WRONG_TOTAL = 9,
    /// Offsets that are negative, descend, or point beyond the bytes.
    HM_BAD_OFFSETS = 10,
    /// A part of another function or place.
    HM_WRONG_PART = 11,
    /// A fixed digest has no further output.
    HM_NOT_EXTENDABLE = 12,
    /// The hash cannot resume from a digest, or not from this one.
    HM_NOT_RESUMABLE = 13,
    /// Bytes that are not an exported state.
    HM_BAD_STATE = 14,
    /// The state of a hasher with a key or a context is not exported.
    HM_SECRET_STATE = 15,
    /// No messages of bits, or not as many bytes as the bits take.
    HM_BAD_BITS = 16,
    /// A null pointer with a length, an object that was never created or is already freed, an unknown constant,
    /// buffers that overlap.
    HM_BAD_ARGUMENT = 64,
    /// Reading failed; the message says why.
    HM_IO = 65,
    /// The progress callback ended it.
    HM_CANCELLED = 66,
    /// No memory for a new object.
    HM_NO_MEMORY = 67,
    /// A fault of this library, which should be reported.
    HM_INTERNAL = 68,
}

impl hm_error {
    /// Every number of the library's own kinds, in their order from 1 on.
    const KINDS: [hm_error; 16] = [
        hm_error::HM_UNKNOWN_ALGORITHM,
        hm_error::HM_IMPOSSIBLE_NAME,
        hm_error::HM_AMBIGUOUS_NAME,
        hm_error::HM_BAD_PARAMETER,
        hm_error::HM_BAD_KEY,
        hm_error::HM_UNKNOWN_KERNEL,
        hm_error::HM_KERNEL_UNAVAILABLE,
        hm_error::HM_WRONG_LENGTH,
        hm_error::HM_WRONG_TOTAL,
        hm_error::HM_BAD_OFFSETS,
        hm_error::HM_WRONG_PART,
        hm_error::HM_NOT_EXTENDABLE,
        hm_error::HM_NOT_RESUMABLE,
        hm_error::HM_BAD_STATE,
        hm_error::HM_SECRET_STATE,
        hm_error::HM_BAD_BITS,
    ];
}

/// What a function's inside returns.
pub(crate) type Outcome = Result<(), CallError>;

pub(crate) struct CallError {
    pub(crate) code: hm_error,
    pub(crate) text: String,
}

impl CallError {
    #[cold]
    pub(crate) fn new(code: hm_error, text: impl Into<String>) -> Self {
        CallError { code, text: text.into() }
    }

    #[cold]
    pub(crate) fn argument(text: impl Into<String>) -> Self {
        CallError::new(hm_error::HM_BAD_ARGUMENT, text)
    }
}

impl From<hashmill::Error> for CallError {
    #[cold]
    fn from(e: hashmill::Error) -> Self {
        let kind = e.kind().code() as usize - 1;
        CallError::new(hm_error::KINDS.get(kind).copied().unwrap_or(hm_error::HM_INTERNAL), e.to_string())
    }
}

thread_local! {
    static MESSAGE: RefCell<CString> = RefCell::new(CString::default());
}

/// Keeps the text for [`hm_error_message`].
#[cold]
pub(crate) fn remember(text: &str) {
    // A name may have had a zero byte in it.
    let text = CString::new(text.replace('\0', "\\0")).unwrap_or_default();
    // While a thread ends there may be no place for it any more.
    let _ = MESSAGE.try_with(|m| {
        if let Ok(mut m) = m.try_borrow_mut() {
            *m = text;
        }
    });
}

/// One line about the last call in this thread that failed: what, where, and what would be right. Empty if none has
/// failed.
///
/// The text is UTF-8 and stays until the next call that fails in this thread.
/// Threads: each has its own.
#[unsafe(no_mangle)]
pub extern "C" fn hm_error_message() -> *const c_char {
    MESSAGE.try_with(|m| m.try_borrow().map_or(c"".as_ptr(), |m| m.as_ptr())).unwrap_or(c"".as_ptr())
}

/// The name of an error's kind, as "HM_BAD_KEY"; "HM_?" for a number that is none.
/// Threads: any.
#[unsafe(no_mangle)]
pub extern "C" fn hm_error_name(error: u32) -> *const c_char {
    let name = match error {
        0 => c"HM_OK",
        1 => c"HM_UNKNOWN_ALGORITHM",
        2 => c"HM_IMPOSSIBLE_NAME",
        3 => c"HM_AMBIGUOUS_NAME",
        4 => c"HM_BAD_PARAMETER",
        5 => c"HM_BAD_KEY",
        6 => c"HM_UNKNOWN_KERNEL",
        7 => c"HM_KERNEL_UNAVAILABLE",
        8 => c"HM_WRONG_LENGTH",
        9 => c"HM_WRONG_TOTAL",
        10 => c"HM_BAD_OFFSETS",
        11 => c"HM_WRONG_PART",
        12 => c"HM_NOT_EXTENDABLE",
        13 => c"HM_NOT_RESUMABLE",
        14 => c"HM_BAD_STATE",
        15 => c"HM_SECRET_STATE",
        16 => c"HM_BAD_BITS",
        64 => c"HM_BAD_ARGUMENT",
        65 => c"HM_IO",
        66 => c"HM_CANCELLED",
        67 => c"HM_NO_MEMORY",
        68 => c"HM_INTERNAL",
        _ => c"HM_?",
    };
    name.as_ptr()
}

/// The library's version, as "0.1.0": that of the library that is loaded, which need not be the header's HM_VERSION.
/// Threads: any.
#[unsafe(no_mangle)]
pub extern "C" fn hm_version() -> *const c_char {
    const VERSION: &std::ffi::CStr =
        match std::ffi::CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => panic!("a version has no zero byte"),
        };
    VERSION.as_ptr()
}
