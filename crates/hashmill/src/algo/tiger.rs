//! Tiger — "Tiger: A Fast New Hash Function" (R. Anderson, E. Biham, FSE 1996); Tiger2 (2005) pads with 0x80 instead of
//! 0x01. digest 192, 160, 128 bit (prefixes) · block 64 bytes · little-endian · status: weak (preimages in 2^188.8,
//! 2010)
//!
//! ## Algorithm
//!
//! ```text
//! (a, b, c) := (aa, bb, cc)
//! for pass in 0..P:                                           P = 3, or 4 for the variants with more margin
//!     if pass > 0: x := key_schedule(x)
//!     for i in 0..8:                                          c_n: byte n of c; factor: 5, 7, 9, 9
//!         c ^= x_i
//!         a −= t1[c_0] ^ t2[c_2] ^ t3[c_4] ^ t4[c_6]
//!         b += t4[c_1] ^ t3[c_3] ^ t2[c_5] ^ t1[c_7];  b ·= factor
//!         (a, b, c) := (b, c, a)
//! (aa, bb, cc) := (a ^ aa, b − bb, c + cc)
//! ```
//!
//! ## Kernels
//!
//! * `bmi2x3`, aarch64's `scalarx3`: three messages, whose steps are interleaved, in scalar registers; 1.66 against
//!   0.91 GB/s (Zen 5; two messages: 1.47; four, whose states no longer fit in the registers: 1.65). A step is at least
//!   24 instructions, 21 of them for the arithmetic units: seven bytes, four rotations and shifts, seven exclusive ors,
//!   difference, sum, product. Zen 5 executes 4.5 of them per cycle, even without lookups, so that assembly with fewer
//!   copies gave 5 % at best; exclusive ors and sums in vector registers gained nothing (four messages 1.85, eight
//!   1.67, without key schedules, where scalar code reaches 2.1). Gathers with eight lanes lose: 1.17 without key
//!   schedules.
//! * `portable`: one message. A step is a chain from c to the next c: xor, shift, byte, lookup (five cycles on recent
//!   CPUs), two xors and difference make eleven cycles, 24 steps 4.1 cycles/byte (measured: 4.5 on Emerald Rapids; the
//!   product has a step's time to spare). Extracting eight bytes with three shifts instead of one shift per byte,
//!   lookups as trees, and the even bytes first in program order achieved this; 5.2 without. Computing key schedules
//!   ahead of the passes and BMI gained nothing.

mod tables;

use super::lookup::Lookup;
use super::{lanes, repeat16};
use crate::contract::{Blocks, End, Inputs, Padding, Params, State, Words};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::simd::X3;
use crate::simd::{Feed, Logic, Round, Rows, drive};
use tables::T;

lanes! { words: 3, bytes: 8, portable: u64;
    x86_64 { bmi2x3(Bmi2 X3<u64>) from 2; }
    aarch64 { scalarx3(Plain X3<u64>) from 2; }
    wasm32 {}
}

/// Padding and output. The parameters are the number of passes and the first byte of the padding.
pub(crate) static RULE: Tiger = Tiger;

pub(crate) struct Tiger;

impl Blocks for Tiger {
    fn block(&self, _: &Params) -> usize {
        64
    }

    fn setup(&self) -> usize {
        6
    }

    fn init(&self, _: &Params, _: &Inputs<'_>, s: &mut State) {
        for (i, x) in INITIAL.into_iter().enumerate() {
            s.set_u64(i, x);
        }
    }

    fn padding(&self, p: &Params) -> Option<Padding> {
        // Tiger2 marks the end of the message as MD5 does.
        Some(Padding { mark: p.p[1] as u8, end: End::Length { bytes: 8, big_endian: false } })
    }

    fn words(&self, _: &Params) -> Option<Words> {
        Some(Words { bytes: 8, big_endian: false })
    }
}

/// What the round function needs besides sums and exclusive ors.
trait Tiger64: Logic<Lane = u64> {
    fn sub(self, o: Self) -> Self;
    fn shl(self, n: u32) -> Self;
    /// One step: (b, c, a) from (a, b, c).
    fn step(abc: [Self; 3], x: Self, factor: u64) -> [Self; 3];
}

impl Tiger64 for u64 {
    #[inline(always)]
    fn sub(self, o: u64) -> u64 {
        self.wrapping_sub(o)
    }
    #[inline(always)]
    fn shl(self, n: u32) -> u64 {
        self << n
    }
    #[inline(always)]
    fn step([a, b, c]: [u64; 3], x: u64, factor: u64) -> [u64; 3] {
        let [t1, t2, t3, t4] = &T;
        let c = c.xor(x).in_order();
        // Each of these provides two bytes with one instruction each.
        let (c2, c4, c6) = (c.shr(16).settled(), c.shr(32).settled(), c.shr(48).settled());
        // Trees, where the compiler would make chains; and first what c waits for, which the rest would otherwise
        // delay.
        let even = c.lookup(0, t1).xor(c2.lookup(0, t2)).in_order();
        let even = even.xor(c4.lookup(0, t3).xor(c6.lookup(0, t4)).in_order());
        let odd = c.lookup(1, t4).xor(c2.lookup(1, t3)).xor(c4.lookup(1, t2).xor(c6.lookup(1, t1)));
        [b.add(odd).wrapping_mul(factor), c, a.sub(even)]
    }
}

/// A step for messages side by side. While one waits the others run, so a step should above all be few instructions.
/// Sums are chains in one register each, and a pair of neighboring bytes is rotated into a register of its own: x86 can
/// address the second byte of four registers only, and the compiler would first copy a long-lived c to one of them.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
fn short_step([a, b, c]: [u64; 3], x: u64, factor: u64) -> [u64; 3] {
    let [t1, t2, t3, t4] = &T;
    let c = c.xor(x).in_order();
    let even = c.lookup(0, t1);
    let pair = c.rotr(8).in_order();
    let odd = pair.lookup(0, t4);
    let even = even.xor(pair.lookup(1, t2)).in_order();
    let pair = c.rotr(24).in_order();
    let odd = odd.xor(pair.lookup(0, t3)).in_order();
    let even = even.xor(pair.lookup(1, t3)).in_order();
    let pair = c.rotr(40).in_order();
    let odd = odd.xor(pair.lookup(0, t2)).in_order();
    let even = even.xor(pair.lookup(1, t4)).in_order();
    let odd = odd.xor(c.lookup(7, t1));
    [b.add(odd).in_order().wrapping_mul(factor), c, a.sub(even).in_order()]
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
impl Tiger64 for X3<u64> {
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        X3(self.0.sub(o.0), self.1.sub(o.1), self.2.sub(o.2))
    }
    #[inline(always)]
    fn shl(self, n: u32) -> Self {
        X3(self.0 << n, self.1 << n, self.2 << n)
    }
    #[inline(always)]
    fn step([a, b, c]: [Self; 3], x: Self, factor: u64) -> [Self; 3] {
        let [a0, b0, c0] = short_step([a.0, b.0, c.0], x.0, factor);
        let [a1, b1, c1] = short_step([a.1, b.1, c.1], x.1, factor);
        let [a2, b2, c2] = short_step([a.2, b.2, c.2], x.2, factor);
        [X3(a0, a1, a2), X3(b0, b1, b2), X3(c0, c1, c2)]
    }
}

#[inline(always)]
fn run<W: Tiger64>(isa: W::Isa, p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    drive::<Tiger, W, 3, 8, false>(isa, p, packed, rows);
}

impl<W: Tiger64> Round<W, 3, 8, false> for Tiger {
    #[inline(always)]
    fn compress(isa: W::Isa, p: &Params, h: &mut [W; 3], m: &mut Feed<'_, W, 8, false>) {
        let mut x = [h[0]; 8];
        for i in 0..8 {
            x[i] = m.word(i);
        }
        m.ahead(0, 1);
        let mut abc = pass(*h, &x, 5);
        key_schedule(isa, &mut x);
        abc = pass(abc, &x, 7);
        for _ in 2..p.p[0] {
            key_schedule(isa, &mut x);
            abc = pass(abc, &x, 9);
        }
        let [a, b, c] = abc;
        *h = [a.xor(h[0]), b.sub(h[1]), c.add(h[2])];
    }
}

#[inline(always)]
fn pass<W: Tiger64>(mut abc: [W; 3], x: &[W; 8], factor: u64) -> [W; 3] {
    repeat16!(I => if I < 8 {
        abc = W::step(abc, x[I % 8], factor);
    });
    abc
}

#[inline(always)]
fn key_schedule<W: Tiger64>(isa: W::Isa, x: &mut [W; 8]) {
    x[0] = x[0].sub(x[7].xor(W::splat(isa, 0xa5a5_a5a5_a5a5_a5a5)));
    x[1] = x[1].xor(x[0]);
    x[2] = x[2].add(x[1]);
    x[3] = x[3].sub(x[2].xor(x[1].not().shl(19)));
    x[4] = x[4].xor(x[3]);
    x[5] = x[5].add(x[4]);
    x[6] = x[6].sub(x[5].xor(x[4].not().shr(23)));
    x[7] = x[7].xor(x[6]);
    x[0] = x[0].add(x[7]);
    x[1] = x[1].sub(x[0].xor(x[7].not().shl(19)));
    x[2] = x[2].xor(x[1]);
    x[3] = x[3].add(x[2]);
    x[4] = x[4].sub(x[3].xor(x[2].not().shr(23)));
    x[5] = x[5].xor(x[4]);
    x[6] = x[6].add(x[5]);
    x[7] = x[7].sub(x[6].xor(W::splat(isa, 0x0123_4567_89ab_cdef)));
}

const INITIAL: [u64; 3] = [0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210, 0xf096_a5b4_c3b2_e187];

#[cfg(test)]
mod tests {
    fn check(name: &str, m: &[u8], digest: &str) {
        let a: crate::Algorithm = name.parse().expect("known");
        assert_eq!(a.digest(m).to_string(), digest, "{name}, {m:?}");
    }

    /// The first and last entries of the authors' own list (sboxes.c).
    #[test]
    fn tables() {
        assert_eq!(super::T[0][0], 0x02aa_b17c_f7e9_0c5e);
        assert_eq!(super::T[3][255], 0xc3a0_396f_7363_a51f);
    }

    /// The authors' test results (testresults.txt, and the NESSIE vectors for Tiger2), with the bytes in today's order.
    #[test]
    fn authors() {
        check("tiger", b"", "3293ac630c13f0245f92bbb1766e16167a4e58492dde73f3");
        check("tiger", b"abc", "2aab1484e8c158f2bfb8c5ff41b57a525129131c957b5f93");
        check("tiger", b"Tiger", "dd00230799f5009fec6debc838bb6a27df2b9d6f110c7937");
        check("tiger2", b"", "4441be75f6018773c206c22745374b924aa8313fef919f41");
        check("tiger2", b"abc", "f68d7bc5af4b43a06e048d7829560d4a9415658bb0b1f3bf");
    }

    /// Values of PHP's tests (hash_copy_001.phpt): four passes, and truncated digests.
    #[test]
    fn php() {
        let m = b"I can't remember anything";
        check("tiger192,3", m, "8d68e78bc5e62ba925a67aa48595cfc62cd1e5e08224fc35");
        check("tiger160,3", m, "8d68e78bc5e62ba925a67aa48595cfc62cd1e5e0");
        check("tiger128,3", m, "8d68e78bc5e62ba925a67aa48595cfc6");
        check("tiger192,4", m, "a26ca3f58e74fb32ee44b099cb1b512203375900f30b741d");
        check("tiger160,4", m, "a26ca3f58e74fb32ee44b099cb1b512203375900");
        check("tiger128,4", m, "a26ca3f58e74fb32ee44b099cb1b5122");
    }
}
