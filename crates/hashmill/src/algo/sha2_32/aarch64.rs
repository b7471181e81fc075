//! SHA-256 with ARMv8's SHA instructions: two independent instructions for four rounds.

#![allow(unsafe_code, reason = "loads of blocks into vector registers")]

use super::K;
use crate::algo::repeat16;
use crate::contract::Params;
use crate::simd::Rows;
use core::arch::aarch64::*;

/// One message.
#[hashmill_isa::isa(ARM_SHA2)]
pub(super) fn armsha2(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    assert!(rows.lanes() == 1 && rows.block() == 64);
    let state: &mut [u8; 32] = packed.first_chunk_mut().expect("eight words");
    let words: *mut u32 = state.as_mut_ptr().cast();
    // SAFETY: four of the eight words, and the other four.
    let (mut abcd, mut efgh) = unsafe { (vld1q_u32(words), vld1q_u32(words.add(4))) };
    let from = rows.lane(0).as_ptr();
    for b in 0..rows.blocks() {
        let (abcd0, efgh0) = (abcd, efgh);
        let mut m = [vdupq_n_u32(0); 4];
        repeat16!(I => {
            if I < 4 {
                // SAFETY: the lane has `rows.blocks()` blocks of 64 bytes; b and I stay within them.
                let x = unsafe { vld1q_u8(from.add(64 * b + 16 * I)) };
                m[I % 4] = vreinterpretq_u32_u8(vrev32q_u8(x));
            } else {
                // Four words of the schedule from the last sixteen.
                let x = vsha256su0q_u32(m[I % 4], m[(I + 1) % 4]);
                m[I % 4] = vsha256su1q_u32(x, m[(I + 2) % 4], m[(I + 3) % 4]);
            }
            // SAFETY: K has 64 words; this reads up to word 4 · 15 + 3.
            let k = unsafe { vld1q_u32(K.as_ptr().add(4 * I)) };
            let kw = vaddq_u32(m[I % 4], k);
            (abcd, efgh) = (vsha256hq_u32(abcd, efgh, kw), vsha256h2q_u32(efgh, abcd, kw));
        });
        abcd = vaddq_u32(abcd, abcd0);
        efgh = vaddq_u32(efgh, efgh0);
    }
    // SAFETY: four of the eight words, and the other four.
    unsafe {
        vst1q_u32(words, abcd);
        vst1q_u32(words.add(4), efgh);
    }
}
