//! Reading a list: which form it has, and what its entries say.

use crate::base::entry::{Item, Line, Note, Stated};
use crate::base::fault::Fault;
use crate::base::function::Function;
use crate::base::names::{named_in, suggests};
use crate::forms::{self, End, FORMS, Form, How, Lines, Sink, Style};
use crate::text::source::Source;
use hashmill::Algorithm;
use std::io::{self, BufRead};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// How to read a list.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The algorithm of digests that do not name theirs. Entries that name only others are [`Fault::OtherAlgorithm`].
    /// If none is given, the list's name may suggest one (`SHA256SUMS`, `x.md5`).
    pub algorithm: Option<Algorithm>,
    /// Accept digests shorter than both 128 bits and their algorithm's usual length.
    pub allow_short: bool,
    /// Lines end with NUL, and names are not escaped. This is found out otherwise.
    pub zero: bool,
}

/// A list that is being read.
pub struct List<'a> {
    source: Source<'a>,
    whole: Option<&'static Form>,
    hint: Option<Algorithm>,
    name: PathBuf,
    options: ReadOptions,
}

impl<'a> List<'a> {
    /// Begins to read the list `name`, whose form and encoding are found out.
    ///
    /// # Errors
    /// Returns an error if the list cannot be read or decompressed.
    pub fn open(list: impl BufRead + Send + 'a, name: &Path, options: &ReadOptions) -> io::Result<Self> {
        let mut source = Source::open(list, options.zero)?;
        let head = source.head()?;
        let whole = FORMS.iter().find(|form| form.format.sniff(head, name));
        let hint = if options.algorithm.is_some() { None } else { suggests(name) };
        Ok(List { source, whole, hint, name: name.to_owned(), options: options.clone() })
    }

    /// Returns the list's form if all of it has the same one, and `None` if each line may have another.
    pub fn form(&self) -> Option<&'static Form> {
        self.whole
    }

    /// Returns the algorithm that digests are expected to be of that do not name theirs.
    pub fn expected(&self) -> Option<Algorithm> {
        self.options.algorithm.or(self.hint)
    }

    /// Returns whether the list is neither compressed, nor in another encoding than UTF-8, nor in a PGP signature.
    pub fn is_plain(&self) -> bool {
        self.source.is_plain()
    }

    /// Reads the list and passes on every line, until `sink` breaks.
    ///
    /// Returns how the list looks: the last line that was understood, if lines stand alone.
    ///
    /// # Errors
    /// Returns an error if the list cannot be read to its end. What comes before has been passed on.
    pub fn read(self, mut sink: impl FnMut(Line) -> ControlFlow<()>) -> io::Result<Option<Style>> {
        let List { source, whole, hint, name, options } = self;
        let how = How { given: options.algorithm, hint, list: &name };
        let mut told: Vec<Note> = Vec::new();
        let mut is_new = |note: &Note| {
            let is_new = told.len() < MOST_NOTES && !told.contains(note);
            if is_new {
                told.push(note.clone());
            }
            is_new
        };
        let mut to = |Line { number, item }: Line| {
            let item = match item {
                Item::Note(note) if !is_new(&note) => Item::Nothing,
                Item::Note(note) => Item::Note(note),
                item => accepted(item, &options),
            };
            if let Item::Entry(entry) = &item {
                let unknown = entry.unknown.iter().map(|name| Note::NotKnown(name.clone()));
                for note in unknown.chain(entry.is_optional.then_some(Note::Optional)) {
                    if is_new(&note) {
                        sink(Line { number, item: Item::Note(note) })?;
                    }
                }
            }
            sink(Line { number, item })
        };
        if source.is_signed() && to(Line { number: 1, item: Item::Note(Note::Signature) }).is_break() {
            return Ok(None);
        }
        let mut sink = Sink { to: &mut to };
        let mut lines = Lines::new(how.given, how.hint, source.is_zero());
        let end = match whole {
            Some(form) => form.format.read(source, &how, &mut sink),
            None => forms::lines_with(source, &mut lines, &mut sink),
        };
        match end {
            Ok(()) | Err(End::Enough) => {
                Ok(whole.map(|form| Style { form, zero: false, binary: false }).or(lines.style()))
            }
            Err(End::Failed(e)) => Err(e),
        }
    }
}

/// Maximum number of different notes that are passed on: more than there can be, but for those with names.
const MOST_NOTES: usize = 32;

/// Maximum number of algorithms of a file that are named because they are not known.
const MOST_UNKNOWN: usize = 8;

/// Maximum relative cost of an algorithm that only the list asks for. Lines with a more expensive one are refused.
const MAX_COST: f64 = 64.0;

/// Minimum length of a reliable digest in bytes, unless the algorithm's usual length is shorter.
const SHORT: usize = 16;

/// Returns an item unless its digests are not wanted or not to be trusted.
fn accepted(item: Item, options: &ReadOptions) -> Item {
    match item {
        Item::Entry(mut entry) => {
            entry.unknown.truncate(MOST_UNKNOWN);
            entry.unknown.iter_mut().for_each(|name| *name = printable(name));
            if let Some(given) = options.algorithm {
                let same = |s: &Stated| {
                    s.function.is_none_or(|f| f.plain().is_some_and(|a| a.base_name() == given.base_name()))
                };
                if !entry.stated.iter().all(same) {
                    entry.stated.retain(same);
                }
                entry.unknown.clear();
                if entry.stated.is_empty() {
                    return Item::Bad(Fault::OtherAlgorithm);
                }
            }
            match entry.stated.iter().find_map(|s| refused(s, options)) {
                Some(fault) => Item::Bad(fault),
                None => Item::Entry(entry),
            }
        }
        Item::Lone(stated) => match refused(&stated, options) {
            Some(fault) => Item::Bad(fault),
            None => Item::Lone(stated),
        },
        item => item,
    }
}

/// Returns what may be printed of a name that only the list has.
fn printable(name: &str) -> String {
    name.chars().filter(char::is_ascii_graphic).take(32).collect()
}

/// Returns what is wrong with an algorithm: its digest is too short to prove anything or too expensive to compute. The
/// algorithm that the user asked for by name is always accepted.
fn refused(stated: &Stated, options: &ReadOptions) -> Option<Fault> {
    let Some(Function::Hash(a)) = stated.function else { return None };
    if options.algorithm == Some(a) {
        return None;
    }
    let length = a.digest_len();
    if !options.allow_short && length < SHORT {
        let usual = Algorithm::named(a.base_name());
        if usual.is_some_and(|u| length < u.digest_len()) {
            return Some(Fault::Short(a));
        }
    }
    (a.relative_cost() > MAX_COST).then_some(Fault::Slow(a))
}

/// A parser of lines that each stand alone, for those who read them themselves.
#[derive(Debug, Clone)]
pub struct Parser {
    lines: Lines,
    options: ReadOptions,
    fresh: bool,
}

impl Parser {
    /// Returns a parser for the lines of the list `name`.
    pub fn new(name: &Path, options: &ReadOptions) -> Self {
        let hint = if options.algorithm.is_some() { None } else { suggests(name) };
        let lines = Lines::new(options.algorithm, hint, options.zero);
        Parser { lines, options: options.clone(), fresh: true }
    }

    /// Returns the meaning of a line, given without its terminator. A byte order mark before the first line is ignored,
    /// and so is a CR at the end of a line unless lines end with NUL.
    pub fn line(&mut self, line: &[u8]) -> Item {
        let mark: &[u8] = if std::mem::take(&mut self.fresh) { b"\xef\xbb\xbf" } else { b"" };
        accepted(self.lines.line(line.strip_prefix(mark).unwrap_or(line)), &self.options)
    }

    /// Returns how the last line looked that was understood.
    pub fn style(&self) -> Option<Style> {
        self.lines.style()
    }
}

/// Returns the file that a list is about if it has nothing but a digest: its own name without the suffix that says so
/// (`x.iso` for `x.iso.sha256`, `x.iso.sha256sum`, `x.iso.sha256.txt` or `x.iso.checksum`), in the same folder.
pub fn named_by(list: &Path) -> Option<PathBuf> {
    let mut stem = list.file_name()?;
    loop {
        let path = Path::new(stem);
        let suffix = path.extension()?.to_str()?.to_ascii_lowercase();
        stem = path.file_stem()?;
        if named_in(&suffix).is_some() || matches!(&*suffix, "checksum" | "digest" | "hash" | "sum") {
            return Some(list.with_file_name(stem));
        }
        if suffix != "txt" {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MD5: &str = "5d41402abc4b2a76b9719d911017c592";
    const SHA1: &str = "aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d";

    fn parser(list: &str) -> Parser {
        Parser::new(Path::new(list), &ReadOptions::default())
    }

    fn given(algorithm: &str, list: &str) -> Parser {
        let algorithm = Some(algorithm.parse().unwrap());
        Parser::new(Path::new(list), &ReadOptions { algorithm, ..ReadOptions::default() })
    }

    fn show(item: Item) -> String {
        match item {
            Item::Nothing => "nothing".into(),
            Item::Bad(fault) if fault.hides_a_file() => "bad".into(),
            Item::Bad(_) => "text".into(),
            Item::Lone(_) => "lone".into(),
            Item::Note(note) => note.to_string(),
            Item::Entry(e) => {
                let Stated { digest, .. } = &e.stated[0];
                let usual = crate::candidates(digest.as_bytes().len());
                let a = e.stated[0].algorithm().or(usual.first().copied()).unwrap();
                format!("{a} {digest} {:?}", String::from_utf8(e.name).unwrap())
            }
        }
    }

    fn one(line: &str) -> String {
        show(parser("list").line(line.as_bytes()))
    }

    #[test]
    fn gnu_lines() {
        let want = format!("md5 {MD5} \"name\"");
        for line in [
            format!("{MD5}  name"),
            format!("{MD5} *name"),
            format!("{MD5}  name\r"),
            format!(" \t{MD5}  name"),
            format!("{}  name", MD5.to_uppercase()),
            format!("{MD5} name"),
            format!("{MD5}\tname"),
            "XUFAKrxLKna5cZ2REBfFkg==  name".to_string(),
        ] {
            assert_eq!(one(&line), want, "{line:?}");
        }
        assert_eq!(one(&format!("{MD5}   x y ")), format!("md5 {MD5} \" x y \""));
        assert_eq!(one(&format!("{SHA1}  -")), format!("sha1 {SHA1} \"-\""));
        assert_eq!(one(&format!("\\{MD5}  a\\n\\\\\\r")), format!("md5 {MD5} \"a\\n\\\\\\r\""));
    }

    #[test]
    fn tagged_lines() {
        let want = format!("md5 {MD5} \"name\"");
        for line in [
            format!("MD5 (name) = {MD5}"),
            format!("MD5(name)= {MD5}"),
            format!("MD5 (name)={MD5}"),
            format!("  md5 (name) =\t{MD5}"),
            "MD5 (name) = XUFAKrxLKna5cZ2REBfFkg==".to_string(),
        ] {
            assert_eq!(one(&line), want, "{line:?}");
        }
        assert_eq!(one(&format!("MD5 (a) = b) = {MD5}")), format!("md5 {MD5} \"a) = b\""));
        assert_eq!(one(&format!("\\MD5 (a\\nb) = {MD5}")), format!("md5 {MD5} \"a\\nb\""));
        assert_eq!(one(&format!("BLAKE2b-128 (a) = {MD5}")), format!("blake2b-128 {MD5} \"a\""));
        assert_eq!(one(&format!("SHA2-256(a)= {MD5}{MD5}")), format!("sha256 {MD5}{MD5} \"a\""));
        assert_eq!(one(&format!("SHA256 (a) = {MD5}")), "bad");
        assert_eq!(one(&format!("BLAKE2b (a) = {MD5}")), "bad");
        assert_eq!(one(&format!("MD5        (name) = {MD5}")), want);
        assert_eq!(one(&format!("MD5 (a) {MD5}")), "bad");
        assert_eq!(one(&format!("MD5 (a = {MD5}")), "bad");
        assert_eq!(one(&format!("MD5 (a) = {MD5} ")), "bad");
    }

    #[test]
    fn nothing_and_nonsense() {
        assert_eq!(one(""), "nothing");
        assert_eq!(one("\r"), "nothing");
        assert_eq!(one("# anything"), "nothing");
        assert_eq!(one("  \t "), "nothing");
        assert_eq!(one("; of SFV"), "nothing");
        for line in ["x", "-----BEGIN PGP SIGNED MESSAGE-----", "Hash: SHA256", "Everything (all) is fine"] {
            assert_eq!(one(line), "text", "{line:?}");
        }
        for line in [MD5, "5d41402abc4b2a76b9719d911017c592 ", "\t5D41402abc4b2a76b9719d911017c592  \r"] {
            assert_eq!(one(line), "lone", "{line:?}");
        }
        for line in [
            "5d41402abc4b2a76b9719d911017c59  odd",
            "5d41402abc4b2a76b9719d911017c59g  name",
            "\\5d41402abc4b2a76b9719d911017c592",
            "5d41402abc4b2a76b9719d911017c592  a\0b",
            "\\5d41402abc4b2a76b9719d911017c592  a\\b",
            "\\5d41402abc4b2a76b9719d911017c592  a\\",
            "XUFAKrxLKna5cZ2REBfFkg=  name",
            "XUFAKrxLKna5cZ2REBfFkh==  name",
        ] {
            assert_eq!(one(line), "bad", "{line:?}");
        }
    }

    #[test]
    fn the_first_line_fixes_the_mode() {
        let mut p = parser("list");
        assert_eq!(show(p.line(format!("{MD5} a").as_bytes())), format!("md5 {MD5} \"a\""));
        assert_eq!(show(p.line(format!("{MD5}  a").as_bytes())), format!("md5 {MD5} \" a\""));
        let mut p = parser("list");
        assert_eq!(show(p.line(format!("{MD5}  a").as_bytes())), format!("md5 {MD5} \"a\""));
        assert_eq!(show(p.line(format!("{MD5} a").as_bytes())), "bad");
    }

    #[test]
    fn the_algorithm_is_found() {
        let name = |list: &str, hex: usize| match parser(list).line(format!("{}  f", "ab".repeat(hex / 2)).as_bytes()) {
            Item::Entry(e) => match e.stated[0].algorithm() {
                Some(a) => a.name().into_owned(),
                None => format!("{} bytes", e.stated[0].digest.as_bytes().len()),
            },
            other => format!("{other:?}"),
        };
        for n in [8, 16, 32, 40, 56, 64, 96, 128] {
            assert_eq!(name("list", n), format!("{} bytes", n / 2));
        }
        assert_eq!(name("b2sums", 128), "blake2b-512");
        assert_eq!(name("b2sums", 64), "blake2b-256");
        assert_eq!(name("dir/B2SUMS.txt", 128), "blake2b-512");
        assert_eq!(name("x.b3", 64), "blake3");
        assert_eq!(name("x.iso.sha3-256", 64), "sha3-256");
        assert_eq!(name("SHA3-512SUMS", 128), "sha3-512");
        assert_eq!(name("x.crc32c", 8), "crc32c");
        assert_eq!(name("x.xxh128", 32), "xxh128");
        // The algorithm suggested by the name has no digests of this length.
        assert_eq!(name("x.md5", 64), "32 bytes");
        assert_eq!(one("XXH3_ef46db3751d8e999  f"), "xxh3 ef46db3751d8e999 \"f\"");

        let mut told = given("blake3", "x.sha256");
        assert_eq!(show(told.line(format!("{MD5}{MD5}  f").as_bytes())), format!("blake3 {MD5}{MD5} \"f\""));
        let other = told.line(format!("SHA256 (f) = {MD5}{MD5}").as_bytes());
        assert_eq!(other, Item::Bad(Fault::OtherAlgorithm));
        let mut told = given("md5", "x");
        assert_eq!(show(told.line(format!("{SHA1}  f").as_bytes())), "bad");
        let mut told = given("blake2b", "x");
        assert_eq!(show(told.line(format!("{SHA1}  f").as_bytes())), format!("blake2b-160 {SHA1} \"f\""));
    }

    #[test]
    fn marks_of_teracopy() {
        assert_eq!(one(&format!("{SHA1} ?SHA1*dir\\a b")), format!("sha1 {SHA1} \"dir\\\\a b\""));
        assert_eq!(one(&format!("{MD5} ?MD5*a*b\r")), format!("md5 {MD5} \"a*b\""));
        assert_eq!(one(&format!("{MD5} ?SHA1*a")), "bad");
        let unknown = parser("x").line(format!("{MD5} ?BLAKE2sp*a").as_bytes());
        assert_eq!(unknown, Item::Bad(Fault::NoSuchAlgorithm("BLAKE2sp".into())));
        let mut told = given("md5", "x");
        assert_eq!(told.line(format!("{SHA1} ?SHA1*a").as_bytes()), Item::Bad(Fault::OtherAlgorithm));
        // Names with these characters.
        assert_eq!(one(&format!("{MD5}  ?SHA1*a")), format!("md5 {MD5} \"?SHA1*a\""));
        assert_eq!(one(&format!("{MD5} *?SHA1*a")), format!("md5 {MD5} \"?SHA1*a\""));
        assert_eq!(one(&format!("{MD5} ?a b*c")), format!("md5 {MD5} \"?a b*c\""));
        let mut reversed = parser("x");
        reversed.line(format!("{MD5} a").as_bytes());
        assert_eq!(show(reversed.line(format!("{MD5} ?SHA1*a").as_bytes())), format!("md5 {MD5} \"?SHA1*a\""));
    }

    #[test]
    fn names_of_lists_with_one_digest() {
        let named = |list: &str| named_by(Path::new(list)).map(|p| p.to_str().unwrap().to_string());
        for suffix in
            ["sha256", "MD5", "b3", "blake3", "b2", "xxh64", "sha256sum", "sha512sums", "sha3-256", "sha256.txt", "sum"]
        {
            assert_eq!(named(&format!("dl/x.iso.{suffix}")).as_deref(), Some("dl/x.iso"), "{suffix}");
        }
        for list in ["-", "x", "x.iso", "SHA256SUMS", "SHA256SUMS.txt", "x.txt", ".sha256", "x.sha256.asc", ""] {
            assert_eq!(named(list), None, "{list}");
        }
    }
}
