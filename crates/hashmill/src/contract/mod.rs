//! The contract between plumbing and algorithms.
//!
//! Plumbing (streaming, one-shot, the mill, files) knows two shapes of algorithm:
//!
//! * [`Blocks`]: a round function processes blocks of a fixed size. Merkle–Damgård, HAIFA, sponges and block checksums
//!   differ only in the initial state, in how the last bytes become blocks, and in how the digest is read off the
//!   state. Kernels run the blocks of one or many messages.
//! * [`Whole`]: no block function worth sharing (CRCs, xxHash, BLAKE3's tree). A kernel is the entire algorithm.
//!
//! Most algorithms of blocks declare their end as values, [`Blocks::padding`] and [`Blocks::words`], from which
//! streaming, one-shot calls, the mill, batches and packed rows derive what they need. The others write their own
//! [`Blocks::tail`], in stages, because MD2's checksum is known only after its padding has been hashed, and their own
//! [`Blocks::output`].

mod kernel;
mod memory;
mod padding;
mod value;

pub(crate) use crate::base::params::Params;
pub(crate) use kernel::{Kernel, Lanes, Layout, Run, RunFn};
pub(crate) use memory::{CHUNK, Flat, MAX_HEIGHT, Memory, STATE_BYTES, State, Tree, copy_in_pieces, copy_short, word};
pub(crate) use padding::{End, Padding, Words, marked};
pub(crate) use value::{MAX_VALUE, Value};

use crate::base::bits::{BitOrder, Bits};
use std::any::Any;

/// The largest block of any algorithm, in bytes.
pub(crate) const MAX_BLOCK: usize = 256;

/// The inputs of a hash besides the message: nothing, or what a [`crate::HasherBuilder`] collected and checked against
/// the registry's limits.
#[derive(Clone, Copy)]
#[cfg_attr(test, derive(Debug))]
pub(crate) struct Inputs<'a> {
    /// The key (XXH3: the secret); empty without one.
    pub(crate) key: &'a [u8],
    /// The salt; empty without one.
    pub(crate) salt: &'a [u8],
    /// The personalization; empty without one.
    pub(crate) personal: &'a [u8],
    /// The context string of key derivation.
    pub(crate) context: Option<&'a [u8]>,
    /// What [`Whole::prepare`] computed from them.
    pub(crate) prepared: Option<&'a Prepared>,
}

/// What an algorithm precomputes from its inputs. Only the algorithm knows the concrete type.
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

/// An algorithm whose kernels process whole blocks.
pub(crate) trait Blocks: Sync {
    /// Block length in bytes, at most [`MAX_BLOCK`].
    fn block(&self, p: &Params) -> usize;

    /// Whether the last block must be held back until the end of the message is known (BLAKE2, Skein).
    fn keep_last(&self) -> bool {
        false
    }

    /// The number of blocks of one message that take as long as setting up a batch of short messages: some 450 ns
    /// (measured).
    fn setup(&self) -> usize {
        2
    }

    /// The state before the first block.
    fn init(&self, p: &Params, x: &Inputs<'_>, s: &mut State);

    /// Writes the bytes that go before the message (a padded key) to `out` and returns their number.
    fn prefix(&self, _p: &Params, _x: &Inputs<'_>, _out: &mut [u8; MAX_BLOCK]) -> usize {
        0
    }

    /// The padding, if nothing else follows the message. All other endings are defined by [`Blocks::tail`] and
    /// [`Blocks::tail_len`].
    fn padding(&self, _p: &Params) -> Option<Padding> {
        None
    }

    /// How to read the digest, if it consists of the first words of the state. All other digests are read by
    /// [`Blocks::output`].
    fn words(&self, _p: &Params) -> Option<Words> {
        None
    }

    /// Writes the blocks that follow the message. Called with `stage` 0, 1, … until it returns 0; the blocks of each
    /// stage are run before the next call.
    ///
    /// `rest` holds the bytes after the last whole block that was run (with `keep_last`, up to a whole block) and is
    /// empty after stage 0; `total` is the length of the message in bytes (prefix included). Returns the number of
    /// bytes of `out` to run, a multiple of the block length.
    #[inline]
    fn tail(&self, p: &Params, _s: &mut State, stage: u8, rest: &[u8], total: u128, out: &mut Tail) -> usize {
        let Some(padding) = self.padding(p) else { unreachable!("an algorithm states its padding or writes its tail") };
        if stage == 0 { padding.write(rest, total, self.block(p), out) } else { 0 }
    }

    /// Which end of a byte holds its first bit, for algorithms whose specification covers messages that are not a whole
    /// number of bytes and defines how bits are packed into bytes.
    fn bit_order(&self, _p: &Params) -> Option<BitOrder> {
        None
    }

    /// [`Blocks::tail`] for a message that continues after its whole bytes with `last`, at least one bit. `rest` and
    /// `total` do not count these bits, and `rest` is shorter than a block even with `keep_last`. Only called for
    /// algorithms with a [`Blocks::bit_order`].
    ///
    /// Most functions mark the end with a single 1 bit at the high end of the byte after the message. The bits go
    /// before the mark in the same byte, so the tail is as long as it would be without them, and [`Padding`] tells
    /// where the length field is that has to count them.
    #[allow(clippy::too_many_arguments, reason = "the arguments of `tail`, plus the bits")]
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
                // The length of whole bytes is a multiple of eight bits, so the count can simply be ORed in.
                out[if big_endian { n - 1 } else { n - bytes }] |= last.count;
            }
        }
        n
    }

    /// Total number of bytes that [`Blocks::tail`] produces over all stages when `rest` bytes of the message are left.
    /// Messages that agree in this number must agree in the length of every stage.
    fn tail_len(&self, p: &Params, rest: usize) -> usize {
        let Some(padding) = self.padding(p) else { unreachable!("an algorithm states its padding or writes its tail") };
        padding.tail_len(rest, self.block(p))
    }

    /// Copies the next chunk of an extendable output off the state and returns its length. Running a block of zeros
    /// makes the chunk after it available. Only algorithms with extendable output implement it.
    fn squeeze(&self, _p: &Params, _s: &State, _out: &mut [u8; MAX_BLOCK]) -> usize {
        0
    }

    /// Reads the digest off the final state. `step` runs one more block (a sponge squeezes with blocks of zeros).
    #[inline]
    fn output(&self, p: &Params, s: &mut State, _step: &mut dyn FnMut(&mut State, &[u8]), out: &mut [u8]) {
        let Some(words) = self.words(p) else { unreachable!("an algorithm states its words or reads its digest") };
        words.read(s, out);
    }

    /// Whether this can be the state after the first `done` bytes of a message, judging by its counters. `fresh` is the
    /// initial state.
    fn admits(&self, _p: &Params, _s: &State, _fresh: &State, _done: u128) -> bool {
        true
    }
}

/// Hashes one message into `out`, which has the length of the digest.
pub(crate) type OneShot = fn(&Params, m: &[u8], out: &mut [u8]);

/// Takes more of a message; for hashes that were started without inputs.
pub(crate) type Feed = fn(&Params, &mut Memory, m: &[u8]);

/// A streaming algorithm, or one implementation of it.
///
/// All implementations of an algorithm use the same form of memory.
pub(crate) trait Whole: Sync {
    /// Precomputes what depends only on the inputs, for all calls that get them through [`Inputs::prepared`].
    fn prepare(&self, _x: &Inputs<'_>) -> Option<Prepared> {
        None
    }

    /// The memory before the first byte.
    fn start(&self, p: &Params, x: &Inputs<'_>) -> Memory;

    /// Number of bytes that the memory can buffer before [`Whole::update`] must be called.
    fn holds(&self) -> usize;

    /// Takes more of the message.
    fn update(&self, p: &Params, x: &Inputs<'_>, memory: &mut Memory, m: &[u8]);

    /// [`Whole::update`] without inputs as a plain function, for algorithms where hashing a small piece may take less
    /// time than finding out how to hash it.
    fn feed(&self) -> Option<Feed> {
        None
    }

    /// Writes the digest of everything so far; the message may go on. With extendable output, `out` may have any
    /// length.
    fn finish(&self, p: &Params, x: &Inputs<'_>, memory: &Memory, out: &mut [u8]);

    /// Writes `out.len()` bytes of an extendable output, starting at byte `at`.
    fn finish_at(&self, _p: &Params, _x: &Inputs<'_>, _memory: &Memory, _at: u64, _out: &mut [u8]) {
        unreachable!("only algorithms with extendable output are asked for it");
    }

    /// How the state in this memory is exported: the number of words, and the size of a word in bytes.
    fn words(&self, memory: &Memory) -> (usize, usize);

    /// Whether an unkeyed message of the length recorded here can have led to this memory, as far as can be told.
    fn admits(&self, p: &Params, memory: &Memory) -> bool;

    /// The memory after a message of which only the digest is known: [`crate::HasherBuilder::resume_from`]. `digest`
    /// has the right length. Returns `None` if the digest does not determine the state, or belongs to no message.
    fn resume(&self, _p: &Params, _digest: &[u8]) -> Option<Memory> {
        None
    }

    /// Computes the digest of one message, without allocation where the algorithm allows it. `out` has `p.out_len`
    /// bytes.
    fn digest(&self, p: &Params, m: &[u8], out: &mut [u8]) {
        let mut memory = self.start(p, &Inputs::NONE);
        self.update(p, &Inputs::NONE, &mut memory, m);
        self.finish(p, &Inputs::NONE, &memory, out);
    }

    /// [`Whole::digest`] as a plain function, which one-shot calls jump to. It may have a fast path for the shortest
    /// messages that would slow down all others.
    fn one_shot(&self) -> OneShot;

    /// Computes the digests of several messages, one after the other in `out`, with `p.out_len` bytes for each. The
    /// result is that of [`Whole::digest`], whatever the messages' lengths. A caller passes up to some hundred messages
    /// at a time.
    ///
    /// It is a method of this trait so that the calls above are inlined for each algorithm: hashing a few bytes takes
    /// less time than a call. Algorithms bound by latency interleave several messages.
    fn digest_many(&self, p: &Params, messages: &[&[u8]], out: &mut [u8]) {
        for (m, out) in messages.iter().zip(out.chunks_exact_mut(p.out_len as usize)) {
            self.digest(p, m, out);
        }
    }

    /// Computes the digest of A‖B from the digests of A and B and the length of B in bytes, if the algorithm allows it.
    fn combine(&self, _p: &Params, _a: &[u8], _b: &[u8], _len_b: u64, _out: &mut [u8]) -> bool {
        false
    }

    /// Whether a message can be hashed in parts whose values are then joined. By default, that is the case if digests
    /// can be combined.
    fn is_divisible(&self, p: &Params) -> bool {
        let mut out = [0; MAX_VALUE];
        let n = p.out_len as usize;
        n <= MAX_VALUE && self.combine(p, &[0; MAX_VALUE][..n], &[0; MAX_VALUE][..n], 0, &mut out[..n])
    }

    /// The value of the part `m` of a message that begins at byte `at`.
    fn part(&self, p: &Params, _at: u64, m: &[u8]) -> Value {
        let mut part = Value { bytes: [0; MAX_VALUE], len: p.out_len as usize, sums: Vec::new() };
        self.digest(p, m, &mut part.bytes[..part.len]);
        part
    }

    /// The value of two consecutive parts; the second has `len_b` bytes.
    fn join(&self, p: &Params, a: &Value, b: &Value, len_b: u64) -> Value {
        let mut part = Value { bytes: [0; MAX_VALUE], len: a.len, sums: Vec::new() };
        self.combine(p, a.value(), b.value(), len_b, &mut part.bytes[..a.len]);
        part
    }

    /// Whether the values of parts are put together from first to last ([`Whole::fold`]) rather than joined.
    fn is_folded(&self) -> bool {
        false
    }

    /// Takes the next part of a message, which has its full length, into the memory of those before it.
    fn fold(&self, _p: &Params, _memory: &mut Memory, _part: &Value) {
        unreachable!("only algorithms whose parts are folded are asked for it");
    }

    /// Writes the digest of a message from the joined value of all its parts. There were two or more parts, or a long
    /// one.
    fn whole(&self, _p: &Params, part: &Value, out: &mut [u8]) {
        out.copy_from_slice(part.value());
    }
}

#[cfg(test)]
mod tests {
    use crate::Algorithm;
    use crate::plumbing::call::available;
    use crate::registry::table::Rule;

    /// Interleaved messages: a mix of every length up to some hundred bytes and some long ones, and groups of one
    /// length, with more and fewer messages than are interleaved.
    #[test]
    fn many_are_like_each() {
        let bytes: Vec<u8> = (0..40_000u32).map(|i| (i.wrapping_mul(0x9e37_79b1) >> 24) as u8).collect();
        let lengths: Vec<usize> = (0..301).chain([511, 512, 1025, 4099, 39_000]).collect();
        // 113 is prime and does not divide the number of lengths, so every length occurs once.
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
