//! BLAKE-224, BLAKE-256 — SHA-3 proposal BLAKE, version 1.4 (J.-P. Aumasson, L. Henzen, W. Meier, R. C.-W. Phan, 2011).
//! digest 224 or 256 bit, salt up to 16 bytes · block 64 bytes · big-endian · status: sound (SHA-3 finalist)
//!
//! ## Algorithm
//!
//! ```text
//! v[0..8] := h;  v[8..16] := (s0, s1, s2, s3, t0, t0, t1, t1) ^ c[0..8]
//! fourteen times, i and j the next two numbers of σ[round]: G(a, b, c, d) on the columns, then on the diagonals of v:
//!     a := a + b + (m[i] ^ c[j]);  d := (d ^ a) >>> 16;  c := c + d;  b := (b ^ c) >>> 12
//!     a := a + b + (m[j] ^ c[i]);  d := (d ^ a) >>> 8;   c := c + d;  b := (b ^ c) >>> 7
//! h := h ^ v[0..8] ^ v[8..16] ^ (s, s)
//! ```
//!
//! The submission of 2008 had ten rounds; the final version, this one, has fourteen. t counts the message bits hashed
//! so far, this block's included and padding not; but it is zero in a last block that holds no bit of the message.
//! Padding: a bit 1, zeros, a last bit that is 1 in BLAKE-256 and 0 in BLAKE-224, then the message length in bits as a
//! 64-bit number. The state's words are h, s and t; t is raised by 512 *before* each block, so `tail` sets it to the
//! value wanted less 512, and gives two last blocks in two stages.
//!
//! ## Kernels
//!
//! * `avx512x16`, `avx2x8`, `neonx4`: one register a word: the four G of a half round are independent already. Two
//!   registers side by side are equal with AVX-512 (4.5 GB/s on Zen 5) and slower with AVX2 (1.6 against 1.8 GB/s).
//! * `simd128x4`: the same in WebAssembly, 1.6 times as fast as `portable` there (node 20, sixteen messages).
//! * `avx512vl`, `ssse3`: one message, a row of v in each register (`blake_32/x86.rs`): 5.4 and 7.2 cycles a byte on
//!   Emerald Rapids, where the chain alone takes 5.3 and 6.1. Words selected by permutations of 512 bits: 6.3. Not
//!   chosen on Zen 5: 0.40 and 0.31 GB/s against `portable`'s 0.42.
//! * `portable`: one message (8.3 cycles a byte there). v does not fit the sixteen registers, but m ^ c does not wait
//!   for v.

use super::blake2b::SIGMA;
use super::lanes;
use crate::base::bits::{BitOrder, Bits};
use crate::contract::{Blocks, Inputs, Params, State, Tail};
#[cfg(target_arch = "aarch64")]
use crate::simd::aarch64::U32x4;
#[cfg(target_feature = "simd128")]
use crate::simd::wasm32::U32x4;
#[cfg(target_arch = "x86_64")]
use crate::simd::x86::{U32x8, U32x16};
use crate::simd::{Feed, Round, Rows, Word32, drive};

#[cfg(target_arch = "x86_64")]
mod x86;

lanes! { words: 14, bytes: 4, portable: u32;
    x86_64 {
        avx512x16(Avx512 U32x16) from 3;
        avx2x8(Avx2 U32x8) from 3;
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
pub(crate) static RULE: Blake32 = Blake32;

pub(crate) struct Blake32;

/// The words of the state after h.
const S: usize = 8;
const T0: usize = 12;
const T1: usize = 13;

/// So that the counter is `t` in the next block.
pub(crate) fn set_counter(s: &mut State, t: u64) {
    let before = t.wrapping_sub(512);
    s.set_u32(T0, before as u32);
    s.set_u32(T1, (before >> 32) as u32);
}

impl Blocks for Blake32 {
    fn block(&self, _: &Params) -> usize {
        64
    }

    fn init(&self, p: &Params, x: &Inputs<'_>, s: &mut State) {
        let initial = if p.p[0] == 224 { INITIAL_224 } else { INITIAL_256 };
        for (i, x) in initial.into_iter().enumerate() {
            s.set_u32(i, x);
        }
        for i in S..=T1 {
            s.set_u32(i, 0);
        }
        for (i, bytes) in x.salt.chunks(4).enumerate() {
            let mut word = [0; 4];
            word[..bytes.len()].copy_from_slice(bytes);
            s.set_u32(S + i, u32::from_be_bytes(word));
        }
    }

    fn tail(&self, p: &Params, s: &mut State, stage: u8, rest: &[u8], total: u128, out: &mut Tail) -> usize {
        // The length wraps beyond 2^64 bits; the specification knows no longer messages.
        let bits = (total << 3) as u64;
        let n = (total % 64) as usize;
        let (from, t) = match stage {
            0 => {
                out[..n].copy_from_slice(rest);
                out[n] = 0x80;
                (n + 1, if n == 0 { 0 } else { bits })
            }
            1 if n > 55 => (0, 0),
            _ => return 0,
        };
        set_counter(s, t);
        if stage == 0 && n > 55 {
            out[from..64].fill(0);
        } else {
            out[from..56].fill(0);
            out[55] |= u8::from(p.p[0] == 256);
            out[56..64].copy_from_slice(&bits.to_be_bytes());
        }
        64
    }

    fn admits(&self, _: &Params, s: &State, fresh: &State, done: u128) -> bool {
        let bits = (done << 3) as u64;
        (S..T0).all(|i| s.u32(i) == fresh.u32(i)) && (s.u32(T0), s.u32(T1)) == (bits as u32, (bits >> 32) as u32)
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
        let bits = (total << 3) as u64 | u64::from(last.count);
        let n = (total % 64) as usize;
        // The mark and the 1 before the length are two bits: their byte has room for at most six bits of the message.
        let two = n > 55 || (n == 55 && last.count == 7);
        match stage {
            0 => {
                out[..n].copy_from_slice(rest);
                out[n] = last.marked();
                out[n + 1..64].fill(0);
                set_counter(s, bits);
            }
            1 if two => {
                out[..64].fill(0);
                set_counter(s, 0);
            }
            _ => return 0,
        }
        if two == (stage == 1) {
            out[55] |= u8::from(p.p[0] == 256);
            out[56..64].copy_from_slice(&bits.to_be_bytes());
        }
        64
    }

    fn tail_len(&self, _: &Params, rest: usize) -> usize {
        if rest > 55 { 128 } else { 64 }
    }

    fn output(&self, _: &Params, s: &mut State, _: &mut dyn FnMut(&mut State, &[u8]), out: &mut [u8]) {
        for (i, word) in out.chunks_exact_mut(4).enumerate() {
            word.copy_from_slice(&s.u32(i).to_be_bytes());
        }
    }
}

#[inline(always)]
fn run<W: Word32>(isa: W::Isa, p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    drive::<Blake32, W, 14, 16, true>(isa, p, packed, rows);
}

/// G with its two words of the message, each with the other's constant added already.
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

impl<W: Word32> Round<W, 14, 16, true> for Blake32 {
    #[inline(always)]
    fn compress(isa: W::Isa, _: &Params, h: &mut [W; 14], m: &mut Feed<'_, W, 16, true>) {
        // t := t + 512, with a carry computed by logic: the sum's top bit fell where the addend has none.
        let t0 = h[T0].add(W::splat(isa, 512));
        h[T1] = h[T1].add(t0.andnot(h[T0]).shr(31));
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
                    m.ahead($r, 14);
                })*
            };
        }
        rounds!(0 1 2 3 4 5 6 7 8 9 10 11 12 13);
        for i in 0..8 {
            h[i] = h[i].xor3(v[i], v[i + 8]).xor(h[S + i % 4]);
        }
    }
}

/// SHA-256's initial words.
const INITIAL_256: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// SHA-224's initial words.
const INITIAL_224: [u32; 8] =
    [0xc105_9ed8, 0x367c_d507, 0x3070_dd17, 0xf70e_5939, 0xffc0_0b31, 0x6858_1511, 0x64f9_8fa7, 0xbefa_4fa4];

/// The first digits of π after the point.
const C: [u32; 16] = [
    0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344, 0xa409_3822, 0x299f_31d0, 0x082e_fa98, 0xec4e_6c89,
    0x4528_21e6, 0x38d0_1377, 0xbe54_66cf, 0x34e9_0c6c, 0xc0ac_29b7, 0xc97c_50dd, 0x3f84_d5b5, 0xb547_0917,
];

#[cfg(test)]
pub(super) mod tests {
    use super::{C, INITIAL_256, SIGMA};
    use crate::{Algorithm, Hasher};

    /// BLAKE with words of `width` bits and the whole padded message in memory, for the salts that other
    /// implementations lack. `r` are the four distances.
    pub(crate) fn naive(
        width: u32,
        rounds: usize,
        r: [u32; 4],
        (h, c): (&[u64], &[u64]),
        salt: &[u8],
        m: &[u8],
    ) -> Vec<u8> {
        let bytes = width as usize / 8;
        let mask = u64::MAX >> (64 - width);
        let add = |x: u64, y: u64| x.wrapping_add(y) & mask;
        let rotr = |x: u64, n: u32| (x >> n | x << (width - n)) & mask;
        let word = |b: &[u8]| b.iter().fold(0, |x, &b| x << 8 | u64::from(b));
        let mut s: Vec<u64> = salt.chunks(bytes).map(word).collect();
        s.resize(4, 0);
        let mut h = h.to_vec();
        let mut padded = m.to_vec();
        padded.push(0x80);
        while padded.len() % (16 * bytes) != 14 * bytes {
            padded.push(0);
        }
        *padded.last_mut().expect("not empty") |= 1;
        padded.extend_from_slice(&(8 * m.len() as u128).to_be_bytes()[16 - 2 * bytes..]);
        for (n, block) in padded.chunks(16 * bytes).enumerate() {
            let m_words: Vec<u64> = block.chunks(bytes).map(word).collect();
            let end = m.len().min((n + 1) * 16 * bytes) as u64;
            let t = if n * 16 * bytes >= m.len() { 0 } else { 8 * end };
            let mut v = h.clone();
            v.extend((0..4).map(|i| s[i] ^ c[i]));
            v.extend([t ^ c[4], t ^ c[5], c[6], c[7]]);
            for round in 0..rounds {
                for k in 0..8 {
                    let shift = if k < 4 { 0 } else { 1 };
                    let at = |row: usize| 4 * row + (k + shift * row) % 4;
                    let (a, b, c_, d) = (at(0), at(1), at(2), at(3));
                    let pair = [SIGMA[round % 10][2 * k], SIGMA[round % 10][2 * k + 1]];
                    for half in 0..2 {
                        v[a] = add(add(v[a], v[b]), m_words[pair[half]] ^ c[pair[1 - half]]);
                        v[d] = rotr(v[d] ^ v[a], r[2 * half]);
                        v[c_] = add(v[c_], v[d]);
                        v[b] = rotr(v[b] ^ v[c_], r[2 * half + 1]);
                    }
                }
            }
            for i in 0..8 {
                h[i] ^= s[i % 4] ^ v[i] ^ v[i + 8];
            }
        }
        h.iter().flat_map(|x| x.to_be_bytes()[8 - bytes..].to_vec()).collect()
    }

    #[test]
    fn salts() {
        let a: Algorithm = "blake256".parse().expect("known");
        let bytes: [u8; 200] = std::array::from_fn(|i| (i * i / 3) as u8);
        let (h, c) = (INITIAL_256.map(u64::from), C.map(u64::from));
        for n in 0..=bytes.len() {
            let salt = &bytes[7..7 + n % 5 * 4];
            let mut hasher = Hasher::builder(a).salt(salt).build().expect("a salt");
            hasher.update(&bytes[..n]);
            let want = naive(32, 14, [16, 12, 8, 7], (&h, &c), salt, &bytes[..n]);
            assert_eq!(hasher.finalize().as_bytes(), want, "{n} bytes");
        }
    }

    /// The specification, appendix A: one block and two blocks of zeros.
    #[test]
    fn specification() {
        let a: Algorithm = "blake256".parse().expect("known");
        assert_eq!(a.digest(&[0]).to_string(), "0ce8d4ef4dd7cd8d62dfded9d4edb0a774ae6a41929a74da23109e8f11139c87");
        assert_eq!(a.digest(&[0; 72]).to_string(), "d419bad32d504fb7d44d460c42c5593fe544fa4c135dec31e21bd9abdcc22d41");
        let a: Algorithm = "blake224".parse().expect("known");
        assert_eq!(a.digest(&[0]).to_string(), "4504cb0314fb2a4f7a692e696e487912fe3f2468fe312c73a5278ec5");
        assert_eq!(a.digest(&[0; 72]).to_string(), "f5aa00dd1cb847e3140372af7b5c46b4888d82c8c0a917913cfb5d04");
    }

    #[test]
    fn salts_are_filled_up_with_zeros() {
        let a: Algorithm = "blake256".parse().expect("known");
        let salted = |salt: &[u8]| {
            let mut h = Hasher::builder(a).salt(salt).build().expect("a salt");
            h.update([7; 200]);
            h.finalize()
        };
        assert_eq!(salted(&[0; 16]), a.digest(&[7; 200]));
        assert_eq!(salted(b"salt"), salted(b"salt\0\0\0\0\0\0\0\0\0\0\0\0"));
        assert_ne!(salted(b"salt"), salted(b"\0salt"));
        assert!(Hasher::builder(a).salt(&[0; 17]).build().is_err());
    }
}
