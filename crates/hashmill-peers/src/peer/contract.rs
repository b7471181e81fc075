//! The interface of peers, and the reasons why one cannot be used.

use clap::ValueEnum;
use hashmill::Algorithm;
use hashmill_measure::child::ChildError;
use std::ffi::OsString;
use std::ops::Range;
use std::time::Duration;
use thiserror::Error;

/// The peers there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, ValueEnum)]
pub enum PeerKind {
    /// OpenSSL's libcrypto, loaded at run time
    Openssl,
    /// another libcrypto, the one that HASHMILL_LIBCRYPTO2 names
    Openssl2,
    /// OpenSSL's libcrypto, one EVP_Digest for every message
    OpensslOnce,
    /// RustCrypto's crates, compiled in
    Rustcrypto,
    /// the crates of others (blake3, crc-fast, twox-hash …), compiled in
    Crates,
    /// PHP's hash(), in a child process
    Php,
    /// Go's crypto packages, in a child process
    Go,
    /// Python's hashlib, in a child process
    Python,
    /// coreutils' md5sum and so on, a child process for every slice
    Coreutils,
}

impl PeerKind {
    /// Returns the peer's name: `openssl`, `php` …
    pub fn word(self) -> &'static str {
        match self {
            PeerKind::Openssl => "openssl",
            PeerKind::Openssl2 => "openssl2",
            PeerKind::OpensslOnce => "openssl-once",
            PeerKind::Rustcrypto => "rustcrypto",
            PeerKind::Crates => "crates",
            PeerKind::Php => "php",
            PeerKind::Go => "go",
            PeerKind::Python => "python",
            PeerKind::Coreutils => "coreutils",
        }
    }
}

/// Another implementation of many digests.
pub trait Peer {
    /// Returns the implementation's name and version: `OpenSSL 3.0.19 27 Jan 2026`, `PHP 8.2.36`.
    fn version(&self) -> String;

    /// Describes what its times include besides hashing.
    fn notes(&self) -> Option<String> {
        None
    }

    /// Returns the algorithms of ours that it has.
    fn algorithms(&mut self) -> Vec<Algorithm>;

    /// Returns a job that runs one algorithm over these messages.
    ///
    /// # Errors
    /// If the peer does not have it, or does not work, or there are no messages.
    fn job<'a>(&'a mut self, algorithm: Algorithm, messages: &'a [&'a [u8]]) -> Result<Box<dyn Job + 'a>, PeerError>;
}

/// One algorithm of a peer over some messages.
pub trait Job {
    /// Returns the implementation's name and version; for a peer made of crates, the crate's: `RustCrypto sha2 0.11.1`.
    fn version(&self) -> String;

    /// Hashes `times` messages one after the other, starting over after the last one and continuing where the previous
    /// call ended. Returns the time it took by the peer's own clock, or `None` if the caller's clock sees the same.
    ///
    /// # Errors
    /// If the peer fails or dies.
    fn run(&mut self, times: u64) -> Result<Option<Duration>, PeerError>;

    /// Returns the digests of all messages, in order.
    ///
    /// # Errors
    /// If the peer fails or dies.
    fn digests(&mut self) -> Result<Vec<Vec<u8>>, PeerError>;
}

/// Returns the program or library that the user's environment variable names.
pub(crate) fn program(kind: PeerKind) -> Option<OsString> {
    let variable = match kind {
        PeerKind::Openssl | PeerKind::OpensslOnce => "HASHMILL_LIBCRYPTO".into(),
        PeerKind::Openssl2 => "HASHMILL_LIBCRYPTO2".into(),
        _ => format!("HASHMILL_{}", kind.word().to_uppercase()),
    };
    std::env::var_os(variable).filter(|v| !v.is_empty())
}

/// Returns the next `times` of `count` messages as contiguous ranges, starting over after the last message.
pub fn stretches(next: &mut usize, count: usize, times: u64) -> impl Iterator<Item = Range<usize>> {
    let mut left = times;
    std::iter::from_fn(move || {
        let start = *next;
        let end = count.min(start.saturating_add(usize::try_from(left).unwrap_or(usize::MAX)));
        left -= (end - start) as u64;
        *next = if end == count { 0 } else { end };
        (start < end).then_some(start..end)
    })
}

/// A reason why a peer cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PeerError {
    /// No libcrypto could be loaded; one reason per name tried.
    #[error("no libcrypto ({}); HASHMILL_LIBCRYPTO=PATH names one", .0.join("; "))]
    NoLibcrypto(Vec<String>),
    /// A second libcrypto is wanted, but it was not said which.
    #[error("HASHMILL_LIBCRYPTO2=PATH names the second libcrypto, and is not set")]
    NoSecondLibcrypto,
    /// None of several peers has the digest.
    #[error("no peer has {algorithm}: not {}", peers.join(", not "))]
    NoPeer {
        /// The algorithm's name.
        algorithm: String,
        /// Peers that were asked.
        peers: Vec<&'static str>,
    },
    /// The peer does not have the digest.
    #[error("{peer} has no {algorithm}")]
    NoDigest {
        /// The peer's name.
        peer: String,
        /// Name of the algorithm.
        algorithm: String,
    },
    /// The peer reported a failure.
    #[error("{0} failed")]
    Failed(String),
    /// A program is hashmill under that program's name.
    #[error("{program} is hashmill, and the original was not found: {remedy}")]
    Ours {
        /// The program.
        program: String,
        /// Remedy.
        remedy: &'static str,
    },
    /// A program cannot be started, or has failed.
    #[error(transparent)]
    Child(#[from] ChildError),
    /// The job has no messages.
    #[error("no messages to hash")]
    NoMessages,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_go_on_where_the_last_ended() {
        let mut next = 0;
        let mut taken = |times| stretches(&mut next, 3, times).flatten().collect::<Vec<_>>();
        assert_eq!([taken(2), taken(0), taken(5), taken(1)], [vec![0, 1], vec![], vec![2, 0, 1, 2, 0], vec![1]]);
    }
}
