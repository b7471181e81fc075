//! MurmurHash3 — A. Appleby, smhasher, MurmurHash3.cpp (2011): x86_32 (murmur3a), x86_128 (murmur3c), x64_128
//! (murmur3f). digest 32 or 128 bit · block 4 or 16 bytes (none padded) · reads little-endian, digest: words
//! big-endian, as PHP writes them · seed 32 bit · status: not cryptographic
//! ## Algorithm
//! A block has one word (a), four words (c), or two of 64 bits (f); the state has as many, all initialized with the
//! seed. Each word has its own constants c, r, c', s, n:
//!
//! ```text
//! key(k) = ((k·c) <<< r)·c'
//! for each block, for each of its words i:  h_i ← h_i xor key(k_i);  h_i ← h_i <<< s
//!                                           c, f:  h_i ← h_i + h_(i+1), cyclically
//!                                           h_i ← h_i·5 + n
//! the rest, filled up with zeros:  h_i ← h_i xor key(k_i)
//! h_i ← h_i xor length
//! c, f:  add;  h_i ← mix(h_i);  add                  add: h_1 ← Σ h_i; each other h_i ← h_i + h_1
//! mix(h), 32 bits: h xor>> 16, ·0x85ebca6b, xor>> 13, ·0xc2b2ae35, xor>> 16
//!         64 bits: h xor>> 33, ·0xff51afd7ed558ccd, xor>> 33, ·0xc4ceb9fe1a85ec53, xor>> 33
//! ```
//! ## Kernels
//! - `portable`: key(k) does not depend on the state, whose chain is five cycles per block (a: 3.7 GB/s, c: 6, f: 9;
//!   Zen 5). The rest is read by overlapping loads, since copying a few bytes costs as much as hashing them. Messages
//!   of at least 48 bytes on average are interleaved, four at a time (a: 100 bytes take 15 ns each instead of 21); with
//!   c and f, two at a time gain nothing.

use super::fold::{Chain, Fold, Folding, WORDS, in_turns, one_by_one, up_to_7};
use crate::base::cpu::Features;
use crate::contract::{Inputs, Kernel, Params, Run};
use crate::simd::Logic;

macro_rules! murmur3 {
    ($kernels:ident, $name:ident, $word:ty, $words:literal, $constants:ident, $mix:ident,
     $($turns:literal from $from:literal)?) => {
        pub(crate) static $kernels: &[Kernel] =
            &[Kernel { name: "portable", needs: Features::NONE, run: Run::Whole(&Folding::<$name>::NEW) }];

        #[derive(Clone, Copy)]
        struct $name([$word; $words]);

        impl $name {
            #[inline(always)]
            fn run(h: &mut [$word; $words], blocks: &[[u8; $words * size_of::<$word>()]]) {
                let mut state = *h;
                for block in blocks {
                    state = state.step(block);
                }
                *h = state;
            }

            #[inline(always)]
            fn ended(mut h: [$word; $words], rest: &[u8], total: u64, out: &mut [u8]) {
                if !rest.is_empty() {
                    let k = up_to_15(rest);
                    for i in 0..$words {
                        h[i] ^= $constants[i].key((k >> (i as u32 * <$word>::BITS)) as $word);
                    }
                }
                for h in &mut h {
                    *h ^= total as $word;
                }
                if $words > 1 {
                    add!(h);
                }
                h = h.map($mix);
                if $words > 1 {
                    add!(h);
                }
                for (out, h) in out.as_chunks_mut().0.iter_mut().zip(h) {
                    *out = h.to_be_bytes();
                }
            }
        }

        impl Chain<{ $words * size_of::<$word>() }> for [$word; $words] {
            fn begin(p: &Params) -> Self {
                [p.seed as $word; $words]
            }

            #[inline(always)]
            fn step(mut self, block: &[u8; $words * size_of::<$word>()]) -> Self {
                for i in 0..$words {
                    let mut k = [0; size_of::<$word>()];
                    k.copy_from_slice(&block[i * size_of::<$word>()..][..size_of::<$word>()]);
                    let w = &$constants[i];
                    let mut h = (self[i] ^ w.key(<$word>::from_le_bytes(k))).rotate_left(w.s);
                    if $words > 1 {
                        h = h.wrapping_add(self[if i + 1 == $words { 0 } else { i + 1 }]).settled();
                    }
                    self[i] = h.wrapping_mul(5).wrapping_add(w.n);
                }
                self
            }

            #[inline(always)]
            fn end(self, rest: &[u8], total: u64, out: &mut [u8]) {
                $name::ended(self, rest, total, out);
            }
        }

        impl Fold for $name {
            const STEP: usize = $words * size_of::<$word>();

            #[inline]
            fn new(p: &Params, _: &Inputs<'_>) -> Self {
                $name([p.seed as $word; $words])
            }

            fn save(self) -> [u64; WORDS] {
                let mut words = [0; WORDS];
                for (word, h) in words.iter_mut().zip(self.0) {
                    *word = h.into();
                }
                words
            }

            fn load(words: [u64; WORDS]) -> Self {
                $name(std::array::from_fn(|i| words[i] as $word))
            }

            #[inline(always)]
            fn after(mut self, _: &Params, m: &[u8]) -> Self {
                $name::run(&mut self.0, m.as_chunks().0);
                self
            }

            #[inline(always)]
            fn end(self, _: &Params, rest: &[u8], total: u64, out: &mut [u8]) {
                $name::ended(self.0, rest, total, out);
            }

            #[inline(always)]
            fn digest(p: &Params, m: &[u8], out: &mut [u8]) {
                let (blocks, rest) = m.as_chunks();
                let mut h = [p.seed as $word; $words];
                $name::run(&mut h, blocks);
                $name::ended(h, rest, m.len() as u64, out);
            }

            $(fn digest_many(p: &Params, messages: &[&[u8]], out: &mut [u8]) {
                let total: usize = messages.iter().map(|m| m.len()).sum();
                if total >= messages.len() * $from {
                    in_turns::<[$word; $words], { $words * size_of::<$word>() }, $turns>(p, messages, out);
                } else {
                    one_by_one::<Self>(p, messages, out);
                }
            })?
        }
    };
}

macro_rules! add {
    ($h:ident) => {
        for i in 1..$h.len() {
            $h[0] = $h[0].wrapping_add($h[i]);
        }
        for i in 1..$h.len() {
            $h[i] = $h[i].wrapping_add($h[0]);
        }
    };
}

murmur3!(MURMUR3A, Murmur3a, u32, 1, A, mix32, 4 from 48);
murmur3!(MURMUR3C, Murmur3c, u32, 4, C, mix32,);
murmur3!(MURMUR3F, Murmur3f, u64, 2, F, mix64,);

/// Reads less than sixteen bytes as a little-endian number.
#[inline(always)]
fn up_to_15(m: &[u8]) -> u128 {
    match m.split_first_chunk() {
        Some((low, high)) => u128::from(u64::from_le_bytes(*low)) | u128::from(up_to_7(high)) << 64,
        None => u128::from(up_to_7(m)),
    }
}

/// The constants of a word.
struct Word<W> {
    c: W,
    r: u32,
    c2: W,
    s: u32,
    n: W,
}

impl Word<u32> {
    #[inline(always)]
    fn key(&self, k: u32) -> u32 {
        k.wrapping_mul(self.c).rotate_left(self.r).wrapping_mul(self.c2)
    }
}

impl Word<u64> {
    #[inline(always)]
    fn key(&self, k: u64) -> u64 {
        k.wrapping_mul(self.c).rotate_left(self.r).wrapping_mul(self.c2)
    }
}

#[inline(always)]
fn mix32(mut h: u32) -> u32 {
    h = (h ^ h >> 16).wrapping_mul(0x85eb_ca6b);
    h = (h ^ h >> 13).wrapping_mul(0xc2b2_ae35);
    h ^ h >> 16
}

#[inline(always)]
fn mix64(mut h: u64) -> u64 {
    h = (h ^ h >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    h = (h ^ h >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    h ^ h >> 33
}

// ---------------------------------------------------------------------------------------------------------------------
// Constants
// ---------------------------------------------------------------------------------------------------------------------

const A: [Word<u32>; 1] = [Word { c: 0xcc9e_2d51, r: 15, c2: 0x1b87_3593, s: 13, n: 0xe654_6b64 }];

const C: [Word<u32>; 4] = [
    Word { c: C1, r: 15, c2: C2, s: 19, n: 0x561c_cd1b },
    Word { c: C2, r: 16, c2: C3, s: 17, n: 0x0bca_a747 },
    Word { c: C3, r: 17, c2: C4, s: 15, n: 0x96cd_1c35 },
    Word { c: C4, r: 18, c2: C1, s: 13, n: 0x32ac_3b17 },
];
const C1: u32 = 0x239b_961b;
const C2: u32 = 0xab0e_9789;
const C3: u32 = 0x38b3_4ae5;
const C4: u32 = 0xa1e3_8b93;

const F: [Word<u64>; 2] =
    [Word { c: F1, r: 31, c2: F2, s: 27, n: 0x52dc_e729 }, Word { c: F2, r: 33, c2: F1, s: 31, n: 0x3849_5ab5 }];
const F1: u64 = 0x87c3_7b91_1142_53d5;
const F2: u64 = 0x4cf5_ad43_2745_937f;

#[cfg(test)]
mod tests {
    use super::super::fold::tests::check;
    use super::*;

    /// smhasher's VerificationTest: the hash, in the byte order of a little-endian machine, of the hashes of 0, 1, …, n
    /// − 1 with seed 256 − n, for n from 0 to 255. Its first four bytes are known for each function (main.cpp).
    #[test]
    fn smhasher() {
        fn verification<F: Fold, const N: usize, const WORD: usize>() -> u32 {
            let hash = |seed: u64, m: &[u8]| {
                let mut out = [0; N];
                F::digest(&Params { row: 0, out_len: N as u32, p: [0; 4], seed }, m, &mut out);
                out.chunks_mut(WORD).for_each(<[u8]>::reverse);
                out
            };
            let m: [u8; 256] = std::array::from_fn(|i| i as u8);
            let all: Vec<u8> = (0..256).flat_map(|n| hash(256 - n as u64, &m[..n])).collect();
            let h = hash(0, &all);
            u32::from_le_bytes([h[0], h[1], h[2], h[3]])
        }
        assert_eq!(verification::<Murmur3a, 4, 4>(), 0xb0f5_7ee3);
        assert_eq!(verification::<Murmur3c, 16, 4>(), 0xb3ec_e62a);
        assert_eq!(verification::<Murmur3f, 16, 8>(), 0x6384_ba69);
    }

    #[test]
    fn pieces() {
        let m: Vec<u8> = (0..70).collect();
        for seed in [0, 0x9747_b28c] {
            for n in 0..70 {
                let p = Params { row: 0, out_len: 16, p: [0; 4], seed };
                let mut out = [0; 16];
                Murmur3a::digest(&p, &m[..n], &mut out[..4]);
                check(MURMUR3A, [0; 4], seed, &m[..n], &out[..4]);
                Murmur3c::digest(&p, &m[..n], &mut out);
                check(MURMUR3C, [0; 4], seed, &m[..n], &out);
                Murmur3f::digest(&p, &m[..n], &mut out);
                check(MURMUR3F, [0; 4], seed, &m[..n], &out);
            }
        }
    }
}
