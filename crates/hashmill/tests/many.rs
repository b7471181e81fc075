//! Many messages at once: short, long and mixed, from slices and from one buffer.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use hashmill::{Algorithm, Error, digest_many, digest_many_into};

/// Messages of the lengths given, cut from one buffer, with the offsets between them.
fn messages(lengths: impl IntoIterator<Item = usize>) -> (Vec<u64>, Vec<u8>) {
    let mut offsets = vec![0];
    for n in lengths {
        offsets.push(offsets[offsets.len() - 1] + n as u64);
    }
    let bytes = (0..offsets[offsets.len() - 1]).map(|i| ((i * 31) ^ (i >> 8)) as u8).collect();
    (offsets, bytes)
}

/// All ways to hash many messages give what hashing each by itself gives.
fn check(a: Algorithm, offsets: &[u64], bytes: &[u8], what: &str) {
    let slices: Vec<&[u8]> = offsets.windows(2).map(|w| &bytes[w[0] as usize..w[1] as usize]).collect();
    let many = digest_many(a, &slices);
    let mut into = vec![0; many.as_bytes().len()];
    digest_many_into(a, offsets, bytes, &mut into).unwrap();
    assert!(into == many.as_bytes(), "{a}, {what}");
    for (i, m) in slices.iter().enumerate() {
        assert!(&many[i] == a.digest(m).as_bytes(), "{a}, {what}: message {i} of {} bytes", m.len());
    }
}

#[test]
fn short_messages_of_every_length() {
    // Every length four times, scattered; then every length alone, in order.
    let (scattered, b1) = messages((0..4 * 521).map(|i| i * 197 % 521));
    let (ordered, b2) = messages(0..300);
    for a in Algorithm::all() {
        check(a, &scattered, &b1, "scattered");
        check(a, &ordered, &b2, "ordered");
    }
}

#[test]
fn every_kernel_and_number_of_messages() {
    for a in Algorithm::all() {
        for kernel in a.kernels().iter().filter(|k| k.available) {
            let k = a.with_kernel(kernel.name).unwrap();
            for n in [0, 1, 2, 3, 7, 8, 9, 16, 17, 31, 33, 64, 65, 130, 257] {
                let (offsets, bytes) = messages((0..n).map(|i| 20 + i % 3));
                check(k, &offsets, &bytes, kernel.name);
            }
            let (offsets, bytes) = messages((0..200).map(|i| i * i % 190 + 60 * (i % 5)));
            check(k, &offsets, &bytes, kernel.name);
        }
    }
}

#[test]
fn short_and_long_together() {
    let (offsets, bytes) = messages((0..150).map(|i| if i % 3 == 0 { 40_000 / (i + 1) } else { i * 67 % 2500 }));
    for a in Algorithm::all() {
        check(a, &offsets, &bytes, "mixed");
    }
}

/// Parts of a larger buffer: the first offset need not be 0, and the last not its end.
#[test]
fn a_slice_of_an_array() {
    let (offsets, bytes) = messages((0..100).map(|i| i % 60));
    for name in ["md5", "sha256", "sha3-256", "crc32"] {
        let a: Algorithm = name.parse().unwrap();
        check(a, &offsets[30..70], &bytes, "part");
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let a: Algorithm = "md5".parse().unwrap();
    let mut out = [0xaa; 32];
    let bad = |at, offset| Err(Error::BadOffsets { at, offset, len: 4 });
    assert_eq!(digest_many_into(a, &[0, 2, 5], b"abcd", &mut out), bad(2, 5));
    assert_eq!(digest_many_into(a, &[0, 3, 2], b"abcd", &mut out), bad(2, 2));
    assert_eq!(digest_many_into(a, &[9, 9, 9], b"abcd", &mut out), bad(0, 9));
    assert_eq!(digest_many_into(a, &[3, u64::MAX, 4], b"abcd", &mut out), bad(1, u64::MAX));
    let total = |count, given| Err(Error::WrongTotal { digest_len: 16, count, given });
    assert_eq!(digest_many_into(a, &[0, 2, 4], b"abcd", &mut out[..31]), total(2, 31));
    assert_eq!(digest_many_into(a, &[0, 4], b"abcd", &mut out), total(1, 32));
    assert_eq!(digest_many_into(a, &[], b"abcd", &mut out), total(0, 32));
    assert_eq!(out, [0xaa; 32]);
    assert_eq!(digest_many_into(a, &[], b"", &mut []), Ok(()));
    assert_eq!(digest_many_into(a, &[3], b"abcd", &mut []), Ok(()));
}
