//! Finds the functions of a program that are the kernels listed by the registry.
//!
//! A kernel is a function of the same name in its algorithm's module (or in `x86`, `aarch64` there), or it is in one of
//! two tables: [`NAMED`] says which functions it is, [`UNSEEN`] why there is none to look at. A kernel that is in
//! neither is an error.

use hashmill::Algorithm;
use std::collections::BTreeSet;

/// Prefixes of algorithm names, and their module in `algo/`. The longest matching prefix wins.
const HOMES: &[(&str, &str)] = &[
    ("adler32", "adler32"),
    ("blake224", "blake::blake256"),
    ("blake256", "blake::blake256"),
    ("blake384", "blake::blake512"),
    ("blake512", "blake::blake512"),
    ("blake2b", "blake2::blake2b"),
    ("blake2s", "blake2::blake2s"),
    ("blake3", "blake3"),
    ("cksum", "crc"),
    ("crc", "crc"),
    ("cubehash", "cubehash"),
    ("fletcher", "fletcher"),
    ("fnv", "fnv"),
    ("gost94", "gost94"),
    ("groestl", "groestl"),
    ("haval", "haval"),
    ("jh", "jh"),
    ("joaat", "joaat"),
    ("keccak", "keccak"),
    ("md2", "md2"),
    ("md4", "md4"),
    ("md5", "md5"),
    ("murmur3", "murmur3"),
    ("ripemd128", "ripemd::rmd128"),
    ("ripemd160", "ripemd::rmd160"),
    ("ripemd256", "ripemd::rmd256"),
    ("ripemd320", "ripemd::rmd320"),
    ("sha0", "sha1::sha0"),
    ("sha1", "sha1"),
    ("sha224", "sha2_32"),
    ("sha256", "sha2_32"),
    ("sha384", "sha2_64"),
    ("sha512", "sha2_64"),
    ("sha3-", "keccak"),
    ("shake", "keccak"),
    ("siphash", "siphash"),
    ("skein256", "skein::skein256"),
    ("skein512", "skein::skein512"),
    ("skein1024", "skein::skein1024"),
    ("sm3", "sm3"),
    ("snefru", "snefru"),
    ("streebog", "streebog"),
    ("sum", "sums"),
    ("tiger", "tiger"),
    ("whirlpool", "whirlpool"),
    ("xxh3", "xxh3"),
    ("xxh32", "xxh32"),
    ("xxh64", "xxh64"),
    ("xxh128", "xxh3"),
];

/// Module, kernel, and its functions in that module, if they have other names or there are several.
const NAMED: &[(&str, &str, &[&str])] = &[
    ("adler32", "avx2", &["run_avx2"]),
    ("adler32", "avx512", &["run_avx512"]),
    ("blake3", "avx512x16", &["avx512x16", "avx512vl", "blocks_avx512vl"]),
    ("blake3", "avx512x16+portable", &["avx512x16"]),
    ("blake3", "ssse3+blake3", &["ssse3", "blocks_ssse3"]),
    ("crc", "vpclmul", &["vpclmul_left", "vpclmul_right"]),
    ("crc", "pclmul", &["pclmul_left", "pclmul_right"]),
    ("crc", "pmull", &["pmull_left", "pmull_right"]),
    ("crc", "sse42", &["one_chain", "steps"]),
    ("crc", "crc", &["crc32_chain", "crc32c_chain"]),
    ("crc", "portable", &["tables::slices_left", "tables::slices_right"]),
    ("groestl", "gfni", &["short::gfni", "long::gfni"]),
    ("groestl", "gfnix8", &["short::gfnix8"]),
    ("groestl", "gfnix4", &["short::gfnix4", "long::gfnix4"]),
    ("groestl", "gfnix2", &["long::gfnix2"]),
    ("groestl", "aesni", &["short::aesni", "long::aesni"]),
    ("groestl", "vaesx2", &["short::vaesx2"]),
    ("groestl", "vaes", &["long::vaes"]),
];

const OF_A_CRATE: &str = "code of that crate, which has its own dispatch";
const TABLES: &str = "table look-ups; a table is made when it is first needed, by a call";
const INLINED: &str = "plain words, inlined into the functions that stream and dispatch";

/// Module, kernel, and why its code is not examined.
const UNSEEN: &[(&str, &str, &str)] = &[
    ("adler32", "portable", INLINED),
    ("adler32", "simd-adler32", OF_A_CRATE),
    ("blake3", "blake3", OF_A_CRATE),
    ("blake3", "portable", INLINED),
    ("crc", "crc-fast", OF_A_CRATE),
    ("crc", "slicing8", TABLES),
    ("crc", "bytewise-unrolled8", TABLES),
    ("crc", "bytewise", TABLES),
    ("fletcher", "portable", INLINED),
    ("fnv", "portable", INLINED),
    ("joaat", "portable", INLINED),
    ("murmur3", "portable", INLINED),
    ("siphash", "portable", INLINED),
    ("sums", "portable", INLINED),
    ("xxh3", "portable", INLINED),
    ("xxh3", "twox-hash", OF_A_CRATE),
    ("xxh32", "portable", INLINED),
    ("xxh64", "portable", INLINED),
    ("xxh64", "twox-hash", OF_A_CRATE),
];

/// What a kernel is in a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Is {
    /// Functions with these paths in `algo/`, without the segments `x86` and `aarch64`.
    Functions(Vec<String>),
    /// Nothing that can be examined, for this reason.
    Unseen(&'static str),
}

/// The meaning of kernel `name` of module `home`.
pub(crate) fn is(home: &str, name: &str) -> Is {
    if let Some((.., why)) = UNSEEN.iter().find(|(h, k, _)| (*h, *k) == (home, name)) {
        return Is::Unseen(why);
    }
    let functions = match NAMED.iter().find(|(h, k, _)| (*h, *k) == (home, name)) {
        Some((.., functions)) => functions.to_vec(),
        None => vec![name],
    };
    Is::Functions(functions.into_iter().map(|f| format!("{home}::{f}")).collect())
}

/// All kernels of this architecture that the registry lists, as module and name, without duplicates. An algorithm
/// without a module is an error.
pub(crate) fn registered() -> Result<BTreeSet<(&'static str, &'static str)>, String> {
    let mut all = BTreeSet::new();
    for a in Algorithm::all() {
        let home = home(&a.name()).ok_or_else(|| format!("{a}: no module in xtask's kernels.rs"))?;
        all.extend(a.kernels().iter().map(|k| (home, k.name)));
    }
    Ok(all)
}

fn home(algorithm: &str) -> Option<&'static str> {
    let beginnings = HOMES.iter().filter(|(beginning, _)| algorithm.starts_with(beginning));
    beginnings.max_by_key(|(beginning, _)| beginning.len()).map(|(_, home)| *home)
}

/// The kernel of a function with this path in `algo/`, if [`NAMED`] has it: `crc::x86::steps` → `sse42`.
pub(crate) fn named(path: &str) -> Option<&'static str> {
    let is = |(home, _, functions): &&(&str, &str, &[&str])| {
        path.strip_prefix(home).and_then(|f| f.strip_prefix("::")).is_some_and(|f| functions.contains(&f))
    };
    NAMED.iter().find(is).map(|(_, kernel, _)| *kernel)
}

/// The path of a symbol in `algo/`, without architecture segments: `hashmill::algo::sha1::x86::shani` → `sha1::shani`.
pub(crate) fn path(symbol: &str) -> Option<String> {
    let path = symbol.strip_prefix("hashmill::algo::")?;
    let path = path.split('<').next().unwrap_or(path).trim_end_matches("::");
    let segments: Vec<&str> = path.split("::").filter(|s| !["x86", "aarch64"].contains(s)).collect();
    (segments.len() > 1).then(|| segments.join("::"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        assert_eq!(path("hashmill::algo::sha1::x86::shani").as_deref(), Some("sha1::shani"));
        assert_eq!(path("hashmill::algo::keccak::portable::<24>").as_deref(), Some("keccak::portable"));
        assert_eq!(path("hashmill::algo::portable"), None);
        assert_eq!(path("hashmill::simd::x86::portable"), None);
        assert_eq!(named("crc::steps"), Some("sse42"));
        assert_eq!(named("crc::tables::slices_left"), Some("portable"));
        assert_eq!(named("crcs::steps"), None);
    }

    #[test]
    fn longest_beginning() {
        assert_eq!(home("xxh32"), Some("xxh32"));
        assert_eq!(home("blake2s-256"), Some("blake2::blake2s"));
        assert_eq!(home("blake256"), Some("blake::blake256"));
        assert_eq!(home("new"), None);
    }

    /// The tables mention only kernels that exist.
    #[test]
    #[cfg(target_arch = "x86_64")]
    fn nothing_stale() {
        let all = registered().expect("every algorithm has a module");
        for (beginning, home) in HOMES {
            assert!(Algorithm::all().any(|a| a.name().starts_with(beginning)), "{beginning}");
            assert!(all.iter().any(|(h, _)| h == home), "{home}");
        }
        let others = ["pmull", "crc"];
        let entries = NAMED.iter().map(|e| (e.0, e.1)).chain(UNSEEN.iter().map(|e| (e.0, e.1)));
        for (home, name) in entries.filter(|(_, name)| !others.contains(name)) {
            assert!(all.contains(&(home, name)), "{home} has no kernel {name}");
        }
        assert_eq!(is("crc", "crc-fast"), Is::Unseen(OF_A_CRATE));
        assert_eq!(is("md5", "avx2x16"), Is::Functions(vec!["md5::avx2x16".to_string()]));
    }
}
