//! MD4 — RFC 1320 (R. Rivest, 1990).
//! digest 128 bit · block 64 bytes · little-endian · status: broken (collisions, 1996)
//!
//! ## Algorithm
//!
//! ```text
//! (a, b, c, d) := (A, B, C, D)
//! for i in 0..48:
//!     f := F(b,c,d) | G(b,c,d) | H(b,c,d)                 by i / 16: choice, majority, parity
//!     a := (a + f + X[k(i)] + K[i / 16]) <<< s(i); (a, b, c, d) := (d, a, b, c)
//! (A, B, C, D) += (a, b, c, d)
//! ```
//!
//! ## Kernels
//!
//! The dependency chain is that of MD5 without one addition, so the same kernel shapes pay off.
//!
//! * `avx512x32`: sixteen lanes per register, two registers side by side (four were hardly faster: 17 against 16.7 GB/s
//!   on Zen 5).
//! * `avx2x16`: eight lanes, two registers side by side.
//! * `neonx8`: four lanes, two registers side by side.
//! * `simd128x8`: the same in WebAssembly, 2.7 times as fast as `portable` there (node 20, sixteen messages).
//! * `avx512vl`: one message in a 128-bit register, where F, G and H are one operation each: three dependent operations
//!   per step make 2.25 cycles/byte (measured: 2.28 on Emerald Rapids). Only where vector registers rotate in one
//!   cycle.
//! * `portable`: one message. G is `(c & d) + (b & (c ^ d))`: the two halves have no bit in common, and the first does
//!   not wait for b, which leaves three dependent operations per step, as in H. F has four. The constants are hidden
//!   from the compiler, which would add them last (1.24 against 1.43 GB/s). The bound is 2.5 cycles/byte (measured:
//!   2.61); BMI gained nothing.

use super::{lanes, repeat16};
use crate::base::bits::BitOrder;
use crate::contract::{Blocks, Inputs, Padding, Params, State, Words};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128"))]
use crate::simd::X2;
#[cfg(target_arch = "aarch64")]
use crate::simd::aarch64::U32x4;
#[cfg(target_feature = "simd128")]
use crate::simd::wasm32::U32x4;
#[cfg(target_arch = "x86_64")]
use crate::simd::x86::{U32x1, U32x8, U32x16};
use crate::simd::{Feed, Round, Rows, Word32, drive};
use core::hint::black_box;

lanes! { words: 4, bytes: 4, portable: u32;
    x86_64 {
        avx512x32(Avx512 X2<U32x16>) from 3;
        avx2x16(Avx2 X2<U32x8>) from 4;
        avx512vl(Avx512Rot U32x1) from 1;
    }
    aarch64 {
        neonx8(Neon X2<U32x4>) from 3;
    }
    wasm32 {
        simd128x8(Simd128 X2<U32x4>) from 4;
    }
}

/// Padding and output.
pub(crate) static RULE: Md4 = Md4;

pub(crate) struct Md4;

impl Blocks for Md4 {
    fn block(&self, _: &Params) -> usize {
        64
    }

    fn setup(&self) -> usize {
        10
    }

    fn init(&self, _: &Params, _: &Inputs<'_>, s: &mut State) {
        for (i, x) in INITIAL.into_iter().enumerate() {
            s.set_u32(i, x);
        }
    }

    fn padding(&self, _: &Params) -> Option<Padding> {
        Some(Padding::strengthened(8, false))
    }

    fn words(&self, _: &Params) -> Option<Words> {
        Some(Words { bytes: 4, big_endian: false })
    }

    fn bit_order(&self, _: &Params) -> Option<BitOrder> {
        Some(BitOrder::High)
    }
}

#[inline(always)]
fn run<W: Word32>(isa: W::Isa, p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    drive::<Md4, W, 4, 16, false>(isa, p, packed, rows);
}

impl<W: Word32> Round<W, 4, 16, false> for Md4 {
    #[inline(always)]
    fn compress(isa: W::Isa, _: &Params, h: &mut [W; 4], m: &mut Feed<'_, W, 16, false>) {
        let [mut a, mut b, mut c, mut d] = *h;
        // `a + X + K` is ready before the chain needs it: a was computed four steps ago.
        macro_rules! step {
            ($xk:expr, $s:expr, |$x:ident| $f:expr) => {{
                let $x = a.add($xk);
                let sum: W = $f;
                (a, d, c, b) = (d, c, b, sum.rotl($s));
            }};
        }
        repeat16!(I => {
            m.ahead(I, 48);
            step!(m.word(I), [3, 7, 11, 19][I % 4], |x| x.add(b.choose(c, d)));
        });
        // Hide the constant: the compiler would add it last, lengthening the chain.
        let k = W::splat(isa, black_box(K[0]));
        repeat16!(I => {
            m.ahead(16 + I, 48);
            step!(m.word(4 * (I % 4) + I / 4).add(k), [3, 5, 9, 13][I % 4], |x| x.add_majority(b, c, d));
        });
        let k = W::splat(isa, black_box(K[1]));
        repeat16!(I => {
            m.ahead(32 + I, 48);
            // Takes the words in bit-reversed order of their indices.
            let word = m.word(I.reverse_bits() >> (usize::BITS - 4));
            step!(word.add(k), [3, 9, 11, 15][I % 4], |x| x.add(b.xor3(c, d)));
        });
        *h = [h[0].add(a), h[1].add(b), h[2].add(c), h[3].add(d)];
    }
}

const INITIAL: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];

/// ⌊2^30 · √n⌋ for n = 2, 3.
const K: [u32; 2] = [0x5a82_7999, 0x6ed9_eba1];

#[cfg(test)]
mod tests {
    /// Test suite of RFC 1320, A.5.
    #[test]
    fn rfc_1320() {
        let a: crate::Algorithm = "md4".parse().expect("known");
        assert_eq!(a.digest(b"").to_string(), "31d6cfe0d16ae931b73c59d7e0c089c0");
        assert_eq!(a.digest(b"abc").to_string(), "a448017aaf21d8525fc10ae87aa6729d");
        assert_eq!(a.digest(b"message digest").to_string(), "d9130a8164549fe818874806e1c7014b");
        let digits = b"1234567890".repeat(8);
        assert_eq!(a.digest(&digits).to_string(), "e33b4ddc9c38f2199c3e7b164fcc0536");
    }
}
