//! BLAKE-224, BLAKE-256, BLAKE-384, BLAKE-512 — SHA-3 proposal BLAKE, version 1.4 (J.-P. Aumasson, L. Henzen, W. Meier,
//! R. C.-W. Phan, 2011). digest 224 to 512 bit, salt up to 16 or 32 bytes · block 64 or 128 bytes · big-endian ·
//! status: sound (SHA-3 finalist)
//!
//! ## Algorithm
//!
//! BLAKE-224 and BLAKE-256 work on 32-bit words, BLAKE-384 and BLAKE-512 on 64-bit words.
//!
//! ```text
//! v[0..8] := h;  v[8..16] := (s0, s1, s2, s3, t0, t0, t1, t1) ^ c[0..8]
//! for each round, i and j the next two numbers of σ[round]: G(a, b, c, d) on the columns, then on the diagonals of v:
//!     a := a + b + (m[i] ^ c[j]);  d := (d ^ a) >>> R0;  c := c + d;  b := (b ^ c) >>> R1
//!     a := a + b + (m[j] ^ c[i]);  d := (d ^ a) >>> R2;  c := c + d;  b := (b ^ c) >>> R3
//! h := h ^ v[0..8] ^ v[8..16] ^ (s, s)
//! ```
//!
//! With 32-bit words there are fourteen rounds, with rotations by 16, 12, 8 and 7; with 64-bit words sixteen, with
//! rotations by 32, 25, 16 and 11. (The 2008 submission had ten and fourteen rounds.) t counts the message bits hashed
//! so far, including the current block but not the padding; it is zero in a final block without message bits. The
//! padding is a 1 bit, zeros, a bit that is 1 in BLAKE-256 and BLAKE-512 and 0 in the shorter two, then the message
//! length in bits as a two-word number. The state consists of h, s and t. t is increased by the block length *before*
//! each block, so `tail` sets it to the desired value minus one block; if there are two final blocks, they come in two
//! stages.
//!
//! ## Kernels
//!
//! * `avx512x16`, `avx2x8`, `neonx4` (32 bits), `avx512x8`, `avx2x4`, `neonx2` (64 bits): one register per word, since
//!   the four Gs of a half round are already independent. On Zen 5, two registers per word are just as fast with
//!   AVX-512 (4.5 GB/s for 32 bits, 4.1 for 64) and slower with AVX2 (1.6 instead of 1.8 GB/s, 1.4 instead of 1.6).
//! * `simd128x4`, `simd128x2`: the same in WebAssembly, 1.6 and 2.5 times as fast as `portable` there (Node 20, sixteen
//!   messages).
//! * `avx512vl`, and `ssse3` (32 bits) or `avx2` (64 bits): one message, with a row of v in each register (`x86.rs`).
//!   Selecting the words with 512-bit permutations shuts one of three ports, and gathering them from memory one by one
//!   is slower still (4.9 cycles per byte for 64 bits with AVX2). Not chosen on Zen 5.
//! * `portable`: one message. v does not fit in the sixteen registers, but m ^ c does not depend on v.
//!
//! The one-message kernels: cycles per byte on Emerald Rapids, those of the dependency chain alone, and GB/s on Zen 5:
//!
//! ```text
//!              32 bits                     64 bits
//! avx512vl     5.4, chain 5.3; 0.40        3.6, chain 3.0; 0.69
//!   permuted   6.3                         4.1
//! ssse3, avx2  7.2, chain 6.1; 0.31        4.6, chain 3.5; 0.54
//! portable     8.3;            0.42        5.2;            0.96
//! ```

use super::{lanes, repeat16};
use crate::base::bits::{BitOrder, Bits};
use crate::contract::{Blocks, Inputs, Params, State, Tail, Words};
#[cfg(target_arch = "aarch64")]
use crate::simd::aarch64::{U32x4, U64x2};
#[cfg(target_feature = "simd128")]
use crate::simd::wasm32::{U32x4, U64x2};
#[cfg(target_arch = "x86_64")]
use crate::simd::x86::{U32x8, U32x16, U64x4, U64x8};
use crate::simd::{Feed, Logic, Round, Rows, Scalar, drive};
use core::marker::PhantomData;

#[cfg(target_arch = "x86_64")]
pub(super) mod x86;

/// The kernels of BLAKE-224 and BLAKE-256.
pub(crate) mod blake256 {
    use super::*;

    lanes! { words: 14, bytes: 4, portable: u32;
        x86_64 {
            avx512x16(Avx512 U32x16) from 3;
            avx2x8(Avx2 U32x8) from 3;
            avx512vl(dedicated x86::blake256::avx512vl, [AVX512 + FAST_VROT], 1) from 1;
            ssse3(dedicated x86::blake256::ssse3, [SSSE3 + FAST_CHAINS], 1) from 1;
        }
        aarch64 {
            neonx4(Neon U32x4) from 3;
        }
        wasm32 {
            simd128x4(Simd128 U32x4) from 3;
        }
    }
}

/// The kernels of BLAKE-384 and BLAKE-512.
pub(crate) mod blake512 {
    use super::*;

    lanes! { words: 14, bytes: 8, portable: u64;
        x86_64 {
            avx512x8(Avx512 U64x8) from 3;
            avx2x4(Avx2 U64x4) from 3;
            avx512vl(dedicated x86::blake512::avx512vl, [AVX512 + FAST_VROT], 1) from 1;
            avx2(dedicated x86::blake512::avx2, [AVX2 + FAST_CHAINS], 1) from 1;
        }
        aarch64 {
            neonx2(Neon U64x2) from 2;
        }
        wasm32 {
            simd128x2(Simd128 U64x2) from 2;
        }
    }
}

/// Padding and output of BLAKE-224 and BLAKE-256.
pub(crate) static BLAKE256: Blake<u32> = Blake(PhantomData);
/// Padding and output of BLAKE-384 and BLAKE-512.
pub(crate) static BLAKE512: Blake<u64> = Blake(PhantomData);

/// BLAKE with words of type `L`.
pub(crate) struct Blake<L>(PhantomData<L>);

/// What depends on the word size.
pub(crate) trait Width: Logic<Isa = Scalar, Lane = Self> + From<u16> + Into<u64> + Sync {
    const ROUNDS: usize;
    /// The distances of G's four rotations, in order.
    const ROTATIONS: [u32; 4];
    /// The initial words for the shorter and the longer digest.
    const INITIAL: [[Self; 8]; 2];
    /// The leading digits of the fractional part of π.
    const C: [Self; 16];
}

/// Where the state's words after h begin: the salt and the two words of the counter.
const S: usize = 8;
const T0: usize = 12;
const T1: usize = 13;

impl<L: Width> Blake<L> {
    const BLOCK: usize = 16 * L::BYTES;
    /// The offset of the message length in a final block.
    const LENGTH: usize = 14 * L::BYTES;

    /// Sets the counter so that it is `t` during the next block.
    pub(crate) fn set_counter(s: &mut State, t: u128) {
        s.set_two_words(L::BYTES, T0, t.wrapping_sub(8 * Self::BLOCK as u128));
    }

    /// Returns whether this is the longer of the two digests.
    fn is_long(p: &Params) -> bool {
        usize::from(p.p[0]) == 64 * L::BYTES
    }

    /// Writes the final block of this stage and returns its length, or 0 if there is none. `last` holds the message's
    /// bits after its whole bytes.
    #[inline(always)]
    fn end(p: &Params, s: &mut State, stage: u8, rest: &[u8], total: u128, last: Bits, out: &mut Tail) -> usize {
        // A length of more than two words wraps; the specification does not define longer messages.
        let bits = (total << 3) | u128::from(last.count);
        let n = (total % Self::BLOCK as u128) as usize;
        // If the padding's first bit and its bit before the length share a byte, it has room for at most six bits of
        // the message.
        let two = n >= Self::LENGTH || (n == Self::LENGTH - 1 && last.count == 7);
        match stage {
            0 => {
                out[..n].copy_from_slice(rest);
                out[n] = last.marked();
                out[n + 1..Self::BLOCK].fill(0);
                Self::set_counter(s, if n == 0 && last.count == 0 { 0 } else { bits });
            }
            1 if two => {
                out[..Self::BLOCK].fill(0);
                Self::set_counter(s, 0);
            }
            _ => return 0,
        }
        if two == (stage == 1) {
            let (padding, length) = out[..Self::BLOCK].split_at_mut(Self::LENGTH);
            // A whole word is written, as in `contract::padding`: the round function reads it at once.
            if let Some(end) = padding.last_chunk_mut::<8>() {
                *end = (u64::from_le_bytes(*end) | u64::from(Self::is_long(p)) << 56).to_le_bytes();
            }
            length.copy_from_slice(&bits.to_be_bytes()[16 - 2 * L::BYTES..]);
        }
        Self::BLOCK
    }
}

impl<L: Width> Blocks for Blake<L> {
    fn block(&self, _: &Params) -> usize {
        Self::BLOCK
    }

    fn setup(&self) -> usize {
        3
    }

    fn init(&self, p: &Params, x: &Inputs<'_>, s: &mut State) {
        for (i, x) in L::INITIAL[usize::from(Self::is_long(p))].into_iter().enumerate() {
            s.set_word(L::BYTES, i, x.into());
        }
        for i in S..=T1 {
            s.set_word(L::BYTES, i, 0);
        }
        for (i, bytes) in x.salt.chunks(L::BYTES).enumerate() {
            let mut word = [0; 8];
            word[8 - L::BYTES..][..bytes.len()].copy_from_slice(bytes);
            s.set_word(L::BYTES, S + i, u64::from_be_bytes(word));
        }
    }

    fn tail(&self, p: &Params, s: &mut State, stage: u8, rest: &[u8], total: u128, out: &mut Tail) -> usize {
        Self::end(p, s, stage, rest, total, Bits::NONE, out)
    }

    fn admits(&self, _: &Params, s: &State, fresh: &State, done: u128) -> bool {
        let mut expected = fresh.clone();
        expected.set_two_words(L::BYTES, T0, done << 3);
        (S..=T1).all(|i| s.word(L::BYTES, i) == expected.word(L::BYTES, i))
    }

    fn bit_order(&self, _: &Params) -> Option<BitOrder> {
        Some(BitOrder::High)
    }

    fn tail_of_bits(
        &self,
        p: &Params,
        s: &mut State,
        stage: u8,
        rest: &[u8],
        total: u128,
        last: Bits,
        out: &mut Tail,
    ) -> usize {
        Self::end(p, s, stage, rest, total, last, out)
    }

    fn tail_len(&self, _: &Params, rest: usize) -> usize {
        if rest < Self::LENGTH { Self::BLOCK } else { 2 * Self::BLOCK }
    }

    fn words(&self, _: &Params) -> Option<Words> {
        Some(Words { bytes: L::BYTES, big_endian: true })
    }
}

#[inline(always)]
fn run<W: Logic>(isa: W::Isa, p: &Params, packed: &mut [u8], rows: &Rows<'_>)
where
    W::Lane: Width,
{
    drive::<Blake<W::Lane>, W, 14, 16, true>(isa, p, packed, rows);
}

/// G on four words, or on four rows of words (`x86.rs`); x and y come from the message. Also used by BLAKE2.
macro_rules! g {
    ($rotations:expr, [$a:expr, $b:expr, $c:expr, $d:expr], $x:expr, $y:expr) => {
        $a = $a.add($x).add($b);
        $d = $d.xor($a).rotr($rotations[0]);
        $c = $c.add($d);
        $b = $b.xor($c).rotr($rotations[1]);
        $a = $a.add($y).add($b);
        $d = $d.xor($a).rotr($rotations[2]);
        $c = $c.add($d);
        $b = $b.xor($c).rotr($rotations[3]);
    };
}

/// One round: G on the columns of v, then on its diagonals. `$added` is what the message adds at position `$at` (a
/// constant) of σ's row. Also used by BLAKE2.
macro_rules! round {
    ($rotations:expr, $v:ident, $at:ident => $added:expr) => {
        $crate::algo::blake::round! { @each $rotations, $v, $at, $added;
            [0, 4, 8, 12] 0 1, [1, 5, 9, 13] 2 3, [2, 6, 10, 14] 4 5, [3, 7, 11, 15] 6 7,
            [0, 5, 10, 15] 8 9, [1, 6, 11, 12] 10 11, [2, 7, 8, 13] 12 13, [3, 4, 9, 14] 14 15
        }
    };
    (@each $rotations:expr, $v:ident, $at:ident, $added:expr;
     $([$a:literal, $b:literal, $c:literal, $d:literal] $first:literal $second:literal),*) => {
        $({
            let x = {
                const $at: usize = $first;
                $added
            };
            let y = {
                const $at: usize = $second;
                $added
            };
            $crate::algo::blake::g!($rotations, [$v[$a], $v[$b], $v[$c], $v[$d]], x, y);
        })*
    };
}

pub(super) use {g, round};

/// Adds `by` to the number in words `t` of a state, low word first. The carry takes no comparison: as the top bit of
/// `by` is zero, the sum has overflowed where its top bit went from 1 to 0. Also used by BLAKE2.
#[inline(always)]
pub(super) fn count<W: Logic, const H: usize>(s: &mut [W; H], t: [usize; 2], by: W) {
    let sum = s[t[0]].add(by);
    let carry = sum.andnot(s[t[0]]).shr(8 * W::BYTES as u32 - 1);
    s[t[0]] = sum;
    s[t[1]] = s[t[1]].add(carry);
}

impl<L: Width, W: Logic<Lane = L>> Round<W, 14, 16, true> for Blake<L> {
    #[inline(always)]
    fn compress(isa: W::Isa, _: &Params, h: &mut [W; 14], m: &mut Feed<'_, W, 16, true>) {
        count(h, [T0, T1], W::splat(isa, (8 * Self::BLOCK as u16).into()));
        let c = |i: usize| W::splat(isa, L::C[i]);
        let mut v = [
            h[0],
            h[1],
            h[2],
            h[3],
            h[4],
            h[5],
            h[6],
            h[7],
            h[S].xor(c(0)),
            h[S + 1].xor(c(1)),
            h[S + 2].xor(c(2)),
            h[S + 3].xor(c(3)),
            h[T0].xor(c(4)),
            h[T0].xor(c(5)),
            h[T1].xor(c(6)),
            h[T1].xor(c(7)),
        ];
        repeat16!(R => if R < L::ROUNDS {
            let order = &SIGMA[R % 10];
            round!(L::ROTATIONS, v, AT => m.word(order[AT]).xor(W::splat(isa, L::C[order[AT ^ 1]])));
            m.ahead(R, L::ROUNDS);
        });
        for i in 0..8 {
            h[i] = h[i].xor3(v[i], v[i + 8]).xor(h[S + i % 4]);
        }
    }
}

impl Width for u32 {
    const ROUNDS: usize = 14;
    const ROTATIONS: [u32; 4] = [16, 12, 8, 7];
    /// The initial words of SHA-224 and SHA-256.
    const INITIAL: [[u32; 8]; 2] = [
        [0xc105_9ed8, 0x367c_d507, 0x3070_dd17, 0xf70e_5939, 0xffc0_0b31, 0x6858_1511, 0x64f9_8fa7, 0xbefa_4fa4],
        [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19],
    ];
    const C: [u32; 16] = [
        0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344, 0xa409_3822, 0x299f_31d0, 0x082e_fa98, 0xec4e_6c89,
        0x4528_21e6, 0x38d0_1377, 0xbe54_66cf, 0x34e9_0c6c, 0xc0ac_29b7, 0xc97c_50dd, 0x3f84_d5b5, 0xb547_0917,
    ];
}

impl Width for u64 {
    const ROUNDS: usize = 16;
    const ROTATIONS: [u32; 4] = [32, 25, 16, 11];
    /// The initial words of SHA-384 and SHA-512.
    const INITIAL: [[u64; 8]; 2] = [
        [
            0xcbbb_9d5d_c105_9ed8, 0x629a_292a_367c_d507, 0x9159_015a_3070_dd17, 0x152f_ecd8_f70e_5939,
            0x6733_2667_ffc0_0b31, 0x8eb4_4a87_6858_1511, 0xdb0c_2e0d_64f9_8fa7, 0x47b5_481d_befa_4fa4,
        ],
        [
            0x6a09_e667_f3bc_c908, 0xbb67_ae85_84ca_a73b, 0x3c6e_f372_fe94_f82b, 0xa54f_f53a_5f1d_36f1,
            0x510e_527f_ade6_82d1, 0x9b05_688c_2b3e_6c1f, 0x1f83_d9ab_fb41_bd6b, 0x5be0_cd19_137e_2179,
        ],
    ];
    const C: [u64; 16] = [
        0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344, 0xa409_3822_299f_31d0, 0x082e_fa98_ec4e_6c89,
        0x4528_21e6_38d0_1377, 0xbe54_66cf_34e9_0c6c, 0xc0ac_29b7_c97c_50dd, 0x3f84_d5b5_b547_0917,
        0x9216_d5d9_8979_fb1b, 0xd131_0ba6_98df_b5ac, 0x2ffd_72db_d01a_dfb7, 0xb8e1_afed_6a26_7e96,
        0xba7c_9045_f12c_7f99, 0x24a1_9947_b391_6cf7, 0x0801_f2e2_858e_fc16, 0x6369_20d8_7157_4e69,
    ];
}

/// The order in which each round adds the words of the message. After the tenth round it starts over with the first
/// row. Also used by BLAKE2.
pub(super) const SIGMA: [[usize; 16]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

#[cfg(test)]
mod tests {
    use super::{SIGMA, Width};
    use crate::{Algorithm, Hasher};

    /// Computes BLAKE with words of `width` bits, naively: the whole message is padded in memory. This is the reference
    /// for salts, which other implementations lack. `r` holds the four rotation distances.
    fn naive(width: u32, rounds: usize, r: [u32; 4], (h, c): (&[u64], &[u64]), salt: &[u8], m: &[u8]) -> Vec<u8> {
        let bytes = width as usize / 8;
        let mask = u64::MAX >> (64 - width);
        let add = |x: u64, y: u64| x.wrapping_add(y) & mask;
        let rotr = |x: u64, n: u32| (x >> n | x << (width - n)) & mask;
        let word = |b: &[u8]| b.iter().fold(0, |x, &b| x << 8 | u64::from(b));
        let mut s: Vec<u64> = salt.chunks(bytes).map(word).collect();
        s.resize(4, 0);
        let mut h = h.to_vec();
        let mut padded = m.to_vec();
        padded.push(0x80);
        while padded.len() % (16 * bytes) != 14 * bytes {
            padded.push(0);
        }
        *padded.last_mut().expect("not empty") |= 1;
        padded.extend_from_slice(&(8 * m.len() as u128).to_be_bytes()[16 - 2 * bytes..]);
        for (n, block) in padded.chunks(16 * bytes).enumerate() {
            let m_words: Vec<u64> = block.chunks(bytes).map(word).collect();
            let end = m.len().min((n + 1) * 16 * bytes) as u64;
            let t = if n * 16 * bytes >= m.len() { 0 } else { 8 * end };
            let mut v = h.clone();
            v.extend((0..4).map(|i| s[i] ^ c[i]));
            v.extend([t ^ c[4], t ^ c[5], c[6], c[7]]);
            for round in 0..rounds {
                for k in 0..8 {
                    let shift = if k < 4 { 0 } else { 1 };
                    let at = |row: usize| 4 * row + (k + shift * row) % 4;
                    let (a, b, c_, d) = (at(0), at(1), at(2), at(3));
                    let pair = [SIGMA[round % 10][2 * k], SIGMA[round % 10][2 * k + 1]];
                    for half in 0..2 {
                        v[a] = add(add(v[a], v[b]), m_words[pair[half]] ^ c[pair[1 - half]]);
                        v[d] = rotr(v[d] ^ v[a], r[2 * half]);
                        v[c_] = add(v[c_], v[d]);
                        v[b] = rotr(v[b] ^ v[c_], r[2 * half + 1]);
                    }
                }
            }
            for i in 0..8 {
                h[i] ^= s[i % 4] ^ v[i] ^ v[i + 8];
            }
        }
        h.iter().flat_map(|x| x.to_be_bytes()[8 - bytes..].to_vec()).collect()
    }

    #[test]
    fn salts() {
        let (h, c) = (u32::INITIAL[1].map(u64::from), <u32 as Width>::C.map(u64::from));
        let bytes: [u8; 300] = std::array::from_fn(|i| (i * i / 3) as u8);
        for n in 0..=bytes.len() {
            let salt = |word: usize| &bytes[7..7 + n % 5 * word];
            let hashed = |name: &str, salt: &[u8]| {
                let a: Algorithm = name.parse().expect("known");
                let mut hasher = Hasher::builder(a).salt(salt).build().expect("a salt");
                hasher.update(&bytes[..n]);
                hasher.finalize()
            };
            let want = naive(32, 14, [16, 12, 8, 7], (&h, &c), salt(4), &bytes[..n]);
            assert_eq!(hashed("blake256", salt(4)).as_bytes(), want, "{n} bytes");
            let constants = (&u64::INITIAL[1][..], &<u64 as Width>::C[..]);
            let want = naive(64, 16, [32, 25, 16, 11], constants, salt(8), &bytes[..n]);
            assert_eq!(hashed("blake512", salt(8)).as_bytes(), want, "{n} bytes");
        }
    }

    /// Test vectors of the specification, appendix A: zeros that take one block and two blocks.
    #[test]
    fn specification() {
        for (name, n, want) in [
            ("blake256", 1, "0ce8d4ef4dd7cd8d62dfded9d4edb0a774ae6a41929a74da23109e8f11139c87"),
            ("blake256", 72, "d419bad32d504fb7d44d460c42c5593fe544fa4c135dec31e21bd9abdcc22d41"),
            ("blake224", 1, "4504cb0314fb2a4f7a692e696e487912fe3f2468fe312c73a5278ec5"),
            ("blake224", 72, "f5aa00dd1cb847e3140372af7b5c46b4888d82c8c0a917913cfb5d04"),
            (
                "blake512",
                1,
                "97961587f6d970faba6d2478045de6d1fabd09b61ae50932054d52bc29d31be4ff9102b9f69e2bbdb83be13d4b9c06091e5fa0b48bd081b634058be0ec49beb3",
            ),
            (
                "blake512",
                144,
                "313717d608e9cf758dcb1eb0f0c3cf9fc150b2d500fb33f51c52afc99d358a2f1374b8a38bba7974e7f6ef79cab16f22ce1e649d6e01ad9589c213045d545dde",
            ),
            (
                "blake384",
                1,
                "10281f67e135e90ae8e882251a355510a719367ad70227b137343e1bc122015c29391e8545b5272d13a7c2879da3d807",
            ),
            (
                "blake384",
                144,
                "0b9845dd429566cdab772ba195d271effe2d0211f16991d766ba749447c5cde569780b2daa66c4b224a2ec2e5d09174c",
            ),
        ] {
            let a: Algorithm = name.parse().expect("known");
            assert_eq!(a.digest(&vec![0; n]).to_string(), want, "{name}, {n} bytes");
        }
    }

    #[test]
    fn salts_are_filled_up_with_zeros() {
        for (name, longest) in [("blake256", 16), ("blake512", 32)] {
            let a: Algorithm = name.parse().expect("known");
            let salted = |salt: &[u8]| {
                let mut h = Hasher::builder(a).salt(salt).build().expect("a salt");
                h.update([7; 200]);
                h.finalize()
            };
            assert_eq!(salted(&vec![0; longest]), a.digest(&[7; 200]));
            assert_eq!(salted(b"salt"), salted(b"salt\0\0\0\0\0\0\0\0\0\0\0\0"));
            assert_ne!(salted(b"salt"), salted(b"\0salt"));
            assert!(Hasher::builder(a).salt(&vec![0; longest + 1]).build().is_err());
        }
    }
}
