//! The command line of each program. Errors have coreutils' wording and are found in its order.

use super::Kind;
use super::getopt::{self, Spelling};
use super::quote::word;
use crate::programs::known;
use hashmill::Algorithm;
use hashmill_lists::dialects::coreutils::Tag;
use std::ffi::OsString;
use std::fmt::Write;

/// Why the program stops before doing any work.
pub(super) enum Stop {
    Help,
    Version,
    /// Lines that say what is wrong, and whether to point to the help.
    Wrong(Vec<String>, bool),
}

impl From<String> for Stop {
    /// Converts an error of getopt.
    fn from(what: String) -> Self {
        Stop::Wrong(vec![what], true)
    }
}

/// The parsed command line.
pub(super) struct Asked {
    pub(super) work: Wanted,
    pub(super) files: Vec<OsString>,
    /// Whether no file was named. Standard input is read then, and old formats do not print its name.
    pub(super) stdin: bool,
}

pub(super) enum Wanted {
    Print(Print),
    Check(Check),
}

/// What to compute.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// POSIX's CRC, followed by the number of bytes.
    Crc,
    /// The CRC of zlib and Ethernet, in the same format.
    Crc32b,
    Bsd,
    SysV,
    Digest(Algorithm, Tag),
}

pub(super) enum Form {
    Tagged,
    Untagged { binary: bool },
    Raw,
}

pub(super) struct Print {
    pub(super) sort: Sort,
    pub(super) form: Form,
    pub(super) base64: bool,
    pub(super) zero: bool,
    pub(super) debug: bool,
}

pub(super) struct Check {
    /// What the lines have, or `None` if their tags tell.
    pub(super) sort: Option<Tag>,
    /// Whether the program is cksum, which reads more than md5sum does.
    pub(super) cksum: bool,
    pub(super) ignore_missing: bool,
    pub(super) quiet: bool,
    pub(super) status: bool,
    pub(super) strict: bool,
    pub(super) warn: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    Algorithm,
    Base64,
    Binary,
    Bsd,
    Check,
    Debug,
    Help,
    IgnoreMissing,
    Length,
    Quiet,
    Raw,
    Status,
    Strict,
    SysV,
    Tag,
    Text,
    Untagged,
    Version,
    Warn,
    Zero,
}

/// Returns the options of a program.
fn spellings(kind: Kind) -> Vec<Spelling<Key>> {
    let option = |short: &str, long, key| Spelling {
        short: short.chars().next(),
        long,
        value: matches!(key, Key::Algorithm | Key::Length),
        key,
    };
    let ends = [option("", "help", Key::Help), option("", "version", Key::Version)];
    let mut all = match kind {
        Kind::Sum => vec![option("r", "", Key::Bsd), option("s", "sysv", Key::SysV)],
        _ => vec![
            option("b", "binary", Key::Binary),
            option("c", "check", Key::Check),
            option("", "ignore-missing", Key::IgnoreMissing),
            option("", "quiet", Key::Quiet),
            option("", "status", Key::Status),
            option("t", "text", Key::Text),
            option("w", "warn", Key::Warn),
            option("", "strict", Key::Strict),
            option("", "tag", Key::Tag),
            option("z", "zero", Key::Zero),
        ],
    };
    if matches!(kind, Kind::B2sum | Kind::Cksum) {
        all.push(option("l", "length", Key::Length));
    }
    if kind == Kind::Cksum {
        all.extend([
            option("a", "algorithm", Key::Algorithm),
            option("", "base64", Key::Base64),
            option("", "debug", Key::Debug),
            option("", "raw", Key::Raw),
            option("", "untagged", Key::Untagged),
        ]);
    }
    all.extend(ends);
    all
}

/// The algorithms that `cksum -a` accepts, in the order in which it names them.
const ALGORITHMS: [&str; 14] = [
    "bsd", "sysv", "crc", "crc32b", "md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha2", "sha3", "blake2b",
    "sm3",
];

/// The algorithms that the help lists, one to a line, and what is the same.
const LISTED: [(&str, &str); 10] = [
    ("sysv", "sum -s"),
    ("bsd", "sum -r"),
    ("crc", "cksum without -a"),
    ("crc32b", "the CRC of zlib and Ethernet"),
    ("md5", "md5sum"),
    ("sha1", "sha1sum"),
    ("sha2", "sha224sum, sha256sum, sha384sum, sha512sum, by -l"),
    ("sha3", "SHA-3, with -l"),
    ("blake2b", "b2sum"),
    ("sm3", "SM3"),
];

/// An error after which the help is named.
fn wrong(text: impl Into<String>) -> Stop {
    Stop::Wrong(vec![text.into()], true)
}

/// An error that says everything.
fn plain(text: impl Into<String>) -> Stop {
    Stop::Wrong(vec![text.into()], false)
}

/// Parses the arguments.
pub(super) fn read(kind: Kind, args: impl IntoIterator<Item = OsString>) -> Result<Asked, Stop> {
    let mut chosen: Option<&'static str> = None;
    let mut length: Option<(u64, String)> = None;
    let (mut binary, mut tag, mut check, mut zero) = (None, None, false, false);
    let (mut ignore_missing, mut quiet, mut status, mut strict, mut warn) = (false, false, false, false, false);
    let (mut base64, mut raw, mut debug, mut sysv) = (false, false, false, false);
    let posix = std::env::var_os("POSIXLY_CORRECT").is_some();
    let mut files = getopt::read(&spellings(kind), args, posix, |key, value| {
        match (key, value.unwrap_or_default()) {
            (Key::Algorithm, name) => chosen = Some(algorithm(name)?),
            (Key::Base64, _) => base64 = true,
            (Key::Binary, _) => binary = Some(true),
            (Key::Bsd, _) => sysv = false,
            (Key::Check, _) => check = true,
            (Key::Debug, _) => debug = true,
            (Key::Help, _) => return Err(Stop::Help),
            (Key::IgnoreMissing, _) => ignore_missing = true,
            (Key::Length, text) => length = Some((bits(text)?, text.to_string())),
            (Key::Quiet, _) => (status, warn, quiet) = (false, false, true),
            (Key::Raw, _) => raw = true,
            (Key::Status, _) => (status, warn, quiet) = (true, false, false),
            (Key::Strict, _) => strict = true,
            (Key::SysV, _) => sysv = true,
            (Key::Tag, _) => tag = Some(true),
            (Key::Text, _) => binary = Some(false),
            (Key::Untagged, _) => tag = Some(false),
            (Key::Version, _) => return Err(Stop::Version),
            (Key::Warn, _) => (status, warn, quiet) = (false, true, false),
            (Key::Zero, _) => zero = true,
        }
        Ok(())
    })?;
    if kind == Kind::Sum {
        let sort = if sysv { Sort::SysV } else { Sort::Bsd };
        let form = Form::Untagged { binary: false };
        return Ok(asked(Wanted::Print(Print { sort, form, base64, zero, debug }), &mut files));
    }
    let sort = sort(kind, chosen, length, check)?;
    if let (true, Some(_), Lines::Sums(_)) = (check, chosen, &sort) {
        return Err(plain("--check is not supported with --algorithm={bsd,sysv,crc,crc32b}"));
    }
    if base64 && raw {
        return Err(wrong("--base64 and --raw are mutually exclusive"));
    }
    if zero && check {
        return Err(wrong("the --zero option is not supported when verifying checksums"));
    }
    if tag == Some(true) && check {
        return Err(wrong("the --tag option is meaningless when verifying checksums"));
    }
    if binary.is_some() && check {
        return Err(wrong("the --binary and --text options are meaningless when verifying checksums"));
    }
    for (given, name) in
        [(ignore_missing, "ignore-missing"), (status, "status"), (warn, "warn"), (quiet, "quiet"), (strict, "strict")]
    {
        if given && !check {
            return Err(wrong(format!("the --{name} option is meaningful only when verifying checksums")));
        }
    }
    let tagged = tag.unwrap_or(kind == Kind::Cksum) && !check;
    if tagged && binary == Some(false) {
        return Err(wrong(match kind {
            Kind::Cksum => "--text mode is only supported with --untagged",
            _ => "--tag does not support --text mode",
        }));
    }
    if raw && files.len() > 1 {
        return Err(plain("the --raw option is not supported with multiple files"));
    }
    let work = if check {
        let sort = match sort {
            Lines::Of(tag, _) => Some(tag),
            Lines::Sums(_) => None,
        };
        Wanted::Check(Check { sort, cksum: kind == Kind::Cksum, ignore_missing, quiet, status, strict, warn })
    } else {
        let sort = match sort {
            Lines::Of(tag, a) => Sort::Digest(a.unwrap_or_else(|| unreachable!("{tag:?}")), tag),
            Lines::Sums(sort) => sort,
        };
        let form = match (raw, tagged) {
            (true, _) => Form::Raw,
            (_, true) => Form::Tagged,
            _ => Form::Untagged { binary: binary == Some(true) },
        };
        Wanted::Print(Print { sort, form, base64, zero, debug })
    };
    Ok(asked(work, &mut files))
}

fn asked(work: Wanted, files: &mut Vec<OsString>) -> Asked {
    let stdin = files.is_empty();
    if stdin {
        files.push("-".into());
    }
    Asked { work, files: std::mem::take(files), stdin }
}

/// Returns the algorithm with exactly this name.
fn algorithm(name: &str) -> Result<&'static str, Stop> {
    if let Some(exact) = ALGORITHMS.into_iter().find(|a| *a == name) {
        return Ok(exact);
    }
    let what = format!("invalid argument {} for {}", word(name), word("--algorithm"));
    let valid = ALGORITHMS.iter().fold("\nValid arguments are:".to_string(), |text, a| text + "\n  - " + &word(a));
    Err(wrong(what + &valid))
}

/// Parses a length in bits. What is too large for a number is the largest.
fn bits(text: &str) -> Result<u64, Stop> {
    let typed = text.trim_start_matches([' ', '\t', '\n', '\r', '\u{b}', '\u{c}']);
    let digits = typed.strip_prefix(['+', '-']).unwrap_or(typed);
    let number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let negative = typed.starts_with('-') && digits.bytes().any(|b| b != b'0');
    match number {
        true if !negative => Ok(digits.parse().unwrap_or(u64::MAX)),
        _ => {
            let why = if number { ": Value too large for defined data type" } else { "" };
            Err(plain(format!("invalid length: {}{why}", word(text))))
        }
    }
}

/// What the lines have.
enum Lines {
    /// Digests with this tag. The algorithm is known if the length is, which is not needed for verification.
    Of(Tag, Option<Algorithm>),
    /// Checksums that predate digests.
    Sums(Sort),
}

/// Returns what a command line asks for, given the algorithm and the length in bits with its spelling.
fn sort(kind: Kind, chosen: Option<&str>, length: Option<(u64, String)>, check: bool) -> Result<Lines, Stop> {
    let invalid = |text: &str, why: String| Stop::Wrong(vec![format!("invalid length: {}", word(text)), why], false);
    let fixed = |name: &'static str, tag| Lines::Of(Tag::Name(tag), Some(known(name)));
    let name = match kind {
        Kind::Digest(name, tag) => return Ok(fixed(name, tag)),
        Kind::B2sum => "blake2b",
        Kind::Cksum | Kind::Sum => chosen.unwrap_or("crc"),
    };
    let sort = match name {
        "bsd" => Lines::Sums(Sort::Bsd),
        "sysv" => Lines::Sums(Sort::SysV),
        "crc" => Lines::Sums(Sort::Crc),
        "crc32b" => Lines::Sums(Sort::Crc32b),
        "md5" => fixed("md5", "MD5"),
        "sha1" => fixed("sha1", "SHA1"),
        "sha224" => fixed("sha224", "SHA224"),
        "sha256" => fixed("sha256", "SHA256"),
        "sha384" => fixed("sha384", "SHA384"),
        "sha512" => fixed("sha512", "SHA512"),
        "sm3" => fixed("sm3", "SM3"),
        "sha2" | "sha3" => {
            let tag = if name == "sha2" { Tag::Sha2 } else { Tag::Sha3 };
            let Some((bits, text)) = length.filter(|(_, text)| !text.is_empty()) else {
                return match check {
                    true => Ok(Lines::Of(tag, None)),
                    false => {
                        Err(plain(format!("--algorithm={name} requires specifying --length 224, 256, 384, or 512")))
                    }
                };
            };
            if ![224, 256, 384, 512].contains(&bits) {
                let why = format!("digest length for {} must be 224, 256, 384, or 512", word(tag.name()));
                return Err(invalid(&text, why));
            }
            let a = known(&if tag == Tag::Sha2 { format!("sha{bits}") } else { format!("sha3-{bits}") });
            return Ok(Lines::Of(tag, Some(a)));
        }
        _ => {
            let (bits, text) = length.unwrap_or_default();
            if bits > 512 {
                return Err(invalid(&text, format!("maximum digest length for {} is 512 bits", word("BLAKE2b"))));
            }
            if bits % 8 != 0 {
                return Err(invalid(&text, "length is not a multiple of 8".into()));
            }
            let len = if bits == 0 { 64 } else { bits as usize / 8 };
            let a = known("blake2b-512").with_digest_len(len).unwrap_or_else(|e| unreachable!("{e}"));
            return Ok(Lines::Of(Tag::Blake2b, Some(a)));
        }
    };
    if length.is_some_and(|(bits, _)| bits > 0) {
        return Err(plain("--length is only supported with --algorithm blake2b, sha2, or sha3"));
    }
    Ok(sort)
}

/// Returns the help text of a program.
pub(super) fn help(name: &str, kind: Kind) -> String {
    let what = match kind {
        Kind::Digest(_, tag) => format!("Print or verify {tag} digests."),
        Kind::B2sum => "Print or verify BLAKE2b digests.".into(),
        Kind::Cksum => "Print or verify digests; without -a, POSIX's CRC and the number of bytes.".into(),
        Kind::Sum => "Print checksums and block counts.".into(),
    };
    let mut text = format!(
        "Usage: {name} [OPTION]... [FILE]...\n{what}\n\nWithout FILE, or where FILE is -, standard input is read.\n\n"
    );
    let mut option = |names: &str, what: &str| {
        let _ = writeln!(text, "  {names:<24}{what}");
    };
    if kind == Kind::Sum {
        option("-r", "BSD's checksum, blocks of 1 KiB (the default)");
        option("-s, --sysv", "System V's checksum, blocks of 512 bytes");
    } else {
        if kind == Kind::Cksum {
            option("-a, --algorithm=DIGEST", "the algorithm, see below");
            option("    --base64", "digests in base64");
        }
        option(
            "-b, --binary",
            match kind {
                Kind::Cksum => "with --untagged, mark names with *",
                _ => "mark names with * (the digest is the same)",
            },
        );
        option("-c, --check", "read lists from the FILEs and verify what they name");
        match kind {
            Kind::B2sum => option("-l, --length=BITS", "the digest's length, a multiple of 8"),
            Kind::Cksum => option("-l, --length=BITS", "for blake2b a multiple of 8; for sha2, sha3 224 … 512"),
            _ => {}
        }
        if kind == Kind::Cksum {
            option("    --debug", "say which code computes it");
            option("    --raw", "the bytes of the digest, and nothing else");
        }
        option("    --tag", "lines of the form  MD5 (name) = digest");
        if kind == Kind::Cksum {
            option("    --untagged", "lines of the form  digest  name");
        }
        option("-t, --text", "do not mark names (the default)");
        option("-z, --zero", "end lines with NUL, and escape nothing in names");
        text.push_str("\nWith --check:\n");
        let mut option = |names: &str, what: &str| {
            let _ = writeln!(text, "  {names:<24}{what}");
        };
        option("    --ignore-missing", "neither fail for nor mention files that do not exist");
        option("    --quiet", "no OK for every file that is well");
        option("    --status", "nothing at all: the exit status tells");
        option("    --strict", "fail for lines that are not properly formatted");
        option("-w, --warn", "name such lines");
        text.push('\n');
    }
    let mut option = |names: &str, what: &str| {
        let _ = writeln!(text, "  {names:<24}{what}");
    };
    option("    --help", "this text");
    option("    --version", "the version");
    if kind == Kind::Cksum {
        text.push_str("\nDIGEST, for -a, is one of these:\n");
        for (name, what) in LISTED {
            let _ = writeln!(text, "  {name:<10}{what}");
        }
    }
    text + "\nThis is hashmill's; hashmill sum and hashmill check do more.\n"
}
