//! What Linux knows about files and descriptors and has no safe interface for. This crate's only unsafe code.

#![allow(unsafe_code, reason = "system calls that no safe crate has")]

use std::fs::File;

/// Bytes of a long file that are mapped at once: few, since they count as memory in use, but enough that unmapping
/// them, which interrupts the other threads, is rare. (BLAKE3 of 4 GiB by two threads: 2 MiB 0.59 s, 8 MiB 0.56 s.)
pub(crate) const MAPPED: usize = 8 << 20;

/// Whether this process may read long files by mapping them into its address space where they are in the page cache,
/// which saves a copy of every byte; at first it may not. It takes over the signal SIGBUS when it first does so: a
/// mapped file that is cut short, or a medium that fails, shows in no other way. Other occasions of that signal are
/// left to whoever had it before. A library that works within somebody else's process had better not allow it.
///
/// Only on Linux from 6.5 on, and on machines with 64 bits; elsewhere nothing changes.
pub fn allow_mapping(yes: bool) {
    #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
    mapping::ALLOWED.store(yes, std::sync::atomic::Ordering::Relaxed);
    #[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
    let _ = yes;
}

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
pub(crate) use mapping::Mapping;

/// `MAPPED` bytes of a file, mapped.
#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
pub(crate) enum Mapping {}

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
impl Mapping {
    pub(crate) fn of(_: &File, _: u64) -> Option<Mapping> {
        None
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        match *self {}
    }

    pub(crate) fn is_whole(&self) -> bool {
        match *self {}
    }
}

/// How many pages of the first `len` bytes of `file` are in the page cache, whoever put them there. A page that `len`
/// ends in counts.
///
/// Nothing where the system cannot tell: other systems than Linux, and files that are neither ours nor writable (a
/// kernel answers for those only to whom they might as well ask by the clock).
pub fn cached_pages(file: &File, len: u64) -> Option<u64> {
    if len == 0 {
        return Some(0);
    }
    #[cfg(target_os = "linux")]
    return linux::cachestat(file, 0, len).or_else(|| linux::mincore(file, len));
    #[cfg(not(target_os = "linux"))]
    {
        let _ = file;
        None
    }
}

/// Whether reads of `file` with `O_DIRECT` go past the page cache. Some file systems take the flag and read through the
/// cache nevertheless, ext4 with `data=journal` for one.
///
/// Nothing where the system cannot tell: file systems that do not say, Linux before 6.1, other systems.
pub fn direct_io(file: &File) -> Option<bool> {
    #[cfg(target_os = "linux")]
    return linux::direct_io(file);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = file;
        None
    }
}

/// Whether descriptor `fd` (0 to 2) was closed when the program started. The standard library opens `/dev/null` in the
/// place of such descriptors, and what is read or written there would look like success.
pub fn closed_at_start(fd: u8) -> bool {
    #[cfg(target_os = "linux")]
    return linux::CLOSED.load(std::sync::atomic::Ordering::Relaxed) >> fd & 1 == 1;
    #[cfg(not(target_os = "linux"))]
    {
        let _ = fd;
        false
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::c_void;
    use std::fs::File;
    use std::os::fd::AsRawFd as _;
    use std::ptr::{self, NonNull};
    use std::sync::atomic::{AtomicU8, Ordering};

    /// Pages that are looked at at once, and mapped meanwhile.
    const PIECE: usize = 1 << 15;

    /// The same number on every architecture that Rust knows.
    const CACHESTAT: libc::c_long = 451;

    #[repr(C)]
    struct Range {
        from: u64,
        len: u64,
    }

    #[repr(C)]
    #[derive(Default)]
    struct Counts {
        cached: u64,
        dirty: u64,
        under_write: u64,
        evicted: u64,
        recently_evicted: u64,
    }

    /// A bit for each of the standard descriptors that was closed.
    pub(super) static CLOSED: AtomicU8 = AtomicU8::new(0);

    // SAFETY: the C library calls what it finds in this section once, before `main`, as functions with the C
    // convention; this one uses nothing of Rust's run time, only a system call and an atomic variable.
    #[used]
    #[unsafe(link_section = ".init_array")]
    static AT_START: extern "C" fn() = note_closed;

    extern "C" fn note_closed() {
        for fd in 0..3 {
            // SAFETY: it takes any number for a descriptor.
            if unsafe { libc::fcntl(fd, libc::F_GETFD) } == -1 {
                CLOSED.fetch_or(1 << fd, Ordering::Relaxed);
            }
        }
    }

    pub(super) fn cachestat(file: &File, from: u64, len: u64) -> Option<u64> {
        let range = Range { from, len };
        let mut counts = Counts::default();
        // SAFETY: the kernel reads one `struct cachestat_range` and writes one `struct cachestat`, which these two are;
        // both live through the call. The last argument is flags, of which there are none.
        let result = unsafe { libc::syscall(CACHESTAT, file.as_raw_fd(), &raw const range, &raw mut counts, 0) };
        (result == 0).then_some(counts.cached)
    }

    pub(super) fn mincore(file: &File, len: u64) -> Option<u64> {
        let page = page_size()?;
        // Where the kernel does not want to answer, it says that every page is there: also one beyond the file's end.
        let end = file.metadata().ok()?.len().checked_next_multiple_of(page as u64)?;
        if resident(file, end, page, 1)? > 0 {
            return None;
        }
        let pages = len.min(end).div_ceil(page as u64);
        let mut total = 0;
        let mut at = 0;
        while at < pages {
            let n = (pages - at).min(PIECE as u64) as usize;
            total += resident(file, at * page as u64, page, n)?;
            at += n as u64;
        }
        Some(total)
    }

    pub(super) fn page_size() -> Option<usize> {
        // SAFETY: it has no preconditions.
        usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok().filter(|n| *n > 0)
    }

    /// How many of `n` pages, at most `PIECE`, from byte `from` on are in the page cache.
    fn resident(file: &File, from: u64, page: usize, n: usize) -> Option<u64> {
        let pages = Pages::map(file, from, n * page)?;
        let mut found = vec![0u8; n];
        // SAFETY: the range is mapped as long as `pages` lives, and there is a byte for each of its pages.
        let result = unsafe { libc::mincore(pages.start.as_ptr(), pages.len, found.as_mut_ptr()) };
        (result == 0).then(|| found.iter().map(|b| u64::from(b & 1)).sum())
    }

    /// A part of a file in the address space, which nobody reads; unmapped when dropped.
    struct Pages {
        start: NonNull<c_void>,
        len: usize,
    }

    impl Pages {
        fn map(file: &File, from: u64, len: usize) -> Option<Pages> {
            let from = libc::off_t::try_from(from).ok()?;
            // SAFETY: a new mapping at an address that the kernel chooses touches no memory that is in use.
            let at =
                unsafe { libc::mmap(ptr::null_mut(), len, libc::PROT_NONE, libc::MAP_SHARED, file.as_raw_fd(), from) };
            NonNull::new(at).filter(|_| at != libc::MAP_FAILED).map(|start| Pages { start, len })
        }
    }

    impl Drop for Pages {
        fn drop(&mut self) {
            // SAFETY: mapped by `map` with this length, and unmapped once.
            unsafe { libc::munmap(self.start.as_ptr(), self.len) };
        }
    }

    pub(super) fn direct_io(file: &File) -> Option<bool> {
        // SAFETY: a structure of integers; zeros are a value.
        let mut s: libc::statx = unsafe { std::mem::zeroed() };
        // SAFETY: the name is empty and ends with a zero, the structure is the kernel's own, and both live through the
        // call.
        let result = unsafe {
            libc::statx(file.as_raw_fd(), c"".as_ptr(), libc::AT_EMPTY_PATH, libc::STATX_DIOALIGN, &raw mut s)
        };
        (result == 0 && s.stx_mask & libc::STATX_DIOALIGN != 0)
            .then_some(s.stx_dio_mem_align != 0 && s.stx_dio_offset_align != 0)
    }

    #[cfg(test)]
    mod tests {
        use super::{cachestat, mincore};
        use std::fs::{self, File};

        #[test]
        fn both_ways_agree() {
            let dir = tempfile::tempdir().expect("a folder");
            let path = dir.path().join("f");
            // More than one piece, the last page not full; a file that ends before what is asked for.
            for n in [1usize, 4096, 4097, 130 << 20 | 77] {
                fs::write(&path, vec![b'x'; n]).expect("a file");
                let file = File::open(&path).expect("the file");
                let page = super::page_size().expect("a size") as u64;
                let pages = (n as u64).div_ceil(page);
                for len in [n as u64, n as u64 + 3 * page] {
                    assert_eq!(mincore(&file, len), Some(pages), "{n} bytes");
                    // Kernels before 6.5 do not have it.
                    if let Some(cached) = cachestat(&file, 0, len) {
                        assert_eq!(cached, pages, "{n} bytes");
                    }
                }
            }
        }
    }
}

/// Files in the address space, and what becomes of those who read there when the files are gone.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod mapping {
    use super::{MAPPED, linux};
    use std::ffi::{c_int, c_void};
    use std::fs::File;
    use std::os::fd::AsRawFd as _;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed, Ordering::SeqCst};
    use std::{mem, ptr, slice};

    /// Whether the process is ours to map files in.
    pub(super) static ALLOWED: AtomicBool = AtomicBool::new(false);

    /// What is mapped, for the signal's handler, which can neither lock nor allocate.
    struct Slot {
        /// The address; `FREE`, or `CLAIMED` while it is not known.
        start: AtomicUsize,
        /// Pages of it were missing when they were read.
        lost: AtomicBool,
    }

    const FREE: usize = 0;
    const CLAIMED: usize = 1;

    /// As many views there can be at once, one for each thread that hashes; a thread that gets none reads.
    static SLOTS: [Slot; 256] = [const { Slot { start: AtomicUsize::new(FREE), lost: AtomicBool::new(false) } }; 256];

    /// Bytes of a page.
    static PAGE: AtomicUsize = AtomicUsize::new(4096);

    /// What the signal did before; none as long as the handler is not there.
    static BEFORE: OnceLock<Option<libc::sigaction>> = OnceLock::new();

    /// `MAPPED` bytes of a file, mapped.
    pub(crate) struct Mapping {
        slot: &'static Slot,
        start: *mut c_void,
    }

    impl Mapping {
        /// The bytes from `at` on, a multiple of the size of a page. Nothing if they are not all in the page cache, or
        /// if mapping is not allowed or not possible: they are to be read then.
        pub(crate) fn of(file: &File, at: u64) -> Option<Mapping> {
            if !ALLOWED.load(Relaxed) {
                return None;
            }
            let page = linux::page_size().filter(|page| MAPPED.is_multiple_of(*page))?;
            PAGE.store(page, Relaxed);
            if linux::cachestat(file, at, MAPPED as u64)? < (MAPPED / page) as u64 {
                return None;
            }
            (*BEFORE.get_or_init(install))?;
            let from = libc::off_t::try_from(at).ok()?;
            let slot = SLOTS.iter().find(|s| s.start.compare_exchange(FREE, CLAIMED, SeqCst, Relaxed).is_ok())?;
            slot.lost.store(false, SeqCst);
            // SAFETY: a new mapping at an address that the kernel chooses touches no memory that is in use.
            let start = unsafe {
                libc::mmap(ptr::null_mut(), MAPPED, libc::PROT_READ, libc::MAP_SHARED, file.as_raw_fd(), from)
            };
            if start == libc::MAP_FAILED || start.is_null() {
                slot.start.store(FREE, SeqCst);
                return None;
            }
            slot.start.store(start as usize, SeqCst);
            Some(Mapping { slot, start })
        }

        /// What is there: the file's bytes, or zeros for such as are gone. Somebody may write to the file at the same
        /// time, so what is read twice may differ; kernels read once, and nothing but digests depends on what they
        /// read.
        pub(crate) fn bytes(&self) -> &[u8] {
            // SAFETY: mapped for reading as long as this lives, with this length; the handler puts other pages in the
            // places of those that cannot be read. That the bytes may change is what the comment above is about.
            unsafe { slice::from_raw_parts(self.start.cast(), MAPPED) }
        }

        /// Whether all that has been read so far were bytes of the file.
        pub(crate) fn is_whole(&self) -> bool {
            !self.slot.lost.load(SeqCst)
        }
    }

    impl Drop for Mapping {
        fn drop(&mut self) {
            // SAFETY: mapped by `of` with this length, and unmapped once; nobody has its bytes any more.
            unsafe { libc::munmap(self.start, MAPPED) };
            self.slot.start.store(FREE, SeqCst);
        }
    }

    /// Puts the handler in its place and returns what was there.
    fn install() -> Option<libc::sigaction> {
        // SAFETY: a structure of integers, a set of signals and an address; zeros are a value of each.
        let (mut before, mut ours): (libc::sigaction, libc::sigaction) = unsafe { (mem::zeroed(), mem::zeroed()) };
        ours.sa_sigaction = on_bus as extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) as usize;
        ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        // SAFETY: both structures live through the call; the handler has the signature that SA_SIGINFO asks for.
        let done = unsafe { libc::sigaction(libc::SIGBUS, &raw const ours, &raw mut before) };
        (done == 0).then_some(before)
    }

    /// Puts zeros in the place of pages that are gone, from the one that was read to the end of the view, and notes
    /// that.
    extern "C" fn on_bus(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
        // SAFETY: the kernel hands over its description of the signal; for one that the processor has raised, which has
        // a positive code, that has an address.
        let (code, address) = unsafe { ((*info).si_code, (*info).si_addr() as usize) };
        let within = |slot: &&Slot| {
            let start = slot.start.load(SeqCst);
            start > CLAIMED && (start..start + MAPPED).contains(&address)
        };
        if code > 0
            && let Some(slot) = SLOTS.iter().find(within)
        {
            slot.lost.store(true, SeqCst);
            let page = address - address % PAGE.load(Relaxed);
            let rest = slot.start.load(SeqCst) + MAPPED - page;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
            // SAFETY: these pages belong to a view, which is only read, and whose reader waits for this handler. It is
            // a system call that the C library passes on as it is.
            let put = unsafe { libc::mmap(page as *mut c_void, rest, libc::PROT_READ, flags, -1, 0) };
            if put as usize == page {
                return;
            }
        }
        let before = BEFORE.get().copied().flatten();
        match before.map_or(libc::SIG_DFL, |b| b.sa_sigaction) {
            // Sent by somebody, and not wanted.
            libc::SIG_IGN if code <= 0 => {}
            libc::SIG_DFL | libc::SIG_IGN => {
                // What the processor has raised is raised again when this returns, and ends the process; what somebody
                // has sent is not, so that it is sent again, and comes when this returns. SAFETY: the default is a
                // disposition of every signal, and this may be called where a signal is handled.
                unsafe {
                    libc::signal(signal, libc::SIG_DFL);
                    if code <= 0 {
                        libc::raise(signal);
                    }
                }
            }
            handler if before.is_some_and(|b| b.sa_flags & libc::SA_SIGINFO != 0) => {
                // SAFETY: it was installed as a function of this signature.
                let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) =
                    unsafe { mem::transmute(handler) };
                handler(signal, info, context);
            }
            handler => {
                // SAFETY: it was installed as a function of this signature.
                let handler: extern "C" fn(c_int) = unsafe { mem::transmute(handler) };
                handler(signal);
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use super::{ALLOWED, Mapping};
        use crate::read::sys::MAPPED;
        use std::fs;
        use std::sync::atomic::Ordering::Relaxed;

        #[test]
        fn what_is_gone_is_told() {
            ALLOWED.store(true, Relaxed);
            let dir = tempfile::tempdir().expect("a folder");
            let path = dir.path().join("f");
            fs::write(&path, vec![b'x'; 2 * MAPPED + 1]).expect("a file");
            let file = fs::OpenOptions::new().read(true).write(true).open(&path).expect("the file");
            // Kernels before 6.5 cannot tell what is in the page cache; then nothing is mapped.
            if super::linux::cachestat(&file, 0, 1).is_none() {
                return;
            }
            assert!(Mapping::of(&file, 2 * MAPPED as u64).is_none(), "beyond the end");
            let view = Mapping::of(&file, MAPPED as u64).expect("a view");
            assert!(view.bytes().iter().all(|b| *b == b'x') && view.is_whole());
            file.set_len(MAPPED as u64 + 5000).expect("a shorter file");
            let count = |from: usize, byte| view.bytes()[from..].iter().filter(|b| **b == byte).count();
            assert_eq!((count(0, b'x'), view.is_whole()), (5000, false));
            assert_eq!(count(8192, 0), MAPPED - 8192);
            drop(view);
            // The next one in that slot begins anew.
            let view = Mapping::of(&file, 0).expect("a view");
            assert!(view.bytes().iter().all(|b| *b == b'x') && view.is_whole());
        }
    }
}
