//! `hex ?SHA256*name`: TeraCopy, which names the algorithm between `?` and `*`, and separates folders with `\`.

use super::gnu::exactly;
use super::{Base, Form, Format, Lines, doubtful};
use crate::base::entry::{Entry, Item};
use crate::base::fault::Fault;
use crate::base::tag::algorithm_of_tag;

pub(crate) const FORM: Form = Form {
    name: "teracopy",
    what: "`hex ?SHA256*name`",
    programs: "TeraCopy",
    writes: false,
    lines: true,
    algorithms: "any",
    several: true,
    sizes: false,
    times: false,
    cannot: "with line breaks",
    base: Base::Current,
    format: &TeraCopy,
};

struct TeraCopy;

/// Maximum length of the algorithm's name.
const MAX_MARK: usize = 32;

impl Format for TeraCopy {
    fn line(&self, line: &[u8], lines: &mut Lines) -> Option<Result<Item, Fault>> {
        if lines.reversed == Some(true) {
            return None;
        }
        let rest = super::skip_blanks(line);
        let end = memchr::memchr2(b' ', b'\t', rest)?;
        let after = rest[end..].strip_prefix(b" ?")?;
        let star = after.iter().take(MAX_MARK).position(|&b| b == b'*')?;
        let is_word = |b: &u8| b.is_ascii_alphanumeric() || b"-_/".contains(b);
        let tag =
            std::str::from_utf8(&after[..star]).ok().filter(|t| !t.is_empty() && t.bytes().all(|b| is_word(&b)))?;
        let name = Some(&after[star + 1..]).filter(|name| !name.is_empty())?;
        let Some(algorithm) = algorithm_of_tag(tag) else { return Some(Err(Fault::NoSuchAlgorithm(tag.into()))) };
        if lines.is_other(algorithm) {
            return Some(Err(Fault::OtherAlgorithm));
        }
        let entry = exactly(algorithm, &rest[..end]).map(|d| Entry::new(name.to_vec(), Some(algorithm), d));
        Some(entry.map(Item::Entry).ok_or_else(|| doubtful(line)))
    }
}
