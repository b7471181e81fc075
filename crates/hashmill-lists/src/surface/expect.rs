//! A digest as people paste it: from a web page, a terminal, a lock file.

use crate::base::digits::{from_base32, from_base64, from_hex};
use crate::base::entry::{Item, Stated};
use crate::base::names::named_in;
use crate::surface::read::{Parser, ReadOptions};
use hashmill::Algorithm;
use std::path::Path;

/// Lengths in bytes of the digests that are pasted in base32 or base64 without a name.
const LENGTHS: [usize; 7] = [16, 20, 24, 28, 32, 48, 64];

/// Returns the digests that a text states: hex digits, perhaps with blanks or colons between them; base64 or base32 of
/// a usual length; what names its algorithm, as `sha256:…` and `sha256-…` do; or a whole line of a list, whose name
/// does not matter. `algorithm` is that of a digest that does not name its own. Returns `None` if there is none.
pub fn expected(text: &str, algorithm: Option<Algorithm>) -> Option<Vec<Stated>> {
    let text = text.trim().trim_matches(['"', '\'', '`']).trim();
    let options = ReadOptions { algorithm, allow_short: true, zero: false };
    let mut parser = Parser::new(Path::new("-"), &options);
    let compact: String = text.chars().filter(|c| !c.is_whitespace() && *c != ':').collect();
    let is_spaced = compact.len() != text.len();
    // Pairs of digits would otherwise be taken for a short digest and a name.
    if is_spaced && let Some(digest) = from_hex(compact.as_bytes()) {
        return stated(digest, algorithm);
    }
    match parser.line(text.as_bytes()) {
        Item::Entry(entry) => return Some(entry.stated),
        Item::Lone(stated) => return Some(vec![stated]),
        _ => {}
    }
    if let Some(digest) = from_hex(text.as_bytes()) {
        return stated(digest, algorithm);
    }
    if let Some((label, rest)) = labelled(text) {
        return if algorithm.is_none_or(|a| a == label) { expected(rest, Some(label)) } else { None };
    }
    let lengths = || algorithm.map(|a| a.digest_len()).into_iter().chain(LENGTHS);
    let base64 = || lengths().find_map(|len| from_base64(text.as_bytes(), len));
    let base32 = || lengths().find_map(|len| from_base32(text.as_bytes(), len));
    stated(base64().or_else(base32)?, algorithm)
}

/// Splits `SHA-256 checksum: …` into the algorithm and the rest.
fn labelled(text: &str) -> Option<(Algorithm, &str)> {
    let at = text.find([':', '='])?;
    let mut words = text[..at].split(|c: char| c.is_whitespace() || "()[]\"'*".contains(c)).take(8);
    let algorithm = words.find_map(|word| named_in(&word.to_ascii_lowercase()))?;
    let rest = text[at + 1..].trim();
    (!rest.is_empty()).then_some((algorithm, rest))
}

/// Returns a digest of the given algorithm, which must fit it, or of an unknown one.
fn stated(digest: hashmill::Digest, algorithm: Option<Algorithm>) -> Option<Vec<Stated>> {
    let algorithm = match algorithm {
        Some(a) => Some(a.with_digest_len(digest.as_bytes().len()).ok()?),
        None => None,
    };
    Some(vec![Stated::new(algorithm, digest)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_paste() {
        let sha256 = Algorithm::named("sha256").unwrap();
        let digest = sha256.digest(b"hello");
        let hex = digest.to_string();
        let pairs: Vec<&str> = (0..32).map(|i| &hex[2 * i..2 * i + 2]).collect();
        for text in [
            hex.clone(),
            hex.to_uppercase(),
            format!(" {hex}\n"),
            format!("\"{hex}\""),
            pairs.join(" "),
            pairs.join(":"),
            format!("{} {}", &hex[..32], &hex[32..]),
            format!("{}\n{}", &hex[..32], &hex[32..]),
            format!("{hex}  hello.iso"),
            "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=".into(),
            "FTZE3OS7WCRQ4JXIHMVMLOPCTYNRMHS4D6TUEXTTAQZWFE4LTASA".into(),
        ] {
            assert_eq!(expected(&text, None), Some(vec![Stated::new(None, digest.clone())]), "{text}");
        }
        for text in [format!("SHA256 (hello.iso) = {hex}"), format!("SHA2-256(hello)= {hex}")] {
            assert_eq!(expected(&text, None), Some(vec![Stated::new(Some(sha256), digest.clone())]), "{text}");
        }
        for text in [
            format!("SHA256: {hex}"),
            format!("SHA-256 checksum:\n{}", hex.to_uppercase()),
            format!("File hash (sha256sum) = {}", pairs.join(" ")),
            "SHA256: LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=".into(),
        ] {
            assert_eq!(expected(&text, None), Some(vec![Stated::new(Some(sha256), digest.clone())]), "{text}");
        }
        assert_eq!(expected(&format!("MD5: {hex}"), None), None, "of another length");
        assert_eq!(expected(&format!("SHA256: {hex}"), Algorithm::named("blake3")), None);
        let blake3 = Algorithm::named("blake3").unwrap();
        assert_eq!(expected(&hex, Some(blake3)), Some(vec![Stated::new(Some(blake3), digest)]));
        for bad in ["", "hello", "zz", "abc", "https://example.org/"] {
            assert_eq!(expected(bad, None), None, "{bad}");
        }
    }
}
