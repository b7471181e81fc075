//! `Algorithm`: a small value that names a function and its parameters.

use crate::algo::crc;
use crate::bits::BitOrder;
use crate::contract::Params;
use crate::digest::Digest;
use crate::dispatch;
use crate::engine::Engine;
use crate::error::Error;
use crate::names;
use crate::nearest;
use crate::registry::{self, DigestLength, ROWS, Row, Rule};
use crate::security::{Security, Verdict};
use std::borrow::Cow;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// A message digest or checksum with its parameters (digest length, rounds, seed), and nothing else: never a key, never
/// a kernel.
///
/// Two values are equal when they are the same function. Which kernel computes it is the business of an [`Engine`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Algorithm {
    pub(crate) params: Params,
}

/// One implementation of an algorithm, as `Algorithm::kernels` lists it.
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
    /// All algorithms with their usual parameters, in the registry's order.
    pub fn all() -> impl ExactSizeIterator<Item = Algorithm> + Clone {
        (0..ROWS.len()).map(Algorithm::from_row)
    }

    /// The one of this name, which must be canonical.
    pub(crate) const fn of(name: &str) -> Self {
        Algorithm::from_row(registry::index(name) as usize)
    }

    pub(crate) const fn from_row(row: usize) -> Self {
        let r = &ROWS[row];
        Algorithm { params: Params { row: row as u16, out_len: r.digest_len as u32, p: r.p, seed: 0 } }
    }

    pub(crate) fn row(&self) -> &'static Row {
        &ROWS[usize::from(self.params.row)]
    }

    /// The canonical name, with parameters that differ from the usual: `shake128:64`, `skein512-224`,
    /// `xxh64:seed=7`.
    pub fn name(&self) -> Cow<'static, str> {
        let row = self.row();
        let usual = self.params.out_len as usize == row.digest_len;
        if usual && self.params.seed == 0 && self.params.p == row.p {
            return Cow::Borrowed(row.name);
        }
        let mut s = match names::with_parameters(&self.params) {
            Some(name) => name,
            None if usual => row.name.to_string(),
            None => format!("{}:{}", row.name, self.params.out_len),
        };
        if self.params.seed != 0 {
            s += &format!(":seed={}", self.params.seed);
        }
        Cow::Owned(s)
    }

    /// The canonical name of the algorithm with its usual parameters, whatever the parameters are: the registry's row.
    pub fn base_name(&self) -> &'static str {
        self.row().name
    }

    /// The other names by which it can be asked for; none with unusual parameters, which are not what these names mean.
    pub fn aliases(&self) -> &'static [&'static str] {
        let usual = *self == Algorithm::from_row(usize::from(self.params.row));
        if usual { self.row().aliases } else { &[] }
    }

    /// The family: `MD`, `SHA-2`, `CRC` …
    pub fn family(&self) -> &'static str {
        self.row().family
    }

    /// The year of publication.
    pub fn year(&self) -> u16 {
        self.row().year
    }

    /// The specification.
    pub fn specification(&self) -> &'static str {
        self.row().spec
    }

    /// The digest's length in bytes.
    pub fn digest_len(&self) -> usize {
        self.params.out_len as usize
    }

    /// The bits of its value: those of the digest, or of a CRC's register, which need not fill bytes.
    pub(crate) fn value_bits(&self) -> usize {
        let row = self.row();
        if row.family == "CRC" { crc::width(&self.params) } else { 8 * self.digest_len() }
    }

    /// The digest lengths in bytes that it can give; from the shortest to the longest, all of them.
    pub fn digest_lengths(&self) -> RangeInclusive<usize> {
        match self.row().lengths {
            DigestLength::Fixed => self.digest_len()..=self.digest_len(),
            DigestLength::UpTo(most) => 1..=most,
            DigestLength::Any => 1..=registry::MAX_DIGEST,
        }
    }

    /// The block length in bytes; 1 for checksums that have no blocks.
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
    pub fn security(&self) -> Security {
        self.verdict().security
    }

    /// One line of reason for [`Algorithm::security`], which names the parameters that matter.
    pub fn security_reason(&self) -> Cow<'static, str> {
        self.verdict().reason
    }

    /// The bits of collision resistance that it is believed to give with these parameters: finding two messages with
    /// one digest takes about two to this power of tries. 128 for SHA-256, for BLAKE3 and for SHAKE128 of 32 bytes or
    /// more; 112 for SHA-224; 4 for `blake2b-8`. 0 for what is no cryptographic hash, what is broken by better means
    /// than trying, and parameters for which nobody promises any (CubeHash with few rounds).
    ///
    /// It is never more than half the digest's bits, nor half those of the inner state.
    pub fn collision_bits(&self) -> u32 {
        self.verdict().collision_bits
    }

    /// Whether files with equal digests may be taken for the same file, even if somebody tried to make them look alike:
    /// it is [`Security::Sound`], its digest has 256 bits or more, and its [collision
    /// resistance](Algorithm::collision_bits) 128 or more.
    pub fn tells_files_apart(&self) -> bool {
        self.security() == Security::Sound && self.digest_len() >= 32 && self.collision_bits() >= 128
    }

    fn verdict(&self) -> Verdict {
        self.row().status.verdict(&self.params, self.row().digest_len)
    }

    /// How many times as long as with the usual parameters it takes for a long message or for an empty one, whichever
    /// is more, to a first approximation: CubeHash's rounds are parameters. 1 for all other algorithms; less than 1 for
    /// fewer rounds.
    pub fn relative_cost(&self) -> f64 {
        let [i, r, b, f] = self.params.p.map(f64::from);
        let [usual_i, usual_r, usual_b, usual_f] = self.row().p.map(f64::from);
        if self.params.p == self.row().p {
            return 1.0;
        }
        ((r / b) / (usual_r / usual_b)).max((i + f) / (usual_i + usual_f))
    }

    /// Whether it can give any number of bytes (an extendable-output function).
    pub fn is_extendable(&self) -> bool {
        matches!(self.row().lengths, DigestLength::Any)
    }

    /// The largest key in bytes, 0 if it takes none.
    pub fn max_key_len(&self) -> usize {
        self.row().keys.1
    }

    /// The longest salt in bytes, 0 if it takes none.
    pub fn max_salt_len(&self) -> usize {
        self.row().salt
    }

    /// The longest personalization in bytes, 0 if it takes none.
    pub fn max_personal_len(&self) -> usize {
        self.row().personal
    }

    /// Whether it can derive keys from a context string.
    pub fn takes_context(&self) -> bool {
        self.row().context
    }

    /// Whether a message may be any number of bits: [`Hasher::update_bits`](crate::Hasher::update_bits) says which
    /// specifications have such messages.
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
    pub fn seed_bits(&self) -> u32 {
        self.row().seed_bits
    }

    /// Whether lists for people should show it: all but most of the CRC catalogue.
    pub fn is_common(&self) -> bool {
        self.row().common
    }

    /// All its kernels on this architecture, in the order of preference.
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
                needs: k.needs.without(crate::cpu::Features::HINTS).names().join(","),
                available: dispatch::available(k),
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
    /// # Errors
    /// [`Error::UnknownKernel`] if the algorithm has no kernel of that name, [`Error::KernelUnavailable`] if this CPU
    /// cannot run it.
    pub fn with_kernel(self, name: &str) -> Result<Engine, Error> {
        Engine::new(self, name)
    }

    /// The same algorithm with another digest length in bytes.
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
            DigestLength::Any if !(1..=registry::MAX_DIGEST).contains(&bytes) => {
                return bad(format!("a digest of {bytes} bytes is impossible: 1 to {}", registry::MAX_DIGEST));
            }
            DigestLength::UpTo(_) | DigestLength::Any => {}
        }
        Ok(Algorithm { params: Params { out_len: bytes as u32, ..self.params } })
    }

    /// The same algorithm with a seed.
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

    /// The digest of one message.
    #[inline(always)]
    pub fn digest(&self, message: &[u8]) -> Digest {
        match dispatch::in_place(&self.params, message) {
            Some(digest) => Digest::of(digest),
            None => Digest::with_len(self.digest_len(), |out| self.digest_to(message, out)),
        }
    }

    /// Writes the digest of one message to `out`, which must have [`Algorithm::digest_len`] bytes.
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
            _ => self.digest_to(message, out),
        }
        Ok(())
    }

    #[cold]
    pub(crate) fn wrong_length(&self, given: usize) -> Error {
        Error::WrongLength { algorithm: self.name().into_owned(), digest_len: self.digest_len(), given }
    }

    #[inline(always)]
    pub(crate) fn digest_to(&self, m: &[u8], out: &mut [u8]) {
        dispatch::one_shot(&self.params, m, out);
    }

    /// The digest of A‖B from the digests of A and of B and the length of B in bytes, for algorithms with such a rule
    /// (CRCs). Nothing for all others, or if a digest has the wrong length.
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

    /// Splits a list of algorithms at its commas. PHP's names that contain one (`haval256,5`) are understood: the
    /// longest run of pieces that is a name wins.
    ///
    /// # Errors
    /// For the first piece that is no algorithm.
    pub fn parse_list(list: &str) -> Result<Vec<Algorithm>, Error> {
        let pieces: Vec<&str> = list.split(',').collect();
        let mut found = Vec::new();
        let mut i = 0;
        while i < pieces.len() {
            if pieces[i].trim().is_empty() && pieces.len() > 1 {
                i += 1;
                continue;
            }
            let longest = (i + 1..=pieces.len().min(i + 2)).rev().find_map(|j| {
                let a = pieces[i..j].join(",").parse::<Algorithm>().ok()?;
                Some((a, j))
            });
            match longest {
                Some((a, j)) => {
                    found.push(a);
                    i = j;
                }
                None => {
                    // `haval300,9`: what belongs together is refused together.
                    let number = |s: &&str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
                    let together = pieces.get(i + 1).filter(|s| number(s)).map(|s| [pieces[i], s].join(","));
                    let name = together.as_deref().unwrap_or(pieces[i]);
                    return Err(name.parse::<Algorithm>().err().unwrap_or(unknown(name)));
                }
            }
        }
        // A list of nothing but commas.
        if found.is_empty() { Err(unknown(list)) } else { Ok(found) }
    }
}

fn unknown(name: &str) -> Error {
    Error::UnknownAlgorithm { name: name.into(), near: nearest::algorithms(name) }
}

impl FromStr for Algorithm {
    type Err = Error;

    /// Any name or alias in any case, the names with parameters (`skein512-224`, `blake2b-160`,
    /// `cubehash160+16/32+160-512`), with options after colons: `shake128:64` (bytes of output), `xxh64:seed=7`.
    fn from_str(s: &str) -> Result<Self, Error> {
        Algorithm::understood(s, unknown)
    }
}

impl Algorithm {
    /// The algorithm of a name, as [`str::parse`] understands it; nothing where it has no meaning. It does not look for
    /// names that are near, which takes some hundred times as long as finding one.
    pub fn named(name: &str) -> Option<Algorithm> {
        Algorithm::understood(name, |_| Error::UnknownAlgorithm { name: String::new(), near: Vec::new() }).ok()
    }

    fn understood(s: &str, unknown: impl FnOnce(&str) -> Error) -> Result<Self, Error> {
        let s = s.trim();
        let mut parts = s.split(':');
        let name = parts.next().unwrap_or_default();
        let mut a = match registry::find(name) {
            Some(row) => Algorithm::from_row(row),
            None => names::parametrised(name).unwrap_or_else(|| Err(unknown(name)))?,
        };
        let row = usize::from(a.params.row);
        for option in parts {
            let bad = |reason: String| Error::BadParameter { algorithm: ROWS[row].name.into(), reason };
            if let Some(seed) = option.strip_prefix("seed=") {
                let value = match seed.strip_prefix("0x") {
                    Some(hex) => u64::from_str_radix(hex, 16),
                    None => seed.parse(),
                };
                a = a.with_seed(value.map_err(|_| bad(format!("'{seed}' is no seed: 0 to 2^64-1")))?)?;
            } else if let Ok(bytes) = option.parse() {
                a = a.with_digest_len(bytes)?;
            } else if !option.is_empty() && option.bytes().all(|b| b.is_ascii_digit()) {
                return Err(bad(format!("a digest of {option} bytes is impossible")));
            } else {
                return Err(bad(format!("unknown option '{option}': a digest length in bytes, or seed=N")));
            }
        }
        Ok(a)
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name())
    }
}

impl fmt::Debug for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Algorithm({})", self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_suggest_the_nearest() {
        let said = |name: &str| name.parse::<Algorithm>().expect_err("unknown").to_string();
        assert_eq!(said("sha2"), "unknown algorithm 'sha2'; did you mean sha256 or sha512?");
        assert_eq!(said("nosuch"), "unknown algorithm 'nosuch'");
    }

    #[test]
    fn names_in_any_case_and_options() {
        for (name, canonical) in [
            ("SHA2-256", "sha256"),
            ("Sha512/224", "sha512-224"),
            ("crc32b", "crc32"),
            ("CRC-32/ISCSI", "crc32c"),
            ("shake128:64", "shake128:64"),
            ("shake128:32", "shake128"),
            ("xxh64:seed=0x10", "xxh64:seed=16"),
            ("blake2b:20", "blake2b-160"),
        ] {
            let a: Algorithm = name.parse().expect(name);
            assert_eq!(a.name(), canonical);
            assert_eq!(a.name().parse::<Algorithm>().expect("canonical"), a);
        }
        for bad in ["md5:8", "shake128:0", "blake2b:65", "md5:seed=1", "xxh64:seed=", "sha256:x", "shake256:99999999"] {
            assert!(matches!(bad.parse::<Algorithm>(), Err(Error::BadParameter { .. })), "{bad}");
        }
    }

    #[test]
    fn lists_split_at_commas() {
        let names =
            |l: &str| Algorithm::parse_list(l).map(|v| v.iter().map(|a| a.name().into_owned()).collect::<Vec<_>>());
        assert_eq!(names("md5, sha1,shake128:9").expect("a list"), ["md5", "sha1", "shake128:9"]);
        assert_eq!(names("md5,").expect("a list"), ["md5"]);
        assert!(matches!(names("md5,nope"), Err(Error::UnknownAlgorithm { name, .. }) if name == "nope"));
        assert!(names("").is_err());
    }

    #[test]
    fn named_understands_what_parse_does() {
        for name in
            ["SHA-256", " md5 ", "shake128:64", "xxh64:seed=0x7", "blake2b-160", "cubehash8/1-512", "haval256,5"]
        {
            assert_eq!(Algorithm::named(name), Some(name.parse().unwrap()), "{name}");
        }
        for name in ["", "nope", "skein512-7", "crc16-ccitt", "md5:64", "xxh64:seed=x", "md5,sha1"] {
            assert!(Algorithm::named(name).is_none() && name.parse::<Algorithm>().is_err(), "{name}");
        }
    }

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

    /// A name that is said to be this algorithm's, is: none of the usual length's stands for another one.
    #[test]
    fn aliases_are_names_of_these_parameters() {
        for a in Algorithm::all() {
            let others = [1, 8, 20].map(|n| a.with_digest_len(n)).into_iter().flatten();
            for a in others.chain([a]).chain(a.with_seed(7)) {
                for alias in a.aliases() {
                    assert_eq!(Algorithm::named(alias), Some(a), "{alias}");
                }
            }
        }
        let short: Algorithm = "skein512-224".parse().expect("known");
        assert!(short.aliases().is_empty() && !Algorithm::SKEIN512_512.aliases().is_empty());
    }
}
