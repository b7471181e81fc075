//! A message to be hashed: how its input is examined, opened, read and closed.

use crate::base::error::Error;
use crate::base::options::Io;
use crate::base::progress::Progress;
#[cfg(test)]
use crate::base::trap::trip;
use crate::queue::task::Task;
use crate::read::device::Devices;
use crate::read::direct::Direct;
use crate::read::input::{Input, Kind, Look, Stamp, advise_sequential, read};
use std::cmp::Ordering;
use std::fs::File;
use std::time::{Duration, Instant};

/// Files are ordered by length within generations of this many, so that results come out while a long list is being
/// worked on.
pub(crate) const GENERATION: u64 = 4096;

/// Files up to this length are hashed as soon as they have been looked at; longer ones wait for their turn, the longest
/// first.
pub(crate) const SHORT: u64 = 64 << 10;

/// Message is in memory is found, or read, in a few microseconds; what takes longer than this had to be fetched from a
/// medium.
pub(crate) const SLOW: Duration = Duration::from_micros(40);

/// Files longer than this are announced to the kernel as sequential reads; for shorter ones the call costs more than it
/// saves.
const ADVISE: u64 = 256 << 10;

/// Message a job reads.
pub(crate) enum Message {
    Input(Input),
    /// Something that reads by itself, and is told its digests as soon as they are known.
    Task(Box<dyn Task>),
}

/// A message to be hashed, in its place among all of them.
pub(crate) struct Job {
    pub(crate) index: u64,
    pub(crate) what: Message,
    /// Its length in bytes as far as it is known.
    pub(crate) size: u64,
    /// A folder's listing has said that it is a regular file.
    pub(crate) listed: bool,
    /// An input that has been opened.
    file: Option<File>,
    /// The same, read past the page cache.
    direct: Option<Direct>,
    /// Message it was when it was looked at last before it was read.
    stamp: Option<Stamp>,
    /// Bytes that have been read.
    pub(crate) at: u64,
    /// It was written to while it was read.
    pub(crate) changed: bool,
    /// The system had to ask a medium for what it has first.
    pub(crate) slow: bool,
    /// The device that it lies on, where one reader at a time is best.
    pub(crate) gate: Option<u64>,
    /// One of the task's own methods runs: if it does not return, nobody can tell what became of the task.
    pub(crate) inside: bool,
}

impl Job {
    pub(crate) fn task(index: u64, task: Box<dyn Task>) -> Self {
        let size = task.size();
        Job { size, ..Job::new(index, Message::Task(task), false) }
    }

    pub(crate) fn input(index: u64, input: Input, listed: bool) -> Self {
        Job::new(index, Message::Input(input), listed)
    }

    fn new(index: u64, what: Message, listed: bool) -> Self {
        Job {
            index,
            what,
            size: 0,
            listed,
            file: None,
            direct: None,
            stamp: None,
            at: 0,
            changed: false,
            slow: false,
            gate: None,
            inside: false,
        }
    }

    /// Finds out what an input is and how long. One that is known to be a regular file is opened on the way, which
    /// saves the system a second search for its name.
    pub(crate) fn look(&mut self, devices: &Devices, lone: bool) -> Result<Kind, Error> {
        let Message::Input(input) = &self.what else { return Ok(Kind::Regular) };
        #[cfg(test)]
        trip(input.name(), "look");
        let (look, file) = if self.listed && devices.io != Io::Direct {
            let (file, look) = input.open_listed()?;
            (look, Some(file))
        } else {
            (input.look()?, None)
        };
        // A short file that is the only one is read in one go wherever it lies; to find out where takes as long.
        let alone = lone && look.len <= SHORT;
        let gate = if look.kind == Kind::Regular && !alone { devices.gate(&look, input.name()) } else { None };
        (self.size, self.stamp, self.gate) = (look.len, Some(look.stamp), gate);
        self.file = file.filter(|_| look.kind == Kind::Regular && look.len <= SHORT && self.gate.is_none());
        match look.kind {
            Kind::Directory => Err(Error::IsDirectory),
            kind => Ok(kind),
        }
    }

    /// Opens what is to be read, if that has not been done.
    pub(crate) fn open(&mut self, io: Io) -> Result<(), Error> {
        match &mut self.what {
            Message::Task(task) => {
                self.inside = true;
                let opened = task.open();
                self.inside = false;
                opened?;
            }
            Message::Input(_) if self.file.is_some() => {}
            Message::Input(input) => {
                #[cfg(test)]
                trip(input.name(), "open");
                if let (Io::Direct, Input::Path(path), 1..) = (io, &*input, self.size) {
                    self.direct = Direct::open(path)?;
                }
                let file = match &self.direct {
                    Some(direct) => direct.file()?,
                    None => input.open()?,
                };
                if self.size > SHORT {
                    // It may have been written to since it was looked at.
                    let look = Look::at(&file)?;
                    (self.size, self.stamp) = (look.len, Some(look.stamp));
                }
                if self.size > ADVISE && self.direct.is_none() {
                    advise_sequential(&file);
                }
                self.file = Some(file);
            }
        }
        Ok(())
    }

    /// Reads once. Nothing is the end. A task knows by itself when to stop; other files end with the work.
    pub(crate) fn read(&mut self, buffer: &mut [u8], progress: &Progress) -> Result<usize, Error> {
        let n = match (&mut self.what, &self.file) {
            (Message::Input(_), _) if progress.is_stopped() => return Err(Error::Stopped),
            (Message::Task(task), _) => {
                self.inside = true;
                let got = task.read(buffer);
                self.inside = false;
                got?
            }
            (Message::Input(_input), Some(file)) => {
                #[cfg(test)]
                trip(_input.name(), "read");
                match &mut self.direct {
                    Some(direct) => direct.read(buffer)?,
                    None if self.at == 0 && self.size <= SHORT => {
                        let start = Instant::now();
                        let n = read(file, buffer)?;
                        self.slow = start.elapsed() > SLOW;
                        n
                    }
                    None => read(file, buffer)?,
                }
            }
            (Message::Input(_), None) => 0,
        };
        self.at += n as u64;
        Ok(n)
    }

    /// Whether a read of `n` bytes into a buffer of `wanted` was the last. A short read that ends where the file ended
    /// when it was looked at is; any other may be an accident.
    pub(crate) fn is_at_end(&self, n: usize, wanted: usize) -> bool {
        n == 0 || n < wanted && self.at == self.size
    }

    /// Reads until the buffer is full or the message ends.
    pub(crate) fn read_full(&mut self, buffer: &mut [u8], progress: &Progress) -> Result<usize, Error> {
        let mut n = 0;
        while n < buffer.len() {
            match self.read(&mut buffer[n..], progress)? {
                0 => break,
                more => n += more,
            }
        }
        Ok(n)
    }

    /// Frees the file that was read to its end, and notes whether it was written to meanwhile. A short one that is as
    /// long as it was is taken for unchanged: it was read in one go. So is one that has no length: the kernel makes
    /// it up as it is read. The length of standard input is not known, but it may be a file.
    pub(crate) fn close(&mut self) {
        if let (Some(file), Some(stamp)) = (self.file.take(), self.stamp)
            && (self.size > SHORT || self.at != self.size && self.size > 0 || self.is_stdin())
        {
            self.changed = Look::at(&file).is_ok_and(|now| now.kind == Kind::Regular && now.stamp != stamp);
        }
        self.direct = None;
    }

    /// The file, if it can be read from anywhere, through the page cache.
    pub(crate) fn file(&self) -> Option<&File> {
        self.file.as_ref().filter(|_| self.direct.is_none() && matches!(self.what, Message::Input(Input::Path(_))))
    }

    pub(crate) fn is_stdin(&self) -> bool {
        matches!(self.what, Message::Input(Input::Stdin))
    }
}

impl Ord for Job {
    /// The greatest is to be hashed first.
    fn cmp(&self, other: &Self) -> Ordering {
        let generation = |j: &Job| j.index / GENERATION;
        generation(other).cmp(&generation(self)).then(self.size.cmp(&other.size)).then(other.index.cmp(&self.index))
    }
}

impl PartialOrd for Job {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Job {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Job {}
