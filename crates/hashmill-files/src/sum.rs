//! Digests of many files.

use crate::bulk::Bulk;
use crate::error::{Error, Problem};
use crate::input::Input;
use crate::progress::Progress;
use crate::pull::Pull;
use crate::queue::{Done, Job, Queue};
use crate::spare::Spare;
use crate::stream;
use hashmill::{Algorithm, Digest, Mill};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

/// Messages per thread and kernel at most, so that a thread needs few megabytes.
const MOST_SLOTS: usize = 64;

/// A set of files shorter than this altogether is not worth starting threads for.
const SMALL_WORK: u64 = 256 << 10;

/// So many files are looked for before hashing begins, and between reports: enough to see which are the longest.
const AT_ONCE: usize = 256;

/// How many times faster the lanes are than one message, at least, where there are lanes at all.
const SPEEDUP: u64 = 4;

/// How to hash.
#[derive(Debug, Clone)]
pub struct Options {
    /// The algorithms, at least one. Every file is read once for all of them.
    pub algorithms: Vec<Algorithm>,
    /// Threads that hash; none for as many as the machine has cores for us.
    pub threads: Option<NonZeroUsize>,
}

impl Options {
    fn threads(&self) -> usize {
        self.threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
    }
}

/// What became of a file.
#[derive(Debug)]
pub struct Outcome {
    /// The file.
    pub input: Input,
    /// Its digests in the order of [`Options::algorithms`].
    pub result: Result<Vec<Digest>, Error>,
}

/// What [`sum`] has to tell.
#[derive(Debug)]
pub enum Event {
    /// A file is done.
    Outcome(Outcome),
    /// Nothing else is at hand for the moment: a good time to show what has been written.
    Idle,
}

/// Hashes files and hands every outcome to `sink`, in the order of `inputs` whatever is finished first. A problem among the
/// inputs is reported in its place. Where `sink` breaks, files that have been begun are finished but not reported, and no
/// others are begun.
///
/// `inputs` is asked for more as the work goes on, so it may walk a directory tree. Memory does not grow with the number of
/// files or their lengths.
///
/// # Panics
/// Without any algorithm.
pub fn sum(
    options: &Options,
    inputs: impl IntoIterator<Item = Result<Input, Problem>>,
    progress: &Progress,
    mut sink: impl FnMut(Event) -> ControlFlow<()>,
) {
    assert!(!options.algorithms.is_empty(), "there must be an algorithm");
    let algorithms = &options.algorithms[..];
    let queue = Queue::new(progress);
    let mut feed = Feed { inputs: inputs.into_iter(), queue: &queue };
    // Hands on what there is. False when that was all.
    let mut out: Vec<Done> = Vec::new();
    let mut report = || {
        let more = queue.collect(&mut out);
        let mut flow = ControlFlow::Continue(());
        for (input, result) in out.drain(..) {
            if flow.is_continue() {
                let result = result.map(|bytes| split(&bytes, algorithms));
                flow = sink(Event::Outcome(Outcome { input, result }));
            }
        }
        if flow.is_continue() {
            flow = sink(Event::Idle);
        }
        if flow.is_break() {
            queue.cancel();
        }
        more && flow.is_continue()
    };

    let mut open = feed.some(AT_ONCE);
    let (files, bytes, streams) = queue.waiting();
    if !open && (files + streams <= 1 || streams == 0 && bytes <= SMALL_WORK) {
        // One file, or a few small ones: starting threads would cost more than the work, and even asking how many there might
        // be.
        queue.start(1);
        let threads = if streams == 0 && bytes <= SMALL_WORK { 1 } else { options.threads() };
        let spare = (threads > 1).then(|| Spare::new(threads - 1));
        Worker { queue: &queue, algorithms, spare: spare.as_ref(), slots: MOST_SLOTS, fresh: true, workers: 1 }.run();
        while report() {}
        return;
    }

    let threads = options.threads();
    let workers = if open { threads } else { threads.min(files + streams) };
    let slots = (descriptors(workers * MOST_SLOTS) / workers).clamp(1, MOST_SLOTS);
    queue.start(workers);
    let spare = (threads > 1).then(|| Spare::new(threads - workers));
    std::thread::scope(|s| {
        for _ in 0..workers {
            let (queue, spare) = (&queue, spare.as_ref());
            s.spawn(move || {
                let _gone = Gone(queue);
                Worker { queue, algorithms, spare, slots, fresh: true, workers }.run();
                // Those that still work on a long file may have another thread instead.
                spare.inspect(|s| s.give());
            });
        }
        while report() {
            open = open && feed.some(AT_ONCE);
        }
    });
}

/// The digests of one file.
fn split(mut bytes: &[u8], algorithms: &[Algorithm]) -> Vec<Digest> {
    let mut next = |a: &Algorithm| {
        let (digest, rest) = bytes.split_at(a.digest_len());
        bytes = rest;
        Digest::from_bytes(digest)
    };
    algorithms.iter().map(&mut next).collect()
}

/// Says that a worker is gone even if it panics, so that nobody waits for it.
struct Gone<'a>(&'a Queue<'a>);

impl Drop for Gone<'_> {
    fn drop(&mut self) {
        self.0.gone();
    }
}

/// How many files may be open at once for hashing, at most `wanted`. Raises the limit that the system lets us raise.
fn descriptors(wanted: usize) -> usize {
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

/// Puts inputs into the queue.
struct Feed<'a, I> {
    inputs: I,
    queue: &'a Queue<'a>,
}

impl<I: Iterator<Item = Result<Input, Problem>>> Feed<'_, I> {
    /// As many as there is room for, at most `most`. False when there are no more.
    fn some(&mut self, most: usize) -> bool {
        for _ in 0..most {
            let Some(index) = self.queue.room() else { break };
            let (input, found) = match self.inputs.next() {
                None => {
                    self.queue.close(Some(index));
                    return false;
                }
                Some(Ok(input)) => {
                    let m = input.metadata();
                    (input, m.map_err(Error::from))
                }
                Some(Err(problem)) => (Input::Path(problem.path), Err(problem.error)),
            };
            match found {
                Ok(m) if !m.is_dir() => {
                    let regular = m.is_file() && input != Input::Stdin;
                    let size = if m.is_file() { m.len() } else { 0 };
                    self.queue.put(Job { index, input, size }, regular);
                }
                Ok(_) => self.fail(index, input, Error::IsDirectory),
                Err(e) => self.fail(index, input, e),
            }
        }
        true
    }

    fn fail(&self, index: u64, input: Input, e: Error) {
        self.queue.progress.found(0);
        self.queue.done(Job { index, input, size: 0 }, Err(e));
    }
}

/// One thread.
struct Worker<'a> {
    queue: &'a Queue<'a>,
    algorithms: &'a [Algorithm],
    /// Threads that a long file may have; none where there is only this one.
    spare: Option<&'a Spare>,
    /// Slots at most.
    slots: usize,
    /// Nothing has been taken yet.
    fresh: bool,
    /// How many workers there are.
    workers: usize,
}

impl Worker<'_> {
    fn run(&mut self) {
        let lanes = self.algorithms.iter().map(|&a| Mill::lanes(a)).max().unwrap_or(1).min(self.slots);
        let (files, _, _) = self.queue.waiting();
        if lanes == 1 || self.workers == 1 && files <= 1 {
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
        use crate::queue::Take;
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

    fn stream(&self, job: Job) {
        let result = stream::hash(&job.input, job.size, self.algorithms, self.spare, self.queue.progress);
        self.queue.done(job, result);
    }
}
