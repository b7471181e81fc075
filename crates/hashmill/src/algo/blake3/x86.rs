//! BLAKE3's compression of one block: the rows of v are registers of four words, and a half round is four G side by
//! side.
//!
//! As in BLAKE2s, a, c and d instead of b are rotated for the diagonals, off the critical path. The message stays in
//! four registers in the order in which it is added, and permuting it takes eleven shuffles.

#![allow(unsafe_code, reason = "loads and stores of words, and calls of functions with features")]

use super::lanes::{self, Nodes};
#[cfg(feature = "blake3")]
use super::{ALL, Crate, Keys, LONG, last_node, one_chunk, parent, root, subtree, words};
use super::{BLOCK, CHUNK_END, CHUNK_START, Compress, IV, Portable, ROOT, Words, singly};
use crate::base::cpu::on_cpu;
#[cfg(feature = "blake3")]
use crate::contract::CHUNK;
use crate::contract::word;
use crate::simd::x86::{Avx512, U32x16};
use core::arch::x86_64::*;

/// Calls what takes one block at a time.
macro_rules! one_by_one {
    ($sets:tt $one:ident, $blocks:ident, $message:ident) => {
        #[inline(always)]
        fn compress(h: &Words, m: &[u8; BLOCK], t: u64, b: u32, d: u32) -> [u32; 16] {
            on_cpu!($sets; $one(h, m, t, b, d))
        }

        #[inline(always)]
        fn chain(h: &mut Words, blocks: &[[u8; BLOCK]], t: u64, d: u32) {
            on_cpu!($sets; $blocks(h, blocks, t, d));
        }

        #[inline(always)]
        fn chunk(blocks: &[[u8; BLOCK]], last: &[u8], out: &mut [u8; 32]) {
            on_cpu!($sets; $message(blocks, last, out));
        }
    };
}

/// One block at a time, in four registers.
pub(super) struct Ssse3;

impl Compress for Ssse3 {
    const NEW: Self = Ssse3;
    one_by_one!([SSSE3] ssse3, blocks_ssse3, message_ssse3);
}

/// One block at a time, in four registers with a rotate instruction.
pub(super) struct Avx512Vl;

impl Compress for Avx512Vl {
    const NEW: Self = Avx512Vl;
    one_by_one!([AVX512] avx512vl, blocks_avx512vl, message_avx512vl);
}

/// Sixteen lanes for long messages, the crate for those of a few chunks, `avx512vl` or scalar words for single blocks.
pub(super) struct Avx512x16<const ROWS: bool>;

impl<const ROWS: bool> Compress for Avx512x16<ROWS> {
    const NEW: Self = Avx512x16;
    const LANES: usize = 16;

    #[inline(always)]
    fn compress(h: &Words, m: &[u8; BLOCK], t: u64, b: u32, d: u32) -> [u32; 16] {
        if ROWS { Avx512Vl::compress(h, m, t, b, d) } else { Portable::compress(h, m, t, b, d) }
    }

    #[inline(always)]
    fn chain(h: &mut Words, blocks: &[[u8; BLOCK]], t: u64, d: u32) {
        if ROWS { Avx512Vl::chain(h, blocks, t, d) } else { Portable::chain(h, blocks, t, d) }
    }

    #[inline(always)]
    fn chunk(blocks: &[[u8; BLOCK]], last: &[u8], out: &mut [u8; 32]) {
        if ROWS { Avx512Vl::chunk(blocks, last, out) } else { Portable::chunk(blocks, last, out) }
    }

    fn values(x: &Nodes<'_>, m: &[u8], out: &mut [[u8; 32]]) {
        match out.len() {
            ..=2 => singly::<Self>(x, m, out),
            _ => on_cpu!([AVX512]; avx512x16(x, m, out)),
        }
    }

    #[cfg(feature = "blake3")]
    fn subtree(&self, keys: &Keys, t: u64, m: &[u8]) -> Words {
        if m.len() <= CHUNK {
            last_node::<Self>(keys, t, m).value::<Self>()
        } else if m.len() < LONG {
            Crate::<ALL>::NEW.subtree(keys, t, m)
        } else {
            words(&subtree::<Self>(keys, t, m, 1)[0])
        }
    }

    #[cfg(feature = "blake3")]
    fn chunk_root(&self, keys: &Keys, m: &[u8], at: u64, out: &mut [u8]) {
        match out.len() {
            ..=BLOCK => last_node::<Self>(keys, 0, m).output::<Self>(at, out),
            _ => Crate::<ALL>::NEW.chunk_root(keys, m, at, out),
        }
    }

    #[cfg(feature = "blake3")]
    fn parent_root(&self, keys: &Keys, left: &Words, right: &Words, at: u64, out: &mut [u8]) {
        match out.len() {
            ..=BLOCK => parent(keys, left, right).output::<Self>(at, out),
            _ => Crate::<ALL>::NEW.parent_root(keys, left, right, at, out),
        }
    }

    #[cfg(feature = "blake3")]
    #[inline(always)]
    fn at_once(&self, m: &[u8], out: &mut [u8]) {
        if m.len() <= CHUNK {
            one_chunk::<Self>(m, out);
        } else if m.len() < LONG {
            Crate::<ALL>::NEW.at_once(m, out);
        } else {
            root(self, &Keys::HASH, m, out);
        }
    }
}

#[hashmill_isa::isa(AVX512)]
fn avx512x16(x: &Nodes<'_>, m: &[u8], out: &mut [[u8; 32]]) {
    lanes::values::<U32x16>(Avx512::token(), x, m, out);
}

/// With a rotate instruction.
mod rotations {
    use super::*;

    #[inline]
    #[hashmill_isa::isa(AVX512)]
    pub(super) fn bytes() -> [__m128i; 2] {
        [_mm_setzero_si128(); 2]
    }

    #[inline]
    #[hashmill_isa::isa(AVX512)]
    pub(super) fn rotr<const N: i32>(x: __m128i, _: &[__m128i; 2]) -> __m128i {
        _mm_ror_epi32::<N>(x)
    }
}

/// Without a rotate instruction.
mod shifts {
    use super::*;

    /// The byte shuffles that rotate words by 16 and by 8.
    #[inline]
    #[hashmill_isa::isa(SSSE3)]
    pub(super) fn bytes() -> [__m128i; 2] {
        let mut by_16 = _mm_set_epi64x(0x0d0c_0f0e_0908_0b0a, 0x0504_0706_0100_0302);
        // SAFETY: no instruction. A compiler that knows the shuffle splits it into two, one after the other, in the
        // dependency chain.
        #[cfg(not(miri))]
        unsafe {
            core::arch::asm!("/* {0} */", inout(xmm_reg) by_16, options(pure, nomem, nostack, preserves_flags))
        }
        [by_16, _mm_set_epi64x(0x0c0f_0e0d_080b_0a09, 0x0407_0605_0003_0201)]
    }

    #[inline]
    #[hashmill_isa::isa(SSSE3)]
    pub(super) fn rotr<const N: i32>(x: __m128i, bytes: &[__m128i; 2]) -> __m128i {
        match N {
            16 => _mm_shuffle_epi8(x, bytes[0]),
            8 => _mm_shuffle_epi8(x, bytes[1]),
            12 => _mm_or_si128(_mm_srli_epi32::<12>(x), _mm_slli_epi32::<20>(x)),
            _ => _mm_or_si128(_mm_srli_epi32::<7>(x), _mm_slli_epi32::<25>(x)),
        }
    }
}

/// The immediate of a shuffle that puts these words in this order, the first of them first.
const fn order(a: i32, b: i32, c: i32, d: i32) -> i32 {
    d << 6 | c << 4 | b << 2 | a
}

/// Two words of `a`, then two of `b`.
#[inline]
#[hashmill_isa::isa(SSSE3)]
fn of_both<const ORDER: i32>(a: __m128i, b: __m128i) -> __m128i {
    _mm_castps_si128(_mm_shuffle_ps::<ORDER>(_mm_castsi128_ps(a), _mm_castsi128_ps(b)))
}

/// The message for the next round. `x` holds what the columns add, m0 2 4 6 and then m1 3 5 7; `y` is for the
/// diagonals, each word in the lane of its b: m14 8 10 12 and m15 9 11 13.
#[inline]
#[hashmill_isa::isa(SSSE3)]
fn permuted(x: [__m128i; 2], y: [__m128i; 2]) -> ([__m128i; 2], [__m128i; 2]) {
    let x0 = of_both::<{ order(1, 2, 1, 3) }>(x[0], x[1]);
    let x1 = of_both::<{ order(3, 0, 2, 3) }>(x[0], _mm_blend_epi16::<0b1100_0000>(y[0], y[1]));
    let y0 = of_both::<{ order(0, 1, 0, 3) }>(y[1], _mm_blend_epi16::<0b1100_0000>(x[1], y[0]));
    let y1 = of_both::<{ order(1, 0, 0, 1) }>(y[0], _mm_unpackhi_epi32(y[1], x[1]));
    (
        [_mm_shuffle_epi32::<{ order(0, 2, 3, 1) }>(x0), _mm_shuffle_epi32::<{ order(0, 2, 1, 3) }>(x1)],
        [_mm_shuffle_epi32::<{ order(0, 2, 3, 1) }>(y0), _mm_shuffle_epi32::<{ order(0, 2, 3, 1) }>(y1)],
    )
}

/// Loads eight words.
#[inline]
#[hashmill_isa::isa(SSSE3)]
fn load(words: &Words) -> [__m128i; 2] {
    let (halves, _) = words.as_chunks::<4>();
    // SAFETY: four words each.
    unsafe { [_mm_loadu_si128(halves[0].as_ptr().cast()), _mm_loadu_si128(halves[1].as_ptr().cast())] }
}

#[inline]
#[hashmill_isa::isa(SSSE3)]
fn store<const N: usize>(words: &mut [u32; N], rows: &[__m128i]) {
    let (to, _) = words.as_chunks_mut::<4>();
    for i in 0..to.len() {
        // SAFETY: four words.
        unsafe { _mm_storeu_si128(to[i].as_mut_ptr().cast(), rows[i]) }
    }
}

/// Loads a block of up to 64 bytes, and zeros behind it. In no larger pieces than a hasher has just stored it in: a
/// load from two of them waits for the cache, and so would the block if it were padded in memory.
#[inline]
#[hashmill_isa::isa(SSSE3)]
fn message(block: &[u8]) -> [__m128i; 4] {
    let (parts, rest) = block.as_chunks::<16>();
    let mut m = [_mm_setzero_si128(); 4];
    for i in 0..4 {
        if let Some(part) = parts.get(i) {
            // SAFETY: sixteen bytes.
            m[i] = unsafe { _mm_loadu_si128(part.as_ptr().cast()) };
            // SAFETY: no instruction. The compiler would join two of these loads.
            #[cfg(not(miri))]
            unsafe {
                core::arch::asm!("/* {0} */", inout(xmm_reg) m[i], options(pure, nomem, nostack, preserves_flags))
            }
        } else if i == parts.len() {
            let (low, high) = match (word(rest), rest.first_chunk(), rest.last_chunk()) {
                (None, Some(first), Some(last)) => {
                    (u64::from_le_bytes(*first), u64::from_le_bytes(*last) >> (8 * (16 - rest.len())))
                }
                (word, ..) => (word.unwrap_or_default(), 0),
            };
            m[i] = _mm_set_epi64x(high.cast_signed(), low.cast_signed());
        }
    }
    m
}

macro_rules! compress {
    ($one:ident, $blocks:ident, $message:ident, $rows:ident, $features:tt, $ops:ident) => {
        /// v after all rounds, folded: eight words of chaining value, then eight more of output.
        #[inline]
        #[hashmill_isa::isa($features)]
        fn $rows([h0, h1]: [__m128i; 2], m: [__m128i; 4], t: u64, len: u32, flags: u32) -> [__m128i; 4] {
            let bytes = $ops::bytes();
            let (mut a, mut b, [mut c, _]) = (h0, h1, load(&IV));
            let mut d = _mm_set_epi32(
                flags.cast_signed(),
                len.cast_signed(),
                ((t >> 32) as u32).cast_signed(),
                (t as u32).cast_signed(),
            );
            let mut x = [of_both::<{ order(0, 2, 0, 2) }>(m[0], m[1]), of_both::<{ order(1, 3, 1, 3) }>(m[0], m[1])];
            let mut y = [of_both::<{ order(0, 2, 0, 2) }>(m[2], m[3]), of_both::<{ order(1, 3, 1, 3) }>(m[2], m[3])];
            for i in 0..2 {
                y[i] = _mm_shuffle_epi32::<{ order(3, 0, 1, 2) }>(y[i]);
            }
            macro_rules! half {
                ($m:ident) => {
                    a = _mm_add_epi32(_mm_add_epi32(a, $m[0]), b);
                    d = $ops::rotr::<16>(_mm_xor_si128(d, a), &bytes);
                    c = _mm_add_epi32(c, d);
                    b = $ops::rotr::<12>(_mm_xor_si128(b, c), &bytes);
                    a = _mm_add_epi32(_mm_add_epi32(a, $m[1]), b);
                    d = $ops::rotr::<8>(_mm_xor_si128(d, a), &bytes);
                    c = _mm_add_epi32(c, d);
                    b = $ops::rotr::<7>(_mm_xor_si128(b, c), &bytes);
                };
            }
            for round in 0..7 {
                half!(x);
                a = _mm_shuffle_epi32::<{ order(3, 0, 1, 2) }>(a);
                c = _mm_shuffle_epi32::<{ order(1, 2, 3, 0) }>(c);
                d = _mm_shuffle_epi32::<{ order(2, 3, 0, 1) }>(d);
                half!(y);
                a = _mm_shuffle_epi32::<{ order(1, 2, 3, 0) }>(a);
                c = _mm_shuffle_epi32::<{ order(3, 0, 1, 2) }>(c);
                d = _mm_shuffle_epi32::<{ order(2, 3, 0, 1) }>(d);
                if round < 6 {
                    (x, y) = permuted(x, y);
                }
            }
            [_mm_xor_si128(a, c), _mm_xor_si128(b, d), _mm_xor_si128(c, h0), _mm_xor_si128(d, h1)]
        }

        #[hashmill_isa::isa($features)]
        fn $one(h: &Words, m: &[u8; BLOCK], t: u64, len: u32, flags: u32) -> [u32; 16] {
            let mut out = [0; 16];
            store(&mut out, &$rows(load(h), message(m), t, len, flags));
            out
        }

        #[hashmill_isa::isa($features)]
        fn $blocks(h: &mut Words, blocks: &[[u8; BLOCK]], t: u64, mut flags: u32) {
            let mut rows = load(h);
            for i in 0..blocks.len() {
                let [h0, h1, ..] = $rows(rows, message(&blocks[i]), t, BLOCK as u32, flags);
                rows = [h0, h1];
                flags &= !CHUNK_START;
            }
            store(h, &rows);
        }

        /// The digest of a message of one chunk: `blocks`, then `last`, of at most a block.
        #[hashmill_isa::isa($features)]
        fn $message(blocks: &[[u8; BLOCK]], last: &[u8], out: &mut [u8; 32]) {
            let (mut rows, mut flags) = (load(&IV), CHUNK_START);
            for i in 0..=blocks.len() {
                let (block, len) = match blocks.get(i) {
                    Some(block) => (message(block), BLOCK as u32),
                    None => (message(last), last.len() as u32),
                };
                if i == blocks.len() {
                    flags |= CHUNK_END | ROOT;
                }
                let [h0, h1, ..] = $rows(rows, block, 0, len, flags);
                (rows, flags) = ([h0, h1], 0);
            }
            let (halves, _) = out.as_chunks_mut::<16>();
            for i in 0..2 {
                // SAFETY: sixteen bytes.
                unsafe { _mm_storeu_si128(halves[i].as_mut_ptr().cast(), rows[i]) }
            }
        }
    };
}

compress!(ssse3, blocks_ssse3, message_ssse3, rows_ssse3, SSSE3, shifts);
compress!(avx512vl, blocks_avx512vl, message_avx512vl, rows_avx512vl, AVX512, rotations);
