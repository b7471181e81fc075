//! Lines after a pattern: `{sha256} {size} {path}`.

use crate::base::digits::Digits;
use crate::base::entry::Entry;
use crate::base::function::Function;
use crate::base::time;

/// A pattern of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(Vec<u8>),
    Path,
    Name,
    Folder,
    Size,
    Modified,
    Digest(Function, Option<Digits>),
}

/// What a pattern may have in braces, besides algorithms.
const FIELDS: &str = "{path} {name} {folder} {size} {mtime} {ALGORITHM} {ALGORITHM:upper} {ALGORITHM:base64} …";

impl Template {
    /// Reads a pattern. In braces are `path`, `name` (the last part of the path), `folder` (the rest), `size`, `mtime`,
    /// and names of algorithms, after which `:hex`, `:upper`, `:base64` or `:base32` says how the digest is written;
    /// `{{` and `}}` are braces, and `\n`, `\t`, `\0` and `\\` what they are elsewhere.
    ///
    /// # Errors
    /// Returns one line that says what is wrong.
    pub fn parse(text: &str) -> Result<Template, String> {
        let mut parts = Vec::new();
        let mut literal = Vec::new();
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            match c {
                '\\' => literal.push(match chars.next() {
                    Some('n') => b'\n',
                    Some('t') => b'\t',
                    Some('0') => 0,
                    Some('\\') => b'\\',
                    _ => return Err(r"a backslash is followed by n, t, 0 or another backslash".into()),
                }),
                '{' if chars.as_str().starts_with('{') => {
                    chars.next();
                    literal.push(b'{');
                }
                '}' if chars.as_str().starts_with('}') => {
                    chars.next();
                    literal.push(b'}');
                }
                '{' => {
                    let rest = chars.as_str();
                    let end = rest.find('}').ok_or_else(|| format!("'{{{rest}' has no closing brace"))?;
                    if !literal.is_empty() {
                        parts.push(Part::Text(std::mem::take(&mut literal)));
                    }
                    parts.push(Part::parse(&rest[..end])?);
                    chars = rest[end + 1..].chars();
                }
                '}' => return Err("a closing brace alone is written '}}'".into()),
                c => literal.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        if !literal.is_empty() {
            parts.push(Part::Text(literal));
        }
        Ok(Template { parts })
    }

    /// Returns what the digests in the pattern are of, each once.
    pub fn functions(&self) -> Vec<Function> {
        let mut all = Vec::new();
        for part in &self.parts {
            if let Part::Digest(a, _) = part
                && !all.contains(a)
            {
                all.push(*a);
            }
        }
        all
    }

    /// Appends the line of an entry, without its end. Digests are written as `digits` says where the pattern does not.
    pub fn put(&self, entry: &Entry, digits: Digits, out: &mut Vec<u8>) {
        let slash = memchr::memrchr(b'/', &entry.name);
        for part in &self.parts {
            match part {
                Part::Text(text) => out.extend_from_slice(text),
                Part::Path => out.extend_from_slice(&entry.name),
                Part::Name => out.extend_from_slice(&entry.name[slash.map_or(0, |at| at + 1)..]),
                Part::Folder => out.extend_from_slice(slash.map_or(&b"."[..], |at| &entry.name[..at.max(1)])),
                Part::Size => out.extend_from_slice(entry.size.map_or(String::new(), |s| s.to_string()).as_bytes()),
                Part::Modified => out.extend_from_slice(entry.mtime.map_or(String::new(), time::format).as_bytes()),
                Part::Digest(f, own) => {
                    if let Some(s) = entry.stated.iter().find(|s| s.function == Some(*f)) {
                        s.put(own.unwrap_or(digits), out);
                    }
                }
            }
        }
    }
}

impl Part {
    fn parse(field: &str) -> Result<Part, String> {
        Ok(match field {
            "path" => Part::Path,
            "name" => Part::Name,
            "folder" => Part::Folder,
            "size" => Part::Size,
            "mtime" => Part::Modified,
            field => {
                let (name, digits) = match field.rsplit_once(':') {
                    Some((name, "hex")) => (name, Some(Digits::Hex)),
                    Some((name, "upper")) => (name, Some(Digits::Upper)),
                    Some((name, "base64")) => (name, Some(Digits::Base64)),
                    Some((name, "base32")) => (name, Some(Digits::Base32)),
                    _ => (field, None),
                };
                let f = Function::named(name).ok_or_else(|| format!("'{{{field}}}' is none of {FIELDS}"))?;
                Part::Digest(f, digits)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill::Algorithm;

    #[test]
    fn lines_after_patterns() {
        let (md5, crc) = (Algorithm::named("md5").unwrap(), Algorithm::named("crc32").unwrap());
        let mut entry = Entry::new(b"a/b/c d".to_vec(), Some(md5), md5.digest(b""));
        entry.stated.extend(Entry::new(Vec::new(), Some(crc), crc.digest(b"hello")).stated);
        entry.size = Some(7);
        entry.mtime = Some((0, 0));
        let put = |text: &str, entry: &Entry| {
            let mut out = Vec::new();
            Template::parse(text).unwrap().put(entry, Digits::Hex, &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(
            put(r"{md5} {size}\t{mtime} {path}|{name}|{folder}", &entry),
            "d41d8cd98f00b204e9800998ecf8427e 7\t1970-01-01T00:00:00Z a/b/c d|c d|a/b"
        );
        assert_eq!(put("{{{crc32:upper}}}", &entry), "{3610A686}");
        assert_eq!(put("{crc32:base64} {crc32:base32}", &entry), "NhCmhg== GYIKNBQ");
        entry.name = b"x".to_vec();
        assert_eq!(put("{folder}/{name}", &entry), "./x");
        assert_eq!(Template::parse("{sha256}{md5}{sha256:upper}").unwrap().functions().len(), 2);
        for bad in ["{", "}", "{nothing}", r"\x", r"\", "{md5:octal}"] {
            assert!(Template::parse(bad).is_err(), "{bad}");
        }
    }
}
