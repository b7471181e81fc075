//! Checksum lists in all forms: nothing panics, and the content of an entry survives being written again in every form
//! that can be written.
//!
//! The first byte selects how the list is read: bit 0, NUL-terminated; bit 1, with short digests; bits 2 to 4, the
//! given algorithm or the name of the list.
#![no_main]

use hashmill::Algorithm;
use hashmill_lists::{Entry, FORMS, Form, Header, Item, List, ReadOptions, Writer, recognize};
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

fn written_and_read(entry: &Entry) {
    // No program writes an empty name, since no file has one. With a tag, the line names a file that does not exist;
    // without a tag, it is not a checksum line.
    let Some(functions) = entry.stated.iter().map(|s| s.function).collect::<Option<Vec<_>>>() else { return };
    if entry.name.is_empty() || entry.name.contains(&0) || entry.stated.iter().any(|s| !s.or.is_empty()) {
        return;
    }
    // What is more than an algorithm is named only by some forms, and others need to be told.
    let plain = functions.iter().all(|f| f.plain().is_some());
    let named = |form: &&Form| plain || ["bsd", "openssl", "magnet", "json", "csv"].contains(&form.name);
    for form in FORMS.iter().filter(named) {
        for zero in [false, true] {
            let header = Header { functions: functions.clone(), zero, ..Header::default() };
            let Some(mut writer) = Writer::new(form, &header) else { continue };
            let mut text = Vec::new();
            writer.begin(&mut text);
            if writer.entry(entry, &mut text).is_err() {
                continue;
            }
            writer.end(&mut text);
            // Not every form has lines that end with NUL.
            if zero && !text.ends_with(b"\0") {
                continue;
            }
            let algorithm = functions[0].plain().filter(|_| functions.len() == 1);
            let options = ReadOptions { algorithm, allow_short: true, zero };
            let list = List::open(&text[..], Path::new("list"), &options).expect("nothing fails in memory");
            let mut read = Vec::new();
            let end = list.read(|line| {
                match line.item {
                    Item::Entry(e) => {
                        read.extend(e.stated.iter().map(|s| (e.name.clone(), s.function, s.digest.clone())))
                    }
                    Item::Nothing | Item::Note(_) => {}
                    other => panic!("{form:?} {zero}: {other:?}: {}", text.escape_ascii()),
                }
                ControlFlow::Continue(())
            });
            end.expect("nothing fails in memory");
            let want: Vec<_> =
                entry.stated.iter().map(|s| (entry.name.clone(), s.function, s.digest.clone())).collect();
            assert_eq!(read, want, "{form:?} {zero}: {}", text.escape_ascii());
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
