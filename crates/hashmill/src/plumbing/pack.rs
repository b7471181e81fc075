//! Packs the last bytes of messages and their padding into rows for a kernel.
//!
//! A kernel can take several rounds of rows at once ([`Rows::apart`](crate::simd::Rows::apart)), so that it transposes
//! the next messages while it hashes the current ones.

#![allow(unsafe_code, reason = "loads and stores of rows, and calls of functions with features")]

use crate::contract::{Padding, marked};

/// Number of bytes after the last row that may be overwritten.
pub(crate) const OVERHANG: usize = 64;

/// Writes a row of `tail` bytes for each of `n` messages: the message from byte `skip` on, followed by its padding.
/// `tail` is a multiple of 8.
///
/// # Panics
/// If `rows` has no room for the rows and [`OVERHANG`], or if a message is too long after `skip` to fit into its row.
#[inline(always)]
pub(crate) fn rows<'m>(
    n: usize,
    message: impl Fn(usize) -> &'m [u8],
    skip: usize,
    padding: &Padding,
    tail: usize,
    rows: &mut [u8],
) {
    assert!(rows.len() >= n * tail + OVERHANG && tail.is_multiple_of(8));
    #[cfg(target_arch = "x86_64")]
    if crate::base::cpu::features().has(crate::base::cpu::Features::AVX512) {
        // SAFETY: the CPU has the features.
        unsafe { x86::avx512(n, message, skip, padding, tail, rows) };
        return;
    }
    portable(n, message, skip, padding, tail, rows);
}

/// Transposes a square of 32-bit words, and reverses the bytes of every word if `swap`.
#[inline(always)]
pub(crate) fn turn(square: &mut [[u8; 16]; 4], swap: bool) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 CPU has SSE2.
    unsafe {
        x86::turn(square, swap);
    }
    #[cfg(not(target_arch = "x86_64"))]
    turn_portable(square, swap);
}

/// [`turn`] without vector instructions.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn turn_portable(square: &mut [[u8; 16]; 4], swap: bool) {
    let old = *square;
    for (i, row) in square.iter_mut().enumerate() {
        for (j, word) in row.chunks_exact_mut(4).enumerate() {
            word.copy_from_slice(&old[j][4 * i..][..4]);
            if swap {
                word.reverse();
            }
        }
    }
}

/// The implementation for all targets.
fn portable<'m>(
    n: usize,
    message: impl Fn(usize) -> &'m [u8],
    skip: usize,
    padding: &Padding,
    tail: usize,
    rows: &mut [u8],
) {
    for (j, row) in rows.chunks_exact_mut(tail).take(n).enumerate() {
        let message = message(j);
        let rest = &message[skip..];
        marked(padding.mark, rest, row);
        let (before, word) = padding.last(message.len());
        let (words, _) = row.as_chunks_mut::<8>();
        let last = &mut words[(tail - before) / 8];
        *last = (u64::from_le_bytes(*last) | word).to_le_bytes();
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{OVERHANG, Padding};
    use core::arch::x86_64::*;

    /// Uses only what every x86-64 CPU has.
    #[inline]
    #[hashmill_isa::isa(SSE2)]
    pub(super) fn turn(square: &mut [[u8; 16]; 4], swap: bool) {
        let mut r = [_mm_setzero_si128(); 4];
        for i in 0..4 {
            // SAFETY: a row has the sixteen bytes that are loaded.
            r[i] = unsafe { _mm_loadu_si128(square[i].as_ptr().cast()) };
        }
        let (a, b) = (_mm_unpacklo_epi32(r[0], r[1]), _mm_unpacklo_epi32(r[2], r[3]));
        let (c, d) = (_mm_unpackhi_epi32(r[0], r[1]), _mm_unpackhi_epi32(r[2], r[3]));
        let columns =
            [_mm_unpacklo_epi64(a, b), _mm_unpackhi_epi64(a, b), _mm_unpacklo_epi64(c, d), _mm_unpackhi_epi64(c, d)];
        for i in 0..4 {
            let mut v = columns[i];
            if swap {
                // Swap the halves of each word, then the bytes of each half.
                v = _mm_shufflehi_epi16::<0b10_11_00_01>(_mm_shufflelo_epi16::<0b10_11_00_01>(v));
                v = _mm_or_si128(_mm_slli_epi16::<8>(v), _mm_srli_epi16::<8>(v));
            }
            // SAFETY: a row has the sixteen bytes that are stored.
            unsafe { _mm_storeu_si128(square[i].as_mut_ptr().cast(), v) };
        }
    }

    /// A mask of the lowest `n` bits, or of all bits if `n` is 64 or more.
    #[inline]
    #[hashmill_isa::isa(BMI2)]
    fn low(n: usize) -> u64 {
        _bzhi_u64(u64::MAX, n.min(64) as u32)
    }

    /// Packs 64 bytes at a time. Masked loads ensure that nothing beyond the message is read.
    #[hashmill_isa::isa(AVX512)]
    pub(super) fn avx512<'m>(
        n: usize,
        message: impl Fn(usize) -> &'m [u8],
        skip: usize,
        padding: &Padding,
        tail: usize,
        rows: &mut [u8],
    ) {
        assert!(rows.len() >= n * tail + OVERHANG);
        let mark = _mm512_set1_epi8(padding.mark.cast_signed());
        let mut row = rows.as_mut_ptr();
        if tail <= 64 {
            let (before, _) = padding.last(0);
            let ends = 1u8 << ((tail - before) / 8);
            for j in 0..n {
                let message = message(j);
                let rest = &message[skip..];
                assert!(rest.len() < tail);
                let (_, word) = padding.last(message.len());
                // SAFETY: the mask selects only bytes of `rest`; this row and its overhang lie within `rows`, as
                // asserted.
                unsafe {
                    let bytes = _mm512_maskz_loadu_epi8(low(rest.len()), rest.as_ptr().cast());
                    let bytes = _mm512_mask_blend_epi8(1 << rest.len(), bytes, mark);
                    let bytes = _mm512_mask_or_epi64(bytes, ends, bytes, _mm512_set1_epi64(word.cast_signed()));
                    _mm512_storeu_si512(row.cast(), bytes);
                    row = row.add(tail);
                }
            }
            return;
        }
        for j in 0..n {
            let message = message(j);
            let rest = &message[skip..];
            assert!(rest.len() < tail);
            let (before, word) = padding.last(message.len());
            let last = _mm512_set1_epi64(word.cast_signed());
            let mut at = 0;
            while at < tail {
                let left = rest.len().wrapping_sub(at);
                // `left` is negative in the chunks after the one that has the mark.
                let (some, marked) =
                    if left.cast_signed() < 0 { (0, 0) } else { (low(left), if left < 64 { 1 << left } else { 0 }) };
                let end = (tail - before).wrapping_sub(at);
                let ends = if end < 64 { 1u8 << (end / 8) } else { 0 };
                // SAFETY: the mask selects only bytes of `rest`. This row and the overhang of its last chunk lie within
                // `rows`, as asserted; later rows overwrite the overhang of earlier ones.
                unsafe {
                    let bytes = _mm512_maskz_loadu_epi8(some, rest.as_ptr().wrapping_add(at).cast());
                    let bytes = _mm512_mask_blend_epi8(marked, bytes, mark);
                    let bytes = _mm512_mask_or_epi64(bytes, ends, bytes, last);
                    _mm512_storeu_si512(row.add(at).cast(), bytes);
                }
                at += 64;
            }
            // SAFETY: the next row begins within `rows`, as asserted.
            row = unsafe { row.add(tail) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::End;

    /// Both implementations of the transposition agree.
    #[test]
    fn squares_are_turned() {
        for swap in [false, true] {
            let mut square = [[0; 16]; 4];
            square.as_flattened_mut().iter_mut().enumerate().for_each(|(i, b)| *b = i as u8);
            let mut other = square;
            turn(&mut square, swap);
            turn_portable(&mut other, swap);
            assert_eq!(square, other);
            assert!(square[0][4..8].contains(&16), "{square:?}");
        }
    }

    /// Both implementations agree with padding assembled byte by byte.
    #[test]
    fn rows_are_messages_and_padding() {
        let text: Vec<u8> = (0..800u32).map(|i| (i * 7 + i / 256) as u8 | 1).collect();
        let length = |bytes, big_endian| End::Length { bytes, big_endian };
        for end in [length(8, false), length(8, true), length(16, true), length(32, true), length(32, false), End::Bit]
        {
            for block in [16usize, 64, 72, 104, 128, 136, 168] {
                for skip in [0, block, 2 * block] {
                    for tail in [block, 2usize * block] {
                        let padding = Padding { mark: 0x1f, end };
                        let Some(most) = (tail - 1).checked_sub(padding.field()) else { continue };
                        let message = |rest: usize| &text[text.len() - skip - rest..];
                        let mut want = Vec::new();
                        for rest in 0..=most {
                            let mut row = vec![0; tail];
                            row[..rest].copy_from_slice(&message(rest)[skip..]);
                            row[rest] = 0x1f;
                            let bits = 8 * message(rest).len() as u128;
                            match end {
                                End::Bit => row[tail - 1] |= 0x80,
                                End::Length { bytes, big_endian: false } => {
                                    row[tail - bytes..][..8].copy_from_slice(&bits.to_le_bytes()[..8]);
                                }
                                End::Length { .. } => row[tail - 8..].copy_from_slice(&bits.to_be_bytes()[8..]),
                            }
                            want.extend(row);
                        }
                        let mut got = vec![0xaa; want.len() + OVERHANG];
                        portable(most + 1, message, skip, &padding, tail, &mut got);
                        assert!(
                            got[..want.len()] == want,
                            "portable: {end:?}, block {block}, skip {skip}, tail {tail}"
                        );
                        got.fill(0xaa);
                        rows(most + 1, message, skip, &padding, tail, &mut got);
                        assert!(got[..want.len()] == want, "{end:?}, block {block}, skip {skip}, tail {tail}");
                    }
                }
            }
        }
    }
}
