//! What the tests of forms have in common.

use super::Form;
use crate::base::entry::{Entry, Item, Line};
use crate::base::header::Header;
use crate::surface::read::{List, ReadOptions};
use crate::surface::write::Writer;
use hashmill::Algorithm;
use std::io::BufReader;
use std::ops::ControlFlow;
use std::path::Path;

/// Names with everything that may confuse a reader.
pub(super) const NAMES: [&[u8]; 26] = [
    b"a.txt",
    b" lead",
    b"trail ",
    b"two  blanks",
    b"q\"uote",
    b"\"quoted\"",
    b"ap'os",
    br"back\slash",
    br"\n",
    b"new\nline",
    b"c\rr",
    b"end\r",
    b"per%25cent",
    b"com,ma",
    b"par)en = x",
    b"#hash",
    b";semi",
    "üml\u{e4}ut".as_bytes(),
    b"bad\xff\xfebytes",
    b"-dash",
    b"tab\tt",
    b"a&b+c",
    b"sub/x,y",
    b"20240101 deadbeef",
    b"x offset 0-1",
    b"path,size",
];

/// Returns the form of a list and what it says.
pub(super) fn read(list: &[u8], name: &str) -> (Option<&'static Form>, Vec<Line>) {
    read_with(list, name, &ReadOptions { allow_short: true, ..ReadOptions::default() })
}

pub(super) fn read_with(list: &[u8], name: &str, options: &ReadOptions) -> (Option<&'static Form>, Vec<Line>) {
    let reader = BufReader::with_capacity(64 << 10, list);
    let Ok(list) = List::open(reader, Path::new(name), options) else { return (None, Vec::new()) };
    let form = list.form();
    let mut lines = Vec::new();
    let _ = list.read(|line| {
        lines.push(line);
        ControlFlow::Continue(())
    });
    (form, lines)
}

/// Returns the entries of a list.
pub(super) fn entries(list: &[u8], name: &str) -> Vec<Entry> {
    let entry = |line: Line| if let Item::Entry(entry) = line.item { Some(entry) } else { None };
    read(list, name).1.into_iter().filter_map(entry).collect()
}

/// Returns a line for every entry, fault and note: `3 name 5 md5=…`.
pub(super) fn shown(list: &[u8], name: &str) -> Vec<String> {
    let show = |line: Line| {
        let text = match line.item {
            Item::Nothing => return None,
            Item::Bad(fault) => format!("bad: {fault}"),
            Item::Note(note) => format!("note: {note:?}"),
            Item::Lone(_) => "lone".into(),
            Item::Entry(entry) => {
                let mut text = entry.name.escape_ascii().to_string();
                if let Some(size) = entry.size {
                    text += &format!(" {size}");
                }
                for stated in &entry.stated {
                    let function = stated.function.map_or("?".into(), |f| f.to_string());
                    text += &format!(" {function}={:.8}", stated.digest.to_string());
                }
                text
            }
        };
        Some(format!("{} {text}", line.number))
    };
    read(list, name).1.into_iter().filter_map(show).collect()
}

/// Returns entries with all of [`NAMES`] and digests of these algorithms.
pub(super) fn samples(algorithms: &[&str]) -> (Vec<Algorithm>, Vec<Entry>) {
    let algorithms: Vec<Algorithm> = algorithms.iter().map(|a| a.parse().unwrap()).collect();
    let entry = |name: &&[u8]| Entry {
        name: name.to_vec(),
        size: Some(name.len() as u64),
        mtime: Some((1_700_000_000, 500_000_000)),
        stated: algorithms.iter().map(|&a| crate::Stated::new(Some(a), a.digest(name))).collect(),
        ..Entry::default()
    };
    let entries = NAMES.iter().map(entry).collect();
    (algorithms, entries)
}

/// Writes a list. Returns it, and the entries that it could hold.
pub(super) fn written(form: &Form, algorithms: Vec<Algorithm>, entries: &[Entry]) -> (Vec<u8>, Vec<Entry>) {
    let header = Header {
        algorithms,
        folder: "/dir\nwith/line".into(),
        command: "hashmill\nsum".into(),
        program: "hashmill 1.0".into(),
        now: (1_700_000_000, 0),
        ..Header::default()
    };
    let mut writer = Writer::new(form, &header).unwrap();
    let mut out = Vec::new();
    writer.begin(&mut out);
    let held = entries.iter().filter(|e| writer.entry(e, &mut out).is_ok()).cloned().collect();
    writer.end(&mut out);
    (out, held)
}

/// Damages a list in many ways. Reading it must not fail; and as long as nothing but its end is missing, every entry
/// but the last one must be one of the whole list.
pub(super) fn attack(list: &[u8], name: &str) {
    let whole = entries(list, name);
    for end in 0..list.len() {
        let mut cut = entries(&list[..end], name);
        cut.pop();
        assert!(cut.iter().all(|e| whole.contains(e)), "cut at {end}: {cut:?}");
    }
    for at in 0..list.len() {
        for change in [1, 0x20, 0x80, list[at], list[at] ^ b'\n', list[at] ^ b'"'] {
            let mut damaged = list.to_vec();
            damaged[at] ^= change;
            let read = read(&damaged, name).1;
            let known = |e: &Entry| whole.iter().find(|w| w.name == e.name && w.size == e.size);
            for line in read {
                let Item::Entry(e) = line.item else { continue };
                assert!(!e.name.is_empty() && !e.name.contains(&0) && !e.stated.is_empty(), "{at} {change}");
                // At most the damaged digit differs.
                let Some(w) = known(&e) else { continue };
                for (a, b) in w.stated.iter().zip(&e.stated) {
                    let pairs = a.digest.as_bytes().iter().zip(b.digest.as_bytes());
                    let same = a.function == b.function && a.digest.as_bytes().len() == b.digest.as_bytes().len();
                    assert!(!same || pairs.filter(|(a, b)| a != b).count() <= 5, "{at} {change}");
                }
            }
        }
    }
    let long = vec![b'a'; 10 << 20];
    let open = [&b"\""[..], &long].concat();
    for odd in [&b""[..], b"\n", b"\r\n", b"\0", b"\0\n\0", b"\"", b",,,,\n", b"\xef\xbb\xbf", b"(((((\n", &long, &open]
    {
        for list in [odd.to_vec(), [list, odd].concat(), [odd, list].concat(), [list, b"\n", odd, b"\n", list].concat()]
        {
            let _ = read(&list, name);
        }
    }
    let crlf: Vec<u8> = list.iter().flat_map(|&b| if b == b'\n' { vec![b'\r', b'\n'] } else { vec![b] }).collect();
    let names = |entries: Vec<Entry>| entries.into_iter().map(|e| e.name).collect::<Vec<_>>();
    if !list.contains(&b'\r') && !whole.iter().any(|e| e.name.contains(&b'\n')) {
        assert_eq!(names(entries(&crlf, name)), names(whole.clone()));
        assert_eq!(entries(&[b"\xef\xbb\xbf", list].concat(), name), whole);
    }
}
