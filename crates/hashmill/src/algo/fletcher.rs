//! Fletcher-16, -32, -64 — J. G. Fletcher, An Arithmetic Checksum for Serial Transmissions (IEEE Transactions on
//! Communications 30, 1982). digest 16, 32, 64 bit · block – (words of 1, 2, 4 bytes, little-endian, the last filled up
//! with zeros) · digest big-endian · status: checksum, no security
//! ## Algorithm
//! ```text
//! a ← 0;  b ← 0
//! for each word d of w bits:  a ← a + d mod 2^w − 1;  b ← b + a mod 2^w − 1          w = 8, 16, 32
//! digest = b·2^w + a
//! ```
//!
//! Fletcher did not define the rest: here, as usual, a remainder of 2^w − 1 is 0, words are little-endian, and the
//! digest is the number above.
//!
//! Over a run of n words, b grows by n·a and by every word times the number of words from it to the end of the run,
//! inclusive. Hence the words of a run can be added in any order, and reductions can wait until its end.
//! ## Kernels
//! - `portable`: a run is processed in rows of sixteen bytes, with separate sums for each column, twice as wide as a
//!   word ([`columns`]); the compiler vectorizes this with the target's baseline features. 17 GB/s for bytes, 27 for
//!   16-bit words, 25 for 32-bit words (Zen 5); 22 rows of bytes are all that 16-bit columns can hold. Rejected: word
//!   after word (3.8, 7.4, 14 GB/s); 32-bit columns of bytes (4.8); products of bytes and weights, which LLVM sums well
//!   only for rows of 64 bytes (13).

use super::fold::{Fold, Folding, WORDS, write_be};
use crate::base::cpu::Features;
use crate::contract::{Inputs, Kernel, Params, Run};
use std::ops::AddAssign;

pub(crate) static FLETCHER16: &[Kernel] =
    &[Kernel { name: "portable", needs: Features::NONE, run: Run::Whole(&Folding::<Fletcher16>::NEW) }];
pub(crate) static FLETCHER32: &[Kernel] =
    &[Kernel { name: "portable", needs: Features::NONE, run: Run::Whole(&Folding::<Fletcher32>::NEW) }];
pub(crate) static FLETCHER64: &[Kernel] =
    &[Kernel { name: "portable", needs: Features::NONE, run: Run::Whole(&Folding::<Fletcher64>::NEW) }];

// ---------------------------------------------------------------------------------------------------------------------
// Hooks
// ---------------------------------------------------------------------------------------------------------------------

macro_rules! fletcher {
    ($name:ident, $word:ty, $columns:literal, $double:ty, $combine:item) => {
        #[derive(Clone, Copy)]
        struct $name(Sums);

        impl $name {
            #[inline(always)]
            fn sums(sums: Sums, words: &[[u8; size_of::<$word>()]]) -> Sums {
                sums.after::<$word, $columns, { <$word>::MAX as u64 }>(words.as_flattened())
            }

            #[inline(always)]
            fn write(sums: Sums, rest: &[u8], out: &mut [u8]) {
                let Sums { a, b } = match rest {
                    [] => sums,
                    _ => sums.plus(rest.iter().rev().fold(0, |d, &byte| d << 8 | u64::from(byte))).reduced::<{ <$word>::MAX as u64 }>(),
                };
                write_be!((b << <$word>::BITS | a) as $double, out);
            }
        }

        impl Fold for $name {
            const STEP: usize = size_of::<$word>();

            #[inline]
            fn new(_: &Params, _: &Inputs<'_>) -> Self {
                $name(Sums { a: 0, b: 0 })
            }

            fn save(self) -> [u64; WORDS] {
                [self.0.a, self.0.b, 0, 0]
            }

            fn load([a, b, ..]: [u64; WORDS]) -> Self {
                $name(Sums { a, b })
            }

            fn is_possible(&self, _: &Params) -> bool {
                let modulus = u64::from(<$word>::MAX);
                self.0.a < modulus && self.0.b < modulus
            }

            #[inline(always)]
            fn after(self, _: &Params, m: &[u8]) -> Self {
                $name($name::sums(self.0, m.as_chunks().0))
            }

            #[inline(always)]
            fn end(self, _: &Params, rest: &[u8], _: u64, out: &mut [u8]) {
                $name::write(self.0, rest, out);
            }

            #[inline(always)]
            fn digest(_: &Params, m: &[u8], out: &mut [u8]) {
                let (words, rest) = m.as_chunks();
                $name::write($name::sums(Sums { a: 0, b: 0 }, words), rest, out);
            }

            $combine
        }
    };
}

fletcher!(
    Fletcher16,
    u8,
    16,
    u16,
    fn combine(_: &Params, a: &[u8], b: &[u8], len_b: u64, out: &mut [u8]) -> bool {
        let (&[b1, a1], &[b2, a2]) = (a, b) else {
            return false;
        };
        let a = u64::from(a1) + u64::from(a2);
        let b = u64::from(b1) + u64::from(b2) + len_b % 255 * u64::from(a1);
        write_be!((((b % 255) << 8) | (a % 255)) as u16, out);
        true
    }
);

// If A ends within a word, the sums of A‖B do not follow from those of A and B.
fletcher!(
    Fletcher32,
    u16,
    8,
    u32,
    fn combine(_: &Params, _: &[u8], _: &[u8], _: u64, _: &mut [u8]) -> bool {
        false
    }
);

fletcher!(
    Fletcher64,
    u32,
    4,
    u64,
    fn combine(_: &Params, _: &[u8], _: &[u8], _: u64, _: &mut [u8]) -> bool {
        false
    }
);

// ---------------------------------------------------------------------------------------------------------------------
// The sums
// ---------------------------------------------------------------------------------------------------------------------

/// The two sums, reduced.
#[derive(Clone, Copy)]
pub(super) struct Sums {
    pub(super) a: u64,
    pub(super) b: u64,
}

const ROW: usize = 16;

/// A word, of which a row has `C`.
pub(super) trait Word<const C: usize>: Copy {
    type Column: Copy + Default + AddAssign + From<Self>;
    /// The most rows whose sums fit in a column, and whose weighted sums fit where [`Word::weigh`] adds them.
    const RUN: usize;

    /// The words of a row.
    fn row(row: &[u8; ROW]) -> [Self; C];

    /// Calls `f` with the words of a few rows. There are only whole words.
    fn each(rest: &[u8], f: impl FnMut(u64));

    /// Returns Σ s, Σ t, Σ i·s over the columns.
    fn weigh(s: &[Self::Column; C], t: &[Self::Column; C]) -> [u64; 3];
}

macro_rules! word {
    ($word:ty, $columns:literal, $column:ty, $sum:ty, $run:literal) => {
        impl Word<$columns> for $word {
            type Column = $column;
            const RUN: usize = $run;

            #[inline(always)]
            fn row(row: &[u8; ROW]) -> [$word; $columns] {
                let mut words = [0; $columns];
                for (word, bytes) in words.iter_mut().zip(row.as_chunks().0) {
                    *word = <$word>::from_le_bytes(*bytes);
                }
                words
            }

            #[inline(always)]
            fn each(rest: &[u8], mut f: impl FnMut(u64)) {
                for word in rest.as_chunks().0 {
                    f(u64::from(<$word>::from_le_bytes(*word)));
                }
            }

            #[inline(always)]
            fn weigh(s: &[$column; $columns], t: &[$column; $columns]) -> [u64; 3] {
                let mut sums: [$sum; 3] = [0; 3];
                for i in 0..$columns {
                    sums[0] += s[i] as $sum;
                }
                for i in 0..$columns {
                    sums[1] += t[i] as $sum;
                }
                for i in 0..$columns {
                    sums[2] += i as $sum * s[i] as $sum;
                }
                [sums[0] as u64, sums[1] as u64, sums[2] as u64]
            }
        }
    };
}

word!(u8, 16, u16, i32, 22);
word!(u16, 8, u32, u64, 360);
word!(u32, 4, u64, u64, 1024);

impl Sums {
    /// The sums after the words of `m`, modulo at most 2^w − 1 for words of w bits (Adler-32: 16).
    #[inline(always)]
    pub(super) fn after<W: Word<C>, const C: usize, const MODULUS: u64>(mut self, m: &[u8]) -> Sums {
        let mut rest = m;
        // For shorter messages, adding up the columns costs more than they save.
        if m.len() >= 4 * ROW {
            let (rows, after) = m.as_chunks::<ROW>();
            for run in rows.chunks(W::RUN) {
                self = columns::<W, C>(self, run).reduced::<MODULUS>();
            }
            rest = after;
        }
        W::each(rest, |d| self = self.plus(d));
        self.reduced::<MODULUS>()
    }

    #[inline(always)]
    fn plus(self, d: u64) -> Sums {
        let a = self.a + d;
        Sums { a, b: self.b + a }
    }

    #[inline(always)]
    fn reduced<const MODULUS: u64>(self) -> Sums {
        Sums { a: self.a % MODULUS, b: self.b % MODULUS }
    }
}

/// The sums after a run of rows. Every column has its sum s and the sum t of all s so far. A word of column i in row r
/// of n is in t (n − r) times, and must be in b C·(n − r) − i times.
#[inline(always)]
fn columns<W: Word<C>, const C: usize>(sums: Sums, rows: &[[u8; ROW]]) -> Sums {
    let mut s = [W::Column::default(); C];
    let mut t = [W::Column::default(); C];
    for row in rows {
        let d = W::row(row);
        for i in 0..C {
            s[i] += W::Column::from(d[i]);
            t[i] += s[i];
        }
    }
    let [sum_s, sum_t, sum_is] = W::weigh(&s, &t);
    Sums { a: sums.a + sum_s, b: sums.b + sums.a * (rows.len() * C) as u64 + C as u64 * sum_t - sum_is }
}

#[cfg(test)]
mod tests {
    use super::super::fold::tests::check;
    use super::*;

    /// The usual examples (Wikipedia, Fletcher's checksum, Test vectors).
    #[test]
    fn examples() {
        for (m, f16, f32, f64) in [
            ("abcde", 0xc8f0, 0xf04f_c729, 0xc8c6_c527_6463_62c6),
            ("abcdef", 0x2057, 0x5650_2d2a, 0xc8c7_2b27_6463_c8c6),
            ("abcdefgh", 0x0627, 0xebe1_9591, 0x312e_2b28_ccca_c8c6),
            ("", 0, 0, 0),
        ] {
            check(FLETCHER16, [0; 4], 0, m.as_bytes(), &u16::to_be_bytes(f16));
            check(FLETCHER32, [0; 4], 0, m.as_bytes(), &u32::to_be_bytes(f32));
            check(FLETCHER64, [0; 4], 0, m.as_bytes(), &u64::to_be_bytes(f64));
        }
    }

    /// The largest words make column sums as large as they can be. All these words are 0 modulo 2^w − 1.
    #[test]
    fn columns_hold_their_runs() {
        for n in [15 * 16, 22 * 16, 360 * 16, 1024 * 16, 1024 * 16 + 4] {
            let m = vec![0xff; n];
            check(FLETCHER16, [0; 4], 0, &m, &[0; 2]);
            check(FLETCHER32, [0; 4], 0, &m, &[0; 4]);
            check(FLETCHER64, [0; 4], 0, &m, &[0; 8]);
        }
    }
}
