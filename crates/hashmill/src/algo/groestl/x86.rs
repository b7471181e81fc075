//! Grøstl of one message with the CPU's AES instructions.
//!
//! `aesenclast` is SubBytes, then AES's ShiftRows, then a key added. What comes before or after it undoes AES's
//! permutation and shifts the bytes in one go; and the key is what MixBytes will turn into the next round's constants.
//! MixBytes is y4 ^ 2·(y7 ^ 2·x3), where index n means row i + n,
//! t = a ^ a1, x = t ^ t3, y = t ^ t2 ^ a6.

use super::{MIX, SHIFT_P, SHIFT_Q, rounds, times};
use crate::algo::x86_bytes::{Aligned, load128, load256, load512, piece, piece_mut, store128, store512};
use crate::contract::Params;
use crate::simd::Rows;
use core::arch::x86_64::*;

/// The operations of the kernels that keep rows in registers.
macro_rules! sse {
    (xor $a:expr, $b:expr) => {
        _mm_xor_si128($a, $b)
    };
    (xor3 $a:expr, $b:expr, $c:expr) => {
        _mm_xor_si128(_mm_xor_si128($a, $b), $c)
    };
    (substitute $x:expr, $shuffle:expr, $key:expr) => {
        _mm_aesenclast_si128(_mm_shuffle_epi8($x, load128($shuffle)), load128($key))
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
    (xor $a:expr, $b:expr) => {
        _mm256_xor_si256($a, $b)
    };
    (xor3 $a:expr, $b:expr, $c:expr) => {
        _mm256_xor_si256(_mm256_xor_si256($a, $b), $c)
    };
    (substitute $x:expr, $shuffle:expr, $key:expr) => {
        _mm256_aesenclast_epi128(_mm256_shuffle_epi8($x, load256($shuffle)), load256($key))
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
        _mm256_aesenclast_epi128(_mm256_shuffle_epi8($x, load256($shuffle)), load256($key))
    };
    (sum $y4:expr, $y7:expr, $x3:expr) => {{
        let two = _mm256_gf2p8mul_epi8($y7, _mm256_set1_epi8(2));
        let four = _mm256_gf2p8mul_epi8($x3, _mm256_set1_epi8(4));
        _mm256_ternarylogic_epi64::<0x96>($y4, two, four)
    }};
}

/// The rounds on eight registers of rows, the first round's constants added already. Round r, row i: `shuffle` and `key`.
macro_rules! rounds_on_rows {
    ($isa:ident, $a:ident, $rounds:expr, |$r:ident, $i:ident| $shuffle:expr, $key:expr) => {
        for $r in 1..=$rounds {
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
        }
    };
}

/// 224 and 256 bits: 8 columns.
pub(super) mod short {
    use super::*;

    const ROUNDS: usize = rounds(8) as usize;

    /// P and Q in a register of 64 bytes each, column by column as they lie in memory. Indices of rows are rotations of columns.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,vaes,gfni")]
    pub(in crate::algo::groestl) fn gfni(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
        assert!(packed.len() >= 64 && rows.lanes() == 1 && rows.block() == 64);
        let zero = load512(&SHIFTED.0[0][0]);
        let mut shifted = [[zero; 4]; 2];
        for n in 0..4 {
            shifted[0][n] = load512(&SHIFTED.0[0][n]);
            shifted[1][n] = load512(&SHIFTED.0[1][n]);
        }
        // Not rotations of words: shuffles have a port of their own (4.1 instead of 4.4 cycles a byte).
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

    /// A row of P and the same row of Q in each register.
    #[target_feature(enable = "aes,ssse3,sse4.1")]
    pub(in crate::algo::groestl) fn aesni(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
        assert!(packed.len() >= 64 && rows.lanes() == 1 && rows.block() == 64);
        let pairs = load128(&PAIRS);
        // Four registers of two columns to four of two rows.
        macro_rules! transposed {
            ($bytes:expr, $at:expr) => {{
                let mut x = [pairs; 4];
                for k in 0..4 {
                    x[k] = _mm_shuffle_epi8(load128(piece($bytes, $at + 16 * k)), pairs);
                }
                transposed4!(x)
            }};
        }
        macro_rules! transposed4 {
            ($x:expr) => {{
                let x = $x;
                let (low, high) = (_mm_unpacklo_epi16(x[0], x[1]), _mm_unpackhi_epi16(x[0], x[1]));
                let (low1, high1) = (_mm_unpacklo_epi16(x[2], x[3]), _mm_unpackhi_epi16(x[2], x[3]));
                [
                    _mm_unpacklo_epi32(low, low1),
                    _mm_unpackhi_epi32(low, low1),
                    _mm_unpacklo_epi32(high, high1),
                    _mm_unpackhi_epi32(high, high1),
                ]
            }};
        }
        let mut h = transposed!(packed, 0);
        for b in 0..rows.blocks() {
            let m = transposed!(rows.lane(0), 64 * b);
            let mut a = [pairs; 8];
            for k in 0..4 {
                let hm = _mm_xor_si128(h[k], m[k]);
                a[2 * k] = _mm_xor_si128(_mm_unpacklo_epi64(hm, m[k]), load128(&ROWS.0.keys[0][2 * k]));
                a[2 * k + 1] = _mm_xor_si128(_mm_unpackhi_epi64(hm, m[k]), load128(&ROWS.0.keys[0][2 * k + 1]));
            }
            rounds_on_rows!(sse, a, ROUNDS, |r, i| &ROWS.0.shuffles[i], &ROWS.0.keys[r][i]);
            for k in 0..4 {
                let (p, q) = (_mm_unpacklo_epi64(a[2 * k], a[2 * k + 1]), _mm_unpackhi_epi64(a[2 * k], a[2 * k + 1]));
                h[k] = sse!(xor3 h[k], p, q);
            }
        }
        for k in 0..4 {
            h[k] = _mm_shuffle_epi8(h[k], pairs);
        }
        let h = transposed4!(h);
        for k in 0..4 {
            store128(piece_mut(packed, 16 * k), h[k]);
        }
    }

    static ROWS: Aligned<ByRows<16, { ROUNDS + 1 }>> = Aligned(ByRows::of(8));

    /// Columns rotated by n rows.
    static FURTHER: Aligned<[[u8; 64]; 8]> = {
        let mut f = [[0; 64]; 8];
        let mut k = 0;
        while k < 512 {
            f[k / 64][k % 64] = (k % 64 / 8 * 8 + (k + k / 64) % 8) as u8;
            k += 1;
        }
        Aligned(f)
    };

    /// For P and Q: the permutations that give rows 0, 1, 2 and 5 further, bytes shifted.
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

    /// Where a register has what belongs in row i, column j, after `aesenclast`.
    const fn substituted(q: usize, i: usize, j: usize) -> usize {
        let from = (j + shift(8, q)[i]) % 8 * 8 + i;
        let mut to = 0;
        while shift_rows(to) != from % 16 {
            to += 1;
        }
        from / 16 * 16 + to
    }

    /// For P and Q: the first round's constants, then the keys of every round.
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
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,vaes,gfni")]
    pub(in crate::algo::groestl) fn gfni(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
        assert!(packed.len() >= 128 && rows.lanes() == 1 && rows.block() == 128);
        let to_rows = [load512(&TO_ROWS.0[0]), load512(&TO_ROWS.0[1])];
        // Four rows a register.
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
            rounds_on_rows!(avx512, a, ROUNDS, |r, i| &ROWS.0.shuffles[i], &ROWS.0.keys[r][i]);
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

    /// Eight registers of two columns, as they lie in memory, to eight of a row.
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

    /// The way back, to memory.
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

    /// The same without AVX-512.
    #[target_feature(enable = "avx2,aes,vaes")]
    pub(in crate::algo::groestl) fn vaes(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
        assert!(packed.len() >= 128 && rows.lanes() == 1 && rows.block() == 128);
        let mut h = to_rows!(packed, 0);
        for b in 0..rows.blocks() {
            let m = to_rows!(rows.lane(0), 128 * b);
            let mut a = [_mm256_setzero_si256(); 8];
            for i in 0..8 {
                let pq = _mm256_set_m128i(m[i], _mm_xor_si128(h[i], m[i]));
                a[i] = _mm256_xor_si256(pq, load256(&ROWS.0.keys[0][i]));
            }
            rounds_on_rows!(avx2, a, ROUNDS, |r, i| &ROWS.0.shuffles[i], &ROWS.0.keys[r][i]);
            for i in 0..8 {
                h[i] = sse!(xor3 h[i], _mm256_castsi256_si128(a[i]), _mm256_extracti128_si256::<1>(a[i]));
            }
        }
        to_columns!(h, packed);
    }

    /// P, then Q.
    #[target_feature(enable = "aes,ssse3,sse4.1")]
    pub(in crate::algo::groestl) fn aesni(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
        assert!(packed.len() >= 128 && rows.lanes() == 1 && rows.block() == 128);
        let mut h = to_rows!(packed, 0);
        for b in 0..rows.blocks() {
            let m = to_rows!(rows.lane(0), 128 * b);
            let mut a = m;
            for i in 0..8 {
                a[i] = sse!(xor3 h[i], m[i], load128(piece(&ROWS.0.keys[0][i], 0)));
            }
            rounds_on_rows!(sse, a, ROUNDS, |r, i| piece(&ROWS.0.shuffles[i], 0), piece(&ROWS.0.keys[r][i], 0));
            for i in 0..8 {
                h[i] = _mm_xor_si128(h[i], a[i]);
                a[i] = _mm_xor_si128(m[i], load128(piece(&ROWS.0.keys[0][i], 16)));
            }
            rounds_on_rows!(sse, a, ROUNDS, |r, i| piece(&ROWS.0.shuffles[i], 16), piece(&ROWS.0.keys[r][i], 16));
            for i in 0..8 {
                h[i] = _mm_xor_si128(h[i], a[i]);
            }
        }
        to_columns!(h, packed);
    }

    static ROWS: Aligned<ByRows<32, { ROUNDS + 1 }>> = Aligned(ByRows::of(16));

    /// Two registers of columns to rows 0 to 3, and to rows 4 to 7.
    static TO_ROWS: Aligned<[[u8; 64]; 2]> = {
        let mut to = [[0; 64]; 2];
        let mut k = 0;
        while k < 128 {
            to[k / 64][k % 64] = (k % 16 * 8 + k / 16) as u8;
            k += 1;
        }
        Aligned(to)
    };

    /// And back.
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

/// Bytes 0 and 8, 1 and 9, …
const PAIRS: [u8; 16] = [0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15];

/// Tables of the kernels that keep rows in registers, P's half first.
struct ByRows<const BYTES: usize, const KEYS: usize> {
    /// What shifts the bytes of each row, before `aesenclast`.
    shuffles: [[u8; BYTES]; 8],
    /// The first round's constants, then the keys of every round.
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

/// Which byte AES's ShiftRows brings to byte `to`.
const fn shift_rows(to: usize) -> usize {
    (to + 4 * (to % 4)) % 16
}

/// Row i, column j of the constants of round 0, else of what MixBytes turns into the constants of round r: nothing after the last.
const fn key(q: usize, columns: usize, r: usize, i: usize, j: usize) -> u8 {
    let x = ((16 * j) ^ r) as u8;
    // The constants of a column: x in one row, and in Q ff in all.
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

/// The first row of the inverse of MixBytes' matrix. With polynomials in the rotation by a row, f⁸ is a number: the eighth power of the
/// sum of f's coefficients. So f⁷ is the inverse but for that number.
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
    // x²⁵⁵ is 1.
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
