//! A folder of files with names that are hard to handle; and lists that somebody has made to do harm: none may take
//! memory or time without limit, nor make `hashmill check` say OK of what it has not verified, or touch what is
//! elsewhere.

use hashmill_testing::{hashmill, hashmill_and_memory, hashmill_with, noise, run, text};
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::symlink;
use std::path::Path;

/// Returns names that are hard to print.
pub(crate) fn names() -> Vec<Vec<u8>> {
    let mut names: Vec<Vec<u8>> = [
        "a", "with space", "new\nline", "car\rriage", "back\\slash", "*star", " lead", "trail ", "it's", "q\"uote",
        "par)en = x", "tab\tin", "~tilde", "#hash", "colon:in", "ünï", "$var", "-dash", "--tag", "a'b c$", "{", "b{c}",
        "=", "\u{1b}[31m", "%s",
    ]
    .iter()
    .map(|n| n.as_bytes().to_vec())
    .collect();
    names.push(b"not\xffutf8\xc3".to_vec());
    names.push(vec![b'x'; 255]);
    names
}

/// Creates a folder with files of these names, a subfolder, an empty and a long file, and symbolic links.
pub(crate) fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (i, name) in names().into_iter().enumerate() {
        fs::write(dir.path().join(OsString::from_vec(name)), noise(i * 97 % 1500, i as u64)).unwrap();
    }
    fs::create_dir(dir.path().join("folder")).unwrap();
    fs::write(dir.path().join("empty"), "").unwrap();
    fs::write(dir.path().join("big"), noise(3_000_001, 5)).unwrap();
    symlink("a", dir.path().join("link")).unwrap();
    symlink("nowhere", dir.path().join("dangling")).unwrap();
    dir
}

const MD5_OF_A: &str = "0cc175b9c0f1b6a831c399e269772661";

/// The most memory that `check` may take, in KiB, whatever the list is: twice what it takes for a short one.
const MEMORY: u64 = 40 << 10;

/// Returns a folder with a file `a`, whose content is `a`.
fn with_a() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a"), "a").unwrap();
    dir
}

/// Verifies the list `list` in a folder. Returns the output, the messages and the status, and the memory is little.
fn check(d: &Path, list: &str) -> (String, String, Option<i32>) {
    let (o, memory) = hashmill_and_memory(d, &["check", list], b"");
    assert!(memory < MEMORY, "{list} takes {memory} KiB");
    (text(&o.stdout), text(&o.stderr), o.status.code())
}

/// A line of 10 MB in lists of every sort: one fault, and what stands around it is verified where lines stand alone.
#[test]
fn long_lines() {
    let dir = with_a();
    let d = dir.path();
    let long = "x".repeat(10 << 20);
    let digit = "0".repeat(10 << 20);
    let good = format!("{MD5_OF_A}  a\n");
    for (name, list, is_verified) in [
        ("digit", format!("{good}{digit}\n{good}"), true),
        ("name", format!("{good}{MD5_OF_A}  {long}\n{good}"), true),
        ("tag", format!("{good}MD5 ({long}) = {MD5_OF_A}\n{good}"), true),
        ("tags", format!("{good}{long} (a) = {MD5_OF_A}\n{good}"), true),
        ("json", format!("{good}{{\"path\":\"{long}\"}}\n{good}"), true),
        ("magnet", format!("{good}magnet:?dn={long}\n{good}"), true),
        ("oci", format!("{good}md5:{digit}\n{good}"), true),
        ("hashdeep", format!("%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n1,{MD5_OF_A},{long}\n1,{MD5_OF_A},a\n"), true),
        ("mtree", format!("#mtree\n./{long} type=file md5={MD5_OF_A}\n./a type=file md5={MD5_OF_A}\n"), true),
        ("csv", format!("path,md5\n\"{long}\",{MD5_OF_A}\na,{MD5_OF_A}\n"), true),
        ("open.csv", format!("path,md5\na,{MD5_OF_A}\n\"{long}\na,{MD5_OF_A}\n"), true),
        ("sfv", format!("a E8B7BE43\n{long} 00000000\na E8B7BE43\n"), true),
        (
            "mhl",
            format!("<hashlist version=\"1.1\"><hash><file>{long}</file><md5>{MD5_OF_A}</md5></hash></hashlist>"),
            false,
        ),
        ("lock", format!("{{\"lockfileVersion\":3,\"packages\":{{\"{long}\":{{\"integrity\":\"sha1-x\"}}}}}}"), false),
        ("lsjson", format!("[\n{{\"Path\":\"{long}\",\"Hashes\":{{\"md5\":\"{MD5_OF_A}\"}}}}\n]"), false),
        ("Release", format!("MD5Sum:\n {MD5_OF_A} 1 {long}\n {MD5_OF_A} 1 a\n"), true),
    ] {
        fs::write(d.join(name), list).unwrap();
        let (out, err, status) = check(d, name);
        assert_eq!((out.contains("a: OK"), status), (is_verified, Some(1)), "{name}: {out} {err}");
        assert!(out.lines().all(|line| line.starts_with("a: OK")), "{name}: {out}");
        assert!(err.len() < 10_000, "{name}: {} bytes of messages", err.len());
    }
}

/// A million lines, or ten, take as much memory as a thousand.
#[test]
fn many_lines() {
    let dir = with_a();
    let d = dir.path();
    let is_long = std::env::var("HASHMILL_TEST_TIER").is_ok_and(|tier| tier == "long");
    let most = if is_long { 10_000_000 } else { 1_000_000 };
    type Line = fn(usize) -> String;
    let forms: [(&str, &str, Line, &str); 4] = [
        ("gnu", "", |_| format!("{MD5_OF_A}  a\n"), ""),
        ("missing", "", |i| format!("{MD5_OF_A}  a/{i}\n"), ""),
        ("csv", "path,md5\n", |_| format!("a,{MD5_OF_A}\n"), ""),
        (
            "mhl",
            "<hashlist version=\"1.1\">",
            |_| format!("<hash><file>a</file><md5>{MD5_OF_A}</md5></hash>\n"),
            "</hashlist>",
        ),
    ];
    for (form, before, line, after) in forms {
        // Each message takes longer than a digest.
        let most = if form == "missing" { most / 10 } else { most };
        let memory = [1000, most].map(|lines| {
            let mut list = std::io::BufWriter::new(fs::File::create(d.join(form)).unwrap());
            list.write_all(before.as_bytes()).unwrap();
            (0..lines).for_each(|i| list.write_all(line(i).as_bytes()).unwrap());
            list.write_all(after.as_bytes()).unwrap();
            drop(list);
            let (o, memory) = hashmill_and_memory(d, &["check", "--status", form], b"");
            assert_eq!(o.status.code(), Some(i32::from(form == "missing")), "{form} {lines}: {}", text(&o.stderr));
            memory
        });
        println!("{form}: {} KiB for 1000 lines, {} KiB for {most}", memory[0], memory[1]);
        assert!(memory[1] < memory[0] + (12 << 10), "{form}: {memory:?} KiB");
    }
}

/// Of two digests for one name, each counts.
#[test]
fn one_name_with_two_digests() {
    let dir = with_a();
    let d = dir.path();
    let wrong = "0".repeat(32);
    let sha1 = "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8";
    for (list, want) in [
        (format!("{MD5_OF_A}  a\n{wrong}  a\n"), "a: OK\na: FAILED\n"),
        (format!("{wrong}  a\n{MD5_OF_A}  a\n"), "a: FAILED\na: OK\n"),
        (format!("MD5 (a) = {MD5_OF_A}\nMD5 (a) = {wrong}\n"), "a: OK\na: FAILED\n"),
        (format!("SHA1 (a) = {sha1}\nMD5 (a) = {wrong}\n"), "a: OK (sha1)\na: FAILED (md5)\n"),
        (format!("path,md5,sha1\na,{wrong},{sha1}\n"), "a: FAILED (md5)\n"),
        (format!("magnet:?dn=a&xt=urn:md5:{MD5_OF_A}&xt=urn:md5:{wrong}\n"), "a: FAILED (md5)\n"),
        (
            format!(
                "{{\"path\":\"a\",\"digests\":{{\"md5\":\"{MD5_OF_A}\",\"sha1\":\"{}\"}}}}\n",
                &sha1.replace('8', "9")
            ),
            "a: FAILED (sha1)\n",
        ),
    ] {
        fs::write(d.join("list"), &list).unwrap();
        let (out, err, status) = check(d, "list");
        assert_eq!((out.as_str(), status), (want, Some(1)), "{list}: {err}");
    }
}

#[test]
fn bombs_of_xml() {
    let dir = with_a();
    let d = dir.path();
    let entities: String =
        (1..10).map(|i| format!("<!ENTITY l{i} \"{}\">", format!("&l{};", i - 1).repeat(10))).collect();
    let doctype = format!("<!DOCTYPE x [<!ENTITY l0 \"lol\">{entities}]>");
    let hash = |name: &str| format!("<hash><file>{name}</file><md5>{MD5_OF_A}</md5></hash>");
    let list = |inside: &str| format!("<?xml version=\"1.0\"?>\n<hashlist version=\"1.1\">{inside}</hashlist>\n");
    let outside = "<!DOCTYPE x [<!ENTITY e SYSTEM \"file:///etc/hostname\">]>";
    let attributes: String = (0..100_000).map(|i| format!(" a{i}=\"\"")).collect();
    for (name, text) in [
        ("laughs", list(&hash("&l9;")).replace("?>\n", &format!("?>{doctype}\n"))),
        ("laughs-2", list(&format!("{}{doctype}{}", hash("a"), hash("&l9;")))),
        ("elsewhere", list(&hash("&e;")).replace("?>\n", &format!("?>{outside}\n"))),
        ("deep", list(&"<hash>".repeat(1_000_000))),
        ("deep-2", list(&format!("<hash>{}</hash>", "<file>".repeat(1_000_000)))),
        ("many", list(&format!("<hash>{}</hash>", "<md5>0</md5>".repeat(1_000_000)))),
        ("attributes", list(&format!("<hash{attributes}/>"))),
        ("comment", list(&format!("<!-- {}", "x".repeat(20 << 20)))),
        ("entity", list(&hash(&format!("&{};", "x".repeat(20 << 20))))),
        ("open", list(&format!("<hash><file>{}", "a".repeat(20 << 20)))),
    ] {
        fs::write(d.join(name), text).unwrap();
        let (out, err, status) = check(d, name);
        assert_eq!(status, Some(1), "{name}: {out} {err}");
        assert!(!out.contains("OK") || name == "laughs-2", "{name}: {out}");
        assert!(err.len() < 10_000, "{name}: {} bytes of messages", err.len());
    }
}

/// What is cut off is reported, whatever was verified before.
#[test]
fn packed_lists_that_are_cut_off() {
    let dir = with_a();
    let d = dir.path();
    // Different lines, so that there is something left when they are packed.
    let mut list = String::new();
    for i in 0..30_000_u64 {
        let digest: String = noise(16, i).iter().map(|b| format!("{b:02x}")).collect();
        list += &format!("{digest}  missing-{i}\n");
    }
    let list = format!("{MD5_OF_A}  a\n{list}");
    for program in ["gzip", "xz", "zstd", "bzip2"] {
        let packed = run(d, program, &["-c"], list.as_bytes()).stdout;
        fs::write(d.join("list"), &packed).unwrap();
        let (out, err, status) = check(d, "list");
        assert_eq!((out.starts_with("a: OK\n"), status), (true, Some(1)), "{program}: {err:.500}");
        assert_eq!(out.lines().count(), list.lines().count(), "{program}");
        for at in [packed.len() - 1, packed.len() - packed.len() / 20] {
            fs::write(d.join("list"), &packed[..at]).unwrap();
            let (out, err, status) = check(d, "list");
            // The decoder of Zstandard keeps the last two megabytes to itself, so that nothing tells that this was a
            // list.
            let (is_read, why) = if program == "zstd" {
                (false, "hashmill: list: looks like a zstd archive, not a checksum list")
            } else {
                (true, "hashmill: list: the compressed list is cut off\n")
            };
            assert_eq!((out.starts_with("a: OK\n"), status), (is_read, Some(1)), "{program} {at}");
            assert!(err.contains(why), "{program} {at}: {err:.500}");
        }
        // Damage in the middle is found by the checksums of the packers, or by what it does to the lines.
        let mut damaged = packed.clone();
        let middle = damaged.len() / 2;
        damaged[middle] ^= 0x10;
        fs::write(d.join("list"), damaged).unwrap();
        assert_eq!(check(d, "list").2, Some(1), "{program}");
    }
}

/// A few kilobytes that become more than any list, and would become gigabytes as well.
#[test]
fn bombs_that_are_packed() {
    let dir = with_a();
    let d = dir.path();
    let good = format!("{MD5_OF_A}  a\n").into_bytes();
    let many = |byte: u8| vec![byte; 70_000_000];
    for (packer, what, bomb) in [
        ("gzip", "zeros", many(0)),
        ("xz", "one line", many(b'a')),
        ("zstd", "after a line", [good.clone(), many(b'a')].concat()),
        ("bzip2", "blank lines", [good.clone(), many(b'\n')].concat()),
    ] {
        fs::write(d.join("list"), run(d, packer, &["-1", "-c"], &bomb).stdout).unwrap();
        let start = std::time::Instant::now();
        let (out, err, status) = check(d, "list");
        assert!(start.elapsed().as_secs() < 20, "{what}: {:?}", start.elapsed());
        assert_eq!(status, Some(1), "{what}: {out} {err}");
    }
}

/// A list in an encoding that is not understood is refused, or its lines are faults.
#[test]
fn wrong_encodings() {
    let dir = with_a();
    let d = dir.path();
    fs::write(d.join("\u{e4}"), "a").unwrap();
    let lines = format!("{MD5_OF_A}  a\nMD5 (\u{e4}) = {MD5_OF_A}\n");
    let wide = |mark: bool, order: fn(u16) -> [u8; 2]| -> Vec<u8> {
        let text = if mark { format!("\u{feff}{lines}") } else { lines.clone() };
        text.encode_utf16().flat_map(order).collect()
    };
    let utf32: Vec<u8> = format!("\u{feff}{lines}").chars().flat_map(|c| (c as u32).to_le_bytes()).collect();
    let latin: Vec<u8> = lines.chars().map(|c| c as u32 as u8).collect();
    let utf7 = lines.replace('\u{e4}', "+AOQ-").into_bytes();
    let both = "a: OK\n\u{e4}: OK\n";
    for (name, list, want) in [
        ("utf-8", lines.clone().into_bytes(), both),
        ("utf-8 with a mark", format!("\u{feff}{lines}").into_bytes(), both),
        ("utf-16le", wide(true, u16::to_le_bytes), both),
        ("utf-16be", wide(true, u16::to_be_bytes), both),
        ("utf-32", utf32, ""),
        ("latin-1", latin, "a: OK\n"),
        ("utf-7", utf7, "a: OK\n"),
    ] {
        fs::write(d.join("list"), list).unwrap();
        let (out, err, status) = check(d, "list");
        let ok: String = out.lines().filter(|line| line.ends_with(": OK")).map(|line| format!("{line}\n")).collect();
        assert_eq!((ok.as_str(), status), (want, Some(i32::from(want != both))), "{name}: {out} {err}");
    }
    // Without a mark, UTF-16 is either read or refused.
    for list in [wide(false, u16::to_le_bytes), wide(false, u16::to_be_bytes)] {
        fs::write(d.join("list"), list).unwrap();
        let (out, err, status) = check(d, "list");
        assert!((out.as_str(), status) == (both, Some(0)) || out.is_empty() && status == Some(1), "{out} {err}");
    }
    // An odd number of bytes, and half of a pair.
    let mut cut = wide(true, u16::to_le_bytes);
    cut.pop();
    fs::write(d.join("list"), cut).unwrap();
    assert_eq!(check(d, "list").2, Some(1));
}

/// A NUL ends no name: `b` followed by NUL must not pass for `b`.
#[test]
fn nul_bytes() {
    let dir = with_a();
    let d = dir.path();
    let good = format!("{MD5_OF_A}  a\n");
    for bad in [
        format!("{MD5_OF_A}  a\0\n"),
        format!("{MD5_OF_A}  a\0b\n"),
        format!("MD5 (a\0) = {MD5_OF_A}\n"),
        format!("\0{MD5_OF_A}  a\n"),
        format!("{MD5_OF_A}\0  a\n"),
    ] {
        // Far from the beginning, where the list is known to have lines that end with LF.
        let list = good.repeat(10_000) + &bad + &good;
        fs::write(d.join("list"), &list).unwrap();
        let (out, err, status) = check(d, "list");
        assert_eq!((out.lines().count(), status), (10_001, Some(1)), "{bad:?}: {err}");
        assert!(out.lines().all(|line| line == "a: OK"), "{bad:?}");
        for list in [bad.clone(), format!("{good}{bad}")] {
            fs::write(d.join("list"), list).unwrap();
            let (out, err, status) = check(d, "list");
            assert!(status == Some(1) || out == "a: OK\n" && bad.starts_with(MD5_OF_A), "{bad:?}: {out} {err}");
        }
    }
    for list in [
        format!("path,md5\n\"a\0\",{MD5_OF_A}\n"),
        format!("path,md5,path_base64\n,{MD5_OF_A},YQA=\n"),
        format!("{{\"path\":\"a\\u0000\",\"digests\":{{\"md5\":\"{MD5_OF_A}\"}}}}\n"),
        format!("#mtree\n./a\\000 type=file md5={MD5_OF_A}\n"),
        format!("magnet:?dn=a%00&xt=urn:md5:{MD5_OF_A}\n"),
        format!("<hashlist version=\"1.1\"><hash><file>a&#0;</file><md5>{MD5_OF_A}</md5></hash></hashlist>"),
    ] {
        fs::write(d.join("list"), &list).unwrap();
        let (out, err, status) = check(d, "list");
        assert_eq!((out.as_str(), status), ("", Some(1)), "{list:?}: {err}");
    }
}

/// A list that names itself, as `md5sum * >list` makes it, cannot have its own digest.
#[test]
fn a_list_that_lists_itself() {
    let dir = with_a();
    let d = dir.path();
    run(d, "sh", &["-c", ": >list; md5sum * >list"], b"");
    let (out, err, status) = check(d, "list");
    assert_eq!((out.as_str(), status), ("a: OK\nlist: FAILED\n", Some(1)), "{err}");
    // As a pipe that it reads from, and as standard input.
    let list = format!("{MD5_OF_A}  /dev/stdin\n{MD5_OF_A}  a\n");
    let o = hashmill_with(d, &["check", "-"], list.as_bytes());
    assert_eq!((text(&o.stdout).as_str(), o.status.code()), ("/dev/stdin: REFUSED\na: OK\n", Some(1)));
    let o = hashmill_with(d, &["check", "--allow-outside", "-"], list.as_bytes());
    assert_eq!((text(&o.stdout).as_str(), o.status.code()), ("/dev/stdin: SKIPPED\na: OK\n", Some(1)));
}

/// Names that lead out of the folder, by themselves or by links, in forms of every sort.
#[test]
fn names_that_lead_out() {
    let dir = tempfile::tempdir().unwrap();
    let inside = dir.path().join("in");
    fs::create_dir_all(inside.join("sub")).unwrap();
    fs::write(dir.path().join("secret"), "a").unwrap();
    fs::write(inside.join("a"), "a").unwrap();
    symlink("../secret", inside.join("link")).unwrap();
    symlink("../..", inside.join("sub/up")).unwrap();
    symlink(dir.path().join("secret"), inside.join("absolute")).unwrap();
    // Links that stay inside are followed.
    symlink("a", inside.join("good")).unwrap();
    symlink("..", inside.join("sub/here")).unwrap();
    let secret = dir.path().canonicalize().unwrap().join("secret");
    let out = ["../secret", "sub/../../secret", "link", "sub/up/secret", "absolute", secret.to_str().unwrap()];
    let within = ["good", "sub/here/a", "sub/../a"];
    type Row = (&'static str, &'static str, fn(&str) -> String, &'static str);
    let lists: [Row; 6] = [
        ("gnu", "", |name| format!("{MD5_OF_A}  {name}\n"), ""),
        ("bsd", "", |name| format!("MD5 ({name}) = {MD5_OF_A}\n"), ""),
        ("csv", "path,md5\n", |name| format!("{name},{MD5_OF_A}\n"), ""),
        ("manifest-md5.txt", "", |name| format!("{MD5_OF_A}  {name}\n"), ""),
        (
            "list.mhl",
            "<hashlist version=\"1.1\">\n",
            |name| format!("<hash><file>{name}</file><md5>{MD5_OF_A}</md5></hash>\n"),
            "</hashlist>\n",
        ),
        ("Release", "MD5Sum:\n", |name| format!(" {MD5_OF_A} 1 {name}\n"), ""),
    ];
    for (form, before, line, after) in lists {
        let lines: String = out.iter().chain(&within).map(|name| line(name)).collect();
        fs::write(inside.join(form), format!("{before}{lines}{after}")).unwrap();
        let verdicts = |of_out: &str| -> String {
            let all = out.iter().map(|name| (name, of_out)).chain(within.iter().map(|name| (name, "OK")));
            all.map(|(name, verdict)| format!("{name}: {verdict}\n")).collect()
        };
        let (said, err, status) = check(&inside, form);
        assert_eq!((said, status), (verdicts("REFUSED"), Some(1)), "{form}: {err}");
        let o = hashmill(&inside, &["check", "--allow-outside", form]);
        assert_eq!((text(&o.stdout), o.status.code()), (verdicts("OK"), Some(0)), "{form}: {}", text(&o.stderr));
    }
}
