//! BLAKE-256 of one message: v's rows are registers of four words, a half round is four G side by side.
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

/// What a round adds to a: the numbers of the words for the first and the second half of G, of the columns and of the
/// diagonals, in the four lanes; and the constants that belong to them.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Added {
    words: [usize; 16],
    constants: [u32; 16],
}

static ADDED: [Added; 14] = rounds();

const fn rounds() -> [Added; 14] {
    // Which G is in which lane: on the diagonals, the one whose b stands there.
    const LANES: [[usize; 4]; 2] = [[0, 1, 2, 3], [7, 4, 5, 6]];
    let mut all = [Added { words: [0; 16], constants: [0; 16] }; 14];
    let mut i = 0;
    while i < 16 * 14 {
        let (r, half, second, lane) = (i / 16, i / 8 % 2, i / 4 % 2, i % 4);
        let at = 2 * LANES[half][lane] + second;
        all[r].words[i % 16] = SIGMA[r % 10][at];
        all[r].constants[i % 16] = C[SIGMA[r % 10][at ^ 1]];
        i += 1;
    }
    all
}

/// The shuffle that reverses the bytes of each word.
#[inline]
#[hashmill_isa::isa(SSE2)]
fn swap() -> __m128i {
    _mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203)
}

/// Each word of the message in all lanes: a selection of four is three blends then, which most ports run.
#[inline]
#[hashmill_isa::isa(SSSE3)]
fn message(block: &[u8; 64]) -> [__m128i; 16] {
    let mut m = [_mm_setzero_si128(); 16];
    for i in 0..16 {
        let w = i32::from_le_bytes(*block[4 * i..].first_chunk().expect("four bytes"));
        m[i] = _mm_shuffle_epi8(_mm_set1_epi32(w), swap());
    }
    m
}

/// What round `r` adds in the first and in the second half of G, on the columns and on the diagonals.
#[inline]
#[hashmill_isa::isa(SSSE3)]
fn added(m: &[__m128i; 16], r: usize) -> [__m128i; 4] {
    // SAFETY: no instruction; what is in memory is read after it, so that the selections stay between the rounds. In
    // front of them, where the compiler would have them, they would keep the next block out of the processor's window.
    #[cfg(not(miri))]
    unsafe {
        core::arch::asm!("/* {0} */", in(reg) m, options(nostack, preserves_flags))
    }
    let mut x = [_mm_setzero_si128(); 4];
    for k in 0..4 {
        let w = &ADDED[r].words[4 * k..];
        let low = _mm_blend_epi16::<0b0000_1100>(m[w[0]], m[w[1]]);
        let high = _mm_blend_epi16::<0b1100_0000>(m[w[2]], m[w[3]]);
        // SAFETY: four words, aligned.
        let constants = unsafe { _mm_load_si128(ADDED[r].constants.as_ptr().add(4 * k).cast()) };
        x[k] = _mm_xor_si128(_mm_blend_epi16::<0b1111_0000>(low, high), constants);
    }
    x
}

/// With an instruction for rotations.
mod rotations {
    use super::*;

    #[inline]
    #[hashmill_isa::isa(AVX512)]
    pub(super) fn rotr<const N: i32>(x: __m128i) -> __m128i {
        _mm_ror_epi32::<N>(x)
    }
}

/// Without one.
mod shifts {
    use super::*;

    #[inline]
    #[hashmill_isa::isa(SSSE3)]
    pub(super) fn rotr<const N: i32>(x: __m128i) -> __m128i {
        match N {
            16 => _mm_shuffle_epi8(x, _mm_set_epi64x(0x0d0c_0f0e_0908_0b0a, 0x0504_0706_0100_0302)),
            8 => _mm_shuffle_epi8(x, _mm_set_epi64x(0x0c0f_0e0d_080b_0a09, 0x0407_0605_0003_0201)),
            12 => _mm_or_si128(_mm_srli_epi32::<12>(x), _mm_slli_epi32::<20>(x)),
            _ => _mm_or_si128(_mm_srli_epi32::<7>(x), _mm_slli_epi32::<25>(x)),
        }
    }
}

macro_rules! one_message {
    ($(#[$doc:meta])* $name:ident, $features:tt, $ops:ident) => {
        $(#[$doc])*
        #[hashmill_isa::isa($features)]
        pub(super) fn $name(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
            assert!(rows.lanes() == 1 && rows.block() == 64);
            let mut state = [0; 14];
            for i in 0..14 {
                state[i] = u32::from_ne_bytes(*packed[4 * i..].first_chunk().expect("fourteen words"));
            }
            // SAFETY: four words each.
            let [mut h0, mut h1, s, c0, c1] = unsafe {
                [
                    _mm_loadu_si128(state.as_ptr().cast()),
                    _mm_loadu_si128(state.as_ptr().add(4).cast()),
                    _mm_loadu_si128(state.as_ptr().add(S).cast()),
                    _mm_loadu_si128(C.as_ptr().cast()),
                    _mm_loadu_si128(C.as_ptr().add(4).cast()),
                ]
            };
            let (mut t0, mut t1) = (state[T0], state[T1]);
            for i in 0..rows.blocks() {
                let m = message(rows.lane(0)[64 * i..].first_chunk().expect("a block"));
                t0 = t0.wrapping_add(512);
                t1 = t1.wrapping_add(u32::from(t0 < 512));
                let t = _mm_set_epi32(t1.cast_signed(), t1.cast_signed(), t0.cast_signed(), t0.cast_signed());
                let (mut a, mut b, mut c, mut d) = (h0, h1, _mm_xor_si128(s, c0), _mm_xor_si128(t, c1));
                macro_rules! half {
                    ($x:expr, $y:expr) => {
                        a = _mm_add_epi32(_mm_add_epi32(a, $x), b);
                        d = $ops::rotr::<16>(_mm_xor_si128(d, a));
                        c = _mm_add_epi32(c, d);
                        b = $ops::rotr::<12>(_mm_xor_si128(b, c));
                        a = _mm_add_epi32(_mm_add_epi32(a, $y), b);
                        d = $ops::rotr::<8>(_mm_xor_si128(d, a));
                        c = _mm_add_epi32(c, d);
                        b = $ops::rotr::<7>(_mm_xor_si128(b, c));
                    };
                }
                repeat16!(R => if R < 14 {
                    let x = added(&m, R % 14);
                    half!(x[0], x[1]);
                    a = _mm_shuffle_epi32::<0b10_01_00_11>(a);
                    c = _mm_shuffle_epi32::<0b00_11_10_01>(c);
                    d = _mm_shuffle_epi32::<0b01_00_11_10>(d);
                    half!(x[2], x[3]);
                    a = _mm_shuffle_epi32::<0b00_11_10_01>(a);
                    c = _mm_shuffle_epi32::<0b10_01_00_11>(c);
                    d = _mm_shuffle_epi32::<0b01_00_11_10>(d);
                });
                h0 = _mm_xor_si128(_mm_xor_si128(h0, s), _mm_xor_si128(a, c));
                h1 = _mm_xor_si128(_mm_xor_si128(h1, s), _mm_xor_si128(b, d));
            }
            (state[T0], state[T1]) = (t0, t1);
            // SAFETY: four words each.
            unsafe {
                _mm_storeu_si128(state.as_mut_ptr().cast(), h0);
                _mm_storeu_si128(state.as_mut_ptr().add(4).cast(), h1);
            }
            for i in 0..14 {
                packed[4 * i..4 * i + 4].copy_from_slice(&state[i].to_ne_bytes());
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
    ssse3, [SSSE3], shifts
}
