//! XML as a stream, in memory that does not grow with it, whatever it contains. Definitions of types and entities are
//! refused, and text is passed on as bytes, since file names need not be text.

use crate::base::fault::Fault;
use crate::text::lines::filled;
use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};
use std::io::{self, BufRead, Read};

/// Maximum length in bytes of a tag, of a text, and of what describes one file.
const MAX_ELEMENT: usize = 1 << 20;

/// Maximum depth of elements in each other.
const MAX_DEPTH: usize = 64;

/// Maximum number of attributes.
const MAX_ATTRIBUTES: usize = 64;

/// What an element takes besides its text.
const OVERHEAD: usize = 64;

/// What comes next in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// An element begins: [`Xml::tag`].
    Open,
    /// An element ends.
    Close,
    /// Text: [`Xml::text`].
    Text,
    /// The document has ended.
    End,
}

/// The tag that an element begins with.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tag {
    /// The name, without its prefix if that is the same as the outermost element's.
    pub(crate) name: String,
    attributes: Vec<(String, Vec<u8>)>,
}

impl Tag {
    /// Returns the value of an attribute.
    pub(crate) fn attribute(&self, name: &str) -> Option<&[u8]> {
        self.attributes.iter().find(|(n, _)| n == name).map(|(_, value)| &**value)
    }

    /// Returns whether the element declares a namespace that begins like this.
    pub(crate) fn declares(&self, namespace: &str) -> bool {
        let declares = |name: &str| name == "xmlns" || name.starts_with("xmlns:");
        self.attributes.iter().any(|(name, value)| declares(name) && value.starts_with(namespace.as_bytes()))
    }
}

/// An element with the elements in it, and those in these: all that describes one file.
#[derive(Debug, Default)]
pub(crate) struct Record {
    /// The number of the line on which it begins.
    pub(crate) line: u64,
    pub(crate) fields: Vec<Field>,
    /// Whether there were elements whose content was not wanted.
    pub(crate) has_others: bool,
    /// What makes it unusable.
    pub(crate) fault: Option<Fault>,
}

/// An element, usually without elements in it.
#[derive(Debug, Default)]
pub(crate) struct Field {
    pub(crate) tag: Tag,
    pub(crate) text: Vec<u8>,
    /// Whether there are elements in it after all.
    pub(crate) is_nested: bool,
    /// These elements.
    pub(crate) inner: Vec<Field>,
}

impl Record {
    /// Returns the only field with this name, if there is one.
    ///
    /// # Errors
    /// Returns a fault if there are several, or if there are elements in it.
    pub(crate) fn field(&self, name: &str) -> Result<Option<&Field>, Fault> {
        let mut fields = self.fields.iter().filter(|f| f.tag.name == name);
        let first = fields.next();
        let is_single = fields.next().is_none() && first.is_none_or(|f| !f.is_nested);
        if is_single { Ok(first) } else { Err(Fault::Malformed) }
    }

    /// Returns the text of the field that has the file's name.
    ///
    /// # Errors
    /// Returns a fault if there is no such field, or if no file can have this name.
    pub(crate) fn name(&self, field: &str) -> Result<&[u8], Fault> {
        let name = self.field(field)?.map(|f| &*f.text).unwrap_or_default();
        if name.is_empty() || name.contains(&0) { Err(Fault::Malformed) } else { Ok(name) }
    }
}

/// Returns a number of bytes, written with decimal digits.
pub(crate) fn length(text: &[u8]) -> Result<u64, Fault> {
    let text = text.trim_ascii();
    // A sign would be understood otherwise.
    let digits = Some(text).filter(|t| t.iter().all(u8::is_ascii_digit)).and_then(|t| std::str::from_utf8(t).ok());
    digits.and_then(|t| t.parse().ok()).ok_or(Fault::Malformed)
}

/// Returns a time, if there is one that says what its offset from UTC is.
pub(crate) fn time(text: &[u8]) -> Option<(i64, u32)> {
    std::str::from_utf8(text.trim_ascii()).ok().and_then(crate::base::time::parse)
}

/// How the ends of lines in texts are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ends {
    /// As XML requires: CR and CRLF stand for LF.
    Xml,
    /// As they are, for programs that write names as they are.
    Literal,
}

/// A document that is being read.
pub(crate) struct Xml<'a> {
    reader: Reader<Characters<'a>>,
    buffer: Vec<u8>,
    ends: Ends,
    depth: usize,
    /// Whether the outermost element has begun, and its prefix.
    root: Option<String>,
    line: u64,
    tag: Tag,
    text: Vec<u8>,
    /// Whether the last part could be understood as a whole.
    is_sound: bool,
}

impl<'a> Xml<'a> {
    pub(crate) fn new(document: Box<dyn BufRead + Send + 'a>, ends: Ends) -> Self {
        let characters = Characters { inner: document, wide: Vec::new(), at: 0, lines: 1, taken: 0 };
        let mut reader = Reader::from_reader(characters);
        reader.config_mut().expand_empty_elements = true;
        Xml {
            reader,
            buffer: Vec::new(),
            ends,
            depth: 0,
            root: None,
            line: 1,
            tag: Tag::default(),
            text: Vec::new(),
            is_sound: true,
        }
    }

    /// Returns how many elements are open.
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    /// Returns the number of the line on which the last part began.
    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    /// Returns the tag of the last element that began.
    pub(crate) fn tag(&self) -> &Tag {
        &self.tag
    }

    /// Goes on to the next part.
    pub(crate) fn next(&mut self) -> io::Result<Part> {
        loop {
            self.buffer.clear();
            self.line = self.reader.get_ref().lines;
            self.reader.get_mut().taken = 0;
            self.is_sound = true;
            let event = match self.reader.read_event_into(&mut self.buffer) {
                Ok(event) => event,
                Err(quick_xml::Error::Io(e)) => return Err(io::Error::new(e.kind(), e.to_string())),
                Err(_) => return Err(damaged(self.line, "is damaged or cut off")),
            };
            let is_inside = self.depth > 0;
            let text = &mut self.text;
            text.clear();
            match event {
                Event::Start(_) if !is_inside && self.root.is_some() => {
                    return Err(damaged(self.line, "has several outermost elements"));
                }
                Event::Start(_) if self.depth == MAX_DEPTH => {
                    return Err(damaged(self.line, "has too many elements in each other"));
                }
                Event::Start(start) => {
                    let prefix = start.name().prefix().map_or("", |p| p.into_inner());
                    let root = self.root.get_or_insert_with(|| prefix.to_owned());
                    self.is_sound = self.tag.read(&start, *root == prefix);
                    self.depth += 1;
                    return Ok(Part::Open);
                }
                Event::End(_) => {
                    self.depth = self.depth.saturating_sub(1);
                    return Ok(Part::Close);
                }
                Event::Text(t) if is_inside => {
                    narrow(&t, text);
                    if self.ends == Ends::Xml {
                        unify_ends(text);
                    }
                    return Ok(Part::Text);
                }
                Event::CData(t) if is_inside => {
                    narrow(&t, text);
                    if self.ends == Ends::Xml {
                        unify_ends(text);
                    }
                    return Ok(Part::Text);
                }
                Event::GeneralRef(reference) if is_inside => {
                    self.is_sound = resolve(&reference, text);
                    return Ok(Part::Text);
                }
                Event::Text(t) if t.bytes().all(|b| b.is_ascii_whitespace()) => {}
                Event::Text(_) | Event::CData(_) | Event::GeneralRef(_) => {
                    return Err(damaged(self.line, "has text outside of its outermost element"));
                }
                Event::DocType(_) => return Err(damaged(self.line, "has definitions (DOCTYPE), which no list needs")),
                Event::Decl(_) | Event::PI(_) | Event::Comment(_) => {}
                Event::Eof if is_inside || self.root.is_none() => {
                    return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the list is cut off"));
                }
                Event::Eof => return Ok(Part::End),
                Event::Empty(_) => return Err(damaged(self.line, "is damaged")),
            }
        }
    }

    /// Reads the rest of the element that has just begun. Of elements in it that `others` accepts, nothing is kept.
    pub(crate) fn record(&mut self, others: fn(&str) -> bool) -> io::Result<Record> {
        let mut record = Record { line: self.line, ..Record::default() };
        if !self.is_sound {
            record.fault = Some(Fault::Malformed);
        }
        let outside = self.depth.saturating_sub(1);
        let mut used = 0;
        let mut is_other = false;
        loop {
            let part = self.next()?;
            let depth = self.depth.saturating_sub(outside);
            match part {
                Part::Open if depth == 2 => {
                    is_other = others(&self.tag.name);
                    record.has_others |= is_other;
                    if !is_other && !self.is_sound {
                        record.fault.get_or_insert(Fault::Malformed);
                    }
                    if !is_other && record.fault.is_none() {
                        used += OVERHEAD + self.tag.len();
                        record.fields.push(Field { tag: std::mem::take(&mut self.tag), ..Field::default() });
                    }
                }
                Part::Open => {
                    if !is_other
                        && record.fault.is_none()
                        && let Some(field) = record.fields.last_mut()
                    {
                        field.is_nested = true;
                        if depth == 3 {
                            if !self.is_sound {
                                record.fault = Some(Fault::Malformed);
                            }
                            used += OVERHEAD + self.tag.len();
                            field.inner.push(Field { tag: std::mem::take(&mut self.tag), ..Field::default() });
                        } else if let Some(inner) = field.inner.last_mut() {
                            inner.is_nested = true;
                        }
                    }
                }
                Part::Text if depth == 1 => {
                    if !self.text.trim_ascii().is_empty() || !self.is_sound {
                        record.fault.get_or_insert(Fault::Malformed);
                    }
                }
                Part::Text if depth == 2 && !is_other => {
                    if !self.is_sound {
                        record.fault.get_or_insert(Fault::Malformed);
                    }
                    used += self.text.len();
                    if record.fault.is_none()
                        && let Some(field) = record.fields.last_mut()
                    {
                        field.text.extend_from_slice(&self.text);
                    }
                }
                Part::Text if depth == 3 && !is_other && record.fault.is_none() => {
                    used += self.text.len();
                    if let Some(inner) = record.fields.last_mut().and_then(|field| field.inner.last_mut()) {
                        inner.text.extend_from_slice(&self.text);
                        // What cannot be understood is no text.
                        inner.is_nested |= !self.is_sound;
                    }
                }
                Part::Text => {}
                Part::Close if depth == 0 => return Ok(record),
                Part::Close => {}
                Part::End => return Ok(record),
            }
            if used > MAX_ELEMENT {
                record.fault = Some(Fault::TooLong);
                record.fields.clear();
                used = 0;
            }
        }
    }
}

impl Tag {
    /// Reads a tag. Returns whether all of it could be understood.
    fn read(&mut self, start: &BytesStart<'_>, is_ours: bool) -> bool {
        let (local, name) = (start.local_name(), start.name());
        self.name.clear();
        self.name.push_str(if is_ours { local.as_ref() } else { name.as_ref() });
        self.attributes.clear();
        let mut is_sound = true;
        for attribute in start.attributes().with_checks(false) {
            let Ok(attribute) = attribute else { return false };
            let name = attribute.key.as_ref();
            if self.attributes.len() == MAX_ATTRIBUTES || self.attribute(name).is_some() {
                return false;
            }
            let mut value = Vec::new();
            is_sound &= decode(&attribute.value, &mut value);
            self.attributes.push((name.to_owned(), value));
        }
        is_sound
    }

    fn len(&self) -> usize {
        let attributes = self.attributes.iter().map(|(name, value)| OVERHEAD + name.len() + value.len());
        self.name.len() + attributes.sum::<usize>()
    }
}

/// Returns the outermost element's tag of a document that begins like this.
pub(crate) fn root(head: &[u8]) -> Option<Tag> {
    if head.trim_ascii_start().first() != Some(&b'<') {
        return None;
    }
    let mut xml = Xml::new(Box::new(head), Ends::Xml);
    // What comes first is the declaration, comments, or the element.
    match xml.next() {
        Ok(Part::Open) => Some(std::mem::take(&mut xml.tag)),
        _ => None,
    }
}

fn damaged(line: u64, what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the list's XML {what} (line {line})"))
}

/// Appends the bytes that characters below U+0100 stand for.
fn narrow(text: &str, out: &mut Vec<u8>) {
    if text.is_ascii() {
        out.extend_from_slice(text.as_bytes());
    } else {
        // Nothing else comes out of `Characters`.
        out.extend(text.chars().map(|c| c as u8));
    }
}

/// Makes every end of a line LF.
fn unify_ends(text: &mut Vec<u8>) {
    if memchr::memchr(b'\r', text).is_none() {
        return;
    }
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.iter().peekable();
    while let Some(&b) = bytes.next() {
        if b == b'\r' {
            bytes.next_if_eq(&&b'\n');
            out.push(b'\n');
        } else {
            out.push(b);
        }
    }
    *text = out;
}

/// Appends what a reference stands for. Returns whether it is known without definitions.
fn resolve(reference: &BytesRef<'_>, out: &mut Vec<u8>) -> bool {
    let c = match &**reference {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "apos" => '\'',
        "quot" => '"',
        _ => match reference.resolve_char_ref() {
            Ok(Some(c)) => c,
            _ => return false,
        },
    };
    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    true
}

/// Appends the value of an attribute. Returns whether all references in it are known.
fn decode(mut raw: &str, out: &mut Vec<u8>) -> bool {
    while let Some((before, after)) = raw.split_once('&') {
        narrow(before, out);
        let Some((reference, rest)) = after.split_once(';') else { return false };
        if !resolve(&BytesRef::new(reference), out) {
            return false;
        }
        raw = rest;
    }
    narrow(raw, out);
    true
}

/// A reader that turns every byte into the character with the same number, in UTF-8, which is what the XML reader
/// takes. So names that are not UTF-8 survive. It counts lines, and fails if too much is read at once.
struct Characters<'a> {
    inner: Box<dyn BufRead + Send + 'a>,
    wide: Vec<u8>,
    at: usize,
    lines: u64,
    /// Bytes read for what the XML reader is about to return.
    taken: usize,
}

/// How many bytes are turned into characters at once.
const PIECE: usize = 32 << 10;

impl BufRead for Characters<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.wide.len() {
            if self.taken > MAX_ELEMENT {
                return Err(damaged(self.lines, "has an element that is too long for a list"));
            }
            let bytes = filled(&mut self.inner)?;
            let bytes = &bytes[..bytes.len().min(PIECE)];
            self.wide.clear();
            self.at = 0;
            if bytes.is_ascii() {
                self.wide.extend_from_slice(bytes);
            } else {
                for &b in bytes {
                    match b {
                        0..0x80 => self.wide.push(b),
                        _ => self.wide.extend_from_slice(&[0xc0 | b >> 6, 0x80 | b & 0x3f]),
                    }
                }
            }
            let used = bytes.len();
            self.inner.consume(used);
        }
        Ok(&self.wide[self.at..])
    }

    fn consume(&mut self, n: usize) {
        let end = (self.at + n).min(self.wide.len());
        self.lines += memchr::memchr_iter(b'\n', &self.wide[self.at..end]).count() as u64;
        self.taken += end - self.at;
        self.at = end;
    }
}

impl Read for Characters<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let from = self.fill_buf()?;
        let n = from.len().min(to.len());
        to[..n].copy_from_slice(&from[..n]);
        self.consume(n);
        Ok(n)
    }
}

/// Appends text, or the value of an attribute, to a document. Returns whether XML can hold it.
pub(crate) fn put(text: &[u8], out: &mut Vec<u8>) -> Result<(), &'static str> {
    let text = std::str::from_utf8(text).map_err(|_| "not UTF-8")?;
    for c in text.chars() {
        match c {
            '<' => out.extend_from_slice(b"&lt;"),
            '>' => out.extend_from_slice(b"&gt;"),
            '&' => out.extend_from_slice(b"&amp;"),
            '"' => out.extend_from_slice(b"&quot;"),
            // These would be changed by a reader otherwise.
            '\t' => out.extend_from_slice(b"&#9;"),
            '\n' => out.extend_from_slice(b"&#10;"),
            '\r' => out.extend_from_slice(b"&#13;"),
            '\0'..' ' | '\u{fffe}' | '\u{ffff}' => return Err("control characters"),
            c => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(document: &[u8], ends: Ends) -> String {
        let mut xml = Xml::new(Box::new(document), ends);
        let mut all = String::new();
        loop {
            match xml.next() {
                Ok(Part::Open) => all += &format!("<{}:{}", xml.line(), xml.tag().name),
                Ok(Part::Close) => all += ">",
                Ok(Part::Text) => all += &format!("{}{}", xml.text.escape_ascii(), if xml.is_sound { "" } else { "?" }),
                Ok(Part::End) => return all,
                Err(e) => return format!("{all} {e}"),
            }
        }
    }

    #[test]
    fn bytes_survive() {
        let list = b"<?xml version='1.0' encoding='ISO-8859-1'?>\n<!-- x -->\n<a>\n<b/>\xff\xc3\xa9&#233;&#x263a;&lt;&gt;&amp;&apos;&quot;<![CDATA[<&]]></a>\n";
        let read = "<3:a\\n<4:b>\\xff\\xc3\\xa9\\xc3\\xa9\\xe2\\x98\\xba<>&\\'\\\"<&>";
        assert_eq!(parts(list, Ends::Literal), read);
        assert_eq!(parts(b"<a>x\r\ny\rz&#13;</a>", Ends::Xml), "<1:ax\\ny\\nz\\r>");
        assert_eq!(parts(b"<a>x\r\ny\rz&#13;</a>", Ends::Literal), "<1:ax\\r\\ny\\rz\\r>");
        assert_eq!(parts(b"<p:a><p:b></p:b><q:b/><b/></p:a>", Ends::Xml), "<1:a<1:b><1:q:b><1:b>>");
        // Nothing is expanded that is not predefined.
        assert_eq!(parts(b"<a>&x;&#0;&#xd800;&#99999999999;</a>", Ends::Xml), "<1:a????>");
    }

    #[test]
    fn what_is_refused() {
        let refused = |document: &[u8], why: &str| {
            let read = parts(document, Ends::Xml);
            assert!(read.contains(why), "{}: {read}", document.escape_ascii());
        };
        refused(b"<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>", "DOCTYPE");
        refused(b"<a>", "cut off");
        refused(b"<a", "cut off");
        refused(b"", "cut off");
        refused(b"<a/><a/>", "several outermost");
        refused(b"<a/>x", "text outside");
        refused(b"x<a/>", "text outside");
        refused(b"<a><b></a></b>", "damaged");
        refused(b"<a>&x</a>", "damaged");
        refused(&b"<a>".repeat(1000), "too many elements in each other");
        let long = |what: &str| format!("<a>{}", what.repeat(3 << 20));
        refused(long("x").as_bytes(), "too long");
        refused(long("<!-- ").as_bytes(), "too long");
        refused(long("<b x='").as_bytes(), "too long");
        refused(long("<?x ").as_bytes(), "too long");
    }

    /// Many parts of one file are limited, too, and what comes after them is read.
    #[test]
    fn records_are_limited() {
        let document = format!("<a><f>{}</f><f><x>1</x></f></a>", "<x>1</x>".repeat(100_000));
        let mut xml = Xml::new(Box::new(document.as_bytes()), Ends::Xml);
        xml.next().unwrap();
        xml.next().unwrap();
        let record = xml.record(|_| false).unwrap();
        assert_eq!((record.fields.len() < 20_000, record.fault), (true, Some(Fault::TooLong)));
        xml.next().unwrap();
        assert_eq!(xml.record(|_| false).unwrap().fields[0].text, b"1");
        let attributes: String = (0..100_000).map(|i| format!(" a{i}=''")).collect();
        let document = format!("<a{attributes}/>");
        let mut xml = Xml::new(Box::new(document.as_bytes()), Ends::Xml);
        xml.next().unwrap();
        assert!(!xml.is_sound && xml.tag().attributes.len() == MAX_ATTRIBUTES);
    }

    #[test]
    fn what_is_written_is_read() {
        let text = "a<b>&\"'\t\r\n ü☃\u{7f}".as_bytes();
        let mut out = b"<a>".to_vec();
        put(text, &mut out).unwrap();
        out.extend(b"</a>");
        assert_eq!(parts(&out, Ends::Xml), format!("<1:a{}>", text.escape_ascii()));
        assert_eq!(put(b"\xff", &mut out), Err("not UTF-8"));
        assert_eq!(put(b"\x01", &mut out), Err("control characters"));
    }
}
