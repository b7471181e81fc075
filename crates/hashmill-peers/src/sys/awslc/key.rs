//! AWS-LC's public keys. Their methods return `None` or false if the library reports a failure.

use super::{ffi, init};
use std::ffi::{c_int, c_long, c_uint};
use std::ptr::{self, NonNull};

/// RSA_sign_raw and similar functions: key, length of the result, result, size of its buffer, input, input length,
/// padding.
type RsaCall = unsafe extern "C" fn(*mut ffi::RSA, *mut usize, *mut u8, usize, *const u8, usize, c_int) -> c_int;

/// An RSA key with two primes. All padding is PKCS#1 v1.5.
pub(crate) struct RsaKey {
    key: NonNull<ffi::RSA>,
    /// Buffer as long as the modulus, which no result exceeds.
    output: Vec<u8>,
}

// SAFETY: a key is not tied to a thread.
unsafe impl Send for RsaKey {}

impl RsaKey {
    /// Reads and checks a PKCS#1 RSAPrivateKey in DER.
    pub(crate) fn new(der: &[u8]) -> Option<RsaKey> {
        init();
        // SAFETY: the bytes are readable; the result is a key owned by the caller, or NULL.
        let key = NonNull::new(unsafe { ffi::RSA_private_key_from_bytes(der.as_ptr(), der.len()) })?;
        // SAFETY: a key of this library.
        let len = usize::try_from(unsafe { ffi::RSA_size(key.as_ptr()) });
        let mut made = RsaKey { key, output: Vec::new() };
        made.output.resize(len.ok()?, 0);
        Some(made)
    }

    fn call(&mut self, call: RsaCall, input: &[u8]) -> Option<&[u8]> {
        let (key, out, mut len) = (self.key.as_ptr(), &mut self.output, 0);
        // SAFETY: a private key also contains the public one; the output has the stated room, and the input is
        // readable.
        let done = unsafe {
            let (room, padding) = (out.len(), ffi::RSA_PKCS1_PADDING);
            call(key, &mut len, out.as_mut_ptr(), room, input.as_ptr(), input.len(), padding)
        };
        self.output.get(..len).filter(|_| done == 1)
    }

    /// Signs bytes as they are, without a digest identifier. The private-key operation is blinded.
    pub(crate) fn sign(&mut self, message: &[u8]) -> Option<&[u8]> {
        self.call(ffi::RSA_sign_raw, message)
    }

    /// Returns whether the signature is valid.
    pub(crate) fn verify(&mut self, message: &[u8], signature: &[u8]) -> bool {
        self.call(ffi::RSA_verify_raw, signature) == Some(message)
    }

    /// Encrypts with the public key.
    pub(crate) fn encrypt(&mut self, message: &[u8]) -> Option<&[u8]> {
        self.call(ffi::RSA_encrypt, message)
    }

    /// Decrypts what `encrypt` encrypts. The private-key operation is blinded.
    pub(crate) fn decrypt(&mut self, text: &[u8]) -> Option<&[u8]> {
        self.call(ffi::RSA_decrypt, text)
    }
}

impl Drop for RsaKey {
    fn drop(&mut self) {
        // SAFETY: the key is owned by this value and freed once.
        unsafe { ffi::RSA_free(self.key.as_ptr()) }
    }
}

/// An ECDSA key.
pub(crate) struct EcdsaKey {
    key: NonNull<ffi::EC_KEY>,
    /// Buffer for the longest possible signature.
    output: Vec<u8>,
}

// SAFETY: a key is not tied to a thread.
unsafe impl Send for EcdsaKey {}

impl EcdsaKey {
    /// Reads a SEC 1 ECPrivateKey in DER that names the curve.
    pub(crate) fn new(der: &[u8]) -> Option<EcdsaKey> {
        init();
        let (mut start, len) = (der.as_ptr(), c_long::try_from(der.len()).ok()?);
        // SAFETY: `len` bytes are readable from `start`; NULL asks for a new key.
        let key = NonNull::new(unsafe { ffi::d2i_ECPrivateKey(ptr::null_mut(), &mut start, len) })?;
        let mut made = EcdsaKey { key, output: Vec::new() };
        // SAFETY: a key of this library.
        made.output.resize(unsafe { ffi::ECDSA_size(key.as_ptr()) }, 0);
        Some(made)
    }

    /// Signs a digest with a random nonce. The signature is in DER.
    pub(crate) fn sign(&mut self, digest: &[u8]) -> Option<&[u8]> {
        let mut len: c_uint = 0;
        let (key, out) = (self.key.as_ptr(), self.output.as_mut_ptr());
        // SAFETY: the digest is readable; the output has the room that ECDSA_size demands; the type, 0, has no meaning.
        let done = unsafe { ffi::ECDSA_sign(0, digest.as_ptr(), digest.len(), out, &mut len, key) };
        self.output.get(..usize::try_from(len).ok()?).filter(|_| done == 1)
    }

    /// Returns whether the signature is valid.
    pub(crate) fn verify(&self, digest: &[u8], signature: &[u8]) -> bool {
        let (key, s) = (self.key.as_ptr(), signature);
        // SAFETY: both are readable; the type, 0, has no meaning.
        unsafe { ffi::ECDSA_verify(0, digest.as_ptr(), digest.len(), s.as_ptr(), s.len(), key) == 1 }
    }
}

impl Drop for EcdsaKey {
    fn drop(&mut self) {
        // SAFETY: the key is owned by this value and freed once.
        unsafe { ffi::EC_KEY_free(self.key.as_ptr()) }
    }
}

/// An Ed25519 key.
pub(crate) struct Ed25519Key {
    public: [u8; 32],
    /// The 32 bytes of RFC 8032, followed by the public key.
    private: [u8; 64],
}

impl Ed25519Key {
    pub(crate) fn new(seed: &[u8; 32]) -> Ed25519Key {
        init();
        let mut key = Ed25519Key { public: [0; 32], private: [0; 64] };
        // SAFETY: the three have the lengths that are read and written: 32, 64 and 32 bytes.
        unsafe {
            ffi::ED25519_keypair_from_seed(key.public.as_mut_ptr(), key.private.as_mut_ptr(), seed.as_ptr());
        }
        key
    }

    /// Signs a message.
    pub(crate) fn sign(&self, message: &[u8]) -> Option<[u8; 64]> {
        let mut out = [0; 64];
        // SAFETY: the message is readable; signature and private key have 64 bytes.
        let done =
            unsafe { ffi::ED25519_sign(out.as_mut_ptr(), message.as_ptr(), message.len(), self.private.as_ptr()) };
        (done == 1).then_some(out)
    }

    /// Returns whether the signature is valid.
    pub(crate) fn verify(&self, message: &[u8], signature: &[u8]) -> bool {
        let Ok(signature) = <&[u8; 64]>::try_from(signature) else { return false };
        let (m, public) = (message, self.public.as_ptr());
        // SAFETY: the message is readable; the signature has 64 bytes, the public key 32.
        unsafe { ffi::ED25519_verify(m.as_ptr(), m.len(), signature.as_ptr(), public) == 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::super::reason;
    use super::*;

    #[test]
    fn what_is_no_key_is_refused() {
        for der in [&b""[..], b"\x30\x03\x02\x01\x00", b"no key"] {
            assert!(RsaKey::new(der).is_none() && EcdsaKey::new(der).is_none());
            assert!(reason().is_some());
            assert_eq!(reason(), None);
        }
        let key = Ed25519Key::new(&[7; 32]);
        let signature = key.sign(b"m").unwrap();
        assert!(key.verify(b"m", &signature) && !key.verify(b"n", &signature) && !key.verify(b"m", &signature[..63]));
    }
}
