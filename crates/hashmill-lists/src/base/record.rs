//! What `--json` prints: one schema for every command. Fields are added to it, never renamed.

use crate::base::digits::Digits;
use crate::base::entry::{Entry, Stated};
use crate::base::time;
use data_encoding::BASE64;
use serde::{Serialize, Serializer};

/// The version of the schema.
pub const VERSION: u32 = 1;

/// A line about one file, or about one line of a list.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Record<'a> {
    /// The list that says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list: Option<&'a str>,
    /// The number of the list's line, starting from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The file's name.
    #[serde(flatten)]
    pub name: Name<'a>,
    /// Whether it is a folder.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub folder: bool,
    /// The file that it is a copy of.
    #[serde(flatten)]
    pub from: From<'a>,
    /// Where the file is kept whose place it has taken.
    #[serde(flatten)]
    pub kept: Kept<'a>,
    /// The file's length in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// When it was last modified (RFC 3339).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mtime: Option<String>,
    /// Its digests by algorithm.
    #[serde(skip_serializing_if = "Values::is_empty")]
    pub digests: Values<'a>,
    /// The digests that it was found to have, where they are others.
    #[serde(skip_serializing_if = "Values::is_empty")]
    pub found: Values<'a>,
    /// What became of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<&'a str>,
    /// The number of the group of files with the same content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<u64>,
    /// The algorithm whose digest is wrong, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrong: Option<String>,
    /// The algorithm that was assumed, since nothing names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumed: Option<String>,
    /// The algorithms of further digests that are not known here.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub unverified: &'a [String],
    /// Whether the file was written to while it was read.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub changed_while_read: bool,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<RecordError>,
}

/// An error in a [`Record`].
#[derive(Debug, Clone, Serialize)]
pub struct RecordError {
    /// A stable word for it.
    pub kind: &'static str,
    /// The message that people would read.
    pub message: String,
}

/// A file's name: as text or, if it is not UTF-8, in base64.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(untagged)]
pub enum Name<'a> {
    /// There is none.
    #[default]
    None,
    /// A name that is UTF-8.
    Text {
        /// The name.
        path: &'a str,
    },
    /// A name that is not.
    Bytes {
        /// The name in base64 (RFC 4648, section 4).
        path_base64: String,
    },
}

/// The name of the file that another is a copy of, in the same way.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(untagged)]
pub enum From<'a> {
    /// There is none.
    #[default]
    None,
    /// A name that is UTF-8.
    Text {
        /// The name.
        from: &'a str,
    },
    /// A name that is not.
    Bytes {
        /// The name in base64 (RFC 4648, section 4).
        from_base64: String,
    },
}

/// Where the file is kept whose place another has taken, in the same way.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(untagged)]
pub enum Kept<'a> {
    /// There is none.
    #[default]
    None,
    /// A name that is UTF-8.
    Text {
        /// The name.
        kept: &'a str,
    },
    /// A name that is not.
    Bytes {
        /// The name in base64 (RFC 4648, section 4).
        kept_base64: String,
    },
}

/// Digests by algorithm.
#[derive(Debug, Clone, Default)]
pub struct Values<'a> {
    stated: &'a [Stated],
    digits: Digits,
}

impl Values<'_> {
    fn is_empty(&self) -> bool {
        self.stated.iter().all(|s| s.function.is_none())
    }
}

impl Serialize for Values<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.stated.iter().filter_map(|s| {
            let mut digits = Vec::new();
            s.put(self.digits, &mut digits);
            Some((s.function?.name(), String::from_utf8(digits).ok()?))
        }))
    }
}

impl<'a> Name<'a> {
    /// Returns a file's name.
    pub fn of(name: &'a [u8]) -> Self {
        match std::str::from_utf8(name) {
            Ok(path) => Name::Text { path },
            Err(_) => Name::Bytes { path_base64: BASE64.encode(name) },
        }
    }

    /// Returns the name whose text in base64 this is.
    pub fn decode(path_base64: &str) -> Option<Vec<u8>> {
        BASE64.decode(path_base64.as_bytes()).ok()
    }
}

impl<'a> Record<'a> {
    /// Returns a record about a file.
    pub fn of(name: &'a [u8]) -> Self {
        Record { name: Name::of(name), ..Record::default() }
    }

    /// Adds the name of the file that this one is a copy of.
    pub fn from(self, name: &'a [u8]) -> Self {
        let from = match std::str::from_utf8(name) {
            Ok(from) => From::Text { from },
            Err(_) => From::Bytes { from_base64: BASE64.encode(name) },
        };
        Record { from, ..self }
    }

    /// Adds where the file is kept whose place this one has taken.
    pub fn kept(self, name: Option<&'a [u8]>) -> Self {
        let kept = match name.map(|name| (name, std::str::from_utf8(name))) {
            None => Kept::None,
            Some((_, Ok(kept))) => Kept::Text { kept },
            Some((name, Err(_))) => Kept::Bytes { kept_base64: BASE64.encode(name) },
        };
        Record { kept, ..self }
    }

    /// Adds what a file was found to be: its length and time, and the digests that it has in place of those stated.
    pub fn found(self, now: &'a Entry, digits: Digits) -> Self {
        let found = Values { stated: &now.stated, digits };
        Record { size: now.size, mtime: now.mtime.map(time::format), found, ..self }
    }

    /// Returns what an entry says.
    pub fn entry(entry: &'a Entry, digits: Digits) -> Self {
        Record {
            size: entry.size,
            mtime: entry.mtime.map(time::format),
            digests: Values { stated: &entry.stated, digits },
            ..Record::of(&entry.name)
        }
    }

    /// Appends the line, without its end.
    pub fn put(&self, out: &mut Vec<u8>) {
        // Writing to a vector cannot fail.
        let _ = serde_json::to_writer(out, self);
    }
}

/// The last line: the totals of a command.
#[derive(Debug, Clone, Serialize)]
pub struct Closing<T> {
    /// Counts.
    pub totals: T,
    /// The version of the schema.
    pub version: u32,
    /// The exit status.
    pub status: u8,
}

impl<T: Serialize> Closing<T> {
    /// Returns the last line of a command that ends with this status.
    pub fn new(totals: T, status: u8) -> Self {
        Closing { totals, version: VERSION, status }
    }

    /// Appends the line, without its end.
    pub fn put(&self, out: &mut Vec<u8>) {
        // Writing to a vector cannot fail.
        let _ = serde_json::to_writer(out, self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill::Algorithm;

    fn text(record: &Record<'_>) -> String {
        let mut out = Vec::new();
        record.put(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_order_of_fields() {
        let a = Algorithm::named("md5").unwrap();
        let mut entry = Entry::new(b"a\"\n".to_vec(), Some(a), a.digest(b""));
        assert_eq!(
            text(&Record::entry(&entry, Digits::Hex)),
            r#"{"path":"a\"\n","digests":{"md5":"d41d8cd98f00b204e9800998ecf8427e"}}"#
        );
        entry.name = b"\xff".to_vec();
        entry.size = Some(0);
        entry.mtime = Some((0, 0));
        let error = Some(RecordError { kind: "missing", message: "no such file".into() });
        let record = Record {
            list: Some("l"),
            line: Some(3),
            verdict: Some("missing"),
            error,
            ..Record::entry(&entry, Digits::Hex)
        };
        assert_eq!(
            text(&record),
            "{\"list\":\"l\",\"line\":3,\"path_base64\":\"/w==\",\"size\":0,\"mtime\":\"1970-01-01T00:00:00Z\",\
             \"digests\":{\"md5\":\"d41d8cd98f00b204e9800998ecf8427e\"},\"verdict\":\"missing\",\
             \"error\":{\"kind\":\"missing\",\"message\":\"no such file\"}}"
        );
        assert_eq!(text(&Record { line: Some(1), ..Record::default() }), r#"{"line":1}"#);
    }
}
