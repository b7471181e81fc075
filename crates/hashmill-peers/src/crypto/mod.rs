//! What `speed` times beside digests: ciphers, ciphers with authentication, and public keys; AWS-LC's, and beside them
//! RustCrypto's and libcrypto's. And libcrypto's digests and HMAC, called as `openssl speed` calls them.
//!
//! What is timed is what `openssl speed` 3.0.19 times (older ones differ in GCM), so that libcrypto's numbers are the
//! same here as there. Keys, nonces and messages are constants that everyone can read, and the same nonce serves every
//! message: nothing here is secret.
//!
//! # Ciphers
//!
//! - CBC and CTR: key and IV are set once; every turn runs the buffer through the cipher in place and goes on where the
//!   last one stopped. CBC runs whole blocks. Where the length is no multiple of 16 bytes, the rest is padded with
//!   zeros and run as one block more: 31 bytes cost as much as 32, and count as 31. (`openssl speed -evp` keeps the
//!   rest for the next turn.)
//! - GCM: every turn sets key and nonce and is a message with its tag. Encrypting is in place. Decrypting, every turn
//!   decrypts the same encrypted message to the buffer (in place would destroy the encrypted message) and checks the
//!   tag, which is right. With [`CipherUse::tls`] there are 13 bytes of additional data, otherwise none.
//! - ChaCha20-Poly1305 with [`CipherUse::tls`]: as GCM. (`openssl speed -aead` does not heed the option here.)
//! - ChaCha20-Poly1305 without: AWS-LC and libcrypto run as in CTR; the bytes are authenticated too, but it is one
//!   endless message without a tag. RustCrypto has only whole messages and runs as in GCM, which is more work on short
//!   messages: compare it with the others with `tls`.
//!
//! # Keys
//!
//! - RSA signs 36 bytes, as many as MD5 and SHA-1 together, with PKCS#1 v1.5 padding and without a digest's name, and
//!   encrypts 36 bytes with PKCS#1 v1.5 padding. All providers blind what the private key does; RustCrypto is given the
//!   system's random numbers for that. AWS-LC has no keys of more than two primes.
//! - ECDSA signs a digest of 20 bytes, and reads and writes signatures as DER. AWS-LC and libcrypto draw a random
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

/// Whose ciphers and keys.
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
    /// `aws-lc`, `rustcrypto`, `openssl`.
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
    /// OpenSSL 3's name: `aes-128-cbc`.
    pub name: &'static str,
    /// OpenSSL 1.1.1's name of its row in `speed`: `aes-128 cbc`; the same where it has none.
    pub old_name: &'static str,
    /// Bytes of a key.
    pub key_len: usize,
    /// Bytes of an initialisation vector or nonce.
    pub iv_len: usize,
    /// Whether it authenticates.
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
    /// RSA with a modulus of so many bits.
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

/// The cipher of this name: OpenSSL 3's or 1.1.1's, in small or capital letters.
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

/// The public-key algorithm of this name: OpenSSL's, or `ecdsa-p256`, `nistp256` …, in small or capital letters.
pub fn key_named(name: &str) -> Option<KeyKind> {
    let found = KEYS.iter().chain(&KEY_ALIASES).find(|(n, _)| n.eq_ignore_ascii_case(name));
    found.map(|(_, kind)| *kind)
}

impl KeyKind {
    /// OpenSSL's name: `rsa2048`, `ecdsap256`.
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
    /// Decrypt instead of encrypting.
    pub decrypt: bool,
    /// The way TLS uses it (`-aead`): every message with a nonce, 13 bytes of additional data, and a tag that is
    /// computed or checked. Only for ciphers with authentication. What is run without it: the module's documentation.
    pub tls: bool,
}

/// A cipher that is ready to run: key and nonce are set.
pub trait Crypter: Send {
    /// Whose it is, with its version.
    fn version(&self) -> String;

    /// Runs the cipher over `data` in place, `times` times. What decrypts whole messages takes the first `data` of each
    /// length as the message, and encrypts it before it begins: a call with `times` 0 does no more than that.
    ///
    /// # Errors
    /// If the implementation reports a failure.
    fn run(&mut self, data: &mut [u8], times: u64) -> Result<(), PeerError>;

    /// The encrypted message that is decrypted: where whole messages are, and once `run` has seen their length.
    fn sealed(&mut self) -> Option<&mut Sealed> {
        None
    }
}

/// An encrypted message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    /// As long as the message.
    pub text: Vec<u8>,
    /// What authenticates it.
    pub tag: [u8; TAG],
}

/// A key pair that is ready to run.
pub trait KeyPair: Send {
    /// Whose it is, with its version.
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
    /// If the algorithm cannot, or the implementation reports a failure.
    fn encrypt(&mut self, times: u64) -> Result<(), PeerError>;

    /// Decrypts what was encrypted `times` times (RSA only).
    ///
    /// # Errors
    /// If the algorithm cannot, or the implementation reports a failure.
    fn decrypt(&mut self, times: u64) -> Result<(), PeerError>;

    /// What it made when it was set up, and what `verify` and `decrypt` work on.
    fn made(&mut self) -> &mut Made;
}

/// What a key pair made from its message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Made {
    /// The signature: ECDSA's is DER.
    pub signature: Vec<u8>,
    /// The message encrypted with the public key, where the algorithm can.
    pub ciphertext: Option<Vec<u8>>,
}

impl Made {
    /// The ciphertext, or that there is none.
    fn text(&self, version: &str, kind: KeyKind) -> Result<&[u8], PeerError> {
        let none =
            || PeerError::NoDigest { peer: version.into(), algorithm: format!("encryption with {}", kind.name()) };
        self.ciphertext.as_deref().ok_or_else(none)
    }
}

/// A digest or a MAC of one message after another, each from nothing, as `openssl speed` 3 times them.
pub trait OneShot: Send {
    /// Whose it is, with its version.
    fn version(&self) -> String;

    /// Hashes the message `times` times.
    ///
    /// # Errors
    /// If the implementation reports a failure.
    fn run(&mut self, message: &[u8], times: u64) -> Result<(), PeerError>;

    /// The digest of one message.
    ///
    /// # Errors
    /// If the implementation reports a failure.
    fn output(&mut self, message: &[u8]) -> Result<Vec<u8>, PeerError>;
}

/// What a cipher is set up with.
struct Material<'a> {
    key: &'a [u8],
    iv: &'a [u8],
    aad: &'a [u8],
}

const KEY: [u8; 32] = *b"hashmill speed: a key for anyone";
const IV: [u8; 16] = [0; 16];
/// As long as TLS 1.2's.
const AAD: [u8; 13] = [0xcc; 13];
/// The key of HMAC: as long as the one in `openssl speed`.
const HMAC_KEY: &[u8] = b"This is no secret";
/// What is signed and encrypted: RSA takes all of it, the others the first 20 bytes.
const MESSAGE: [u8; 36] = *b"The message signed again and again. ";

/// A cipher of a provider.
///
/// # Errors
/// If the provider does not have it, or is not there, or if the cipher has no authentication and `usage` wants it.
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

/// Runs whole blocks of 16 bytes; a rest is padded with zeros to one block more, and gets back as many bytes as it has.
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

/// A key pair of a provider. RSA keys of more than two primes only where `primes` says so; the same key every time for
/// the same `kind` and `primes`, so that runs compare. There are keys of as many primes as OpenSSL makes: 2 for 512
/// bits, up to 3 from 1024 bits on, up to 4 for 4096 bits.
///
/// # Errors
/// If the provider does not have it, or is not there.
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

/// libcrypto's digest of this name (hashmill's or OpenSSL's), one `EVP_Digest` for every message, as `openssl speed` 3
/// does.
///
/// # Errors
/// If there is no libcrypto, or it does not have the digest.
pub fn openssl_digest(name: &str) -> Result<Box<dyn OneShot>, PeerError> {
    libcrypto::digest(name)
}

/// libcrypto's HMAC with the digest of this name, the key set once, as `openssl speed -hmac` does: from 3.0 on by
/// EVP_MAC.
///
/// # Errors
/// If there is no libcrypto, or it does not have the digest.
pub fn openssl_hmac(name: &str) -> Result<Box<dyn OneShot>, PeerError> {
    libcrypto::hmac(name, HMAC_KEY)
}
