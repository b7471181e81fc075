//! SHA-1 with the SHA extensions: four rounds per instruction.
//!
//! One message is bound by a chain of twenty dependent `sha1rnds4` with a latency of six cycles: 1.875 cycles/byte,
//! which is what it takes.

#![allow(unsafe_code, reason = "loads of blocks into vector registers")]

use crate::contract::Params;
use crate::simd::Rows;
use core::arch::x86_64::*;

/// Rounds 4 · `$i` … 4 · `$i` + 3, which are of kind `$f`, of the block at `$block`. `$before` is the a of four rounds
/// ago, from which the instructions derive e. Also used in between MD5's steps (`algo/together.rs`).
macro_rules! four_rounds {
    ($f:expr, $i:expr, $block:expr, $swap:ident, $m:ident, $abcd:ident, $e0:ident, $before:ident) => {{
        if $i < 4 {
            // SAFETY: a part of the block.
            let x = unsafe { _mm_loadu_si128($block.add(16 * ($i % 4)).cast()) };
            $m[$i % 4] = _mm_shuffle_epi8(x, $swap);
        } else {
            let x = _mm_xor_si128(_mm_sha1msg1_epu32($m[$i % 4], $m[($i + 1) % 4]), $m[($i + 2) % 4]);
            $m[$i % 4] = _mm_sha1msg2_epu32(x, $m[($i + 3) % 4]);
        }
        let e = if $i == 0 { _mm_add_epi32($e0, $m[0]) } else { _mm_sha1nexte_epu32($before, $m[$i % 4]) };
        $before = $abcd;
        $abcd = _mm_sha1rnds4_epu32::<{ $f }>($abcd, e);
    }};
}

pub(in crate::algo) use four_rounds;

/// One message.
#[hashmill_isa::isa(SHANI)]
pub(super) fn shani(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    assert!(packed.len() >= 20 && rows.lanes() == 1 && rows.block() == 64);
    let state: &mut [u8; 20] = packed.first_chunk_mut().expect("five words");
    let word = |i: usize| i32::from_ne_bytes([state[4 * i], state[4 * i + 1], state[4 * i + 2], state[4 * i + 3]]);
    let mut abcd = _mm_set_epi32(word(0), word(1), word(2), word(3));
    let mut e0 = _mm_set_epi32(word(4), 0, 0, 0);
    let swap = _mm_set_epi64x(0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f);
    let from = rows.lane(0).as_ptr();
    for b in 0..rows.blocks() {
        // Within the lane, which has `rows.blocks()` blocks of 64 bytes.
        let block = from.wrapping_add(64 * b);
        let (abcd0, e00) = (abcd, e0);
        let mut m = [_mm_setzero_si128(); 4];
        let mut before = abcd;
        macro_rules! rounds {
            ($f:tt; $($i:literal)*) => {
                $(four_rounds!($f, $i, block, swap, m, abcd, e0, before);)*
            };
        }
        rounds!(0; 0 1 2 3 4);
        rounds!(1; 5 6 7 8 9);
        rounds!(2; 10 11 12 13 14);
        rounds!(3; 15 16 17 18 19);
        e0 = _mm_sha1nexte_epu32(before, e00);
        abcd = _mm_add_epi32(abcd, abcd0);
    }
    // SAFETY: 20 bytes, as asserted.
    unsafe { _mm_storeu_si128(state.as_mut_ptr().cast(), _mm_shuffle_epi32::<0x1b>(abcd)) };
    state[16..20].copy_from_slice(&_mm_extract_epi32::<3>(e0).to_ne_bytes());
}
