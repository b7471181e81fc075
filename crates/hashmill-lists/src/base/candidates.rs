//! Candidate algorithms for a digest that a list gives without naming its algorithm.

use crate::base::function::{Composition, Function};
use hashmill::{Algorithm, Security};

/// Algorithms whose digests programs usually write without naming the algorithm, one for each length: `md5sum`,
/// `sha1sum`, `sha224sum` …
const USUAL: [&str; 6] = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"];

/// Other algorithms whose digests some programs write that way; they are tried next.
const COMMON: [&str; 5] = ["blake3", "blake2b-512", "blake2b-256", "sha3-256", "sha3-512"];

/// Checksums that `rhash` and `xxhsum` write that way. They take next to no time, and no sound algorithm has digests of
/// these lengths. A match with one of them must be reported, since an attacker can make a file that matches.
const CHECKSUMS: [&str; 5] = ["crc32", "xxh32", "xxh64", "xxh3", "xxh128"];

/// Returns whether lines of the algorithm usually do not name it.
pub fn is_usual(a: Algorithm) -> bool {
    USUAL.contains(&&*a.name())
}

/// Returns the algorithms that an untagged digest of `bytes` bytes may be of, the most usual first, or none if the
/// length does not allow a reliable guess.
///
/// They are the usual algorithm of that length and all sound ones, with their usual parameters (BLAKE2 with any
/// length); and for up to 128 bits, for which there are none of these but MD5, CRC-32 and the checksums of `xxhsum`.
/// Other weak algorithms and unusual parameters are left out: with enough of them, an attacker could make a file that
/// matches.
pub fn candidates(bytes: usize) -> Vec<Algorithm> {
    let named = |names: &[&str]| -> Vec<Algorithm> { names.iter().filter_map(|n| n.parse().ok()).collect() };
    let mut found: Vec<Algorithm> = named(&USUAL);
    let sound = |a: &Algorithm| a.security() == Security::Sound;
    found.extend(named(&COMMON).into_iter().filter(sound));
    let any_length = named(&["blake2b", "blake2s"]);
    found.extend(any_length.into_iter().filter_map(|a| a.with_digest_len(bytes).ok()).filter(sound));
    found.extend(Algorithm::all().filter(sound));
    found.extend(named(&CHECKSUMS));
    found.retain(|a| a.digest_len() == bytes);
    let mut unique: Vec<Algorithm> = Vec::with_capacity(found.len());
    for a in found {
        if !unique.contains(&a) {
            unique.push(a);
        }
    }
    unique
}

/// Returns those of the candidates that must be tried on every file: the first, which is the most usual one; what has
/// the same digests of short files; and what costs no time to speak of.
pub fn cheap_candidates(candidates: &[Function]) -> Vec<Function> {
    let Some(usual) = candidates.first() else { return Vec::new() };
    let is_cheap = |f: &Function| match (usual, f) {
        (Function::Hash(Algorithm::SHA1), Function::Composed(Composition::Aich)) => true,
        (Function::Composed(Composition::Aich), Function::Hash(Algorithm::SHA1)) => true,
        (Function::Hash(Algorithm::MD4), Function::Composed(Composition::Ed2k)) => true,
        (Function::Composed(Composition::Ed2k), Function::Hash(Algorithm::MD4)) => true,
        (_, Function::Hash(a)) => CHECKSUMS.contains(&&*a.name()),
        _ => false,
    };
    candidates.iter().copied().filter(|f| f == usual || is_cheap(f)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(bytes: usize) -> Vec<String> {
        candidates(bytes).iter().map(|a| a.name().into_owned()).collect()
    }

    #[test]
    fn the_usual_comes_first() {
        for (bytes, first) in
            [(16, "md5"), (20, "sha1"), (28, "sha224"), (32, "sha256"), (48, "sha384"), (64, "sha512")]
        {
            assert_eq!(names(bytes)[0], first);
        }
        assert_eq!(names(32)[1], "blake3");
        assert_eq!(names(64)[1], "blake2b-512");
        for name in ["sha3-256", "blake2b-256", "blake2s-256", "keccak256", "sm3", "streebog256"] {
            assert!(names(32).iter().any(|n| n == name), "{name}");
        }
        assert!(names(64).iter().any(|n| n == "sha3-512") && names(48).iter().any(|n| n == "blake2b-384"));
    }

    /// Where there is a sound algorithm, or only one usual one, no other candidate is one for which an attacker can
    /// make a matching file.
    #[test]
    fn weak_algorithms_are_not_tried() {
        assert_eq!(names(4), ["crc32", "xxh32"]);
        assert_eq!(names(8), ["xxh64", "xxh3"]);
        assert_eq!(names(16), ["md5", "xxh128"]);
        assert_eq!(names(20), ["sha1"]);
        for bytes in [0, 1, 2, 3, 5, 10, 24, 1000] {
            assert_eq!(names(bytes), [""; 0], "{bytes}");
        }
        for bytes in 17..300 {
            for a in candidates(bytes) {
                assert!(a.security() == Security::Sound || USUAL.contains(&&*a.name()), "{a}");
                let usual = Algorithm::all().any(|b| b == a);
                assert!(usual || a.base_name().starts_with("blake2"), "{a}");
            }
        }
    }

    #[test]
    fn what_is_cheap() {
        let cheap = |bytes| {
            let all: Vec<Function> = candidates(bytes).into_iter().map(Function::Hash).collect();
            cheap_candidates(&all).iter().map(|f| f.name()).collect::<Vec<_>>()
        };
        assert_eq!(cheap(16), ["md5", "xxh128"]);
        assert_eq!(cheap(8), ["xxh64", "xxh3"]);
        assert_eq!(cheap(32), ["sha256"]);
        assert_eq!(cheap(64), ["sha512"]);
        assert_eq!(cheap(3), [""; 0]);
        let both = [Function::Hash(Algorithm::SHA1), Composition::Aich.into()];
        assert_eq!(cheap_candidates(&both), both);
    }
}
