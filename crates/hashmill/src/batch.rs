//! Short messages: as many as a kernel has lanes, all of one shape, go through it in step.
//!
//! The mill looks after every message by itself, which for a few blocks costs more than hashing them. Messages that have the same
//! number of blocks need none of that: states start from one template, every stage of every tail has the same length, and digests
//! are read off all lanes at the end. Where the tail is nothing but padding (most functions), it is written by vector registers
//! straight into rows for the kernel, and the digests are the first words of the states.

use crate::contract::{Blocks, Kernel, Lanes, Layout, Params, State, Tail};
use crate::dispatch::Finisher;
use crate::simd::pack;

/// One message of a batch.
#[derive(Clone, Copy)]
pub(crate) struct Job<'a> {
    /// Its place among the digests.
    pub(crate) place: usize,
    pub(crate) message: &'a [u8],
}

/// How a message's blocks are run: those that are in it as they are, and those of its tail.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Shape {
    /// Blocks that run straight from the message.
    pub(crate) direct: usize,
    /// Bytes of the blocks after them, in all stages.
    pub(crate) tail: usize,
}

/// Padding that consists of bytes which the length of the message decides, and a digest that consists of the first bytes of the
/// state's words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Plain {
    /// The byte after the message.
    pub(crate) mark: u8,
    pub(crate) end: End,
    /// Bytes of a word of the state.
    pub(crate) word: usize,
    /// Whether the digest has words in big-endian order.
    pub(crate) big_endian: bool,
}

/// What the last block ends with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// The message's length in bits, in so many bytes: a multiple of 8.
    Length { bytes: usize, big_endian: bool },
    /// The highest bit of the last byte, which may be the marked one.
    Bit,
}

impl Plain {
    /// Merkle–Damgård with strengthening: 0x80, zeros, the length in bits.
    pub(crate) const fn strengthened(bytes: usize, word: usize, big_endian: bool) -> Self {
        Plain { mark: 0x80, end: End::Length { bytes, big_endian }, word, big_endian }
    }

    /// Bytes that the last block must have room for beside the marked one.
    #[inline(always)]
    pub(crate) fn field(&self) -> usize {
        match self.end {
            End::Length { bytes, .. } => bytes,
            End::Bit => 0,
        }
    }

    /// Bytes of the blocks that `rest` bytes and the padding make.
    pub(crate) fn tail_len(&self, rest: usize, block: usize) -> usize {
        (rest + 1 + self.field()).div_ceil(block) * block
    }

    /// The last word that is not zero, little-endian, and how many bytes before the end of the last block it begins.
    #[inline(always)]
    pub(crate) fn last(&self, total: usize) -> (usize, u64) {
        let bits = (total as u64) << 3;
        match self.end {
            End::Length { big_endian: true, .. } => (8, bits.swap_bytes()),
            End::Length { bytes, .. } => (bytes, bits),
            End::Bit => (8, 0x80 << 56),
        }
    }
}

/// Room that batches share.
pub(crate) struct Room {
    /// The states of all lanes.
    packed: Vec<u8>,
    /// The rows of the tails.
    tails: Vec<u8>,
    state: State,
}

impl Room {
    pub(crate) fn new() -> Self {
        Room { packed: Vec::new(), tails: Vec::new(), state: State::zero() }
    }
}

/// Messages of one shape: at least one; at most as many as the kernel has lanes, or a multiple of them up to [`full`].
pub(crate) struct Batch<'a> {
    pub(crate) p: &'a Params,
    pub(crate) kernel: &'static Kernel,
    /// For the blocks that a long output needs.
    pub(crate) single: &'static Kernel,
    pub(crate) block: usize,
    pub(crate) shape: Shape,
    /// The states of all lanes before the first block.
    pub(crate) fresh: &'a [u8],
    pub(crate) jobs: &'a [Job<'a>],
    pub(crate) room: &'a mut Room,
    /// All digests.
    pub(crate) out: &'a mut [u8],
}

/// Bytes of the rows of a batch: few enough to stay in the first-level cache.
const ROWS: usize = 16 << 10;

/// The most messages that a lane takes one after the other in a batch.
const DEPTH: usize = 8;

/// How many messages of a shape make a full batch on a kernel: as many as it has lanes, or several times that where they are nothing
/// but packed rows and the kernel keeps them apart. Then the rows of the next messages are transposed while it hashes one.
pub(crate) fn full(lanes: &Lanes, plain: Option<Plain>, shape: Shape) -> usize {
    let count = usize::from(lanes.lanes);
    let words = |p: Plain| matches!(lanes.layout, Layout::Soa { word_bytes, .. } if usize::from(word_bytes) == p.word);
    let deep = plain.is_some_and(words) && shape.direct == 0 && lanes.apart;
    if deep { count * (ROWS / (count * shape.tail)).clamp(1, DEPTH) } else { count }
}

impl Batch<'_> {
    /// Hashes the messages. `rule` and `plain` are their algorithm's.
    #[inline(always)]
    pub(crate) fn run<R: Blocks + ?Sized>(&mut self, rule: &R, plain: Option<Plain>) {
        let Batch { p, kernel, block, shape, jobs, .. } = *self;
        let lanes = kernel.block_kernel();
        let count = usize::from(lanes.lanes);
        let depth = jobs.len().div_ceil(count);
        assert!(
            depth == 1 && !jobs.is_empty() || depth * count == jobs.len() && jobs.len() <= full(lanes, plain, shape)
        );
        let Room { packed, tails, .. } = &mut *self.room;
        let size = self.fresh.len();
        packed.resize(size * if depth > 1 { depth + 1 } else { 1 }, 0);
        packed[..size].copy_from_slice(self.fresh);
        if shape.direct > 0 {
            kernel.run_lanes(p, packed, (1, shape.direct), block, |l| jobs.get(l).unwrap_or(&jobs[0]).message);
        }
        match (plain, lanes.layout) {
            (Some(plain), Layout::Soa { word_bytes, .. }) if usize::from(word_bytes) == plain.word => {
                let tail = shape.tail;
                tails.resize(jobs.len() * tail + pack::OVERHANG, 0);
                pack::rows(jobs, shape.direct * block, &plain, tail, tails);
                let row = |l| {
                    let l = if depth * l < jobs.len() { l } else { 0 };
                    &tails[l * depth * tail..][..depth * tail]
                };
                kernel.run_lanes(p, packed, (depth, tail / block), block, row);
                self.read_off(plain, depth);
            }
            _ => self.in_stages(rule),
        }
    }

    /// Tails as the algorithm makes them, one lane's after the other's.
    #[inline(always)]
    fn in_stages<R: Blocks + ?Sized>(&mut self, rule: &R) {
        let Batch { p, kernel, block, shape, jobs, .. } = *self;
        let lanes = kernel.block_kernel();
        let Room { packed, tails, state } = &mut *self.room;
        tails.resize(jobs.len() * size_of::<Tail>(), 0);
        let (mut done, mut stage) = (0, 0);
        while done < shape.tail {
            let mut len = 0;
            for (l, (job, tail)) in jobs.iter().zip(tails.as_chunks_mut().0).enumerate() {
                lanes.unseat(packed, l, state);
                let rest = if stage == 0 { &job.message[shape.direct * block..] } else { &[] };
                let n = rule.tail(p, state, stage, rest, job.message.len() as u128, tail);
                assert!(l == 0 || n == len, "messages of one shape must have tails of one length");
                len = n;
                lanes.seat(state, packed, l);
            }
            let tails = tails.as_chunks::<{ size_of::<Tail>() }>().0;
            kernel.run_lanes(p, packed, (1, len / block), block, |l| &tails[if l < jobs.len() { l } else { 0 }][..len]);
            assert!(len > 0, "the stages must be as long as the shape says");
            done += len;
            stage += 1;
        }
        let finisher = Finisher { rule, kernel: self.single, p };
        let each = p.out_len as usize;
        for (l, job) in jobs.iter().enumerate() {
            lanes.unseat(packed, l, state);
            // The stage after the last one runs nothing, but may still have something to do with the state (CubeHash).
            let tail = &mut tails.as_chunks_mut().0[l];
            assert!(rule.tail(p, state, stage, &[], job.message.len() as u128, tail) == 0, "a stage too many");
            finisher.output(state, &mut self.out[job.place * each..][..each]);
        }
    }

    /// Digests that are the first words of the states.
    #[inline(always)]
    fn read_off(&mut self, plain: Plain, depth: usize) {
        match (plain.word, plain.big_endian) {
            (4, false) => self.words::<4>(depth, |w| w),
            (4, true) => self.words::<4>(depth, |w| u32::from_be_bytes(w).to_ne_bytes()),
            (_, false) => self.words::<8>(depth, |w| w),
            (_, true) => self.words::<8>(depth, |w| u64::from_be_bytes(w).to_ne_bytes()),
        }
    }

    #[inline(always)]
    fn words<const B: usize>(&mut self, depth: usize, order: impl Fn([u8; B]) -> [u8; B]) {
        match self.p.out_len as usize / B {
            4 => self.some_words::<B, 4>(depth, order),
            5 => self.some_words::<B, 5>(depth, order),
            8 => self.some_words::<B, 8>(depth, order),
            n => self.any_words(depth, n, order),
        }
    }

    /// The first N words of every state; and a part of the next, where digests are that long.
    #[inline(always)]
    fn some_words<const B: usize, const N: usize>(&mut self, depth: usize, order: impl Fn([u8; B]) -> [u8; B]) {
        let lanes = usize::from(self.kernel.block_kernel().lanes);
        let each = self.p.out_len as usize;
        if each != N * B {
            return self.any_words(depth, N, order);
        }
        let size = self.fresh.len() / B;
        let (packed, _) = self.room.packed.as_chunks::<B>();
        // Several messages of a lane lie one after the other, behind the state that they began with.
        let first = if depth > 1 { size } else { 0 };
        for k in 0..depth {
            let state = &packed[first + k * size..][..size];
            let mut rows = [&state[..lanes]; N];
            for (row, words) in rows.iter_mut().zip(state.chunks_exact(lanes)) {
                *row = words;
            }
            for l in 0..lanes {
                let Some(job) = self.jobs.get(l * depth + k) else { break };
                let to = &mut self.out[job.place * each..][..each].as_chunks_mut::<B>().0[..N];
                for i in 0..N {
                    to[i] = order(rows[i][l]);
                }
            }
        }
    }

    /// The same for any length.
    fn any_words<const B: usize>(&mut self, depth: usize, whole: usize, order: impl Fn([u8; B]) -> [u8; B]) {
        let lanes = usize::from(self.kernel.block_kernel().lanes);
        let each = self.p.out_len as usize;
        let size = self.fresh.len() / B;
        let (packed, _) = self.room.packed.as_chunks::<B>();
        let first = if depth > 1 { size } else { 0 };
        for (j, job) in self.jobs.iter().enumerate() {
            let (l, k) = (j / depth, j % depth);
            let (words, rest) = self.out[job.place * each..][..each].as_chunks_mut::<B>();
            let lane = &packed[first + k * size + l..];
            for i in 0..whole {
                words[i] = order(lane[i * lanes]);
            }
            if !rest.is_empty() {
                rest.copy_from_slice(&order(lane[whole * lanes])[..rest.len()]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Algorithm;
    use crate::contract::{Inputs, NO_TAIL};
    use crate::registry::{ROWS, Rule};
    use std::collections::HashMap;

    /// Of messages with equal `tail_len`, all stages are equally long; and what is said to be plain padding is what the tail is.
    #[test]
    fn tails_are_as_long_as_they_say() {
        let text: Vec<u8> = (1..=250).collect();
        for row in ROWS {
            let a: Algorithm = row.name.parse().expect("a row's name");
            let Rule::Blocks(rule) = row.rule else { continue };
            let (p, block) = (&a.params, rule.block(&a.params));
            let mut stages = HashMap::new();
            for n in 0..block + usize::from(rule.keep_last()) {
                let (mut s, mut tail, mut lengths) = (State::zero(), NO_TAIL, Vec::new());
                rule.init(p, &Inputs::NONE, &mut s);
                let mut all = Vec::new();
                for stage in 0.. {
                    let rest = if stage == 0 { &text[..n] } else { &[] };
                    tail.fill(0xaa);
                    let len = rule.tail(p, &mut s, stage, rest, n as u128, &mut tail);
                    if len == 0 {
                        break;
                    }
                    lengths.push(len);
                    all.extend_from_slice(&tail[..len]);
                }
                assert_eq!(lengths.iter().sum::<usize>(), rule.tail_len(p, n), "{a}, {n} bytes");
                assert_eq!(*stages.entry(all.len()).or_insert_with(|| lengths.clone()), lengths, "{a}, {n} bytes");
                if let Some(plain) = rule.plain(p) {
                    let job = Job { place: 0, message: &text[..n] };
                    let mut row = vec![0xaa; all.len() + pack::OVERHANG];
                    pack::rows(&[job], 0, &plain, all.len(), &mut row);
                    assert!(row[..all.len()] == all, "{a}, {n} bytes: {row:?}");
                    assert_eq!(plain.tail_len(n, block), all.len(), "{a}, {n} bytes");
                }
            }
        }
    }
}
