//! Grøstl with the CPU's AES instructions.
//!
//! `aesenclast` is SubBytes, then AES's ShiftRows, then the addition of a key. The permutation before or after it
//! undoes ShiftRows and does ShiftBytes in one go, and the key is what MixBytes turns into the constants of the next
//! round.
//!
//! MixBytes is y4 ^ 2·(y7 ^ 2·x3), where index n means row i + n,
//! t = a ^ a1, x = t ^ t3, y = t ^ t2 ^ a6.

use super::{MIX, SHIFT_P, SHIFT_Q, rounds, times};
use crate::algo::x86_bytes::{Aligned, load128, load256, load512, piece, piece_mut, store128, store512};
use crate::contract::Params;
use crate::simd::{Rows, align_frame};
use core::arch::x86_64::*;

/// The operations of the kernels that keep rows in registers.
macro_rules! sse {
    (shuffle $a:expr, $b:expr) => {
        _mm_shuffle_epi8($a, $b)
    };
    (low16 $a:expr, $b:expr) => {
        _mm_unpacklo_epi16($a, $b)
    };
    (high16 $a:expr, $b:expr) => {
        _mm_unpackhi_epi16($a, $b)
    };
    (low32 $a:expr, $b:expr) => {
        _mm_unpacklo_epi32($a, $b)
    };
    (high32 $a:expr, $b:expr) => {
        _mm_unpackhi_epi32($a, $b)
    };
    (low64 $a:expr, $b:expr) => {
        _mm_unpacklo_epi64($a, $b)
    };
    (high64 $a:expr, $b:expr) => {
        _mm_unpackhi_epi64($a, $b)
    };
    (each $bytes:expr) => {
        load128($bytes)
    };
    (load $l:ident => $bytes:expr) => {{
        let $l = 0;
        load128($bytes)
    }};
    (store $x:expr, $l:ident => $bytes:expr) => {{
        let $l = 0;
        store128($bytes, $x)
    }};
    (xor $a:expr, $b:expr) => {
        _mm_xor_si128($a, $b)
    };
    (xor3 $a:expr, $b:expr, $c:expr) => {
        _mm_xor_si128(_mm_xor_si128($a, $b), $c)
    };
    (substitute $x:expr, $shuffle:expr, $key:expr) => {
        _mm_aesenclast_si128(_mm_shuffle_epi8($x, $shuffle), $key)
    };
    (double $x:expr) => {{
        let x = $x;
        let high = _mm_cmpgt_epi8(_mm_setzero_si128(), x);
        _mm_xor_si128(_mm_add_epi8(x, x), _mm_and_si128(high, _mm_set1_epi8(0x1b)))
    }};
    (sum $y4:expr, $y7:expr, $x3:expr) => {{
        let z = _mm_xor_si128($y7, sse!(double $x3));
        _mm_xor_si128($y4, sse!(double z))
    }};
}

macro_rules! avx2 {
    (shuffle $a:expr, $b:expr) => {
        _mm256_shuffle_epi8($a, $b)
    };
    (low16 $a:expr, $b:expr) => {
        _mm256_unpacklo_epi16($a, $b)
    };
    (high16 $a:expr, $b:expr) => {
        _mm256_unpackhi_epi16($a, $b)
    };
    (low32 $a:expr, $b:expr) => {
        _mm256_unpacklo_epi32($a, $b)
    };
    (high32 $a:expr, $b:expr) => {
        _mm256_unpackhi_epi32($a, $b)
    };
    (low64 $a:expr, $b:expr) => {
        _mm256_unpacklo_epi64($a, $b)
    };
    (high64 $a:expr, $b:expr) => {
        _mm256_unpackhi_epi64($a, $b)
    };
    (each $bytes:expr) => {
        _mm256_broadcastsi128_si256(load128($bytes))
    };
    (load $l:ident => $bytes:expr) => {{
        let [first, second] = [
            {
                let $l = 0;
                load128($bytes)
            },
            {
                let $l = 1;
                load128($bytes)
            },
        ];
        _mm256_set_m128i(second, first)
    }};
    (store $x:expr, $l:ident => $bytes:expr) => {{
        {
            let $l = 0;
            store128($bytes, _mm256_castsi256_si128($x));
        }
        let $l = 1;
        store128($bytes, _mm256_extracti128_si256::<1>($x));
    }};
    (xor $a:expr, $b:expr) => {
        _mm256_xor_si256($a, $b)
    };
    (xor3 $a:expr, $b:expr, $c:expr) => {
        _mm256_xor_si256(_mm256_xor_si256($a, $b), $c)
    };
    (substitute $x:expr, $shuffle:expr, $key:expr) => {
        _mm256_aesenclast_epi128(_mm256_shuffle_epi8($x, $shuffle), $key)
    };
    (double $x:expr) => {{
        let x = $x;
        let high = _mm256_cmpgt_epi8(_mm256_setzero_si256(), x);
        _mm256_xor_si256(_mm256_add_epi8(x, x), _mm256_and_si256(high, _mm256_set1_epi8(0x1b)))
    }};
    (sum $y4:expr, $y7:expr, $x3:expr) => {{
        let z = _mm256_xor_si256($y7, avx2!(double $x3));
        _mm256_xor_si256($y4, avx2!(double z))
    }};
}

macro_rules! avx512 {
    (xor $a:expr, $b:expr) => {
        _mm256_xor_si256($a, $b)
    };
    (xor3 $a:expr, $b:expr, $c:expr) => {
        _mm256_ternarylogic_epi64::<0x96>($a, $b, $c)
    };
    (substitute $x:expr, $shuffle:expr, $key:expr) => {
        _mm256_aesenclast_epi128(_mm256_shuffle_epi8($x, $shuffle), $key)
    };
    (sum $y4:expr, $y7:expr, $x3:expr) => {{
        let two = _mm256_gf2p8mul_epi8($y7, _mm256_set1_epi8(2));
        let four = _mm256_gf2p8mul_epi8($x3, _mm256_set1_epi8(4));
        _mm256_ternarylogic_epi64::<0x96>($y4, two, four)
    }};
}

macro_rules! wide {
    (xor $a:expr, $b:expr) => {
        _mm512_xor_si512($a, $b)
    };
    (xor3 $a:expr, $b:expr, $c:expr) => {
        _mm512_ternarylogic_epi64::<0x96>($a, $b, $c)
    };
    (substitute $x:expr, $shuffle:expr, $key:expr) => {
        _mm512_aesenclast_epi128(_mm512_shuffle_epi8($x, $shuffle), $key)
    };
    (sum $y4:expr, $y7:expr, $x3:expr) => {{
        let two = _mm512_gf2p8mul_epi8($y7, _mm512_set1_epi8(2));
        let four = _mm512_gf2p8mul_epi8($x3, _mm512_set1_epi8(4));
        _mm512_ternarylogic_epi64::<0x96>($y4, two, four)
    }};
}

/// All rounds on eight registers of rows, after the constants of the first round have been added. `shuffle` and `key`
/// are those of round r, row i.
macro_rules! rounds_on_rows {
    ($isa:ident, $a:ident, $rounds:expr, |$r:ident, $i:ident| $shuffle:expr, $key:expr) => {
        for $r in 1..=$rounds {
            round_on_rows!($isa, $a, |$i| $shuffle, $key);
        }
    };
}

/// One round on eight registers of rows.
macro_rules! round_on_rows {
    ($isa:ident, $a:expr, |$i:ident| $shuffle:expr, $key:expr) => {
        for $i in 0..8 {
            $a[$i] = $isa!(substitute $a[$i], $shuffle, $key);
        }
        let (mut t, mut x, mut y) = ($a, $a, $a);
        for i in 0..8 {
            t[i] = $isa!(xor $a[i], $a[(i + 1) % 8]);
        }
        for i in 0..8 {
            x[i] = $isa!(xor t[i], t[(i + 3) % 8]);
            y[i] = $isa!(xor3 t[i], t[(i + 2) % 8], $a[(i + 6) % 8]);
        }
        for i in 0..8 {
            $a[i] = $isa!(sum y[(i + 4) % 8], y[(i + 7) % 8], x[(i + 3) % 8]);
        }
    };
}

/// 224 and 256 bits: 8 columns.
pub(super) mod short {
    use super::*;

    const ROUNDS: usize = rounds(8) as usize;

    /// P and Q in one 64-byte register each, column by column as they lie in memory. Row indices become rotations of
    /// columns.
    #[hashmill_isa::isa(AVX512 + VBMI + VAES + GFNI)]
    pub(in crate::algo::groestl) fn gfni(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
        assert!(packed.len() >= 64 && rows.lanes() == 1 && rows.block() == 64);
        let zero = load512(&SHIFTED.0[0][0]);
        let mut shifted = [[zero; 4]; 2];
        for n in 0..4 {
            shifted[0][n] = load512(&SHIFTED.0[0][n]);
            shifted[1][n] = load512(&SHIFTED.0[1][n]);
        }
        // Not rotations of words: shuffles have a port of their own (4.1 instead of 4.4 cycles/byte).
        let mut further = [zero; 8];
        for n in 0..8 {
            further[n] = load512(&FURTHER.0[n]);
        }
        macro_rules! round {
            ($x:ident, $q:literal, $r:expr) => {{
                let s = _mm512_aesenclast_epi128($x, load512(&KEYS.0[$q][$r]));
                let (a, a1) = (_mm512_permutexvar_epi8(shifted[$q][0], s), _mm512_permutexvar_epi8(shifted[$q][1], s));
                let (a2, a5) = (_mm512_permutexvar_epi8(shifted[$q][2], s), _mm512_permutexvar_epi8(shifted[$q][3], s));
                let t = _mm512_xor_si512(a, a1);
                let (t1, t3) = (_mm512_shuffle_epi8(t, further[1]), _mm512_shuffle_epi8(t, further[3]));
                let (t4, t6) = (_mm512_shuffle_epi8(t, further[4]), _mm512_shuffle_epi8(t, further[6]));
                let t7 = _mm512_shuffle_epi8(t, further[7]);
                let y4 = _mm512_ternarylogic_epi64::<0x96>(t4, t6, a2);
                let y7 = _mm512_ternarylogic_epi64::<0x96>(t7, t1, a5);
                let x3 = _mm512_xor_si512(t3, t6);
                let two = _mm512_gf2p8mul_epi8(y7, _mm512_set1_epi8(2));
                let four = _mm512_gf2p8mul_epi8(x3, _mm512_set1_epi8(4));
                $x = _mm512_ternarylogic_epi64::<0x96>(y4, two, four);
            }};
        }
        let mut h = load512(piece(packed, 0));
        for b in 0..rows.blocks() {
            let m = load512(piece(rows.lane(0), 64 * b));
            let mut p = _mm512_ternarylogic_epi64::<0x96>(h, m, load512(&KEYS.0[0][0]));
            let mut q = _mm512_xor_si512(m, load512(&KEYS.0[1][0]));
            for r in 1..=ROUNDS {
                round!(p, 0, r);
                round!(q, 1, r);
            }
            h = _mm512_ternarylogic_epi64::<0x96>(h, p, q);
        }
        store512(piece_mut(packed, 0), h);
    }

    /// A row of four messages in each register: P and Q of the first, then of the second, … Groups of four messages are
    /// interleaved.
    macro_rules! in_fours {
        ($($name:ident, $fours:literal;)*) => {$(
            #[hashmill_isa::isa(AVX512 + VBMI + VAES + GFNI)]
            pub(in crate::algo::groestl) fn $name(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
                assert!(packed.len() >= 256 * $fours && rows.lanes() == 4 * $fours && rows.block() == 64);
                align_frame::<__m512i>();
                let transpose = load512(&TRANSPOSE.0);
                // Rows i and 4 + i of two messages, each twice.
                let two = _mm512_set_epi64(12, 12, 4, 4, 8, 8, 0, 0);
                let mut twice = [two; 4];
                for i in 0..4 {
                    twice[i] = _mm512_add_epi64(two, _mm512_set1_epi64(i as i64));
                }
                macro_rules! transposed {
                    ($l:ident => $bytes:expr, $at:expr) => {{
                        let mut x = [two; 4];
                        for $l in 0..4 {
                            x[$l] = _mm512_permutexvar_epi8(transpose, load512(piece($bytes, $at)));
                        }
                        let mut m = [two; 8];
                        for i in 0..4 {
                            let first = _mm512_permutex2var_epi64(x[0], twice[i], x[1]);
                            let second = _mm512_permutex2var_epi64(x[2], twice[i], x[3]);
                            m[i] = _mm512_shuffle_i64x2::<0x44>(first, second);
                            m[4 + i] = _mm512_shuffle_i64x2::<0xee>(first, second);
                        }
                        m
                    }};
                }
                // A row of h has its bytes where P is, and zeros where Q is.
                const P: u8 = 0x55;
                let mut h = [[two; 8]; $fours];
                let mut lanes = [rows.lane(0); 4 * $fours];
                for l in 0..4 * $fours {
                    lanes[l] = rows.lane(l);
                }
                for g in 0..$fours {
                    let m = transposed!(l => packed, 256 * g + 64 * l);
                    for i in 0..8 {
                        h[g][i] = _mm512_maskz_mov_epi64(P, m[i]);
                    }
                }
                for b in 0..rows.blocks() {
                    let mut a = h;
                    for g in 0..$fours {
                        let m = transposed!(l => lanes[4 * g + l], 64 * b);
                        for i in 0..8 {
                            let key = _mm512_broadcast_i32x4(load128(&ROWS.0.keys[0][i]));
                            a[g][i] = wide!(xor3 h[g][i], m[i], key);
                        }
                    }
                    for r in 1..=ROUNDS {
                        for g in 0..$fours {
                            round_on_rows!(
                                wide,
                                a[g],
                                |i| _mm512_broadcast_i32x4(load128(&ROWS.0.shuffles[i])),
                                _mm512_broadcast_i32x4(load128(&ROWS.0.keys[r][i]))
                            );
                        }
                    }
                    for g in 0..$fours {
                        for i in 0..8 {
                            let q = _mm512_shuffle_epi32::<0b01_00_11_10>(a[g][i]);
                            h[g][i] = _mm512_maskz_ternarylogic_epi64::<0x96>(P, h[g][i], a[g][i], q);
                        }
                    }
                }
                for g in 0..$fours {
                    // Two rows of each message, then four rows of two messages, then all rows of one.
                    let (mut x, mut y) = ([two; 4], [two; 4]);
                    for k in 0..4 {
                        x[k] = _mm512_unpacklo_epi64(h[g][2 * k], h[g][2 * k + 1]);
                    }
                    for k in 0..2 {
                        y[k] = _mm512_shuffle_i64x2::<0x44>(x[2 * k], x[2 * k + 1]);
                        y[2 + k] = _mm512_shuffle_i64x2::<0xee>(x[2 * k], x[2 * k + 1]);
                    }
                    for k in 0..2 {
                        x[2 * k] = _mm512_shuffle_i64x2::<0b10_00_10_00>(y[2 * k], y[2 * k + 1]);
                        x[2 * k + 1] = _mm512_shuffle_i64x2::<0b11_01_11_01>(y[2 * k], y[2 * k + 1]);
                    }
                    for l in 0..4 {
                        store512(piece_mut(packed, 256 * g + 64 * l), _mm512_permutexvar_epi8(transpose, x[l]));
                    }
                }
            }
        )*};
    }

    in_fours! {
        gfnix4, 1;
        gfnix8, 2;
    }

    /// Converts the columns of a matrix of 8 × 8 bytes to rows, and back.
    static TRANSPOSE: Aligned<[u8; 64]> = {
        let mut to = [0; 64];
        let mut k = 0;
        while k < 64 {
            to[k] = (k % 8 * 8 + k / 8) as u8;
            k += 1;
        }
        Aligned(to)
    };

    /// A row of P and the same row of Q in each register, of one message in every 16 bytes.
    macro_rules! by_rows {
        ($name:ident, $features:tt, $isa:ident, $n:literal) => {
            #[hashmill_isa::isa($features)]
            pub(in crate::algo::groestl) fn $name(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
                assert!(packed.len() >= 64 * $n && rows.lanes() == $n && rows.block() == 64);
                align_frame::<__m256i>();
                let pairs = $isa!(each &PAIRS);
                // Converts four registers of two columns to four of two rows.
                macro_rules! transposed {
                    ($l:ident => $bytes:expr, $at:expr) => {{
                        let mut x = [pairs; 4];
                        for k in 0..4 {
                            x[k] = $isa!(shuffle $isa!(load $l => piece($bytes, $at + 16 * k)), pairs);
                        }
                        transposed4!(x)
                    }};
                }
                macro_rules! transposed4 {
                    ($x:expr) => {{
                        let x = $x;
                        let (low, high) = ($isa!(low16 x[0], x[1]), $isa!(high16 x[0], x[1]));
                        let (low1, high1) = ($isa!(low16 x[2], x[3]), $isa!(high16 x[2], x[3]));
                        [
                            $isa!(low32 low, low1),
                            $isa!(high32 low, low1),
                            $isa!(low32 high, high1),
                            $isa!(high32 high, high1),
                        ]
                    }};
                }
                let mut h = transposed!(l => packed, 64 * l);
                let mut lanes = [rows.lane(0); $n];
                for l in 0..$n {
                    lanes[l] = rows.lane(l);
                }
                for b in 0..rows.blocks() {
                    let m = transposed!(l => lanes[l], 64 * b);
                    let mut a = [pairs; 8];
                    for k in 0..4 {
                        let hm = $isa!(xor h[k], m[k]);
                        a[2 * k] = $isa!(xor $isa!(low64 hm, m[k]), $isa!(each &ROWS.0.keys[0][2 * k]));
                        a[2 * k + 1] = $isa!(xor $isa!(high64 hm, m[k]), $isa!(each &ROWS.0.keys[0][2 * k + 1]));
                    }
                    rounds_on_rows!($isa, a, ROUNDS, |r, i| $isa!(each &ROWS.0.shuffles[i]), $isa!(each &ROWS.0.keys[r][i]));
                    for k in 0..4 {
                        let (p, q) = ($isa!(low64 a[2 * k], a[2 * k + 1]), $isa!(high64 a[2 * k], a[2 * k + 1]));
                        h[k] = $isa!(xor3 h[k], p, q);
                    }
                }
                for k in 0..4 {
                    h[k] = $isa!(shuffle h[k], pairs);
                }
                let h = transposed4!(h);
                for k in 0..4 {
                    $isa!(store h[k], l => piece_mut(packed, 64 * l + 16 * k));
                }
            }
        };
    }

    by_rows!(aesni, [AESNI], sse, 1);
    by_rows!(vaesx2, [AVX2 + VAES], avx2, 2);

    static ROWS: Aligned<ByRows<16, { ROUNDS + 1 }>> = Aligned(ByRows::of(8));

    /// Rotates columns by n rows.
    static FURTHER: Aligned<[[u8; 64]; 8]> = {
        let mut f = [[0; 64]; 8];
        let mut k = 0;
        while k < 512 {
            f[k / 64][k % 64] = (k % 64 / 8 * 8 + (k + k / 64) % 8) as u8;
            k += 1;
        }
        Aligned(f)
    };

    /// For P and Q: the permutations that shift bytes and yield rows 0, 1, 2 and 5 further on.
    static SHIFTED: Aligned<[[[u8; 64]; 4]; 2]> = {
        const FURTHER: [usize; 4] = [0, 1, 2, 5];
        let mut shifted = [[[0; 64]; 4]; 2];
        let mut k = 0;
        while k < 512 {
            let (q, n, j, i) = (k / 256, k / 64 % 4, k / 8 % 8, (k + FURTHER[k / 64 % 4]) % 8);
            shifted[q][n][k % 64] = substituted(q, i, j) as u8;
            k += 1;
        }
        Aligned(shifted)
    };

    /// Position in a register, after `aesenclast`, of the byte that belongs in row i, column j.
    const fn substituted(q: usize, i: usize, j: usize) -> usize {
        let from = (j + shift(8, q)[i]) % 8 * 8 + i;
        let mut to = 0;
        while shift_rows(to) != from % 16 {
            to += 1;
        }
        from / 16 * 16 + to
    }

    /// For P and Q: the constants of the first round, then the keys of every round.
    static KEYS: Aligned<[[[u8; 64]; ROUNDS + 1]; 2]> = {
        let mut keys = [[[0; 64]; ROUNDS + 1]; 2];
        let mut q = 0;
        while q < 2 {
            let mut k = 0;
            while k < 64 * (ROUNDS + 1) {
                let (r, i, j) = (k / 64, k % 8, k / 8 % 8);
                let at = if r == 0 { k % 64 } else { substituted(q, i, j) };
                keys[q][r][at] = key(q, 8, r, i, j);
                k += 1;
            }
            q += 1;
        }
        Aligned(keys)
    };
}

/// 384 and 512 bits: 16 columns.
pub(super) mod long {
    use super::*;

    const ROUNDS: usize = rounds(16) as usize;

    /// A row of P and the same row of Q in each register.
    #[hashmill_isa::isa(AVX512 + VBMI + VAES + GFNI)]
    pub(in crate::algo::groestl) fn gfni(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
        assert!(packed.len() >= 128 && rows.lanes() == 1 && rows.block() == 128);
        let to_rows = [load512(&TO_ROWS.0[0]), load512(&TO_ROWS.0[1])];
        // Four rows per register.
        macro_rules! transposed {
            ($bytes:expr, $at:expr) => {{
                let (x, y) = (load512(piece($bytes, $at)), load512(piece($bytes, $at + 64)));
                [_mm512_permutex2var_epi8(x, to_rows[0], y), _mm512_permutex2var_epi8(x, to_rows[1], y)]
            }};
        }
        let first = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0);
        let last = _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4);
        let p = _mm512_set_epi64(13, 12, 9, 8, 5, 4, 1, 0);
        let q = _mm512_set_epi64(15, 14, 11, 10, 7, 6, 3, 2);
        let mut h = transposed!(packed, 0);
        for b in 0..rows.blocks() {
            let m = transposed!(rows.lane(0), 128 * b);
            let mut a = [_mm256_setzero_si256(); 8];
            for k in 0..2 {
                let hm = _mm512_xor_si512(h[k], m[k]);
                let low = _mm512_permutex2var_epi64(hm, first, m[k]);
                let high = _mm512_permutex2var_epi64(hm, last, m[k]);
                a[4 * k] = _mm512_castsi512_si256(low);
                a[4 * k + 1] = _mm512_extracti64x4_epi64::<1>(low);
                a[4 * k + 2] = _mm512_castsi512_si256(high);
                a[4 * k + 3] = _mm512_extracti64x4_epi64::<1>(high);
            }
            for i in 0..8 {
                a[i] = _mm256_xor_si256(a[i], load256(&ROWS.0.keys[0][i]));
            }
            rounds_on_rows!(avx512, a, ROUNDS, |r, i| load256(&ROWS.0.shuffles[i]), load256(&ROWS.0.keys[r][i]));
            for k in 0..2 {
                let low = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(a[4 * k]), a[4 * k + 1]);
                let high = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(a[4 * k + 2]), a[4 * k + 3]);
                let of_p = _mm512_permutex2var_epi64(low, p, high);
                let of_q = _mm512_permutex2var_epi64(low, q, high);
                h[k] = _mm512_ternarylogic_epi64::<0x96>(h[k], of_p, of_q);
            }
        }
        for k in 0..2 {
            let columns = _mm512_permutex2var_epi8(h[0], load512(&TO_COLUMNS.0[k]), h[1]);
            store512(piece_mut(packed, 64 * k), columns);
        }
    }

    /// A row of two messages in each register: P and Q of the first, then of the second. Pairs of messages are
    /// interleaved.
    macro_rules! in_pairs {
        ($($name:ident, $pairs:literal;)*) => {$(
            #[hashmill_isa::isa(AVX512 + VBMI + VAES + GFNI)]
            pub(in crate::algo::groestl) fn $name(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
                assert!(packed.len() >= 256 * $pairs && rows.lanes() == 2 * $pairs && rows.block() == 128);
                align_frame::<__m512i>();
                let to_rows = [load512(&TO_ROWS.0[0]), load512(&TO_ROWS.0[1])];
                // Row i of two messages, each twice.
                macro_rules! transposed {
                    ($first:expr, $at:expr, $second:expr, $at1:expr) => {{
                        let (x, y) = (load512(piece($first, $at)), load512(piece($first, $at + 64)));
                        let (z, w) = (load512(piece($second, $at1)), load512(piece($second, $at1 + 64)));
                        let mut m = [x; 8];
                        for k in 0..2 {
                            let x = _mm512_permutex2var_epi8(x, to_rows[k], y);
                            let z = _mm512_permutex2var_epi8(z, to_rows[k], w);
                            m[4 * k] = _mm512_shuffle_i64x2::<0x00>(x, z);
                            m[4 * k + 1] = _mm512_shuffle_i64x2::<0x55>(x, z);
                            m[4 * k + 2] = _mm512_shuffle_i64x2::<0xaa>(x, z);
                            m[4 * k + 3] = _mm512_shuffle_i64x2::<0xff>(x, z);
                        }
                        m
                    }};
                }
                // A row of h has its bytes where P is, and zeros where Q is.
                const P: u8 = 0x33;
                let mut h = [[to_rows[0]; 8]; $pairs];
                let mut lanes = [rows.lane(0); 2 * $pairs];
                for l in 0..2 * $pairs {
                    lanes[l] = rows.lane(l);
                }
                for g in 0..$pairs {
                    let m = transposed!(packed, 256 * g, packed, 256 * g + 128);
                    for i in 0..8 {
                        h[g][i] = _mm512_maskz_mov_epi64(P, m[i]);
                    }
                }
                for b in 0..rows.blocks() {
                    let mut a = h;
                    for g in 0..$pairs {
                        let m = transposed!(lanes[2 * g], 128 * b, lanes[2 * g + 1], 128 * b);
                        for i in 0..8 {
                            let key = _mm512_broadcast_i64x4(load256(&ROWS.0.keys[0][i]));
                            a[g][i] = wide!(xor3 h[g][i], m[i], key);
                        }
                    }
                    for r in 1..=ROUNDS {
                        for g in 0..$pairs {
                            round_on_rows!(
                                wide,
                                a[g],
                                |i| _mm512_broadcast_i64x4(load256(&ROWS.0.shuffles[i])),
                                _mm512_broadcast_i64x4(load256(&ROWS.0.keys[r][i]))
                            );
                        }
                    }
                    for g in 0..$pairs {
                        for i in 0..8 {
                            let q = _mm512_shuffle_i64x2::<0b10_11_00_01>(a[g][i], a[g][i]);
                            h[g][i] = _mm512_maskz_ternarylogic_epi64::<0x96>(P, h[g][i], a[g][i], q);
                        }
                    }
                }
                for g in 0..$pairs {
                    let mut four = [h[g]; 2];
                    for k in 0..2 {
                        let x = _mm512_shuffle_i64x2::<0b10_00_10_00>(h[g][4 * k], h[g][4 * k + 1]);
                        let y = _mm512_shuffle_i64x2::<0b10_00_10_00>(h[g][4 * k + 2], h[g][4 * k + 3]);
                        four[0][k] = _mm512_shuffle_i64x2::<0b10_00_10_00>(x, y);
                        four[1][k] = _mm512_shuffle_i64x2::<0b11_01_11_01>(x, y);
                    }
                    for l in 0..2 {
                        for k in 0..2 {
                            let columns = _mm512_permutex2var_epi8(four[l][0], load512(&TO_COLUMNS.0[k]), four[l][1]);
                            store512(piece_mut(packed, 256 * g + 128 * l + 64 * k), columns);
                        }
                    }
                }
            }
        )*};
    }

    in_pairs! {
        gfnix2, 1;
        gfnix4, 2;
    }

    /// Converts eight registers of two columns, as they lie in memory, to eight of one row.
    macro_rules! to_rows {
        ($bytes:expr, $at:expr) => {{
            let pairs = load128(&PAIRS);
            let mut x = [pairs; 8];
            for k in 0..8 {
                x[k] = _mm_shuffle_epi8(load128(piece($bytes, $at + 16 * k)), pairs);
            }
            let mut y = x;
            for k in 0..4 {
                y[k] = _mm_unpacklo_epi16(x[2 * k], x[2 * k + 1]);
                y[4 + k] = _mm_unpackhi_epi16(x[2 * k], x[2 * k + 1]);
            }
            for k in 0..4 {
                // Rows 0 and 1, 2 and 3, … of eight columns.
                x[2 * k] = _mm_unpacklo_epi32(y[2 * k], y[2 * k + 1]);
                x[2 * k + 1] = _mm_unpackhi_epi32(y[2 * k], y[2 * k + 1]);
            }
            // x[0], x[1]: rows 0 to 3 of columns 0 to 7, x[2], x[3]: of columns 8 to 15, x[4] …: rows 4 to 7.
            for k in 0..4 {
                let (low, high) = (x[k / 2 * 4 + k % 2], x[k / 2 * 4 + k % 2 + 2]);
                y[2 * k] = _mm_unpacklo_epi64(low, high);
                y[2 * k + 1] = _mm_unpackhi_epi64(low, high);
            }
            y
        }};
    }

    /// Converts rows back to columns in memory.
    macro_rules! to_columns {
        ($rows:expr, $bytes:expr) => {{
            let x = $rows;
            let mut y = x;
            for k in 0..4 {
                y[k] = _mm_unpacklo_epi8(x[2 * k], x[2 * k + 1]);
                y[4 + k] = _mm_unpackhi_epi8(x[2 * k], x[2 * k + 1]);
            }
            let mut z = y;
            for k in 0..2 {
                z[4 * k] = _mm_unpacklo_epi16(y[4 * k], y[4 * k + 1]);
                z[4 * k + 1] = _mm_unpacklo_epi16(y[4 * k + 2], y[4 * k + 3]);
                z[4 * k + 2] = _mm_unpackhi_epi16(y[4 * k], y[4 * k + 1]);
                z[4 * k + 3] = _mm_unpackhi_epi16(y[4 * k + 2], y[4 * k + 3]);
            }
            for k in 0..4 {
                store128(piece_mut($bytes, 32 * k), _mm_unpacklo_epi32(z[2 * k], z[2 * k + 1]));
                store128(piece_mut($bytes, 32 * k + 16), _mm_unpackhi_epi32(z[2 * k], z[2 * k + 1]));
            }
        }};
    }

    /// [`gfni`] without AVX-512.
    #[hashmill_isa::isa(AVX2 + VAES)]
    pub(in crate::algo::groestl) fn vaes(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
        assert!(packed.len() >= 128 && rows.lanes() == 1 && rows.block() == 128);
        align_frame::<__m256i>();
        let mut h = to_rows!(packed, 0);
        for b in 0..rows.blocks() {
            let m = to_rows!(rows.lane(0), 128 * b);
            let mut a = [_mm256_setzero_si256(); 8];
            for i in 0..8 {
                let pq = _mm256_set_m128i(m[i], _mm_xor_si128(h[i], m[i]));
                a[i] = _mm256_xor_si256(pq, load256(&ROWS.0.keys[0][i]));
            }
            rounds_on_rows!(avx2, a, ROUNDS, |r, i| load256(&ROWS.0.shuffles[i]), load256(&ROWS.0.keys[r][i]));
            for i in 0..8 {
                h[i] = sse!(xor3 h[i], _mm256_castsi256_si128(a[i]), _mm256_extracti128_si256::<1>(a[i]));
            }
        }
        to_columns!(h, packed);
    }

    /// P, then Q.
    #[hashmill_isa::isa(AESNI)]
    pub(in crate::algo::groestl) fn aesni(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
        assert!(packed.len() >= 128 && rows.lanes() == 1 && rows.block() == 128);
        let mut h = to_rows!(packed, 0);
        for b in 0..rows.blocks() {
            let m = to_rows!(rows.lane(0), 128 * b);
            let mut a = m;
            for i in 0..8 {
                a[i] = sse!(xor3 h[i], m[i], load128(piece(&ROWS.0.keys[0][i], 0)));
            }
            rounds_on_rows!(
                sse,
                a,
                ROUNDS,
                |r, i| load128(piece(&ROWS.0.shuffles[i], 0)),
                load128(piece(&ROWS.0.keys[r][i], 0))
            );
            for i in 0..8 {
                h[i] = _mm_xor_si128(h[i], a[i]);
                a[i] = _mm_xor_si128(m[i], load128(piece(&ROWS.0.keys[0][i], 16)));
            }
            rounds_on_rows!(
                sse,
                a,
                ROUNDS,
                |r, i| load128(piece(&ROWS.0.shuffles[i], 16)),
                load128(piece(&ROWS.0.keys[r][i], 16))
            );
            for i in 0..8 {
                h[i] = _mm_xor_si128(h[i], a[i]);
            }
        }
        to_columns!(h, packed);
    }

    static ROWS: Aligned<ByRows<32, { ROUNDS + 1 }>> = Aligned(ByRows::of(16));

    /// Converts two registers of columns to rows 0 to 3, and to rows 4 to 7.
    static TO_ROWS: Aligned<[[u8; 64]; 2]> = {
        let mut to = [[0; 64]; 2];
        let mut k = 0;
        while k < 128 {
            to[k / 64][k % 64] = (k % 16 * 8 + k / 16) as u8;
            k += 1;
        }
        Aligned(to)
    };

    /// Converts rows back to columns.
    static TO_COLUMNS: Aligned<[[u8; 64]; 2]> = {
        let mut to = [[0; 64]; 2];
        let mut k = 0;
        while k < 128 {
            to[k / 64][k % 64] = (k % 8 * 16 + k / 8) as u8;
            k += 1;
        }
        Aligned(to)
    };
}

/// Pairs bytes 0 and 8, 1 and 9, …
const PAIRS: [u8; 16] = [0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15];

/// Tables of the kernels that keep rows in registers; the half for P comes first.
struct ByRows<const BYTES: usize, const KEYS: usize> {
    /// Shift the bytes of each row, before `aesenclast`.
    shuffles: [[u8; BYTES]; 8],
    /// The constants of the first round, then the keys of every round.
    keys: [[[u8; BYTES]; 8]; KEYS],
}

impl<const BYTES: usize, const KEYS: usize> ByRows<BYTES, KEYS> {
    const fn of(columns: usize) -> Self {
        assert!(BYTES == 2 * columns);
        let mut x = ByRows { shuffles: [[0; BYTES]; 8], keys: [[[0; BYTES]; 8]; KEYS] };
        let mut i = 0;
        while i < 8 {
            let mut k = 0;
            while k < BYTES {
                let (q, j) = (k / columns, k % columns);
                let from = q * columns % 16 + (j + shift(columns, q)[i]) % columns;
                x.shuffles[i][k / 16 * 16 + shift_rows(k % 16)] = from as u8;
                let mut r = 0;
                while r < KEYS {
                    x.keys[r][i][k] = key(q, columns, r, i, j);
                    r += 1;
                }
                k += 1;
            }
            i += 1;
        }
        x
    }
}

const fn shift(columns: usize, q: usize) -> &'static [usize; 8] {
    if q == 0 { &SHIFT_P[columns / 8 - 1] } else { &SHIFT_Q[columns / 8 - 1] }
}

/// The byte that AES's ShiftRows moves to position `to`.
const fn shift_rows(to: usize) -> usize {
    (to + 4 * (to % 4)) % 16
}

/// Row i, column j of the constants of round 0, or for later rounds, of what MixBytes turns into the constants of round
/// r; zero after the last round.
const fn key(q: usize, columns: usize, r: usize, i: usize, j: usize) -> u8 {
    let x = ((16 * j) ^ r) as u8;
    // The constants of a column: x in one row, and for Q ff in all.
    let (row, all) = if q == 0 { (0, 0) } else { (7, 0xff) };
    if r == 0 {
        all ^ if i == row { x } else { 0 }
    } else if r as u64 == rounds(columns) {
        0
    } else {
        let mut sum = times(UNMIX[(8 + row - i) % 8], x);
        let mut k = 0;
        while k < 8 {
            sum ^= times(UNMIX[k], all);
            k += 1;
        }
        sum
    }
}

/// The first row of the inverse of the MixBytes matrix. For f a polynomial in the rotation by one row, f⁸ is a scalar:
/// the eighth power of the sum of its coefficients. f⁷ is therefore the inverse up to that scalar.
const UNMIX: [u8; 8] = {
    let mut f = MIX;
    let mut sum = 0;
    let mut power = 1;
    while power < 7 {
        let mut product = [0; 8];
        let mut k = 0;
        while k < 64 {
            product[(k / 8 + k % 8) % 8] ^= times(f[k / 8], MIX[k % 8]);
            k += 1;
        }
        f = product;
        power += 1;
    }
    let mut k = 0;
    while k < 8 {
        sum ^= MIX[k];
        k += 1;
    }
    // x²⁵⁵ is 1, so this is the inverse of sum⁸.
    let mut scale = 1;
    let mut power = 0;
    while power < 255 - 8 {
        scale = times(scale, sum);
        power += 1;
    }
    let mut k = 0;
    while k < 8 {
        f[k] = times(f[k], scale);
        k += 1;
    }
    f
};
