//! `hex  name` as `b3sum` reads it, which wants names in UTF-8. It is read like that of coreutils.

use super::{Base, Form, Format, Unfit, Write};
use crate::base::digits::Digits;
use crate::base::entry::Entry;
use crate::base::header::Header;
use crate::base::names::escape;

pub(crate) const FORM: Form = Form {
    name: "b3sum",
    what: "`hex  name` for `b3sum --check`; read as `gnu`",
    programs: "b3sum",
    writes: true,
    lines: true,
    algorithms: "blake3",
    several: false,
    sizes: false,
    times: false,
    cannot: "not UTF-8, or with U+FFFD; with CR before b3sum 1.8",
    base: Base::Current,
    format: &B3sum,
};

struct B3sum;

impl Format for B3sum {
    fn writer(&self, _header: &Header) -> Option<Box<dyn Write>> {
        Some(Box::new(Writer))
    }
}

struct Writer;

impl Write for Writer {
    fn entry(&mut self, entry: &Entry, out: &mut Vec<u8>) -> Result<(), Unfit> {
        let name = std::str::from_utf8(&entry.name).map_err(|_| Unfit::Name("not UTF-8"))?;
        // b3sum writes this character in place of what is not UTF-8, so it refuses to read it.
        if name.contains(char::REPLACEMENT_CHARACTER) {
            return Err(Unfit::Name("with U+FFFD"));
        }
        for stated in &entry.stated {
            let function = stated.function.ok_or(Unfit::Lacks("the algorithm's name"))?;
            if stated.algorithm().is_none_or(|a| a.name() != "blake3") {
                return Err(Unfit::Algorithm(function));
            }
            let start = out.len();
            Digits::Hex.put(out, stated.digest.as_bytes());
            out.extend_from_slice(b"  ");
            if escape(&entry.name, out) {
                out.insert(start, b'\\');
            }
            out.push(b'\n');
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Written, entry, header, samples, write};
    use super::*;
    use crate::base::entry::Item;
    use crate::dialects;

    /// The reader that does as the program does understands every line.
    #[test]
    fn there_and_back() {
        let Written { list, held, unfit } = write(&FORM, &header(&[]), &samples(&["blake3"]));
        let lines = list.split(|&b| b == b'\n').filter(|l| !l.is_empty());
        let read = |line: &[u8]| match dialects::b3sum::line(Some(line)) {
            Item::Entry(entry) => Entry { literal: None, ..entry },
            other => panic!("{other:?}"),
        };
        assert_eq!(lines.map(read).collect::<Vec<_>>(), held);
        assert_eq!(unfit, [r"bad\xff\xfebytes", r"\xff\xfe", r"a\xe9b"]);
    }

    #[test]
    fn what_does_not_fit() {
        let mut unnamed = entry(b"a", &["blake3"]);
        unnamed.stated[0].function = None;
        for entry in
            [entry(b"a", &["md5"]), unnamed, entry("\u{fffd}".as_bytes(), &["blake3"]), entry(b"a", &["blake3:16"])]
        {
            assert_eq!(write(&FORM, &header(&[]), &[entry]).unfit.len(), 1);
        }
    }
}
