//! Whirlpool of one message on wide registers: the whole matrix is one register, K another.

use super::{ROUND, S, product};
use crate::algo::x86_bytes::{Aligned, load512, matrix, piece, piece_mut, s_box, store512, substitute};
use crate::contract::Params;
use crate::simd::Rows;
use core::arch::x86_64::*;

/// Look-ups and permutations of 64 bytes, products by affine maps.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,gfni")]
pub(super) fn gfni(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    assert!(packed.len() >= 64 && rows.lanes() == 1 && rows.block() == 64);
    let s = s_box(&S);
    let [rotated0, rotated3, rotated4, rotated6] =
        [load512(&COLUMNS.0[0]), load512(&COLUMNS.0[1]), load512(&COLUMNS.0[2]), load512(&COLUMNS.0[3])];
    let rol8 = _mm512_broadcast_i32x4(_mm_set_epi64x(0x0e0d_0c0b_0a09_080f, 0x0605_0403_0201_0007));
    let times = [_mm512_set1_epi64(TIMES[0]), _mm512_set1_epi64(TIMES[1]), _mm512_set1_epi64(TIMES[2])];
    // ρ(x) ^ k. The row (1, 1, 4, 1, 8, 5, 2, 9), r_n being a rotation of rows by n bytes:
    // t ^ r1(x ^ r4(x) ^ r6(x)) ^ 2·r6(x) ^ 4·r2(t) ^ 8·r4(t), t = x ^ r3(x).
    macro_rules! rho {
        ($x:expr, $k:expr) => {{
            let y = substitute(&s, $x);
            let (x3, x) = (_mm512_permutexvar_epi8(rotated3, y), _mm512_permutexvar_epi8(rotated0, y));
            let (x6, x4) = (_mm512_permutexvar_epi8(rotated6, y), _mm512_permutexvar_epi8(rotated4, y));
            let t = _mm512_xor_si512(x, x3);
            let four = _mm512_gf2p8affine_epi64_epi8::<0>(_mm512_rol_epi64::<16>(t), times[1]);
            let eight = _mm512_gf2p8affine_epi64_epi8::<0>(_mm512_rol_epi64::<32>(t), times[2]);
            let two = _mm512_gf2p8affine_epi64_epi8::<0>(x6, times[0]);
            let w = _mm512_ternarylogic_epi64::<0x96>(x, x4, x6);
            let one = _mm512_shuffle_epi8(w, rol8);
            let sum = _mm512_ternarylogic_epi64::<0x96>(one, t, _mm512_xor_si512($k, two));
            _mm512_ternarylogic_epi64::<0x96>(sum, four, eight)
        }};
    }
    let mut h = load512(piece(packed, 0));
    for b in 0..rows.blocks() {
        let mut k = h;
        h = _mm512_xor_si512(h, load512(piece(rows.lane(0), 64 * b)));
        let mut a = h;
        for c in &CONSTANTS.0 {
            k = rho!(k, load512(c));
            a = rho!(a, k);
        }
        h = _mm512_xor_si512(h, a);
    }
    store512(piece_mut(packed, 0), h);
}

/// Column j down by j rows, and rows rotated by 0, 3, 4 and 6 bytes.
static COLUMNS: Aligned<[[u8; 64]; 4]> = {
    const ROTATED: [usize; 4] = [0, 3, 4, 6];
    let mut c = [[0; 64]; 4];
    let mut n = 0;
    while n < 4 {
        let mut i = 0;
        while i < 64 {
            let j = (i + 8 - ROTATED[n]) % 8;
            c[n][i] = ((i / 8 + 8 - j) % 8 * 8 + j) as u8;
            i += 1;
        }
        n += 1;
    }
    Aligned(c)
};

/// Products by 2, 4 and 8.
const TIMES: [i64; 3] = {
    let mut m = [0; 3];
    let mut n = 0;
    while n < 3 {
        let mut images = [0; 8];
        let mut k = 0;
        while k < 8 {
            images[k] = product(1 << k, 2 << n);
            k += 1;
        }
        m[n] = matrix(images).cast_signed();
        n += 1;
    }
    m
};

/// The rounds' constants as matrices.
static CONSTANTS: Aligned<[[u8; 64]; 10]> = {
    let mut c = [[0; 64]; 10];
    let mut i = 0;
    while i < 80 {
        c[i / 8][i % 8] = (ROUND[i / 8] >> (8 * (i % 8))) as u8;
        i += 1;
    }
    Aligned(c)
};
