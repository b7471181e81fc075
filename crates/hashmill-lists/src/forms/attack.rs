//! What the tests of the forms have in common: reading and rewriting lists, and damaging them.

use super::Form;
use crate::base::entry::{Entry, Item, Line};
use crate::base::fault::Fault;
use crate::base::header::Header;
use crate::surface::read::{List, ReadOptions};
use crate::surface::write::Writer;
use std::ops::ControlFlow;
use std::path::Path;

/// Names that are hard to hold.
pub(super) const NAMES: [&[u8]; 20] = [
    b"plain", b" lead trail ", b"\"q'", b"back\\slash", b"new\nline", b"cr\rx", b"end\r", b"p%41", b"a,b", b"c) = d",
    b"#hash", b";semi", b"\xc3\xa9", b"\xff\xfe", b"-dash", b"tab\there", b"eq=x", b"st*r[x]?", b"\x7fdel\x01\x1b",
    b"sub/in side",
];

/// Reads a list and returns its form and everything but blanks.
pub(super) fn read(list: &[u8]) -> (Option<&'static Form>, Vec<Line>) {
    let list = List::open(list, Path::new("list"), &ReadOptions::default()).unwrap();
    let form = list.form();
    let mut all = Vec::new();
    let end = list.read(|line| {
        if line.item != Item::Nothing {
            all.push(line);
        }
        ControlFlow::Continue(())
    });
    if let Err(e) = end {
        all.push(Line { number: 0, item: Item::Bad(Fault::Said(e.to_string().into())) });
    }
    (form, all)
}

/// Returns the entries of a list.
pub(super) fn entries(list: &[u8]) -> Vec<Entry> {
    let entry = |line: Line| if let Item::Entry(e) = line.item { Some(e) } else { None };
    read(list).1.into_iter().filter_map(entry).collect()
}

/// Returns the faults of a list.
pub(super) fn faults(list: &[u8]) -> Vec<(u64, Fault)> {
    let fault = |line: Line| if let Item::Bad(f) = line.item { Some((line.number, f)) } else { None };
    read(list).1.into_iter().filter_map(fault).collect()
}

/// Writes entries in a form. Those that it cannot hold are returned.
pub(super) fn write(form: &Form, entries: &[Entry]) -> (Vec<u8>, Vec<Entry>) {
    let mut writer = Writer::new(form, &Header::default()).unwrap();
    let (mut out, mut unfit) = (Vec::new(), Vec::new());
    writer.begin(&mut out);
    for entry in entries {
        if writer.entry(entry, &mut out).is_err() {
            unfit.push(entry.clone());
        }
    }
    writer.end(&mut out);
    (out, unfit)
}

/// Damages a list in every way that changes a byte or cuts it off. Nothing may panic. Returns those entries that the
/// list did not have, of lists that are still of the same form and in which nothing was reported.
pub(super) fn unnoticed(list: &[u8]) -> Vec<Entry> {
    let (form, _) = read(list);
    let had = entries(list);
    let mut new = Vec::new();
    let mut judge = |damaged: &[u8]| {
        let (now, lines) = read(damaged);
        let quiet = !lines.iter().any(|line| matches!(&line.item, Item::Bad(f) if f.hides_a_file()));
        for line in lines {
            match line.item {
                Item::Entry(e) if now == form && quiet && !had.contains(&e) && !new.contains(&e) => new.push(e),
                _ => {}
            }
        }
    };
    for end in 0..list.len() {
        judge(&list[..end]);
    }
    let mut damaged = list.to_vec();
    for i in 0..list.len() {
        for bit in [1, 0x20, 0x80] {
            damaged[i] ^= bit;
            judge(&damaged);
            damaged[i] ^= bit;
        }
        let b = std::mem::take(&mut damaged[i]);
        judge(&damaged);
        damaged[i] = b;
    }
    let crlf: Vec<u8> = list.iter().flat_map(|&b| if b == b'\n' { vec![b'\r', b'\n'] } else { vec![b] }).collect();
    assert_eq!(entries(&crlf), had, "CRLF");
    assert_eq!(entries(&[b"\xef\xbb\xbf", list].concat()), had, "byte order mark");
    judge(&[list, &vec![b'x'; 10 << 20]].concat());
    judge(&[list, &vec![b'['; 1 << 20]].concat());
    new
}

/// Returns whether an entry is one of these, or like it except for one part: its name, its length, its time, or what it
/// states. If what ends a name is damaged, the name goes on with what follows.
pub(super) fn is_near(new: &Entry, had: &[Entry]) -> bool {
    let parts = |e: &Entry| [new.name != e.name, new.size != e.size, new.mtime != e.mtime, new.stated != e.stated];
    had.iter().any(|e| parts(e).into_iter().filter(|&differs| differs).count() <= 1 || new.name.starts_with(&e.name))
}
