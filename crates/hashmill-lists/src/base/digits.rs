//! Digests as text: hex, base64, base32 and the rest.

use data_encoding::{BASE32_NOPAD, BASE64, BASE64URL, Encoding, Specification};
use hashmill::{Algorithm, Digest};
use std::sync::LazyLock;

/// Lengths in bytes of the digests that programs write without saying what they are of.
pub(crate) const LENGTHS: [usize; 7] = [16, 20, 24, 28, 32, 48, 64];

/// How the value of a digest is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Digits {
    /// Lower-case hexadecimal digits.
    #[default]
    Hex,
    /// Upper-case hexadecimal digits.
    Upper,
    /// Base64 with padding (RFC 4648, section 4).
    Base64,
    /// Base32 without padding (RFC 4648, section 6), in upper case.
    Base32,
}

impl Digits {
    /// Appends the digits of a value.
    pub fn put(self, out: &mut Vec<u8>, value: &[u8]) {
        let mut hex = |digits: &[u8; 16]| {
            out.reserve(2 * value.len());
            for b in value {
                out.push(digits[usize::from(b >> 4)]);
                out.push(digits[usize::from(b & 15)]);
            }
        };
        match self {
            Digits::Hex => hex(b"0123456789abcdef"),
            Digits::Upper => hex(b"0123456789ABCDEF"),
            Digits::Base64 => out.extend_from_slice(BASE64.encode(value).as_bytes()),
            Digits::Base32 => out.extend_from_slice(BASE32_NOPAD.encode(value).as_bytes()),
        }
    }
}

/// The value of every hexadecimal digit, and 16 for every other byte.
static HEX: [u8; 256] = {
    let mut table = [16; 256];
    let mut i = 0;
    while i < 10 {
        table[b'0' as usize + i] = i as u8;
        i += 1;
    }
    while i < 16 {
        table[b'a' as usize + i - 10] = i as u8;
        table[b'A' as usize + i - 10] = i as u8;
        i += 1;
    }
    table
};

/// Longest digest in bytes that is decoded without an allocation.
const SHORT: usize = 64;

/// Decodes hexadecimal digits of either case into bytes.
pub(crate) fn bytes_of_hex(text: &[u8]) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_chunks::<2>();
    let mut bad = !rest.is_empty();
    let bytes = pairs.iter().map(|&p| pair(p, &mut bad)).collect();
    (!bad).then_some(bytes)
}

fn pair([high, low]: [u8; 2], bad: &mut bool) -> u8 {
    let (high, low) = (HEX[usize::from(high)], HEX[usize::from(low)]);
    *bad |= (high | low) > 15;
    high << 4 | low & 15
}

/// Parses a digest in hexadecimal digits of either case.
pub(crate) fn from_hex(text: &[u8]) -> Option<Digest> {
    let (pairs, rest) = text.as_chunks::<2>();
    if pairs.is_empty() || !rest.is_empty() {
        return None;
    }
    if pairs.len() > SHORT {
        return bytes_of_hex(text).map(|bytes| Digest::from_bytes(&bytes));
    }
    let (mut bytes, mut bad) = ([0; SHORT], false);
    for (b, p) in bytes.iter_mut().zip(pairs) {
        *b = pair(*p, &mut bad);
    }
    (!bad).then(|| Digest::from_bytes(&bytes[..pairs.len()]))
}

/// Returns whether a text has hexadecimal digits only, and at least one.
pub(crate) fn is_hex(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(|&b| HEX[usize::from(b)] < 16)
}

/// Returns whether a word is a digest in hexadecimal digits, or one with a mistyped digit or two.
pub(crate) fn is_nearly_hex(word: &[u8]) -> bool {
    let others = word.iter().filter(|b| !b.is_ascii_hexdigit()).count();
    word.len() >= 24 && others <= 2 && word.iter().all(u8::is_ascii_alphanumeric)
}

/// Returns whether a text, with blanks around it or without, is most likely a digest.
pub(crate) fn looks_like_a_digest(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    text.len() >= 8 && is_hex(text)
}

/// Parses a digest of exactly `len` bytes in padded base64, with `+` and `/` or, as rclone has them, `-` and `_`. Bits
/// that are not used must be zero, so that every digest has only one spelling in each alphabet.
pub fn from_base64(text: &[u8], len: usize) -> Option<Digest> {
    if len == 0 || text.len() != len.div_ceil(3) * 4 {
        return None;
    }
    let bytes = BASE64.decode(text).or_else(|_| BASE64URL.decode(text)).ok();
    bytes.filter(|bytes| bytes.len() == len).map(|bytes| Digest::from_bytes(&bytes))
}

/// Parses a digest of exactly `len` bytes in base32 of either case, with padding or without.
pub(crate) fn from_base32(text: &[u8], len: usize) -> Option<Digest> {
    let end = text.iter().rposition(|&b| b != b'=').map_or(0, |i| i + 1);
    if len == 0 || end != (8 * len).div_ceil(5) || !matches!(text.len() - end, 0..=6) {
        return None;
    }
    let bytes = BASE32_NOPAD.decode(&text[..end].to_ascii_uppercase()).ok()?;
    (bytes.len() == len).then(|| Digest::from_bytes(&bytes))
}

/// Parses a digest of exactly the algorithm's length, in hex, base64 or base32.
pub(crate) fn exactly(a: Algorithm, digest: &[u8]) -> Option<Digest> {
    let len = a.digest_len();
    if digest.len() == 2 * len
        && let Some(digest) = from_hex(digest)
    {
        return Some(digest);
    }
    // So many digits that are all hexadecimal are part of a longer digest.
    if digest.len() >= 16 && is_hex(digest) {
        return None;
    }
    from_base64(digest, len).or_else(|| from_base32(digest, len))
}

/// Parses a digest of the algorithm, adapting the algorithm's length to it if that can vary and has not been set
/// explicitly.
pub(crate) fn fitting(a: Algorithm, digest: &[u8]) -> Option<(Algorithm, Digest)> {
    if let Some(d) = exactly(a, digest) {
        return Some((a, d));
    }
    if a.name().contains(':') {
        return None;
    }
    let d = from_hex(digest)?;
    Some((a.with_digest_len(d.as_bytes().len()).ok()?, d))
}

/// The base32 of Nix: its own alphabet, and the last character first.
static NIX32: LazyLock<Encoding> = LazyLock::new(|| {
    let mut nix = Specification::new();
    nix.symbols.push_str("0123456789abcdfghijklmnpqrsvwxyz");
    nix.bit_order = data_encoding::BitOrder::LeastSignificantFirst;
    nix.encoding().unwrap_or_else(|e| unreachable!("{e}"))
});

/// Parses a digest of exactly `len` bytes in the base32 of Nix.
pub(crate) fn from_nix32(text: &[u8], len: usize) -> Option<Digest> {
    if len == 0 || text.len() != (8 * len).div_ceil(5) {
        return None;
    }
    let reversed: Vec<u8> = text.iter().rev().copied().collect();
    NIX32.decode(&reversed).ok().filter(|bytes| bytes.len() == len).map(|bytes| Digest::from_bytes(&bytes))
}

/// Parses an identifier of C4: `c4`, and SHA-512 in 88 digits of base58.
pub(crate) fn from_c4(text: &[u8]) -> Option<Digest> {
    let digits = text.strip_prefix(b"c4").filter(|d| d.len() == 88)?;
    let bytes = bs58::decode(digits).into_vec().ok()?;
    // The shortest spelling of a smaller number would have fewer digits; here it has leading ones, which are zero
    // bytes.
    let start = bytes.len().checked_sub(64)?;
    bytes[..start].iter().all(|&b| b == 0).then(|| Digest::from_bytes(&bytes[start..]))
}

/// Returns the identifier of C4 that this SHA-512 has.
pub(crate) fn c4(digest: &[u8]) -> String {
    let zeros = digest.iter().take_while(|&&b| b == 0).count();
    let digits = bs58::encode(&digest[zeros..]).into_string();
    format!("c4{digits:1>88}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_every_kind() {
        let put = |digits: Digits, value: &[u8]| {
            let mut out = Vec::new();
            digits.put(&mut out, value);
            String::from_utf8(out).unwrap()
        };
        for len in [1, 4, 16, 20, 28, 32, 48, 64, 65, 200] {
            let value: Vec<u8> = (0..len).map(|i| (i * 7 + 3) as u8).collect();
            let digest = Some(Digest::from_bytes(&value));
            assert_eq!(from_hex(put(Digits::Hex, &value).as_bytes()), digest);
            assert_eq!(from_hex(put(Digits::Upper, &value).as_bytes()), digest);
            assert_eq!(from_base64(put(Digits::Base64, &value).as_bytes(), len), digest);
            assert_eq!(from_base32(put(Digits::Base32, &value).as_bytes(), len), digest);
            assert_eq!(from_base32(put(Digits::Base32, &value).to_lowercase().as_bytes(), len), digest);
        }
        assert_eq!(put(Digits::Base64, b"f"), "Zg==");
        assert_eq!(put(Digits::Base32, b"foobar"), "MZXW6YTBOI");
        assert_eq!(from_base32(b"MZXW6YTBOI======", 6), Some(Digest::from_bytes(b"foobar")));
        assert_eq!(from_base64(b"Zh==", 1), None, "unused bits");
        assert_eq!(from_base64(b"-_8=", 2), from_base64(b"+/8=", 2));
        assert_eq!(from_base64(b"-/8=", 2), None, "two alphabets");
        for bad in [&b"a"[..], b"", b"ag", b"abc", b"g0"] {
            assert_eq!(from_hex(bad), None);
        }
    }

    /// From the manual of Nix: `nix hash to-base32`.
    #[test]
    fn nix() {
        let sha1 = from_hex(b"800d59cfcd3c05e900cb4e214be48f6b886a08df").unwrap();
        assert_eq!(from_nix32(b"vw46m23bizj4n8afrc0fj19wrp7mj3c0", 20), Some(sha1));
        assert_eq!(from_nix32(b"vw46m23bizj4n8afrc0fj19wrp7mj3ce", 20), None, "e is not in the alphabet");
    }

    /// The identifier of nothing is published in the specification (SMPTE ST 2114).
    #[test]
    fn c4_identifiers() {
        let empty = Algorithm::named("sha512").unwrap().digest(b"");
        let id = "c459dsjfscH38cYeXXYogktxf4Cd9ibshE3BHUo6a58hBXmRQdZrAkZzsWcbWtDg5oQstpDuni4Hirj75GEmTc1sFT";
        assert_eq!(c4(empty.as_bytes()), id);
        assert_eq!(from_c4(id.as_bytes()), Some(empty));
        for value in [[0; 64], [255; 64]] {
            assert_eq!(from_c4(c4(&value).as_bytes()), Some(Digest::from_bytes(&value)));
        }
    }
}
