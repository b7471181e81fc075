//! CRCs by carry-less multiplication, and CRC-32C with its dedicated instruction.

#![allow(
    unsafe_code,
    reason = "loads of the message, intrinsics behind ISA tokens, and calls of functions with features"
)]

use super::clmul::{Clmul, Keys, fold};
use super::{Crc, ENTRIES, Entry, ISCSI, LEN, START};
use crate::base::cpu::{Features, features, found, needs, on_cpu};
use crate::contract::Params;
use core::arch::x86_64::*;
use std::sync::OnceLock;

/// Number of 128-bit and of 512-bit registers folded side by side.
const NARROW: usize = 4;
const WIDE: usize = 4;

macro_rules! entrances {
    ($($(#[$doc:meta])* $name:ident, $many:ident, $needs:ident $sets:tt, $bytes:literal, $mirrors:expr, $right:ident,
     $left:ident, $rights:ident, $lefts:ident, $v:ident, $n:ident, $isa:ident;)*) => {$(
        /// The CPU features that these functions need.
        pub(super) const $needs: Features = needs!($sets);

        $(#[$doc])*
        #[inline(always)]
        pub(super) fn $name(entry: &Entry, index: u16, register: u64, m: &[u8]) -> u64 {
            assert!(features().has(needs!($sets)));
            let keys = $isa::folding(entry, index);
            if entry.refin {
                // SAFETY: the CPU has the features, as just checked.
                unsafe { $right(keys, register, m) }
            } else {
                // SAFETY: the CPU has the features, as just checked.
                unsafe { $left(keys, register, m) }
            }
        }

        /// Computes the digests of messages of any length; those of at least `folded_from` bytes are folded.
        #[inline(always)]
        pub(super) fn $many<const WHICH: usize>(p: &Params, folded_from: usize, messages: &[&[u8]], out: &mut [u8]) {
            assert!(features().has(needs!($sets)));
            if Crc::new::<WHICH>(p).entry.refin {
                // SAFETY: the CPU has the features, as just checked.
                unsafe { $rights::<WHICH>(p, folded_from, messages, out) }
            } else {
                // SAFETY: the CPU has the features, as just checked.
                unsafe { $lefts::<WHICH>(p, folded_from, messages, out) }
            }
        }

        impl $isa {
            #[inline(always)]
            fn folding(entry: &Entry, index: u16) -> &'static Keys {
                static KEYS: [OnceLock<Keys>; LEN] = [const { OnceLock::new() }; LEN];
                KEYS[usize::from(index)].get_or_init(|| Keys::new(entry, $bytes, entry.refin || $mirrors))
            }
        }

        #[hashmill_isa::isa($sets)]
        fn $right(keys: &Keys, register: u64, m: &[u8]) -> u64 {
            fold::<$v, $n, true>($isa::token(), keys, register, m)
        }

        #[hashmill_isa::isa($sets)]
        fn $left(keys: &Keys, register: u64, m: &[u8]) -> u64 {
            fold::<$v, $n, false>($isa::token(), keys, register, m)
        }

        #[hashmill_isa::isa($sets)]
        fn $rights<const WHICH: usize>(p: &Params, folded_from: usize, messages: &[&[u8]], out: &mut [u8]) {
            let crc = Crc::new::<WHICH>(p);
            let keys = $isa::folding(crc.entry, crc.index);
            many::<$v, $n, true>($isa::token(), crc, keys, folded_from, messages, out);
        }

        #[hashmill_isa::isa($sets)]
        fn $lefts<const WHICH: usize>(p: &Params, folded_from: usize, messages: &[&[u8]], out: &mut [u8]) {
            let crc = Crc::new::<WHICH>(p);
            let keys = $isa::folding(crc.entry, crc.index);
            many::<$v, $n, false>($isa::token(), crc, keys, folded_from, messages, out);
        }
    )*};
}

entrances! {
    /// The register after the bytes of `m`, at least sixteen of them.
    pclmul, pclmul_many, PCLMUL [PCLMUL], 16, false, pclmul_right, pclmul_left, pclmul_rights, pclmul_lefts, X,
     NARROW, Pclmul;
    /// The register after the bytes of `m`, at least eight of them.
    vpclmul, vpclmul_many, VPCLMUL [AVX512 + VBMI + PCLMUL + VPCLMUL + GFNI], 64, true, vpclmul_right, vpclmul_left,
        vpclmul_rights, vpclmul_lefts, Z, WIDE, Vpclmul;
}

/// Message after message. They are independent, so the processor works on several of them at a time, as long as no
/// calls and no work that could be done once stand between them.
#[inline(always)]
fn many<V: Clmul, const N: usize, const REFIN: bool>(
    isa: V::Isa,
    crc: Crc,
    keys: &Keys,
    folded_from: usize,
    messages: &[&[u8]],
    out: &mut [u8],
) {
    let start = crc.start() as u64;
    let each = crc.entry.bytes();
    for i in 0..messages.len() {
        let m = messages[i];
        let register = if m.len() >= folded_from {
            fold::<V, N, REFIN>(isa, keys, start, m)
        } else if usize::from(crc.index) == ISCSI {
            sse42_short(start, m)
        } else {
            crc.by_sixteen(start, m)
        };
        crc.finish(register.into(), m.len() as u64, &mut out[i * each..][..each]);
    }
}

/// An operation on values that carry a token.
macro_rules! with {
    ($features:tt, ($($a:ident: $t:ty = $v:expr),*) -> $r:ty $body:block) => {{
        #[inline]
        #[hashmill_isa::isa($features)]
        fn op($($a: $t),*) -> $r $body
        // SAFETY: a value of the type, or its token, is in scope and proves the features.
        unsafe { op($($v),*) }
    }};
}

macro_rules! token {
    ($name:ident, $features:tt) => {
        #[derive(Clone, Copy)]
        struct $name(());
        impl $name {
            /// Callable without `unsafe` only where these features are enabled, so the value proves that they are.
            #[inline]
            #[hashmill_isa::isa($features)]
            fn token() -> Self {
                $name(())
            }
        }
    };
}

token!(Pclmul, [PCLMUL]);
token!(Vpclmul, [AVX512 + VBMI + PCLMUL + VPCLMUL + GFNI]);

/// 0, 1, 2 …
static BYTES: [u8; 64] = {
    let mut bytes = [0; 64];
    let mut i = 0;
    while i < 64 {
        bytes[i] = i as u8;
        i += 1;
    }
    bytes
};

#[inline]
#[hashmill_isa::isa(SSE2)]
fn numbers() -> __m128i {
    // SAFETY: there are 64 bytes.
    unsafe { _mm_loadu_si128(BYTES.as_ptr().cast()) }
}

/// The end of a reflected register: Barrett reduction of 128 bits.
#[inline]
#[hashmill_isa::isa(PCLMUL)]
fn reduce_right(b: __m128i, keys: &Keys) -> __m128i {
    // SAFETY: there are two words.
    let k = unsafe { _mm_loadu_si128(keys.barrett.as_ptr().cast()) };
    let quotient = _mm_clmulepi64_si128::<0x00>(b, k);
    // An odd Q has one bit more than its key.
    let odd = _mm_and_si128(_mm_slli_si128::<8>(quotient), _mm_set1_epi64x(keys.odd.cast_signed()));
    _mm_xor_si128(_mm_xor_si128(b, odd), _mm_clmulepi64_si128::<0x10>(quotient, k))
}

// ---------------------------------------------------------------------------------------------------------------------
// 128 bits
// ---------------------------------------------------------------------------------------------------------------------

#[derive(Clone, Copy)]
struct X(__m128i, Pclmul);

impl Clmul for X {
    type Isa = Pclmul;
    const BYTES: usize = 16;
    const ALIGN_FROM: usize = usize::MAX;

    #[inline(always)]
    fn load(isa: Pclmul, m: &[u8]) -> Self {
        assert!(m.len() >= 16);
        X(
            with!([SSE2], (p: *const u8 = m.as_ptr()) -> __m128i {
                // SAFETY: there are 16 bytes, as just checked.
                unsafe { _mm_loadu_si128(p.cast()) }
            }),
            isa,
        )
    }

    /// There is no such load: messages must have at least sixteen bytes.
    #[inline(always)]
    fn load_short(isa: Pclmul, m: &[u8]) -> Self {
        Self::load(isa, m)
    }

    #[inline(always)]
    fn start(isa: Pclmul, x: u64) -> Self {
        X(with!([SSE2], (x: u64 = x) -> __m128i { _mm_cvtsi64_si128(x.cast_signed()) }), isa)
    }

    #[inline(always)]
    fn keys(isa: Pclmul, keys: &[u64; 2]) -> Self {
        X(
            with!([SSE2], (k: &[u64; 2] = keys) -> __m128i { _mm_set_epi64x(k[1].cast_signed(), k[0].cast_signed()) }),
            isa,
        )
    }

    #[inline(always)]
    fn order<const REFIN: bool>(self) -> Self {
        if REFIN {
            return self;
        }
        X(
            with!([SSSE3], (v: __m128i = self.0) -> __m128i {
                _mm_shuffle_epi8(v, _mm_set_epi64x(0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f))
            }),
            self.1,
        )
    }

    #[inline(always)]
    fn xor(self, o: Self) -> Self {
        X(with!([SSE2], (a: __m128i = self.0, b: __m128i = o.0) -> __m128i { _mm_xor_si128(a, b) }), self.1)
    }

    #[inline(always)]
    fn fold(self, keys: Self, next: Self) -> Self {
        X(
            with!([PCLMUL], (v: __m128i = self.0, k: __m128i = keys.0, next: __m128i = next.0) -> __m128i {
                let high = _mm_clmulepi64_si128::<0x11>(v, k);
                _mm_xor_si128(_mm_xor_si128(high, next), _mm_clmulepi64_si128::<0x00>(v, k))
            }),
            self.1,
        )
    }

    #[inline(always)]
    fn split(self, n: usize) -> (Self, Self) {
        // Indices with the top bit set yield zeros.
        let (first, others) = with!([SSSE3], (v: __m128i = self.0, n: usize = n) -> (__m128i, __m128i) {
            let (up, down) = (_mm_set1_epi8(n as i8 - 16), _mm_set1_epi8(n as i8 + 0x70));
            (_mm_shuffle_epi8(v, _mm_add_epi8(numbers(), up)), _mm_shuffle_epi8(v, _mm_add_epi8(numbers(), down)))
        });
        (X(first, self.1), X(others, self.1))
    }

    #[inline(always)]
    fn last(self, n: usize) -> Self {
        X(
            with!([SSE2], (v: __m128i = self.0, n: usize = n) -> __m128i {
                _mm_and_si128(v, _mm_cmpgt_epi8(numbers(), _mm_set1_epi8(15 - n as i8)))
            }),
            self.1,
        )
    }

    #[inline(always)]
    fn end<const REFIN: bool>(self, keys: &Keys) -> u64 {
        if REFIN {
            with!([PCLMUL], (v: __m128i = self.0, keys: &Keys = keys) -> u64 {
                // SAFETY: there are eight words.
                let k = unsafe { _mm_loadu_si128(keys.end.as_ptr().add(6).cast()) };
                let b = _mm_xor_si128(_mm_clmulepi64_si128::<0x00>(v, k), _mm_clmulepi64_si128::<0x11>(v, k));
                _mm_extract_epi64::<1>(reduce_right(b, keys)).cast_unsigned()
            })
        } else {
            with!([PCLMUL], (v: __m128i = self.0, keys: &Keys = keys) -> u64 {
                // SAFETY: there are eight words.
                let k = unsafe { _mm_loadu_si128(keys.end.as_ptr().add(6).cast()) };
                let b = _mm_xor_si128(_mm_clmulepi64_si128::<0x00>(v, k), _mm_clmulepi64_si128::<0x11>(v, k));
                // SAFETY: there are two words.
                let k = unsafe { _mm_loadu_si128(keys.barrett.as_ptr().cast()) };
                let quotient = _mm_xor_si128(b, _mm_clmulepi64_si128::<0x01>(b, k));
                let product = _mm_clmulepi64_si128::<0x11>(quotient, k);
                _mm_cvtsi128_si64(_mm_xor_si128(b, product)).cast_unsigned().swap_bytes()
            })
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// 512 bits
// ---------------------------------------------------------------------------------------------------------------------

#[derive(Clone, Copy)]
struct Z(__m512i, Vpclmul);

impl Clmul for Z {
    type Isa = Vpclmul;
    const BYTES: usize = 64;
    const ALIGN_FROM: usize = 2048;

    #[inline(always)]
    fn load(isa: Vpclmul, m: &[u8]) -> Self {
        assert!(m.len() >= 64);
        Z(
            with!([AVX512], (p: *const u8 = m.as_ptr()) -> __m512i {
                // SAFETY: there are 64 bytes, as just checked.
                unsafe { _mm512_loadu_si512(p.cast()) }
            }),
            isa,
        )
    }

    #[inline(always)]
    fn load_short(isa: Vpclmul, m: &[u8]) -> Self {
        assert!(m.len() < 64);
        Z(
            with!([AVX512], (p: *const u8 = m.as_ptr(), n: usize = m.len()) -> __m512i {
                // SAFETY: the mask selects only the bytes that exist.
                unsafe { _mm512_maskz_loadu_epi8((1 << n) - 1, p.cast()) }
            }),
            isa,
        )
    }

    #[inline(always)]
    fn start(isa: Vpclmul, x: u64) -> Self {
        Z(with!([AVX512], (x: u64 = x) -> __m512i { _mm512_zextsi128_si512(_mm_cvtsi64_si128(x.cast_signed())) }), isa)
    }

    #[inline(always)]
    fn keys(isa: Vpclmul, keys: &[u64; 2]) -> Self {
        Z(
            with!([AVX512], (k: &[u64; 2] = keys) -> __m512i {
                _mm512_broadcast_i32x4(_mm_set_epi64x(k[1].cast_signed(), k[0].cast_signed()))
            }),
            isa,
        )
    }

    /// Reverses the bits of every byte, on a port that products and shuffles leave free.
    #[inline(always)]
    fn order<const REFIN: bool>(self) -> Self {
        if REFIN {
            return self;
        }
        Z(
            with!([AVX512 + GFNI], (v: __m512i = self.0) -> __m512i {
                _mm512_gf2p8affine_epi64_epi8::<0>(v, _mm512_set1_epi64(REVERSED))
            }),
            self.1,
        )
    }

    #[inline(always)]
    fn xor(self, o: Self) -> Self {
        Z(with!([AVX512], (a: __m512i = self.0, b: __m512i = o.0) -> __m512i { _mm512_xor_si512(a, b) }), self.1)
    }

    #[inline(always)]
    fn fold(self, keys: Self, next: Self) -> Self {
        Z(
            with!([AVX512 + VPCLMUL], (v: __m512i = self.0, k: __m512i = keys.0, next: __m512i = next.0) -> __m512i {
                let (low, high) = (_mm512_clmulepi64_epi128::<0x00>(v, k), _mm512_clmulepi64_epi128::<0x11>(v, k));
                _mm512_ternarylogic_epi64::<0x96>(low, high, next)
            }),
            self.1,
        )
    }

    #[inline(always)]
    fn split(self, n: usize) -> (Self, Self) {
        let (first, others) = with!([AVX512 + VBMI], (v: __m512i = self.0, n: usize = n) -> (__m512i, __m512i) {
            // SAFETY: there are 64 bytes.
            let numbers = unsafe { _mm512_loadu_si512(BYTES.as_ptr().cast()) };
            // Indices are taken modulo 64.
            let turned = _mm512_permutexvar_epi8(_mm512_add_epi8(numbers, _mm512_set1_epi8(n as i8)), v);
            let top = !(u64::MAX >> n);
            (_mm512_maskz_mov_epi8(top, turned), _mm512_maskz_mov_epi8(!top, turned))
        });
        (Z(first, self.1), Z(others, self.1))
    }

    #[inline(always)]
    fn last(self, n: usize) -> Self {
        Z(
            with!([AVX512], (v: __m512i = self.0, n: usize = n) -> __m512i {
                _mm512_maskz_mov_epi8(!(u64::MAX >> n), v)
            }),
            self.1,
        )
    }

    #[inline(always)]
    fn end<const REFIN: bool>(self, keys: &Keys) -> u64 {
        let b = with!([AVX512 + PCLMUL + VPCLMUL], (v: __m512i = self.0, keys: &Keys = keys) -> __m128i {
            // SAFETY: there are eight words.
            let k = unsafe { _mm512_loadu_si512(keys.end.as_ptr().cast()) };
            let b = _mm512_xor_si512(_mm512_clmulepi64_epi128::<0x00>(v, k), _mm512_clmulepi64_epi128::<0x11>(v, k));
            let b = _mm256_xor_si256(_mm512_castsi512_si256(b), _mm512_extracti64x4_epi64::<1>(b));
            let b = _mm_xor_si128(_mm256_castsi256_si128(b), _mm256_extracti128_si256::<1>(b));
            reduce_right(b, keys)
        });
        if REFIN {
            with!([SSSE3], (b: __m128i = b) -> u64 { _mm_extract_epi64::<1>(b).cast_unsigned() })
        } else {
            with!([SSSE3 + GFNI], (b: __m128i = b) -> u64 {
                let b = _mm_gf2p8affine_epi64_epi8::<0>(b, _mm_set1_epi64x(REVERSED));
                _mm_extract_epi64::<1>(b).cast_unsigned()
            })
        }
    }
}

/// The affine map that reverses the bits of a byte.
const REVERSED: i64 = 0x8040_2010_0804_0201u64.cast_signed();

// ---------------------------------------------------------------------------------------------------------------------
// The instruction for CRC-32C
// ---------------------------------------------------------------------------------------------------------------------

/// The register after the bytes of `m`: single bytes up to an eight-byte boundary, then eight per step.
#[inline(always)]
pub(super) fn sse42(register: u64, m: &[u8]) -> u64 {
    on_cpu!([SSE42]; one_chain(register, m))
}

/// The register after the bytes of a short message, if the CPU has the CRC-32C instruction.
#[cfg(feature = "crc-fast")]
#[inline(always)]
pub(super) fn sse42_if_there(register: u64, m: &[u8]) -> Option<u64> {
    features().has(needs!([SSE42])).then(|| sse42_short(register, m))
}

/// Writes the digest of a short message if the CPU is known to have the CRC-32C instruction, and otherwise calls
/// `otherwise`.
#[inline(always)]
pub(super) fn crc32c_digest(m: &[u8], out: &mut [u8], otherwise: impl FnOnce(&mut [u8])) {
    match out.first_chunk_mut() {
        // SAFETY: the CPU has the feature, as just checked.
        Some(out) if found().has(needs!([SSE42])) => unsafe { whole(m, out) },
        _ => otherwise(out),
    }
}

#[hashmill_isa::isa(SSE42)]
fn whole(m: &[u8], out: &mut [u8; 4]) {
    const CRC: &Entry = &ENTRIES[ISCSI];
    let value = CRC.end(steps(START[ISCSI] as u64, m).into());
    *out = (value as u32).to_be_bytes();
}

/// The register after a short message, whatever its alignment.
#[inline(always)]
pub(super) fn sse42_short(register: u64, m: &[u8]) -> u64 {
    on_cpu!([SSE42]; steps(register, m))
}

#[hashmill_isa::isa(SSE42)]
fn one_chain(register: u64, m: &[u8]) -> u64 {
    let head = (m.as_ptr().addr().wrapping_neg() % 8).min(m.len());
    let (head, rest) = m.split_at(head);
    let mut crc = register as u32;
    for i in 0..head.len() {
        crc = _mm_crc32_u8(crc, head[i]);
    }
    steps(u64::from(crc), rest)
}

/// Eight bytes per step, then four, two, one.
#[inline]
#[hashmill_isa::isa(SSE42)]
fn steps(mut register: u64, m: &[u8]) -> u64 {
    let (words, rest) = m.as_chunks::<8>();
    for i in 0..words.len() {
        register = _mm_crc32_u64(register, u64::from_le_bytes(words[i]));
    }
    let mut crc = register as u32;
    let (words, rest) = rest.as_chunks::<4>();
    if !words.is_empty() {
        crc = _mm_crc32_u32(crc, u32::from_le_bytes(words[0]));
    }
    let (words, rest) = rest.as_chunks::<2>();
    if !words.is_empty() {
        crc = _mm_crc32_u16(crc, u16::from_le_bytes(words[0]));
    }
    if !rest.is_empty() {
        crc = _mm_crc32_u8(crc, rest[0]);
    }
    u64::from(crc)
}
