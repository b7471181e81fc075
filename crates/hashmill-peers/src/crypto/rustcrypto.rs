//! RustCrypto's ciphers and keys.

use super::{CipherKind, CipherUse, Crypter, KeyKind, KeyPair, Made, Material, Sealed, TAG, in_blocks, keys, no_key};
use crate::peer::contract::PeerError;
use crate::peer::rustcrypto::version;
use aes::cipher::{Array, BlockModeDecrypt, BlockModeEncrypt, KeyIvInit, StreamCipher, consts::U12, consts::U16};
use aes::{Aes128, Aes192, Aes256};
use aes_gcm::AesGcm;
use aes_gcm::aead::{AeadInOut, Key, KeyInit, Nonce, inout::InOutBuf};
use chacha20poly1305::ChaCha20Poly1305;
use ed25519_dalek::{Signer, Verifier};
use p256::ecdsa::signature::hazmat::{PrehashSigner, PrehashVerifier};
use p256::ecdsa::{DerSignature, SigningKey, VerifyingKey};
use rsa::rand_core::OsRng;
use rsa::{Pkcs1v15Encrypt, Pkcs1v15Sign, RsaPrivateKey, RsaPublicKey};
use std::hint::black_box;

// Package names of the crates.
const CBC: &str = "cbc";
const CTR: &str = "ctr";
const GCM: &str = "aes-gcm";
const CHACHA: &str = "chacha20poly1305";
const RSA: &str = "rsa";
const ECDSA: &str = "p256";
const ED25519: &str = "ed25519-dalek";

pub(super) fn cipher(kind: CipherKind, usage: CipherUse, m: &Material<'_>) -> Result<Box<dyn Crypter>, PeerError> {
    let made = match kind.name {
        "aes-128-cbc" if usage.decrypt => cbc_decrypter::<cbc::Decryptor<Aes128>>(m),
        "aes-192-cbc" if usage.decrypt => cbc_decrypter::<cbc::Decryptor<Aes192>>(m),
        "aes-256-cbc" if usage.decrypt => cbc_decrypter::<cbc::Decryptor<Aes256>>(m),
        "aes-128-cbc" => cbc_encrypter::<cbc::Encryptor<Aes128>>(m),
        "aes-192-cbc" => cbc_encrypter::<cbc::Encryptor<Aes192>>(m),
        "aes-256-cbc" => cbc_encrypter::<cbc::Encryptor<Aes256>>(m),
        "aes-128-ctr" => key_stream::<ctr::Ctr128BE<Aes128>>(m),
        "aes-192-ctr" => key_stream::<ctr::Ctr128BE<Aes192>>(m),
        "aes-256-ctr" => key_stream::<ctr::Ctr128BE<Aes256>>(m),
        "aes-128-gcm" => whole::<AesGcm<Aes128, U12>>(m, usage, GCM),
        "aes-192-gcm" => whole::<AesGcm<Aes192, U12>>(m, usage, GCM),
        "aes-256-gcm" => whole::<AesGcm<Aes256, U12>>(m, usage, GCM),
        "chacha20-poly1305" => whole::<ChaCha20Poly1305>(m, usage, CHACHA),
        _ => None,
    };
    made.ok_or_else(|| PeerError::NoDigest { peer: "RustCrypto".into(), algorithm: kind.name.into() })
}

/// A cipher that runs over bytes in place and continues where it stopped.
struct Chain<F> {
    package: &'static str,
    /// Returns false if it cannot go on.
    run: F,
}

impl<F: FnMut(&mut [u8]) -> bool + Send> Crypter for Chain<F> {
    fn version(&self) -> String {
        version(self.package)
    }

    fn run(&mut self, data: &mut [u8], times: u64) -> Result<(), PeerError> {
        let good = (0..times).all(|_| (self.run)(data));
        good.then_some(()).ok_or_else(|| PeerError::Failed(version(self.package)))
    }
}

fn cbc_encrypter<M>(m: &Material<'_>) -> Option<Box<dyn Crypter>>
where
    M: KeyIvInit + BlockModeEncrypt<BlockSize = U16> + Send + 'static,
{
    let mut mode = M::new_from_slices(m.key, m.iv).ok()?;
    let mut encrypt = move |blocks: &mut [u8]| {
        mode.encrypt_blocks(Array::slice_as_chunks_mut(blocks).0);
        true
    };
    Some(Box::new(Chain { package: CBC, run: move |data: &mut [u8]| in_blocks(data, &mut encrypt) }))
}

fn cbc_decrypter<M>(m: &Material<'_>) -> Option<Box<dyn Crypter>>
where
    M: KeyIvInit + BlockModeDecrypt<BlockSize = U16> + Send + 'static,
{
    let mut mode = M::new_from_slices(m.key, m.iv).ok()?;
    let mut decrypt = move |blocks: &mut [u8]| {
        mode.decrypt_blocks(Array::slice_as_chunks_mut(blocks).0);
        true
    };
    Some(Box::new(Chain { package: CBC, run: move |data: &mut [u8]| in_blocks(data, &mut decrypt) }))
}

fn key_stream<S: KeyIvInit + StreamCipher + Send + 'static>(m: &Material<'_>) -> Option<Box<dyn Crypter>> {
    let mut stream = S::new_from_slices(m.key, m.iv).ok()?;
    Some(Box::new(Chain { package: CTR, run: move |data: &mut [u8]| stream.try_apply_keystream(data).is_ok() }))
}

fn whole<A>(m: &Material<'_>, usage: CipherUse, package: &'static str) -> Option<Box<dyn Crypter>>
where
    A: KeyInit + AeadInOut<NonceSize = U12, TagSize = U16> + Send + 'static,
{
    let nonce = Nonce::<A>::try_from(m.iv).ok()?;
    let key = Key::<A>::try_from(m.key).ok()?;
    Some(Box::new(Whole::<A> { package, key, nonce, aad: m.aad.to_vec(), decrypt: usage.decrypt, sealed: None }))
}

/// An AEAD cipher over whole messages, because the crates support nothing else. Every message sets the key, as with
/// libcrypto.
struct Whole<A: AeadInOut + KeyInit> {
    package: &'static str,
    key: Key<A>,
    nonce: Nonce<A>,
    aad: Vec<u8>,
    decrypt: bool,
    sealed: Option<Sealed>,
}

impl<A: AeadInOut<TagSize = U16> + KeyInit + Send> Whole<A> {
    fn seal(&self, data: &mut [u8]) -> Option<[u8; TAG]> {
        let tag = A::new(&self.key).encrypt_inout_detached(&self.nonce, &self.aad, data.into()).ok()?;
        Some(tag.into())
    }

    fn run_all(&mut self, data: &mut [u8], times: u64) -> Option<()> {
        if !self.decrypt {
            return (0..times).try_for_each(|_| self.seal(data).map(|tag| _ = black_box(tag)));
        }
        if self.sealed.as_ref().is_none_or(|s| s.text.len() != data.len()) {
            let mut text = data.to_vec();
            let tag = self.seal(&mut text)?;
            self.sealed = Some(Sealed { text, tag });
        }
        let sealed = self.sealed.as_ref()?;
        for _ in 0..times {
            let buffer = InOutBuf::new(&sealed.text, data).ok()?;
            A::new(&self.key).decrypt_inout_detached(&self.nonce, &self.aad, buffer, &sealed.tag.into()).ok()?;
        }
        Some(())
    }
}

impl<A: AeadInOut<TagSize = U16> + KeyInit + Send> Crypter for Whole<A>
where
    Key<A>: Send,
    Nonce<A>: Send,
{
    fn version(&self) -> String {
        version(self.package)
    }

    fn run(&mut self, data: &mut [u8], times: u64) -> Result<(), PeerError> {
        self.run_all(data, times).ok_or_else(|| PeerError::Failed(version(self.package)))
    }

    fn sealed(&mut self) -> Option<&mut Sealed> {
        self.sealed.as_mut()
    }
}

pub(super) fn key(kind: KeyKind, primes: usize, message: &[u8]) -> Result<Box<dyn KeyPair>, PeerError> {
    let (package, pair) = match kind {
        KeyKind::Rsa(bits) => {
            let key = keys::rsa(bits, primes).ok_or_else(|| no_key(&version(RSA), kind, primes))?;
            (RSA, Pair::Rsa(key.to_public_key(), Box::new(key)))
        }
        KeyKind::EcdsaP256 => {
            let key = SigningKey::from_slice(&keys::P256).map_err(|_| no_key(&version(ECDSA), kind, primes))?;
            (ECDSA, Pair::Ecdsa(*key.verifying_key(), key))
        }
        KeyKind::Ed25519 => (ED25519, Pair::Ed25519(ed25519_dalek::SigningKey::from_bytes(&keys::ED25519))),
    };
    let mut key = Keys { package, kind, pair, message: message.to_vec(), made: Made::default() };
    key.made.signature = key.pair.sign(message).ok_or_else(|| key.failed())?;
    if let Pair::Rsa(..) = key.pair {
        key.made.ciphertext = Some(key.pair.encrypt(message).ok_or_else(|| key.failed())?);
    }
    Ok(Box::new(key))
}

enum Pair {
    Rsa(RsaPublicKey, Box<RsaPrivateKey>),
    Ecdsa(VerifyingKey, SigningKey),
    Ed25519(ed25519_dalek::SigningKey),
}

impl Pair {
    fn sign(&self, message: &[u8]) -> Option<Vec<u8>> {
        match self {
            Pair::Rsa(_, key) => key.sign_with_rng(&mut OsRng, Pkcs1v15Sign::new_unprefixed(), message).ok(),
            Pair::Ecdsa(_, key) => {
                let signature: DerSignature = key.sign_prehash(message).ok()?;
                Some(signature.as_bytes().to_vec())
            }
            Pair::Ed25519(key) => Some(key.try_sign(message).ok()?.to_bytes().to_vec()),
        }
    }

    fn verify(&self, message: &[u8], signature: &[u8]) -> Option<()> {
        match self {
            Pair::Rsa(key, _) => key.verify(Pkcs1v15Sign::new_unprefixed(), message, signature).ok(),
            Pair::Ecdsa(key, _) => key.verify_prehash(message, &DerSignature::try_from(signature).ok()?).ok(),
            Pair::Ed25519(key) => {
                let signature = ed25519_dalek::Signature::from_slice(signature).ok()?;
                key.verifying_key().verify(message, &signature).ok()
            }
        }
    }

    fn encrypt(&self, message: &[u8]) -> Option<Vec<u8>> {
        let Pair::Rsa(key, _) = self else { return None };
        key.encrypt(&mut OsRng, Pkcs1v15Encrypt, message).ok()
    }

    fn decrypt(&self, text: &[u8]) -> Option<Vec<u8>> {
        let Pair::Rsa(_, key) = self else { return None };
        key.decrypt_blinded(&mut OsRng, Pkcs1v15Encrypt, text).ok()
    }
}

struct Keys {
    package: &'static str,
    kind: KeyKind,
    pair: Pair,
    message: Vec<u8>,
    made: Made,
}

impl Keys {
    fn failed(&self) -> PeerError {
        PeerError::Failed(version(self.package))
    }

    /// Runs `one` `times` times and ignores the results.
    fn repeat<T>(&self, times: u64, one: impl Fn(&Keys) -> Option<T>) -> Result<(), PeerError> {
        (0..times).try_for_each(|_| one(self).map(|made| _ = black_box(made))).ok_or_else(|| self.failed())
    }
}

impl KeyPair for Keys {
    fn version(&self) -> String {
        version(self.package)
    }

    fn sign(&mut self, times: u64) -> Result<(), PeerError> {
        self.repeat(times, |k| k.pair.sign(&k.message))
    }

    fn verify(&mut self, times: u64) -> Result<(), PeerError> {
        self.repeat(times, |k| k.pair.verify(&k.message, &k.made.signature))
    }

    fn encrypt(&mut self, times: u64) -> Result<(), PeerError> {
        self.made.text(&version(self.package), self.kind)?;
        self.repeat(times, |k| k.pair.encrypt(&k.message))
    }

    fn decrypt(&mut self, times: u64) -> Result<(), PeerError> {
        self.made.text(&version(self.package), self.kind)?;
        let made = |k: &Keys| k.pair.decrypt(k.made.ciphertext.as_ref()?).filter(|text| *text == k.message);
        self.repeat(times, made)
    }

    fn made(&mut self) -> &mut Made {
        &mut self.made
    }
}
