//! `Hasher` on any kernel, fed in any pieces, cloned and reset; `Hmac`; `Parts`: all say what `portable` says at once.
#![no_main]

use hashmill::{Algorithm, Hasher, Hmac, Parts};
use hashmill_fuzz::{Bytes, algorithm_and_kernel};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut bytes = Bytes(data);
    let (a, on) = algorithm_and_kernel(&mut bytes);
    let portable = a.with_kernel("portable").expect("every algorithm has it");
    let how = bytes.byte();
    let key = bytes.some();
    let cuts: Vec<usize> = (0..bytes.byte() % 8).map(|_| bytes.below(1 << 12)).collect();
    // Long messages of few bytes: kernels differ where blocks are many.
    let message = bytes.0.repeat(usize::from(how >> 4) + 1);

    let expect = portable.digest(&message);
    assert_eq!(on.digest(&message), expect, "{on:?}: at once");

    let mut hasher = Hasher::new(on);
    if how & 1 == 1 {
        hasher.update(key);
        hasher.reset();
    }
    let mut rest = &message[..];
    for cut in cuts {
        let (piece, after) = rest.split_at(cut.min(rest.len()));
        hasher.update(piece);
        rest = after;
        if how & 2 == 2 {
            let clone = hasher.clone();
            hasher.update(b"not of this message");
            hasher = clone;
        }
    }
    hasher.update(rest);
    assert_eq!(hasher.finalize(), expect, "{on:?}: in pieces");
    assert_eq!(hasher.finalize(), expect, "{on:?}: twice");

    keyed(portable, on, key, &message);
    parts(on, &message, &expect);
});

fn keyed(portable: Algorithm, on: Algorithm, key: &[u8], message: &[u8]) {
    let mac = |a| {
        Hmac::new(a, key).map(|mut mac| {
            mac.update(message);
            mac.finalize()
        })
    };
    assert_eq!(mac(on), mac(portable), "{on:?}: HMAC");
    let own = |a| {
        Hasher::with_key(a, key).map(|mut h| {
            h.update(message);
            h.finalize()
        })
    };
    assert_eq!(own(on), own(portable), "{on:?}: a key of its own");
}

fn parts(on: Algorithm, message: &[u8], expect: &hashmill::Digest) {
    let Some(mut parts) = Parts::new(on, Parts::SHORTEST) else { return };
    let (whole, last) = message.as_chunks::<{ Parts::SHORTEST }>();
    for (i, bytes) in whole.iter().enumerate() {
        let at = (i * Parts::SHORTEST) as u64;
        assert!(parts.push(on.part(at + 1, bytes).expect("divisible")).is_err(), "{on:?}: a part of elsewhere");
        parts.push(on.part(at, bytes).expect("divisible")).expect("the next part");
    }
    assert_eq!(&parts.finish(last), expect, "{on:?}: in parts");
}
