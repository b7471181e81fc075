//! Writing checksum lists.

use super::read::{suggests, tagged};
use super::tag::tag;
use hashmill::{Algorithm, Digest};
use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;

/// The form of a list's lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Form {
    /// `hex  name`, as sha256sum
    #[default]
    Gnu,
    /// `hex *name`, the same with the marker for binary mode.
    #[cfg_attr(feature = "clap", value(skip))]
    GnuBinary,
    /// `SHA256 (name) = hex`
    // The form of the BSD tools and `cksum`, which names the algorithm.
    #[cfg_attr(feature = "clap", value(name = "bsd"))]
    Tag,
    /// A JSON object per line
    // `{"path":"name","algorithm":"sha256","digest":"hex"}`. A name that is not valid UTF-8 is written in hex as
    // `path_hex`.
    Json,
}

impl Form {
    /// Returns the default form for a list of these algorithms, written to a file named `list` if that is known. It is
    /// the form of `md5sum` if there is one algorithm and such a program for it writes exactly this; otherwise, and if
    /// the list's name suggests a different algorithm, it is the form that names the algorithm.
    pub fn usual(algorithms: &[Algorithm], list: Option<&Path>) -> Form {
        const BARE: [&str; 8] = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b-512", "blake3"];
        let misleads = |a: Algorithm| {
            let told = list.and_then(suggests);
            told.is_some_and(|t| t != a && t.with_digest_len(a.digest_len()).is_ok())
        };
        match algorithms {
            [a] if BARE.contains(&&*a.name()) && !misleads(*a) => Form::Gnu,
            _ => Form::Tag,
        }
    }

    /// Returns the form of a line that the parser has accepted.
    pub fn of(line: &[u8]) -> Form {
        let line = line.trim_ascii_start();
        let line = line.strip_prefix(b"\\").unwrap_or(line);
        let blank = line.iter().position(|b| matches!(b, b' ' | b'\t'));
        match line.first() {
            Some(b'{') => Form::Json,
            _ if tagged(line).is_some() => Form::Tag,
            _ if blank.and_then(|i| line.get(i + 1)) == Some(&b'*') => Form::GnuBinary,
            _ => Form::Gnu,
        }
    }
}

/// How a list is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Style {
    /// The form of its lines.
    pub form: Form,
    /// Lines end with NUL, and nothing in names is escaped.
    pub zero: bool,
}

/// Returns whether a name must be escaped to fit on one line, by the rule of coreutils.
fn needs_escape(name: &[u8]) -> bool {
    name.iter().any(|b| matches!(b, b'\\' | b'\n' | b'\r'))
}

/// Appends a name the way coreutils writes it in a line that begins with a backslash: `\\`, `\n` and `\r` stand for
/// these bytes. Returns whether the line must begin with one; a name that needs no escaping is appended as it is.
pub fn escape(name: &OsStr, out: &mut Vec<u8>) -> bool {
    let name = name.as_encoded_bytes();
    if !needs_escape(name) {
        out.extend_from_slice(name);
        return false;
    }
    for &b in name {
        match b {
            b'\\' => out.extend_from_slice(br"\\"),
            b'\n' => out.extend_from_slice(br"\n"),
            b'\r' => out.extend_from_slice(br"\r"),
            b => out.push(b),
        }
    }
    true
}

/// Appends one JSON object.
fn put_json(out: &mut Vec<u8>, a: Algorithm, name: &OsStr, digest: &Digest) {
    let (key, value) = match name.to_str() {
        Some(text) => ("path", text.to_string()),
        None => ("path_hex", name.as_encoded_bytes().iter().map(|b| format!("{b:02x}")).collect()),
    };
    // Quoting turns any text into valid JSON; writing to a vector cannot fail.
    let quoted = serde_json::Value::from(value);
    let _ = write!(out, r#"{{"{key}":{quoted},"algorithm":"{}","digest":"{digest}"}}"#, a.name());
}

/// Appends one line, including its terminator, to `out`.
pub fn write_entry(out: &mut Vec<u8>, style: Style, a: Algorithm, name: &OsStr, digest: &Digest) {
    let start = out.len();
    if style.form == Form::Json {
        put_json(out, a, name, digest);
        out.push(if style.zero { 0 } else { b'\n' });
        return;
    }
    let put_name = |out: &mut Vec<u8>| {
        if style.zero {
            out.extend_from_slice(name.as_encoded_bytes());
            false
        } else {
            escape(name, out)
        }
    };
    // Writing to a vector cannot fail.
    let escaped = match style.form {
        Form::Tag => {
            let _ = write!(out, "{} (", tag(a));
            let escaped = put_name(out);
            let _ = write!(out, ") = {digest}");
            escaped
        }
        Form::Gnu | Form::GnuBinary | Form::Json => {
            let mark = if style.form == Form::Gnu { ' ' } else { '*' };
            let _ = write!(out, "{digest} {mark}");
            put_name(out)
        }
    };
    if escaped {
        out.insert(start, b'\\');
    }
    out.push(if style.zero { 0 } else { b'\n' });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(style: Style, name: &str) -> String {
        let a: Algorithm = "md5".parse().unwrap();
        let mut out = Vec::new();
        write_entry(&mut out, style, a, OsStr::new(name), &Digest::from_bytes(&[0xab; 2]));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn forms() {
        let of = |form, zero| Style { form, zero };
        assert_eq!(line(of(Form::Gnu, false), "a b"), "abab  a b\n");
        assert_eq!(line(of(Form::GnuBinary, false), "a"), "abab *a\n");
        assert_eq!(line(of(Form::Tag, false), "a"), "MD5 (a) = abab\n");
        assert_eq!(line(of(Form::Gnu, false), "a\n\\\r"), "\\abab  a\\n\\\\\\r\n");
        assert_eq!(line(of(Form::Tag, false), "\n"), "\\MD5 (\\n) = abab\n");
        assert_eq!(line(of(Form::Gnu, true), "a\n"), "abab  a\n\0");
        let json = "{\"path\":\"a\\n\\\"\",\"algorithm\":\"md5\",\"digest\":\"abab\"}\n";
        assert_eq!(line(of(Form::Json, false), "a\n\""), json);
    }
}
