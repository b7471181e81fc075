//! Hashing tasks: messages other than files, which the caller submits one by one.

use crate::base::error::Error;
use crate::base::options::Options;
use crate::base::progress::Progress;
use crate::hash::crew::Crew;
use crate::hash::lanes::window::MOST_SLOTS;
use crate::queue::job::Job;
use crate::queue::shared::Queue;
use crate::queue::task::Task;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The handle through which tasks are submitted while [`perform`] runs.
pub struct Tasks<'a> {
    queue: &'a Queue<'a>,
    next: AtomicU64,
}

impl Tasks<'_> {
    /// Puts a task into the queue. Never blocks; it is up to the caller to limit the number of queued tasks. If no
    /// thread is left to run the task, its [`Task::done`] is called before this returns.
    pub fn put(&self, task: Box<dyn Task>) {
        self.queue.put_task(Job::task(self.next.fetch_add(1, Relaxed), task));
    }
}

/// Starts the threads of `options` and runs `body`, which submits tasks, on the calling thread. `together` is the
/// maximum number of tasks that one thread works on at a time: with 1, it runs them one after the other, which suits
/// disks that seek.
///
/// Every submitted task is settled when this returns: its [`Task::done`] has been called, or it has been dropped
/// because one of its own methods panicked. If the system starts fewer threads than requested, those that it did start
/// do the work. If it starts none, or once all of them have panicked, the queued tasks are told the error, and so are
/// tasks submitted later, on the thread that submits them. `body` runs even then, so that the caller always learns in
/// the same way what became of each task.
///
/// If necessary, `together` is reduced so that the open tasks of all threads stay within the limit of
/// [`raise_descriptor_limit`](crate::raise_descriptor_limit), at two descriptors per task.
///
/// # Errors
/// Returns [`Error::Panicked`] if a thread has panicked, or the system's error if it started none. The tasks concerned
/// have been told in either case.
///
/// # Panics
/// Panics if there is nothing to compute, or if `body` panics; all tasks that it submitted are settled even then.
pub fn perform<R>(options: &Options, together: usize, body: impl FnOnce(&Tasks<'_>) -> R) -> Result<R, Error> {
    assert!(!options.recipes.is_empty(), "there must be something to compute");
    let progress = Progress::default();
    let queue = Queue::new(&progress, &options.recipes, options.io);
    let crew = Crew::new(&queue, options.threads(), together.clamp(1, MOST_SLOTS), 2);
    let mut refused = None;
    let result = std::thread::scope(|s| {
        let _close = Close(&queue);
        if let Err(e) = crew.start(s) {
            let e = Error::from(e);
            queue.give_up(e.again());
            refused = Some(e);
        }
        body(&Tasks { queue: &queue, next: AtomicU64::new(0) })
    });
    match refused {
        Some(e) => Err(e),
        None => queue.end().map(|()| result),
    }
}

/// Lets the workers end when dropped, even if the body panicked.
struct Close<'a>(&'a Queue<'a>);

impl Drop for Close<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}
