//! What `speed` times besides digests: ciphers, AEAD ciphers and public keys, of AWS-LC, RustCrypto and libcrypto; and
//! libcrypto's digests and HMAC, called the way `openssl speed` calls them.
//!
//! The operations are those that `openssl speed` 3.0.19 times (older versions differ in GCM), so libcrypto's numbers
//! are the same here as there. Keys, nonces and messages are constants that anyone can read, and every message has the
//! same nonce: nothing here is secret.
//!
//! # Ciphers
//!
//! - CBC and CTR: key and IV are set once; every call runs the buffer through the cipher in place and continues where
//!   the previous call stopped. CBC runs whole blocks. If the length is not a multiple of 16 bytes, the remainder is
//!   padded with zeros and run as one more block: 31 bytes cost as much as 32, and count as 31. (`openssl speed -evp`
//!   keeps the remainder for the next call.)
//! - GCM: every call sets key and nonce and processes one message with its tag. Encryption is in place. Decryption
//!   decrypts the same ciphertext into the buffer in every call (in place would destroy the ciphertext) and checks the
//!   tag, which is correct. With [`CipherUse::tls`] there are 13 bytes of additional data, otherwise none.
//! - ChaCha20-Poly1305 with [`CipherUse::tls`]: like GCM. (`openssl speed -aead` ignores the option here.)
//! - ChaCha20-Poly1305 without it: AWS-LC and libcrypto run it like CTR; the bytes are authenticated as well, but as
//!   one endless message without a tag. RustCrypto supports only whole messages and runs it like GCM, which is more
//!   work on short messages: for a comparison with the others, use `tls`.
//!
//! # Keys
//!
//! - RSA signs 36 bytes, as many as MD5 and SHA-1 together, with PKCS#1 v1.5 padding and no digest identifier, and
//!   encrypts 36 bytes with PKCS#1 v1.5 padding. All providers blind private-key operations; RustCrypto is given the
//!   system's random numbers for that. AWS-LC does not support keys of more than two primes.
//! - ECDSA signs a digest of 20 bytes, and reads and writes signatures in DER. AWS-LC and libcrypto draw a random
//!   nonce, RustCrypto derives it (RFC 6979).
//! - Ed25519 signs a message of 20 bytes.

mod awslc;
mod keys;
mod libcrypto;
mod rustcrypto;
#[cfg(test)]
mod tests;

use crate::peer::contract::PeerError;
use crate::sys::libcrypto::cipher::TAG;

/// Provider of ciphers and keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Provider {
    /// AWS-LC, compiled in.
    AwsLc,
    /// RustCrypto's crates, compiled in.
    RustCrypto,
    /// libcrypto, loaded at run time.
    Openssl,
}

impl Provider {
    /// Returns the provider's name: `aws-lc`, `rustcrypto`, `openssl`.
    pub fn word(self) -> &'static str {
        match self {
            Provider::AwsLc => "aws-lc",
            Provider::RustCrypto => "rustcrypto",
            Provider::Openssl => "openssl",
        }
    }
}

/// A symmetric cipher in a mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CipherKind {
    /// Name in OpenSSL 3: `aes-128-cbc`.
    pub name: &'static str,
    /// Name of its row in the `speed` of OpenSSL 1.1.1: `aes-128 cbc`; the same as `name` if there is none.
    pub old_name: &'static str,
    /// Key length in bytes.
    pub key_len: usize,
    /// Length of the initialization vector or nonce in bytes.
    pub iv_len: usize,
    /// Whether it is an AEAD cipher.
    pub aead: bool,
}

/// All ciphers, in OpenSSL's order.
pub const CIPHERS: [CipherKind; 10] = [
    CipherKind { name: "aes-128-cbc", old_name: "aes-128 cbc", key_len: 16, iv_len: 16, aead: false },
    CipherKind { name: "aes-192-cbc", old_name: "aes-192 cbc", key_len: 24, iv_len: 16, aead: false },
    CipherKind { name: "aes-256-cbc", old_name: "aes-256 cbc", key_len: 32, iv_len: 16, aead: false },
    CipherKind { name: "aes-128-ctr", old_name: "aes-128-ctr", key_len: 16, iv_len: 16, aead: false },
    CipherKind { name: "aes-192-ctr", old_name: "aes-192-ctr", key_len: 24, iv_len: 16, aead: false },
    CipherKind { name: "aes-256-ctr", old_name: "aes-256-ctr", key_len: 32, iv_len: 16, aead: false },
    CipherKind { name: "aes-128-gcm", old_name: "aes-128-gcm", key_len: 16, iv_len: 12, aead: true },
    CipherKind { name: "aes-192-gcm", old_name: "aes-192-gcm", key_len: 24, iv_len: 12, aead: true },
    CipherKind { name: "aes-256-gcm", old_name: "aes-256-gcm", key_len: 32, iv_len: 12, aead: true },
    CipherKind { name: "chacha20-poly1305", old_name: "chacha20-poly1305", key_len: 32, iv_len: 12, aead: true },
];

/// A public-key algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyKind {
    /// RSA with a modulus of this many bits.
    Rsa(u32),
    /// ECDSA over NIST P-256.
    EcdsaP256,
    /// Ed25519.
    Ed25519,
}

/// All public-key algorithms with OpenSSL's names, in OpenSSL's order.
pub const KEYS: [(&str, KeyKind); 7] = [
    ("rsa512", KeyKind::Rsa(512)),
    ("rsa1024", KeyKind::Rsa(1024)),
    ("rsa2048", KeyKind::Rsa(2048)),
    ("rsa3072", KeyKind::Rsa(3072)),
    ("rsa4096", KeyKind::Rsa(4096)),
    ("ecdsap256", KeyKind::EcdsaP256),
    ("ed25519", KeyKind::Ed25519),
];

/// Returns the cipher with this name in OpenSSL 3 or 1.1.1, ignoring case.
pub fn cipher_named(name: &str) -> Option<CipherKind> {
    CIPHERS.into_iter().find(|k| k.name.eq_ignore_ascii_case(name) || k.old_name.eq_ignore_ascii_case(name))
}

/// Other names of public-key algorithms.
const KEY_ALIASES: [(&str, KeyKind); 8] = [
    ("ecdsa", KeyKind::EcdsaP256),
    ("ecdsa-p256", KeyKind::EcdsaP256),
    ("nistp256", KeyKind::EcdsaP256),
    ("p256", KeyKind::EcdsaP256),
    ("p-256", KeyKind::EcdsaP256),
    ("prime256v1", KeyKind::EcdsaP256),
    ("secp256r1", KeyKind::EcdsaP256),
    ("eddsa", KeyKind::Ed25519),
];

/// Returns the public-key algorithm with this name, OpenSSL's or an alias (`ecdsa-p256`, `nistp256` …), ignoring case.
pub fn key_named(name: &str) -> Option<KeyKind> {
    let found = KEYS.iter().chain(&KEY_ALIASES).find(|(n, _)| n.eq_ignore_ascii_case(name));
    found.map(|(_, kind)| *kind)
}

impl KeyKind {
    /// Returns OpenSSL's name: `rsa2048`, `ecdsap256`.
    pub fn name(self) -> String {
        match self {
            KeyKind::Rsa(bits) => format!("rsa{bits}"),
            KeyKind::EcdsaP256 => "ecdsap256".into(),
            KeyKind::Ed25519 => "ed25519".into(),
        }
    }
}

/// How `speed` uses a cipher.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct CipherUse {
    /// Whether to decrypt instead of encrypt.
    pub decrypt: bool,
    /// Whether to use it the way TLS does (`-aead`): every message with a nonce, 13 bytes of additional data, and a tag
    /// that is computed or checked. Only for AEAD ciphers. See the module's documentation for what happens without it.
    pub tls: bool,
}

/// A cipher that is ready to run, with key and nonce set.
pub trait Crypter: Send {
    /// Returns the implementation's name and version.
    fn version(&self) -> String;

    /// Runs the cipher over `data` in place, `times` times. A cipher that decrypts whole messages takes the first
    /// `data` of each length as the message and encrypts it beforehand; a call with `times` 0 does only that.
    /// # Errors
    /// If the implementation reports a failure.
    fn run(&mut self, data: &mut [u8], times: u64) -> Result<(), PeerError>;

    /// Returns the encrypted message that is being decrypted, if the cipher works on whole messages and `run` has seen
    /// their length.
    fn sealed(&mut self) -> Option<&mut Sealed> {
        None
    }
}

/// An encrypted message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    /// Ciphertext, as long as the message.
    pub text: Vec<u8>,
    /// Authentication tag.
    pub tag: [u8; TAG],
}

/// A key pair that is ready to run.
pub trait KeyPair: Send {
    /// Returns the implementation's name and version.
    fn version(&self) -> String;

    /// Signs the same message `times` times.
    ///
    /// # Errors
    /// If the implementation reports a failure.
    fn sign(&mut self, times: u64) -> Result<(), PeerError>;

    /// Verifies the same signature `times` times.
    ///
    /// # Errors
    /// If the implementation reports a failure, or the signature is wrong.
    fn verify(&mut self, times: u64) -> Result<(), PeerError>;

    /// Encrypts the same message with the public key `times` times (RSA only).
    ///
    /// # Errors
    /// If the algorithm cannot encrypt, or the implementation reports a failure.
    fn encrypt(&mut self, times: u64) -> Result<(), PeerError>;

    /// Decrypts the ciphertext in [`Made`] `times` times (RSA only).
    ///
    /// # Errors
    /// If the algorithm cannot decrypt, or the implementation reports a failure.
    fn decrypt(&mut self, times: u64) -> Result<(), PeerError>;

    /// Returns what was made during setup, which `verify` and `decrypt` work on.
    fn made(&mut self) -> &mut Made;
}

/// What a key pair makes from its message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Made {
    /// Signature; ECDSA's is in DER.
    pub signature: Vec<u8>,
    /// Message encrypted with the public key, if the algorithm can encrypt.
    pub ciphertext: Option<Vec<u8>>,
}

impl Made {
    /// Returns the ciphertext, or an error if there is none.
    fn text(&self, version: &str, kind: KeyKind) -> Result<&[u8], PeerError> {
        let none =
            || PeerError::NoDigest { peer: version.into(), algorithm: format!("encryption with {}", kind.name()) };
        self.ciphertext.as_deref().ok_or_else(none)
    }
}

/// A digest or MAC of one message after another, each from scratch, as `openssl speed` 3 times them.
pub trait OneShot: Send {
    /// Returns the implementation's name and version.
    fn version(&self) -> String;

    /// Hashes the message `times` times.
    ///
    /// # Errors
    /// If the implementation reports a failure.
    fn run(&mut self, message: &[u8], times: u64) -> Result<(), PeerError>;

    /// Returns the digest of one message.
    ///
    /// # Errors
    /// If the implementation reports a failure.
    fn output(&mut self, message: &[u8]) -> Result<Vec<u8>, PeerError>;
}

/// Inputs for setting up a cipher.
struct Material<'a> {
    key: &'a [u8],
    iv: &'a [u8],
    aad: &'a [u8],
}

const KEY: [u8; 32] = *b"hashmill speed: a key for anyone";
const IV: [u8; 16] = [0; 16];
/// As long as the additional data of TLS 1.2.
const AAD: [u8; 13] = [0xcc; 13];
/// HMAC key, as long as the one in `openssl speed`.
const HMAC_KEY: &[u8] = b"This is no secret";
/// Message to sign and encrypt: RSA takes all of it, the others the first 20 bytes.
const MESSAGE: [u8; 36] = *b"The message signed again and again. ";

/// Sets up a cipher of a provider.
///
/// # Errors
/// If the provider does not have it or is not available, or if `usage` demands authentication that the cipher lacks.
pub fn cipher(provider: Provider, kind: CipherKind, usage: CipherUse) -> Result<Box<dyn Crypter>, PeerError> {
    let aad: &[u8] = if usage.tls { &AAD } else { &[] };
    cipher_with(provider, kind, usage, &Material { key: &KEY[..kind.key_len], iv: &IV[..kind.iv_len], aad })
}

fn cipher_with(
    provider: Provider,
    kind: CipherKind,
    usage: CipherUse,
    material: &Material<'_>,
) -> Result<Box<dyn Crypter>, PeerError> {
    if usage.tls && !kind.aead {
        return Err(PeerError::NoDigest { peer: kind.name.into(), algorithm: "authentication".into() });
    }
    match provider {
        Provider::AwsLc => awslc::cipher(kind, usage, material),
        Provider::RustCrypto => rustcrypto::cipher(kind, usage, material),
        Provider::Openssl => libcrypto::cipher(kind, usage, material),
    }
}

/// Runs whole blocks of 16 bytes. A remainder is padded with zeros to one more block, of which its own length is kept.
#[inline]
fn in_blocks(data: &mut [u8], run: &mut impl FnMut(&mut [u8]) -> bool) -> bool {
    let (whole, rest) = data.split_at_mut(data.len() & !15);
    if !whole.is_empty() && !run(whole) {
        return false;
    }
    if rest.is_empty() {
        return true;
    }
    let mut block = [0; 16];
    block[..rest.len()].copy_from_slice(rest);
    let good = run(&mut block);
    rest.copy_from_slice(&block[..rest.len()]);
    good
}

/// Returns a key pair of a provider, with more than two primes for RSA only if `primes` says so. The key is always the
/// same for the same `kind` and `primes`, so that runs are comparable. There are keys with as many primes as OpenSSL
/// supports: 2 for 512 bits, up to 3 from 1024 bits on, up to 4 for 4096 bits.
///
/// # Errors
/// If the provider does not have it or is not available.
pub fn key(provider: Provider, kind: KeyKind, primes: usize) -> Result<Box<dyn KeyPair>, PeerError> {
    let len = if let KeyKind::Rsa(_) = kind { MESSAGE.len() } else { 20 };
    key_with(provider, kind, primes, &MESSAGE[..len])
}

fn key_with(provider: Provider, kind: KeyKind, primes: usize, message: &[u8]) -> Result<Box<dyn KeyPair>, PeerError> {
    match provider {
        Provider::AwsLc => awslc::key(kind, primes, message),
        Provider::RustCrypto => rustcrypto::key(kind, primes, message),
        Provider::Openssl => libcrypto::key(kind, primes, message),
    }
}

fn no_key(peer: &str, kind: KeyKind, primes: usize) -> PeerError {
    let many = if primes == 2 { String::new() } else { format!(" with {primes} primes") };
    PeerError::NoDigest { peer: peer.into(), algorithm: format!("{} key{many}", kind.name()) }
}

/// Returns libcrypto's digest of this name (hashmill's or OpenSSL's), with one `EVP_Digest` per message, like version 3
/// of `openssl speed`.
///
/// # Errors
/// If there is no libcrypto, or it does not have the digest.
pub fn openssl_digest(name: &str) -> Result<Box<dyn OneShot>, PeerError> {
    libcrypto::digest(name)
}

/// Returns libcrypto's HMAC with the digest of this name. The key is set once, as in `openssl speed -hmac`; from 3.0
/// on, this uses EVP_MAC.
///
/// # Errors
/// If there is no libcrypto, or it does not have the digest.
pub fn openssl_hmac(name: &str) -> Result<Box<dyn OneShot>, PeerError> {
    libcrypto::hmac(name, HMAC_KEY)
}
