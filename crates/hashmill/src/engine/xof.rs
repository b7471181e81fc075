//! Output of any length.

use crate::base::error::Error;
use crate::contract::{Blocks, Kernel, MAX_BLOCK, Params, State};
use crate::engine::hasher::{Hasher, Running};
use crate::plumbing::message::Finisher;
use crate::registry::table::{DigestLength, Rule};
use std::fmt;
use std::io;
use zeroize::Zeroize;

impl Hasher {
    /// The output of an extendable-output function (SHAKE, BLAKE3), to be read as far as wanted. Its first bytes are
    /// the digest.
    ///
    /// ```
    /// use hashmill::{Algorithm, Hasher};
    /// let a: Algorithm = "shake128".parse()?;
    /// let mut out = [0; 1000];
    /// Hasher::new(a).finalize_xof()?.fill(&mut out);
    /// assert_eq!(out[..], *a.with_digest_len(1000)?.digest(b"").as_bytes());
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotExtendable`] if the algorithm has a fixed digest.
    pub fn finalize_xof(&self) -> Result<Xof, Error> {
        let a = self.algorithm();
        if !matches!(a.row().lengths, DigestLength::Any) {
            return Err(Error::NotExtendable { algorithm: a.name().into_owned(), digest_len: a.digest_len() });
        }
        Ok(Xof::of(Box::new(self.clone())))
    }
}

/// The output of an extendable-output function. It never ends.
///
/// ```
/// use hashmill::{Algorithm, Hasher};
/// let a: Algorithm = "shake256".parse()?;
/// let mut xof = Hasher::new(a).finalize_xof()?;
/// let (mut first, mut next) = ([0; 10], [0; 22]);
/// xof.fill(&mut first);
/// xof.fill(&mut next);
/// assert_eq!([&first[..], &next].concat(), a.with_digest_len(32)?.digest(b"").as_bytes());
/// # Ok::<(), hashmill::Error>(())
/// ```
pub struct Xof {
    inner: XofInner,
    secret: bool,
}

impl Drop for Xof {
    fn drop(&mut self) {
        if !self.secret {
            return;
        }
        match &mut self.inner {
            XofInner::Blocks { state, chunk, .. } => {
                state.0.zeroize();
                chunk.zeroize();
            }
            // The hasher wipes itself.
            XofInner::Whole { .. } => {}
        }
    }
}

#[allow(clippy::large_enum_variant, reason = "a box would cost every output of SHAKE an allocation")]
enum XofInner {
    Blocks {
        p: Params,
        rule: &'static dyn Blocks,
        kernel: &'static Kernel,
        state: State,
        chunk: [u8; MAX_BLOCK],
        len: usize,
        at: usize,
    },
    Whole {
        hasher: Box<Hasher>,
        at: u64,
    },
}

impl Xof {
    /// The output for what a hasher of an extendable-output function has hashed.
    pub(super) fn of(mut hasher: Box<Hasher>) -> Xof {
        let (a, secret) = (hasher.algorithm(), hasher.secret);
        let begun = hasher.begun();
        let inner = match a.row().rule {
            Rule::Whole { .. } => XofInner::Whole { hasher, at: 0 },
            Rule::Blocks(rule) => {
                let (flat, kernel) = (begun.memory.flat(), begun.kernel);
                let mut state = flat.state.clone();
                let f = Finisher { rule, kernel, p: &a.params };
                f.end(&mut state, flat);
                let mut chunk = [0; MAX_BLOCK];
                let len = rule.squeeze(&a.params, &state, &mut chunk);
                XofInner::Blocks { p: a.params, rule, kernel, state, chunk, len, at: 0 }
            }
        };
        Xof { inner, secret }
    }

    /// Writes the next `out.len()` bytes of output.
    ///
    /// ```
    /// use hashmill::{Algorithm, Hasher};
    /// let a: Algorithm = "shake128".parse()?;
    /// let mut out = [0; 4];
    /// Hasher::new(a).finalize_xof()?.fill(&mut out);
    /// assert_eq!(out, [0x7f, 0x9c, 0x2b, 0xa4]);
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn fill(&mut self, mut out: &mut [u8]) {
        match &mut self.inner {
            XofInner::Whole { hasher, at } => {
                if let Running::Begun(begun) = &hasher.running {
                    let p = hasher.engine.params();
                    begun.kernel.whole().finish_at(p, &hasher.inputs(), &begun.memory, *at, out);
                }
                *at += out.len() as u64;
            }
            XofInner::Blocks { p, rule, kernel, state, chunk, len, at } => {
                while !out.is_empty() {
                    if at == len {
                        kernel.run_one(p, state, &[0; MAX_BLOCK][..rule.block(p)], rule.block(p));
                        *len = rule.squeeze(p, state, chunk);
                        *at = 0;
                    }
                    let n = out.len().min(*len - *at);
                    let (now, later) = out.split_at_mut(n);
                    now.copy_from_slice(&chunk[*at..*at + n]);
                    *at += n;
                    out = later;
                }
            }
        }
    }
}

impl io::Read for Xof {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.fill(out);
        Ok(out.len())
    }
}

impl fmt::Debug for Xof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Xof")
    }
}
