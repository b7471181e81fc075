//! `size,hex,hex,name` below `%%%% HASHDEEP-1.0` and a line that names the columns: hashdeep. Names are written as they
//! are, further commas and line breaks included.

use super::{Base, End, Form, Format, How, Sink, Unfit, Write, outside};
use crate::base::digits::{Digits, from_hex};
use crate::base::entry::{Entry, Item, Stated};
use crate::base::fault::Fault;
use crate::base::function::Function;
use crate::base::header::Header;
use crate::base::tag::algorithm_of_tag;
use crate::text::lines::MAX_LINE;
use crate::text::source::{Next, Source};
use hashmill::Algorithm;
use std::path::Path;

pub(crate) const FORM: Form = Form {
    name: "hashdeep",
    what: "`size,hex,hex,name` below `%%%% HASHDEEP-1.0`",
    programs: "hashdeep",
    writes: true,
    lines: false,
    algorithms: "MD5, SHA-1, SHA-256, Tiger, Whirlpool",
    several: true,
    sizes: true,
    times: false,
    cannot: "with LF, with CR at the end, or like those of hashdeep's pieces of files",
    base: Base::Current,
    format: &Hashdeep,
};

struct Hashdeep;

/// What the first line begins with.
const MAGIC: &[u8] = b"%%%% HASHDEEP-1.";

/// What every line of the heading begins with.
const HEADING: &[u8] = b"%%%% ";

impl Format for Hashdeep {
    fn sniff(&self, head: &[u8], _: &Path) -> bool {
        head.starts_with(MAGIC)
    }

    fn read(&self, mut source: Source<'_>, _: &How<'_>, sink: &mut Sink<'_>) -> Result<(), End> {
        let zero = source.is_zero();
        let mut rows = Rows::default();
        // What is said, and how many lines back.
        let mut items = Vec::new();
        while let Some(next) = source.next()? {
            match next {
                Next::TooLong => {
                    items.extend(rows.flush());
                    items.push((0, Item::Bad(Fault::TooLong)));
                }
                Next::Outside(line) => {
                    items.extend(rows.flush());
                    items.push((0, outside(line)));
                }
                // With -0, only rows end with NUL, not the lines of the heading before the first one.
                Next::Line(line) if zero && line.starts_with(HEADING) => {
                    line.split(|&b| b == b'\n').for_each(|part| rows.line(part, false, &mut items));
                }
                Next::Line(line) => rows.line(line, zero, &mut items),
            }
            for (back, item) in items.drain(..) {
                sink.put(source.number().saturating_sub(back), item)?;
            }
            rows.age += 1;
        }
        match rows.flush() {
            Some((back, item)) => sink.put(source.number().saturating_sub(back), item),
            None => Ok(()),
        }
    }

    fn writer(&self, header: &Header) -> Option<Box<dyn Write>> {
        let has = |name: &&str| header.functions.iter().any(|f| f.plain().is_some_and(|a| a.name() == *name));
        let columns =
            COLUMNS.iter().filter(|(_, name)| has(name)).filter_map(|c| Algorithm::named(c.1).map(|a| (c.0, a)));
        Some(Box::new(Writer {
            columns: columns.collect(),
            folder: one_line(&header.folder),
            command: one_line(&header.command),
            is_root: header.is_root,
        }))
    }
}

/// The algorithms of hashdeep, in the order of its columns.
const COLUMNS: [(&str, &str); 5] =
    [("md5", "md5"), ("sha1", "sha1"), ("sha256", "sha256"), ("tiger", "tiger192-3"), ("whirlpool", "whirlpool")];

/// What a column has.
#[derive(Debug, Clone, PartialEq)]
enum Column {
    Size,
    Digest(Algorithm),
    Name,
    /// A digest of this algorithm, which is not known here.
    Other(String),
}

/// Rows, of which the last one is held back, since its name may go on in the next line.
#[derive(Default)]
struct Rows {
    columns: Option<Vec<Column>>,
    /// Lines end with CR LF.
    cr: bool,
    /// Within the comment that has the command, which may have line breaks.
    comment: bool,
    held: Option<Entry>,
    /// How many lines back the row that is held begins.
    age: u64,
}

impl Rows {
    /// Returns what is held, with how many lines back it begins.
    fn flush(&mut self) -> Option<(u64, Item)> {
        let entry = self.held.take()?;
        Some((self.age, finished(entry)))
    }

    /// Reads a line. `whole` says that it cannot be the continuation of the one before.
    fn line(&mut self, line: &[u8], whole: bool, items: &mut Vec<(u64, Item)>) {
        if let Some(heading) = line.strip_prefix(HEADING) {
            items.extend(self.flush());
            self.cr = heading.ends_with(b"\r");
            let heading = heading.strip_suffix(b"\r").unwrap_or(heading);
            self.comment = false;
            if heading.starts_with(b"HASHDEEP-") {
                self.columns = None;
                let known = line.starts_with(MAGIC);
                items.push((0, if known { Item::Nothing } else { Item::Bad(Fault::Malformed) }));
            } else {
                self.columns = columns(heading);
                items.push((0, if self.columns.is_some() { Item::Nothing } else { Item::Bad(Fault::Malformed) }));
            }
            return;
        }
        let line = if self.cr { line.strip_suffix(b"\r").unwrap_or(line) } else { line };
        if line.starts_with(b"## ") || line == b"##" {
            items.extend(self.flush());
            self.comment = line.starts_with(b"## $") || line.starts_with(b"## #") || line.starts_with(b"## I");
            return items.push((0, Item::Nothing));
        }
        match self.row(line) {
            Ok(entry) => {
                items.extend(self.flush());
                self.comment = false;
                self.held = Some(entry);
                self.age = 0;
            }
            Err(_) if line.is_empty() && !self.comment => {
                items.extend(self.flush());
                items.push((0, Item::Nothing));
            }
            // The name goes on, or what is held is whole and this is damage.
            Err(fault) => match &mut self.held {
                Some(held)
                    if !whole
                        && fault == Fault::Text
                        && !line.starts_with(b"#")
                        && held.name.len() + line.len() < MAX_LINE =>
                {
                    held.name.push(b'\n');
                    held.name.extend_from_slice(line);
                }
                None if self.comment && fault == Fault::Text => items.push((0, Item::Nothing)),
                _ => {
                    items.extend(self.flush());
                    let fault = if fault == Fault::Text { Fault::Malformed } else { fault };
                    items.push((0, Item::Bad(fault)));
                }
            },
        }
    }

    /// Returns what a row says, or [`Fault::Text`] if it is none.
    fn row(&self, line: &[u8]) -> Result<Entry, Fault> {
        let damaged = super::doubtful(line);
        let columns = self.columns.as_ref().ok_or(Fault::Malformed)?;
        let mut entry = Entry::default();
        let mut rest = line;
        for (i, column) in columns.iter().enumerate() {
            let after = columns.len() - i - 1;
            let field = if after == 0 {
                std::mem::take(&mut rest)
            } else if *column == Column::Name {
                // The columns after the name are as many as there are commas in them.
                let at = nth_last_comma(rest, after).ok_or(damaged.clone())?;
                let (field, more) = rest.split_at(at);
                rest = &more[1..];
                field
            } else {
                let at = memchr::memchr(b',', rest).ok_or(damaged.clone())?;
                let (field, more) = rest.split_at(at);
                rest = &more[1..];
                field
            };
            match column {
                Column::Size => entry.size = Some(super::number(field).ok_or(damaged.clone())?),
                Column::Name => entry.name = field.to_vec(),
                Column::Digest(a) => {
                    let digest = from_hex(field).filter(|d| d.as_bytes().len() == a.digest_len());
                    entry.stated.push(Stated::new(Some(*a), digest.ok_or(damaged.clone())?));
                }
                Column::Other(name) => entry.unknown.push(name.clone()),
            }
        }
        if entry.name.is_empty() || memchr::memchr(0, &entry.name).is_some() {
            return Err(Fault::Malformed);
        }
        if entry.stated.is_empty() {
            return Err(entry.unknown.pop().map_or(Fault::Malformed, Fault::NoSuchAlgorithm));
        }
        Ok(entry)
    }
}

/// Returns what the line says that names the columns.
fn columns(heading: &[u8]) -> Option<Vec<Column>> {
    let heading = std::str::from_utf8(heading).ok()?;
    let mut columns = Vec::new();
    for word in heading.split(',').map(str::trim).take(65) {
        columns.push(match word {
            "size" => Column::Size,
            "filename" => Column::Name,
            _ => algorithm_of_tag(word).map_or_else(|| Column::Other(word.into()), Column::Digest),
        });
    }
    let count = |column: &Column| columns.iter().filter(|c| *c == column).count();
    (columns.len() <= 64 && count(&Column::Name) == 1 && count(&Column::Size) <= 1).then_some(columns)
}

fn nth_last_comma(line: &[u8], n: usize) -> Option<usize> {
    memchr::memrchr_iter(b',', line).nth(n.checked_sub(1)?)
}

/// Returns an entry, unless it is for a part of a file.
fn finished(entry: Entry) -> Item {
    if is_piece(&entry.name, entry.size) {
        return Item::Bad(Fault::Said("the digest of a part of a file, which is not verified".into()));
    }
    Item::Entry(entry)
}

/// Returns whether a name is that of a part of a file (-p): `name offset 0-511`, and of this length if that is known.
pub(super) fn is_piece(name: &[u8], size: Option<u64>) -> bool {
    let parsed = || {
        let at = memchr::memmem::rfind(name, b" offset ").filter(|&at| at > 0)?;
        let range = &name[at + 8..];
        let dash = memchr::memchr(b'-', range)?;
        Some((super::number(&range[..dash])?, super::number(&range[dash + 1..])?))
    };
    parsed().is_some_and(|(first, last)| {
        first <= last && size.is_none_or(|s| (last - first).checked_add(1) == Some(s))
            || last.checked_add(1) == Some(first) && size == Some(0)
    })
}

fn one_line(text: &str) -> String {
    text.replace(['\r', '\n', '\0'], " ")
}

struct Writer {
    columns: Vec<(&'static str, Algorithm)>,
    folder: String,
    command: String,
    is_root: bool,
}

impl Write for Writer {
    fn begin(&mut self, out: &mut Vec<u8>) {
        let columns: String = self.columns.iter().map(|(name, _)| format!("{name},")).collect();
        let prompt = if self.is_root { '#' } else { '$' };
        let Writer { folder, command, .. } = self;
        out.extend_from_slice(format!("%%%% HASHDEEP-1.0\n%%%% size,{columns}filename\n").as_bytes());
        out.extend_from_slice(format!("## Invoked from: {folder}\n## {prompt} {command}\n## \n").as_bytes());
    }

    fn entry(&mut self, entry: &Entry, out: &mut Vec<u8>) -> Result<(), Unfit> {
        let name = &entry.name[..];
        if name.is_empty() || memchr::memchr2(b'\n', 0, name).is_some() || name.ends_with(b"\r") {
            return Err(Unfit::Name("a line break"));
        }
        if is_piece(name, entry.size) {
            return Err(Unfit::Name("like a part of a file"));
        }
        let size = entry.size.ok_or(Unfit::Lacks("the file's length"))?;
        let mut function = |s: &Stated| match s.function {
            Some(Function::Hash(a)) if self.columns.iter().any(|(_, c)| *c == a) => Ok(()),
            Some(f) => Err(Unfit::Algorithm(f)),
            None => Err(Unfit::Lacks("the digest's algorithm")),
        };
        entry.stated.iter().try_for_each(&mut function)?;
        out.extend_from_slice(size.to_string().as_bytes());
        for (_, a) in &self.columns {
            let mut same = entry.stated.iter().filter(|s| s.algorithm() == Some(*a));
            let stated = same.next().ok_or(Unfit::Lacks("a digest of every algorithm"))?;
            if same.next().is_some() {
                return Err(Unfit::Algorithm((*a).into()));
            }
            out.push(b',');
            Digits::Hex.put(out, stated.digest.as_bytes());
        }
        out.push(b',');
        out.extend_from_slice(name);
        out.push(b'\n');
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Written, attack, header, read, samples, write};
    use super::*;

    const MD5: &str = "a5e54d1fd7bb69a228ef0dcd2431367e";
    const SHA256: &str = "18b7cb099a9ea3f50ba899b5ba81e0d377a5f3b16f8f6eeb8b3e58cd4692b993";

    /// As hashdeep 4.4 writes it, but with the same digests everywhere.
    fn real(names: &[&str]) -> String {
        let mut list = "%%%% HASHDEEP-1.0\n%%%% size,md5,sha256,filename\n## Invoked from: /tmp/t\n\
            ## # hashdeep -l ./ lead ./new\nline\n## \n"
            .to_string();
        for name in names {
            list += &format!("5,{MD5},{SHA256},{name}\n");
        }
        list
    }

    #[test]
    fn real_lists() {
        let names =
            ["./ lead", "./#hash", "./;semi", r"./back\slash", "./com,ma", "trail ", "c\rr", "q\"uote", "end\r", "/a"];
        let list = real(&names);
        let said = read(&list, "list");
        assert_eq!(said.entries.iter().map(|e| str::from_utf8(&e.name).unwrap()).collect::<Vec<_>>(), names);
        assert_eq!(said.lines.len(), names.len());
        let crlf = real(&["a"]).replace('\n', "\r\n");
        assert_eq!(read(crlf, "l").lines, [format!("7 a 5 MD5={MD5} SHA256={SHA256}")]);
        // -0
        let (heading, rows) = list.split_at(list.find("5,").unwrap());
        let zero = heading.to_string() + &rows.replace("c\rr", "c\nr").replace('\n', "\0").replace("c\0r", "c\nr");
        let all = read(&zero, "list").entries;
        assert_eq!((all.len(), &all[6].name[..]), (names.len(), &b"c\nr"[..]));
        assert_eq!(attack(real(&["./ lead", "com,ma", "a"]), "list"), []);
        assert_eq!(attack(zero, "list"), []);
    }

    #[test]
    fn line_breaks_in_names() {
        let want = ["7 new\\nline", "9 b"].map(|line| format!("{line} 5 MD5={MD5} SHA256={SHA256}"));
        assert_eq!(read(real(&["new\nline", "b"]), "l").lines, want);
        // A damaged row is not taken for the rest of a name.
        let damaged = real(&["a", "b", "c"]).replace(",b\n", "\n");
        let lines = read(damaged, "l").lines;
        assert_eq!((lines.len(), &lines[1][..]), (3, "8 bad: checksum line not understood"));
    }

    #[test]
    fn pieces_are_not_files() {
        let piece = "bad: the digest of a part of a file, which is not verified";
        let pieces = real(&["a offset 0-4", "a offset 5-9", "b offset 0-7", "c offset 1-"]);
        assert_eq!(read(pieces, "l").lines[..2], [format!("7 {piece}"), format!("8 {piece}")]);
        assert!(is_piece(b"a offset 0-1", Some(2)) && is_piece(b"a offset 0-1", None));
        assert!(
            !is_piece(b"a offset 0-1", Some(3)) && !is_piece(b" offset 0-1", None) && !is_piece(b"a offset 2-1", None)
        );
        assert!(!is_piece(b"a offset 0-18446744073709551615", Some(0)));
    }

    #[test]
    fn columns_of_every_sort() {
        let list = format!("%%%% HASHDEEP-1.0\n%%%% filename,md5,size\na,b,{MD5},5\n");
        assert_eq!(read(list, "l").lines, [format!("3 a,b 5 MD5={MD5}")]);
        let list = format!("%%%% HASHDEEP-1.0\n%%%% size,md5,foo,filename\n5,{MD5},xyz,a\n");
        let note = "3 note: NotKnown(\"foo\")".to_string();
        assert_eq!(read(list, "l").lines, [note, format!("3 a 5 MD5={MD5}")]);
        let list = "%%%% HASHDEEP-1.0\n%%%% size,foo,filename\n5,xyz,a\n";
        assert_eq!(read(list, "l").lines, ["3 bad: digest of an unknown algorithm, foo"]);
        for heading in ["", "%%%% size,md5\n", "%%%% filename,filename,md5\n", "%%%% size,size,md5,filename\n"] {
            let list = format!("%%%% HASHDEEP-1.0\n{heading}5,{MD5},a\n");
            assert!(read(list, "l").lines.iter().all(|l| l.contains("bad: ")), "{heading}");
        }
        for row in ["5", "x,{},a", "5,{}", "5,{},", "-5,{},a", "99999999999999999999,{},a", "5,{}00,a", "5, {},a"] {
            let list = format!("%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n{}\n", row.replace("{}", MD5));
            assert_eq!(read(list, "l").lines, ["3 bad: checksum line not understood"], "{row}");
        }
    }

    #[test]
    fn there_and_back() {
        let names = ["sha256", "md5", "tiger"];
        let Written { list, held, unfit } = write(&FORM, &header(&names), &samples(&names));
        let heading = "%%%% HASHDEEP-1.0\n%%%% size,md5,sha256,tiger,filename\n## Invoked from: /dir with/line\n## $ hashmill sum\n## \n5,";
        assert!(list.starts_with(heading.as_bytes()), "{}", list.escape_ascii());
        // Of `x offset 0-1`, the length tells that it is no part of a file.
        assert_eq!(unfit, [r"new\nline", r"end\r", r"a\n", r"\na", r"\n", r"\r", r"a\r\nb", r"c\nd\re\tf"]);
        let back = read(&list, "list").entries;
        let key = |e: &Entry| (e.name.clone(), e.size, e.stated.len());
        assert_eq!(back.iter().map(key).collect::<Vec<_>>(), held.iter().map(key).collect::<Vec<_>>());
        assert!(back.iter().zip(&held).all(|(b, h)| h.stated.iter().all(|s| b.stated.contains(s))));
        assert!(write(&FORM, &header(&["sha512"]), &samples(&["sha512"])).held.is_empty());
    }
}
