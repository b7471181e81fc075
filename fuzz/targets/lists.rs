//! Checksum lists in all forms: nothing panics, and the content of an entry survives being written again in every form
//! that can be written.
//!
//! The first byte selects how the list is read: bit 0, NUL-terminated; bit 1, with short digests; bits 2 to 4, the
//! given algorithm or the name of the list.
#![no_main]

use hashmill::Algorithm;
use hashmill_lists::{Entry, FORMS, Header, Item, List, ReadOptions, Stated, Writer, recognize};
use libfuzzer_sys::fuzz_target;
use std::ops::ControlFlow;
use std::path::Path;

fn options(choice: u8) -> (ReadOptions, &'static str) {
    let given = |name: &str| Some(name.parse::<Algorithm>().expect("a name of the registry"));
    let (algorithm, list) = match choice >> 2 & 7 {
        0 => (None, "list"),
        1 => (None, "SHA256SUMS"),
        2 => (None, "photos.md5"),
        3 => (given("blake2b"), "list"),
        4 => (given("shake128"), "list.sfv"),
        5 => (given("crc32"), "SHA512SUMS"),
        6 => (None, "photos.sfv"),
        _ => (given("cubehash160+16/32+160-512"), "-"),
    };
    (ReadOptions { algorithm, allow_short: choice & 2 == 2, zero: choice & 1 == 1 }, list)
}

/// Writes an entry in every form that can hold it. What is read back has the same name, and digests of the entry alone.
fn written_and_read(entry: &Entry) {
    let Some(functions) = entry.stated.iter().map(|s| s.function).collect::<Option<Vec<_>>>() else { return };
    // No program writes an empty name, since no file has one.
    if entry.name.is_empty() || entry.name.contains(&0) || entry.stated.iter().any(|s| !s.or.is_empty()) {
        return;
    }
    // Lists state shorter ones only if they are told to be accepted, and then they resemble anything.
    if entry.stated.iter().any(|s| s.digest.as_bytes().len() < 4) {
        return;
    }
    let algorithm = functions[0].plain().filter(|_| functions.len() == 1);
    for form in &FORMS {
        // What is more than an algorithm is named only by some forms, and others need to be told.
        let names_it = ["bsd", "openssl", "magnet", "json", "csv"].contains(&form.name);
        if algorithm.is_none() && !names_it && (!form.several || functions.iter().any(|f| f.plain().is_none())) {
            continue;
        }
        // Only its name tells such a list from one of lines.
        let list = match (form.name, algorithm) {
            ("bagit", Some(a)) => format!("manifest-{a}.txt"),
            ("sfv", _) => "list.sfv".into(),
            _ => "list".into(),
        };
        for zero in [false, true] {
            let header = Header { functions: functions.clone(), zero, ..Header::default() };
            let Some(mut writer) = Writer::new(form, &header) else { continue };
            let mut text = Vec::new();
            writer.begin(&mut text);
            if writer.entry(entry, &mut text).is_err() {
                continue;
            }
            writer.end(&mut text);
            // Not every form has lines that end with NUL; and after a lone digest, blanks are no name.
            if zero && !text.ends_with(b"\0") || entry.name.iter().all(|b| b" \t".contains(b)) {
                continue;
            }
            let options = ReadOptions { algorithm, allow_short: true, zero };
            let read = List::open(&text[..], Path::new(&list), &options).expect("nothing fails in memory");
            let mut any = false;
            let context = || format!("{form:?} {zero}: {}", text.escape_ascii());
            let end = read.read(|line| {
                match line.item {
                    Item::Entry(e) => {
                        let name = if form.name == "mtree" { e.name.strip_prefix(b"./") } else { None };
                        assert_eq!(
                            name.unwrap_or(&e.name).escape_ascii().to_string(),
                            entry.name.escape_ascii().to_string(),
                            "{}",
                            context()
                        );
                        for s in &e.stated {
                            let same = |t: &Stated| t.function == s.function && t.digest == s.digest;
                            assert!(entry.stated.iter().any(same), "{s:?} in {}", context());
                        }
                        any = true;
                    }
                    Item::Nothing | Item::Note(_) => {}
                    other => panic!("{other:?} in {}", context()),
                }
                ControlFlow::Continue(())
            });
            end.expect("nothing fails in memory");
            assert!(any, "nothing in {}", context());
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((&how, text)) = data.split_first() else { return };
    let (options, name) = options(how);
    let _ = recognize(text, Path::new(name), &options);
    let Ok(list) = List::open(text, Path::new(name), &options) else { return };
    let _ = list.read(|line| {
        if let Item::Entry(entry) = line.item {
            written_and_read(&entry);
        }
        ControlFlow::Continue(())
    });
});
