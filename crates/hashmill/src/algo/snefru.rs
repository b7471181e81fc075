//! Snefru — "A Fast Software One-Way Hash Function" (R. Merkle, J. Cryptology 3, 1990), version 2.5 with eight passes.
//! digest 128, 256 bit · block 48, 32 bytes · big-endian · status: weak (collisions in 2^88.5 instead of 2^128)
//!
//! ## Algorithm
//!
//! ```text
//! x := H ‖ block                                              sixteen words, as many of H as the digest has
//! for pass in 0..8:
//!     for rotation in [16, 8, 16, 24]:
//!         for i in 0..16:
//!             e := S[2·pass + (i/2 mod 2)][low byte of x_i];  x_{i+1} ^= e;  x_{i−1} ^= e       indices mod 16
//!         for i in 0..16: x_i >>>= rotation
//! H_i ^= x_{15−i}
//! ```
//!
//! H starts as zeros. The message is padded with zeros to whole blocks; the last block is zeros and the length of the
//! message in bits (64 bits wide).
//!
//! ## Kernels
//!
//! * `avx512x128`, `avx512x64`: a register holds one byte of each message, so rotations are renamings; one byte of an
//!   S-box takes four registers, and a lookup takes two vpermi2b for each byte of an entry. 1.25 and 1.05 GB/s on Zen 5
//!   (snefru128: 1.9 and 1.6). A single register is bound by latency: its lookup is a chain of 11 cycles. Two take 26
//!   cycles per lookup, with 16 permutations, 16 loads of boxes and 10 of words, and 8 stores: words are changed once
//!   per round, when the entries of both neighbors are known. Four: 0.95 GB/s.
//! * `avx2x32`, `avx2x16`: eight words per register, gathered from memory; four and two registers, since gathers have a
//!   long latency and can overlap. 0.22 and 0.14 GB/s, where `portable` has 0.041; 0.07 with one register. (AVX-512's
//!   gathers are no faster: 0.22 with two registers, 0.12 with one. Bytes looked up by sixteen vpshufb: 0.09.)
//! * `neonx16`: byte-sliced as with AVX-512; lookups by tbl (not measured). In WebAssembly a lookup would be sixteen
//!   swizzles: 0.22 of `portable`.
//! * `portable`: one message. All 512 lookups of a block form one chain, so latency is everything: a table of low bytes
//!   yields the next index with one load and one exclusive or, and the words are updated off the chain (a quarter
//!   faster than words alone). At a rotation, the load reads the byte that the rotation moves to the lowest place. With
//!   loads of five cycles, a lookup takes six, for 256 bits 96 cycles/byte (measured: 98.2 on Emerald Rapids). Tables
//!   that save the exclusive or, one for each value of the other byte, are 64 KiB per box and do not stay in the L1
//!   cache.

mod tables;

use super::kernels::{kernel, on};
use super::repeat16;
use crate::contract::{Blocks, Inputs, Kernel, Params, State, Tail};
#[cfg(target_arch = "aarch64")]
use crate::simd::aarch64::{Neon, U8x16};
#[cfg(target_arch = "x86_64")]
use crate::simd::x86::{Avx2, Avx512Vbmi, U8x64, U32x8};
use crate::simd::{Feed, Logic, Round, Rows, Scalar, Word8, Word32, drive};
#[cfg(target_arch = "x86_64")]
use crate::simd::{Gather, X2, X4};
use tables::BOXES;

/// The kernels in order of preference.
pub(crate) static KERNELS: &[Kernel] = &[
    #[cfg(target_arch = "x86_64")]
    kernel("avx512x128", on!([AVX512 + VBMI]; avx512x128), 128, 65, 32, 1),
    #[cfg(target_arch = "x86_64")]
    kernel("avx512x64", on!([AVX512 + VBMI]; avx512x64), 64, 5, 32, 1),
    #[cfg(target_arch = "x86_64")]
    kernel("avx2x32", on!([AVX2]; avx2x32), 32, 17, 8, 4),
    #[cfg(target_arch = "x86_64")]
    kernel("avx2x16", on!([AVX2]; avx2x16), 16, 5, 8, 4),
    #[cfg(target_arch = "aarch64")]
    kernel("neonx16", on!([NEON]; neonx16), 16, 11, 32, 1),
    kernel("portable", on!([NONE]; portable), 1, 1, 8, 4),
];

#[cfg(target_arch = "x86_64")]
#[hashmill_isa::isa(AVX512 + VBMI)]
fn avx512x128(p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    sliced::<X2<U8x64>>(Avx512Vbmi::token(), p, packed, rows);
}

#[cfg(target_arch = "x86_64")]
#[hashmill_isa::isa(AVX512 + VBMI)]
fn avx512x64(p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    sliced::<U8x64>(Avx512Vbmi::token(), p, packed, rows);
}

#[cfg(target_arch = "x86_64")]
#[hashmill_isa::isa(AVX2)]
fn avx2x32(p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    gathered::<X4<U32x8>>(Avx2::token(), p, packed, rows);
}

#[cfg(target_arch = "x86_64")]
#[hashmill_isa::isa(AVX2)]
fn avx2x16(p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    gathered::<X2<U32x8>>(Avx2::token(), p, packed, rows);
}

#[cfg(target_arch = "aarch64")]
#[hashmill_isa::isa(NEON)]
fn neonx16(p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    sliced::<U8x16>(Neon::token(), p, packed, rows);
}

fn portable(p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    run::<u32>(Scalar, p, packed, rows);
}

/// Padding and output.
pub(crate) static RULE: Snefru = Snefru;

pub(crate) struct Snefru;

impl Blocks for Snefru {
    fn block(&self, p: &Params) -> usize {
        64 - p.out_len as usize
    }

    fn init(&self, _: &Params, _: &Inputs<'_>, s: &mut State) {
        s.0[..32].fill(0);
    }

    fn tail(&self, p: &Params, _: &mut State, stage: u8, rest: &[u8], total: u128, out: &mut Tail) -> usize {
        if stage > 0 {
            return 0;
        }
        let block = self.block(p);
        // There is no block of zeros alone: after whole blocks, only the length block follows.
        let end = if rest.is_empty() { block } else { 2 * block };
        out[..rest.len()].copy_from_slice(rest);
        out[rest.len()..end - 8].fill(0);
        out[end - 8..end].copy_from_slice(&((total << 3) as u64).to_be_bytes());
        end
    }

    fn tail_len(&self, p: &Params, rest: usize) -> usize {
        if rest == 0 { self.block(p) } else { 2 * self.block(p) }
    }

    fn output(&self, _: &Params, s: &mut State, _: &mut dyn FnMut(&mut State, &[u8]), out: &mut [u8]) {
        for (i, word) in out.chunks_exact_mut(4).enumerate() {
            word.copy_from_slice(&s.u32(i).to_be_bytes());
        }
    }
}

#[inline(always)]
fn run<W: Snefru32>(isa: W::Isa, p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    if p.out_len == 16 {
        drive::<Snefru, W, 4, 12, true>(isa, p, packed, rows);
    } else {
        drive::<Snefru, W, 8, 8, true>(isa, p, packed, rows);
    }
}

impl<W: Snefru32, const H: usize, const M: usize> Round<W, H, M, true> for Snefru {
    #[inline(always)]
    fn compress(_: W::Isa, _: &Params, h: &mut [W; H], m: &mut Feed<'_, W, M, true>) {
        let mut x = [h[0]; 16];
        for i in 0..H {
            x[i] = h[i];
        }
        for i in 0..M {
            x[H + i] = m.word(i);
        }
        m.ahead(0, 1);
        let mut i = x[0].low_byte();
        for boxes in &S {
            // Keep the address of the pass's boxes in a register; otherwise each lookup adds the offset of the pass to
            // the address of the static.
            let boxes = core::hint::black_box(boxes);
            quarter(&mut x, &mut i, boxes, 16);
            quarter(&mut x, &mut i, boxes, 8);
            quarter(&mut x, &mut i, boxes, 16);
            quarter(&mut x, &mut i, boxes, 24);
        }
        for i in 0..H {
            h[i] = h[i].xor(x[15 - i]);
        }
    }
}

/// Goes once around the words with the two boxes of the pass; `i` is the low byte of x_0 before and after.
#[inline(always)]
fn quarter<W: Snefru32>(x: &mut [W; 16], i: &mut W::Index, boxes: &'static [SBox; 2], rotation: u32) {
    repeat16!(I => {
        let s = &boxes[I / 2 % 2];
        let e = W::entry(*i, s);
        if I < 15 {
            x[(I + 1) % 16].follow(i, s);
        } else {
            x[0].turn(i, s, rotation);
        }
        x[(I + 1) % 16] = x[(I + 1) % 16].xor(e);
        x[(I + 15) % 16] = x[(I + 15) % 16].xor(e);
    });
    for i in 0..16 {
        x[i] = x[i].rotr(rotation);
    }
}

/// The byte-sliced kernels: a word holds one byte of each message, so rotations are renamings.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
fn sliced<W: Word8>(isa: W::Isa, p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    if p.out_len == 16 {
        // Half of the space for the state is never used.
        drive::<Snefru, W, 16, 48, false>(isa, p, packed, rows);
    } else {
        drive::<Snefru, W, 32, 32, false>(isa, p, packed, rows);
    }
}

impl<W: Word8, const H: usize, const M: usize> Round<W, H, M, false> for Snefru {
    #[inline(always)]
    fn compress(isa: W::Isa, _: &Params, h: &mut [W; H], m: &mut Feed<'_, W, M, false>) {
        // Byte b of word i, counted from the lowest, is x[b][i].
        let mut x = [[h[0]; 16]; 4];
        repeat16!(I => {
            for b in 0..4 {
                x[b][I] = if 4 * I < H { h[(4 * I + b) % H] } else { m.word((4 * I + 3 - b + M - H) % M) };
            }
        });
        m.ahead(0, 1);
        for boxes in &PLANES {
            // The rotations move bytes 2, 3 and 1 to the lowest place, and finally 0 again.
            for low in [0, 2, 3, 1] {
                around(isa, &mut x, boxes, low);
            }
        }
        for i in 0..H / 4 {
            for b in 0..4 {
                h[4 * i + b] = h[4 * i + b].xor(x[b][15 - i]);
            }
        }
    }
}

/// Goes once around the words, whose lowest byte is now `low`.
#[inline(always)]
fn around<W: Word8>(isa: W::Isa, x: &mut [[W; 16]; 4], boxes: &'static [Planes; 2], low: usize) {
    // A word is changed only when the entries of both its neighbors are known, but its lowest byte is needed before.
    let mut e = [[x[0][0]; 4]; 16];
    repeat16!(I => {
        // Hide the box: otherwise the compiler loads it once for two lookups, without registers to keep it in.
        let Planes(s) = core::hint::black_box(&boxes[I / 2 % 2]);
        if I == 15 {
            for b in 0..4 {
                x[(low + b) % 4][15] = x[(low + b) % 4][15].xor(e[0][b]).xor(e[14][b]);
            }
        }
        let word = x[low % 4][I];
        let index = if I == 0 || I == 15 { word } else { word.xor(e[(I + 15) % 16][0]) };
        for b in 0..4 {
            e[I][b] = index.lookup(&W::table(isa, &s[b]));
        }
        if I != 0 {
            for b in 0..4 {
                let y = x[(low + b) % 4][(I + 15) % 16].xor(e[I][b]);
                x[(low + b) % 4][(I + 15) % 16] = if I == 1 { y } else { y.xor(e[(I + 14) % 16][b]) };
            }
        }
    });
    for b in 0..4 {
        x[(low + b) % 4][0] = x[(low + b) % 4][0].xor(e[15][b]);
    }
}

/// The bytes of the entries of an S-box, lowest first.
#[repr(C, align(64))]
struct Planes([[u8; 256]; 4]);

static PLANES: [[Planes; 2]; 8] = {
    let mut s = [const { [const { Planes([[0; 256]; 4]) }; 2] }; 8];
    let mut i = 0;
    while i < 8 * 2 * 256 {
        let (pass, half, x) = (i / 512, i / 256 % 2, i % 256);
        let bytes = BOXES[pass][half][x].to_le_bytes();
        let mut b = 0;
        while b < 4 {
            s[pass][half].0[b][x] = bytes[b];
            b += 1;
        }
        i += 1;
    }
    s
};

/// The kernels that gather words from tables in memory.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn gathered<W: Gather>(isa: W::Isa, p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    if p.out_len == 16 {
        drive::<Gathered, W, 4, 12, true>(isa, p, packed, rows);
    } else {
        drive::<Gathered, W, 8, 8, true>(isa, p, packed, rows);
    }
}

#[cfg(target_arch = "x86_64")]
struct Gathered;

#[cfg(target_arch = "x86_64")]
impl<W: Gather, const H: usize, const M: usize> Round<W, H, M, true> for Gathered {
    #[inline(always)]
    fn compress(_: W::Isa, _: &Params, h: &mut [W; H], m: &mut Feed<'_, W, M, true>) {
        let mut x = [h[0]; 16];
        repeat16!(I => {
            x[I] = if I < H { h[I % H] } else { m.word((I + M - H) % M) };
        });
        m.ahead(0, 1);
        for boxes in &BOXES {
            for rotation in [16, 8, 16, 24] {
                repeat16!(I => {
                    let e = x[I].gather(&boxes[I / 2 % 2]);
                    x[(I + 1) % 16] = x[(I + 1) % 16].xor(e);
                    x[(I + 15) % 16] = x[(I + 15) % 16].xor(e);
                });
                for i in 0..16 {
                    x[i] = x[i].rotr(rotation);
                }
            }
        }
        for i in 0..H {
            h[i] = h[i].xor(x[15 - i]);
        }
    }
}

/// An S-box with the lowest byte of each entry first, and a second copy of the low bytes.
struct SBox {
    entries: [[u8; 4]; 256],
    low: [u8; 256],
}

static S: [[SBox; 2]; 8] = {
    const EMPTY: SBox = SBox { entries: [[0; 4]; 256], low: [0; 256] };
    let mut s = [const { [EMPTY; 2] }; 8];
    let mut i = 0;
    while i < 8 * 2 * 256 {
        let (pass, half, x) = (i / 512, i / 256 % 2, i % 256);
        s[pass][half].entries[x] = BOXES[pass][half][x].to_le_bytes();
        s[pass][half].low[x] = BOXES[pass][half][x] as u8;
        i += 1;
    }
    s
};

/// How to look up words.
trait Snefru32: Word32 {
    /// An index into a box.
    type Index: Copy;
    fn low_byte(self) -> Self::Index;
    fn entry(i: Self::Index, s: &'static SBox) -> Self;
    /// Sets `i` to the low byte of `self ^ entry(i, s)`.
    fn follow(self, i: &mut Self::Index, s: &'static SBox);
    /// Sets `i` to the low byte of `(self ^ entry(i, s)) >>> rotation`.
    fn turn(self, i: &mut Self::Index, s: &'static SBox, rotation: u32);
}

impl Snefru32 for u32 {
    type Index = u32;
    #[inline(always)]
    fn low_byte(self) -> u32 {
        self & 0xff
    }
    #[inline(always)]
    fn entry(i: u32, s: &'static SBox) -> u32 {
        u32::from_le_bytes(s.entries[(i & 0xff) as usize])
    }
    #[inline(always)]
    fn follow(self, i: &mut u32, s: &'static SBox) {
        *i = u32::from(s.low[(*i & 0xff) as usize]) ^ self & 0xff;
    }
    #[inline(always)]
    fn turn(self, i: &mut u32, s: &'static SBox, rotation: u32) {
        // Load a single byte: the compiler would shift the entry it has already loaded, which takes longer.
        let entry = &s.entries[(i.settled() & 0xff) as usize];
        *i = u32::from(entry[(rotation / 8) as usize]) ^ self >> rotation & 0xff;
    }
}

#[cfg(test)]
mod tests {
    fn check(name: &str, m: &[u8], digest: &str) {
        let a: crate::Algorithm = name.parse().expect("known");
        assert_eq!(a.digest(m).to_string(), digest, "{name}, {m:?}");
    }

    /// The answers that came with Merkle's package, version 2.5a.
    #[test]
    fn merkle() {
        check("snefru128", b"", "8617f366566a011837f4fb4ba5bedea2");
        check("snefru128", b"\n", "d9fcb3171c097fbba8c8f12aa0906bad");
        check("snefru128", b"123456789\n", "6103721ccd8ad565d68e90b0f8906163");
        check("snefru256", b"", "8617f366566a011837f4fb4ba5bedea2b892f3ed8b894023d16ae344b2be5881");
        check("snefru256", b"\n", "2e02687f0d45d5b9b50cb68c3f33e6843d618a1aca2d06893d3eb4e3026b5732");
        check("snefru256", b"123456789\n", "4ca72639e40e9ab9c0c3f523c4449b3911632d374c124d7702192ec2e4e0b7a3");
    }
}
