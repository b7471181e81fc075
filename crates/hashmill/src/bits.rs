//! Messages that are no number of whole bytes: the bits after the last one.

use crate::contract::{Blocks, Flat, Kernel, MAX_BLOCK, Params};
use zeroize::Zeroize;

/// Where the first bit of a message lies in its first byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BitOrder {
    /// At the high end, 0x80.
    High,
    /// At the low end, 0x01.
    Low,
}

impl BitOrder {
    /// The first `n` bits of a byte, one to eight; the others are 0.
    pub(crate) fn first(self, byte: u8, n: u8) -> u8 {
        match self {
            BitOrder::High => byte & (0xff00_u16 >> n) as u8,
            BitOrder::Low => byte & !(0xff_u16 << n) as u8,
        }
    }

    /// The bits `n` places later, less than eight; those that leave the byte are lost.
    fn later(self, byte: u8, n: u8) -> u8 {
        match self {
            BitOrder::High => byte >> n,
            BitOrder::Low => byte << n,
        }
    }

    /// The bits `n` places earlier, less than eight.
    fn earlier(self, byte: u8, n: u8) -> u8 {
        match self {
            BitOrder::High => byte << n,
            BitOrder::Low => byte >> n,
        }
    }
}

/// The bits after the last whole byte of a message: up to seven, at their places in a byte whose other bits are 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bits {
    pub(crate) byte: u8,
    pub(crate) count: u8,
}

impl Bits {
    pub(crate) const NONE: Bits = Bits { byte: 0, count: 0 };

    /// The byte with a 1 after the bits, where they are counted from the high end.
    pub(crate) fn marked(self) -> u8 {
        self.byte | 0x80 >> self.count
    }

    /// Appends the first `count` bits of a byte and returns the whole byte that they complete. `count` is less than eight where
    /// no bits are waiting.
    pub(crate) fn push(&mut self, order: BitOrder, byte: u8, count: u8) -> Option<u8> {
        let new = order.first(byte, count);
        let joined = self.byte | order.later(new, self.count);
        if self.count + count < 8 {
            *self = Bits { byte: joined, count: self.count + count };
            return None;
        }
        *self = Bits { byte: order.earlier(new, 8 - self.count), count: self.count + count - 8 };
        Some(joined)
    }
}

impl Flat {
    /// Takes whole bytes after bits: all are shifted to where the message has got to.
    #[cold]
    #[inline(never)]
    pub(crate) fn join(&mut self, rule: &dyn Blocks, kernel: &Kernel, p: &Params, m: &[u8]) {
        let Some(order) = rule.bit_order(p) else { unreachable!("bits are refused where none are known") };
        let mut shifted = [0; MAX_BLOCK];
        for part in m.chunks(MAX_BLOCK) {
            for (to, &from) in shifted.iter_mut().zip(part) {
                *to = self.last.push(order, from, 8).unwrap_or_default();
            }
            self.blocks(rule, kernel, p, &shifted[..part.len()]);
        }
        // It may have been a key's.
        shifted.zeroize();
    }
}
