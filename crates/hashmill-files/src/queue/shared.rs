//! The shared queue: files wait in it, longest first, and results leave it in the order in which the files were named.
//!
//! One thread (the caller's) puts files in and takes results out; workers do the opposite. Both ends are bounded: there
//! are at most [`REORDER`] files from the first that has not been reported to the last that has been put in.
//!
//! Files enter the queue unseen: the system has not been asked yet how long they are. A worker takes several at once
//! ([`Batch`]), examines each, hashes the short ones right away and gives the others back with their lengths. Taking
//! and delivering them one by one, each under the queue's lock, would cost as much as hashing a short file.
//!
//! No job is lost. A worker holds jobs as [`Taken`]; those that it drops in a panic become orphans, which fail once the
//! panic is over. When the last worker has gone after a panic, all waiting jobs fail, and so do all that come later.

use crate::base::error::Error;
use crate::base::options::Io;
use crate::base::progress::Progress;
use crate::queue::job::{GENERATION, Job, Message, SHORT, SLOW};
use crate::read::device::Devices;
use crate::read::input::{Input, Kind};
use hashmill::{Algorithm, Digest};
use std::collections::{BTreeMap, BinaryHeap, HashSet, VecDeque};
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Maximum number of queued files; more are looked for when half are gone.
const HIGH_WATER: usize = 4096;

/// Maximum number of results held back while an earlier file is still being read.
const REORDER: u64 = 1 << 16;

/// Number of results that wakes the reporting thread early.
const WAKE: usize = 256;

/// How often the reporting thread looks for results.
const TICK: Duration = Duration::from_millis(10);

/// Maximum number of files that a worker takes at once, before their lengths are known, and of results that it delivers
/// at once.
const BATCH: usize = 32;

/// Number of files examined before it is decided whether files come from a medium.
const LOOKS: usize = 64;

/// A job held by a worker.
pub(crate) struct Taken<'a> {
    queue: &'a Queue<'a>,
    /// `None` only after it has been delivered.
    job: Option<Job>,
}

impl Taken<'_> {
    /// Delivers the result.
    pub(crate) fn done(mut self, result: Result<Box<[u8]>, Error>) {
        if let Some(job) = self.job.take() {
            self.queue.done(job, result);
        }
    }

    fn into_job(mut self) -> Option<Job> {
        self.job.take()
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
        // Most likely a panic is unwinding, during which no task may be called: a second panic would abort the process.
        if let Some(job) = self.job.take() {
            self.queue.lock().orphans.push(job);
        }
    }
}

/// What a worker holds besides the jobs that it is hashing: inputs that it is going to examine, and what it is going to
/// give back. The latter is exchanged for the next inputs in one step.
pub(crate) struct Batch<'a> {
    queue: &'a Queue<'a>,
    unseen: VecDeque<Taken<'a>>,
    /// How many inputs, of these and of earlier ones, the queue counts as being examined.
    looking: usize,
    /// Inputs that have been examined but are not to be hashed right away.
    seen: Vec<(Taken<'a>, Kind)>,
    /// Number of inputs examined since the last exchange, and how often the system had to access a medium for them.
    looks: (usize, usize),
    /// Results, with the indices of their jobs.
    done: Vec<(u64, Done)>,
    /// Whether there is only one input.
    lone: bool,
}

impl<'a> Batch<'a> {
    pub(crate) fn new(queue: &'a Queue<'a>) -> Self {
        Batch {
            queue,
            unseen: VecDeque::new(),
            looking: 0,
            seen: Vec::new(),
            looks: (0, 0),
            done: Vec::new(),
            lone: false,
        }
    }

    /// Returns the next job for this worker: a short file, or else the longest.
    pub(crate) fn take(&mut self) -> Take<'a> {
        loop {
            if let Some(job) = self.unseen.pop_front() {
                if let Some(job) = self.look(job, false) {
                    return Take::Job(job);
                }
            } else if !self.queue.exchange(self, true) {
                return self.queue.take_file();
            }
        }
    }

    /// Examines an input. Returns it if it is a short file to be hashed right away; if `wait` is set, none is.
    fn look(&mut self, mut job: Taken<'a>, wait: bool) -> Option<Taken<'a>> {
        let start = Instant::now();
        let kind = job.look(&self.queue.devices, self.lone);
        self.looks.0 += 1;
        self.looks.1 += usize::from(start.elapsed() > SLOW);
        match kind {
            Err(e) => {
                self.done(job, Err(e));
                None
            }
            Ok(kind) => {
                self.queue.progress.more(job.size);
                if kind == Kind::Stream {
                    self.queue.progress.open_ended();
                }
                if kind == Kind::Regular && job.size <= SHORT && job.gate.is_none() && !wait {
                    return Some(job);
                }
                self.seen.push((job, kind));
                None
            }
        }
    }

    /// Delivers a result: now, or together with others if the next one will not be long in coming.
    pub(crate) fn done(&mut self, mut job: Taken<'a>, result: Result<Box<[u8]>, Error>) {
        match job.job.take() {
            Some(Job {
                index,
                what: Message::Input(input @ Input::Path(_)),
                at: bytes,
                changed,
                slow,
                gate: None,
                ..
            }) => {
                self.queue.progress.done();
                self.looks.1 += usize::from(slow);
                self.done.push((index, Done { input, result, bytes, changed }));
                if self.unseen.is_empty() || self.done.len() >= BATCH {
                    self.queue.exchange(self, false);
                }
            }
            Some(job) => self.queue.done(job, result),
            None => {}
        }
    }

    /// Returns whether there is nothing to give back.
    fn is_settled(&self) -> bool {
        self.done.is_empty() && self.seen.is_empty() && self.looking == self.unseen.len()
    }
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        // After a panic there may be jobs left, which become orphans, and results, which are delivered.
        self.unseen.clear();
        self.queue.exchange(self, false);
    }
}

/// How much work is waiting.
pub(crate) struct Waiting {
    pub(crate) unseen: usize,
    pub(crate) files: usize,
    pub(crate) bytes: u64,
    pub(crate) streams: usize,
}

/// The outcome of a job.
pub(crate) struct Done {
    pub(crate) input: Input,
    /// The digests of all algorithms one after the other, or an error.
    pub(crate) result: Result<Box<[u8]>, Error>,
    /// Number of bytes read.
    pub(crate) bytes: u64,
    /// Whether the file was written to meanwhile.
    pub(crate) changed: bool,
}

/// The answer to a worker that asks for a file.
pub(crate) enum Take<'a> {
    Job(Taken<'a>),
    /// There is none at the moment.
    Later,
    /// There will be no more.
    End,
}

struct Inner {
    /// Inputs that have not been examined.
    unseen: VecDeque<Job>,
    /// Number of inputs that workers are examining. The long ones come back, so more regular files may follow.
    looking: usize,
    /// Tasks, and regular files that have been examined.
    files: BinaryHeap<Job>,
    /// Total of their lengths.
    bytes: u64,
    /// Pipes and devices. They may block for any length of time, so they are read when there is nothing else to do.
    streams: VecDeque<Job>,
    /// Regular files on devices that are best read by one reader, in the order in which they were examined.
    gated: BTreeMap<u64, VecDeque<Job>>,
    /// Those of these devices that a worker is reading.
    busy: HashSet<u64>,
    /// How many of the unseen inputs have been handed to prefetchers: these are the first ones.
    scouted: usize,
    /// Number of inputs examined lately, and how often the system had to access a medium for them.
    looks: (usize, usize),
    /// Whether it had to do so often.
    cold: bool,
    /// Whether a worker is reading standard input; no other may.
    stdin_busy: bool,
    /// Whether no more jobs will be put in.
    closed: bool,
    /// Number of workers that have not taken their share yet.
    unstarted: usize,
    /// Number of workers that are running or still to be started.
    alive: usize,
    /// Number of these, and of workers that are still reporting the failure of jobs before they end.
    present: usize,
    /// Whether the caller's thread is the only one. Nobody waits for jobs then, since nobody would bring any.
    alone: bool,
    /// Whether a worker has panicked.
    panicked: bool,
    /// The error that jobs receive once there is no worker left to do them.
    dead: Option<Error>,
    /// Jobs that a worker dropped without delivering them.
    orphans: Vec<Job>,
    /// Index of the first job not yet reported.
    reported: u64,
    /// Index of the next job to be put in.
    next: u64,
    done: VecDeque<Option<Done>>,
    /// Number of results in `done`, in order or not.
    arrived: usize,
    /// Number of workers waiting for jobs. Signalling costs a system call even if nobody waits.
    asleep: usize,
    /// Whether the reporting thread is waiting for results.
    awaited: bool,
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

pub(crate) struct Queue<'a> {
    inner: Mutex<Inner>,
    /// Signalled when there is work again, or when there will never be any more.
    work: Condvar,
    /// Signalled when there are enough results to report or too few jobs waiting.
    results: Condvar,
    pub(crate) progress: &'a Progress,
    pub(crate) devices: Devices,
    /// The algorithms whose digests make up a result.
    algorithms: &'a [Algorithm],
}

impl<'a> Queue<'a> {
    pub(crate) fn new(progress: &'a Progress, algorithms: &'a [Algorithm], io: Io) -> Self {
        Queue {
            devices: Devices::new(io),
            inner: Mutex::new(Inner {
                unseen: VecDeque::new(),
                looking: 0,
                files: BinaryHeap::new(),
                bytes: 0,
                streams: VecDeque::new(),
                gated: BTreeMap::new(),
                busy: HashSet::new(),
                scouted: 0,
                looks: (0, 0),
                cold: false,
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
                asleep: 0,
                awaited: false,
            }),
            work: Condvar::new(),
            results: Condvar::new(),
            progress,
            algorithms,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // A panic elsewhere is reported by the thread in which it occurred; the queue itself is never left
        // half-changed.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    // The caller's side, which puts jobs in and reports results.

    /// Returns how many more inputs may be put in now.
    pub(crate) fn room(&self) -> usize {
        let q = self.lock();
        let between = (REORDER - (q.next - q.reported)) as usize;
        HIGH_WATER.saturating_sub(q.waiting()).min(between)
    }

    /// Puts in inputs, of which there may be at most as many as there is [`room`](Queue::room) for.
    pub(crate) fn put_inputs(&self, inputs: &mut Vec<Incoming>) {
        let mut lost = Vec::new();
        let mut q = self.lock();
        let n = inputs.len();
        for found in inputs.drain(..) {
            self.progress.found(0);
            let index = q.next;
            q.next += 1;
            q.done.push_back(None);
            match found {
                Incoming::Input { input, listed, regular_only } => {
                    let mut job = Job::input(index, input, listed);
                    job.regular_only = regular_only;
                    match &q.dead {
                        Some(e) => lost.push((job, e.again())),
                        None => q.unseen.push_back(job),
                    }
                }
                Incoming::Failed(input, e) => lost.push((Job::input(index, input, false), e)),
            }
        }
        let wake = q.asleep.min(n - lost.len());
        drop(q);
        self.wake(wake);
        lost.into_iter().for_each(|(job, e)| self.done(job, Err(e)));
    }

    /// Puts in a task.
    pub(crate) fn put_task(&self, job: Job) {
        self.progress.found(job.size);
        let mut q = self.lock();
        if let Some(e) = &q.dead {
            let e = e.again();
            drop(q);
            return self.fail(vec![job], &e);
        }
        q.bytes += job.size;
        q.files.push(job);
        let wake = q.asleep.min(1);
        drop(q);
        self.wake(wake);
    }

    /// Wakes one waiting worker, or all if there is work for more than one.
    fn wake(&self, workers: usize) {
        match workers {
            0 => {}
            1 => self.work.notify_one(),
            _ => self.work.notify_all(),
        }
    }

    /// Declares that there will be no more jobs.
    pub(crate) fn close(&self) {
        let mut q = self.lock();
        q.closed = true;
        self.note_complete(&q);
        let asleep = q.asleep;
        drop(q);
        self.wake(asleep);
    }

    /// Examines all unseen inputs on the calling thread.
    pub(crate) fn look_at_all(&self) {
        let mut batch = Batch::new(self);
        batch.lone = self.lock().next == 1;
        while self.exchange(&mut batch, true) {
            while let Some(job) = batch.unseen.pop_front() {
                batch.look(job, true);
            }
        }
    }

    /// Marks the totals as final if there is nothing left to be found.
    fn note_complete(&self, q: &Inner) {
        if q.closed && q.unseen.is_empty() && q.looking == 0 {
            self.progress.complete();
        }
    }

    /// Drops all waiting jobs, since nobody wants their results any more.
    pub(crate) fn cancel(&self) {
        let mut q = self.lock();
        q.unseen.clear();
        q.files.clear();
        q.streams.clear();
        q.gated.clear();
        q.closed = true;
        drop(q);
        self.work.notify_all();
    }

    /// Returns how much work is waiting. Files for one reader count among the streams.
    pub(crate) fn waiting(&self) -> Waiting {
        let q = self.lock();
        let gated = q.gated.values().map(VecDeque::len).sum::<usize>();
        Waiting { unseen: q.unseen.len(), files: q.files.len(), bytes: q.bytes, streams: q.streams.len() + gated }
    }

    /// Sets the number of workers.
    pub(crate) fn start(&self, workers: usize) {
        let mut q = self.lock();
        q.unstarted = workers;
        (q.alive, q.present) = (workers, workers);
    }

    /// Notes that one of the workers could not be started.
    pub(crate) fn not_started(&self) {
        let mut q = self.lock();
        q.unstarted = q.unstarted.saturating_sub(1);
        drop(q);
        self.leave();
    }

    /// Announces a worker on the thread that puts jobs in; it returns when there are none left.
    pub(crate) fn start_here(&self) {
        let mut q = self.lock();
        q.unstarted = 1;
        (q.alive, q.present) = (1, 1);
        q.alone = true;
        q.dead = None;
    }

    /// Returns an error if a worker has panicked.
    pub(crate) fn end(&self) -> Result<(), Error> {
        if self.lock().panicked { Err(Error::Panicked) } else { Ok(()) }
    }

    /// Moves the results that can be reported now into `out`. If there are none, waits for some unless more jobs are
    /// wanted. Returns false when everything has been reported.
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
                // The bound on results may have kept the caller from putting in more files.
                return true;
            }
            if q.closed && q.reported == q.next {
                return false;
            }
            if q.closed && q.present == 0 {
                // No worker is left, so a result has been lost. This should never happen, but waiting for it would be
                // worse than reporting it.
                q.panicked = true;
                return false;
            }
            if !q.closed && q.waiting() < HIGH_WATER / 2 && q.next - q.reported < REORDER {
                return true;
            }
            q.awaited = true;
            q = self.results.wait_timeout(q, TICK).unwrap_or_else(PoisonError::into_inner).0;
            q.awaited = false;
        }
    }

    // The workers' side.

    /// Returns a worker's fair share of the files for its first slots; the rest is for workers that have not started.
    pub(crate) fn share(&self, fresh: &mut bool) -> usize {
        let mut q = self.lock();
        let share = (q.unseen.len() + q.files.len()).div_ceil(q.unstarted.max(1));
        q.count_started(fresh);
        share
    }

    /// Delivers a worker's results, takes back the inputs that it has examined and not hashed, and gives it others if
    /// `more` is set. Returns false if it has got none.
    fn exchange(&self, batch: &mut Batch<'_>, more: bool) -> bool {
        if !more && batch.is_settled() {
            return false;
        }
        let mut q = self.lock();
        let mut wake = 0;
        for (index, done) in batch.done.drain(..) {
            q.deliver(index, done);
        }
        for (job, kind) in batch.seen.drain(..) {
            let Some(job) = job.into_job() else { continue };
            wake += 1;
            match (kind, job.gate) {
                (Kind::Regular, Some(device)) => q.gated.entry(device).or_default().push_back(job),
                (Kind::Regular, None) => {
                    q.bytes += job.size;
                    q.files.push(job);
                }
                _ => q.streams.push_back(job),
            }
        }
        let (all, slow) = std::mem::take(&mut batch.looks);
        q.looks = (q.looks.0 + all, q.looks.1 + slow);
        if q.looks.0 >= LOOKS {
            let (all, slow) = std::mem::take(&mut q.looks);
            q.cold = slow * 4 >= all;
        }
        q.looking -= batch.looking - batch.unseen.len();
        batch.looking = batch.unseen.len();
        if q.looking == 0 && q.closed {
            // Waiting workers may learn now that nothing more will come.
            wake = q.asleep;
        }
        let before = q.waiting();
        // Results are reported in order, so long files of an earlier generation must not wait for these inputs.
        let generation = |job: Option<&Job>| job.map_or(u64::MAX, |j| j.index / GENERATION);
        if more && generation(q.files.peek()) >= generation(q.unseen.front()) {
            let n = (q.unseen.len() / (2 * q.alive.max(1))).clamp(1, BATCH).min(q.unseen.len());
            for _ in 0..n {
                if let Some(job) = q.unseen.pop_front() {
                    q.scouted = q.scouted.saturating_sub(1);
                    batch.unseen.push_back(Taken { queue: batch.queue, job: Some(job) });
                }
            }
            batch.looking += n;
            q.looking += n;
        }
        self.note_complete(&q);
        let low = !q.closed && before > HIGH_WATER / 4 && q.waiting() <= HIGH_WATER / 4;
        let results = q.awaited && (low || q.is_worth_reporting());
        let wake = wake.min(q.asleep);
        drop(q);
        self.wake(wake);
        if results {
            self.results.notify_one();
        }
        !batch.unseen.is_empty()
    }

    /// Takes the longest file that has been examined.
    fn take_file(&self) -> Take<'_> {
        let mut q = self.lock();
        match q.pop() {
            Some(job) => {
                let low = q.awaited && !q.closed && q.waiting() == HIGH_WATER / 4;
                drop(q);
                if low {
                    self.results.notify_one();
                }
                Take::Job(self.taken(job))
            }
            None if q.closed && q.unseen.is_empty() && q.looking == 0 => Take::End,
            None => Take::Later,
        }
    }

    /// Takes the longest file if hashing it alone takes one thread longer than the others need for all other files: in
    /// a lane it would be the last to end, on its own. `speedup` is how many times faster full lanes are than one
    /// message.
    pub(crate) fn take_dominant(&self, speedup: u64, fresh: &mut bool) -> Option<Taken<'_>> {
        let mut q = self.lock();
        if !q.closed || !q.unseen.is_empty() || q.looking > 0 {
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

    /// Takes a pipe or device, and standard input only if no worker is reading it.
    pub(crate) fn take_stream(&self) -> Option<Taken<'_>> {
        let mut q = self.lock();
        let busy = q.stdin_busy;
        let i = q.streams.iter().position(|j| !(busy && j.is_stdin()))?;
        let job = q.streams.remove(i)?;
        q.stdin_busy |= job.is_stdin();
        Some(self.taken(job))
    }

    /// Takes a file on a device that is best read by one reader and that no worker is reading.
    pub(crate) fn take_gated(&self) -> Option<Taken<'_>> {
        let mut q = self.lock();
        let device = q.open_gate()?;
        let jobs = q.gated.get_mut(&device)?;
        let job = jobs.pop_front()?;
        if jobs.is_empty() {
            q.gated.remove(&device);
        }
        q.busy.insert(device);
        Some(self.taken(job))
    }

    /// Returns the paths of the next inputs that have been neither examined nor handed to a prefetcher, and whether
    /// listings have reported them as regular files. Returns `None` when there will be no more.
    pub(crate) fn scout(&self, most: usize) -> Option<Vec<(PathBuf, bool)>> {
        let mut q = self.lock();
        let path = |job: &Job| match &job.what {
            Message::Input(Input::Path(path)) => Some((path.clone(), job.listed)),
            _ => None,
        };
        let found: Vec<_> = q.unseen.iter().skip(q.scouted).take(most).filter_map(path).collect();
        q.scouted = (q.scouted + most).min(q.unseen.len());
        if found.is_empty() && q.closed { None } else { Some(found) }
    }

    /// Returns whether files come from a medium.
    pub(crate) fn is_cold(&self) -> bool {
        self.lock().cold
    }

    /// Waits until there may be work. Returns false if there will never be any, or none before this worker returns.
    pub(crate) fn wait(&self) -> bool {
        let mut q = self.lock();
        loop {
            let stream = q.streams.iter().any(|j| !(q.stdin_busy && j.is_stdin()));
            if !q.unseen.is_empty() || !q.files.is_empty() || stream || q.open_gate().is_some() {
                return true;
            }
            if q.closed && q.streams.is_empty() && q.gated.is_empty() && q.looking == 0 || q.alone {
                return false;
            }
            q.asleep += 1;
            q = self.work.wait(q).unwrap_or_else(PoisonError::into_inner);
            q.asleep -= 1;
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
        if stdin {
            q.stdin_busy = false;
        }
        let passed = job.gate.is_some_and(|device| q.busy.remove(&device));
        q.deliver(job.index, Done { input, result, bytes: job.at, changed: job.changed });
        let wake = q.awaited && q.is_worth_reporting();
        drop(q);
        if wake {
            self.results.notify_one();
        }
        if stdin || passed {
            self.work.notify_all();
        }
    }

    /// Splits a result into the digests of the algorithms.
    pub(crate) fn split(&self, mut bytes: &[u8]) -> Vec<Digest> {
        let mut next = |a: &Algorithm| {
            let (digest, rest) = bytes.split_at(a.digest_len());
            bytes = rest;
            Digest::from_bytes(digest)
        };
        self.algorithms.iter().map(&mut next).collect()
    }

    /// Runs a worker, and notes when it has ended. If it panics, the jobs that it held fail; if it was the last worker,
    /// so do all jobs that wait or come later.
    pub(crate) fn work(&self, run: impl FnOnce()) {
        let panicked = catch_unwind(AssertUnwindSafe(run)).is_err();
        let mut q = self.lock();
        q.panicked |= panicked;
        let orphans = std::mem::take(&mut q.orphans);
        drop(q);
        self.fail(orphans, &Error::Panicked);
        self.leave();
    }

    /// Notes that a worker has ended.
    fn leave(&self) {
        let mut q = self.lock();
        q.alive -= 1;
        let lost = if q.alive == 0 && q.panicked { q.die(Error::Panicked) } else { Vec::new() };
        drop(q);
        self.fail(lost, &Error::Panicked);
        let mut q = self.lock();
        q.present -= 1;
        let awaited = q.awaited;
        drop(q);
        if awaited {
            self.results.notify_one();
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
                self.lock().panicked = true;
            }
        }
    }
}

impl Inner {
    /// Takes out all waiting jobs; those that come later receive the error, too.
    fn die(&mut self, e: Error) -> Vec<Job> {
        self.dead = Some(e);
        self.bytes = 0;
        let gated = std::mem::take(&mut self.gated).into_values().flatten();
        self.unseen.drain(..).chain(self.files.drain()).chain(self.streams.drain(..)).chain(gated).collect()
    }

    /// Returns the number of waiting jobs.
    fn waiting(&self) -> usize {
        let gated = self.gated.values().map(VecDeque::len).sum::<usize>();
        self.unseen.len() + self.files.len() + self.streams.len() + gated
    }

    /// Returns a device on which files wait for one reader and that no worker is reading.
    fn open_gate(&self) -> Option<u64> {
        self.gated.keys().copied().find(|d| !self.busy.contains(d))
    }

    /// Puts a result in its place.
    fn deliver(&mut self, index: u64, done: Done) {
        let i = (index - self.reported) as usize;
        self.done[i] = Some(done);
        self.arrived += 1;
    }

    /// Returns whether the reporting thread should be woken early.
    fn is_worth_reporting(&self) -> bool {
        let first = self.done.front().is_some_and(Option::is_some);
        first && (self.arrived >= WAKE || self.arrived == self.done.len())
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
