//! A JSON object a line, as this program writes with `--json`: `path` (`path_base64` for a name that is not UTF-8),
//! `size`, `mtime` and `digests` by algorithm; the last object has the totals.

use super::gnu::fitting;
use super::{Base, Form, Format, Lines, Unfit, Write};
use crate::base::digits::Digits;
use crate::base::entry::{Entry, Item, Stated};
use crate::base::fault::Fault;
use crate::base::function::Function;
use crate::base::header::Header;
use crate::base::record::Record;
use data_encoding::BASE64;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::fmt;

pub(crate) const FORM: Form = Form {
    name: "json",
    what: "a JSON object a line",
    programs: "hashmill --json",
    writes: true,
    lines: true,
    algorithms: "any",
    several: true,
    sizes: true,
    times: true,
    cannot: "",
    base: Base::Current,
    format: &Ndjson,
};

struct Ndjson;

impl Format for Ndjson {
    fn line(&self, line: &[u8], lines: &mut Lines) -> Option<Result<Item, Fault>> {
        let line = super::skip_blanks(line);
        if line.first() != Some(&b'{') {
            return None;
        }
        Some(object(line, lines).unwrap_or(Err(Fault::Malformed)))
    }

    fn writer(&self, header: &Header) -> Option<Box<dyn Write>> {
        Some(Box::new(Writer { digits: header.digits, end: if header.zero { 0 } else { b'\n' } }))
    }
}

/// What is read of an object; other fields may be there.
#[derive(Deserialize)]
struct Object<'a> {
    #[serde(borrow)]
    path: Option<Text<'a>>,
    path_base64: Option<Text<'a>>,
    size: Option<u64>,
    mtime: Option<Text<'a>>,
    digests: Option<Digests<'a>>,
    unverified: Option<Vec<String>>,
    error: Option<IgnoredAny>,
    totals: Option<IgnoredAny>,
}

/// A string, which is part of the line unless it has escapes. (Serde borrows no `Cow` in an `Option`.)
struct Text<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Cow<'de, str>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Cow::Borrowed(text))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Cow::Owned(text.into()))
            }
        }
        deserializer.deserialize_str(Any).map(Text)
    }
}

/// Digests by the names of their functions, in the order of the list.
struct Digests<'a>(Vec<(Text<'a>, Text<'a>)>);

impl<'de: 'a, 'a> Deserialize<'de> for Digests<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Digests<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("digests by algorithm")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Digests<'de>, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Digests(pairs))
            }
        }
        deserializer.deserialize_map(Pairs)
    }
}

/// Returns the meaning of an object, or `None` if it is not one of a list.
fn object(line: &[u8], lines: &Lines) -> Option<Result<Item, Fault>> {
    let object: Object<'_> = serde_json::from_slice(line).ok()?;
    if object.totals.is_some() {
        return Some(Ok(Item::Nothing));
    }
    let name = match (object.path, object.path_base64) {
        (Some(Text(path)), None) => path.into_owned().into_bytes(),
        (None, Some(Text(path))) => BASE64.decode(path.as_bytes()).ok()?,
        _ => return None,
    };
    if name.is_empty() || name.contains(&0) {
        return None;
    }
    let mut stated = Vec::new();
    let mut unknown = object.unverified.unwrap_or_default();
    let mut others = false;
    match object.digests {
        Some(Digests(digests)) => {
            for (Text(tag), Text(value)) in digests {
                let Some(function) = Function::named(&tag) else {
                    unknown.push(tag.into_owned());
                    continue;
                };
                if lines.is_other(function) {
                    others = true;
                    continue;
                }
                let value = value.as_bytes();
                stated.push(match function {
                    Function::Hash(a) => fitting(a, value).map(|(a, digest)| Stated::new(Some(a), digest))?,
                    function => Stated::of(function, function.digest(value)?),
                });
            }
        }
        // What could not be read has an error in place of digests.
        None if object.error.is_some() => return Some(Err(Fault::NotRead)),
        None => return Some(Err(Fault::NoDigest)),
    }
    if stated.is_empty() && others {
        return Some(Err(Fault::OtherAlgorithm));
    }
    let mtime = object.mtime.and_then(|Text(time)| crate::base::time::parse(&time));
    Some(super::with_digests(Entry { name, size: object.size, mtime, stated, unknown, ..Entry::default() }))
}

struct Writer {
    digits: Digits,
    end: u8,
}

impl Write for Writer {
    fn entry(&mut self, entry: &Entry, out: &mut Vec<u8>) -> Result<(), Unfit> {
        Record::entry(entry, self.digits).put(out);
        out.push(self.end);
        Ok(())
    }
}
