//! Generates the list of kernels from one generic text.

/// Defines the kernels of a generic `run::<W>(isa, p, packed, rows)` and lists them in order of preference:
///
/// ```text
/// lanes! { words: 4, bytes: 4, portable: u32;
///     x86_64 {
///         avx512x32(Avx512 X2<U32x16>) from 3;         an instance of the generic text
///         shani(dedicated x86::shani, [SHANI], 1) from 1; a function of its own: needs, lanes
///         gfnix2(states x86::gfnix2, [GFNI], 2) from 2;   the same on states that lie one after the other
///         gfnix64(bytes x86::gfnix64, [GFNI], 64) from 9; the same on bytes instead of words side by side
///     }
///     aarch64 { neonx4(Neon U32x4) from 2; }
///     wasm32 { simd128x4(Simd128 U32x4) from 2; }
/// }
/// ```
///
/// `from` is the number of messages from which the kernel beats those after it in the list (measured).
macro_rules! lanes {
    (words: $words:literal, bytes: $bytes:literal, portable: $scalar:ty;
     x86_64 { $($x:ident($($xhow:tt)*) from $xmin:literal;)* }
     aarch64 { $($a:ident($($ahow:tt)*) from $amin:literal;)* }
     wasm32 { $($w:ident($($whow:tt)*) from $wmin:literal;)* }
    ) => {
        $(lanes!(@function "x86_64", $x, $($xhow)*);)*
        $(lanes!(@function "aarch64", $a, $($ahow)*);)*
        $(lanes!(@function "wasm32", $w, $($whow)*);)*

        /// The generic text on plain words, which runs on every machine.
        fn portable(p: &$crate::contract::Params, packed: &mut [u8], rows: &$crate::simd::Rows<'_>) {
            run::<$scalar>($crate::simd::Scalar, p, packed, rows);
        }

        const PORTABLE: $crate::contract::Kernel = $crate::algo::kernels::driven(
            "portable", $crate::algo::kernels::on!([NONE]; portable), 1, 1, $words, $bytes,
        );

        /// The kernels in order of preference.
        #[cfg(target_arch = "x86_64")]
        pub(crate) static KERNELS: &[$crate::contract::Kernel] = &[
            $(lanes!(@entry $words, $bytes, $x, $xmin, $($xhow)*),)*
            PORTABLE,
        ];
        /// The kernels in order of preference.
        #[cfg(target_arch = "aarch64")]
        pub(crate) static KERNELS: &[$crate::contract::Kernel] = &[
            $(lanes!(@entry $words, $bytes, $a, $amin, $($ahow)*),)*
            PORTABLE,
        ];
        /// The kernels in order of preference.
        #[cfg(target_feature = "simd128")]
        pub(crate) static KERNELS: &[$crate::contract::Kernel] = &[
            $(lanes!(@entry $words, $bytes, $w, $wmin, $($whow)*),)*
            PORTABLE,
        ];
        /// The kernels in order of preference.
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128")))]
        pub(crate) static KERNELS: &[$crate::contract::Kernel] = &[PORTABLE];
    };

    (@function $arch:literal, $name:ident, dedicated $f:path, $needs:tt, $lanes:literal) => {};
    (@function $arch:literal, $name:ident, states $f:path, $needs:tt, $lanes:literal) => {};
    (@function $arch:literal, $name:ident, bytes $f:path, $needs:tt, $lanes:literal) => {};
    (@function $arch:literal, $name:ident, Plain $word:ty) => {
        /// The generic text on plain words of several messages.
        #[cfg(target_arch = $arch)]
        fn $name(p: &$crate::contract::Params, packed: &mut [u8], rows: &$crate::simd::Rows<'_>) {
            run::<$word>($crate::simd::Scalar, p, packed, rows);
        }
    };
    (@function $arch:literal, $name:ident, Bmi2 $word:ty) => {
        /// The generic text on plain words, with BMI's rotations and and-not.
        #[cfg(target_arch = $arch)]
        #[hashmill_isa::isa(BMI2)]
        fn $name(p: &$crate::contract::Params, packed: &mut [u8], rows: &$crate::simd::Rows<'_>) {
            run::<$word>($crate::simd::Scalar, p, packed, rows);
        }
    };
    (@function $arch:literal, $name:ident, Avx2 $word:ty) => {
        #[cfg(target_arch = $arch)]
        #[hashmill_isa::isa(AVX2)]
        fn $name(p: &$crate::contract::Params, packed: &mut [u8], rows: &$crate::simd::Rows<'_>) {
            run::<$word>($crate::simd::x86::Avx2::token(), p, packed, rows);
        }
    };
    (@function $arch:literal, $name:ident, Avx512 $word:ty) => {
        #[cfg(target_arch = $arch)]
        #[hashmill_isa::isa(AVX512)]
        fn $name(p: &$crate::contract::Params, packed: &mut [u8], rows: &$crate::simd::Rows<'_>) {
            run::<$word>($crate::simd::x86::Avx512::token(), p, packed, rows);
        }
    };
    (@function $arch:literal, $name:ident, Avx512Rot $word:ty) => {
        lanes!(@function $arch, $name, Avx512 $word);
    };
    (@function $arch:literal, $name:ident, Avx512Pairs $word:ty) => {
        lanes!(@function $arch, $name, Avx512 $word);
    };
    (@function $arch:literal, $name:ident, Avx512Vbmi $word:ty) => {
        #[cfg(target_arch = $arch)]
        #[hashmill_isa::isa(AVX512 + VBMI)]
        fn $name(p: &$crate::contract::Params, packed: &mut [u8], rows: &$crate::simd::Rows<'_>) {
            run::<$word>($crate::simd::x86::Avx512Vbmi::token(), p, packed, rows);
        }
    };
    (@function $arch:literal, $name:ident, Neon $word:ty) => {
        #[cfg(target_arch = $arch)]
        #[hashmill_isa::isa(NEON)]
        fn $name(p: &$crate::contract::Params, packed: &mut [u8], rows: &$crate::simd::Rows<'_>) {
            run::<$word>($crate::simd::aarch64::Neon::token(), p, packed, rows);
        }
    };
    (@function $arch:literal, $name:ident, Simd128 $word:ty) => {
        #[cfg(target_feature = "simd128")]
        fn $name(p: &$crate::contract::Params, packed: &mut [u8], rows: &$crate::simd::Rows<'_>) {
            run::<$word>($crate::simd::wasm32::Simd128::token(), p, packed, rows);
        }
    };

    (@entry $words:literal, $bytes:literal, $name:ident, $min:literal, dedicated $f:path, $needs:tt,
     $lanes:literal) => {
        $crate::algo::kernels::kernel(
            stringify!($name), $crate::algo::kernels::on!($needs; $f), $lanes, $min, $words, $bytes,
        )
    };
    (@entry $words:literal, $bytes:literal, $name:ident, $min:literal, states $f:path, $needs:tt, $lanes:literal) => {
        $crate::algo::kernels::kernel_of_states::<{ $words * $bytes }>(
            stringify!($name), $crate::algo::kernels::on!($needs; $f), $lanes, $min,
        )
    };
    (@entry $words:literal, $bytes:literal, $name:ident, $min:literal, bytes $f:path, $needs:tt, $lanes:literal) => {
        $crate::algo::kernels::kernel(
            stringify!($name), $crate::algo::kernels::on!($needs; $f), $lanes, $min, $words * $bytes, 1,
        )
    };
    (@entry $words:literal, $bytes:literal, $name:ident, $min:literal, $isa:ident $word:ty) => {
        $crate::algo::kernels::driven(
            stringify!($name),
            lanes!(@on $isa $name),
            <$word as $crate::simd::Word>::LANES as u16,
            $min,
            $words,
            $bytes,
        )
    };
    (@on Plain $f:ident) => { $crate::algo::kernels::on!([NONE]; $f) };
    (@on Bmi2 $f:ident) => { $crate::algo::kernels::on!([BMI2]; $f) };
    (@on Avx2 $f:ident) => { $crate::algo::kernels::on!([AVX2]; $f) };
    (@on Avx512 $f:ident) => { $crate::algo::kernels::on!([AVX512]; $f) };
    (@on Avx512Rot $f:ident) => { $crate::algo::kernels::on!([AVX512 + FAST_VROT]; $f) };
    (@on Avx512Pairs $f:ident) => { $crate::algo::kernels::on!([AVX512 + FAST_PAIRS]; $f) };
    (@on Avx512Vbmi $f:ident) => { $crate::algo::kernels::on!([AVX512 + VBMI]; $f) };
    (@on Neon $f:ident) => { $crate::algo::kernels::on!([NEON]; $f) };
    (@on Simd128 $f:ident) => { $crate::algo::kernels::on!([SIMD128]; $f) };
}

/// Joins a block function with the features it needs, as in `on!([AVX512 + VBMI]; avx512x64)`. This is the only place
/// where the two meet: it compiles only if the function's own `#[isa]` requires nothing that is missing from the list.
macro_rules! on {
    ($sets:tt; $f:expr) => {{
        #[hashmill_isa::isa($sets)]
        #[allow(dead_code, reason = "never called; it only has to compile")]
        fn proof(p: &$crate::contract::Params, packed: &mut [u8], rows: &$crate::simd::Rows<'_>) {
            $f(p, packed, rows);
        }
        $crate::algo::kernels::On { needs: $crate::base::cpu::needs!($sets), run: $f }
    }};
}

pub(super) use lanes;
pub(super) use on;

use crate::base::cpu::Features;
use crate::contract::{Kernel, Lanes, Layout, Run, RunFn, State};

/// The result of [`on!`].
#[derive(Clone, Copy)]
pub(super) struct On {
    pub(super) needs: Features,
    pub(super) run: RunFn,
}

/// A kernel over words that are interleaved by lane.
pub(super) const fn kernel(
    name: &'static str,
    On { needs, run }: On,
    lanes: u16,
    min_active: u16,
    words: u16,
    word_bytes: u8,
) -> Kernel {
    let layout = Layout::Soa { words, word_bytes };
    Kernel { name, needs, run: Run::Lanes(Lanes { lanes, min_active, layout, apart: false, run }) }
}

/// Like [`kernel`], for kernels built on simd's drivers, which can keep messages apart.
pub(super) const fn driven(
    name: &'static str,
    On { needs, run }: On,
    lanes: u16,
    min_active: u16,
    words: u16,
    word_bytes: u8,
) -> Kernel {
    let layout = Layout::Soa { words, word_bytes };
    Kernel { name, needs, run: Run::Lanes(Lanes { lanes, min_active, layout, apart: true, run }) }
}

/// A kernel over consecutive states of `BYTES` bytes.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "for kernels of dedicated instructions"))]
pub(super) const fn kernel_of_states<const BYTES: usize>(
    name: &'static str,
    On { needs, run }: On,
    lanes: u16,
    min_active: u16,
) -> Kernel {
    let layout = Layout::Own { bytes: BYTES * lanes as usize, seat: seat::<BYTES>, unseat: unseat::<BYTES> };
    Kernel { name, needs, run: Run::Lanes(Lanes { lanes, min_active, layout, apart: false, run }) }
}

fn seat<const BYTES: usize>(s: &State, packed: &mut [u8], lane: usize) {
    packed[BYTES * lane..][..BYTES].copy_from_slice(&s.0[..BYTES]);
}

fn unseat<const BYTES: usize>(packed: &[u8], lane: usize, s: &mut State) {
    s.0[..BYTES].copy_from_slice(&packed[BYTES * lane..][..BYTES]);
}
