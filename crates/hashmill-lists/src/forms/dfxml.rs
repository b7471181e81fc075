//! Digital Forensics XML: `md5deep -d`, `hashdeep -d` and their like, and fiwalk. Every `<fileobject>` has a name and
//! digests of the whole file, and may have those of its parts (`-p`), which do not count here.
//!
//! hashdeep writes names byte for byte, whatever they are, with nothing but `<`, `>`, `&` and quotes escaped. The line
//! of an entry is that of its `<fileobject>`.

use super::{Base, End, Form, Format, How, Sink};
use crate::base::digits::{from_base64, from_hex};
use crate::base::entry::{Entry, Item, Note, Stated};
use crate::base::fault::Fault;
use crate::base::tag::algorithm_of_tag;
use crate::text::source::Source;
use crate::text::xml::{self, Ends, Field, Part, Record, Xml};
use hashmill::{Algorithm, Digest};
use std::path::Path;

pub(crate) const FORM: Form = Form {
    name: "dfxml",
    what: "Digital Forensics XML (`<fileobject>`)",
    programs: "md5deep -d, hashdeep -d, fiwalk",
    writes: false,
    lines: false,
    algorithms: "any",
    several: true,
    sizes: true,
    times: true,
    cannot: "",
    base: Base::Current,
    format: &Dfxml,
};

struct Dfxml;

impl Format for Dfxml {
    fn sniff(&self, head: &[u8], _: &Path) -> bool {
        xml::root(head).is_some_and(|root| matches!(&*root.name, "dfxml" | "fiwalk"))
    }

    fn read(&self, source: Source<'_>, _: &How<'_>, sink: &mut Sink<'_>) -> Result<(), End> {
        let mut xml = Xml::new(source.whole(), Ends::Literal);
        loop {
            match xml.next()? {
                Part::End => return Ok(()),
                // It may be in a `<volume>`, or in a partition in it.
                Part::Open if xml.tag().name == "fileobject" => {}
                _ => continue,
            }
            let record = xml.record(is_part)?;
            let has_another = record.fields.iter().any(|f| f.tag.name == "fileobject");
            let fault = record.fault.clone().or(has_another.then_some(Fault::Malformed));
            let item = fault.map_or_else(|| file(&record), Err);
            sink.put(record.line, item.unwrap_or_else(Item::Bad))?;
        }
    }
}

/// Returns whether an element describes parts of a file.
fn is_part(tag: &str) -> bool {
    matches!(tag, "byte_run" | "byte_runs")
}

/// Returns what a `<fileobject>` says.
fn file(record: &Record) -> Result<Item, Fault> {
    let (mut stated, mut unknown) = (Vec::<Stated>::new(), Vec::new());
    for field in record.fields.iter().filter(|f| f.tag.name == "hashdigest") {
        let tag = field.tag.attribute("type").and_then(|t| std::str::from_utf8(t).ok()).ok_or(Fault::Malformed)?;
        let Some(algorithm) = algorithm_of_tag(tag) else {
            unknown.push(tag.to_string());
            continue;
        };
        let digest = digest(field, algorithm).ok_or(Fault::Malformed)?;
        match stated.iter().find(|s| s.algorithm() == Some(algorithm)) {
            None => stated.push(Stated::new(Some(algorithm), digest)),
            Some(same) if same.digest == digest => {}
            Some(_) => return Err(Fault::Malformed),
        }
    }
    if stated.is_empty() {
        if let Some(name) = unknown.pop() {
            return Err(Fault::NoSuchAlgorithm(name));
        }
        // fiwalk describes every file's place on the disk this way, with digests or without.
        let is_file = record.field("name_type")?.is_none_or(|f| f.text.trim_ascii() == b"r");
        return match (is_file, record.has_others) {
            (true, true) => Err(Fault::Said("no digest of the whole file, if any".into())),
            (true, false) => Err(Fault::NoDigest),
            (false, _) => record.name("filename").map(|_| Item::Note(Note::NoDigest)),
        };
    }
    let name = record.name("filename")?.to_vec();
    let size = record.field("filesize")?.map(|f| xml::length(&f.text)).transpose()?;
    let mtime = record.field("mtime")?.and_then(|f| xml::time(&f.text));
    Ok(Item::Entry(Entry { name, size, mtime, stated, unknown, ..Entry::default() }))
}

fn digest(field: &Field, algorithm: Algorithm) -> Option<Digest> {
    let text = field.text.trim_ascii();
    let len = algorithm.digest_len();
    let digest = match field.tag.attribute("coding") {
        None | Some(b"base16") => from_hex(text),
        Some(b"base64") => from_base64(text, len),
        Some(_) => None,
    };
    digest.filter(|d| d.as_bytes().len() == len && !field.is_nested)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{attack, read};
    use super::*;

    /// Written by hashdeep 4.4 and md5deep 4.4, shortened.
    const LIST: &[u8] = b"<?xml version='1.0' encoding='UTF-8'?>
<dfxml \n  xmlns='http://www.forensicswiki.org/wiki/Category:Digital_Forensics_XML' \n  xmlns:deep='http://md5deep.sourceforge.net/md5deep/' \n  xmlns:dc='http://purl.org/dc/elements/1.1/' version='1.0'>
  <deep:configuration>
    <algorithms>
      <algorithm name='md5' enabled='1'/>
    </algorithms>
  </deep:configuration>
  <metadata>
    <dc:type>Hash List</dc:type>
  </metadata>
  <creator version='1.0'>
    <program>MD5DEEP</program>
  </creator>
  <fileobject>
    <filename>./b\xff\xfea</filename>
    <filesize>5</filesize>
    <mtime>2026-11-28T13:25:03Z</mtime>
    <ctime>2026-11-28T13:25:03Z</ctime>
    <atime>2026-11-28T13:25:03Z</atime>
    <hashdigest type='MD5'>5d41402abc4b2a76b9719d911017c592</hashdigest>
    <hashdigest type='SHA1'>aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d</hashdigest>
  </fileobject>
  <fileobject>
    <filename>./c\r\nr</filename>
    <filesize>5</filesize>
    <hashdigest type='MD5'>5d41402abc4b2a76b9719d911017c592</hashdigest>
  </fileobject>
  <fileobject>
    <filename>./&amp;lt; \x01&quot;&apos;\xc3\xbc</filename>
    <hashdigest type='TIGER'>2cfd7f6f336288a7f2741b9bf874388a54026639cadb7bf2</hashdigest>
  </fileobject>
  <fileobject>
    <filename>plain.txt</filename>
    <filesize>5</filesize>
    <mtime>2026-11-28T13:15:24Z</mtime>
    <byte_run file_offset='0' len='4'>   
      <hashdigest type='MD5'>4229d691b07b13341da53f17ab9f2416</hashdigest>
    </byte_run>
    <byte_run file_offset='4' len='1'>   
      <hashdigest type='MD5'>d95679752134a2d9eb61dbd7b91c4bcc</hashdigest>
    </byte_run>
    <hashdigest type='MD5'>5d41402abc4b2a76b9719d911017c592</hashdigest>
  </fileobject>
  <rusage>
    <utime>0.002081</utime>
  </rusage>
</dfxml>
";

    const MD5: &str = "<hashdigest type='md5'>5d41402abc4b2a76b9719d911017c592</hashdigest>";

    #[test]
    fn what_is_written_by_hashdeep() {
        let want = [
            r"17 ./b\xff\xfea 5 @1795872303.0 MD5=5d41402abc4b2a76b9719d911017c592 SHA1=aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d",
            r"26 ./c\r\nr 5 MD5=5d41402abc4b2a76b9719d911017c592",
            r#"32 ./&lt; \x01\"\'\xc3\xbc TIGER192-3=2cfd7f6f336288a7f2741b9bf874388a54026639cadb7bf2"#,
            "36 plain.txt 5 @1795871724.0 MD5=5d41402abc4b2a76b9719d911017c592",
        ];
        assert_eq!(read(LIST, "x").lines, want);
        let tiger = Algorithm::named("tiger").unwrap().digest(b"hello").to_string();
        assert!(want[2].ends_with(&tiger), "{tiger}");
    }

    #[test]
    fn entries_of_every_kind() {
        let one = |content: &str| {
            let list =
                format!("<dfxml><volume><fileobject><filename>a</filename>{content}</fileobject></volume></dfxml>");
            read(list, "x").lines.join("|")
        };
        let good = "1 a MD5=5d41402abc4b2a76b9719d911017c592";
        assert_eq!(one(MD5), good);
        let with_other = format!("1 note: NotKnown(\"x\")|{good}");
        assert_eq!(one(&format!("{MD5}{MD5}<hashdigest type='x'>00</hashdigest>")), with_other);
        assert_eq!(one("<hashdigest type='MD5' coding='base64'>XUFAKrxLKna5cZ2REBfFkg==</hashdigest>"), good);
        assert_eq!(one("<hashdigest type='x'>00</hashdigest>"), "1 bad: digest of an unknown algorithm, x");
        assert_eq!(one("<name_type>d</name_type><byte_runs><byte_run/></byte_runs>"), "1 note: NoDigest");
        assert_eq!(one(""), "1 bad: a file without a digest");
        assert_eq!(one(&format!("<byte_run>{MD5}</byte_run>")), "1 bad: no digest of the whole file, if any");
        for content in [
            MD5.replace("c592", "c59"),
            MD5.replace(" type='md5'", ""),
            MD5.replace("type", "coding='base85' type"),
            format!("{MD5}{}", MD5.replace("c592", "c593")),
            format!("{MD5}<filename>b</filename>"),
            format!("{MD5}<filesize>1e3</filesize>"),
            format!("{MD5}<filesize></filesize>"),
        ] {
            assert_eq!(one(&content), "1 bad: checksum line not understood", "{content}");
        }
    }

    /// A large file has many parts, which take no memory.
    #[test]
    fn many_parts() {
        let parts = format!("<byte_run file_offset='0' len='4'>{MD5}</byte_run>\n").repeat(50_000);
        let list = format!("<dfxml><fileobject><filename>a</filename>{parts}{MD5}</fileobject></dfxml>");
        assert_eq!(read(list, "x").lines, ["1 a MD5=5d41402abc4b2a76b9719d911017c592"]);
    }

    #[test]
    fn damage() {
        // Two lists take less time than one.
        let third = memchr::memmem::find(LIST, b"  <fileobject>\n    <filename>./&amp;").unwrap();
        assert_eq!(attack([&LIST[..third], b"</dfxml>\n"].concat(), "x"), []);
        assert_eq!(attack([b"<dfxml>\n", &LIST[third..]].concat(), "x"), []);
    }
}
