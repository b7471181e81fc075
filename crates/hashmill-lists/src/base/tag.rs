//! Tags: the part before the parentheses in `SHA256 (name) = …`.

use hashmill::Algorithm;

/// Returns the tag of an algorithm: the one that coreutils uses if it has one (`SHA256`, `BLAKE2b-256`), otherwise the
/// algorithm's name in upper case, followed by the digest's length in bits if that is not the usual one.
pub fn tag(a: Algorithm) -> String {
    let full = a.name();
    let (name, options) = full.split_once(':').unwrap_or((&full, ""));
    let mut tag = match name.strip_prefix("blake2b-") {
        Some("512") => "BLAKE2b".to_string(),
        Some(bits) => format!("BLAKE2b-{bits}"),
        None => name.to_ascii_uppercase(),
    };
    for option in options.split(':').filter(|o| !o.is_empty()) {
        if option.bytes().all(|b| b.is_ascii_digit()) {
            tag += &format!("-{}", 8 * a.digest_len());
        } else {
            tag += ":";
            tag += option;
        }
    }
    tag
}

/// Returns the algorithm that a tag names, in the spelling of any common tool: `SHA256`, OpenSSL's `SHA2-256`,
/// `BLAKE2b-256`.
pub fn algorithm_of_tag(tag: &str) -> Option<Algorithm> {
    if let Some(a) = Algorithm::named(tag) {
        return Some(a);
    }
    let (name, options) = tag.split_once(':').map_or((tag, None), |(n, o)| (n, Some(o)));
    let (name, bits) = name.rsplit_once('-')?;
    let bits: usize = bits.parse().ok().filter(|b| b % 8 == 0)?;
    let name = match options {
        Some(o) => format!("{name}:{o}"),
        None => name.to_string(),
    };
    Algorithm::named(&name)?.with_digest_len(bits / 8).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_lead_back_to_their_algorithms() {
        for a in Algorithm::all() {
            assert_eq!(algorithm_of_tag(&tag(a)), Some(a), "{}", tag(a));
        }
        for name in [
            "blake2b:32",
            "blake2s:20",
            "skein512-224",
            "cubehash16+16/32+32-256",
            "shake128:64",
            "shake256:5",
            "xxh64:seed=7",
            "xxh3:seed=1",
        ] {
            let a: Algorithm = name.parse().unwrap();
            assert_eq!(algorithm_of_tag(&tag(a)), Some(a), "{name}: {}", tag(a));
        }
    }

    #[test]
    fn tags_are_those_of_coreutils() {
        let t = |name: &str| tag(name.parse().unwrap());
        assert_eq!(t("md5"), "MD5");
        assert_eq!(t("sha256"), "SHA256");
        assert_eq!(t("blake2b"), "BLAKE2b");
        assert_eq!(t("blake2b:32"), "BLAKE2b-256");
        assert_eq!(t("sha3-256"), "SHA3-256");
        assert_eq!(t("sha512-256"), "SHA512-256");
        assert_eq!(t("shake128:64"), "SHAKE128-512");
    }

    #[test]
    fn other_tools_tags() {
        let name = |t: &str| algorithm_of_tag(t).map(|a| a.name().into_owned());
        assert_eq!(name("SHA2-256").as_deref(), Some("sha256"));
        assert_eq!(name("BLAKE2B-512").as_deref(), Some("blake2b-512"));
        assert_eq!(name("BLAKE2b-8").as_deref(), Some("blake2b-8"));
        assert_eq!(name("BLAKE2b-7"), None);
        assert_eq!(name("BLAKE2b-520"), None);
        assert_eq!(name("MD5-128").as_deref(), Some("md5"));
        assert_eq!(name("MD5-64"), None);
        assert_eq!(name("XXH64_LE"), None);
        assert_eq!(name(""), None);
    }
}
