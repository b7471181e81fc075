//! What the tests of forms have in common: hostile names, what a list says in words, and damage of every sort.

use super::Form;
use crate::base::digits::Digits;
use crate::base::entry::{Entry, Item, Line, Stated};
use crate::base::fault::Fault;
use crate::base::header::Header;
use crate::surface::read::{List, ReadOptions};
use crate::surface::recognize::recognize;
use crate::surface::write::Writer;
use hashmill::Algorithm;
use std::fmt::Arguments;
use std::io::{BufReader, Read, repeat};
use std::ops::ControlFlow;
use std::path::Path;

/// Names that one form or the other has trouble with.
const SHORT: [&[u8]; 90] = [
    b"a.txt", b" lead trail ", b"trail ", b"two  blanks", b"q\"uote", b"\"quoted\"", b"ap'os", b"back\\slash", b"\\n",
    b"new\nline", b"c\rr", b"end\r", b"per%25cent", b"com,ma", b"par)en = x", b"#hash", b";semi",
    b"\xc3\xbc\xe2\x98\x83", b"bad\xff\xfebytes", b"-dash", b"tab\tt", b"a&b+c", b"sub/x,y", b"20240101 deadbeef",
    b"x offset 0-1", b"path,size", b" lead", b"\"q'", b"p%41", b"eq=x", b"st*r[x]?", b"\x7fdel\x01\x1b",
    b"sub/in side", b"sub/a,b;c", b"/root/x", b"./x", b"../x", b"..x/...", b".x", b"\tx", b"x\t", b" ", b"a\n", b"\na",
    b"\n", b"\r", b"a\r\nb", b"\\", b"a\\", b"\\\\", b"\\012", b"a\\n\"'", b"'a'", b"a`$b", b"a#b", b"*a", b"?SHA1*a",
    b"-", b"--", b"- a", b"(", b")", b"a (b)", b"=a", b"%", b"%0A%", b"%41%0A%25", b"100%s%n", b"&amp;<>]]>",
    b"<!--x-->", b"{\"path\": 1}", b"[x]", b"~/x", b"a:b", b"a|b?c*d", b"a@b+c&d=e", b"x d41d8cd9",
    b"\xc3\xa9\xe4\xb8\x80", b"\xf0\x9f\x98\x80", b"\xef\xbb\xbfx", b"\xe2\x80\xa8y", b"y\xc2\x85\xc2\xa0",
    b"e\xcc\x81", b"\xff\xfe", b"a\xe9b", b"\x01\x1b[31m", b"\x0b\x0c", b"c\nd\re\tf", b"<&>\"']]>", b"#\\;",
];

/// Names that look like lines of a list.
const LONG: [&[u8]; 3] = [
    b"-----BEGIN PGP SIGNED MESSAGE-----",
    b"d41d8cd98f00b204e9800998ecf8427e  x",
    b"MD5 (x) = d41d8cd98f00b204e9800998ecf8427e",
];

/// Returns names with everything that may confuse a reader.
pub(crate) fn names() -> impl Iterator<Item = &'static [u8]> {
    SHORT.into_iter().chain(LONG)
}

fn algorithms(names: &[&str]) -> Vec<Algorithm> {
    names.iter().map(|name| name.parse().unwrap()).collect()
}

/// Returns an entry with digests of these algorithms.
pub(crate) fn entry(name: &[u8], algorithms: &[&str]) -> Entry {
    let stated = |a: Algorithm| Stated::new(Some(a), a.digest(name));
    Entry {
        name: name.to_vec(),
        size: Some(name.len() as u64),
        mtime: Some((1_700_000_000, 500_000_000)),
        stated: self::algorithms(algorithms).into_iter().map(stated).collect(),
        ..Entry::default()
    }
}

/// Returns entries with all of [`names`] and digests of these algorithms.
pub(crate) fn samples(algorithms: &[&str]) -> Vec<Entry> {
    names().map(|name| entry(name, algorithms)).collect()
}

/// Returns the header of a list of these algorithms.
pub(crate) fn header(algorithms: &[&str]) -> Header {
    Header {
        functions: self::algorithms(algorithms).into_iter().map(Into::into).collect(),
        folder: "/dir\nwith/line".into(),
        command: "hashmill\nsum".into(),
        host: "a<b\u{1}".into(),
        program: "hashmill 1.0".into(),
        now: (1_700_000_000, 0),
        ..Header::default()
    }
}

/// A list that was written.
pub(crate) struct Written {
    pub(crate) list: Vec<u8>,
    /// The entries that it holds, without what its form has no place for.
    pub(crate) held: Vec<Entry>,
    /// The names of the other ones, escaped.
    pub(crate) unfit: Vec<String>,
}

/// Writes a list of those entries that the form can hold.
pub(crate) fn write(form: &Form, header: &Header, entries: &[Entry]) -> Written {
    let mut writer = Writer::new(form, header).unwrap();
    let (mut list, mut held, mut unfit) = (Vec::new(), Vec::new(), Vec::new());
    writer.begin(&mut list);
    for entry in entries {
        let before = list.len();
        if writer.entry(entry, &mut list).is_ok() {
            let (size, mtime) = (entry.size.filter(|_| form.sizes), entry.mtime.filter(|_| form.times));
            held.push(Entry { size, mtime, ..entry.clone() });
        } else {
            assert_eq!(list.len(), before, "{form:?} appends what it cannot hold");
            unfit.push(entry.name.escape_ascii().to_string());
        }
    }
    writer.end(&mut list);
    Written { list, held, unfit }
}

/// What a list says.
#[derive(Default)]
pub(crate) struct Said {
    pub(crate) form: Option<&'static Form>,
    /// In words, all but blanks: `3 a.txt 5 @1700000000.0 MD5=…`, `4 bad: …`, `5 note: …` or `6 lone SHA1=…`.
    pub(crate) lines: Vec<String>,
    pub(crate) entries: Vec<Entry>,
    /// With the numbers of their lines. That of an error that ends the list is 0.
    pub(crate) faults: Vec<(u64, Fault)>,
}

/// Reads the list `name`.
pub(crate) fn read(list: impl AsRef<[u8]>, name: &str) -> Said {
    read_with(list, name, &ReadOptions::default())
}

pub(crate) fn read_with(list: impl AsRef<[u8]>, name: &str, options: &ReadOptions) -> Said {
    let mut said = Said::default();
    said.form = each(&mut list.as_ref(), name, options, |line| {
        said.lines.extend(words(&line.item).map(|words| format!("{} {words}", line.number)));
        match line.item {
            Item::Entry(entry) => said.entries.push(entry),
            Item::Bad(fault) => said.faults.push((line.number, fault)),
            Item::Nothing | Item::Lone(_) | Item::Note(_) => {}
        }
    });
    said
}

/// Passes on every line of a list. Returns its form.
fn each(
    list: &mut (dyn Read + Send),
    name: &str,
    options: &ReadOptions,
    mut to: impl FnMut(Line),
) -> Option<&'static Form> {
    let mut form = None;
    let list = List::open(BufReader::with_capacity(64 << 10, list), Path::new(name), options);
    let end = list.and_then(|list| {
        form = list.form();
        list.read(|line| {
            to(line);
            ControlFlow::Continue(())
        })
    });
    if let Err(e) = end {
        to(Line { number: 0, item: Item::Bad(Fault::Said(e.to_string().into())) });
    }
    form
}

fn words(item: &Item) -> Option<String> {
    let digest = |s: &Stated| {
        let or: String = s.or.iter().map(|digest| format!("|{digest}")).collect();
        let mut value = Vec::new();
        s.put(Digits::Hex, &mut value);
        format!(" {}={}{or}", s.function.map_or("?".into(), |f| f.to_string()), String::from_utf8_lossy(&value))
    };
    Some(match item {
        Item::Nothing => return None,
        Item::Bad(fault) => format!("bad: {fault}"),
        Item::Note(note) => format!("note: {note:?}"),
        Item::Lone(stated) => format!("lone{}", digest(stated)),
        Item::Entry(e) => {
            let size = e.size.map(|size| format!(" {size}")).unwrap_or_default();
            let mtime = e.mtime.map(|(seconds, nanos)| format!(" @{seconds}.{nanos}")).unwrap_or_default();
            let digests: String = e.stated.iter().map(digest).collect();
            format!("{}{size}{mtime}{digests}", e.name.escape_ascii())
        }
    })
}

/// Damages a list in many ways. Nothing panics, every entry has a name and a digest, and of a file's digests not more
/// differs than what was damaged. Where nothing is reported and the list still has its form, an entry that it did not
/// have is mostly like one that it had, except for one part. Returns the others, which the form cannot detect.
pub(crate) fn attack(list: impl AsRef<[u8]>, name: &str) -> Vec<(String, Entry)> {
    let list = list.as_ref();
    let options = &ReadOptions { allow_short: true, ..ReadOptions::default() };
    let mut judge = Judge { list, name, options, whole: read_with(list, name, options), far: Vec::new() };
    let mut damaged = list.to_vec();
    for (at, &byte) in list.iter().enumerate() {
        let (form, entries) = judge.judge(&mut &list[..at], format_args!("cut at {at}"));
        assert!(judge.may_be_cut_off(&list[..at], form, &entries), "cut at {at}: {entries:?}");
        for with in [byte ^ 1, byte ^ 0x20, byte ^ 0x80, byte ^ 0xff, 0, b'\n', b'"'] {
            damaged[at] = with;
            judge.judge(&mut &damaged[..], format_args!("{with:#x} at {at}"));
        }
        damaged[at] = byte;
        // A long list takes its time.
        if at % (1 + list.len() / 400) == 0 {
            judge.judge(&mut &list[at..], format_args!("without the first {at}"));
            judge.judge(&mut list[..at].chain(&list[at + 1..]), format_args!("without {at}"));
            judge.judge(&mut list[..at].chain(&b" "[..]).chain(&list[at..]), format_args!("blank at {at}"));
        }
    }
    const INSIDE: [&[u8]; 10] =
        [b"<", b"&", b"]]>", b"<!--", b"</", b"\0", b"\xef\xbb\xbf", b"\xff\xfe", b"\r\n", b"999999999999999999999"];
    const AROUND: [&[u8]; 5] = [b"\n", b"\0\n\0", b"\"", b",,,,\n", b"(((((\n"];
    for (part, step) in INSIDE.map(|part| (part, 7)).into_iter().chain(AROUND.map(|part| (part, list.len()))) {
        for at in (0..list.len()).step_by(step).chain([list.len()]) {
            let (start, end) = list.split_at(at);
            judge.judge(&mut start.chain(part).chain(end), format_args!("{} at {at}", part.escape_ascii()));
        }
        for list in [part, &[list, b"\n", part, b"\n", list].concat()] {
            judge.judge(&mut &list[..], format_args!("{} alone or between", part.escape_ascii()));
        }
    }
    let (start, end) = list.split_at(list.len() / 2);
    for byte in [b'a', b' ', b'<', b'/', b'&', b'[', b'\n', 0] {
        // Where such a byte ends a line, each takes its time.
        let is_many = matches!(byte, b'\n' | 0) && !list.starts_with(b"<");
        let run = repeat(byte).take(if is_many { 100 << 10 } else { 10 << 20 });
        judge.judge(&mut start.chain(run).chain(end), format_args!("a run of {byte} inside"));
    }
    judge.judge(&mut list.chain(repeat(b'[').take(10 << 20)), format_args!("a run of [ after"));
    for quote in [&b""[..], b"\""] {
        let run = || quote.chain(repeat(b'a').take(10 << 20));
        judge.judge(&mut run(), format_args!("{quote:?} and a run"));
        judge.judge(&mut run().chain(list), format_args!("{quote:?} and a run before"));
        judge.judge(&mut list.chain(run()), format_args!("{quote:?} and a run after"));
        let between = &mut list.chain(&b"\n"[..]).chain(run()).chain(&b"\n"[..]).chain(list);
        judge.judge(between, format_args!("{quote:?} and a run between"));
    }
    let crlf: Vec<u8> = list.iter().flat_map(|&b| if b == b'\n' { vec![b'\r', b'\n'] } else { vec![b] }).collect();
    let marked = [b"\xef\xbb\xbf", list].concat();
    let long = [list, &[b'x'; 200 << 10], list].concat();
    for (how, list) in [("CRLF", &crlf), ("byte order mark", &marked), ("long", &long), ("repeated", &list.repeat(3))] {
        judge.judge(&mut &list[..], format_args!("{how}"));
        recognize(&list[..], Path::new(name), options);
    }
    let had = &judge.whole.entries;
    if !list.contains(&b'\r') && !had.iter().any(|e| e.name.contains(&b'\n')) {
        assert_eq!(&read_with(&crlf, name, options).entries, had, "CRLF");
    }
    assert_eq!(&read_with(&marked, name, options).entries, had, "byte order mark");
    judge.far
}

/// What tells whether a damaged list says more than it may.
struct Judge<'a> {
    list: &'a [u8],
    name: &'a str,
    options: &'a ReadOptions,
    whole: Said,
    far: Vec<(String, Entry)>,
}

impl Judge<'_> {
    /// Reads a damaged list. Returns its form and its entries.
    fn judge(&mut self, list: &mut (dyn Read + Send), how: Arguments<'_>) -> (Option<&'static Form>, Vec<Entry>) {
        let (mut entries, mut is_quiet) = (Vec::new(), true);
        let form = each(list, self.name, self.options, |line| match line.item {
            Item::Entry(e) => entries.push(e),
            Item::Bad(fault) => is_quiet &= !fault.hides_a_file(),
            Item::Nothing | Item::Lone(_) | Item::Note(_) => {}
        });
        let had = &self.whole.entries;
        for e in entries.iter().filter(|e| !had.contains(e)) {
            assert!(!e.name.is_empty() && !e.name.contains(&0) && !e.stated.is_empty(), "{how}: {e:?}");
            let mut same = had.iter().filter(|w| (&w.name, w.size) == (&e.name, e.size)).peekable();
            assert!(same.peek().is_none() || same.any(|w| differing(w, e) <= 5), "{how}: {e:?}");
            if is_quiet && form == self.whole.form && !is_near(e, had) && !self.far.iter().any(|(_, far)| far == e) {
                self.far.push((how.to_string(), e.clone()));
            }
        }
        (form, entries)
    }

    /// Returns whether an entry is an element or an object, which has an end.
    fn is_closed(&self) -> bool {
        self.whole.form.is_some_and(|form| ["mhl", "mhl1", "dfxml", "npm", "rclone"].contains(&form.name))
    }

    /// Returns whether these can be the entries of `start`, to which the list was cut. The last one may have a shorter
    /// name, or lack digests that are not there, unless something tells where it ends.
    fn may_be_cut_off(&self, start: &[u8], form: Option<&Form>, entries: &[Entry]) -> bool {
        let Said { form: had_form, entries: had, faults, .. } = &self.whole;
        let Some((last, before)) = entries.split_last().filter(|_| !had.starts_with(entries)) else { return true };
        let is_cut = |whole: &Entry| {
            let digest = whole.stated.last().unwrap().digest.to_string();
            let times = |text: &[u8]| memchr::memmem::find_iter(&text.to_ascii_lowercase(), &digest).count();
            let is_missing = times(start) < times(self.list);
            let digests = |e: &Entry| e.stated.iter().map(|s| s.digest.clone()).collect::<Vec<_>>();
            let is_named = (last.size, last.mtime, digests(last)) == (whole.size, whole.mtime, digests(whole));
            is_named || is_missing && is_near(last, std::slice::from_ref(whole))
        };
        // Too short a list may be one of another form, and a fault that is cut off may look like an entry.
        let may_be_other = before.is_empty() && form != *had_form || !faults.is_empty();
        !self.is_closed() && had.starts_with(before) && (may_be_other || had.get(before.len()).is_some_and(is_cut))
    }
}

/// Returns the number of bytes in which digests of the same functions differ.
fn differing(a: &Entry, b: &Entry) -> usize {
    let pairs = a.stated.iter().zip(&b.stated).filter(|(a, b)| a.function == b.function);
    let pairs = pairs.map(|(a, b)| (a.digest.as_bytes(), b.digest.as_bytes()));
    // Of those of 64 bytes, C4 changes all if one digit is another.
    let pairs = pairs.filter(|(a, b)| a.len() == b.len() && a.len() < 64);
    pairs.map(|(a, b)| a.iter().zip(b).filter(|(a, b)| a != b).count()).sum()
}

/// Returns whether an entry is like one of these except for one part: its name, its length, its time, or what it
/// states. If what ends a name is damaged, the name goes on with what follows.
fn is_near(new: &Entry, had: &[Entry]) -> bool {
    let parts = |e: &Entry| [new.name != e.name, new.size != e.size, new.mtime != e.mtime, new.stated != e.stated];
    had.iter().any(|e| parts(e).into_iter().filter(|&differs| differs).count() <= 1 || new.name.starts_with(&e.name))
}
