//! BLAKE-512 of one message: v's rows are registers of four words, a half round is four G side by side.
//!
//! Before the diagonals a, c and d move against b, and not the others against a: b is what G computes last and needs
//! first, so that all moves happen beside the chain.

#![allow(unsafe_code, reason = "loads and stores of the state, of blocks and of tables")]

use super::{C, S, T0, T1};
use crate::algo::blake2b::SIGMA;
use crate::algo::repeat16;
use crate::contract::Params;
use crate::simd::Rows;
use core::arch::x86_64::*;

/// What a half round adds to a: the numbers of the words for the first half of G in the four lanes and for the second,
/// and the constants that belong to them.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Half {
    words: [usize; 8],
    constants: [u64; 8],
}

static HALVES: [[Half; 2]; 16] = halves();

const fn halves() -> [[Half; 2]; 16] {
    // Which G is in which lane: on the diagonals, the one whose b stands there.
    const LANES: [[usize; 4]; 2] = [[0, 1, 2, 3], [7, 4, 5, 6]];
    let mut all = [[Half { words: [0; 8], constants: [0; 8] }; 2]; 16];
    let mut i = 0;
    while i < 256 {
        let (r, half, second, lane) = (i / 16, i / 8 % 2, i / 4 % 2, i % 4);
        let at = 2 * LANES[half][lane] + second;
        all[r][half].words[i % 8] = SIGMA[r % 10][at];
        all[r][half].constants[i % 8] = C[SIGMA[r % 10][at ^ 1]];
        i += 1;
    }
    all
}

/// Each word of the message in all lanes: a selection of four is three blends then, which any port runs.
#[inline]
#[hashmill_isa::isa(AVX2)]
fn message(block: &[u8; 128]) -> [__m256i; 16] {
    let order = _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607));
    let mut m = [_mm256_setzero_si256(); 16];
    for i in 0..16 {
        let w = i64::from_le_bytes(*block[8 * i..].first_chunk().expect("eight bytes"));
        m[i] = _mm256_shuffle_epi8(_mm256_set1_epi64x(w), order);
    }
    m
}

/// What half round `half` of round `r` adds in the first and in the second half of G.
#[inline]
#[hashmill_isa::isa(AVX2)]
fn added(m: &[__m256i; 16], r: usize, half: usize) -> [__m256i; 2] {
    // SAFETY: no instruction; what is in memory is read after it, so that the selections stay between the rounds. In
    // front of them, where the compiler would have them, they would keep the next block out of the processor's window.
    #[cfg(not(miri))]
    unsafe {
        core::arch::asm!("/* {0} */", in(reg) m, options(nostack, preserves_flags))
    }
    let mut x = [_mm256_setzero_si256(); 2];
    for k in 0..2 {
        let w = &HALVES[r][half].words[4 * k..];
        let low = _mm256_blend_epi32::<0b0000_1100>(m[w[0]], m[w[1]]);
        let high = _mm256_blend_epi32::<0b1100_0000>(m[w[2]], m[w[3]]);
        // SAFETY: four words, aligned.
        let constants = unsafe { _mm256_load_si256(HALVES[r][half].constants.as_ptr().add(4 * k).cast()) };
        x[k] = _mm256_xor_si256(_mm256_blend_epi32::<0b1111_0000>(low, high), constants);
    }
    x
}

/// With an instruction for rotations.
mod rotations {
    use super::*;

    #[inline]
    #[hashmill_isa::isa(AVX512)]
    pub(super) fn rotr<const N: i32>(x: __m256i) -> __m256i {
        _mm256_ror_epi64::<N>(x)
    }
}

/// Without one.
mod shifts {
    use super::*;

    #[inline]
    #[hashmill_isa::isa(AVX2)]
    pub(super) fn rotr<const N: i32>(x: __m256i) -> __m256i {
        match N {
            32 => _mm256_shuffle_epi32::<0b10_11_00_01>(x),
            16 => {
                let order = _mm_set_epi64x(0x0908_0f0e_0d0c_0b0a, 0x0100_0706_0504_0302);
                _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(order))
            }
            25 => _mm256_or_si256(_mm256_srli_epi64::<25>(x), _mm256_slli_epi64::<39>(x)),
            _ => _mm256_or_si256(_mm256_srli_epi64::<11>(x), _mm256_slli_epi64::<53>(x)),
        }
    }
}

macro_rules! one_message {
    ($(#[$doc:meta])* $name:ident, $features:tt, $ops:ident) => {
        $(#[$doc])*
        #[hashmill_isa::isa($features)]
        pub(super) fn $name(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
            assert!(rows.lanes() == 1 && rows.block() == 128);
            let mut state = [0; 14];
            for i in 0..14 {
                state[i] = u64::from_ne_bytes(*packed[8 * i..].first_chunk().expect("fourteen words"));
            }
            // SAFETY: four words each.
            let [mut h0, mut h1, s, c0, c1] = unsafe {
                [
                    _mm256_loadu_si256(state.as_ptr().cast()),
                    _mm256_loadu_si256(state.as_ptr().add(4).cast()),
                    _mm256_loadu_si256(state.as_ptr().add(S).cast()),
                    _mm256_loadu_si256(C.as_ptr().cast()),
                    _mm256_loadu_si256(C.as_ptr().add(4).cast()),
                ]
            };
            let (mut t0, mut t1) = (state[T0], state[T1]);
            for i in 0..rows.blocks() {
                let m = message(rows.lane(0)[128 * i..].first_chunk().expect("a block"));
                t0 = t0.wrapping_add(1024);
                t1 = t1.wrapping_add(u64::from(t0 < 1024));
                let t = _mm256_set_epi64x(t1.cast_signed(), t1.cast_signed(), t0.cast_signed(), t0.cast_signed());
                let (mut a, mut b, mut c, mut d) = (h0, h1, _mm256_xor_si256(s, c0), _mm256_xor_si256(t, c1));
                macro_rules! half {
                    ($r:expr, $half:literal) => {
                        let [x, y] = added(&m, $r, $half);
                        a = _mm256_add_epi64(_mm256_add_epi64(a, x), b);
                        d = $ops::rotr::<32>(_mm256_xor_si256(d, a));
                        c = _mm256_add_epi64(c, d);
                        b = $ops::rotr::<25>(_mm256_xor_si256(b, c));
                        a = _mm256_add_epi64(_mm256_add_epi64(a, y), b);
                        d = $ops::rotr::<16>(_mm256_xor_si256(d, a));
                        c = _mm256_add_epi64(c, d);
                        b = $ops::rotr::<11>(_mm256_xor_si256(b, c));
                    };
                }
                repeat16!(R => {
                    half!(R, 0);
                    a = _mm256_permute4x64_epi64::<0b10_01_00_11>(a);
                    c = _mm256_permute4x64_epi64::<0b00_11_10_01>(c);
                    d = _mm256_permute4x64_epi64::<0b01_00_11_10>(d);
                    half!(R, 1);
                    a = _mm256_permute4x64_epi64::<0b00_11_10_01>(a);
                    c = _mm256_permute4x64_epi64::<0b10_01_00_11>(c);
                    d = _mm256_permute4x64_epi64::<0b01_00_11_10>(d);
                });
                h0 = _mm256_xor_si256(_mm256_xor_si256(h0, s), _mm256_xor_si256(a, c));
                h1 = _mm256_xor_si256(_mm256_xor_si256(h1, s), _mm256_xor_si256(b, d));
            }
            (state[T0], state[T1]) = (t0, t1);
            // SAFETY: four words each.
            unsafe {
                _mm256_storeu_si256(state.as_mut_ptr().cast(), h0);
                _mm256_storeu_si256(state.as_mut_ptr().add(4).cast(), h1);
            }
            for i in 0..14 {
                packed[8 * i..8 * i + 8].copy_from_slice(&state[i].to_ne_bytes());
            }
        }
    };
}

one_message! {
    /// A rotation is one instruction.
    avx512vl, [AVX512], rotations
}
one_message! {
    /// A rotation is a shuffle, or two shifts.
    avx2, [AVX2], shifts
}
