//! What `certutil -hashfile` of Windows says, once or several times: `SHA256 hash of name:`, the digest on the next
//! line, and `CertUtil: -hashfile command completed successfully.` The words are in the language of the system and, if
//! they were not written by PowerShell or with `-Unicode`, in its old encoding.

use super::gnu::{fitting, looks_like_a_checksum};
use super::{Base, End, Form, Format, How, Sink, doubtful, outside};
use crate::base::digits::from_hex;
use crate::base::entry::{Entry, Item, Stated};
use crate::base::fault::Fault;
use crate::base::tag::algorithm_of_tag;
use crate::text::source::{Next, Source};
use hashmill::Digest;
use std::path::Path;

pub(crate) const FORM: Form = Form {
    name: "certutil",
    what: "`SHA256 hash of name:`, and the digest on the next line",
    programs: "certutil -hashfile",
    writes: false,
    lines: false,
    algorithms: "any",
    several: false,
    sizes: false,
    times: false,
    cannot: "relative, in a language whose words are not known here; not ASCII, unless written as Unicode",
    base: Base::Current,
    format: &CertUtil,
};

struct CertUtil;

/// Lines among which the first output is to end.
const MAX_BEFORE: usize = 64;

impl Format for CertUtil {
    fn sniff(&self, head: &[u8], _: &Path) -> bool {
        let lines = head.split(|&b| b == b'\n').map(|l| l.trim_ascii_end()).filter(|l| !l.is_empty());
        let lines: Vec<&[u8]> = lines.take(MAX_BEFORE).collect();
        // Without the last line, as some leave it out: `certutil … | find /v "CertUtil"`.
        let two = |i: usize| {
            let digest = lines.get(i + 1).and_then(|line| digest(line));
            digest.is_some_and(|digest| known(lines[i], true).is_some() && is_right(lines[i], &digest))
        };
        let last = |i: usize| is_last(lines[i]) && lines[i].windows(9).any(|w| w == b"-hashfile");
        let Some(end) = (0..lines.len()).find(|&i| two(i) || last(i)) else { return false };
        // What stands before is a prompt or so, but no list of another form.
        let is_whole = last(end) && end > 1 && lines[end - 2].ends_with(b":");
        let before = if is_whole { end - 2 } else { end };
        !lines[..before].iter().any(|line| looks_like_a_checksum(line))
    }

    fn read(&self, mut source: Source<'_>, how: &How<'_>, sink: &mut Sink<'_>) -> Result<(), End> {
        // The line that may name the file, and its number.
        let mut heading: Option<(u64, Vec<u8>)> = None;
        while let Some(next) = source.next()? {
            let (digest, item, text) = match next {
                Next::Line(line) => {
                    let line = line.trim_ascii_end();
                    match digest(line) {
                        Some(digest) => (Some(digest), None, None),
                        None if line.is_empty() => (None, Some(Item::Nothing), None),
                        None if is_last(line) => (None, Some(ending(line)), None),
                        None => (None, None, Some(line.to_vec())),
                    }
                }
                Next::TooLong => (None, Some(Item::Bad(Fault::TooLong)), None),
                Next::Outside(line) => (None, Some(outside(line)), None),
            };
            let number = source.number();
            if let Some(digest) = digest {
                let (number, item) = match heading.take() {
                    Some((number, heading)) => (number, said(&heading, &digest, how)),
                    None => (number, Item::Bad(Fault::NoName)),
                };
                sink.put(number, item)?;
                continue;
            }
            if item != Some(Item::Nothing)
                && let Some((number, heading)) = heading.take()
            {
                sink.put(number, Item::Bad(alone(&heading)))?;
            }
            match (item, text) {
                (Some(item), _) => sink.put(number, item)?,
                (None, text) => heading = text.map(|text| (number, text)),
            }
        }
        heading.map_or(Ok(()), |(number, heading)| sink.put(number, Item::Bad(alone(&heading))))
    }
}

/// Returns whether a line is certutil's last one, or one with an error.
fn is_last(line: &[u8]) -> bool {
    line.starts_with(b"CertUtil:")
}

/// Returns what the last line says.
fn ending(line: &[u8]) -> Item {
    // `-hashfile command FAILED: 0x80070002 (…)`; the next line tells why, but none tells which file it was.
    let failed = line.windows(10).any(|w| w.starts_with(b"0x") && w[2..].iter().all(u8::is_ascii_hexdigit));
    if failed { Item::Bad(Fault::Said("certutil could not read a file".into())) } else { Item::Nothing }
}

/// Returns what is wrong with a line that no digest follows.
fn alone(heading: &[u8]) -> Fault {
    if heading.ends_with(b":") { Fault::Malformed } else { doubtful(heading) }
}

/// A digest, and whether blanks separate its bytes, as before Windows 10.
struct Found {
    digest: Digest,
    spaced: bool,
}

/// Parses a line with nothing but a digest.
fn digest(line: &[u8]) -> Option<Found> {
    let spaced = line.get(2) == Some(&b' ');
    let digest = if spaced {
        let pairs: Vec<&[u8]> = line.split(|&b| b == b' ').take(65).collect();
        pairs.iter().all(|pair| pair.len() == 2).then(|| from_hex(&pairs.concat())).flatten()
    } else {
        from_hex(line)
    };
    digest.filter(|d| matches!(d.as_bytes().len(), 16 | 20 | 32 | 48 | 64)).map(|digest| Found { digest, spaced })
}

/// The words around the algorithm and the name, without the colon.
struct Words {
    before: &'static [u8],
    between: &'static [u8],
    after: &'static [u8],
}

/// The words in those languages in which certutil's output could be found, in UTF-8 and in the encodings of Windows.
const WORDS: [Words; 21] = {
    const fn words(before: &'static [u8], between: &'static [u8], after: &'static [u8]) -> Words {
        Words { before, between, after }
    }
    [
        // English. Before Windows 10, `file` stood before the name.
        words(b"", b" hash of ", b""),
        // German
        words(b"", b"-Hash von ", b""),
        // French, with a blank before the colon
        words(b"Hachage ", b" de ", b""),
        // Spanish and Portuguese
        words(b"", b" hash de ", b""),
        words(b"Hash ", b" de ", b""),
        // Russian: UTF-8, code pages 866 and 1251
        words("Хэш ".as_bytes(), b" ", b""),
        words(b"\x95\xed\xe8 ", b" ", b""),
        words(b"\xd5\xfd\xf8 ", b" ", b""),
        // Japanese, new and old: UTF-8, code page 932
        words(b"", " ハッシュ (対象 ".as_bytes(), b")"),
        words(b"", " ハッシュ (ファイル ".as_bytes(), b")"),
        words(b"", b" \x83n\x83b\x83V\x83\x85 (\x91\xce\x8f\xdb ", b")"),
        words(b"", b" \x83n\x83b\x83V\x83\x85 (\x83t\x83@\x83C\x83\x8b ", b")"),
        // Chinese, new and old: UTF-8, code page 936
        words(b"", " 的 ".as_bytes(), " 哈希".as_bytes()),
        words(b"", " 哈希(文件 ".as_bytes(), b")"),
        words(b"", b" \xb5\xc4 ", b" \xb9\xfe\xcf\xa3"),
        words(b"", b" \xb9\xfe\xcf\xa3(\xce\xc4\xbc\xfe ", b")"),
        // Korean, new and old: UTF-8, code page 949
        words(b"", "의 ".as_bytes(), " 해시".as_bytes()),
        words(b"", " 해시(대상 파일 ".as_bytes(), b")"),
        words(b"", " 해시(파일 ".as_bytes(), b")"),
        words(b"", b"\xc0\xc7 ", b" \xc7\xd8\xbd\xc3"),
        words(b"", b" \xc7\xd8\xbd\xc3(\xb4\xeb\xbb\xf3 \xc6\xc4\xc0\xcf ", b")"),
    ]
};

/// The word that stood before the name in English.
const FILE: &[u8] = b"file ";

/// The algorithms of certutil.
const ALGORITHMS: [&str; 7] = ["MD2", "MD4", "MD5", "SHA1", "SHA256", "SHA384", "SHA512"];

/// Returns the algorithm's name and the file's, if the words of a heading are known.
fn known(heading: &[u8], spaced: bool) -> Option<(&str, &[u8])> {
    let text = heading.strip_suffix(b":")?;
    WORDS.iter().find_map(|words| {
        let rest = text.strip_prefix(words.before)?;
        let length = rest.iter().take_while(|b| b.is_ascii_alphanumeric()).count();
        let (algorithm, rest) = rest.split_at(length);
        let name = rest.strip_prefix(words.between)?.strip_suffix(words.after)?;
        let algorithm = std::str::from_utf8(algorithm).ok().filter(|a| !a.is_empty())?;
        let old_russian = spaced && words.between == b" ";
        (!name.is_empty() && !old_russian).then_some((algorithm, without_blanks(name)))
    })
}

/// Returns a text without the blanks at its end, among them those that do not break, in every encoding of French.
fn without_blanks(text: &[u8]) -> &[u8] {
    let text = text.trim_ascii_end();
    let is_utf8 = std::str::from_utf8(text).is_ok();
    let end = if is_utf8 { text.strip_suffix("\u{a0}".as_bytes()) } else { text.strip_suffix(b"\xa0") };
    end.or_else(|| text.strip_suffix(b"\xff")).unwrap_or(text).trim_ascii_end()
}

/// Returns whether the digest has the length of the algorithm that the heading names.
fn is_right(heading: &[u8], found: &Found) -> bool {
    let algorithm = known(heading, found.spaced).and_then(|(algorithm, _)| algorithm_of_tag(algorithm));
    algorithm.is_some_and(|a| a.digest_len() == found.digest.as_bytes().len())
}

/// Returns what a heading and a digest say.
fn said(heading: &[u8], found: &Found, how: &How<'_>) -> Item {
    let (algorithm, name) = match known(heading, found.spaced) {
        Some((algorithm, name)) => match named(name, found.spaced) {
            Some(name) => (Some(algorithm), name),
            None => {
                return Item::Bad(Fault::Said("cannot tell whether the name begins with \u{201c}file\u{201d}".into()));
            }
        },
        None => match absolute(heading) {
            Some(name) => (word(heading), name),
            None if heading.ends_with(b":") => return Item::Bad(Fault::Said(LANGUAGE.into())),
            None => return Item::Bad(Fault::NoName),
        },
    };
    // Where a character was lost, a question mark stands; neither it nor these can be part of a name on Windows.
    if name.iter().any(|b| b"?*<>|\"\0".contains(b) || b.is_ascii_control()) || std::str::from_utf8(name).is_err() {
        return Item::Bad(Fault::Said(ENCODING.into()));
    }
    let stated = match algorithm {
        Some(algorithm) => match algorithm_of_tag(algorithm) {
            Some(a) if a.digest_len() == found.digest.as_bytes().len() => Stated::new(Some(a), found.digest.clone()),
            Some(_) => return Item::Bad(Fault::Malformed),
            None => return Item::Bad(Fault::NoSuchAlgorithm(algorithm.into())),
        },
        None => {
            let hex = found.digest.to_string();
            let told = how.given.or(how.hint).and_then(|a| fitting(a, hex.as_bytes()));
            match told {
                Some((a, digest)) => Stated::new(Some(a), digest),
                None if how.given.is_some() => return Item::Bad(Fault::Malformed),
                None => Stated::new(None, found.digest.clone()),
            }
        }
    };
    Item::Entry(Entry { name: name.to_vec(), stated: vec![stated], ..Entry::default() })
}

const LANGUAGE: &str = "cannot tell the name from the words around it in this language; give certutil absolute names";
const ENCODING: &str = "the name is in an unknown encoding of Windows; certutil -Unicode writes one that is known";

/// Returns the name without the word that old versions write before it, or `None` if nothing tells whether it is one.
/// Before the digest lost its blanks, that word was always there.
fn named(name: &[u8], spaced: bool) -> Option<&[u8]> {
    match name.strip_prefix(FILE) {
        Some(name) if spaced || is_absolute(name) => Some(name),
        Some(_) => None,
        None => Some(name),
    }
}

/// Returns whether a text begins like a name that no word can begin like.
fn is_absolute(text: &[u8]) -> bool {
    let drive = matches!(text, [drive, b':', b'\\' | b'/', _, ..] if drive.is_ascii_alphabetic());
    drive || [&br"\\"[..], br".\", br"..\"].iter().any(|start| text.starts_with(start) && text.len() > start.len())
}

/// Returns the name in a heading whose words are not known, if it is beyond doubt: it begins with a drive, say, and its
/// last part has no blanks, so that no word follows it.
fn absolute(heading: &[u8]) -> Option<&[u8]> {
    let text = heading.strip_suffix(b":")?;
    let start = (0..text.len()).find(|&i| (i == 0 || b" (".contains(&text[i - 1])) && is_absolute(&text[i..]))?;
    let (before, name) = text.split_at(start);
    let name = without_blanks(name);
    let open = before.iter().filter(|&&b| b == b'(').count() > before.iter().filter(|&&b| b == b')').count();
    let name = if open { name.strip_suffix(b")")? } else { name };
    let last = name.rsplit(|b| br"\/".contains(b)).next()?;
    (!last.is_empty() && last.iter().all(u8::is_ascii_graphic)).then_some(name)
}

/// Returns the algorithm that a heading names in one of its words.
fn word(heading: &[u8]) -> Option<&'static str> {
    let words = || heading.split(|b| !b.is_ascii_alphanumeric());
    let mut found = ALGORITHMS.into_iter().filter(|name| words().any(|w| w == name.as_bytes()));
    // A name may have the one or the other in it.
    found.next().filter(|_| found.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::super::tests;
    use super::*;

    const MD5: &str = "990bffab5b01644cb54add45328fa7a1";

    /// Returns what a list says, with `…` in place of the digest.
    fn read(list: impl AsRef<[u8]>) -> Vec<String> {
        let said = tests::read(list, "list.txt");
        assert_eq!(said.form, Some(&FORM));
        said.lines.iter().map(|line| line.replace(MD5, "…")).collect()
    }

    fn spaced(digest: &str) -> String {
        digest.as_bytes().chunks(2).map(|p| std::str::from_utf8(p).unwrap()).collect::<Vec<_>>().join(" ")
    }

    fn output(heading: &str, digest: &str) -> String {
        format!("{heading}\r\n{digest}\r\nCertUtil: -hashfile command completed successfully.\r\n")
    }

    /// The headings as people have published them.
    #[test]
    fn languages() {
        for (heading, old) in [
            ("MD5 hash of {}:", false),
            ("MD5 hash of file {}:", true),
            ("MD5-Hash von {}:", false),
            ("Hachage MD5 de {} :", false),
            ("Hachage MD5 de {}\u{a0}:", false),
            ("Hachage MD5 de {}:", false),
            ("MD5 hash de {}:", false),
            ("Хэш MD5 {}:", false),
            ("MD5 ハッシュ (対象 {}):", false),
            ("MD5 ハッシュ (ファイル {}):", true),
            ("MD5 的 {} 哈希:", false),
            ("MD5 哈希(文件 {}):", false),
            ("MD5의 {} 해시:", false),
            ("MD5 해시(대상 파일 {}):", true),
        ] {
            for name in [r"D:\a b\c (1).iso", r".\x.deb", "x", "of x y", "파일 é", "von 的 哈希) x", "a:b"] {
                let heading = heading.replace("{}", name);
                let list = output(&heading, &if old { spaced(MD5) } else { MD5.into() });
                let want = format!("1 {} MD5=…", name.as_bytes().escape_ascii());
                assert_eq!(read(list), [want], "{heading}");
            }
        }
        let wide: Vec<u8> = output("MD5 的 é 哈希:", MD5).encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(read([b"\xff\xfe", &wide[..]].concat()), [r"1 \xc3\xa9 MD5=…"]);
    }

    /// In the old encodings, names in ASCII can be read.
    #[test]
    fn encodings() {
        for heading in [
            &b"Hachage MD5 de x y\xff:"[..],
            b"\x95\xed\xe8 MD5 x y:",
            b"\xd5\xfd\xf8 MD5 x y:",
            b"MD5 \x83n\x83b\x83V\x83\x85 (\x91\xce\x8f\xdb x y):",
            b"MD5 \xb5\xc4 x y \xb9\xfe\xcf\xa3:",
            b"MD5\xc0\xc7 x y \xc7\xd8\xbd\xc3:",
        ] {
            let end = format!("\r\n{MD5}\r\nCertUtil: -hashfile \u{2014} .\r\n");
            assert_eq!(read([heading, end.as_bytes()].concat()), ["1 x y MD5=…"], "{}", heading.escape_ascii());
        }
        for name in [&b"b\x84r"[..], b"?.txt", b"a\x07"] {
            let list = [b"MD5-Hash von ", name, b":\n", MD5.as_bytes(), b"\nCertUtil: -hashfile\n"].concat();
            assert_eq!(read(list), [format!("1 bad: {ENCODING}")]);
        }
    }

    #[test]
    fn words_that_are_not_known() {
        let one = |heading: &str| read(output(heading, MD5)).remove(0);
        assert_eq!(one(r"Skrót MD5 pliku C:\a b\x.iso:"), r"1 C:\\a b\\x.iso MD5=…");
        assert_eq!(one(r"MD5 (plik C:\a b\x.iso):"), r"1 C:\\a b\\x.iso MD5=…");
        assert_eq!(one(r"Skrót pliku \\server\x.iso :"), r"1 \\\\server\\x.iso ?=…");
        assert_eq!(one(r"Skrót MD5 .\x(1).iso:"), r"1 .\\x(1).iso MD5=…");
        for doubtful in
            [r"Skrót MD5 x:", r"C:\x MD5 kivonata:", r"Skrót C:\a b:", r"Skrót (C:\x:", r"C:\xの:", r"Skrót C:\x\:"]
        {
            assert_eq!(one(doubtful), format!("1 bad: {LANGUAGE}"), "{doubtful}");
        }
        // A file whose name begins with `file`, or an old version whose digest somebody has put together.
        assert!(one("MD5 hash of file x:").starts_with("1 bad: cannot tell whether"));
        assert_eq!(one(r"MD5 hash of file C:\x y:"), r"1 C:\\x y MD5=…");
        assert_eq!(read(output("Хэш MD5 файла x:", &spaced(MD5))), [format!("1 bad: {LANGUAGE}")]);
    }

    #[test]
    fn lists_of_several() {
        let sha512 = MD5.repeat(4);
        let list = "\r\nC:\\>certutil -hashfile a SHA512\r\n".to_string()
            + &output("SHA512 hash of a:", &sha512)
            + "\r\n"
            + &output("MD5 hash of b:", &MD5.to_uppercase());
        assert_eq!(read(&list), ["2 bad: no checksum line", "3 a SHA512=…………", "7 b MD5=…"]);
        let filtered: String = list.lines().filter(|l| !l.starts_with("CertUtil")).map(|l| format!("{l}\n")).collect();
        assert_eq!(read(filtered), ["2 bad: no checksum line", "3 a SHA512=…………", "6 b MD5=…"]);
        let failed = "CertUtil: -hashfile command FAILED: 0x80070002 (WIN32: 2 ERROR_FILE_NOT_FOUND)\nCertUtil: The system cannot find the file specified.\n";
        assert_eq!(read(failed.to_string() + &list)[0], "1 bad: certutil could not read a file");
        let bad = "bad: checksum line not understood";
        let list = output("MD5 hash of a:", &MD5[1..])
            + &output("SHA1 hash of b:", MD5)
            + &output("", MD5)
            + &output("MD2x hash of c:", MD5)
            + &output("MD5 hash of :", MD5)
            + "MD5 hash of d:\n";
        let want = [
            format!("1 {bad}"),
            format!("2 {bad}"),
            format!("4 {bad}"),
            "8 bad: a digest without the name of its file".into(),
            "10 bad: digest of an unknown algorithm, MD2x".into(),
            format!("13 bad: {LANGUAGE}"),
            format!("16 {bad}"),
        ];
        assert_eq!(read(list), want);
    }

    #[test]
    fn what_is_no_output_of_certutil() {
        let sniff = |head: &str| CertUtil.sniff(head.as_bytes(), Path::new("certutil.txt"));
        let gnu = format!("{MD5}  CertUtil: -hashfile\n");
        for head in [
            "",
            "x:\n",
            &gnu,
            &format!("x:\n{MD5}\n"),
            &format!("{gnu}{}", output("MD5 hash of a:", MD5)),
            &format!("MD5 (a) = {MD5}\n\n{gnu}CertUtil: -hashfile"),
        ] {
            assert!(!sniff(head), "{head:?}");
        }
        assert!(sniff(&output("MD5 hash of a:", MD5)));
    }
}
