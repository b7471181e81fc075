//! Bytes in vector registers: loads and stores of arrays, S-boxes on 64 bytes at once, linear maps of bytes.

#![allow(unsafe_code, reason = "loads and stores of arrays")]

use core::arch::x86_64::*;

/// An array to load vectors from, aligned so that no load crosses a cache line.
#[repr(C, align(64))]
pub(super) struct Aligned<T>(pub(super) T);

macro_rules! memory {
    ($load:ident, $store:ident, $reg:ty, $bytes:literal, $features:tt, $l:ident, $s:ident) => {
        #[inline]
        #[hashmill_isa::isa($features)]
        pub(super) fn $load(from: &[u8; $bytes]) -> $reg {
            // SAFETY: an unaligned load of an array as long as the register.
            unsafe { $l(from.as_ptr().cast()) }
        }

        #[inline]
        #[hashmill_isa::isa($features)]
        #[allow(dead_code, reason = "not every width is stored")]
        pub(super) fn $store(to: &mut [u8; $bytes], x: $reg) {
            // SAFETY: an unaligned store to an array as long as the register.
            unsafe { $s(to.as_mut_ptr().cast(), x) }
        }
    };
}

memory!(load128, store128, __m128i, 16, [SSE2], _mm_loadu_si128, _mm_storeu_si128);
memory!(load256, store256, __m256i, 32, [AVX2], _mm256_loadu_si256, _mm256_storeu_si256);
memory!(load512, store512, __m512i, 64, [AVX512], _mm512_loadu_si512, _mm512_storeu_si512);

/// The `BYTES` bytes at `at`.
#[inline(always)]
pub(super) fn piece<const BYTES: usize>(bytes: &[u8], at: usize) -> &[u8; BYTES] {
    bytes[at..].first_chunk().expect("enough bytes")
}

/// [`piece`], mutable.
#[inline(always)]
pub(super) fn piece_mut<const BYTES: usize>(bytes: &mut [u8], at: usize) -> &mut [u8; BYTES] {
    bytes[at..].first_chunk_mut().expect("enough bytes")
}

/// Prefetches the cache line at `at`, which may lie beyond the end. With 64 messages, no CPU predicts the next accesses
/// by itself.
#[inline]
#[hashmill_isa::isa(SSE2)]
pub(super) fn prefetch(bytes: &[u8], at: usize) {
    #[allow(unused_unsafe, reason = "the intrinsic is an unsafe function in older compilers")]
    // SAFETY: a hint that reads nothing, whatever the address.
    unsafe {
        _mm_prefetch::<_MM_HINT_T0>(bytes.as_ptr().wrapping_add(at).cast())
    }
}

/// The first half of a transposition of 64 rows of 64 bytes: the quarters of rows l, 16 + l, 32 + l and 48 + l, for l
/// in 0..16. If the rows are messages, it is best done well before the second half, because those are not in the cache.
macro_rules! quarters64 {
    ($row:ident => $x:expr, $l:expr, $quarters:expr) => {{
        let mut r = [_mm512_setzero_si512(); 4];
        for q in 0..4 {
            let $row = 16 * q + $l;
            r[q] = $x;
        }
        let (low, low1) = (_mm512_shuffle_i32x4::<0x44>(r[0], r[1]), _mm512_shuffle_i32x4::<0x44>(r[2], r[3]));
        let (high, high1) = (_mm512_shuffle_i32x4::<0xee>(r[0], r[1]), _mm512_shuffle_i32x4::<0xee>(r[2], r[3]));
        $quarters[$l] = _mm512_shuffle_i32x4::<0x88>(low, low1);
        $quarters[16 + $l] = _mm512_shuffle_i32x4::<0xdd>(low, low1);
        $quarters[32 + $l] = _mm512_shuffle_i32x4::<0x88>(high, high1);
        $quarters[48 + $l] = _mm512_shuffle_i32x4::<0xdd>(high, high1);
    }};
}
pub(super) use quarters64;

/// The second half of the transposition, or all of it. Evaluates `$to` for every i, with `$bytes` holding byte `$i` of
/// every row.
macro_rules! transpose64 {
    ($row:ident => $x:expr, $quarters:expr, |$i:ident, $bytes:ident| $to:expr) => {{
        for l in 0..16 {
            quarters64!($row => $x, l, $quarters);
        }
        transpose64!($quarters, |$i, $bytes| $to);
    }};
    ($quarters:expr, |$i:ident, $bytes:ident| $to:expr) => {{
        for q in 0..4 {
            // Transposes 16×16 bytes in each quarter of a register: interleave row k with row k + 8, four times.
            let mut a = [_mm512_setzero_si512(); 16];
            for k in 0..16 {
                a[k] = $quarters[16 * q + k];
            }
            for _ in 0..4 {
                let mut b = a;
                for k in 0..8 {
                    b[2 * k] = _mm512_unpacklo_epi8(a[k], a[k + 8]);
                    b[2 * k + 1] = _mm512_unpackhi_epi8(a[k], a[k + 8]);
                }
                a = b;
            }
            for k in 0..16 {
                let ($i, $bytes) = (16 * q + k, a[k]);
                $to;
            }
        }
    }};
}
pub(super) use transpose64;

/// Loads an S-box into registers.
#[inline]
#[hashmill_isa::isa(AVX512)]
pub(super) fn s_box(s: &[u8; 256]) -> [__m512i; 4] {
    [load512(piece(s, 0)), load512(piece(s, 64)), load512(piece(s, 128)), load512(piece(s, 192))]
}

/// Substitutes every byte of `x`. A lookup uses seven bits of the index; the eighth selects the half of the table.
#[inline]
#[hashmill_isa::isa(AVX512 + VBMI + GFNI)]
pub(super) fn substitute(s: &[__m512i; 4], x: __m512i) -> __m512i {
    let low = _mm512_permutex2var_epi8(s[0], x, s[1]);
    let high = _mm512_permutex2var_epi8(s[2], x, s[3]);
    let eighth = _mm512_gf2p8affine_epi64_epi8::<0>(x, _mm512_set1_epi8(-0x80));
    _mm512_ternarylogic_epi64::<0xca>(eighth, high, low)
}

/// The matrix, in the form of GFNI's affine instructions, of the linear map that takes bit k to `images[k]`.
pub(super) const fn matrix(images: [u8; 8]) -> u64 {
    let mut m = 0;
    let mut bit = 0;
    while bit < 8 {
        let mut k = 0;
        while k < 8 {
            // Byte 7 - i of the matrix selects the input bits whose sum is bit i of the image.
            m |= ((images[k] >> bit & 1) as u64) << (8 * (7 - bit) + k);
            k += 1;
        }
        bit += 1;
    }
    m
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The identity is the only matrix printed in Intel's manual.
    #[test]
    fn matrices() {
        assert_eq!(matrix([1, 2, 4, 8, 16, 32, 64, 128]), 0x0102_0408_1020_4080);
        assert_eq!(matrix([2, 4, 8, 16, 32, 64, 128, 1]), 0x8001_0204_0810_2040);
    }
}
