//! Digests of many files.

use crate::base::error::{Error, Problem};
use crate::base::options::{Io, Options};
use crate::base::progress::Progress;
use crate::base::threads::{ThreadBudget, spawn};
use crate::hash::worker::{MOST_SLOTS, Worker, crew};
use crate::queue::prefetch::Prefetchers;
use crate::queue::shared::{Done, Incoming, Queue, Waiting};
use crate::read::input::{Found, Input};
use hashmill::Digest;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// A set of files shorter than this altogether is not worth starting threads for.
const SMALL_WORK: u64 = 256 << 10;

/// Of so many files the lengths are looked at before it is decided how many threads are worth starting.
const FEW: usize = 64;

/// So many files are looked for before hashing begins, and between reports: enough to see which are the longest.
const AT_ONCE: usize = 256;

/// So many files are put into the queue at once.
const HANDED: usize = 64;

/// What became of a file.
#[derive(Debug)]
pub struct Outcome {
    /// The file.
    pub input: Input,
    /// Its digests in the order of [`Options::algorithms`].
    pub result: Result<Vec<Digest>, Error>,
    /// Bytes that were read.
    pub bytes: u64,
    /// It was written to while it was read: the digests may be those of a mixture of what it was before and afterwards.
    /// Nothing is known of this for pipes and devices.
    pub changed: bool,
}

/// What [`sum`] has to tell.
#[derive(Debug)]
pub enum Event {
    /// A file is done.
    Outcome(Outcome),
    /// A file lies on a device that none before it lay on. Only with [`Io::Auto`].
    Device {
        /// The file.
        path: PathBuf,
        /// Why one reader at a time reads there; none where several do.
        one_reader: Option<&'static str>,
    },
    /// Nothing else is at hand for the moment: a good time to show what has been written.
    Idle,
}

/// Hashes files and hands every outcome to `sink`, in the order of `inputs` whatever is finished first. A problem among
/// the inputs is reported in its place. Where `sink` breaks, files that have been begun are finished but not reported,
/// and no others are begun. [`Progress::stop`] does the same and does not wait until files are finished.
///
/// `inputs` is asked for more as the work goes on, so it may walk a directory tree. Memory does not grow with the
/// number of files or their lengths.
///
/// Where the system starts fewer threads than `Options::threads` says, or none, those that there are do the work;
/// with none, the caller's thread does.
///
/// # Errors
/// [`Error::Panicked`] if a thread has panicked, after everything has been reported all the same: files that it was at
/// with this error, others as usual as long as there is another thread.
///
/// # Panics
/// Without any algorithm, or where `inputs` or `sink` does.
pub fn sum<T: Into<Found>>(
    options: &Options,
    inputs: impl IntoIterator<Item = Result<T, Problem>>,
    progress: &Progress,
    mut sink: impl FnMut(Event) -> ControlFlow<()>,
) -> Result<(), Error> {
    assert!(!options.algorithms.is_empty(), "there must be an algorithm");
    let algorithms = &options.algorithms[..];
    let queue = Queue::new(progress, algorithms, options.io);
    let mut feed = Feed { inputs: inputs.into_iter(), queue: &queue, batch: Vec::new() };
    // Hands on what there is. False when that was all.
    let mut out: Vec<Done> = Vec::new();
    let mut report = || {
        let more = queue.collect(&mut out);
        let mut flow = ControlFlow::Continue(());
        for (path, one_reader) in queue.devices.news() {
            if flow.is_continue() {
                flow = sink(Event::Device { path, one_reader });
            }
        }
        for Done { input, result, bytes, changed } in out.drain(..) {
            if flow.is_continue() {
                let result = result.map(|bytes| queue.split(&bytes));
                flow = sink(Event::Outcome(Outcome { input, result, bytes, changed }));
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
    if !open && queue.waiting().unseen <= FEW {
        queue.look_at_all();
    }
    let Waiting { unseen, files, bytes, streams } = queue.waiting();
    if !open && unseen == 0 && (files + streams <= 1 || streams == 0 && bytes <= SMALL_WORK) {
        // One file, or a few small ones: starting threads would cost more than the work, and even asking how many there
        // might be.
        let threads = if streams == 0 && bytes <= SMALL_WORK { 1 } else { options.threads() };
        let budget = (threads > 1).then(|| ThreadBudget::new(threads - 1));
        let slots = if files > 1 { crew(1, files.min(MOST_SLOTS), 1).1 } else { 1 };
        let (queue, budget, lone) = (&queue, budget.as_ref(), files <= 1);
        queue.start_here();
        queue.work(|| Worker { queue, algorithms, budget, slots, fresh: true, workers: 1, lone }.run());
        while report() {}
        return queue.end();
    }

    let threads = options.threads();
    let wanted = if open { threads } else { threads.min(unseen + files + streams) };
    let (workers, slots) = crew(wanted, MOST_SLOTS, 1);
    let budget = (threads > 1).then(|| ThreadBudget::new(threads - workers));
    queue.start(workers);
    let scouts = Prefetchers::new(workers * slots);
    std::thread::scope(|s| {
        // Whatever happens on this thread, the others must not wait for it.
        let _cancel = Cancel(&queue);
        let mut started = 0;
        while started < workers {
            let (queue, budget) = (&queue, budget.as_ref());
            let run = move || {
                queue.work(|| {
                    let waiting = queue.waiting();
                    let lone = workers == 1 && waiting.unseen + waiting.files <= 1;
                    Worker { queue, algorithms, budget, slots, fresh: true, workers, lone }.run();
                });
                // Those that still work on a long file may have another thread instead.
                budget.inspect(|s| s.give());
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
                if matches!(options.io, Io::Auto | Io::Parallel) {
                    scouts.send_if_cold(s, &queue);
                }
            }
            return;
        }
        loop {
            queue.start_here();
            open = open && feed.some(usize::MAX);
            queue.work(|| {
                let (queue, budget) = (&queue, budget.as_ref());
                Worker { queue, algorithms, budget, slots, fresh: true, workers: 1, lone: false }.run();
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
    /// What is going to be put in at once.
    batch: Vec<Incoming>,
}

impl<I: Iterator<Item = Result<T, Problem>>, T: Into<Found>> Feed<'_, I> {
    /// As many as there is room for, at most `most`. False when there are no more.
    fn some(&mut self, most: usize) -> bool {
        for i in 0..self.queue.room().min(most) {
            self.batch.push(match self.inputs.next() {
                None => {
                    self.queue.put_inputs(&mut self.batch);
                    self.queue.close();
                    return false;
                }
                Some(Ok(source)) => {
                    let Found { input, listed } = source.into();
                    Incoming::Input { input, listed }
                }
                Some(Err(problem)) => Incoming::Failed(Input::Path(problem.path), problem.error),
            });
            if i % HANDED == HANDED - 1 {
                self.queue.put_inputs(&mut self.batch);
            }
        }
        self.queue.put_inputs(&mut self.batch);
        true
    }
}
