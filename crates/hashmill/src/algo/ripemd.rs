//! RIPEMD-128, RIPEMD-160, RIPEMD-256, RIPEMD-320 — H. Dobbertin, A. Bosselaers, B. Preneel (1996); -128 and -160 also
//! in ISO/IEC 10118-3. digest 128, 160, 256 or 320 bit · block 64 bytes · little-endian · status: weak (short digests,
//! or long ones that promise no more security than those)
//!
//! ## Algorithm
//!
//! ```text
//! two lines (a, b, c, d, e) and (a', b', c', d', e'), both starting at H; n = 5 rounds of sixteen steps in each:
//!     t := ((a + f(b,c,d) + X[r(i)] + K) <<< s(i)) + e
//!     (a, b, c, d, e) := (e, t, b, c <<< 10, d)
//! the left line takes f1 … f5 in turn, the right line f5 … f1
//! H := (H1 + c + d', H2 + d + e', H3 + e + a', H4 + a + b', H0 + b + c')
//! ```
//!
//! RIPEMD-128 has no e, no `<<< 10` and n = 4. RIPEMD-256 and -320 are RIPEMD-128 and -160 with a chaining value for
//! each line, to which the line is added at the end; instead of being combined there, the lines exchange one word after
//! every round.
//!
//! ## Kernels
//!
//! The two lines are independent of each other, so even one message has two dependency chains.
//!
//! * `avx512x32`, `avx512x16`: sixteen lanes per register, two registers side by side or one: the two chains of one
//!   register leave half of the machine idle (RIPEMD-160: 7.5 against 4.9 GB/s on Zen 5). Two only with `FAST_PAIRS`.
//! * `avx2x8`, `neonx4`: eight and four lanes; two lines of two registers side by side would not fit in AVX2's sixteen.
//! * `simd128x4`: the same in WebAssembly, 2.4 times as fast as `portable` there (node 20, sixteen messages).
//! * `avx512vl`: one message of RIPEMD-128 or -256 in 128-bit registers, where every f is one operation. Three
//!   dependent operations per step make 3 cycles/byte; five operations per step in both lines on three ports make 3.3
//!   (measured: 3.6 on Emerald Rapids). RIPEMD-160 and -320 have seven operations per step, which makes 5.8
//!   cycles/byte: no gain over `portable` (both 6.0).
//! * `portable`: one message. f4 is `(b & d) + (c & !d)`: the two halves have no bit in common, and the second does not
//!   wait for b. That leaves three dependent operations per step in f1, f4 and f5 and four in f2 and f3, and one more
//!   with e: 3.5 cycles/byte, 5.5 with e (measured: 4.1 and 6.0). Sums that are ready early are kept in program order;
//!   otherwise the compiler adds the constants last and runs one whole line after the other (RIPEMD-128 half as fast).
//!   Hiding the constants in memory had the same effect with more instructions (6.2); BMI's andn and rorx gained
//!   nothing (6.4).

use super::{lanes, repeat16};
use crate::base::bits::BitOrder;
use crate::contract::{Blocks, Inputs, Padding, Params, State, Words};
#[cfg(target_arch = "x86_64")]
use crate::simd::X2;
#[cfg(target_arch = "aarch64")]
use crate::simd::aarch64::U32x4;
#[cfg(target_feature = "simd128")]
use crate::simd::wasm32::U32x4;
#[cfg(target_arch = "x86_64")]
use crate::simd::x86::{U32x1, U32x8, U32x16};
use crate::simd::{Feed, Round, Rows, Word32, drive};

/// The kernels of one function with $words words of state and the round function $round.
macro_rules! member {
    ($(#[$doc:meta])* $name:ident, $words:literal, $round:ident, $($one:tt)*) => {
        $(#[$doc])*
        pub(crate) mod $name {
            use super::*;

            lanes! { words: $words, bytes: 4, portable: u32;
                x86_64 {
                    avx512x32(Avx512Pairs X2<U32x16>) from 17;
                    avx512x16(Avx512 U32x16) from 2;
                    avx2x8(Avx2 U32x8) from 3;
                    $($one)*
                }
                aarch64 {
                    neonx4(Neon U32x4) from 3;
                }
                wasm32 {
                    simd128x4(Simd128 U32x4) from 2;
                }
            }

            #[inline(always)]
            fn run<W: Word32>(isa: W::Isa, p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
                drive::<$round, W, $words, 16, false>(isa, p, packed, rows);
            }
        }
    };
}

member! {
    /// RIPEMD-128.
    rmd128, 4, Four, avx512vl(Avx512Rot U32x1) from 1;
}
member! {
    /// RIPEMD-160.
    rmd160, 5, Five,
}
member! {
    /// RIPEMD-256.
    rmd256, 8, Four, avx512vl(Avx512Rot U32x1) from 1;
}
member! {
    /// RIPEMD-320.
    rmd320, 10, Five,
}

/// Padding and output.
pub(crate) static RULE: Ripemd = Ripemd;

pub(crate) struct Ripemd;

impl Blocks for Ripemd {
    fn block(&self, _: &Params) -> usize {
        64
    }

    fn setup(&self) -> usize {
        3
    }

    fn init(&self, p: &Params, _: &Inputs<'_>, s: &mut State) {
        let words = if matches!(p.out_len, 16 | 32) { 4 } else { 5 };
        for i in 0..words {
            s.set_u32(i, LEFT_INITIAL[i]);
            if p.out_len > 20 {
                s.set_u32(words + i, RIGHT_INITIAL[i]);
            }
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

/// Four rounds on four words: RIPEMD-128 and RIPEMD-256.
pub(crate) struct Four;

/// Five rounds on five words: RIPEMD-160 and RIPEMD-320.
pub(crate) struct Five;

/// x + f1 … f5 (numbered from 0 here) of b, c, d.
#[inline(always)]
fn add_f<W: Word32>(f: usize, x: W, b: W, c: W, d: W) -> W {
    match f {
        0 => x.add(b.xor3(c, d)),
        1 => x.add(b.choose(c, d)),
        2 => x.add(d.xor_or_not(b, c)),
        3 => x.add_choose(d, b, c),
        _ => x.add(b.xor_or_not(c, d)),
    }
}

impl Four {
    #[inline(always)]
    fn step<W: Word32>([a, b, c, d]: [W; 4], f: usize, x: W, s: u32) -> [W; 4] {
        [d, add_f(f, a.add(x).in_order(), b, c, d).rotl(s), b, c]
    }
}

impl Five {
    #[inline(always)]
    fn step<W: Word32>([a, b, c, d, e]: [W; 5], f: usize, x: W, s: u32) -> [W; 5] {
        [e, add_f(f, a.add(x).in_order(), b, c, d).rotl(s).add(e), b, c.rotl(10), d]
    }
}

/// The lines of n words, and how they are combined: with one chaining value for both (n words), or one for each (2n).
///
/// The list gives the word that the lines exchange after each round if each has its own chaining value.
macro_rules! rounds {
    ($lines:ident, $n:literal, $twice:literal, $right:ident, last $last:literal,
     $($j:literal exchanges $word:literal),+
    ) => {
        impl $lines {
            #[inline(always)]
            fn lines<W: Word32, const EXCHANGE: bool>(
                isa: W::Isa,
                left: &mut [W; $n],
                right: &mut [W; $n],
                m: &mut Feed<'_, W, 16, false>,
            ) {
                let (mut l, mut r) = (*left, *right);
                $(
                    let k = [W::splat(isa, LEFT[$j]), W::splat(isa, $right[$j])];
                    repeat16!(I => {
                        m.ahead(16 * $j + I, 16 * ($last + 1));
                        let i = WORDS[0][$j][I];
                        let x = if $j == 0 { m.word(i) } else { m.word(i).add(k[0]) };
                        l = $lines::step(l, $j, x, SHIFTS[$j][i]);
                        let i = WORDS[1][$j][I];
                        let x = if $j == $last { m.word(i) } else { m.word(i).add(k[1]) };
                        r = $lines::step(r, $last - $j, x, SHIFTS[$j][i]);
                    });
                    if EXCHANGE {
                        (l[$word], r[$word]) = (r[$word], l[$word]);
                    }
                )+
                (*left, *right) = (l, r);
            }
        }

        impl<W: Word32> Round<W, $n, 16, false> for $lines {
            #[inline(always)]
            fn compress(isa: W::Isa, _: &Params, h: &mut [W; $n], m: &mut Feed<'_, W, 16, false>) {
                let (h0, mut left, mut right) = (*h, *h, *h);
                $lines::lines::<W, false>(isa, &mut left, &mut right, m);
                for i in 0..$n {
                    h[i] = h0[(i + 1) % $n].add(left[(i + 2) % $n]).add(right[(i + 3) % $n]);
                }
            }
        }

        impl<W: Word32> Round<W, $twice, 16, false> for $lines {
            #[inline(always)]
            fn compress(isa: W::Isa, _: &Params, h: &mut [W; $twice], m: &mut Feed<'_, W, 16, false>) {
                let (mut left, mut right) = ([h[0]; $n], [h[0]; $n]);
                for i in 0..$n {
                    left[i] = h[i];
                    right[i] = h[$n + i];
                }
                $lines::lines::<W, true>(isa, &mut left, &mut right, m);
                for i in 0..$n {
                    h[i] = h[i].add(left[i]);
                    h[$n + i] = h[$n + i].add(right[i]);
                }
            }
        }
    };
}

rounds!(Four, 4, 8, RIGHT_FOUR, last 3, 0 exchanges 0, 1 exchanges 1, 2 exchanges 2, 3 exchanges 3);
rounds!(Five, 5, 10, RIGHT_FIVE, last 4, 0 exchanges 1, 1 exchanges 3, 2 exchanges 0, 3 exchanges 2, 4 exchanges 4);

const LEFT_INITIAL: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];

/// Initial value of the right line, if it has its own: that of the left line with the hex digits of each byte swapped.
const RIGHT_INITIAL: [u32; 5] = [0x7654_3210, 0xfedc_ba98, 0x89ab_cdef, 0x0123_4567, 0x3c2d_1e0f];

/// 0 for the first round, then ⌊2^30 · √n⌋ for n = 2, 3, 5, 7.
const LEFT: [u32; 5] = [0, 0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xa953_fd4e];

/// ⌊2^30 · ∛n⌋ for n = 2, 3, 5, 7, then 0 for the last round.
const RIGHT_FIVE: [u32; 5] = [0x50a2_8be6, 0x5c4d_d124, 0x6d70_3ef3, 0x7a6d_76e9, 0];
const RIGHT_FOUR: [u32; 4] = [0x50a2_8be6, 0x5c4d_d124, 0x6d70_3ef3, 0];

/// The message word of each step, by line and round: π⁰ (left) or π (right), with ρ applied once more in every round.
const WORDS: [[[usize; 16]; 5]; 2] = words();

const fn words() -> [[[usize; 16]; 5]; 2] {
    const RHO: [usize; 16] = [7, 4, 13, 1, 10, 6, 15, 3, 12, 0, 9, 5, 2, 14, 11, 8];
    let mut r = [[[0; 16]; 5]; 2];
    let mut i = 0;
    while i < 16 {
        r[0][0][i] = i;
        r[1][0][i] = (9 * i + 5) % 16;
        let mut j = 1;
        while j < 5 {
            r[0][j][i] = RHO[r[0][j - 1][i]];
            r[1][j][i] = RHO[r[1][j - 1][i]];
            j += 1;
        }
        i += 1;
    }
    r
}

/// The rotation count of each message word, by round; the same in both lines.
const SHIFTS: [[u32; 16]; 5] = [
    [11, 14, 15, 12, 5, 8, 7, 9, 11, 13, 14, 15, 6, 7, 9, 8],
    [12, 13, 11, 15, 6, 9, 9, 7, 12, 15, 11, 13, 7, 8, 7, 7],
    [13, 15, 14, 11, 7, 7, 6, 8, 13, 14, 13, 12, 5, 5, 6, 9],
    [14, 11, 12, 14, 8, 6, 5, 5, 15, 12, 15, 14, 9, 9, 8, 6],
    [15, 12, 13, 13, 9, 5, 8, 6, 14, 11, 12, 11, 8, 6, 5, 5],
];

#[cfg(test)]
mod tests {
    fn check(name: &str, message: &[u8], digest: &str) {
        let a: crate::Algorithm = name.parse().expect("known");
        assert_eq!(a.digest(message).to_string(), digest);
    }

    /// The authors' page "The hash function RIPEMD-160" (A. Bosselaers).
    #[test]
    fn authors_examples() {
        check("ripemd128", b"", "cdf26213a150dc3ecb610f18f6b38b46");
        check("ripemd128", b"abc", "c14a12199c66e4ba84636b0f69144c77");
        check("ripemd160", b"", "9c1185a5c5e9fc54612808977ee8f548b2258d31");
        check("ripemd160", b"abc", "8eb208f7e05d987a9b044a8e98c6b087f15a0bfc");
        check("ripemd256", b"", "02ba4c4e5f8ecd1877fc52d64d30e37a2d9774fb1e5d026380ae0168e3c5522d");
        check("ripemd256", b"abc", "afbd6e228b9d8cbbcef5ca2d03e6dba10ac0bc7dcbe4680e1e42d2e975459b65");
        check("ripemd320", b"", "22d65d5661536cdc75c1fdf5c6de7b41b9f27325ebc61e8557177d705a0ec880151c3a32a00899b8");
        check("ripemd320", b"abc", "de4c01b3054f8930a79d09ae738e92301e5a17085beffdc1b8d116713e74f82fa942d64cdbc4682d");
    }
}
