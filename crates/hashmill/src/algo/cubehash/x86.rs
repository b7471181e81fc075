//! CubeHash of one message: four words per register (lm), so that the swaps of j and k are only renamings.

#![allow(unsafe_code, reason = "loads and stores of the state and of blocks")]

use crate::contract::Params;
use crate::simd::Rows;
use core::arch::x86_64::*;

macro_rules! one_message {
    ($(#[$doc:meta])* $name:ident, $features:tt, |$x:ident, $n:ident| $rotl:expr) => {
        $(#[$doc])*
        #[hashmill_isa::isa($features)]
        pub(super) fn $name(p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
            let block = rows.block();
            assert!(packed.len() >= 128 && rows.lanes() == 1 && (1..=128).contains(&block));
            let mut x = [_mm_setzero_si128(); 8];
            for i in 0..8 {
                // SAFETY: the state has 128 bytes.
                x[i] = unsafe { _mm_loadu_si128(packed.as_ptr().add(16 * i).cast()) };
            }
            macro_rules! half {
                ($rotation:literal, $swap0:literal, $shuffle:literal) => {
                    for i in 0..4 {
                        x[4 + i] = _mm_add_epi32(x[4 + i], x[i]);
                        let $x = x[i];
                        const $n: i32 = $rotation;
                        x[i] = $rotl;
                    }
                    for i in 0..4 {
                        if i & $swap0 == 0 {
                            (x[i], x[i + $swap0]) = (x[i + $swap0], x[i]);
                        }
                    }
                    for i in 0..4 {
                        x[i] = _mm_xor_si128(x[i], x[4 + i]);
                        x[4 + i] = _mm_shuffle_epi32::<$shuffle>(x[4 + i]);
                    }
                };
            }
            macro_rules! round {
                () => {
                    half!(7, 2, 0b01_00_11_10);
                    half!(11, 1, 0b10_11_00_01);
                };
            }
            for b in 0..rows.blocks() {
                let m = &rows.lane(0)[b * block..][..block];
                if block == 32 {
                    for i in 0..2 {
                        // SAFETY: the block has 32 bytes.
                        x[i] = _mm_xor_si128(x[i], unsafe { _mm_loadu_si128(m.as_ptr().add(16 * i).cast()) });
                    }
                } else {
                    let mut words = [0u64; 16];
                    for i in 0..block {
                        words[i / 8] |= u64::from(m[i]) << (i % 8 * 8);
                    }
                    for i in 0..8 {
                        x[i] = _mm_xor_si128(x[i], _mm_set_epi64x(words[2 * i + 1] as i64, words[2 * i] as i64));
                    }
                }
                for _ in 0..p.p[1] / 2 {
                    round!();
                    round!();
                }
                if p.p[1] % 2 == 1 {
                    round!();
                }
            }
            for i in 0..8 {
                // SAFETY: the state has 128 bytes.
                unsafe { _mm_storeu_si128(packed.as_mut_ptr().add(16 * i).cast(), x[i]) };
            }
        }
    };
}

one_message! {
    /// For every x86-64 CPU.
    sse2x1, [SSE2], |x, N| _mm_or_si128(_mm_slli_epi32::<N>(x), _mm_srli_epi32::<{ 32 - N }>(x))
}
one_message! {
    /// With rotate instructions.
    avx512x1, [AVX512], |x, N| _mm_rol_epi32::<N>(x)
}
