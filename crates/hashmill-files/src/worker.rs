//! A thread that hashes what waits in the queue: in lanes, or one message after the other.

use crate::bulk::Bulk;
use crate::error::Error;
use crate::pull::Pull;
use crate::queue::{Batch, Queue, Take, Taken};
use crate::spare::Spare;
use crate::stream;
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
        let lanes = || self.algorithms.iter().map(|&a| Mill::lanes(a)).max().unwrap_or(1).min(self.slots);
        let lanes = if self.lone { 1 } else { lanes() };
        if lanes == 1 {
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
        let result = stream::hash(job, self.algorithms, self.spare, self.queue);
        job.close();
        result
    }
}

/// Raises the number of descriptors that this process may have, as far as needed and as the system allows, so that
/// `wanted` files can be open at once. Returns how many may be: at most `wanted`, at least 1. The rest, 32 where the
/// limit is not lower than that twice over, is for the standard streams, directories being walked, libraries.
///
/// The limit is the process's: who calls this for two purposes has to ask for both together.
pub fn raise_descriptor_limit(wanted: usize) -> usize {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let limit = getrlimit(Resource::Nofile);
        let need = (wanted as u64).saturating_add(OTHERS);
        let mut now = limit.current.unwrap_or(u64::MAX);
        if now < need {
            let more = limit.maximum.unwrap_or(u64::MAX).min(need);
            if setrlimit(Resource::Nofile, Rlimit { current: Some(more), maximum: limit.maximum }).is_ok() {
                now = more;
            }
        }
        usable(now).min(wanted as u64).max(1) as usize
    }
    #[cfg(not(unix))]
    wanted.max(1)
}

/// Descriptors that are not for files.
#[cfg(unix)]
const OTHERS: u64 = 32;

/// How many files may be open where there may be `limit` descriptors.
#[cfg(unix)]
fn usable(limit: u64) -> u64 {
    limit.saturating_sub(OTHERS).max(limit / 4)
}

/// How many workers there can be, of `workers`, and how many slots each, at most `slots`: one that holds no file at all
/// is of no use. `descriptors` is what one file needs.
pub(crate) fn crew(workers: usize, slots: usize, descriptors: usize) -> (usize, usize) {
    let files = raise_descriptor_limit(workers.saturating_mul(slots * descriptors)) / descriptors;
    let workers = workers.min(files).max(1);
    (workers, (files / workers).clamp(1, slots))
}

#[cfg(all(test, unix))]
mod tests {
    use super::{raise_descriptor_limit, usable};

    #[test]
    fn a_reserve_is_left() {
        assert_eq!([0, 3, 8, 32, 40, 44, 64, 1024].map(usable), [0, 0, 2, 8, 10, 12, 32, 992]);
        assert_eq!(raise_descriptor_limit(0), 1);
        assert_eq!(raise_descriptor_limit(5), 5);
    }
}
