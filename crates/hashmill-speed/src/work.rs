//! A repeatable operation, of any implementation.

use super::data::{DataError, Messages};
use super::options::Whose;
use super::timing::{Op, Task, Timing};
use hashmill::{Algorithm, Hmac};
use hashmill_measure::clock::hide;
use hashmill_peers::crypto::{self, KeyKind, Provider};
use hashmill_peers::peer::{self, Peer, PeerError, PeerKind};
use serde::{Deserialize, Serialize};
use std::hint::black_box;
use std::time::Duration;
use thiserror::Error;

/// A reason why something is not timed.
#[derive(Debug, Error)]
pub(super) enum WorkError {
    #[error("{0}: {1}")]
    Peer(String, PeerError),
    #[error(transparent)]
    Data(#[from] DataError),
    #[error(transparent)]
    Algorithm(#[from] hashmill::Error),
    #[error("{what}: our digest of {bytes} bytes is not that of {peer}: it is not timed")]
    Differs { what: String, bytes: usize, peer: String },
    #[error("{0}: a thread ended early")]
    Thread(String),
}

/// Implementation that ran.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct By {
    /// Name of the implementation: `hashmill`, `aws-lc`, `openssl`, `rustcrypto` …
    pub(super) by: String,
    pub(super) version: String,
    /// Kernel of ours; empty for other implementations.
    pub(super) kernel: String,
}

impl By {
    fn ours(a: Algorithm) -> By {
        let kernel = a.kernels().iter().find(|k| k.active).map_or("", |k| k.name);
        By { by: "hashmill".into(), version: env!("CARGO_PKG_VERSION").into(), kernel: kernel.into() }
    }

    fn of(whose: &str, version: String) -> By {
        By { by: whose.into(), version, kernel: String::new() }
    }

    /// Returns `avx2`, or `OpenSSL 3.0.19 27 Jan 2026`.
    pub(super) fn code(&self) -> &str {
        if self.kernel.is_empty() { &self.version } else { &self.kernel }
    }
}

/// Repeats the operation as many times as it is told. Returns the time it took by another process's clock, if any.
pub(super) type Run<'a> = Box<dyn FnMut(u64) -> Result<Option<Duration>, PeerError> + 'a>;

pub(super) struct Work<'a> {
    pub(super) by: By,
    pub(super) run: Run<'a>,
}

/// Key of every HMAC.
const KEY: &[u8; 16] = b"This is a key...";

/// Returns the implementation that a row times.
pub(super) fn rows_own(task: Task, primes: usize, provider: Option<Whose>) -> Whose {
    let usual = match task {
        Task::Digest(_) | Task::Hmac(_) => Whose::Hashmill,
        // AWS-LC does not have such keys.
        Task::Key(KeyKind::Rsa(_)) if primes > 2 => Whose::RustCrypto,
        Task::Cipher(..) | Task::Key(_) => Whose::AwsLc,
    };
    provider.unwrap_or(usual)
}

/// Returns the peer whose digests a row times, or `None` if it does not need one.
pub(super) fn rows_peer(task: Task, whose: Whose) -> Option<PeerKind> {
    match (task, whose) {
        (Task::Digest(_), Whose::RustCrypto) => Some(PeerKind::Rustcrypto),
        _ => None,
    }
}

/// Sets up one operation of a row over these messages. `all` contains the same as `messages`; `peer` is the one that
/// [`rows_peer`] named.
pub(super) fn work<'a>(
    job: &Timing,
    op: Op,
    whose: Whose,
    primes: usize,
    (messages, all): (&'a Messages, &'a [&'a [u8]]),
    peer: Option<&'a mut dyn Peer>,
) -> Result<Work<'a>, WorkError> {
    let failed = |e| WorkError::Peer(job.what.clone(), e);
    match (job.task, peer) {
        (Task::Digest(a), Some(peer)) => theirs(job, a, PeerKind::Rustcrypto, all, peer),
        (Task::Digest(a), None) if whose == Whose::Openssl => openssl_digest_work(a, false, messages).map_err(failed),
        (Task::Digest(a), None) => Ok(Work { by: By::ours(a), run: digests(a, all) }),
        (Task::Hmac(a), _) if whose == Whose::Hashmill => Ok(Work { by: By::ours(a), run: codes(a, all)? }),
        (Task::Hmac(a), _) if whose == Whose::Openssl => openssl_digest_work(a, true, messages).map_err(failed),
        (Task::Hmac(_), _) => {
            Err(failed(PeerError::NoDigest { peer: whose.word().into(), algorithm: job.what.clone() }))
        }
        (Task::Cipher(..) | Task::Key(_), _) => {
            let provider = match whose {
                Whose::Openssl => Provider::Openssl,
                Whose::RustCrypto => Provider::RustCrypto,
                Whose::AwsLc | Whose::Hashmill => Provider::AwsLc,
            };
            coded(job.task, op, provider, primes, messages).map_err(failed)
        }
    }
}

/// Calls `f` with one message after the other, starting over after the last.
#[inline(always)]
fn turns<'a>(all: &[&'a [u8]], next: &mut usize, times: u64, mut f: impl FnMut(&'a [u8])) {
    if let [only] = all {
        let only = hide(only);
        (0..times).for_each(|_| f(only));
        return;
    }
    let mut left = times as usize;
    while left > 0 {
        let now = &all[*next..all.len().min(*next + left)];
        now.iter().for_each(|message| f(message));
        left -= now.len();
        *next = (*next + now.len()) % all.len();
    }
}

fn digests<'a>(a: Algorithm, all: &'a [&'a [u8]]) -> Run<'a> {
    let mut out = vec![0; a.digest_len()];
    let mut next = 0;
    Box::new(move |times| {
        turns(all, &mut next, times, |message| {
            // This cannot fail, because `out` has the right length.
            let _ = a.digest_into(message, &mut out);
            black_box(&mut out);
        });
        Ok(None)
    })
}

/// With one key, as in OpenSSL: what depends only on the key is computed once.
fn codes<'a>(a: Algorithm, all: &'a [&'a [u8]]) -> Result<Run<'a>, hashmill::Error> {
    let mut mac = Hmac::new(a, KEY)?;
    let mut next = 0;
    Ok(Box::new(move |times| {
        turns(all, &mut next, times, |message| {
            mac.reset();
            mac.update(message);
            black_box(mac.finalize());
        });
        Ok(None)
    }))
}

/// Sets up a cipher over copies of the messages, each call on the next one, or an operation of a key.
fn coded<'a>(
    task: Task,
    op: Op,
    provider: Provider,
    primes: usize,
    messages: &Messages,
) -> Result<Work<'a>, PeerError> {
    let whose = provider.word();
    match task {
        Task::Cipher(cipher, usage) => {
            let mut crypter = crypto::cipher(provider, cipher, usage)?;
            let by = By::of(whose, crypter.version());
            let mut copies = messages.copy();
            let mut at = 0;
            let run: Run = Box::new(move |times| {
                at = (at + 1) % copies.len();
                crypter.run(black_box(copies.get_mut(at)), times).map(|()| None)
            });
            Ok(Work { by, run })
        }
        Task::Key(key) => {
            let mut pair = crypto::key(provider, key, primes)?;
            let by = By::of(whose, pair.version());
            let run: Run = match op {
                Op::Verify => Box::new(move |times| pair.verify(times).map(|()| None)),
                Op::Encrypt => Box::new(move |times| pair.encrypt(times).map(|()| None)),
                Op::Decrypt => Box::new(move |times| pair.decrypt(times).map(|()| None)),
                Op::Sign | Op::Block(_) => Box::new(move |times| pair.sign(times).map(|()| None)),
            };
            Ok(Work { by, run })
        }
        Task::Digest(a) | Task::Hmac(a) => {
            Err(PeerError::NoDigest { peer: whose.into(), algorithm: a.name().into_owned() })
        }
    }
}

/// Sets up libcrypto's digest or HMAC, called the way `openssl speed` calls it.
fn openssl_digest_work(a: Algorithm, hmac: bool, messages: &Messages) -> Result<Work<'_>, PeerError> {
    let name = a.name();
    let mut shot = if hmac { crypto::openssl_hmac(&name)? } else { crypto::openssl_digest(&name)? };
    let by = By::of(Provider::Openssl.word(), shot.version());
    let mut at = 0;
    let run: Run = Box::new(move |times| {
        at = (at + 1) % messages.len();
        shot.run(messages.get(at), times).map(|()| None)
    });
    Ok(Work { by, run })
}

/// Sets up a peer's digests, once they have been checked against ours.
fn theirs<'a>(
    job: &Timing,
    a: Algorithm,
    kind: PeerKind,
    all: &'a [&'a [u8]],
    peer: &'a mut dyn Peer,
) -> Result<Work<'a>, WorkError> {
    let failed = |e| WorkError::Peer(job.what.clone(), e);
    let mut work = peer.job(a, all).map_err(failed)?;
    let by = By::of(kind.word(), work.version());
    let digests = work.digests().map_err(failed)?;
    let same = digests.len() == all.len() && digests.iter().zip(all).all(|(d, m)| a.digest(m).as_bytes() == *d);
    if !same {
        let bytes = all.first().map_or(0, |m| m.len());
        return Err(WorkError::Differs { what: job.what.clone(), bytes, peer: by.version });
    }
    Ok(Work { by, run: Box::new(move |times| work.run(times)) })
}

/// Sets up what a row is compared with.
pub(super) fn peers_work<'a>(
    job: &Timing,
    op: Op,
    kind: PeerKind,
    primes: usize,
    (messages, all): (&'a Messages, &'a [&'a [u8]]),
    peer: Option<&'a mut dyn Peer>,
) -> Result<Work<'a>, WorkError> {
    let failed = |e| WorkError::Peer(job.what.clone(), e);
    match (job.task, kind, peer) {
        (Task::Digest(a), kind, Some(peer)) => theirs(job, a, kind, all, peer),
        (Task::Hmac(a), PeerKind::Openssl, _) => openssl_digest_work(a, true, messages).map_err(failed),
        (Task::Cipher(..) | Task::Key(_), PeerKind::Openssl, _) => {
            coded(job.task, op, Provider::Openssl, primes, messages).map_err(failed)
        }
        (Task::Cipher(..) | Task::Key(_), PeerKind::Rustcrypto, _) => {
            coded(job.task, op, Provider::RustCrypto, primes, messages).map_err(failed)
        }
        (_, kind, _) => Err(failed(PeerError::NoDigest { peer: kind.word().into(), algorithm: job.what.clone() })),
    }
}

/// Opens a peer for digests.
pub(super) fn open(kind: PeerKind) -> Result<Box<dyn Peer>, WorkError> {
    peer::open(kind).map_err(|e| WorkError::Peer(kind.word().into(), e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_take_turns() {
        let all: [&[u8]; 3] = [b"a", b"b", b"c"];
        let (mut next, mut seen) = (0, Vec::new());
        for times in [1, 1, 5, 0, 2] {
            turns(&all, &mut next, times, |m| seen.extend_from_slice(m));
        }
        assert_eq!((seen, next), (b"abcabcabc".to_vec(), 0));
        let mut count = 0;
        turns(&all[..1], &mut next, 7, |_| count += 1);
        assert_eq!(count, 7);
    }
}
