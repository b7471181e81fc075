//! `fetch.txt`: which files of the payload are elsewhere.

/// Returns the URL and the name in a line `URL LENGTH NAME`, or `None` if it is blank.
///
/// # Errors
/// Returns what is wrong with the line.
pub(crate) fn line(line: &str) -> Result<Option<(&str, &str)>, &'static str> {
    let blank = |c: char| matches!(c, ' ' | '\t');
    let line = line.trim();
    if line.is_empty() {
        return Ok(None);
    }
    let mut rest = line;
    let mut field = || {
        let (field, after) = rest.split_once(blank)?;
        rest = after.trim_start_matches(blank);
        Some(field)
    };
    let (Some(url), Some(_)) = (field(), field()) else { return Err("is no line `URL LENGTH NAME`") };
    if rest.is_empty() {
        return Err("is no line `URL LENGTH NAME`");
    }
    if !is_url(url) {
        return Err("does not begin with a URL");
    }
    Ok(Some((url, rest)))
}

/// Returns whether a text is a URL with a scheme, and with a host unless it is one of a file.
fn is_url(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    let host = rest.strip_prefix("//").is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['/', '?', '#']));
    is_scheme && (host || scheme.eq_ignore_ascii_case("file"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        assert_eq!(line("http://x/y 12 data/a b\r"), Ok(Some(("http://x/y", "data/a b"))));
        assert_eq!(line("  file:/x \t -  data/a"), Ok(Some(("file:/x", "data/a"))));
        assert_eq!(line(" \t"), Ok(None));
        for bad in ["http://x", "http://x 12", "x 1 data/a", "//x 1 data/a", "http:/x 1 data/a", "1a://x 1 data/a"] {
            assert!(line(bad).is_err(), "{bad}");
        }
    }
}
