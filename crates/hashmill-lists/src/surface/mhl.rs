//! The documents of an ASC MHL history: its generations (`ascmhl/0001_….mhl`) with all that they say, which is more
//! than checksum lists do, and the chain (`ascmhl/ascmhl_chain.xml`), which has a digest of every generation.
//!
//! ```text
//! hashlist ─┬─ creatorinfo
//!           ├─ processinfo ─┬─ roothash     digests of the whole folder
//!           │               └─ ignore       patterns of what is left out
//!           ├─ hashes ──────┬─ hash         a file: its digests, and whether they were the ones it had before
//!           │               └─ directoryhash
//!           └─ references ──── hashlistreference     a generation of a history in a folder below
//! ```

use crate::base::digits::Digits;
use crate::base::fault::Fault;
use crate::base::function::{Composition, Function};
use crate::base::header::Header;
use crate::base::time;
use crate::forms::mhl::{algorithm, digest, is_asc, put_creator, put_digest};
use crate::text::xml::{self, Ends, Field, Part as Next, Record, Xml};
use hashmill::{Algorithm, Digest};
use std::io::{self, BufRead};
use std::str::FromStr;

/// The name of the folder of a history.
pub const FOLDER: &str = "ascmhl";

/// The name of the chain in that folder.
pub const CHAIN: &str = "ascmhl_chain.xml";

/// The end of the names of generations.
pub const SUFFIX: &str = ".mhl";

/// The namespace of the chain.
const CHAIN_NAMESPACE: &str = "urn:ASC:MHL:DIRECTORY:v2.0";

/// What a digest in a history is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HashFormat {
    /// SHA-512 in the digits of C4.
    C4,
    /// MD5.
    Md5,
    /// SHA-1.
    Sha1,
    /// XXH128.
    Xxh128,
    /// XXH3 with 64 bits.
    Xxh3,
    /// XXH64.
    Xxh64,
}

impl HashFormat {
    /// All of them, in the order in which a generation has them.
    pub const ALL: [HashFormat; 6] =
        [HashFormat::C4, HashFormat::Md5, HashFormat::Sha1, HashFormat::Xxh128, HashFormat::Xxh3, HashFormat::Xxh64];

    /// Returns its name in a history.
    pub fn name(self) -> &'static str {
        match self {
            HashFormat::C4 => "c4",
            HashFormat::Md5 => "md5",
            HashFormat::Sha1 => "sha1",
            HashFormat::Xxh128 => "xxh128",
            HashFormat::Xxh3 => "xxh3",
            HashFormat::Xxh64 => "xxh64",
        }
    }

    /// Returns the format with a name.
    pub fn named(name: &str) -> Option<HashFormat> {
        HashFormat::ALL.into_iter().find(|f| f.name() == name)
    }

    /// Returns the algorithm.
    pub fn algorithm(self) -> Algorithm {
        algorithm(self.name()).unwrap_or(Algorithm::SHA512)
    }

    /// Returns what its digests are of, so that they are printed as in a history.
    pub fn function(self) -> Function {
        match self {
            HashFormat::C4 => Function::Composed(Composition::C4),
            format => Function::Hash(format.algorithm()),
        }
    }
}

/// Formats as one argument, separated by commas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HashFormatList(pub Vec<HashFormat>);

impl FromStr for HashFormatList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let format = |name: &str| {
            let name = name.trim().to_ascii_lowercase();
            HashFormat::named(&name).ok_or_else(|| {
                let names: Vec<&str> = HashFormat::ALL.iter().map(|f| f.name()).collect();
                format!("'{name}' is no digest of a history: {}", names.join(", "))
            })
        };
        text.split(',').map(format).collect::<Result<_, _>>().map(HashFormatList)
    }
}

/// What a generation says of a digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// It is the first one of the file.
    Original,
    /// The file was as before.
    Verified,
    /// The file was not as before, and this is the digest that it had then.
    Failed,
}

impl Action {
    fn name(self) -> &'static str {
        match self {
            Action::Original => "original",
            Action::Verified => "verified",
            Action::Failed => "failed",
        }
    }
}

/// A digest of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileHash {
    /// What it is of.
    pub format: HashFormat,
    /// Its value.
    pub digest: Digest,
    /// What the generation says of it.
    pub action: Option<Action>,
}

/// The digests of a folder in one format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderHash {
    /// What they are of.
    pub format: HashFormat,
    /// That of the contents, whatever files are called.
    pub content: Digest,
    /// That of names and contents.
    pub structure: Option<Digest>,
}

/// What a generation says of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct File {
    /// Its name below the folder of the history, with `/` between folders.
    pub name: Vec<u8>,
    /// The name that it had before.
    pub previous: Option<Vec<u8>>,
    /// Its length in bytes.
    pub size: Option<u64>,
    /// When it was last modified: seconds since 1970 (UTC), and nanoseconds.
    pub mtime: Option<(i64, u32)>,
    /// Its digests, each in another format.
    pub hashes: Vec<FileHash>,
}

/// What a generation says of a folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Folder {
    /// Its name below the folder of the history; empty for that folder itself.
    pub name: Vec<u8>,
    /// The name that it had before.
    pub previous: Option<Vec<u8>>,
    /// When it was last modified.
    pub mtime: Option<(i64, u32)>,
    /// Its digests; none if they were not made.
    pub hashes: Vec<FolderHash>,
}

/// A part of a generation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// A file.
    File(File),
    /// A folder.
    Folder(Folder),
    /// A pattern, as in a `.gitignore` file, of what is left out.
    Ignored(String),
    /// A generation of a history in a folder below, by its name, and its C4.
    Reference(Vec<u8>, Digest),
    /// What cannot be understood.
    Bad(Fault),
}

/// Reads a generation, and passes its parts and the numbers of their lines to `sink`. Digests in other formats than
/// [`HashFormat`] are passed over.
///
/// # Errors
/// Returns an error if this is no generation, or is damaged or cut off.
pub fn read_generation<'a>(reader: impl BufRead + Send + 'a, mut sink: impl FnMut(u64, Part)) -> io::Result<()> {
    /// Passes on the parts that an element has.
    type Reader = fn(&Record, &mut dyn FnMut(Part)) -> Result<(), Fault>;
    let mut xml = Xml::new(Box::new(reader), Ends::Xml);
    let mut section = String::new();
    loop {
        match xml.next()? {
            Next::End => return Ok(()),
            Next::Open => {}
            _ => continue,
        }
        match (xml.depth(), &*xml.tag().name) {
            (1, "hashlist") if is_asc(xml.tag()) => {}
            (1, _) => return Err(io::Error::new(io::ErrorKind::InvalidData, "is no generation of an ASC MHL history")),
            (2, name) => name.clone_into(&mut section),
            (3, name) => {
                let part: Reader = match (&*section, name) {
                    ("hashes", "hash") => |record, sink| file(record).map(|file| sink(Part::File(file))),
                    ("hashes", "directoryhash") => |record, sink| folder(record, false).map(|f| sink(Part::Folder(f))),
                    ("processinfo", "roothash") => |record, sink| folder(record, true).map(|f| sink(Part::Folder(f))),
                    ("processinfo", "ignore") => |record, sink| {
                        for field in record.fields.iter().filter(|f| f.tag.name == "pattern" && !f.is_nested) {
                            let text = String::from_utf8(field.text.clone()).map_err(|_| Fault::Malformed)?;
                            sink(Part::Ignored(text));
                        }
                        Ok(())
                    },
                    ("references", "hashlistreference") => |record, sink| {
                        let name = record.name("path")?.to_vec();
                        let c4 = record.field("c4")?.ok_or(Fault::Malformed)?;
                        sink(Part::Reference(name, digest(c4, HashFormat::C4.algorithm())?));
                        Ok(())
                    },
                    ("hashes" | "references", _) => |_, _| Err(Fault::Malformed),
                    _ => continue,
                };
                let record = xml.record(|name| name == "metadata")?;
                let understood = match &record.fault {
                    Some(fault) => Err(fault.clone()),
                    None => part(&record, &mut |part| sink(record.line, part)),
                };
                if let Err(fault) = understood {
                    sink(record.line, Part::Bad(fault));
                }
            }
            _ => {}
        }
    }
}

/// Returns what a `<hash>` says.
fn file(record: &Record) -> Result<File, Fault> {
    let mut hashes = Vec::<FileHash>::new();
    for field in &record.fields {
        let Some(format) = HashFormat::named(&field.tag.name) else { continue };
        let action = match field.tag.attribute("action") {
            None => None,
            Some(b"original") => Some(Action::Original),
            Some(b"verified" | b"new") => Some(Action::Verified),
            Some(b"failed") => Some(Action::Failed),
            Some(_) => return Err(Fault::Malformed),
        };
        let digest = digest(field, format.algorithm())?;
        match hashes.iter().find(|h| h.format == format) {
            None => hashes.push(FileHash { format, digest, action }),
            Some(same) if same.digest == digest => {}
            Some(_) => return Err(Fault::Malformed),
        }
    }
    let path = record.field("path")?;
    let attribute = |name| path.and_then(|f| f.tag.attribute(name));
    Ok(File {
        name: record.name("path")?.to_vec(),
        previous: previous(record)?,
        size: attribute("size").map(xml::length).transpose()?,
        mtime: attribute("lastmodificationdate").and_then(xml::time),
        hashes,
    })
}

/// Returns what a `<directoryhash>` or a `<roothash>` says.
fn folder(record: &Record, is_root: bool) -> Result<Folder, Fault> {
    let of = |name| Ok::<_, Fault>(record.fields.iter().filter(move |f| f.tag.name == name).flat_map(|f| &f.inner));
    let value = |field: &Field, format: HashFormat| digest(field, format.algorithm());
    let mut hashes = Vec::<FolderHash>::new();
    for field in of("content")? {
        let Some(format) = HashFormat::named(&field.tag.name) else { continue };
        if hashes.iter().any(|h| h.format == format) {
            return Err(Fault::Malformed);
        }
        hashes.push(FolderHash { format, content: value(field, format)?, structure: None });
    }
    for field in of("structure")? {
        let Some(format) = HashFormat::named(&field.tag.name) else { continue };
        let hash = hashes.iter_mut().find(|h| h.format == format).ok_or(Fault::Malformed)?;
        if hash.structure.replace(value(field, format)?).is_some() {
            return Err(Fault::Malformed);
        }
    }
    let path = record.field("path")?;
    let mtime = path.and_then(|f| f.tag.attribute("lastmodificationdate")).and_then(xml::time);
    let name = if is_root { Vec::new() } else { record.name("path")?.to_vec() };
    Ok(Folder { name, previous: previous(record)?, mtime, hashes })
}

fn previous(record: &Record) -> Result<Option<Vec<u8>>, Fault> {
    record.field("previousPath")?.map(|_| record.name("previousPath").map(<[u8]>::to_vec)).transpose()
}

/// What the chain says of a generation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The number of the generation, if there is one.
    pub number: Option<u64>,
    /// The name of its file.
    pub name: Vec<u8>,
    /// What its digest is of: C4, in all histories known.
    pub format: HashFormat,
    /// Its digest.
    pub digest: Digest,
}

/// Reads a chain.
///
/// # Errors
/// Returns an error if this is no chain, or is damaged, cut off, or has parts that cannot be understood.
pub fn read_chain<'a>(reader: impl BufRead + Send + 'a) -> io::Result<Vec<Link>> {
    let mut xml = Xml::new(Box::new(reader), Ends::Xml);
    let mut links = Vec::new();
    let wrong = |line: u64| {
        io::Error::new(io::ErrorKind::InvalidData, format!("has an entry that is not understood (line {line})"))
    };
    loop {
        match xml.next()? {
            Next::End => return Ok(links),
            Next::Open => {}
            _ => continue,
        }
        match (xml.depth(), &*xml.tag().name) {
            (1, "ascmhldirectory") => {}
            (1, _) => return Err(io::Error::new(io::ErrorKind::InvalidData, "is no chain of an ASC MHL history")),
            (2, "hashlist") => {
                let number = xml.tag().attribute("sequencenr").map(xml::length).transpose();
                let record = xml.record(|name| name == "metadata")?;
                let line = record.line;
                let link = (|| {
                    if let Some(fault) = &record.fault {
                        return Err(fault.clone());
                    }
                    let of = |f: &Field| HashFormat::named(&f.tag.name).map(|format| (format, f.tag.name.clone()));
                    let (format, tag) = record.fields.iter().find_map(of).ok_or(Fault::Malformed)?;
                    let field = record.field(&tag)?.ok_or(Fault::Malformed)?;
                    let digest = digest(field, format.algorithm())?;
                    Ok(Link { number: number?, name: record.name("path")?.to_vec(), format, digest })
                })();
                links.push(link.map_err(|_| wrong(line))?);
            }
            _ => return Err(wrong(xml.line())),
        }
    }
}

/// Returns the document of a chain.
///
/// # Errors
/// Returns why XML cannot hold the name of a generation.
pub fn write_chain(links: &[Link]) -> Result<Vec<u8>, &'static str> {
    let mut out = b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_vec();
    out.extend_from_slice(format!("<ascmhldirectory xmlns=\"{CHAIN_NAMESPACE}\">\n").as_bytes());
    for link in links {
        let number = link.number.map_or(String::new(), |n| format!(" sequencenr=\"{n}\""));
        out.extend_from_slice(format!("  <hashlist{number}>\n    <path>").as_bytes());
        xml::put(&link.name, &mut out)?;
        out.extend_from_slice(b"</path>\n");
        put_digest(link.format.name(), "", &link.digest, "    ", &mut out);
        out.extend_from_slice(b"  </hashlist>\n");
    }
    out.extend_from_slice(b"</ascmhldirectory>\n");
    Ok(out)
}

/// Returns why a history cannot hold a name.
///
/// # Errors
/// The reason, in words.
pub fn fits(name: &[u8]) -> Result<(), &'static str> {
    xml::put(name, &mut Vec::new())
}

/// Who made a generation, and where.
#[derive(Debug, Clone, Default)]
pub struct Author {
    /// A person's name.
    pub name: Option<String>,
    /// An address for mail.
    pub email: Option<String>,
    /// A number to call.
    pub phone: Option<String>,
    /// What the person does.
    pub role: Option<String>,
    /// The place.
    pub location: Option<String>,
    /// Anything else.
    pub comment: Option<String>,
}

impl Author {
    /// Returns what of it a generation cannot have.
    ///
    /// # Errors
    /// The reason, in words.
    pub fn fits(&self) -> Result<(), String> {
        let all = [
            ("name", &self.name),
            ("email", &self.email),
            ("phone", &self.phone),
            ("role", &self.role),
            ("location", &self.location),
            ("comment", &self.comment),
        ];
        for (what, text) in all {
            if let Some(Err(why)) = text.as_ref().map(|text| fits(text.as_bytes())) {
                return Err(format!("the {what} has {why}"));
            }
        }
        // As the schema has it.
        let is_address = |text: &str| {
            let (name, host) = text.split_once('@').unwrap_or_default();
            !name.is_empty() && host.split_once('.').is_some_and(|(a, b)| !a.is_empty() && !b.is_empty())
        };
        match &self.email {
            Some(email) if !is_address(email) => Err(format!("'{email}' is no email address such as name@host.org")),
            _ => Ok(()),
        }
    }

    fn put(&self, out: &mut Vec<u8>) -> Result<(), &'static str> {
        let Author { name, email, phone, role, location, comment } = self;
        if name.is_some() || email.is_some() || phone.is_some() || role.is_some() {
            out.extend_from_slice(b"    <author");
            for (attribute, value) in [("role", role), ("email", email), ("phone", phone)] {
                if let Some(value) = value {
                    out.extend_from_slice(format!(" {attribute}=\"").as_bytes());
                    xml::put(value.as_bytes(), out)?;
                    out.push(b'"');
                }
            }
            out.push(b'>');
            xml::put(name.as_deref().unwrap_or_default().as_bytes(), out)?;
            out.extend_from_slice(b"</author>\n");
        }
        for (tag, value) in [("location", location), ("comment", comment)] {
            if let Some(value) = value {
                out.extend_from_slice(format!("    <{tag}>").as_bytes());
                xml::put(value.as_bytes(), out)?;
                out.extend_from_slice(format!("</{tag}>\n").as_bytes());
            }
        }
        Ok(())
    }
}

/// Appends the beginning of a generation: what made it, the digests of the folder of the history, what is left out.
/// The files and folders follow, then [`end_generation`].
///
/// # Errors
/// Returns why XML cannot hold something.
pub fn begin_generation(
    header: &Header,
    author: &Author,
    root: &[FolderHash],
    ignored: &[String],
    out: &mut Vec<u8>,
) -> Result<(), &'static str> {
    let now = time::format((header.now.0, 0));
    let mut held = Ok(());
    put_creator(header, &now, |out| held = author.put(out), out);
    held?;
    out.extend_from_slice(b"  <processinfo>\n    <process>in-place</process>\n");
    if !root.is_empty() {
        out.extend_from_slice(b"    <roothash>\n");
        put_folder_hashes(root, &now, "      ", out);
        out.extend_from_slice(b"    </roothash>\n");
    }
    out.extend_from_slice(b"    <ignore>\n");
    for pattern in ignored {
        out.extend_from_slice(b"      <pattern>");
        xml::put(pattern.as_bytes(), out)?;
        out.extend_from_slice(b"</pattern>\n");
    }
    out.extend_from_slice(b"    </ignore>\n  </processinfo>\n");
    Ok(())
}

/// Appends a file, whose digests were made at a time, in seconds since 1970.
///
/// # Errors
/// Returns why XML cannot hold its name.
pub fn put_file(file: &File, made: i64, out: &mut Vec<u8>) -> Result<(), &'static str> {
    out.extend_from_slice(b"    <hash>\n      <path");
    if let Some(size) = file.size {
        out.extend_from_slice(format!(" size=\"{size}\"").as_bytes());
    }
    put_path(&file.name, file.mtime, out)?;
    let made = time::format((made, 0));
    for FileHash { format, digest, action } in &file.hashes {
        let action = action.map_or(String::new(), |action| format!(" action=\"{}\"", action.name()));
        put_digest(format.name(), &format!("{action} hashdate=\"{made}\""), digest, "      ", out);
    }
    put_previous(file.previous.as_deref(), out)?;
    out.extend_from_slice(b"    </hash>\n");
    Ok(())
}

/// Appends a folder, whose digests were made at a time, in seconds since 1970.
///
/// # Errors
/// Returns why XML cannot hold its name.
pub fn put_folder(folder: &Folder, made: i64, out: &mut Vec<u8>) -> Result<(), &'static str> {
    out.extend_from_slice(b"    <directoryhash>\n      <path");
    put_path(&folder.name, folder.mtime, out)?;
    put_folder_hashes(&folder.hashes, &time::format((made, 0)), "      ", out);
    put_previous(folder.previous.as_deref(), out)?;
    out.extend_from_slice(b"    </directoryhash>\n");
    Ok(())
}

/// Appends the end of a generation, with the names and digests (C4) of generations of histories in folders below.
///
/// # Errors
/// Returns why XML cannot hold one of the names.
pub fn end_generation(references: &[(Vec<u8>, Digest)], out: &mut Vec<u8>) -> Result<(), &'static str> {
    if !references.is_empty() {
        out.extend_from_slice(b"  <references>\n");
        for (name, digest) in references {
            out.extend_from_slice(b"    <hashlistreference>\n      <path>");
            xml::put(name, out)?;
            out.extend_from_slice(b"</path>\n");
            put_digest("c4", "", digest, "      ", out);
            out.extend_from_slice(b"    </hashlistreference>\n");
        }
        out.extend_from_slice(b"  </references>\n");
    }
    out.extend_from_slice(b"</hashlist>\n");
    Ok(())
}

/// Appends the line that encloses the files and folders of a generation, if there are any.
pub fn put_hashes_tag(is_end: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(if is_end { b"  </hashes>\n" } else { b"  <hashes>\n" });
}

/// Appends the rest of a `<path>`: its time in whole seconds, as other programs expect it, and the name.
fn put_path(name: &[u8], mtime: Option<(i64, u32)>, out: &mut Vec<u8>) -> Result<(), &'static str> {
    // Years that have other than four digits are left out.
    let time = mtime.map(|(seconds, _)| (seconds, 0)).filter(|t| time::parse(&time::format(*t)) == Some(*t));
    if let Some(time) = time {
        out.extend_from_slice(format!(" lastmodificationdate=\"{}\"", time::format(time)).as_bytes());
    }
    out.push(b'>');
    xml::put(name, out)?;
    out.extend_from_slice(b"</path>\n");
    Ok(())
}

fn put_previous(previous: Option<&[u8]>, out: &mut Vec<u8>) -> Result<(), &'static str> {
    if let Some(previous) = previous {
        out.extend_from_slice(b"      <previousPath>");
        xml::put(previous, out)?;
        out.extend_from_slice(b"</previousPath>\n");
    }
    Ok(())
}

fn put_folder_hashes(hashes: &[FolderHash], made: &str, indent: &str, out: &mut Vec<u8>) {
    let (date, inner) = (format!(" hashdate=\"{made}\""), format!("{indent}  "));
    out.extend_from_slice(format!("{indent}<content>\n").as_bytes());
    for FolderHash { format, content, .. } in hashes {
        put_digest(format.name(), &date, content, &inner, out);
    }
    out.extend_from_slice(format!("{indent}</content>\n{indent}<structure>\n").as_bytes());
    for FolderHash { format, structure, .. } in hashes {
        if let Some(structure) = structure {
            put_digest(format.name(), &date, structure, &inner, out);
        }
    }
    out.extend_from_slice(format!("{indent}</structure>\n").as_bytes());
}

/// Returns a digest as a history has it.
pub fn digits(format: HashFormat, digest: &Digest) -> String {
    let mut out = Vec::new();
    format.function().put(digest, Digits::Hex, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(document: &[u8]) -> Result<Vec<(u64, Part)>, String> {
        let mut parts = Vec::new();
        read_generation(document, |line, part| parts.push((line, part))).map_err(|e| e.to_string())?;
        Ok(parts)
    }

    fn hash(format: HashFormat, content: &str) -> FolderHash {
        let digest = |text: &str| format.algorithm().digest(text.as_bytes());
        FolderHash { format, content: digest(content), structure: Some(digest("structure")) }
    }

    /// A generation with everything in it, and its parts.
    fn generation() -> (Vec<u8>, Vec<Part>) {
        let root = vec![hash(HashFormat::C4, "root"), hash(HashFormat::Xxh64, "root")];
        let ignored = ["*.tmp", "<&>", "a\tb"].map(String::from);
        let digest = |format: HashFormat| format.algorithm().digest(b"x");
        let hashes = |action| {
            HashFormat::ALL.map(|format| FileHash { format, digest: digest(format), action: Some(action) }).to_vec()
        };
        let file = |name: &str, previous: Option<&str>, action| File {
            name: name.into(),
            previous: previous.map(Into::into),
            size: Some(7),
            mtime: Some((1_795_872_244, 0)),
            hashes: hashes(action),
        };
        let folder = |name: &str, hashes: Vec<FolderHash>| Folder {
            name: name.into(),
            previous: (!hashes.is_empty()).then(|| b"old\n".to_vec()),
            mtime: Some((5, 0)),
            hashes,
        };
        let files = [file("a", None, Action::Original), file("ü/\n<&>\"", Some("b"), Action::Failed)];
        let folders = [folder("ü", vec![hash(HashFormat::Md5, "m")]), folder("none", Vec::new())];
        let references = [(b"sub/ascmhl/0001_sub.mhl".to_vec(), digest(HashFormat::C4))];
        let header = Header { host: "vm\u{1}".into(), program: "hashmill 1".into(), ..Header::default() };
        let author = Author {
            name: Some("A & B".into()),
            email: Some("a@b.org".into()),
            role: Some("\"DIT\"".into()),
            location: Some("here".into()),
            ..Author::default()
        };
        assert_eq!(author.fits(), Ok(()));
        let mut out = Vec::new();
        begin_generation(&header, &author, &root, &ignored, &mut out).unwrap();
        put_hashes_tag(false, &mut out);
        files.iter().for_each(|file| put_file(file, 9, &mut out).unwrap());
        folders.iter().for_each(|folder| put_folder(folder, 9, &mut out).unwrap());
        put_hashes_tag(true, &mut out);
        end_generation(&references, &mut out).unwrap();
        let whole = Folder { hashes: root, ..Folder::default() };
        let mut all = vec![Part::Folder(whole)];
        all.extend(ignored.map(Part::Ignored));
        all.extend(files.map(Part::File));
        all.extend(folders.map(Part::Folder));
        all.extend(references.map(|(name, digest)| Part::Reference(name, digest)));
        (out, all)
    }

    #[test]
    fn generations_there_and_back() {
        let (document, want) = generation();
        let text = String::from_utf8(document.clone()).unwrap();
        assert!(text.contains("<author role=\"&quot;DIT&quot;\" email=\"a@b.org\">A &amp; B</author>"), "{text}");
        let read: Vec<Part> = parts(&document).unwrap().into_iter().map(|(_, part)| part).collect();
        assert_eq!(read, want);
        // What is cut off is refused, wherever that is.
        let end = document.len() - 1;
        for len in 0..end {
            assert!(parts(&document[..len]).is_err(), "{}", document[..len].escape_ascii());
        }
        // Damage is never a panic.
        for at in (0..end).step_by(3) {
            for byte in [b'<', b'&', b'"', 0, b'x'] {
                let mut damaged = document.clone();
                damaged[at] = byte;
                let _ = parts(&damaged);
            }
        }
        for name in [&b"\xff"[..], b"\x01"] {
            let file = File { name: name.to_vec(), ..File::default() };
            assert!(put_file(&file, 0, &mut Vec::new()).is_err() && fits(name).is_err());
        }
    }

    #[test]
    fn parts_of_every_kind() {
        let of = |section: &str, part: &str| {
            let list = format!("<hashlist xmlns='urn:ASC:MHL:v2.0'><{section}>{part}</{section}></hashlist>");
            let parts: Vec<Part> = parts(list.as_bytes()).unwrap().into_iter().map(|(_, part)| part).collect();
            parts
        };
        const BAD: [Part; 1] = [Part::Bad(Fault::Malformed)];
        let content = "<content><xxh64>ef46db3751d8e999</xxh64><sha999>0</sha999></content>";
        let structure = "<structure><xxh64 hashdate='x'>ef46db3751d8e998</xxh64></structure>";
        let folder = |part: &str| of("hashes", &format!("<directoryhash>{part}</directoryhash>"));
        let whole = folder(&format!("<path>a</path>{content}{structure}<metadata><content/></metadata>"));
        let Part::Folder(Folder { name, hashes, .. }) = &whole[0] else { panic!("{whole:?}") };
        assert_eq!((&name[..], hashes.len()), (&b"a"[..], 1));
        assert_eq!(hashes[0].structure.as_ref().unwrap().to_string(), "ef46db3751d8e998");
        assert!(
            matches!(&folder("<path>a</path><content/><structure/>")[..], [Part::Folder(f)] if f.hashes.is_empty())
        );
        for part in [
            format!("{content}{structure}"),
            format!("<path>a</path>{structure}"),
            format!("<path>a</path>{content}{content}"),
            format!("<path>a</path>{content}{structure}{structure}"),
            "<path>a</path><content><xxh64>ef46db37</xxh64></content>".into(),
            "<path>a</path><content><xxh64>ef46db<b/>3751d8e999</xxh64></content>".into(),
            "<path>a</path><content><xxh64>ef46db3751d8e999&x;</xxh64></content>".into(),
        ] {
            assert_eq!(folder(&part), BAD, "{part}");
        }
        let file = |part: &str| of("hashes", &format!("<hash>{part}</hash>"));
        const XXH64: &str = "<xxh64 action='failed'>ef46db3751d8e999</xxh64>";
        assert!(matches!(&file(&format!("<path>a</path>{XXH64}"))[..], [Part::File(f)] if f.hashes.len() == 1));
        assert!(matches!(&file("<path>a</path><xxh32>00</xxh32>")[..], [Part::File(f)] if f.hashes.is_empty()));
        for part in [
            XXH64.to_string(),
            format!("<path>a</path>{XXH64}<xxh64>ef46db3751d8e998</xxh64>"),
            format!("<path>a</path>{}", XXH64.replace("failed", "lost")),
            format!("<path>a</path>{XXH64}<previousPath>b</previousPath><previousPath>c</previousPath>"),
            format!("<path>a</path>{XXH64}<previousPath></previousPath>"),
        ] {
            assert_eq!(file(&part), BAD, "{part}");
        }
        assert_eq!(of("references", "<hashlistreference><path>a</path></hashlistreference>"), BAD);
        assert_eq!(of("hashes", "<x/>"), BAD);
        assert!(parts(b"<html/>").unwrap_err().contains("no generation"));
        assert!(parts(b"<hashlist version='1.1'/>").is_err());
        let bomb = b"<!DOCTYPE x [<!ENTITY a 'b'>]><hashlist version='2.0'/>";
        assert!(parts(bomb).unwrap_err().contains("DOCTYPE"));
    }

    #[test]
    fn chains_there_and_back() {
        let link = |number, name: &str, format: HashFormat| {
            let digest = format.algorithm().digest(name.as_bytes());
            Link { number, name: name.into(), format, digest }
        };
        let links = [
            link(Some(1), "0001_<ü>.mhl", HashFormat::C4),
            link(None, "x", HashFormat::Md5),
            link(Some(9), "y", HashFormat::C4),
        ];
        let document = write_chain(&links).unwrap();
        assert_eq!(read_chain(&*document).unwrap(), links);
        for len in 0..document.len() - 1 {
            assert!(read_chain(&document[..len]).is_err(), "{}", document[..len].escape_ascii());
        }
        assert!(read_chain(&b"<hashlist version='2.0'/>"[..]).is_err());
        for entry in [
            "<hashlist><path>a</path></hashlist>",
            "<hashlist><c4>c4</c4><path>a</path></hashlist>",
            "<hashlist sequencenr='x'><path>a</path><md5>0cc175b9c0f1b6a831c399e269772661</md5></hashlist>",
            "<hashlist><md5>0cc175b9c0f1b6a831c399e269772661</md5></hashlist>",
            "<x/>",
        ] {
            let chain = format!("<ascmhldirectory>{entry}</ascmhldirectory>");
            assert!(read_chain(chain.as_bytes()).is_err(), "{entry}");
        }
    }

    #[test]
    fn arguments() {
        let list = |text: &str| text.parse::<HashFormatList>().map(|list| list.0);
        assert_eq!(list("xxh64, C4"), Ok(vec![HashFormat::Xxh64, HashFormat::C4]));
        assert!(list("sha256").unwrap_err().contains("c4, md5, sha1"));
        for (email, is_good) in [("a@b.c", true), ("a@b", false), ("@b.c", false), ("a@.c", false), ("x", false)] {
            let author = Author { email: Some(email.into()), ..Author::default() };
            assert_eq!(author.fits().is_ok(), is_good, "{email}");
        }
    }
}
