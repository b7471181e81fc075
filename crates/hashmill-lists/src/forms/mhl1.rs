//! Media Hash Lists of version 1 (`<hashlist version="1.1">`): mhl-tool, and many tools that copy the recordings of
//! film cameras. Names are relative to the folder of the list.
//!
//! `xxhash64be` is XXH64 in its usual hexadecimal digits, `xxhash64` has its bytes in reverse, and `xxhash` is XXH32 as
//! a decimal number. `null` says that only the length counts. The line of an entry is that of its `<hash>`.

use super::{Base, End, Form, Format, How, Sink};
use crate::base::digits::{from_c4, from_hex, looks_like_a_digest};
use crate::base::entry::{Entry, Item, Stated};
use crate::base::fault::Fault;
use crate::base::tag::algorithm_of_tag;
use crate::text::source::Source;
use crate::text::xml::{self, Ends, Field, Part, Record, Xml};
use hashmill::{Algorithm, Digest};
use std::path::Path;

pub(crate) const FORM: Form = Form {
    name: "mhl1",
    what: "a Media Hash List of version 1 (`.mhl`, XML)",
    programs: "mhl-tool, and tools for film recordings",
    writes: false,
    lines: false,
    algorithms: "MD5, SHA-1, XXH32, XXH64",
    several: true,
    sizes: true,
    times: true,
    cannot: "that are not UTF-8",
    base: Base::List,
    format: &Mhl1,
};

struct Mhl1;

impl Format for Mhl1 {
    fn sniff(&self, head: &[u8], _: &Path) -> bool {
        xml::root(head).is_some_and(|root| root.name == "hashlist" && !super::mhl::is_asc(&root))
    }

    fn read(&self, source: Source<'_>, _: &How<'_>, sink: &mut Sink<'_>) -> Result<(), End> {
        let mut xml = Xml::new(source.whole(), Ends::Xml);
        loop {
            match xml.next()? {
                Part::End => return Ok(()),
                Part::Open if xml.depth() == 2 => {}
                _ => continue,
            }
            let is_hash = xml.tag().name == "hash";
            let record = xml.record(|_| false)?;
            let item = match &record.fault {
                Some(fault) => Err(fault.clone()),
                None if is_hash => file(&record),
                // Something else that is about a file.
                None if record.fields.iter().any(is_about_a_file) => Err(Fault::Malformed),
                None => Ok(Item::Nothing),
            };
            sink.put(record.line, item.unwrap_or_else(Item::Bad))?;
        }
    }
}

/// Returns whether an element is about a file, or has one in it that is.
fn is_about_a_file(field: &Field) -> bool {
    matches!(&*field.tag.name, "file" | "hash") || field.inner.iter().any(is_about_a_file)
}

/// Returns what a `<hash>` says.
fn file(record: &Record) -> Result<Item, Fault> {
    let name = record.name("file")?.to_vec();
    let (mut stated, mut unknown, mut is_null) = (Vec::<Stated>::new(), Vec::new(), false);
    for field in &record.fields {
        match &*field.tag.name {
            "file" | "size" | "lastmodificationdate" | "creationdate" | "hashdate" => {}
            "null" => is_null = true,
            tag => match digest(field)? {
                Some((algorithm, digest)) => match stated.iter().find(|s| s.algorithm() == Some(algorithm)) {
                    None => stated.push(Stated::new(Some(algorithm), digest)),
                    Some(same) if same.digest == digest => {}
                    Some(_) => return Err(Fault::Malformed),
                },
                None if looks_like_a_digest(&field.text) => unknown.push(tag.to_string()),
                None => {}
            },
        }
    }
    let size = record.field("size")?.map(|f| xml::length(&f.text)).transpose()?;
    // Early versions wrote local times without an offset, which tell nothing.
    let mtime = record.field("lastmodificationdate")?.and_then(|f| xml::time(&f.text));
    if stated.is_empty() && unknown.is_empty() && !is_null {
        return Err(Fault::Malformed);
    }
    super::with_digests(Entry { name, size, mtime, stated, unknown, ..Entry::default() })
}

/// Returns the algorithm and the value of a digest, or `None` if the field has another meaning or an unknown algorithm.
fn digest(field: &Field) -> Result<Option<(Algorithm, Digest)>, Fault> {
    let text = field.text.trim_ascii();
    let tag = field.tag.name.to_ascii_lowercase();
    let (name, digest) = match &*tag {
        "c4" => ("sha512", from_c4(text)),
        "xxhash" => ("xxh32", from_decimal(text)),
        "xxhash64be" => ("xxh64", from_hex(text)),
        "xxhash64" => ("xxh64", from_hex(text).map(|d| reversed(&d))),
        tag => (tag, from_hex(text)),
    };
    let Some(algorithm) = algorithm_of_tag(name) else { return Ok(None) };
    let is_hex = field.tag.attribute("encoding").is_none_or(|e| e.eq_ignore_ascii_case(b"hex"));
    let digest = digest.filter(|d| d.as_bytes().len() == algorithm.digest_len() && is_hex && !field.is_nested);
    digest.map(|d| Some((algorithm, d))).ok_or(Fault::Malformed)
}

/// Parses XXH32 as a decimal number. Eight digits are refused, since they may be hexadecimal ones.
fn from_decimal(text: &[u8]) -> Option<Digest> {
    let is_decimal = (1..=10).contains(&text.len()) && text.len() != 8 && text.iter().all(u8::is_ascii_digit);
    let number: u32 = std::str::from_utf8(text).ok().filter(|_| is_decimal)?.parse().ok()?;
    Some(Digest::from_bytes(&number.to_be_bytes()))
}

fn reversed(digest: &Digest) -> Digest {
    let bytes: Vec<u8> = digest.as_bytes().iter().rev().copied().collect();
    Digest::from_bytes(&bytes)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{attack, read};
    use super::*;

    /// In the form of mhl-tool 0.2.32; all digests are of `hello`, as md5sum, sha1sum and xxhsum state them.
    const LIST: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<hashlist version="1.1">

  <creatorinfo>
    <name>A &amp; B</name>
    <username>a</username>
    <hostname>h</hostname>
    <tool>mhl ver. 0.2.32</tool>
    <startdate>2016-04-18T14:47:39Z</startdate>
    <finishdate>2016-04-18T14:47:39Z</finishdate>
  </creatorinfo>

  <hash>
    <file>a/1.mov</file>
    <size>5</size>
    <lastmodificationdate>2016-04-18T14:45:32Z</lastmodificationdate>
    <xxhash>4211111929</xxhash>
    <hashdate>2016-04-18T14:47:39Z</hashdate>
  </hash>

  <hash>
    <file> 2 &lt;ü&gt;</file>
    <size>5</size>
    <lastmodificationdate>2012-12-01 18-34-54</lastmodificationdate>
    <xxhash64>a36d9f887d82c726</xxhash64>
    <hashdate>2016-04-18T14:47:39Z</hashdate>
  </hash>

  <hash>
    <file>3</file>
    <size>5</size>
    <xxhash64be>26c7827d889f6da3</xxhash64be>
    <md5 bit="128" encoding="hex">5d41402abc4b2a76b9719d911017c592</md5>
    <sha1>aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d</sha1>
  </hash>

  <hash>
    <file>4</file>
    <size>5</size>
    <null></null>
  </hash>

</hashlist>
"#;

    #[test]
    fn what_is_about_a_file_elsewhere() {
        let hash = "<hash><file>a</file><md5>5d41402abc4b2a76b9719d911017c592</md5></hash>";
        for (list, faults) in
            [(hash.to_string(), 0), (format!("<other>{hash}</other>"), 1), ("<x><y>z</y></x>".into(), 0)]
        {
            let said = read(format!("<hashlist version='1.1'>{list}</hashlist>"), "x");
            assert_eq!(said.faults.len(), faults, "{list}");
        }
    }

    #[test]
    fn orders_of_bytes() {
        let want = [
            "13 a/1.mov 5 @1460990732.0 XXH32=fb0077f9",
            r"21  2 <\xc3\xbc> 5 XXH64=26c7827d889f6da3",
            "29 3 5 XXH64=26c7827d889f6da3 MD5=5d41402abc4b2a76b9719d911017c592 \
             SHA1=aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d",
            "37 bad: a file without a digest",
        ];
        assert_eq!(read(LIST, "x").lines, want);
        assert_eq!(read(LIST.replace('\n', "\r\n"), "x").lines, want);
        for name in ["xxh32", "xxh64"] {
            let a = Algorithm::named(name).unwrap();
            assert!(want.iter().any(|w| w.contains(&format!("{}={}", name.to_uppercase(), a.digest(b"hello")))));
        }
    }

    #[test]
    fn entries_of_every_kind() {
        let one = |content: &str| read(format!("<hashlist>{content}</hashlist>"), "x").lines.join("|");
        let hash = |content: &str| one(&format!("<hash><file>a</file>{content}</hash>"));
        assert_eq!(hash("<xxhash>0046947589</xxhash>"), "1 a XXH32=02cc5d05");
        assert_eq!(hash("<xxhash>46947589 </xxhash>"), "1 bad: checksum line not understood");
        assert_eq!(hash("<xxhash>5</xxhash>"), "1 a XXH32=00000005");
        assert_eq!(hash("<sha256>00</sha256>"), "1 bad: checksum line not understood");
        assert_eq!(
            hash("<foo128>00000000000000000000000000000000</foo128>"),
            "1 bad: digest of an unknown algorithm, foo128"
        );
        assert_eq!(hash("<XXHASH64BE>ef46db3751d8e999</XXHASH64BE><camera>A</camera>"), "1 a XXH64=ef46db3751d8e999");
        // One digest in two spellings.
        assert_eq!(
            hash("<xxhash64be>26c7827d889f6da3</xxhash64be><xxhash64>a36d9f887d82c726</xxhash64>"),
            "1 a XXH64=26c7827d889f6da3"
        );
        for content in [
            "",
            "<camera>A</camera>",
            "<xxhash>4294967296</xxhash>",
            "<xxhash>-1</xxhash>",
            "<xxhash></xxhash>",
            "<xxhash64be>26c7827d889f6da</xxhash64be>",
            "<xxhash64be>26c7827d889f6da3</xxhash64be><xxhash64>26c7827d889f6da3</xxhash64>",
            "<xxhash64be>26c7827d889f6da3</xxhash64be><file>b</file>",
            "<xxhash64be>26c7827d889f6da3</xxhash64be><size>x</size>",
            "<md5 encoding='base64'>5d41402abc4b2a76b9719d911017c592</md5>",
        ] {
            assert_eq!(hash(content), "1 bad: checksum line not understood", "{content}");
        }
        assert_eq!(one("<clip><file>a</file></clip>"), "1 bad: checksum line not understood");
        assert_eq!(one("<clip><reel>a</reel></clip>"), "");
        let sniff = |head: &str| Mhl1.sniff(head.as_bytes(), Path::new("x.mhl"));
        assert!(
            sniff("<hashlist version='1.0'>") && sniff("<hashlist>") && !sniff("<hashlist xmlns='urn:ASC:MHL:v2.0'>")
        );
    }

    #[test]
    fn damage() {
        assert_eq!(attack(LIST, "x"), []);
    }
}
