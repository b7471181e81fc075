//! One file and several algorithms on several threads: the file is read into a ring of chunks, and each algorithm goes
//! through them at its own pace, so that the slowest never waits for the others.

use crate::base::error::Error;
use crate::base::progress::Progress;
use crate::base::threads::ThreadBudget;
use crate::hash::one_file::CHUNK;
use crate::hash::running::Running;
use crate::queue::job::Job;
use std::cmp::Reverse;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread::Scope;
use std::time::{Duration, Instant};

/// Number of chunks in memory.
const RING: usize = 8;

/// Hashes `first`, a whole chunk, and the rest of `job` after it, on this thread and on those that `budget` allows.
pub(crate) fn hash(
    job: &mut Job,
    first: Vec<u8>,
    hashers: Vec<Running>,
    budget: &ThreadBudget,
    progress: &Progress,
) -> Result<Vec<Running>, Error> {
    let courses = hashers.iter().map(|_| Course::default()).collect();
    let plan =
        Plan { read: 1, reading: false, filling: true, ended: false, courses, failed: None, asleep: 0, threads: 1 };
    let mut chunks: [RwLock<Vec<u8>>; RING] = Default::default();
    chunks[0] = RwLock::new(first);
    let ring = Ring {
        job: Mutex::new(job),
        budget,
        progress,
        chunks,
        hashers: hashers.into_iter().map(Mutex::new).collect(),
        plan: Mutex::new(plan),
        changed: Condvar::new(),
    };
    std::thread::scope(|s| ring.work(s));
    match ring.plan.into_inner().unwrap_or_else(PoisonError::into_inner).failed {
        Some(e) => Err(e),
        None => Ok(ring.hashers.into_iter().map(|h| h.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()),
    }
}

struct Ring<'a> {
    job: Mutex<&'a mut Job>,
    budget: &'a ThreadBudget,
    progress: &'a Progress,
    chunks: [RwLock<Vec<u8>>; RING],
    hashers: Vec<Mutex<Running>>,
    plan: Mutex<Plan>,
    /// Signalled when there is work for another thread, or none left for any.
    changed: Condvar,
}

struct Plan {
    /// Number of chunks read so far.
    read: u64,
    /// Whether a thread is reading.
    reading: bool,
    /// Whether the ring may be filled. Once it is full, reading waits until half of it is free, so that threads are
    /// woken rarely and then have more to do.
    filling: bool,
    /// Whether there is nothing left to read.
    ended: bool,
    /// One for each hasher.
    courses: Vec<Course>,
    failed: Option<Error>,
    /// Number of threads, and how many of them are waiting.
    threads: usize,
    asleep: usize,
}

/// The progress of one algorithm.
#[derive(Default)]
struct Course {
    /// Number of chunks hashed so far.
    done: u64,
    /// Whether a thread is working on it.
    busy: bool,
    /// Time spent hashing.
    spent: Duration,
}

#[derive(Clone, Copy)]
enum Task {
    Read,
    Hash(usize),
}

impl Plan {
    /// Returns what is best done next. Reading goes first, since it may have to wait for a disk; then the algorithm
    /// that is farthest behind, and of several such the slowest.
    fn choose(&mut self) -> Option<Task> {
        let last = self.courses.iter().map(|c| c.done).min().unwrap_or(self.read);
        let free = RING as u64 - (self.read - last);
        // A lone thread handles one chunk at a time, which stays in its cache.
        let enough = if self.threads == 1 { RING } else { RING / 2 };
        self.filling = free > 0 && (self.filling && self.threads > 1 || free >= enough as u64);
        if self.filling && !self.reading && !self.ended {
            return Some(Task::Read);
        }
        let ready = |&(_, c): &(usize, &Course)| !c.busy && c.done < self.read;
        let courses = self.courses.iter().enumerate().filter(ready);
        courses.min_by_key(|(_, c)| (c.done, Reverse(c.spent))).map(|(i, _)| Task::Hash(i))
    }

    fn is_over(&self) -> bool {
        self.ended && self.courses.iter().all(|c| c.done == self.read || self.failed.is_some())
    }

    /// Notes that a chunk of `n` bytes has been read. This never resets `ended`: another thread may have failed while
    /// this one was reading.
    fn has_read(&mut self, n: usize) {
        self.read += u64::from(n > 0);
        self.ended |= n < CHUNK;
    }

    fn fail(&mut self, e: Error) {
        self.failed = Some(e);
        self.ended = true;
    }
}

impl Ring<'_> {
    fn lock(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work<'s>(&'s self, scope: &'s Scope<'s, '_>) {
        let _broken = Broken(self);
        let mut plan = self.lock();
        loop {
            if plan.is_over() {
                self.changed.notify_all();
                return;
            }
            // One thread for reading and one for each algorithm: more would have nothing to do.
            if !plan.ended
                && plan.threads <= self.hashers.len()
                && let Some(permit) = self.budget.take()
                && permit.spawn(scope, move || self.work(scope))
            {
                plan.threads += 1;
            }
            match plan.choose() {
                None => {
                    plan.asleep += 1;
                    plan = self.changed.wait(plan).unwrap_or_else(PoisonError::into_inner);
                    plan.asleep -= 1;
                }
                Some(Task::Read) => {
                    plan.reading = true;
                    plan = self.read(plan);
                }
                Some(Task::Hash(i)) => {
                    plan.courses[i].busy = true;
                    plan = self.hash(plan, i);
                }
            }
        }
    }

    /// Releases the plan, and wakes another thread if there is work for it.
    fn leave(&self, mut plan: MutexGuard<'_, Plan>) {
        let more = plan.asleep > 0 && plan.choose().is_some();
        drop(plan);
        if more {
            self.changed.notify_one();
        }
    }

    fn read<'b>(&'b self, plan: MutexGuard<'b, Plan>) -> MutexGuard<'b, Plan> {
        let slot = (plan.read % RING as u64) as usize;
        self.leave(plan);
        let got = {
            let mut chunk = self.chunks[slot].write().unwrap_or_else(PoisonError::into_inner);
            chunk.resize(CHUNK, 0);
            let got = self.job.lock().unwrap_or_else(PoisonError::into_inner).read_full(&mut chunk, self.progress);
            chunk.truncate(*got.as_ref().unwrap_or(&0));
            got
        };
        let mut plan = self.lock();
        plan.reading = false;
        match got {
            Err(e) => plan.fail(e),
            Ok(n) => {
                self.progress.read(n);
                plan.has_read(n);
            }
        }
        plan
    }

    fn hash<'b>(&'b self, plan: MutexGuard<'b, Plan>, i: usize) -> MutexGuard<'b, Plan> {
        let slot = (plan.courses[i].done % RING as u64) as usize;
        self.leave(plan);
        let start = Instant::now();
        {
            let chunk = self.chunks[slot].read().unwrap_or_else(PoisonError::into_inner);
            #[cfg(test)]
            crate::base::trap::trip_on(&chunk);
            self.hashers[i].lock().unwrap_or_else(PoisonError::into_inner).update(&chunk);
        }
        let spent = start.elapsed();
        let mut plan = self.lock();
        let course = &mut plan.courses[i];
        course.busy = false;
        course.done += 1;
        course.spent += spent;
        plan
    }
}

/// Ends the work of all threads if one of them panics.
struct Broken<'a, 'b>(&'a Ring<'b>);

impl Drop for Broken<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().fail(Error::Panicked);
            self.0.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thread that panics never finishes its course, so after a failure no thread may wait for it.
    #[test]
    fn a_read_after_a_failure_does_not_begin_anew() {
        let courses = vec![Course { busy: true, ..Course::default() }, Course::default()];
        let mut plan =
            Plan { read: 1, reading: true, filling: true, ended: false, courses, failed: None, asleep: 1, threads: 2 };
        plan.fail(Error::Panicked);
        assert!(plan.is_over());
        plan.has_read(CHUNK);
        assert!(plan.is_over());
    }
}
