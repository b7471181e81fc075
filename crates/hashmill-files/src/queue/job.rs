//! A message to be hashed: how its input is examined, opened, read and closed.
//!
//! If the directory listing says that a file is regular, it is opened first and its length is read through the
//! descriptor, which saves a second lookup of the name. After a file that took more than one read, its length and
//! modification time are checked again; a file that was written to meanwhile is reported.

use crate::base::error::Error;
use crate::base::options::Io;
use crate::base::progress::Progress;
#[cfg(test)]
use crate::base::trap::trip;
use crate::queue::task::Task;
use crate::read::device::Devices;
use crate::read::direct::Direct;
use crate::read::input::{Input, Kind, Look, Stamp, advise_sequential, read, read_full_at, special};
use std::cmp::Ordering;
use std::fs::File;
use std::time::{Duration, Instant};

/// Files are ordered by length only within generations of this many, so that results come out while a long list is
/// being processed.
pub(crate) const GENERATION: u64 = 4096;

/// Files up to this length are hashed as soon as they have been examined; longer ones wait for their turn, the longest
/// first.
pub(crate) const SHORT: u64 = 64 << 10;

/// What is in memory is found or read in a few microseconds. What takes longer than this may have been fetched from a
/// medium.
pub(crate) const SLOW: Duration = Duration::from_micros(40);

/// Files longer than this are announced to the kernel as sequential reads; for shorter ones the call costs more than it
/// saves.
const ADVISE: u64 = 256 << 10;

/// What a job reads.
pub(crate) enum Message {
    Input(Input),
    /// A task, which provides its own bytes and receives its digests as soon as they are known.
    Task(Box<dyn Task>),
}

/// Whether reading the beginning of a file, which took this long, had to wait for a medium. Then a second time is
/// quick; where every system call is slow, as it is if each is traced, checked or emulated, a second one is, too, or
/// takes half as long or twice.
pub(crate) fn is_of_medium(file: &File, took: Duration) -> bool {
    // Reading at a place would move the file's position on Windows.
    if took <= SLOW || cfg!(windows) {
        return took > SLOW;
    }
    let again = Instant::now();
    read_full_at(file, &mut [0], 0).is_ok() && again.elapsed() * 4 < took
}

/// A message to be hashed, with its place among all of them.
pub(crate) struct Job {
    pub(crate) index: u64,
    pub(crate) what: Message,
    /// Length in bytes, as far as it is known.
    pub(crate) size: u64,
    /// Whether a directory listing has reported a regular file.
    pub(crate) listed: bool,
    /// Whether to refuse pipes, sockets and devices.
    pub(crate) regular_only: bool,
    /// The file of an input that has been opened.
    file: Option<File>,
    /// The same file, if it is read past the page cache.
    direct: Option<Direct>,
    /// The stamp of the file when it was last examined before being read.
    pub(crate) stamp: Option<Stamp>,
    /// Number of bytes read so far.
    pub(crate) at: u64,
    /// Whether the file was written to while it was read.
    pub(crate) changed: bool,
    /// Whether the system had to fetch the content from a medium.
    pub(crate) slow: bool,
    /// The device that the file is on, if one reader at a time is best there.
    pub(crate) gate: Option<u64>,
    /// Whether one of the task's own methods is running. If it panics, the state of the task is unknown.
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
            regular_only: false,
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

    /// Finds out what kind of input this is and how long. A file that a listing has reported as regular is opened for
    /// this, which saves the system a second look-up of its name.
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
        // A short file that is the only one is read in one go wherever it is stored; finding out where would take as
        // long.
        let alone = lone && look.len <= SHORT;
        let gate = if look.kind == Kind::Regular && !alone { devices.gate(&look, input.name()) } else { None };
        (self.size, self.stamp, self.gate) = (look.len, Some(look.stamp), gate);
        self.file = file.filter(|_| look.kind == Kind::Regular && look.len <= SHORT && self.gate.is_none());
        match look.kind {
            Kind::Directory => Err(Error::IsDirectory),
            Kind::Stream if self.regular_only => {
                Err(Error::Skipped(input.metadata().map_or("device", |m| special(m.file_type()))))
            }
            kind => Ok(kind),
        }
    }

    /// Opens the task, or the input unless it is open already.
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
                if let (Io::Direct, Some(path), 1..) = (io, input.path(), self.size) {
                    // Fails if the path leads out of its folder; `Direct` opens it again.
                    if let Input::Below(..) = input {
                        input.open()?;
                    }
                    self.direct = Direct::open(path)?;
                }
                let file = match &self.direct {
                    Some(direct) => direct.file()?,
                    None => input.open()?,
                };
                if self.size > SHORT {
                    // The file may have been written to since it was examined.
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

    /// Reads once. Returns 0 at the end of the message. An input fails once the work has been asked to stop; a task
    /// decides for itself when to stop.
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
                        self.slow = is_of_medium(file, start.elapsed());
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

    /// Returns whether a read of `n` bytes into a buffer of `wanted` bytes was the last. A short read is the last if it
    /// ends where the file ended when it was examined; any other may be accidental.
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

    /// Closes the file after reading, and notes whether it was written to meanwhile. A short file that still has the
    /// expected length is assumed to be unchanged, since it was read in one go. So is a file without a length, since
    /// the kernel generates it as it is read. Standard input is always checked: its length is not known, but it may be
    /// a file.
    pub(crate) fn close(&mut self) {
        if let (Some(file), Some(stamp)) = (self.file.take(), self.stamp)
            && (self.size > SHORT || self.at != self.size && self.size > 0 || self.is_stdin())
        {
            self.changed = Look::at(&file).is_ok_and(|now| now.kind == Kind::Regular && now.stamp != stamp);
        }
        self.direct = None;
    }

    /// Returns the open file, unless it is standard input or read past the page cache.
    pub(crate) fn file(&self) -> Option<&File> {
        let is_path = matches!(&self.what, Message::Input(input) if input.path().is_some());
        self.file.as_ref().filter(|_| self.direct.is_none() && is_path)
    }

    pub(crate) fn is_stdin(&self) -> bool {
        matches!(self.what, Message::Input(Input::Stdin))
    }
}

impl Ord for Job {
    /// The greatest job is hashed first.
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
