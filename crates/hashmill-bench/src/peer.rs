//! Other implementations to compare with: OpenSSL's libcrypto, loaded at run time, and crates that are compiled in.

use crate::sys::{Crypto, CryptoDigest, MAX_DIGEST};
use hashmill::Algorithm;
use std::path::PathBuf;
use thiserror::Error;

/// Another implementation of one digest: one message at a time.
pub trait Peer {
    /// Whose it is, with its version.
    fn name(&self) -> String;

    /// The digest of one message.
    ///
    /// # Errors
    /// If the implementation reports a failure.
    fn digest(&mut self, message: &[u8], out: &mut [u8; 64]) -> Result<(), PeerError>;
}

/// Why a peer cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PeerError {
    /// No libcrypto could be loaded: the reason for each name tried.
    #[error("no libcrypto ({}); HASHMILL_LIBCRYPTO=PATH names one", .0.join("; "))]
    NoLibcrypto(Vec<String>),
    /// The peer does not have the digest.
    #[error("{peer} has no {algorithm}")]
    NoDigest {
        /// The peer's name.
        peer: String,
        /// The algorithm's.
        algorithm: String,
    },
    /// The peer reported a failure.
    #[error("{0} failed")]
    Failed(String),
}

/// The fastest single stream there is for this algorithm: libcrypto's, for MD2 (which it no longer has) the crate's.
///
/// # Errors
/// If there is none.
pub fn best(algorithm: Algorithm) -> Result<Box<dyn Peer>, PeerError> {
    if algorithm.name() == "md2" {
        return Ok(Box::new(Md2Crate));
    }
    Ok(Box::new(libcrypto::Libcrypto::load()?.digest(algorithm)?))
}

/// OpenSSL's libcrypto.
pub mod libcrypto {
    use super::*;

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

        /// Its implementation of an algorithm.
        ///
        /// # Errors
        /// If it has none.
        pub fn digest(&self, algorithm: Algorithm) -> Result<LibcryptoDigest, PeerError> {
            let name = algorithm.name();
            // OpenSSL's word where it is not among our names.
            let theirs: &[&str] = match &*name {
                "blake2b-512" => &["blake2b512"],
                "sha512-224" => &["sha512-224", "SHA2-512/224"],
                "sha512-256" => &["sha512-256", "SHA2-512/256"],
                "ripemd160" => &["ripemd160"],
                other => &[other],
            };
            let found = theirs.iter().find_map(|n| self.0.digest(n, algorithm.digest_len()));
            let missing = || PeerError::NoDigest { peer: self.version(), algorithm: name.to_string() };
            Ok(LibcryptoDigest { digest: found.ok_or_else(missing)?, version: self.version() })
        }
    }

    /// One of libcrypto's digests: one context, used over and over.
    pub struct LibcryptoDigest {
        digest: CryptoDigest,
        version: String,
    }

    impl Peer for LibcryptoDigest {
        fn name(&self) -> String {
            self.version.clone()
        }

        fn digest(&mut self, message: &[u8], out: &mut [u8; MAX_DIGEST]) -> Result<(), PeerError> {
            if self.digest.run(message, out) { Ok(()) } else { Err(PeerError::Failed(self.version.clone())) }
        }
    }
}

/// RustCrypto's `md2`.
struct Md2Crate;

impl Peer for Md2Crate {
    fn name(&self) -> String {
        "RustCrypto md2 0.11".into()
    }

    fn digest(&mut self, message: &[u8], out: &mut [u8; 64]) -> Result<(), PeerError> {
        use md2::Digest;
        out[..16].copy_from_slice(&md2::Md2::digest(message));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peers_agree_with_us() {
        let names =
            ["md2", "md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha512-256", "sha3-256", "blake2b-512"];
        for name in names {
            let a: Algorithm = name.parse().unwrap();
            let mut peer = match best(a) {
                Ok(p) => p,
                Err(e @ PeerError::NoLibcrypto(_)) => {
                    println!("skipped: {name}: {e}");
                    continue;
                }
                Err(e) => panic!("{e}"),
            };
            let message: Vec<u8> = (0..1000u32).map(|i| (i % 251) as u8).collect();
            let mut out = [0; 64];
            for len in [0, 1, 63, 64, 65, 111, 112, 128, 1000] {
                peer.digest(&message[..len], &mut out).unwrap();
                assert_eq!(
                    &out[..a.digest_len()],
                    a.digest(&message[..len]).as_bytes(),
                    "{name} {len} {}",
                    peer.name()
                );
            }
        }
    }

    #[test]
    fn what_libcrypto_lacks_is_an_error() {
        if let Ok(lib) = libcrypto::Libcrypto::load() {
            assert!(lib.version().starts_with("OpenSSL"));
            let e = lib.digest("xxh64".parse().unwrap()).err().unwrap();
            assert!(e.to_string().ends_with("has no xxh64"), "{e}");
        }
    }
}
