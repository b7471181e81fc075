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
//! The last block is filled up with zeros. It is followed by the length of the message in bits and by Σ, the sum of all
//! blocks of the message mod 2^256, one block each. The words of the state are H and Σ. `p[0]` selects the S-boxes: 0
//! the test set, 1 CryptoPro's.
//!
//! The specification prints numbers with the highest digit first; programs print bytes with the lowest first.
//!
//! ## Kernels
//!
//! * `avx512x32`: the four encryptions of two times sixteen messages, eight chains (`gost94/x86.rs`). A round is eight
//!   instructions: a register holds four S-boxes, and a byte permutation looks up one 4-bit digit of every byte; blocks
//!   are kept rotated back by eleven, so one rotation serves both uses of the S-box output. Between encryptions, H and
//!   M are 16-bit symbols, a register each, so ψ is a sum of registers, and ψ^61 a sum of at most four sums of four.
//!   3.5 to 3.8 GB/s on Zen 5, 4.2 if messages do not lie a power of two apart. A round of eight chains takes 19
//!   cycles: 16 by instruction count, 15 by latency; all rounds take two thirds of the time. Against 3.8 with blocks
//!   read in pairs, reading them one by one (half a cache line) gave 3.6 and prefetching 3.6; transposing the next pair
//!   between the rounds gave 4.0 for long messages but cost short ones a tenth of their speed.
//! * `avx2x32`, `neonx16`: a register holds one byte of H or Σ of each message. P and rotations by eight are renamings;
//!   the tables of digits rotate by the other three. A sum of four bytes takes fourteen instructions, since bytes have
//!   only signed comparisons, and a round 50 in all: 1.5 GB/s with AVX2 on Zen 5. (Words of 32 bits would need a byte
//!   transposition before and after each lookup, or all four S-boxes for each byte.)
//! * `simd128x16`: the same in WebAssembly, 2.9 times as fast as `portable` there (node 20, sixteen messages).
//! * `avx512vbmi`: one message, the four encryptions of a step side by side in a 128-bit register; four S-boxes are the
//!   64 bytes of a register, and a byte permutation looks up one digit of all bytes. A round is eight cycles (sum,
//!   shift, index, permutation 3, rotation, xor); the next keys and ψ are permutations of bytes and 16-bit words that
//!   add about twenty: 8.6 cycles/byte (measured: 9.9 on Emerald Rapids, `portable` 17). Work that does not depend on
//!   the encryption is placed between its rounds; ahead of them it delayed them (10.7). On Zen 5, where sum, shift and
//!   index take two cycles each and the permutation five, it is slower than `portable` (262 against 280 MB/s) and not
//!   chosen.
//! * `portable`: one message. The four encryptions of a step are independent and run side by side: each is a chain of
//!   32 rounds of about eleven cycles, and four take as long as one. Two S-boxes at a time are combined into a table of
//!   256 words, already rotated. ψ is a shift register: its powers are sums of sections of one sequence, and a section
//!   is four 16-bit words in a 64-bit one. (255 MB/s on Zen 5. Unrolled rounds, sums as trees, or ψ^61 and ψ^74 of the
//!   parts that are ready early gained nothing: the encryptions take four fifths of the time.)

use super::{kernels, repeat16};
use crate::contract::{Blocks, Inputs, Kernel, Params, State, Tail};
#[cfg(target_arch = "aarch64")]
use crate::simd::aarch64::{Neon, U8x16};
#[cfg(target_feature = "simd128")]
use crate::simd::wasm32::{Simd128, U8x16};
#[cfg(target_arch = "x86_64")]
use crate::simd::x86::{Avx2, U8x32};
use crate::simd::{Digits, Feed, Round, Rows, Scalar, drive};

#[cfg(target_arch = "x86_64")]
mod x86;

/// The kernels in order of preference.
pub(crate) static KERNELS: &[Kernel] = &[
    #[cfg(target_arch = "x86_64")]
    kernels::kernel("avx512x32", kernels::on!([AVX512 + VBMI]; x86::avx512x32), 32, 6, 16, 4),
    #[cfg(target_arch = "x86_64")]
    kernels::kernel("avx2x32", kernels::on!([AVX2]; avx2x32), 32, 6, 64, 1),
    #[cfg(target_arch = "aarch64")]
    kernels::kernel("neonx16", kernels::on!([NEON]; neonx16), 16, 5, 64, 1),
    #[cfg(target_feature = "simd128")]
    kernels::kernel("simd128x16", kernels::on!([SIMD128]; simd128x16), 16, 6, 64, 1),
    #[cfg(target_arch = "x86_64")]
    kernels::kernel("avx512vbmi", kernels::on!([AVX512 + VBMI + FAST_VROT]; x86::avx512vbmi), 1, 1, 8, 8),
    kernels::kernel("portable", kernels::on!([NONE]; portable), 1, 1, 8, 8),
];

#[cfg(target_arch = "x86_64")]
#[hashmill_isa::isa(AVX2)]
fn avx2x32(p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    run::<U8x32>(Avx2::token(), p, packed, rows);
}

#[cfg(target_arch = "aarch64")]
#[hashmill_isa::isa(NEON)]
fn neonx16(p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    run::<U8x16>(Neon::token(), p, packed, rows);
}

#[cfg(target_feature = "simd128")]
fn simd128x16(p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    run::<U8x16>(Simd128::token(), p, packed, rows);
}

/// Padding, length, sum and output.
pub(crate) static RULE: Gost94 = Gost94;

pub(crate) struct Gost94;

/// The first word of Σ in the state.
const SUM: usize = 4;

impl Blocks for Gost94 {
    fn block(&self, _: &Params) -> usize {
        32
    }

    fn setup(&self) -> usize {
        12
    }

    fn init(&self, _: &Params, _: &Inputs<'_>, s: &mut State) {
        s.0[..64].fill(0);
    }

    /// Writes everything that is left at once. Hashing these blocks adds them to the Σ of the state, too, but it is no
    /// longer needed.
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

    fn tail_len(&self, _: &Params, rest: usize) -> usize {
        if rest == 0 { 64 } else { 96 }
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

/// The key schedule: for each k, word k of the four keys.
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

/// GOST 28147-89 of four blocks side by side, each with its own key.
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

/// ψ^N. With y\[n+16\] = y\[n\] ^ y\[n+1\] ^ y\[n+2\] ^ y\[n+3\] ^ y\[n+12\] ^ y\[n+15\], the result is y\[N\] to
/// y\[N+15\].
#[inline(always)]
fn psi<const N: usize>(y: [u64; 4]) -> [u64; 4] {
    let mut y = [y[0], y[1], y[2], y[3], 0];
    // Words 16 to 19 each contain the word before, so they are prefix sums, with y[15] in all of them.
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

/// The words of y\[0\] to y\[15\] whose sum is y\[n\]: x^n modulo ψ's polynomial.
const fn power(n: usize) -> u16 {
    let mut x: u16 = 1;
    let mut i = 0;
    while i < n {
        x = x << 1 ^ if x >> 15 == 1 { 0b1001_0000_0000_1111 } else { 0 };
        i += 1;
    }
    x
}

/// For each byte of n1 + K: two S-boxes and the rotation by eleven.
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

/// The byte-sliced kernels: a word holds one byte of H or Σ of each message. P is then a renaming, and so is a rotation
/// by eight; the rest of the rotation by eleven is built into the tables.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128"))]
#[inline(always)]
fn run<W: Digits>(isa: W::Isa, p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    drive::<Gost94, W, 64, 32, false>(isa, p, packed, rows);
}

impl<W: Digits> Round<W, 64, 32, false> for Gost94 {
    #[inline(always)]
    fn compress(isa: W::Isa, p: &Params, h: &mut [W; 64], m: &mut Feed<'_, W, 32, false>) {
        let boxes = if p.p[0] == 0 { &TEST_BYTES } else { &CRYPTOPRO_BYTES };
        // Carries are found by comparisons. These are signed, but with the top bits flipped they order unsigned
        // numbers.
        let flip = W::splat(isa, 0x80);
        // Initializes arrays: for zeros the compiler would call a function.
        let any = h[0];

        // The sequences of words that A makes of H and M; the U_j and V_j are sections of them.
        let mut u = [any; 56];
        let mut v = [any; 80];
        // Not a loop, which the compiler would turn into a call, too.
        repeat16!(I => {
            (u[I], u[16 + I]) = (h[I], h[16 + I]);
            (v[I], v[16 + I]) = (m.word(I), m.word(16 + I));
        });
        for i in 32..56 {
            u[i] = u[i - 32].xor(u[i - 24]);
        }
        for i in 32..80 {
            v[i] = v[i - 32].xor(v[i - 24]);
        }
        let mut carry = W::splat(isa, 0);
        for i in 0..32 {
            let x = h[32 + i].xor(flip);
            let y = x.add(v[i]);
            let z = y.sub(carry);
            h[32 + i] = z.xor(flip);
            carry = x.above(y).xor(y.above(z));
        }

        // Byte i of word k of key j.
        let mut keys = [[[any; 4]; 4]; 8];
        for k in 0..8 {
            for j in 0..4 {
                for i in 0..4 {
                    let x = u[8 * (j + i) + k].xor(v[8 * (2 * j + i) + k]);
                    keys[k][j][i] = if j < 2 { x } else { x.xor(W::splat(isa, C3_BYTES[8 * (i + j - 2) + k])) };
                }
            }
        }
        let (mut n1, mut n2) = ([[any; 4]; 4], [[any; 4]; 4]);
        for j in 0..4 {
            for i in 0..4 {
                n1[j][i] = h[8 * j + i].xor(flip);
                n2[j][i] = h[8 * j + 4 + i].xor(flip);
            }
        }
        for _ in 0..3 {
            for k in 0..4 {
                side_by_side(isa, boxes, &n1, &mut n2, &keys[2 * k]);
                side_by_side(isa, boxes, &n2, &mut n1, &keys[2 * k + 1]);
            }
        }
        for k in 0..4 {
            side_by_side(isa, boxes, &n1, &mut n2, &keys[7 - 2 * k]);
            side_by_side(isa, boxes, &n2, &mut n1, &keys[6 - 2 * k]);
        }
        m.ahead(0, 1);

        // ψ on the low and on the high bytes of its 16-bit words: ψ^12 and ψ step by step, ψ^61 at once.
        for half in 0..2 {
            let mut s = [any; 29];
            for j in 0..4 {
                for i in 0..2 {
                    s[4 * j + i] = n2[j][2 * i + half].xor(flip);
                    s[4 * j + 2 + i] = n1[j][2 * i + half].xor(flip);
                }
            }
            for i in 0..13 {
                if i == 12 {
                    for n in 0..16 {
                        s[12 + n] = s[12 + n].xor(v[2 * n + half]);
                    }
                }
                s[16 + i] = s[i].xor(s[i + 1]).xor(s[i + 2].xor(s[i + 3])).xor(s[i + 12]).xor(s[i + 15]);
            }
            let mut y = [any; 16];
            for i in 0..16 {
                y[i] = s[13 + i].xor(h[2 * i + half]);
            }
            repeat16!(I => {
                let mut sum = W::splat(isa, 0);
                repeat16!(J => if const { power(61 + I) >> J & 1 == 1 } {
                    sum = sum.xor(y[J]);
                });
                h[2 * I + half] = sum;
            });
        }
    }
}

/// One round of all four encryptions.
#[inline(always)]
fn side_by_side<W: Digits>(
    isa: W::Isa,
    boxes: &'static Bytes,
    n1: &[[W; 4]; 4],
    n2: &mut [[W; 4]; 4],
    key: &[[W; 4]; 4],
) {
    for j in 0..4 {
        let (n, k) = (&n1[j], &key[j]);
        // The sum with its carries.
        let x0 = n[0].add(k[0]);
        let c0 = n[0].above(x0);
        let y1 = n[1].add(k[1]);
        let c1 = n[1].above(y1);
        let x1 = y1.sub(c0);
        let d1 = y1.above(x1);
        let y2 = n[2].add(k[2]);
        let c2 = n[2].above(y2);
        let x2 = y2.sub(c1).sub(d1);
        let d2 = y2.above(x2);
        let x3 = n[3].add(k[3]).sub(c2).sub(d2);
        let x = [x0, x1, x2, x3];
        for i in 0..4 {
            let (low, high) = (x[i].low(), x[i].high());
            let [b0, b1, b2] = &boxes[i];
            let one = low.digit(W::digits(isa, b0)).xor(high.digit(W::digits(isa, b1)));
            n2[j][(i + 1) % 4] = n2[j][(i + 1) % 4].xor(one);
            n2[j][(i + 2) % 4] = n2[j][(i + 2) % 4].xor(high.digit(W::digits(isa, b2)));
        }
    }
}

/// For each byte of n1 + K, with its top bit flipped: after the rotation by eleven, the contribution of its low digit
/// to the byte above, that of its high digit to the same byte, and that of its high digit to the next one.
type Bytes = [[[u8; 16]; 3]; 4];

const fn bytes(s: &[[u8; 16]; 8]) -> Bytes {
    let mut all = [[[0; 16]; 3]; 4];
    let mut i = 0;
    while i < 4 {
        let mut x = 0;
        while x < 16 {
            let high = s[2 * i + 1][x ^ 8];
            all[i][0][x] = s[2 * i][x] << 3;
            all[i][1][x] = high << 7;
            all[i][2][x] = high >> 1;
            x += 1;
        }
        i += 1;
    }
    all
}

/// C\[3\] and the word that A appends to it.
const C3_BYTES: [u8; 40] = {
    let c = [C3[0], C3[1], C3[2], C3[3], C3[0] ^ C3[1]];
    let mut all = [0; 40];
    let mut i = 0;
    while i < 40 {
        all[i] = c[i / 8].to_le_bytes()[i % 8];
        i += 1;
    }
    all
};

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
static TEST_BYTES: Bytes = bytes(&TEST_SET);
static CRYPTOPRO_BYTES: Bytes = bytes(&CRYPTOPRO_SET);
#[cfg(target_arch = "x86_64")]
static TEST_BOXES: x86::Boxes = x86::boxes(&TEST_SET);
#[cfg(target_arch = "x86_64")]
static CRYPTOPRO_BOXES: x86::Boxes = x86::boxes(&CRYPTOPRO_SET);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Algorithm;

    /// Examples of RFC 5831, 7.3 (with the lowest byte first): the sum of bytes and the test set.
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

    /// Sums that carry through all digits, in runs long enough that kernels must propagate carries in between.
    #[test]
    fn long_sums() {
        let ones = vec![0xff; (1 << 20) + 96];
        for name in ["gost94", "gost94-crypto"] {
            let a = name.parse::<Algorithm>().expect("known");
            let messages = [&ones[..], &ones[1..], &ones[..1 << 20], &ones[..65], &ones[7..], &ones[..]];
            let portable = a.with_kernel("portable").expect("everywhere");
            for k in a.kernels().into_iter().filter(|k| k.available) {
                let digests = a.with_kernel(k.name).expect("listed").digest_many(&messages);
                for (i, m) in messages.iter().enumerate() {
                    assert_eq!(&digests[i], portable.digest(m).as_bytes(), "{name}, {}, {i}", k.name);
                }
            }
        }
    }

    /// The definition of ψ, word by word.
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
