//! The control files of Debian: `Release` and `InRelease`, `.dsc`, `.changes` and `.buildinfo`, whose fields have a
//! line ` hex size name` for every file; `Packages`, whose stanzas are of one file each, and `Sources`.
//!
//! What a field says of a file is an entry of its own, since another field may come megabytes later.

use super::{Base, End, Form, Format, How, Sink, doubtful, is_blank, outside};
use crate::base::digits::{from_hex, is_hex};
use crate::base::entry::{Entry, Item, Note, Stated};
use crate::base::fault::Fault;
use crate::base::tag::algorithm_of_tag;
use crate::text::source::{Next, Source};
use hashmill::Algorithm;
use std::path::Path;

pub(crate) const FORM: Form = Form {
    name: "debian",
    what: "fields with lines ` hex size name`",
    programs: "apt-ftparchive, dpkg-source, dpkg-genchanges, dpkg-genbuildinfo, reprepro",
    writes: false,
    lines: false,
    algorithms: "md5, sha1, sha256, sha512",
    several: true,
    sizes: true,
    times: false,
    cannot: "with blanks",
    base: Base::List,
    format: &Debian,
};

struct Debian;

/// Maximum number of lines of one stanza of `Sources`, which are held until its folder is known.
const MAX_HELD: usize = 4096;

impl Format for Debian {
    fn sniff(&self, head: &[u8], _list: &Path) -> bool {
        let mut fields = false;
        let mut section = false;
        let mut digest = false;
        let mut file = false;
        for line in head.split(|&b| b == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if let Some((name, value)) = field(line) {
                fields = true;
                let algorithm = algorithm_of_field(name);
                section = algorithm.is_some() && value.is_empty();
                digest |= algorithm.is_some_and(|a| digest_of(a, value).is_some());
                file |= name.eq_ignore_ascii_case("Filename");
            } else if line.first().is_some_and(|&b| is_blank(b)) {
                if section && of_a_file(line).is_some() {
                    return true;
                }
            } else if line.first() != Some(&b'#') {
                // Nothing but comments and blank lines may come before the first field.
                if !line.trim_ascii().is_empty() && !fields {
                    return false;
                }
                if digest && file {
                    return true;
                }
                (section, digest, file) = (false, false, false);
            }
        }
        digest && file
    }

    fn read(&self, mut source: Source<'_>, _how: &How<'_>, sink: &mut Sink<'_>) -> Result<(), End> {
        let mut stanza = Stanza::default();
        while let Some(next) = source.next()? {
            let mut ends = false;
            let item = match next {
                Next::TooLong => Item::Bad(Fault::TooLong),
                Next::Outside(line) => outside(line),
                Next::Line(line) => {
                    let line = line.strip_suffix(b"\r").unwrap_or(line);
                    ends = line.iter().all(|&b| is_blank(b));
                    if ends { Item::Nothing } else { stanza.line(line) }
                }
            };
            let number = source.number();
            match item {
                Item::Entry(entry) if stanza.is_source => {
                    let item = if stanza.held.len() < MAX_HELD {
                        stanza.held.push((number, entry));
                        Item::Nothing
                    } else {
                        Item::Bad(Fault::TooLong)
                    };
                    sink.put(number, item)?;
                }
                item => sink.put(number, item)?,
            }
            if ends {
                std::mem::take(&mut stanza).end(number, sink)?;
            }
        }
        stanza.end(source.number(), sink)
    }
}

/// Splits a line into the name of a field and its value.
fn field(line: &[u8]) -> Option<(&str, &[u8])> {
    let colon = memchr::memchr(b':', line)?;
    let name = &line[..colon];
    let is_name = !name.is_empty() && name.len() <= 64 && name[0] != b'#' && name[0] != b'-';
    let is_name = is_name && name.iter().all(|b| b.is_ascii_graphic());
    // What follows directly is the digest in `sha256:hex`.
    let value = &line[colon + 1..];
    let apart = value.first().is_none_or(|&b| is_blank(b));
    Some((std::str::from_utf8(name).ok().filter(|_| is_name && apart)?, value.trim_ascii()))
}

/// Returns the algorithm whose digests a field has.
fn algorithm_of_field(name: &str) -> Option<Algorithm> {
    let name = name.to_ascii_lowercase();
    match &*name {
        "files" | "md5sum" => Algorithm::named("md5"),
        _ if ["sha", "md5", "blake", "checksums-"].iter().any(|start| name.starts_with(start)) => {
            algorithm_of_tag(name.strip_prefix("checksums-").unwrap_or(&name))
        }
        _ => None,
    }
}

fn digest_of(a: Algorithm, value: &[u8]) -> Option<Stated> {
    from_hex(value).filter(|d| d.as_bytes().len() == a.digest_len()).map(|d| Stated::new(Some(a), d))
}

fn decimal(text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?;
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok())?
}

/// Splits a line ` hex size name`, or ` hex size section priority name`, into digest, length and name.
fn of_a_file(line: &[u8]) -> Option<(&[u8], u64, &[u8])> {
    let mut words = line.split(|&b| is_blank(b)).filter(|w| !w.is_empty());
    let (digest, size, third) = (words.next()?, decimal(words.next()?)?, words.next()?);
    let name = match (words.next(), words.next(), words.next()) {
        (None, ..) => third,
        (Some(_), Some(name), None) => name,
        _ => return None,
    };
    (digest.len() >= 32 && is_hex(digest)).then_some((digest, size, name))
}

/// What has been read of a stanza.
#[derive(Debug, Default)]
struct Stanza {
    /// The last field, and its algorithm if its lines are of files.
    field: String,
    algorithm: Option<Algorithm>,
    any_field: bool,
    /// Whether it is about a package.
    is_package: bool,
    /// Whether any line of a file has been understood.
    any_file: bool,
    /// Whether the stanza is one of `Sources`.
    is_source: bool,
    /// The entries of such a stanza, and the folder that they are in.
    held: Vec<(u64, Entry)>,
    folder: Vec<u8>,
    /// What a stanza of `Packages` says.
    entry: Entry,
    wrong: bool,
    /// The field that has been given twice may have been another.
    name_twice: bool,
}

impl Stanza {
    /// Returns the meaning of a line, which is not blank.
    fn line(&mut self, line: &[u8]) -> Item {
        // A NUL near the beginning makes lines of what lies between NULs.
        if memchr::memchr2(0, b'\n', line).is_some() {
            return Item::Bad(Fault::Malformed);
        }
        if line.first() == Some(&b'#') {
            return Item::Nothing;
        }
        if line.first().is_some_and(|&b| is_blank(b)) {
            return self.continued(line);
        }
        let Some((name, value)) = field(line) else { return Item::Bad(doubtful(line)) };
        let is = |other: &str| name.eq_ignore_ascii_case(other);
        self.any_field = true;
        // The other files with such lines have `Source` in its place.
        self.is_source |= is("Package") && !self.any_file;
        self.algorithm = algorithm_of_field(name);
        self.field = name.to_string();
        self.is_package |= is("Package");
        let is_digest = self.algorithm.is_none() && value.len() >= 32 && is_hex(value);
        if is_digest && !name.to_ascii_lowercase().starts_with("description") {
            self.entry.unknown.push(name.to_string());
        }
        if let Some(a) = self.algorithm.filter(|_| !value.is_empty()) {
            self.algorithm = None;
            match digest_of(a, value) {
                Some(stated) => self.entry.stated.push(stated),
                // It may be text, as in a message that begins like a field.
                None if is("Files") => {}
                None => self.wrong = true,
            }
        } else if is("Filename") {
            self.name_twice |= !self.entry.name.is_empty();
            self.entry.name = value.to_vec();
        } else if is("Size") {
            self.entry.size = decimal(value);
            self.wrong |= self.entry.size.is_none();
        } else if is("Directory") {
            self.folder = value.to_vec();
        }
        Item::Nothing
    }

    /// Returns the meaning of a line that belongs to the field above it.
    fn continued(&mut self, line: &[u8]) -> Item {
        let parts = of_a_file(line);
        match (self.algorithm, parts) {
            (Some(a), Some((digest, size, name))) => match digest_of(a, digest) {
                Some(stated) => {
                    self.any_file = true;
                    Item::Entry(Entry {
                        name: name.to_vec(),
                        size: Some(size),
                        stated: vec![stated],
                        ..Entry::default()
                    })
                }
                None => Item::Bad(Fault::Malformed),
            },
            (Some(_), None) => Item::Bad(Fault::Malformed),
            (None, Some(_)) if !self.any_field => Item::Bad(Fault::Malformed),
            // The same files may have digests that are known, in another field.
            (None, Some(_)) if !self.any_file => Item::Bad(Fault::NoSuchAlgorithm(self.field.clone())),
            (None, Some(_)) => Item::Note(Note::NotKnown(self.field.clone())),
            (None, None) => Item::Nothing,
        }
    }

    /// Passes on what can be said only at the end.
    fn end(self, number: u64, sink: &mut Sink<'_>) -> Result<(), End> {
        for (number, mut entry) in self.held {
            if !self.folder.is_empty() && self.folder != b"." {
                entry.name = [&self.folder[..], b"/", &entry.name].concat();
            }
            sink.put(number, Item::Entry(entry))?;
        }
        let entry = self.entry;
        if self.wrong || self.name_twice {
            return sink.put(number, Item::Bad(Fault::Malformed));
        }
        match (entry.name.is_empty(), entry.stated.is_empty()) {
            // One of `Packages` that is cut off, or has no file.
            (true, true) if self.is_package && !self.any_file => sink.put(number, Item::Bad(Fault::NoDigest)),
            (true, true) => Ok(()),
            (true, false) => sink.put(number, Item::Bad(Fault::NoName)),
            (false, _) => sink.put(number, super::with_digests(entry).unwrap_or_else(Item::Bad)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{attack, read};
    use super::*;

    /// Of `dpkg-genchanges` 1.21.
    const CHANGES: &str = "Format: 1.8
Date: Thu, 26 Nov 2026 02:14:46 +0000
Source: src
Architecture: source
Changes:
 src (1.0) unstable; urgency=low
 .
   * x
Checksums-Sha1:
 fde62dcc7c81766bcdcd42b9a4bf1eb6a8c8e95e 386 src_1.0.dsc
 46db8c8d9ecee1e7a9be449deee686b93eddfafe 508 src_1.0.tar.xz
Checksums-Sha256:
 6a792384d5812e7451e852f6bd30d11f0084c893ccfca857049767a9bdeafd8d 386 src_1.0.dsc
 a833d109a55f2a5c06d3b87489cdedc24d263342627aecaa16952cd16e31d115 508 src_1.0.tar.xz
Files:
 4223e319901f79a19e7dd09faadcf58e 386 - - src_1.0.dsc
 1dc5855c0ace5279404b08e3f9704b83 508 admin optional src_1.0.tar.xz
";

    fn shown(list: impl AsRef<[u8]>) -> Vec<String> {
        let said = read(list, "list");
        assert_eq!(said.form, Some(&FORM));
        let show = |e: &Entry| {
            let stated: Vec<String> =
                e.stated.iter().map(|s| s.function.map_or("?".into(), |f| f.to_string())).collect();
            format!("{} {} {}", e.name.escape_ascii(), e.size.unwrap_or(99), stated.join(" "))
        };
        said.entries.iter().map(show).collect()
    }

    fn faults(list: impl AsRef<[u8]>) -> Vec<(u64, Fault)> {
        read(list, "list").faults
    }

    #[test]
    fn lists_of_programs() {
        let want =
            ["SHA1", "SHA256", "MD5"].map(|a| [format!("src_1.0.dsc 386 {a}"), format!("src_1.0.tar.xz 508 {a}")]);
        assert_eq!(shown(CHANGES), want.concat());
        let upper = CHANGES.to_uppercase().replace("SRC_1.0", "src_1.0");
        assert_eq!(shown(upper.replace(".DSC", ".dsc").replace(".TAR.XZ", ".tar.xz")), want.concat());
        let dsc = CHANGES.replace(" - - ", " ").replace(" admin optional ", " ");
        assert_eq!(shown(dsc), want.concat());
        // An InRelease of Debian.
        let release = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nOrigin: Debian\nAcquire-By-Hash: yes\nMD5Sum:\n \
             d41d8cd98f00b204e9800998ecf8427e        0 contrib/Contents-all\nSHA256:\n \
             e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855        0 contrib/Contents-all\n \
             f61f27bd17de546264aa58f40f3aafaac7021e0ef69c17f6b1b4cd7664a037ec       20 contrib/Contents-all.gz\n\
             -----BEGIN PGP SIGNATURE-----\n\niQ==\n-----END PGP SIGNATURE-----\n";
        assert_eq!(
            shown(release),
            ["contrib/Contents-all 0 MD5", "contrib/Contents-all 0 SHA256", "contrib/Contents-all.gz 20 SHA256"]
        );
        let after = format!("{release} d41d8cd98f00b204e9800998ecf8427e 0 x\n");
        assert_eq!(faults(after), [(15, Fault::NotSigned)]);
    }

    #[test]
    fn indexes() {
        let packages = "Package: a\nDescription-md5: e867d2a359bea1800b5bff209fc65bd1\nDescription: x\n y\nFilename: pool/a_1.deb\nSize: 7\n\
             MD5sum: d41d8cd98f00b204e9800998ecf8427e\nSHA256: 0d5f444f594e48c1e16a41d8fc628a09b24c658916a1274025c2330f2a802bed\n\n\
             Package: b\nFilename: pool/b.deb\n\nPackage: c\nFilename: pool/c.deb\nSHA256: 0d5f\n\nPackage: d\n\
             SHA1: fde62dcc7c81766bcdcd42b9a4bf1eb6a8c8e95e\n";
        assert_eq!(shown(packages), ["pool/a_1.deb 7 MD5 SHA256"]);
        assert_eq!(faults(packages), [(12, Fault::NoDigest), (16, Fault::Malformed), (19, Fault::NoName)]);
        let sha3 = Algorithm::named("sha3-256").unwrap().digest(b"x");
        let more = format!(
            "Package: a\nFilename: a\nSHA3-256: {sha3}\nFoo: {sha3}\nDescription-md5: {}\n\nPackage: b",
            "0".repeat(32)
        );
        assert_eq!(read(&more, "list").lines[0], "6 note: NotKnown(\"Foo\")");
        assert_eq!((shown(&more), faults(&more)), (vec!["a 99 SHA3-256".to_string()], vec![(8, Fault::NoDigest)]));
        let sources = "Package: a\nFiles:\n d41d8cd98f00b204e9800998ecf8427e 0 a.dsc\nDirectory: pool/a\n\nPackage: b\nDirectory: .\n\
             Files:\n d41d8cd98f00b204e9800998ecf8427e 0 b.dsc\n";
        assert_eq!(shown(sources), ["pool/a/a.dsc 0 MD5", "b.dsc 0 MD5"]);
        let many = " d41d8cd98f00b204e9800998ecf8427e 0 a.dsc\n".repeat(MAX_HELD + 9);
        assert_eq!(faults(format!("Package: a\nFiles:\n{many}")).len(), 9);
    }

    #[test]
    fn faulty_lines() {
        let digest = "d41d8cd98f00b204e9800998ecf8427e";
        let fault = |text: &str| faults(format!("Origin: x\nMD5Sum:\n {digest} 0 a\n{text}")).pop().map(|(_, f)| f);
        let malformed = Some(Fault::Malformed);
        for bad in [
            format!(" {digest} 0"),
            format!(" {digest} 0x a"),
            format!(" {digest}0 0 a"),
            format!(" {digest} 99999999999999999999 a"),
            format!(" {digest} 0 a b"),
            format!(" {digest} 0 a b c d"),
            " what".to_string(),
            format!("{digest} 0 a"),
            format!("SHA1:\n {digest} 0 a"),
            format!("\n {digest} 0 a"),
        ] {
            assert_eq!(fault(&bad), malformed, "{bad}");
        }
        assert_eq!(fault(&format!("SHA9:\n {digest} 0 a")), None, "there are others");
        let only = format!("MD5Sum:\n\nSHA9:\n {digest} 0 a\n\nMD5Sum:\n {digest} 0 b\n");
        assert_eq!(faults(only), [(4, Fault::NoSuchAlgorithm("SHA9".into()))]);
        for other in [
            format!("{digest}  a\n"),
            format!("Hash: x\n{digest}  a\n"),
            format!("sha256:{digest}  a\n"),
            String::new(),
        ] {
            assert_eq!(read(other, "list").form, None);
        }
    }

    #[test]
    fn damage() {
        assert_eq!(attack(CHANGES, "list"), []);
    }
}
