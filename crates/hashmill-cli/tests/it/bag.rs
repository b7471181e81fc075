//! `hashmill bag`: bags of ours read by bagit.py, bags of bagit.py read here, and the verdicts of both on bags that are
//! damaged in every way.

use hashmill_testing::{hashmill, python_program, run, stdout, text};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Output;

/// Returns bagit.py's verdict on each bag: whether it is valid.
fn bagit_py(dir: &Path, bags: &[String]) -> BTreeMap<String, bool> {
    const SCRIPT: &str = "import bagit, logging, sys\n\
                          logging.disable()\n\
                          for bag in sys.argv[1:]:\n\
                          \x20   try: print(bag, bagit.Bag(bag).validate())\n\
                          \x20   except Exception as e: print(bag, False)\n";
    let mut args = vec!["-c".to_string(), SCRIPT.to_string()];
    args.extend_from_slice(bags);
    let said = stdout(&run(dir, &python_program("python"), &args, b""));
    let verdicts = said.lines().map(|line| line.rsplit_once(' ').unwrap());
    verdicts.map(|(bag, verdict)| (bag.to_string(), verdict == "True")).collect()
}

fn create(dir: &Path, args: &[&str]) -> String {
    stdout(&hashmill(dir, &[&["bag", "create"], args].concat()))
}

fn check(dir: &Path, args: &[&str]) -> Output {
    hashmill(dir, &[&["bag", "check"], args].concat())
}

fn status(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn write(path: PathBuf, content: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// Copies a folder.
fn copy(from: &Path, to: &Path) {
    assert!(run(Path::new("."), "cp", &["-a".as_ref(), from.as_os_str(), to.as_os_str()], b"").status.success());
}

/// Edits a file.
fn edit(path: PathBuf, change: impl FnOnce(String) -> String) {
    let text = fs::read_to_string(&path).unwrap();
    fs::write(path, change(text)).unwrap();
}

fn lacks_tag_manifests(bag: &Path) {
    for entry in fs::read_dir(bag).unwrap().flatten() {
        if entry.file_name().to_str().unwrap().starts_with("tagmanifest-") {
            fs::remove_file(entry.path()).unwrap();
        }
    }
}

/// Changes a manifest of a bag that has no tag manifests.
fn manifest(bag: &Path, change: impl FnOnce(String) -> String) {
    lacks_tag_manifests(bag);
    edit(bag.join("manifest-sha512.txt"), change);
}

fn version(bag: &Path, version: &str) {
    lacks_tag_manifests(bag);
    edit(bag.join("bagit.txt"), |t| t.replace("1.0", version));
}

/// Puts a file in place of the payload, lists it in the only manifest under another spelling, and forgets how much the
/// payload was.
fn only(bag: &Path, name: &[u8], spelled: &[u8]) {
    lacks_tag_manifests(bag);
    fs::remove_dir_all(bag.join("data")).unwrap();
    let path = bag.join("data").join(OsString::from_vec(name.to_vec()));
    write(path, "x");
    let digest = "11f6ad8ec52a2984abaafd7c3b516503785c2072";
    fs::write(bag.join("manifest-sha1.txt"), [digest.as_bytes(), b"  data/", spelled, b"\n"].concat()).unwrap();
    fs::remove_file(bag.join("manifest-sha512.txt")).unwrap();
    fs::remove_file(bag.join("bag-info.txt")).unwrap();
}

fn fetch(bag: &Path, text: &str) {
    lacks_tag_manifests(bag);
    fs::write(bag.join("fetch.txt"), text).unwrap();
}

fn to_utf16(path: PathBuf) {
    let text = fs::read_to_string(&path).unwrap();
    let units = std::iter::once(0xfeff).chain(text.encode_utf16());
    fs::write(path, units.flat_map(u16::to_be_bytes).collect::<Vec<u8>>()).unwrap();
}

/// A damaged bag: how it comes about, the bits of our verdict, and bagit.py's if that is another.
struct Case(&'static str, fn(&Path), i32, Verdict);

/// What bagit.py says of a bag.
enum Verdict {
    Same,
    /// It is laxer, for the reason given.
    Valid(&'static str),
    /// It is stricter, for the reason given.
    Invalid(&'static str),
}
use Verdict::{Invalid, Same, Valid};

const CASES: &[Case] = &[
    Case("untouched", |_| (), 0, Same),
    Case("without tag manifests", lacks_tag_manifests, 0, Same),
    // Files.
    Case("a flipped bit", |b| fs::write(b.join("data/a"), "contenu of a").unwrap(), 1, Same),
    Case("a longer file", |b| fs::write(b.join("data/a"), "longer content of a").unwrap(), 1, Same),
    Case("a deleted file", |b| fs::remove_file(b.join("data/a")).unwrap(), 1 | 16, Same),
    Case("an added file", |b| fs::write(b.join("data/new"), "").unwrap(), 1 | 32, Same),
    Case(
        "an added file, no amount",
        |b| {
            write(b.join("data/sub/new"), "");
            lacks_tag_manifests(b);
            fs::remove_file(b.join("bag-info.txt")).unwrap();
        },
        32,
        Same,
    ),
    Case("a hidden file", |b| fs::write(b.join("data/.DS_Store"), "").unwrap(), 1 | 32, Same),
    Case("what a copy left", |b| fs::write(b.join("data/.hashmill-0123456789abcdef-0.part"), "").unwrap(), 33, Same),
    Case("a renamed file", |b| fs::rename(b.join("data/a"), b.join("data/z")).unwrap(), 16 | 32, Same),
    Case("an empty folder", |b| fs::create_dir(b.join("data/empty")).unwrap(), 0, Same),
    Case("a pipe", |b| assert!(run(b, "mkfifo", &["data/pipe"], b"").status.success()), 1 | 4, Same),
    Case(
        "a name that is not UTF-8",
        |b| {
            fs::write(b.join("data").join(OsString::from_vec(b"\xff".to_vec())), "").unwrap();
        },
        1 | 32,
        Same,
    ),
    Case(
        "a file that is a folder",
        |b| {
            fs::remove_file(b.join("data/a")).unwrap();
            fs::create_dir(b.join("data/a")).unwrap();
        },
        1 | 16,
        Same,
    ),
    Case("a link to a folder", |b| symlink("sub", b.join("data/link")).unwrap(), 0, Same),
    Case(
        "a file replaced by a link within the bag",
        |b| {
            fs::rename(b.join("data/a"), b.join("held")).unwrap();
            symlink("../held", b.join("data/a")).unwrap();
        },
        0,
        Same,
    ),
    Case(
        "a file replaced by a link out of the bag",
        |b| {
            fs::rename(b.join("data/a"), b.parent().unwrap().join("held")).unwrap();
            symlink("../../held", b.join("data/a")).unwrap();
        },
        4,
        Same,
    ),
    Case("a link to nothing", |b| symlink("nothing", b.join("data/link")).unwrap(), 1 | 4, Same),
    Case(
        "a payload folder elsewhere",
        |b| {
            fs::rename(b.join("data"), b.parent().unwrap().join("data")).unwrap();
            symlink("../data", b.join("data")).unwrap();
        },
        4,
        Same,
    ),
    Case("no payload folder", |b| fs::rename(b.join("data"), b.join("Data")).unwrap(), 1 | 16, Same),
    // Manifests.
    Case("a manifest cut in a line", |b| manifest(b, |t| t[..t.len() - 5].into()), 16 | 32, Same),
    Case("a manifest without a line", |b| manifest(b, |t| t.split_inclusive('\n').skip(1).collect()), 32, Same),
    Case("a manifest that was changed", |b| edit(b.join("manifest-sha512.txt"), |t| t + "\n"), 1, Same),
    Case("a wrong digest", |b| manifest(b, |t| t.replacen(['0', '1', '2', '3'], "f", 1)), 1, Same),
    Case("a short digest", |b| manifest(b, |t| t[2..].into()), 8 | 32, Same),
    Case("a line that is none", |b| manifest(b, |t| t + "nothing\n"), 8, Valid("it leaves such lines out")),
    Case("comments and blank lines", |b| manifest(b, |t| format!("# list\n\n \n{t}\n")), 0, Same),
    Case(
        "upper case",
        |b| manifest(b, |t| t.to_uppercase().replace("DATA/SUB/B", "data/sub/b").replace("DATA/A", "data/a")),
        0,
        Same,
    ),
    Case("CR and LF", |b| manifest(b, |t| t.replace('\n', "\r\n")), 0, Same),
    Case("CR alone", |b| manifest(b, |t| t.replace('\n', "\r")), 0, Same),
    Case("a byte order mark", |b| manifest(b, |t| format!("\u{feff}{t}")), 0, Same),
    Case("asterisks, tabs and dots", |b| manifest(b, |t| t.replace("  data/", "\t *./data//")), 0, Same),
    Case("blanks at the end of lines", |b| manifest(b, |t| t.replace('\n', " \t\n")), 0, Same),
    Case("back and forth", |b| manifest(b, |t| t.replace("data/a", "data/x/../a")), 0, Same),
    Case(
        "no manifest",
        |b| {
            lacks_tag_manifests(b);
            fs::remove_file(b.join("manifest-sha512.txt")).unwrap();
        },
        16 | 32,
        Same,
    ),
    Case("an empty manifest", |b| manifest(b, |_| String::new()), 32, Same),
    Case(
        "an algorithm of nobody's",
        |b| fs::write(b.join("manifest-crc99.txt"), "").unwrap(),
        4,
        Valid("it leaves such manifests out"),
    ),
    Case(
        "an algorithm that bagit.py does not know",
        |b| {
            fs::write(b.join("manifest-whirlpool.txt"), "00  data/a\n").unwrap();
        },
        8 | 32,
        Valid("it leaves such manifests out"),
    ),
    Case("a line twice", |b| manifest(b, |t| t.clone() + &t), 8, Same),
    Case(
        "a line twice, before 1.0",
        |b| {
            manifest(b, |t| t.clone() + &t);
            version(b, "0.97");
        },
        0,
        Same,
    ),
    Case(
        "two digests of a file, before 1.0",
        |b| {
            manifest(b, |t| t.clone() + &t.replace(['0', '1'], "f"));
            version(b, "0.97");
        },
        8,
        Same,
    ),
    Case(
        "a file in one of two manifests",
        |b| {
            lacks_tag_manifests(b);
            fs::write(b.join("manifest-md5.txt"), "").unwrap();
        },
        32,
        Valid("it does not look, though version 1.0 requires it"),
    ),
    Case(
        "a file in one of two manifests, before 1.0",
        |b| {
            fs::write(b.join("manifest-md5.txt"), "").unwrap();
            version(b, "0.97");
        },
        0,
        Same,
    ),
    Case(
        "a tag file in a payload manifest",
        |b| {
            manifest(b, |t| {
                let line = stdout(&run(Path::new("/"), "sha512sum", &[b.join("bagit.txt")], b""));
                t + &line[..128] + "  bagit.txt\n"
            })
        },
        0,
        Same,
    ),
    Case("bytes that are not UTF-8", |b| only(b, b"\xff", b"\xff"), 8, Same),
    // Names.
    Case("a line feed", |b| only(b, b"a\nb", b"a%0Ab"), 0, Same),
    Case(
        "a line feed, in lower case",
        |b| only(b, b"a\nb", b"a%0ab"),
        0,
        Invalid("1.9 decodes only capitals; later sources do it"),
    ),
    Case(
        "three line feeds",
        |b| only(b, b"\n\n\n", b"%0A%0A%0A"),
        0,
        Invalid("1.9 decodes only two of each; later sources do it"),
    ),
    Case("a carriage return", |b| only(b, b"a\rb", b"a%0Db"), 0, Same),
    Case("a code that is the name", |b| only(b, b"a%0Ab", b"a%0Ab"), 0, Invalid("it decodes in any case")),
    Case("a code that is the name, encoded", |b| only(b, b"a%0Ab", b"a%250Ab"), 0, Invalid("it does not decode %25")),
    Case("a percent sign", |b| only(b, b"100%", b"100%"), 0, Same),
    Case("a percent sign, encoded", |b| only(b, b"100%", b"100%25"), 0, Invalid("it does not decode %25")),
    Case("a percent sign and 25", |b| only(b, b"100%25", b"100%25"), 0, Same),
    Case("a code of another character", |b| only(b, b"%7Ex", b"%7Ex"), 0, Same),
    Case("a blank at the end", |b| only(b, b"a ", b"a "), 0, Invalid("it leaves blanks at the end out")),
    Case("composed in the manifest", |b| only(b, "e\u{301}".as_bytes(), "\u{e9}".as_bytes()), 0, Same),
    Case(
        "composed in the folder",
        |b| {
            only(b, "\u{e9}".as_bytes(), "e\u{301}".as_bytes());
        },
        0,
        Invalid("it finds such files, but does not open them"),
    ),
    Case("a backslash", |b| only(b, b"a\\b", b"a\\b"), 0, Same),
    Case(
        "a dash among tag files",
        |b| {
            lacks_tag_manifests(b);
            fs::write(b.join("-"), "x").unwrap();
            fs::write(b.join("tagmanifest-sha1.txt"), "11f6ad8ec52a2984abaafd7c3b516503785c2072 -\n").unwrap();
        },
        0,
        Same,
    ),
    // Names that lead out of the bag.
    Case("dots", |b| manifest(b, |t| t.replace("data/a", "data/../../a")), 4 | 32, Same),
    Case("an absolute name", |b| manifest(b, |t| t.replace("data/a", "/etc/passwd")), 4 | 32, Same),
    Case("a home", |b| manifest(b, |t| t.replace("data/a", "~/a")), 4 | 32, Same),
    Case("the home of somebody", |b| manifest(b, |t| t.replace("data/a", "~root/a")), 4 | 32, Same),
    Case("a drive", |b| manifest(b, |t| t.replace("data/a", "C:\\a")), 4 | 32, Same),
    Case(
        "dots in a tag manifest",
        |b| {
            edit(b.join("tagmanifest-sha512.txt"), |t| t.replace("bagit.txt", "../bagit.txt"));
        },
        4,
        Same,
    ),
    // Tag files.
    Case("a changed tag file", |b| edit(b.join("bag-info.txt"), |t| t + "X: y\n"), 1, Same),
    Case("a missing tag file", |b| fs::remove_file(b.join("bag-info.txt")).unwrap(), 16, Same),
    Case(
        "a changed tag file, before 0.97",
        |b| {
            edit(b.join("bagit.txt"), |t| t.replace("1.0", "0.96"));
        },
        1,
        Valid("it reads tag manifests only from 0.97 on"),
    ),
    Case(
        "another amount",
        |b| {
            lacks_tag_manifests(b);
            edit(b.join("bag-info.txt"), |t| t.replace("Payload-Oxum: ", "Payload-Oxum: 1"));
        },
        1,
        Same,
    ),
    Case(
        "no amount",
        |b| {
            lacks_tag_manifests(b);
            edit(b.join("bag-info.txt"), |t| t.replace("Payload-Oxum: ", "Payload-Oxum: many"));
        },
        8,
        Same,
    ),
    Case(
        "two amounts",
        |b| {
            lacks_tag_manifests(b);
            edit(b.join("bag-info.txt"), |t| t + "Payload-Oxum: 1.1\n");
        },
        0,
        Same,
    ),
    Case(
        "a tag over two lines",
        |b| {
            lacks_tag_manifests(b);
            edit(b.join("bag-info.txt"), |t| t + "X: y\n  z\n");
        },
        0,
        Same,
    ),
    Case(
        "a tag without a colon",
        |b| {
            lacks_tag_manifests(b);
            edit(b.join("bag-info.txt"), |t| t + "X\n");
        },
        8,
        Same,
    ),
    Case(
        "the name of a tag in lower case",
        |b| {
            lacks_tag_manifests(b);
            edit(b.join("bag-info.txt"), |t| t.replace("Payload-Oxum: ", "payload-oxum: 1"));
        },
        1,
        Valid("it does not know the tag, whose case does not matter"),
    ),
    // The declaration.
    Case("no declaration", |b| fs::remove_file(b.join("bagit.txt")).unwrap(), 16, Same),
    Case("an empty declaration", |b| fs::write(b.join("bagit.txt"), "").unwrap(), 8, Same),
    Case(
        "a byte order mark in the declaration",
        |b| {
            lacks_tag_manifests(b);
            edit(b.join("bagit.txt"), |t| format!("\u{feff}{t}"));
        },
        8,
        Same,
    ),
    Case("0.92", |b| version(b, "0.92"), 8, Same),
    Case("0.93", |b| version(b, "0.93"), 0, Same),
    Case(
        "0.95, another amount",
        |b| {
            version(b, "0.95");
            fs::rename(b.join("bag-info.txt"), b.join("package-info.txt")).unwrap();
            edit(b.join("package-info.txt"), |t| t.replace("Payload-Oxum: ", "Payload-Oxum: 1"));
        },
        1,
        Same,
    ),
    Case("0.96", |b| version(b, "0.96"), 0, Same),
    Case("0.97", |b| version(b, "0.97"), 0, Same),
    Case("1.1", |b| version(b, "1.1"), 0, Same),
    Case("2.0", |b| version(b, "2.0"), 8, Same),
    Case("no version", |b| version(b, ".97"), 8, Same),
    Case(
        "blanks before a colon",
        |b| {
            version(b, "1.0");
            edit(b.join("bagit.txt"), |t| t.replace(':', " :"));
        },
        8,
        Valid("it allows what version 1.0 does not"),
    ),
    Case(
        "blanks before a colon, before 1.0",
        |b| {
            version(b, "0.97");
            edit(b.join("bagit.txt"), |t| t.replace(':', " :"));
        },
        0,
        Same,
    ),
    Case(
        "a third tag",
        |b| {
            version(b, "1.0");
            edit(b.join("bagit.txt"), |t| t + "X: y\n");
        },
        8,
        Valid("it allows what version 1.0 does not"),
    ),
    Case(
        "an unknown encoding",
        |b| {
            lacks_tag_manifests(b);
            edit(b.join("bagit.txt"), |t| t.replace("UTF-8", "UTF-9"));
        },
        4,
        Same,
    ),
    Case(
        "an encoding that is not read here",
        |b| {
            lacks_tag_manifests(b);
            edit(b.join("bagit.txt"), |t| t.replace("UTF-8", "Shift_JIS"));
        },
        4,
        Valid("it reads more encodings"),
    ),
    Case(
        "ISO 8859-1",
        |b| {
            only(b, "\u{e9}".as_bytes(), b"\xe9");
            edit(b.join("bagit.txt"), |t| t.replace("UTF-8", "ISO-8859-1"));
        },
        0,
        Same,
    ),
    Case(
        "UTF-16",
        |b| {
            lacks_tag_manifests(b);
            edit(b.join("bagit.txt"), |t| t.replace("UTF-8", "UTF-16"));
            to_utf16(b.join("manifest-sha512.txt"));
            to_utf16(b.join("bag-info.txt"));
        },
        0,
        Same,
    ),
    // Files that are elsewhere.
    Case("fetched files", |b| fetch(b, "http://h/a - data/a\nfile:///b 12 data/sub/b\n"), 0, Same),
    Case(
        "a file that has not been fetched",
        |b| {
            fetch(b, "http://h/a 12 data/a\n");
            fs::remove_file(b.join("data/a")).unwrap();
        },
        1 | 16,
        Same,
    ),
    Case(
        "a file to be fetched that no manifest lists",
        |b| fetch(b, "http://h/c 12 data/c\n"),
        16,
        Valid("it does not look, though every manifest has to list it"),
    ),
    Case(
        "a tag file to be fetched",
        |b| fetch(b, "http://h/c 12 bag-info.txt\n"),
        8,
        Valid("it does not look, though it must not be"),
    ),
    Case("a file to be fetched out of the bag", |b| fetch(b, "http://h/c 12 ../c\n"), 4, Same),
    Case("no URL", |b| fetch(b, "h/a 12 data/a\n"), 8, Same),
    Case("a line without a name", |b| fetch(b, "http://h/a 12\n"), 8, Same),
];

/// Both programs give the same verdict, apart from what the table says.
#[test]
fn damaged_bags() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    write(d.join("good/a"), "content of a");
    write(d.join("good/sub/b"), "content of b");
    create(d, &["good"]);
    let bag = |n: usize| format!("{n}/bag");
    for (n, Case(_, damage, ..)) in CASES.iter().enumerate() {
        fs::create_dir(d.join(n.to_string())).unwrap();
        copy(&d.join("good"), &d.join(bag(n)));
        damage(&d.join(bag(n)));
    }
    let theirs = bagit_py(d, &(0..CASES.len()).map(bag).collect::<Vec<_>>());
    let mut wrong = Vec::new();
    for (n, Case(name, _, bits, verdict)) in CASES.iter().enumerate() {
        let o = check(d, &["--exit-bits", &bag(n)]);
        if status(&o) != *bits {
            wrong.push(format!("{name}: {} instead of {bits}\n{}{}", status(&o), text(&o.stdout), text(&o.stderr)));
        }
        let (want, why) = match verdict {
            Same => (*bits == 0, ""),
            Valid(why) => (true, *why),
            Invalid(why) => (false, *why),
        };
        assert!(why.is_empty() || want != (*bits == 0), "{name}: there is no difference");
        if theirs[&bag(n)] != want {
            wrong.push(format!("{name}: bagit.py says {}", theirs[&bag(n)]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What we make is a bag for bagit.py, whatever is in it, and what it makes is one for us.
#[test]
fn bags_of_either_program() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    let names = [
        "a", " lead", "#hash", "*star", "two  blanks", "q\"uo'te", "back\\slash", "new\nline", "c\rr",
        "\u{fc}ml\u{e4}ut", "~home", "-",
    ];
    for (n, name) in names.iter().enumerate() {
        write(d.join("tree").join(name), format!("content {n}"));
        write(d.join("tree/data").join(name), format!("other {n}"));
    }
    write(d.join("tree/bag-info.txt"), "not one");
    fs::create_dir(d.join("tree/.hashmill")).unwrap();
    write(d.join("tree/.hashmill/catalogue.sqlite"), "somebody's");
    fs::set_permissions(d.join("tree"), fs::Permissions::from_mode(0o750)).unwrap();
    fs::create_dir(d.join("empty")).unwrap();
    let mut ours = vec!["empty".to_string()];
    assert_eq!(create(d, &["empty"]), "empty: is a bag of 0 files, 0 B (sha512)\n");
    for algorithms in ["md5", "sha1,sha256", "sha512", "blake2b,sha384"] {
        let bag = algorithms.replace(',', "+");
        copy(&d.join("tree"), &d.join(&bag));
        let said = create(d, &["-a", algorithms, "--info", "Contact-Name: Ada\n  Lovelace", &bag]);
        assert!(said.starts_with(&format!("{bag}: is a bag of 26 files, ")), "{said}");
        let info = fs::read_to_string(d.join(&bag).join("bag-info.txt")).unwrap();
        let lines: Vec<&str> = info.lines().collect();
        assert_eq!(lines[0], "Contact-Name: Ada Lovelace");
        assert!(
            lines[1].starts_with("Bagging-Date: 20") && lines[2].starts_with("Bag-Software-Agent: hashmill "),
            "{info}"
        );
        assert!(lines[3].starts_with("Payload-Oxum: ") && lines[3].ends_with(".26") && lines.len() == 4, "{info}");
        let mode = fs::metadata(d.join(&bag).join("data")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o750);
        ours.push(bag);
    }
    let verdicts = bagit_py(d, &ours);
    assert!(ours.iter().all(|bag| verdicts[bag]), "{verdicts:?}");
    let all: Vec<&str> = ours.iter().map(String::as_str).collect();
    let o = check(d, &all);
    assert_eq!((status(&o), text(&o.stderr)), (0, String::new()), "{}", text(&o.stdout));
    assert_eq!(text(&o.stdout).lines().filter(|l| l.contains(": valid: ")).count(), ours.len());
    // The other way round. bagit.py does not find names that begin with an asterisk among tag files, of which there are
    // none.
    copy(&d.join("tree"), &d.join("theirs"));
    copy(&d.join("theirs"), &d.join("more"));
    let args = ["--quiet", "--md5", "--sha256", "--contact-name", "Ada", "theirs", "more"];
    stdout(&run(d, &python_program("bagit.py"), &args, b""));
    let o = check(d, &["-v", "theirs", "more"]);
    assert_eq!(status(&o), 0, "{}{}", text(&o.stdout), text(&o.stderr));
    assert_eq!(text(&o.stdout).lines().filter(|l| l.starts_with("ok          data/")).count(), 52);
    // An update leaves them valid for both.
    for bag in ["theirs", "md5"] {
        write(d.join(bag).join("data/sub/new"), "new");
        write(d.join(bag).join("notes/tag file"), "x");
        let o = hashmill(d, &["bag", "update", bag]);
        let said = text(&o.stdout);
        assert!(status(&o) == 0 && said.starts_with("new         data/sub/new\n"), "{said}{}", text(&o.stderr));
        assert!(said.contains(": 26 same, 1 new; ") && said.ends_with("; manifests written\n"), "{said}");
        assert!(fs::read_to_string(d.join(bag).join("tagmanifest-md5.txt")).unwrap().contains("  notes/tag file\n"));
        assert!(fs::read_to_string(d.join(bag).join("bag-info.txt")).unwrap().contains("Contact-Name: Ada"));
    }
    let bags = ["theirs", "md5"].map(String::from);
    assert_eq!(bagit_py(d, &bags).into_values().collect::<Vec<_>>(), [true, true]);
    assert_eq!(status(&check(d, &["theirs", "md5"])), 0);
}

/// Every file below a folder with its content, and every folder.
fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut todo = vec![folder.to_path_buf()];
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(&folder).unwrap().flatten() {
            let path = entry.path();
            let kind = entry.file_type().unwrap();
            let content = if kind.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
            if kind.is_dir() {
                todo.push(path.clone());
            }
            all.insert(path, content);
        }
    }
    all
}

/// What cannot be part of a bag is named, and nothing is changed.
#[test]
fn folders_that_cannot_be_bags() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    let t = d.join("t");
    write(t.join("a"), "x");
    let refused = |args: &[&str], what: &str, code: i32| {
        let before = tree(&t);
        let o = hashmill(d, &[&["bag", "create"], args].concat());
        let said = text(&o.stderr);
        assert!(status(&o) == code && said.contains(what), "{args:?}: {said}");
        assert!(said.lines().all(|line| line.starts_with("hashmill: ")), "{said}");
        assert_eq!(tree(&t), before, "{args:?}");
    };
    let odd = t.join(OsString::from_vec(b"b\xff".to_vec()));
    fs::write(&odd, "").unwrap();
    refused(&["t"], "has a name that is not UTF-8", 1);
    fs::remove_file(&odd).unwrap();
    assert!(run(d, "mkfifo", &["t/p"], b"").status.success());
    refused(&["t"], "hashmill: t/p: is a named pipe\n", 1);
    fs::remove_file(t.join("p")).unwrap();
    for (target, what) in
        [("../outside", "leads out of the folder"), ("nothing", "no such file"), ("/etc/passwd", "is absolute")]
    {
        symlink(target, t.join("link")).unwrap();
        write(d.join("outside"), "x");
        refused(&["t"], what, 1);
        fs::remove_file(t.join("link")).unwrap();
    }
    refused(&["nowhere"], "nowhere: no such file or directory", 1);
    refused(&["t/a"], "t/a: is not a folder", 1);
    refused(&["-a", "nothing", "t"], "nothing", 2);
    refused(&["-a", "xxh64:seed=7", "t"], "cannot tell", 1);
    refused(&["--info", "no tag", "t"], "is no tag", 2);
    refused(&["--info", "payload-oxum: 1.1", "t"], "Payload-Oxum is computed", 2);
    refused(&["--info-file", "outside", "t"], "outside: 1: is no line", 2);
    // The output of the run cannot be in its own bag.
    let before = tree(&t).len();
    let o = run(d, "sh", &["-c", &format!("{} bag create t > t/log", hashmill_testing::executable())], b"");
    assert!(status(&o) == 1 && text(&o.stderr).contains("t/log: is being written by this run"), "{}", text(&o.stderr));
    assert_eq!(tree(&t).len(), before + 1);
    fs::remove_file(t.join("log")).unwrap();
    // Somebody else's folder of that name.
    fs::create_dir(t.join(".hashmill-bag")).unwrap();
    refused(&["t"], "is not what an interrupted run leaves", 1);
    fs::rename(t.join(".hashmill-bag"), t.join(".hashmill-bag-new")).unwrap();
    write(t.join(".hashmill-bag-new/mine"), "x");
    refused(&["t"], "t/.hashmill-bag-new: directory not empty", 1);
    fs::remove_dir_all(t.join(".hashmill-bag-new")).unwrap();
    // Links that lead to the same afterwards are no problem.
    symlink("a", t.join("link")).unwrap();
    fs::create_dir(t.join("sub")).unwrap();
    symlink("..", t.join("sub/up")).unwrap();
    let o = hashmill(d, &["bag", "create", "t"]);
    assert_eq!(status(&o), 0, "{}", text(&o.stderr));
    assert!(text(&o.stderr).contains("t/sub/up: is a link to a folder"), "{}", text(&o.stderr));
    assert_eq!((status(&check(d, &["t"])), bagit_py(d, &["t".into()])["t"]), (0, true));
    refused(&["t"], "is a bag already", 1);
}

/// What `--json`, `--fast` and the other options say.
#[test]
fn what_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    for (name, content) in [("a", "x"), ("b", "yy"), ("c", "zzz")] {
        write(d.join("bag").join(name), content);
    }
    let said = hashmill(d, &["bag", "create", "-q", "-a", "sha1,md5", "bag"]);
    assert_eq!((status(&said), text(&said.stdout), text(&said.stderr)), (0, String::new(), String::new()));
    let o = check(d, &["-q", "bag"]);
    assert_eq!((status(&o), text(&o.stdout)), (0, String::new()));
    assert_eq!(stdout(&check(d, &["--fast", "bag"])), "bag: as long as Payload-Oxum says: 3 files, 6 B, not read\n");
    assert_eq!(stdout(&check(d, &["--completeness-only", "bag/"])), "bag/: complete: 3 files, 6 B, not read\n");
    fs::write(d.join("bag/data/a"), "y").unwrap();
    fs::rename(d.join("bag/data/c"), d.join("bag/data/d")).unwrap();
    assert_eq!(status(&check(d, &["--fast", "bag"])), 0);
    let o = check(d, &["--completeness-only", "--exit-bits", "bag"]);
    assert_eq!((status(&o), text(&o.stdout).lines().count()), (48, 3), "{}", text(&o.stdout));
    let o = check(d, &["bag"]);
    let want = "missing     data/c\n\
                new         data/d  (in no payload manifest)\n\
                changed     data/a  (md5)\n\
                bag: not valid: 5 ok, 1 changed, 1 missing, 1 not listed\n";
    assert_eq!((status(&o), text(&o.stdout).as_str()), (1, want));
    fs::write(d.join("bag/fetch.txt"), "http://h/c 3 data/c\nnothing\n").unwrap();
    let o = check(d, &["--json", "--exit-bits", "bag", "nowhere"]);
    let lines: Vec<Value> = text(&o.stdout).lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let find = |path: &str| lines.iter().find(|l| l["path"] == path).unwrap();
    assert_eq!((&find("data/a")["verdict"], &find("data/a")["wrong"]), (&"changed".into(), &"md5".into()));
    assert_eq!(find("data/a")["digests"].as_object().unwrap().len(), 2);
    assert_eq!((&find("data/b")["verdict"], &find("data/b")["list"]), (&"ok".into(), &"bag".into()));
    assert_eq!(
        (&find("data/c")["verdict"], &find("data/c")["error"]["kind"]),
        (&"missing".into(), &"not-fetched".into())
    );
    assert_eq!((&find("fetch.txt")["verdict"], &find("fetch.txt")["line"]), (&"malformed".into(), &2.into()));
    let totals = &lines.last().unwrap()["totals"];
    assert_eq!((&totals["bags"], &totals["valid"], &totals["flaws"]), (&2.into(), &0.into(), &2.into()));
    assert_eq!((lines.last().unwrap()["status"].as_i64(), status(&o)), (Some(57), 57));
    let o = check(d, &["bag"]);
    assert!(text(&o.stdout).contains("data/c  (to be fetched from http://h/c, which hashmill does not do)"));
    assert!(text(&o.stderr).contains("hashmill: bag/fetch.txt: 2: is no line `URL LENGTH NAME`"));
    assert_eq!(status(&check(d, &[])), 2);
    assert_eq!(status(&check(d, &["--fast", "--completeness-only", "bag"])), 2);
    // A flood of flaws is cut off.
    fs::write(d.join("bag/manifest-md5.txt"), "x\n".repeat(1000)).unwrap();
    let o = check(d, &["bag"]);
    assert!(text(&o.stderr).lines().count() < 30 && text(&o.stderr).contains("more like these"));
}

/// `bag update` reports what became of the payload, and renews nothing that may have rotted.
#[test]
fn updates() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    for n in 0..6 {
        write(d.join(format!("bag/{n}")), format!("content {n}"));
    }
    create(d, &["-a", "sha256,sha512", "bag"]);
    fs::rename(d.join("bag/data/0"), d.join("bag/data/moved")).unwrap();
    fs::remove_file(d.join("bag/data/1")).unwrap();
    fs::write(d.join("bag/data/2"), "another").unwrap();
    fs::write(d.join("bag/data/new"), "new").unwrap();
    edit(d.join("bag/bag-info.txt"), |t| t + "X: y\n");
    let before = tree(&d.join("bag"));
    for (options, what) in [
        (&[][..], "1 file has another content (--accept if that is right), 1 file is gone (--prune if that is right)"),
        (&["--accept"], "1 file is gone (--prune if that is right)"),
        (&["--prune"], "1 file has another content (--accept if that is right)"),
    ] {
        let o = hashmill(d, &[&["bag", "update", "bag"], options].concat());
        let said = format!("hashmill: bag: nothing was written: {what}\n");
        assert_eq!((status(&o), text(&o.stderr)), (1, said), "{}", text(&o.stdout));
        assert_eq!(tree(&d.join("bag")), before);
    }
    let o = hashmill(d, &["bag", "update", "--accept", "--prune", "--json", "bag"]);
    let lines: Vec<Value> = text(&o.stdout).lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let verdict =
        |path: &str| lines.iter().find(|l| l["path"] == path).unwrap()["verdict"].as_str().unwrap().to_string();
    let all = ["data/moved", "data/1", "data/2", "data/new", "data/3"].map(verdict);
    assert_eq!(all, ["moved", "missing", "differs", "new", "same"]);
    let o = check(d, &["bag"]);
    assert_eq!((status(&o), text(&o.stdout)), (0, "bag: valid: 6 files, 46 B\n".into()), "{}", text(&o.stderr));
    assert!(fs::read_to_string(d.join("bag/bag-info.txt")).unwrap().contains("\nPayload-Oxum: 46.6\nX: y\n"));
    assert!(bagit_py(d, &["bag".into()])["bag"]);
    // What a manifest has lost is found out, and repaired.
    edit(d.join("bag/manifest-sha256.txt"), |t| t[..t.len() - 80].into());
    edit(d.join("bag/manifest-sha512.txt"), |t| t + "nothing\n");
    assert_eq!(status(&check(d, &["bag"])), 1);
    let o = hashmill(d, &["bag", "update", "bag"]);
    assert!(status(&o) == 1 && text(&o.stderr).contains("is not understood (--prune drops"), "{}", text(&o.stderr));
    let o = hashmill(d, &["bag", "update", "-q", "--prune", "bag"]);
    assert_eq!(status(&o), 0, "{}", text(&o.stderr));
    assert_eq!(status(&check(d, &["bag"])), 0);
    // Bags that are only read.
    for (change, what) in [
        (("UTF-8", "ISO-8859-1"), "its tag files are not in UTF-8"),
        (("BagIt-Version: 1.0", "BagIt-Version: 3.0"), "cannot be updated as long as this is so"),
    ] {
        copy(&d.join("bag"), &d.join("other"));
        edit(d.join("other/bagit.txt"), |t| t.replace(change.0, change.1));
        let before = tree(&d.join("other"));
        let o = hashmill(d, &["bag", "update", "other"]);
        assert!(status(&o) == 1 && text(&o.stderr).contains(what), "{}", text(&o.stderr));
        assert_eq!(tree(&d.join("other")), before);
        fs::remove_dir_all(d.join("other")).unwrap();
    }
    let o = hashmill(d, &["bag", "update", "bag/data"]);
    assert!(status(&o) == 1 && text(&o.stderr).contains("this is no bag"), "{}", text(&o.stderr));
    // Names that bagit.py does not find are told, and RFC 8493's spelling is used only where it is the rule.
    for (version, spelled) in [("1.0", "  data/100%25\n"), ("0.97", "  data/100%\n")] {
        copy(&d.join("bag"), &d.join("other"));
        edit(d.join("other/bagit.txt"), |t| t.replace("1.0", version));
        fs::write(d.join("other/data/100%"), "x").unwrap();
        let o = hashmill(d, &["bag", "update", "--accept", "other"]);
        assert!(status(&o) == 0 && text(&o.stderr).contains("1 name has %"), "{}", text(&o.stderr));
        assert!(fs::read_to_string(d.join("other/manifest-sha512.txt")).unwrap().contains(spelled));
        assert_eq!(status(&check(d, &["other"])), 0);
        fs::remove_dir_all(d.join("other")).unwrap();
    }
}

/// A run that was interrupted after everything had been read is finished by the next one, which tells what has come or
/// gone since.
#[test]
fn an_interrupted_run() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    for n in 0..4 {
        write(d.join(format!("bag/{n}")), format!("content {n}"));
    }
    create(d, &["bag"]);
    let b = d.join("bag");
    // Half of the files have been moved.
    fs::create_dir(b.join(".hashmill-bag")).unwrap();
    for name in ["data", "bagit.txt", "bag-info.txt", "manifest-sha512.txt", "tagmanifest-sha512.txt"] {
        fs::rename(b.join(name), b.join(".hashmill-bag").join(name)).unwrap();
    }
    for n in 0..2 {
        fs::rename(b.join(format!(".hashmill-bag/data/{n}")), b.join(n.to_string())).unwrap();
    }
    copy(&b, &d.join("other"));
    let o = check(d, &["bag"]);
    assert!(status(&o) == 1 && text(&o.stderr).contains("`hashmill bag create` on it goes on"), "{}", text(&o.stderr));
    let o = hashmill(d, &["bag", "create", "bag"]);
    let want = "hashmill: bag: the interrupted run had read everything; its bag is finished\n";
    assert_eq!((status(&o), text(&o.stderr).as_str()), (0, want));
    assert_eq!(text(&o.stdout), "bag: complete: 4 files, 36 B, not read\n");
    assert_eq!(status(&check(d, &["bag"])), 0);
    fs::write(d.join("other/new"), "").unwrap();
    let o = hashmill(d, &["bag", "create", "other"]);
    assert!(status(&o) == 1 && text(&o.stdout).contains("new         data/new"), "{}", text(&o.stdout));
    stdout(&hashmill(d, &["bag", "update", "other"]));
    assert_eq!(status(&check(d, &["other"])), 0);
}

/// Nothing is written through a link that somebody has put in a bag.
#[test]
fn links_in_the_place_of_tag_files() {
    for name in ["tagmanifest-md5.txt", "tagmanifest-sha256.txt", "manifest-sha256.txt", "bag-info.txt"] {
        let dir = tempfile::tempdir().unwrap();
        let d = dir.path();
        fs::create_dir(d.join("b")).unwrap();
        fs::write(d.join("b/a"), "a").unwrap();
        fs::write(d.join("victim"), "precious").unwrap();
        assert!(hashmill(d, &["bag", "create", "-q", "-a", "sha256", "b"]).status.success());
        let _ = fs::remove_file(d.join("b").join(name));
        symlink("../victim", d.join("b").join(name)).unwrap();
        let before = fs::read(d.join("b/bagit.txt")).unwrap();
        let o = hashmill(d, &["bag", "update", "--prune", "b"]);
        assert_ne!(o.status.code(), Some(0), "{name}");
        assert_eq!(fs::read_to_string(d.join("victim")).unwrap(), "precious", "{name}");
        assert_eq!(fs::read(d.join("b/bagit.txt")).unwrap(), before);
        assert!(d.join("b").join(name).symlink_metadata().unwrap().is_symlink(), "{name}");
    }
}

/// An update does not take over what has happened to tag files, or what leads out of the bag, unless told to.
#[test]
fn updates_of_damaged_tag_files() {
    let make = || {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("b")).unwrap();
        fs::write(dir.path().join("b/a"), "a").unwrap();
        fs::write(dir.path().join("b/c"), "c").unwrap();
        fs::write(dir.path().join("outside"), "x").unwrap();
        assert!(hashmill(dir.path(), &["bag", "create", "-q", "-a", "sha256", "b"]).status.success());
        fs::write(dir.path().join("b/notes.txt"), "notes").unwrap();
        assert!(hashmill(dir.path(), &["bag", "update", "-q", "b"]).status.success());
        dir
    };
    let replace = |path: &Path, from: &str, to: &str| {
        let text = fs::read_to_string(path).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(path, text.replace(from, to)).unwrap();
    };
    let changed = "is not what the tag manifests state; --accept takes it as it is. Nothing was written";
    type Harm<'a> = &'a dyn Fn(&Path);
    let harms: [(Harm<'_>, &str, &str); 5] = [
        (&|d| replace(&d.join("b/bag-info.txt"), "hashmill", "hashmiXl"), changed, "--accept"),
        (&|d| replace(&d.join("b/notes.txt"), "notes", "nodes"), changed, "--accept"),
        (
            &|d| {
                let list = fs::read_to_string(d.join("b/manifest-sha256.txt")).unwrap();
                let rest: String = list.lines().skip(1).map(|l| format!("{l}\n")).collect();
                fs::write(d.join("b/manifest-sha256.txt"), rest).unwrap();
            },
            changed,
            "--accept",
        ),
        (
            &|d| fs::remove_file(d.join("b/notes.txt")).unwrap(),
            "is gone, and a tag manifest lists it; --prune",
            "--prune",
        ),
        (
            &|d| symlink("../../outside", d.join("b/data/l")).unwrap(),
            "is a symbolic link that leads out of the bag",
            "",
        ),
    ];
    for (harm, why, allows) in harms {
        let dir = make();
        let d = dir.path();
        harm(d);
        let before = fs::read(d.join("b/tagmanifest-sha256.txt")).unwrap();
        let o = hashmill(d, &["bag", "update", "b"]);
        assert!(text(&o.stderr).contains(why), "{why}: {}", text(&o.stderr));
        assert_ne!(o.status.code(), Some(0), "{why}");
        assert_eq!(fs::read(d.join("b/tagmanifest-sha256.txt")).unwrap(), before, "{why}");
        if !allows.is_empty() {
            let o = hashmill(d, &["bag", "update", allows, "b"]);
            assert_eq!(o.status.code(), Some(0), "{why}: {}", text(&o.stderr));
            assert_eq!(hashmill(d, &["bag", "check", "b"]).status.code(), Some(0), "{why}");
        }
    }
}
