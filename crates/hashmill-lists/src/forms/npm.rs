//! `package-lock.json` and `npm-shrinkwrap.json` of npm. The file is the last part of the address in `resolved`, and
//! `integrity` has its digests, as in Subresource Integrity.

use super::{Base, End, Form, Format, How, Sink, oci};
use crate::base::entry::{Entry, Item, Note};
use crate::base::fault::Fault;
use crate::text::source::Source;
use hashmill::Algorithm;
use serde_json::{Map, Value};
use std::io::Read as _;
use std::path::Path;

pub(crate) const FORM: Form = Form {
    name: "npm",
    what: "package-lock.json",
    programs: "npm",
    writes: false,
    lines: false,
    algorithms: "sha1, sha256, sha384, sha512",
    several: false,
    sizes: false,
    times: false,
    cannot: "",
    base: Base::List,
    format: &Npm,
};

struct Npm;

/// Maximum length of the document in bytes. All of it is held, and small values take many times their length.
const MAX: u64 = 16 << 20;

impl Format for Npm {
    fn sniff(&self, head: &[u8], _list: &Path) -> bool {
        head.trim_ascii_start().starts_with(b"{") && memchr::memmem::find(head, b"\"lockfileVersion\"").is_some()
    }

    fn read(&self, source: Source<'_>, how: &How<'_>, sink: &mut Sink<'_>) -> Result<(), End> {
        let mut text = Vec::new();
        source.whole().take(MAX + 1).read_to_end(&mut text)?;
        if text.len() as u64 > MAX {
            return sink.put(1, Item::Bad(Fault::TooLong));
        }
        let document: Map<String, Value> = match serde_json::from_slice(&text) {
            Ok(document) => document,
            Err(e) => return sink.put(e.line() as u64, Item::Bad(Fault::Malformed)),
        };
        drop(text);
        // Lists for both old and new versions of npm say everything twice.
        let Some(packages) = document.get("packages").or_else(|| document.get("dependencies")) else {
            return Ok(());
        };
        let mut open = vec![packages];
        while let Some(packages) = open.pop() {
            let Value::Object(packages) = packages else {
                sink.put(1, Item::Bad(Fault::Malformed))?;
                continue;
            };
            for (name, package) in packages {
                let Value::Object(package) = package else {
                    sink.put(1, Item::Bad(Fault::Malformed))?;
                    continue;
                };
                // The one without a name is the project itself.
                if !name.is_empty() {
                    sink.put(1, item(package, how.given))?;
                    // In the oldest version, packages are nested. In others, these are only names and versions.
                    if let Some(nested) = package.get("dependencies").filter(|_| !document.contains_key("packages")) {
                        open.push(nested);
                    }
                }
            }
        }
        Ok(())
    }
}

/// Returns what is said of a package.
fn item(package: &Map<String, Value>, given: Option<Algorithm>) -> Item {
    let integrity = match package.get("integrity") {
        None => return Item::Note(Note::NoDigest),
        Some(Value::String(text)) => text,
        Some(_) => return Item::Bad(Fault::Malformed),
    };
    let stated = match oci::integrity(integrity.trim().as_bytes(), given) {
        Some(Ok((stated, used))) if used == integrity.trim().len() => stated,
        Some(Err(fault)) => return Item::Bad(fault),
        _ => return Item::Bad(Fault::Malformed),
    };
    let address = match package.get("resolved") {
        None => {
            let why = "names a package, not a file; hashmill check --expect compares its digest with a file";
            return Item::Bad(Fault::Said(why.into()));
        }
        Some(Value::String(address)) => address,
        Some(_) => return Item::Bad(Fault::Malformed),
    };
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let path = path.strip_prefix("file:").unwrap_or(path);
    match path.rsplit('/').next().and_then(decoded) {
        Some(name) if is_name(&name) => Item::Entry(Entry { name, stated: vec![stated], ..Entry::default() }),
        _ => Item::Bad(Fault::Malformed),
    }
}

/// Returns whether a file can have this name.
fn is_name(name: &[u8]) -> bool {
    !matches!(name, b"" | b"." | b"..") && memchr::memchr2(0, b'/', name).is_none()
}

/// Decodes a part of an address (RFC 3986, section 2.1).
fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&b, more)) = rest.split_first() {
        rest = more;
        out.push(if b == b'%' {
            let (digits, more) = rest.split_at_checked(2)?;
            rest = more;
            *crate::base::digits::bytes_of_hex(digits)?.first()?
        } else {
            b
        });
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{attack, read};
    use super::*;

    const LOCK: &str = r#"{
  "name": "x",
  "lockfileVersion": 3,
  "packages": {
    "": { "name": "x", "dependencies": { "left-pad": "1.3.0" } },
    "node_modules/@types/ms": {
      "resolved": "https://registry.npmjs.org/@types/ms/-/ms-0.7.31.tgz",
      "integrity": "sha512-iiUgKzV9AuaEkZqkOLDIvlQiL6ltuZd9tGcW3gwpnX8JbuiuhFlEGmmFXEXkN50Cvq7Os88IY2v0dkDqXYWVgA=="
    },
    "node_modules/left-pad": {
      "resolved": "https://registry.npmjs.org/left-pad/-/left-pad-1.3.0.tgz?x=/y#z",
      "integrity": "sha1-W4o6d2Xf4AEmHd6RVYnngvjJTR4= sha512-XI5MPzVNApjAyhQzphX8BkmKsKUxD4LdyK24iZeQGinBN9yTQT3bFlCBy/aVx2HrNcqQGsdot8ghrjyrvMCoEA==",
      "dependencies": { "z": "1.0.0" }
    },
    "node_modules/local": { "resolved": "packages/local", "link": true }
  },
  "dependencies": { "left-pad": { "integrity": "sha1-x" } }
}
"#;

    #[test]
    fn locks() {
        let said = read(LOCK, "list");
        assert_eq!((said.form, said.lines.len()), (Some(&FORM), 3));
        let names: Vec<&[u8]> = said.entries.iter().map(|e| &e.name[..]).collect();
        assert_eq!(names, [&b"ms-0.7.31.tgz"[..], b"left-pad-1.3.0.tgz"]);
        assert!(said.entries.iter().all(|e| e.stated[0].algorithm() == Algorithm::named("sha512")));
        let old = r#"{"lockfileVersion":1,"dependencies":{"a":{"resolved":"https://x/a%20b.tgz","integrity":"sha1-W4o6d2Xf4AEmHd6RVYnngvjJTR4=",
            "requires":{"b":"1"},"dependencies":{"b":{"resolved":"file:b.tgz","integrity":"sha1-W4o6d2Xf4AEmHd6RVYnngvjJTR4="}}}}}"#;
        let names: Vec<Vec<u8>> = read(old, "list").entries.into_iter().map(|e| e.name).collect();
        assert_eq!(names, [&b"a b.tgz"[..], b"b.tgz"]);
    }

    #[test]
    fn faulty_packages() {
        let fault = |package: &str| {
            let list = format!("{{\"lockfileVersion\":3,\"packages\":{{\"p\":{package}}}}}");
            read(list, "list").faults.pop().map(|(_, f)| f)
        };
        let sha1 = "\"integrity\":\"sha1-W4o6d2Xf4AEmHd6RVYnngvjJTR4=\"";
        for bad in [
            "5".to_string(),
            "{\"integrity\":5}".into(),
            "{\"integrity\":\"\"}".into(),
            "{\"integrity\":\"sha1-W4o6\",\"resolved\":\"https://x/y\"}".into(),
            format!("{{{sha1},\"resolved\":5}}"),
            format!("{{{sha1},\"resolved\":\"https://x/\"}}"),
            format!("{{{sha1},\"resolved\":\"https://x/..\"}}"),
            format!("{{{sha1},\"resolved\":\"https://x/%2e%2e\"}}"),
            format!("{{{sha1},\"resolved\":\"https://x/a%2fb\"}}"),
            format!("{{{sha1},\"resolved\":\"https://x/a%0\"}}"),
        ] {
            assert_eq!(fault(&bad), Some(Fault::Malformed), "{bad}");
        }
        assert!(matches!(fault(&format!("{{{sha1}}}")), Some(Fault::Said(_))));
        let deep = format!("{{\"lockfileVersion\":{}", "[".repeat(1 << 20));
        assert_eq!(read(deep, "list").faults, [(1, Fault::Malformed)]);
    }

    #[test]
    fn damage() {
        assert_eq!(attack(LOCK, "list"), []);
    }
}
