//! A thread that hashes what waits in the queue: in lanes, or one message after the other.

use crate::bulk::Bulk;
use crate::pull::Pull;
use crate::queue::{Job, Queue, Take};
use crate::spare::Spare;
use crate::stream;
use hashmill::{Algorithm, Mill};

/// Messages per thread and kernel at most, so that a thread needs few megabytes.
pub(crate) const MOST_SLOTS: usize = 64;

/// How many times faster the lanes are than one message, at least, where there are lanes at all.
const SPEEDUP: u64 = 4;

/// One thread.
pub(crate) struct Worker<'a> {
    pub(crate) queue: &'a Queue<'a>,
    pub(crate) algorithms: &'a [Algorithm],
    /// Threads that a long file may have; none where there is only this one.
    pub(crate) spare: Option<&'a Spare>,
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
        let lanes = self.algorithms.iter().map(|&a| Mill::lanes(a)).max().unwrap_or(1).min(self.slots);
        if lanes == 1 || self.lone {
            self.one_by_one();
        } else if let [a] = *self.algorithms {
            let mut mill = Pull::mill(a, lanes);
            let mut pull = Pull::new(self.queue, mill.slots(), self.workers);
            self.drive(|fresh| pull.run(&mut mill, fresh));
        } else {
            let mut bulk = Bulk::new(self.queue, self.algorithms, lanes, self.workers);
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
            lanes(&mut self.fresh);
            if let Some(job) = self.queue.take_stream() {
                self.stream(job);
            } else if !self.queue.wait() {
                return;
            }
        }
    }

    fn one_by_one(&mut self) {
        loop {
            if let Take::Job(job) = self.queue.take() {
                self.stream(job);
            } else if let Some(job) = self.queue.take_stream() {
                self.stream(job);
            } else if !self.queue.wait() {
                return;
            }
        }
    }

    fn stream(&self, mut job: Job) {
        let result = stream::hash(&mut job, self.algorithms, self.spare, self.queue.progress);
        job.close();
        self.queue.done(job, result);
    }
}

/// Says that a worker is gone even if it panics, so that nobody waits for it.
pub(crate) struct Gone<'a>(pub(crate) &'a Queue<'a>);

impl Drop for Gone<'_> {
    fn drop(&mut self) {
        self.0.gone();
    }
}

/// How many files may be open at once for hashing, at most `wanted`. Raises the limit that the system lets us raise.
pub(crate) fn descriptors(wanted: usize) -> usize {
    // For the standard streams, directories being walked, libraries.
    const OTHERS: u64 = 32;
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let limit = getrlimit(Resource::Nofile);
        let need = wanted as u64 + OTHERS;
        let now = limit.current.unwrap_or(u64::MAX);
        if now >= need {
            return wanted;
        }
        let more = limit.maximum.unwrap_or(u64::MAX).min(need);
        let now = match setrlimit(Resource::Nofile, Rlimit { current: Some(more), maximum: limit.maximum }) {
            Ok(()) => more,
            Err(_) => now,
        };
        now.saturating_sub(OTHERS).min(wanted as u64) as usize
    }
    #[cfg(not(unix))]
    wanted
}
