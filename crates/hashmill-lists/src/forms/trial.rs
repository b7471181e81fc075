//! What the tests of forms have in common: what a list says, in words, and damage of every sort.

use crate::base::entry::{Function, Item};
use crate::forms::Form;
use crate::surface::read::{List, ReadOptions};
use crate::surface::write::Writer;
use crate::{Entry, Header};
use std::io::BufReader;
use std::ops::ControlFlow;
use std::path::Path;

/// Returns what a list says, a line for each part that says something, and for the error that it ends with.
pub(crate) fn said(list: &[u8], name: &str) -> Vec<String> {
    let (mut all, mut entries) = (Vec::new(), Vec::new());
    read(list, name, &mut all, &mut entries);
    all
}

/// Returns the entries of a list.
pub(crate) fn entries(list: &[u8], name: &str) -> Vec<Entry> {
    let (mut all, mut entries) = (Vec::new(), Vec::new());
    read(list, name, &mut all, &mut entries);
    entries
}

fn read(list: &[u8], name: &str, all: &mut Vec<String>, entries: &mut Vec<Entry>) {
    let list = BufReader::with_capacity(64 << 10, list);
    let end = List::open(list, Path::new(name), &ReadOptions::default()).and_then(|list| {
        list.read(|line| {
            let n = line.number;
            match line.item {
                Item::Nothing => {}
                Item::Entry(e) => {
                    all.push(format!("{n} {}", show(&e)));
                    entries.push(Entry { literal: None, ..e });
                }
                Item::Note(note) => all.push(format!("{n} note {note:?}")),
                Item::Lone(_) => all.push(format!("{n} lone")),
                Item::Bad(fault) => all.push(format!("{n} bad {fault}")),
            }
            ControlFlow::Continue(())
        })
    });
    if let Err(e) = end {
        all.push(format!("error {e}"));
    }
}

/// Returns an entry in words.
pub(crate) fn show(e: &Entry) -> String {
    let mut text = e.name.escape_ascii().to_string();
    if let Some(size) = e.size {
        text += &format!(" {size}");
    }
    if let Some((seconds, nanoseconds)) = e.mtime {
        text += &format!(" @{seconds}.{nanoseconds}");
    }
    for s in &e.stated {
        let of = match s.function {
            Some(Function::Hash(a)) => a.name().into_owned(),
            Some(f) => f.to_string(),
            None => "?".into(),
        };
        text += &format!(" {of}={}", s.digest);
    }
    text
}

/// Returns a list of these entries, and how many could not be written.
pub(crate) fn written(form: &Form, header: &Header, entries: &[Entry]) -> (Vec<u8>, usize) {
    let mut out = Vec::new();
    let mut writer = Writer::new(form, header).unwrap();
    writer.begin(&mut out);
    let unfit = entries.iter().filter(|e| writer.entry(e, &mut out).is_err()).count();
    writer.end(&mut out);
    (out, unfit)
}

/// Damages a list in many ways. Nothing panics, and what is cut off says nothing that the whole does not.
pub(crate) fn attack(list: &[u8], name: &str) {
    let whole: Vec<String> = entries(list, name).iter().map(show).collect();
    for end in 0..list.len() {
        let cut = entries(&list[..end], name);
        for (i, e) in cut.iter().enumerate() {
            let is_last = i + 1 == cut.len();
            let shown = show(e);
            // Where a name ends with its line, nothing tells that the end of a name is missing.
            let is_cut =
                is_last && whole.get(i).is_some_and(|w| shown.split(' ').next_back() == w.split(' ').next_back());
            assert!(whole.get(i) == Some(&shown) || is_cut, "cut at {end}: {shown}");
        }
    }
    let mut damaged = list.to_vec();
    for at in 0..list.len() {
        for mask in [1, 0x20, 0x80, 0xff] {
            damaged[at] ^= mask;
            said(&damaged, name);
            damaged[at] ^= mask;
        }
        damaged[at] = 0;
        said(&damaged, name);
        damaged[at] = list[at];
    }
    for part in [
        &b"<"[..],
        b"&",
        b"]]>",
        b"\0",
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"\r\n",
        b"<!--",
        b"</",
        b"99999999999999999999999999",
    ] {
        for at in (0..list.len()).step_by(7) {
            said(&[&list[..at], part, &list[at..]].concat(), name);
        }
    }
    for byte in [b'a', b' ', b'<', b'/', b'&', b'\n', 0] {
        let half = list.len() / 2;
        said(&[&list[..half], &vec![byte; 10 << 20], &list[half..]].concat(), name);
    }
}
