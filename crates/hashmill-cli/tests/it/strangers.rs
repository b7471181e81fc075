//! Lists of strangers, in forms whose programs do not run here: each as its program writes it, checked as typed, with
//! the digests that other programs give for the same two files.

use hashmill_testing::{hashmill, run, text};
use std::fs;
use std::path::Path;

const MD5: [&str; 2] = ["900150983cd24fb0d6963f7d28e17f72", "6f5902ac237024bdd0c176cb93063dc4"];
const SHA1: [&str; 2] = ["a9993e364706816aba3e25717850c26c9cd0d89d", "22596363b3de40b06f981fb85d82312e8c0ed511"];
const SHA256: [&str; 2] = [
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    "a948904f2f0f479b8f8197694b30184b0d2ed1c1cd2a1ec0fb85d299a192a447",
];
const SHA384: &str = "ywB1P0WjXou1oD1pmsZQBycsMqsO3tFjGotgWkP/W+2AhgcroefMI1i67KE0yCWn";
const SHA512: [&str; 2] = [
    "3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw==",
    "2zl0qX8kB7fK4a5jfAAwaHoRkTJ01XhJJVjjnBbAF96E6s3Ixi/jTuThK0sUKIF/Cbaidgw/imZM6ulNJDSlkw==",
];

/// Files with the content `abc` and `hello world`, under the names in the lists.
fn files() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("media")).unwrap();
    for name in ["abc.bin", "media/clip 1.mov", "abc-1.0.0.tgz", "abc.js"] {
        fs::write(dir.path().join(name), "abc").unwrap();
    }
    for name in ["hello.txt", "media/gr\u{fc}n.mov", "hello-2.0.0.tgz", "hello.js"] {
        fs::write(dir.path().join(name), "hello world\n").unwrap();
    }
    dir
}

/// Verifies a list as typed: `hashmill check NAME`. Everything in it is as it should be; then each file is changed, and
/// nothing else fails.
fn verify(name: &str, list: &[u8], files_of_it: &[&str], remark: &str) {
    let dir = files();
    let d = dir.path();
    fs::create_dir_all(d.join(name).parent().unwrap()).unwrap();
    fs::write(d.join(name), list).unwrap();
    let run = |what: &str| {
        let o = hashmill(d, &["check", name]);
        (text(&o.stdout), text(&o.stderr), o.status.code(), format!("{name} {what}: {}", text(&o.stderr)))
    };
    let (out, err, status, context) = run("as it is");
    // The algorithm that differs follows in parentheses where there are several.
    let last = |line: &str| {
        let verdict = line.rsplit_once(": ").map(|(_, verdict)| verdict.to_string()).unwrap_or_default();
        verdict.split(" (").next().unwrap().to_string()
    };
    assert_eq!(out.lines().map(last).collect::<Vec<_>>(), vec!["OK"; files_of_it.len()], "{context}");
    for (line, file) in out.lines().zip(files_of_it) {
        let end = Path::new(file).file_name().unwrap().to_str().unwrap();
        assert!(line.strip_suffix(": OK").unwrap().ends_with(end), "{line} {file}");
    }
    let said = if remark.is_empty() { String::new() } else { format!("hashmill: {name}: {remark}\n") };
    assert_eq!((err, status), (said, Some(0)), "{context}");
    for (i, file) in files_of_it.iter().enumerate() {
        let before = fs::read(d.join(file)).unwrap();
        let mut changed = before.clone();
        changed[1] ^= 1;
        fs::write(d.join(file), changed).unwrap();
        let (out, _, status, context) = run(file);
        let want: Vec<_> = (0..files_of_it.len()).map(|j| if i == j { "FAILED" } else { "OK" }).collect();
        assert_eq!(
            (out.lines().map(last).collect::<Vec<_>>(), status),
            (want.iter().map(|w| w.to_string()).collect(), Some(1)),
            "{context}"
        );
        fs::write(d.join(file), before).unwrap();
    }
}

/// Returns a text as Windows writes it to files: in UTF-16, with a byte order mark, CR and LF.
fn wide(text: &str) -> Vec<u8> {
    let text = format!("\u{feff}{}", text.replace('\n', "\r\n"));
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

const DRIVES: &str = "of names with a drive, only what is below the base folder counts";
const BACKSLASHES: &str = "backslashes in names are read as slashes";

#[test]
fn powershell() {
    let [a, b] = SHA256.map(str::to_uppercase);
    let row = |algorithm: &str, hash: &str, path: &str| format!("{algorithm:<15} {hash:<70} {path}\n");
    let table = "\n".to_string()
        + &row("Algorithm", "Hash", "Path")
        + &row("---------", "----", "----")
        + &row("SHA256", &a, r"C:\Users\me\abc.bin")
        + &row("SHA256", &b, r"C:\Users\me\hello.txt")
        + "\n\n";
    verify("table.txt", &wide(&table), &["abc.bin", "hello.txt"], DRIVES);
    verify("table-8.txt", table.as_bytes(), &["abc.bin", "hello.txt"], DRIVES);
    let block = |hash: &str, path: &str| format!("\nAlgorithm : SHA256\nHash      : {hash}\nPath      : {path}\n\n\n");
    let list = block(&a, r"D:\backup\media\clip 1.mov") + &block(&b, "D:\\backup\\media\\gr\u{fc}n.mov");
    verify("list.txt", &wide(&list), &["media/clip 1.mov", "media/gr\u{fc}n.mov"], DRIVES);
    let records = format!(
        "\"Algorithm\",\"Hash\",\"Path\"\n\"SHA256\",\"{a}\",\"C:\\x\\abc.bin\"\n\"SHA256\",\"{b}\",\"C:\\x\\hello.txt\"\n"
    );
    verify("hashes.csv", &wide(&records), &["abc.bin", "hello.txt"], DRIVES);
    let typed = format!("#TYPE Microsoft.PowerShell.Commands.FileHashInfo\n{records}");
    verify("typed.csv", &wide(&typed), &["abc.bin", "hello.txt"], DRIVES);
}

#[test]
fn certutil() {
    let spaced: Vec<&str> = (0..20).map(|i| &SHA1[0][2 * i..2 * i + 2]).collect();
    let old = format!(
        "SHA1 hash of file abc.bin:\n{}\nCertUtil: -hashfile command completed successfully.\n",
        spaced.join(" ")
    );
    verify("old.txt", old.replace('\n', "\r\n").as_bytes(), &["abc.bin"], "");
    for (heading, end) in [
        ("SHA256 hash of {}:", "command completed successfully."),
        ("SHA256-Hash von {}:", "-Befehl wurde erfolgreich ausgef\u{fc}hrt."),
        ("Hachage SHA256 de {}\u{a0}:", "La commande s\u{2019}est termin\u{e9}e correctement."),
        ("SHA256 hash de {}:", "comando completado correctamente."),
        (
            "\u{425}\u{44d}\u{448} SHA256 {}:",
            "\u{2014} \u{43a}\u{43e}\u{43c}\u{430}\u{43d}\u{434}\u{430} \u{443}\u{441}\u{43f}\u{435}\u{448}\u{43d}\u{43e} \u{432}\u{44b}\u{43f}\u{43e}\u{43b}\u{43d}\u{435}\u{43d}\u{430}.",
        ),
        (
            "SHA256 \u{30cf}\u{30c3}\u{30b7}\u{30e5} (\u{5bfe}\u{8c61} {}):",
            "\u{30b3}\u{30de}\u{30f3}\u{30c9}\u{306f}\u{6b63}\u{5e38}\u{306b}\u{5b8c}\u{4e86}\u{3057}\u{307e}\u{3057}\u{305f}\u{3002}",
        ),
        ("SHA256 \u{7684} {} \u{54c8}\u{5e0c}:", "\u{547d}\u{4ee4}\u{6210}\u{529f}\u{5b8c}\u{6210}\u{3002}"),
        (
            "SHA256\u{c758} {} \u{d574}\u{c2dc}:",
            "\u{ba85}\u{b839}\u{c774} \u{c131}\u{acf5}\u{c801}\u{c73c}\u{b85c} \u{c644}\u{b8cc}\u{b418}\u{c5c8}\u{c2b5}\u{b2c8}\u{b2e4}.",
        ),
    ] {
        let one = |name: &str, digest: &str| {
            format!("{}\n{digest}\nCertUtil: -hashfile {end}\n", heading.replace("{}", name))
        };
        let list = one("abc.bin", SHA256[0]) + &one("hello.txt", SHA256[1]);
        verify("hashes.txt", &wide(&list), &["abc.bin", "hello.txt"], "");
        verify("hashes.txt", list.replace('\n', "\r\n").as_bytes(), &["abc.bin", "hello.txt"], "");
    }
    // In a language whose words are not known, an absolute name is found nevertheless.
    let list = format!("SHA256-hajautus kohteelle C:\\x\\abc.bin:\n{}\nCertUtil: -hashfile\n", SHA256[0]);
    verify("hashes.txt", &wide(&list), &["abc.bin"], DRIVES);
}

#[test]
fn teracopy() {
    let list = format!(
        "; Checksums generated by TeraCopy\n; teracopy.com\n\n{} ?MD5*abc.bin\n{} ?SHA256*media\\gr\u{fc}n.mov\n",
        MD5[0], SHA256[1]
    );
    let list = list.replace('\n', "\r\n");
    verify("list.md5", list.as_bytes(), &["abc.bin", "media/gr\u{fc}n.mov"], BACKSLASHES);
    verify("list.txt", &[b"\xef\xbb\xbf", list.as_bytes()].concat(), &["abc.bin", "media/gr\u{fc}n.mov"], BACKSLASHES);
}

#[test]
fn mtree_of_arch() {
    let list = format!(
        "#mtree\n/set type=file uid=0 gid=0 mode=644\n./abc.bin time=1700000000.0 size=3 md5digest={} sha256digest={}\n\
         /set mode=755\n./media time=1700000000.0 type=dir\n\
         ./media/gr\\303\\274n.mov time=1700000000.0 mode=644 size=12 sha256digest={}\n",
        MD5[0], SHA256[0], SHA256[1]
    );
    let dir = files();
    let packed = run(dir.path(), "gzip", &["-c"], list.as_bytes()).stdout;
    verify(".MTREE", &packed, &["abc.bin", "media/gr\u{fc}n.mov"], "");
}

#[test]
fn media_hash_list() {
    let list = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<hashlist version=\"1.1\">\n<creatorinfo><name>A &amp; B</name>\
         <username>a</username><hostname>h</hostname><tool>a tool</tool><startdate>2020-01-01T00:00:00Z</startdate>\
         <finishdate>2020-01-01T00:00:01Z</finishdate></creatorinfo>\n\
         <hash><file>clip 1.mov</file><size>3</size><lastmodificationdate>2020-01-01T00:00:00Z</lastmodificationdate>\
         <xxhash64be>44bc2cf5ad770999</xxhash64be><hashdate>2020-01-01T00:00:00Z</hashdate></hash>\n\
         <hash><file>gr\u{fc}n.mov</file><size>12</size><md5>{}</md5><sha1>{}</sha1></hash>\n</hashlist>\n",
        MD5[1], SHA1[1]
    );
    verify("media/card.mhl", list.as_bytes(), &["media/clip 1.mov", "media/gr\u{fc}n.mov"], "");
    // XXH64 in the order of bytes of the first tools, and XXH32 as a decimal number.
    let old = list.replace("<xxhash64be>44bc2cf5ad770999</xxhash64be>", "<xxhash64>990977adf52cbc44</xxhash64>");
    verify("media/card.mhl", old.as_bytes(), &["media/clip 1.mov", "media/gr\u{fc}n.mov"], "");
    let old = list.replace("<xxhash64be>44bc2cf5ad770999</xxhash64be>", "<xxhash>852579327</xxhash>");
    verify("media/card.mhl", old.as_bytes(), &["media/clip 1.mov", "media/gr\u{fc}n.mov"], "");
}

#[test]
fn npm() {
    let list = format!(
        r#"{{
  "name": "app",
  "version": "1.0.0",
  "lockfileVersion": 3,
  "requires": true,
  "packages": {{
    "": {{ "name": "app", "version": "1.0.0", "dependencies": {{ "abc": "^1.0.0" }} }},
    "node_modules/abc": {{
      "version": "1.0.0",
      "resolved": "https://registry.npmjs.org/abc/-/abc-1.0.0.tgz",
      "integrity": "sha512-{}",
      "dependencies": {{ "hello": "2.0.0" }}
    }},
    "node_modules/abc/node_modules/hello": {{
      "version": "2.0.0",
      "resolved": "https://registry.npmjs.org/hello/-/hello-2.0.0.tgz",
      "integrity": "sha512-{}"
    }}
  }}
}}
"#,
        SHA512[0], SHA512[1]
    );
    verify("package-lock.json", list.as_bytes(), &["abc-1.0.0.tgz", "hello-2.0.0.tgz"], "");
}

#[test]
fn images_integrity_and_nix() {
    let [a, b] = SHA256;
    verify(
        "digests",
        format!("sha256:{a}  abc.bin\nsha256:{b}  hello.txt\n").as_bytes(),
        &["abc.bin", "hello.txt"],
        "",
    );
    let list = format!("sha384-{SHA384}  abc.js\nsha512-{}  hello.js\n", SHA512[1]);
    verify("integrity", list.as_bytes(), &["abc.js", "hello.js"], "");
    // Of several, the strongest counts, and one of its digests is enough.
    let list = format!(
        "sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA= sha512-{} sha512-{}  abc.js\n",
        SHA512[1], SHA512[0]
    );
    verify("integrity", list.as_bytes(), &["abc.js"], "");
    let list = "sha256:1b8m03r63zqhnjf7l5wnldhh7c134ap5vpj0850ymkq1iyzicy5s  abc.bin\n\
                sha256-qUiQTy8PR5uPgZdpSzAYSw0u0cHNKh7A+4XSmaGSpEc=  hello.txt\n";
    verify("nix", list.as_bytes(), &["abc.bin", "hello.txt"], "");
}

#[test]
fn debian_and_bsd() {
    // A package's own list, and FreeBSD's of its images.
    verify(
        "md5sums",
        format!("{}  abc.bin\n{}  media/gr\u{fc}n.mov\n", MD5[0], MD5[1]).as_bytes(),
        &["abc.bin", "media/gr\u{fc}n.mov"],
        "",
    );
    let list = format!("SHA256 (abc.bin) = {}\nSHA256 (hello.txt) = {}\n", SHA256[0], SHA256[1]);
    verify("CHECKSUM.SHA256", list.as_bytes(), &["abc.bin", "hello.txt"], "");
    let list = format!(
        "Origin: Somebody\nSuite: stable\nDate: Sat, 01 Jan 2022 00:00:00 UTC\nMD5Sum:\n {}                3 abc.bin\n \
         {}               12 media/gr\u{fc}n.mov\nSHA256:\n {}                3 abc.bin\n {}               12 media/gr\u{fc}n.mov\n",
        MD5[0], MD5[1], SHA256[0], SHA256[1]
    );
    let dir = files();
    let d = dir.path();
    fs::write(d.join("Release"), list).unwrap();
    let o = hashmill(d, &["check", "Release"]);
    let both = |a: &str| format!("abc.bin: OK ({a})\nmedia/gr\u{fc}n.mov: OK ({a})\n");
    assert_eq!(
        (text(&o.stdout), text(&o.stderr), o.status.code()),
        (both("md5") + &both("sha256"), String::new(), Some(0))
    );
}

/// Lists of packages and modules are recognized: nothing in them names a file, so nothing is verified.
#[test]
fn lists_that_name_no_files() {
    let dir = files();
    let d = dir.path();
    let pip = format!(
        "#\n# This file is autogenerated by pip-compile\n#\nabc==1.0.0 \\\n    --hash=sha256:{} \\\n    --hash=sha256:{}\n    # via app\n",
        SHA256[0], SHA256[1]
    );
    let go = "example.org/abc v1.0.0 h1:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=\n\
              example.org/abc v1.0.0/go.mod h1:qUiQTy8PR5uPgZdpSzAYSw0u0cHNKh7A+4XSmaGSpEc=\n";
    for (name, list, lines, what) in [
        ("requirements.txt", &*pip, 1, "names a package, not a file"),
        ("go.sum", go, 2, "digest of a tree, not of a file"),
    ] {
        fs::write(d.join(name), list).unwrap();
        let o = hashmill(d, &["check", name]);
        assert_eq!((text(&o.stdout).as_str(), o.status.code()), ("", Some(1)), "{name}: {}", text(&o.stderr));
        let said = text(&o.stderr);
        assert_eq!(said.matches(what).count(), lines, "{name}: {said}");
        assert!(said.ends_with(&format!("hashmill: {name}: no properly formatted checksum lines found\n")), "{said}");
    }
}

/// What follows a pasted digest is not passed over.
#[test]
fn pasted_texts_that_say_more() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    fs::write(d.join("a"), "a").unwrap();
    let (md5, zeros) = ("0cc175b9c0f1b6a831c399e269772661", "0".repeat(40));
    for (text_of, status, said) in [
        (format!("MD5: {md5}"), 0, "a: OK\n"),
        (format!("MD5: {md5} SHA1: {zeros}"), 2, "has more than one digest"),
        (format!("{md5}  {zeros}  a"), 2, "has more than one digest"),
        (format!("magnet:?xl=7&dn=x&xt=urn:md5:{md5}"), 1, "a: FAILED (1 bytes, not 7)\n"),
        (format!("magnet:?xl=1&dn=x&xt=urn:md5:{md5}&xt=urn:btmh:{zeros}"), 0, "a: OK (but btmh not checked)\n"),
        (md5[2..].into(), 2, "has 120 bits, so part of it may be missing"),
    ] {
        let o = hashmill(d, &["check", "--expect", &text_of, "a"]);
        let out = text(&o.stdout) + &text(&o.stderr);
        assert!(out.contains(said) && o.status.code() == Some(status), "{text_of}: {out}");
    }
}
