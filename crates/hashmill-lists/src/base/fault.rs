//! What can be wrong with a line of a list.

use crate::base::tag::tag;
use hashmill::Algorithm;
use std::borrow::Cow;
use std::fmt;

/// Why a line cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The line is not a checksum line, but text such as that around a signature.
    Text,
    /// The line is for a different algorithm than the one requested.
    OtherAlgorithm,
    /// The line looks like a checksum line, but is damaged or in a form that cannot be checked.
    Malformed,
    /// The list ends within this line.
    CutOff,
    /// A digest that no file name follows.
    NoName,
    /// A file without a digest.
    NoDigest,
    /// A file that could not be read when the list was made.
    NotRead,
    /// The list's name suggests an algorithm that has no digests of this length.
    OtherLength {
        /// The algorithm.
        algorithm: Algorithm,
        /// The digest's length in bytes.
        bytes: usize,
    },
    /// The line names an algorithm that is not known here.
    NoSuchAlgorithm(String),
    /// What is wrong with a line in the words of the program whose list it is.
    Said(Cow<'static, str>),
    /// The line is longer than any path and digest.
    TooLong,
    /// The line is outside of the text that the list's PGP signature covers.
    NotSigned,
    /// The name was cut by the program that wrote the list, which put `...` in place of its end.
    CutName(String),
    /// Nothing tells the digest's algorithm, and there is no candidate of its length to try, or none may be tried.
    UnknownAlgorithm {
        /// The digest's length in bytes.
        bytes: usize,
    },
    /// The digest is shorter than both the algorithm's usual length and 128 bits, so a different file with the same
    /// digest can be made.
    Short(Algorithm),
    /// The algorithm's parameters make it many times slower than usual.
    Slow(Algorithm),
}

impl Fault {
    /// Returns a stable word for it, as `--json` has it.
    pub fn kind(&self) -> &'static str {
        match self {
            Fault::Text | Fault::Malformed | Fault::Said(_) => "malformed",
            Fault::OtherAlgorithm => "other-algorithm",
            Fault::CutOff => "cut-off",
            Fault::NoName => "no-name",
            Fault::NoDigest => "no-digest",
            Fault::NotRead => "not-read",
            Fault::OtherLength { .. } => "other-length",
            Fault::NoSuchAlgorithm(_) | Fault::UnknownAlgorithm { .. } => "unknown-algorithm",
            Fault::TooLong => "too-long",
            Fault::NotSigned => "not-signed",
            Fault::CutName(_) => "cut-name",
            Fault::Short(_) => "short-digest",
            Fault::Slow(_) => "slow-algorithm",
        }
    }

    /// Returns whether a file may have gone unverified because of this line, since it looks like a checksum line but
    /// cannot be used.
    pub fn hides_a_file(&self) -> bool {
        !matches!(self, Fault::Text | Fault::OtherAlgorithm)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Text => f.write_str("no checksum line"),
            Fault::OtherAlgorithm => f.write_str("checksum line of another algorithm"),
            Fault::Malformed => f.write_str("checksum line not understood"),
            Fault::CutOff => f.write_str("the list ends within this line; part of it may be missing"),
            Fault::NoName => f.write_str("a digest without the name of its file"),
            Fault::NoDigest => f.write_str("a file without a digest"),
            Fault::NotRead => f.write_str("could not be read when the list was made, so it has no digest"),
            Fault::OtherLength { algorithm, bytes } => {
                write!(f, "a digest of {} bits cannot be {}'s; name its algorithm with -a", 8 * bytes, tag(*algorithm))
            }
            Fault::NoSuchAlgorithm(name) => write!(f, "digest of an unknown algorithm, {name}"),
            Fault::Said(what) => f.write_str(what),
            Fault::TooLong => f.write_str("line too long for a checksum line"),
            Fault::NotSigned => f.write_str("not covered by the list's signature"),
            Fault::CutName(name) => write!(f, "the name was cut off when the list was written: {name}"),
            Fault::UnknownAlgorithm { bytes } => {
                write!(f, "cannot tell which algorithm this digest of {} bits is from; name it with -a", 8 * bytes)
            }
            Fault::Short(a) => {
                write!(f, "{} bits of {} prove nothing; --allow-short compares them", 8 * a.digest_len(), a.base_name())
            }
            Fault::Slow(a) => {
                write!(f, "{a} would take {:.0} times as long as usual; -a {a} allows it", a.relative_cost())
            }
        }
    }
}
