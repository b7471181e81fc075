//! Round trips of every form with the programs that write and verify it, with names that are hard to write down: what
//! `hashmill check` makes of the programs' lists, and what the programs make of lists that are written here.
//!
//! `cargo test --release --workspace --test it -- forms:: --nocapture` prints the tables.

use hashmill::Algorithm;
use hashmill_lists::{Entry, Form, Header, List, ReadOptions, Stated, Writer};
use hashmill_testing::{hashmill, noise, python_program, run, text};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::BufReader;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::Output;

/// Names that are hard to write down, and what to call them.
const NAMES: [(&str, &[u8]); 21] = [
    ("plain", b"plain"),
    ("blanks", b"two  blanks"),
    ("leading blank", b" lead"),
    ("trailing blank", b"trail "),
    ("quotes", b"q\"uo'te"),
    ("quoted", b"\"quoted\""),
    ("backslash", b"back\\slash"),
    ("escape", b"\\n"),
    ("newline", b"new\nline"),
    ("CR", b"c\rr"),
    ("CR at the end", b"end\r"),
    ("percent", b"per%25cent"),
    ("comma", b"com,ma"),
    ("parenthesis", b"par)en = x"),
    ("hash", b"#hash"),
    ("semicolon", b";semi"),
    ("not ASCII", "\u{fc}ml\u{e4}ut".as_bytes()),
    ("not UTF-8", b"bad\xff"),
    ("dash", b"-dash"),
    ("asterisk", b"*star"),
    ("folder", b"sub/x"),
];

/// Returns the name that a table calls so.
fn named(label: &str) -> &'static [u8] {
    NAMES.iter().find(|(l, _)| *l == label).unwrap_or_else(|| panic!("no name is called {label}")).1
}

fn os(name: &[u8]) -> OsString {
    OsString::from_vec(name.to_vec())
}

/// Returns what a file contains, which no two files have in common.
fn content(name: &[u8]) -> Vec<u8> {
    let seed = NAMES.iter().position(|(_, n)| *n == name).unwrap_or(NAMES.len()) as u64;
    noise(50 + 37 * seed as usize, seed + 1)
}

/// A folder `files` with files of some of the names, and room for a list next to it.
struct Site {
    root: tempfile::TempDir,
    names: Vec<&'static [u8]>,
}

impl Site {
    fn new(names: impl IntoIterator<Item = &'static [u8]>) -> Self {
        let site = Site { root: tempfile::tempdir().unwrap(), names: names.into_iter().collect() };
        fs::create_dir(site.files()).unwrap();
        for name in &site.names {
            let path = site.files().join(os(name));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content(name)).unwrap();
        }
        site
    }

    fn root(&self) -> &Path {
        self.root.path()
    }

    fn files(&self) -> PathBuf {
        self.root().join("files")
    }

    /// Runs a command in the folder, with the names at its end or without them.
    fn run(&self, command: &str, with_names: bool) -> Output {
        let names = self.names.iter().filter(|_| with_names).map(|name| os(name));
        start(&self.files(), command, names, b"")
    }
}

/// Runs a command, whose words are separated by single blanks, and more arguments.
fn start(dir: &Path, command: &str, more: impl IntoIterator<Item = OsString>, stdin: &[u8]) -> Output {
    let mut words = command.split(' ');
    let program = words.next().unwrap();
    let args: Vec<OsString> = words.map(OsString::from).chain(more).collect();
    match program {
        "bagit.py" | "ascmhl" | "ascmhl-debug" | "cfv" => run(dir, &python_program(program), &args, stdin),
        _ => run(dir, program, &args, stdin),
    }
}

/// A list, or several, and where they are.
struct Made {
    /// Where `hashmill check` runs.
    cwd: PathBuf,
    lists: Vec<String>,
    /// Where the files are by now.
    files: PathBuf,
    /// What their names begin with in the list.
    prefix: &'static str,
}

/// How a program makes a list.
#[derive(Clone, Copy)]
enum How {
    /// It prints it. The names are its arguments.
    Names,
    /// It prints it, and finds the files in the current folder by itself.
    Folder,
    /// By more than that. Returns nothing if the program fails because of the names.
    Own(fn(&Site, &Row) -> Option<Made>),
}

/// A program that writes lists.
#[derive(Clone, Copy)]
struct Row {
    form: &'static str,
    command: &'static str,
    how: How,
    /// What its output goes through.
    then: &'static str,
    /// The list's name.
    list: &'static str,
    /// More options of `hashmill check`.
    options: &'static [&'static str],
    /// The verdict of all files.
    verdict: &'static str,
    /// Names whose verdict is another, and what `hashmill check` says of a list with this name alone.
    but: &'static [(&'static str, &'static str)],
}

const fn row(form: &'static str, command: &'static str) -> Row {
    Row { form, command, how: How::Names, then: "", list: "list", options: &[], verdict: "ok", but: &[] }
}

impl Row {
    const fn folder(self) -> Self {
        Row { how: How::Folder, ..self }
    }

    const fn own(self, how: fn(&Site, &Row) -> Option<Made>) -> Self {
        Row { how: How::Own(how), ..self }
    }

    const fn then(self, command: &'static str) -> Self {
        Row { then: command, ..self }
    }

    const fn list(self, list: &'static str) -> Self {
        Row { list, ..self }
    }

    const fn options(self, options: &'static [&'static str]) -> Self {
        Row { options, ..self }
    }

    const fn verdict(self, verdict: &'static str) -> Self {
        Row { verdict, ..self }
    }

    const fn but(self, but: &'static [(&'static str, &'static str)]) -> Self {
        Row { but, ..self }
    }

    fn make(&self, site: &Site) -> Option<Made> {
        let mut output = match self.how {
            How::Names => site.run(self.command, true).stdout,
            How::Folder => site.run(self.command, false).stdout,
            How::Own(how) => return how(site, self),
        };
        if !self.then.is_empty() {
            output = start(site.root(), self.then, [], &output).stdout;
        }
        fs::write(site.root().join(self.list), output).unwrap();
        Some(next_to(site, self.list))
    }
}

/// Returns a list next to the folder, whose names are relative to the folder.
fn next_to(site: &Site, list: &str) -> Made {
    Made { cwd: site.files(), lists: vec![format!("../{list}")], files: site.files(), prefix: "" }
}

/// Lines that are neither escaped nor end otherwise than with LF: a line break is one in the list.
const BROKEN: &[(&str, &str)] = &[("newline", "new missing"), ("CR at the end", "end missing")];
/// The same where the algorithm and a parenthesis come first.
const TAG_BROKEN: &[(&str, &str)] = &[("newline", "? malformed")];
/// RHash reads backslashes in its arguments as slashes, and finds no such file.
const RHASH: &[(&str, &str)] =
    &[("backslash", "? empty"), ("escape", "? empty"), ("newline", "new missing"), ("CR at the end", "end missing")];
const RHASH_TAG: &[(&str, &str)] = &[("backslash", "? empty"), ("escape", "? empty"), ("newline", "? malformed")];
const RHASH_COLUMNS: &[(&str, &str)] =
    &[("backslash", "? empty"), ("escape", "? empty"), ("newline", "? malformed, line missing")];
/// In SFV, what begins with a semicolon is a comment.
const RHASH_SFV: &[(&str, &str)] = &[
    ("backslash", "nothing, status 1"),
    ("escape", "nothing, status 1"),
    ("newline", "? malformed"),
    ("semicolon", "nothing, status 1"),
];
const RHASH_MAGNET: &[(&str, &str)] = &[("backslash", "? empty"), ("escape", "? empty"), ("folder", "x missing")];
/// cfv leaves out the names that a form cannot hold, and writes no list if there are no others.
const CFV: &[(&str, &str)] = &[
    ("newline", "? not-found"),
    ("CR", "? not-found"),
    ("CR at the end", "? not-found"),
    ("not UTF-8", "? not-found"),
];
const CFV_SFV: &[(&str, &str)] = &[
    ("newline", "? not-found"),
    ("CR", "? not-found"),
    ("CR at the end", "? not-found"),
    ("semicolon", "nothing, status 1"),
    ("not UTF-8", "? not-found"),
];
const CFV_CRC: &[(&str, &str)] = &[
    ("trailing blank", "trail missing"),
    ("newline", "? not-found"),
    ("CR", "? not-found"),
    ("CR at the end", "? not-found"),
    ("not UTF-8", "? not-found"),
];
/// rclone writes pictures of control characters, with and without JSON.
const RCLONE: &[(&str, &str)] = &[
    ("newline", "new\\xe2\\x90\\x8aline missing"),
    ("CR", "c\\xe2\\x90\\x8dr missing"),
    ("CR at the end", "end\\xe2\\x90\\x8d missing"),
];

const TABLE: &[Row] = &[
    // coreutils
    row("gnu", "md5sum --"),
    row("gnu", "md5sum -b --"),
    row("gnu", "md5sum -z --"),
    row("bsd", "md5sum --tag --"),
    row("gnu", "sha1sum --"),
    row("gnu", "sha224sum --"),
    row("gnu", "sha256sum --"),
    row("bsd", "sha256sum --tag --"),
    row("bsd", "sha256sum --tag -z --"),
    row("gnu", "sha384sum --"),
    row("gnu", "sha512sum --"),
    row("gnu", "b2sum --"),
    row("gnu", "b2sum -l 256 --"),
    row("bsd", "b2sum -l 256 --tag --"),
    row("bsd", "cksum -a sha256 --"),
    row("bsd", "cksum -a sm3 --"),
    row("gnu", "cksum -a blake2b --untagged --"),
    row("posix", "cksum --").but(BROKEN),
    row("", "cksum -a sysv --").verdict("? malformed"),
    // b3sum and xxhsum
    row("gnu", "b3sum --").but(&[("CR at the end", "end missing"), ("not UTF-8", "bad\\xef\\xbf\\xbd missing")]),
    row("gnu", "xxhsum -H0 --").but(BROKEN),
    row("gnu", "xxhsum -H1 --").but(BROKEN),
    row("gnu", "xxhsum -H2 --").but(BROKEN),
    row("bsd", "xxhsum -H3 --").but(TAG_BROKEN),
    row("bsd", "xxhsum -H1 --tag --").but(TAG_BROKEN),
    // OpenSSL
    row("openssl", "openssl dgst -sha256 --").but(TAG_BROKEN),
    row("openssl", "openssl dgst -sha3-256 --").but(TAG_BROKEN),
    row("gnu", "openssl dgst -sha256 -r --").but(&[("CR at the end", "end missing")]),
    row("openssl", "openssl dgst -sha256 -c --").but(TAG_BROKEN),
    row("openssl", "openssl dgst -sha256 -hmac key --").verdict("not-checked").but(TAG_BROKEN),
    // RHash
    row("sfv", "rhash --").but(RHASH_SFV),
    row("sfv", "rhash --sfv --").but(RHASH_SFV),
    row("gnu", "rhash --sha256 --").but(RHASH),
    row("gnu", "rhash --sha256 --base64 --").but(RHASH),
    row("bsd", "rhash --sha256 --bsd --").but(RHASH_TAG),
    row("rhash", "rhash --md5 --sha1 --sha256 --").but(RHASH_COLUMNS),
    row("rhash", "rhash --all --").but(RHASH_COLUMNS),
    row("magnet", "rhash --magnet --sha256 --sha1 --").but(RHASH_MAGNET),
    // hashdeep
    row("hashdeep", "hashdeep -l --"),
    row("hashdeep", "hashdeep -l -c md5,sha1,sha256,tiger,whirlpool --"),
    row("dfxml", "hashdeep -l -d --"),
    row("gnu", "md5deep -l --").but(BROKEN),
    row("md5deep", "md5deep -l -z --").but(BROKEN),
    row("md5deep", "md5deep -l -c --").but(BROKEN),
    row("md5deep", "md5deep -l -t --").but(BROKEN),
    row("dfxml", "md5deep -l -d --"),
    row("gnu", "sha1deep -l --").but(BROKEN),
    row("gnu", "sha256deep -l --").but(BROKEN),
    row("gnu", "tigerdeep -l --").options(&["-a", "tiger"]).but(BROKEN),
    row("gnu", "whirlpooldeep -l --").but(BROKEN),
    // cfv
    row("sfv", "cfv -C -q -t sfv -f ../list.sfv --").own(cfv).list("list.sfv").but(CFV_SFV),
    row("gnu", "cfv -C -q -t md5 -f ../list.md5 --").own(cfv).list("list.md5").but(CFV),
    row("bsd", "cfv -C -q -t bsdmd5 -f ../list --").own(cfv).but(CFV),
    row("gnu", "cfv -C -q -t sha1 -f ../list --").own(cfv).but(CFV),
    row("gnu", "cfv -C -q -t sha256 -f ../list --").own(cfv).but(CFV),
    row("gnu", "cfv -C -q -t sha512 -f ../list --").own(cfv).but(CFV),
    row("cfv-csv", "cfv -C -q -t csv -f ../list --").own(cfv).but(CFV),
    row("cfv-csv", "cfv -C -q -t csv4 -f ../list --").own(cfv).but(CFV),
    row("cfv-crc", "cfv -C -q -t crc -f ../list --").own(cfv).but(CFV_CRC),
    row("rhash", "cfv -C -q -t sfvmd5 -f ../list --").own(cfv).but(CFV_SFV),
    // mtree
    row("mtree", "bsdtar -cf - --format=mtree --options=!all,type,size,time,md5,sha1,sha256,sha512,rmd160,cksum .")
        .folder(),
    row("mtree", "mtree -c -k type,size,time,md5,sha1,sha256,sha512,rmd160,cksum -p .").folder(),
    row("mtree", "mtree -c -k sha256 -p .").folder(),
    // rclone
    row("gnu", "rclone hashsum md5 .").folder().but(RCLONE),
    row("gnu", "rclone hashsum sha256 --base64 .").folder().but(RCLONE),
    row("rclone", "rclone lsjson --hash -R .").own(lsjson).but(&[("not UTF-8", "bad\\xef\\xbf\\xbd missing")]),
    // BagIt and MHL
    row("bagit", "bagit.py --quiet --md5 --sha256 --sha512 files")
        .own(bag)
        .but(&[("percent", "per%cent ok"), ("not UTF-8", "refused")]),
    row("mhl", "ascmhl create -h md5 -h sha1 -h xxh64 -h xxh3 -h xxh128 -h c4 .")
        .own(history)
        .but(&[("newline", "new\\n    line missing"), ("not UTF-8", "refused")]),
    // Packed
    row("gnu", "sha256sum --").then("gzip -c"),
    row("gnu", "sha256sum --").then("xz -c"),
    row("gnu", "sha256sum --").then("zstd -c"),
    row("gnu", "sha256sum --").then("bzip2 -c"),
    row("gnu", "sha256sum -z --").then("gzip -c"),
    row("mtree", "bsdtar -cf - --format=mtree --options=!all,type,sha256 .").folder().then("gzip -c"),
    // Signed
    row("gnu", "sha256sum --").own(signed),
    row("bsd", "sha256sum --tag --").own(signed),
    row("rhash", "rhash --md5 --sha1 --sha256 --").own(signed).but(&[
        ("backslash", "? not-a-list"),
        ("escape", "? not-a-list"),
        ("newline", "? malformed, line missing"),
    ]),
];

/// cfv writes the list itself.
fn cfv(site: &Site, row: &Row) -> Option<Made> {
    site.run(row.command, true);
    Some(next_to(site, row.list))
}

/// The names in the JSON of rclone are relative to the list.
fn lsjson(site: &Site, row: &Row) -> Option<Made> {
    fs::write(site.files().join("list.json"), site.run(row.command, false).stdout).unwrap();
    let lists = vec!["files/list.json".into()];
    Some(Made { cwd: site.root().into(), lists, files: site.files(), prefix: "" })
}

/// Makes a bag of the folder, whose files are below `data` then.
fn bag(site: &Site, row: &Row) -> Option<Made> {
    let output = start(site.root(), row.command, [], b"");
    if !output.status.success() {
        return None;
    }
    let lists = ["manifest", "tagmanifest"]
        .iter()
        .flat_map(|kind| ["md5", "sha256", "sha512"].map(|algorithm| format!("files/{kind}-{algorithm}.txt")));
    Some(Made { cwd: site.root().into(), lists: lists.collect(), files: site.files().join("data"), prefix: "data/" })
}

/// Makes the first generation of a history.
fn history(site: &Site, row: &Row) -> Option<Made> {
    if !site.run(row.command, false).status.success() {
        return None;
    }
    let list =
        fs::read_dir(site.files().join("ascmhl")).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    let list = list.into_iter().find(|name| name.ends_with(".mhl")).unwrap();
    let lists = vec![format!("files/ascmhl/{list}")];
    Some(Made { cwd: site.root().into(), lists, files: site.files(), prefix: "" })
}

/// Signs the list in clear.
fn signed(site: &Site, row: &Row) -> Option<Made> {
    let list = site.run(row.command, true).stdout;
    fs::write(site.root().join(row.list), Key::new().sign(&list)).unwrap();
    Some(next_to(site, row.list))
}

/// A key that is thrown away, and the folder it is in.
struct Key(tempfile::TempDir);

impl Key {
    fn new() -> Self {
        let key = Key(tempfile::tempdir().unwrap());
        let output = key.gpg(&["--quick-generate-key", "somebody@example.org", "ed25519", "sign", "1d"], b"");
        assert!(output.status.success(), "gpg cannot make a key: {}", text(&output.stderr));
        key
    }

    fn gpg(&self, args: &[&str], stdin: &[u8]) -> Output {
        let home = self.0.path();
        let always = ["--homedir", home.to_str().unwrap(), "--batch", "--quiet", "--passphrase", ""];
        run(home, "gpg", &[&always[..], &["--pinentry-mode", "loopback"], args].concat(), stdin)
    }

    /// Returns a text with a signature, in clear.
    fn sign(&self, text: &[u8]) -> Vec<u8> {
        let output = self.gpg(&["--clearsign"], text);
        assert!(output.status.success(), "{}", self::text(&output.stderr));
        output.stdout
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        // The agent would only end when it notices that its folder is gone.
        run(self.0.path(), "gpgconf", &["--homedir", self.0.path().to_str().unwrap(), "--kill", "gpg-agent"], b"");
    }
}

/// What `hashmill check` says of lists.
struct Said {
    /// A verdict for each name, which is escaped, in the order of the names. Lines that name no file are `?`.
    verdicts: BTreeMap<String, String>,
    status: Option<i32>,
    stderr: String,
}

impl Said {
    /// Returns everything in one line.
    fn line(&self) -> String {
        let all: Vec<String> = self.verdicts.iter().map(|(name, verdict)| format!("{name} {verdict}")).collect();
        all.join(", ")
    }
}

/// Verifies lists.
fn check(made: &Made, options: &[&str]) -> Said {
    let lists: Vec<&str> = made.lists.iter().map(String::as_str).collect();
    let output = hashmill(&made.cwd, &[&["check", "--json"], options, &lists].concat());
    let mut verdicts: BTreeMap<String, String> = BTreeMap::new();
    for line in text(&output.stdout).lines() {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        let Some(verdict) = record["verdict"].as_str() else { continue };
        let name = match (&record["path"], &record["path_base64"]) {
            (serde_json::Value::String(path), _) => path.clone().into_bytes(),
            (_, serde_json::Value::String(encoded)) => base64(encoded),
            _ => b"?".to_vec(),
        };
        // Of what names no file, it matters why.
        let kind = record["error"]["kind"].as_str().filter(|_| name == b"?");
        let verdict = kind.unwrap_or(verdict);
        let name = match name.strip_prefix(made.prefix.as_bytes()) {
            Some(name) => name.escape_ascii().to_string(),
            None if verdict == "ok" => continue,
            None => format!("outside of {}: {}", made.prefix, name.escape_ascii()),
        };
        match verdicts.get_mut(&name) {
            None => drop(verdicts.insert(name, verdict.into())),
            Some(before) if before.split('/').any(|v| v == verdict) => {}
            Some(before) => *before += &format!("/{verdict}"),
        }
    }
    Said { verdicts, status: output.status.code(), stderr: text(&output.stderr) }
}

fn base64(encoded: &str) -> Vec<u8> {
    let digit = |b: u8| match b {
        b'A'..=b'Z' => u32::from(b - b'A'),
        b'a'..=b'z' => u32::from(b - b'a') + 26,
        b'0'..=b'9' => u32::from(b - b'0') + 52,
        b'+' => 62,
        _ => 63,
    };
    let mut out = Vec::new();
    for group in encoded.trim_end_matches('=').as_bytes().chunks(4) {
        let bits = group.iter().fold(0, |bits, &b| bits << 6 | digit(b)) << (6 * (4 - group.len()));
        out.extend_from_slice(&bits.to_be_bytes()[1..group.len()]);
    }
    out
}

/// Changes one byte of a file.
fn change(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(path, bytes).unwrap();
}

/// Returns what is wrong with a row, or what it verified.
fn try_row(row: &Row) -> Result<String, String> {
    let mut wrong = String::new();
    let is_held = |label: &str| !row.but.iter().any(|(l, _)| *l == label);
    let held = || NAMES.iter().filter(|(label, _)| is_held(label)).map(|(_, name)| *name);
    // All that the program can write down, in one list.
    let want = |changed: Option<&[u8]>| -> BTreeMap<String, String> {
        let verdict = |name: &[u8]| if changed == Some(name) { "changed" } else { row.verdict };
        match row.verdict.strip_prefix("? ") {
            Some(kind) => [("?".into(), kind.into())].into(),
            None => held().map(|name| (name.escape_ascii().to_string(), verdict(name).into())).collect(),
        }
    };
    let site = Site::new(held());
    let made = row.make(&site);
    let nothing = Said { verdicts: BTreeMap::new(), status: None, stderr: "the program fails".into() };
    let said = made.as_ref().map_or(nothing, |made| check(made, row.options));
    let status = Some(i32::from(row.verdict != "ok"));
    if (&said.verdicts, said.status) != (&want(None), status) {
        let odd: Vec<_> = said.verdicts.iter().filter(|(name, v)| want(None).get(*name) != Some(v)).collect();
        let lacking: Vec<_> = want(None).into_keys().filter(|name| !said.verdicts.contains_key(name)).collect();
        wrong += &format!("\n    status {:?}, {odd:?}, without {lacking:?}: {}", said.status, said.stderr.trim());
    } else if let Some(made) = made.as_ref().filter(|_| row.verdict == "ok") {
        for name in held() {
            let path = made.files.join(os(name));
            change(&path);
            let said = check(made, row.options);
            if (&said.verdicts, said.status) != (&want(Some(name)), Some(1)) {
                wrong += &format!("\n    changed {}: {:?} {}", name.escape_ascii(), said.status, said.line());
            }
            change(&path);
        }
    }
    if let Some(form) = Form::named(row.form).filter(|form| !form.lines) {
        for (made, list) in made.iter().flat_map(|made| made.lists.iter().map(move |list| (made, list))) {
            let reader = BufReader::with_capacity(64 << 10, fs::File::open(made.cwd.join(list)).unwrap());
            let found = List::open(reader, Path::new(list), &ReadOptions::default()).unwrap().form();
            if found != Some(form) {
                wrong += &format!("\n    {list} is {found:?}");
            }
        }
    }
    // The others, each alone.
    let all = !wrong.is_empty();
    for (label, _) in NAMES.iter().filter(|(label, _)| all || row.how_else(label).is_some()) {
        let site = Site::new([named(label)]);
        let alone = match row.make(&site) {
            None => "refused".into(),
            Some(made) => match check(&made, row.options) {
                said if said.verdicts.is_empty() => format!("nothing, status {}", said.status.unwrap_or(-1)),
                said => said.line(),
            },
        };
        let is_good = match row.verdict.strip_prefix("? ") {
            Some(kinds) => alone.strip_prefix("? ").is_some_and(|kind| kinds.split('/').any(|k| k == kind)),
            None => alone == format!("{} {}", named(label).escape_ascii(), row.verdict),
        };
        if row.how_else(label).map_or(!is_good, |want| *want != alone) {
            wrong += &format!("\n    ({label:?}, {alone:?}),");
        }
    }
    let count = NAMES.len() - row.but.len();
    if wrong.is_empty() { Ok(format!("{count} of {} names {}", NAMES.len(), row.verdict)) } else { Err(wrong) }
}

impl Row {
    /// Returns what is expected of a name that the program cannot write down.
    fn how_else(&self, label: &str) -> Option<&'static str> {
        self.but.iter().find(|(l, _)| *l == label).map(|(_, what)| *what)
    }
}

/// What the programs write is read, and every changed file is found.
#[test]
fn lists_of_programs_are_read() {
    let mut wrong = String::new();
    for row in TABLE {
        let command = if row.then.is_empty() { row.command.into() } else { format!("{} | {}", row.command, row.then) };
        match try_row(row) {
            Ok(what) => println!("{:10} reads   {command:70} {what}", row.form),
            Err(what) => wrong += &format!("\n{} {command}:{what}", row.form),
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// A form that is written here, and a program that verifies it.
#[derive(Clone, Copy)]
struct Back {
    form: &'static str,
    algorithms: &'static [&'static str],
    /// `LIST` stands for the list's name.
    command: &'static str,
    /// Whether names follow in the command.
    with_names: bool,
    list: &'static str,
    /// What the program says of each file that is not as in the list.
    says: &'static str,
    /// What is done once the list is written.
    finish: Option<fn(&Site)>,
    /// What names begin with in the list.
    prefix: &'static str,
    /// Names that the form cannot hold, and why.
    unfit: &'static [(&'static str, &'static str)],
    /// Names that the program does not verify: it `fails` though the file is right, or overlooks what was `changed`.
    but: &'static [(&'static str, &'static str)],
}

const fn back(
    form: &'static str,
    algorithms: &'static [&'static str],
    command: &'static str,
    says: &'static str,
) -> Back {
    Back {
        form,
        algorithms,
        command,
        with_names: false,
        list: "list",
        says,
        finish: None,
        prefix: "",
        unfit: &[],
        but: &[],
    }
}

impl Back {
    const fn names(self) -> Self {
        Back { with_names: true, ..self }
    }

    const fn list(self, list: &'static str) -> Self {
        Back { list, ..self }
    }

    const fn finish(self, finish: fn(&Site)) -> Self {
        Back { finish: Some(finish), ..self }
    }

    const fn below(self, prefix: &'static str) -> Self {
        Back { prefix, ..self }
    }

    const fn unfit(self, unfit: &'static [(&'static str, &'static str)]) -> Self {
        Back { unfit, ..self }
    }

    const fn but(self, but: &'static [(&'static str, &'static str)]) -> Self {
        Back { but, ..self }
    }

    /// Writes a list of the files that can be written down. Returns those that cannot, and why.
    fn write(&self, site: &Site) -> Vec<(&'static str, String)> {
        let algorithms: Vec<Algorithm> = self.algorithms.iter().map(|a| a.parse().unwrap()).collect();
        let header = Header {
            functions: algorithms.iter().copied().map(Into::into).collect(),
            folder: site.files().to_str().unwrap().into(),
            command: "hashmill sum".into(),
            program: "hashmill 1.0".into(),
            host: "here".into(),
            now: (1_700_000_000, 0),
            ..Header::default()
        };
        let form = Form::named(self.form).unwrap();
        let mut writer = Writer::new(form, &header).unwrap();
        let (mut out, mut unfit) = (Vec::new(), Vec::new());
        writer.begin(&mut out);
        for &name in &site.names {
            let content = content(name);
            let entry = Entry {
                name: [self.prefix.as_bytes(), name].concat(),
                size: Some(content.len() as u64),
                stated: algorithms.iter().map(|&a| Stated::new(Some(a), a.digest(&content))).collect(),
                ..Entry::default()
            };
            if let Err(e) = writer.entry(&entry, &mut out) {
                let label = NAMES.iter().find(|(_, n)| *n == name).unwrap().0;
                let why = e.to_string();
                let why = why.strip_prefix("this form cannot hold such a name (").and_then(|w| w.strip_suffix(')'));
                unfit.push((label, why.unwrap_or("another reason").into()));
            }
        }
        writer.end(&mut out);
        let list = site.files().join(self.list);
        fs::create_dir_all(list.parent().unwrap()).unwrap();
        fs::write(list, out).unwrap();
        if let Some(finish) = self.finish {
            finish(site);
        }
        unfit
    }

    /// Returns the program's status, and how many files it says are not as in the list, and what it says.
    fn verify(&self, site: &Site) -> (bool, usize, String) {
        let command = self.command.replace("LIST", self.list);
        let output = site.run(&command, self.with_names);
        let said = text(&output.stdout) + &text(&output.stderr);
        (output.status.success(), said.matches(self.says).count(), said)
    }

    fn made(&self, site: &Site) -> Made {
        let lists = vec![self.list.into()];
        Made { cwd: site.files(), lists, files: site.files().join(self.prefix), prefix: self.prefix }
    }
}

/// What coreutils say of a changed file.
const FAILED: &str = ": FAILED\n";

/// The programs that know no escapes look for files whose names have them.
const UNESCAPED: &[(&str, &str)] =
    &[("backslash", "fails"), ("escape", "fails"), ("newline", "fails"), ("CR", "fails"), ("CR at the end", "fails")];
/// RHash knows the escape of line feeds only, and takes blanks and asterisks off.
const RHASH_BACK: &[(&str, &str)] = &[
    ("leading blank", "fails"),
    ("trailing blank", "fails"),
    ("backslash", "fails"),
    ("escape", "fails"),
    ("CR", "fails"),
    ("CR at the end", "fails"),
    ("asterisk", "fails"),
];
const CFV_BACK: &[(&str, &str)] = &[
    ("backslash", "fails"),
    ("escape", "fails"),
    ("newline", "fails"),
    ("CR", "fails"),
    ("CR at the end", "fails"),
    ("not UTF-8", "fails"),
];
const UNFIT_SFV: &[(&str, &str)] = &[
    ("leading blank", "a blank at the beginning"),
    ("trailing blank", "a blank at the end"),
    ("newline", "a line break"),
    ("CR", "a line break"),
    ("CR at the end", "a line break"),
    ("hash", "a comment's beginning"),
    ("semicolon", "a comment's beginning"),
];
const UNFIT_HASHDEEP: &[(&str, &str)] = &[("newline", "a line break"), ("CR at the end", "a line break")];
const UNFIT_OPENSSL: &[(&str, &str)] = &[("newline", "with a line break")];
const NOT_UTF8: &[(&str, &str)] = &[("not UTF-8", "not UTF-8")];

const TABLE_BACK: &[Back] = &[
    back("gnu", &["md5"], "md5sum -c LIST", FAILED),
    back("gnu", &["sha1"], "sha1sum -c LIST", FAILED),
    back("gnu", &["sha224"], "sha224sum -c LIST", FAILED),
    back("gnu", &["sha256"], "sha256sum --strict -c LIST", FAILED),
    back("gnu", &["sha384"], "sha384sum -c LIST", FAILED),
    back("gnu", &["sha512"], "sha512sum -c LIST", FAILED),
    back("gnu", &["blake2b"], "b2sum -c LIST", FAILED),
    back("gnu", &["sha256"], "rhash -c LIST", " ERR\n").but(RHASH_BACK),
    back("gnu", &["md5"], "cfv -f LIST", "does not match").list("list.md5").but(CFV_BACK),
    back("gnu", &["sha1"], "rclone checksum sha1 LIST . --combined - --exclude list", "* ").but(UNESCAPED),
    back("bsd", &["md5"], "md5sum -c LIST", FAILED),
    back("bsd", &["sha256"], "sha256sum --strict -c LIST", FAILED),
    back("bsd", &["blake2b"], "b2sum -c LIST", FAILED),
    back("bsd", &["sm3"], "cksum --strict -c LIST", FAILED),
    back("bsd", &["sha384"], "cksum --strict -c LIST", FAILED),
    back("bsd", &["xxh64"], "xxhsum -c LIST", FAILED).but(UNESCAPED),
    back("bsd", &["sha256"], "rhash -c LIST", " ERR\n").but(RHASH_BACK),
    back("bsd", &["md5"], "cfv -f LIST", "does not match").list("list.md5").but(CFV_BACK),
    back("b3sum", &["blake3"], "b3sum -c LIST", FAILED)
        .unfit(NOT_UTF8)
        .but(&[("CR", "fails"), ("CR at the end", "fails")]),
    back("xxhsum", &["xxh32"], "xxhsum -c LIST", FAILED).but(UNESCAPED),
    back("xxhsum", &["xxh64"], "xxhsum -c LIST", FAILED).but(UNESCAPED),
    back("xxhsum", &["xxh128"], "xxhsum -c LIST", FAILED).but(UNESCAPED),
    back("openssl", &["md5"], "md5sum -c LIST", FAILED).unfit(UNFIT_OPENSSL),
    back("openssl", &["sha1"], "sha1sum -c LIST", FAILED).unfit(UNFIT_OPENSSL),
    back("hashdeep", &["md5", "sha256"], "hashdeep -l -a -vv -k LIST --", ": No match").names().unfit(UNFIT_HASHDEEP),
    back("hashdeep", &["whirlpool"], "hashdeep -l -a -vv -k LIST --", ": No match").names().unfit(UNFIT_HASHDEEP),
    back("magnet", &["md5", "sha1", "sha256"], "rhash -c LIST", " ERR\n")
        .but(&[("backslash", "fails"), ("escape", "fails")]),
    back("sfv", &["crc32"], "rhash -c LIST", " ERR\n").unfit(UNFIT_SFV).but(&[
        ("backslash", "fails"),
        ("escape", "fails"),
        ("asterisk", "fails"),
    ]),
    back("sfv", &["crc32"], "cfv -f LIST", "does not match")
        .list("list.sfv")
        .unfit(UNFIT_SFV)
        .but(&[("not UTF-8", "fails")]),
    back("mtree", &["sha256"], "mtree -e -f LIST -p .", "sha256 ("),
    back("mtree", &["md5", "sha1", "ripemd160", "sha512", "cksum"], "mtree -e -f LIST -p .", "sha512 ("),
    back("bagit", &["sha256"], "bagit.py --quiet --validate .", "validation failed: expected")
        .list("manifest-sha256.txt")
        .below("data/")
        .finish(as_bag)
        .but(&[("trailing blank", "fails"), ("percent", "fails"), ("not UTF-8", "fails")]),
    back("mhl", &["md5"], "ascmhl-debug verify .", "ERROR: hash mismatch")
        .list("ascmhl/0001_files.mhl")
        .finish(as_history)
        .unfit(NOT_UTF8),
    back("mhl", &["sha512", "xxh128"], "ascmhl-debug verify .", "ERROR: hash mismatch")
        .list("ascmhl/0001_files.mhl")
        .finish(as_history)
        .unfit(NOT_UTF8),
    back("csv", &["sha256", "md5"], "python3 ../as_csv.py LIST", FAILED).finish(with_python),
    back("json", &["sha256", "md5"], "python3 ../as_json.py LIST", FAILED).finish(with_python),
    back("oci", &["sha256"], "python3 ../as_oci.py LIST", FAILED).finish(with_python),
];

/// Makes the rest of a bag around a manifest.
fn as_bag(site: &Site) {
    let data = site.files().join("data");
    fs::create_dir_all(&data).unwrap();
    for entry in fs::read_dir(site.files()).unwrap().map(Result::unwrap) {
        if entry.file_name() != "data" && entry.file_name() != "manifest-sha256.txt" {
            fs::rename(entry.path(), data.join(entry.file_name())).unwrap();
        }
    }
    let declaration = "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n";
    fs::write(site.files().join("bagit.txt"), declaration).unwrap();
}

/// Puts the list into the chain of its history.
fn as_history(site: &Site) {
    let output =
        run(&site.files(), &python_program("ascmhl-debug"), &["hash", "-h", "c4", "ascmhl/0001_files.mhl"], b"");
    let said = text(&output.stdout);
    let c4 = said.trim().rsplit(' ').next().unwrap();
    assert!(c4.starts_with("c4") && c4.len() == 90, "{said}");
    let chain = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ascmhldirectory xmlns=\"urn:ASC:MHL:DIRECTORY:v2.0\">\n\
         <hashlist sequencenr=\"1\"><path>0001_files.mhl</path><c4>{c4}</c4></hashlist>\n</ascmhldirectory>\n"
    );
    fs::write(site.files().join("ascmhl/ascmhl_chain.xml"), chain).unwrap();
}

/// Puts readers of what other libraries read where the test runs them.
fn with_python(site: &Site) {
    const VERIFY: &str = "import base64, csv, hashlib, json, os, re, sys\n\
        def verify(name, digests):\n    \
            data = open(name, 'rb').read()\n    \
            good = digests and all(hashlib.new(a, data).hexdigest() == d for a, d in digests.items())\n    \
            os.write(1, name + (b': OK\\n' if good else b': FAILED\\n'))\n    \
            return bool(good)\n\
        def name(record):\n    \
            encoded = record.get('path_base64')\n    \
            return base64.b64decode(encoded) if encoded else record['path'].encode()\n";
    const CSV: &str = "rows = csv.DictReader(open(sys.argv[1], encoding='utf-8', newline=''))\n\
        good = [verify(name(r), {a: r[a] for a in ['sha256', 'md5']}) for r in rows]\n\
        sys.exit(not (good and all(good)))\n";
    const JSON: &str = "records = [json.loads(line) for line in open(sys.argv[1], encoding='utf-8')]\n\
        good = [verify(name(r), r['digests']) for r in records if 'digests' in r]\n\
        sys.exit(not (good and all(good)))\n";
    // `docker` has no lists, so this is what the digests of OCI are: an algorithm, a colon, and hexadecimal digits.
    const OCI: &str = "def plain(line):\n    \
            escaped, algorithm, digest, n = re.fullmatch(rb'(\\\\?)(\\w+):(\\w+)  (.*)', line, re.S).groups()\n    \
            undo = lambda m: {b'n': b'\\n', b'r': b'\\r', b'\\\\': b'\\\\'}[m[1]]\n    \
            return (re.sub(rb'\\\\(.)', undo, n) if escaped else n), {algorithm.decode(): digest.decode()}\n\
        lines = open(sys.argv[1], 'rb').read().split(b'\\n')[:-1]\n\
        good = [verify(*plain(line)) for line in lines]\n\
        sys.exit(not (good and all(good)))\n";
    for (file, script) in [("as_csv.py", CSV), ("as_json.py", JSON), ("as_oci.py", OCI)] {
        fs::write(site.root().join(file), [VERIFY, script].concat()).unwrap();
    }
}

/// Returns what is wrong with a row, or what it verified.
fn try_back(row: &Back) -> Result<String, String> {
    let mut wrong = String::new();
    let unfit = row.write(&Site::new(NAMES.iter().map(|(_, name)| *name)));
    if unfit.iter().map(|(label, why)| (*label, &**why)).ne(row.unfit.iter().copied()) {
        wrong += &format!("\n    unfit {unfit:?}");
    }
    let is_fit = |label: &str| !unfit.iter().any(|(l, _)| *l == label);
    let is_held = |label: &str| is_fit(label) && !row.but.iter().any(|(l, _)| *l == label);
    let fit = || NAMES.iter().filter(|(label, _)| is_fit(label)).map(|(_, name)| *name);
    let held = || NAMES.iter().filter(|(label, _)| is_held(label)).map(|(_, name)| *name);
    let changed = |site: &Site, names: &[&[u8]]| {
        names.iter().for_each(|name| change(&site.files().join(row.prefix).join(os(name))));
    };
    // What was written is read here, whatever the program makes of it.
    let site = Site::new(fit());
    row.write(&site);
    let made = row.made(&site);
    let said = check(&made, &["--strict"]);
    let want: BTreeMap<_, _> = fit().map(|name| (name.escape_ascii().to_string(), "ok".to_string())).collect();
    if (&said.verdicts, said.status) != (&want, Some(0)) {
        wrong += &format!("\n    read back: {:?} {} {}", said.status, said.line(), said.stderr);
    }
    // The program accepts it, and finds one changed file, and all of them.
    let site = Site::new(held());
    row.write(&site);
    let (good, found, said) = row.verify(&site);
    if !good || found != 0 {
        wrong += &format!("\n    refused: {found} {said}");
    } else {
        for name in [b"plain", held().nth(row.command.len() % held().count()).unwrap()] {
            changed(&site, &[name]);
            let (good, found, said) = row.verify(&site);
            if good || found != 1 || name == b"plain" && !said.contains("plain") {
                wrong += &format!("\n    changed {}: {found} {said}", name.escape_ascii());
            }
            changed(&site, &[name]);
        }
        changed(&site, &site.names);
        let (good, found, said) = row.verify(&site);
        if good || found != site.names.len() {
            wrong += &format!("\n    all changed, {found} of {} found: {said}", site.names.len());
        }
    }
    // The others, each alone.
    let all = !wrong.is_empty();
    for (label, name) in NAMES.iter().filter(|(label, _)| is_fit(label) && (all || !is_held(label))) {
        let site = Site::new([*name]);
        row.write(&site);
        let before = row.verify(&site);
        changed(&site, &site.names);
        let after = row.verify(&site);
        let alone = match (before, after) {
            ((true, 0, _), (false, 1, _)) => "ok",
            ((true, ..), (true, ..)) => "changed",
            _ => "fails",
        };
        if row.but.iter().find(|(l, _)| l == label).map_or("ok", |(_, what)| what) != alone {
            wrong += &format!("\n    ({label:?}, {alone:?}),");
        }
    }
    let count = NAMES.len() - unfit.len() - row.but.len();
    if wrong.is_empty() {
        Ok(format!("{count} of {} names, {} refused here", NAMES.len(), unfit.len()))
    } else {
        Err(wrong)
    }
}

/// What is written here is what the programs accept, and they find what was changed.
#[test]
fn lists_are_read_by_programs() {
    let mut wrong = String::new();
    for row in TABLE_BACK {
        match try_back(row) {
            Ok(what) => println!("{:10} writes  {:70} {what}", row.form, row.command),
            Err(what) => wrong += &format!("\n{} {} {:?}:{what}", row.form, row.command, row.algorithms),
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The control files of a source package, which its own tools write, and the index of an archive, signed in clear.
#[test]
fn lists_of_debian() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    let source = d.join("hello-1.0");
    fs::create_dir_all(source.join("debian/source")).unwrap();
    let control = "Source: hello\nSection: misc\nPriority: optional\nMaintainer: Somebody <somebody@example.org>\n\
                   Standards-Version: 4.6.2\n\nPackage: hello\nArchitecture: all\nDescription: hello\n hello\n";
    let changelog = "hello (1.0) unstable; urgency=low\n\n  * First.\n\n \
                     -- Somebody <somebody@example.org>  Sat, 01 Jan 2022 00:00:00 +0000\n";
    fs::write(source.join("debian/control"), control).unwrap();
    fs::write(source.join("debian/changelog"), changelog).unwrap();
    fs::write(source.join("debian/source/format"), "3.0 (native)\n").unwrap();
    let must = |dir: &Path, command: &str| {
        let output = start(dir, command, [], b"");
        assert!(output.status.success(), "{command}: {}", text(&output.stderr));
        output.stdout
    };
    must(d, "dpkg-source -Zgzip -b hello-1.0");
    must(&source, "dpkg-genbuildinfo --build=source");
    fs::write(d.join("hello_1.0_source.changes"), must(&source, "dpkg-genchanges --build=source")).unwrap();
    // Names are relative to the list, from wherever it is checked.
    for (list, files) in [
        ("hello_1.0.dsc", &["hello_1.0.tar.gz"][..]),
        ("hello_1.0_source.buildinfo", &["hello_1.0.dsc"]),
        ("hello_1.0_source.changes", &["hello_1.0.dsc", "hello_1.0.tar.gz", "hello_1.0_source.buildinfo"]),
    ] {
        try_debian(d, list, files, 3);
        println!("{:10} reads   {list:70} {} names ok", "debian", files.len());
    }
    let digest = |a: &str, name: &str| {
        let content = fs::read(d.join(name)).unwrap();
        (a.parse::<Algorithm>().unwrap().digest(&content).to_string(), content.len())
    };
    let mut release = "Origin: Somebody\nSuite: stable\nDate: Sat, 01 Jan 2022 00:00:00 UTC\n".to_string();
    let files = ["hello_1.0.dsc", "hello_1.0.tar.gz"];
    for (field, algorithm) in [("MD5Sum", "md5"), ("SHA256", "sha256")] {
        release += &format!("{field}:\n");
        for name in files {
            let (digest, length) = digest(algorithm, name);
            release += &format!(" {digest} {length:16} {name}\n");
        }
    }
    fs::write(d.join("Release"), &release).unwrap();
    fs::write(d.join("InRelease"), Key::new().sign(release.as_bytes())).unwrap();
    try_debian(d, "Release", &files, 2);
    try_debian(d, "InRelease", &files, 2);
    println!("{:10} reads   {:70} {} names ok", "debian", "Release, InRelease", files.len());
}

/// Verifies a list from elsewhere, whose files have `times` digests each. Only what is changed fails.
fn try_debian(d: &Path, list: &str, files: &[&str], times: usize) {
    let path = d.join(list);
    let status = |changed: Option<&str>| {
        let o = hashmill(Path::new("/"), &["check", path.to_str().unwrap()]);
        let out = text(&o.stdout);
        for file in files {
            let verdict = if changed == Some(*file) { ": FAILED (" } else { ": OK (" };
            let lines = out.lines().filter(|line| line.starts_with(&format!("{file}{verdict}"))).count();
            assert_eq!(lines, times, "{list} {changed:?}: {out}{}", text(&o.stderr));
        }
        assert_eq!(out.lines().count(), times * files.len(), "{list}: {out}");
        o.status.code()
    };
    assert_eq!(status(None), Some(0), "{list}");
    for file in files {
        change(&d.join(file));
        assert_eq!(status(Some(file)), Some(1), "{list} {file}");
        change(&d.join(file));
    }
}

/// What somebody writes around a signed text is not of the list, and what they change in it is found by `gpg`.
#[test]
fn only_what_is_signed_counts() {
    let site = Site::new([named("plain"), named("dash")]);
    let list = site.run("rhash --md5 --sha1 --", true).stdout;
    let key = Key::new();
    let signed = text(&key.sign(&list));
    let evil = format!("evil  {}  {}\n", "0".repeat(32), "0".repeat(40));
    fs::write(site.files().join("evil"), "x").unwrap();
    let inside = signed.replace("-----BEGIN PGP SIGNATURE", &format!("{evil}-----BEGIN PGP SIGNATURE"));
    for (list, want, is_signed) in [
        (signed.clone(), "-dash ok, plain ok", true),
        (format!("{evil}{signed}"), "-dash ok, ? not-signed, plain ok", true),
        (format!("{signed}{evil}"), "-dash ok, ? not-signed, plain ok", true),
        (inside, "-dash ok, evil changed, plain ok", false),
    ] {
        fs::write(site.root().join("list"), &list).unwrap();
        let said = check(&next_to(&site, "list"), &[]);
        assert_eq!(said.line(), want, "{list}{}", said.stderr);
        assert_eq!(said.status, Some(i32::from(want != "-dash ok, plain ok")), "{list}");
        assert_eq!(key.gpg(&["--verify"], list.as_bytes()).status.success(), is_signed, "{list}");
    }
}

/// A history is verified by the program that made it and here, and each finds the same file.
#[test]
fn generations_of_a_history() {
    let site = Site::new([named("plain"), named("blanks"), named("folder"), named("not ASCII")]);
    assert!(site.run("ascmhl create -h xxh64 .", false).status.success());
    assert!(site.run("ascmhl create -h md5 .", false).status.success());
    let folder = site.files().join("ascmhl");
    let mut lists: Vec<String> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    lists.retain(|name| name.ends_with(".mhl"));
    let lists: Vec<String> = lists.iter().map(|name| format!("files/ascmhl/{name}")).collect();
    assert_eq!(lists.len(), 2);
    let made = Made { cwd: site.root().into(), lists, files: site.files(), prefix: "" };
    let all = "\\xc3\\xbcml\\xc3\\xa4ut ok, plain ok, sub/x ok, two  blanks ok";
    assert_eq!(check(&made, &[]).line(), all);
    change(&site.files().join("plain"));
    let said = check(&made, &[]);
    assert_eq!((said.line(), said.status), (all.replace("plain ok", "plain changed"), Some(1)), "{}", said.stderr);
    let theirs = site.run("ascmhl create -h md5 .", false);
    assert!(!theirs.status.success() && (text(&theirs.stdout) + &text(&theirs.stderr)).contains("hash mismatch"));
}
