//! Contents of the buffers.

use std::fs;
use std::sync::Arc;
use thiserror::Error;

/// Number of buffers, unless fewer fit into [`MOST`] bytes. They take turns so that neither caches nor branch
/// predictors learn one message.
const BUFFERS: usize = 16;
const MOST: usize = 8 << 20;
/// Alignment of a buffer to a cache line, before `-misalign` is added.
const LINE: usize = 64;

#[derive(Debug, Clone)]
pub(super) enum Data {
    Zero,
    Random,
    File(Arc<Vec<u8>>),
}

#[derive(Debug, Error)]
pub(super) enum DataError {
    #[error("{0}: {1}; -data takes zero, random or a file to read")]
    Read(String, std::io::Error),
    #[error("{0} is empty: -data needs bytes")]
    Empty(String),
    #[error("the system has no random bytes: {0}")]
    Random(getrandom::Error),
}

fn stride(size: usize) -> usize {
    size.next_multiple_of(LINE) + LINE
}

impl Data {
    /// Parses `zero`, `random`, or the name of a file, which is read.
    pub(super) fn read(name: &str) -> Result<Data, DataError> {
        match name {
            "zero" => Ok(Data::Zero),
            "random" => Ok(Data::Random),
            path => match fs::read(path) {
                Err(e) => Err(DataError::Read(path.into(), e)),
                Ok(bytes) if bytes.is_empty() => Err(DataError::Empty(path.into())),
                Ok(bytes) => Ok(Data::File(Arc::new(bytes))),
            },
        }
    }

    /// Returns the bytes of memory that messages of this size take.
    pub(super) fn needed(size: usize, misalign: usize, name: &str) -> u64 {
        let count = if name == "zero" { 1 } else { buffers(size) };
        (count * stride(size) + misalign + LINE) as u64
    }

    /// Creates messages of `size` bytes, all drawn and in memory.
    pub(super) fn messages(&self, size: usize, misalign: usize) -> Result<Messages, DataError> {
        let count = if matches!(self, Data::Zero) { 1 } else { buffers(size) };
        let mut messages = Messages::zero(size, misalign, count);
        match self {
            Data::Zero => {}
            Data::Random => getrandom::fill(&mut messages.bytes).map_err(DataError::Random)?,
            Data::File(file) => {
                let mut from = file.iter().cycle();
                for i in 0..count {
                    messages.get_mut(i).iter_mut().zip(&mut from).for_each(|(b, f)| *b = *f);
                }
            }
        }
        Ok(messages)
    }
}

fn buffers(size: usize) -> usize {
    BUFFERS.min(MOST / stride(size)).max(1)
}

/// Messages of one size.
#[derive(Debug)]
pub(super) struct Messages {
    bytes: Vec<u8>,
    first: usize,
    size: usize,
    misalign: usize,
    count: usize,
}

impl Messages {
    fn zero(size: usize, misalign: usize, count: usize) -> Messages {
        let bytes = vec![0u8; count * stride(size) + misalign + LINE];
        let first = bytes.as_ptr().align_offset(LINE).min(LINE) + misalign;
        Messages { bytes, first, size, misalign, count }
    }

    /// Returns a copy with the same alignment, to be written to.
    pub(super) fn copy(&self) -> Messages {
        let mut copy = Messages::zero(self.size, self.misalign, self.count);
        (0..self.count).for_each(|i| copy.get_mut(i).copy_from_slice(self.get(i)));
        copy
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    fn range(&self, i: usize) -> std::ops::Range<usize> {
        let at = self.first + i * stride(self.size);
        at..at + self.size
    }

    #[inline(always)]
    pub(super) fn get(&self, i: usize) -> &[u8] {
        &self.bytes[self.range(i)]
    }

    pub(super) fn get_mut(&mut self, i: usize) -> &mut [u8] {
        let range = self.range(i);
        &mut self.bytes[range]
    }

    pub(super) fn all(&self) -> Vec<&[u8]> {
        (0..self.count).map(|i| self.get(i)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_lie_where_they_should() {
        for (data, count) in [(Data::Zero, 1), (Data::Random, 16)] {
            for misalign in [0, 3, 63] {
                let m = data.messages(100, misalign).unwrap();
                assert_eq!(m.len(), count);
                for message in m.all() {
                    assert_eq!((message.len(), message.as_ptr() as usize % LINE), (100, misalign));
                }
            }
        }
        let m = Data::Random.messages(100, 0).unwrap();
        assert_ne!(m.get(0), m.get(1));
        assert_eq!(m.copy().all(), m.all());
        assert!(Data::Zero.messages(100, 0).unwrap().get(0).iter().all(|b| *b == 0));
        assert_eq!(Data::Random.messages(3 << 20, 0).unwrap().len(), 2);
        assert_eq!(Data::Random.messages(9 << 20, 0).unwrap().len(), 1);
    }

    #[test]
    fn a_file_is_cut_into_messages() {
        let file = Data::File(Arc::new((0..40).collect()));
        let m = file.messages(25, 0).unwrap();
        assert_eq!((m.get(0)[0], m.get(0)[24], m.get(1)[0], m.get(1)[15]), (0, 24, 25, 0));
        assert!(matches!(Data::read("/nonexistent"), Err(DataError::Read(..))));
    }
}
