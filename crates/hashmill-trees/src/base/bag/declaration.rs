//! `bagit.txt`: which version of BagIt a bag is of, and in which encoding its tag files are.

use super::encoding::Encoding;
use super::flaw::{Flaw, FlawKind};
use super::tags::{TagLine, line};

/// The name of the file that makes a folder a bag.
pub(crate) const DECLARATION: &str = "bagit.txt";

/// The declaration of new bags.
pub(crate) const NEW: &str = "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n";

/// A version of BagIt: the numbers before and after the dot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version(u32, u32);

impl Version {
    pub(crate) const V1: Version = Version(1, 0);

    fn parse(text: &str) -> Option<Version> {
        let (major, minor) = text.split_once('.')?;
        let number = |text: &str| text.parse().ok().filter(|_| text.bytes().all(|b| b.is_ascii_digit()));
        Some(Version(number(major)?, number(minor)?))
    }

    /// Returns whether the version is one that bags are of.
    fn is_known(self) -> bool {
        self >= Version(0, 93) && self < Version(2, 0)
    }

    /// Returns the name of the tag file with the bag's metadata.
    pub(crate) fn info(self) -> &'static str {
        if self <= Version(0, 95) { "package-info.txt" } else { "bag-info.txt" }
    }

    /// Returns whether the rules of RFC 8493 apply, which are stricter than those of the drafts.
    pub(crate) fn is_final(self) -> bool {
        self >= Version::V1
    }
}

/// What a bag declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Declaration {
    pub(crate) version: Version,
    pub(crate) encoding: Encoding,
}

/// Returns what a bag declares, and passes on what is wrong with that. Returns `None` if it cannot be used.
pub(crate) fn declared(text: &[u8], tell: &mut dyn FnMut(Flaw)) -> Option<Declaration> {
    let malformed = |what: String| Flaw::new(FlawKind::Malformed, DECLARATION, what);
    let text = match text.strip_prefix(b"\xef\xbb\xbf") {
        Some(rest) => {
            tell(malformed("begins with a byte order mark".into()));
            rest
        }
        None => text,
    };
    let Ok(text) = std::str::from_utf8(text) else {
        tell(malformed("is not in UTF-8".into()));
        return None;
    };
    let (mut tags, mut is_spaced) = (Vec::new(), false);
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    for (number, text) in (1..).zip(text.lines()) {
        match line(text, !tags.is_empty()) {
            TagLine::Blank => {}
            TagLine::Tag { label, value, is_spaced: spaced } => {
                is_spaced |= spaced;
                tags.push((label, value));
            }
            TagLine::More(_) | TagLine::Malformed => {
                tell(malformed("a line is no tag".into()).at(number));
                return None;
            }
        }
    }
    let mut of = |label: &str| {
        let mut values = tags.iter().filter(|(l, _)| l.eq_ignore_ascii_case(label)).map(|(_, v)| *v);
        match (values.next(), values.next()) {
            (Some(value), None) => Some(value),
            (None, _) => {
                tell(malformed(format!("the tag {label} is missing")));
                None
            }
            _ => {
                tell(malformed(format!("the tag {label} is there twice")));
                None
            }
        }
    };
    let (version, encoding) = (of("BagIt-Version")?, of("Tag-File-Character-Encoding")?);
    let Some(version) = Version::parse(version) else {
        tell(malformed(format!("'{}' is no version such as 1.0", version)));
        return None;
    };
    if !version.is_known() {
        let Version(major, minor) = version;
        tell(malformed(format!("the version {major}.{minor} is not one from 0.93 to 1.0")));
        return None;
    }
    let Some(encoding) = Encoding::named(encoding) else {
        let what = format!("tag files in '{}' are not read here", encoding);
        tell(Flaw::new(FlawKind::NotChecked, DECLARATION, what));
        return None;
    };
    if version.is_final() && is_spaced {
        tell(malformed("has blanks before a colon, which version 1.0 does not allow".into()));
    }
    if version.is_final() && (tags.len() != 2 || !tags[0].0.eq_ignore_ascii_case("BagIt-Version")) {
        tell(malformed("has more than the version and then the encoding, which is all that 1.0 allows".into()));
    }
    Some(Declaration { version, encoding })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &[u8]) -> (Option<Declaration>, Vec<String>) {
        let mut flaws = Vec::new();
        let declaration = declared(text, &mut |flaw| flaws.push(flaw.what));
        (declaration, flaws)
    }

    #[test]
    fn declarations() {
        let want = Declaration { version: Version::V1, encoding: Encoding::Utf8 };
        assert_eq!(of(NEW.as_bytes()), (Some(want), vec![]));
        for end in ["\r\n", "\r"] {
            assert_eq!(of(NEW.replace('\n', end).as_bytes()), (Some(want), vec![]));
        }
        assert_eq!(of(NEW.trim_end().as_bytes()), (Some(want), vec![]));
        let tags = |version: &str| format!("BagIt-Version : {version}\nTag-File-Character-Encoding:  latin-1 \nX: y\n");
        let (old, flaws) = of(tags("0.97").as_bytes());
        assert_eq!((old.map(|d| d.encoding), flaws), (Some(Encoding::Latin1), vec![]));
        let (new, flaws) = of(tags("1.0").as_bytes());
        assert!(new.is_some() && flaws.len() == 2, "{flaws:?}");
        for (text, want) in [
            ("", "the tag BagIt-Version is missing"),
            ("BagIt-Version: 0.97\n", "the tag Tag-File-Character-Encoding is missing"),
            ("BagIt-Version: 0.97\nBagIt-Version: 0.97\n", "the tag BagIt-Version is there twice"),
            ("x\n", "a line is no tag"),
            ("BagIt-Version: .97\nTag-File-Character-Encoding: UTF-8\n", "'.97' is no version such as 1.0"),
            (
                "BagIt-Version: 0.92\nTag-File-Character-Encoding: UTF-8\n",
                "the version 0.92 is not one from 0.93 to 1.0",
            ),
            ("BagIt-Version: 2.0\nTag-File-Character-Encoding: UTF-8\n", "the version 2.0 is not one from 0.93 to 1.0"),
            ("BagIt-Version: 1.0\nTag-File-Character-Encoding: EBCDIC\n", "tag files in 'EBCDIC' are not read here"),
        ] {
            assert_eq!(of(text.as_bytes()), (None, vec![want.to_string()]), "{text:?}");
        }
        assert_eq!(of(b"\xff").1, ["is not in UTF-8"]);
        let marked = [b"\xef\xbb\xbf", NEW.as_bytes()].concat();
        assert_eq!(of(&marked), (Some(want), vec!["begins with a byte order mark".to_string()]));
    }

    #[test]
    fn versions() {
        let of = |text| Version::parse(text).unwrap();
        assert!(of("0.93") < of("0.97") && of("0.97") < of("1.0") && of("0.9") < of("0.93"));
        assert_eq!((of("0.95").info(), of("0.96").info()), ("package-info.txt", "bag-info.txt"));
        for text in ["1", "1.", ".1", "1.0.0", "a.b", "+1.0", " 1.0"] {
            assert_eq!(Version::parse(text), None, "{text}");
        }
    }
}
