//! Messages that are no plain files: what reads by itself, and does something with what it reads.

use crate::error::Error;
use crate::progress::Progress;
use crate::queue::{Job, Queue, What};
use crate::sum::Options;
use crate::worker::{Gone, MOST_SLOTS, Worker, descriptors};
use hashmill::Digest;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A message that is hashed as it is read. A copy, for instance, writes what it reads.
///
/// All calls for one task come one after the other, but not always from the same thread.
pub trait Task: Send {
    /// About how many bytes there will be. Long tasks are begun first.
    fn size(&self) -> u64;

    /// Called once, before the first byte is wanted.
    ///
    /// # Errors
    /// What [`Task::done`] is told then.
    fn open(&mut self) -> Result<(), Error>;

    /// Writes the next bytes of the message to the beginning of `buffer`, which is not empty, and says how many. None is the
    /// end of the message, and so is fewer than there is room for once [`Task::size`] bytes have come.
    ///
    /// # Errors
    /// What [`Task::done`] is told then; there are no more reads after one.
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Error>;

    /// Told the digests in the order of [`Options::algorithms`], or what went wrong.
    fn done(self: Box<Self>, result: Result<Vec<Digest>, Error>);
}

/// Takes tasks while [`perform`] runs.
pub struct Tasks<'a> {
    queue: &'a Queue<'a>,
    next: AtomicU64,
}

impl Tasks<'_> {
    /// Puts a task into the queue. Never waits; how many may wait is for the caller to say.
    pub fn put(&self, task: Box<dyn Task>) {
        let size = task.size();
        self.queue.put(Job::new(self.next.fetch_add(1, Relaxed), What::Task(task), size), true);
    }
}

/// Starts the threads of `options` and runs `body` on this one, which gives them tasks. Every task that it gave is done when this
/// returns. `together` is how many tasks one thread may have begun and not done: with 1 they come one after the
/// other, which suits disks that seek.
///
/// # Panics
/// Without any algorithm, or if a task panics.
pub fn perform<R>(options: &Options, together: usize, body: impl FnOnce(&Tasks<'_>) -> R) -> R {
    assert!(!options.algorithms.is_empty(), "there must be an algorithm");
    let progress = Progress::default();
    let queue = Queue::new(&progress, &options.algorithms);
    let workers = options.threads();
    let most = together.clamp(1, MOST_SLOTS);
    let slots = (descriptors(2 * workers * most) / (2 * workers)).clamp(1, most);
    queue.start(workers);
    std::thread::scope(|s| {
        for _ in 0..workers {
            let queue = &queue;
            s.spawn(move || {
                let _gone = Gone(queue);
                let algorithms = &options.algorithms[..];
                Worker { queue, algorithms, spare: None, slots, fresh: true, workers, lone: false }.run();
            });
        }
        let _close = Close(&queue);
        body(&Tasks { queue: &queue, next: AtomicU64::new(0) })
    })
}

/// Lets the workers end, even if the body panicked.
struct Close<'a>(&'a Queue<'a>);

impl Drop for Close<'_> {
    fn drop(&mut self) {
        self.0.close(None);
    }
}
