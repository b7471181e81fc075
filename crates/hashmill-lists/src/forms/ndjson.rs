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
use serde_json::{Map, Value};

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

/// Returns the meaning of an object, or `None` if it is not one of a list.
fn object(line: &[u8], lines: &Lines) -> Option<Result<Item, Fault>> {
    let object: Map<String, Value> = serde_json::from_slice(line).ok()?;
    if object.contains_key("totals") {
        return Some(Ok(Item::Nothing));
    }
    let text = |key| object.get(key).and_then(Value::as_str);
    let name = match (text("path"), text("path_base64")) {
        (Some(path), None) => path.as_bytes().to_vec(),
        (None, Some(path)) => BASE64.decode(path.as_bytes()).ok()?,
        _ => return None,
    };
    if name.is_empty() || name.contains(&0) {
        return None;
    }
    let mut stated = Vec::new();
    let mut others = false;
    match object.get("digests") {
        Some(Value::Object(digests)) => {
            for (tag, value) in digests {
                let Some(function) = Function::named(tag) else {
                    return Some(Err(Fault::NoSuchAlgorithm(tag.clone())));
                };
                if lines.is_other(function) {
                    others = true;
                    continue;
                }
                let value = value.as_str()?.as_bytes();
                stated.push(match function {
                    Function::Hash(a) => fitting(a, value).map(|(a, digest)| Stated::new(Some(a), digest))?,
                    function => Stated::of(function, function.digest(value)?),
                });
            }
        }
        // What could not be read has an error in place of digests.
        None if object.contains_key("error") => return Some(Ok(Item::Nothing)),
        _ => return None,
    }
    if stated.is_empty() {
        return if others { Some(Err(Fault::OtherAlgorithm)) } else { None };
    }
    let size = object.get("size").and_then(Value::as_u64);
    let mtime = object.get("mtime").and_then(Value::as_str).and_then(crate::base::time::parse);
    Some(Ok(Item::Entry(Entry { name, size, mtime, stated, ..Entry::default() })))
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
