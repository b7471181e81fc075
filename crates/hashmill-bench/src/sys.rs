//! What needs the operating system by hand: signals, process times, and a libcrypto found at run time. The crate's only
//! unsafe code.

#![allow(unsafe_code, reason = "libc calls and the entry points of a library loaded at run time")]

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::path::Path;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

static STOP: AtomicBool = AtomicBool::new(false);
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Whether the timed loop is to end. One relaxed load.
#[inline(always)]
pub(crate) fn stopped() -> bool {
    STOP.load(Relaxed)
}

/// Ends the timed loop, or lets the next one run; it will not once the user has interrupted the program.
pub(crate) fn set_stopped(stop: bool) {
    STOP.store(stop, Relaxed);
    if INTERRUPTED.load(Relaxed) {
        STOP.store(true, Relaxed);
    }
}

/// Whether SIGINT came.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Relaxed)
}

extern "C" fn on_interrupt(_: c_int) {
    INTERRUPTED.store(true, Relaxed);
    STOP.store(true, Relaxed);
}

/// From now on the first SIGINT ends the timed loop; a second one kills, as usual.
pub(crate) fn catch_interrupt() {
    // SAFETY: a zeroed sigaction is valid; the handler only stores to atomics, which is async-signal-safe.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_interrupt as *const () as usize;
        action.sa_flags = libc::SA_RESTART | libc::SA_RESETHAND;
        libc::sigemptyset(&mut action.sa_mask);
        libc::sigaction(libc::SIGINT, &action, ptr::null_mut());
    }
}

/// Sends SIGINT to a child that was started here and not yet waited for.
pub(crate) fn interrupt(child: &std::process::Child) {
    if let Ok(pid) = libc::pid_t::try_from(child.id()) {
        // SAFETY: no memory is involved; the child was not reaped, so the number is still its own.
        unsafe { libc::kill(pid, libc::SIGINT) };
    }
}

/// The user CPU time of this process.
pub(crate) fn user_time() -> Duration {
    // SAFETY: a zeroed rusage is valid, and getrusage writes no more than one.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    let t = usage.ru_utime;
    Duration::new(u64::try_from(t.tv_sec).unwrap_or(0), u32::try_from(t.tv_usec).unwrap_or(0) * 1000)
}

/// The CPU time, user and system, of this thread.
pub(crate) fn thread_time() -> Duration {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `t` is a timespec to write to.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut t) };
    Duration::new(u64::try_from(t.tv_sec).unwrap_or(0), u32::try_from(t.tv_nsec).unwrap_or(0))
}

type Md = *const c_void;
type Context = *mut c_void;
type VersionFn = unsafe extern "C" fn(c_int) -> *const c_char;
type FetchFn = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> Md;
type ByNameFn = unsafe extern "C" fn(*const c_char) -> Md;
type NewFn = unsafe extern "C" fn() -> Context;
type FreeFn = unsafe extern "C" fn(Context);
type InitFn = unsafe extern "C" fn(Context, Md, *mut c_void) -> c_int;
type UpdateFn = unsafe extern "C" fn(Context, *const c_void, usize) -> c_int;
type FinishFn = unsafe extern "C" fn(Context, *mut u8, *mut c_uint) -> c_int;
type ClearFn = unsafe extern "C" fn();

/// A libcrypto, 1.1.1 or later, and the entry points that a digest needs. It stays loaded to the end of the program.
#[derive(Clone, Copy)]
pub(crate) struct Crypto {
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
}

impl Crypto {
    /// Loads it by file name or path. The reason if that fails.
    pub(crate) fn open(name: &Path) -> Result<Crypto, String> {
        let shown = name.display();
        let Some(path) = name.to_str().and_then(|s| CString::new(s).ok()) else {
            return Err(format!("{shown}: not a file name"));
        };
        // SAFETY: a NUL-terminated name. Loading runs the library's own initialisers: it is the system's libcrypto, or one
        // that the user named.
        let Some(handle) = NonNull::new(unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) })
        else {
            // SAFETY: dlerror gives NULL or a NUL-terminated text that lives until this thread's next dl call.
            let text = unsafe {
                let e = libc::dlerror();
                if e.is_null() { "cannot be loaded".into() } else { CStr::from_ptr(e).to_string_lossy().into_owned() }
            };
            return Err(if text.contains(&*shown.to_string()) { text } else { format!("{shown}: {text}") });
        };
        let find = |symbol: &CStr| {
            // SAFETY: a handle that dlopen gave and that is never closed, and a NUL-terminated name.
            NonNull::new(unsafe { libc::dlsym(handle.as_ptr(), symbol.as_ptr()) })
        };
        let need = |symbol: &CStr| find(symbol).ok_or_else(|| format!("{shown}: has no {}", symbol.to_string_lossy()));
        // SAFETY: the types are those of OpenSSL's headers, evp.h and crypto.h, the same since 1.1.0; each pointer is the
        // address of the function of that name, and not NULL.
        unsafe {
            use std::mem::transmute;
            Ok(Crypto {
                version: transmute::<NonNull<c_void>, VersionFn>(need(c"OpenSSL_version")?),
                fetch: find(c"EVP_MD_fetch").map(|p| transmute::<NonNull<c_void>, FetchFn>(p)),
                by_name: transmute::<NonNull<c_void>, ByNameFn>(need(c"EVP_get_digestbyname")?),
                context_new: transmute::<NonNull<c_void>, NewFn>(need(c"EVP_MD_CTX_new")?),
                context_free: transmute::<NonNull<c_void>, FreeFn>(need(c"EVP_MD_CTX_free")?),
                init: transmute::<NonNull<c_void>, InitFn>(need(c"EVP_DigestInit_ex")?),
                update: transmute::<NonNull<c_void>, UpdateFn>(need(c"EVP_DigestUpdate")?),
                finish: transmute::<NonNull<c_void>, FinishFn>(need(c"EVP_DigestFinal_ex")?),
                clear_errors: transmute::<NonNull<c_void>, ClearFn>(need(c"ERR_clear_error")?),
            })
        }
    }

    /// `OpenSSL 3.0.19 27 Jan 2026`.
    pub(crate) fn version(&self) -> String {
        // SAFETY: the text for number 0 is static and NUL-terminated in every version.
        unsafe { CStr::from_ptr((self.version)(0)) }.to_string_lossy().into_owned()
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
        // SAFETY: the context is this value's own and has its digest (NULL means the same again); the message is readable;
        // `out` holds the longest digest there is.
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

/// Bytes of memory that a program may take before others suffer, where the system says so.
pub(crate) fn memory_available() -> Option<u64> {
    // SAFETY: no memory is involved.
    let (pages, size) = unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    let physical = u64::try_from(pages).ok()?.checked_mul(u64::try_from(size).ok()?)?;
    let info = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let available = info.lines().find_map(|l| l.strip_prefix("MemAvailable:"));
    let available = available.and_then(|l| l.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    Some(available.map_or(physical, |kb| kb * 1024))
}
