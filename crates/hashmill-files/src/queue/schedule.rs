//! Which job is taken next. Inputs that nobody has looked at come first, then files by length, longest first; pipes and
//! devices wait until there is nothing else to do, and files on a device that is best read by one reader wait for that
//! reader.

use crate::queue::job::{GENERATION, Job, Message};
use crate::read::input::{Input, Kind};
use std::collections::{BTreeMap, BinaryHeap, HashSet, VecDeque};

/// Maximum number of queued files; more are looked for when half are gone.
pub(super) const HIGH_WATER: usize = 4096;

/// Maximum number of files that a worker takes at once, before their lengths are known, and of results that it delivers
/// at once.
pub(super) const BATCH: usize = 32;

/// Number of files examined before it is decided whether files come from a medium.
pub(super) const LOOKS: usize = 64;

/// How much work is waiting.
pub(crate) struct Waiting {
    pub(crate) unseen: usize,
    pub(crate) files: usize,
    pub(crate) bytes: u64,
    pub(crate) streams: usize,
}

/// The jobs that wait to be taken.
#[derive(Default)]
pub(super) struct Schedule {
    /// Inputs that have not been examined.
    unseen: VecDeque<Job>,
    /// Number of inputs that workers are examining. The long ones come back, so more regular files may follow.
    looking: usize,
    /// How many of the unseen inputs have been handed to prefetchers: these are the first ones.
    scouted: usize,
    /// Tasks, and regular files that have been examined.
    files: BinaryHeap<Job>,
    /// Total of their lengths.
    bytes: u64,
    /// Pipes and devices. They may block for any length of time, so they are read when there is nothing else to do.
    streams: VecDeque<Job>,
    /// Whether a worker is reading standard input; no other may.
    stdin_busy: bool,
    /// Regular files on devices that are best read by one reader, in the order in which they were examined.
    gated: BTreeMap<u64, VecDeque<Job>>,
    /// Those of these devices that a worker is reading.
    busy: HashSet<u64>,
    /// Number of inputs examined lately, and how many of those read had to be fetched from a medium.
    looks: (usize, usize),
    /// How often in a row a quarter or more of so many looks ended like that.
    cold: usize,
    /// Whether no more jobs will be put in.
    closed: bool,
}

impl Schedule {
    pub(super) fn put_unseen(&mut self, job: Job) {
        self.unseen.push_back(job);
    }

    /// Puts in a job whose length is known.
    pub(super) fn put_file(&mut self, job: Job) {
        self.bytes += job.size;
        self.files.push(job);
    }

    /// Takes back an input that has been examined.
    pub(super) fn put_seen(&mut self, job: Job, kind: Kind) {
        match (kind, job.gate) {
            (Kind::Regular, Some(device)) => self.gated.entry(device).or_default().push_back(job),
            (Kind::Regular, None) => self.put_file(job),
            _ => self.streams.push_back(job),
        }
    }

    /// Notes that a worker has examined `examined` of its inputs, and how many looks there were and how many of the
    /// files had to be fetched from a medium.
    pub(super) fn note_seen(&mut self, examined: usize, looks: (usize, usize)) {
        self.looking -= examined;
        self.looks = (self.looks.0 + looks.0, self.looks.1 + looks.1);
        if self.looks.0 >= LOOKS {
            let (all, slow) = std::mem::take(&mut self.looks);
            self.cold = if slow * 4 >= all { self.cold + 1 } else { 0 };
        }
    }

    /// Returns how often in a row files were found to come from a medium.
    pub(super) fn cold(&self) -> usize {
        self.cold
    }

    /// Takes inputs to be examined by one of `workers`. Results are reported in order, so if long files of an earlier
    /// generation are waiting, there are none.
    pub(super) fn take_unseen(&mut self, workers: usize) -> impl ExactSizeIterator<Item = Job> {
        let generation = |job: Option<&Job>| job.map_or(u64::MAX, |j| j.index / GENERATION);
        let n = if generation(self.files.peek()) >= generation(self.unseen.front()) {
            (self.unseen.len() / (2 * workers.max(1))).clamp(1, BATCH).min(self.unseen.len())
        } else {
            0
        };
        self.looking += n;
        self.scouted = self.scouted.saturating_sub(n);
        self.unseen.drain(..n)
    }

    /// Takes the longest file that has been examined.
    pub(super) fn take_file(&mut self) -> Option<Job> {
        let job = self.files.pop()?;
        self.bytes -= job.size;
        Some(job)
    }

    /// Takes the longest file if hashing it alone takes one thread longer than the others need for all other files: in
    /// a lane it would be the last to end, on its own. `speedup` is how many times faster full lanes are than one
    /// message.
    pub(super) fn take_dominant(&mut self, speedup: u64) -> Option<Job> {
        if !self.is_seen_whole() {
            return None;
        }
        let size = self.files.peek()?.size;
        let rest = self.bytes - size;
        // Few files fill few lanes.
        let eighths = (7 + self.files.len() as u64).min(8 * speedup);
        let dominates = u128::from(size) * u128::from(eighths) > u128::from(rest) * 8;
        if dominates { self.take_file() } else { None }
    }

    /// Takes a pipe or device, and standard input only if no worker is reading it.
    pub(super) fn take_stream(&mut self) -> Option<Job> {
        let job = self.streams.remove(self.open_stream()?)?;
        self.stdin_busy |= job.is_stdin();
        Some(job)
    }

    /// Takes a file on a device that is best read by one reader and that no worker is reading.
    pub(super) fn take_gated(&mut self) -> Option<Job> {
        let device = self.open_gate()?;
        let jobs = self.gated.get_mut(&device)?;
        let job = jobs.pop_front()?;
        if jobs.is_empty() {
            self.gated.remove(&device);
        }
        self.busy.insert(device);
        Some(job)
    }

    /// Notes that a job that had been taken is over. Returns whether another may be taken that had to wait for it.
    pub(super) fn release(&mut self, is_stdin: bool, gate: Option<u64>) -> bool {
        if is_stdin {
            self.stdin_busy = false;
        }
        let passed = gate.is_some_and(|device| self.busy.remove(&device));
        is_stdin || passed
    }

    fn open_stream(&self) -> Option<usize> {
        self.streams.iter().position(|j| !(self.stdin_busy && j.is_stdin()))
    }

    /// Returns a device on which files wait for one reader and that no worker is reading.
    fn open_gate(&self) -> Option<u64> {
        self.gated.keys().copied().find(|d| !self.busy.contains(d))
    }

    fn gated(&self) -> usize {
        self.gated.values().map(VecDeque::len).sum()
    }

    /// Returns the number of waiting jobs.
    pub(super) fn len(&self) -> usize {
        self.unseen.len() + self.files.len() + self.streams.len() + self.gated()
    }

    /// Returns how much work is waiting. Files for one reader count among the streams.
    pub(super) fn waiting(&self) -> Waiting {
        let streams = self.streams.len() + self.gated();
        Waiting { unseen: self.unseen.len(), files: self.files.len(), bytes: self.bytes, streams }
    }

    /// Returns whether there is a job that may be taken.
    pub(super) fn has_work(&self) -> bool {
        !self.unseen.is_empty() || !self.files.is_empty() || self.open_stream().is_some() || self.open_gate().is_some()
    }

    /// Returns whether no job will ever wait again, if none does that may be taken.
    pub(super) fn is_over(&self) -> bool {
        self.closed && self.streams.is_empty() && self.gated.is_empty() && self.looking == 0
    }

    /// Declares that no more jobs will be put in.
    pub(super) fn close(&mut self) {
        self.closed = true;
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    /// Returns whether every input has been examined and no more will come.
    pub(super) fn is_seen_whole(&self) -> bool {
        self.closed && self.unseen.is_empty() && self.looking == 0
    }

    /// Returns whether fewer jobs than a quarter of the maximum are left, so that more should be looked for.
    pub(super) fn is_low(&self) -> bool {
        !self.closed && self.len() <= HIGH_WATER / 4
    }

    /// Returns the next inputs that are paths and have been neither examined nor handed to a prefetcher, and whether
    /// listings have reported them as regular files. Returns `None` when there will be no more.
    pub(super) fn scout(&mut self, most: usize) -> Option<Vec<(Input, bool)>> {
        let path = |job: &Job| match &job.what {
            Message::Input(input) if input.path().is_some() => Some((input.clone(), job.listed)),
            _ => None,
        };
        let found: Vec<_> = self.unseen.iter().skip(self.scouted).take(most).filter_map(path).collect();
        self.scouted = (self.scouted + most).min(self.unseen.len());
        if found.is_empty() && self.closed { None } else { Some(found) }
    }

    /// Takes out all waiting jobs.
    pub(super) fn take_all(&mut self) -> Vec<Job> {
        self.bytes = 0;
        let gated = std::mem::take(&mut self.gated).into_values().flatten();
        self.unseen.drain(..).chain(self.files.drain()).chain(self.streams.drain(..)).chain(gated).collect()
    }
}
