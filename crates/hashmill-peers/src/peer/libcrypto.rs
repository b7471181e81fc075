//! OpenSSL's libcrypto, loaded at run time.

use crate::peer::contract::{Job, Peer, PeerError, PeerKind, program};
use crate::peer::names::name_for;
use crate::sys::libcrypto::oneshot::OneShotDigest;
use crate::sys::libcrypto::{Crypto, CryptoDigest, MAX_DIGEST};
use hashmill::Algorithm;
use hashmill_measure::clock::hide;
use std::ffi::OsStr;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::Duration;

/// A loaded libcrypto.
pub struct Libcrypto(Crypto);

impl Libcrypto {
    /// Loads the libcrypto that `HASHMILL_LIBCRYPTO` names, or else the system's, preferring 3.x to 1.1.
    ///
    /// # Errors
    /// If there is none.
    pub fn load() -> Result<Libcrypto, PeerError> {
        Libcrypto::open(program(PeerKind::Openssl).as_deref())
    }

    /// Loads this libcrypto, or else the system's. Several may be loaded; each calls its own functions.
    ///
    /// # Errors
    /// If there is none.
    pub fn open(named: Option<&OsStr>) -> Result<Libcrypto, PeerError> {
        let names: Vec<PathBuf> = match named {
            Some(name) => vec![name.into()],
            None if cfg!(target_os = "macos") => vec!["libcrypto.3.dylib".into(), "libcrypto.1.1.dylib".into()],
            None => vec!["libcrypto.so.3".into(), "libcrypto.so.1.1".into()],
        };
        let mut reasons = Vec::new();
        for name in names {
            match Crypto::open(&name) {
                Ok(crypto) => return Ok(Libcrypto(crypto)),
                Err(reason) => reasons.push(reason),
            }
        }
        Err(PeerError::NoLibcrypto(reasons))
    }

    /// Returns the version: `OpenSSL 3.0.19 27 Jan 2026`.
    pub fn version(&self) -> String {
        self.0.version()
    }

    /// Returns its entry points.
    pub(crate) fn crypto(&self) -> Crypto {
        self.0
    }

    /// Returns its implementation of an algorithm.
    fn digest(&self, algorithm: Algorithm) -> Result<CryptoDigest, PeerError> {
        let name = name_for(PeerKind::Openssl, algorithm);
        let found = name.and_then(|n| self.0.digest(&n, algorithm.digest_len()));
        found.ok_or_else(|| PeerError::NoDigest { peer: self.version(), algorithm: algorithm.name().into_owned() })
    }
}

impl Peer for Libcrypto {
    fn version(&self) -> String {
        Libcrypto::version(self)
    }

    fn algorithms(&mut self) -> Vec<Algorithm> {
        Algorithm::all().filter(|a| self.digest(*a).is_ok()).collect()
    }

    fn job<'a>(&'a mut self, algorithm: Algorithm, messages: &'a [&'a [u8]]) -> Result<Box<dyn Job + 'a>, PeerError> {
        let digest = self.digest(algorithm)?;
        job(self.version(), digest, algorithm, messages)
    }
}

/// The same library, with one `EVP_Digest` per message, which creates a context and frees it: the call for programs
/// that hash a message here and there. [`Libcrypto`] uses one context over and over.
pub struct OneCall(Libcrypto);

impl OneCall {
    /// Loads this libcrypto, or else the system's.
    ///
    /// # Errors
    /// If there is none.
    pub fn open(named: Option<&OsStr>) -> Result<OneCall, PeerError> {
        Libcrypto::open(named).map(OneCall)
    }

    fn digest(&self, algorithm: Algorithm) -> Result<OneShotDigest, PeerError> {
        // Rules out digests of another length than ours.
        self.0.digest(algorithm)?;
        let name = name_for(PeerKind::Openssl, algorithm);
        let found = name.and_then(|n| OneShotDigest::new(&self.0.0, &n));
        found.ok_or_else(|| PeerError::NoDigest { peer: self.version(), algorithm: algorithm.name().into_owned() })
    }
}

impl Peer for OneCall {
    fn version(&self) -> String {
        format!("{}, EVP_Digest", self.0.version())
    }

    fn algorithms(&mut self) -> Vec<Algorithm> {
        Algorithm::all().filter(|a| self.digest(*a).is_ok()).collect()
    }

    fn job<'a>(&'a mut self, algorithm: Algorithm, messages: &'a [&'a [u8]]) -> Result<Box<dyn Job + 'a>, PeerError> {
        let digest = self.digest(algorithm)?;
        job(self.version(), digest, algorithm, messages)
    }
}

/// A way of calling libcrypto.
trait Digest {
    /// Computes the digest of one message. Returns false if the library reports a failure.
    fn of(&mut self, message: &[u8], out: &mut [u8; MAX_DIGEST]) -> bool;
}

impl Digest for CryptoDigest {
    fn of(&mut self, message: &[u8], out: &mut [u8; MAX_DIGEST]) -> bool {
        self.run(message, out)
    }
}

impl Digest for OneShotDigest {
    fn of(&mut self, message: &[u8], out: &mut [u8; MAX_DIGEST]) -> bool {
        self.run(message, out).is_some()
    }
}

fn job<'a>(
    version: String,
    digest: impl Digest + 'a,
    algorithm: Algorithm,
    messages: &'a [&'a [u8]],
) -> Result<Box<dyn Job + 'a>, PeerError> {
    if messages.is_empty() {
        return Err(PeerError::NoMessages);
    }
    Ok(Box::new(LibcryptoJob { digest, version, messages, next: 0, len: algorithm.digest_len() }))
}

struct LibcryptoJob<'a, D> {
    digest: D,
    version: String,
    messages: &'a [&'a [u8]],
    next: usize,
    len: usize,
}

impl<D: Digest> Job for LibcryptoJob<'_, D> {
    fn version(&self) -> String {
        self.version.clone()
    }

    fn run(&mut self, times: u64) -> Result<Option<Duration>, PeerError> {
        let mut out = [0; MAX_DIGEST];
        let mut fine = true;
        for part in crate::peer::contract::stretches(&mut self.next, self.messages.len(), times) {
            for m in &self.messages[part] {
                fine &= self.digest.of(hide(m), &mut out);
                black_box(&mut out);
            }
        }
        if fine { Ok(None) } else { Err(PeerError::Failed(self.version.clone())) }
    }

    fn digests(&mut self) -> Result<Vec<Vec<u8>>, PeerError> {
        let mut out = [0; MAX_DIGEST];
        let mut digests = Vec::with_capacity(self.messages.len());
        for m in self.messages {
            if !self.digest.of(m, &mut out) {
                return Err(PeerError::Failed(self.version.clone()));
            }
            digests.push(out[..self.len].to_vec());
        }
        Ok(digests)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_lacks_is_an_error() {
        if let Ok(mut lib) = Libcrypto::load() {
            assert!(lib.version().starts_with("OpenSSL"));
            let e = lib.job("xxh64".parse().unwrap(), &[b""]).err().unwrap();
            assert!(e.to_string().ends_with("has no xxh64"), "{e}");
        }
    }
}
