//! AWS-LC's ciphers and public keys, compiled in, behind a safe interface.
//!
//! Low-level functions are called if there are any: they run the same code as the EVP functions, without lookups and
//! allocations on every call.

pub(crate) mod cipher;
pub(crate) mod key;

use aws_lc_sys as ffi;
use std::ffi::CStr;

/// Detects the CPU's features, once; otherwise, AWS-LC takes its portable paths. Every constructor in this module calls
/// this. It does nothing if the library was built with its static initializer, which has already done it.
fn init() {
    // SAFETY: no arguments; any thread may call it at any time.
    unsafe { ffi::CRYPTO_library_init() }
}

/// Returns the library's version: `AWS-LC 5.12.0`.
pub(crate) fn version() -> String {
    // SAFETY: the text for number 0 is static and NUL-terminated.
    unsafe { CStr::from_ptr(ffi::OpenSSL_version(0)) }.to_string_lossy().into_owned()
}

/// Returns the library's reason for the last failure in this thread, if it left one, and clears it.
pub(crate) fn reason() -> Option<String> {
    // SAFETY: no memory is involved; the text is static and NUL-terminated, or NULL.
    unsafe {
        let code = ffi::ERR_get_error();
        ffi::ERR_clear_error();
        let reason = ffi::ERR_reason_error_string(code);
        // Code 0, no error, has a text, too.
        (code != 0 && !reason.is_null()).then(|| CStr::from_ptr(reason).to_string_lossy().into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peer::libcrypto::Libcrypto;

    /// If the program exported these names, they would capture the calls that a libcrypto makes to itself.
    #[test]
    fn its_names_are_not_those_of_a_loaded_libcrypto() {
        assert!(version().starts_with("AWS-LC "), "{}", version());
        match Libcrypto::load() {
            Ok(loaded) => assert!(!loaded.crypto().version().starts_with("AWS-LC"), "{}", loaded.crypto().version()),
            Err(e) => println!("skipped: {e}"),
        }
        let seen = |name: &CStr| {
            // SAFETY: a NUL-terminated name; RTLD_DEFAULT searches what the program itself exports and was linked to.
            !unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }.is_null()
        };
        assert!(seen(c"malloc"));
        for name in [c"OpenSSL_version", c"EVP_CIPHER_CTX_new", c"RSA_sign_raw", c"RSA_free", c"CRYPTO_library_init"] {
            assert!(!seen(name), "{name:?}");
        }
    }
}
