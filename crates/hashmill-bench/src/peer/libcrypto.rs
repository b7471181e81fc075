//! OpenSSL's libcrypto, loaded at run time.

use super::{Digester, Job, Peer, PeerError, PeerKind, name_for};
use crate::clock::hide;
use crate::sys::libcrypto::{Crypto, CryptoDigest, MAX_DIGEST};
use hashmill::Algorithm;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::Duration;

/// A loaded libcrypto.
pub struct Libcrypto(Crypto);

impl Libcrypto {
    /// Loads the one that `HASHMILL_LIBCRYPTO` names, else the system's: 3.x before 1.1.
    ///
    /// # Errors
    /// If there is none.
    pub fn load() -> Result<Libcrypto, PeerError> {
        let named = std::env::var_os("HASHMILL_LIBCRYPTO").filter(|s| !s.is_empty());
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

    /// `OpenSSL 3.0.19 27 Jan 2026`.
    pub fn version(&self) -> String {
        self.0.version()
    }

    /// Its entry points.
    pub(crate) fn crypto(&self) -> Crypto {
        self.0
    }

    /// Its implementation of an algorithm.
    ///
    /// # Errors
    /// If it has none.
    pub fn digest(&self, algorithm: Algorithm) -> Result<LibcryptoDigest, PeerError> {
        let name = name_for(PeerKind::Openssl, algorithm);
        let found = name.and_then(|n| self.0.digest(&n, algorithm.digest_len()));
        let missing = || PeerError::NoDigest { peer: self.version(), algorithm: algorithm.name().into_owned() };
        Ok(LibcryptoDigest { digest: found.ok_or_else(missing)?, version: self.version() })
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
        if messages.is_empty() {
            return Err(PeerError::NoMessages);
        }
        Ok(Box::new(LibcryptoJob { digest, messages, next: 0, len: algorithm.digest_len() }))
    }
}

struct LibcryptoJob<'a> {
    digest: LibcryptoDigest,
    messages: &'a [&'a [u8]],
    next: usize,
    len: usize,
}

impl Job for LibcryptoJob<'_> {
    fn run(&mut self, times: u64) -> Result<Option<Duration>, PeerError> {
        let mut out = [0; MAX_DIGEST];
        let mut fine = true;
        for part in super::stretches(&mut self.next, self.messages.len(), times) {
            for m in &self.messages[part] {
                fine &= self.digest.digest.run(hide(m), &mut out);
                black_box(&mut out);
            }
        }
        if fine { Ok(None) } else { Err(PeerError::Failed(self.digest.version.clone())) }
    }

    fn digests(&mut self) -> Result<Vec<Vec<u8>>, PeerError> {
        let mut out = [0; MAX_DIGEST];
        let mut one = |m| self.digest.digest(m, &mut out).map(|()| out[..self.len].to_vec());
        self.messages.iter().map(|m| one(m)).collect()
    }
}

/// One of libcrypto's digests: one context, used over and over.
pub struct LibcryptoDigest {
    digest: CryptoDigest,
    version: String,
}

impl Digester for LibcryptoDigest {
    fn name(&self) -> String {
        self.version.clone()
    }

    fn digest(&mut self, message: &[u8], out: &mut [u8; MAX_DIGEST]) -> Result<(), PeerError> {
        if self.digest.run(message, out) { Ok(()) } else { Err(PeerError::Failed(self.version.clone())) }
    }
}
