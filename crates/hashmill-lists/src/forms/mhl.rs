//! The generations of an ASC MHL history (`ascmhl/0001_….mhl`), in the namespace `urn:ASC:MHL:v2.0`: ascmhl, and the
//! tools that copy the recordings of film cameras. Names are relative to the folder above `ascmhl`.
//!
//! A digest whose `action` is `failed` is that of the file as it was found when it did not match any more, so it is no
//! evidence that the file is good; an entry that has one is refused. The line of an entry is that of its `<hash>`.

use super::{Base, End, Form, Format, How, Sink, Unfit, Write};
use crate::base::digits::{Digits, c4, from_c4, from_hex, looks_like_a_digest};
use crate::base::entry::{Entry, Item, Note, Stated};
use crate::base::fault::Fault;
use crate::base::function::{Composition, Function};
use crate::base::header::Header;
use crate::base::tag::algorithm_of_tag;
use crate::base::time;
use crate::text::source::Source;
use crate::text::xml::{self, Ends, Field, Part, Record, Xml};
use hashmill::{Algorithm, Digest};
use std::path::Path;

pub(crate) const FORM: Form = Form {
    name: "mhl",
    what: "a generation of an ASC MHL history (`ascmhl/….mhl`, XML)",
    programs: "ascmhl, and tools for film recordings",
    writes: true,
    lines: false,
    algorithms: "MD5, SHA-1, SHA-512 (as C4), XXH64, XXH3, XXH128",
    several: true,
    sizes: true,
    times: true,
    cannot: "that are not UTF-8, have control characters, or lead out of the folder",
    base: Base::Above,
    format: &Mhl,
};

struct Mhl;

/// The beginning of the namespace of every version of this form.
const NAMESPACE: &str = "urn:ASC:MHL:v2.";

/// The names of digests, in the order in which they are written.
const DIGESTS: [(&str, &str); 6] =
    [("c4", "sha512"), ("md5", "md5"), ("sha1", "sha1"), ("xxh128", "xxh128"), ("xxh3", "xxh3"), ("xxh64", "xxh64")];

impl Format for Mhl {
    fn sniff(&self, head: &[u8], _: &Path) -> bool {
        xml::root(head).is_some_and(|root| root.name == "hashlist" && is_asc(&root))
    }

    fn read(&self, source: Source<'_>, _: &How<'_>, sink: &mut Sink<'_>) -> Result<(), End> {
        let mut xml = Xml::new(source.whole(), Ends::Xml);
        let mut section = String::new();
        loop {
            match xml.next()? {
                Part::End => return Ok(()),
                Part::Open => {}
                _ => continue,
            }
            match (xml.depth(), &*xml.tag().name) {
                (1, _) => {}
                (2, name @ ("creatorinfo" | "processinfo" | "hashes" | "metadata" | "references")) => {
                    name.clone_into(&mut section);
                }
                (2, _) => {
                    section.clear();
                    sink.put(xml.line(), Item::Bad(Fault::Malformed))?;
                }
                (3, name) => {
                    let item: fn(&Record) -> Result<Item, Fault> = match (&*section, name) {
                        ("hashes", "hash") => file,
                        ("hashes", "directoryhash") | ("processinfo", "roothash") => |_| Ok(Item::Note(Note::Folders)),
                        ("references", "hashlistreference") => reference,
                        ("hashes" | "references", _) => |_| Err(Fault::Malformed),
                        _ => continue,
                    };
                    let others: fn(&str) -> bool = if name == "hash" || name == "hashlistreference" {
                        |name| matches!(name, "metadata" | "previousPath")
                    } else {
                        |_| true
                    };
                    let record = xml.record(others)?;
                    let item = record.fault.clone().map_or_else(|| item(&record), Err).unwrap_or_else(Item::Bad);
                    sink.put(record.line, item)?;
                }
                _ => {}
            }
        }
    }

    fn writer(&self, header: &Header) -> Option<Box<dyn Write>> {
        Some(Box::new(Writer { header: header.clone(), now: time::format(header.now), any: false }))
    }
}

/// Returns whether this is the outermost element of version 2.
pub(crate) fn is_asc(root: &xml::Tag) -> bool {
    root.declares(NAMESPACE) || root.attribute("version").is_some_and(|v| v.starts_with(b"2"))
}

/// Returns what a `<hash>` says.
fn file(record: &Record) -> Result<Item, Fault> {
    let name = record.name("path")?;
    let (mut stated, mut unknown, mut has_failed) = (Vec::<Stated>::new(), Vec::new(), false);
    for field in &record.fields {
        let tag = &*field.tag.name;
        if tag == "path" {
            continue;
        }
        let Some(algorithm) = algorithm(tag) else {
            if looks_like_a_digest(&field.text) {
                unknown.push(tag.to_string());
            }
            continue;
        };
        match field.tag.attribute("action") {
            None | Some(b"original" | b"verified" | b"new") => {}
            Some(b"failed") => has_failed = true,
            Some(_) => return Err(Fault::Malformed),
        }
        let digest = digest(field, algorithm)?;
        match stated.iter().find(|s| s.algorithm() == Some(algorithm)) {
            None => stated.push(Stated::new(Some(algorithm), digest)),
            Some(same) if same.digest == digest => {}
            Some(_) => return Err(Fault::Malformed),
        }
    }
    if has_failed {
        let name = String::from_utf8_lossy(name);
        return Err(Fault::Said(
            format!("{name} had changed already when this list was made, by what the list says").into(),
        ));
    }
    let path = record.field("path")?;
    let attribute = |name| path.and_then(|f| f.tag.attribute(name));
    let size = attribute("size").map(xml::length).transpose()?;
    let mtime = attribute("lastmodificationdate").and_then(xml::time);
    super::with_digests(Entry { name: name.to_vec(), size, mtime, stated, unknown, ..Entry::default() })
}

/// Returns what a `<hashlistreference>` says: the name and the digest of a list in a folder below, which has the files
/// there.
fn reference(record: &Record) -> Result<Item, Fault> {
    let name = record.name("path")?.to_vec();
    let c4 = record.field("c4")?.ok_or(Fault::Malformed)?;
    let algorithm = algorithm("c4").ok_or(Fault::Malformed)?;
    Ok(Item::Entry(Entry::new(name, Some(algorithm), digest(c4, algorithm)?)))
}

pub(crate) fn algorithm(tag: &str) -> Option<Algorithm> {
    let name = DIGESTS.iter().find(|(t, _)| *t == tag).map_or(tag, |(_, name)| name);
    algorithm_of_tag(name)
}

pub(crate) fn digest(field: &Field, algorithm: Algorithm) -> Result<Digest, Fault> {
    let text = field.text.trim_ascii();
    let digest = if field.tag.name == "c4" { from_c4(text) } else { from_hex(text) };
    digest.filter(|d| d.as_bytes().len() == algorithm.digest_len() && !field.is_nested).ok_or(Fault::Malformed)
}

/// Appends the beginning of a list, up to what made it; `more` may add to that.
pub(crate) fn put_creator(header: &Header, now: &str, more: impl FnOnce(&mut Vec<u8>), out: &mut Vec<u8>) {
    out.extend_from_slice(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out.extend_from_slice(b"<hashlist version=\"2.0\" xmlns=\"urn:ASC:MHL:v2.0\">\n  <creatorinfo>\n");
    out.extend_from_slice(format!("    <creationdate>{now}</creationdate>\n    <hostname>").as_bytes());
    put_lossy(&header.host, out);
    let program = &*header.program;
    let (name, version) = program.rsplit_once(' ').unwrap_or((program, ""));
    out.extend_from_slice(b"</hostname>\n    <tool version=\"");
    put_lossy(version, out);
    out.extend_from_slice(b"\">");
    put_lossy(name, out);
    out.extend_from_slice(b"</tool>\n");
    more(out);
    out.extend_from_slice(b"  </creatorinfo>\n");
}

/// Appends text, with `?` for what XML cannot hold.
fn put_lossy(text: &str, out: &mut Vec<u8>) {
    for c in text.chars() {
        if xml::put(c.encode_utf8(&mut [0; 4]).as_bytes(), out).is_err() {
            out.push(b'?');
        }
    }
}

/// Appends a line with a digest; `attributes` begin with a blank.
pub(crate) fn put_digest(tag: &str, attributes: &str, digest: &Digest, indent: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("{indent}<{tag}{attributes}>").as_bytes());
    match tag {
        "c4" => out.extend_from_slice(c4(digest.as_bytes()).as_bytes()),
        _ => Digits::Hex.put(out, digest.as_bytes()),
    }
    out.extend_from_slice(format!("</{tag}>\n").as_bytes());
}

struct Writer {
    header: Header,
    now: String,
    any: bool,
}

impl Write for Writer {
    fn begin(&mut self, out: &mut Vec<u8>) {
        put_creator(&self.header, &self.now, |_| (), out);
        out.extend_from_slice(b"  <processinfo>\n    <process>in-place</process>\n    <ignore>\n");
        for pattern in ["ascmhl", "ascmhl/"] {
            out.extend_from_slice(format!("      <pattern>{pattern}</pattern>\n").as_bytes());
        }
        out.extend_from_slice(b"    </ignore>\n  </processinfo>\n");
    }

    fn entry(&mut self, entry: &Entry, out: &mut Vec<u8>) -> Result<(), Unfit> {
        super::within(&entry.name)?;
        let mut digests = Vec::new();
        for stated in &entry.stated {
            let place = match stated.function {
                Some(Function::Hash(a)) => DIGESTS.iter().position(|(_, name)| *name == a.name()),
                Some(Function::Composed(Composition::C4)) => DIGESTS.iter().position(|(tag, _)| *tag == "c4"),
                _ => None,
            };
            match (place, stated.function) {
                (Some(place), _) => digests.push((place, &stated.digest)),
                (None, Some(function)) => return Err(Unfit::Algorithm(function)),
                (None, None) => return Err(Unfit::Name("a digest of an unknown algorithm")),
            }
        }
        digests.sort_by_key(|(place, _)| *place);
        if !self.any {
            out.extend_from_slice(b"  <hashes>\n");
        }
        out.extend_from_slice(b"    <hash>\n      <path");
        if let Some(size) = entry.size {
            out.extend_from_slice(format!(" size=\"{size}\"").as_bytes());
        }
        // Years that have other than four digits are left out.
        let mtime = entry.mtime.map(time::format).filter(|t| time::parse(t) == entry.mtime);
        if let Some(mtime) = mtime {
            out.extend_from_slice(format!(" lastmodificationdate=\"{mtime}\"").as_bytes());
        }
        out.push(b'>');
        xml::put(&entry.name, out).map_err(Unfit::Name)?;
        out.extend_from_slice(b"</path>\n");
        for (place, digest) in digests {
            let (tag, _) = DIGESTS[place];
            let attributes = format!(" action=\"original\" hashdate=\"{}\"", self.now);
            put_digest(tag, &attributes, digest, "      ", out);
        }
        out.extend_from_slice(b"    </hash>\n");
        self.any = true;
        Ok(())
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        if self.any {
            out.extend_from_slice(b"  </hashes>\n");
        }
        out.extend_from_slice(b"</hashlist>\n");
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Written, attack, entry, header, names, read, write};
    use super::*;

    /// Written by ascmhl 1.2, with some of the digests of folders left out.
    const LIST: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<hashlist version="2.0" xmlns="urn:ASC:MHL:v2.0">
  <creatorinfo>
    <creationdate>2026-11-28T13:24:04+00:00</creationdate>
    <hostname>vm</hostname>
    <tool version="1.2">ascmhl</tool>
  </creatorinfo>
  <processinfo>
    <process>in-place</process>
    <roothash>
      <content>
        <md5 hashdate="2026-11-28T13:24:04.464439+00:00">80d41d23c9d62ae439cf02ba7983c44b</md5>
      </content>
      <structure>
        <md5 hashdate="2026-11-28T13:24:04.464439+00:00">86e315a25d9814cab432faf6d743c3fd</md5>
      </structure>
    </roothash>
    <ignore>
      <pattern>.DS_Store</pattern>
      <pattern>ascmhl</pattern>
      <pattern>ascmhl/</pattern>
    </ignore>
  </processinfo>
  <hashes>
    <hash>
      <path size="1" lastmodificationdate="2026-11-28T13:24:04+00:00">sub/]]&gt;x</path>
      <c4 action="original" hashdate="2026-11-28T13:24:04.457493+00:00">c457o6f69gjGJTGqEkeDYoiT1yndb8Tzz36TK3QeaGPCpqzqKqwhWGSUWzrLt8d3AFpv5SbTkKtX747ayQEhtMFEmv</c4>
      <md5 action="original" hashdate="2026-11-28T13:24:04.457533+00:00">d95679752134a2d9eb61dbd7b91c4bcc</md5>
      <sha1 action="original" hashdate="2026-11-28T13:24:04.457544+00:00">7a81af3e591ac713f81ea1efe93dcf36157d8376</sha1>
      <xxh128 action="original" hashdate="2026-11-28T13:24:04.457552+00:00">977f2bc6e5a768a0f445b65c72ed012b</xxh128>
      <xxh3 action="original" hashdate="2026-11-28T13:24:04.457560+00:00">f445b65c72ed012b</xxh3>
      <xxh64 action="original" hashdate="2026-11-28T13:24:04.457567+00:00">46ba76d3f19aa15a</xxh64>
    </hash>
    <directoryhash>
      <path lastmodificationdate="2026-11-28T13:24:04+00:00">sub</path>
      <content>
        <md5 hashdate="2026-11-28T13:24:04.457775+00:00">43e56f27b998671de4c7c509cbe409b1</md5>
      </content>
      <structure>
        <md5 hashdate="2026-11-28T13:24:04.457775+00:00">85def1abea3c0af8113a030659e02ff2</md5>
      </structure>
    </directoryhash>
    <hash>
      <path lastmodificationdate="2026-11-28T13:24:04+00:00"> q"ü&lt;&#13;</path>
      <xxh64 action="verified" hashdate="2026-11-28T13:24:04.457567+00:00">ef46db3751d8e999</xxh64>
    </hash>
    <hash>
      <path size="8" lastmodificationdate="2026-11-28T13:24:27+00:00">plain.txt</path>
      <md5 action="failed" hashdate="2026-11-28T13:24:27.457567+00:00">ec1bebaea2c042beb68f7679ddd106a4</md5>
    </hash>
  </hashes>
  <references>
    <hashlistreference>
      <path>sub/ascmhl/0001_sub.mhl</path>
      <c4>c427Mnq4ofwKveVMfRgJkfDCMcyyfPdYM1kRhWni5Fm8iwZ1fg6X9pBR5XKe3YjniNYzvuYMafTHw2P9c7jvRyMtHo</c4>
    </hashlistreference>
  </references>
</hashlist>
"#;

    #[test]
    fn what_is_written_by_ascmhl() {
        let o = Algorithm::named("sha512").unwrap().digest(b"o");
        let mut want = vec![
            "10 note: Folders".to_string(),
            format!(
                "25 sub/]]>x 1 @1795872244.0 SHA512={o} MD5=d95679752134a2d9eb61dbd7b91c4bcc \
                 SHA1=7a81af3e591ac713f81ea1efe93dcf36157d8376 XXH128=977f2bc6e5a768a0f445b65c72ed012b \
                 XXH3=f445b65c72ed012b XXH64=46ba76d3f19aa15a"
            ),
            r#"43  q\"\xc3\xbc<\r @1795872244.0 XXH64=ef46db3751d8e999"#.into(),
            "47 bad: plain.txt had changed already when this list was made, by what the list says".into(),
            "53 sub/ascmhl/0001_sub.mhl SHA512=378012ae5fe38e22ac6e56d3f4c56cf507d81c6f9c3b5688643cd0eba74a4ae63e6445ab30\
             415546e2070d29f29bb4ac4e6f58a97f7cb82d1fd554c0b23dc7da"
                .into(),
        ];
        assert_eq!(read(LIST, "x").lines, want);
        assert_eq!(read(LIST.replace('\n', "\r\n"), "x").lines, want);
        let wide: Vec<u8> = LIST.encode_utf16().chain([b'\n'.into()]).flat_map(u16::to_le_bytes).collect();
        assert_eq!(read([b"\xff\xfe", &wide[..]].concat(), "x").lines, want);
        // The same with a prefix.
        let prefixed = LIST.replace("</", "</m:").replace('<', "<m:").replace("<m:/m:", "</m:").replace("<m:?", "<?");
        assert_eq!(read(prefixed.replace("xmlns=", "xmlns:m="), "x").lines, want);
        // Without line ends.
        want.iter_mut().for_each(|w| *w = format!("1 {}", w.split_once(' ').unwrap().1));
        assert_eq!(read(LIST.replace('\n', ""), "x").lines, want);
    }

    #[test]
    fn entries_of_every_kind() {
        let one = |hash: &str| {
            let list = format!("<hashlist xmlns='urn:ASC:MHL:v2.0'><hashes>{hash}</hashes></hashlist>");
            read(list, "x").lines.join("|")
        };
        let hash = |content: &str| one(&format!("<hash>{content}</hash>"));
        const XXH64: &str = "<xxh64>ef46db3751d8e999</xxh64>";
        const BAD: &str = "1 bad: checksum line not understood";
        let good = "1 a XXH64=ef46db3751d8e999";
        assert_eq!(hash(&format!("<path>a</path>{XXH64}")), good);
        assert_eq!(hash(&format!("<path>a</path>{XXH64}{XXH64}")), good);
        assert_eq!(hash(&format!("<path>a</path>{XXH64}<sha999>00</sha999>")), good);
        assert_eq!(hash(&format!("<path>a</path>{XXH64}<previousPath>b</previousPath>")), good);
        let metadata = "<metadata><path>b</path><md5>0</md5><hash><path>c</path></hash></metadata>";
        assert_eq!(hash(&format!("<path>a</path>{XXH64}{metadata}")), good);
        assert_eq!(hash("<path>a</path><xxh64 action='new'>\n EF46DB3751D8E999 </xxh64>"), good);
        assert_eq!(
            hash("<path>a<![CDATA[<&]]>&#x263a;</path><xxh32>02cc5d05</xxh32>"),
            r"1 a<&\xe2\x98\xba XXH32=02cc5d05"
        );
        assert_eq!(hash("<path>a</path>"), "1 bad: a file without a digest");
        let other = format!("<sha999>{}</sha999>", "00".repeat(16));
        assert_eq!(hash(&format!("<path>a</path>{other}")), "1 bad: digest of an unknown algorithm, sha999");
        assert_eq!(hash(&format!("<path>a</path>{other}{XXH64}")), format!("1 note: NotKnown(\"sha999\")|{good}"));
        for content in [
            String::new(),
            XXH64.into(),
            format!("<path></path>{XXH64}"),
            format!("<path>a&#0;</path>{XXH64}"),
            format!("<path>a&x;</path>{XXH64}"),
            format!("<path>a<b/></path>{XXH64}"),
            format!("<path>a</path><path>a</path>{XXH64}"),
            format!("<path size='1' size='2'>a</path>{XXH64}"),
            format!("<path size='-1'>a</path>{XXH64}"),
            format!("<path size='99999999999999999999'>a</path>{XXH64}"),
            format!("<path>a</path>{XXH64}<xxh64>ef46db3751d8e998</xxh64>"),
            format!("<path>a</path>{XXH64}<md5>00</md5>"),
            "<path>a</path><xxh64></xxh64>".into(),
            "<path>a</path><xxh64>ef46db37<x/>51d8e999</xxh64>".into(),
            "<path>a</path><xxh64 action='lost'>ef46db3751d8e999</xxh64>".into(),
            "<path>a</path><c4>c4</c4>".into(),
            format!("x<path>a</path>{XXH64}"),
        ] {
            assert_eq!(hash(&content), BAD, "{content}");
        }
        assert_eq!(one("<hashes/>"), BAD);
        assert_eq!(one(&format!("<x:hash xmlns:x='urn:x'><path>a</path>{XXH64}</x:hash>")), BAD);
        let long = "a".repeat(900_000);
        let two = hash(&format!("<path>{long}&amp;{long}</path>{XXH64}</hash><hash><path>a</path>{XXH64}"));
        assert_eq!(two, format!("1 bad: line too long for a checksum line|{good}"));
        let failed = hash(&format!("<path>a</path>{XXH64}<md5 action='failed'>{}</md5>", "0".repeat(32)));
        assert!(failed.starts_with("1 bad: a had changed"), "{failed}");
    }

    #[test]
    fn what_is_no_list() {
        let sniff = |head: &str| Mhl.sniff(head.as_bytes(), Path::new("x.mhl"));
        assert!(sniff("\n<?xml version='1.0'?><!-- x --><hashlist xmlns='urn:ASC:MHL:v2.0'>"));
        assert!(sniff("<hashlist version=\"2.0\">"));
        for head in [
            "",
            "<",
            "<hashlist version='1.1'>",
            "<ascmhldirectory xmlns='urn:ASC:MHL:DIRECTORY:v2.0'>",
            "5d41402abc4b2a76b9719d911017c592  <hashlist version='2.0'>",
            "<html><hashlist version='2.0'>",
        ] {
            assert!(!sniff(head), "{head}");
        }
    }

    #[test]
    fn there_and_back() {
        let algorithms = DIGESTS.map(|(_, name)| name);
        let mut all: Vec<Entry> = names().map(|name| entry(name, &algorithms)).collect();
        for (i, e) in (0i64..).zip(&mut all) {
            e.size = Some(i as u64 * 1_000_000_000_000);
            e.mtime = Some((1_795_872_244 * i, 250_000_000));
            e.stated.reverse();
        }
        let header = Header { now: (1_795_872_244, 5_000_000), ..header(&[]) };
        let Written { list, mut held, unfit } = write(&FORM, &header, &all);
        held.iter_mut().for_each(|e| e.stated.reverse());
        assert_eq!(read(list, "x").entries, held);
        let want = [
            r"bad\xff\xfebytes", r"\x7fdel\x01\x1b", "/root/x", "../x", r"\xff\xfe", r"a\xe9b", r"\x01\x1b[31m",
            r"\x0b\x0c",
        ];
        assert_eq!(unfit, want);
        for name in [&b"\xff"[..], b"a\x01", b"/a", b"../a"] {
            let unfit = write(&FORM, &header, &[entry(name, &algorithms)]).unfit;
            assert_eq!(unfit.len(), 1, "{}", name.escape_ascii());
        }
        let Written { list, unfit, .. } = write(&FORM, &header, &[entry(b"a", &["sha256"])]);
        assert_eq!(unfit, ["a"]);
        assert!(read(&list, "x").lines.is_empty());
        assert!(!String::from_utf8(list).unwrap().contains("<hashes>"), "the schema wants no empty one");
    }

    #[test]
    fn damage() {
        // Two lists take less time than one.
        let (start, end) = (LIST.find("    <hash>").unwrap(), LIST.find("    <directoryhash>").unwrap());
        let root = &LIST[..LIST.find("  <creatorinfo>").unwrap()];
        let first = format!("{root}<hashes>\n{}</hashes></hashlist>\n", &LIST[start..end]);
        assert_eq!(attack(first, "x"), []);
        // A file that had changed is one that had not if no attribute says so.
        let far = attack(LIST[..start].to_string() + &LIST[end..], "x");
        assert!(far.iter().all(|(_, e)| e.name == b"plain.txt"), "{far:?}");
    }
}
