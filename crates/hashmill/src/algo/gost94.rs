//! GOST94 — GOST R 34.11-94 (Russian Federal Agency for Government Communication, 1994); RFC 5831; S-boxes: RFC 4357.
//! digest 256 bit · block 32 bytes · little-endian · status: weak (collisions in 2^105, 2008)
//!
//! ## Algorithm
//!
//! ```text
//! step(H, M):                                                     x4 ‖ x3 ‖ x2 ‖ x1 are 64-bit words, x1 the lowest
//!     U := H;  V := M;  K1 := P(U ^ V)
//!     for j in 2..=4: U := A(U) ^ C[j];  V := A(A(V));  Kj := P(U ^ V)
//!     sj := E(Kj, hj) for j in 1..=4                              GOST 28147-89, 32 rounds
//!     H := ψ^61(H ^ ψ(M ^ ψ^12(S)))
//! A(x4 ‖ x3 ‖ x2 ‖ x1) = (x1 ^ x2) ‖ x4 ‖ x3 ‖ x2
//! P: word k of the key (k = 0 to 7) is byte k of x1, of x2, of x3, of x4
//! ψ(y16 ‖ … ‖ y1) = (y1 ^ y2 ^ y3 ^ y4 ^ y13 ^ y16) ‖ y16 ‖ … ‖ y2           on 16-bit words
//! ```
//!
//! A last block is filled up with zeros. Then follow the message's length in bits and Σ, the sum of all blocks of the message
//! mod 2^256, a block each. The state's words are H and Σ. `p[0]` chooses the S-boxes: 0 the test set, 1 CryptoPro's.
//!
//! The specification prints numbers, the highest digit first; programs print bytes, the lowest first.
//!
//! ## Kernels
//!
//! * `avx512vbmi`: one message, the four encryptions of a step side by side in a short register; four S-boxes are the 64 bytes
//!   of a register, and a byte permutation looks up a digit of all bytes. A round is eight cycles (sum, shift, index,
//!   permutation 3, rotation, xor); the next keys and ψ are permutations of bytes and 16-bit words that add about twenty: 8.6
//!   cycles/byte (measured: 9.9 on Emerald Rapids, `portable` 17). What does not wait for the encryption stands between its
//!   rounds: before them it was in their way (10.7).
//! * `portable`: one message. The four encryptions of a step do not depend on each other and run side by side: each is a
//!   chain of 32 rounds of about eleven cycles, and four take as long as one. Two S-boxes at a time are a table of 256 words,
//!   rotated already. ψ is a shift register: its powers are sums of sections of one sequence, and a section is four 16-bit
//!   words in a 64-bit one. (255 MB/s on Zen 5. Rounds written out, sums as trees, or ψ^61 and ψ^74 of the parts that are
//!   ready early gained nothing: the encryptions take four fifths of the time.)

use super::{kernels, repeat16};
use crate::contract::{Blocks, Inputs, Kernel, Params, State, Tail};
use crate::cpu::Features;
use crate::simd::{Feed, Round, Rows, Scalar, drive};

#[cfg(target_arch = "x86_64")]
mod x86;

/// The kernels in the order of preference.
pub(crate) static KERNELS: &[Kernel] = &[
    #[cfg(target_arch = "x86_64")]
    kernels::kernel("avx512x32", Features::AVX512.and(Features::VBMI), 32, 3, 16, 4, x86::avx512x32),
    #[cfg(target_arch = "x86_64")]
    kernels::kernel("avx512vbmi", Features::AVX512.and(Features::VBMI), 1, 1, 8, 8, x86::avx512vbmi),
    kernels::kernel("portable", Features::NONE, 1, 1, 8, 8, portable),
];

/// Padding, length, sum and output.
pub(crate) static RULE: Gost94 = Gost94;

pub(crate) struct Gost94;

/// Σ's first word in the state.
const SUM: usize = 4;

impl Blocks for Gost94 {
    fn block(&self, _: &Params) -> usize {
        32
    }

    fn init(&self, _: &Params, _: &Inputs<'_>, s: &mut State) {
        s.0[..64].fill(0);
    }

    /// All that is left at once. The step adds to the state's Σ what follows the message, too, but nobody reads it any more.
    fn tail(&self, _: &Params, s: &mut State, stage: u8, rest: &[u8], total: u128, out: &mut Tail) -> usize {
        if stage > 0 {
            return 0;
        }
        let mut sum = [s.u64(SUM), s.u64(SUM + 1), s.u64(SUM + 2), s.u64(SUM + 3)];
        let mut n = 0;
        if !rest.is_empty() {
            let mut last = [0; 32];
            last[..rest.len()].copy_from_slice(rest);
            out[..32].copy_from_slice(&last);
            let (words, _) = last.as_chunks();
            sum = add(sum, [0, 1, 2, 3].map(|i| u64::from_le_bytes(words[i])));
            n = 32;
        }
        out[n..n + 16].copy_from_slice(&(total << 3).to_le_bytes());
        out[n + 16..n + 32].copy_from_slice(&(total >> 125).to_le_bytes());
        for (word, x) in out[n + 32..n + 64].chunks_exact_mut(8).zip(sum) {
            word.copy_from_slice(&x.to_le_bytes());
        }
        n + 64
    }

    fn output(&self, _: &Params, s: &mut State, _: &mut dyn FnMut(&mut State, &[u8]), out: &mut [u8]) {
        for (i, word) in out.chunks_exact_mut(8).enumerate() {
            word.copy_from_slice(&s.u64(i).to_le_bytes());
        }
    }
}

fn portable(p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    drive::<Gost94, u64, 8, 4, false>(Scalar, p, packed, rows);
}

impl Round<u64, 8, 4, false> for Gost94 {
    #[inline(always)]
    fn compress(_: Scalar, p: &Params, s: &mut [u64; 8], m: &mut Feed<'_, u64, 4, false>) {
        let h = [s[0], s[1], s[2], s[3]];
        let m = [m.word(0), m.word(1), m.word(2), m.word(3)];
        let sum = add([s[4], s[5], s[6], s[7]], m);
        let x = encrypt(if p.p[0] == 0 { &TEST } else { &CRYPTOPRO }, &keys(h, m), h);
        let h = psi::<61>(xor(h, psi::<1>(xor(m, psi::<12>(x)))));
        *s = [h[0], h[1], h[2], h[3], sum[0], sum[1], sum[2], sum[3]];
    }
}

/// x + y mod 2^256.
#[inline(always)]
fn add(x: [u64; 4], y: [u64; 4]) -> [u64; 4] {
    let mut sum = [0; 4];
    let mut carry = 0;
    for i in 0..4 {
        let wide = u128::from(x[i]) + u128::from(y[i]) + carry;
        sum[i] = wide as u64;
        carry = wide >> 64;
    }
    sum
}

#[inline(always)]
fn xor(x: [u64; 4], y: [u64; 4]) -> [u64; 4] {
    [x[0] ^ y[0], x[1] ^ y[1], x[2] ^ y[2], x[3] ^ y[3]]
}

#[inline(always)]
fn a(x: [u64; 4]) -> [u64; 4] {
    [x[1], x[2], x[3], x[0] ^ x[1]]
}

/// P: words k and k + 4 of the key are the halves of word k.
#[inline(always)]
fn p(mut x: [u64; 4]) -> [u64; 4] {
    // Transposes the bytes of both halves: first within pairs, then pairs.
    for (i, j) in [(0, 1), (2, 3)] {
        let t = (x[i] >> 8 ^ x[j]) & 0x00ff_00ff_00ff_00ff;
        x[i] ^= t << 8;
        x[j] ^= t;
    }
    for (i, j) in [(0, 2), (1, 3)] {
        let t = (x[i] >> 16 ^ x[j]) & 0x0000_ffff_0000_ffff;
        x[i] ^= t << 16;
        x[j] ^= t;
    }
    x
}

/// The keys: word k of the four keys, for each k.
#[inline(always)]
fn keys(mut u: [u64; 4], mut v: [u64; 4]) -> [[u32; 4]; 8] {
    let mut all = [[0; 4]; 8];
    for j in 0..4 {
        let key = p(xor(u, v));
        for k in 0..4 {
            all[k][j] = key[k] as u32;
            all[k + 4][j] = (key[k] >> 32) as u32;
        }
        u = a(u);
        if j == 1 {
            u = xor(u, C3);
        }
        v = a(a(v));
    }
    all
}

/// C\[3\]; C\[2\] and C\[4\] are zero.
const C3: [u64; 4] = [0xff00_ff00_ff00_ff00, 0x00ff_00ff_00ff_00ff, 0xff00_00ff_00ff_ff00, 0xff00_ffff_0000_00ff];

/// GOST 28147-89 of four blocks side by side, each with its key.
#[inline(always)]
fn encrypt(s: &Tables, keys: &[[u32; 4]; 8], h: [u64; 4]) -> [u64; 4] {
    let mut n1 = [h[0] as u32, h[1] as u32, h[2] as u32, h[3] as u32];
    let mut n2 = [(h[0] >> 32) as u32, (h[1] >> 32) as u32, (h[2] >> 32) as u32, (h[3] >> 32) as u32];
    macro_rules! round {
        ($n1:ident, $n2:ident, $k:expr) => {
            for j in 0..4 {
                let [b0, b1, b2, b3] = $n1[j].wrapping_add(keys[$k][j]).to_le_bytes();
                $n2[j] ^= s[0][usize::from(b0)] ^ s[1][usize::from(b1)] ^ s[2][usize::from(b2)] ^ s[3][usize::from(b3)];
            }
        };
    }
    for _ in 0..3 {
        for k in 0..4 {
            round!(n1, n2, 2 * k);
            round!(n2, n1, 2 * k + 1);
        }
    }
    for k in 0..4 {
        round!(n1, n2, 7 - 2 * k);
        round!(n2, n1, 6 - 2 * k);
    }
    let mut x = [0; 4];
    for j in 0..4 {
        x[j] = u64::from(n2[j]) | u64::from(n1[j]) << 32;
    }
    x
}

/// ψ^N. With y\[n+16\] = y\[n\] ^ y\[n+1\] ^ y\[n+2\] ^ y\[n+3\] ^ y\[n+12\] ^ y\[n+15\] the result is y\[N\] to y\[N+15\].
#[inline(always)]
fn psi<const N: usize>(y: [u64; 4]) -> [u64; 4] {
    let mut y = [y[0], y[1], y[2], y[3], 0];
    // Words 16 to 19 each contain the word before: sums over all the words before, and y[15] in all of them.
    let mut next = y[0] ^ section(&y, 1) ^ section(&y, 2) ^ section(&y, 3) ^ y[3];
    next ^= next << 16;
    next ^= next << 32;
    y[4] = next ^ (y[3] >> 48).wrapping_mul(0x0001_0001_0001_0001);
    let mut x = [0; 4];
    macro_rules! sum {
        ($i:literal) => {
            repeat16!(J => if const { power(N + 4 * $i) >> J & 1 == 1 } {
                x[$i] ^= section(&y, J);
            });
        };
    }
    sum!(0);
    sum!(1);
    sum!(2);
    sum!(3);
    x
}

/// Words n to n + 3 of the sequence.
#[inline(always)]
fn section(y: &[u64; 5], n: usize) -> u64 {
    match n % 4 {
        0 => y[n / 4],
        r => y[n / 4] >> (16 * r) | y[n / 4 + 1] << (64 - 16 * r),
    }
}

/// Which of y\[0\] to y\[15\] make y\[n\]: x^n modulo ψ's polynomial.
const fn power(n: usize) -> u16 {
    let mut x: u16 = 1;
    let mut i = 0;
    while i < n {
        x = x << 1 ^ if x >> 15 == 1 { 0b1001_0000_0000_1111 } else { 0 };
        i += 1;
    }
    x
}

/// For each byte of n1 + K: two S-boxes, and the rotation by eleven.
type Tables = [[u32; 256]; 4];

const fn tables(s: &[[u8; 16]; 8]) -> Tables {
    let mut all = [[0; 256]; 4];
    let mut i = 0;
    while i < 4 {
        let mut byte = 0;
        while byte < 256 {
            let x = s[2 * i + 1][byte >> 4] << 4 | s[2 * i][byte & 15];
            all[i][byte] = (x as u32).rotate_left(8 * i as u32 + 11);
            byte += 1;
        }
        i += 1;
    }
    all
}

/// id-GostR3411-94-TestParamSet: RFC 4357, 11.2; S1, for the lowest four bits, first.
const TEST_SET: [[u8; 16]; 8] = [
    [4, 10, 9, 2, 13, 8, 0, 14, 6, 11, 1, 12, 7, 15, 5, 3],
    [14, 11, 4, 12, 6, 13, 15, 10, 2, 3, 8, 1, 0, 7, 5, 9],
    [5, 8, 1, 13, 10, 3, 4, 2, 14, 15, 12, 7, 6, 0, 9, 11],
    [7, 13, 10, 1, 0, 8, 9, 15, 14, 4, 6, 12, 11, 2, 5, 3],
    [6, 12, 7, 1, 5, 15, 13, 8, 4, 10, 9, 14, 0, 3, 11, 2],
    [4, 11, 10, 0, 7, 2, 1, 13, 3, 6, 8, 5, 9, 12, 15, 14],
    [13, 11, 4, 1, 3, 15, 5, 9, 0, 10, 14, 7, 6, 8, 2, 12],
    [1, 15, 13, 0, 5, 7, 10, 4, 9, 2, 3, 14, 6, 11, 8, 12],
];

/// id-GostR3411-94-CryptoProParamSet: RFC 4357, 11.2.
const CRYPTOPRO_SET: [[u8; 16]; 8] = [
    [10, 4, 5, 6, 8, 1, 3, 7, 13, 12, 14, 0, 9, 2, 11, 15],
    [5, 15, 4, 0, 2, 13, 11, 9, 1, 7, 6, 3, 12, 14, 10, 8],
    [7, 15, 12, 14, 9, 4, 1, 0, 3, 11, 5, 2, 6, 10, 8, 13],
    [4, 10, 7, 12, 0, 15, 2, 8, 14, 1, 6, 5, 13, 11, 9, 3],
    [7, 6, 4, 11, 9, 12, 2, 10, 1, 8, 0, 14, 15, 13, 3, 5],
    [7, 6, 2, 4, 13, 9, 15, 0, 10, 1, 5, 11, 8, 14, 12, 3],
    [13, 14, 4, 1, 7, 0, 5, 10, 3, 12, 8, 15, 6, 2, 9, 11],
    [1, 3, 10, 9, 5, 11, 4, 15, 8, 6, 7, 14, 13, 0, 2, 12],
];

static TEST: Tables = tables(&TEST_SET);
static CRYPTOPRO: Tables = tables(&CRYPTOPRO_SET);
#[cfg(target_arch = "x86_64")]
static TEST_BOXES: x86::Boxes = x86::boxes(&TEST_SET);
#[cfg(target_arch = "x86_64")]
static CRYPTOPRO_BOXES: x86::Boxes = x86::boxes(&CRYPTOPRO_SET);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Algorithm;

    /// RFC 5831, 7.3 (its numbers with the lowest byte first): the sum of bytes and the test set.
    #[test]
    fn rfc_5831() {
        let d = |m: &[u8]| "gost94".parse::<Algorithm>().expect("known").digest(m).to_string();
        assert_eq!(
            d(b"This is message, length=32 bytes"),
            "b1c466d37519b82e8319819ff32595e047a28cb6f83eff1c6916a815a637fffa"
        );
        assert_eq!(
            d(b"Suppose the original message has length = 50 bytes"),
            "471aba57a60a770d3a76130635c1fbea4ef14de51f78b4ae57dd893b62f55208"
        );
    }

    /// ψ's definition, word by word.
    #[test]
    fn powers_of_psi() {
        fn psi_1(y: [u64; 4]) -> [u64; 4] {
            let word = |i: usize| y[(i - 1) / 4] >> (16 * ((i - 1) % 4)) & 0xffff;
            let top = word(1) ^ word(2) ^ word(3) ^ word(4) ^ word(13) ^ word(16);
            [y[0] >> 16 | y[1] << 48, y[1] >> 16 | y[2] << 48, y[2] >> 16 | y[3] << 48, y[3] >> 16 | top << 48]
        }
        let y = [0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210, 0x0f1e_2d3c_4b5a_6978, 0x8877_6655_4433_2211];
        let mut x = y;
        for n in 1..=61 {
            x = psi_1(x);
            match n {
                1 => assert_eq!(x, psi::<1>(y)),
                12 => assert_eq!(x, psi::<12>(y)),
                61 => assert_eq!(x, psi::<61>(y)),
                _ => {}
            }
        }
    }
}
