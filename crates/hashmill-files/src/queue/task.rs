//! Messages that are not files: a task produces the bytes to be hashed, and acts on them, as a copy does.

use crate::base::error::Error;
use hashmill::Digest;

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

    /// Writes the next bytes of the message to the beginning of `buffer`, which is not empty, and says how many. None
    /// is the end of the message, and so is fewer than there is room for once [`Task::size`] bytes have come.
    ///
    /// # Errors
    /// What [`Task::done`] is told then; there are no more reads after one.
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Error>;

    /// Told the digests in the order of [`Options::algorithms`](crate::Options::algorithms), or what went wrong:
    /// [`Error::Panicked`] where the thread that was at it did, because of another task or otherwise, and when no
    /// thread is left.
    ///
    /// A task that panics itself, in any of its methods, is dropped instead. It should let its own [`Drop`] tell whom
    /// it concerns.
    fn done(self: Box<Self>, result: Result<Vec<Digest>, Error>);
}
