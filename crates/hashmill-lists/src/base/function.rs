//! What a digest is of: a file's content, content and a key, or the digests of its pieces.

use crate::base::digits::{Digits, c4, exactly, from_base32, from_c4, from_hex, is_hex};
use crate::base::tag::{algorithm_of_tag, tag};
use hashmill::unstable::parse_size;
use hashmill::{Algorithm, Digest};
use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;

/// What a digest is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Function {
    /// The file's content.
    Hash(Algorithm),
    /// The file's content and a secret key, by HMAC (RFC 2104).
    Hmac(Algorithm),
    /// The file's content and a secret key, as the algorithm itself takes it (BLAKE2, BLAKE3, SipHash …).
    Keyed(Algorithm),
    /// Digests of the file's pieces, or of its content and what is known about it.
    Composed(Composition),
}

/// A digest that is composed of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Composition {
    /// The ETag of an object in S3: its MD5 or, if it was uploaded in parts, the MD5 of the MD5s of its parts and the
    /// number of parts. A digest has 16 bytes or, with the number, 20.
    S3Etag {
        /// Length of a part in bytes, if it is known. Shorter objects are uploaded whole.
        part: Option<NonZeroU64>,
    },
    /// The eDonkey network's: MD4 of the MD4s of pieces of 9 728 000 bytes, or the MD4 of a file that is shorter. If
    /// the length is a multiple of that, eMule adds the MD4 of nothing, and older programs do not: a computed digest
    /// has both, a stated one has 16 bytes, which may be either.
    Ed2k,
    /// A Merkle tree with Tiger over pieces of 1024 bytes (Tree Hash EXchange, THEX).
    Tth,
    /// eMule's: a tree with SHA-1 over pieces of 180 KiB within pieces of 9 728 000 bytes.
    Aich,
    /// BitTorrent's: SHA-1 of the info dictionary of a torrent of this one file (BEP 3), with the usual length of
    /// pieces for a file of its length, as RHash and µTorrent choose it.
    Btih,
    /// SHA-512 in the digits of C4 (SMPTE ST 2114).
    C4,
    /// The identifier of a blob in Git: the digest of `blob `, the length, NUL and the content.
    Git(Algorithm),
}

/// Minimum length in bytes of a part of an object in S3 here. S3 itself takes none below 5 MiB but the last.
const MIN_PART: u64 = 64 << 10;

/// The names of compositions without parameters, the usual one first.
const NAMES: [(&str, Composition); 10] = [
    ("ed2k", Composition::Ed2k),
    ("tth", Composition::Tth),
    ("tree:tiger", Composition::Tth),
    ("aich", Composition::Aich),
    ("btih", Composition::Btih),
    ("c4", Composition::C4),
    ("s3-etag", Composition::S3Etag { part: None }),
    ("etag", Composition::S3Etag { part: None }),
    // Of the lists of other programs, none names these.
    ("git", Composition::Git(SHA1)),
    ("git-sha256", Composition::Git(SHA256)),
];

const SHA1: Algorithm = Algorithm::SHA1;
const SHA256: Algorithm = Algorithm::SHA256;

impl Function {
    /// Returns the function of this name, in upper or lower case.
    pub fn named(name: &str) -> Option<Function> {
        name.parse().ok()
    }

    /// Returns the algorithm, if there is no more to it than that.
    pub fn plain(self) -> Option<Algorithm> {
        match self {
            Function::Hash(a) => Some(a),
            _ => None,
        }
    }

    /// Returns whether it takes a key.
    pub fn takes_key(self) -> bool {
        matches!(self, Function::Hmac(_) | Function::Keyed(_))
    }

    /// Returns the name, as options and `--json` have it.
    pub fn name(self) -> String {
        match self {
            Function::Hash(a) => a.name().into_owned(),
            Function::Hmac(a) => format!("hmac-{}", a.name()),
            Function::Keyed(a) => format!("keyed-{}", a.name()),
            Function::Composed(Composition::S3Etag { part: Some(part) }) => {
                let (size, unit) = if part.get() % (1 << 20) == 0 { (part.get() >> 20, "M") } else { (part.get(), "") };
                format!("s3-etag:part={size}{unit}")
            }
            Function::Composed(c) => NAMES.iter().find(|(_, it)| *it == c).map_or("", |(name, _)| name).into(),
        }
    }

    /// Parses a digest of it: of an algorithm in hex or base64, of a composition as programs write that one.
    pub fn digest(self, text: &[u8]) -> Option<Digest> {
        let Function::Composed(c) = self else { return exactly(self.algorithm(), text) };
        let len = self.algorithm().digest_len();
        match c {
            Composition::S3Etag { .. } => etag(text),
            Composition::C4 if text.len() == 90 => from_c4(text),
            Composition::C4 | Composition::Ed2k | Composition::Git(_) => exactly(self.algorithm(), text),
            // Not in base64 too, where a digest in base32 that has lost its end would be another.
            Composition::Tth | Composition::Aich | Composition::Btih => {
                let hex = from_hex(text).filter(|d| d.as_bytes().len() == len);
                // What is hexadecimal may be part of a longer digest.
                hex.or_else(|| from_base32(text, len).filter(|_| c == Composition::Aich || !is_hex(text)))
            }
        }
    }

    /// Returns the algorithm that it is made of.
    pub fn algorithm(self) -> Algorithm {
        match self {
            Function::Hash(a) | Function::Hmac(a) | Function::Keyed(a) => a,
            Function::Composed(c) => match c {
                Composition::S3Etag { .. } => Algorithm::MD5,
                Composition::Ed2k => Algorithm::MD4,
                Composition::Tth => Algorithm::TIGER192_3,
                Composition::Aich | Composition::Btih => SHA1,
                Composition::C4 => Algorithm::SHA512,
                Composition::Git(a) => a,
            },
        }
    }

    /// Returns the bytes of a digest that programs print.
    pub fn bytes(self, digest: &Digest) -> &[u8] {
        let bytes = digest.as_bytes();
        match self {
            Function::Composed(Composition::Ed2k | Composition::S3Etag { .. }) => bytes.get(..16).unwrap_or(bytes),
            _ => bytes,
        }
    }

    /// Appends a digest as text. `digits` is how its bytes are written, if there is more than one way: ETags, Tiger
    /// trees, AICH and info hashes are written as their programs do, but for upper case.
    pub fn put(self, digest: &Digest, digits: Digits, out: &mut Vec<u8>) {
        let bytes = self.bytes(digest);
        match self {
            Function::Composed(Composition::S3Etag { .. } | Composition::Btih) if digits != Digits::Upper => {
                Digits::Hex.put(out, bytes);
            }
            Function::Composed(Composition::C4) if digits == Digits::Hex => out.extend_from_slice(c4(bytes).as_bytes()),
            Function::Composed(Composition::Tth | Composition::Aich) => {
                let start = out.len();
                Digits::Base32.put(out, bytes);
                if digits != Digits::Upper {
                    out[start..].make_ascii_lowercase();
                }
            }
            _ => digits.put(out, bytes),
        }
        if let (Function::Composed(Composition::S3Etag { .. }), Some(parts)) =
            (self, digest.as_bytes().get(16..).and_then(|parts| parts.try_into().ok()))
        {
            out.extend_from_slice(format!("-{}", u32::from_be_bytes(parts)).as_bytes());
        }
    }

    /// Returns whether a file with the digest `computed` has the digest that a list states.
    pub fn accepts(self, stated: &Digest, computed: &Digest) -> bool {
        match self {
            Function::Composed(Composition::Ed2k) => {
                let stated = Digest::from_bytes(self.bytes(stated));
                computed.as_bytes().chunks(16).any(|one| Digest::from_bytes(one) == stated)
            }
            _ => stated == computed,
        }
    }
}

/// Parses an ETag: MD5 in hexadecimal digits, and perhaps the number of parts. Quotation marks, which HTTP puts around
/// it, are left out.
fn etag(text: &[u8]) -> Option<Digest> {
    let text = text.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\"")).unwrap_or(text);
    let (md5, parts) = text.split_at_checked(32)?;
    let mut bytes = from_hex(md5)?.as_bytes().to_vec();
    if let Some(parts) = parts.strip_prefix(b"-") {
        let parts = std::str::from_utf8(parts).ok().filter(|p| p.bytes().all(|b| b.is_ascii_digit()))?;
        let parts: u32 = parts.parse().ok().filter(|parts| *parts > 0)?;
        bytes.extend_from_slice(&parts.to_be_bytes());
    } else if !parts.is_empty() {
        return None;
    }
    Some(Digest::from_bytes(&bytes))
}

impl From<Algorithm> for Function {
    fn from(a: Algorithm) -> Self {
        Function::Hash(a)
    }
}

impl From<Composition> for Function {
    fn from(c: Composition) -> Self {
        Function::Composed(c)
    }
}

/// Why a text is not the name of a function.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FunctionError {
    /// It names no algorithm.
    #[error(transparent)]
    Algorithm(#[from] hashmill::Error),
    /// The length of a part is not one.
    #[error("{0}")]
    Part(String),
}

impl FromStr for Function {
    type Err = FunctionError;

    fn from_str(text: &str) -> Result<Self, FunctionError> {
        let text = text.trim();
        if let Some((_, c)) = NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)) {
            return Ok(Function::Composed(*c));
        }
        let after = |prefix: &str| {
            text.split_at_checked(prefix.len()).filter(|(p, _)| p.eq_ignore_ascii_case(prefix)).map(|(_, rest)| rest)
        };
        let of = |name: &str| match algorithm_of_tag(name) {
            Some(a) => Ok(a),
            None => name.parse::<Algorithm>().map_err(FunctionError::from),
        };
        if let Some(size) = after("s3-etag:part=") {
            let bytes = parse_size(size).map_err(FunctionError::Part)?;
            return match NonZeroU64::new(bytes).filter(|part| part.get() >= MIN_PART) {
                Some(part) => Ok(Composition::S3Etag { part: Some(part) }.into()),
                None => Err(FunctionError::Part(format!("'{text}': a part has at least {MIN_PART} bytes"))),
            };
        }
        if let Some(name) = after("hmac-") {
            return of(name).map(Function::Hmac);
        }
        if let Some(name) = after("keyed-") {
            return of(name).map(Function::Keyed);
        }
        of(text).map(Function::Hash)
    }
}

/// The tag of it in lists.
impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Function::Hash(a) => f.write_str(&tag(*a)),
            Function::Hmac(a) => write!(f, "HMAC-{}", tag(*a)),
            Function::Keyed(a) => write!(f, "KEYED-{}", tag(*a)),
            Function::Composed(_) => {
                let name = self.name();
                let (name, parameter) = name.split_at(name.find(':').unwrap_or(name.len()));
                write!(f, "{}{parameter}", name.to_ascii_uppercase())
            }
        }
    }
}

/// A list of functions as one argument, separated by commas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionList(pub Vec<Function>);

impl FromStr for FunctionList {
    type Err = FunctionError;

    fn from_str(text: &str) -> Result<Self, FunctionError> {
        let mut all = Vec::new();
        // Some names of algorithms have a comma, which only the parser of lists of algorithms knows.
        let mut plain: Vec<&str> = Vec::new();
        let flush = |plain: &mut Vec<&str>, all: &mut Vec<Function>| {
            if plain.iter().any(|name| !name.trim().is_empty()) {
                all.extend(Algorithm::parse_list(&plain.join(","))?.into_iter().map(Function::Hash));
            }
            plain.clear();
            Ok::<(), FunctionError>(())
        };
        for piece in text.split(',') {
            let is_more = |prefix: &str| piece.trim().to_ascii_lowercase().starts_with(prefix);
            match piece.parse() {
                Ok(Function::Hash(_)) => plain.push(piece),
                Ok(function) => {
                    flush(&mut plain, &mut all)?;
                    all.push(function);
                }
                Err(e) if ["s3-etag", "hmac-", "keyed-"].into_iter().any(is_more) => return Err(e),
                Err(_) => plain.push(piece),
            }
        }
        if all.is_empty() && plain.iter().all(|name| name.trim().is_empty()) {
            return Ok(Algorithm::parse_list(text).map(|_| FunctionList(all))?);
        }
        flush(&mut plain, &mut all)?;
        Ok(FunctionList(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_tags_lead_back() {
        for name in [
            "sha256", "hmac-sha256", "hmac-sha3-512", "keyed-blake3", "keyed-blake2b-256", "s3-etag",
            "s3-etag:part=8M", "s3-etag:part=100000", "ed2k", "tth", "aich", "btih", "c4", "git", "git-sha256",
        ] {
            let function: Function = name.parse().unwrap();
            assert_eq!(function.name(), name);
            assert_eq!(Function::named(&function.to_string()), Some(function), "{name}: {function}");
        }
        assert_eq!(Function::named("HMAC-SHA2-256").unwrap().name(), "hmac-sha256");
        assert_eq!(Function::named("s3-etag:part=5MiB").unwrap().to_string(), "S3-ETAG:part=5M");
        assert_eq!(
            "s3-etag:part=1k".parse::<Function>().unwrap_err().to_string(),
            "'s3-etag:part=1k': a part has at least 65536 bytes"
        );
        assert!("hmac-nothing".parse::<Function>().unwrap_err().to_string().contains("nothing"));
    }

    #[test]
    fn lists_of_functions() {
        let names = |text: &str| {
            let list: Result<FunctionList, FunctionError> = text.parse();
            list.map(|list| list.0.iter().map(|f| f.name()).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(names("md5,tiger192,3,hmac-md5,haval256,5,tth").unwrap(), "md5 tiger192-3 hmac-md5 haval256-5 tth");
        assert_eq!(names("tth").unwrap(), "tth");
        assert_eq!(names("md5,,sha1").unwrap(), "md5 sha1");
        for bad in ["", ",", "md6", "tth,md6", "hmac-md6", "s3-etag:part=x"] {
            assert!(names(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn digests_of_compositions() {
        for (name, text) in [
            ("s3-etag", "d41d8cd98f00b204e9800998ecf8427e"),
            ("s3-etag", "d41d8cd98f00b204e9800998ecf8427e-38"),
            ("ed2k", "31d6cfe0d16ae931b73c59d7e0c089c0"),
            ("tth", "lwpnacqdbzryxw3vhjvcj64qbznghohhhzwclnq"),
            ("aich", "3i42h3s6nnfq2msvx7xzkyayscx5qbyj"),
            ("btih", "508fd0cfd60ca55550479356f1462b4408483e59"),
            ("git", "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"),
            ("c4", "c459dsjfscH38cYeXXYogktxf4Cd9ibshE3BHUo6a58hBXmRQdZrAkZzsWcbWtDg5oQstpDuni4Hirj75GEmTc1sFT"),
            ("hmac-md5", "d41d8cd98f00b204e9800998ecf8427e"),
        ] {
            let function: Function = name.parse().unwrap();
            let digest = function.digest(text.as_bytes()).expect(text);
            let mut out = Vec::new();
            function.put(&digest, Digits::Hex, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), text, "{name}");
            assert!(function.accepts(&digest, &digest));
            for digits in [Digits::Upper, Digits::Base64] {
                let mut out = Vec::new();
                function.put(&digest, digits, &mut out);
                assert_eq!(function.digest(&out), Some(digest.clone()), "{name} {digits:?}");
            }
        }
        let etag = Function::named("s3-etag").unwrap();
        assert_eq!(etag.digest(b"\"d41d8cd98f00b204e9800998ecf8427e-2\"").unwrap().as_bytes().len(), 20);
        for bad in [
            "d41d8cd98f00b204e9800998ecf8427",
            "d41d8cd98f00b204e9800998ecf8427e-",
            "x",
            "",
            "d41d8cd98f00b204e9800998ecf8427e-0",
            "d41d8cd98f00b204e9800998ecf8427e-+1",
            "d41d8cd98f00b204e9800998ecf8427e1",
        ] {
            assert_eq!(etag.digest(bad.as_bytes()), None, "{bad}");
        }
        let ed2k = Function::named("ed2k").unwrap();
        let (a, b) = (Digest::from_bytes(&[1; 16]), Digest::from_bytes(&[2; 16]));
        let both = Digest::from_bytes(&[&[1; 16][..], &[2; 16]].concat());
        assert!(
            ed2k.accepts(&a, &both) && ed2k.accepts(&b, &both) && !ed2k.accepts(&Digest::from_bytes(&[3; 16]), &both)
        );
        assert!(!ed2k.accepts(&Digest::from_bytes(&[1; 8]), &both));
    }
}
