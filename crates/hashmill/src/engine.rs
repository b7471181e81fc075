//! `Engine`: an algorithm and the kernel that computes it.

use crate::algorithm::Algorithm;
use crate::contract::{Kernel, Params};
use crate::digest::{Digest, Digests};
use crate::dispatch;
use crate::error::Error;
use crate::hasher::{Hasher, HasherBuilder};
use crate::many::{self, Encoding, Offset};
use crate::parts::Parts;
use crate::state;
use std::fmt;

/// How an algorithm is computed: on the kernels that this CPU prefers, or on one that was asked for.
///
/// Programs have no need of it: an [`Algorithm`] runs on what the CPU prefers. An engine made by
/// [`Algorithm::with_kernel`] runs on the kernel that it was told, for tests and benchmarks; the digests are the same.
#[derive(Clone, Copy)]
pub struct Engine {
    algorithm: Algorithm,
    /// The forced kernel.
    kernel: Option<&'static Kernel>,
}

impl From<Algorithm> for Engine {
    fn from(algorithm: Algorithm) -> Self {
        Engine { algorithm, kernel: None }
    }
}

impl Engine {
    pub(crate) fn new(algorithm: Algorithm, name: &str) -> Result<Engine, Error> {
        let row = algorithm.row();
        let Some(i) = row.kernels.iter().position(|k| k.name.eq_ignore_ascii_case(name)) else {
            return Err(Error::UnknownKernel {
                algorithm: Some(row.name.into()),
                kernel: name.into(),
                known: row.kernels.iter().map(|k| k.name.to_string()).collect(),
            });
        };
        let k = &row.kernels[i];
        if !dispatch::available(k) {
            return Err(Error::KernelUnavailable {
                algorithm: row.name.into(),
                kernel: k.name.into(),
                needs: k.needs.without(crate::cpu::Features::HINTS).names().join(","),
            });
        }
        Ok(Engine { algorithm, kernel: Some(k) })
    }

    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The name of the forced kernel; none where the CPU's preferences decide.
    pub fn forced_kernel(&self) -> Option<&'static str> {
        self.kernel.map(|k| k.name)
    }

    /// What the algorithm is told, where it stands.
    pub(crate) fn params(&self) -> &Params {
        &self.algorithm.params
    }

    /// The digest of one message.
    #[inline]
    pub fn digest(&self, message: &[u8]) -> Digest {
        Digest::with_len(self.algorithm.digest_len(), |out| self.digest_to(message, out))
    }

    /// Writes the digest of one message to `out`, which must have [`Algorithm::digest_len`] bytes.
    ///
    /// # Errors
    /// [`Error::WrongLength`] if it has not.
    #[inline]
    pub fn digest_into(&self, message: &[u8], out: &mut [u8]) -> Result<(), Error> {
        if out.len() != self.algorithm.digest_len() {
            return Err(self.algorithm.wrong_length(out.len()));
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

    #[inline]
    pub(crate) fn digest_to(&self, m: &[u8], out: &mut [u8]) {
        match self.kernel {
            None => self.algorithm.digest_to(m, out),
            Some(kernel) => kernel.digest(&self.algorithm.params, m, out),
        }
    }

    /// The kernel for one message.
    #[inline]
    pub(crate) fn single_kernel(&self) -> &'static Kernel {
        self.kernel.unwrap_or_else(|| dispatch::single(self.algorithm.params.row))
    }

    /// The kernels for many messages, in the order of preference, each with the number of messages it is worth using
    /// from.
    pub(crate) fn many_kernels(&self) -> Vec<(&'static Kernel, usize)> {
        if let Some(kernel) = self.kernel {
            return vec![(kernel, 1)];
        }
        let choice = dispatch::choice(self.algorithm.params.row);
        let kernels = choice.many.iter().map(|&i| &self.algorithm.row().kernels[usize::from(i)]);
        kernels.map(|k| (k, if choice.forced { 1 } else { usize::from(k.block_kernel().min_active) })).collect()
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.forced_kernel() {
            Some(k) => write!(f, "Engine({}, {k})", self.algorithm),
            None => write!(f, "Engine({})", self.algorithm),
        }
    }
}
