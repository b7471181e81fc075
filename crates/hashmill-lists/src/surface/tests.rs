//! What every form has in common: what is written is read back the same, and no damage makes a reader panic.

use crate::base::digits::Digits;
use crate::base::entry::{Entry, Stated};
use crate::base::fault::Fault;
use crate::base::function::Function;
use crate::base::header::Header;
use crate::forms::tests::{Written, attack, entry, header, read_with, samples, write};
use crate::forms::{FORMS, Form};
use crate::surface::read::ReadOptions;

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

/// Returns the entries of a list, with the digests of one file together, and what is wrong with the list.
fn read(list: &[u8], name: &str, options: &ReadOptions) -> (Vec<Entry>, Vec<(u64, Fault)>) {
    let said = read_with(list, name, options);
    let mut entries: Vec<Entry> = Vec::new();
    for entry in said.entries {
        match entries.last_mut().filter(|last| last.name == entry.name) {
            Some(last) => last.stated.extend(entry.stated),
            None => entries.push(Entry { literal: None, ..entry }),
        }
    }
    (entries, said.faults)
}

/// Digests in the order of their algorithms, which may be written in another one.
fn sorted(entry: &Entry) -> Vec<String> {
    let mut all: Vec<String> = entry.stated.iter().map(|s| format!("{:?} {}", s.function, s.digest)).collect();
    all.sort();
    all
}

/// Panics unless a list says what was written.
fn check(form: &Form, header: &Header, list: &[u8], held: &[Entry]) {
    // A form that does not name the algorithm is given it.
    let algorithm = header.functions.first().and_then(|f| f.plain()).filter(|_| header.functions.len() == 1);
    let options = ReadOptions { algorithm, allow_short: true, ..ReadOptions::default() };
    // Only its name tells such a list from one of lines.
    let name = match (form.name, algorithm) {
        ("bagit", Some(a)) => format!("manifest-{a}.txt"),
        ("sfv", _) => "list.sfv".into(),
        _ => "list".into(),
    };
    let (read, faults) = read(list, &name, &options);
    let context = || format!("{form:?} of {:?}:\n{}", header.functions, list.escape_ascii());
    assert!(!faults.iter().any(|(_, f)| f.hides_a_file()), "{faults:?} in {}", context());
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
        assert_eq!((read.size, read.mtime), (held.size, held.mtime), "{}", context());
        assert!(read.stated.iter().all(|s| matches!(s.function, Some(Function::Hash(_))) && s.or.is_empty()));
    }
}

#[test]
fn what_is_written_is_read_back() {
    for form in FORMS.iter().filter(|f| f.writes) {
        let mut held_any = false;
        for algorithms in ALGORITHMS.into_iter().filter(|a| a.len() == 1 || form.several) {
            let entries = samples(algorithms);
            let ways: &[(bool, Digits)] = match form.lines {
                true => &[(false, Digits::Hex), (true, Digits::Hex), (false, Digits::Upper), (true, Digits::Upper)],
                false => &[(false, Digits::Hex)],
            };
            for &(zero, digits) in ways {
                let header = Header { zero, digits, ..header(algorithms) };
                // Alone, and with all the others.
                for one in entries.chunks(1).chain([&entries[..]]) {
                    // After a digest that has no other lines before it, blanks are no name.
                    let ends_with_lf = !zero || ["b3sum", "xxhsum"].contains(&form.name);
                    let is_bare = ["gnu", "oci", "b3sum", "xxhsum"].contains(&form.name) && ends_with_lf;
                    if is_bare && one.len() == 1 && one[0].name == b" " {
                        continue;
                    }
                    let Written { list, held, .. } = write(form, &header, one);
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
fn lists() -> Vec<Vec<u8>> {
    let mut lists: Vec<Vec<u8>> = SAMPLES.iter().map(|(_, list)| list.as_bytes().to_vec()).collect();
    // The tests of this one damage longer ones.
    for form in FORMS.iter().filter(|f| f.writes && f.name != "mhl") {
        let list = ALGORITHMS.iter().find_map(|algorithms| {
            let entries = [entry(b"dir/a b.txt", algorithms), entry(b"100%\\\n\"", algorithms)];
            let Written { list, held, .. } = write(form, &header(algorithms), &entries);
            (!held.is_empty()).then_some(list)
        });
        lists.push(list.unwrap());
    }
    let text = "5d41402abc4b2a76b9719d911017c592  a\n- -b\n";
    let begin = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n";
    lists.push(format!("{begin}{text}-----BEGIN PGP SIGNATURE-----\n\niQ==\n-----END PGP SIGNATURE-----\n").into());
    lists
}

#[test]
fn damage_makes_nothing_panic() {
    for list in lists() {
        attack(list, "list");
    }
}

/// However digests are written, they are read back as the same ones, and their algorithm is known or among the
/// candidates.
#[test]
fn digits_of_every_kind_are_read_back() {
    const FUNCTIONS: [&str; 18] = [
        "md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake3", "blake2b-512", "xxh128", "sha3-256",
        "tiger192-3", "hmac-sha256", "keyed-blake3", "ed2k", "tth", "aich", "btih", "c4",
    ];
    let is_named = |form: &Form| ["bsd", "json", "csv"].contains(&form.name);
    for form in FORMS.iter().filter(|f| is_named(f) || f.name == "gnu") {
        for (name, digits) in FUNCTIONS
            .into_iter()
            .flat_map(|name| [Digits::Hex, Digits::Upper, Digits::Base64, Digits::Base32].map(|d| (name, d)))
        {
            let function: Function = name.parse().unwrap();
            let digest = function.algorithm().digest(b"hello");
            let entry = Entry { name: b"a".to_vec(), stated: vec![Stated::of(function, digest)], ..Entry::default() };
            let header = Header { functions: vec![function], digits, ..Header::default() };
            let written = write(form, &header, std::slice::from_ref(&entry)).list;
            let said = read_with(&written, "list", &ReadOptions::default());
            let context = || format!("{name} {digits:?} {}: {:?}", written.escape_ascii(), said.lines);
            let [Entry { stated, .. }] = &said.entries[..] else { panic!("{}", context()) };
            let [stated] = &stated[..] else { panic!("{}", context()) };
            assert_eq!(stated.digest, entry.stated[0].digest, "{}", context());
            // Without a name, only what programs write that way is among the candidates.
            let same = stated.function == Some(function);
            let unnamed = stated.function.is_none() && !is_named(form);
            let is_special = function.takes_key() || ["ed2k", "btih", "c4", "tth", "aich"].contains(&name);
            let among = || is_special || name == "tiger192-3" || stated.candidates().contains(&function);
            assert!(same || unnamed && among(), "{}", context());
        }
    }
}
