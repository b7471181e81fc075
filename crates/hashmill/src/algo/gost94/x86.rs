//! GOST94 of one message on byte permutations: a register of 64 bytes is a table of four S-boxes.

#![allow(unsafe_code, reason = "loads of tables and blocks, stores of the state")]

use super::{C3, SUM, add, power};
use crate::algo::repeat16;
use crate::contract::Params;
use crate::simd::Rows;
use core::arch::x86_64::*;

/// The S-boxes of the low digit of each byte of a word, a box after the other, and those of the high digit, shifted into place.
#[repr(C, align(64))]
pub(super) struct Boxes([[u8; 64]; 2]);

pub(super) const fn boxes(s: &[[u8; 16]; 8]) -> Boxes {
    let mut all = [[0; 64]; 2];
    let mut i = 0;
    while i < 64 {
        all[0][i] = s[i / 16 * 2][i % 16];
        all[1][i] = s[i / 16 * 2 + 1][i % 16] << 4;
        i += 1;
    }
    Boxes(all)
}

#[repr(C, align(64))]
struct Bytes([u8; 64]);

#[repr(C, align(64))]
struct Words([[u16; 32]; 16]);

/// Where a keys' byte comes from, for keys' words 0 to 3 (`HALF` = 0) or 4 to 7 (1), one word of all four keys after the
/// other: byte k of word i of `U_j` is byte k of word i + `STRIDE` · j of the sequence that A makes.
const fn key_bytes(half: usize, stride: usize) -> Bytes {
    let mut all = [0; 64];
    let mut n = 0;
    while n < 64 {
        let (k, j, i) = (4 * half + n / 16, n / 4 % 4, n % 4);
        all[n] = (8 * (i + stride * j) + k) as u8;
        n += 1;
    }
    Bytes(all)
}

/// C\[3\]'s part in the keys: it is added to U before the third key and goes through A once before the fourth.
const fn key_constant(half: usize) -> Bytes {
    let c = [C3[0], C3[1], C3[2], C3[3], C3[0] ^ C3[1]];
    let mut all = [0; 64];
    let mut n = 0;
    while n < 64 {
        let (k, j, i) = (4 * half + n / 16, n / 4 % 4, n % 4);
        if j >= 2 {
            all[n] = c[i + j - 2].to_le_bytes()[k];
        }
        n += 1;
    }
    Bytes(all)
}

static FROM_U: [Bytes; 2] = [key_bytes(0, 1), key_bytes(1, 1)];
static FROM_V: [Bytes; 2] = [key_bytes(0, 2), key_bytes(1, 2)];
static CONSTANT: [Bytes; 2] = [key_constant(0), key_constant(1)];

/// ψ^n of sixteen 16-bit words, and what A makes of it: words 16 to 27 are words 0 to 11 + words 4 to 15. Each word is a sum of
/// words of the argument: the first term of every word, then the second … A word that is not in the argument (`at` = 31) is
/// zero, and so are the missing terms.
struct Sum {
    terms: usize,
    from: Words,
}

const fn sum(n: usize, at: &[u16; 16]) -> Sum {
    let mut sum = Sum { terms: 0, from: Words([[ZERO; 32]; 16]) };
    let mut i = 0;
    while i < 28 {
        let row = if i < 16 { power(n + i) } else { power(n + i - 16) ^ power(n + i - 12) };
        let (mut terms, mut j) = (0, 0);
        while j < 16 {
            if row >> j & 1 == 1 && at[j] != ZERO {
                sum.from.0[terms][i] = at[j];
                terms += 1;
            }
            j += 1;
        }
        if terms > sum.terms {
            sum.terms = terms;
        }
        i += 1;
    }
    sum
}

/// A word of the argument that is always zero.
const ZERO: u16 = 31;

const ALL: [u16; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
/// Where a 64-bit word's low and high half are that lie in registers of their own.
const LOW: [u16; 16] = [0, 1, ZERO, ZERO, 2, 3, ZERO, ZERO, 4, 5, ZERO, ZERO, 6, 7, ZERO, ZERO];
const HIGH: [u16; 16] = [ZERO, ZERO, 0, 1, ZERO, ZERO, 2, 3, ZERO, ZERO, 4, 5, ZERO, ZERO, 6, 7];

/// Adds term $i of ψ^$n of $x to $sum, if there is one.
macro_rules! term {
    ($sum:ident, $x:expr, $n:literal, $at:ident, $i:expr) => {{
        const TERMS: usize = sum($n, &$at).terms;
        static FROM: Words = sum($n, &$at).from;
        if $i < TERMS {
            // SAFETY: a row of 64 bytes.
            let from = unsafe { _mm512_load_si512(FROM.0[$i].as_ptr().cast()) };
            $sum = _mm512_xor_si512($sum, _mm512_permutexvar_epi16(from, $x));
        }
    }};
}

/// ψ^$n of $x.
macro_rules! psi {
    ($x:expr, $n:literal, $at:ident) => {{
        let x = $x;
        let mut sum = _mm512_setzero_si512();
        repeat16!(I => term!(sum, x, $n, $at, I));
        sum
    }};
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,bmi1,bmi2")]
pub(super) fn avx512vbmi(p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    assert!(packed.len() >= 64 && rows.lanes() == 1 && rows.block() == 32);
    let Boxes(boxes) = if p.p[0] == 0 { &super::TEST_BOXES } else { &super::CRYPTOPRO_BOXES };
    macro_rules! load {
        ($bytes:expr) => {{
            let bytes: &[u8; 64] = &$bytes;
            // SAFETY: 64 bytes.
            unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
        }};
    }
    let (low, high) = (load!(boxes[0]), load!(boxes[1]));
    let digit = _mm_set1_epi8(0x0f);
    let which = _mm_set1_epi32(0x3020_1000);

    let mut s = [0; 4];
    for i in 0..4 {
        s[i] = u64::from_ne_bytes(*packed[8 * (SUM + i)..].first_chunk().expect("a word"));
    }
    // SAFETY: the state has 64 bytes.
    let h = unsafe { _mm256_loadu_si256(packed.as_ptr().cast()) };
    // H, then the sums of its neighbouring words: seven 64-bit words, of which U_1 to U_4 are sections.
    let mut h = psi!(_mm512_zextsi256_si512(h), 0, ALL);
    for b in 0..rows.blocks() {
        let block: &[u8; 32] = rows.lane(0)[32 * b..].first_chunk().expect("a block");
        // SAFETY: 32 bytes.
        let m = unsafe { _mm256_loadu_si256(block.as_ptr().cast()) };
        let mut words = [0; 4];
        for i in 0..4 {
            words[i] = u64::from_le_bytes(*block[8 * i..].first_chunk().expect("a word"));
        }
        s = add(s, words);

        // V goes through A twice for each key: ten words of its sequence, eight in one register, two in the next.
        let twice = _mm512_broadcast_i64x4(m);
        let next = _mm512_maskz_permutexvar_epi64(0xf0, _mm512_set_epi64(0, 3, 2, 1, 0, 0, 0, 0), twice);
        let after = _mm512_maskz_permutexvar_epi64(0x80, _mm512_set1_epi64(1), twice);
        let v = _mm512_ternarylogic_epi64::<0x96>(twice, next, after);
        let v4 = _mm512_permutexvar_epi64(_mm512_set_epi64(0, 0, 0, 0, 0, 0, 5, 4), v);
        let v5 = _mm512_permutexvar_epi64(_mm512_set_epi64(0, 0, 0, 0, 0, 0, 6, 5), v);
        let v8 = _mm512_xor_si512(v4, v5);

        let mut keys = [_mm_setzero_si128(); 8];
        for half in 0..2 {
            let from_v = _mm512_permutex2var_epi8(v, load!(FROM_V[half].0), v8);
            let from_v = _mm512_xor_si512(from_v, load!(CONSTANT[half].0));
            let k = _mm512_xor_si512(_mm512_permutexvar_epi8(load!(FROM_U[half].0), h), from_v);
            keys[4 * half] = _mm512_castsi512_si128(k);
            keys[4 * half + 1] = _mm512_extracti32x4_epi32::<1>(k);
            keys[4 * half + 2] = _mm512_extracti32x4_epi32::<2>(k);
            keys[4 * half + 3] = _mm512_extracti32x4_epi32::<3>(k);
        }
        let h4 = _mm512_castsi512_si256(h);
        let (halves0, halves1) = (_mm256_castsi256_si128(h4), _mm256_extracti128_si256::<1>(h4));
        let halves = [_mm_castsi128_ps(halves0), _mm_castsi128_ps(halves1)];
        let mut n1 = _mm_castps_si128(_mm_shuffle_ps::<0b10_00_10_00>(halves[0], halves[1]));
        let mut n2 = _mm_castps_si128(_mm_shuffle_ps::<0b11_01_11_01>(halves[0], halves[1]));
        macro_rules! round {
            ($i:expr) => {
                // The keys' words three times up, once down.
                let x = _mm_add_epi32(n1, keys[if $i < 24 { $i % 8 } else { 31 - $i }]);
                // A digit and, above it, the number of its byte: (x & digit) | which.
                let i = _mm_ternarylogic_epi32::<0xea>(x, digit, which);
                let j = _mm_ternarylogic_epi32::<0xea>(_mm_srli_epi32::<4>(x), digit, which);
                let i = _mm512_castsi512_si128(_mm512_permutexvar_epi8(_mm512_castsi128_si512(i), low));
                let j = _mm512_castsi512_si128(_mm512_permutexvar_epi8(_mm512_castsi128_si512(j), high));
                let n = _mm_ternarylogic_epi32::<0x96>(n2, _mm_rol_epi32::<11>(i), _mm_rol_epi32::<11>(j));
                (n1, n2) = (n, n1);
            };
        }
        // What does not wait for the encryption, a term a round: in one piece it would be in the encryption's way.
        let (from_h, from_m) = (_mm512_zextsi256_si512(h4), _mm512_zextsi256_si512(m));
        let mut early = _mm512_setzero_si512();
        repeat16!(I => {
            round!(I);
            term!(early, from_h, 61, ALL, I);
        });
        repeat16!(I => {
            round!(16 + I);
            term!(early, from_m, 62, ALL, I);
        });
        // The halves change places at the end; n2 is ready a round before n1.
        early = _mm512_xor_si512(early, psi!(_mm512_zextsi128_si512(n2), 74, LOW));
        h = _mm512_xor_si512(early, psi!(_mm512_zextsi128_si512(n1), 74, HIGH));
    }
    // SAFETY: the state has 64 bytes.
    unsafe { _mm256_storeu_si256(packed.as_mut_ptr().cast(), _mm512_castsi512_si256(h)) };
    for i in 0..4 {
        packed[8 * (SUM + i)..][..8].copy_from_slice(&s[i].to_ne_bytes());
    }
}
