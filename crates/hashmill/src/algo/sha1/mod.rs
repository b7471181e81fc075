//! SHA-1 — FIPS 180-4 (NIST, 1995).
//! digest 160 bit · block 64 bytes · big-endian · status: broken (collisions, 2017)
//!
//! ## Algorithm
//!
//! ```text
//! W[t] := M[t]                                                    t < 16
//! W[t] := (W[t-3] ^ W[t-8] ^ W[t-14] ^ W[t-16]) <<< 1             t >= 16
//! T := (a <<< 5) + f(b,c,d) + e + K[t / 20] + W[t]
//! (a, b, c, d, e) := (T, a, b <<< 30, c, d)
//! ```
//!
//! ## Kernels
//!
//! * `avx512x16`: sixteen lanes. The message schedule is independent of the chain and fills its gaps; two and three
//!   registers side by side need more than the 32 vector registers and were slower (9.4, 8.9, 7.6 GB/s on Zen 5).
//! * `avx2x8`, `neonx4`: eight and four lanes; faster than `shani` from five messages on.
//! * `simd128x4`: the same in WebAssembly, 2.9 times as fast as `portable` there (node 20, sixteen messages).
//! * `shani`: x86's SHA instructions, one message.
//! * `armsha2`: ARMv8's SHA instructions, one message (aarch64.rs). Tested under emulation and never measured, like the
//!   other kernels for aarch64.
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
pub(crate) mod sha0;
#[cfg(target_arch = "x86_64")]
pub(super) mod x86;

lanes! { words: 5, bytes: 4, portable: u32;
    x86_64 {
        avx512x16(Avx512 U32x16) from 5;
        avx2x8(Avx2 U32x8) from 5;
        shani(dedicated x86::shani, [SHANI], 1) from 1;
    }
    aarch64 {
        armsha2(dedicated aarch64::armsha2, [ARM_SHA2], 1) from 1;
        neonx4(Neon U32x4) from 2;
    }
    wasm32 {
        simd128x4(Simd128 U32x4) from 2;
    }
}

/// Padding and output, also for SHA-0.
pub(crate) static RULE: Sha1 = Sha1;

pub(crate) struct Sha1;

impl Blocks for Sha1 {
    fn block(&self, _: &Params) -> usize {
        64
    }

    fn setup(&self) -> usize {
        7
    }

    fn init(&self, _: &Params, _: &Inputs<'_>, s: &mut State) {
        for (i, x) in INITIAL.into_iter().enumerate() {
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
    drive::<Rounds<true>, W, 5, 16, true>(isa, p, packed, rows);
}

/// The rounds of SHA-1, or of SHA-0 without the rotation in the schedule.
struct Rounds<const ROTATE: bool>;

impl<W: Word32, const ROTATE: bool> Round<W, 5, 16, true> for Rounds<ROTATE> {
    #[inline(always)]
    #[allow(unused_assignments, reason = "the schedule's last words are stored like all others but never read")]
    fn compress(isa: W::Isa, _: &Params, h: &mut [W; 5], m: &mut Feed<'_, W, 16, true>) {
        let [mut a, mut b, mut c, mut d, mut e] = *h;
        // W[t] for the last sixteen t; initially the words of the block.
        let mut w = [a; 16];
        macro_rules! step {
            ($k:expr, $w:expr, $f:expr) => {{
                let x = e.add($w.add(W::splat(isa, K[$k]))).settled().add($f);
                (e, d, c, b, a) = (d, c, b.rotl(30), a, x.add(a.rotl(5)));
            }};
        }
        macro_rules! schedule {
            ($t:expr) => {{
                let x = w[($t + 13) % 16].xor3(w[($t + 8) % 16], w[($t + 2) % 16]).xor(w[$t % 16]);
                let x = if ROTATE { x.rotl(1) } else { x };
                w[$t % 16] = x;
                x
            }};
        }
        repeat16!(T => {
            w[T] = m.word(T);
            step!(0, w[T], b.choose(c, d));
        });
        repeat16!(T => {
            m.ahead(T, 64);
            let x = schedule!(T);
            if T < 4 { step!(0, x, b.choose(c, d)) } else { step!(1, x, b.xor3(c, d)) }
        });
        repeat16!(T => {
            m.ahead(16 + T, 64);
            let x = schedule!(T);
            if T < 8 { step!(1, x, b.xor3(c, d)) } else { step!(2, x, b.majority(c, d)) }
        });
        repeat16!(T => {
            m.ahead(32 + T, 64);
            let x = schedule!(T);
            if T < 12 { step!(2, x, b.majority(c, d)) } else { step!(3, x, b.xor3(c, d)) }
        });
        repeat16!(T => {
            m.ahead(48 + T, 64);
            let x = schedule!(T);
            step!(3, x, b.xor3(c, d));
        });
        *h = [h[0].add(a), h[1].add(b), h[2].add(c), h[3].add(d), h[4].add(e)];
    }
}

const INITIAL: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];

/// ⌊2^30 · √n⌋ for n = 2, 3, 5, 10.
const K: [u32; 4] = [0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xca62_c1d6];

#[cfg(test)]
mod tests {
    /// FIPS 180-4 examples (NIST, "Examples with Intermediate Values").
    #[test]
    fn fips_180() {
        let a: crate::Algorithm = "sha1".parse().expect("known");
        assert_eq!(a.digest(b"abc").to_string(), "a9993e364706816aba3e25717850c26c9cd0d89d");
        let two = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(a.digest(two).to_string(), "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
    }
}
