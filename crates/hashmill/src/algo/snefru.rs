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
//! H starts as zeros. The message is filled up with zeros to whole blocks; a last block is zeros and the message's length in
//! bits (64 bits wide).
//!
//! ## Kernels
//!
//! * `portable`: one message. All 512 look-ups of a block are one chain, so latency is everything: a table of low bytes gives
//!   the next index by a load and one exclusive or, and the words follow beside the chain (a quarter faster than words alone).
//!   From one rotation to the next the load takes the byte that the rotation brings down. With loads of five cycles that makes
//!   six a look-up, for 256 bits 96 cycles/byte (measured: 98.2 on Emerald Rapids). Tables that save the exclusive or, one for
//!   each value of the other byte, are 64 KiB a box and do not stay in the first-level cache.

mod tables;

use super::{lanes, repeat16};
use crate::contract::{Blocks, Inputs, Params, State, Tail};
use crate::simd::{Feed, Logic, Round, Rows, Word32, drive};
use tables::BOXES;

lanes! { words: 8, bytes: 4, portable: u32;
    x86_64 {}
    aarch64 {}
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
        // No block of zeros alone: a message of whole blocks is followed by its length.
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
            // The pass's boxes in one register: else each look-up adds up the static's address and the pass's offset.
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

/// Once around the words, with the pass's two boxes; `i` is the low byte of x_0 before and after.
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

/// An S-box, the lowest byte of an entry first, and the low bytes of its entries once more.
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

/// How words are looked up.
trait Snefru32: Word32 {
    /// An index into a box.
    type Index: Copy;
    fn low_byte(self) -> Self::Index;
    fn entry(i: Self::Index, s: &'static SBox) -> Self;
    /// Takes `i` to the low byte of `self ^ entry(i, s)`.
    fn follow(self, i: &mut Self::Index, s: &'static SBox);
    /// Takes `i` to the low byte of `(self ^ entry(i, s)) >>> rotation`.
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
        // A load of one byte: the compiler would rather shift the entry that it has loaded, which takes longer.
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

    /// Merkle's package, version 2.5a: the answers that came with it.
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
