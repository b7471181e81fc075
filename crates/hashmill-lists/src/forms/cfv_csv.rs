//! `name,size,crc,`: comma-separated values without a heading, as cfv writes them with `-t csv`; `name,size,` with `-t
//! csv2`, which has no digests; `name,size,crc,folder,` with `-t csv4`.

use super::csv::{by_record, fields};
use super::gnu::starts_with_a_digest;
use super::{Base, End, Form, Format, How, Sink, entry_lines};
use crate::base::digits::{from_hex, is_hex};
use crate::base::entry::{Entry, Item};
use crate::base::fault::Fault;
use crate::text::source::Source;
use hashmill::Algorithm;
use std::path::Path;

pub(crate) const FORM: Form = Form {
    name: "cfv-csv",
    what: "`name,size,crc,`",
    programs: "cfv csv, csv2, csv4",
    writes: false,
    lines: false,
    algorithms: "CRC-32",
    several: false,
    sizes: true,
    times: false,
    cannot: "with line breaks",
    base: Base::Current,
    format: &CfvCsv,
};

struct CfvCsv;

impl Format for CfvCsv {
    fn sniff(&self, head: &[u8], _: &Path) -> bool {
        let mut any = false;
        for line in entry_lines(head, b"") {
            // cfv ends every line with a comma.
            let row = line.strip_suffix(b",").and_then(|_| Row::of(line));
            if row.is_none() || starts_with_a_digest(line) && line.contains(&b' ') || super::bsd::has_the_shape(line) {
                return false;
            }
            any = true;
        }
        any
    }

    fn read(&self, source: Source<'_>, _: &How<'_>, sink: &mut Sink<'_>) -> Result<(), End> {
        let crc32 = Algorithm::named("crc32");
        by_record(source, sink, |record| {
            if record.trim_ascii().is_empty() {
                return Item::Nothing;
            }
            let Some(row) = Row::of(record) else { return Item::Bad(Fault::Malformed) };
            let Some(digest) = row.crc.and_then(|crc| from_hex(&crc)) else { return Item::Bad(Fault::NoDigest) };
            Item::Entry(Entry { size: Some(row.size), ..Entry::new(row.name, crc32, digest) })
        })
    }
}

/// What a record says.
struct Row {
    name: Vec<u8>,
    size: u64,
    crc: Option<Vec<u8>>,
}

impl Row {
    fn of(record: &[u8]) -> Option<Row> {
        let mut fields = fields(record)?;
        // What follows the comma at the end.
        if fields.len() >= 3 && fields.last().is_some_and(Vec::is_empty) {
            fields.pop();
        }
        let is_crc = |crc: &Vec<u8>| crc.len() == 8 && is_hex(crc);
        let (mut name, size, crc, folder) = match <[Vec<u8>; 4]>::try_from(fields) {
            Ok([name, size, crc, folder]) => (name, size, Some(crc), folder),
            Err(fields) => {
                let mut fields = fields.into_iter();
                let row = (fields.next()?, fields.next()?, fields.next(), Vec::new());
                if fields.next().is_some() {
                    return None;
                }
                row
            }
        };
        if name.is_empty() || name.contains(&0) || folder.contains(&0) || !crc.as_ref().is_none_or(is_crc) {
            return None;
        }
        if !folder.is_empty() {
            let mut path = folder;
            if !matches!(path.last(), Some(b'/' | b'\\')) {
                path.push(b'/');
            }
            path.append(&mut name);
            name = path;
        }
        Some(Row { name, size: super::number(&size)?, crc })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{attack, read};

    /// Written by cfv 3.2.
    const CSV: &str = " lead,5,0e3666ce,\n#hash,5,b0bf1f6d,\n;semi,5,c378b425,\n\"com,ma\",6,363de8b5,\n\"q\"\"uote\",6,a35cf635,\n\"sub/x,y\",7,4aaa8921,\ntrail ,6,94d93971,\n";
    const CSV4: &str = " lead,5,0e3666ce,,\n\"x,y\",7,4aaa8921,sub,\n";

    #[test]
    fn real_lists() {
        let want = [
            "1  lead 5 CRC32=0e3666ce",
            "2 #hash 5 CRC32=b0bf1f6d",
            "3 ;semi 5 CRC32=c378b425",
            "4 com,ma 6 CRC32=363de8b5",
            "5 q\\\"uote 6 CRC32=a35cf635",
            "6 sub/x,y 7 CRC32=4aaa8921",
            "7 trail  6 CRC32=94d93971",
        ];
        assert_eq!(read(CSV, "list").lines, want);
        assert_eq!(read(CSV4, "list").lines, ["1  lead 5 CRC32=0e3666ce", "2 sub/x,y 7 CRC32=4aaa8921"]);
        assert_eq!(
            read(" lead,5,\n\"com,ma\",6,\n", "list").lines,
            ["1 bad: a file without a digest", "2 bad: a file without a digest"]
        );
        assert_eq!(attack(CSV, "list"), []);
        assert_eq!(attack(CSV4, "list"), []);
        for row in ["a,5", "a,5,c378b42,", "a,x,c378b425,", ",5,c378b425,", "a,5,c378b425,b,c,", "a"] {
            let list = format!("{CSV}{row}\n{CSV}");
            let said = read(list, "list");
            // If the beginning has such a row, it is not claimed; further below, the row is a fault.
            assert!(said.form.is_none() || said.lines[7].ends_with("bad: a file without a digest"), "{row}");
        }
        let far = CSV.repeat(1000) + "a,5,c378b42,\n";
        assert!(read(far, "list").lines.last().is_some_and(|l| l.ends_with("bad: checksum line not understood")));
    }

    #[test]
    fn what_is_not_of_this_form() {
        let md5 = "a5e54d1fd7bb69a228ef0dcd2431367e";
        for list in [
            format!("{md5}  a,5,c378b425,\n"),
            format!("MD5 (a,5,) = {md5}\n"),
            "a,5\n".into(),
            "a,b,c\n".into(),
            "\n".into(),
            format!("{md5},a\n"),
        ] {
            assert_eq!(read(&list, "list").form, None, "{list}");
        }
    }
}
