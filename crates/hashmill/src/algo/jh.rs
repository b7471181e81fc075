//! JH-224, JH-256, JH-384, JH-512 — "The Hash Function JH" (H. Wu, 2008; the final version of 2011 with 42 rounds).
//! digest 224 to 512 bit · block 64 bytes · bits numbered from the top of the first byte · status: sound
//!
//! ## Algorithm
//!
//! ```text
//! H is 1024 bits, x_0 ‖ … ‖ x_7 of 128 bits each:         H[0..512] ^= M;  H := E8(H);  H[512..1024] ^= M
//! E8, for r in 0..42:
//!   the S-box S0 or S1, as a bit of C_r says, on the bits at each place of (x_0, x_2, x_4, x_6) and of
//!     (x_1, x_3, x_5, x_7)
//!   L, over GF(2^4), on the bits at each place of the evens a and the odds b:  b ^= 2a;  a ^= 2b
//!   in x_1, x_3, x_5, x_7: neighbouring groups of 2^(r mod 7) bits change places
//! ```
//!
//! This is the bit-sliced form of the specification, where S-boxes are boolean functions and the 256 elements of four
//! bits stay close to their places; the bits of C_r are ordered accordingly. H starts as the compression of the digest
//! length in bits (two bytes, then zeros) with a block of zeros. The padding is a 1 bit, at least 383 zeros, and the
//! length of the message in 128 bits: a block of its own, plus what completes the block before.
//!
//! ## Kernels
//!
//! In the kernels on lanes and on plain words, each x is two 64-bit halves. They interact only in every seventh round,
//! where the swap is a renaming.
//!
//! * `avx512x8`, `avx2x4`, `neonx2`: eight, four and two lanes, both halves side by side. (Seven rounds of one half,
//!   then of the other, need fewer registers, but the chain leaves the machine idle: 1.2 against 1.6 GB/s with eight
//!   lanes, 0.45 against 0.57 with four, on Zen 5.)
//! * `simd128x2`: the same in WebAssembly, 1.9 times as fast as `portable` there (node 20, sixteen messages).
//! * `avx512vl`, `avx2`: one message, both S-boxes on both halves in 256-bit registers (`jh/x86.rs`): 9.5 and 14.7
//!   cycles/byte on Emerald Rapids. S-box, L and swap depend on one another, and each alone is too narrow or too wide
//!   for the machine: 7 to 9 steps per round take 14.5 cycles. There with GFNI instead of shifts: 10.3; with an S-box
//!   of twelve operations and one step less: 9.7.
//! * `portable`: one message (27 cycles/byte there). Here the two orders are equally fast.

use super::lanes;
use crate::base::bits::{BitOrder, Bits};
use crate::contract::{Blocks, Inputs, Params, State, Tail};
#[cfg(target_arch = "aarch64")]
use crate::simd::aarch64::U64x2;
#[cfg(target_feature = "simd128")]
use crate::simd::wasm32::U64x2;
#[cfg(target_arch = "x86_64")]
use crate::simd::x86::{U64x4, U64x8};
use crate::simd::{Feed, Round, Rows, Word64, drive};

#[cfg(target_arch = "x86_64")]
mod x86;

lanes! { words: 16, bytes: 8, portable: u64;
    x86_64 {
        avx512x8(Avx512 U64x8) from 3;
        avx2x4(Avx2 U64x4) from 3;
        avx512vl(dedicated x86::avx512vl, [AVX512], 1) from 1;
        avx2(dedicated x86::avx2, [AVX2], 1) from 1;
    }
    aarch64 {
        neonx2(Neon U64x2) from 2;
    }
    wasm32 {
        simd128x2(Simd128 U64x2) from 2;
    }
}

/// Padding and output.
pub(crate) static RULE: Jh = Jh;

pub(crate) struct Jh;

impl Blocks for Jh {
    fn block(&self, _: &Params) -> usize {
        64
    }

    fn setup(&self) -> usize {
        1
    }

    fn init(&self, p: &Params, _: &Inputs<'_>, s: &mut State) {
        let initial = match p.out_len {
            28 => &INITIAL_224,
            32 => &INITIAL_256,
            48 => &INITIAL_384,
            _ => &INITIAL_512,
        };
        for i in 0..16 {
            s.set_u64(i, initial[i]);
        }
    }

    fn tail(&self, _: &Params, _: &mut State, stage: u8, rest: &[u8], total: u128, out: &mut Tail) -> usize {
        if stage > 0 {
            return 0;
        }
        let n = rest.len();
        let end = if n == 0 { 64 } else { 128 };
        out[..n].copy_from_slice(rest);
        out[n] = 0x80;
        out[n + 1..end - 16].fill(0);
        out[end - 16..end].copy_from_slice(&(total << 3).to_be_bytes());
        end
    }

    fn bit_order(&self, _: &Params) -> Option<BitOrder> {
        Some(BitOrder::High)
    }

    fn tail_of_bits(
        &self,
        _: &Params,
        _: &mut State,
        stage: u8,
        rest: &[u8],
        total: u128,
        last: Bits,
        out: &mut Tail,
    ) -> usize {
        if stage > 0 {
            return 0;
        }
        // The padding is at least 512 bits long, so it always extends into a second block.
        let n = rest.len();
        out[..n].copy_from_slice(rest);
        out[n] = last.marked();
        out[n + 1..112].fill(0);
        out[112..128].copy_from_slice(&((total << 3) | u128::from(last.count)).to_be_bytes());
        128
    }

    fn tail_len(&self, _: &Params, rest: usize) -> usize {
        if rest == 0 { 64 } else { 128 }
    }

    fn output(&self, _: &Params, s: &mut State, _: &mut dyn FnMut(&mut State, &[u8]), out: &mut [u8]) {
        let mut end = [0; 64];
        for (i, word) in end.chunks_exact_mut(8).enumerate() {
            word.copy_from_slice(&s.u64(8 + i).to_le_bytes());
        }
        out.copy_from_slice(&end[64 - out.len()..]);
    }
}

#[inline(always)]
fn run<W: Word64>(isa: W::Isa, p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    drive::<Jh, W, 16, 8, false>(isa, p, packed, rows);
}

/// S0 where c is 0, S1 where it is 1.
#[inline(always)]
fn s_box<W: Word64>(x: [W; 4], c: W) -> [W; 4] {
    let [mut a, mut b, mut d, mut e] = x;
    a = a.chi(d, c);
    let t = c.xor(a.and(b));
    a = a.chi(e, d);
    e = e.not().chi(b, d);
    b = b.xor(a.and(d));
    d = d.chi(e, a);
    a = a.xor(b.or(e));
    e = e.xor(b.and(d));
    b = b.xor(t.and(a));
    d = d.xor(t);
    [a, b, d, e]
}

/// Swaps neighboring groups of n bits.
#[inline(always)]
fn swap<W: Word64>(isa: W::Isa, x: W, n: u32) -> W {
    if n == 32 {
        return x.rotl(32);
    }
    // The lower group of each pair: n ones, n zeros, …
    let low = u64::MAX / ((1 << n) + 1);
    x.rotl(n).and(W::splat(isa, !low)).or(x.shr(n).and(W::splat(isa, low)))
}

/// One round on one half of the words.
#[inline(always)]
fn round<W: Word64>(isa: W::Isa, x: &mut [W; 8], c: &[u64; 4], half: usize, n: u32) {
    let [mut a0, mut a1, mut a2, mut a3] = s_box([x[0], x[2], x[4], x[6]], W::splat(isa, c[half]));
    let [mut b0, mut b1, mut b2, mut b3] = s_box([x[1], x[3], x[5], x[7]], W::splat(isa, c[half + 2]));
    b0 = b0.xor(a1);
    b1 = b1.xor(a2);
    b2 = b2.xor3(a0, a3);
    b3 = b3.xor(a0);
    a0 = a0.xor(b1);
    a1 = a1.xor(b2);
    a2 = a2.xor3(b0, b3);
    a3 = a3.xor(b0);
    if n < 64 {
        b0 = swap(isa, b0, n);
        b1 = swap(isa, b1, n);
        b2 = swap(isa, b2, n);
        b3 = swap(isa, b3, n);
    }
    *x = [a0, b0, a1, b1, a2, b2, a3, b3];
}

impl<W: Word64> Round<W, 16, 8, false> for Jh {
    #[inline(always)]
    fn compress(isa: W::Isa, _: &Params, h: &mut [W; 16], m: &mut Feed<'_, W, 8, false>) {
        for i in 0..8 {
            h[i] = h[i].xor(m.word(i));
        }
        let mut x = [h[0], h[2], h[4], h[6], h[8], h[10], h[12], h[14]];
        let mut y = [h[1], h[3], h[5], h[7], h[9], h[11], h[13], h[15]];
        for i in 0..6 {
            let c = &C[i];
            macro_rules! both {
                ($j:literal, $n:literal) => {
                    round(isa, &mut x, &c[$j], 0, $n);
                    round(isa, &mut y, &c[$j], 1, $n);
                };
            }
            both!(0, 1);
            both!(1, 2);
            both!(2, 4);
            both!(3, 8);
            both!(4, 16);
            both!(5, 32);
            both!(6, 64);
            // The last of the seven rounds swaps the halves of the odd words.
            (x, y) =
                ([x[0], y[1], x[2], y[3], x[4], y[5], x[6], y[7]], [y[0], x[1], y[2], x[3], y[4], x[5], y[6], x[7]]);
            if i == 0 {
                m.ahead(0, 1);
            }
        }
        for i in 0..8 {
            (h[2 * i], h[2 * i + 1]) = (x[i], y[i]);
        }
        for i in 0..8 {
            h[8 + i] = h[8 + i].xor(m.word(i));
        }
    }
}

/// C_r for r = 7i + j at C\[i\]\[j\]: the halves of the bits of the evens, then of the odds.
static C: [[[u64; 4]; 7]; 6] = constants();

/// The constants of the specification, C_{r+1} := R6(C_r) with round constants of zero; every bit is moved to the
/// position of its element in round r.
const fn constants() -> [[[u64; 4]; 7]; 6] {
    const S0: [u8; 16] = [9, 0, 4, 11, 13, 12, 3, 15, 1, 10, 2, 6, 7, 5, 8, 14];
    // The fractional part of the square root of 2.
    const C0: [u64; 4] = [0x6a09_e667_f3bc_c908, 0xb2fb_1366_ea95_7d3e, 0x3ade_c175_1277_5099, 0xda2f_590b_0667_322a];
    let mut c = [0; 64];
    let mut i = 0;
    while i < 64 {
        c[i] = (C0[i / 16] >> (60 - 4 * (i % 16))) as u8 & 15;
        i += 1;
    }
    // Even elements are the bits of even words. The specification moves all elements in each round, the bit-sliced form
    // moves only the odd ones: element[p] is the specification's number of the element at position p.
    let mut element = [0; 256];
    let mut p = 0;
    while p < 256 {
        element[p] = p;
        p += 1;
    }
    let mut all = [[[0; 4]; 7]; 6];
    let mut r = 0;
    while r < 42 {
        let mut next = [0; 256];
        let mut p = 0;
        while p < 256 {
            let (e, bit) = (element[p], p / 2);
            let constant = (c[e / 4] >> (3 - e % 4) & 1) as u64;
            // Bit 0 is the top bit of the first byte.
            all[r / 7][r % 7][2 * (p % 2) + bit / 64] |= constant << ((bit ^ 7) % 64);
            let to = if p % 2 == 1 { p ^ 2 << (r % 7) } else { p };
            next[to] = permuted(e, 8);
            p += 1;
        }
        element = next;
        let mut next = [0; 64];
        let mut i = 0;
        while i < 64 {
            let (a, b) = (S0[c[i] as usize], S0[c[i + 1] as usize]);
            let d = b ^ doubled(a);
            next[permuted(i, 6)] = a ^ doubled(d);
            next[permuted(i + 1, 6)] = d;
            i += 2;
        }
        c = next;
        r += 1;
    }
    all
}

/// 2a in GF(2^4) with x^4 + x + 1.
const fn doubled(a: u8) -> u8 {
    ((a << 1) ^ ((a >> 3) * 0b10011)) & 15
}

/// The position to which the permutation P_d moves element i of 2^d.
const fn permuted(i: usize, d: u32) -> usize {
    let i = if i % 4 >= 2 { i ^ 1 } else { i };
    if i % 2 == 0 { i / 2 } else { (i / 2 + (1 << (d - 1))) ^ 1 }
}

const INITIAL_224: [u64; 16] = [
    0xac98_9af9_62dd_fe2d, 0xe734_d619_d6ac_7cae, 0x1612_30bc_0510_83a4, 0x9414_66c9_c638_60b8, 0x6f70_8025_9f89_d966,
    0xdc1a_9b1d_1ba3_9ece, 0x106e_367b_5f32_e811, 0xc106_fa02_7f85_94f9, 0xb340_c8d8_5c1b_4f1b, 0x9980_736e_7fa1_f697,
    0xd3a3_eaad_a593_dfdc, 0x689a_53c9_dee8_31a4, 0xe4a1_86ec_8aa9_b422, 0xf06c_e59c_95ac_74d5, 0xbf2b_abb5_ea0d_9615,
    0x6eea_64dd_f0dc_1196,
];
const INITIAL_256: [u64; 16] = [
    0xebd3_202c_41a3_98eb, 0xc145_b29c_7bbe_cd92, 0xfac7_d460_9151_931c, 0x038a_507e_d682_0026, 0x45b9_2677_269e_23a4,
    0x7794_1ad4_481a_fbe0, 0x7a17_6b02_26ab_b5cd, 0xa82f_ff0f_4224_f056, 0x754d_2e7f_8996_a371, 0x62e2_7df7_0849_141d,
    0x948f_2476_f795_7627, 0x6c29_8047_57b6_d587, 0x6c0d_8eac_2d27_5e5c, 0x0f7a_0557_c650_8451, 0xea12_2470_67d3_e47b,
    0x69d7_1cd3_13ab_e389,
];
const INITIAL_384: [u64; 16] = [
    0x8a39_13d8_c63b_1e48, 0x9b87_de4a_895e_3b6d, 0x2ead_80d4_68ea_fa63, 0x6782_0f48_21cb_2c33, 0x28b9_8290_4dc8_ae98,
    0x4942_1141_30ea_55d4, 0xec47_4892_b255_f536, 0xe13c_f4ba_930a_25c7, 0x4c45_db27_8a7f_9b56, 0x0eaf_9763_49bd_fc9e,
    0xcd80_aa26_7dc2_9f58, 0xda2e_eb9d_8c8b_c080, 0x3a37_d5f8_e881_798a, 0x717a_d1dd_ad67_39f4, 0x94d3_75a4_bdd3_b4a9,
    0x7f73_4298_ba3f_6c97,
];
const INITIAL_512: [u64; 16] = [
    0x17aa_003e_964b_d16f, 0x43d5_157a_052e_6a63, 0x0bef_970c_8d5e_228a, 0x61c3_b3f2_5912_34e9, 0x1e80_6f53_c1a0_1d89,
    0x806d_2bea_6b05_a92a, 0xa6ba_7520_dbcc_8e58, 0xf73b_f8ba_763a_0fa9, 0x694a_e341_05e6_6901, 0x5ae6_6f2e_8e8a_b546,
    0x243c_84c1_d0a7_4710, 0x99c1_5a2d_b171_6e3b, 0x56f8_b19d_ecf6_57cf, 0x56b1_1657_7c88_06a7, 0xfb17_85e6_dffc_c2e3,
    0x4bdd_8ccc_7846_5a54,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Scalar;

    /// H(0) of the specification: the digest length, compressed with a block of zeros.
    #[test]
    fn initial_values() {
        for (bits, expect) in [(224, INITIAL_224), (256, INITIAL_256), (384, INITIAL_384), (512, INITIAL_512)] {
            let mut s = State::zero();
            s.set_u64(0, u64::from(u16::swap_bytes(bits)));
            let mut pointers = [core::ptr::null()];
            let block = [0; 64];
            let p = "jh512".parse::<crate::Algorithm>().expect("known").params;
            run::<u64>(Scalar, &p, &mut s.0, &Rows::new(&[&block[..]], &mut pointers, 1, 64));
            let h: Vec<u64> = (0..16).map(|i| s.u64(i)).collect();
            assert_eq!(h, expect, "JH-{bits}");
        }
    }

    /// ShortMsgKAT of the submission: the empty message and the byte cc.
    #[test]
    fn known_answers() {
        let d = |a: &str, m: &[u8]| a.parse::<crate::Algorithm>().expect("known").digest(m).to_string();
        assert_eq!(d("jh224", b""), "2c99df889b019309051c60fecc2bd285a774940e43175b76b2626630");
        assert_eq!(d("jh224", b"\xcc"), "f79c791ac9b9d80ec934312d6b26748481198e3ca78ebb01b2c9ca51");
        assert_eq!(d("jh256", b""), "46e64619c18bb0a92a5e87185a47eef83ca747b8fcc8e1412921357e326df434");
        assert_eq!(d("jh256", b"\xcc"), "7b1191f13a2667830142541bfc5918543d2a434c7692e70c3e5e9bbdddb7f581");
        assert_eq!(
            d("jh384", b""),
            "2fe5f71b1b3290d3c017fb3c1a4d02a5cbeb03a0476481e25082434a881994b0ff99e078d2c16b105ad069b569315328"
        );
        assert_eq!(
            d("jh384", b"\xcc"),
            "ccfa3732089cb4d49af04daa865cb2376bfa264e527b5eb8486cd09b3fb9a8019140a1ca9df7539efbb3a3118d8e0584"
        );
        assert_eq!(
            d("jh512", b""),
            "90ecf2f76f9d2c8017d979ad5ab96b87d58fc8fc4b83060f3f900774faa2c8fabe69c5f4ff1ec2b61d6b316941cedee117fb04b1f4c5bc1b919ae841c50eec4f"
        );
        assert_eq!(
            d("jh512", b"\xcc"),
            "277c93806945992a7f10102f28471af2783fe32003b3f63320810e74f1bc233bf8669ab4b922db9ef13fcdcd4d31193b731eedde98fc87c129c04a4a1071f66f"
        );
    }
}
