//! SHA-0 — FIPS 180 (NIST, 1993; replaced by SHA-1 in 1995).
//! digest 160 bit · block 64 bytes · big-endian · status: broken (collisions, 2004)
//!
//! ## Algorithm
//!
//! SHA-1 without the rotation in the message schedule, so the bit positions of W never mix.
//!
//! ```text
//! W[t] := W[t-3] ^ W[t-8] ^ W[t-14] ^ W[t-16]                     t >= 16
//! ```
//!
//! ## Kernels
//!
//! * `avx512x16`, `avx2x8`, `neonx4`: sixteen, eight and four lanes, as for SHA-1.
//! * `simd128x4`: the same in WebAssembly, 2.6 times as fast as `portable` there (node 20, sixteen messages).
//! * `portable`: one message. (The SHA instructions of CPUs rotate.)

use super::Rounds;
use crate::algo::lanes;
use crate::contract::Params;
#[cfg(target_arch = "aarch64")]
use crate::simd::aarch64::U32x4;
#[cfg(target_feature = "simd128")]
use crate::simd::wasm32::U32x4;
#[cfg(target_arch = "x86_64")]
use crate::simd::x86::{U32x8, U32x16};
use crate::simd::{Rows, Word32, drive};

lanes! { words: 5, bytes: 4, portable: u32;
    x86_64 {
        avx512x16(Avx512 U32x16) from 2;
        avx2x8(Avx2 U32x8) from 3;
    }
    aarch64 {
        neonx4(Neon U32x4) from 2;
    }
    wasm32 {
        simd128x4(Simd128 U32x4) from 2;
    }
}

#[inline(always)]
fn run<W: Word32>(isa: W::Isa, p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    drive::<Rounds<false>, W, 5, 16, true>(isa, p, packed, rows);
}

#[cfg(test)]
mod tests {
    /// The examples of FIPS 180 (1993).
    #[test]
    fn fips_180_of_1993() {
        let a: crate::Algorithm = "sha0".parse().expect("known");
        assert_eq!(a.digest(b"abc").to_string(), "0164b8a914cd2a5e74c4f7ff082c4d97f1edf880");
        let two = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(a.digest(two).to_string(), "d2516ee1acfa5baf33dfc1c471e438449ef134c8");
    }
}
