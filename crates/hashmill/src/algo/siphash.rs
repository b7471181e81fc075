//! SipHash-2-4 — SipHash: a fast short-input PRF (J.-P. Aumasson, D. J. Bernstein, 2012).
//! digest 64 or 128 bit, key 16 bytes · block 8 bytes · little-endian · status: not cryptographic (a MAC)
//!
//! Without a key, this is SipHash with the key of sixteen zero bytes: a checksum that anyone can forge. Digests are the
//! bytes that the authors' reference code writes: the result as a little-endian number, with the first half first in
//! 128-bit digests.
//!
//! ## Algorithm
//!
//! ```text
//! v0..3 := k0 ^ "somepseu", k1 ^ "dorandom", k0 ^ "lygenera", k1 ^ "tedbytes"       128 bit: v1 := v1 ^ ee
//! for each word m, the last one being the rest of the message with the length mod 256 as its top byte:
//!     v3 := v3 ^ m;  two rounds;  v0 := v0 ^ m
//! v2 := v2 ^ ff (128 bit: ee);  four rounds;  v0 ^ v1 ^ v2 ^ v3
//! 128 bit, the second half:  v1 := v1 ^ dd;  four rounds;  v0 ^ v1 ^ v2 ^ v3
//! round: v0 += v1; v1 <<<= 13; v1 ^= v0; v0 <<<= 32;  v2 += v3; v3 <<<= 16; v3 ^= v2
//!        v0 += v3; v3 <<<= 21; v3 ^= v0;              v2 += v1; v1 <<<= 17; v1 ^= v2; v2 <<<= 32
//! ```
//!
//! ## Kernels
//!
//! * `portable`: bound by the dependency chain of two rounds per word, which no instruction set shortens. Interleaving
//!   two messages needs more registers than there are: 28 instead of 34 ns for each of 100 bytes (Zen 5), slower below
//!   50.

use super::fold::{Fold, Folding, WORDS};
use crate::base::cpu::Features;
use crate::contract::{Inputs, Kernel, Params, Run};

/// The kernels of 64-bit digests.
pub(crate) static KERNELS: &[Kernel] =
    &[Kernel { name: "portable", needs: Features::NONE, run: Run::Whole(&Folding::<SipHash<false>>::NEW) }];

/// The kernels of 128-bit digests.
pub(crate) static KERNELS_128: &[Kernel] =
    &[Kernel { name: "portable", needs: Features::NONE, run: Run::Whole(&Folding::<SipHash<true>>::NEW) }];

/// The running state.
#[derive(Clone, Copy)]
struct SipHash<const WIDE: bool>([u64; 4]);

impl<const WIDE: bool> Fold for SipHash<WIDE> {
    const STEP: usize = 8;

    #[inline(always)]
    fn new(_: &Params, x: &Inputs<'_>) -> Self {
        // The registry admits keys of sixteen bytes only.
        SipHash(start::<WIDE>(x.key.first_chunk().unwrap_or(&[0; 16])))
    }

    fn save(self) -> [u64; WORDS] {
        self.0
    }

    fn load(words: [u64; WORDS]) -> Self {
        SipHash(words)
    }

    #[inline(always)]
    fn after(mut self, _: &Params, m: &[u8]) -> Self {
        run(&mut self.0, m.as_chunks().0);
        self
    }

    #[inline(always)]
    fn end(self, _: &Params, rest: &[u8], total: u64, out: &mut [u8]) {
        finish::<WIDE>(self.0, partial(rest), total as u8, out);
    }
}

#[inline(always)]
fn start<const WIDE: bool>(key: &[u8; 16]) -> [u64; 4] {
    let key = u128::from_le_bytes(*key);
    let (k0, k1) = (key as u64, (key >> 64) as u64);
    [k0 ^ INITIAL[0], k1 ^ INITIAL[1] ^ if WIDE { 0xee } else { 0 }, k0 ^ INITIAL[2], k1 ^ INITIAL[3]]
}

#[inline(always)]
fn round(v: &mut [u64; 4]) {
    v[0] = v[0].wrapping_add(v[1]);
    v[2] = v[2].wrapping_add(v[3]);
    v[1] = v[1].rotate_left(13) ^ v[0];
    v[3] = v[3].rotate_left(16) ^ v[2];
    v[0] = v[0].rotate_left(32);
    v[2] = v[2].wrapping_add(v[1]);
    v[0] = v[0].wrapping_add(v[3]);
    v[1] = v[1].rotate_left(17) ^ v[2];
    v[3] = v[3].rotate_left(21) ^ v[0];
    v[2] = v[2].rotate_left(32);
}

#[inline(always)]
fn compress(v: &mut [u64; 4], m: u64) {
    v[3] ^= m;
    round(v);
    round(v);
    v[0] ^= m;
}

#[inline(always)]
fn run(state: &mut [u64; 4], words: &[[u8; 8]]) {
    let mut v = *state;
    for word in words {
        compress(&mut v, u64::from_le_bytes(*word));
    }
    *state = v;
}

/// Up to seven bytes as a little-endian number, read by overlapping loads, so that the length costs only a branch or
/// two.
#[inline(always)]
fn partial(rest: &[u8]) -> u64 {
    let n = rest.len();
    if let (Some(low), Some(high)) = (rest.first_chunk(), rest.last_chunk()) {
        u64::from(u32::from_le_bytes(*low)) | u64::from(u32::from_le_bytes(*high)) << (8 * (n - 4))
    } else if n > 0 {
        u64::from(rest[0]) | u64::from(rest[n / 2]) << (8 * (n / 2)) | u64::from(rest[n - 1]) << (8 * (n - 1))
    } else {
        0
    }
}

#[inline(always)]
fn finish<const WIDE: bool>(mut v: [u64; 4], last: u64, total: u8, out: &mut [u8]) {
    compress(&mut v, last | u64::from(total) << 56);
    v[2] ^= if WIDE { 0xee } else { 0xff };
    let low = squeeze(&mut v);
    if let (false, Some(out)) = (WIDE, out.first_chunk_mut()) {
        *out = low.to_le_bytes();
    }
    if let (true, Some(out)) = (WIDE, out.first_chunk_mut()) {
        v[1] ^= 0xdd;
        *out = (u128::from(low) | u128::from(squeeze(&mut v)) << 64).to_le_bytes();
    }
}

#[inline(always)]
fn squeeze(v: &mut [u64; 4]) -> u64 {
    round(v);
    round(v);
    round(v);
    round(v);
    v[0] ^ v[1] ^ v[2] ^ v[3]
}

/// "somepseudorandomlygeneratedbytes", big-endian.
const INITIAL: [u64; 4] = [0x736f_6d65_7073_6575, 0x646f_7261_6e64_6f6d, 0x6c79_6765_6e65_7261, 0x7465_6462_7974_6573];

#[cfg(test)]
mod tests {
    use crate::{Algorithm, Hasher};

    /// Appendix A of the paper (bytes 0 to 14 under the key 0 to 15), and the reference code's vectors for the empty
    /// message.
    #[test]
    fn specification() {
        let bytes: [u8; 16] = std::array::from_fn(|i| i as u8);
        for (name, n, want) in [
            ("siphash-2-4", 15, "e545be4961ca29a1"),
            ("siphash-2-4", 0, "310e0edd47db6f72"),
            ("siphash-2-4-128", 0, "a3817f04ba25a8e66df67214c7550293"),
        ] {
            let a: Algorithm = name.parse().expect("known");
            for cut in 0..=n {
                let mut h = Hasher::builder(a).key(&bytes).build().expect("a key");
                h.update(&bytes[..cut]);
                h.update(&bytes[cut..n]);
                assert_eq!(h.finalize().to_string(), want, "{name} of {n} bytes, split at {cut}");
            }
        }
    }

    #[test]
    fn no_key_is_the_key_of_zeros() {
        for name in ["siphash-2-4", "siphash-2-4-128"] {
            let a: Algorithm = name.parse().expect("known");
            let mut h = Hasher::builder(a).key(&[0; 16]).build().expect("a key");
            h.update(b"message");
            assert_eq!(h.finalize(), a.digest(b"message"));
            assert!(Hasher::builder(a).key(&[0; 15]).build().is_err());
        }
    }

    /// Checks keys, lengths and pieces against the `siphasher` crate.
    #[test]
    fn keyed_like_siphasher() {
        use siphasher::{sip, sip128};
        use std::hash::Hasher as _;
        let bytes: [u8; 300] = std::array::from_fn(|i| (i * i / 7) as u8);
        let narrow: Algorithm = "siphash-2-4".parse().expect("known");
        let wide: Algorithm = "siphash-2-4-128".parse().expect("known");
        for n in 0..bytes.len() - 16 {
            let (key, m) = (bytes[n..].first_chunk().expect("16 bytes"), &bytes[..n]);
            let mut other = sip::SipHasher24::new_with_key(key);
            other.write(m);
            let mut other_wide = sip128::SipHasher24::new_with_key(key);
            other_wide.write(m);
            for (a, want) in [
                (narrow, other.finish().to_le_bytes().to_vec()),
                (wide, sip128::Hasher128::finish128(&other_wide).as_bytes().to_vec()),
            ] {
                let mut h = Hasher::builder(a).key(key).build().expect("a key");
                let (head, rest) = m.split_at(n / 3);
                h.update(head);
                h.update(&rest[..rest.len() / 5]);
                h.update(&rest[rest.len() / 5..]);
                assert_eq!(h.finalize().as_bytes(), want, "{a}, {n} bytes");
            }
        }
    }
}
