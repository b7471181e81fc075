//! SHA-512 of one message: rounds on plain words, the message schedule in vectors beside them.
//!
//! The rounds' chain of additions leaves the processor idle, where every round makes a part of the schedule: of the
//! same block, two words at a time, which costs no preparation; or, in long messages, of the next four or eight blocks,
//! one a lane, which takes a half (with AVX2) or a quarter (with AVX-512) of the instructions, but fills a table first.
//!
//! The rounds are written out in assembly, as no order that compilers chose came near: of e's three rotations only two
//! can begin at once, and whatever stands in their way lengthens every round. The order below was found by measuring
//! some thousands of orders on an Emerald Rapids core; where the second half of a round begins matters too.

#![allow(unsafe_code, reason = "assembly, and loads of blocks into vector registers")]

use super::{K, small0, small1};
use crate::contract::Params;
use crate::simd::x86::{Avx2, Avx512, U64x4, U64x8};
use crate::simd::{Rows, Word, Word64};
use core::arch::asm;
use core::arch::x86_64::*;
use core::mem::MaybeUninit;

/// What the rounds read and the schedule writes: eighty rows of one word for each lane. The sums K[t] + W[t] of these
/// blocks and of the next ones take turns, on both sides of W[t].
#[repr(C, align(64))]
struct Table<W> {
    odd: [MaybeUninit<W>; 80],
    w: [MaybeUninit<W>; 80],
    even: [MaybeUninit<W>; 80],
    k: [MaybeUninit<W>; 80],
}

impl<W: Word64> Table<W> {
    /// Words 0 to 15 of the blocks, and their sums.
    ///
    /// # Safety
    /// The blocks are valid for 128 bytes; `k` was written.
    #[inline(always)]
    unsafe fn load(&mut self, isa: W::Isa, blocks: &[*const u8; 8], even: bool) {
        let sums: *mut W = if even { &raw mut self.even } else { &raw mut self.odd }.cast();
        let (w, k): (*mut W, *const W) = ((&raw mut self.w).cast(), (&raw const self.k).cast());
        for t in 0..8 {
            // SAFETY: 16 bytes within each block; words 2t and 2t + 1 of eighty.
            unsafe {
                W::column::<true>(isa, blocks.as_ptr(), 16 * t, w.add(2 * t));
                *sums.add(2 * t) = (*w.add(2 * t)).add(*k.add(2 * t));
                *sums.add(2 * t + 1) = (*w.add(2 * t + 1)).add(*k.add(2 * t + 1));
            }
        }
    }

    /// Words 16 to 79 and their sums, for the first blocks, during which there are no rounds to run.
    ///
    /// # Safety
    /// `k` and words 0 to 15 were written.
    #[inline(always)]
    unsafe fn extend(&mut self) {
        let (w, k, sums): (*mut W, *const W, *mut W) =
            ((&raw mut self.w).cast(), (&raw const self.k).cast(), (&raw mut self.even).cast());
        for t in 16..80 {
            // SAFETY: words of eighty, those before t written.
            unsafe {
                let x = small1(*w.add(t - 2)).add((*w.add(t - 7)).add(*w.add(t - 16)).add(small0(*w.add(t - 15))));
                *w.add(t) = x;
                *sums.add(t) = x.add(*k.add(t));
            }
        }
    }
}

/// The text of one round. `$x` is b ^ c and becomes Maj(a, b, c) = ((a ^ b) & (b ^ c)) ^ b; `$y` becomes a ^ b, the
/// next round's b ^ c. Σ1 and all that e waits for comes first; d and h take the sum apart from each other, so that e
/// need not wait for h. `$v` and `$u` are of the schedule. The sum's address has its long form everywhere, so that all
/// rounds are equally long.
#[rustfmt::skip]
macro_rules! round {
    ($t:expr, $v:expr, $u:expr, $a:literal $b:literal $c:literal $d:literal $e:literal $f:tt $g:literal $h:literal
     $x:literal $y:literal) => {
        concat!(
            $v,
            "rorx {t0}, ", $e, ", 18\n",
            "{{disp32}} add ", $h, ", [{p} + {row}*", $t, "]\n",
            "rorx {t1}, ", $e, ", 41\n",
            "mov {t2}, ", $f, "\n",
            "xor {t2}, ", $g, "\n",
            "and {t2}, ", $e, "\n",
            "xor {t2}, ", $g, "\n",
            "xor {t1}, {t0}\n",
            "add ", $h, ", {t2}\n",
            "add ", $d, ", ", $h, "\n",
            "rorx {t0}, ", $e, ", 14\n",
            "xor {t1}, {t0}\n",
            "add ", $d, ", {t1}\n",
            ".p2align 5\n",
            $u,
            "rorx {t2}, ", $a, ", 39\n",
            "rorx {t0}, ", $a, ", 34\n",
            "mov ", $y, ", ", $a, "\n",
            "xor ", $y, ", ", $b, "\n",
            "and ", $x, ", ", $y, "\n",
            "add ", $h, ", {t1}\n",
            "xor ", $x, ", ", $b, "\n",
            "rorx {t1}, ", $a, ", 28\n",
            "xor {t2}, {t0}\n",
            "xor {t2}, {t1}\n",
            "add ", $h, ", ", $x, "\n",
            "add ", $h, ", {t2}\n",
        )
    };
}

/// Ten rounds from `$t` on, and a part of the schedule in each half round.
macro_rules! ten {
    ($step:ident, $t:literal, $a:literal $b:literal $c:literal $d:literal $e:literal $f:tt $g:literal $h:literal) => {
        concat!(
            round!(concat!("(", $t, "+0)"), $step!(0), $step!(1), $a $b $c $d $e $f $g $h "{x}" "{y}"),
            round!(concat!("(", $t, "+1)"), $step!(2), $step!(3), $h $a $b $c $d $e $f $g "{y}" "{x}"),
            round!(concat!("(", $t, "+2)"), $step!(4), $step!(5), $g $h $a $b $c $d $e $f "{x}" "{y}"),
            round!(concat!("(", $t, "+3)"), $step!(6), $step!(7), $f $g $h $a $b $c $d $e "{y}" "{x}"),
            round!(concat!("(", $t, "+4)"), $step!(8), $step!(9), $e $f $g $h $a $b $c $d "{x}" "{y}"),
            round!(concat!("(", $t, "+5)"), $step!(10), $step!(11), $d $e $f $g $h $a $b $c "{y}" "{x}"),
            round!(concat!("(", $t, "+6)"), $step!(12), $step!(13), $c $d $e $f $g $h $a $b "{x}" "{y}"),
            round!(concat!("(", $t, "+7)"), $step!(14), $step!(15), $b $c $d $e $f $g $h $a "{y}" "{x}"),
            round!(concat!("(", $t, "+8)"), $step!(16), $step!(17), $a $b $c $d $e $f $g $h "{x}" "{y}"),
            round!(concat!("(", $t, "+9)"), $step!(18), $step!(19), $h $a $b $c $d $e $f $g "{y}" "{x}"),
        )
    };
}

/// Forty rounds: after so many both the names of the words and the schedule begin anew.
macro_rules! forty {
    ($step:ident) => {
        concat!(
            ten!($step, 0, "{a}" "{b}" "{c}" "{d}" "{e}" "{f}" "{g}" "{h}"),
            ten!($step, 10, "{g}" "{h}" "{a}" "{b}" "{c}" "{d}" "{e}" "{f}"),
            ten!($step, 20, "{e}" "{f}" "{g}" "{h}" "{a}" "{b}" "{c}" "{d}"),
            ten!($step, 30, "{c}" "{d}" "{e}" "{f}" "{g}" "{h}" "{a}" "{b}"),
        )
    };
}

/// No schedule: nobody waits for it.
macro_rules! nothing {
    ($i:literal) => {
        ""
    };
}

/// W[t] = σ1(W[t-2]) + W[t-7] + σ0(W[t-15]) + W[t-16] of eight blocks, in ten rounds.
#[rustfmt::skip]
macro_rules! avx512_step {
    (0) => { "vprorq zmm0, [rbp - 15*{row}], 1\n" };
    (1) => { "vprorq zmm1, [rbp - 15*{row}], 8\n" };
    (2) => { "vpsrlq zmm2, [rbp - 15*{row}], 7\n" };
    (4) => { "vprorq zmm3, [rbp - 2*{row}], 19\n" };
    (5) => { "vprorq zmm4, [rbp - 2*{row}], 61\n" };
    (6) => { "vpsrlq zmm5, [rbp - 2*{row}], 6\n" };
    (8) => { "vpternlogq zmm0, zmm1, zmm2, 0x96\n" };
    (9) => { "vpaddq zmm0, zmm0, [rbp - 16*{row}]\n" };
    (10) => { "vpternlogq zmm3, zmm4, zmm5, 0x96\n" };
    (12) => { "vpaddq zmm0, zmm0, [rbp - 7*{row}]\n" };
    (13) => { "vpaddq zmm0, zmm0, zmm3\n" };
    (14) => { "vmovdqa64 [rbp], zmm0\n" };
    (16) => { "vpaddq zmm0, zmm0, [rbp + 160*{row}]\n" };
    (17) => { "vmovdqa64 [rbp + {sums}], zmm0\n" };
    (18) => { "add rbp, {row}\n" };
    ($i:literal) => { "" };
}

/// The same of four blocks, without rotations, in five rounds.
#[rustfmt::skip]
macro_rules! avx2_step {
    (0) => { "vmovdqa ymm0, [rbp - 15*{row}]\nvpsrlq ymm1, ymm0, 1\nvpsllq ymm2, ymm0, 63\n" };
    (1) => { "vpshufb ymm3, ymm0, {by8}\nvpsrlq ymm0, ymm0, 7\n" };
    (2) => { "vpxor ymm1, ymm1, ymm2\nvmovdqa ymm4, [rbp - 2*{row}]\nvpxor ymm3, ymm3, ymm0\n" };
    (3) => { "vpsrlq ymm5, ymm4, 19\nvpsllq ymm6, ymm4, 45\n" };
    (4) => { "vpsrlq ymm7, ymm4, 61\nvpsllq ymm0, ymm4, 3\nvpxor ymm1, ymm1, ymm3\n" };
    (5) => { "vpsrlq ymm4, ymm4, 6\nvpxor ymm5, ymm5, ymm6\n" };
    (6) => { "vpxor ymm7, ymm7, ymm0\nvpaddq ymm1, ymm1, [rbp - 16*{row}]\nvpxor ymm5, ymm5, ymm4\n" };
    (7) => { "vpxor ymm5, ymm5, ymm7\nvpaddq ymm1, ymm1, [rbp - 7*{row}]\n" };
    (8) => { "vpaddq ymm1, ymm1, ymm5\nvmovdqa [rbp], ymm1\nvpaddq ymm1, ymm1, [rbp + 160*{row}]\n" };
    (9) => { "vmovdqa [rbp + {sums}], ymm1\nadd rbp, {row}\n" };
    (10) => { avx2_step!(0) };
    (11) => { avx2_step!(1) };
    (12) => { avx2_step!(2) };
    (13) => { avx2_step!(3) };
    (14) => { avx2_step!(4) };
    (15) => { avx2_step!(5) };
    (16) => { avx2_step!(6) };
    (17) => { avx2_step!(7) };
    (18) => { avx2_step!(8) };
    (19) => { avx2_step!(9) };
}

/// Sixteen rounds, whose sums lie side by side, and `$step` on the pair of words that every two rounds need sixteen
/// rounds later.
macro_rules! sixteen {
    ($pair:ident, $step:ident) => {
        concat!(
            $pair!($step, 0, "0" "1" "4" "5" "7", "{a}" "{b}" "{c}" "{d}" "{e}" "{f}" "{g}" "{h}"),
            $pair!($step, 2, "1" "2" "5" "6" "0", "{g}" "{h}" "{a}" "{b}" "{c}" "{d}" "{e}" "{f}"),
            $pair!($step, 4, "2" "3" "6" "7" "1", "{e}" "{f}" "{g}" "{h}" "{a}" "{b}" "{c}" "{d}"),
            $pair!($step, 6, "3" "4" "7" "0" "2", "{c}" "{d}" "{e}" "{f}" "{g}" "{h}" "{a}" "{b}"),
            $pair!($step, 8, "4" "5" "0" "1" "3", "{a}" "{b}" "{c}" "{d}" "{e}" "{f}" "{g}" "{h}"),
            $pair!($step, 10, "5" "6" "1" "2" "4", "{g}" "{h}" "{a}" "{b}" "{c}" "{d}" "{e}" "{f}"),
            $pair!($step, 12, "6" "7" "2" "3" "5", "{e}" "{f}" "{g}" "{h}" "{a}" "{b}" "{c}" "{d}"),
            $pair!($step, 14, "7" "0" "3" "4" "6", "{c}" "{d}" "{e}" "{f}" "{g}" "{h}" "{a}" "{b}"),
        )
    };
}

/// Two of the sixteen rounds: W[t-16], W[t-14], W[t-8], W[t-6] and W[t-2] with the words after them are in these
/// registers.
macro_rules! pairs {
    ($step:ident, $t:literal, $w16:literal $w14:literal $w8:literal $w6:literal $w2:literal,
     $a:literal $b:literal $c:literal $d:literal $e:literal $f:tt $g:literal $h:literal) => {
        concat!(
            round!(concat!("(", $t, "+0)"), $step!(0, $t, $w16 $w14 $w8 $w6 $w2), $step!(1, $t, $w16 $w14 $w8 $w6 $w2),
                $a $b $c $d $e $f $g $h "{x}" "{y}"),
            round!(concat!("(", $t, "+1)"), $step!(2, $t, $w16 $w14 $w8 $w6 $w2), $step!(3, $t, $w16 $w14 $w8 $w6 $w2),
                $h $a $b $c $d $e $f $g "{y}" "{x}"),
        )
    };
}

/// The last rounds need no more words: the first ones of the next block.
macro_rules! next_pair {
    (0, $t:literal, $w16:literal $($more:literal)*) => {
        concat!("vmovdqu xmm", $w16, ", [rbp + 8*", $t, "]\n")
    };
    (1, $t:literal, $w16:literal $($more:literal)*) => {
        concat!("vpshufb xmm", $w16, ", xmm", $w16, ", [rip + {swap}]\n")
    };
    (2, $t:literal, $w16:literal $($more:literal)*) => {
        concat!("vpaddq xmm8, xmm", $w16, ", [rip + {first} + 8*", $t, "]\n")
    };
    (3, $t:literal, $w16:literal $($more:literal)*) => {
        concat!("vmovdqu [{p} - 512 + 8*", $t, "], xmm8\n")
    };
}

/// Two words of one block: fifteen instructions, one by one.
#[rustfmt::skip]
macro_rules! woven_step {
    (0, $t:literal, $w16:literal $w14:literal $w8:literal $w6:literal $w2:literal) => {
        concat!("vpalignr xmm8, xmm", $w14, ", xmm", $w16, ", 8\n")
    };
    (1, $t:literal, $w16:literal $w14:literal $w8:literal $w6:literal $w2:literal) => {
        concat!("vprorq xmm9, xmm", $w2, ", 19\n")
    };
    (2, $t:literal, $w16:literal $w14:literal $w8:literal $w6:literal $w2:literal) => {
        concat!("vprorq xmm10, xmm", $w2, ", 61\n")
    };
    (3, $t:literal, $w16:literal $w14:literal $w8:literal $w6:literal $w2:literal) => {
        concat!("vpalignr xmm11, xmm", $w6, ", xmm", $w8, ", 8\n")
    };
    (4, $t:literal, $w16:literal $w14:literal $w8:literal $w6:literal $w2:literal) => {
        concat!("vpsrlq xmm12, xmm", $w2, ", 6\n")
    };
    (5, $t:literal, $w16:literal $($more:literal)*) => { "vprorq xmm13, xmm8, 1\n" };
    (6, $t:literal, $w16:literal $($more:literal)*) => { concat!("vpaddq xmm", $w16, ", xmm", $w16, ", xmm11\n") };
    (7, $t:literal, $w16:literal $($more:literal)*) => { "vpternlogq xmm9, xmm10, xmm12, 0x96\n" };
    (8, $t:literal, $w16:literal $($more:literal)*) => { "vprorq xmm14, xmm8, 8\n" };
    (9, $t:literal, $w16:literal $($more:literal)*) => { "vpsrlq xmm8, xmm8, 7\n" };
    (10, $t:literal, $w16:literal $($more:literal)*) => { concat!("vpaddq xmm", $w16, ", xmm", $w16, ", xmm9\n") };
    (11, $t:literal, $w16:literal $($more:literal)*) => { "vpternlogq xmm8, xmm13, xmm14, 0x96\n" };
    (12, $t:literal, $w16:literal $($more:literal)*) => { concat!("vpaddq xmm", $w16, ", xmm", $w16, ", xmm8\n") };
    (13, $t:literal, $w16:literal $($more:literal)*) => { concat!("vpaddq xmm9, xmm", $w16, ", [rbp + 8*", $t, "]\n") };
    (14, $t:literal, $($more:literal)*) => { concat!("vmovdqu [{p} + 128 + 8*", $t, "], xmm9\n") };
}

/// The same, some in each half round.
#[rustfmt::skip]
macro_rules! avx512_pair {
    (0, $t:literal, $($w:literal)*) => { avx512_pair!(@ $t, [$($w)*], 0 1 2 3) };
    (1, $t:literal, $($w:literal)*) => { avx512_pair!(@ $t, [$($w)*], 4 5 6 7) };
    (2, $t:literal, $($w:literal)*) => { avx512_pair!(@ $t, [$($w)*], 8 9 10 11) };
    (3, $t:literal, $($w:literal)*) => { avx512_pair!(@ $t, [$($w)*], 12 13 14) };
    (@ $t:literal, $w:tt, $($i:tt)*) => { concat!($(avx512_pair!(@@ $i, $t, $w)),*) };
    (@@ $i:tt, $t:literal, [$($w:literal)*]) => { woven_step!($i, $t, $($w)*) };
}

/// The same without rotations.
#[rustfmt::skip]
macro_rules! avx2_pair {
    (0, $t:literal, $w16:literal $w14:literal $w8:literal $w6:literal $w2:literal) => {
        concat!(
            "vpalignr xmm8, xmm", $w14, ", xmm", $w16, ", 8\n",
            "vpsrlq xmm9, xmm", $w2, ", 19\nvpsllq xmm10, xmm", $w2, ", 45\n",
            "vpsrlq xmm12, xmm", $w2, ", 61\nvpsllq xmm13, xmm", $w2, ", 3\n",
            "vpalignr xmm11, xmm", $w6, ", xmm", $w8, ", 8\n",
        )
    };
    (1, $t:literal, $w16:literal $w14:literal $w8:literal $w6:literal $w2:literal) => {
        concat!(
            "vpsrlq xmm14, xmm", $w2, ", 6\n",
            "vpxor xmm9, xmm9, xmm10\nvpxor xmm12, xmm12, xmm13\n",
            "vpaddq xmm", $w16, ", xmm", $w16, ", xmm11\n",
            "vpsrlq xmm10, xmm8, 1\nvpsllq xmm11, xmm8, 63\n",
        )
    };
    (2, $t:literal, $w16:literal $w14:literal $w8:literal $w6:literal $w2:literal) => {
        concat!(
            "vpxor xmm9, xmm9, xmm14\nvpxor xmm10, xmm10, xmm11\n",
            "vpsrlq xmm13, xmm8, 8\nvpsllq xmm14, xmm8, 56\nvpsrlq xmm8, xmm8, 7\n",
            "vpxor xmm9, xmm9, xmm12\nvpxor xmm13, xmm13, xmm14\n",
        )
    };
    (3, $t:literal, $w16:literal $w14:literal $w8:literal $w6:literal $w2:literal) => {
        concat!(
            "vpxor xmm8, xmm8, xmm10\nvpaddq xmm", $w16, ", xmm", $w16, ", xmm9\nvpxor xmm8, xmm8, xmm13\n",
            "vpaddq xmm", $w16, ", xmm", $w16, ", xmm8\n",
            "vpaddq xmm9, xmm", $w16, ", [rbp + 8*", $t, "]\n",
            "vmovdqu [{p} + 128 + 8*", $t, "], xmm9\n",
        )
    };
}

/// Two rounds and the words of the schedule that they need sixteen rounds later, for cores whose chain of additions is
/// not what limits: here e waits for four operations instead of five (d takes h before Ch is known), and a for four
/// (Maj(a, b, c) is (b & c) + (a & (b ^ c))), at the price of two more in each round. The order was found by a search
/// on Zen 5 (`xtask search-order sha512-woven`), where it runs at 7 of the 8 operations a cycle that such a core can
/// begin.
#[rustfmt::skip]
macro_rules! woven_pair {
    ($step:ident, $t:literal, $w16:literal $w14:literal $w8:literal $w6:literal $w2:literal,
     $a:literal $b:literal $c:literal $d:literal $e:literal $f:tt $g:literal $h:literal) => {
        concat!(
            $step!(1, $t, $w16 $w14 $w8 $w6 $w2),
            "add ", $h, ", [{p} + {row}*", $t, "]\n",
            "mov {t2}, ", $f, "\n",
            "xor {t2}, ", $g, "\n",
            "rorx {t1}, ", $e, ", 41\n",
            "and {t2}, ", $e, "\n",
            "xor {t2}, ", $g, "\n",
            $step!(3, $t, $w16 $w14 $w8 $w6 $w2),
            $step!(2, $t, $w16 $w14 $w8 $w6 $w2),
            $step!(0, $t, $w16 $w14 $w8 $w6 $w2),
            "rorx {t0}, ", $e, ", 18\n",
            "xor {t1}, {t0}\n",
            "rorx {t0}, ", $e, ", 14\n",
            "xor {t1}, {t0}\n",
            $step!(4, $t, $w16 $w14 $w8 $w6 $w2),
            $step!(7, $t, $w16 $w14 $w8 $w6 $w2),
            "add ", $d, ", ", $h, "\n",
            "add ", $h, ", {t2}\n",
            "add ", $d, ", {t2}\n",
            "add ", $d, ", {t1}\n",
            "mov {y}, ", $a, "\n",
            $step!(6, $t, $w16 $w14 $w8 $w6 $w2),
            "mov {t2}, ", $b, "\n",
            "rorx {t0}, ", $a, ", 34\n",
            "add ", $h, ", {t1}\n",
            "and {t2}, ", $c, "\n",
            "add ", $h, ", {t2}\n",
            "rorx {t2}, ", $a, ", 39\n",
            "rorx {t1}, ", $a, ", 28\n",
            "xor {t2}, {t0}\n",
            "and {x}, ", $a, "\n",
            "rorx {t0}, ", $d, ", 18\n",
            $step!(5, $t, $w16 $w14 $w8 $w6 $w2),
            "add ", $h, ", {x}\n",
            "xor {t2}, {t1}\n",
            "add ", $g, ", [{p} + {row}*", $t, " + {row}]\n",
            "add ", $c, ", ", $g, "\n",
            $step!(8, $t, $w16 $w14 $w8 $w6 $w2),
            "add ", $h, ", {t2}\n",
            "mov {t2}, ", $e, "\n",
            "xor {t2}, ", $f, "\n",
            "and {t2}, ", $d, "\n",
            $step!(9, $t, $w16 $w14 $w8 $w6 $w2),
            "xor {t2}, ", $f, "\n",
            "rorx {t1}, ", $d, ", 41\n",
            "xor {t1}, {t0}\n",
            "rorx {t0}, ", $d, ", 14\n",
            "xor {t1}, {t0}\n",
            $step!(10, $t, $w16 $w14 $w8 $w6 $w2),
            $step!(11, $t, $w16 $w14 $w8 $w6 $w2),
            "xor {y}, ", $b, "\n",
            "add ", $c, ", {t2}\n",
            $step!(12, $t, $w16 $w14 $w8 $w6 $w2),
            $step!(13, $t, $w16 $w14 $w8 $w6 $w2),
            "add ", $c, ", {t1}\n",
            "add ", $g, ", {t2}\n",
            "add ", $g, ", {t1}\n",
            $step!(14, $t, $w16 $w14 $w8 $w6 $w2),
            "mov {t2}, ", $a, "\n",
            "rorx {t0}, ", $h, ", 34\n",
            "and {y}, ", $h, "\n",
            "mov {x}, ", $h, "\n",
            "xor {x}, ", $a, "\n",
            "and {t2}, ", $b, "\n",
            "add ", $g, ", {t2}\n",
            "add ", $g, ", {y}\n",
            "rorx {t2}, ", $h, ", 39\n",
            "rorx {t1}, ", $h, ", 28\n",
            "xor {t2}, {t0}\n",
            "xor {t2}, {t1}\n",
            "add ", $g, ", {t2}\n",
        )
    };
}

/// The same for the last rounds, as [`next_pair`], in the places of four of them.
#[rustfmt::skip]
macro_rules! woven_next {
    (0, $t:literal, $($w:literal)*) => { next_pair!(0, $t, $($w)*) };
    (4, $t:literal, $($w:literal)*) => { next_pair!(1, $t, $($w)*) };
    (8, $t:literal, $($w:literal)*) => { next_pair!(2, $t, $($w)*) };
    (12, $t:literal, $($w:literal)*) => { next_pair!(3, $t, $($w)*) };
    ($i:literal, $t:literal, $($w:literal)*) => { "" };
}

/// The shuffle that makes big-endian words of sixteen bytes.
static SWAP: [u8; 16] = [7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8];

/// Refuses to assemble should an operand lie in rbp, which the text below uses for itself (see [`Sums`]).
macro_rules! not_in_rbp {
    () => {
        not_in_rbp!("{a}" "{b}" "{c}" "{d}" "{e}" "{f}" "{g}" "{h}" "{x}" "{y}" "{t0}" "{t1}" "{t2}" "{p}")
    };
    ($($operand:literal)*) => {
        concat!($(".ifc ", $operand, ", rbp\n.error \"an operand lies in rbp\"\n.endif\n"),*)
    };
}

/// The sums of one block. The alignment, more than a stack has, is what keeps the compiler from giving rbp to one of
/// the assembly's operands: a function whose stack is aligned anew needs it as its frame pointer, as those with a
/// [`Table`] do.
#[repr(C, align(64))]
struct Sums([MaybeUninit<u64>; 80]);

/// One block after the other, the schedule of each beside its own rounds. The caller's frame has something that is
/// aligned to more than 16 bytes: see [`Sums`].
macro_rules! block_by_block {
    ($s:ident, $message:expr, $pair:ident, $step:ident, $next:ident) => {
        let mut sums = Sums([const { MaybeUninit::uninit() }; 80]);
        let sums: *mut u64 = sums.0.as_mut_ptr().cast();
        let mut w = [_mm_setzero_si128(); 8];
        // SAFETY: 16 bytes.
        let swap = unsafe { _mm_loadu_si128((&raw const SWAP).cast()) };
        let blocks = $message.as_chunks::<128>().0;
        for i in 0..8 {
            // SAFETY: 16 bytes of the block, of K and of the sums.
            unsafe {
                w[i] = _mm_shuffle_epi8(_mm_loadu_si128(blocks[0].as_ptr().add(16 * i).cast()), swap);
                let k = _mm_loadu_si128(K.as_ptr().add(2 * i).cast());
                _mm_storeu_si128(sums.add(2 * i).cast(), _mm_add_epi64(w[i], k));
            }
        }
        for i in 0..blocks.len() {
            let next = blocks[(i + 1).min(blocks.len() - 1)].as_ptr().expose_provenance() as i64;
            let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = $s;
            let [w0, w1, w2, w3, w4, w5, w6, w7] = &mut w;
            // SAFETY: the rounds read the eighty sums, of which sixteen were written before and the others are before
            // they are read; then the first sixteen of the next block, or again of the last, are written.
            unsafe {
                asm!(
                    not_in_rbp!(),
                    // Fifteen registers are needed, and the compiler gives fourteen.
                    "push rbp",
                    "lea rbp, [rip + {first} + 128]",
                    "push 4",
                    ".p2align 6",
                    "2:",
                    sixteen!($pair, $step),
                    "add {p}, 128",
                    "sub rbp, -128",
                    "dec qword ptr [rsp]",
                    "jnz 2b",
                    "lea rsp, [rsp + 8]",
                    "vmovq rbp, {next}",
                    sixteen!($pair, $next),
                    "pop rbp",
                    a = inout(reg) a,
                    b = inout(reg) b,
                    c = inout(reg) c,
                    d = inout(reg) d,
                    e = inout(reg) e,
                    f = inout(reg) f,
                    g = inout(reg) g,
                    h = inout(reg) h,
                    x = inout(reg) b ^ c => _,
                    y = out(reg) _,
                    t0 = out(reg) _,
                    t1 = out(reg) _,
                    t2 = out(reg) _,
                    p = inout(reg) sums => _,
                    row = const 8,
                    next = in(xmm_reg) _mm_cvtsi64_si128(next),
                    swap = sym SWAP,
                    first = sym K,
                    inout("xmm0") *w0, inout("xmm1") *w1, inout("xmm2") *w2, inout("xmm3") *w3,
                    inout("xmm4") *w4, inout("xmm5") *w5, inout("xmm6") *w6, inout("xmm7") *w7,
                    out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _, out("xmm12") _, out("xmm13") _, out("xmm14") _,
                );
            }
            for (s, x) in $s.iter_mut().zip([a, b, c, d, e, f, g, h]) {
                *s = s.wrapping_add(x);
            }
        }
    };
}

/// Eighty rounds on the state `$s`, whose sums begin at `$p`, a row of `$n` words apart; meanwhile `$step` on the rows
/// from `$q` on, with the sums `$sums` bytes behind: where the next ones begin.
macro_rules! eighty {
    ($s:ident, $p:expr, $n:literal) => {
        eighty!(@ $s, $p, $n, nothing, [], [], [])
    };
    ($s:ident, $p:expr, $n:literal, $step:ident, $q:ident, $sums:expr, [$($more:tt)*]) => {
        // Fifteen registers are needed, and the compiler gives fourteen.
        eighty!(@ $s, $p, $n, $step,
            [not_in_rbp!(), "push rbp", "vmovq rbp, {q}",],
            ["vmovq {q}, rbp", "pop rbp",],
            [
                q = inout(xmm_reg) $q,
                sums = const $sums,
                out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
                out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
                $($more)*
            ]
        )
    };
    (@ $s:ident, $p:expr, $n:literal, $step:ident, [$($before:expr,)*], [$($after:expr,)*], [$($more:tt)*]) => {{
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = $s;
        asm!(
            $($before,)*
            "push 2",
            ".p2align 6",
            "2:",
            forty!($step),
            "add {p}, 40*{row}",
            "dec qword ptr [rsp]",
            "jnz 2b",
            "lea rsp, [rsp + 8]",
            $($after,)*
            a = inout(reg) a,
            b = inout(reg) b,
            c = inout(reg) c,
            d = inout(reg) d,
            e = inout(reg) e,
            f = inout(reg) f,
            g = inout(reg) g,
            h = inout(reg) h,
            x = inout(reg) b ^ c => _,
            y = out(reg) _,
            t0 = out(reg) _,
            t1 = out(reg) _,
            t2 = out(reg) _,
            p = inout(reg) $p => _,
            row = const 8 * $n,
            $($more)*
        );
        for (s, x) in $s.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *s = s.wrapping_add(x);
        }
    }};
}

/// One message, from `$from` blocks on with the schedule of `$n` blocks at a time, which a table must be filled for
/// first (measured).
macro_rules! kernel {
    ($(#[$doc:meta])* $name:ident, $features:tt, $isa:ident $word:ident, $n:literal, $step:ident $more:tt, from
     $from:literal, $pair:ident) => {
        $(#[$doc])*
        #[hashmill_isa::isa($features)]
        pub(super) fn $name(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
            assert!(packed.len() >= 64 && rows.lanes() == 1 && rows.block() == 128);
            let message = rows.lane(0);
            let mut left = rows.blocks();
            assert!(message.len() == 128 * left);
            let mut s = [0; 8];
            for i in 0..8 {
                s[i] = u64::from_ne_bytes(*packed[8 * i..].first_chunk().expect("a word"));
            }
            if left < $from {
                block_by_block!(s, message, pairs, $pair, next_pair);
                for i in 0..8 {
                    packed[8 * i..8 * i + 8].copy_from_slice(&s[i].to_ne_bytes());
                }
                return;
            }
            let isa = $isa::token();
            let mut table = MaybeUninit::<Table<$word>>::uninit();
            let table = table.as_mut_ptr();
            for t in 0..80 {
                // SAFETY: a row of eighty.
                unsafe { (*table).k[t].write($word::splat(isa, K[t])) };
            }
            // SAFETY: the rows are what a table without a value has: uninitialized.
            let table = unsafe { &mut *table };
            let mut blocks = [message.as_ptr(); 8];
            let mut even = true;
            let mut count = left.min($n);
            seat(&mut blocks, message, count);
            // SAFETY: the blocks are the message's; the rows are written in their order.
            unsafe {
                table.load(isa, &blocks, true);
                table.extend();
            }
            loop {
                left -= count;
                let next = left.min($n);
                if next > 0 {
                    seat(&mut blocks, &message[message.len() - 128 * left..], next);
                    // SAFETY: the blocks are the message's.
                    unsafe { table.load(isa, &blocks, !even) };
                }
                let sums: *const u64 = if even { &raw const table.even } else { &raw const table.odd }.cast();
                let from = (&raw mut table.w[16]).expose_provenance() as i64;
                let mut q = _mm_cvtsi64_si128(from);
                for l in 0..count {
                    // SAFETY: the rounds read lane l of the eighty sums, which were written. There is a next turn only
                    // after a full one, whose `$n` times `80 / $n` steps write rows 16 to 79, each of words before it.
                    unsafe {
                        let sums = sums.add(l);
                        if next == 0 {
                            eighty!(s, sums, $n);
                        } else if even {
                            eighty!(s, sums, $n, $step, q, -80 * 8 * $n, $more);
                        } else {
                            eighty!(s, sums, $n, $step, q, 80 * 8 * $n, $more);
                        }
                    }
                }
                if next == 0 {
                    break;
                }
                even = !even;
                count = next;
            }
            for i in 0..8 {
                packed[8 * i..8 * i + 8].copy_from_slice(&s[i].to_ne_bytes());
            }
        }
    };
}

/// A block of the message to each lane; lanes beyond repeat the last one.
#[inline(always)]
fn seat(blocks: &mut [*const u8; 8], message: &[u8], count: usize) {
    for l in 0..8 {
        blocks[l] = message[128 * l.min(count - 1)..].as_ptr();
    }
}

kernel! {
    /// Eight blocks at once.
    avx512, [AVX512], Avx512 U64x8, 8, avx512_step [], from 64, avx512_pair
}

kernel! {
    /// Four blocks at once.
    avx2, [AVX2], Avx2 U64x4, 4, avx2_step [by8 = in(ymm_reg) rotate_by_8(),], from 8, avx2_pair
}

/// Block by block whatever the length.
#[hashmill_isa::isa(AVX512)]
pub(super) fn avx512vl(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    assert!(packed.len() >= 64 && rows.lanes() == 1 && rows.block() == 128);
    let message = rows.lane(0);
    assert!(!message.is_empty() && message.len() == 128 * rows.blocks());
    let mut s = [0; 8];
    for i in 0..8 {
        s[i] = u64::from_ne_bytes(*packed[8 * i..].first_chunk().expect("a word"));
    }
    block_by_block!(s, message, woven_pair, woven_step, woven_next);
    for i in 0..8 {
        packed[8 * i..8 * i + 8].copy_from_slice(&s[i].to_ne_bytes());
    }
}

/// The shuffle that rotates words to the right by eight bits.
#[inline]
#[hashmill_isa::isa(AVX2)]
fn rotate_by_8() -> __m256i {
    const ROW: [i8; 16] = [1, 2, 3, 4, 5, 6, 7, 0, 9, 10, 11, 12, 13, 14, 15, 8];
    // SAFETY: sixteen bytes.
    unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(ROW.as_ptr().cast())) }
}

/// One message by SHA-512's instructions, or by functions of the same meaning: a, b, e, f lie in one register and c, d,
/// g, h in the other, the first at its high end. Two rounds an instruction.
macro_rules! by_instructions {
    ($(#[$doc:meta])* $visibility:vis $name:ident, $features:tt, $extend:path, $finish:path, $two_rounds:path) => {
        $(#[$doc])*
        #[hashmill_isa::isa($features)]
        $visibility fn $name(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
            assert!(packed.len() >= 64 && rows.lanes() == 1 && rows.block() == 128);
            let state: *mut __m256i = packed.as_mut_ptr().cast();
            // SAFETY: 64 bytes, as asserted.
            let (abcd, efgh) = unsafe { (_mm256_loadu_si256(state), _mm256_loadu_si256(state.add(1))) };
            let (dcba, hgfe) = (_mm256_permute4x64_epi64::<0x1b>(abcd), _mm256_permute4x64_epi64::<0x1b>(efgh));
            let mut abef = _mm256_permute2x128_si256::<0x31>(hgfe, dcba);
            let mut cdgh = _mm256_permute2x128_si256::<0x20>(hgfe, dcba);
            let swap = _mm256_set_epi64x(
                0x0809_0a0b_0c0d_0e0f,
                0x0001_0203_0405_0607,
                0x0809_0a0b_0c0d_0e0f,
                0x0001_0203_0405_0607,
            );
            for block in rows.lane(0).as_chunks::<128>().0 {
                let (abef0, cdgh0) = (abef, cdgh);
                let mut m = [_mm256_setzero_si256(); 4];
                for i in 0..4 {
                    // SAFETY: 32 bytes of the block.
                    let x = unsafe { _mm256_loadu_si256(block.as_ptr().add(32 * i).cast()) };
                    m[i] = _mm256_shuffle_epi8(x, swap);
                }
                for j in 0..5 {
                    for i in 0..4 {
                        if j > 0 {
                            // Four words: W[t-16] + σ0(W[t-15]), then W[t-7], then σ1(W[t-2]).
                            let x = $extend(m[i], _mm256_castsi256_si128(m[(i + 1) % 4]));
                            let w7 = _mm256_blend_epi32::<3>(m[(i + 2) % 4], m[(i + 3) % 4]);
                            let x = _mm256_add_epi64(x, _mm256_permute4x64_epi64::<0x39>(w7));
                            m[i] = $finish(x, m[(i + 3) % 4]);
                        }
                        let t = 4 * j + i;
                        // SAFETY: K has 80 words, and t is less than 20.
                        let k = unsafe { _mm256_loadu_si256(K.as_ptr().add(4 * t).cast()) };
                        let wk = _mm256_add_epi64(m[i], k);
                        cdgh = $two_rounds(cdgh, abef, _mm256_castsi256_si128(wk));
                        abef = $two_rounds(abef, cdgh, _mm256_extracti128_si256::<1>(wk));
                    }
                }
                abef = _mm256_add_epi64(abef, abef0);
                cdgh = _mm256_add_epi64(cdgh, cdgh0);
            }
            let hgfe = _mm256_permute2x128_si256::<0x20>(cdgh, abef);
            let dcba = _mm256_permute2x128_si256::<0x31>(cdgh, abef);
            // SAFETY: 64 bytes, as asserted.
            unsafe {
                _mm256_storeu_si256(state, _mm256_permute4x64_epi64::<0x1b>(dcba));
                _mm256_storeu_si256(state.add(1), _mm256_permute4x64_epi64::<0x1b>(hgfe));
            }
        }
    };
}

by_instructions! {
    /// With the instructions.
    pub(super) sha512ni, [SHA512NI], _mm256_sha512msg1_epi64, _mm256_sha512msg2_epi64, _mm256_sha512rnds2_epi64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algo::sha2_64::{big0, big1};

    // The instructions as Intel's manual defines them (Instruction Set Extensions Programming Reference, VSHA512…).

    fn words(x: __m256i) -> [u64; 4] {
        // SAFETY: 32 bytes each.
        unsafe { core::mem::transmute(x) }
    }

    fn register(x: [u64; 4]) -> __m256i {
        // SAFETY: 32 bytes each.
        unsafe { core::mem::transmute(x) }
    }

    fn msg1(w: __m256i, next: __m128i) -> __m256i {
        let w = words(w);
        // SAFETY: 16 bytes each.
        let [w4, _]: [u64; 2] = unsafe { core::mem::transmute(next) };
        let of = [w[1], w[2], w[3], w4];
        register([0, 1, 2, 3].map(|i| w[i].wrapping_add(small0(of[i]))))
    }

    fn msg2(x: __m256i, w: __m256i) -> __m256i {
        let (x, w) = (words(x), words(w));
        let w16 = x[0].wrapping_add(small1(w[2]));
        let w17 = x[1].wrapping_add(small1(w[3]));
        register([w16, w17, x[2].wrapping_add(small1(w16)), x[3].wrapping_add(small1(w17))])
    }

    fn rnds2(cdgh: __m256i, abef: __m256i, wk: __m128i) -> __m256i {
        let ([mut h, mut g, mut d, mut c], [mut f, mut e, mut b, mut a]) = (words(cdgh), words(abef));
        // SAFETY: 16 bytes each.
        let wk: [u64; 2] = unsafe { core::mem::transmute(wk) };
        for wk in wk {
            let t1 = h.wrapping_add(wk).wrapping_add((e & f) ^ (!e & g)).wrapping_add(big1(e));
            let t2 = big0(a).wrapping_add((a & b) ^ (a & c) ^ (b & c));
            (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(t1), c, b, a, t1.wrapping_add(t2));
        }
        register([f, e, b, a])
    }

    by_instructions! { by_model, [AVX2], msg1, msg2, rnds2 }

    /// CPUs with the instructions are rare, so the code around them is tested with a model of the instructions.
    #[test]
    fn text_around_the_instructions() {
        if !crate::base::cpu::features().has(crate::base::cpu::needs!([AVX2])) {
            return;
        }
        let p = Params { row: 0, out_len: 64, p: [512, 0, 0, 0], seed: 0 };
        for blocks in [1, 2, 5] {
            let message: Vec<u8> = (0..128 * blocks).map(|i| (i * 7 + i / 11) as u8).collect();
            let (mut by_it, mut by_portable) = ([0x5a; 64], [0x5a; 64]);
            let mut pointer = [core::ptr::null(); 1];
            // SAFETY: the CPU has AVX2.
            unsafe { by_model(&p, &mut by_it, &Rows::new(&[&message[..]], &mut pointer, blocks, 128)) };
            let rows = Rows::new(&[&message[..]], &mut pointer, blocks, 128);
            crate::algo::sha2_64::run::<u64>(crate::simd::Scalar, &p, &mut by_portable, &rows);
            assert_eq!(by_it, by_portable, "{blocks} blocks");
        }
    }
}
