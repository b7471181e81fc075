//! The JSON of `rclone lsjson --hash`: an array with an object for every file. It is read one object at a time.
//!
//! Rclone replaces control characters in names by their pictures (U+2400 and following), and puts `‛` (U+201B) before
//! pictures that are part of a name, before itself, and before the two hexadecimal digits of a byte that is not UTF-8.

use super::gnu::exactly;
use super::{Base, End, Form, Format, How, Sink};
use crate::base::digits::bytes_of_hex;
use crate::base::entry::{Entry, Item, Note, Stated};
use crate::base::fault::Fault;
use crate::base::tag::algorithm_of_tag;
use crate::text::lines::filled;
use crate::text::source::Source;
use serde_json::{Map, Value};
use std::path::Path;

pub(crate) const FORM: Form = Form {
    name: "rclone",
    what: "the JSON of `rclone lsjson --hash`",
    programs: "rclone lsjson --hash",
    writes: false,
    lines: false,
    algorithms: "md5, sha1, sha256, crc32, whirlpool, and later ones",
    several: true,
    sizes: true,
    times: true,
    cannot: "not UTF-8, in older versions",
    base: Base::List,
    format: &Rclone,
};

struct Rclone;

/// Maximum length of an object in bytes.
const MAX: usize = 1 << 20;

impl Format for Rclone {
    fn sniff(&self, head: &[u8], _list: &Path) -> bool {
        let has = |key: &[u8]| memchr::memmem::find(head, key).is_some();
        let array = head.trim_ascii_start().strip_prefix(b"[").map(<[u8]>::trim_ascii_start);
        array.is_some_and(|rest| rest.starts_with(b"{")) && has(b"\"Path\"") && has(b"\"IsDir\"")
    }

    fn read(&self, source: Source<'_>, _how: &How<'_>, sink: &mut Sink<'_>) -> Result<(), End> {
        let mut list = source.whole();
        let mut scanner = Scanner::default();
        loop {
            let chunk = filled(&mut list)?;
            if chunk.is_empty() {
                break;
            }
            let used = chunk.len();
            for &b in chunk {
                if let Some((number, item)) = scanner.byte(b) {
                    let wrong = scanner.state == State::Wrong;
                    sink.put(number, item)?;
                    if wrong {
                        return Ok(());
                    }
                }
            }
            list.consume(used);
        }
        if scanner.state == State::After {
            return Ok(());
        }
        sink.put(scanner.lines + 1, Item::Bad(Fault::Said("the list is cut off".into())))
    }
}

/// Where the next byte is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    /// Before the array.
    #[default]
    Before,
    /// Before an object, which may not follow.
    First,
    /// After a comma.
    Next,
    /// In an object.
    Inside,
    /// After an object.
    Between,
    /// After the array.
    After,
    /// Nothing more can be understood.
    Wrong,
}

/// Finds the objects of an array.
#[derive(Debug, Default)]
struct Scanner {
    state: State,
    object: Vec<u8>,
    too_long: bool,
    /// The number of brackets that are open.
    depth: u64,
    in_string: bool,
    escaped: bool,
    /// The number of line ends, and what it was at the object's beginning.
    lines: u64,
    start: u64,
}

impl Scanner {
    /// Takes the next byte. Returns what an object says that it ends, and the number of its first line.
    fn byte(&mut self, b: u8) -> Option<(u64, Item)> {
        self.lines += u64::from(b == b'\n');
        if self.state != State::Inside {
            self.state = match (self.state, b) {
                (state, b' ' | b'\t' | b'\r' | b'\n') => state,
                (State::Before, b'[') => State::First,
                (State::First | State::Next, b'{') => {
                    self.start = self.lines;
                    self.object.clear();
                    self.object.push(b);
                    self.depth = 1;
                    self.too_long = false;
                    State::Inside
                }
                (State::Between, b',') => State::Next,
                (State::First | State::Between, b']') => State::After,
                _ => State::Wrong,
            };
            return (self.state == State::Wrong).then_some((self.lines + 1, Item::Bad(Fault::Malformed)));
        }
        if self.object.len() < MAX {
            self.object.push(b);
        } else {
            self.too_long = true;
        }
        if self.in_string {
            let escaped = std::mem::take(&mut self.escaped);
            match b {
                b'\\' if !escaped => self.escaped = true,
                b'"' if !escaped => self.in_string = false,
                _ => {}
            }
            return None;
        }
        match b {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth -= 1,
            _ => {}
        }
        if self.depth > 0 {
            return None;
        }
        self.state = State::Between;
        let item = if self.too_long { Item::Bad(Fault::TooLong) } else { item(&self.object) };
        Some((self.start + 1, item))
    }
}

/// Returns what an object says.
fn item(object: &[u8]) -> Item {
    entry(object).unwrap_or(Item::Bad(Fault::Malformed))
}

fn entry(object: &[u8]) -> Option<Item> {
    let object: Map<String, Value> = serde_json::from_slice(object).ok()?;
    let name = name(object.get("Path")?.as_str()?);
    if name.is_empty() || name.contains(&0) {
        return None;
    }
    let hashes = match (object.get("IsDir"), object.get("Hashes")) {
        (Some(Value::Bool(true)), _) => return Some(Item::Note(Note::NoDigest)),
        (_, None | Some(Value::Null)) => return Some(Item::Bad(Fault::NoDigest)),
        (None | Some(Value::Bool(false)), Some(Value::Object(hashes))) => hashes,
        _ => return None,
    };
    let mut stated = Vec::new();
    let mut unknown = Vec::new();
    for (tag, value) in hashes {
        let value = value.as_str()?;
        // Where it is stored, there is none of this file.
        if value.is_empty() {
            continue;
        }
        let Some(a) = algorithm_of_tag(tag) else {
            unknown.push(tag.clone());
            continue;
        };
        stated.push(Stated::new(Some(a), exactly(a, value.as_bytes())?));
    }
    let size = match object.get("Size") {
        None => None,
        // An unknown one is negative.
        Some(size) => match size.as_i64() {
            Some(size) => size.try_into().ok(),
            None => Some(size.as_u64()?),
        },
    };
    let mtime = object.get("ModTime").and_then(Value::as_str).and_then(crate::base::time::parse);
    let entry = Entry { name, size, mtime, stated, unknown, ..Entry::default() };
    Some(super::with_digests(entry).unwrap_or_else(Item::Bad))
}

/// Says that what follows is meant as it is, or that it is a byte.
const QUOTE: char = '\u{201b}';

/// Returns the name of a file on disk. No name has control characters on Windows, where the pictures are in the name.
fn name(path: &str) -> Vec<u8> {
    if cfg!(windows) || !path.contains(|c: char| c == QUOTE || picture(c).is_some()) {
        return path.as_bytes().to_vec();
    }
    let mut out = Vec::with_capacity(path.len());
    let put = |out: &mut Vec<u8>, c: char| out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    let mut chars = path.chars();
    while let Some(c) = chars.next() {
        if c != QUOTE {
            match picture(c) {
                Some(b) => out.push(b),
                None => put(&mut out, c),
            }
            continue;
        }
        let rest = chars.as_str();
        let byte = rest.get(..2).and_then(|d| bytes_of_hex(d.as_bytes())).and_then(|b| b.first().copied());
        match (rest.chars().next(), byte) {
            (Some(c), _) if c == QUOTE || matches!(c, '\u{2400}'..='\u{2421}' | '\u{ff0f}' | '\u{ff0e}') => {
                put(&mut out, c);
                chars.next();
            }
            (_, Some(b @ 0x80..)) => {
                out.push(b);
                chars.nth(1);
            }
            _ => put(&mut out, QUOTE),
        }
    }
    out
}

/// Returns the control character that a picture stands for.
fn picture(c: char) -> Option<u8> {
    match c {
        '\u{2401}'..='\u{241f}' => Some((u32::from(c) - 0x2400) as u8),
        '\u{2421}' => Some(0x7f),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{attack, read};
    use super::*;

    /// Of `rclone lsjson --hash -R` 1.60, with some digests taken out.
    const LIST: &str = r#"[
{"Path":" lead trail ","Name":" lead trail ","Size":5,"ModTime":"2023-11-14T22:13:20.500000000Z","IsDir":false,"Hashes":{"md5":"5d41402abc4b2a76b9719d911017c592"}},
{"Path":"back\\slash","Name":"back\\slash","Size":5,"ModTime":"2023-11-14T22:13:20.500000000Z","IsDir":false,"Hashes":{"md5":"5d41402abc4b2a76b9719d911017c592"}},
{"Path":"\"q'","Name":"\"q'","Size":5,"ModTime":"2023-11-14T22:13:20.500000000Z","IsDir":false,"Hashes":{"crc32":"3610a686","dropbox":"9595c9df90075148eb06860365df33584b75bff782a510c6cd4883a419833d50","md5":"5d41402abc4b2a76b9719d911017c592"}},
{"Path":"new␊line","Name":"new␊line","Size":5,"ModTime":"2023-11-14T22:13:20.500000000Z","IsDir":false,"Hashes":{"md5":"5d41402abc4b2a76b9719d911017c592"}},
{"Path":"x‛␍y","Name":"x‛␍y","Size":5,"ModTime":"2023-11-14T22:13:20.500000000+01:00","IsDir":false,"Hashes":{"md5":"5d41402abc4b2a76b9719d911017c592"}},
{"Path":"q‛‛z","Name":"q‛‛z","Size":5,"ModTime":"2023-11-14T22:13:20.500000000Z","IsDir":false},
{"Path":"sub","Name":"sub","Size":-1,"ModTime":"2023-11-14T22:13:20.500000000Z","IsDir":true},
{"Path":"sub/é","Name":"é","Size":-1,"ModTime":"2026-11-28T13:27:58.386505696Z","IsDir":false,"Hashes":{"md5":"5d41402abc4b2a76b9719d911017c592"}}
]
"#;

    #[test]
    fn lists_of_rclone() {
        let said = read(LIST, "list");
        assert_eq!(said.form, Some(&FORM));
        let numbers: Vec<&str> = said.lines.iter().map(|l| l.split(' ').next().unwrap()).collect();
        assert_eq!(numbers, ["2", "3", "4", "4", "5", "6", "7", "8", "9"]);
        assert_eq!(said.lines[2], "4 note: NotKnown(\"dropbox\")");
        assert_eq!(said.lines[6..8], ["7 bad: a file without a digest", "8 note: NoDigest"]);
        let all = said.entries;
        let names: Vec<&[u8]> = all.iter().map(|e| &e.name[..]).collect();
        if !cfg!(windows) {
            let x: &[u8] = "x\u{240d}y".as_bytes();
            assert_eq!(
                names,
                [&b" lead trail "[..], b"back\\slash", b"\"q'", b"new\nline", x, "sub/\u{e9}".as_bytes()]
            );
        }
        assert_eq!((all[0].size, all[0].mtime), (Some(5), Some((1_700_000_000, 500_000_000))));
        assert_eq!((all[5].size, all[4].mtime), (None, Some((1_699_996_400, 500_000_000))));
        assert_eq!(all[2].stated.len(), 2);
        for s in &all[2].stated {
            assert_eq!(s.algorithm().map(|a| a.digest(b"hello")), Some(s.digest.clone()));
        }
        // Any layout.
        let wide = LIST.replace(['\n', ' '], "").replace(',', "\n,\n\t").replace('{', " {\r\n ");
        assert_eq!(read(wide, "list").entries.len(), 6);
    }

    #[test]
    #[cfg(not(windows))]
    fn names() {
        let name = |path: &str| name(path).escape_ascii().to_string();
        assert_eq!(name("a\u{2401}\u{2421}\u{2400}"), r"a\x01\x7f\xe2\x90\x80");
        assert_eq!(name("\u{201b}\u{201b}FF"), r"\xe2\x80\x9bFF");
        assert_eq!(name("\u{201b}FFx\u{201b}0A\u{201b}"), r"\xffx\xe2\x80\x9b0A\xe2\x80\x9b");
        assert_eq!(name("\u{201b}\u{e9}"), r"\xe2\x80\x9b\xc3\xa9");
        assert_eq!(name("\u{ff0f}\u{ff0e}"), r"\xef\xbc\x8f\xef\xbc\x8e");
    }

    #[test]
    fn faulty_objects() {
        let fault = |text: &str| read(format!("[{{\"Path\":\"a\",\"IsDir\":true}}{text}"), "list").faults;
        let cut = Fault::Said("the list is cut off".into());
        assert_eq!(fault("]"), []);
        assert_eq!(fault(",\n"), [(2, cut.clone())]);
        assert_eq!(fault(""), [(1, cut)]);
        for text in ["{}]", ",]", "]x", ",[]]", ",5]"] {
            assert_eq!(fault(text), [(1, Fault::Malformed)], "{text}");
        }
        for object in [
            "{}",
            r#"{"Path":5}"#,
            r#"{"Path":"","Hashes":{}}"#,
            r#"{"Path":"a\u0000","Hashes":{}}"#,
            r#"{"Path":"a","Hashes":[]}"#,
            r#"{"Path":"a","Hashes":{"md5":5}}"#,
            r#"{"Path":"a","Hashes":{"md5":"5d41402abc4b2a76b9719d911017c5"}}"#,
            r#"{"Path":"a","IsDir":1,"Hashes":{"md5":"5d41402abc4b2a76b9719d911017c592"}}"#,
            r#"{"Path":"a","Size":"x","Hashes":{"md5":"5d41402abc4b2a76b9719d911017c592"}}"#,
        ] {
            assert_eq!(fault(&format!(",{object}]")), [(1, Fault::Malformed)], "{object}");
        }
        let dropbox = r#",{"Path":"a","Hashes":{"dropbox":"00","x":""}}]"#;
        assert_eq!(fault(dropbox), [(1, Fault::NoSuchAlgorithm("dropbox".into()))]);
        let long =
            format!(",{{\"Path\":\"{}\"}},{{\"Path\":\"b\",\"Hashes\":{{\"crc32\":\"3610a686\"}}}}]", "a".repeat(MAX));
        assert_eq!(fault(&long), [(1, Fault::TooLong)]);
        assert_eq!(fault(&format!(",{{\"a\":{}}}]", "[".repeat(1 << 19))).len(), 1);
        assert_eq!(fault(&format!(",{{\"a\":{}{}}}]", "[".repeat(1000), "]".repeat(1000))), [(1, Fault::Malformed)]);
    }

    #[test]
    fn damage() {
        let list: String = LIST.lines().take(4).collect::<Vec<_>>().join("\n") + "\n";
        let list =
            list.replace("}},\n{\"Path\":\"\\\"q", "}},{\"Path\":\"\\\"q").trim_end_matches(",\n").to_string() + "]\n";
        assert_eq!(read(&list, "list").entries.len(), 3);
        assert_eq!(attack(list, "list"), []);
    }
}
