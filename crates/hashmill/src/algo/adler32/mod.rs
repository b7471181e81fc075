//! Adler-32 — RFC 1950 (P. Deutsch, J.-L. Gailly, 1996), designed by M. Adler for zlib.
//! digest 32 bit · block – · big-endian · status: checksum, no security
//! ## Algorithm
//! ```text
//! a ← 1;  b ← 0
//! for each byte d:  a ← a + d mod 65521;  b ← b + a mod 65521
//! digest = b·2^16 + a
//! ```
//!
//! The sums of A‖B follow from those of A and B and the length of B (`combine`).
//! ## Kernels
//! - `avx512`, `avx2`: sums of groups of eight bytes, sums of those sums, and weighted bytes (see `x86.rs`); 0.047 and
//!   0.066 cycles/byte at 16 KiB (Intel Xeon, Emerald Rapids). With weights of 8 … 1 instead of 64 … 1, the sums of
//!   eight vectors fit in 16 bits and are widened once. The last vector of `avx512` is padded with zeros, whose effect
//!   is undone.
//! - `simd-adler32`: the crate, with AVX2 or SSSE3; 0.083. Below 64 bytes it has no vector code, and `portable` runs
//!   instead.
//! - `portable`: Fletcher's sums in columns (see `fletcher.rs`); 17 GB/s (Zen 5). Reduces every 352 bytes rather than
//!   the 5552 that 32 bits would allow: the columns hold no more, and it makes no measurable difference.

#[cfg(target_arch = "x86_64")]
mod x86;

use super::fletcher::Sums;
use super::fold::{Fold, Folding, WORDS, write_be};
use crate::base::cpu::Features;
#[cfg(target_arch = "x86_64")]
use crate::base::cpu::needs;
use crate::contract::{Inputs, Kernel, Params, Run};

pub(crate) static KERNELS: &[Kernel] = &[
    #[cfg(target_arch = "x86_64")]
    Kernel { name: "avx512", needs: needs!([AVX512]), run: Run::Whole(&Folding::<Adler32<AVX512>>::NEW) },
    #[cfg(target_arch = "x86_64")]
    Kernel { name: "avx2", needs: needs!([AVX2]), run: Run::Whole(&Folding::<Adler32<AVX2>>::NEW) },
    #[cfg(feature = "simd-adler32")]
    Kernel { name: "simd-adler32", needs: Features::NONE, run: Run::Whole(&Folding::<Adler32<CRATE>>::NEW) },
    Kernel { name: "portable", needs: Features::NONE, run: Run::Whole(&Folding::<Adler32<COLUMNS>>::NEW) },
];

/// The sums; `HOW` is the implementation.
#[derive(Clone, Copy)]
struct Adler32<const HOW: u8>(Sums);

const COLUMNS: u8 = 0;
#[cfg(feature = "simd-adler32")]
const CRATE: u8 = 3;
#[cfg(target_arch = "x86_64")]
const AVX2: u8 = 1;
#[cfg(target_arch = "x86_64")]
const AVX512: u8 = 2;

/// The shortest messages for which 256-bit and 512-bit vectors are faster than columns.
#[cfg(target_arch = "x86_64")]
const AVX2_FROM: usize = 64;
#[cfg(target_arch = "x86_64")]
const AVX512_FROM: usize = 32;

impl<const HOW: u8> Fold for Adler32<HOW> {
    const STEP: usize = 1;

    #[inline]
    fn new(_: &Params, _: &Inputs<'_>) -> Self {
        Adler32(Sums { a: 1, b: 0 })
    }

    fn save(self) -> [u64; WORDS] {
        [self.0.a, self.0.b, 0, 0]
    }

    fn load([a, b, ..]: [u64; WORDS]) -> Self {
        Adler32(Sums { a, b })
    }

    fn is_possible(&self, _: &Params) -> bool {
        self.0.a < MODULUS && self.0.b < MODULUS
    }

    fn resume(_: &Params, digest: &[u8]) -> Option<Self> {
        read(digest).map(Adler32)
    }

    #[inline]
    fn after(mut self, _: &Params, m: &[u8]) -> Self {
        #[cfg(feature = "simd-adler32")]
        if HOW == CRATE && m.len() >= LONG {
            let mut sums = simd_adler32::Adler32::from_checksum((self.0.b << 16 | self.0.a) as u32);
            sums.write(m);
            let value = sums.finish();
            return Adler32(Sums { a: u64::from(value & 0xffff), b: u64::from(value >> 16) });
        }
        #[cfg(target_arch = "x86_64")]
        match HOW {
            AVX512 if m.len() >= AVX512_FROM => return Adler32(x86::avx512(self.0, m)),
            AVX2 if m.len() >= AVX2_FROM => {
                let (whole, after) = m.split_at(m.len() / 32 * 32);
                return Adler32(x86::avx2(self.0, whole).after::<u8, 16, MODULUS>(after));
            }
            _ => {}
        }
        self.0 = self.0.after::<u8, 16, MODULUS>(m);
        self
    }

    #[inline]
    fn end(self, _: &Params, _: &[u8], _: u64, out: &mut [u8]) {
        write_be!((self.0.b << 16 | self.0.a) as u32, out);
    }

    fn combine(p: &Params, a: &[u8], b: &[u8], len_b: u64, out: &mut [u8]) -> bool {
        let (Some(x), Some(y)) = (read(a), read(b)) else {
            return false;
        };
        // Both sums started with a = 1.
        let before = x.a + MODULUS - 1;
        let sums = Sums { a: (before + y.a) % MODULUS, b: (x.b + y.b + len_b % MODULUS * before) % MODULUS };
        Adler32::<HOW>(sums).end(p, &[], 0, out);
        true
    }
}

/// The sums of a digest; `None` if it has the wrong length, or sums that are not reduced.
fn read(digest: &[u8]) -> Option<Sums> {
    let value = u32::from_be_bytes(digest.try_into().ok()?);
    let sums = Sums { a: u64::from(value & 0xffff), b: u64::from(value >> 16) };
    (sums.a < MODULUS && sums.b < MODULUS).then_some(sums)
}

const MODULUS: u64 = 65521;

/// The shortest message for which the crate has vector code.
#[cfg(feature = "simd-adler32")]
const LONG: usize = 64;

#[cfg(test)]
mod tests {
    use super::super::fold::tests::check;
    use super::*;

    /// Values of zlib's adler32(), as in Python's and PHP's documentation.
    #[test]
    fn examples() {
        for (m, want) in [("", 1), ("a", 0x0062_0062), ("abc", 0x024d_0127), ("Wikipedia", 0x11e6_0398)] {
            check(KERNELS, [0; 4], 0, m.as_bytes(), &u32::to_be_bytes(want));
        }
        // The largest bytes: 5552 times 0xff is the longest run that 32 bits hold without a reduction.
        let a = 1 + 255 * 5552 % 65521;
        let b = (5552 + 255u64 * 5552 * 5553 / 2) % 65521;
        check(KERNELS, [0; 4], 0, &[0xff; 5552], &((b << 16 | a) as u32).to_be_bytes());
    }

    /// The largest bytes, and more of them than vectors sum between reductions.
    #[test]
    fn long_runs() {
        let m = vec![0xff; (1 << 20) + 77];
        let n = m.len() as u64;
        let (a, b) = ((1 + 255 * n) % MODULUS, (n + 255 * n * (n + 1) / 2) % MODULUS);
        for kernel in KERNELS.iter().filter(|k| crate::plumbing::call::available(k)) {
            let mut out = [0; 4];
            kernel.whole().digest(&Params { row: 0, out_len: 4, p: [0; 4], seed: 0 }, &m, &mut out);
            assert_eq!(u64::from(u32::from_be_bytes(out)), b << 16 | a, "{}", kernel.name);
        }
    }

    #[test]
    fn combined() {
        let m: Vec<u8> = (0..100_000u32).map(|i| (i % 251) as u8).collect();
        let p = Params { row: 0, out_len: 4, p: [0; 4], seed: 0 };
        let of = |m: &[u8]| {
            let mut out = [0; 4];
            Adler32::<COLUMNS>::digest(&p, m, &mut out);
            out
        };
        for cut in [0, 1, 500, 65521, 99_999, 100_000] {
            let (a, b) = m.split_at(cut);
            let mut out = [0; 4];
            assert!(Adler32::<COLUMNS>::combine(&p, &of(a), &of(b), b.len() as u64, &mut out));
            assert_eq!(out, of(&m), "cut {cut}");
        }
        assert!(!Adler32::<COLUMNS>::combine(&p, &[0; 3], &[0; 4], 1, &mut [0; 4]));
    }
}
