//! libcrypto's digests and HMAC, called the way `openssl speed` calls them: one call per message, or init, update and
//! final.

use super::{Crypto, MAX_DIGEST, entry_points};
use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::ptr::{self, NonNull};

type Context = *mut c_void;

entry_points! {
    struct DigestFunctions {
        digest: fn(*const c_void, usize, *mut u8, *mut c_uint, *const c_void, *mut c_void) -> c_int = c"EVP_Digest";
    }
}

entry_points! {
    /// Entry points that exist from 3.0 on.
    struct MacFunctions {
        fetch: fn(*mut c_void, *const c_char, *const c_char) -> *mut c_void = c"EVP_MAC_fetch";
        free: fn(*mut c_void) = c"EVP_MAC_free";
        context_new: fn(*mut c_void) -> Context = c"EVP_MAC_CTX_new";
        context_free: fn(Context) = c"EVP_MAC_CTX_free";
        init: fn(Context, *const u8, usize, *const Parameter) -> c_int = c"EVP_MAC_init";
        update: fn(Context, *const u8, usize) -> c_int = c"EVP_MAC_update";
        finish: fn(Context, *mut u8, *mut usize, usize) -> c_int = c"EVP_MAC_final";
    }
}

entry_points! {
    struct HmacFunctions {
        context_new: fn() -> Context = c"HMAC_CTX_new";
        context_free: fn(Context) = c"HMAC_CTX_free";
        init: fn(Context, *const c_void, c_int, *const c_void, *mut c_void) -> c_int = c"HMAC_Init_ex";
        update: fn(Context, *const u8, usize) -> c_int = c"HMAC_Update";
        finish: fn(Context, *mut u8, *mut c_uint) -> c_int = c"HMAC_Final";
    }
}

/// OpenSSL's OSSL_PARAM.
#[repr(C)]
struct Parameter {
    key: *const c_char,
    data_type: c_uint,
    data: *const c_void,
    data_size: usize,
    return_size: usize,
}

/// OpenSSL's OSSL_PARAM_UTF8_STRING.
const UTF8_STRING: c_uint = 4;

/// A digest computed by EVP_Digest.
pub(crate) struct OneShotDigest {
    functions: DigestFunctions,
    md: *const c_void,
}

// SAFETY: a digest's description is not tied to a thread and is not changed by its use.
unsafe impl Send for OneShotDigest {}

impl OneShotDigest {
    /// Returns the digest of this name, if the library has it and allows it.
    pub(crate) fn new(crypto: &Crypto, name: &str) -> Option<OneShotDigest> {
        let functions = DigestFunctions::load(crypto).ok()?;
        let md = find_md(crypto, &CString::new(name).ok()?)?;
        let digest = OneShotDigest { functions, md };
        digest.run(b"", &mut [0; MAX_DIGEST]).map(|_| digest)
    }

    /// Writes the digest of one message to the first bytes of `out` and returns their number, or `None` if the library
    /// reports a failure.
    #[inline]
    pub(crate) fn run(&self, message: &[u8], out: &mut [u8; MAX_DIGEST]) -> Option<usize> {
        let mut len: c_uint = 0;
        // SAFETY: the digest belongs to this library and is never freed; the message is readable; `out` holds the
        // longest digest there is, EVP_MAX_MD_SIZE.
        let done = unsafe {
            let engine = ptr::null_mut();
            (self.functions.digest)(message.as_ptr().cast(), message.len(), out.as_mut_ptr(), &mut len, self.md, engine)
        };
        (done == 1).then_some(len as usize)
    }
}

/// Fetches the digest of this name, once. It is kept until the program ends.
fn find_md(crypto: &Crypto, name: &CString) -> Option<*const c_void> {
    // SAFETY: a NUL-terminated name; NULL is the default library context and property query.
    let md = unsafe {
        match crypto.fetch {
            Some(fetch) => fetch(ptr::null_mut(), name.as_ptr(), ptr::null()),
            None => (crypto.by_name)(name.as_ptr()),
        }
    };
    // SAFETY: no arguments.
    unsafe { (crypto.clear_errors)() };
    (!md.is_null()).then_some(md)
}

/// HMAC with one digest and one key, computed by EVP_MAC, or by HMAC_CTX in libraries before 3.0.
pub(crate) struct CryptoHmac {
    functions: Either,
    context: NonNull<c_void>,
}

enum Either {
    Mac(MacFunctions),
    Hmac(HmacFunctions),
}

// SAFETY: a context is not tied to a thread; it only must not be used by two at once, and every use needs `&mut self`.
unsafe impl Send for CryptoHmac {}

impl CryptoHmac {
    /// Returns HMAC with the digest of this name, if the library has it.
    pub(crate) fn new(crypto: &Crypto, digest: &str, key: &[u8]) -> Option<CryptoHmac> {
        let name = CString::new(digest).ok()?;
        let mut made = match MacFunctions::load(crypto) {
            Ok(functions) => CryptoHmac::by_mac(functions, &name, key)?,
            Err(_) => CryptoHmac::by_hmac(crypto, &name, key)?,
        };
        made.run(b"", &mut [0; MAX_DIGEST])?;
        Some(made)
    }

    fn by_mac(functions: MacFunctions, digest: &CString, key: &[u8]) -> Option<CryptoHmac> {
        // SAFETY: NUL-terminated names; NULL is the default library context and property query. The context keeps its
        // own reference to the algorithm.
        let context = unsafe {
            let mac = NonNull::new((functions.fetch)(ptr::null_mut(), c"HMAC".as_ptr(), ptr::null()))?;
            let context = (functions.context_new)(mac.as_ptr());
            (functions.free)(mac.as_ptr());
            NonNull::new(context)?
        };
        let end = Parameter { key: ptr::null(), data_type: 0, data: ptr::null(), data_size: 0, return_size: 0 };
        let digest = Parameter {
            key: c"digest".as_ptr(),
            data_type: UTF8_STRING,
            data: digest.as_ptr().cast(),
            data_size: digest.count_bytes(),
            return_size: 0,
        };
        let made = CryptoHmac { functions: Either::Mac(functions), context };
        // SAFETY: key and parameters are readable, the parameters end with a NULL key, and the library copies what it
        // needs.
        let ready = unsafe { (functions.init)(context.as_ptr(), key.as_ptr(), key.len(), [digest, end].as_ptr()) == 1 };
        ready.then_some(made)
    }

    fn by_hmac(crypto: &Crypto, digest: &CString, key: &[u8]) -> Option<CryptoHmac> {
        let functions = HmacFunctions::load(crypto).ok()?;
        let md = find_md(crypto, digest)?;
        let key_len = c_int::try_from(key.len()).ok()?;
        // SAFETY: no arguments.
        let context = NonNull::new(unsafe { (functions.context_new)() })?;
        let made = CryptoHmac { functions: Either::Hmac(functions), context };
        // SAFETY: the context is new, the key is readable and copied by the library, and the digest is never freed.
        let ready =
            unsafe { (functions.init)(context.as_ptr(), key.as_ptr().cast(), key_len, md, ptr::null_mut()) == 1 };
        ready.then_some(made)
    }

    /// Writes the HMAC of one message to the first bytes of `out` and returns their number, or `None` if the library
    /// reports a failure.
    #[inline]
    pub(crate) fn run(&mut self, message: &[u8], out: &mut [u8; MAX_DIGEST]) -> Option<usize> {
        let context = self.context.as_ptr();
        // SAFETY: the context has its digest and key, and NULL means the same again; the message is readable; `out`
        // holds the longest digest there is, EVP_MAX_MD_SIZE.
        unsafe {
            match &self.functions {
                Either::Mac(f) => {
                    let mut len = 0;
                    let done = (f.init)(context, ptr::null(), 0, ptr::null()) == 1
                        && (f.update)(context, message.as_ptr(), message.len()) == 1
                        && (f.finish)(context, out.as_mut_ptr(), &mut len, out.len()) == 1;
                    done.then_some(len)
                }
                Either::Hmac(f) => {
                    let mut len: c_uint = 0;
                    let done = (f.init)(context, ptr::null(), 0, ptr::null(), ptr::null_mut()) == 1
                        && (f.update)(context, message.as_ptr(), message.len()) == 1
                        && (f.finish)(context, out.as_mut_ptr(), &mut len) == 1;
                    done.then_some(len as usize)
                }
            }
        }
    }
}

impl Drop for CryptoHmac {
    fn drop(&mut self) {
        // SAFETY: the context was created by the function that this one belongs to and is freed once.
        unsafe {
            match &self.functions {
                Either::Mac(f) => (f.context_free)(self.context.as_ptr()),
                Either::Hmac(f) => (f.context_free)(self.context.as_ptr()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peer::libcrypto::Libcrypto;

    /// RFC 4231, test case 2.
    #[test]
    fn both_ways_to_hmac_agree() {
        let Ok(library) = Libcrypto::load() else { return println!("skipped: no libcrypto") };
        let crypto = library.crypto();
        let expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        let ways =
            [CryptoHmac::new(&crypto, "sha256", b"Jefe"), CryptoHmac::by_hmac(&crypto, &c"sha256".into(), b"Jefe")];
        for mut hmac in ways.into_iter().map(Option::unwrap) {
            for _ in 0..2 {
                let mut out = [0; MAX_DIGEST];
                assert_eq!(hmac.run(b"what do ya want for nothing?", &mut out), Some(32));
                assert_eq!(out[..32].iter().map(|b| format!("{b:02x}")).collect::<String>(), expected);
            }
        }
        assert!(CryptoHmac::new(&crypto, "sha257", b"Jefe").is_none());
    }
}
