//! What a part of a message comes to that is hashed apart from the rest.

/// The most bytes that a part's value has: two of BLAKE3's chaining values.
pub(crate) const MAX_VALUE: usize = 64;

/// What hashing a part of a message apart from the rest comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) bytes: [u8; MAX_VALUE],
    pub(crate) len: usize,
}

impl Value {
    pub(crate) fn of(value: &[u8]) -> Self {
        let mut all = Value { bytes: [0; MAX_VALUE], len: value.len() };
        all.bytes[..value.len()].copy_from_slice(value);
        all
    }

    pub(crate) fn value(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}
