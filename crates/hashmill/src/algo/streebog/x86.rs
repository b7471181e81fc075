//! Streebog of one message on wide registers: the matrix of 8 × 8 bytes is one register, K another.
//!
//! Matrices are kept with P applied: byte i of word b is byte b of the specification's word i. Then L is a sum of eight
//! affine maps of whole registers: word j, after S, goes into every word of a register; word b of it is multiplied by the 8×8 part
//! of A that takes byte j to byte b. The bytes of the specification's word j stand in a column, and the permutation that
//! copies this column into all words is P of the next round.

use super::{A, C, N, PI, SIGMA, STEP};
use crate::algo::x86_bytes::{Aligned, load512, matrix, piece, piece_mut, s_box, store512, substitute};
use crate::contract::Params;
use crate::simd::Rows;
use core::arch::x86_64::*;

/// Look-ups and permutations of 64 bytes, A by affine maps.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,gfni")]
pub(super) fn gfni(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    assert!(packed.len() >= 8 * (STEP + 1) && rows.lanes() == 1 && rows.block() == 64);
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
    let mut sigma = [0; 8];
    for i in 0..8 {
        sigma[i] = word(packed, SIGMA + i);
    }
    let (mut n, step) = ([word(packed, N), word(packed, N + 1)], word(packed, STEP));
    let mut h = _mm512_permutexvar_epi8(transpose, load512(piece(packed, 0)));
    for b in 0..rows.blocks() {
        let block: &[u8; 64] = piece(rows.lane(0), 64 * b);
        let mut x = _mm512_permutexvar_epi8(transpose, load512(block));
        let length = _mm512_zextsi128_si512(_mm_set_epi64x(n[1].cast_signed(), n[0].cast_signed()));
        let mut k = _mm512_xor_si512(h, _mm512_permutexvar_epi8(transpose, length));
        k = lps!(k, _mm512_setzero_si512());
        h = _mm512_xor_si512(h, x);
        x = _mm512_xor_si512(x, k);
        for c in &CONSTANTS.0 {
            k = lps!(_mm512_xor_si512(k, load512(c)), _mm512_setzero_si512());
            x = lps!(x, k);
        }
        h = _mm512_xor_si512(h, x);
        let mut carry = false;
        for i in 0..8 {
            let (sum, over) = sigma[i].overflowing_add(u64::from_le_bytes(*piece(block, 8 * i)));
            let (sum, over1) = sum.overflowing_add(u64::from(carry));
            sigma[i] = sum;
            carry = over | over1;
        }
        let (low, over) = n[0].overflowing_add(step);
        n = [low, n[1].wrapping_add(u64::from(over))];
    }
    store512(piece_mut(packed, 0), _mm512_permutexvar_epi8(transpose, h));
    for i in 0..8 {
        *piece_mut(packed, 8 * (SIGMA + i)) = sigma[i].to_ne_bytes();
    }
    *piece_mut(packed, 8 * N) = n[0].to_ne_bytes();
    *piece_mut(packed, 8 * (N + 1)) = n[1].to_ne_bytes();
}

/// Where a matrix has the bytes of its transposition.
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

/// Column j in every word.
static COLUMNS: Aligned<[[u8; 64]; 8]> = {
    let mut c = [[0; 64]; 8];
    let mut i = 0;
    while i < 512 {
        c[i / 64][i % 64] = (i % 8 * 8 + i / 64) as u8;
        i += 1;
    }
    Aligned(c)
};

/// Word b of part j: the matrix that takes byte j of a word to byte b.
static PARTS: Aligned<[[u8; 64]; 8]> = {
    let mut parts = [[0; 64]; 8];
    let mut i = 0;
    while i < 64 {
        let (j, b) = (i / 8, i % 8);
        let mut images = [0; 8];
        let mut bit = 0;
        while bit < 8 {
            // A's rows belong to the bits from the highest.
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
