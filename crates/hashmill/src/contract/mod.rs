//! The contract between plumbing and algorithms.
//!
//! Plumbing (streaming, one-shot, the mill, files) knows two shapes of algorithm:
//!
//! * [`Blocks`]: a fixed-size block goes through a round function. Merkle–Damgård, HAIFA, sponges, checksum blocks:
//!   they differ only in how a state starts, how the last bytes become blocks, and how the digest is read off the
//!   state. Kernels run the blocks of one or many messages.
//! * [`Whole`]: no block function worth sharing (CRCs, xxHash, BLAKE3's tree). A kernel is the entire algorithm.

mod kernel;
mod memory;
mod padding;
mod value;

pub(crate) use crate::base::params::Params;
pub(crate) use kernel::{Kernel, Lanes, Layout, Run, RunFn};
pub(crate) use memory::{CHUNK, Flat, MAX_HEIGHT, Memory, STATE_BYTES, State, Tree, copy_short};
pub(crate) use padding::{End, Padding, Words, marked};
pub(crate) use value::{MAX_VALUE, Value};

use crate::base::bits::{BitOrder, Bits};
use std::any::Any;

/// The largest block of any algorithm, in bytes.
pub(crate) const MAX_BLOCK: usize = 256;

/// What goes into a hash besides the message: nothing, or what a [`crate::HasherBuilder`] collected and checked against
/// the registry's limits.
#[derive(Clone, Copy)]
#[cfg_attr(test, derive(Debug))]
pub(crate) struct Inputs<'a> {
    /// The key (XXH3: the secret); empty without one.
    pub(crate) key: &'a [u8],
    /// Empty without one.
    pub(crate) salt: &'a [u8],
    /// The personalization; empty without one.
    pub(crate) personal: &'a [u8],
    /// The context string of key derivation.
    pub(crate) context: Option<&'a [u8]>,
    /// What [`Whole::prepare`] made of them.
    pub(crate) prepared: Option<&'a Prepared>,
}

/// What an algorithm makes of its inputs once: it alone knows the type.
pub(crate) type Prepared = Box<dyn Any + Send + Sync>;

impl Inputs<'static> {
    /// The plain hash.
    pub(crate) const NONE: Inputs<'static> =
        Inputs { key: &[], salt: &[], personal: &[], context: None, prepared: None };
}

/// The blocks that an algorithm appends to a message: a stage has at most two blocks of 128 bytes, or one larger one.
pub(crate) type Tail = [u8; MAX_BLOCK];

/// An empty [`Tail`].
pub(crate) const NO_TAIL: Tail = [0; MAX_BLOCK];

/// An algorithm whose kernels run whole blocks.
pub(crate) trait Blocks: Sync {
    /// Block length in bytes, at most [`MAX_BLOCK`].
    fn block(&self, p: &Params) -> usize;

    /// Whether the last block of a message must not be run before the end is known (BLAKE2, Skein).
    fn keep_last(&self) -> bool {
        false
    }

    /// The state before the first block.
    fn init(&self, p: &Params, x: &Inputs<'_>, s: &mut State);

    /// Bytes that go before the message (a padded key): written to `out`, their number returned.
    fn prefix(&self, _p: &Params, _x: &Inputs<'_>, _out: &mut [u8; MAX_BLOCK]) -> usize {
        0
    }

    /// The padding, where it is all that follows the message. Every other kind of end is said by [`Blocks::tail`] and
    /// [`Blocks::tail_len`].
    fn padding(&self, _p: &Params) -> Option<Padding> {
        None
    }

    /// How the digest is read off the state, where it is the state's first words. Every other digest is read by
    /// [`Blocks::output`].
    fn words(&self, _p: &Params) -> Option<Words> {
        None
    }

    /// Blocks after the message. Called with `stage` 0, 1, … and the blocks run in between, until it returns 0.
    ///
    /// `rest` are the bytes after the last whole block that was run (with `keep_last`: up to a whole block), and empty
    /// after stage 0; `total` is the length of the message in bytes (prefix included). Returns how many bytes of `out`
    /// to run: a multiple of the block.
    #[inline]
    fn tail(&self, p: &Params, _s: &mut State, stage: u8, rest: &[u8], total: u128, out: &mut Tail) -> usize {
        let Some(padding) = self.padding(p) else { unreachable!("an algorithm states its padding or writes its tail") };
        if stage == 0 { padding.write(rest, total, self.block(p), out) } else { 0 }
    }

    /// Which end of a byte has its first bit, for algorithms whose specification knows messages that are no number of
    /// whole bytes and says how bits lie in bytes.
    fn bit_order(&self, _p: &Params) -> Option<BitOrder> {
        None
    }

    /// [`Blocks::tail`] of a message that goes on for `last` bits, at least one, after its whole bytes. `rest` and
    /// `total` do not count them, and `rest` is less than a block, with `keep_last` too. Only algorithms with a
    /// [`Blocks::bit_order`] are asked.
    ///
    /// Most functions mark the end with one 1 bit at the high end of the byte after the message: the bits go before it
    /// in this byte, so that the tail is as long as without them, and [`Padding`] tells where the length is that they
    /// add to.
    #[allow(clippy::too_many_arguments, reason = "those of `tail`, and the bits")]
    fn tail_of_bits(
        &self,
        p: &Params,
        s: &mut State,
        stage: u8,
        rest: &[u8],
        total: u128,
        last: Bits,
        out: &mut Tail,
    ) -> usize {
        let n = self.tail(p, s, stage, rest, total, out);
        if stage == 0 {
            out[rest.len()] = last.marked();
            if let Some(Padding { end: End::Length { bytes, big_endian }, .. }) = self.padding(p) {
                // Of whole bytes it is a multiple of eight.
                out[if big_endian { n - 1 } else { n - bytes }] |= last.count;
            }
        }
        n
    }

    /// How many bytes [`Blocks::tail`] makes in all its stages when `rest` bytes are left of a message. Of messages
    /// that agree in this, every stage must be as long.
    fn tail_len(&self, p: &Params, rest: usize) -> usize {
        let Some(padding) = self.padding(p) else { unreachable!("an algorithm states its padding or writes its tail") };
        padding.tail_len(rest, self.block(p))
    }

    /// Copies the next chunk of an extendable output off the state and returns its length; the chunk after it comes
    /// when a block of zeros has been run. Only algorithms with extendable output have one.
    fn squeeze(&self, _p: &Params, _s: &State, _out: &mut [u8; MAX_BLOCK]) -> usize {
        0
    }

    /// Reads the digest off the final state. `step` runs one more block (a sponge's squeeze gives it zeros).
    #[inline]
    fn output(&self, p: &Params, s: &mut State, _step: &mut dyn FnMut(&mut State, &[u8]), out: &mut [u8]) {
        let Some(words) = self.words(p) else { unreachable!("an algorithm states its words or reads its digest") };
        words.read(s, out);
    }

    /// Whether this can be the state after the first `done` bytes of a message, as far as its counters tell. `fresh` is
    /// the state before the first.
    fn admits(&self, _p: &Params, _s: &State, _fresh: &State, _done: u128) -> bool {
        true
    }
}

/// Hashes one message; the digest has its length.
pub(crate) type OneShot = fn(&Params, m: &[u8], out: &mut [u8]);

/// Takes more of a message that was started without inputs.
pub(crate) type Feed = fn(&Params, &mut Memory, m: &[u8]);

/// An algorithm, or one implementation of it, that takes bytes as they come.
///
/// All implementations of an algorithm use one form of memory.
pub(crate) trait Whole: Sync {
    /// What can be computed from the inputs once, for every call that is given them: [`Inputs::prepared`].
    fn prepare(&self, _x: &Inputs<'_>) -> Option<Prepared> {
        None
    }

    /// The memory before the first byte.
    fn start(&self, p: &Params, x: &Inputs<'_>) -> Memory;

    /// How many bytes can wait in the memory's buffer before [`Whole::update`] must be called.
    fn holds(&self) -> usize;

    /// Takes more of the message.
    fn update(&self, p: &Params, x: &Inputs<'_>, memory: &mut Memory, m: &[u8]);

    /// [`Whole::update`] without inputs as a function, where a piece of the message may take less time than finding out
    /// how it is hashed.
    fn feed(&self) -> Option<Feed> {
        None
    }

    /// Writes the digest of everything so far; the message may go on. `out` may have any length for an extendable
    /// output.
    fn finish(&self, p: &Params, x: &Inputs<'_>, memory: &Memory, out: &mut [u8]);

    /// Writes `out.len()` bytes of an extendable output from byte `at` on.
    fn finish_at(&self, _p: &Params, _x: &Inputs<'_>, _memory: &Memory, _at: u64, _out: &mut [u8]) {
        unreachable!("only algorithms with extendable output are asked for it");
    }

    /// How the state of this memory is exported: the number of words, and the bytes of a word.
    fn words(&self, memory: &Memory) -> (usize, usize);

    /// Whether a message of this length without a key can have led to this memory, as far as this can be seen.
    fn admits(&self, p: &Params, memory: &Memory) -> bool;

    /// The memory after a message of which nothing is known but the digest: [`crate::HasherBuilder::resume_from`].
    /// `digest` has its length. None if the digest does not tell the state, or is of no message.
    fn resume(&self, _p: &Params, _digest: &[u8]) -> Option<Memory> {
        None
    }

    /// The digest of one message, without allocation where the algorithm allows it. `out` has `p.out_len` bytes.
    fn digest(&self, p: &Params, m: &[u8], out: &mut [u8]) {
        let mut memory = self.start(p, &Inputs::NONE);
        self.update(p, &Inputs::NONE, &mut memory, m);
        self.finish(p, &Inputs::NONE, &memory, out);
    }

    /// [`Whole::digest`] as a function: what calls on one message jump to. It may have a way for the shortest messages
    /// that all others would be slower for.
    fn one_shot(&self) -> OneShot;

    /// The digests of several messages, one after the other in `out`, which has `p.out_len` bytes for each: what
    /// [`Whole::digest`] gives, whatever their lengths. A caller hands over up to some hundred messages at a time.
    ///
    /// Here, and not where it is called, so that for each algorithm the calls above are part of it: a few bytes are
    /// hashed in less time than a call takes. Algorithms that wait for themselves let messages take turns.
    fn digest_many(&self, p: &Params, messages: &[&[u8]], out: &mut [u8]) {
        for (m, out) in messages.iter().zip(out.chunks_exact_mut(p.out_len as usize)) {
            self.digest(p, m, out);
        }
    }

    /// The digest of A‖B from the digests of A and B and the length of B in bytes, where the algorithm has such a rule.
    fn combine(&self, _p: &Params, _a: &[u8], _b: &[u8], _len_b: u64, _out: &mut [u8]) -> bool {
        false
    }

    /// Whether a message's digest can be put together from its parts: so it is where digests can be combined.
    fn is_divisible(&self, p: &Params) -> bool {
        let mut out = [0; MAX_VALUE];
        let n = p.out_len as usize;
        n <= MAX_VALUE && self.combine(p, &[0; MAX_VALUE][..n], &[0; MAX_VALUE][..n], 0, &mut out[..n])
    }

    /// The value of the part `m` of a message, which begins at byte `at` of it.
    fn part(&self, p: &Params, _at: u64, m: &[u8]) -> Value {
        let mut part = Value { bytes: [0; MAX_VALUE], len: p.out_len as usize };
        self.digest(p, m, &mut part.bytes[..part.len]);
        part
    }

    /// The value of two parts that follow each other; the second has `len_b` bytes.
    fn join(&self, p: &Params, a: &Value, b: &Value, len_b: u64) -> Value {
        let mut part = Value { bytes: [0; MAX_VALUE], len: a.len };
        self.combine(p, a.value(), b.value(), len_b, &mut part.bytes[..a.len]);
        part
    }

    /// Writes the digest of a message from the value of all its parts, of which there were two or more, or a long one.
    fn whole(&self, _p: &Params, part: &Value, out: &mut [u8]) {
        out.copy_from_slice(part.value());
    }
}

#[cfg(test)]
mod tests {
    use crate::Algorithm;
    use crate::catalogue::registry::Rule;
    use crate::plumbing::call::available;

    /// Messages that take turns: of every length up to some hundred bytes and some long ones, mixed; and of one length,
    /// more and fewer than take turns.
    #[test]
    fn many_are_like_each() {
        let bytes: Vec<u8> = (0..40_000u32).map(|i| (i.wrapping_mul(0x9e37_79b1) >> 24) as u8).collect();
        let lengths: Vec<usize> = (0..301).chain([511, 512, 1025, 4099, 39_000]).collect();
        // 113 is prime, and does not divide their number: every length comes once.
        let mixed = (0..lengths.len()).map(|i| &bytes[i..][..lengths[i * 113 % lengths.len()]]).collect();
        let mut groups: Vec<Vec<&[u8]>> = vec![mixed, vec![]];
        for (n, len) in [(1, 5), (2, 0), (3, 16), (5, 7), (7, 100), (9, 31), (13, 64), (17, 1)] {
            groups.push((0..n).map(|i| &bytes[i * 3..][..len]).collect());
        }
        for a in Algorithm::all().filter(|a| matches!(a.row().rule, Rule::Whole { .. })) {
            for a in [a, a.with_seed(0x9e37_79b1).unwrap_or(a)] {
                let each = a.digest_len();
                for k in a.row().kernels.iter().filter(|k| available(k)) {
                    for messages in &groups {
                        let mut all = vec![0; each * messages.len()];
                        for (m, out) in messages.iter().zip(all.chunks_mut(each)) {
                            k.whole().digest(&a.params, m, out);
                        }
                        let mut out = vec![0xaa; all.len()];
                        k.whole().digest_many(&a.params, messages, &mut out);
                        assert_eq!(out, all, "{a}, {}, {} messages", k.name, messages.len());
                    }
                }
            }
        }
    }
}
