//! A libcrypto found at run time, called through its C interface.

pub(crate) mod cipher;
pub(crate) mod key;
pub(crate) mod oneshot;

use std::error::Error as _;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_ulong, c_void};
use std::path::Path;
use std::ptr::{self, NonNull};

/// Defines a struct of entry points with a `load` that finds all of them in a libcrypto or says which one is missing. A
/// function that was renamed has both names.
macro_rules! entry_points {
    ($(#[$meta:meta])* struct $name:ident {
        $($field:ident: fn($($arg:ty),* $(,)?) $(-> $result:ty)? = $($symbol:literal)|+;)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy)]
        struct $name {
            $($field: unsafe extern "C" fn($($arg),*) $(-> $result)?,)*
        }

        impl $name {
            fn load(crypto: &crate::sys::libcrypto::Crypto) -> Result<$name, String> {
                // SAFETY: the types are those of OpenSSL's headers, the same since 1.1.1.
                unsafe { Ok($name { $($field: crypto.library.find(&[$($symbol),+])?,)* }) }
            }
        }
    };
}
use entry_points;

/// OPENSSL_INIT_NO_LOAD_CONFIG: no openssl.cnf is read, which could have other providers or engines take over.
const NO_LOAD_CONFIG: u64 = 0x80;

/// Read when the library is loaded, so that it can only be reported.
const HIDES_FEATURES: &str = "OPENSSL_ia32cap";

type StartFn = unsafe extern "C" fn(u64, *const c_void) -> c_int;
type Md = *const c_void;
type Context = *mut c_void;
type VersionFn = unsafe extern "C" fn(c_int) -> *const c_char;
type FetchFn = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> Md;
type ProviderFn = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;
type ByNameFn = unsafe extern "C" fn(*const c_char) -> Md;
type NewFn = unsafe extern "C" fn() -> Context;
type FreeFn = unsafe extern "C" fn(Context);
type InitFn = unsafe extern "C" fn(Context, Md, *mut c_void) -> c_int;
type UpdateFn = unsafe extern "C" fn(Context, *const c_void, usize) -> c_int;
type FinishFn = unsafe extern "C" fn(Context, *mut u8, *mut c_uint) -> c_int;
type ClearFn = unsafe extern "C" fn();
type ErrorFn = unsafe extern "C" fn() -> c_ulong;
type ReasonFn = unsafe extern "C" fn(c_ulong) -> *const c_char;

/// An open library. It is never closed.
#[derive(Clone, Copy)]
struct Library(&'static libloading::os::unix::Library);

impl Library {
    /// Returns the first of these symbols that the library has.
    ///
    /// # Safety
    /// `T` must be the type of the functions with these names.
    unsafe fn find<T: Copy>(self, symbols: &[&CStr]) -> Result<T, String> {
        // SAFETY: the caller guarantees the type.
        let find = |symbol: &&CStr| unsafe { self.0.get::<T>(*symbol) }.ok().map(|found| *found);
        let missing = || format!("it has no {}", symbols[0].to_string_lossy());
        symbols.iter().find_map(find).ok_or_else(missing)
    }
}

/// A libcrypto, 1.1.1 or later, with the entry points that digests need. It stays loaded until the program ends.
#[derive(Clone, Copy)]
pub(crate) struct Crypto {
    library: Library,
    version: VersionFn,
    /// Present from 3.0 on.
    fetch: Option<FetchFn>,
    by_name: ByNameFn,
    context_new: NewFn,
    context_free: FreeFn,
    init: InitFn,
    update: UpdateFn,
    finish: FinishFn,
    clear_errors: ClearFn,
    next_error: ErrorFn,
    error_reason: ReasonFn,
}

impl Crypto {
    /// Loads a library by file name or path. Returns the reason if that fails.
    pub(crate) fn open(name: &Path) -> Result<Crypto, String> {
        let shown = name.display();
        if super::linked_statically() {
            return Err(format!("{shown}: a program that is linked statically cannot load it"));
        }
        // SAFETY: loading runs the library's initializers; it is the system's libcrypto or one that the user named.
        let library = unsafe { libloading::os::unix::Library::open(Some(name), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        let library = library.map_err(|e| {
            let text = e.source().map_or_else(|| e.to_string(), ToString::to_string);
            if text.contains(&*shown.to_string()) { text } else { format!("{shown}: {text}") }
        })?;
        let library = Library(Box::leak(Box::new(library)));
        // SAFETY: the types are those of OpenSSL's headers: provider.h, and evp.h and crypto.h, the same since 1.1.0.
        // NULL is the default library context.
        unsafe {
            if let Ok(start) = library.find::<StartFn>(&[c"OPENSSL_init_crypto"]) {
                start(NO_LOAD_CONFIG, ptr::null());
            }
            if let Ok(load) = library.find::<ProviderFn>(&[c"OSSL_PROVIDER_load"]) {
                // MD4 and Whirlpool are in the legacy provider, if it is installed. A program that loads one
                // provider must load the other, too.
                if !load(ptr::null_mut(), c"default".as_ptr()).is_null() {
                    load(ptr::null_mut(), c"legacy".as_ptr());
                }
            }
            let said = |reason| format!("{shown}: {reason}");
            let crypto = Crypto {
                library,
                version: library.find(&[c"OpenSSL_version"]).map_err(said)?,
                fetch: library.find(&[c"EVP_MD_fetch"]).ok(),
                by_name: library.find(&[c"EVP_get_digestbyname"]).map_err(said)?,
                context_new: library.find(&[c"EVP_MD_CTX_new"]).map_err(said)?,
                context_free: library.find(&[c"EVP_MD_CTX_free"]).map_err(said)?,
                init: library.find(&[c"EVP_DigestInit_ex"]).map_err(said)?,
                update: library.find(&[c"EVP_DigestUpdate"]).map_err(said)?,
                finish: library.find(&[c"EVP_DigestFinal_ex"]).map_err(said)?,
                clear_errors: library.find(&[c"ERR_clear_error"]).map_err(said)?,
                next_error: library.find(&[c"ERR_get_error"]).map_err(said)?,
                error_reason: library.find(&[c"ERR_reason_error_string"]).map_err(said)?,
            };
            (crypto.clear_errors)();
            Ok(crypto)
        }
    }

    /// Returns the version: `OpenSSL 3.0.19 27 Jan 2026`, with the variable that hides features of the CPU from it.
    pub(crate) fn version(&self) -> String {
        // SAFETY: the text for number 0 is static and NUL-terminated in every version.
        let version = unsafe { CStr::from_ptr((self.version)(0)) }.to_string_lossy();
        match std::env::var(HIDES_FEATURES) {
            Ok(value) if !value.is_empty() => format!("{version}, {HIDES_FEATURES}={value}"),
            _ => version.into_owned(),
        }
    }

    /// Returns the library's reason for the last failure in this thread (`data too large for key size`), if it left
    /// one, and clears it.
    pub(crate) fn reason(&self) -> Option<String> {
        // SAFETY: no memory is involved; the text is static and NUL-terminated, or NULL.
        unsafe {
            let reason = (self.error_reason)((self.next_error)());
            (self.clear_errors)();
            (!reason.is_null()).then(|| CStr::from_ptr(reason).to_string_lossy().into_owned())
        }
    }

    /// Returns a context for the digest of this name, if the library has it and allows it.
    pub(crate) fn digest(&self, name: &str, digest_len: usize) -> Option<CryptoDigest> {
        let name = CString::new(name).ok()?;
        // SAFETY: NUL-terminated names; NULL is the default library context and property query.
        let md = unsafe {
            match self.fetch {
                Some(fetch) => fetch(ptr::null_mut(), name.as_ptr(), ptr::null()),
                None => (self.by_name)(name.as_ptr()),
            }
        };
        // SAFETY: no arguments.
        unsafe { (self.clear_errors)() };
        if md.is_null() {
            return None;
        }
        // SAFETY: no arguments.
        let context = NonNull::new(unsafe { (self.context_new)() })?;
        let mut digest = CryptoDigest { crypto: *self, context, digest_len };
        // SAFETY: a context and a digest of this library, both alive.
        let ready = unsafe { (self.init)(digest.context.as_ptr(), md, ptr::null_mut()) } == 1;
        let mut out = [0; MAX_DIGEST];
        let mut len: c_uint = 0;
        // SAFETY: the context is initialized; the buffer holds EVP_MAX_MD_SIZE bytes.
        let ended = ready && unsafe { (self.finish)(digest.context.as_ptr(), out.as_mut_ptr(), &mut len) } == 1;
        (ended && len as usize == digest_len && digest.run(b"", &mut out)).then_some(digest)
    }
}

/// OpenSSL's EVP_MAX_MD_SIZE.
pub(crate) const MAX_DIGEST: usize = 64;

/// A digest of a libcrypto, with a context that is used over and over.
pub(crate) struct CryptoDigest {
    crypto: Crypto,
    context: NonNull<c_void>,
    digest_len: usize,
}

impl CryptoDigest {
    /// Writes the digest of one message to the first bytes of `out`. Returns false if the library reports a failure.
    #[inline]
    pub(crate) fn run(&mut self, message: &[u8], out: &mut [u8; MAX_DIGEST]) -> bool {
        let context = self.context.as_ptr();
        let mut len: c_uint = 0;
        // SAFETY: the context is owned by this value and has its digest (NULL means the same again); the message is
        // readable; `out` holds the longest digest there is.
        unsafe {
            (self.crypto.init)(context, ptr::null(), ptr::null_mut()) == 1
                && (self.crypto.update)(context, message.as_ptr().cast(), message.len()) == 1
                && (self.crypto.finish)(context, out.as_mut_ptr(), &mut len) == 1
                && len as usize == self.digest_len
        }
    }
}

impl Drop for CryptoDigest {
    fn drop(&mut self) {
        // SAFETY: made by EVP_MD_CTX_new and freed once.
        unsafe { (self.crypto.context_free)(self.context.as_ptr()) }
    }
}
