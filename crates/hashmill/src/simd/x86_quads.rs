//! x86-64: registers that hold four words of one message, for kernels whose vectors are rows of the state matrix
//! (BLAKE, BLAKE2).
//!
//! They are built like the words of many messages: a value can only be made from its ISA's token, and each operation is
//! an always-inlined method around a nested function that enables the ISA's features.

use super::x86::{Avx2, Avx512, Ssse3, logic};
use super::{Logic, Scalar};
use core::arch::x86_64::*;

/// Four words of one message.
pub(crate) trait Quad: Copy {
    /// The token that proves the ISA.
    type Isa: Copy;
    /// The type of one word.
    type Lane: Logic<Isa = Scalar, Lane = Self::Lane>;

    /// Makes a register of these words.
    fn of(isa: Self::Isa, words: [Self::Lane; 4]) -> Self;

    /// Loads the first four words of these bytes in memory order.
    fn load(isa: Self::Isa, from: &[u8]) -> Self;

    /// Stores the words at the start of these bytes.
    fn store(self, to: &mut [u8]);

    /// Broadcasts the first word of these bytes, which is big-endian if `BE`, to all four lanes.
    fn each<const BE: bool>(isa: Self::Isa, from: &[u8]) -> Self;

    /// Takes word i from register i. This is three blends, which more ports can run than shuffles.
    fn one_of_each(of: [Self; 4]) -> Self;

    /// Shuffles the words. `ORDER` has two bits for each, starting with the first word's in the lowest bits.
    fn shuffled<const ORDER: i32>(self) -> Self;

    fn add(self, y: Self) -> Self;
    fn xor(self, y: Self) -> Self;

    /// Rotates each word right by a constant.
    fn rotr(self, n: u32) -> Self;
}

macro_rules! quad {
    ($(#[$doc:meta])* $name:ident($reg:ident, $isa:ident, $f:tt) of $lane:ty;
     of($w:ident) = $of:expr;
     load($lp:ident) = $load:expr;
     store($sp:ident, $sv:ident) = $store:expr;
     each($ex:ident, $be:ident) = $each:expr;
     one_of_each($o:ident) = $one_of_each:expr;
     shuffled($sx:ident, $order:ident) = $shuffled:expr;
     rotr($rx:ident, $rn:ident) = $rotr:expr;
     $($logic:tt)*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(crate) struct $name($reg, $isa);

        impl Quad for $name {
            type Isa = $isa;
            type Lane = $lane;

            #[inline(always)]
            fn of(isa: $isa, words: [$lane; 4]) -> Self {
                #[inline]
                #[hashmill_isa::isa($f)]
                fn op($w: [$lane; 4]) -> $reg {
                    $of
                }
                // SAFETY: the token proves the features.
                $name(unsafe { op(words) }, isa)
            }
            #[inline(always)]
            fn load(isa: $isa, from: &[u8]) -> Self {
                #[inline]
                #[hashmill_isa::isa($f)]
                unsafe fn op($lp: *const u8) -> $reg {
                    // SAFETY: the load is unaligned, and the caller guarantees that the bytes are valid.
                    unsafe { $load }
                }
                assert!(from.len() >= size_of::<$reg>());
                // SAFETY: the token proves the features, and there are at least as many bytes as in the register.
                $name(unsafe { op(from.as_ptr()) }, isa)
            }
            #[inline(always)]
            fn store(self, to: &mut [u8]) {
                #[inline]
                #[hashmill_isa::isa($f)]
                unsafe fn op($sp: *mut u8, $sv: $reg) {
                    // SAFETY: the store is unaligned, and the caller guarantees that the bytes are valid.
                    unsafe { $store }
                }
                assert!(to.len() >= size_of::<$reg>());
                // SAFETY: self carries the token, and there are at least as many bytes as in the register.
                unsafe { op(to.as_mut_ptr(), self.0) }
            }
            #[inline(always)]
            fn each<const BE: bool>(isa: $isa, from: &[u8]) -> Self {
                #[inline]
                #[hashmill_isa::isa($f)]
                fn op<const BE: bool>($ex: $lane) -> $reg {
                    let $be = BE;
                    $each
                }
                let word = <$lane>::from_le_bytes(*from.first_chunk().expect("a word"));
                // SAFETY: the token proves the features.
                $name(unsafe { op::<BE>(word) }, isa)
            }
            #[inline(always)]
            fn one_of_each(of: [Self; 4]) -> Self {
                #[inline]
                #[hashmill_isa::isa($f)]
                fn op($o: [$reg; 4]) -> $reg {
                    $one_of_each
                }
                // SAFETY: each register carries the token.
                $name(unsafe { op([of[0].0, of[1].0, of[2].0, of[3].0]) }, of[0].1)
            }
            #[inline(always)]
            fn shuffled<const ORDER: i32>(self) -> Self {
                #[inline]
                #[hashmill_isa::isa($f)]
                fn op<const $order: i32>($sx: $reg) -> $reg {
                    $shuffled
                }
                // SAFETY: self carries the token.
                $name(unsafe { op::<ORDER>(self.0) }, self.1)
            }
            #[inline(always)]
            fn rotr(self, n: u32) -> Self {
                #[inline]
                #[hashmill_isa::isa($f)]
                fn op($rx: $reg, $rn: u32) -> $reg {
                    $rotr
                }
                // SAFETY: self carries the token.
                $name(unsafe { op(self.0, n) }, self.1)
            }
            logic! { @ops $name, $reg, $f, $($logic)* }
        }
    };
}

macro_rules! quad32 {
    ($(#[$doc:meta])* $name:ident($isa:ident, $f:tt); rotr($x:ident, $n:ident) = $rotr:expr;) => {
        quad! {
            $(#[$doc])*
            $name(__m128i, $isa, $f) of u32;
            of(w) = _mm_set_epi32(w[3].cast_signed(), w[2].cast_signed(), w[1].cast_signed(), w[0].cast_signed());
            load(p) = _mm_loadu_si128(p.cast());
            store(p, v) = _mm_storeu_si128(p.cast(), v);
            each(w, big) = {
                let w = _mm_set1_epi32(w.cast_signed());
                if big { _mm_shuffle_epi8(w, _mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203)) } else { w }
            };
            one_of_each(o) = {
                let low = _mm_blend_epi16::<0b0000_1100>(o[0], o[1]);
                let high = _mm_blend_epi16::<0b1100_0000>(o[2], o[3]);
                _mm_blend_epi16::<0b1111_0000>(low, high)
            };
            shuffled(x, ORDER) = _mm_shuffle_epi32::<ORDER>(x);
            rotr($x, $n) = $rotr;
            add(a, b) = _mm_add_epi32(a, b);
            xor(a, b) = _mm_xor_si128(a, b);
        }
    };
}

macro_rules! quad64 {
    ($(#[$doc:meta])* $name:ident($isa:ident, $f:tt); rotr($x:ident, $n:ident) = $rotr:expr;) => {
        quad! {
            $(#[$doc])*
            $name(__m256i, $isa, $f) of u64;
            of(w) = _mm256_set_epi64x(w[3].cast_signed(), w[2].cast_signed(), w[1].cast_signed(), w[0].cast_signed());
            load(p) = _mm256_loadu_si256(p.cast());
            store(p, v) = _mm256_storeu_si256(p.cast(), v);
            each(w, big) = {
                let w = _mm256_set1_epi64x(w.cast_signed());
                let order = _mm_set_epi64x(0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607);
                if big { _mm256_shuffle_epi8(w, _mm256_broadcastsi128_si256(order)) } else { w }
            };
            one_of_each(o) = {
                let low = _mm256_blend_epi32::<0b0000_1100>(o[0], o[1]);
                let high = _mm256_blend_epi32::<0b1100_0000>(o[2], o[3]);
                _mm256_blend_epi32::<0b1111_0000>(low, high)
            };
            shuffled(x, ORDER) = _mm256_permute4x64_epi64::<ORDER>(x);
            rotr($x, $n) = $rotr;
            add(a, b) = _mm256_add_epi64(a, b);
            xor(a, b) = _mm256_xor_si256(a, b);
        }
    };
}

// As in `x86.rs`, shifts and rotations take per-lane counts or a count in a register, which the compiler turns into the
// immediate forms.
quad32! {
    /// Four 32-bit words.
    Ssse3x32(Ssse3, [SSSE3]);
    rotr(x, n) = match n {
        8 => _mm_shuffle_epi8(x, _mm_set_epi64x(0x0c0f_0e0d_080b_0a09, 0x0407_0605_0003_0201)),
        16 => _mm_shuffle_epi8(x, _mm_set_epi64x(0x0d0c_0f0e_0908_0b0a, 0x0504_0706_0100_0302)),
        _ => _mm_or_si128(
            _mm_srl_epi32(x, _mm_cvtsi32_si128(n.cast_signed())),
            _mm_sll_epi32(x, _mm_cvtsi32_si128((32 - n).cast_signed())),
        ),
    };
}
quad32! {
    /// Four 32-bit words, with a rotate instruction.
    Avx512x32(Avx512, [AVX512]);
    rotr(x, n) = _mm_rorv_epi32(x, _mm_set1_epi32(n.cast_signed()));
}
quad64! {
    /// Four 64-bit words.
    Avx2x64(Avx2, [AVX2]);
    rotr(x, n) = match n {
        16 => {
            let order = _mm_set_epi64x(0x0908_0f0e_0d0c_0b0a, 0x0100_0706_0504_0302);
            _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(order))
        }
        24 => {
            let order = _mm_set_epi64x(0x0a09_080f_0e0d_0c0b, 0x0201_0007_0605_0403);
            _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(order))
        }
        32 => _mm256_shuffle_epi32::<0b10_11_00_01>(x),
        _ => _mm256_or_si256(
            _mm256_srlv_epi64(x, _mm256_set1_epi64x(i64::from(n))),
            _mm256_sllv_epi64(x, _mm256_set1_epi64x(64 - i64::from(n))),
        ),
    };
}
quad64! {
    /// Four 64-bit words, with a rotate instruction.
    Avx512x64(Avx512, [AVX512]);
    rotr(x, n) = _mm256_rorv_epi64(x, _mm256_set1_epi64x(i64::from(n)));
}
