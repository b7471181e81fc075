//! What an [`Algorithm`] does.
//!
//! A call on a few bytes takes nanoseconds, so every instruction between the call and the hash counts. `digest_into` is
//! inlined into the caller. XXH3 and XXH64 of up to 16 bytes, for which all kernels share one implementation, are
//! hashed right there (`dispatch::in_place`), and fold into the caller where the algorithm is a constant
//! (`constants.rs`); those of up to 240 and 256 bytes, by a function that returns the hash in a register. Everything
//! else costs one load and a jump (`ONE_SHOT`), to a function that may have a path for the shortest messages that saves
//! no registers. The suite `consumer` measures this from outside.

use super::{Algorithm, Engine};
use crate::base::cpu::Features;
use crate::base::digest::Digest;
use crate::base::error::Error;
use crate::engine::dispatch;
use crate::plumbing::call;
use crate::registry::table::Rule;

/// One implementation of an algorithm, as [`Algorithm::kernels`] lists it.
///
/// ```
/// use hashmill::Algorithm;
/// let a: Algorithm = "sha256".parse()?;
/// let active = a.kernels().into_iter().find(|k| k.active).expect("one runs here");
/// assert!(active.available);
/// # Ok::<(), hashmill::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelInfo {
    /// `<isa>x<lanes>`, `portable`, a dedicated instruction set or a crate.
    pub name: &'static str,
    /// How many messages it hashes side by side.
    pub lanes: usize,
    /// The CPU features it needs, as rustc spells them, separated by commas; empty for none.
    pub needs: String,
    /// Whether this CPU can run it.
    pub available: bool,
    /// Whether one message runs on it here.
    pub active: bool,
    /// Whether the mill uses it here, and from how many messages on.
    pub from_messages: Option<usize>,
}

impl Algorithm {
    /// All its kernels on this architecture, in the order of preference.
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let a: Algorithm = "sha256".parse()?;
    /// assert_eq!(a.kernels().last().expect("every algorithm has one").name, "portable");
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn kernels(&self) -> Vec<KernelInfo> {
        let choice = dispatch::choice(self.params.row);
        let row = self.row();
        let many = &choice.many;
        row.kernels
            .iter()
            .enumerate()
            .map(|(i, k)| KernelInfo {
                name: k.name,
                lanes: usize::from(k.lanes()),
                needs: k.needs.without(Features::HINTS).names().join(","),
                available: call::available(k),
                active: std::ptr::eq(k, dispatch::single(self.params.row)),
                from_messages: match &row.rule {
                    Rule::Blocks(_) if many.contains(&(i as u16)) => {
                        Some(if choice.forced { 1 } else { usize::from(k.block_kernel().min_active) })
                    }
                    _ => None,
                },
            })
            .collect()
    }

    /// An engine that runs this algorithm on the kernel of that name, whatever the CPU would prefer: for tests and
    /// benchmarks.
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let a: Algorithm = "sha256".parse()?;
    /// assert_eq!(a.with_kernel("portable")?.digest(b"abc"), a.digest(b"abc"));
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::UnknownKernel`] if the algorithm has no kernel of that name, [`Error::KernelUnavailable`] if this CPU
    /// cannot run it.
    pub fn with_kernel(self, name: &str) -> Result<Engine, Error> {
        Engine::new(self, name)
    }

    /// The digest of one message.
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let a: Algorithm = "md5".parse()?;
    /// assert_eq!(a.digest(b"abc").to_string(), "900150983cd24fb0d6963f7d28e17f72");
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    #[inline(always)]
    pub fn digest(&self, message: &[u8]) -> Digest {
        dispatch::digest(&self.params, message)
    }

    /// Writes the digest of one message to `out`, which must have [`Algorithm::digest_len`] bytes.
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let a: Algorithm = "crc32".parse()?;
    /// let mut out = [0; 4];
    /// a.digest_into(b"123456789", &mut out)?;
    /// assert_eq!(out, 0xcbf4_3926u32.to_be_bytes());
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::WrongLength`] if it has not.
    #[inline(always)]
    pub fn digest_into(&self, message: &[u8], out: &mut [u8]) -> Result<(), Error> {
        if out.len() != self.digest_len() {
            return Err(self.wrong_length(out.len()));
        }
        match (dispatch::in_place(&self.params, message), out.first_chunk_mut()) {
            (Some(digest), Some(out)) => *out = digest,
            _ => dispatch::one_shot(&self.params, message, out),
        }
        Ok(())
    }

    /// Returns the digest of A‖B, given the digests of A and of B and the length of B in bytes, for algorithms that
    /// allow it: CRCs, Adler-32 and Fletcher-16. Returns `None` for all others, or if a digest has the wrong
    /// length.
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let a: Algorithm = "crc32".parse()?;
    /// let whole = a.combine(&a.digest(b"one part "), &a.digest(b"and another"), 11);
    /// assert_eq!(whole, Some(a.digest(b"one part and another")));
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn combine(&self, a: &Digest, b: &Digest, len_b: u64) -> Option<Digest> {
        let Rule::Whole { .. } = self.row().rule else { return None };
        if a.as_bytes().len() != self.digest_len() || b.as_bytes().len() != self.digest_len() {
            return None;
        }
        let mut can = false;
        let d = Digest::with_len(self.digest_len(), |out| {
            can =
                dispatch::single(self.params.row).whole().combine(&self.params, a.as_bytes(), b.as_bytes(), len_b, out);
        });
        can.then_some(d)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_refused_by_name() {
        let a: Algorithm = "md5".parse().expect("known");
        assert!(matches!(a.with_kernel("vpclmul"), Err(Error::UnknownKernel { .. })));
        let engine = a.with_kernel("PORTABLE").expect("there");
        assert_eq!((engine.algorithm(), engine.forced_kernel()), (a, Some("portable")));
        assert_eq!(format!("{engine:?}, {:?}", Engine::from(a)), "Engine(md5, portable), Engine(md5)");
    }

    #[test]
    fn combination() {
        for name in ["crc32", "crc32c"] {
            let a: Algorithm = name.parse().expect("known");
            let whole = b"one part and another";
            let (x, y) = whole.split_at(9);
            let combined = a.combine(&a.digest(x), &a.digest(y), y.len() as u64);
            assert_eq!(combined, Some(a.digest(whole)), "{name}");
        }
        let md5: Algorithm = "md5".parse().expect("known");
        assert_eq!(md5.combine(&md5.digest(b"a"), &md5.digest(b"b"), 1), None);
        let crc: Algorithm = "crc32".parse().expect("known");
        assert_eq!(crc.combine(&md5.digest(b"a"), &crc.digest(b"b"), 1), None);
    }
}
