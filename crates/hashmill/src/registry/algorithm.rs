//! `Algorithm`: a small value that names a function and its parameters.

use super::security::{Security, Verdict};
use super::table::{self, DigestLength, ROWS, Row, Rule};
use crate::algo::crc;
use crate::base::bits::BitOrder;
use crate::base::error::Error;
use crate::contract::Params;
use std::borrow::Cow;
use std::ops::RangeInclusive;

/// A message digest or checksum with its parameters (digest length, rounds, seed), and nothing else: never a key, never
/// a kernel.
///
/// Two values are equal when they are the same function. Which kernel computes it is the business of an
/// [`Engine`](crate::Engine).
///
/// ```
/// use hashmill::Algorithm;
/// let a: Algorithm = "sha256".parse()?;
/// assert_eq!(a, "SHA-256".parse()?);
/// assert_eq!(a.digest(b"abc").to_string(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
/// # Ok::<(), hashmill::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Algorithm {
    pub(crate) params: Params,
}

impl Algorithm {
    /// All algorithms with their usual parameters, in the registry's order.
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let sound = Algorithm::all().filter(|a| a.tells_files_apart()).count();
    /// assert!(sound > 20 && sound < Algorithm::all().len());
    /// ```
    pub fn all() -> impl ExactSizeIterator<Item = Algorithm> + Clone {
        (0..ROWS.len()).map(Algorithm::from_row)
    }

    /// The one of this name, which must be canonical.
    pub(crate) const fn of(name: &str) -> Self {
        Algorithm::from_row(table::index(name) as usize)
    }

    pub(crate) const fn from_row(row: usize) -> Self {
        let r = &ROWS[row];
        Algorithm { params: Params { row: row as u16, out_len: r.digest_len as u32, p: r.p, seed: 0 } }
    }

    pub(crate) fn row(&self) -> &'static Row {
        &ROWS[usize::from(self.params.row)]
    }

    /// The canonical name of the algorithm with its usual parameters, whatever the parameters are: the registry's row.
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let a: Algorithm = "shake128:64".parse()?;
    /// assert_eq!((a.base_name(), &*a.name()), ("shake128", "shake128:64"));
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn base_name(&self) -> &'static str {
        self.row().name
    }

    /// The other names by which it can be asked for; none with unusual parameters, which are not what these names mean.
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let a: Algorithm = "sha256".parse()?;
    /// assert!(a.aliases().contains(&"sha2-256"));
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn aliases(&self) -> &'static [&'static str] {
        let usual = *self == Algorithm::from_row(usize::from(self.params.row));
        if usual { self.row().aliases } else { &[] }
    }

    /// The family: `MD`, `SHA-2`, `CRC` …
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let a: Algorithm = "sha256".parse()?;
    /// assert_eq!((a.family(), a.year()), ("SHA-2", 2001));
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn family(&self) -> &'static str {
        self.row().family
    }

    /// The year of publication.
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let a: Algorithm = "md5".parse()?;
    /// assert_eq!(a.year(), 1992);
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn year(&self) -> u16 {
        self.row().year
    }

    /// The specification.
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let a: Algorithm = "md5".parse()?;
    /// assert_eq!(a.specification(), "RFC 1321");
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn specification(&self) -> &'static str {
        self.row().spec
    }

    /// The digest's length in bytes.
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let a: Algorithm = "sha384".parse()?;
    /// assert_eq!(a.digest_len(), 48);
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn digest_len(&self) -> usize {
        self.params.out_len as usize
    }

    /// The bits of its value: those of the digest, or of a CRC's register, which need not fill bytes.
    pub(crate) fn value_bits(&self) -> usize {
        let row = self.row();
        if row.family == "CRC" { crc::width(&self.params) } else { 8 * self.digest_len() }
    }

    /// The digest lengths in bytes that it can give; from the shortest to the longest, all of them.
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let of = |name: &str| Ok::<_, hashmill::Error>(name.parse::<Algorithm>()?.digest_lengths());
    /// assert_eq!((of("sha256")?, of("blake2s")?), (32..=32, 1..=32));
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn digest_lengths(&self) -> RangeInclusive<usize> {
        match self.row().lengths {
            DigestLength::Fixed => self.digest_len()..=self.digest_len(),
            DigestLength::UpTo(most) => 1..=most,
            DigestLength::Any => 1..=table::MAX_DIGEST,
        }
    }

    /// The block length in bytes; 1 for checksums that have no blocks.
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let of = |name: &str| Ok::<_, hashmill::Error>(name.parse::<Algorithm>()?.block_len());
    /// assert_eq!((of("sha256")?, of("sha512")?, of("crc32")?), (64, 128, 1));
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn block_len(&self) -> usize {
        match self.row().rule {
            Rule::Blocks(b) => b.block(&self.params),
            Rule::Whole { block } => block,
        }
    }

    /// How far it may be trusted with these parameters: the length of the digest, the rounds, the seed. `sha256` is
    /// sound, `blake2b-8` is not.
    ///
    /// [`Security::NotCryptographic`] is what the algorithm is, whatever its parameters; the other grades depend on
    /// them.
    ///
    /// ```
    /// use hashmill::{Algorithm, Security};
    /// let of = |name: &str| Ok::<_, hashmill::Error>(name.parse::<Algorithm>()?.security());
    /// assert_eq!((of("sha256")?, of("md5")?), (Security::Sound, Security::Broken));
    /// assert_eq!(of("crc32")?, Security::NotCryptographic);
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn security(&self) -> Security {
        self.verdict().security
    }

    /// One line of reason for [`Algorithm::security`], which names the parameters that matter.
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let a: Algorithm = "md5".parse()?;
    /// assert!(a.security_reason().starts_with("collisions in seconds since 2004"));
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn security_reason(&self) -> Cow<'static, str> {
        self.verdict().reason
    }

    /// The bits of collision resistance that it is believed to give with these parameters: finding two messages with
    /// one digest takes about two to this power of tries. 128 for SHA-256, for BLAKE3 and for SHAKE128 of 32 bytes or
    /// more; 112 for SHA-224; 4 for `blake2b-8`. 0 for what is no cryptographic hash, what is broken by better means
    /// than trying, and parameters for which nobody promises any (CubeHash with few rounds).
    ///
    /// It is never more than half the digest's bits, nor half those of the inner state.
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let of = |name: &str| Ok::<_, hashmill::Error>(name.parse::<Algorithm>()?.collision_bits());
    /// assert_eq!((of("sha256")?, of("sha224")?, of("md5")?), (128, 112, 0));
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn collision_bits(&self) -> u32 {
        self.verdict().collision_bits
    }

    /// Whether files with equal digests may be taken for the same file, even if somebody tried to make them look alike:
    /// it is [`Security::Sound`], its digest has 256 bits or more, and its [collision
    /// resistance](Algorithm::collision_bits) 128 or more.
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let tells = |name: &str| Ok::<_, hashmill::Error>(name.parse::<Algorithm>()?.tells_files_apart());
    /// assert!(tells("blake3")? && !tells("sha1")? && !tells("blake2b-160")?);
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn tells_files_apart(&self) -> bool {
        self.security() == Security::Sound && self.digest_len() >= 32 && self.collision_bits() >= 128
    }

    fn verdict(&self) -> Verdict {
        self.row().status.verdict(&self.params, self.row().digest_len)
    }

    /// How many times as long as with the usual parameters it takes for a long message or for an empty one, whichever
    /// is more, to a first approximation: CubeHash's rounds are parameters. 1 for all other algorithms; less than 1 for
    /// fewer rounds.
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let a: Algorithm = "cubehash512".parse()?;
    /// let of_half_the_rounds: Algorithm = "cubehash8/32-512".parse()?;
    /// assert!(a.relative_cost() == 1.0 && of_half_the_rounds.relative_cost() < 1.0);
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn relative_cost(&self) -> f64 {
        let [i, r, b, f] = self.params.p.map(f64::from);
        let [usual_i, usual_r, usual_b, usual_f] = self.row().p.map(f64::from);
        if self.params.p == self.row().p {
            return 1.0;
        }
        ((r / b) / (usual_r / usual_b)).max((i + f) / (usual_i + usual_f))
    }

    /// Whether it can give any number of bytes (an extendable-output function).
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let a: Algorithm = "shake128".parse()?;
    /// assert!(a.is_extendable() && a.with_digest_len(1000)?.digest(b"abc").as_bytes().len() == 1000);
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn is_extendable(&self) -> bool {
        matches!(self.row().lengths, DigestLength::Any)
    }

    /// The largest key in bytes, 0 if it takes none.
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let of = |name: &str| Ok::<_, hashmill::Error>(name.parse::<Algorithm>()?.max_key_len());
    /// assert_eq!((of("blake2b")?, of("blake2s")?, of("sha256")?), (64, 32, 0));
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn max_key_len(&self) -> usize {
        self.row().keys.1
    }

    /// The longest salt in bytes, 0 if it takes none.
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let a: Algorithm = "blake2b".parse()?;
    /// assert_eq!((a.max_salt_len(), a.max_personal_len()), (16, 16));
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn max_salt_len(&self) -> usize {
        self.row().salt
    }

    /// The longest personalization in bytes, 0 if it takes none.
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let a: Algorithm = "blake2s".parse()?;
    /// assert_eq!(a.max_personal_len(), 8);
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn max_personal_len(&self) -> usize {
        self.row().personal
    }

    /// Whether it can derive keys from a context string.
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let takes = |name: &str| Ok::<_, hashmill::Error>(name.parse::<Algorithm>()?.takes_context());
    /// assert!(takes("blake3")? && !takes("blake2b")?);
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn takes_context(&self) -> bool {
        self.row().context
    }

    /// Whether a message may be any number of bits: [`Hasher::update_bits`](crate::Hasher::update_bits) says which
    /// specifications have such messages.
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let takes = |name: &str| Ok::<_, hashmill::Error>(name.parse::<Algorithm>()?.takes_bits());
    /// assert!(takes("sha256")? && !takes("crc32")?);
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn takes_bits(&self) -> bool {
        self.bit_order().is_some()
    }

    pub(crate) fn bit_order(&self) -> Option<BitOrder> {
        match self.row().rule {
            Rule::Blocks(rule) => rule.bit_order(&self.params),
            Rule::Whole { .. } => None,
        }
    }

    /// Bits of the seed it takes, 0 if it takes none.
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let of = |name: &str| Ok::<_, hashmill::Error>(name.parse::<Algorithm>()?.seed_bits());
    /// assert_eq!((of("xxh32")?, of("xxh64")?, of("sha256")?), (32, 64, 0));
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn seed_bits(&self) -> u32 {
        self.row().seed_bits
    }

    /// Whether lists for people should show it: all but most of the CRC catalogue.
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let is = |name: &str| Ok::<_, hashmill::Error>(name.parse::<Algorithm>()?.is_common());
    /// assert!(is("crc32")? && !is("crc16-riello")?);
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn is_common(&self) -> bool {
        self.row().common
    }

    /// The same algorithm with another digest length in bytes.
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let a: Algorithm = "blake2b".parse()?;
    /// assert_eq!(a.with_digest_len(20)?.name(), "blake2b-160");
    /// assert!(a.with_digest_len(65).is_err());
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    ///
    /// # Errors
    /// If it cannot give that length.
    pub fn with_digest_len(self, bytes: usize) -> Result<Algorithm, Error> {
        let row = self.row();
        let bad = |reason: String| Err(Error::BadParameter { algorithm: row.name.into(), reason });
        match row.lengths {
            _ if bytes == row.digest_len => {}
            DigestLength::Fixed => return bad(format!("the digest has {} bytes, not {bytes}", row.digest_len)),
            DigestLength::UpTo(max) if !(1..=max).contains(&bytes) => {
                return bad(format!("a digest of {bytes} bytes is impossible: 1 to {max}"));
            }
            DigestLength::Any if !(1..=table::MAX_DIGEST).contains(&bytes) => {
                return bad(format!("a digest of {bytes} bytes is impossible: 1 to {}", table::MAX_DIGEST));
            }
            DigestLength::UpTo(_) | DigestLength::Any => {}
        }
        Ok(Algorithm { params: Params { out_len: bytes as u32, ..self.params } })
    }

    /// The same algorithm with a seed.
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let a: Algorithm = "xxh64".parse()?;
    /// assert_eq!(a.with_seed(7)?, "xxh64:seed=7".parse()?);
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    ///
    /// # Errors
    /// If it takes none, or only a smaller one.
    pub fn with_seed(self, seed: u64) -> Result<Algorithm, Error> {
        let reason = match self.row().seed_bits {
            0 if seed != 0 => "it takes no seed".to_string(),
            bits @ 1..=63 if seed >> bits != 0 => format!("the seed {seed} is impossible: 0 to {}", (1u64 << bits) - 1),
            _ => return Ok(Algorithm { params: Params { seed, ..self.params } }),
        };
        Err(Error::BadParameter { algorithm: self.row().name.into(), reason })
    }

    #[cold]
    pub(crate) fn wrong_length(&self, given: usize) -> Error {
        Error::WrongLength { algorithm: self.name().into_owned(), digest_len: self.digest_len(), given }
    }
}
