//! What an [`Engine`] does.

use super::Engine;
use crate::base::digest::{Digest, Digests};
use crate::base::error::Error;
use crate::engine::hasher::{Hasher, HasherBuilder};
use crate::engine::many::{self, Encoding, Offset};
use crate::engine::parts::Parts;
use crate::engine::state;

impl Engine {
    /// The digest of one message.
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let engine = "sha256".parse::<Algorithm>()?.with_kernel("portable")?;
    /// assert_eq!(engine.digest(b"abc"), engine.algorithm().digest(b"abc"));
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    #[inline]
    pub fn digest(&self, message: &[u8]) -> Digest {
        self.digest_of(message)
    }

    /// Writes the digest of one message to `out`, which must have [`digest_len`](crate::Algorithm::digest_len) bytes.
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let engine = "sha256".parse::<Algorithm>()?.with_kernel("portable")?;
    /// let mut out = [0; 32];
    /// engine.digest_into(b"abc", &mut out)?;
    /// assert_eq!(out[..], *engine.digest(b"abc").as_bytes());
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::WrongLength`] if it has not.
    #[inline]
    pub fn digest_into(&self, message: &[u8], out: &mut [u8]) -> Result<(), Error> {
        if out.len() != self.algorithm().digest_len() {
            return Err(self.algorithm().wrong_length(out.len()));
        }
        self.digest_to(message, out);
        Ok(())
    }

    /// A hasher without a key: [`Hasher::new`].
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let engine = "sha256".parse::<Algorithm>()?.with_kernel("portable")?;
    /// let mut h = engine.hasher();
    /// h.update(b"abc");
    /// assert_eq!(h.finalize(), engine.digest(b"abc"));
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn hasher(&self) -> Hasher {
        Hasher::of(*self)
    }

    /// A hasher that is given more than a message: [`Hasher::builder`].
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let engine = "blake2b".parse::<Algorithm>()?.with_kernel("portable")?;
    /// assert!(engine.builder().key(b"secret").build().is_ok() && engine.builder().key(&[0; 65]).build().is_err());
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn builder<'a>(&self) -> HasherBuilder<'a> {
        HasherBuilder::of(*self)
    }

    /// A hasher that goes on from an exported state: [`Hasher::import`].
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let engine = "sha256".parse::<Algorithm>()?.with_kernel("portable")?;
    /// let mut h = engine.hasher();
    /// h.update(b"ab");
    /// let mut on = engine.import(&h.export()?)?;
    /// on.update(b"c");
    /// assert_eq!(on.finalize(), engine.digest(b"abc"));
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Hasher::import`], and if the state is of another algorithm.
    pub fn import(&self, state: &[u8]) -> Result<Hasher, Error> {
        state::import_for(*self, state)
    }

    /// The digests of many messages: [`crate::digest_many`].
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let engine = "sha256".parse::<Algorithm>()?.with_kernel("portable")?;
    /// assert_eq!(&engine.digest_many(&["a", "abc"])[1], engine.digest(b"abc").as_bytes());
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn digest_many<M: AsRef<[u8]>>(&self, messages: &[M]) -> Digests {
        many::digests(*self, messages)
    }

    /// The digests of many messages that lie in one buffer: [`crate::digest_many_into`].
    ///
    /// ```
    /// use hashmill::{Algorithm, Encoding};
    /// let engine = "sha256".parse::<Algorithm>()?.with_kernel("portable")?;
    /// let mut out = [0; 64];
    /// engine.digest_many_into(&[0u32, 3], b"abc", Encoding::Hex, &mut out)?;
    /// assert_eq!(out[..], *engine.digest(b"abc").to_hex().as_bytes());
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`crate::digest_many_into`].
    pub fn digest_many_into<O: Offset>(
        &self,
        offsets: &[O],
        bytes: &[u8],
        encoding: Encoding,
        out: &mut [u8],
    ) -> Result<(), Error> {
        many::column(*self, offsets, bytes, encoding, out)
    }

    /// The digests of many messages: [`crate::digest_slices_into`].
    ///
    /// ```
    /// use hashmill::{Algorithm, Encoding};
    /// let engine = "sha256".parse::<Algorithm>()?.with_kernel("portable")?;
    /// let mut out = [0; 32];
    /// engine.digest_slices_into(&["abc"], Encoding::Raw, &mut out)?;
    /// assert_eq!(out[..], *engine.digest(b"abc").as_bytes());
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`crate::digest_slices_into`].
    pub fn digest_slices_into<M: AsRef<[u8]>>(
        &self,
        messages: &[M],
        encoding: Encoding,
        out: &mut [u8],
    ) -> Result<(), Error> {
        many::slices(*self, messages, encoding, out)
    }

    /// What puts a message's parts together: [`Parts::new`].
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let engine = "crc32".parse::<Algorithm>()?.with_kernel("portable")?;
    /// let mut parts = engine.parts(4096).expect("crc32 is divisible");
    /// parts.push(engine.part(0, &[7; 4096]).expect("crc32 is divisible"))?;
    /// assert_eq!(parts.finish(b"end"), engine.digest(&[&[7; 4096][..], b"end"].concat()));
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn parts(&self, len: usize) -> Option<Parts> {
        Parts::of(*self, len)
    }
}
