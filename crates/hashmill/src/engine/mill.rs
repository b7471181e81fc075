//! The mill: many messages side by side in the lanes of one kernel.
//!
//! Messages sit in *slots*; slots are seated in the *lanes* of the current kernel. All lanes advance by the shortest
//! run of whole blocks that every one of them has; a message that ends is finished and its slot refilled at once. When
//! fewer messages are left than a kernel is worth (`min_active`, measured), their states move to a narrower one.
//! Nothing here knows an algorithm.
//!
//! Messages come from a [`Source`], which may be memory or open files, and may pause.

use crate::contract::{Blocks, Inputs, Kernel, Lanes, NO_TAIL, Params, State, Tail};
use crate::engine::chosen::Engine;
use crate::engine::hasher::Hasher;
use crate::plumbing::call::MAX_LANES;
use crate::plumbing::message::Finisher;
use crate::registry::algorithm::Algorithm;
use crate::registry::table::Rule;

/// The answer of [`Source::open`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Open {
    /// A new message is in the slot. Its length in bytes as far as it is known: the mill only uses it to order its
    /// work.
    Message(u64),
    /// None now, perhaps later: [`Mill::run`] returns when nothing else is left to do.
    Later,
    /// There are no more messages.
    End,
}

/// The answer of [`Source::refill`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refill {
    /// The window holds more bytes than were kept.
    More,
    /// The message ends with the kept bytes.
    End,
    /// Nothing more now; the window holds exactly the kept bytes and stays so. [`Mill::run`] returns when nothing else
    /// is left to do, and asks again when it is called again.
    Later,
}

/// Where the mill's messages come from: memory, open files, sockets. Slots are numbered from 0 to [`Mill::slots`] - 1.
pub trait Source {
    /// Puts a new message into the empty `slot`.
    fn open(&mut self, slot: usize) -> Open;

    /// The bytes of the slot's message that are at hand. Right after [`Source::open`] this may be empty.
    fn window(&self, slot: usize) -> &[u8];

    /// Brings more bytes. The last `keep` bytes of the window have not been used yet: the new window begins with them.
    fn refill(&mut self, slot: usize, keep: usize) -> Refill;

    /// The digest of the slot's message, which has ended. The slot is empty again.
    fn done(&mut self, slot: usize, digest: &[u8]);
}

/// Hashes the messages of a [`Source`] side by side.
pub struct Mill {
    engine: Engine,
    inner: Inner,
}

enum Inner {
    Blocks(Box<BlockMill>),
    Whole { hashers: Vec<Option<Hasher>>, out: Vec<u8> },
}

impl Mill {
    /// A mill for an algorithm, or for an engine if its kernel is to be forced, with at most `max_slots` messages in
    /// flight.
    pub fn new(engine: impl Into<Engine>, max_slots: usize) -> Self {
        let engine = engine.into();
        let a = engine.algorithm();
        let inner = match a.row().rule {
            Rule::Blocks(rule) => Inner::Blocks(Box::new(BlockMill::new(engine, rule, max_slots))),
            Rule::Whole { .. } => {
                Inner::Whole { hashers: (0..max_slots.max(1)).map(|_| None).collect(), out: vec![0; a.digest_len()] }
            }
        };
        Mill { engine, inner }
    }

    /// How many messages the fastest kernel hashes side by side on this machine: a good number of slots.
    pub fn lanes(engine: impl Into<Engine>) -> usize {
        let engine = engine.into();
        match engine.algorithm().row().rule {
            Rule::Blocks(_) => engine.many_kernels().map(|(k, _)| usize::from(k.lanes())).max().unwrap_or(1),
            Rule::Whole { .. } => 1,
        }
    }

    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        self.engine.algorithm()
    }

    /// How many messages are in flight at most.
    pub fn slots(&self) -> usize {
        match &self.inner {
            Inner::Blocks(b) => b.slots.len(),
            Inner::Whole { hashers, .. } => hashers.len(),
        }
    }

    /// Hashes until the source has nothing more, now or at all: every slot is empty or waits for [`Refill::Later`].
    /// May be called again when there is more.
    pub fn run<S: Source>(&mut self, source: &mut S) {
        match &mut self.inner {
            Inner::Blocks(b) => b.run(source),
            Inner::Whole { hashers, out } => run_whole(self.engine, hashers, out, source),
        }
    }

    /// How many blocks ran on each kernel so far, idle lanes not counted: `(kernel, blocks)`. For tests and benchmarks.
    pub fn work(&self) -> Vec<(&'static str, u64)> {
        match &self.inner {
            Inner::Blocks(b) => b.kernels.iter().map(|k| (k.kernel.name, k.blocks)).collect(),
            Inner::Whole { .. } => Vec::new(),
        }
    }
}

/// One message after the other: an algorithm without lanes.
fn run_whole<S: Source>(engine: Engine, hashers: &mut [Option<Hasher>], out: &mut [u8], source: &mut S) {
    for (slot, seat) in hashers.iter_mut().enumerate() {
        loop {
            let hasher = match seat {
                Some(h) => h,
                None => match source.open(slot) {
                    Open::Message(_) => {
                        let h = seat.insert(engine.hasher());
                        h.update(source.window(slot));
                        h
                    }
                    Open::Later | Open::End => break,
                },
            };
            match source.refill(slot, 0) {
                Refill::More => hasher.update(source.window(slot)),
                Refill::Later => break,
                Refill::End => {
                    hasher.finish(out);
                    *seat = None;
                    source.done(slot, out);
                }
            }
        }
    }
}

/// A kernel that the mill may use, with the work it did.
struct Candidate {
    kernel: &'static Kernel,
    lanes: &'static Lanes,
    min_active: usize,
    blocks: u64,
}

struct BlockMill {
    p: Params,
    rule: &'static dyn Blocks,
    block: usize,
    keep_last: bool,
    kernels: Vec<Candidate>,
    /// For the blocks after the tail that a long output of one message needs.
    single: &'static Kernel,
    /// The current kernel: an index into `kernels`.
    current: usize,
    /// The states of the seated messages, in the current kernel's layout.
    packed: Vec<u8>,
    /// Which slot sits in each lane of the current kernel.
    seats: Vec<Option<u16>>,
    slots: Vec<Slot>,
    out: Vec<u8>,
}

/// Where a message is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// No message.
    Empty,
    /// In its window, `at` bytes of it used.
    Body,
    /// In its tail: `tail[at..len]` is to be run, then stage `stage` + 1 comes.
    Tail { stage: u8, len: usize },
}

struct Slot {
    phase: Phase,
    /// Bytes of the window or the tail that have been used.
    at: usize,
    /// Whole blocks that can run before the slot must be looked after.
    ready: usize,
    /// Its lane in the current kernel; its state is then in `packed`, else in `state`.
    lane: Option<u16>,
    /// Bytes of the message that were in windows so far.
    total: u128,
    /// Length of the message as the source knows it.
    hint: u64,
    state: State,
    tail: Tail,
}

impl BlockMill {
    fn new(engine: Engine, rule: &'static dyn Blocks, max_slots: usize) -> Self {
        let a = engine.algorithm();
        let max_slots = max_slots.clamp(1, MAX_LANES);
        let mut kernels: Vec<Candidate> = engine
            .many_kernels()
            .map(|(kernel, min_active)| Candidate { kernel, lanes: kernel.block_kernel(), min_active, blocks: 0 })
            .collect();
        if kernels.len() > 1 {
            // One that needs more messages than there are slots will never be chosen, and must not size the slots.
            kernels.retain(|k| k.min_active <= max_slots);
        }
        let widest = kernels.iter().map(|k| usize::from(k.lanes.lanes)).max().unwrap_or(1);
        let slots = max_slots.min(widest);
        BlockMill {
            p: a.params,
            rule,
            block: rule.block(&a.params),
            keep_last: rule.keep_last(),
            single: engine.single_kernel(),
            current: 0,
            packed: Vec::new(),
            seats: Vec::new(),
            slots: (0..slots)
                .map(|_| Slot {
                    phase: Phase::Empty,
                    at: 0,
                    ready: 0,
                    lane: None,
                    total: 0,
                    hint: 0,
                    state: State::zero(),
                    tail: NO_TAIL,
                })
                .collect(),
            out: vec![0; a.digest_len()],
            kernels,
        }
    }

    fn run<S: Source>(&mut self, source: &mut S) {
        let mut open = true;
        // Look after every slot once; later only after those whose blocks are used up.
        for i in 0..self.slots.len() {
            self.tend(i, source, &mut open);
        }
        loop {
            let active = self.slots.iter().filter(|s| s.ready > 0).count();
            if active == 0 {
                break;
            }
            self.choose(active);
            self.seat();
            let (steps, lanes) = self.advance(source);
            self.kernels[self.current].blocks += steps as u64 * lanes as u64;
            for i in 0..self.slots.len() {
                if self.slots[i].ready == 0 && self.slots[i].lane.is_some() {
                    self.tend(i, source, &mut open);
                }
            }
        }
    }

    /// Sees to it that slot `i` has blocks to run, opening new messages as they end. Afterwards `ready` is zero only if
    /// the slot is empty or waits.
    fn tend<S: Source>(&mut self, i: usize, source: &mut S, open: &mut bool) {
        loop {
            let slot = &mut self.slots[i];
            match slot.phase {
                Phase::Empty => {
                    if !*open {
                        return;
                    }
                    match source.open(i) {
                        Open::Message(hint) => {
                            self.rule.init(&self.p, &Inputs::NONE, &mut slot.state);
                            slot.phase = Phase::Body;
                            slot.at = 0;
                            slot.hint = hint;
                            slot.total = source.window(i).len() as u128;
                        }
                        Open::Later => return,
                        Open::End => {
                            *open = false;
                            return;
                        }
                    }
                }
                Phase::Body => {
                    let left = source.window(i).len() - slot.at;
                    slot.ready = if self.keep_last { left.saturating_sub(1) } else { left } / self.block;
                    if slot.ready > 0 {
                        return;
                    }
                    match source.refill(i, left) {
                        Refill::More => {
                            slot.at = 0;
                            slot.total += (source.window(i).len() - left) as u128;
                        }
                        Refill::Later => {
                            slot.at = 0;
                            self.unseat(i);
                            return;
                        }
                        Refill::End => {
                            slot.at = 0;
                            self.tail(i, 0, source.window(i));
                        }
                    }
                }
                Phase::Tail { stage, len } => {
                    slot.ready = (len - slot.at) / self.block;
                    if slot.ready > 0 {
                        return;
                    }
                    if len > 0 {
                        self.tail(i, stage + 1, &[]);
                        continue;
                    }
                    self.unseat(i);
                    let slot = &mut self.slots[i];
                    let finisher = Finisher { rule: self.rule, kernel: self.single, p: &self.p };
                    finisher.output(&mut slot.state, &mut self.out);
                    slot.phase = Phase::Empty;
                    source.done(i, &self.out);
                }
            }
        }
    }

    /// Makes the blocks of a stage after the message.
    fn tail(&mut self, i: usize, stage: u8, rest: &[u8]) {
        let lane = self.slots[i].lane;
        let k = self.kernels.get(self.current).map(|c| c.lanes);
        let slot = &mut self.slots[i];
        // The tail may read and change the state, wherever it is.
        if let (Some(l), Some(k)) = (lane, k) {
            k.unseat(&self.packed, usize::from(l), &mut slot.state);
        }
        let len = self.rule.tail(&self.p, &mut slot.state, stage, rest, slot.total, &mut slot.tail);
        if let (Some(l), Some(k)) = (lane, k) {
            k.seat(&slot.state, &mut self.packed, usize::from(l));
        }
        slot.phase = Phase::Tail { stage, len };
        slot.at = 0;
        slot.ready = 0;
    }

    /// Takes a slot's state out of its lane.
    fn unseat(&mut self, i: usize) {
        let slot = &mut self.slots[i];
        if let Some(lane) = slot.lane.take() {
            let lane = usize::from(lane);
            self.kernels[self.current].lanes.unseat(&self.packed, lane, &mut slot.state);
            self.seats[lane] = None;
        }
    }

    /// Chooses the kernel for `active` messages; on a change every state leaves its lane.
    fn choose(&mut self, active: usize) {
        let fit = |c: &Candidate| c.min_active <= active;
        let best = self.kernels.iter().position(fit).unwrap_or(self.kernels.len() - 1);
        if best == self.current && !self.seats.is_empty() {
            return;
        }
        for i in 0..self.slots.len() {
            self.unseat(i);
        }
        self.current = best;
        let k = self.kernels[best].lanes;
        self.packed.clear();
        self.packed.resize(k.packed_bytes(), 0);
        self.seats.clear();
        self.seats.resize(usize::from(k.lanes), None);
    }

    /// Puts slots that have work into free lanes, those with the most left first.
    fn seat(&mut self) {
        let free = self.seats.iter().filter(|s| s.is_none()).count();
        if free == 0 {
            return;
        }
        let mut waiting = [0u16; MAX_LANES];
        let mut n = 0;
        for (i, slot) in self.slots.iter().enumerate() {
            if slot.ready > 0 && slot.lane.is_none() {
                waiting[n] = i as u16;
                n += 1;
            }
        }
        let waiting = &mut waiting[..n];
        if n > free {
            waiting.sort_by_key(|&i| {
                let s = &self.slots[usize::from(i)];
                std::cmp::Reverse(u128::from(s.hint).saturating_sub(s.total))
            });
        }
        let mut lane = 0;
        for &i in waiting.iter().take(free) {
            while self.seats[lane].is_some() {
                lane += 1;
            }
            let slot = &mut self.slots[usize::from(i)];
            self.kernels[self.current].lanes.seat(&slot.state, &mut self.packed, lane);
            slot.lane = Some(lane as u16);
            self.seats[lane] = Some(i);
        }
    }

    /// Runs as many blocks as every seated message has. Returns their number and how many messages were seated.
    fn advance<S: Source>(&mut self, source: &S) -> (usize, usize) {
        let seated = || self.seats.iter().flatten().map(|&i| &self.slots[usize::from(i)]);
        let steps = seated().map(|s| s.ready).min().unwrap_or(0);
        let lanes = self.seats.len();
        let bytes = steps * self.block;
        let mut rows: [&[u8]; MAX_LANES] = [&[]; MAX_LANES];
        let mut any: &[u8] = &[];
        let mut used = 0;
        for (row, seat) in rows.iter_mut().zip(&self.seats) {
            if let Some(i) = seat {
                let slot = &self.slots[usize::from(*i)];
                let from = match slot.phase {
                    Phase::Tail { len, .. } => &slot.tail[..len],
                    _ => source.window(usize::from(*i)),
                };
                *row = &from[slot.at..slot.at + bytes];
                any = *row;
                used += 1;
            }
        }
        if used < lanes {
            // An idle lane reads what another one reads.
            for (row, _) in rows.iter_mut().zip(&self.seats).filter(|(_, seat)| seat.is_none()) {
                *row = any;
            }
        }
        let kernel = self.kernels[self.current].kernel;
        kernel.run_rows(&self.p, &mut self.packed, &rows[..lanes], steps, self.block);
        for i in self.seats.iter().flatten() {
            let slot = &mut self.slots[usize::from(*i)];
            slot.at += bytes;
            slot.ready -= steps;
        }
        (steps, used)
    }
}
