//! BLAKE-384, BLAKE-512 — SHA-3 proposal BLAKE, version 1.4 (J.-P. Aumasson, L. Henzen, W. Meier, R. C.-W. Phan, 2011).
//! digest 384 or 512 bit, salt up to 32 bytes · block 128 bytes · big-endian · status: sound (SHA-3 finalist)
//!
//! ## Algorithm
//!
//! BLAKE-256's (`blake_32.rs`) in words of 64 bits, with sixteen rounds instead of fourteen and other distances:
//!
//! ```text
//! G:  a := a + b + (m[i] ^ c[j]);  d := (d ^ a) >>> 32;  c := c + d;  b := (b ^ c) >>> 25
//!     a := a + b + (m[j] ^ c[i]);  d := (d ^ a) >>> 16;  c := c + d;  b := (b ^ c) >>> 11
//! ```
//!
//! t and the length at the end have 128 bits. The padding's last bit is 1 in BLAKE-512 and 0 in BLAKE-384.
//!
//! ## Kernels
//!
//! * `avx512x8`, `avx2x4`, `neonx2`: one register a word, as in BLAKE-256. Two side by side are equal with AVX-512 (4.1
//!   GB/s on Zen 5) and slower with AVX2 (1.4 against 1.6 GB/s).
//! * `simd128x2`: the same in WebAssembly, 2.5 times as fast as `portable` there (node 20, sixteen messages).
//! * `avx512vl`, `avx2`: one message, a row of v in each register (`blake_64/x86.rs`): 3.6 and 4.6 cycles a byte on
//!   Emerald Rapids, where the chain alone takes 3.0 and 3.5. Words selected by permutations of 512 bits: 4.1, as these
//!   close one of three ports; gathered from memory one by one: 4.9 with AVX2. Not chosen on Zen 5: 0.69 and 0.54 GB/s
//!   against `portable`'s 0.96.
//! * `portable`: one message (5.2 cycles a byte there).

use super::blake2b::SIGMA;
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

lanes! { words: 14, bytes: 8, portable: u64;
    x86_64 {
        avx512x8(Avx512 U64x8) from 3;
        avx2x4(Avx2 U64x4) from 3;
        avx512vl(dedicated x86::avx512vl, [AVX512 + FAST_VROT], 1) from 1;
        avx2(dedicated x86::avx2, [AVX2 + FAST_CHAINS], 1) from 1;
    }
    aarch64 {
        neonx2(Neon U64x2) from 2;
    }
    wasm32 {
        simd128x2(Simd128 U64x2) from 2;
    }
}

/// Padding and output.
pub(crate) static RULE: Blake64 = Blake64;

pub(crate) struct Blake64;

/// The words of the state after h.
const S: usize = 8;
const T0: usize = 12;
const T1: usize = 13;

/// So that the counter is `t` in the next block.
pub(crate) fn set_counter(s: &mut State, t: u128) {
    let before = t.wrapping_sub(1024);
    s.set_u64(T0, before as u64);
    s.set_u64(T1, (before >> 64) as u64);
}

impl Blocks for Blake64 {
    fn block(&self, _: &Params) -> usize {
        128
    }

    fn init(&self, p: &Params, x: &Inputs<'_>, s: &mut State) {
        let initial = if p.p[0] == 384 { INITIAL_384 } else { INITIAL_512 };
        for (i, x) in initial.into_iter().enumerate() {
            s.set_u64(i, x);
        }
        for i in S..=T1 {
            s.set_u64(i, 0);
        }
        for (i, bytes) in x.salt.chunks(8).enumerate() {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            s.set_u64(S + i, u64::from_be_bytes(word));
        }
    }

    fn tail(&self, p: &Params, s: &mut State, stage: u8, rest: &[u8], total: u128, out: &mut Tail) -> usize {
        // The length wraps beyond 2^128 bits; the specification knows no longer messages.
        let bits = total << 3;
        let n = (total % 128) as usize;
        let (from, t) = match stage {
            0 => {
                out[..n].copy_from_slice(rest);
                out[n] = 0x80;
                (n + 1, if n == 0 { 0 } else { bits })
            }
            1 if n > 111 => (0, 0),
            _ => return 0,
        };
        set_counter(s, t);
        if stage == 0 && n > 111 {
            out[from..128].fill(0);
        } else {
            out[from..112].fill(0);
            out[111] |= u8::from(p.p[0] == 512);
            out[112..128].copy_from_slice(&bits.to_be_bytes());
        }
        128
    }

    fn admits(&self, _: &Params, s: &State, fresh: &State, done: u128) -> bool {
        let bits = done << 3;
        (S..T0).all(|i| s.u64(i) == fresh.u64(i)) && (s.u64(T0), s.u64(T1)) == (bits as u64, (bits >> 64) as u64)
    }

    fn bit_order(&self, _: &Params) -> Option<BitOrder> {
        Some(BitOrder::High)
    }

    fn tail_of_bits(
        &self,
        p: &Params,
        s: &mut State,
        stage: u8,
        rest: &[u8],
        total: u128,
        last: Bits,
        out: &mut Tail,
    ) -> usize {
        let bits = (total << 3) | u128::from(last.count);
        let n = (total % 128) as usize;
        // The mark and the 1 before the length are two bits: their byte has room for at most six bits of the message.
        let two = n > 111 || (n == 111 && last.count == 7);
        match stage {
            0 => {
                out[..n].copy_from_slice(rest);
                out[n] = last.marked();
                out[n + 1..128].fill(0);
                set_counter(s, bits);
            }
            1 if two => {
                out[..128].fill(0);
                set_counter(s, 0);
            }
            _ => return 0,
        }
        if two == (stage == 1) {
            out[111] |= u8::from(p.p[0] == 512);
            out[112..128].copy_from_slice(&bits.to_be_bytes());
        }
        128
    }

    fn tail_len(&self, _: &Params, rest: usize) -> usize {
        if rest > 111 { 256 } else { 128 }
    }

    fn output(&self, _: &Params, s: &mut State, _: &mut dyn FnMut(&mut State, &[u8]), out: &mut [u8]) {
        for (i, word) in out.chunks_exact_mut(8).enumerate() {
            word.copy_from_slice(&s.u64(i).to_be_bytes());
        }
    }
}

#[inline(always)]
fn run<W: Word64>(isa: W::Isa, p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    drive::<Blake64, W, 14, 16, true>(isa, p, packed, rows);
}

/// G with its two words of the message, each with the other's constant added already.
#[inline(always)]
fn g<W: Word64>(v: &mut [W; 16], [a, b, c, d]: [usize; 4], x: W, y: W) {
    v[a] = v[a].add(x).add(v[b]);
    v[d] = v[d].xor(v[a]).rotr(32);
    v[c] = v[c].add(v[d]);
    v[b] = v[b].xor(v[c]).rotr(25);
    v[a] = v[a].add(y).add(v[b]);
    v[d] = v[d].xor(v[a]).rotr(16);
    v[c] = v[c].add(v[d]);
    v[b] = v[b].xor(v[c]).rotr(11);
}

impl<W: Word64> Round<W, 14, 16, true> for Blake64 {
    #[inline(always)]
    fn compress(isa: W::Isa, _: &Params, h: &mut [W; 14], m: &mut Feed<'_, W, 16, true>) {
        // t := t + 1024, with a carry computed by logic: the sum's top bit fell where the addend has none.
        let t0 = h[T0].add(W::splat(isa, 1024));
        h[T1] = h[T1].add(t0.andnot(h[T0]).shr(63));
        h[T0] = t0;
        let c = |i: usize| W::splat(isa, C[i]);
        let mut v = [
            h[0],
            h[1],
            h[2],
            h[3],
            h[4],
            h[5],
            h[6],
            h[7],
            h[S].xor(c(0)),
            h[S + 1].xor(c(1)),
            h[S + 2].xor(c(2)),
            h[S + 3].xor(c(3)),
            h[T0].xor(c(4)),
            h[T0].xor(c(5)),
            h[T1].xor(c(6)),
            h[T1].xor(c(7)),
        ];
        macro_rules! g {
            ($o:ident, $k:literal, $at:expr) => {
                let (i, j) = ($o[2 * $k], $o[2 * $k + 1]);
                g(&mut v, $at, m.word(i).xor(W::splat(isa, C[j])), m.word(j).xor(W::splat(isa, C[i])));
            };
        }
        macro_rules! rounds {
            ($($r:literal)*) => {
                $({
                    let o = &SIGMA[$r % 10];
                    g!(o, 0, [0, 4, 8, 12]);
                    g!(o, 1, [1, 5, 9, 13]);
                    g!(o, 2, [2, 6, 10, 14]);
                    g!(o, 3, [3, 7, 11, 15]);
                    g!(o, 4, [0, 5, 10, 15]);
                    g!(o, 5, [1, 6, 11, 12]);
                    g!(o, 6, [2, 7, 8, 13]);
                    g!(o, 7, [3, 4, 9, 14]);
                    m.ahead($r, 16);
                })*
            };
        }
        rounds!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
        for i in 0..8 {
            h[i] = h[i].xor3(v[i], v[i + 8]).xor(h[S + i % 4]);
        }
    }
}

/// SHA-512's initial words.
const INITIAL_512: [u64; 8] = super::blake2b::IV;

/// SHA-384's initial words.
const INITIAL_384: [u64; 8] = [
    0xcbbb_9d5d_c105_9ed8, 0x629a_292a_367c_d507, 0x9159_015a_3070_dd17, 0x152f_ecd8_f70e_5939, 0x6733_2667_ffc0_0b31,
    0x8eb4_4a87_6858_1511, 0xdb0c_2e0d_64f9_8fa7, 0x47b5_481d_befa_4fa4,
];

/// The first digits of π after the point.
const C: [u64; 16] = [
    0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344, 0xa409_3822_299f_31d0, 0x082e_fa98_ec4e_6c89, 0x4528_21e6_38d0_1377,
    0xbe54_66cf_34e9_0c6c, 0xc0ac_29b7_c97c_50dd, 0x3f84_d5b5_b547_0917, 0x9216_d5d9_8979_fb1b, 0xd131_0ba6_98df_b5ac,
    0x2ffd_72db_d01a_dfb7, 0xb8e1_afed_6a26_7e96, 0xba7c_9045_f12c_7f99, 0x24a1_9947_b391_6cf7, 0x0801_f2e2_858e_fc16,
    0x6369_20d8_7157_4e69,
];

#[cfg(test)]
mod tests {
    use super::{C, INITIAL_512};
    use crate::algo::blake_32::tests::naive;
    use crate::{Algorithm, Hasher};

    #[test]
    fn salts() {
        let a: Algorithm = "blake512".parse().expect("known");
        let bytes: [u8; 300] = std::array::from_fn(|i| (i * i / 3) as u8);
        for n in 0..=bytes.len() {
            let salt = &bytes[7..7 + n % 5 * 8];
            let mut hasher = Hasher::builder(a).salt(salt).build().expect("a salt");
            hasher.update(&bytes[..n]);
            let want = naive(64, 16, [32, 25, 16, 11], (&INITIAL_512, &C), salt, &bytes[..n]);
            assert_eq!(hasher.finalize().as_bytes(), want, "{n} bytes");
        }
    }

    /// The specification, appendix A: one block and two blocks of zeros.
    #[test]
    fn specification() {
        for (name, n, want) in [
            (
                "blake512",
                1,
                "97961587f6d970faba6d2478045de6d1fabd09b61ae50932054d52bc29d31be4ff9102b9f69e2bbdb83be13d4b9c06091e5fa0b48bd081b634058be0ec49beb3",
            ),
            (
                "blake512",
                144,
                "313717d608e9cf758dcb1eb0f0c3cf9fc150b2d500fb33f51c52afc99d358a2f1374b8a38bba7974e7f6ef79cab16f22ce1e649d6e01ad9589c213045d545dde",
            ),
            (
                "blake384",
                1,
                "10281f67e135e90ae8e882251a355510a719367ad70227b137343e1bc122015c29391e8545b5272d13a7c2879da3d807",
            ),
            (
                "blake384",
                144,
                "0b9845dd429566cdab772ba195d271effe2d0211f16991d766ba749447c5cde569780b2daa66c4b224a2ec2e5d09174c",
            ),
        ] {
            let a: Algorithm = name.parse().expect("known");
            assert_eq!(a.digest(&vec![0; n]).to_string(), want, "{name}, {n} bytes");
        }
    }

    #[test]
    fn salts_are_filled_up_with_zeros() {
        let a: Algorithm = "blake512".parse().expect("known");
        let salted = |salt: &[u8]| {
            let mut h = Hasher::builder(a).salt(salt).build().expect("a salt");
            h.update([7; 200]);
            h.finalize()
        };
        assert_eq!(salted(&[0; 32]), a.digest(&[7; 200]));
        assert_eq!(salted(b"salt"), salted(b"salt\0\0\0\0\0\0\0\0\0\0\0\0"));
        assert_ne!(salted(b"salt"), salted(b"\0salt"));
        assert!(Hasher::builder(a).salt(&[0; 33]).build().is_err());
    }
}
