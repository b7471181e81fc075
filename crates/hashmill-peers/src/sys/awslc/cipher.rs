//! AWS-LC's ciphers.

use super::{ffi, init};
use std::ffi::{c_int, c_uint};
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};

/// Bytes of an AES block.
const BLOCK: usize = 16;
/// Bytes of a tag.
pub(crate) const TAG: usize = 16;

/// Expands an AES key of 16, 24 or 32 bytes for one direction.
fn schedule(key: &[u8], decrypt: bool) -> Option<ffi::AES_KEY> {
    init();
    let bits = c_uint::try_from(key.len() * 8).ok().filter(|bits| [128, 192, 256].contains(bits))?;
    let set = if decrypt { ffi::AES_set_decrypt_key } else { ffi::AES_set_encrypt_key };
    let mut made = ffi::AES_KEY { rd_key: [0; 60], rounds: 0 };
    // SAFETY: the key has as many bits as stated, and `made` may be written to.
    (unsafe { set(key.as_ptr(), bits, &mut made) } == 0).then_some(made)
}

/// AES-CBC that continues where it stopped.
pub(crate) struct Cbc {
    key: ffi::AES_KEY,
    iv: [u8; BLOCK],
    decrypt: bool,
}

impl Cbc {
    /// Returns `None` if AES has no keys of this length, or the IV is not one block.
    pub(crate) fn new(key: &[u8], iv: &[u8], decrypt: bool) -> Option<Cbc> {
        Some(Cbc { key: schedule(key, decrypt)?, iv: iv.try_into().ok()?, decrypt })
    }

    /// Runs whole blocks through the cipher, in place. Returns false if they are not whole.
    #[inline]
    pub(crate) fn run(&mut self, data: &mut [u8]) -> bool {
        if data.len() % BLOCK != 0 {
            return false;
        }
        let p = data.as_mut_ptr();
        // SAFETY: in place is allowed; as many bytes are written as are read; the key is scheduled for this direction;
        // and the IV is one block, which is replaced by the next IV.
        unsafe {
            ffi::AES_cbc_encrypt(p, p, data.len(), &self.key, self.iv.as_mut_ptr(), c_int::from(!self.decrypt));
        }
        true
    }
}

/// AES-CTR that continues where it stopped.
pub(crate) struct Ctr {
    key: ffi::AES_KEY,
    counter: [u8; BLOCK],
    /// Encrypted counter, of which `used` bytes have been used.
    stream: [u8; BLOCK],
    used: c_uint,
}

impl Ctr {
    /// Returns `None` if AES has no keys of this length, or the IV is not one block.
    pub(crate) fn new(key: &[u8], iv: &[u8]) -> Option<Ctr> {
        Some(Ctr { key: schedule(key, false)?, counter: iv.try_into().ok()?, stream: [0; BLOCK], used: 0 })
    }

    /// Runs bytes through the cipher, in place.
    #[inline]
    pub(crate) fn run(&mut self, data: &mut [u8]) {
        let p = data.as_mut_ptr();
        let (counter, stream) = (self.counter.as_mut_ptr(), self.stream.as_mut_ptr());
        // SAFETY: in place is allowed; as many bytes are written as are read; counter and stream are one block each,
        // and `used` is less than that: it starts at 0, and only this function changes it.
        unsafe { ffi::AES_ctr128_encrypt(p, p, data.len(), &self.key, counter, stream, &mut self.used) }
    }
}

/// ChaCha20-Poly1305 over one endless message: the data is encrypted or decrypted and authenticated, but there is never
/// a tag.
pub(crate) struct EndlessChaCha {
    context: NonNull<ffi::EVP_CIPHER_CTX>,
    iv: [u8; 12],
}

// SAFETY: a context is not tied to a thread; it only must not be used by two at once, and every use needs `&mut self`.
unsafe impl Send for EndlessChaCha {}

impl EndlessChaCha {
    /// Returns `None` unless key and IV have 32 and 12 bytes.
    pub(crate) fn new(key: &[u8], iv: &[u8], decrypt: bool) -> Option<EndlessChaCha> {
        init();
        let (key, iv): (&[u8; 32], [u8; 12]) = (key.try_into().ok()?, iv.try_into().ok()?);
        // SAFETY: no arguments.
        let context = NonNull::new(unsafe { ffi::EVP_CIPHER_CTX_new() })?;
        let made = EndlessChaCha { context, iv };
        // SAFETY: the context is new; the cipher lives as long as the program; key and IV have the lengths that it
        // reads.
        let set = unsafe {
            let cipher = ffi::EVP_chacha20_poly1305();
            let encrypt = c_int::from(!decrypt);
            ffi::EVP_CipherInit_ex(context.as_ptr(), cipher, ptr::null_mut(), key.as_ptr(), iv.as_ptr(), encrypt)
        };
        (set == 1).then_some(made)
    }

    /// Runs bytes through the cipher, in place. Returns false if the message cannot get any longer.
    pub(crate) fn run(&mut self, data: &mut [u8]) -> bool {
        let Ok(len) = c_int::try_from(data.len()) else { return false };
        let (p, mut written) = (data.as_mut_ptr(), 0);
        // SAFETY: the context has its key; in place is allowed; a stream cipher writes as many bytes as it reads.
        let done = unsafe { ffi::EVP_CipherUpdate(self.context.as_ptr(), p, &mut written, p, len) };
        done == 1 && written == len
    }

    /// Starts another message with the same key and IV.
    pub(crate) fn restart(&mut self) -> bool {
        let (context, null) = (self.context.as_ptr(), ptr::null_mut());
        // SAFETY: the context has its cipher and key; NULL and -1 leave them and the direction unchanged; the IV has
        // the length that it reads.
        unsafe { ffi::EVP_CipherInit_ex(context, ptr::null(), null, ptr::null(), self.iv.as_ptr(), -1) == 1 }
    }
}

impl Drop for EndlessChaCha {
    fn drop(&mut self) {
        // SAFETY: made by EVP_CIPHER_CTX_new and freed once.
        unsafe { ffi::EVP_CIPHER_CTX_free(self.context.as_ptr()) }
    }
}

/// An AEAD cipher over whole messages. Every message sets the key.
pub(crate) struct Aead {
    algorithm: &'static ffi::EVP_AEAD,
    key: Vec<u8>,
    nonce: Vec<u8>,
}

impl Aead {
    /// Creates the cipher with this OpenSSL name. Returns `None` if there is none with keys and nonces of these
    /// lengths.
    pub(crate) fn new(name: &str, key: &[u8], nonce: &[u8]) -> Option<Aead> {
        init();
        let algorithm = match name {
            "aes-128-gcm" => ffi::EVP_aead_aes_128_gcm,
            "aes-192-gcm" => ffi::EVP_aead_aes_192_gcm,
            "aes-256-gcm" => ffi::EVP_aead_aes_256_gcm,
            "chacha20-poly1305" => ffi::EVP_aead_chacha20_poly1305,
            _ => return None,
        };
        // SAFETY: no arguments; the result is static, or NULL.
        let algorithm = unsafe { algorithm().as_ref()? };
        // SAFETY: an algorithm of this library.
        let lens = unsafe { (ffi::EVP_AEAD_key_length(algorithm), ffi::EVP_AEAD_nonce_length(algorithm)) };
        let made = Aead { algorithm, key: key.to_vec(), nonce: nonce.to_vec() };
        (lens == (key.len(), nonce.len())).then_some(made)
    }

    /// Calls `run` with a context that has the key. Returns false if the context cannot be created.
    #[inline]
    fn with_context(&self, run: impl FnOnce(&ffi::EVP_AEAD_CTX) -> bool) -> bool {
        let mut context = MaybeUninit::<ffi::EVP_AEAD_CTX>::uninit();
        let (p, key, null) = (context.as_mut_ptr(), &self.key, ptr::null_mut());
        // SAFETY: the context need not be initialized beforehand; the key has the stated length. A failure leaves
        // nothing to clean up.
        if unsafe { ffi::EVP_AEAD_CTX_init(p, self.algorithm, key.as_ptr(), key.len(), TAG, null) } != 1 {
            return false;
        }
        // SAFETY: it has just been initialized, and nothing moves it before it is cleaned up.
        let good = run(unsafe { &*p });
        // SAFETY: as above; it is cleaned up once and not used again.
        unsafe { ffi::EVP_AEAD_CTX_cleanup(p) };
        good
    }

    /// Encrypts one message with additional data, in place, and computes its tag.
    pub(crate) fn seal(&self, aad: &[u8], data: &mut [u8]) -> Option<[u8; TAG]> {
        let (mut tag, mut tag_len) = ([0; TAG], 0);
        let (nonce, p, len) = (&self.nonce, data.as_mut_ptr(), data.len());
        // SAFETY: `context` has its key; in place is allowed, and as many bytes are written as are read; the tag's
        // buffer has the stated length; there is no additional input.
        let good = self.with_context(|context| unsafe {
            ffi::EVP_AEAD_CTX_seal_scatter(
                context,
                p,
                tag.as_mut_ptr(),
                &mut tag_len,
                TAG,
                nonce.as_ptr(),
                nonce.len(),
                p,
                len,
                ptr::null(),
                0,
                aad.as_ptr(),
                aad.len(),
            ) == 1
        });
        (good && tag_len == TAG).then_some(tag)
    }

    /// Decrypts one message with additional data from `text` to `data` and checks its tag. Also returns false if the
    /// tag is wrong.
    pub(crate) fn open(&self, aad: &[u8], text: &[u8], tag: &[u8; TAG], data: &mut [u8]) -> bool {
        if text.len() != data.len() {
            return false;
        }
        let (nonce, p) = (&self.nonce, data.as_mut_ptr());
        // SAFETY: `context` has its key; as many bytes are written as are read; and both buffers have this length and
        // do not overlap, because one of them is borrowed mutably.
        self.with_context(|context| unsafe {
            ffi::EVP_AEAD_CTX_open_gather(
                context,
                p,
                nonce.as_ptr(),
                nonce.len(),
                text.as_ptr(),
                text.len(),
                tag.as_ptr(),
                TAG,
                aad.as_ptr(),
                aad.len(),
            ) == 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_the_wrong_length_is_refused() {
        for len in [0, 15, 17, 31, 33] {
            let bytes = vec![0; len];
            assert!(Cbc::new(&bytes, &[0; 16], false).is_none() && Cbc::new(&[0; 16], &bytes, true).is_none(), "{len}");
            assert!(Ctr::new(&bytes, &[0; 16]).is_none() && Ctr::new(&[0; 16], &bytes).is_none(), "{len}");
            assert!(EndlessChaCha::new(&bytes, &[0; 12], false).is_none(), "{len}");
            assert!(EndlessChaCha::new(&[0; 32], &bytes, false).is_none(), "{len}");
            assert!(Aead::new("aes-128-gcm", &bytes, &[0; 12]).is_none(), "{len}");
            assert!(Aead::new("chacha20-poly1305", &[0; 32], &bytes).is_none(), "{len}");
            let mut cbc = Cbc::new(&[0; 16], &[0; 16], false).unwrap();
            assert_eq!(cbc.run(&mut vec![0; len]), len == 0, "{len}");
        }
        let aead = Aead::new("aes-256-gcm", &[0; 32], &[0; 12]).unwrap();
        assert!(!aead.open(&[], &[0; 16], &[0; 16], &mut [0; 17]));
    }
}
