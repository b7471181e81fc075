//! XXH3's stripes in registers: all eight accumulators in two 32-byte registers, or in one of 64 bytes.

#![allow(unsafe_code, reason = "loads and stores of words and stripes, and calls of functions with features")]

use super::{Long, P32_1, Running, START, STRIPE, STRIPES, Secret};
use crate::base::cpu::on_cpu;

#[inline(always)]
pub(super) fn mix_avx2(
    running: &mut Running,
    secret: &Long<'_>,
    stripes: [&[[u8; STRIPE]]; 2],
    last: Option<&[u8; STRIPE]>,
) {
    on_cpu!([AVX2]; avx2(running, secret, stripes, last));
}

#[inline(always)]
pub(super) fn mix_avx512(
    running: &mut Running,
    secret: &Long<'_>,
    stripes: [&[[u8; STRIPE]]; 2],
    last: Option<&[u8; STRIPE]>,
) {
    on_cpu!([AVX512]; avx512(running, secret, stripes, last));
}

#[inline(always)]
pub(super) fn sums_avx2(words: &[u64; 24], stripes: &[[u8; STRIPE]], sums: &mut [[u64; 8]]) {
    on_cpu!([AVX2]; avx2_sums(words, stripes, sums));
}

#[inline(always)]
pub(super) fn sums_avx512(words: &[u64; 24], stripes: &[[u8; STRIPE]], sums: &mut [[u64; 8]]) {
    on_cpu!([AVX512]; avx512_sums(words, stripes, sums));
}

#[inline(always)]
pub(super) fn once_avx2(secret: &Secret, stripes: &[[u8; STRIPE]], last: &[u8; STRIPE]) -> [u64; 8] {
    on_cpu!([AVX2]; avx2_once(secret, stripes, last))
}

#[inline(always)]
pub(super) fn once_avx512(secret: &Secret, stripes: &[[u8; STRIPE]], last: &[u8; STRIPE]) -> [u64; 8] {
    // One register of 64 bytes is worth its costs at the end from half a block on: 241 bytes took 17 ns, with two
    // registers 14.
    if stripes.len() < STRIPES / 2 {
        return once_avx2(secret, stripes, last);
    }
    on_cpu!([AVX512]; avx512_once(secret, stripes, last))
}

/// The accumulators at the beginning of every message. They are loaded from here, because words that have just been
/// written one by one cannot be loaded together until they have reached the cache.
static BEGINNING: [u64; 8] = START;

mod ymm {
    use core::arch::x86_64::*;

    pub(super) type V = [__m256i; 2];

    /// # Safety
    /// Eight words can be read at `words`.
    #[inline]
    #[hashmill_isa::isa(AVX2)]
    pub(super) unsafe fn load(words: *const u64) -> V {
        // SAFETY: four and four words.
        unsafe { [_mm256_loadu_si256(words.cast()), _mm256_loadu_si256(words.add(4).cast())] }
    }

    #[inline]
    #[hashmill_isa::isa(AVX2)]
    pub(super) fn store(words: &mut [u64; 8], v: V) {
        let (halves, _) = words.as_chunks_mut::<4>();
        for i in 0..2 {
            // SAFETY: four words.
            unsafe { _mm256_storeu_si256(halves[i].as_mut_ptr().cast(), v[i]) }
        }
    }

    #[inline]
    #[hashmill_isa::isa(AVX2)]
    pub(super) fn stripe(mut acc: V, d: V, s: V) -> V {
        for i in 0..2 {
            let k = _mm256_xor_si256(d[i], s[i]);
            let product = _mm256_mul_epu32(k, _mm256_srli_epi64::<32>(k));
            // Adds the neighbor's word: a swap of 64-bit halves.
            acc[i] = _mm256_add_epi64(acc[i], _mm256_add_epi64(product, _mm256_shuffle_epi32::<0b01_00_11_10>(d[i])));
        }
        acc
    }

    #[inline]
    #[hashmill_isa::isa(AVX2)]
    pub(super) fn scramble(mut acc: V, s: V) -> V {
        let prime = _mm256_set1_epi64x(super::P32_1.cast_signed());
        for i in 0..2 {
            let k = _mm256_xor_si256(_mm256_xor_si256(acc[i], _mm256_srli_epi64::<47>(acc[i])), s[i]);
            let high = _mm256_slli_epi64::<32>(_mm256_mul_epu32(_mm256_srli_epi64::<32>(k), prime));
            acc[i] = _mm256_add_epi64(_mm256_mul_epu32(k, prime), high);
        }
        acc
    }
}

mod zmm {
    use core::arch::x86_64::*;

    pub(super) type V = __m512i;

    /// # Safety
    /// Eight words can be read at `words`.
    #[inline]
    #[hashmill_isa::isa(AVX512)]
    pub(super) unsafe fn load(words: *const u64) -> V {
        // SAFETY: eight words.
        unsafe { _mm512_loadu_si512(words.cast()) }
    }

    #[inline]
    #[hashmill_isa::isa(AVX512)]
    pub(super) fn store(words: &mut [u64; 8], v: V) {
        // SAFETY: eight words.
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), v) }
    }

    #[inline]
    #[hashmill_isa::isa(AVX512)]
    pub(super) fn stripe(acc: V, d: V, s: V) -> V {
        let k = _mm512_xor_si512(d, s);
        let product = _mm512_mul_epu32(k, _mm512_srli_epi64::<32>(k));
        // Adds the neighbor's word: a swap of 64-bit halves.
        _mm512_add_epi64(acc, _mm512_add_epi64(product, _mm512_shuffle_epi32::<0b01_00_11_10>(d)))
    }

    #[inline]
    #[hashmill_isa::isa(AVX512)]
    pub(super) fn scramble(acc: V, s: V) -> V {
        let prime = _mm512_set1_epi64(super::P32_1.cast_signed());
        let k = _mm512_xor_si512(_mm512_xor_si512(acc, _mm512_srli_epi64::<47>(acc)), s);
        let high = _mm512_slli_epi64::<32>(_mm512_mul_epu32(_mm512_srli_epi64::<32>(k), prime));
        _mm512_add_epi64(_mm512_mul_epu32(k, prime), high)
    }
}

macro_rules! mix {
    ($name:ident, $once:ident, $sums:ident, $features:tt, $ops:ident) => {
        #[hashmill_isa::isa($features)]
        fn $once(secret: &Secret, stripes: &[[u8; STRIPE]], last: &[u8; STRIPE]) -> [u64; 8] {
            let words = &secret.words;
            // SAFETY: eight words, and the last eight of them.
            let (mut acc, scramble) = unsafe { ($ops::load(BEGINNING.as_ptr()), $ops::load(words[16..].as_ptr())) };
            let (blocks, rest) = stripes.as_chunks::<STRIPES>();
            for block in blocks {
                for i in 0..STRIPES {
                    // SAFETY: a stripe is as long as eight words, and there are eight more words than stripes.
                    let (d, s) = unsafe { ($ops::load(block[i].as_ptr().cast()), $ops::load(words.as_ptr().add(i))) };
                    acc = $ops::stripe(acc, d, s);
                }
                acc = $ops::scramble(acc, scramble);
            }
            for (i, stripe) in rest.iter().enumerate() {
                // SAFETY: as above: there are fewer stripes than in a block.
                let (d, s) = unsafe { ($ops::load(stripe.as_ptr().cast()), $ops::load(words.as_ptr().add(i))) };
                acc = $ops::stripe(acc, d, s);
            }
            // SAFETY: a stripe is as long as eight words.
            let (d, s) = unsafe { ($ops::load(last.as_ptr().cast()), $ops::load(secret.last_stripe.as_ptr())) };
            let mut words = [0; 8];
            $ops::store(&mut words, $ops::stripe(acc, d, s));
            words
        }

        #[hashmill_isa::isa($features)]
        fn $sums(words: &[u64; 24], stripes: &[[u8; STRIPE]], sums: &mut [[u64; 8]]) {
            let (blocks, rest) = stripes.as_chunks::<STRIPES>();
            for (block, sum) in blocks.iter().zip(&mut *sums) {
                // SAFETY: eight words.
                let mut acc = unsafe { $ops::load(sum.as_ptr()) };
                for i in 0..STRIPES {
                    // SAFETY: a stripe is as long as eight words, and there are eight more words than stripes.
                    let (d, s) = unsafe { ($ops::load(block[i].as_ptr().cast()), $ops::load(words.as_ptr().add(i))) };
                    acc = $ops::stripe(acc, d, s);
                }
                $ops::store(sum, acc);
            }
            if let Some(sum) = sums.get_mut(blocks.len()) {
                // SAFETY: eight words.
                let mut acc = unsafe { $ops::load(sum.as_ptr()) };
                for (i, stripe) in rest.iter().enumerate() {
                    // SAFETY: as above: there are fewer stripes than in a block.
                    let (d, s) = unsafe { ($ops::load(stripe.as_ptr().cast()), $ops::load(words.as_ptr().add(i))) };
                    acc = $ops::stripe(acc, d, s);
                }
                $ops::store(sum, acc);
            }
        }

        #[hashmill_isa::isa($features)]
        fn $name(running: &mut Running, secret: &Long<'_>, parts: [&[[u8; STRIPE]]; 2], last: Option<&[u8; STRIPE]>) {
            let block = secret.words.len() - 8;
            assert!(secret.scramble.len() >= 8);
            // SAFETY: eight words.
            let mut acc = unsafe { $ops::load(running.acc.as_ptr()) };
            // SAFETY: eight words, as just checked.
            let scramble = unsafe { $ops::load(secret.scramble.as_ptr()) };
            for i in 0..2 {
                let mut stripes = parts[i];
                // Whole blocks with the usual secret: loops whose length the compiler knows.
                if running.stripes == 0 && block == STRIPES {
                    let (blocks, rest) = stripes.as_chunks::<STRIPES>();
                    for b in 0..blocks.len() {
                        for i in 0..STRIPES {
                            // SAFETY: a stripe is as long as eight words, and there are eight more words than stripes.
                            let (d, s) = unsafe {
                                ($ops::load(blocks[b][i].as_ptr().cast()), $ops::load(secret.words.as_ptr().add(i)))
                            };
                            acc = $ops::stripe(acc, d, s);
                        }
                        acc = $ops::scramble(acc, scramble);
                    }
                    stripes = rest;
                }
                while !stripes.is_empty() {
                    let (now, later) = stripes.split_at(stripes.len().min(block - running.stripes));
                    // The last one reads eight words, starting at its own.
                    let words = &secret.words[running.stripes..][..now.len() + 7];
                    for i in 0..now.len() {
                        // SAFETY: a stripe is as long as eight words, and that many words of the secret follow from `i`
                        // on.
                        let (d, s) = unsafe { ($ops::load(now[i].as_ptr().cast()), $ops::load(words.as_ptr().add(i))) };
                        acc = $ops::stripe(acc, d, s);
                    }
                    running.stripes += now.len();
                    if running.stripes == block {
                        acc = $ops::scramble(acc, scramble);
                        running.stripes = 0;
                    }
                    stripes = later;
                }
            }
            if let Some(last) = last {
                // SAFETY: a stripe is as long as eight words.
                let (d, s) = unsafe { ($ops::load(last.as_ptr().cast()), $ops::load(secret.last_stripe.as_ptr())) };
                acc = $ops::stripe(acc, d, s);
            }
            $ops::store(&mut running.acc, acc);
        }
    };
}

mix!(avx2, avx2_once, avx2_sums, AVX2, ymm);
mix!(avx512, avx512_once, avx512_sums, AVX512, zmm);
