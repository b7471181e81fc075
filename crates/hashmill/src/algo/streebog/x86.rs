//! Streebog on wide registers. With few messages, the matrix of 8 × 8 bytes is one register and K another.
//!
//! Matrices are kept with P applied: byte i of word b is byte b of the specification's word i. L then is a sum of eight
//! affine maps of whole registers: after S, word j goes into every word of a register, whose word b is multiplied by
//! the 8×8 part of A that takes byte j to byte b. The bytes of the specification's word j form a column, and the
//! permutation that copies this column into all words is P of the next round.

use super::{A, C, N, PI, SIGMA, STEP};
use crate::algo::x86_bytes::{
    Aligned, load512, matrix, piece, piece_mut, prefetch, quarters64, s_box, store512, substitute, transpose64,
};
use crate::contract::Params;
use crate::simd::{Rows, align_frame};
use core::arch::x86_64::*;

/// Messages side by side, each in its own registers: lookups and permutations of 64 bytes, A by affine maps.
macro_rules! side_by_side {
    ($($name:ident, $n:literal;)*) => {$(
        #[hashmill_isa::isa(AVX512 + VBMI + GFNI)]
        pub(super) fn $name(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
            const STATE: usize = 8 * (STEP + 1);
            assert!(packed.len() >= STATE * $n && rows.lanes() == $n && rows.block() == 64);
            align_frame::<__m512i>();
            let s = s_box(&PI);
            let transpose = load512(&TRANSPOSE.0);
            let mut columns = [transpose; 8];
            let mut parts = [transpose; 8];
            for j in 0..8 {
                columns[j] = load512(&COLUMNS.0[j]);
                parts[j] = load512(&PARTS.0[j]);
            }
            // LPS(x) ^ k
            macro_rules! lps {
                ($x:expr, $k:expr) => {{
                    let y = substitute(&s, $x);
                    let mut z = [y; 8];
                    for j in 0..8 {
                        z[j] = _mm512_gf2p8affine_epi64_epi8::<0>(_mm512_permutexvar_epi8(columns[j], y), parts[j]);
                    }
                    let a = _mm512_ternarylogic_epi64::<0x96>(z[0], z[1], $k);
                    let b = _mm512_ternarylogic_epi64::<0x96>(z[2], z[3], z[4]);
                    let c = _mm512_ternarylogic_epi64::<0x96>(z[5], z[6], z[7]);
                    _mm512_ternarylogic_epi64::<0x96>(a, b, c)
                }};
            }
            let word = |packed: &[u8], i: usize| u64::from_ne_bytes(*piece(packed, 8 * i));
            let mut sigma = [[0; 8]; $n];
            let mut n = [[0; 2]; $n];
            let mut step = [0; $n];
            let mut lanes = [rows.lane(0); $n];
            let mut h = [transpose; $n];
            for l in 0..$n {
                let state = &packed[STATE * l..];
                for i in 0..8 {
                    sigma[l][i] = word(state, SIGMA + i);
                }
                n[l] = [word(state, N), word(state, N + 1)];
                step[l] = word(state, STEP);
                lanes[l] = rows.lane(l);
                h[l] = _mm512_permutexvar_epi8(transpose, load512(piece(state, 0)));
            }
            for b in 0..rows.blocks() {
                let (mut x, mut k) = (h, h);
                for l in 0..$n {
                    x[l] = _mm512_permutexvar_epi8(transpose, load512(piece(lanes[l], 64 * b)));
                    let length = _mm512_zextsi128_si512(_mm_set_epi64x(n[l][1].cast_signed(), n[l][0].cast_signed()));
                    k[l] = _mm512_xor_si512(h[l], _mm512_permutexvar_epi8(transpose, length));
                    k[l] = lps!(k[l], _mm512_setzero_si512());
                    h[l] = _mm512_xor_si512(h[l], x[l]);
                    x[l] = _mm512_xor_si512(x[l], k[l]);
                }
                for c in &CONSTANTS.0 {
                    for l in 0..$n {
                        k[l] = lps!(_mm512_xor_si512(k[l], load512(c)), _mm512_setzero_si512());
                        x[l] = lps!(x[l], k[l]);
                    }
                }
                for l in 0..$n {
                    h[l] = _mm512_xor_si512(h[l], x[l]);
                    let mut carry = false;
                    for i in 0..8 {
                        let (sum, over) = sigma[l][i].overflowing_add(u64::from_le_bytes(*piece(lanes[l], 64 * b + 8 * i)));
                        let (sum, over1) = sum.overflowing_add(u64::from(carry));
                        sigma[l][i] = sum;
                        carry = over | over1;
                    }
                    let (low, over) = n[l][0].overflowing_add(step[l]);
                    n[l] = [low, n[l][1].wrapping_add(u64::from(over))];
                }
            }
            for l in 0..$n {
                let state = &mut packed[STATE * l..];
                store512(piece_mut(state, 0), _mm512_permutexvar_epi8(transpose, h[l]));
                for i in 0..8 {
                    *piece_mut(state, 8 * (SIGMA + i)) = sigma[l][i].to_ne_bytes();
                }
                *piece_mut(state, 8 * N) = n[l][0].to_ne_bytes();
                *piece_mut(state, 8 * (N + 1)) = n[l][1].to_ne_bytes();
            }
        }
    )*};
}

side_by_side! {
    gfni, 1;
    gfnix2, 2;
}

/// Size of a state of `gfnix64` in bytes: three transpositions.
pub(super) const STATE64: usize = 192;

/// A register holds one byte of 64 messages; byte b of word i is that of the specification.
#[hashmill_isa::isa(AVX512 + VBMI + GFNI)]
pub(super) fn gfnix64(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    assert!(packed.len() >= 64 * STATE64 && rows.lanes() == 64 && rows.block() == 64);
    let s = s_box(&PI);
    let ones = _mm512_set1_epi8(-1);
    // K and x, the inputs of LPS, of the current and the next round, byte by byte. (Zeros, or arrays of arrays, would
    // be initialized by calls to memset and memcpy.)
    let mut x = [s[0]; 256];
    let mut h = [s[0]; 64];
    let mut sigma = [s[0]; 64];
    // N and its increment.
    let mut numbers = [s[0]; 64];
    let mut m = [s[0]; 64];
    let mut quarters = [s[0]; 64];
    // Words i of LPS of the first $n of K and x, which start at $from. Each byte b goes into the next round.
    macro_rules! lps {
        ($from:expr, $i:expr, $n:literal, |$b:ident, $z:ident| $to:expr) => {{
            let mut y = [[s[0]; 8]; $n];
            for j in 0..8 {
                for l in 0..$n {
                    y[l][j] = substitute(&s, x[$from + 64 * l + 8 * j + $i]);
                }
            }
            for $b in 0..8 {
                let mut z = [[s[0]; 8]; $n];
                for j in 0..8 {
                    let part = _mm512_set1_epi64(i64::from_le_bytes(*piece(&PARTS.0[j], 8 * $b)));
                    for l in 0..$n {
                        z[l][j] = _mm512_gf2p8affine_epi64_epi8::<0>(y[l][j], part);
                    }
                }
                let mut $z = [s[0]; $n];
                for l in 0..$n {
                    let a = _mm512_ternarylogic_epi64::<0x96>(z[l][0], z[l][1], z[l][2]);
                    let c = _mm512_ternarylogic_epi64::<0x96>(z[l][3], z[l][4], z[l][5]);
                    let d = _mm512_ternarylogic_epi64::<0x96>(a, z[l][6], z[l][7]);
                    $z[l] = _mm512_xor_si512(c, d);
                }
                $to;
            }
        }};
    }
    // Adds one byte of a multi-byte sum.
    macro_rules! add {
        ($sum:expr, $x:expr, $carry:ident) => {{
            let x = _mm512_add_epi8($sum, $x);
            let over = _mm512_mask_cmpeq_epi8_mask($carry, x, ones);
            let carries = _mm512_cmplt_epu8_mask(x, $sum) | over;
            $sum = _mm512_mask_sub_epi8(x, $carry, x, ones);
            $carry = carries;
        }};
    }
    transpose64!(l => load512(piece(packed, STATE64 * l)), quarters, |i, bytes| h[i] = bytes);
    transpose64!(l => load512(piece(packed, STATE64 * l + 8 * SIGMA)), quarters, |i, bytes| sigma[i] = bytes);
    transpose64!(l => load512(piece(packed, STATE64 * l + 8 * N)), quarters, |i, bytes| numbers[i] = bytes);
    if rows.blocks() > 0 {
        for l in 0..16 {
            quarters64!(l => load512(piece(rows.lane(l), 0)), l, quarters);
        }
    }
    for b in 0..rows.blocks() {
        transpose64!(quarters, |i, bytes| m[i] = bytes);
        for i in 0..64 {
            x[128 + i] = if i < 16 { _mm512_xor_si512(h[i], numbers[i]) } else { h[i] };
            h[i] = _mm512_xor_si512(h[i], m[i]);
        }
        for i in 0..8 {
            lps!(128, i, 1, |b, z| {
                x[64 + 8 * i + b] = _mm512_xor_si512(z[0], m[8 * i + b]);
                x[8 * i + b] = _mm512_xor_si512(z[0], _mm512_set1_epi8((C[0][i] >> (8 * b)) as i8));
            });
        }
        let mut carry = 0;
        for i in 0..16 {
            let step = if i < 8 { numbers[8 * (STEP - N) + i] } else { _mm512_setzero_si512() };
            add!(numbers[i], step, carry);
        }
        carry = 0;
        for r in 0..12 {
            let (now, next) = (128 * (r % 2), 128 * (1 - r % 2));
            let c = if r < 11 { C[r + 1] } else { [0; 8] };
            for i in 0..8 {
                lps!(now, i, 2, |b, z| {
                    x[next + 64 + 8 * i + b] = _mm512_xor_si512(z[0], z[1]);
                    x[next + 8 * i + b] = _mm512_xor_si512(z[0], _mm512_set1_epi8((c[i] >> (8 * b)) as i8));
                });
                if r < 8 {
                    add!(sigma[8 * r + i], m[8 * r + i], carry);
                }
            }
            if b + 1 < rows.blocks() && r < 8 {
                for l in 2 * r..2 * r + 2 {
                    quarters64!(l => load512(piece(rows.lane(l), 64 * (b + 1))), l, quarters);
                    for q in 0..4 {
                        prefetch(rows.lane(16 * q + l), 64 * (b + 5));
                    }
                }
            }
        }
        for i in 0..64 {
            h[i] = _mm512_xor_si512(h[i], x[64 + i]);
        }
    }
    transpose64!(i => h[i], quarters, |l, bytes| store512(piece_mut(packed, STATE64 * l), bytes));
    transpose64!(i => sigma[i], quarters, |l, bytes| store512(piece_mut(packed, STATE64 * l + 8 * SIGMA), bytes));
    transpose64!(i => numbers[i], quarters, |l, bytes| store512(piece_mut(packed, STATE64 * l + 8 * N), bytes));
}

/// The permutation that transposes a matrix.
static TRANSPOSE: Aligned<[u8; 64]> = Aligned(transposed(&IDENTITY));

const IDENTITY: [u8; 64] = {
    let mut x = [0; 64];
    let mut i = 0;
    while i < 64 {
        x[i] = i as u8;
        i += 1;
    }
    x
};

const fn transposed(x: &[u8; 64]) -> [u8; 64] {
    let mut y = [0; 64];
    let mut i = 0;
    while i < 64 {
        y[i] = x[i % 8 * 8 + i / 8];
        i += 1;
    }
    y
}

/// Copies column j into every word.
static COLUMNS: Aligned<[[u8; 64]; 8]> = {
    let mut c = [[0; 64]; 8];
    let mut i = 0;
    while i < 512 {
        c[i / 64][i % 64] = (i % 8 * 8 + i / 64) as u8;
        i += 1;
    }
    Aligned(c)
};

/// Word b of part j is the matrix that takes byte j of a word to byte b.
static PARTS: Aligned<[[u8; 64]; 8]> = {
    let mut parts = [[0; 64]; 8];
    let mut i = 0;
    while i < 64 {
        let (j, b) = (i / 8, i % 8);
        let mut images = [0; 8];
        let mut bit = 0;
        while bit < 8 {
            // The rows of A are numbered from the highest bit.
            images[bit] = (A[63 - 8 * j - bit] >> (8 * b)) as u8;
            bit += 1;
        }
        let m = matrix(images).to_le_bytes();
        let mut k = 0;
        while k < 8 {
            parts[j][8 * b + k] = m[k];
            k += 1;
        }
        i += 1;
    }
    Aligned(parts)
};

/// C, transposed.
static CONSTANTS: Aligned<[[u8; 64]; 12]> = {
    let mut c = [[0; 64]; 12];
    let mut r = 0;
    while r < 12 {
        let mut i = 0;
        while i < 64 {
            c[r][i] = (C[r][i / 8] >> (8 * (i % 8))) as u8;
            i += 1;
        }
        c[r] = transposed(&c[r]);
        r += 1;
    }
    Aligned(c)
};
