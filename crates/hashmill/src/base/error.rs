//! What can go wrong: names, parameters and keys. Hashing itself cannot fail.

use crate::base::nearest::did_you_mean;
use std::fmt::{self, Write};
use thiserror::Error as ThisError;

/// Text that somebody gave, in a message: one line stays one line, a terminal obeys nothing in it, and it is cut after
/// so many characters.
struct Shown<'a>(&'a str, usize);

/// Of a name: longer than any that there is.
const NAME: usize = 200;

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, c) in self.0.chars().enumerate() {
            if i == self.1 {
                return f.write_char('…');
            }
            if c.is_control()
                || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
            {
                write!(f, "{}", c.escape_default())?;
            } else {
                f.write_char(c)?;
            }
        }
        Ok(())
    }
}

/// An error of this library.
///
/// ```
/// use hashmill::{Algorithm, Error};
/// let e = "sha265".parse::<Algorithm>().unwrap_err();
/// assert!(matches!(&e, Error::UnknownAlgorithm { near, .. } if near[0] == "sha256"));
/// assert_eq!(e.to_string(), "unknown algorithm 'sha265'; did you mean sha256?");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
#[non_exhaustive]
pub enum Error {
    /// No algorithm has this name.
    #[error("unknown algorithm '{}'{}", Shown(.name, NAME), did_you_mean(.near))]
    UnknownAlgorithm {
        /// The name as given.
        name: String,
        /// The names nearest to it, best first.
        near: Vec<String>,
    },
    /// Offsets of messages in a buffer that are negative, descend, or point beyond it.
    #[error("offset {at} is {offset}: offsets must ascend from 0 and not exceed the {len} bytes given")]
    BadOffsets {
        /// Which offset, counted from 0.
        at: usize,
        /// Its value.
        offset: i128,
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
    #[error("{count} digests of {each} bytes do not fit {given} bytes exactly")]
    WrongTotal {
        /// Bytes of a digest: its length, or twice that as text.
        each: usize,
        /// Messages.
        count: usize,
        /// Bytes given for the digests.
        given: usize,
    },
    /// The name is that of an algorithm, but its parameters are impossible.
    #[error("{algorithm}: {}", Shown(.reason, usize::MAX))]
    BadParameter {
        /// The algorithm's canonical name.
        algorithm: String,
        /// What is wrong and what would be right.
        reason: String,
    },
    /// The name is of a form that carries parameters, but there is no such algorithm.
    #[error("impossible algorithm '{}': {}{}", Shown(.name, NAME), Shown(.reason, usize::MAX), did_you_mean(.near))]
    ImpossibleName {
        /// The name as given, in lower case.
        name: String,
        /// What would be possible.
        reason: String,
        /// The nearest names that exist.
        near: Vec<String>,
    },
    /// The name is used for several algorithms that differ.
    #[error("'{}' is the name of several algorithms: {}", Shown(.name, NAME), .meanings.join(", "))]
    AmbiguousName {
        /// The name as given, in lower case.
        name: String,
        /// The names of those that it is used for.
        meanings: Vec<String>,
    },
    /// No such kernel.
    #[error("{}unknown kernel '{}' (known: {})", .algorithm.as_ref().map(|a| format!("{a}: ")).unwrap_or_default(),
            Shown(.kernel, NAME), .known.join(", "))]
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
    /// A digest from which the hash cannot resume.
    #[error("{algorithm}: cannot resume from this digest; only CRCs and Adler-32 can, from a digest of their own")]
    NotResumable {
        /// The algorithm's canonical name.
        algorithm: String,
    },
    /// An exported state that is none, or none that can be resumed.
    #[error("state: {reason}")]
    BadState {
        /// What is wrong with it.
        reason: String,
    },
    /// The state of a hasher with a key or a context is not exported.
    #[error("{algorithm}: the state of a hasher with a key or a context is not exported")]
    SecretState {
        /// The algorithm's canonical name.
        algorithm: String,
    },
    /// Bits that cannot be hashed.
    #[error("{algorithm}: {reason}")]
    BadBits {
        /// The algorithm's canonical name.
        algorithm: String,
        /// Why not.
        reason: String,
    },
    /// A buffer for a digest, or a digest, has the wrong length.
    #[error("{algorithm}: the digest has {digest_len} bytes, not {given}")]
    WrongLength {
        /// The algorithm's canonical name.
        algorithm: String,
        /// The digest's length in bytes.
        digest_len: usize,
        /// The buffer's.
        given: usize,
    },
}

/// The kinds of errors, with numbers that do not change: what C and the other languages see beside the message.
///
/// A number is never used for another kind, and a kind that is not needed any more keeps its number. 0 means no error.
///
/// ```
/// use hashmill::{Algorithm, ErrorKind};
/// let kind = "sha265".parse::<Algorithm>().unwrap_err().kind();
/// assert_eq!(kind, ErrorKind::UnknownAlgorithm);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
#[repr(u32)]
pub enum ErrorKind {
    /// No algorithm has this name.
    UnknownAlgorithm = 1,
    /// The name has the form of an algorithm's, but there is none with these parameters.
    ImpossibleName = 2,
    /// The name is used for several algorithms that differ.
    AmbiguousName = 3,
    /// The algorithm takes no such parameter, or not with this value: digest length, seed, salt, personalization,
    /// context.
    BadParameter = 4,
    /// The algorithm takes no key, or not one of this length.
    BadKey = 5,
    /// No such kernel.
    UnknownKernel = 6,
    /// This CPU cannot run the kernel.
    KernelUnavailable = 7,
    /// A digest, or the room for one, does not have the algorithm's digest length.
    WrongLength = 8,
    /// The room for many digests is not exactly as long as they are.
    WrongTotal = 9,
    /// Offsets of messages in a buffer descend, are negative or point beyond it.
    BadOffsets = 10,
    /// A part does not continue the message.
    WrongPart = 11,
    /// The algorithm has no extendable output.
    NotExtendable = 12,
    /// The hash cannot resume from a digest, or not from this one.
    NotResumable = 13,
    /// Bytes that are not an exported state, or none of this algorithm.
    BadState = 14,
    /// The state of a hasher with a key or a context is not exported.
    SecretState = 15,
    /// The algorithm has no messages of bits, or their number does not fit the bytes that they are in.
    BadBits = 16,
}

impl ErrorKind {
    /// Its number.
    ///
    /// ```
    /// use hashmill::ErrorKind;
    /// assert_eq!(ErrorKind::UnknownAlgorithm.code(), 1);
    /// ```
    pub fn code(self) -> u32 {
        self as u32
    }
}

impl Error {
    /// Its kind.
    ///
    /// ```
    /// use hashmill::{Algorithm, ErrorKind};
    /// let e = "sha256".parse::<Algorithm>()?.with_digest_len(20).unwrap_err();
    /// assert_eq!(e.kind(), ErrorKind::BadParameter);
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::UnknownAlgorithm { .. } => ErrorKind::UnknownAlgorithm,
            Error::ImpossibleName { .. } => ErrorKind::ImpossibleName,
            Error::AmbiguousName { .. } => ErrorKind::AmbiguousName,
            Error::BadParameter { .. } => ErrorKind::BadParameter,
            Error::BadKey { .. } => ErrorKind::BadKey,
            Error::UnknownKernel { .. } => ErrorKind::UnknownKernel,
            Error::KernelUnavailable { .. } => ErrorKind::KernelUnavailable,
            Error::WrongLength { .. } => ErrorKind::WrongLength,
            Error::WrongTotal { .. } => ErrorKind::WrongTotal,
            Error::BadOffsets { .. } => ErrorKind::BadOffsets,
            Error::WrongPart { .. } => ErrorKind::WrongPart,
            Error::NotExtendable { .. } => ErrorKind::NotExtendable,
            Error::NotResumable { .. } => ErrorKind::NotResumable,
            Error::BadState { .. } => ErrorKind::BadState,
            Error::SecretState { .. } => ErrorKind::SecretState,
            Error::BadBits { .. } => ErrorKind::BadBits,
        }
    }
}
