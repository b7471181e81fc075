//! BLAKE2b — RFC 7693 (J.-P. Aumasson, S. Neves, Z. Wilcox-O'Hearn, C. Winnerlein, 2012). digest 1 to 64 bytes, key up
//! to 64 bytes, salt, personalization up to 16 · block 128 bytes · little-endian · status: sound
//!
//! ## Algorithm
//!
//! ```text
//! v[0..8] := h;  v[8..16] := IV ^ (0, 0, 0, 0, t0, t1, f, 0)
//! twelve times: G on the columns, then on the diagonals of v, with the words of m in the order σ[round]
//! h := h ^ v[0..8] ^ v[8..16]
//! ```
//!
//! t counts the bytes hashed so far, f is all ones in the last block: so the last block is held back until the end is
//! known. A key is a first block of its own; salt and personalization are parts of the parameter block that is added to
//! the IV. The state's words are h, t0, t1 and f; t is raised by the block length *before* each block, so `tail` sets
//! it to the message's length less one block.
//!
//! ## Kernels
//!
//! * `avx512x8`: eight lanes: the four G of a half round are independent already (two registers side by side: 5.5
//!   against 5.7 GB/s on Zen 5).
//! * `avx2x8`: four lanes, two registers side by side; `neonx2`: two lanes. (Two lanes in WebAssembly are as fast
//!   as `portable`: rejected.)
//! * `avx512vl`, `avx2`: one message, a row of v in each register (`blake2b/x86.rs`): 2.6 and 3.1 cycles a byte on
//!   Emerald Rapids, where the chain alone takes 2.3 and 2.4. Words selected by permutations of 512 bits: 3.1. Not
//!   chosen on Zen 5, where dependent vector operations take two cycles: 0.92 and 0.79 GB/s against `portable`'s 1.47.
//! * `portable`: one message (3.4 cycles a byte there).

use super::lanes;
use crate::contract::{Blocks, Inputs, MAX_BLOCK, Params, State, Tail};
#[cfg(target_arch = "x86_64")]
use crate::simd::X2;
#[cfg(target_arch = "aarch64")]
use crate::simd::aarch64::U64x2;
#[cfg(target_arch = "x86_64")]
use crate::simd::x86::{U64x4, U64x8};
use crate::simd::{Feed, Round, Rows, Word64, drive};

#[cfg(target_arch = "x86_64")]
mod x86;

lanes! { words: 11, bytes: 8, portable: u64;
    x86_64 {
        avx512x8(Avx512 U64x8) from 3;
        avx2x8(Avx2 X2<U64x4>) from 5;
        avx512vl(dedicated x86::avx512vl, [AVX512 + FAST_VROT], 1) from 1;
        avx2(dedicated x86::avx2, [AVX2 + FAST_CHAINS], 1) from 1;
    }
    aarch64 {
        neonx2(Neon U64x2) from 2;
    }
    wasm32 {}
}

/// Padding and output.
pub(crate) static RULE: Blake2b = Blake2b;

pub(crate) struct Blake2b;

/// The words of the state after h.
const T0: usize = 8;
const T1: usize = 9;
const F: usize = 10;

impl Blocks for Blake2b {
    fn block(&self, _: &Params) -> usize {
        128
    }

    fn keep_last(&self) -> bool {
        true
    }

    fn init(&self, p: &Params, x: &Inputs<'_>, s: &mut State) {
        for (i, x) in IV.into_iter().enumerate() {
            s.set_u64(i, x);
        }
        // The parameter block's first word: digest length, key length, fan-out 1, depth 1.
        s.set_u64(0, IV[0] ^ 0x0101_0000 ^ (x.key.len() as u64) << 8 ^ u64::from(p.out_len));
        // Its words 4 and 5 are the salt, 6 and 7 the personalization.
        for (first, bytes) in [(4, x.salt), (6, x.personal)] {
            for (i, bytes) in bytes.chunks(8).enumerate() {
                let mut word = [0; 8];
                word[..bytes.len()].copy_from_slice(bytes);
                s.set_u64(first + i, IV[first + i] ^ u64::from_le_bytes(word));
            }
        }
        for i in [T0, T1, F] {
            s.set_u64(i, 0);
        }
    }

    fn prefix(&self, _: &Params, x: &Inputs<'_>, out: &mut [u8; MAX_BLOCK]) -> usize {
        let key = x.key;
        if key.is_empty() {
            return 0;
        }
        out[..key.len()].copy_from_slice(key);
        out[key.len()..128].fill(0);
        128
    }

    fn tail(&self, _: &Params, s: &mut State, stage: u8, rest: &[u8], total: u128, out: &mut Tail) -> usize {
        if stage > 0 {
            return 0;
        }
        let before = total.wrapping_sub(128);
        s.set_u64(T0, before as u64);
        s.set_u64(T1, (before >> 64) as u64);
        s.set_u64(F, u64::MAX);
        out[..128].fill(0);
        out[..rest.len()].copy_from_slice(rest);
        128
    }

    fn admits(&self, _: &Params, s: &State, _: &State, done: u128) -> bool {
        (s.u64(T0), s.u64(T1), s.u64(F)) == (done as u64, (done >> 64) as u64, 0)
    }

    fn tail_len(&self, p: &Params, _: usize) -> usize {
        self.block(p)
    }

    fn output(&self, _: &Params, s: &mut State, _: &mut dyn FnMut(&mut State, &[u8]), out: &mut [u8]) {
        let mut all = [0; 64];
        for (i, word) in all.chunks_exact_mut(8).enumerate() {
            word.copy_from_slice(&s.u64(i).to_le_bytes());
        }
        out.copy_from_slice(&all[..out.len()]);
    }
}

#[inline(always)]
fn run<W: Word64>(isa: W::Isa, p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    drive::<Blake2b, W, 11, 16, false>(isa, p, packed, rows);
}

/// RFC 7693, 3.1.
#[inline(always)]
fn g<W: Word64>(v: &mut [W; 16], [a, b, c, d]: [usize; 4], x: W, y: W) {
    v[a] = v[a].add(x).add(v[b]);
    v[d] = v[d].xor(v[a]).rotr(32);
    v[c] = v[c].add(v[d]);
    v[b] = v[b].xor(v[c]).rotr(24);
    v[a] = v[a].add(y).add(v[b]);
    v[d] = v[d].xor(v[a]).rotr(16);
    v[c] = v[c].add(v[d]);
    v[b] = v[b].xor(v[c]).rotr(63);
}

impl<W: Word64> Round<W, 11, 16, false> for Blake2b {
    #[inline(always)]
    fn compress(isa: W::Isa, _: &Params, s: &mut [W; 11], m: &mut Feed<'_, W, 16, false>) {
        // t := t + 128, with a carry computed by logic: the sum's top bit fell where the addend has none.
        let t0 = s[T0].add(W::splat(isa, 128));
        let carry = t0.andnot(s[T0]).shr(63);
        s[T0] = t0;
        s[T1] = s[T1].add(carry);
        let iv = |i: usize| W::splat(isa, IV[i]);
        let mut v = [
            s[0],
            s[1],
            s[2],
            s[3],
            s[4],
            s[5],
            s[6],
            s[7],
            iv(0),
            iv(1),
            iv(2),
            iv(3),
            iv(4).xor(s[T0]),
            iv(5).xor(s[T1]),
            iv(6).xor(s[F]),
            iv(7),
        ];
        macro_rules! round {
            ($r:literal) => {
                let o = &SIGMA[$r % 10];
                g(&mut v, [0, 4, 8, 12], m.word(o[0]), m.word(o[1]));
                g(&mut v, [1, 5, 9, 13], m.word(o[2]), m.word(o[3]));
                g(&mut v, [2, 6, 10, 14], m.word(o[4]), m.word(o[5]));
                g(&mut v, [3, 7, 11, 15], m.word(o[6]), m.word(o[7]));
                g(&mut v, [0, 5, 10, 15], m.word(o[8]), m.word(o[9]));
                g(&mut v, [1, 6, 11, 12], m.word(o[10]), m.word(o[11]));
                g(&mut v, [2, 7, 8, 13], m.word(o[12]), m.word(o[13]));
                g(&mut v, [3, 4, 9, 14], m.word(o[14]), m.word(o[15]));
                m.ahead($r, 12);
            };
        }
        round!(0);
        round!(1);
        round!(2);
        round!(3);
        round!(4);
        round!(5);
        round!(6);
        round!(7);
        round!(8);
        round!(9);
        round!(10);
        round!(11);
        for i in 0..8 {
            s[i] = s[i].xor3(v[i], v[i + 8]);
        }
    }
}

/// SHA-512's initial words.
pub(super) const IV: [u64; 8] = [
    0x6a09_e667_f3bc_c908, 0xbb67_ae85_84ca_a73b, 0x3c6e_f372_fe94_f82b, 0xa54f_f53a_5f1d_36f1, 0x510e_527f_ade6_82d1,
    0x9b05_688c_2b3e_6c1f, 0x1f83_d9ab_fb41_bd6b, 0x5be0_cd19_137e_2179,
];

/// RFC 7693, 2.7, where rounds 10 and 11 use rows 0 and 1; BLAKE's and BLAKE2s's too.
pub(super) const SIGMA: [[usize; 16]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

#[cfg(test)]
mod tests {
    use crate::{Algorithm, Hasher};

    /// RFC 7693, appendix A.
    #[test]
    fn rfc_7693() {
        let a: Algorithm = "blake2b-512".parse().expect("known");
        assert_eq!(
            a.digest(b"abc").to_string(),
            "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"
        );
    }

    #[test]
    fn keys_have_1_to_64_bytes() {
        let a: Algorithm = "blake2b".parse().expect("known");
        assert!(Hasher::builder(a).key(&[]).build().is_err());
        assert!(Hasher::builder(a).key(&[1; 65]).build().is_err());
        assert_ne!(Hasher::builder(a).key(&[1; 64]).build().expect("a key").finalize(), Hasher::new(a).finalize());
    }

    #[test]
    fn salts_and_personalizations_like_rustcrypto() {
        use blake2::digest::{FixedOutput, Update};
        let bytes: [u8; 200] = std::array::from_fn(|i| (i * i / 3) as u8);
        let a: Algorithm = "blake2b".parse().expect("known");
        for n in 0..=16 {
            for key in [&bytes[..0], &bytes[40..41 + 3 * n]] {
                let (salt, personal) = (&bytes[3..3 + n], &bytes[20..36 - n]);
                let key_given = (!key.is_empty()).then_some(key);
                let mut other =
                    blake2::Blake2bMac512::new_with_salt_and_personal(key_given, salt, personal).expect("inputs");
                other.update(&bytes);
                let mut h = Hasher::builder(a).salt(salt).personal(personal);
                if let Some(key) = key_given {
                    h = h.key(key);
                }
                let mut h = h.build().expect("inputs");
                h.update(bytes);
                assert_eq!(h.finalize().as_bytes(), &other.finalize_fixed()[..], "{n}");
            }
        }
        assert!(Hasher::builder(a).salt(&[1; 17]).build().is_err());
        assert!(Hasher::builder(a).personal(&[1; 17]).build().is_err());
    }
}
