//! What a round function is told besides its state.

/// What a round function is told besides its state: the registry row and its parameters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Params {
    /// Index into the registry.
    pub(crate) row: u16,
    /// Digest length in bytes.
    pub(crate) out_len: u32,
    /// The algorithm's own parameters (keccak: rate, suffix; crc: table row …).
    pub(crate) p: [u16; 4],
    /// The seed of algorithms that have one, else 0.
    pub(crate) seed: u64,
}
