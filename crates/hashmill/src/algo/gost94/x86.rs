//! GOST94 on byte permutations: a 64-byte register is a table of four S-boxes. Kernels for one message and for
//! thirty-two.

#![allow(unsafe_code, reason = "loads of tables and blocks, stores of the state")]

use super::{C3, SUM, add, power};
use crate::algo::repeat16;
use crate::contract::Params;
use crate::simd::Rows;
use core::arch::x86_64::*;

/// The S-boxes of the low digit of each byte of a word, one box after the other, and those of the high digit, shifted
/// into place.
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

/// ORed above a digit in each byte of a word: the index of the byte, which selects its S-box in a register of four.
const WHICH: i32 = 0x3020_1000;

#[repr(C, align(64))]
struct Bytes([u8; 64]);

#[repr(C, align(64))]
struct Words([[u16; 32]; 16]);

/// The source of each key byte, for key words 0 to 3 (`half` = 0) or 4 to 7 (1), with each word of all four keys in
/// turn: byte k of word i of `U_j` is byte k of word i + `stride` · j of the sequence that A makes.
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

/// The contribution of C\[3\] to the keys: it is added to U before the third key and goes through A once before the
/// fourth.
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

/// ψ^n of sixteen 16-bit words, followed by what A makes of it: words 16 to 27 are words 0 to 11 + words 4 to 15. Each
/// word is a sum of words of the argument: row 0 holds the first term of every word, row 1 the second, and so on. Words
/// that are not in the argument (`at` = 31) are zero, and so are missing terms.
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

/// Index of a word of the argument that is always zero.
const ZERO: u16 = 31;

const ALL: [u16; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
/// Positions of the low and high halves of 64-bit words that lie in separate registers.
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

#[hashmill_isa::isa(AVX512 + VBMI)]
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
    let which = _mm_set1_epi32(WHICH);

    let mut s = [0; 4];
    for i in 0..4 {
        s[i] = u64::from_ne_bytes(*packed[8 * (SUM + i)..].first_chunk().expect("a word"));
    }
    // SAFETY: the state has 64 bytes.
    let h = unsafe { _mm256_loadu_si256(packed.as_ptr().cast()) };
    // H, then the sums of its neighboring words: seven 64-bit words, of which U_1 to U_4 are sections.
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

        // V goes through A twice per key: ten words of its sequence, eight in one register, two in the next.
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
                // The key words three times in ascending order, then once in descending order.
                let x = _mm_add_epi32(n1, keys[if $i < 24 { $i % 8 } else { 31 - $i }]);
                // A digit and, above it, the index of its byte: (x & digit) | which.
                let i = _mm_ternarylogic_epi32::<0xea>(x, digit, which);
                let j = _mm_ternarylogic_epi32::<0xea>(_mm_srli_epi32::<4>(x), digit, which);
                let i = _mm512_castsi512_si128(_mm512_permutexvar_epi8(_mm512_castsi128_si512(i), low));
                let j = _mm512_castsi512_si128(_mm512_permutexvar_epi8(_mm512_castsi128_si512(j), high));
                let n = _mm_ternarylogic_epi32::<0x96>(n2, _mm_rol_epi32::<11>(i), _mm_rol_epi32::<11>(j));
                (n1, n2) = (n, n1);
            };
        }
        // Work that does not depend on the encryption, one term per round: as one piece, it would delay the encryption.
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
        // The halves are swapped at the end; n2 is ready one round before n1.
        early = _mm512_xor_si512(early, psi!(_mm512_zextsi128_si512(n2), 74, LOW));
        h = _mm512_xor_si512(early, psi!(_mm512_zextsi128_si512(n1), 74, HIGH));
    }
    // SAFETY: the state has 64 bytes.
    unsafe { _mm256_storeu_si256(packed.as_mut_ptr().cast(), _mm512_castsi512_si256(h)) };
    for i in 0..4 {
        packed[8 * (SUM + i)..][..8].copy_from_slice(&s[i].to_ne_bytes());
    }
}

/// How many blocks the sums of [`avx512x32`] can take without a carry: 2^15 · 0xffff and two more symbols are less than
/// 2^32.
const CARRY_FREE: usize = 1 << 15;

/// Thirty-two messages. H, M and what is computed from them are 16-bit symbols, as ψ requires: a register holds symbol
/// i of all messages, with those of messages l and l + 16 side by side in 32-bit lane l. The encryptions take 32-bit
/// words of messages 0 to 15 and 16 to 31; eight of them run at a time.
#[hashmill_isa::isa(AVX512 + VBMI)]
pub(super) fn avx512x32(p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    assert!(packed.len() >= 2048 && rows.lanes() == 32 && rows.block() == 32);
    let Boxes(boxes) = if p.p[0] == 0 { &super::TEST_BOXES } else { &super::CRYPTOPRO_BOXES };
    // SAFETY: two rows of 64 bytes.
    let (low, high) =
        unsafe { (_mm512_load_si512(boxes[0].as_ptr().cast()), _mm512_load_si512(boxes[1].as_ptr().cast())) };
    let digit = _mm512_set1_epi8(0x0f);
    let which = _mm512_set1_epi32(WHICH);

    // The lower and the upper halves of the 32-bit lanes of two registers, and the even and the odd bytes of their
    // 16-bit lanes.
    macro_rules! quarter {
        ($x:literal) => {
            _mm512_broadcast_i32x4(_mm_set_epi32($x + 0x0c0c_0c0c, $x + 0x0808_0808, $x + 0x0404_0404, $x))
        };
    }
    let (up2, down2, up1, down1) =
        (quarter!(0x0100_0100), quarter!(0x0302_0302), quarter!(0x0202_0000), quarter!(0x0303_0101));
    macro_rules! lower {
        ($a:expr, $b:expr) => {
            _mm512_mask_shuffle_epi8($a, 0xcccc_cccc_cccc_cccc, $b, up2)
        };
    }
    macro_rules! upper {
        ($a:expr, $b:expr) => {
            _mm512_mask_shuffle_epi8($b, 0x3333_3333_3333_3333, $a, down2)
        };
    }
    macro_rules! even {
        ($a:expr, $b:expr) => {
            _mm512_mask_shuffle_epi8($a, 0xaaaa_aaaa_aaaa_aaaa, $b, up1)
        };
    }
    macro_rules! odd {
        ($a:expr, $b:expr) => {
            _mm512_mask_shuffle_epi8($b, 0x5555_5555_5555_5555, $a, down1)
        };
    }
    macro_rules! xor {
        ($a:expr, $b:expr) => {
            _mm512_xor_si512($a, $b)
        };
        ($a:expr, $b:expr, $c:expr) => {
            _mm512_ternarylogic_epi32::<0x96>($a, $b, $c)
        };
    }
    // Symbol n + 16 of the sequence that ψ makes.
    macro_rules! next {
        ($y:ident, $n:expr) => {
            xor!(xor!(xor!($y[$n], $y[$n + 1], $y[$n + 2]), $y[$n + 3], $y[$n + 12]), $y[$n + 15])
        };
    }

    let zero = _mm512_setzero_si512();
    let mut h = [zero; 16];
    // The symbols of Σ plus those of all blocks since: the sum of both halves of a lane as one number, and that of its
    // upper half alone.
    let mut sum = [[zero; 2]; 16];
    for w in 0..8 {
        // SAFETY: word w of H and of Σ of 32 lanes, within the 2048 bytes.
        let [a, b, c, d] = unsafe {
            let from = packed.as_ptr().add(128 * w);
            [
                _mm512_loadu_si512(from.cast()),
                _mm512_loadu_si512(from.add(64).cast()),
                _mm512_loadu_si512(from.add(1024).cast()),
                _mm512_loadu_si512(from.add(1088).cast()),
            ]
        };
        (h[2 * w], h[2 * w + 1]) = (lower!(a, b), upper!(a, b));
        let pair = [lower!(c, d), upper!(c, d)];
        for i in 0..2 {
            sum[2 * w + i] = [pair[i], _mm512_srli_epi32::<16>(pair[i])];
        }
    }
    let mut at = [core::ptr::null(); 32];
    for l in 0..32 {
        at[l] = rows.lane(l).as_ptr();
    }

    // Written before it is read; initializing with zeros would call a function.
    let mut blocks = [[low; 16]; 2];
    for b in 0..rows.blocks() {
        // Transposes two blocks at a time, so that a cache line is read once: rows a power of two apart would evict
        // each other from the cache before the next block. Rows l and l + 16 are interleaved, then the lanes of four
        // such pairs transposed, then the quarters: quarter q has the symbols from 8q on.
        if b % 2 == 0 {
            let there = if b + 1 < rows.blocks() { 0xff } else { 0x0f };
            for half in 0..2 {
                let mut t = [[zero; 4]; 4];
                for k in 0..4 {
                    let mut x = [zero; 4];
                    for i in 0..4 {
                        let l = 4 * k + i;
                        // SAFETY: two blocks of two rows, from block b on; only block b if it is the last.
                        let (r0, r1) = unsafe {
                            (
                                _mm512_maskz_loadu_epi64(there, at[l].add(32 * b).cast()),
                                _mm512_maskz_loadu_epi64(there, at[l + 16].add(32 * b).cast()),
                            )
                        };
                        x[i] = if half == 0 { _mm512_unpacklo_epi16(r0, r1) } else { _mm512_unpackhi_epi16(r0, r1) };
                    }
                    let (y0, y1) = (_mm512_unpacklo_epi32(x[0], x[1]), _mm512_unpackhi_epi32(x[0], x[1]));
                    let (y2, y3) = (_mm512_unpacklo_epi32(x[2], x[3]), _mm512_unpackhi_epi32(x[2], x[3]));
                    t[0][k] = _mm512_unpacklo_epi64(y0, y2);
                    t[1][k] = _mm512_unpackhi_epi64(y0, y2);
                    t[2][k] = _mm512_unpacklo_epi64(y1, y3);
                    t[3][k] = _mm512_unpackhi_epi64(y1, y3);
                }
                for i in 0..4 {
                    let [x0, x1, x2, x3] = t[i];
                    let (y0, y1) = (_mm512_shuffle_i32x4::<0x88>(x0, x1), _mm512_shuffle_i32x4::<0xdd>(x0, x1));
                    let (y2, y3) = (_mm512_shuffle_i32x4::<0x88>(x2, x3), _mm512_shuffle_i32x4::<0xdd>(x2, x3));
                    blocks[0][4 * half + i] = _mm512_shuffle_i32x4::<0x88>(y0, y2);
                    blocks[0][8 + 4 * half + i] = _mm512_shuffle_i32x4::<0x88>(y1, y3);
                    blocks[1][4 * half + i] = _mm512_shuffle_i32x4::<0xdd>(y0, y2);
                    blocks[1][8 + 4 * half + i] = _mm512_shuffle_i32x4::<0xdd>(y1, y3);
                }
            }
        }
        let m = &blocks[b % 2];
        for i in 0..16 {
            sum[i][0] = _mm512_add_epi32(sum[i][0], m[i]);
            sum[i][1] = _mm512_add_epi32(sum[i][1], _mm512_srli_epi32::<16>(m[i]));
        }
        if b % CARRY_FREE == CARRY_FREE - 1 {
            carry(&mut sum);
        }

        // The sequences that A makes of the words of H and M; the U_j and V_j are sections of them.
        let mut u = [zero; 28];
        let mut v = [zero; 40];
        for i in 0..16 {
            (u[i], v[i]) = (h[i], m[i]);
        }
        for i in 16..28 {
            u[i] = xor!(u[i - 16], u[i - 12]);
        }
        for i in 16..40 {
            v[i] = xor!(v[i - 16], v[i - 12]);
        }
        // The key words: word k of key j of messages 16g to 16g + 15 is keys[k][4g + j].
        let mut keys = [[zero; 8]; 8];
        macro_rules! keys {
            ($j:literal) => {
                for i in 0..4 {
                    let mut x = [zero; 4];
                    for n in 0..4 {
                        let s = 4 * n + i;
                        x[n] = match ($j, C3_SYMBOLS[if $j < 2 { 20 } else { s + 4 * ($j - 2) }]) {
                            (0 | 1, _) | (_, 0) => xor!(u[4 * $j + s], v[8 * $j + s]),
                            (_, c) => xor!(u[4 * $j + s], v[8 * $j + s], _mm512_set1_epi16(c.cast_signed())),
                        };
                    }
                    let (a, b) = (even!(x[0], x[1]), even!(x[2], x[3]));
                    let (c, d) = (odd!(x[0], x[1]), odd!(x[2], x[3]));
                    keys[2 * i][$j] = lower!(a, b);
                    keys[2 * i + 1][$j] = lower!(c, d);
                    keys[2 * i][4 + $j] = upper!(a, b);
                    keys[2 * i + 1][4 + $j] = upper!(c, d);
                }
            };
        }
        keys!(0);
        keys!(1);
        keys!(2);
        keys!(3);

        // The halves of the blocks, rotated back by eleven, so that one rotation of the S-box output serves both of its
        // uses.
        let (mut n1, mut n2) = ([zero; 8], [zero; 8]);
        for j in 0..4 {
            n1[j] = _mm512_ror_epi32::<11>(lower!(h[4 * j], h[4 * j + 1]));
            n1[4 + j] = _mm512_ror_epi32::<11>(upper!(h[4 * j], h[4 * j + 1]));
            n2[j] = _mm512_ror_epi32::<11>(lower!(h[4 * j + 2], h[4 * j + 3]));
            n2[4 + j] = _mm512_ror_epi32::<11>(upper!(h[4 * j + 2], h[4 * j + 3]));
        }
        macro_rules! round {
            ($n1:ident, $n2:ident, $key:expr) => {{
                let key = &keys[$key];
                round!(@each $n1, $n2, key, 0 1 2 3 4 5 6 7);
            }};
            (@each $n1:ident, $n2:ident, $key:ident, $($c:literal)*) => {
                $({
                    let x = _mm512_add_epi32(_mm512_rol_epi32::<11>($n1[$c]), $key[$c]);
                    // A digit and, above it, the index of its byte: (x & digit) | which.
                    let i = _mm512_ternarylogic_epi32::<0xea>(x, digit, which);
                    let j = _mm512_ternarylogic_epi32::<0xea>(_mm512_srli_epi32::<4>(x), digit, which);
                    $n2[$c] = xor!($n2[$c], _mm512_permutexvar_epi8(i, low), _mm512_permutexvar_epi8(j, high));
                })*
            };
        }
        for _ in 0..3 {
            round!(n1, n2, 0);
            round!(n2, n1, 1);
            round!(n1, n2, 2);
            round!(n2, n1, 3);
            round!(n1, n2, 4);
            round!(n2, n1, 5);
            round!(n1, n2, 6);
            round!(n2, n1, 7);
        }
        round!(n1, n2, 7);
        round!(n2, n1, 6);
        round!(n1, n2, 5);
        round!(n2, n1, 4);
        round!(n1, n2, 3);
        round!(n2, n1, 2);
        round!(n1, n2, 1);
        round!(n2, n1, 0);

        // The halves are swapped at the end. Then ψ^12, ψ and ψ^61; the first two step by step.
        let mut s = [zero; 29];
        for j in 0..4 {
            let (a, b) = (_mm512_rol_epi32::<11>(n2[j]), _mm512_rol_epi32::<11>(n2[4 + j]));
            (s[4 * j], s[4 * j + 1]) = (lower!(a, b), upper!(a, b));
            let (a, b) = (_mm512_rol_epi32::<11>(n1[j]), _mm512_rol_epi32::<11>(n1[4 + j]));
            (s[4 * j + 2], s[4 * j + 3]) = (lower!(a, b), upper!(a, b));
        }
        for i in 0..13 {
            s[16 + i] = next!(s, i);
        }
        let mut y = [zero; 16];
        for i in 0..15 {
            y[i] = xor!(s[13 + i], m[1 + i], h[i]);
        }
        y[15] = xor!(s[28], next!(m, 0), h[15]);
        // ψ^61 at once: each symbol is a sum of symbols, at most one sum for each four of them.
        macro_rules! some {
            ($row:expr, $from:literal) => {{
                let (a, b, c, d) = (y[$from], y[$from + 1], y[$from + 2], y[$from + 3]);
                match $row >> $from & 15 {
                    0 => zero,
                    1 => a,
                    2 => b,
                    3 => xor!(a, b),
                    4 => c,
                    5 => xor!(a, c),
                    6 => xor!(b, c),
                    7 => xor!(a, b, c),
                    8 => d,
                    9 => xor!(a, d),
                    10 => xor!(b, d),
                    11 => xor!(a, b, d),
                    12 => xor!(c, d),
                    13 => xor!(a, c, d),
                    14 => xor!(b, c, d),
                    _ => xor!(xor!(a, b), c, d),
                }
            }};
        }
        repeat16!(I => {
            const ROW: u16 = power(61 + I);
            h[I] = xor!(xor!(some!(ROW, 0), some!(ROW, 4)), some!(ROW, 8), some!(ROW, 12));
        });
    }

    carry(&mut sum);
    for w in 0..8 {
        let (low, high) = (sum[2 * w], sum[2 * w + 1]);
        // SAFETY: word w of H and of Σ of 32 lanes, within the 2048 bytes.
        unsafe {
            let to = packed.as_mut_ptr().add(128 * w);
            _mm512_storeu_si512(to.cast(), lower!(h[2 * w], h[2 * w + 1]));
            _mm512_storeu_si512(to.add(64).cast(), upper!(h[2 * w], h[2 * w + 1]));
            _mm512_storeu_si512(to.add(1024).cast(), lower!(low[0], high[0]));
            _mm512_storeu_si512(to.add(1088).cast(), upper!(low[0], high[0]));
        }
    }
}

/// Propagates carries from symbol to symbol, after which each sum is one symbol again.
#[inline]
#[hashmill_isa::isa(AVX512)]
fn carry(sum: &mut [[__m512i; 2]; 16]) {
    let mut carry = [_mm512_setzero_si512(); 2];
    for [both, upper] in sum {
        let lower = _mm512_sub_epi32(*both, _mm512_slli_epi32::<16>(*upper));
        carry = [_mm512_add_epi32(carry[0], lower), _mm512_add_epi32(carry[1], *upper)];
        *both = _mm512_mask_blend_epi16(0xaaaa_aaaa, carry[0], _mm512_slli_epi32::<16>(carry[1]));
        *upper = _mm512_srli_epi32::<16>(*both);
        carry = [_mm512_srli_epi32::<16>(carry[0]), _mm512_srli_epi32::<16>(carry[1])];
    }
}

/// The 16-bit symbols of C\[3\], four more that A makes of them, and a zero.
const C3_SYMBOLS: [u16; 21] = {
    let c = [C3[0], C3[1], C3[2], C3[3], C3[0] ^ C3[1]];
    let mut all = [0; 21];
    let mut i = 0;
    while i < 20 {
        all[i] = (c[i / 4] >> (16 * (i % 4))) as u16;
        i += 1;
    }
    all
};
