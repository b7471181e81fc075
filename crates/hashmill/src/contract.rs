//! The contract between plumbing and algorithms.
//!
//! Plumbing (streaming, one-shot, the mill, files) knows two shapes of algorithm:
//!
//! * [`Blocks`]: a fixed-size block goes through a round function. Merkle–Damgård, HAIFA, sponges, checksum blocks:
//!   they differ only in how a state starts, how the last bytes become blocks, and how the digest is read off the
//!   state. Kernels run the blocks of one or many messages.
//! * [`Whole`]: no block function worth sharing (CRCs, xxHash, BLAKE3's tree). A kernel is the entire algorithm.

use crate::batch::{Batch, End, Job, Plain};
use crate::bits::{BitOrder, Bits};
use crate::cpu::Features;
use crate::dispatch::Finisher;
use crate::parts::{MAX_VALUE, Value};
use crate::simd::Rows;
use std::any::Any;
use zeroize::Zeroize;

/// The largest digest-independent block of any algorithm, in bytes.
pub(crate) const MAX_BLOCK: usize = 256;

/// What a round function is told besides its state: the registry row and its parameters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Params {
    /// Index into the registry.
    pub(crate) row: u16,
    /// Digest length in bytes.
    pub(crate) out_len: u32,
    /// The algorithm's own parameters (keccak: rate, suffix; crc: table row …).
    pub(crate) p: [u16; 4],
    /// The seed of algorithms that have one, else 0.
    pub(crate) seed: u64,
}

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

/// Bytes of a [`State`]: Keccak's 200 are the most that any algorithm needs.
pub(crate) const STATE_BYTES: usize = 256;

/// The state of one message: words, counters, flags, checksums, in native byte order.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct State(pub(crate) [u8; STATE_BYTES]);

impl State {
    pub(crate) const fn zero() -> Self {
        State([0; STATE_BYTES])
    }

    #[inline]
    pub(crate) fn u32(&self, i: usize) -> u32 {
        u32::from_ne_bytes(self.0[4 * i..4 * i + 4].try_into().expect("four bytes"))
    }

    #[inline]
    pub(crate) fn set_u32(&mut self, i: usize, x: u32) {
        self.0[4 * i..4 * i + 4].copy_from_slice(&x.to_ne_bytes());
    }

    #[inline]
    pub(crate) fn u64(&self, i: usize) -> u64 {
        u64::from_ne_bytes(self.0[8 * i..8 * i + 8].try_into().expect("eight bytes"))
    }

    #[inline]
    pub(crate) fn set_u64(&mut self, i: usize, x: u64) {
        self.0[8 * i..8 * i + 8].copy_from_slice(&x.to_ne_bytes());
    }
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

    /// Blocks after the message. Called with `stage` 0, 1, … and the blocks run in between, until it returns 0.
    ///
    /// `rest` are the bytes after the last whole block that was run (with `keep_last`: up to a whole block), and empty
    /// after stage 0; `total` is the length of the message in bytes (prefix included). Returns how many bytes of `out`
    /// to run: a multiple of the block.
    fn tail(&self, p: &Params, s: &mut State, stage: u8, rest: &[u8], total: u128, out: &mut Tail) -> usize;

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
    /// in this byte, so that the tail is as long as without them, and [`Plain`] tells where the length is that they add
    /// to.
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
            if let Some(Plain { end: End::Length { bytes, big_endian }, .. }) = self.plain(p) {
                // Of whole bytes it is a multiple of eight.
                out[if big_endian { n - 1 } else { n - bytes }] |= last.count;
            }
        }
        n
    }

    /// How many bytes [`Blocks::tail`] makes in all its stages when `rest` bytes are left of a message. Of messages
    /// that agree in this, every stage must be as long.
    fn tail_len(&self, p: &Params, rest: usize) -> usize;

    /// The padding of an algorithm whose tails are nothing else, and whose digest is the beginning of the state.
    fn plain(&self, _p: &Params) -> Option<Plain> {
        None
    }

    /// Hashes messages of one shape side by side. Here so that for each algorithm the calls are part of it, as in
    /// [`Blocks::digest`].
    fn batch(&self, plain: Option<Plain>, b: &mut Batch<'_, &[Job<'_>]>) {
        b.run(self, plain);
    }

    /// Copies the next chunk of an extendable output off the state and returns its length; the chunk after it comes
    /// when a block of zeros has been run. Only algorithms with extendable output have one.
    fn squeeze(&self, _p: &Params, _s: &State, _out: &mut [u8; MAX_BLOCK]) -> usize {
        0
    }

    /// Reads the digest off the final state. `step` runs one more block (a sponge's squeeze gives it zeros).
    fn output(&self, p: &Params, s: &mut State, step: &mut dyn FnMut(&mut State, &[u8]), out: &mut [u8]);

    /// Whether this can be the state after the first `done` bytes of a message, as far as its counters tell. `fresh` is
    /// the state before the first.
    fn admits(&self, _p: &Params, _s: &State, _fresh: &State, _done: u128) -> bool {
        true
    }

    /// The digest of one message. Here, and not where it is called, so that for each algorithm the calls above are part
    /// of it: on short messages they take longer than one would think.
    fn digest(&self, kernel: &Kernel, p: &Params, m: &[u8], out: &mut [u8]) {
        let block = self.block(p);
        let mut s = State::zero();
        self.init(p, &Inputs::NONE, &mut s);
        let whole = if self.keep_last() { m.len().saturating_sub(1) / block } else { m.len() / block } * block;
        kernel.run_one(p, &mut s, &m[..whole], block);
        Finisher { rule: self, kernel, p }.finish(&mut s, &m[whole..], m.len() as u128, out);
    }
}

/// The running hash of one message: flat, bounded, and the same for every kernel of an algorithm, so that one kernel
/// can go on where another one stopped.
#[derive(Clone)]
#[allow(
    clippy::large_enum_variant,
    reason = "flat is what it is for; a box would cost every short message an allocation"
)]
pub(crate) enum Memory {
    Flat(Flat),
    Tree(Tree),
}

/// What nearly all algorithms run on.
#[derive(Clone)]
pub(crate) struct Flat {
    pub(crate) state: State,
    /// The first `fill` bytes are the end of the message, which has not gone into the state yet.
    pub(crate) buffer: [u8; MAX_BLOCK],
    pub(crate) fill: usize,
    /// Length of the message so far in whole bytes.
    pub(crate) total: u128,
    /// The bits after them.
    pub(crate) last: Bits,
}

/// What a hash tree runs on: BLAKE3.
#[derive(Clone)]
pub(crate) struct Tree {
    pub(crate) key: [u32; 8],
    /// Values of full subtrees, the largest first: one for each set bit in the number of chunks that they cover.
    pub(crate) stack: [[u32; 8]; MAX_HEIGHT],
    pub(crate) height: usize,
    /// The first `fill` bytes are the chunk that is being read; all of them, until a byte after them is seen.
    pub(crate) chunk: [u8; CHUNK],
    pub(crate) fill: usize,
    /// Length of the message so far in bytes.
    pub(crate) total: u64,
}

/// Bytes of a leaf of a [`Tree`].
pub(crate) const CHUNK: usize = 1024;

/// A message of less than 2^64 bytes has so many subtrees at most.
pub(crate) const MAX_HEIGHT: usize = 54;

impl Tree {
    /// [`Memory::keep`].
    #[inline(always)]
    fn keep(&mut self, holds: usize, m: &[u8]) -> bool {
        let Some(free) = self.chunk.get_mut(self.fill..).and_then(|free| free.get_mut(..m.len())) else { return false };
        if self.fill + m.len() > holds {
            return false;
        }
        copy_short(free, m);
        self.fill += m.len();
        self.total = self.total.wrapping_add(m.len() as u64);
        true
    }
}

impl Memory {
    pub(crate) fn flat(&self) -> &Flat {
        match self {
            Memory::Flat(flat) => flat,
            Memory::Tree(_) => unreachable!("an algorithm makes the memory that it reads"),
        }
    }

    pub(crate) fn flat_mut(&mut self) -> &mut Flat {
        match self {
            Memory::Flat(flat) => flat,
            Memory::Tree(_) => unreachable!("an algorithm makes the memory that it writes"),
        }
    }

    pub(crate) fn tree(&self) -> &Tree {
        match self {
            Memory::Tree(tree) => tree,
            Memory::Flat(_) => unreachable!("an algorithm makes the memory that it reads"),
        }
    }

    pub(crate) fn tree_mut(&mut self) -> &mut Tree {
        match self {
            Memory::Tree(tree) => tree,
            Memory::Flat(_) => unreachable!("an algorithm makes the memory that it writes"),
        }
    }

    /// Overwrites what a key or a message has gone into.
    pub(crate) fn wipe(&mut self) {
        match self {
            Memory::Flat(flat) => {
                flat.state.0.zeroize();
                flat.buffer.zeroize();
                flat.last.byte.zeroize();
            }
            Memory::Tree(tree) => {
                tree.key.zeroize();
                tree.stack.as_flattened_mut().zeroize();
                tree.chunk.zeroize();
            }
        }
    }

    /// Keeps a piece of the message, if no more than `holds` bytes then wait and nothing but keeping must be done.
    #[inline(always)]
    pub(crate) fn keep(&mut self, holds: usize, m: &[u8]) -> bool {
        if m.len() > holds {
            return false;
        }
        match self {
            Memory::Flat(flat) => flat.keep(holds, m),
            Memory::Tree(tree) => tree.keep(holds, m),
        }
    }

    /// Becomes like another one without a copy on the way.
    pub(crate) fn copy_from(&mut self, from: &Memory) {
        match (self, from) {
            (Memory::Flat(to), Memory::Flat(from)) => {
                to.state.0 = from.state.0;
                to.buffer = from.buffer;
                (to.fill, to.total, to.last) = (from.fill, from.total, from.last);
            }
            (to, from) => *to = from.clone(),
        }
    }
}

/// A copy between slices of one length, mostly a few bytes, for which a call would take longer.
#[inline(always)]
pub(crate) fn copy_short(to: &mut [u8], from: &[u8]) {
    if from.len() <= 16 {
        if let (Some(first), Some(last)) = (from.first_chunk::<8>(), from.last_chunk::<8>()) {
            to[..8].copy_from_slice(first);
            to[from.len() - 8..].copy_from_slice(last);
            return;
        }
        if let (Some(first), Some(last)) = (from.first_chunk::<4>(), from.last_chunk::<4>()) {
            to[..4].copy_from_slice(first);
            to[from.len() - 4..].copy_from_slice(last);
            return;
        }
    }
    to.copy_from_slice(from);
}

impl Flat {
    pub(crate) const fn new() -> Self {
        Flat { state: State::zero(), buffer: [0; MAX_BLOCK], fill: 0, total: 0, last: Bits::NONE }
    }

    /// The bytes that have not gone into the state.
    #[inline(always)]
    pub(crate) fn rest(&self) -> &[u8] {
        &self.buffer[..self.fill]
    }

    /// [`Memory::keep`].
    #[inline(always)]
    fn keep(&mut self, holds: usize, m: &[u8]) -> bool {
        let Some(free) = self.buffer.get_mut(self.fill..).and_then(|free| free.get_mut(..m.len())) else {
            return false;
        };
        if self.fill + m.len() > holds || self.last.count != 0 {
            return false;
        }
        copy_short(free, m);
        self.fill += m.len();
        self.total = self.total.wrapping_add(m.len() as u128);
        true
    }

    /// Takes more of the message and calls `run` with whole blocks of it, in order. With `keep_last` a full block waits
    /// for the byte after it.
    #[inline(always)]
    pub(crate) fn take(&mut self, block: usize, keep_last: bool, mut m: &[u8], mut run: impl FnMut(&mut State, &[u8])) {
        self.total = self.total.wrapping_add(m.len() as u128);
        if self.fill > 0 {
            let n = m.len().min(block - self.fill);
            self.buffer[self.fill..self.fill + n].copy_from_slice(&m[..n]);
            self.fill += n;
            m = &m[n..];
            if self.fill < block || (keep_last && m.is_empty()) {
                return;
            }
            run(&mut self.state, &self.buffer[..block]);
            self.fill = 0;
        }
        let blocks = if keep_last { m.len().saturating_sub(1) } else { m.len() } / block;
        let (whole, rest) = m.split_at(blocks * block);
        if !whole.is_empty() {
            run(&mut self.state, whole);
        }
        if !rest.is_empty() {
            copy_short(&mut self.buffer[..rest.len()], rest);
        }
        self.fill = rest.len();
    }

    /// How many bytes of a message of `total` bytes wait after [`Flat::take`].
    pub(crate) fn waiting(total: u128, block: usize, keep_last: bool) -> usize {
        match total {
            0 => 0,
            _ if keep_last => ((total - 1) % block as u128) as usize + 1,
            _ => (total % block as u128) as usize,
        }
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

/// One implementation of an algorithm: a value, listed in the algorithm's file in the order of preference.
pub(crate) struct Kernel {
    /// `<isa>x<lanes>`, `portable`, or the name of a dedicated instruction set or of a crate.
    pub(crate) name: &'static str,
    /// CPU features without which it must not run.
    pub(crate) needs: Features,
    pub(crate) run: Run,
}

/// How a kernel is called.
pub(crate) enum Run {
    Lanes(Lanes),
    Whole(&'static dyn Whole),
}

/// A block kernel for `lanes` messages at once.
pub(crate) struct Lanes {
    /// How many messages run side by side; 1 for a single stream.
    pub(crate) lanes: u16,
    /// From how many messages on it beats the kernels after it in the list (measured).
    pub(crate) min_active: u16,
    pub(crate) layout: Layout,
    /// Whether it heeds [`Rows::apart`].
    pub(crate) apart: bool,
    /// Runs `rows.blocks()` blocks of every lane.
    pub(crate) run: RunFn,
}

/// The type of every block kernel. `unsafe`: the CPU must have the kernel's features; only `dispatch.rs` calls it.
pub(crate) type RunFn = unsafe fn(&Params, packed: &mut [u8], rows: &Rows<'_>);

/// How the states of several messages lie in a kernel's packed memory.
#[derive(Clone, Copy)]
pub(crate) enum Layout {
    /// Word w of lane l at `(w * lanes + l) * word_bytes`; with one lane this is [`State`] itself.
    Soa { words: u16, word_bytes: u8 },
    /// The kernel's own: bytes of packed memory in all, and how to put a state in a lane and take it out again.
    #[allow(dead_code, reason = "for kernels that keep several messages in one register (bit- and byte-sliced)")]
    Own { bytes: usize, seat: fn(&State, &mut [u8], usize), unseat: fn(&[u8], usize, &mut State) },
}

#[cfg(test)]
mod tests {
    use crate::Algorithm;
    use crate::dispatch::available;
    use crate::registry::Rule;

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
