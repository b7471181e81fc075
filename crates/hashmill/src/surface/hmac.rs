//! HMAC (RFC 2104, FIPS 198-1) over every cryptographic digest.

use crate::base::digest::{Digest, equal};
use crate::base::error::Error;
use crate::contract::MAX_BLOCK;
use crate::engine::chosen::Engine;
use crate::engine::hasher::Hasher;
use crate::registry::algorithm::Algorithm;
use crate::registry::security::Security;
use std::fmt;
use std::io;
use zeroize::Zeroizing;

/// A message authentication code in the making: `H((K ^ opad) ‖ H((K ^ ipad) ‖ message))`.
///
/// ```
/// use hashmill::{Algorithm, Hmac};
/// let a: Algorithm = "sha256".parse()?;
/// let mut mac = Hmac::new(a, b"key")?;
/// mac.update(b"The quick brown fox jumps over the lazy dog");
/// let code = mac.finalize();
/// assert_eq!(code.to_string(), "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8");
/// assert!(mac.verify(code.as_bytes()));
/// # Ok::<(), hashmill::Error>(())
/// ```
#[derive(Clone)]
pub struct Hmac {
    inner: Hasher,
    /// After one block: the key and ipad, the key and opad.
    keyed: [Hasher; 2],
}

impl Engine {
    /// A message authentication code: [`Hmac::new`].
    ///
    /// ```
    /// use hashmill::{Algorithm, Hmac};
    /// let a: Algorithm = "sha256".parse()?;
    /// let code = a.with_kernel("portable")?.hmac(b"key")?.finalize();
    /// assert_eq!(code, Hmac::new(a, b"key")?.finalize());
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Hmac::new`].
    pub fn hmac(&self, key: &[u8]) -> Result<Hmac, Error> {
        Hmac::of(*self, key)
    }
}

impl Hmac {
    /// A code with the digest `a` and a key of any length; one longer than the digest's block is hashed first.
    ///
    /// ```
    /// use hashmill::{Algorithm, Hmac};
    /// assert!(Hmac::new("sha256".parse()?, b"key").is_ok() && Hmac::new("crc32".parse()?, b"key").is_err());
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::BadKey`] if `a` is no cryptographic digest; or if its digest is longer than its block (CubeHash-512,
    /// for instance) and the key too, for which HMAC is not defined.
    pub fn new(a: Algorithm, key: &[u8]) -> Result<Self, Error> {
        Engine::from(a).hmac(key)
    }

    fn of(engine: Engine, key: &[u8]) -> Result<Self, Error> {
        let a = engine.algorithm();
        let bad = |reason: String| Err(Error::BadKey { algorithm: a.name().into_owned(), reason });
        if a.security() == Security::NotCryptographic {
            return bad("HMAC needs a cryptographic digest".into());
        }
        let block = a.block_len();
        let mut k = Zeroizing::new([0; MAX_BLOCK]);
        if key.len() <= block {
            k[..key.len()].copy_from_slice(key);
        } else if a.digest_len() <= block {
            let mut h = Hasher::secret(engine);
            h.update(key);
            h.finish(&mut k[..a.digest_len()]);
        } else {
            return bad(format!(
                "a key for HMAC must have at most {block} bytes, the block, since the digest is longer than that; not \
                 {}",
                key.len()
            ));
        }
        let keyed = [0x36, 0x5c].map(|pad| {
            let mut h = Hasher::secret(engine);
            // In place: a copy on the stack would not be wiped.
            k.iter_mut().for_each(|byte| *byte ^= pad);
            h.update(k.get(..block).unwrap_or_default());
            k.iter_mut().for_each(|byte| *byte ^= pad);
            h
        });
        Ok(Hmac { inner: keyed[0].clone(), keyed })
    }

    /// The digest underneath.
    ///
    /// ```
    /// use hashmill::{Algorithm, Hmac};
    /// let a: Algorithm = "sha256".parse()?;
    /// assert_eq!(Hmac::new(a, b"key")?.algorithm(), a);
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn algorithm(&self) -> Algorithm {
        self.inner.algorithm()
    }

    /// Takes more of the message.
    ///
    /// ```
    /// use hashmill::{Algorithm, Hmac};
    /// let a: Algorithm = "sha256".parse()?;
    /// let (mut whole, mut pieces) = (Hmac::new(a, b"key")?, Hmac::new(a, b"key")?);
    /// whole.update(b"message");
    /// pieces.update(b"mess");
    /// pieces.update(b"age");
    /// assert_eq!(whole.finalize(), pieces.finalize());
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn update(&mut self, bytes: impl AsRef<[u8]>) {
        self.inner.update(bytes);
    }

    /// The code of everything so far: as many bytes as the digest has. The message may go on afterwards.
    ///
    /// ```
    /// use hashmill::{Algorithm, Hmac};
    /// // RFC 2202, test case 2.
    /// let mut mac = Hmac::new("md5".parse()?, b"Jefe")?;
    /// mac.update(b"what do ya want for nothing?");
    /// assert_eq!(mac.finalize().to_string(), "750c783e6ab0b503eaa86e310a5db738");
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn finalize(&self) -> Digest {
        let mut outer = self.keyed[1].clone();
        outer.update(self.inner.finalize());
        outer.finalize()
    }

    /// Whether `code` is the code of everything so far: the whole of it, compared in time that does not tell where it
    /// differs.
    ///
    /// ```
    /// use hashmill::{Algorithm, Hmac};
    /// let mac = Hmac::new("sha256".parse()?, b"key")?;
    /// let code = mac.finalize();
    /// assert!(mac.verify(code.as_bytes()) && !mac.verify(&code.as_bytes()[..16]));
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn verify(&self, code: &[u8]) -> bool {
        equal(self.finalize().as_bytes(), code)
    }

    /// Back to the beginning, with the same key.
    ///
    /// ```
    /// use hashmill::{Algorithm, Hmac};
    /// let mut mac = Hmac::new("sha256".parse()?, b"key")?;
    /// let empty = mac.finalize();
    /// mac.update(b"message");
    /// mac.reset();
    /// assert_eq!(mac.finalize(), empty);
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn reset(&mut self) {
        self.inner.clone_from(&self.keyed[0]);
    }
}

impl io::Write for Hmac {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.update(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl fmt::Debug for Hmac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Neither the key nor the state.
        f.debug_struct("Hmac").field("algorithm", &self.algorithm()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mac(a: &str, key: &[u8], m: &[u8]) -> String {
        let mut h = Hmac::new(a.parse().expect("known"), key).expect("a key");
        let (x, y) = m.split_at(m.len() / 2);
        h.update(x);
        h.update(y);
        h.finalize().to_string()
    }

    /// RFC 2202, test cases 1 to 3, 6; RFC 4231, test cases 1, 2, 6.
    #[test]
    fn rfc_2202_and_4231() {
        assert_eq!(mac("md5", &[0x0b; 16], b"Hi There"), "9294727a3638bb1c13f48ef8158bfc9d");
        assert_eq!(mac("md5", b"Jefe", b"what do ya want for nothing?"), "750c783e6ab0b503eaa86e310a5db738");
        assert_eq!(mac("sha1", &[0xaa; 20], &[0xdd; 50]), "125d7342b9ac11cd91a39af48aa17b4f63f175d3");
        let long = b"Test Using Larger Than Block-Size Key - Hash Key First";
        assert_eq!(mac("sha1", &[0xaa; 80], long), "aa4ae5e15272d00e95705637ce8a3b55ed402112");
        assert_eq!(
            mac("sha256", &[0x0b; 20], b"Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        );
        assert_eq!(
            mac("sha256", &[0xaa; 131], long),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        );
    }

    #[test]
    fn what_it_refuses() {
        let refused = |a: &str, key: &[u8]| Hmac::new(a.parse().expect("known"), key).expect_err(a).to_string();
        assert_eq!(refused("crc32", b"key"), "crc32: HMAC needs a cryptographic digest");
        assert!(refused("cubehash512", &[1; 33]).contains("at most 32 bytes"));
        assert!(Hmac::new("cubehash512".parse().expect("known"), &[1; 32]).is_ok());
    }

    #[test]
    fn reset_verify_clone() {
        let mut h = Hmac::new("sha3-256".parse().expect("known"), b"k").expect("a key");
        h.update(b"one");
        let one = h.finalize();
        let twin = h.clone();
        h.update(b"more");
        assert_ne!(h.finalize(), one);
        h.reset();
        h.update(b"one");
        assert_eq!((h.finalize(), twin.finalize()), (one.clone(), one.clone()));
        assert!(h.verify(one.as_bytes()));
        assert!(!h.verify(&one.as_bytes()[..31]) && !h.verify(b""));
        let mut wrong = one.as_bytes().to_vec();
        wrong[31] ^= 1;
        assert!(!h.verify(&wrong));
    }
}
