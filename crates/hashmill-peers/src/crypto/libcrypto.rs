//! libcrypto's ciphers, keys, digests and HMAC.

use super::{
    CipherKind, CipherUse, Crypter, KeyKind, KeyPair, Made, Material, OneShot, Sealed, in_blocks, keys, no_key,
};
use crate::peer::contract::PeerError;
use crate::peer::libcrypto::Libcrypto;
use crate::sys::libcrypto::cipher::CryptoCipher;
use crate::sys::libcrypto::key::{CryptoKey, Form, Transformer, Verifier};
use crate::sys::libcrypto::oneshot::{CryptoHmac, OneShotDigest};
use crate::sys::libcrypto::{Crypto, MAX_DIGEST};
use hashmill::Algorithm;

/// Describes what failed, with the library's reason if it left one.
fn failed(crypto: &Crypto, what: &str) -> PeerError {
    let reason = crypto.reason().map(|r| format!(" ({r})")).unwrap_or_default();
    PeerError::Failed(format!("{}: {what}{reason}", crypto.version()))
}

fn missing(crypto: &Crypto, what: &str) -> PeerError {
    // Clears the error that the attempt left.
    crypto.reason();
    PeerError::NoDigest { peer: crypto.version(), algorithm: what.into() }
}

pub(super) fn cipher(kind: CipherKind, usage: CipherUse, m: &Material<'_>) -> Result<Box<dyn Crypter>, PeerError> {
    let crypto = Libcrypto::load()?.crypto();
    let open = |decrypt| {
        let cipher = CryptoCipher::new(&crypto, kind.name, m.key, m.iv, decrypt);
        cipher.ok_or_else(|| missing(&crypto, kind.name))
    };
    if !usage.tls && !kind.name.ends_with("-gcm") {
        let cbc = kind.name.ends_with("-cbc");
        return Ok(Box::new(Chain { crypto, kind, cbc, cipher: open(usage.decrypt)? }));
    }
    let (encrypter, decrypter) = (open(false)?, open(true)?);
    let aad = m.aad.to_vec();
    Ok(Box::new(Whole { crypto, kind, decrypt: usage.decrypt, encrypter, decrypter, aad, sealed: None }))
}

/// A cipher that runs over bytes in place and continues where it stopped.
struct Chain {
    crypto: Crypto,
    kind: CipherKind,
    cbc: bool,
    cipher: CryptoCipher,
}

impl Crypter for Chain {
    fn version(&self) -> String {
        self.crypto.version()
    }

    fn run(&mut self, data: &mut [u8], times: u64) -> Result<(), PeerError> {
        for _ in 0..times {
            let good = if self.cbc {
                in_blocks(data, &mut |blocks| self.cipher.update(blocks))
            } else {
                // If the message cannot get any longer, a new one begins.
                self.cipher.update(data) || self.cipher.restart() && self.cipher.update(data)
            };
            if !good {
                return Err(failed(&self.crypto, self.kind.name));
            }
        }
        Ok(())
    }
}

/// An AEAD cipher over whole messages.
struct Whole {
    crypto: Crypto,
    kind: CipherKind,
    decrypt: bool,
    encrypter: CryptoCipher,
    decrypter: CryptoCipher,
    aad: Vec<u8>,
    sealed: Option<Sealed>,
}

impl Whole {
    fn run_all(&mut self, data: &mut [u8], times: u64) -> Option<()> {
        if !self.decrypt {
            return (0..times).all(|_| self.encrypter.seal(&self.aad, data)).then_some(());
        }
        if self.sealed.as_ref().is_none_or(|s| s.text.len() != data.len()) {
            let mut text = data.to_vec();
            let tag = self.encrypter.seal(&self.aad, &mut text).then(|| self.encrypter.tag())??;
            self.sealed = Some(Sealed { text, tag });
        }
        let Sealed { text, tag } = self.sealed.as_ref()?;
        (0..times).all(|_| self.decrypter.open(&self.aad, text, tag, data)).then_some(())
    }
}

impl Crypter for Whole {
    fn version(&self) -> String {
        self.crypto.version()
    }

    fn run(&mut self, data: &mut [u8], times: u64) -> Result<(), PeerError> {
        self.run_all(data, times).ok_or_else(|| failed(&self.crypto, self.kind.name))
    }

    fn sealed(&mut self) -> Option<&mut Sealed> {
        self.sealed.as_mut()
    }
}

pub(super) fn key(kind: KeyKind, primes: usize, message: &[u8]) -> Result<Box<dyn KeyPair>, PeerError> {
    let crypto = Libcrypto::load()?.crypto();
    let key = match kind {
        KeyKind::Rsa(bits) => {
            let key = keys::rsa(bits, primes).ok_or_else(|| no_key(&crypto.version(), kind, primes))?;
            CryptoKey::new(&crypto, Form::Rsa(&keys::rsa_der(&key)))
        }
        KeyKind::EcdsaP256 => CryptoKey::new(&crypto, Form::Ec(&keys::p256_der(&keys::P256))),
        KeyKind::Ed25519 => CryptoKey::new(&crypto, Form::Ed25519(&keys::ED25519)),
    };
    let failure = |what: &str| failed(&crypto, &format!("{what} with {}", kind.name()));
    let key = key.ok_or_else(|| failure("reading the key"))?;
    let mut signer = key.signer(message).ok_or_else(|| failure("signing"))?;
    let verifier = key.verifier().ok_or_else(|| failure("verifying"))?;
    let mut made =
        Made { signature: signer.run(message).ok_or_else(|| failure("signing"))?.to_vec(), ciphertext: None };
    let mut transport = None;
    if let KeyKind::Rsa(_) = kind {
        let mut encrypter = key.encrypter(message).ok_or_else(|| failure("encrypting"))?;
        let text = encrypter.run(message).ok_or_else(|| failure("encrypting"))?.to_vec();
        let decrypter = key.decrypter(&text).ok_or_else(|| failure("decrypting"))?;
        made.ciphertext = Some(text);
        transport = Some((encrypter, decrypter));
    }
    crypto.reason();
    Ok(Box::new(Keys { crypto, kind, signer, verifier, transport, message: message.to_vec(), made }))
}

struct Keys {
    crypto: Crypto,
    kind: KeyKind,
    signer: Transformer,
    verifier: Verifier,
    /// Encrypter and decrypter, if the algorithm can encrypt.
    transport: Option<(Transformer, Transformer)>,
    message: Vec<u8>,
    made: Made,
}

impl Keys {
    fn result(&self, good: bool, what: &str) -> Result<(), PeerError> {
        if good { Ok(()) } else { Err(failed(&self.crypto, &format!("{what} with {}", self.kind.name()))) }
    }
}

impl KeyPair for Keys {
    fn version(&self) -> String {
        self.crypto.version()
    }

    fn sign(&mut self, times: u64) -> Result<(), PeerError> {
        let good = (0..times).all(|_| self.signer.run(&self.message).is_some());
        self.result(good, "signing")
    }

    fn verify(&mut self, times: u64) -> Result<(), PeerError> {
        let good = (0..times).all(|_| self.verifier.run(&self.message, &self.made.signature));
        self.result(good, "verifying")
    }

    fn encrypt(&mut self, times: u64) -> Result<(), PeerError> {
        self.made.text(&self.crypto.version(), self.kind)?;
        let Some((encrypter, _)) = &mut self.transport else { return self.result(false, "encrypting") };
        let good = (0..times).all(|_| encrypter.run(&self.message).is_some());
        self.result(good, "encrypting")
    }

    fn decrypt(&mut self, times: u64) -> Result<(), PeerError> {
        let text = self.made.text(&self.crypto.version(), self.kind)?;
        let Some((_, decrypter)) = &mut self.transport else { return self.result(false, "decrypting") };
        let good = (0..times).all(|_| decrypter.run(text) == Some(&*self.message));
        self.result(good, "decrypting")
    }

    fn made(&mut self) -> &mut Made {
        &mut self.made
    }
}

/// Names under which a library may know a digest: as given, ours, and ours without the first dash (`blake2b512`).
fn names(name: &str) -> Vec<String> {
    let mut names = vec![name.to_string()];
    if let Ok(algorithm) = name.parse::<Algorithm>() {
        let ours = algorithm.name().to_string();
        names.extend([ours.replacen('-', "", 1), ours]);
    }
    names
}

pub(super) fn digest(name: &str) -> Result<Box<dyn OneShot>, PeerError> {
    let crypto = Libcrypto::load()?.crypto();
    let found = names(name).iter().find_map(|n| OneShotDigest::new(&crypto, n));
    let digest = found.ok_or_else(|| missing(&crypto, name))?;
    let run = move |message: &[u8], out: &mut [u8; MAX_DIGEST]| digest.run(message, out);
    Ok(Box::new(Single { crypto, name: name.into(), run }))
}

pub(super) fn hmac(name: &str, key: &[u8]) -> Result<Box<dyn OneShot>, PeerError> {
    let crypto = Libcrypto::load()?.crypto();
    let found = names(name).iter().find_map(|n| CryptoHmac::new(&crypto, n, key));
    let name = format!("hmac({name})");
    let mut hmac = found.ok_or_else(|| missing(&crypto, &name))?;
    let run = move |message: &[u8], out: &mut [u8; MAX_DIGEST]| hmac.run(message, out);
    Ok(Box::new(Single { crypto, name, run }))
}

struct Single<F> {
    crypto: Crypto,
    name: String,
    /// Returns the number of bytes written, or `None` if that failed.
    run: F,
}

impl<F: FnMut(&[u8], &mut [u8; MAX_DIGEST]) -> Option<usize> + Send> OneShot for Single<F> {
    fn version(&self) -> String {
        self.crypto.version()
    }

    fn run(&mut self, message: &[u8], times: u64) -> Result<(), PeerError> {
        let mut out = [0; MAX_DIGEST];
        let good = (0..times).all(|_| (self.run)(message, &mut out).is_some());
        good.then_some(()).ok_or_else(|| failed(&self.crypto, &self.name))
    }

    fn output(&mut self, message: &[u8]) -> Result<Vec<u8>, PeerError> {
        let mut out = [0; MAX_DIGEST];
        let len = (self.run)(message, &mut out).filter(|&n| n <= MAX_DIGEST);
        len.map(|n| out[..n].to_vec()).ok_or_else(|| failed(&self.crypto, &self.name))
    }
}
