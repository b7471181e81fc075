//! Batches of short messages: as many as a kernel has lanes, all of one shape, go through it in lockstep.
//!
//! The mill keeps track of every message individually, which for a few blocks costs more than hashing them. Messages
//! with the same number of blocks need none of that: their states start from one template, every stage of every tail
//! has the same length, and the digests are read off all lanes at the end. If the tail is nothing but padding (most
//! functions), vector registers write it straight into rows for the kernel, and the digests are the first words of the
//! states.

use super::message::Finisher;
use super::pack;
use crate::contract::{Blocks, Kernel, Lanes, Layout, Padding, Params, State, Tail, Words};

/// The padding of messages that can be packed into rows, and how digests are read off the states.
#[derive(Clone, Copy)]
pub(crate) struct Plain {
    pub(crate) padding: Padding,
    pub(crate) words: Words,
}

impl Plain {
    /// `None` for algorithms whose tail is more than padding, or whose digest is not the first words of the state.
    pub(crate) fn of<R: Blocks + ?Sized>(rule: &R, p: &Params) -> Option<Plain> {
        Some(Plain { padding: rule.padding(p)?, words: rule.words(p)? })
    }
}

/// One message of a batch.
#[derive(Clone, Copy)]
pub(crate) struct Member<'a> {
    /// Its index among the digests.
    pub(crate) place: usize,
    pub(crate) message: &'a [u8],
}

/// The messages of a batch, and where their digests go.
pub(crate) trait Members<'m>: Copy {
    fn count(&self) -> usize;
    fn message(&self, j: usize) -> &'m [u8];
    fn place(&self, j: usize) -> usize;
}

impl<'m> Members<'m> for &[Member<'m>] {
    #[inline(always)]
    fn count(&self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn message(&self, j: usize) -> &'m [u8] {
        self[j].message
    }

    #[inline(always)]
    fn place(&self, j: usize) -> usize {
        self[j].place
    }
}

/// How many blocks of a message are run in place, and how many bytes its tail has.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Shape {
    /// Blocks that are run straight from the message.
    pub(crate) direct: usize,
    /// Size in bytes of the blocks after them, over all stages.
    pub(crate) tail: usize,
}

/// Buffers that batches reuse.
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

/// Messages of one shape: at least one, and at most as many as the kernel has lanes, or a multiple of that up to
/// [`full`].
pub(crate) struct Batch<'a, M> {
    pub(crate) p: &'a Params,
    pub(crate) kernel: &'static Kernel,
    /// Runs the extra blocks that a long output needs.
    pub(crate) single: &'static Kernel,
    pub(crate) block: usize,
    pub(crate) shape: Shape,
    /// The states of all lanes before the first block.
    pub(crate) fresh: &'a [u8],
    pub(crate) members: M,
    pub(crate) room: &'a mut Room,
    /// All digests.
    pub(crate) out: &'a mut [u8],
}

/// Size of the rows of a batch in bytes: small enough to stay in the L1 cache.
const ROWS: usize = 16 << 10;

/// The most messages that a lane hashes one after the other in a batch.
const DEPTH: usize = 8;

/// The padding and the digest words, if the padding can be packed into rows for this kernel and the digests can be read
/// off its states.
pub(crate) fn packed(lanes: &Lanes, plain: Option<Plain>) -> Option<Plain> {
    plain.filter(|p| matches!(lanes.layout, Layout::Soa { word_bytes, .. } if usize::from(word_bytes) == p.words.bytes))
}

/// Number of messages of a shape that make a full batch on a kernel: as many as it has lanes, or several times that if
/// the messages are nothing but packed rows and the kernel keeps them apart. The rows of the next messages are then
/// transposed while it hashes the current ones.
pub(crate) fn full(lanes: &Lanes, plain: Option<Plain>, shape: Shape) -> usize {
    let count = usize::from(lanes.lanes);
    if packed(lanes, plain).is_some() && shape.direct == 0 && lanes.apart {
        count * (ROWS / (count * shape.tail)).clamp(1, DEPTH)
    } else {
        count
    }
}

impl<'m> Batch<'_, &[Member<'m>]> {
    /// Hashes the messages. `rule` and `plain` belong to their algorithm.
    #[inline(always)]
    pub(crate) fn run<R: Blocks + ?Sized>(&mut self, rule: &R, plain: Option<Plain>) {
        match packed(self.kernel.block_kernel(), plain) {
            Some(plain) => self.run_packed(plain),
            None => {
                self.begin(1);
                self.in_stages(rule);
            }
        }
    }

    /// Lets the algorithm write the tails, one lane after the other.
    #[inline(always)]
    fn in_stages<R: Blocks + ?Sized>(&mut self, rule: &R) {
        let Batch { p, kernel, block, shape, members, .. } = *self;
        let lanes = kernel.block_kernel();
        let Room { packed, tails, state } = &mut *self.room;
        tails.resize(members.len() * size_of::<Tail>(), 0);
        let (mut done, mut stage) = (0, 0);
        while done < shape.tail {
            let mut len = 0;
            for (l, (member, tail)) in members.iter().zip(tails.as_chunks_mut().0).enumerate() {
                lanes.unseat(packed, l, state);
                let rest = if stage == 0 { &member.message[shape.direct * block..] } else { &[] };
                let n = rule.tail(p, state, stage, rest, member.message.len() as u128, tail);
                assert!(l == 0 || n == len, "messages of one shape must have tails of one length");
                len = n;
                lanes.seat(state, packed, l);
            }
            let tails = tails.as_chunks::<{ size_of::<Tail>() }>().0;
            kernel.run_lanes(p, packed, (1, len / block), block, |l| {
                &tails[if l < members.len() { l } else { 0 }][..len]
            });
            assert!(len > 0, "the stages must be as long as the shape says");
            done += len;
            stage += 1;
        }
        let finisher = Finisher { rule, kernel: self.single, p };
        let each = p.out_len as usize;
        for (l, member) in members.iter().enumerate() {
            lanes.unseat(packed, l, state);
            // The call after the last stage produces nothing to run, but may still change the state (CubeHash).
            let tail = &mut tails.as_chunks_mut().0[l];
            assert!(rule.tail(p, state, stage, &[], member.message.len() as u128, tail) == 0, "a stage too many");
            finisher.output(state, &mut self.out[member.place * each..][..each]);
        }
    }
}

impl<'m, M: Members<'m>> Batch<'_, M> {
    /// Sets the states to their values after the blocks that are run straight from the messages. Each lane hashes
    /// `depth` messages in sequence.
    #[inline(always)]
    fn begin(&mut self, depth: usize) {
        let Batch { p, kernel, block, shape, members, .. } = *self;
        let count = usize::from(kernel.block_kernel().lanes);
        assert!(members.count() > 0 && (depth > 1 || members.count() <= count));
        let packed = &mut self.room.packed;
        let size = self.fresh.len();
        packed.resize(size * if depth > 1 { depth + 1 } else { 1 }, 0);
        packed[..size].copy_from_slice(self.fresh);
        if shape.direct > 0 {
            let row = |l| members.message(if l < members.count() { l } else { 0 });
            kernel.run_lanes(p, packed, (1, shape.direct), block, row);
        }
    }

    /// Hashes messages whose padding is packed into rows (see [`packed`]).
    #[inline(always)]
    pub(crate) fn run_packed(&mut self, plain: Plain) {
        let Batch { p, kernel, block, shape, members, .. } = *self;
        let lanes = kernel.block_kernel();
        let (n, count, tail) = (members.count(), usize::from(lanes.lanes), shape.tail);
        let depth = n.div_ceil(count);
        assert!(depth <= 1 || depth * count == n && n <= full(lanes, Some(plain), shape));
        self.begin(depth);
        let Room { packed, tails, .. } = &mut *self.room;
        tails.resize(n * tail + pack::OVERHANG, 0);
        pack::rows(n, |j| members.message(j), shape.direct * block, &plain.padding, tail, tails);
        let row = |l| {
            let l = if depth * l < n { l } else { 0 };
            &tails[l * depth * tail..][..depth * tail]
        };
        kernel.run_lanes(p, packed, (depth, tail / block), block, row);
        self.read_off(plain, depth);
    }

    /// Writes digests that are the first words of the states.
    #[inline(always)]
    fn read_off(&mut self, plain: Plain, depth: usize) {
        match (plain.words.bytes, plain.words.big_endian) {
            (4, false) => self.words::<4>(depth, false, |w| w),
            (4, true) => self.words::<4>(depth, true, |w| u32::from_be_bytes(w).to_ne_bytes()),
            (_, false) => self.words::<8>(depth, false, |w| w),
            (_, true) => self.words::<8>(depth, true, |w| u64::from_be_bytes(w).to_ne_bytes()),
        }
    }

    #[inline(always)]
    fn words<const B: usize>(&mut self, depth: usize, swap: bool, order: impl Fn([u8; B]) -> [u8; B]) {
        match self.p.out_len as usize / B {
            4 => self.some_words::<B, 4>(depth, swap, order),
            5 => self.some_words::<B, 5>(depth, swap, order),
            8 => self.some_words::<B, 8>(depth, swap, order),
            n => self.any_words(depth, n, order),
        }
    }

    /// Reads the first N words of every state, for a few lanes at a time. Groups of four 32-bit words go through vector
    /// registers; 64-bit words gain nothing from that.
    #[inline(always)]
    fn some_words<const B: usize, const N: usize>(
        &mut self,
        depth: usize,
        swap: bool,
        order: impl Fn([u8; B]) -> [u8; B],
    ) {
        const SOME: usize = 4;
        let lanes = usize::from(self.kernel.block_kernel().lanes);
        let each = self.p.out_len as usize;
        if each != N * B || !lanes.is_multiple_of(SOME) || !self.members.count().is_multiple_of(lanes) {
            return self.any_words(depth, each / B, order);
        }
        let size = self.fresh.len();
        // The states of successive messages of a lane follow each other, after the initial state.
        let first = if depth > 1 { size } else { 0 };
        for k in 0..depth {
            let state = &self.room.packed[first + k * size..][..size];
            let mut rows = [&state[..lanes * B]; N];
            for (row, words) in rows.iter_mut().zip(state.chunks_exact(lanes * B)) {
                *row = words;
            }
            for l in (0..lanes).step_by(SOME) {
                let mut digests = [[[0; B]; N]; SOME];
                let turned = if B == 4 { N - N % SOME } else { 0 };
                for i in (0..turned).step_by(SOME) {
                    let mut square = [[0; 16]; SOME];
                    for j in 0..SOME {
                        square[j].copy_from_slice(&rows[i + j][l * B..][..16]);
                    }
                    pack::turn(&mut square, swap);
                    for j in 0..SOME {
                        digests[j].as_flattened_mut()[i * B..][..16].copy_from_slice(&square[j]);
                    }
                }
                for i in turned..N {
                    let words = rows[i][l * B..].as_chunks::<B>().0;
                    for j in 0..SOME {
                        digests[j][i] = order(words[j]);
                    }
                }
                for j in 0..SOME {
                    let place = self.members.place((l + j) * depth + k);
                    self.out[place * each..][..each].copy_from_slice(digests[j].as_flattened());
                }
            }
        }
    }

    /// Reads digests of any length.
    fn any_words<const B: usize>(&mut self, depth: usize, whole: usize, order: impl Fn([u8; B]) -> [u8; B]) {
        let lanes = usize::from(self.kernel.block_kernel().lanes);
        let each = self.p.out_len as usize;
        let size = self.fresh.len() / B;
        let (packed, _) = self.room.packed.as_chunks::<B>();
        let first = if depth > 1 { size } else { 0 };
        for j in 0..self.members.count() {
            let (l, k) = (j / depth, j % depth);
            let (words, rest) = self.out[self.members.place(j) * each..][..each].as_chunks_mut::<B>();
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
    use crate::registry::table::{ROWS, Rule};
    use std::collections::HashMap;

    /// Messages with equal `tail_len` have stages of equal length. If a rule states its padding, its tail writes that
    /// padding.
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
                if let Some(padding) = rule.padding(p) {
                    let member = Member { place: 0, message: &text[..n] };
                    let mut row = vec![0xaa; all.len() + pack::OVERHANG];
                    pack::rows(1, |_| member.message, 0, &padding, all.len(), &mut row);
                    assert!(row[..all.len()] == all, "{a}, {n} bytes: {row:?}");
                    assert_eq!(padding.tail_len(n, block), all.len(), "{a}, {n} bytes");
                }
            }
        }
    }
}
