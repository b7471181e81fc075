//! Names that carry parameters: `skein512-224`, `haval256,5`, `cubehash160+16/32+160-512`; and what is wrong with those
//! that come close.

use crate::algorithm::Algorithm;
use crate::contract::Params;
use crate::error::Error;
use crate::registry::{self, DigestLength, MAX_DIGEST, ROWS};

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

/// `skein512-224`, `blake2b-160`: a prefix and the digest's length in bits.
fn sized(name: &str) -> Option<Result<Algorithm, Error>> {
    let (row, bits) = ROWS.iter().enumerate().find_map(|(i, row)| {
        let bits = name.strip_prefix(row.prefix?)?;
        (!bits.is_empty() && bits.bytes().all(|b| b.is_ascii_digit())).then_some((i, bits))
    })?;
    let (row, prefix) = (Algorithm::from_row(row), ROWS[row].prefix.unwrap_or_default());
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
    let row = registry::find(CUBEHASH)?;
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
        ] {
            let a: Algorithm = name.parse().expect(name);
            assert_eq!((&*a.name(), a.digest_len()), (canonical, bytes));
            assert_eq!(a.name().parse::<Algorithm>(), Ok(a));
        }
        let text = error("skein512-7");
        assert!(text.starts_with("impossible algorithm 'skein512-7': the digest has 8 to 8388608 bits"), "{text}");
        assert!(text.ends_with("; did you mean skein512-8?"), "{text}");
        assert!(error("skein512-513").ends_with("; did you mean skein512-512 or skein512-520?"));
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
}
