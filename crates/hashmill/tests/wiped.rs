//! Keys, and what they have gone into, are overwritten before their memory is given back. Copies that the compiler
//! leaves on the stack are beyond a library's reach.
#![allow(
    unsafe_code,
    reason = "an allocator that looks at what is given back, and a look at values that have been dropped"
)]

use hashmill::{Algorithm, Engine, Hasher, Hmac};
use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::mem::{MaybeUninit, size_of};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Looks for the key in everything that is given back.
struct Watching;

static FOUND: AtomicUsize = AtomicUsize::new(0);
/// The length of the last one that had it.
static LENGTH: AtomicUsize = AtomicUsize::new(0);
static LOOKED: AtomicUsize = AtomicUsize::new(0);

/// A key that stands nowhere by chance; every eight bytes of it are its own.
const KEY: [u8; 32] = *b"\x8b\x1d\xe4\x72\x39\xc0\x5a\x97\xfe\x21\x6d\xb3\x48\x0f\xd5\x8a\x13\xe9\x7c\x46\xa2\x3b\xf0\x55\x9d\x67\xc8\x0e\xb1\x54\x2a\xdf";

fn has_key(bytes: &[u8]) -> bool {
    // As it is, and as HMAC pads it.
    let piece = |at: usize, pad: u8| -> [u8; 8] { std::array::from_fn(|i| KEY[at + i] ^ pad) };
    bytes.windows(8).any(|w| [0, 0x36, 0x5c].iter().any(|&pad| [0, 8, 16, 24].iter().any(|&at| w == piece(at, pad))))
}

// SAFETY: everything is the system's; what is given back is only read, and was written by whoever had it or zeroed when
// it was given.
unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises. Zeroed, so that all of it may be read later.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller gives back what `alloc` gave, of this layout.
        let bytes = unsafe { std::slice::from_raw_parts(at, layout.size()) };
        LOOKED.fetch_add(1, Relaxed);
        if has_key(bytes) {
            FOUND.fetch_add(1, Relaxed);
            LENGTH.store(bytes.len(), Relaxed);
        }
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Watching = Watching;

/// The tests count what is found, so they take turns.
static TURN: Mutex<()> = Mutex::new(());

fn found(work: impl FnOnce()) -> usize {
    FOUND.store(0, Relaxed);
    work();
    FOUND.load(Relaxed)
}

/// All that take a key, on every kernel of one message.
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
    // The watch works.
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
            // Where less than the whole value is used, the rest is whatever was on the stack when it was made.
            if a.algorithm().family() == "BLAKE3" {
                drop((Box::new(h), Box::new(twin)));
            }
        });
        assert_eq!(left, 0, "{a:?}, {} bytes", LENGTH.load(Relaxed));
    }
    assert!(LOOKED.load(Relaxed) > 20);
}

/// How many bytes of a hasher, one after the other, are those of the message that it was given here.
fn nines(h: &Hasher) -> usize {
    let at = std::ptr::from_ref(h).cast::<u8>();
    // SAFETY: it is there; padding and what it has no use for may never have been written, so each byte is read on its
    // own, as bytes that may be anything.
    let bytes: Vec<u8> = (0..size_of::<Hasher>()).map(|i| unsafe { at.add(i).read_volatile() }).collect();
    bytes.split(|&b| b != 9).map(<[u8]>::len).max().unwrap_or(0)
}

/// The value itself: its state does not hold the key, but whoever has it can go on with the message.
#[test]
fn a_dropped_state_is_gone() {
    let _turn = TURN.lock().unwrap_or_else(|e| e.into_inner());
    /// The bytes of a value before and after it was dropped.
    fn bytes_around_drop<T>(value: T) -> (Vec<u8>, Vec<u8>) {
        let mut place = Box::new(MaybeUninit::<T>::zeroed());
        place.write(value);
        let look = |place: &MaybeUninit<T>| {
            // SAFETY: the place was zeroed, and what was written to it may have left padding as it was; bytes may be
            // read as such.
            unsafe { std::slice::from_raw_parts(place.as_ptr().cast::<u8>(), size_of::<T>()) }.to_vec()
        };
        let before = look(&place);
        // SAFETY: written above, and not used as a `T` again.
        unsafe { place.assume_init_drop() };
        (before, look(&place))
    }
    // A state, and the end of the message that is waiting: bytes that are something before and nothing afterwards. What
    // the value has no use for was on the stack when it was made, and stays.
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
        // Three states, and what was left of the message; words that say what it is stay.
        assert!(set(&before) >= set(&after) + 3 * 14 + 40, "{name}: {} then {}", set(&before), set(&after));
    }
    // Overwritten by a shorter state, nothing of it is left beyond that.
    let a: Algorithm = "blake2b".parse().expect("known");
    let mut h = Hasher::builder(a).key(&KEY).build().expect("a key");
    h.update([9; 500]);
    // What it has no use for was on the stack, where a few bytes may be nines by chance.
    let before = nines(&h);
    h.clone_from(&Hasher::new("crc32".parse().expect("known")));
    assert!(before >= 116 && nines(&h) < 16, "{before} then {}", nines(&h));
    // Without a key there is nothing to hide, and nothing is spent on it.
    let mut h = Hasher::new("sha256".parse().expect("known"));
    h.update([9; 500]);
    let (before, after) = bytes_around_drop(h);
    assert_eq!(before, after);
}
