//! A digest as people paste it: from a web page, a terminal, a lock file.

use crate::base::candidates::candidates;
use crate::base::digits::{LENGTHS, from_base32, from_base64, from_hex, is_hex, is_nearly_hex};
use crate::base::entry::{Entry, Item, Stated};
use crate::base::fault::Fault;
use crate::base::names::named_in;
use crate::base::tag::tag;
use crate::surface::read::{Parser, ReadOptions};
use hashmill::{Algorithm, Digest};
use std::path::Path;

const NONE: &str = "not a digest in hex, base32 or base64";
const UNLIKE: &str = "names an algorithm, but what follows is no digest of it";
const SEVERAL: &str = "has more than one digest, and --expect takes one; write several into a list and check that";

/// Returns what a text states of a file: a digest in hex, perhaps with blanks, colons or dashes between its digits; in
/// base64 or base32, of a usual length; with its algorithm, as in `sha256:…`, `sha256-…` or `SHA-256 checksum: …`; or a
/// whole line of a list, whose name does not matter. `algorithm` is that of a digest that does not name its own.
///
/// # Errors
/// Returns why there is no such digest, or none that can be meant.
pub fn expected(text: &str, algorithm: Option<Algorithm>) -> Result<Entry, String> {
    let text = text.trim().trim_matches(['"', '\'', '`']).trim_end_matches(['.', ',', ';']).trim();
    // Pairs of digits would otherwise be taken for a short digest and a name.
    if let Some(digest) = grouped(text) {
        return stated(digest, algorithm);
    }
    let options = ReadOptions { algorithm, allow_short: true, zero: false };
    let mut fault = None;
    match Parser::new(Path::new("-"), &options).line(text.as_bytes()) {
        // What follows a digest may be another one, or name its algorithm.
        Item::Entry(entry) if !Words::of(&String::from_utf8_lossy(&entry.name)).says_more() => return Ok(entry),
        Item::Lone(stated) if stated.function.is_some() => {
            return Ok(Entry { stated: vec![stated], ..Entry::default() });
        }
        Item::Bad(what @ (Fault::NoSuchAlgorithm(_) | Fault::Slow(_))) => fault = Some(what.to_string()),
        _ => {}
    }
    if let Some(digest) = whole(text, algorithm) {
        return stated(digest, algorithm);
    }
    let words = Words::of(text);
    let (named, digest) = match (&words.named[..], &words.digests[..]) {
        (named, []) => return Err(fault.unwrap_or_else(|| words.lacking(named))),
        ([], [_]) if fault.is_some() => return Err(fault.unwrap_or_default()),
        ([], [digest]) => (algorithm, digest),
        ([named], [digest]) => (Some(*named), digest),
        _ => return Err(SEVERAL.into()),
    };
    match (named, algorithm) {
        (Some(named), Some(a)) if named.base_name() != a.base_name() => {
            Err(format!("says that it is of {}, not of {}", tag(named), tag(a)))
        }
        _ => stated(digest.clone(), named),
    }
}

/// Parses groups of hexadecimal digits that are equally long, but for the last if there are more than two.
fn grouped(text: &str) -> Option<Digest> {
    let groups: Vec<&str> = text.split(|c: char| c.is_whitespace() || c == ':' || c == '-').collect();
    let groups: Vec<&str> = groups.into_iter().filter(|group| !group.is_empty()).collect();
    let [first, .., last] = &groups[..] else { return None };
    let same = |groups: &[&str]| groups.iter().all(|group| group.len() == first.len());
    let is_even = same(&groups) || groups.len() > 2 && same(&groups[..groups.len() - 1]) && last.len() < first.len();
    // Longer parts that dashes separate are those of other identifiers.
    let is_right = is_even && (!text.contains('-') || first.len() == 2);
    // One digest twice is no digest of twice the length.
    let is_twice = groups.len() == 2 && first.len() >= 32 && first.eq_ignore_ascii_case(last);
    let text = if is_twice { first.to_string() } else { groups.concat() };
    is_right.then(|| from_hex(text.as_bytes())).flatten()
}

/// Parses a text that is nothing but a digest.
fn whole(text: &str, algorithm: Option<Algorithm>) -> Option<Digest> {
    let text = text.strip_prefix("0x").unwrap_or(text).as_bytes();
    let lengths = || algorithm.map(|a| a.digest_len()).into_iter().chain(LENGTHS);
    let base64 = || lengths().find_map(|len| from_base64(text, len));
    let base32 = || lengths().find_map(|len| from_base32(text, len));
    match from_hex(text) {
        // A mistyped digit would make another digest of it.
        None if is_hex(text) || is_nearly_hex(text) => None,
        None => base64().or_else(base32),
        digest => digest,
    }
}

/// What the words of a text are.
#[derive(Default)]
struct Words {
    digests: Vec<Digest>,
    /// Algorithms that are named, each once.
    named: Vec<Algorithm>,
    /// Number of digits of the longest word in hex that is no digest.
    digits: usize,
}

impl Words {
    fn of(text: &str) -> Words {
        let mut words = Words::default();
        let mut hex = Vec::new();
        let is_between = |c: char| c.is_whitespace() || "()[]{}<>\"'`,;|:*".contains(c);
        for word in text.split(is_between).map(|word| word.trim_matches('.').trim_start_matches('=')) {
            let digest = |word: &str| {
                let digest = Some(word).filter(|word| word.len() >= 16).and_then(|word| whole(word, None));
                digest.filter(|d| LENGTHS.contains(&d.as_bytes().len()))
            };
            let value = word.split_once('=').map_or(word, |(_, value)| value);
            if is_hex(value.as_bytes()) {
                hex.push(value);
            }
            if let Some(digest) = digest(word).or_else(|| digest(word.split_once('=')?.1)) {
                words.digests.push(digest);
            } else if let Some(algorithm) = named_in(&word.split('=').next().unwrap_or_default().to_ascii_lowercase())
                && !words.named.contains(&algorithm)
            {
                words.named.push(algorithm);
            } else if let Some((name, value)) = word.split_once(['-', '='])
                && value.len() >= 4
                && named_in(&name.to_ascii_lowercase()).is_some()
            {
                // Another digest of Subresource Integrity, or one that is damaged.
                words.digests.push(Digest::from_bytes(&[]));
            }
        }
        if let ([named], []) = (&words.named[..], &words.digests[..]) {
            // A checksum is too short to be one without its name.
            let fitting = hex.iter().find(|word| word.len() == 2 * named.digest_len());
            words.digests.extend(fitting.and_then(|word| from_hex(word.as_bytes())));
        }
        words.digits = hex.iter().map(|word| word.len()).max().unwrap_or_default();
        words
    }

    /// Returns why there is no digest.
    fn lacking(&self, named: &[Algorithm]) -> String {
        match (named, self.digits) {
            ([a], 1..) => format!("has {} hex digits; {} digests have {}", self.digits, tag(*a), 2 * a.digest_len()),
            ([], 33..) => format!("has {} hex digits, so part of it may be missing", self.digits),
            _ => NONE.into(),
        }
    }

    fn says_more(&self) -> bool {
        !self.digests.is_empty() || !self.named.is_empty()
    }
}

/// Returns a digest of the given algorithm, which must fit it, or of an unknown one.
fn stated(digest: Digest, algorithm: Option<Algorithm>) -> Result<Entry, String> {
    let bytes = digest.as_bytes().len();
    let bits = 8 * bytes;
    if bytes == 0 {
        return Err(UNLIKE.into());
    }
    let algorithm = match algorithm {
        Some(a) => {
            let fitting = a.with_digest_len(bytes);
            Some(fitting.map_err(|_| format!("has {bits} bits; {} digests have {}", tag(a), 8 * a.digest_len()))?)
        }
        None => {
            let is_usual = candidates(bytes).iter().any(|a| Algorithm::named(a.base_name()) == Some(*a));
            if !is_usual && !LENGTHS.contains(&bytes) {
                return Err(format!("has {bits} bits, so part of it may be missing; -a names its algorithm"));
            }
            None
        }
    };
    Ok(Entry { stated: vec![Stated::new(algorithm, digest)], ..Entry::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_paste() {
        let sha256 = Algorithm::named("sha256").unwrap();
        let blake3 = Algorithm::named("blake3").unwrap();
        let digest = sha256.digest(b"hello");
        let hex = digest.to_string();
        let md5 = Algorithm::MD5.digest(b"hello").to_string();
        let pairs: Vec<&str> = (0..32).map(|i| &hex[2 * i..2 * i + 2]).collect();
        let said = |text: &str, a: Option<Algorithm>| expected(text, a).map(|e| e.stated);
        for text in [
            hex.clone(),
            hex.to_uppercase(),
            format!(" {hex}\n"),
            format!("\"{hex}\""),
            format!("{hex}."),
            format!("0x{hex}"),
            pairs.join(" "),
            pairs.join(":"),
            pairs.join("-"),
            format!("{} {}", &hex[..32], &hex[32..]),
            format!("{}\n{}", &hex[..32], &hex[32..]),
            format!("{} {} {}", &hex[..24], &hex[24..48], &hex[48..]),
            format!("{hex}  hello.iso"),
            format!("hello.iso {hex}"),
            format!("Checksum: {hex}"),
            "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=".into(),
            "FTZE3OS7WCRQ4JXIHMVMLOPCTYNRMHS4D6TUEXTTAQZWFE4LTASA".into(),
        ] {
            assert_eq!(said(&text, None), Ok(vec![Stated::new(None, digest.clone())]), "{text}");
            assert_eq!(said(&text, Some(blake3)), Ok(vec![Stated::new(Some(blake3), digest.clone())]), "{text}");
        }
        for text in [
            format!("SHA256 (hello.iso) = {hex}"),
            format!("SHA2-256(hello)= {hex}"),
            format!("SHA256: {hex}"),
            format!("SHA256\t{hex}"),
            format!("{hex} (SHA-256)"),
            format!("SHA-256 checksum:\n{}", hex.to_uppercase()),
            format!("File hash (sha256sum) = {hex}"),
            format!("sha256[{hex}]"),
            "SHA256: LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=".into(),
        ] {
            assert_eq!(said(&text, None), Ok(vec![Stated::new(Some(sha256), digest.clone())]), "{text}");
        }
        for text in [format!("b3:{hex}"), format!("b3: {hex}"), format!("B3 {hex}")] {
            assert_eq!(said(&text, None), Ok(vec![Stated::new(Some(blake3), digest.clone())]), "{text}");
        }
        for text in [
            format!("MD5: {md5} SHA1: {}", &hex[..40]),
            format!("MD5: {md5}, SHA-256: {hex}"),
            format!("{md5}  {}  a", &hex[..40]),
            format!("{md5} SHA1 {}", &hex[..40]),
            format!("{hex} {md5}"),
            format!("SHA256: {hex} hello={}", &hex[..40]),
            "sha256-LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ= sha512-AAAA".into(),
        ] {
            assert_eq!(said(&text, None), Err(SEVERAL.to_string()), "{text}");
        }
        let short = "has 248 bits, so part of it may be missing; -a names its algorithm";
        for (text, a, why) in [
            (hex[2..].to_string(), None, short),
            (hex[1..].to_string(), None, "has 63 hex digits, so part of it may be missing"),
            (format!("SHA256: {}", &hex[1..]), None, "has 63 hex digits; SHA256 digests have 64"),
            ("crc32: 363a302".into(), None, "has 7 hex digits; CRC32 digests have 8"),
            ("sha512-LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=".into(), None, UNLIKE),
            (hex.replacen('2', "O", 1), None, NONE),
            (format!("1220{hex}"), None, "has 272 bits, so part of it may be missing; -a names its algorithm"),
            (format!("MD5: {hex}"), None, "has 256 bits; MD5 digests have 128"),
            (format!("{md5} (SHA256)"), None, "has 128 bits; SHA256 digests have 256"),
            (format!("SHA256: {hex}"), Some(blake3), "says that it is of SHA256, not of BLAKE3"),
            (format!("sha999:{hex}"), None, "digest of an unknown algorithm, sha999"),
            (String::new(), None, NONE),
            ("hello".into(), None, NONE),
            ("https://example.org/".into(), None, NONE),
        ] {
            assert_eq!(said(&text, a), Err(why.to_string()), "{text}");
        }
        // A digest twice, and checksums that are named.
        assert_eq!(said(&format!("{hex}\n{}", hex.to_uppercase()), None), said(&hex, None));
        let crc = Stated::new(Some(Algorithm::CRC32), Digest::from_bytes(&[0x36, 0x3a, 0x30, 0x20]));
        for text in ["crc32: 363a3020", "CRC32=363A3020", "363a3020 (CRC32)"] {
            assert_eq!(said(text, None), Ok(vec![crc.clone()]), "{text}");
        }
        let magnet = expected(&format!("magnet:?xl=7&dn=x&xt=urn:md5:{md5}&xt=urn:btmh:{md5}"), None).unwrap();
        assert_eq!((magnet.size, &magnet.unknown[..]), (Some(7), &["btmh".to_string()][..]));
    }
}
