//! Ways to read that the standard library does not support (O_DIRECT, io_uring, mmap), the state of the page cache, and
//! the peak memory of the process.

use std::ffi::{CString, c_int, c_void};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::io::Write as _;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// A mapping of the first bytes of a file; unmapped when dropped.
struct Pages {
    start: NonNull<c_void>,
    len: usize,
}

impl Pages {
    /// Maps `len` bytes, which must not be 0.
    fn map(file: &File, len: usize) -> io::Result<Pages> {
        // SAFETY: a new mapping at an address that the kernel chooses touches no memory that is in use.
        let at = unsafe { libc::mmap(ptr::null_mut(), len, libc::PROT_READ, libc::MAP_PRIVATE, file.as_raw_fd(), 0) };
        match NonNull::new(at) {
            Some(start) if at != libc::MAP_FAILED => Ok(Pages { start, len }),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: mapped by `map` with this length, and unmapped once. Nothing borrows from it any more.
        unsafe { libc::munmap(self.start.as_ptr(), self.len) };
    }
}

/// A memory-mapped file that may shrink in the meantime.
///
/// Touching a page that lies beyond the end of the file, or that cannot be read, raises SIGBUS. A handler replaces
/// everything from that page on with zeros and records that, so that the reader continues undisturbed and
/// [`intact`](Mapping::intact) tells that what it read is worthless. Any other SIGBUS does what it did before. There is
/// only one such mapping at a time.
pub(crate) struct Mapping {
    pages: Option<Pages>,
    _only: MutexGuard<'static, ()>,
}

static ONLY: Mutex<()> = Mutex::new(());
/// Start and end of the guarded mapping; 0 and 0 if there is none.
static GUARDED: (AtomicUsize, AtomicUsize) = (AtomicUsize::new(0), AtomicUsize::new(0));
static BROKEN: AtomicBool = AtomicBool::new(false);
static PAGE: AtomicUsize = AtomicUsize::new(4096);
static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();

extern "C" fn on_bus_error(signal: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
    // SAFETY: the kernel passes a siginfo to a handler with SA_SIGINFO, and for SIGBUS it contains the address.
    let at = unsafe { (*info).si_addr() } as usize;
    let (start, end) = (GUARDED.0.load(SeqCst), GUARDED.1.load(SeqCst));
    if (start..end).contains(&at) {
        let page = at & !(PAGE.load(SeqCst) - 1);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
        // SAFETY: this replaces only pages of the guarded mapping, which consists of plain bytes and is alive as long
        // as it is guarded; mmap is a bare system call, and it is safe to save and restore errno in a handler.
        let replaced = unsafe {
            let errno = errno();
            let saved = *errno;
            let replaced = libc::mmap(page as *mut c_void, end - page, libc::PROT_READ, flags, -1, 0);
            *errno = saved;
            replaced
        };
        if replaced != libc::MAP_FAILED {
            BROKEN.store(true, SeqCst);
            return;
        }
    }
    // Not ours. Restore the previous action: the same instruction faults again, and this handler is out of the way.
    // SAFETY: an action from sigaction, or a zeroed one, which is the default action; sigaction is async-signal-safe.
    unsafe {
        let default = std::mem::zeroed();
        libc::sigaction(signal, BEFORE.get().unwrap_or(&default), ptr::null_mut());
    }
}

/// Returns the address of this thread's errno.
unsafe fn errno() -> *mut c_int {
    #[cfg(target_os = "linux")]
    // SAFETY: no arguments; the address is valid as long as the thread exists.
    return unsafe { libc::__errno_location() };
    #[cfg(not(target_os = "linux"))]
    // SAFETY: as above.
    return unsafe { libc::__error() };
}

fn catch_bus_errors() {
    BEFORE.get_or_init(|| {
        // SAFETY: no memory is involved.
        if let Ok(size @ 1..) = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }) {
            PAGE.store(size, SeqCst);
        }
        // SAFETY: zeroed sigactions are valid; the handler uses only async-signal-safe calls and atomics.
        unsafe {
            let mut before: libc::sigaction = std::mem::zeroed();
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_bus_error as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigemptyset(&mut action.sa_mask);
            libc::sigaction(libc::SIGBUS, &action, &mut before);
            before
        }
    });
}

impl Mapping {
    /// Maps the first `len` bytes of a file, to be read from front to back.
    pub(crate) fn new(file: &File, len: usize) -> io::Result<Mapping> {
        let only = ONLY.lock().unwrap_or_else(PoisonError::into_inner);
        // Discard what happened to an earlier mapping.
        BROKEN.store(false, SeqCst);
        if len == 0 {
            return Ok(Mapping { pages: None, _only: only });
        }
        catch_bus_errors();
        let pages = Pages::map(file, len)?;
        // SAFETY: advice on a mapping of our own. Being only advice, it changes nothing if refused.
        unsafe { libc::madvise(pages.start.as_ptr(), len, libc::MADV_SEQUENTIAL) };
        let start = pages.start.as_ptr() as usize;
        GUARDED.0.store(start, SeqCst);
        // To the end of the last page, like the mapping.
        GUARDED.1.store((start + len).next_multiple_of(PAGE.load(SeqCst)), SeqCst);
        Ok(Mapping { pages: Some(pages), _only: only })
    }

    /// Returns the bytes, which are those of the file at the time of access.
    pub(crate) fn bytes(&self) -> &[u8] {
        match &self.pages {
            // SAFETY: mapped for reading as long as `self` lives; a page that the file no longer has becomes one of
            // zeros. Another program that writes to the file changes bytes here: every byte is a valid u8 at all times,
            // they are only hashed, and no length or index is derived from them.
            Some(p) => unsafe { std::slice::from_raw_parts(p.start.as_ptr().cast(), p.len) },
            None => &[],
        }
    }

    /// Returns whether every page that was accessed was the file's.
    pub(crate) fn intact(&self) -> bool {
        !BROKEN.load(SeqCst)
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // Before the pages are unmapped.
        GUARDED.1.store(0, SeqCst);
        GUARDED.0.store(0, SeqCst);
    }
}

/// Returns the share of a file's pages that is in the page cache, or `None` if the system does not tell (Linux tells
/// only those who own the file or may write to it).
pub(crate) fn resident(file: &File, len: u64) -> io::Result<Option<f64>> {
    let len = usize::try_from(len).map_err(|_| io::ErrorKind::FileTooLarge)?;
    let owner = file.metadata()?.uid();
    // SAFETY: no memory is involved.
    let user = unsafe { libc::geteuid() };
    if cfg!(not(target_os = "linux")) || (user != 0 && user != owner && !may_write(file)) {
        return Ok(None);
    }
    if len == 0 {
        return Ok(Some(1.0));
    }
    let pages = Pages::map(file, len)?;
    // SAFETY: no memory is involved.
    let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
    let mut there = vec![0u8; len.div_ceil(page)];
    // SAFETY: the mapping has `len` bytes, and there is one byte to write to for each of its pages.
    if unsafe { libc::mincore(pages.start.as_ptr(), len, there.as_mut_ptr().cast()) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let n = there.iter().filter(|b| **b & 1 == 1).count();
    Ok(Some(n as f64 / there.len() as f64))
}

fn may_write(file: &File) -> bool {
    let path = CString::new(reopen(file)).unwrap_or_default();
    // SAFETY: a NUL-terminated path.
    unsafe { libc::faccessat(libc::AT_FDCWD, path.as_ptr(), libc::W_OK, libc::AT_EACCESS) == 0 }
}

/// Returns a path that opens the same file again, even if it no longer has a name.
pub(crate) fn reopen(file: &File) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

/// Asks the system to evict a file's pages from the page cache.
pub(crate) fn evict(file: &File) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: no memory is involved.
        match unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED) } {
            0 => Ok(()),
            e => Err(io::Error::from_raw_os_error(e)),
        }
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = file;
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Returns whether the file exists only in memory, so that there is nothing but the page cache.
#[allow(clippy::unnecessary_cast, reason = "the fields' types differ between systems")]
pub(crate) fn in_memory(file: &File) -> bool {
    #[cfg(target_os = "linux")]
    {
        // From linux/magic.h: tmpfs, ramfs, hugetlbfs.
        const IN_MEMORY: [i64; 3] = [0x0102_1994, 0x8584_58f6, 0x9584_58f6];
        // SAFETY: a zeroed statfs is valid, and fstatfs writes no more than one.
        let (failed, kind) = unsafe {
            let mut s: libc::statfs = std::mem::zeroed();
            (libc::fstatfs(file.as_raw_fd(), &mut s) != 0, s.f_type)
        };
        !failed && IN_MEMORY.contains(&(kind as i64 & 0xffff_ffff))
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = file;
        false
    }
}

/// Returns how many bytes this user can still write to the file system of `file`.
#[allow(clippy::unnecessary_cast, reason = "the fields' types differ between systems")]
pub(crate) fn space_left(file: &File) -> io::Result<u64> {
    // SAFETY: a zeroed statvfs is valid, and fstatvfs writes no more than one.
    let (failed, s) = unsafe {
        let mut s: libc::statvfs = std::mem::zeroed();
        (libc::fstatvfs(file.as_raw_fd(), &mut s) != 0, s)
    };
    if failed {
        return Err(io::Error::last_os_error());
    }
    Ok((s.f_bavail as u64).saturating_mul(s.f_frsize as u64))
}

/// Alignment that O_DIRECT requires of addresses and offsets, on every device so far.
pub(crate) const DIRECT_ALIGNMENT: usize = 4096;

/// Opens a file for reads that bypass the page cache.
pub(crate) fn open_direct(path: &Path) -> io::Result<File> {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        OpenOptions::new().read(true).custom_flags(libc::O_DIRECT).open(path)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = path;
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Makes [`peak_memory`] start over.
pub(crate) fn reset_peak_memory() -> io::Result<()> {
    // Memory that earlier work returned to the allocator is not this work's.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: malloc_trim only gives free memory back to the system.
    unsafe {
        libc::malloc_trim(0);
    }
    // proc(5): writing 5 resets the peak resident set size to the current one.
    OpenOptions::new().write(true).open("/proc/self/clear_refs")?.write_all(b"5")
}

/// Returns the peak resident set size of this process, including file pages that it mapped.
pub(crate) fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

#[cfg(target_os = "linux")]
pub(crate) use ring::Ring;

#[cfg(target_os = "linux")]
mod ring {
    use io_uring::{IoUring, opcode, types};
    use std::fs::File;
    use std::io;
    use std::os::fd::AsRawFd as _;
    use std::{mem, slice};

    /// An io_uring: the kernel performs reads while the data of earlier ones is being hashed.
    pub(crate) struct Ring(IoUring);

    /// State of a read.
    #[derive(Clone, Copy, Default)]
    struct Slot {
        offset: u64,
        wanted: usize,
        read: usize,
    }

    impl Ring {
        /// Number of reads in flight.
        const DEPTH: usize = 4;
        /// Bytes per read.
        const CHUNK: usize = 256 << 10;

        /// Creates a ring. Returns the reason if the kernel does not support or allow it.
        pub(crate) fn new() -> Result<Ring, String> {
            IoUring::new(Ring::DEPTH as u32).map(Ring).map_err(|e| Ring::reason(&e))
        }

        /// Explains why a ring could not be created.
        fn reason(e: &io::Error) -> String {
            match e.raw_os_error() {
                Some(libc::ENOSYS) => "this kernel has none".into(),
                Some(libc::EPERM | libc::EACCES) => {
                    "not allowed here (a seccomp filter, as in many containers, or sysctl kernel.io_uring_disabled)"
                        .into()
                }
                Some(libc::ENOMEM) => "the limit of locked memory is too low for it (ulimit -l)".into(),
                _ => e.to_string(),
            }
        }

        /// Reads the first `len` bytes of a file into fresh buffers and passes them on in order. Returns the number of
        /// bytes passed on, which is less than `len` if the file ends earlier.
        pub(crate) fn read(
            &mut self,
            file: &File,
            len: u64,
            each: impl FnMut(&[u8]) -> io::Result<()>,
        ) -> io::Result<u64> {
            let chunks = usize::try_from(len.div_ceil(Ring::CHUNK as u64)).map_err(|_| io::ErrorKind::FileTooLarge)?;
            let mut buffer = vec![0u8; Ring::CHUNK * Ring::DEPTH.min(chunks)];
            let mut flying = 0;
            let done = self.pump(file, len, chunks, &mut buffer, &mut flying, each);
            // The kernel writes to the buffer until the last read has completed, whatever else has gone wrong.
            while flying > 0 {
                if let Err(e) = self.wait(1) {
                    mem::forget(buffer);
                    return Err(e);
                }
                flying -= self.0.completion().count();
            }
            done
        }

        fn pump(
            &mut self,
            file: &File,
            len: u64,
            chunks: usize,
            buffer: &mut [u8],
            flying: &mut usize,
            mut each: impl FnMut(&[u8]) -> io::Result<()>,
        ) -> io::Result<u64> {
            let base = buffer.as_mut_ptr();
            let mut slots = [Slot::default(); Ring::DEPTH];
            let (mut begun, mut handed_on) = (0, 0);
            for chunk in 0..chunks {
                while begun < chunks.min(chunk + Ring::DEPTH) {
                    let offset = (begun * Ring::CHUNK) as u64;
                    let wanted = Ring::CHUNK.min((len - offset) as usize);
                    let slot = begun % Ring::DEPTH;
                    slots[slot] = Slot { offset, wanted, read: 0 };
                    self.push(file, base, slot, slots[slot], flying)?;
                    begun += 1;
                }
                self.wait(0)?;
                let slot = chunk % Ring::DEPTH;
                while slots[slot].read < slots[slot].wanted {
                    self.wait(1)?;
                    loop {
                        let Some(entry) = self.0.completion().next() else { break };
                        *flying -= 1;
                        let i = entry.user_data() as usize;
                        match usize::try_from(entry.result()) {
                            // The file has shrunk.
                            Ok(0) => slots[i].wanted = slots[i].read,
                            Ok(n) => slots[i].read += n,
                            Err(_) if [libc::EINTR, libc::EAGAIN].contains(&-entry.result()) => {}
                            Err(_) => return Err(io::Error::from_raw_os_error(-entry.result())),
                        }
                        if slots[i].read < slots[i].wanted {
                            self.push(file, base, i, slots[i], flying)?;
                        }
                    }
                }
                let n = slots[slot].read;
                // SAFETY: these are `n` bytes of this slot's part of the buffer, which the kernel has written; its read
                // has completed, and the next one starts only after this borrow has ended.
                each(unsafe { slice::from_raw_parts(base.add(slot * Ring::CHUNK), n) })?;
                handed_on += n as u64;
                if (n as u64) < Ring::CHUNK as u64 {
                    break;
                }
            }
            Ok(handed_on)
        }

        /// Submits what was pushed, and waits until at least `n` reads have completed or a signal arrives.
        fn wait(&mut self, n: usize) -> io::Result<()> {
            match self.0.submit_and_wait(n) {
                Err(e) if e.kind() != io::ErrorKind::Interrupted => Err(e),
                _ => Ok(()),
            }
        }

        fn push(&mut self, file: &File, base: *mut u8, slot: usize, s: Slot, flying: &mut usize) -> io::Result<()> {
            // SAFETY: within the buffer: the slot is below DEPTH and the number of chunks, and `wanted` is at most
            // CHUNK.
            let to = unsafe { base.add(slot * Ring::CHUNK + s.read) };
            let read = opcode::Read::new(types::Fd(file.as_raw_fd()), to, (s.wanted - s.read) as u32)
                .offset(s.offset + s.read as u64)
                .build()
                .user_data(slot as u64);
            // SAFETY: the buffer outlives the read: `Ring::read` waits for all reads, or never frees it. The file stays
            // open until then. No other read in flight uses this part of the buffer.
            unsafe { self.0.submission().push(&read) }.map_err(|_| io::Error::other("io_uring: the queue is full"))?;
            *flying += 1;
            Ok(())
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn reasons_are_named() {
            let reason = |code| Ring::reason(&io::Error::from_raw_os_error(code));
            assert_eq!(reason(libc::ENOSYS), "this kernel has none");
            assert!(reason(libc::EPERM).contains("seccomp") && reason(libc::EPERM).contains("io_uring_disabled"));
            assert!(reason(libc::ENOMEM).contains("ulimit -l"));
            assert!(reason(libc::EMFILE).contains("open files"));
        }
    }
}

/// A stand-in, because io_uring exists only on Linux.
#[cfg(not(target_os = "linux"))]
pub(crate) struct Ring;

#[cfg(not(target_os = "linux"))]
impl Ring {
    pub(crate) fn new() -> Result<Ring, String> {
        Err("this system has none".into())
    }

    pub(crate) fn read(&mut self, _: &File, _: u64, _: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<u64> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mapped_file_that_shrinks_reads_as_zeros() {
        let mut file = tempfile::tempfile().unwrap();
        let page = 4096 * 16;
        file.write_all(&vec![7; 4 * page]).unwrap();
        let mapping = Mapping::new(&file, 4 * page).unwrap();
        assert!(mapping.bytes()[..page].iter().all(|b| *b == 7) && mapping.intact());
        file.set_len(page as u64).unwrap();
        // Through a black box, because the compiler may assume that bytes it has read once do not change.
        let bytes = std::hint::black_box(mapping.bytes());
        assert!(bytes[..page].iter().all(|b| *b == 7));
        assert!(bytes[2 * page..].iter().all(|b| *b == 0));
        assert!(!mapping.intact());
        drop(mapping);
        let empty = Mapping::new(&file, 0).unwrap();
        assert!(empty.bytes().is_empty() && empty.intact());
        drop(empty);
        let mapping = Mapping::new(&file, page).unwrap();
        assert!(mapping.bytes().iter().all(|b| *b == 7) && mapping.intact());
    }

    #[test]
    fn the_page_cache_can_be_asked() {
        // In the target directory, because /tmp may be a tmpfs.
        let mut file = tempfile::tempfile_in(env!("CARGO_MANIFEST_DIR").to_string() + "/../../target").unwrap();
        let len = 1 << 20;
        file.write_all(&vec![1; len as usize]).unwrap();
        assert_eq!(resident(&file, len).unwrap(), Some(1.0));
        assert!(resident(&file, 0).unwrap().is_some());
        if in_memory(&file) {
            return;
        }
        file.sync_data().unwrap();
        evict(&file).unwrap();
        let left = resident(&file, len).unwrap().unwrap();
        // A file system may refuse to evict pages, and then nothing has changed.
        assert!(left <= 0.01 || left == 1.0, "{left}");
        assert_eq!(fs::read(reopen(&file)).unwrap(), vec![1; len as usize]);
        assert!(resident(&file, len).unwrap().unwrap() > 0.99);
    }

    #[test]
    fn the_peak_follows_what_is_used() {
        if reset_peak_memory().is_err() {
            println!("skipped: /proc/self/clear_refs is not there");
            return;
        }
        // Other tests of this program may free memory in between, but not in every round.
        let growth = || {
            reset_peak_memory().unwrap();
            let before = peak_memory().unwrap();
            let block = std::hint::black_box(vec![1u8; 64 << 20]);
            let peak = peak_memory().unwrap();
            drop(block);
            peak.saturating_sub(before)
        };
        let rounds: Vec<u64> = (0..20).map(|_| growth()).collect();
        assert!(rounds.iter().any(|&grown| grown > 60 << 20), "{rounds:?}");
    }
}
