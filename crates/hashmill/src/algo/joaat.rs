//! One-at-a-time (joaat) — B. Jenkins, A Hash Function for Hash Table Lookup (Dr. Dobb's Journal, September 1997).
//! digest 32 bit · block – · big-endian · status: not cryptographic
//! ## Algorithm
//! ```text
//! h ← 0
//! for each byte d:  h ← h + d;  h ← h + (h << 10);  h ← h xor (h >> 6)
//! h ← h + (h << 3);  h ← h xor (h >> 11);  h ← h + (h << 15)
//! ```
//! ## Kernels
//! - `portable`: the definition; a chain of five operations a byte.

use super::fold::{Fold, Folding, write_be};
use crate::contract::{Kernel, Params, Run};
use crate::cpu::Features;

pub(crate) static KERNELS: &[Kernel] =
    &[Kernel { name: "portable", needs: Features::NONE, run: Run::Whole(&Folding::<Joaat>::NEW) }];

#[derive(Clone)]
struct Joaat(u32);

impl Fold for Joaat {
    #[inline]
    fn new(_: &Params) -> Self {
        Joaat(0)
    }

    #[inline]
    fn update(&mut self, m: &[u8]) {
        let mut h = self.0;
        for &d in m {
            h = h.wrapping_add(u32::from(d));
            h = h.wrapping_add(h << 10);
            h ^= h >> 6;
        }
        self.0 = h;
    }

    #[inline]
    fn finish(&self, out: &mut [u8]) {
        let mut h = self.0;
        h = h.wrapping_add(h << 3);
        h ^= h >> 11;
        h = h.wrapping_add(h << 15);
        write_be!(h, out);
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
