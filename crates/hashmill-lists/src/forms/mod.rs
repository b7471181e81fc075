//! The forms, one file each, and their table. A new form is a file here and a row below.

mod b3sum;
pub(crate) mod bagit;
mod bsd;
mod certutil;
mod cfv_crc;
mod cfv_csv;
mod csv;
mod debian;
mod dfxml;
mod gnu;
mod gosum;
mod hashdeep;
mod magnet;
mod md5deep;
pub(crate) mod mhl;
mod mhl1;
mod mtree;
mod ndjson;
mod npm;
mod oci;
mod openssl;
mod pip;
mod posix;
mod powershell;
mod rclone;
mod rhash;
mod sfv;
mod teracopy;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod xxhsum;

use crate::base::entry::{Entry, Item, Line};
use crate::base::fault::Fault;
use crate::base::function::Function;
use crate::base::header::Header;
use crate::text::source::{Next, Source};
use hashmill::Algorithm;
use std::fmt;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// A form of checksum list: a row of the table.
pub struct Form {
    /// The name, as an option takes it: `bsd`.
    pub name: &'static str,
    /// What a line looks like, or what the whole is: `SHA256 (name) = hex`.
    pub what: &'static str,
    /// Programs that write it.
    pub programs: &'static str,
    /// Whether it can be written, too.
    pub writes: bool,
    /// Whether each line stands alone, so that lists can be mixed and continued.
    pub lines: bool,
    /// The algorithms that it can name, in words.
    pub algorithms: &'static str,
    /// Whether a file can have several digests.
    pub several: bool,
    /// Whether it has the files' lengths.
    pub sizes: bool,
    /// Whether it has the times of the files' last modification.
    pub times: bool,
    /// Names that it cannot hold, in words; empty if it can hold all.
    pub cannot: &'static str,
    /// What names are relative to.
    pub base: Base,
    pub(crate) format: &'static dyn Format,
}

impl Form {
    /// Returns the form with this name.
    pub fn named(name: &str) -> Option<&'static Form> {
        FORMS.iter().find(|f| f.name == name)
    }

    /// Returns the folder that names in the list at this path are relative to, unless it is the current one.
    pub fn base_of(&self, list: &Path) -> Option<PathBuf> {
        let folder = list.parent().filter(|folder| !folder.as_os_str().is_empty());
        match self.base {
            Base::Current => None,
            // Names in Debian's Packages and Sources are relative to the archive, whose lists are below `dists`.
            Base::List if self.name == "debian" && names_from_the_root(list) => {
                let dists = folder?.ancestors().find(|above| above.file_name() == Some("dists".as_ref()));
                let root = dists.and_then(Path::parent).filter(|root| !root.as_os_str().is_empty());
                if dists.is_some() { root.map(Path::to_owned) } else { folder.map(Path::to_owned) }
            }
            Base::List => folder.map(Path::to_owned),
            // `ascmhl flatten` writes lists of this form into any folder.
            Base::Above => match std::path::absolute(folder.unwrap_or(Path::new("."))) {
                Ok(whole) if whole.file_name() == Some("ascmhl".as_ref()) => {
                    Some(folder.map_or("..".into(), |folder| folder.join("..")))
                }
                _ => folder.map(Path::to_owned),
            },
        }
    }
}

/// Returns whether a list is one of Debian's `Packages` or `Sources`.
fn names_from_the_root(list: &Path) -> bool {
    let name = list.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    ["Packages", "Sources"].contains(&name.split('.').next().unwrap_or_default())
}

impl PartialEq for Form {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Form {}

impl fmt::Debug for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// What the names in a list are relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// The current folder, as for the programs that write it.
    Current,
    /// The folder that the list is in.
    List,
    /// The folder above the one that the list is in.
    Above,
}

/// The forms, in the order in which they are tried: a form comes after those that are more particular.
pub static FORMS: [Form; 29] = [
    mhl::FORM,
    mhl1::FORM,
    dfxml::FORM,
    bagit::FORM,
    hashdeep::FORM,
    mtree::FORM,
    debian::FORM,
    rclone::FORM,
    npm::FORM,
    pip::FORM,
    powershell::FORM,
    certutil::FORM,
    csv::FORM,
    cfv_crc::FORM,
    cfv_csv::FORM,
    rhash::FORM,
    sfv::FORM,
    magnet::FORM,
    ndjson::FORM,
    openssl::FORM,
    bsd::FORM,
    teracopy::FORM,
    gosum::FORM,
    oci::FORM,
    md5deep::FORM,
    posix::FORM,
    gnu::FORM,
    b3sum::FORM,
    xxhsum::FORM,
];

/// Returns the usual form of a list of these algorithms, written to a file named `list` if that is known. It is the one
/// that the name says (CSV, JSON, SFV), and that of `md5sum` if there is one algorithm and such a program for it writes
/// exactly this; otherwise, and if the list's name suggests a different algorithm, the one that names the algorithm.
pub fn usual_form(functions: &[Function], list: Option<&Path>) -> &'static Form {
    const BARE: [&str; 8] = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b-512", "blake3"];
    let misleads = |a: Algorithm| {
        let told = list.and_then(crate::base::names::suggests);
        told.is_some_and(|t| t != a && t.with_digest_len(a.digest_len()).is_ok())
    };
    if let Some(form) = list.and_then(form_of_name) {
        return form;
    }
    match functions {
        [Function::Hash(Algorithm::CRC32)] if list.is_some_and(sfv::is_named_so) => &sfv::FORM,
        [Function::Hash(a)] if BARE.contains(&&*a.name()) && !misleads(*a) => &gnu::FORM,
        _ => &bsd::FORM,
    }
}

/// Returns what the digests in a list of this name are of if nothing else is said: `manifest-md5.txt`, `SHA256SUMS`,
/// `x.sha512`, `x.sfv`.
pub fn usual_function(list: &Path) -> Option<Function> {
    let sfv = || sfv::is_named_so(list).then_some(Algorithm::CRC32);
    let named = bagit::of_name(list).or_else(|| crate::base::names::suggests(list)).or_else(sfv);
    named.map(Function::Hash).or_else(|| crate::base::names::suggests_composition(list))
}

/// Returns the form that a list of this name has if nothing else is said: `x.csv`, `x.json`.
fn form_of_name(list: &Path) -> Option<&'static Form> {
    let suffix = list.extension()?.to_str()?.to_ascii_lowercase();
    Some(match &*suffix {
        "csv" => &csv::FORM,
        "json" | "jsonl" | "ndjson" => &ndjson::FORM,
        _ => return None,
    })
}

/// The names of those forms that can be written and meet a condition, as the values of an option.
#[cfg(feature = "clap")]
pub fn form_values(condition: fn(&Form) -> bool) -> impl clap::builder::TypedValueParser<Value = &'static Form> {
    use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser as _};
    let values = FORMS.iter().filter(|f| f.writes && condition(f)).map(|f| PossibleValue::new(f.name).help(f.what));
    PossibleValuesParser::new(values).try_map(|name| Form::named(&name).ok_or("not a form"))
}

/// How a form is read and written.
pub(crate) trait Format: Sync {
    /// Reads a line of a list whose lines each stand alone. Returns `None` if the line is not of this form.
    fn line(&self, line: &[u8], lines: &mut Lines) -> Option<Result<Item, Fault>> {
        let _ = (line, lines);
        None
    }

    /// Returns whether a list is of this form, which has to be read as a whole, from the beginning of the list (up to
    /// 64 KiB, without a signature's armour) and the list's name.
    fn sniff(&self, head: &[u8], list: &Path) -> bool {
        let _ = (head, list);
        false
    }

    /// Reads a list that [`Format::sniff`] has recognized.
    fn read(&self, source: Source<'_>, how: &How<'_>, sink: &mut Sink<'_>) -> Result<(), End> {
        lines(source, how, sink)
    }

    /// Returns what writes a list of this form, if it can be written.
    fn writer(&self, header: &Header) -> Option<Box<dyn Write>> {
        let _ = header;
        None
    }
}

/// Writes a list as a stream.
pub(crate) trait Write {
    /// Appends what comes before the entries.
    fn begin(&mut self, out: &mut Vec<u8>) {
        let _ = out;
    }

    /// Appends an entry, or nothing if the form cannot hold it.
    fn entry(&mut self, entry: &Entry, out: &mut Vec<u8>) -> Result<(), Unfit>;

    /// Appends what comes after the entries.
    fn end(&mut self, out: &mut Vec<u8>) {
        let _ = out;
    }
}

/// Why a form cannot hold an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unfit {
    /// The name has characters that the form cannot express.
    #[error("this form cannot hold such a name ({0})")]
    Name(&'static str),
    /// The form has no name for the algorithm.
    #[error("this form has no name for {}", .0.name())]
    Algorithm(Function),
    /// The form must have something that the entry does not.
    #[error("this form needs {0}")]
    Lacks(&'static str),
}

/// Returns an error if a name leads out of the folder that the list is about.
pub(crate) fn within(name: &[u8]) -> Result<(), Unfit> {
    if name.first() == Some(&b'/') {
        return Err(Unfit::Name("absolute path"));
    }
    if name.split(|&b| b == b'/').any(|part| part == b"..") {
        return Err(Unfit::Name("leads out of the folder"));
    }
    Ok(())
}

/// What is known about a list besides its content.
pub(crate) struct How<'a> {
    /// The algorithm of digests that do not name theirs.
    pub(crate) given: Option<Algorithm>,
    /// The algorithm that the list's name suggests.
    pub(crate) hint: Option<Algorithm>,
    /// The list's name.
    pub(crate) list: &'a Path,
}

/// Why reading ends.
pub(crate) enum End {
    Failed(io::Error),
    /// Nobody wants more.
    Enough,
}

impl From<io::Error> for End {
    fn from(e: io::Error) -> Self {
        End::Failed(e)
    }
}

/// Where entries go.
pub(crate) struct Sink<'a> {
    pub(crate) to: &'a mut dyn FnMut(Line) -> ControlFlow<()>,
}

impl Sink<'_> {
    /// Passes on what is on line `number`.
    pub(crate) fn put(&mut self, number: u64, item: Item) -> Result<(), End> {
        match (self.to)(Line { number, item }) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(End::Enough),
        }
    }
}

/// Returns what a list says of a file, unless it has no digest that is known here.
pub(crate) fn with_digests(entry: Entry) -> Result<Item, Fault> {
    if !entry.stated.is_empty() {
        return Ok(Item::Entry(entry));
    }
    Err(entry.unknown.into_iter().next().map_or(Fault::NoDigest, Fault::NoSuchAlgorithm))
}

/// Passes on what `each` makes of every line. A line outside the signed text is refused if `each` would use it, and the
/// last line is cut off if it has no end and is not understood, but lines before it have been entries.
pub(crate) fn by_line(
    mut source: Source<'_>,
    sink: &mut Sink<'_>,
    mut each: impl FnMut(&[u8]) -> Item,
) -> Result<(), End> {
    let mut any = false;
    while let Some(next) = source.next()? {
        let item = match next {
            Next::Line(line) => each(line),
            Next::TooLong => Item::Bad(Fault::TooLong),
            Next::Outside(line) => outside(line),
        };
        any |= matches!(item, Item::Entry(_));
        let is_cut = any && matches!(item, Item::Bad(Fault::Text)) && source.ends_open();
        sink.put(source.number(), if is_cut { Item::Bad(Fault::CutOff) } else { item })?;
    }
    Ok(())
}

/// Returns what to make of a line that lies outside the signed text.
pub(crate) fn outside(line: &[u8]) -> Item {
    let blank = line.trim_ascii().is_empty() || matches!(line.first(), Some(b'#' | b';'));
    if blank { Item::Nothing } else { Item::Bad(Fault::NotSigned) }
}

/// Reads a list of lines that each stand alone, whichever their forms.
pub(crate) fn lines(source: Source<'_>, how: &How<'_>, sink: &mut Sink<'_>) -> Result<(), End> {
    let mut lines = Lines::new(how.given, how.hint, source.is_zero());
    lines_with(source, &mut lines, sink)
}

/// Does the same, and leaves behind how the lines looked.
pub(crate) fn lines_with(source: Source<'_>, lines: &mut Lines, sink: &mut Sink<'_>) -> Result<(), End> {
    by_line(source, sink, |line| lines.line(line))
}

/// A form, and the rest of how lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// The form.
    pub form: &'static Form,
    /// Lines end with NUL, and nothing in names is escaped.
    pub zero: bool,
    /// Names are marked as those of binary files.
    pub binary: bool,
}

/// What lines that each stand alone have in common.
#[derive(Debug, Clone)]
pub(crate) struct Lines {
    pub(crate) given: Option<Algorithm>,
    pub(crate) hint: Option<Algorithm>,
    /// Lines end with NUL, and names are not escaped.
    pub(crate) zero: bool,
    /// Whether the list has a single blank between digest and name (BSD's `md5 -r`), which the first untagged line
    /// decides. If both forms could be mixed, a name that begins with a blank could be mistaken for one that does not.
    pub(crate) reversed: Option<bool>,
    /// The form of the last line that was understood.
    pub(crate) form: Option<&'static Form>,
    /// Whether the last untagged line marked its name with `*`.
    pub(crate) binary: bool,
    /// The last tag, and what it means, since most lines have the same.
    tag: (Vec<u8>, Option<Function>),
}

impl Lines {
    pub(crate) fn new(given: Option<Algorithm>, hint: Option<Algorithm>, zero: bool) -> Self {
        Lines { given, hint, zero, reversed: None, form: None, binary: false, tag: (Vec::new(), None) }
    }

    /// Returns how the last line looked that was understood.
    pub(crate) fn style(&self) -> Option<Style> {
        self.form.map(|form| Style { form, zero: self.zero, binary: self.binary })
    }

    /// Returns the meaning of a line, given without its terminator.
    pub(crate) fn line(&mut self, line: &[u8]) -> Item {
        if matches!(line.first(), Some(b'#' | b';')) {
            return Item::Nothing;
        }
        let line = if self.zero { line } else { line.strip_suffix(b"\r").unwrap_or(line) };
        if line.iter().all(|&b| is_blank(b)) {
            return Item::Nothing;
        }
        if memchr::memchr(0, line).is_some() {
            return Item::Bad(doubtful(line));
        }
        for form in FORMS.iter().filter(|form| form.lines) {
            match form.format.line(line, self) {
                None => {}
                Some(Ok(item)) => {
                    self.form = Some(form);
                    return item;
                }
                Some(Err(fault)) => return Item::Bad(fault),
            }
        }
        Item::Bad(doubtful(line))
    }

    /// Returns what a tag names.
    pub(crate) fn tagged(&mut self, tag: &[u8]) -> Option<Function> {
        if self.tag.0 != tag {
            self.tag = (tag.to_vec(), std::str::from_utf8(tag).ok().and_then(Function::named));
        }
        self.tag.1
    }

    /// Returns whether digests of this function are not wanted, since another one is given.
    pub(crate) fn is_other(&self, function: impl Into<Function>) -> bool {
        let function: Function = function.into();
        self.given.is_some_and(|g| function.plain().is_none_or(|a| g.base_name() != a.base_name()))
    }
}

/// Returns what is wrong with a line that is of no form.
pub(crate) fn doubtful(line: &[u8]) -> Fault {
    if gnu::looks_like_a_checksum(line) { Fault::Malformed } else { Fault::Text }
}

pub(crate) fn is_blank(b: u8) -> bool {
    matches!(b, b' ' | b'\t')
}

pub(crate) fn skip_blanks(s: &[u8]) -> &[u8] {
    &s[s.iter().position(|&b| !is_blank(b)).unwrap_or(s.len())..]
}

pub(crate) fn trim_end(s: &[u8]) -> &[u8] {
    &s[..s.iter().rposition(|&b| !is_blank(b)).map_or(0, |i| i + 1)]
}

/// Parses a decimal number that has digits only.
pub(crate) fn number(text: &[u8]) -> Option<u64> {
    let right = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(text).ok().filter(|_| right)?.parse().ok()
}

/// Returns the lines at the beginning of a list, up to where it is cut off, that are not blank and do not begin with
/// any of the characters `comments`.
pub(crate) fn entry_lines<'l>(head: &'l [u8], comments: &'l [u8]) -> impl Iterator<Item = &'l [u8]> {
    let end = if memchr::memchr(0, head).is_some() { 0 } else { b'\n' };
    // What follows the last line's end may be the beginning of a line only.
    let whole = memchr::memrchr(end, head).map_or(head, |at| &head[..at]);
    let lines = whole.split(move |&b| b == end).map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    lines.filter(move |l| !l.iter().all(|&b| is_blank(b)) && !l.first().is_some_and(|b| comments.contains(b)))
}

/// Returns whether a line is one of `cksum` or `sum`: two numbers and a name.
pub(crate) fn is_cksum(line: &[u8]) -> bool {
    let mut words = line.split(|&b| is_blank(b)).filter(|w| !w.is_empty());
    let mut decimal = || words.next().is_some_and(|w| w.iter().all(u8::is_ascii_digit));
    decimal() && decimal() && words.next().is_some()
}
