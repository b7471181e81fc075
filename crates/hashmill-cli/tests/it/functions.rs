//! What is more than an algorithm: HMACs, keyed digests, and digests that are composed of those of pieces; next to the
//! programs that have them.

use hashmill::Algorithm;
use hashmill_testing::{hashmill, hashmill_with, noise, run, stdout, text};
use std::fs;
use std::path::Path;

/// Creates files of at most `most` bytes, of lengths around every border between pieces, and returns their names.
fn files(dir: &Path, most: usize) -> Vec<String> {
    let block = 180 << 10;
    let piece = 9_728_000;
    let sizes = [
        0,
        1,
        1023,
        1024,
        1025,
        2049,
        16 << 10,
        (16 << 10) + 1,
        block - 1,
        block,
        block + 1,
        3 * block + 7,
        piece - 1,
        piece,
        piece + 1,
        2 * piece,
        2 * piece + block,
        3 * piece + 1,
        (16 << 20) - 1,
        (32 << 20) + 5,
    ];
    let sizes = sizes.into_iter().filter(|n| *n <= most);
    sizes
        .map(|n| {
            fs::write(dir.join(format!("f{n}")), noise(n, n as u64 + 1)).unwrap();
            format!("f{n}")
        })
        .collect()
}

fn with<'a>(options: &[&'a str], files: &'a [String]) -> Vec<&'a str> {
    options.iter().copied().chain(files.iter().map(String::as_str)).collect()
}

/// Returns the verdicts of `hashmill check`, and the exit status.
fn verdicts(dir: &Path, args: &[&str]) -> (Vec<String>, Option<i32>) {
    let o = hashmill(dir, &[&["check"], args].concat());
    (text(&o.stdout).lines().map(String::from).collect(), o.status.code())
}

#[test]
fn the_same_digests_as_rhash() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    let files = files(d, usize::MAX);
    let names = ["tth", "btih", "ed2k", "aich"];
    let theirs = stdout(&run(d, "rhash", &with(&["--bsd", "--tth", "--btih", "--ed2k", "--aich"], &files), b""));
    let bare = |text: &str| text.lines().map(|l| l.replace("   (", " (").replace("  (", " (")).collect::<Vec<_>>();
    let theirs_bare = bare(&theirs);
    assert_eq!(theirs_bare.len(), 4 * files.len());
    // Alone, a composition has lanes of its own; with others, the file is read once for all of them.
    for threads in ["1", "4"] {
        let all = stdout(&hashmill(d, &with(&["sum", "-j", threads, "-a", "tth,btih,ed2k,aich"], &files)));
        assert_eq!(bare(&all), theirs_bare);
        for (i, name) in names.iter().enumerate() {
            let alone = stdout(&hashmill(d, &with(&["sum", "-j", threads, "-a", name], &files)));
            let want: Vec<&String> = theirs_bare.iter().skip(i).step_by(4).collect();
            assert_eq!(bare(&alone).iter().collect::<Vec<_>>(), want, "{name} on {threads}");
        }
    }
    // Lists of either are verified by the other.
    fs::write(d.join("theirs"), &theirs).unwrap();
    assert_eq!(verdicts(d, &["--quiet", "theirs"]), (vec![], Some(0)));
    for (list, options) in [
        ("simple", &["--tth", "--ed2k", "--aich", "-C"][..]),
        ("magnet", &["--magnet", "--tth", "--ed2k", "--btih", "--aich", "-M"]),
        ("links", &["--ed2k-link"]),
    ] {
        fs::write(d.join(list), run(d, "rhash", &with(options, &files), b"").stdout).unwrap();
        assert_eq!(verdicts(d, &["--quiet", list]), (vec![], Some(0)), "{list}");
    }
    hashmill(d, &with(&["sum", "-o", "ours", "-a", "tth,ed2k,aich"], &files));
    hashmill(d, &with(&["sum", "--format", "magnet", "-o", "ours.magnet", "-a", "tth,ed2k,btih,aich"], &files));
    for list in ["ours", "ours.magnet"] {
        let o = run(d, "rhash", &["-c", list], b"");
        assert_eq!(o.status.code(), Some(0), "{list}: {}", text(&o.stdout));
    }
    fs::write(d.join("f9728000"), noise(9_728_000, 1)).unwrap();
    let want = names.map(|name| format!("f9728000: FAILED ({name})"));
    assert_eq!(verdicts(d, &["--quiet", "theirs"]), (want.to_vec(), Some(1)));
}

/// Of a file that is a multiple of a piece, programs before eMule have another digest.
#[test]
fn both_digests_of_ed2k() {
    let dir = tempfile::tempdir().unwrap();
    let content = noise(2 * 9_728_000, 5);
    fs::write(dir.path().join("a"), &content).unwrap();
    let md4 = |bytes: &[u8]| Algorithm::MD4.digest(bytes);
    let pieces: Vec<u8> = content.chunks(9_728_000).flat_map(|p| md4(p).as_bytes().to_vec()).collect();
    let older = md4(&pieces);
    let newer = md4(&[&pieces, md4(b"").as_bytes()].concat());
    let o = hashmill(dir.path(), &["sum", "-a", "ed2k", "a"]);
    assert_eq!(text(&o.stdout), format!("ED2K (a) = {newer}\n"));
    for (digest, verdict) in [(&newer, "OK"), (&older, "OK"), (&md4(b""), "FAILED")] {
        let (out, _) = verdicts(dir.path(), &["-a", "ed2k", "--expect", &digest.to_string(), "a"]);
        assert_eq!(out, [format!("a: {verdict}")]);
    }
}

#[test]
fn etags_of_objects() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    let mib = 1 << 20;
    let md5 = |bytes: &[u8]| Algorithm::MD5.digest(bytes);
    let etag = |content: &[u8], part: usize| {
        let all: Vec<u8> = content.chunks(part).flat_map(|p| md5(p).as_bytes().to_vec()).collect();
        format!("{}-{}", md5(&all), content.len().div_ceil(part))
    };
    let mut list = String::new();
    for (name, len, part) in [("a", 20 * mib, 8), ("b", 20 * mib, 5), ("c", 13 * mib + 1, 7), ("d", 8 * mib, 8)] {
        let content = noise(len, part as u64);
        list += &format!("{}  {name}\n", etag(&content, part * mib));
        fs::write(d.join(name), content).unwrap();
    }
    fs::write(d.join("small"), "abc").unwrap();
    list += &format!("S3-ETAG (small) = \"{}\"\n", md5(b"abc"));
    fs::write(d.join("list"), &list).unwrap();
    let ok: Vec<String> = ["a", "b", "c", "d", "small"].iter().map(|f| format!("{f}: OK")).collect();
    assert_eq!(verdicts(d, &["list"]), (ok, Some(0)));
    let ours = stdout(&hashmill(d, &["sum", "-a", "s3-etag:part=8M", "--untagged", "a", "d", "small"]));
    let theirs: Vec<&str> = list.lines().collect();
    assert_eq!(ours, format!("{}\n{}\n{}  small\n", theirs[0], theirs[3], md5(b"abc")));
    // What is wrong may be the assumption.
    fs::write(d.join("c"), noise(13 * mib + 1, 1)).unwrap();
    let of_c = theirs[2].split(' ').next().unwrap();
    let (out, status) = verdicts(d, &["--expect", &format!("\"{of_c}\""), "c"]);
    assert_eq!((&*out[0], status), ("c: FAILED (assumed s3-etag:part=8M; -a decides)", Some(1)));
    let (out, _) = verdicts(d, &["-a", "s3-etag:part=7M", "--expect", of_c, "c"]);
    assert_eq!(out, ["c: FAILED"]);
    // A file that cannot have so many parts is another one.
    let (out, _) = verdicts(d, &["--expect", &of_c.replace("-2", "-9000"), "c"]);
    assert_eq!(out, ["c: FAILED"]);
    let o = hashmill(d, &["sum", "-a", "s3-etag", "a"]);
    assert_eq!(text(&o.stderr), "hashmill: s3-etag needs the length of a part, as in s3-etag:part=8M\n");
}

#[test]
fn blobs_of_git() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    let files = files(d, 1 << 20);
    let theirs = stdout(&run(d, "git", &with(&["hash-object"], &files), b""));
    assert_eq!(stdout(&hashmill(d, &with(&["sum", "-a", "git", "--template", "{git}"], &files))), theirs);
    let o = hashmill_with(d, &["sum", "-a", "git"], b"abc");
    let said = "hashmill: -: has no fixed length, which this digest needs\n";
    assert_eq!((text(&o.stderr).as_str(), o.status.code()), (said, Some(1)));
}

#[test]
fn hmacs_of_openssl() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    let files = files(d, 1 << 20);
    fs::write(d.join("key"), "a secret key").unwrap();
    let mut theirs = String::new();
    for name in ["md5", "sha1", "sha256", "sha512", "sha3-256"] {
        let option = format!("-{name}");
        let list = stdout(&run(d, "openssl", &with(&["dgst", &option, "-hmac", "a secret key"], &files), b""));
        let name = format!("hmac-{name}");
        let ours = with(&["sum", "-a", &name, "--key-file", "key", "--format", "openssl"], &files);
        assert_eq!(stdout(&hashmill(d, &ours)), list, "{name}");
        theirs += &list;
    }
    fs::write(d.join("list"), &theirs).unwrap();
    assert_eq!(verdicts(d, &["--quiet", "--key-file", "key", "list"]), (vec![], Some(0)));
    // Another key, no key, a changed file.
    fs::write(d.join("other"), "another key").unwrap();
    let (out, status) = verdicts(d, &["--key-file", "other", "list"]);
    assert!(out.iter().all(|l| l.contains(": FAILED")) && status == Some(1));
    let o = hashmill(d, &["check", "list"]);
    let out = text(&o.stdout);
    assert!(out.lines().all(|l| l.ends_with(" needs a key)") && l.contains(": NOT CHECKED (hmac-")), "{out}");
    assert_eq!(o.status.code(), Some(1));
    assert_eq!(hashmill(d, &["check", "--exit-bits", "list"]).status.code(), Some(4));
    // Without tags, -a says what the digests are.
    hashmill(d, &with(&["sum", "-o", "bare", "-a", "hmac-sha256", "--key-file", "key", "--untagged"], &files));
    assert_eq!(verdicts(d, &["--quiet", "-a", "hmac-sha256", "--key-file", "key", "bare"]), (vec![], Some(0)));
    fs::write(d.join("f1024"), noise(1024, 99)).unwrap();
    let (out, _) = verdicts(d, &["--quiet", "-a", "hmac-sha256", "--key-file", "key", "bare"]);
    assert_eq!(out, ["f1024: FAILED"]);
}

#[test]
fn keyed_digests() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    let files = files(d, 1 << 20);
    let key = noise(32, 7);
    fs::write(d.join("key"), &key).unwrap();
    let theirs = stdout(&run(d, "b3sum", &with(&["--keyed"], &files), &key));
    let ours = stdout(&hashmill(d, &with(&["sum", "-a", "keyed-blake3", "--key-file", "key", "--untagged"], &files)));
    assert_eq!(ours, theirs);
    let script = "import hashlib, sys
k = open('key', 'rb').read()
for f in sys.argv[1:]:
    c = open(f, 'rb').read()
    for n, h in ('b', hashlib.blake2b), ('s', hashlib.blake2s):
        print(f'{f} {h(c, key=k).hexdigest()}')";
    let theirs = stdout(&run(d, "python3", &with(&["-c", script], &files), b""));
    let pattern = r"{path} {keyed-blake2b}\n{path} {keyed-blake2s}";
    let ours = stdout(&hashmill(d, &with(&["sum", "--key-file", "key", "--template", pattern], &files)));
    assert_eq!(ours, theirs);
    // The first vector of SipHash's authors, and of their 15 bytes.
    fs::write(d.join("short"), (0..16).collect::<Vec<u8>>()).unwrap();
    fs::write(d.join("fifteen"), (0..15).collect::<Vec<u8>>()).unwrap();
    let args = ["sum", "-a", "keyed-siphash-2-4", "--key-file", "short", "--template", "{keyed-siphash-2-4}"];
    let o = hashmill(d, &[&args[..], &["f0", "fifteen"]].concat());
    assert_eq!(text(&o.stdout), "310e0edd47db6f72\ne545be4961ca29a1\n");
    hashmill(d, &with(&["sum", "-o", "list", "-a", "keyed-skein512,keyed-blake3", "--key-file", "key"], &files));
    assert_eq!(verdicts(d, &["--quiet", "--key-file", "key", "list"]), (vec![], Some(0)));
    let (out, _) = verdicts(d, &["--key-file", "short", "list"]);
    let want = "f0: NOT CHECKED (blake3: a key must have 32 bytes, not 16)";
    assert!(out.iter().any(|l| l == want), "{out:?}");
}

/// What ASC MHL calls C4 is SHA-512 in other digits, so either name will do.
#[test]
fn c4_and_sha512() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a"), "abc").unwrap();
    let tag = |name: &str| {
        let o = hashmill(dir.path(), &["sum", "--format", "mhl", "-a", name, "a"]);
        text(&o.stdout).lines().find(|l| l.contains("<c4 ")).map(|l| l.split(['<', '>']).nth(2).unwrap().to_string())
    };
    let id = stdout(&hashmill(dir.path(), &["sum", "--template", "{c4}", "a"]));
    assert_eq!(tag("c4"), tag("sha512"));
    assert_eq!(tag("c4").as_deref(), Some(id.trim_end()));
    let (out, _) = verdicts(dir.path(), &["--expect", id.trim_end(), "a"]);
    assert_eq!(out, ["a: OK"]);
}

#[test]
fn what_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    fs::write(d.join("key"), "secret").unwrap();
    fs::write(d.join("empty"), "").unwrap();
    for (args, want) in [
        (&["-a", "hmac-sha256"][..], "hmac-sha256 needs a key: --key-file names its file"),
        (&["-a", "hmac-crc32", "--key-file", "key"], "crc32: HMAC needs a cryptographic digest"),
        (&["-a", "keyed-md5", "--key-file", "key"], "md5: it takes no key"),
        (&["-a", "md5", "--key-file", "key"], "--key-file: no algorithm takes the key; hmac-ALG and keyed-ALG do"),
        (&["-a", "hmac-md5", "--key-file", "none"], "none: no such file or directory"),
        (&["-a", "hmac-md5", "--key-file", "empty"], "empty: is empty, so it has no key"),
        (&["-a", "tth", "-l", "64"], "the length of tth cannot be chosen"),
        (&["-a", "tth", "--format", "sfv"], "--format sfv: this form has no name for tth"),
        (&["-a", "md5", "--format", "bagit", "-z"], "--format bagit: its lines cannot end with NUL"),
    ] {
        let o = hashmill(d, &[&["sum"], args, &["key"]].concat());
        let said = (text(&o.stderr), text(&o.stdout), o.status.code());
        assert_eq!(said, (format!("hashmill: {want}\n"), String::new(), Some(2)), "{args:?}");
    }
}
