//! Many files, several algorithms: each slot's window is filled once, then each algorithm's mill processes all windows
//! while they are in cache.

use crate::base::error::Error;
use crate::hash::lanes::window::{HEADROOM, SPARE, window_len};
use crate::queue::batch::Batch;
use crate::queue::shared::{Held, Queue, Take};
use hashmill::Algorithm;
use hashmill::unstable::{Mill, Open, Refill, Source};

/// A file and its window, which all algorithms share.
#[derive(Default)]
struct SharedSlot<'a> {
    /// `None` if the slot is empty.
    job: Option<Held<'a>>,
    /// Whether there is more to read.
    more: bool,
    /// End of the window. It begins at `HEADROOM`; the bytes before that are those that precede it in the file.
    to: usize,
    failed: Option<Error>,
    /// Number of mills that have not finished this file.
    pending: usize,
}

/// What one mill has seen of a slot.
struct Seen {
    /// Whether the mill has opened the file.
    opened: bool,
    /// Whether the mill has been given the current window.
    shown: bool,
    /// The range of the slot's memory that the mill sees.
    from: usize,
    to: usize,
}

/// One algorithm on some of the slots. An algorithm with few lanes has several groups.
struct Group {
    mill: Mill,
    /// Its first slot.
    first: usize,
    seen: Vec<Seen>,
    /// Offset and length of the algorithm's digest in a file's result.
    at: usize,
    len: usize,
}

/// The files that a thread is hashing, each in one slot of every algorithm.
pub(crate) struct Multi<'a> {
    queue: &'a Queue<'a>,
    batch: Batch<'a>,
    slots: Vec<SharedSlot<'a>>,
    groups: Vec<Group>,
    /// Number of mills that work on each slot.
    mills: usize,
    arena: Vec<u8>,
    window: usize,
    /// Digests, `digests` bytes per slot.
    out: Vec<u8>,
    digests: usize,
}

impl<'a> Multi<'a> {
    pub(crate) fn new(queue: &'a Queue<'a>, algorithms: &[Algorithm], slots: usize, threads: usize) -> Self {
        let window = window_len(slots, threads);
        let mut groups = Vec::new();
        let mut at = 0;
        for &a in algorithms {
            let mut first = 0;
            while first < slots {
                let mill = Mill::new(a, slots - first);
                let n = mill.slots().min(slots - first);
                let seen = (0..n).map(|_| Seen { opened: true, shown: true, from: HEADROOM, to: HEADROOM }).collect();
                groups.push(Group { mill, first, seen, at, len: a.digest_len() });
                first += n;
            }
            at += a.digest_len();
        }
        Multi {
            queue,
            batch: Batch::new(queue),
            slots: (0..slots).map(|_| SharedSlot::default()).collect(),
            groups,
            mills: algorithms.len(),
            arena: vec![0; slots * (HEADROOM + window + SPARE)],
            window,
            out: vec![0; slots * at],
            digests: at,
        }
    }

    /// Hashes files until the queue has none.
    pub(crate) fn run(&mut self, fresh: &mut bool) {
        let mut share = self.queue.share(fresh).max(1);
        loop {
            let mut busy = 0;
            for i in 0..self.slots.len() {
                if self.slots[i].job.is_some() {
                    self.advance(i);
                    busy += 1;
                } else if busy < share && self.open(i) {
                    busy += 1;
                }
            }
            if busy == 0 {
                return;
            }
            // The share is for the first files only.
            share = usize::MAX;
            for g in &mut self.groups {
                let mut windows = Windows {
                    slots: &mut self.slots[g.first..],
                    seen: &mut g.seen,
                    arena: &self.arena[g.first * (HEADROOM + self.window + SPARE)..],
                    stride: HEADROOM + self.window + SPARE,
                    out: &mut self.out[g.first * self.digests + g.at..],
                    digests: self.digests,
                    len: g.len,
                };
                g.mill.run(&mut windows);
            }
            for (slot, out) in self.slots.iter_mut().zip(self.out.chunks_exact(self.digests)) {
                if slot.pending == 0
                    && let Some(job) = slot.job.take()
                {
                    slot.more = false;
                    let result = match slot.failed.take() {
                        Some(e) => Err(e),
                        None => Ok(out.into()),
                    };
                    self.batch.done(job, result);
                }
            }
        }
    }

    /// Puts a file into an empty slot. Returns false if there is no file to take.
    fn open(&mut self, i: usize) -> bool {
        loop {
            let Take::Job(mut job) = self.batch.take() else { return false };
            if let Err(e) = job.open(self.queue.devices.io) {
                self.batch.done(job, Err(e));
                continue;
            }
            self.slots[i] =
                SharedSlot { job: Some(job), more: true, pending: self.mills, to: HEADROOM, ..SharedSlot::default() };
            self.fill(i);
            self.each_seen(i, |s| s.opened = false);
            return true;
        }
    }

    /// Refills the window of a slot after every mill has used up the old one.
    fn advance(&mut self, i: usize) {
        let to = self.slots[i].to;
        let part = i * (HEADROOM + self.window + SPARE);
        self.arena.copy_within(part + to - HEADROOM..part + to, part);
        self.fill(i);
        self.each_seen(i, |s| {
            s.from = HEADROOM - (s.to - s.from);
            s.to = HEADROOM;
            s.shown = false;
        });
    }

    fn fill(&mut self, i: usize) {
        let slot = &mut self.slots[i];
        let part = i * (HEADROOM + self.window + SPARE) + HEADROOM;
        slot.to = HEADROOM;
        let Some(job) = slot.job.as_mut().filter(|_| slot.more) else { return };
        let n = match job.read(&mut self.arena[part..part + self.window], self.queue.progress) {
            Ok(n) => n,
            Err(e) => {
                slot.failed = Some(e);
                0
            }
        };
        slot.to += n;
        if job.is_at_end(n, self.window) {
            slot.more = false;
            job.close();
        }
        self.queue.progress.read(n);
    }

    fn each_seen(&mut self, i: usize, f: impl Fn(&mut Seen)) {
        for g in &mut self.groups {
            if let Some(seen) = i.checked_sub(g.first).and_then(|j| g.seen.get_mut(j)) {
                f(seen);
            }
        }
    }
}

/// The windows as one mill sees them.
struct Windows<'a, 'b> {
    slots: &'b mut [SharedSlot<'a>],
    seen: &'b mut [Seen],
    arena: &'b [u8],
    stride: usize,
    out: &'b mut [u8],
    digests: usize,
    len: usize,
}

impl Source for Windows<'_, '_> {
    fn open(&mut self, slot: usize) -> Open {
        let seen = &mut self.seen[slot];
        if seen.opened {
            return Open::Later;
        }
        let s = &self.slots[slot];
        *seen = Seen { opened: true, shown: true, from: HEADROOM, to: s.to };
        Open::Message(s.job.as_ref().map_or(0, |j| j.size))
    }

    fn window(&self, slot: usize) -> &[u8] {
        let seen = &self.seen[slot];
        &self.arena[slot * self.stride + seen.from..slot * self.stride + seen.to]
    }

    fn refill(&mut self, slot: usize, keep: usize) -> Refill {
        let (seen, s) = (&mut self.seen[slot], &self.slots[slot]);
        seen.from = seen.to - keep;
        if !seen.shown {
            seen.shown = true;
            seen.to = s.to;
            if s.to > HEADROOM {
                return Refill::More;
            }
        }
        if !s.more { Refill::End } else { Refill::Later }
    }

    fn done(&mut self, slot: usize, digest: &[u8]) {
        self.out[slot * self.digests..][..self.len].copy_from_slice(digest);
        self.slots[slot].pending -= 1;
    }
}
