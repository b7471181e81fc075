//! One-at-a-time (joaat) — B. Jenkins, A Hash Function for Hash Table Lookup (Dr. Dobb's Journal, September 1997).
//! digest 32 bit · block – · big-endian · status: not cryptographic
//! ## Algorithm
//! ```text
//! h ← 0
//! for each byte d:  h ← h + d;  h ← h + (h << 10);  h ← h xor (h >> 6)
//! h ← h + (h << 3);  h ← h xor (h >> 11);  h ← h + (h << 15)
//! ```
//! ## Kernels
//! - `portable`: the definition, a chain of five operations per byte. Several messages are interleaved, four at a time,
//!   which saturates the arithmetic units: 100 bytes take 33 ns each (Zen 5), 110 alone.

use super::fold::{Chain, Fold, Folding, WORDS, in_turns, write_be};
use crate::base::cpu::Features;
use crate::contract::{Inputs, Kernel, Params, Run};

pub(crate) static KERNELS: &[Kernel] =
    &[Kernel { name: "portable", needs: Features::NONE, run: Run::Whole(&Folding::<Joaat>::NEW) }];

#[derive(Clone, Copy)]
struct Joaat(u32);

impl Chain<1> for Joaat {
    fn begin(_: &Params) -> Self {
        Joaat(0)
    }

    #[inline(always)]
    fn step(self, &[d]: &[u8; 1]) -> Self {
        let h = self.0.wrapping_add(u32::from(d));
        let h = h.wrapping_add(h << 10);
        Joaat(h ^ h >> 6)
    }

    #[inline(always)]
    fn end(self, _: &[u8], _: u64, out: &mut [u8]) {
        let mut h = self.0;
        h = h.wrapping_add(h << 3);
        h ^= h >> 11;
        h = h.wrapping_add(h << 15);
        write_be!(h, out);
    }
}

impl Fold for Joaat {
    const STEP: usize = 1;

    #[inline]
    fn new(_: &Params, _: &Inputs<'_>) -> Self {
        Joaat(0)
    }

    fn save(self) -> [u64; WORDS] {
        [self.0.into(), 0, 0, 0]
    }

    fn load([h, ..]: [u64; WORDS]) -> Self {
        Joaat(h as u32)
    }

    #[inline]
    fn after(mut self, _: &Params, m: &[u8]) -> Self {
        for d in m.as_chunks().0 {
            self = self.step(d);
        }
        self
    }

    #[inline]
    fn end(self, _: &Params, rest: &[u8], total: u64, out: &mut [u8]) {
        Chain::end(self, rest, total, out);
    }

    fn digest_many(p: &Params, messages: &[&[u8]], out: &mut [u8]) {
        in_turns::<Self, 1, 4>(p, messages, out);
    }
}

#[cfg(test)]
mod tests {
    use super::super::fold::tests::check;
    use super::*;

    /// The usual examples (Wikipedia, Jenkins hash function).
    #[test]
    fn examples() {
        check(KERNELS, [0; 4], 0, b"", &[0; 4]);
        check(KERNELS, [0; 4], 0, b"a", &u32::to_be_bytes(0xca2e_9442));
        let m = b"The quick brown fox jumps over the lazy dog";
        check(KERNELS, [0; 4], 0, m, &u32::to_be_bytes(0x519e_91f5));
    }
}
