//! SHA-256 with the SHA extensions: two rounds per instruction.
//!
//! One message is bound by a chain of 32 dependent `sha256rnds2` with a latency of four cycles, 2 cycles/byte
//! (measured: 2.06); a second, interleaved message fills the gaps.

#![allow(unsafe_code, reason = "loads of blocks into vector registers")]

use crate::algo::repeat16;
use crate::contract::Params;
use crate::simd::Rows;
use core::arch::x86_64::*;

/// Rounds 4 · `$i` … 4 · `$i` + 3 of `$n` messages; the block of message `$l` is at `$block`. Also used in between
/// MD5's steps (`algo/together.rs`).
macro_rules! four_rounds {
    ($i:expr, $n:expr, |$l:ident| $block:expr, $swap:ident, $m:ident, $abef:ident, $cdgh:ident) => {{
        // SAFETY: K has 64 words; this reads up to word 4 · 15 + 3.
        let k = unsafe { _mm_loadu_si128($crate::algo::sha2_32::K.as_ptr().add(4 * $i).cast()) };
        for $l in 0..$n {
            if $i < 4 {
                // SAFETY: a part of the block.
                let x = unsafe { _mm_loadu_si128($block.add(16 * $i).cast()) };
                $m[$i % 4][$l] = _mm_shuffle_epi8(x, $swap);
            } else {
                // Four words of the schedule from the last sixteen.
                let x = _mm_sha256msg1_epu32($m[$i % 4][$l], $m[($i + 1) % 4][$l]);
                let x = _mm_add_epi32(x, _mm_alignr_epi8::<4>($m[($i + 3) % 4][$l], $m[($i + 2) % 4][$l]));
                $m[$i % 4][$l] = _mm_sha256msg2_epu32(x, $m[($i + 3) % 4][$l]);
            }
        }
        let mut kw = [_mm_setzero_si128(); $n];
        for l in 0..$n {
            kw[l] = _mm_add_epi32($m[$i % 4][l], k);
            $cdgh[l] = _mm_sha256rnds2_epu32($cdgh[l], $abef[l], kw[l]);
        }
        for l in 0..$n {
            $abef[l] = _mm_sha256rnds2_epu32($abef[l], $cdgh[l], _mm_shuffle_epi32::<0x0e>(kw[l]));
        }
    }};
}

pub(in crate::algo) use four_rounds;

/// One message.
#[hashmill_isa::isa(SHANI)]
pub(super) fn shani(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    blocks::<1>(packed, rows);
}

/// Two messages.
#[hashmill_isa::isa(SHANI)]
pub(super) fn shanix2(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    blocks::<2>(packed, rows);
}

/// Word `w` of lane `l` lies at `4 * (w * N + l)`.
#[inline]
#[hashmill_isa::isa(SHANI)]
fn blocks<const N: usize>(packed: &mut [u8], rows: &Rows<'_>) {
    assert!(packed.len() >= 32 * N && rows.lanes() == N && rows.block() == 64);
    let mut abef = [_mm_setzero_si128(); N];
    let mut cdgh = [_mm_setzero_si128(); N];
    for l in 0..N {
        if N == 1 {
            // SAFETY: 32 bytes, as asserted.
            let (abcd, efgh) =
                unsafe { (_mm_loadu_si128(packed.as_ptr().cast()), _mm_loadu_si128(packed.as_ptr().add(16).cast())) };
            let (badc, hgfe) = (_mm_shuffle_epi32::<0xb1>(abcd), _mm_shuffle_epi32::<0x1b>(efgh));
            abef[l] = _mm_alignr_epi8::<8>(badc, hgfe);
            cdgh[l] = _mm_blend_epi16::<0xf0>(hgfe, badc);
            continue;
        }
        let mut h = [0; 8];
        for (w, word) in h.iter_mut().enumerate() {
            *word = i32::from_ne_bytes(*packed[4 * (w * N + l)..].first_chunk().expect("a word"));
        }
        abef[l] = _mm_set_epi32(h[0], h[1], h[4], h[5]);
        cdgh[l] = _mm_set_epi32(h[2], h[3], h[6], h[7]);
    }
    let mut from = [core::ptr::null::<u8>(); N];
    for (l, p) in from.iter_mut().enumerate() {
        *p = rows.lane(l).as_ptr();
    }
    let swap = _mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203);
    for b in 0..rows.blocks() {
        let (abef0, cdgh0) = (abef, cdgh);
        let mut m = [[_mm_setzero_si128(); N]; 4];
        // Within the lanes, which have `rows.blocks()` blocks of 64 bytes.
        repeat16!(I => four_rounds!(I, N, |l| from[l].wrapping_add(64 * b), swap, m, abef, cdgh));
        for l in 0..N {
            abef[l] = _mm_add_epi32(abef[l], abef0[l]);
            cdgh[l] = _mm_add_epi32(cdgh[l], cdgh0[l]);
        }
    }
    for l in 0..N {
        if N == 1 {
            let (feba, dchg) = (_mm_shuffle_epi32::<0x1b>(abef[l]), _mm_shuffle_epi32::<0xb1>(cdgh[l]));
            // SAFETY: 32 bytes, as asserted.
            unsafe {
                _mm_storeu_si128(packed.as_mut_ptr().cast(), _mm_blend_epi16::<0xf0>(feba, dchg));
                _mm_storeu_si128(packed.as_mut_ptr().add(16).cast(), _mm_alignr_epi8::<8>(dchg, feba));
            }
            continue;
        }
        let h = [
            _mm_extract_epi32::<3>(abef[l]),
            _mm_extract_epi32::<2>(abef[l]),
            _mm_extract_epi32::<3>(cdgh[l]),
            _mm_extract_epi32::<2>(cdgh[l]),
            _mm_extract_epi32::<1>(abef[l]),
            _mm_extract_epi32::<0>(abef[l]),
            _mm_extract_epi32::<1>(cdgh[l]),
            _mm_extract_epi32::<0>(cdgh[l]),
        ];
        for (w, word) in h.into_iter().enumerate() {
            packed[4 * (w * N + l)..][..4].copy_from_slice(&word.to_ne_bytes());
        }
    }
}
