//! Comma-separated values (RFC 4180) with a heading: `path,size,mtime,md5,sha256,path_base64`. The columns can be in
//! any order; those of digests are named after their algorithms. A name that is not UTF-8 is in `path_base64`, and its
//! `path` is empty.

use super::{Base, End, Form, Format, How, Sink, Unfit, Write, outside};
use crate::base::digits::{Digits, is_hex};
use crate::base::entry::{Entry, Item, Stated};
use crate::base::fault::Fault;
use crate::base::function::Function;
use crate::base::header::Header;
use crate::text::lines::MAX_LINE;
use crate::text::source::{Next, Source};
use data_encoding::BASE64;
use std::path::Path;

pub(crate) const FORM: Form = Form {
    name: "csv",
    what: "`path,size,mtime,sha256,path_base64`",
    programs: "hashmill, spreadsheets",
    writes: true,
    lines: false,
    algorithms: "any",
    several: true,
    sizes: true,
    times: true,
    cannot: "",
    base: Base::Current,
    format: &Csv,
};

struct Csv;

impl Format for Csv {
    fn sniff(&self, head: &[u8], _: &Path) -> bool {
        let end = memchr::memchr(b'\n', head).unwrap_or(head.len());
        columns(&head[..end]).is_some()
    }

    fn read(&self, source: Source<'_>, _: &How<'_>, sink: &mut Sink<'_>) -> Result<(), End> {
        let mut heading: Option<Vec<Column>> = None;
        by_record(source, sink, |record| match &heading {
            Some(columns) => row(columns, record).unwrap_or_else(Item::Bad),
            None => {
                heading = columns(record);
                if heading.is_some() { Item::Nothing } else { Item::Bad(Fault::Malformed) }
            }
        })
    }

    fn writer(&self, header: &Header) -> Option<Box<dyn Write>> {
        let mut functions: Vec<Function> = Vec::new();
        for &f in &header.functions {
            if !functions.contains(&f) {
                functions.push(f);
            }
        }
        Some(Box::new(Writer { functions, digits: header.digits }))
    }
}

/// What a column has.
enum Column {
    Path,
    /// The path in base64.
    Encoded,
    Size,
    Time,
    Digest(Function),
    /// Something else, which may be a digest by an algorithm of this name.
    Other(String),
}

/// Minimum number of hexadecimal digits in a column of any name that are taken for a digest.
const MIN_UNKNOWN: usize = 16;

/// Maximum number of columns.
const MOST: usize = 256;

/// Returns what a heading says, if it is that of a list.
fn columns(heading: &[u8]) -> Option<Vec<Column>> {
    // Most lists have none, so this comes first.
    let has_path = |heading: &[u8]| heading.windows(4).any(|word| word.eq_ignore_ascii_case(b"path"));
    if heading.len() > 16 << 10 || !has_path(heading) {
        return None;
    }
    let names = fields(heading.trim_ascii())?;
    let mut columns = Vec::with_capacity(names.len());
    let mut seen: Vec<String> = Vec::new();
    for name in names {
        let name = String::from_utf8(name).ok()?;
        columns.push(match &*name.to_ascii_lowercase() {
            "path" => Column::Path,
            "path_base64" => Column::Encoded,
            "size" => Column::Size,
            "mtime" => Column::Time,
            _ => match Function::named(&name) {
                Some(function) => Column::Digest(function),
                // A line of another form, in which a digest comes before a name with commas.
                None if name.split([' ', '\t', ':', '(']).any(|w| w.len() >= 8 && is_hex(w.as_bytes())) => return None,
                None => Column::Other(name.clone()),
            },
        });
        if seen.contains(&name) {
            return None;
        }
        seen.push(name);
    }
    let digests = columns.iter().any(|c| matches!(c, Column::Digest(_)));
    let paths = columns.iter().any(|c| matches!(c, Column::Path | Column::Encoded));
    (digests && paths).then_some(columns)
}

fn row(columns: &[Column], record: &[u8]) -> Result<Item, Fault> {
    if record.is_empty() {
        return Ok(Item::Nothing);
    }
    let fields = fields(record).filter(|f| f.len() == columns.len()).ok_or(Fault::Malformed)?;
    let mut entry = Entry::default();
    for (column, field) in columns.iter().zip(fields) {
        if field.is_empty() {
            continue;
        }
        match column {
            Column::Path | Column::Encoded if !entry.name.is_empty() => return Err(Fault::Malformed),
            Column::Path => entry.name = field,
            Column::Encoded => entry.name = BASE64.decode(&field).map_err(|_| Fault::Malformed)?,
            Column::Size => entry.size = Some(super::number(&field).ok_or(Fault::Malformed)?),
            Column::Time => {
                let time = std::str::from_utf8(&field).ok().and_then(crate::base::time::parse);
                entry.mtime = Some(time.ok_or(Fault::Malformed)?);
            }
            Column::Digest(function) => {
                let digest = function.digest(&field).ok_or(Fault::Malformed)?;
                entry.stated.push(Stated::of(*function, digest));
            }
            Column::Other(name) if may_be_a_digest(name, &field) => entry.unknown.push(name.clone()),
            Column::Other(_) => {}
        }
    }
    if entry.name.is_empty() || memchr::memchr(0, &entry.name).is_some() {
        return Err(Fault::Malformed);
    }
    super::with_digests(entry)
}

/// Returns whether a field is most likely a digest by an algorithm that is not known here.
fn may_be_a_digest(heading: &str, field: &[u8]) -> bool {
    const WORDS: [&str; 10] = ["hash", "sha", "md", "crc", "sum", "digest", "blake", "xxh", "xor", "etag"];
    let heading = heading.to_ascii_lowercase();
    let is_one_word = field.iter().all(|b| b.is_ascii_alphanumeric() || b"+/=_-".contains(b));
    let is_long = field.len() >= MIN_UNKNOWN && (is_hex(field) || field.len() >= 22 && field.ends_with(b"="));
    is_one_word && (is_long || WORDS.iter().any(|word| heading.starts_with(word) || heading.ends_with(word)))
}

/// Splits a record into its fields. Returns `None` if a quotation mark is where it cannot be.
pub(super) fn fields(record: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut all = Vec::new();
    let mut rest = record;
    loop {
        let mut field = Vec::new();
        if let Some(mut quoted) = rest.strip_prefix(b"\"") {
            loop {
                let at = memchr::memchr(b'"', quoted)?;
                field.extend_from_slice(&quoted[..at]);
                quoted = &quoted[at + 1..];
                let Some(more) = quoted.strip_prefix(b"\"") else { break };
                field.push(b'"');
                quoted = more;
            }
            rest = quoted;
        } else {
            let end = memchr::memchr(b',', rest).unwrap_or(rest.len());
            if memchr::memchr(b'"', &rest[..end]).is_some() {
                return None;
            }
            field.extend_from_slice(&rest[..end]);
            rest = &rest[end..];
        }
        if all.len() == MOST {
            return None;
        }
        all.push(field);
        match rest.split_first() {
            None => return Some(all),
            Some((b',', more)) => rest = more,
            Some(_) => return None,
        }
    }
}

/// Returns whether a record goes on in the next line, since a quotation mark is open.
fn is_open(text: &[u8]) -> bool {
    memchr::memchr_iter(b'"', text).count() % 2 == 1
}

/// Passes on what `each` makes of every record.
pub(super) fn by_record(
    mut source: Source<'_>,
    sink: &mut Sink<'_>,
    mut each: impl FnMut(&[u8]) -> Item,
) -> Result<(), End> {
    // The lines of a record that is open, and the first one's number.
    let mut open: Option<(u64, Vec<u8>)> = None;
    while let Some(next) = source.next()? {
        let (first, item) = match next {
            Next::Line(line) => match open.take() {
                Some((number, mut record)) => {
                    if record.len() + line.len() >= MAX_LINE {
                        (Some(number), Item::Bad(Fault::TooLong))
                    } else {
                        record.push(b'\n');
                        record.extend_from_slice(line);
                        if !is_open(line) {
                            open = Some((number, record));
                            continue;
                        }
                        (Some(number), each(record.strip_suffix(b"\r").unwrap_or(&record)))
                    }
                }
                None if is_open(line) => {
                    let line = line.to_vec();
                    open = Some((source.number(), line));
                    continue;
                }
                None => (None, each(line.strip_suffix(b"\r").unwrap_or(line))),
            },
            Next::TooLong => (open.take().map(|(number, _)| number), Item::Bad(Fault::TooLong)),
            Next::Outside(line) => (None, outside(line)),
        };
        sink.put(first.unwrap_or_else(|| source.number()), item)?;
    }
    match open {
        Some((number, _)) => sink.put(number, Item::Bad(Fault::Malformed)),
        None => Ok(()),
    }
}

/// Appends a field, in quotation marks if it needs them.
fn put(field: &[u8], out: &mut Vec<u8>) {
    let special = |b: &u8| matches!(b, b',' | b'"' | b'\n' | b'\r');
    let blank = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_whitespace());
    if !field.iter().any(special) && !blank(field.first()) && !blank(field.last()) {
        return out.extend_from_slice(field);
    }
    out.push(b'"');
    for &b in field {
        if b == b'"' {
            out.push(b);
        }
        out.push(b);
    }
    out.push(b'"');
}

struct Writer {
    functions: Vec<Function>,
    digits: Digits,
}

impl Write for Writer {
    fn begin(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"path,size,mtime");
        for f in &self.functions {
            out.push(b',');
            put(f.name().as_bytes(), out);
        }
        out.extend_from_slice(b",path_base64\n");
    }

    fn entry(&mut self, entry: &Entry, out: &mut Vec<u8>) -> Result<(), Unfit> {
        if entry.name.is_empty() || memchr::memchr(0, &entry.name).is_some() {
            return Err(Unfit::Name("empty, or with NUL"));
        }
        for (i, stated) in entry.stated.iter().enumerate() {
            let function = stated.function.ok_or(Unfit::Lacks("the digest's algorithm"))?;
            let before = &entry.stated[..i];
            if !self.functions.contains(&function)
                || before.iter().any(|s| s.function == Some(function) && s.digest != stated.digest)
            {
                return Err(Unfit::Algorithm(function));
            }
        }
        let is_text = std::str::from_utf8(&entry.name).is_ok();
        if is_text {
            put(&entry.name, out);
        }
        out.push(b',');
        if let Some(size) = entry.size {
            out.extend_from_slice(size.to_string().as_bytes());
        }
        out.push(b',');
        if let Some(time) = entry.mtime {
            out.extend_from_slice(crate::base::time::format(time).as_bytes());
        }
        for f in &self.functions {
            out.push(b',');
            if let Some(stated) = entry.stated.iter().find(|s| s.function == Some(*f)) {
                stated.put(self.digits, out);
            }
        }
        out.push(b',');
        if !is_text {
            out.extend_from_slice(BASE64.encode(&entry.name).as_bytes());
        }
        out.push(b'\n');
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Written, attack, header, read, samples, write};
    use super::*;

    const MD5: &str = "a5e54d1fd7bb69a228ef0dcd2431367e";

    #[test]
    fn there_and_back() {
        let names = ["sha256", "md5", "crc32c"];
        let Written { list, held, unfit } = write(&FORM, &header(&names), &samples(&names));
        let start = b"path,size,mtime,sha256,md5,crc32c,path_base64\na.txt,5,2023-11-14T22:13:20.5Z,18b7cb09";
        assert!(list.starts_with(start));
        assert!(unfit.is_empty());
        assert_eq!(read(&list, "list").entries, held);
        let crlf: Vec<u8> = list.iter().flat_map(|&b| if b == b'\n' { vec![b'\r', b'\n'] } else { vec![b] }).collect();
        assert_eq!(read(&crlf, "list").entries.len(), held.len());
        assert!(write(&FORM, &header(&["md5"]), &samples(&names)).held.is_empty());
        let names = ["md5", "crc32"];
        assert_eq!(attack(write(&FORM, &header(&names), &samples(&names)[..8]).list, "list"), []);
    }

    #[test]
    fn variants() {
        let list = format!("\"md5\",\"path\",\"remark\"\r\n\"{MD5}\",\"a \"\"b\"\"\",\"x\r\ny\"\r\n");
        assert_eq!(read(list, "l").lines, [format!("2 a \\\"b\\\" MD5={MD5}")]);
        let list = format!("path,md5,foo\na,,{MD5}\nb,,\n");
        assert_eq!(
            read(list, "l").lines,
            ["2 bad: digest of an unknown algorithm, foo", "3 bad: a file without a digest"]
        );
        let list = format!("path,md5,foo,remark\na,{MD5},{MD5},x\nb,{MD5},,20240101\n");
        assert_eq!(
            read(list, "l").lines,
            ["2 note: NotKnown(\"foo\")".to_string(), format!("2 a MD5={MD5}"), format!("3 b MD5={MD5}")]
        );
        let list = format!("Path,md5,quickXorHash,remark\na,{MD5},AAAAAAAAAAAAAAAAAAAAAAAAAAA=,b\n");
        assert_eq!(read(list, "l").lines, ["2 note: NotKnown(\"quickXorHash\")".to_string(), format!("2 a MD5={MD5}")]);
        for row in ["a", "a,{},", "\"a,{}", "a\",{}", "\"a\"b,{}", ",{}", "a,{}0", "a\0,{}"] {
            let list = format!("path,md5\n{}\n", row.replace("{}", MD5));
            assert!(read(list, "l").lines.last().is_some_and(|l| l.contains("bad: ")), "{row}");
        }
        let list = format!("path,path_base64,md5\na,YQ==,{MD5}\n,YQ,{MD5}\n,YQ==,{MD5}\n");
        assert_eq!(read(list, "l").lines[2], format!("4 a MD5={MD5}"));
    }

    #[test]
    fn what_is_not_of_this_form() {
        for list in [
            "d41d8cd98f00b204e9800998ecf8427e *x,path,md5\n",
            "md5:d41d8cd98f00b204e9800998ecf8427e  x,path,md5\n",
            "MD5 (x,path,md5,path_base64) = d41d8cd98f00b204e9800998ecf8427e\n",
            "path,size\n",
            "path\n",
            "path,path,md5\n",
            "file,md5\n",
            "\"Algorithm\",\"Hash\",\"Path\"\n",
            "path,\"md5\n",
            "x  path,md5\n",
        ] {
            assert_ne!(read(list, "x.csv").form, Some(&FORM), "{list}");
        }
    }
}
