//! `magnet:?xl=5&dn=name&xt=urn:md5:hex`: links as `rhash --magnet` and programs for file sharing write them. RHash
//! writes names without their folders.

use super::{Base, Form, Format, Lines, Unfit, Write};
use crate::base::digits::{Digits, from_hex};
use crate::base::entry::{Entry, Item, Stated};
use crate::base::fault::Fault;
use crate::base::function::{Composition, Function};
use crate::base::header::Header;
use hashmill::Algorithm;

pub(crate) const FORM: Form = Form {
    name: "magnet",
    what: "`magnet:?xl=size&dn=name&xt=urn:sha1:base32`",
    programs: "rhash --magnet, programs for file sharing",
    writes: true,
    lines: true,
    algorithms: "those of rhash",
    several: true,
    sizes: true,
    times: false,
    cannot: "",
    base: Base::Current,
    format: &Magnet,
};

struct Magnet;

/// What a link begins with, in lower case.
const SCHEME: &[u8] = b"magnet:?";

impl Format for Magnet {
    fn line(&self, line: &[u8], _: &mut Lines) -> Option<Result<Item, Fault>> {
        let line = super::trim_end(super::skip_blanks(line));
        if let Some(link) = line.strip_prefix(b"ed2k://|file|") {
            return Some(ed2k(link).map(Item::Entry).ok_or(Fault::Malformed));
        }
        let (scheme, link) = line.split_at_checked(SCHEME.len())?;
        if !scheme.eq_ignore_ascii_case(SCHEME) {
            return None;
        }
        Some(entry(link).map(Item::Entry))
    }

    fn writer(&self, _: &Header) -> Option<Box<dyn Write>> {
        Some(Box::new(Writer))
    }
}

fn entry(link: &[u8]) -> Result<Entry, Fault> {
    let mut entry = Entry::default();
    let mut name = None;
    for parameter in link.split(|&b| b == b'&') {
        // In a page, `&` is written `&amp;`.
        let parameter = parameter.strip_prefix(b"amp;").unwrap_or(parameter);
        let at = memchr::memchr(b'=', parameter).unwrap_or(parameter.len());
        let (key, value) = (&parameter[..at], parameter.get(at + 1..).unwrap_or_default());
        match key {
            b"dn" if name.is_some() => return Err(Fault::Malformed),
            b"dn" => name = Some(decoded(value).ok_or(Fault::Malformed)?),
            b"xl" => {
                let size = super::number(value).ok_or(Fault::Malformed)?;
                if entry.size.replace(size).is_some_and(|before| before != size) {
                    return Err(Fault::Malformed);
                }
            }
            // `xt`, or `xt.1`, `xt.2` …
            [b'x', b't', rest @ ..] if rest.is_empty() || rest[0] == b'.' => {
                let value = decoded(value).ok_or(Fault::Malformed)?;
                match topic(&value)? {
                    Topic::Digests(stated) => entry.stated.extend(stated),
                    Topic::Other(name) => entry.unknown.push(name),
                }
            }
            _ => {}
        }
    }
    let fault = match (&name, entry.unknown.first()) {
        (Some(name), _) if name.is_empty() || name.contains(&0) => Fault::Malformed,
        (None, _) => Fault::NoName,
        (Some(_), Some(other)) => Fault::NoSuchAlgorithm(other.clone()),
        (Some(_), None) => Fault::Malformed,
    };
    match name {
        Some(name) if !name.is_empty() && !name.contains(&0) && !entry.stated.is_empty() => Ok(Entry { name, ..entry }),
        _ => Err(fault),
    }
}

/// Returns the meaning of a link of the eDonkey network: `name|size|hex|/`, perhaps with `h=AICH|` and others before
/// the end.
fn ed2k(link: &[u8]) -> Option<Entry> {
    let mut fields = link.split(|&b| b == b'|');
    let name = decoded(fields.next()?).filter(|name| !name.is_empty() && !name.contains(&0))?;
    let size = Some(super::number(fields.next()?)?);
    let of = |c: Composition, text: &[u8]| {
        let function = Function::Composed(c);
        Some(Stated::of(function, function.digest(text)?))
    };
    let mut stated = vec![of(Composition::Ed2k, fields.next()?)?];
    for field in fields {
        if let Some(aich) = field.strip_prefix(b"h=") {
            stated.push(of(Composition::Aich, aich)?);
        }
    }
    Some(Entry { name, size, stated, ..Entry::default() })
}

/// What a link is of.
enum Topic {
    Digests(Vec<Stated>),
    /// A digest by an algorithm of this name, which is not known here.
    Other(String),
}

/// Returns the meaning of `urn:md5:hex`.
fn topic(urn: &[u8]) -> Result<Topic, Fault> {
    let urn = urn.strip_prefix(b"urn:").or_else(|| urn.strip_prefix(b"URN:")).ok_or(Fault::Malformed)?;
    let at = memchr::memrchr(b':', urn).ok_or(Fault::Malformed)?;
    let (name, value) = (std::str::from_utf8(&urn[..at]).map_err(|_| Fault::Malformed)?, &urn[at + 1..]);
    // SHA-1 and a Tiger tree.
    if name.eq_ignore_ascii_case("bitprint") {
        let dot = memchr::memchr(b'.', value).ok_or(Fault::Malformed)?;
        let parts = [(Function::Hash(Algorithm::SHA1), &value[..dot]), (Composition::Tth.into(), &value[dot + 1..])];
        let all: Result<Vec<Vec<Stated>>, Fault> = parts.into_iter().map(|(f, value)| of(f, value)).collect();
        return Ok(Topic::Digests(all?.concat()));
    }
    match Function::named(name) {
        Some(function) => of(function, value).map(Topic::Digests),
        None => Ok(Topic::Other(name.chars().take(32).collect())),
    }
}

/// Parses a digest of a function.
fn of(function: Function, value: &[u8]) -> Result<Vec<Stated>, Fault> {
    Ok(vec![Stated::of(function, function.digest(value).ok_or(Fault::Malformed)?)])
}

/// Decodes `%41`. RHash takes `+` for itself, not for a blank.
fn decoded(value: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(value.len());
    let mut rest = value;
    while let Some((&b, after)) = rest.split_first() {
        if b != b'%' {
            out.push(b);
            rest = after;
            continue;
        }
        let (digits, after) = after.split_at_checked(2)?;
        out.push(*from_hex(digits)?.as_bytes().first()?);
        rest = after;
    }
    Some(out)
}

/// The algorithms that RHash has, by our names, and their names in its links.
const NAMES_OF_RHASH: [(&str, &str); 29] = [
    ("crc32", "crc32"),
    ("md4", "md4"),
    ("md5", "md5"),
    ("sha1", "sha1"),
    ("tiger192-3", "tiger"),
    ("whirlpool", "whirlpool"),
    ("ripemd160", "ripemd160"),
    ("gost94", "gost94"),
    ("gost94-cryptopro", "gost94-cryptopro"),
    ("streebog256", "gost12-256"),
    ("streebog512", "gost12-512"),
    ("sha224", "sha224"),
    ("sha256", "sha256"),
    ("sha384", "sha384"),
    ("sha512", "sha512"),
    ("sha3-224", "sha3-224"),
    ("sha3-256", "sha3-256"),
    ("sha3-384", "sha3-384"),
    ("sha3-512", "sha3-512"),
    ("crc32c", "crc32c"),
    ("snefru128", "snefru128"),
    ("snefru256", "snefru256"),
    ("blake2s-256", "blake2s"),
    ("blake2b-512", "blake2b"),
    ("has160", "has160"),
    ("tth", "tree:tiger"),
    ("btih", "btih"),
    ("ed2k", "ed2k"),
    ("aich", "aich"),
];

struct Writer;

impl Write for Writer {
    fn entry(&mut self, entry: &Entry, out: &mut Vec<u8>) -> Result<(), Unfit> {
        out.extend_from_slice(SCHEME);
        if let Some(size) = entry.size {
            out.extend_from_slice(format!("xl={size}&").as_bytes());
        }
        out.extend_from_slice(b"dn=");
        for &b in &entry.name {
            if b.is_ascii_alphanumeric() || b"-._~/".contains(&b) {
                out.push(b);
            } else {
                out.push(b'%');
                Digits::Hex.put(out, &[b]);
            }
        }
        for stated in &entry.stated {
            let function = stated.function.ok_or(Unfit::Lacks("the digest's algorithm"))?;
            let ours = function.name();
            let found = NAMES_OF_RHASH.iter().find(|(name, _)| *name == ours);
            let (_, name) = found.ok_or(Unfit::Algorithm(function))?;
            out.extend_from_slice(format!("&xt=urn:{name}:").as_bytes());
            if *name == "sha1" {
                let start = out.len();
                Digits::Base32.put(out, stated.digest.as_bytes());
                out[start..].make_ascii_lowercase();
            } else {
                stated.put(Digits::Hex, out);
            }
        }
        out.push(b'\n');
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Written, attack, header, read, samples, write};
    use super::*;

    /// Written by RHash 1.4.3 with -a; the longest digests are left out.
    const ALL: &str = "magnet:?xl=5&dn=a.txt&xt=urn:crc32:c1ebf7ba&xt=urn:md4:3a5ed56499fcf3e02d5a4c4841eb4f51\
        &xt=urn:md5:a5e54d1fd7bb69a228ef0dcd2431367e&xt=urn:sha1:z7d3jcctqskxvzcfxqkjctkfrd3aozi4\
        &xt=urn:tiger:c0fb56daa9db2a30b91e43ec1e01d530075d94e3d559c6f8\
        &xt=urn:tree:tiger:2crh7hah5utnc2mjd7civsjyf2257j3es2iwk2a&xt=urn:btih:0e1b1d79d560ecb7426f531f9c9a4cfa0879b837\
        &xt=urn:ed2k:3a5ed56499fcf3e02d5a4c4841eb4f51&xt=urn:aich:z7d3jcctqskxvzcfxqkjctkfrd3aozi4\
        &xt=urn:ripemd160:40c77caae4ab36b0ad49c121922883ba538262ef\
        &xt=urn:gost12-256:ef0474d907efc560186f7c3938d3879cecf0dffc68a7dd84ee5dc123b65a1890\
        &xt=urn:has160:4641512eac611aa9af4713f5158e3bbc711f328f&xt=urn:snefru128:07335b77df919e7e4dcf5a3edd9204d8\
        &xt=urn:blake2s:113b97039e09366e8829b1af29676b4fcbba391f9c6d74f512d2f019a1d897e6";

    #[test]
    fn real_links() {
        let want = "1 a.txt 5 CRC32=c1ebf7ba MD4=3a5ed56499fcf3e02d5a4c4841eb4f51 MD5=a5e54d1fd7bb69a228ef0dcd2431367e \
            SHA1=cfc7b4885384957ae445bc14914d4588f607651c TIGER192-3=c0fb56daa9db2a30b91e43ec1e01d530075d94e3d559c6f8 \
            TTH=2crh7hah5utnc2mjd7civsjyf2257j3es2iwk2a BTIH=0e1b1d79d560ecb7426f531f9c9a4cfa0879b837 \
            ED2K=3a5ed56499fcf3e02d5a4c4841eb4f51 AICH=z7d3jcctqskxvzcfxqkjctkfrd3aozi4 \
            RIPEMD160=40c77caae4ab36b0ad49c121922883ba538262ef \
            STREEBOG256=ef0474d907efc560186f7c3938d3879cecf0dffc68a7dd84ee5dc123b65a1890 \
            SNEFRU128=07335b77df919e7e4dcf5a3edd9204d8 \
            BLAKE2S-256=113b97039e09366e8829b1af29676b4fcbba391f9c6d74f512d2f019a1d897e6";
        assert_eq!(read(ALL, "list").lines, ["1 note: NotKnown(\"has160\")", want]);
        let names = "magnet:?xl=10&dn=bad%ff%febytes&xt=urn:crc32:c1ebf7ba\nmagnet:?xl=3&dn=c%0dr%0a+%25&xt=urn:crc32:C1EBF7BA\n";
        assert_eq!(
            read(names, "l").entries.iter().map(|e| &e.name[..]).collect::<Vec<_>>(),
            [&b"bad\xff\xfebytes"[..], b"c\rr\n+%"]
        );
        assert_eq!(attack(format!("{ALL}\n"), "list"), []);
    }

    #[test]
    fn variants() {
        let md5 = "a5e54d1fd7bb69a228ef0dcd2431367e";
        for (link, want) in [
            (format!("MAGNET:?dn=a&xt.1=urn:md5:{md5}&tr=http://x/"), "1 a MD5=a5e54d1fd7bb69a228ef0dcd2431367e"),
            (format!("magnet:?dn=a&amp;xt=urn:md5:{md5}\r"), "1 a MD5=a5e54d1fd7bb69a228ef0dcd2431367e"),
            ("magnet:?dn=a&xt=urn:md5:peVNH9e7aaIo7w3NJDE2fg%3D%3D".into(), "1 a MD5=a5e54d1fd7bb69a228ef0dcd2431367e"),
            (
                "magnet:?dn=a&xt=urn:bitprint:Z7D3JCCTQSKXVZCFXQKJCTKFRD3AOZI4.2CRH7HAH5UTNC2MJD7CIVSJYF2257J3ES2IWK2A"
                    .into(),
                "1 a SHA1=cfc7b4885384957ae445bc14914d4588f607651c TTH=2crh7hah5utnc2mjd7civsjyf2257j3es2iwk2a",
            ),
            (
                "magnet:?dn=a&xt=urn:btih:0e1b1d79d560ecb7426f531f9c9a4cfa0879b837".into(),
                "1 a BTIH=0e1b1d79d560ecb7426f531f9c9a4cfa0879b837",
            ),
            ("magnet:?dn=a&xt=urn:edonr256:0e".into(), "1 bad: digest of an unknown algorithm, edonr256"),
            (format!("ed2k://|file|a%20b|5|{md5}|/"), "1 a b 5 ED2K=a5e54d1fd7bb69a228ef0dcd2431367e"),
            (
                format!("ed2k://|file|a|5|{md5}|h=Z7D3JCCTQSKXVZCFXQKJCTKFRD3AOZI4|/"),
                "1 a 5 ED2K=a5e54d1fd7bb69a228ef0dcd2431367e AICH=z7d3jcctqskxvzcfxqkjctkfrd3aozi4",
            ),
            (format!("ed2k://|file|a|x|{md5}|/"), "1 bad: checksum line not understood"),
            (format!("magnet:?xt=urn:md5:{md5}"), "1 bad: a digest without the name of its file"),
        ] {
            assert_eq!(read(&link, "l").lines, [want], "{link}");
        }
        for link in [
            "",
            "dn=a",
            "dn=%4&xt=urn:md5:{}",
            "dn=%zz&xt=urn:md5:{}",
            "dn=a&dn=b&xt=urn:md5:{}",
            "dn=&xt=urn:md5:{}",
            "dn=a%00&xt=urn:md5:{}",
            "dn=a&xt=urn:md5:{}00",
            "dn=a&xl=-1&xt=urn:md5:{}",
            "dn=a&xl=1&xl=2&xt=urn:md5:{}",
            "dn=a&xt=urn:md5:{}&xt=urn:sha1:{}",
            "dn=a&xt=md5",
            "dn=a&xt",
        ] {
            let link = format!("magnet:?{}", link.replace("{}", md5));
            let lines = read(&link, "l").lines;
            assert!(lines[0].starts_with("1 bad: "), "{link}: {lines:?}");
        }
    }

    #[test]
    fn there_and_back() {
        let names: Vec<&str> =
            NAMES_OF_RHASH.iter().map(|(ours, _)| *ours).filter(|a| Algorithm::named(a).is_some()).collect();
        let Written { list, held, unfit } = write(&FORM, &header(&[]), &samples(&names));
        assert!(unfit.is_empty());
        assert_eq!(read(&list, "list").entries, held);
        assert!(write(&FORM, &header(&[]), &samples(&["blake3"])).held.is_empty());
    }
}
