//! What the names in manifests mean.

use hashmill::Algorithm;
use hashmill_lists::bagit;
use std::path::Path;
use unicode_normalization::UnicodeNormalization;

/// The folder of the payload.
pub(crate) const PAYLOAD: &str = "data";

/// Returns whether a name, relative to the bag, is one of a payload file.
pub(crate) fn is_payload(name: &[u8]) -> bool {
    name.strip_prefix(PAYLOAD.as_bytes()).is_some_and(|rest| rest.starts_with(b"/"))
}

/// Returns the name that a path in a manifest has within the bag, still encoded: `./` is left out, and `..` taken
/// together with what it goes back from. Returns `None` if the path leads out of the bag here or on another system: one
/// that is absolute, climbs too far, begins with a drive or a server, or is the home folder of somebody for a shell.
pub(crate) fn within(path: &[u8]) -> Option<Vec<u8>> {
    let is_drive = matches!(path, [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic());
    if path.starts_with(b"/") || path.starts_with(br"\\") || is_drive {
        return None;
    }
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in path.split(|&b| b == b'/') {
        match part {
            b"" | b"." => {}
            b".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    let home = parts.first().and_then(|first| first.strip_prefix(b"~"));
    // Other names can hardly be somebody's.
    let is_user = |name: &[u8]| name.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    if parts.is_empty() || home.is_some_and(is_user) {
        return None;
    }
    Some(parts.join(&b'/'))
}

/// Returns what a name in a manifest may stand for, the most likely first: programs differ in which of CR, LF and `%`
/// they encode. A manifest with a `%` that begins no code is by one that does not encode it.
pub(crate) fn meanings(name: &[u8], has_bare_percent: bool) -> Vec<Vec<u8>> {
    // People who edit manifests leave blanks at the end of lines. Those that are encoded are part of the name.
    let trimmed = &name[..name.iter().rposition(|b| !matches!(b, b' ' | b'\t')).map_or(0, |last| last + 1)];
    let mut all: Vec<Vec<u8>> = Vec::new();
    for name in [name, trimmed] {
        let (standard, usual) = (bagit::decode(name), bagit::decode_line_ends(name));
        let decoded = if has_bare_percent { [usual, standard] } else { [standard, usual] };
        for meant in decoded.into_iter().chain([name.to_vec()]) {
            if !meant.is_empty() && !all.contains(&meant) {
                all.push(meant);
            }
        }
    }
    all
}

/// Returns whether a name has a `%` that RFC 8493 would have encoded.
pub(crate) fn has_bare_percent(name: &[u8]) -> bool {
    let is_code = |rest: &[u8]| matches!(rest, [b'%', b'0', b'a' | b'A' | b'd' | b'D', ..] | [b'%', b'2', b'5', ..]);
    (0..name.len()).any(|at| name[at] == b'%' && !is_code(&name[at..]))
}

/// Returns a name in Unicode's normal form C, or `None` if it is nothing but ASCII or not UTF-8, so that there is only
/// one form of it.
pub(crate) fn composed(name: &[u8]) -> Option<Vec<u8>> {
    if name.is_ascii() {
        return None;
    }
    Some(std::str::from_utf8(name).ok()?.nfc().collect::<String>().into_bytes())
}

/// Returns the name of the manifest for an algorithm, or of the tag manifest: that of the algorithm in lower case and
/// without anything but letters and digits (RFC 8493, section 2.4). Returns `None` if nobody could tell the algorithm
/// from it.
pub(crate) fn manifest(algorithm: Algorithm, is_tag: bool) -> Option<String> {
    let name = algorithm.name();
    let common = match &*name {
        "blake2b-512" => "blake2b",
        "blake2s-256" => "blake2s",
        name => name,
    };
    let plain: String = common.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let name = format!("{}manifest-{plain}.txt", if is_tag { "tag" } else { "" });
    (bagit::of_name(Path::new(&name)) == Some(algorithm)).then_some(name)
}

/// Returns the name of the algorithm in the name of a file in the bag, if that is one of a payload manifest or, with
/// `true`, of a tag manifest.
pub(crate) fn algorithm_in(file: &str) -> Option<(String, bool)> {
    let name = file.to_ascii_lowercase();
    let (rest, is_tag) = match name.strip_prefix("tag") {
        Some(rest) => (rest, true),
        None => (&*name, false),
    };
    let algorithm = rest.strip_prefix("manifest-")?.strip_suffix(".txt")?;
    (!algorithm.is_empty()).then(|| (algorithm.into(), is_tag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stays_in_the_bag() {
        let within = |path: &str| within(path.as_bytes()).map(|name| String::from_utf8(name).unwrap());
        for (path, want) in [
            ("data/a", "data/a"),
            ("./data//a/./b", "data/a/b"),
            ("data/x/../a", "data/a"),
            ("data/../bagit.txt", "bagit.txt"),
            ("data/~", "data/~"),
            ("data/C:\\x", "data/C:\\x"),
            ("~$lock.docx", "~$lock.docx"),
            ("..a/b..", "..a/b.."),
        ] {
            assert_eq!(within(path).as_deref(), Some(want), "{path}");
        }
        let out = ["", ".", "data/..", "..", "../a", "data/../../a", "/a", "//a", "~", "~/a", "~root/a", "./~root/a"];
        for path in out.into_iter().chain(["C:\\a", "c:/a", r"\\server\a"]) {
            assert_eq!(within(path), None, "{path}");
        }
    }

    #[test]
    fn which_files_may_be_meant() {
        let of = |name: &str, bare: bool| {
            meanings(name.as_bytes(), bare).into_iter().map(|n| String::from_utf8(n).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(of("data/a", false), ["data/a"]);
        assert_eq!(of("a%0Ab", false), ["a\nb", "a%0Ab"]);
        assert_eq!(of("a%25%0d", false), ["a%\r", "a%25\r", "a%25%0d"]);
        assert_eq!(of("a%25", true), ["a%25", "a%"]);
        assert_eq!(of("a ", false), ["a ", "a"]);
        assert!(has_bare_percent(b"a%b") && has_bare_percent(b"a%") && has_bare_percent(b"%0Ax%2"));
        assert!(!has_bare_percent(b"a%25%0a%0D") && !has_bare_percent(b"a"));
    }

    #[test]
    fn names_of_manifests() {
        let of = |name: &str| manifest(Algorithm::named(name).unwrap(), false).unwrap_or_default();
        assert_eq!(of("sha512"), "manifest-sha512.txt");
        assert_eq!(of("sha3-256"), "manifest-sha3256.txt");
        assert_eq!(of("blake2b-512"), "manifest-blake2b.txt");
        assert_eq!(of("crc32"), "manifest-crc32.txt");
        assert_eq!(of("shake128"), "manifest-shake128.txt");
        let mut without = 0;
        for a in Algorithm::all() {
            match manifest(a, true) {
                Some(name) => assert_eq!(bagit::of_name(Path::new(&name)), Some(a), "{name}"),
                None => without += 1,
            }
        }
        assert!(without < 10, "{without}");
        assert_eq!(algorithm_in("manifest-md5.txt"), Some(("md5".into(), false)));
        assert_eq!(algorithm_in("TagManifest-X.txt"), Some(("x".into(), true)));
        for name in ["manifest-.txt", "manifest.txt", "xmanifest-md5.txt", "manifest-md5.txt~"] {
            assert_eq!(algorithm_in(name), None, "{name}");
        }
    }

    #[test]
    fn normal_forms() {
        assert_eq!(composed("e\u{301}".as_bytes()), Some("\u{e9}".as_bytes().to_vec()));
        assert_eq!(composed("\u{e9}".as_bytes()), Some("\u{e9}".as_bytes().to_vec()));
        assert_eq!((composed(b"e"), composed(b"\xff")), (None, None));
    }
}
