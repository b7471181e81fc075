//! Digests of many files.

use crate::error::{Error, Problem};
use crate::input::Input;
use crate::progress::Progress;
use crate::queue::{Done, Job, Queue, What};
use crate::spare::{Spare, spawn};
use crate::worker::{MOST_SLOTS, Worker, crew};
use hashmill::{Algorithm, Digest};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

/// A set of files shorter than this altogether is not worth starting threads for.
const SMALL_WORK: u64 = 256 << 10;

/// So many files are looked for before hashing begins, and between reports: enough to see which are the longest.
const AT_ONCE: usize = 256;

/// How to hash.
#[derive(Debug, Clone)]
pub struct Options {
    /// The algorithms, at least one. Every file is read once for all of them.
    pub algorithms: Vec<Algorithm>,
    /// Threads that hash; none for as many as the machine has cores for us.
    pub threads: Option<NonZeroUsize>,
}

impl Options {
    pub(crate) fn threads(&self) -> usize {
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
/// others are begun. [`Progress::stop`] does the same and does not wait until files are finished.
///
/// `inputs` is asked for more as the work goes on, so it may walk a directory tree. Memory does not grow with the number of
/// files or their lengths.
///
/// Where the system starts fewer threads than [`Options::threads`] says, or none, those that there are do the work; with none, the
/// caller's thread does.
///
/// # Errors
/// [`Error::Panicked`] if a thread has panicked, after everything has been reported all the same: files that it was at with this
/// error, others as usual as long as there is another thread.
///
/// # Panics
/// Without any algorithm, or where `inputs` or `sink` does.
pub fn sum(
    options: &Options,
    inputs: impl IntoIterator<Item = Result<Input, Problem>>,
    progress: &Progress,
    mut sink: impl FnMut(Event) -> ControlFlow<()>,
) -> Result<(), Error> {
    assert!(!options.algorithms.is_empty(), "there must be an algorithm");
    let algorithms = &options.algorithms[..];
    let queue = Queue::new(progress, algorithms);
    let mut feed = Feed { inputs: inputs.into_iter(), queue: &queue };
    // Hands on what there is. False when that was all.
    let mut out: Vec<Done> = Vec::new();
    let mut report = || {
        let more = queue.collect(&mut out);
        let mut flow = ControlFlow::Continue(());
        for (input, result) in out.drain(..) {
            if flow.is_continue() {
                let result = result.map(|bytes| queue.split(&bytes));
                flow = sink(Event::Outcome(Outcome { input, result }));
            }
        }
        if flow.is_continue() {
            flow = sink(Event::Idle);
        }
        let over = flow.is_break() || progress.is_stopped();
        if over {
            queue.cancel();
        }
        more && !over
    };

    let mut open = feed.some(AT_ONCE);
    let (files, bytes, streams) = queue.waiting();
    if !open && (files + streams <= 1 || streams == 0 && bytes <= SMALL_WORK) {
        // One file, or a few small ones: starting threads would cost more than the work, and even asking how many there might
        // be.
        let threads = if streams == 0 && bytes <= SMALL_WORK { 1 } else { options.threads() };
        let spare = (threads > 1).then(|| Spare::new(threads - 1));
        let slots = if files > 1 { crew(1, files.min(MOST_SLOTS), 1).1 } else { 1 };
        let (queue, spare, lone) = (&queue, spare.as_ref(), files <= 1);
        queue.start_here();
        queue.work(|| Worker { queue, algorithms, spare, slots, fresh: true, workers: 1, lone }.run());
        while report() {}
        return queue.end();
    }

    let threads = options.threads();
    let wanted = if open { threads } else { threads.min(files + streams) };
    let (workers, slots) = crew(wanted, MOST_SLOTS, 1);
    let spare = (threads > 1).then(|| Spare::new(threads - workers));
    queue.start(workers);
    std::thread::scope(|s| {
        // Whatever happens on this thread, the others must not wait for it.
        let _cancel = Cancel(&queue);
        let mut started = 0;
        while started < workers {
            let (queue, spare) = (&queue, spare.as_ref());
            let run = move || {
                queue.work(|| {
                    let lone = workers == 1 && queue.waiting().0 <= 1;
                    Worker { queue, algorithms, spare, slots, fresh: true, workers, lone }.run();
                });
                // Those that still work on a long file may have another thread instead.
                spare.inspect(|s| s.give());
            };
            if spawn(s, run).is_err() {
                break;
            }
            started += 1;
        }
        // Fewer threads take longer, no more.
        (started..workers).for_each(|_| queue.not_started());
        if started > 0 {
            while report() {
                open = open && feed.some(AT_ONCE);
            }
            return;
        }
        loop {
            queue.start_here();
            open = open && feed.some(usize::MAX);
            queue.work(|| {
                let (queue, spare) = (&queue, spare.as_ref());
                Worker { queue, algorithms, spare, slots, fresh: true, workers: 1, lone: false }.run();
            });
            if !report() {
                return;
            }
        }
    });
    queue.end()
}

/// Lets the workers end when the thread that feeds them does, even if that panicked.
struct Cancel<'a>(&'a Queue<'a>);

impl Drop for Cancel<'_> {
    fn drop(&mut self) {
        self.0.cancel();
    }
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
                    self.queue.put(Job::new(index, What::Input(input), size), regular);
                }
                Ok(_) => self.fail(index, input, Error::IsDirectory),
                Err(e) => self.fail(index, input, e),
            }
        }
        true
    }

    fn fail(&self, index: u64, input: Input, e: Error) {
        self.queue.progress.found(0);
        self.queue.done(Job::new(index, What::Input(input), 0), Err(e));
    }
}
