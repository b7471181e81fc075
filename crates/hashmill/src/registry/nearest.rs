//! Which algorithm somebody may have meant by a name that does not exist.

use super::table::{ROWS, Row};
use crate::base::nearest::{BEGINS, best, key, rank};

/// How many names a message suggests at most.
const MOST: usize = 3;

/// What people mostly want, where several algorithms are equally like what was typed.
const USUAL: [&str; 13] = [
    "sha256", "sha512", "sha3-256", "sha3-512", "blake3", "blake2b-512", "blake2s-256", "md5", "xxh64", "xxh3",
    "xxh128", "crc32", "crc32c",
];

/// The algorithms whose names are most like this one, at most three, best first.
pub(crate) fn algorithms(name: &str) -> Vec<String> {
    let typed = key(name);
    let ranked = ROWS.iter().flat_map(|row| {
        let of_names = std::iter::once(&row.name).chain(row.aliases).map(|n| rank(&typed, &key(n)));
        // A family's name stands for its members, as the beginning of a name does for all that begin so.
        let of_family = rank(&typed, &key(row.family)).map(|rank| rank.max(BEGINS));
        of_names.chain([of_family]).map(move |rank| (rank, row.name))
    });
    let names = best(ranked);
    let mut found: Vec<&Row> = ROWS.iter().filter(|row| names.contains(&row.name)).collect();
    let usual = |row: &Row| USUAL.iter().position(|n| *n == row.name);
    if found.iter().any(|row| usual(row).is_some()) {
        found.retain(|row| usual(row).is_some());
    }
    found.sort_by_key(|row| (usual(row), !row.common));
    found.into_iter().take(MOST).map(|row| row.name.into()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typical_mistakes() {
        for (typed, meant) in [
            ("sha265", "sha256"),
            ("sha-256x", "sha256"),
            ("sh256", "sha256"),
            ("sha 256", "sha256"),
            ("sha2", "sha256 sha512"),
            ("SHA-2", "sha256 sha512"),
            ("sha3", "sha3-256 sha3-512"),
            ("sha3-265", "sha3-256"),
            ("sha999", "sha256 sha512 sha3-256"),
            ("blake", "blake3 blake2b-512 blake2s-256"),
            ("blake4", "blake3 blake2b-512 blake2s-256"),
            ("xxhash", "xxh64 xxh3 xxh128"),
            ("crc", "crc32 crc32c"),
            ("md", "md5"),
            ("md6", "md5"),
            ("md5sum", "md5"),
            ("sha512sum", "sha512"),
            ("m5d", "md5"),
            ("shake", "shake128 shake256"),
            ("whirpool", "whirlpool"),
            ("nosuch", ""),
            ("nonsense", ""),
            ("entirely-different-name", ""),
            ("x", ""),
            ("", ""),
            ("-", ""),
        ] {
            assert_eq!(algorithms(typed).join(" "), meant, "{typed}");
        }
    }

    /// Every suggestion is a valid name.
    #[test]
    fn suggestions_are_names() {
        for row in ROWS {
            for typed in [format!("{}x", row.name), row.family.into(), row.name[..row.name.len() - 1].into()] {
                for name in algorithms(&typed) {
                    assert!(crate::Algorithm::named(&name).is_some(), "{typed}: {name}");
                }
            }
        }
    }
}
