//! The specification of a file hierarchy, mtree(5): NetBSD's and FreeBSD's `mtree`, `bsdtar --format=mtree`, the
//! `.MTREE` in packages of Arch Linux.
//!
//! A name with `/` is a path. Any other name is in the folder that is open: an entry of a folder opens it, and `..`
//! closes it. Once a line is damaged that might have opened a folder, the folder of later names is unknown, so that
//! they are not used.

use super::{Base, End, Form, Format, How, Sink, Unfit, Write, is_blank, outside};
use crate::base::digits::{Digits, from_hex, is_hex};
use crate::base::entry::{Entry, Item, Note, Stated};
use crate::base::fault::Fault;
use crate::base::function::Function;
use crate::base::header::Header;
use crate::base::tag::algorithm_of_tag;
use crate::text::lines::MAX_LINE;
use crate::text::source::{Next, Source};
use hashmill::{Algorithm, Digest};
use std::path::Path;

pub(crate) const FORM: Form = Form {
    name: "mtree",
    what: "the hierarchy of mtree(5)",
    programs: "mtree of NetBSD and FreeBSD, bsdtar --format=mtree, Arch's .MTREE",
    writes: true,
    lines: false,
    algorithms: "md5, sha1, ripemd160, sha256, sha384, sha512, cksum",
    several: true,
    sizes: true,
    times: true,
    cannot: "absolute, or with `..` between folders",
    base: Base::Current,
    format: &Mtree,
};

struct Mtree;

/// The keywords of digests as they are written, and their algorithms. The suffix `digest` is optional for readers.
const DIGESTS: [(&str, &str); 8] = [
    ("md5digest", "md5"),
    ("sha1digest", "sha1"),
    ("rmd160digest", "ripemd160"),
    ("ripemd160digest", "ripemd160"),
    ("sha256digest", "sha256"),
    ("sha384digest", "sha384"),
    ("sha512digest", "sha512"),
    ("cksum", "cksum"),
];

impl Format for Mtree {
    fn sniff(&self, head: &[u8], _list: &Path) -> bool {
        for line in head.split(|&b| b == b'\n') {
            let line = line.trim_ascii();
            if line.strip_prefix(b"#mtree").is_some_and(|rest| rest.first().is_none_or(|&b| is_blank(b))) {
                return true;
            }
            if !line.is_empty() && line[0] != b'#' {
                // Not JSON, whose names may have anything in them.
                return !line.starts_with(b"{\"") && begins(line);
            }
        }
        false
    }

    fn read(&self, mut source: Source<'_>, _how: &How<'_>, sink: &mut Sink<'_>) -> Result<(), End> {
        let mut tree = Tree::default();
        // A line that goes on on the next one, and the number of its first part; `None` if it is too long.
        let mut begun: Option<(Option<Vec<u8>>, u64)> = None;
        let mut number = 0;
        while let Some(next) = source.next()? {
            let item = match next {
                Next::TooLong => {
                    begun = None;
                    tree.lose();
                    Item::Bad(Fault::TooLong)
                }
                Next::Outside(line) => outside(line),
                Next::Line(line) => {
                    let line = line.strip_suffix(b"\r").unwrap_or(line);
                    let slashes = line.iter().rev().take_while(|&&b| b == b'\\').count();
                    let is_comment = begun.is_none() && super::skip_blanks(line).first() == Some(&b'#');
                    let goes_on = slashes % 2 == 1 && !is_comment;
                    let part = if goes_on { &line[..line.len() - 1] } else { line };
                    match begun.take() {
                        None if !goes_on => tree.line(part),
                        None => {
                            begun = Some((Some(part.to_vec()), 0));
                            Item::Nothing
                        }
                        Some((text, at)) => {
                            let fits = |text: &Vec<u8>| text.len() + part.len() < MAX_LINE;
                            let text = text.filter(fits).map(|text| [&text, &b" "[..], part].concat());
                            if goes_on {
                                begun = Some((text, at));
                                Item::Nothing
                            } else {
                                number = at;
                                match text {
                                    Some(text) => tree.line(&text),
                                    None => {
                                        tree.lose();
                                        Item::Bad(Fault::TooLong)
                                    }
                                }
                            }
                        }
                    }
                }
            };
            let here = source.number();
            if let Some((_, at @ 0)) = &mut begun {
                *at = here;
            }
            let at = std::mem::take(&mut number);
            sink.put(if at > 0 { at } else { here }, item)?;
        }
        let here = source.number();
        if let Some((_, at)) = begun {
            sink.put(at, Item::Bad(Fault::Malformed))?;
        }
        if !tree.folders.is_empty() && tree.lost != Some(0) {
            sink.put(here, Item::Bad(Fault::Said("the list ends inside a folder; part of it may be missing".into())))?;
        }
        Ok(())
    }

    fn writer(&self, _header: &Header) -> Option<Box<dyn Write>> {
        Some(Box::new(Writer { folder: Vec::new() }))
    }
}

/// Returns whether a list begins with this line, which is not a comment.
fn begins(line: &[u8]) -> bool {
    let mut words = line.split(|&b| is_blank(b)).filter(|w| !w.is_empty());
    let Some(first) = words.next() else { return false };
    let mut any = false;
    for word in words {
        if word == b"\\" {
            continue;
        }
        let key = word.split(|&b| b == b'=').next().unwrap_or_default();
        let is_key = !key.is_empty() && key.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        if !is_key || key.len() == word.len() && !matches!(key, b"nochange" | b"optional" | b"ignore" | b"all") {
            return matches!(first, b"/unset") && is_key;
        }
        any |= key != b"all" && key.len() < word.len() && matches!(first, b"/set") || word.starts_with(b"type=");
    }
    any && !is_digest(first)
}

/// Returns whether a word is a digest, so that a line of another form may have a name that looks like a keyword: hex,
/// or an algorithm and a digest of it.
fn is_digest(word: &[u8]) -> bool {
    let named = |at: usize| std::str::from_utf8(&word[..at]).ok().and_then(Function::named).is_some();
    let follows = |at: usize| {
        word.len() - at > 8 && word[at + 1..].iter().all(|b| b.is_ascii_alphanumeric() || b"+/=_-".contains(b))
    };
    let mut marks = word.iter().enumerate().filter(|(_, b)| matches!(b, b':' | b'-')).map(|(at, _)| at);
    word.len() >= 8 && is_hex(word) || marks.any(|at| follows(at) && named(at))
}

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Folder,
    Other,
}

/// What keywords say.
#[derive(Debug, Clone, Default)]
struct Keywords {
    kind: Option<Kind>,
    size: Option<u64>,
    mtime: Option<(i64, u32)>,
    stated: Vec<Stated>,
    /// The algorithms of digests that are not known here.
    unknown: Vec<String>,
    /// The file need not exist, or may change.
    optional: bool,
    nochange: bool,
    /// The number of keywords, and whether the type is among them.
    count: usize,
    has_kind: bool,
    /// Whether a keyword is not known, so that it could be the type, damaged.
    strange: bool,
    /// Whether a keyword is damaged, and whether it is the type.
    wrong: bool,
    wrong_kind: bool,
}

/// Keywords that tell nothing about the content: those of NetBSD, FreeBSD, macOS and libarchive.
const OTHERS: [&str; 33] = [
    "acldigest", "atime", "bsize", "btime", "contents", "crtime", "ctime", "dataless", "device", "flags", "gid",
    "gname", "ignore", "inode", "link", "mode", "nlink", "nochange", "nxattr", "optional", "protectionclass", "ptime",
    "purgeable", "resdevice", "rsize", "sibling", "siblingid", "sip", "tags", "uid", "uname", "xattrs", "xattrsdigest",
];

impl Keywords {
    fn add(&mut self, word: &[u8]) {
        self.count += 1;
        if self.understand(word).is_none() {
            self.wrong = true;
            self.wrong_kind |= word.starts_with(b"type");
            self.strange = true;
        }
    }

    fn understand(&mut self, word: &[u8]) -> Option<()> {
        let text = std::str::from_utf8(word).ok()?;
        let Some((key, value)) = text.split_once('=') else {
            match text {
                "optional" => self.optional = true,
                "nochange" => self.nochange = true,
                "ignore" => {}
                _ => return None,
            }
            return Some(());
        };
        match key {
            "type" => {
                self.has_kind = true;
                self.kind = None;
                self.kind = Some(match value {
                    "file" => Kind::File,
                    "dir" => Kind::Folder,
                    "block" | "char" | "fifo" | "link" | "socket" | "door" | "whiteout" => Kind::Other,
                    _ => return None,
                });
            }
            "size" => self.size = Some(decimal(value)?),
            "time" => self.mtime = Some(time(value)?),
            "cksum" => {
                let value: u32 = decimal(value)?.try_into().ok()?;
                self.state("cksum", Digest::from_bytes(&value.to_be_bytes()))?;
            }
            _ => {
                let known = |(name, _): &&(&str, &str)| {
                    key == *name || name.strip_suffix("digest").is_some_and(|short| key == short)
                };
                if let Some((_, name)) = DIGESTS.iter().find(known) {
                    self.state(name, from_hex(value.as_bytes())?)?;
                } else if !OTHERS.contains(&key) {
                    let hex = value.len() >= 32 && is_hex(value.as_bytes());
                    let named = algorithm_of_tag(key.strip_suffix("digest").unwrap_or(key)).filter(|_| hex);
                    self.strange |= named.is_none();
                    if let Some(algorithm) = named {
                        self.state(&algorithm.name(), from_hex(value.as_bytes())?)?;
                    } else if hex || key.ends_with("digest") {
                        self.unknown.push(key.to_string());
                    } else if key.is_empty() || !key.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()) {
                        return None;
                    }
                }
            }
        }
        Some(())
    }

    /// Notes a digest. Returns `None` if its length is wrong, or if another was stated of the same algorithm.
    fn state(&mut self, algorithm: &str, digest: Digest) -> Option<()> {
        let algorithm = Algorithm::named(algorithm).filter(|a| a.digest_len() == digest.as_bytes().len())?;
        match self.stated.iter().find(|s| s.algorithm() == Some(algorithm)) {
            Some(other) => (other.digest == digest).then_some(()),
            None => {
                self.stated.push(Stated::new(Some(algorithm), digest));
                Some(())
            }
        }
    }
}

/// Parses a number that has only digits.
fn decimal(text: &str) -> Option<u64> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok())?
}

/// Parses a time: seconds, and nanoseconds after a point. What follows the point is a number, not a fraction; programs
/// differ in whether they pad it with zeros, but all read it so.
fn time(text: &str) -> Option<(i64, u32)> {
    let (seconds, nanoseconds) = text.split_once('.').unwrap_or((text, "0"));
    let nanoseconds = decimal(nanoseconds)?.try_into().ok().filter(|&n: &u32| n < 1_000_000_000)?;
    decimal(seconds.strip_prefix('-').unwrap_or(seconds))?;
    Some((seconds.parse().ok()?, nanoseconds))
}

/// What has been read.
#[derive(Debug, Default)]
struct Tree {
    defaults: Keywords,
    /// Whether `.` is open.
    rooted: bool,
    /// Whether any file has had a digest.
    any_digest: bool,
    /// The path of the folder that is open, with a slash at its end, and how long it was before each of its parts.
    path: Vec<u8>,
    folders: Vec<usize>,
    /// The number of open folders with which the last of them became unknown; 0 if it will remain so.
    lost: Option<usize>,
}

impl Tree {
    /// Notes that it will not be known again which folder is open.
    fn lose(&mut self) {
        self.lost = Some(0);
    }

    /// Returns the meaning of a line, of which all parts have been joined.
    fn line(&mut self, line: &[u8]) -> Item {
        // A NUL near the beginning makes lines of what lies between NULs.
        if memchr::memchr2(0, b'\n', line).is_some() {
            self.lose();
            return Item::Bad(Fault::Malformed);
        }
        let mut words = line.split(|&b| is_blank(b)).filter(|w| !w.is_empty());
        let Some(first) = words.next() else { return Item::Nothing };
        match first {
            [b'#', ..] => Item::Nothing,
            b"/set" => {
                words.for_each(|word| self.defaults.add(word));
                let Keywords { kind, size, mtime, optional, nochange, .. } = self.defaults;
                let kept = Keywords { kind, size, mtime, optional, nochange, ..Keywords::default() };
                let said = std::mem::replace(&mut self.defaults, kept);
                if said.wrong_kind || said.strange {
                    self.defaults.kind = None;
                }
                // No file has a digest because another one has.
                let right = !said.wrong && said.stated.is_empty() && said.unknown.is_empty();
                if right { Item::Nothing } else { Item::Bad(Fault::Malformed) }
            }
            b"/unset" => {
                for word in words {
                    match word {
                        b"all" => self.defaults = Keywords::default(),
                        b"type" => self.defaults.kind = None,
                        b"size" => self.defaults.size = None,
                        b"time" => self.defaults.mtime = None,
                        b"optional" => self.defaults.optional = false,
                        b"nochange" => self.defaults.nochange = false,
                        _ => {}
                    }
                }
                Item::Nothing
            }
            b".." => self.close(),
            name => {
                let mut keywords = self.defaults.clone();
                words.for_each(|word| keywords.add(word));
                self.entry(name, keywords)
            }
        }
    }

    /// Closes a folder.
    fn close(&mut self) -> Item {
        if self.lost == Some(0) {
            return Item::Nothing;
        }
        match self.folders.pop() {
            Some(len) => self.path.truncate(len),
            None if self.rooted => self.rooted = false,
            None => {
                self.lose();
                return Item::Bad(Fault::Malformed);
            }
        }
        self.lost = self.lost.filter(|&n| self.folders.len() >= n);
        Item::Nothing
    }

    fn entry(&mut self, name: &[u8], keywords: Keywords) -> Item {
        self.any_digest |= !keywords.stated.is_empty();
        if name.starts_with(b"/") {
            // It may be a damaged command. No program reads absolute paths.
            self.defaults.kind = None;
            return Item::Bad(Fault::Malformed);
        }
        if memchr::memchr(b'/', name).is_some() {
            // A folder that is given by its path is not opened.
            return item(path(name), keywords);
        }
        // Any nested name might have opened or closed a folder. One without keywords is probably a damaged `..` if
        // files have digests.
        let told = keywords.count > 0 || keywords.kind == Some(Kind::Folder) || !self.any_digest;
        let told = keywords.has_kind || told && !keywords.strange;
        let known = !keywords.wrong_kind && (!keywords.stated.is_empty() || told && keywords.kind.is_some());
        if name == b"." && keywords.kind.is_none_or(|k| k == Kind::Folder) && self.folders.is_empty() {
            self.rooted = true;
            return if keywords.wrong { Item::Bad(Fault::Malformed) } else { Item::Nothing };
        }
        if !known || name == b"." {
            self.lose();
            return Item::Bad(Fault::Malformed);
        }
        let part = part(name).filter(|part| !matches!(&part[..], b"." | b".."));
        let lost = self.lost.is_some();
        if keywords.kind == Some(Kind::Folder) && self.lost != Some(0) {
            if self.path.len() + part.as_ref().map_or(0, Vec::len) >= MAX_LINE || self.folders.len() >= MAX_LINE {
                self.lose();
                return Item::Bad(Fault::TooLong);
            }
            self.folders.push(self.path.len());
            match &part {
                Some(part) => {
                    self.path.extend_from_slice(part);
                    self.path.push(b'/');
                }
                None => self.lost = self.lost.or(Some(self.folders.len())),
            }
        }
        if lost && keywords.kind.is_none_or(|k| k == Kind::File) {
            let why = "a damaged line above leaves the folder of this one unknown";
            return Item::Bad(Fault::Said(why.into()));
        }
        item(part.map(|part| [&self.path[..], &part].concat()), keywords)
    }
}

/// Returns what an entry says.
fn item(name: Option<Vec<u8>>, keywords: Keywords) -> Item {
    let Some(name) = name.filter(|_| !keywords.wrong) else { return Item::Bad(Fault::Malformed) };
    match keywords.kind {
        // A folder has no content of its own.
        Some(Kind::Folder) => Item::Nothing,
        Some(Kind::Other) => Item::Note(Note::NoDigest),
        _ if name.is_empty() || name.ends_with(b"/") => Item::Bad(Fault::Malformed),
        _ if keywords.nochange => Item::Note(Note::NoChange),
        _ => {
            let Keywords { size, mtime, stated, unknown, optional, .. } = keywords;
            let entry = Entry { name, size, mtime, stated, unknown, is_optional: optional, ..Entry::default() };
            super::with_digests(entry).unwrap_or_else(Item::Bad)
        }
    }
}

/// Returns the path that a name with slashes stands for, without the `./` at its beginning.
fn path(name: &[u8]) -> Option<Vec<u8>> {
    let name = name.strip_prefix(b"./").unwrap_or(name);
    let mut out = Vec::with_capacity(name.len());
    for (i, word) in name.split(|&b| b == b'/').enumerate() {
        if i > 0 {
            out.push(b'/');
        }
        out.extend(part(word)?);
    }
    Some(out)
}

/// Reverses vis(3) in a part of a path. Returns `None` if that is not possible, or if no file can have such a name.
fn part(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&b, more)) = rest.split_first() {
        rest = more;
        if b != b'\\' {
            out.push(b);
            continue;
        }
        let control = |b: u8| if b == b'?' { 0x7f } else { b & 0x1f };
        let (&b, more) = rest.split_first()?;
        rest = more;
        out.push(match b {
            b'0'..=b'7' => {
                let digits = rest.iter().take(2).take_while(|b| matches!(b, b'0'..=b'7')).count();
                let (digits, more) = rest.split_at_checked(digits)?;
                rest = more;
                let value = digits.iter().fold(u32::from(b - b'0'), |n, b| 8 * n + u32::from(b - b'0'));
                value.try_into().ok()?
            }
            b'x' => {
                let (digits, more) = rest.split_at_checked(2)?;
                rest = more;
                *crate::base::digits::bytes_of_hex(digits)?.first()?
            }
            b'^' => {
                let (&b, more) = rest.split_first()?;
                rest = more;
                control(b)
            }
            b'M' => {
                let (&mark, more) = rest.split_first()?;
                let (&b, more) = more.split_first()?;
                rest = more;
                match mark {
                    b'-' => b | 0x80,
                    b'^' => control(b) | 0x80,
                    _ => return None,
                }
            }
            b'\\' | b'#' | b'"' | b'\'' | b'*' | b'?' | b'[' | b']' | b'=' | b'-' => b,
            b'a' => 7,
            b'b' => 8,
            b't' => b'\t',
            b'n' => b'\n',
            b'v' => 11,
            b'f' => 12,
            b'r' => b'\r',
            b's' => b' ',
            b'E' => 0x1b,
            _ => return None,
        });
    }
    memchr::memchr2(0, b'/', &out).is_none().then_some(out)
}

struct Writer {
    /// The folder of the last entry, with a slash at its end. NetBSD's `mtree` wants every folder before its files.
    folder: Vec<u8>,
}

impl Write for Writer {
    fn begin(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"#mtree\n. type=dir\n");
    }

    fn entry(&mut self, entry: &Entry, out: &mut Vec<u8>) -> Result<(), Unfit> {
        let mut name = &entry.name[..];
        while let Some(rest) = name.strip_prefix(b"./") {
            name = rest;
        }
        if name.starts_with(b"/") {
            return Err(Unfit::Name("absolute"));
        }
        if name.split(|&b| b == b'/').any(|part| part == b"..") {
            return Err(Unfit::Name("with `..`"));
        }
        if name.is_empty() || name.ends_with(b"/") || memchr::memchr(0, name).is_some() {
            return Err(Unfit::Name("no file's"));
        }
        let mut digests = Vec::new();
        for stated in &entry.stated {
            let Some(function) = stated.function else { return Err(Unfit::Lacks("the algorithm's name")) };
            let named = |a: Algorithm| DIGESTS.iter().find(|(_, name)| a.name() == *name);
            let Some((keyword, _)) = stated.algorithm().and_then(named) else {
                return Err(Unfit::Algorithm(function));
            };
            digests.push(b' ');
            digests.extend_from_slice(keyword.as_bytes());
            digests.push(b'=');
            match stated.digest.as_bytes().try_into() {
                Ok(bytes) if *keyword == "cksum" => {
                    digests.extend_from_slice(u32::from_be_bytes(bytes).to_string().as_bytes());
                }
                _ => Digits::Hex.put(&mut digests, stated.digest.as_bytes()),
            }
        }
        let folder = &name[..memchr::memrchr(b'/', name).map_or(0, |i| i + 1)];
        for end in memchr::memchr_iter(b'/', folder) {
            if !self.folder.starts_with(&folder[..=end]) {
                put_path(out, &folder[..end]);
                out.extend_from_slice(b" type=dir\n");
            }
        }
        self.folder = folder.to_vec();
        put_path(out, name);
        out.extend_from_slice(b" type=file");
        if let Some(size) = entry.size {
            out.extend_from_slice(format!(" size={size}").as_bytes());
        }
        if let Some((seconds, nanoseconds)) = entry.mtime {
            out.extend_from_slice(format!(" time={seconds}.{nanoseconds:09}").as_bytes());
        }
        out.extend_from_slice(&digests);
        out.push(b'\n');
        Ok(())
    }
}

/// Appends a path with every byte escaped that is not plain in all programs.
fn put_path(out: &mut Vec<u8>, path: &[u8]) {
    out.extend_from_slice(b"./");
    for &b in path {
        if b.is_ascii_alphanumeric() || b"/!$%&'()+,-.:;<>@^_`{|}~\"".contains(&b) {
            out.push(b);
        } else {
            out.extend_from_slice(format!("\\{b:03o}").as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Said, Written, attack, entry, header, names, read, write};
    use super::*;

    const MD5: &str = "5d41402abc4b2a76b9719d911017c592";

    /// Of NetBSD's `mtree -c -k type,time,md5,cksum`.
    const NETBSD: &str = r##"#	   user: (null)
#	machine: host
#	   tree: /tmp/s
#	   date: Sat Nov 28 13:27:58 2026

# .
/set type=file
.               type=dir time=1700000000.500000000
    \slead\strail\s \
                time=1700000000.500000000 cksum=3287646509 \
                md5=5d41402abc4b2a76b9719d911017c592
    \#hash      time=1700000000.500000000 cksum=3287646509 \
                md5=5d41402abc4b2a76b9719d911017c592
    back\\slash time=1700000000.500000000 cksum=3287646509 \
                md5=5d41402abc4b2a76b9719d911017c592
    c)\s=\sd    time=1700000000.500000000 cksum=3287646509 \
                md5=5d41402abc4b2a76b9719d911017c592
    cr\rx       time=1700000000.500000000 cksum=3287646509 \
                md5=5d41402abc4b2a76b9719d911017c592
    link        type=link time=1795872478.390320365
    new\nline   time=1700000000.500000000 cksum=3287646509 \
                md5=5d41402abc4b2a76b9719d911017c592
    st*r[x]?    time=1700000000.500000000 cksum=3287646509 \
                md5=5d41402abc4b2a76b9719d911017c592
    x           time=1700000000.500000000 cksum=4294967295 \
                md5=d41d8cd98f00b204e9800998ecf8427e
    \^?\^A      time=1700000000.500000000 cksum=3287646509 \
                md5=5d41402abc4b2a76b9719d911017c592
    \M-C\M-)    time=1700000000.500000000 cksum=3287646509 \
                md5=5d41402abc4b2a76b9719d911017c592
    \M^?\M-~    time=1700000000.500000000 cksum=3287646509 \
                md5=5d41402abc4b2a76b9719d911017c592

# ./sub
sub             type=dir time=1700000000.500000000
    ..a         time=1795872478.386505696 cksum=3287646509 \
                md5=5d41402abc4b2a76b9719d911017c592
    in\sside    time=1700000000.500000000 cksum=3287646509 \
                md5=5d41402abc4b2a76b9719d911017c592
# ./sub
..
"##;

    /// Of `bsdtar --format=mtree --options='!all,md5,size,time,type,use-set'` 3.6.2.
    const BSDTAR: &str = r"#mtree
/set type=file
. time=1700000000.500000000 type=dir
./\040lead\040trail\040 time=1700000000.500000000 size=5 md5digest=5d41402abc4b2a76b9719d911017c592
./\043hash time=1700000000.500000000 size=5 md5digest=5d41402abc4b2a76b9719d911017c592
./back\134slash time=1700000000.500000000 size=5 md5digest=5d41402abc4b2a76b9719d911017c592
./c)\040\075\040d time=1700000000.500000000 size=5 md5digest=5d41402abc4b2a76b9719d911017c592
./cr\015x time=1700000000.500000000 size=5 md5digest=5d41402abc4b2a76b9719d911017c592
./link time=1795872478.390320365 type=link
./new\012line time=1700000000.500000000 size=5 md5digest=5d41402abc4b2a76b9719d911017c592
./st*r[x]? time=1700000000.500000000 size=5 md5digest=5d41402abc4b2a76b9719d911017c592
./x time=1700000000.500000000 size=0 md5digest=d41d8cd98f00b204e9800998ecf8427e
./\177\001 time=1700000000.500000000 size=5 md5digest=5d41402abc4b2a76b9719d911017c592
./\303\251 time=1700000000.500000000 size=5 md5digest=5d41402abc4b2a76b9719d911017c592
./\377\376 time=1700000000.500000000 size=5 md5digest=5d41402abc4b2a76b9719d911017c592
./sub time=1700000000.500000000 type=dir
./sub/..a time=1795872478.386505696 size=5 md5digest=5d41402abc4b2a76b9719d911017c592
./sub/in\040side time=1700000000.500000000 size=5 md5digest=5d41402abc4b2a76b9719d911017c592
";

    const SORTED: [&[u8]; 13] = [
        b" lead trail ", b"#hash", b"back\\slash", b"c) = d", b"cr\rx", b"new\nline", b"st*r[x]?", b"sub/..a",
        b"sub/in side", b"x", b"\x7f\x01", b"\xc3\xa9", b"\xff\xfe",
    ];

    #[test]
    fn lists_of_programs() {
        for list in [NETBSD, BSDTAR] {
            let Said { form, lines, mut entries, faults } = read(list, "list");
            assert_eq!((form, faults), (Some(&FORM), vec![]));
            assert_eq!(lines.iter().filter(|l| l.contains("note: ")).count(), 1);
            assert_eq!(lines.len(), entries.len() + 1);
            entries.sort_by(|a, b| a.name.cmp(&b.name));
            let names: Vec<&[u8]> = entries.iter().map(|e| &e.name[..]).collect();
            assert_eq!(names, SORTED);
            let lead = &entries[0];
            assert_eq!(lead.mtime, Some((1_700_000_000, 500_000_000)));
            let md5 = |s: &&Stated| s.algorithm() == Algorithm::named("md5");
            assert_eq!(lead.stated.iter().find(md5).map(|s| s.digest.to_string()).as_deref(), Some(MD5));
        }
        let netbsd = read(NETBSD, "list").entries;
        for (entry, content) in [(&netbsd[0], &b"hello"[..]), (&netbsd[7], b"")] {
            for stated in &entry.stated {
                assert_eq!(stated.algorithm().map(|a| a.digest(content)), Some(stated.digest.clone()));
            }
        }
        assert_eq!(read(BSDTAR, "list").entries[0].size, Some(5));
    }

    #[test]
    fn variants() {
        let list = format!(
            "#mtree v2.0\n/set type=dir mode=0755\n.\n bin nlink=2\n  a type=file md5digest={MD5} \\\n  size=1 \\\n  time=5.000000007\n ..\n usr\n  lib\n   \
             b\\057c type=file md5={MD5}\n   d type=file rmd160=108f07b8382412612c048d07d13f814118445acd time=-5.5 # x\n  ..\n \
             e type=file sha9digest={MD5}\n  f type=file\n ..\n..\n/unset type\ng md5={MD5} md5digest={MD5}\nh md5={MD5} cksum=4294967296\n"
        );
        let Said { entries: all, faults, .. } = read(list, "list");
        let names: Vec<&[u8]> = all.iter().map(|e| &e.name[..]).collect();
        assert_eq!(names, [&b"bin/a"[..], b"g"]);
        assert_eq!((all[0].size, all[0].mtime), (Some(1), Some((5, 7))));
        let unknown = Fault::NoSuchAlgorithm("sha9digest".into());
        let malformed = |n| (n, Fault::Malformed);
        assert_eq!(faults, [malformed(11), malformed(12), (14, unknown), (15, Fault::NoDigest), malformed(20)]);
        // Whatever it begins with.
        let paths = format!(". type=dir\n./a/b type=file sha1={MD5}aabbccdd\n");
        assert_eq!(read(paths, "list").entries[0].name, b"a/b");
        let arch = format!(
            "#mtree\n/set type=file uid=0 gid=0 mode=644\n./.BUILDINFO time=1.0 size=4 md5digest={MD5}\n./etc type=dir\n./l mode=777 type=link link={MD5}\n"
        );
        let said = read(arch, "list");
        assert_eq!((&said.entries[0].name[..], said.faults), (&b".BUILDINFO"[..], vec![]));
    }

    #[test]
    fn what_need_not_be_so() {
        let list = format!(
            "#mtree\n/set type=file optional\n./a md5={MD5}\n/unset optional\n./b md5={MD5} nochange\n./c optional md5={MD5} \
             sha9digest={MD5}\n./d nochange\n./e md5={MD5}\n./f optional\n"
        );
        let said = read(list, "list");
        let all: Vec<_> = said.entries.iter().map(|e| (&e.name[..], e.is_optional, e.unknown.join(" "))).collect();
        let want = [(&b"a"[..], true, ""), (b"c", true, "sha9digest"), (b"e", false, "")];
        assert_eq!(all, want.map(|(name, optional, unknown)| (name, optional, unknown.to_string())));
        assert_eq!(said.faults, [(9, Fault::NoDigest)]);
        assert_eq!(said.lines.iter().filter(|l| l.contains("NoChange")).count(), 1);
    }

    #[test]
    fn vis() {
        let part = |text: &str| part(text.as_bytes()).map(|p| p.escape_ascii().to_string());
        assert_eq!(
            part(r"\a\b\t\n\v\f\r\s\E\\\#\^?\^A\M-i\M^?\M^@\40x\1411\x4a").as_deref(),
            Some(r"\x07\x08\t\n\x0b\x0c\r \x1b\\#\x7f\x01\xe9\xff\x80 xa1J")
        );
        for bad in [r"\", r"\q", r"\^", r"\M", r"\M-", r"\Mx", r"\400", r"\x4", r"\000", r"\0", r"\057"] {
            assert_eq!(part(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_folder_that_is_lost() {
        let file = format!("f type=file md5={MD5}\n");
        let said = "a damaged line above leaves the folder of this one unknown";
        let faults = |list: &str| -> Vec<String> {
            let faults = read(format!("#mtree\n{list}"), "list").faults;
            faults.into_iter().map(|(n, f)| format!("{n} {f}")).collect()
        };
        let bad = "checksum line not understood";
        let ends = "the list ends inside a folder; part of it may be missing";
        assert_eq!(faults(&format!("a\\q type=dir\n{file}..\n{file}")), [format!("2 {bad}"), format!("3 {said}")]);
        assert_eq!(
            faults(&format!("a type=dit\n{file}..\n{file}./{file}")),
            [2, 3, 5].map(|n| format!("{n} {}", if n == 2 { bad } else { said }))
        );
        assert_eq!(faults(&format!("..\n{file}")), [format!("2 {bad}"), format!("3 {said}")]);
        assert_eq!(faults(&format!("a type=dir\n{file}")), [format!("4 {ends}")]);
        let without = "3 a file without a digest".to_string();
        assert_eq!(faults(&format!("/set type=file md5={MD5}\nx\n")), [format!("2 {bad}"), without]);
        assert_eq!(faults(&format!("./a type=file \\\n md5={MD5} \\")), [format!("2 {bad}")]);
        assert_eq!(faults("/abs type=file\n"), [format!("2 {bad}")]);
        let deep = "a type=dir\n".repeat(100_000);
        assert_eq!(faults(&deep), [format!("{} line too long for a checksum line", MAX_LINE / 2 + 2)]);
        let long = format!("./a type=file \\\n{}", "mode=1 \\\n".repeat(100_000));
        assert_eq!(faults(&long), [format!("2 {bad}")]);
        assert_eq!(faults(&(long + "\n")), ["2 line too long for a checksum line"]);
    }

    #[test]
    fn what_is_not_mtree() {
        for list in [
            format!("{{\"path\":\"a\\n. type=file md5digest={MD5}\\nc\",\"digests\":{{\"md5\":\"{MD5}\"}}}}\n"),
            format!("{MD5}  x type=file\n"),
            format!("{MD5} type=file\n"),
            format!("md5:{MD5}  type=file\n"),
            "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU= type=file\n".to_string(),
            format!("MD5 (. type=dir) = {MD5}\n"),
            format!("# mtree\n{MD5}  a\n"),
            format!("#mtreex\n{MD5}  a\n"),
            "/set the table\n".into(),
            String::new(),
        ] {
            assert_eq!(read(&list, "list").form, None, "{list}");
        }
    }

    #[test]
    fn there_and_back() {
        let algorithms = ["md5", "sha1", "ripemd160", "sha256", "sha384", "sha512", "cksum"];
        let hello = |name: &[u8]| Entry { name: name.to_vec(), mtime: Some((-3, 5)), ..entry(b"hello", &algorithms) };
        let all: Vec<Entry> =
            names().filter(|&name| name != b"./x").chain([&b"a/b/c"[..], b"a/b2/c", b"a/d"]).map(hello).collect();
        let Written { list, held, unfit } = write(&FORM, &header(&[]), &all);
        assert_eq!(unfit, ["/root/x", "../x"]);
        let said = read(&list, "list");
        assert_eq!((said.entries, said.faults), (held, vec![]));
        let text = String::from_utf8(list).unwrap();
        let start = "#mtree\n. type=dir\n./a.txt type=file size=5 time=-3.000000005 md5digest=5d41402abc4b2a76b9719d911017c592 ";
        assert!(text.starts_with(start), "{text}");
        assert!(text.contains(" cksum=3287646509\n./\\040lead\\040trail\\040 type=file"));
        let folders: Vec<&str> = text.lines().filter(|l| l.ends_with(" type=dir")).collect();
        let want = [".", "./sub", "./sub", "./..x", "./~", "./a", "./a/b", "./a/b2"];
        assert_eq!(folders, want.map(|folder| format!("{folder} type=dir")));
        for name in [&b"/a"[..], b"a/../b", b"..", b"", b"a/", b"a\0"] {
            assert_eq!(write(&FORM, &header(&[]), &[hello(name)]).unfit.len(), 1);
        }
        assert_eq!(write(&FORM, &header(&[]), &[entry(b"a", &["blake3"])]).unfit, ["a"]);
    }

    /// What is damaged without being noticed is a name, a digest, a length or a time, but never two of them.
    #[test]
    fn damage() {
        let short: String = BSDTAR.lines().take(6).map(|l| format!("{l}\n")).collect();
        let nested = format!("/set type=file\n. type=dir\n{}", &NETBSD[NETBSD.find("# ./sub").unwrap()..]);
        for list in [short, nested] {
            // The end of a broken line is a line.
            let far = attack(list, "list");
            assert!(far.iter().all(|(how, _)| how.contains(r"\n") || how.starts_with("0xa at")), "{far:?}");
        }
    }
}
