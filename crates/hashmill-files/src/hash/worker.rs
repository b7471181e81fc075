//! A thread that hashes the jobs in the queue, in lanes or one after the other.

use crate::base::error::Error;
use crate::base::threads::ThreadBudget;
use crate::hash::lanes::multi::Multi;
use crate::hash::lanes::single::Single;
use crate::hash::one_file;
use crate::queue::batch::Batch;
use crate::queue::shared::{Held, Queue, Take};
use hashmill::unstable::Mill;

/// Minimum factor by which full lanes are faster than one message, if an algorithm has lanes at all.
const SPEEDUP: u64 = 4;

/// A worker thread.
pub(crate) struct Worker<'a> {
    pub(crate) queue: &'a Queue<'a>,
    /// Additional threads that a long file may use, if any.
    pub(crate) budget: Option<&'a ThreadBudget>,
    /// Maximum number of slots.
    pub(crate) slots: usize,
    /// Whether the worker has not taken anything yet.
    pub(crate) fresh: bool,
    /// Number of workers.
    pub(crate) workers: usize,
    /// Whether there is at most one message, so that lanes are of no use.
    pub(crate) lone: bool,
}

impl Worker<'_> {
    pub(crate) fn run(&mut self) {
        // What is more than an algorithm has lanes of its own, if any.
        let algorithms = self.queue.algorithms.as_deref().unwrap_or_default();
        let lanes = || algorithms.iter().map(|&a| Mill::lanes(a)).max().unwrap_or(1).min(self.slots);
        let lanes = if self.lone { 1 } else { lanes() };
        if lanes == 1 {
            self.one_by_one();
        } else if let [a] = *algorithms {
            let mut mill = Single::mill(a, lanes);
            let mut pull = Single::new(self.queue, mill.slots(), self.workers);
            self.drive(|fresh| pull.run(&mut mill, fresh));
        } else {
            let mut bulk = Multi::new(self.queue, algorithms, lanes, self.workers);
            self.drive(|fresh| bulk.run(fresh));
        }
    }

    /// Runs `lanes`, and hashes on their own the jobs that are not for lanes.
    fn drive(&mut self, mut lanes: impl FnMut(&mut bool)) {
        loop {
            if self.workers > 1
                && let Some(job) = self.queue.take_dominant(SPEEDUP, &mut self.fresh)
            {
                self.stream(job);
                continue;
            }
            // Meanwhile the other workers hash the files for lanes.
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

    fn stream(&self, mut job: Held<'_>) {
        let result = self.hash(&mut job);
        job.done(result);
    }

    fn hash(&self, job: &mut Held<'_>) -> Result<Box<[u8]>, Error> {
        let result = one_file::hash(job, self.budget, self.queue);
        job.close();
        result
    }
}
