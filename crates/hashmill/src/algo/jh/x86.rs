//! JH of one message: the S-box on all 256 elements at once.
//!
//! Register i holds x_2i and x_2i+1 interleaved in units of 64 bits, so evens and odds meet by a shuffle within 128
//! bits. Written out, L is one step:
//!
//! ```text
//! even, odd of y_0:  a0 ^ b1 ^ a2             b0 ^ a1
//!              y_1:  a1 ^ b2 ^ a0 ^ a3        b1 ^ a2
//!              y_2:  a2 ^ b0 ^ b3 ^ a0 ^ a1   b2 ^ a0 ^ a3
//!              y_3:  a3 ^ b0 ^ a1             b3 ^ a0
//! ```
//!
//! that is, y_0 ^ s_1, y_1 ^ s_2, y_2 ^ s_0 ^ s_3, y_3 ^ s_0, where s_i is y_i with evens and odds swapped, plus
//! further terms in the evens only.
//!
//! Groups of 8, 16 and 32 bits are never actually swapped: only L must know which odd meets which even, and its shuffle
//! moves the bytes at no cost. The constants of the odds are ordered accordingly. After 14 rounds, all bytes are back
//! in place.

#![allow(unsafe_code, reason = "loads and stores of the state and of blocks")]

use crate::contract::Params;
use crate::simd::{Rows, align_frame};
use core::arch::asm;
use core::arch::x86_64::*;

/// The displacement of the bytes of the odds (XORed to their index) in round r of 14.
const OFF: [usize; 14] = offsets();

const fn offsets() -> [usize; 14] {
    let mut off = [0; 14];
    let mut r = 0;
    while r < 13 {
        let n = 1 << (r % 7);
        off[r + 1] = if n >= 8 && n <= 32 { off[r] ^ (n / 8) } else { off[r] };
        r += 1;
    }
    off
}

#[repr(C, align(32))]
struct Aligned<T>(T);

/// C_r for r = 14i + j at \[i\]\[j\].
static CONSTANTS: Aligned<[[[u64; 4]; 14]; 3]> = Aligned(constants());

const fn constants() -> [[[u64; 4]; 14]; 3] {
    let specified = super::constants();
    let mut all = [[[0; 4]; 14]; 3];
    let mut r = 0;
    while r < 42 {
        let c = specified[r / 7][r % 7];
        let off = OFF[r % 14];
        all[r / 14][r % 14] = [c[0], moved(c[2], off), c[1], moved(c[3], off)];
        r += 1;
    }
    all
}

/// Moves byte k ^ off to k.
const fn moved(x: u64, off: usize) -> u64 {
    let x = x.to_le_bytes();
    let mut y = [0; 8];
    let mut k = 0;
    while k < 8 {
        y[k] = x[k ^ off];
        k += 1;
    }
    u64::from_le_bytes(y)
}

/// The shuffles that swap evens and odds whose bytes are displaced by 0 to 7.
static EXCHANGE: Aligned<[[u8; 32]; 8]> = Aligned(exchange());

const fn exchange() -> [[u8; 32]; 8] {
    let mut all = [[0; 32]; 8];
    let mut i = 0;
    while i < 256 {
        all[i / 32][i % 32] = ((i % 16) ^ (8 | (i / 32))) as u8;
        i += 1;
    }
    all
}

/// Mask of the upper group in each pair of groups of n bits.
const fn upper(n: u32) -> i64 {
    (!(u64::MAX / ((1 << n) + 1))).cast_signed()
}

/// With three-operand logic (AVX-512).
mod ternary {
    use super::*;

    /// Selects bit 4x + 2y + z of `F` for each bit. On Zen 5, vpternlog has a latency of two cycles from the operand
    /// that it overwrites, but three from the others (measured); so x should be the operand that is ready last.
    /// Compilers would choose another.
    #[inline]
    #[hashmill_isa::isa(AVX512)]
    fn logic<const F: i32>(mut x: __m256i, y: __m256i, z: __m256i) -> __m256i {
        // SAFETY: computes on registers only.
        unsafe {
            asm!(
                "vpternlogq {x}, {y}, {z}, {f}",
                x = inout(ymm_reg) x,
                y = in(ymm_reg) y,
                z = in(ymm_reg) z,
                f = const F,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        x
    }

    /// x ^ (!y & z)
    const CHI: i32 = 0xd2;
    /// y ^ (!x & z)
    const XOR_NOT_AND: i32 = 0xc6;
    /// !(x ^ (!y & z))
    const NOT_CHI: i32 = 0x2d;
    /// y ^ (x & z)
    const AND_XOR: i32 = 0x6c;
    /// y ^ (x & !z)
    const AND_NOT_XOR: i32 = 0x9c;
    /// y ^ (x | z)
    const OR_XOR: i32 = 0x36;
    /// (x ^ y) & z
    const XOR_AND: i32 = 0x28;
    const XOR3: i32 = 0x96;

    #[inline]
    #[hashmill_isa::isa(AVX512)]
    pub(super) fn s_box(y: [__m256i; 4], c: __m256i) -> [__m256i; 4] {
        let [a, b, d, e] = y;
        let a = logic::<XOR_NOT_AND>(d, a, c);
        let t = logic::<AND_XOR>(a, c, b);
        let a = logic::<CHI>(a, e, d);
        let e = logic::<NOT_CHI>(e, b, d);
        let b = logic::<AND_XOR>(a, b, d);
        let d = logic::<AND_NOT_XOR>(a, d, e);
        let last = logic::<OR_XOR>(b, a, e);
        let e = logic::<AND_XOR>(b, e, d);
        let b = logic::<AND_XOR>(last, b, t);
        [last, b, _mm256_xor_si256(d, t), e]
    }

    /// L; s is y with evens and odds swapped.
    #[inline]
    #[hashmill_isa::isa(AVX512)]
    pub(super) fn l(y: [__m256i; 4], s: [__m256i; 4]) -> [__m256i; 4] {
        let even = _mm256_set_epi64x(0, -1, 0, -1);
        [
            _mm256_xor_si256(logic::<AND_XOR>(y[2], y[0], even), s[1]),
            logic::<XOR3>(y[1], s[2], logic::<XOR_AND>(y[3], y[0], even)),
            _mm256_xor_si256(logic::<XOR3>(s[3], y[2], s[0]), logic::<XOR_AND>(y[1], y[0], even)),
            _mm256_xor_si256(logic::<AND_XOR>(y[1], y[3], even), s[0]),
        ]
    }

    /// Swaps neighboring groups of n bits of the odds.
    #[inline]
    #[hashmill_isa::isa(AVX512)]
    pub(super) fn swap<const N: i32>(x: __m256i) -> __m256i {
        let up = _mm256_sllv_epi64(x, _mm256_set_epi64x(N.into(), 0, N.into(), 0));
        let down = _mm256_srli_epi64::<N>(x);
        let upper = const { upper(N as u32) };
        // x where z, else y.
        logic::<0xe4>(up, down, _mm256_set_epi64x(upper, -1, upper, -1))
    }
}

/// With AVX2 only.
mod binary {
    use super::*;

    #[inline]
    #[hashmill_isa::isa(AVX2)]
    fn xor(x: __m256i, y: __m256i) -> __m256i {
        _mm256_xor_si256(x, y)
    }

    #[inline]
    #[hashmill_isa::isa(AVX2)]
    pub(super) fn s_box(y: [__m256i; 4], c: __m256i) -> [__m256i; 4] {
        let [mut a, mut b, mut d, e] = y;
        a = xor(a, _mm256_andnot_si256(d, c));
        let t = xor(c, _mm256_and_si256(a, b));
        a = xor(a, _mm256_andnot_si256(e, d));
        // The e of the specification is the complement of this one.
        let e = xor(e, _mm256_andnot_si256(b, d));
        b = xor(b, _mm256_and_si256(a, d));
        d = xor(d, _mm256_and_si256(e, a));
        let not_last = xor(a, _mm256_andnot_si256(b, e));
        let not_e = xor(e, _mm256_and_si256(b, d));
        b = xor(b, _mm256_andnot_si256(not_last, t));
        let ones = _mm256_set1_epi64x(-1);
        [xor(not_last, ones), b, xor(d, t), xor(not_e, ones)]
    }

    /// L; s is y with evens and odds swapped.
    #[inline]
    #[hashmill_isa::isa(AVX2)]
    pub(super) fn l(y: [__m256i; 4], s: [__m256i; 4]) -> [__m256i; 4] {
        let even = _mm256_set_epi64x(0, -1, 0, -1);
        let z = [
            _mm256_and_si256(y[2], even),
            _mm256_and_si256(xor(y[0], y[3]), even),
            _mm256_and_si256(xor(y[0], y[1]), even),
            _mm256_and_si256(y[1], even),
        ];
        [
            xor(xor(y[0], z[0]), s[1]),
            xor(xor(y[1], z[1]), s[2]),
            xor(xor(y[2], z[2]), xor(s[0], s[3])),
            xor(xor(y[3], z[3]), s[0]),
        ]
    }

    /// Swaps neighboring groups of n bits of the odds.
    #[inline]
    #[hashmill_isa::isa(AVX2)]
    pub(super) fn swap<const N: i32>(x: __m256i) -> __m256i {
        let up = _mm256_sllv_epi64(x, _mm256_set_epi64x(N.into(), 0, N.into(), 0));
        let down = _mm256_srli_epi64::<N>(x);
        let upper = const { upper(N as u32) };
        let upper = _mm256_set_epi64x(upper, -1, upper, -1);
        _mm256_or_si256(_mm256_and_si256(upper, up), _mm256_andnot_si256(upper, down))
    }
}

macro_rules! one_message {
    ($(#[$doc:meta])* $name:ident, $features:tt, $ops:ident) => {
        $(#[$doc])*
        #[hashmill_isa::isa($features)]
        pub(super) fn $name(_: &Params, packed: &mut [u8], rows: &Rows<'_>) {
            assert!(packed.len() >= 128 && rows.lanes() == 1 && rows.block() == 64);
            align_frame::<__m256i>();
            let mut y = [_mm256_setzero_si256(); 4];
            for i in 0..4 {
                // SAFETY: the state has 128 bytes.
                let x = unsafe { _mm256_loadu_si256(packed.as_ptr().add(32 * i).cast()) };
                y[i] = _mm256_permute4x64_epi64::<0b11_01_10_00>(x);
            }
            let from = rows.lane(0).as_ptr();
            for b in 0..rows.blocks() {
                let mut m = [_mm256_setzero_si256(); 2];
                for i in 0..2 {
                    // SAFETY: the lane has `rows.blocks()` blocks of 64 bytes; b and i stay within them.
                    let x = unsafe { _mm256_loadu_si256(from.add(64 * b + 32 * i).cast()) };
                    m[i] = _mm256_permute4x64_epi64::<0b11_01_10_00>(x);
                    y[i] = _mm256_xor_si256(y[i], m[i]);
                }
                for i in 0..3 {
                    macro_rules! round {
                        ($j:literal) => {
                            // SAFETY: 32 bytes, aligned.
                            let c = unsafe { _mm256_load_si256(CONSTANTS.0[i][$j].as_ptr().cast()) };
                            y = $ops::s_box(y, c);
                            let mut s = y;
                            for k in 0..4 {
                                s[k] = if OFF[$j] == 0 {
                                    _mm256_shuffle_epi32::<0b01_00_11_10>(y[k])
                                } else {
                                    // SAFETY: 32 bytes, aligned.
                                    let order = unsafe { _mm256_load_si256(EXCHANGE.0[OFF[$j]].as_ptr().cast()) };
                                    _mm256_shuffle_epi8(y[k], order)
                                };
                            }
                            y = $ops::l(y, s);
                            for k in 0..4 {
                                y[k] = match $j % 7 {
                                    0 => $ops::swap::<1>(y[k]),
                                    1 => $ops::swap::<2>(y[k]),
                                    2 => $ops::swap::<4>(y[k]),
                                    6 => _mm256_permute4x64_epi64::<0b01_10_11_00>(y[k]),
                                    _ => y[k],
                                };
                            }
                        };
                    }
                    round!(0);
                    round!(1);
                    round!(2);
                    round!(3);
                    round!(4);
                    round!(5);
                    round!(6);
                    round!(7);
                    round!(8);
                    round!(9);
                    round!(10);
                    round!(11);
                    round!(12);
                    round!(13);
                }
                for i in 0..2 {
                    y[2 + i] = _mm256_xor_si256(y[2 + i], m[i]);
                }
            }
            for i in 0..4 {
                let x = _mm256_permute4x64_epi64::<0b11_01_10_00>(y[i]);
                // SAFETY: the state has 128 bytes.
                unsafe { _mm256_storeu_si256(packed.as_mut_ptr().add(32 * i).cast(), x) };
            }
        }
    };
}

one_message! {
    /// With three-operand logic.
    avx512vl, [AVX512], ternary
}
one_message! {
    /// With two-operand logic.
    avx2, [AVX2], binary
}
