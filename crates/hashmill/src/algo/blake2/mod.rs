//! BLAKE2b, BLAKE2s — RFC 7693 (J.-P. Aumasson, S. Neves, Z. Wilcox-O'Hearn, C. Winnerlein, 2012). digest 1 to 64 or 32
//! bytes, key up to 64 or 32 bytes, salt, personalization up to 16 or 8 · block 128 or 64 bytes · little-endian ·
//! status: sound
//!
//! ## Algorithm
//!
//! BLAKE2b works on 64-bit words, BLAKE2s on 32-bit words.
//!
//! ```text
//! v[0..8] := h;  v[8..16] := IV ^ (0, 0, 0, 0, t0, t1, f, 0)
//! for each round: G(a, b, c, d) on the columns, then on the diagonals of v, x and y the next two words of m in the
//! order σ[round]:
//!     a := a + b + x;  d := (d ^ a) >>> R0;  c := c + d;  b := (b ^ c) >>> R1
//!     a := a + b + y;  d := (d ^ a) >>> R2;  c := c + d;  b := (b ^ c) >>> R3
//! h := h ^ v[0..8] ^ v[8..16]
//! ```
//!
//! BLAKE2b has twelve rounds and rotates by 32, 24, 16 and 63; BLAKE2s has ten rounds and rotates by 16, 12, 8 and 7.
//!
//! t counts the bytes hashed so far, and f is all ones in the last block, which is therefore held back until the end of
//! the message is known. A key is a first block of its own; salt and personalization are part of the parameter block,
//! which is XORed into the IV. The state consists of h, t0, t1 and f. t is increased by the block length *before* each
//! block, so `tail` sets it to the message length, including the key block, minus one block. G, the rounds and σ are
//! those of BLAKE (`blake/mod.rs`).
//!
//! ## Kernels
//!
//! * `avx512x8` (BLAKE2b), `avx512x16`, `neonx4` (BLAKE2s): one register per word, since the four Gs of a half round
//!   are already independent. (AVX-512 with two registers per word on Zen 5: 5.5 instead of 5.7 GB/s for BLAKE2b, an
//!   equal 6.6 GB/s for BLAKE2s.)
//! * `avx2x8` (BLAKE2b), `avx2x16` (BLAKE2s): two registers per word (2.95 instead of 2.55 GB/s for BLAKE2s).
//! * `neonx2` (BLAKE2b): two lanes.
//! * `simd128x4` (BLAKE2s): one register per word in WebAssembly, 1.9 times as fast as `portable` there (Node 20,
//!   sixteen messages). Two lanes for BLAKE2b were rejected: they are no faster than `portable`.
//! * `avx512vl`, and `avx2` (BLAKE2b) or `ssse3` (BLAKE2s): one message, with a row of v in each register (`x86.rs`).
//!   Selecting the words with 512-bit permutations is slower. Not chosen on Zen 5, where dependent vector operations
//!   take two cycles.
//! * `portable`: one message.
//!
//! The one-message kernels: cycles per byte on Emerald Rapids, those of the dependency chain alone, and GB/s on Zen 5:
//!
//! ```text
//!              BLAKE2b                     BLAKE2s
//! avx512vl     2.6, chain 2.3; 0.92        3.9, chain 3.8; 0.56
//!   permuted   3.1                         4.5
//! avx2, ssse3  3.1, chain 2.4; 0.79        5.2, chain 4.4; 0.44
//! portable     3.4;            1.47        5.6;            0.90
//! ```

use super::blake::{SIGMA, count, round};
use super::{lanes, repeat16};
use crate::contract::{Blocks, Inputs, MAX_BLOCK, Params, State, Tail, Words};
#[cfg(target_arch = "x86_64")]
use crate::simd::X2;
#[cfg(target_arch = "aarch64")]
use crate::simd::aarch64::{U32x4, U64x2};
#[cfg(target_feature = "simd128")]
use crate::simd::wasm32::U32x4;
#[cfg(target_arch = "x86_64")]
use crate::simd::x86::{U32x8, U32x16, U64x4, U64x8};
use crate::simd::{Feed, Logic, Round, Rows, Scalar, drive};
use core::marker::PhantomData;

#[cfg(target_arch = "x86_64")]
mod x86;

/// BLAKE2b's kernels.
pub(crate) mod blake2b {
    use super::*;

    lanes! { words: 11, bytes: 8, portable: u64;
        x86_64 {
            avx512x8(Avx512 U64x8) from 3;
            avx2x8(Avx2 X2<U64x4>) from 5;
            avx512vl(dedicated x86::blake2b::avx512vl, [AVX512 + FAST_VROT], 1) from 1;
            avx2(dedicated x86::blake2b::avx2, [AVX2 + FAST_CHAINS], 1) from 1;
        }
        aarch64 {
            neonx2(Neon U64x2) from 2;
        }
        wasm32 {}
    }
}

/// BLAKE2s's kernels.
pub(crate) mod blake2s {
    use super::*;

    lanes! { words: 11, bytes: 4, portable: u32;
        x86_64 {
            avx512x16(Avx512 U32x16) from 3;
            avx2x16(Avx2 X2<U32x8>) from 5;
            avx512vl(dedicated x86::blake2s::avx512vl, [AVX512 + FAST_VROT], 1) from 1;
            ssse3(dedicated x86::blake2s::ssse3, [SSSE3 + FAST_CHAINS], 1) from 1;
        }
        aarch64 {
            neonx4(Neon U32x4) from 3;
        }
        wasm32 {
            simd128x4(Simd128 U32x4) from 3;
        }
    }
}

/// BLAKE2b's parameter block, last block and output.
pub(crate) static BLAKE2B: Blake2<u64> = Blake2(PhantomData);
/// BLAKE2s's parameter block, last block and output.
pub(crate) static BLAKE2S: Blake2<u32> = Blake2(PhantomData);

/// BLAKE2 with words of type `L`.
pub(crate) struct Blake2<L>(PhantomData<L>);

/// What depends on the word size. All other lengths are multiples of it: a key has up to eight words, salt and
/// personalization have up to two each.
pub(crate) trait Width: Logic<Isa = Scalar, Lane = Self> + From<u16> + Into<u64> + Sync {
    const ROUNDS: usize;
    /// The distances of G's four rotations, in order.
    const ROTATIONS: [u32; 4];
    const IV: [Self; 8];
}

/// The indices of the state's words after h.
const T0: usize = 8;
const T1: usize = 9;
const F: usize = 10;

impl<L: Width> Blake2<L> {
    const BLOCK: usize = 16 * L::BYTES;
}

impl<L: Width> Blocks for Blake2<L> {
    fn block(&self, _: &Params) -> usize {
        Self::BLOCK
    }

    fn keep_last(&self) -> bool {
        true
    }

    fn setup(&self) -> usize {
        if L::BYTES == 4 { 6 } else { 3 }
    }

    fn init(&self, p: &Params, x: &Inputs<'_>, s: &mut State) {
        // The parameter block's first word: digest length, key length, fan-out 1, depth 1.
        let mut parameters = [0; 8];
        parameters[0] = 0x0101_0000 ^ (x.key.len() as u64) << 8 ^ u64::from(p.out_len);
        // Words 4 and 5 are the salt, 6 and 7 the personalization.
        for (first, bytes) in [(4, x.salt), (6, x.personal)] {
            for (i, bytes) in bytes.chunks(L::BYTES).enumerate() {
                let mut word = [0; 8];
                word[..bytes.len()].copy_from_slice(bytes);
                parameters[first + i] = u64::from_le_bytes(word);
            }
        }
        for (i, x) in L::IV.into_iter().enumerate() {
            s.set_word(L::BYTES, i, x.into() ^ parameters[i]);
        }
        for i in [T0, T1, F] {
            s.set_word(L::BYTES, i, 0);
        }
    }

    fn prefix(&self, _: &Params, x: &Inputs<'_>, out: &mut [u8; MAX_BLOCK]) -> usize {
        let key = x.key;
        if key.is_empty() {
            return 0;
        }
        out[..key.len()].copy_from_slice(key);
        out[key.len()..Self::BLOCK].fill(0);
        Self::BLOCK
    }

    fn tail(&self, _: &Params, s: &mut State, stage: u8, rest: &[u8], total: u128, out: &mut Tail) -> usize {
        if stage > 0 {
            return 0;
        }
        s.set_two_words(L::BYTES, T0, total.wrapping_sub(Self::BLOCK as u128));
        s.set_word(L::BYTES, F, u64::MAX);
        out[..Self::BLOCK].fill(0);
        out[..rest.len()].copy_from_slice(rest);
        Self::BLOCK
    }

    fn admits(&self, _: &Params, s: &State, fresh: &State, done: u128) -> bool {
        // The counter has two words and wraps around.
        let mut expected = fresh.clone();
        expected.set_two_words(L::BYTES, T0, done);
        (T0..=F).all(|i| s.word(L::BYTES, i) == expected.word(L::BYTES, i))
    }

    fn tail_len(&self, _: &Params, _: usize) -> usize {
        Self::BLOCK
    }

    fn words(&self, _: &Params) -> Option<Words> {
        Some(Words { bytes: L::BYTES, big_endian: false })
    }
}

#[inline(always)]
fn run<W: Logic>(isa: W::Isa, p: &Params, packed: &mut [u8], rows: &Rows<'_>)
where
    W::Lane: Width,
{
    drive::<Blake2<W::Lane>, W, 11, 16, false>(isa, p, packed, rows);
}

impl<L: Width, W: Logic<Lane = L>> Round<W, 11, 16, false> for Blake2<L> {
    #[inline(always)]
    fn compress(isa: W::Isa, _: &Params, s: &mut [W; 11], m: &mut Feed<'_, W, 16, false>) {
        count(s, [T0, T1], W::splat(isa, (Self::BLOCK as u16).into()));
        let iv = |i: usize| W::splat(isa, L::IV[i]);
        let mut v = [
            s[0],
            s[1],
            s[2],
            s[3],
            s[4],
            s[5],
            s[6],
            s[7],
            iv(0),
            iv(1),
            iv(2),
            iv(3),
            iv(4).xor(s[T0]),
            iv(5).xor(s[T1]),
            iv(6).xor(s[F]),
            iv(7),
        ];
        repeat16!(R => if R < L::ROUNDS {
            let order = &SIGMA[R % 10];
            round!(L::ROTATIONS, v, AT => m.word(order[AT]));
            m.ahead(R, L::ROUNDS);
        });
        for i in 0..8 {
            s[i] = s[i].xor3(v[i], v[i + 8]);
        }
    }
}

impl Width for u64 {
    const ROUNDS: usize = 12;
    const ROTATIONS: [u32; 4] = [32, 24, 16, 63];
    /// SHA-512's initial words.
    const IV: [u64; 8] = <u64 as super::blake::Width>::INITIAL[1];
}

impl Width for u32 {
    const ROUNDS: usize = 10;
    const ROTATIONS: [u32; 4] = [16, 12, 8, 7];
    /// SHA-256's initial words.
    const IV: [u32; 8] = <u32 as super::blake::Width>::INITIAL[1];
}

#[cfg(test)]
mod tests {
    use crate::{Algorithm, Hasher};

    /// Examples of RFC 7693, appendices A and B.
    #[test]
    fn rfc_7693() {
        let a: Algorithm = "blake2b-512".parse().expect("known");
        assert_eq!(
            a.digest(b"abc").to_string(),
            "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"
        );
        let a: Algorithm = "blake2s-256".parse().expect("known");
        assert_eq!(a.digest(b"abc").to_string(), "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982");
    }

    /// RFC 7693, appendix E: a digest of digests of many lengths, with and without keys.
    #[test]
    fn rfc_7693_self_test() {
        fn sequence(n: usize, seed: usize) -> Vec<u8> {
            let mut a = 0xdead_4badu32.wrapping_mul(seed as u32);
            let mut b = 1u32;
            (0..n)
                .map(|_| {
                    (a, b) = (b, a.wrapping_add(b));
                    (b >> 24) as u8
                })
                .collect()
        }
        let a: Algorithm = "blake2s".parse().expect("known");
        let mut all = Hasher::new(a);
        for length in [16, 20, 28, 32] {
            let a = a.with_digest_len(length).expect("a length");
            for n in [0, 3, 64, 65, 255, 1024] {
                let m = sequence(n, n);
                all.update(a.digest(&m));
                let mut keyed = Hasher::builder(a).key(&sequence(length, length)).build().expect("a key");
                keyed.update(&m);
                all.update(keyed.finalize());
            }
        }
        assert_eq!(all.finalize().to_string(), "6a411f08ce25adcdfb02aba641451cec53c598b24f4fc787fbdc88797f4c1dfe");
    }

    #[test]
    fn keys_have_1_to_64_bytes() {
        let a: Algorithm = "blake2b".parse().expect("known");
        assert!(Hasher::builder(a).key(&[]).build().is_err());
        assert!(Hasher::builder(a).key(&[1; 65]).build().is_err());
        assert_ne!(Hasher::builder(a).key(&[1; 64]).build().expect("a key").finalize(), Hasher::new(a).finalize());
    }

    #[test]
    fn salts_and_personalizations_like_rustcrypto() {
        use blake2::digest::{FixedOutput, Update};
        let bytes: [u8; 200] = std::array::from_fn(|i| (i * i / 3) as u8);
        macro_rules! like {
            ($name:literal, $longest:literal, $mac:ty) => {
                let a: Algorithm = $name.parse().expect("known");
                for n in 0..=$longest {
                    for key in [&bytes[..0], &bytes[40..41 + 3 * n]] {
                        let (salt, personal) = (&bytes[3..3 + n], &bytes[20..20 + $longest - n]);
                        let key_given = (!key.is_empty()).then_some(key);
                        let mut other = <$mac>::new_with_salt_and_personal(key_given, salt, personal).expect("inputs");
                        other.update(&bytes);
                        let mut h = Hasher::builder(a).salt(salt).personal(personal);
                        if let Some(key) = key_given {
                            h = h.key(key);
                        }
                        let mut h = h.build().expect("inputs");
                        h.update(bytes);
                        assert_eq!(h.finalize().as_bytes(), &other.finalize_fixed()[..], "{a}, {n}");
                    }
                }
                assert!(Hasher::builder(a).salt(&[1; $longest + 1]).build().is_err());
                assert!(Hasher::builder(a).personal(&[1; $longest + 1]).build().is_err());
            };
        }
        like!("blake2b", 16, blake2::Blake2bMac512);
        like!("blake2s", 8, blake2::Blake2sMac256);
    }
}
