//! Patterns of what an ASC MHL history leaves out, which are those of `.gitignore` files, and how they are passed
//! between a history and those in folders below.

/// What every history leaves out.
pub(crate) const DEFAULT: [&str; 3] = [".DS_Store", "ascmhl", "ascmhl/"];

/// Returns a pattern without its `!`, and that.
fn sign(pattern: &str) -> (&str, &str) {
    pattern.strip_prefix('!').map_or(("", pattern), |rest| ("!", rest))
}

/// Returns whether a pattern matches only at the place that it names: if it has a `/` other than at its end.
fn is_anchored(pattern: &str) -> bool {
    let pattern = sign(pattern).1;
    !pattern.starts_with("**/") && !pattern.starts_with("/**/") && pattern.trim_end_matches('/').contains('/')
}

/// Returns the pattern of the outermost folder that does what a pattern does in the folder `prefix`.
pub(crate) fn lifted(pattern: &str, prefix: &str) -> String {
    let (sign, rest) = sign(pattern);
    let mut literal = String::new();
    for c in prefix.chars() {
        if matches!(c, '*' | '?' | '[' | ']' | '\\' | '{' | '}') {
            literal.push('\\');
        }
        literal.push(c);
    }
    let between = if is_anchored(rest) || rest.starts_with("**/") || rest.starts_with("/**/") { "" } else { "**/" };
    format!("{sign}/{literal}/{between}{}", rest.trim_start_matches('/'))
}

/// Returns what a pattern of the outermost folder is in the folder `prefix`, if it may match there.
fn lowered(pattern: &str, prefix: &str) -> Option<String> {
    if !is_anchored(pattern) {
        return Some(pattern.into());
    }
    let (sign, rest) = sign(pattern);
    let below = rest.trim_start_matches('/').strip_prefix(prefix)?.strip_prefix('/')?;
    // The folder itself is left out by what is above it.
    (!below.is_empty()).then(|| format!("{sign}/{below}"))
}

/// Returns the patterns of the next generation of the history of the folder `prefix`, given those of the last one and
/// those of the outermost folder that are in force. `inner` are folders of histories below this one, which take what
/// is about them.
pub(crate) fn next(before: Option<&[String]>, outer: &[String], prefix: &str, inner: &[&str]) -> Vec<String> {
    let mut all: Vec<String> = before.map_or_else(|| DEFAULT.map(String::from).to_vec(), <[String]>::to_vec);
    for pattern in outer {
        let own = if prefix.is_empty() { Some(pattern.clone()) } else { lowered(pattern, prefix) };
        let is_below = |folder: &&str| is_anchored(pattern) && lowered(pattern, folder).is_some();
        if let Some(own) = own.filter(|own| !all.contains(own) && !inner.iter().any(is_below)) {
            all.push(own);
        }
    }
    all
}

/// Returns a pattern in which braces are themselves, as in those of Git.
pub(crate) fn literal_braces(pattern: &str) -> String {
    let mut out = String::new();
    let mut is_escaped = false;
    for c in pattern.chars() {
        if matches!(c, '{' | '}') && !is_escaped {
            out.push('\\');
        }
        is_escaped = c == '\\' && !is_escaped;
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_between_folders() {
        for (pattern, want) in [
            ("*.tmp", "/c/**/*.tmp"),
            ("cache/", "/c/**/cache/"),
            ("/top", "/c/top"),
            ("a/b", "/c/a/b"),
            ("**/x", "/c/**/x"),
            ("/**/x", "/c/**/x"),
            ("!keep", "!/c/**/keep"),
        ] {
            assert_eq!(lifted(pattern, "c"), want);
        }
        assert_eq!(lifted("x", "a[1]*/b"), r"/a\[1\]\*/b/**/x");
        for (pattern, want) in [
            ("*.tmp", Some("*.tmp")),
            ("cache/", Some("cache/")),
            ("**/x", Some("**/x")),
            ("/c/top", Some("/top")),
            ("c/a/b", Some("/a/b")),
            ("!/c/keep", Some("!/keep")),
            ("/c/", None),
            ("/c", None),
            ("/cx/y", None),
            ("/top", None),
        ] {
            assert_eq!(lowered(pattern, "c").as_deref(), want, "{pattern}");
        }
    }

    #[test]
    fn patterns_of_the_next_generation() {
        let list = |all: &[&str]| all.iter().map(|p| p.to_string()).collect::<Vec<_>>();
        assert_eq!(next(None, &[], "", &[]), DEFAULT);
        assert_eq!(next(Some(&list(&["x"])), &list(&["x", "y", "/c/z"]), "", &["c"]), ["x", "y"]);
        assert_eq!(next(Some(&list(&["x"])), &list(&["x", "y", "/c/z"]), "c", &[]), ["x", "y", "/z"]);
        assert_eq!(literal_braces(r"{a}\{b"), r"\{a\}\{b");
    }
}
