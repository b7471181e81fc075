//! The life of the workers: how many have started, run and wait, and what becomes of the jobs if they panic.

use crate::base::error::Error;
use crate::queue::job::Job;

#[derive(Default)]
pub(super) struct Life {
    /// Number of workers that have not taken their share yet.
    unstarted: usize,
    /// Number of workers that are running or still to be started.
    alive: usize,
    /// Number of these, and of workers that are still reporting the failure of jobs before they end.
    present: usize,
    /// Whether the caller's thread is the only one. Nobody waits for jobs then, since nobody would bring any.
    pub(super) alone: bool,
    /// Number of workers waiting for jobs. Signalling costs a system call even if nobody waits.
    pub(super) asleep: usize,
    /// Whether a worker has panicked.
    pub(super) panicked: bool,
    /// The error that jobs receive once there is no worker left to do them.
    pub(super) dead: Option<Error>,
    /// Jobs that a worker dropped without delivering them.
    pub(super) orphans: Vec<Job>,
}

impl Life {
    /// Sets the number of workers.
    pub(super) fn begin(&mut self, workers: usize) {
        self.unstarted = workers;
        (self.alive, self.present) = (workers, workers);
    }

    /// Announces a worker on the thread that puts jobs in; it returns when there are none left.
    pub(super) fn begin_here(&mut self) {
        self.begin(1);
        self.alone = true;
        self.dead = None;
    }

    /// Returns the number of workers that are running or still to be started.
    pub(super) fn workers(&self) -> usize {
        self.alive
    }

    /// Returns over how many workers waiting jobs are to be shared out, the one that asks included.
    pub(super) fn to_share(&self) -> usize {
        self.unstarted.max(1)
    }

    /// Counts a worker as started the first time it takes jobs, which `fresh` says.
    pub(super) fn count_started(&mut self, fresh: &mut bool) {
        if std::mem::take(fresh) {
            self.unstarted = self.unstarted.saturating_sub(1);
        }
    }

    /// Notes that a worker has ended. Returns whether it was the last and the waiting jobs must fail.
    pub(super) fn leave(&mut self) -> bool {
        self.alive -= 1;
        self.alive == 0 && self.panicked
    }

    /// Notes that a worker that has left has also reported all that it had to.
    pub(super) fn is_gone(&mut self) {
        self.present -= 1;
    }

    /// Returns whether nobody is left who could deliver a result.
    pub(super) fn is_deserted(&self) -> bool {
        self.present == 0
    }
}
