//! Bit messages in pieces of any length, and algorithms that do not accept bits.

use crate::common::{Random, Tier, bits_of, low_bits_first, on_every_kernel, tier};
use hashmill::{Algorithm, Digest, Engine, ErrorKind, Hasher};
use std::collections::BTreeSet;

/// Returns all algorithms that take bits, and some with parameters.
fn algorithms() -> Vec<Algorithm> {
    let more = ["shake128:300", "shake256:137", "skein256-1032", "skein512-224", "skein1024-8", "cubehash8/1-512"];
    let more = more.into_iter().chain(["cubehash80+8/96+32-384"]).map(|n| n.parse().unwrap());
    Algorithm::all().chain(more).filter(|a| a.takes_bits()).collect()
}

fn message(n: usize) -> Vec<u8> {
    (0..n as u32).map(|i| (i.wrapping_mul(0x9e37_79b1) >> 23) as u8).collect()
}

fn at_once(a: Engine, m: &[u8], bits: usize) -> Digest {
    let mut h = a.hasher();
    h.update_bits(bits_of(a.algorithm(), m, 0, bits), bits as u64).unwrap();
    h.finalize()
}

#[test]
fn who_takes_bits() {
    let families: BTreeSet<&str> = algorithms().iter().map(|a| a.family()).collect();
    let expected = [
        "BLAKE", "CubeHash", "Groestl", "JH", "Keccak", "MD", "RIPEMD", "SHA-0", "SHA-1", "SHA-2", "SHA-3", "SM3",
        "Skein", "Whirlpool",
    ];
    assert_eq!(families, expected.into());
    for a in Algorithm::all().filter(|a| families.contains(a.family())) {
        assert_eq!(a.takes_bits(), a.base_name() != "md2", "{a}");
    }
}

/// Every length up to two blocks and 17 bits, bit by bit and at once.
#[test]
fn bits_one_by_one() {
    for a in algorithms() {
        let m = message(2 * a.block_len() + 3);
        let mut h = Hasher::new(a);
        let mut seen = BTreeSet::new();
        for bits in 0..=16 * a.block_len() + 17 {
            if tier() != Tier::Quick || bits % 64 < 9 {
                let digest = h.finalize();
                assert_eq!(digest, at_once(a.into(), &m, bits), "{a}, {bits} bits");
                if bits % 8 == 0 {
                    assert_eq!(digest, a.digest(&m[..bits / 8]), "{a}, {bits} bits");
                }
                // All digests are distinct if they are long enough for that.
                assert!(seen.insert(digest.as_bytes().to_vec()) || a.digest_len() < 8, "{a}, {bits} bits");
            }
            h.update_bits(bits_of(a, &m, bits, 1), 1).unwrap();
        }
    }
}

/// The same on every kernel, in pieces of any length, with whole bytes among them, clones and resets.
#[test]
fn bits_in_pieces() {
    let mut random = Random::new(18);
    for a in algorithms() {
        let block = 8 * a.block_len();
        let m = message(1200);
        for k in on_every_kernel(a) {
            for bits in [3, block - 1, block, block + 1, block + 8, 2 * block - 7, 3 * block + 5, 9001] {
                let expect = at_once(k, &m, bits);
                assert_eq!(expect, at_once(a.into(), &m, bits), "{k:?}, {bits} bits");
                let mut h = k.hasher();
                h.update_bits([0x5a], 5).unwrap();
                h.reset();
                let mut at = 0;
                while at < bits {
                    let longest = [7, 100, 3000][random.below(3)];
                    let mut n = (1 + random.below(longest)).min(bits - at);
                    if n >= 8 && random.below(2) == 0 {
                        n -= n % 8;
                        h.update(bits_of(a, &m, at, n));
                    } else {
                        h.update_bits(bits_of(a, &m, at, n), n as u64).unwrap();
                    }
                    at += n;
                    let twin = h.clone();
                    h.update_bits([0x3c], 7).unwrap();
                    h = twin;
                }
                assert_eq!(h.finalize(), expect, "{k:?}, {bits} bits");
            }
        }
    }
}

#[test]
fn whole_bytes_are_bytes() {
    let m = message(777);
    for a in algorithms() {
        for n in [0, 1, a.block_len(), 777] {
            let mut h = Hasher::new(a);
            h.update_bits(&m[..n], 8 * n as u64).unwrap();
            assert_eq!(h.finalize(), a.digest(&m[..n]), "{a}, {n} bytes");
            // An update with no bits changes nothing, even in the middle of a byte.
            h.update_bits([0xff], 1).unwrap();
            let digest = h.finalize();
            h.update_bits([], 0).unwrap();
            h.update([]);
            assert_eq!(h.finalize(), digest, "{a}, {n} bytes");
        }
    }
}

/// The bit order within a byte: five bits, and the byte that results from three more.
#[test]
fn order_within_a_byte() {
    for a in algorithms() {
        let mut h = Hasher::new(a);
        let [five, three] = if low_bits_first(a) { [0b0001_0011, 0b101] } else { [0b1001_1000, 0b1010_0000] };
        h.update_bits([five], 5).unwrap();
        h.update_bits([three], 3).unwrap();
        let byte = if low_bits_first(a) { 0b1011_0011 } else { 0b1001_1101 };
        assert_eq!(h.finalize(), a.digest(&[byte]), "{a}");
    }
}

/// Bits together with keys and salts, and output that is read in pieces.
#[test]
fn bits_beside_other_inputs() {
    let m = message(200);
    for (name, key, salt) in
        [("skein512-256", 40, 0), ("skein1024-1024", 200, 0), ("blake256", 0, 16), ("blake512", 0, 32)]
    {
        let a: Algorithm = name.parse().unwrap();
        let (key, salt) = (message(key), message(salt));
        for bits in [1, 511, 513, 1030] {
            let hasher = || {
                let b = Hasher::builder(a).salt(&salt);
                if key.is_empty() { b } else { b.key(&key) }.build().unwrap()
            };
            let (mut h, mut pieces) = (hasher(), hasher());
            h.update_bits(bits_of(a, &m, 0, bits), bits as u64).unwrap();
            for i in 0..bits {
                pieces.update_bits(bits_of(a, &m, i, 1), 1).unwrap();
            }
            assert_eq!(h.finalize(), pieces.finalize(), "{name}, {bits} bits");
            assert_ne!(h.finalize(), at_once(a.into(), &m, bits), "{name}, {bits} bits");
            h.reset();
            assert_eq!(h.finalize(), hasher().finalize(), "{name}, after a reset");
        }
    }
    for name in ["shake128:1000", "shake256:1000"] {
        let a: Algorithm = name.parse().unwrap();
        for bits in [4, 8 * a.block_len() - 4, 8 * a.block_len() - 1] {
            let mut h = Hasher::new(a);
            h.update_bits(bits_of(a, &m, 0, bits), bits as u64).unwrap();
            let mut out = [0; 1000];
            let mut xof = h.finalize_xof().unwrap();
            for piece in out.chunks_mut(77) {
                xof.fill(piece);
            }
            assert_eq!(out[..], *h.finalize().as_bytes(), "{name}, {bits} bits");
        }
    }
}

#[test]
fn what_cannot_be_is_refused() {
    for a in Algorithm::all().filter(|a| !a.takes_bits()) {
        let mut h = Hasher::new(a);
        // The error does not depend on the number of bits, so that a program meets it with its first message.
        for (bytes, bits) in [(&[][..], 0), (&[0x80][..], 1), (&[0x80][..], 8)] {
            let error = h.update_bits(bytes, bits).unwrap_err();
            assert_eq!((error.kind(), error.kind().code()), (ErrorKind::BadBits, 16), "{a}");
            assert_eq!(error.to_string(), format!("{a}: its messages are whole bytes"));
        }
        assert_eq!(h.finalize(), a.digest(b""), "{a}");
    }
    let mut h = Hasher::new("sha3-256".parse().unwrap());
    for (bytes, bits, says) in [
        (2, 8, "sha3-256: 8 bits fill a buffer of length 1, not 2"),
        (1, 9, "sha3-256: 9 bits fill a buffer of length 2, not 1"),
        (1, 0, "sha3-256: 0 bits fill a buffer of length 0, not 1"),
        (3, u64::MAX, "sha3-256: 18446744073709551615 bits fill a buffer of length 2305843009213693952, not 3"),
    ] {
        let error = h.update_bits(message(bytes), bits).unwrap_err();
        assert_eq!((error.kind(), error.to_string()), (ErrorKind::BadBits, says.into()));
        // The rejected bits left the hasher unchanged.
        assert_eq!(h.finalize(), h.algorithm().digest(b""));
    }
}
