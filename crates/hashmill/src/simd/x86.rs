//! x86-64: AVX2 and AVX-512 words.
//!
//! A 16-byte column is transposed by loading 16-byte pieces of rows straight into the 128-bit quarters of a register
//! (loads are cheap) and then transposing within the quarters (few shuffles). The lanes come out in order because
//! quarter q of piece k holds row q·(rows per quarter) + k.

use super::{Digits, Gather, Logic, Word, Word8};
use core::arch::x86_64::*;

/// See [`super::pair`].
#[cfg(all(target_feature = "sse2", not(miri)))]
#[inline(always)]
pub(crate) fn pair(low: u64, high: u64) -> [u8; 16] {
    // SAFETY: the program is compiled for CPUs that have SSE2.
    let mut x = unsafe { _mm_set_epi64x(high.cast_signed(), low.cast_signed()) };
    // SAFETY: no instruction. The compiler would store the words one by one.
    unsafe { core::arch::asm!("/* {0} */", inout(xmm_reg) x, options(pure, nomem, nostack, preserves_flags)) }
    let mut bytes = [0; 16];
    // SAFETY: the same, and there are sixteen bytes.
    unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), x) }
    bytes
}

macro_rules! token {
    ($(#[$doc:meta])* $name:ident, $features:tt) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $name(());
        impl $name {
            /// Callable without `unsafe` only where these features are enabled, so the value proves that they are.
            #[inline]
            #[hashmill_isa::isa($features)]
            pub(crate) fn token() -> Self {
                $name(())
            }
        }
    };
}

token! {
    /// SSSE3 and SSE4.1.
    Ssse3, [SSSE3]
}
token! {
    /// AVX2 with BMI1 and BMI2.
    Avx2, [AVX2]
}
token! {
    /// AVX-512 F, BW, DQ, VL.
    Avx512, [AVX512]
}
token! {
    /// AVX-512 with VBMI.
    Avx512Vbmi, [AVX512 + VBMI]
}

/// Defines a vector type: its register, its ISA, and its operations as expressions on registers.
macro_rules! vector {
    ($(#[$doc:meta])* $name:ident($reg:ident, $isa:ident, $f:tt) of $lane:ty, $lanes:literal;
     splat($x:ident) = $splat:expr;
     load($lp:ident) = $load:expr;
     store($sp:ident, $sv:ident) = $store:expr;
     column($rows:ident, $at:ident, $be:ident) = $column:expr;
     $($more:item)*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(crate) struct $name($reg, $isa);

        impl Word for $name {
            type Isa = $isa;
            type Lane = $lane;
            const LANES: usize = $lanes;
            const BYTES: usize = size_of::<$lane>();

            #[inline(always)]
            fn splat(isa: $isa, x: $lane) -> Self {
                #[inline]
                #[hashmill_isa::isa($f)]
                fn op($x: $lane) -> $reg {
                    $splat
                }
                // SAFETY: the token proves the features.
                $name(unsafe { op(x) }, isa)
            }
            #[inline(always)]
            unsafe fn load(isa: $isa, from: *const u8) -> Self {
                #[inline]
                #[hashmill_isa::isa($f)]
                unsafe fn op($lp: *const u8) -> $reg {
                    // SAFETY: an unaligned load of bytes that the caller vouches for.
                    unsafe { $load }
                }
                // SAFETY: the token proves the features, the caller the bytes.
                $name(unsafe { op(from) }, isa)
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut u8) {
                #[inline]
                #[hashmill_isa::isa($f)]
                unsafe fn op($sp: *mut u8, $sv: $reg) {
                    // SAFETY: an unaligned store to bytes that the caller vouches for.
                    unsafe { $store }
                }
                // SAFETY: the token proves the features, the caller the bytes.
                unsafe { op(to, self.0) }
            }
            #[inline(always)]
            unsafe fn column<const BE: bool>(_: $isa, rows: *const *const u8, at: usize, out: *mut Self) {
                const WORDS: usize = 16 / size_of::<$lane>();
                let $be = BE;
                let ($rows, $at) = (rows, at);
                // Not in a nested function: the compiler would not choose to inline a transposition of bytes, which is
                // long.
                // SAFETY: the token proves the features, the caller the rows and `out`; the type is transparent over
                // its register.
                unsafe { out.cast::<[$reg; WORDS]>().write($column) }
            }

            $($more)*
        }
    };
}

macro_rules! logic {
    (@ops $name:ident, $reg:ident, $f:tt, $($op:ident($($a:ident),+) = $e:expr;)*) => {
        $(logic!(@op $name, $reg, $f, $op, $e, $($a),+);)*
    };
    (@op $name:ident, $reg:ident, $f:tt, $op:ident, $e:expr, $a:ident) => {
        #[inline(always)]
        fn $op(self) -> Self {
            #[inline]
            #[hashmill_isa::isa($f)]
            fn op($a: $reg) -> $reg { $e }
            // SAFETY: self carries the token.
            $name(unsafe { op(self.0) }, self.1)
        }
    };
    (@op $name:ident, $reg:ident, $f:tt, $op:ident, $e:expr, $a:ident, $b:ident) => {
        #[inline(always)]
        fn $op(self, y: Self) -> Self {
            #[inline]
            #[hashmill_isa::isa($f)]
            fn op($a: $reg, $b: $reg) -> $reg { $e }
            // SAFETY: self carries the token.
            $name(unsafe { op(self.0, y.0) }, self.1)
        }
    };
    (@op $name:ident, $reg:ident, $f:tt, $op:ident, $e:expr, $a:ident, $b:ident, $c:ident) => {
        #[inline(always)]
        fn $op(self, y: Self, z: Self) -> Self {
            #[inline]
            #[hashmill_isa::isa($f)]
            fn op($a: $reg, $b: $reg, $c: $reg) -> $reg { $e }
            // SAFETY: self carries the token.
            $name(unsafe { op(self.0, y.0, z.0) }, self.1)
        }
    };
}

pub(super) use logic;

/// Rotations and shifts by a constant that is passed as an argument. They are written with per-lane counts, which the
/// compiler turns into the immediate forms once everything is inlined.
macro_rules! shifts {
    ($name:ident($reg:ident, $f:tt) rotl($ra:ident, $rn:ident) = $rotl:expr; shr($sa:ident,
     $sn:ident) = $shr:expr;) => {
        #[inline(always)]
        fn rotl(self, n: u32) -> Self {
            #[inline]
            #[hashmill_isa::isa($f)]
            fn op($ra: $reg, $rn: u32) -> $reg {
                $rotl
            }
            // SAFETY: self carries the token.
            $name(unsafe { op(self.0, n) }, self.1)
        }
        #[inline(always)]
        fn shr(self, n: u32) -> Self {
            #[inline]
            #[hashmill_isa::isa($f)]
            fn op($sa: $reg, $sn: u32) -> $reg {
                $shr
            }
            // SAFETY: self carries the token.
            $name(unsafe { op(self.0, n) }, self.1)
        }
    };
}

vector! {
    /// Eight lanes of 32 bits.
    U32x8(__m256i, Avx2, [AVX2]) of u32, 8;
    splat(x) = _mm256_set1_epi32(x.cast_signed());
    load(p) = _mm256_loadu_si256(p.cast());
    store(p, v) = _mm256_storeu_si256(p.cast(), v);
    column(rows, at, big) = {
        let mut a = [_mm256_setzero_si256(); 4];
        for k in 0..4 {
            let low = _mm_loadu_si128((*rows.add(k)).add(at).cast());
            let high = _mm_loadu_si128((*rows.add(k + 4)).add(at).cast());
            a[k] = _mm256_set_m128i(high, low);
            if big {
                a[k] = _mm256_shuffle_epi8(a[k], _mm256_broadcastsi128_si256(swap32()));
            }
        }
        let (b0, b1) = (_mm256_unpacklo_epi32(a[0], a[1]), _mm256_unpackhi_epi32(a[0], a[1]));
        let (b2, b3) = (_mm256_unpacklo_epi32(a[2], a[3]), _mm256_unpackhi_epi32(a[2], a[3]));
        [
            _mm256_unpacklo_epi64(b0, b2),
            _mm256_unpackhi_epi64(b0, b2),
            _mm256_unpacklo_epi64(b1, b3),
            _mm256_unpackhi_epi64(b1, b3),
        ]
    };
}

impl Logic for U32x8 {
    logic! { @ops U32x8, __m256i, [AVX2],
        add(a, b) = _mm256_add_epi32(a, b);
        xor(a, b) = _mm256_xor_si256(a, b);
        and(a, b) = _mm256_and_si256(a, b);
        or(a, b) = _mm256_or_si256(a, b);
        andnot(a, b) = _mm256_andnot_si256(a, b);
        not(a) = _mm256_xor_si256(a, _mm256_set1_epi32(-1));
    }
    shifts! { U32x8(__m256i, [AVX2])
        rotl(a, n) = match n {
            8 => _mm256_shuffle_epi8(a, _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0e0d_0c0f_0a09_080b, 0x0605_0407_0201_0003))),
            24 => _mm256_shuffle_epi8(a, _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0c0f_0e0d_080b_0a09, 0x0407_0605_0003_0201))),
            16 => _mm256_shuffle_epi8(a, _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0d0c_0f0e_0908_0b0a, 0x0504_0706_0100_0302))),
            _ => _mm256_or_si256(
                _mm256_sllv_epi32(a, _mm256_set1_epi32(n.cast_signed())),
                _mm256_srlv_epi32(a, _mm256_set1_epi32((32 - n).cast_signed())),
            ),
        };
        shr(a, n) = _mm256_srlv_epi32(a, _mm256_set1_epi32(n.cast_signed()));
    }
}

vector! {
    /// Four lanes of 64 bits.
    U64x4(__m256i, Avx2, [AVX2]) of u64, 4;
    splat(x) = _mm256_set1_epi64x(x.cast_signed());
    load(p) = _mm256_loadu_si256(p.cast());
    store(p, v) = _mm256_storeu_si256(p.cast(), v);
    column(rows, at, big) = {
        let mut a = [_mm256_setzero_si256(); 2];
        for k in 0..2 {
            let low = _mm_loadu_si128((*rows.add(k)).add(at).cast());
            let high = _mm_loadu_si128((*rows.add(k + 2)).add(at).cast());
            a[k] = _mm256_set_m128i(high, low);
            if big {
                a[k] = _mm256_shuffle_epi8(a[k], _mm256_broadcastsi128_si256(swap64()));
            }
        }
        [_mm256_unpacklo_epi64(a[0], a[1]), _mm256_unpackhi_epi64(a[0], a[1])]
    };
}

impl Logic for U64x4 {
    logic! { @ops U64x4, __m256i, [AVX2],
        add(a, b) = _mm256_add_epi64(a, b);
        xor(a, b) = _mm256_xor_si256(a, b);
        and(a, b) = _mm256_and_si256(a, b);
        or(a, b) = _mm256_or_si256(a, b);
        andnot(a, b) = _mm256_andnot_si256(a, b);
        not(a) = _mm256_xor_si256(a, _mm256_set1_epi64x(-1));
    }
    shifts! { U64x4(__m256i, [AVX2])
        rotl(a, n) = match n {
            32 => _mm256_shuffle_epi32::<0b10_11_00_01>(a),
            8 => _mm256_shuffle_epi8(a, _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0e0d_0c0b_0a09_080f, 0x0605_0403_0201_0007))),
            16 => _mm256_shuffle_epi8(a, _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0d0c_0b0a_0908_0f0e, 0x0504_0302_0100_0706))),
            40 => _mm256_shuffle_epi8(a, _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0a09_080f_0e0d_0c0b, 0x0201_0007_0605_0403))),
            48 => _mm256_shuffle_epi8(a, _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0908_0f0e_0d0c_0b0a, 0x0100_0706_0504_0302))),
            56 => _mm256_shuffle_epi8(a, _mm256_broadcastsi128_si256(_mm_set_epi64x(0x080f_0e0d_0c0b_0a09, 0x0007_0605_0403_0201))),
            _ => _mm256_or_si256(
                _mm256_sllv_epi64(a, _mm256_set1_epi64x(i64::from(n))),
                _mm256_srlv_epi64(a, _mm256_set1_epi64x(64 - i64::from(n))),
            ),
        };
        shr(a, n) = _mm256_srlv_epi64(a, _mm256_set1_epi64x(i64::from(n)));
    }
}

vector! {
    /// Sixteen lanes of 32 bits.
    U32x16(__m512i, Avx512, [AVX512]) of u32, 16;
    splat(x) = _mm512_set1_epi32(x.cast_signed());
    load(p) = _mm512_loadu_si512(p.cast());
    store(p, v) = _mm512_storeu_si512(p.cast(), v);
    column(rows, at, big) = {
        let mut a = [_mm512_setzero_si512(); 4];
        for k in 0..4 {
            a[k] = quarters(rows, [k, k + 4, k + 8, k + 12], at);
            if big {
                a[k] = _mm512_shuffle_epi8(a[k], _mm512_broadcast_i32x4(swap32()));
            }
        }
        let (b0, b1) = (_mm512_unpacklo_epi32(a[0], a[1]), _mm512_unpackhi_epi32(a[0], a[1]));
        let (b2, b3) = (_mm512_unpacklo_epi32(a[2], a[3]), _mm512_unpackhi_epi32(a[2], a[3]));
        [
            _mm512_unpacklo_epi64(b0, b2),
            _mm512_unpackhi_epi64(b0, b2),
            _mm512_unpacklo_epi64(b1, b3),
            _mm512_unpackhi_epi64(b1, b3),
        ]
    };

    // Reads 64 bytes of a row at once. Column by column, every cache line would be fetched four times: with many lanes
    // a power of two apart, lines compete for the same set of the L1 cache and are soon evicted.
    #[inline(always)]
    fn pieces(words: usize) -> usize {
        if words % 16 == 0 { words / 2 } else { words / 4 }
    }

    #[inline(always)]
    unsafe fn piece<const BE: bool>(
        isa: Avx512,
        rows: *const *const u8,
        at: usize,
        i: usize,
        words: usize,
        out: *mut Self,
        stride: usize,
    ) {
        if words % 16 != 0 {
            // SAFETY: the token proves the features, the caller the rows and `out`.
            unsafe {
                let mut t = [U32x16(_mm512_setzero_si512(), isa); 4];
                Self::column::<BE>(isa, rows, at + 16 * i, t.as_mut_ptr());
                for k in 0..4 {
                    *out.add((4 * i + k) * stride) = t[k];
                }
            }
            return;
        }
        // For each 64 bytes, four pieces each take four rows and transpose them within the quarters: 4q + j gets words
        // j, 4 + j, 8 + j, 12 + j of rows 4q … 4q + 3. Four more pieces transpose the quarters in place.
        let (part, i) = (i / 8, i % 8);
        // SAFETY: the token proves the features, the caller the rows and `out`.
        unsafe {
            let out = out.add(16 * part * stride);
            if i < 4 {
                let mut r = [_mm512_setzero_si512(); 4];
                for k in 0..4 {
                    r[k] = _mm512_loadu_si512((*rows.add(4 * i + k)).add(at + 64 * part).cast());
                    if BE {
                        r[k] = _mm512_shuffle_epi8(r[k], _mm512_broadcast_i32x4(swap32()));
                    }
                }
                let (b0, b1) = (_mm512_unpacklo_epi32(r[0], r[1]), _mm512_unpackhi_epi32(r[0], r[1]));
                let (b2, b3) = (_mm512_unpacklo_epi32(r[2], r[3]), _mm512_unpackhi_epi32(r[2], r[3]));
                *out.add(4 * i * stride) = U32x16(_mm512_unpacklo_epi64(b0, b2), isa);
                *out.add((4 * i + 1) * stride) = U32x16(_mm512_unpackhi_epi64(b0, b2), isa);
                *out.add((4 * i + 2) * stride) = U32x16(_mm512_unpacklo_epi64(b1, b3), isa);
                *out.add((4 * i + 3) * stride) = U32x16(_mm512_unpackhi_epi64(b1, b3), isa);
            } else {
                let j = i - 4;
                let u = [
                    (*out.add(j * stride)).0,
                    (*out.add((4 + j) * stride)).0,
                    (*out.add((8 + j) * stride)).0,
                    (*out.add((12 + j) * stride)).0,
                ];
                let (even, even2) = (_mm512_shuffle_i32x4::<0x88>(u[0], u[1]), _mm512_shuffle_i32x4::<0x88>(u[2], u[3]));
                let (odd, odd2) = (_mm512_shuffle_i32x4::<0xdd>(u[0], u[1]), _mm512_shuffle_i32x4::<0xdd>(u[2], u[3]));
                *out.add(j * stride) = U32x16(_mm512_shuffle_i32x4::<0x88>(even, even2), isa);
                *out.add((4 + j) * stride) = U32x16(_mm512_shuffle_i32x4::<0x88>(odd, odd2), isa);
                *out.add((8 + j) * stride) = U32x16(_mm512_shuffle_i32x4::<0xdd>(even, even2), isa);
                *out.add((12 + j) * stride) = U32x16(_mm512_shuffle_i32x4::<0xdd>(odd, odd2), isa);
            }
        }
    }
}

impl Gather for U32x8 {
    #[inline(always)]
    fn gather(self, table: &[u32; 256]) -> Self {
        #[inline]
        #[hashmill_isa::isa(AVX2)]
        fn op(i: __m256i, table: &[u32; 256]) -> __m256i {
            let i = _mm256_and_si256(i, _mm256_set1_epi32(0xff));
            if cfg!(miri) {
                // SAFETY: as below.
                return unsafe { _mm256_i32gather_epi32::<4>(table.as_ptr().cast(), i) };
            }
            let words: __m256i;
            // The mask is in ymm4 to keep the indices out of it: emulators (qemu 7.2) take an index register number of
            // 4 to mean "no index", as it does for general registers.
            // SAFETY: each index is a byte, and the table has 256 words.
            unsafe {
                core::arch::asm!(
                    "vpcmpeqd ymm4, ymm4, ymm4",
                    "vpxor {words}, {words}, {words}",
                    "vpgatherdd {words}, [{table} + {i} * 4], ymm4",
                    words = out(ymm_reg) words,
                    table = in(reg) table.as_ptr(),
                    i = in(ymm_reg) i,
                    out("ymm4") _,
                    options(pure, readonly, nostack, preserves_flags),
                );
            }
            words
        }
        // SAFETY: self carries the token.
        U32x8(unsafe { op(self.0, table) }, self.1)
    }
}

macro_rules! ternary_logic {
    ($name:ident) => {
        const IN_STEP: bool = true;

        #[cfg(not(miri))]
        #[inline(always)]
        fn in_order(self) -> Self {
            #[inline]
            #[hashmill_isa::isa(AVX512)]
            fn op(mut x: __m512i) -> __m512i {
                // SAFETY: no instruction at all; the value passes through a register, and the compiler keeps it in
                // order.
                unsafe { core::arch::asm!("/* {0} */", inout(zmm_reg) x, options(nomem, nostack, preserves_flags)) }
                x
            }
            // SAFETY: self carries the token.
            $name(unsafe { op(self.0) }, self.1)
        }
        logic! { @ops $name, __m512i, [AVX512],
            xor(a, b) = _mm512_xor_si512(a, b);
            and(a, b) = _mm512_and_si512(a, b);
            or(a, b) = _mm512_or_si512(a, b);
            andnot(a, b) = _mm512_andnot_si512(a, b);
            not(a) = _mm512_ternarylogic_epi32::<0x55>(a, a, a);
            choose(a, b, c) = _mm512_ternarylogic_epi32::<0xca>(a, b, c);
            majority(a, b, c) = _mm512_ternarylogic_epi32::<0xe8>(a, b, c);
            xor3(a, b, c) = _mm512_ternarylogic_epi32::<0x96>(a, b, c);
            chi(a, b, c) = _mm512_ternarylogic_epi32::<0xd2>(a, b, c);
            xor_or_not(a, b, c) = _mm512_ternarylogic_epi32::<0x2d>(a, b, c);
        }
    };
}

impl Logic for U32x16 {
    ternary_logic!(U32x16);
    logic! { @ops U32x16, __m512i, [AVX512],
        add(a, b) = _mm512_add_epi32(a, b);
    }
    shifts! { U32x16(__m512i, [AVX512])
        rotl(a, n) = _mm512_rolv_epi32(a, _mm512_set1_epi32(n.cast_signed()));
        shr(a, n) = _mm512_srlv_epi32(a, _mm512_set1_epi32(n.cast_signed()));
    }
}

vector! {
    /// One message in the lowest lane of a 128-bit register, for ternary logic and single-instruction rotations.
    U32x1(__m128i, Avx512, [AVX512]) of u32, 1;
    splat(x) = _mm_set1_epi32(x.cast_signed());
    load(p) = _mm_cvtsi32_si128(p.cast::<i32>().read_unaligned());
    store(p, v) = p.cast::<i32>().write_unaligned(_mm_cvtsi128_si32(v));
    column(rows, at, big) = {
        let all = _mm_loadu_si128((*rows).add(at).cast());
        let all = if big { _mm_shuffle_epi8(all, swap32()) } else { all };
        [
            all,
            _mm_shuffle_epi32::<0b01>(all),
            _mm_shuffle_epi32::<0b10>(all),
            _mm_shuffle_epi32::<0b11>(all),
        ]
    };

    #[inline(always)]
    unsafe fn direct<const BE: bool>(isa: Avx512, rows: *const *const u8, at: usize) -> Self {
        #[inline]
        #[hashmill_isa::isa(AVX512)]
        fn op(x: u32) -> __m128i {
            _mm_cvtsi32_si128(x.cast_signed())
        }
        // SAFETY: the caller vouches for the row and its bytes.
        let x = unsafe { (*rows).add(at).cast::<u32>().read_unaligned() };
        // SAFETY: the token proves the features.
        U32x1(unsafe { op(if BE { x.swap_bytes() } else { x }) }, isa)
    }
}

impl Logic for U32x1 {
    logic! { @ops U32x1, __m128i, [AVX512],
        add(a, b) = _mm_add_epi32(a, b);
        xor(a, b) = _mm_xor_si128(a, b);
        and(a, b) = _mm_and_si128(a, b);
        or(a, b) = _mm_or_si128(a, b);
        andnot(a, b) = _mm_andnot_si128(a, b);
        not(a) = _mm_ternarylogic_epi32::<0x55>(a, a, a);
        choose(a, b, c) = _mm_ternarylogic_epi32::<0xca>(a, b, c);
        majority(a, b, c) = _mm_ternarylogic_epi32::<0xe8>(a, b, c);
        xor3(a, b, c) = _mm_ternarylogic_epi32::<0x96>(a, b, c);
        chi(a, b, c) = _mm_ternarylogic_epi32::<0xd2>(a, b, c);
        xor_or_not(a, b, c) = _mm_ternarylogic_epi32::<0x2d>(a, b, c);
        xor_and(a, b, c) = _mm_ternarylogic_epi32::<0x78>(a, b, c);
    }
    shifts! { U32x1(__m128i, [AVX512])
        rotl(a, n) = _mm_rolv_epi32(a, _mm_set1_epi32(n.cast_signed()));
        shr(a, n) = _mm_srlv_epi32(a, _mm_set1_epi32(n.cast_signed()));
    }
    #[cfg(not(miri))]
    #[inline(always)]
    fn settled(self) -> Self {
        let mut x = self.0;
        // SAFETY: no instruction at all; the value passes through a register.
        unsafe { core::arch::asm!("/* {0} */", inout(xmm_reg) x, options(pure, nomem, nostack, preserves_flags)) }
        U32x1(x, self.1)
    }
}

vector! {
    /// Eight lanes of 64 bits.
    U64x8(__m512i, Avx512, [AVX512]) of u64, 8;
    splat(x) = _mm512_set1_epi64(x.cast_signed());
    load(p) = _mm512_loadu_si512(p.cast());
    store(p, v) = _mm512_storeu_si512(p.cast(), v);
    column(rows, at, big) = {
        let mut a = [_mm512_setzero_si512(); 2];
        for k in 0..2 {
            a[k] = quarters(rows, [k, k + 2, k + 4, k + 6], at);
            if big {
                a[k] = _mm512_shuffle_epi8(a[k], _mm512_broadcast_i32x4(swap64()));
            }
        }
        [_mm512_unpacklo_epi64(a[0], a[1]), _mm512_unpackhi_epi64(a[0], a[1])]
    };

    // Reads 64 bytes of a row at once, as with sixteen lanes.
    #[inline(always)]
    fn pieces(words: usize) -> usize {
        words / 2
    }

    #[inline(always)]
    unsafe fn piece<const BE: bool>(
        isa: Avx512,
        rows: *const *const u8,
        at: usize,
        i: usize,
        words: usize,
        out: *mut Self,
        stride: usize,
    ) {
        if words % 8 != 0 {
            // SAFETY: the token proves the features, the caller the rows and `out`.
            unsafe {
                let mut t = [U64x8(_mm512_setzero_si512(), isa); 2];
                Self::column::<BE>(isa, rows, at + 16 * i, t.as_mut_ptr());
                *out.add(2 * i * stride) = t[0];
                *out.add((2 * i + 1) * stride) = t[1];
            }
            return;
        }
        // For each 64 bytes, two pieces each take four rows: w and w + 4 for w = 0 … 3 get words w and w + 4 of rows 0
        // … 3 and of rows 4 … 7. Two more pieces transpose the quarters in place.
        let (part, i) = (i / 4, i % 4);
        // SAFETY: the token proves the features, the caller the rows and `out`.
        unsafe {
            let out = out.add(8 * part * stride);
            if i < 2 {
                let mut r = [_mm512_setzero_si512(); 4];
                for k in 0..4 {
                    r[k] = _mm512_loadu_si512((*rows.add(4 * i + k)).add(at + 64 * part).cast());
                    if BE {
                        r[k] = _mm512_shuffle_epi8(r[k], _mm512_broadcast_i32x4(swap64()));
                    }
                }
                let (low, high) = (_mm512_unpacklo_epi64(r[0], r[1]), _mm512_unpackhi_epi64(r[0], r[1]));
                let (low2, high2) = (_mm512_unpacklo_epi64(r[2], r[3]), _mm512_unpackhi_epi64(r[2], r[3]));
                *out.add(4 * i * stride) = U64x8(_mm512_shuffle_i64x2::<0x88>(low, low2), isa);
                *out.add((4 * i + 1) * stride) = U64x8(_mm512_shuffle_i64x2::<0x88>(high, high2), isa);
                *out.add((4 * i + 2) * stride) = U64x8(_mm512_shuffle_i64x2::<0xdd>(low, low2), isa);
                *out.add((4 * i + 3) * stride) = U64x8(_mm512_shuffle_i64x2::<0xdd>(high, high2), isa);
            } else {
                for w in [2 * (i - 2), 2 * (i - 2) + 1] {
                    let (a, b) = ((*out.add(w * stride)).0, (*out.add((w + 4) * stride)).0);
                    *out.add(w * stride) = U64x8(_mm512_shuffle_i64x2::<0x88>(a, b), isa);
                    *out.add((w + 4) * stride) = U64x8(_mm512_shuffle_i64x2::<0xdd>(a, b), isa);
                }
            }
        }
    }
}

impl Logic for U64x8 {
    ternary_logic!(U64x8);
    logic! { @ops U64x8, __m512i, [AVX512],
        add(a, b) = _mm512_add_epi64(a, b);
    }
    shifts! { U64x8(__m512i, [AVX512])
        rotl(a, n) = _mm512_rolv_epi64(a, _mm512_set1_epi64(i64::from(n)));
        shr(a, n) = _mm512_srlv_epi64(a, _mm512_set1_epi64(i64::from(n)));
    }
}

vector! {
    /// Sixty-four lanes of bytes.
    U8x64(__m512i, Avx512Vbmi, [AVX512 + VBMI]) of u8, 64;
    splat(x) = _mm512_set1_epi8(x.cast_signed());
    load(p) = _mm512_loadu_si512(p.cast());
    store(p, v) = _mm512_storeu_si512(p.cast(), v);
    column(rows, at, big) = {
        let _ = big;
        let mut a = [_mm512_setzero_si512(); 16];
        for k in 0..16 {
            a[k] = quarters(rows, [k, k + 16, k + 32, k + 48], at);
        }
        // Transposes 16×16 bytes in each quarter: interleave row k with row k + 8, four times.
        for _ in 0..4 {
            let mut b = [_mm512_setzero_si512(); 16];
            for k in 0..8 {
                b[2 * k] = _mm512_unpacklo_epi8(a[k], a[k + 8]);
                b[2 * k + 1] = _mm512_unpackhi_epi8(a[k], a[k + 8]);
            }
            a = b;
        }
        a
    };
}

impl Word8 for U8x64 {
    /// The S-box in four registers of 64 bytes.
    type Table = [__m512i; 4];

    #[inline(always)]
    fn table(_: Avx512Vbmi, s: &'static [u8; 256]) -> [__m512i; 4] {
        #[inline]
        #[hashmill_isa::isa(AVX512)]
        fn op(s: &[u8; 256], i: usize) -> __m512i {
            let part: &[u8; 64] = s[64 * i..].first_chunk().expect("64 bytes");
            // SAFETY: 64 bytes, as the type says.
            unsafe { _mm512_loadu_si512(part.as_ptr().cast()) }
        }
        // SAFETY: the token proves the features.
        unsafe { [op(s, 0), op(s, 1), op(s, 2), op(s, 3)] }
    }

    #[inline(always)]
    fn lookup(self, t: &[__m512i; 4]) -> Self {
        #[inline]
        #[hashmill_isa::isa(AVX512 + VBMI)]
        fn op(i: __m512i, t: &[__m512i; 4]) -> __m512i {
            // vpermi2b uses seven bits of the index; the eighth selects the half of the table.
            let low = _mm512_permutex2var_epi8(t[0], i, t[1]);
            let high = _mm512_permutex2var_epi8(t[2], i, t[3]);
            _mm512_mask_blend_epi8(_mm512_movepi8_mask(i), low, high)
        }
        // SAFETY: self carries the token.
        U8x64(unsafe { op(self.0, t) }, self.1)
    }

    #[inline(always)]
    fn add(self, o: Self) -> Self {
        #[inline]
        #[hashmill_isa::isa(AVX512)]
        fn op(a: __m512i, b: __m512i) -> __m512i {
            _mm512_add_epi8(a, b)
        }
        // SAFETY: self carries the token.
        U8x64(unsafe { op(self.0, o.0) }, self.1)
    }

    #[inline(always)]
    fn xor(self, o: Self) -> Self {
        #[inline]
        #[hashmill_isa::isa(AVX512)]
        fn op(a: __m512i, b: __m512i) -> __m512i {
            _mm512_xor_si512(a, b)
        }
        // SAFETY: self carries the token.
        U8x64(unsafe { op(self.0, o.0) }, self.1)
    }
}

vector! {
    /// Thirty-two lanes of bytes.
    U8x32(__m256i, Avx2, [AVX2]) of u8, 32;
    splat(x) = _mm256_set1_epi8(x.cast_signed());
    load(p) = _mm256_loadu_si256(p.cast());
    store(p, v) = _mm256_storeu_si256(p.cast(), v);
    column(rows, at, big) = {
        let _ = big;
        let mut a = [_mm256_setzero_si256(); 16];
        for k in 0..16 {
            let low = _mm_loadu_si128((*rows.add(k)).add(at).cast());
            let high = _mm_loadu_si128((*rows.add(k + 16)).add(at).cast());
            a[k] = _mm256_set_m128i(high, low);
        }
        for _ in 0..4 {
            let mut b = [_mm256_setzero_si256(); 16];
            for k in 0..8 {
                b[2 * k] = _mm256_unpacklo_epi8(a[k], a[k + 8]);
                b[2 * k + 1] = _mm256_unpackhi_epi8(a[k], a[k + 8]);
            }
            a = b;
        }
        a
    };
}

impl Word8 for U8x32 {
    /// The S-box in sixteen rows of 16 bytes, each in both halves of a register.
    type Table = [__m256i; 16];

    #[inline(always)]
    fn table(_: Avx2, s: &'static [u8; 256]) -> [__m256i; 16] {
        #[inline]
        #[hashmill_isa::isa(AVX2)]
        fn op(s: &[u8; 256]) -> [__m256i; 16] {
            let mut t = [_mm256_setzero_si256(); 16];
            for i in 0..16 {
                let row: &[u8; 16] = s[16 * i..].first_chunk().expect("16 bytes");
                // SAFETY: 16 bytes, as the type says.
                t[i] = _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(row.as_ptr().cast()) });
            }
            t
        }
        // SAFETY: the token proves the features.
        unsafe { op(s) }
    }

    #[inline(always)]
    fn lookup(self, t: &[__m256i; 16]) -> Self {
        #[inline]
        #[hashmill_isa::isa(AVX2)]
        fn op(i: __m256i, t: &[__m256i; 16]) -> __m256i {
            // Row r handles indices 16r … 16r+15: they become 0x70 … 0x7f, of which vpshufb uses the low four bits. All
            // other indices get bit 7 set, which yields zero.
            let mut x = _mm256_setzero_si256();
            let seventy = _mm256_set1_epi8(0x70);
            for r in 0..16 {
                let j = _mm256_xor_si256(i, _mm256_set1_epi8(((r as u8) << 4).cast_signed()));
                x = _mm256_or_si256(x, _mm256_shuffle_epi8(t[r], _mm256_adds_epu8(j, seventy)));
            }
            x
        }
        // SAFETY: self carries the token.
        U8x32(unsafe { op(self.0, t) }, self.1)
    }

    #[inline(always)]
    fn add(self, o: Self) -> Self {
        #[inline]
        #[hashmill_isa::isa(AVX2)]
        fn op(a: __m256i, b: __m256i) -> __m256i {
            _mm256_add_epi8(a, b)
        }
        // SAFETY: self carries the token.
        U8x32(unsafe { op(self.0, o.0) }, self.1)
    }

    #[inline(always)]
    fn xor(self, o: Self) -> Self {
        #[inline]
        #[hashmill_isa::isa(AVX2)]
        fn op(a: __m256i, b: __m256i) -> __m256i {
            _mm256_xor_si256(a, b)
        }
        // SAFETY: self carries the token.
        U8x32(unsafe { op(self.0, o.0) }, self.1)
    }
}

impl Digits for U8x32 {
    /// The table in both halves of a register.
    type Digit = __m256i;

    #[inline(always)]
    fn digits(_: Avx2, s: &'static [u8; 16]) -> __m256i {
        #[inline]
        #[hashmill_isa::isa(AVX2)]
        fn op(s: &[u8; 16]) -> __m256i {
            // SAFETY: 16 bytes, as the type says.
            _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(s.as_ptr().cast()) })
        }
        // SAFETY: the token proves the features.
        unsafe { op(s) }
    }

    #[inline(always)]
    fn digit(self, t: __m256i) -> Self {
        #[inline]
        #[hashmill_isa::isa(AVX2)]
        fn op(i: __m256i, t: __m256i) -> __m256i {
            _mm256_shuffle_epi8(t, i)
        }
        // SAFETY: self carries the token.
        U8x32(unsafe { op(self.0, t) }, self.1)
    }

    logic! { @ops U8x32, __m256i, [AVX2],
        low(a) = _mm256_and_si256(a, _mm256_set1_epi8(0x0f));
        high(a) = _mm256_and_si256(_mm256_srli_epi16::<4>(a), _mm256_set1_epi8(0x0f));
        sub(a, b) = _mm256_sub_epi8(a, b);
        above(a, b) = _mm256_cmpgt_epi8(a, b);
    }
}

/// Loads the 16 bytes at `at` of four rows, one into each quarter of a register.
///
/// # Safety
/// The rows named by `k` are valid for reading `at + 16` bytes.
#[inline]
#[hashmill_isa::isa(AVX512)]
unsafe fn quarters(rows: *const *const u8, k: [usize; 4], at: usize) -> __m512i {
    // SAFETY: as the caller says.
    unsafe {
        let a = _mm512_castsi128_si512(_mm_loadu_si128((*rows.add(k[0])).add(at).cast()));
        let a = _mm512_inserti32x4::<1>(a, _mm_loadu_si128((*rows.add(k[1])).add(at).cast()));
        let a = _mm512_inserti32x4::<2>(a, _mm_loadu_si128((*rows.add(k[2])).add(at).cast()));
        _mm512_inserti32x4::<3>(a, _mm_loadu_si128((*rows.add(k[3])).add(at).cast()))
    }
}

/// The shuffle that reverses the bytes of each 32-bit word.
#[inline]
#[hashmill_isa::isa(SSE2)]
fn swap32() -> __m128i {
    _mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203)
}

/// The shuffle that reverses the bytes of each 64-bit word.
#[inline]
#[hashmill_isa::isa(SSE2)]
fn swap64() -> __m128i {
    _mm_set_epi64x(0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607)
}
