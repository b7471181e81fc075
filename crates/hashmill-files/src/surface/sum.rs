//! Digests of many files.

use crate::base::error::{Error, Problem};
use crate::base::options::{Io, Options};
use crate::base::progress::Progress;
use crate::hash::crew::Crew;
use crate::hash::lanes::window::MOST_SLOTS;
use crate::queue::batch::Batch;
use crate::queue::prefetch::Prefetchers;
use crate::queue::results::Done;
use crate::queue::schedule::Waiting;
use crate::queue::shared::{Incoming, Queue};
use crate::read::input::{Found, Input};
use hashmill::Digest;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Maximum total length in bytes of a set of files that is not worth starting threads for.
const SMALL_WORK: u64 = 256 << 10;

/// Maximum number of files whose lengths are determined before deciding how many threads are worth starting.
const FEW: usize = 64;

/// Maximum number of files to look for before hashing begins and between reports: enough to see which are the longest.
const AT_ONCE: usize = 256;

/// Number of files put into the queue at a time.
const HANDED: usize = 64;

/// The result for one file.
#[derive(Debug)]
pub struct Outcome {
    /// The file.
    pub input: Input,
    /// Its digests in the order of [`Options::recipes`].
    pub result: Result<Vec<Digest>, Error>,
    /// Number of bytes read.
    pub bytes: u64,
    /// Whether the file was written to while it was being read, so that the digests may be those of a mixture of its
    /// old and new content. Never set for pipes and devices, for which this cannot be told.
    pub changed: bool,
    /// When the file was last modified: seconds since 1970 (UTC), and nanoseconds. `None` for what has no such time.
    pub modified: Option<(i64, u32)>,
}

/// What [`sum`] reports.
#[derive(Debug)]
pub enum Event {
    /// A file is done.
    Outcome(Outcome),
    /// A file lies on a device that none of the files before it lies on. Reported only with [`Io::Auto`].
    Device {
        /// The file.
        path: PathBuf,
        /// Why files on this device are read by one reader at a time, or `None` if several readers are used.
        one_reader: Option<&'static str>,
    },
    /// Nothing more can be reported at the moment, which makes it a good time to flush output.
    Idle,
}

/// Hashes files and passes every outcome to `sink`, in the order of `inputs` no matter which file is finished first. A
/// problem among the inputs is reported in its place. If `sink` breaks, files that workers have already taken are
/// finished but not reported, and no others are started. [`Progress::stop`] does the same, but does not wait for files
/// to be finished.
///
/// `inputs` is advanced as the work proceeds, so it may walk a directory tree. Memory use grows with neither the number
/// of files nor their lengths.
///
/// If the system starts fewer threads than `Options::threads` requests, those that it did start do the work; if it
/// starts none, the calling thread does.
///
/// # Errors
/// Returns [`Error::Panicked`] if a thread has panicked, but only after everything has been reported: the files that
/// this thread was working on with the same error, the others as usual as long as a thread is left.
///
/// # Panics
/// Panics if there is nothing to compute, or if `inputs` or `sink` panics.
pub fn sum<T: Into<Found>>(
    options: &Options,
    inputs: impl IntoIterator<Item = Result<T, Problem>>,
    progress: &Progress,
    mut sink: impl FnMut(Event) -> ControlFlow<()>,
) -> Result<(), Error> {
    assert!(!options.recipes.is_empty(), "there must be something to compute");
    let queue = Queue::new(progress, &options.recipes, options.io);
    let mut feed = Feed { inputs: inputs.into_iter(), queue: &queue, batch: Vec::new() };
    let mut out: Vec<Done> = Vec::new();
    // Reports what is available. Returns false if there is nothing more to come or the work is to stop.
    let mut report = || {
        let more = queue.collect(&mut out);
        let mut flow = ControlFlow::Continue(());
        for (path, one_reader) in queue.devices.news() {
            if flow.is_continue() {
                flow = sink(Event::Device { path, one_reader });
            }
        }
        for Done { input, result, bytes, changed, modified } in out.drain(..) {
            if flow.is_continue() {
                let result = result.map(|bytes| queue.split(&bytes));
                flow = sink(Event::Outcome(Outcome { input, result, bytes, changed, modified }));
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
        Batch::look_at_all(&queue);
    }
    let Waiting { unseen, files, bytes, streams } = queue.waiting();
    if !open && unseen == 0 && (files + streams <= 1 || streams == 0 && bytes <= SMALL_WORK) {
        // One input, or a few small files: worker threads would cost more than they save. For small files, so would
        // asking the system how many threads to use.
        let threads = if streams == 0 && bytes <= SMALL_WORK { 1 } else { options.threads() };
        let crew = if files > 1 { Crew::new(&queue, 1, files.min(MOST_SLOTS), 1) } else { Crew::for_one(&queue) };
        queue.start_here();
        crew.with_threads(threads).work_here();
        while report() {}
        return queue.end();
    }

    let threads = options.threads();
    let wanted = if open { threads } else { threads.min(unseen + files + streams) };
    let crew = Crew::new(&queue, wanted, MOST_SLOTS, 1).with_threads(threads);
    let crew = crew.lone_if(wanted == 1 && !open && unseen + files <= 1);
    let scouts = Prefetchers::new(crew.together());
    std::thread::scope(|s| {
        // Whatever happens on this thread, the others must not wait for it.
        let _cancel = Cancel(&queue);
        if crew.start(s).is_ok() {
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
            crew.work_here();
            if !report() {
                return;
            }
        }
    });
    queue.end()
}

/// Lets the workers end when the thread that feeds them does, even if it panicked.
struct Cancel<'a>(&'a Queue<'a>);

impl Drop for Cancel<'_> {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Moves inputs into the queue.
struct Feed<'a, I> {
    inputs: I,
    queue: &'a Queue<'a>,
    /// Inputs to be put into the queue together.
    batch: Vec<Incoming>,
}

impl<I: Iterator<Item = Result<T, Problem>>, T: Into<Found>> Feed<'_, I> {
    /// Puts as many inputs into the queue as there is room for, but no more than `most`. Returns false if there are no
    /// more.
    fn some(&mut self, most: usize) -> bool {
        for i in 0..self.queue.room().min(most) {
            self.batch.push(match self.inputs.next() {
                None => {
                    self.queue.put_inputs(&mut self.batch);
                    self.queue.close();
                    return false;
                }
                Some(Ok(source)) => {
                    let Found { input, listed, regular_only, facts: _ } = source.into();
                    Incoming::Input { input, listed, regular_only }
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
