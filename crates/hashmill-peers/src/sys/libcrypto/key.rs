//! libcrypto's public keys.

use super::{Crypto, entry_points};
use std::ffi::{c_int, c_long, c_void};
use std::ptr::{self, NonNull};
use std::sync::Arc;

type Context = *mut c_void;
type Key = *mut c_void;
/// EVP_PKEY_sign and similar functions: context, output, its length (on input, the buffer's), input, input length.
type Transform = unsafe extern "C" fn(Context, *mut u8, *mut usize, *const u8, usize) -> c_int;
type Check = unsafe extern "C" fn(Context, *const u8, usize, *const u8, usize) -> c_int;
/// EVP_DigestSignInit and EVP_DigestVerifyInit.
type Init = unsafe extern "C" fn(Context, *mut Context, *const c_void, *mut c_void, Key) -> c_int;

entry_points! {
    struct Functions {
        from_der: fn(c_int, *mut Key, *mut *const u8, c_long) -> Key = c"d2i_PrivateKey";
        from_raw: fn(c_int, *mut c_void, *const u8, usize) -> Key = c"EVP_PKEY_new_raw_private_key";
        free: fn(Key) = c"EVP_PKEY_free";
        context_new: fn(Key, *mut c_void) -> Context = c"EVP_PKEY_CTX_new";
        context_free: fn(Context) = c"EVP_PKEY_CTX_free";
        sign_init: fn(Context) -> c_int = c"EVP_PKEY_sign_init";
        sign: fn(Context, *mut u8, *mut usize, *const u8, usize) -> c_int = c"EVP_PKEY_sign";
        verify_init: fn(Context) -> c_int = c"EVP_PKEY_verify_init";
        verify: fn(Context, *const u8, usize, *const u8, usize) -> c_int = c"EVP_PKEY_verify";
        encrypt_init: fn(Context) -> c_int = c"EVP_PKEY_encrypt_init";
        encrypt: fn(Context, *mut u8, *mut usize, *const u8, usize) -> c_int = c"EVP_PKEY_encrypt";
        decrypt_init: fn(Context) -> c_int = c"EVP_PKEY_decrypt_init";
        decrypt: fn(Context, *mut u8, *mut usize, *const u8, usize) -> c_int = c"EVP_PKEY_decrypt";
        md_context_new: fn() -> Context = c"EVP_MD_CTX_new";
        md_context_free: fn(Context) = c"EVP_MD_CTX_free";
        digest_sign_init: fn(Context, *mut Context, *const c_void, *mut c_void, Key) -> c_int = c"EVP_DigestSignInit";
        digest_sign: fn(Context, *mut u8, *mut usize, *const u8, usize) -> c_int = c"EVP_DigestSign";
        digest_verify_init: fn(Context, *mut Context, *const c_void, *mut c_void, Key) -> c_int
            = c"EVP_DigestVerifyInit";
        digest_verify: fn(Context, *const u8, usize, *const u8, usize) -> c_int = c"EVP_DigestVerify";
    }
}

/// Encoding of a private key.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Form<'a> {
    /// PKCS#1 RSAPrivateKey in DER.
    Rsa(&'a [u8]),
    /// SEC 1 ECPrivateKey in DER.
    Ec(&'a [u8]),
    /// The 32 bytes of RFC 8032.
    Ed25519(&'a [u8; 32]),
}

/// OpenSSL's EVP_PKEY_RSA, EVP_PKEY_EC, EVP_PKEY_ED25519.
const TYPES: [c_int; 3] = [6, 408, 1087];

/// A private key of a libcrypto.
pub(crate) struct CryptoKey {
    functions: Functions,
    key: Arc<Owned>,
    ed25519: bool,
}

/// A reference to a key, released when dropped.
struct Owned {
    key: NonNull<c_void>,
    free: unsafe extern "C" fn(Key),
}

// SAFETY: a key is not tied to a thread, the library counts its references atomically, and nothing here changes it.
unsafe impl Send for Owned {}
// SAFETY: as above.
unsafe impl Sync for Owned {}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: the reference is owned by this value and released once.
        unsafe { (self.free)(self.key.as_ptr()) }
    }
}

impl CryptoKey {
    /// Reads a key. Returns `None` if the library cannot.
    pub(crate) fn new(crypto: &Crypto, form: Form<'_>) -> Option<CryptoKey> {
        let functions = Functions::load(crypto).ok()?;
        let from_der = |kind: c_int, der: &[u8]| {
            let mut start = der.as_ptr();
            let len = c_long::try_from(der.len()).ok()?;
            // SAFETY: `len` bytes are readable from `start`; NULL asks for a new key.
            NonNull::new(unsafe { (functions.from_der)(kind, ptr::null_mut(), &mut start, len) })
        };
        let key = match form {
            Form::Rsa(der) => from_der(TYPES[0], der),
            Form::Ec(der) => from_der(TYPES[1], der),
            Form::Ed25519(bytes) => {
                // SAFETY: the bytes are readable, and the library copies them.
                NonNull::new(unsafe { (functions.from_raw)(TYPES[2], ptr::null_mut(), bytes.as_ptr(), bytes.len()) })
            }
        }?;
        let key = Arc::new(Owned { key, free: functions.free });
        Some(CryptoKey { functions, key, ed25519: matches!(form, Form::Ed25519(_)) })
    }

    /// Returns a signer: RSA with PKCS#1 v1.5 padding and no digest identifier, ECDSA of a digest, Ed25519 of a
    /// message.
    pub(crate) fn signer(&self, message: &[u8]) -> Option<Transformer> {
        let f = &self.functions;
        if self.ed25519 {
            self.digest_context(f.digest_sign_init)?.transformer(f.digest_sign, Some(f.digest_sign_init), message)
        } else {
            self.context(f.sign_init)?.transformer(f.sign, None, message)
        }
    }

    /// Returns what encrypts with the public key: RSA with PKCS#1 v1.5 padding.
    pub(crate) fn encrypter(&self, message: &[u8]) -> Option<Transformer> {
        self.context(self.functions.encrypt_init)?.transformer(self.functions.encrypt, None, message)
    }

    /// Returns what decrypts the output of `encrypter`.
    pub(crate) fn decrypter(&self, text: &[u8]) -> Option<Transformer> {
        self.context(self.functions.decrypt_init)?.transformer(self.functions.decrypt, None, text)
    }

    /// Returns what verifies the signatures of `signer`.
    pub(crate) fn verifier(&self) -> Option<Verifier> {
        let f = &self.functions;
        let (context, check, init) = if self.ed25519 {
            (self.digest_context(f.digest_verify_init)?, f.digest_verify, Some(f.digest_verify_init))
        } else {
            (self.context(f.verify_init)?, f.verify, None)
        };
        Some(Verifier { context, check, init, renew: false })
    }

    fn context(&self, init: unsafe extern "C" fn(Context) -> c_int) -> Option<Operation> {
        // SAFETY: the key belongs to this library; the context takes its own reference to it.
        let context = NonNull::new(unsafe { (self.functions.context_new)(self.key.key.as_ptr(), ptr::null_mut()) })?;
        let operation = Operation { free: self.functions.context_free, context, key: self.key.clone() };
        // SAFETY: the context is new and has a key.
        (unsafe { init(context.as_ptr()) } == 1).then_some(operation)
    }

    fn digest_context(&self, init: Init) -> Option<Operation> {
        // SAFETY: no arguments.
        let context = NonNull::new(unsafe { (self.functions.md_context_new)() })?;
        let operation = Operation { free: self.functions.md_context_free, context, key: self.key.clone() };
        operation.init(init).then_some(operation)
    }
}

/// A context prepared for one operation with a key.
struct Operation {
    free: unsafe extern "C" fn(Context),
    context: NonNull<c_void>,
    key: Arc<Owned>,
}

impl Operation {
    /// Prepares a digest context for its key.
    fn init(&self, init: Init) -> bool {
        let (context, key) = (self.context.as_ptr(), self.key.key.as_ptr());
        // SAFETY: only digest contexts come with an `Init`; the key is alive. NULL means no digest: the algorithm has
        // its own.
        unsafe { init(context, ptr::null_mut(), ptr::null(), ptr::null_mut(), key) == 1 }
    }

    /// Adds an output buffer of the length that the library asks for.
    fn transformer(self, call: Transform, init: Option<Init>, input: &[u8]) -> Option<Transformer> {
        let mut len = 0;
        // SAFETY: without a buffer, the library only reports the maximum length that it needs.
        let told = unsafe { call(self.context.as_ptr(), ptr::null_mut(), &mut len, input.as_ptr(), input.len()) } == 1;
        told.then(|| Transformer { context: self, call, init, renew: false, output: vec![0; len] })
    }
}

impl Drop for Operation {
    fn drop(&mut self) {
        // SAFETY: the context was created by the function that this one belongs to and is freed once.
        unsafe { (self.free)(self.context.as_ptr()) }
    }
}

/// Signs, encrypts or decrypts with a key.
pub(crate) struct Transformer {
    context: Operation,
    call: Transform,
    init: Option<Init>,
    /// Whether the context must be prepared again before every call, as newer libraries require for Ed25519.
    renew: bool,
    output: Vec<u8>,
}

// SAFETY: a context is not tied to a thread; it only must not be used by two at once, and every use needs `&mut self`.
unsafe impl Send for Transformer {}

impl Transformer {
    /// Returns the result, or `None` if the library reports a failure.
    pub(crate) fn run(&mut self, input: &[u8]) -> Option<&[u8]> {
        let mut len = self.output.len();
        let mut done = (!self.renew || self.ready()) && self.call(input, &mut len);
        if !done && !self.renew && self.ready() {
            len = self.output.len();
            done = self.call(input, &mut len);
            self.renew = done;
        }
        if done { self.output.get(..len) } else { None }
    }

    fn ready(&self) -> bool {
        self.init.is_some_and(|init| self.context.init(init))
    }

    fn call(&mut self, input: &[u8], len: &mut usize) -> bool {
        let context = self.context.context.as_ptr();
        // SAFETY: the context is ready for this call; the input is readable; the output has as many bytes as the
        // library asked for, and `len` says how many.
        unsafe { (self.call)(context, self.output.as_mut_ptr(), len, input.as_ptr(), input.len()) == 1 }
    }
}

/// Verifies signatures with a key.
pub(crate) struct Verifier {
    context: Operation,
    check: Check,
    init: Option<Init>,
    renew: bool,
}

// SAFETY: as for `Transformer`.
unsafe impl Send for Verifier {}

impl Verifier {
    /// Returns whether the signature is valid.
    pub(crate) fn run(&mut self, message: &[u8], signature: &[u8]) -> bool {
        let right = (!self.renew || self.ready()) && self.check(message, signature);
        if right || self.renew || !self.ready() {
            return right;
        }
        self.renew = self.check(message, signature);
        self.renew
    }

    fn ready(&self) -> bool {
        self.init.is_some_and(|init| self.context.init(init))
    }

    fn check(&self, message: &[u8], signature: &[u8]) -> bool {
        let context = self.context.context.as_ptr();
        // SAFETY: the context is ready for this call, and both are readable.
        unsafe { (self.check)(context, signature.as_ptr(), signature.len(), message.as_ptr(), message.len()) == 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peer::libcrypto::Libcrypto;

    /// The context is prepared before every call, as newer libraries require.
    #[test]
    fn a_context_that_is_made_ready_every_time() {
        let Ok(library) = Libcrypto::load() else { return println!("skipped: no libcrypto") };
        let key = CryptoKey::new(&library.crypto(), Form::Ed25519(&[7; 32])).unwrap();
        let (mut signer, mut verifier) = (key.signer(b"m").unwrap(), key.verifier().unwrap());
        // The contexts keep the key alive.
        drop(key);
        let signature = signer.run(b"m").unwrap().to_vec();
        (signer.renew, verifier.renew) = (true, true);
        for _ in 0..3 {
            assert_eq!(signer.run(b"m").unwrap(), signature);
            assert!(verifier.run(b"m", &signature));
            assert!(!verifier.run(b"n", &signature));
        }
    }

    #[test]
    fn what_is_no_key_is_refused() {
        let Ok(library) = Libcrypto::load() else { return println!("skipped: no libcrypto") };
        let crypto = library.crypto();
        for der in [&b""[..], b"\x30\x03\x02\x01\x00", b"no key"] {
            assert!(CryptoKey::new(&crypto, Form::Rsa(der)).is_none());
            assert!(CryptoKey::new(&crypto, Form::Ec(der)).is_none());
            assert!(crypto.reason().is_some());
            assert_eq!(crypto.reason(), None);
        }
    }
}
