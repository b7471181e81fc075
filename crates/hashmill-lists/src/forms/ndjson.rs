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
struct Object {
    path: Option<String>,
    path_base64: Option<String>,
    size: Option<u64>,
    mtime: Option<String>,
    digests: Option<Digests>,
    unverified: Option<Vec<String>>,
    error: Option<IgnoredAny>,
    totals: Option<IgnoredAny>,
}

/// Digests by the names of their functions, in the order of the list.
struct Digests(Vec<(String, String)>);

impl<'de> Deserialize<'de> for Digests {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Digests;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("digests by algorithm")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Digests, A::Error> {
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
    let object: Object = serde_json::from_slice(line).ok()?;
    if object.totals.is_some() {
        return Some(Ok(Item::Nothing));
    }
    let name = match (object.path, object.path_base64) {
        (Some(path), None) => path.into_bytes(),
        (None, Some(path)) => BASE64.decode(path.as_bytes()).ok()?,
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
            for (tag, value) in digests {
                let Some(function) = Function::named(&tag) else {
                    unknown.push(tag);
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
    let mtime = object.mtime.as_deref().and_then(crate::base::time::parse);
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
