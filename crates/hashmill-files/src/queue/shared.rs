//! The shared queue: files wait in it, longest first, and results leave it in the order in which the files were named.
//!
//! One thread (the caller's) puts files in and takes results out; workers do the opposite. Both ends are bounded: at
//! most [`REORDER`] files are between the first that has not been reported and the last that has been put in.
//!
//! Files come in unseen: nobody has asked the system yet how long they are. A worker takes several at once ([`Batch`]),
//! looks at each, hashes the short ones right away and gives the others back with their lengths. Taking and delivering
//! one by one, each under the queue's lock, would cost as much as hashing a short file.
//!
//! No job is lost. A worker holds jobs as [`Taken`], and what it lets fall in a panic comes back as an orphan, which is
//! told the error when the panic is over; so is all that waits when the last worker has gone, and all that comes later.

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

/// So many files wait at most; more are looked for when half are gone.
const HIGH_WATER: usize = 4096;

/// So many results are held back at most while an earlier file is still being read.
const REORDER: u64 = 1 << 16;

/// So many results wake the reporting thread before its time.
const WAKE: usize = 256;

/// The reporting thread looks for results this often.
const TICK: Duration = Duration::from_millis(10);

/// Files that a worker takes at once, before anybody knows how long they are, and results that it delivers at once.
const BATCH: usize = 32;

/// After so many looks it is decided whether files come from a medium.
const LOOKS: usize = 64;

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
        // Most likely a panic goes on, in which a task must not be called: a second one would be the end of the
        // process.
        if let Some(job) = self.job.take() {
            self.queue.lock().orphans.push(job);
        }
    }
}

/// What a worker has in its hands beside the jobs it is at: inputs that it is going to look at, and what it is going to
/// give back. All of that is exchanged for the next inputs at once.
pub(crate) struct Batch<'a> {
    queue: &'a Queue<'a>,
    unseen: VecDeque<Taken<'a>>,
    /// How many of these, and of those before them, the queue counts as being looked at.
    looking: usize,
    /// What has been looked at and is not for now.
    seen: Vec<(Taken<'a>, Kind)>,
    /// How many inputs have been looked at since the last exchange, and how often the system had to ask a medium for
    /// them.
    looks: (usize, usize),
    /// Results, by the indices of their jobs.
    done: Vec<(u64, Done)>,
    /// There is but one input.
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

    /// The next job for this worker: a short file, or else the longest.
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

    /// Looks at an input. Returns it if it is short, unless all are to wait.
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

    /// Delivers a result: now, or together with others if the next will not be long in coming.
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

    /// Whether there is nothing to give back.
    fn is_settled(&self) -> bool {
        self.done.is_empty() && self.seen.is_empty() && self.looking == self.unseen.len()
    }
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        // After a panic there may be jobs, which become orphans, and there are results.
        self.unseen.clear();
        self.queue.exchange(self, false);
    }
}

/// How much waits.
pub(crate) struct Waiting {
    pub(crate) unseen: usize,
    pub(crate) files: usize,
    pub(crate) bytes: u64,
    pub(crate) streams: usize,
}

/// What became of a job.
pub(crate) struct Done {
    pub(crate) input: Input,
    /// The digests of all algorithms one after the other, or an error.
    pub(crate) result: Result<Box<[u8]>, Error>,
    /// Bytes that were read.
    pub(crate) bytes: u64,
    /// It was written to meanwhile.
    pub(crate) changed: bool,
}

/// The answer to a worker that asks for a file.
pub(crate) enum Take<'a> {
    Job(Taken<'a>),
    /// None now.
    Later,
    /// Never again.
    End,
}

struct Inner {
    /// Inputs that nobody has looked at.
    unseen: VecDeque<Job>,
    /// How many of those workers have taken and not given back the long ones among them: more regular files may come of
    /// them.
    looking: usize,
    /// Regular files.
    files: BinaryHeap<Job>,
    /// The sum of their lengths.
    bytes: u64,
    /// Pipes, devices: they may block for any time, so they are read when nothing else is to do.
    streams: VecDeque<Job>,
    /// Regular files on devices that are best read by one reader, in the order in which they were named.
    gated: BTreeMap<u64, VecDeque<Job>>,
    /// Devices of these that somebody reads.
    busy: HashSet<u64>,
    /// How many of the files that wait unseen have been scouted: these are the first.
    scouted: usize,
    /// How many inputs were looked at lately, and how often the system had to ask a medium for them.
    looks: (usize, usize),
    /// There were many of these.
    cold: bool,
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
    /// Workers that wait for work. To signal where nobody waits costs a system call.
    asleep: usize,
    /// The reporting thread waits for results.
    awaited: bool,
}

/// What an input comes to before it is hashed.
pub(crate) enum Incoming {
    /// A regular file if a listing says so; else nobody knows.
    Input {
        /// What is to be hashed.
        input: Input,
        /// A folder's listing has said that it is a regular file.
        listed: bool,
    },
    /// It cannot be hashed.
    Failed(Input, Error),
}

pub(crate) struct Queue<'a> {
    inner: Mutex<Inner>,
    /// Signalled when there is work again, or never again.
    work: Condvar,
    /// Signalled when there is enough to report or too little to do.
    results: Condvar,
    pub(crate) progress: &'a Progress,
    pub(crate) devices: Devices,
    /// What results consist of.
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
        // A panic elsewhere is reported by the thread that had it; the queue itself is never left half-changed.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    // The side that puts in and reports.

    /// How many more inputs may be put in now.
    pub(crate) fn room(&self) -> usize {
        let q = self.lock();
        let between = (REORDER - (q.next - q.reported)) as usize;
        HIGH_WATER.saturating_sub(q.waiting()).min(between)
    }

    /// Puts in inputs, at most as many as there is [`room`](Queue::room) for.
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
                Incoming::Input { input, listed } => {
                    let job = Job::input(index, input, listed);
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

    /// Wakes workers that wait for work.
    fn wake(&self, workers: usize) {
        match workers {
            0 => {}
            1 => self.work.notify_one(),
            _ => self.work.notify_all(),
        }
    }

    /// Says that there will be no more jobs.
    pub(crate) fn close(&self) {
        let mut q = self.lock();
        q.closed = true;
        self.note_complete(&q);
        let asleep = q.asleep;
        drop(q);
        self.wake(asleep);
    }

    /// Looks at what nobody has looked at, on the calling thread.
    pub(crate) fn look_at_all(&self) {
        let mut batch = Batch::new(self);
        batch.lone = self.lock().next == 1;
        while self.exchange(&mut batch, true) {
            while let Some(job) = batch.unseen.pop_front() {
                batch.look(job, true);
            }
        }
    }

    /// The totals are final when nothing is to be found any more.
    fn note_complete(&self, q: &Inner) {
        if q.closed && q.unseen.is_empty() && q.looking == 0 {
            self.progress.complete();
        }
    }

    /// Drops all that waits: nobody wants to know any more.
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

    /// What waits: inputs that nobody has looked at; files, their bytes, and pipes.
    pub(crate) fn waiting(&self) -> Waiting {
        let q = self.lock();
        let gated = q.gated.values().map(VecDeque::len).sum::<usize>();
        Waiting { unseen: q.unseen.len(), files: q.files.len(), bytes: q.bytes, streams: q.streams.len() + gated }
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

    /// Moves what can be reported now into `out`. Waits a moment if that is nothing and no jobs are wanted either.
    /// False when everything has been reported.
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
                // Nothing more will come, so something was lost, which cannot be. To wait for it would be worse than to
                // say so.
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

    /// A worker's fair share of the files when it seats its first ones; the rest is for workers that have not started.
    pub(crate) fn share(&self, fresh: &mut bool) -> usize {
        let mut q = self.lock();
        let share = (q.unseen.len() + q.files.len()).div_ceil(q.unstarted.max(1));
        q.count_started(fresh);
        share
    }

    /// Delivers a worker's results, takes back the long ones of the inputs it has looked at, and gives it others if
    /// `more`. False if it got none.
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
            // Who waits may learn now that nothing more will come.
            wake = q.asleep;
        }
        let before = q.waiting();
        // Results are reported in order: long files that come before all of these must not wait for them.
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

    /// The longest file that has been looked at.
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

    /// The longest file, if one thread needs longer for it alone than the others for all other files: in a lane it
    /// would come last and alone. `speedup` is how much faster many lanes are, at most, than one message.
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

    /// A pipe or device. Standard input only if nobody reads it.
    pub(crate) fn take_stream(&self) -> Option<Taken<'_>> {
        let mut q = self.lock();
        let busy = q.stdin_busy;
        let i = q.streams.iter().position(|j| !(busy && j.is_stdin()))?;
        let job = q.streams.remove(i)?;
        q.stdin_busy |= job.is_stdin();
        Some(self.taken(job))
    }

    /// A file on a device that is best read by one reader, and that nobody reads.
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

    /// The paths of the next inputs that nobody has looked at or scouted, and whether listings say that they are
    /// regular files. None when there will be no more.
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

    /// Whether files come from a medium.
    pub(crate) fn is_cold(&self) -> bool {
        self.lock().cold
    }

    /// Waits until there may be work. False if there never will be any, or not before the worker returns.
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

    /// Delivers a result.
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

    /// The digests of one message.
    pub(crate) fn split(&self, mut bytes: &[u8]) -> Vec<Digest> {
        let mut next = |a: &Algorithm| {
            let (digest, rest) = bytes.split_at(a.digest_len());
            bytes = rest;
            Digest::from_bytes(digest)
        };
        self.algorithms.iter().map(&mut next).collect()
    }

    /// Runs a worker, and says that it has ended. If it panics, what it held has failed; if it was the last, so has all
    /// that waits and all that comes.
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
        let mut q = self.lock();
        q.present -= 1;
        let awaited = q.awaited;
        drop(q);
        if awaited {
            self.results.notify_one();
        }
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
        let gated = std::mem::take(&mut self.gated).into_values().flatten();
        self.unseen.drain(..).chain(self.files.drain()).chain(self.streams.drain(..)).chain(gated).collect()
    }

    /// How many jobs wait.
    fn waiting(&self) -> usize {
        let gated = self.gated.values().map(VecDeque::len).sum::<usize>();
        self.unseen.len() + self.files.len() + self.streams.len() + gated
    }

    /// A device for one reader that nobody reads, and files on it wait.
    fn open_gate(&self) -> Option<u64> {
        self.gated.keys().copied().find(|d| !self.busy.contains(d))
    }

    /// Puts a result in its place.
    fn deliver(&mut self, index: u64, done: Done) {
        let i = (index - self.reported) as usize;
        self.done[i] = Some(done);
        self.arrived += 1;
    }

    /// Whether the reporting thread should be woken before its time.
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
