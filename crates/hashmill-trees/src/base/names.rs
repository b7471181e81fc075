//! Names of files within a tree: bytes, with `/` between folders.

/// Returns a name without what does not matter: `.` as a folder, and more than one `/` in a row. An absolute name stays
/// one.
pub(crate) fn normalized(name: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(name.len());
    if name.starts_with(b"/") {
        out.push(b'/');
    }
    for part in parts(name) {
        if !matches!(out.last(), None | Some(b'/')) {
            out.push(b'/');
        }
        out.extend_from_slice(part);
    }
    out
}

/// Returns whether [`normalized`] would change a name.
pub(crate) fn is_normalized(name: &[u8]) -> bool {
    let inner = name.strip_prefix(b"/").unwrap_or(name);
    !inner.is_empty() && inner.split(|&b| b == b'/').all(|part| !part.is_empty() && part != b".")
}

/// Returns the parts of a name that matter.
fn parts(name: &[u8]) -> impl Iterator<Item = &[u8]> {
    name.split(|&b| b == b'/').filter(|part| !part.is_empty() && *part != b".")
}

/// Returns the rest of a normalized name below a folder, which is normalized, too, or empty for the top.
pub(crate) fn below<'a>(name: &'a [u8], folder: &[u8]) -> Option<&'a [u8]> {
    if folder.is_empty() {
        return Some(name).filter(|name| !name.starts_with(b"/"));
    }
    let rest = name.strip_prefix(folder)?;
    if folder.ends_with(b"/") { Some(rest) } else { rest.strip_prefix(b"/") }
}

/// Returns whether a normalized name may lead elsewhere than it says: it has `..` in it.
pub(crate) fn climbs(name: &[u8]) -> bool {
    name.split(|&b| b == b'/').any(|part| part == b"..")
}

/// Splits a normalized name into its folder, without the last `/`, and what it is called there.
pub(crate) fn split(name: &[u8]) -> (&[u8], &[u8]) {
    match name.iter().rposition(|&b| b == b'/') {
        // The root itself.
        Some(0) => name.split_at(1),
        Some(at) => (&name[..at], &name[at + 1..]),
        None => (b"", name),
    }
}

/// Returns the folder that two folders have in common.
pub(crate) fn common<'a>(a: &'a [u8], b: &[u8]) -> &'a [u8] {
    let parts = |folder: &'a [u8]| folder.split(|&b| b == b'/');
    let (mut end, mut next) = (0, 0);
    for (mine, other) in parts(a).zip(b.split(|&b| b == b'/')) {
        if mine != other {
            break;
        }
        end = next + mine.len();
        next = end + 1;
    }
    // The root keeps its `/`.
    if next > 0 && end == 0 && !a.is_empty() { &a[..1] } else { &a[..end] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_matter() {
        for (name, want) in [
            ("a", "a"),
            ("./a", "a"),
            ("a//b/./c/", "a/b/c"),
            ("/a/b", "/a/b"),
            ("//a", "/a"),
            (".", ""),
            ("../a", "../a"),
        ] {
            let got = normalized(name.as_bytes());
            assert_eq!(got, want.as_bytes(), "{name}");
            assert_eq!(is_normalized(name.as_bytes()), !name.is_empty() && got == name.as_bytes(), "{name}");
        }
    }

    #[test]
    fn folders() {
        assert_eq!(below(b"a/b/c", b"a/b"), Some(&b"c"[..]));
        assert_eq!(below(b"a/bc", b"a/b"), None);
        assert_eq!(below(b"/a", b"/"), Some(&b"a"[..]));
        assert_eq!((below(b"a", b""), below(b"/a", b"")), (Some(&b"a"[..]), None));
        assert_eq!(split(b"a/b/c"), (&b"a/b"[..], &b"c"[..]));
        assert_eq!(split(b"/c"), (&b"/"[..], &b"c"[..]));
        assert_eq!(split(b"c"), (&b""[..], &b"c"[..]));
        for (a, b, want) in [
            ("a/b", "a/c", "a"),
            ("a/b", "a/b", "a/b"),
            ("a/b", "a/bc", "a"),
            ("/a", "/b", "/"),
            ("a", "b", ""),
            ("a/b", "a", "a"),
        ] {
            assert_eq!(common(a.as_bytes(), b.as_bytes()), want.as_bytes(), "{a} {b}");
        }
        assert!(climbs(b"a/../b") && climbs(b"..") && !climbs(b"..a/b.."));
    }
}
