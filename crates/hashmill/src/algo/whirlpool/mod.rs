//! Whirlpool — ISO/IEC 10118-3 (P. Barreto, V. Rijmen; third and final version, 2003).
//! digest 512 bit · block 64 bytes · bytes · status: sound (attacks reach 7.75 of the ten rounds)
//!
//! ## Algorithm
//!
//! ```text
//! K := H;  a := M ^ K                                         8 × 8 bytes, rows first
//! for r in 1..=10:
//!     K := ρ(K), its row 0 ^ S[8(r−1)], …, S[8(r−1) + 7];  a := ρ(a) ^ K
//! H := H ^ a ^ M
//! ρ: every byte through S;  column j down by j rows;  every row times the circulant of (1, 1, 4, 1, 8, 5, 2, 9)
//! ```
//!
//! Bytes are polynomials over GF(2) modulo x⁸ + x⁴ + x³ + x² + 1. The length field has 256 bits.
//!
//! ## Kernels
//!
//! * `gfnix64`: a register holds one byte of 64 messages, so shifting columns is register renaming. Per register, the
//!   S-box takes four operations and the products of a row five or six, two of them affine maps (3.2 GB/s on Zen 5, 1.3
//!   cycles/byte). The total number of operations is the bound; the five that only two of the four pipes execute would
//!   take 0.8. Rejected: products with one more sum (2.7 GB/s), rows with two interleaved chains, a mask register for
//!   the eighth bit (no difference). States are transposed at the beginning and the end of a run: when they were put
//!   into lanes byte by byte, messages of 64 bytes took twice as long. Messages that come from memory are prefetched
//!   five blocks ahead (2.1 GB/s without).
//! * `gfnix4`, `gfnix2`: `gfni` with four and two interleaved messages (1.96 and 1.70 GB/s against 0.96). Three: 1.87.
//! * `avx2x32`: 32 byte-sliced messages. The S-box is evaluated through its small boxes (five `vpshufb` in twelve
//!   operations), and products are doublings of four operations each (0.70 GB/s there).
//! * `gfni`: one message; the matrix is one register, K another, and their chains run in parallel. The S-box is two
//!   `vpermi2b`, shifts of columns are permutations, products are affine maps (5.5 cycles/byte on Sapphire Rapids,
//!   where a ρ takes 30 cycles in a single chain and 12 among several). Rejected: all eight rotations of rows as
//!   permutations (5.9), a mask register for the eighth bit of the S-box index (its blend takes three cycles, 5.9), all
//!   rotations of t and w on one port (5.7).
//! * `portable`: one message; a row of ρ is eight lookups in eight tables that combine the S-box with the products. A
//!   row is a little-endian word, so the bytes of the state are those of the digest. Going through the words of the
//!   input, each into all eight rows, is 5 % faster than row by row; forcing that order on the compiler gains no more.

use super::lanes;
use super::lookup::Lookup;
use crate::base::bits::BitOrder;
use crate::contract::{Blocks, Inputs, Padding, Params, State, Words};
use crate::simd::{Feed, Round, Rows, drive};

#[cfg(target_arch = "x86_64")]
mod x86;

lanes! { words: 8, bytes: 8, portable: u64;
    x86_64 {
        gfnix64(states x86::gfnix64, [AVX512 + VBMI + GFNI], 64) from 37;
        gfnix4(states x86::gfnix4, [AVX512 + VBMI + GFNI], 4) from 3;
        gfnix2(states x86::gfnix2, [AVX512 + VBMI + GFNI], 2) from 2;
        gfni(dedicated x86::gfni, [AVX512 + VBMI + GFNI], 1) from 1;
        avx2x32(bytes x86::avx2x32, [AVX2], 32) from 11;
    }
    aarch64 {}
    wasm32 {}
}

/// Padding and output.
pub(crate) static RULE: Whirlpool = Whirlpool;

pub(crate) struct Whirlpool;

impl Blocks for Whirlpool {
    fn block(&self, _: &Params) -> usize {
        64
    }

    fn init(&self, _: &Params, _: &Inputs<'_>, s: &mut State) {
        s.0[..64].fill(0);
    }

    fn padding(&self, _: &Params) -> Option<Padding> {
        Some(Padding::strengthened(32, true))
    }

    fn words(&self, _: &Params) -> Option<Words> {
        Some(Words { bytes: 8, big_endian: false })
    }

    fn bit_order(&self, _: &Params) -> Option<BitOrder> {
        Some(BitOrder::High)
    }
}

#[inline(always)]
fn run<W: Lookup>(isa: W::Isa, p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    drive::<Whirlpool, W, 8, 8, false>(isa, p, packed, rows);
}

impl<W: Lookup> Round<W, 8, 8, false> for Whirlpool {
    #[inline(always)]
    fn compress(isa: W::Isa, _: &Params, h: &mut [W; 8], m: &mut Feed<'_, W, 8, false>) {
        let mut k = *h;
        let mut a = *h;
        for i in 0..8 {
            a[i] = a[i].xor(m.word(i));
            h[i] = a[i];
        }
        m.ahead(0, 1);
        for c in ROUND {
            k = rho(&k);
            k[0] = k[0].xor(W::splat(isa, c));
            a = rho(&a);
            for i in 0..8 {
                a[i] = a[i].xor(k[i]);
            }
        }
        for i in 0..8 {
            h[i] = h[i].xor(a[i]);
        }
    }
}

#[inline(always)]
fn rho<W: Lookup>(a: &[W; 8]) -> [W; 8] {
    // Word by word: eight sums and one word fit in the registers, eight words at a time would not.
    let mut b = *a;
    for j in 0..8 {
        b[j] = a[0].lookup(j as u32, &T[j]);
    }
    macro_rules! words {
        ($($i:literal)*) => {
            $(for j in 0..8 {
                b[($i + j) % 8] = b[($i + j) % 8].xor(a[$i].lookup(j as u32, &T[j]));
            })*
        };
    }
    words!(1 2 3 4 5 6 7);
    b
}

/// The small boxes that the S-box is made of, and the inverse of the first.
const E: [u8; 16] = [0x1, 0xb, 0x9, 0xc, 0xd, 0x6, 0xf, 0x3, 0xe, 0x8, 0x7, 0x4, 0xa, 0x2, 0x5, 0x0];
const R: [u8; 16] = [0x7, 0xc, 0xb, 0xd, 0xe, 0x4, 0x9, 0xf, 0x6, 0x3, 0x8, 0xa, 0x2, 0x5, 0x1, 0x0];
const INVERSE: [u8; 16] = {
    let mut inverse = [0; 16];
    let mut x = 0;
    while x < 16 {
        inverse[E[x] as usize] = x as u8;
        x += 1;
    }
    inverse
};

/// The S-box.
const S: [u8; 256] = {
    let mut s = [0; 256];
    let mut x = 0;
    while x < 256 {
        let (high, low) = (E[x >> 4], INVERSE[x & 15]);
        let middle = R[(high ^ low) as usize];
        s[x] = E[(high ^ middle) as usize] << 4 | INVERSE[(low ^ middle) as usize];
        x += 1;
    }
    s
};

/// T\[j\]\[x\]: row j of the circulant times S\[x\], with the first byte least significant.
static T: [[u64; 256]; 8] = {
    const C: [u8; 8] = [1, 1, 4, 1, 8, 5, 2, 9];
    let mut t = [[0; 256]; 8];
    let mut x = 0;
    while x < 256 {
        let mut row = 0;
        let mut k = 0;
        while k < 8 {
            row |= (product(S[x], C[k]) as u64) << (8 * k);
            k += 1;
        }
        let mut j = 0;
        while j < 8 {
            t[j as usize][x] = row.rotate_left(8 * j);
            j += 1;
        }
        x += 1;
    }
    t
};

/// A product of polynomials, the second of degree 3 at most.
const fn product(x: u8, y: u8) -> u8 {
    let mut z = 0u16;
    let mut bit = 0;
    while bit < 4 {
        z ^= (x as u16) * (y as u16 & 1 << bit);
        bit += 1;
    }
    while bit > 0 {
        bit -= 1;
        z ^= 0x11d * (z >> 8 & 1 << bit);
    }
    z as u8
}

/// Row 0 of the round constants; the other rows are zero.
const ROUND: [u64; 10] = {
    let mut c = [0; 10];
    let mut i = 0;
    while i < 80 {
        c[i / 8] |= (S[i] as u64) << (8 * (i % 8));
        i += 1;
    }
    c
};

#[cfg(test)]
mod tests {
    fn check(m: &[u8], digest: &str) {
        let a: crate::Algorithm = "whirlpool".parse().expect("known");
        assert_eq!(a.digest(m).to_string(), digest, "{m:?}");
    }

    /// The example of the S-box in the submission, and the messages of ISO/IEC 10118-3.
    #[test]
    fn iso() {
        assert_eq!(super::S[..8], [0x18, 0x23, 0xc6, 0xe8, 0x87, 0xb8, 0x01, 0x4f]);
        check(
            b"",
            "19fa61d75522a4669b44e39c1d2e1726c530232130d407f89afee0964997f7a7\
             3e83be698b288febcf88e3e03c4f0757ea8964e59b63d93708b138cc42a66eb3",
        );
        check(
            b"abc",
            "4e2448a4c6f486bb16b6562c73b4020bf3043e3a731bce721ae1b303d97e6d4c\
             7181eebdb6c57e277d0e34957114cbd6c797fc9d95d8b582d225292076d4eef5",
        );
        check(
            b"abcdbcdecdefdefgefghfghighijhijk",
            "2a987ea40f917061f5d6f0a0e4644f488a7a5a52deee656207c562f988e95c69\
             16bdc8031bc5be1b7b947639fe050b56939baaa0adff9ae6745b7b181c3be3fd",
        );
    }
}
