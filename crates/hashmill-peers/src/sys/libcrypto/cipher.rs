//! libcrypto's ciphers.

use super::{Crypto, entry_points};
use std::ffi::{CString, c_char, c_int, c_ulong, c_void};
use std::ptr::{self, NonNull};

type Context = *mut c_void;
type Cipher = *const c_void;

entry_points! {
    struct Functions {
        by_name: fn(*const c_char) -> Cipher = c"EVP_get_cipherbyname";
        key_len: fn(Cipher) -> c_int = c"EVP_CIPHER_get_key_length" | c"EVP_CIPHER_key_length";
        iv_len: fn(Cipher) -> c_int = c"EVP_CIPHER_get_iv_length" | c"EVP_CIPHER_iv_length";
        block_len: fn(Cipher) -> c_int = c"EVP_CIPHER_get_block_size" | c"EVP_CIPHER_block_size";
        flags: fn(Cipher) -> c_ulong = c"EVP_CIPHER_get_flags" | c"EVP_CIPHER_flags";
        new: fn() -> Context = c"EVP_CIPHER_CTX_new";
        free: fn(Context) = c"EVP_CIPHER_CTX_free";
        init: fn(Context, Cipher, *mut c_void, *const u8, *const u8, c_int) -> c_int = c"EVP_CipherInit_ex";
        set_padding: fn(Context, c_int) -> c_int = c"EVP_CIPHER_CTX_set_padding";
        control: fn(Context, c_int, c_int, *mut c_void) -> c_int = c"EVP_CIPHER_CTX_ctrl";
        encrypt: fn(Context, *mut u8, *mut c_int, *const u8, c_int) -> c_int = c"EVP_EncryptUpdate";
        decrypt: fn(Context, *mut u8, *mut c_int, *const u8, c_int) -> c_int = c"EVP_DecryptUpdate";
        finish: fn(Context, *mut u8, *mut c_int) -> c_int = c"EVP_CipherFinal_ex";
    }
}

/// OpenSSL's EVP_CIPH_FLAG_AEAD_CIPHER.
const AEAD: c_ulong = 0x20_0000;
/// Bytes of a tag.
pub(crate) const TAG: usize = 16;
/// OpenSSL's EVP_CTRL_AEAD_SET_IVLEN.
const SET_IV_LEN: c_int = 0x9;
/// OpenSSL's EVP_CTRL_AEAD_GET_TAG.
const GET_TAG: c_int = 0x10;
/// OpenSSL's EVP_CTRL_AEAD_SET_TAG.
const SET_TAG: c_int = 0x11;
/// Tells `init` to leave the direction as it is.
const SAME_DIRECTION: c_int = -1;

/// A cipher of a libcrypto with a key, in one direction, without padding. Its methods return false if the library
/// reports a failure.
pub(crate) struct CryptoCipher {
    functions: Functions,
    context: NonNull<c_void>,
    /// Either `encrypt` or `decrypt`.
    update: unsafe extern "C" fn(Context, *mut u8, *mut c_int, *const u8, c_int) -> c_int,
    key: Vec<u8>,
    iv: Vec<u8>,
    block_len: usize,
    aead: bool,
}

// SAFETY: a context is not tied to a thread; it only must not be used by two at once, and every use needs `&mut self`.
unsafe impl Send for CryptoCipher {}

impl CryptoCipher {
    /// Creates the cipher of this name with key and IV set. Returns `None` if there is none with keys and IVs of these
    /// lengths.
    pub(crate) fn new(crypto: &Crypto, name: &str, key: &[u8], iv: &[u8], decrypt: bool) -> Option<CryptoCipher> {
        let functions = Functions::load(crypto).ok()?;
        let name = CString::new(name).ok()?;
        // SAFETY: a NUL-terminated name.
        let cipher = unsafe { (functions.by_name)(name.as_ptr()) };
        if cipher.is_null() {
            return None;
        }
        // SAFETY: a cipher of this library; it lives as long as the library.
        let (key_len, iv_len, block_len, flags) = unsafe {
            let f = functions;
            ((f.key_len)(cipher), (f.iv_len)(cipher), (f.block_len)(cipher), (f.flags)(cipher))
        };
        if usize::try_from(key_len) != Ok(key.len()) || usize::try_from(iv_len) != Ok(iv.len()) {
            return None;
        }
        let block_len = usize::try_from(block_len).ok().filter(|&n| n > 0)?;
        // SAFETY: no arguments.
        let context = NonNull::new(unsafe { (functions.new)() })?;
        let update = if decrypt { functions.decrypt } else { functions.encrypt };
        let aead = flags & AEAD != 0;
        let ready = CryptoCipher { functions, context, update, key: key.to_vec(), iv: iv.to_vec(), block_len, aead };
        // SAFETY: the context is new, the cipher belongs to this library, and key and IV have the lengths that it
        // reads.
        let set = unsafe {
            let c = context.as_ptr();
            (functions.init)(c, cipher, ptr::null_mut(), key.as_ptr(), iv.as_ptr(), c_int::from(!decrypt)) == 1
                && (functions.set_padding)(c, 0) == 1
        };
        set.then_some(ready)
    }

    /// Starts over with the IV.
    pub(crate) fn restart(&mut self) -> bool {
        self.init(ptr::null())
    }

    /// Sets the IV, and the key unless it is NULL.
    fn init(&mut self, key: *const u8) -> bool {
        let (context, iv) = (self.context.as_ptr(), self.iv.as_ptr());
        // SAFETY: the context has its cipher, and NULL means the same again; key and IV have the lengths that it reads.
        unsafe { (self.functions.init)(context, ptr::null(), ptr::null_mut(), key, iv, SAME_DIRECTION) == 1 }
    }

    /// Runs whole blocks through the cipher, in place.
    pub(crate) fn update(&mut self, data: &mut [u8]) -> bool {
        let Some(len) = c_int::try_from(data.len()).ok().filter(|_| data.len() % self.block_len == 0) else {
            return false;
        };
        let mut written = 0;
        // SAFETY: in place is allowed; without padding, and because only whole blocks are ever passed, nothing is held
        // back, and as many bytes are written as are read.
        let done = unsafe {
            let p = data.as_mut_ptr();
            (self.update)(self.context.as_ptr(), p, &mut written, p, len)
        };
        done == 1 && written == len
    }

    /// Starts a message: sets the IV length, the key and the IV, as `openssl speed` does for every message.
    fn begin(&mut self) -> bool {
        let Some(iv_len) = c_int::try_from(self.iv.len()).ok().filter(|_| self.aead) else { return false };
        // SAFETY: this takes a number and no pointer; it is the length that the IV already has.
        let set = unsafe { (self.functions.control)(self.context.as_ptr(), SET_IV_LEN, iv_len, ptr::null_mut()) == 1 };
        set && self.init(self.key.as_ptr())
    }

    /// Encrypts one message with additional data, in place, and computes its tag. Only for AEAD ciphers.
    pub(crate) fn seal(&mut self, aad: &[u8], data: &mut [u8]) -> bool {
        self.begin() && self.add(aad) && self.update(data) && self.finish()
    }

    /// Returns the tag of the message just encrypted.
    pub(crate) fn tag(&mut self) -> Option<[u8; TAG]> {
        if !self.aead {
            return None;
        }
        let mut tag = [0; TAG];
        // SAFETY: the cipher is an AEAD cipher; the library writes as many bytes as it is told the buffer has.
        let got = unsafe {
            (self.functions.control)(self.context.as_ptr(), GET_TAG, TAG as c_int, tag.as_mut_ptr().cast()) == 1
        };
        got.then_some(tag)
    }

    /// Decrypts one message with additional data from `text` to `data` and checks its tag. Only for AEAD ciphers. Also
    /// returns false if the tag is wrong.
    pub(crate) fn open(&mut self, aad: &[u8], text: &[u8], tag: &[u8; TAG], data: &mut [u8]) -> bool {
        let Some(len) = c_int::try_from(text.len()).ok().filter(|_| text.len() == data.len()) else {
            return false;
        };
        // The IV is set twice, as in `openssl speed`.
        if !(self.block_len == 1 && self.begin() && self.restart()) {
            return false;
        }
        let context = self.context.as_ptr();
        // SAFETY: the library copies the tag and writes nothing to it.
        let set =
            unsafe { (self.functions.control)(context, SET_TAG, TAG as c_int, tag.as_ptr().cast_mut().cast()) == 1 };
        if !(set && self.add(aad)) {
            return false;
        }
        let mut written = 0;
        // SAFETY: a cipher with blocks of one byte writes as much as it reads, and both buffers have this length.
        let done = unsafe { (self.update)(context, data.as_mut_ptr(), &mut written, text.as_ptr(), len) };
        done == 1 && written == len && self.finish()
    }

    /// Passes additional data.
    fn add(&mut self, aad: &[u8]) -> bool {
        let Some(len) = c_int::try_from(aad.len()).ok().filter(|_| self.aead) else { return false };
        if len == 0 {
            return true;
        }
        let mut written = 0;
        // SAFETY: for an AEAD cipher, input without an output buffer is additional data; nothing is written.
        unsafe { (self.update)(self.context.as_ptr(), ptr::null_mut(), &mut written, aad.as_ptr(), len) == 1 }
    }

    fn finish(&mut self) -> bool {
        let mut rest = [0; 64];
        let mut written = 0;
        // SAFETY: at most one block is written, and none is longer than EVP_MAX_BLOCK_LENGTH, 32 bytes.
        unsafe { (self.functions.finish)(self.context.as_ptr(), rest.as_mut_ptr(), &mut written) == 1 }
    }
}

impl Drop for CryptoCipher {
    fn drop(&mut self) {
        // SAFETY: made by EVP_CIPHER_CTX_new and freed once.
        unsafe { (self.functions.free)(self.context.as_ptr()) }
    }
}
