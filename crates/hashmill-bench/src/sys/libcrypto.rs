//! A libcrypto found at run time, by its C interface.

pub(crate) mod cipher;
pub(crate) mod key;
pub(crate) mod oneshot;

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_ulong, c_void};
use std::path::Path;
use std::ptr::{self, NonNull};

/// A struct of entry points and `load`, which finds them all in a libcrypto or says which is missing. Where a function
/// was renamed, both names.
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
                use std::{ffi::c_void, mem::transmute, ptr::NonNull};
                // SAFETY: the types are those of OpenSSL's headers, the same since 1.1.1; each pointer is the address
                // of the function of that name, and not NULL.
                unsafe {
                    Ok($name {
                        $($field: transmute::<NonNull<c_void>, unsafe extern "C" fn($($arg),*) $(-> $result)?>(
                            crypto.library.find(&[$($symbol),+])?
                        ),)*
                    })
                }
            }
        }
    };
}
use entry_points;

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

/// What dlopen gave. It is never closed.
#[derive(Clone, Copy)]
struct Library(NonNull<c_void>);

// SAFETY: a handle is only given to dlsym, which any thread may call at any time.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

impl Library {
    /// The address of the first of these that it has.
    fn find(self, symbols: &[&CStr]) -> Result<NonNull<c_void>, String> {
        // SAFETY: a handle that dlopen gave and that is never closed, and NUL-terminated names.
        let find = |symbol: &&CStr| NonNull::new(unsafe { libc::dlsym(self.0.as_ptr(), symbol.as_ptr()) });
        let missing = || format!("it has no {}", symbols[0].to_string_lossy());
        symbols.iter().find_map(find).ok_or_else(missing)
    }
}

/// A libcrypto, 1.1.1 or later, and the entry points that a digest needs. It stays loaded to the end of the program.
#[derive(Clone, Copy)]
pub(crate) struct Crypto {
    library: Library,
    version: VersionFn,
    /// From 3.0 on.
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
    /// Loads it by file name or path. The reason if that fails.
    pub(crate) fn open(name: &Path) -> Result<Crypto, String> {
        let shown = name.display();
        if super::linked_statically() {
            return Err(format!("{shown}: a program that is linked statically cannot load it"));
        }
        let Some(path) = name.to_str().and_then(|s| CString::new(s).ok()) else {
            return Err(format!("{shown}: not a file name"));
        };
        // SAFETY: a NUL-terminated name. Loading runs the library's own initialisers: it is the system's libcrypto, or
        // one that the user named.
        let Some(handle) = NonNull::new(unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) })
        else {
            // SAFETY: dlerror gives NULL or a NUL-terminated text that lives until this thread's next dl call.
            let text = unsafe {
                let e = libc::dlerror();
                if e.is_null() { "cannot be loaded".into() } else { CStr::from_ptr(e).to_string_lossy().into_owned() }
            };
            return Err(if text.contains(&*shown.to_string()) { text } else { format!("{shown}: {text}") });
        };
        let library = Library(handle);
        let find = |symbol: &CStr| library.find(&[symbol]).ok();
        let need = |symbol: &CStr| library.find(&[symbol]).map_err(|reason| format!("{shown}: {reason}"));
        if let Some(load) = find(c"OSSL_PROVIDER_load") {
            // SAFETY: the type is that of OpenSSL's provider.h; NULL is the default library context.
            unsafe {
                let load = std::mem::transmute::<NonNull<c_void>, ProviderFn>(load);
                // MD4 and Whirlpool are in the second, if it is installed. Whoever loads one must load the other too.
                if !load(ptr::null_mut(), c"default".as_ptr()).is_null() {
                    load(ptr::null_mut(), c"legacy".as_ptr());
                }
            }
        }
        // SAFETY: the types are those of OpenSSL's headers, evp.h and crypto.h, the same since 1.1.0; each pointer is
        // the address of the function of that name, and not NULL.
        unsafe {
            use std::mem::transmute;
            let crypto = Crypto {
                library,
                version: transmute::<NonNull<c_void>, VersionFn>(need(c"OpenSSL_version")?),
                fetch: find(c"EVP_MD_fetch").map(|p| transmute::<NonNull<c_void>, FetchFn>(p)),
                by_name: transmute::<NonNull<c_void>, ByNameFn>(need(c"EVP_get_digestbyname")?),
                context_new: transmute::<NonNull<c_void>, NewFn>(need(c"EVP_MD_CTX_new")?),
                context_free: transmute::<NonNull<c_void>, FreeFn>(need(c"EVP_MD_CTX_free")?),
                init: transmute::<NonNull<c_void>, InitFn>(need(c"EVP_DigestInit_ex")?),
                update: transmute::<NonNull<c_void>, UpdateFn>(need(c"EVP_DigestUpdate")?),
                finish: transmute::<NonNull<c_void>, FinishFn>(need(c"EVP_DigestFinal_ex")?),
                clear_errors: transmute::<NonNull<c_void>, ClearFn>(need(c"ERR_clear_error")?),
                next_error: transmute::<NonNull<c_void>, ErrorFn>(need(c"ERR_get_error")?),
                error_reason: transmute::<NonNull<c_void>, ReasonFn>(need(c"ERR_reason_error_string")?),
            };
            (crypto.clear_errors)();
            Ok(crypto)
        }
    }

    /// `OpenSSL 3.0.19 27 Jan 2026`.
    pub(crate) fn version(&self) -> String {
        // SAFETY: the text for number 0 is static and NUL-terminated in every version.
        unsafe { CStr::from_ptr((self.version)(0)) }.to_string_lossy().into_owned()
    }

    /// The library's own word for what failed last in this thread, if it left one: `data too large for key size`.
    /// Forgets it.
    pub(crate) fn reason(&self) -> Option<String> {
        // SAFETY: no memory is involved; the text is static and NUL-terminated, or NULL.
        unsafe {
            let reason = (self.error_reason)((self.next_error)());
            (self.clear_errors)();
            (!reason.is_null()).then(|| CStr::from_ptr(reason).to_string_lossy().into_owned())
        }
    }

    /// A context for the digest of this name, if the library has it and allows it.
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
        // SAFETY: an initialised context; the buffer holds EVP_MAX_MD_SIZE bytes.
        let ended = ready && unsafe { (self.finish)(digest.context.as_ptr(), out.as_mut_ptr(), &mut len) } == 1;
        (ended && len as usize == digest_len && digest.run(b"", &mut out)).then_some(digest)
    }
}

/// OpenSSL's EVP_MAX_MD_SIZE.
pub(crate) const MAX_DIGEST: usize = 64;

/// One digest of one libcrypto: a context that is used over and over.
pub(crate) struct CryptoDigest {
    crypto: Crypto,
    context: NonNull<c_void>,
    digest_len: usize,
}

impl CryptoDigest {
    /// The digest of one message, written to the first bytes of `out`. False if the library reports a failure.
    #[inline]
    pub(crate) fn run(&mut self, message: &[u8], out: &mut [u8; MAX_DIGEST]) -> bool {
        let context = self.context.as_ptr();
        let mut len: c_uint = 0;
        // SAFETY: the context is this value's own and has its digest (NULL means the same again); the message is
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
