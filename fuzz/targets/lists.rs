//! Checksum lists in all formats: nothing panics, and the content of a line survives being written again in every
//! format.
//!
//! The first byte selects how the list is read: bit 0, NUL-terminated; bit 1, with short digests; bits 2 to 4, the
//! given algorithm or the name of the list.
#![no_main]

use hashmill::Algorithm;
use hashmill_files::manifest::{Entry, Form, Line, LineReader, Parser, Style, write_entry};
use libfuzzer_sys::fuzz_target;
use std::path::Path;

fn parser(choice: u8) -> Parser {
    let given = |name: &str| Some(name.parse::<Algorithm>().expect("a name of the registry"));
    let (given, list) = match choice & 7 {
        0 => (None, "list"),
        1 => (None, "SHA256SUMS"),
        2 => (None, "photos.md5"),
        3 => (given("blake2b"), "list"),
        4 => (given("shake128"), "list"),
        5 => (given("crc32"), "SHA512SUMS"),
        6 => (given("sha512"), "list"),
        _ => (given("cubehash160+16/32+160-512"), "-"),
    };
    Parser::new(given, Path::new(list))
}

fn written_and_read(entry: &Entry) {
    // No program writes an empty name, since no file has one. With a tag, the line names a file that does not exist;
    // without a tag, it is not a checksum line.
    if entry.name.is_empty() {
        return;
    }
    for form in [Form::Gnu, Form::GnuBinary, Form::Tag, Form::Json] {
        for zero in [false, true] {
            // A NUL-terminated line cannot contain a NUL, except in JSON, where it is escaped.
            if zero && form != Form::Json && entry.name.as_encoded_bytes().contains(&0) {
                continue;
            }
            let mut line = Vec::new();
            write_entry(&mut line, Style { form, zero }, entry.algorithm, &entry.name, &entry.digest);
            assert_eq!(line.pop(), Some(if zero { 0 } else { b'\n' }));
            assert!(!line.contains(if zero { &0 } else { &b'\n' }), "{form:?}: a line within a line");
            let mut parser = Parser::new(Some(entry.algorithm), Path::new("-")).allow_short(true).zero(zero);
            assert_eq!(parser.line(&line), Line::Entry(entry.clone()), "{form:?} {zero}: {}", line.escape_ascii());
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((&how, list)) = data.split_first() else { return };
    let zero = how & 1 == 1;
    let Ok(mut lines) = LineReader::detect(list, zero) else { return };
    let mut parser = parser(how >> 2).allow_short(how & 2 == 2).zero(lines.is_zero());
    while let Ok(Some(line)) = lines.next_line() {
        let Some(line) = line else { continue };
        if let Line::Entry(entry) = parser.line(line) {
            Form::of(line);
            written_and_read(&entry);
        }
    }
});
