//! SHA-1 with ARMv8's SHA instructions: four rounds per instruction.
//!
//! The chain is twenty `sha1c`, `sha1p` or `sha1m`. The sums of message and constant depend on nothing in it, and e of
//! four rounds later is a rotation of the current a.

#![allow(unsafe_code, reason = "loads of blocks into vector registers")]

use super::K;
use crate::contract::Params;
use crate::simd::Rows;
use core::arch::aarch64::*;

/// One message.
#[hashmill_isa::isa(ARM_SHA2)]
pub(super) fn armsha2(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    assert!(rows.lanes() == 1 && rows.block() == 64);
    let state: &mut [u8; 20] = packed.first_chunk_mut().expect("five words");
    // SAFETY: four of the five words.
    let mut abcd = unsafe { vld1q_u32(state.as_ptr().cast()) };
    let mut e = u32::from_ne_bytes([state[16], state[17], state[18], state[19]]);
    let from = rows.lane(0).as_ptr();
    for b in 0..rows.blocks() {
        let (abcd0, e0) = (abcd, e);
        let mut m = [vdupq_n_u32(0); 4];
        macro_rules! rounds {
            ($f:ident, $k:literal; $($i:literal)*) => {
                $({
                    if $i < 4 {
                        // SAFETY: the lane has `rows.blocks()` blocks of 64 bytes; b and i stay within them.
                        let x = unsafe { vld1q_u8(from.add(64 * b + 16 * ($i % 4))) };
                        m[$i % 4] = vreinterpretq_u32_u8(vrev32q_u8(x));
                    } else {
                        let x = vsha1su0q_u32(m[$i % 4], m[($i + 1) % 4], m[($i + 2) % 4]);
                        m[$i % 4] = vsha1su1q_u32(x, m[($i + 3) % 4]);
                    }
                    let next = vsha1h_u32(vgetq_lane_u32::<0>(abcd));
                    abcd = $f(abcd, e, vaddq_u32(m[$i % 4], vdupq_n_u32(K[$k])));
                    e = next;
                })*
            };
        }
        rounds!(vsha1cq_u32, 0; 0 1 2 3 4);
        rounds!(vsha1pq_u32, 1; 5 6 7 8 9);
        rounds!(vsha1mq_u32, 2; 10 11 12 13 14);
        rounds!(vsha1pq_u32, 3; 15 16 17 18 19);
        abcd = vaddq_u32(abcd, abcd0);
        e = e.wrapping_add(e0);
    }
    // SAFETY: four of the five words.
    unsafe { vst1q_u32(state.as_mut_ptr().cast(), abcd) }
    state[16..].copy_from_slice(&e.to_ne_bytes());
}
