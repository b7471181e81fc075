//! The value of a part of a message that is hashed separately from the rest.

/// The largest value in bytes: two of BLAKE3's chaining values.
pub(crate) const MAX_VALUE: usize = 64;

/// The result of hashing a part of a message separately from the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) bytes: [u8; MAX_VALUE],
    pub(crate) len: usize,
    /// What is put together in order ([`super::Whole::fold`]); empty for what can be joined in any order.
    pub(crate) sums: Vec<[u64; 8]>,
}

impl Value {
    pub(crate) fn of(value: &[u8]) -> Self {
        let mut all = Value { bytes: [0; MAX_VALUE], len: value.len(), sums: Vec::new() };
        all.bytes[..value.len()].copy_from_slice(value);
        all
    }

    pub(crate) fn value(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}
