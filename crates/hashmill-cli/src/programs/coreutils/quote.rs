//! Quotes names in messages for a shell if they need it, as the GNU programs do (gnulib's `shell-escape` style).

use std::ffi::OsStr;

/// Returns whether the locale's encoding is UTF-8. The environment variables are checked in the C library's order. In
/// other encodings, bytes above 127 do not count as printable.
pub(super) fn is_utf8() -> bool {
    let set = |name| std::env::var(name).ok().filter(|v| !v.is_empty());
    let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG")).unwrap_or_default();
    let charset = locale.rsplit_once('.').map(|(_, c)| c.split('@').next().unwrap_or_default().to_ascii_lowercase());
    charset.is_some_and(|c| c == "utf-8" || c == "utf8")
}

/// Puts a word that was typed in quotation marks, with the escapes of C for what cannot be printed.
pub(super) fn word(text: &str) -> String {
    marked(text, is_utf8())
}

fn marked(text: &str, utf8: bool) -> String {
    let (begin, end) = if utf8 { ('\u{2018}', '\u{2019}') } else { ('\'', '\'') };
    let mut out = String::from(begin);
    for piece in pieces(text.as_bytes(), utf8) {
        match piece {
            Piece::Plain(text) => {
                if text == "\\" || text.starts_with(end) {
                    out.push('\\');
                }
                out.push_str(text);
            }
            Piece::Byte(byte) => out.push_str(&escape(byte)),
        }
    }
    out.push(end);
    out
}

/// Returns the escape sequence of a byte.
fn escape(byte: u8) -> String {
    match b"abtnvfr".get(usize::from(byte).wrapping_sub(7)) {
        Some(&letter) => format!("\\{}", char::from(letter)),
        None => format!("\\{byte:03o}"),
    }
}

/// A piece of a name, and how it is shown.
enum Piece<'a> {
    /// Shown as it is.
    Plain(&'a str),
    /// Shown as the escape sequence of this byte.
    Byte(u8),
}

/// Quotes a file's name for a message.
pub(in crate::programs) fn name(name: &OsStr) -> Vec<u8> {
    quoted(name.as_encoded_bytes(), is_utf8(), true)
}

/// Quotes a name if it needs it. `colon` says whether a colon needs quotes: in messages, a colon ends the name.
fn quoted(name: &[u8], utf8: bool, colon: bool) -> Vec<u8> {
    let pieces = pieces(name, utf8);
    let mut needs = name.is_empty();
    let mut apostrophe = false;
    // Whether the whole name could go in double quotes, both in C and in a shell.
    let mut double = true;
    for (i, piece) in pieces.iter().enumerate() {
        let Piece::Plain(text) = piece else {
            (needs, double) = (true, false);
            continue;
        };
        match text.as_bytes()[0] {
            b'\'' => (needs, apostrophe) = (true, true),
            b'{' | b'}' if name.len() == 1 => needs = true,
            b'#' | b'~' if i == 0 => needs = true,
            b'#' | b'~' | b'{' | b'}' => double = false,
            b' ' => needs = true,
            b':' => needs |= colon,
            b'!' | b'"' | b'$' | b'&' | b'(' | b')' | b'*' | b';' | b'<' | b'=' | b'>' | b'[' | b'^' | b'`' | b'|'
            | b'?' | b'\\' => {
                (needs, double) = (true, false);
            }
            b'%' | b'+' | b',' | b'-' | b'.' | b'/' | b'0'..=b'9' | b'A'..=b'Z' | b']' | b'_' | b'a'..=b'z' => {}
            _ => double = false,
        }
    }
    if !needs {
        return name.to_vec();
    }
    let mut out = Vec::new();
    if apostrophe && double {
        out.push(b'"');
        out.extend_from_slice(name);
        out.push(b'"');
        return out;
    }
    out.push(b'\'');
    let mut escaping = false;
    for piece in pieces {
        match piece {
            Piece::Plain("'") => {
                out.extend_from_slice(b"'\\''");
                escaping = false;
            }
            Piece::Plain(text) => {
                if std::mem::take(&mut escaping) {
                    out.extend_from_slice(b"''");
                }
                out.extend_from_slice(text.as_bytes());
            }
            Piece::Byte(byte) => {
                if !std::mem::replace(&mut escaping, true) {
                    out.extend_from_slice(b"'$'");
                }
                out.extend_from_slice(escape(byte).as_bytes());
            }
        }
    }
    out.push(b'\'');
    out
}

fn pieces(name: &[u8], utf8: bool) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    for chunk in name.utf8_chunks() {
        for (at, c) in chunk.valid().char_indices() {
            let text = &chunk.valid()[at..at + c.len_utf8()];
            if !c.is_control() && (utf8 || c.is_ascii()) {
                pieces.push(Piece::Plain(text));
            } else {
                pieces.extend(text.bytes().map(Piece::Byte));
            }
        }
        pieces.extend(chunk.invalid().iter().map(|&b| Piece::Byte(b)));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_as_ls_would_show_them() {
        for (name, expected) in [
            ("a", "a"),
            ("", "''"),
            ("a b", "'a b'"),
            ("it's", "\"it's\""),
            ("it's $1", "'it'\\''s $1'"),
            ("a\nb", "'a'$'\\n''b'"),
            ("a\n", "'a'$'\\n'"),
            ("\u{7f}\u{1}x", "''$'\\177\\001''x'"),
            ("a:b", "'a:b'"),
            ("~a", "'~a'"),
            ("a~", "a~"),
            ("{", "'{'"),
            ("{a}", "{a}"),
            ("a\\b", "'a\\b'"),
            ("-a=b", "'-a=b'"),
        ] {
            assert_eq!(String::from_utf8(quoted(name.as_bytes(), false, true)).as_deref(), Ok(expected), "{name:?}");
        }
        assert_eq!(marked("a\n'b\\\u{1}ä", false), "'a\\n\\'b\\\\\\001\\303\\244'");
        assert_eq!(marked("a'b\u{2019}ä", true), "\u{2018}a'b\\\u{2019}ä\u{2019}");
        assert_eq!(quoted("ä".as_bytes(), true, true), "ä".as_bytes());
        assert_eq!(quoted("ä".as_bytes(), false, true), b"''$'\\303\\244'");
        assert_eq!(quoted(b"a\xff", true, true), b"'a'$'\\377'");
    }
}
