//! MD5 — RFC 1321 (R. Rivest, 1992).
//! digest 128 bit · block 64 bytes · little-endian · status: broken (collisions, 2004)
//!
//! ## Algorithm
//!
//! ```text
//! (a, b, c, d) := (A, B, C, D)
//! for i in 0..64:
//!     f := F(b,c,d) | G(b,c,d) | H(b,c,d) | I(b,c,d)      by i / 16
//!     a := b + ((a + f + M[k(i)] + T[i]) <<< s(i)); (a, b, c, d) := (d, a, b, c)
//! (A, B, C, D) += (a, b, c, d)
//! ```
//!
//! ## Kernels
//!
//! * `avx512x64`, `avx512x32`: sixteen lanes per register, four or two registers side by side. One step is a chain of
//!   about six dependent operations, so a single register leaves most of the machine idle. On Zen 5, with messages of
//!   16 KiB a power of two apart, two registers reach 14.1 GB/s and four 18.2; with messages of 1 KiB, less far apart,
//!   14.3 and 23.2. On an Intel Xeon with AVX-512 FP16, four have 0.81 to 0.95 of the speed of two, and are not chosen
//!   (`FAST_PAIRS`). The next block is transposed in 32 pieces, one every other step.
//! * `avx2x16`: eight lanes, two registers side by side.
//! * `neonx8`: four lanes, two registers side by side.
//! * `simd128x8`: the same in WebAssembly, 2.7 times as fast as `portable` there (node 20, sixteen messages).
//! * `avx512vl`: one message in a 128-bit register, where F, G, H and I are one operation each: four dependent
//!   operations per step (function, sum, rotation, sum) make 4 cycles/byte (measured: 3.99 on Emerald Rapids). Only
//!   where vector registers rotate in one cycle: with two it would be 5.
//! * `asm`: one message, in assembly for any x86-64 (x86.rs): the same chain as that of `portable` in fewer
//!   instructions, 4.53 cycles/byte on Zen 4, where compiled code takes 4.6. Adding the words before the function
//!   instead of after it: 4.54.
//! * `portable`: one message. G is `(b & d) + (c & !d)`: the two halves have no bit in common, and the second does not
//!   wait for b. The chain through b therefore has five operations in F and I and four in G and H: 4.5 cycles/byte
//!   (measured: 4.52). The same with BMI's andn and rorx was no faster (4.65).

use super::lanes;
use crate::base::bits::BitOrder;
use crate::contract::{Blocks, Inputs, Padding, Params, State, Words};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128"))]
use crate::simd::X2;
#[cfg(target_arch = "x86_64")]
use crate::simd::X4;
#[cfg(target_arch = "aarch64")]
use crate::simd::aarch64::U32x4;
#[cfg(target_feature = "simd128")]
use crate::simd::wasm32::U32x4;
#[cfg(target_arch = "x86_64")]
use crate::simd::x86::{U32x1, U32x8, U32x16};
use crate::simd::{Feed, Round, Rows, Word32, drive};

#[cfg(target_arch = "x86_64")]
mod x86;

lanes! { words: 4, bytes: 4, portable: u32;
    x86_64 {
        avx512x64(Avx512Pairs X4<U32x16>) from 33;
        avx512x32(Avx512 X2<U32x16>) from 3;
        avx2x16(Avx2 X2<U32x8>) from 3;
        avx512vl(Avx512Rot U32x1) from 1;
        asm(dedicated x86::asm, [NONE], 1) from 1;
    }
    aarch64 {
        neonx8(Neon X2<U32x4>) from 3;
    }
    wasm32 {
        simd128x8(Simd128 X2<U32x4>) from 4;
    }
}

/// Padding and output.
pub(crate) static RULE: Md5 = Md5;

pub(crate) struct Md5;

impl Blocks for Md5 {
    fn block(&self, _: &Params) -> usize {
        64
    }

    fn setup(&self) -> usize {
        6
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
    drive::<Md5, W, 4, 16, false>(isa, p, packed, rows);
}

/// Step `$i`, which takes word `$at` of the message.
macro_rules! step {
    ($isa:expr, $w:ty, [$a:ident, $b:ident, $c:ident, $d:ident], $i:expr, $at:expr, $k:ident => $word:expr,
     $step:ident => $before:expr, $s:expr, |$x:ident, $y:ident, $z:ident, $u:ident| $f:expr) => {{
        const $step: usize = $i;
        const $k: usize = $at;
        $before;
        // `a + T + M` is ready before the chain needs it: a was computed four steps ago.
        let $x = $a.add(<$w>::splat($isa, $crate::algo::md5::T[$step]).add($word)).settled();
        let ($y, $z, $u) = ($b, $c, $d);
        let sum: $w = $f;
        ($a, $d, $c, $b) = ($d, $c, $b, $b.add(sum.rotl($s[$step % 4])));
    }};
}

/// The 64 steps of a block on words of type `$w`, of which `$word` is the message's, number `$k`. `$before` runs before
/// each step, whose number is `$step`. Also used where other functions run between the steps (`algo/together.rs`).
macro_rules! rounds {
    ($isa:expr, $w:ty, $v:tt, $k:ident => $word:expr, $step:ident => $before:expr) => {
        $crate::algo::repeat16!(I => {
            $crate::algo::md5::step!($isa, $w, $v, I, I, $k => $word, $step => $before,
                [7, 12, 17, 22], |x, b, c, d| x.add(b.choose(c, d)));
        });
        $crate::algo::repeat16!(I => {
            $crate::algo::md5::step!($isa, $w, $v, 16 + I, (5 * I + 1) % 16, $k => $word, $step => $before,
                [5, 9, 14, 20], |x, b, c, d| x.add_choose(d, b, c));
        });
        $crate::algo::repeat16!(I => {
            $crate::algo::md5::step!($isa, $w, $v, 32 + I, (3 * I + 5) % 16, $k => $word, $step => $before,
                [4, 11, 16, 23], |x, b, c, d| x.add(b.xor3(c, d)));
        });
        $crate::algo::repeat16!(I => {
            $crate::algo::md5::step!($isa, $w, $v, 48 + I, (7 * I) % 16, $k => $word, $step => $before,
                [6, 10, 15, 21], |x, b, c, d| x.add(c.xor_or_not(b, d)));
        });
    };
}

#[cfg_attr(not(target_arch = "x86_64"), allow(unused_imports, reason = "for algo/together.rs, which is x86-64's"))]
pub(in crate::algo) use {rounds, step};

impl<W: Word32> Round<W, 4, 16, false> for Md5 {
    #[inline(always)]
    fn compress(isa: W::Isa, _: &Params, h: &mut [W; 4], m: &mut Feed<'_, W, 16, false>) {
        let [mut a, mut b, mut c, mut d] = *h;
        rounds!(isa, W, [a, b, c, d], K => m.word(K), STEP => m.ahead(STEP, 64));
        *h = [h[0].add(a), h[1].add(b), h[2].add(c), h[3].add(d)];
    }
}

const INITIAL: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];

/// T\[i\] = ⌊2^32 · |sin(i + 1)|⌋.
pub(in crate::algo) const T: [u32; 64] = [
    0xd76a_a478, 0xe8c7_b756, 0x2420_70db, 0xc1bd_ceee, 0xf57c_0faf, 0x4787_c62a, 0xa830_4613, 0xfd46_9501,
    0x6980_98d8, 0x8b44_f7af, 0xffff_5bb1, 0x895c_d7be, 0x6b90_1122, 0xfd98_7193, 0xa679_438e, 0x49b4_0821,
    0xf61e_2562, 0xc040_b340, 0x265e_5a51, 0xe9b6_c7aa, 0xd62f_105d, 0x0244_1453, 0xd8a1_e681, 0xe7d3_fbc8,
    0x21e1_cde6, 0xc337_07d6, 0xf4d5_0d87, 0x455a_14ed, 0xa9e3_e905, 0xfcef_a3f8, 0x676f_02d9, 0x8d2a_4c8a,
    0xfffa_3942, 0x8771_f681, 0x6d9d_6122, 0xfde5_380c, 0xa4be_ea44, 0x4bde_cfa9, 0xf6bb_4b60, 0xbebf_bc70,
    0x289b_7ec6, 0xeaa1_27fa, 0xd4ef_3085, 0x0488_1d05, 0xd9d4_d039, 0xe6db_99e5, 0x1fa2_7cf8, 0xc4ac_5665,
    0xf429_2244, 0x432a_ff97, 0xab94_23a7, 0xfc93_a039, 0x655b_59c3, 0x8f0c_cc92, 0xffef_f47d, 0x8584_5dd1,
    0x6fa8_7e4f, 0xfe2c_e6e0, 0xa301_4314, 0x4e08_11a1, 0xf753_7e82, 0xbd3a_f235, 0x2ad7_d2bb, 0xeb86_d391,
];

#[cfg(test)]
mod tests {
    /// Test suite of RFC 1321, A.5.
    #[test]
    fn rfc_1321() {
        let a: crate::Algorithm = "md5".parse().expect("known");
        assert_eq!(a.digest(b"").to_string(), "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(a.digest(b"abc").to_string(), "900150983cd24fb0d6963f7d28e17f72");
        assert_eq!(a.digest(b"message digest").to_string(), "f96b697d7cb7938d525a2f31aaf161d0");
        let digits = b"1234567890".repeat(8);
        assert_eq!(a.digest(&digits).to_string(), "57edf4a22be3c955ac49da2e2107b67a");
    }
}
