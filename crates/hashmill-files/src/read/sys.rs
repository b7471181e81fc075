//! What Linux knows about files and descriptors but offers no safe interface for. This is the only unsafe code of this
//! crate.

#![allow(unsafe_code, reason = "system calls that no safe crate has")]

use std::fs::File;
use std::path::Path;

/// Number of bytes of a long file that are mapped at once: few, since they count as memory in use, but enough that
/// unmapping them, which interrupts the other threads, is rare. (BLAKE3 of 4 GiB on two threads: 0.59 s with 2 MiB,
/// 0.56 s with 8 MiB.)
pub(crate) const MAPPED: usize = 8 << 20;

/// Sets whether this process may read long files by mapping them into its address space if they are in the page cache,
/// which saves copying every byte. By default it may not. The first mapping installs a handler for the signal SIGBUS,
/// since nothing else shows that a mapped file has been truncated or that a medium has failed. When the signal has any
/// other cause, it is left to the previous handler. A library that runs within somebody else's process had better not
/// allow mapping.
///
/// Mapping requires Linux 6.5 or later and a 64-bit machine; elsewhere this has no effect.
pub fn allow_mapping(yes: bool) {
    #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
    mapping::ALLOWED.store(yes, std::sync::atomic::Ordering::Relaxed);
    #[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
    let _ = yes;
}

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
pub(crate) use mapping::Mapping;

/// A mapping of `MAPPED` bytes of a file.
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

/// Returns how many pages of the first `len` bytes of `file` are in the page cache, whoever put them there. The page
/// that contains the end counts, too.
///
/// Returns `None` where the system cannot tell: on systems other than Linux, and for files that the caller neither owns
/// nor may write to, about which the kernel does not answer.
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

/// Returns whether files on the file system that has `path` may share blocks (reflinks), as far as the system tells.
pub fn may_share_extents(path: &Path) -> bool {
    #[cfg(target_os = "linux")]
    return linux::may_share_extents(path);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = path;
        false
    }
}

/// Returns where on its device the content of `file` is, if all of it is shared with other files (reflinks): for each
/// extent, its position in the file, its position on the device, and its length, in bytes.
///
/// Returns `None` if any of it is the file's own or not written yet, if it is in more than a million extents, or where
/// the system cannot tell.
pub fn shared_extents(file: &File) -> Option<Vec<(u64, u64, u64)>> {
    #[cfg(target_os = "linux")]
    return linux::shared_extents(file);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = file;
        None
    }
}

/// Returns whether reads of `file` with `O_DIRECT` bypass the page cache. Some file systems accept the flag but read
/// through the cache nevertheless, for instance ext4 with `data=journal`.
///
/// Returns `None` where the system cannot tell: for file systems that do not report it, on Linux before 6.1 and on
/// other systems.
pub fn direct_io(file: &File) -> Option<bool> {
    #[cfg(target_os = "linux")]
    return linux::direct_io(file);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = file;
        None
    }
}

/// Returns whether descriptor `fd` (0 to 2) was closed when the program started. The standard library opens `/dev/null`
/// in place of such descriptors, so that reading or writing there would appear to succeed. Always false on systems
/// other than Linux.
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
    use std::path::Path;
    use std::ptr::{self, NonNull};
    use std::sync::atomic::{AtomicU8, Ordering};

    /// Number of pages that are mapped and checked at once.
    const PIECE: usize = 1 << 15;

    /// Number of the system call, the same on every architecture that Rust supports.
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

    /// One bit for each of the standard descriptors that was closed.
    pub(super) static CLOSED: AtomicU8 = AtomicU8::new(0);

    // SAFETY: the C library calls the functions in this section once, before `main`, with the C calling convention;
    // this one uses nothing of Rust's runtime, only a system call and an atomic variable.
    #[used]
    #[unsafe(link_section = ".init_array")]
    static AT_START: extern "C" fn() = note_closed;

    extern "C" fn note_closed() {
        for fd in 0..3 {
            // SAFETY: any number is accepted as a descriptor.
            if unsafe { libc::fcntl(fd, libc::F_GETFD) } == -1 {
                CLOSED.fetch_or(1 << fd, Ordering::Relaxed);
            }
        }
    }

    pub(super) fn cachestat(file: &File, from: u64, len: u64) -> Option<u64> {
        let range = Range { from, len };
        let mut counts = Counts::default();
        // SAFETY: the kernel reads one `struct cachestat_range` and writes one `struct cachestat`, whose layouts these
        // two have; both outlive the call. The last argument is for flags, and none is set.
        let result = unsafe { libc::syscall(CACHESTAT, file.as_raw_fd(), &raw const range, &raw mut counts, 0) };
        (result == 0).then_some(counts.cached)
    }

    /// The layouts of `struct fiemap` without its extents, and of `struct fiemap_extent`.
    #[repr(C)]
    #[derive(Default)]
    struct Extents {
        start: u64,
        length: u64,
        flags: u32,
        mapped: u32,
        room: u32,
        reserved: u32,
        extents: [Extent; AT_ONCE],
    }

    #[repr(C)]
    #[derive(Clone, Copy, Default)]
    struct Extent {
        logical: u64,
        physical: u64,
        length: u64,
        reserved: [u64; 2],
        flags: u32,
        more_reserved: [u32; 3],
    }

    /// Number of extents that are asked for at a time, and in all.
    const AT_ONCE: usize = 32;
    const MOST_EXTENTS: usize = 1 << 20;

    /// `FS_IOC_FIEMAP`, which is `_IOWR('f', 11, struct fiemap)`.
    const FIEMAP: u64 = if cfg!(any(
        target_arch = "mips",
        target_arch = "mips64",
        target_arch = "powerpc",
        target_arch = "powerpc64",
        target_arch = "sparc64"
    )) {
        0xe020_660b
    } else {
        0xc020_660b
    };
    const LAST: u32 = 1;
    const SHARED: u32 = 0x2000;
    /// Where an extent is cannot be said, or its bytes are not the file's content as they are: unknown, delayed,
    /// inline, with others in one block.
    const NOWHERE: u32 = 0x2 | 0x4 | 0x200 | 0x400;

    pub(super) fn may_share_extents(path: &Path) -> bool {
        // The type of `f_type` differs between platforms; all of the numbers fit into 32 bits.
        #[allow(clippy::unnecessary_cast, reason = "it is needed elsewhere")]
        let kind = rustix::fs::statfs(path).map_or(0, |s| s.f_type as u32);
        // ext4 and tmpfs share nothing.
        ![0xef53, 0x0102_1994].contains(&kind)
    }

    pub(super) fn shared_extents(file: &File) -> Option<Vec<(u64, u64, u64)>> {
        let mut all = Vec::new();
        let mut start = 0;
        loop {
            let mut asked = Extents { start, length: u64::MAX - start, room: AT_ONCE as u32, ..Extents::default() };
            // SAFETY: the kernel reads the head and writes the head and at most `room` extents after it, whose layouts
            // these types have; they outlive the call.
            let result = unsafe { libc::ioctl(file.as_raw_fd(), FIEMAP as _, &raw mut asked) };
            if result != 0 {
                return None;
            }
            let got = asked.extents.get(..asked.mapped as usize)?;
            for extent in got {
                if extent.flags & SHARED == 0 || extent.flags & NOWHERE != 0 || all.len() == MOST_EXTENTS {
                    return None;
                }
                all.push((extent.logical, extent.physical, extent.length));
            }
            let Some(last) = got.last() else { break };
            if last.flags & LAST != 0 {
                break;
            }
            start = last.logical.checked_add(last.length).filter(|next| *next > start)?;
        }
        Some(all).filter(|all| !all.is_empty())
    }

    pub(super) fn mincore(file: &File, len: u64) -> Option<u64> {
        let page = page_size()?;
        // If the kernel refuses to answer, it reports every page as present, even one beyond the end of the file.
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
        // SAFETY: `sysconf` has no preconditions.
        usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok().filter(|n| *n > 0)
    }

    /// Returns how many of `n` pages (at most `PIECE`) from byte `from` on are in the page cache.
    fn resident(file: &File, from: u64, page: usize, n: usize) -> Option<u64> {
        let pages = Pages::map(file, from, n * page)?;
        let mut found = vec![0u8; n];
        // SAFETY: the range is mapped as long as `pages` lives, and `found` has a byte for each of its pages.
        let result = unsafe { libc::mincore(pages.start.as_ptr(), pages.len, found.as_mut_ptr()) };
        (result == 0).then(|| found.iter().map(|b| u64::from(b & 1)).sum())
    }

    /// A part of a file that is mapped without access, and unmapped when dropped.
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
        // SAFETY: all fields are integers, for which zero is a valid value.
        let mut s: libc::statx = unsafe { std::mem::zeroed() };
        // SAFETY: the name is an empty string with its terminating NUL, the structure is the one that the kernel fills,
        // and both outlive the call.
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
            // Up to more than one piece, with a partial last page; also a file that ends before the requested length.
            for n in [1usize, 4096, 4097, 130 << 20 | 77] {
                fs::write(&path, vec![b'x'; n]).expect("a file");
                let file = File::open(&path).expect("the file");
                let page = super::page_size().expect("a size") as u64;
                let pages = (n as u64).div_ceil(page);
                for len in [n as u64, n as u64 + 3 * page] {
                    assert_eq!(mincore(&file, len), Some(pages), "{n} bytes");
                    // Kernels before 6.5 do not have this system call.
                    if let Some(cached) = cachestat(&file, 0, len) {
                        assert_eq!(cached, pages, "{n} bytes");
                    }
                }
            }
        }
    }
}

/// Files mapped into memory, and what happens if pages are lost before they are read.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod mapping {
    use super::{MAPPED, linux};
    use std::ffi::{c_int, c_void};
    use std::fs::File;
    use std::os::fd::AsRawFd as _;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed, Ordering::SeqCst};
    use std::{mem, ptr, slice};

    /// Whether mapping is allowed in this process.
    pub(super) static ALLOWED: AtomicBool = AtomicBool::new(false);

    /// A mapping as the signal handler sees it, which can neither lock nor allocate.
    struct Slot {
        /// The address; or `FREE`, or `CLAIMED` while the address is not known yet.
        start: AtomicUsize,
        /// Whether pages were missing when they were read.
        lost: AtomicBool,
    }

    const FREE: usize = 0;
    const CLAIMED: usize = 1;

    /// Slots for all mappings, of which each hashing thread has at most one. A thread that finds no free slot reads
    /// instead.
    static SLOTS: [Slot; 256] = [const { Slot { start: AtomicUsize::new(FREE), lost: AtomicBool::new(false) } }; 256];

    /// Page size in bytes.
    static PAGE: AtomicUsize = AtomicUsize::new(4096);

    /// The previous disposition of the signal; `None` if the handler could not be installed.
    static BEFORE: OnceLock<Option<libc::sigaction>> = OnceLock::new();

    /// A mapping of `MAPPED` bytes of a file.
    pub(crate) struct Mapping {
        slot: &'static Slot,
        start: *mut c_void,
    }

    impl Mapping {
        /// Maps the bytes from `at` on, which is a multiple of the page size. Returns `None` if they are not all in the
        /// page cache, or if mapping is not allowed or not possible; they have to be read then.
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
            // All pages at once, instead of sixteen with each page fault: what a kernel fetches ahead of time is not
            // fetched from pages that are not mapped yet (2 GiB with BLAKE3: 1.09 times as fast). Older systems refuse.
            // SAFETY: these pages are mapped; a page that is gone is left to the handler.
            unsafe { libc::madvise(start, MAPPED, libc::MADV_POPULATE_READ) };
            Some(Mapping { slot, start })
        }

        /// Returns the bytes of the file, with zeros in place of lost pages. The file may be written to at the same
        /// time, so a byte that is read twice may differ; hash kernels read it once, and only digests depend on what
        /// they read.
        pub(crate) fn bytes(&self) -> &[u8] {
            // SAFETY: mapped for reading, with this length, as long as `self` lives; the handler replaces the pages
            // that cannot be read. The comment above discusses that the bytes may change.
            unsafe { slice::from_raw_parts(self.start.cast(), MAPPED) }
        }

        /// Returns whether all bytes read so far came from the file.
        pub(crate) fn is_whole(&self) -> bool {
            !self.slot.lost.load(SeqCst)
        }
    }

    impl Drop for Mapping {
        fn drop(&mut self) {
            // SAFETY: mapped by `of` with this length, and unmapped once; nobody borrows its bytes any more.
            unsafe { libc::munmap(self.start, MAPPED) };
            self.slot.start.store(FREE, SeqCst);
        }
    }

    /// Installs the handler and returns the previous disposition, or `None` on failure.
    fn install() -> Option<libc::sigaction> {
        // SAFETY: the fields are integers, a set of signals and an address, for all of which zero is a valid value.
        let (mut before, mut ours): (libc::sigaction, libc::sigaction) = unsafe { (mem::zeroed(), mem::zeroed()) };
        ours.sa_sigaction = on_bus as extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) as usize;
        ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        // SAFETY: both structures outlive the call; the handler has the signature that SA_SIGINFO requires.
        let done = unsafe { libc::sigaction(libc::SIGBUS, &raw const ours, &raw mut before) };
        (done == 0).then_some(before)
    }

    /// Replaces the lost pages, from the one that was read to the end of the mapping, with zeros, and notes that.
    extern "C" fn on_bus(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
        // SAFETY: the kernel passes its description of the signal. If the processor raised it, which a positive code
        // shows, the description has an address.
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
            // SAFETY: these pages belong to a mapping that is only read, and whose reader waits for this handler. The C
            // library passes the system call on unchanged.
            let put = unsafe { libc::mmap(page as *mut c_void, rest, libc::PROT_READ, flags, -1, 0) };
            if put as usize == page {
                return;
            }
        }
        let before = BEFORE.get().copied().flatten();
        match before.map_or(libc::SIG_DFL, |b| b.sa_sigaction) {
            // Sent by a process, and to be ignored.
            libc::SIG_IGN if code <= 0 => {}
            libc::SIG_DFL | libc::SIG_IGN => {
                // A signal raised by the processor is raised again when this returns, and ends the process. One that
                // was sent is not, so it is sent again, and delivered when this returns.
                // SAFETY: the default is a valid disposition for every signal, and both functions may be called in a
                // signal handler.
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
            // Kernels before 6.5 do not have this system call; nothing is mapped then.
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
            // The next mapping in that slot starts with its flag cleared.
            let view = Mapping::of(&file, 0).expect("a view");
            assert!(view.bytes().iter().all(|b| *b == b'x') && view.is_whole());
        }
    }
}
