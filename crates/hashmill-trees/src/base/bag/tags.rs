//! Tag files such as `bag-info.txt`: lines `Label: value`, of which long ones go on in lines that begin with a blank.

/// A line of a tag file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TagLine<'a> {
    /// Nothing is in it.
    Blank,
    /// It goes on with the value of the tag before it.
    More(&'a str),
    /// A tag begins.
    Tag {
        label: &'a str,
        value: &'a str,
        /// Whether there are blanks before the colon, which only the drafts before 1.0 allow.
        is_spaced: bool,
    },
    /// There is no colon in it, or nothing before it.
    Malformed,
}

/// Returns what a line is. `goes_on` says that a tag came before it.
pub(crate) fn line(line: &str, goes_on: bool) -> TagLine<'_> {
    if line.trim().is_empty() {
        return TagLine::Blank;
    }
    if goes_on && line.starts_with(char::is_whitespace) {
        return TagLine::More(line.trim());
    }
    match line.split_once(':') {
        Some((label, value)) if !label.trim().is_empty() => {
            TagLine::Tag { label: label.trim(), value: value.trim(), is_spaced: label.ends_with(char::is_whitespace) }
        }
        _ => TagLine::Malformed,
    }
}

/// A tag: its label and its value.
pub type Tag = (String, String);

/// Returns the tags in a text in the form of `bag-info.txt`.
///
/// # Errors
/// Returns the number of a line that is no tag, starting from 1.
pub fn parse_tags(text: &str) -> Result<Vec<Tag>, u64> {
    let mut tags: Vec<Tag> = Vec::new();
    for (number, text) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        match line(text, !tags.is_empty()) {
            TagLine::Blank => {}
            TagLine::More(more) => {
                if let Some((_, value)) = tags.last_mut() {
                    if !value.is_empty() {
                        value.push(' ');
                    }
                    value.push_str(more);
                }
            }
            TagLine::Tag { label, value, .. } => tags.push((label.into(), value.into())),
            TagLine::Malformed => return Err(number),
        }
    }
    Ok(tags)
}

/// The label of the tag that states how much the payload is.
pub(crate) const OXUM: &str = "Payload-Oxum";

/// How much a payload is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Oxum {
    /// Number of bytes.
    pub bytes: u64,
    /// Number of files.
    pub files: u64,
}

impl Oxum {
    /// Returns what the value of the tag says.
    pub(crate) fn parse(value: &str) -> Option<Oxum> {
        let (bytes, files) = value.split_once('.')?;
        let number = |text: &str| text.parse().ok().filter(|_| text.bytes().all(|b| b.is_ascii_digit()));
        Some(Oxum { bytes: number(bytes)?, files: number(files)? })
    }
}

impl std::fmt::Display for Oxum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.bytes, self.files)
    }
}

/// Returns the text of a tag file in UTF-8 with this `Payload-Oxum` in place of the one it has, and everything else as
/// it was.
pub(crate) fn with_oxum(text: &[u8], oxum: Oxum) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 64);
    // Lines end as the first one does.
    let at = text.iter().position(|b| matches!(b, b'\r' | b'\n'));
    let end: &[u8] = match at.map(|at| &text[at..]) {
        Some([b'\r', b'\n', ..]) => b"\r\n",
        Some([b'\r', ..]) => b"\r",
        _ => b"\n",
    };
    let put = |out: &mut Vec<u8>| {
        out.extend_from_slice(format!("{OXUM}: {oxum}").as_bytes());
        out.extend_from_slice(end);
    };
    let (mut is_there, mut goes_on, mut drops) = (false, false, false);
    let mut rest = text;
    while !rest.is_empty() {
        let length = match rest.iter().position(|b| matches!(b, b'\r' | b'\n')) {
            Some(at) if rest[at..].starts_with(b"\r\n") => at + 2,
            Some(at) => at + 1,
            None => rest.len(),
        };
        let (this, after) = rest.split_at(length);
        rest = after;
        let text = String::from_utf8_lossy(this);
        match line(text.trim_start_matches('\u{feff}'), goes_on) {
            TagLine::Tag { label, .. } => {
                goes_on = true;
                drops = label.eq_ignore_ascii_case(OXUM);
                if drops && !is_there {
                    is_there = true;
                    put(&mut out);
                }
            }
            TagLine::More(_) => {}
            TagLine::Blank | TagLine::Malformed => drops = false,
        }
        if !drops {
            out.extend_from_slice(this);
        }
    }
    if !is_there {
        if !matches!(out.last(), None | Some(b'\r' | b'\n')) {
            out.extend_from_slice(end);
        }
        put(&mut out);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags() {
        let parse =
            |text: &str| parse_tags(text).map(|t| t.iter().map(|(l, v)| format!("{l}={v}")).collect::<Vec<_>>());
        assert_eq!(parse("A: b\n\nC : d: e\n  f\n\tg\nA:\n"), Ok(vec!["A=b".into(), "C=d: e f g".into(), "A=".into()]));
        assert_eq!(parse("\u{feff}A: b"), Ok(vec!["A=b".into()]));
        assert_eq!(parse("A: b\nc\n"), Err(2));
        assert_eq!(parse(": b\n"), Err(1));
        assert_eq!(parse(""), Ok(vec![]));
    }

    #[test]
    fn oxum() {
        assert_eq!(Oxum::parse("12.3"), Some(Oxum { bytes: 12, files: 3 }));
        for text in ["", "1", ".1", "1.", "1.2.3", "-1.2", "+1.2", "1 .2", "99999999999999999999.1"] {
            assert_eq!(Oxum::parse(text), None, "{text}");
        }
    }

    #[test]
    fn another_oxum_and_nothing_else() {
        let with = |text: &str| String::from_utf8(with_oxum(text.as_bytes(), Oxum { bytes: 7, files: 1 })).unwrap();
        assert_eq!(with(""), "Payload-Oxum: 7.1\n");
        assert_eq!(with("A: b"), "A: b\nPayload-Oxum: 7.1\n");
        assert_eq!(with("A: b\n c\npayload-oxum : 1.\n  2\nX: y\n"), "A: b\n c\nPayload-Oxum: 7.1\nX: y\n");
        assert_eq!(with("Payload-Oxum: 1.1\r\nA: b\r\nPayload-Oxum: 2.2"), "Payload-Oxum: 7.1\r\nA: b\r\n");
        assert_eq!(with("\u{feff}A: b\rPayload-Oxum: 1.1\rno tag\r"), "\u{feff}A: b\rPayload-Oxum: 7.1\rno tag\r");
    }
}
