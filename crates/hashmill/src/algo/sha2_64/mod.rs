//! SHA-384, SHA-512, SHA-512/224, SHA-512/256 — FIPS 180-4 (NIST, 2001–2012): SHA-2 on 64-bit words.
//! digest 224 to 512 bit · block 128 bytes · big-endian · status: sound
//!
//! ## Algorithm
//!
//! ```text
//! W[t] := M[t]                                                    t < 16
//! W[t] := σ1(W[t-2]) + W[t-7] + σ0(W[t-15]) + W[t-16]             t >= 16
//! T1 := h + Σ1(e) + Ch(e,f,g) + K[t] + W[t];   T2 := Σ0(a) + Maj(a,b,c)
//! (a, b, c, d, e, f, g, h) := (T1 + T2, a, b, c, d + T1, e, f, g)  80 times
//! ```
//!
//! ## Kernels
//!
//! * `avx512x8`: eight lanes (two registers side by side were slower on Zen 5: 4.2 against 4.5 GB/s).
//! * `avx2x4`, `neonx2`: four and two lanes.
//! * `simd128x2`: the same in WebAssembly, 1.7 times as fast as `portable` there (node 20, sixteen messages).
//! * `avx512`, `avx2`: one message; vectors compute the schedule of the same block, or of the next eight or four
//!   blocks, while the rounds run on general-purpose registers, in assembly (x86.rs). Cycles/byte for 16 KiB on an
//!   Emerald Rapids core: `avx512` 4.3, `avx2` 4.3, `bmi2` 5.7, `portable` 7.0; OpenSSL 3.0 4.8. Cycles for a message
//!   of five bytes: 630, 680, 790, 1000; OpenSSL 1810. The chain is five cycles per round, 3.1 cycles/byte, but the
//!   three rotations of e compete for two ports, also with those of a: the rounds alone take 3.85, and 4.1 with a
//!   schedule between them. Tried: Σ0 and Maj in a vector register (3.75 alone, but not beside a schedule), sums that
//!   shorten the chain to four cycles (more instructions: 4.4), rotations by SHLD (three cycles).
//! * `avx512vl`: the same block by block, with a different round for AMD's cores, whose bottlenecks are others. On Zen
//!   5, 3.25 cycles/byte (`avx512` 3.9, `bmi2` 5.2, OpenSSL 3.0 3.5), which is 5.1 cycles per round: 35 operations at 7
//!   per cycle. Its chain alone would be four cycles, 2.5 cycles/byte.
//! * `sha512ni`: one message, two rounds per instruction (x86.rs); tested with a model of the instructions, never run
//!   or measured on a CPU that has them.
//! * `bmi2`: one message, with BMI's non-destructive rotations and and-not.
//! * `armsha512`: ARMv8.2's SHA-512 instructions, one message (aarch64.rs); tested under emulation, never measured.
//! * `portable`: one message.

use super::{lanes, repeat16};
use crate::base::bits::BitOrder;
use crate::contract::{Blocks, Inputs, Padding, Params, State, Words};
#[cfg(target_arch = "aarch64")]
use crate::simd::aarch64::U64x2;
#[cfg(target_feature = "simd128")]
use crate::simd::wasm32::U64x2;
#[cfg(target_arch = "x86_64")]
use crate::simd::x86::{U64x4, U64x8};
use crate::simd::{Feed, Round, Rows, Word64, drive};

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod x86;

lanes! { words: 8, bytes: 8, portable: u64;
    x86_64 {
        avx512x8(Avx512 U64x8) from 3;
        sha512ni(dedicated x86::sha512ni, [SHA512NI], 1) from 1;
        avx2x4(Avx2 U64x4) from 3;
        avx512(dedicated x86::avx512, [AVX512 + FAST_VROT], 1) from 1;
        avx512vl(dedicated x86::avx512vl, [AVX512], 1) from 1;
        avx2(dedicated x86::avx2, [AVX2], 1) from 1;
        bmi2(Bmi2 u64) from 1;
    }
    aarch64 {
        armsha512(dedicated aarch64::armsha512, [ARM_SHA3], 1) from 1;
        neonx2(Neon U64x2) from 2;
    }
    wasm32 {
        simd128x2(Simd128 U64x2) from 2;
    }
}

/// Padding and output.
pub(crate) static RULE: Sha264 = Sha264;

pub(crate) struct Sha264;

impl Blocks for Sha264 {
    fn block(&self, _: &Params) -> usize {
        128
    }

    fn setup(&self) -> usize {
        1
    }

    fn init(&self, p: &Params, _: &Inputs<'_>, s: &mut State) {
        let initial = match p.p[0] {
            512 => INITIAL_512,
            384 => INITIAL_384,
            256 => INITIAL_512_256,
            _ => INITIAL_512_224,
        };
        for (i, x) in initial.into_iter().enumerate() {
            s.set_u64(i, x);
        }
    }

    fn padding(&self, _: &Params) -> Option<Padding> {
        Some(Padding::strengthened(16, true))
    }

    fn words(&self, _: &Params) -> Option<Words> {
        Some(Words { bytes: 8, big_endian: true })
    }

    fn bit_order(&self, _: &Params) -> Option<BitOrder> {
        Some(BitOrder::High)
    }
}

#[inline(always)]
fn run<W: Word64>(isa: W::Isa, p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    drive::<Sha264, W, 8, 16, true>(isa, p, packed, rows);
}

/// Σ0
#[inline(always)]
fn big0<W: Word64>(x: W) -> W {
    x.rotr(28).xor3(x.rotr(34), x.rotr(39))
}

/// Σ1
#[inline(always)]
fn big1<W: Word64>(x: W) -> W {
    x.rotr(14).xor3(x.rotr(18), x.rotr(41))
}

/// σ0
#[inline(always)]
fn small0<W: Word64>(x: W) -> W {
    x.rotr(1).xor3(x.rotr(8), x.shr(7))
}

/// σ1
#[inline(always)]
fn small1<W: Word64>(x: W) -> W {
    x.rotr(19).xor3(x.rotr(61), x.shr(6))
}

impl<W: Word64> Round<W, 8, 16, true> for Sha264 {
    #[inline(always)]
    fn compress(isa: W::Isa, _: &Params, s: &mut [W; 8], m: &mut Feed<'_, W, 16, true>) {
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *s;
        // W[t] for the last sixteen t.
        let mut w = [a; 16];
        macro_rules! step {
            ($k:expr, $w:expr) => {{
                let t1 = h.add(W::splat(isa, $k).add($w)).settled().add(e.choose(f, g)).add(big1(e));
                let t2 = big0(a).add(a.majority(b, c));
                (h, g, f, e, d, c, b, a) = (g, f, e, d.add(t1), c, b, a, t1.add(t2));
            }};
        }
        repeat16!(T => {
            m.ahead(T, 16);
            w[T] = m.word(T);
            step!(K[T], w[T]);
        });
        for t in 1..5 {
            let k = &K[16 * t..16 * t + 16];
            repeat16!(T => {
                w[T] = small1(w[(T + 14) % 16]).add(w[(T + 9) % 16]).add(small0(w[(T + 1) % 16])).add(w[T]);
                step!(k[T], w[T]);
            });
        }
        *s = [s[0].add(a), s[1].add(b), s[2].add(c), s[3].add(d), s[4].add(e), s[5].add(f), s[6].add(g), s[7].add(h)];
    }
}

/// The first 64 bits of the fractional parts of the cube roots of the first 80 primes.
static K: [u64; 80] = [
    0x428a_2f98_d728_ae22, 0x7137_4491_23ef_65cd, 0xb5c0_fbcf_ec4d_3b2f, 0xe9b5_dba5_8189_dbbc, 0x3956_c25b_f348_b538,
    0x59f1_11f1_b605_d019, 0x923f_82a4_af19_4f9b, 0xab1c_5ed5_da6d_8118, 0xd807_aa98_a303_0242, 0x1283_5b01_4570_6fbe,
    0x2431_85be_4ee4_b28c, 0x550c_7dc3_d5ff_b4e2, 0x72be_5d74_f27b_896f, 0x80de_b1fe_3b16_96b1, 0x9bdc_06a7_25c7_1235,
    0xc19b_f174_cf69_2694, 0xe49b_69c1_9ef1_4ad2, 0xefbe_4786_384f_25e3, 0x0fc1_9dc6_8b8c_d5b5, 0x240c_a1cc_77ac_9c65,
    0x2de9_2c6f_592b_0275, 0x4a74_84aa_6ea6_e483, 0x5cb0_a9dc_bd41_fbd4, 0x76f9_88da_8311_53b5, 0x983e_5152_ee66_dfab,
    0xa831_c66d_2db4_3210, 0xb003_27c8_98fb_213f, 0xbf59_7fc7_beef_0ee4, 0xc6e0_0bf3_3da8_8fc2, 0xd5a7_9147_930a_a725,
    0x06ca_6351_e003_826f, 0x1429_2967_0a0e_6e70, 0x27b7_0a85_46d2_2ffc, 0x2e1b_2138_5c26_c926, 0x4d2c_6dfc_5ac4_2aed,
    0x5338_0d13_9d95_b3df, 0x650a_7354_8baf_63de, 0x766a_0abb_3c77_b2a8, 0x81c2_c92e_47ed_aee6, 0x9272_2c85_1482_353b,
    0xa2bf_e8a1_4cf1_0364, 0xa81a_664b_bc42_3001, 0xc24b_8b70_d0f8_9791, 0xc76c_51a3_0654_be30, 0xd192_e819_d6ef_5218,
    0xd699_0624_5565_a910, 0xf40e_3585_5771_202a, 0x106a_a070_32bb_d1b8, 0x19a4_c116_b8d2_d0c8, 0x1e37_6c08_5141_ab53,
    0x2748_774c_df8e_eb99, 0x34b0_bcb5_e19b_48a8, 0x391c_0cb3_c5c9_5a63, 0x4ed8_aa4a_e341_8acb, 0x5b9c_ca4f_7763_e373,
    0x682e_6ff3_d6b2_b8a3, 0x748f_82ee_5def_b2fc, 0x78a5_636f_4317_2f60, 0x84c8_7814_a1f0_ab72, 0x8cc7_0208_1a64_39ec,
    0x90be_fffa_2363_1e28, 0xa450_6ceb_de82_bde9, 0xbef9_a3f7_b2c6_7915, 0xc671_78f2_e372_532b, 0xca27_3ece_ea26_619c,
    0xd186_b8c7_21c0_c207, 0xeada_7dd6_cde0_eb1e, 0xf57d_4f7f_ee6e_d178, 0x06f0_67aa_7217_6fba, 0x0a63_7dc5_a2c8_98a6,
    0x113f_9804_bef9_0dae, 0x1b71_0b35_131c_471b, 0x28db_77f5_2304_7d84, 0x32ca_ab7b_40c7_2493, 0x3c9e_be0a_15c9_bebc,
    0x431d_67c4_9c10_0d4c, 0x4cc5_d4be_cb3e_42b6, 0x597f_299c_fc65_7e2a, 0x5fcb_6fab_3ad6_faec, 0x6c44_198c_4a47_5817,
];

const INITIAL_512: [u64; 8] = [
    0x6a09_e667_f3bc_c908, 0xbb67_ae85_84ca_a73b, 0x3c6e_f372_fe94_f82b, 0xa54f_f53a_5f1d_36f1, 0x510e_527f_ade6_82d1,
    0x9b05_688c_2b3e_6c1f, 0x1f83_d9ab_fb41_bd6b, 0x5be0_cd19_137e_2179,
];
const INITIAL_384: [u64; 8] = [
    0xcbbb_9d5d_c105_9ed8, 0x629a_292a_367c_d507, 0x9159_015a_3070_dd17, 0x152f_ecd8_f70e_5939, 0x6733_2667_ffc0_0b31,
    0x8eb4_4a87_6858_1511, 0xdb0c_2e0d_64f9_8fa7, 0x47b5_481d_befa_4fa4,
];

/// FIPS 180-4, 5.3.6: SHA-512, with each initial word XORed with a5a5…, of the string "SHA-512/224".
const INITIAL_512_224: [u64; 8] = [
    0x8c3d_37c8_1954_4da2, 0x73e1_9966_89dc_d4d6, 0x1dfa_b7ae_32ff_9c82, 0x679d_d514_582f_9fcf, 0x0f6d_2b69_7bd4_4da8,
    0x77e3_6f73_04c4_8942, 0x3f9d_85a8_6a1d_36c8, 0x1112_e6ad_91d6_92a1,
];

/// FIPS 180-4, 5.3.6: likewise of the string "SHA-512/256".
const INITIAL_512_256: [u64; 8] = [
    0x2231_2194_fc2b_f72c, 0x9f55_5fa3_c84c_64c2, 0x2393_b86b_6f53_b151, 0x9638_7719_5940_eabd, 0x9628_3ee2_a88e_ffe3,
    0xbe5e_1e25_5386_3992, 0x2b01_99fc_2c85_b8aa, 0x0eb7_2ddc_81c5_2ca2,
];

#[cfg(test)]
mod tests {
    /// Messages around the lengths from which kernels compute the schedule of several blocks at once, and with
    /// incomplete groups of such blocks.
    #[test]
    fn long_messages() {
        let a: crate::Algorithm = "sha512".parse().expect("known");
        let message: Vec<u8> = (0..25_000u32).map(|i| ((i * i) >> 7) as u8).collect();
        for blocks in [6, 7, 8, 9, 11, 12, 13, 62, 63, 64, 65, 71, 72, 73, 80, 135, 187] {
            for len in [128 * blocks, 128 * blocks + 111] {
                let expect = a.with_kernel("portable").expect("known").digest(&message[..len]);
                for kernel in a.kernels().into_iter().filter(|k| k.lanes == 1 && k.available) {
                    let a = a.with_kernel(kernel.name).expect("it runs here");
                    assert_eq!(a.digest(&message[..len]), expect, "{} {len}", kernel.name);
                }
            }
        }
    }

    /// FIPS 180-4 examples (NIST, "Examples with Intermediate Values").
    #[test]
    fn fips_180() {
        let d = |a: &str| a.parse::<crate::Algorithm>().expect("known").digest(b"abc").to_string();
        assert_eq!(
            d("sha512"),
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        );
        assert_eq!(
            d("sha384"),
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
        );
        assert_eq!(d("sha512-224"), "4634270f707b6a54daae7530460842e20e37ed265ceee9a43e8924aa");
        assert_eq!(d("sha512-256"), "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23");
    }
}
