//! `hex  name` as `xxhsum` has it since version 0.8.2: digests of XXH3 begin with `XXH3_`, which tells them from those
//! of XXH64. It is read like that of coreutils.

use super::{Base, Form, Format, Unfit, Write};
use crate::base::digits::Digits;
use crate::base::entry::Entry;
use crate::base::header::Header;
use crate::base::names::escape;

/// Maximum length of a line in bytes; xxhsum does not read longer ones.
pub(crate) const MAX_LINE: usize = (32 << 10) - 2;

pub(crate) const FORM: Form = Form {
    name: "xxhsum",
    what: "`hex  name` for `xxhsum --check`; read as `gnu`",
    programs: "xxhsum since 0.8.2",
    writes: true,
    lines: true,
    algorithms: "xxh32, xxh64, xxh128, xxh3",
    several: false,
    sizes: false,
    times: false,
    cannot: "too long for a line of 32 KiB",
    base: Base::Current,
    format: &Xxhsum,
};

struct Xxhsum;

impl Format for Xxhsum {
    fn writer(&self, _header: &Header) -> Option<Box<dyn Write>> {
        Some(Box::new(Writer))
    }
}

struct Writer;

impl Write for Writer {
    fn entry(&mut self, entry: &Entry, out: &mut Vec<u8>) -> Result<(), Unfit> {
        for stated in &entry.stated {
            let function = stated.function.ok_or(Unfit::Lacks("the algorithm's name"))?;
            let unfit = Unfit::Algorithm(function);
            let prefix: &[u8] = match &*stated.algorithm().ok_or(unfit)?.name() {
                "xxh32" | "xxh64" | "xxh128" => b"",
                "xxh3" => b"XXH3_",
                _ => return Err(unfit),
            };
            let start = out.len();
            out.extend_from_slice(prefix);
            Digits::Hex.put(out, stated.digest.as_bytes());
            out.extend_from_slice(b"  ");
            if escape(&entry.name, out) {
                out.insert(start, b'\\');
            }
            if out.len() - start > MAX_LINE {
                return Err(Unfit::Name("too long"));
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
        for name in ["xxh32", "xxh64", "xxh128", "xxh3"] {
            let Written { list, held, unfit } = write(&FORM, &header(&[]), &samples(&[name]));
            let lines = list.split(|&b| b == b'\n').filter(|l| !l.is_empty());
            let read = |line: &[u8]| match dialects::xxhsum::Reading::default().line(line, |_| true) {
                Item::Entry(entry) => entry,
                other => panic!("{other:?}"),
            };
            assert_eq!(lines.map(read).collect::<Vec<_>>(), held);
            assert!(unfit.is_empty());
        }
    }

    #[test]
    fn what_does_not_fit() {
        let mut unnamed = entry(b"a", &["xxh3"]);
        unnamed.stated[0].function = None;
        let long = "a".repeat(40 << 10);
        for entry in [entry(b"a", &["md5"]), unnamed, entry(long.as_bytes(), &["xxh3"]), entry(b"a", &["xxh64:seed=7"])]
        {
            assert_eq!(write(&FORM, &header(&[]), &[entry]).unfit.len(), 1);
        }
    }
}
