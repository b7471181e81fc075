//! The sums of `sum`: BSD's (`sum -r`) and System V's (`sum -s`) — GNU coreutils' manual, 6.3 `sum`.
//! digest 16 bit · block – · big-endian · status: checksum, no security
//! ## Algorithm
//! ```text
//! BSD:       s ← 0;  for each byte d:  s ← (s >>> 1) + d mod 2^16
//! System V:  s ← sum of all bytes mod 2^32
//!            r ← (s mod 2^16) + (s div 2^16);  digest = (r mod 2^16) + (r div 2^16)
//! ```
//!
//! The programs print the digest in decimal, together with a number of blocks.
//! ## Kernels
//! - `portable`: BSD's rotation makes a chain of two cycles per byte (1.8 GB/s, Zen 5). It carries into the sum, so
//!   bytes cannot be added up beforehand; several messages are interleaved, four at a time (100 bytes take 16 ns each,
//!   37 alone). System V's sum is auto-vectorized with the target's baseline features.

use super::fold::{Chain, Fold, Folding, WORDS, in_turns, up_to_7, write_be};
use crate::base::cpu::Features;
use crate::contract::{Inputs, Kernel, Params, Run};

pub(crate) static BSD: &[Kernel] =
    &[Kernel { name: "portable", needs: Features::NONE, run: Run::Whole(&Folding::<Bsd>::NEW) }];
pub(crate) static SYSV: &[Kernel] =
    &[Kernel { name: "portable", needs: Features::NONE, run: Run::Whole(&Folding::<SystemV>::NEW) }];

#[derive(Clone, Copy)]
struct Bsd(u16);

impl Chain<1> for Bsd {
    fn begin(_: &Params) -> Self {
        Bsd(0)
    }

    #[inline(always)]
    fn step(self, &[d]: &[u8; 1]) -> Self {
        Bsd(self.0.rotate_right(1).wrapping_add(u16::from(d)))
    }

    #[inline(always)]
    fn end(self, _: &[u8], _: u64, out: &mut [u8]) {
        write_be!(self.0, out);
    }
}

impl Fold for Bsd {
    const STEP: usize = 1;

    #[inline]
    fn new(_: &Params, _: &Inputs<'_>) -> Self {
        Bsd(0)
    }

    fn save(self) -> [u64; WORDS] {
        [self.0.into(), 0, 0, 0]
    }

    fn load([s, ..]: [u64; WORDS]) -> Self {
        Bsd(s as u16)
    }

    #[inline]
    fn after(mut self, _: &Params, m: &[u8]) -> Self {
        for d in m.as_chunks().0 {
            self = self.step(d);
        }
        self
    }

    #[inline]
    fn end(self, _: &Params, _: &[u8], _: u64, out: &mut [u8]) {
        write_be!(self.0, out);
    }

    fn digest_many(p: &Params, messages: &[&[u8]], out: &mut [u8]) {
        in_turns::<Self, 1, 4>(p, messages, out);
    }
}

#[derive(Clone, Copy)]
struct SystemV(u32);

impl Fold for SystemV {
    const STEP: usize = 1;

    #[inline]
    fn new(_: &Params, _: &Inputs<'_>) -> Self {
        SystemV(0)
    }

    fn save(self) -> [u64; WORDS] {
        [self.0.into(), 0, 0, 0]
    }

    fn load([s, ..]: [u64; WORDS]) -> Self {
        SystemV(s as u32)
    }

    #[inline]
    fn after(mut self, _: &Params, m: &[u8]) -> Self {
        // Process whole pieces first: the compiler turns this form into sums of absolute differences.
        let (pieces, rest) = m.as_chunks::<64>();
        for piece in pieces {
            let mut s = 0;
            for &d in piece {
                s += u32::from(d);
            }
            self.0 = self.0.wrapping_add(s);
        }
        let (words, rest) = rest.as_chunks();
        for word in words {
            self.0 = self.0.wrapping_add(eight(u64::from_le_bytes(*word)));
        }
        self.0 = self.0.wrapping_add(eight(up_to_7(rest)));
        self
    }

    #[inline]
    fn end(self, _: &Params, _: &[u8], _: u64, out: &mut [u8]) {
        let r = (self.0 & 0xffff) + (self.0 >> 16);
        write_be!(((r & 0xffff) + (r >> 16)) as u16, out);
    }
}

/// The sum of eight bytes: adds pairs, then collects them in the top 16 bits of a product.
#[inline(always)]
fn eight(x: u64) -> u32 {
    const EVEN: u64 = 0x00ff_00ff_00ff_00ff;
    (((x & EVEN) + (x >> 8 & EVEN)).wrapping_mul(0x0001_0001_0001_0001) >> 48) as u32
}

#[cfg(test)]
mod tests {
    use super::super::fold::tests::check;
    use super::*;

    /// The output of coreutils 9's `sum -r` and `sum -s` for 123456789 and for a million bytes of 0xff.
    #[test]
    fn coreutils() {
        check(BSD, [0; 4], 0, b"123456789", &u16::to_be_bytes(BSD_DIGITS));
        check(SYSV, [0; 4], 0, b"123456789", &u16::to_be_bytes(477));
        check(BSD, [0; 4], 0, b"", &[0; 2]);
        check(SYSV, [0; 4], 0, b"", &[0; 2]);
        let m = vec![0xff; 1_000_000];
        check(BSD, [0; 4], 0, &m, &u16::to_be_bytes(BSD_MILLION));
        check(SYSV, [0; 4], 0, &m, &u16::to_be_bytes(SYSV_MILLION));
    }

    const BSD_DIGITS: u16 = 53615;
    const BSD_MILLION: u16 = 41277;
    const SYSV_MILLION: u16 = 3315;
}
