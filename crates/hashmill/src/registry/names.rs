//! Names: what they mean, those that carry parameters (`skein512-224`, `haval256,5`, `cubehash160+16/32+160-512`), and
//! what is wrong with those that come close.

use super::algorithm::Algorithm;
use super::nearest;
use super::table::{self, DigestLength, MAX_DIGEST, ROWS};
use crate::base::error::Error;
use crate::contract::Params;
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

impl Algorithm {
    /// The canonical name, with parameters that differ from the usual: `shake128:64`, `skein512-224`,
    /// `xxh64:seed=7`.
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let a: Algorithm = "SHA-256".parse()?;
    /// assert_eq!((&*a.name(), &*a.with_digest_len(32)?.name()), ("sha256", "sha256"));
    /// let shake: Algorithm = "shake128:64".parse()?;
    /// assert_eq!(shake.name(), "shake128:64");
    /// # Ok::<(), hashmill::Error>(())
    /// ```
    pub fn name(&self) -> Cow<'static, str> {
        let row = self.row();
        let usual = self.params.out_len as usize == row.digest_len;
        if usual && self.params.seed == 0 && self.params.p == row.p {
            return Cow::Borrowed(row.name);
        }
        let mut s = match with_parameters(&self.params) {
            Some(name) => name,
            None if usual => row.name.to_string(),
            None => format!("{}:{}", row.name, self.params.out_len),
        };
        if self.params.seed != 0 {
            s += &format!(":seed={}", self.params.seed);
        }
        Cow::Owned(s)
    }

    /// Splits a list of algorithms at its commas. PHP's names that contain one (`haval256,5`) are understood: the
    /// longest run of pieces that is a name wins.
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// let list = Algorithm::parse_list("md5,haval256,5,sha256")?;
    /// assert_eq!(list.iter().map(|a| a.to_string()).collect::<Vec<_>>(), ["md5", "haval256-5", "sha256"]);
    /// # Ok::<(), hashmill::Error>(())
    /// ```
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

/// Parses a list of families and algorithms, separated by commas. `choose` picks the members that the name of a family
/// stands for.
///
/// ```
/// use hashmill::unstable::parse_families;
/// let chosen = parse_families("haval,md5,haval256,5", |family| family.into_iter().take(1).collect())?;
/// assert_eq!(chosen.iter().map(|a| a.to_string()).collect::<Vec<_>>(), ["haval128-3", "md5", "haval256-5"]);
/// # Ok::<(), hashmill::Error>(())
/// ```
///
/// # Errors
/// For the first piece that is neither.
pub fn parse_families(list: &str, choose: impl Fn(Vec<Algorithm>) -> Vec<Algorithm>) -> Result<Vec<Algorithm>, Error> {
    let mut found = Vec::new();
    // Names between two families stay together, since PHP's contain commas.
    let mut names: Vec<&str> = Vec::new();
    let add = |names: &mut Vec<&str>, found: &mut Vec<Algorithm>| -> Result<(), Error> {
        let names = std::mem::take(names).join(",");
        if found.is_empty() || names.contains(|c: char| c != ',' && !c.is_whitespace()) {
            found.extend(Algorithm::parse_list(&names)?);
        }
        Ok(())
    };
    for piece in list.split(',') {
        let family: Vec<Algorithm> =
            Algorithm::all().filter(|a| a.family().eq_ignore_ascii_case(piece.trim())).collect();
        if family.is_empty() {
            names.push(piece);
            continue;
        }
        if !names.is_empty() {
            add(&mut names, &mut found)?;
        }
        found.extend(choose(family));
    }
    if !names.is_empty() {
        add(&mut names, &mut found)?;
    }
    Ok(found)
}

fn unknown(name: &str) -> Error {
    Error::UnknownAlgorithm { name: name.into(), near: nearest::algorithms(name) }
}

impl FromStr for Algorithm {
    type Err = Error;

    /// Any name or alias in any case, the names with parameters (`skein512-224`, `blake2b-160`, `shake128-256`,
    /// `cubehash160+16/32+160-512`), with options after colons: `shake128:64` (bytes of output), `xxh64:seed=7`.
    fn from_str(s: &str) -> Result<Self, Error> {
        Algorithm::understood(s, unknown)
    }
}

impl Algorithm {
    /// The algorithm of a name, as [`str::parse`] understands it; nothing where it has no meaning. It does not look for
    /// names that are near, which takes some hundred times as long as finding one.
    ///
    /// ```
    /// use hashmill::Algorithm;
    /// assert!(Algorithm::named("sha256").is_some() && Algorithm::named("sha257").is_none());
    /// ```
    pub fn named(name: &str) -> Option<Algorithm> {
        Algorithm::understood(name, |_| Error::UnknownAlgorithm { name: String::new(), near: Vec::new() }).ok()
    }

    fn understood(s: &str, unknown: impl FnOnce(&str) -> Error) -> Result<Self, Error> {
        let s = s.trim();
        let mut parts = s.split(':');
        let name = parts.next().unwrap_or_default();
        let mut a = match table::find(name) {
            Some(row) => Algorithm::from_row(row),
            None => parametrised(name).unwrap_or_else(|| Err(unknown(name)))?,
        };
        let row = usize::from(a.params.row);
        let (mut seeds, mut lengths) = (0, 0);
        for option in parts {
            let bad = |reason: String| Error::BadParameter { algorithm: ROWS[row].name.into(), reason };
            seeds += usize::from(option.starts_with("seed="));
            lengths += usize::from(option.starts_with(|c: char| c.is_ascii_digit()));
            if seeds > 1 || lengths > 1 {
                return Err(bad(format!("the {} is given twice", if seeds > 1 { "seed" } else { "digest length" })));
            }
            if let Some(seed) = option.strip_prefix("seed=") {
                let value = match seed.strip_prefix("0x") {
                    Some(hex) => u64::from_str_radix(hex, 16),
                    None => seed.parse(),
                };
                a = a.with_seed(value.map_err(|_| bad(format!("'{seed}' is not a seed: 0 to 2^64-1")))?)?;
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

/// The algorithm that a name with parameters means. Nothing if the name is of no such form; an error if it is, but its
/// parameters are impossible.
pub(crate) fn parametrised(name: &str) -> Option<Result<Algorithm, Error>> {
    let name = name.to_ascii_lowercase();
    refused(&name).or_else(|| sized(&name)).or_else(|| cubehash(&name)).or_else(|| passes(&name))
}

/// The name of an algorithm whose digest length is not the usual one, or whose parameters are not, without options.
pub(crate) fn with_parameters(p: &Params) -> Option<String> {
    let row = &ROWS[usize::from(p.row)];
    let bits = 8 * u64::from(p.out_len);
    if row.name == CUBEHASH {
        let [i, r, b, f] = p.p;
        let tenfold = u32::from(i) == 10 * u32::from(r) && f == i;
        return Some(match (tenfold, r, b) {
            (true, 16, 32) => format!("cubehash{bits}"),
            (true, ..) => format!("cubehash{r}/{b}-{bits}"),
            _ => format!("cubehash{i}+{r}/{b}+{f}-{bits}"),
        });
    }
    let usual = p.out_len as usize == row.digest_len;
    row.prefix.filter(|_| !usual).map(|prefix| format!("{prefix}{bits}"))
}

fn impossible(name: &str, reason: String, near: Vec<String>) -> Option<Result<Algorithm, Error>> {
    Some(Err(Error::ImpossibleName { name: name.into(), reason, near }))
}

/// Names that mean several algorithms.
fn refused(name: &str) -> Option<Result<Algorithm, Error>> {
    let ccitt = ["crc16-ccitt", "crc-16/ccitt", "crc-16-ccitt", "crc16ccitt", "crc-ccitt"];
    if !ccitt.contains(&name) {
        return None;
    }
    let meanings =
        ["crc16-kermit", "crc16-ibm-3740", "crc16-xmodem", "crc16-spi-fujitsu", "crc16-ibm-sdlc", "crc16-mcrf4xx"];
    Some(Err(Error::AmbiguousName { name: name.into(), meanings: meanings.map(String::from).to_vec() }))
}

/// `skein512-224`, `blake2b-160`, `shake128-256`: a prefix and the digest's length in bits. The prefix of a function
/// with output of any length is its name.
fn sized(name: &str) -> Option<Result<Algorithm, Error>> {
    let (row, bits) = ROWS.iter().enumerate().find_map(|(i, row)| {
        let bits = match row.prefix {
            Some(prefix) => name.strip_prefix(prefix)?,
            None if matches!(row.lengths, DigestLength::Any) => name.strip_prefix(row.name)?.strip_prefix('-')?,
            None => return None,
        };
        (!bits.is_empty() && bits.bytes().all(|b| b.is_ascii_digit())).then_some((i, bits))
    })?;
    let (row, prefix) = (Algorithm::from_row(row), &name[..name.len() - bits.len()]);
    let most = match ROWS[usize::from(row.params.row)].lengths {
        DigestLength::UpTo(most) => most,
        DigestLength::Any => MAX_DIGEST,
        DigestLength::Fixed => row.digest_len(),
    };
    let given: usize = bits.parse().unwrap_or(usize::MAX);
    if given % 8 == 0 && (1..=most).contains(&(given / 8)) {
        return Some(row.with_digest_len(given / 8));
    }
    let reason = format!("the digest has 8 to {} bits, in whole bytes", 8 * most);
    impossible(name, reason, around(given, most).into_iter().map(|n| format!("{prefix}{}", 8 * n)).collect())
}

/// The digest lengths in bytes next to a number of bits, from 1 to `most` bytes.
fn around(bits: usize, most: usize) -> Vec<usize> {
    let mut all = vec![(bits / 8).clamp(1, most), (bits / 8 + 1).clamp(1, most)];
    all.dedup();
    all
}

const CUBEHASH: &str = "cubehash512";

/// `cubehash<h>`, `cubehash<r>/<b>-<h>`, `cubehash<i>+<r>/<b>+<f>-<h>`.
fn cubehash(name: &str) -> Option<Result<Algorithm, Error>> {
    let rest = name.strip_prefix("cubehash").map(|r| r.strip_prefix('-').unwrap_or(r))?;
    let number = |s: &str| match s.parse::<u64>() {
        Ok(n) => Some(n),
        // Too long for a number, but still one.
        Err(_) => (!s.is_empty() && s.bytes().all(|b| b.is_ascii_digit())).then_some(u64::MAX),
    };
    let (i, r, b, f, h) = match rest.split_once('/') {
        None => (None, 16, 32, None, number(rest)?),
        Some((rounds, rest)) => {
            let (block, h) = rest.rsplit_once('-')?;
            let (i, r) = match rounds.split_once('+') {
                Some((i, r)) => (Some(number(i)?), number(r)?),
                None => (None, number(rounds)?),
            };
            let (b, f) = match block.split_once('+') {
                Some((b, f)) => (number(b)?, Some(number(f)?)),
                None => (number(block)?, None),
            };
            (i, r, b, f, number(h)?)
        }
    };
    let most = u64::from(u16::MAX);
    // Where they are not given, ten times the rounds go before and after.
    let most_rounds = if i.is_some() && f.is_some() { most } else { most / 10 };
    let mut reasons = Vec::new();
    let mut within = |n: u64, most: u64, what: &str| {
        if !(1..=most).contains(&n) {
            reasons.push(format!("1 to {most} {what}"));
        }
        n.clamp(1, most) as u16
    };
    let i = i.map(|i| within(i, most, "initial rounds"));
    let r = within(r, most_rounds, "rounds");
    let b = within(b, 128, "bytes a block");
    let f = f.map(|f| within(f, most, "final rounds"));
    let held = [i.unwrap_or_else(|| 10 * r), r, b, f.unwrap_or_else(|| 10 * r)];
    let mut lengths = vec![h as usize / 8];
    if h % 8 != 0 || !(8..=512).contains(&h) {
        reasons.push("a digest of 8 to 512 bits in whole bytes".into());
        lengths = around(h as usize, 64);
    }
    let row = table::find(CUBEHASH)?;
    let built = |bytes: usize| {
        let a = Algorithm::from_row(row);
        Algorithm { params: Params { p: held, out_len: bytes as u32, ..a.params } }
    };
    if reasons.is_empty() {
        return Some(Ok(built(lengths[0])));
    }
    let near = lengths.into_iter().map(|bytes| built(bytes).name().into_owned()).collect();
    impossible(name, format!("CubeHash has {}", reasons.join(", ")), near)
}

/// HAVAL and Tiger: bits and passes that do not exist. (Those that do are aliases in the registry.)
fn passes(name: &str) -> Option<Result<Algorithm, Error>> {
    for (family, title, sizes, passes) in [
        ("haval", "HAVAL", &[128, 160, 192, 224, 256][..], &[3, 4, 5][..]),
        ("tiger", "Tiger", &[128, 160, 192][..], &[3, 4][..]),
    ] {
        let Some(rest) = name.strip_prefix(family) else { continue };
        let (bits, turns) = rest.split_once([',', '-']).unwrap_or((rest, ""));
        let bits = bits.strip_prefix('-').unwrap_or(bits);
        let number = |s: &str| s.bytes().all(|b| b.is_ascii_digit()) && !s.is_empty();
        if !number(bits) || !(turns.is_empty() || number(turns)) {
            continue;
        }
        let nearest = |all: &[u32], s: &str, usual: u32| {
            let n: u32 = if s.is_empty() { usual } else { s.parse().unwrap_or(u32::MAX) };
            all.iter().copied().min_by_key(|x| x.abs_diff(n)).unwrap_or(usual)
        };
        let usual = if family == "haval" { 5 } else { 3 };
        let near = format!("{family}{}-{}", nearest(sizes, bits, 192), nearest(passes, turns, usual));
        let list = |all: &[u32]| all.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        let reason = format!("{title} has digests of {} bits and {} passes", list(sizes), list(passes));
        return impossible(name, reason, vec![near]);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(name: &str) -> String {
        name.parse::<Algorithm>().expect_err(name).to_string()
    }

    #[test]
    fn lengths_in_names() {
        for (name, canonical, bytes) in [
            ("blake2b-160", "blake2b-160", 20),
            ("BLAKE2b-512", "blake2b-512", 64),
            ("blake2b-512:20", "blake2b-160", 20),
            ("blake2s-8", "blake2s-8", 1),
            ("skein512-224", "skein512-224", 28),
            ("Skein256-1032", "skein256-1032", 129),
            ("skein1024", "skein1024-1024", 128),
            ("SHAKE128-256", "shake128", 32),
            ("shake256-512", "shake256", 64),
            ("shake128-512", "shake128:64", 64),
            ("blake3-128", "blake3:16", 16),
        ] {
            let a: Algorithm = name.parse().expect(name);
            assert_eq!((&*a.name(), a.digest_len()), (canonical, bytes));
            assert_eq!(a.name().parse::<Algorithm>(), Ok(a));
        }
        let text = error("skein512-7");
        assert!(text.starts_with("impossible algorithm 'skein512-7': the digest has 8 to 8388608 bits"), "{text}");
        assert!(text.ends_with("; did you mean skein512-8?"), "{text}");
        assert!(error("skein512-513").ends_with("; did you mean skein512-512 or skein512-520?"));
        assert!(error("shake128-255").ends_with("; did you mean shake128-248 or shake128-256?"));
        assert!(error("blake2b-520").ends_with("; did you mean blake2b-512?"));
        assert!(error("blake2s-99999999999999999999999").ends_with("; did you mean blake2s-256?"));
    }

    #[test]
    fn cubehash_names() {
        for (name, canonical, p, bytes) in [
            ("cubehash512", "cubehash512", [160, 16, 32, 160], 64),
            ("cubehash", "cubehash512", [160, 16, 32, 160], 64),
            ("CubeHash-256", "cubehash256", [160, 16, 32, 160], 32),
            ("cubehash16/32-512", "cubehash512", [160, 16, 32, 160], 64),
            ("CubeHash160+16/32+160-224", "cubehash224", [160, 16, 32, 160], 28),
            ("cubehash16+16/32+32-256", "cubehash16+16/32+32-256", [16, 16, 32, 32], 32),
            ("cubehash8/1-384", "cubehash8/1-384", [80, 8, 1, 80], 48),
            ("cubehash1+2/128+3-8", "cubehash1+2/128+3-8", [1, 2, 128, 3], 1),
            ("cubehash65535+65535/1+65535-512", "cubehash65535+65535/1+65535-512", [65535, 65535, 1, 65535], 64),
        ] {
            let a: Algorithm = name.parse().expect(name);
            assert_eq!((&*a.name(), a.params.p, a.digest_len()), (canonical, p, bytes));
            assert_eq!(a.name().parse::<Algorithm>(), Ok(a));
        }
        let text = error("cubehash0/200-9999");
        assert!(text.contains("1 to 6553 rounds, 1 to 128 bytes a block"), "{text}");
        assert!(text.contains("8 to 512 bits") && text.ends_with("; did you mean cubehash1/128-512?"), "{text}");
        assert!(error("cubehash99999999999999999999/1-8").contains("rounds"));
        for other in ["cubehash/", "cubehash1/2", "cubehashx", "cubehash1++/2-8"] {
            assert!(matches!(other.parse::<Algorithm>(), Err(Error::UnknownAlgorithm { .. })), "{other}");
        }
    }

    #[test]
    fn impossible_passes_and_sizes() {
        for (name, near) in [
            ("haval300,9", "haval256-5"),
            ("haval127,3", "haval128-3"),
            ("haval256-2", "haval256-3"),
            ("tiger192,5", "tiger192-4"),
            ("tiger256", "tiger192-3"),
            ("tiger99999999999,1", "tiger192-3"),
        ] {
            let text = error(name);
            assert!(text.ends_with(&format!("; did you mean {near}?")), "{text}");
        }
        assert!(error("haval300,9").contains("128, 160, 192, 224, 256 bits and 3, 4, 5 passes"));
    }

    #[test]
    fn ambiguous_names_are_refused() {
        for name in ["crc16-ccitt", "CRC-16/CCITT", "crc-ccitt"] {
            let text = error(name);
            assert!(
                text.contains("several algorithms") && text.contains("crc16-kermit, crc16-ibm-3740, crc16-xmodem"),
                "{text}"
            );
        }
        for variant in
            ["crc16-kermit", "crc16-ibm-3740", "crc16-xmodem", "crc16-spi-fujitsu", "crc16-ibm-sdlc", "crc16-mcrf4xx"]
        {
            assert!(variant.parse::<Algorithm>().is_ok(), "{variant}");
        }
    }

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
        for bad in [
            "md5:8", "shake128:0", "blake2b:65", "md5:seed=1", "xxh64:seed=", "sha256:x", "shake256:99999999",
            "xxh64:seed=7:seed=7", "shake128:9:9",
        ] {
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

    /// Every alias of an algorithm parses to that algorithm; an alias of the usual length does not appear with another
    /// length.
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
