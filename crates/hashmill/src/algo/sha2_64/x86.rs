//! SHA-512 of one message: rounds on plain words, the message schedule of several blocks at once in vectors.
//!
//! The schedule does not depend on the state, so the next blocks' can be made while these blocks' rounds run, one block a
//! lane; the rounds' chain of additions leaves room for it.

#![allow(unsafe_code, reason = "loads of blocks into vector registers")]

use super::{K, big0, big1, run, small0, small1};
use crate::algo::repeat16;
use crate::contract::Params;
use crate::simd::x86::{Avx2, Avx512, U64x4, U64x8};
use crate::simd::{Logic, Rows, Scalar, Word, Word64};
use core::mem::MaybeUninit;

/// From how many blocks on the schedule in vectors pays.
const MIN_BLOCKS: usize = 3;

/// K[t] + W[t] for all t, of as many blocks as W has lanes.
type Sums<W> = [MaybeUninit<W>; 80];

/// The schedule of `W::LANES` blocks in the making.
struct Schedule<'a, W: Word> {
    isa: W::Isa,
    /// Where the blocks begin.
    blocks: [*const u8; 8],
    /// The last sixteen W[t].
    w: &'a mut [MaybeUninit<W>; 16],
}

impl<W: Word64> Schedule<'_, W> {
    /// Two words: t and t + 1, t even.
    ///
    /// # Safety
    /// The blocks are valid for 128 bytes; the words before t were made; `sums` is valid for writing 80 words.
    #[inline(always)]
    unsafe fn two(&mut self, t: usize, sums: *mut W) {
        let w: *mut W = self.w.as_mut_ptr().cast();
        if t < 16 {
            // SAFETY: 16 bytes within the block at most 112 bytes from its beginning; words t and t + 1 of sixteen.
            unsafe { W::column::<true>(self.isa, self.blocks.as_ptr(), 8 * t, w.add(t)) };
        } else {
            for t in t..t + 2 {
                // SAFETY: words of sixteen, all written.
                let (w2, w7, w15, w16) =
                    unsafe { (*w.add((t + 14) % 16), *w.add((t + 9) % 16), *w.add((t + 1) % 16), *w.add(t % 16)) };
                let x = small1(w2).add(w7.add(w16).add(small0(w15)));
                // SAFETY: a word of sixteen.
                unsafe { *w.add(t % 16) = x };
            }
        }
        for t in t..t + 2 {
            // SAFETY: t < 80.
            unsafe { *sums.add(t) = (*w.add(t % 16)).add(W::splat(self.isa, K[t])) };
        }
    }
}

/// Sixteen rounds, whose sums K[t] + W[t] lie `STRIDE` words apart. `before` is b ^ c: with a ^ b, which the next round takes over,
/// Maj(a, b, c) = ((a ^ b) & (b ^ c)) ^ b.
///
/// # Safety
/// `sums` is valid for reading the sixteen sums.
#[inline(always)]
unsafe fn rounds<const STRIDE: usize>(s: &mut [u64; 8], before: &mut u64, sums: *const u64) {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *s;
    let mut bc = *before;
    // One register for the address: the compiler would keep its two terms in two, and the rounds need fifteen.
    let sums = core::hint::black_box(sums);
    repeat16!(T => {
        // SAFETY: one of the sixteen sums.
        let k = unsafe { *sums.add(STRIDE * T) };
        // Σ1 is the last to come: only its sum and d's stand between it and the next round.
        let t1 = h.wrapping_add(k).settled().wrapping_add(!e & g).wrapping_add(e & f).settled();
        let t1 = t1.wrapping_add(big1(e)).settled();
        let ab = a ^ b;
        let t2 = t1.wrapping_add((ab & bc) ^ b).wrapping_add(big0(a));
        bc = ab;
        (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(t1), c, b, a, t2);
    });
    *before = bc;
    *s = [a, b, c, d, e, f, g, h];
}

/// One message, the schedule in W's lanes.
#[inline(always)]
fn blocks<W: Word64, const N: usize>(isa: W::Isa, p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    assert!(packed.len() >= 64 && rows.lanes() == 1 && rows.block() == 128 && W::LANES == N && N <= 8);
    let message = rows.lane(0);
    let mut done = 0;
    if rows.blocks() >= MIN_BLOCKS {
        let mut s = [0; 8];
        for i in 0..8 {
            s[i] = u64::from_ne_bytes(*packed[8 * i..].first_chunk().expect("a word"));
        }
        let mut sums: [Sums<W>; 2] = [[MaybeUninit::uninit(); 80]; 2];
        let mut w = [MaybeUninit::uninit(); 16];
        let mut schedule = Schedule { isa, blocks: [message.as_ptr(); 8], w: &mut w };
        let mut turn = 0;
        let mut count = schedule.start(message, 0);
        for t in 0..40 {
            // SAFETY: the blocks are the message's, the words are made in order.
            unsafe { schedule.two(2 * t, sums[0].as_mut_ptr().cast()) }
        }
        while count > 0 {
            done += count;
            let next = if rows.blocks() - done >= MIN_BLOCKS { schedule.start(message, done) } else { 0 };
            let (these, others) = if turn == 0 {
                let [a, b] = &mut sums;
                (a, b)
            } else {
                let [a, b] = &mut sums;
                (b, a)
            };
            let these: *const u64 = these.as_ptr().cast();
            let others: *mut W = others.as_mut_ptr().cast();
            let mut t = 0;
            for l in 0..count {
                let before = s;
                let mut bc = s[1] ^ s[2];
                for i in 0..5 {
                    // SAFETY: all sums of this turn were made.
                    unsafe { rounds::<N>(&mut s, &mut bc, these.add(N * 16 * i + l)) };
                    if next > 0 {
                        for _ in 0..8 / N {
                            // SAFETY: the blocks are the message's, the words are made in order.
                            unsafe { schedule.two(t, others) };
                            t += 2;
                        }
                    }
                }
                for i in 0..8 {
                    s[i] = s[i].wrapping_add(before[i]);
                }
            }
            turn ^= 1;
            count = next;
        }
        for i in 0..8 {
            packed[8 * i..8 * i + 8].copy_from_slice(&s[i].to_ne_bytes());
        }
    }
    if done < rows.blocks() {
        let mut pointer = [core::ptr::null(); 1];
        run::<u64>(Scalar, p, packed, &Rows::new(&[&message[128 * done..]], &mut pointer, rows.blocks() - done, 128));
    }
}

impl<W: Word64> Schedule<'_, W> {
    /// Begins with the blocks from `first` on; their number, at most `W::LANES`. Lanes without a block repeat the last one.
    #[inline(always)]
    fn start(&mut self, message: &[u8], first: usize) -> usize {
        let left = &message[128 * first..];
        let count = (left.len() / 128).min(W::LANES);
        for l in 0..W::LANES {
            self.blocks[l] = left[128 * l.min(count - 1)..].as_ptr();
        }
        count
    }
}

/// Eight blocks at once.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2")]
pub(super) fn avx512(p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    blocks::<U64x8, 8>(Avx512::token(), p, packed, rows);
}

/// Four blocks at once.
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub(super) fn avx2(p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    blocks::<U64x4, 4>(Avx2::token(), p, packed, rows);
}
