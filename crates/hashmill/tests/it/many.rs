//! Many messages at once: short, long and mixed, from slices and from one buffer.

use crate::common::{Tier, tier};
use hashmill::{Algorithm, Encoding, Engine, Error, digest_many_into, digest_slices_into};

/// Messages of the given lengths, cut from one buffer, with their offsets.
fn messages(lengths: impl IntoIterator<Item = usize>) -> (Vec<u64>, Vec<u8>) {
    let mut offsets = vec![0];
    for n in lengths {
        offsets.push(offsets[offsets.len() - 1] + n as u64);
    }
    let bytes = (0..offsets[offsets.len() - 1]).map(|i| ((i * 31) ^ (i >> 8)) as u8).collect();
    (offsets, bytes)
}

/// Checks that all ways to hash many messages give the same digests as hashing each alone.
fn check(a: impl Into<Engine>, offsets: &[u64], bytes: &[u8], what: &str) {
    let slices: Vec<&[u8]> = offsets.windows(2).map(|w| &bytes[w[0] as usize..w[1] as usize]).collect();
    let a = a.into();
    let many = a.digest_many(&slices);
    let mut into = vec![0; many.as_bytes().len()];
    a.digest_many_into(offsets, bytes, Encoding::Raw, &mut into).unwrap();
    assert!(into == many.as_bytes(), "{a:?}, {what}");
    let expect: String = many.as_bytes().iter().map(|b| format!("{b:02x}")).collect();
    let mut text = vec![0; 2 * into.len()];
    a.digest_many_into(offsets, bytes, Encoding::Hex, &mut text).unwrap();
    assert!(text == expect.as_bytes(), "{a:?}, {what}: text");
    text.fill(0);
    a.digest_slices_into(&slices, Encoding::Hex, &mut text).unwrap();
    assert!(text == expect.as_bytes(), "{a:?}, {what}: text of slices");
    for (i, m) in slices.iter().enumerate() {
        assert!(&many[i] == a.digest(m).as_bytes(), "{a:?}, {what}: message {i} of {} bytes", m.len());
    }
}

#[test]
fn short_messages_of_every_length() {
    // Every length four times (under emulation once), scattered; then every length once, in order.
    let times = if tier() == Tier::Quick { 1 } else { 4 };
    let (scattered, b1) = messages((0..times * 521).map(|i| i * 197 % 521));
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
            // All other CRCs share their code with the common ones.
            let few = tier() == Tier::Quick && !a.is_common();
            let counts = if few { &[1, 9, 65][..] } else { &[0, 1, 2, 3, 7, 8, 9, 16, 17, 31, 33, 64, 65, 130, 257] };
            for &n in counts {
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

/// Parts of a larger buffer: the first offset need not be 0, and the last need not be the end of the buffer.
#[test]
fn a_slice_of_an_array() {
    let (offsets, bytes) = messages((0..100).map(|i| i % 60));
    for name in ["md5", "sha256", "sha3-256", "crc32"] {
        let a: Algorithm = name.parse().unwrap();
        check(a, &offsets[30..70], &bytes, "part");
    }
}

/// Offsets of every type that Arrow has, starting and ending within a larger buffer.
#[test]
fn offsets_of_every_type() {
    let (offsets, bytes) = messages((0..900).map(|i| i * 7 % 130));
    for name in ["md5", "sha256", "sha3-256", "blake3", "crc32", "crc3-gsm", "xxh128", "shake128:200"] {
        let a: Algorithm = name.parse().unwrap();
        let expect: Vec<u8> = offsets
            .windows(2)
            .flat_map(|w| a.digest(&bytes[w[0] as usize..w[1] as usize]).as_bytes().to_vec())
            .collect();
        let mut all = [(); 4].map(|()| vec![0; expect.len()]);
        let [u32s, u64s, i32s, i64s] = &mut all;
        let raw = Encoding::Raw;
        digest_many_into(a, &offsets.iter().map(|&o| o as u32).collect::<Vec<_>>(), &bytes, raw, u32s).unwrap();
        digest_many_into(a, &offsets, &bytes, raw, u64s).unwrap();
        digest_many_into(a, &offsets.iter().map(|&o| o as i32).collect::<Vec<_>>(), &bytes, raw, i32s).unwrap();
        digest_many_into(a, &offsets.iter().map(|&o| o as i64).collect::<Vec<_>>(), &bytes, raw, i64s).unwrap();
        assert!(all.iter().all(|out| *out == expect), "{name}");
    }
}

/// More messages than are converted to text at a time.
#[test]
fn text_of_many() {
    let (offsets, bytes) = messages((0..40_000).map(|i| i % 40));
    for name in ["md5", "sha1", "crc32", "crc16-arc", "joaat"] {
        let a: Algorithm = name.parse().unwrap();
        let count = offsets.len() - 1;
        let mut raw = vec![0; count * a.digest_len()];
        digest_many_into(a, &offsets, &bytes, Encoding::Raw, &mut raw).unwrap();
        let mut text = vec![b'?'; 2 * raw.len()];
        digest_many_into(a, &offsets, &bytes, Encoding::Hex, &mut text).unwrap();
        for (i, digest) in text.chunks(2 * a.digest_len()).enumerate() {
            let expect: String =
                raw[i * a.digest_len()..][..a.digest_len()].iter().map(|b| format!("{b:02x}")).collect();
            assert!(digest == expect.as_bytes(), "{name}, {i}");
        }
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let a: Algorithm = "md5".parse().unwrap();
    let mut out = [0xaa; 32];
    let raw = Encoding::Raw;
    let bad = |at, offset| Err(Error::BadOffsets { at, offset, len: 4 });
    assert_eq!(digest_many_into(a, &[0u64, 2, 5], b"abcd", raw, &mut out), bad(2, 5));
    assert_eq!(digest_many_into(a, &[0u32, 3, 2], b"abcd", raw, &mut out), bad(2, 2));
    assert_eq!(digest_many_into(a, &[9u64, 9, 9], b"abcd", raw, &mut out), bad(0, 9));
    assert_eq!(digest_many_into(a, &[3u64, u64::MAX, 4], b"abcd", raw, &mut out), bad(1, u64::MAX.into()));
    assert_eq!(digest_many_into(a, &[-1i32, 2, 4], b"abcd", raw, &mut out), bad(0, -1));
    assert_eq!(digest_many_into(a, &[0i64, -2, 4], b"abcd", raw, &mut out), bad(1, -2));
    assert_eq!(digest_many_into(a, &[i64::MIN, i64::MAX], b"abcd", raw, &mut out), bad(0, i64::MIN.into()));
    let text = digest_many_into(a, &[0i64, -2, 4], b"abcd", raw, &mut out).unwrap_err().to_string();
    assert_eq!(text, "offset 1 is -2: offsets must ascend from 0 and not exceed the 4 bytes given");
    let total = |count, each, given| Err(Error::WrongTotal { each, count, given });
    assert_eq!(digest_many_into(a, &[0u64, 2, 4], b"abcd", raw, &mut out[..31]), total(2, 16, 31));
    assert_eq!(digest_many_into(a, &[0u64, 4], b"abcd", raw, &mut out), total(1, 16, 32));
    assert_eq!(digest_many_into(a, &[0u64, 2, 4], b"abcd", Encoding::Hex, &mut out), total(2, 32, 32));
    assert_eq!(digest_many_into(a, &[] as &[u64], b"abcd", raw, &mut out), total(0, 16, 32));
    assert_eq!(digest_slices_into(a, &[b"x"], raw, &mut out), total(1, 16, 32));
    assert_eq!(out, [0xaa; 32]);
    assert_eq!(digest_many_into(a, &[] as &[i32], b"", raw, &mut []), Ok(()));
    assert_eq!(digest_many_into(a, &[3u32], b"abcd", Encoding::Hex, &mut []), Ok(()));
    assert_eq!((Encoding::Raw as u32, Encoding::Hex as u32), (0, 1));
}
