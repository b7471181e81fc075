//! Whirlpool on wide registers. With few messages, the whole matrix is one register and K another.

use super::{E, INVERSE, R, ROUND, S, product};
use crate::algo::x86_bytes::{
    Aligned, load128, load256, load512, matrix, piece, piece_mut, prefetch, quarters64, s_box, store256, store512,
    substitute, transpose64,
};
use crate::contract::Params;
use crate::simd::Rows;
use core::arch::x86_64::*;

/// Messages side by side, each in its own registers: lookups and permutations of 64 bytes, products by affine maps.
macro_rules! side_by_side {
    ($($name:ident, $n:literal;)*) => {$(
        #[hashmill_isa::isa(AVX512 + VBMI + GFNI)]
        pub(super) fn $name(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
            assert!(packed.len() >= 64 * $n && rows.lanes() == $n && rows.block() == 64);
            let s = s_box(&S);
            let [rotated0, rotated3, rotated4, rotated6] =
                [load512(&COLUMNS.0[0]), load512(&COLUMNS.0[1]), load512(&COLUMNS.0[2]), load512(&COLUMNS.0[3])];
            let rol8 = _mm512_broadcast_i32x4(_mm_set_epi64x(0x0e0d_0c0b_0a09_080f, 0x0605_0403_0201_0007));
            let times = [_mm512_set1_epi64(TIMES[0]), _mm512_set1_epi64(TIMES[1]), _mm512_set1_epi64(TIMES[2])];
            // ρ(x) ^ k. With r_n the rotation of rows by n bytes, the row (1, 1, 4, 1, 8, 5, 2, 9) is
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
            let mut h = [_mm512_setzero_si512(); $n];
            let mut m = [rows.lane(0); $n];
            for l in 0..$n {
                h[l] = load512(piece(packed, 64 * l));
                m[l] = rows.lane(l);
            }
            for b in 0..rows.blocks() {
                let mut k = h;
                for l in 0..$n {
                    h[l] = _mm512_xor_si512(h[l], load512(piece(m[l], 64 * b)));
                }
                let mut a = h;
                for c in &CONSTANTS.0 {
                    for l in 0..$n {
                        k[l] = rho!(k[l], load512(c));
                        a[l] = rho!(a[l], k[l]);
                    }
                }
                for l in 0..$n {
                    h[l] = _mm512_xor_si512(h[l], a[l]);
                }
            }
            for l in 0..$n {
                store512(piece_mut(packed, 64 * l), h[l]);
            }
        }
    )*};
}

side_by_side! {
    gfni, 1;
    gfnix2, 2;
    gfnix4, 4;
}

/// A register holds one byte of 64 messages.
#[hashmill_isa::isa(AVX512 + VBMI + GFNI)]
pub(super) fn gfnix64(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    assert!(packed.len() >= 4096 && rows.lanes() == 64 && rows.block() == 64);
    let s = s_box(&S);
    let [two, four] = [_mm512_set1_epi64(TIMES[0]), _mm512_set1_epi64(TIMES[1])];
    // K and a of the current and the next round, byte by byte. (Zeros, or arrays of arrays, would be initialized by
    // calls to memset and memcpy.)
    let mut x = [s[0]; 256];
    let mut h = [s[0]; 64];
    let mut m = [s[0]; 64];
    let mut quarters = [s[0]; 64];
    // Row i of ρ of the bytes from $from on: row y, with columns shifted down, times (1, 1, 4, 1, 8, 5, 2, 9). With y_n
    // for n columns back, v = 2y and r = 4·(y ^ v2), it is y ^ (y1 ^ y3 ^ y5 ^ y7) ^ v6 ^ r2 ^ r5. The parenthesis
    // takes only two different values.
    macro_rules! rho {
        ($from:expr, $i:expr, $to:expr, |$j:ident, $z:ident| $key:expr) => {{
            let (mut y, mut v, mut r) = ([s[0]; 8], [s[0]; 8], [s[0]; 8]);
            for j in 0..8 {
                y[j] = substitute(&s, x[$from + ($i + 8 - j) % 8 * 8 + j]);
                v[j] = _mm512_gf2p8affine_epi64_epi8::<0>(y[j], two);
            }
            for j in 0..8 {
                r[j] = _mm512_gf2p8affine_epi64_epi8::<0>(_mm512_xor_si512(y[j], v[(j + 6) % 8]), four);
            }
            let odd = _mm512_ternarylogic_epi64::<0x96>(_mm512_xor_si512(y[1], y[3]), y[5], y[7]);
            let even = _mm512_ternarylogic_epi64::<0x96>(_mm512_xor_si512(y[0], y[2]), y[4], y[6]);
            for $j in 0..8 {
                let others = if $j % 2 == 0 { odd } else { even };
                let one = _mm512_ternarylogic_epi64::<0x96>(y[$j], others, v[($j + 2) % 8]);
                let $z = _mm512_ternarylogic_epi64::<0x96>(one, r[($j + 6) % 8], r[($j + 3) % 8]);
                x[$to + 8 * $i + $j] = $key;
            }
        }};
    }
    transpose64!(l => load512(piece(packed, 64 * l)), quarters, |i, bytes| h[i] = bytes);
    if rows.blocks() > 0 {
        for l in 0..16 {
            quarters64!(l => load512(piece(rows.lane(l), 0)), l, quarters);
        }
    }
    for b in 0..rows.blocks() {
        transpose64!(quarters, |i, bytes| m[i] = bytes);
        for i in 0..64 {
            x[i] = h[i];
            h[i] = _mm512_xor_si512(h[i], m[i]);
            x[64 + i] = h[i];
        }
        for r in 0..10 {
            let (now, next) = (128 * (r % 2), 128 * (1 - r % 2));
            for i in 0..8 {
                rho!(now, i, next, |j, z| if i == 0 {
                    _mm512_xor_si512(z, _mm512_set1_epi8(CONSTANTS.0[r][j].cast_signed()))
                } else {
                    z
                });
                rho!(now + 64, i, next + 64, |j, z| _mm512_xor_si512(z, x[next + 8 * i + j]));
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
    transpose64!(i => h[i], quarters, |l, bytes| store512(piece_mut(packed, 64 * l), bytes));
}

/// Like [`gfnix64`] with 32 messages and AVX2: an S-box lookup is five lookups in the three small boxes it is made of.
#[hashmill_isa::isa(AVX2)]
pub(super) fn avx2x32(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    assert!(packed.len() >= 2048 && rows.lanes() == 32 && rows.block() == 64);
    let e = _mm256_broadcastsi128_si256(load128(&E));
    let e4 = _mm256_slli_epi16::<4>(e);
    let inverse = _mm256_broadcastsi128_si256(load128(&INVERSE));
    let third = _mm256_broadcastsi128_si256(load128(&R));
    let nibble = _mm256_set1_epi8(15);
    macro_rules! substitute {
        ($x:expr) => {{
            let x = $x;
            let high = _mm256_shuffle_epi8(e, _mm256_and_si256(_mm256_srli_epi16::<4>(x), nibble));
            let low = _mm256_shuffle_epi8(inverse, _mm256_and_si256(x, nibble));
            let middle = _mm256_shuffle_epi8(third, _mm256_xor_si256(high, low));
            let high = _mm256_shuffle_epi8(e4, _mm256_xor_si256(high, middle));
            let low = _mm256_shuffle_epi8(inverse, _mm256_xor_si256(low, middle));
            _mm256_or_si256(high, low)
        }};
    }
    macro_rules! double {
        ($x:expr) => {{
            let x = $x;
            let reduce = _mm256_and_si256(_mm256_cmpgt_epi8(_mm256_setzero_si256(), x), _mm256_set1_epi8(0x1d));
            _mm256_xor_si256(_mm256_add_epi8(x, x), reduce)
        }};
    }
    let mut x = [e; 256];
    let mut m = [e; 64];
    // Row i of ρ of the bytes from $from on, as in `gfnix64`.
    macro_rules! rho {
        ($from:expr, $i:expr, $to:expr, |$j:ident| $k:expr) => {{
            let (mut y, mut v, mut r) = ([e; 8], [e; 8], [e; 8]);
            for j in 0..8 {
                y[j] = substitute!(x[$from + ($i + 8 - j) % 8 * 8 + j]);
                v[j] = double!(y[j]);
            }
            for j in 0..8 {
                r[j] = double!(double!(_mm256_xor_si256(y[j], v[(j + 6) % 8])));
            }
            let odd = _mm256_xor_si256(_mm256_xor_si256(y[1], y[3]), _mm256_xor_si256(y[5], y[7]));
            let even = _mm256_xor_si256(_mm256_xor_si256(y[0], y[2]), _mm256_xor_si256(y[4], y[6]));
            for $j in 0..8 {
                let others = if $j % 2 == 0 { odd } else { even };
                let one = _mm256_xor_si256(_mm256_xor_si256(y[$j], others), v[($j + 2) % 8]);
                let four = _mm256_xor_si256(r[($j + 6) % 8], r[($j + 3) % 8]);
                x[$to + 8 * $i + $j] = _mm256_xor_si256(_mm256_xor_si256(one, four), $k);
            }
        }};
    }
    for b in 0..rows.blocks() {
        for c in 0..4 {
            // Transposes 16×16 bytes in each half of a register: interleave row k with row k + 8, four times.
            let mut a = [e; 16];
            for k in 0..16 {
                let at = 64 * b + 16 * c;
                a[k] = _mm256_set_m128i(load128(piece(rows.lane(16 + k), at)), load128(piece(rows.lane(k), at)));
            }
            for _ in 0..4 {
                let mut u = a;
                for k in 0..8 {
                    u[2 * k] = _mm256_unpacklo_epi8(a[k], a[k + 8]);
                    u[2 * k + 1] = _mm256_unpackhi_epi8(a[k], a[k + 8]);
                }
                a = u;
            }
            for k in 0..16 {
                m[16 * c + k] = a[k];
            }
        }
        for i in 0..64 {
            let h = load256(piece(packed, 32 * i));
            let a = _mm256_xor_si256(h, m[i]);
            (x[i], x[64 + i]) = (h, a);
            store256(piece_mut(packed, 32 * i), a);
        }
        for r in 0..10 {
            let (now, next) = (128 * (r % 2), 128 * (1 - r % 2));
            for i in 0..8 {
                rho!(now, i, next, |j| _mm256_set1_epi8(CONSTANTS.0[r][8 * i + j].cast_signed()));
                rho!(now + 64, i, next + 64, |j| x[next + 8 * i + j]);
            }
        }
        for i in 0..64 {
            let h = load256(piece(packed, 32 * i));
            store256(piece_mut(packed, 32 * i), _mm256_xor_si256(h, x[64 + i]));
        }
    }
}

/// Shifts column j down by j rows and rotates rows by 0, 3, 4 and 6 bytes.
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

/// Multiplications by 2, 4 and 8, as matrices.
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

/// The round constants as matrices of bytes.
static CONSTANTS: Aligned<[[u8; 64]; 10]> = {
    let mut c = [[0; 64]; 10];
    let mut i = 0;
    while i < 80 {
        c[i / 8][i % 8] = (ROUND[i / 8] >> (8 * (i % 8))) as u8;
        i += 1;
    }
    Aligned(c)
};
