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
    #[inline]
    pub fn digest(&self, message: &[u8]) -> Digest {
        Digest::with_len(self.algorithm().digest_len(), |out| self.digest_to(message, out))
    }

    /// Writes the digest of one message to `out`, which must have [`digest_len`](crate::Algorithm::digest_len) bytes.
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
    pub fn hasher(&self) -> Hasher {
        Hasher::of(*self)
    }

    /// A hasher that is given more than a message: [`Hasher::builder`].
    pub fn builder<'a>(&self) -> HasherBuilder<'a> {
        HasherBuilder::of(*self)
    }

    /// A hasher that goes on from an exported state: [`Hasher::import`].
    ///
    /// # Errors
    /// As for [`Hasher::import`], and if the state is of another algorithm.
    pub fn import(&self, state: &[u8]) -> Result<Hasher, Error> {
        state::import_for(*self, state)
    }

    /// The digests of many messages: [`crate::digest_many`].
    pub fn digest_many<M: AsRef<[u8]>>(&self, messages: &[M]) -> Digests {
        many::digests(*self, messages)
    }

    /// The digests of many messages that lie in one buffer: [`crate::digest_many_into`].
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
    pub fn parts(&self, len: usize) -> Option<Parts> {
        Parts::of(*self, len)
    }
}
