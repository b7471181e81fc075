//! What can go wrong: names, parameters and keys. Hashing itself cannot fail.

use thiserror::Error as ThisError;

/// An error of this library.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
#[non_exhaustive]
pub enum Error {
    /// No algorithm has this name.
    #[error("unknown algorithm '{name}'{}", suggest(.near))]
    UnknownAlgorithm {
        /// The name as given.
        name: String,
        /// The names nearest to it, best first.
        near: Vec<String>,
    },
    /// Offsets of messages in a buffer that descend or point beyond it.
    #[error("offset {at} is {offset}: offsets must ascend and not exceed the {len} bytes that there are")]
    BadOffsets {
        /// Which offset, counted from 0.
        at: usize,
        /// Its value.
        offset: u64,
        /// Bytes of the buffer.
        len: usize,
    },
    /// A part that does not continue the message.
    #[error("{algorithm}: {reason}")]
    WrongPart {
        /// The algorithm of the message.
        algorithm: String,
        /// What is wrong with the part.
        reason: String,
    },
    /// Room for the digests of several messages that is not exactly as long as they are.
    #[error("{count} digests of {digest_len} bytes do not fit {given} bytes exactly")]
    WrongTotal {
        /// Bytes of a digest.
        digest_len: usize,
        /// Messages.
        count: usize,
        /// Bytes given for the digests.
        given: usize,
    },
    /// The name is that of an algorithm, but its parameters are impossible.
    #[error("{algorithm}: {reason}")]
    BadParameter {
        /// The algorithm's canonical name.
        algorithm: String,
        /// What is wrong and what would be right.
        reason: String,
    },
    /// The name is of a form that carries parameters, but there is no such algorithm.
    #[error("impossible algorithm '{name}': {reason}{}", suggest(.near))]
    ImpossibleName {
        /// The name as given, in lower case.
        name: String,
        /// What would be possible.
        reason: String,
        /// The nearest names that exist.
        near: Vec<String>,
    },
    /// The name is used for several algorithms that differ.
    #[error("'{name}' is the name of several algorithms: {}", .meanings.join(", "))]
    AmbiguousName {
        /// The name as given, in lower case.
        name: String,
        /// The names of those that it is used for.
        meanings: Vec<String>,
    },
    /// No such kernel.
    #[error("{}unknown kernel '{kernel}' (known: {})", .algorithm.as_ref().map(|a| format!("{a}: ")).unwrap_or_default(), .known.join(", "))]
    UnknownKernel {
        /// The algorithm that was to run on it; none where no algorithm has such a kernel.
        algorithm: Option<String>,
        /// The name as given.
        kernel: String,
        /// The names that would have been accepted.
        known: Vec<String>,
    },
    /// The kernel exists, but this CPU cannot run it.
    #[error("{algorithm}: kernel '{kernel}' needs {needs}, which this CPU lacks")]
    KernelUnavailable {
        /// The algorithm's canonical name.
        algorithm: String,
        /// The kernel's name.
        kernel: String,
        /// The CPU features it needs.
        needs: String,
    },
    /// The algorithm takes no key, or not one of this length.
    #[error("{algorithm}: {reason}")]
    BadKey {
        /// The algorithm's canonical name.
        algorithm: String,
        /// Which keys it takes.
        reason: String,
    },
    /// The algorithm's digest length is fixed, so it has no extendable output.
    #[error("{algorithm} has no extendable output; its digest has {digest_len} bytes")]
    NotExtendable {
        /// The algorithm's canonical name.
        algorithm: String,
        /// Its digest length in bytes.
        digest_len: usize,
    },
    /// A buffer for a digest has the wrong length.
    #[error("{algorithm}: the digest has {digest_len} bytes, the buffer {given}")]
    WrongLength {
        /// The algorithm's canonical name.
        algorithm: String,
        /// The digest's length in bytes.
        digest_len: usize,
        /// The buffer's.
        given: usize,
    },
}

fn suggest(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!(" (nearest: {})", near.join(", ")) }
}
