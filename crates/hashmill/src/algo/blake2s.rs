//! BLAKE2s — RFC 7693 (J.-P. Aumasson, S. Neves, Z. Wilcox-O'Hearn, C. Winnerlein, 2012). digest 1 to 32 bytes, key up
//! to 32 bytes, salt, personalization up to 8 · block 64 bytes · little-endian · status: sound
//!
//! ## Algorithm
//!
//! BLAKE2b's (`blake2b.rs`) in words of 32 bits, with ten rounds instead of twelve and other distances:
//!
//! ```text
//! G:  a := a + b + x;  d := (d ^ a) >>> 16;  c := c + d;  b := (b ^ c) >>> 12
//!     a := a + b + y;  d := (d ^ a) >>> 8;   c := c + d;  b := (b ^ c) >>> 7
//! ```
//!
//! The state's words are h, t0, t1 and f, as there.
//!
//! ## Kernels
//!
//! * `avx512x16`, `neonx4`: one register a word: the four G of a half round are independent already (AVX-512: two
//!   registers side by side are equal, 6.6 GB/s on Zen 5).
//! * `simd128x4`: the same in WebAssembly, 1.9 times as fast as `portable` there (node 20, sixteen messages).
//! * `avx2x16`: eight lanes, two registers side by side (2.95 against 2.55 GB/s).
//! * `avx512vl`, `ssse3`: one message, a row of v in each register (`blake2s/x86.rs`): 3.9 and 5.2 cycles a byte on
//!   Emerald Rapids, where the chain alone takes 3.8 and 4.4. Words selected by permutations of 512 bits: 4.5. Not
//!   chosen on Zen 5: 0.56 and 0.44 GB/s against `portable`'s 0.90.
//! * `portable`: one message (5.6 cycles a byte there).

use super::blake2b::SIGMA;
use super::lanes;
use crate::contract::{Blocks, Inputs, MAX_BLOCK, Params, State, Tail};
#[cfg(target_arch = "x86_64")]
use crate::simd::X2;
#[cfg(target_arch = "aarch64")]
use crate::simd::aarch64::U32x4;
#[cfg(target_feature = "simd128")]
use crate::simd::wasm32::U32x4;
#[cfg(target_arch = "x86_64")]
use crate::simd::x86::{U32x8, U32x16};
use crate::simd::{Feed, Round, Rows, Word32, drive};

#[cfg(target_arch = "x86_64")]
mod x86;

lanes! { words: 11, bytes: 4, portable: u32;
    x86_64 {
        avx512x16(Avx512 U32x16) from 3;
        avx2x16(Avx2 X2<U32x8>) from 5;
        avx512vl(dedicated x86::avx512vl, [AVX512 + FAST_VROT], 1) from 1;
        ssse3(dedicated x86::ssse3, [SSSE3 + FAST_CHAINS], 1) from 1;
    }
    aarch64 {
        neonx4(Neon U32x4) from 3;
    }
    wasm32 {
        simd128x4(Simd128 U32x4) from 3;
    }
}

/// Padding and output.
pub(crate) static RULE: Blake2s = Blake2s;

pub(crate) struct Blake2s;

/// The words of the state after h.
const T0: usize = 8;
const T1: usize = 9;
const F: usize = 10;

impl Blocks for Blake2s {
    fn block(&self, _: &Params) -> usize {
        64
    }

    fn keep_last(&self) -> bool {
        true
    }

    fn init(&self, p: &Params, x: &Inputs<'_>, s: &mut State) {
        for (i, x) in IV.into_iter().enumerate() {
            s.set_u32(i, x);
        }
        // The parameter block's first word: digest length, key length, fan-out 1, depth 1.
        s.set_u32(0, IV[0] ^ 0x0101_0000 ^ (x.key.len() as u32) << 8 ^ p.out_len);
        // Its words 4 and 5 are the salt, 6 and 7 the personalization.
        for (first, bytes) in [(4, x.salt), (6, x.personal)] {
            for (i, bytes) in bytes.chunks(4).enumerate() {
                let mut word = [0; 4];
                word[..bytes.len()].copy_from_slice(bytes);
                s.set_u32(first + i, IV[first + i] ^ u32::from_le_bytes(word));
            }
        }
        for i in [T0, T1, F] {
            s.set_u32(i, 0);
        }
    }

    fn prefix(&self, _: &Params, x: &Inputs<'_>, out: &mut [u8; MAX_BLOCK]) -> usize {
        let key = x.key;
        if key.is_empty() {
            return 0;
        }
        out[..key.len()].copy_from_slice(key);
        out[key.len()..64].fill(0);
        64
    }

    fn tail(&self, _: &Params, s: &mut State, stage: u8, rest: &[u8], total: u128, out: &mut Tail) -> usize {
        if stage > 0 {
            return 0;
        }
        let before = total.wrapping_sub(64);
        s.set_u32(T0, before as u32);
        s.set_u32(T1, (before >> 32) as u32);
        s.set_u32(F, u32::MAX);
        out[..64].fill(0);
        out[..rest.len()].copy_from_slice(rest);
        64
    }

    fn admits(&self, _: &Params, s: &State, _: &State, done: u128) -> bool {
        // The counter has 64 bits, and wraps.
        (s.u32(T0), s.u32(T1), s.u32(F)) == (done as u32, (done >> 32) as u32, 0)
    }

    fn tail_len(&self, p: &Params, _: usize) -> usize {
        self.block(p)
    }

    fn output(&self, _: &Params, s: &mut State, _: &mut dyn FnMut(&mut State, &[u8]), out: &mut [u8]) {
        let mut all = [0; 32];
        for (i, word) in all.chunks_exact_mut(4).enumerate() {
            word.copy_from_slice(&s.u32(i).to_le_bytes());
        }
        out.copy_from_slice(&all[..out.len()]);
    }
}

#[inline(always)]
fn run<W: Word32>(isa: W::Isa, p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    drive::<Blake2s, W, 11, 16, false>(isa, p, packed, rows);
}

/// RFC 7693, 3.1.
#[inline(always)]
fn g<W: Word32>(v: &mut [W; 16], [a, b, c, d]: [usize; 4], x: W, y: W) {
    v[a] = v[a].add(x).add(v[b]);
    v[d] = v[d].xor(v[a]).rotr(16);
    v[c] = v[c].add(v[d]);
    v[b] = v[b].xor(v[c]).rotr(12);
    v[a] = v[a].add(y).add(v[b]);
    v[d] = v[d].xor(v[a]).rotr(8);
    v[c] = v[c].add(v[d]);
    v[b] = v[b].xor(v[c]).rotr(7);
}

impl<W: Word32> Round<W, 11, 16, false> for Blake2s {
    #[inline(always)]
    fn compress(isa: W::Isa, _: &Params, s: &mut [W; 11], m: &mut Feed<'_, W, 16, false>) {
        // t := t + 64, with a carry computed by logic: the sum's top bit fell where the addend has none.
        let t0 = s[T0].add(W::splat(isa, 64));
        let carry = t0.andnot(s[T0]).shr(31);
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
                let o = &SIGMA[$r];
                g(&mut v, [0, 4, 8, 12], m.word(o[0]), m.word(o[1]));
                g(&mut v, [1, 5, 9, 13], m.word(o[2]), m.word(o[3]));
                g(&mut v, [2, 6, 10, 14], m.word(o[4]), m.word(o[5]));
                g(&mut v, [3, 7, 11, 15], m.word(o[6]), m.word(o[7]));
                g(&mut v, [0, 5, 10, 15], m.word(o[8]), m.word(o[9]));
                g(&mut v, [1, 6, 11, 12], m.word(o[10]), m.word(o[11]));
                g(&mut v, [2, 7, 8, 13], m.word(o[12]), m.word(o[13]));
                g(&mut v, [3, 4, 9, 14], m.word(o[14]), m.word(o[15]));
                m.ahead($r, 10);
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
        for i in 0..8 {
            s[i] = s[i].xor3(v[i], v[i + 8]);
        }
    }
}

/// SHA-256's initial words.
const IV: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

#[cfg(test)]
mod tests {
    use crate::{Algorithm, Hasher};

    /// RFC 7693, appendix B.
    #[test]
    fn rfc_7693() {
        let a: Algorithm = "blake2s-256".parse().expect("known");
        assert_eq!(a.digest(b"abc").to_string(), "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982");
    }

    /// RFC 7693, appendix E: a digest of digests of many lengths, with and without keys.
    #[test]
    fn rfc_7693_self_test() {
        fn sequence(n: usize, seed: usize) -> Vec<u8> {
            let mut a = 0xdead_4badu32.wrapping_mul(seed as u32);
            let mut b = 1u32;
            (0..n)
                .map(|_| {
                    (a, b) = (b, a.wrapping_add(b));
                    (b >> 24) as u8
                })
                .collect()
        }
        let a: Algorithm = "blake2s".parse().expect("known");
        let mut all = Hasher::new(a);
        for length in [16, 20, 28, 32] {
            let a = a.with_digest_len(length).expect("a length");
            for n in [0, 3, 64, 65, 255, 1024] {
                let m = sequence(n, n);
                all.update(a.digest(&m));
                let mut keyed = Hasher::builder(a).key(&sequence(length, length)).build().expect("a key");
                keyed.update(&m);
                all.update(keyed.finalize());
            }
        }
        assert_eq!(all.finalize().to_string(), "6a411f08ce25adcdfb02aba641451cec53c598b24f4fc787fbdc88797f4c1dfe");
    }

    #[test]
    fn salts_and_personalizations_like_rustcrypto() {
        use blake2::digest::{FixedOutput, Update};
        let bytes: [u8; 200] = std::array::from_fn(|i| (i * i / 3) as u8);
        let a: Algorithm = "blake2s".parse().expect("known");
        for n in 0..=8 {
            for key in [&bytes[..0], &bytes[40..41 + 3 * n]] {
                let (salt, personal) = (&bytes[3..3 + n], &bytes[20..28 - n]);
                let key_given = (!key.is_empty()).then_some(key);
                let mut other =
                    blake2::Blake2sMac256::new_with_salt_and_personal(key_given, salt, personal).expect("inputs");
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
        assert!(Hasher::builder(a).salt(&[1; 9]).build().is_err());
        assert!(Hasher::builder(a).personal(&[1; 9]).build().is_err());
    }
}
