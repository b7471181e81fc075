//! Names of our algorithms in the peers.

use super::{PeerKind, crates, rustcrypto};
use hashmill::Algorithm;

/// PHP's `hash_algos()`.
pub const PHP_NAMES: [&str; 60] = [
    "md2", "md4", "md5", "sha1", "sha224", "sha256", "sha384", "sha512/224", "sha512/256", "sha512", "sha3-224",
    "sha3-256", "sha3-384", "sha3-512", "ripemd128", "ripemd160", "ripemd256", "ripemd320", "whirlpool", "tiger128,3",
    "tiger160,3", "tiger192,3", "tiger128,4", "tiger160,4", "tiger192,4", "snefru", "snefru256", "gost", "gost-crypto",
    "adler32", "crc32", "crc32b", "crc32c", "fnv132", "fnv1a32", "fnv164", "fnv1a64", "joaat", "murmur3a", "murmur3c",
    "murmur3f", "xxh32", "xxh64", "xxh3", "xxh128", "haval128,3", "haval160,3", "haval192,3", "haval224,3",
    "haval256,3", "haval128,4", "haval160,4", "haval192,4", "haval224,4", "haval256,4", "haval128,5", "haval160,5",
    "haval192,5", "haval224,5", "haval256,5",
];

/// Names for `EVP_MD_fetch` or `EVP_get_digestbyname`. Which of them exist depends on the version and its
/// configuration.
const OPENSSL: &[(&str, &str)] = &[
    ("md2", "md2"),
    ("md4", "md4"),
    ("md5", "md5"),
    ("sha1", "sha1"),
    ("sha224", "sha224"),
    ("sha256", "sha256"),
    ("sha384", "sha384"),
    ("sha512", "sha512"),
    ("sha512-224", "sha512-224"),
    ("sha512-256", "sha512-256"),
    ("sha3-224", "sha3-224"),
    ("sha3-256", "sha3-256"),
    ("sha3-384", "sha3-384"),
    ("sha3-512", "sha3-512"),
    ("shake128", "shake128"),
    ("shake256", "shake256"),
    ("keccak224", "keccak-224"),
    ("keccak256", "keccak-256"),
    ("keccak384", "keccak-384"),
    ("keccak512", "keccak-512"),
    ("blake2b-512", "blake2b512"),
    ("blake2s-256", "blake2s256"),
    ("ripemd160", "ripemd160"),
    ("whirlpool", "whirlpool"),
    ("sm3", "sm3"),
];

/// Calls of Go's standard library; those that the installed version lacks are not compiled in.
const GO: &[(&str, &str)] = &[
    ("md5", "md5.Sum"),
    ("sha1", "sha1.Sum"),
    ("sha224", "sha256.Sum224"),
    ("sha256", "sha256.Sum256"),
    ("sha384", "sha512.Sum384"),
    ("sha512", "sha512.Sum512"),
    ("sha512-224", "sha512.Sum512_224"),
    ("sha512-256", "sha512.Sum512_256"),
    ("sha3-224", "sha3.Sum224"),
    ("sha3-256", "sha3.Sum256"),
    ("sha3-384", "sha3.Sum384"),
    ("sha3-512", "sha3.Sum512"),
    ("shake128", "sha3.SumSHAKE128"),
    ("shake256", "sha3.SumSHAKE256"),
    ("crc32", "crc32.ChecksumIEEE"),
    ("crc32c", "crc32.Checksum"),
    ("crc64-go-iso", "crc64.Checksum(ISO)"),
    ("crc64-xz", "crc64.Checksum(ECMA)"),
    ("adler32", "adler32.Checksum"),
    ("fnv132", "fnv.New32"),
    ("fnv1a32", "fnv.New32a"),
    ("fnv164", "fnv.New64"),
    ("fnv1a64", "fnv.New64a"),
];

/// hashlib's constructors, and what else Python's standard library has.
const PYTHON: &[(&str, &str)] = &[
    ("md4", "md4"),
    ("md5", "md5"),
    ("sha1", "sha1"),
    ("sha224", "sha224"),
    ("sha256", "sha256"),
    ("sha384", "sha384"),
    ("sha512", "sha512"),
    ("sha512-224", "sha512_224"),
    ("sha512-256", "sha512_256"),
    ("sha3-224", "sha3_224"),
    ("sha3-256", "sha3_256"),
    ("sha3-384", "sha3_384"),
    ("sha3-512", "sha3_512"),
    ("shake128", "shake_128"),
    ("shake256", "shake_256"),
    ("blake2b-512", "blake2b"),
    ("blake2s-256", "blake2s"),
    ("ripemd160", "ripemd160"),
    ("whirlpool", "whirlpool"),
    ("sm3", "sm3"),
    ("crc32", "zlib.crc32"),
    ("adler32", "zlib.adler32"),
    ("crc16-xmodem", "binascii.crc_hqx"),
];

/// coreutils commands.
const COREUTILS: &[(&str, &str)] = &[
    ("md5", "md5sum"),
    ("sha1", "sha1sum"),
    ("sha224", "sha224sum"),
    ("sha256", "sha256sum"),
    ("sha384", "sha384sum"),
    ("sha512", "sha512sum"),
    ("blake2b-512", "b2sum"),
    ("blake2b-256", "b2sum -l 256"),
    ("sm3", "cksum --untagged -a sm3"),
    ("cksum", "cksum"),
    ("sum-bsd", "sum -r"),
    ("sum-sysv", "sum -s"),
];

/// Returns PHP's name for an algorithm, whether or not PHP is installed.
pub fn php_name(algorithm: Algorithm) -> Option<&'static str> {
    let plain = plain(algorithm)?;
    // What PHP calls crc32 is not what everyone else calls that.
    let ours = |name: &str| if name == "crc32" { "crc32-php" } else { name }.parse();
    PHP_NAMES.into_iter().find(|name| ours(name) == Ok(plain))
}

/// Returns the peer's name for an algorithm, whether or not the peer is installed and its version has the algorithm.
pub fn name_for(kind: PeerKind, algorithm: Algorithm) -> Option<String> {
    let table = match kind {
        PeerKind::Php => return php_name(algorithm).map(String::from),
        PeerKind::Rustcrypto => return rustcrypto::name(&algorithm.name()).map(String::from),
        PeerKind::Crates => return crates::name(&algorithm.name()).map(String::from),
        PeerKind::Openssl | PeerKind::Openssl2 | PeerKind::OpensslOnce => OPENSSL,
        PeerKind::Go => GO,
        PeerKind::Python => PYTHON,
        PeerKind::Coreutils => COREUTILS,
    };
    let name = algorithm.name();
    table.iter().find(|(ours, _)| *ours == name).map(|(_, theirs)| theirs.to_string())
}

/// Returns the algorithm without a forced kernel.
fn plain(algorithm: Algorithm) -> Option<Algorithm> {
    algorithm.name().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_of_one_of_ours() {
        for table in [OPENSSL, GO, PYTHON, COREUTILS] {
            for (ours, _) in table {
                let a: Algorithm = ours.parse().unwrap();
                assert_eq!(a.name(), *ours, "not the canonical name");
            }
        }
    }

    #[test]
    fn php_names() {
        let name = |ours: &str| php_name(ours.parse().unwrap());
        assert_eq!(
            ["crc32-php", "crc32", "gost94", "gost94-cryptopro", "snefru256", "tiger192-3", "sha512-256"].map(name),
            ["crc32", "crc32b", "gost", "gost-crypto", "snefru", "tiger192,3", "sha512/256"].map(Some)
        );
        assert_eq!(["blake3", "shake128", "xxh64:seed=7"].map(name), [None; 3]);
        // snefru is an alias of snefru256, so all names except one belong to distinct algorithms.
        assert_eq!(Algorithm::all().filter(|a| php_name(*a).is_some()).count(), PHP_NAMES.len() - 1);
        assert_eq!(name_for(PeerKind::Crates, "xxh3".parse().unwrap()).as_deref(), Some("twox_hash::XxHash3_64"));
        assert_eq!(name_for(PeerKind::Go, "sha512-256".parse().unwrap()).as_deref(), Some("sha512.Sum512_256"));
    }
}
