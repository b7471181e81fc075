//! What Linux knows about files and descriptors and has no safe interface for. This crate's only unsafe code.

#![allow(unsafe_code, reason = "system calls that no safe crate has")]

use std::fs::File;

/// How many pages of the first `len` bytes of `file` are in the page cache, whoever put them there. A page that `len` ends in counts.
///
/// Nothing where the system cannot tell: other systems than Linux, and files that are neither ours nor writable (a kernel
/// answers for those only to whom they might as well ask by the clock).
pub fn cached_pages(file: &File, len: u64) -> Option<u64> {
    if len == 0 {
        return Some(0);
    }
    #[cfg(target_os = "linux")]
    return linux::cachestat(file, len).or_else(|| linux::mincore(file, len));
    #[cfg(not(target_os = "linux"))]
    {
        let _ = file;
        None
    }
}

/// Whether reads of `file` with `O_DIRECT` go past the page cache. Some file systems take the flag and read through the cache
/// nevertheless, ext4 with `data=journal` for one.
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

/// Whether descriptor `fd` (0 to 2) was closed when the program started. The standard library opens `/dev/null` in the place of such
/// descriptors, and what is read or written there would look like success.
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

    // SAFETY: the C library calls what it finds in this section once, before `main`, as functions with the C convention; this one uses
    // nothing of Rust's run time, only a system call and an atomic variable.
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

    pub(super) fn cachestat(file: &File, len: u64) -> Option<u64> {
        let range = Range { from: 0, len };
        let mut counts = Counts::default();
        // SAFETY: the kernel reads one `struct cachestat_range` and writes one `struct cachestat`, which these two are; both live
        // through the call. The last argument is flags, of which there are none.
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

    fn page_size() -> Option<usize> {
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
        // SAFETY: the name is empty and ends with a zero, the structure is the kernel's own, and both live through the call.
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
                    if let Some(cached) = cachestat(&file, len) {
                        assert_eq!(cached, pages, "{n} bytes");
                    }
                }
            }
        }
    }
}
