//! The workers of one call: how many there are, how many files each of them holds, and how they are started.

use crate::base::descriptors::raise_descriptor_limit;
use crate::base::threads::{ThreadBudget, spawn};
use crate::hash::worker::Worker;
use crate::queue::shared::Queue;
use std::io;
use std::thread::Scope;

pub(crate) struct Crew<'a> {
    queue: &'a Queue<'a>,
    workers: usize,
    /// Maximum number of messages that a worker hashes at the same time.
    slots: usize,
    /// Additional threads that a long file may use, if any.
    budget: Option<ThreadBudget>,
    /// Whether there is at most one message.
    lone: bool,
}

impl<'a> Crew<'a> {
    /// Makes a crew of at most `workers` workers with at most `slots` slots each, within the limit on descriptors: a
    /// worker that cannot hold a file is of no use. `descriptors` is the number per file.
    pub(crate) fn new(queue: &'a Queue<'a>, workers: usize, slots: usize, descriptors: usize) -> Self {
        let files = raise_descriptor_limit(workers.saturating_mul(slots * descriptors)) / descriptors;
        let workers = workers.min(files).max(1);
        let slots = (files / workers).clamp(1, slots);
        Crew { queue, workers, slots, budget: None, lone: false }
    }

    /// Makes a crew of one worker for a single message.
    pub(crate) fn for_one(queue: &'a Queue<'a>) -> Self {
        Crew { queue, workers: 1, slots: 1, budget: None, lone: true }
    }

    /// Lets long files use what is left of `threads` threads.
    pub(crate) fn with_threads(self, threads: usize) -> Self {
        let budget = (threads > 1).then(|| ThreadBudget::new(threads - self.workers));
        Crew { budget, ..self }
    }

    /// Says that there is only one message, so that lanes are of no use.
    pub(crate) fn lone_if(self, lone: bool) -> Self {
        Crew { lone, ..self }
    }

    /// Returns the number of messages that are hashed at the same time.
    pub(crate) fn together(&self) -> usize {
        self.workers * self.slots
    }

    /// Starts the workers, each on a thread of its own. If the system starts fewer threads, the work takes longer.
    ///
    /// # Errors
    /// Returns the system's error if it starts no thread at all.
    pub(crate) fn start<'s>(&'s self, scope: &'s Scope<'s, '_>) -> io::Result<()> {
        self.queue.start(self.workers);
        for started in 0..self.workers {
            let run = || {
                self.work(self.workers);
                // Workers that are still hashing a long file may start another thread in place of this one.
                self.budget.iter().for_each(ThreadBudget::give);
            };
            if let Err(e) = spawn(scope, run) {
                (started..self.workers).for_each(|_| self.queue.not_started());
                return if started == 0 { Err(e) } else { Ok(()) };
            }
        }
        Ok(())
    }

    /// Does the work of the whole crew on the calling thread, which must have been
    /// [announced](Queue::start_here) before.
    pub(crate) fn work_here(&self) {
        self.work(1);
    }

    fn work(&self, workers: usize) {
        let Crew { queue, slots, lone, .. } = *self;
        let budget = self.budget.as_ref();
        queue.work(|| Worker { queue, budget, slots, fresh: true, workers, lone }.run());
    }
}
