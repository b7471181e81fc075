//! FNV-1 and FNV-1a, 32 and 64 bits — RFC 9923 (L. C. Noll, K.-P. Vo, D. Eastlake, T. Hansen, 2026); designed in 1991
//! by G. Fowler, L. C. Noll and K.-P. Vo. digest 32 or 64 bit · block – · big-endian · status: not cryptographic
//! ## Algorithm
//! ```text
//! h ← offset_basis
//! for each byte d:   FNV-1:  h ← h·prime;  h ← h xor d          FNV-1a:  h ← h xor d;  h ← h·prime
//! ```
//!
//! The offset basis is the FNV-1 hash, with a basis of 0, of `chongo <Landon Curt Noll> /\../\`.
//! ## Kernels
//! - `portable`: the definition. Each byte waits for the preceding product: four cycles, 1 GB/s. Not tried: splitting
//!   the product by the two parts of the prime (2^40 + 435 and 2^24 + 403), which only makes the chain longer. Several
//!   messages are interleaved, six at a time: 100 bytes take 20 ns each (Zen 5), 26 four at a time, 67 alone. Eight do
//!   not fit in the registers.

use super::fold::{Chain, Fold, Folding, WORDS, in_turns, write_be};
use crate::base::cpu::Features;
use crate::contract::{Inputs, Kernel, Params, Run};

macro_rules! fnv {
    ($kernels:ident, $name:ident, $word:ty, $basis:expr, |$h:ident, $d:ident| $step:expr) => {
        pub(crate) static $kernels: &[Kernel] =
            &[Kernel { name: "portable", needs: Features::NONE, run: Run::Whole(&Folding::<$name>::NEW) }];

        #[derive(Clone, Copy)]
        struct $name($word);

        impl Chain<1> for $name {
            fn begin(_: &Params) -> Self {
                $name($basis)
            }

            #[inline(always)]
            fn step(self, &[d]: &[u8; 1]) -> Self {
                let ($h, $d) = (self.0, <$word>::from(d));
                $name($step)
            }

            #[inline(always)]
            fn end(self, _: &[u8], _: u64, out: &mut [u8]) {
                write_be!(self.0, out);
            }
        }

        impl Fold for $name {
            const STEP: usize = 1;

            #[inline]
            fn new(_: &Params, _: &Inputs<'_>) -> Self {
                $name($basis)
            }

            fn save(self) -> [u64; WORDS] {
                [self.0.into(), 0, 0, 0]
            }

            fn load([h, ..]: [u64; WORDS]) -> Self {
                $name(h as $word)
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
                in_turns::<Self, 1, 6>(p, messages, out);
            }
        }
    };
}

fnv!(FNV132, Fnv132, u32, BASIS32, |h, d| h.wrapping_mul(PRIME32) ^ d);
fnv!(FNV1A32, Fnv1a32, u32, BASIS32, |h, d| (h ^ d).wrapping_mul(PRIME32));
fnv!(FNV164, Fnv164, u64, BASIS64, |h, d| h.wrapping_mul(PRIME64) ^ d);
fnv!(FNV1A64, Fnv1a64, u64, BASIS64, |h, d| (h ^ d).wrapping_mul(PRIME64));

const BASIS32: u32 = 0x811c_9dc5;
const PRIME32: u32 = 0x0100_0193;
const BASIS64: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME64: u64 = 0x0000_0100_0000_01b3;

#[cfg(test)]
mod tests {
    use super::super::fold::tests::check;
    use super::*;

    /// Values from L. C. Noll's test_fnv.c.
    #[test]
    fn test_fnv() {
        for (m, fnv132, fnv1a32, fnv164, fnv1a64) in [
            ("", 0x811c_9dc5, 0x811c_9dc5, 0xcbf2_9ce4_8422_2325, 0xcbf2_9ce4_8422_2325),
            ("a", 0x050c_5d7e, 0xe40c_292c, 0xaf63_bd4c_8601_b7be, 0xaf63_dc4c_8601_ec8c),
            ("foobar", 0x31f0_b262, 0xbf9c_f968, 0x340d_8765_a4dd_a9c2, 0x8594_4171_f739_67e8),
        ] {
            check(FNV132, [0; 4], 0, m.as_bytes(), &u32::to_be_bytes(fnv132));
            check(FNV1A32, [0; 4], 0, m.as_bytes(), &u32::to_be_bytes(fnv1a32));
            check(FNV164, [0; 4], 0, m.as_bytes(), &u64::to_be_bytes(fnv164));
            check(FNV1A64, [0; 4], 0, m.as_bytes(), &u64::to_be_bytes(fnv1a64));
        }
    }

    /// Derives the offset bases from their definition.
    #[test]
    fn bases() {
        let m = br"chongo <Landon Curt Noll> /\../\";
        let p = Params { row: 0, out_len: 8, p: [0; 4], seed: 0 };
        assert_eq!(Fnv132(0).after(&p, m).0, BASIS32);
        assert_eq!(Fnv164(0).after(&p, m).0, BASIS64);
    }
}
