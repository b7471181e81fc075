//! Keys, and everything derived from them, are overwritten before their memory is freed. Copies that the compiler
//! leaves on the stack are beyond a library's reach.
#![allow(
    unsafe_code,
    reason = "an allocator that inspects freed memory, and reads of values that have already been dropped"
)]

use hashmill::{Algorithm, Engine, Hasher, Hmac};
use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::mem::{MaybeUninit, size_of};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// An allocator that searches freed memory for the key while a test of this file runs.
struct Watching;

static IS_WATCHING: AtomicBool = AtomicBool::new(false);
static FOUND: AtomicUsize = AtomicUsize::new(0);
/// The size of the last allocation that contained the key.
static LENGTH: AtomicUsize = AtomicUsize::new(0);
static LOOKED: AtomicUsize = AtomicUsize::new(0);

/// A key that does not occur by chance; any eight bytes of it identify it.
const KEY: [u8; 32] = *b"\x8b\x1d\xe4\x72\x39\xc0\x5a\x97\xfe\x21\x6d\xb3\x48\x0f\xd5\x8a\x13\xe9\x7c\x46\xa2\x3b\xf0\x55\x9d\x67\xc8\x0e\xb1\x54\x2a\xdf";

fn has_key(bytes: &[u8]) -> bool {
    // As it is, and as HMAC pads it.
    let piece = |at: usize, pad: u8| -> [u8; 8] { std::array::from_fn(|i| KEY[at + i] ^ pad) };
    bytes.windows(8).any(|w| [0, 0x36, 0x5c].iter().any(|&pad| [0, 8, 16, 24].iter().any(|&at| w == piece(at, pad))))
}

// SAFETY: everything is delegated to the system allocator; freed memory is only read, and all of it was initialized,
// either by its owner or with zeros when it was allocated.
unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises. Zeroed, so that all of it may be read later.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        if IS_WATCHING.load(Relaxed) {
            // SAFETY: the caller frees what `alloc` returned, with the same layout.
            let bytes = unsafe { std::slice::from_raw_parts(at, layout.size()) };
            LOOKED.fetch_add(1, Relaxed);
            if has_key(bytes) {
                FOUND.fetch_add(1, Relaxed);
                LENGTH.store(bytes.len(), Relaxed);
            }
        }
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Watching = Watching;

/// The tests use the same counters, so they must not run at the same time.
static TURN: Mutex<()> = Mutex::new(());

fn found(work: impl FnOnce()) -> usize {
    FOUND.store(0, Relaxed);
    IS_WATCHING.store(true, Relaxed);
    work();
    IS_WATCHING.store(false, Relaxed);
    FOUND.load(Relaxed)
}

/// All algorithms that take a key, on every single-message kernel.
fn keyed() -> Vec<(Engine, usize)> {
    let mut all = Vec::new();
    for a in Algorithm::all().filter(|a| a.max_key_len() > 0) {
        let length =
            [32, 16, 64].into_iter().find(|&n| Hasher::builder(a).key(&vec![1; n]).build().is_ok()).unwrap_or(136);
        for k in a.kernels().iter().filter(|k| k.available && k.lanes == 1) {
            all.push((a.with_kernel(k.name).expect("available"), length));
        }
    }
    assert!(all.len() > 5);
    all
}

#[test]
fn memory_that_is_given_back_has_no_key_in_it() {
    let _turn = TURN.lock().unwrap_or_else(|e| e.into_inner());
    // The allocator does find keys.
    assert_eq!(found(|| drop(KEY.to_vec())), 1);
    let key_of = |n: usize| KEY.iter().copied().cycle().take(n).collect::<Vec<u8>>();
    for (a, length) in keyed() {
        let key = key_of(length);
        let left = found(|| {
            let mut h = a.builder().key(&key).build().expect("a key");
            h.update([7; 300]);
            let twin = h.clone();
            assert_eq!(h.finalize(), twin.finalize());
            h.reset();
            h.write_all(b"x").expect("no error");
            drop(h.finalize_xof());
            // If less than the whole value is used, the rest is whatever was on the stack when it was created.
            if a.algorithm().family() == "BLAKE3" {
                drop((Box::new(h), Box::new(twin)));
            }
        });
        assert_eq!(left, 0, "{a:?}, {} bytes", LENGTH.load(Relaxed));
    }
    assert!(LOOKED.load(Relaxed) > 20);
}

/// A message whose bytes no other test puts on the stack: on WebAssembly all tests share one.
static MESSAGE: [u8; 500] = [0xd7; 500];

/// Returns the length of the longest run of the message's bytes in a hasher.
fn longest_run(h: &Hasher) -> usize {
    let at = std::ptr::from_ref(h).cast::<u8>();
    // SAFETY: the memory exists; padding and unused parts may never have been written, so each byte is read on its own,
    // as one that may have any value.
    let bytes: Vec<u8> = (0..size_of::<Hasher>()).map(|i| unsafe { at.add(i).read_volatile() }).collect();
    bytes.split(|b| *b != MESSAGE[0]).map(<[u8]>::len).max().unwrap_or(0)
}

/// The hasher itself: its state does not contain the key, but anyone who reads it could continue the message.
#[test]
fn a_dropped_state_is_gone() {
    let _turn = TURN.lock().unwrap_or_else(|e| e.into_inner());
    /// The bytes of a value before and after it is dropped.
    fn bytes_around_drop<T>(value: T) -> (Vec<u8>, Vec<u8>) {
        let mut place = Box::new(MaybeUninit::<T>::zeroed());
        place.write(value);
        let look = |place: &MaybeUninit<T>| {
            // SAFETY: the place was zeroed, and what was written to it may have left padding unchanged; the bytes may
            // be read as such.
            unsafe { std::slice::from_raw_parts(place.as_ptr().cast::<u8>(), size_of::<T>()) }.to_vec()
        };
        let before = look(&place);
        // SAFETY: written above, and not used as a `T` again.
        unsafe { place.assume_init_drop() };
        (before, look(&place))
    }
    // The state and the buffered end of the message: nonzero bytes before, zeros afterwards. Unused parts of the value
    // hold whatever was on the stack when it was created, and stay.
    for (name, wiped) in [("blake2b", 60 + 116), ("blake2s", 29 + 52)] {
        let a: Algorithm = name.parse().expect("known");
        let mut h = Hasher::builder(a).key(&KEY).build().expect("a key");
        h.update([9; 500]);
        let (before, after) = bytes_around_drop(h);
        let set = |b: &[u8]| b.iter().filter(|b| **b != 0).count();
        assert!(set(&before) >= set(&after) + wiped, "{name}: {} then {}", set(&before), set(&after));
    }
    for name in ["md5", "sha256", "sha512", "sha3-256", "blake2b", "whirlpool"] {
        let mut mac = Hmac::new(name.parse().expect("known"), &KEY).expect("a key");
        mac.update([9; 500]);
        let (before, after) = bytes_around_drop(mac);
        let set = |b: &[u8]| b.iter().filter(|b| **b != 0).count();
        // Three states and the rest of the message are wiped; the fields that describe the value remain.
        assert!(set(&before) >= set(&after) + 3 * 14 + 40, "{name}: {} then {}", set(&before), set(&after));
    }
    // After a shorter state is assigned, nothing of the old one is left beyond it. Unused parts of a value hold what
    // was on the stack when it was created, so both are created before there is a message.
    let a: Algorithm = "blake2b".parse().expect("known");
    let shorter = Hasher::new("crc32".parse().expect("known"));
    let mut h = Hasher::builder(a).key(&KEY).build().expect("a key");
    h.update(&MESSAGE[..]);
    let before = longest_run(&h);
    h.clone_from(&shorter);
    assert!(before >= 116 && longest_run(&h) < 16, "{before} then {}", longest_run(&h));
    // Without a key there is nothing to hide, and no time is spent on it.
    let mut h = Hasher::new("sha256".parse().expect("known"));
    h.update([9; 500]);
    let (before, after) = bytes_around_drop(h);
    assert_eq!(before, after);
}
