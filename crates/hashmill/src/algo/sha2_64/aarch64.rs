//! SHA-512 with ARMv8.2's SHA-512 instructions: two instructions for two rounds.
//!
//! `sha512h` computes what both rounds add to d and h, and `sha512h2` the new a and b from it. The other words only
//! change their names.

#![allow(unsafe_code, reason = "loads of blocks into vector registers")]

use super::K;
use crate::contract::Params;
use crate::simd::Rows;
use core::arch::aarch64::*;

/// One message.
#[hashmill_isa::isa(ARM_SHA3)]
pub(super) fn armsha512(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    assert!(rows.lanes() == 1 && rows.block() == 128);
    let state: &mut [u8; 64] = packed.first_chunk_mut().expect("eight words");
    let words: *mut u64 = state.as_mut_ptr().cast();
    let mut s = [vdupq_n_u64(0); 4];
    for i in 0..4 {
        // SAFETY: two of the eight words.
        s[i] = unsafe { vld1q_u64(words.add(2 * i)) };
    }
    let from = rows.lane(0).as_ptr();
    for b in 0..rows.blocks() {
        let [mut ab, mut cd, mut ef, mut gh] = s;
        let mut m = [vdupq_n_u64(0); 8];
        for i in 0..8 {
            // SAFETY: the lane has `rows.blocks()` blocks of 128 bytes; b and i stay within them.
            let x = unsafe { vld1q_u8(from.add(128 * b + 16 * i)) };
            m[i] = vreinterpretq_u64_u8(vrev64q_u8(x));
        }
        for t in 0..5 {
            if t > 0 {
                // The next sixteen words of the schedule from the last sixteen.
                for i in 0..8 {
                    let w7 = vextq_u64::<1>(m[(i + 4) % 8], m[(i + 5) % 8]);
                    m[i] = vsha512su1q_u64(vsha512su0q_u64(m[i], m[(i + 1) % 8]), m[(i + 7) % 8], w7);
                }
            }
            for i in 0..8 {
                // SAFETY: K has 80 words; this reads up to word 16 · 4 + 2 · 7 + 1.
                let k = unsafe { vld1q_u64(K.as_ptr().add(16 * t + 2 * i)) };
                let kw = vaddq_u64(m[i], k);
                let sum = vaddq_u64(vextq_u64::<1>(kw, kw), gh);
                let t1 = vsha512hq_u64(sum, vextq_u64::<1>(ef, gh), vextq_u64::<1>(cd, ef));
                (ab, cd, ef, gh) = (vsha512h2q_u64(t1, cd, ab), ab, vaddq_u64(cd, t1), ef);
            }
        }
        s = [vaddq_u64(s[0], ab), vaddq_u64(s[1], cd), vaddq_u64(s[2], ef), vaddq_u64(s[3], gh)];
    }
    for i in 0..4 {
        // SAFETY: two of the eight words.
        unsafe { vst1q_u64(words.add(2 * i), s[i]) };
    }
}
