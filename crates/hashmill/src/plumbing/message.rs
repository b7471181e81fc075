//! One message through a block algorithm: its start, its blocks, its end.
//!
//! A tail is written into zeros in whole words (`Padding::write_to_zeros`), and a digest is read word by word
//! (`simd::single_word`), as the kernels load and store them: on Intel's cores, a load that is wider than the stores
//! before it waits for them.

use crate::contract::{Blocks, Flat, Inputs, Kernel, MAX_BLOCK, NO_TAIL, Params, State};
use zeroize::Zeroize;

impl Flat {
    /// The state before the first block of a message, after any prefix.
    pub(crate) fn of_blocks(rule: &dyn Blocks, kernel: &Kernel, p: &Params, x: &Inputs<'_>) -> Self {
        let mut flat = Flat::new();
        rule.init(p, x, &mut flat.state);
        let mut prefix = [0; MAX_BLOCK];
        let n = rule.prefix(p, x, &mut prefix);
        if n > 0 {
            flat.blocks(rule, kernel, p, &prefix[..n]);
            // The prefix held the key.
            prefix.zeroize();
        }
        flat
    }

    /// Takes more of the message, in whole bytes, and runs the blocks that become full.
    pub(crate) fn blocks(&mut self, rule: &dyn Blocks, kernel: &Kernel, p: &Params, m: &[u8]) {
        let block = rule.block(p);
        self.take(block, rule.keep_last(), m, |state, whole| kernel.run_one(p, state, whole, block));
    }

    /// Takes whole bytes after bits: all are shifted to the current bit position of the message.
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
        // The message may have been a key.
        shifted.zeroize();
    }
}

/// The end of a message of a block algorithm, shared by the streaming hasher, the one-shot call and the mill.
pub(crate) struct Finisher<'a, R: Blocks + ?Sized = dyn Blocks> {
    pub(crate) rule: &'a R,
    pub(crate) kernel: &'a Kernel,
    pub(crate) p: &'a Params,
}

impl<R: Blocks + ?Sized> Finisher<'_, R> {
    /// Runs the tail of a message.
    #[inline]
    pub(crate) fn tails(&self, s: &mut State, rest: &[u8], total: u128) {
        let block = self.rule.block(self.p);
        let mut tail = NO_TAIL;
        if let Some(padding) = self.rule.padding(self.p) {
            let n = padding.write_to_zeros(rest, total, block, &mut tail);
            return self.kernel.run_one(self.p, s, &tail[..n], block);
        }
        for stage in 0..=u8::MAX {
            let n = self.rule.tail(self.p, s, stage, if stage == 0 { rest } else { &[] }, total, &mut tail);
            if n == 0 {
                break;
            }
            self.kernel.run_one(self.p, s, &tail[..n], block);
        }
    }

    /// Runs the tail of a streamed message.
    #[inline]
    pub(crate) fn end(&self, s: &mut State, flat: &Flat) {
        if flat.last.count == 0 {
            self.tails(s, flat.rest(), flat.total);
        } else {
            self.tails_of_bits(s, flat);
        }
    }

    #[cold]
    fn tails_of_bits(&self, s: &mut State, flat: &Flat) {
        let block = self.rule.block(self.p);
        let mut rest = flat.rest();
        if rest.len() == block {
            // This block was held back as the possible end of the message, but bits follow.
            self.kernel.run_one(self.p, s, rest, block);
            rest = &[];
        }
        let mut tail = NO_TAIL;
        for stage in 0..=u8::MAX {
            let n = self.rule.tail_of_bits(self.p, s, stage, rest, flat.total, flat.last, &mut tail);
            if n == 0 {
                break;
            }
            self.kernel.run_one(self.p, s, &tail[..n], block);
            rest = &[];
        }
    }

    /// Runs the tail of a message and writes its digest.
    #[inline]
    pub(crate) fn finish(&self, s: &mut State, rest: &[u8], total: u128, out: &mut [u8]) {
        self.tails(s, rest, total);
        self.output(s, out);
    }

    /// Writes the digest of a message whose tail has been run.
    #[inline]
    pub(crate) fn output(&self, s: &mut State, out: &mut [u8]) {
        let block = self.rule.block(self.p);
        self.rule.output(self.p, s, &mut |s, b| self.kernel.run_one(self.p, s, b, block), out);
    }
}
