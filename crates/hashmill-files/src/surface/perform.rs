//! Hashing tasks: messages that are not files, which the caller puts in one by one.

use crate::base::error::Error;
use crate::base::options::Options;
use crate::base::progress::Progress;
use crate::base::threads::spawn;
use crate::hash::worker::{MOST_SLOTS, Worker, crew};
use crate::queue::job::Job;
use crate::queue::shared::Queue;
use crate::queue::task::Task;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Takes tasks while [`perform`] runs.
pub struct Tasks<'a> {
    queue: &'a Queue<'a>,
    next: AtomicU64,
}

impl Tasks<'_> {
    /// Puts a task into the queue. Never waits; how many may wait is for the caller to say. Where there is no thread
    /// that could come to it, its [`Task::done`] is called before this returns.
    pub fn put(&self, task: Box<dyn Task>) {
        self.queue.put_task(Job::task(self.next.fetch_add(1, Relaxed), task));
    }
}

/// Starts the threads of `options` and runs `body` on this one, which gives them tasks. `together` is how many tasks
/// one thread may have begun and not done: with 1 they come one after the other, which suits disks that seek.
///
/// What becomes of every task that was given is settled when this returns: its [`Task::done`] has been called, or, if
/// one of its own methods has panicked, it has been dropped. Where the system starts fewer threads, those that there
/// are do the work. If it starts none, or when all of them have panicked, tasks that wait and tasks that come later are
/// told so at once, on the thread that puts them; `body` runs nevertheless, so that there is one way on which the
/// caller learns what became of each.
///
/// Every thread may have as many tasks open as [`raise_descriptor_limit`](crate::raise_descriptor_limit) allows, if
/// each needs two descriptors.
///
/// # Errors
/// [`Error::Panicked`] if a thread has panicked; the system's error if it started none. Either is known to the tasks
/// concerned.
///
/// # Panics
/// Without any algorithm, or where `body` does; all tasks that it gave are settled in this case, too.
pub fn perform<R>(options: &Options, together: usize, body: impl FnOnce(&Tasks<'_>) -> R) -> Result<R, Error> {
    assert!(!options.algorithms.is_empty(), "there must be an algorithm");
    let progress = Progress::default();
    let queue = Queue::new(&progress, &options.algorithms, options.io);
    let (workers, slots) = crew(options.threads(), together.clamp(1, MOST_SLOTS), 2);
    queue.start(workers);
    let mut refused = None;
    let result = std::thread::scope(|s| {
        let _close = Close(&queue);
        for started in 0..workers {
            let (queue, algorithms) = (&queue, &options.algorithms[..]);
            let run = move || {
                queue.work(|| {
                    Worker { queue, algorithms, budget: None, slots, fresh: true, workers, lone: false }.run();
                });
            };
            if let Err(e) = spawn(s, run) {
                (started..workers).for_each(|_| queue.not_started());
                if started == 0 {
                    let e = Error::from(e);
                    queue.give_up(e.again());
                    refused = Some(e);
                }
                break;
            }
        }
        body(&Tasks { queue: &queue, next: AtomicU64::new(0) })
    });
    match refused {
        Some(e) => Err(e),
        None => queue.end().map(|()| result),
    }
}

/// Lets the workers end, even if the body panicked.
struct Close<'a>(&'a Queue<'a>);

impl Drop for Close<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}
