//! HAVAL with 3, 4 or 5 passes — Y. Zheng, J. Pieprzyk, J. Seberry, "HAVAL — A One-Way Hashing Algorithm with Variable
//! Length of Output" (1992), version 1. digest 128, 160, 192, 224 or 256 bit · block 128 bytes · little-endian ·
//! status: broken with 3 and 4 passes, weak with 5
//!
//! ## Algorithm
//!
//! ```text
//! (x7, …, x0) := (H7, …, H0)
//! for pass p in 1..=n, i in 0..32:
//!     f := F_p(φ_{n,p}(x6, …, x0))
//!     r := (f >>> 7) + (x7 >>> 11) + W[order_p(i)] + K_p[i]
//!     (x7, …, x0) := (x6, …, x0, r)
//! (H7, …, H0) += (x7, …, x0)
//! ```
//!
//! F_1 … F_5 are boolean functions of seven words; φ permutes their inputs, differently for each number of passes. The
//! message is followed by a 1 bit, zeros up to 118 bytes modulo 128, two bytes with version, passes and digest length,
//! and eight bytes with the length of the message in bits. For a digest of fewer than 256 bits, the last words of H are
//! folded into the first.
//!
//! ## Kernels
//!
//! Each kernel has three loops over blocks, one for each number of passes. Every F_p is linear in the word computed
//! last; with the factorizations below, that word enters through an "and" and an "xor" at the end: four dependent
//! operations per step, 1 cycle/byte per pass.
//!
//! * `avx512x32`, `avx512x16`: sixteen lanes per register, two registers side by side or one (3 passes: 10.3 against
//!   6.3 GB/s on Zen 5); the compiler turns the functions into ternary logic. Two only with `FAST_PAIRS`.
//! * `avx2x8`, `neonx4`: eight and four lanes.
//! * `simd128x4`: the same in WebAssembly, 5 times as fast as `portable` there (node 20, sixteen messages).
//! * `portable`: one message. In a 128-bit register with AVX-512, where "and" and "xor" are one operation, the chain is
//!   shorter, but some ten operations per step compete for three ports: 1.1 times as fast on Emerald Rapids, 0.92 on
//!   a Xeon with AVX-512 FP16, so it is not done. The constants are hidden from the compiler, which would add them last
//!   (4 passes: 0.70 against 0.85 GB/s); a function has a form for each of its inputs that can be computed last (F_4
//!   with 5 passes: 0.52 against 0.62 GB/s). BMI gained nothing.

use super::{lanes, repeat16};
use crate::contract::{Blocks, Inputs, Params, State, Tail};
#[cfg(target_arch = "x86_64")]
use crate::simd::X2;
#[cfg(target_arch = "aarch64")]
use crate::simd::aarch64::U32x4;
#[cfg(target_feature = "simd128")]
use crate::simd::wasm32::U32x4;
#[cfg(target_arch = "x86_64")]
use crate::simd::x86::{U32x8, U32x16};
use crate::simd::{Feed, Round, Rows, Word32, drive};
use core::hint::black_box;

lanes! { words: 8, bytes: 4, portable: u32;
    x86_64 {
        avx512x32(Avx512Pairs X2<U32x16>) from 17;
        avx512x16(Avx512 U32x16) from 2;
        avx2x8(Avx2 U32x8) from 3;
    }
    aarch64 {
        neonx4(Neon U32x4) from 3;
    }
    wasm32 {
        simd128x4(Simd128 U32x4) from 2;
    }
}

/// Padding and output. The number of passes is p\[0\].
pub(crate) static RULE: Haval = Haval;

pub(crate) struct Haval;

const VERSION: u32 = 1;

impl Blocks for Haval {
    fn block(&self, _: &Params) -> usize {
        128
    }

    fn setup(&self) -> usize {
        1
    }

    fn init(&self, _: &Params, _: &Inputs<'_>, s: &mut State) {
        for (i, x) in INITIAL.into_iter().enumerate() {
            s.set_u32(i, x);
        }
    }

    fn tail(&self, p: &Params, _: &mut State, stage: u8, rest: &[u8], total: u128, out: &mut Tail) -> usize {
        if stage > 0 {
            return 0;
        }
        let n = rest.len();
        let end = if n < 118 { 128 } else { 256 };
        out[..n].copy_from_slice(rest);
        // HAVAL numbers bits from the low end of a byte.
        out[n] = 0x01;
        out[n + 1..end - 10].fill(0);
        let what = VERSION | u32::from(p.p[0]) << 3 | (8 * p.out_len) << 6;
        out[end - 10..end - 8].copy_from_slice(&what.to_le_bytes()[..2]);
        out[end - 8..end].copy_from_slice(&(total << 3).to_le_bytes()[..8]);
        end
    }

    fn tail_len(&self, _: &Params, rest: usize) -> usize {
        if rest < 118 { 128 } else { 256 }
    }

    fn output(&self, p: &Params, s: &mut State, _: &mut dyn FnMut(&mut State, &[u8]), out: &mut [u8]) {
        let mut h = [0; 8];
        for i in 0..8 {
            h[i] = s.u32(i);
        }
        match p.out_len {
            16 => fold(&mut h, [0, 8, 16, 24]),
            20 => fold(&mut h, [0, 6, 12, 19, 25]),
            24 => fold(&mut h, [0, 5, 10, 16, 21, 26]),
            28 => fold(&mut h, [0, 4, 9, 13, 18, 22, 27]),
            _ => {}
        }
        for (i, word) in out.chunks_exact_mut(4).enumerate() {
            word.copy_from_slice(&h[i].to_le_bytes());
        }
    }
}

/// Adds the words H_N … H_7, which a digest of N words omits, to the other words. Each is first cut into N bit fields
/// with the given starts.
///
/// H_i gets field i of H_7, above it field i - 1 of H_6, and so on, modulo N; with seven words, it gets field 6 - i of
/// H_7.
#[inline(always)]
fn fold<const N: usize>(h: &mut [u32; 8], starts: [u32; N]) {
    for i in 0..N {
        let first = if N == 7 { 6 - i } else { i };
        let (mut fields, mut lowest) = (0, 0);
        for k in 0..8 - N {
            let f = (first + N - k) % N;
            let above = if f + 1 < N { u32::MAX << starts[(f + 1) % N] } else { 0 };
            fields |= h[7 - k] & (u32::MAX << starts[f] & !above);
            lowest = f;
        }
        h[i] = h[i].wrapping_add(fields.rotate_right(starts[lowest]));
    }
}

#[inline(always)]
fn run<W: Word32>(isa: W::Isa, p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    match p.p[0] {
        3 => drive::<Passes<3>, W, 8, 32, false>(isa, p, packed, rows),
        4 => drive::<Passes<4>, W, 8, 32, false>(isa, p, packed, rows),
        _ => drive::<Passes<5>, W, 8, 32, false>(isa, p, packed, rows),
    }
}

// Each function is written as `rest ^ (x & factor)` for the word x computed last, so that only two operations wait for
// it, or one with ternary logic; the word computed before it is also used late. φ determines which words these are.

/// F_1 = x1x4 + x2x5 + x3x6 + x0x1 + x0.
#[inline(always)]
fn f1_by_x0<W: Word32>([x6, x5, x4, x3, x2, x1, x0]: [W; 7]) -> W {
    x1.and(x4).xor_and(x2, x5).xor_and(x3, x6).chi(x1, x0)
}

/// F_1, if x3 is computed last.
#[inline(always)]
fn f1_by_x3<W: Word32>([x6, x5, x4, x3, x2, x1, x0]: [W; 7]) -> W {
    x1.choose(x4, x0).xor_and(x2, x5).xor_and(x3, x6)
}

/// F_1, if x5 is computed last.
#[inline(always)]
fn f1_by_x5<W: Word32>([x6, x5, x4, x3, x2, x1, x0]: [W; 7]) -> W {
    x1.choose(x4, x0).xor_and(x3, x6).xor_and(x2, x5)
}

/// F_2 = x1x2x3 + x2x4x5 + x1x2 + x1x4 + x2x6 + x3x5 + x4x5 + x0x2 + x0.
#[inline(always)]
fn f2_by_x3<W: Word32>([x6, x5, x4, x3, x2, x1, x0]: [W; 7]) -> W {
    let rest = x2.choose(x6.xor(x1), x0).xor_and(x4, x1.chi(x2, x5));
    rest.xor_and(x3, x5.xor_and(x1, x2))
}

/// F_3 = x1x2x3 + x1x4 + x2x5 + x3x6 + x0x3 + x0.
#[inline(always)]
fn f3_by_x0<W: Word32>([x6, x5, x4, x3, x2, x1, x0]: [W; 7]) -> W {
    x3.and(x6.xor_and(x1, x2)).xor_and(x1, x4).xor_and(x2, x5).chi(x3, x0)
}

/// F_3, if x2 is computed last.
#[inline(always)]
fn f3_by_x2<W: Word32>([x6, x5, x4, x3, x2, x1, x0]: [W; 7]) -> W {
    x3.choose(x6, x0).xor_and(x1, x4).xor_and(x2, x5.xor_and(x1, x3))
}

/// F_3, if x4 is computed last.
#[inline(always)]
fn f3_by_x4<W: Word32>([x6, x5, x4, x3, x2, x1, x0]: [W; 7]) -> W {
    x3.choose(x6, x0).xor_and(x2, x5).xor_and(x1, x2.and(x3)).xor_and(x1, x4)
}

/// F_4 = x1x2x3 + x2x4x5 + x3x4x6 + x1x4 + x2x6 + x3x4 + x3x5 + x3x6 + x4x5 + x4x6 + x0x4 + x0.
#[inline(always)]
fn f4_by_x4<W: Word32>([x6, x5, x4, x3, x2, x1, x0]: [W; 7]) -> W {
    let rest = x0.xor_and(x2, x6).xor_and(x3, x5.xor(x6).xor_and(x1, x2));
    rest.xor_and(x4, x3.or(x6).xor(x0).chi(x2, x5).xor(x1))
}

/// F_4, if x2 is computed last.
#[inline(always)]
fn f4_by_x2<W: Word32>([x6, x5, x4, x3, x2, x1, x0]: [W; 7]) -> W {
    let rest = x4.choose(x1.xor3(x3, x5), x0).xor_and(x3, x5).xor_and(x6, x3.or(x4));
    rest.xor_and(x2, x6.xor_and(x1, x3).xor_and(x4, x5))
}

/// F_5 = x1x4 + x2x5 + x3x6 + x0x1x2x3 + x0x5 + x0.
#[inline(always)]
fn f5_by_x4<W: Word32>([x6, x5, x4, x3, x2, x1, x0]: [W; 7]) -> W {
    let rest = x1.and(x2).and(x3).xor(x5).andnot(x0);
    rest.xor_and(x2, x5).xor_and(x3, x6).xor_and(x1, x4)
}

/// The round function with this number of passes.
struct Passes<const N: usize>;

impl<W: Word32, const N: usize> Round<W, 8, 32, false> for Passes<N> {
    #[inline(always)]
    fn compress(isa: W::Isa, _: &Params, h: &mut [W; 8], m: &mut Feed<'_, W, 32, false>) {
        // The words are not moved: in step i, word x_j is t[(j - i) % 8].
        let mut t = *h;
        macro_rules! step {
            ($p:literal, $k:ident, $i:expr, $f:ident($($x:literal)*)) => {{
                let f = $f([$(t[($x + 32 - $i) % 8]),*]);
                let word = m.word(ORDER[$p - 1][$i]);
                let word = if $p == 1 { word } else { word.add(W::splat(isa, $k[$i])) };
                let x7 = &mut t[(7 + 32 - $i) % 8];
                *x7 = f.rotr(7).add(x7.rotr(11).add(word));
            }};
        }
        // The inputs of F_p in φ's order, from x6 to x0.
        macro_rules! pass {
            ($p:literal, $f:ident($($x:literal)*)) => {
                // Hide the constants: the compiler would add them last, lengthening the chain.
                let k = black_box(&K[$p - 1]);
                repeat16!(I => {
                    if $p == 1 {
                        m.ahead(I, 32);
                    }
                    step!($p, k, I, $f($($x)*));
                });
                repeat16!(I => {
                    if $p == 1 {
                        m.ahead(16 + I, 32);
                    }
                    step!($p, k, 16 + I, $f($($x)*));
                });
            };
        }
        match N {
            3 => {
                pass!(1, f1_by_x5(1 0 3 5 6 2 4));
                pass!(2, f2_by_x3(4 2 1 0 5 3 6));
                pass!(3, f3_by_x0(6 1 2 3 4 5 0));
            }
            4 => {
                pass!(1, f1_by_x0(2 6 1 4 5 3 0));
                pass!(2, f2_by_x3(3 5 2 0 1 6 4));
                pass!(3, f3_by_x2(1 4 3 6 0 2 5));
                pass!(4, f4_by_x4(6 4 0 5 2 1 3));
            }
            _ => {
                pass!(1, f1_by_x3(3 4 1 0 5 2 6));
                pass!(2, f2_by_x3(6 2 1 0 3 4 5));
                pass!(3, f3_by_x4(2 6 0 4 3 1 5));
                pass!(4, f4_by_x2(1 5 3 2 0 4 6));
                pass!(5, f5_by_x4(2 5 0 6 4 3 1));
            }
        }
        for i in 0..8 {
            h[i] = h[i].add(t[i]);
        }
    }
}

/// The message word of each step, by pass.
const ORDER: [[usize; 32]; 5] = [
    [
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
        30, 31,
    ],
    [
        5, 14, 26, 18, 11, 28, 7, 16, 0, 23, 20, 22, 1, 10, 4, 8, 30, 3, 21, 9, 17, 24, 29, 6, 19, 12, 15, 13, 2, 25,
        31, 27,
    ],
    [
        19, 9, 4, 20, 28, 17, 8, 22, 29, 14, 25, 12, 24, 30, 16, 26, 31, 15, 7, 3, 1, 0, 18, 27, 13, 6, 21, 10, 23, 11,
        5, 2,
    ],
    [
        24, 4, 0, 14, 2, 7, 28, 23, 26, 6, 30, 20, 18, 25, 19, 3, 22, 11, 31, 21, 8, 27, 12, 9, 1, 29, 5, 15, 17, 10,
        16, 13,
    ],
    [
        27, 3, 21, 26, 17, 11, 20, 29, 19, 0, 12, 7, 13, 8, 31, 10, 5, 9, 14, 30, 18, 6, 28, 24, 2, 23, 16, 22, 4, 1,
        25, 15,
    ],
];

/// The first bits of the fractional part of π.
const INITIAL: [u32; 8] =
    [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344, 0xa409_3822, 0x299f_31d0, 0x082e_fa98, 0xec4e_6c89];

/// 0 for the first pass, then the following bits of the fractional part of π.
static K: [[u32; 32]; 5] = [
    [0; 32],
    [
        0x4528_21e6, 0x38d0_1377, 0xbe54_66cf, 0x34e9_0c6c, 0xc0ac_29b7, 0xc97c_50dd, 0x3f84_d5b5, 0xb547_0917,
        0x9216_d5d9, 0x8979_fb1b, 0xd131_0ba6, 0x98df_b5ac, 0x2ffd_72db, 0xd01a_dfb7, 0xb8e1_afed, 0x6a26_7e96,
        0xba7c_9045, 0xf12c_7f99, 0x24a1_9947, 0xb391_6cf7, 0x0801_f2e2, 0x858e_fc16, 0x6369_20d8, 0x7157_4e69,
        0xa458_fea3, 0xf493_3d7e, 0x0d95_748f, 0x728e_b658, 0x718b_cd58, 0x8215_4aee, 0x7b54_a41d, 0xc25a_59b5,
    ],
    [
        0x9c30_d539, 0x2af2_6013, 0xc5d1_b023, 0x2860_85f0, 0xca41_7918, 0xb8db_38ef, 0x8e79_dcb0, 0x603a_180e,
        0x6c9e_0e8b, 0xb01e_8a3e, 0xd715_77c1, 0xbd31_4b27, 0x78af_2fda, 0x5560_5c60, 0xe655_25f3, 0xaa55_ab94,
        0x5748_9862, 0x63e8_1440, 0x55ca_396a, 0x2aab_10b6, 0xb4cc_5c34, 0x1141_e8ce, 0xa154_86af, 0x7c72_e993,
        0xb3ee_1411, 0x636f_bc2a, 0x2ba9_c55d, 0x7418_31f6, 0xce5c_3e16, 0x9b87_931e, 0xafd6_ba33, 0x6c24_cf5c,
    ],
    [
        0x7a32_5381, 0x2895_8677, 0x3b8f_4898, 0x6b4b_b9af, 0xc4bf_e81b, 0x6628_2193, 0x61d8_09cc, 0xfb21_a991,
        0x487c_ac60, 0x5dec_8032, 0xef84_5d5d, 0xe985_75b1, 0xdc26_2302, 0xeb65_1b88, 0x2389_3e81, 0xd396_acc5,
        0x0f6d_6ff3, 0x83f4_4239, 0x2e0b_4482, 0xa484_2004, 0x69c8_f04a, 0x9e1f_9b5e, 0x21c6_6842, 0xf6e9_6c9a,
        0x670c_9c61, 0xabd3_88f0, 0x6a51_a0d2, 0xd854_2f68, 0x960f_a728, 0xab51_33a3, 0x6eef_0b6c, 0x137a_3be4,
    ],
    [
        0xba3b_f050, 0x7efb_2a98, 0xa1f1_651d, 0x39af_0176, 0x66ca_593e, 0x8243_0e88, 0x8cee_8619, 0x456f_9fb4,
        0x7d84_a5c3, 0x3b8b_5ebe, 0xe06f_75d8, 0x85c1_2073, 0x401a_449f, 0x56c1_6aa6, 0x4ed3_aa62, 0x363f_7706,
        0x1bfe_df72, 0x429b_023d, 0x37d0_d724, 0xd00a_1248, 0xdb0f_ead3, 0x49f1_c09b, 0x0753_72c9, 0x8099_1b7b,
        0x25d4_79d8, 0xf6e8_def7, 0xe3fe_501a, 0xb679_4c3b, 0x976c_e0bd, 0x04c0_06ba, 0xc1a9_4fb6, 0x409f_60c4,
    ],
];

#[cfg(test)]
mod tests {
    /// The certification data of version 1.1 of the authors' implementation. (The data of 1993 differs, because that
    /// version padded with 0x80.)
    #[test]
    fn certification_data() {
        let check = |name: &str, message: &[u8], digest: &str| {
            let a: crate::Algorithm = name.parse().expect("known");
            assert_eq!(a.digest(message).to_string(), digest, "{name}");
        };
        check("haval128-3", b"", "c68f39913f901f3ddf44c707357a7d70");
        check("haval160-3", b"a", "4da08f514a7275dbc4cece4a347385983983a830");
        check("haval192-4", b"HAVAL", "0c1396d7772689c46773f3daaca4efa982adbfb2f1467eea");
        check("haval224-4", b"0123456789", "bebd7816f09baeecf8903b1b9bc672d9fa428e462ba699f814841529");
        let small = b"abcdefghijklmnopqrstuvwxyz";
        check("haval256-5", small, "c9c7d8afa159fd9e965cb83ff5ee6f58aeda352c0eff005548153a61551c38ee");
        let all = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
        check("haval256-5", all, "b45cb6e62f2b1320e4f8f1b0b273d45add47c321fd23999dcf403ac37636d963");
    }
}
