//! SHA-224, SHA-256 — FIPS 180-4 (NIST, 2001–2012): SHA-2 on 32-bit words.
//! digest 224 or 256 bit · block 64 bytes · big-endian · status: sound
//!
//! ## Algorithm
//!
//! ```text
//! W[t] := M[t]                                                    t < 16
//! W[t] := σ1(W[t-2]) + W[t-7] + σ0(W[t-15]) + W[t-16]             t >= 16
//! T1 := h + Σ1(e) + Ch(e,f,g) + K[t] + W[t];   T2 := Σ0(a) + Maj(a,b,c)
//! (a, b, c, d, e, f, g, h) := (T1 + T2, a, b, c, d + T1, e, f, g)  64 times
//! ```
//!
//! ## Kernels
//!
//! * `avx512x16`: sixteen lanes. Two registers side by side were 2 % faster on Zen 5 and need twice the messages.
//! * `shanix2`, `shani`: x86's SHA instructions, two messages interleaved or one.
//! * `avx2x8`, `neonx4`: eight and four lanes (two registers side by side spill too much on AVX2: 1.57 against 1.69
//!   GB/s).
//! * `simd128x4`: the same in WebAssembly, 2.9 times as fast as `portable` there (node 20, sixteen messages).
//! * `armsha2`: ARMv8's SHA instructions, one message (aarch64.rs); tested under emulation, never measured.
//! * `portable`: one message.

use super::{lanes, repeat16};
use crate::base::bits::BitOrder;
use crate::contract::{Blocks, Inputs, Padding, Params, State, Words};
#[cfg(target_arch = "aarch64")]
use crate::simd::aarch64::U32x4;
#[cfg(target_feature = "simd128")]
use crate::simd::wasm32::U32x4;
#[cfg(target_arch = "x86_64")]
use crate::simd::x86::{U32x8, U32x16};
use crate::simd::{Feed, Round, Rows, Word32, drive};

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
pub(super) mod x86;

lanes! { words: 8, bytes: 4, portable: u32;
    x86_64 {
        avx512x16(Avx512 U32x16) from 9;
        shanix2(dedicated x86::shanix2, [SHANI], 2) from 2;
        shani(dedicated x86::shani, [SHANI], 1) from 1;
        avx2x8(Avx2 U32x8) from 4;
    }
    aarch64 {
        armsha2(dedicated aarch64::armsha2, [ARM_SHA2], 1) from 1;
        neonx4(Neon U32x4) from 2;
    }
    wasm32 {
        simd128x4(Simd128 U32x4) from 2;
    }
}

/// Padding and output.
pub(crate) static RULE: Sha232 = Sha232;

pub(crate) struct Sha232;

impl Blocks for Sha232 {
    fn block(&self, _: &Params) -> usize {
        64
    }

    fn setup(&self) -> usize {
        6
    }

    fn init(&self, p: &Params, _: &Inputs<'_>, s: &mut State) {
        let initial = if p.p[0] == 224 { INITIAL_224 } else { INITIAL_256 };
        for (i, x) in initial.into_iter().enumerate() {
            s.set_u32(i, x);
        }
    }

    fn padding(&self, _: &Params) -> Option<Padding> {
        Some(Padding::strengthened(8, true))
    }

    fn words(&self, _: &Params) -> Option<Words> {
        Some(Words { bytes: 4, big_endian: true })
    }

    fn bit_order(&self, _: &Params) -> Option<BitOrder> {
        Some(BitOrder::High)
    }
}

#[inline(always)]
fn run<W: Word32>(isa: W::Isa, p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    drive::<Sha232, W, 8, 16, true>(isa, p, packed, rows);
}

/// Σ0
#[inline(always)]
fn big0<W: Word32>(x: W) -> W {
    x.rotr(2).xor3(x.rotr(13), x.rotr(22))
}

/// Σ1
#[inline(always)]
fn big1<W: Word32>(x: W) -> W {
    x.rotr(6).xor3(x.rotr(11), x.rotr(25))
}

/// σ0
#[inline(always)]
fn small0<W: Word32>(x: W) -> W {
    x.rotr(7).xor3(x.rotr(18), x.shr(3))
}

/// σ1
#[inline(always)]
fn small1<W: Word32>(x: W) -> W {
    x.rotr(17).xor3(x.rotr(19), x.shr(10))
}

impl<W: Word32> Round<W, 8, 16, true> for Sha232 {
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
        for t in 1..4 {
            let k = &K[16 * t..16 * t + 16];
            repeat16!(T => {
                w[T] = small1(w[(T + 14) % 16]).add(w[(T + 9) % 16]).add(small0(w[(T + 1) % 16])).add(w[T]);
                step!(k[T], w[T]);
            });
        }
        *s = [s[0].add(a), s[1].add(b), s[2].add(c), s[3].add(d), s[4].add(e), s[5].add(f), s[6].add(g), s[7].add(h)];
    }
}

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
pub(super) const K: [u32; 64] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
];

const INITIAL_256: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];
const INITIAL_224: [u32; 8] =
    [0xc105_9ed8, 0x367c_d507, 0x3070_dd17, 0xf70e_5939, 0xffc0_0b31, 0x6858_1511, 0x64f9_8fa7, 0xbefa_4fa4];

#[cfg(test)]
mod tests {
    /// FIPS 180-4 examples (NIST, "Examples with Intermediate Values").
    #[test]
    fn fips_180() {
        let d = |a: &str| a.parse::<crate::Algorithm>().expect("known").digest(b"abc").to_string();
        assert_eq!(d("sha256"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(d("sha224"), "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7");
    }
}
