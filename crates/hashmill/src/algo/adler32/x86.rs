//! Adler-32's sums with vectors.
//!
//! A byte d at position p of eight in group l of vector v of V, with n bytes per vector, is counted in b once for each
//! byte from it to the end: n·(V − 1 − v) + (n − 8·(l + 1)) + (8 − p) times. So three sums are kept: s of groups
//! (`psadbw`), t of all previous s (the first term), and w of bytes times 8 … 1 (`pmaddubsw`; eight of these fit in 16
//! bits); the middle term is computed from s at the end.

#![allow(unsafe_code, reason = "loads of the message, and calls of functions with features")]

use super::MODULUS;
use crate::algo::fletcher::Sums;
use crate::base::cpu::on_cpu;
use core::arch::x86_64::*;

/// The most bytes for which 32-bit sums do not overflow: 512 bytes add up to 61200 to each lane of w, and sixteen lanes
/// are added up.
const RUN: usize = 1 << 19;

/// The sums after the bytes of `m`, reduced.
#[inline(always)]
pub(super) fn avx512(mut sums: Sums, m: &[u8]) -> Sums {
    let mut rest = m;
    while !rest.is_empty() {
        let (run, after) = rest.split_at(rest.len().min(RUN));
        let [s, b] = on_cpu!([AVX512]; run_avx512(run));
        let zeros = (run.len() as u64).wrapping_neg() % 64;
        let a = sums.a + s;
        // Zeros after the run complete its last vector; every byte of the run is counted once for each of them.
        sums = Sums { a: a % MODULUS, b: (sums.b + sums.a * (run.len() as u64 + zeros) + b - zeros * a) % MODULUS };
        rest = after;
    }
    sums
}

/// The sums after the bytes of `m`, a multiple of 32, reduced.
#[inline(always)]
pub(super) fn avx2(mut sums: Sums, m: &[u8]) -> Sums {
    let mut rest = m;
    while !rest.is_empty() {
        let (run, after) = rest.split_at(rest.len().min(RUN));
        let [s, b] = on_cpu!([AVX2]; run_avx2(run));
        sums = Sums { a: (sums.a + s) % MODULUS, b: (sums.b + sums.a * run.len() as u64 + b) % MODULUS };
        rest = after;
    }
    sums
}

/// Returns Σ d, and Σ of every d times the number of bytes from it to the end of the last vector.
#[hashmill_isa::isa(AVX512)]
fn run_avx512(m: &[u8]) -> [u64; 2] {
    if m.len() <= 64 {
        return one_vector(m);
    }
    let zero = _mm512_setzero_si512();
    let weights = _mm512_set1_epi64(0x0102_0304_0506_0708);
    let ones = _mm512_set1_epi16(1);
    let (mut s, mut t, mut w) = (zero, zero, zero);
    let mut rest = m;
    while rest.len() >= 512 {
        let (group, after) = rest.split_at(512);
        let mut words = zero;
        for i in 0..8 {
            // SAFETY: the group has eight vectors.
            let d = unsafe { _mm512_loadu_si512(group.as_ptr().add(64 * i).cast()) };
            t = _mm512_add_epi64(t, s);
            s = _mm512_add_epi64(s, _mm512_sad_epu8(d, zero));
            words = _mm512_add_epi16(words, _mm512_maddubs_epi16(d, weights));
        }
        w = _mm512_add_epi32(w, _mm512_madd_epi16(words, ones));
        rest = after;
    }
    let mut words = zero;
    while !rest.is_empty() {
        let (vector, after) = rest.split_at(rest.len().min(64));
        // SAFETY: the mask selects only the bytes that exist.
        let d = unsafe { _mm512_maskz_loadu_epi8(u64::MAX >> (64 - vector.len()), vector.as_ptr().cast()) };
        t = _mm512_add_epi64(t, s);
        s = _mm512_add_epi64(s, _mm512_sad_epu8(d, zero));
        words = _mm512_add_epi16(words, _mm512_maddubs_epi16(d, weights));
        rest = after;
    }
    w = _mm512_add_epi32(w, _mm512_madd_epi16(words, ones));
    let groups = _mm512_mul_epu32(s, _mm512_set_epi64(0, 8, 16, 24, 32, 40, 48, 56));
    let b = _mm512_add_epi64(_mm512_slli_epi64::<6>(t), groups);
    let w = _mm512_reduce_add_epi32(w).cast_unsigned();
    [_mm512_reduce_add_epi64(s).cast_unsigned(), _mm512_reduce_add_epi64(b).cast_unsigned() + u64::from(w)]
}

/// [`run_avx512`] for one vector, whose bytes are weighted at once, and whose sums are added up together.
#[inline]
#[hashmill_isa::isa(AVX512)]
fn one_vector(m: &[u8]) -> [u64; 2] {
    // SAFETY: the mask selects only the bytes that exist.
    let d = unsafe { _mm512_maskz_loadu_epi8(_bzhi_u64(u64::MAX, m.len() as u32), m.as_ptr().cast()) };
    // SAFETY: there are 64 weights.
    let weights = unsafe { _mm512_load_si512(WEIGHTS.0.as_ptr().cast()) };
    let w = _mm512_madd_epi16(_mm512_maddubs_epi16(d, weights), _mm512_set1_epi16(1));
    let s = _mm512_sad_epu8(d, _mm512_setzero_si512());
    // Each 64-bit lane of w has two sums; those of bytes take its upper half once these are added up.
    let w = _mm512_add_epi64(_mm512_maskz_mov_epi32(0x5555, w), _mm512_srli_epi64::<32>(w));
    let sums = _mm512_add_epi64(_mm512_slli_epi64::<32>(s), w);
    let sums = _mm256_add_epi64(_mm512_castsi512_si256(sums), _mm512_extracti64x4_epi64::<1>(sums));
    let sums = _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
    let sums = _mm_cvtsi128_si64(_mm_add_epi64(sums, _mm_unpackhi_epi64(sums, sums))).cast_unsigned();
    [sums >> 32, sums & 0xffff_ffff]
}

#[repr(align(64))]
struct Weights([u8; 64]);

/// 64 … 1: how often each byte of a vector is counted.
static WEIGHTS: Weights = {
    let mut weights = [0; 64];
    let mut i = 0;
    while i < 64 {
        weights[i] = 64 - i as u8;
        i += 1;
    }
    Weights(weights)
};

/// [`run_avx512`] for whole vectors with AVX2.
#[hashmill_isa::isa(AVX2)]
fn run_avx2(m: &[u8]) -> [u64; 2] {
    let zero = _mm256_setzero_si256();
    let weights = _mm256_set1_epi64x(0x0102_0304_0506_0708);
    let ones = _mm256_set1_epi16(1);
    let (mut s, mut t, mut w) = (zero, zero, zero);
    let mut rest = m;
    while rest.len() >= 256 {
        let (group, after) = rest.split_at(256);
        let mut words = zero;
        for i in 0..8 {
            // SAFETY: the group has eight vectors.
            let d = unsafe { _mm256_loadu_si256(group.as_ptr().add(32 * i).cast()) };
            t = _mm256_add_epi64(t, s);
            s = _mm256_add_epi64(s, _mm256_sad_epu8(d, zero));
            words = _mm256_add_epi16(words, _mm256_maddubs_epi16(d, weights));
        }
        w = _mm256_add_epi32(w, _mm256_madd_epi16(words, ones));
        rest = after;
    }
    let mut words = zero;
    while rest.len() >= 32 {
        let (vector, after) = rest.split_at(32);
        // SAFETY: there are 32 bytes.
        let d = unsafe { _mm256_loadu_si256(vector.as_ptr().cast()) };
        t = _mm256_add_epi64(t, s);
        s = _mm256_add_epi64(s, _mm256_sad_epu8(d, zero));
        words = _mm256_add_epi16(words, _mm256_maddubs_epi16(d, weights));
        rest = after;
    }
    w = _mm256_add_epi32(w, _mm256_madd_epi16(words, ones));
    let groups = _mm256_mul_epu32(s, _mm256_set_epi64x(0, 8, 16, 24));
    let b = _mm256_add_epi64(_mm256_slli_epi64::<5>(t), groups);
    // Both halves of each 64-bit lane of w are 32-bit sums: add them up.
    let w = _mm256_add_epi64(_mm256_and_si256(w, _mm256_set1_epi64x(0xffff_ffff)), _mm256_srli_epi64::<32>(w));
    [total(s), total(_mm256_add_epi64(b, w))]
}

#[inline]
#[hashmill_isa::isa(AVX2)]
fn total(v: __m256i) -> u64 {
    let v = _mm_add_epi64(_mm256_castsi256_si128(v), _mm256_extracti128_si256::<1>(v));
    _mm_cvtsi128_si64(_mm_add_epi64(v, _mm_unpackhi_epi64(v, v))).cast_unsigned()
}
