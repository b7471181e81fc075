//! SHA3-224/256/384/512, SHAKE128, SHAKE256 — FIPS 202 (NIST, 2015); Keccak-224/256/384/512 — the SHA-3 submission
//! (2011). All use the permutation Keccak-f\[1600\]. digest 224 to 512 bit, SHAKE any length · block (rate) 144, 136,
//! 104, 72; 168, 136 bytes · little-endian · status: sound
//!
//! ## Algorithm
//!
//! ```text
//! for each round:                                        A[x,y] at a[x + 5y]
//!   θ  C[x] := A[x,0] ^ … ^ A[x,4];  D[x] := C[x-1] ^ (C[x+1] <<< 1);  A[x,y] ^= D[x]
//!   ρπ B[y, 2x+3y] := A[x,y] <<< r[x,y]
//!   χ  A[x,y] := B[x,y] ^ (!B[x+1,y] & B[x+2,y])
//!   ι  A[0,0] ^= RC[round]
//! ```
//!
//! A message is followed by a suffix byte (0x06 for SHA-3, 0x1f for SHAKE, 0x01 for Keccak as submitted to the
//! competition), zeros, and 0x80 in the last byte of the rate. `p[0]` is the rate in bytes, `p[1]` the suffix.
//!
//! ## Kernels
//!
//! * `avx512x8`: eight lanes; the five rows of a column take two three-way XORs, χ is one operation. (Two registers
//!   side by side spill the whole state: 2.8 against 4.0 GB/s on Zen 5.)
//! * `avx2x4`, `neonx2`: four and two lanes.
//! * `simd128x2`: the same in WebAssembly, 1.8 times as fast as `portable` there (node 20, sixteen messages).
//! * `avx512`: one message in five registers of five words, rearranged in every round so that θ and χ need no
//!   transposition (x86.rs): SHA3-256 of 16 KiB at 5.0 cycles/byte on an Emerald Rapids core shared with others; 31 or
//!   36 instructions per round, with a dependency chain of about 16 cycles. On Zen 5, where permutations take five
//!   cycles and all other instructions two, `avx512vl` is chosen: 0.77 against 0.61 GB/s.
//! * `avx512vl`: one message, one word per register, 24 rounds of 95 operations in assembly (x86.rs). SHA3-256 of 16
//!   KiB on Zen 5: 5.4 cycles/byte (compiled code with 90 such operations: 6.4; OpenSSL 3.0: 6.9); four operations in
//!   every cycle would make 4.2.
//! * `bmi2`: `portable` with BMI's non-destructive rotations and and-not: 6.5 on Emerald Rapids.
//! * `armsha3x2`, `armsha3`: ARMv8.2's SHA-3 instructions, two messages or one (aarch64.rs); tested under emulation,
//!   never measured. A CPU with a single unit for them takes 66 cycles per round, more than plain words need: for one
//!   message they are chosen on Apple's CPUs only.
//! * `portable`: one message, 25 words: 8.2 there. (Writing χ row by row, to keep fewer words of B live, changed
//!   nothing for one message and made the eight lanes spill.)

use super::lanes;
use crate::base::bits::{BitOrder, Bits};
use crate::contract::{Blocks, End, Inputs, MAX_BLOCK, Padding, Params, State, Tail, Words};
#[cfg(target_arch = "aarch64")]
use crate::simd::aarch64::U64x2;
#[cfg(target_feature = "simd128")]
use crate::simd::wasm32::U64x2;
#[cfg(target_arch = "x86_64")]
use crate::simd::x86::{U64x4, U64x8};
use crate::simd::{Rows, Sponge, Word64, drive_sponge};

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod x86;

lanes! { words: 25, bytes: 8, portable: u64;
    x86_64 {
        avx512x8(Avx512 U64x8) from 2;
        avx2x4(Avx2 U64x4) from 3;
        avx512(dedicated x86::avx512, [AVX512 + FAST_VROT], 1) from 1;
        avx512vl(dedicated x86::avx512vl, [AVX512], 1) from 1;
        bmi2(Bmi2 u64) from 1;
    }
    aarch64 {
        armsha3x2(dedicated aarch64::armsha3x2, [ARM_SHA3], 2) from 2;
        neonx2(Neon U64x2) from 2;
        armsha3(dedicated aarch64::armsha3, [ARM_SHA3 + FAST_SHA3], 1) from 1;
    }
    wasm32 {
        simd128x2(Simd128 U64x2) from 2;
    }
}

/// Padding and output.
pub(crate) static RULE: Keccak = Keccak;

pub(crate) struct Keccak;

impl Blocks for Keccak {
    fn block(&self, p: &Params) -> usize {
        usize::from(p.p[0])
    }

    fn init(&self, _: &Params, _: &Inputs<'_>, s: &mut State) {
        s.0[..200].fill(0);
    }

    fn padding(&self, p: &Params) -> Option<Padding> {
        Some(Padding { mark: p.p[1] as u8, end: End::Bit })
    }

    fn words(&self, p: &Params) -> Option<Words> {
        // A longer digest is squeezed out in several chunks.
        (p.out_len as usize <= self.block(p)).then_some(Words { bytes: 8, big_endian: false })
    }

    fn squeeze(&self, p: &Params, s: &State, out: &mut [u8; MAX_BLOCK]) -> usize {
        let rate = self.block(p);
        for (i, word) in out[..rate].chunks_exact_mut(8).enumerate() {
            word.copy_from_slice(&s.u64(i).to_le_bytes());
        }
        rate
    }

    fn bit_order(&self, _: &Params) -> Option<BitOrder> {
        Some(BitOrder::Low)
    }

    fn tail_of_bits(
        &self,
        p: &Params,
        _: &mut State,
        stage: u8,
        rest: &[u8],
        total: u128,
        last: Bits,
        out: &mut Tail,
    ) -> usize {
        let rate = self.block(p);
        let n = (total % rate as u128) as usize;
        // The suffix begins after the bits and may extend into the next byte. Its highest bit is the first 1 of the
        // padding 10*1, whose last 1 needs a place of its own.
        let [low, high] = (u16::from(last.byte) | p.p[1] << last.count).to_le_bytes();
        let two = n + 1 == rate && (high > 0 || low > 0x7f);
        match stage {
            0 => {
                out[..n].copy_from_slice(rest);
                out[n..rate].fill(0);
                out[n] = low;
                if n + 1 < rate {
                    out[n + 1] = high;
                }
            }
            1 if two => {
                out[..rate].fill(0);
                out[0] = high;
            }
            _ => return 0,
        }
        if two == (stage == 1) {
            out[rate - 1] |= 0x80;
        }
        rate
    }

    fn output(&self, p: &Params, s: &mut State, step: &mut dyn FnMut(&mut State, &[u8]), out: &mut [u8]) {
        let mut chunk = [0; MAX_BLOCK];
        let rate = self.block(p);
        for (i, part) in out.chunks_mut(rate).enumerate() {
            if i > 0 {
                step(s, &[0; MAX_BLOCK][..rate]);
            }
            self.squeeze(p, s, &mut chunk);
            part.copy_from_slice(&chunk[..part.len()]);
        }
    }
}

#[inline(always)]
fn run<W: Word64>(isa: W::Isa, _: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    drive_sponge::<Keccak, W>(isa, packed, rows);
}

impl<W: Word64> Sponge<W> for Keccak {
    #[inline(always)]
    fn permute(isa: W::Isa, s: &mut [W; 25]) {
        for rc in RC {
            let mut c = [s[0]; 5];
            for x in 0..5 {
                c[x] = s[x].xor3(s[x + 5], s[x + 10]).xor3(s[x + 15], s[x + 20]);
            }
            let mut d = [c[0]; 5];
            for x in 0..5 {
                d[x] = c[(x + 1) % 5].rotl(1);
            }
            // B[y, 2x+3y] := (A[x,y] ^ D[x]) <<< r, with the two terms of D[x] XORed in where A is read.
            macro_rules! b {
                ($x:literal, $y:literal, 0) => {
                    s[$x + 5 * $y].xor3(c[($x + 4) % 5], d[$x])
                };
                ($x:literal, $y:literal, $r:literal) => {
                    s[$x + 5 * $y].xor3(c[($x + 4) % 5], d[$x]).rotl($r)
                };
            }
            // Row v of B holds A[x,y] with 2x + 3y = v (mod 5); its element y comes from column x.
            let rows = [
                [b!(0, 0, 0), b!(1, 1, 44), b!(2, 2, 43), b!(3, 3, 21), b!(4, 4, 14)],
                [b!(3, 0, 28), b!(4, 1, 20), b!(0, 2, 3), b!(1, 3, 45), b!(2, 4, 61)],
                [b!(1, 0, 1), b!(2, 1, 6), b!(3, 2, 25), b!(4, 3, 8), b!(0, 4, 18)],
                [b!(4, 0, 27), b!(0, 1, 36), b!(1, 2, 10), b!(2, 3, 15), b!(3, 4, 56)],
                [b!(2, 0, 62), b!(3, 1, 55), b!(4, 2, 39), b!(0, 3, 41), b!(1, 4, 2)],
            ];
            for y in 0..5 {
                for x in 0..5 {
                    s[x + 5 * y] = rows[y][x].chi(rows[y][(x + 1) % 5], rows[y][(x + 2) % 5]);
                }
            }
            s[0] = s[0].xor(W::splat(isa, rc));
        }
    }
}

static RC: [u64; 24] = [
    0x0000_0000_0000_0001, 0x0000_0000_0000_8082, 0x8000_0000_0000_808a, 0x8000_0000_8000_8000, 0x0000_0000_0000_808b,
    0x0000_0000_8000_0001, 0x8000_0000_8000_8081, 0x8000_0000_0000_8009, 0x0000_0000_0000_008a, 0x0000_0000_0000_0088,
    0x0000_0000_8000_8009, 0x0000_0000_8000_000a, 0x0000_0000_8000_808b, 0x8000_0000_0000_008b, 0x8000_0000_0000_8089,
    0x8000_0000_0000_8003, 0x8000_0000_0000_8002, 0x8000_0000_0000_0080, 0x0000_0000_0000_800a, 0x8000_0000_8000_000a,
    0x8000_0000_8000_8081, 0x8000_0000_0000_8080, 0x0000_0000_8000_0001, 0x8000_0000_8000_8008,
];

#[cfg(test)]
mod tests {
    use crate::Algorithm;
    use std::io::Read;

    /// NIST's example values for FIPS 202 (empty message and "abc").
    #[test]
    fn fips_202() {
        let d = |a: &str, m: &[u8]| a.parse::<Algorithm>().expect("known").digest(m).to_string();
        assert_eq!(d("sha3-256", b""), "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a");
        assert_eq!(d("sha3-224", b"abc"), "e642824c3f8cf24ad09234ee7d3c766fc9a3a5168d0c94ad73b46fdf");
        assert_eq!(d("shake128:16", b""), "7f9c2ba4e88f827d616045507605853e");
    }

    #[test]
    fn extendable_output_goes_on() {
        let a: Algorithm = "shake256:1000".parse().expect("known");
        let mut h = crate::Hasher::new(a);
        h.update(b"message");
        let mut read = vec![0; 1000];
        let mut xof = h.finalize_xof().expect("extendable");
        for part in read.chunks_mut(33) {
            xof.read_exact(part).expect("endless");
        }
        assert_eq!(read, h.finalize().as_bytes());
        assert!(crate::Hasher::new("sha3-256".parse().expect("known")).finalize_xof().is_err());
    }
}
