//! An allocator that counts, for the bytes and allocations per operation.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Number of calls of [`CountingAllocator::counted`] in progress, in all threads.
static COUNTING: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    // Constant and without a destructor, so that accessing it does not allocate, even in a thread that is exiting.
    static COUNTS: Cell<Counts> = const { Cell::new(Counts { bytes: 0, allocations: 0 }) };
}

/// Allocations of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Bytes requested.
    pub bytes: u64,
    /// Number of requests.
    pub allocations: u64,
}

/// The system's allocator, counting requests while [`counted`](CountingAllocator::counted) runs. At other times, it
/// costs one relaxed load per call.
///
/// Only the thread that runs `counted` is counted; a thread that feeds it does not change its figures. A reallocation
/// counts as an allocation of the new size, as in Go, where growing means allocating again. Freed memory is not
/// subtracted. Pages that a program maps itself are not allocations.
///
/// ```
/// use hashmill_bench::{CountingAllocator, Counts};
/// #[global_allocator]
/// static ALLOCATOR: CountingAllocator = CountingAllocator;
///
/// let (v, counts) = CountingAllocator::counted(|| Vec::<u8>::with_capacity(1000));
/// assert_eq!(counts, Counts { bytes: 1000, allocations: 1 });
/// # drop(v);
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct CountingAllocator;

impl CountingAllocator {
    /// Runs `f` and returns what this thread allocated in the meantime.
    pub fn counted<T>(f: impl FnOnce() -> T) -> (T, Counts) {
        struct Counting;
        impl Drop for Counting {
            fn drop(&mut self) {
                COUNTING.fetch_sub(1, Relaxed);
            }
        }
        let before = COUNTS.get();
        COUNTING.fetch_add(1, Relaxed);
        let counting = Counting;
        let value = f();
        drop(counting);
        let after = COUNTS.get();
        let counts = Counts { bytes: after.bytes - before.bytes, allocations: after.allocations - before.allocations };
        (value, counts)
    }

    /// Returns whether this is the program's allocator; if not, nothing is counted.
    pub fn installed() -> bool {
        Self::counted(|| drop(black_box(Box::new(0u8)))).1.allocations == 1
    }
}

#[inline]
fn count(bytes: usize) {
    if COUNTING.load(Relaxed) != 0 {
        let c = COUNTS.get();
        COUNTS.set(Counts { bytes: c.bytes + bytes as u64, allocations: c.allocations + 1 });
    }
}

// SAFETY: every call is passed on to the system's allocator unchanged, and so is its result; counting allocates nothing
// and cannot panic.
unsafe impl GlobalAlloc for CountingAllocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller upholds the contract of alloc, which is the same there.
        unsafe { System.alloc(layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        // SAFETY: as above; the block came from the system's allocator, as all blocks do here.
        unsafe { System.realloc(block, layout, size) }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }
}
