//! Bounded access to a file, or to a piece of it that has been unpacked.

use std::cell::Cell;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// Maximum number of bytes read from a file to find its date. Metadata are much shorter, and the data of pictures and
/// films are skipped.
pub(super) const MOST_READ: u64 = 16 << 20;

/// Maximum number of boxes, chunks and segments examined in a file. Real files have hundreds; a film of several hours
/// that is written in fragments has some ten thousand.
pub(super) const MOST_ITEMS: u32 = 1 << 17;

/// Maximum length in bytes of one block of metadata that is held in memory, such as an XMP packet.
pub(super) const MOST_HELD: usize = 4 << 20;

/// What may still be read from a file. Lengths stated in a file cannot make a reader read or allocate more.
pub(super) struct Budget {
    bytes: Cell<u64>,
    items: Cell<u32>,
    exceeded: Cell<bool>,
}

impl Budget {
    pub(super) fn new() -> Self {
        Budget { bytes: Cell::new(MOST_READ), items: Cell::new(MOST_ITEMS), exceeded: Cell::new(false) }
    }

    /// Whether something was not read because it would have been too much.
    pub(super) fn is_exceeded(&self) -> bool {
        self.exceeded.get()
    }
}

#[derive(Clone, Copy)]
enum Data<'a> {
    File(&'a File),
    Memory(&'a [u8]),
}

/// A range of bytes. Positions are relative to its start, and nothing outside it can be read.
#[derive(Clone, Copy)]
pub(super) struct Input<'a> {
    data: Data<'a>,
    start: u64,
    len: u64,
    budget: &'a Budget,
}

impl<'a> Input<'a> {
    pub(super) fn file(file: &'a File, budget: &'a Budget) -> Self {
        let len = file.metadata().map_or(0, |m| m.len());
        Input { data: Data::File(file), start: 0, len, budget }
    }

    /// Returns bytes in memory that count for the same file as `self`.
    pub(super) fn memory<'b>(&self, bytes: &'b [u8]) -> Input<'b>
    where
        'a: 'b,
    {
        Input { data: Data::Memory(bytes), start: 0, len: bytes.len() as u64, budget: self.budget }
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Returns the part of up to `len` bytes from `at` on.
    pub(super) fn part(&self, at: u64, len: u64) -> Self {
        let at = at.min(self.len);
        Input { start: self.start + at, len: len.min(self.len - at), ..*self }
    }

    /// Returns everything from `at` on.
    pub(super) fn from(&self, at: u64) -> Self {
        self.part(at, u64::MAX)
    }

    /// Returns the position `length` bytes after `at`, but at most the end. Positions stated in a file may be anywhere;
    /// from the end, those of a few more bytes can still be computed.
    pub(super) fn past(&self, at: u64, length: u64) -> u64 {
        at.saturating_add(length).min(self.len)
    }

    /// Counts one more box, chunk or segment. Returns whether it may be examined.
    pub(super) fn count(&self) -> bool {
        match self.budget.items.get().checked_sub(1) {
            Some(left) => {
                self.budget.items.set(left);
                true
            }
            None => {
                self.budget.exceeded.set(true);
                false
            }
        }
    }

    /// Fills the front of `buffer` with the bytes from `at` on, and returns how many there are.
    fn fill(&self, at: u64, buffer: &mut [u8]) -> usize {
        let there = usize::try_from(self.len.saturating_sub(at)).unwrap_or(usize::MAX).min(buffer.len());
        let buffer = &mut buffer[..there];
        if there == 0 {
            return 0;
        }
        if there as u64 > self.budget.bytes.get() {
            self.budget.exceeded.set(true);
            return 0;
        }
        self.budget.bytes.set(self.budget.bytes.get() - there as u64);
        let start = self.start + at;
        match self.data {
            Data::Memory(bytes) => {
                let from = usize::try_from(start).unwrap_or(usize::MAX).min(bytes.len());
                let n = there.min(bytes.len() - from);
                buffer[..n].copy_from_slice(&bytes[from..from + n]);
                n
            }
            Data::File(file) => {
                let mut done = 0;
                while done < there {
                    match file.read_at(&mut buffer[done..], start + done as u64) {
                        Ok(0) | Err(_) => break,
                        Ok(n) => done += n,
                    }
                }
                done
            }
        }
    }

    /// Returns the `N` bytes at `at`, if there are so many.
    pub(super) fn array<const N: usize>(&self, at: u64) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        (self.fill(at, &mut bytes) == N).then_some(bytes)
    }

    /// Returns up to `len` bytes from `at` on, but never more than [`MOST_HELD`].
    pub(super) fn bytes(&self, at: u64, len: u64) -> Vec<u8> {
        let there = self.len.saturating_sub(at).min(len);
        let mut bytes = vec![0; usize::try_from(there).unwrap_or(usize::MAX).min(MOST_HELD)];
        let n = self.fill(at, &mut bytes);
        bytes.truncate(n);
        bytes
    }

    /// Returns everything, but never more than [`MOST_HELD`] bytes.
    pub(super) fn all(&self) -> Vec<u8> {
        self.bytes(0, self.len)
    }

    pub(super) fn starts_with(&self, text: &[u8]) -> bool {
        self.bytes(0, text.len() as u64) == text
    }

    pub(super) fn u16_be(&self, at: u64) -> Option<u16> {
        self.array(at).map(u16::from_be_bytes)
    }

    pub(super) fn u32_be(&self, at: u64) -> Option<u32> {
        self.array(at).map(u32::from_be_bytes)
    }

    pub(super) fn u64_be(&self, at: u64) -> Option<u64> {
        self.array(at).map(u64::from_be_bytes)
    }

    pub(super) fn u32_le(&self, at: u64) -> Option<u32> {
        self.array(at).map(u32::from_le_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_outside_is_read() {
        let budget = Budget::new();
        let file = tempfile::tempfile().expect("a file");
        let all = Input::file(&file, &budget);
        let input = all.memory(b"0123456789").part(2, 5);
        for (at, length) in [(5, 1), (0, u64::MAX), (u64::MAX, u64::MAX), (u64::MAX, 0)] {
            assert_eq!(input.past(at, length), 5, "{at} {length}");
        }
        assert_eq!((input.past(1, 2), input.len()), (3, 5));
        assert_eq!((input.all(), input.array(3)), (b"23456".to_vec(), Some(*b"56")));
        assert_eq!(input.part(4, u64::MAX).all(), b"6");
        for at in [5, u64::MAX] {
            assert_eq!((input.array::<1>(at), input.bytes(at, 9).len(), input.part(at, 9).len()), (None, 0, 0), "{at}");
        }
        assert!(!budget.is_exceeded());
    }

    #[test]
    fn no_more_than_the_budget_is_read() {
        let file = tempfile::tempfile().expect("a file");
        file.set_len(3 << 30).expect("room");
        let budget = Budget::new();
        let input = Input::file(&file, &budget);
        let read: usize = (0..100).map(|_| input.all().len()).sum();
        assert!(budget.is_exceeded() && read as u64 == MOST_READ && input.array::<1>(0).is_none());
        let budget = Budget::new();
        let input = Input::file(&file, &budget);
        assert!((0..MOST_ITEMS).all(|_| input.count()) && !budget.is_exceeded());
        assert!(!input.count() && budget.is_exceeded());
    }
}
