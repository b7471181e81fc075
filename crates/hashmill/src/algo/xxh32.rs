//! XXH32 — xxHash fast digest algorithm specification 0.2.0 (Y. Collet, 2012–2023).
//! digest 32 bit · block 16 bytes (none padded) · reads little-endian, digest big-endian · seed 32 bit · status: not
//! cryptographic
//! ## Algorithm
//! ```text
//! acc1..4 ← seed + P1 + P2, seed + P2, seed, seed − P1
//! for each stripe of 16 bytes, for each of its four words w:  acc ← ((acc + w·P2) <<< 13)·P1
//! acc ← (acc1 <<< 1) + (acc2 <<< 7) + (acc3 <<< 12) + (acc4 <<< 18)     message shorter than a stripe: acc ← seed + P5
//! acc ← acc + length
//! for each rest of 4 bytes:  acc ← ((acc + w·P3) <<< 17)·P4
//! then single bytes:         acc ← ((acc + byte·P5) <<< 11)·P1
//! avalanche: acc xor>> 15, ·P2, xor>> 13, ·P3, xor>> 16
//! ```
//! ## Kernels
//! - `portable`: four independent chains of two multiplications and a rotation. The crate `twox-hash` does the same.

use super::fold::{Fold, Folding, WORDS, write_be};
use crate::base::cpu::Features;
use crate::contract::{Inputs, Kernel, Params, Run};

pub(crate) static KERNELS: &[Kernel] =
    &[Kernel { name: "portable", needs: Features::NONE, run: Run::Whole(&Folding::<Xxh32>::NEW) }];

#[derive(Clone, Copy)]
struct Xxh32([u32; 4]);

impl Fold for Xxh32 {
    const STEP: usize = STRIPE;

    #[inline(always)]
    fn new(p: &Params, _: &Inputs<'_>) -> Self {
        Xxh32(start(p.seed as u32))
    }

    fn save(self) -> [u64; WORDS] {
        self.0.map(u64::from)
    }

    fn load(words: [u64; WORDS]) -> Self {
        Xxh32(words.map(|w| w as u32))
    }

    #[inline(always)]
    fn after(mut self, _: &Params, m: &[u8]) -> Self {
        run(&mut self.0, m.as_chunks().0);
        self
    }

    #[inline(always)]
    fn end(self, p: &Params, rest: &[u8], total: u64, out: &mut [u8]) {
        write_be!(finish(p.seed as u32, &self.0, total, rest), out);
    }
}

#[inline(always)]
fn start(seed: u32) -> [u32; 4] {
    [seed.wrapping_add(P1).wrapping_add(P2), seed.wrapping_add(P2), seed, seed.wrapping_sub(P1)]
}

#[inline(always)]
fn run(acc: &mut [u32; 4], stripes: &[[u8; STRIPE]]) {
    let [mut a, mut b, mut c, mut d] = *acc;
    for stripe in stripes {
        let (w, _) = stripe.as_chunks();
        a = round(a, u32::from_le_bytes(w[0]));
        b = round(b, u32::from_le_bytes(w[1]));
        c = round(c, u32::from_le_bytes(w[2]));
        d = round(d, u32::from_le_bytes(w[3]));
    }
    *acc = [a, b, c, d];
}

#[inline(always)]
fn round(acc: u32, w: u32) -> u32 {
    acc.wrapping_add(w.wrapping_mul(P2)).rotate_left(13).wrapping_mul(P1)
}

/// Processes everything after the last whole stripe. `rest` is the end of the message, which has `total` bytes.
#[inline(always)]
fn finish(seed: u32, acc: &[u32; 4], total: u64, rest: &[u8]) -> u32 {
    let mut h = if total < STRIPE as u64 {
        seed.wrapping_add(P5)
    } else {
        let [a, b, c, d] = *acc;
        let (a, b, c, d) = (a.rotate_left(1), b.rotate_left(7), c.rotate_left(12), d.rotate_left(18));
        a.wrapping_add(b).wrapping_add(c).wrapping_add(d)
    };
    h = h.wrapping_add(total as u32);
    let (words, rest) = rest.as_chunks();
    for w in words {
        h = h.wrapping_add(u32::from_le_bytes(*w).wrapping_mul(P3)).rotate_left(17).wrapping_mul(P4);
    }
    for &byte in rest {
        h = h.wrapping_add(u32::from(byte).wrapping_mul(P5)).rotate_left(11).wrapping_mul(P1);
    }
    h = (h ^ h >> 15).wrapping_mul(P2);
    h = (h ^ h >> 13).wrapping_mul(P3);
    h ^ h >> 16
}

// ---------------------------------------------------------------------------------------------------------------------
// Constants
// ---------------------------------------------------------------------------------------------------------------------

const STRIPE: usize = 16;

const P1: u32 = 0x9e37_79b1;
const P2: u32 = 0x85eb_ca77;
const P3: u32 = 0xc2b2_ae3d;
const P4: u32 = 0x27d4_eb2f;
const P5: u32 = 0x1656_67b1;

#[cfg(test)]
mod tests {
    use super::super::fold::tests::check;
    use super::*;

    /// Values of xxHash's cli/xsum_sanity_check.c, with its generated buffer.
    #[test]
    fn sanity() {
        let mut generator = 0x9e37_79b1u64;
        let m: [u8; 222] = std::array::from_fn(|_| {
            let byte = (generator >> 56) as u8;
            generator = generator.wrapping_mul(0x9e37_79b1_85eb_ca8d);
            byte
        });
        for (len, seed, want) in [
            (0, 0, 0x02cc_5d05),
            (0, 0x9e37_79b1, 0x36b7_8ae7),
            (1, 0, 0xcf65_b03e),
            (1, 0x9e37_79b1, 0xb454_5aa4),
            (14, 0, 0x1208_e7e2),
            (14, 0x9e37_79b1, 0x6af1_d1fe),
            (222, 0, 0x5bd1_1dbd),
            (222, 0x9e37_79b1, 0x5880_3c5f),
        ] {
            check(KERNELS, [0; 4], seed, &m[..len], &u32::to_be_bytes(want));
        }
    }
}
