//! What PowerShell's `Get-FileHash` says, saved to a file: its table, its list (`Format-List`), and its records with
//! commas or semicolons (`Export-Csv`, `ConvertTo-Csv`), or several of them, one after the other. The words are the
//! same in every language. Paths are absolute. A table cuts what is longer than its column; a list breaks it.

use super::gnu::fitting;
use super::{Base, End, Form, Format, How, Sink, doubtful, outside, trim_end};
use crate::base::digits::from_hex;
use crate::base::entry::{Entry, Item, Stated};
use crate::base::fault::Fault;
use crate::base::tag::algorithm_of_tag;
use crate::text::lines::MAX_LINE;
use crate::text::source::{Next, Source};
use std::borrow::Cow;
use std::path::Path;

pub(crate) const FORM: Form = Form {
    name: "powershell",
    what: "table, list or CSV with `Algorithm`, `Hash` and `Path`",
    programs: "PowerShell's Get-FileHash",
    writes: false,
    lines: false,
    algorithms: "any",
    several: false,
    sizes: false,
    times: false,
    cannot: "in tables: too long for the column; in lists: with line breaks",
    base: Base::Current,
    format: &PowerShell,
};

struct PowerShell;

/// Lines before the heading that may be blank or a prompt with the command.
const MAX_BEFORE: usize = 16;

impl Format for PowerShell {
    fn sniff(&self, head: &[u8], _: &Path) -> bool {
        let lines: Vec<Cow<'_, [u8]>> = head.split(|&b| b == b'\n').take(MAX_BEFORE).map(plain).collect();
        let prompt = |line: &[u8]| line.starts_with(b"PS ") || trim_end(line).is_empty();
        let Some(first) = lines.iter().position(|line| !prompt(line)) else { return false };
        let line = &lines[first];
        let next: &[u8] = lines.get(first + 1).map_or(b"", |line| line);
        let is_list = |line| field(line).is_some_and(|(key, ..)| key.is_some());
        if line.starts_with(b"#TYPE ") {
            return csv_heading(next).is_some();
        }
        csv_heading(line).is_some() || table_heading(line, next).is_some() || is_list(line) && is_list(next)
    }

    fn read(&self, mut source: Source<'_>, how: &How<'_>, sink: &mut Sink<'_>) -> Result<(), End> {
        let mut reader = Reader { how, sink, state: State::Between, row: Row::default(), record: Vec::new(), end: b"" };
        while let Some(next) = source.next()? {
            let (line, fault) = match next {
                Next::Line(line) => {
                    reader.end = if line.ends_with(b"\r") { b"\r\n" } else { b"\n" };
                    (plain(line).into_owned(), None)
                }
                Next::TooLong => (Vec::new(), Some(Item::Bad(Fault::TooLong))),
                Next::Outside(line) => (Vec::new(), Some(outside(line))),
            };
            let number = source.number();
            match fault {
                None => reader.line(number, &line)?,
                Some(item) => {
                    reader.flush()?;
                    reader.sink.put(number, item)?;
                }
            }
        }
        reader.flush()
    }
}

/// What a column has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Algorithm,
    Hash,
    Path,
}

impl Key {
    fn of(word: &[u8]) -> Option<Key> {
        let is = |name: &str| word.eq_ignore_ascii_case(name.as_bytes());
        match () {
            () if is("Algorithm") => Some(Key::Algorithm),
            () if is("Hash") => Some(Key::Hash),
            () if is("Path") => Some(Key::Path),
            () => None,
        }
    }
}

/// A column of a table: where it begins, and what it has.
type Column = (usize, Key);

/// What is being read.
enum State {
    Between,
    /// A heading, under which there may be dashes.
    Heading(Vec<u8>),
    Table(Vec<Column>),
    /// The position of values, and what the last one is, unless it is of no interest.
    List(usize, Option<Key>),
    /// The separator, and what the columns have.
    Records(u8, Vec<Option<Key>>),
}

/// What is known so far of a file.
#[derive(Default)]
struct Row {
    /// The number of its first line; 0 if there is no file.
    number: u64,
    algorithm: Option<Vec<u8>>,
    hash: Option<Vec<u8>>,
    path: Option<Vec<u8>>,
    fault: Option<Fault>,
}

impl Row {
    fn value(&mut self, key: Key) -> &mut Option<Vec<u8>> {
        match key {
            Key::Algorithm => &mut self.algorithm,
            Key::Hash => &mut self.hash,
            Key::Path => &mut self.path,
        }
    }

    /// Returns what it says.
    fn item(self, how: &How<'_>) -> Item {
        if let Some(fault) = self.fault {
            return Item::Bad(fault);
        }
        let mut path = self.path.unwrap_or_default();
        if path.get(1) == Some(&b':') || path.starts_with(br"\\") {
            // No name on Windows ends with a blank.
            path.truncate(trim_end(&path).len());
        }
        let Some(hash) = self.hash else { return Item::Bad(Fault::Malformed) };
        if is_cut(&path) || is_cut(&hash) {
            return Item::Bad(Fault::CutName(String::from_utf8_lossy(&path).into_owned()));
        }
        match stated(self.algorithm.as_deref(), &hash, how) {
            Err(fault) => Item::Bad(fault),
            // It is of a stream, not of a file.
            Ok(stated) if path.is_empty() => Item::Lone(stated),
            Ok(_) if path.contains(&0) => Item::Bad(Fault::Malformed),
            Ok(stated) => Item::Entry(Entry { name: path, stated: vec![stated], ..Entry::default() }),
        }
    }
}

/// Returns whether PowerShell has cut a value to fit its column.
fn is_cut(value: &[u8]) -> bool {
    value.ends_with(b"...") || value.ends_with("\u{2026}".as_bytes())
}

/// Returns the digest of a row.
fn stated(algorithm: Option<&[u8]>, hash: &[u8], how: &How<'_>) -> Result<Stated, Fault> {
    let digest = from_hex(hash).ok_or(Fault::Malformed)?;
    let Some(algorithm) = algorithm.filter(|a| !a.is_empty()) else {
        if let Some(a) = how.given {
            return fitting(a, hash).map(|(a, d)| Stated::new(Some(a), d)).ok_or(Fault::Malformed);
        }
        let hinted = how.hint.and_then(|a| fitting(a, hash));
        return Ok(hinted.map_or(Stated::new(None, digest), |(a, d)| Stated::new(Some(a), d)));
    };
    let name = String::from_utf8_lossy(algorithm).into_owned();
    let Some(a) = algorithm_of_tag(&name) else { return Err(Fault::NoSuchAlgorithm(name)) };
    let fits = digest.as_bytes().len() == a.digest_len();
    if fits { Ok(Stated::new(Some(a), digest)) } else { Err(Fault::Malformed) }
}

struct Reader<'r, 's> {
    how: &'r How<'r>,
    sink: &'r mut Sink<'s>,
    state: State,
    row: Row,
    /// The lines of a record whose quotes are not closed.
    record: Vec<u8>,
    /// How the line ends.
    end: &'static [u8],
}

/// Line breaks that a path may have.
const MAX_BREAKS: usize = 64;

impl Reader<'_, '_> {
    /// Passes on the file that has been read, and a heading with nothing under it.
    fn flush(&mut self) -> Result<(), End> {
        self.record.clear();
        let row = std::mem::take(&mut self.row);
        if row.number > 0 {
            let number = row.number;
            self.sink.put(number, row.item(self.how))?;
        }
        Ok(())
    }

    fn line(&mut self, number: u64, line: &[u8]) -> Result<(), End> {
        if !self.record.is_empty() {
            return self.more(number, line);
        }
        if trim_end(line).is_empty() {
            self.flush()?;
            if !matches!(self.state, State::Records(..)) {
                self.state = State::Between;
            }
            return self.sink.put(number, Item::Nothing);
        }
        if let State::Heading(heading) = &self.state
            && let Some(columns) = table_heading(heading, line)
        {
            self.state = State::Table(columns);
            return self.sink.put(number, Item::Nothing);
        }
        if let Some(columns) = csv_heading(line) {
            self.flush()?;
            self.state = State::Records(columns.0, columns.1);
            return self.sink.put(number, Item::Nothing);
        }
        if words(line).is_some() {
            self.flush()?;
            self.state = State::Heading(line.to_vec());
            return self.sink.put(number, Item::Nothing);
        }
        if line.starts_with(b"#TYPE ") {
            self.flush()?;
            return self.sink.put(number, Item::Nothing);
        }
        match &self.state {
            State::Table(columns) => {
                let columns = columns.clone();
                self.cells(number, line, &columns)
            }
            State::Records(..) => self.more(number, line),
            State::Between | State::Heading(_) | State::List(..) => self.list(number, line),
        }
    }

    /// Reads a row of a table, or what is broken off from the one above.
    fn cells(&mut self, number: u64, line: &[u8], columns: &[Column]) -> Result<(), End> {
        let continues = line.starts_with(b" ") && columns[0].1 != Key::Path;
        if !continues {
            self.flush()?;
        } else if self.row.number == 0 {
            return self.sink.put(number, Item::Bad(Fault::Malformed));
        }
        let Some(cells) = cells(line, columns) else {
            self.flush()?;
            return self.sink.put(number, Item::Bad(doubtful_row(line)));
        };
        if continues {
            for (key, cell) in cells {
                if cell.is_empty() {
                    continue;
                }
                match key {
                    // No blanks are lost between its digits.
                    Key::Hash => append(&mut self.row, key, cell),
                    _ => self.row.fault = Some(Fault::Said(BROKEN.into())),
                }
            }
            return self.sink.put(number, Item::Nothing);
        }
        self.row.number = number;
        for (key, cell) in cells {
            *self.row.value(key) = Some(cell.to_vec());
        }
        Ok(())
    }

    /// Reads a line of a list: a value, or what is broken off from the one above.
    fn list(&mut self, number: u64, line: &[u8]) -> Result<(), End> {
        if let State::List(column, key) = self.state {
            let indent = line.iter().take_while(|&&b| b == b' ').count();
            if indent >= column && field(line).is_none() {
                let Some(key) = key else { return self.sink.put(number, Item::Nothing) };
                let value = &line[column..];
                // PowerShell breaks after a blank or anywhere. Of two blanks, one may have been added.
                if self.row.value(key).as_deref().is_some_and(|v| v.ends_with(b"  ")) {
                    self.row.fault = Some(Fault::Said(BROKEN.into()));
                }
                append(&mut self.row, key, value);
                return self.sink.put(number, Item::Nothing);
            }
        }
        let known = field(line).filter(|(key, ..)| key.is_some() || matches!(self.state, State::List(..)));
        let Some((key, column, value)) = known else {
            self.flush()?;
            self.state = State::Between;
            return self.sink.put(number, Item::Bad(doubtful(line)));
        };
        if key.is_some_and(|key| self.row.value(key).is_some()) {
            self.flush()?;
        }
        if self.row.number == 0 {
            self.row.number = number;
        } else {
            self.sink.put(number, Item::Nothing)?;
        }
        self.state = State::List(column, key);
        if let Some(key) = key {
            *self.row.value(key) = Some(value.to_vec());
        }
        Ok(())
    }

    /// Reads a line of a record.
    fn more(&mut self, number: u64, line: &[u8]) -> Result<(), End> {
        let State::Records(separator, ref columns) = self.state else { return Ok(()) };
        let continues = !self.record.is_empty();
        if self.row.number == 0 {
            self.row.number = number;
        }
        if self.record.len() + line.len() > MAX_LINE {
            self.row.fault = Some(Fault::TooLong);
            return self.flush();
        }
        self.record.extend_from_slice(line);
        match fields(&self.record, separator) {
            Some(fields) if fields.len() == columns.len() => {
                for (key, value) in columns.iter().zip(fields) {
                    if let Some(key) = key {
                        *self.row.value(*key) = Some(value);
                    }
                }
                self.flush()
            }
            // Its quotes are not closed, since the path has a line break.
            None if is_open(&self.record, separator)
                && memchr::memchr_iter(b'\n', &self.record).count() < MAX_BREAKS =>
            {
                self.record.extend_from_slice(self.end);
                if continues { self.sink.put(number, Item::Nothing) } else { Ok(()) }
            }
            _ => {
                self.row.fault = Some(if continues { Fault::Malformed } else { doubtful_row(line) });
                self.flush()?;
                // The record before was damaged; this line may begin another one.
                if continues { self.line(number, line) } else { Ok(()) }
            }
        }
    }
}

/// What is wrong with a path that cannot be put together again.
const BROKEN: &str =
    "the path is broken into several lines, so that its blanks are not known; Export-Csv keeps it whole";

/// Appends a part to a value.
fn append(row: &mut Row, key: Key, part: &[u8]) {
    let value = row.value(key).get_or_insert_default();
    if value.len() + part.len() > MAX_LINE {
        row.fault = Some(Fault::TooLong);
    } else {
        value.extend_from_slice(part);
    }
}

/// Returns what is wrong with a row that cannot be used. In the middle of a list, nothing is mere text unless it is a
/// prompt.
fn doubtful_row(line: &[u8]) -> Fault {
    if line.starts_with(b"PS ") { doubtful(line) } else { Fault::Malformed }
}

/// Returns a line without its CR, and without the colors that PowerShell gives to headings.
fn plain(line: &[u8]) -> Cow<'_, [u8]> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if memchr::memchr(0x1b, line).is_none() {
        return Cow::Borrowed(line);
    }
    let mut out = Vec::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = memchr::memchr(0x1b, rest) {
        let (before, sequence) = rest.split_at(at);
        out.extend_from_slice(before);
        let inside = |b: &u8| b.is_ascii_digit() || *b == b';';
        let length = sequence.iter().skip(2).take_while(|b| inside(b)).count() + 3;
        let is_color = sequence.get(1) == Some(&b'[') && sequence.get(length - 1) == Some(&b'm');
        let length = if is_color { length } else { 1 };
        if !is_color {
            out.push(0x1b);
        }
        rest = &sequence[length..];
    }
    out.extend_from_slice(rest);
    Cow::Owned(out)
}

/// Returns the columns of a table, if a line is the heading of one.
fn words(line: &[u8]) -> Option<Vec<Column>> {
    let mut columns: Vec<Column> = Vec::new();
    let mut at = 0;
    while at < line.len() {
        let length = line[at..].iter().take_while(|&&b| b != b' ').count();
        if length > 0 {
            let key = Key::of(&line[at..at + length])?;
            if columns.iter().any(|c| c.1 == key) {
                return None;
            }
            columns.push((at, key));
        }
        at += length + 1;
    }
    let right = columns.first().is_some_and(|c| c.0 == 0) && columns.iter().any(|c| c.1 == Key::Hash);
    right.then_some(columns)
}

/// Returns the columns of a table, if these two lines are the head of one.
fn table_heading(heading: &[u8], dashes: &[u8]) -> Option<Vec<Column>> {
    let columns = words(heading)?;
    let blank = |b: u8| if b == b' ' { b' ' } else { b'-' };
    let want: Vec<u8> = trim_end(heading).iter().map(|&b| blank(b)).collect();
    (trim_end(dashes) == want).then_some(columns)
}

/// Splits a row of a table, or returns `None` if it does not fit the columns.
fn cells<'l>(line: &'l [u8], columns: &[Column]) -> Option<Vec<(Key, &'l [u8])>> {
    let last = columns.len() - 1;
    let mut cells = Vec::with_capacity(columns.len());
    // Only a path has blanks, or characters that are wider than others, so it has to be found from both ends.
    let mut end = trim_end(line).len();
    let path = columns.iter().position(|c| c.1 == Key::Path).unwrap_or(last);
    for &(start, key) in columns[path + 1..].iter().rev() {
        let from = line[..end].iter().rposition(|&b| b == b' ').map_or(0, |i| i + 1);
        if line[..end].is_ascii() && from != start {
            return None;
        }
        cells.push((key, &line[from..end]));
        end = trim_end(&line[..from]).len();
    }
    for (i, &(start, key)) in columns[..=path].iter().enumerate() {
        let from = offset(line, start);
        if from > 0 && line[from - 1] != b' ' {
            return None;
        }
        let to = if i == path { end } else { offset(line, columns[i + 1].0).min(end) };
        let cell = trim_end(line.get(from..to.max(from)).unwrap_or_default());
        if cell.starts_with(b" ") || cell.contains(&b' ') && key != Key::Path {
            return None;
        }
        cells.push((key, cell));
    }
    Some(cells)
}

/// Returns the position of a column in bytes, which are more than one for `…`.
fn offset(line: &[u8], column: usize) -> usize {
    let starts = line.iter().enumerate().filter(|(_, b)| **b & 0xc0 != 0x80);
    starts.map(|(i, _)| i).nth(column).unwrap_or(line.len())
}

/// Splits a line of a list: what it has, where the value begins, and the value.
fn field(line: &[u8]) -> Option<(Option<Key>, usize, &[u8])> {
    // A property's name, which has no blanks; the first column has no more than the longest of them.
    let length = line.iter().take(64).take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
    let blanks = line[length..].iter().take(64).take_while(|&&b| b == b' ').count();
    let at = length + blanks;
    if length == 0 || blanks == 0 || line.get(at) != Some(&b':') {
        return None;
    }
    let value = match line.get(at + 1) {
        Some(b' ') => &line[at + 2..],
        None => b"",
        Some(_) => return None,
    };
    let key = Key::of(&line[..length]);
    // Only the path can have blanks after it that belong to it.
    let value = if key == Some(Key::Path) { value } else { trim_end(value) };
    Some((key, at + 2, value))
}

/// Returns the separator and the columns of records, if a line is their heading.
fn csv_heading(line: &[u8]) -> Option<(u8, Vec<Option<Key>>)> {
    if line.len() > 1024 {
        return None;
    }
    let separator = *line.iter().find(|b| b",;\t".contains(b))?;
    let columns: Vec<Option<Key>> = fields(line, separator)?.iter().map(|name| Key::of(name)).collect();
    let count = |key| columns.iter().filter(|c| **c == Some(key)).count();
    let (algorithm, others) = (count(Key::Algorithm), columns.iter().any(Option::is_none));
    let right = count(Key::Hash) == 1 && count(Key::Path) == 1 && algorithm <= 1 && (algorithm == 1 || !others);
    right.then_some((separator, columns))
}

/// Splits a record by RFC 4180. Returns `None` if it is damaged or its quotes are not closed.
fn fields(record: &[u8], separator: u8) -> Option<Vec<Vec<u8>>> {
    let mut fields = Vec::new();
    let mut rest = record;
    loop {
        let mut field = Vec::new();
        if let Some(mut quoted) = rest.strip_prefix(b"\"") {
            loop {
                let end = memchr::memchr(b'"', quoted)?;
                field.extend_from_slice(&quoted[..end]);
                quoted = &quoted[end + 1..];
                match quoted.strip_prefix(b"\"") {
                    Some(more) => {
                        field.push(b'"');
                        quoted = more;
                    }
                    None => break,
                }
            }
            rest = quoted;
        } else {
            let end = memchr::memchr(separator, rest).unwrap_or(rest.len());
            field.extend_from_slice(&rest[..end]);
            if field.contains(&b'"') {
                return None;
            }
            rest = &rest[end..];
        }
        fields.push(field);
        match rest.split_first() {
            None => return Some(fields),
            Some((b, more)) if *b == separator => rest = more,
            Some(_) => return None,
        }
    }
}

/// Returns whether a record would be right if its quotes were closed.
fn is_open(record: &[u8], separator: u8) -> bool {
    let mut closed = record.to_vec();
    closed.push(b'"');
    fields(&closed, separator).is_some()
}

#[cfg(test)]
mod tests {
    use super::super::tests;
    use super::*;

    const A: &str = "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855";
    const B: &str = "6785A738CD5C0C1C138B6F14C6BDBCD1F3CA0B4F3E0D3A0C5A1F4E0B1C2D3E4F";

    /// Returns what a list says, with `A`, `B` and `a` in place of these digests and of the one that `A` begins with.
    fn read(list: impl AsRef<[u8]>) -> Vec<String> {
        let said = tests::read(list, "list.txt");
        assert_eq!(said.form, Some(&FORM));
        let short = |line: &String| {
            [(A, "A"), (B, "B"), (&A[..32], "a")]
                .iter()
                .fold(line.clone(), |line, (digest, by)| line.replace(&digest.to_lowercase(), by))
        };
        said.lines.iter().map(short).collect()
    }

    fn table(rows: &[(&str, &str, &str)]) -> String {
        let row = |a: &str, h: &str, p: &str| format!("{a:<15} {h:<70} {p}\n");
        let rows: String = rows.iter().map(|(a, h, p)| row(a, h, p)).collect();
        "\n".to_string() + &row("Algorithm", "Hash", "Path") + &row("---------", "----", "----") + &rows + "\n\n"
    }

    #[test]
    fn tables() {
        let one = table(&[("SHA256", A, r"C:\a b\c.txt"), ("MD5", &A[..32], r"\\server\x, y.iso  ")]);
        let want = [r"4 C:\\a b\\c.txt SHA256=A", r"5 \\\\server\\x, y.iso MD5=a"];
        assert_eq!(read(&one), want);
        assert_eq!(read(one.replace('\n', "\r\n")), want);
        let twice = read(one.repeat(2));
        assert_eq!((twice.len(), &twice[2][..]), (4, r"11 C:\\a b\\c.txt SHA256=A"));
        let wide: Vec<u8> = "\u{feff}".chars().chain(one.chars()).flat_map(|c| (c as u16).to_le_bytes()).collect();
        assert_eq!(read(&wide), want);
        // With the command, with colors, and with columns as narrow as their values.
        let prompt = format!(
            "PS C:\\> Get-FileHash * -Algorithm MD5{}",
            one.replace("Algo", "\x1b[32;1mAlgo").replace("Path\n", "Path\x1b[0m\n")
        );
        assert_eq!(read(prompt)[1..], want);
        let narrow = format!("Hash{:28} Path\n----{:28} ----\n{} C:\\x\n", "", "", &A[..32]);
        assert_eq!(read(narrow), [r"3 C:\\x ?=a"]);
        let first = format!(
            "Path            Algorithm Hash\n----            --------- ----\nC:\\a b.txt      SHA256    {A}\nC:\\\u{4e00}\u{4e00}.txt     SHA256    {B}\n"
        );
        assert_eq!(read(first), [r"3 C:\\a b.txt SHA256=A", r"4 C:\\\xe4\xb8\x80\xe4\xb8\x80.txt SHA256=B"]);
    }

    #[test]
    fn what_tables_cut() {
        let cut = "bad: the name was cut off when the list was written: ";
        let long = "F".repeat(67) + "...";
        let one = table(&[
            ("SHA256", A, r"C:\Windows\System32\drivers\v..."),
            ("SHA256", A, "C:\\a\u{2026}"),
            ("SHA512", &long, r"C:\x"),
        ]);
        assert_eq!(
            read(&one),
            [
                format!(r"4 {cut}C:\Windows\System32\drivers\v..."),
                format!("5 {cut}C:\\a\u{2026}"),
                format!(r"6 {cut}C:\x")
            ]
        );
        let one = table(&[("SHA512", &("F".repeat(69) + "\u{2026}"), r"C:\x")]);
        assert_eq!(read(&one), [format!(r"4 {cut}C:\x")]);
        // Broken by `Format-Table -Wrap`.
        let row = |h: &str, p: &str| format!("{:16}{h:<70} {p}\n", "");
        let (start, rest) = (A.to_string() + &A[..6], A[6..].to_string());
        let one = table(&[("SHA512", &start, r"C:\x")]).trim_end().to_string() + "\n" + &row(&rest, "");
        assert_eq!(read(&one), [r"4 C:\\x SHA512=AA"]);
        let one = one + &row("", "y z");
        assert_eq!(read(&one), [format!("4 bad: {BROKEN}")]);
        // No place is left for the path; the digest is of a stream; damaged rows.
        let no_path = format!("Algorithm       Hash\n---------       ----\nSHA256          {A}\n");
        assert_eq!(read(no_path), ["3 lone SHA256=A"]);
        assert_eq!(read(table(&[("SHA256", A, "")])), ["4 lone SHA256=A"]);
        let bad = "bad: checksum line not understood";
        let one = table(&[
            ("SHA256", &A[1..], r"C:\x"),
            ("SHA 256", A, r"C:\x"),
            ("MACTripleDES", &A[..16], r"C:\x"),
            ("SHA256", A, r" C:\x"),
        ]);
        assert_eq!(
            read(&one),
            [
                format!("4 {bad}"),
                format!("5 {bad}"),
                "6 bad: digest of an unknown algorithm, MACTripleDES".into(),
                format!("7 {bad}")
            ]
        );
        let shifted =
            table(&[]).trim_end().to_string() + &format!("\nSHA256         {A}        C:\\x\n PS C:\\>\nPS C:\\>\n");
        assert_eq!(read(shifted), [format!("4 {bad}"), format!("5 {bad}"), "6 bad: no checksum line".into()]);
    }

    #[test]
    fn lists() {
        let block = |path: &str| format!("\r\nAlgorithm : SHA256\r\nHash      : {A}\r\nPath      : {path}\r\n\r\n\r\n");
        let want = |number: usize, path: &str| format!("{number} {path} SHA256=A");
        let long = "C:\\sg\\raw\\26281dbacf4d8707df48d40b83060c65bf81c3f1a39ff81aebaefb8fd628c8\r\n            99\\leaf : x.xlsx";
        let list =
            block("C:\\a : b") + &block(long) + &block("C:\\a \r\n            b c \r\n            d") + &block("");
        let joined = r"C:\\sg\\raw\\26281dbacf4d8707df48d40b83060c65bf81c3f1a39ff81aebaefb8fd628c899\\leaf : x.xlsx";
        assert_eq!(
            read(&list),
            [want(2, r"C:\\a : b"), want(8, joined), want(15, r"C:\\a b c d"), "23 lone SHA256=A".into()]
        );
        // The digest is broken, too; other properties; without blank lines; a path of which blanks may be missing.
        let sha512 =
            format!("Algorithm : SHA512\nHash      : {A}\n            {B}\nPath      : /x\nPSComputerName : host\n");
        assert_eq!(read(sha512.repeat(2)), ["1 /x SHA512=AB", "6 /x SHA512=AB"]);
        assert_eq!(read(block("C:\\a  \r\n            b")), [format!("2 bad: {BROKEN}")]);
        let damaged = block("C:\\x").replace(&A[60..], "")
            + &block("C:\\x").replace("Hash ", "Hach ")
            + "Path      : C:\\y\n"
            + A;
        let bad = "bad: checksum line not understood";
        assert_eq!(read(damaged), [format!("2 {bad}"), format!("8 {bad}"), format!("13 {bad}"), format!("14 {bad}")]);
    }

    #[test]
    fn records() {
        let head = "#TYPE Microsoft.Powershell.Utility.FileHash\r\n\"Algorithm\",\"Hash\",\"Path\"\r\n";
        let list = format!(
            "{head}\"SHA256\",\"{A}\",\"C:\\a \"\"b\"\",; c\"\r\n\"MD5\",\"{}\",\"/x\ny\"\r\n{head}\"SHA256\",\"{B}\",\"/x\r\ny\"\r\n",
            &A[..32]
        );
        let want = ["3 C:\\\\a \\\"b\\\",; c SHA256=A", r"4 /x\ny MD5=a", r"8 /x\r\ny SHA256=B"];
        assert_eq!(read(&list), want);
        let semicolons = list.replace("\",\"", "\";\"").replace(";;", ";,");
        assert_eq!(read(semicolons).len(), 3);
        let bare = format!("Hash,Path\n{A},C:\\x\n{B},\"C:\\y,z\"\n");
        assert_eq!(read(bare), [r"2 C:\\x ?=A", r"3 C:\\y,z ?=B"]);
        let more = format!("Algorithm\tHash\tPath\tPSComputerName\nSHA256\t{A}\tC:\\x\thost\n");
        assert_eq!(read(more), [r"2 C:\\x SHA256=A"]);
    }

    #[test]
    fn damaged_records() {
        let head = "\"Algorithm\",\"Hash\",\"Path\"\n";
        let row = |path: &str| format!("\"SHA256\",\"{A}\",{path}\n");
        let bad = |number: usize| format!("{number} bad: checksum line not understood");
        let good = |number: usize| format!("{number} x SHA256=A");
        // A quote that is not closed does not swallow what comes after it.
        let list = head.to_string()
            + &row("\"a")
            + &row("\"x\"")
            + &row("a\"")
            + &row("\"a\"b")
            + &row("\"x\"")
            + &row("\"a\",\"b\"")
            + &row("\"open");
        assert_eq!(read(&list), [bad(2), good(3), bad(4), bad(5), good(6), bad(7), bad(8)]);
        let endless = head.to_string() + &row("\"a") + &"b\n".repeat(100);
        assert_eq!(read(endless)[0], bad(2));
        let long = head.to_string() + &row("\"a") + &"b".repeat(MAX_LINE) + "\n" + &row("\"x\"");
        assert_eq!(read(&long)[0], "2 bad: line too long for a checksum line");
        assert_eq!(read(&long).last(), Some(&good(4)));
    }

    #[test]
    fn what_is_no_output_of_powershell() {
        for head in [
            "",
            "\n\n",
            "Algorithm",
            "Hash  Path\n----\n",
            "a,b\n",
            "Hash,Name\n",
            "#TYPE x\n",
            "d41d8cd98f00b204e9800998ecf8427e  Hash,Path\n",
            "Hash : x\ny\n",
            "Hash Hash\n---- ----\n",
        ] {
            assert!(!PowerShell.sniff(head.as_bytes(), Path::new("Get-FileHash.csv")), "{head:?}");
        }
    }
}
