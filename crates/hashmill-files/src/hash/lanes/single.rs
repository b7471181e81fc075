//! Many files, one algorithm: each lane of the mill reads from its own file when it needs more.

use crate::base::error::Error;
use crate::base::progress::Progress;
use crate::hash::lanes::window::{HEADROOM, SPARE, window_len};
use crate::queue::batch::Batch;
use crate::queue::shared::{Held, Queue, Take};
use hashmill::Algorithm;
use hashmill::unstable::{Mill, Open, Refill, Source};

/// A file and its window.
#[derive(Default)]
struct Slot<'a> {
    /// `None` if the slot is empty.
    job: Option<Held<'a>>,
    /// Whether there is more to read.
    more: bool,
    /// The range of the window in this slot's part of the arena.
    from: usize,
    to: usize,
    failed: Option<Error>,
}

impl Slot<'_> {
    /// Reads more into `window`. Returns the number of bytes, which is 0 at the end of the file and if reading fails.
    fn fill(&mut self, window: &mut [u8], progress: &Progress) -> usize {
        let Some(job) = self.job.as_mut().filter(|_| self.more) else { return 0 };
        let n = match job.read(window, progress) {
            Ok(n) => n,
            Err(e) => {
                self.failed = Some(e);
                0
            }
        };
        if job.is_at_end(n, window.len()) {
            self.more = false;
            job.close();
        }
        n
    }
}

/// The files that a thread is hashing, each in one slot of its mill.
pub(crate) struct Single<'a> {
    queue: &'a Queue<'a>,
    batch: Batch<'a>,
    slots: Vec<Slot<'a>>,
    /// For each slot: `HEADROOM` bytes, its window and `SPARE` bytes.
    arena: Vec<u8>,
    /// Distance between the slots' parts of the arena.
    stride: usize,
    /// Maximum number of slots to fill before any of them becomes free.
    share: usize,
    /// Slots that have been asked for their first file in this run.
    asked: usize,
}

impl<'a> Single<'a> {
    pub(crate) fn new(queue: &'a Queue<'a>, slots: usize, threads: usize) -> Self {
        let stride = HEADROOM + window_len(slots, threads) + SPARE;
        Single {
            queue,
            batch: Batch::new(queue),
            slots: (0..slots).map(|_| Slot::default()).collect(),
            arena: vec![0; slots * stride],
            stride,
            share: slots,
            asked: 0,
        }
    }

    /// Hashes files until the queue has none.
    pub(crate) fn run(&mut self, mill: &mut Mill, fresh: &mut bool) {
        self.share = self.queue.share(fresh).max(1);
        self.asked = 0;
        mill.run(self);
    }

    /// Returns a mill for `a` with as many slots as the algorithm has lanes, but at most `most`.
    pub(crate) fn mill(a: Algorithm, most: usize) -> Mill {
        Mill::new(a, Mill::lanes(a).min(most))
    }
}

impl Source for Single<'_> {
    fn open(&mut self, slot: usize) -> Open {
        // The mill asks for every slot once, then for those that become free.
        if self.asked < self.slots.len() {
            self.asked += 1;
            if self.asked > self.share {
                return Open::Later;
            }
        }
        loop {
            let mut job = match self.batch.take() {
                Take::Job(job) => job,
                Take::Later => return Open::Later,
                Take::End => return Open::End,
            };
            if let Err(e) = job.open(self.queue.devices.io) {
                self.batch.done(job, Err(e));
                continue;
            }
            let size = job.size;
            let s = &mut self.slots[slot];
            *s = Slot { job: Some(job), more: true, from: HEADROOM, to: HEADROOM, failed: None };
            let n = s.fill(&mut self.arena[slot * self.stride..][HEADROOM..self.stride - SPARE], self.queue.progress);
            s.to += n;
            self.queue.progress.read(n);
            return Open::Message(size);
        }
    }

    fn window(&self, slot: usize) -> &[u8] {
        let s = &self.slots[slot];
        &self.arena[slot * self.stride + s.from..slot * self.stride + s.to]
    }

    fn refill(&mut self, slot: usize, keep: usize) -> Refill {
        let s = &mut self.slots[slot];
        let part = &mut self.arena[slot * self.stride..][..self.stride];
        if !s.more {
            s.from = s.to - keep;
            return Refill::End;
        }
        part.copy_within(s.to - keep..s.to, HEADROOM - keep);
        let n = s.fill(&mut part[HEADROOM..self.stride - SPARE], self.queue.progress);
        s.from = HEADROOM - keep;
        s.to = HEADROOM + n;
        self.queue.progress.read(n);
        if n == 0 { Refill::End } else { Refill::More }
    }

    fn done(&mut self, slot: usize, digest: &[u8]) {
        let s = &mut self.slots[slot];
        s.more = false;
        if let Some(job) = s.job.take() {
            let result = match s.failed.take() {
                Some(e) => Err(e),
                None => Ok(digest.into()),
            };
            self.batch.done(job, result);
        }
    }
}
