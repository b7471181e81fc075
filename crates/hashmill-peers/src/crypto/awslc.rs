//! AWS-LC's ciphers and keys.

use super::{CipherKind, CipherUse, Crypter, KeyKind, KeyPair, Made, Material, Sealed, in_blocks, keys, no_key};
use crate::peer::contract::PeerError;
use crate::sys::awslc::cipher::{Aead, Cbc, Ctr, EndlessChaCha};
use crate::sys::awslc::key::{EcdsaKey, Ed25519Key, RsaKey};
use crate::sys::awslc::{reason, version};
use std::hint::black_box;

/// Describes what failed, with the library's reason if it left one.
fn failed(what: &str) -> PeerError {
    let reason = reason().map(|r| format!(" ({r})")).unwrap_or_default();
    PeerError::Failed(format!("{}: {what}{reason}", version()))
}

pub(super) fn cipher(kind: CipherKind, usage: CipherUse, m: &Material<'_>) -> Result<Box<dyn Crypter>, PeerError> {
    let missing = || PeerError::NoDigest { peer: version(), algorithm: kind.name.into() };
    let chain = |run: Step| -> Box<dyn Crypter> { Box::new(Chain { kind, run }) };
    Ok(match kind.name {
        "aes-128-cbc" | "aes-192-cbc" | "aes-256-cbc" => {
            let mut cbc = Cbc::new(m.key, m.iv, usage.decrypt).ok_or_else(missing)?;
            chain(Box::new(move |data| in_blocks(data, &mut |blocks| cbc.run(blocks))))
        }
        "aes-128-ctr" | "aes-192-ctr" | "aes-256-ctr" => {
            let mut ctr = Ctr::new(m.key, m.iv).ok_or_else(missing)?;
            chain(Box::new(move |data| {
                ctr.run(data);
                true
            }))
        }
        "chacha20-poly1305" if !usage.tls => {
            let mut endless = EndlessChaCha::new(m.key, m.iv, usage.decrypt).ok_or_else(missing)?;
            // If the message cannot get any longer, a new one begins.
            chain(Box::new(move |data| endless.run(data) || endless.restart() && endless.run(data)))
        }
        name => {
            let aead = Aead::new(name, m.key, m.iv).ok_or_else(missing)?;
            Box::new(Whole { kind, decrypt: usage.decrypt, aead, aad: m.aad.to_vec(), sealed: None })
        }
    })
}

/// Runs over some bytes once. Returns false if it cannot go on.
type Step = Box<dyn FnMut(&mut [u8]) -> bool + Send>;

/// A cipher that runs over bytes in place and continues where it stopped.
struct Chain {
    kind: CipherKind,
    run: Step,
}

impl Crypter for Chain {
    fn version(&self) -> String {
        version()
    }

    fn run(&mut self, data: &mut [u8], times: u64) -> Result<(), PeerError> {
        let good = (0..times).all(|_| (self.run)(data));
        good.then_some(()).ok_or_else(|| failed(self.kind.name))
    }
}

/// An AEAD cipher over whole messages.
struct Whole {
    kind: CipherKind,
    decrypt: bool,
    aead: Aead,
    aad: Vec<u8>,
    sealed: Option<Sealed>,
}

impl Whole {
    fn run_all(&mut self, data: &mut [u8], times: u64) -> Option<()> {
        if !self.decrypt {
            return (0..times).try_for_each(|_| self.aead.seal(&self.aad, data).map(|tag| _ = black_box(tag)));
        }
        if self.sealed.as_ref().is_none_or(|s| s.text.len() != data.len()) {
            let mut text = data.to_vec();
            let tag = self.aead.seal(&self.aad, &mut text)?;
            self.sealed = Some(Sealed { text, tag });
        }
        let Sealed { text, tag } = self.sealed.as_ref()?;
        (0..times).all(|_| self.aead.open(&self.aad, text, tag, data)).then_some(())
    }
}

impl Crypter for Whole {
    fn version(&self) -> String {
        version()
    }

    fn run(&mut self, data: &mut [u8], times: u64) -> Result<(), PeerError> {
        self.run_all(data, times).ok_or_else(|| failed(self.kind.name))
    }

    fn sealed(&mut self) -> Option<&mut Sealed> {
        self.sealed.as_mut()
    }
}

pub(super) fn key(kind: KeyKind, primes: usize, message: &[u8]) -> Result<Box<dyn KeyPair>, PeerError> {
    let failure = |what: &str| failed(&format!("{what} with {}", kind.name()));
    let pair = match kind {
        KeyKind::Rsa(bits) => {
            // AWS-LC reads only keys with two primes.
            let key = if primes == 2 { keys::rsa(bits, primes) } else { None };
            let key = key.ok_or_else(|| no_key(&version(), kind, primes))?;
            RsaKey::new(&keys::rsa_der(&key)).map(Pair::Rsa)
        }
        KeyKind::EcdsaP256 => EcdsaKey::new(&keys::p256_der(&keys::P256)).map(Pair::Ecdsa),
        KeyKind::Ed25519 => Some(Pair::Ed25519(Ed25519Key::new(&keys::ED25519))),
    };
    let mut pair = pair.ok_or_else(|| failure("reading the key"))?;
    let mut made = Made { signature: pair.sign(message).ok_or_else(|| failure("signing"))?, ciphertext: None };
    if let Pair::Rsa(key) = &mut pair {
        made.ciphertext = Some(key.encrypt(message).ok_or_else(|| failure("encrypting"))?.to_vec());
    }
    Ok(Box::new(Keys { kind, pair, message: message.to_vec(), made }))
}

enum Pair {
    Rsa(RsaKey),
    Ecdsa(EcdsaKey),
    Ed25519(Ed25519Key),
}

impl Pair {
    fn sign(&mut self, message: &[u8]) -> Option<Vec<u8>> {
        match self {
            Pair::Rsa(key) => key.sign(message).map(<[u8]>::to_vec),
            Pair::Ecdsa(key) => key.sign(message).map(<[u8]>::to_vec),
            Pair::Ed25519(key) => key.sign(message).map(|s| s.to_vec()),
        }
    }
}

struct Keys {
    kind: KeyKind,
    pair: Pair,
    message: Vec<u8>,
    made: Made,
}

impl Keys {
    fn result(&self, good: bool, what: &str) -> Result<(), PeerError> {
        if good { Ok(()) } else { Err(failed(&format!("{what} with {}", self.kind.name()))) }
    }
}

impl KeyPair for Keys {
    fn version(&self) -> String {
        version()
    }

    fn sign(&mut self, times: u64) -> Result<(), PeerError> {
        let message = &self.message;
        let good = match &mut self.pair {
            Pair::Rsa(key) => (0..times).all(|_| black_box(key.sign(message)).is_some()),
            Pair::Ecdsa(key) => (0..times).all(|_| black_box(key.sign(message)).is_some()),
            Pair::Ed25519(key) => (0..times).all(|_| black_box(key.sign(message)).is_some()),
        };
        self.result(good, "signing")
    }

    fn verify(&mut self, times: u64) -> Result<(), PeerError> {
        let (message, signature) = (&self.message, &self.made.signature);
        let good = match &mut self.pair {
            Pair::Rsa(key) => (0..times).all(|_| key.verify(message, signature)),
            Pair::Ecdsa(key) => (0..times).all(|_| key.verify(message, signature)),
            Pair::Ed25519(key) => (0..times).all(|_| key.verify(message, signature)),
        };
        self.result(good, "verifying")
    }

    fn encrypt(&mut self, times: u64) -> Result<(), PeerError> {
        self.made.text(&version(), self.kind)?;
        let Pair::Rsa(key) = &mut self.pair else { return self.result(false, "encrypting") };
        let good = (0..times).all(|_| black_box(key.encrypt(&self.message)).is_some());
        self.result(good, "encrypting")
    }

    fn decrypt(&mut self, times: u64) -> Result<(), PeerError> {
        let text = self.made.text(&version(), self.kind)?;
        let Pair::Rsa(key) = &mut self.pair else { return self.result(false, "decrypting") };
        let good = (0..times).all(|_| key.decrypt(text) == Some(&*self.message));
        self.result(good, "decrypting")
    }

    fn made(&mut self) -> &mut Made {
        &mut self.made
    }
}
