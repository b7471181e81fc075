//! aarch64: Advanced SIMD (NEON) words.

use super::{Digits, Logic, Word, Word8};
use core::arch::aarch64::*;

/// Advanced SIMD, which every general-purpose 64-bit ARM CPU has.
#[derive(Clone, Copy)]
pub(crate) struct Neon(());

impl Neon {
    /// Callable without `unsafe` only where NEON is enabled, so the value proves that it is.
    #[inline]
    #[hashmill_isa::isa(NEON)]
    pub(crate) fn token() -> Self {
        Neon(())
    }
}

macro_rules! vector {
    ($(#[$doc:meta])* $name:ident($reg:ident) of $lane:ty, $lanes:literal;
     splat($x:ident) = $splat:expr;
     load = $load:ident; store = $store:ident;
     column($rows:ident, $at:ident, $be:ident) = $column:expr;
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(crate) struct $name($reg, Neon);

        impl Word for $name {
            type Isa = Neon;
            type Lane = $lane;
            const LANES: usize = $lanes;
            const BYTES: usize = size_of::<$lane>();

            #[inline(always)]
            fn splat(isa: Neon, x: $lane) -> Self {
                #[inline]
                #[hashmill_isa::isa(NEON)]
                fn op($x: $lane) -> $reg {
                    $splat
                }
                // SAFETY: the token proves NEON.
                $name(unsafe { op(x) }, isa)
            }
            #[inline(always)]
            unsafe fn load(isa: Neon, from: *const u8) -> Self {
                // SAFETY: the token proves NEON, the caller the bytes.
                $name(unsafe { $load(from.cast()) }, isa)
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut u8) {
                // SAFETY: the token proves NEON, the caller the bytes.
                unsafe { $store(to.cast(), self.0) }
            }
            #[inline(always)]
            unsafe fn column<const BE: bool>(_: Neon, rows: *const *const u8, at: usize, out: *mut Self) {
                const WORDS: usize = 16 / size_of::<$lane>();
                let $be = BE;
                let ($rows, $at) = (rows, at);
                // Not in a nested function: the compiler would not choose to inline a transposition of bytes, which is
                // long.
                // SAFETY: the token proves NEON, the caller the rows and `out`; the type is transparent over its
                // register.
                unsafe { out.cast::<[$reg; WORDS]>().write($column) }
            }
        }
    };
}

macro_rules! op {
    ($name:ident($reg:ident) $($op:ident($a:ident $(, $b:ident)*) = $e:expr;)*) => {
        $(
            #[inline(always)]
            fn $op(self $(, $b: Self)*) -> Self {
                #[inline]
                #[hashmill_isa::isa(NEON)]
                fn op($a: $reg $(, $b: $reg)*) -> $reg { $e }
                // SAFETY: self carries the token.
                $name(unsafe { op(self.0 $(, $b.0)*) }, self.1)
            }
        )*
    };
}

macro_rules! shift {
    ($name:ident($reg:ident) $($op:ident($a:ident, $n:ident) = $e:expr;)*) => {
        $(
            #[inline(always)]
            fn $op(self, n: u32) -> Self {
                #[inline]
                #[hashmill_isa::isa(NEON)]
                fn op($a: $reg, $n: u32) -> $reg { $e }
                // SAFETY: self carries the token.
                $name(unsafe { op(self.0, n) }, self.1)
            }
        )*
    };
}

vector! {
    /// Four lanes of 32 bits.
    U32x4(uint32x4_t) of u32, 4;
    splat(x) = vdupq_n_u32(x);
    load = vld1q_u32; store = vst1q_u32;
    column(rows, at, big) = {
        let mut a = [vdupq_n_u32(0); 4];
        for k in 0..4 {
            let bytes = vld1q_u8((*rows.add(k)).add(at));
            a[k] = vreinterpretq_u32_u8(if big { vrev32q_u8(bytes) } else { bytes });
        }
        let (b0, b1) = (vtrn1q_u32(a[0], a[1]), vtrn2q_u32(a[0], a[1]));
        let (b2, b3) = (vtrn1q_u32(a[2], a[3]), vtrn2q_u32(a[2], a[3]));
        let wide = |x| vreinterpretq_u64_u32(x);
        [
            vreinterpretq_u32_u64(vtrn1q_u64(wide(b0), wide(b2))),
            vreinterpretq_u32_u64(vtrn1q_u64(wide(b1), wide(b3))),
            vreinterpretq_u32_u64(vtrn2q_u64(wide(b0), wide(b2))),
            vreinterpretq_u32_u64(vtrn2q_u64(wide(b1), wide(b3))),
        ]
    };
}

impl Logic for U32x4 {
    op! { U32x4(uint32x4_t)
        add(a, b) = vaddq_u32(a, b);
        xor(a, b) = veorq_u32(a, b);
        and(a, b) = vandq_u32(a, b);
        or(a, b) = vorrq_u32(a, b);
        andnot(a, b) = vbicq_u32(b, a);
        not(a) = vmvnq_u32(a);
        choose(a, b, c) = vbslq_u32(a, b, c);
        xor_or_not(a, b, c) = veorq_u32(a, vornq_u32(b, c));
    }
    shift! { U32x4(uint32x4_t)
        rotl(a, n) = vorrq_u32(
            vshlq_u32(a, vdupq_n_s32(n.cast_signed())),
            vshlq_u32(a, vdupq_n_s32(n.cast_signed() - 32)),
        );
        shr(a, n) = vshlq_u32(a, vdupq_n_s32(-n.cast_signed()));
    }
}

vector! {
    /// Two lanes of 64 bits.
    U64x2(uint64x2_t) of u64, 2;
    splat(x) = vdupq_n_u64(x);
    load = vld1q_u64; store = vst1q_u64;
    column(rows, at, big) = {
        let mut a = [vdupq_n_u64(0); 2];
        for k in 0..2 {
            let bytes = vld1q_u8((*rows.add(k)).add(at));
            a[k] = vreinterpretq_u64_u8(if big { vrev64q_u8(bytes) } else { bytes });
        }
        [vtrn1q_u64(a[0], a[1]), vtrn2q_u64(a[0], a[1])]
    };
}

impl Logic for U64x2 {
    op! { U64x2(uint64x2_t)
        add(a, b) = vaddq_u64(a, b);
        xor(a, b) = veorq_u64(a, b);
        and(a, b) = vandq_u64(a, b);
        or(a, b) = vorrq_u64(a, b);
        andnot(a, b) = vbicq_u64(b, a);
        not(a) = veorq_u64(a, vdupq_n_u64(u64::MAX));
        choose(a, b, c) = vbslq_u64(a, b, c);
    }
    shift! { U64x2(uint64x2_t)
        rotl(a, n) = vorrq_u64(
            vshlq_u64(a, vdupq_n_s64(i64::from(n))),
            vshlq_u64(a, vdupq_n_s64(i64::from(n) - 64)),
        );
        shr(a, n) = vshlq_u64(a, vdupq_n_s64(-i64::from(n)));
    }
}

vector! {
    /// Sixteen lanes of bytes.
    U8x16(uint8x16_t) of u8, 16;
    splat(x) = vdupq_n_u8(x);
    load = vld1q_u8; store = vst1q_u8;
    column(rows, at, big) = {
        let _ = big;
        let mut a = [vdupq_n_u8(0); 16];
        for k in 0..16 {
            a[k] = vld1q_u8((*rows.add(k)).add(at));
        }
        // Transposes 16×16 bytes: interleave row k with row k + 8, four times.
        for _ in 0..4 {
            let mut b = [vdupq_n_u8(0); 16];
            for k in 0..8 {
                b[2 * k] = vzip1q_u8(a[k], a[k + 8]);
                b[2 * k + 1] = vzip2q_u8(a[k], a[k + 8]);
            }
            a = b;
        }
        a
    };
}

impl Word8 for U8x16 {
    /// The S-box in four tables of 64 bytes.
    type Table = [uint8x16x4_t; 4];

    #[inline(always)]
    fn table(_: Neon, s: &'static [u8; 256]) -> [uint8x16x4_t; 4] {
        // SAFETY: the token proves NEON; each load reads 64 of the 256 bytes.
        unsafe {
            [
                vld1q_u8_x4(s.as_ptr()),
                vld1q_u8_x4(s.as_ptr().add(64)),
                vld1q_u8_x4(s.as_ptr().add(128)),
                vld1q_u8_x4(s.as_ptr().add(192)),
            ]
        }
    }

    #[inline(always)]
    fn lookup(self, t: &[uint8x16x4_t; 4]) -> Self {
        #[inline]
        #[hashmill_isa::isa(NEON)]
        fn op(i: uint8x16_t, t: &[uint8x16x4_t; 4]) -> uint8x16_t {
            // An index outside the 64 bytes of a table leaves the result unchanged (tbx) or yields zero (tbl).
            let x = vqtbl4q_u8(t[0], i);
            let x = vqtbx4q_u8(x, t[1], vsubq_u8(i, vdupq_n_u8(64)));
            let x = vqtbx4q_u8(x, t[2], vsubq_u8(i, vdupq_n_u8(128)));
            vqtbx4q_u8(x, t[3], vsubq_u8(i, vdupq_n_u8(192)))
        }
        // SAFETY: self carries the token.
        U8x16(unsafe { op(self.0, t) }, self.1)
    }

    op! { U8x16(uint8x16_t)
        add(a, b) = vaddq_u8(a, b);
        xor(a, b) = veorq_u8(a, b);
    }
}

impl Digits for U8x16 {
    type Digit = uint8x16_t;

    #[inline(always)]
    fn digits(_: Neon, s: &'static [u8; 16]) -> uint8x16_t {
        // SAFETY: the token proves NEON; 16 bytes, as the type says.
        unsafe { vld1q_u8(s.as_ptr()) }
    }

    #[inline(always)]
    fn digit(self, t: uint8x16_t) -> Self {
        #[inline]
        #[hashmill_isa::isa(NEON)]
        fn op(i: uint8x16_t, t: uint8x16_t) -> uint8x16_t {
            vqtbl1q_u8(t, i)
        }
        // SAFETY: self carries the token.
        U8x16(unsafe { op(self.0, t) }, self.1)
    }

    op! { U8x16(uint8x16_t)
        low(a) = vandq_u8(a, vdupq_n_u8(0x0f));
        high(a) = vshrq_n_u8::<4>(a);
        sub(a, b) = vsubq_u8(a, b);
        above(a, b) = vcgtq_s8(vreinterpretq_s8_u8(a), vreinterpretq_s8_u8(b));
    }
}
