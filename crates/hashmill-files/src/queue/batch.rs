//! What a worker holds besides the jobs that it is hashing: inputs that it will examine, and what it will give back.

use crate::base::error::Error;
use crate::queue::job::{Job, Message, SHORT};
use crate::queue::results::Done;
use crate::queue::schedule::BATCH;
use crate::queue::shared::{Held, Inner, Queue, Take};
use crate::read::input::{Input, Kind, Stamp};
use std::collections::VecDeque;

/// What a worker exchanges with the queue in one step: what it gives back for the next inputs.
pub(crate) struct Batch<'a> {
    queue: &'a Queue<'a>,
    unseen: VecDeque<Held<'a>>,
    /// How many inputs, of these and of earlier ones, the queue counts as being examined.
    looking: usize,
    /// Inputs that have been examined but are not to be hashed right away.
    seen: Vec<(Held<'a>, Kind)>,
    /// Number of inputs examined since the last exchange, and how many of those read had to be fetched from a medium.
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

    /// Examines all unseen inputs on the calling thread.
    pub(crate) fn look_at_all(queue: &'a Queue<'a>) {
        let mut batch = Batch::new(queue);
        batch.lone = queue.lock().results.is_lone();
        while batch.exchange(true) {
            while let Some(job) = batch.unseen.pop_front() {
                batch.look(job, true);
            }
        }
    }

    /// Returns the next job for this worker: a short file, or else the longest.
    pub(crate) fn take(&mut self) -> Take<'a> {
        loop {
            if let Some(job) = self.unseen.pop_front() {
                if let Some(job) = self.look(job, false) {
                    return Take::Job(job);
                }
            } else if !self.exchange(true) {
                return self.queue.take_file();
            }
        }
    }

    /// Examines an input. Returns it if it is a short file to be hashed right away; if `wait` is set, none is.
    fn look(&mut self, mut job: Held<'a>, wait: bool) -> Option<Held<'a>> {
        let kind = job.look(&self.queue.devices, self.lone);
        self.looks.0 += 1;
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
    pub(crate) fn done(&mut self, job: Held<'a>, result: Result<Box<[u8]>, Error>) {
        match job.into_job() {
            Some(Job {
                index,
                what: Message::Input(input @ (Input::Path(_) | Input::Below(..))),
                at: bytes,
                changed,
                stamp,
                slow,
                gate: None,
                ..
            }) => {
                self.queue.progress.done();
                self.looks.1 += usize::from(slow);
                self.done.push((index, Done { input, result, bytes, changed, modified: stamp.map(Stamp::modified) }));
                if self.unseen.is_empty() || self.done.len() >= BATCH {
                    self.exchange(false);
                }
            }
            Some(job) => self.queue.done(job, result),
            None => {}
        }
    }

    /// Delivers the results, gives back the inputs that have been examined and not hashed, and takes others if `more`
    /// is set. Returns false if there are none.
    fn exchange(&mut self, more: bool) -> bool {
        if !more && self.is_settled() {
            return false;
        }
        let queue = self.queue;
        let mut q = queue.lock();
        let Inner { schedule, results, life } = &mut *q;
        self.done.drain(..).for_each(|(index, done)| results.deliver(index, done));
        let mut wake = 0;
        for (job, kind) in self.seen.drain(..) {
            if let Some(job) = job.into_job() {
                wake += 1;
                schedule.put_seen(job, kind);
            }
        }
        schedule.note_seen(self.looking - self.unseen.len(), std::mem::take(&mut self.looks));
        self.looking = self.unseen.len();
        let was_low = schedule.is_low();
        if more {
            let jobs = schedule.take_unseen(life.workers());
            self.looking += jobs.len();
            self.unseen.extend(jobs.map(|job| Held::new(queue, job)));
        }
        if schedule.is_over() {
            // Waiting workers may learn now that nothing more will come.
            wake = life.asleep;
        }
        let low = !was_low && schedule.is_low();
        let report = results.awaited && (low || results.are_worth_reporting());
        let wake = wake.min(life.asleep);
        queue.note_complete(&q);
        drop(q);
        queue.wake(wake);
        if report {
            queue.wake_reporter();
        }
        !self.unseen.is_empty()
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
        self.exchange(false);
    }
}
