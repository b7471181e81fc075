//! What every form has in common: what is written is read back the same, and no damage makes a reader panic.

use crate::base::digits::Digits;
use crate::base::entry::{Entry, Function, Item, Stated};
use crate::base::fault::Fault;
use crate::base::header::Header;
use crate::forms::{FORMS, Form};
use crate::surface::read::{List, ReadOptions};
use crate::surface::recognize::recognize;
use crate::surface::write::Writer;
use hashmill::Algorithm;
use std::ops::ControlFlow;
use std::path::Path;

/// Names that one form or the other has trouble with.
const NAMES: [&[u8]; 72] = [
    b"plain",
    b"dir/sub dir/x",
    b"dir/a,b;c",
    b"/root/x",
    b"./x",
    b"../x",
    b"..x",
    b".x",
    b" x",
    b"x ",
    b"\tx",
    b"x\t",
    b" ",
    b"a  b",
    b"a\tb",
    b"a\nb",
    b"a\n",
    b"\na",
    b"\n",
    b"a\rb",
    b"a\r",
    b"\r",
    b"a\r\nb",
    b"\\",
    b"a\\b",
    b"a\\nb",
    b"a\\",
    b"\\\\",
    b"\\012",
    b"a\"b",
    b"\"a\"",
    b"'a'",
    b"a`$b",
    b"a,b",
    b"a;b",
    b"#a",
    b";a",
    b"a#b",
    b"*a",
    b"?SHA1*a",
    b"-a",
    b"-",
    b"--",
    b"- a",
    b"-----BEGIN PGP SIGNED MESSAGE-----",
    b"(",
    b")",
    b"a) = b",
    b"a (b)",
    b"=a",
    b"a=b",
    b"%",
    b"%41%0A%25",
    b"100%s%n",
    b"&amp;<>]]>",
    b"<!--x-->",
    b"{\"path\": 1}",
    b"[x]",
    b"~/x",
    b"a:b",
    b"a|b?c*d",
    b"a@b+c&d=e",
    b"d41d8cd98f00b204e9800998ecf8427e  x",
    b"MD5 (x) = d41d8cd98f00b204e9800998ecf8427e",
    b"x d41d8cd9",
    "\u{e9}\u{4e00}\u{1f600}".as_bytes(),
    "\u{feff}x\u{2028}y\u{85}\u{a0}".as_bytes(),
    b"e\xcc\x81",
    b"\xff\xfe",
    b"a\xe9b",
    b"\x01\x1b[31m\x7f",
    b"\x0b\x0c",
];

/// Sets of algorithms that a list has.
const ALGORITHMS: [&[&str]; 11] = [
    &["blake3"],
    &["xxh64"],
    &["md5"],
    &["sha256"],
    &["blake2b-256"],
    &["crc32"],
    &["xxh3"],
    &["md5", "sha1"],
    &["md5", "sha256"],
    &["crc32", "md5", "sha1", "sha512"],
    &["sha256", "blake3", "xxh128"],
];

/// A time without a fraction of a second, which some forms do not have.
const TIME: (i64, u32) = (1_795_867_200, 0);

fn header(algorithms: &[Algorithm], zero: bool, digits: Digits) -> Header {
    Header {
        algorithms: algorithms.to_vec(),
        zero,
        digits,
        folder: "/folder".into(),
        command: "hashmill sum".into(),
        host: "host".into(),
        program: "hashmill 1.0".into(),
        now: TIME,
        ..Header::default()
    }
}

fn entry(name: &[u8], algorithms: &[Algorithm]) -> Entry {
    let stated = algorithms.iter().map(|a| Stated::new(Some(*a), a.digest(name))).collect();
    Entry { name: name.to_vec(), size: Some(name.len() as u64), mtime: Some(TIME), stated, ..Entry::default() }
}

/// Returns a list of those entries that a form can hold, and these.
fn written(form: &Form, header: &Header, entries: &[Entry]) -> Option<(Vec<u8>, Vec<Entry>)> {
    let (mut list, mut held) = (Vec::new(), Vec::new());
    let mut writer = Writer::new(form, header)?;
    writer.begin(&mut list);
    for entry in entries {
        let before = list.len();
        match writer.entry(entry, &mut list) {
            Ok(()) => held.push(entry.clone()),
            Err(_) => assert_eq!(list.len(), before, "{form:?} appends what it cannot hold"),
        }
    }
    writer.end(&mut list);
    Some((list, held))
}

/// Returns the entries of a list, with the digests of one file together, and what is wrong with the list.
fn read(list: &[u8], name: &str, options: &ReadOptions) -> (Vec<Entry>, Vec<Fault>) {
    let (mut entries, mut faults): (Vec<Entry>, Vec<Fault>) = (Vec::new(), Vec::new());
    let Ok(list) = List::open(list, Path::new(name), options) else { return (entries, faults) };
    let _ = list.read(|line| {
        match line.item {
            Item::Entry(entry) => match entries.last_mut().filter(|last| last.name == entry.name) {
                Some(last) => last.stated.extend(entry.stated),
                None => entries.push(Entry { literal: None, ..entry }),
            },
            Item::Bad(fault) => faults.push(fault),
            Item::Nothing | Item::Lone(_) | Item::Note(_) => {}
        }
        ControlFlow::Continue(())
    });
    (entries, faults)
}

/// Digests in the order of their algorithms, which may be written in another one.
fn sorted(entry: &Entry) -> Vec<String> {
    let mut all: Vec<String> = entry.stated.iter().map(|s| format!("{:?} {}", s.function, s.digest)).collect();
    all.sort();
    all
}

/// Panics unless a list says what was written.
fn check(form: &Form, header: &Header, list: &[u8], held: &[Entry]) {
    // A form that does not name the algorithm is told.
    let algorithm = header.algorithms.first().copied().filter(|_| header.algorithms.len() == 1);
    let options = ReadOptions { algorithm, allow_short: true, ..ReadOptions::default() };
    // Only its name tells such a list from one of lines.
    let name = match (form.name, algorithm) {
        ("bagit", Some(a)) => format!("manifest-{a}.txt"),
        ("sfv", _) => "list.sfv".into(),
        _ => "list".into(),
    };
    let (read, faults) = read(list, &name, &options);
    let context = || format!("{form:?} of {:?}:\n{}", header.algorithms, list.escape_ascii());
    assert!(!faults.iter().any(Fault::hides_a_file), "{faults:?} in {}", context());
    // mtree begins every name with `./`.
    let bare = |name: &[u8]| {
        if form.name == "mtree" { name.strip_prefix(b"./").unwrap_or(name).to_vec() } else { name.to_vec() }
    };
    let names =
        |entries: &[Entry]| entries.iter().map(|e| bare(&e.name).escape_ascii().to_string()).collect::<Vec<_>>();
    assert_eq!(names(&read), names(held), "{}", context());
    for (read, held) in read.iter().zip(held) {
        // Some forms have a fixed set of algorithms, of which those are used that are there.
        let (read_digests, held_digests) = (sorted(read), sorted(held));
        assert!(!read_digests.is_empty() && read_digests.iter().all(|d| held_digests.contains(d)), "{}", context());
        assert!(!form.several || read_digests.len() == held_digests.len(), "{}", context());
        assert_eq!(read.size, held.size.filter(|_| form.sizes), "{}", context());
        assert_eq!(read.mtime, held.mtime.filter(|_| form.times), "{}", context());
        assert!(read.stated.iter().all(|s| matches!(s.function, Some(Function::Hash(_))) && s.or.is_empty()));
    }
}

#[test]
fn what_is_written_is_read_back() {
    for form in FORMS.iter().filter(|f| f.writes) {
        let mut held_any = false;
        for names in ALGORITHMS {
            let algorithms: Vec<Algorithm> = names.iter().map(|n| n.parse().unwrap()).collect();
            if algorithms.len() > 1 && !form.several {
                continue;
            }
            let entries: Vec<Entry> = NAMES.iter().map(|name| entry(name, &algorithms)).collect();
            let ways: &[(bool, Digits)] = match form.lines {
                true => &[(false, Digits::Hex), (true, Digits::Hex), (false, Digits::Upper), (true, Digits::Upper)],
                false => &[(false, Digits::Hex)],
            };
            for &(zero, digits) in ways {
                let header = header(&algorithms, zero, digits);
                // Alone, and with all the others.
                for one in entries.chunks(1).chain([&entries[..]]) {
                    // After a digest that has no other lines before it, blanks are no name.
                    let ends_with_lf = !zero || ["b3sum", "xxhsum"].contains(&form.name);
                    if ["gnu", "oci", "b3sum", "xxhsum"].contains(&form.name)
                        && ends_with_lf
                        && one.len() == 1
                        && one[0].name == b" "
                    {
                        continue;
                    }
                    let Some((list, held)) = written(form, &header, one) else { continue };
                    if !held.is_empty() {
                        check(form, &header, &list, &held);
                        held_any = true;
                    }
                }
            }
        }
        assert!(held_any, "{form:?} holds nothing");
    }
}

/// Lists of some forms that are only read; the others have such tests of their own.
const SAMPLES: [(&str, &str); 5] = [
    ("teracopy", "; x\n5d41402abc4b2a76b9719d911017c592 ?MD5*dir\\a\n5d41402abc4b2a76b9719d911017c592 *b\n"),
    (
        "powershell",
        "\nAlgorithm       Hash                             Path\n---------       ----                             ----\nMD5             5D41402ABC4B2A76B9719D911017C592 C:\\a b\nMD5             5D41402ABC4B2A76B9719D911017C592 C:\\a...\n                                                 x\n\n",
    ),
    (
        "powershell",
        "Algorithm : MD5\nHash      : 5D41402ABC4B2A76B9719D911017C592\nPath      : C:\\a \n            b\n\nAlgorithm : X\n",
    ),
    (
        "powershell",
        "#TYPE x\n\"Algorithm\",\"Hash\",\"Path\"\n\"MD5\",\"5D41402ABC4B2A76B9719D911017C592\",\"C:\\a\n\"\"b\"\nMD5,5D41402ABC4B2A76B9719D911017C592,x\n",
    ),
    (
        "certutil",
        "MD5 hash of file C:\\a:\n5d 41 40 2a bc 4b 2a 76 b9 71 9d 91 10 17 c5 92\nCertUtil: -hashfile x.\nMD5 \u{7684} .\\a \u{54c8}\u{5e0c}:\n5d41402abc4b2a76b9719d911017c592\nCertUtil: -hashfile FAILED 0x80070002\n",
    ),
];

/// Returns lists of every form, and of such in a signature.
fn samples() -> Vec<Vec<u8>> {
    let mut samples: Vec<Vec<u8>> = SAMPLES.iter().map(|(_, list)| list.as_bytes().to_vec()).collect();
    for form in &FORMS {
        let sample = ALGORITHMS.iter().find_map(|names| {
            let algorithms: Vec<Algorithm> = names.iter().map(|n| n.parse().unwrap()).collect();
            let entries = [entry(b"dir/a b.txt", &algorithms), entry(b"100%\\\n\"", &algorithms)];
            let (list, held) = written(form, &header(&algorithms, false, Digits::Hex), &entries)?;
            (!held.is_empty()).then_some(list)
        });
        assert!(sample.is_some() || !form.writes, "{form:?} holds nothing");
        samples.extend(sample);
    }
    let text = "5d41402abc4b2a76b9719d911017c592  a\n- -b\n";
    let begin = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n";
    samples.push(format!("{begin}{text}-----BEGIN PGP SIGNATURE-----\n\niQ==\n-----END PGP SIGNATURE-----\n").into());
    samples
}

#[test]
fn damage_makes_nothing_panic() {
    let options = ReadOptions { allow_short: true, ..ReadOptions::default() };
    for sample in samples() {
        let try_one = |list: &[u8]| {
            read(list, "list", &options);
        };
        for end in 0..sample.len() {
            try_one(&sample[..end]);
            try_one(&sample[end..]);
        }
        let mut damaged = sample.clone();
        for i in 0..sample.len() {
            for with in [0x01, 0x20, 0x80, sample[i], sample[i] ^ b'\n', sample[i] ^ b'"'] {
                damaged[i] = sample[i] ^ with;
                try_one(&damaged);
            }
            damaged[i] = sample[i];
        }
        // Without and with a byte.
        for i in 0..sample.len() {
            try_one(&[&sample[..i], &sample[i + 1..]].concat());
            try_one(&[&sample[..i], b" ", &sample[i..]].concat());
        }
        let crlf: Vec<u8> =
            sample.iter().flat_map(|&b| if b == b'\n' { vec![b'\r', b'\n'] } else { vec![b] }).collect();
        let marked = [b"\xef\xbb\xbf", &sample[..]].concat();
        let long = [&sample[..], &vec![b'x'; 200 << 10], &sample].concat();
        for list in [&crlf, &marked, &long, &sample.repeat(3)] {
            try_one(list);
            recognize(list, Path::new("list"), &options);
        }
    }
}
