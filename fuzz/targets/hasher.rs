//! `Hasher` on any kernel, fed in pieces, cloned and reset; `Hmac`; `Parts`: all must agree with a one-shot digest by
//! `portable`.
#![no_main]

use hashmill::{Engine, Hasher, Parts};
use hashmill_fuzz::{Bytes, algorithm_and_kernel};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut bytes = Bytes(data);
    let (a, on) = algorithm_and_kernel(&mut bytes);
    let portable = a.with_kernel("portable").expect("every algorithm has it");
    let how = bytes.byte();
    let key = bytes.some();
    let cuts: Vec<usize> = (0..bytes.byte() % 8).map(|_| bytes.below(1 << 12)).collect();
    // Long messages from few bytes, because kernels differ in how they handle many blocks.
    let message = bytes.0.repeat(usize::from(how >> 4) + 1);

    let expect = portable.digest(&message);
    assert_eq!(on.digest(&message), expect, "{on:?}: at once");

    let mut hasher = on.hasher();
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
        if how & 4 == 4 {
            // Exported by one kernel, and imported by another.
            let state = hasher.export().expect("no key");
            hasher = if how & 8 == 8 { portable.import(&state) } else { on.import(&state) }.expect("a state of ours");
        }
    }
    hostile(data);
    hasher.update(rest);
    assert_eq!(hasher.finalize(), expect, "{on:?}: in pieces");
    assert_eq!(hasher.finalize(), expect, "{on:?}: twice");

    keyed(portable, on, key, &message);
    parts(on, &message, &expect);
});

/// Checks that arbitrary bytes as a state give either an error or a working hasher.
fn hostile(data: &[u8]) {
    let mut state = [b"HMST\x01\0", data].concat();
    let crc: hashmill::Algorithm = "crc32c".parse().expect("known");
    state.extend(crc.digest(&state).as_bytes().iter().rev());
    if let Ok(mut h) = Hasher::import(&state) {
        h.update(data);
        h.finalize();
        h.export().expect("no key");
    }
}

fn keyed(portable: Engine, on: Engine, key: &[u8], message: &[u8]) {
    let mac = |a: Engine| {
        a.hmac(key).map(|mut mac| {
            mac.update(message);
            mac.finalize()
        })
    };
    assert_eq!(mac(on), mac(portable), "{on:?}: HMAC");
    let own = |a: Engine| {
        a.builder().key(key).build().map(|mut h| {
            h.update(message);
            h.finalize()
        })
    };
    assert_eq!(own(on), own(portable), "{on:?}: a key of its own");
}

fn parts(on: Engine, message: &[u8], expect: &hashmill::Digest) {
    let Some(mut parts) = on.parts(Parts::SHORTEST) else { return };
    let (whole, last) = message.as_chunks::<{ Parts::SHORTEST }>();
    for (i, bytes) in whole.iter().enumerate() {
        let at = (i * Parts::SHORTEST) as u64;
        assert!(parts.push(on.part(at + 1, bytes).expect("divisible")).is_err(), "{on:?}: a part of elsewhere");
        parts.push(on.part(at, bytes).expect("divisible")).expect("the next part");
    }
    assert_eq!(&parts.finish(last), expect, "{on:?}: in parts");
}
