//! `SHA2-256(name)= hex`: `openssl dgst` since version 3.0. Versions before it write `SHA256(name)= hex`, and both have
//! `HMAC-SHA2-256(name)= hex` with a key. Names are not escaped, so that a line break ends the line.

use super::{Base, Form, Format, Lines, Unfit, Write, bsd};
use crate::base::digits::Digits;
use crate::base::entry::{Entry, Item};
use crate::base::fault::Fault;
use crate::base::function::Function;
use crate::base::header::Header;
use hashmill::Algorithm;

pub(crate) const FORM: Form = Form {
    name: "openssl",
    what: "`SHA2-256(name)= hex`",
    programs: "openssl dgst",
    writes: true,
    lines: true,
    algorithms: "those of OpenSSL",
    several: true,
    sizes: false,
    times: false,
    cannot: "with line breaks",
    base: Base::Current,
    format: &OpenSsl,
};

struct OpenSsl;

impl Format for OpenSsl {
    fn line(&self, line: &[u8], lines: &mut Lines) -> Option<Result<Item, Fault>> {
        let line = super::skip_blanks(line);
        let open = memchr::memchr(b'(', line)?;
        let close = memchr::memrchr(b')', line)?;
        let tight = open > 0 && !super::is_blank(line[open - 1]) && line[close..].starts_with(b")= ");
        if !tight || line.first() == Some(&b'\\') {
            return None;
        }
        bsd::tagged(line, lines)
    }

    fn writer(&self, header: &Header) -> Option<Box<dyn Write>> {
        Some(Box::new(Writer { end: if header.zero { 0 } else { b'\n' } }))
    }
}

/// The names that OpenSSL 3 prints, and the algorithms.
const NAMES: [(&str, &str); 27] = [
    ("md4", "MD4"),
    ("md5", "MD5"),
    ("sha1", "SHA1"),
    ("sha224", "SHA2-224"),
    ("sha256", "SHA2-256"),
    ("sha384", "SHA2-384"),
    ("sha512", "SHA2-512"),
    ("sha512-224", "SHA2-512/224"),
    ("sha512-256", "SHA2-512/256"),
    ("sha3-224", "SHA3-224"),
    ("sha3-256", "SHA3-256"),
    ("sha3-384", "SHA3-384"),
    ("sha3-512", "SHA3-512"),
    ("keccak224", "KECCAK-224"),
    ("keccak256", "KECCAK-256"),
    ("keccak384", "KECCAK-384"),
    ("keccak512", "KECCAK-512"),
    ("shake128", "SHAKE-128"),
    ("shake128:16", "SHAKE-128"),
    ("shake256", "SHAKE-256"),
    ("shake256:32", "SHAKE-256"),
    ("blake2b-512", "BLAKE2B-512"),
    ("blake2s-256", "BLAKE2S-256"),
    ("ripemd160", "RIPEMD-160"),
    ("whirlpool", "WHIRLPOOL"),
    ("sm3", "SM3"),
    ("md2", "MD2"),
];

fn named(a: Algorithm) -> Result<&'static str, Unfit> {
    let name = a.name();
    NAMES.iter().find(|(ours, _)| name == *ours).map(|(_, theirs)| *theirs).ok_or(Unfit::Algorithm(a.into()))
}

struct Writer {
    end: u8,
}

impl Write for Writer {
    fn entry(&mut self, entry: &Entry, out: &mut Vec<u8>) -> Result<(), Unfit> {
        if self.end != 0 && memchr::memchr2(b'\n', 0, &entry.name).is_some() {
            return Err(Unfit::Name("with a line break"));
        }
        for stated in &entry.stated {
            let (prefix, a) = match stated.function {
                Some(Function::Hash(a)) => ("", a),
                Some(Function::Hmac(a)) => ("HMAC-", a),
                Some(function) => return Err(Unfit::Algorithm(function)),
                None => return Err(Unfit::Lacks("the algorithm's name")),
            };
            out.extend_from_slice(prefix.as_bytes());
            out.extend_from_slice(named(a)?.as_bytes());
            out.push(b'(');
            out.extend_from_slice(&entry.name);
            out.extend_from_slice(b")= ");
            Digits::Hex.put(out, stated.digest.as_bytes());
            out.push(self.end);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Written, attack, header, names, read, write};
    use super::*;
    use crate::base::entry::Stated;

    /// Of OpenSSL 3.0.19, the last two of 1.1.1.
    const LIST: &str = r"SHA2-256(d/c) = d)= 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824
SHA2-256(d/back\slash)= 2c:f2:4d:ba:5f:b0:a3:0e:26:e8:3b:2a:c5:b9:e2:9e:1b:16:1e:5c:1f:a7:42:5e:73:04:33:62:93:8b:98:24
HMAC-SHA2-256(d/plain)= 406e4b43f87095aa86ca6299d25e875921fefa180f02043bb29bec5681c0c2d0
SHAKE-128(d/plain)= 8eb4b6a932f280335ee1a279f8c208a3
SHA2-512/256(stdin)= e30d87cfa2a75db545eac4d61baf970366a8357c7f72fa95b52d0accb698f13a
RIPEMD-160(d/plain)= 108f07b8382412612c048d07d13f814118445acd
SHA256(d/plain)= 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824
HMAC-SHA256(d/plain)= 406e4b43f87095aa86ca6299d25e875921fefa180f02043bb29bec5681c0c2d0
";

    #[test]
    fn lines_of_openssl() {
        let show = |e: &Entry| format!("{} {}", e.stated[0].function.unwrap(), e.name.escape_ascii());
        let all = read(LIST, "list").entries;
        let want = [
            "SHA256 d/c) = d", r"SHA256 d/back\\slash", "HMAC-SHA256 d/plain", "SHAKE128-128 d/plain",
            "SHA512-256 stdin", "RIPEMD160 d/plain", "SHA256 d/plain", "HMAC-SHA256 d/plain",
        ];
        assert_eq!(all.iter().map(show).collect::<Vec<_>>(), want);
        let other = LIST.replace(")= ", ") = ").replace("(d", " (d");
        assert_eq!(read(other, "list").entries, all);
        // A name with a line break.
        let broken = "SHA2-256(d/new\nline)= 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\n";
        let said = read(broken, "list");
        assert!(said.entries.is_empty());
        assert_eq!(said.faults, [(1, Fault::Text), (2, Fault::Malformed)]);
        let mut lines = Lines::new(None, None, false);
        let mut reversed = |tag: &str, hex: &str| match lines.line(format!("{tag} (f) = {hex}").as_bytes()) {
            Item::Entry(e) => e.stated[0].digest.to_string(),
            other => format!("{other:?}"),
        };
        // Of `xxhsum --tag --little-endian` 0.8.1.
        assert_eq!(reversed("XXH32_LE", "f97700fb"), "fb0077f9");
        assert_eq!(reversed("XXH64_LE", "a36d9f887d82c726"), "26c7827d889f6da3");
        assert_eq!(reversed("XXH3_LE", "fddc625c55e85595"), "9555e8555c62dcfd");
        assert_eq!(reversed("XXH128_LE", "1838525eaacf79c77f3e1b07adc1e9b5"), "b5e9c1ad071b3e7fc779cfaa5e523818");
        assert_eq!(reversed("MD5_LE", "5d41402abc4b2a76b9719d911017c592"), r#"Bad(NoSuchAlgorithm("MD5_LE"))"#);
        for bad in [
            "SHA2-256(a)= 2c:f2",
            "MD5(a)= 5d:41:40:2a:bc:4b:2a:76:b9:71:9d:91:10:17:c5:9",
            "MD5(a)= 5d:4140:2abc:4b2a:76b9:719d:9110:17c5:92",
            "SHA1(a)= ",
        ] {
            assert!(read(bad, "list").entries.is_empty(), "{bad}");
        }
    }

    #[test]
    fn there_and_back() {
        let mut known = 0;
        for a in Algorithm::all().chain(["shake128:16".parse().unwrap(), "shake256:32".parse().unwrap()]) {
            for function in [Function::Hash(a), Function::Hmac(a)] {
                let stated = vec![Stated { function: Some(function), ..Stated::new(None, a.digest(b"")) }];
                let entry = |name: &[u8]| Entry { name: name.to_vec(), stated: stated.clone(), ..Entry::default() };
                let all: Vec<Entry> = names().map(entry).collect();
                let Written { list, held, unfit } = write(&FORM, &header(&[]), &all);
                if list.is_empty() {
                    continue;
                }
                known += 1;
                let broken = names().filter(|name| name.contains(&b'\n'));
                assert_eq!(unfit, broken.map(|name| name.escape_ascii().to_string()).collect::<Vec<_>>());
                assert_eq!(read(&list, "list").entries, held, "{a}");
            }
        }
        assert_eq!(known, 2 * NAMES.len());
        let list = write(&FORM, &header(&[]), &read(LIST, "list").entries[..1]).list;
        assert_eq!(list.escape_ascii().to_string(), LIST.lines().next().unwrap().to_string() + r"\n");
    }

    #[test]
    fn damage() {
        assert_eq!(attack(LIST, "list"), []);
        assert!(read("", "list").lines.is_empty());
    }
}
