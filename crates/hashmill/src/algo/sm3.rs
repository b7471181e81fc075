//! SM3 — GB/T 32905-2016 (Chinese State Cryptography Administration, 2010); ISO/IEC 10118-3:2018; draft-sca-cfrg-sm3.
//! digest 256 bit · block 64 bytes · big-endian · status: sound
//!
//! ## Algorithm
//!
//! ```text
//! W[j] := M[j]                                                                             j < 16
//! W[j] := P1(W[j-16] ^ W[j-9] ^ (W[j-3] <<< 15)) ^ (W[j-13] <<< 7) ^ W[j-6]                j >= 16
//! for j in 0..64:                                                                          W'[j] = W[j] ^ W[j+4]
//!     SS1 := ((A <<< 12) + E + (T[j] <<< j)) <<< 7;   SS2 := SS1 ^ (A <<< 12)
//!     TT1 := FF(A,B,C) + D + SS2 + W'[j];             TT2 := GG(E,F,G) + H + SS1 + W[j]
//!     (A, B, C, D, E, F, G, H) := (TT1, A, B <<< 9, C, P0(TT2), E, F <<< 19, G)
//! V ^= (A, B, C, D, E, F, G, H)
//!
//! P0(X) = X ^ (X <<< 9) ^ (X <<< 17);   P1(X) = X ^ (X <<< 15) ^ (X <<< 23)
//! FF = GG = A ^ B ^ C for j < 16;   then FF is the majority, GG the choice
//! ```
//!
//! ## Kernels
//!
//! * `avx512x16`: sixteen lanes; a rotation is one instruction, and so are FF, GG and each P. The schedule of later
//!   words fills the gaps in the dependency chain of a round.
//! * `avx2x8`, `neonx4`: eight and four lanes.
//! * `simd128x4`: the same in WebAssembly, 2.3 times as fast as `portable` there (node 20, sixteen messages).
//! * `portable`: one message. D + W' and H + W are ready before the chain needs them.

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

lanes! { words: 8, bytes: 4, portable: u32;
    x86_64 {
        avx512x16(Avx512 U32x16) from 2;
        avx2x8(Avx2 U32x8) from 3;
    }
    aarch64 {
        neonx4(Neon U32x4) from 2;
    }
    wasm32 {
        simd128x4(Simd128 U32x4) from 3;
    }
}

/// Padding and output.
pub(crate) static RULE: Sm3 = Sm3;

pub(crate) struct Sm3;

impl Blocks for Sm3 {
    fn block(&self, _: &Params) -> usize {
        64
    }

    fn init(&self, _: &Params, _: &Inputs<'_>, s: &mut State) {
        for (i, x) in IV.into_iter().enumerate() {
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
    drive::<Sm3, W, 8, 16, true>(isa, p, packed, rows);
}

#[inline(always)]
fn p0<W: Word32>(x: W) -> W {
    x.xor3(x.rotl(9), x.rotl(17))
}

#[inline(always)]
fn p1<W: Word32>(x: W) -> W {
    x.xor3(x.rotl(15), x.rotl(23))
}

impl<W: Word32> Round<W, 8, 16, true> for Sm3 {
    #[inline(always)]
    fn compress(isa: W::Isa, _: &Params, v: &mut [W; 8], m: &mut Feed<'_, W, 16, true>) {
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *v;
        // W[j] for sixteen consecutive j; round j computes W[j+4].
        let mut w = [a; 16];
        macro_rules! round {
            ($j:expr, $t:expr, $ff:expr, $gg:expr) => {{
                let w0 = w[$j % 16];
                let a12 = a.rotl(12);
                let ss1 = a12.add(W::splat(isa, $t)).add(e).rotl(7);
                let ss2 = ss1.xor(a12);
                let tt1 = d.add(w0.xor(w[($j + 4) % 16])).add($ff).add(ss2);
                let tt2 = h.add(w0).add($gg).add(ss1);
                (d, c, b, a) = (c, b.rotl(9), a, tt1);
                (h, g, f, e) = (g, f.rotl(19), e, p0(tt2));
            }};
        }
        macro_rules! schedule {
            ($j:expr) => {{
                let x = p1(w[$j % 16].xor3(w[($j + 7) % 16], w[($j + 13) % 16].rotl(15)));
                w[$j % 16] = x.xor3(w[($j + 3) % 16].rotl(7), w[($j + 10) % 16]);
            }};
        }
        repeat16!(J => w[J] = m.word(J));
        repeat16!(J => {
            if J / 4 == 3 {
                schedule!(J + 4);
            }
            round!(J, T[J], a.xor3(b, c), e.xor3(f, g));
        });
        macro_rules! later {
            ($i:literal) => {
                repeat16!(J => {
                    m.ahead(16 * ($i - 1) + J, 48);
                    schedule!(J + 4);
                    round!(J, T[16 * $i + J], b.majority(c, a), e.choose(f, g));
                });
            };
        }
        later!(1);
        later!(2);
        later!(3);
        let last = [a, b, c, d, e, f, g, h];
        for i in 0..8 {
            v[i] = v[i].xor(last[i]);
        }
    }
}

const IV: [u32; 8] =
    [0x7380_166f, 0x4914_b2b9, 0x1724_42d7, 0xda8a_0600, 0xa96f_30bc, 0x1631_38aa, 0xe38d_ee4d, 0xb0fb_0e4e];

/// T\[j\] <<< j.
const T: [u32; 64] = {
    let mut t = [0; 64];
    let mut j = 0;
    while j < 64 {
        let x: u32 = if j < 16 { 0x79cc_4519 } else { 0x7a87_9d8a };
        t[j] = x.rotate_left(j as u32 % 32);
        j += 1;
    }
    t
};

#[cfg(test)]
mod tests {
    /// GB/T 32905-2016, appendix A (also draft-sca-cfrg-sm3, appendix A).
    #[test]
    fn gbt_32905() {
        let a: crate::Algorithm = "sm3".parse().expect("known");
        assert_eq!(a.digest(b"abc").to_string(), "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0");
        assert_eq!(
            a.digest(&b"abcd".repeat(16)).to_string(),
            "debe9ff92275b8a138604889c18e5a4d6fdb70e5387e5765293dcba39c0c5732"
        );
    }
}
