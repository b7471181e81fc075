//! Results in the order in which the files were named, whichever was finished first.

use crate::base::error::Error;
use crate::read::input::Input;
use std::collections::VecDeque;

/// Maximum number of results held back while an earlier file is still being read.
const REORDER: u64 = 1 << 16;

/// Number of results that wakes the reporting thread early.
const WAKE: usize = 256;

/// The outcome of a job.
pub(crate) struct Done {
    pub(crate) input: Input,
    /// The digests of all algorithms one after the other, or an error.
    pub(crate) result: Result<Box<[u8]>, Error>,
    /// Number of bytes read.
    pub(crate) bytes: u64,
    /// Whether the file was written to meanwhile.
    pub(crate) changed: bool,
    /// When the file was last modified, as it was before it was read.
    pub(crate) modified: Option<(i64, u32)>,
}

/// The results that have not been reported, and places for those to come.
#[derive(Default)]
pub(super) struct Results {
    /// Index of the first job not yet reported.
    reported: u64,
    /// Index of the next job.
    next: u64,
    done: VecDeque<Option<Done>>,
    /// Number of results in `done`, in order or not.
    arrived: usize,
    /// Whether the reporting thread is waiting for results.
    pub(super) awaited: bool,
}

impl Results {
    /// Returns the index of a new job, whose result is reported after those of all before it.
    pub(super) fn expect(&mut self) -> u64 {
        self.done.push_back(None);
        self.next += 1;
        self.next - 1
    }

    /// Returns how many more results may be expected now.
    pub(super) fn room(&self) -> usize {
        (REORDER - (self.next - self.reported)) as usize
    }

    /// Returns whether there has been only one job.
    pub(super) fn is_lone(&self) -> bool {
        self.next == 1
    }

    /// Puts a result in its place.
    pub(super) fn deliver(&mut self, index: u64, done: Done) {
        let i = (index - self.reported) as usize;
        self.done[i] = Some(done);
        self.arrived += 1;
    }

    /// Moves the results that can be reported now into `out`.
    pub(super) fn take_ready(&mut self, out: &mut Vec<Done>) {
        while let Some(done) = self.done.front_mut().and_then(Option::take) {
            self.done.pop_front();
            self.reported += 1;
            self.arrived -= 1;
            out.push(done);
        }
    }

    /// Returns whether the result of every job has been reported.
    pub(super) fn are_reported(&self) -> bool {
        self.reported == self.next
    }

    /// Returns whether the reporting thread should be woken early.
    pub(super) fn are_worth_reporting(&self) -> bool {
        let first = self.done.front().is_some_and(Option::is_some);
        first && (self.arrived >= WAKE || self.arrived == self.done.len())
    }
}
