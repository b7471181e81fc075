//! The shared queue: files wait in it, longest first, and results leave it in the order in which the files were named.
//!
//! One thread (the caller's) puts files in and takes results out; workers do the opposite. Both ends are bounded. This
//! file has the lock and who wakes whom; what is behind the lock has three parts: the [`Schedule`] of waiting jobs, the
//! [`Results`] in order, and the [`Life`] of the workers.
//!
//! Files enter the queue unseen: the system has not been asked yet how long they are. A worker takes several at once
//! (`Batch`), examines each, hashes the short ones right away and gives the others back with their lengths. Taking and
//! delivering them one by one, each under the queue's lock, would cost as much as hashing a short file.
//!
//! No job is lost. A worker holds jobs as [`Held`]; those that it drops in a panic become orphans, which fail once the
//! panic is over. When the last worker has gone after a panic, all waiting jobs fail, and so do all that come later.

use crate::base::error::Error;
use crate::base::options::Io;
use crate::base::progress::Progress;
use crate::base::recipe::Recipe;
use crate::queue::job::{Job, Message};
use crate::queue::life::Life;
use crate::queue::results::{Done, Results};
use crate::queue::schedule::{HIGH_WATER, Schedule, Waiting};
use crate::read::device::Devices;
use crate::read::input::{Input, Stamp};
use hashmill::{Algorithm, Digest};
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often the reporting thread looks for results.
const TICK: Duration = Duration::from_millis(10);

/// A job held by a worker.
pub(crate) struct Held<'a> {
    queue: &'a Queue<'a>,
    /// `None` only after it has been delivered.
    job: Option<Job>,
}

impl<'a> Held<'a> {
    pub(super) fn new(queue: &'a Queue<'a>, job: Job) -> Self {
        Held { queue, job: Some(job) }
    }

    /// Delivers the result.
    pub(crate) fn done(mut self, result: Result<Box<[u8]>, Error>) {
        if let Some(job) = self.job.take() {
            self.queue.done(job, result);
        }
    }

    pub(super) fn into_job(mut self) -> Option<Job> {
        self.job.take()
    }
}

impl Deref for Held<'_> {
    type Target = Job;

    fn deref(&self) -> &Job {
        self.job.as_ref().expect("it has not been delivered")
    }
}

impl DerefMut for Held<'_> {
    fn deref_mut(&mut self) -> &mut Job {
        self.job.as_mut().expect("it has not been delivered")
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        // Most likely a panic is unwinding, during which no task may be called: a second panic would abort the process.
        if let Some(job) = self.job.take() {
            self.queue.lock().life.orphans.push(job);
        }
    }
}

/// The answer to a worker that asks for a file.
pub(crate) enum Take<'a> {
    Job(Held<'a>),
    /// There is none at the moment.
    Later,
    /// There will be no more.
    End,
}

/// An input to be put into the queue.
pub(crate) enum Incoming {
    /// A regular file if a listing says so, otherwise anything.
    Input {
        /// The input to be hashed.
        input: Input,
        /// Whether a directory listing has reported a regular file.
        listed: bool,
        /// Whether to refuse pipes, sockets and devices.
        regular_only: bool,
    },
    /// An input that cannot be hashed, and why.
    Failed(Input, Error),
}

/// What the lock protects.
#[derive(Default)]
pub(super) struct Inner {
    pub(super) schedule: Schedule,
    pub(super) results: Results,
    pub(super) life: Life,
}

pub(crate) struct Queue<'a> {
    inner: Mutex<Inner>,
    /// Signalled when there is work again, or when there will never be any more.
    work: Condvar,
    /// Signalled when there are enough results to report or too few jobs waiting.
    results: Condvar,
    pub(crate) progress: &'a Progress,
    pub(crate) devices: Devices,
    /// What makes up a result.
    pub(crate) recipes: &'a [Recipe],
    /// The algorithms, if there is no more to any of the recipes.
    pub(crate) algorithms: Option<Vec<Algorithm>>,
}

impl<'a> Queue<'a> {
    pub(crate) fn new(progress: &'a Progress, recipes: &'a [Recipe], io: Io) -> Self {
        Queue {
            devices: Devices::new(io),
            inner: Mutex::default(),
            work: Condvar::new(),
            results: Condvar::new(),
            progress,
            recipes,
            algorithms: recipes.iter().map(Recipe::plain).collect(),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Inner> {
        // A panic elsewhere is reported by the thread in which it occurred; the queue itself is never left
        // half-changed.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    // The caller's side, which puts jobs in and reports results.

    /// Returns how many more inputs may be put in now.
    pub(crate) fn room(&self) -> usize {
        let q = self.lock();
        HIGH_WATER.saturating_sub(q.schedule.len()).min(q.results.room())
    }

    /// Puts in inputs, of which there may be at most as many as there is [`room`](Queue::room) for.
    pub(crate) fn put_inputs(&self, inputs: &mut Vec<Incoming>) {
        let mut lost = Vec::new();
        let mut q = self.lock();
        let n = inputs.len();
        for found in inputs.drain(..) {
            self.progress.found(0);
            let index = q.results.expect();
            match found {
                Incoming::Input { input, listed, regular_only } => {
                    let mut job = Job::input(index, input, listed);
                    job.regular_only = regular_only;
                    match &q.life.dead {
                        Some(e) => lost.push((job, e.again())),
                        None => q.schedule.put_unseen(job),
                    }
                }
                Incoming::Failed(input, e) => lost.push((Job::input(index, input, false), e)),
            }
        }
        let wake = q.life.asleep.min(n - lost.len());
        drop(q);
        self.wake(wake);
        lost.into_iter().for_each(|(job, e)| self.done(job, Err(e)));
    }

    /// Puts in a task.
    pub(crate) fn put_task(&self, job: Job) {
        self.progress.found(job.size);
        let mut q = self.lock();
        if let Some(e) = &q.life.dead {
            let e = e.again();
            drop(q);
            return self.fail(vec![job], &e);
        }
        q.schedule.put_file(job);
        let wake = q.life.asleep.min(1);
        drop(q);
        self.wake(wake);
    }

    /// Wakes one waiting worker, or all if there is work for more than one.
    pub(super) fn wake(&self, workers: usize) {
        match workers {
            0 => {}
            1 => self.work.notify_one(),
            _ => self.work.notify_all(),
        }
    }

    /// Wakes the thread that reports results.
    pub(super) fn wake_reporter(&self) {
        self.results.notify_one();
    }

    /// Declares that there will be no more jobs.
    pub(crate) fn close(&self) {
        let mut q = self.lock();
        q.schedule.close();
        self.note_complete(&q);
        let asleep = q.life.asleep;
        drop(q);
        self.wake(asleep);
    }

    /// Marks the totals as final if there is nothing left to be found.
    pub(super) fn note_complete(&self, q: &Inner) {
        if q.schedule.is_seen_whole() {
            self.progress.complete();
        }
    }

    /// Drops all waiting jobs, since nobody wants their results any more.
    pub(crate) fn cancel(&self) {
        let mut q = self.lock();
        let unwanted = q.schedule.take_all();
        q.schedule.close();
        drop(q);
        drop(unwanted);
        self.work.notify_all();
    }

    /// Returns how much work is waiting. Files for one reader count among the streams.
    pub(crate) fn waiting(&self) -> Waiting {
        self.lock().schedule.waiting()
    }

    /// Sets the number of workers.
    pub(crate) fn start(&self, workers: usize) {
        self.lock().life.begin(workers);
    }

    /// Notes that one of the workers could not be started.
    pub(crate) fn not_started(&self) {
        self.lock().life.count_started(&mut true);
        self.leave();
    }

    /// Announces a worker on the thread that puts jobs in; it returns when there are none left.
    pub(crate) fn start_here(&self) {
        self.lock().life.begin_here();
    }

    /// Returns an error if a worker has panicked.
    pub(crate) fn end(&self) -> Result<(), Error> {
        if self.lock().life.panicked { Err(Error::Panicked) } else { Ok(()) }
    }

    /// Moves the results that can be reported now into `out`. If there are none, waits for some unless more jobs are
    /// wanted. Returns false when everything has been reported.
    pub(crate) fn collect(&self, out: &mut Vec<Done>) -> bool {
        let mut q = self.lock();
        loop {
            q.results.take_ready(out);
            if !out.is_empty() {
                // The bound on results may have kept the caller from putting in more files.
                return true;
            }
            let closed = q.schedule.is_closed();
            if closed && q.results.are_reported() {
                return false;
            }
            if closed && q.life.is_deserted() {
                // No worker is left, so a result has been lost. This should never happen, but waiting for it would be
                // worse than reporting it.
                q.life.panicked = true;
                return false;
            }
            if !closed && q.schedule.len() < HIGH_WATER / 2 && q.results.room() > 0 {
                return true;
            }
            q.results.awaited = true;
            q = self.results.wait_timeout(q, TICK).unwrap_or_else(PoisonError::into_inner).0;
            q.results.awaited = false;
        }
    }

    // The workers' side.

    /// Returns a worker's fair share of the files for its first slots; the rest is for workers that have not started.
    pub(crate) fn share(&self, fresh: &mut bool) -> usize {
        let mut q = self.lock();
        let Waiting { unseen, files, .. } = q.schedule.waiting();
        let share = (unseen + files).div_ceil(q.life.to_share());
        q.life.count_started(fresh);
        share
    }

    /// Takes the longest file that has been examined.
    pub(super) fn take_file(&self) -> Take<'_> {
        let mut q = self.lock();
        let was_low = q.schedule.is_low();
        match q.schedule.take_file() {
            Some(job) => {
                let low = q.results.awaited && !was_low && q.schedule.is_low();
                drop(q);
                if low {
                    self.wake_reporter();
                }
                Take::Job(Held::new(self, job))
            }
            None if q.schedule.is_seen_whole() => Take::End,
            None => Take::Later,
        }
    }

    /// Takes the longest file if it [dominates](Schedule::take_dominant) all others.
    pub(crate) fn take_dominant(&self, speedup: u64, fresh: &mut bool) -> Option<Held<'_>> {
        let mut q = self.lock();
        let job = q.schedule.take_dominant(speedup)?;
        q.life.count_started(fresh);
        Some(Held::new(self, job))
    }

    /// Takes a pipe or device, and standard input only if no worker is reading it.
    pub(crate) fn take_stream(&self) -> Option<Held<'_>> {
        let job = self.lock().schedule.take_stream()?;
        Some(Held::new(self, job))
    }

    /// Takes a file on a device that is best read by one reader and that no worker is reading.
    pub(crate) fn take_gated(&self) -> Option<Held<'_>> {
        let job = self.lock().schedule.take_gated()?;
        Some(Held::new(self, job))
    }

    /// Returns the paths of inputs to be prefetched; see [`Schedule::scout`].
    pub(crate) fn scout(&self, most: usize) -> Option<Vec<(Input, bool)>> {
        self.lock().schedule.scout(most)
    }

    /// Returns how often in a row files were found to come from a medium.
    pub(crate) fn cold(&self) -> usize {
        self.lock().schedule.cold()
    }

    /// Waits until there may be work. Returns false if there will never be any, or none before this worker returns.
    pub(crate) fn wait(&self) -> bool {
        let mut q = self.lock();
        loop {
            if q.schedule.has_work() {
                return true;
            }
            if q.schedule.is_over() || q.life.alone {
                return false;
            }
            q.life.asleep += 1;
            q = self.work.wait(q).unwrap_or_else(PoisonError::into_inner);
            q.life.asleep -= 1;
        }
    }

    /// Delivers the result of a job.
    pub(crate) fn done(&self, job: Job, result: Result<Box<[u8]>, Error>) {
        self.progress.done();
        let stdin = job.is_stdin();
        let input = match job.what {
            Message::Input(input) => input,
            Message::Task(task) => {
                task.done(result.map(|bytes| self.split(&bytes)));
                return;
            }
        };
        let mut q = self.lock();
        let passed = q.schedule.release(stdin, job.gate);
        q.results.deliver(
            job.index,
            Done { input, result, bytes: job.at, changed: job.changed, modified: job.stamp.map(Stamp::modified) },
        );
        let report = q.results.awaited && q.results.are_worth_reporting();
        drop(q);
        if report {
            self.wake_reporter();
        }
        if passed {
            self.work.notify_all();
        }
    }

    /// Splits a result into its digests.
    pub(crate) fn split(&self, mut bytes: &[u8]) -> Vec<Digest> {
        let mut next = |recipe: &Recipe| {
            let (value, rest) = bytes.split_at(recipe.value_len());
            bytes = rest;
            recipe.digest(value)
        };
        self.recipes.iter().map(&mut next).collect()
    }

    /// Runs a worker, and notes when it has ended. If it panics, the jobs that it held fail; if it was the last worker,
    /// so do all jobs that wait or come later.
    pub(crate) fn work(&self, run: impl FnOnce()) {
        let panicked = catch_unwind(AssertUnwindSafe(run)).is_err();
        let mut q = self.lock();
        q.life.panicked |= panicked;
        let orphans = std::mem::take(&mut q.life.orphans);
        drop(q);
        self.fail(orphans, &Error::Panicked);
        self.leave();
    }

    /// Notes that a worker has ended.
    fn leave(&self) {
        let mut q = self.lock();
        let lost = if q.life.leave() { q.die(Error::Panicked) } else { Vec::new() };
        drop(q);
        self.fail(lost, &Error::Panicked);
        let mut q = self.lock();
        q.life.is_gone();
        let awaited = q.results.awaited;
        drop(q);
        if awaited {
            self.wake_reporter();
        }
    }

    /// Fails all jobs, since no worker could be started.
    pub(crate) fn give_up(&self, e: Error) {
        let lost = self.lock().die(e.again());
        self.fail(lost, &e);
    }

    /// Fails jobs with an error.
    fn fail(&self, jobs: Vec<Job>, e: &Error) {
        for job in jobs {
            // Whatever a task does in response, the next one must be told as well.
            let told = catch_unwind(AssertUnwindSafe(|| {
                if job.inside {
                    self.progress.done();
                    drop(job);
                } else {
                    self.done(job, Err(e.again()));
                }
            }));
            if told.is_err() {
                self.lock().life.panicked = true;
            }
        }
    }
}

impl Inner {
    /// Takes out all waiting jobs; those that come later receive the error, too.
    fn die(&mut self, e: Error) -> Vec<Job> {
        self.life.dead = Some(e);
        self.schedule.take_all()
    }
}
