//! wasm32: 16-byte vectors (WebAssembly SIMD, `simd128`).
//!
//! A module that contains these instructions cannot be loaded where they are not supported, so there is nothing to
//! detect at run time: they are used if the program is compiled with `-C target-feature=+simd128`, and calling
//! functions that need them is always sound.

use super::{Digits, Logic, Word, Word8};
use core::arch::wasm32::*;

/// Token for the 128-bit SIMD instructions.
#[derive(Clone, Copy)]
pub(crate) struct Simd128(());

impl Simd128 {
    #[inline]
    pub(crate) fn token() -> Self {
        Simd128(())
    }
}

macro_rules! vector {
    ($(#[$doc:meta])* $name:ident of $lane:ty, $lanes:literal;
     splat = $splat:ident;
     column($rows:ident, $be:ident) = $column:expr;
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(crate) struct $name(v128);

        impl Word for $name {
            type Isa = Simd128;
            type Lane = $lane;
            const LANES: usize = $lanes;
            const BYTES: usize = size_of::<$lane>();

            #[inline(always)]
            fn splat(_: Simd128, x: $lane) -> Self {
                $name($splat(x))
            }
            #[inline(always)]
            unsafe fn load(_: Simd128, from: *const u8) -> Self {
                // SAFETY: the caller vouches for the bytes.
                $name(unsafe { v128_load(from.cast()) })
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut u8) {
                // SAFETY: the caller vouches for the bytes.
                unsafe { v128_store(to.cast(), self.0) }
            }
            #[inline(always)]
            unsafe fn column<const BE: bool>(_: Simd128, rows: *const *const u8, at: usize, out: *mut Self) {
                const WORDS: usize = 16 / size_of::<$lane>();
                let $be = BE;
                // SAFETY: the caller vouches for the rows and their bytes.
                let $rows = |k: usize| unsafe { v128_load((*rows.add(k)).add(at).cast()) };
                let column: [v128; WORDS] = $column;
                // SAFETY: the caller vouches for `out`; the type is transparent over its register.
                unsafe { out.cast::<[v128; WORDS]>().write(column) }
            }
        }
    };
}

macro_rules! op {
    ($name:ident $($op:ident($a:ident $(, $b:ident)*) = $e:expr;)*) => {
        $(
            #[inline(always)]
            fn $op(self $(, $b: Self)*) -> Self {
                let $a = self.0;
                $(let $b = $b.0;)*
                $name($e)
            }
        )*
    };
}

/// Bitwise operations, which do not depend on the lane width.
macro_rules! bits {
    ($name:ident) => {
        op! { $name
            xor(a, b) = v128_xor(a, b);
            and(a, b) = v128_and(a, b);
            or(a, b) = v128_or(a, b);
            andnot(a, b) = v128_andnot(b, a);
            not(a) = v128_not(a);
            choose(a, b, c) = v128_bitselect(b, c, a);
        }
    };
}

vector! {
    /// Four lanes of 32 bits.
    U32x4 of u32, 4;
    splat = u32x4_splat;
    column(row, big) = {
        let mut a = [u32x4_splat(0); 4];
        for k in 0..4 {
            let x = row(k);
            a[k] = if big { i8x16_shuffle::<3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12>(x, x) } else { x };
        }
        let (b0, b1) = (i32x4_shuffle::<0, 4, 2, 6>(a[0], a[1]), i32x4_shuffle::<1, 5, 3, 7>(a[0], a[1]));
        let (b2, b3) = (i32x4_shuffle::<0, 4, 2, 6>(a[2], a[3]), i32x4_shuffle::<1, 5, 3, 7>(a[2], a[3]));
        [
            i64x2_shuffle::<0, 2>(b0, b2),
            i64x2_shuffle::<0, 2>(b1, b3),
            i64x2_shuffle::<1, 3>(b0, b2),
            i64x2_shuffle::<1, 3>(b1, b3),
        ]
    };
}

impl Logic for U32x4 {
    op! { U32x4
        add(a, b) = u32x4_add(a, b);
    }
    bits!(U32x4);
    #[inline(always)]
    fn rotl(self, n: u32) -> Self {
        let x = self.0;
        // Rotations by whole bytes are a single shuffle.
        U32x4(match n {
            8 => i8x16_shuffle::<3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14>(x, x),
            16 => i8x16_shuffle::<2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13>(x, x),
            24 => i8x16_shuffle::<1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12>(x, x),
            _ => v128_or(u32x4_shl(x, n), u32x4_shr(x, 32 - n)),
        })
    }
    #[inline(always)]
    fn shr(self, n: u32) -> Self {
        U32x4(u32x4_shr(self.0, n))
    }
}

vector! {
    /// Two lanes of 64 bits.
    U64x2 of u64, 2;
    splat = u64x2_splat;
    column(row, big) = {
        let mut a = [u64x2_splat(0); 2];
        for k in 0..2 {
            let x = row(k);
            a[k] = if big { i8x16_shuffle::<7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8>(x, x) } else { x };
        }
        [i64x2_shuffle::<0, 2>(a[0], a[1]), i64x2_shuffle::<1, 3>(a[0], a[1])]
    };
}

impl Logic for U64x2 {
    op! { U64x2
        add(a, b) = u64x2_add(a, b);
    }
    bits!(U64x2);
    #[inline(always)]
    fn rotl(self, n: u32) -> Self {
        let x = self.0;
        U64x2(match n {
            8 => i8x16_shuffle::<7, 0, 1, 2, 3, 4, 5, 6, 15, 8, 9, 10, 11, 12, 13, 14>(x, x),
            32 => i32x4_shuffle::<1, 0, 3, 2>(x, x),
            40 => i8x16_shuffle::<3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10>(x, x),
            48 => i8x16_shuffle::<2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9>(x, x),
            56 => i8x16_shuffle::<1, 2, 3, 4, 5, 6, 7, 0, 9, 10, 11, 12, 13, 14, 15, 8>(x, x),
            _ => v128_or(u64x2_shl(x, n), u64x2_shr(x, 64 - n)),
        })
    }
    #[inline(always)]
    fn shr(self, n: u32) -> Self {
        U64x2(u64x2_shr(self.0, n))
    }
}

vector! {
    /// Sixteen lanes of bytes.
    U8x16 of u8, 16;
    splat = u8x16_splat;
    column(row, big) = {
        let _ = big;
        let mut a = [u8x16_splat(0); 16];
        for k in 0..16 {
            a[k] = row(k);
        }
        // Transposes 16×16 bytes: interleave row k with row k + 8, four times.
        for _ in 0..4 {
            let mut b = [u8x16_splat(0); 16];
            for k in 0..8 {
                b[2 * k] = i8x16_shuffle::<0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23>(a[k], a[k + 8]);
                b[2 * k + 1] = i8x16_shuffle::<8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31>(a[k], a[k + 8]);
            }
            a = b;
        }
        a
    };
}

impl Word8 for U8x16 {
    /// The S-box in sixteen tables of 16 bytes.
    type Table = [v128; 16];

    #[inline(always)]
    fn table(_: Simd128, s: &'static [u8; 256]) -> [v128; 16] {
        // SAFETY: each load reads 16 of the 256 bytes.
        core::array::from_fn(|k| unsafe { v128_load(s.as_ptr().add(16 * k).cast()) })
    }

    #[inline(always)]
    fn lookup(self, t: &[v128; 16]) -> Self {
        // An index outside the 16 bytes of a table yields zero.
        let mut x = u8x16_swizzle(t[0], self.0);
        for k in 1..16 {
            x = v128_or(x, u8x16_swizzle(t[k], u8x16_sub(self.0, u8x16_splat(16 * k as u8))));
        }
        U8x16(x)
    }

    op! { U8x16
        add(a, b) = u8x16_add(a, b);
        xor(a, b) = v128_xor(a, b);
    }
}

impl Digits for U8x16 {
    type Digit = v128;

    #[inline(always)]
    fn digits(_: Simd128, s: &'static [u8; 16]) -> v128 {
        // SAFETY: 16 bytes, as the type says.
        unsafe { v128_load(s.as_ptr().cast()) }
    }

    #[inline(always)]
    fn digit(self, t: v128) -> Self {
        U8x16(u8x16_swizzle(t, self.0))
    }

    op! { U8x16
        low(a) = v128_and(a, u8x16_splat(0x0f));
        high(a) = u8x16_shr(a, 4);
        sub(a, b) = u8x16_sub(a, b);
        above(a, b) = i8x16_gt(a, b);
    }
}
