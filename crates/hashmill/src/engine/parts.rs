//! Long messages in parts that are hashed apart: by several threads, or wherever they are.
//!
//! BLAKE3's parts are combined by its tree, those of CRCs and Adler-32 by arithmetic. For BLAKE3 the value of a part is
//! its top node before compression, since that may turn out to be the root. XXH3's parts are sums of its blocks, which
//! are folded into a running hash in order.

use crate::base::digest::Digest;
use crate::base::error::Error;
use crate::contract::{Params, Value, Whole};
use crate::engine::chosen::Engine;
use crate::engine::hasher::Hasher;
use crate::registry::algorithm::Algorithm;
use crate::registry::table::Rule;

/// A part of a message, hashed apart from the rest: [`Algorithm::part`]. It knows by which algorithm, and where in the
/// message it belongs.
///
/// ```
/// use hashmill::Algorithm;
/// let a: Algorithm = "crc32".parse()?;
/// let part = a.part(0, &[7; 4096]).expect("crc32 is divisible");
/// assert_ne!(Some(part), a.part(4096, &[7; 4096]));
/// # Ok::<(), hashmill::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    params: Params,
    at: u64,
    length: u64,
    value: Value,
}

impl Algorithm {
    /// Whether messages can be hashed in parts: BLAKE3, XXH3 and XXH128, CRCs, Adler-32.
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let is = |name: &str| Ok::<_, hashmill::Error>(name.parse::<Algorithm>()?.is_divisible());
    /// assert!(is("blake3")? && is("crc32c")? && !is("sha256")?);
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn is_divisible(&self) -> bool {
        Engine::from(*self).divisible().is_some()
    }

    /// The part `bytes` of a message, which begins at byte `at` of it, for [`Parts::push`]. Nothing if the algorithm is
    /// not divisible.
    ///
    /// [`Parts::push`] takes it only if `at` is where the next part begins, and `bytes` as long as a part is.
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let a: Algorithm = "adler32".parse()?;
    /// assert!(a.part(0, &[7; 4096]).is_some());
    /// assert!("sha256".parse::<Algorithm>()?.part(0, &[7; 4096]).is_none());
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn part(&self, at: u64, bytes: &[u8]) -> Option<Part> {
        Engine::from(*self).part(at, bytes)
    }
}

impl Engine {
    fn divisible(&self) -> Option<(&'static dyn Whole, Params)> {
        let a = self.algorithm();
        let Rule::Whole { .. } = a.row().rule else { return None };
        let whole = self.single_kernel().whole();
        whole.is_divisible(&a.params).then_some((whole, a.params))
    }

    /// The part `bytes` of a message: [`Algorithm::part`].
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let engine = "crc32".parse::<Algorithm>()?.with_kernel("portable")?;
    /// assert_eq!(engine.part(0, &[7; 4096]), engine.algorithm().part(0, &[7; 4096]));
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn part(&self, at: u64, bytes: &[u8]) -> Option<Part> {
        let (whole, p) = self.divisible()?;
        let length = bytes.len() as u64;
        // What no message has as a part has no value, and is never taken.
        let possible = length >= Parts::SHORTEST as u64 && length.is_power_of_two() && at.is_multiple_of(length);
        let value = if possible { whole.part(&p, at, bytes) } else { Value::of(&[]) };
        Some(Part { params: p, at, length, value })
    }
}

/// Puts a message's parts together, from first to last. Memory grows with the logarithm of their number.
///
/// ```
/// use hashmill::{Algorithm, Parts};
/// let a: Algorithm = "blake3".parse()?;
/// let message = vec![7; 10_000];
/// let mut parts = Parts::new(a, 4096).expect("blake3 is divisible");
/// let (whole, last) = message.as_chunks::<4096>();
/// for (i, bytes) in whole.iter().enumerate() {
///     parts.push(a.part(4096 * i as u64, bytes).expect("blake3 is divisible"))?;
/// }
/// assert_eq!(parts.finish(last), a.digest(&message));
/// # Ok::<(), hashmill::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Parts {
    engine: Engine,
    /// Bytes of a part, a power of two.
    len: u64,
    count: u64,
    /// Values of runs of parts, one for each set bit of `count`, the longest first.
    stack: Vec<Value>,
    /// The hash of all parts so far, where they are folded.
    folded: Option<Hasher>,
}

impl Parts {
    /// The shortest parts there may be, in bytes.
    pub const SHORTEST: usize = 4096;

    /// A message in parts of `len` bytes each, but for the last. Nothing if the algorithm is not divisible.
    ///
    /// ```
    /// use hashmill::{Algorithm, Parts};
    /// assert!(Parts::new("blake3".parse()?, 1 << 20).is_some());
    /// assert!(Parts::new("sha256".parse()?, 1 << 20).is_none());
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    ///
    /// # Panics
    /// If `len` is not a power of two, or less than [`Parts::SHORTEST`].
    pub fn new(a: Algorithm, len: usize) -> Option<Self> {
        Parts::of(a.into(), len)
    }

    pub(crate) fn of(engine: Engine, len: usize) -> Option<Self> {
        assert!(len.is_power_of_two() && len >= Self::SHORTEST, "{len} is no length for parts");
        let (whole, _) = engine.divisible()?;
        let folded = whole.is_folded().then(|| Hasher::of(engine));
        Some(Parts { engine, len: len as u64, count: 0, stack: Vec::new(), folded })
    }

    /// How many parts there have been.
    ///
    /// ```
    /// use hashmill::{Algorithm, Parts};
    /// let a: Algorithm = "crc32".parse()?;
    /// let mut parts = Parts::new(a, 4096).expect("crc32 is divisible");
    /// parts.push(a.part(0, &[7; 4096]).expect("crc32 is divisible"))?;
    /// assert_eq!(parts.count(), 1);
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Takes the next part, which has its full length.
    ///
    /// ```
    /// use hashmill::{Algorithm, Parts};
    /// let a: Algorithm = "crc32".parse()?;
    /// let mut parts = Parts::new(a, 4096).expect("crc32 is divisible");
    /// let part = |at| a.part(at, &[7; 4096]).expect("crc32 is divisible");
    /// assert!(parts.push(part(0)).is_ok() && parts.push(part(0)).is_err() && parts.push(part(4096)).is_ok());
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::WrongPart`] if it is of another algorithm or other parameters, begins elsewhere than where the last one
    /// ended, or is shorter or longer than a part. Nothing has changed then.
    pub fn push(&mut self, part: Part) -> Result<(), Error> {
        let next = self.len * self.count;
        let wrong =
            |reason: String| Err(Error::WrongPart { algorithm: self.engine.algorithm().name().into_owned(), reason });
        let Some((whole, p)) = self.engine.divisible() else { return wrong("it is not divisible".into()) };
        if part.params != p {
            let other = Algorithm { params: part.params };
            return wrong(format!("a part of {other} was given"));
        }
        if part.at != next {
            return wrong(format!("the next part begins at byte {next}, not {}", part.at));
        }
        if part.length != self.len {
            return wrong(format!("parts have {} bytes, not {}", self.len, part.length));
        }
        self.count += 1;
        if let Some(folded) = &mut self.folded {
            folded.fold(&part.value);
            return Ok(());
        }
        let mut part = part.value;
        for level in 0..self.count.trailing_zeros() {
            if let Some(left) = self.stack.pop() {
                part = whole.join(&p, &left, &part, self.len << level);
            }
        }
        self.stack.push(part);
        Ok(())
    }

    /// The digest of all parts and of `last`, the bytes after them, which may be none.
    ///
    /// ```
    /// use hashmill::{Algorithm, Parts};
    /// let a: Algorithm = "crc32".parse()?;
    /// let parts = Parts::new(a, 4096).expect("crc32 is divisible");
    /// assert_eq!(parts.finish(b"a short message"), a.digest(b"a short message"));
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    ///
    /// # Panics
    /// If `last` is longer than a part.
    pub fn finish(&self, last: &[u8]) -> Digest {
        assert!(last.len() as u64 <= self.len, "{} bytes are more than a part", last.len());
        if let Some(folded) = &self.folded {
            let mut whole = folded.clone();
            whole.update(last);
            return whole.finalize();
        }
        let (Some((whole, p)), Some(top)) = (self.engine.divisible(), self.stack.last()) else {
            return self.engine.digest(last);
        };
        let mut left = self.count;
        let mut lefts = self.stack.iter().rev();
        let (mut part, mut len);
        if last.is_empty() {
            lefts.next();
            part = top.clone();
            len = self.len << left.trailing_zeros();
            left &= left - 1;
        } else {
            part = whole.part(&p, self.len * self.count, last);
            len = last.len() as u64;
        }
        for l in lefts {
            part = whole.join(&p, l, &part, len);
            len += self.len << left.trailing_zeros();
            left &= left - 1;
        }
        Digest::with_len(self.engine.algorithm().digest_len(), |out| whole.whole(&p, &part, out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEN: usize = Parts::SHORTEST;

    fn of(name: &str) -> Algorithm {
        name.parse().expect("known")
    }

    fn in_parts(a: Engine, m: &[u8], hold_last_back: bool) -> Digest {
        let mut parts = a.parts(LEN).expect("divisible");
        let (mut whole, mut last) = m.split_at(m.len() / LEN * LEN);
        if hold_last_back && last.is_empty() && !whole.is_empty() {
            (whole, last) = m.split_at(m.len() - LEN);
        }
        // From the last to the first, as threads may finish them.
        let values: Vec<Part> =
            whole.chunks(LEN).enumerate().rev().map(|(i, b)| a.part((i * LEN) as u64, b).expect("divisible")).collect();
        values.into_iter().rev().for_each(|v| parts.push(v).expect("the next part"));
        assert_eq!(parts.count(), (whole.len() / LEN) as u64);
        parts.finish(last)
    }

    #[test]
    fn parts_are_the_whole() {
        let m: Vec<u8> = (0..17 * LEN + 5).map(|i| (i % 251) as u8).collect();
        let mut seen = Vec::new();
        let seeded = ["xxh3", "xxh128"].map(|n| of(n).with_seed(0x9e37_79b1_85eb_ca8d).expect("it takes a seed"));
        for a in Algorithm::all().chain(["blake3:1", "blake3:200"].map(of)).chain(seeded) {
            for kernel in a.kernels().iter().filter(|k| k.available) {
                if !a.is_divisible() {
                    continue;
                }
                // All other CRCs share their code with those.
                let (counts, tails) = if a.is_common() {
                    seen.push(a.base_name());
                    (
                        &[0, 1, 2, 3, 4, 7, 8, 13, 16][..],
                        &[0, 1, 63, 64, 65, 1023, 1024, 1025, 2048, 2049, 3073, LEN - 1][..],
                    )
                } else {
                    (&[0, 1, 3][..], &[0, 1, LEN - 1][..])
                };
                let a = a.with_kernel(kernel.name).expect("available");
                for &parts in counts {
                    for &more in tails {
                        let m = &m[..parts * LEN + more];
                        for hold in [false, true] {
                            assert_eq!(in_parts(a, m, hold), a.digest(m), "{a:?}, {} bytes", m.len());
                        }
                    }
                }
            }
        }
        for name in ["blake3", "crc32", "crc32c", "crc64-xz", "adler32", "xxh3", "xxh128"] {
            assert!(seen.contains(&name), "{name} is divisible");
        }
    }

    /// A part of another algorithm or from another position must be refused, since the digest would be of no message; a
    /// refused part leaves the state unchanged.
    #[test]
    fn wrong_parts_are_refused() {
        let m: Vec<u8> = (0..3 * LEN).map(|i| (i % 251) as u8).collect();
        for (name, others) in [
            ("blake3", &["crc32", "blake3:64"][..]),
            ("crc32", &["crc32c", "adler32", "crc32-bzip2", "blake3"]),
            ("adler32", &["crc32"]),
            ("xxh3", &["xxh128", "blake3"]),
            ("xxh128", &["xxh3"]),
        ] {
            let a = of(name);
            let part = |a: Algorithm, at: usize, len: usize| a.part(at as u64, &m[at..at + len]).expect("divisible");
            let mut parts = Parts::new(a, LEN).expect("divisible");
            parts.push(part(a, 0, LEN)).expect("the first part");
            let mut refused = |p: Part, says: &str| {
                let text = parts.push(p).expect_err(says).to_string();
                assert!(text.starts_with(name) && text.contains(says), "{text}");
            };
            for other in others {
                refused(part(of(other), LEN, LEN), &format!("a part of {other} was given"));
            }
            refused(part(a, 0, LEN), "the next part begins at byte 4096, not 0");
            refused(part(a, 2 * LEN, LEN), "the next part begins at byte 4096, not 8192");
            refused(part(a, LEN, LEN - 1), "parts have 4096 bytes, not 4095");
            refused(part(a, LEN, 2 * LEN), "parts have 4096 bytes, not 8192");
            refused(part(a, LEN, 0), "parts have 4096 bytes, not 0");
            refused(part(a, 1, LEN), "the next part begins at byte 4096, not 1");
            // The part may come from any kernel.
            for kernel in a.kernels().iter().filter(|k| k.available) {
                let b = a.with_kernel(kernel.name).expect("available");
                let mut parts = parts.clone();
                let next = b.part(LEN as u64, &m[LEN..2 * LEN]).expect("divisible");
                parts.push(next).expect("the next part");
                assert_eq!(parts.finish(&m[2 * LEN..]), a.digest(&m), "{b:?}");
            }
        }
    }

    /// XXH3 at every length around the ends of parts, blocks and stripes.
    #[test]
    fn folded_parts_at_every_length() {
        let m: Vec<u8> = (0..5 * LEN).map(|i| ((i * 2_654_435_761) >> 13) as u8).collect();
        for name in ["xxh3", "xxh128"] {
            for kernel in of(name).kernels().iter().filter(|k| k.available) {
                let a = of(name).with_kernel(kernel.name).expect("available");
                for n in (2 * LEN - 1100..2 * LEN + 1100).chain(4 * LEN - 70..4 * LEN + 300) {
                    let m = &m[..n];
                    let mut parts = a.parts(LEN).expect("divisible");
                    let (whole, last) = m.as_chunks::<LEN>();
                    for (i, bytes) in whole.iter().enumerate() {
                        parts.push(a.part((i * LEN) as u64, bytes).expect("divisible")).expect("the next part");
                    }
                    assert_eq!(parts.finish(last), a.digest(m), "{a:?}, {n} bytes");
                }
            }
        }
    }

    #[test]
    fn others_are_refused() {
        for name in ["md5", "sha256", "xxh64", "cksum"] {
            let a: Algorithm = name.parse().expect("known");
            assert!(!a.is_divisible() && Parts::new(a, LEN).is_none() && a.part(0, &[]).is_none(), "{name}");
        }
    }
}
