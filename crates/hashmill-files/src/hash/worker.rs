//! A thread that hashes what waits in the queue: in lanes, or one message after the other.

use crate::base::descriptors::raise_descriptor_limit;
use crate::base::error::Error;
use crate::base::threads::ThreadBudget;
use crate::hash::lanes::multi::Multi;
use crate::hash::lanes::single::Single;
use crate::hash::one_file;
use crate::queue::shared::{Batch, Queue, Take, Taken};
use hashmill::Algorithm;
use hashmill::unstable::Mill;

/// Messages per thread and kernel at most, so that a thread needs few megabytes.
pub(crate) const MOST_SLOTS: usize = 64;

/// How many times faster the lanes are than one message, at least, where there are lanes at all.
const SPEEDUP: u64 = 4;

/// One thread.
pub(crate) struct Worker<'a> {
    pub(crate) queue: &'a Queue<'a>,
    pub(crate) algorithms: &'a [Algorithm],
    /// Threads that a long file may have; none where there is only this one.
    pub(crate) budget: Option<&'a ThreadBudget>,
    /// Slots at most.
    pub(crate) slots: usize,
    /// Nothing has been taken yet.
    pub(crate) fresh: bool,
    /// How many workers there are.
    pub(crate) workers: usize,
    /// There is one message at most, so lanes are of no use.
    pub(crate) lone: bool,
}

impl Worker<'_> {
    pub(crate) fn run(&mut self) {
        let lanes = || self.algorithms.iter().map(|&a| Mill::lanes(a)).max().unwrap_or(1).min(self.slots);
        let lanes = if self.lone { 1 } else { lanes() };
        if lanes == 1 {
            self.one_by_one();
        } else if let [a] = *self.algorithms {
            let mut mill = Single::mill(a, lanes);
            let mut pull = Single::new(self.queue, mill.slots(), self.workers);
            self.drive(|fresh| pull.run(&mut mill, fresh));
        } else {
            let mut bulk = Multi::new(self.queue, self.algorithms, lanes, self.workers);
            self.drive(|fresh| bulk.run(fresh));
        }
    }

    /// Runs lanes, and what is not for lanes.
    fn drive(&mut self, mut lanes: impl FnMut(&mut bool)) {
        loop {
            if self.workers > 1
                && let Some(job) = self.queue.take_dominant(SPEEDUP, &mut self.fresh)
            {
                self.stream(job);
                continue;
            }
            // Where there are others, they do what is for lanes.
            if self.workers > 1
                && let Some(job) = self.queue.take_gated()
            {
                self.stream(job);
                continue;
            }
            lanes(&mut self.fresh);
            if let Some(job) = self.queue.take_gated().or_else(|| self.queue.take_stream()) {
                self.stream(job);
            } else if !self.queue.wait() {
                return;
            }
        }
    }

    fn one_by_one(&mut self) {
        let mut batch = Batch::new(self.queue);
        loop {
            if let Take::Job(mut job) = batch.take() {
                let result = self.hash(&mut job);
                batch.done(job, result);
            } else if let Some(job) = self.queue.take_gated().or_else(|| self.queue.take_stream()) {
                self.stream(job);
            } else if !self.queue.wait() {
                return;
            }
        }
    }

    fn stream(&self, mut job: Taken<'_>) {
        let result = self.hash(&mut job);
        job.done(result);
    }

    fn hash(&self, job: &mut Taken<'_>) -> Result<Box<[u8]>, Error> {
        let result = one_file::hash(job, self.algorithms, self.budget, self.queue);
        job.close();
        result
    }
}

/// How many workers there can be, of `workers`, and how many slots each, at most `slots`: one that holds no file at all
/// is of no use. `descriptors` is what one file needs.
pub(crate) fn crew(workers: usize, slots: usize, descriptors: usize) -> (usize, usize) {
    let files = raise_descriptor_limit(workers.saturating_mul(slots * descriptors)) / descriptors;
    let workers = workers.min(files).max(1);
    (workers, (files / workers).clamp(1, slots))
}
