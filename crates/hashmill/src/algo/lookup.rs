//! Substitution boxes that map bytes to words.

use crate::simd::Word64;

/// Words whose bytes index tables of words.
pub(super) trait Lookup: Word64 {
    /// Entry x of `t`, where x is byte `i` of the word; byte 0 is the least significant one.
    fn lookup(self, i: u32, t: &'static [u64; 256]) -> Self;
}

impl Lookup for u64 {
    #[inline(always)]
    fn lookup(self, i: u32, t: &'static [u64; 256]) -> u64 {
        t[usize::from((self >> (8 * i)) as u8)]
    }
}
