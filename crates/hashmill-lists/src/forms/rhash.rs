//! `name  hex  hex`: what RHash writes for several algorithms at once, with two blanks before each digest; with
//! `--sfv`, and in the lists of cfv's type `sfvmd5`, there is one blank, and comments come first.
//!
//! Nothing names the algorithms. RHash writes them in a fixed order, though, so that the digests' lengths tell some and
//! leave few for the others.

use super::gnu::starts_with_a_digest;
use super::{
    Base, End, Form, Format, How, Lines, Sink, by_line, entry_lines, is_blank, is_cksum, skip_blanks, trim_end,
};
use crate::base::candidates::is_usual;
use crate::base::digits::{LENGTHS, from_base32, from_base64, from_hex, is_hex};
use crate::base::entry::{Entry, Item, Stated};
use crate::base::fault::Fault;
use crate::base::function::Function;
use crate::text::source::Source;
use hashmill::{Algorithm, Digest};
use std::path::Path;
use std::sync::Arc;

pub(crate) const FORM: Form = Form {
    name: "rhash",
    what: "`name  hex  hex`",
    programs: "rhash with several algorithms, cfv sfvmd5",
    writes: false,
    lines: false,
    algorithms: "those of rhash, not named",
    several: true,
    sizes: false,
    times: false,
    cannot: "with line breaks",
    base: Base::Current,
    format: &Rhash,
};

struct Rhash;

impl Format for Rhash {
    fn sniff(&self, head: &[u8], _: &Path) -> bool {
        Layout::of(head).is_some()
    }

    fn read(&self, mut source: Source<'_>, how: &How<'_>, sink: &mut Sink<'_>) -> Result<(), End> {
        let layout = Layout::of(source.head()?);
        let Some(layout) = layout else { return super::lines(source, how, sink) };
        let meanings = layout.meanings();
        let mut lines = Lines::new(how.given, how.hint, source.is_zero());
        by_line(source, sink, |line| {
            let line = if lines.zero { line } else { line.strip_suffix(b"\r").unwrap_or(line) };
            if line.iter().all(|&b| is_blank(b)) || layout.gap == Gap::One && line.first() == Some(&b';') {
                return Item::Nothing;
            }
            match layout.entry(line, &meanings, how.given) {
                Some(item) => item,
                None => tagged_line(line, &mut lines),
            }
        })
    }
}

/// Returns the meaning of a line that is not of the list's form, but may name its algorithm.
pub(super) fn tagged_line(line: &[u8], lines: &mut Lines) -> Item {
    match lines.line(line) {
        item @ (Item::Entry(_) | Item::Bad(Fault::OtherAlgorithm | Fault::NoSuchAlgorithm(_))) => item,
        // RHash takes these for comments, although it writes names that begin like this.
        Item::Nothing if line.first() != Some(&b'#') || is_comment(line) => Item::Nothing,
        _ => Item::Bad(Fault::Malformed),
    }
}

/// Returns whether a line that begins with `#` is a comment, and not a damaged entry of a file whose name begins so.
fn is_comment(line: &[u8]) -> bool {
    let rest = line.strip_prefix(b"#").unwrap_or(line);
    let last = rest.rsplit(|&b| is_blank(b)).next().unwrap_or_default();
    !(last.len() >= 6 && last.iter().filter(|b| b.is_ascii_hexdigit()).count() + 1 >= last.len())
}

/// How many blanks there are before each digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gap {
    One,
    Two,
}

/// How a digest of this many bytes is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Hex(usize),
    Base32(usize),
    Base64(usize),
}

/// Which digests the lines of a list have.
struct Layout {
    gap: Gap,
    columns: Vec<Column>,
}

/// Maximum number of digests in a line: more than RHash has algorithms.
const MOST: usize = 40;

impl Layout {
    /// Returns the layout of a list that begins like this, if it is one.
    fn of(head: &[u8]) -> Option<Layout> {
        // Comments come first, of which these programs write some; but the first name can begin with a semicolon, too.
        let first = head.split(|&b| b == b'\n').next().unwrap_or_default();
        let first = first.strip_suffix(b"\r").unwrap_or(first);
        let has_comments = first.first() == Some(&b';') && columns(first, Gap::Two).len() < 2;
        let gap = if has_comments { Gap::One } else { Gap::Two };
        let mut common: Option<Vec<Column>> = None;
        let (mut with, mut without, mut digests) = (0, 0, 0);
        for line in entry_lines(head, if has_comments { b";" } else { b"" }) {
            // A name may begin like a line of `cksum`.
            let is_cksum = is_cksum(line) && columns(line, gap).len() < 2;
            if is_cksum || super::bsd::has_the_shape(line) || super::md5deep::size(line).0.is_some() {
                return None;
            }
            digests += usize::from(starts_with_a_digest(line));
            let columns = columns(line, gap);
            let columns = match &common {
                None => columns,
                Some(before) => before.iter().zip(&columns).map_while(|(a, b)| a.same(*b)).collect(),
            };
            if columns.is_empty() {
                // Part of a name with a line break, or damage.
                without += 1;
            } else {
                with += 1;
                common = Some(columns);
            }
        }
        // A few names may be as digests are.
        if digests >= with || without > with {
            return None;
        }
        let mut columns = common?;
        columns.reverse();
        let right = columns.len() >= 2 || gap == Gap::One && columns.first() != Some(&Column::Hex(4));
        right.then_some(Layout { gap, columns })
    }

    /// Returns what a line says, or `None` if it does not have these digests.
    fn entry(&self, line: &[u8], meanings: &[Meaning], given: Option<Algorithm>) -> Option<Item> {
        let mut rest = line;
        let mut stated = Vec::new();
        let mut unknown = Vec::new();
        let mut others = false;
        let may_be = |m: &Meaning| given.is_some_and(|a| m.functions().contains(&a.into()));
        // Of several digests that may be of the algorithm that is given, one is.
        let mut given_ones = Vec::new();
        for (column, meaning) in self.columns.iter().zip(meanings).rev() {
            let (before, word) = split_last(rest, self.gap)?;
            if !column.holds(word) {
                return None;
            }
            rest = before;
            let digest = column.digest(word)?;
            match meaning {
                Meaning::Known(function) => stated.push(Stated::of(*function, digest)),
                Meaning::Other(name) => unknown.push((*name).to_string()),
                Meaning::Among(_) if may_be(meaning) => given_ones.push(digest),
                Meaning::Among(_) if given.is_some() => others = true,
                Meaning::Among(among) => {
                    stated.push(Stated { among: Some(among.clone()), ..Stated::new(None, digest) });
                }
            }
        }
        if let Some(digest) = given_ones.pop() {
            stated.push(Stated { or: given_ones, ..Stated::new(given, digest) });
        }
        stated.reverse();
        unknown.reverse();
        let name = rest;
        if memchr::memchr(0, name).is_some() || name.is_empty() {
            return None;
        }
        if stated.is_empty() && others {
            return Some(Item::Bad(Fault::OtherAlgorithm));
        }
        let entry = Entry { name: name.to_vec(), stated, unknown, ..Entry::default() };
        Some(super::with_digests(entry).unwrap_or_else(Item::Bad))
    }

    /// Returns what the digests may be of by the order in which RHash writes them.
    fn meanings(&self) -> Vec<Meaning> {
        let is_base32 = self.columns.iter().all(|c| matches!(c, Column::Base32(_)));
        let fits = |i: usize, column: Column| {
            let (_, bytes, usual) = ORDER[i];
            // Without an option, some are in base32.
            let is_so = match column {
                Column::Hex(_) | Column::Base64(_) => true,
                Column::Base32(_) => usual || is_base32,
            };
            bytes == column.bytes() && is_so
        };
        // Each digest is of one of those between the first and the last that it can be of.
        let mut first = Vec::new();
        let mut at = 0;
        for &column in &self.columns {
            let Some(i) = (at..ORDER.len()).find(|&i| fits(i, column)) else { return self.in_any_order() };
            first.push(i);
            at = i + 1;
        }
        let mut last = Vec::new();
        let mut end = ORDER.len();
        for &column in self.columns.iter().rev() {
            let Some(i) = (0..end).rev().find(|&i| fits(i, column)) else { return self.in_any_order() };
            last.push(i);
            end = i;
        }
        last.reverse();
        let ranges = first.iter().zip(&last).zip(&self.columns).enumerate();
        ranges
            .map(|(n, ((&first, &last), &column))| {
                // A checksum of 32 bits in the first place is hardly ever CRC-32C, which comes near the end.
                let last = if n == 0 && first == 0 { first } else { last };
                Meaning::of(column, (first..=last).filter(|&i| fits(i, column)))
            })
            .collect()
    }

    /// Returns what the digests may be of if RHash does not write them in this order.
    fn in_any_order(&self) -> Vec<Meaning> {
        let of = |column: &Column| Meaning::of(*column, (0..ORDER.len()).filter(|&i| ORDER[i].1 == column.bytes()));
        self.columns.iter().map(of).collect()
    }
}

/// What the digests of a column are of.
#[derive(Debug, Clone, PartialEq)]
enum Meaning {
    Known(Function),
    /// One of these, the most usual first.
    Among(Arc<[Function]>),
    /// An algorithm of this name, which is not known here.
    Other(&'static str),
}

impl Meaning {
    /// Returns the meaning of a column whose digests may be of the algorithms of RHash in these places.
    fn of(column: Column, places: impl Iterator<Item = usize>) -> Meaning {
        let mut places: Vec<usize> = places.collect();
        let function = |i: &usize| Function::named(ORDER[*i].0);
        if let [only] = places[..] {
            return function(&only).map_or(Meaning::Other(ORDER[only].0), Meaning::Known);
        }
        places.sort_by_key(|i| {
            let is_in_base32 = matches!(column, Column::Base32(_));
            let is_of_usual = function(i).and_then(Function::plain).is_some_and(is_usual);
            (ORDER[*i].2 != is_in_base32, !is_of_usual)
        });
        let among: Vec<Function> = places.iter().filter_map(function).collect();
        match (&among[..], &places[..]) {
            ([], [first, ..]) => Meaning::Other(ORDER[*first].0),
            _ => Meaning::Among(among.into()),
        }
    }

    fn functions(&self) -> &[Function] {
        match self {
            Meaning::Known(function) => std::slice::from_ref(function),
            Meaning::Among(among) => among,
            Meaning::Other(_) => &[],
        }
    }
}

impl Column {
    fn of(word: &[u8]) -> Option<Column> {
        let is_base32 = |letter: fn(&u8) -> bool| word.iter().all(|b| letter(b) || (b'2'..=b'7').contains(b));
        let find = |digits: fn(usize) -> usize| LENGTHS.into_iter().find(|len| digits(*len) == word.len());
        if is_hex(word) {
            return if word.len() == 8 { Some(Column::Hex(4)) } else { find(|len| 2 * len).map(Column::Hex) };
        }
        if is_base32(u8::is_ascii_lowercase) || is_base32(u8::is_ascii_uppercase) {
            return find(|len| (8 * len).div_ceil(5)).map(Column::Base32);
        }
        find(|len| len.div_ceil(3) * 4).filter(|len| from_base64(word, *len).is_some()).map(Column::Base64)
    }

    /// Returns the length of the digests in bytes.
    fn bytes(self) -> usize {
        match self {
            Column::Hex(bytes) | Column::Base32(bytes) | Column::Base64(bytes) => bytes,
        }
    }

    fn digest(self, word: &[u8]) -> Option<Digest> {
        match self {
            Column::Hex(bytes) => from_hex(word).filter(|d| d.as_bytes().len() == bytes),
            Column::Base32(bytes) => from_base32(word, bytes),
            Column::Base64(bytes) => from_base64(word, bytes),
        }
    }

    fn holds(self, word: &[u8]) -> bool {
        Column::of(word).and_then(|c| self.same(c)) == Some(self)
    }

    /// Returns the column that both may belong to. Digits of base32 may happen to be hexadecimal ones: those of 32
    /// digits, which are 20 or 16 bytes.
    fn same(self, other: Column) -> Option<Column> {
        match (self, other) {
            (a, b) if a == b => Some(a),
            (Column::Base32(20), Column::Hex(16)) | (Column::Hex(16), Column::Base32(20)) => Some(Column::Base32(20)),
            _ => None,
        }
    }
}

/// The algorithms of RHash in the order in which it writes them, the length of their digests in bytes, and whether they
/// are in base32 if nothing else is asked for.
const ORDER: [(&str, usize, bool); 31] = [
    ("CRC32", 4, false),
    ("MD4", 16, false),
    ("MD5", 16, false),
    ("SHA1", 20, false),
    ("TIGER", 24, false),
    ("TTH", 24, true),
    ("BTIH", 20, false),
    ("ED2K", 16, false),
    ("AICH", 20, true),
    ("WHIRLPOOL", 64, false),
    ("RIPEMD160", 20, false),
    ("GOST94", 32, false),
    ("GOST94-CRYPTOPRO", 32, false),
    ("HAS-160", 20, false),
    ("GOST12-256", 32, false),
    ("GOST12-512", 64, false),
    ("SHA224", 28, false),
    ("SHA256", 32, false),
    ("SHA384", 48, false),
    ("SHA512", 64, false),
    ("EDON-R256", 32, false),
    ("EDON-R512", 64, false),
    ("SHA3-224", 28, false),
    ("SHA3-256", 32, false),
    ("SHA3-384", 48, false),
    ("SHA3-512", 64, false),
    ("CRC32C", 4, false),
    ("SNEFRU-128", 16, false),
    ("SNEFRU-256", 32, false),
    ("BLAKE2S", 32, false),
    ("BLAKE2B", 64, false),
];

/// Splits a line at the blanks before its last word.
fn split_last(line: &[u8], gap: Gap) -> Option<(&[u8], &[u8])> {
    let at = memchr::memrchr(b' ', line)?;
    let before = match gap {
        Gap::One => &line[..at],
        Gap::Two => line[..at].strip_suffix(b" ")?,
    };
    Some((before, &line[at + 1..]))
}

/// Returns the columns at the end of a line, the last one first.
fn columns(line: &[u8], gap: Gap) -> Vec<Column> {
    let mut columns = Vec::new();
    let mut rest = line;
    while columns.len() < MOST
        && let Some((before, word)) = split_last(rest, gap)
        && !before.is_empty()
        && let Some(column) = Column::of(word)
    {
        columns.push(column);
        rest = before;
    }
    columns
}

/// Splits a line of SFV into the name and the CRC. If names are padded, the blanks at their end do not belong to them.
pub(super) fn name_and_crc(line: &[u8], padded: bool) -> Option<(&[u8], Digest)> {
    let at = memchr::memrchr2(b' ', b'\t', line)?;
    let (name, word) = (&line[..at], &line[at + 1..]);
    let digest = match word.len() {
        8 => from_hex(word).or_else(|| from_base64(word, 4))?,
        _ => return None,
    };
    let name = if padded { trim_end(name) } else { name };
    (!skip_blanks(name).is_empty() && memchr::memchr(0, name).is_none()).then_some((name, digest))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{attack, read, read_with};
    use super::*;
    use crate::surface::read::ReadOptions;

    const MD5: &str = "a5e54d1fd7bb69a228ef0dcd2431367e";
    const SHA1: &str = "cfc7b4885384957ae445bc14914d4588f607651c";
    const TTH: &str = "2crh7hah5utnc2mjd7civsjyf2257j3es2iwk2a";
    const AICH: &str = "z7d3jcctqskxvzcfxqkjctkfrd3aozi4";

    /// Written by RHash 1.4.3 with -CM, but for the digests of `#hash`.
    fn simple() -> String {
        format!(
            "a.txt  c1ebf7ba  {MD5}\n lead  0e3666ce  44b6c23a804d7bda132e34eef5d1d6c5\n\
            trail   94d93971  8529b57b1ea29a1cb358437147203b36\n#hash  b0bf1f6d  76d1e8d9b69a784a5cf9f1243efe77ee\n\
            ;semi  c378b425  6642205cfc3be140cdf27e6c2d4f6592\nx  20240101  4aaa8921  129cf3c1dfa7b227178f902239f77091\n"
        )
    }

    #[test]
    fn several_digests() {
        let want = [
            "1 a.txt CRC32=c1ebf7ba ?=a5e54d1fd7bb69a228ef0dcd2431367e",
            "2  lead CRC32=0e3666ce ?=44b6c23a804d7bda132e34eef5d1d6c5",
            "3 trail  CRC32=94d93971 ?=8529b57b1ea29a1cb358437147203b36",
            "4 #hash CRC32=b0bf1f6d ?=76d1e8d9b69a784a5cf9f1243efe77ee",
            "5 ;semi CRC32=c378b425 ?=6642205cfc3be140cdf27e6c2d4f6592",
            "6 x  20240101 CRC32=4aaa8921 ?=129cf3c1dfa7b227178f902239f77091",
        ];
        assert_eq!(read(simple(), "list").lines, want);
        assert_eq!(read(simple().to_uppercase().to_lowercase().replace('\n', "\r\n"), "list").lines, want);
        // A name with a line break, and damage.
        let broken = format!("{}new\nline  d50a4090  50b5bf99eabd236f3cbe7c345ada4ec6\nz  c378b425\n", simple());
        assert_eq!(
            read(broken, "list").lines[6..],
            [
                "7 bad: checksum line not understood",
                "8 line CRC32=d50a4090 ?=50b5bf99eabd236f3cbe7c345ada4ec6",
                "9 bad: checksum line not understood"
            ]
        );
        // On its own, the last line says something else.
        let far = attack(simple(), "list");
        assert!(far.iter().all(|(_, e)| e.name == b"x"), "{far:?}");
        let sfv = format!(
            "; Generated by RHash v1.4.3 on 2026-11-28 at 13:18.59\n;\na b.txt C1EBF7BA {}\n",
            MD5.to_uppercase()
        );
        assert_eq!(read(sfv, "x.sfv").lines, [format!("3 a b.txt CRC32=c1ebf7ba ?={MD5}")]);
        let cfv = format!("; Generated by cfv v3.2.0 on 2026-11-28 at 13:16.10\n;\ntrail  {MD5}\n#hash {MD5}\n");
        assert_eq!(read(&cfv, "x.sfv").lines, [format!("3 trail  ?={MD5}"), format!("4 #hash ?={MD5}")]);
        assert_eq!(attack(cfv, "list"), []);
    }

    #[test]
    fn compositions_and_places() {
        assert_eq!(read(format!("a  c1ebf7ba  {TTH}\n"), "x").lines, [format!("1 a CRC32=c1ebf7ba TTH={TTH}")]);
        let names = |list: String| -> Vec<String> {
            let names = |s: &Stated| s.candidates().iter().map(|f| f.name()).collect::<Vec<_>>().join(" ");
            read(list, "x").entries[0].stated.iter().map(names).collect()
        };
        assert_eq!(names(format!("a  {TTH}  {AICH}\n")), ["tth tiger192-3", "aich btih ripemd160"]);
        // With --base32 and --base64.
        let base32 = format!("a  {TTH}  uxsu2h6xxnu2ekhpbxgsimjwpy\n");
        assert_eq!(names(base32), ["tth tiger192-3", "ed2k snefru128"]);
        let base64 = "a  peVNH9e7aaIo7w3NJDE2fg==  z8e0iFOElXrkRbwUkU1FiPYHZRw=\n".to_string();
        assert_eq!(names(base64), ["md5 md4 ed2k", "sha1 btih ripemd160 aich"]);
        assert_eq!(read(format!("a  {MD5}  e8acd50f\n"), "x").lines, [format!("1 a ?={MD5} CRC32C=e8acd50f")]);
        let placed = format!("a  {MD5}  {MD5}  {SHA1}  {MD5}{MD5}\n");
        assert_eq!(read(placed, "x").lines, [format!("1 a ?={MD5} ?={MD5} ?={SHA1} ?={MD5}{MD5}")]);
        // -a: every algorithm is in its place.
        let all: String = ORDER.iter().fold("a".into(), |line, (_, bytes, is_base32)| match is_base32 {
            false => line + "  " + &"4".repeat(2 * bytes),
            true => line + "  " + &"z".repeat((8 * bytes).div_ceil(5) - 1) + "a",
        });
        let lines = read(all, "x").lines;
        let (last, notes) = lines.split_last().unwrap();
        assert!(last.contains(" MD4=") && last.contains(" CRC32C=") && !last.contains('?'), "{last}");
        assert_eq!(notes, ["HAS-160", "EDON-R256", "EDON-R512"].map(|name| format!("1 note: NotKnown({name:?})")));
    }

    /// Digests of the same length are each of one of few.
    #[test]
    fn places_leave_few_algorithms() {
        let line = format!("a  {MD5}{MD5}  {MD5}{MD5}\n");
        let among = |entry: &Entry| -> Vec<String> {
            let names = |s: &Stated| s.candidates().iter().map(|f| f.name()).collect::<Vec<_>>().join(" ");
            entry.stated.iter().map(names).collect()
        };
        let want = [
            "sha256 gost94 gost94-cryptopro streebog256 sha3-256 snefru256",
            "sha256 gost94-cryptopro streebog256 sha3-256 snefru256 blake2s-256",
        ];
        assert_eq!(among(&read(&line, "x").entries[0]), want);
        // The one that is given may be either.
        let given = ReadOptions { algorithm: Some(Algorithm::SHA256), ..ReadOptions::default() };
        let one = &read_with(&line, "x", &given).entries[0].stated;
        assert_eq!((one.len(), one[0].algorithm(), one[0].or.len()), (1, Some(Algorithm::SHA256), 1));
        let given = ReadOptions { algorithm: Algorithm::named("blake2s"), ..ReadOptions::default() };
        let said = read_with(&line, "x", &given);
        assert_eq!(said.lines, [format!("1 a BLAKE2S-256={MD5}{MD5}")]);
        let short = format!("a  {MD5}  {SHA1}\n");
        assert_eq!(among(&read(short, "x").entries[0]), ["md5 md4 ed2k", "sha1 btih ripemd160 aich"]);
    }

    /// A name may begin like a line of `cksum`.
    #[test]
    fn names_of_numbers() {
        let line = format!("2024 01 02  {MD5}  {SHA1}\n");
        assert_eq!(read(&line, "x").entries[0].name, b"2024 01 02");
    }

    #[test]
    fn names_that_begin_with_a_semicolon() {
        let row = |name: &str| format!("{name}  {0}  {0}{1}\n", "a5e54d1fd7bb69a228ef0dcd2431367e", "01234567");
        let list = row(";a") + &row("b") + &row(";c");
        let said = read(list, "list").lines;
        let names: Vec<&str> = said.iter().map(|line| line.split(' ').nth(1).unwrap()).collect();
        assert_eq!(names, [";a", "b", ";c"], "{said:?}");
        assert_eq!(read(row(";a"), "list").lines.len(), 1);
    }

    #[test]
    fn a_given_algorithm() {
        let read = |algorithm: &str| {
            let given = ReadOptions { algorithm: Some(algorithm.parse().unwrap()), ..ReadOptions::default() };
            let said = read_with(format!("a  c1ebf7ba  {MD5}\n"), "x", &given);
            said.entries.first().map_or(0, |e| e.stated.len())
        };
        assert_eq!((read("md5"), read("crc32"), read("sha1")), (1, 1, 0));
    }

    #[test]
    fn what_is_not_of_this_form() {
        for list in [
            format!("{MD5}  {MD5}\n"),
            format!("; comment\n{MD5}  {MD5}\n"),
            format!("; comment\n{MD5} *dir\\file\n"),
            format!("{MD5}  x  c1ebf7ba  {MD5}\n"),
            format!("MD5 (a  {MD5}  {MD5}) = {MD5}\n"),
            format!("MD5: {MD5}\nSHA1: {SHA1}\n"),
            format!("         2  {MD5}\n"),
            format!("a {MD5}\n"),
        ] {
            assert_eq!(read(&list, "list").form, None, "{list:?}");
        }
    }
}
