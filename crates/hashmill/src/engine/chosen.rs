//! `Engine`: an algorithm and the kernel that computes it.
//!
//! They are separate types because which code runs is not part of what is computed: two algorithms are equal if they
//! are the same function.

use super::dispatch;
use crate::base::cpu::Features;
use crate::base::digest::Digest;
use crate::base::error::Error;
use crate::contract::{Kernel, Params};
use crate::plumbing::call;
use crate::registry::algorithm::Algorithm;
use std::fmt;

/// How an algorithm is computed: on the kernels that this CPU prefers, or on one that was asked for.
///
/// Programs have no need of it: an [`Algorithm`] runs on what the CPU prefers. An engine made by
/// [`Algorithm::with_kernel`] runs on the kernel that it was told, for tests and benchmarks; the digests are the same.
///
/// ```
/// use hashmill::{Algorithm, Engine};
/// let a: Algorithm = "sha256".parse()?;
/// assert_eq!(Engine::from(a).digest(b"abc"), a.with_kernel("portable")?.digest(b"abc"));
/// # Ok::<(), hashmill::Error>(())
/// ```
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
        if !call::available(k) {
            return Err(Error::KernelUnavailable {
                algorithm: row.name.into(),
                kernel: k.name.into(),
                needs: k.needs.without(Features::HINTS).names().join(","),
            });
        }
        Ok(Engine { algorithm, kernel: Some(k) })
    }

    /// The algorithm.
    ///
    /// ```
    /// use hashmill::{Algorithm, Engine};
    /// let a: Algorithm = "sha256".parse()?;
    /// assert_eq!(Engine::from(a).algorithm(), a);
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The name of the forced kernel; none where the CPU's preferences decide.
    ///
    /// ```
    /// use hashmill::{Algorithm, Engine};
    /// let a: Algorithm = "sha256".parse()?;
    /// assert_eq!(a.with_kernel("portable")?.forced_kernel(), Some("portable"));
    /// assert_eq!(Engine::from(a).forced_kernel(), None);
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn forced_kernel(&self) -> Option<&'static str> {
        self.kernel.map(|k| k.name)
    }

    /// What the algorithm is told, where it stands.
    pub(crate) fn params(&self) -> &Params {
        &self.algorithm.params
    }

    #[inline]
    pub(crate) fn digest_to(&self, m: &[u8], out: &mut [u8]) {
        match self.kernel {
            None => dispatch::one_shot(&self.algorithm.params, m, out),
            Some(kernel) => kernel.digest(&self.algorithm.params, m, out),
        }
    }

    /// The digest of one message.
    #[inline(always)]
    pub(crate) fn digest_of(&self, m: &[u8]) -> Digest {
        match self.kernel {
            None => dispatch::digest(&self.algorithm.params, m),
            Some(kernel) => {
                Digest::with_len(self.algorithm.digest_len(), |out| kernel.digest(&self.algorithm.params, m, out))
            }
        }
    }

    /// The kernel for one message.
    #[inline]
    pub(crate) fn single_kernel(&self) -> &'static Kernel {
        self.kernel.unwrap_or_else(|| dispatch::single(self.algorithm.params.row))
    }

    /// The kernels for many messages, in the order of preference, each with the number of messages it is worth using
    /// from.
    pub(crate) fn many_kernels(&self) -> impl Iterator<Item = (&'static Kernel, usize)> + use<> {
        let row = self.algorithm.row();
        let choice = self.kernel.is_none().then(|| dispatch::choice(self.algorithm.params.row));
        let many = choice.into_iter().flat_map(move |choice| {
            choice.many.iter().map(move |&i| {
                let k = &row.kernels[usize::from(i)];
                (k, if choice.forced { 1 } else { usize::from(k.block_kernel().min_active) })
            })
        });
        self.kernel.map(|k| (k, 1)).into_iter().chain(many)
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
