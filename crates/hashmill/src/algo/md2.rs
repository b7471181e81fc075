//! MD2 — RFC 1319 (B. Kaliski, 1992; with its erratum on the checksum).
//! digest 128 bit · block 16 bytes · bytes · status: broken (preimages, 2008)
//!
//! ## Algorithm
//!
//! ```text
//! L := C[15];  for j in 0..16: C[j] ^= S[M[j] ^ L]; L := C[j]          the checksum, a last block of its own
//! X[16..32] := M;  X[32..48] := X[0..16] ^ M
//! t := 0;  for j in 0..18: { for k in 0..48: t := X[k] ^= S[t] };  t := t + j
//! ```
//!
//! A message is padded with n bytes of value n, 1 ≤ n ≤ 16, and followed by its checksum. The 32 bytes of state are
//! X[0..16] and C.
//!
//! ## Kernels
//!
//! Every step waits for the table lookup of the step before. One message is therefore bound by latency, and throughput
//! grows with the number of messages side by side; the words are bytes.
//!
//! * `avx512x256`: sixty-four byte lanes per register, four registers; S takes four registers, a lookup two vpermi2b.
//! * `avx512x64`: the same with one register.
//! * `avx2x64`: thirty-two byte lanes, two registers; a lookup is sixteen vpshufb.
//! * `neonx16`: sixteen byte lanes; a lookup is four tbl/tbx.
//! * `simd128x16`: the same in WebAssembly, 2.1 times as fast as `portable` there (node 20, sixteen messages).
//! * `portable`: one message, one table; every byte in a register of its own, which saves a cycle per lookup. A load of
//!   five cycles and an exclusive or, 832 times per block (of the last round, only X[0..16] is used again), make 312
//!   cycles/byte.

use super::lanes;
use crate::contract::{Blocks, Inputs, Params, State, Tail};
#[cfg(target_arch = "aarch64")]
use crate::simd::aarch64::U8x16;
#[cfg(target_feature = "simd128")]
use crate::simd::wasm32::U8x16;
#[cfg(target_arch = "x86_64")]
use crate::simd::x86::{U8x32, U8x64};
use crate::simd::{Byte, Feed, Round, Rows, Word8, drive};
#[cfg(target_arch = "x86_64")]
use crate::simd::{X2, X4};

lanes! { words: 32, bytes: 1, portable: Byte;
    x86_64 {
        avx512x256(Avx512Vbmi X4<U8x64>) from 65;
        avx512x64(Avx512Vbmi U8x64) from 3;
        avx2x64(Avx2 X2<U8x32>) from 4;
    }
    aarch64 {
        neonx16(Neon U8x16) from 3;
    }
    wasm32 {
        simd128x16(Simd128 U8x16) from 7;
    }
}

/// Padding, checksum and output.
pub(crate) static RULE: Md2 = Md2;

pub(crate) struct Md2;

impl Blocks for Md2 {
    fn block(&self, _: &Params) -> usize {
        16
    }

    fn init(&self, _: &Params, _: &Inputs<'_>, s: &mut State) {
        s.0[..32].fill(0);
    }

    fn tail(&self, _: &Params, s: &mut State, stage: u8, rest: &[u8], _: u128, out: &mut Tail) -> usize {
        match stage {
            0 => {
                let n = 16 - rest.len();
                out[..rest.len()].copy_from_slice(rest);
                out[rest.len()..16].fill(n as u8);
                16
            }
            1 => {
                out[..16].copy_from_slice(&s.0[16..32]);
                16
            }
            _ => 0,
        }
    }

    fn tail_len(&self, _: &Params, _: usize) -> usize {
        32
    }

    fn output(&self, _: &Params, s: &mut State, _: &mut dyn FnMut(&mut State, &[u8]), out: &mut [u8]) {
        out.copy_from_slice(&s.0[..16]);
    }
}

#[inline(always)]
fn run<W: Word8>(isa: W::Isa, p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    drive::<Md2, W, 32, 16, false>(isa, p, packed, rows);
}

impl<W: Word8> Round<W, 32, 16, false> for Md2 {
    #[inline(always)]
    fn compress(isa: W::Isa, _: &Params, h: &mut [W; 32], m: &mut Feed<'_, W, 16, false>) {
        let s = W::table(isa, &S);
        // X[0..16] stays in h; x[j] is X[16 + j] and X[32 + j]. (Copying M in one piece would call memcpy.)
        let mut x = [[h[0]; 2]; 16];
        let mut l = h[31];
        for j in 0..16 {
            let word = m.word(j);
            x[j] = [word, h[j].xor(word)];
            l = h[16 + j].xor(word.xor(l).lookup(&s));
            h[16 + j] = l;
        }
        m.ahead(0, 1);
        let mut t = W::splat(isa, 0);
        for j in 0..18 {
            for byte in &mut h[..16] {
                t = byte.xor(t.lookup(&s));
                *byte = t;
            }
            // What the last round would leave in X[16..48] is never read.
            if j == 17 {
                break;
            }
            for half in 0..2 {
                for pair in &mut x {
                    t = pair[half].xor(t.lookup(&s));
                    pair[half] = t;
                }
            }
            t = t.add(W::splat(isa, j));
        }
    }
}

/// A permutation of the bytes, derived from the digits of π.
static S: [u8; 256] = [
    41, 46, 67, 201, 162, 216, 124, 1, 61, 54, 84, 161, 236, 240, 6, 19, 98, 167, 5, 243, 192, 199, 115, 140, 152, 147,
    43, 217, 188, 76, 130, 202, 30, 155, 87, 60, 253, 212, 224, 22, 103, 66, 111, 24, 138, 23, 229, 18, 190, 78, 196,
    214, 218, 158, 222, 73, 160, 251, 245, 142, 187, 47, 238, 122, 169, 104, 121, 145, 21, 178, 7, 63, 148, 194, 16,
    137, 11, 34, 95, 33, 128, 127, 93, 154, 90, 144, 50, 39, 53, 62, 204, 231, 191, 247, 151, 3, 255, 25, 48, 179, 72,
    165, 181, 209, 215, 94, 146, 42, 172, 86, 170, 198, 79, 184, 56, 210, 150, 164, 125, 182, 118, 252, 107, 226, 156,
    116, 4, 241, 69, 157, 112, 89, 100, 113, 135, 32, 134, 91, 207, 101, 230, 45, 168, 2, 27, 96, 37, 173, 174, 176,
    185, 246, 28, 70, 97, 105, 52, 64, 126, 15, 85, 71, 163, 35, 221, 81, 175, 58, 195, 92, 249, 206, 186, 197, 234,
    38, 44, 83, 13, 110, 133, 40, 132, 9, 211, 223, 205, 244, 65, 129, 77, 82, 106, 220, 55, 200, 108, 193, 171, 250,
    36, 225, 123, 8, 12, 189, 177, 74, 120, 136, 149, 139, 227, 99, 232, 109, 233, 203, 213, 254, 59, 0, 29, 57, 242,
    239, 183, 14, 102, 88, 208, 228, 166, 119, 114, 248, 235, 117, 75, 10, 49, 68, 80, 180, 143, 237, 31, 26, 219, 153,
    141, 51, 159, 17, 131, 20,
];

#[cfg(test)]
mod tests {
    /// Test suite of RFC 1319, A.5.
    #[test]
    fn rfc_1319() {
        let a: crate::Algorithm = "md2".parse().expect("known");
        assert_eq!(a.digest(b"").to_string(), "8350e5a3e24c153df2275c9f80692773");
        assert_eq!(a.digest(b"abc").to_string(), "da853b0d3f88d99b30283a69e6ded6bb");
        let digits = b"1234567890".repeat(8);
        assert_eq!(a.digest(&digits).to_string(), "d5976f79d83d3a0dc9806c3c66f3efd8");
    }
}
