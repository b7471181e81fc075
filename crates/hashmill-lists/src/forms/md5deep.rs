//! `      1234  hex  name`, `hex,name`, `hex 2026:11:28:12:00:00  name`: the programs md5deep, sha1deep, sha256deep,
//! tigerdeep and whirlpooldeep with -z (lengths), -c (commas) and -t (times). Without these, they write `hex  name`.
//! The time is that of the last change of status (ctime), which is not kept.

use super::gnu::untagged;
use super::hashdeep::is_piece;
use super::{Base, Form, Format, Lines, doubtful};
use crate::base::digits::is_hex;
use crate::base::entry::{Entry, Item, Stated};
use crate::base::fault::Fault;

pub(crate) const FORM: Form = Form {
    name: "md5deep",
    what: "`size  hex  name`, `hex,name`",
    programs: "md5deep, sha1deep, sha256deep, tigerdeep, whirlpooldeep (-z, -c, -t)",
    writes: false,
    lines: true,
    algorithms: "MD5, SHA-1, SHA-256, Tiger, Whirlpool, not named",
    several: false,
    sizes: true,
    times: false,
    cannot: "with line breaks",
    base: Base::Current,
    format: &Md5deep,
};

struct Md5deep;

/// Lengths of the digests in hexadecimal digits.
const LENGTHS: [usize; 5] = [32, 40, 48, 64, 128];

/// Width of the column of lengths.
const WIDTH: usize = 10;

impl Format for Md5deep {
    fn line(&self, line: &[u8], lines: &mut Lines) -> Option<Result<Item, Fault>> {
        let (size, rest) = size(line);
        let end = rest.iter().take(129).position(|b| !b.is_ascii_hexdigit()).unwrap_or(rest.len().min(129));
        let (digits, rest) = rest.split_at(end);
        // With a length before it, what is nearly a digest is a damaged one.
        let other = || size.filter(|_| digits.len() >= 8).map(|_| Err(Fault::Malformed));
        if !LENGTHS.contains(&digits.len()) || !is_hex(digits) {
            return other();
        }
        let comma = rest.starts_with(b",");
        let name = match rest {
            [] if size.is_some() => None,
            [b',', rest @ ..] => Some(timed(rest, b",").unwrap_or(rest)),
            [b' ', rest @ ..] => match (timed(rest, b" "), size) {
                (Some([b' ' | b'*', name @ ..]), _) => Some(name),
                (_, Some(_)) => match rest {
                    [b' ' | b'*', name @ ..] => Some(name),
                    _ => return other(),
                },
                _ => return None,
            },
            _ => return other(),
        };
        let Some((algorithm, digest)) = untagged(lines, digits) else { return Some(Err(doubtful(digits))) };
        Some(match name {
            None => Ok(Item::Lone(Stated::new(algorithm, digest))),
            Some([]) => Err(Fault::Malformed),
            // Elsewhere, such a line is one of any program, and names a file.
            Some(name) if comma && is_piece(name, None) => {
                Err(Fault::Said("the digest of a part of a file, which is not verified".into()))
            }
            Some(name) => Ok(Item::Entry(Entry { size, ..Entry::new(name.to_vec(), algorithm, digest) })),
        })
    }
}

/// Splits a line into the length in its column, if it has one, and the rest.
pub(super) fn size(line: &[u8]) -> (Option<u64>, &[u8]) {
    let parsed = || {
        let blanks = line.iter().take(WIDTH).take_while(|&&b| b == b' ').count();
        let digits = line.iter().skip(blanks).take_while(|b| b.is_ascii_digit()).count();
        let end = blanks + digits;
        let right = end == WIDTH || blanks == 0 && end > WIDTH;
        let size = super::number(&line[blanks..end]).filter(|_| right)?;
        let rest = &line[end..];
        Some((size, rest.strip_prefix(b"  ").or_else(|| rest.strip_prefix(b", "))?))
    };
    parsed().map_or((None, line), |(size, rest)| (Some(size), rest))
}

/// Returns what follows a time and what separates it.
fn timed<'l>(text: &'l [u8], separator: &[u8]) -> Option<&'l [u8]> {
    let (time, rest) = text.split_at_checked(19)?;
    let right = time.iter().enumerate().all(|(i, &b)| match i {
        4 | 7 | 10 | 13 | 16 => b == b':',
        _ => b.is_ascii_digit(),
    });
    if right { rest.strip_prefix(separator) } else { None }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{attack, read};

    const MD5: &str = "a5e54d1fd7bb69a228ef0dcd2431367e";

    /// As md5deep 4.4 writes them.
    #[test]
    fn real_lines() {
        let want = [format!("1 com,ma  x 5 ?={MD5}")];
        for line in [
            format!("         5  {MD5}  com,ma  x\n"),
            format!("         5  {MD5} *com,ma  x\n"),
            format!("         5, {MD5},com,ma  x\n"),
            format!("         5  {MD5} 2026:11:28:13:15:51  com,ma  x\n"),
            format!("         5, {MD5},2026:11:28:13:15:51,com,ma  x\r\n"),
            format!("         5  {}  com,ma  x\0", MD5.to_uppercase()),
        ] {
            assert_eq!(read(&line, "list").lines, want, "{line}");
            // Without its beginning, it is a line of another form.
            let far = attack(line, "list");
            assert!(far.iter().all(|(_, e)| e.name.trim_ascii_end().ends_with(b"com,ma  x")), "{far:?}");
        }
        for line in [
            format!("{MD5},com,ma  x\n"),
            format!("{MD5} 2026:11:28:13:15:51  com,ma  x\n"),
            format!("{MD5},2026:11:28:13:15:51,com,ma  x\n"),
        ] {
            assert_eq!(read(&line, "list").lines, [format!("1 com,ma  x ?={MD5}")], "{line}");
        }
        assert_eq!(read(format!("12345678901  {MD5}  a\n"), "list").lines, [format!("1 a 12345678901 ?={MD5}")]);
        assert_eq!(read(format!("  12345678  {MD5}  a\n"), "list").lines, [format!("1 a 12345678 ?={MD5}")]);
        assert_eq!(read(format!("         5  {MD5}\n"), "list").lines, [format!("1 lone ?={MD5}")]);
        assert_eq!(
            read(format!("{MD5},a offset 0-2\n"), "list").lines,
            ["1 bad: the digest of a part of a file, which is not verified"]
        );
    }

    #[test]
    fn algorithms() {
        assert_eq!(read(format!("{MD5}01234567,a\n"), "sha1deep.txt").lines, [format!("1 a SHA1={MD5}01234567")]);
        assert_eq!(
            read(format!("         5  {MD5}{MD5}  a\n"), "x.sha256").lines,
            [format!("1 a 5 SHA256={MD5}{MD5}")]
        );
        assert_eq!(read(format!("{MD5},a\n"), "x.md5").lines, [format!("1 a MD5={MD5}")]);
    }

    #[test]
    fn other_forms_are_left_alone() {
        assert_eq!(read(format!("{MD5}  a,b\n"), "list").lines, [format!("1 a,b ?={MD5}")]);
        assert_eq!(read(format!("{MD5} a\n"), "list").lines, [format!("1 a ?={MD5}")]);
        assert_eq!(
            read(format!("{MD5}  2026:11:28:13:15:51  a\n"), "list").lines,
            [format!("1 2026:11:28:13:15:51  a ?={MD5}")]
        );
        for line in [format!("{MD5},\n"), format!("         5  {MD5}0  a\n"), format!("         5  {MD5}-a\n")] {
            assert_eq!(read(&line, "list").lines, ["1 bad: checksum line not understood"], "{line}");
        }
    }
}
