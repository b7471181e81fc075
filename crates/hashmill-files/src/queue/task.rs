//! Messages that are not files: a task produces the bytes to be hashed, and may process them further, as a copy does.
//!
//! A task goes the same way as a file, in lanes or alone.

use crate::base::error::Error;
use hashmill::Digest;

/// A message that is hashed as it is read. A copy, for instance, writes what it reads.
///
/// The methods of a task are called one after the other, but not always on the same thread.
pub trait Task: Send {
    /// Returns the approximate number of bytes. Long tasks are started first.
    fn size(&self) -> u64;

    /// Prepares the task. Called once, before the first read.
    ///
    /// # Errors
    /// Any error is passed to [`Task::done`].
    fn open(&mut self) -> Result<(), Error>;

    /// Writes the next bytes of the message to the beginning of `buffer`, which is not empty, and returns their number.
    /// The message ends when that is 0, or when it is less than the length of `buffer` and [`Task::size`] bytes have
    /// been read in all.
    ///
    /// # Errors
    /// Any error is passed to [`Task::done`], and there are no more reads after it.
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Error>;

    /// Receives the digests in the order of [`Options::recipes`](crate::Options::recipes), or the error:
    /// [`Error::Panicked`] if the thread that was working on the task panicked elsewhere, for instance in another task,
    /// or if no thread is left.
    ///
    /// A task that panics in any of its own methods is dropped instead. Its [`Drop`] should notify whomever that
    /// concerns.
    fn done(self: Box<Self>, result: Result<Vec<Digest>, Error>);
}
