//! The shared queue: files wait in it, longest first, and results leave it in the order in which the files were named.
//!
//! One thread (the caller's) puts files in and takes results out; workers do the opposite. Both ends are bounded: at most
//! [`REORDER`] files are between the first that has not been reported and the last that has been put in.
//!
//! No job is lost. A worker holds jobs as [`Taken`], and what it lets fall in a panic comes back as an orphan, which is told the error
//! when the panic is over; so is all that waits when the last worker has gone, and all that comes later.

use crate::error::Error;
use crate::input::{Input, advise_sequential, read};
use crate::progress::Progress;
use crate::task::Task;
use hashmill::{Algorithm, Digest};
use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};
use std::fs::File;
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Files are ordered by length within generations of this many, so that results come out while a long list is worked on.
const GENERATION: u64 = 4096;

/// So many files wait at most; more are looked for when half are gone.
const HIGH_WATER: usize = 4096;

/// So many results are held back at most while an earlier file is still being read.
const REORDER: u64 = 1 << 16;

/// So many results wake the reporting thread before its time.
const WAKE: usize = 256;

/// The reporting thread looks for results this often.
const TICK: Duration = Duration::from_millis(10);

/// Files longer than this are announced to the kernel as sequential reads; for shorter ones the call costs more than it saves.
const ADVISE: u64 = 256 << 10;

/// What a job reads.
pub(crate) enum What {
    Input(Input),
    /// Something that reads by itself, and is told its digests as soon as they are known.
    Task(Box<dyn Task>),
}

/// A message to be hashed, in its place among all of them.
pub(crate) struct Job {
    index: u64,
    pub(crate) what: What,
    /// Its length in bytes as far as it is known.
    pub(crate) size: u64,
    /// An input that has been opened.
    file: Option<File>,
    /// One of the task's own methods runs: if it does not return, nobody can tell what became of the task.
    inside: bool,
}

impl Job {
    pub(crate) fn new(index: u64, what: What, size: u64) -> Self {
        Job { index, what, size, file: None, inside: false }
    }

    pub(crate) fn open(&mut self) -> Result<(), Error> {
        match &mut self.what {
            What::Task(task) => {
                self.inside = true;
                let opened = task.open();
                self.inside = false;
                opened?;
            }
            What::Input(input) => {
                #[cfg(test)]
                tests::trip(input, "open");
                let file = input.open()?;
                if self.size > ADVISE {
                    advise_sequential(&file);
                }
                self.file = Some(file);
            }
        }
        Ok(())
    }

    /// Reads once. Nothing is the end. A task knows by itself when to stop; other files end with the work.
    pub(crate) fn read(&mut self, buffer: &mut [u8], progress: &Progress) -> Result<usize, Error> {
        match (&mut self.what, &self.file) {
            (What::Input(_), _) if progress.is_stopped() => Err(Error::Stopped),
            (What::Task(task), _) => {
                self.inside = true;
                let got = task.read(buffer);
                self.inside = false;
                got
            }
            (What::Input(_input), Some(file)) => {
                #[cfg(test)]
                tests::trip(_input, "read");
                read(file, buffer)
            }
            (What::Input(_), None) => Ok(0),
        }
    }

    /// Reads until the buffer is full or the message ends.
    pub(crate) fn read_full(&mut self, buffer: &mut [u8], progress: &Progress) -> Result<usize, Error> {
        let mut n = 0;
        while n < buffer.len() {
            match self.read(&mut buffer[n..], progress)? {
                0 => break,
                more => n += more,
            }
        }
        Ok(n)
    }

    /// Frees the file that was read.
    pub(crate) fn close(&mut self) {
        self.file = None;
    }

    /// The file, if it can be read from anywhere.
    pub(crate) fn file(&self) -> Option<&File> {
        self.file.as_ref().filter(|_| matches!(self.what, What::Input(Input::Path(_))))
    }

    fn is_stdin(&self) -> bool {
        matches!(self.what, What::Input(Input::Stdin))
    }
}

impl Ord for Job {
    /// The greatest is to be hashed first.
    fn cmp(&self, other: &Self) -> Ordering {
        let generation = |j: &Job| j.index / GENERATION;
        generation(other).cmp(&generation(self)).then(self.size.cmp(&other.size)).then(other.index.cmp(&self.index))
    }
}

impl PartialOrd for Job {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Job {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Job {}

/// A job in a worker's hands.
pub(crate) struct Taken<'a> {
    queue: &'a Queue<'a>,
    /// None only when it has been delivered.
    job: Option<Job>,
}

impl Taken<'_> {
    /// Delivers the result.
    pub(crate) fn done(mut self, result: Result<Box<[u8]>, Error>) {
        if let Some(job) = self.job.take() {
            self.queue.done(job, result);
        }
    }
}

impl Deref for Taken<'_> {
    type Target = Job;

    fn deref(&self) -> &Job {
        self.job.as_ref().expect("it has not been delivered")
    }
}

impl DerefMut for Taken<'_> {
    fn deref_mut(&mut self) -> &mut Job {
        self.job.as_mut().expect("it has not been delivered")
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        // Most likely a panic goes on, in which a task must not be called: a second one would be the end of the process.
        if let Some(job) = self.job.take() {
            self.queue.lock().orphans.push(job);
        }
    }
}

/// What became of a job: the digests of all algorithms one after the other, or an error.
pub(crate) type Done = (Input, Result<Box<[u8]>, Error>);

/// The answer to a worker that asks for a file.
pub(crate) enum Take<'a> {
    Job(Taken<'a>),
    /// None now.
    Later,
    /// Never again.
    End,
}

struct Inner {
    /// Regular files.
    files: BinaryHeap<Job>,
    /// The sum of their lengths.
    bytes: u64,
    /// Pipes, devices: they may block for any time, so they are read when nothing else is to do.
    streams: VecDeque<Job>,
    /// Somebody reads standard input; nobody else may.
    stdin_busy: bool,
    /// No more jobs will be put in.
    closed: bool,
    /// Workers that have not taken their share yet.
    unstarted: usize,
    /// Workers that still run, or are still to be started.
    alive: usize,
    /// These, and those that are telling what has become of their last jobs.
    present: usize,
    /// There is no thread but the caller's: nobody waits for work, since nobody would bring any.
    alone: bool,
    /// A worker has panicked.
    panicked: bool,
    /// The last worker has gone, and not because the work was done: what it is that jobs are told now.
    dead: Option<Error>,
    /// Jobs that a worker let fall.
    orphans: Vec<Job>,
    /// The index of the first job not yet reported.
    reported: u64,
    /// The index of the next job.
    next: u64,
    done: VecDeque<Option<Done>>,
    /// How many of `done` are there, in order or not.
    arrived: usize,
}

pub(crate) struct Queue<'a> {
    inner: Mutex<Inner>,
    /// Signalled when there is work again, or never again.
    work: Condvar,
    /// Signalled when there is enough to report or too little to do.
    results: Condvar,
    pub(crate) progress: &'a Progress,
    /// What results consist of.
    algorithms: &'a [Algorithm],
}

impl<'a> Queue<'a> {
    pub(crate) fn new(progress: &'a Progress, algorithms: &'a [Algorithm]) -> Self {
        Queue {
            inner: Mutex::new(Inner {
                files: BinaryHeap::new(),
                bytes: 0,
                streams: VecDeque::new(),
                stdin_busy: false,
                closed: false,
                unstarted: 0,
                alive: 0,
                present: 0,
                alone: false,
                panicked: false,
                dead: None,
                orphans: Vec::new(),
                reported: 0,
                next: 0,
                done: VecDeque::new(),
                arrived: 0,
            }),
            work: Condvar::new(),
            results: Condvar::new(),
            progress,
            algorithms,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // A panic elsewhere is reported by the thread that had it; the queue itself is never left half-changed.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    // The side that puts in and reports.

    /// The index for a new job, if there is room for one.
    pub(crate) fn room(&self) -> Option<u64> {
        let mut q = self.lock();
        let waiting = q.files.len() + q.streams.len();
        if waiting >= HIGH_WATER || q.next - q.reported >= REORDER {
            return None;
        }
        q.next += 1;
        q.done.push_back(None);
        Some(q.next - 1)
    }

    pub(crate) fn put(&self, job: Job, regular: bool) {
        self.progress.found(job.size);
        let mut q = self.lock();
        if let Some(e) = &q.dead {
            let e = e.again();
            drop(q);
            return self.fail(vec![job], &e);
        }
        if regular {
            q.bytes += job.size;
            q.files.push(job);
        } else {
            q.streams.push_back(job);
        }
        drop(q);
        self.work.notify_one();
    }

    /// Says that there will be no more jobs. An index that `room` gave and that was not used is given back.
    pub(crate) fn close(&self, unused: Option<u64>) {
        let mut q = self.lock();
        if unused.is_some() {
            q.next -= 1;
            q.done.pop_back();
        }
        q.closed = true;
        drop(q);
        self.progress.complete();
        self.work.notify_all();
    }

    /// Drops all that waits: nobody wants to know any more.
    pub(crate) fn cancel(&self) {
        let mut q = self.lock();
        q.files.clear();
        q.streams.clear();
        q.closed = true;
        drop(q);
        self.work.notify_all();
    }

    /// What waits: files, their bytes, and pipes.
    pub(crate) fn waiting(&self) -> (usize, u64, usize) {
        let q = self.lock();
        (q.files.len(), q.bytes, q.streams.len())
    }

    /// Says how many workers there will be.
    pub(crate) fn start(&self, workers: usize) {
        let mut q = self.lock();
        q.unstarted = workers;
        (q.alive, q.present) = (workers, workers);
    }

    /// Says that one of them could not be started.
    pub(crate) fn not_started(&self) {
        let mut q = self.lock();
        q.unstarted = q.unstarted.saturating_sub(1);
        drop(q);
        self.leave();
    }

    /// Says that the next worker runs on the thread that puts jobs in: it ends when there are none.
    pub(crate) fn start_here(&self) {
        let mut q = self.lock();
        q.unstarted = 1;
        (q.alive, q.present) = (1, 1);
        q.alone = true;
        q.dead = None;
    }

    /// How the work has ended, all in all.
    pub(crate) fn end(&self) -> Result<(), Error> {
        if self.lock().panicked { Err(Error::Panicked) } else { Ok(()) }
    }

    /// Moves what can be reported now into `out`. Waits a moment if that is nothing and no jobs are wanted either. False when
    /// everything has been reported.
    pub(crate) fn collect(&self, out: &mut Vec<Done>) -> bool {
        let mut q = self.lock();
        loop {
            while let Some(done) = q.done.front_mut().and_then(Option::take) {
                q.done.pop_front();
                q.reported += 1;
                q.arrived -= 1;
                out.push(done);
            }
            if !out.is_empty() {
                // The bound on results may have held workers' files back.
                return true;
            }
            if q.closed && q.reported == q.next {
                return false;
            }
            if q.closed && q.present == 0 {
                // Nothing more will come, so something was lost, which cannot be. To wait for it would be worse than to say so.
                q.panicked = true;
                return false;
            }
            if !q.closed && q.files.len() + q.streams.len() < HIGH_WATER / 2 && q.next - q.reported < REORDER {
                return true;
            }
            q = self.results.wait_timeout(q, TICK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    // The workers' side.

    /// A worker's fair share of the files when it seats its first ones; the rest is for workers that have not started.
    pub(crate) fn share(&self, fresh: &mut bool) -> usize {
        let mut q = self.lock();
        let share = q.files.len().div_ceil(q.unstarted.max(1));
        q.count_started(fresh);
        share
    }

    /// The longest file.
    pub(crate) fn take(&self) -> Take<'_> {
        let mut q = self.lock();
        match q.pop() {
            Some(job) => {
                let low = !q.closed && q.files.len() == HIGH_WATER / 4;
                drop(q);
                if low {
                    self.results.notify_one();
                }
                Take::Job(self.taken(job))
            }
            None if q.closed => Take::End,
            None => Take::Later,
        }
    }

    /// The longest file, if one thread needs longer for it alone than the others for all other files: in a lane it would
    /// come last and alone. `speedup` is how much faster many lanes are, at most, than one message.
    pub(crate) fn take_dominant(&self, speedup: u64, fresh: &mut bool) -> Option<Taken<'_>> {
        let mut q = self.lock();
        if !q.closed {
            return None;
        }
        let size = q.files.peek()?.size;
        let rest = q.bytes - size;
        // Few files fill few lanes.
        let eighths = (7 + q.files.len() as u64).min(8 * speedup);
        if u128::from(size) * u128::from(eighths) <= u128::from(rest) * 8 {
            return None;
        }
        q.count_started(fresh);
        q.pop().map(|job| self.taken(job))
    }

    fn taken(&self, job: Job) -> Taken<'_> {
        Taken { queue: self, job: Some(job) }
    }

    /// A pipe or device. Standard input only if nobody reads it.
    pub(crate) fn take_stream(&self) -> Option<Taken<'_>> {
        let mut q = self.lock();
        let busy = q.stdin_busy;
        let i = q.streams.iter().position(|j| !(busy && j.is_stdin()))?;
        let job = q.streams.remove(i)?;
        q.stdin_busy |= job.is_stdin();
        Some(self.taken(job))
    }

    /// Waits until there may be work. False if there never will be any, or not before the worker returns.
    pub(crate) fn wait(&self) -> bool {
        let mut q = self.lock();
        loop {
            let stream = q.streams.iter().any(|j| !(q.stdin_busy && j.is_stdin()));
            if !q.files.is_empty() || stream {
                return true;
            }
            if q.closed && q.streams.is_empty() || q.alone {
                return false;
            }
            q = self.work.wait(q).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Delivers a result.
    pub(crate) fn done(&self, job: Job, result: Result<Box<[u8]>, Error>) {
        self.progress.done();
        let stdin = job.is_stdin();
        let input = match job.what {
            What::Input(input) => input,
            What::Task(task) => {
                task.done(result.map(|bytes| self.split(&bytes)));
                return;
            }
        };
        let mut q = self.lock();
        if stdin {
            q.stdin_busy = false;
        }
        let i = (job.index - q.reported) as usize;
        q.done[i] = Some((input, result));
        q.arrived += 1;
        let wake = q.arrived == WAKE || q.arrived == q.done.len();
        drop(q);
        if wake {
            self.results.notify_one();
        }
        if stdin {
            self.work.notify_all();
        }
    }

    /// The digests of one message.
    pub(crate) fn split(&self, mut bytes: &[u8]) -> Vec<Digest> {
        let mut next = |a: &Algorithm| {
            let (digest, rest) = bytes.split_at(a.digest_len());
            bytes = rest;
            Digest::from_bytes(digest)
        };
        self.algorithms.iter().map(&mut next).collect()
    }

    /// Runs a worker, and says that it has ended. If it panics, what it held has failed; if it was the last, so has all that waits
    /// and all that comes.
    pub(crate) fn work(&self, run: impl FnOnce()) {
        let panicked = catch_unwind(AssertUnwindSafe(run)).is_err();
        let mut q = self.lock();
        q.panicked |= panicked;
        let orphans = std::mem::take(&mut q.orphans);
        drop(q);
        self.fail(orphans, &Error::Panicked);
        self.leave();
    }

    /// There is one worker less.
    fn leave(&self) {
        let mut q = self.lock();
        q.alive -= 1;
        let lost = if q.alive == 0 && q.panicked { q.die(Error::Panicked) } else { Vec::new() };
        drop(q);
        self.fail(lost, &Error::Panicked);
        self.lock().present -= 1;
        self.results.notify_one();
    }

    /// Gives up, since no worker could be started.
    pub(crate) fn give_up(&self, e: Error) {
        let lost = self.lock().die(e.again());
        self.fail(lost, &e);
    }

    /// Tells jobs that they have failed.
    fn fail(&self, jobs: Vec<Job>, e: &Error) {
        for job in jobs {
            // What a task does then is its own affair, and the next one's turn comes in any case.
            let told = catch_unwind(AssertUnwindSafe(|| {
                if job.inside {
                    self.progress.done();
                    drop(job);
                } else {
                    self.done(job, Err(e.again()));
                }
            }));
            if told.is_err() {
                self.lock().panicked = true;
            }
        }
    }
}

impl Inner {
    /// Takes out all that waits; what comes later is told the error too.
    fn die(&mut self, e: Error) -> Vec<Job> {
        self.dead = Some(e);
        self.bytes = 0;
        self.files.drain().chain(self.streams.drain(..)).collect()
    }

    fn count_started(&mut self, fresh: &mut bool) {
        if std::mem::take(fresh) {
            self.unstarted = self.unstarted.saturating_sub(1);
        }
    }

    fn pop(&mut self) -> Option<Job> {
        let job = self.files.pop()?;
        self.bytes -= job.size;
        Some(job)
    }
}

#[cfg(test)]
pub(crate) mod tests;
